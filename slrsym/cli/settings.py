"""Settings on the command line: ``--set name=value`` and how values are read."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from contextlib import suppress
from fractions import Fraction
from typing import Annotated, Any

import typer

SETTINGS = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="A parameter: a number such as 0.1, 1/2 or sqrt(1/2), true, false, or a schedule, "
        "which is a formula in the step t such as 1/(1+1e-4*t). Can be given several times.",
    ),
]
_WORDS = {"true": True, "false": False}


def settings_from_options(given: Iterable[str] | None) -> dict[str, Any]:
    """Return the values of settings by their names, as ``--set`` gives them."""
    found: dict[str, Any] = {}
    for text in given or ():
        name, sign, value = (part.strip() for part in text.partition("="))
        if not (name and sign and value):
            raise typer.BadParameter(
                f"must be a name and a value, such as d=400; got {text!r}", param_hint="--set"
            )
        if name in found:
            raise typer.BadParameter(
                f"{name} is given already, as {found[name]}; leave out one of the two",
                param_hint="--set",
            )
        try:
            found[name] = value_from_text(value)
        except ValueError as problem:
            raise typer.BadParameter(f"{name}: {problem}", param_hint="--set") from None
    return found


def value_from_text(text: str) -> Any:
    """Return what a text means: true or false, a number, or a schedule in the step t.

    Raise ValueError if it is none of these.
    """
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    for kind in (int, float, Fraction):
        with suppress(ValueError, ZeroDivisionError):
            value = kind(text)
            return float(value) if kind is Fraction else value
    import numpy as np

    from slrsym.models.training.schedules import Formula, schedule_from_text

    try:
        schedule = schedule_from_text(text)
    except ValueError:
        raise ValueError(
            "must be a number, true, false, or a formula in the step t such as 1/(1+1e-4*t); "
            f"got {text!r}"
        ) from None
    if isinstance(schedule, Formula) and schedule.is_constant:
        return float(schedule(np.zeros(1, dtype=np.int64))[0])
    return schedule


def describe_settings(changes: Mapping[str, Any]) -> str:
    """Return settings as a text for a title, such as ``d = 100, λ = 0.2``."""
    return ", ".join(f"{_letter(name)} = {_value_text(value)}" for name, value in changes.items())


def _value_text(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _letter(name: str) -> str:
    """Return a name with its Greek letter, if it begins with one: λ0 for lam0."""
    word, number = name.rstrip("0123456789"), name[len(name.rstrip("0123456789")) :]
    # Unicode spells it so.
    word = "lamda" if word in ("lam", "lambda") else word
    with suppress(KeyError):
        letter = unicodedata.lookup(f"GREEK SMALL LETTER {word}")
        return letter + number
    return name

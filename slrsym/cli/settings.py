"""Settings on the command line: ``--set name=value`` and how values are read."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import typer


def settings_option(grid: str) -> Any:
    """Return the option ``--set``, whose help says what several values of a parameter make."""
    return typer.Option(
        "--set",
        metavar="NAME=VALUE[,VALUE...]",
        help="A parameter: a number such as 0.1, 1/2 or sqrt(1/2), true, false, or a schedule, "
        "which is a formula in the step t such as 1/(1+1e-4*t). Can be given several times. "
        f"Several values make a grid: {grid}.",
    )


_WORDS = {"true": True, "false": False}


def settings_from_options(given: Iterable[str] | None) -> dict[str, Any]:
    """Return the values of settings by their names, as ``--set`` gives them.

    Several values of a setting are a tuple.
    """
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
            found[name] = _value_or_values(value)
        except ValueError as problem:
            raise typer.BadParameter(f"{name}: {problem}", param_hint="--set") from None
    return found


def _value_or_values(text: str) -> Any:
    first, *more = map(value_from_text, _parts(text))
    for i, value in enumerate(more):
        if value in (first, *more[:i]):
            raise ValueError(f"must have different values; got {value} twice")
    return (first, *more) if more else first


def _parts(text: str) -> Iterator[str]:
    """Yield the parts of a text between commas that stand in no parentheses."""
    begin = depth = 0
    for i, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if character == "," and depth == 0:
            yield text[begin:i].strip()
            begin = i + 1
    yield text[begin:].strip()


def points_of_grid(settings: Mapping[str, Any]) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Yield, for each point of a grid, what tells it apart, and all settings there.

    Without several values of a setting there is one point, which nothing tells apart.
    """
    axes = {name: values for name, values in settings.items() if isinstance(values, tuple)}
    for values in product(*axes.values()):
        here = dict(zip(axes, values, strict=True))
        yield here, {**settings, **here}


def file_of_point(file: Path, here: Mapping[str, Any]) -> Path:
    """Return the file of a point of a grid: runs-d-100.nc for runs.nc, if d is 100 there."""
    if not here:
        return file
    words = "".join(f"-{name}-{setting_text(value)}" for name, value in here.items())
    text = re.sub(r"[^A-Za-z0-9.+-]+", "_", words)
    return file.with_name(f"{file.stem}{text}{file.suffix}")


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


def setting_text(value: Any) -> str:
    """Return the value of a setting as it is typed: true, a number, or a formula in the step t."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return f"{value:.12g}"
    from slrsym.models.training.schedules import schedule_formula

    return schedule_formula(value)


def describe_settings(changes: Mapping[str, Any]) -> str:
    """Return settings as a text for a title, such as ``d = 100, λ = 0.2``."""
    return ", ".join(f"{_letter(name)} = {_value_text(value)}" for name, value in changes.items())


def _value_text(value: Any) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return f"{value:g}" if isinstance(value, float) else setting_text(value)


def _letter(name: str) -> str:
    """Return a name with its Greek letter, if it begins with one: λ0 for lam0."""
    word, number = name.rstrip("0123456789"), name[len(name.rstrip("0123456789")) :]
    # Unicode spells it so.
    word = "lamda" if word in ("lam", "lambda") else word
    with suppress(KeyError):
        letter = unicodedata.lookup(f"GREEK SMALL LETTER {word}")
        return letter + number
    return name

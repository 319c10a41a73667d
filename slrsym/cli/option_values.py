"""Values of options: numbers and choices read from text, and messages about wrong ones."""

from __future__ import annotations

import copy
from collections.abc import Callable
from contextlib import suppress
from difflib import get_close_matches
from enum import Enum
from inspect import Parameter, signature
from typing import Annotated, Any, get_args, get_origin

import typer
from typer.models import ParameterInfo

# What the help shows in the place of a number, where an option says nothing else.
_METAVARS: dict[Any, str] = {int: "N", float: "X"}


def read_values_in_own_words(command: Callable[..., Any]) -> None:
    """Let the numbers and choices of a command's signature be read by the functions below.

    Typer would read them by another library, and print that library's messages. All else in the
    signature stays as it is.
    """
    found = signature(command, eval_str=True)
    parameters = [_read_here(parameter) for parameter in found.parameters.values()]
    command.__signature__ = found.replace(parameters=parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {x.name: x.annotation for x in parameters}


def _read_here(parameter: Parameter) -> Parameter:
    if get_origin(parameter.annotation) is not Annotated:
        return parameter
    values, *rest = get_args(parameter.annotation)
    kind = next(filter(None, map(_kind, (values, *get_args(values)))), None)
    if kind is None:
        return parameter
    infos = [_with_parser(x, kind) if isinstance(x, ParameterInfo) else x for x in rest]
    return parameter.replace(annotation=Annotated[(values, *infos)])


def _kind(annotation: Any) -> type | None:
    """Return the type of a number or choice that is read from one word, or None for all else."""
    is_choice = isinstance(annotation, type) and issubclass(annotation, Enum)
    return annotation if is_choice or annotation in _METAVARS else None


def _with_parser(info: ParameterInfo, kind: type) -> ParameterInfo:
    # One option of several commands stays as it was for those that do not pass here.
    info = copy.copy(info)
    least, most = info.min, info.max

    def read(value: Any) -> Any:
        if not isinstance(value, str):
            return value  # a default
        if kind is int:
            return integer_from_text(value, least, most)
        return number_from_text(value, least, most) if kind is float else choice(value, kind)

    info.parser = read
    info.metavar = info.metavar or _METAVARS.get(kind) or "|".join(_names(kind))
    return info


def _names(choices: Any) -> list[str]:
    return [str(one.value) for one in choices]


def integer_from_text(text: str, least: float | None = None, most: float | None = None) -> int:
    """Return the integer that a text is, or raise an error that says what is allowed."""
    with suppress(ValueError):
        if _lies_within(found := int(text), least, most):
            return found
    allowed = f"an integer{_range_text(least, most)}"
    with suppress(ValueError, OverflowError):
        if (value := float(text)).is_integer() and _lies_within(value, least, most):
            allowed += f", in digits, such as {int(value)}" if abs(value) < 1e15 else ", in digits"
    raise _refusal(text, allowed)


def number_from_text(text: str, least: float | None = None, most: float | None = None) -> float:
    """Return the number that a text is, or raise an error that says what is allowed."""
    with suppress(ValueError):
        if _lies_within(found := float(text), least, most):
            return found
    raise _refusal(text, f"a number{_range_text(least, most) or ' such as 0.1'}")


def choice(text: str, choices: type[Enum]) -> Enum:
    """Return the member of an enumeration that a text names, or raise an error with all names."""
    with suppress(ValueError):
        return choices(text)
    names = _names(choices)
    near = get_close_matches(text, names, n=1)
    hint = f"; did you mean {near[0]}?" if near else ""
    raise typer.BadParameter(f"must be one of {', '.join(names)}; got {text!r}{hint}")


def _lies_within(value: float, least: float | None, most: float | None) -> bool:
    return (least is None or value >= least) and (most is None or value <= most)


def _range_text(least: float | None, most: float | None) -> str:
    ends = [f"{word} {end:g}" for word, end in (("at least", least), ("at most", most))
            if end is not None]  # fmt: skip
    return f" of {' and '.join(ends)}" if ends else ""


def _refusal(text: str, allowed: str) -> typer.BadParameter:
    hint = "; call the command once for each of several" if "," in text else ""
    return typer.BadParameter(f"must be {allowed}; got {text!r}{hint}")

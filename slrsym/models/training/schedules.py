"""Schedules: a parameter's value at each step, as the inverse temperature in Definition 1."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from slrsym.kernels.arguments import float_or_nan, require_positive, require_real_array

_ALLOWED = "a number, a list of numbers or a function of steps"


@dataclass(frozen=True)
class Constant:
    """A schedule with the same inverse temperature at every step.

    Parameters
    ----------
    lam : float
        Inverse temperature, positive.

    Raises
    ------
    ValueError
        If it is not positive and finite.
    """

    lam: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "lam", require_positive("lam", self.lam))

    def __call__(self, steps: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the constant inverse temperature once for each of an array of steps."""
        return np.full(steps.shape, self.lam, dtype=np.float64)


@dataclass(frozen=True)
class InverseTimeDecay:
    r"""A schedule of decreasing inverse temperatures, :math:`\lambda_0 / (1 + c t)`.

    Parameters
    ----------
    lam0 : float
        Inverse temperature at the start, positive.
    c : float
        Rate, not negative.

    Raises
    ------
    ValueError
        If `lam0` is not positive and finite, or `c` is negative or not finite.
    """

    lam0: float
    c: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "lam0", require_positive("lam0", self.lam0))
        rate = float_or_nan(self.c)
        if not (math.isfinite(rate) and rate >= 0):
            raise ValueError(f"c must be finite and not negative; got {self.c!r}")
        object.__setattr__(self, "c", rate)

    def __call__(self, steps: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the decaying inverse temperatures at an array of steps."""
        return np.asarray(self.lam0 / (1 + self.c * steps), dtype=np.float64)


# What a formula in the step may be made of, besides numbers, t and pi.
_OPERATIONS: dict[type, np.ufunc] = {
    ast.Add: np.add, ast.Sub: np.subtract, ast.Mult: np.multiply, ast.Div: np.divide,
    ast.Pow: np.power, ast.USub: np.negative, ast.UAdd: np.positive,
}  # fmt: skip
_FUNCTIONS: dict[str, np.ufunc] = {
    "exp": np.exp, "log": np.log, "sqrt": np.sqrt, "sin": np.sin, "cos": np.cos, "tanh": np.tanh,
    "abs": np.absolute, "min": np.minimum, "max": np.maximum,
}  # fmt: skip


@dataclass(frozen=True)
class Formula:
    """A schedule given by a formula for the inverse temperature in the step t.

    Parameters
    ----------
    text : str
        Made of numbers, ``t``, ``pi``, ``+ - * / **`` and the functions exp, log, sqrt, sin, cos,
        tanh, abs, min and max (of two), such as ``0.1 + exp(-t/1000)``.

    Raises
    ------
    ValueError
        If it is made of anything else.
    """

    text: str

    def __post_init__(self) -> None:
        try:
            self(np.zeros(1, dtype=np.int64))
        except (SyntaxError, ValueError, OverflowError, MemoryError, RecursionError):
            raise ValueError(
                "schedule must be a number, or a formula in the step t such as 1/(1+1e-4*t), with "
                f"+ - * / ** and {', '.join(_FUNCTIONS)}; got {self.text!r}"
            ) from None

    @property
    def is_constant(self) -> bool:
        """Whether the formula does not speak of the step."""
        nodes = ast.walk(ast.parse(self.text.strip(), mode="eval"))
        return not any(isinstance(node, ast.Name) and node.id == "t" for node in nodes)

    def __call__(self, steps: NDArray[np.int64]) -> NDArray[np.float64]:
        """Evaluate the formula at an array of steps, and return the inverse temperatures."""
        tree = ast.parse(self.text.strip(), mode="eval")
        # Values that are not finite are refused later, with the step that they belong to.
        with np.errstate(all="ignore"):
            values = _value(tree.body, steps.astype(np.float64))
        return np.array(np.broadcast_to(values, steps.shape), dtype=np.float64)


def _value(node: ast.expr, t: NDArray[np.float64]) -> Any:
    match node:
        case ast.Constant(value=int() | float() as value):
            # In floating point, powers of whole numbers end.
            return np.float64(value)
        case ast.Name(id="t"):
            return t
        case ast.Name(id="pi"):
            return np.float64(np.pi)
        case ast.UnaryOp(op=sign, operand=part) if type(sign) in _OPERATIONS:
            return _OPERATIONS[type(sign)](_value(part, t))
        case ast.BinOp(left=left, op=between, right=right) if type(between) in _OPERATIONS:
            return _OPERATIONS[type(between)](_value(left, t), _value(right, t))
        case ast.Call(func=ast.Name(id=name), args=parts, keywords=[]) if (
            name in _FUNCTIONS and len(parts) == _FUNCTIONS[name].nin
        ):
            return _FUNCTIONS[name](*(_value(part, t) for part in parts))
    raise ValueError


@dataclass(frozen=True, eq=False)
class Tabulated:
    """A schedule given by a table, with a value for each step or one for all."""

    values: NDArray[np.float64]
    name: str = "schedule"

    def __post_init__(self) -> None:
        table = np.array(require_real_array(self.name, self.values, _ALLOWED))
        if table.ndim > 1 or not table.size:
            raise ValueError(f"{self.name} must be a list of numbers; it has shape {table.shape}")
        object.__setattr__(self, "values", table)

    def __call__(self, steps: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the table's values at an array of steps; raise an error if it is too short."""
        if self.values.ndim and steps.size and steps.max() >= self.values.size:
            raise ValueError(
                f"{self.name} must have a value for each step from 0 to {steps.max()}, "
                f"that is {steps.max() + 1}; got {self.values.size}"
            )
        return self.values[steps] if self.values.ndim else self.values

    def __repr__(self) -> str:
        return f"Tabulated({self.values.size} values)"


Schedule = Callable[[NDArray[np.int64]], NDArray[np.float64]]


def as_schedule(schedule: float | ArrayLike | Schedule) -> Schedule:
    """Convert a number, an array of values per step or a function of steps to a schedule."""
    if callable(schedule):
        return schedule
    values = require_real_array("schedule", schedule, _ALLOWED)
    return Tabulated(values) if values.ndim else Constant(require_positive("schedule", schedule))


# Which values the assumptions of SymPy allow, and how messages call them.
SORTS: dict[str, tuple[str, Callable[[NDArray[np.float64]], Any]]] = {
    "real": ("finite", np.isfinite),
    "positive": ("positive and finite", lambda x: x > 0),
    "nonnegative": ("finite and not negative", lambda x: x >= 0),
    "integer": ("an integer", lambda x: x == np.floor(x)),
}


def parameter_values(
    given: Any, first: int, last: int, name: str = "schedule", sorts: Iterable[str] = ("positive",)
) -> NDArray[np.float64]:
    """Return a parameter's values at steps `first` to `last`, or raise if one is not allowed."""
    steps = np.arange(first, last + 1, dtype=np.int64)
    rule = given if callable(given) else Tabulated(given, name)
    values = _values_at(rule, steps, name)
    for must, allowed in map(SORTS.__getitem__, sorts):
        good = np.isfinite(values) & allowed(values)
        if not good.all():
            at = int(np.argmin(good))
            when = f" at step {steps[at]}" if last else ""
            raise ValueError(f"{name} must be {must}; it is {values[at]}{when}")
    return values


def _values_at(rule: Schedule, steps: NDArray[np.int64], name: str) -> NDArray[np.float64]:
    values = require_real_array(name, rule(steps), "a function that gives numbers")
    values = values if values.ndim else np.full(steps.shape, values)
    if values.shape != steps.shape:
        raise ValueError(
            f"{name} must give one number, or one for each of {steps.size} steps; "
            f"it gave an array of shape {values.shape}"
        )
    return values


# How many steps of a schedule are looked at together.
_BLOCK = 1_000_000

# Bytes a step while a function of a user, which may depend on all steps, is evaluated and kept.
_KEPT = 32


class ParameterSchedules:
    """Values of parameters at the steps `first` to `last`, each checked to be allowed.

    Numbers and formulas are evaluated where they are asked for: a long run needs no memory for
    them. Any other function is called once, for all steps, since a value may depend on the rest.

    Parameters
    ----------
    given : sequence of (value, name, sorts)
        A number, a table of values from step 0 on, or a function of steps, with the parameter's
        name and the `SORTS` that are allowed.
    first, last : int

    Raises
    ------
    ValueError
        If a value is not allowed; the message says at which step.
    """

    def __init__(
        self, given: Iterable[tuple[Any, str, Sequence[str]]], first: int, last: int
    ) -> None:
        self._first, self._last = first, last
        self._columns = [(self._checked(*one), one[1]) for one in given]

    @staticmethod
    def memory(given: Iterable[Any], steps: int) -> int:
        """Return how many bytes the values of given parameters take for so many steps."""
        kept = sum(callable(x) and not isinstance(x, _POINTWISE) for x in given)
        return kept * _KEPT * (steps + 1)

    @property
    def is_constant(self) -> bool:
        """Whether no parameter changes from step to step."""
        moving = [rule for rule, _ in self._columns if not _is_number(rule)]
        first = np.array([self._first], dtype=np.int64)
        return all(
            (rule(steps) == rule(first)).all() for rule in moving for steps in self._blocks()
        )

    def at(self, steps: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the parameters at an array of steps, shape (steps, parameters)."""
        columns = [_values_at(rule, steps, name) for rule, name in self._columns]
        return np.stack(columns, axis=-1) if columns else np.empty((steps.size, 0))

    def _blocks(self) -> Iterator[NDArray[np.int64]]:
        for begin in range(self._first, self._last + 1, _BLOCK):
            yield np.arange(begin, min(begin + _BLOCK, self._last + 1), dtype=np.int64)

    def _checked(self, given: Any, name: str, sorts: Sequence[str]) -> Schedule:
        if callable(given) and not isinstance(given, _POINTWISE):
            values = parameter_values(given, self._first, self._last, name, sorts)
            return lambda steps: values[steps - self._first]
        rule = given if callable(given) else Tabulated(given, name)
        # A table that is too short says how long it has to be.
        rule(np.array([self._last], dtype=np.int64))
        for steps in self._blocks():
            parameter_values(rule, int(steps[0]), int(steps[-1]), name, sorts)
            if _is_number(rule):
                break
        return rule


def _is_number(rule: Schedule) -> bool:
    return isinstance(rule, Constant) or (isinstance(rule, Tabulated) and not rule.values.ndim)


_POINTWISE = (Constant, InverseTimeDecay, Formula, Tabulated)


def schedule_from_text(text: str) -> Constant | InverseTimeDecay | Formula:
    """Return the schedule that a text describes, such as ``0.1 + exp(-t/1000)``."""
    plain = text.replace(" ", "")
    with suppress(ValueError):
        if plain.startswith("Constant(lam=") and plain.endswith(")"):
            return Constant(float(plain[13:-1]))
        if plain.startswith("InverseTimeDecay(lam0=") and plain.endswith(")"):
            first, _, rate = plain[22:-1].partition(",c=")
            return InverseTimeDecay(float(first), float(rate))
        first, slash, rest = plain.partition("/(1+")
        if slash and rest.endswith("t)"):
            factor = rest[:-2]
            return InverseTimeDecay(
                float(first), float(factor.removesuffix("*")) if factor else 1.0
            )
    try:
        value = float(plain)
    except ValueError:
        return Formula(text)
    return Constant(require_positive("schedule", value))


def describe_schedule(schedule: Any) -> str:
    """Return a schedule as text: its formula or constructor call, or ``user-given``."""
    if isinstance(schedule, Formula):
        return schedule.text
    return (
        repr(schedule)
        if isinstance(schedule, Constant | InverseTimeDecay | Tabulated)
        else "user-given"
    )


def schedule_formula(schedule: Any) -> str:
    """Return a schedule as a formula in the step t, as `schedule_from_text` reads it."""
    if isinstance(schedule, Constant):
        return f"{schedule.lam:.12g}"
    if isinstance(schedule, InverseTimeDecay):
        return f"{schedule.lam0:.12g}/(1+{schedule.c:.12g}*t)"
    return describe_schedule(schedule)

"""Sequences by recursion and trajectories by their rates, in numbers, from given starts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import sympy as sp
from sympy import Derivative, Eq, Ge, Gt, Lambda, Le, Lt, S, Symbol
from sympy.core.function import AppliedUndef
from sympy.tensor.indexed import Indexed

if TYPE_CHECKING:
    from numpy.random import Generator

_Opened = tuple[list[Symbol], Any]


# -- sequences ---------------------------------------------------------------------------------


class Recursion(NamedTuple):
    """A hypothesis on the next entry of a sequence, by those before it.

    Attributes
    ----------
    entry : Indexed
        The next entry, such as ``e[i + 1]``.
    bound : expression
        What it is compared with.
    index : Symbol
        The variable of the hypothesis.
    side : int
        1 if the entry is at least the bound, -1 if it is at most that, 0 if it equals it.
    """

    entry: Indexed
    bound: Any
    index: Symbol
    side: int

    @classmethod
    def among(cls, parts: Iterable[_Opened]) -> list[Recursion]:
        """Return the recursions among hypotheses, each given with the variables it is for."""
        sides = {Eq: 0, Le: -1, Lt: -1, Ge: 1, Gt: 1}
        found = []
        for bound, body in parts:
            if len(bound) != 1 or type(body) not in sides:
                continue
            (i,), side = bound, sides[type(body)]
            for entry, other, sign in ((*body.args, side), (*body.args[::-1], -side)):
                if _is_next(entry, other, i):
                    found.append(cls(entry, other, i, sign))
                    break
        return found


def _is_next(entry: Any, other: Any, i: Symbol) -> bool:
    """Tell whether an entry of a sequence comes after all others that it is compared with."""
    if not isinstance(entry, Indexed) or len(entry.indices) != 1:
        return False
    steps = [entry.indices[0] - e.indices[0] for e in other.atoms(Indexed) if e.base == entry.base]
    is_moved = (entry.indices[0] - i).is_Integer
    return bool(is_moved and steps and all(step.is_Integer and step > 0 for step in steps))


def unrolled_entries(
    needed: Iterable[Indexed],
    given: Mapping[Indexed, Any],
    at: Mapping[Any, Any],
    recursions: Sequence[Recursion],
    rng: Generator,
    most: int,
    beyond: int = 0,
) -> dict[Indexed, Any]:
    """Return entries that obey recursions, those needed and some beyond; none if too many are.

    Entries that are not given, and that no recursion determines, are random rational numbers of the
    sign declared.
    """
    places = [int(entry.indices[0]) for entry in needed if entry.indices[0].is_Integer]
    if not places or max(places) - min(0, *places) > most:
        return {}
    bases = {e.base for e in needed}
    for r in recursions:
        bases |= {e.base for e in (r.entry, *r.bound.atoms(Indexed))}
    known = dict(given)
    for place in range(min(0, *places), max(places) + 1 + beyond):
        # Sequences that others are made of come first.
        later = [r for r in recursions if r.entry.base in bases]
        for base in sorted(bases - {r.entry.base for r in later}, key=str):
            known.setdefault(base[place], _random_entry(base, rng))
        for r in later:
            value = _next_entry(r, place, at, known)
            if value is None:
                known.setdefault(r.entry.base[place], _random_entry(r.entry.base, rng))
            elif r.entry.base[place] not in given:
                slack = sp.Rational(int(rng.integers(0, 4)), 8) if rng.random() < 0.3 else S.Zero
                known[r.entry.base[place]] = value + r.side * slack
    return known


def _next_entry(
    r: Recursion, place: int, at: Mapping[Any, Any], known: Mapping[Indexed, Any]
) -> Any:
    """Return what a recursion says of an entry; None if that is no number yet."""
    i = place - (r.entry.indices[0] - r.index)
    value = r.bound.subs({**at, r.index: i}).xreplace(known)
    return value if value.is_Rational else None


def _random_entry(base: Any, rng: Generator) -> Any:
    value = sp.Rational(int(rng.integers(1, 17)), 8)
    label = base.label
    if not (label.is_nonnegative or base[0].is_nonnegative) and rng.random() < 0.4:
        value = -value
    return value


# -- trajectories ------------------------------------------------------------------------------

# Steps of the method of Runge and Kutta, which are then halved.
_STEPS = 200
# By how much two numbers of steps may differ.
_TOLERANCE = 1e-8


def rates_of_change(parts: Iterable[_Opened]) -> dict[Any, Lambda]:
    """Return the rates of functions of time that hypotheses state, such as ``f'(t) = p*f(t)``."""
    rates: dict[Any, Lambda] = {}
    for bound, body in parts:
        if len(bound) != 1 or not isinstance(body, Eq):
            continue
        for node, rate in (body.args, body.args[::-1]):
            f = node.expr if isinstance(node, Derivative) else None
            if not isinstance(f, AppliedUndef) or f.args != (bound[0],):
                continue
            if node.derivative_count == 1 and not rate.has(Derivative):
                rates[f.func] = Lambda(bound[0], rate)
                break
    # Rates by functions of which none is known determine nothing.
    inner = {f.func for rate in rates.values() for f in rate.expr.atoms(AppliedUndef)}
    return rates if inner <= rates.keys() else {}


class UnknownValue(ValueError):  # noqa: N818
    """Error for a value of a function that its rates of change do not give, or not accurately."""


class NumericalSolution:
    """A trajectory from a start, with the values that statements ask for.

    Attributes
    ----------
    times : list of Rational
        Some times at which hypotheses for all times can be tried.
    """

    times = [S.Zero, sp.Rational(1, 4), S.One]

    def __init__(self, rates: Mapping[Any, Lambda], start: Mapping[Any, Any], at: Any) -> None:
        self.functions = list(start)
        self.start = [float(start[f]) for f in self.functions]
        self.at = dict(at)
        t = Symbol("t", real=True)
        names = [sp.Dummy(str(f), real=True) for f in self.functions]
        put = {f(t): name for f, name in zip(self.functions, names, strict=True)}
        bodies = [rates[f](t).xreplace(put).subs(self.at) for f in self.functions]
        self._velocity = sp.lambdify([t, names], bodies, "math")
        self._known: dict[Any, list[float]] = {}

    def put_into(self, side: Any, at: Mapping[Any, Any] | None = None, moved: int = 0) -> Any:
        """Return an expression with numbers in it for all values of functions, at more values.

        All are `moved` by so many times as much as they may be off.
        """
        said = side.xreplace(dict(at or {})).xreplace(self.at)
        put = {}
        for node in said.atoms(AppliedUndef):
            (time,) = node.args
            if node.func not in self.functions or not time.is_Rational:
                raise UnknownValue(f"{node} is not known by the rates of change")
            value = sp.Rational(repr(self.values(time)[self.functions.index(node.func)]))
            put[node] = value + moved * sp.Rational(repr(_TOLERANCE)) * (1 + abs(value))
        return said.xreplace(put)

    def values(self, time: Any) -> list[float]:
        """Return the values at a time, on which two numbers of steps agree."""
        if time not in self._known:
            coarse, fine = (self._steps(float(time), count) for count in (_STEPS, 2 * _STEPS))
            near = (
                abs(a - b) <= _TOLERANCE * (1 + abs(b)) for a, b in zip(coarse, fine, strict=True)
            )
            if not all(near):
                raise UnknownValue(f"no accurate value was found at time {time}")
            self._known[time] = fine
        return self._known[time]

    def _steps(self, time: float, count: int) -> list[float]:
        y, h = self.start, time / count
        try:
            for k in range(count):
                t = k * h
                a = self._velocity(t, y)
                b = self._velocity(t + h / 2, _moved(y, a, h / 2))
                c = self._velocity(t + h / 2, _moved(y, b, h / 2))
                d = self._velocity(t + h, _moved(y, c, h))
                rates = [p + 2 * q + 2 * r + s for p, q, r, s in zip(a, b, c, d, strict=True)]
                y = _moved(y, rates, h / 6)
        except (ArithmeticError, ValueError):
            return [math.nan] * len(y)
        return y


def _moved(y: Sequence[float], velocity: Sequence[float], time: float) -> list[float]:
    return [value + time * rate for value, rate in zip(y, velocity, strict=True)]

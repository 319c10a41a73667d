"""Functions of coordinates, their values at points, and finite sets of points."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sympy import FiniteSet, Lambda, Symbol, Tuple, sympify

from slrsym.gaussian.law.declarations import is_plainly_real
from slrsym.search.errors import ProofError
from slrsym.search.substitute import put

__all__ = ["function_of", "point_set", "require_plain", "value_at"]


def require_plain(function: Lambda) -> None:
    """Refuse a function whose variables are not real coordinates, of any sign."""
    for x in function.variables:
        if not isinstance(x, Symbol) or not is_plainly_real(x):
            raise ProofError(f"the coordinate {x} has to be declared real, and no more")


def function_of(coordinates: Iterable[Symbol], value: Any) -> Lambda:
    """A function of the coordinates, to be spoken of along orbits.

    Parameters
    ----------
    coordinates : iterable of Symbol
        Its variables, in the order of those of the map.
    value : expression or sequence of expressions
        Its value.

    Returns
    -------
    Lambda
        With a Tuple for a value, if that is a sequence.

    Raises
    ------
    ProofError
        If a coordinate is declared anything but real.
    """
    body = Tuple(*map(sympify, value)) if isinstance(value, list | tuple) else sympify(value)
    made = Lambda(tuple(coordinates), body)
    require_plain(made)
    return made


def value_at(function: Lambda, point: Iterable[Any]) -> Any:
    """The value of a function at a point, not evaluated any further."""
    place = tuple(map(sympify, point))
    if len(place) != len(function.variables):
        raise ProofError(f"{function} is no function of {len(place)} coordinates")
    values = dict(zip(function.variables, place, strict=True))
    if isinstance(function.expr, Tuple):
        return Tuple(*(put(part, values) for part in function.expr))
    return put(function.expr, values)


def point_set(points: Iterable[Iterable[Any]]) -> FiniteSet:
    """A finite set of points, whatever their order.

    Parameters
    ----------
    points : iterable of points
        Each one a sequence of numbers.

    Returns
    -------
    FiniteSet
        Of Tuples.

    Raises
    ------
    ProofError
        If there are none, or a coordinate is no number.
    """
    made = [Tuple(*map(sympify, point)) for point in points]
    if not made or any(not x.is_number for point in made for x in point):
        raise ProofError(f"points must be given by numbers; got {made}")
    return FiniteSet(*made)

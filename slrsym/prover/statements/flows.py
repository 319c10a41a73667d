"""Flows of vector fields: velocities of coordinates, on the open set where functions are positive.

A flow is data. The trajectory of a start is the longest solution there, which exists and is unique
if velocities and functions are smooth.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import sympy as sp
from sympy import Basic, Derivative, Expr, FiniteSet, Lambda, S, Symbol, Tuple
from sympy.logic.boolalg import Boolean

from slrsym.prover.statements.expressions import ProofError, substitute_simultaneously
from slrsym.prover.statements.maps import require_real_coordinates, value_at


class Flow(Basic):  # type: ignore[misc]
    r"""The flow of a vector field on the open set where some functions are positive.

    The coordinates are bound: the flow stays the same if they are named anew. Everything else that
    occurs in the velocities is a parameter, of which the context says what it may be.

    Parameters
    ----------
    field : Lambda
        The coordinates, and a Tuple of their velocities.
    domain : Lambda
        The coordinates, and a Tuple of functions; the flow lives where all are positive.

    Raises
    ------
    ProofError
        If a coordinate is declared anything but real, or is velocity of none, or a function has
        other coordinates.
    """

    def __new__(cls, field: Any, domain: Any) -> Flow:
        for part, what in ((field, "the field"), (domain, "the domain")):
            if type(part) is not Lambda or not isinstance(part.expr, Tuple) or not part.expr:
                raise ProofError(f"{what} must be a Lambda with a Tuple for a value; got {part!r}")
            require_real_coordinates(part)
        sizes = {len(field.variables), len(field.expr), len(domain.variables)}
        if len(sizes) != 1:
            raise ProofError(
                f"every coordinate needs a velocity; got {len(field.variables)} coordinates, "
                f"{len(field.expr)} velocities, and a domain of {len(domain.variables)} coordinates"
            )
        made: Flow = Basic.__new__(cls, field, domain)
        return made

    @property
    def coordinates(self) -> tuple[Symbol, ...]:
        """The symbols that name the coordinates."""
        return tuple(self.args[0].variables)

    @property
    def velocities(self) -> tuple[Expr, ...]:
        """The velocities of the coordinates."""
        return tuple(self.args[0].expr)

    @property
    def positive(self) -> tuple[Expr, ...]:
        """The functions of the coordinates that are positive where the flow lives."""
        return tuple(value_at(self.args[1], self.coordinates))

    def function(self, *values: Any) -> Lambda:
        """Return a function of the flow's coordinates, for statements about the flow.

        Parameters
        ----------
        *values : expression
            Its values.

        Returns
        -------
        Lambda
            With the Tuple of the values.

        Raises
        ------
        ProofError
            If there is no value.
        """
        if not values:
            raise ProofError(f"a function of {self.coordinates} needs a value")
        return Lambda(self.coordinates, Tuple(*map(sp.sympify, values)))

    def region(self, *values: Any) -> Lambda:
        """Return the region of the points of the domain at which given functions are not negative.

        Parameters
        ----------
        *values : expression
            The functions of the coordinates. Without any, it is the whole domain.

        Returns
        -------
        Lambda
            The functions, as the first part of a statement about the flow after the flow itself.
        """
        return self.function(*(values or (S.One,)))

    def solution(self, time: Symbol, *values: Any) -> Lambda:
        """Return a function of time and of the flow's coordinates, for `SolvedBy`.

        Parameters
        ----------
        time : Symbol
            The time in the values.
        *values : expression
            The coordinates at this time, in order.

        Returns
        -------
        Lambda
            Of the time, a symbol of the same name that is declared real alone, and the coordinates.

        Raises
        ------
        ProofError
            If the time is one of the coordinates.
        """
        moving = Symbol(time.name, real=True)
        if moving in self.coordinates:
            raise ProofError(f"the time {time} has the name of a coordinate")
        body = (substitute_simultaneously(sp.sympify(v), {time: moving}) for v in values)
        return Lambda((moving, *self.coordinates), Tuple(*body))

    def points(self, *points: Iterable[Any]) -> FiniteSet:
        """Return a set of points, for statements about the flow.

        Parameters
        ----------
        *points : sequence of expression
            Each one has a value for each coordinate, a number or an expression of parameters.

        Returns
        -------
        FiniteSet
            Of Tuples.

        Raises
        ------
        ProofError
            If there is no point, or one has another number of coordinates, or depends on one.
        """
        made = FiniteSet(*(Tuple(*map(sp.sympify, point)) for point in points))
        require_points_of_flow(self, made)
        return made

    def domain_conditions(self) -> tuple[Boolean, ...]:
        """Return the conditions that the coordinates lie in the domain."""
        return tuple(sp.Gt(h, 0, evaluate=False) for h in self.positive if h != 1)

    def rate_of(self, value: Any) -> Expr:
        """Return the derivative of an expression along the field, with derivatives unevaluated.

        Parameters
        ----------
        value : expression
            Of the coordinates.

        Returns
        -------
        Expr
            The sum of its derivatives in the coordinates times the velocities.
        """
        terms = (
            sp.Mul(Derivative(value, x, evaluate=False), f)
            for x, f in zip(self.coordinates, self.velocities, strict=True)
        )
        return sp.Add(*terms)


def flow(velocities: Mapping[Symbol, Any], positive: Iterable[Any] = ()) -> Flow:
    """Return the flow with given velocities of coordinates.

    Parameters
    ----------
    velocities : mapping of Symbol to expression
        The coordinates, each with its velocity.
    positive : iterable of expression, optional
        Functions of the coordinates: the flow lives where all are positive. By default that is
        everywhere.

    Returns
    -------
    Flow
        The flow.

    Raises
    ------
    ProofError
        If a coordinate is no symbol, or is declared anything but real.

    Examples
    --------
    >>> from sympy import Symbol
    >>> x = Symbol("x", real=True)
    >>> flow({x: x * (1 - x)}).velocities
    (x*(1 - x),)
    """
    for x in velocities:
        if not isinstance(x, Symbol):
            raise ProofError(f"a coordinate must be a symbol; got {x!r}")
    names = tuple(velocities)
    field, domain = (
        Lambda(names, Tuple(*map(sp.sympify, values)))
        for values in (velocities.values(), tuple(positive) or (S.One,))
    )
    return Flow(field, domain)


# -- what statements about a flow are made of -----------------------------------------------------


def require_function_of_flow(
    flow: Flow, function: Any, what: str, values: int | None = None, more: int = 0
) -> None:
    """Raise `ProofError` unless a function is one of a flow's coordinates.

    It has a given number of values, if that is not None, and a number of variables more, which come
    first.
    """
    size = len(flow.coordinates) + more
    fits = type(function) is Lambda and len(function.variables) == size
    if not fits or not isinstance(function.expr, Tuple) or not function.expr:
        raise ProofError(
            f"{what} must be a Lambda of {size} variables with a Tuple; got {function}"
        )
    if values not in (None, len(function.expr)):
        raise ProofError(f"{what} must have {values} values; got {function}")
    require_real_coordinates(function)


def require_points_of_flow(flow: Flow, points: Any) -> None:
    """Raise `ProofError` unless points are a set of points whose coordinates are parameters."""
    size = len(flow.coordinates)
    are_points = isinstance(points, FiniteSet) and all(
        isinstance(p, Tuple) and len(p) == size for p in points
    )
    if not are_points or not points:
        raise ProofError(f"points must be a set of points of {size} coordinates; got {points!r}")
    caught = points.free_symbols & set(flow.coordinates)
    if caught:
        raise ProofError(f"the points {points} depend on the coordinates of the flow; state limits")


def require_number_beside_flow(flow: Flow, value: Any, what: str) -> None:
    """Raise `ProofError` unless a value is an expression without a flow's coordinates."""
    is_number = isinstance(value, Expr) and not isinstance(value, Lambda)
    if not is_number or value.free_symbols & set(flow.coordinates):
        raise ProofError(f"{what} must be an expression without coordinates; got {value}")

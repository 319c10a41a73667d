"""Statements about the trajectories of a flow from all starts in a region.

Each says that the flow is smooth on its domain, so that from every start there is one trajectory,
the longest solution. No statement supposes a function of time; that trajectories last for ever is
something that statements conclude. The region is where given functions are not negative.
"""

from __future__ import annotations

from typing import Any

import sympy as sp
from sympy import Expr, FiniteSet, Lambda, Symbol, Tuple
from sympy.logic.boolalg import Boolean

from slrsym.prover.statements.expressions import ProofError
from slrsym.prover.statements.flows import (
    Flow,
    require_function_of_flow,
    require_number_beside_flow,
    require_points_of_flow,
)
from slrsym.prover.statements.maps import value_at
from slrsym.prover.statements.orbits import (
    OrbitStatement,
    Piece,
    orbit_statement_latex,
    orbit_statement_text,
)

_OF_FLOW = """

    Parameters
    ----------
    flow : Flow
        The flow.
{}
    Raises
    ------
    ProofError
        If the first is no `Flow`, or another part does not fit it.
    """
_OF_REGION = "    region : Lambda\n        The region of starts, as `Flow.region` makes it.\n"
_IN_REGION = _OF_FLOW.format(_OF_REGION)
_OF_FUNCTION = "    function : Lambda\n        The function, as `Flow.function` makes it.\n"


class FlowStatement(OrbitStatement):
    """A statement about the trajectories of a flow, for all values of its parameters.

    Each says that the flow is smooth on its domain, and then something of the trajectories of all
    starts in a region, up to the time at which they end, if they do.

    Parameters
    ----------
    flow : Flow
        The flow.
    *about : Basic
        What else it is about; see the subclasses.

    Raises
    ------
    ProofError
        If it is given more or fewer things than it is about, or the first is no `Flow`.
    """

    others = 1

    def __new__(cls, *_args: Any, **_options: Any) -> Any:
        return super().__new__(cls, *map(sp.sympify, _args), **_options)

    @classmethod
    def validate(cls, map: Any, *about: Any) -> None:
        if type(map) is not Flow:
            raise ProofError(f"{cls.__name__} is about a Flow; got {map!r}")
        require_function_of_flow(map, about[0], "the region")

    @property
    def region(self) -> Lambda:
        """The functions that are not negative in the region of starts."""
        return self.args[1]

    def region_conditions(self, count: int | None = None) -> tuple[Boolean, ...]:
        """Return the conditions that the coordinates are a point of the region.

        Parameters
        ----------
        count : int, optional
            Of how many of the region's functions; by default, of all.

        Returns
        -------
        tuple of Boolean
            Those of the domain, and those of the functions.
        """
        values = tuple(value_at(self.region, self.map.coordinates))[:count]
        return (
            *self.map.domain_conditions(),
            *(sp.Ge(a, 0, evaluate=False) for a in values if a != 1),
        )

    @property
    def is_of_whole_domain(self) -> bool:
        """Whether the statement is about all starts in the domain of the flow."""
        return all(value.is_number for value in self.region.expr)

    @property
    def _starts(self) -> str:
        """The words which say from where trajectories start."""
        if self.is_of_whole_domain:
            return "every trajectory"
        several = "all " if len(self.region.expr) > 1 else ""
        return f"every trajectory from a point with {several}${self._letter} >= 0$"

    @property
    def _letter(self) -> str:
        """What the region's functions are called: the first letter that no parameter has.

        The letter a, as in the theorems, abbreviates something else in the first paper.
        """
        taken = {str(s) for s in self.free_symbols}
        letters = (letter for letter in ("c", "a", "b", "h", "region") if letter not in taken)
        return next(letters)

    @property
    def definitions(self) -> tuple[tuple[str, Lambda], ...]:
        return () if self.is_of_whole_domain else ((self._letter, self.region),)

    def sentence(self) -> tuple[Piece, ...]:
        first, *rest = self.words
        return (f"{self._starts} {first}", *rest)

    def _sympystr(self, printer: Any) -> str:
        return f"{orbit_statement_text(self, printer)}, {_flow_text(self.map, printer)}"

    def _latex(self, printer: Any) -> str:
        return (
            rf"{orbit_statement_latex(self, printer)} \text{{, }} {_flow_latex(self.map, printer)}"
        )


class _WithFunction(FlowStatement):
    """Base class of statements about flows and a function of the coordinates."""

    others = 2

    @classmethod
    def validate(cls, map: Any, *about: Any) -> None:
        super().validate(map, about[0])
        require_function_of_flow(map, about[1], "the function", 1)

    @property
    def function(self) -> Lambda:
        """The function of the coordinates that the statement is about."""
        return self.args[2]

    @property
    def definitions(self) -> tuple[tuple[str, Lambda], ...]:
        return (*super().definitions, ("f", self.function))


class RegionKept(FlowStatement):
    """The statement that trajectories which start in a region stay there until they end."""

    __doc__ = f"{__doc__}{_IN_REGION}"
    words = ("stays where that holds",)

    def sentence(self) -> tuple[Piece, ...]:
        whole = self.is_of_whole_domain
        return (f"{self._starts} {'stays in the domain' if whole else 'stays among these points'}",)


class ConstantAlong(_WithFunction):
    """The statement that a function is constant along trajectories from a region."""

    __doc__ = f"{__doc__}{_OF_FLOW.format(_OF_REGION + _OF_FUNCTION)}"
    words = ("keeps the value of $f$",)


class DecaysAlong(_WithFunction):
    """The statement that V(y(t)) <= V(y(0)) exp(-r t) along trajectories y from a region.

    Parameters
    ----------
    flow : Flow
        The flow.
    region : Lambda
        The region of starts, as `Flow.region` makes it.
    function : Lambda
        The function V, as `Flow.function` makes it.
    rate : Expr
        The rate r, without coordinates. With 0 it says that V never rises.

    Raises
    ------
    ProofError
        If the first is no `Flow`, or another part does not fit it.
    """

    others = 3

    @classmethod
    def validate(cls, map: Any, *about: Any) -> None:
        super().validate(map, *about)
        require_number_beside_flow(map, about[2], "the rate")

    @property
    def rate(self) -> Expr:
        """The rate of decay."""
        return self.args[3]

    def sentence(self) -> tuple[Piece, ...]:
        if self.rate == 0:
            return (f"along {self._starts} $f$ never rises",)
        return (
            f"along {self._starts} $f$ is at most its first value times ",
            sp.exp(-self.rate * _TIME),
            f" at the time ${_TIME}$",
        )


# The time in sentences. The letter t abbreviates something else in the first paper.
_TIME = Symbol("tau", real=True)


class LastsForEver(FlowStatement):
    """The statement that trajectories which start in a region last for ever."""

    __doc__ = f"{__doc__}{_IN_REGION}"
    words = ("lasts for ever",)


class FlowLimitsSolve(FlowStatement):
    """The statement that trajectories from a region last for ever, and accumulate at solutions.

    Each stays in a compact part of the region, and all of its accumulation points solve equations.

    Parameters
    ----------
    flow : Flow
        The flow.
    region : Lambda
        The region of starts, as `Flow.region` makes it.
    equations : Lambda
        The left-hand sides of equations e(x) = 0, as `Flow.function` makes it.

    Raises
    ------
    ProofError
        If the first is no `Flow`, or another part does not fit it.
    """

    others = 2
    words = ("lasts for ever in a compact part of these points, and accumulates at zeros of $e$",)

    @classmethod
    def validate(cls, map: Any, *about: Any) -> None:
        super().validate(map, about[0])
        require_function_of_flow(map, about[1], "the equations")

    @property
    def equations(self) -> Lambda:
        """The left-hand sides of equations e(x) = 0, as a function of the coordinates."""
        return self.args[2]

    @property
    def definitions(self) -> tuple[tuple[str, Lambda], ...]:
        return (*super().definitions, ("e", self.equations))


class FlowsConvergeTo(FlowStatement):
    """The statement that trajectories from a region last for ever, and converge to listed points.

    Parameters
    ----------
    flow : Flow
        The flow.
    region : Lambda
        The region of starts, as `Flow.region` makes it.
    points : FiniteSet
        The points, as `Flow.points` makes them.

    Raises
    ------
    ProofError
        If the first is no `Flow`, or another part does not fit it.
    """

    others = 2
    words = ("lasts for ever, and converges to ",)

    @classmethod
    def validate(cls, map: Any, *about: Any) -> None:
        super().validate(map, about[0])
        require_points_of_flow(map, about[1])

    @property
    def points(self) -> FiniteSet:
        """The limits."""
        return self.args[2]

    def sentence(self) -> tuple[Piece, ...]:
        return (*super().sentence(), self.points)


class SolvedBy(FlowStatement):
    """The statement that trajectories from a region last for ever, and are given by a formula.

    Parameters
    ----------
    flow : Flow
        The flow.
    region : Lambda
        The region of starts, as `Flow.region` makes it.
    solution : Lambda
        The coordinates at a time from a start, as `Flow.solution` makes it.

    Raises
    ------
    ProofError
        If the first is no `Flow`, or another part does not fit it.
    """

    others = 2
    words = ("lasts for ever, and is $f$",)

    @classmethod
    def validate(cls, map: Any, *about: Any) -> None:
        super().validate(map, about[0])
        require_function_of_flow(map, about[1], "the solution", len(map.coordinates), 1)

    @property
    def solution(self) -> Lambda:
        """The coordinates at a time, as a function of the time and of the start."""
        return self.args[2]

    @property
    def definitions(self) -> tuple[tuple[str, Lambda], ...]:
        return (*super().definitions, ("f", self.solution))


class EndsBy(_WithFunction):
    """The statement that trajectories from a region end at a time of at most T(x), x the start.

    So they leave every bounded set, or come to the edge of the domain.

    Parameters
    ----------
    flow : Flow
        The flow.
    region : Lambda
        The region of starts, as `Flow.region` makes it.
    function : Lambda
        The time T, as a function of the start, as `Flow.function` makes it.

    Raises
    ------
    ProofError
        If the first is no `Flow`, or another part does not fit it.
    """

    words = ("ends at the time $f$ of its start, or earlier",)


class _WithoutRegion(FlowStatement):
    """Base class of statements about flows that name no region of starts."""

    @property
    def region(self) -> Lambda:
        return self.map.region()

    @property
    def definitions(self) -> tuple[tuple[str, Lambda], ...]:
        return ()


class ArrivesAt(_WithoutRegion):
    """The statement that the trajectory of a start on a line is at another point at a given time.

    Parameters
    ----------
    flow : Flow
        The flow, of one coordinate.
    ends : Tuple
        The start, and the other point.
    time : Expr
        The time, which is not negative.

    Raises
    ------
    ProofError
        If the first is no `Flow` of one coordinate, or an end or the time depends on it.
    """

    others = 2

    @classmethod
    def validate(cls, map: Any, *about: Any) -> None:
        if type(map) is not Flow or len(map.coordinates) != 1:
            raise ProofError(f"{cls.__name__} is about a Flow of one coordinate; got {map!r}")
        ends, time = about
        if not isinstance(ends, Tuple) or len(ends) != 2:
            raise ProofError(f"the ends must be a Tuple of two numbers; got {ends!r}")
        for value in (*ends, time):
            require_number_beside_flow(map, value, "an end or the time")

    @property
    def ends(self) -> Tuple:
        """The start, and the point at which the trajectory arrives."""
        return self.args[1]

    @property
    def time(self) -> Expr:
        """The time at which it arrives."""
        return self.args[2]

    def sentence(self) -> tuple[Piece, ...]:
        start, end = self.ends
        return ("the trajectory of ", start, " is at ", end, " at the time ", self.time)


class NullFlowStarts(_WithoutRegion):
    """The statement that almost no start has a trajectory which converges to a listed point.

    That is: these starts are of Lebesgue measure 0.

    Parameters
    ----------
    flow : Flow
        The flow.
    points : FiniteSet
        The points, as `Flow.points` makes them.

    Raises
    ------
    ProofError
        If the first is no `Flow`, or another part does not fit it.
    """

    @classmethod
    def validate(cls, map: Any, *about: Any) -> None:
        if type(map) is not Flow:
            raise ProofError(f"{cls.__name__} is about a Flow; got {map!r}")
        require_points_of_flow(map, about[0])

    @property
    def points(self) -> FiniteSet:
        """The points to which few trajectories converge."""
        return self.args[1]

    def sentence(self) -> tuple[Piece, ...]:
        return ("the starts whose trajectories converge to ", self.points, " are of measure 0")


# -- printing -------------------------------------------------------------------------------------


def _flow_text(flow: Flow, printer: Any) -> str:
    place, speed = (
        f"({', '.join(map(printer._print, parts))})"
        for parts in (flow.coordinates, flow.velocities)
    )
    where = " and ".join(map(printer._print, flow.domain_conditions()))
    return f"d/dt {place} = {speed}{' where ' if where else ''}{where}"


def _flow_latex(flow: Flow, printer: Any) -> str:
    place, speed = (
        rf"\left({', '.join(map(printer._print, parts))}\right)"
        for parts in (flow.coordinates, flow.velocities)
    )
    where = r",\ ".join(map(printer._print, flow.domain_conditions()))
    more = rf"\text{{ where }} {where}" if where else ""
    return rf"\frac{{d}}{{dt}} {place} = {speed}{more}"

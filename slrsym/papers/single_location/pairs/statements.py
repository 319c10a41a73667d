"""Statements about pairs of unit vectors that move by gradient descent in their overlaps.

The overlaps are, in this order, k . k*, v . v*, v . k*, k . v* and k . v; the invariant manifold is
where the last three vanish.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

import sympy as sp
from numpy.random import Generator
from sympy import Basic, Expr, FiniteSet, Lambda, S, Symbol

from slrsym.prover.statements.expressions import ProofError
from slrsym.prover.statements.maps import lambda_of_coordinates, point_set
from slrsym.prover.statements.orbits import OrbitStatement, Piece


class SphereDescent(Basic):  # type: ignore[misc]
    """Projected gradient descent on two unit spheres, of a function of the overlaps.

    Parameters
    ----------
    function : Lambda
        R, of the five overlaps in the order above.
    rate : Expr
        The step size.
    dimension : Expr
        n, of which only values that are integers mean something.

    Raises
    ------
    ProofError
        If the function is none of five real variables.
    """

    def __new__(cls, function: Any, rate: Any, dimension: Any) -> SphereDescent:
        if type(function) is not sp.Lambda or len(function.variables) != 5:
            raise ProofError(f"the function has to be a Lambda of five overlaps; got {function!r}")
        lambda_of_coordinates(function.variables, function.expr)
        made: SphereDescent = Basic.__new__(cls, function, sp.sympify(rate), sp.sympify(dimension))
        return made

    @property
    def function(self) -> sp.Lambda:
        """The risk R, as a function of the five overlaps."""
        return self.args[0]

    @property
    def step_size(self) -> Expr:
        """The step size of the projected gradient descent."""
        return self.args[1]

    @property
    def space_dimension(self) -> Expr:
        """The dimension of the space that holds the two unit vectors."""
        return self.args[2]

    @property
    def zero_overlaps_on_manifold(self) -> dict[Symbol, Expr]:
        """The last three overlaps, each with its value 0 on the invariant manifold."""
        return dict.fromkeys(self.function.variables[2:], S.Zero)


class _StatementOnPairs(OrbitStatement):
    """Base class of statements about descent of pairs that start on the invariant manifold."""

    others = 1
    what: ClassVar[str]
    allowed: ClassVar[str]
    # Whether few starts lead to the listed points, or almost all.
    is_about_few_starts: ClassVar[bool] = False

    @staticmethod
    def _is_allowed_coordinate(value: Any) -> bool:
        """Return whether a number may be a coordinate of a point that the statement lists."""
        raise NotImplementedError

    @classmethod
    def validate(cls, map: Any, *about: Any) -> None:
        if type(map) is not SphereDescent:
            raise ProofError(f"{cls.__name__} is about a SphereDescent; got {map!r}")
        (points,) = about
        if not isinstance(points, FiniteSet) or points != point_set(points):
            raise ProofError(f"{cls.what} must be made by point_set; got {points!r}")
        if any(
            len(pair) != 2 or not all(cls._is_allowed_coordinate(x) for x in pair)
            for pair in points
        ):
            raise ProofError(f"{cls.what} must be pairs of {cls.allowed}; got {points}")

    def find_contradiction(self, given: Iterable[Any], rng: Generator) -> str:
        """Simulate pairs of unit vectors; return a contradiction, or an empty text."""
        # Imported when asked for: few proofs need it.
        from slrsym.papers.single_location.pairs.crosscheck import (
            find_contradiction_in_simulated_descent,
        )

        return find_contradiction_in_simulated_descent(self, given, rng)

    @property
    def points(self) -> FiniteSet:
        """The limits of the overlaps (k . k*, v . v*), as pairs of numbers."""
        return self.args[1]

    @property
    def definitions(self) -> tuple[tuple[str, Lambda], ...]:
        return (("R", self.map.function),)

    def _sentence_on_pairs(self, start: str, end: str) -> tuple[Piece, ...]:
        return (
            f"{start} pair of unit vectors, $k$ orthogonal to $v*$, $v$ orthogonal to $k*$ and to "
            "$k$, in dimension ",
            self.map.space_dimension,
            ", projected gradient descent of $R$ with step size ",
            self.map.step_size,
            end,
        )


class AlmostEveryPairConvergesTo(_StatementOnPairs):
    """The statement that almost every pair on the manifold tends to a listed pair.

    That is for all but a set of volume 0. For n >= 4 this is the same as with probability 1, if k
    is uniform on the unit sphere of the vectors orthogonal to v*, and then v on that of the vectors
    orthogonal to k* and to k; for n = 3 it is more, as then v is v* or -v* with probability 1.

    Parameters
    ----------
    descent : SphereDescent
        How the pair moves.
    signs : FiniteSet
        Pairs of 1 and -1, as `point_set` makes them.

    Raises
    ------
    ProofError
        If the first is no `SphereDescent`, or the signs are not pairs of 1 and -1, made by
        `point_set`.
    """

    what, allowed = "signs", "1 and -1"

    @staticmethod
    def _is_allowed_coordinate(value: Any) -> bool:
        return bool(abs(value) == 1)

    def sentence(self) -> tuple[Piece, ...]:
        ends = " or ".join(
            f"$({'-' if s < 0 else ''}k*, {'-' if r < 0 else ''}v*)$"
            for s, r in sorted(self.points, key=str, reverse=True)
        )
        return self._sentence_on_pairs("for almost every", f" converges to {ends}")


class NullPairs(_StatementOnPairs):
    """The statement that manifold starts whose overlaps tend to listed points have volume 0.

    Parameters
    ----------
    descent : SphereDescent
        How the pair moves.
    points : FiniteSet
        Points of the square [-1, 1]^2, as `point_set` makes them.

    Raises
    ------
    ProofError
        If the first is no `SphereDescent`, or the points are not of the square, made by
        `point_set`.
    """

    what, allowed = "points", "numbers from -1 to 1"
    is_about_few_starts = True

    @staticmethod
    def _is_allowed_coordinate(value: Any) -> bool:
        return bool((abs(value) <= 1) == True)  # noqa: E712

    def sentence(self) -> tuple[Piece, ...]:
        start, *middle, _ = self._sentence_on_pairs("for almost no", "")
        return (
            start,
            *middle,
            " leads the overlaps of $k$ with $k*$ and of $v$ with $v*$ to ",
            self.points,
        )

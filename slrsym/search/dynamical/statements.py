"""Statements about the orbits of a map of a box: x, g(x), g(g(x)), ...

They are Booleans of SymPy like relations are, made of the map, functions and points, without
quantifiers: two statements are the same if they are made of the same things. What each one means is
said in its docstring; sentences for the eye are made by `sentence`.
"""

from __future__ import annotations

from typing import Any, ClassVar, TypeAlias

from sympy import Basic, FiniteSet, Lambda, Tuple

from slrsym.search.dynamical.functions import function_of, point_set
from slrsym.search.dynamical.maps import BoxMap
from slrsym.search.dynamical.writing import in_latex, in_text
from slrsym.search.errors import ProofError
from slrsym.search.sentences import Sentence

__all__ = [
    "AccumulationPointsSolve",
    "AlmostEveryStartConvergesTo",
    "DecreasesAlong",
    "Injective",
    "InvertibleJacobian",
    "NullStarts",
    "OrbitStatement",
    "OrbitsConvergeTo",
    "Piece",
    "StepsVanish",
    "VanishesAlong",
]

# Pieces of a sentence: words, and what is written as a formula.
Piece: TypeAlias = str | Basic


class OrbitStatement(Sentence):
    """A statement about the orbits of a map, for all parameters that the context allows.

    Parameters
    ----------
    map : BoxMap
        The map.
    *about : Basic
        What else it is about; see the subclasses.

    Raises
    ------
    ProofError
        If it is given more or fewer things than it is about, or the map is no `BoxMap`.
    """

    # How many things it is about beside the map.
    others: ClassVar[int] = 0

    def __new__(cls, *_args: Any, **_options: Any) -> Any:
        if len(_args) != 1 + cls.others:
            raise ProofError(f"{cls.__name__} is about {1 + cls.others} things; got {len(_args)}")
        cls.validate(*_args)
        return super().__new__(cls, *_args, **_options)

    @classmethod
    def validate(cls, map: Any, *about: Any) -> None:
        """Refuse what such a statement cannot be made of.

        Parameters
        ----------
        map : BoxMap
            The map.
        *about : Basic
            What else it is about.

        Raises
        ------
        ProofError
            If it is none.
        """
        # A map of another kind may call something else its box.
        if type(map) is not BoxMap:
            raise ProofError(f"{cls.__name__} is about a BoxMap; got {map!r}")

    @property
    def map(self) -> Any:
        """The map."""
        return self.args[0]

    @property
    def definitions(self) -> tuple[tuple[str, Lambda], ...]:
        """What is written before the sentence: names of functions, and what they stand for."""
        return ()

    def sentence(self) -> tuple[Piece, ...]:
        """The statement in words, after the map and the functions in it have been defined.

        Returns
        -------
        tuple of str and Basic
            Words, and expressions or sets to be written as formulas.
        """
        raise NotImplementedError

    def _sympystr(self, printer: Any) -> str:
        return in_text(self, printer)

    def _latex(self, printer: Any) -> str:
        return in_latex(self, printer)


def _require_function(map: BoxMap, function: Any, what: str, tuples: bool = False) -> None:
    fits = type(function) is Lambda and len(function.variables) == len(map.coordinates)
    if not fits or isinstance(function.expr, Tuple) is not tuples:
        kind = "a Lambda with a Tuple for a value" if tuples else "a Lambda"
        raise ProofError(
            f"{what} must be {kind} of {len(map.coordinates)} variables; got {function}"
        )
    # The variables are those of any function of real coordinates.
    function_of(function.variables, tuple(function.expr) if tuples else function.expr)


def _require_points(map: BoxMap, points: Any) -> None:
    if not isinstance(points, FiniteSet) or points != point_set(points):
        raise ProofError(f"points must be a set of points, made by point_set; got {points!r}")
    if any(len(point) != len(map.coordinates) for point in points):
        raise ProofError(f"points must have {len(map.coordinates)} coordinates; got {points}")
    for point in points:
        for x, low, high in zip(point, map.low, map.high, strict=True):
            if not (low <= x) == True or not (x <= high) == True:  # noqa: E712
                raise ProofError(f"{point} is not known to lie in the box")


class _AboutFunction(OrbitStatement):
    """A statement about a map and a function of its coordinates."""

    others = 1
    letter: ClassVar[str] = "f"

    @classmethod
    def validate(cls, map: Any, *about: Any) -> None:
        super().validate(map)
        _require_function(map, about[0], "the function")

    @property
    def function(self) -> Lambda:
        """The function."""
        return self.args[1]

    @property
    def definitions(self) -> tuple[tuple[str, Lambda], ...]:
        return ((self.letter, self.function),)


class DecreasesAlong(_AboutFunction):
    """f(g(x)) <= f(x) at every point x of the orbit of every start in the box.

    Parameters
    ----------
    map : BoxMap
        The map g.
    function : Lambda
        The function f of the coordinates.

    Raises
    ------
    ProofError
        If the map is no `BoxMap`, or the function no Lambda of the same coordinates.
    """

    def sentence(self) -> tuple[Piece, ...]:
        return ("along every orbit f never increases",)


class VanishesAlong(_AboutFunction):
    """S tends to 0 along the orbit of every start in the box.

    Parameters
    ----------
    map : BoxMap
        The map g.
    function : Lambda
        The function S of the coordinates.

    Raises
    ------
    ProofError
        If the map is no `BoxMap`, or the function no Lambda of the same coordinates.
    """

    letter = "S"

    def sentence(self) -> tuple[Piece, ...]:
        return ("along every orbit S tends to 0",)


class StepsVanish(OrbitStatement):
    """The distance of successive points of the orbit of every start in the box tends to 0.

    Parameters
    ----------
    map : BoxMap
        The map g.

    Raises
    ------
    ProofError
        If the map is no `BoxMap`.
    """

    def sentence(self) -> tuple[Piece, ...]:
        return ("along every orbit the distance of successive points tends to 0",)


class AccumulationPointsSolve(OrbitStatement):
    """Every accumulation point of the orbit of every start in the box solves equations.

    Parameters
    ----------
    map : BoxMap
        The map g.
    equations : Lambda
        The coordinates, and a Tuple of expressions that vanish at the solutions.

    Raises
    ------
    ProofError
        If the map is no `BoxMap`, or the equations are no Lambda of the same coordinates whose
        value is a Tuple.
    """

    others = 1

    @classmethod
    def validate(cls, map: Any, *about: Any) -> None:
        super().validate(map)
        _require_function(map, about[0], "equations", tuples=True)

    @property
    def equations(self) -> Lambda:
        """The coordinates, and what vanishes."""
        return self.args[1]

    @property
    def definitions(self) -> tuple[tuple[str, Lambda], ...]:
        return (("e", self.equations),)

    def sentence(self) -> tuple[Piece, ...]:
        return ("every accumulation point of every orbit is a zero of e",)


class _AboutPoints(OrbitStatement):
    """A statement about a map and points of its box."""

    others = 1

    @classmethod
    def validate(cls, map: Any, *about: Any) -> None:
        super().validate(map)
        _require_points(map, about[0])

    @property
    def points(self) -> FiniteSet:
        """The points."""
        return self.args[1]


class OrbitsConvergeTo(_AboutPoints):
    """The orbit of every start in the box converges, to one of the points.

    Parameters
    ----------
    map : BoxMap
        The map g.
    points : FiniteSet
        The points, as `point_set` makes them.

    Raises
    ------
    ProofError
        If the map is no `BoxMap`, or the points are not made by `point_set`, have another number of
        coordinates, or are not known to lie in the box.
    """

    def sentence(self) -> tuple[Piece, ...]:
        return ("every orbit converges to ", self.points)


class NullStarts(_AboutPoints):
    """The starts in the box whose orbits converge to one of the points have Lebesgue measure 0.

    Parameters
    ----------
    map : BoxMap
        The map g.
    points : FiniteSet
        The points, as `point_set` makes them.

    Raises
    ------
    ProofError
        If the map is no `BoxMap`, or the points are not made by `point_set`, have another number of
        coordinates, or are not known to lie in the box.
    """

    def sentence(self) -> tuple[Piece, ...]:
        return (
            "the starts whose orbits converge to ",
            self.points,
            " are of Lebesgue measure 0",
        )


class AlmostEveryStartConvergesTo(_AboutPoints):
    """The orbit of every start in the box, but for a null set, converges to one of the points.

    Parameters
    ----------
    map : BoxMap
        The map g.
    points : FiniteSet
        The points, as `point_set` makes them.

    Raises
    ------
    ProofError
        If the map is no `BoxMap`, or the points are not made by `point_set`, have another number of
        coordinates, or are not known to lie in the box.
    """

    def sentence(self) -> tuple[Piece, ...]:
        return ("the orbit of almost every start converges to ", self.points)


class Injective(OrbitStatement):
    """No two points of the box have the same image.

    Parameters
    ----------
    map : BoxMap
        The map g.

    Raises
    ------
    ProofError
        If the map is no `BoxMap`.
    """

    def sentence(self) -> tuple[Piece, ...]:
        return ("the map g is injective",)


class InvertibleJacobian(OrbitStatement):
    """On the closed box g is continuously differentiable, with an invertible Jacobian matrix.

    Parameters
    ----------
    map : BoxMap
        The map g.

    Raises
    ------
    ProofError
        If the map is no `BoxMap`.
    """

    def sentence(self) -> tuple[Piece, ...]:
        return ("the Jacobian matrix of g is nowhere singular",)

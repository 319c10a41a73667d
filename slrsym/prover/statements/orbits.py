"""Statements about orbits x, g(x), g(g(x)), ... of a map g of a box.

They are Booleans of SymPy like relations are, made of the map, functions and points, without
quantifiers: two statements are the same if they are made of the same things. What each one means is
said in its docstring; sentences for the eye are made by `sentence`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar, TypeAlias

from numpy.random import Generator
from sympy import Basic, FiniteSet, Lambda, Tuple, default_sort_key

from slrsym.prover.statements import remove_dollar_signs
from slrsym.prover.statements.expressions import ProofError, Sentence
from slrsym.prover.statements.maps import BoxMap, lambda_of_coordinates, point_set

# Pieces of a sentence: words, and what is written as a formula.
Piece: TypeAlias = str | Basic


# What docstrings of statements say of parameters, and of what is refused.
_OF_MAP = """

    Parameters
    ----------
    map : BoxMap
        The map g.
{}
    Raises
    ------
    ProofError
        If the map is no `BoxMap`{}.
    """
_ALONE = _OF_MAP.format("", "")
_WITH_FUNCTION = _OF_MAP.format(
    "    function : Lambda\n        The function of the coordinates.\n",
    ", or the function no Lambda of the same coordinates",
)
_WITH_POINTS = _OF_MAP.format(
    "    points : FiniteSet\n        The points, as `point_set` makes them.\n",
    ", or the points are not made by `point_set`, have another number of\n"
    "        coordinates, or are not known to lie in the box",
)


class OrbitStatement(Sentence):
    """A statement about the orbits of a map or of a flow, for all values of its parameters.

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
    # The sentence, but for what it is about.
    words: ClassVar[tuple[str, ...]]

    def __new__(cls, *_args: Any, **_options: Any) -> Any:
        if len(_args) != 1 + cls.others:
            raise ProofError(f"{cls.__name__} is about {1 + cls.others} things; got {len(_args)}")
        cls.validate(*_args)
        return super().__new__(cls, *_args, **_options)

    @classmethod
    def validate(cls, map: Any, *about: Any) -> None:
        """Raise an error if a statement of this kind cannot be about the given objects.

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
        """The map whose orbits the statement is about."""
        return self.args[0]

    def find_contradiction(self, given: Iterable[Any], rng: Generator) -> str:
        """Search numerically for a contradiction to a statement of a kind that papers define.

        Parameters
        ----------
        given : iterable of Boolean
            What the parameters satisfy.
        rng : Generator
            Of random parameters and starts.

        Returns
        -------
        str
            What contradicts it, or an empty text.

        Raises
        ------
        ProofError
            If the kind of statement has no cross-check.
        """
        raise ProofError(f"statements of the kind {type(self).__name__} have no cross-check")

    @property
    def definitions(self) -> tuple[tuple[str, Lambda], ...]:
        """The functions to which the statement's sentence refers, each with its name."""
        return ()

    def sentence(self) -> tuple[Piece, ...]:
        """Return the statement's English sentence as a sequence of words and formulas."""
        return self.words

    def _sympystr(self, printer: Any) -> str:
        return orbit_statement_text(self, printer)

    def _latex(self, printer: Any) -> str:
        return orbit_statement_latex(self, printer)


def _require_function(map: BoxMap, function: Any, what: str, tuples: bool) -> None:
    fits = type(function) is Lambda and len(function.variables) == len(map.coordinates)
    if not fits or isinstance(function.expr, Tuple) is not tuples:
        kind = "a Lambda with a Tuple for a value" if tuples else "a Lambda"
        raise ProofError(
            f"{what} must be {kind} of {len(map.coordinates)} variables; got {function}"
        )
    # The variables are those of any function of real coordinates.
    lambda_of_coordinates(function.variables, tuple(function.expr) if tuples else function.expr)


def _require_points(map: BoxMap, points: Any) -> None:
    if not isinstance(points, FiniteSet) or points != point_set(points):
        raise ProofError(f"points must be a set of points, made by point_set; got {points!r}")
    if any(len(point) != len(map.coordinates) for point in points):
        raise ProofError(f"points must have {len(map.coordinates)} coordinates; got {points}")
    for point in points:
        for x, low, high in zip(point, map.low, map.high, strict=True):
            if not (low <= x) == True or not (x <= high) == True:  # noqa: E712
                raise ProofError(f"{point} is not known to lie in the box")


class _StatementWithFunction(OrbitStatement):
    """Base class of statements about orbits and a function of the coordinates."""

    others = 1
    letter: ClassVar[str] = "f"
    # What errors call the function, and whether its values are tuples.
    what: ClassVar[str] = "the function"
    tuples: ClassVar[bool] = False

    @classmethod
    def validate(cls, map: Any, *about: Any) -> None:
        super().validate(map)
        _require_function(map, about[0], cls.what, cls.tuples)

    @property
    def function(self) -> Lambda:
        """The function of the coordinates that the statement is about."""
        return self.args[1]

    @property
    def definitions(self) -> tuple[tuple[str, Lambda], ...]:
        return ((self.letter, self.function),)


class DecreasesAlong(_StatementWithFunction):
    """The statement that f(g(x)) <= f(x) at every point x of every orbit in the box."""

    __doc__ = f"{__doc__}{_WITH_FUNCTION}"
    words = ("along every orbit $f$ never increases",)


class VanishesAlong(_StatementWithFunction):
    """The statement that S tends to 0 along the orbit of every start in the box."""

    __doc__ = f"{__doc__}{_WITH_FUNCTION}"
    letter = "S"

    words = ("along every orbit $S$ tends to 0",)


class StepsVanish(OrbitStatement):
    """The statement that along every orbit the distance of successive points tends to 0."""

    __doc__ = f"{__doc__}{_ALONE}"
    words = ("along every orbit the distance of successive points tends to 0",)


class AccumulationPointsSolve(_StatementWithFunction):
    """The statement that every accumulation point of every orbit solves given equations.

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

    letter, what, tuples = "e", "equations", True

    @property
    def equations(self) -> Lambda:
        """The left-hand sides of equations e(x) = 0, as a function of the coordinates."""
        return self.args[1]

    words = ("every accumulation point of every orbit is a zero of $e$",)


class _StatementWithPoints(OrbitStatement):
    """Base class of statements about orbits and some points of the box."""

    others = 1

    @classmethod
    def validate(cls, map: Any, *about: Any) -> None:
        super().validate(map)
        _require_points(map, about[0])

    @property
    def points(self) -> FiniteSet:
        """The finite set of points of the box that the statement names."""
        return self.args[1]

    def sentence(self) -> tuple[Piece, ...]:
        before, *after = self.words
        return (before, self.points, *after)


class OrbitsConvergeTo(_StatementWithPoints):
    """The statement that the orbit of every start in the box converges to a listed point."""

    __doc__ = f"{__doc__}{_WITH_POINTS}"
    words = ("every orbit converges to ",)


class NullStarts(_StatementWithPoints):
    """The statement that the starts whose orbits converge to listed points are a null set."""

    __doc__ = f"{__doc__}{_WITH_POINTS}"
    words = ("the starts whose orbits converge to ", " are of Lebesgue measure 0")


class AlmostEveryStartConvergesTo(_StatementWithPoints):
    """The statement that the orbit of almost every start converges to a listed point."""

    __doc__ = f"{__doc__}{_WITH_POINTS}"
    words = ("the orbit of almost every start converges to ",)


class Injective(OrbitStatement):
    """The statement that no two points of the box have the same image under the map."""

    __doc__ = f"{__doc__}{_ALONE}"
    words = ("the map $g$ is injective",)


class InvertibleJacobian(OrbitStatement):
    """The statement that on the closed box the map g is C^1 with an invertible Jacobian."""

    __doc__ = f"{__doc__}{_ALONE}"
    words = ("the Jacobian matrix of $g$ is nowhere singular",)


class LocalDiffeomorphism(_StatementWithPoints):
    """The statement that near each listed point, the map g and its local inverse are C^1.

    That is: the point has an open neighbourhood that g maps one to one onto an open set, and there
    g and its inverse are continuously differentiable.
    """

    __doc__ = f"{(__doc__ or '').rstrip()}{_WITH_POINTS}"
    words = ("the map $g$ is a local diffeomorphism around ",)


def orbit_statement_text(statement: Any, printer: Any) -> str:
    """Return a statement about orbits as text, with the definitions of its map and functions."""
    said = "".join(
        remove_dollar_signs(p) if isinstance(p, str) else _piece_text(p, printer)
        for p in statement.sentence()
    )
    for name, function in statement.definitions:
        place = _parenthesised_list(function.variables, printer)
        said += f", {name}{place} = {_piece_text(function.expr, printer)}"
    map = statement.map
    return f"{said}, {_map_text(map, printer)}" if isinstance(map, BoxMap) else said


def orbit_statement_latex(statement: Any, printer: Any) -> str:
    """Return a statement about orbits as LaTeX for math mode, with its definitions."""
    parts = [
        rf"\text{{{remove_dollar_signs(p)}}}" if isinstance(p, str) else _piece_latex(p, printer)
        for p in statement.sentence()
    ]
    for name, function in statement.definitions:
        place = ", ".join(map(printer._print, function.variables))
        parts.append(rf"\text{{, }} {name}({place}) = {_piece_latex(function.expr, printer)}")
    if isinstance(statement.map, BoxMap):
        parts.append(rf"\text{{, }} {_map_latex(statement.map, printer)}")
    return " ".join(parts)


def _piece_text(piece: Basic, printer: Any) -> str:
    if isinstance(piece, FiniteSet):
        return " or ".join(
            _parenthesised_list(point, printer) for point in sorted(piece, key=default_sort_key)
        )
    if isinstance(piece, Tuple):
        return _parenthesised_list(piece, printer)
    return str(printer._print(piece))


def _parenthesised_list(parts: Any, printer: Any) -> str:
    return f"({', '.join(printer._print(part) for part in parts)})"


def _map_text(map: Any, printer: Any) -> str:
    ends = " x ".join(f"[{a}, {b}]" for a, b in zip(map.low, map.high, strict=True))
    place = _parenthesised_list(map.coordinates, printer)
    images = _parenthesised_list(map.images, printer)
    return f"g{place} = {images} on {ends}"


def _piece_latex(piece: Basic, printer: Any) -> str:
    if isinstance(piece, FiniteSet):
        points = [_piece_latex(point, printer) for point in sorted(piece, key=default_sort_key)]
        return r" \text{ or } ".join(points)
    if isinstance(piece, Tuple):
        inner = r",\, ".join(_piece_latex(part, printer) for part in piece)
        return rf"\left({inner}\right)"
    return str(printer._print(piece))


def _map_latex(map: Any, printer: Any) -> str:
    ends = r" \times ".join(
        rf"\left[{printer._print(a)}, {printer._print(b)}\right]"
        for a, b in zip(map.low, map.high, strict=True)
    )
    place, images = (
        _piece_latex(Tuple(*parts), printer) for parts in (map.coordinates, map.images)
    )
    return rf"g{place} = {images} \text{{ on }} {ends}"

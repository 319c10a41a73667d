"""Maps of a box into space, functions of its coordinates, and finite sets of points."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import sympy as sp
from sympy import Basic, Expr, Symbol
from sympy.logic.boolalg import Boolean

from slrsym.gaussian.noise_and_product_laws import is_declared_real_only
from slrsym.prover.statements.expressions import ProofError, substitute_simultaneously


def require_real_coordinates(function: sp.Lambda) -> None:
    """Raise `ProofError` unless a function's variables are symbols declared real and no more."""
    for x in function.variables:
        if not isinstance(x, Symbol) or not is_declared_real_only(x):
            raise ProofError(f"the coordinate {x} has to be declared real, and no more")


def lambda_of_coordinates(coordinates: Iterable[Symbol], value: Any) -> sp.Lambda:
    """Return a SymPy Lambda of the coordinates of a map, for statements about orbits.

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
        If a coordinate is declared anything but real, or the map is the identity of one coordinate.
    """
    body = (
        sp.Tuple(*map(sp.sympify, value)) if isinstance(value, list | tuple) else sp.sympify(value)
    )
    made = sp.Lambda(tuple(coordinates), body)
    if made is sp.S.IdentityFunction:
        # SymPy puts a symbol of its own for the coordinate, which is declared nothing.
        raise ProofError(f"the map {body} -> {body} is the identity; state its value instead")
    require_real_coordinates(made)
    return made


def value_at(function: sp.Lambda, point: Iterable[Any]) -> Any:
    """Return the value of a function at a point, with derivatives unevaluated."""
    place = tuple(map(sp.sympify, point))
    if len(place) != len(function.variables):
        raise ProofError(f"{function} is no function of {len(place)} coordinates")
    values = dict(zip(function.variables, place, strict=True))
    if isinstance(function.expr, sp.Tuple):
        return sp.Tuple(*(substitute_simultaneously(part, values) for part in function.expr))
    return substitute_simultaneously(function.expr, values)


def point_set(points: Iterable[Iterable[Any]]) -> sp.FiniteSet:
    """Return a SymPy set of points that are given by exact coordinates.

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
    made = [sp.Tuple(*map(sp.sympify, point)) for point in points]
    if not made or any(not x.is_number for point in made for x in point):
        raise ProofError(f"points must be given by numbers; got {made}")
    return sp.FiniteSet(*made)


class BoxMap(Basic):  # type: ignore[misc]
    r"""A map g of a closed box into space; its iterates are the orbits of a dynamical system.

    The coordinates are bound: the map stays the same if they are named anew. Everything else that
    occurs in the images is a parameter, of which the context says what it may be.

    Parameters
    ----------
    images : Lambda
        The coordinates, and a Tuple of their images.
    low, high : Tuple of Rational
        The ends of the box, :math:`\mathrm{low}_i \le x_i \le \mathrm{high}_i`.

    Raises
    ------
    ProofError
        If a coordinate is declared anything but real, the numbers of coordinates, images and ends
        differ, or an end is no rational number, or not below the other one.
    """

    def __new__(cls, images: Any, low: Any, high: Any) -> BoxMap:
        low, high = sp.Tuple(*low), sp.Tuple(*high)
        if type(images) is not sp.Lambda or not isinstance(images.expr, sp.Tuple):
            raise ProofError(f"images must be a Lambda with a Tuple of images; got {images!r}")
        require_real_coordinates(images)
        sizes = {len(images.variables), len(images.expr), len(low), len(high)}
        if len(sizes) != 1:
            raise ProofError(
                f"every coordinate needs an image and two ends; got {len(images.variables)} "
                f"coordinates, {len(images.expr)} images, {len(low)} and {len(high)} ends"
            )
        for least, most in zip(low, high, strict=True):
            if not (least.is_Rational and most.is_Rational and least < most):
                raise ProofError(f"an interval must have rational ends; got [{least}, {most}]")
        made: BoxMap = Basic.__new__(cls, images, low, high)
        return made

    @property
    def coordinates(self) -> tuple[Symbol, ...]:
        """The symbols that name the coordinates inside the map."""
        return tuple(self.args[0].variables)

    @property
    def images(self) -> tuple[Expr, ...]:
        """The images of the coordinates under the map."""
        return tuple(self.args[0].expr)

    @property
    def low(self) -> tuple[Expr, ...]:
        """The lower ends of the box's intervals."""
        return tuple(self.args[1])

    @property
    def high(self) -> tuple[Expr, ...]:
        """The upper ends of the box's intervals."""
        return tuple(self.args[2])

    def inside_conditions(self, point: Iterable[Any] | None = None) -> tuple[Boolean, ...]:
        """Return the conditions that a point lies in the closed box.

        Parameters
        ----------
        point : iterable of expression, optional
            The point; the coordinates by default.

        Returns
        -------
        tuple of Boolean
            Relations, two for each coordinate.
        """
        return self._interval_relations(point, sp.Ge, sp.Le)

    def interior_conditions(self) -> tuple[Boolean, ...]:
        """Return the conditions that the coordinates lie in the open box."""
        return self._interval_relations(None, sp.Gt, sp.Lt)

    def _interval_relations(
        self, point: Iterable[Any] | None, above: Any, below: Any
    ) -> tuple[Boolean, ...]:
        place = self.coordinates if point is None else tuple(point)
        return tuple(
            relation
            for x, least, most in zip(place, self.low, self.high, strict=True)
            for relation in (above(x, least, evaluate=False), below(x, most, evaluate=False))
        )

    def invariance_condition(self) -> Boolean:
        """Return the condition that the map takes the box into itself."""
        return sp.And(*self.inside_conditions(self.images))

    def value_after_step(self, function: sp.Lambda) -> Expr:
        """Return f(g(x)), the value of a function f after one step from x.

        Parameters
        ----------
        function : Lambda
            Of as many variables as there are coordinates.

        Returns
        -------
        Expr
            Its value at the images.
        """
        return value_at(function, self.images)

    def value_before_step(self, function: sp.Lambda) -> Any:
        """Return f(x), the value of a function f before a step from x.

        Parameters
        ----------
        function : Lambda
            Of as many variables as there are coordinates.

        Returns
        -------
        Expr
            Its value at the coordinates.
        """
        return value_at(function, self.coordinates)

    def squared_step_length(self) -> Expr:
        """Return the squared length of a step, ``|g(x) - x|^2``."""
        return sp.Add(*((g - x) ** 2 for g, x in zip(self.images, self.coordinates, strict=True)))

    def face(self, fixed: Symbol, value: Any) -> BoxMap:
        """Return the map of the other coordinates on a face, on which one coordinate stays fixed.

        Parameters
        ----------
        fixed : Symbol
            The coordinate.
        value : expression
            What it is put for.

        Returns
        -------
        BoxMap
            Of one coordinate less. That steps keep the value is another matter.
        """
        kept = [place for place, x in enumerate(self.coordinates) if x != fixed]
        place = tuple(self.coordinates[i] for i in kept)
        images = sp.Tuple(
            *(substitute_simultaneously(self.images[i], {fixed: sp.sympify(value)}) for i in kept)
        )
        low, high = ([ends[i] for i in kept] for ends in (self.low, self.high))
        return BoxMap(sp.Lambda(place, images), low, high)

    def image_at(self, others: Iterable[Symbol]) -> tuple[Expr, ...]:
        """Return the image, under the map, of a point whose coordinates have other names.

        Parameters
        ----------
        others : iterable of Symbol
            The names of its coordinates.

        Returns
        -------
        tuple of Expr
            In terms of these.
        """
        values = dict(zip(self.coordinates, others, strict=True))
        return tuple(substitute_simultaneously(image, values) for image in self.images)

    def l1_distance(self, others: Iterable[Symbol]) -> Expr:
        """Return the l1 distance between the point of the map's coordinates and that of others.

        Parameters
        ----------
        others : iterable of Symbol
            The names of its coordinates.

        Returns
        -------
        Expr
            A sum of absolute values.
        """
        return sp.Add(*(sp.Abs(x - y) for x, y in zip(self.coordinates, others, strict=True)))


def box_map(images: Mapping[Symbol, Any], low: Any = -1, high: Any = 1) -> BoxMap:
    """Return the map with given images of coordinates on a box, [-1, 1]^n by default.

    Parameters
    ----------
    images : mapping of Symbol to expression
        The coordinates, each with its image.
    low, high : number, optional
        The ends of the cube, or a sequence of ends, one for each coordinate.

    Returns
    -------
    BoxMap
        The map.

    Raises
    ------
    ProofError
        If a coordinate is declared anything but real, or the ends do not fit.

    Examples
    --------
    >>> from sympy import Symbol
    >>> x = Symbol("x", real=True)
    >>> box_map({x: x / 2}).invariance_condition()
    (x/2 >= -1) & (x/2 <= 1)
    """
    size = len(images)
    ends = [
        [sp.sympify(end)] * size if not isinstance(end, list | tuple | sp.Tuple) else end
        for end in (low, high)
    ]
    body = sp.Tuple(*map(sp.sympify, images.values()))
    for x in images:
        if not isinstance(x, Symbol):
            raise ProofError(f"a coordinate must be a symbol; got {x!r}")
    return BoxMap(sp.Lambda(tuple(images), body), *ends)

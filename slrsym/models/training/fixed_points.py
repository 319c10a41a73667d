"""Fixed points of equations of motion: found by Newton's method, certified by ball arithmetic."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from flint import arb, arb_mat, ctx
from numpy.typing import NDArray
from scipy.optimize import root
from sympy import Expr, Symbol, default_sort_key

from slrsym.kernels.arguments import require_integer
from slrsym.kernels.compile import compile_program
from slrsym.kernels.jumps import jump_arguments
from slrsym.kernels.krawczyk import krawczyk_image
from slrsym.kernels.printing import program_from_expressions
from slrsym.models.definition.specification import Direction
from slrsym.models.training.initial_conditions import draw_directions

if TYPE_CHECKING:
    from slrsym.models.training.equation_system import EquationSystem

Array = NDArray[np.float64]

# Where the rate of change is so small, relative to its derivatives at the starts, it is rounding.
_ZERO = 1e-11
# Points are the same if no coordinate differs by more.
_SAME = 1e-6
# An eigenvalue vanishes if it is smaller, relative to the largest derivative at the starts.
_FLAT = 1e-7
# Units of a group that have to be vectors together.
_MOST = 30
# Half sides of boxes that are tried for certificates, and the digits of balls.
_RADII, _DIGITS = (1e-10, 1e-8, 1e-6, 1e-4), 40


@dataclass(frozen=True)
class Linearisation:
    """The Jacobian of the equations at a point, with its eigenvalues by descending real part.

    Parameters
    ----------
    state : tuple of Symbol
        The names of rows and columns.
    matrix : ndarray of shape (n, n)
    eigenvalues : ndarray of shape (n,)
        Complex if one of them is.
    eigenvectors : ndarray of shape (n, n)
        One in each column.
    """

    state: tuple[Symbol, ...]
    matrix: Array
    eigenvalues: NDArray[Any]
    eigenvectors: NDArray[Any]

    @classmethod
    def from_jacobian(cls, state: tuple[Symbol, ...], matrix: Array) -> Linearisation:
        """Return the `Linearisation` with given state symbols and Jacobian matrix.

        Parameters
        ----------
        state : tuple of Symbol
        matrix : ndarray of shape (n, n)

        Returns
        -------
        Linearisation
        """
        values, vectors = np.linalg.eig(matrix)
        order = np.argsort(-values.real, kind="stable")
        return cls(state, matrix, values[order], vectors[:, order])

    def __repr__(self) -> str:
        shown = ", ".join(f"{x:.6g}" for x in self.eigenvalues)
        return f"Linearisation in {', '.join(map(str, self.state))}: eigenvalues {shown}"


@dataclass(frozen=True)
class FixedPoint:
    """A fixed point of the equations of motion.

    Parameters
    ----------
    state : dict of Symbol to float
    risk : float
    linearisation : Linearisation
    radius : float or None
        Half the side of a box around the point that certainly has exactly one fixed point; None if
        that was not asked for, or not shown.
    continuum : int, optional
        Dimension of the continuum of fixed points that it stands for; 0 if it is isolated.
    samples : tuple of dict of Symbol to float, optional
        The points of the continuum that were found.
    remark : str, optional
        Why there is no certificate, if one was asked for.
    """

    state: dict[Symbol, float]
    risk: float
    linearisation: Linearisation
    radius: float | None = None
    continuum: int = 0
    samples: tuple[dict[Symbol, float], ...] = ()
    remark: str = ""

    @property
    def is_certified(self) -> bool:
        """Whether ball arithmetic proves that a box around the point holds one fixed point."""
        return self.radius is not None

    def __repr__(self) -> str:
        place = ", ".join(f"{p} = {self._entry(p)}" for p in self.state)
        sure = f", certain within {self.radius:g}" if self.radius is not None else self.remark
        return f"FixedPoint({place}; risk {self.risk:.6g}{sure})"

    def _entry(self, p: Symbol) -> str:
        """Return a coordinate as text; of a continuum its range among the points found."""
        found = [sample[p] for sample in self.samples] or [self.state[p]]
        low, high = min(found), max(found)
        return f"{low:.6g}" if high - low <= _SAME else f"{low:.6g}..{high:.6g}"


def search_fixed_points(
    equations: EquationSystem,
    values: Mapping[Any, Any] | None,
    *,
    starts: Any,
    rng: Any,
    certified: bool,
) -> list[FixedPoint]:
    """Search for fixed points of equations of motion from random or given starts."""
    size = len(equations.state)
    if isinstance(starts, int) and not isinstance(starts, bool):
        count = require_integer("starts", starts, 1)
        begin = _drawn(equations, count, np.random.default_rng(rng))
    else:
        begin = np.asarray(starts, dtype=np.float64)
        if begin.ndim != 2 or begin.shape[1] != size or not len(begin):
            raise ValueError(
                f"starts must be a number, or points of shape (count, {size}); got {starts!r}"
            )
    _, row = equations.numerical_values(begin[0], values)
    change, slopes = equations.compile("numpy"), equations.compile("numpy", "jacobian")
    with np.errstate(all="ignore"):
        sizes = np.abs(slopes(begin, *row))
    scale = float(sizes.max(initial=0.0, where=np.isfinite(sizes))) or 1.0
    found: list[Array] = []
    lost: list[Array] = []
    for point in begin:
        with np.errstate(all="ignore"):
            ended = root(
                lambda x: change(x, *row), point, method="lm", tol=1e-14,
                jac=lambda x: slopes(x, *row).reshape(size, size),
            )  # fmt: skip
            left = np.abs(change(ended.x, *row)).max()
        if not np.isfinite(left):
            lost.append(ended.x)
            continue
        new = all(np.abs(ended.x - x).max() > _SAME for x in found)
        if left <= _ZERO * scale and new and is_feasible(equations, ended.x, row):
            found.append(ended.x)
    if lost:
        where = ", ".join(f"{p} = {x:.6g}" for p, x in zip(equations.state, lost[0], strict=True))
        warnings.warn(
            f"{len(lost)} of {len(begin)} searches ended where a rate of change is not finite, the "
            f"first at {where}: fixed points there are not listed",
            RuntimeWarning,
            stacklevel=3,
        )
    risk = equations.compile("numpy", "risk")
    points = [
        FixedPoint(
            dict(zip(equations.state, x.tolist(), strict=True)),
            float(risk(x, *row)[0]),
            Linearisation.from_jacobian(equations.state, slopes(x, *row).reshape(size, size)),
        )
        for x in found
    ]
    points = _without_repeated_continua(points, scale)
    if certified:
        points = [_certified(equations, p, row) for p in points]
    return sorted(points, key=lambda p: p.risk)


def _without_repeated_continua(points: list[FixedPoint], scale: float) -> list[FixedPoint]:
    """Return isolated points as they are, and one for each continuum, with the points found of it.

    Points with a direction in which no rate changes, and with equal risk and equally many growing
    directions, belong to one. A single one is listed as isolated: it may be degenerate.
    """
    kept: list[FixedPoint] = []
    groups: list[list[FixedPoint]] = []
    for point in points:
        flat = np.abs(point.linearisation.eigenvalues) <= _FLAT * scale
        if not flat.any():
            kept.append(point)
            continue
        group = next((g for g in groups if _alike(g[0], point, scale)), None)
        if group is None:
            groups.append([point])
        else:
            group.append(point)
    for group in groups:
        first = group[0]
        if len(group) == 1:
            kept.append(first)
            continue
        flats = [int((np.abs(p.linearisation.eigenvalues) <= _FLAT * scale).sum()) for p in group]
        samples = tuple(p.state for p in group)
        kept.append(replace(first, continuum=min(flats), samples=samples))
    return kept


def _alike(first: FixedPoint, other: FixedPoint, scale: float) -> bool:
    """Return whether two points with flat directions may be of one continuum."""
    growing = [
        int((p.linearisation.eigenvalues.real > _FLAT * scale).sum()) for p in (first, other)
    ]
    close = abs(first.risk - other.risk) <= 1e-8 * max(1.0, abs(first.risk))
    return close and growing[0] == growing[1]


def _certified(equations: EquationSystem, point: FixedPoint, row: list[float]) -> FixedPoint:
    """Return a point with the radius of its certificate, or with why there is none."""
    if point.continuum:
        return replace(point, remark=", one of a continuum, not certified")
    radius = _certificate(equations, np.array(list(point.state.values())), row)
    return replace(point, radius=radius, remark="" if radius is not None else ", not certified")


def _drawn(equations: EquationSystem, count: int, rng: np.random.Generator) -> Array:
    """Return random feasible states: inner products of random directions, and normal scalars."""
    model = equations.model
    factors = draw_directions(model, 2 * len(model.directions), count, rng, _fixed_gram(equations))
    t = len(model.trained_directions)
    # Of lengths between 0 and about 1, and overlaps with fixed directions of either sign.
    free = np.array([not x.on_sphere for x in model.trained_directions])
    lengths = np.where(free, np.sqrt(2) * rng.uniform(size=(count, t)), 1.0)
    factors[:, :, :t] *= lengths[:, None, :, None]
    grams, places = factors @ np.swapaxes(factors, -1, -2), model.gram_indices
    columns = [
        grams.T[places[p]] if p in places else rng.standard_normal(count) for p in equations.state
    ]
    return np.stack(columns, axis=-1)


def _fixed_gram(equations: EquationSystem) -> Array | None:
    """Return the Gram matrix of the fixed directions, or None if it depends on symbols."""
    model = equations.model
    products = [
        [model.inner_product(x, y) for y in model.fixed_directions] for x in model.fixed_directions
    ]
    if model.spaces > 1 or any(p.free_symbols for row in products for p in row):
        return None
    size = len(model.fixed_directions)
    return np.array(products, dtype=np.float64).reshape(size, size)


def is_feasible(equations: EquationSystem, state: Array, row: list[float]) -> bool:
    """Return whether the inner products in a state are those of some vectors, as far as known."""
    numbers = (*state.tolist(), *row)
    known = dict(zip((*equations.state, *equations.parameters), numbers, strict=True))
    for a in range(equations.model.spaces):
        gram = np.array([[p.subs(known) for p in line] for line in _products(equations, known, a)])
        # Inner products of fixed directions that the equations do not depend on may be anything.
        usable = [i for i, line in enumerate(gram) if not any(p.free_symbols for p in line)]
        least = np.linalg.eigvalsh(gram[np.ix_(usable, usable)].astype(np.float64)).min(initial=0)
        if least < -_SAME:
            return False
    return True


def _products(equations: EquationSystem, known: Mapping[Symbol, float], a: int) -> list[list[Expr]]:
    """Return the Gram matrix of all directions, of large groups only the first `_MOST` units."""
    model = equations.model
    places: list[tuple[Direction, Direction, int]] = []
    for x in model.directions:
        if not equations.is_symmetric or x.group is None:
            places.append((x, x, -1))
        elif x.group[1] == 0:
            group = x.group[0]
            count = int(group.count.subs(known))
            other = next(y for y in model.directions if y.group == (group, 1))
            places += [(x, other, i) for i in range(min(count, _MOST))]
    return [
        [model.inner_product(x, y if i == j or j < 0 else other, a) for y, other, j in places]
        for x, _, i in places
    ]


def _jumps(equations: EquationSystem) -> Callable[..., list[Any]] | None:
    """Return a function for balls that vanishes where rates of change may jump, None if unknown."""
    found: set[Expr] = set()
    for rate in (*equations.drift, *equations.noise):
        places = jump_arguments(rate)
        if places is None:
            return None
        found |= places
    jumps = sorted(found, key=default_sort_key)
    program = program_from_expressions(jumps, equations.state, equations.parameters)
    return compile_program(program, "ball")


def _certificate(equations: EquationSystem, point: Array, row: list[float]) -> float | None:
    """Return half the side of a box proved to hold exactly one fixed point, or None."""
    jumps = _jumps(equations)
    if jumps is None:
        return None
    change, slopes = equations.compile("ball"), equations.compile("ball", "jacobian")
    size = len(point)
    with ctx.workdps(_DIGITS):
        numbers = [arb(Fraction(x).numerator) / Fraction(x).denominator for x in row]
        middle = [arb(float(x)) for x in point]
        values = change(middle, *numbers, dps=_DIGITS)
        for radius in _RADII:
            box = [m + arb(0, radius) for m in middle]
            flat = slopes(box, *numbers, dps=_DIGITS)
            matrix = arb_mat(size, size, flat)
            # Krawczyk's test is for continuous functions.
            near = any(x.contains(0) for x in jumps(box, *numbers, dps=_DIGITS))
            finite = (*flat, *change(box, *numbers, dps=_DIGITS))
            if near or not all(x.is_finite() for x in finite):
                continue
            if krawczyk_image(values, matrix, [arb(radius)] * size) is not None:
                return radius
    return None

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
from slrsym.models.definition.description import ascii_name
from slrsym.models.definition.specification import Direction
from slrsym.models.training.initial_conditions import draw_directions
from slrsym.models.training.zero_lengths import where_a_length_is_zero
from slrsym.registry import load_registered

if TYPE_CHECKING:
    from slrsym.models.training.motion_in_numbers import MotionInNumbers

Array = NDArray[np.float64]

# Where the rate of change is so small, relative to its derivatives at the starts, it is rounding.
_ZERO = 1e-11
# Points are the same if no coordinate differs by more.
_SAME = 1e-6
# Where a squared length is about 0, the speed of the length is taken at this square.
_SHORT = 1e-20
# An eigenvalue vanishes if it is smaller, relative to the largest derivative at the starts.
_FLAT = 1e-7
# A trained direction is next to a fixed one if the cosine of their angle is larger.
_NEXT = 0.8
# Steps of Newton's method.
_NEWTON = 30
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
        names = ", ".join(ascii_name(p.name) for p in self.state)
        return f"Linearisation in {names}: eigenvalues {shown}"

    def _repr_html_(self) -> str:
        return str(load_registered("linearisation.html")(self))


def require_finite_jacobian(equations: MotionInNumbers, state: Array, flat: Array) -> None:
    """Raise an error in words if an entry of a Jacobian, in a row, is not finite at a state."""
    if np.isfinite(flat).all():
        return
    names, size = equations.state, len(state)
    row, column = divmod(int(np.argmin(np.isfinite(flat))), size)
    squares = ((names[i], state[i]) for i in squared_lengths(equations))
    where = ", ".join(f"{p} = {x:.10g}" for p, x in zip(names, state, strict=True))
    raise ValueError(
        f"the Jacobian is not finite: the derivative of the rate of {names[row]} in "
        f"{names[column]} is {flat[row * size + column]} at {where}"
        + where_a_length_is_zero(squares)
    )


@dataclass(frozen=True)
class FixedPoint:
    """A fixed point of the equations of motion.

    Parameters
    ----------
    state : dict of Symbol to float
        The order parameters, and scalars that are trained.
    risk : float
        The risk there, with the noise.
    linearisation : Linearisation
        The Jacobian there.
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
        place = ", ".join(f"{ascii_name(p.name)} = {self._entry(p)}" for p in self.state)
        sure = f", certain within {self.radius:g}" if self.radius is not None else self.remark
        return f"FixedPoint({place}; risk {self.risk:.6g}{sure})"

    def _repr_html_(self) -> str:
        return str(load_registered("fixed_point.html")(self))

    def _entry(self, p: Symbol) -> str:
        """Return a coordinate as text; of a continuum its range among the points found."""
        found = [sample[p] for sample in self.samples] or [self.state[p]]
        low, high = min(found), max(found)
        return f"{low:.6g}" if high - low <= _SAME else f"{low:.6g}..{high:.6g}"


def search_fixed_points(
    equations: MotionInNumbers,
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
    tried: set[Any] = set()
    squares = squared_lengths(equations)
    for point in begin:
        with np.errstate(all="ignore"):
            ended = root(
                lambda x: change(x, *row), point, method="lm", tol=1e-14,
                jac=lambda x: slopes(x, *row).reshape(size, size),
            )  # fmt: skip
            left = np.abs(change(ended.x, *row)).max()
        end = ended.x
        if not left <= _ZERO * scale:
            aligned = None
            for begun, next_to in ((end, _NEXT), (point, 0.0)):
                place, on = _alignment(equations, begun, row, next_to)
                if aligned is None and on and not (next_to == 0 and on in tried):
                    tried.add(on)
                    aligned = _search_where_aligned(place, change, slopes, begun, row)
            if aligned is None and not np.isfinite(left):
                lost.append(end)
            if aligned is None:
                continue
            end, left = aligned, np.abs(change(aligned, *row)).max()
        new = all(np.abs(end - x).max() > _SAME for x in found)
        stands = left <= _ZERO * scale and _lengths_stand(
            squares, end, lambda x: change(x, *row), scale
        )
        if stands and new and is_feasible(equations, end, row):
            found.append(end)
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
            _without_rounding(float(risk(x, *row)[0])),
            Linearisation.from_jacobian(equations.state, slopes(x, *row).reshape(size, size)),
        )
        for x in found
    ]
    points = _without_repeated_continua(points, scale)
    if certified:
        points = [_certified(equations, p, row) for p in points]
    return sorted(points, key=lambda p: p.risk)


def _without_rounding(risk: float) -> float:
    return 0.0 if -1e-12 < risk < 0 else risk


def _search_where_aligned(
    place: Callable[[Array], Array],
    change: Callable[..., Array],
    slopes: Callable[..., Array],
    state: Array,
    row: list[float],
) -> Array | None:
    """Search by Newton's method among states to which a map leads, as `_alignment` returns it.

    Of units with kinks rates have slopes there, but no second ones, so that a search in all
    directions stalls nearby. Return None where rates or slopes are not finite.
    """
    state = place(state)
    with np.errstate(all="ignore"):
        for _ in range(_NEWTON):
            rate, matrix = change(state, *row), slopes(state, *row).reshape(len(state), -1)
            if not (np.isfinite(rate).all() and np.isfinite(matrix).all()):
                return None
            new = place(state - np.linalg.lstsq(matrix, rate, rcond=1e-10)[0])
            if np.abs(new - state).max() <= 1e-15 * np.abs(state).max():
                return new
            state = new
    return state


def _alignment(
    equations: MotionInNumbers, state: Array, row: list[float], next_to: float
) -> tuple[Callable[[Array], Array], tuple[tuple[int, int, bool], ...]]:
    """Return a map of states to those where trained directions are multiples of fixed ones.

    Each is if the cosine of its angle to the nearest is larger than given. Also returned is which
    it is, and whether in its direction; of none, nothing.
    """
    model = equations.model
    if equations.is_symmetric or model.spaces != 1:
        return np.copy, ()
    t, places = len(model.trained_directions), model.gram_indices
    numbers = dict(zip(equations.parameters, row, strict=True))
    known = [p for p in equations.state if p in places]

    def gram_of(state: Array) -> Array:
        at = {**numbers, **dict(zip(equations.state, state.tolist(), strict=True))}
        x = model.directions
        products = [[model.inner_product(y, z).subs(at) for z in x] for y in x]
        unknown = [[e.free_symbols for e in line] for line in products]
        return np.array([
            [np.nan if u else float(e) for e, u in zip(line, free, strict=True)]
            for line, free in zip(products, unknown, strict=True)
        ])  # fmt: skip

    gram = gram_of(state)
    with np.errstate(all="ignore"):
        cosines = gram / np.sqrt(np.outer(np.diag(gram), np.diag(gram)))
    near = np.nan_to_num(np.abs(cosines[:t, t:]))
    if not near.size or not (near > next_to).any():
        return np.copy, ()
    on = {i: t + int(near[i].argmax()) for i in range(t) if near[i].max() > next_to}

    def place(state: Array) -> Array:
        gram, moved = gram_of(state), np.eye(len(cosines))
        for i, j in on.items():
            x = model.directions[i]
            factor = gram[i, j] / gram[j, j]
            moved[i] = (np.sign(factor) / np.sqrt(gram[j, j]) if x.on_sphere else factor) * (
                np.arange(len(gram)) == j
            )
        new = moved @ np.nan_to_num(gram) @ moved.T
        state = state.copy()
        for p in known:
            i, j, _ = places[p]
            state[equations.state.index(p)] = new[i, j]
        return state

    return place, tuple((i, j, bool(cosines[i, j] > 0)) for i, j in on.items())


def squared_lengths(equations: MotionInNumbers) -> list[int]:
    """Return which entries of the state are squared lengths of trained directions."""
    model = equations.model
    products = {
        model.inner_product(x, x, a) for x in model.trained_directions for a in range(model.spaces)
    }
    return [i for i, p in enumerate(equations.state) if p in products]


def _lengths_stand(
    squares: list[int], state: Array, change: Callable[[Array], Array], scale: float
) -> bool:
    """Return whether lengths stand still, as well as their squares.

    Near a length of 0 a square changes less and less, and the length may go on to change: a risk
    with a kink there has a peak, and no stationary point.
    """
    small = [i for i in squares if state[i] <= _SAME]
    if not small:
        return True
    near = state.copy()
    near[small] = np.maximum(near[small], _SHORT)
    with np.errstate(all="ignore"):
        speeds = change(near)[small] / (2 * np.sqrt(near[small]))
    return bool(np.abs(speeds).max() <= _SAME * scale)


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


def _certified(equations: MotionInNumbers, point: FixedPoint, row: list[float]) -> FixedPoint:
    """Return a point with the radius of its certificate, or with why there is none."""
    if point.continuum:
        return replace(point, remark=", one of a continuum, not certified")
    radius = _certificate(equations, np.array(list(point.state.values())), row)
    return replace(point, radius=radius, remark="" if radius is not None else ", not certified")


def _drawn(equations: MotionInNumbers, count: int, rng: np.random.Generator) -> Array:
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


def _fixed_gram(equations: MotionInNumbers) -> Array | None:
    """Return the Gram matrix of the fixed directions, or None if it depends on symbols."""
    model = equations.model
    products = [
        [model.inner_product(x, y) for y in model.fixed_directions] for x in model.fixed_directions
    ]
    if model.spaces > 1 or any(p.free_symbols for row in products for p in row):
        return None
    size = len(model.fixed_directions)
    return np.array(products, dtype=np.float64).reshape(size, size)


def is_feasible(equations: MotionInNumbers, state: Array, row: list[float]) -> bool:
    """Return whether the inner products in a state are those of some vectors, as far as known."""
    numbers = (*state.tolist(), *row)
    known = dict(zip((*equations.state, *equations.parameters), numbers, strict=True))
    for a in range(equations.model.spaces):
        gram = np.array(
            [
                [known[p] if p in known else p if p.is_Number else p.subs(known) for p in line]
                for line in gram_matrix_entries(equations, known, a)
            ]
        )
        # Inner products of fixed directions that the equations do not depend on may be anything.
        usable = [
            i
            for i, line in enumerate(gram)
            if not any(getattr(p, "free_symbols", ()) for p in line)
        ]
        least = np.linalg.eigvalsh(gram[np.ix_(usable, usable)].astype(np.float64)).min(initial=0)
        if least < -_SAME:
            return False
    return True


def gram_matrix_entries(
    equations: MotionInNumbers, known: Mapping[Symbol, float], a: int
) -> list[list[Expr]]:
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


def _jumps(equations: MotionInNumbers) -> Callable[..., list[Any]] | None:
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


def _certificate(equations: MotionInNumbers, point: Array, row: list[float]) -> float | None:
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

r"""Projected gradient descent of a model, exact, at a cost that does not depend on the dimension.

The risk depends on the vectors through inner products, so its gradients lie in their span: with the
partial derivative :math:`R_{xy}` in the inner product of x and y, that in x is :math:`\sum_y
R_{xy}\,y`, twice as much where y is x. What moves is the Gram matrix of all directions, kept as a
factor, whose rows are coordinates of the directions in an orthonormal basis of their span. For q
eigenspaces there are q factors.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sympy import Add, Expr, Max, Mul, Poly, S, Symbol, expand, latex, sqrt

from slrsym.files import read_vectors
from slrsym.kernels.arguments import positive, whole
from slrsym.kernels.backends import numpy_parts
from slrsym.kernels.compile import chosen_backend
from slrsym.kernels.loop import iterated, machine_iterated, machine_loop
from slrsym.models.statement import Direction, InnerProduct

if TYPE_CHECKING:
    from slrsym.models.stated import Model


Array = NDArray[np.float64]


@dataclass(frozen=True)
class Runs:
    """Runs of projected gradient descent, a row after each of some numbers of steps.

    `gram`, of shape (rows, runs, spaces, p, p), has the inner products of all directions, trained
    ones first, in each eigenspace; `risk` has the shape (rows, runs), `parameters` (rows, count).
    """

    model: Model
    steps: NDArray[np.int64]
    gram: Array
    risk: Array
    parameters: Array

    def overlap(self, x: Direction, y: Direction) -> Array:
        """The inner product of two directions."""
        i, j = (self.model.directions.index(z) for z in (x, y))
        overlap: Array = self.gram[..., i, j].sum(axis=-1)
        return overlap

    def __getitem__(self, p: Symbol) -> Array:
        """An order parameter along the runs, shape (rows, runs)."""
        i, j, a = self.model.flow.places[p]
        return self.gram[:, :, a, i, j]


def slope_symbol(p: Symbol) -> Symbol:
    """The partial derivative of the risk in an order parameter, at the old point."""
    return Symbol(f"R_{p.name}", real=True)


class _Moved:
    r"""The step of one direction x, to :math:`(x - \alpha \tau) / |x - \alpha \tau|`.

    Here :math:`\tau = g - (x \cdot g) x` is the part of the gradient g that is tangent to the
    sphere, so that the square of the norm is :math:`1 + \alpha^2 \tau \cdot g`. Inner products with
    the tangent are gathered by slopes: a coefficient :math:`1 - p^2`, say, is small where vectors
    are aligned, and as a difference of large terms it would be lost in rounding.
    """

    def __init__(
        self,
        i: int,
        directions: Sequence[Direction],
        gram: Sequence[Sequence[Expr]],
        places: Mapping[Symbol, tuple[int, int, int]],
        alpha: Symbol,
    ) -> None:
        self.meanings: dict[Symbol, Expr] = {}
        names = [x.name.replace(r"^\star", "_star") for x in directions]
        # The gradient of an inner product in one of its factors is the other factor.
        self.gradient = [S.Zero] * len(directions)
        for p, (a, b, _) in places.items():
            if i in (a, b):
                self.gradient[b if i == a else a] += slope_symbol(p)

        def inner(y: Sequence[Expr], j: int) -> Expr:
            return expand(Add(*(c * gram[n][j] for n, c in enumerate(y))))

        def named(what: str, meaning: Expr) -> Symbol:
            symbol = Symbol(f"{what}_{names[i]}", real=True)
            self.meanings[symbol] = meaning
            return symbol

        along = inner(self.gradient, i)
        self.along = named("along", along)
        tangent = [g - along * int(n == i) for n, g in enumerate(self.gradient)]
        slopes = [slope_symbol(p) for p in places]
        # No product with x itself, to which the tangent is orthogonal.
        self.tangent = [S.Zero] * len(directions)
        for j, name in enumerate(names):
            if j != i:
                terms = Poly(inner(tangent, j), *slopes).terms()
                gathered = (
                    c * Mul(*(r**n for r, n in zip(slopes, powers, strict=True)))
                    for powers, c in terms
                )
                self.tangent[j] = named(f"tangent_{name}", Add(*gathered))
        square = alpha**2 * self.dot(self.gradient)
        # Never negative; but rounding does not know, where the gradient is large and not tangent.
        self.shrink = named("shrink", 1 / sqrt(1 + Max(0, square)))

    def dot(self, y: Sequence[Expr]) -> Expr:
        """The inner product of the tangent and a combination of directions."""
        return Add(*(t * c for t, c in zip(self.tangent, y, strict=True)))


class Flow:
    """The descent map of a model, in the Gram matrix of its directions.

    A factor of it, of shape (..., spaces, p, r), has the coordinates of the directions, trained
    ones first; slopes are partial derivatives of the risk in the order parameters.
    """

    def __init__(self, model: Model) -> None:
        self._model = model
        directions = model.directions
        self.places: dict[Symbol, tuple[int, int, int]] = {}
        for i, x in enumerate(model.trained):
            for j, y in enumerate(directions[i:], i):
                for a in range(model.spaces):
                    symbol = model.inner(x, y, a)
                    if isinstance(symbol, Symbol):
                        self.places[symbol] = (i, j, a)
        self._spaces = max(a for *_, a in self.places.values()) + 1
        self._sphere = np.array([x.on_sphere for x in model.trained])

    @cached_property
    def _places(self) -> list[tuple[int, int, int]]:
        return [self.places[p] for p in self._model.order_parameters]

    @property
    def closed(self) -> bool:
        """Whether the Gram matrices at one step determine those at the next.

        They do for every model that can be stated: what would not close, covariances that have no
        eigenspaces in common, is refused, since gradients leave every finite span of directions.
        """
        return self._model.spaces == self._spaces

    @property
    def why(self) -> str:
        """What the flow closes in, and for what reason."""
        model, directions = self._model, ", ".join(x.name for x in self._model.directions)
        if model.spaces > 1:
            return (
                f"in {model.spaces} Gram matrices of {directions}: a gradient is a combination of "
                "their projections on the eigenspaces, which all covariances have in common"
            )
        spikes = any(token.spikes for token in model.data.tokens)
        return (
            f"in the Gram matrix of {directions}: a gradient is a combination of these, as "
            "covariances are multiples of the identity" + (", but for spikes along these" * spikes)
        )

    def symmetries(self) -> tuple[frozenset[Symbol], ...]:
        """Sets of order parameters whose signs may change together and leave the risk as it is.

        They come of reflected directions, among which fixed inner products must stay. Where those
        of one set vanish, descent stays: that is an invariant manifold. Whether the risk stays is
        asked at random points.
        """
        model, rng = self._model, np.random.default_rng(0)
        names, spaces = model.order_parameters, range(model.spaces)
        # What the risk depends on, or the statement fixes, stays.
        tied = [
            (x, y)
            for i, x in enumerate(model.fixed)
            for y in model.fixed[:i]
            if any(self._is_held(x, y, a) for a in spaces)
        ]
        found: dict[frozenset[Symbol], Array] = {}
        for signs in itertools.product((1, -1), repeat=len(model.directions)):
            of = dict(zip(model.directions, signs, strict=True))
            if signs[0] == 1 and all(of[x] == of[y] for x, y in tied):
                moved = np.array([signs[i] * signs[j] for i, j, _ in self._places])
                found[frozenset(p for p, m in zip(names, moved, strict=True) if m < 0)] = moved
        found.pop(frozenset(), None)
        size = 1 / (2 + len(model.trained))
        least = np.array([size if p.is_positive else -size for p in names])
        states = rng.uniform(least, np.abs(least) * 1.5, (3, len(names)))
        values = [
            3 + i if p.is_integer else rng.uniform(0.2, 0.9) for i, p in enumerate(model.parameters)
        ]
        risk = model.compile("numpy", "risk")
        before = risk(states, *values)
        return tuple(
            flipped
            for flipped, moved in found.items()
            if np.allclose(risk(states * moved, *values), before, rtol=1e-10, atol=0)
        )

    def _is_held(self, x: Direction, y: Direction, space: int) -> bool:
        """Whether an inner product of fixed directions is one that matters, and not 0."""
        product = self._model.inner(x, y, space)
        given = self._model.given(x, y) is not None
        return product != 0 and (given or product in self._model.parameters)

    def state(self, factor: Array) -> Array:
        """The order parameters."""
        gram = factor @ np.swapaxes(factor, -1, -2)
        rows, columns, spaces = np.array(self._places, dtype=int).reshape(-1, 3).T
        found: Array = gram[..., spaces, rows, columns]
        return found

    def gradients(self, factor: Array, slopes: Array) -> Array:
        """The gradients in the trained directions, in coordinates."""
        t, p = len(self._sphere), factor.shape[-2]
        weights = np.zeros((*factor.shape[:-2], t, p))
        for k, (i, j, a) in enumerate(self._places):
            weights[..., a, i, j] += slopes[..., k]
            if j < t:
                weights[..., a, j, i] += slopes[..., k]
        found: Array = weights @ factor
        return found

    def step(self, factor: Array, slopes: Array, alpha: float) -> Array:
        r"""One step: each sphere by its tangent gradient at the old point, and back to length 1."""
        t = len(self._sphere)
        old, gradient = factor[..., :t, :], self.gradients(factor, slopes)
        along = np.sum(np.sum(old * gradient, axis=-1), axis=-2)[..., None, :, None]
        sphere = self._sphere[:, None]
        new = old - alpha * (gradient - np.where(sphere, along, 0.0) * old)
        length = np.sqrt(np.sum(np.sum(new * new, axis=-1), axis=-2))[..., None, :, None]
        new = np.where(sphere, new / length, new)
        return np.concatenate([new, factor[..., t:, :]], axis=-2)

    def map(self, alpha: Symbol) -> tuple[dict[Symbol, Expr], dict[Symbol, Expr]]:
        """The step as a map of order parameters, and what symbols in it stand for.

        For directions on spheres in one eigenspace, whose inner products are given or are order
        parameters. The slopes at the old point are symbols, as `slope_symbol` makes them.
        """
        directions, t = self._model.directions, len(self._sphere)
        if self._spaces > 1 or not self._sphere.all():
            raise ValueError("the map is for trained directions on spheres, in one eigenspace")
        gram = [[self._model.inner(x, y) for y in directions] for x in directions]
        moved = [_Moved(i, directions, gram, self.places, alpha) for i in range(t)]
        new = {}
        for p, (i, j, _) in self.places.items():
            x = moved[i]
            if j >= t:
                new[p] = x.shrink * (p - alpha * x.tangent[j])
                continue
            y = moved[j]
            # Of the two tangents; that of the second is its gradient less a multiple of itself.
            both = x.dot(y.gradient) - y.along * x.tangent[j]
            first = alpha * (x.tangent[j] + y.tangent[i])
            new[p] = x.shrink * y.shrink * (p - first + alpha**2 * both)
        return new, {name: e for x in moved for name, e in x.meanings.items()}

    # -- runs -------------------------------------------------------------------------------------

    def run(
        self,
        factor: Array,
        parameters: Array,
        alpha: float,
        every: int = 1,
        backend: str = "auto",
    ) -> Array:
        """The factors after every so many steps."""
        steps, chosen = len(parameters), chosen_backend(backend)
        # What does not change is one number.
        columns = [c if (c != c[:1]).any() else c[:1].copy() for c in parameters.T.copy()]
        factor = np.array(factor, dtype=np.float64)
        if chosen == "numba" and self._model.additive:
            moved = self._machine_code
            return machine_iterated(moved, factor, columns, steps, every, alpha)[1]
        constants, slopes = self._slopes(chosen)

        def step(factor: Array, fixed: Any) -> Array:
            return self.step(factor, slopes(self.state(factor), fixed), alpha)

        noted = iterated(step, constants, factor, columns, steps, every, lambda x: x)[1]
        return noted.reshape(-1, *factor.shape)

    def _slopes(self, backend: str) -> tuple[Callable[..., Any], Callable[[Array, Any], Array]]:
        """Constants from parameters, and with them the gradient at states (..., n)."""
        if not self._model.additive:
            gradient = self._model.compile(backend, "gradient")
            return lambda *row: row, lambda states, row: np.asarray(gradient(states, *row))
        constants, body = numpy_parts(self._model.program("gradient"))

        def slopes(states: Array, fixed: Any) -> Array:
            columns = np.ascontiguousarray(np.moveaxis(states, -1, 0))
            found = body(*columns, *fixed)
            return np.stack([np.broadcast_to(s, columns.shape[1:]) for s in found], axis=-1)

        return constants, slopes

    @cached_property
    def _machine_code(self) -> Callable[..., None]:
        program, t = self._model.program("gradient"), len(self._sphere)
        names = ", ".join([*(f"s{k}" for k in range(len(self._places))), *program.constants])
        lines = []
        for k, (i, j, a) in enumerate(self._places):
            lines.append(f"s{k} = 0.0")
            lines.append("for z in range(r):")
            lines.append(f"    s{k} += w[{a}, {i}, z] * w[{a}, {j}, z]")
        lines += [f"slopes = body({names})", "weights[:] = 0.0"]
        for k, (i, j, a) in enumerate(self._places):
            lines.append(f"weights[{a}, {i}, {j}] += slopes[{k}]")
            if j < t:
                lines.append(f"weights[{a}, {j}, {i}] += slopes[{k}]")
        step = "\n    ".join([*lines, *_MOVE.splitlines()])
        return machine_loop(
            program,
            "alpha",
            f"spaces, p, r = states.shape[1:]\n"
            f"sphere = ({''.join(f'{bool(x)}, ' for x in self._sphere)})\n"
            f"weights = np.empty((spaces, {t}, p))\n"
            f"gradient = np.empty((spaces, {t}, r))",
            f"for run in range(first, first + runs):\n    w = states[run]\n    {step}",
            "",
            "noted[row, first : first + runs] = states[first : first + runs]",
        )


_MOVE = """
for i in range(len(sphere)):
    along = 0.0
    for a in range(spaces):
        for z in range(r):
            total = 0.0
            for j in range(p):
                total += weights[a, i, j] * w[a, j, z]
            gradient[a, i, z] = total
            along += total * w[a, i, z]
    if sphere[i]:
        for a in range(spaces):
            for z in range(r):
                gradient[a, i, z] -= along * w[a, i, z]
for i in range(len(sphere)):
    square = 0.0
    for a in range(spaces):
        for z in range(r):
            w[a, i, z] -= alpha * gradient[a, i, z]
            square += w[a, i, z] ** 2
    if sphere[i]:
        length = sqrt(square)
        for a in range(spaces):
            for z in range(r):
                w[a, i, z] /= length
"""


# -- starts --------------------------------------------------------------------------------------


def factor_of(vectors: Sequence[Any]) -> Array:
    """Coordinates of vectors of R^d in an orthonormal basis of their span, shape (p, r)."""
    rows = np.asarray(vectors, dtype=np.float64)
    triangular: Array = np.linalg.qr(rows.T)[1].T
    return triangular


def uniform_start(
    model: Model,
    d: int,
    runs: int,
    rng: np.random.Generator,
    gram: Array | None = None,
    dimensions: Sequence[int] | None = None,
) -> Array:
    """Trained directions uniform on their spheres, with no vector of R^d ever made.

    Notes
    -----
    Coordinates of Gaussian vectors in the basis that Gram and Schmidt make of them are independent:
    normal beside the diagonal, and on it roots of chi squares (Bartlett, 1933).
    """
    t, f = len(model.trained), len(model.fixed)
    spaces = [d] if dimensions is None else list(dimensions)
    if len(spaces) != model.spaces or sum(spaces) != d:
        raise ValueError(
            f"dimensions must be {model.spaces} numbers that add up to {d}; got {spaces}"
        )
    if len(spaces) == 1 and gram is not None:
        basis = root_of(gram)
        known = np.zeros((runs, f, basis.shape[1] + t))
        known[:, :, : basis.shape[1]] = basis
        free = np.concatenate(
            [
                rng.standard_normal((runs, t, basis.shape[1])),
                _bartlett(rng, runs, t, max(0, d - basis.shape[1])),
            ],
            axis=-1,
        )
        factor = np.concatenate([free, known], axis=-2)[:, None]
    else:
        blocks = [_bartlett(rng, runs, f + t, n) for n in spaces]
        # The fixed directions first, whose triangle is smaller.
        factor = np.stack([np.roll(block, t, axis=-2) for block in blocks], axis=1)
        for i, x in enumerate(model.fixed, t):
            for j, y in enumerate(model.fixed[: i - t], t):
                if model.given(x, y) == 0:
                    overlap = np.sum(factor[:, :, i] * factor[:, :, j], axis=(-1, -2))
                    factor[:, :, i] -= overlap[:, None, None] * factor[:, :, j]
            factor[:, :, i] /= np.sqrt(np.sum(factor[:, :, i] ** 2, axis=(-1, -2)))[:, None, None]
    for i, x in enumerate(model.trained):
        size = np.sqrt(np.sum(factor[:, :, i] ** 2, axis=(-1, -2)))[:, None, None]
        factor[:, :, i] /= size if x.on_sphere else np.sqrt(d)
    return factor


def _bartlett(rng: np.random.Generator, runs: int, count: int, d: int) -> Array:
    """Gaussian vectors of R^d in a basis of their span."""
    factor = np.zeros((runs, count, count))
    for i in range(count):
        factor[:, i, : min(i, d)] = rng.standard_normal((runs, min(i, d)))
        if i < d:
            factor[:, i, i] = np.sqrt(rng.chisquare(d - i, runs))
    return factor


def root_of(gram: Any) -> Array:
    """Rows with these inner products."""
    matrix = np.asarray(gram, dtype=np.float64)
    values, vectors = np.linalg.eigh(matrix)
    if len(values) and values.min() < -1e-9 * max(1.0, values.max()):
        raise ValueError(
            f"gram must be positive semidefinite; its least eigenvalue is {values.min()}"
        )
    kept = values > 1e-14 * (values.max() if len(values) else 1.0)
    root: Array = vectors[:, kept] * np.sqrt(values[kept])
    return root


def schedule_of(model: Model, by_name: Mapping[str, Any], steps: int) -> Array:
    """The parameters at steps 0 to `steps`, shape (steps + 1, count)."""
    known = {p.name for p in model.parameters} | {"d"}
    known |= {p.name for p in _between(model) if isinstance(p, Symbol)}
    unknown = sorted(by_name.keys() - known)
    if unknown:
        allowed = ", ".join(p.name for p in model.parameters)
        raise ValueError(f"values has {unknown[0]}, no parameter of this model ({allowed})")
    times = np.arange(steps + 1)
    columns = []
    for p in model.parameters:
        if p.name not in by_name:
            raise ValueError(f"values must have a number for {p.name}")
        given = by_name[p.name]
        found = given(times) if callable(given) else given
        try:
            column = np.broadcast_to(np.asarray(found, dtype=np.float64), times.shape)
        except (TypeError, ValueError):
            raise ValueError(
                f"{p.name} must be a number, {steps + 1} numbers, or a function of the step; "
                f"got {given!r}"
            ) from None
        if not np.isfinite(column).all():
            raise ValueError(f"{p.name} must be finite; got {given!r}")
        columns.append(column)
    return np.stack(columns, axis=-1) if columns else np.empty((steps + 1, 0))


def simulate(
    model: Model,
    values: Mapping[Any, Any],
    *,
    steps: int,
    alpha: float,
    runs: int = 1,
    start: Any = "uniform",
    every: int | None = None,
    rng: Any = None,
    dimensions: Sequence[int] | None = None,
    backend: str = "auto",
) -> Runs:
    """Runs of descent; `Model.simulate` says more."""
    steps, alpha, runs = whole("steps", steps, 1), positive("alpha", alpha), whole("runs", runs, 1)
    every = max(1, steps // 1000) if every is None else whole("every", every, 1)
    by_name = {
        (model.inner(*k.pair) if isinstance(k, InnerProduct) else Symbol(str(k))).name: v
        for k, v in values.items()
    }
    factor = started(model, by_name, start, runs, np.random.default_rng(rng), dimensions)
    fill_in(model, by_name, factor)
    schedule = schedule_of(model, by_name, steps)
    flow = model.flow
    noted = flow.run(factor, schedule[:-1], alpha, every, backend)
    rows = np.concatenate([factor[None], noted])
    numbers = np.arange(len(rows)) * every
    f = model.compile("numpy", "risk")
    at = schedule[numbers]
    risk = f(flow.state(rows), *(at[:, None, k] for k in range(at.shape[1])))[..., 0]
    gram = rows @ np.swapaxes(rows, -1, -2)
    return Runs(model, numbers, gram, risk, at)


def _between(model: Model) -> dict[Any, tuple[int, int, int]]:
    """The inner products of fixed directions, and where they stand in Gram matrices."""
    t = len(model.trained)
    return {
        model.inner(x, y, a): (i, j, a)
        for i, x in enumerate(model.fixed, t)
        for j, y in enumerate(model.fixed[i - t :], i)
        for a in range(model.spaces)
    }


def fill_in(model: Model, by_name: dict[str, Any], factor: Array) -> None:
    """Inner products of fixed directions that the model depends on, from the start."""
    gram = factor @ np.swapaxes(factor, -1, -2)
    for product, (i, j, a) in _between(model).items():
        found = gram[:, a, i, j]
        if isinstance(product, Symbol) and product not in model.parameters:
            continue
        if isinstance(product, Symbol) and product.name not in by_name:
            by_name[product.name] = float(found[0])
        stated = _number(product, by_name)
        if not np.abs(found - stated).max() < 1e-9:
            raise ValueError(
                f"start has directions {model.directions[i]} and {model.directions[j]} of inner "
                f"product {found[np.abs(found - stated).argmax()]}, where the model has {stated}"
            )


def started(
    model: Model,
    by_name: Mapping[str, Any],
    start: Any,
    runs: int,
    rng: np.random.Generator,
    dimensions: Sequence[int] | None,
) -> Array:
    """The factors of a start: ``"uniform"``, vectors by direction or in a file, Gram matrices."""
    if isinstance(start, Path) or (isinstance(start, str) and start.endswith(".npz")):
        names = {x.name: x for x in model.directions}
        start = {names[name]: x for name, x in read_vectors(start, list(names)).items()}
    if isinstance(start, str):
        if start not in ("uniform", "uniform, fixed directions too"):
            raise ValueError(
                "start must be 'uniform', 'uniform, fixed directions too', vectors by direction, "
                f"a file .npz of these, or a Gram matrix; got {start!r}"
            )
        if "d" not in by_name:
            raise ValueError("values must have a number for d, where starts are drawn")
        d, gram = whole("d", int(by_name["d"]), 2), None
        free = [p for p in _between(model) if isinstance(p, Symbol) and p.name not in by_name]
        if start == "uniform" and model.spaces == 1 and not free:
            gram = np.array(
                [[_number(model.inner(x, y), by_name) for y in model.fixed] for x in model.fixed]
            ).reshape(len(model.fixed), len(model.fixed))
        elif runs > 1 and model.spaces == 1 and set(free) & set(model.parameters):
            # What the risk depends on is the same for all runs.
            fixed = uniform_start(model, d, 1, rng)[0, 0, len(model.trained) :]
            gram = fixed @ fixed.T
        return uniform_start(model, d, runs, rng, gram, dimensions)
    if isinstance(start, Mapping):
        missing = [x.name for x in model.directions if x not in start]
        if missing:
            raise ValueError(f"start must have a vector for {missing[0]}")
        vectors = np.stack(
            np.broadcast_arrays(
                *(np.asarray(start[x], dtype=np.float64) for x in model.directions)
            ),
            axis=-2,
        )
        vectors = vectors.reshape(-1, *vectors.shape[-2:])
        if model.spaces > 1:
            raise ValueError("start from vectors needs one eigenspace; give Gram matrices")
        factor = np.stack([factor_of(rows) for rows in vectors])[:, None]
        return _repeated(factor, runs)
    given = np.asarray(start, dtype=np.float64)
    p = len(model.directions)
    if given.shape[-2:] != (p, p) or (model.spaces > 1 and given.shape[-3] != model.spaces):
        raise ValueError(
            f"start, as a Gram matrix, must have shape (..., {model.spaces}, {p}, {p}) "
            f"(without the {model.spaces} for one eigenspace); got {given.shape}"
        )
    given = given.reshape(-1, model.spaces, p, p)
    factor = np.zeros((len(given), model.spaces, p, p))
    for i, row in enumerate(given):
        for a, matrix in enumerate(row):
            root = root_of(matrix)
            factor[i, a, :, : root.shape[1]] = root
    return _repeated(factor, runs)


def _repeated(factor: Array, runs: int) -> Array:
    if len(factor) == runs:
        return factor
    if len(factor) != 1:
        raise ValueError(f"start has {len(factor)} points for {runs} runs; give one, or as many")
    return np.repeat(factor, runs, axis=0)


def _number(expr: Any, by_name: Mapping[str, Any]) -> float:
    if expr.free_symbols:
        missing = [s.name for s in expr.free_symbols if s.name not in by_name]
        if missing:
            raise ValueError(f"values must have a number for {missing[0]}")
        expr = expr.subs({s: by_name[s.name] for s in expr.free_symbols})
    return float(expr)


def written_model(model: Model) -> str:
    """Displays for a document with amsmath."""
    parts = [r"Order parameters: $" + ", ".join(map(latex, model.order_parameters)) + "$."]
    for token in model.data.tokens:
        if model.roles[token, next(iter(model.predictor.bias or (None,)))].directions:
            parts += [f"Projections of a token ({token.name}):", _display(latex(model.law(token)))]
    if model.quadrature is not None:
        parts.append(f"The risk is no closed form: {model.quadrature.reason}.")
    if not model.additive:
        return "\n".join([*parts, ""])
    parts += ["The risk:", _display("R = " + latex(model.risk))]
    parts.append("Its slopes:")
    for p, slope in zip(model.order_parameters, model.gradient, strict=True):
        parts.append(_display(rf"\partial_{{{latex(p)}}} R = {latex(slope)}"))
    return "\n".join([*parts, ""])


def _display(text: str) -> str:
    return rf"\begin{{dmath*}}{text}\end{{dmath*}}".replace("dmath*", "equation*")

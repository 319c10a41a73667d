r"""Exact projected gradient descent of a model, at a cost independent of the dimension.

The risk depends on the vectors through inner products, so its gradients lie in their span: with the
partial derivative :math:`R_{xy}` in the inner product of x and y, that in x is :math:`\sum_y
R_{xy}\,y`, twice as much where y is x. What moves is the Gram matrix of all directions, kept as a
factor, whose rows are coordinates of the directions in an orthonormal basis of their span. For q
eigenspaces there are q factors.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sympy import Add, Expr, Max, Poly, S, Symbol, expand, sqrt, srepr

from slrsym.kernels.compile import compile_program
from slrsym.kernels.numba_backend import compile_loop, is_loop_compiled
from slrsym.kernels.program import Program
from slrsym.models.definition.specification import Direction
from slrsym.models.means.risk import ExactRisk
from slrsym.models.means.softmax_risk_backends import is_softmax_risk_compiled
from slrsym.models.training.spheres import Spheres

Array = NDArray[np.float64]


def risk_slope_symbol(p: Symbol) -> Symbol:
    """Return the symbol that stands for the derivative of the risk in an order parameter."""
    return Symbol(f"R_{p.name}", real=True)


class _Moved:
    r"""One descent step of a direction x, to :math:`(x - \alpha \tau) / |x - \alpha \tau|`.

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
                self.gradient[b if i == a else a] += risk_slope_symbol(p)

        def inner(y: Sequence[Expr], j: int) -> Expr:
            return expand(Add(*(c * gram[n][j] for n, c in enumerate(y))))

        def named(what: str, meaning: Expr) -> Symbol:
            symbol = Symbol(f"{what}_{names[i]}", real=True)
            self.meanings[symbol] = meaning
            return symbol

        along = inner(self.gradient, i)
        self.along = named("along", along)
        tangent = [g - along * int(n == i) for n, g in enumerate(self.gradient)]
        slopes = [risk_slope_symbol(p) for p in places]
        # No product with x itself, to which the tangent is orthogonal.
        self.tangent = [S.Zero] * len(directions)
        for j, name in enumerate(names):
            if j != i:
                gathered = Poly(inner(tangent, j), *slopes).as_expr()
                self.tangent[j] = named(f"tangent_{name}", gathered)
        square = alpha**2 * self.dot(self.gradient)
        # Never negative; but rounding does not know, where the gradient is large and not tangent.
        self.shrink = named("shrink", 1 / sqrt(1 + Max(0, square)))

    def dot(self, y: Sequence[Expr]) -> Expr:
        """Return the inner product of the tangential gradient with a combination of directions."""
        return Add(*(t * c for t, c in zip(self.tangent, y, strict=True)))


def _joined(vectors: Array) -> Array:
    """Return vectors of shape (..., spaces, t, r) as one of shape (..., t, spaces r)."""
    moved = np.swapaxes(vectors, -3, -2)
    return moved.reshape(*moved.shape[:-2], -1)


class DescentMap:
    """Projected gradient descent of a model, as a map of the Gram matrix of its directions.

    A factor of it, of shape (..., spaces, p, r), has the coordinates of the directions, trained
    ones first; slopes are partial derivatives of the risk in the order parameters.
    """

    def __init__(self, model: ExactRisk) -> None:
        self._model = model
        self.places = model.gram_indices
        self._spaces = model.spaces
        self._sphere = np.array([x.on_sphere for x in model.trained_directions])
        self.spheres = Spheres(self._sphere)

    @cached_property
    def _places(self) -> list[tuple[int, int, int]]:
        return [self.places[p] for p in self._model.order_parameters]

    @cached_property
    def _indices(self) -> NDArray[np.int64]:
        """The places, by rows, columns and spaces."""
        return np.array(self._places, dtype=np.int64).reshape(-1, 3).T

    @property
    def is_closed(self) -> bool:
        """Whether the Gram matrix at one step determines the Gram matrix at the next.

        They do for every model that can be stated: what would not close, covariances that have no
        eigenspaces in common, is refused, since gradients leave every finite span of directions.
        """
        return True

    @property
    def reason(self) -> str:
        """The reason why the order parameters at one step determine those at the next."""
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
        """Return sets of order parameters whose joint change of sign leaves the risk unchanged.

        They come of reflected directions, among which fixed inner products must stay. Where those
        of one set vanish, descent stays: that is an invariant manifold. Whether the risk stays is
        asked at random points.
        """
        return self._symmetries

    @cached_property
    def _symmetries(self) -> tuple[frozenset[Symbol], ...]:
        model, rng = self._model, np.random.default_rng(0)
        names, spaces = model.order_parameters, range(model.spaces)
        # What the risk depends on, or the statement fixes, stays.
        tied = [
            (x, y)
            for i, x in enumerate(model.fixed_directions)
            for y in model.fixed_directions[:i]
            if any(self._is_held(x, y, a) for a in spaces)
        ]
        found: dict[frozenset[Symbol], Array] = {}
        for signs in itertools.product((1, -1), repeat=len(model.directions)):
            of = dict(zip(model.directions, signs, strict=True))
            if signs[0] == 1 and all(of[x] == of[y] for x, y in tied):
                moved = np.array([signs[i] * signs[j] for i, j, _ in self._places])
                found[frozenset(p for p, m in zip(names, moved, strict=True) if m < 0)] = moved
        found.pop(frozenset(), None)
        size = 1 / (2 + len(model.trained_directions))
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
        """Return whether a product of fixed directions is nonzero, and stated or in the risk."""
        product = self._model.inner_product(x, y, space)
        given = self._model.fixed_inner_product(x, y) is not None
        return product != 0 and (given or product in self._model.parameters)

    def order_parameters_of_gram_factor(self, factor: Array) -> Array:
        """Return the order parameters of given vectors, the rows of a factor of the Gram matrix."""
        gram = factor @ np.swapaxes(factor, -1, -2)
        rows, columns, spaces = self._indices
        found: Array = gram[..., spaces, rows, columns]
        return found

    def gradient_coefficients(self, factor: Array, slopes: Array) -> Array:
        """Return the risk's gradients in trained directions as coefficients of all directions."""
        t, p = len(self._sphere), factor.shape[-2]
        weights = np.zeros((*factor.shape[:-2], t, p))
        for k, (i, j, a) in enumerate(self._places):
            weights[..., a, i, j] += slopes[..., k]
            if j < t:
                weights[..., a, j, i] += slopes[..., k]
        return weights

    def gradient_vectors(self, factor: Array, slopes: Array) -> Array:
        """Return the risk's gradients in trained directions, in coordinates of the Gram factor."""
        found: Array = self.gradient_coefficients(factor, slopes) @ factor
        return found

    def gram_factor_after_step(self, factor: Array, slopes: Array, alpha: float) -> Array:
        r"""Return the factor of the Gram matrix after one step of projected descent."""
        t = len(self._sphere)
        old, gradient = factor[..., :t, :], self.gradient_vectors(factor, slopes)
        if self._spaces == 1:
            new = self.spheres.step(old, gradient, alpha)
        else:
            # A vector has coordinates in all eigenspaces.
            moved = self.spheres.step(_joined(old), _joined(gradient), alpha)
            shape = (*old.shape[:-3], t, self._spaces, old.shape[-1])
            new = np.swapaxes(moved.reshape(shape), -3, -2)
        return np.concatenate([new, factor[..., t:, :]], axis=-2)

    def step_map(self, alpha: Symbol) -> tuple[dict[Symbol, Expr], dict[Symbol, Expr]]:
        """Return one step as a map of order parameters, with definitions of its auxiliary symbols.

        For directions on spheres in one eigenspace, whose inner products are given or are order
        parameters. The slopes at the old point are symbols, as `risk_slope_symbol` makes them.
        """
        directions, t = self._model.directions, len(self._sphere)
        if self._spaces > 1 or not self._sphere.all():
            raise ValueError(
                f"the map is for trained directions on spheres and one eigenspace; this model has "
                f"{self._spaces} eigenspaces, and on spheres {sum(self._sphere)} of {t} directions"
            )
        gram = [[self._model.inner_product(x, y) for y in directions] for x in directions]
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

    @cached_property
    def compiled_step_loop(self) -> Callable[..., None]:
        """Compiled loop that takes descent steps on a factor of the Gram matrix."""
        return compile_loop(self._model.program("gradient"), *self._loop)

    @property
    def is_loop_compiled(self) -> bool:
        """Whether an earlier process has compiled what takes most of the time of a step."""
        if not self._model.is_additive:
            return is_softmax_risk_compiled()
        return is_loop_compiled(self._model.program("gradient"), *self._loop)

    @property
    def _loop(self) -> tuple[str, ...]:
        """Source code of the parts of the loop, as of `loop_source`."""
        t = len(self._sphere)
        names = "".join(f"s{k}, " for k in range(len(self._places)))
        lines = []
        for k, (i, j, a) in enumerate(self._places):
            lines.append(f"s{k} = 0.0")
            lines.append("for z in range(r):")
            lines.append(f"    s{k} += w[{a}, {i}, z] * w[{a}, {j}, z]")
        lines += [f"slopes = body({names}*fixed)", "weights[:] = 0.0"]
        for k, (i, j, a) in enumerate(self._places):
            lines.append(f"weights[{a}, {i}, {j}] += slopes[{k}]")
            if j < t:
                lines.append(f"weights[{a}, {j}, {i}] += slopes[{k}]")
        step = "\n    ".join([*lines, *_MOVE.splitlines()])
        return (
            "alpha",
            f"spaces, p, r = states.shape[1:]\n"
            f"sphere = ({''.join(f'{bool(x)}, ' for x in self._sphere)})\n"
            f"weights = np.empty((spaces, {t}, p))\n"
            f"gradient = np.empty((spaces, {t}, r))",
            f"for run in range(first, first + runs):\n    w = states[run]\n    {step}",
            "",
            _NOTE,
        )


_NOTE = """
for run in range(first, first + runs):
    for a in range(spaces):
        for i in range(p):
            for z in range(r):
                noted[row, run, a, i, z] = states[run, a, i, z]
"""

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
        length = sqrt(square) + 0 * square  # not a number where it overflows
        for a in range(spaces):
            for z in range(r):
                w[a, i, z] /= length
"""


class DerivedModel(ExactRisk):
    """A stated model with its exact risk and its descent map."""

    @cached_property
    def flow(self) -> DescentMap:
        """The map of one descent step on the Gram matrix of the model's directions."""
        return DescentMap(self)

    def compiled(self, backend: str, *what: str) -> Callable[..., Any]:
        """Return what `compile` returns, compiled once.

        Parameters
        ----------
        backend, *what : str
            As of `compile`.

        Returns
        -------
        callable
        """
        if (backend, what) not in self._compiled:
            self._compiled[backend, what] = self.compile(backend, *what)
        return self._compiled[backend, what]

    @cached_property
    def _compiled(self) -> dict[tuple[str, tuple[str, ...]], Callable[..., Any]]:
        return {}

    @cached_property
    def reduced_steps(self) -> dict[Any, Any]:
        """The steps on invariant sets that were asked for, each derived and compiled once."""
        return {}

    def gradient_rate(self, parameter: Symbol) -> Callable[..., Any]:
        """Compile the derivative of the risk's gradient in a parameter, for NumPy.

        Parameters
        ----------
        parameter : Symbol
            One of `parameters`.

        Returns
        -------
        callable
            ``f(state, *parameters)``, of shape (..., order parameters).
        """
        if ("rate", (parameter.name,)) not in self._compiled:
            program = self._rate_program(parameter)
            self._compiled["rate", (parameter.name,)] = compile_program(program, "numpy")
        return self._compiled["rate", (parameter.name,)]

    def _rate_program(self, parameter: Symbol) -> Program:
        def derive() -> Program:
            from slrsym.kernels.printing import program_from_expressions

            outputs = list(self.gradient.diff(parameter))
            return program_from_expressions(outputs, self.order_parameters, self.parameters)

        return self.load_or_derive_program(f"rate {srepr(parameter)}", derive)

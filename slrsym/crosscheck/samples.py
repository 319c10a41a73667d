"""Random samples of the laws of `slrsym.gaussian`, and integrands evaluated on them in floats.

This shares no code with the evaluation on balls, nor with the kernels: it is the third look.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from functools import reduce
from importlib import import_module
from typing import Any

import numpy as np
import sympy as sp
from numpy.random import Generator
from numpy.typing import NDArray
from sympy import Basic, Expr, Symbol
from sympy.core.relational import Relational
from sympy.tensor.indexed import Indexed

from slrsym.crosscheck.matrix_samples import drawn_matrices, function_value, trace_value
from slrsym.crosscheck.random_values import RandomSequence
from slrsym.gaussian import Expectation, GaussianLaw, IIDSum, NoiseLaw, ProductLaw, zeta
from slrsym.gaussian.law import Law, standard_normal
from slrsym.matrices.functions import ValueAt
from slrsym.matrices.means import MatrixMean


class NotSampled(Exception):  # noqa: N818
    """Error for a relation that cannot be tested by random sampling."""


def _special(name: str) -> Callable[..., Any]:
    """Return a function of `scipy.special`, imported on first use since SciPy loads slowly."""

    def function(*arguments: Any) -> Any:
        return getattr(import_module("scipy.special"), name)(*arguments)

    return function


def _bivariate_normal_cdf(h: Any, k: Any, r: Any) -> Any:
    """Return the bivariate normal distribution function, by Plackett's integral over an angle."""
    nodes, weights = np.polynomial.legendre.leggauss(96)
    end = np.arcsin(np.asarray(r, dtype=float)) / 2
    angles = end[..., None] * (1 + nodes)
    h, k = (np.asarray(x, dtype=float)[..., None] for x in (h, k))
    square = (h * h - 2 * h * k * np.sin(angles) + k * k) / np.cos(angles) ** 2
    integral = end * np.sum(weights * np.exp(-square / 2), axis=-1) / (2 * np.pi)
    ndtr = _special("ndtr")
    return ndtr(h[..., 0]) * ndtr(k[..., 0]) + integral


def _gaussian(x: Any) -> Any:
    return 2 / math.sqrt(math.pi) * np.exp(-np.square(x))


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{name: getattr(np, name) for name in ("exp", "log", "sin", "cos", "tan")},
    **{name: getattr(np, name) for name in ("sinh", "cosh", "tanh", "sign")},
    **{name: _special(name) for name in ("erf", "erfc", "erfi", "gamma")},
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
    "Abs": np.abs,
    "Max": lambda *xs: reduce(np.maximum, xs),
    "Min": lambda *xs: reduce(np.minimum, xs),
    "Heaviside": np.heaviside,
    "erf_prime": _gaussian,
    "erf_second": lambda x: -2 * x * _gaussian(x),
    "normal_pdf": lambda x: np.exp(-np.square(x) / 2) / math.sqrt(2 * math.pi),
    "normal_cdf": _special("ndtr"),
    "OwensT": _special("owens_t"),
    "bivariate_normal_cdf": _bivariate_normal_cdf,
}

_RELATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "Equality": np.equal,
    "Unequality": np.not_equal,
    "LessThan": np.less_equal,
    "StrictLessThan": np.less,
    "GreaterThan": np.greater_equal,
    "StrictGreaterThan": np.greater,
}

_MOST_TERMS = 10_000


class SampleEvaluator:
    """Evaluator of expressions on arrays of samples, in floating point."""

    def __init__(
        self, values: Mapping[Any, Any], special_node: Callable[[Basic, SampleEvaluator], Any]
    ) -> None:
        self.values = values
        self.special_node = special_node
        self._known: dict[Basic, Any] = {}

    def with_values(self, more: Mapping[Any, Any]) -> SampleEvaluator:
        """Return an evaluator with values for more symbols."""
        return SampleEvaluator({**self.values, **more}, self.special_node)

    def value(self, expr: Basic) -> Any:
        """Return the values of an expression, one for each sample."""
        if expr not in self._known:
            found = self.special_node(expr, self)
            self._known[expr] = self._value(expr) if found is None else found
        return self._known[expr]

    def _value(self, expr: Basic) -> Any:
        if expr.is_number and not expr.args:
            return _number(expr)
        if isinstance(expr, Symbol):
            if expr not in self.values:
                raise NotSampled(f"{expr} has no value")
            return self.values[expr]
        for kind, rule in _KINDS:
            if isinstance(expr, kind):
                return rule(self, expr)
        function = _FUNCTIONS.get(type(expr).__name__)
        if function is None:
            raise NotSampled(f"there is no way here to compute {type(expr).__name__}")
        return function(*map(self.value, expr.args))

    def _fold(self, combine: Callable[[Any, Any], Any], expr: Basic) -> Any:
        return reduce(combine, map(self.value, expr.args))

    def _power(self, expr: sp.Pow) -> Any:
        base = self.value(expr.base)
        if expr.exp.is_Integer:
            return np.power(np.asarray(base, dtype=np.float64), int(expr.exp))
        return np.power(base, self.value(expr.exp))

    def _piecewise(self, expr: sp.Piecewise) -> Any:
        values = [self.value(branch) for branch, _ in expr.args]
        conditions = [self.value(condition) for _, condition in expr.args]
        shape = np.broadcast_shapes(*(np.shape(x) for x in (*values, *conditions)))
        return np.select(
            [np.broadcast_to(c, shape) for c in conditions],
            [np.broadcast_to(v, shape) for v in values],
            np.nan,
        )

    def _terms(self, expr: sp.Sum | sp.Product) -> list[Any]:
        if len(expr.limits) != 1:
            raise NotSampled(f"{expr} has more than one index")
        index, low, high = expr.limits[0]
        first, last = (_integer(self.value(end)) for end in (low, high))
        if last - first > _MOST_TERMS:
            raise NotSampled(f"{expr} has {last - first + 1} terms at this point")
        return [self.with_values({index: j}).value(expr.function) for j in range(first, last + 1)]

    def _indexed(self, expr: Indexed) -> Any:
        entries = self.values.get(expr.base)
        if entries is None or len(expr.indices) != 1:
            raise NotSampled(f"{expr} has no value")
        at = _integer(self.value(expr.indices[0]))
        if isinstance(entries, RandomSequence):
            return float(entries.entry(at))
        if not 1 <= at <= len(entries):
            raise NotSampled(f"{expr.base} has no entry {at} at this point")
        return float(entries[at - 1])

    def _derivative(self, expr: sp.Derivative) -> Any:
        # How expectations are differentiated is what is to be looked at.
        slope = expr if expr.has(Expectation) else expr.doit()
        if slope.has(sp.Derivative):
            raise NotSampled(f"{expr} is not elementary")
        return self.value(slope)

    def _substituted(self, expr: sp.Subs) -> Any:
        point = {x: self.value(p) for x, p in zip(expr.variables, expr.point, strict=True)}
        return self.with_values(point).value(expr.expr)


def _number(expr: Basic) -> float:
    if expr.is_extended_real is False or not isinstance(expr, Expr):
        raise NotSampled(f"{expr} is not a real number")
    return float(expr)


def _integer(value: Any) -> int:
    if not (np.ndim(value) == 0 and float(value).is_integer()):
        raise NotSampled(f"{value} is not an integer")
    return int(value)


_KINDS: tuple[tuple[Any, Callable[[SampleEvaluator, Any], Any]], ...] = (
    (sp.Add, lambda self, e: self._fold(operator.add, e)),
    (sp.Mul, lambda self, e: self._fold(operator.mul, e)),
    (sp.Pow, SampleEvaluator._power),
    (sp.Piecewise, SampleEvaluator._piecewise),
    (Relational, lambda self, e: _RELATIONS[type(e).__name__](*map(self.value, e.args))),
    (sp.And, lambda self, e: self._fold(np.logical_and, e)),
    (sp.Or, lambda self, e: self._fold(np.logical_or, e)),
    (sp.Not, lambda self, e: np.logical_not(self.value(e.args[0]))),
    (type(sp.true), lambda self, e: True),
    (type(sp.false), lambda self, e: False),
    (sp.Trace, trace_value),
    (ValueAt, function_value),
    (sp.Sum, lambda self, e: sum(self._terms(e))),
    (sp.Product, lambda self, e: math.prod(self._terms(e))),
    (Indexed, SampleEvaluator._indexed),
    (sp.Derivative, SampleEvaluator._derivative),
    (sp.Subs, SampleEvaluator._substituted),
)


# Samples that are computed at once.
_CHUNK = 1 << 14

# A noise of mean 0 and variance 1 that is as far from normal as two values can be told apart: a
# statement about all noises must hold for this one.
_NOISE = np.array([2.0, -0.5])
_NOISE_SHARE = 0.2

_T, _S, _G = (sp.Dummy(name, real=True) for name in "tsG")
# What zeta means.
_ZETA = Expectation(sp.erf(_T + _S * _G) ** 2, standard_normal(_G))


class IndefiniteCovariance(Exception):  # noqa: N818
    """Error for a law whose covariance matrix is not positive semidefinite at a point."""


@dataclass(frozen=True)
class SampleMean:
    """The mean of a sample, with its standard error."""

    mean: float
    stderr: float
    largest_share: float


def is_expectation_or_derivative(node: Basic) -> bool:
    """Return whether a node is a mean, its derivative, or a `zeta`, which is one."""
    if isinstance(node, sp.Derivative):
        return isinstance(node.expr, Expectation)
    return isinstance(node, Expectation | MatrixMean | zeta)


def sample_average(node: Basic, at: SampleEvaluator, rng: Generator, samples: int) -> SampleMean:
    """Return the mean of an expectation's integrand over random samples, with its error."""
    if isinstance(node, sp.Derivative):
        return _summary(_difference_quotients(node, at, rng, samples))
    values = at.values
    if isinstance(node, zeta):
        t, s = map(at.value, node.args)
        node, values = _ZETA, {**values, _T: t, _S: s}
    assert isinstance(node, Expectation | MatrixMean)
    return _summary(_sampled_integrand(node, values, rng, samples))


def _sampled_integrand(
    node: Expectation | MatrixMean, values: Mapping[Any, Any], rng: Generator, samples: int
) -> NDArray[np.float64]:
    """Return the values of an expectation's integrand at random samples of its law."""
    parts = []
    for first in range(0, samples, _CHUNK):
        n = min(_CHUNK, samples - first)
        inside = SampleEvaluator(values, _Integrand(rng, n))
        if isinstance(node, MatrixMean):
            drawn, integrand = drawn_matrices(node, inside, rng, n), node.body
        else:
            drawn, integrand = _drawn(node.law, inside, rng, n), node.integrand
        with np.errstate(all="ignore"):
            found = inside.with_values(drawn).value(integrand)
        parts.append(np.broadcast_to(np.asarray(found, dtype=np.float64), (n,)))
    return np.concatenate(parts)


# The weights of central differences of fourth order, by the order of the derivative and the offset.
_WEIGHTS = {
    1: {-2: 1 / 12, -1: -2 / 3, 1: 2 / 3, 2: -1 / 12},
    2: {-2: -1 / 12, -1: 4 / 3, 0: -5 / 2, 1: 4 / 3, 2: -1 / 12},
}
_STEP = 1 / 64


def _difference_quotients(
    node: sp.Derivative, at: SampleEvaluator, rng: Generator, samples: int
) -> NDArray[np.float64]:
    """Return difference quotients of an integrand, with the same random numbers at all points.

    Their mean is a difference quotient of the expectation: nothing is differentiated under it.
    """
    (x, order), *others = node.variable_count
    law = node.expr.law
    # The axes of a covariance matrix may turn where its entries change.
    if others or order not in _WEIGHTS or (law.has(x) and len(law.symbols) > 1):
        raise NotSampled(f"{node} is no first or second derivative of a kind that is sampled")
    centre = at.value(x)
    step = min(_STEP, abs(centre) / 4) or _STEP
    total = np.zeros(samples)
    for offset, weight in _WEIGHTS[int(order)].items():
        values = {**at.values, x: centre + offset * step}
        total += weight * _sampled_integrand(node.expr, values, deepcopy(rng), samples)
    return total / step ** int(order)


def _summary(sample: NDArray[np.float64]) -> SampleMean:
    with np.errstate(all="ignore"):
        mean = float(sample.mean())
        squares = np.square(sample - mean)
        total = float(squares.sum())
        n = sample.size
        # Values that are one and the same, but for the rounding of their mean.
        if total <= n * (1e-14 * abs(mean)) ** 2:
            return SampleMean(mean, 0.0, 0.0)
        return SampleMean(mean, float(np.sqrt(total / (n - 1) / n)), float(squares.max() / total))


class _Integrand:
    """Evaluation rule for integrands, which draws samples for sums of independent copies."""

    def __init__(self, rng: Generator, n: int) -> None:
        self.rng, self.n = rng, n
        self.sums: dict[IIDSum, Any] = {}

    def __call__(self, node: Basic, at: SampleEvaluator) -> Any:
        if is_expectation_or_derivative(node):
            raise NotSampled("it has an expectation inside of another")
        if not isinstance(node, IIDSum):
            return None
        # Equal sums are one and the same random variable.
        if node not in self.sums:
            self.sums[node] = self._sum(node, at)
        return self.sums[node]

    def _sum(self, node: IIDSum, at: SampleEvaluator) -> Any:
        count = at.value(node.count)
        if not (np.ndim(count) == 0 and float(count).is_integer() and count >= 0):
            raise IndefiniteCovariance(f"{node} has {count} copies")
        if count == 0:
            return 0.0
        # One copy for all samples after the other, in columns.
        inner = _Integrand(self.rng, self.n * int(count))
        copies = SampleEvaluator(at.values, inner)
        drawn = _drawn(node.law, copies, self.rng, inner.n)
        terms = np.broadcast_to(copies.with_values(drawn).value(node.term), (inner.n,))
        return terms.reshape(self.n, int(count)).sum(axis=1)


def _drawn(law: Law, at: SampleEvaluator, rng: Generator, n: int) -> Mapping[Any, Any]:
    """Return random samples of each variable of a law."""
    if isinstance(law, ProductLaw):
        return {
            name: x
            for block in law.independent_laws()
            for name, x in _drawn(block, at, rng, n).items()
        }
    if isinstance(law, NoiseLaw):
        variance = at.value(law.variance)
        if variance < 0:
            raise IndefiniteCovariance(f"the variance of {law.symbols[0]} is {variance}")
        signs = np.where(rng.random(n) < _NOISE_SHARE, *_NOISE)
        return {law.symbols[0]: np.sqrt(variance) * signs}
    if not isinstance(law, GaussianLaw):
        raise NotSampled(f"there is no way here to sample a {type(law).__name__}")
    mean = np.array([at.value(m) for m in law.mean.values()], dtype=np.float64)
    cov = np.array([[at.value(c) for c in row] for row in law.cov.tolist()], dtype=np.float64)
    values, axes = np.linalg.eigh(cov)
    if values[0] < -1e-9 * max(1e-300, values[-1]):
        raise IndefiniteCovariance(f"the covariance of {law.symbols} is not positive semidefinite")
    root = axes * np.sqrt(np.maximum(values, 0.0))
    rows = mean + rng.standard_normal((n, len(mean))) @ root.T
    return dict(zip(law.symbols, rows.T, strict=True))

r"""Means of functions that have no closed form, by quadrature, as functions of kernels.

:math:`E f(m + \sqrt v\,G)` is a SymPy function of m, v and the parameters of f, whose slope in m is
the same of the derivative of f. The trapezoidal rule converges exponentially for analytic f: once
two grids, shifted by half a step, agree to 1e-9, their mean is good to the last digits. The first
step is half a unit of the argument of f, on which functions of a score vary. Where v is above 1,
the mean of the derivative of order n is that of :math:`f\,He_n(G) / v^{n/2}`, which loses no
digits: derivatives of a steep f are large, and their mean is small.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable
from functools import cache
from typing import Any, ClassVar

import mpmath
import numpy as np
from numpy.typing import NDArray
from sympy import Expr, Function, Symbol, expand, preorder_traversal, sqrt

from slrsym.gaussian import Expectation, standard_normal

# Of the grids: from where to where, the first step, what they agree to, how often it is halved.
REACH, STEP, AGREED, HALVINGS = 10.0, 0.5, 1e-9, 12

Z = Symbol("z", real=True)


class GaussianMean(Function):  # type: ignore[misc]
    """The mean of a derivative of a function of z, at a normal variable of mean m, variance v."""

    function: ClassVar[Expr]
    order: ClassVar[int]
    parameters: ClassVar[tuple[Symbol, ...]]
    is_real = True

    def fdiff(self, argindex: int = 1) -> Expr:
        """The slope in m."""
        if argindex != 1:
            raise ValueError("means by quadrature are differentiated in the mean of the argument")
        return _kind(self.function, self.order + 1, self.parameters)(*self.args)

    @classmethod
    def integrand(cls) -> Expr:
        """The derivative."""
        return _derivative(cls.function, cls.order)

    def as_expectation(self) -> Expectation:
        """The same by its definition."""
        m, v, *values = self.args
        G = Symbol("G", real=True)
        integrand = self.integrand().xreplace(dict(zip(self.parameters, values, strict=True)))
        return Expectation(integrand.subs(Z, m + sqrt(v) * G), standard_normal(G))

    def _eval_evalf(self, prec: int) -> Expr | None:
        return self.as_expectation()._eval_evalf(prec)

    def _latex(self, printer: Any) -> str:
        return str(printer._print(self.as_expectation()))

    def _sympystr(self, printer: Any) -> str:
        return str(printer._print(self.as_expectation()))


@cache
def _derivative(function: Expr, order: int) -> Expr:
    return expand(_derivative(function, order - 1).diff(Z)) if order else function


@cache
def _kind(function: Expr, order: int, parameters: tuple[Symbol, ...]) -> type[GaussianMean]:
    digest = hashlib.sha256(f"{function} {order} {parameters}".encode()).hexdigest()[:12]
    body = {"function": function, "order": order, "parameters": parameters}
    body["nargs"] = 2 + len(parameters)
    return type(f"gaussian_mean_{digest}", (GaussianMean,), body)


def gaussian_mean(function: Expr, z: Symbol, mean: Expr, variance: Expr) -> Expr:
    """The mean of a function of one normal variable, in the score that it is a function of."""
    shift, slope = _score(function, z)
    inside = expand(function.subs(z, (Z - shift) / slope))
    parameters = tuple(sorted(inside.free_symbols - {Z}, key=str))
    return _kind(inside, 0, parameters)(slope * mean + shift, slope**2 * variance, *parameters)


def _score(function: Expr, z: Symbol) -> tuple[Expr, Expr]:
    """The steepest affine form of z that is an argument of a function, as shift and slope."""
    found: tuple[Expr, Expr] = (0 * z, z / z)
    for part in preorder_traversal(function):
        if isinstance(part, Function) and part.has(z):
            form = part.args[0].as_poly(z)
            if form is not None and form.degree() == 1:
                slope, shift = form.all_coeffs()
                ratio = slope / found[1]
                if found[1] == 1 or (ratio.is_number and abs(ratio) > 1):
                    found = (shift, slope)
    return found


# -- quadrature ----------------------------------------------------------------------------------


def _hermite(z: Any, order: int) -> Any:
    """The polynomials He of probability theory."""
    value, before = z**0, 0 * z
    for k in range(order):
        value, before = z * value - k * before, value
    return value


def trapezoid_arrays(
    f: Callable[..., Any], order: int, m: Any, v: Any, *parameters: Any
) -> NDArray[np.float64]:
    """Means over arrays that broadcast; f(z, ...) is a pair, the derivative and the function."""
    arrays = np.broadcast_arrays(*(np.asarray(x, dtype=np.float64) for x in (m, v, *parameters)))
    shape = arrays[0].shape
    mean, spread, *values = (x.reshape(-1)[:, None] for x in arrays)
    spread = np.sqrt(spread)
    found = np.full(mean.shape[0], np.nan)
    with np.errstate(invalid="ignore"):
        levels = np.ceil(np.log2(np.maximum(spread[:, 0], 1.0)))
    for level in np.unique(levels[np.isfinite(levels)]):
        left = np.flatnonzero(levels == level)
        step = STEP / 2.0**level

        def sums(rows: Any, step: float, start: float, steep: Any = level > 0) -> Any:
            """The rule for the integrand and for its size, some nodes at a time."""
            nodes = np.arange(start - REACH, REACH + step / 4, step)
            total, size = np.zeros(len(rows)), np.zeros(len(rows))
            for first in range(0, len(nodes), 64):
                z = nodes[first : first + 64]
                bell = np.exp(-z * z / 2) * (step / np.sqrt(2 * np.pi))
                at = f(mean[rows] + spread[rows] * z, *(x[rows] for x in values))
                if steep:
                    bell = bell * _hermite(z, order) / spread[rows] ** order
                terms = at[int(steep)] * bell
                total += terms.sum(axis=-1)
                size += np.abs(terms).sum(axis=-1)
            return total, size

        total, size = sums(left, step, 0.0)
        for _ in range(HALVINGS):
            other, more = sums(left, step, step / 2)
            agree = np.abs(total - other) <= AGREED * (size + more)
            total, size, step = (total + other) / 2, (size + more) / 2, step / 2
            found[left[agree]] = total[agree]
            left, total, size = left[~agree], total[~agree], size[~agree]
            if not left.size:
                break
    result: NDArray[np.float64] = found.reshape(shape)
    return result


def trapezoid_mpmath(f: Callable[..., Any], order: int, m: Any, v: Any, *parameters: Any) -> Any:
    """The same of numbers, to the working precision."""
    digits = mpmath.mp.dps + 5
    spread, agreed = mpmath.sqrt(v), mpmath.mpf(10) ** (-digits * 2 // 3)
    reach = mpmath.sqrt(2 * digits * mpmath.log(10)) + 2
    step = mpmath.mpf(STEP) / max(1, mpmath.ceil(spread))
    steep = spread > 1

    def sums(start: Any) -> tuple[Any, Any]:
        terms = []
        for n in range(int(2 * reach / step) + 2):
            z = start - reach + n * step
            term = f(m + spread * z, *parameters)[int(steep)] * mpmath.npdf(z) * step
            terms.append(term * _hermite(z, order) / spread**order if steep else term)
        return mpmath.fsum(terms), mpmath.fsum(map(abs, terms))

    total, size = sums(mpmath.mpf(0))
    for _ in range(HALVINGS):
        other, more = sums(step / 2)
        agree = abs(total - other) <= agreed * (size + more)
        total, size, step = (total + other) / 2, (size + more) / 2, step / 2
        if agree:
            return total
    return mpmath.nan


# The same for Numba, of one number.
NUMBA_SOURCE = f"""\
def NAME(m, v, PARAMETERS):
    spread = sqrt(v)
    step = {STEP} / 2.0 ** np.ceil(np.log2(max(spread, 1.0)))
    total, size, start, count = 0.0, 0.0, -{REACH}, int({2 * REACH} / step) + 1
    for halving in range({HALVINGS + 1}):
        other, more = 0.0, 0.0
        for n in range(count):
            z = start + n * step
            if spread > 1.0:
                term, before = 1.0, 0.0
                for k in range(ORDER):
                    term, before = z * term - k * before, term
                term *= BODY(m + spread * z, PARAMETERS)[1] / spread**ORDER
            else:
                term = BODY(m + spread * z, PARAMETERS)[0]
            term *= exp(-0.5 * z * z) * step
            other += term
            more += abs(term)
        if halving == 0:
            total, size, start = other, more, start + 0.5 * step
            continue
        agree = abs(total - other) <= {AGREED} * (size + more)
        total, size = 0.5 * (total + other), 0.5 * (size + more)
        if agree:
            return total * {1 / math.sqrt(2 * math.pi)!r}
        count, step = 2 * count, 0.5 * step
        start = -{REACH} + 0.5 * step
    return nan
"""

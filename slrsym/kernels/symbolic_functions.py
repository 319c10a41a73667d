"""Special functions for compiled code as SymPy functions, with their derivatives."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cache
from typing import Any, ClassVar

import sympy as sp
from sympy import Expr, Function, Symbol, erf, exp, expand, pi, sqrt

from slrsym.gaussian import (
    Expectation,
    GaussianLaw,
    erf_prime,
    standard_normal,
)


class ErfVariance(Function):  # type: ignore[misc]
    r"""The variance of :math:`\operatorname{erf}(t + sG)` for a standard normal G."""

    nargs = 2

    def fdiff(self, argindex: int = 1) -> Expr:
        """Return the derivative of the variance of erf(t + s G) in t or in s."""
        t, s = self.args
        wide, narrow = sqrt(1 + 2 * s**2), sqrt(1 + 4 * s**2)
        a = t / wide
        bell = erf_prime(a).rewrite(exp) / wide
        less = erf(a / narrow) - erf(a)
        if argindex == 1:
            return 2 * bell * less
        inner = erf_prime(a / narrow).rewrite(exp) / narrow
        return 2 * s / wide * bell * (inner - 2 * a * less)

    def as_integral(self) -> Expr:
        """Return the variance of erf(t + s G) as a factor times the integral `DecayIntegral`."""
        t, s = self.args
        square = 1 + 4 * s**2
        exponent, low, width = t**2 / (1 + 2 * s**2), 1 / sqrt(square), 4 * s**2 / square
        front = 4 / pi * exp(-exponent) * exp(-exponent / square)
        return front * DecayIntegral(exponent, DecayCoefficients(low, width / (1 + low)))


def zeta_by_variance(t: Any, s: Any) -> Expr:
    """Return zeta(t, s), the mean of erf(t + s G)^2, as the variance and the square of the mean."""
    return ErfVariance(t, s) + erf(t / sqrt(1 + 2 * s**2)) ** 2


class DecayCoefficients(Function):  # type: ignore[misc]
    """Series coefficients, independent of E, by which the integral `DecayIntegral` is evaluated."""

    nargs = 2


class DecayIntegral(Function):  # type: ignore[misc]
    r"""The integral :math:`\int_0^w e^{-Er} / (1 + l^2 + r)\,dy` with r = y (2l + y).

    The second argument is `DecayCoefficients`; w is 1 - l, which is computed without cancellation.
    """

    nargs = 2

    @classmethod
    def eval(cls, exponent: Expr, coefficients: Expr) -> Expr | None:
        """Return the elementary value of the integral `DecayIntegral` at exponent 0, else None."""
        if exponent.is_zero and isinstance(coefficients, DecayCoefficients):
            low, width = coefficients.args
            return sp.atan(width / (1 + low * (low + width)))
        return None


class ErfCovariance(Function):  # type: ignore[misc]
    r"""The covariance of erf of two Gaussian variables.

    If their means over :math:`\sqrt{1 + 2v}`, with the variances v, are x and y, so that erf has
    the means erf(x) and erf(y), and :math:`r = 2c / \sqrt{(1 + 2v)(1 + 2v')}` with the covariance
    c, it is, by Plackett (1954), an integral of a positive function of t up to the arc sine of r;
    with :math:`w^2 = (1 - \sin t)/(1 + \sin t)`

    .. math:: \frac4\pi e^{-(x^2 + y^2)/2} \int_{\sqrt{(1-r)/(1+r)}}^1
              e^{-((x+y)^2 w^2 + (x-y)^2/w^2)/4} \frac{dw}{1 + w^2}.
    """

    nargs = 3

    @classmethod
    def eval(cls, x: Expr, y: Expr, r: Expr) -> Expr | None:
        """Return the covariance of erf in closed form at r = 0 or at x = y = 0, else None."""
        if r.is_zero:
            return r
        if x.is_zero and y.is_zero:
            return 2 / pi * sp.asin(r)
        return None

    def fdiff(self, argindex: int = 1) -> Expr:
        """Return the partial derivative of the covariance of erf in x, y or r, in closed form."""
        x, y, r = self.args
        left = 1 - r**2
        if argindex == 3:
            return 2 / pi * exp(-(x**2 - 2 * r * x * y + y**2) / left) / sqrt(left)
        if argindex == 2:
            x, y = y, x
        bell = erf_prime(x).rewrite(exp)
        return bell * (erf((y - r * x) / sqrt(left)) - erf(y))


class DifferenceFromErf(Function):  # type: ignore[misc]
    r"""The difference :math:`x - \operatorname{erf}(y)`, which may be much smaller than x."""

    nargs = 2

    def fdiff(self, argindex: int = 1) -> Expr:
        """Return the partial derivative of x - erf(y) in x or in y."""
        return 1 if argindex == 1 else -erf_prime(self.args[1]).rewrite(exp)


# -- means by quadrature -----------------------------------------------------------------------

# The variables of functions whose means are computed; a function of one has the first.
Z = Symbol("z", real=True)
VARIABLES = (Z, Symbol("z_2", real=True))


class GaussianMean(Function):  # type: ignore[misc]
    """The mean of a partial derivative of a function of one or two jointly normal variables.

    Its arguments are the means, the covariances (the upper triangle, row by row), and values of the
    function's parameters.
    """

    function: ClassVar[Expr]
    orders: ClassVar[tuple[int, ...]]
    parameters: ClassVar[tuple[Symbol, ...]]
    is_real = True
    # SymPy puts the terms of a sum in order by the values of numbers, which take seconds here.
    is_number = False

    def fdiff(self, argindex: int = 1) -> Expr:
        """Return the derivative in the mean of one variable; raise an error for other arguments."""
        if argindex > len(self.orders):
            raise ValueError("means by quadrature are differentiated in the means of the arguments")
        orders = tuple(n + (i == argindex - 1) for i, n in enumerate(self.orders))
        return _kind(self.function, orders, self.parameters)(*self.args)

    @classmethod
    def variables(cls) -> tuple[Symbol, ...]:
        """Return the symbols of the one or two normal variables that a Gaussian mean is over."""
        return VARIABLES[: len(cls.orders)]

    @classmethod
    def integrand(cls) -> Expr:
        """Return the integrand of a Gaussian mean: its function, differentiated."""
        return _derivative(cls.function, cls.orders)

    def as_expectation(self) -> Expectation:
        """Return the Gaussian mean as an unevaluated `Expectation`."""
        count = len(self.orders)
        entries = count * (count + 3) // 2
        values = dict(zip(self.parameters, self.args[entries:], strict=True))
        integrand = self.integrand().xreplace(values)
        if count == 1:
            m, v = self.args[:2]
            G = Symbol("G", real=True)
            return Expectation(integrand.subs(Z, m + sqrt(v) * G), standard_normal(G))
        *means, first, both, second = self.args[:entries]
        law = GaussianLaw(dict(zip(VARIABLES, means, strict=True)), [[first, both], [both, second]])
        return Expectation(integrand, law)

    def _eval_evalf(self, prec: int) -> Expr | None:
        return self.as_expectation()._eval_evalf(prec)

    def _latex(self, printer: Any, exp: Any = None) -> str:
        text = str(printer._print(self.as_expectation()))
        return text if exp is None else rf"\left({text}\right)^{{{exp}}}"

    def _sympystr(self, printer: Any) -> str:
        return str(printer._print(self.as_expectation()))


@cache
def _derivative(function: Expr, orders: tuple[int, ...]) -> Expr:
    place = next((i for i, n in enumerate(orders) if n), None)
    if place is None:
        return function
    lower = tuple(n - (i == place) for i, n in enumerate(orders))
    slope = _derivative(function, lower).diff(VARIABLES[place])
    if len(orders) > 1:
        # Multiplied out, products of functions of one variable each would have many terms.
        return slope
    # Expanded, quotients of polynomials would have more terms with each derivative.
    return sp.factor(slope) if slope.is_rational_function(Z) else expand(slope)


@cache
def _kind(
    function: Expr, orders: tuple[int, ...], parameters: tuple[Symbol, ...]
) -> type[GaussianMean]:
    digest = hashlib.sha256(f"{function} {orders} {parameters}".encode()).hexdigest()[:12]
    body = {"function": function, "orders": orders, "parameters": parameters}
    body["nargs"] = len(orders) * (len(orders) + 3) // 2 + len(parameters)
    return type(f"gaussian_mean_{digest}", (GaussianMean,), body)


def gaussian_mean(function: Expr, law: GaussianLaw) -> Expr:
    """Return a symbolic `GaussianMean` of a smooth function of a law's one or two variables."""
    scores = [_score(function, z, law.symbols) for z in law.symbols]
    places = zip(law.symbols, VARIABLES, scores, strict=False)
    inside = function.subs(
        {z: (name - shift) / slope for z, name, (shift, slope) in places}, simultaneous=True
    )
    count = len(scores)
    inside = expand(inside) if count == 1 else inside
    parameters = tuple(sorted(inside.free_symbols - set(VARIABLES[:count]), key=str))
    means = [
        slope * law.mean[z] + shift for z, (shift, slope) in zip(law.symbols, scores, strict=True)
    ]
    entries = [
        scores[i][1] * scores[j][1] * law.cov[i, j] for i in range(count) for j in range(i, count)
    ]
    return _kind(inside, (0,) * count, parameters)(*means, *entries, *parameters)


def _score(function: Expr, z: Symbol, variables: Sequence[Symbol]) -> tuple[Expr, Expr]:
    """Return shift and slope of the steepest affine form of z inside a function's arguments.

    In a form of several variables the shift is left out.
    """
    found: tuple[Expr, Expr] = (0 * z, z / z)
    for part in sp.preorder_traversal(function):
        if isinstance(part, Function) and part.has(z):
            form = part.args[0].as_poly(z)
            if form is not None and form.degree() == 1:
                slope, shift = form.all_coeffs()
                if slope.has(*variables):
                    continue
                ratio = slope / found[1]
                if found[1] == 1 or (ratio.is_number and abs(ratio) > 1):
                    found = (0 * z if shift.has(*variables) else shift, slope)
    return found

"""Special functions of the kernels as SymPy functions, with their derivatives."""

from __future__ import annotations

import hashlib
from functools import cache
from typing import Any, ClassVar

from sympy import (
    Expr,
    Function,
    Symbol,
    asin,
    atan,
    erf,
    exp,
    expand,
    factor,
    pi,
    preorder_traversal,
    sqrt,
)

from slrsym.gaussian import Expectation, erf_prime, normal_cdf, normal_pdf, standard_normal


class ErfVariance(Function):  # type: ignore[misc]
    r"""The variance of :math:`\operatorname{erf}(t + sG)`, as a function of t and s."""

    nargs = 2

    def fdiff(self, argindex: int = 1) -> Expr:
        """The derivative in t, by Lemma 18 (v), or in s, by the heat equation for zeta."""
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
        """The variance by a `DecaySeries`, with x counted from its lower end."""
        t, s = self.args
        square = 1 + 4 * s**2
        exponent, low, width = t**2 / (1 + 2 * s**2), 1 / sqrt(square), 4 * s**2 / square
        front = 4 / pi * exp(-exponent) * exp(-exponent / square)
        return front * DecaySeries(exponent, DecayCoefficients(low, width / (1 + low)))


class DecayCoefficients(Function):  # type: ignore[misc]
    """What `DecaySeries` needs of l and w: a polynomial's coefficients, where there is one."""

    nargs = 2


class DecaySeries(Function):  # type: ignore[misc]
    r"""Of E, l and w: :math:`\int_0^w e^{-Er} / (1 + l^2 + r)\,dy`, r = y (2l + y).

    The second argument is `DecayCoefficients`; w is 1 - l, which is computed without cancellation.
    """

    nargs = 2

    @classmethod
    def eval(cls, exponent: Expr, coefficients: Expr) -> Expr | None:
        """Without the exponential it is elementary."""
        if exponent.is_zero and isinstance(coefficients, DecayCoefficients):
            low, width = coefficients.args
            return atan(width / (1 + low * (low + width)))
        return None


class ErfCovariance(Function):  # type: ignore[misc]
    r"""The covariance of erf at two Gaussian variables.

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
        """Known values."""
        if r.is_zero:
            return r
        if x.is_zero and y.is_zero:
            return 2 / pi * asin(r)
        return None

    def fdiff(self, argindex: int = 1) -> Expr:
        """The derivatives, which are elementary."""
        x, y, r = self.args
        left = 1 - r**2
        if argindex == 3:
            return 2 / pi * exp(-(x**2 - 2 * r * x * y + y**2) / left) / sqrt(left)
        if argindex == 2:
            x, y = y, x
        bell = erf_prime(x).rewrite(exp)
        return bell * (erf((y - r * x) / sqrt(left)) - erf(y))


class BivariateNormal(Function):  # type: ignore[misc]
    r"""The probability that :math:`G \le h` and :math:`G' \le k`, for a correlation r."""

    nargs = 3

    def fdiff(self, argindex: int = 1) -> Expr:
        """The derivatives, which are elementary."""
        h, k, r = self.args
        if argindex == 3:
            square = (h**2 - 2 * r * h * k + k**2) / (1 - r**2)
            return exp(-square / 2) / (2 * pi * sqrt(1 - r**2))
        if argindex == 2:
            h, k = k, h
        return normal_pdf(h) * normal_cdf((k - r * h) / sqrt(1 - r**2))

    def by_covariance(self) -> Expr:
        """The product of the two probabilities, and a covariance."""
        h, k, r = self.args
        return normal_cdf(h) * normal_cdf(k) + ErfCovariance(h / sqrt(2), k / sqrt(2), r) / 4


class ErfDefect(Function):  # type: ignore[misc]
    r"""The difference :math:`x - \operatorname{erf}(y)`, maybe much smaller than its terms."""

    nargs = 2

    def fdiff(self, argindex: int = 1) -> Expr:
        """The derivatives, which are elementary."""
        return 1 if argindex == 1 else -erf_prime(self.args[1]).rewrite(exp)


# -- means by quadrature -----------------------------------------------------------------------

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

    def _latex(self, printer: Any, exp: Any = None) -> str:
        text = str(printer._print(self.as_expectation()))
        return text if exp is None else rf"\left({text}\right)^{{{exp}}}"

    def _sympystr(self, printer: Any) -> str:
        return str(printer._print(self.as_expectation()))


@cache
def _derivative(function: Expr, order: int) -> Expr:
    if not order:
        return function
    slope = _derivative(function, order - 1).diff(Z)
    # Expanded, quotients of polynomials would have more terms with each derivative.
    return factor(slope) if slope.is_rational_function(Z) else expand(slope)


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

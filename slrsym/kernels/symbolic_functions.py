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
    normal_cdf,
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
        low = CosineOfSlope(2 * s)
        exponent, width = t**2 / (1 + 2 * s**2), SineOfSlope(2 * s) ** 2 / (1 + low)
        front = 4 / pi * exp(-exponent) * exp(-exponent / (1 + 4 * s**2))
        return front * DecayIntegral(exponent, DecayCoefficients(low, width))


class WithSlopesOfZeta(Function):  # type: ignore[misc]
    """The first argument, which is zeta(t, s) of the others; JAX differentiates it as such.

    Slopes of a variance and a square are of one size, and their sum may be much smaller.
    """

    nargs = 3


def zeta_by_variance(t: Any, s: Any) -> Expr:
    """Return zeta(t, s), the mean of erf(t + s G)^2, as the variance and the square of the mean."""
    return ErfVariance(t, s) + erf(t / sqrt(1 + 2 * s**2)) ** 2


# -- factors at extreme arguments --------------------------------------------------------------


class CosineOfSlope(Function):  # type: ignore[misc]
    r"""The cosine of the angle of slope x, :math:`1/\sqrt{1 + x^2}`, also for huge x.

    At infinity it is the least positive number, so that its product with infinity is infinite.
    """

    nargs = 1

    @classmethod
    def eval(cls, x: Expr) -> Expr | None:
        """Return the cosine at slope 0, else None."""
        return sp.S.One if x.is_zero else None


class SineOfSlope(Function):  # type: ignore[misc]
    r"""The sine of the angle of slope x, :math:`x/\sqrt{1 + x^2}`, also for huge x."""

    nargs = 1

    @classmethod
    def eval(cls, x: Expr) -> Expr | None:
        """Return the sine at slope 0, else None."""
        return sp.S.Zero if x.is_zero else None


class ScaledArgument(Function):  # type: ignore[misc]
    """The product of two arguments, whose powers SymPy does not take apart: they may overflow.

    Where one is 0 and the other infinite it is 0.
    """

    nargs = 2

    @classmethod
    def eval(cls, x: Expr, scale: Expr) -> Expr | None:
        """Return a product with 0 or 1, else None."""
        return x * scale if x.is_zero or scale == 1 else None


class OverRoot(Function):  # type: ignore[misc]
    r"""The quotient :math:`x/\sqrt{1 + c y^2}` of x, c > 0 and y, also for huge x and y.

    Where both are infinite it is x.
    """

    nargs = 3


class DividedSquare(Function):  # type: ignore[misc]
    r"""The quotient :math:`x^2/(1 + c y^2)` of x, c and y, also for huge x and y.

    Exponents are computed by it: their relative errors grow with their size in an exponential, so
    that at ordinary arguments nothing is rounded but what is in the formula.
    """

    nargs = 3


class DampedFactor(Function):  # type: ignore[misc]
    """A factor of the exponential of u, which is the first argument: 0 where u is below -10^6.

    No factor that grows like a power makes up for such an exponential in a double, although it may
    be infinite, or not a number, itself.
    """

    nargs = 2


def with_safe_factors(expr: Expr, fixed: frozenset[Symbol] = frozenset()) -> Expr:
    """Write products so that factors which overflow meet none that vanish, for backends.

    Extreme values of the `fixed` symbols are left aside where parts without others would no longer
    be computed once for all states.
    """
    # To replace nothing takes as long as to replace much.
    if expr.has(exp, DecayIntegral):
        expr = expr.replace(
            lambda e: isinstance(e, exp | DecayIntegral),
            lambda e: e.func(_safe_exponent(e.args[0], fixed), *e.args[1:]),
        )
    if any(_power_of_cosine(power) is not power for power in expr.atoms(sp.Pow)):
        expr = expr.replace(lambda e: isinstance(e, sp.Pow), _power_of_cosine)
    if expr.has(exp, CosineOfSlope):
        expr = expr.replace(lambda e: isinstance(e, sp.Mul), lambda e: _safe_product(e, fixed))
    return expr


def _safe_exponent(arg: Expr, fixed: frozenset[Symbol]) -> Expr:
    """Write x^2 (1 + c y^2) as x^2 + c (x y)^2, and x^2 y^2 as (x y)^2, in an exponent.

    What is over 1 + c y^2 becomes a `DividedSquare`, with y itself above if its square is a factor.
    """
    if arg.is_Add:
        return sp.Add(*(_safe_exponent(x, fixed) for x in arg.args))
    if any(f.is_Pow and f.exp.is_negative for f in sp.Mul.make_args(arg)):
        return _safe_quotient(arg, fixed)
    if not arg.is_Mul:
        return arg
    sums = [f for f in arg.args if f.is_Add and len(f.args) == 2 and f.args[0] == 1]
    squares = [f for f in arg.args if f.is_Pow and f.exp == 2 and f.base.is_Symbol]
    if len(squares) == 2 and not sums:
        first, second = squares
        if (first.base in fixed) != (second.base in fixed):
            return arg
        return arg / (first * second) * ScaledArgument(first.base, second.base) ** 2
    if len(sums) != 1 or len(squares) != 1:
        return arg
    number, square = sums[0].args[1].as_coeff_Mul()
    if not (square.is_Pow and square.exp == 2 and square.base.is_Symbol):
        return arg
    rest = arg / (sums[0] * squares[0])
    return rest * squares[0] + rest * number * ScaledArgument(square.base, squares[0].base) ** 2


def _safe_quotient(arg: Expr, fixed: frozenset[Symbol]) -> Expr:
    factors = sp.Mul.make_args(arg)
    under = [(f, *parts) for f in factors if f.is_Pow and f.exp == -1
             if (parts := _slope(f.base))]  # fmt: skip
    squares = [f.base for f in factors if f.is_Pow and f.exp == 2 and f.base.is_Symbol]
    quotient, rest = sp.S.One, arg
    for power, c, y in sorted(under, key=str):
        above = sp.S.One
        if y in squares:
            above = y
        elif quotient == 1 and len(squares) == 1 and _of_one_kind(squares[0], y, fixed):
            above = squares[0]
        squares = [x for x in squares if x != above]
        rest /= power * above**2
        part = DividedSquare(above, c, y)
        quotient = part if quotient == 1 else ScaledArgument(quotient, part)
    return rest * quotient


def _of_one_kind(x: Expr, scale: Expr, fixed: frozenset[Symbol]) -> bool:
    """Return False if a scale is computed once for all states, and x is not."""
    return x in fixed or not scale.free_symbols <= fixed


def _slope(square: Expr) -> tuple[Expr, Expr] | None:
    """Return c > 0 and x of 1 + c x^2, or None for another expression."""
    constant, rest = square.as_coeff_Add()
    number, power = rest.as_coeff_Mul()
    is_square = power.is_Pow and power.exp == 2 and power.base.is_real
    return (number, power.base) if constant == 1 and number.is_positive and is_square else None


def _power_of_cosine(power: Expr) -> Expr:
    """Return a negative power of the root of 1 + c x^2, for c > 0, as one of a cosine."""
    if not (2 * power.exp).is_Integer or power.exp >= 0 or not (parts := _slope(power.base)):
        return power
    number, x = parts
    return CosineOfSlope(sqrt(number) * x) ** (-2 * power.exp)


def _safe_product(product: Expr, fixed: frozenset[Symbol]) -> Expr:
    powers = product.as_powers_dict()
    for cosine in [base for base in powers if isinstance(base, CosineOfSlope)]:
        root, x = cosine.args[0].as_independent(sp.Symbol, as_Add=False)
        both = sp.Min(powers[cosine], powers.get(x, 0))
        if both.is_Integer and both > 0:
            sine = (SineOfSlope(cosine.args[0]) / root) ** both
            product = product / (cosine * x) ** both * sine
            powers = product.as_powers_dict()
    for cosine in sorted(
        (c for c in powers if isinstance(c, CosineOfSlope)), key=str, reverse=True
    ):
        bases = (
            x for x, n in powers.items()
            if x.is_Symbol and n.is_Integer and n > 0 and _of_one_kind(x, cosine, fixed)
        )  # fmt: skip
        for x in sorted(bases, key=str)[:1]:
            both = sp.Min(powers[cosine], powers[x])
            if both.is_Integer and both > 0:
                root, y = cosine.args[0].as_independent(sp.Symbol, as_Add=False)
                product = product / (cosine * x) ** both * OverRoot(x, root**2, y) ** both
                powers = product.as_powers_dict()
    bell, others = sp.S.One, []
    for factor in sp.Mul.make_args(product):
        if isinstance(factor, exp):
            bell = bell * factor
        else:
            others.append(factor)
    rest = sp.Mul(*others)
    number, rest = rest.as_independent(sp.Symbol, as_Add=False)
    inside = [part for part in rest.atoms(exp, GaussianMean) if not _is_at_most_one(part)]
    if not isinstance(bell, exp) or rest == 1 or inside or rest.has(DampedFactor):
        return product
    # What grows in another variable than the exponential falls in is none of its factors.
    bounded = rest.atoms(*_BOUNDED)
    growing = rest.xreplace(dict.fromkeys(bounded, sp.S.One)).free_symbols
    if not growing <= bell.free_symbols:
        return product
    if growing <= fixed and all(_is_a_number(x, fixed) for x in bounded):
        return product
    return number * bell * DampedFactor(bell.args[0], rest)


_MONOTONE = (erf, sp.erfc, normal_cdf, sp.sign, sp.tanh)
_BOUNDED = (*_MONOTONE, sp.sin, sp.cos)


def _is_a_number(bounded: Expr, fixed: frozenset[Symbol]) -> bool:
    """Return whether a bounded function has a value even at infinity, for finite fixed symbols."""
    arg = bounded.args[0]
    return bounded.func in _MONOTONE and not arg.is_Add and len(arg.free_symbols - fixed) <= 1


def _is_at_most_one(part: Expr) -> bool:
    return isinstance(part, exp) and part.args[0].is_nonpositive is True


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
    # Among the arguments, of one variable.
    place_of_variance: ClassVar[int] = 1
    # Whether a quadrature's first nodes see all there is of the integrand.
    has_no_gaps: ClassVar[bool] = False
    is_real = True
    # SymPy puts the terms of a sum in order by the values of numbers, which take seconds here.
    is_number = False

    def fdiff(self, argindex: int = 1) -> Expr:
        """Return the derivative in a mean, a covariance or a parameter."""
        count, place = len(self.orders), argindex - 1
        entries = count * (count + 3) // 2
        if place >= entries:
            slope = self.function.diff(self.parameters[place - entries])
            if slope == 0:
                return sp.S.Zero
            found: Expr = _kind(slope, self.orders, self.parameters)(*self.args)
            return found
        pairs = [(i, j) for i in range(count) for j in range(i, count)]
        # By the heat equation.
        moved = (place,) if place < count else pairs[place - count]
        orders = tuple(n + moved.count(i) for i, n in enumerate(self.orders))
        half = sp.Rational(1, 2) if len(set(moved)) < len(moved) else sp.S.One
        return half * _kind(self.function, orders, self.parameters)(*self.args)

    @classmethod
    def variables(cls) -> tuple[Symbol, ...]:
        """Return the symbols of the one or two normal variables that a Gaussian mean is over."""
        return VARIABLES[: len(cls.orders)]

    @classmethod
    def integrand(cls) -> Expr:
        """Return the integrand of a Gaussian mean: its function, differentiated."""
        return _derivative(cls.function, cls.orders)

    @classmethod
    def stated_function(cls) -> Expr:
        """Return the function in the words of messages: as it is, whatever the quadrature is of."""
        return cls.function

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


def gaussian_mean(function: Expr, law: GaussianLaw, rescaled: bool = True) -> Expr:
    """Return a symbolic `GaussianMean` of a smooth function of a law's one or two variables.

    Unless it is not to be `rescaled`, the steepest form in each variable takes its place.
    """
    scores = [
        _score(function, z, law.symbols) if rescaled else (sp.S.Zero, sp.S.One) for z in law.symbols
    ]
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

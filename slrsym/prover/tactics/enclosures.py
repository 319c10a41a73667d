"""Enclosures of Gaussian means without a closed form, which the proof checker does not verify.

The mean of a function of one standard Gaussian is the integral against its density between -R and
R, which Arb encloses rigorously, and two tails, bounded by means of A exp(c |z|) >= |f(z)|.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from operator import add, mul
from typing import Any, TypeAlias

import sympy as sp
from flint import acb, arb, ctx, fmpq
from sympy import Abs, Add, Dummy, Expr, Heaviside, Max, Min, Mul, Pow, Rational, S

from slrsym.checker import Rejected
from slrsym.gaussian.binding import Expectation
from slrsym.gaussian.integrand import replace_affine_forms_by_symbols
from slrsym.gaussian.law import GaussianLaw
from slrsym.gaussian.special_functions import erf_prime, erf_second, normal_cdf, normal_pdf

_BITS, _REACH = 128, 14
Ball: TypeAlias = Any


def rational_bounds_of_mean(mean: Expectation) -> tuple[Rational, Rational]:
    """Return rational bounds of the mean of a function of one affine form of a Gaussian vector."""
    if mean.free_symbols:
        raise Rejected(f"{min(mean.free_symbols, key=str)} has no value here")
    with ctx.workprec(_BITS):
        value = _enclose_mean(mean)
        return _to_rational(value.lower()), _to_rational(value.upper())


def _to_rational(x: arb) -> Rational:
    found = x.fmpq()
    return Rational(int(found.p), int(found.q))


_ENTIRE: dict[type, Callable[[Ball], Ball]] = {
    sp.exp: lambda x: x.exp(),
    sp.erf: lambda x: x.erf(),
    sp.erfc: lambda x: x.erfc(),
    sp.sin: lambda x: x.sin(),
    sp.cos: lambda x: x.cos(),
    sp.sinh: lambda x: x.sinh(),
    sp.cosh: lambda x: x.cosh(),
    # tanh has poles, at which Arb's balls are not finite.
    sp.tanh: lambda x: x.tanh(),
    erf_prime: lambda x: 2 * (-x * x).exp() / acb(arb.pi()).sqrt(),
    erf_second: lambda x: -4 * x * (-x * x).exp() / acb(arb.pi()).sqrt(),
    normal_pdf: lambda x: (-x * x / 2).exp() / acb(2 * arb.pi()).sqrt(),
    normal_cdf: lambda x: (-x / acb(2).sqrt()).erfc() / 2,
}
_NAN = acb(arb.nan())


def _enclose(expr: Expr, values: dict[Any, Ball], analytic: bool) -> Ball:
    """Enclose the value of an expression in a ball, infinite if it may not be analytic there."""

    def of(part: Expr) -> Ball:
        return _enclose(part, values, analytic)

    if expr in values:
        return values[expr]
    if isinstance(expr, Rational):
        return acb(fmpq(int(expr.p), int(expr.q)))
    if expr is sp.pi:
        return acb(arb.pi())
    if expr is sp.E:
        return acb(1).exp()
    if isinstance(expr, Add):
        return reduce(add, map(of, expr.args))
    if isinstance(expr, Mul):
        return reduce(mul, map(of, expr.args))
    if isinstance(expr, Pow) and isinstance(expr.exp, Rational):
        return _enclose_power(of(expr.base), expr.exp, bool(values) and analytic)
    if type(expr) in _ENTIRE:
        return _ENTIRE[type(expr)](of(expr.args[0]))
    if isinstance(expr, Abs):
        return of(expr.args[0]).real_abs(analytic=analytic)
    if isinstance(expr, sp.sign):
        return of(expr.args[0]).real_sgn(analytic=analytic)
    if isinstance(expr, Heaviside) and expr.args[1:] == (S.Half,):
        return of(expr.args[0]).real_heaviside(analytic=analytic)
    if isinstance(expr, Max | Min):
        first, *rest = map(of, expr.args)
        for other in rest:
            chosen = first.real_max if isinstance(expr, Max) else first.real_min
            first = chosen(other, analytic=analytic)
        return first
    if isinstance(expr, sp.log):
        x = of(expr.args[0])
        return x.log(analytic=analytic) if analytic or x.real > 0 else _NAN
    if isinstance(expr, sp.atan | sp.asin | sp.acos) and not (expr.free_symbols & set(values)):
        x = of(expr.args[0])
        real = {sp.atan: arb.atan, sp.asin: arb.asin, sp.acos: arb.acos}[expr.func](x.real)
        return acb(real) if x.imag == 0 else _NAN
    if isinstance(expr, sp.atan):
        x = of(expr.args[0])
        # atan is analytic off the branch cuts, which lie on the imaginary axis beyond i and -i.
        return x.atan() if not analytic or abs(x.imag) < 1 or not x.real.contains(0) else _NAN
    if isinstance(expr, Expectation):
        if values:
            raise Rejected("an expectation within another one is not enclosed")
        return acb(_enclose_mean(expr))
    raise Rejected(f"{expr} is not enclosed")


def _enclose_power(base: Ball, power: Rational, analytic: bool) -> Ball:
    if power.is_Integer:
        return base ** int(power)
    if power.q == 2:
        # The root of a negative number is not real, and the mean is refused in the end.
        root = base.sqrt(analytic=analytic)
        return root ** int(power.p)
    if not base.real > 0 and not analytic:
        return _NAN
    return (base.log(analytic=analytic) * fmpq(int(power.p), int(power.q))).exp()


def _enclose_mean(node: Expectation) -> arb:
    """Enclose the mean of a function of one affine form: an integral, with bounds of two tails."""
    law = node.law
    if not isinstance(law, GaussianLaw):
        raise Rejected(f"the law of {node} is not Gaussian")
    z = Dummy("z", real=True)
    body = _in_standard_variable(node.integrand, law, z)
    size, rate = _growth_bound(body, z)
    # Beyond R, the mean of A exp(c |G|) is 2 A exp(c^2/2) times the probability of G > R - c.
    tail = 2 * size * (rate * rate / 2).exp() * ((_REACH - rate) / arb(2).sqrt()).erfc() / 2
    if not tail < arb(2) ** -40:
        raise Rejected(f"{node.integrand} grows too fast for the rule")

    def integrand(x: Ball, analytic: bool) -> Ball:
        return _enclose(body, {z: x}, analytic) * (-x * x / 2).exp()

    # Refuse integrands that are not enclosed here, because Arb passes no exceptions on.
    integrand(acb(1), False)
    # The range is divided at zero, where kinks often are.
    total = acb(0)
    goal = arb(2) ** -60
    for low, high in ((-_REACH, 0), (0, _REACH)):
        total += acb.integral(integrand, low, high, rel_tol=goal, abs_tol=goal)
    value = total / acb(2 * arb.pi()).sqrt()
    if not value.is_finite():
        raise Rejected(f"{node} is not enclosed")
    if not value.imag.contains(0):
        raise Rejected(f"{node} is not real")
    return value.real + arb(0, tail.upper())


def _in_standard_variable(integrand: Expr, law: GaussianLaw, z: Dummy) -> Expr:
    """Write an integrand as a function of one standard normal variable z."""
    involved = sorted(integrand.free_symbols & set(law.symbols), key=str)
    if not involved:
        return integrand
    if len(involved) > 1:
        found = replace_affine_forms_by_symbols(integrand, frozenset(law.symbols))
        if found is None or len(found[1]) != 1:
            raise Rejected(f"{integrand} is not a function of one affine form")
        integrand, ((form, name),) = found[0], tuple(found[1].items())
        law = law.linear_image({name: form})
        involved = [name]
    (x,) = involved
    spread = sp.sqrt(law.covariance(x, x))
    return integrand.xreplace({x: law.mean[x] + spread * z})


def _growth_bound(expr: Expr, z: Dummy) -> tuple[arb, arb]:
    """Return A and c such that an expression is at most A exp(c |z|) in absolute value."""
    if z not in expr.free_symbols:
        return abs(_enclose(expr, {}, False)).upper(), arb(0)
    if expr == z:
        # |z| exp(-|z|/4) is largest at 4.
        return 4 * arb(-1).exp(), arb(fmpq(1, 4))
    if isinstance(expr, Add | Max | Min | Abs):
        sizes, rates = zip(*(_growth_bound(part, z) for part in expr.args), strict=True)
        return reduce(add, sizes), reduce(lambda c, d: c.max(d), rates)
    if isinstance(expr, Mul):
        sizes, rates = zip(*(_growth_bound(part, z) for part in expr.args), strict=True)
        return reduce(mul, sizes), reduce(add, rates)
    if isinstance(expr, Pow) and expr.exp.is_Rational and expr.exp > 0:
        size, rate = _growth_bound(expr.base, z)
        # A root of A exp(c|z|) is at most max(A, 1) exp(c|z|) to that power.
        power = arb(fmpq(int(expr.exp.p), int(expr.exp.q)))
        return size.max(arb(1)) ** power, rate * power
    if isinstance(
        expr, sp.erf | sp.tanh | sp.sin | sp.cos | sp.sign | Heaviside | normal_cdf | normal_pdf
    ):
        return arb(1), arb(0)
    if isinstance(expr, sp.erfc | sp.atan | erf_prime | erf_second):
        return arb(2), arb(0)
    if isinstance(expr, sp.exp | sp.sinh | sp.cosh):
        return _growth_bound_of_exponential(expr.args[0], z, 2 if isinstance(expr, sp.exp) else 1)
    if isinstance(expr, sp.log):
        # |log u| <= u + 1/u, and u has a positive lower bound.
        size, rate = _growth_bound(expr.args[0], z)
        return size + 1 / _positive_lower_bound(expr.args[0], z), rate
    if isinstance(expr, Pow) and expr.exp.is_Rational:
        least = _positive_lower_bound(expr.base, z)
        return (least ** arb(fmpq(int(expr.exp.p), int(expr.exp.q)))).upper(), arb(0)
    raise Rejected(f"how {expr} grows is not known")


def _growth_bound_of_exponential(argument: Expr, z: Dummy, most: int) -> tuple[arb, arb]:
    """Return the growth bound of the exponential of a polynomial, of degree `most` at most."""
    polynomial = argument.as_poly(z)
    if polynomial is None or polynomial.degree() > most:
        raise Rejected(f"how the exponential of {argument} grows is not known")
    constant, slope, bend = (_enclose(polynomial.nth(k), {}, False).real for k in range(3))
    if polynomial.degree() == 2 and not bend < 0:
        raise Rejected(f"the exponential of {argument} grows too fast for the rule")
    return abs(constant).exp().upper(), abs(slope).upper()


def _positive_lower_bound(expr: Expr, z: Dummy) -> arb:
    """Return a positive lower bound of a sum of a positive constant and nonnegative terms."""
    fixed, loose = expr.as_independent(z, as_Add=True)
    low = _enclose(fixed, {}, False).real.lower()
    if low > 0 and all(_is_plainly_nonnegative(part) for part in Add.make_args(loose)):
        return low
    raise Rejected(f"{expr} is not known to stay away from zero")


def _is_plainly_nonnegative(expr: Expr) -> bool:
    if isinstance(expr, Mul):
        return all(map(_is_plainly_nonnegative, expr.args))
    even = isinstance(expr, Pow) and expr.exp.is_Integer and int(expr.exp) % 2 == 0
    return even or isinstance(expr, Abs | sp.exp | sp.cosh) or bool(expr.is_Rational and expr >= 0)

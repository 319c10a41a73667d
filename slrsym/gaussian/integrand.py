r"""Normal form of integrands: sums of terms that the Gaussian calculus can evaluate.

Every integrand of the supported class is a sum of terms

.. math:: c \; \prod_i x_i^{n_i} \; \exp(q(x)) \; \prod_k \operatorname{erf}(\alpha_k + \beta_k x)
          \; \prod_l \operatorname{sign}(\gamma_l + \delta_l x),

with q a quadratic polynomial whose imaginary part, if any, is affine. The functions erf', erf'',
the normal density and distribution function, sine and cosine are all of this form.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sympy as sp
from sympy import Expr, S, Symbol
from sympy.core.function import Function

from slrsym.gaussian.binding import Binder
from slrsym.gaussian.degeneracy import constant_value, is_zero_sum
from slrsym.gaussian.integrals import DivergenceError
from slrsym.gaussian.kinks_as_signs import (
    UnsupportedIntegrandError,
    rewrite_with_signs,
    total_degree,
)
from slrsym.gaussian.law import GaussianLaw
from slrsym.gaussian.special_functions import erf_prime, erf_second, normal_cdf, normal_pdf


@dataclass(frozen=True)
class IntegrandTerm:
    r"""One addend of an integrand: a coefficient times powers, an exponential, erfs and signs."""

    coefficient: Expr
    powers: tuple[int, ...]
    exponent: Expr
    erf_arguments: tuple[Expr, ...]
    sign_arguments: tuple[Expr, ...] = ()
    zeros: tuple[Expr, ...] = ()

    def as_expr(self, variables: tuple[Symbol, ...]) -> Expr:
        """Return the term as a SymPy expression, without its coefficient."""
        polynomial = sp.Mul(*(x**n for x, n in zip(variables, self.powers, strict=True)))
        return sp.Mul(
            polynomial,
            sp.exp(self.exponent),
            *(sp.erf(u) for u in self.erf_arguments),
            *(sp.sign(u) for u in self.sign_arguments),
            *(sp.DiracDelta(u) for u in self.zeros),
        )


_ELEMENTARY: dict[type[Function], Any] = {
    erf_prime: lambda u: erf_prime(u).rewrite(sp.exp),
    erf_second: lambda u: erf_second(u).rewrite(sp.exp),
    normal_pdf: lambda u: normal_pdf(u).rewrite(sp.exp),
    normal_cdf: lambda u: (1 + sp.erf(u / sp.sqrt(2))) / 2,
    sp.erfc: lambda u: 1 - sp.erf(u),
    sp.sin: lambda u: (sp.exp(sp.I * u) - sp.exp(-sp.I * u)) / (2 * sp.I),
    sp.cos: lambda u: (sp.exp(sp.I * u) + sp.exp(-sp.I * u)) / 2,
    sp.sinh: lambda u: (sp.exp(u) - sp.exp(-u)) / 2,
    sp.cosh: lambda u: (sp.exp(u) + sp.exp(-u)) / 2,
}


def _rewritten(expr: Expr, variables: frozenset[Symbol]) -> Expr:
    """Rewrite supported functions of the variables in terms of powers, exp, erf and signs."""

    def concerns(node: Any) -> bool:
        return type(node) in _ELEMENTARY and bool(node.free_symbols & variables)

    def has_positive_base(node: Any) -> bool:
        return (
            isinstance(node, sp.Pow)
            and bool(node.exp.free_symbols & variables)
            and not node.base.free_symbols & variables
            and node.base.is_positive is True
        )

    expr = expr.replace(concerns, lambda node: _ELEMENTARY[type(node)](*node.args))
    return expr.replace(has_positive_base, lambda node: sp.exp(node.exp * sp.log(node.base)))


def is_affine(form: Expr, variables: frozenset[Symbol]) -> bool:
    """Return whether `form` is a polynomial of degree at most one in the variables."""
    return total_degree(form, variables) <= 1


def replace_affine_forms_by_symbols(
    expr: Expr, variables: frozenset[Symbol]
) -> tuple[Expr, dict[Expr, Symbol]] | None:
    """Replace affine forms by symbols; return the result and the symbols, or None at a binder."""
    names: dict[Expr, Symbol] = {}

    def abstracted(node: Any) -> Any:
        if not node.free_symbols & variables:
            return node
        if isinstance(node, Binder):
            raise UnsupportedIntegrandError
        if isinstance(node, Expr) and is_affine(node, variables):
            return names.setdefault(sp.expand(node), sp.Dummy(f"u_{len(names) + 1}", real=True))
        return node.func(*(abstracted(arg) for arg in node.args))

    try:
        return abstracted(expr), names
    except UnsupportedIntegrandError:
        return None


def expand_into_integrand_terms(expr: Expr, law: GaussianLaw) -> list[IntegrandTerm]:
    """Expand an integrand into a list of products of powers, an exponential, erfs and signs."""
    variables, bound = law.symbols, frozenset(law.symbols)
    smooth = _rewritten(rewrite_with_signs(expr, law), bound)
    expanded = sp.expand(smooth, power_base=False, log=False, trig=False)
    return [_term(addend, variables, bound) for addend in expanded.as_ordered_terms()]


def _term(addend: Expr, variables: tuple[Symbol, ...], bound: frozenset[Symbol]) -> IntegrandTerm:
    coefficient: Expr = S.One
    powers = dict.fromkeys(variables, 0)
    exponent: Expr = S.Zero
    arguments: list[Expr] = []
    signs: list[Expr] = []
    zeros: list[Expr] = []
    for factor in sp.Mul.make_args(addend):
        base, power = factor.as_base_exp() if isinstance(factor, sp.Pow) else (factor, S.One)
        if isinstance(factor, sp.exp):
            exponent += factor.args[0]
        elif not factor.free_symbols & bound:
            coefficient *= factor
        elif not (power.is_Integer and power > 0):
            raise UnsupportedIntegrandError(f"the factor {factor} is not a positive integer power")
        elif base in powers:
            powers[base] += int(power)
        elif isinstance(base, sp.erf):
            arguments.extend([base.args[0]] * int(power))
        elif isinstance(base, sp.sign):
            # An even power is 1 with probability one: no sign of a constant form is left.
            signs.extend([base.args[0]] * (int(power) % 2))
        elif isinstance(base, sp.DiracDelta) and power == 1:
            zeros.append(base.args[0])
        else:
            raise UnsupportedIntegrandError(
                f"{factor} is no polynomial, exponential, erf or sign of affine forms"
            )
    for argument in arguments:
        if not is_affine(argument, bound):
            raise UnsupportedIntegrandError(f"the argument of erf({argument}) is not affine")
    if total_degree(exponent, bound) > 2:
        raise UnsupportedIntegrandError(f"the exponent {exponent} is not quadratic")
    return IntegrandTerm(
        coefficient,
        tuple(powers.values()),
        sp.expand(exponent),
        tuple(arguments),
        tuple(signs),
        tuple(zeros),
    )


def require_no_poles(addend: Expr, law: GaussianLaw) -> None:
    """Raise an error if a negative power has a pole that no other factor cancels."""
    bound = frozenset(law.symbols)
    factors = sp.Mul.make_args(addend)
    for factor in factors:
        if not factor.free_symbols & bound:
            continue
        rest = sp.Mul(*(other for other in factors if other is not factor))
        for zero in _zeros_below(factor):
            where = (
                _affine_pole(zero, law) if is_affine(zero, bound) else _polynomial_pole(zero, law)
            )
            if where is not None and _stands(rest, where):
                raise DivergenceError(
                    f"not integrable: {factor} has a pole where {zero} = 0, inside the Gaussian's "
                    f"support"
                )


def _zeros_below(factor: Expr) -> list[Expr]:
    """Return expressions whose zeros are the poles of one factor of an integrand."""
    base, power = factor.as_base_exp()
    if not power.is_Integer:
        return []
    kind, u = type(base), base.args[0] if base.args else base
    above = {
        sp.tan: sp.cos,
        sp.sec: sp.cos,
        sp.cot: sp.sin,
        sp.csc: sp.sin,
        sp.coth: sp.sinh,
        sp.csch: sp.sinh,
    }
    if power > 0:
        kind = above.get(kind, Expr)
    elif kind in (sp.tan, sp.cot, sp.tanh):
        kind = {sp.tan: sp.sin, sp.cot: sp.cos, sp.tanh: sp.sinh}[kind]
    elif kind not in (sp.sin, sp.cos, sp.sinh, sp.erf):
        return [base]
    if kind in (sp.sinh, sp.erf):
        return [u]
    if kind in (sp.sin, sp.cos):
        start = 0 if kind is sp.sin else sp.pi / 2
        return [u - start - count * sp.pi for count in (0, -1, 1)]
    return []


def _affine_pole(base: Expr, law: GaussianLaw) -> dict[Symbol, Expr] | None:
    if constant_value(base, law) is not None:
        return None
    _, row = law.affine_coefficients(base)
    symbol = next(s for s, c in zip(law.symbols, row, strict=True) if c != 0)
    (solution,) = sp.linsolve([base], [symbol])
    return {symbol: solution[0]}


def _polynomial_pole(base: Expr, law: GaussianLaw) -> dict[Symbol, Expr] | None:
    """Return a real zero of a polynomial, as a value of one of its variables, or None."""
    if len(base.free_symbols) != 1:
        return None
    (symbol,) = base.free_symbols
    polynomial = base.as_poly(symbol)
    if polynomial is None or not all(c.is_Rational for c in polynomial.coeffs()):
        return None
    if is_zero_sum(law.covariance(symbol, symbol)) or polynomial.count_roots() == 0:
        return None
    return {symbol: polynomial.real_roots(radicals=False)[0]}


def _stands(rest: Expr, where: dict[Symbol, Expr]) -> bool:
    """Return whether the other factors of an integrand are nonzero somewhere on a given pole."""
    if rest.free_symbols & set(where):
        rest = rest.subs(where)
    names = sorted(rest.free_symbols, key=str)
    points = (
        {s: sp.Rational(3 + 2 * k + 7 * i, 11 + 4 * i + k) for i, s in enumerate(names)}
        for k in range(2)
    )
    values = [rest.xreplace(point).evalf(15) for point in points]
    return any(v.is_infinite or (v.is_number and abs(v) > sp.Rational(1, 10**9)) for v in values)


def require_slow_growth(core: Expr, law: GaussianLaw) -> None:
    """Raise an error if the integrand grows like exp of a polynomial of degree over two."""
    bound = frozenset(law.symbols)
    exponents = [f.args[0] for f in sp.Mul.make_args(core) if isinstance(f, sp.exp)]
    exponent = sp.expand(sum(exponents)) if exponents else None
    if exponent is None or len(exponent.free_symbols & bound) != 1:
        return
    (symbol,) = exponent.free_symbols & bound
    polynomial = exponent.as_poly(symbol)
    if polynomial is None or polynomial.degree() <= 2:
        return
    leading = polynomial.LC()
    odd = polynomial.degree() % 2 == 1 and leading.is_nonzero
    if law.covariance(symbol, symbol) != 0 and leading.is_real and (odd or leading.is_positive):
        raise DivergenceError(
            f"not integrable: exp({exponent}) outgrows every Gaussian density as {symbol} grows"
        )

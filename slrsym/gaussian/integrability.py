"""Integrands that are certainly not integrable: poles, and exponentials of higher degree."""

from __future__ import annotations

from sympy import Expr, Mul, Pow, Rational, Symbol, exp, expand, linsolve

from slrsym.gaussian.integrals import DivergenceError
from slrsym.gaussian.integrand import is_affine
from slrsym.gaussian.law import GaussianLaw

__all__ = ["forbid_fast_growth", "forbid_poles"]


def forbid_poles(addend: Expr, law: GaussianLaw) -> None:
    """Raise where a negative integer power has a pole that the other factors leave standing."""
    bound = frozenset(law.symbols)
    factors = Mul.make_args(addend)
    for factor in factors:
        if not isinstance(factor, Pow) or not factor.free_symbols & bound:
            continue
        base, power = factor.as_base_exp()
        if not (power.is_Integer and power < 0):
            continue
        rest = Mul(*(other for other in factors if other is not factor))
        where = _affine_pole(base, law) if is_affine(base, bound) else _polynomial_pole(base, law)
        if where is not None and _stands(rest, where):
            raise DivergenceError(
                f"not integrable: {factor} has a pole where {base} = 0, inside the Gaussian's "
                f"support"
            )


def _affine_pole(base: Expr, law: GaussianLaw) -> dict[Symbol, Expr] | None:
    _, row = law.affine_coefficients(base)
    n = len(row)
    variance = expand(sum(row[i] * law.cov[i, j] * row[j] for i in range(n) for j in range(n)))
    if variance == 0:
        return None
    symbol = next(s for s, c in zip(law.symbols, row, strict=True) if c != 0)
    (solution,) = linsolve([base], [symbol])
    return {symbol: solution[0]}


def _polynomial_pole(base: Expr, law: GaussianLaw) -> dict[Symbol, Expr] | None:
    """A real zero of a polynomial in one of the variables with rational coefficients."""
    if len(base.free_symbols) != 1:
        return None
    (symbol,) = base.free_symbols
    polynomial = base.as_poly(symbol)
    if polynomial is None or not all(c.is_Rational for c in polynomial.coeffs()):
        return None
    if law.covariance(symbol, symbol) == 0 or polynomial.count_roots() == 0:
        return None
    return {symbol: polynomial.real_roots(radicals=False)[0]}


def _stands(rest: Expr, where: dict[Symbol, Expr]) -> bool:
    """Whether the rest, on the pole, is different from zero at some rational point."""
    if rest.free_symbols & set(where):
        rest = rest.subs(where)
    names = sorted(rest.free_symbols, key=str)
    points = (
        {s: Rational(3 + 2 * k + 7 * i, 11 + 4 * i + k) for i, s in enumerate(names)}
        for k in range(2)
    )
    values = [rest.xreplace(point).evalf(15) for point in points]
    return any(v.is_infinite or (v.is_number and abs(v) > Rational(1, 10**9)) for v in values)


def forbid_fast_growth(core: Expr, law: GaussianLaw) -> None:
    """Raise where an exponent is a polynomial of degree over two that tends to infinity."""
    bound = frozenset(law.symbols)
    exponents = [f.args[0] for f in Mul.make_args(core) if isinstance(f, exp)]
    exponent = expand(sum(exponents)) if exponents else None
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

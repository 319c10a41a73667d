r"""Forms of Gaussian means that stay accurate, and finite, where two variables are aligned.

Means of functions with kinks hold :math:`\arcsin r` and :math:`\sqrt{1 - r^2}` for a correlation r.
Each alone loses half of its digits near :math:`r = \pm 1`, quotients of them are 0/0 there, and
rounding may lead beyond. With :math:`s^2 = 1 - r^2` each is a polynomial in r (of degree 0 or 1),
in s and in :math:`\arcsin r = 2 \arctan(r/(1 + s))`, and is finite at s = 0 if no negative power of
s is left. Then s is computed once, from :math:`(1 - r)(1 + r)`.
"""

from __future__ import annotations

from sympy import (
    Add,
    Dummy,
    Expr,
    Max,
    Min,
    Pow,
    Rational,
    Symbol,
    asin,
    atan,
    cancel,
    expand,
    sqrt,
)

# What rounding, and the error of a solver, may make of 1 - r^2 = 0; beyond it there is no value.
_ROUNDING = Rational(1, 100)


def with_limit_at_alignment(value: Expr, a: Symbol, b: Symbol, c: Symbol) -> Expr:
    """Write a mean by the correlation of two variables of variances a and b and covariance c.

    A mean without arcsin and roots of their correlation is returned as it is.
    """
    r, s, phi = Dummy("r", real=True), Dummy("s", positive=True), Dummy("phi", real=True)
    plain = value.xreplace({c: r * sqrt(a) * sqrt(b)})
    plain = plain.xreplace({asin(r): phi, asin(-r): -phi})
    plain = plain.replace(
        lambda e: e.is_Pow and not e.exp.is_Integer and e.base.has(r),
        lambda e: _root(e, r, s),
    )
    if not plain.has(phi, s):
        return value
    written = Add(*(_reduced(term, r, s) for term in Add.make_args(expand(plain))))
    correlation = c / (sqrt(a) * sqrt(b))
    square = (1 - correlation) * (1 + correlation)
    root = sqrt(square + Max(0, Min(-square, _ROUNDING)))
    return written.xreplace({phi: 2 * atan(correlation / (1 + root)), s: root, r: correlation})


def _root(power: Pow, r: Symbol, s: Symbol) -> Expr:
    """Write a power of a multiple of 1 - r^2 as one of s."""
    factor = cancel(power.base / (1 - r**2))
    return power if factor.has(r) else factor**power.exp * s ** (2 * power.exp)


def _reduced(term: Expr, r: Symbol, s: Symbol) -> Expr:
    """Replace r^2 by 1 - s^2 in a term."""
    rest, power = term.as_independent(r, as_Add=False)
    base, exponent = power.as_base_exp()
    if base != r or not exponent.is_Integer or exponent < 2:
        return term
    halves, odd = divmod(int(exponent), 2)
    return expand(rest * (1 - s**2) ** halves * r**odd)

r"""Forms of Gaussian means that stay accurate, and finite, where two variables are aligned.

Means of functions with kinks hold :math:`\arcsin r` and :math:`\sqrt{1 - r^2}` for a correlation r.
Each alone loses half of its digits near :math:`r = \pm 1`, quotients of them are 0/0 there, and
rounding may lead beyond. With :math:`s^2 = 1 - r^2` each is a polynomial in r (of degree 0 or 1),
in s and in :math:`\arcsin r = 2 \arctan(r/(1 + s))`, and is finite at s = 0 if no negative power of
s is left. Then s is computed once, from :math:`(1 - r)(1 + r)`.
"""

from __future__ import annotations

from functools import cache

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


def without_poles_at_alignment(value: Expr, a: Symbol, b: Symbol, c: Symbol) -> Expr:
    """Write a mean of two variables of variances a and b and covariance c without 0/0 at r = 1.

    Parameters
    ----------
    value : Expr
    a, b, c : Symbol

    Returns
    -------
    Expr
        With roots of a b - c^2, negative powers of which are left only where the mean has no limit.
        A mean without arcsin and roots of the correlation is returned as it is.
    """
    found = _normal_form(value, a, b, c)
    if found is None:
        return value
    scale = sqrt(a) * sqrt(b)
    root = sqrt(a * b - c**2)
    return found.xreplace({_ANGLE: asin(c / scale), _ROOT: root / scale, _R: c / scale})


def with_limit_at_alignment(
    value: Expr, a: Symbol, b: Symbol, c: Symbol, parts: dict[Symbol, Expr] | None = None
) -> Expr:
    """Write a mean of two variables for programs, where rounding may lead beyond alignment.

    Parameters
    ----------
    value : Expr
    a, b, c : Symbol
        Their variances and their covariance.
    parts : dict of Symbol to Expr, optional
        Where to define the correlation, its root and its angle, each by those before it. By default
        they are written out.

    Returns
    -------
    Expr
        A mean without arcsin and roots of the correlation is returned as it is.
    """
    found = _normal_form(value, a, b, c)
    if found is None:
        return value
    r, root, angle = (Symbol(f"{x}_of_{c.name}", real=True) for x in ("cosine", "sine", "angle"))
    square = (1 - r) * (1 + r)
    found = found.replace(
        lambda e: e.is_Pow and e.base == _ROOT and e.exp > 1,
        lambda e: square ** (e.exp // 2) * _ROOT ** (e.exp % 2),
    ).xreplace({_ANGLE: angle, _ROOT: root, _R: r})
    # Beyond alignment, too, a slope is that of the mean: a polynomial is, and the rest is constant.
    meanings = {
        r: c / (sqrt(a) * sqrt(b)),
        root: sqrt(square + Max(0, Min(-square, _ROUNDING))),
        angle: 2 * atan(Max(-1, Min(1, r)) / (1 + root)),
    }
    if parts is not None:
        parts.update(meanings)
        return found
    for name, meaning in reversed(meanings.items()):
        found = found.xreplace({name: meaning})
    return found


# A correlation r, the root of 1 - r^2, and the arcsin of r.
_R, _ROOT, _ANGLE = Dummy("r", real=True), Dummy("s", positive=True), Dummy("phi", real=True)


def _normal_form(value: Expr, a: Symbol, b: Symbol, c: Symbol) -> Expr | None:
    """Return a mean as a polynomial in r of degree 1 at most, or None without arcsin and roots."""
    plain = value.xreplace({c: _R * sqrt(a) * sqrt(b)})
    plain = plain.xreplace({asin(_R): _ANGLE, asin(-_R): -_ANGLE})
    plain = plain.replace(lambda e: e.is_Pow and not e.exp.is_Integer and e.base.has(_R), _root)
    if not plain.has(_ANGLE, _ROOT):
        return None
    return Add(*(_reduced(term) for term in Add.make_args(expand(plain))))


@cache
def _root(power: Pow) -> Expr:
    """Write a power of a multiple of 1 - r^2 as one of its root."""
    factor = cancel(power.base / (1 - _R**2))
    return power if factor.has(_R) else factor**power.exp * _ROOT ** (2 * power.exp)


def _reduced(term: Expr) -> Expr:
    """Replace r^2 by 1 less the square of the root in a term."""
    rest, power = term.as_independent(_R, as_Add=False)
    base, exponent = power.as_base_exp()
    if base != _R or not exponent.is_Integer or exponent < 2:
        return term
    halves, odd = divmod(int(exponent), 2)
    return expand(rest * (1 - _ROOT**2) ** halves * _R**odd)

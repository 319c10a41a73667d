"""Roots that cancel: (1 - r^2)/sqrt(1 - r^2) has a limit at r = 1, and no value."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import sympy as sp
from sympy import Expr


@lru_cache(maxsize=4096)
def may_vanish(base: Expr) -> bool:
    """Return whether a polynomial with symbols may be 0, as far as the signs of its terms tell."""
    if not base.free_symbols:
        return False
    addends = sp.Add.make_args(sp.expand(base))
    numbers = [x for x in addends if not x.free_symbols]
    return not (numbers and all(is_even(x) for x in addends))


def is_even(term: Expr) -> bool:
    """Return whether a term is at least 0 for all real values of its symbols."""
    number, rest = term.as_coeff_Mul()
    powers = rest.as_powers_dict()
    return bool(number > 0) and all(
        x.is_nonnegative or (n.is_Integer and n.is_even and x.is_real) for x, n in powers.items()
    )


@lru_cache(maxsize=4096)
def is_polynomial(expr: Expr) -> bool:
    """Return whether an expression is a polynomial in its symbols, of which there are some."""
    return bool(expr.free_symbols) and bool(expr.is_polynomial(*expr.free_symbols))


def is_root(factor: Expr) -> bool:
    """Return whether a factor is a power with an exponent such as 1/2 or -3/2."""
    return isinstance(factor, sp.Pow) and factor.exp.is_Rational and factor.exp.q == 2


def cancel_roots(expr: Expr, sums: bool = False) -> Expr:
    """Return an expression with the powers under its roots cancelled, also across its sums."""
    if not any(_roots(node) for node in expr.atoms(sp.Mul)):
        return expr

    def visit(node: Any) -> Any:
        if not isinstance(node, Expr) or not node.has(sp.Pow):
            return node
        args = [visit(arg) for arg in node.args]
        new = (
            node if all(a is b for a, b in zip(args, node.args, strict=True)) else node.func(*args)
        )
        if isinstance(new, sp.Mul):
            return _cancelled(new)
        return _cancelled_sum(new) if sums and isinstance(new, sp.Add) else new

    return visit(expr)


def _roots(product: Expr) -> list[Expr]:
    """Return the factors of a product that are negative half-integer powers of polynomials."""
    return [
        f
        for f in sp.Mul.make_args(product)
        if is_root(f) and f.exp < 0 and is_polynomial(f.base) and may_vanish(f.base)
    ]


def _cancelled(product: Expr) -> Expr:
    for root in _roots(product):
        others = [f for f in sp.Mul.make_args(product) if f is not root]
        top = [f for f in others if is_polynomial(f)]
        if not top:
            continue
        numerator, power = sp.Mul(*top), root.exp
        while power < 0:
            quotient, rest = sp.div(numerator, root.base, *_symbols(root.base))
            if rest != 0:
                break
            numerator, power = quotient, power + 1
        if power != root.exp:
            rest_of = sp.Mul(*(f for f in others if f not in top))
            return _cancelled(sp.factor(numerator) * rest_of * root.base**power)
    return product


def _symbols(base: Expr) -> list[Any]:
    return sorted(base.free_symbols, key=str)


def _cancelled_sum(total: Expr) -> Expr:
    """Return a sum with the terms over one root put together."""
    groups: dict[tuple[Expr, Expr], list[Expr]] = {}
    rest: list[Expr] = []
    for term in total.args:
        roots = _roots(term)
        if not roots:
            rest.append(term)
            continue
        root = roots[0]
        base = sp.expand(root.base)
        groups.setdefault((base, root.exp), []).append(term / root)
    found = []
    for (base, power), parts in groups.items():
        apart: dict[Expr, list[Expr]] = {}
        for part in parts:
            top = [f for f in sp.Mul.make_args(part) if is_polynomial(f) or f.is_Rational]
            others = [f for f in sp.Mul.make_args(part) if f not in top]
            apart.setdefault(sp.Mul(*others), []).append(sp.Mul(*top))
        root = sp.factor(base) ** power
        _join_quotients(apart, base)
        for other, tops in apart.items():
            found.append(_cancelled(sp.Mul(sp.factor(sp.Add(*tops)), other, root)))
    return sp.Add(*rest, *found) if groups else total


def _join_quotients(apart: dict[Expr, list[Expr]], base: Expr) -> None:
    """Put together terms such as R^2/Q and -1 over a root of Q - R^2, if what is below cancels."""
    quotients = [x for x in apart if x.is_number or x.is_rational_function()]
    if len(quotients) < 2:
        return
    total = sp.together(sp.Add(*(x * top for x in quotients for top in apart[x])))
    numerator, denominator = sp.fraction(sp.factor(total))
    if is_polynomial(numerator) and sp.rem(numerator, base, *_symbols(base)) == 0:
        for x in quotients:
            del apart[x]
        apart[1 / denominator] = [numerator]

"""Roots and denominators of a closed form, written so that their limits can be seen.

One polynomial stands under a root and below a fraction in one way, with the sign that the root has,
and sums of quotients are one quotient where a root may cancel.
"""

from __future__ import annotations

from typing import Any

import sympy as sp
from sympy import Expr, S, sqrt

from slrsym.gaussian.roots import is_even, is_polynomial, is_root, may_vanish

# Polynomials of at most so many operations are factored.
_SMALL = 40


def with_visible_limits(expr: Expr) -> Expr:
    """Return an expression with the powers in its denominators as they are under its roots."""
    # Roots without poles say which denominators have a sign, by which others get rid of theirs.
    expr = expr.replace(_is_power_of_poles, _without_poles)
    expr = _with_turned_powers(expr)
    expr = expr.replace(_is_power_of_poles, _without_poles)
    return expr.replace(_is_beside_root, _with_sums_in_one)


def with_factored_denominators(expr: Expr) -> Expr:
    """Return an expression in which no exponential is multiplied out in a denominator."""

    def is_multiplied_out(node: Expr) -> bool:
        return bool(node.is_Pow and node.exp.is_negative) and _is_sum_of_exponentials(node.base)

    return expr.replace(is_multiplied_out, lambda node: sp.factor_terms(node.base) ** node.exp)


def _is_sum_of_exponentials(expr: Expr) -> bool:
    return isinstance(expr, sp.Add) and bool(expr.has(sp.exp))


def by_sizes(expr: Expr) -> tuple[Expr, dict[Expr, Expr]]:
    """Return an expression by the sizes of its symbols where no sign matters, and these sizes.

    So the root of a variance b^2 is a letter, and no |b|, which is no polynomial to divide by.
    Where the sign of b does matter, b stays beside it. Of a sum p, |p| becomes the root of the
    square, multiplied out.
    """
    expr = expr.replace(_is_power_of_sum, _with_square).replace(sp.Mul, with_signs)
    sizes = {}
    for size in sorted(expr.atoms(sp.Abs), key=str):
        (inside,) = size.args
        if inside.is_Symbol:
            letter = sp.Dummy(inside.name, positive=True)
            new = expr.xreplace({inside: letter})
            signed = new != expr.xreplace({inside: -letter})
            expr, sizes[letter] = expr.xreplace({size: letter}) if signed else new, size
        elif inside.is_real and is_polynomial(inside):
            expr = expr.xreplace({size: sqrt(sp.expand(inside**2))})
    return expr, sizes


def _is_power_of_sum(node: Expr) -> bool:
    """Return whether a node is a root of a sum, or divided by a power of one."""
    if not (isinstance(node, sp.Pow) and node.exp.is_Rational and isinstance(node.base, sp.Add)):
        return False
    if not (node.exp.is_negative or node.exp.q == 2) or node.base.count_ops() > _SMALL:
        return False
    return is_polynomial(node.base)


def _with_square(node: Expr) -> Expr:
    """Write a power of a perfect square, such as 1 - 2 r + r^2, as one of its root."""
    factored = sp.factor(node.base)
    square = any(f.is_Pow and f.exp.is_even for f in sp.Mul.make_args(factored))
    return factored**node.exp if square else node


def with_signs(*factors: Expr) -> Expr:
    """Write x/|x| as the sign of x, which is 0 at 0."""
    product = sp.Mul(*factors)
    if not product.has(sp.Abs):
        return product
    # So that 2 x + 2 is a multiple of x + 1.
    product = sp.Mul(*(sp.factor_terms(f) if f.is_Add else f for f in factors))
    powers = product.as_powers_dict()
    for size, n in sorted(powers.items(), key=str):
        if not (isinstance(size, sp.Abs) and size.args[0].is_real and n.is_Integer and n < 0):
            continue
        (inside,) = size.args
        for way in (inside, -inside):
            power = powers.get(way, S.Zero)
            both = min(-n, power)
            if not (both.is_Integer and both > 0):
                continue
            if power.is_Integer and power > both:
                # Of x^2/|x| the size of x is left, and no sign.
                even = power - power % 2
                product = product / (way**even * size**n) * size ** (even + n)
            else:
                product *= (size / way * sp.sign(way)) ** both
    return product


def _with_turned_powers(expr: Expr) -> Expr:
    """Return an expression whose denominators are written by what stands under its roots.

    So is d of sqrt(n/d), of which neither n nor d has a sign, and -d beside the root of d.
    """
    bases = {primitive(base) for base in bases_of_roots(expr)}

    def turned(factor: Expr) -> tuple[int, Expr]:
        other = isinstance(factor, sp.Add) and is_polynomial(factor)
        if other and primitive(factor) not in bases and primitive(-factor) in bases:
            return -1, -factor
        return 1, factor

    def visit(node: Expr) -> Expr:
        if node.exp.is_Integer:
            found = [turned(f) for f in sp.Mul.make_args(sp.factor_terms(node.base))]
            return sp.Mul(*(sp.Integer(way) ** node.exp * f**node.exp for way, f in found))
        top, bottom = sp.fraction(sp.cancel(node.base))
        way, bottom = turned(bottom)
        if not (is_nonnegative(bottom) or primitive(bottom) in bases):
            return node
        return sp.factor(way * top) ** node.exp / bottom**node.exp

    def is_turned(node: Any) -> bool:
        if not isinstance(node, sp.Pow) or not node.free_symbols or not node.exp.is_Rational:
            return False
        if node.exp.is_Integer:
            return bool(node.exp < 0 and isinstance(node.base, sp.Add))
        poles = isinstance(node.base, sp.Mul | sp.Pow) and node.exp.q == 2
        return poles and node.base.is_rational_function() and not is_polynomial(node.base)

    return expr.replace(is_turned, visit)


def _is_power_of_poles(node: Expr) -> bool:
    """Return whether a node is a power such as 1/(1 + r^2/(1 - r^2)), or sqrt(b - c^2/a)."""
    if not isinstance(node, sp.Pow) or not isinstance(node.base, sp.Add):
        return False
    reciprocal = node.exp.is_Integer and node.exp < 0
    if not reciprocal and not (node.exp.is_Rational and node.exp.q == 2):
        return False
    powers = node.base.atoms(sp.Pow)
    if not any(vanishing_powers(f) or (not reciprocal and f.exp.is_negative) for f in powers):
        return False
    if not node.base.is_rational_function(*node.base.free_symbols):
        return False
    below = sp.fraction(sp.together(node.base))[1]
    return bool(reciprocal or below.is_nonnegative)


def _without_poles(node: Expr) -> Expr:
    top, bottom = sp.fraction(sp.cancel(sp.together(node.base)))
    return top**node.exp / bottom**node.exp


def _is_beside_root(node: Expr) -> bool:
    """Return whether a node is a product of a root and a sum such as a + b/(1 + g^2)."""
    factors = sp.Mul.make_args(node)
    return any(map(is_root, factors)) and any(map(_is_sum_of_quotients, factors))


def _is_sum_of_quotients(factor: Expr) -> bool:
    if not isinstance(factor, sp.Add) or not factor.free_symbols:
        return False
    return bool(factor.is_rational_function()) and not is_polynomial(factor)


def _with_sums_in_one(node: Expr) -> Expr:
    factors = sp.Mul.make_args(node)
    return sp.Mul(*(sp.factor(f) if _is_sum_of_quotients(f) else f for f in factors))


def bases_of_roots(node: Any) -> set[Expr]:
    """Return the polynomials under the square roots of an expression, but for its branches."""
    if isinstance(node, sp.Piecewise):
        return set()
    found = set().union(*map(bases_of_roots, getattr(node, "args", ())))
    if is_root(node):
        found |= {node.base} if is_polynomial(node.base) else set()
    return found


def is_nonnegative(base: Expr) -> bool:
    return bool(base.is_nonnegative) or all(map(is_even, sp.Add.make_args(sp.expand(base))))


def vanishing_powers(expr: Expr) -> list[Expr]:
    return [
        f
        for f in sp.Mul.make_args(expr)
        if isinstance(f, sp.Pow) and f.exp.is_negative and is_polynomial(f.base)
        and may_vanish(f.base)
    ]  # fmt: skip


def primitive(base: Expr) -> Expr:
    """Return an expanded polynomial over its content, a positive number."""
    return sp.expand(base).primitive()[1]

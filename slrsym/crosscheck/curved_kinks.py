"""Quadrature of integrands that bend or jump on curves where polynomials vanish.

In one dimension a curve is a few points. In two, its points divide the inner range of integration;
the outer range is divided where they meet, begin or escape to infinity, at roots of discriminants,
resultants and leading coefficients. Between these an inner integral is smooth, but may have a root
singularity at the ends, as the length of a chord has: so the outer rule is double exponential.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

import sympy as sp
from flint import acb_poly, arb, ctx, fmpq, fmpq_poly
from sympy import Expr, Symbol

from slrsym.crosscheck.ball_quadrature import (
    DIGITS_PER_BIT,
    Ball,
    CompiledIntegrand,
    Inconclusive,
    Node,
    QuadratureResult,
    integrate_over_interval,
    log2_upper_bound,
    require_real_ball,
    widen_ball,
)
from slrsym.crosscheck.split_quadrature import (
    Line,
    Panels,
    is_small,
    zeros_as_lines,
)
from slrsym.prover.statements.expressions import free_symbols

# Coefficients of a polynomial in the coordinates of the quadrature, by exponents.
Curve: TypeAlias = dict[tuple[int, int], Ball]
_WIDTHS = (2.6, 1.9, 1.3, 0.9, 0.6)
_HIGHEST_DEGREE = 6
_MOST_NODES = 600_000
_X, _Y = sp.symbols("x y", cls=sp.Dummy, real=True)


def kink_lines_and_curves(
    kinks: Iterable[Expr],
    random: frozenset[Symbol],
    affine: Callable[[Expr], Line | None],
    ball: Callable[[Expr], Ball],
    dimensions: int,
) -> tuple[list[Line], list[Curve]]:
    """Return where kinks lie, in the coordinates of the quadrature."""
    lines: list[Line] = []
    curves: list[Curve] = []
    for kink in kinks:
        for part in _factors(kink, random):
            found = zeros_as_lines(part, random, affine, ball)
            if found is not None:
                lines += found
                continue
            curve = _curve(part, random, affine, ball)
            if curve is None or dimensions > 2:
                raise Inconclusive(
                    f"where {kink} vanishes is not known, and the integrand bends there"
                )
            if dimensions == 1:
                size = max(i for i, _ in curve) + 1
                roots = real_roots([curve.get((k, 0), arb(0)) for k in range(size)])
                lines += [(-root, (arb(1),)) for root in roots]
            else:
                curves.append(curve)
    return lines, curves


def _factors(kink: Expr, random: frozenset[Symbol]) -> list[Expr]:
    present = sorted(free_symbols(kink) & random, key=str)
    polynomial = kink.as_poly(*present) if present else None
    if polynomial is None or len(present) == 1 or polynomial.total_degree() < 2:
        return [kink]
    return [factor.as_expr() for factor, _ in polynomial.factor_list()[1]]


def _curve(
    kink: Expr,
    random: frozenset[Symbol],
    affine: Callable[[Expr], Line | None],
    ball: Callable[[Expr], Ball],
) -> Curve | None:
    """Return a polynomial in the coordinates of the quadrature; None if it is none of these."""
    present = sorted(free_symbols(kink) & random, key=str)
    polynomial = kink.as_poly(*present) if present else None
    if polynomial is None or polynomial.total_degree() > _HIGHEST_DEGREE:
        return None
    if any(free_symbols(c) & random for c in polynomial.coeffs()):
        return None
    places = [affine(symbol) for symbol in present]
    total: Curve = {}
    for powers, coefficient in polynomial.terms():
        term: Curve = {(0, 0): require_real_ball(ball(coefficient), "a coefficient")}
        for place, power in zip(places, powers, strict=True):
            if place is None or any(not c.is_zero() for c in place[1][2:]):
                return None
            constant, row = place
            factor = {(0, 0): constant, (1, 0): row[0]}
            if len(row) > 1:
                factor[0, 1] = row[1]
            for _ in range(power):
                term = _product(term, factor)
        for key, value in term.items():
            total[key] = total.get(key, arb(0)) + value
    return {key: value for key, value in total.items() if not value.is_zero()} or None


def _product(first: Curve, second: Curve) -> Curve:
    result: Curve = {}
    for ((i, j), a), ((k, m), b) in itertools.product(first.items(), second.items()):
        if not b.is_zero():
            result[i + k, j + m] = result.get((i + k, j + m), arb(0)) + a * b
    return result


def real_roots(coefficients: Sequence[Ball]) -> list[Ball]:
    """Return the real roots of a polynomial, lowest coefficient first; those that meet are lost."""
    left = list(coefficients)
    while left and left[-1].contains(0):
        left.pop()
    if len(left) < 2:
        return []
    if len(left) == 2:
        return [-left[0] / left[1]]
    if len(left) == 3:
        c, b, a = left
        square = b * b - 4 * a * c
        if not square > 0:
            return []
        # Without cancellation in the smaller root.
        q = -(b + square.sqrt() if b > 0 else b - square.sqrt()) / 2
        return (
            [q / a, c / q] if not q.contains(0) else [square.sqrt() / (2 * a) * s for s in (1, -1)]
        )
    try:
        roots = acb_poly(left).roots(tol=arb(2) ** (10 - ctx.prec))
    except ValueError:
        raise Inconclusive("roots of a polynomial are too close to each other") from None
    return [root.real for root in roots if root.imag.contains(0)]


def _exact(ball: Ball) -> fmpq:
    mantissa, exponent = ball.mid().man_exp()
    shift = int(exponent)
    return fmpq(int(mantissa)) * (fmpq(2) ** shift if shift >= 0 else 1 / fmpq(2) ** -shift)


def _polynomial(curve: Curve) -> sp.Poly:
    terms = {}
    for (i, j), coefficient in curve.items():
        value = _exact(coefficient)
        terms[j, i] = sp.Rational(int(value.p), int(value.q))
    return sp.Poly(terms, _Y, _X, domain="QQ")


def _outer_cuts(curves: Sequence[Curve], lines: Sequence[Line]) -> list[Ball]:
    """Return where the points of curves over the first coordinate meet, begin or escape."""
    polynomials = [_polynomial(curve) for curve in curves]
    polynomials += [
        _polynomial({(0, 0): constant, (1, 0): row[0], (0, 1): row[1]}) for constant, row in lines
    ]
    found = []
    for p in polynomials:
        found += (
            [p.eval(_Y, 0)]
            if p.degree(_Y) == 0
            else [sp.Poly(p.as_expr().coeff(_Y, p.degree(_Y)), _X)]
        )
        if p.degree(_Y) > 1:
            found.append(p.discriminant())
    for p, q in itertools.combinations(polynomials, 2):
        if p.degree(_Y) > 0 and q.degree(_Y) > 0:
            found.append(p.resultant(q))
    cuts = []
    for polynomial in found:
        in_x = (
            sp.Poly(polynomial, _X, domain="QQ")
            if not isinstance(polynomial, sp.Poly)
            else polynomial
        )
        if in_x.degree() < 1:
            continue
        coefficients = [fmpq(int(c.p), int(c.q)) for c in reversed(in_x.all_coeffs())]
        # A pair of roots near the real line may be a double root that rounding has moved.
        cuts += [
            root.real
            for root, _ in fmpq_poly(coefficients).complex_roots()
            if abs(root.imag) < 0.02
        ]
    return cuts


def gaussian_mean_between_curves(
    program: CompiledIntegrand,
    lines: Sequence[Line],
    curves: Sequence[Curve],
    rules: Sequence[Sequence[Node]],
    digits: int,
) -> QuadratureResult:
    """Integrate against a Gaussian in two dimensions, between lines and curves."""
    goal = -(digits + 1.5)
    reach = math.sqrt(2 * (2 - goal) * math.log(10))
    cuts: list[Ball] = []
    for place in sorted(_outer_cuts(curves, lines), key=lambda x: float(x.mid())):
        if not (cuts and is_small(place - cuts[-1], arb(1), 10)):
            cuts.append(place)
    columns = [_by_second_coordinate(curve) for curve in curves]
    columns += [[[constant, row[0]], [row[1]]] for constant, row in lines]
    previous: QuadratureResult | None = None
    for stage, width in enumerate(_WIDTHS):
        far = reach * (1 + 0.06 * stage)
        panels, left = Panels(max(digits - 2, 8), width, far), [_MOST_NODES]

        def inner(x: Ball, panels: Panels = panels, left: list[int] = left) -> Ball:
            places = [
                root
                for column in columns
                for root in real_roots([_horner(coefficients, x) for coefficients in column])
            ]
            inside = [(y, w, 0.0) for y, w in panels.nodes(places)]
            left[0] -= len(inside) * math.prod(map(len, rules))
            if left[0] < 0:
                raise Inconclusive("too many nodes for an integrand with kinks on curves")
            density = (-x * x / 2).exp()
            return density * program.sum_over_nodes([((x, arb(1), 0.0),), inside, *rules])[0]

        ends = [-arb(far), *(cut for cut in cuts if abs(cut) < far), arb(far)]
        parts = [
            integrate_over_interval(inner, *piece, digits) for piece in itertools.pairwise(ends)
        ]
        value = sum((part.value for part in parts), arb(0)) / (2 * arb.pi())
        whole = max(part.absolute for part in parts)
        if whole == -math.inf:
            return QuadratureResult(arb(0), whole)
        whole -= log2_upper_bound(2 * arb.pi())
        if previous is not None:
            difference = value - previous.value
            if (log2_upper_bound(difference) - whole) * DIGITS_PER_BIT < goal + 1:
                return QuadratureResult(widen_ball(value, difference.abs_upper()), whole)
        previous = QuadratureResult(value, whole)
    raise Inconclusive("the quadrature between curves does not converge")


def _by_second_coordinate(curve: Curve) -> list[list[Ball]]:
    """Return the coefficients in the second coordinate, as coefficients in the first."""
    height, width = (max(key[k] for key in curve) + 1 for k in (1, 0))
    return [[curve.get((i, j), arb(0)) for i in range(width)] for j in range(height)]


def _horner(coefficients: Sequence[Ball], x: Ball) -> Ball:
    total = arb(0)
    for coefficient in reversed(coefficients):
        total = total * x + coefficient
    return total

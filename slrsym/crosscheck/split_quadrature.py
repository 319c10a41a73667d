"""Quadrature of integrands with kinks and jumps, split into smooth pieces.

Kinks are where absolute values, signs, maxima and cases bend or jump: at zeros of affine forms of
the variables, and of quadratic functions of one. In one dimension these are points; in two, lines,
whose crossings divide the outer range and which divide the inner one.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import TypeAlias

from flint import arb, ctx
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
from slrsym.prover.statements.expressions import free_symbols

# Constant and coefficients of an affine form in the coordinates of the quadrature.
Line: TypeAlias = tuple[Ball, tuple[Ball, ...]]
_WIDTHS = (5.0, 4.0, 2.6, 1.7, 1.1, 0.7, 0.45)
_MOST_NODES = 2_000_000
# Panels see lines of less slope by themselves, and too few digits are left beyond the second.
_STEEP, _STEEPEST = 2, 10**6
# In one dimension, panels go beyond kinks that are no farther than this.
_BEYOND, _FAR = 8.0, 100.0


def zeros_as_lines(
    kink: Expr,
    random: frozenset[Symbol],
    affine: Callable[[Expr], Line | None],
    ball: Callable[[Expr], Ball],
) -> list[Line] | None:
    """Return the lines on which an expression vanishes; None if they are not known."""
    line = affine(kink)
    if line is not None:
        return [line]
    present = sorted(free_symbols(kink) & random, key=str)
    polynomial = kink.as_poly(*present) if len(present) == 1 else None
    if polynomial is None:
        return None
    place = affine(present[0])
    assert place is not None
    lines = []
    for factor, _ in polynomial.factor_list()[1] if polynomial.degree() > 2 else [(polynomial, 1)]:
        if factor.degree() > 2:
            return None
        c, b, a = (require_real_ball(ball(factor.nth(k)), "a coefficient") for k in range(3))
        disc = b * b - 4 * a * c
        if a.is_zero() and not b.is_zero():
            lines.append((place[0] + c / b, place[1]))
        elif not (disc < 0 or a.is_zero()):
            for side in (-1, 1):
                lines.append((place[0] - (-b + side * abs(disc).sqrt()) / (2 * a), place[1]))
    return lines


def gaussian_mean_split_at_kinks(
    program: CompiledIntegrand, lines: Sequence[Line], nonpolynomial_dimensions: int,
    rules: Sequence[Sequence[Node]], digits: int,
) -> QuadratureResult:  # fmt: skip
    """Integrate a piecewise smooth function against a Gaussian, split at its kinks.

    Notes
    -----
    Gauss-Legendre rules on panels that no kink divides. Two divisions into panels of other widths,
    the second one reaching further out, have to agree.
    """
    goal = -(digits + 1.5)
    reach = math.sqrt(2 * (2 - goal) * math.log(10))
    count = digits - 2 if digits < 60 else digits
    vertical, others = [], []
    if nonpolynomial_dimensions == 1:
        # What begins at a far kink may have any weight, and falls as fast as the density there.
        places = [-line[0] / line[1][0] for line in lines if not line[1][0].is_zero()]
        far = [place for place in places if reach - 1 < abs(place) < _FAR]
        vertical += [place + 4 * k / place for place in far for k in range(1, 14)]
        reach = max([reach, *(float(abs(place).mid()) + _BEYOND for place in far)])
    # Kinks farther yet, and such as are the same line, divide nothing.
    for constant, row in lines:
        first, second = row[0], row[1] if nonpolynomial_dimensions == 2 else arb(0)
        if is_small(second, first, digits):
            if not first.is_zero():
                vertical.append(-constant / first)
        else:
            others.append((-constant / second, -first / second))
            vertical += _cuts_beside(*others[-1], reach)
    for (a, b), (c, d) in itertools.combinations(others, 2):
        if not is_small(b - d, abs(b) + abs(d) + 1, digits):
            vertical.append((c - a) / (b - d))
    previous: QuadratureResult | None = None
    for stage, width in enumerate(_WIDTHS):
        panels = Panels(count, width, reach * (1 + 0.06 * stage))
        total = _swept(program, panels, vertical, others, nonpolynomial_dimensions, rules)
        whole = total.absolute
        if previous is None and nonpolynomial_dimensions == 2:
            beyond = _largest_beyond(program, lines, rules, reach)
            if (beyond - whole) * DIGITS_PER_BIT > goal:
                raise Inconclusive("it is large where it is far from the mean")
        if whole == -math.inf:
            return QuadratureResult(arb(0), whole)
        if previous is not None:
            difference = total.value - previous.value
            if (log2_upper_bound(difference) - whole) * DIGITS_PER_BIT < goal:
                return QuadratureResult(widen_ball(total.value, difference.abs_upper()), whole)
        previous = total
    raise Inconclusive("the quadrature does not converge: the integrand is not smooth in pieces")


def gaussian_mean_between_singularities(
    program: CompiledIntegrand, lines: Sequence[Line], rules: Sequence[Sequence[Node]], digits: int
) -> QuadratureResult:
    """Integrate against a Gaussian by double exponential rules between zeros of affine forms.

    At these the integrand may be steep or singular.
    """
    reach = 2 * math.sqrt(2 * (digits + 5) * math.log(10))
    cuts: list[Ball] = []
    places = [-constant / row[0] for constant, row in lines if not row[0].is_zero()]
    for place in sorted(places, key=lambda x: float(x.mid())):
        if abs(place) < reach and not (cuts and is_small(place - cuts[-1], arb(1), digits)):
            cuts.append(place)

    def weighted(x: Ball) -> Ball:
        density = (-x * x / 2).exp()
        return density * program.sum_over_nodes([((x, arb(1), 0.0),), *rules])[0]

    ends = [arb.neg_inf(), *cuts, arb.pos_inf()]
    parts = [
        integrate_over_interval(weighted, *piece, digits) for piece in itertools.pairwise(ends)
    ]
    scale = (2 * arb.pi()).sqrt()
    largest = max(part.absolute for part in parts)
    total = sum((part.value for part in parts), arb(0))
    return QuadratureResult(total / scale, largest - log2_upper_bound(scale))


def _largest_beyond(
    program: CompiledIntegrand, lines: Sequence[Line], rules: Sequence[Sequence[Node]], reach: float
) -> float:
    """Return the size, as a power of 2, of what begins at lines and crossings that are far out."""
    rows = [[float(c.mid()) for c in (constant, *row[:2])] for constant, row in lines]
    places = [(-c * a / (a * a + b * b), -c * b / (a * a + b * b)) for c, a, b in rows if a or b]
    for (c, a, b), (f, d, e) in itertools.combinations(rows, 2):
        if abs(a * e - b * d) > 1e-9 * math.hypot(a, b) * math.hypot(d, e):
            places.append(((b * f - c * e) / (a * e - b * d), (c * d - a * f) / (a * e - b * d)))
    found = -math.inf
    for x, y in places:
        if not reach < math.hypot(x, y) < _FAR:
            continue
        for turn in range(8):
            nodes = []
            for place, step in ((x, math.cos(turn + 0.1)), (y, math.sin(turn + 0.1))):
                at = arb(place + step / 50)
                nodes.append([(at, (-at * at / 2).exp(), 0.0)])
            found = max(found, log2_upper_bound(program.sum_over_nodes([*nodes, *rules])[1]))
    return found


def _cuts_beside(height: Ball, slope: Ball, reach: float) -> list[Ball]:
    """Return where a steep line crosses the inner range, which it does in a narrow outer one."""
    if abs(slope) < _STEEP:
        return []
    if abs(slope) > _STEEPEST:
        raise Inconclusive("it bends or jumps on lines that almost coincide")
    steps = math.ceil(reach / _WIDTHS[2])
    return [(k * arb(_WIDTHS[2]) - height) / slope for k in range(-steps, steps + 1)]


def is_small(x: Ball, beside: Ball, digits: int) -> bool:
    """Return whether a ball is zero but for so many digits of another."""
    return (
        x.is_zero()
        or log2_upper_bound(x) < log2_upper_bound(beside) - (digits + 5) / DIGITS_PER_BIT
    )


class Panels:
    """Gauss-Legendre rules on consecutive intervals, weighted with the normal density."""

    def __init__(self, count: int, width: float, reach: float) -> None:
        self.count, self.most = count, math.ceil(reach / width)
        self.width = arb(reach) / self.most
        self._whole = [
            self._rule(self.width * k, self.width * (k + 1)) for k in range(-self.most, self.most)
        ]

    def nodes(self, cuts: Iterable[Ball]) -> list[tuple[Ball, Ball]]:
        """Return nodes and weights, with intervals divided at the kinks."""
        divided: dict[int, list[Ball]] = {}
        width = float(self.width.mid())
        for cut in cuts:
            panel = math.floor(float(cut.mid()) / width)
            if -self.most <= panel < self.most:
                divided.setdefault(panel, []).append(cut)
        found = []
        for k, whole in zip(range(-self.most, self.most), self._whole, strict=True):
            if k not in divided:
                found += whole
                continue
            inner = sorted(divided[k], key=lambda c: float(c.mid()))
            for low, high in itertools.pairwise([self.width * k, *inner, self.width * (k + 1)]):
                # Two cuts that differ by rounding alone have nothing between them.
                if low < high:
                    found += self._rule(low, high)
        return found

    def _rule(self, low: Ball, high: Ball) -> list[tuple[Ball, Ball]]:
        middle, half = (low + high) / 2, (high - low) / 2
        nodes = [(middle + half * x, w * half) for x, w in _legendre(self.count, ctx.prec)]
        return [(x, weight * (-x * x / 2).exp()) for x, weight in nodes]


@lru_cache(maxsize=16)
def _legendre(count: int, bits: int) -> tuple[tuple[Ball, Ball], ...]:
    return tuple(arb.legendre_p_root(count, k, weight=True) for k in range(count))


def _swept(
    program: CompiledIntegrand, panels: Panels, vertical: Sequence[Ball],
    others: Sequence[tuple[Ball, Ball]], smooth: int, rules: Sequence[Sequence[Node]],
) -> QuadratureResult:  # fmt: skip
    scale = (2 * arb.pi()).sqrt() ** smooth
    outer = panels.nodes(vertical)
    if smooth == 2 and len(outer) ** 2 * math.prod(map(len, rules)) > _MOST_NODES:
        raise Inconclusive("too many nodes for an integrand with kinks in two dimensions")
    total, absolute = arb(0), arb(0)
    for x, weight in outer:
        loops: list[Sequence[Node]] = [((x, weight, 0.0),)]
        if smooth == 2:
            loops.append([(y, w, 0.0) for y, w in panels.nodes([a + b * x for a, b in others])])
        value, size, _ = program.sum_over_nodes([*loops, *rules])
        total, absolute = total + value, absolute + size
    return QuadratureResult(total / scale, log2_upper_bound(absolute / scale))

r"""Expectations of programs: the rules that sum over independent standard normal variables.

The rules are the trapezoid rule against the normal density, and Gauss-Hermite. The infinite one is
stopped by comparing two independent sums: its discretisation error is estimated, not bounded.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from flint import arb, ctx, fmpq, fmpz_poly

from slrsym.numbers.errors import Undecided
from slrsym.numbers.magnitudes import DIGITS_PER_BIT, Ball, magnitude, radius, widened
from slrsym.numbers.program import Node, Program

__all__ = ["Sum", "gauss_hermite", "gaussian_sum", "whole_line"]

_LARGEST_RADIUS = 64.0
_MOST_NODES = 2_000_000
_UNIT = 2**14
_FIRST_STEP = 0.61
_OFFSETS = (1564, 2531, 989, 3203)


@dataclass(frozen=True)
class Sum:
    """The value of a quadrature."""

    value: Ball
    absolute: float


@lru_cache(maxsize=256)
def _lattice(step: int, offset: int, radius: int, bits: int) -> tuple[Node, ...]:
    """Trapezoid nodes for the normal density, of a step of so many units, at a given precision."""
    h, width = arb(fmpq(step, _UNIT)), step / _UNIT
    scale = h / (2 * arb.pi()).sqrt()
    nodes = []
    for k in range(-int(radius / width) - 2, int(radius / width) + 3):
        # The offset is in units of a 4096th of the step: nodes are exact, dyadic numbers.
        node = arb(fmpq(step * (4096 * k + offset), 4096 * _UNIT))
        nodes.append((node, scale * (-node * node / 2).exp(), float(node) ** 2))
    return tuple(sorted(nodes, key=lambda entry: entry[2]))


@lru_cache(maxsize=64)
def gauss_hermite(count: int, bits: int) -> tuple[Node, ...]:
    r"""Gauss-Hermite nodes and weights for the standard normal law, as balls.

    The nodes are the zeros of :math:`He_n`, the weights :math:`(n-1)! / (n\,He_{n-1}(x)^2)`. The
    rule is exact for polynomials of degree at most 2n - 1.
    """
    with ctx.workprec(bits):
        hermite = [fmpz_poly([1]), fmpz_poly([0, 1])]
        for n in range(1, count):
            hermite.append(fmpz_poly([0, 1]) * hermite[n] - n * hermite[n - 1])
        roots = [root.real for root, _ in hermite[count].complex_roots()]
        nodes = []
        for x in roots:
            previous = arb(0)
            for coefficient in reversed(hermite[count - 1].coeffs()):
                previous = previous * x + arb(coefficient)
            nodes.append((x, math.factorial(count - 1) / (arb(count) * previous**2), 0.0))
        return tuple(nodes)


def gaussian_sum(
    program: Program, smooth: int, rules: Sequence[Sequence[Node]], digits: int
) -> Sum:
    """Expectation of a program whose first loops run over independent standard normals.

    Notes
    -----
    The trapezoid rule for an entire integrand of Gaussian growth errs by
    :math:`O(e^{-c/h^2})`. Two lattices of the same step, one shifted, have their leading errors in
    different phases; the rule is accepted when their sums agree, and the step otherwise reduced as
    this law predicts. A pole, kink or jump breaks the law, and ends as `Undecided`.
    """
    if smooth == 0:
        total, absolute, _ = program.sum(rules, 1.0, 0.0)
        return Sum(total, magnitude(absolute))
    goal = -(digits + 1.5)
    reach = math.sqrt(2 * (2 - goal) * math.log(10))
    step, last, stalls = _FIRST_STEP, 0.0, 0
    while stalls < 3:
        sums = _two_lattices(program, smooth, rules, step, reach + step)
        absolute, edge = sums[0][1] + sums[1][1], sums[0][2] + sums[1][2]
        whole = magnitude(absolute)
        if whole == -math.inf:
            return Sum(arb(0), whole)
        if (magnitude(edge) - whole) * DIGITS_PER_BIT > goal:
            reach *= 1.2
            if reach > _LARGEST_RADIUS:
                raise Undecided("the integrand times the density does not become negligible")
            continue
        difference = sums[0][0] - sums[1][0]
        gap = (magnitude(difference) - whole) * DIGITS_PER_BIT
        if gap < goal:
            value = (sums[0][0] + sums[1][0]) / 2
            return Sum(widened(value, difference.abs_upper() + edge.upper()), whole - 1)
        if (magnitude(radius(difference)) - whole) * DIGITS_PER_BIT > goal:
            raise Undecided("rounding leaves too few digits in a quadrature")
        # A rule that converges as it should at least gains digits in proportion to 1/step.
        stalls += gap < -1.5 and last < -0.5 and gap / last < 1 + (_reduction(last, goal) - 1) / 4
        step, last = step / _reduction(gap, goal), gap
    raise Undecided("the trapezoid rule does not converge: the integrand is not smooth")


def _reduction(gap: float, goal: float) -> float:
    """By how much to divide the step, when two lattices agree to `gap` instead of `goal` digits."""
    ratio = 1.05 * math.sqrt(goal / gap) if gap < -1.0 else 2.0
    return min(max(ratio, 1.15), 2.5)


def _two_lattices(
    program: Program, smooth: int, rules: Sequence[Sequence[Node]], step: float, radius: float
) -> list[tuple[Ball, Ball, Ball]]:
    size = (2 * radius / step) ** smooth * math.prod(len(rule) for rule in rules)
    if size > _MOST_NODES:
        raise Undecided(
            f"the trapezoid rule needs more than {_MOST_NODES} nodes in dimension {smooth}"
        )
    width, reach = max(1, round(step * _UNIT)), math.ceil(radius)
    sums = []
    for offsets in ((0,) * smooth, _OFFSETS[:smooth]):
        # Long lattices are rare, and would fill the memory.
        build = _lattice if radius < 2000 * step else _lattice.__wrapped__
        lattices = [build(width, offset, reach, ctx.prec) for offset in offsets]
        sums.append(program.sum([*lattices, *rules], radius, step))
    return sums


def whole_line(program: Program, digits: int) -> Sum:
    """Integral over the line of an integrand that decays as a Gaussian does."""
    root = (2 * arb.pi()).sqrt()
    ratio = program.emit(lambda x: root * (x * x / 2).exp(), 0)
    original, program.output = program.output, program.emit(operator.mul, program.output, ratio)
    try:
        return gaussian_sum(program, 1, (), digits)
    finally:
        program.output = original

"""Means of products of functions with kinks at 0 of four centred variables, by orthants.

A function of degree 0 or 1 that is linear on both sides of 0, such as a step, a sign, ReLU or an
absolute value, is a combination of steps, or of ramps, of both signs. So a mean of two functions of
each degree is a sum over signs of `OrthantMoment`, and one of four functions of degree 0 a sum of
`OrthantProbability`.
"""

from __future__ import annotations

from itertools import product

from sympy import Add, Dummy, Expr, Mul, Symbol, sqrt

from slrsym.kernels.orthant_arrays import PAIRS
from slrsym.kernels.orthants import OrthantMoment, OrthantProbability
from slrsym.models.means.moments import covariance_symbol


def mean_by_orthants(functions: dict[Symbol, Expr]) -> Expr | None:
    """Return the mean of a product of functions of four centred variables, or None.

    `functions` has, in order, the four variables, and of each its function.
    """
    sides = [side for z, f in functions.items() if (side := _both_sides(f, z)) is not None]
    if not len(sides) == len(functions) == 4:
        return None
    degrees, factors = [side[0] for side in sides], [side[1:] for side in sides]
    if sorted(degrees) not in ([0, 0, 0, 0], [0, 0, 1, 1]):
        return None
    node = OrthantProbability if sum(degrees) == 0 else OrthantMoment
    # Steps come first.
    order = sorted(range(4), key=lambda i: degrees[i])
    names = list(functions)
    variance = [covariance_symbol(i, i) for i in range(len(names))]
    scale = Mul(*(sqrt(variance[i]) for i in order if degrees[i]))
    correlations = []
    for i, j in PAIRS:
        one, other = sorted((order[i], order[j]))
        root = sqrt(variance[one]) * sqrt(variance[other])
        correlations.append(covariance_symbol(one, other) / root)
    terms = []
    for signs in product((0, 1), repeat=4):
        weight = Mul(*(factors[i][s] for i, s in zip(order, signs, strict=True)))
        if weight != 0:
            turned = ((-1) ** (signs[i] + signs[j]) * r
                      for (i, j), r in zip(PAIRS, correlations, strict=True))  # fmt: skip
            terms.append(weight * scale * node(*turned))
    return Add(*terms)


def _both_sides(function: Expr, z: Symbol) -> tuple[int, Expr, Expr] | None:
    """Return the degree of a function, and its factors at positive and negative numbers, or None.

    Where it is f(z) = p z for z > 0 and f(z) = -n z for z < 0 they are 1, p and n.
    """
    size = Dummy(positive=True)
    values = [function.subs(z, s * size).doit() for s in (1, -1)]
    for degree in (0, 1):
        factors = [(value / size**degree).expand() for value in values]
        if not any(size in factor.free_symbols for factor in factors):
            return degree, *factors
    return None

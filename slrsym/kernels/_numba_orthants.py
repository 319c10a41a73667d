"""Functions of `slrsym.kernels.orthant_arrays` for single numbers, compiled with Numba."""

# mypy: ignore-errors

from __future__ import annotations

import math

from numba import njit

from slrsym.kernels.orthant_arrays import FACTORS, WEIGHTS, moment_at_start, orthant_integrands

_compiled = njit(error_model="numpy")


@_compiled
def _root(x):
    return math.sqrt(x)


@_compiled
def _angle(x, y):
    return math.atan2(y, x)


@_compiled
def _positive(x):
    return max(x, 0.0)


@_compiled
def _correlation(r):
    return min(max(r, -1.0), 1.0) if r == r else r


_T, _U, _COSINE = FACTORS
_PROBABILITY, _MOMENT = orthant_integrands(_root, _angle, _positive, math.pi, _compiled)
_START = moment_at_start(math.pi)


@_compiled
def orthant_probability(ab, ac, ad, bc, bd, cd):
    """Return the probability that four normal variables are positive."""
    ab, ac, ad = _correlation(ab), _correlation(ac), _correlation(ad)
    bc, bd, cd = _correlation(bc), _correlation(bd), _correlation(cd)
    total = 0.0
    for i in range(len(WEIGHTS)):
        total += WEIGHTS[i] * _PROBABILITY(ab, ac, ad, bc, bd, cd, _T[i], _U[i], _COSINE[i])
    return 1 / 16 + total


@_compiled
def orthant_moment(ab, ac, ad, bc, bd, cd):
    """Return the mean of the product of the last two where all four are positive."""
    ab, ac, ad = _correlation(ab), _correlation(ac), _correlation(ad)
    bc, bd, cd = _correlation(bc), _correlation(bd), _correlation(cd)
    total = 0.0
    for i in range(len(WEIGHTS)):
        total += WEIGHTS[i] * _MOMENT(ab, ac, ad, bc, bd, cd, _T[i], _U[i], _COSINE[i])
    return _START + cd / 16 + total

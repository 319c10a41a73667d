r"""Orthant probabilities of four normal variables, and products of two of them over an orthant.

For variables a, b, c, d of mean 0, variance 1 and correlations R these are the means

.. math:: P(R) = E\,\theta(a)\theta(b)\theta(c)\theta(d), \qquad
          M(R) = E\,\theta(a)\theta(b)\,c_+ d_+.

Both are integrals of their derivatives along the path from the unit matrix to R, which multiplies
all correlations by :math:`t = \sin x`; a derivative in a correlation is a mean with two delta
functions (Plackett, 1954), which has a closed form in the law given both variables. Before the end
the matrix of the path is positive definite, :math:`u + t R` with u = 1 - t, and all determinants
are sums of positive terms, so that singular matrices are no exception: there the integrand has
roots at the end of the path, which are smooth functions of x.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, pairwise
from typing import Any

import numpy as np
from numpy.polynomial.legendre import leggauss

# Of a, b, c, d: the six pairs in the order of the correlations.
PAIRS = tuple(combinations(range(4), 2))

# Pieces of the path, each a fourth of what is left up to its end, with nodes in each.
_PIECES, _NODES = 7, 14
_ENDS = np.pi / 2 * np.array([1.0, *(0.25 ** np.arange(1, _PIECES)), 0.0])


def _path() -> tuple[np.ndarray, np.ndarray]:
    """Return the distances of nodes from the end of the path, in x, and their weights."""
    node, weight = leggauss(_NODES)
    distances, weights = [], []
    for far, near in pairwise(_ENDS.tolist()):
        distances.append(near + (far - near) * (node + 1) / 2)
        weights.append(weight * (far - near) / 2)
    return np.concatenate(distances), np.concatenate(weights)


DISTANCES, WEIGHTS = _path()
# The factor t, its distance from 1, and the root of 1 - t^2.
FACTORS = np.cos(DISTANCES), 2 * np.sin(DISTANCES / 2) ** 2, np.sin(DISTANCES)


def orthant_integrands(
    sqrt: Any, angle: Any, positive: Any, pi: Any, compiled: Callable[[Any], Any]
) -> tuple[Any, Any]:
    """Return the derivatives of P and M along the path, as functions of numbers of one kind.

    `angle` is the angle from the first axis of a point with two coordinates, up to pi/2 in size;
    `positive` the larger of a number and 0. A function has the correlations, then t, u and the root
    of 1 - t^2.
    """

    @compiled
    def quadrant(ij, ik, il, jk, jl, kl, t, u):  # type: ignore[no-untyped-def]
        """Return what the law of k and l given i and j depends on.

        These are minors of the matrix: of k and k, l and l, k and l; the root of their determinant;
        and the angle whose sine is the correlation.
        """
        first = (1 - ij) * (1 + ij)
        square_k = u * u * (u + 3 * t) + u * t * t * (
            positive(first + (1 - ik) * (1 + ik) + (1 - jk) * (1 + jk))
        )
        square_k = square_k + t * t * t * positive(first - ik * ik - jk * jk + 2 * ij * ik * jk)
        square_l = u * u * (u + 3 * t) + u * t * t * (
            positive(first + (1 - il) * (1 + il) + (1 - jl) * (1 + jl))
        )
        square_l = square_l + t * t * t * positive(first - il * il - jl * jl + 2 * ij * il * jl)
        both = kl * first - ik * il - jk * jl + ij * (ik * jl + jk * il)
        both = u * u * t * kl + u * t * t * (2 * kl - ik * il - jk * jl) + t * t * t * both
        root = sqrt(positive(square_k * square_l - both * both))
        return both, root, angle(root, both)

    @compiled
    def probability(ab, ac, ad, bc, bd, cd, t, u, cosine):  # type: ignore[no-untyped-def]
        """Return the derivative of P in x, the angle of the path."""
        total = 0 * ab
        total = total + term(ab, quadrant(ab, ac, ad, bc, bd, cd, t, u)[2], cosine)
        total = total + term(ac, quadrant(ac, ab, ad, bc, cd, bd, t, u)[2], cosine)
        total = total + term(ad, quadrant(ad, ab, ac, bd, cd, bc, t, u)[2], cosine)
        total = total + term(bc, quadrant(bc, ab, bd, ac, cd, ad, t, u)[2], cosine)
        total = total + term(bd, quadrant(bd, ab, bc, ad, cd, ac, t, u)[2], cosine)
        return total + term(cd, quadrant(cd, ac, bc, ad, bd, ab, t, u)[2], cosine)

    @compiled
    def term(r, turned, cosine):  # type: ignore[no-untyped-def]
        """Return r times the density of two variables at 0 and the probability of a quadrant."""
        root = sqrt((1 - r) * (1 + r) + (r * cosine) * (r * cosine))
        return r * cosine / root * (pi / 2 + turned) / (4 * pi * pi)

    @compiled
    def moment(ab, ac, ad, bc, bd, cd, t, u, cosine):  # type: ignore[no-untyped-def]
        """Return the derivative of M in x, less c d P(0), with d c P' integrated by parts."""
        both, root, turned_cd = quadrant(ab, ac, ad, bc, bd, cd, t, u)
        turned_bd = quadrant(ac, ab, ad, bc, cd, bd, t, u)[2]
        turned_bc = quadrant(ad, ab, ac, bd, cd, bc, t, u)[2]
        turned_ad = quadrant(bc, ab, bd, ac, cd, ad, t, u)[2]
        turned_ac = quadrant(bd, ab, bc, ad, cd, ac, t, u)[2]
        turned_ab = quadrant(cd, ac, bc, ad, bd, ab, t, u)[2]
        # Both steps: the mean of c_+ d_+ given that a = b = 0.
        square = (1 - ab) * (1 + ab) + (ab * cosine) * (ab * cosine)
        total = ab * cosine / sqrt(square) * (root + both * (pi / 2 + turned_cd)) / square
        total = total / (4 * pi * pi)
        # A step and a ramp.
        ramps = ac * ramp(ab, ac, ad, bd, cd, turned_cd, turned_bd, turned_bc, t, u, cosine)
        ramps = ramps + ad * ramp(ab, ad, ac, bc, cd, turned_cd, turned_bc, turned_bd, t, u, cosine)
        ramps = ramps + bc * ramp(ab, bc, bd, ad, cd, turned_cd, turned_ad, turned_ac, t, u, cosine)
        ramps = ramps + bd * ramp(ab, bd, bc, ac, cd, turned_cd, turned_ac, turned_ad, t, u, cosine)
        total = total + cosine * ramps / (4 * pi * pi)
        # Both ramps: P(t) is integrated, too.
        slope = term(ab, turned_cd, cosine) + term(ac, turned_bd, cosine)
        slope = slope + term(ad, turned_bc, cosine) + term(bc, turned_ad, cosine)
        slope = slope + term(bd, turned_ac, cosine) + term(cd, turned_ab, cosine)
        return total + cd * u * slope

    @compiled
    def ramp(  # type: ignore[no-untyped-def]
        xX, xy, xY, XY, yY, given_xX, given_xy, given_xY, t, u, cosine
    ):
        """Return 2 pi times the mean of delta(x) theta(X) theta(y) Y_+, of other steps and ramps.

        The angles are those of the other two variables given two.
        """
        step = t * u * XY + t * t * (XY - xX * xY)
        along = t * u * yY + t * t * (yY - xy * xY)
        found = step / sqrt((1 - xX) * (1 + xX) + (xX * cosine) ** 2) * (pi / 2 + given_xX)
        found = found + along / sqrt((1 - xy) * (1 + xy) + (xy * cosine) ** 2) * (pi / 2 + given_xy)
        return found + sqrt((1 - xY) * (1 + xY) + (xY * cosine) ** 2) * (pi / 2 + given_xY)

    return probability, moment


def moment_at_start(pi: Any) -> Any:
    """Return M of independent variables."""
    return 1 / (8 * pi)


def orthant_functions(xp: Any) -> dict[str, Callable[..., Any]]:
    """Return P and M of six correlations, for arrays of NumPy or JAX."""
    probability, moment = orthant_integrands(
        xp.sqrt, lambda x, y: xp.arctan2(y, x), lambda x: xp.maximum(x, 0.0), np.pi, lambda f: f
    )

    def integral(integrand: Callable[..., Any], correlations: tuple[Any, ...]) -> Any:
        columns = (xp.clip(xp.asarray(r), -1.0, 1.0)[..., None] for r in correlations)
        return integrand(*columns, *FACTORS) @ xp.asarray(WEIGHTS)

    def orthant_probability(*correlations: Any) -> Any:
        return 1 / 16 + integral(probability, correlations)

    def orthant_moment(*correlations: Any) -> Any:
        last = xp.clip(correlations[-1], -1.0, 1.0)
        return moment_at_start(np.pi) + last / 16 + integral(moment, correlations)

    return {"orthant_probability": orthant_probability, "orthant_moment": orthant_moment}

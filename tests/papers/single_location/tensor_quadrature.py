"""The risk by brute force: every token's law on a grid, all combinations summed.

Nothing is expanded, nothing is known of erf but its values, and independence of the tokens enters
only as the product of their weights. Numbers are integers in units of 2**-BITS, so sums are exact.
"""

from collections import Counter
from itertools import product

import mpmath
import numpy as np

BITS = 230
RANGE = 17  # the normal density is below 1e-60 beyond


def _fixed(x):
    return int(mpmath.nint(mpmath.ldexp(x, BITS)))


def _score_grid(spread, digits):
    """Nodes and weights of the trapezoid rule for a standard normal variable.

    With f entire and |f(x + iy)| growing like exp(2 spread^2 y^2), the error is about
    exp(-pi^2 / (h^2 (1/2 + 2 spread^2))).
    """
    rate = mpmath.mpf(1) / 2 + 2 * spread**2
    h = mpmath.pi / mpmath.sqrt((digits + 6) * mpmath.log(10) * rate)
    count = int(RANGE / h) + 1
    nodes = [k * h for k in range(-count, count + 1)]
    return [(x, h * mpmath.npdf(x)) for x in nodes]


def _root(matrix):
    """Lower triangular root of a positive semidefinite matrix, zero columns allowed."""
    n = len(matrix)
    root = [[mpmath.mpf(0)] * n for _ in range(n)]
    for j in range(n):
        pivot = matrix[j][j] - sum(root[j][k] ** 2 for k in range(j))
        if pivot <= mpmath.mpf(10) ** -60:
            continue
        root[j][j] = mpmath.sqrt(pivot)
        for i in range(j + 1, n):
            rest = matrix[i][j] - sum(root[i][k] * root[j][k] for k in range(j))
            root[i][j] = rest / root[j][j]
    return root


def _atoms(values_and_weights):
    return _merged((_fixed(v), _fixed(w)) for v, w in values_and_weights)


def _merged(values_and_weights):
    """Values and weights as arrays; equal values, which symmetric laws have many of, only once."""
    weight_of = Counter()
    for value, weight in values_and_weights:
        weight_of[value] += weight
    return (
        np.array(list(weight_of), dtype=object),
        np.array(list(weight_of.values()), dtype=object),
    )


def risk(d, L, gamma, epsilon, lam, kappa, nu, theta, eta, rho, digits=50):
    """E (Y - T(X))^2 for L tokens, to about `digits` digits."""
    with mpmath.workdps(digits + 15):
        d, gamma, epsilon, lam, kappa, nu, theta, eta, rho = (
            mpmath.mpf(int(x.p)) / int(x.q)
            for x in (d, gamma, epsilon, lam, kappa, nu, theta, eta, rho)
        )
        drift = mpmath.sqrt(d / 2)
        # u, v, y of the informative token; v and y enter squared at most, so two nodes are exact.
        root = _root([[1, rho, eta], [rho, 1, nu], [eta, nu, 1]])
        informative = []
        for (z, weight), e2, e3, sign in product(
            _score_grid(lam * gamma, digits), (-1, 1), (-1, 1), (-1, 1)
        ):
            u = drift * kappa + gamma * root[0][0] * z
            v = drift * theta + gamma * (root[1][0] * z + root[1][1] * e2)
            y = gamma * (root[2][0] * z + root[2][1] * e2 + root[2][2] * e3)
            informative.append((y + sign * epsilon - mpmath.erf(lam * u) * v, weight / 8))
        root = _root([[1, rho], [rho, 1]])
        other = [
            (mpmath.erf(lam * z) * (root[1][0] * z + root[1][1] * e), weight / 2)
            for (z, weight), e in product(_score_grid(lam, digits), (-1, 1))
        ]
        values, weights = _atoms(informative)
        one_value, one_weight = _atoms(other)
        other_values, other_weights = _merged([(0, 1 << BITS)])
        for _ in range(L - 1):
            sums = np.add.outer(other_values, one_value).ravel()
            products = np.multiply.outer(other_weights, one_weight).ravel() >> BITS
            other_values, other_weights = _merged(zip(sums, products, strict=True))
        total = sum(
            weight * (int(np.dot(other_weights, (value - other_values) ** 2)) >> BITS)
            for value, weight in zip(values, weights, strict=True)
        )
        return mpmath.ldexp(mpmath.mpf(total), -3 * BITS)

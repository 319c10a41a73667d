"""Closed forms of committee machines, typed in: Saad and Solla (1995), Goldt et al. (2019).

Nothing of slrsym is used. A point is a covariance C of the fields of K students and M teachers, and
second layers; s are the second layers with a minus sign on students. Numbers as in the papers: half
of the squared error, the learning rate eta.
"""

from math import asin, pi, sqrt

import numpy as np
from scipy.integrate import solve_ivp


def i2(C, a, b):
    return 2 / pi * asin(C[a, b] / sqrt((1 + C[a, a]) * (1 + C[b, b])))


def i3(C, a, b, c):
    lam = (1 + C[a, a]) * (1 + C[c, c]) - C[a, c] ** 2
    top = C[b, c] * (1 + C[a, a]) - C[a, b] * C[a, c]
    return 2 / pi * top / ((1 + C[a, a]) * sqrt(lam))


def j2(C, a, b):
    return 2 / pi / sqrt((1 + C[a, a]) * (1 + C[b, b]) - C[a, b] ** 2)


def i4(C, a, b, c, d):
    lam4 = (1 + C[a, a]) * (1 + C[b, b]) - C[a, b] ** 2
    lam0 = (
        lam4 * C[c, d]
        - C[b, c] * C[b, d] * (1 + C[a, a])
        - C[a, c] * C[a, d] * (1 + C[b, b])
        + C[a, b] * C[a, c] * C[b, d]
        + C[a, b] * C[a, d] * C[b, c]
    )

    def lam(c):
        return (
            lam4 * (1 + C[c, c])
            - C[b, c] ** 2 * (1 + C[a, a])
            - C[a, c] ** 2 * (1 + C[b, b])
            + 2 * C[a, b] * C[a, c] * C[b, c]
        )

    return 4 / pi**2 / sqrt(lam4) * asin(lam0 / sqrt(lam(c) * lam(d)))


def error(C, s):
    """S5: the generalisation error, half of the mean square, without the noise."""
    units = range(len(s))
    return sum(s[a] * s[b] * i2(C, a, b) for a in units for b in units) / 2


def rates_of_change(C, v, v_star, eta, eta_v=0.0, kappa=0.0, sigma=0.0):
    """S6, S7, S8: the change of C, zero for two teachers, and of the second layer."""
    K, total = len(v), len(C)
    s = np.concatenate([-np.asarray(v), v_star])
    units = range(total)
    change = np.zeros_like(C)
    for i in range(K):
        for n in range(K, total):
            pull = sum(s[a] * i3(C, i, n, a) for a in units)
            change[i, n] = change[n, i] = eta * v[i] * pull - kappa * C[i, n]
        for k in range(i, K):
            first = eta * v[i] * sum(s[a] * i3(C, i, k, a) for a in units)
            first += eta * v[k] * sum(s[a] * i3(C, k, i, a) for a in units)
            second = sum(s[a] * s[b] * i4(C, i, k, a, b) for a in units for b in units)
            second += sigma**2 * j2(C, i, k)
            both = first - 2 * kappa * C[i, k] + eta**2 * v[i] * v[k] * second
            change[i, k] = change[k, i] = both
    moved = [eta_v * sum(s[a] * i2(C, k, a) for a in units) for k in range(K)]
    return change, np.array(moved)


def trajectory(C, v, v_star, times, **options):
    """The covariance at each time, and the second layer."""
    size, K = len(C), len(v)

    def moved(_, flat):
        at, second = flat[: size**2].reshape(size, size), flat[size**2 :]
        change, slopes = rates_of_change(at, second, v_star, **options)
        return np.concatenate([change.ravel(), slopes])

    begin = np.concatenate([np.ravel(C), v])
    found = solve_ivp(moved, (0, times[-1]), begin, "DOP853", times, rtol=1e-11, atol=1e-13).y.T
    return found[:, : size**2].reshape(-1, size, size), found[:, -K:]

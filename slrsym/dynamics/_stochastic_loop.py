"""The loop of stochastic gradient descent in the overlaps; Numba compiles the text of it.

It stands beside ``body``, which `slrsym.dynamics.stochastic` prints: a token's contribution to the
prediction, and its two derivatives.
"""

# mypy: ignore-errors
# ruff: noqa: F821

from math import sqrt


def walk(state, temperatures, every, gamma, d, L, epsilon, alpha, batch, normal, chi, noted):
    """Move one run by a step for each temperature.

    Parameters
    ----------
    state : ndarray, shape (5,)
        Overlaps, which are moved in place.
    temperatures : ndarray, shape (rows * every,)
    every : int
        After how many steps the state is noted.
    gamma, d, L, epsilon, alpha, batch : float or int
        Of the task, and of the steps.
    normal, chi : Generator
        Of normal variates, and of others.
    noted : ndarray, shape (rows, 5)
        Where the states are noted.
    """
    kappa, nu, theta, eta, rho = state
    root = sqrt(d / 2)
    tokens = np.empty((L, 6))
    for step in range(temperatures.size):
        fixed = constants(temperatures[step])
        # In an orthonormal frame that begins with k*, v*, and has k in its first three axes.
        k1, k2, v1, v2 = kappa, eta, theta, nu
        k3 = sqrt(max(0.0, 1 - k1 * k1 - k2 * k2))
        v3 = (rho - k1 * v1 - k2 * v2) / k3 if k3 > 1e-8 else 0.0
        v4 = sqrt(max(0.0, 1 - v1 * v1 - v2 * v2 - v3 * v3))
        # Sums over tokens, weighted as in the gradients in k and in v: of the coordinates in the
        # frame, and of the squares and products of the weights.
        a1 = a2 = a3 = a4 = b1 = b2 = b3 = b4 = aa = ab = bb = 0.0
        for _ in range(batch):
            prediction = output = 0.0
            for token in range(L):
                x1, x2 = normal.standard_normal(), normal.standard_normal()
                x3, x4 = normal.standard_normal(), normal.standard_normal()
                if token == 0:
                    x1, x2, x3, x4 = root + gamma * x1, gamma * x2, gamma * x3, gamma * x4
                    output = x2 + epsilon * normal.standard_normal()
                u = x1 * k1 + x2 * k2 + x3 * k3
                w = x1 * v1 + x2 * v2 + x3 * v3 + x4 * v4
                part, part_u, part_w = body(u, w, *fixed)
                prediction += part
                tokens[token] = x1, x2, x3, x4, part_u, part_w
            slope = 2 * (prediction - output) / batch
            for token in range(L):
                x1, x2, x3, x4, part_u, part_w = tokens[token]
                p, q = slope * part_u, slope * part_w
                a1, a2, a3, a4 = a1 + p * x1, a2 + p * x2, a3 + p * x3, a4 + p * x4
                b1, b2, b3, b4 = b1 + q * x1, b2 + q * x2, b3 + q * x3, b4 + q * x4
                square = gamma * gamma if token == 0 else 1.0
                aa, ab, bb = aa + square * p * p, ab + square * p * q, bb + square * q * q
        # The parts of both sums beyond the frame, by their Gram matrix: Bartlett's decomposition.
        length = sqrt(chi.chisquare(d - 4.0))
        rest = chi.chisquare(d - 5.0)
        low = ab / sqrt(aa) if aa > 0 else 0.0
        free = sqrt(max(0.0, bb - low * low))
        across = low * length + free * normal.standard_normal()
        gram_kk, gram_kv = aa * length * length, sqrt(aa) * length * across
        gram_vv = across * across + free * free * rest
        along = a1 * k1 + a2 * k2 + a3 * k3
        k1, k2 = k1 - alpha * (a1 - along * k1), k2 - alpha * (a2 - along * k2)
        k3, k4 = k3 - alpha * (a3 - along * k3), -alpha * a4
        along = b1 * v1 + b2 * v2 + b3 * v3 + b4 * v4
        v1, v2 = v1 - alpha * (b1 - along * v1), v2 - alpha * (b2 - along * v2)
        v3, v4 = v3 - alpha * (b3 - along * v3), v4 - alpha * (b4 - along * v4)
        k_norm = sqrt(k1 * k1 + k2 * k2 + k3 * k3 + k4 * k4 + alpha * alpha * gram_kk)
        v_norm = sqrt(v1 * v1 + v2 * v2 + v3 * v3 + v4 * v4 + alpha * alpha * gram_vv)
        kappa, eta, theta, nu = k1 / k_norm, k2 / k_norm, v1 / v_norm, v2 / v_norm
        inner = k1 * v1 + k2 * v2 + k3 * v3 + k4 * v4 + alpha * alpha * gram_kv
        rho = inner / (k_norm * v_norm)
        if (step + 1) % every == 0:
            row = noted[(step + 1) // every - 1]
            row[0], row[1], row[2], row[3], row[4] = kappa, nu, theta, eta, rho
    state[0], state[1], state[2], state[3], state[4] = kappa, nu, theta, eta, rho

"""One step of stochastic gradient descent in the overlaps, as source code for Numba.

It stands beside ``body``, which `slrsym.papers.single_location.dynamics.stochastic` prints: a
token's contribution to the prediction, and its two derivatives.
"""

# mypy: ignore-errors
# ruff: noqa: F821

from math import sqrt


def fill_token_contributions(work, *fixed):
    """Write each token's contribution to the prediction, with derivatives, into `work`."""
    for start in range(0, work.size, 384):
        block = work[start : start + 384]
        for i in range(64):
            block[192 + i], block[256 + i], block[320 + i] = body(block[i], block[64 + i], *fixed)


def move_state_by_step(state, work, first, fixed, gamma, d, L, epsilon, alpha, batch, normal, chi):
    """Move the overlaps of one run, in place, by one step of stochastic gradient descent.

    In `work` there are the tokens, in blocks of 64, at distances that are known so that one
    instruction computes several: X.k, X.v, the coordinate along e, the contribution, and its two
    derivatives; in `first`, of shape (batch, 3), coordinates of the informative tokens.
    """
    # Overlaps are coordinates in a frame that begins with k*, v*, and one inner product.
    k1, v2, v1, k2, both = state
    root = sqrt(d / 2)
    # Whether there is a third axis, and a fourth.
    third, fourth = 1.0 if d >= 3 else 0.0, 1.0 if d >= 4 else 0.0
    # The frame is orthonormal, and has k in its first three axes.
    k3 = third * sqrt(max(0.0, 1 - k1 * k1 - k2 * k2))
    v_left = max(0.0, 1 - v1 * v1 - v2 * v2)
    v3 = third * (both - k1 * v1 - k2 * v2) / k3 if k3 > 1e-8 else 0.0
    if d == 3 or v3 * v3 > v_left:
        v3 = np.copysign(sqrt(v_left), v3)
    v4 = fourth * sqrt(max(0.0, v_left - v3 * v3))
    # The unit vector e spans with k what k and v do, and f with both of them what v* adds.
    inner = k1 * v1 + k2 * v2 + k3 * v3
    e1, e2, e3, e4 = v1 - inner * k1, v2 - inner * k2, v3 - inner * k3, v4
    if e1 * e1 + e2 * e2 + e3 * e3 + e4 * e4 < 1e-14:
        # Any will do.
        if d >= 4:
            e1, e2, e3, e4 = 0.0, 0.0, 0.0, 1.0
        elif k1 * k1 + k2 * k2 > 0.1:
            e1, e2, e3, e4 = -k2, k1, 0.0, 0.0
        else:
            e1, e2, e3, e4 = k3, 0.0, -k1, 0.0
    off = e1 * k1 + e2 * k2 + e3 * k3
    e1, e2, e3 = e1 - off * k1, e2 - off * k2, e3 - off * k3
    scale = 1 / sqrt(e1 * e1 + e2 * e2 + e3 * e3 + e4 * e4)
    e1, e2, e3, e4 = scale * e1, scale * e2, scale * e3, scale * e4
    outer = e1 * v1 + e2 * v2 + e3 * v3 + e4 * v4
    f1, f2 = -k2 * k1 - e2 * e1, 1 - k2 * k2 - e2 * e2
    f3, f4 = -k2 * k3 - e2 * e3, -e2 * e4
    width = sqrt(f1 * f1 + f2 * f2 + f3 * f3 + f4 * f4)
    if width < 1e-8:
        width = 0.0
    scale = 1 / width if width > 0 else 0.0
    f1, f2, f3, f4 = scale * f1, scale * f2, scale * f3, scale * f4
    # Sums over tokens, weighted as in the gradients in k (a) and in v (b): of the coordinates
    # along k, e and f, and of the squares and products of the weights.
    a_mean = a_k = a_e = a_f = b_mean = b_k = b_e = b_f = 0.0
    aa = ab = bb = aa_first = ab_first = bb_first = 0.0
    at = 0
    for sequence in range(batch):
        along, across = normal.standard_normal(), normal.standard_normal()
        beside, noise = normal.standard_normal(), normal.standard_normal()
        u = root * k1 + gamma * along
        w = root * v1 + gamma * (inner * along + outer * across)
        output = gamma * (k2 * along + e2 * across + width * beside) + epsilon * noise
        first[sequence, 0], first[sequence, 1], first[sequence, 2] = along, across, beside
        place = at // 64 * 384 + at % 64
        work[place], work[place + 64], work[place + 128] = u, w, output
        at += 1
        for _ in range(1, L):
            x, y = normal.standard_normal(), normal.standard_normal()
            place = at // 64 * 384 + at % 64
            work[place], work[place + 64], work[place + 128] = x, inner * x + outer * y, y
            at += 1
    fill_token_contributions(work, *fixed)
    at = 0
    for sequence in range(batch):
        place = at // 64 * 384 + at % 64
        error = work[place + 192] - work[place + 128]
        for token in range(1, L):
            there = at + token
            error += work[there // 64 * 384 + there % 64 + 192]
        slope = 2 * error / batch
        along, across, beside = first[sequence, 0], first[sequence, 1], first[sequence, 2]
        p, q = slope * work[place + 256], slope * work[place + 320]
        a_mean, b_mean = a_mean + p, b_mean + q
        p, q = gamma * p, gamma * q
        a_k, a_e, a_f = a_k + p * along, a_e + p * across, a_f + p * beside
        b_k, b_e, b_f = b_k + q * along, b_e + q * across, b_f + q * beside
        aa_first, ab_first = aa_first + p * p, ab_first + p * q
        bb_first += q * q
        for token in range(1, L):
            there = at + token
            place = there // 64 * 384 + there % 64
            x, y = work[place], work[place + 128]
            p, q = slope * work[place + 256], slope * work[place + 320]
            a_k, a_e = a_k + p * x, a_e + p * y
            b_k, b_e = b_k + q * x, b_e + q * y
            aa, ab, bb = aa + p * p, ab + p * q, bb + q * q
        at += L
    # What the other tokens have along f, given the weights.
    r, s = normal.standard_normal(), normal.standard_normal()
    low = ab / sqrt(aa) if aa > 0 else 0.0
    a_f += sqrt(aa) * r
    b_f += low * r + sqrt(max(0.0, bb - low * low)) * s
    aa, ab, bb = aa + aa_first, ab + ab_first, bb + bb_first
    low = ab / sqrt(aa) if aa > 0 else 0.0
    top, free = sqrt(aa), sqrt(max(0.0, bb - low * low))
    # What all tokens have in the frame, orthogonal to k, e and f.
    r1, r2 = normal.standard_normal(), normal.standard_normal()
    r3, r4 = third * normal.standard_normal(), fourth * normal.standard_normal()
    s1, s2 = normal.standard_normal(), normal.standard_normal()
    s3, s4 = third * normal.standard_normal(), fourth * normal.standard_normal()
    r_k, s_k = r1 * k1 + r2 * k2 + r3 * k3, s1 * k1 + s2 * k2 + s3 * k3
    r_e, s_e = r1 * e1 + r2 * e2 + r3 * e3 + r4 * e4, s1 * e1 + s2 * e2 + s3 * e3 + s4 * e4
    r_f, s_f = r1 * f1 + r2 * f2 + r3 * f3 + r4 * f4, s1 * f1 + s2 * f2 + s3 * f3 + s4 * f4
    # Together with it, the coordinates along k, e and f make the sums in the frame.
    a_k, a_e, a_f = a_k - top * r_k, a_e - top * r_e, a_f - top * r_f
    b_k, b_e = b_k - low * r_k - free * s_k, b_e - low * r_e - free * s_e
    b_f -= low * r_f + free * s_f
    a1 = root * a_mean + a_k * k1 + a_e * e1 + a_f * f1 + top * r1
    a2 = a_k * k2 + a_e * e2 + a_f * f2 + top * r2
    a3 = a_k * k3 + a_e * e3 + a_f * f3 + top * r3
    a4 = a_e * e4 + a_f * f4 + top * r4
    b1 = root * b_mean + b_k * k1 + b_e * e1 + b_f * f1 + low * r1 + free * s1
    b2 = b_k * k2 + b_e * e2 + b_f * f2 + low * r2 + free * s2
    b3 = b_k * k3 + b_e * e3 + b_f * f3 + low * r3 + free * s3
    b4 = b_e * e4 + b_f * f4 + low * r4 + free * s4
    # The parts of both sums beyond the frame, by their Gram matrix: Bartlett's decomposition.
    length = sqrt(chi.chisquare(d - 4.0)) if d >= 5 else 0.0
    rest = chi.chisquare(d - 5.0) if d >= 6 else 0.0
    across = normal.standard_normal()
    across = low * length + free * across if d >= 5 else 0.0
    gram_kk, gram_kv = aa * length * length, top * length * across
    gram_vv = across * across + free * free * rest
    along = a1 * k1 + a2 * k2 + a3 * k3
    k1, k2 = k1 - alpha * (a1 - along * k1), k2 - alpha * (a2 - along * k2)
    k3, k4 = k3 - alpha * (a3 - along * k3), -alpha * a4
    along = b1 * v1 + b2 * v2 + b3 * v3 + b4 * v4
    v1, v2 = v1 - alpha * (b1 - along * v1), v2 - alpha * (b2 - along * v2)
    v3, v4 = v3 - alpha * (b3 - along * v3), v4 - alpha * (b4 - along * v4)
    k_norm = sqrt(k1 * k1 + k2 * k2 + k3 * k3 + k4 * k4 + alpha * alpha * gram_kk)
    v_norm = sqrt(v1 * v1 + v2 * v2 + v3 * v3 + v4 * v4 + alpha * alpha * gram_vv)
    # Not a number where a square overflows.
    k_norm, v_norm = k_norm + 0 * k_norm, v_norm + 0 * v_norm
    both = k1 * v1 + k2 * v2 + k3 * v3 + k4 * v4 + alpha * alpha * gram_kv
    both = both / (k_norm * v_norm)
    k1, k2, v1, v2 = k1 / k_norm, k2 / k_norm, v1 / v_norm, v2 / v_norm
    state[0], state[1], state[2], state[3], state[4] = k1, v2, v1, k2, both

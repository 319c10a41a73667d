"""Sampled descent beside its equations of motion: experiments, each with its counts."""

import numpy as np

from slrsym.proof import Claim, Trials, in_words


def velocities(Q, R, eta, sigma):
    """Return the velocities of Q and R, with orthonormal teachers and all second layers 1."""
    K, M = R.shape
    C = np.block([[Q, R], [R.T, np.eye(M)]])
    s = np.r_[-np.ones(K), np.ones(M)]
    wide = 1 + np.diag(C)
    i, k = np.arange(K)[:, None, None], np.arange(K)[None, :, None]

    def drift(i, b, c):
        shared = wide[i] * wide[c] - C[i, c] ** 2
        return 2 / np.pi * (C[b, c] * wide[i] - C[i, b] * C[i, c]) / (wide[i] * np.sqrt(shared))

    every = np.arange(K + M)
    slope = drift(i, every[None, :, None], every[None, None, :]) @ s
    a, b = every[None, None, :, None], every[None, None, None, :]
    i, k = i[..., None], k[..., None]
    pair = wide[i] * wide[k] - C[i, k] ** 2

    def left(a, b):
        across = C[i, k] * (C[i, a] * C[k, b] + C[i, b] * C[k, a])
        return C[k, a] * C[k, b] * wide[i] + C[i, a] * C[i, b] * wide[k] - across

    sine = (pair * C[a, b] - left(a, b)) / np.sqrt(
        (pair * wide[a] - left(a, a)) * (pair * wide[b] - left(b, b))
    )
    noise = 4 / np.pi**2 / np.sqrt(pair[..., 0, 0]) * (np.arcsin(sine) @ s @ s)
    noise += sigma**2 * 2 / np.pi / np.sqrt(pair[..., 0, 0])
    own = slope[:, :K]
    return eta * (own + own.T) + eta**2 * noise, eta * slope[:, K:]


def solution(Q, R, eta, sigma, times):
    """Integrate the equations of motion."""
    from scipy.integrate import solve_ivp

    K, M = R.shape

    def velocity(_, m):
        both = velocities(m[: K * K].reshape(K, K), m[K * K :].reshape(K, M), eta, sigma)
        return np.r_[both[0].ravel(), both[1].ravel()]

    start, span = np.r_[Q.ravel(), R.ravel()], (0, times[-1])
    return solve_ivp(velocity, span, start, t_eval=times, rtol=1e-6, atol=1e-8).y.T


def distance(N, runs, eta, sigma, horizon, rng):
    """Return the mean over runs of the largest distance from the solution, over all steps."""
    from scipy.special import erf

    # By the symmetry of the law of x, the teachers may be the first two axes.
    root = np.sqrt(N)
    w = rng.standard_normal((2, N)) / 2
    w = np.repeat(w[None], runs, axis=0)
    steps = horizon * N

    def overlaps(w):
        return np.concatenate(
            [(w @ w.swapaxes(1, 2) / N).reshape(runs, -1), (w[:, :, :2] / root).reshape(runs, -1)],
            axis=1,
        )

    start = overlaps(w)[0]
    known = solution(
        start[:4].reshape(2, 2), start[4:].reshape(2, 2), eta, sigma, np.arange(steps + 1) / N
    )
    worst = np.zeros(runs)
    for step in range(steps):
        x = rng.standard_normal((runs, N))
        fields, r = np.einsum("rkn,rn->rk", w, x) / root, x[:, :2]
        label = erf(r / np.sqrt(2)).sum(1) + sigma * rng.standard_normal(runs)
        off = erf(fields / np.sqrt(2)).sum(1) - label
        slope = np.sqrt(2 / np.pi) * np.exp(-(fields**2) / 2)
        w = w - eta / root * (slope * off[:, None])[:, :, None] * x[:, None, :]
        worst = np.maximum(worst, np.linalg.norm(overlaps(w) - known[step + 1], axis=1))
    return worst.mean()


limit = Claim(
    id="committee-ode-limit",
    title=(
        "Up to a fixed time, the largest distance of online descent in dimension $N$ from the "
        "solution of the equations of motion has a mean of at most a constant over $sqrt(N)$"
    ),
    statement=in_words(
        "The mean over runs of the largest distance between the order parameters of online descent "
        "and the solution of their equations of motion, over all steps up to a fixed time, is at "
        "most a constant over the square root of the dimension N."
    ),
    source=(
        "Section 2; Goldt, Advani, Saxe, Krzakala, Zdeborova, NeurIPS 2019, and Wang, Hu, Lu, "
        "2018, prove it"
    ),
)


@limit.tested_by
def _(rng):
    """Two students of two teachers, up to time 1, in five dimensions with 8 runs each."""
    sizes, bound = (100, 200, 400, 800, 1600), 2.0
    scaled = [np.sqrt(N) * distance(N, 8, 0.5, 0.1, 1, rng) for N in sizes]
    failures = tuple(
        f"N = {N}: {value:.2f}/sqrt(N)"
        for N, value in zip(sizes, scaled, strict=True)
        if not value < bound
    )
    return Trials(len(sizes), "dimensions from 100 to 1600, the constant being 2", failures)


surplus = Claim(
    id="committee-surplus-units",
    title=(
        "In the runs tried without noise, each teacher is learned by one student; one surplus "
        "student vanishes, and of two each is the opposite of the other"
    ),
    statement=in_words(
        "With more students than orthonormal teachers, all second layers 1 and no noise, the "
        "equations of motion lead to a point where each teacher is equal to one student. A single "
        "surplus student vanishes; of two, each is the opposite of the other, and need not vanish."
    ),
    source="Section 4",
)


@surplus.tested_by
def _(rng):
    """Starts in 100 dimensions, at a small learning rate."""
    failures, count = [], 0
    for K, M in ((2, 1), (3, 2), (3, 1)):
        for _ in range(2):
            w = rng.standard_normal((K, 100)) / 2
            Q, R = w @ w.T / 100, w[:, :M] / 10
            end = solution(Q, R, 0.5, 0.0, np.array([0.0, 1500.0]))[-1]
            Q, R = end[: K * K].reshape(K, K), end[K * K :].reshape(K, M)
            matched = R.argmax(axis=0)
            others = np.setdiff1d(np.arange(K), matched)
            wrong = max(abs(np.diag(Q)[matched] - 1).max(), abs(R.max(axis=0) - 1).max())
            wrong = max(wrong, abs(Q[np.ix_(others, others)].sum()))
            count += 1
            if len(others) != K - M or wrong > 0.01:
                failures.append(f"K = {K}, M = {M}: off by {wrong:.3f}")
    domain = "starts with (K, M) = (2, 1), (3, 2), (3, 1), learning rate 0.5, up to time 1500"
    return Trials(count, domain, tuple(failures))

"""How near to the manifold uniform starts lie."""

from sympy import IndexedBase, Le, Sum, Symbol, symbols

from slrsym.proof import Claim, Trials, algebra, chain, having, in_words, sign, termwise

# The squared coordinates of a vector w of R^N, in any orthonormal basis, are c_i b + h_i, where c_i
# is 1 if the square is b or more, and 0 otherwise.
N = Symbol("N", integer=True, positive=True)
i, n = symbols("i n", integer=True)
c, h = IndexedBase("c", nonnegative=True), IndexedBase("h", nonnegative=True)
b = Symbol("b", positive=True)


def total(f):
    return Sum(f(n), (n, 1, N))


few = Claim(
    id="large-coordinates",
    title=(
        "For $b > 0$ and $c_i, h_i >= 0$, the sum of $c_i$ is at most $1/b$ times the sum of $b "
        "c_i + h_i$"
    ),
    statement=Le(total(lambda n: c[n]), total(lambda n: c[n] * b + h[n]) / b),
    source=(
        "new; with $c_i = 1$ for the coordinates of a vector $w$ whose square is $b$ or more, $c_i "
        "= 0$ for the others, and squares $b c_i + h_i$: at most $|w|^2/b$ coordinates are so "
        "large. All coordinates of a uniform unit vector have one law, so each has a square of $b$ "
        "or more with a probability of at most $1/(N b)$"
    ),
)


@few.proof
def _(goal):
    """The $h_i$ do not add up to a negative number."""
    rest = chain(total(lambda n: h[n])).ge(0, by=termwise(i, 1, N, chain(h[i]).ge(0, by=sign)))
    counted = total(lambda n: c[n])
    return having(
        rest,
        chain(goal.lhs).le(counted + total(lambda n: h[n]) / b, by=sign).then(goal.rhs, by=algebra),
    )


near = Claim(
    id="uniform-starts-near-manifold",
    title=(
        "For uniform $k$, $v$ in $R^d$, one of $|theta|$, $|eta|$, $|rho|$ is $t$ or more with a "
        "probability of at most $3/(d t^2)$"
    ),
    statement=in_words(
        "For k and v uniform on the unit sphere of R^d, and t > 0, one of the overlaps of v and "
        "k*, of k and v*, of k and v is t or more in absolute value with a probability of at most "
        "3/(d t^2). On M all three are 0."
    ),
    source="Section 5; each overlap has the law of a coordinate, claim large-coordinates",
)


@near.tested_by
def _(rng):
    """Frequencies of the event among uniform pairs, in dimensions up to 1000.

    For a proof, the proof checker has no law of a vector of symbolic dimension, and its sums of
    independent copies stand in no denominator and in no indicator.
    """
    import numpy as np

    failures, count, samples = [], 20, 4000
    for _ in range(count):
        d = int(np.exp(rng.uniform(np.log(3), np.log(1000))))
        k, v = rng.standard_normal((2, samples, d))
        k /= np.linalg.norm(k, axis=1, keepdims=True)
        v /= np.linalg.norm(v, axis=1, keepdims=True)
        # With the basis vectors for k* and v*.
        overlaps = np.stack([v[:, 0], k[:, 1], (k * v).sum(axis=1)])
        threshold = rng.uniform(1.8, 4) / np.sqrt(d)
        often = (np.abs(overlaps).max(axis=0) >= threshold).mean()
        most = 3 / (d * threshold**2)
        if often > most + 4 * np.sqrt(most * max(1 - most, 0) / samples):
            failures.append(f"{often} of the starts, bound {most}, at d = {d}")
    return Trials(count, "dimensions up to 1000, 4000 starts each", tuple(failures))

"""Smooth functions of Gaussian vectors: Stein, Poincaré.

The vector $g$ is Gaussian with mean 0 and covariance $S$, which may be singular. The functions are
twice continuously differentiable, and grow with their derivatives at most as a power.
"""

from sympy import Eq, Identity, Le, Symbol, Trace

from slrsym.matrices import MatrixMean, Size, covariance, matrix, smooth_function
from slrsym.proof import Claim, Lipschitz, averaged, chain, poincare, stein

d = Size("d")
h = smooth_function("h", d)
a, b, g = (matrix(name, d, 1) for name in "abg")
S = covariance("S", d)
K = Symbol("K", nonnegative=True)
law, standard = (g, S, Identity(1)), (g, Identity(d), Identity(1))
slope, bend = h.gradient(g), h.hessian(g)


def mean(f):
    return MatrixMean(f, law)


def standard_mean(f):
    return MatrixMean(f, standard)


def _by_stein(id, title, left, right):
    claim = Claim(id=id, title=title, statement=Eq(left, right, evaluate=False), source="standard")

    @claim.proof
    def _(goal):
        """Each explicit factor of the vector is replaced by a derivative."""
        return chain(goal.lhs).then(goal.rhs, by=stein(g))

    return claim


stein_value = _by_stein(
    "stein-vectors", "Stein's lemma for a smooth function of a Gaussian vector",
    mean(Trace(a.T * g) * h(g)), mean(Trace(a.T * S * slope)),
)  # fmt: skip

stein_gradient = _by_stein(
    "stein-vectors-gradient", "Stein's lemma for the gradient of a smooth function",
    mean(Trace(a.T * g) * Trace(b.T * slope)), mean(Trace(a.T * S * bend * b)),
)  # fmt: skip

stein_twice = _by_stein(
    "stein-vectors-hessian", "The mean of a smooth function times two linear forms, by its Hessian",
    mean(Trace(a.T * g) * Trace(b.T * g) * h(g)),
    Trace(a.T * S * b) * mean(h(g)) + mean(Trace(a.T * S * bend * S * b)),
)  # fmt: skip

stein_length = _by_stein(
    "stein-vectors-length", "The mean of a smooth function times the squared length of the vector",
    standard_mean(Trace(g.T * g) * h(g)),
    d * standard_mean(h(g)) + standard_mean(Trace(g.T * slope)),
)  # fmt: skip

poincare_vectors = Claim(
    id="poincare-vectors",
    title="Poincare's inequality for a smooth function of a Gaussian vector",
    statement=Le(mean(h(g) ** 2) - mean(h(g)) ** 2, mean(Trace(slope.T * S * slope))),
    source="standard",
)


@poincare_vectors.proof
def _(goal):
    """By the inequality for functions of independent variables."""
    return chain(goal.lhs).le(goal.rhs, by=poincare(h(g)))


poincare_lipschitz = Claim(
    id="poincare-vectors-lipschitz",
    title="The variance of a smooth function whose gradient has length at most $K$",
    hypotheses=[Lipschitz(h, K)],
    statement=Le(standard_mean(h(g) ** 2) - standard_mean(h(g)) ** 2, K**2),
    source="standard",
)


@poincare_lipschitz.proof
def _(goal):
    """The squared length of the gradient is bounded under the mean."""
    return (
        chain(goal.lhs)
        .le(standard_mean(Trace(slope.T * slope)), by=poincare(h(g)))
        .le(goal.rhs, by=averaged(Lipschitz(h, K), g))
    )

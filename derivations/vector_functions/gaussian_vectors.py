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


def _by_stein(claim):
    @claim.proof
    def _(goal):
        """Each explicit factor of the vector is replaced by a derivative."""
        return chain(goal.lhs).then(goal.rhs, by=stein(g))


stein_value = Claim(
    id="stein-vectors",
    title="Stein's lemma for a smooth function of a Gaussian vector",
    statement=Eq(mean(Trace(a.T * g) * h(g)), mean(Trace(a.T * S * slope)), evaluate=False),
    source="standard",
)

stein_gradient = Claim(
    id="stein-vectors-gradient",
    title="Stein's lemma for the gradient of a smooth function",
    statement=Eq(
        mean(Trace(a.T * g) * Trace(b.T * slope)), mean(Trace(a.T * S * bend * b)), evaluate=False
    ),
    source="standard",
)

stein_twice = Claim(
    id="stein-vectors-hessian",
    title="The mean of a smooth function times two linear forms, by its Hessian",
    statement=Eq(
        mean(Trace(a.T * g) * Trace(b.T * g) * h(g)),
        Trace(a.T * S * b) * mean(h(g)) + mean(Trace(a.T * S * bend * S * b)),
        evaluate=False,
    ),
    source="standard",
)

stein_length = Claim(
    id="stein-vectors-length",
    title="The mean of a smooth function times the squared length of a standard Gaussian vector",
    statement=Eq(
        standard_mean(Trace(g.T * g) * h(g)),
        d * standard_mean(h(g)) + standard_mean(Trace(g.T * slope)),
        evaluate=False,
    ),
    source="standard",
)

for stated in (stein_value, stein_gradient, stein_twice, stein_length):
    _by_stein(stated)

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
    title=(
        "The variance of a smooth function of a standard Gaussian vector is at most $K^2$ if its "
        "gradient has length at most $K$"
    ),
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

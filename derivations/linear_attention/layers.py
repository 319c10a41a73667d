"""Several layers of linear attention, and the moments of sample covariances.

A layer with the matrix $A$ adds $A (b - S w)$ to an estimate $w$ of the task. Without noise, and
from the estimate $0$, the error after layers with the matrices $A_1, A_2$ is $M$ times the task,
where $M = (1 - A_2 S)(1 - A_1 S)$. The risk for a query is $E tr(L M T M')$. Layers with numbers
$a_1, a_2, a_3$ in place of matrices multiply powers of one sample covariance.
"""

from prompts import L, N, T, X, d, sample_covariance, samples
from sympy import Eq, Identity, Symbol, Trace

from slrsym.matrices import MatrixMean, matrix, mean
from slrsym.proof import Claim, chain, isserlis

unit = Identity(d)
standard = (X, unit, Identity(N))


def residual(*layers):
    """The matrix by which layers multiply the error of the estimate."""
    factor = unit
    for layer in layers:
        factor = (unit - layer * sample_covariance) * factor
    return factor


def _risk(name, left, layers):
    M = residual(*layers)
    claim = Claim(
        id=f"{name}-layers-risk",
        title=(f"$E tr(L M T M')$ {left} of linear attention leave of a task $w$ without noise"),
        statement=Eq(
            MatrixMean(Trace(L * M * T * M.T), samples),
            mean(Trace(L * M * T * M.T), samples),
            evaluate=False,
        ),
        source="new",
    )

    @claim.proof
    def _(goal):
        """Isserlis' theorem: the sum over all pairings of the samples."""
        return chain(goal.lhs).then(goal.rhs, by=isserlis)

    return claim


two_layers = _risk(
    "two",
    "with $M = (1 - A_2 S)(1 - A_1 S)$, for the error $M w$ that two layers",
    [matrix(f"A_{layer}", d) for layer in (1, 2)],
)
three_scalar_layers = _risk(
    "three-scalar",
    "with $M = (1 - a_3 S)(1 - a_2 S)(1 - a_1 S)$ and numbers $a_l$, for the error $M w$ that "
    "three layers",
    [Symbol(f"a_{layer}", real=True) for layer in (1, 2, 3)],
)


MOMENTS = {
    1: d,
    2: d * (N + d + 1) / N,
    3: d * (N**2 + 3 * N * d + 3 * N + d**2 + 3 * d + 4) / N**2,
    4: d
    * (N**3 + 6 * N**2 * (d + 1) + N * (6 * d**2 + 17 * d + 21) + d**3 + 6 * d**2 + 21 * d + 20)
    / N**3,
    5: d
    * (
        N**4
        + 10 * N**3 * (d + 1)
        + N**2 * (20 * d**2 + 55 * d + 65)
        + N * (10 * d**3 + 55 * d**2 + 175 * d + 160)
        + (d**4 + 10 * d**3 + 65 * d**2 + 160 * d + 148)
    )
    / N**4,
}


def _moment(k):
    power = sample_covariance
    for _ in range(k - 1):
        power = power * sample_covariance
    claim = Claim(
        id=f"sample-covariance-moment-{k}",
        title=f"$E tr S^{k}$ for the sample covariance $S$ of standard Gaussian vectors",
        statement=Eq(MatrixMean(Trace(power), standard), MOMENTS[k], evaluate=False),
        source="textbook",
    )

    @claim.proof
    def _(goal):
        """Isserlis' theorem: the sum over all pairings of the samples."""
        return chain(goal.lhs).then(goal.rhs, by=isserlis)

    return claim


first_moment, second_moment, third_moment, fourth_moment, fifth_moment = map(_moment, MOMENTS)

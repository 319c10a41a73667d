"""Several layers of linear attention, and the moments of sample covariances.

A layer with the matrix $A$ adds $A (b - S w)$ to an estimate $w$ of the task. Without noise, and
from the estimate $0$, the error after layers with the matrices $A_1, A_2$ is $M$ times the task,
where $M = (1 - A_2 S)(1 - A_1 S)$. The risk for a query is $E tr(L M T M')$. With numbers in
place of the matrices it is a combination of moments, where inputs and tasks are standard.
"""

from prompts import L, N, T, X, d, sample_covariance, samples
from sympy import Eq, Identity, Symbol, Trace, symbols

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


M = residual(matrix("A_1", d), matrix("A_2", d))
two_layers = Claim(
    id="two-layers-risk",
    title=(
        "$E tr(L M T M')$ with $M = (1 - A_2 S)(1 - A_1 S)$, for the error $M w$ that two layers "
        "of linear attention leave of a task $w$ without noise"
    ),
    statement=Eq(
        MatrixMean(Trace(L * M * T * M.T), samples),
        mean(Trace(L * M * T * M.T), samples),
        evaluate=False,
    ),
    source="new",
)


@two_layers.proof
def _(goal):
    """Isserlis' theorem: the sum over all pairings of the samples."""
    return chain(goal.lhs).then(goal.rhs, by=isserlis)


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

SIXTH = (
    d
    * (
        N**5
        + 15 * N**4 * (d + 1)
        + N**3 * (50 * d**2 + 135 * d + 155)
        + N**2 * (50 * d**3 + 262 * d**2 + 787 * d + 701)
        + N * (15 * d**4 + 135 * d**3 + 787 * d**2 + 1827 * d + 1620)
        + (d**5 + 15 * d**4 + 155 * d**3 + 701 * d**2 + 1620 * d + 1348)
    )
    / N**5
)
numbers = symbols("a_1:4", real=True)
a, b, c = numbers
# The coefficients of the product of three layers.
first, second, third = a + b + c, a * b + a * c + b * c, a * b * c
product = residual(*numbers)
three_scalar_layers = Claim(
    id="three-scalar-layers-risk",
    title=(
        "$E tr(M^2)$ with $M = (1 - a_3 S)(1 - a_2 S)(1 - a_1 S)$, for the error $M w$ that three "
        "layers of linear attention with numbers $a_l$ leave of standard tasks $w$ without noise, "
        "for standard inputs"
    ),
    statement=Eq(
        MatrixMean(Trace(product * product), standard),
        d
        - 2 * first * MOMENTS[1]
        + (first**2 + 2 * second) * MOMENTS[2]
        - 2 * MOMENTS[3] * (third + first * second)
        + (second**2 + 2 * first * third) * MOMENTS[4]
        - 2 * second * third * MOMENTS[5]
        + third**2 * SIXTH,
        evaluate=False,
    ),
    source="new",
    # The means of tr S^k.
    notation={Symbol(f"t_{k}"): value for k, value in {**MOMENTS, 6: SIXTH}.items() if k > 1},
)


@three_scalar_layers.proof
def _(goal):
    """Isserlis' theorem: the sum over all pairings of the samples."""
    return chain(goal.lhs).then(goal.rhs, by=isserlis)

"""Linear attention on prompts of a linear regression, for all sizes.

A prompt has $N$ samples: the columns $x_i$ of $X$ with covariance $L$, and $y_i = w.x_i + sigma
xi_i$ for a task $w$ of covariance $T$. With $S = X X'/N$ and $b = X y/N$ the prediction for a query
$x$ is $u b' U x$; the loss is half of its mean squared error for $w.x$.
"""

from sympy import Eq, Ge, Identity, Le, Lt, Ne, S, Symbol, Trace

from slrsym.matrices import Loewner, MatrixMean, Size, along, covariance, matrix
from slrsym.proof import Claim, algebra, chain, definite, isserlis, positive, trace_algebra

d, N = Size("d"), Size("N")
L = covariance("L", d, definite=True, family="F")
T = covariance("T", d)
X = matrix("X", d, N)
A, B, H, U, Z = (matrix(name, d) for name in "ABHUZ")
x, w = matrix("x", d, 1), matrix("w", d, 1)
xi = matrix("xi", N, 1)
W = matrix("W", Size("m"), d)
u = Symbol("u", real=True)
sigma = Symbol("sigma", nonnegative=True)
one, samples = Identity(1), (X, L, Identity(N))
sample_covariance = X * X.T / N
b = X * (X.T * w + sigma * xi) / N


def noise_floor(task):
    return (Trace(L * task) + sigma**2) / N


def loss(task, u=u, U=U):
    """Half of the risk of the prediction u b'U x for w'x, by the claim on it."""
    quadratic = (1 + 1 / N) * Trace(L * task * L * U * L * U.T)
    quadratic += noise_floor(task) * Trace(L * U * L * U.T)
    return u**2 / 2 * quadratic - u * Trace(L * task * L * U) + Trace(L * task) / 2


def matrix_gradient(task, u=u, U=U):
    """The gradient of this loss in the matrix U."""
    quadratic = (1 + 1 / N) * L * task * L * U * L + noise_floor(task) * L * U * L
    return u**2 * quadratic - u * L * task * L


def scalar_gradient(task):
    quadratic = (1 + 1 / N) * Trace(L * task * L * U * L * U.T)
    quadratic += noise_floor(task) * Trace(L * U * L * U.T)
    return u * quadratic - Trace(L * task * L * U)


two_factors = Claim(
    id="sample-covariance-two-factors",
    title="$E S A S$ for a sample covariance $S$, against any $Z$",
    statement=Eq(
        MatrixMean(Trace(sample_covariance * A * sample_covariance * Z), samples),
        Trace(L * A * L * Z) + (Trace(L * A.T * L * Z) + Trace(A * L) * Trace(L * Z)) / N,
        evaluate=False,
    ),
    source="new",
)


@two_factors.proof
def _(goal):
    """Isserlis' theorem: each sample is paired with itself or across the two factors."""
    return chain(goal.lhs).then(goal.rhs, by=isserlis)


AL, BL = Trace(A * L), Trace(B * L)
three_factors = Claim(
    id="sample-covariance-three-factors",
    title="$E S A S B S$ for a sample covariance $S$, against any $Z$",
    statement=Eq(
        MatrixMean(
            Trace(sample_covariance * A * sample_covariance * B * sample_covariance * Z), samples
        ),
        Trace(L * A * L * B * L * Z)
        + (
            Trace(L * A.T * L * B * L * Z)
            + Trace(L * A * L * B.T * L * Z)
            + Trace(L * B.T * L * A.T * L * Z)
            + AL * Trace(L * B * L * Z)
            + BL * Trace(L * A * L * Z)
            + Trace(A * L * B * L) * Trace(L * Z)
        )
        / N
        + (
            Trace(L * A.T * L * B.T * L * Z)
            + Trace(L * B * L * A * L * Z)
            + Trace(L * B * L * A.T * L * Z)
            + Trace(L * B.T * L * A * L * Z)
            + AL * Trace(L * B.T * L * Z)
            + BL * Trace(L * A.T * L * Z)
            + (AL * BL + Trace(A * L * B.T * L)) * Trace(L * Z)
        )
        / N**2,
        evaluate=False,
    ),
    source="new",
)


@three_factors.proof
def _(goal):
    """Isserlis' theorem: fifteen pairings of six samples."""
    return chain(goal.lhs).then(goal.rhs, by=isserlis)


image = Claim(
    id="gaussian-image",
    title="The mean squared length of $W x$ for a standard Gaussian vector $x$",
    statement=Eq(MatrixMean(Trace(x.T * W.T * W * x), (x, Identity(d), one)), Trace(W.T * W)),
    source="textbook",
)


@image.proof
def _(goal):
    """Isserlis' theorem: one pairing."""
    return chain(goal.lhs).then(goal.rhs, by=isserlis)


quadratic_forms = Claim(
    id="gaussian-quadratic-forms",
    title="The mean of a product of two quadratic forms of a standard Gaussian vector",
    statement=Eq(
        MatrixMean(Trace(x.T * A * x) * Trace(x.T * B * x), (x, Identity(d), one)),
        Trace(A) * Trace(B) + Trace(A * B) + Trace(A * B.T),
        evaluate=False,
    ),
    source="textbook",
)


@quadratic_forms.proof
def _(goal):
    """Isserlis' theorem: three pairings of four factors."""
    return chain(goal.lhs).then(goal.rhs, by=isserlis)


risk = Claim(
    id="in-context-risk",
    title="The risk of linear attention on prompts with noise and any covariance of tasks",
    statement=Eq(
        MatrixMean(
            (u * Trace(b.T * U * x) - Trace(w.T * x)) ** 2,
            samples,
            (x, L, one),
            (w, T, one),
            (xi, Identity(N), one),
        ),
        2 * loss(T),
        evaluate=False,
    ),
    source="new",
)


@risk.proof
def _(goal):
    """Isserlis' theorem for four independent Gaussian matrices."""
    return chain(goal.lhs).then(goal.rhs, by=isserlis)


slope_in_matrix = Claim(
    id="in-context-matrix-gradient",
    title="The gradient of the loss of linear attention in the matrix",
    statement=Eq(along(loss(T), (U, H)), Trace(matrix_gradient(T).T * H), evaluate=False),
    source="new",
)


@slope_in_matrix.proof
def _(goal):
    """The derivative along every direction $H$."""
    return chain(goal.lhs).then(goal.rhs, by=algebra)


slope_in_scalar = Claim(
    id="in-context-scalar-gradient",
    title="The gradient of the loss of linear attention in the scalar",
    statement=Eq(along(loss(T), (u, 1)), scalar_gradient(T), evaluate=False),
    source="new",
)


@slope_in_scalar.proof
def _(goal):
    """The derivative in $u$."""
    return chain(goal.lhs).then(goal.rhs, by=algebra)


balance = Claim(
    id="in-context-balance",
    title="Along gradient flow $u^2 - tr(U U')$ does not change",
    statement=Eq(
        along(u**2 - Trace(U * U.T), (u, -scalar_gradient(T)), (U, -matrix_gradient(T))),
        0,
        evaluate=False,
    ),
    source="new",
)


@balance.proof
def _(goal):
    """The derivative along the negative gradient vanishes."""
    return chain(goal.lhs).then(goal.rhs, by=algebra)


unit = Identity(d)
G = covariance("G", d, definite=True, family="F")
g = G.I
definition = Eq(G, (1 + 1 / N) * L + noise_floor(unit) * unit, evaluate=False)
least = (Trace(L) - Trace(L * L * g)) / 2
rest = u * U - g
K = matrix("K", d, invertible=True)
general_definition = Eq(K, (1 + 1 / N) * T * L + noise_floor(T) * unit, evaluate=False)
best = K.I * T
general_rest = U - best
g0, l0 = Symbol("g0", positive=True), Symbol("l0", positive=True)
above = Loewner(L, l0 * unit), Loewner(G, g0 * unit)


square = Claim(
    id="in-context-square",
    title="The loss of linear attention above its minimum is a square, for standard tasks",
    hypotheses=[definition],
    statement=Eq(loss(unit) - least, Trace(G * L * rest * L * rest.T) / 2, evaluate=False),
    source="new",
)


@square.proof
def _(goal):
    """Completing the square, by the definition of $G$."""
    return chain(goal.lhs).then(goal.rhs, by=trace_algebra)


minimum = Claim(
    id="in-context-minimum",
    title="The loss of linear attention for standard tasks is at least $(tr L - tr(L^2 G^-1))/2$",
    hypotheses=[definition],
    statement=Le(least, loss(unit), evaluate=False),
    source="new",
)


@minimum.proof
def _(goal):
    """The square is the trace of a product of two semidefinite matrices."""
    squared = Trace(G * L * rest * L * rest.T) / 2
    return (
        chain(goal.lhs)
        .then(loss(unit) - squared, by=trace_algebra)
        .le(goal.rhs, by=positive((G * L, rest * L * rest.T)))
    )


minimiser = Claim(
    id="in-context-minimiser",
    title=(
        "For standard tasks, the loss of linear attention is above $(tr L - tr(L^2 G^-1))/2$ "
        "wherever $u U$ is not $G^-1$"
    ),
    hypotheses=[definition, Ne(u * U, g, evaluate=False)],
    statement=Lt(least, loss(unit), evaluate=False),
    source="new",
)


@minimiser.proof
def _(goal):
    """The square vanishes for $u U = G^-1$ alone, as $G L$ and $L$ are definite."""
    squared = Trace(G * L * rest * L * rest.T) / 2
    return (
        chain(goal.lhs)
        .then(loss(unit) - squared, by=trace_algebra)
        .lt(goal.rhs, by=definite(G * L, rest, L))
    )


general_square = Claim(
    id="in-context-general-square",
    title=(
        "At $u = 1$, the loss of linear attention above its value at $U = K^-1 T$ is a sum of "
        "two squares, for any tasks"
    ),
    hypotheses=[general_definition],
    statement=Eq(
        loss(T, S.One) - (Trace(L * T) - Trace(L * T * L * best)) / 2,
        (1 + 1 / N) * Trace(L * T * L * general_rest * L * general_rest.T) / 2
        + noise_floor(T) * Trace(L * general_rest * L * general_rest.T) / 2,
        evaluate=False,
    ),
    source="new",
)


@general_square.proof
def _(goal):
    """Completing the square, by the definition of $K$."""
    return chain(goal.lhs).then(goal.rhs, by=trace_algebra)


slope = matrix_gradient(unit)
growth = Claim(
    id="in-context-gradient-bound",
    title=(
        "For standard tasks, $L >= l_0$ and $G >= g_0$, the squared norm of the loss's gradient in "
        "the matrix is at least $2 g_0 l_0^2 u^2$ times the loss above its minimum"
    ),
    hypotheses=[definition, *above],
    statement=Ge(
        Trace(slope * slope.T), 2 * u**2 * g0 * l0**2 * (loss(unit) - least), evaluate=False
    ),
    source="new",
)


@growth.proof
def _(goal):
    """The gradient is $u G L (u U - g) L$; $L - l_0$ and $G - g_0$ are semidefinite."""
    inner = rest * L * L * rest.T
    scaled = u**2 * g0 * l0**2
    return (
        chain(goal.lhs)
        .then(u**2 * Trace(G * G * L * L * inner), by=trace_algebra)
        .ge(
            scaled * Trace(G * L * rest * L * rest.T),
            by=positive(
                (u**2 * G * L * (L - l0 * unit) * G, inner),
                (u**2 * l0 * G * L * (G - g0 * unit), inner),
                (u**2 * l0 * g0 * G * L, rest * L * (L - l0 * unit) * rest.T),
            ),
        )
        .then(goal.rhs, by=trace_algebra)
    )

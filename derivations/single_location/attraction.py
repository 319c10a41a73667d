"""The oracle attracts from off the manifold: a neighbourhood of it, and the rate.

V = (1 - kappa) + (1 - nu) is half of |k - k*|^2 + |v - v*|^2. A step of projected descent lowers it
where D - alpha G/2 is positive, D and G being made of the tangential gradients. Near the oracle
this is a quadratic form with coefficients that depend on kappa and nu alone but for one number;
ball arithmetic shows for the paper's task that it is positive in a neighbourhood.
"""

from sympy import And, Eq, Function, Ge, Gt, Le, Lt, Matrix, Symbol, exp, sqrt, symbols

from slrsym.gaussian import OwensT, zeta
from slrsym.papers.single_location.certify import AttractedShare, Attraction
from slrsym.papers.single_location.notation import (
    ORDER_PARAMETERS,
    alpha,
    eta,
    kappa,
    nu,
    rho,
    s,
    t,
    theta,
)
from slrsym.papers.single_location.symbolic import risk_closed_form
from slrsym.proof import Claim, Trials, algebra, all_of, chain, having, in_words, sign, tangent

# -- a step ------------------------------------------------------------------------------------

# The product of k - alpha g_k with k*, and by how much its length exceeds 1.
u, excess = Symbol("u", real=True), Symbol("m", nonnegative=True)
ell = 1 + excess

step = Claim(
    id="attraction-step",
    title="If $u <= ell$ and $ell >= 1$, then $u - u/ell <= (ell^2 - 1)/2$",
    statement=Ge(u / ell - u + (ell**2 - 1) / 2, 0, evaluate=False),
    source=(
        "new; projecting a step to the sphere divides $u = kappa - alpha g_k . k*$ by the length "
        "$ell$ of the vector, where $ell^2 = 1 + alpha^2 |g_k|^2$; by Cauchy-Schwarz $u$ is at "
        "most $ell$; the same for $v$"
    ),
    hypotheses=[Le(u, ell)],
)


@step.proof
def _(goal):
    """$u - u/ell$ is at most $ell - 1$, and that at most $(ell^2 - 1)/2$."""
    return chain(goal.lhs).then(excess * ((ell - u) / ell + excess / 2), by=algebra).ge(0, by=sign)


V, D, G = Symbol("V", real=True), Symbol("D", real=True), Symbol("G", nonnegative=True)
mu, largest = symbols("mu alpha_0", positive=True)

contracts = Claim(
    id="attraction-rate",
    title=(
        "If $D - alpha_0 G/2 >= mu V$ and $alpha <= alpha_0$, then $V - alpha D + alpha^2 "
        "G/2$ is at most $(1 - mu alpha) V$"
    ),
    statement=Le(V - alpha * D + alpha**2 * G / 2, (1 - mu * alpha) * V, evaluate=False),
    source=(
        "new; $D = -g_k . k* - g_v . v*$, $G = |g_k|^2 + |g_v|^2$, and $V'$ is at most the "
        "left side"
    ),
    hypotheses=[Ge(D - largest * G / 2 - mu * V, 0), Le(alpha, largest)],
)


@contracts.proof
def _(goal):
    """The decrease, divided by the step size, is affine in the step size."""
    room = alpha * (D - largest * G / 2 - mu * V) + alpha * (largest - alpha) * G / 2
    return chain(goal.lhs).then((1 - mu * alpha) * V - room, by=algebra).le(goal.rhs, by=sign)


# -- for all steps -----------------------------------------------------------------------------

start, now = symbols("V_0 V", nonnegative=True)
radius, factor = symbols("r q", positive=True)
time = Symbol("t", integer=True, nonnegative=True)

keeps = Claim(
    id="attraction-induction",
    title=(
        "Induction step: if $0 < q < 1$, $V_t <= q^t V_0$ and $V_t <= V_0 <= r$, then $q V_t <= "
        "q^(t + 1) V_0$, and the iterate stays in $V <= r$"
    ),
    statement=And(
        Le(now, radius, evaluate=False),
        Le(factor * now, factor ** (time + 1) * start, evaluate=False),
        Le(factor * now, start, evaluate=False),
        evaluate=False,
    ),
    source="new; $V$ is $V_t$; a step from $V <= r$ leads to $q V$ at most; attraction-rate",
    hypotheses=[Le(now, factor**time * start), Le(now, start), Le(start, radius), Lt(factor, 1)],
)


@keeps.proof
def _(goal):
    """The iterate is in the neighbourhood since $V_t <= V_0 <= r$."""
    power = factor ** (time + 1) * start
    return all_of(
        chain(now).le(start, by=sign).le(radius, by=sign),
        chain(factor * now).le(factor * factor**time * start, by=sign).then(power, by=algebra),
        chain(factor * now).le(now, by=sign).le(start, by=sign),
    )


precision, gain, steps = symbols("epsilon c t", positive=True)

converges = Claim(
    id="attraction-converges",
    title="If $c, epsilon > 0$ and $t >= V_0/(c epsilon)$, then $e^(-c t) V_0 <= epsilon$",
    statement=Le(exp(-gain * steps) * start, precision, evaluate=False),
    source="new; $(1 - mu alpha)^t <= e^(-c t)$, $c = mu alpha$; $|k - k*|^2 + |v - v*|^2 = 2 V$, "
    "attraction-distance",
    hypotheses=[Ge(steps, start / (gain * precision))],
)


@converges.proof
def _(goal):
    """The exponential is at least its tangent."""
    growth = chain(exp(gain * steps)).ge(1 + gain * steps, by=tangent(exp(u), u, 0, gain * steps))
    return having(growth, chain(goal.lhs).le(goal.rhs, by=sign))


# -- the gradients by overlaps -----------------------------------------------------------------

slopes = r_kappa, r_nu, r_theta, r_eta, r_rho = symbols(
    "R_kappa R_nu R_theta R_eta R_rho", real=True
)
# An orthonormal basis whose first vectors are k* and v*, and whose third holds the rest of k.
beyond = Symbol("y", real=True)
k_vector = Matrix([kappa, eta, sqrt(1 - kappa**2 - eta**2), 0])
v_vector = Matrix([theta, nu, beyond, sqrt(1 - theta**2 - nu**2 - beyond**2)])
k_star, v_star = Matrix([1, 0, 0, 0]), Matrix([0, 1, 0, 0])
product = k_vector.dot(v_vector)


def tangential(gradient, point):
    return gradient - gradient.dot(point) * point


slope_k = r_kappa * k_star + r_eta * v_star + r_rho * v_vector
slope_v = r_nu * v_star + r_theta * k_star + r_rho * k_vector
g_k, g_v = tangential(slope_k, k_vector), tangential(slope_v, v_vector)


def along(p):
    """Return what R_theta, R_eta and R_rho add to k . grad_k R and to v . grad_v R."""
    return eta * r_eta + p * r_rho, theta * r_theta + p * r_rho


def gains(p):
    """-g_k . k* and -g_v . v*."""
    along_k, along_v = along(p)
    return (
        -(1 - kappa**2) * r_kappa - theta * r_rho + kappa * along_k,
        -(1 - nu**2) * r_nu - eta * r_rho + nu * along_v,
    )


def lengths(p):
    """|g_k|^2 and |g_v|^2."""
    along_k, along_v = along(p)
    of_k = (1 - kappa**2) * r_kappa**2 + 2 * r_kappa * (theta * r_rho - kappa * along_k)
    of_v = (1 - nu**2) * r_nu**2 + 2 * r_nu * (eta * r_rho - nu * along_v)
    of_k += r_eta**2 + r_rho**2 + 2 * nu * r_eta * r_rho - along_k**2
    of_v += r_theta**2 + r_rho**2 + 2 * kappa * r_theta * r_rho - along_v**2
    return of_k, of_v


gradients = Claim(
    id="attraction-gradients",
    title=(
        "The tangential gradients' products with $k*$ and $v*$, and their squared lengths, in "
        "terms of the overlaps and the slopes of the risk"
    ),
    statement=And(
        *(
            Eq(left, right, evaluate=False)
            for left, right in zip(
                (-g_k.dot(k_star), -g_v.dot(v_star), g_k.dot(g_k), g_v.dot(g_v)),
                (*gains(product), *lengths(product)),
                strict=True,
            )
        ),
        evaluate=False,
    ),
    source="new; the gradient in $k$ is $R_kappa k* + R_eta v* + R_rho v$, and the same for $v$",
    hypotheses=[Le(kappa**2 + eta**2, 1), Le(theta**2 + nu**2 + beyond**2, 1)],
    notation=dict(
        zip(
            symbols("w p a_k a_v b_k b_v", real=True),
            (
                *(k_vector[2], product, *along(product)),
                *(slope_k.dot(k_vector), slope_v.dot(v_vector)),
            ),
            strict=True,
        )
    ),
)


@gradients.proof
def _(goal):
    """Both $k$ and $v$ have length 1."""
    return all_of(*(chain(part.lhs).then(part.rhs, by=algebra) for part in goal.args))


differences = (k_vector - k_star, v_vector - v_star)
distance = Claim(
    id="attraction-distance",
    title="$|k - k*|^2 + |v - v*|^2 = 2 (2 - kappa - nu)$ for unit vectors",
    statement=Eq(
        sum(difference.dot(difference) for difference in differences),
        2 * (1 - kappa + 1 - nu),
        evaluate=False,
    ),
    source="school",
    hypotheses=gradients.hypotheses,
)


@distance.proof
def _(goal):
    """All four vectors have length 1."""
    return chain(goal.lhs).then(goal.rhs, by=algebra)


# -- the risk, by powers of theta, eta and rho -------------------------------------------------

# What claim landscape-risk derives.
risk = risk_closed_form().replace(OwensT, lambda *_: (1 - zeta(t, s)) / 8)
across = ORDER_PARAMETERS[2:]
on_manifold = dict.fromkeys(across, 0)

quadratic = Claim(
    id="attraction-quadratic",
    title=(
        "The risk is a quadratic polynomial in $theta$, $eta$ and $rho$ without linear terms, with "
        "coefficients that depend on $kappa$ and $nu$"
    ),
    statement=Eq(
        risk,
        risk.subs(on_manifold)
        + sum(p * q * risk.diff(p, q).subs(on_manifold) for p in across for q in across) / 2,
        evaluate=False,
    ),
    source="new; the slope in $nu$ is that on the manifold, too",
    notation={Function("R^", real=True)(*ORDER_PARAMETERS): risk},
)


@quadratic.proof
def _(goal):
    """The closed form has no other powers of the three."""
    return chain(goal.lhs).then(goal.rhs, by=algebra)


# -- what is gained, as a quadratic form -------------------------------------------------------

# On the manifold -R_kappa is P - c (1 - nu), and -R_nu is N. Off it R_kappa has f more.
P, N, c, f = symbols("P N c f", real=True)
own = -P + c * (1 - nu)
wide, high = 1 - kappa**2, 1 - nu**2
X = P - alpha / 2 * own**2 - mu / (1 + kappa)
Y = N - alpha / 2 * N**2 - c * wide / (1 + nu) - mu / (1 + nu)
along_k, along_v = along(rho)
# A quadratic form in theta, eta and rho where f and the slopes R_theta, R_eta, R_rho stand for
# theirs; what it leaves out is a sum of squares.
form = (
    -wide * f * (1 + alpha / 2 * (2 * own + f))
    + kappa * along_k
    + nu * along_v
    - (theta + eta) * r_rho
    - alpha * (own + f) * (theta * r_rho - kappa * along_k)
    + alpha * N * (eta * r_rho - nu * along_v)
    - alpha / 2 * (r_eta**2 + r_rho**2 + 2 * nu * r_eta * r_rho)
    - alpha / 2 * (r_theta**2 + r_rho**2 + 2 * kappa * r_theta * r_rho)
)
slopes_here = {r_kappa: own + f, r_nu: -N}
gained = (sum(gains(rho)) - alpha / 2 * sum(lengths(rho))).subs(slopes_here)

as_form = Claim(
    id="attraction-form",
    title=(
        "$D - alpha G/2 - mu V$ of attraction-rate: two squares, multiples of $1 - kappa^2$ and "
        "$1 - nu^2$, and products of the overlaps and slopes of the risk"
    ),
    statement=Eq(
        gained - mu * (1 - kappa + 1 - nu),
        wide * X + high * Y + form + alpha / 2 * (along_k**2 + along_v**2),
        evaluate=False,
    ),
    source=(
        "new; $1 - kappa^2$ is $eta^2$ and the squared length of what $k$ has beyond $k*$ and $v*$"
    ),
    hypotheses=[Gt(kappa, -1), Gt(nu, -1)],
)


@as_form.proof
def _(goal):
    """$1 - nu$ is $(1 - nu^2)/(1 + nu)$, and $1 - kappa$ likewise."""
    return chain(goal.lhs).then(goal.rhs, by=algebra)


# -- when it is positive -----------------------------------------------------------------------

# With x = p^2, y = q^2, X = w^2, Y = z^2; what k and v have beyond k* and v* has the product
# tau = o p q, where o is the cosine of an angle.
p, q, w, z = symbols("p q w z", nonnegative=True)
m_1, m_2, bound = symbols("m_1 m_2 V", positive=True)
b_1, b_2, b_3, m_3, o = symbols("b_1 b_2 b_3 m_3 o", real=True)
tau = o * p * q
squares = m_1 * (eta + b_1 * theta + b_2 * tau) ** 2 + m_2 * (theta + b_3 * tau) ** 2

positive = Claim(
    id="attraction-positive",
    title=(
        "If $p, q, w, z >= 0$, $|tau| <= p q <= V$ and $V m_3 + 2 w z >= 0$, then $p^2 w^2 + "
        "q^2 z^2 + m_3 tau^2 >= 0$, also with two squares added"
    ),
    statement=Ge((p * w) ** 2 + (q * z) ** 2 + squares + m_3 * tau**2, 0, evaluate=False),
    source="new; pivots of the form in $eta$, $theta$ and $tau$, and $X = w^2$, $Y = z^2$",
    hypotheses=[Le(p * q, bound), Ge(bound * m_3 + 2 * w * z, 0), Le(o**2, 1)],
)


@positive.proof
def _(goal):
    """The sum $x X + y Y$ is at least $2 (x X y Y)^(1/2)$, and $tau^2 <= x y <= V^2$."""
    left = 2 * w * z * p * q / bound * (bound - p * q + p * q * (1 - o**2))
    rest = tau**2 / bound * (bound * m_3 + 2 * w * z)
    return (
        chain(goal.lhs)
        .then((p * w - q * z) ** 2 + squares + left + rest, by=algebra)
        .ge(left + rest, by=sign)
        .ge(left, by=sign)
        .ge(0, by=sign)
    )


# The entries of the matrix of the form, and its determinants.
M = Matrix(3, 3, lambda i, j: Symbol(f"M_{min(i, j) + 1}{max(i, j) + 1}", real=True))
minor, mixed = M[:2, :2].det(), M[0, 0] * M[1, 2] - M[0, 1] * M[0, 2]
point = Matrix([eta, theta, u])
by_pivots = (
    M[0, 0] * (eta + M[0, 1] / M[0, 0] * theta + M[0, 2] / M[0, 0] * u) ** 2
    + minor / M[0, 0] * (theta + mixed / minor * u) ** 2
    + M.det(method="berkowitz") / minor * u**2
)

pivots = Claim(
    id="attraction-pivots",
    title=(
        "A quadratic form in three variables with leading minors $m_1$, $m_2$, $m_3$ is a sum "
        "of squares times $m_1$, $m_2/m_1$, $m_3/m_2$, if $m_1, m_2 > 0$"
    ),
    statement=Eq(point.dot(M * point), by_pivots, evaluate=False),
    source="school; $u$ stands for $tau$",
    hypotheses=[Gt(M[0, 0], 0), Gt(minor, 0)],
)


@pivots.proof
def _(goal):
    """Complete the squares of $eta$, then of $theta$."""
    return chain(goal.lhs).then(goal.rhs, by=algebra)


# -- where it is -------------------------------------------------------------------------------

paper = Attraction("1/10", "1/250", "1/50", "1/100", "8")

attracts = Claim(
    id="attraction-certified",
    title=(
        "In the task of figure 7b, with steps of at most 1/250, descent converges to the "
        "oracle from starts on or off the manifold with $2 - kappa - nu <= 1/50$"
    ),
    statement=paper.statement,
    source="new; Section 5 leaves convergence off the manifold open",
)


@attracts.certified_by
def _():
    """Ball arithmetic shows that the determinants in attraction-positive are positive."""
    return paper


far = Attraction("1/10", "1/20000", "3/20", "1/1000", "40")

basin = Claim(
    id="attraction-certified-far",
    title=(
        "In the task of figure 7b, with steps of at most 1/20000, descent converges to the "
        "oracle from every start with $2 - kappa - nu <= 3/20$"
    ),
    statement=far.statement,
    source="new; the bounds fail at 4/25, for any step size and rate",
)


@basin.certified_by
def _():
    """As for attraction-certified; terms that are not quadratic matter more here."""
    return far


cool = Attraction("1/100..1/10", "1/1000", "1/200", "1/1000", "2")

inverse_temperatures = Claim(
    id="attraction-certified-temperatures",
    title=(
        "In figure 7b's task with $lambda$ from 1/100 to 1/10 and steps of at most 1/1000, "
        "starts with $2 - kappa - nu <= 1/200$ converge to the oracle"
    ),
    statement=cool.statement,
    source="new; beyond 1/10 the rate falls fast: at 3/20 it is a hundredth of that at 1/10",
)


@inverse_temperatures.certified_by
def _():
    """As for attraction-certified, on slices of the range of inverse temperatures."""
    return cool


# -- how many starts come there ----------------------------------------------------------------

three_dimensions = Attraction(
    "1", "1/200", "2/5", "1/100", "5", dimension=3, tokens=2, variance="1"
)
proved_share = AttractedShare(three_dimensions, "39/1000")

certified_share = Claim(
    id="attraction-share-certified",
    title=(
        "With $d = 3$, $L = 2$, $gamma = lambda = 1$ and steps of at most 1/200, more than 3.9 % "
        "of uniform starts converge to the oracle or its mirror image"
    ),
    statement=proved_share.statement,
    source=(
        "new; of 4,000 sampled starts 57.6 % converge there, the others to the exchanged pair $k = "
        "v*$, $v = k*$ or its mirror image"
    ),
)


@certified_share.certified_by
def _():
    """Every start with $|kappa + nu| >= 8/5$; $kappa$ and $nu$ are uniform in three dimensions."""
    return proved_share


share = Claim(
    id="attraction-share",
    title=(
        "With the parameters of figure 7b, uniform starts reach $2 - kappa - nu <= 1/50$ in "
        "20,000 steps, up to the mirror image, with a probability of at least 1/3"
    ),
    statement=in_words(
        "With the parameters of figure 7b, at least a third of uniform starts come to $2 - kappa "
        "- nu <= 1/50$, for $k$ and $v$ or for $-k$ and $-v$, within 20,000 steps: they converge "
        "to the oracle, or its mirror image."
    ),
    source="new; the neighbourhood of attraction-certified",
)


@share.tested_by
def _(rng):
    """A fixed number of starts is followed; a Wilson interval below a third would count against it.

    Of 4,000 starts about half enter it.
    """
    from slrsym.papers.single_location import Task, simulate
    from slrsym.papers.single_location.dynamics import UniformStart
    from slrsym.papers.single_location.recovery import wilson_intervals

    count = 100
    start = UniformStart(count, int(rng.integers(2**31)))
    runs = simulate(Task(400, 10, 0.5**0.5), start, 0.1, 1 / 250, 20_000, 4_000, progress=False)
    # (kappa + nu)/2 is 1 at the oracle, and -1 at its mirror image.
    entered = int((2 - abs(runs.kappa.values + runs.nu.values)[:, -1] <= 1 / 50).sum())
    high = float(wilson_intervals([entered], count)[1][0])
    failures = () if high >= 1 / 3 else (f"{entered} of {count} entered",)
    return Trials(count, f"uniform starts, {entered} of which entered", failures)

"""Swap points: $k = v*$ or $-v*$, where descent off the manifold may end, far from the oracle."""

from sympy import And, Eq, Function, Ge, Le, Lt, Subs, Symbol, pi, sqrt

from slrsym.gaussian import OwensT, zeta
from slrsym.papers.single_location.notation import (
    ORDER_PARAMETERS,
    A,
    B,
    L,
    d,
    epsilon,
    eta,
    gamma,
    kappa,
    lam,
    nu,
    rho,
    s,
    t,
    theta,
)
from slrsym.papers.single_location.symbolic import risk_closed_form
from slrsym.proof import Claim, D, algebra, all_of, chain, differentiate, lemma, monotone, sign

# What claim landscape-risk derives.
risk = risk_closed_form().replace(OwensT, lambda *_: (1 - zeta(t, s)) / 8)

z = zeta(0, s)
drift = sqrt(d / 2)
# Half the coefficient of -eta*theta in the risk at kappa = 0.
pull = 2 * lam * gamma**2 * drift / (sqrt(pi) * A)

# Where the risk is least in theta, with eta = 1.
theta_star = pull / (d / 2 * z)

swap_point = {kappa: 0, nu: 0, theta: theta_star, eta: 1, rho: 0}


def slope_at_swap(p):
    """The slope in one overlap at the swap point, the others being there."""
    others = {x: value for x, value in swap_point.items() if x is not p}
    return Subs(D(risk.subs(others), p), p, swap_point[p])


critical = Claim(
    id="swap-critical",
    title=(
        "At $k = v*$ with $theta = theta*$ and $v$ orthogonal to $k$, the partial derivatives "
        "of the risk in all overlaps but $eta$ vanish"
    ),
    statement=And(
        *(Eq(slope_at_swap(p), 0, evaluate=False) for p in ORDER_PARAMETERS if p is not eta),
        evaluate=False,
    ),
    source=(
        "new; as $eta = k . v*$ is stationary at $k = v*$, the point is critical on the product of "
        "spheres, whatever $v$ has orthogonal to $k*$ and $v*$"
    ),
)


@critical.proof
def _(goal):
    """At $kappa = nu = rho = 0$ by parity; in $theta$, the risk is a parabola with this vertex."""
    return all_of(*(chain(e.lhs).then(e.rhs, by=differentiate) for e in goal.args))


parabola = epsilon**2 + gamma**2 * (1 + z) + (L - 1) * zeta(0, lam) - 2 * pull * theta
parabola = parabola + d / 2 * z * theta**2

on_circle = Claim(
    id="swap-parabola",
    title="The risk at $k = v*$ with $v$ orthogonal to $k$ is a parabola in $theta$",
    statement=Eq(risk.subs({kappa: 0, nu: 0, eta: 1, rho: 0}), parabola, evaluate=False),
    source="new",
)


@on_circle.proof
def _(goal):
    """Scores have mean zero, and every other term has a factor $kappa$, $nu$ or $rho$."""
    return chain(goal.lhs).then(goal.rhs, by=algebra)


least_value = (
    gamma**2 * (1 + z) + (L - 1) * zeta(0, lam) - 4 * lam**2 * gamma**4 / (pi * (1 + 2 * s**2) * z)
)

excess_risk = Claim(
    id="swap-excess-risk",
    title=(
        "The excess risk at $k = v*$ with $theta = theta*$ and $v$ orthogonal to $k$ in closed "
        "form, in which the dimension does not occur"
    ),
    statement=Eq(risk.subs(swap_point) - epsilon**2, least_value),
    source="new",
)


@excess_risk.proof
def _(goal):
    """The value of the parabola at its vertex."""
    return chain(goal.lhs).then(goal.rhs, by=algebra)


p, q = Symbol("p", real=True), Symbol("q", positive=True)
x = Symbol("x", real=True)

vertex = Claim(
    id="parabola-vertex",
    title="$q x^2 - 2 p x + p^2/q >= 0$ for $q > 0$",
    statement=Ge(q * x**2 - 2 * p * x + p**2 / q, 0),
    source="school",
)


@vertex.proof
def _(goal):
    """Complete the square."""
    return chain(goal.lhs).then(q * (x - p / q) ** 2, by=algebra).ge(0, by=sign)


least = Claim(
    id="swap-least",
    title=(
        "At $k = v*$, with $v$ orthogonal to $k$, the risk is least at $theta = theta*$, if "
        "$theta* <= 1$"
    ),
    statement=Ge(risk.subs({kappa: 0, nu: 0, eta: 1, rho: 0}), epsilon**2 + least_value),
    source="new",
)


@least.proof
def _(goal):
    """The parabola is nowhere below its vertex."""
    rise = d / 2 * z * theta**2 - 2 * pull * theta + pull**2 / (d / 2 * z)
    above = lemma("parabola-vertex", x=theta, p=pull, q=d / 2 * z)
    return (
        chain(goal.lhs)
        .then(epsilon**2 + least_value + rise, by=lemma("swap-parabola"))
        .ge(goal.rhs, by=above)
    )


# -- how large theta is ------------------------------------------------------------------------

r = Symbol("r", nonnegative=True)
w = Symbol("w", real=True)


below = Claim(
    id="zeta-at-zero-lower",
    title="$zeta(0, s) >= 4 s^2/(pi A^2)$",
    statement=Ge(zeta(0, r) - 4 * r**2 / (pi * (1 + 2 * r**2)), 0, evaluate=False),
    source="new",
)


@below.proof
def _(goal):
    """The difference vanishes at 0, and its derivative is not negative."""
    gap = zeta(0, w) - 4 * w**2 / (pi * (1 + 2 * w**2))
    wide, narrow = 1 + 2 * w**2, sqrt(1 + 4 * w**2)
    slope = 8 * w / (pi * wide**2 * narrow) * (wide - narrow)
    # (1 + 2 w^2)^2 is more than 1 + 4 w^2.
    product = 8 * w / (pi * wide**2 * narrow) * (4 * w**4) / (wide + narrow)
    rising = chain(D(gap, w)).then(slope, by=differentiate).then(product, by=algebra).ge(0, by=sign)
    return chain(goal.lhs).ge(0, by=monotone(gap, w, start=r, end=0, derivative=rising))


unit = sqrt(pi / (2 * d)) / lam

theta_upper = Claim(
    id="swap-theta-upper",
    title="At a swap point, $theta* <= A sqrt(pi/(2 d))/lambda$",
    statement=Ge(A * unit - theta_star, 0),
    source="new",
)


@theta_upper.proof
def _(goal):
    """By the lower bound of $zeta(0, s)$."""
    factor = A * unit / z
    return (
        chain(goal.lhs)
        .then(factor * (z - 4 * s**2 / (pi * (1 + 2 * s**2))), by=algebra)
        .ge(0, by=lemma("zeta-at-zero-lower", r=s).scaled(factor))
    )


theta_lower = Claim(
    id="swap-theta-lower",
    title="At a swap point, $theta* >= sqrt(pi/(2 d))/(lambda A)$",
    statement=Ge(theta_star - unit / A, 0),
    source="new",
)


@theta_lower.proof
def _(goal):
    """By the upper bound of $zeta(0, s)$."""
    factor = unit / (A * z)
    return (
        chain(goal.lhs)
        .then(factor * (4 * s**2 / pi - z), by=algebra)
        .ge(0, by=lemma("zeta-at-zero-bound", x=s).scaled(factor))
    )


# Every d is this one for some number that is positive, which is lambda A sqrt(2 d/pi).
reach = Symbol("m", positive=True)
dimension = pi * reach**2 / (2 * lam**2 * A**2)


def in_dimension(f):
    return f.subs(d, dimension)


full = Claim(
    id="swap-full",
    title="If $lambda A <= sqrt(pi/(2 d))$, the risk at $k = v*$ with $v$ orthogonal to $k$ is "
    "least at $v = k*$",
    statement=Ge(in_dimension(parabola - parabola.subs(theta, 1)), 0),
    source="new",
    hypotheses=[Le(reach, 1), Le(theta, 1)],
)


@full.proof
def _(goal):
    """The vertex is at $theta*$, and $zeta(0, s)$ is at most $4 s^2/pi$."""
    room, slope = 1 - theta, in_dimension(pull)
    certain = room**2 * in_dimension(d) / 2 * z + 2 * room * slope * (1 - reach)
    factor = room * in_dimension(d)
    return (
        chain(goal.lhs)
        .then(certain + factor * (4 * s**2 / pi - z), by=algebra)
        .ge(certain, by=lemma("zeta-at-zero-bound", x=s).scaled(factor))
        .ge(0, by=sign)
    )


limit = Claim(
    id="swap-theta-at-small-lambda",
    title=("$theta* >= 1$ if $lambda A <= sqrt(pi/(2 d))$"),
    statement=Ge(in_dimension(theta_star), 1),
    source="new",
    hypotheses=[Le(reach, 1)],
)


@limit.proof
def _(goal):
    """By swap-theta-lower."""
    return (
        chain(goal.lhs)
        .ge(1 / reach, by=lemma("swap-theta-lower", d=dimension))
        .then(1 + (1 - reach) / reach, by=algebra)
        .ge(1, by=sign)
    )


# -- when it is a local minimum ----------------------------------------------------------------

# k turns from v* by x towards k* and by y towards the direction of what v has orthogonal to k* and
# v*, of length w; v turns by z towards v*. All to second order, which is all that second
# derivatives at 0 depend on.
y, w_0 = Symbol("y", real=True), Symbol("w", real=True)
turn = Symbol("z", real=True)
k_new = (x, 1 - (x**2 + y**2) / 2, y)
cosine, sine = 1 - turn**2 / 2, turn
v_new = (theta * cosine, sine, w_0 * cosine)
k_dot_v = sum(i * j for i, j in zip(k_new, v_new, strict=True))
turned_overlaps = (k_new[0], v_new[1], v_new[0], k_new[1], k_dot_v)
turned_risk = risk.subs(
    dict(zip(ORDER_PARAMETERS, turned_overlaps, strict=True)), simultaneous=True
)

b = lam * drift / A
c = 2 * lam / sqrt(pi * (1 + 2 * lam**2))
zeta_tt = 8 / (pi * A**2 * B)
R_theta = d * z * theta - 2 * pull
R_kappa_nu = -2 * pull
R_kappa_kappa = 4 * pull * theta * b**2 + (d / 2 * theta**2 + gamma**2) * 8 * b**2 / (pi * B)
R_kappa_rho = (
    8 * lam**2 * gamma**4 * b / (sqrt(pi) * A**2)
    + lam**2 * gamma**2 * d * theta * zeta_tt
    + 4 * (L - 1) * c * drift * theta * b / sqrt(pi)
)
R_rho_rho = (
    2 * lam**2 * gamma**4 * zeta_tt
    + 4 * (L - 1) * c**2 / sqrt(1 + 4 * lam**2)
    + 2 * (L - 1) * (L - 2) * c**2
    + 8 * (L - 1) * c * lam * gamma**2 / (sqrt(pi) * A)
)

curvatures = {
    (x, x): R_kappa_kappa + 2 * theta * R_kappa_rho + theta**2 * R_rho_rho + 2 * pull * theta,
    (y, y): w_0**2 * R_rho_rho + 2 * pull * theta,
    (turn, turn): R_rho_rho - theta * R_theta,
    (x, y): w_0 * (R_kappa_rho + theta * R_rho_rho),
    (x, turn): R_kappa_nu + R_kappa_rho + theta * R_rho_rho,
    (y, turn): w_0 * R_rho_rho,
}


def together(f, directions):
    """The variables grow together from 0, the others stay there."""
    still = {variable: 0 for variable in (x, y, turn) if variable not in directions}
    return f.subs(still | dict.fromkeys(directions, p))


def curvature_along(directions):
    """The second derivative as the variables grow together, from 0."""
    return Subs(D(together(turned_risk, directions), (p, 2)), p, 0)


def curvature_form(directions):
    """The same by `curvatures`."""
    return sum(
        value * (1 if i is j else 2)
        for (i, j), value in curvatures.items()
        if i in directions and j in directions
    )


R = Function("R^", real=True)
# A cosine to second order.
cos, turned_cos = Symbol("c", real=True), 1 - p**2 / 2
turns = ((x,), (y,), (turn,), (x, y), (x, turn), (y, turn))

transverse = Claim(
    id="swap-hessian",
    title=(
        "At $k = v*$, $v$ orthogonal to $k$: second derivatives of the risk as $k$ turns to $k*$ "
        "or the rest of $v$, and $v$ to $v*$, in closed form"
    ),
    statement=And(
        *(Eq(curvature_along(some), curvature_form(some), evaluate=False) for some in turns),
        evaluate=False,
    ),
    source="new",
    notation={
        R(*ORDER_PARAMETERS): risk,
        **{
            R(*(together(f, some).subs(turned_cos, cos) for f in turned_overlaps)): together(
                turned_risk, some
            )
            for some in turns
        },
        # The names that claim swap-form has for them.
        Symbol("K", real=True): R_kappa_kappa,
        Symbol("M", real=True): R_kappa_rho,
        Symbol("Q", positive=True): R_rho_rho,
        Symbol("P", positive=True): pull,
        Symbol("R_theta", real=True): R_theta,
        cos: turned_cos,
    },
)


@transverse.proof
def _(goal):
    """Differentiate the risk twice. At $theta*$ the slope in $theta$ vanishes."""
    return all_of(*(chain(e.lhs).then(e.rhs, by=differentiate) for e in goal.args))


# -- the quadratic form, as a sum of squares ---------------------------------------------------

K, M, C = (Symbol(name, real=True) for name in ("K", "M", "C"))
T, P, Q = (Symbol(name, positive=True) for name in ("T", "P", "Q"))
W = sqrt(1 - T**2)
# Curvatures as above, with names K, M, Q for those in kappa kappa, kappa rho, rho rho, P for the
# pull and T for theta*.
form = (
    (K + 2 * T * M + T**2 * Q + 2 * P * T) * x**2
    + (W**2 * Q + 2 * P * T) * y**2
    + Q * turn**2
    + 2 * W * (M + T * Q) * x * y
    + 2 * (-2 * P + M + T * Q) * x * turn
    + 2 * W * Q * y * turn
)
swap_margin = K + 6 * P * T - (M - 2 * P) ** 2 / Q - 2 * P * (1 - T**2) / T
squares = (
    Q * (turn + T * x + W * y + (M - 2 * P) / Q * x) ** 2
    + 2 * P * T * (y + W / T * x) ** 2
    + swap_margin * x**2
)

form_claim = Claim(
    id="swap-form",
    title=(
        "A quadratic form whose coefficients have the pattern of the Hessian at a swap point, as a "
        "sum of multiples of three squares, the last one by the margin"
    ),
    statement=Eq(form, squares, evaluate=False),
    source="new; the factors of the other two squares are positive",
    hypotheses=[Lt(T, 1)],
)


@form_claim.proof
def _(goal):
    """Complete the squares of $z$ and $y$: the coefficient of $x^2$ is the margin."""
    return chain(goal.lhs).then(goal.rhs, by=algebra)

"""Stability of the oracle off the manifold: the second derivatives of the risk there."""

from sympy import (
    Add,
    And,
    Eq,
    Function,
    Ge,
    Gt,
    Integer,
    Le,
    Lt,
    Mul,
    Rational,
    Subs,
    Symbol,
    erf,
    erfc,
    exp,
    pi,
    sqrt,
    symbols,
)

from slrsym.gaussian import OwensT, erf_prime, erf_second, zeta
from slrsym.papers.single_location.notation import (
    ORDER_PARAMETERS,
    A,
    B,
    L,
    d,
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
from slrsym.proof import (
    Claim,
    D,
    InequalitiesOnBox,
    algebra,
    all_of,
    at,
    chain,
    differentiate,
    lemma,
    sign,
)

# What claim landscape-risk derives.
risk = risk_closed_form().replace(OwensT, lambda *_: (1 - zeta(t, s)) / 8)

drift = sqrt(d / 2)
t_oracle = lam * drift
a = t_oracle / A
b = lam * drift / A
# E erf(lambda U) U of another token.
c = 2 * lam / sqrt(pi * (1 + 2 * lam**2))

# Angles by which k turns from k* towards v*, and v from v* towards k*.
x, y, z = symbols("x y z", real=True)


def turned(angle):
    """Cosine and sine to second order, which is all that second derivatives at 0 depend on."""
    return 1 - angle**2 / 2, angle


k_cos, k_sin = turned(x)
v_cos, v_sin = turned(y)
turned_overlaps = (k_cos, v_cos, v_sin, k_sin, k_cos * v_sin + k_sin * v_cos)
turned_risk = risk.subs(
    dict(zip(ORDER_PARAMETERS, turned_overlaps, strict=True)), simultaneous=True
)

# Slopes and curvatures of the risk in the overlaps, at the oracle.
R_kappa = -2 * gamma**2 * b * erf_prime(a) * erfc(a / B)
R_nu = -2 * gamma**2 * erf(a)
R_eta_theta = -2 * lam * gamma**2 * drift * erf_prime(a) / A
R_eta_rho = -2 * lam**2 * gamma**4 * erf_second(a) / A**2
R_theta_theta = d * zeta(t_oracle, s)
zeta_t = 2 * erf(a / B) * erf_prime(a) / A
zeta_tt = 2 * (erf_prime(a / B) * erf_prime(a) / (A**2 * B) + erf(a / B) * erf_second(a) / A**2)
R_theta_rho = 2 * lam * gamma**2 * drift * zeta_t + 2 * (L - 1) * c * drift * erf(a)
R_rho_rho = (
    2 * lam**2 * gamma**4 * zeta_tt
    + 4 * (L - 1) * c**2 / sqrt(1 + 4 * lam**2)
    + 2 * (L - 1) * (L - 2) * c**2
    + 4 * (L - 1) * c * lam * gamma**2 * erf_prime(a) / A
)

R = Function("R^", real=True)
# The transverse Hessian in the plane of k* and v*.
H_kk = -R_kappa + R_rho_rho + 2 * R_eta_rho
H_kv = R_eta_theta + R_rho_rho + R_theta_rho + R_eta_rho
H_vv = -R_nu + R_theta_theta + R_rho_rho + 2 * R_theta_rho


def together(f, *variables):
    """The variables grow together from 0, the others stay there.

    One variable at a time: SymPy takes substitutions of equal values for equal.
    """
    still = {variable: 0 for variable in (x, y) if variable not in variables}
    return f.subs(still | dict.fromkeys(variables, z))


cos, turned_cos = Symbol("c", real=True), 1 - z**2 / 2
both = Add(H_kk, Mul(2, H_kv, evaluate=False), H_vv, evaluate=False)
entries = {(x,): H_kk, (y,): H_vv, (x, y): both}


transverse = Claim(
    id="oracle-transverse-hessian",
    title=(
        "The second derivatives of the risk at the oracle as $k$, $v$, or both turn in the plane "
        "of $k*$ and $v*$, in closed form"
    ),
    statement=And(
        *(
            Eq(Subs(D(together(turned_risk, *v), (z, 2)), z, 0), value, evaluate=False)
            for v, value in entries.items()
        ),
        evaluate=False,
    ),
    source="new",
    notation={
        R(*ORDER_PARAMETERS): risk,
        **{
            R(*(together(p, *v).subs(turned_cos, cos) for p in turned_overlaps)): together(
                turned_risk, *v
            )
            for v in entries
        },
        **{
            Symbol(name, real=True): value
            for name, value in (
                *(("H_11", H_kk), ("H_12", H_kv), ("H_22", H_vv)),
                *(("R_kappa", R_kappa), ("R_nu", R_nu), ("R_eta_theta", R_eta_theta)),
                *(("R_eta_rho", R_eta_rho), ("R_theta_theta", R_theta_theta)),
                *(("R_theta_rho", R_theta_rho), ("R_rho_rho", R_rho_rho), ("b", a)),
            )
        },
        cos: turned_cos,
    },
)


@transverse.proof
def _(goal):
    """Differentiate the risk twice along curves that differ from great circles in third order."""
    return all_of(*(chain(e.lhs).then(e.rhs, by=differentiate) for e in goal.args))


across = Claim(
    id="oracle-across",
    title=(
        "At the oracle the slopes of the risk in $nu$ and in $kappa$, in closed form, are negative"
    ),
    statement=And(Gt(-R_kappa, 0, evaluate=False), Gt(-R_nu, 0, evaluate=False), evaluate=False),
    source=(
        "new; to second order, turning $k$ out of the plane of $k*$ and $v*$ lowers $kappa$ alone, "
        "and turning $v$ lowers $nu$: so second derivatives are positive in directions orthogonal "
        "to both"
    ),
)


@across.proof
def _(goal):
    """Both are products of numbers that have a sign."""
    return all_of(*(chain(part.lhs).gt(0, by=sign) for part in goal.args))


# -- where it loses its stability --------------------------------------------------------------

stability = H_kk * H_vv - H_kv**2


def with_zeta(value):
    """Return the determinant with another value for zeta, which increases H_vv alone."""
    return stability.subs(zeta(t_oracle, s), value)


# H_kk, which is not negative there; what H_vv is besides d zeta; and H_kv.
p, q, r = Symbol("p", nonnegative=True), Symbol("q", real=True), Symbol("r", real=True)


def with_value(value):
    return p * (q + d * value) - r**2


between = Claim(
    id="oracle-stability-bounds",
    title=(
        "For $p >= 0$, $p (q + d zeta) - r^2$ lies between its values with $erf(t/A)^2$ and with 1 "
        "in place of $zeta$"
    ),
    statement=And(
        Ge(with_value(zeta(t_oracle, s)), with_value(erf(a) ** 2), evaluate=False),
        Le(with_value(zeta(t_oracle, s)), with_value(1), evaluate=False),
        evaluate=False,
    ),
    source=(
        "new; $p$ stands for $H_kk$, $r$ for $H_kv$, and $q + d zeta$ for $H_vv$: it is the "
        "determinant of the transverse Hessian at the oracle"
    ),
)


@between.proof
def _(goal):
    """Zeta lies between the square of the mean and 1."""
    variance = lemma("zeta-variance-nonnegative", t=t_oracle, s=s).scaled(d * p)
    whole = chain(with_value(zeta(t_oracle, s)))
    return all_of(
        whole.ge(with_value(erf(a) ** 2), by=variance),
        whole.le(with_value(1), by=lemma("zeta-at-most-one", y=t_oracle, g=s).scaled(d * p)),
    )


def plain(expr):
    """At gamma^2 = 1/2, with exponentials in the place of the derivatives of erf."""
    expr = expr.subs(gamma, 1 / sqrt(2)).replace(erf_prime, lambda z: 2 / sqrt(pi) * exp(-(z**2)))
    return expr.replace(erf_second, lambda z: -4 * z / sqrt(pi) * exp(-(z**2)))


def named(value):
    """Return the abbreviations of the certified claims, with a value in place of zeta."""
    parts = (
        *(exp(-(a**2)), erf(a / B), R_rho_rho, H_kk, H_kv),
        H_vv.subs(zeta(t_oracle, s), value),
    )
    letters = symbols("E f h H_11 H_12 H_22", real=True)
    return dict(zip(letters, map(plain, parts), strict=True))


stable = Claim(
    id="oracle-stable-certified",
    title=(
        "In the task of figure 7b, a diagonal entry of the oracle's transverse Hessian and a lower "
        "bound on its determinant are positive for $lambda$ from 0.01 to 0.892"
    ),
    statement=And(
        Gt(plain(H_kk), 0, evaluate=False),
        Gt(plain(with_zeta(erf(a) ** 2)), 0, evaluate=False),
        evaluate=False,
    ),
    source=(
        "new; $d = 400$, $L = 10$, $gamma^2 = 1/2$; the transverse Hessian is then positive "
        "definite, by oracle-stability-bounds, though its smallest eigenvalue may be tiny"
    ),
    notation=named(erf(a) ** 2),
)


@stable.certified_by
def _():
    """Ball arithmetic on an enclosure of both determinants."""
    return InequalitiesOnBox({lam: ("1/100", "892/1000"), d: 400, L: 10})


unstable = Claim(
    id="oracle-unstable-certified",
    title=(
        "In the task of figure 7b, an upper bound on the determinant of the oracle's transverse "
        "Hessian is negative for $lambda$ from 0.893 to 4"
    ),
    statement=And(
        Gt(plain(H_kk), 0, evaluate=False),
        Lt(plain(with_zeta(1)), 0, evaluate=False),
        evaluate=False,
    ),
    source=(
        "new; $d = 400$, $L = 10$, $gamma^2 = 1/2$; so the Hessian has a negative eigenvalue, by "
        "oracle-stability-bounds"
    ),
    notation=named(Integer(1)),
)


@unstable.certified_by
def _():
    """Ball arithmetic; with oracle-stable-certified, stability is lost between 0.892 and 0.893."""
    return InequalitiesOnBox({lam: ("893/1000", 4), d: 400, L: 10})


# -- saturated scores --------------------------------------------------------------------------

# As d grows with lambda fixed, erf(a) and zeta tend to 1, and every erf' and erf'' to 0. What is
# then left of the transverse Hessian:
ratio = 2 / sqrt(1 + 4 * lam**2)
S_rho_rho = 2 * (L - 1) * c**2 * (ratio + L - 2)
S_theta_rho = 2 * (L - 1) * c * drift
S_kk, S_kv = S_rho_rho, S_rho_rho + S_theta_rho
S_vv = 2 * gamma**2 + d + S_rho_rho + 2 * S_theta_rho

# Values of erf, zeta and the bells at the informative score.
e, f, g, z_1, z_2 = symbols("e f g z_1 z_2", real=True)


def with_bells(curvature):
    """The same with names for what saturates: erf, erf' and erf'' at a and a/B, and zeta."""
    named = {
        erf(a): e,
        erf(a / B): f,
        erfc(a / B): 1 - f,
        erf_prime(a): g,
        erf_second(a): -2 * a * g,
        erf_prime(a / B): z_1,
        zeta(t_oracle, s): z_2,
    }
    return curvature.subs(named)


saturated = Claim(
    id="oracle-saturated",
    title=(
        "The entries of the transverse Hessian at the oracle for saturated scores, where $erf = "
        "zeta = 1$ and $erf' = 0$"
    ),
    statement=And(
        *(
            Eq(with_bells(full).subs({e: 1, f: 1, g: 0, z_1: 0, z_2: 1}), left, evaluate=False)
            for full, left in ((H_kk, S_kk), (H_kv, S_kv), (H_vv, S_vv))
        ),
        evaluate=False,
    ),
    source="new",
)


@saturated.proof
def _(goal):
    """Replace $erf$ and $zeta$ by 1, and $erf'$ by 0."""
    return all_of(*(chain(part.lhs).then(part.rhs, by=algebra) for part in goal.args))


margin = (d + 2 * gamma**2) * ratio - (d - 2 * gamma**2 * (L - 2))

determinant = Claim(
    id="oracle-saturated-determinant",
    title=(
        "The determinant of the oracle's transverse Hessian for saturated scores, as a multiple of "
        "the margin"
    ),
    statement=Eq(S_kk * S_vv - S_kv**2, 2 * (L - 1) * c**2 * margin, evaluate=False),
    source="new",
)


@determinant.proof
def _(goal):
    """The terms that are not linear in the curvature in $rho$ cancel, but for $c^2 (L - 1)^2$."""
    return chain(goal.lhs).then(goal.rhs, by=algebra)


decreasing = Claim(
    id="oracle-saturated-decreasing",
    title=(
        "The oracle's margin, the factor of the determinant of its Hessian for saturated scores "
        "that may change sign, decreases in $lambda$"
    ),
    statement=Lt(D(margin, lam), 0),
    source="new",
)


@decreasing.proof
def _(goal):
    """The ratio $2/sqrt(1 + 4 lambda^2)$ falls."""
    slope = -8 * lam * (d + 2 * gamma**2) / (1 + 4 * lam**2) ** Rational(3, 2)
    return chain(goal.lhs).then(slope, by=differentiate).lt(0, by=sign)


# The ratio at which the margin vanishes; d is so large that it is positive.
excess = Symbol("h", positive=True)
enough = {d: 2 * gamma**2 * (L - 2) + excess}
y_critical = ((d - 2 * gamma**2 * (L - 2)) / (d + 2 * gamma**2)).subs(enough)

root = Claim(
    id="oracle-saturated-root",
    title=(
        "With $d = 2 gamma^2 (L - 2) + h$, $L >= 2$, and $1 + 4 lambda^2 = 4/y^2$, $y = h/(h + 2 "
        "gamma^2 (L - 1)) > 0$, put in, the oracle's margin for saturated scores is 0"
    ),
    statement=Eq(margin.subs(enough).subs(lam, sqrt(1 / y_critical**2 - Rational(1, 4))), 0),
    source=(
        "new; so it vanishes at $lambda^2 = 1/y^2 - 1/4$, with $y = (d - 2 gamma^2 (L - 2))/(d + 2 "
        "gamma^2)$, where that is positive"
    ),
    hypotheses=[Ge(L, 2)],
)


@root.proof
def _(goal):
    """The root of $1 + 4 lambda^2 = 4/y^2$."""
    return chain(goal.lhs).then(0, by=algebra)


# The margin of one d, when d is large: its sign is that of 3 - 4 lambda^2.
vanishing = (3 - 4 * lam**2) / (sqrt(1 + 4 * lam**2) * (2 + sqrt(1 + 4 * lam**2)))

infinite = Claim(
    id="oracle-critical-temperature-of-large-d",
    title=(
        "The oracle's margin for saturated scores is $d$ times a function that vanishes at $lambda "
        "= sqrt(3)/2$, plus a term without $d$"
    ),
    statement=And(
        Eq(margin - d * (ratio - 1), 2 * gamma**2 * (ratio + L - 2), evaluate=False),
        Eq(ratio - 1, vanishing, evaluate=False),
        evaluate=False,
    ),
    source="new",
)


@infinite.proof
def _(goal):
    """The remaining terms do not depend on $d$."""
    return all_of(
        chain(margin - d * (ratio - 1)).then(2 * gamma**2 * (ratio + L - 2), by=algebra),
        chain(ratio - 1).then(vanishing, by=algebra),
    )


# -- why lambda should decrease ----------------------------------------------------------------

others = (L - 1) * zeta(0, lam)

cost = Claim(
    id="oracle-cost-of-others",
    title="The risk that the other tokens add at the oracle increases with $lambda$",
    statement=Gt(D(others, lam), 0),
    source="new",
    hypotheses=[Ge(L, 2)],
)


@cost.proof
def _(goal):
    """The derivative of $zeta(0, lambda)$."""
    slope = (L - 1) * 8 * lam / (pi * (1 + 2 * lam**2) * sqrt(1 + 4 * lam**2))
    return chain(goal.lhs).then(slope, by=differentiate).gt(0, by=sign)


# -- the saddle of the manifold ----------------------------------------------------------------

pull = 2 * lam * gamma**2 * drift / (sqrt(pi) * A)
spread = d * zeta(0, s)
# Off the manifold from its saddle (0, 0), by theta and eta alone.
off = risk.subs({kappa: 0, nu: 0, rho: 0})

quadratic = spread * theta**2 / 2 - 2 * pull * theta * eta
descent = {theta: pull * x / spread, eta: x}

origin = Claim(
    id="manifold-repels-at-origin",
    title=(
        "At the saddle $(0, 0)$ of the manifold the risk decreases in a direction that leaves "
        "the manifold"
    ),
    statement=And(
        Eq(off - at(off, {theta: 0, eta: 0}), quadratic, evaluate=False),
        Lt(at(quadratic, descent), 0, evaluate=False),
        evaluate=False,
    ),
    source=(
        "new; a remark on Section 5, which hopes for convergence from near the manifold if the "
        "manifold is stable"
    ),
    hypotheses=[Gt(x, 0)],
)


@origin.proof
def _(goal):
    """A quadratic form with a corner that vanishes has a negative value."""
    least = -3 * pull**2 * x**2 / (2 * spread)
    return all_of(
        chain(off - at(off, {theta: 0, eta: 0})).then(quadratic, by=algebra),
        chain(at(quadratic, descent)).then(least, by=algebra).lt(0, by=sign),
    )

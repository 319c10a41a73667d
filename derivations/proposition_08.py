"""Proposition 8: the risk descends along the planar dynamics, with every constant explicit."""

from sympy import Abs, And, Ge, Integer, Le, Lt, Symbol, erf, exp, pi, sqrt

from slrsym.gaussian import erf_prime, zeta
from slrsym.notation import A, B, L, alpha, d, epsilon, gamma, kappa, lam, nu, s, t
from slrsym.proof import (
    Claim,
    D,
    algebra,
    all_of,
    chain,
    differentiate,
    having,
    lemma,
    lipschitz,
    monotone,
    sign,
    taylor,
)

x = Symbol("x", real=True)
z = Symbol("z", real=True)
p = Symbol("p", nonnegative=True)

# -- bounds of the bell and of its slope -------------------------------------------------------

exponential = Claim(
    id="exp-above-tangent",
    title="exp(x) >= 1 + x for x >= 0",
    statement=Ge(exp(p) - 1 - p, 0),
    source="new",
)


@exponential.proof
def _(goal):
    """Both sides are 1 at 0, and the left one grows faster."""
    gap = exp(z) - 1 - z
    slope = chain(D(gap, z)).then(exp(z) - 1, by=differentiate).ge(0, by=sign)
    return chain(goal.lhs).ge(0, by=monotone(gap, z, start=p, end=0, derivative=slope))


bell_slope = Claim(
    id="bell-slope",
    title="|erf''| is at most 2/sqrt(pi)",
    statement=And(Le(2 * x * exp(-(x**2)) - 1, 0), Ge(2 * x * exp(-(x**2)) + 1, 0), evaluate=False),
    source="new",
)


@bell_slope.proof
def _(goal):
    """2|x| <= 1 + x^2 <= exp(x^2)."""
    grows = lemma("exp-above-tangent", p=x**2).scaled(exp(-(x**2)))
    upper = (
        chain(2 * x * exp(-(x**2)) - 1).le((1 + x**2) * exp(-(x**2)) - 1, by=sign).le(0, by=grows)
    )
    lower = (
        chain(2 * x * exp(-(x**2)) + 1).ge(1 - (1 + x**2) * exp(-(x**2)), by=sign).ge(0, by=grows)
    )
    return all_of(upper, lower)


v = Symbol("v", real=True)
product = 2 * x * exp(-(x**2)) * v

bell_product = Claim(
    id="bell-slope-product",
    title="times what is at most 2, it is at most 4/sqrt(pi)",
    statement=And(Le(product, 2), Ge(product, -2), evaluate=False),
    source="new",
    given=[Ge(v, -2), Le(v, 2)],
)


@bell_product.proof
def _(goal):
    """By the claim before."""
    first = 2 * x * exp(-(x**2))
    below = chain(first + 1).ge(0, by=lemma("bell-slope"))
    above = chain(first - 1).le(0, by=lemma("bell-slope"))

    def known(proof):
        return having(below, having(above, proof))

    return all_of(
        known(chain(product).le(2, by=sign)),
        known(chain(product).ge(-2, by=sign)),
    )


# -- the partial derivatives on the square -----------------------------------------------------

b = lam * sqrt(d / 2) / A
kappa2, nu2 = Symbol("kappa_2", real=True), Symbol("nu_2", real=True)
square = [Ge(kappa, -1), Le(kappa, 1), Ge(nu, -1), Le(nu, 1)]
second_point = [Ge(kappa2, -1), Le(kappa2, 1), Ge(nu2, -1), Le(nu2, 1)]


def risk(x, y):
    """The risk on the manifold, as claim lemma-6 derives it."""
    at = t.subs(kappa, x)
    return epsilon**2 + gamma**2 * (1 - 2 * y * erf(at / A) + zeta(at, s)) + (L - 1) * zeta(0, lam)


def R_kappa(x, y):
    return 2 * gamma**2 * b * erf_prime(b * x) * (erf(b * x / B) - y)


def R_nu(x):
    return -2 * gamma**2 * erf(b * x)


# Bounds of R_kappa, of R_nu, of the second derivative in kappa, and of the mixed one.
P = 8 * gamma**2 * b / sqrt(pi)
Q = 2 * gamma**2
M = 8 * gamma**2 * b**2 * (1 / sqrt(pi) + 1 / pi)
N = 4 * gamma**2 * b / sqrt(pi)


def within(expr, bound):
    return And(Le(expr, bound, evaluate=False), Ge(expr, -bound, evaluate=False), evaluate=False)


slope_kappa = Claim(
    id="proposition-8-slope-kappa",
    title="R_kappa is at most 8 gamma^2 b/sqrt(pi) in absolute value",
    statement=within(R_kappa(kappa, nu), P),
    source="Appendix B.6, with its constant; b = lambda sqrt(d/2)/A",
    given=square,
)


@slope_kappa.proof
def _(goal):
    """Bound erf' at 0, and the difference by 2."""
    bell = 4 * gamma**2 * b / sqrt(pi) * exp(-((b * kappa) ** 2))
    start = chain(R_kappa(kappa, nu)).then(bell * (erf(b * kappa / B) - nu), by=algebra)
    return all_of(
        start.le(2 * bell, by=sign).le(P, by=sign), start.ge(-2 * bell, by=sign).ge(-P, by=sign)
    )


slope_nu = Claim(
    id="proposition-8-slope-nu",
    title="R_nu is at most 2 gamma^2 in absolute value",
    statement=within(R_nu(kappa), Q),
    source="Appendix B.6, with its constant",
)


@slope_nu.proof
def _(goal):
    """The error function is at most 1."""
    return all_of(chain(R_nu(kappa)).le(Q, by=sign), chain(R_nu(kappa)).ge(-Q, by=sign))


def bend(x, y):
    """The second derivative of the risk in kappa."""
    bell = exp(-((b * x) ** 2))
    return -8 * gamma**2 * b**2 / sqrt(pi) * (b * x) * bell * (
        erf(b * x / B) - y
    ) + 8 * gamma**2 * b**2 / pi / B * bell * exp(-((b * x / B) ** 2))


curvature = Claim(
    id="proposition-8-curvature",
    title="the second derivative in kappa is at most 8 gamma^2 b^2 (1/sqrt(pi) + 1/pi)",
    statement=within(bend(kappa, nu), M),
    source="Appendix B.6, with its constant",
    given=square,
)


@curvature.proof
def _(goal):
    """|erf''| is at most 2/sqrt(pi); it multiplies at most 2."""
    y = b * kappa
    bell = exp(-(y**2))
    second = 8 * gamma**2 * b**2 / pi / B * bell * exp(-((y / B) ** 2))
    factor = 4 * gamma**2 * b**2 / sqrt(pi)
    gap = erf(y / B) - nu
    bounded = lemma("bell-slope-product", x=y, v=gap).scaled(factor)
    start = chain(bend(kappa, nu)).then(-factor * (2 * y * bell) * gap + second, by=algebra)
    return all_of(
        start.le(2 * factor + second, by=bounded).le(M, by=sign),
        start.ge(-2 * factor + second, by=bounded).ge(-2 * factor, by=sign).ge(-M, by=sign),
    )


# -- how the partial derivatives change --------------------------------------------------------

kappa_kappa = Claim(
    id="proposition-8-kappa-kappa",
    title="R_kappa changes in kappa by at most the bound of the curvature",
    statement=Le(Abs(R_kappa(kappa, nu) - R_kappa(kappa2, nu)), M * Abs(kappa - kappa2)),
    source="Appendix B.6",
    given=[*square, *second_point],
)


@kappa_kappa.proof
def _(goal):
    """By the bound of its derivative."""
    slope = chain(D(R_kappa(z, nu), z)).then(bend(z, nu), by=differentiate)
    known = lemma("proposition-8-curvature", kappa=z)
    bound = all_of(slope.le(M, by=known), slope.ge(-M, by=known))
    return chain(goal.lhs).le(
        goal.rhs, by=lipschitz(R_kappa(z, nu), z, kappa, kappa2, low=-1, high=1, bound=bound)
    )


kappa_nu = Claim(
    id="proposition-8-kappa-nu",
    title="R_kappa changes in nu by at most 4 gamma^2 b/sqrt(pi) times as much",
    statement=Le(Abs(R_kappa(kappa, nu) - R_kappa(kappa, nu2)), N * Abs(nu - nu2)),
    source="Appendix B.6",
    given=[*square, *second_point],
)


@kappa_nu.proof
def _(goal):
    """It is affine in nu."""
    bell = N * exp(-((b * kappa) ** 2))
    slope = chain(D(R_kappa(kappa, z), z)).then(-bell, by=differentiate)
    bound = all_of(slope.le(N, by=sign), slope.ge(-N, by=sign))
    return chain(goal.lhs).le(
        goal.rhs, by=lipschitz(R_kappa(kappa, z), z, nu, nu2, low=-1, high=1, bound=bound)
    )


nu_kappa = Claim(
    id="proposition-8-nu-kappa",
    title="R_nu changes in kappa by at most 4 gamma^2 b/sqrt(pi) times as much",
    statement=Le(Abs(R_nu(kappa) - R_nu(kappa2)), N * Abs(kappa - kappa2)),
    source="Appendix B.6",
    given=[Ge(kappa, -1), Le(kappa, 1), Ge(kappa2, -1), Le(kappa2, 1)],
)


@nu_kappa.proof
def _(goal):
    """By the bound of its derivative."""
    bell = N * exp(-((b * z) ** 2))
    slope = chain(D(R_nu(z), z)).then(-bell, by=differentiate)
    bound = all_of(slope.le(N, by=sign), slope.ge(-N, by=sign))
    return chain(goal.lhs).le(
        goal.rhs, by=lipschitz(R_nu(z), z, kappa, kappa2, low=-1, high=1, bound=bound)
    )


# -- the risk between two points ---------------------------------------------------------------

taylor_kappa = Claim(
    id="proposition-8-taylor-kappa",
    title="the risk at another kappa lies below a parabola",
    statement=Le(
        risk(kappa2, nu),
        risk(kappa, nu) + R_kappa(kappa, nu) * (kappa2 - kappa) + M / 2 * (kappa2 - kappa) ** 2,
    ),
    source="Appendix B.6, (22)",
    given=[*square, Ge(kappa2, -1), Le(kappa2, 1)],
)


@taylor_kappa.proof
def _(goal):
    """Taylor's formula, with the bound of the curvature."""
    curved = (
        chain(D(risk(z, nu), z, z))
        .then(bend(z, nu), by=differentiate)
        .le(M, by=lemma("proposition-8-curvature", kappa=z))
    )
    return chain(goal.lhs).le(
        goal.rhs, by=taylor(risk(z, nu), z, kappa, kappa2, low=-1, high=1, bound=curved)
    )


c, w = Symbol("c", positive=True), Symbol("w", real=True)

young = Claim(
    id="young",
    title="a product, where one factor is at most c times a third number",
    statement=Le(w * x - c / 2 * z**2 - c / 2 * x**2, 0),
    source="Young's inequality",
    given=[Le(Abs(w), c * Abs(z))],
)


@young.proof
def _(goal):
    """(|z| - |x|)^2 is not negative."""
    return (
        chain(goal.lhs)
        .le(Abs(w) * Abs(x) - c / 2 * z**2 - c / 2 * x**2, by=sign)
        .le(c * Abs(z) * Abs(x) - c / 2 * z**2 - c / 2 * x**2, by=sign)
        .then(-c / 2 * (Abs(z) - Abs(x)) ** 2, by=algebra)
        .le(0, by=sign)
    )


mixed = Claim(
    id="proposition-8-mixed",
    title="what the slope in nu changes by, times a step of nu",
    statement=Le(
        (R_nu(kappa2) - R_nu(kappa)) * x - N / 2 * (kappa2 - kappa) ** 2 - N / 2 * x**2, 0
    ),
    source="Appendix B.6",
    given=[Ge(kappa, -1), Le(kappa, 1), Ge(kappa2, -1), Le(kappa2, 1)],
)


@mixed.proof
def _(goal):
    """It changes by at most N |kappa_2 - kappa|."""
    change = R_nu(kappa2) - R_nu(kappa)
    swapped = lemma("proposition-8-nu-kappa", {kappa: kappa2, kappa2: kappa})
    small = chain(Abs(change)).le(N * Abs(kappa2 - kappa), by=swapped)
    return chain(goal.lhs).le(0, by=lemma("young", w=change, z=kappa2 - kappa, c=N).where(small))


taylor_both = Claim(
    id="proposition-8-taylor",
    title="the risk at another point lies below a paraboloid",
    statement=Le(
        risk(kappa2, nu2),
        risk(kappa, nu)
        + R_kappa(kappa, nu) * (kappa2 - kappa)
        + R_nu(kappa) * (nu2 - nu)
        + (M + N) / 2 * (kappa2 - kappa) ** 2
        + N / 2 * (nu2 - nu) ** 2,
    ),
    source="Appendix B.6, (22), with its constants",
    given=[*square, *second_point],
)


@taylor_both.proof
def _(goal):
    """The risk is affine in nu, with a slope that changes with kappa."""
    change = (R_nu(kappa2) - R_nu(kappa)) * (nu2 - nu)
    squares = N / 2 * (kappa2 - kappa) ** 2 + N / 2 * (nu2 - nu) ** 2
    return (
        chain(goal.lhs)
        .then(risk(kappa2, nu) + R_nu(kappa) * (nu2 - nu) + change, by=algebra)
        .le(goal.rhs - squares + change, by=lemma("proposition-8-taylor-kappa"))
        .le(goal.rhs, by=lemma("proposition-8-mixed", x=nu2 - nu))
    )


# -- the descent -------------------------------------------------------------------------------

# The constant of the descent inequality. A step size below 1/C makes the risk decrease.
C = P + Q + (M + N) / 2 + N / 2


def moved(x, slope):
    """Where a step takes a coordinate, by Lemma 7."""
    stretch = 1 - x**2
    return (x - alpha * slope * stretch) / sqrt(1 + alpha**2 * slope**2 * stretch)


kappa_next, nu_next = moved(kappa, R_kappa(kappa, nu)), moved(nu, R_nu(kappa))
slack = R_kappa(kappa, nu) ** 2 * (1 - kappa**2) + R_nu(kappa) ** 2 * (1 - nu**2)
small_step = Lt(alpha * C, 1)


def both(expr, high, low, by):
    """Proofs of both bounds, by one claim that says both."""
    return chain(expr).le(high, by=by), chain(expr).ge(low, by=by)


stays_kappa, stays_nu = (
    both(after, 1, -1, lemma("planar-step-stays", x=x, y=alpha * slope))
    for after, x, slope in (
        (kappa_next, kappa, R_kappa(kappa, nu)),
        (nu_next, nu, R_nu(kappa)),
    )
)

on_the_square = Claim(
    id="proposition-8-square",
    title="the planar map does not leave the square",
    statement=And(within(kappa_next, Integer(1)), within(nu_next, Integer(1)), evaluate=False),
    source="Section 5",
    given=square,
)


@on_the_square.proof
def _(goal):
    """Neither coordinate leaves [-1, 1]."""
    return all_of(all_of(*stays_kappa), all_of(*stays_nu))


descent = Claim(
    id="proposition-8-descent",
    title="the descent inequality",
    statement=Le(risk(kappa_next, nu_next) - risk(kappa, nu) + alpha * (1 - alpha * C) * slack, 0),
    source="Proposition 8, with C = P + Q + M/2 + N",
    given=[*square, small_step],
)


@descent.proof
def _(goal):
    """A step in both coordinates descends on the paraboloid of Taylor's formula."""
    bounds = (
        *both(R_kappa(kappa, nu), P, -P, lemma("proposition-8-slope-kappa")),
        *both(R_nu(kappa), Q, -Q, lemma("proposition-8-slope-nu")),
    )
    descends = lemma(
        "planar-step-descends",
        x=kappa, x_2=nu, p=R_kappa(kappa, nu), q=R_nu(kappa), P=P, Q=Q, c=(M + N) / 2, c_2=N / 2,
    )  # fmt: skip
    return (
        chain(goal.lhs)
        .le(
            R_kappa(kappa, nu) * (kappa_next - kappa)
            + R_nu(kappa) * (nu_next - nu)
            + (M + N) / 2 * (kappa_next - kappa) ** 2
            + N / 2 * (nu_next - nu) ** 2
            + alpha * (1 - alpha * C) * slack,
            by=lemma("proposition-8-taylor", {kappa2: kappa_next, nu2: nu_next}).where(
                *stays_kappa, *stays_nu
            ),
        )
        .le(0, by=descends.where(*bounds))
    )

"""Theorem 5, by Propositions 8, 11, 12 and 13: almost every start recovers the oracle.

Every constant is explicit, and with them the step size below which the theorem holds.
"""

from sympy import Abs, And, Eq, Ge, Gt, Integer, Le, Lt, Symbol, erf, exp, pi, sqrt, symbols

from slrsym.gaussian import erf_prime, zeta
from slrsym.notation import A, B, L, alpha, d, epsilon, gamma, kappa, lam, nu, s, t
from slrsym.proof import (
    Claim,
    D,
    algebra,
    all_of,
    at,
    by_citation,
    chain,
    differentiate,
    having,
    in_words,
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


# -- the step size -----------------------------------------------------------------------------

# The bounds above, as plain symbols: what follows holds for any numbers in their places.
bounds = dict(zip("PQMN", symbols("P Q M N", nonnegative=True), strict=True))
sizes_of = {"P": P, "Q": Q, "M": M, "N": N}


def descent_constant(P, Q, M, N):
    """The constant of the descent inequality: below 1/C a step makes the risk decrease."""
    return P + Q + (M + N) / 2 + N / 2


def injectivity_constant(P, Q, M, N):
    """The constant for which a step size below 1/K makes the map injective."""
    return 3 * P + 3 * Q + 2 * M + 2 * N


C, K = descent_constant(**sizes_of), injectivity_constant(**sizes_of)

below_descent = Claim(
    id="step-size-descent",
    title="a step size below 1/C is below 1/P and 1/Q",
    statement=And(Le(alpha * bounds["P"], 1), Le(alpha * bounds["Q"], 1), evaluate=False),
    source="new; C = P + Q + M/2 + N",
    given=[Lt(alpha * descent_constant(**bounds), 1)],
)


@below_descent.proof
def _(goal):
    """C is the sum of these and of other numbers that are not negative."""
    total = alpha * descent_constant(**bounds)
    return all_of(*(chain(part.lhs).le(total, by=sign).le(1, by=sign) for part in goal.args))


below_injectivity = Claim(
    id="step-size-injectivity",
    title="a step size below 1/K is below 1/P, 1/Q and 1/C",
    statement=And(
        Le(alpha * bounds["P"], 1),
        Le(alpha * bounds["Q"], 1),
        Lt(alpha * descent_constant(**bounds), 1),
        Lt(alpha * injectivity_constant(**bounds), 1),
        evaluate=False,
    ),
    source="new; C = P + Q + M/2 + N and K = 3P + 3Q + 2M + 2N",
    given=[Lt(alpha * injectivity_constant(**bounds), 1)],
)


@below_injectivity.proof
def _(goal):
    """K is the sum of these and of other numbers that are not negative."""
    total = alpha * injectivity_constant(**bounds)
    first, second = alpha * bounds["P"], alpha * bounds["Q"]
    constant = alpha * descent_constant(**bounds)
    return all_of(
        chain(first).le(total, by=sign).le(1, by=sign),
        chain(second).le(total, by=sign).le(1, by=sign),
        chain(constant).le(total, by=sign).lt(1, by=sign),
        chain(total).lt(1, by=sign),
    )


w1, w2 = symbols("w_1 w_2", nonnegative=True)


def expansion(P, Q, M, N, first, second):
    """By how much the map keeps two points apart, coordinate by coordinate."""
    in_kappa, in_nu = 3 * alpha * P + 2 * alpha * M, 3 * alpha * Q
    return (1 - in_kappa - 2 * alpha * N) * first + (1 - 2 * alpha * N - in_nu) * second


together = Claim(
    id="step-size-expansion",
    title="both coordinates together are kept apart by 1 - alpha K",
    statement=Ge(
        expansion(**bounds, first=w1, second=w2),
        (1 - alpha * injectivity_constant(**bounds)) * (w1 + w2),
    ),
    source="Appendix B.9; K = 3P + 3Q + 2M + 2N",
)


@together.proof
def _(goal):
    """Each of the two shares is at most K."""
    return chain(goal.lhs).ge(goal.rhs, by=sign)


# -- the descent -------------------------------------------------------------------------------


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
    slopes = (
        *both(R_kappa(kappa, nu), P, -P, lemma("proposition-8-slope-kappa")),
        *both(R_nu(kappa), Q, -Q, lemma("proposition-8-slope-nu")),
    )
    sizes = lemma("step-size-descent", **sizes_of)
    small = [chain(alpha * size).le(1, by=sizes) for size in (P, Q)]
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
        .le(0, by=descends.where(*slopes, *small))
    )


# -- Proposition 12: the map is injective ------------------------------------------------------

safe_step = Lt(alpha * K, 1)
next_of = {kappa: kappa2, nu: nu2}
kappa_next2 = moved(kappa2, R_kappa(kappa2, nu2))
nu_next2 = moved(nu2, R_nu(kappa2))
way_kappa, way_nu = Abs(kappa - kappa2), Abs(nu - nu2)

sizes = Claim(
    id="theorem-5-step-size",
    title="a step size below 1/K is below 1/P, 1/Q and 1/C",
    statement=And(
        Le(alpha * P, 1), Le(alpha * Q, 1), Lt(alpha * C, 1), Lt(alpha * K, 1), evaluate=False
    ),
    source="new",
    given=[safe_step],
)


@sizes.proof
def _(goal):
    """Whatever the bounds are."""
    known = lemma("step-size-injectivity", **sizes_of)
    return all_of(
        chain(alpha * P).le(1, by=known),
        chain(alpha * Q).le(1, by=known),
        chain(alpha * C).lt(1, by=known),
        chain(alpha * K).lt(1, by=known),
    )


step_sizes = lemma("theorem-5-step-size")
small = {size: chain(alpha * size).le(1, by=step_sizes) for size in (P, Q)}

slope_change = Claim(
    id="proposition-12-slope-change",
    title="how R_kappa changes from point to point",
    statement=Le(Abs(R_kappa(kappa, nu) - R_kappa(kappa2, nu2)), M * way_kappa + N * way_nu),
    source="Appendix B.9",
    given=[*square, *second_point],
)


@slope_change.proof
def _(goal):
    """First in kappa, and then in nu."""
    first = R_kappa(kappa, nu) - R_kappa(kappa2, nu)
    second = R_kappa(kappa2, nu) - R_kappa(kappa2, nu2)
    return chain(goal.lhs).le(
        goal.rhs,
        by=lemma(
            "triangle-inequality", u_1=first, u_2=second, U_1=M * way_kappa, U_2=N * way_nu
        ).where(
            chain(Abs(first)).le(M * way_kappa, by=lemma("proposition-8-kappa-kappa")),
            chain(Abs(second)).le(N * way_nu, by=lemma("proposition-8-kappa-nu", kappa=kappa2)),
        ),
    )


def near_identity(name, after, after2, x, x2, p, p2, size, change, changed, bounds):
    """The claim that what the map adds to a coordinate changes little from point to point."""
    claim = Claim(
        id=f"proposition-12-near-identity-{name}",
        title=f"what the map adds to {name} changes little from point to point",
        statement=Le(
            Abs(after - x - (after2 - x2)), 3 * alpha * size * Abs(x - x2) + 2 * alpha * change
        ),
        source="Appendix B.9, with its constants",
        given=[*square, *second_point, Le(alpha * size, 1)],
    )

    @claim.proof
    def _(goal):
        """By the claim about single steps."""
        return chain(goal.lhs).le(
            goal.rhs,
            by=lemma(
                "planar-step-near-identity", x=x, x_2=x2, p=p, p_2=p2, P=size, Delta=change
            ).where(
                *both(p, size, -size, lemma(bounds)),
                *both(
                    p2,
                    size,
                    -size,
                    lemma(bounds, {kappa: kappa2, **({nu: nu2} if name == "kappa" else {})}),
                ),
                chain(Abs(p - p2)).le(change, by=lemma(changed)),
            ),
        )

    return claim


near_kappa = near_identity(
    "kappa",
    kappa_next,
    kappa_next2,
    kappa,
    kappa2,
    R_kappa(kappa, nu),
    R_kappa(kappa2, nu2),
    P,
    M * way_kappa + N * way_nu,
    "proposition-12-slope-change",
    "proposition-8-slope-kappa",
)
near_nu = near_identity(
    "nu",
    nu_next,
    nu_next2,
    nu,
    nu2,
    R_nu(kappa),
    R_nu(kappa2),
    Q,
    N * way_kappa,
    "proposition-8-nu-kappa",
    "proposition-8-slope-nu",
)

injective = Claim(
    id="proposition-12-injective",
    title="the map keeps points apart, so it is injective, with invertible Jacobian",
    statement=Ge(
        Abs(kappa_next - kappa_next2) + Abs(nu_next - nu_next2),
        (1 - alpha * K) * (way_kappa + way_nu),
    ),
    source="Proposition 12, for alpha < 1/K with K = 3P + 3Q + 2M + 2N",
    given=[*square, *second_point, safe_step],
)


@injective.proof
def _(goal):
    """The map is near the identity."""
    in_kappa, in_nu = 3 * alpha * P + 2 * alpha * M, 3 * alpha * Q
    slower = expansion(**sizes_of, first=way_kappa, second=way_nu)
    first = near_kappa.statement
    second = near_nu.statement
    return (
        chain(goal.lhs)
        .ge(
            slower,
            by=lemma(
                "near-identity-expands",
                u_1=kappa - kappa2,
                u_2=nu - nu2,
                U_1=kappa_next - kappa_next2,
                U_2=nu_next - nu_next2,
                s_1=in_kappa,
                s_2=2 * alpha * N,
                s_3=2 * alpha * N,
                s_4=in_nu,
            ).where(
                chain(first.lhs).le(
                    first.rhs, by=lemma("proposition-12-near-identity-kappa").where(small[P])
                ),
                chain(second.lhs).le(
                    second.rhs, by=lemma("proposition-12-near-identity-nu").where(small[Q])
                ),
            ),
        )
        .ge(goal.rhs, by=lemma("step-size-expansion", **sizes_of, w_1=way_kappa, w_2=way_nu))
    )


# -- Proposition 12: the saddle ----------------------------------------------------------------

h11, h12 = 8 * gamma**2 * b**2 / (pi * B), -4 * gamma**2 * b / sqrt(pi)


def at_origin(f):
    return at(f, {kappa: 0, nu: 0})


jacobian_entries = {
    (kappa_next, kappa): 1 - alpha * h11,
    (kappa_next, nu): -alpha * h12,
    (nu_next, kappa): -alpha * h12,
    (nu_next, nu): Integer(1),
}

jacobian = Claim(
    id="proposition-12-jacobian",
    title="the Jacobian at the origin is I - alpha times the Hessian",
    statement=And(
        *(
            Eq(at_origin(D(image, x)), entry, evaluate=False)
            for (image, x), entry in jacobian_entries.items()
        ),
        evaluate=False,
    ),
    source="Appendix B.9",
)


@jacobian.proof
def _(goal):
    """Differentiate."""
    return all_of(*(chain(part.lhs).then(part.rhs, by=differentiate) for part in goal.args))


# The eigenvalues of a symmetric matrix [[1 - h, k], [k, 1]].
h, k = Symbol("h", positive=True), Symbol("k", real=True, nonzero=True)
root = sqrt(h**2 + 4 * k**2)
contracting, expanding = 1 - (h + root) / 2, 1 - (h - root) / 2

saddle = Claim(
    id="proposition-12-eigenvalues",
    title="one eigenvalue in (0, 1), one in (1, infinity)",
    statement=And(
        Eq((1 - h - contracting) * (1 - contracting) - k**2, 0, evaluate=False),
        Eq((1 - h - expanding) * (1 - expanding) - k**2, 0, evaluate=False),
        Gt(contracting, 0),
        # SymPy finds the next one obvious, and would leave it out.
        Lt(contracting, 1, evaluate=False),
        Gt(expanding, 1),
        evaluate=False,
    ),
    source="Appendix B.9; h = alpha h_11 and k = -alpha h_12",
    given=[Lt(h + Abs(k), 1)],
)


@saddle.proof
def _(goal):
    """Roots of the characteristic polynomial; (h^2 + 4 k^2)^(1/2) is at most h + 2 |k|."""
    return all_of(
        chain((1 - h - contracting) * (1 - contracting) - k**2).then(0, by=algebra),
        chain((1 - h - expanding) * (1 - expanding) - k**2).then(0, by=algebra),
        chain(contracting).ge(1 - (h + h + 2 * Abs(k)) / 2, by=sign).gt(0, by=sign),
        chain(contracting).lt(1, by=sign),
        chain(expanding).gt(1, by=sign),
    )


saddle_step = Claim(
    id="proposition-12-step-size",
    title="for a step size below 1/K this is so at the origin",
    statement=Lt(alpha * h11 + Abs(alpha * h12), 1),
    source="new",
    given=[safe_step],
)


@saddle_step.proof
def _(goal):
    """The entries of the Hessian are among the summands of K."""
    return (
        chain(goal.lhs)
        .then(alpha * h11 - alpha * h12, by=algebra)
        .le(alpha * K, by=sign)
        .lt(1, by=sign)
    )


# -- the limits --------------------------------------------------------------------------------

# What follows is concluded by theorems on sequences and on dynamical systems. That their hypotheses
# hold is proved above; that the conclusions follow is cited.

slope = Symbol("p", real=True)

squares = Claim(
    id="squares-of-equations",
    title="on the square, (p (1 - x^2))^2 is at most p^2 (1 - x^2)",
    statement=Le((slope * (1 - x**2)) ** 2, slope**2 * (1 - x**2)),
    source="new",
    given=[Ge(x, -1), Le(x, 1)],
)


@squares.proof
def _(goal):
    """1 - x^2 is at most 1, so that its square is at most itself."""
    return chain(goal.lhs).le(goal.rhs, by=sign)


equations = Claim(
    id="proposition-8-equations",
    title="the squares of (14) are at most the descent",
    statement=Ge(
        slack - (R_kappa(kappa, nu) * (1 - kappa**2)) ** 2 - (R_nu(kappa) * (1 - nu**2)) ** 2, 0
    ),
    source="Proposition 8",
    given=square,
)


@equations.proof
def _(goal):
    """Coordinate by coordinate."""
    rest = R_nu(kappa) ** 2 * (1 - nu**2) - (R_nu(kappa) * (1 - nu**2)) ** 2
    return (
        chain(goal.lhs)
        .ge(rest, by=lemma("squares-of-equations", x=kappa, p=R_kappa(kappa, nu)))
        .ge(0, by=lemma("squares-of-equations", x=nu, p=R_nu(kappa)))
    )


nearby = Claim(
    id="proposition-8-distance",
    title="the squared distance of successive points is at most alpha^2 times the descent",
    statement=Le(
        (kappa_next - kappa) ** 2 + (nu_next - nu) ** 2 - alpha**2 * slack, 0, evaluate=False
    ),
    source="Proposition 8",
    given=square,
)


@nearby.proof
def _(goal):
    """Coordinate by coordinate."""
    return (
        chain(goal.lhs)
        .le(
            (nu_next - nu) ** 2 - alpha**2 * R_nu(kappa) ** 2 * (1 - nu**2),
            by=lemma("planar-step-distance", x=kappa, y=alpha * R_kappa(kappa, nu)),
        )
        .le(0, by=lemma("planar-step-distance", x=nu, y=alpha * R_nu(kappa)))
    )


def concluded(id, source, title, text, *theorems, hypotheses):
    """A claim in words, concluded by theorems of the literature."""
    claim = Claim(id=id, title=title, statement=in_words(text), source=source)

    @claim.proof
    def _(goal):
        """The hypotheses of the theorems are other claims; the conclusion is cited."""
        return by_citation(goal, *theorems, hypotheses=hypotheses)

    return claim


concluded(
    "proposition-8",
    "Proposition 8, for alpha < 1/C",
    "the risk decreases, steps tend to 0, accumulation points solve (14)",
    "for alpha < 1/C and every start in the square the risk decreases along the iterates, their "
    "successive distances tend to 0, and every accumulation point solves (14)",
    "monotone-sequences",
    hypotheses=[
        "proposition-8-descent",
        "proposition-8-square",
        "proposition-8-distance",
        "proposition-8-equations",
        "lemma-6-lower-bound",
    ],
)
concluded(
    "proposition-11",
    "Proposition 11, for alpha < 1/C",
    "every sequence of iterates converges to one of the five points",
    "for alpha < 1/C the iterates from every start in the square converge to one of the points "
    "(1, 1), (1, -1), (-1, 1), (-1, -1), (0, 0)",
    "connected-accumulation-points",
    "monotone-sequences",
    hypotheses=["proposition-8", "proposition-9"],
)
concluded(
    "proposition-12",
    "Proposition 12, for alpha < 1/K",
    "a local diffeomorphism at the saddle, injective, with invertible Jacobian",
    "for alpha < 1/K the planar map is differentiable and injective on the square, its Jacobian is "
    "nowhere singular, and at the origin it has an eigenvalue in (0, 1) and one in (1, infinity)",
    "mean-value-theorem",
    hypotheses=[
        "proposition-12-injective",
        "proposition-12-jacobian",
        "proposition-12-eigenvalues",
        "proposition-12-step-size",
    ],
)
concluded(
    "proposition-13",
    "Proposition 13, for alpha < 1/K",
    "the starts that end elsewhere are of measure 0",
    "for alpha < 1/K the starts in the square whose iterates converge to (0, 0), (1, -1) or "
    "(-1, 1) are of Lebesgue measure 0",
    "center-stable-manifold",
    "lipschitz-null-sets",
    hypotheses=[
        "proposition-12",
        "proposition-8-square",
        "proposition-8-descent",
        "proposition-10-maximum",
        "proposition-10-maximum-strict",
        "proposition-10-corners",
        "theorem-5-step-size",
    ],
)
concluded(
    "theorem-5",
    "Theorem 5, for alpha < 1/K; d >= 4",
    "almost every start on the manifold recovers the oracle, up to a sign",
    "for constant lambda, d >= 4, alpha < 1/K and almost every start on the manifold (11), "
    "(k_t, v_t) converges to (k*, v*) or to -(k*, v*)",
    "sphere-coordinates",
    hypotheses=[
        "definition-1",
        "lemma-4",
        "lemma-7",
        "proposition-9-gradient-kappa",
        "proposition-9-gradient-nu",
        "proposition-11",
        "proposition-13",
        "theorem-5-step-size",
    ],
)

"""One step of the planar map, coordinate by coordinate: its length and its direction.

A coordinate x in $[-1, 1]$ with partial derivative p moves to G(x, alpha p), by Lemma 7.
"""

from sympy import Abs, And, Ge, Le, Symbol, sqrt, symbols

from slrsym.papers.single_location.notation import alpha
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
    sign,
)

x, y, x2, y2, z = symbols("x y x_2 y_2 z", real=True)
# A bound of |y|.
Y = Symbol("Y", real=True)


def stretch(x):
    return 1 - x**2


def length(x, y):
    """Return the squared length of the tangent step, before the projection."""
    return sqrt(1 + y**2 * stretch(x))


def moved(x, y):
    """G(x, y): where a step takes the coordinate x."""
    return (x - y * stretch(x)) / length(x, y)


inside = [Ge(x, -1), Le(x, 1)]
small = [Ge(y, -Y), Le(y, Y), Ge(Y, 0), Le(Y, 1)]

stays = Claim(
    id="planar-step-stays",
    title="A step of the planar map does not take a coordinate out of $[-1, 1]$",
    statement=And(Ge(moved(x, y), -1), Le(moved(x, y), 1), evaluate=False),
    source="Section 5",
    hypotheses=inside,
)


@stays.proof
def _(goal):
    """$1 - G^2$ is a square."""
    return all_of(chain(moved(x, y)).ge(-1, by=sign), chain(moved(x, y)).le(1, by=sign))


distance = Claim(
    id="planar-step-distance",
    title=(
        "The planar map moves a coordinate $x$ by a squared distance of at most $y^2 (1 - x^2)$, "
        "where $y$ is $alpha$ times the slope of the risk"
    ),
    statement=Le((moved(x, y) - x) ** 2, y**2 * stretch(x)),
    source="Appendix B.6, (26), with the best constant",
    hypotheses=inside,
)


@distance.proof
def _(goal):
    """On the circle, the step is shorter than its tangent; its other coordinate is a square."""
    side = sqrt(stretch(x))
    other = side * (1 + y * x) / length(x, y) - side
    return (
        chain(goal.lhs)
        .then(2 - 2 / length(x, y) - other**2, by=algebra)
        .le(2 - 2 / length(x, y), by=sign)
        .le(goal.rhs, by=lemma("lemma-16-one-sided", x=y**2 * stretch(x)).scaled(2))
    )


along = Claim(
    id="planar-step-along",
    title=(
        "If $|y| <= Y <= 1$, where $y$ is $alpha$ times the slope, $y$ times the displacement "
        "of a coordinate $x$ is at most $-(1 - Y) y^2 (1 - x^2)$"
    ),
    statement=Le(y * (moved(x, y) - x) + y**2 * stretch(x) * (1 - Y), 0),
    source="Appendix B.6, (25), with its constant",
    hypotheses=[*inside, *small],
)


@along.proof
def _(goal):
    """Lemma 16 bounds what the projection changes."""
    u = y**2 * stretch(x)
    change = 1 - 1 / length(x, y)
    first = chain(u).le(y**2, by=sign).le(Y**2, by=sign).le(Y, by=sign)
    rest = chain(u - y * x).le(Y - y * x, by=sign).le(2 * Y, by=sign)
    return having(
        first,
        having(
            rest,
            chain(goal.lhs)
            .then(change * (u - y * x) - Y * u, by=algebra)
            .le(change * 2 * Y - Y * u, by=sign)
            .le(0, by=lemma("lemma-16-one-sided", x=u).scaled(2 * Y)),
        ),
    )


# -- how a step depends on where it starts, and on y -------------------------------------------

r, u = symbols("r u", real=True)
turned = (1 + r) * (1 + r + u) / sqrt(1 + u) ** 3

near_one = Claim(
    id="planar-step-slope",
    title=(
        "$(1 + r) (1 + r + u)/(1 + u)^(3/2)$ differs from 1 by at most $3 Y$, if $|r| <= Y <= 1$ "
        "and $0 <= u <= Y^2$"
    ),
    statement=And(Le(turned - 1, 3 * Y), Ge(turned - 1, -3 * Y), evaluate=False),
    source=(
        "Appendix B.9, with its constant; with $r = x y$ and $u = y^2 (1 - x^2)$ it is the "
        "derivative of a step in its starting point $x$, where $y$, $alpha$ times the slope, is "
        "held fixed"
    ),
    hypotheses=[Ge(r, -Y), Le(r, Y), Ge(u, 0), Le(u, Y**2), Ge(Y, 0), Le(Y, 1)],
)


@near_one.proof
def _(goal):
    """$1 + Y + u$ is at most $(1 + Y) (1 + u)$, and $1 - Y + u$ at least $(1 - Y) (1 + u)$."""
    cube = sqrt(1 + u) ** 3
    above = (
        chain(turned - 1)
        .le((1 + Y) * (1 + Y + u) / cube - 1, by=sign)
        .le((1 + Y) ** 2 * (1 + u) / cube - 1, by=sign)
        .le((1 + Y) ** 2 - 1, by=sign)
        .le(3 * Y, by=sign)
    )
    below = (
        chain(turned - 1)
        .ge((1 - Y) * (1 - Y + u) / cube - 1, by=sign)
        .ge((1 - Y) ** 2 * (1 + u) / cube - 1, by=sign)
        .ge(
            (1 - Y) ** 2 * (1 - u / 2) - 1, by=lemma("lemma-16-one-sided", x=u).scaled((1 - Y) ** 2)
        )
        .ge((1 - Y) ** 2 * (1 - Y**2 / 2) - 1, by=sign)
        .ge(-3 * Y, by=sign)
    )
    return all_of(above, below)


start = Claim(
    id="planar-step-start",
    title=(
        "If $|y| <= Y <= 1$, where $y$ is $alpha$ times the slope, steps with the same $y$ "
        "have displacements that differ by at most $3 Y$ times the starts' distance"
    ),
    statement=Le(Abs(moved(x, y) - x - (moved(x2, y) - x2)), 3 * Y * Abs(x - x2)),
    source="Appendix B.9",
    hypotheses=[*inside, Ge(x2, -1), Le(x2, 1), *small],
)


@start.proof
def _(goal):
    """By the bound of the derivative."""
    w = y**2 * stretch(z)
    slope = chain(D(moved(z, y) - z, z)).then(
        (1 + y * z) * (1 + y * z + w) / sqrt(1 + w) ** 3 - 1, by=differentiate
    )
    near = lemma("planar-step-slope", r=y * z, u=w)
    wide = chain(w).le(y**2, by=sign).le(Y**2, by=sign)
    bound = all_of(having(wide, slope.le(3 * Y, by=near)), having(wide, slope.ge(-3 * Y, by=near)))
    return chain(goal.lhs).le(
        goal.rhs, by=lipschitz(moved(z, y) - z, z, x, x2, low=-1, high=1, bound=bound)
    )


pushed = Claim(
    id="planar-step-push",
    title=(
        "For $|y| <= 1$, where $y$ is $alpha$ times the slope, the end of a step is Lipschitz "
        "continuous in $y$ with the constant 2"
    ),
    statement=Le(Abs(moved(x, y) - moved(x, y2)), 2 * Abs(y - y2)),
    source="Appendix B.9",
    hypotheses=[*inside, Ge(y, -1), Le(y, 1), Ge(y2, -1), Le(y2, 1)],
)


@pushed.proof
def _(goal):
    """By the bound of the derivative in $y$."""
    cube = sqrt(1 + z**2 * stretch(x)) ** 3
    slope = chain(D(moved(x, z), z)).then(-stretch(x) * (1 + x * z) / cube, by=differentiate)
    bound = all_of(
        slope.le(0, by=sign).le(2, by=sign),
        slope.ge(-(1 + x * z) / cube, by=sign).ge(-(1 + x * z), by=sign).ge(-2, by=sign),
    )
    return chain(goal.lhs).le(
        goal.rhs, by=lipschitz(moved(x, z), z, y, y2, low=-1, high=1, bound=bound)
    )


# -- what a step pays --------------------------------------------------------------------------

p, P, c = Symbol("p", real=True), Symbol("P", nonnegative=True), Symbol("c", nonnegative=True)

pays = Claim(
    id="planar-step-pays",
    title=(
        "If $|p| <= P <= 1/alpha$ and $c >= 0$, a step with slope $p$ displaces $x$ by $u$ "
        "with $p u + c u^2 <= -m p^2 (1 - x^2)$, $m = alpha (1 - alpha (P + c))$"
    ),
    statement=Le(
        p * (moved(x, alpha * p) - x)
        + c * (moved(x, alpha * p) - x) ** 2
        + alpha * (1 - alpha * (P + c)) * p**2 * stretch(x),
        0,
    ),
    source="Appendix B.6, with its constant",
    hypotheses=[*inside, Ge(p, -P), Le(p, P), Le(alpha * P, 1)],
)


@pays.proof
def _(goal):
    """By planar-step-along and planar-step-distance."""
    return (
        chain(goal.lhs)
        .le(
            c * (moved(x, alpha * p) - x) ** 2 - alpha**2 * c * p**2 * stretch(x),
            by=lemma("planar-step-along", y=alpha * p, Y=alpha * P).scaled(1 / alpha),
        )
        .le(0, by=lemma("planar-step-distance", y=alpha * p).scaled(c))
    )


q, Q, c2 = Symbol("q", real=True), Symbol("Q", nonnegative=True), Symbol("c_2", nonnegative=True)
way, way2 = moved(x, alpha * p) - x, moved(x2, alpha * q) - x2
total = P + Q + c + c2

descends = Claim(
    id="planar-step-descends",
    title=(
        "An upper bound on $p u + q w + c u^2 + c_2 w^2$ for the displacements $u$, $w$ of a "
        "step in two coordinates with the slopes $p$, $q$"
    ),
    statement=Le(
        p * way
        + q * way2
        + c * way**2
        + c2 * way2**2
        + alpha * (1 - alpha * total) * (p**2 * stretch(x) + q**2 * stretch(x2)),
        0,
    ),
    source="Appendix B.6",
    hypotheses=[
        *inside,
        Ge(x2, -1),
        Le(x2, 1),
        Ge(p, -P),
        Le(p, P),
        Ge(q, -Q),
        Le(q, Q),
        Le(alpha * P, 1),
        Le(alpha * Q, 1),
    ],
)


@descends.proof
def _(goal):
    """Each coordinate pays for its own terms of second order."""
    first, second = p**2 * stretch(x), q**2 * stretch(x2)
    slack = alpha * (1 - alpha * total) * (first + second)
    return (
        chain(goal.lhs)
        .le(
            q * way2 + c2 * way2**2 + slack - alpha * (1 - alpha * (P + c)) * first,
            by=lemma("planar-step-pays"),
        )
        .le(
            slack - alpha * (1 - alpha * (P + c)) * first - alpha * (1 - alpha * (Q + c2)) * second,
            by=lemma("planar-step-pays", x=x2, p=q, P=Q, c=c2),
        )
        .then(-(alpha**2) * ((Q + c2) * first + (P + c) * second), by=algebra)
        .le(0, by=sign)
    )


# -- a step is nearly the identity -------------------------------------------------------------

u1, u2, U1, U2 = symbols("u_1 u_2 U_1 U_2", real=True)

triangle = Claim(
    id="triangle-inequality",
    title="$|u_1 + u_2| <= U_1 + U_2$ if $|u_1| <= U_1$ and $|u_2| <= U_2$",
    statement=Le(Abs(u1 + u2), U1 + U2),
    source="new",
    hypotheses=[Le(Abs(u1), U1), Le(Abs(u2), U2)],
)


@triangle.proof
def _(goal):
    """Add the bounds on $u_1$ and $u_2$, from above and from below."""
    return chain(goal.lhs).le(Abs(u1) + Abs(u2), by=sign).le(U1 + U2, by=sign)


p2 = Symbol("p_2", real=True)
# A bound of |p - p_2|.
change = Symbol("Delta", real=True)

near_identity = Claim(
    id="planar-step-near-identity",
    title=(
        "If $|p|, |p_2| <= P <= 1/alpha$, steps with slopes $p$, $p_2$ have displacements "
        "within $3 P alpha$ times the starts' distance plus $2 alpha |p - p_2|$"
    ),
    statement=Le(
        Abs(moved(x, alpha * p) - x - (moved(x2, alpha * p2) - x2)),
        3 * alpha * P * Abs(x - x2) + 2 * alpha * change,
    ),
    source="Appendix B.9, with its constants",
    hypotheses=[
        *inside,
        Ge(x2, -1),
        Le(x2, 1),
        Ge(p, -P),
        Le(p, P),
        Ge(p2, -P),
        Le(p2, P),
        Le(alpha * P, 1),
        Le(Abs(p - p2), change),
    ],
)


@near_identity.proof
def _(goal):
    """First move the start, and then the slope."""
    by_start = moved(x, alpha * p) - x - (moved(x2, alpha * p) - x2)
    by_slope = moved(x2, alpha * p) - moved(x2, alpha * p2)
    first = chain(Abs(by_start)).le(
        3 * alpha * P * Abs(x - x2), by=lemma("planar-step-start", y=alpha * p, Y=alpha * P)
    )
    small = [
        bound
        for slope in (p, p2)
        for bound in (
            chain(alpha * slope).le(alpha * P, by=sign).le(1, by=sign),
            chain(alpha * slope).ge(-alpha * P, by=sign).ge(-1, by=sign),
        )
    ]
    second = (
        chain(Abs(by_slope))
        .le(
            2 * Abs(alpha * p - alpha * p2),
            by=lemma("planar-step-push", x=x2, y=alpha * p, y_2=alpha * p2).where(*small),
        )
        .then(2 * alpha * Abs(p - p2), by=algebra)
        .le(2 * alpha * change, by=sign)
    )
    return chain(goal.lhs).le(
        goal.rhs,
        by=lemma(
            "triangle-inequality",
            u_1=by_start,
            u_2=by_slope,
            U_1=3 * alpha * P * Abs(x - x2),
            U_2=2 * alpha * change,
        ).where(first, second),
    )


apart = Claim(
    id="near-identity-apart",
    title="The triangle inequality from below: $|u_1| <= U_1 + |u_2|$ if $|u_1 - u_2| <= U_1$",
    statement=Le(Abs(u1), Abs(u2) + U1),
    source="new",
    hypotheses=[Le(Abs(u2 - u1), U1)],
)


@apart.proof
def _(goal):
    """$u_1$ is $u_2$ plus their difference."""
    return chain(goal.lhs).le(
        goal.rhs, by=lemma("triangle-inequality", u_1=u2, u_2=u1 - u2, U_1=Abs(u2), U_2=U1)
    )


s1, s2, s3, s4 = symbols("s_1:5", nonnegative=True)

expands = Claim(
    id="near-identity-expands",
    title=(
        "If $|U_1 - u_1| <= s_1 |u_1| + s_2 |u_2|$, and with $s_3$, $s_4$ for $U_2$, $|U_1| + "
        "|U_2|$ is at least $(1 - s_1 - s_3) |u_1|$ plus $(1 - s_2 - s_4) |u_2|$"
    ),
    statement=Ge(
        Abs(U1) + Abs(U2), (1 - s1 - s3) * Abs(u1) + (1 - s2 - s4) * Abs(u2), evaluate=False
    ),
    source="Appendix B.9",
    hypotheses=[
        Le(Abs(U1 - u1), s1 * Abs(u1) + s2 * Abs(u2)),
        Le(Abs(U2 - u2), s3 * Abs(u1) + s4 * Abs(u2)),
    ],
)


@expands.proof
def _(goal):
    """Each coordinate moves by as much as it did, less what the map adds."""
    first, second = (s1 * Abs(u1) + s2 * Abs(u2)), (s3 * Abs(u1) + s4 * Abs(u2))
    return (
        chain(goal.lhs)
        .ge(
            Abs(u1) - first + Abs(U2),
            by=lemma("near-identity-apart", u_1=u1, u_2=U1, U_1=first),
        )
        .ge(goal.rhs, by=lemma("near-identity-apart", u_1=u2, u_2=U2, U_1=second))
    )

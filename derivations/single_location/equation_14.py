"""The step sizes of equations (14)."""

from sympy import And, Eq, Equivalent, Ge, Gt, Le, Lt, Rational, Symbol, exp, pi, sqrt

from slrsym.gaussian import erf_prime
from slrsym.papers.single_location.notation import alpha, d, gamma, kappa, lam, nu
from slrsym.papers.single_location.planar import R_kappa, R_nu, coordinate_after_step
from slrsym.proof import (
    Claim,
    InequalitiesOnBox,
    algebra,
    all_of,
    at,
    chain,
    having,
    lemma,
    never,
    only_at,
    sign,
    solution,
    solution_set,
    split_product,
)

# -- one coordinate ----------------------------------------------------------------------------

# A coordinate x with partial derivative y/alpha moves to G(x, y), by Lemma 7.
x, y = Symbol("x", real=True), Symbol("y", real=True)


def stretch(x):
    return 1 - x**2


def length(x, y):
    """Return the squared length of the tangent step, before the projection."""
    return sqrt(1 + y**2 * stretch(x))


def turn(x, y):
    """Return the factor that vanishes if a step overshoots and comes back to where it began."""
    return length(x, y) + 1 + x * y


factored = Claim(
    id="equation-14-step",
    title=(
        "The planar map changes a coordinate $x$ by $-y (1 - x^2)$ times a factor, where $y$ is "
        "$alpha$ times the slope of the risk in $x$"
    ),
    statement=Eq(
        coordinate_after_step(x, y / alpha) - x,
        -y * stretch(x) * turn(x, y) / (length(x, y) * (length(x, y) + 1)),
        evaluate=False,
    ),
    source="new",
    hypotheses=[Ge(x, -1), Le(x, 1)],
)


@factored.proof
def _(goal):
    """Both sides times the length."""
    return chain(goal.lhs).then(goal.rhs, by=algebra)


inside = [Gt(x, -1), Lt(x, 1)]
moderate = [Ge(y, -2), Le(y, 2)]

no_turn = Claim(
    id="equation-14-turn",
    title="$1 + x y + sqrt(1 + y^2 (1 - x^2)) > 0$ for $|x| < 1$ and $|y| <= 2$",
    statement=Gt(turn(x, y), 0),
    source="new",
    hypotheses=[*inside, *moderate],
)


@no_turn.proof
def _(goal):
    """The length is at least 1, and $|x y|$ less than 2."""
    return chain(goal.lhs).ge(2 + x * y, by=sign).gt(0, by=sign)


coordinate = Claim(
    id="equation-14",
    title=(
        "If $|y| <= 2$, where $y$ is $alpha$ times the slope, a step leaves a coordinate in "
        "$(-1, 1)$ fixed if and only if $y = 0$, which is (14)"
    ),
    statement=Equivalent(Eq(coordinate_after_step(x, y / alpha) - x, 0), Eq(y, 0)),
    source=(
        "Appendix A, after (14), if $alpha |R_kappa|$ and $alpha |R_nu|$, here $|y|$, are at most 2"
    ),
    compared_to_source=(
        "weaker: for $alpha max(|R_kappa|, |R_nu|) <= 2$; false for some longer steps"
    ),
    hypotheses=[*inside, *moderate],
)


@coordinate.proof
def _(goal):
    """No other factor of the step vanishes."""
    others = stretch(x) * turn(x, y) / (length(x, y) * (length(x, y) + 1))
    tree = split_product(
        coordinate_after_step(x, y / alpha) - x, only_at(-y, y, 0, then=solution()), never(others)
    )
    positive = chain(turn(x, y)).gt(0, by=lemma("equation-14-turn"))
    return having(positive, solution_set(goal, (y,), tree))


ends = Claim(
    id="equation-14-ends",
    title=(
        "At $x = -1$ and $x = 1$ every step of the planar map leaves $x$ fixed, and $y (1 - "
        "x^2) = 0$, its equation in (14), holds"
    ),
    statement=And(
        *(
            Eq(at(coordinate_after_step(x, y / alpha), {x: end}), end, evaluate=False)
            for end in (-1, 1)
        ),
        *(Eq(at(y * stretch(x), {x: end}), 0, evaluate=False) for end in (-1, 1)),
        evaluate=False,
    ),
    source="Appendix A, after (14)",
)


@ends.proof
def _(goal):
    """There the tangent gradient vanishes."""
    return all_of(*(chain(part.lhs).then(part.rhs, by=algebra) for part in goal.args))


# -- a step that is too long -------------------------------------------------------------------

# Where the first point is reflected onto itself: the angle of the step is twice that of x.
overshooting = -2 * x / (2 * x**2 - 1)

reflected = Claim(
    id="equation-14-overshoot",
    title=(
        "For $x$ in $(1/sqrt(2), 1)$, a step with $y = -2 x/(2 x^2 - 1)$, where $y$ is "
        "$alpha$ times the slope, leaves $x$ fixed"
    ),
    statement=And(
        Eq(coordinate_after_step(x, overshooting / alpha), x, evaluate=False),
        Lt(overshooting * stretch(x), 0, evaluate=False),
        evaluate=False,
    ),
    source="new",
    hypotheses=[Lt(x, 1), Gt(2 * x**2, 1), Gt(x, 0)],
)


@reflected.proof
def _(goal):
    """The step turns $x$, the cosine of an angle, to that of the opposite angle."""
    equal, less = sorted(goal.args, key=lambda part: isinstance(part, Lt))
    return all_of(
        chain(equal.lhs)
        .then((x - overshooting * stretch(x)) * (2 * x**2 - 1), by=algebra)
        .then(x, by=algebra),
        chain(less.lhs).lt(0, by=sign),
    )


# The step size for which this happens to kappa, at nu = 1.
slope = R_kappa(kappa, 1)
too_large = overshooting.subs(x, kappa) / slope

falls = Claim(
    id="equation-14-slope",
    title="On the edge $nu = 1$ the slope of the risk in $kappa$, in closed form, is negative",
    statement=Lt(slope, 0),
    source="Appendix B.8",
)


@falls.proof
def _(goal):
    """The error function stays below 1."""
    return chain(slope).lt(0, by=sign)


large = [Lt(kappa, 1), Gt(2 * kappa**2, 1), Gt(kappa, 0)]

counterexample = Claim(
    id="equation-14-counterexample",
    title="For a certain long step, the planar map has a fixed point at which $R_kappa (1 - "
    "kappa^2) = 0$, an equation of (14), fails",
    statement=And(
        Gt(too_large, 0, evaluate=False),
        Eq(coordinate_after_step(kappa, slope * too_large / alpha), kappa, evaluate=False),
        Eq(at(coordinate_after_step(nu, R_nu(kappa)), {nu: 1}), 1, evaluate=False),
        Lt(slope * (1 - kappa**2), 0, evaluate=False),
        evaluate=False,
    ),
    source="new; at $nu = 1$, with the step size that is the first term here",
    compared_to_source=(
        "false: for some long steps; the sentence of the paper has no bound on the step size"
    ),
    hypotheses=large,
)


@counterexample.proof
def _(goal):
    """For $kappa^2 > 1/2$ there is a step size that makes it overshoot that far."""
    negative = chain(slope).lt(0, by=lemma("equation-14-slope"))
    return having(
        negative,
        all_of(
            chain(too_large).gt(0, by=sign),
            chain(coordinate_after_step(kappa, slope * too_large / alpha)).then(
                kappa, by=lemma("equation-14-overshoot", x=kappa)
            ),
            chain(at(coordinate_after_step(nu, R_nu(kappa)), {nu: 1})).then(1, by=algebra),
            chain(slope * (1 - kappa**2)).lt(0, by=sign),
        ),
    )


# The last one is the cosine of 0.3, to ten digits.
seen = {d: 400, lam: "1/10", kappa: "9553364891/10000000000"}

in_numbers = too_large.subs(gamma, 1 / sqrt(2)).replace(
    erf_prime, lambda z: 2 / sqrt(pi) * exp(-(z**2))
)

number = Claim(
    id="equation-14-counterexample-number",
    title=(
        "For $d = 400$, $lambda = 0.1$, $gamma^2 = 1/2$ and $kappa = 0.9553364891$, near $cos "
        "0.3$, the counterexample to (14) has a step size of about 148.635"
    ),
    statement=And(
        Gt(in_numbers, Rational(1486345, 10000), evaluate=False),
        Lt(in_numbers, Rational(1486355, 10000), evaluate=False),
        evaluate=False,
    ),
    source="new",
)


@number.certified_by
def _():
    """Ball arithmetic."""
    return InequalitiesOnBox(seen)


# -- vectors -----------------------------------------------------------------------------------

# The squared length r of the tangent gradient in R^N: a step moves k by this much.
r = Symbol("r", nonnegative=True)
way = 2 - 2 / sqrt(1 + alpha**2 * r)

vectors = Claim(
    id="equation-14-vectors",
    title=(
        "The squared distance $2 - 2/sqrt(1 + alpha^2 r)$ that a step moves $k$ vanishes if and "
        "only if the squared length $r$ of the tangent gradient does"
    ),
    statement=Equivalent(Eq(way, 0), Eq(r, 0)),
    source=(
        "Appendix A, after (14), for $k$ and $v$ in the place of $kappa$ and $nu$; the distance is "
        "that of claim definition-1-moves, with the length of claim definition-1-length"
    ),
    compared_to_source="exact",
)


@vectors.proof
def _(goal):
    """The squared distance of a step is the tangent gradient's squared length times a factor."""
    root = sqrt(1 + alpha**2 * r)
    tree = split_product(
        way, only_at(r, r, 0, then=solution()), never(2 * alpha**2 / (root * (root + 1)))
    )
    return solution_set(goal, (r,), tree)

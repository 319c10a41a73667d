"""Flows written as a log has them, and one example of each theorem on flows, with its hypotheses.

They are written by hand from ``docs/reference/checker-dynamics.md``.
"""

from __future__ import annotations

from tests.checker import reference
from tests.checker.reference import terms

# --- terms -----------------------------------------------------------------


def n(p, q=1):
    return ["n", p, q]


def s(name, sort="R"):
    return ["s", name, sort]


ZERO, ONE, TWO, MINUS, HALF = n(0), n(1), n(2), n(-1), n(1, 2)
X, Y, Z, T = s("x"), s("y"), s("z"), s("t")
TIME = s("t", "R>=0")


def add(*parts):
    return ["+", *parts]


def mul(*parts):
    return ["*", *parts]


def neg(t):
    return ["*", MINUS, t]


def power(t, p, q=1):
    return ["^", p, q, t]


def fn(name, *parts):
    return ["f", name, *parts]


def lam(names, *bodies):
    return ["lam", names, list(bodies), []]


def line(*bodies):
    """A function of x."""
    return lam([X], *bodies)


def plane(*bodies):
    """A function of x and y."""
    return lam([X, Y], *bodies)


def timed(*bodies):
    """A function of a time t and x."""
    return lam([T, X], *bodies)


def flow(field, domain=None):
    """A flow, on the whole space unless a domain is given."""
    return ["tuple", ["text", "Flow"], field, domain or lam(field[1], ONE)]


def points(*members):
    return ["set", *(["tuple", *p] for p in members)]


def says(kind, *parts):
    return ["o", kind, *parts]


def slope(body, x):
    """The derivative of a term in one coordinate."""
    return ["d", [1], [x], [body], [x]]


def lt(a, b):
    return ["<", a, b]


def le(a, b):
    return ["<=", a, b]


def eq(a, b):
    return ["=", a, b]


def every(names, conditions, p):
    """The statement that p holds wherever the conditions do."""
    out = ["implies", ["and", *conditions], p]
    for x in reversed(names):
        out = ["forall", [x], [out], []]
    return out


def smooth(names, *bodies):
    return says("smooth", lam(names, *bodies), ["tuple", *names])


def node(data):
    return terms.read(data)


def key(data):
    return terms.key(node(data))


def prove(name, goal, values=()):
    return reference.prove("flow theorem", [], name, goal, list(values))


# --- one example of each schema --------------------------------------------

EVERYWHERE = lt(ZERO, ONE)
LOGISTIC = mul(X, add(ONE, neg(X)))
LOTKA = flow(plane(mul(X, add(ONE, neg(Y))), mul(Y, add(X, MINUS))))
DECAY = flow(line(neg(X)))
GROWTH = flow(line(X))
TURN = flow(plane(neg(Y), X))
RISE = flow(plane(add(ONE, power(Y, 2)), add(ONE, X)))
SADDLE = flow(plane(add(X, Y), neg(Y)), plane(add(TWO, X)))
FADING = flow(line(neg(X)), line(X))
BLOW_UP = flow(line(power(X, 2)), line(X))
ALL = line(ONE)
QUADRANT = plane(X, Y)
DISC = line(add(ONE, neg(power(X, 2))))
P = s("p", "R>0")
START = [TIME, Z]


def total(names, slopes, field):
    """The derivative along a field, from the derivatives in the coordinates."""
    return add(*(mul(slope(v, x), f) for x, v, f in zip(names, slopes, field, strict=True)))


def along(v, field, names=(X,)):
    return total(names, [v] * len(names), field)


EXAMPLES = {
    "flow-barrier": (
        says("RegionKept", RISE, QUADRANT),
        [ZERO],
        [
            every([X, Y], [EVERYWHERE], smooth([X, Y], add(ONE, power(Y, 2)), add(ONE, X), ONE)),
            every([X, Y], [EVERYWHERE], smooth([X, Y], X, Y)),
            *(
                every(
                    [X, Y],
                    [EVERYWHERE, le(ZERO, X), le(ZERO, Y), le(a, ZERO)],
                    lt(
                        ZERO,
                        add(
                            mul(slope(a, X), add(ONE, power(Y, 2))), mul(slope(a, Y), add(ONE, X))
                        ),
                    ),
                )
                for a in (X, Y)
            ),
        ],
        "picard-lindelof",
    ),
    "flow-cofactor": (
        says("RegionKept", LOTKA, QUADRANT),
        [lam([s("u"), s("v")], add(ONE, neg(s("v"))), add(s("u"), MINUS))],
        [
            every([X, Y], [EVERYWHERE], smooth([X, Y], *LOTKA[2][2], ONE)),
            every([X, Y], [EVERYWHERE], smooth([X, Y], X, add(ONE, neg(Y)))),
            every(
                [X, Y],
                [EVERYWHERE],
                le(mul(add(ONE, neg(Y)), X), along(X, LOTKA[2][2], (X, Y))),
            ),
            every([X, Y], [EVERYWHERE, le(ZERO, X)], smooth([X, Y], Y, add(X, MINUS))),
            every(
                [X, Y],
                [EVERYWHERE, le(ZERO, X)],
                le(mul(add(X, MINUS), Y), along(Y, LOTKA[2][2], (X, Y))),
            ),
        ],
        "picard-lindelof mean-value-theorem bolzano-weierstrass",
    ),
    "flow-gronwall": (
        says("DecaysAlong", DECAY, ALL, line(power(X, 2)), TWO),
        [],
        [
            says("RegionKept", DECAY, ALL),
            every([X], [EVERYWHERE, le(ZERO, ONE)], smooth([X], power(X, 2))),
            every(
                [X],
                [EVERYWHERE, le(ZERO, ONE)],
                le(add(add(mul(slope(power(X, 2), X), neg(X))), mul(TWO, power(X, 2))), ZERO),
            ),
            eq(TWO, TWO),
        ],
        "picard-lindelof mean-value-theorem",
    ),
    "flow-for-ever": (
        says("LastsForEver", flow(line(X), line(add(X, ONE))), line(X)),
        [line(power(X, 2)), n(-2), timed(mul(add(ONE, X), fn("exp", T))), timed(P)],
        [
            says("RegionKept", flow(line(X), line(add(X, ONE))), line(X)),
            says(
                "DecaysAlong", flow(line(X), line(add(X, ONE))), line(X), line(power(X, 2)), n(-2)
            ),
            le(n(-2), ZERO),
            every(
                [X, Z, TIME],
                [
                    lt(ZERO, add(Z, ONE)),
                    le(ZERO, Z),
                    le(mul(MINUS, mul(add(ONE, Z), fn("exp", TIME))), X),
                    le(X, mul(add(ONE, Z), fn("exp", TIME))),
                ],
                smooth([X], add(X, ONE)),
            ),
            every(
                [X, Z, TIME],
                [
                    lt(ZERO, add(Z, ONE)),
                    le(ZERO, Z),
                    lt(ZERO, add(X, ONE)),
                    le(ZERO, X),
                    le(
                        power(X, 2),
                        mul(fn("abs", power(Z, 2)), fn("exp", mul(MINUS, n(-2), TIME))),
                    ),
                ],
                [
                    "and",
                    lt(ZERO, P),
                    le(mul(MINUS, mul(add(ONE, Z), fn("exp", TIME))), X),
                    le(X, mul(add(ONE, Z), fn("exp", TIME))),
                    le(P, add(X, ONE)),
                ],
            ),
        ],
        "picard-lindelof maximal-solutions-leave-compact-sets bolzano-weierstrass",
    ),
    "flow-lasalle": (
        says("FlowLimitsSolve", DECAY, DISC, line(X)),
        [line(power(X, 2)), ONE, TWO],
        [
            says("RegionKept", DECAY, DISC),
            every([X], [le(mul(MINUS, TWO), X), le(X, TWO)], smooth([X], DISC[2][0])),
            every(
                [X],
                [le(ZERO, DISC[2][0])],
                ["and", EVERYWHERE, le(mul(MINUS, TWO), X), le(X, TWO)],
            ),
            every([X], [EVERYWHERE, le(ZERO, DISC[2][0])], smooth([X], power(X, 2))),
            every(
                [X],
                [EVERYWHERE, le(ZERO, DISC[2][0])],
                le(add(power(X, 2), mul(ONE, add(mul(slope(power(X, 2), X), neg(X))))), ZERO),
            ),
            lt(ZERO, ONE),
        ],
        "picard-lindelof maximal-solutions-leave-compact-sets mean-value-theorem "
        "monotone-convergence bolzano-weierstrass",
    ),
    "flow-limit": (
        says("FlowsConvergeTo", flow(line(LOGISTIC)), line(add(X, neg(HALF))), points([ONE])),
        [line(LOGISTIC), ["tuple", ["tuple", ZERO, ZERO]]],
        [
            says(
                "FlowLimitsSolve", flow(line(LOGISTIC)), line(add(X, neg(HALF))), line(LOGISTIC)
            ),
            lt(add(ZERO, neg(HALF)), ZERO),
            every(
                [X],
                [EVERYWHERE, le(ZERO, add(X, neg(HALF)))],
                [
                    "implies",
                    ["and", eq(LOGISTIC, ZERO)],
                    ["or", ["and", eq(X, ONE)], ["and", eq(X, ZERO)]],
                ],
            ),
        ],
        "bolzano-weierstrass intermediate-value-theorem",
    ),
    "flow-solution": (
        says("SolvedBy", FADING, line(add(X, ONE)), timed(mul(X, fn("exp", neg(T))))),
        [],
        [
            every([X], [lt(ZERO, X)], smooth([X], neg(X), X)),
            every(
                [X],
                [lt(ZERO, X), le(ZERO, add(X, ONE))],
                eq(mul(X, fn("exp", neg(ZERO))), X),
            ),
            every(
                [X, TIME],
                [lt(ZERO, X), le(ZERO, add(X, ONE))],
                eq(
                    ["d", [1], [s("s")], [mul(X, fn("exp", neg(s("s"))))], [TIME]],
                    neg(mul(X, fn("exp", neg(TIME)))),
                ),
            ),
            every(
                [X, TIME],
                [lt(ZERO, X), le(ZERO, add(X, ONE))],
                lt(ZERO, mul(X, fn("exp", neg(TIME)))),
            ),
        ],
        "picard-lindelof",
    ),
    "flow-time": (
        says("ArrivesAt", FADING, ["tuple", P, ONE], fn("log", P)),
        [MINUS, line(neg(power(X, -1)))],
        [
            every([X], [lt(ZERO, X)], smooth([X], neg(X), X)),
            le(ONE, P),
            every([X], [le(ONE, X), le(X, P)], ["and", lt(ZERO, X), lt(neg(X), ZERO)]),
            every([X], [le(ONE, X), le(X, P)], eq(mul(neg(X), neg(power(X, -1))), ONE)),
            eq(fn("log", P), ["int", [X], [neg(power(X, -1))], [P, ONE]]),
        ],
        "picard-lindelof fundamental-theorem-of-calculus inverse-function-theorem "
        "mean-value-theorem intermediate-value-theorem",
    ),
    "flow-ends": (
        says("EndsBy", BLOW_UP, ALL, line(power(X, -1))),
        [],
        [
            says("RegionKept", BLOW_UP, ALL),
            every([X], [lt(ZERO, X), le(ZERO, ONE)], smooth([X], power(X, -1))),
            every([X], [lt(ZERO, X), le(ZERO, ONE)], le(ZERO, power(X, -1))),
            every(
                [X],
                [lt(ZERO, X), le(ZERO, ONE)],
                le(add(add(mul(slope(power(X, -1), X), power(X, 2))), ONE), ZERO),
            ),
        ],
        "picard-lindelof mean-value-theorem",
    ),
    "flow-center-stable": (
        says("NullFlowStarts", SADDLE, points([ZERO, ZERO])),
        [["tuple", ONE, ONE, ZERO, MINUS], ONE],
        [
            every([X, Y], [lt(ZERO, add(TWO, X))], smooth([X, Y], add(X, Y), neg(Y), add(TWO, X))),
            lt(ZERO, add(TWO, ZERO)),
            eq(add(ZERO, ZERO), ZERO),
            eq(neg(ZERO), ZERO),
            eq(["d", [1, 0], [X, Y], [add(X, Y)], [ZERO, ZERO]], ONE),
            eq(["d", [0, 1], [X, Y], [add(X, Y)], [ZERO, ZERO]], ONE),
            eq(["d", [1, 0], [X, Y], [neg(Y)], [ZERO, ZERO]], ZERO),
            eq(["d", [0, 1], [X, Y], [neg(Y)], [ZERO, ZERO]], MINUS),
            eq(
                add(
                    mul(ONE, add(ONE, neg(ONE)), add(MINUS, neg(ONE))),
                    mul(MINUS, ONE, ZERO),
                ),
                ZERO,
            ),
            lt(ZERO, ONE),
        ],
        "picard-lindelof variational-equation center-stable-manifold null-sets-unions "
        "null-sets-images null-sets-discs",
    ),
}  # fmt: skip

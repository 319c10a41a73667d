"""Theorems on flows in proofs: one true claim by each, and what they do not believe."""

from __future__ import annotations

import pytest
import sympy as sp
from sympy import (
    Eq,
    Equivalent,
    Gt,
    Integer,
    Integral,
    Lt,
    Or,
    Rational,
    S,
    Symbol,
    Tuple,
    exp,
    sqrt,
    symbols,
)

from slrsym.checker.extensions.dynamics import FLOW_SCHEMAS
from slrsym.proof import (
    Claim,
    D,
    Ledger,
    ProofError,
    algebra,
    all_of,
    at,
    chain,
    differentiate,
    fundamental_theorem,
    having,
    lemma,
    only_at,
    signs,
    solution,
    solution_set,
    split_product,
)
from slrsym.prover.rules import theorems
from slrsym.prover.rules.theorems import by_theorem, names_of_theorems
from slrsym.prover.statements.flows import flow
from slrsym.prover.statements.trajectories import (
    ArrivesAt,
    ConstantAlong,
    DecaysAlong,
    EndsBy,
    FlowLimitsSolve,
    FlowsConvergeTo,
    LastsForEver,
    NullFlowStarts,
    RegionKept,
    SolvedBy,
)
from tests._profile import thorough

x, y, z = symbols("x y z", real=True)
a, delta = symbols("a delta", positive=True)
t = Symbol("t", nonnegative=True)

LOGISTIC = flow({x: x * (1 - x)})
UNIT = LOGISTIC.region(x, 1 - x)
ABOVE = LOGISTIC.region(1 - x, x - delta)
BLOWUP = flow({x: x**2})
FROM_ONE = BLOWUP.region(x - 1)
DECAY = flow({x: -a * x})
SADDLE = flow({x: 2 * x + y, y: x - 2 * y})
SPRING = flow({x: y, y: -x})
RIGHT, LEFT = flow({x: S.One}), flow({x: S.NegativeOne})
ROOT = flow({x: -sqrt(x)}, [x])


def cofactor(goal, *factors):
    """Show that a region is kept, with the cofactors of its functions."""
    f, values = goal.map, goal.region.expr
    rises = {
        f"rises_{i}": chain(k * v).le(f.rate_of(v), by=differentiate)
        for i, (k, v) in enumerate(zip(factors, values, strict=True), start=1)
    }
    return by_theorem(goal, "flow-cofactor", {"cofactors": f.function(*factors)}, **rises)


def whole(f):
    """Show that trajectories stay in the domain."""
    return cofactor(RegionKept(f, f.region()), S.Zero)


def unit_kept(goal):
    return cofactor(goal, 1 - x, -x)


def above_kept(goal):
    """Both functions rise where they are 0, or divide their velocity."""
    top = cofactor(RegionKept(LOGISTIC, LOGISTIC.region(1 - x)), -x)
    rises = having(
        chain(x).le(delta, by=signs).lt(1, by=signs),
        chain(1 - x).gt(0, by=signs),
        chain(LOGISTIC.rate_of(x - delta)).then(x * (1 - x), by=differentiate).gt(0, by=signs),
    )
    return by_theorem(goal, "flow-barrier", {"first": 1}, first=top, rises_2=rises)


def limits(goal, kept):
    """The field is minus the slope of x^3/3 - x^2/2."""
    v = x**3 / 3 - x**2 / 2
    falls = chain(4 * x**2 * (1 - x) ** 2 + 4 * LOGISTIC.rate_of(v)).then(0, by=differentiate)
    return by_theorem(
        goal, "flow-lasalle", {"function": LOGISTIC.function(v), "factor": 4, "bound": 1},
        kept=kept, falls=falls.le(0, by=signs),
        bounded=all_of(chain(x).ge(-1, by=signs), chain(x).le(1, by=signs)),
    )  # fmt: skip


ZEROS = Equivalent(Eq(2 * x * (1 - x), 0, evaluate=False), Or(Eq(x, 0), Eq(x, 1)), evaluate=False)


def zeros_proof(goal):
    """The field is 0 at 0 and 1 alone."""
    tree = split_product(
        2 * x * (1 - x),
        only_at(2 * x, x, 0, then=solution()),
        only_at(1 - x, x, 1, then=solution()),
    )
    return solution_set(goal, (x,), tree)


def from_one_kept(goal):
    return cofactor(goal, S.Zero)


def solved(goal):
    u = x * exp(-a * t)
    moves = chain(D(u, t)).then(at(-a * x, {x: u}), by=differentiate)
    return by_theorem(goal, "flow-solution", {"time": t}, moves_1=moves)


ROOT_OF_FIVE = sqrt(5)


def linear_matrix(goal, matrix=((2, 1), (1, -2)), eigenvalue=ROOT_OF_FIVE):
    """Its eigenvalues are the roots of 5."""
    values = {"matrix": matrix, "eigenvalue": eigenvalue}
    needs = theorems._theorems()["flow-center-stable"].needs(
        goal, matrix=tuple(map(tuple, matrix)), eigenvalue=sp.sympify(eigenvalue)
    )
    proofs = {
        name: chain(h.statement.lhs).then(h.statement.rhs, by=differentiate)
        for name, h in needs.hypotheses.items() if isinstance(h.statement, sp.Eq)
    }  # fmt: skip
    positive = chain(needs.hypotheses["positive"].statement.lhs).gt(0, by=signs)
    return by_theorem(goal, "flow-center-stable", values, positive=positive, **proofs)


def for_ever(goal):
    """The square of x grows at the rate of 2 at most."""
    f = goal.map
    square = f.function(x**2)
    decays = by_theorem(
        DecaysAlong(f, goal.region, square, -2), "flow-gronwall", kept=whole(f),
        decays=chain(f.rate_of(x**2) - 2 * x**2).then(0, by=differentiate).le(0, by=signs),
    )  # fmt: skip
    bound = z**2 * exp(2 * t) + 1
    upper = chain(bound - x).then(bound - 1 - x**2 + (x - Rational(1, 2)) ** 2 + Rational(3, 4),
                                  by=algebra).ge(0, by=signs)  # fmt: skip
    lower = chain(bound + x).then(bound - 1 - x**2 + (x + Rational(1, 2)) ** 2 + Rational(3, 4),
                                  by=algebra).ge(0, by=signs)  # fmt: skip
    inside = having(upper, lower, all_of(
        chain(Integer(1)).gt(0, by=signs), chain(x).ge(-bound, by=signs),
        chain(x).le(bound, by=signs), chain(Integer(1)).ge(1, by=signs)))  # fmt: skip
    values = {"function": square, "rate": -2, "bound": f.solution(t, bound).xreplace({x: z}),
              "least": f.solution(t, 1), "start": (z,), "time": t}  # fmt: skip
    return by_theorem(goal, "flow-for-ever", values, kept=whole(f), decays=decays, bounded=inside)


EXPONENTIAL = flow({x: x})
PROVED = {
    "barrier": (RegionKept(LOGISTIC, ABOVE), above_kept, [Lt(delta, 1)]),
    "cofactor": (RegionKept(LOGISTIC, UNIT), unit_kept, ()),
    "conserved": (
        ConstantAlong(SPRING, SPRING.region(), SPRING.function(x**2 + y**2)),
        lambda goal: by_theorem(
            goal, "flow-gronwall", kept=whole(SPRING),
            constant=chain(SPRING.rate_of(x**2 + y**2)).then(0, by=differentiate)), ()),
    "decays": (
        DecaysAlong(DECAY, DECAY.region(), DECAY.function(x**2), 2 * a),
        lambda goal: by_theorem(
            goal, "flow-gronwall", kept=whole(DECAY),
            decays=chain(DECAY.rate_of(x**2) + 2 * a * x**2).then(0, by=differentiate)
            .le(0, by=signs)), ()),
    "for-ever": (LastsForEver(EXPONENTIAL, EXPONENTIAL.region()), for_ever, ()),
    "lasalle": (
        FlowLimitsSolve(LOGISTIC, UNIT, LOGISTIC.function(2 * x * (1 - x))),
        lambda goal: limits(goal, unit_kept(RegionKept(LOGISTIC, UNIT))), ()),
    "limit": (
        FlowsConvergeTo(LOGISTIC, ABOVE, LOGISTIC.points((1,))),
        lambda goal: by_theorem(
            goal, "flow-limit",
            {"equations": LOGISTIC.function(2 * x * (1 - x)), "outside": ((0, 1),)},
            limits=limits(FlowLimitsSolve(LOGISTIC, ABOVE, LOGISTIC.function(2 * x * (1 - x))),
                          above_kept(RegionKept(LOGISTIC, ABOVE))),
            outside_1=chain(-delta).lt(0, by=signs), solutions=lemma("zeros")), [Lt(delta, 1)]),
    "solution": (SolvedBy(DECAY, DECAY.region(), DECAY.solution(t, x * exp(-a * t))), solved, ()),
    "time": (
        ArrivesAt(flow({x: exp(x)}), Tuple(a, 2 * a), exp(-a) - exp(-2 * a)),
        lambda goal: by_theorem(
            goal, "flow-time", {"direction": 1, "reciprocal": goal.map.function(exp(-x))},
            order=chain(a).le(2 * a, by=signs), pushes=chain(exp(x)).gt(0, by=signs),
            reciprocal=chain(exp(x) * exp(-x)).then(1, by=algebra),
            time=chain(Integral(exp(-x), (x, a, 2 * a))).then(
                goal.time, by=fundamental_theorem(-exp(-x), x))), ()),
    "ends": (
        EndsBy(BLOWUP, FROM_ONE, BLOWUP.function(1 / x)),
        lambda goal: by_theorem(
            goal, "flow-ends", kept=from_one_kept(RegionKept(BLOWUP, FROM_ONE)),
            nonnegative=having(chain(x).gt(0, by=signs), chain(1 / x).ge(0, by=signs)),
            falls=having(
                chain(x).gt(0, by=signs),
                chain(BLOWUP.rate_of(1 / x) + 1).then(0, by=differentiate).le(0, by=signs))), ()),
    "center-stable": (
        NullFlowStarts(SADDLE, SADDLE.points((0, 0))), linear_matrix, ()),
}  # fmt: skip


def row_of(statement, prove, given=()):
    claim, zeros = Claim("mine", statement, "test", hypotheses=given), Claim("zeros", ZEROS, "test")
    claim.proof(prove)
    zeros.proof(zeros_proof)
    uses = statement.func is FlowsConvergeTo
    rows = Ledger({"mine": claim, **({"zeros": zeros} if uses else {})}).verify()
    return next(row for row in rows if row.id == "mine")


# Left to ci. What is proved here of `limit` is so on the page on flows, too.
SLOW = {"limit", "pole-by-a-barrier", "saddle-left-out", "root", "no-eigenvalue"}
# The schema of each, where it has another name.
SCHEMA = {"conserved": "flow-gronwall", "decays": "flow-gronwall"}


def test_each_theorem_proves_a_claim():
    assert {SCHEMA.get(name, f"flow-{name}") for name in PROVED} == FLOW_SCHEMAS.keys()
    assert FLOW_SCHEMAS.keys() <= set(names_of_theorems())


@pytest.mark.parametrize("name", [thorough(n) if n in SLOW else n for n in PROVED])
def test_a_true_claim_is_proved_by_each_theorem(name):
    row = row_of(*PROVED[name])
    assert row.status == "proved", row.error
    assert {"extension dynamics", f"theorem {SCHEMA.get(name, f'flow-{name}')}"} <= {*row.axioms}


def rises(f, value, by=signs):
    return chain(S.Zero).le(f.rate_of(value), by=by)


def unproved_limit(goal):
    """Without a bound of the region."""
    f = goal.map
    return by_theorem(
        goal, "flow-lasalle", {"function": f.function(exp(-x)), "factor": 1, "bound": 1},
        kept=cofactor(RegionKept(f, f.region(x)), S.Zero),
        falls=chain(exp(-x / 2) ** 2 + f.rate_of(exp(-x))).then(0, by=differentiate)
        .le(0, by=signs),
    )  # fmt: skip


# What a user gives is true in each; the theorem asks for what is not.
REFUSED = {
    "pole": (
        RegionKept(LEFT, LEFT.region(1 / x)),
        lambda goal: by_theorem(goal, "flow-cofactor", {"cofactors": LEFT.function(0)},
                                rises_1=rises(LEFT, 1 / x)), (), ""),
    "pole-by-a-barrier": (
        RegionKept(LEFT, LEFT.region(1 / x)),
        lambda goal: by_theorem(goal, "flow-barrier", {"first": 0},
                                rises_1=chain(LEFT.rate_of(1 / x)).gt(0, by=signs)), (), ""),
    "degenerate-region": (
        RegionKept(RIGHT, RIGHT.region(-(x**2))),
        lambda goal: by_theorem(goal, "flow-cofactor", {"cofactors": RIGHT.function(0)},
                                rises_1=rises(RIGHT, -(x**2), differentiate)), (), ""),
    "blow-up": (
        SolvedBy(BLOWUP, BLOWUP.region(x), BLOWUP.solution(t, x / (1 - x * t))),
        lambda goal: by_theorem(
            goal, "flow-solution", {"time": t},
            moves_1=chain(D(x / (1 - x * t), t)).then(at(x**2, {x: x / (1 - x * t)}),
                                                      by=differentiate)), (), ""),
    "root": (
        SolvedBy(ROOT, ROOT.region(x), ROOT.solution(t, (sqrt(x) - t / 2) ** 2)),
        lambda goal: by_theorem(
            goal, "flow-solution", {"time": t},
            moves_1=chain(D((sqrt(x) - t / 2) ** 2, t)).then(-(sqrt(x) - t / 2),
                                                             by=differentiate)), (), ""),
    "not-compact": (
        FlowLimitsSolve(RIGHT, RIGHT.region(x), RIGHT.function(exp(-x / 2))), unproved_limit, (),
        "undecided|could not decide"),
    "saddle-left-out": (
        FlowsConvergeTo(LOGISTIC, UNIT, LOGISTIC.points((1,))),
        lambda goal: by_theorem(
            goal, "flow-limit",
            {"equations": LOGISTIC.function(2 * x * (1 - x)), "outside": ((0, 0),)},
            limits=limits(FlowLimitsSolve(LOGISTIC, UNIT, LOGISTIC.function(2 * x * (1 - x))),
                          unit_kept(RegionKept(LOGISTIC, UNIT))),
            outside_1=chain(Integer(0)).lt(0, by=signs), solutions=lemma("zeros")), (), "0 < 0"),
    "no-eigenvalue": (
        NullFlowStarts(SADDLE, SADDLE.points((0, 0))),
        lambda goal: linear_matrix(goal, eigenvalue=2), (), "eigenvalue"),
    "another-matrix": (
        NullFlowStarts(SADDLE, SADDLE.points((0, 0))),
        lambda goal: linear_matrix(goal, ((2, 1), (1, 2)), 3), (), "entry_22"),
    "stable": (
        NullFlowStarts(SADDLE, SADDLE.points((0, 0))),
        lambda goal: linear_matrix(goal, eigenvalue=-sqrt(5)), (), "positive"),
}  # fmt: skip


@pytest.mark.parametrize("name", [thorough(n) if n in SLOW else n for n in REFUSED])
def test_what_is_not_shown_is_refused(name):
    statement, prove, given, why = REFUSED[name]
    row = row_of(statement, prove, given)
    assert row.status == "failed"
    assert any(part in row.error for part in why.split("|"))


def test_what_trajectories_do_is_no_hypothesis():
    """Otherwise a claim could suppose what contradicts itself."""
    with pytest.raises(ProofError, match="is proved and not supposed"):
        Claim("mine", Gt(x**2, -1, evaluate=False), "test",
              hypotheses=[RegionKept(RIGHT, RIGHT.region(-x))])  # fmt: skip


WRONG = [
    (RegionKept(LOGISTIC, UNIT), "flow-gronwall", {}, "shows DecaysAlong or ConstantAlong"),
    (RegionKept(LOGISTIC, UNIT), "flow-barrier", {"first": 2}, "an integer from 0 to 1"),
    (RegionKept(LOGISTIC, UNIT), "flow-cofactor", {"cofactors": LOGISTIC.function(x)},
     "must have 2 values"),
    (RegionKept(LOGISTIC, UNIT), "flow-cofactor", {"cofactors": x}, "must be a Lambda"),
    (LastsForEver(LOGISTIC, UNIT), "flow-for-ever",
     {"function": LOGISTIC.function(x), "rate": 0, "bound": x, "least": 1, "start": (x,),
      "time": t}, "start must be of symbols"),
    (LastsForEver(LOGISTIC, UNIT), "flow-for-ever",
     {"function": LOGISTIC.function(x), "rate": 0, "bound": x, "least": 1, "start": (z,),
      "time": y}, "time must be a symbol declared nonnegative"),
    (FlowsConvergeTo(LOGISTIC, UNIT, LOGISTIC.points((1,))), "flow-limit",
     {"equations": LOGISTIC.function(x), "outside": ((0,),)}, "a point outside must be"),
    (NullFlowStarts(SADDLE, SADDLE.points((0, 0), (1, 1))), "flow-center-stable",
     {"matrix": ((1, 0), (0, 1)), "eigenvalue": 1}, "about one point"),
    (NullFlowStarts(SADDLE, SADDLE.points((0, 0))), "flow-center-stable",
     {"matrix": ((1, 0),), "eigenvalue": 1}, "matrix must be 2 rows"),
    (SolvedBy(DECAY, DECAY.region(), DECAY.solution(t, x)), "flow-solution", {"time": y},
     "declared nonnegative"),
    (ArrivesAt(DECAY, Tuple(1, 2), 1), "flow-time",
     {"direction": 0, "reciprocal": DECAY.function(x)}, "direction must be 1 or -1"),
]  # fmt: skip


@pytest.mark.parametrize(("goal", "name", "values", "why"), WRONG, ids=range(len(WRONG)))
def test_theorems_do_not_take_everything(goal, name, values, why):
    row = row_of(goal, lambda goal: by_theorem(goal, name, values))
    assert row.status == "failed"
    assert why in row.error

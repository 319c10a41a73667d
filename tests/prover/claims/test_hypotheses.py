"""Hypotheses that exclude one another, or that nobody can try: each is said wherever one looks."""

import json
import re

import pytest
from numpy.random import default_rng
from sympy import (  # isort: split
    Abs,
    And,
    Eq,
    Function,
    Ge,
    Gt,
    Implies,
    IndexedBase,
    Le,
    Lt,
    Max,
    Ne,
    Or,
    Piecewise,
    Rational,
    Sum,
    Symbol,
    cos,
    erf,
    exp,
    factorial,
    log,
    pi,
    sign,
    sin,
    sqrt,
    symbols,
)

from slrsym.proof import (
    Bounded,
    Claim,
    Convex,
    D,
    ForAll,
    Increasing,
    Lipschitz,
    PolyakLojasiewicz,
    Smooth,
)
from slrsym.prover.claims.hypotheses import check_hypotheses
from tests._cli import run
from tests._profile import THOROUGH, more

x, y, z, t, bound = symbols("x y z t L", real=True)
p = Symbol("p", positive=True)
s = Symbol("s", nonnegative=True)
k, n = symbols("k n", integer=True, nonnegative=True)
positive = Function("positive", positive=True)
f, m, u = (Function(name, real=True) for name in "fmu")
a = IndexedBase("a", real=True)

# No values satisfy them, and a few of their instances show it.
CONTRADICTORY = {
    "any-value-equals-y": [ForAll(x, Eq(x, y))],
    "two-recursions": [ForAll(n, Eq(a[n + 1], a[n] + 1)), ForAll(n, Eq(a[n + 1], a[n] - 1))],
    "recursion-and-values": [ForAll(n, Eq(a[n + 1], 2 * a[n])), Eq(a[0], 1), Eq(a[3], 7)],
    "entries-far-apart": [ForAll(n, Eq(a[n + 1], a[n])), Eq(a[0], 0), Eq(a[7], 1)],
    "two-steps": [ForAll(n, Eq(a[n + 2], a[n + 1] + a[n])), Eq(a[0], 0), Eq(a[1], 1), Eq(a[9], 35)],
    "two-definitions": [ForAll(x, Eq(f(x), x)), ForAll(x, Eq(f(x), x + 1))],
    "two-flows": [ForAll(t, Eq(D(m(t), t), m(t))), ForAll(t, Eq(D(m(t), t), m(t) + 1))],
    "value-and-sign": [ForAll(x, Gt(f(x), 0)), Lt(f(0), -1)],
    "flow-of-two-signs": [ForAll(t, Gt(D(m(t), t), 1)), ForAll(t, Lt(D(m(t), t), 0))],
    "odd-and-positive": [ForAll(x, Eq(f(-x), -f(x))), ForAll(x, Gt(f(x), 0))],
    "two-bounds": [x > 1, x < 0],
    "end-left-out": [Ge(x, 1), Lt(x, 1)],
    "declared-positive": [Lt(p, 0, evaluate=False)],
    "equal-to-a-positive-one": [Eq(x, p), Le(x, 0)],
    "two-sums": [Eq(x + y, 1), Eq(x + y, 2)],
    "bounds-of-equals": [Eq(x, y), Gt(x, 1), Lt(y, 0)],
    "square-below-zero": [Lt(x**2 + y**2, -1, evaluate=False)],
    "root-of-minus-one": [Eq(x**2, -1, evaluate=False)],
    "exponential-of-two": [Eq(x, 2), Lt(exp(x), 1)],
    "circle-of-equations": [Eq(x, y + 1), Eq(y, z), Eq(z, x)],
    "positive-and-odd": [ForAll(x, Eq(positive(x), x))],
    # Some function satisfies them, and none that is smooth and of moderate growth.
    "smooth-sign": [ForAll(x, Eq(x * f(x), Abs(x)))],
    "bent": [ForAll(x, Eq(f(x), Max(x - y, 0)))],
    "bent-in-the-second-derivative": [ForAll(x, Eq(f(x), x * Abs(x)))],
    "slope-that-jumps": [ForAll(x, Eq(D(f(x), x), sign(x) + x))],
    "two-functions": [ForAll(x, Eq(f(x) ** 2 + sin(m(x)), Piecewise((x, x < 1), (1, True))))],
    "root-at-the-edge": [ForAll(s, Eq(f(s), sqrt(s)))],
    "without-a-limit": [ForAll(p, Eq(f(p), log(p)))],
    "too-large": [ForAll(x, Eq(f(x), exp(p * x**2)))],
    "above-what-is-too-large": [ForAll(x, And(Ge(f(x), exp(x**4)), Le(f(x), y)))],
}
# Nothing shows that they exclude one another, and no values or functions are found.
NOT_FOUND = {
    "blow-up": [ForAll(t, Eq(D(m(t), t), m(t) ** 2)), Eq(m(0), 1)],
    "bound-of-all-numbers": [ForAll(x, Ge(y, x))],
    "circle-of-order": [x > y, y > x],
    "below-and-above-pi": [x > pi, x < 3],
    "entry-too-far": [ForAll(n, Eq(a[n + 1], a[n])), Eq(a[0], 0), Eq(a[500], 1)],
    "any-entry": [ForAll(n, Eq(a[n + 1], a[n])), Eq(a[0], 0), Eq(a[k], 1)],
    # True of some entries, of which each is another number.
    "two-sums-of-entries": [Eq(Sum(a[k], (k, 0, 1)), 1), Eq(Sum(a[k] ** 2, (k, 0, 1)), 1)],
    "falls-for-ever": [ForAll(n, Lt(a[n + 1], a[n] - 1)), ForAll(n, Gt(a[n], 0))],
    "cosine-of-two": [Eq(cos(x), 2)],
    "one-of-two": [Or(x > 1, x < -1), Lt(x**2, 1)],
    # True, but by less than any number of digits shows.
    "far-out-below-one": [Eq(x, 10**6), Lt(erf(x) ** 2, 1)],
    "all-below-one": [ForAll(x, Lt(erf(x), 1))],
    # Their values far out have too many digits.
    "above-a-power": [ForAll(x, Gt(f(x), 2**x))],
    "above-factorials": [ForAll(n, Gt(f(n), factorial(n)))],
    "functional-equation": [ForAll(x, Eq(f(x + 1), f(x) + exp(x) * sin(x)))],
}
_SLOW = {
    "below-and-above-pi", "cosine-of-two", "one-of-two", "functional-equation", "blow-up",
    "circle-of-order", "above-a-power", "above-factorials", "all-below-one",
}  # fmt: skip
TRIED = {
    "definition": [ForAll(x, Eq(f(x), y * x)), y > -1, y < 1],
    "bound": [ForAll(x, Le(f(x), bound))],
    "recursion": [ForAll(n, Eq(a[n + 1], a[n] / 2)), a[0] > 0],
    "recursion-by-a-function": [ForAll(n, Eq(a[n + 1], erf(a[n]))), ForAll(n, Gt(a[n], 0))],
    "two-steps": [ForAll(n, Eq(a[n + 2], a[n + 1] + a[n])), Eq(a[0], 0), Eq(a[1], 1), Eq(a[9], 34)],
    "odd": [ForAll(x, Eq(f(-x), -f(x)))],
    "values": [x > 1, Ne(y, 0), Lt(x * y, 1)],
    "on-a-part": [ForAll(x, Implies(x > 0, Gt(x + y, 0)))],
    "below-a-power": [ForAll(n, Le(f(n), Rational(1, 2) ** n))],
    "harmonic-numbers": [ForAll(n, Eq(f(n), Sum(1 / (z + 1) ** 2, (z, 0, n))))],
    "small": [Le(x**2 + y**2, Rational(1, 100))],
    # Smooth, though made of what is not; on a part of the line; or of other functions of f.
    "absolute-squared": [ForAll(x, Eq(f(x), Abs(x) ** 4))],
    "never-bent": [ForAll(x, Eq(f(x), sqrt(1 + x**2)))],
    "bent-outside": [ForAll(s, Eq(f(s), Abs(s + 1)))],
    "of-integers": [ForAll(n, Eq(f(n), Abs(n - 3)))],
    "square-root-of-f": [ForAll(x, Eq(Abs(f(x)), Abs(x)))],
    "large-only-below": [ForAll(x, Le(f(x), exp(x**2)))],
    "logarithm-of-f": [ForAll(x, Eq(exp(f(x)), exp(x**2)))],
    "exponential": [ForAll(x, Eq(f(x), x**4 * exp(3 * x)))],
}


def _claim(id, hypotheses):
    statement = Eq(y * (y + 1), y**2 + y, evaluate=False)
    return Claim(id=id, statement=statement, source="test", hypotheses=hypotheses)


@pytest.mark.parametrize("id", CONTRADICTORY)
def test_what_instances_contradict_is_shown(id):
    claim = _claim(id, CONTRADICTORY[id])
    found = check_hypotheses(claim, default_rng(0))
    assert "its hypotheses cannot hold, so that it says nothing: no " in found.contradiction
    assert len(found.not_tried) == len(CONTRADICTORY[id])


@pytest.mark.parametrize("id", NOT_FOUND)
def test_what_no_values_satisfy_is_not_tried(id):
    claim = _claim(id, NOT_FOUND[id])
    found = check_hypotheses(claim, default_rng(0))
    assert found.contradiction == ""
    assert len(found.not_tried) == len(NOT_FOUND[id])
    assert re.search(r"hypotheses not tried: \d.* \(no (functions and )?values were f", found.note)


def test_it_is_said_that_entries_follow_by_recursion():
    """Of coupled sequences with thresholds, no entries are guessed that satisfy all."""
    k, v = IndexedBase("k", real=True), IndexedBase("v", real=True)
    t = Symbol("t", integer=True, nonnegative=True)
    coupled = [
        ForAll(t, Eq(k[t + 1], (k[t] + v[t] / 3) / sqrt(1 + v[t] ** 2))),
        ForAll(t, Eq(v[t + 1], v[t] + k[t] / 7)),
        Gt(k[5], 3),
        Lt(v[9], x - 10),
    ]
    note = check_hypotheses(_claim("coupled", coupled), default_rng(0)).note
    assert note == (
        "hypotheses not tried: 4 of 4 (no values were found that satisfy all hypotheses: entries "
        "of k and v follow by recursion)"
    )


@pytest.mark.parametrize("id", TRIED)
def test_what_values_satisfy_is_tried(id):
    found = check_hypotheses(_claim(id, TRIED[id]), default_rng(0))
    assert (found.contradiction, found.note) == ("", "")


def test_what_a_step_compares_with_numbers_is_tried():
    never = _claim("never", NOT_FOUND["circle-of-order"])
    assert check_hypotheses(never, default_rng(0), is_compared=True).note == ""
    quantified = _claim("quantified", NOT_FOUND["bound-of-all-numbers"])
    assert check_hypotheses(quantified, default_rng(0), is_compared=True).note


@pytest.mark.parametrize(
    ("hypotheses", "supposed"),
    [
        ([ForAll(t, Eq(D(m(t), t), -m(t)))], "equation for all t: m"),
        ([ForAll(t, Implies(t <= 1, Eq(D(m(t), t), 2)))], "equation for all t: m"),
        ([ForAll(x, ForAll(t, Eq(D(f(x, t), t), 0)))], "equation for all x, t: f"),
        ([ForAll(t, Le(D(m(t) * u(t), t), 1))], "inequality for all t: m, u"),
        ([ForAll(t, Ge(D(m(t), t) * D(m(t), t, t), 1))], "inequality for all t: m"),
        ([PolyakLojasiewicz(f, 1, 0)], "inequality for all x: f"),
        (
            [ForAll(t, Eq(D(m(t), t), m(t))), PolyakLojasiewicz(f, 1, 0), Convex(u)],
            "equation and inequality for all t: m and for all x: f",
        ),
    ],
)
def test_a_solution_of_a_differential_relation_is_supposed(hypotheses, supposed):
    found = check_hypotheses(_claim("solution", hypotheses), default_rng(0))
    assert found.supposes == f"supposes a solution of a differential {supposed}"
    assert found.note.startswith(found.supposes)


@pytest.mark.parametrize(
    "hypothesis", [Convex(f), Convex(f, 1), Lipschitz(f, 2), Smooth(f, 2), Increasing(f),
                   ForAll(x, Le(D(f(x), x) ** 2, 1 + x**2)), Bounded(f, 1)],
)  # fmt: skip
def test_a_bound_of_one_derivative_supposes_no_solution(hypothesis):
    assert check_hypotheses(_claim("class", [hypothesis]), default_rng(0)).note == ""


def test_a_flow_to_a_limit_is_tried():
    # SymPy does not find out whether 1 is erf(10^6)^2, one of the functions that are tried.
    flow = [ForAll(t, Eq(D(m(t), t), 1 - m(t) ** 2)), Eq(m(0), 0)]
    found = check_hypotheses(_claim("flow", flow), default_rng(0))
    assert found.note == found.supposes != ""


def test_a_derivative_in_another_variable_is_no_flow():
    given = [ForAll(x, Le(f(x), D(m(t), t)))]
    assert check_hypotheses(_claim("no-flow", given), default_rng(0)).supposes == ""


_FILE = """
from sympy import *
from slrsym.proof import Claim, D, ForAll, algebra, chain
from tests.prover.claims.test_hypotheses import {table}, _claim

for id, given in {table}.items():
    @_claim(id, given).proof
    def _(goal):
        return chain(goal.lhs).then(goal.rhs, by=algebra)
"""


@more
@pytest.mark.parametrize("table", ["CONTRADICTORY", "NOT_FOUND"])
def test_row_summary_and_json_say_it(tmp_path, monkeypatch, table):
    hypotheses = globals()[table]
    if not THOROUGH:  # of those that no values satisfy, numbers are looked for at length
        hypotheses = {id: given for id, given in hypotheses.items() if id not in _SLOW}
        monkeypatch.setitem(globals(), table, hypotheses)
    (tmp_path / "mine.py").write_text(_FILE.format(table=table), encoding="utf-8")
    to = tmp_path / "rows.json"
    found = run("verify", tmp_path, "--workers", 1, "--json", to)
    rows = {row["id"]: row for row in json.loads(to.read_text(encoding="utf-8"))}
    assert rows.keys() == hypotheses.keys()
    count = sum(map(len, hypotheses.values()))
    assert f"? hypotheses not tried: {count}" in found.stdout
    for id, row in rows.items():
        assert len(row["hypotheses_not_tried"]) == len(hypotheses[id]) == len(row["hypotheses"])
        status = re.search(rf"^\s*{id} .* {row['status']} \?", found.stdout, re.MULTILINE)
        assert status, found.stdout
        assert f"\n{id}: {row['hypotheses_note']}" in found.stdout
    failed = table == "CONTRADICTORY"
    assert all(row["status"] == "failed" for row in rows.values()) or not failed
    assert {"proved"} <= {row["status"] for row in rows.values()} or failed

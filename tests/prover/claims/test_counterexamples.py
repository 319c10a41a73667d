"""Where a refused claim fails: values, functions, sequences and trajectories, and none where none.

Each counterexample is read from its text, and tried again by other means.
"""

import itertools
import re
from pathlib import Path

import pytest
import sympy as sp
from numpy.random import default_rng
from sympy import (
    Eq,
    Function,
    Ge,
    Gt,
    IndexedBase,
    Le,
    Lt,
    Rational,
    Sum,
    Symbol,
    cos,
    exp,
    sin,
    sqrt,
    symbols,
)

from slrsym.gaussian import Expectation, GaussianLaw, standard_normal
from slrsym.proof import Bounded, Claim, Convex, D, ForAll, Lipschitz, Smooth, algebra, chain, signs
from slrsym.prover.claims import counterexamples
from slrsym.prover.claims.check import check_claim
from slrsym.prover.claims.counterexamples import evaluations_of_point, find_counterexample
from slrsym.prover.claims.ledger import load_claims
from slrsym.prover.claims.satisfying_values import choices_of_functions
from tests._profile import one_in

x, y, a = symbols("x y a", real=True)
p, s, L, h = symbols("p s L h", positive=True)
t = Symbol("t", nonnegative=True)
i = Symbol("i", integer=True)
n = Symbol("n", integer=True, nonnegative=True)
f, g, m = (Function(name, real=True) for name in "fgm")
e, d = IndexedBase("e", real=True), IndexedBase("d", real=True)
G = Symbol("G", real=True)

PAGES = Path(__file__).parents[3] / "docs" / "how-to"
OF_PAGES = [
    claim
    for name in ("lemmas*.py", "textbook.py", "flows.py")
    for file in sorted(PAGES.glob(name))
    for claim in load_claims(file)
]


def E(integrand):
    return Expectation(integrand, standard_normal(G))


def found_for(statement, hypotheses=()):
    claim = Claim(id="it", statement=statement, hypotheses=hypotheses, source="test")
    return find_counterexample(claim, default_rng(0))


def values_in(text):
    """Return what a counterexample says of each letter, as expressions."""
    said = re.search(r"fails at (.*?): ", text)[1]
    pairs = re.findall(r"([\w()\[\]]+) = (.*?)(?=, [\w()\[\]]+ = |$)", said)
    return {name: sp.sympify(value) for name, value in pairs}


# Not so for all values, though the end of a range, or half of them, satisfy it.
PLAIN = {
    "negative values": (Le(x**2, x, evaluate=False), ()),
    "an end": (Lt(sqrt(p), p, evaluate=False), [p >= 1]),
    "a mean": (Le(E(cos(a * G)) ** 2, a**2, evaluate=False), ()),
}


@pytest.mark.parametrize("id", PLAIN)
def test_values(id):
    statement, given = PLAIN[id]
    text = found_for(statement, given)
    assert "as far as they were tried" not in text
    at = values_in(text)
    put = {z: at[z.name] for z in statement.free_symbols}
    numbers = [float(side.subs(put).doit()) for side in statement.args]
    assert not statement.func(*numbers)


FUNCTIONS = {
    "half of the bound": (Le(f(x) ** 2, L**2 / 2), [Bounded(f, L)]),
    "a smaller constant": (
        Le(f(y), f(x) + D(f(x), x) * (y - x) + L * (y - x) ** 2 / 3),
        [Smooth(f, L)],
    ),
    "a steep function": (Le((f(x) - f(y)) ** 2, L * (x - y) ** 2), [Lipschitz(f, L)]),
    "not strictly": (Gt(f(x) + f(y), 2 * f((x + y) / 2)), [Convex(f)]),
    "of one that is defined": (Ge(f(x), 0), [ForAll(x, Eq(f(x), x**2 + a))]),
}


@pytest.mark.parametrize("id", FUNCTIONS)
def test_functions(id):
    statement, given = FUNCTIONS[id]
    text = found_for(statement, given)
    assert text.endswith(", where its hypotheses hold as far as they were tried")
    at = values_in(text)
    body = at.get("f(x)", x**2 + at.get("a", 0)).subs({"x": x})

    def put_into(said):
        said = said.subs({f: sp.Lambda(x, body)}).doit()
        return said.subs({z: at[z.name] for z in said.free_symbols if z.name in at})

    numbers = [float(put_into(side)) for side in statement.args]
    assert not statement.func(*numbers)
    # A bound is tried at other values than where functions were.
    for value in (Rational(1, 7), -3, 5):
        for part in put_into(given[0].instantiate(a)).atoms(sp.Rel):
            assert part.subs(a, value) == sp.true


def test_functions_are_as_declared():
    positive = Function("f", positive=True)
    choices = choices_of_functions([positive], {positive: 1}, default_rng(0))
    chosen = {choice[positive](x) for choice in choices}
    assert {exp(x), sp.S.One} < chosen
    assert not {x, sp.S.Zero, sp.S.NegativeOne} & chosen
    assert found_for(Gt(positive(x), 0, evaluate=False), [ForAll(y, Le(positive(y), L))]) == ""


SEQUENCES = {
    "growth": (Le(e[n], (1 + h / 2) ** n * e[0]), [ForAll(i, Le(e[i + 1], (1 + h) * e[i]))]),
    "equality": (Eq(e[n], e[0] + n + 1), [ForAll(i, Eq(e[i + 1], e[i] + 1))]),
    "sums": (
        Le(e[n] + 2 * Sum(d[i], (i, 0, n - 1)), e[0]),
        [ForAll(i, Le(e[i + 1], e[i] - d[i])), ForAll(i, Ge(d[i], 0))],
    ),
    "turned": (Le(e[n], e[0]), [ForAll(i, Ge(e[i] + 1, e[i + 1]))]),
    "with a start": (Lt(e[n], 1), [ForAll(i, Eq(e[i + 1], e[i] / 2)), Eq(e[0], 1)]),
}


@pytest.mark.parametrize("id", SEQUENCES)
def test_sequences(id):
    statement, given = SEQUENCES[id]
    text = found_for(statement, given)
    assert text.endswith(", where its hypotheses hold as far as they were tried")
    at = values_in(text)

    def number(side):
        side = side.subs({z: at[z.name] for z in side.free_symbols if z.name in at}).doit()
        return float(side.xreplace({entry: at[str(entry)] for entry in side.atoms(sp.Indexed)}))

    assert not statement.func(*map(number, statement.args))
    known = {int(re.search(r"e\[(\d+)\]", name)[1]) for name in at if name.startswith("e[")}
    for k in sorted(known)[:-1]:
        relation = given[0].instantiate(sp.Integer(k))
        assert relation.func(*map(number, relation.args))


def test_a_start_that_no_sequence_continues_is_no_counterexample():
    """A first decrement so large that the next entry is negative obeys all that is said of it."""
    falls = [ForAll(n, Le(e[n + 1], e[n] - d[n])), ForAll(n, Ge(e[n], 0))]
    assert found_for(Le(d[0], e[0]), falls) == ""
    assert "d[0] = " in found_for(Le(2 * d[0], e[0]), falls)


TRAJECTORIES = {
    "decay": (Eq(m(t), m(0) * exp(-p * t)), [ForAll(t, Eq(D(m(t), t), -2 * p * m(t)))]),
    "a pair": (
        Eq(f(t) ** 2 + g(t) ** 2, 2 * f(0) ** 2 + g(0) ** 2),
        [ForAll(t, Eq(D(f(t), t), g(t))), ForAll(t, Eq(D(g(t), t), -f(t)))],
    ),
    "a slope": (
        Le(D(m(t) ** 2, t), m(t)),
        [ForAll(t, Eq(D(m(t), t), sin(m(t)) + 2)), ForAll(t, Gt(m(t), 0))],
    ),
    "a start": (Lt(m(t), 1), [ForAll(t, Eq(D(m(t), t), m(t))), Eq(m(0), 1)]),
}


@pytest.mark.parametrize("id", TRAJECTORIES)
def test_trajectories(id):
    statement, given = TRAJECTORIES[id]
    text = found_for(statement, given)
    assert text.endswith(", where its hypotheses hold as far as they were tried")
    assert re.search(r"fails at .*[fm]\(0\) = ", text)
    left, right = map(float, re.search(r": (\S+) against (\S+),", text).groups())
    assert not statement.func(left, right)
    at = values_in(text)
    if id == "decay":
        assert left == pytest.approx(float(at["m(0)"] * exp(-2 * at["p"] * at["t"])))
    if id == "a pair":
        assert left == pytest.approx(float(at["f(0)"] ** 2 + at["g(0)"] ** 2))
    if id == "a start":
        assert at["m(0)"] == 1


def pair_of_kinks():
    U, W = symbols("U W", real=True)
    law = GaussianLaw({U: 0, W: 0}, [[1, a], [a, 1]])
    return Expectation(sp.Max(U, 0) * sp.Max(W, 0), law)


@pytest.mark.parametrize(
    ("statement", "given", "most"),
    [
        pytest.param(Ge(x**2 + 1, 2 * x, evaluate=False), [], 150, id="short"),
        pytest.param(Le(E(cos(a * G)), 1, evaluate=False), [], 75, id="mean"),
        pytest.param(Ge(pair_of_kinks(), 0, evaluate=False), [a > -1, a < 1], 10, id="pair"),
        pytest.param(Le(f(x) ** 2, L**2), [Bounded(f, L)], 150, id="functions"),
    ],
)
def test_what_is_tried_is_counted_on_no_clock(monkeypatch, statement, given, most):
    tried = []

    def where_it_fails(*of):
        tried.append(of)
        return ""

    # A machine on which seconds are short.
    clock = itertools.count(0, 100)
    monkeypatch.setattr(counterexamples, "process_time", clock.__next__, raising=False)
    monkeypatch.setattr(counterexamples, "_where_it_fails", where_it_fails)
    assert found_for(statement, given) == ""
    assert most // 2 <= len(tried) <= most


def test_longer_statements_are_tried_less_often():
    wide = Ge(sp.Add(*(cos(k * x) for k in range(2, 600))), x, evaluate=False)
    assert evaluations_of_point(Ge(x, 0, evaluate=False)) == 1
    assert evaluations_of_point(wide) > 3


def test_trajectories_that_end_tell_nothing():
    blow_up = [ForAll(t, Eq(D(m(t), t), m(t) ** 2)), Gt(m(0), 0)]
    assert found_for(Ge(m(t), m(0)), blow_up) == ""


@pytest.mark.parametrize("claim", one_in(12, OF_PAGES, in_ci=4), ids=lambda claim: claim.id)
def test_true_statements_have_none(claim):
    assert find_counterexample(claim, default_rng(3)) == ""


def test_a_verdict_tells_it():
    slow = ForAll(i, Le(e[i + 1], e[i]))
    claim = Claim(id="it", statement=Lt(e[n], e[0]), hypotheses=[slow], source="test")
    claim.proof(lambda goal: chain(e[n]).lt(e[0], by=signs))
    verdict = check_claim(claim, {}.__getitem__)
    assert not verdict.accepted
    assert verdict.failure.startswith("step 1 [sign] is refused: ")
    assert f"; {verdict.counterexample}" in verdict.failure
    assert verdict.counterexample.startswith("the claim fails at e[0] = ")


def test_a_step_that_numbers_contradict_is_enough():
    claim = Claim(id="it", statement=Eq(x, x + 1, evaluate=False), source="test")
    claim.proof(lambda goal: chain(x).then(x + 1, by=algebra))
    verdict = check_claim(claim, {}.__getitem__)
    assert "contradicted numerically" in verdict.failure
    assert verdict.counterexample == ""

"""Samples of expectations agree with what is true, refute what is not, and say what they cannot."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from scipy.stats import norm
from sympy import (
    Abs,
    And,
    Derivative,
    Eq,
    Function,
    Ge,
    Gt,
    Heaviside,
    I,
    Indexed,
    IndexedBase,
    Integer,
    Integral,
    Le,
    Lt,
    Max,
    Ne,
    Piecewise,
    Product,
    Rational,
    S,
    Subs,
    Sum,
    Symbol,
    asin,
    besselj,
    cos,
    erf,
    exp,
    oo,
    pi,
    sqrt,
    symbols,
)

from slrsym.cli import terminal_output
from slrsym.crosscheck.montecarlo import (
    CONFIRMING,
    NOTICEABLE,
    _digits,
    check_relations_by_sampling,
)
from slrsym.crosscheck.samples import (
    IndefiniteCovariance,
    NotSampled,
    SampleEvaluator,
    sample_average,
)
from slrsym.gaussian import (
    Expectation,
    GaussianLaw,
    IIDSum,
    NoiseLaw,
    OwensT,
    ProductLaw,
    erf_prime,
    erf_second,
    normal_cdf,
    normal_pdf,
    standard_normal,
    zeta,
)
from slrsym.gaussian.law import Law
from slrsym.proof import Claim, ClaimSummary, Ledger, algebra, chain, check_claim, lemma
from slrsym.prover.claims import check
from slrsym.prover.rules.step import Rule
from tests._cli import run

G, H, X, Y, W = (Symbol(name, real=True) for name in "GHXYW")
t, r, x = (Symbol(name, real=True) for name in "trx")
gamma, s, p = (Symbol(name, positive=True) for name in ("gamma", "s", "p"))
n = Symbol("n", integer=True, nonnegative=True)
f, g = Function("f"), Function("g")
A, B = sqrt(1 + 2 * gamma**2), sqrt(1 + 4 * gamma**2)
u = t + gamma * G


def E(f):
    return Expectation(f, standard_normal(G))


def sampled(statement, *given, seed=0):
    return check_relations_by_sampling(statement, given, (seed,))


def one(statement, *given, seed=0):
    (found,) = sampled(statement, *given, seed=seed)
    return found


def equal(lhs, rhs):
    return Eq(lhs, rhs, evaluate=False)


# -- what is true ------------------------------------------------------------------------------


LAW = GaussianLaw({X: t, Y: 0}, [[1, r], [r, 1]])
NOISE = NoiseLaw(W, s**2)
COPIES = IIDSum(H, standard_normal(H), n)
w = IndexedBase("w", positive=True)
j = Symbol("j", integer=True)

TRUE = {
    "correlated": (equal(Expectation(X * Y, LAW), r), (r < 1, r > -1)),
    "degenerate": (equal(Expectation(X * Y, GaussianLaw({X: 0, Y: 0}, [[4, -2], [-2, 1]])), S(-2)),
                   ()),
    "noise": (equal(Expectation(W**2 + W, NOISE), s**2), ()),
    "product": (equal(Expectation((G + W) ** 2, ProductLaw(standard_normal(G), NOISE)), 1 + s**2),
                ()),
    "copies": (equal(E((IIDSum(H**2, standard_normal(H), n) + G) ** 2), n**2 + 2 * n + 1), ()),
    # Equal sums are one random variable.
    "equal copies": (equal(E(G * COPIES**2 - COPIES), 0), ()),
    "zeta": (equal(E(erf(u) ** 2), zeta(t, gamma)), ()),
    "Owen": (equal(E(erf(u) ** 2), 1 - 8 * OwensT(sqrt(2) * t / A, 1 / B)), ()),
    "bells": (equal(E(erf_second(u) + erf_prime(u)), (1 - 2 * t / A**2) * erf_prime(t / A) / A),
              ()),
    "functions": (equal(E(f(G) * G), E(Derivative(f(G), G))), ()),
    "square of an expectation": (equal(E(G + t) ** 2 + E(G**2), t**2 + 1), ()),
    "branches": (equal(E(Piecewise((G, G > 0), (0, True)) + Max(G, 0) + Abs(G)), 4 / sqrt(2 * pi)),
                 ()),
    "step": (equal(E(Heaviside(G)), Rational(1, 2)), ()),
    "weights": (equal(Sum(Indexed(w, j) * E(G**2), (j, 1, 3)) / Sum(Indexed(w, j), (j, 1, 3)), 1),
                ()),
    "product of expectations": (equal(Product(E(G**2) + j, (j, 1, 2)), S(6)), ()),
    "less": (Le(E(erf(u) ** 2), 1), ()),
    "greater": (Gt(E(erf(u) ** 2), -1), ()),
    # Both sides the same: no more than half of all samples are on the wrong side.
    "equal and less": (Le(E(G**2), 1), ()),
}  # fmt: skip


@pytest.mark.parametrize("name", TRUE)
def test_what_is_true(name):
    statement, given = TRUE[name]
    for seed in range(3):
        found = one(statement, *given, seed=seed)
        assert not found.refusal
        assert not found.contradiction
        assert found.stderr > 0
        assert found.off < NOTICEABLE
        assert f"z = {found.z:+.2f}" in str(found)
        inequality = name in ("less", "greater")
        assert (" on the right side" in str(found)) == inequality or name == "equal and less"


@pytest.mark.parametrize(
    ("size", "error", "shown"), [(1234.5, 1e-5, 10), (0.5, 0.03, 3), (7.0, 9.0, 2), (0.0, 1.0, 2)]
)
def test_two_digits_of_the_error_are_shown(size, error, shown):
    assert _digits(size, error) == shown


def test_conjunctions_fall_into_relations():
    both = And(equal(E(G**2), 1), equal(E(G**4), 3), equal(t**2, t * t))
    found = sampled(both)
    assert [item.statement for item in found] == ["E[G**2] = 1", "E[G**4] = 3"]
    assert not sampled(equal(t**2, t * t))
    assert found[0].z != found[1].z


def test_seeds_decide():
    statement = equal(E(erf(u)), erf(t / A))
    assert one(statement, seed=3) == one(statement, seed=3)
    assert one(statement, seed=3) != one(statement, seed=4)


def test_a_claim_of_both_sides_alike_has_two_samples():
    found = one(equal(E(f(G)), E(f(G))))
    assert found.lhs != found.rhs
    assert found.stderr > 0


# -- what is not -------------------------------------------------------------------------------

FALSE = {
    "no root of 2": equal(E(erf(u)), erf(t / sqrt(1 + gamma**2))),
    "factor": equal(E(erf_prime(u) ** 2), erf_prime(sqrt(2) * t / B) / B),
    "sign": equal(E(erf(u) * erf_prime(u)), -erf(t / (A * B)) * erf_prime(t / A) / A),
    "no half": equal(E(erf(gamma * G) ** 2), 2 / pi * asin(gamma**2 / (1 + 2 * gamma**2))),
    "Owen's four": equal(E(erf(u) ** 2), 1 - 4 * OwensT(sqrt(2) * t / A, 1 / B)),
    "Stein": equal(E(G**2 * f(G)), E(Derivative(f(G), G))),
    "copies": equal(E(IIDSum(f(G), standard_normal(G), n + 1) ** 2), (n + 1) * E(f(G) ** 2)),
    "noise is not normal": equal(Expectation(W**3, NOISE), 0),
    "correlation": equal(Expectation(X * Y, GaussianLaw({X: 0, Y: 0}, [[1, -1], [-1, 1]])), 1),
    "less": Lt(E(erf(u) ** 2), erf(t / A) ** 2),
    "greater": Ge(E(erf(u) ** 2), 1),
    "nothing random": equal(E(S(2)), 3),
    "zeta": equal(E(erf(u)), zeta(t, gamma)),
}


@pytest.mark.parametrize("name", FALSE)
def test_what_is_false(name):
    refuted = 0
    for seed in range(3):
        found = one(FALSE[name], seed=seed)
        assert not found.refusal
        if found.contradiction:
            refuted += 1
            assert found.off is None or found.off > CONFIRMING
            assert "contradicted by sampling: " in found.contradiction
            assert " against " in found.contradiction
    # A point may lie where the sides hardly differ.
    assert refuted >= 2


class Anything(Rule):
    """Accepts whatever it is given."""

    name = "anything"

    def check(self, link, context):
        """Nothing is refused."""


def wrong_claim():
    claim = Claim("it", equal(E(erf(u)), erf(t / sqrt(1 + gamma**2))), "test")
    claim.proof(lambda goal: chain(goal.lhs).then(goal.rhs, by=Anything()))
    return claim


def test_samples_alone_refute_a_claim(monkeypatch):
    # A rule that accepts everything, and a numerical check that finds nothing.
    monkeypatch.setattr(
        check, "check_step_numerically", lambda step, seed, points, bench: (30, "", "")
    )
    ledger = Ledger({"it": wrong_claim()})
    found = check_claim(ledger.find("it"), ledger.find)
    assert all(report.accepted for report in found.reports)
    assert not found.accepted
    (item,) = found.monte_carlo
    assert found.failure.startswith(item.contradiction)
    assert "it says E[erf(G*gamma + t)] = " in found.failure
    shown = re.search(r"sampling: (\S+) against (\S+),", found.failure)
    assert [float(x) for x in shown.groups()] == pytest.approx([item.lhs, item.rhs], rel=0.01)
    (row,) = ledger.verify()
    assert (row.status, row.error) == ("failed", found.failure)
    (plain,) = row.as_dict()["monte_carlo"]
    assert plain["z"] == item.z
    assert json.loads(json.dumps(plain)) == plain
    # Without samples it would pass.
    monkeypatch.setattr(check, "check_by_sampling", lambda claim, seed: ())
    assert check_claim(ledger.find("it"), ledger.find).accepted


def test_a_sampling_that_breaks_is_no_evidence(monkeypatch):
    def broken(*_):
        raise ZeroDivisionError("no more")

    claim = Claim("it", equal(E(erf(u)), erf(t / A)), "test")
    claim.proof(lambda goal: chain(goal.lhs).then(goal.rhs, by=lemma("lemma-18-ii", gamma=gamma)))
    ledger = Ledger({"it": claim})
    assert check_claim(claim, ledger.find).accepted
    monkeypatch.setattr("slrsym.crosscheck.montecarlo.check_relations_by_sampling", broken)
    found = check_claim(claim, ledger.find)
    assert not found.accepted
    assert found.failure.startswith("the sampling broke: ZeroDivisionError: no more")


# -- how it decides ----------------------------------------------------------------------------


def test_what_is_noticeable_is_looked_at_again(monkeypatch):
    statement = equal(E(erf(u)), erf(t / A))
    first = one(statement)
    monkeypatch.setattr("slrsym.crosscheck.montecarlo.NOTICEABLE", 0.0)
    second = one(statement)
    assert second.samples == 16 * first.samples
    assert second.point == first.point
    assert second.stderr == pytest.approx(first.stderr / 4, rel=0.1)
    assert not second.contradiction


def test_a_false_alarm_is_less_likely_than_one_in_a_million():
    # For ten thousand statements, far more than the ledger has.
    both = (2 * norm.sf(NOTICEABLE)) * (2 * norm.sf(CONFIRMING))
    assert 10_000 * both < 1e-6


def test_points_at_which_nothing_is_random_are_passed_over():
    # For n = 0 both sides are zero, whatever the law.
    statement = equal(E(COPIES), 0)
    found = [one(statement, seed=seed) for seed in range(12)]
    assert all(item.stderr > 0 for item in found)
    assert any(item.tried > 1 and "passed over" in str(item) for item in found)
    # Where there is no other, it is said as it is.
    constant = one(equal(E(S(2)), 2))
    assert (constant.stderr, constant.z, constant.contradiction) == (0, 0, "")


def test_a_variable_that_does_not_vary_has_no_spread_to_meet():
    fixed, other = symbols("fixed other", real=True)
    law = GaussianLaw({fixed: 0, other: 0}, [[0, 0], [0, 1]])
    found = one(equal(Expectation(cos(fixed), law) + Expectation(other**2, law), 2))
    assert (found.refusal, found.contradiction) == ("", "")
    assert found.stderr > 0


def test_samples_of_a_chunk_and_of_many_have_one_law():
    rng = np.random.default_rng(1)
    found = sample_average(E(G**2), SampleEvaluator({}, lambda node, at: None), rng, 100_001)
    assert abs(found.mean - 1) < 4 * found.stderr
    assert found.stderr == pytest.approx(sqrt(2 / 100_001.0), rel=0.05)
    assert 0 < found.largest_share < 0.01


# -- what it cannot ----------------------------------------------------------------------------


k = Symbol("k", integer=True)


@pytest.mark.parametrize(
    ("expr", "said"),
    [
        (x + 1, "x has no value"),
        (Sum(j * k, (j, 1, 2), (k, 1, 2)), "has more than one index"),
        (Sum(j, (j, 1, 20_000)), "has 20000 terms at this point"),
        (Sum(j, (j, 1, t)), "1.5 is not an integer"),
        (Indexed(w, 4), "w has no entry 4 at this point"),
        (Indexed(IndexedBase("q"), 1), r"q\[1\] has no value"),
        (Derivative(f(t), t), "is not elementary"),
    ],
)
def test_expressions_without_a_value(expr, said):
    at = SampleEvaluator({t: 1.5, w: (1.0, 2.0, 3.0)}, lambda node, at: None)
    with pytest.raises(NotSampled, match=said):
        at.value(expr)


def test_expressions_as_arrays():
    values = np.array([-1.0, 0.25, 2.0])
    at = SampleEvaluator({t: values, r: 0.5, w: (1.0, 2.0, 3.0)}, lambda node, at: None)
    for expr, expected in (
        (Piecewise((t**2, (t > 0) & (t < 1)), (r, ~(t < 0)), (S.Half, True)), [0.5, 0.0625, 0.5]),
        (Piecewise((1, (t > 1) | (t < 0)), (t, True)), [1, 0.25, 1]),
        (t**-2 + sqrt(r) * t**3, 1 / values**2 + np.sqrt(0.5) * values**3),
        (Sum(Indexed(w, j) * t**j, (j, 1, 3)), values + 2 * values**2 + 3 * values**3),
        (Derivative(t**3, t), 3 * values**2),
        (Max(t, r), [0.5, 0.5, 2]),
        (normal_cdf(t) - (1 + erf(t / sqrt(2))) / 2, np.zeros(3)),
        (normal_pdf(t) - Derivative(normal_cdf(t), t), np.zeros(3)),
        (erf_second(t) - Derivative(erf_prime(t), t), np.zeros(3)),
        (erf_prime(t) - 2 / sqrt(pi) * exp(-(t**2)), np.zeros(3)),
    ):
        assert at.value(expr) == pytest.approx(np.array(expected), abs=1e-14)


def test_laws_that_do_not_exist_at_a_point():
    at = SampleEvaluator({r: -1.5, t: 2.0}, lambda node, at: None)
    rng = np.random.default_rng(1)
    with pytest.raises(IndefiniteCovariance, match=r"the variance of W is -1\.5"):
        sample_average(Expectation(W, NoiseLaw(W, r)), at, rng, 10)
    with pytest.raises(IndefiniteCovariance, match=r"has -1.5 copies"):
        sample_average(E(IIDSum(H, standard_normal(H), r)), at, rng, 10)
    # No copies at all are a sum of nothing.
    none = sample_average(E(IIDSum(H, standard_normal(H), t - 2) + 1), at, rng, 10)
    assert (none.mean, none.stderr) == (1, 0)


def test_a_law_that_nobody_knows_how_to_sample():
    at = SampleEvaluator({}, lambda node, at: None)
    with pytest.raises(NotSampled, match="there is no way here to sample a Mystery"):
        sample_average(Expectation(G, Mystery()), at, np.random.default_rng(1), 10)
    law = GaussianLaw({X: 0, Y: 0}, [[1, r], [r, 1]])
    values = SampleEvaluator({r: 2.0}, lambda node, at: None)
    with pytest.raises(IndefiniteCovariance, match="not positive semidefinite"):
        sample_average(Expectation(X, law), values, np.random.default_rng(1), 10)


class Mystery(Law):
    """A law that nobody knows how to sample."""

    @property
    def symbols(self):
        return (G,)

    @property
    def parameters(self):
        return set()


REFUSED = {
    "infinite variance": (
        equal(E(exp(G**2 / 3)), sqrt(3)),
        "single values dominate the spread of the samples",
    ),
    "no mean": (equal(E(1 / G), 0), "single values dominate"),
    "never met": (equal(E(Piecewise((1, G > 9), (0, True))), 0), "all values are one"),
    "nested": (equal(E(G * Expectation(G * X, standard_normal(X))), 0), "inside of another"),
    "not equal": (Ne(E(G), 1), "only equalities and inequalities"),
    "unknown function": (equal(E(besselj(0, G) * t), t), "no way here to compute besselj"),
    "third derivative": (equal(Derivative(E(u**3), (t, 3)), E(6 + G)), "no first or second"),
    "under a mean": (equal(E(G * Derivative(E(u), t)), 0), "inside of another"),
    "integral": (equal(E(G**2), Integral(exp(-x), (x, 0, oo))), "no way here to compute Integral"),
    "complex": (equal(E(cos(G)), E(exp(I * G))), "is not a real number"),
    "no point": (equal(E(G + t), t), "no point"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_sampled_is_said(name, monkeypatch):
    monkeypatch.setattr("slrsym.crosscheck.points._TRIES", 50)
    statement, said = REFUSED[name]
    given = (Gt(t, 1), Lt(t, 0)) if name == "no point" else ()
    found = one(statement, *given)
    assert said in found.refusal
    assert str(found) == f"not sampled: {found.refusal}"
    assert (found.lhs, found.z, found.contradiction) == (None, None, "")


@pytest.mark.parametrize(("factor", "holds"), [(1, True), (3, False)])
@pytest.mark.parametrize("order", [1, 2])
def test_derivatives_of_expectations_are_sampled(order, factor, holds):
    # By differences, with the same random numbers: nothing is differentiated under the mean.
    slope = Subs(Derivative(f(x), (x, order)), x, u)
    sampled = one(equal(Derivative(E(f(u)), (t, order)), factor * E(slope)))
    assert not sampled.refusal
    assert bool(sampled.contradiction) != holds


def test_derivatives_in_a_variance_are_sampled():
    mean = Expectation(f(X), GaussianLaw({X: t}, [[r]]))
    found = one(equal(Derivative(mean, r), Derivative(mean, (t, 2)) / 2), Gt(r, 0))
    assert not found.refusal
    assert not found.contradiction


def test_what_is_not_sampled_is_no_reason_to_fail():
    claim = Claim("it", equal(E(exp(9 * G)) + t - t**2, t - t**2 + E(exp(9 * G))), "test")
    claim.proof(lambda goal: chain(goal.lhs).then(goal.rhs, by=algebra))
    found = check_claim(claim, Ledger({"it": claim}).find)
    assert found.accepted
    assert len(found.monte_carlo) == 1


# -- where it is shown -------------------------------------------------------------------------


def test_the_command_line_shows_it(tmp_path):
    file = tmp_path / "ledger.json"
    shown = run("verify", "--workers", "1", "--claim", "lemma-18-i", "-v", "--json", file).stdout
    assert "Monte Carlo  sampled" in shown
    assert "standard error" in shown
    assert "Monte Carlo: 1 statement on expectations sampled, off by" in shown
    (row,) = json.loads(file.read_text())
    (item,) = row["monte_carlo"]
    assert item["stderr"] > 0
    assert abs(item["z"]) < 4
    assert item["lhs"] == pytest.approx(item["rhs"], abs=5 * item["stderr"])


def test_what_was_not_sampled_is_shown():
    rows = [
        ClaimSummary("one", "", "", "proved", 1, 30, (), (), 0.1, "", (one(TRUE["less"][0]),)),
        ClaimSummary(
            "two", "", "", "proved", 1, 30, (), (), 0.1, "", (one(REFUSED["no mean"][0]),)
        ),
        ClaimSummary("three", "", "", "proved", 1, 30, (), (), 0.1, ""),
    ]
    shown = terminal_output.monte_carlo_summary(rows).plain.splitlines()
    assert shown[0] == (
        "Monte Carlo: 1 statement on expectations sampled, off by 0.00 standard errors at most; "
        "they would show an error of 0.1 % of the larger side, or more"
    )
    assert shown[1].startswith("not sampled: two: at each of 24 points single values dominate")
    assert len(shown) == 2
    assert terminal_output.monte_carlo_summary(rows[2:]) is None


def test_what_a_sample_sees():
    """An error of the size that is said is noticed in 97 of 100 samples; a third of it hardly."""
    moment = Expectation(G**2, standard_normal(G))
    sees = check_relations_by_sampling(equal(moment, 1), (), (0,))[0].sees
    assert 0.05 < sees < 0.09
    for part, low, high in ((1.0, 27, 30), (0.33, 0, 4)):
        wrong = equal(moment, 1 + Rational(round(1000 * part * sees), 1000))
        found = [check_relations_by_sampling(wrong, (), (seed,))[0] for seed in range(30)]
        assert low <= sum(bool(one.contradiction) for one in found) <= high


NEARLY = {
    "a second moment": (G**2, 1), "a fourth": (G**4, 3), "a mean": (G + 1, 1),
    "an absolute value": (Abs(G), sqrt(2 / pi)), "a sine": (cos(G), exp(-Rational(1, 2))),
    "an exponential": (exp(G), exp(Rational(1, 2))), "a maximum": (Max(G, 0), 1 / sqrt(2 * pi)),
    "a step": (Heaviside(G), Rational(1, 2)), "a square": ((1 + G) ** 2, 2),
    "a sigmoid": (erf(G) ** 2, 2 / pi * asin(Rational(2, 3))),
}  # fmt: skip


@pytest.mark.parametrize("name", NEARLY)
def test_what_is_false_by_little_passes_with_the_size_of_what_would_not(name):
    body, value = NEARLY[name]
    exact = one(equal(E(body), value))
    for part in (0.3, 0.6):
        error = Rational(round(10**6 * part * exact.sees), 10**6)
        found = one(equal(E(body), value + error))
        assert found.contradiction or (found.sees > error and "sees errors" in str(found))
    far = one(equal(E(body), value + Rational(round(10**6 * 3 * exact.sees), 10**6)))
    assert far.contradiction


def test_what_is_not_random_has_nothing_to_see():
    (one,) = check_relations_by_sampling(
        equal(Expectation(Integer(2), standard_normal(G)), 2), (), (0,)
    )
    assert one.sees is None
    assert "sees errors" not in str(one)

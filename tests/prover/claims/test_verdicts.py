"""What is said of a claim: its verdict from its steps, and its status from all it rests on."""

from __future__ import annotations

import pickle
from types import SimpleNamespace

import pytest
from sympy import And, Gt, Lt, Symbol, exp

from slrsym import ledger
from slrsym.crosscheck import Inconclusive, NoPointFound
from slrsym.crosscheck.montecarlo import MonteCarloCheck
from slrsym.jobs import Terminated
from slrsym.prover.claims.check import (
    CheckOptions,
    ClaimVerdict,
    StepReport,
    check_step_numerically,
    make_step_report,
    try_numerical_check,
)
from slrsym.prover.claims.claim import Trials
from slrsym.prover.claims.verification import (
    summarise_claim,
    transitive_dependencies,
    verify_claims,
)
from slrsym.prover.rules.lemmas import CITED
from slrsym.prover.statements.expressions import ForAll, ProofError
from slrsym.prover.statements.maps import box_map, lambda_of_coordinates
from slrsym.prover.statements.orbits import DecreasesAlong
from slrsym.prover.tactics.judgement import CheckerVerdict

x, y = (Symbol(name, real=True) for name in "xy")


def report(refusal="", contradiction="", example="", gives="", digits=None, rule="algebra"):
    return StepReport("2", rule, x < 1, digits, refusal, contradiction, example, gives)


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (report(), "step 2 [algebra]: x < 1"),
        (report("no"), "step 2 [algebra] is refused: no; it says x < 1"),
        (
            report("no", example="x = 1", digits=7, gives="y"),
            "step 2 [algebra] is refused: numbers agree to 7 digits; no proof was found: no; "
            "it says x < 1; the rule gives y",
        ),
        (
            report("no", example="x = 1"),
            "step 2 [algebra] is refused: it holds at random points; no proof was found: no; "
            "it says x < 1",
        ),
        # What numbers say comes first, and is enough.
        (
            report("no", "wrong", "x = 1", digits=7),
            "step 2 [algebra] is refused: wrong; it says x < 1",
        ),
        (report("", "wrong"), "step 2 [algebra] is refused: wrong; it says x < 1"),
    ],
)
def test_a_step_is_said_with_the_reason_against_it(made, said):
    assert str(made) == said
    assert made.accepted is ("refused" not in said)
    sent = pickle.loads(pickle.dumps(made))
    assert (sent.said, str(sent), sent.accepted) == ("x < 1", said, made.accepted)


ACCEPTED = report()


def verdict(id, *depends, reports=(ACCEPTED,), axioms=(), error="", samples=(), box="",
            trials=None):  # fmt: skip
    return ClaimVerdict(id, reports, depends, axioms, error, 0.0, samples, box, trials)


AGAINST = MonteCarloCheck("E[x] = 0", contradiction="1 against 0")
TRIED, FAILED = Trials(3, "cubes"), Trials(3, "cubes", ("27 is one",))
ON_BOX, ON_TRIALS = {"reports": (), "box": "0 < x < 1"}, {"reports": (), "trials": TRIED}
BY_CITATION = {"reports": (report(), report(rule=CITED))}
# Whatever the rule is called whose evidence takes it.
BY_AXIOM = {"reports": (report(), report(rule="mine")), "axioms": ("theorem conditional-risk",)}
TRUSTING = {"axioms": ("rule: mine", "rule: his", "induction")}
REFUSED = {"reports": (report(), report("no"), report("nor this"))}


@pytest.mark.parametrize(
    ("options", "failure", "digits"),
    [
        ({}, "", None),
        ({"reports": (report(digits=30), report(), report(digits=12))}, "", 12),
        (ON_BOX, "", None),
        (ON_TRIALS, "", None),
        (REFUSED, "step 2 [algebra] is refused: no; it says x < 1", None),
        ({"samples": (MonteCarloCheck("E[x] = 0"), AGAINST)},
         "1 against 0; it says E[x] = 0", None),
        ({**REFUSED, "samples": (AGAINST,)}, "step 2 [algebra] is refused: no; it says x < 1",
         None),
        ({**REFUSED, "error": "it broke"}, "it broke", None),
        ({"error": "it broke"}, "it broke", None),
        ({**ON_BOX, "error": "it broke"}, "it broke", None),
    ],
)  # fmt: skip
def test_a_claim_is_accepted_if_nothing_speaks_against_it(options, failure, digits):
    made = verdict("a", **options)
    assert (made.accepted, made.failure, made.digits) == (not failure, failure, digits)


def test_what_says_nothing_is_not_accepted():
    made = verdict("a", reports=())
    assert (made.accepted, made.failure) == (False, "")


@pytest.mark.parametrize(
    ("verdicts", "status", "error"),
    [
        ([verdict("a")], "proved", ""),
        ([verdict("a", "b"), verdict("b", "c"), verdict("c")], "proved", ""),
        ([verdict("a", reports=())], "unproved", "the proof has no steps"),
        ([verdict("a", "b", error="it broke"), verdict("b")], "failed", "it broke"),
        ([verdict("a", samples=(AGAINST,))], "failed", "1 against 0; it says E[x] = 0"),
        # A claim in a circle, by the shortest way; and one that rests on a circle.
        ([verdict("a", "b", "c"), verdict("b", "d"), verdict("c", "a"), verdict("d", "a")],
         "failed", "it rests on itself: a -> c -> a"),
        ([verdict("a", "b", "c"), verdict("b", "a"), verdict("c", "d"), verdict("d", "a")],
         "failed", "it rests on itself: a -> b -> a"),
        ([verdict("a", "b"), verdict("b", "c"), verdict("c", "b")],
         "conditional", "it rests on b, c, not proved"),
        ([verdict("a", "a", **ON_TRIALS)], "failed", "it rests on itself: a -> a"),
        # On what is missing, fails, was only tried, or holds on a box.
        ([verdict("a", "b"), verdict("b", "z")], "conditional", "it rests on z, not proved"),
        ([verdict("a", "c", "b"), verdict("b", **REFUSED), verdict("c", reports=())],
         "conditional", "it rests on b, c, not proved"),
        ([verdict("a", "b"), verdict("b", **ON_TRIALS)], "conditional",
         "it rests on b, not proved"),
        ([verdict("a", "b"), verdict("b", **ON_BOX)], "conditional", "it rests on b, not proved"),
        # A certificate may rest on certificates, and on nothing else that is not proved.
        ([verdict("a", **ON_BOX)], "certified", ""),
        ([verdict("a", "b", **ON_BOX), verdict("b", **ON_BOX)], "certified", ""),
        ([verdict("a", "b", **ON_BOX), verdict("b", **ON_TRIALS)], "conditional",
         "it rests on b, not proved"),
        ([verdict("a", "b", **ON_BOX), verdict("b", **REFUSED)], "conditional",
         "it rests on b, not proved"),
        ([verdict("a", **ON_TRIALS)], "empirical", ""),
        ([verdict("a", "b", **ON_TRIALS), verdict("b", **REFUSED)], "empirical", ""),
        # What is cited, here or below, is said before rules that are trusted.
        ([verdict("a", **BY_CITATION)], "cited", "what is concluded in a is cited, not checked"),
        ([verdict("a", **BY_AXIOM)], "cited", "what is concluded in a is cited, not checked"),
        ([verdict("a", "b"), verdict("b", **BY_AXIOM)], "cited",
         "what is concluded in b is cited, not checked"),
        ([verdict("a", "c", "b", **BY_CITATION, **TRUSTING), verdict("b", **BY_CITATION),
          verdict("c", "b")], "cited", "what is concluded in a, b is cited, not checked"),
        ([verdict("a", "b", **ON_BOX), verdict("b", **BY_CITATION)], "cited",
         "what is concluded in b is cited, not checked"),
        ([verdict("a", "b"), verdict("b", "c"), verdict("c", **TRUSTING)], "conditional",
         "the proof checker has no evidence for steps by his, mine"),
        ([verdict("a", "b", **ON_BOX), verdict("b", **TRUSTING)], "conditional",
         "the proof checker has no evidence for steps by his, mine"),
    ],
)  # fmt: skip
def test_a_status_is_that_of_all_that_a_claim_rests_on(verdicts, status, error):
    claim = SimpleNamespace(id="a", title="", statement=x < 1, source="s", hypotheses=(),
                            compared_to_source="exact")  # fmt: skip
    by_id = {v.id: v for v in verdicts}
    found = summarise_claim(claim, by_id)
    assert (found.status, found.error) == (status, error)
    assert (found.title, found.steps, found.depends, found.against, found.replaces) == (
        "x < 1", len(verdicts[0].reports), verdicts[0].depends, "exact", False,
    )  # fmt: skip
    assert found.axioms == tuple(sorted({a for v in verdicts for a in v.axioms}))
    assert found.box == ("0 < x < 1" if status == "certified" else "")
    assert found.trials == ("3 cubes, none against it" if status == "empirical" else "")


def test_axioms_of_claims_apart_are_not_counted():
    claim = SimpleNamespace(id="a", title="$t$", statement=x < 1, source="s", hypotheses=(),
                            compared_to_source="")  # fmt: skip
    by_id = {v.id: v for v in (verdict("a"), verdict("b", "a", **TRUSTING))}
    found = summarise_claim(claim, by_id, replaces=True)
    assert (found.status, found.axioms, found.title, found.replaces) == ("proved", (), "$t$", True)
    assert transitive_dependencies("b", {"b": ["a", "z"], "a": ["a"]}) == {"a", "z"}


def test_trials_that_fail_leave_no_status():
    found = verdict("a", error=FAILED.problem, trials=FAILED, reports=())
    assert (found.accepted, found.failure) == (False, "1 of 3 cubes against it: 27 is one")


HALF = box_map({x: x / 2})
FALLS, RISES = (DecreasesAlong(HALF, lambda_of_coordinates((x,), f)) for f in (x**2, -(x**2)))
WRONG = "contradicted numerically: "


@pytest.mark.parametrize(
    ("statement", "begins", "compared"),
    [
        (FALLS, "", False),
        (RISES, WRONG, False),
        # What is beside it is compared at points.
        (And(FALLS, Gt(exp(y), 1)), "", True),
        (And(FALLS, Lt(exp(y), 1)), WRONG, False),
        (And(RISES, Gt(exp(y), 1)), WRONG, False),
    ],
)
def test_every_part_of_a_statement_on_orbits_is_tried(statement, begins, compared):
    step = SimpleNamespace(
        statement=statement, numeric=True, context=SimpleNamespace(hypotheses=(Gt(y, 0),))
    )
    digits, contradiction, example = try_numerical_check(step, (0, 0, 0))
    assert contradiction.startswith(begins)
    assert (bool(contradiction), digits, bool(example)) == (bool(begins), None, compared)


@pytest.mark.parametrize(
    ("raised", "said"),
    [
        (Inconclusive("too flat"), "the numerical check could not decide: too flat"),
        (NoPointFound("empty"), "the numerical check could not decide: empty"),
        (KeyError("x"), "the numerical check broke: KeyError: 'x'"),
    ],
)
def test_numbers_that_cannot_be_computed_have_not_agreed(raised, said, monkeypatch):
    def fail(*_):
        raise raised

    monkeypatch.setattr("slrsym.crosscheck.orbits.require_no_orbit_counterexample", fail)
    step = SimpleNamespace(statement=FALLS, numeric=True, context=SimpleNamespace(hypotheses=()))
    assert try_numerical_check(step, (0, 0, 0)) == (None, said, "")
    step.numeric = False
    assert try_numerical_check(step, (0, 0, 0)) == (None, "", "")


@pytest.mark.parametrize(
    ("made", "gives"),
    [(x + y, "x + y"), (Symbol("z" * 300), "z" * 300), (Symbol("z" * 301), ""), (x, ""), (y, ""),
     (None, "")],
)  # fmt: skip
def test_what_a_rule_gives_is_said_of_a_step_that_fails(made, gives):
    step = SimpleNamespace(label="2", statement=x < y, link=SimpleNamespace(lhs=x, rhs=y),
                           context=None,
                           rule=SimpleNamespace(name="mine", gives=lambda *_: made))  # fmt: skip
    for refusal, contradiction in (("no", ""), ("", "wrong"), ("", "")):
        verdict_of_step = CheckerVerdict({"2": refusal})
        found = make_step_report(step, (5, contradiction, "x = 1"), verdict_of_step)
        assert found == StepReport(
            "2", "mine", x < y, 5, refusal, contradiction, "x = 1",
            gives if refusal or contradiction else "",
        )  # fmt: skip
    # Where the rule itself breaks, nothing is said.
    step.rule.gives = None
    assert make_step_report(step, (None, "", ""), CheckerVerdict({}, "wrong as a whole")) == (
        StepReport("2", "mine", x < y, None, "wrong as a whole", "", "", "")
    )
    assert CheckerVerdict({}).refusal_reason("2") == "no evidence was made for it"


def test_claims_are_checked_with_all_that_they_use(monkeypatch):
    used = {"a": ("b", "gone"), "b": ("c",), "c": (), "d": ()}
    checked, told = [], []

    def check(claim, find, options):
        checked.append((claim.id, options.seed))
        return verdict(claim.id, *used[claim.id])

    monkeypatch.setattr("slrsym.prover.claims.kept_verdicts.check_claim", check)
    claims = {id: SimpleNamespace(id=id, file=None) for id in used}
    ledger = SimpleNamespace(claims=claims, find=claims.__getitem__, has_claim=claims.__contains__)
    for workers in (1, 4):
        found = verify_claims(ledger, ["a"], CheckOptions(5), workers, lambda v: told.append(v.id))
        assert list(found) == ["a", "b", "c"]
    assert checked == [("a", 5), ("b", 5), ("c", 5)] * 2
    assert told == ["a", "b", "c"] * 2

    def leave(claim, find, options):
        raise SystemExit(0)

    monkeypatch.setattr("slrsym.prover.claims.kept_verdicts.check_claim", leave)
    with pytest.raises(ProofError, match=r"the proof of claim a calls sys.exit\(0\)"):
        verify_claims(ledger, ["a"], CheckOptions(), 1, None)


def test_an_asked_end_of_the_process_is_no_verdict(monkeypatch):
    """SIGTERM may arrive within a proof."""

    def end(*_):
        raise Terminated(143)

    monkeypatch.setattr("slrsym.prover.claims.check.contradiction_of_hypotheses", end)
    claim = ledger().find("zeta-at-zero")
    with pytest.raises(Terminated):
        verify_claims(ledger(), [claim.id], CheckOptions(), 1, None)
    # What it rests on is asked for by the site, the book and `slrsym axioms`.
    monkeypatch.setattr("slrsym.prover.claims.ledger.steps_of_claim", end)
    monkeypatch.setattr("slrsym.prover.claims.ledger.kept_verdict", end)
    with pytest.raises(Terminated):
        ledger().foundations(claim.id)


def test_numbers_say_nothing_of_a_statement_for_all():
    step = SimpleNamespace(
        statement=ForAll(y, y**2 >= x, evaluate=False), context=SimpleNamespace(hypotheses=())
    )
    assert check_step_numerically(step, (0, 0)) == (None, "", "")

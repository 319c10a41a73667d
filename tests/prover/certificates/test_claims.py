"""Claims that are certified on a box: their status, and that nothing is promoted."""

import re

import pytest
from sympy import (
    And,
    Eq,
    Function,
    Ge,
    Gt,
    Lt,
    Mul,
    Piecewise,
    Pow,
    S,
    Symbol,
    asin,
    erf,
    exp,
    log,
    pi,
    sqrt,
)

import slrsym
from slrsym.gaussian import Expectation, erf_prime, standard_normal, zeta
from slrsym.proof import Claim, InequalitiesOnBox, ProofError, Trials, algebra, chain, lemma
from slrsym.prover.certificates.box_certificate import register_certificate_class
from slrsym.prover.claims.ledger import Ledger
from tests._cli import PAPER, exits, run
from tests._profile import thorough_only

x, y = Symbol("x", real=True), Symbol("y", real=True)

FILE = '''
from sympy import Gt, Symbol, erf
from slrsym.proof import InequalitiesOnBox
from slrsym.proof import Claim

x = Symbol("x", real=True)
slow = Claim(id="slow", statement=Gt(erf(x), x / {part}), source="here")

@slow.certified_by
def _():
    """Erf is concave."""
    return InequalitiesOnBox({{x: ("1/10", 2)}})
'''


def claim(statement, evidence):
    found = Claim(id="a-claim", statement=statement, source="here")
    found.certified_by(lambda: evidence)
    return found


def row_of(*claims):
    ledger = Ledger()
    for one in claims:
        ledger.add(one)
    return {row.id: row for row in ledger.verify()}


def test_the_status_says_on_which_box():
    row = row_of(claim(Gt(erf(x), x / 3), InequalitiesOnBox({x: ("1/10", 2)})))["a-claim"]
    assert (row.status, row.box, row.error) == ("certified", "x in [1/10, 2]", "")
    assert row.as_dict()["box"] == "x in [1/10, 2]"


def test_ends_of_many_digits_are_shown_as_decimals_where_that_is_exact():
    assert InequalitiesOnBox({x: ("1/10", "9553/10000")}).box_text == "x in [1/10, 0.9553]"
    assert InequalitiesOnBox({x: "1234/9999"}).box_text == "x = 1234/9999"


def test_what_rests_on_it_is_not_proved():
    # True everywhere, but shown on the box only.
    shown = claim(Gt(exp(x), x), InequalitiesOnBox({x: (-2, 2)}))
    other = Claim(id="other", statement=Gt(exp(x), x), source="here")

    @other.proof
    def _(goal):
        return chain(goal.lhs).gt(goal.rhs, by=lemma("a-claim"))

    rows = row_of(shown, other)
    assert rows["a-claim"].status == "certified"
    assert rows["other"].status == "conditional"
    assert rows["other"].error == "it rests on a-claim, not proved"
    assert rows["other"].box == ""


@pytest.mark.parametrize(
    ("statement", "ranges", "why"),
    [
        (Gt(erf(x), x / 2), {x: ("1/10", 3)}, "does not hold at x = "),
        (Gt(erf(x), x / 2), {x: (0, 1)}, "does not hold at x = 0|undecided"),
        (Gt(erf(x), -y), {x: (1, 2)}, "says nothing of y"),
        (Ge(x**2, 0, evaluate=False), {x: (1, 2)}, "not strict"),
        (Gt(Symbol("G", real=True) ** 2 + sqrt(x - 3), 0), {x: (1, 2)}, "says nothing of G"),
        (Gt(sqrt(x), 0), {x: (-1, 2)}, "undecided|does not hold"),
        (And(Gt(x, 0), Lt(x, 1)), {x: ("1/2", 1)}, "does not hold at x = 1|undecided"),
    ],
)
def test_what_is_not_shown_is_not_certified(statement, ranges, why):
    row = row_of(claim(statement, InequalitiesOnBox(ranges, max_boxes=200)))["a-claim"]
    assert row.status == "failed"
    assert re.search(why, row.error)
    assert row.box == ""


@pytest.mark.parametrize(
    ("statement", "ranges"),
    [
        (And(Gt(exp(x), 1 + x), Lt(x * y, 5)), {x: ("1/10", 2), y: (-1, 2)}),
        (Lt(zeta(x, y), 1), {x: (-1, 1), y: "1/2"}),
        (Gt(erf_prime(x), exp(-(x**2))), {x: (-1, 1)}),
    ],
)
def test_statements_that_are_certified(statement, ranges):
    if any(s.name == "y" for s in statement.free_symbols) and statement.has(zeta):
        positive = Symbol("y", positive=True)
        statement = statement.subs(y, positive)
        ranges = {positive if s == y else s: value for s, value in ranges.items()}
    row = row_of(claim(statement, InequalitiesOnBox(ranges)))["a-claim"]
    assert (row.status, row.error) == ("certified", "")


class FlatErf(erf):
    """A function of a user's own that calls its slope zero."""

    def fdiff(self, argindex=1):
        return S.Zero


def written(kind, left, right):
    return kind(left, right, evaluate=False)


@pytest.mark.parametrize(
    ("statement", "ranges", "why"),
    [
        # In the differences of the sides, what is undefined cancels.
        (written(Gt, log(y) + 1, log(y)), {y: (-1, 1)}, r"log\(y\) may be undefined"),
        (written(Gt, 1 / y + x, 1 / y - 1 + x), {y: (-1, 1), x: (0, 1)}, "1/y may be undefined"),
        (written(Gt, Mul(x, 1 / x, evaluate=False), 0), {x: (-1, 1)}, "1/x may be undefined"),
        (written(Lt, sqrt(x), sqrt(x) + 1), {x: (-1, 1)}, r"sqrt\(x\) may be undefined"),
        (written(Lt, x**y, x**y + 1), {x: (-1, 1), y: (0, 1)}, r"x\*\*y may be undefined"),
        (written(Lt, asin(x), asin(x) + 1), {x: (-2, 1)}, r"asin\(x\) may be undefined"),
        (written(Lt, exp(1 / y), exp(1 / y) + 1), {y: 0}, "1/y may be undefined"),
        (
            written(Lt, Piecewise((1, x > 0)), Piecewise((1, x > 0)) + 1),
            {x: (-1, 1)},
            "no branch that applies",
        ),
        (
            written(Lt, Function("f", real=True)(x), Function("f", real=True)(x) + 1),
            {x: (-1, 1)},
            r"f\(x\) is not known to be defined",
        ),
        (Lt(FlatErf(x), x + 2), {x: (0, 1)}, r"FlatErf\(x\) is not known to be defined"),
        (
            written(
                Lt,
                Expectation(exp(x * y**2), standard_normal(y)),
                Expectation(exp(x * y**2), standard_normal(y)) + 1,
            ),
            {x: 1},
            "is not known to be defined",
        ),
    ],
)
def test_sides_are_defined_as_they_are_written(statement, ranges, why):
    assert re.search(why, InequalitiesOnBox(ranges, max_boxes=500).reason_not_shown(statement))
    within = dict.fromkeys(ranges, ("1/10", "9/10"))
    if statement.has(log, Pow, asin) and not statement.has(Expectation):
        assert InequalitiesOnBox(within).reason_not_shown(statement) == ""


@pytest.mark.parametrize(
    ("declared", "nothing", "something"),
    [
        ("positive", (-2, -1), (-2, "1/100")),
        ("positive", (-1, 0), (0, 1)),
        ("negative", (0, 2), ("-1/9", 2)),
        ("nonnegative", (-2, "-1/9"), (-2, 0)),
        ("nonpositive", ("1/9", 2), (0, 2)),
        ("nonzero", 0, (0, 1)),
        ("integer", ("1/3", "2/3"), ("1/3", 1)),
        ("even", (1, "3/2"), (1, 2)),
        ("real", None, (0, 1)),
    ],
)
def test_a_box_has_a_value_that_its_symbol_may_have(declared, nothing, something):
    s = Symbol("s", **{declared: True})
    statement = Lt(s - s**2, 5, evaluate=False)
    assert InequalitiesOnBox({s: something}).reason_not_shown(statement) == ""
    if nothing is not None:
        found = InequalitiesOnBox({s: nothing, x: (0, 1)}).reason_not_shown(statement)
        assert re.match(rf"no number of the box .* is a value of s, declared {declared}", found)


def test_a_statement_without_symbols_needs_no_box():
    row = row_of(claim(written(Gt, S(2), S(1)), InequalitiesOnBox({})))["a-claim"]
    assert (row.status, row.box, row.error) == ("certified", "all values", "")
    row = row_of(claim(written(Lt, S(2), S(1)), InequalitiesOnBox({})))["a-claim"]
    assert (row.status, row.error) == ("failed", "2 < 1 does not hold")
    row = row_of(claim(written(Gt, sqrt(pi), asin(pi)), InequalitiesOnBox({})))["a-claim"]
    assert "asin(pi) may be undefined" in row.error
    why = InequalitiesOnBox({}).reason_not_shown(Gt(exp(x), 0, evaluate=False))
    assert "the box says nothing of x" in why


def test_evidence_comes_from_the_package():
    class Forged:
        box_text = "everywhere"

        def reason_not_shown(self, statement):
            return ""

    row = row_of(claim(Gt(x, x + 1, evaluate=False), Forged()))["a-claim"]
    assert row.status == "failed"
    assert "is no certificate, such as slrsym.proof.InequalitiesOnBox" in row.error


def test_a_claim_has_a_proof_or_evidence():
    found = claim(Gt(erf(x), x / 3), InequalitiesOnBox({x: ("1/10", 2)}))
    with pytest.raises(ProofError, match="is certified, and needs no proof"):
        found.proof(lambda goal: chain(goal.lhs).then(goal.rhs, by=algebra))
    with pytest.raises(ProofError, match="has evidence already"):
        found.certified_by(lambda: None)
    proved = Claim(id="proved", statement=Gt(erf(x), x), source="here")
    proved.proof(lambda goal: None)
    with pytest.raises(ProofError, match="has a proof already"):
        proved.certified_by(lambda: None)


def test_the_command_counts_them_apart(tmp_path):
    (tmp_path / "good.py").write_text(FILE.format(part=3))
    (tmp_path / "bad.py").write_text(FILE.format(part=2).replace('"slow"', '"wrong"'))
    found = run("verify", tmp_path / "good.py", "--workers", "1")
    assert found.exit_code == 0
    assert "0 of 1 claims proved, 1 certified on a box" in found.stdout
    assert "slow certified for x in [1/10, 2]" in found.stdout
    exits(run("verify", tmp_path / "bad.py", "-v", "--workers", "1"), 1, "does not hold at")


def test_pytest_collects_them(pytester):
    folder = pytester.mkdir("derivations")
    (folder / "good.py").write_text(FILE.format(part=3))
    (folder / "bad.py").write_text(FILE.format(part=2).replace('"slow"', '"wrong"'))
    result = pytester.runpytest_inprocess(
        "derivations", "-p", "no:randomly", "-p", "no:cacheprovider"
    )
    result.stdout.fnmatch_lines(["*is not certified*"])
    result.assert_outcomes(passed=1, failed=1)


class WithClaims(InequalitiesOnBox):
    """Evidence that relies on other claims besides its box."""

    rests_on = ("below",)


def on_claims(statement, proved):
    """A certified claim that rests on another one, which is proved as told."""
    below = Claim(id="below", statement=statement, source="here")
    proved(below)
    return row_of(
        below, claim(Gt(erf(x), x / 3), register_certificate_class(WithClaims)({x: ("1/10", 2)}))
    )


def test_a_certificate_names_the_claims_that_it_rests_on():
    def by_algebra(below):
        below.proof(lambda goal: chain(goal.lhs).then(goal.rhs, by=algebra))

    rows = on_claims(Eq((x + 1) ** 2, x**2 + 2 * x + 1, evaluate=False), by_algebra)
    assert rows["below"].status == "proved"
    assert (rows["a-claim"].status, rows["a-claim"].depends) == ("certified", ("below",))
    # It may rest on another certificate, too.
    rows = on_claims(
        Gt(exp(x), x), lambda below: below.certified_by(lambda: InequalitiesOnBox({x: (-2, 2)}))
    )
    assert {row.status for row in rows.values()} == {"certified"}


def test_a_certificate_that_rests_on_something_unproved_is_open():
    def by_trials(below):
        below.tested_by(lambda rng: Trials(3, "numbers"))

    def by_algebra(below):
        below.proof(lambda goal: chain(goal.lhs).then(goal.rhs, by=algebra))

    for statement, proved in (
        (Gt(exp(x), x), by_trials),
        (Eq((x + 1) ** 2, x**2 + x + 1, evaluate=False), by_algebra),
    ):
        row = on_claims(statement, proved)["a-claim"]
        assert (row.status, row.box) == ("conditional", "")
        assert row.error == "it rests on below, not proved"


# `slrsym verify` proves them.
@thorough_only
def test_the_claims_below_certificates_of_the_package_are_proved():
    ledger = slrsym.ledger()
    for id in ("sublevel-certified", "attraction-certified"):
        below = ledger.find(id).certificate().rests_on
        assert {"attraction-quadratic", "landscape-risk"} <= set(below)
        assert set(ledger.foundations(id)) > set(below)


def test_a_derivation_in_the_place_of_a_certificate(tmp_path):
    file = tmp_path / "bound.py"
    file.write_text("from slrsym.proof import Claim\n", encoding="utf-8")
    done = run(*PAPER, "certify", "check", file)
    assert done.exit_code != 0
    assert f"again by: slrsym verify {file} --no-cache" in " ".join(done.output.split())

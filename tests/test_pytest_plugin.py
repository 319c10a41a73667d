"""Derivation files collected by pytest, in this process and as a user would run it."""

from types import SimpleNamespace

import pytest

from slrsym import crosscheck  # pytester unloads what is imported inside of it only
from slrsym.proof import Ledger, MonteCarloCheck
from slrsym.prover.tactics.proof_log import write_log
from slrsym.pytest_plugin import _LEDGER, pytest_terminal_summary

from ._profile import thorough_only
from .conftest import HEADER, claim_text


@pytest.fixture
def run(pytester):
    """Runs pytest in the pytester's folder."""

    def run(*arguments):
        return pytester.runpytest_inprocess("-p", "no:randomly", "-p", "no:xdist", *arguments)

    return run


@pytest.fixture
def write(pytester):
    """Writes a derivation file into the pytester's folder."""

    def write(name, *claims, header=HEADER):
        path = pytester.path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(header + "".join(claims), encoding="utf-8")

    return write


WRONG = claim_text("wrong", rhs="x**2 + 1")
BELL = ("erf_prime(x)", "2*exp(-x**2)/sqrt(pi)")
MEAN_HEADER = HEADER + (
    "from slrsym.gaussian import Expectation, standard_normal\nG = Symbol('G', real=True)\n"
)
BELL_HEADER = HEADER + "from sympy import exp, pi, sqrt\nfrom slrsym.gaussian import erf_prime\n"


@thorough_only
def test_each_claim_and_each_step_is_an_item(run, write):
    write("sub/a.py", claim_text("one"), claim_text("two"))
    result = run("--collect-only", "-q")
    result.stdout.fnmatch_lines(
        [
            "sub/a.py::one::1 [[]algebra[]]",
            "sub/a.py::one::statement [[]the proof concludes the statement[]]",
            "sub/a.py::one::claim",
            "sub/a.py::two::1 [[]algebra[]]",
            "sub/a.py::two::statement [[]the proof concludes the statement[]]",
            "sub/a.py::two::claim",
        ]
    )
    run().assert_outcomes(passed=6)


@thorough_only
def test_selection_by_name_and_by_node(run, write):
    write("a.py", claim_text("one"), claim_text("two"))
    run("-k", "two").assert_outcomes(passed=3, deselected=3)
    run("a.py::one").assert_outcomes(passed=3)
    run("a.py::one::1 [algebra]").assert_outcomes(passed=1)


@thorough_only
def test_the_first_failure_stops(run, write):
    write("a.py", WRONG, claim_text("right"))
    run("-x").assert_outcomes(failed=1)


@thorough_only
def test_a_failing_step_shows_both_sides_and_the_point(run, write):
    write("a.py", WRONG)
    result = run("-q")
    result.assert_outcomes(failed=2, passed=1)
    result.stdout.fnmatch_lines(
        [
            "claim wrong, step 1 [[]algebra[]] is refused",
            "  left side   (x + 1)**2",
            "  relation    =",
            "  right side  x**2 + 1",
            "  contradicted numerically: * fails at x = *: * against *",
        ]
    )
    assert "Traceback" not in result.stdout.str()


def test_a_refused_step_that_numbers_cannot_test_says_where_the_claim_fails(run, write):
    claim = """
f, t = Function("f", real=True), Symbol("t", real=True)
bounded = Claim(
    id="bounded", statement=Le(f(t), 1), source="none", hypotheses=[ForAll(t, Le(f(t), 2))]
)


@bounded.proof
def _(goal):
    return chain(f(t)).le(1, by=signs)
"""
    names = "from sympy import Function, Le\nfrom slrsym.proof import ForAll, signs\n"
    write("a.py", claim, header=HEADER + names)
    result = run("-q")
    result.stdout.fnmatch_lines(
        ["  the claim fails at f(x) = *: * against 1.0, where its hypotheses hold as far as *"]
    )


def test_a_claim_that_samples_contradict(run, write, monkeypatch):
    write("a.py", claim_text("right"))
    found = MonteCarloCheck("E[x] = 0", contradiction="contradicted by sampling: 1 against 0")
    monkeypatch.setattr(
        "slrsym.prover.claims.check.check_by_sampling", lambda claim, seed: (found,)
    )
    result = run("-q")
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(
        ["claim right is contradicted by sampling: 1 against 0; it says E[[]x[]] = 0"]
    )


@thorough_only
def test_the_seed_moves_the_points(run, write):
    write("a.py", WRONG)
    said = {
        line
        for seed in range(4)
        for line in run("-q", "--slrsym-seed", str(seed)).outlines
        if line.startswith("  contradicted")
    }
    assert len(said) > 2


def test_the_summary_says_what_verdicts_do_not_show(run, write):
    write("a.py", claim_text("lemma-17-i"))
    fewer = "slrsym: steps were examined at 1 random point at most, fewer than the 10 (or 2)*"
    own = "slrsym: in the place of claims of the package: lemma-17-i"
    run("--slrsym-points=1").stdout.fnmatch_lines(
        [fewer.replace("(", "[(]"), own], consecutive=True
    )
    full = run("--slrsym-points=10").stdout
    full.no_fnmatch_line("slrsym: steps were examined*")
    full.fnmatch_lines([own])
    write("a.py", claim_text("mine"))
    run().stdout.no_fnmatch_line("slrsym: in the place*")


@pytest.mark.parametrize("points", [None, *range(1, 12)])
def test_every_number_of_points_that_is_less_is_said(points, tmp_path):
    said = []
    config = SimpleNamespace(stash={_LEDGER: Ledger()}, getoption=lambda name: points)
    pytest_terminal_summary(SimpleNamespace(config=config, write_line=said.append))
    fewer = [line for line in said if f"examined at {points} random point" in line]
    assert len(fewer) == int(points is not None and points < 10)


def test_there_may_be_fewer_points(run, write, monkeypatch):
    write("a.py", claim_text("cheap"), claim_text("costly", *BELL), header=BELL_HEADER)
    write("b.py", claim_text("mean", "Expectation(G, standard_normal(G))", "0"), header=MEAN_HEADER)
    asked = []
    compared = crosscheck.SharedPoints.compare

    def compare(*arguments, points, **options):
        asked.append(points)
        return compared(*arguments, points=points, **options)

    monkeypatch.setattr("slrsym.crosscheck.SharedPoints.compare", compare)
    for options, expected in (((), {10, 2}), (("4",), {4, 2}), (("1",), {1}), (("99",), {10, 2})):
        asked.clear()
        run(*(f"--slrsym-points={points}" for points in options))
        assert set(asked) == expected
    for wrong in ("0", "-1", "some"):
        result = run(f"--slrsym-points={wrong}")
        assert result.ret == pytest.ExitCode.USAGE_ERROR
        result.stderr.fnmatch_lines([f"*must be an integer of at least 1; got {wrong}"])


@thorough_only
def test_a_file_that_does_not_import_is_a_collection_error(run, write):
    write("a.py", claim_text("right"))
    write("b.py", "y = 1 / 0\n", claim_text("never"))
    result = run()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*b.py:4 does not import: ZeroDivisionError: division by zero"])
    assert "pytest_plugin.py" not in result.stdout.str()


def test_a_file_that_calls_exit_is_a_collection_error(run, write):
    write("a.py", "import sys\nsys.exit(0)\n", claim_text("never"))
    result = run()
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*a.py:5 does not import: SystemExit: 0"])


@pytest.mark.parametrize("arguments", [(), ("a.py",)], ids=["by folder", "by name"])
def test_an_error_is_shown_once(run, write, arguments):
    write("a.py", "y = 1 / 0\n", claim_text("never"))
    result = run(*arguments)
    result.assert_outcomes(errors=1)
    assert result.stdout.str().count("ZeroDivisionError") == 1
    assert "y = 1 / 0" not in result.stdout.str()


@thorough_only
def test_a_named_file_is_loaded_once(run, write):
    write("a.py", "print('loaded')\n", claim_text("one"))
    result = run("-s", "a.py")
    result.assert_outcomes(passed=3)
    assert result.outlines.count("loaded") == 1


@thorough_only
def test_the_doctests_of_a_derivation_file_are_kept(run, write):
    function = "def two():\n    '''\n    >>> two()\n    2\n    '''\n    return 2\n"
    write("a.py", function, claim_text("one"))
    run("--doctest-modules", "a.py").assert_outcomes(passed=4)


def test_a_derivation_file_that_is_also_a_module_of_tests(run, write, pytester):
    write("check_a.py", claim_text("one"), "def test_one():\n    assert True\n")
    pytester.makeini("[pytest]\npython_files = check_*.py\n")
    run().assert_outcomes(passed=4)
    run("check_a.py").assert_outcomes(passed=4)


def test_a_duplicate_id_fails(run, write):
    write("a.py", claim_text("one"), claim_text("one"))
    write("b.py", claim_text("one"), claim_text("two"))
    result = run("-p", "no:cacheprovider", "-v")
    result.assert_outcomes(passed=6, failed=2)
    result.stdout.fnmatch_lines(["a.py::one::claim PASSED*", "a.py::one (again)::claim FAILED*"])
    result.stdout.fnmatch_lines(["claim one: its id stands for two claims, in *a.py and *a.py"])
    result.stdout.fnmatch_lines(["claim one: its id stands for two claims, in *a.py and *b.py"])


def test_a_proof_that_cannot_be_built(run, write):
    write("a.py", claim_text("one", by="no_such_rule"))
    result = run()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["claim one: there is no proof to check: NameError: name 'no_such_rule' is not defined"]
    )


def test_a_proof_that_calls_exit(run, write):
    write("a.py", claim_text("one", by="exit(0)"), claim_text("two"))
    result = run()
    result.assert_outcomes(failed=1, passed=3)
    result.stdout.fnmatch_lines(["claim one: there is no proof to check: SystemExit: 0"])


def test_a_claim_without_a_proof(run, write):
    write("a.py", 'Claim(id="bare", statement=Eq(sin(x), x), source="test")\n')
    result = run()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*claim bare has no proof"])


@thorough_only
def test_the_last_failures_again(run, write):
    write("a.py", claim_text("right"), WRONG)
    run("-p", "cacheprovider").assert_outcomes(passed=4, failed=2)
    run("--lf").assert_outcomes(failed=2)


def test_a_missing_dependency_and_a_circle(run, write):
    write(
        "a.py",
        claim_text("lost", by='lemma("no-such-claim")'),
        claim_text("one", by='lemma("two")'),
        claim_text("two", by='lemma("one")'),
    )
    result = run("-q")
    result.stdout.fnmatch_lines(["*no proof was found: unknown claim 'no-such-claim'"])
    result.stdout.fnmatch_lines(
        ["claim lost uses what is not there: unknown claim 'no-such-claim'"]
    )
    result.stdout.fnmatch_lines(["claim one rests on itself: one -> two -> one"])
    result.stdout.fnmatch_lines(["claim two rests on itself: two -> one -> two"])
    result.assert_outcomes(failed=4, passed=5)


@thorough_only
def test_claims_of_other_files_and_built_in_ones(run, write):
    write("a.py", claim_text("upon", by='lemma("below")'))
    write("z.py", claim_text("below"))
    write("b.py", claim_text("bell", *BELL, 'lemma("lemma-17-i")'), header=BELL_HEADER)
    run("a.py").assert_outcomes(passed=3)
    run("b.py").assert_outcomes(passed=3)
    run().assert_outcomes(passed=9)


def test_only_the_folder_of_a_file_is_searched(run, write):
    write("a.py", claim_text("upon", by='lemma("below")'))
    write("other/b.py", "print('imported')\n", claim_text("below"))
    result = run("-s", "a.py")
    result.assert_outcomes(failed=2, passed=1)
    assert "imported" not in result.outlines


def test_a_claim_of_the_folder_wins_over_a_built_in_one(run, write):
    # What the claim of this name says is not known otherwise.
    said = (
        "OwensT(1 + x**2, 2) + OwensT(2 + 2*x**2, S.Half)",
        "(1 - erf((1 + x**2)/sqrt(2))*erf((2 + 2*x**2)/sqrt(2)))/4",
    )
    header = f"{HEADER}from sympy import S, sqrt\nfrom slrsym.gaussian import OwensT\n"
    write("a.py", claim_text("upon", *said, 'lemma("lemma-18-i")'), header=header)
    run("a.py").assert_outcomes(failed=1, passed=2)
    write("b.py", claim_text("lemma-18-i", *said), header=header)
    run("a.py").assert_outcomes(passed=3)


@thorough_only
def test_ordinary_files_are_left_alone(run, pytester):
    pytester.makepyfile(
        helper="from slrsym.gaussian import expectation\nraise RuntimeError('imported')\n",
        test_one="def test_one():\n    assert True\n",
        other="Claim = print\nClaim('not ours')\nraise RuntimeError('imported')\n",
    )
    run().assert_outcomes(passed=1)


@thorough_only
def test_the_collection_can_be_switched_off(run, write, pytester):
    write("a.py", WRONG)
    pytester.makeini("[pytest]\nslrsym_derivations = false\n")
    assert run().ret == pytest.ExitCode.NO_TESTS_COLLECTED


@thorough_only
def test_workers_agree_on_the_items(pytester, write):
    pytest.importorskip("xdist")
    write("a.py", claim_text("one"), WRONG)
    write("b.py", claim_text("three", by='lemma("one")'))
    result = pytester.runpytest_subprocess("-n", "2")
    result.assert_outcomes(passed=7, failed=2)


def test_sympy_is_not_imported_for_nothing(pytester):
    pytester.makepyfile(
        test_one="import sys\ndef test_one():\n    assert 'sympy' not in sys.modules\n"
    )
    pytester.runpytest_subprocess("-p", "no:hypothesispytest").assert_outcomes(passed=1)


TRUSTING = """
from slrsym.proof.step import Rule, tactic

class Trust(Rule):
    name = "trust"

@tactic(Trust)
def _(work, step, premises):
    return work.add_unchecked("trust me", "", (), work.formula(step.statement))
"""


def test_a_tactic_that_proves_nothing_is_noticed(run, write):
    write("a.py", claim_text("green", by="Trust()"), header=HEADER + TRUSTING)
    result = run()
    result.assert_outcomes(failed=1, passed=2)
    result.stdout.fnmatch_lines(["*claim green: a step of its proof has no evidence"])


def test_a_log_of_ones_own_claims(run, write, pytester):
    write("a.py", claim_text("one"))
    write_log(pytester.path / "a.log", ["one"], Ledger.load(pytester.path / "a.py").find)
    run("a.log").assert_outcomes(passed=1)
    write("a.py", claim_text("one", lhs="(x + 2)**2 - 2*x - 3"))
    run("a.log").assert_outcomes(failed=1)

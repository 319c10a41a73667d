"""Derivation files collected by pytest, in this process and as a user would run it."""

from __future__ import annotations

import pytest

import slrsym.proof  # noqa: F401  pytester unloads what is imported inside of it only

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


def test_selection_by_name_and_by_node(run, write):
    write("a.py", claim_text("one"), claim_text("two"))
    run("-k", "two").assert_outcomes(passed=3, deselected=3)
    run("a.py::one").assert_outcomes(passed=3)
    run("a.py::one::1 [algebra]").assert_outcomes(passed=1)


def test_the_first_failure_stops(run, write):
    write("a.py", WRONG, claim_text("right"))
    run("-x").assert_outcomes(failed=1)


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
            "  by its rule: the normal forms of the two sides differ",
            "  contradicted numerically: * fails at x = *: * against *",
        ]
    )
    assert "Traceback" not in result.stdout.str()


def test_the_seed_moves_the_points(run, write):
    write("a.py", WRONG)
    said = {
        line
        for seed in range(4)
        for line in run("-q", "--slrsym-seed", str(seed)).outlines
        if line.startswith("  contradicted")
    }
    assert len(said) > 2


def test_a_file_that_does_not_import_is_a_collection_error(run, write):
    write("a.py", claim_text("right"))
    write("b.py", "y = 1 / 0\n", claim_text("never"))
    result = run()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*b.py:4 does not import: ZeroDivisionError: division by zero"])
    assert "pytest_plugin.py" not in result.stdout.str()


def test_a_duplicate_id_is_a_collection_error(run, write):
    write("a.py", claim_text("one"))
    write("b.py", claim_text("one"))
    result = run("--continue-on-collection-errors")
    result.assert_outcomes(passed=3, errors=1)
    result.stdout.fnmatch_lines(["the id 'one' stands for two claims, in *a.py and *b.py"])


def test_a_proof_that_cannot_be_built(run, write):
    write("a.py", claim_text("one", by="no_such_rule"))
    result = run()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*NameError: name 'no_such_rule' is not defined"])


def test_a_missing_dependency_and_a_circle(run, write):
    write(
        "a.py",
        claim_text("lost", by='lemma("no-such-claim")'),
        claim_text("one", by='lemma("two")'),
        claim_text("two", by='lemma("one")'),
    )
    result = run("-q")
    result.stdout.fnmatch_lines(["*unknown claim 'no-such-claim'"])
    result.stdout.fnmatch_lines(["claim one rests on itself: one -> two -> one"])
    result.stdout.fnmatch_lines(["claim two rests on itself: two -> one -> two"])
    result.assert_outcomes(failed=4, passed=5)


def test_claims_of_other_files_and_built_in_ones(run, write):
    write("a.py", claim_text("upon", by='lemma("below")'))
    write("z.py", claim_text("below"))
    write(
        "b.py",
        claim_text("bell", "erf_prime(x)", "2*exp(-x**2)/sqrt(pi)", 'lemma("lemma-17-i")'),
        header=HEADER + "from sympy import exp, pi, sqrt\nfrom slrsym.gaussian import erf_prime\n",
    )
    run("a.py").assert_outcomes(passed=3)
    run("b.py").assert_outcomes(passed=3)
    run().assert_outcomes(passed=9)


def test_ordinary_files_are_left_alone(run, pytester):
    pytester.makepyfile(
        helper="from slrsym.proof import Claim\nraise RuntimeError('imported')\n",
        test_one="def test_one():\n    assert True\n",
        other="Claim = print\nClaim('not ours')\nraise RuntimeError('imported')\n",
    )
    run().assert_outcomes(passed=1)


def test_the_collection_can_be_switched_off(run, write, pytester):
    write("a.py", WRONG)
    pytester.makeini("[pytest]\nslrsym_derivations = false\n")
    assert run().ret == pytest.ExitCode.NO_TESTS_COLLECTED


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

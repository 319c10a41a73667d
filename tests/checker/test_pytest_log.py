"""pytest judges proof logs; two builds of one proof give the same log."""

from __future__ import annotations

import json
import lzma
import os
import subprocess
import sys

import pytest

import slrsym
from slrsym.checker import recheck
from slrsym.checker.extensions.vectors import VECTOR_SCHEMAS
from slrsym.checker.orbit_theorems import SCHEMAS
from slrsym.prover.rules.axioms import AXIOMS
from slrsym.prover.rules.theorems import names_of_theorems
from slrsym.prover.tactics.log_records import log_lines
from slrsym.prover.tactics.proof_log import write_log
from tests._profile import thorough_only

CLAIM = "exp-falls"


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    path = tmp_path_factory.mktemp("logs") / "proofs.log"
    write_log(path, [CLAIM], slrsym.ledger().find)
    return path


def run(pytester, text):
    (pytester.path / "proofs.log").write_text(text)
    return judged(pytester, "proofs.log")


def judged(pytester, *paths):
    """Run pytest in this process, which has loaded the claims."""
    return pytester.runpytest_inprocess(*paths, "-p", "no:cacheprovider", "-p", "no:xdist")


def test_two_builds_give_the_same_log(log, tmp_path):
    again = tmp_path / "again.log"
    write_log(again, [CLAIM], slrsym.ledger().find)
    assert again.read_bytes() == log.read_bytes()


# Steps of algebra, signs, derivatives and expectations; each claim with those that it cites.
SEVERAL = ("exp-falls", "bayes-bound", "lemma-18-i", "assumption-1-mean")
WRITES = """
import sys
from pathlib import Path
import slrsym
from slrsym.prover.tactics.proof_log import write_log
write_log(Path(sys.argv[1]), sys.argv[2:], slrsym.ledger().find)
"""


@thorough_only
def test_the_order_of_sets_does_not_show_in_a_log(tmp_path):
    written = []
    for seed in ("1", "2"):
        path = tmp_path / f"{seed}.log"
        done = subprocess.run(
            [sys.executable, "-c", WRITES, path, *SEVERAL],
            env=os.environ | {"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        written.append(path.read_bytes())
    assert written[0] == written[1]
    assert len(written[0].splitlines()) > len(SEVERAL)
    assert b"unchecked" not in written[0]


def test_a_log_is_judged(pytester, log):
    run(pytester, log.read_text()).assert_outcomes(passed=1)


def test_a_log_that_is_compressed_is_judged_too(pytester, log):
    (pytester.path / "proofs.log.xz").write_bytes(lzma.compress(log.read_bytes()))
    (pytester.path / "other.log.xz").write_bytes(b"\xfd7zXZ\0nonsense")
    judged(pytester, ".").assert_outcomes(passed=1)


def test_a_step_without_evidence_fails(pytester, log):
    _, record = map(json.loads, log.read_text().splitlines())
    record.pop("digest")
    record["terms"].append(record["statement"])
    number = len(record["terms"]) - 1
    record["lines"] = [["unchecked", [], "nobody knows", [], number]]
    record |= {"steps": [], "shown": 0, "axioms": ["unchecked: nobody knows"]}
    lines = log_lines({"seed": 0}, [record])
    result = run(pytester, "".join(f"{line}\n" for line in lines))
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*rests on unchecked: nobody knows*"])


def test_a_step_without_evidence_fails_though_the_claim_rests_on_none(pytester, log):
    _, record = map(json.loads, log.read_text().splitlines())
    record.pop("digest")
    label, rule, _, said, supposed = record["steps"][0]
    record["lines"].append(["unchecked", [], "nobody knows", supposed, said])
    record["steps"][0] = [label, rule, len(record["lines"]) - 1, said, supposed]
    lines = log_lines({"seed": 0}, [record])
    result = run(pytester, "".join(f"{line}\n" for line in lines))
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*rests on unchecked: nobody knows*"])


def test_another_statement_fails(pytester, log):
    _, record = map(json.loads, log.read_text().splitlines())
    record.pop("digest")
    zero = ["=", ["n", 0, 1], ["n", 0, 1]]
    record |= {"statement": zero, "given": [], "terms": [zero], "steps": [], "axioms": [],
               "shown": 0, "lines": [["arithmetic", [], [], 0, [1, [], [], []]]]}  # fmt: skip
    result = run(pytester, "".join(f"{line}\n" for line in log_lines({"seed": 0}, [record])))
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*says something else in its derivation*"])


def test_a_forged_log_is_refused(pytester, log):
    run(pytester, log.read_text().replace(CLAIM, "exp-fails")).assert_outcomes(errors=1)


def test_other_logs_are_left_alone(pytester):
    pytester.makefile(".log", other="12:00 something happened\n")
    result = judged(pytester, "other.log")
    result.assert_outcomes()


def test_every_axiom_of_a_log_is_listed(log):
    assert {axiom for found in recheck(log) for axiom in found.axioms} <= set(AXIOMS)
    named = {"gaussian-moments", "stein-lemma", "gaussian-density", "gaussian-normalisation"}
    assert named <= set(AXIOMS)
    for name, (_, _, _, axioms) in (SCHEMAS | VECTOR_SCHEMAS).items():
        assert {f"theorem {name}", *axioms} <= set(AXIOMS)
    assert {f"theorem {name}" for name in names_of_theorems()} <= set(AXIOMS)

"""Claims that are judged in worker processes: here, by a pool in the process of the test."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import connection

import pytest

from slrsym.prover.claims import verification
from slrsym.prover.claims.check import DEFAULT
from slrsym.prover.claims.ledger import Ledger
from slrsym.prover.claims.verification import verify_claims
from slrsym.prover.statements.expressions import ProofError
from tests._profile import thorough_only
from tests.conftest import claim_text


class PoolHere:
    """Runs what is submitted at once."""

    def __init__(self, _, mp_context, initializer, initargs):
        self.ended = []
        assert mp_context.get_start_method() == "spawn"
        initializer(*initargs)

    def submit(self, function, *arguments):
        task = Future()
        task.set_result(function(*arguments))
        return task

    def shutdown(self, **how):
        self.ended.append(how)


class Worker:
    """A process, or a thread, of which it is noted that it was ended or started."""

    def __init__(self, target=None, daemon=False):
        self.target, self.daemon, self.did = target, daemon, []

    def terminate(self):
        self.did.append("terminate")

    def start(self):
        self.did.append("start")


@pytest.fixture
def here(monkeypatch):
    """Lets pools run in this process; returns the threads that workers start."""
    threads = []

    def thread(**options):
        threads.append(Worker(**options))
        return threads[-1]

    monkeypatch.setattr(verification, "ProcessPoolExecutor", PoolHere)
    monkeypatch.setattr(verification, "Thread", thread)
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    return threads


@pytest.fixture
def claims(derivation):
    """A ledger of a file with a claim for each id, of which the last is false."""
    wrong = claim_text("c", rhs="x**2 + 2*x + 2")
    return Ledger.load(derivation("a.py", claim_text("a"), claim_text("b"), wrong))


def test_workers_find_the_verdicts_of_one_process(here, claims):
    alone, together = (claims.verify(["a", "b", "c"], workers=n) for n in (1, 2))
    found = [[(row.id, row.status, row.error) for row in rows] for rows in (alone, together)]
    assert found[0] == found[1]
    assert [status for _, status, _ in found[0]] == ["proved", "proved", "failed"]
    (thread,) = here
    assert (thread.target.__name__, thread.daemon, thread.did) == (
        *("_end_with_parent", True), ["start"],
    )  # fmt: skip


def test_a_worker_that_dies_is_spoken_of(here, claims, monkeypatch):
    def died(*_):
        task = Future()
        task.set_exception(BrokenProcessPool())
        return task

    monkeypatch.setattr(PoolHere, "submit", died)
    with pytest.raises(ProofError, match="a worker process died, perhaps for want of memory"):
        claims.verify(["a", "b"], workers=2)


def test_workers_are_ended_when_the_program_is_interrupted(here, claims, monkeypatch):
    worker = Worker()
    monkeypatch.setattr(multiprocessing, "active_children", lambda: [worker])
    for stopped, did, how in (
        (False, [], {"wait": True, "cancel_futures": True}),
        (True, ["terminate"], {"wait": False, "cancel_futures": True}),
    ):
        pool = verification._Workers(claims, None, 2)
        try:
            with pool:
                if stopped:
                    raise KeyboardInterrupt
        except KeyboardInterrupt:
            assert stopped
        assert (worker.did, pool.pool.ended) == (did, [how])


def test_a_worker_ends_with_its_parent(monkeypatch):
    class Parent:
        sentinel = 7

    seen = []
    monkeypatch.setattr(multiprocessing, "parent_process", Parent)
    monkeypatch.setattr(connection, "wait", seen.append)
    monkeypatch.setattr(os, "_exit", seen.append)
    verification._end_with_parent()
    assert seen == [[7], 1]


def test_a_file_that_states_something_else_in_a_worker(here, claims, derivation, monkeypatch):
    other = derivation("other.py", claim_text("a", rhs="x**2 + 3*x + 1"), claim_text("b"))
    pool = verification._Workers(claims, DEFAULT, 2)
    with pool:
        monkeypatch.setattr(verification, "_worker_ledger", Ledger.load(other))
        assert [verdict.id for verdict in pool.check(["a"])] == ["a"]
        with pytest.raises(ProofError, match="claim a says something else in a worker process"):
            list(pool.check(["b", "a"]))


def test_claims_are_not_replaced_while_they_are_verified(derivation):
    citing = claim_text("a", by='lemma("b")')
    claims = Ledger.load(derivation("a.py", citing, claim_text("b")))
    other = Ledger.load(derivation("other.py", claim_text("b"))).claims["b"]
    assert set(verify_claims(claims, ["a"], DEFAULT, 1, None)) == {"a", "b"}

    def replace(verdict):
        claims.claims["b"] = other

    with pytest.raises(ProofError, match="b changed while claims were verified"):
        verify_claims(claims, ["a"], DEFAULT, 1, replace)


@thorough_only
def test_a_claim_has_one_digest_in_all_processes():
    code = (
        "from slrsym.prover.claims.ledger import builtin_ledger as b;"
        "from slrsym.prover.claims.claim_digests import claim_digest as d;"
        "print([d(b().find(i)) for i in ('lemma-4-chain-rule', 'committee-plateau', 'lemma-7')])"
    )
    said = {
        subprocess.check_output(
            [sys.executable, "-c", code], env=os.environ | {"PYTHONHASHSEED": s}
        )
        for s in "12"
    }
    assert len(said) == 1

"""The log of all claims that comes with slrsym, and logs that take evidence from an earlier one."""

from __future__ import annotations

import copy
import json
import lzma

import pytest
from sympy import Ge, Symbol

from slrsym.checker import Rejected, describe_claim_difference, recheck
from slrsym.checker.log import UNCHECKED, chained_digest, read_log_text_lines
from slrsym.proof import Claim, chain, sign
from slrsym.prover.tactics.arithmetic import EVIDENCE_CACHE
from slrsym.prover.tactics.bundled_log import BUNDLED_LOG, count_checked_steps_by_claim
from slrsym.prover.tactics.log_records import log_lines
from slrsym.prover.tactics.log_reuse import read_log_records, records_with_fewest_axioms
from slrsym.prover.tactics.proof_log import (
    all_needed_claim_ids_in_order,
    emit_records,
    statement_and_step_records,
    write_log,
)
from tests._profile import THOROUGH, more, thorough, thorough_only

# What rests on few others; a claim with a step that lacks evidence among them.
FEW = ["lemma-16", "young", "erf-increasing", "corollary-2-rate", "planar-step-along"]


def rewritten(path, found):
    path.write_text("".join(f"{line}\n" for line in log_lines({"seed": 0}, found)))
    return path


@pytest.fixture(scope="module")
def shipped():
    return read_log_records(BUNDLED_LOG)


@pytest.fixture(scope="module")
def part(shipped, ledger, tmp_path_factory):
    """The log of some claims and of those that they use, cut from that of all."""
    found = [shipped[id] for id in all_needed_claim_ids_in_order(FEW, ledger.find)]
    found = [{k: v for k, v in record.items() if k != "digest"} for record in found]
    return rewritten(tmp_path_factory.mktemp("part") / "a.log", found)


@thorough_only
def test_it_has_the_claims_that_there_are(shipped, ledger):
    """All but one, for which the kernel has no words: it has powers of numbers alone."""
    assert ledger.claims.keys() - shipped.keys() == {"softmax-bayes-risk"}
    assert not shipped.keys() - ledger.claims.keys()


@more(THOROUGH)
def test_it_is_about_todays_derivations_and_accepted(part, ledger):
    """Of a few claims, in ci of what these rest on; ``slrsym recheck`` judges all."""
    found = recheck(part)
    assert set(FEW) <= {claim.id for claim in found}
    compared = [claim for claim in found if THOROUGH or claim.id in FEW]
    for claim, said in zip(
        compared, statement_and_step_records([c.id for c in compared], ledger.find), strict=True
    ):
        assert not describe_claim_difference(claim, said), claim.id


def test_what_the_book_says_of_it_is_what_the_kernel_finds(part):
    for claim in recheck(part):
        bare = sum(any(a.startswith(UNCHECKED) for a in step.axioms) for step in claim.steps)
        assert count_checked_steps_by_claim()[claim.id] == (
            len(claim.steps),
            len(claim.steps) - bare,
        )


# A byte is changed at five other places.
@pytest.mark.parametrize("at", [0, 3, 100, 50_000, thorough(-40), -1])
def test_a_changed_byte_is_refused(tmp_path, at, monkeypatch):
    """Before much is judged: the check sums of the compression and the digests of lines differ."""
    data = bytearray(BUNDLED_LOG.read_bytes())
    data[at] ^= 1
    path = tmp_path / "changed.log.xz"
    path.write_bytes(data)
    monkeypatch.setattr("slrsym.checker.log.check_claim_record", lambda record, *_: record)
    with pytest.raises(Rejected):
        recheck(path)


def test_bytes_that_are_no_text_are_refused(tmp_path):
    (tmp_path / "noise.log").write_bytes(b'{"format": "\xff"}\n')
    with pytest.raises(Rejected, match="line 1: no text"):
        recheck(tmp_path / "noise.log")


@thorough_only
def test_what_is_cut_off_is_missed(tmp_path, monkeypatch):
    monkeypatch.setattr("slrsym.checker.log.check_claim_record", lambda record, *_: record)
    data = BUNDLED_LOG.read_bytes()
    path = tmp_path / "cut.log.xz"
    path.write_bytes(data[: len(data) // 2])
    with pytest.raises(Rejected, match=r"damaged|cut short"):
        recheck(path)
    lines = list(read_log_text_lines(BUNDLED_LOG))
    path.write_bytes(lzma.compress("".join(lines[:-1]).encode()))
    with pytest.raises(Rejected, match="the number of records is not the one"):
        recheck(path)


def test_what_would_fill_the_memory_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("slrsym.checker.log._LONGEST", 1_000)
    monkeypatch.setattr("slrsym.checker.log._LARGEST", 10_000)
    path = tmp_path / "long.log.xz"
    for data in (b"0" * 100_000, b"0\n" * 100_000):
        path.write_bytes(lzma.compress(data))
        with pytest.raises(Rejected, match="more than a log may hold"):
            list(read_log_text_lines(path))


def test_the_log_of_a_log_is_the_same_and_searches_for_nothing(part, ledger, tmp_path, monkeypatch):
    ids = ["lemma-16", "young", "erf-increasing"]
    wanted = [read_log_records(part)[id] for id in all_needed_claim_ids_in_order(ids, ledger.find)]
    monkeypatch.setattr(
        "slrsym.prover.tactics.arithmetic._search_with_growing_facts",
        lambda *a: pytest.fail("evidence is searched for"),
    )
    for name in ("b.log", "c.log.xz", "d.log.xz"):
        counts, _ = write_log(tmp_path / name, ids, ledger.find, 0, (part,))
        assert all(has for _, has in counts)
        assert len(recheck(tmp_path / name)) == len(wanted)
    again = write_log(tmp_path / "e.log", ids, ledger.find, 0, (tmp_path / "b.log",))
    assert again == (counts, [])
    assert (tmp_path / "e.log").read_bytes() == (tmp_path / "b.log").read_bytes()
    assert (tmp_path / "c.log.xz").read_bytes() == (tmp_path / "d.log.xz").read_bytes()


def test_a_claim_without_words_in_the_checker_is_left_out(ledger, tmp_path):
    name = "softmax-bayes-risk"
    _, left_out = write_log(tmp_path / "it.log", [name], ledger.find)
    assert left_out == [name]
    assert name not in read_log_records(tmp_path / "it.log")


def test_a_log_on_trust_gives_way_to_one_with_evidence(tmp_path):
    paths = [tmp_path / name for name in ("trust.log", "evidence.log", "third.log")]
    for path, patience in zip(paths, (0, 1), strict=False):
        write_log(path, ["square"], claimed(1), patience=patience)
    paths[2].write_text(paths[1].read_text().replace('"lines"', '"rows"'))
    for earlier in (paths[:2], paths[1::-1], paths[::-1]):
        found = records_with_fewest_axioms(*earlier)["square"]
        assert found == read_log_records(paths[1])["square"]
    assert records_with_fewest_axioms(paths[0])["square"] == read_log_records(paths[0])["square"]
    assert records_with_fewest_axioms(tmp_path / "none.log") == {}


# -- evidence that is of something else ----------------------------------------------------------

X = Symbol("x", real=True)


def claimed(low):
    claim = Claim("square", Ge(X**2 + low, low, evaluate=False), "ours")
    claim.proof(lambda goal: chain(goal.lhs).ge(goal.rhs, by=sign))
    return lambda id: claim


def logged(find, earlier=None, patience=1.0):
    EVIDENCE_CACHE.clear()
    ((record, emission),) = emit_records(["square"], find, None, earlier, patience)
    return json.loads(json.dumps(record)), emission


def test_evidence_is_taken_where_nothing_may_be_searched_for():
    record, _ = logged(claimed(1))
    alone, _ = logged(claimed(1), patience=0)
    assert {line[0] for line in alone["lines"]} == {"unchecked"}
    assert logged(claimed(1), {"square": record}, 0)[0] == record


def test_a_claim_that_says_something_else_takes_nothing():
    record, _ = logged(claimed(1))
    other, emission = logged(claimed(2), {"square": record}, 0)
    assert "unchecked" in {line[0] for line in other["lines"]}
    assert emission.outcomes[0].refusal


FORGERIES = {
    "evidence of another statement": lambda r, o: r.update(lines=o["lines"], terms=o["terms"]),
    "terms of another statement": lambda r, o: r.update(terms=o["terms"]),
    "all of another statement but the steps": lambda r, o: r.update(o | {"steps": r["steps"]}),
    "an inference from itself": lambda r, o: r["lines"][-1].__setitem__(1, [len(r["lines"]) - 1]),
    "an inference that there is not": lambda r, o: [s.__setitem__(2, 99) for s in r["steps"]],
    "an inference from behind": lambda r, o: [s.__setitem__(2, -1) for s in r["steps"]],
    "a claim that is not there": lambda r, o: [s.__setitem__(2, "theorem-5") for s in r["steps"]],
    "no evidence": lambda r, o: [line.__setitem__(slice(3, None), []) for line in r["lines"]],
    "no lines": lambda r, o: r.update(lines=[]),
    "lines that are none": lambda r, o: r.update(lines=[7] * 9),
    "another rule": lambda r, o: [line.__setitem__(0, "assume") for line in r["lines"]],
    "no rule": lambda r, o: [line.__setitem__(0, "trust me") for line in r["lines"]],
    "on trust": lambda r, o: [line.__setitem__(slice(0, 5), ["unchecked", [], "Sign", [], line[3]])
                              for line in r["lines"]],
    "steps that are none": lambda r, o: r.update(steps=[7]),
    "terms that are none": lambda r, o: r.update(terms=[{}]),
}  # fmt: skip


@pytest.mark.parametrize("name", FORGERIES)
def test_an_earlier_log_that_lies_shows_nothing(name, tmp_path):
    record, _ = logged(claimed(1))
    other, _ = logged(claimed(2))
    forged = copy.deepcopy(record)
    FORGERIES[name](forged, other)
    # Nothing may be searched for: what has evidence has it from the earlier log.
    found, emission = logged(claimed(1), {"square": forged}, 0)
    assert found["statement"] == record["statement"]
    (claim,) = recheck(rewritten(tmp_path / "a.log", [found]))
    # It has none, is said to have none, and says so of itself.
    assert emission.outcomes[0].refusal
    assert claim.axioms == claim.steps[0].axioms == {"unchecked: Sign"}
    # Where there is time to search, the lie makes no difference.
    assert logged(claimed(1), {"square": forged})[0] == record


def test_an_earlier_log_that_cannot_be_read_is_none(tmp_path):
    for data in (b"", b"\0\xff\n", b"[]\n", b'{"a": 1}\n{"b": 2}\n', b"\xfd7zXZ\0nonsense"):
        path = tmp_path / "some.log"
        path.write_bytes(data)
        assert read_log_records(path) == {}


def test_a_digest_made_anew_does_not_help(part, tmp_path):
    """The log of the package with a statement weakened, and one made stronger."""
    for change in (
        lambda r: r.update(statement=["=", ["n", 0, 1], ["n", 1, 1]]),
        lambda r: r.update(axioms=[]),
        lambda r: r["lines"].pop(),
    ):
        lines, before = [], ""
        for number, text in enumerate(read_log_text_lines(part)):
            record = json.loads(text)
            if number == 1:
                change(record)
            before = record["digest"] = chained_digest(before, record)
            lines.append(json.dumps(record, separators=(",", ":")))
        path = tmp_path / "forged.log.xz"
        path.write_bytes(lzma.compress(("\n".join(lines) + "\n").encode()))
        with pytest.raises(Rejected, match="line 2"):
            recheck(path)

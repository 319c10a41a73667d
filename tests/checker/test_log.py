"""The log: what is written is judged again, and what is forged is refused."""

from __future__ import annotations

import ast
import json
import lzma
import subprocess
import sys
from pathlib import Path

import pytest

import slrsym.checker
import slrsym.checker.log
from slrsym.checker import ProvedClaims, Rejected, recheck
from slrsym.checker.log import FORMAT, chained_digest
from slrsym.checker.term import definedness_equation, num, work
from slrsym.prover.tactics.log_records import RecordingProofBuilder, log_lines
from tests.checker import reference
from tests.checker.terms import N, X, Y

ZERO, ONE = num(0), num(1)


def records():
    """Two claims, the second of which rests on the first."""
    book = ProvedClaims()
    first = RecordingProofBuilder(book)
    line = first.add("symbol", (), Y)
    line = first.add("logic", [line], (), ("<", ZERO, Y))
    first.record_step("1", "symbol", line)
    made = [first.finish_claim("positive", ("<", ZERO, Y), (), line)]
    second = RecordingProofBuilder(book)
    line = second.add("instance", [book.cite("positive")], ((Y, X),))
    made.append(
        second.finish_claim(
            "again", ("<", ZERO, X), (("<", ZERO, X), definedness_equation(X)), line
        )
    )
    return made


def log(path, made, header=None):
    path.write_text("".join(f"{line}\n" for line in log_lines(header or {"seed": 1}, made)))
    return path


def test_what_is_written_is_accepted_and_the_same_again(tmp_path):
    path = log(tmp_path / "a.log", records())
    judged = recheck(path)
    assert [j.id for j in judged] == ["positive", "again"]
    (step,) = judged[0].steps
    assert (step.label, step.rule, step.axioms) == ("1", "symbol", frozenset())
    assert log(tmp_path / "b.log", records()).read_bytes() == path.read_bytes()


def test_each_byte_of_a_log_allows_work(tmp_path, monkeypatch):
    path = log(tmp_path / "a.log", records())
    monkeypatch.setattr("slrsym.checker.log.WORK", 0)
    left = []
    monkeypatch.setattr(
        "slrsym.checker.log._parse_line",
        lambda text, parse=slrsym.checker.log._parse_line: left.append(work.left) or parse(text),
    )
    recheck(path)
    first, *_ = path.read_bytes().splitlines(keepends=True)
    assert left[0] == 100 * len(first)


def _forge(change):
    made = json.loads(json.dumps(records()))
    change(made)
    return made


FORGERIES = {
    "statement": lambda m: m[0].update(statement=["<", ["n", 1, 1], ["s", "y", "R>0"]]),
    "sort": lambda m: m[0].update(statement=["<", ["n", 0, 1], ["s", "y", "R"]]),
    "no formula": lambda m: m[0].update(statement=["n", 0, 1]),
    "hypothesis left out": lambda m: m[1].update(given=[]),
    "hypothesis that is none": lambda m: m[1].update(given=[["pi"]]),
    "axioms": lambda m: m[0].update(axioms=["all is well"]),
    "field": lambda m: m[0].update(more=1),
    "lacking field": lambda m: m[0].pop("steps"),
    "kind of a field": lambda m: m[0].update(steps={}),
    "order of claims": lambda m: m.reverse(),
    "twice": lambda m: m.insert(1, m[0]),
    "shown": lambda m: m[0].update(shown=7),
    "shown before": lambda m: m[0].update(shown=-1),
    "shown elsewhere": lambda m: m[1].update(shown="positive"),
    "step": lambda m: m[0]["steps"][0].__setitem__(2, 0),
    "fields of a step": lambda m: m[0]["steps"][0].append(1),
    "name of a step": lambda m: m[0]["steps"][0].__setitem__(0, 1),
    "rule": lambda m: m[0]["lines"][0].__setitem__(0, "truth"),
    "rule of another kind": lambda m: m[0]["lines"][0].__setitem__(0, "chain"),
    "premise": lambda m: m[0]["lines"][1].__setitem__(1, [1]),
    "no premise": lambda m: m[0]["lines"][1].__setitem__(1, []),
    "claim of a premise": lambda m: m[1]["lines"][0].__setitem__(1, ["negative"]),
    "line": lambda m: m[0]["lines"].append("logic"),
    "list": lambda m: m[0]["lines"][1].__setitem__(2, 3),
    "pairs": lambda m: m[1]["lines"][0].__setitem__(2, [[0]]),
    "function": lambda m: m[1]["lines"][0].__setitem__(2, [[["u", "f", "R"], 0]]),
    "row": lambda m: m[0]["terms"][0].__setitem__(1, "z"),
    "later row": lambda m: m[0]["terms"].insert(0, ["+", 1, 2]),
    "two symbols of a name": lambda m: m[0].update(
        given=[["<", ["s", "y", "R"], ["s", "y", "R>0"]]]
    ),
    "unchecked without a name": lambda m: m[0]["lines"].append(["unchecked", [], "", [], 0]),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_forged_logs_are_refused(name, tmp_path):
    with pytest.raises(Rejected, match="line"):
        recheck(log(tmp_path / "f.log", _forge(FORGERIES[name])))


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace('"seed":1', '"seed":2'),
        lambda text: text.replace('"extensions":[]', '"extensions":["textbook"]'),
        lambda text: text.replace('"label":"1"', '"label":"2"').replace(
            '["1","symbol"', '["2","s"'
        ),
        lambda text: text.replace(FORMAT, "slrsym proof log 2"),
        lambda text: "\n".join(text.splitlines()[:1] + text.splitlines()[2:]) + "\n",
        lambda text: text[:-1],
        lambda text: "",
        lambda text: text.splitlines()[0] + "\n",
        lambda text: text + "no json\n",
        lambda text: text + "[1]\n",
        lambda text: text + '{"a": 1.5}\n',
        lambda text: text + '{"a": NaN}\n',
        lambda text: text + '{"a": 1, "a": 1}\n',
        lambda text: text + "[" * 100_000 + "\n",
    ],
)
def test_files_that_were_changed_are_refused(change, tmp_path):
    path = log(tmp_path / "f.log", records())
    text = path.read_text()
    assert change(text) != text
    path.write_text(change(text))
    with pytest.raises(Rejected):
        recheck(path)


def _in_streams(text, cut):
    """A log of two streams, and the second of them as it is and in the older format."""
    parts = [text[:cut], text[cut:]]
    first, second = map(lzma.compress, parts)
    return first, second, lzma.compress(parts[1], format=lzma.FORMAT_ALONE)


STREAMS = {
    "two": (True, lambda text, a, b, old: a + b),
    "one": (True, lambda text, a, b, old: lzma.compress(text)),
    "empty": (True, lambda text, a, b, old: lzma.compress(b"") + a + b + lzma.compress(b"")),
    "twice": (False, lambda text, a, b, old: a + b + b),
    "after": (False, lambda text, a, b, old: a + b + b"\n"),
    "long after": (False, lambda text, a, b, old: a + b + b"0" * 100_000),
    "lines after": (False, lambda text, a, b, old: lzma.compress(text) + text),
    "lines at the end": (False, lambda text, a, b, old: a + text),
    "padding": (False, lambda text, a, b, old: a + b + b"\0" * 4),
    "padding between": (False, lambda text, a, b, old: a + b"\0" * 4 + b),
    "older": (False, lambda text, a, b, old: a + old),
    "older after": (False, lambda text, a, b, old: lzma.compress(text) + old),
    "cut": (False, lambda text, a, b, old: a + b[:-1]),
    "cut after": (False, lambda text, a, b, old: a + b + a[:10]),
    "half": (False, lambda text, a, b, old: a),
}


@pytest.mark.parametrize("case", STREAMS)
@pytest.mark.parametrize("block", [1, 7, 8192])
def test_a_packed_log_is_streams_and_nothing_else(case, block, tmp_path, monkeypatch):
    """Both checkers refuse a file that `lzma.LZMAFile` reads in part."""
    monkeypatch.setattr("io.DEFAULT_BUFFER_SIZE", block)
    path = log(tmp_path / "f.log", records())
    text, (is_good, pack) = path.read_bytes(), STREAMS[case]
    for cut in (text.index(b"\n") + 1, 100):
        path.write_bytes(pack(text, *_in_streams(text, cut)))
        if is_good:
            assert len(recheck(path)) == len(reference.recheck(path)) == 2
        else:
            for check, refusal in ((recheck, Rejected), (reference.recheck, reference.Refused)):
                with pytest.raises(refusal):
                    check(path)


@pytest.mark.parametrize("limit", ["_MOST", "_LARGEST"])
def test_a_log_of_too_many_lines_or_bytes_is_refused(limit, tmp_path, monkeypatch):
    path = log(tmp_path / "f.log", records())
    text = path.read_bytes()
    size = {"_MOST": text.count(b"\n"), "_LARGEST": len(text)}[limit]
    monkeypatch.setattr(f"slrsym.checker.log.{limit}", size)
    recheck(path)
    monkeypatch.setattr(f"slrsym.checker.log.{limit}", size - 1)
    with pytest.raises(Rejected, match="more than a log may hold"):
        recheck(path)


def test_another_format_is_refused_whatever_itsdigest(tmp_path):
    record = {"format": "other"}
    path = tmp_path / "f.log"
    path.write_text(json.dumps({**record, "digest": chained_digest("", record)}) + "\n")
    with pytest.raises(Rejected, match="format"):
        recheck(path)


@pytest.mark.parametrize("label", ["\x1b[1A\x1b[2K", "a\nb", "", " 1", "ä", "a" * 201])
@pytest.mark.parametrize("place", [0, 1])
def test_nothing_that_is_shown_has_a_command_for_a_terminal(tmp_path, label, place):
    def change(record):
        record["steps"][0][place] = label

    with pytest.raises(Rejected) as refused:
        recheck(with_a_step(tmp_path, change, make=lambda s: s.add("symbol", (), X)))
    assert str(refused.value).isascii()
    assert str(refused.value).isprintable()
    made = records()
    made[0]["claim"] = label
    with pytest.raises(Rejected) as refused:
        recheck(log(tmp_path / "a.log", made))
    assert str(refused.value).isascii()
    assert str(refused.value).isprintable()


def test_a_header_has_no_other_fields(tmp_path):
    with pytest.raises(Rejected, match="fields"):
        recheck(log(tmp_path / "a.log", records(), {"seed": 1, "more": 0}))


# -- what steps suppose ----------------------------------------------------------------------------

FALSE = ("=", ZERO, ONE)


def with_a_step(tmp_path, change=None, given=(), make=None):
    """A log whose second step says 0 = 1, if that is supposed."""
    script = RecordingProofBuilder(ProvedClaims())
    first = script.add("symbol", (), Y)
    first = script.add("logic", [first], (), ("<", ZERO, Y))
    script.record_step("1", "symbol", first)
    line = make(script) if make else script.add("assume", (), FALSE)
    script.record_step("2", "algebra", line)
    record = json.loads(json.dumps(script.finish_claim("claim", ("<", ZERO, Y), given, first)))
    if change:
        change(record)
    return log(tmp_path / "s.log", [record])


def by_logic(script):
    line = script.add("assume", (), FALSE)
    return script.add("logic", [line], (FALSE,), FALSE)


def by_logic_alone(script):
    return script.add("logic", (), (FALSE,), FALSE)


def by_chain(script):
    line = script.add("assume", (), FALSE)
    return script.add("chain", [line])


def by_rewriting(script):
    line = script.add("assume", (), FALSE)
    return script.add("rewrite", [line, line], [])


def by_cases(script):
    other = ("or", FALSE, FALSE)
    return script.add("logic", [script.add("assume", (), FALSE)], (other, FALSE), FALSE)


def by_taking_apart(script):
    return script.add("logic", (), (("and", FALSE),), FALSE)


def by_a_denial(script):
    return script.add("logic", (), (("not", ("or", ("not", FALSE), FALSE)),), FALSE)


MAKERS = [None, by_logic, by_logic_alone, by_chain, by_rewriting, by_cases, by_taking_apart,
          by_a_denial]  # fmt: skip


@pytest.mark.parametrize("make", MAKERS)
def test_a_step_does_not_suppose_what_it_says(tmp_path, make):
    with pytest.raises(Rejected, match="step 2 supposes what it says"):
        recheck(with_a_step(tmp_path, make=make))


@pytest.mark.parametrize(
    "change",
    [
        lambda record: record["steps"][1].__setitem__(4, []),
        lambda record: record["steps"][1].pop(),
        lambda record: record["steps"][1].__setitem__(4, record["steps"][1][4] * 2 + [0]),
        lambda record: record["steps"][1].__setitem__(4, [0]),
        lambda record: record["steps"][1].__setitem__(4, "none"),
        lambda record: record["steps"][0].__setitem__(4, record["steps"][1][4]),
    ],
)
def test_a_step_lists_the_hypotheses_that_it_has(tmp_path, change):
    with pytest.raises(Rejected, match="line 2"):
        recheck(with_a_step(tmp_path, change))


def test_a_step_may_repeat_what_its_claim_supposes(tmp_path):
    (claim,) = recheck(with_a_step(tmp_path, given=(FALSE,)))
    assert claim.steps[1].hypotheses == (FALSE,)


def test_a_proof_may_not_suppose_more_than_its_claim():
    book = ProvedClaims()
    script = RecordingProofBuilder(book)
    line = script.add("assume", (), ("<", ZERO, X))
    with pytest.raises(Rejected, match="supposes more"):
        script.finish_claim("free", ("<", ZERO, X), (), line)
    assert list(book) == []


def test_what_is_not_checked_is_named(tmp_path):
    script = RecordingProofBuilder(ProvedClaims())
    line = script.add("unchecked", (), "a hope", (), ("<", ZERO, N))
    (judged,) = recheck(
        log(tmp_path / "a.log", [script.finish_claim("hope", ("<", ZERO, N), (), line)])
    )
    assert judged.axioms == {"unchecked: a hope"}


def test_the_kernel_runs_without_the_libraries_of_the_search():
    code = """
import sys
class Block:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("sympy", "numpy", "scipy", "mpmath"):
            raise ImportError(name)
sys.meta_path.insert(0, Block())
import slrsym.checker
"""
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("path", sorted(Path(slrsym.checker.__file__).parent.glob("*.py")))
def test_the_kernel_imports_flint_and_itself_alone(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = (
                [node.module] if isinstance(node, ast.ImportFrom) else [a.name for a in node.names]
            )
            for name in names:
                known = name.split(".")[0] in {*sys.stdlib_module_names, "flint"}
                assert known or name.startswith("slrsym.checker"), name

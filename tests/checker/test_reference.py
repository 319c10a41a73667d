"""The second checker, written from the specification alone, judges as the first one does."""

from __future__ import annotations

import json
import random
import re
from fractions import Fraction
from pathlib import Path

import mpmath
import pytest

from slrsym.checker import recheck
from slrsym.prover.tactics.bundled_log import BUNDLED_LOG
from slrsym.prover.tactics.log_reuse import read_log_records
from tests._profile import one_in, thorough_only
from tests.checker.reference.enclosures import Enclosures

from . import reference
from .test_forged_logs import FORGERIES, good, text_of
from .test_learned_facts import owens


@thorough_only
def test_both_checkers_accept_the_shipped_log():
    """Every inference, the statement of every step with its hypotheses, and all axioms.

    The first one refuses a record of other axioms than it finds; ``slrsym recheck`` judges all.
    """
    records = read_log_records(BUNDLED_LOG).values()
    first = [(made["claim"], len(made["steps"]), set(made["axioms"])) for made in records]
    second = reference.recheck(BUNDLED_LOG)
    assert sum(steps for _, steps, _ in second) == 3842
    assert [(id, steps, set(axioms)) for id, steps, axioms in second] == first


def test_both_accept_a_good_log(tmp_path):
    path = tmp_path / "good.log"
    path.write_text(text_of(good()))
    assert [id for id, _, _ in reference.recheck(path)] == [r["claim"] for r in good()]


def test_both_accept_the_example_of_the_specification(tmp_path):
    page = (Path(__file__).parents[2] / "docs" / "reference" / "checker.md").read_text("utf-8")
    (example,) = re.findall(r"```text\n(\{\"format\".*?)```", page, re.DOTALL)
    header, record = example.split("\n", 1)
    path = tmp_path / "example.log"
    # The page shows the record in several lines.
    path.write_text(f"{header}\n{record.replace(chr(10), ' ').strip()}\n", encoding="utf-8")
    assert [found.id for found in recheck(path)] == ["positive"]
    assert reference.recheck(path) == [("positive", 1, frozenset())]


@pytest.mark.parametrize("name", one_in(10, list(FORGERIES)))
def test_the_second_one_refuses_forged_logs(name, tmp_path):
    path = tmp_path / "forged.log"
    path.write_text(FORGERIES[name](), encoding="utf-8")
    with pytest.raises((reference.Refused, UnicodeDecodeError)):
        reference.recheck(path)


VALUES = {
    "exp": mpmath.exp, "log": mpmath.log, "erf": mpmath.erf, "asin": mpmath.asin,
    "atan": mpmath.atan, "sin": mpmath.sin, "cos": mpmath.cos, "sinh": mpmath.sinh,
    "cosh": mpmath.cosh, "tanh": mpmath.tanh, "abs": abs, "owens": owens,
}  # fmt: skip


@pytest.mark.parametrize("name", VALUES)
def test_enclosures_of_the_second_one_contain_the_values(name):
    rng = random.Random(name)
    with mpmath.workdps(60):
        for _ in range(20):
            x, a = Fraction(rng.randint(-4000, 4000), 1000), Fraction(rng.randint(0, 1000), 1000)
            first = abs(x) + 1 if name == "log" else a if name == "asin" else x
            ends = [(first, first)] + ([(a, a)] if name == "owens" else [])
            low, high = Enclosures(64).function(name, ends)
            value = VALUES[name](*(mpmath.mpf(e.numerator) / e.denominator for e, _ in ends))
            assert real(low) <= value <= real(high), ends
            assert high - low < Fraction(1, 2**50), ends


def real(q: Fraction) -> mpmath.mpf:
    return mpmath.mpf(q.numerator) / q.denominator


JUNK = [
    None, True, 0, -1, 2, 10**30, 1 << 9000, "", "x", "n", "E", "Z>0", "\ud800", [], {}, [[]],
    ["oo"], ["pi"], ["s", 3, "R"], ["s", "x", ["R"]], ["gauss", "a"], ["gauss", 10**9],
    ["o", ["a"]], ["lam", [["n", 1, 1]], [["pi"]], []], ["d", 1, [["pi"]], [["pi"]], [["pi"]]],
    ["u", "f", "R", ["a"], ["pi"]], ["copies", [["s", "g", "R"]], [["pi"]], []], "1/0",
]  # fmt: skip


def changed(rng: random.Random, record: dict) -> dict:
    """Return the record with junk, or nothing, in one place of its lists."""
    places = []

    def collect(data: list) -> None:
        for i, part in enumerate(data):
            places.append((data, i))
            if isinstance(part, list):
                collect(part)

    for part in record.values():
        if isinstance(part, list):
            collect(part)
    data, i = rng.choice(places)
    if rng.random() < 0.2:
        del data[i]
    else:
        data[i] = rng.choice(JUNK)
    return record


@pytest.mark.parametrize("seed", one_in(10, range(400)))
def test_malformed_records_are_refused_and_end_in_nothing_else(seed, tmp_path):
    rng, records = random.Random(seed), good()
    at = rng.randrange(len(records))
    records[at] = changed(rng, records[at])
    path = tmp_path / "changed.log"
    path.write_text(text_of(json.loads(json.dumps(records))), encoding="utf-8")
    try:
        reference.recheck(path)
    except reference.Refused:
        return

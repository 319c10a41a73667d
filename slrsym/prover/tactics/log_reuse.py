"""Reuse of an earlier log: its evidence for unchanged steps, checked again."""

from __future__ import annotations

import json
import lzma
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from slrsym.checker import Inference, ProofBuilder, Rejected
from slrsym.checker.log import parse_inference_arguments, read_log_text_lines
from slrsym.checker.term import Term, TermReader, canonical_key


def records_with_fewest_axioms(*paths: Path) -> dict[str, dict[str, Any]]:
    """Return, for each claim, the record with the fewest unproved axioms among several logs."""
    found: dict[str, dict[str, Any]] = {}
    for path in paths:
        for id, record in read_log_records(path).items():
            if id not in found or _count_unproved_axioms(record) < _count_unproved_axioms(
                found[id]
            ):
                found[id] = record
    return found


def _count_unproved_axioms(record: Mapping[str, Any]) -> float:
    """Return the number of axioms that a record adds without evidence; infinite if malformed."""
    try:
        return float(sum(line[0] == "unchecked" for line in record["lines"]))
    except (KeyError, IndexError, TypeError):
        return math.inf


def read_log_records(path: Path) -> dict[str, dict[str, Any]]:
    """Return the records of a log by claim, without checking them; none if it is unreadable."""
    try:
        found = [json.loads(text) for text in read_log_text_lines(path)]
        return {record["claim"]: record for record in found[1:]}
    except (OSError, EOFError, lzma.LZMAError, ValueError, KeyError, TypeError, Rejected):
        return {}


def unchecked_steps_with_axioms(path: Path) -> Iterator[tuple[str, str, str]]:
    """Yield the claim, label and axioms of each step that a log accepts without evidence."""
    for record in read_log_records(path).values():
        ends, seen = {end for _, _, end, *_ in record["steps"]}, set[int]()
        for label, _, end, *_ in record["steps"]:
            trusted, ahead = dict[int, str](), [end]
            while ahead:
                at = ahead.pop()
                # Otherwise it is another claim, or an inference of an earlier step.
                if isinstance(at, int) and at not in seen:
                    seen.add(at)
                    name, premises, *data = record["lines"][at]
                    ahead += (p for p in premises if p not in ends)
                    if name == "unchecked":
                        trusted[at] = data[0]
            if trusted:
                said = dict.fromkeys(trusted[at] for at in sorted(trusted))
                yield record["claim"], label, ", ".join(said)


class EarlierInferences:
    """The inferences of a claim in an earlier log, which are replayed step by step."""

    def __init__(self, record: Mapping[str, Any]) -> None:
        self._lines: list[Any] = record.get("lines", [])
        self._reader = TermReader()
        # The last inference of each step, by the step's label, rule and statement.
        self._ends_of_steps: dict[tuple[str, str, str], int | str] = {}
        # The new inferences, by the numbers of the old ones that they replay.
        self._new_inferences: dict[int | str, Inference] = {}
        try:
            for row in record.get("terms", ()):
                self._reader.add(row)
            for label, name, end, said, *_ in record.get("steps", ()):
                self._ends_of_steps[label, name, canonical_key(self._reader.read(said))] = end
        # A malformed record has no evidence.
        except Exception:
            self._ends_of_steps = {}

    def replay_step(self, script: ProofBuilder, label: str, name: str, wanted: Term) -> Inference:
        """Replay the inferences by which an earlier log proved the step, or raise `Rejected`."""
        end = self._ends_of_steps.get((label, name, canonical_key(wanted)))
        if end is None:
            raise Rejected("no earlier log has the step")
        try:
            return self._replay_inference(script, end)
        except Rejected:
            raise
        except Exception as reason:
            raise Rejected(f"malformed: {type(reason).__name__}") from None

    def register_new_inference(self, label: str, name: str, wanted: Term, line: Inference) -> None:
        """Record the inference that now proves a step, for replayed steps that cite the old one."""
        end = self._ends_of_steps.get((label, name, canonical_key(wanted)))
        if isinstance(end, int):
            self._new_inferences[end] = line

    def forget_from(self, mark: int) -> None:
        """Forget the inferences from a given number on, which have been undone."""
        self._new_inferences = {
            k: line for k, line in self._new_inferences.items()
            if isinstance(line.number, str) or line.number < mark
        }  # fmt: skip

    def _replay_inference(self, script: ProofBuilder, number: int | str) -> Inference:
        """Replay an inference, and those before it that it needs, in a new proof."""
        if isinstance(number, str):
            return script.find_premise(number)
        if number < 0:
            raise Rejected("no inference")
        open_ones = [number]
        while open_ones:
            at = open_ones[-1]
            name, premises, *data = self._lines[at]
            if at in self._new_inferences:
                open_ones.pop()
                continue
            if name == "unchecked":
                raise Rejected("the earlier log has no evidence for the step")
            if before := [
                p for p in premises if isinstance(p, int) and p not in self._new_inferences
            ]:
                if any(not 0 <= p < at for p in before):
                    raise Rejected("an inference from a later one")
                open_ones += before
                continue
            lines = [
                script.find_premise(p) if isinstance(p, str) else self._new_inferences[p]
                for p in premises
            ]
            self._new_inferences[at] = script.add(
                name, lines, *parse_inference_arguments(name, data, self._reader)
            )
        return self._new_inferences[number]

"""Records of claims in a proof log, and the lines of its file."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from slrsym.checker.extension_heads import EXTENSION_HEADS
from slrsym.checker.log import (
    EXTENSIONS,
    FORMAT,
    Inference,
    ProofBuilder,
    ProvedClaims,
    chained_digest,
    load_extensions,
)
from slrsym.checker.term import (
    BINDERS,
    PARAMETERS,
    Term,
    require_all_well_formed,
)
from slrsym.checker.theorem import RULES, Theorem

# A proof may use every rule; its record names the extensions that it uses.
load_extensions(sorted(EXTENSIONS))


class TermTable:
    """The table of terms of a record, whose rows refer to earlier rows."""

    def __init__(self) -> None:
        self.rows: list[Any] = []
        self._numbers: dict[Term, int] = {}
        self._seen: dict[int, tuple[Term, int]] = {}

    def row_number(self, t: Term) -> int:
        """Return the row number of a term, adding the row on the first call."""
        if id(t) not in self._seen:
            count = 1 + PARAMETERS[t[0]]
            groups = t[count:] if t[0] in BINDERS else (t[count:],)
            parts = tuple(tuple(map(self.row_number, group)) for group in groups)
            row = (*t[:count], *(parts if t[0] in BINDERS else parts[0]))
            if row not in self._numbers:
                self._numbers[row] = len(self.rows)
                self.rows.append(tuples_to_lists(row))
            # The term is kept as well, so that its identity is not used again.
            self._seen[id(t)] = (t, self._numbers[row])
        return self._seen[id(t)][1]


def tuples_to_lists(t: Any) -> Any:
    """Convert nested tuples to lists for JSON."""
    return [tuples_to_lists(p) for p in t] if isinstance(t, tuple) else t


class RecordingProofBuilder(ProofBuilder):
    """Builder of the proof of one claim that records every inference for the log."""

    def __init__(self, proved_claims: ProvedClaims) -> None:
        super().__init__(proved_claims)
        self.lines: list[tuple[str, list[int | str], tuple[Any, ...]]] = []
        self._steps: list[tuple[str, str, int | str, Theorem]] = []

    def add(self, name: str, premises: Iterable[Inference] = (), *data: Any) -> Inference:
        premises = list(premises)
        # Lists are data for the log, which has no tuples.
        data = tuple([*map(tuples_to_lists, d)] if isinstance(d, list) else d for d in data)
        made = super().add(name, premises, *data)
        self.lines.append((name, [p.number for p in premises], data))
        return made

    def record_step(self, label: str, name: str, shown: Inference) -> None:
        """Record that an inference, or a cited claim, proves a step."""
        self._steps.append((label, name, shown.number, shown.theorem))

    def undo_from(self, mark: int) -> None:
        """Forget all inferences from a given number on."""
        del self.lines[mark:], self.theorems[mark:]

    def finish_claim(
        self, id: str, statement: Term, given: Sequence[Term], shown: Inference
    ) -> dict[str, Any]:
        """Add the claim to the proved claims, and return its log record."""
        self.claims.enter(id, statement, given, shown.theorem)
        table = TermTable()
        lines = []
        for name, premises, data in self.lines:
            kinds = zip(RULES[name].kinds, data, strict=True)
            lines.append([name, premises, *(_encode_argument(k, d, table) for k, d in kinds)])
        steps = [
            [
                *words,
                table.row_number(shown.conclusion),
                [*map(table.row_number, _sorted_hypotheses(shown))],
            ]
            for *words, shown in self._steps
        ]
        heads = {row[0] for row in table.rows if type(row) is list}
        used = {RULES[name].extension for name, *_ in self.lines} - {""}
        used |= {EXTENSION_HEADS[head].extension for head in heads if head in EXTENSION_HEADS}
        used |= require_all_well_formed((statement, *given))
        return {
            "claim": id,
            "extensions": sorted(used),
            "given": [tuples_to_lists(h) for h in given],
            "statement": tuples_to_lists(statement),
            "terms": table.rows,
            "lines": lines,
            "steps": steps,
            "shown": shown.number,
            "axioms": sorted(shown.theorem.axioms),
        }


def _sorted_hypotheses(theorem: Theorem) -> list[Term]:
    return [theorem.hypotheses[k] for k in sorted(theorem.hypotheses)]


def _encode_argument(kind: str, data: Any, table: TermTable) -> Any:
    """Encode an argument of an inference for the log, by its kind."""
    if kind == "json":
        return data
    if kind == "t":
        return table.row_number(data)
    if kind == "ts":
        return [table.row_number(t) for t in data]
    number = table.row_number
    return [[list(s) if s[0] in ("u", "ix") else number(s), number(v)] for s, v in data]


def log_lines(header: Mapping[str, Any], records: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the lines of a log file: first the header, then the records."""
    before, claims = "", list(records)
    first = {"extensions": [], **header, "format": FORMAT, "claims": len(claims)}
    for record in (first, *claims):
        before = chained_digest(before, record)
        yield json.dumps({**record, "digest": before}, separators=(",", ":"), ensure_ascii=True)


def extensions_of_records(records: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the extensions that the header of a log of these records has to name."""
    return sorted({name for record in records for name in record["extensions"]})

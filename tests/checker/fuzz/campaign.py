"""Make inferences for both checkers row by row, and count what they said."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from random import Random

from . import (  # noqa: F401
    analytic,
    flows,
    function_rules,
    gaussian,
    logical,
    matrix_rules,
    numeric,
    orbits,
    with_matrices,
)
from .both import Inference, Judges, Outcome
from .bundled import LONGEST, bundled, length
from .generators import GENERATORS, Maker, attempt
from .mutation import Mutator

# How many inferences are made between two times that terms are forgotten.
_BATCH = 3_000


@dataclass
class Tally:
    """What was made and found."""

    rows: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    found: list[tuple[Inference, Outcome]] = field(default_factory=list)

    def enter(self, made: Inference, outcome: Outcome, row: str, is_near: bool) -> None:
        """Count an inference; one that differs by one change from an accepted one is near."""
        counts = self.rows[row]
        counts["made"] += 1
        counts[outcome.verdict] += 1
        counts["near"] += is_near and outcome.verdict == "refused"
        if outcome.verdict in ("different", "false"):
            self.found.append((made, outcome))

    def total(self, what: str) -> int:
        return sum(counts[what] for counts in self.rows.values())

    def least(self, row: str) -> int:
        """Return how many were accepted, or how many were near misses, whichever is less."""
        return min(self.rows[row]["accepted"], self.rows[row]["near"])

    def table(self) -> str:
        """Return the table of all rows, and their sum."""
        heads = ("made", "accepted", "refused", "near", "limit", "different", "false")
        lines = [f"{'rule':40}" + "".join(f"{h:>11}" for h in heads)]
        for row in sorted(self.rows):
            lines.append(f"{row:40}" + "".join(f"{self.rows[row][h]:>11,}" for h in heads))
        return "\n".join([*lines, f"{'all':40}" + "".join(f"{self.total(h):>11,}" for h in heads)])


class Campaign:
    """A seeded run: its judges, generators, mutator, and inferences of the bundled log."""

    def __init__(self, seed: int, few: int = 0) -> None:
        self.rng = Random(seed)
        self.judges = Judges()
        self.maker = Maker(self.rng, self.judges)
        self.logged: dict[str, list[Inference]] = defaultdict(list)
        for made in bundled(self.judges, few, seed) if few >= 0 else ():
            if length(made) <= LONGEST and made.rule != "numbers":
                self.logged[made.row].append(made)
        t = self.maker.t
        self.facts = [self.maker.fact(t.formula(2), t.hypotheses()) for _ in range(40)]
        self.facts += [p for found in self.logged.values() for made in found for p in made.premises]
        self.mutator = Mutator(self.rng, self.judges, lambda: self.rng.sample(self.facts, 2))
        self.judges.mark()

    def run(self, count: int, rows: Sequence[str] = (), stop: bool = False, each: int = 0) -> Tally:
        """Make so many inferences, evenly over the rows; until the first difference if asked.

        Rows of which fewer than `each` are accepted, or near misses, go on after that. An
        interrupt ends it early.
        """
        tally = Tally()
        with suppress(KeyboardInterrupt):
            self._rounds(tally, count, [*(rows or GENERATORS)], stop, each)
        return tally

    def _rounds(self, tally: Tally, count: int, rows: Sequence[str], stop: bool, each: int) -> None:
        batch, rounds = _BATCH, 0
        while True:
            rounds += 1
            # Rows of which few are accepted, or nearly so, have every other round for themselves.
            chosen = rows if rounds % 2 else sorted(rows, key=tally.least)[: len(rows) // 4 + 1]
            if tally.total("made") >= count:
                chosen = [row for row in rows if tally.least(row) < each]
            for row in chosen:
                self._family(row, tally)
                is_enough = tally.total("made") >= count
                if (is_enough and not each) or (stop and tally.found):
                    return
            if not chosen:
                return
            if tally.total("made") > batch:
                batch += _BATCH
                self.judges.forget()

    def _family(self, row: str, tally: Tally) -> None:
        """Make an inference, and some that differ from it by one change, and from these."""
        if self.logged[row] and self.rng.random() < 0.35:
            base = self.rng.choice(self.logged[row])
        else:
            made = attempt(row, self.maker)
            if made is None:
                return
            base, outcome = made, self._judged(row, made)
            tally.enter(base, outcome, row, False)
            if outcome.verdict != "accepted":
                return
        for _ in range(self.rng.choice((2, 3, 5))):
            changed = self._changed(row, base)
            if changed is None:
                continue
            outcome = self._judged(row, changed)
            tally.enter(changed, outcome, row, True)
            if outcome.verdict == "accepted" and self.rng.random() < 0.3:
                base = changed

    def _judged(self, row: str, made: Inference) -> Outcome:
        """Judge an inference, and compare what is accepted of functions with coordinates."""
        outcome = self.judges(made)
        is_of_functions = row in function_rules.DRAFTS
        return function_rules.compared(made, outcome, self.rng) if is_of_functions else outcome

    def _changed(self, row: str, made: Inference) -> Inference | None:
        if row in function_rules.DRAFTS and self.rng.random() < 0.5:
            return function_rules.changed(self.rng, made, self.judges)
        return self.mutator(made)

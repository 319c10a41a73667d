"""Search for the certificate of a statement over a box of parameters."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from typing import Any

from slrsym.balls.box_functions import CertificatePart
from slrsym.balls.boxes import NATURAL, UNDECIDED, Box, Range, box_volume, decimal_text_below
from slrsym.balls.branch_and_bound import (
    Budget,
    Subdivision,
    is_positivity_refuted_at,
    isolate_zeros,
    prove_positive,
    volume_fraction,
)
from slrsym.kernels.arguments import require_integer
from slrsym.prover.certificates.certificate import (
    Certificate,
    CertificateOutcome,
    Counterexample,
    PartSubdivision,
    Piece,
    UndecidedBoxesSummary,
    describe_box,
)
from slrsym.prover.certificates.kinds import certificate_kinds

DIGITS = 30
MAX_BOXES = 200_000

# What is tried for a box of parameters before it is cut.
_STINT = 400

# Ranges that are narrower, as part of their ends, are not cut.
_NARROW = 1e-5

# Solutions of (14) that are always there.
CORNERS = 4


@dataclass
class _Run:
    kind: str
    parts: tuple[CertificatePart, ...]
    digits: int
    budget: Budget
    suspects: tuple[Box, ...]
    tree: list[str] = field(default_factory=list)
    pieces: list[Piece] = field(default_factory=list)
    margins: dict[str, Any] = field(default_factory=dict)
    undecided: list[UndecidedBoxesSummary] = field(default_factory=list)
    counterexample: Counterexample | None = None
    counts: set[int] = field(default_factory=set)

    def over(self, parameters: dict[str, Range]) -> None:
        if self.counterexample is not None:
            self._note(parameters, {}, shown=False)
            return
        can_cut = any(x.width > _NARROW for x in parameters.values())
        covers = self._covers(
            parameters, self.budget.sub_budget(1, _STINT) if can_cut else self.budget
        )
        refuted = [name for name, cover in covers.items() if cover.counterexample]
        if refuted:
            point = covers[refuted[0]].counterexample
            assert point is not None
            self.counterexample = Counterexample(parameters, refuted[0], point)
        shown = len(covers) == len(self.parts) and all(c.is_complete for c in covers.values())
        if not shown and not refuted and can_cut and not self.budget.is_over:
            axis = max(range(len(parameters)), key=lambda i: list(parameters.values())[i].width)
            name = list(parameters)[axis]
            self.tree.append(str(axis))
            for half in parameters[name].halves():
                self.over(parameters | {name: half})
            return
        self._note(parameters, covers, shown)

    def look_at_corners(self, parameters: dict[str, Range]) -> None:
        """Store a counterexample if conditions fail at suspect points and extreme parameters."""
        (part,) = (part for part in self.parts if part.name == "square")
        for ends in product(*({x.low, x.high} for x in parameters.values())):
            corner = {n: Range(x, x) for n, x in zip(parameters, ends, strict=True)}
            bound = part.bind(corner, self.digits)
            for point in self.suspects:
                if self.counterexample is None and is_positivity_refuted_at(bound, point):
                    self.counterexample = Counterexample(corner, part.name, point)

    def _covers(self, parameters: Mapping[str, Range], budget: Budget) -> dict[str, Subdivision]:
        found = {}
        for part in self.parts:
            bound = part.bind(parameters, self.digits)
            if part.zeros:
                found[part.name] = isolate_zeros(bound, part.domain, budget)
            else:
                found[part.name] = prove_positive(bound, part.domain, budget)
            if not found[part.name].is_complete and found[part.name].counterexample is not None:
                break
        return found

    def _note(
        self, parameters: dict[str, Range], covers: dict[str, Subdivision], shown: bool
    ) -> None:
        self.tree.append(NATURAL if shown else UNDECIDED)
        self.pieces.append(
            {name: PartSubdivision("".join(c.tree), tuple(c.zeros)) for name, c in covers.items()}
        )
        if shown and self.kind == "fixed-points":
            self.counts.add(CORNERS + sum(len(c.zeros) for c in covers.values()))
        for part in self.parts:
            cover = covers.get(part.name)
            if cover is None:
                self._open(parameters, part.name, 1, 1.0, part.domain)
                continue
            for label, margin in zip(part.labels, cover.margins, strict=False):
                known = self.margins.get(label)
                self.margins[label] = margin if known is None or margin < known else known
            if cover.undecided:
                largest = max(cover.undecided, key=box_volume)
                part_of = volume_fraction(cover.undecided, part.domain)
                self._open(parameters, part.name, len(cover.undecided), part_of, largest)

    def _open(self, at: Mapping[str, Range], part: str, boxes: int, share: float, box: Box) -> None:
        sides = " x ".join(f"[{low}, {high}]" for low, high in box)
        self.undecided.append(UndecidedBoxesSummary(describe_box(at), part, boxes, share, sides))


def certify(
    kind: str,
    parameters: Mapping[str, Range],
    numbers: Mapping[str, Fraction] | None = None,
    budget: Budget | None = None,
    digits: int = DIGITS,
    suspects: Iterable[Box] = (),
) -> Certificate:
    """Prove or refute a kind of statement on a box of parameters, and return the certificate."""
    start = time.perf_counter()
    what = certificate_kinds()[kind]
    given = dict(numbers or {})
    budget = budget or Budget(MAX_BOXES)
    digits = require_integer("digits", digits, 10)
    if tuple(parameters) != what.names:
        raise ValueError(f"parameters must be {', '.join(what.names)}; got {', '.join(parameters)}")
    before = budget.used
    run = _Run(kind, what.parts(given), digits, budget, tuple(suspects))
    if run.suspects:
        run.look_at_corners(dict(parameters))
    run.over(dict(parameters))
    false = [fact for fact, holds in what.facts().items() if not holds]
    shown = not run.undecided and run.counterexample is None and not false
    if kind == "fixed-points":
        shown = shown and len(run.counts) == 1
        given["count"] = Fraction(run.counts.pop() if shown else 0)
    verdict = CertificateOutcome.SHOWN if shown else CertificateOutcome.UNDECIDED
    if run.counterexample is not None:
        verdict = CertificateOutcome.REFUTED
    trees = [finding.tree for piece in run.pieces for finding in piece.values()]
    return Certificate(
        kind,
        dict(parameters),
        given,
        verdict,
        digits,
        "".join(run.tree),
        tuple(run.pieces),
        {label: decimal_text_below(x) for label, x in run.margins.items() if x.is_finite()},
        sum(1 for tree in trees for mark in tree if not mark.isdigit()),
        budget.used - before,
        time.perf_counter() - start,
        tuple(run.undecided),
        run.counterexample,
    )

"""Verification of certificates: evaluate the functions once on each box of the subdivision.

Nothing of the search is used here, only what is to be shown, boxes, and balls.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from flint import arb

from slrsym.balls.box_functions import CertificatePart, has_exactly_one_zero
from slrsym.balls.boxes import (
    CENTRED,
    INSIDE,
    NATURAL,
    UNDECIDED,
    Range,
    has_common_point,
    is_strictly_within,
    is_within,
    subdivision_leaves,
)
from slrsym.prover.certificates.certificate import (
    Certificate,
    CertificateError,
    CertificateOutcome,
    PartSubdivision,
    describe_box,
    load,
)
from slrsym.prover.certificates.kinds import certificate_kinds
from slrsym.registry import load_registered


@dataclass(frozen=True)
class CheckResult:
    """The result of checking a certificate: its outcome, or the reason why it is refused.

    Attributes
    ----------
    verdict : Verdict
        What is known by this check; undecided if the certificate is refused.
    refusal : str
        What is wrong with the certificate; empty if nothing.
    boxes : int
        How many leaves were looked at.
    seconds : float
        How long it took.
    """

    verdict: CertificateOutcome
    refusal: str
    boxes: int
    seconds: float

    def _repr_html_(self) -> str:
        return str(
            load_registered("fields.html")(
                self, ["accepted", "verdict", "refusal", "boxes", "seconds"]
            )
        )

    @property
    def accepted(self) -> bool:
        """Whether the check confirms the certificate."""
        return not self.refusal


def check(certificate: Certificate | str | Path) -> CheckResult:
    """Check a certificate, given as an object or a file, and return the result.

    Parameters
    ----------
    certificate : Certificate or path

    Returns
    -------
    Check

    Raises
    ------
    CertificateError
        If a file is no certificate.
    """
    start = time.perf_counter()
    found = certificate if isinstance(certificate, Certificate) else load(certificate)
    checker = _Checker(found)
    refusal, verdict = "", CertificateOutcome.UNDECIDED
    try:
        verdict = checker.verdict()
        if verdict is not found.verdict:
            refusal = f"it says {found.verdict}, and is {verdict}"
            verdict = CertificateOutcome.UNDECIDED
    except (CertificateError, ValueError, ZeroDivisionError) as problem:
        refusal = str(problem)
    return CheckResult(verdict, refusal, checker.boxes, time.perf_counter() - start)


def _require(holds: bool, refusal: str) -> None:
    if not holds:
        raise CertificateError(refusal)


class _Checker:
    def __init__(self, certificate: Certificate) -> None:
        self.certificate = certificate
        self.boxes = 0
        self.open = False

    def verdict(self) -> CertificateOutcome:
        it, kind = self.certificate, certificate_kinds()[self.certificate.kind]
        _require(tuple(it.parameters) == kind.names, f"its parameters are not {kind.names}")
        _require(set(it.numbers) == set(kind.numbers), f"its numbers are not {kind.numbers}")
        parts = {part.name: part for part in kind.parts(it.numbers)}
        if it.verdict is CertificateOutcome.REFUTED:
            self._refute(parts)
            return CertificateOutcome.REFUTED
        for fact, holds in kind.facts().items():
            _require(holds, f"it is not so that {fact}")
        labels = {label for part in parts.values() for label in part.labels}
        _require(labels <= it.margins.keys() or it.undecided != (), "margins are missing")
        marks, pieces = iter(it.tree), iter(it.pieces)
        left: list[tuple[str, str, int]] = []
        for leaf, mark in self._parameter_leaves(it.parameters, marks):
            piece = next(pieces, None)
            _require(piece is not None, "there are fewer pieces than leaves")
            assert piece is not None
            if mark == UNDECIDED:
                for name in parts:
                    boxes = piece[name].tree.count(UNDECIDED) if name in piece else 1
                    left += [(describe_box(leaf), name, boxes)] if boxes else []
                continue
            _require(piece.keys() == parts.keys(), "a piece has not all parts")
            for name, finding in piece.items():
                self._part(parts[name], finding, leaf)
            self._count(piece)
        _require(next(marks, None) is None, "the tree of parameters goes on behind its end")
        _require(next(pieces, None) is None, "there are more pieces than leaves")
        _require(self.open or self.boxes == it.boxes, f"it has {self.boxes} boxes, not {it.boxes}")
        listed = sorted((u.parameters, u.part, u.boxes) for u in it.undecided)
        _require(
            sorted(left) == listed, "what it lists as undecided is not what its trees leave open"
        )
        return CertificateOutcome.UNDECIDED if self.open else CertificateOutcome.SHOWN

    def _parameter_leaves(
        self, box: Mapping[str, Range], marks: Iterator[str]
    ) -> Iterator[tuple[Mapping[str, Range], str]]:
        """Yield the smallest boxes in the subdivision of the parameters, with their marks."""
        mark = next(marks, "")
        if mark in (NATURAL, UNDECIDED):
            self.open = self.open or mark == UNDECIDED
            yield box, mark
        else:
            _require(mark.isdigit() and int(mark) < len(box), f"no mark of parameters: {mark!r}")
            name = list(box)[int(mark)]
            for half in box[name].halves():
                yield from self._parameter_leaves({**box, name: half}, marks)

    def _part(
        self, part: CertificatePart, finding: PartSubdivision, parameters: Mapping[str, Range]
    ) -> None:
        bound = part.bind(parameters, self.certificate.digits)
        for wide, narrow in finding.zeros:
            _require(part.zeros, "zeros are listed where there should be none")
            _require(
                is_within(narrow, wide) and is_strictly_within(wide, part.domain),
                "a zero is astray",
            )
            _require(
                has_exactly_one_zero(bound, wide) and has_exactly_one_zero(bound, narrow),
                "a zero is not certain",
            )
        for i, (wide, _) in enumerate(finding.zeros):
            apart = all(not has_common_point(wide, other) for other, _ in finding.zeros[:i])
            _require(apart, "zeros are counted twice")
        marks = iter(finding.tree)
        for box, mark in subdivision_leaves(part.domain, marks):
            self.boxes += 1
            if mark == INSIDE:
                held = any(is_within(box, wide) for wide, _ in finding.zeros)
                _require(held, "a box is in none of those with one zero")
                continue
            values = (
                bound.centred_enclosure(box) if mark == CENTRED else bound.natural_enclosure(box)
            )
            if part.zeros:
                apart = any(value > 0 or value < 0 for value in values)
                _require(apart, f"a zero is not excluded in {box}")
            else:
                for value, label in zip(values, part.labels, strict=True):
                    margin = arb(self.certificate.margins[label])
                    _require(value > 0 and value > margin, f"{label}: not above {margin} in {box}")
        _require(next(marks, None) is None, f"the tree of {part.name} goes on behind its end")

    def _count(self, piece: Mapping[str, PartSubdivision]) -> None:
        if self.certificate.kind == "fixed-points":
            count = 4 + sum(len(finding.zeros) for finding in piece.values())
            said = self.certificate.numbers["count"]
            _require(count == said, f"it says {said} zeros, and there are {count}")

    def _refute(self, parts: Mapping[str, CertificatePart]) -> None:
        it, point = self.certificate, self.certificate.counterexample
        _require(point is not None, "there is no counterexample")
        assert point is not None
        box = it.parameters
        _require(point.parameters.keys() == box.keys(), "the counterexample is for others")
        for name, x in point.parameters.items():
            astray = x.low < box[name].low or box[name].high < x.high
            _require(not astray, "the counterexample is for other parameters")
        _require(point.part in parts and not parts[point.part].zeros, "it is of no part")
        part = parts[point.part]
        _require(len(point.point) == len(part.domain), "the counterexample is no point")
        _require(is_within(point.point, part.domain), "the counterexample lies outside")
        values = part.bind(point.parameters, it.digits).natural_enclosure(point.point)
        self.boxes = 1
        _require(any(value <= 0 for value in values), "the counterexample is none")

"""Certificates as data: statement, box, subdivision into smaller boxes, and smallest margin."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from pathlib import Path
from typing import Any

from slrsym.balls.boxes import Box, Range, parse_parameter_range, to_flint_rational
from slrsym.files import DamagedFileError, replace_atomically
from slrsym.prover.certificates.kinds import certificate_kinds
from slrsym.registry import load_registered

FORMAT = "slrsym certificate 1"


class CertificateError(DamagedFileError):
    """An error for a file that is not a certificate or is damaged."""


class CertificateOutcome(StrEnum):
    """The outcome of a certification: shown to hold, refuted, or undecided."""

    SHOWN = "shown"
    REFUTED = "refuted"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class PartSubdivision:
    """The subdivision that proves one part of a statement, for one piece of the parameters' box."""

    tree: str
    zeros: tuple[tuple[Box, Box], ...] = ()


# By the name of the part.
Piece = Mapping[str, PartSubdivision]


@dataclass(frozen=True)
class UndecidedBoxesSummary:
    """The boxes on which one part of a statement is undecided, for one piece of the parameters."""

    parameters: str
    part: str
    boxes: int
    share: float
    largest: str


@dataclass(frozen=True)
class Counterexample:
    """A point at which a function that should be positive is not."""

    parameters: Mapping[str, Range]
    part: str
    point: Box


@dataclass(frozen=True)
class Certificate:
    """The record of a certification: statement, box, and the subdivision that proves it.

    Attributes
    ----------
    kind : str
        One of `certificate_kinds`, whose statement says what is shown.
    parameters : mapping of str to Range
        The box of parameters: a single number, or all numbers of a range.
    numbers : mapping of str to Fraction
        What else belongs to the statement, such as a number of zeros.
    verdict : CertificateOutcome
        Shown, refuted or undecided.
    digits : int
        How many decimal digits balls are computed with.
    tree : str
        How the box of parameters was cut.
    pieces : tuple of Piece
        One for each leaf of `tree`, in order; empty where the search did not come.
    margins : mapping of str to str
        For each function that is shown to be positive, a lower bound over everything.
    boxes : int
        Into how many boxes everything was cut.
    visited : int
        How many boxes were looked at in the search.
    seconds : float
        How long it took.
    undecided : tuple of Undecided
        What is left open.
    counterexample : Counterexample or None
        Why it is refuted.
    """

    kind: str
    parameters: Mapping[str, Range]
    numbers: Mapping[str, Fraction]
    verdict: CertificateOutcome
    digits: int
    tree: str
    pieces: tuple[Piece, ...]
    margins: Mapping[str, str] = field(default_factory=dict)
    boxes: int = 0
    visited: int = 0
    seconds: float = 0.0
    undecided: tuple[UndecidedBoxesSummary, ...] = ()
    counterexample: Counterexample | None = None

    @property
    def statement(self) -> str:
        """The certified statement, as a sentence."""
        return certificate_kinds()[self.kind].statement

    def _repr_html_(self) -> str:
        names = ["kind", "statement", "box_text", "verdict", "numbers", "margins", "undecided"]
        names += ["counterexample", "boxes", "digits", "seconds"]
        return str(load_registered("fields.html")(self, names))

    @property
    def smallest_margin_text(self) -> str | None:
        """The smallest margin by which an inequality is proved, as text; None without any."""
        return min(self.margins.values(), key=float, default=None)

    @property
    def box_text(self) -> str:
        """The box of parameters on which the certificate holds, as a text."""
        return describe_box(self.parameters)

    def save(self, path: str | Path) -> None:
        """Write the certificate to a file, from which `load` reads it.

        Parameters
        ----------
        path : path
        """
        text = json.dumps(self.as_dict(), indent=1, ensure_ascii=False)
        with replace_atomically(path) as draft:
            draft.write_text(text + "\n", encoding="utf-8")

    def as_dict(self) -> dict[str, Any]:
        """Convert the certificate to plain data for JSON, with exact numbers as texts."""
        return {
            "format": FORMAT,
            "kind": self.kind,
            "statement": self.statement,
            "parameters": _ranges_out(self.parameters),
            "numbers": {name: str(x) for name, x in self.numbers.items()},
            "verdict": str(self.verdict),
            "digits": self.digits,
            "boxes": self.boxes,
            "visited": self.visited,
            "seconds": round(self.seconds, 3),
            "margins": dict(self.margins),
            "undecided": [vars(u) for u in self.undecided],
            "counterexample": None
            if self.counterexample is None
            else {
                "parameters": _ranges_out(self.counterexample.parameters),
                "part": self.counterexample.part,
                "point": [str(low) for low, _ in self.counterexample.point],
            },
            "tree": self.tree,
            "pieces": [
                {
                    name: {"tree": f.tree, "zeros": [[_box_out(b) for b in z] for z in f.zeros]}
                    for name, f in piece.items()
                }
                for piece in self.pieces
            ],
        }


def describe_box(parameters: Mapping[str, Range]) -> str:
    """Return a text that lists the range of each parameter of a box."""
    return ", ".join(
        f"{name} = {x.low.short_text}"
        if x.is_point
        else f"{name} in [{x.low.short_text}, {x.high.short_text}]"
        for name, x in parameters.items()
    )


def _ranges_out(parameters: Mapping[str, Range]) -> dict[str, list[str]]:
    return {name: [str(x.low), str(x.high)] for name, x in parameters.items()}


def _box_out(box: Box) -> list[list[str]]:
    return [[str(low), str(high)] for low, high in box]


# -- reading -----------------------------------------------------------------------------------


def load(path: str | Path) -> Certificate:
    """Read a certificate from a file, without checking it.

    Parameters
    ----------
    path : path

    Returns
    -------
    Certificate

    Raises
    ------
    CertificateError
        If the file is no certificate.
    """
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
    except (UnicodeDecodeError, json.JSONDecodeError):
        raise CertificateError(
            f"{path} is no certificate: it is no JSON, or cut short"
            + f"; claims are checked again by: slrsym verify {path} --no-cache"
            * (Path(path).suffix == ".py")
        ) from None
    except OSError as problem:
        raise CertificateError(f"{path} cannot be read: {problem.strerror}") from None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise CertificateError(f"{path} is no certificate: its format is not {FORMAT!r}")
    try:
        return _read(data)
    except (KeyError, TypeError, ValueError, AttributeError, ZeroDivisionError) as problem:
        why = f"it has no {problem}" if isinstance(problem, KeyError) else str(problem)
        raise CertificateError(f"{path} is a damaged certificate: {why}") from None


def _read(data: dict[str, Any]) -> Certificate:
    kinds = certificate_kinds()
    if data["kind"] not in kinds:
        raise ValueError(f"kind must be one of {', '.join(kinds)}; got {data['kind']!r}")
    said, meant = data["statement"], kinds[data["kind"]].statement
    if said != meant:
        raise ValueError(f"its statement is {said!r}, and a certificate of its kind says {meant!r}")
    for name, kind in (("digits", int), ("boxes", int), ("visited", int), ("tree", str)):
        if not isinstance(data[name], kind) or isinstance(data[name], bool):
            raise TypeError(f"{name} must be of type {kind.__name__}; got {data[name]!r}")
    if not 10 <= data["digits"] <= 10_000:
        raise ValueError(f"digits must be from 10 to 10000; got {data['digits']}")
    point = data["counterexample"]
    return Certificate(
        data["kind"],
        dict(_ranges(data["parameters"])),
        {name: Fraction(x) for name, x in data["numbers"].items()},
        CertificateOutcome(data["verdict"]),
        data["digits"],
        data["tree"],
        tuple(_piece(piece) for piece in data["pieces"]),
        {str(name): str(float(x) and x) for name, x in data["margins"].items()},
        data["boxes"],
        data["visited"],
        float(data["seconds"]),
        tuple(UndecidedBoxesSummary(**u) for u in data["undecided"]),
        None
        if point is None
        else Counterexample(
            dict(_ranges(point["parameters"])),
            point["part"],
            tuple(
                (to_flint_rational(Fraction(x)), to_flint_rational(Fraction(x)))
                for x in point["point"]
            ),
        ),
    )


def _ranges(data: dict[str, Any]) -> Iterator[tuple[str, Range]]:
    for name, ends in data.items():
        if not all(isinstance(end, str) for end in ends):
            raise TypeError(f"the ends of {name} must be texts; got {ends!r}")
        yield name, parse_parameter_range(name, ends)


def _box(data: list[list[str]]) -> Box:
    box = tuple(
        (to_flint_rational(Fraction(low)), to_flint_rational(Fraction(high))) for low, high in data
    )
    if any(low > high for low, high in box):
        raise ValueError(f"a box has a side that goes downwards: {data}")
    return box


def _piece(data: dict[str, Any]) -> Piece:
    return {
        name: PartSubdivision(
            str(finding["tree"]),
            tuple((_box(wide), _box(narrow)) for wide, narrow in finding["zeros"]),
        )
        for name, finding in data.items()
    }

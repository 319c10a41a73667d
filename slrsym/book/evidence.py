"""How a claim was checked, in a line: never more than its status says."""

from __future__ import annotations

from typing import Any

from slrsym.book.document import AxiomReference, Inline, Reference, Text, listed
from slrsym.book.justification import inline_text

__all__ = ["evidence"]


def evidence(row: Any) -> tuple[Inline, ...]:
    """How a claim was checked, and what it rests on."""
    if row is None:
        return (Text("Not verified."),)
    steps = f"{row.steps} step{'' if row.steps == 1 else 's'}"
    if row.status == "certified":
        said = f"Certified, not proved: enclosed by ball arithmetic on the whole box {row.box}."
        return (*inline_text(said), *_rest(row))
    if row.status == "tested":
        return (*inline_text(f"Tested, not proved: {row.trials}."), *_rest(row))
    parts: list[Inline] = []
    if row.status == "proved":
        parts.append(Text(f"Proved in {steps}, each accepted by its rule"))
    elif row.status == "cited":
        parts.append(Text(f"Cited, not proved: {row.error}. {steps}, each accepted by its rule"))
    else:
        why = f": {row.error}" if row.error else ""
        parts.append(Text(f"{row.status.capitalize()}, not proved{why}. {steps}."))
        return (*parts, *_rest(row))
    if row.digits is not None:
        parts.append(Text(f"; at random points both sides agree to {row.digits} digits or more"))
    parts += [Text("."), *_rest(row)]
    if not row.axioms:
        parts.append(Text(" Rests on no axiom."))
    return tuple(parts)


def _rest(row: Any) -> list[Inline]:
    """The claims and axioms that it uses."""
    parts: list[Inline] = []
    if row.depends:
        parts += [Text(" Uses "), *listed([Reference(id) for id in row.depends]), Text(".")]
    if row.axioms:
        parts += [Text(" Rests on "), *listed([AxiomReference(id) for id in row.axioms])]
        parts.append(Text("."))
    return parts

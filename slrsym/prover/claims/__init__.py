"""Claims, the ledger, and short names: P15 is ``proposition-15``, P15.7 its seventh step.

A name depends on the id alone, not on what else is in a ledger, so it stays when claims are added.
"""

from __future__ import annotations

import re

_SHORT = {
    "theorem": "T", "lemma": "L", "proposition": "P", "corollary": "C", "definition": "D",
    "assumption": "A",
}  # fmt: skip
_LONG = dict(zip(_SHORT.values(), _SHORT, strict=True))
_OF_PAPER = re.compile(rf"({'|'.join(_SHORT)})-(\d+)(-.*)?")
_NAME = re.compile(rf"([{''.join(_LONG)}])(\d+)(-.*)?")


def short_name(id: str) -> str:
    """Return the short name of a claim: its id, with numbers of the paper abbreviated."""
    found = _OF_PAPER.fullmatch(id)
    return f"{_SHORT[found[1]]}{found[2]}{found[3] or ''}" if found else id


def id_from_short_name(name: str) -> str:
    """Return the id of a claim, from its short name or its id."""
    found = _NAME.fullmatch(name)
    return f"{_LONG[found[1]]}-{found[2]}{found[3] or ''}" if found else name


def step_name(id: str, label: str) -> str:
    """Return the name of a step: the claim's short name followed by the step's label."""
    return f"{short_name(id)}.{re.sub(r'[^A-Za-z0-9.]+', '-', label)}"

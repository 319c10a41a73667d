"""Explanations for readers of a claim: the idea of the proof, and sentences for equations."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

# A sentence ends with a full stop before a space; one in a formula has no capital behind it.
_END = re.compile(r"(?<=[.:])\s+(?=[A-Z$])")


class Explanation:
    """A paragraph that explains a claim to readers, written by hand and not checked.

    Parameters
    ----------
    text : str
        The idea of the proof, and where each assumption enters. Its first sentence says what the
        claim says, and stands in tables by itself. Formulas stand between dollar signs.
    equations : mapping of Boolean to str, optional
        For parts of a statement that is a conjunction: the sentence that stands before each. Parts
        of the same sentence that follow each other share it.

    Examples
    --------
    >>> said = Explanation("A square is not negative. Both factors have the same sign.")
    >>> said.first_sentence
    'A square is not negative.'
    >>> len(said)
    11
    """

    def __init__(self, text: str, equations: Mapping[Any, str] | None = None) -> None:
        self.text = " ".join(text.split())
        self.equations: Mapping[Any, str] = MappingProxyType(dict(equations or {}))

    @property
    def first_sentence(self) -> str:
        """The first sentence of the explanation."""
        return _END.split(self.text, maxsplit=1)[0]

    def __len__(self) -> int:
        """Return the number of words; a formula counts as its parts between spaces."""
        return len(self.text.split())

    def __bool__(self) -> bool:
        return bool(self.text)

    def __repr__(self) -> str:
        return f"Explanation({self.text!r}, {dict(self.equations)!r})"


NOTHING = Explanation("")

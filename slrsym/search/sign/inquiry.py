"""How far questions lead to others, so that an answer comes soon.

A question that is met again while it is being asked is answered by what is known without it. The
number of questions that one leads to is limited; what was found out after the limit was met is
forgotten afterwards, since it may be less than could be known.
"""

from __future__ import annotations

from typing import Any

from sympy import Basic

__all__ = ["Inquiry"]

_MOST_QUESTIONS = 120
_DEEPEST = 9


class Inquiry:
    """The questions that are being asked, and what was found out by leaving some unanswered."""

    def __init__(self) -> None:
        self._busy: set[Any] = set()
        self._questions = 0
        # Whether a question was left unanswered, so that answers are to be forgotten in the end.
        self._cut = False
        self._provisional: list[tuple[dict[Any, Any], Basic]] = []

    def restart(self) -> None:
        """Allow a new round of questions."""
        self._questions = 0
        self._cut = False
        self._busy.clear()
        for memory, key in self._provisional:
            memory.pop(key, None)
        self._provisional.clear()

    def begin(self, key: Any) -> bool:
        """Whether a question may be looked into now; if so, it has to be ended afterwards."""
        too_much = self._questions >= _MOST_QUESTIONS or len(self._busy) >= _DEEPEST
        if key in self._busy or too_much:
            self._cut = True
            return False
        self._questions += 1
        self._busy.add(key)
        return True

    def end(self, key: Any) -> None:
        """A question is answered."""
        self._busy.discard(key)

    def keep(self, memory: dict[Any, Any], key: Basic, found: Any) -> None:
        """Remember an answer, at least for this round."""
        memory[key] = found
        if self._cut:
            self._provisional.append((memory, key))

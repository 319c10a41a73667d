"""Statements that are no combination of relations: what they share."""

from __future__ import annotations

from typing import Any

from sympy.logic.boolalg import BooleanFunction

__all__ = ["Sentence"]


class Sentence(BooleanFunction):  # type: ignore[misc]
    """A statement that cannot be evaluated at points, and is written as a sentence."""

    @classmethod
    def eval(cls, *args: Any) -> None:
        return None

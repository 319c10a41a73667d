"""Evidence that is no proof: that a statement holds on a box, by rigorous enclosures.

The engine knows only what evidence has to offer; the certificates themselves come from
`slrsym.certify`, of which it knows nothing.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from sympy.logic.boolalg import Boolean

__all__ = ["Evidence"]


@runtime_checkable
class Evidence(Protocol):
    """What a claim may have instead of a proof."""

    @property
    def box(self) -> str:
        """For which values of the symbols the statement is shown, in words."""

    def check(self, statement: Boolean) -> str:
        """Look whether a statement holds on the box."""

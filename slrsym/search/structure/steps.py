"""Steps whose check is about a proof: how its parts fit, and what they make together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sympy import S

from slrsym.search.context import Context
from slrsym.search.step import Link, Rule, Step

if TYPE_CHECKING:
    from sympy.logic.boolalg import Boolean

__all__ = ["structural_step"]


@dataclass(frozen=True)
class _Structural(Rule):
    """A check on how the parts of a proof fit, with the statement it makes."""

    name: str
    verify: Any
    uses_axioms: tuple[str, ...] = ()
    uses_claims: tuple[str, ...] = ()
    about: tuple[Any, ...] = ()
    because: str = ""

    # The check is about the proof that makes the step, not about a link.
    chainable = False

    def check(self, link: Link, context: Context) -> None:
        self.verify(context)

    def axioms(self, link: Link) -> tuple[str, ...]:
        return self.uses_axioms

    def uses(self, link: Link) -> tuple[str, ...]:
        return self.uses_claims


_NO_LINK = Link(S.Zero, "=", S.Zero)


def structural_step(
    label: str,
    statement: Boolean,
    name: str,
    verify: Any,
    context: Context,
    axioms: tuple[str, ...] = (),
    uses: tuple[str, ...] = (),
    numeric: bool = True,
    about: tuple[Any, ...] = (),
    because: str = "",
) -> Step:
    """A step whose check is a function of the context."""
    rule = _Structural(name, verify, axioms, uses, about, because)
    return Step(label, statement, rule, _NO_LINK, context, numeric)

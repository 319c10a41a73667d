"""Rules about any expression, used inside an expectation."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from slrsym.gaussian.binding import Expectation
from slrsym.search.context import Context
from slrsym.search.rules.expectations.integrability import require_integrable
from slrsym.search.step import Link, Proof, Rule, axioms_of
from slrsym.statements.errors import ProofError, Refused

__all__ = ["inside"]


@dataclass(frozen=True)
class _Inside(Rule):
    """What relates two integrands, whatever the variables are, relates the expectations."""

    by: Rule

    @property
    def name(self) -> str:  # type: ignore[override]
        return f"inside the expectation, {self.by.name}"

    def axioms(self, link: Link) -> tuple[str, ...]:
        inner = self._inner(link)
        return ("integral-linearity", *(axioms_of(self.by, inner) if inner else ()))

    def uses(self, link: Link) -> tuple[str, ...]:
        inner = self._inner(link)
        return self.by.uses(inner) if inner else ()

    def premises(self, link: Link, context: Context) -> Iterable[tuple[str, Proof, Context]]:
        inner = self._inner(link)
        return self.by.premises(inner, context) if inner else ()

    @staticmethod
    def _inner(link: Link) -> Link | None:
        left, right = link.lhs, link.rhs
        if not isinstance(left, Expectation) or not isinstance(right, Expectation):
            return None
        return Link(left.integrand, link.relation, right.integrand)

    def check(self, link: Link, context: Context) -> None:
        inner = self._inner(link)
        if inner is None or link.lhs.law != link.rhs.law:
            raise Refused("the two sides are not expectations under the same law")
        if link.relation in ("<", ">"):
            raise Refused("a strict inequality between integrands gives only a weak one here")
        names = set(link.lhs.law.symbols)
        if any(h.free_symbols & names for h in context.hypotheses):
            raise Refused("a hypothesis speaks of a variable of the law; rename the variable")
        require_integrable(link.lhs, context)
        require_integrable(link.rhs, context)
        self.by.check(inner, context)


def inside(by: Rule) -> Rule:
    """Use a rule on the integrand of an expectation.

    Rests on the axiom ``integral-linearity``, and on what the rule rests on.

    Parameters
    ----------
    by : Rule
        A rule that may stand in a chain.

    Returns
    -------
    Rule
        For links between two expectations under the same law, strict inequalities excepted.

    Raises
    ------
    ProofError
        If `by` is not such a rule.
    """
    if not isinstance(by, Rule) or not by.chainable:
        raise ProofError(f"by must be a rule; got {by!r}")
    return _Inside(by)

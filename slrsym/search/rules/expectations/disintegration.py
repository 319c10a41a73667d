"""Expectations taken in two rounds: given some variables, then over these."""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Expr, Symbol

from slrsym.gaussian.binding import Expectation
from slrsym.gaussian.law import GaussianLaw, Law, ProductLaw
from slrsym.search.context import Context
from slrsym.search.rules.algebra import require_equality
from slrsym.search.rules.expectations.integrability import require_integrable
from slrsym.search.rules.expectations.terms import with_expectations_changed
from slrsym.search.step import Link, Rule
from slrsym.statements.errors import Refused

__all__ = ["conditioning"]


@dataclass(frozen=True)
class _Conditioning(Rule):
    """The expectation is the expectation of the conditional expectation."""

    given: tuple[Symbol, ...]

    name = "conditioning"

    def axioms(self, link: Link) -> tuple[str, ...]:
        return ("fubini", "gaussian-linear-image")

    def check(self, link: Link, context: Context) -> None:
        require_equality(link)
        require_integrable(link.lhs, context)

        def nested(node: Expectation) -> Expr:
            chosen = [s for s in node.law.symbols if s in self.given]
            if not chosen or len(chosen) == len(node.law.symbols):
                return node
            inner, outer = self._disintegrated(node.law, chosen)
            return Expectation(Expectation(node.integrand, inner), outer)

        context.require_equal(
            with_expectations_changed(link.lhs, nested), with_expectations_changed(link.rhs, nested)
        )

    @staticmethod
    def _disintegrated(law: Law, chosen: list[Symbol]) -> tuple[Law, Law]:
        inner: list[Law] = []
        outer: list[Law] = []
        for block in law.blocks():
            present = [s for s in block.symbols if s in chosen]
            if len(present) == len(block.symbols):
                outer.append(block)
            elif not present:
                inner.append(block)
            elif isinstance(block, GaussianLaw):
                inner.append(block.condition({s: s for s in present}))
                outer.append(block.marginal(*present))
            else:
                raise Refused(f"cannot condition {block}")
        return _joined(inner), _joined(outer)


def conditioning(*given: Symbol) -> Rule:
    """Take the expectation given some variables first, then over these.

    Rests on the axioms ``fubini`` and ``gaussian-linear-image``.

    Parameters
    ----------
    *given : Symbol
        These variables.

    Returns
    -------
    Rule
        For equalities.
    """
    return _Conditioning(given)


def _joined(laws: list[Law]) -> Law:
    return laws[0] if len(laws) == 1 else ProductLaw(*laws)

"""One copy of a sum of independent copies, set apart from the others."""

from __future__ import annotations

from collections.abc import Mapping

from sympy import Dummy, Expr, Symbol

from slrsym.gaussian.binding import Expectation
from slrsym.gaussian.law import IIDSum, Law, ProductLaw
from slrsym.search.context import Context
from slrsym.search.rules.algebra import require_equality
from slrsym.search.rules.expectations.terms import expectations_in, with_expectations_changed
from slrsym.search.step import Link, Rule
from slrsym.statements.errors import Refused

__all__ = ["peel_copy"]


class _PeelCopy(Rule):
    """A sum of n + 1 independent copies is a sum of n of them plus one more.

    Rests on the axiom ``fubini``.
    """

    name = "one copy more"

    @staticmethod
    def joint(law: Law, copy: Law, names: Mapping[Symbol, Symbol]) -> ProductLaw:
        """The law of an expectation with one more copy, its variables named anew."""
        return ProductLaw(law, copy.renamed(names))

    def axioms(self, link: Link) -> tuple[str, ...]:
        return ("fubini",)

    def check(self, link: Link, context: Context) -> None:
        require_equality(link)
        sums = {s for n in expectations_in(link.lhs) for s in n.integrand.atoms(IIDSum)}
        if len(sums) != 1:
            raise Refused("the left side has not exactly one sum of copies")
        (copies,) = sums
        left = copies.count - 1
        if not (copies.count.is_integer and context.sign(left).nonnegative):
            raise Refused(f"{copies.count} is not known to be a positive integer")

        def peeled(node: Expectation) -> Expr:
            if not node.integrand.has(copies):
                return node
            names = {s: Dummy(s.name, real=True) for s in copies.law.symbols}
            one = copies.term.xreplace(names)
            rest = IIDSum(copies.term, copies.law, left)
            return Expectation(
                node.integrand.xreplace({copies: rest + one}),
                self.joint(node.law, copies.law, names),
            )

        context.require_equal(with_expectations_changed(link.lhs, peeled), link.rhs)


peel_copy = _PeelCopy()

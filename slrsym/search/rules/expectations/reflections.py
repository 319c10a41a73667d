"""Gaussian variables reflected in their means, under which odd integrands vanish."""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Expr, S, Symbol

from slrsym.gaussian.binding import Expectation
from slrsym.gaussian.law import GaussianLaw, Law
from slrsym.search.context import Context
from slrsym.search.rules.algebra import require_equality
from slrsym.search.rules.expectations.integrability import require_integrable
from slrsym.search.rules.expectations.properties import LINEAR
from slrsym.search.rules.expectations.terms import with_expectations_changed
from slrsym.search.step import Link, Rule
from slrsym.statements.errors import Refused

__all__ = ["symmetry"]


@dataclass(frozen=True)
class _Symmetry(Rule):
    """A Gaussian law is invariant under reflection of a variable in its mean."""

    variables: tuple[Symbol, ...]

    name = "symmetry"

    def axioms(self, link: Link) -> tuple[str, ...]:
        return ("gaussian-linear-image", "integral-linearity")

    def check(self, link: Link, context: Context) -> None:
        require_equality(link)
        require_integrable(link.lhs, context)
        require_integrable(link.rhs, context)

        def reflected(node: Expectation) -> Expr:
            flipped = [s for s in node.law.symbols if s in self.variables]
            if not flipped:
                return node
            for s in flipped:
                self._require_uncorrelated(s, flipped, node.law, context)
            means = {
                s: m
                for b in node.law.blocks()
                if isinstance(b, GaussianLaw)
                for s, m in b.mean.items()
            }
            mirror = {s: 2 * means[s] - s for s in flipped}
            other = Expectation(node.integrand.subs(mirror, simultaneous=True), node.law)
            return (node + other) / 2

        context.require_equal(
            with_expectations_changed(link.lhs, reflected),
            with_expectations_changed(link.rhs, reflected),
            LINEAR,
        )

    @staticmethod
    def _require_uncorrelated(s: Symbol, flipped: list[Symbol], law: Law, context: Context) -> None:
        block = next(b for b in law.blocks() if s in b.symbols)
        if not isinstance(block, GaussianLaw):
            raise Refused(f"{s} is not Gaussian, so its law need not be symmetric")
        for other in block.symbols:
            if other not in flipped:
                context.require_equal(block.covariance(s, other), S.Zero)


def symmetry(*variables: Symbol) -> Rule:
    """Reflect Gaussian variables in their means; odd integrands vanish.

    Rests on the axioms ``gaussian-linear-image`` and ``integral-linearity``.

    Parameters
    ----------
    *variables : Symbol
        The variables, reflected together. No other variable of their laws may be correlated with
        them.

    Returns
    -------
    Rule
        For equalities.
    """
    return _Symmetry(variables)

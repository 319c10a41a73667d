"""Linearity, independence, and moments of noise: normal forms that use these, and nothing else."""

from __future__ import annotations

from typing import ClassVar

from slrsym.gaussian.law import IIDSum
from slrsym.search.algebra import Freedom
from slrsym.search.context import Context
from slrsym.search.rules.algebra import require_equality
from slrsym.search.rules.expectations.integrability import require_integrable
from slrsym.search.step import Link, Rule

__all__ = [
    "COPIES_CLAIMS",
    "INDEPENDENT",
    "LINEAR",
    "MOMENTS",
    "independence",
    "linearity",
    "noise_moments",
]

LINEAR = Freedom(linearity=True)
INDEPENDENT = Freedom(linearity=True, independence=True)
MOMENTS = Freedom(linearity=True, independence=True, moments=True)

COPIES_CLAIMS = ("sum-of-copies", "sum-of-copies-mean")


class _Properties(Rule):
    """The two sides agree in normal form, using some properties of expectations."""

    freedom: ClassVar[Freedom]
    uses_axioms: ClassVar[tuple[str, ...]]

    def check(self, link: Link, context: Context) -> None:
        require_equality(link)
        require_integrable(link.lhs, context)
        require_integrable(link.rhs, context)
        context.require_equal(link.lhs, link.rhs, self.freedom)

    def axioms(self, link: Link) -> tuple[str, ...]:
        return self.uses_axioms

    def uses(self, link: Link) -> tuple[str, ...]:
        copies = self.freedom.moments and link.statement.has(IIDSum)
        return COPIES_CLAIMS if copies else ()


class _Linearity(_Properties):
    """The two sides agree once expectations are split into terms, and constants taken out.

    Rests on the axiom ``integral-linearity``.
    """

    name = "linearity"
    freedom = LINEAR
    uses_axioms = ("integral-linearity",)


class _Independence(_Properties):
    """The two sides agree once expectations of independent factors are multiplied, too.

    Uncorrelated blocks of a Gaussian law are independent. Rests on the axioms
    ``integral-linearity``, ``fubini`` and ``gaussian-linear-image``.
    """

    name = "independence"
    freedom = INDEPENDENT
    uses_axioms = ("integral-linearity", "fubini", "gaussian-linear-image")


class _NoiseMoments(_Properties):
    """As `independence`, with the first two moments of noise and of sums of copies put in.

    Rests on the axioms ``integral-linearity``, ``fubini`` and ``gaussian-linear-image``, and for
    sums of copies on the claims ``sum-of-copies`` and ``sum-of-copies-mean``.
    """

    name = "moments of noise and of sums of copies"
    freedom = MOMENTS
    uses_axioms = ("integral-linearity", "fubini", "gaussian-linear-image")


linearity = _Linearity()
independence = _Independence()
noise_moments = _NoiseMoments()

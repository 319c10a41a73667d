"""Linearity, independence, and moments of noise: normal forms that use these, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass

from slrsym.gaussian.law import IIDSum
from slrsym.proof.algebra import Freedom
from slrsym.proof.context import Context
from slrsym.proof.rules.algebra import require_equality
from slrsym.proof.rules.expectations.integrability import require_integrable
from slrsym.proof.step import Link, Rule

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


@dataclass(frozen=True)
class _Properties(Rule):
    """The two sides agree in normal form, using some properties of expectations."""

    name: str
    freedom: Freedom
    uses_axioms: tuple[str, ...]

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


linearity = _Properties("linearity", LINEAR, ("integral-linearity",))
independence = _Properties(
    "independence", INDEPENDENT, ("integral-linearity", "fubini", "gaussian-linear-image")
)
noise_moments = _Properties(
    "moments of noise and of sums of copies",
    MOMENTS,
    ("integral-linearity", "fubini", "gaussian-linear-image"),
)

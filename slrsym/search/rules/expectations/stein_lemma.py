"""Stein's lemma: polynomial factors of Gaussian variables become derivatives."""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Add, Expr, Function, Mul, Symbol, erf, expand

from slrsym.gaussian.binding import Expectation
from slrsym.gaussian.functions import erf_prime
from slrsym.gaussian.law import GaussianLaw, Law
from slrsym.search.context import Context
from slrsym.search.rules.algebra import require_equality
from slrsym.search.rules.expectations.integrability import require_integrable
from slrsym.search.rules.expectations.properties import LINEAR
from slrsym.search.rules.expectations.terms import expectations_in, with_expectations_changed
from slrsym.search.step import Link, Rule
from slrsym.statements.errors import Refused

__all__ = ["STEIN_CLAIM", "STEIN_DIMENSION", "stein"]

# The dimension up to which Stein's lemma is a proved claim of the library.
STEIN_DIMENSION = 3
STEIN_CLAIM = "stein-multivariate"

# How often Stein's lemma is used on one term before it is said not to end.
_MOST_FACTORS = 40


@dataclass(frozen=True)
class _Stein(Rule):
    """E[(X - m) h] = sum of covariances times E[derivatives of h], until no factor X is left."""

    variables: tuple[Symbol, ...]

    @property
    def name(self) -> str:  # type: ignore[override]
        return f"Stein's lemma in {', '.join(map(str, self.variables))}"

    def axioms(self, link: Link) -> tuple[str, ...]:
        return ("integral-linearity",)

    def uses(self, link: Link) -> tuple[str, ...]:
        return (STEIN_CLAIM,)

    def check(self, link: Link, context: Context) -> None:
        require_equality(link)
        require_integrable(link.lhs, context)
        if not any(set(self.variables) & set(n.law.symbols) for n in expectations_in(link.lhs)):
            raise Refused(f"no expectation on the left has a variable of {self.variables}")
        context.require_equal(with_expectations_changed(link.lhs, self._applied), link.rhs, LINEAR)

    def _applied(self, node: Expectation) -> Expr:
        for block in node.law.blocks():
            concerned = set(self.variables) & set(block.symbols)
            if concerned and not isinstance(block, GaussianLaw):
                raise Refused(f"{min(concerned, key=str)} is not Gaussian")
            if concerned and len(block.symbols) > STEIN_DIMENSION:
                raise Refused(
                    f"{node} has {len(block.symbols)} jointly Gaussian variables; Stein's lemma is "
                    f"proved here for up to {STEIN_DIMENSION}"
                )
        return self._sum(node.integrand, node.law, _MOST_FACTORS)

    def _sum(self, integrand: Expr, law: Law, left: int) -> Expr:
        if left == 0:
            raise Refused(
                "Stein's lemma does not come to an end here, the derivatives having as many "
                "factors as what they are derivatives of; write erf_prime for the bell"
            )
        terms = Add.make_args(expand(integrand, power_exp=False))
        return Add(*(self._term(term, law, left - 1) for term in terms))

    def _term(self, term: Expr, law: Law, left: int) -> Expr:
        factors = list(Mul.make_args(term))
        for position, factor in enumerate(factors):
            base, power = factor.as_base_exp()
            if base in self.variables and base in law.symbols and power.is_Integer and power > 0:
                block = next(b for b in law.blocks() if base in b.symbols)
                assert isinstance(block, GaussianLaw)
                rest = Mul(*factors[:position], base ** (power - 1), *factors[position + 1 :])
                moved = block.mean[base] * rest + Add(
                    *(
                        block.covariance(base, other) * _slope(rest, other)
                        for other in block.symbols
                    )
                )
                return self._sum(moved, law, left)
        return Expectation(term, law)


def stein(*variables: Symbol) -> Rule:
    """Remove the polynomial factors of Gaussian variables by Stein's lemma.

    The lemma is the claim ``stein-multivariate``. Rests on the axiom ``integral-linearity``, too.

    Parameters
    ----------
    *variables : Symbol
        The variables, of Gaussian vectors of dimension three at most.

    Returns
    -------
    Rule
        For links with the polynomial factors on the left.
    """
    return _Stein(variables)


class _Erf(Function):  # type: ignore[misc]
    """erf, with the bell for its derivative: SymPy's exponential would bring polynomials back."""

    nargs = 1

    def fdiff(self, argindex: int = 1) -> Expr:
        return erf_prime(self.args[0])


def _slope(expr: Expr, x: Symbol) -> Expr:
    return expr.replace(erf, _Erf).diff(x).replace(_Erf, erf)

"""Rules on Gaussian variables: Stein's lemma, affine images, reflections, densities."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import sympy as sp
from sympy import Add, Expr, Matrix, Mul, Symbol

from slrsym.gaussian.binding import Expectation
from slrsym.gaussian.law import GaussianLaw, Law
from slrsym.gaussian.special_functions import erf_prime
from slrsym.matrices.letters import Letter
from slrsym.prover.rules.context import Context
from slrsym.prover.rules.matrix_functions import SteinOfMatricesRule
from slrsym.prover.rules.step import Link, Rule
from slrsym.prover.statements.expressions import ProofError, Refused, replace_outermost_parts

# How often Stein's lemma is used on one term before it is said not to end.
_MOST_FACTORS = 40


def replace_outermost_expectations(expr: Expr, change: Callable[[Expectation], Expr]) -> Expr:
    """Return an expression with its outermost expectations replaced by `change` of them."""

    def changed(node: Expr) -> Expr | None:
        return change(node) if isinstance(node, Expectation) else None

    return replace_outermost_parts(expr, changed)


@dataclass(frozen=True)
class SteinRule(Rule):
    """E[(X - m) h] = sum of covariances times E[derivatives of h], until no factor X is left."""

    variables: tuple[Symbol, ...]

    @property
    def name(self) -> str:  # type: ignore[override]
        return f"Stein's lemma in {', '.join(map(str, self.variables))}"

    def gives(self, link: Link, context: Context) -> Expr:
        return replace_outermost_expectations(
            link.lhs, lambda node: self._sum(node.integrand, node.law, _MOST_FACTORS)
        )

    def _sum(self, integrand: Expr, law: Law, left: int) -> Expr:
        if left == 0:
            raise Refused("Stein's lemma does not come to an end here")
        terms = Add.make_args(sp.expand(integrand, power_exp=False))
        return Add(*(self._term(term, law, left - 1) for term in terms))

    def _term(self, term: Expr, law: Law, left: int) -> Expr:
        factors = list(Mul.make_args(term))
        for position, factor in enumerate(factors):
            base, power = factor.as_base_exp()
            whole = power.is_integer and power.is_positive and base in self.variables
            block = next((b for b in law.independent_laws() if base in b.symbols), None)
            if whole and isinstance(block, GaussianLaw):
                rest = Mul(*factors[:position], base ** (power - 1), *factors[position + 1 :])
                moved = block.mean[base] * rest + Add(
                    *(
                        block.covariance(base, other) * partial_derivative(rest, other)
                        for other in block.symbols
                    )
                )
                return self._sum(moved, law, left)
        return Expectation(term, law)


def stein(*variables: Symbol | Letter) -> Rule:
    """Remove the polynomial factors of Gaussian variables by Stein's lemma.

    Rests on the axioms ``stein-lemma`` and ``integral-linearity``. For vectors and matrices of free
    size it removes explicit factors from the means of both sides, as long as there is a derivative,
    and rests on ``stein-lemma-of-matrices`` in place of the first.

    Parameters
    ----------
    *variables : Symbol or Letter
        The variables, of Gaussian vectors; or vectors and matrices themselves.

    Returns
    -------
    Rule
        For links with the polynomial factors on the left; of matrices, on any side.

    Raises
    ------
    ProofError
        If some variables are symbols, and others matrices.
    """
    letters = [x for x in variables if isinstance(x, Letter)]
    if letters and len(letters) == len(variables):
        return SteinOfMatricesRule(tuple(letters))
    if letters:
        raise ProofError(f"stein takes symbols, or matrices, and not both; got {variables}")
    return SteinRule(variables)


class _Erf(sp.Function):  # type: ignore[misc]
    """The error function with `erf_prime` as derivative, where SymPy's has an exponential."""

    nargs = 1

    def fdiff(self, argindex: int = 1) -> Expr:
        return erf_prime(self.args[0])


def partial_derivative(expr: Expr, x: Symbol) -> Expr:
    slope = expr.replace(sp.erf, _Erf).diff(x).replace(_Erf, sp.erf)
    powers = [p for p in expr.atoms(sp.Pow) if p.base == x and not p.exp.is_Integer]
    # The derivative of x**(k + 1) is written (k + 1)*x**(k + 1)/x, at 0 as well.
    return sp.powsimp(sp.expand(slope, power_exp=False), combine="exp") if powers else slope


@dataclass(frozen=True)
class SubstitutionRule(Rule):
    """The variables of an expectation are affine forms of other Gaussian variables."""

    forms: tuple[tuple[Symbol, Expr], ...]
    law: GaussianLaw

    name = "substitution"

    def gives(self, link: Link, context: Context) -> Expr:
        forms = dict(self.forms)

        def moved(node: Expectation) -> Expr:
            if set(node.law.symbols) != set(forms):
                return node
            return Expectation(node.integrand.xreplace(forms), self.law)

        return replace_outermost_expectations(link.lhs, moved)


def substitution(forms: Mapping[Symbol, Any], law: GaussianLaw) -> Rule:
    """Write the variables of an expectation as affine forms of new Gaussian variables.

    Rests on the axiom ``gaussian-linear-image``.

    Parameters
    ----------
    forms : mapping of Symbol to expression
        Each old variable as an affine form of the new ones.
    law : GaussianLaw
        The law of the new variables; its image under `forms` must be the old law.

    Returns
    -------
    Rule
        For equalities, read in either direction.
    """
    return SubstitutionRule(tuple((s, sp.sympify(f)) for s, f in forms.items()), law)


@dataclass(frozen=True)
class SymmetryRule(Rule):
    """A Gaussian law is invariant under reflection of a variable in its mean."""

    variables: tuple[Symbol, ...]

    name = "symmetry"

    def gives(self, link: Link, context: Context) -> Expr:
        def changed(node: Expectation) -> Expr:
            gaussian = [b for b in node.law.independent_laws() if isinstance(b, GaussianLaw)]
            mirror = {
                s: 2 * b.mean[s] - s for b in gaussian for s in b.symbols if s in self.variables
            }
            other = node.integrand.subs(mirror, simultaneous=True)
            return Expectation(sp.expand((node.integrand + other) / 2), node.law)

        return replace_outermost_expectations(link.lhs, changed)


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
    return SymmetryRule(variables)


@dataclass(frozen=True)
class CompleteTheSquareRule(Rule):
    """Both sides have the same integrand against Lebesgue measure."""

    law: GaussianLaw

    name = "completing the square"


def complete_the_square(law: GaussianLaw) -> Rule:
    """Absorb the exponential of a quadratic form into the Gaussian density.

    The rule compares the integrands of the two sides, densities included, pointwise; a term without
    an expectation stands for itself times the integral of the density of `law`, which is one.
    Rests on the axioms ``integral-linearity`` and ``gaussian-normalisation``.

    Parameters
    ----------
    law : GaussianLaw
        The law that results, non-degenerate.

    Returns
    -------
    Rule
        For equalities.
    """
    return CompleteTheSquareRule(law)


class DensityRule(Rule):
    """An expectation in one variable is the integral against its density.

    Rests on the axiom ``gaussian-density``.
    """

    name = "density"

    def gives(self, link: Link, context: Context) -> Expr:
        def changed(node: Expectation) -> Expr:
            law = node.law
            if not isinstance(law, GaussianLaw) or len(law.symbols) != 1:
                return node
            exponent, norm = _log_density(law)
            (x,) = law.symbols
            return sp.Integral(node.integrand * sp.exp(exponent) / norm, (x, -sp.oo, sp.oo))

        return replace_outermost_expectations(link.lhs, changed)


density = DensityRule()


def _log_density(law: GaussianLaw) -> tuple[Expr, Expr]:
    x = Matrix(law.symbols) - Matrix(list(law.mean.values()))
    determinant = law.cov.det(method="berkowitz")
    exponent = -(x.T * (law.cov.adjugate() / determinant) * x)[0] / 2
    return exponent, sp.sqrt(determinant) * sp.sqrt(2 * sp.pi) ** len(law.symbols)

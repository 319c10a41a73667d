"""Rules on expectations: under any law, by the Gaussian calculus, and Price's theorem."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import product

from sympy import Derivative, Expr, S, Symbol

from slrsym.gaussian.binding import Expectation
from slrsym.gaussian.law import GaussianLaw, IIDSum, Law, ProductLaw
from slrsym.gaussian.noise_and_product_laws import joint_law
from slrsym.prover.rules.calculus import evaluate_derivatives
from slrsym.prover.rules.context import Context
from slrsym.prover.rules.gaussian import replace_outermost_expectations
from slrsym.prover.rules.step import Link, Proof, Rule, require_rule
from slrsym.prover.statements.expressions import Refused, replace_outermost_parts


class LinearityRule(Rule):
    """The two sides agree once expectations are split into terms, and constants taken out.

    Rests on the axiom ``integral-linearity``.
    """

    name = "linearity"


class IndependenceRule(Rule):
    """The two sides agree once expectations of independent factors are multiplied, too.

    Uncorrelated blocks of a Gaussian law are independent. Rests on the axioms
    ``integral-linearity``, ``fubini`` and ``gaussian-linear-image``.
    """

    name = "independence"


class NoiseMomentsRule(Rule):
    """Both sides agree by `independence` and moments of noise, Gaussian variables and copies.

    Of noise, the first two moments are known; of sums of copies, those up to the eighth. Rests on
    the axioms ``integral-linearity``, ``fubini``, ``gaussian-linear-image`` and ``stein-lemma``.
    """

    name = "moments of noise and of sums of copies"


linearity = LinearityRule()
independence = IndependenceRule()
noise_moments = NoiseMomentsRule()


@dataclass(frozen=True)
class InsideRule(Rule):
    """The relation holds between the integrands for all values, hence between the expectations."""

    by: Rule

    @property
    def name(self) -> str:  # type: ignore[override]
        return f"inside the expectation, {self.by.name}"

    def uses(self, link: Link) -> tuple[str, ...]:
        inner = self.inner(link)
        return self.by.uses(inner) if inner else ()

    def premises(self, link: Link, context: Context) -> Iterable[tuple[str, Proof, Context]]:
        inner = self.inner(link)
        return self.by.premises(inner, context) if inner else ()

    @staticmethod
    def inner(link: Link) -> Link | None:
        """Return the link between the integrands, or None if a side is not an expectation."""
        left, right = link.lhs, link.rhs
        if not isinstance(left, Expectation) or not isinstance(right, Expectation):
            return None
        return Link(left.integrand, link.relation, right.integrand)


def inside(by: Rule) -> Rule:
    """Apply a rule to the integrands of two expectations.

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
    require_rule(by, chainable=True)
    return InsideRule(by)


class DifferentiateUnderExpectationRule(Rule):
    """The derivative of an expectation in a parameter is the expectation of the derivative.

    Rests on the axioms ``dominated-convergence`` and ``integral-linearity``.
    """

    name = "differentiation under the expectation"

    def gives(self, link: Link, context: Context) -> Expr:
        return replace_outermost_parts(link.lhs, _exchanged)


differentiate_under_expectation = DifferentiateUnderExpectationRule()


def _exchanged(expr: Expr) -> Expr | None:
    """Differentiate an expectation under the integral sign, or return None if it is none."""
    if isinstance(expr, Derivative) and isinstance(expr.expr, Expectation):
        node = expr.expr
        return Expectation(node.integrand.diff(*expr.variable_count), node.law)
    return None


@dataclass(frozen=True)
class ConditioningRule(Rule):
    """The expectation is the expectation of the conditional expectation."""

    given: tuple[Symbol, ...]

    name = "conditioning"

    def gives(self, link: Link, context: Context) -> Expr:
        return replace_outermost_expectations(link.lhs, self._nested)

    def _nested(self, node: Expectation) -> Expr:
        chosen = [s for s in node.law.symbols if s in self.given]
        if not chosen or len(chosen) == len(node.law.symbols):
            return node
        inner, outer = self._disintegrated(node.law, chosen)
        return Expectation(Expectation(node.integrand, inner), outer)

    @staticmethod
    def _disintegrated(law: Law, chosen: list[Symbol]) -> tuple[Law, Law]:
        inner: list[Law] = []
        outer: list[Law] = []
        for block in law.independent_laws():
            present = [s for s in block.symbols if s in chosen]
            if len(present) == len(block.symbols):
                outer.append(block)
            elif not present:
                inner.append(block)
            elif isinstance(block, GaussianLaw):
                inner.append(block.conditional({s: s for s in present}))
                outer.append(block.marginal(*present))
            else:
                raise Refused(f"cannot condition {block}")
        return joint_law(inner), joint_law(outer)


def conditioning(*given: Symbol) -> Rule:
    """Take the conditional expectation given some variables, then the expectation over these.

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
    return ConditioningRule(given)


class PeelCopyRule(Rule):
    """A sum of n + 1 independent copies is a sum of n of them plus one more.

    Rests on the axiom ``fubini``.
    """

    name = "one copy more"

    def gives(self, link: Link, context: Context) -> Expr:
        def peeled(node: Expectation) -> Expr:
            sums = node.integrand.atoms(IIDSum)
            if len(sums) != 1:
                return node
            (copies,) = sums
            names = {s: Symbol(f"{s.name}'", real=True) for s in copies.law.symbols}
            rest = IIDSum(copies.term, copies.law, copies.count - 1)
            whole = node.integrand.xreplace({copies: rest + copies.term.xreplace(names)})
            return Expectation(whole, self.joint(node.law, copies.law, names))

        return replace_outermost_expectations(link.lhs, peeled)

    @staticmethod
    def joint(law: Law, copy: Law, names: Mapping[Symbol, Symbol]) -> ProductLaw:
        """Return the product of a law and a copy of another with renamed variables."""
        return ProductLaw(law, copy.rename_variables(names))


peel_copy = PeelCopyRule()


class GaussianCalculusRule(Rule):
    """Both sides agree once expectations have their closed forms.

    Rests on the axioms ``integral-linearity``, ``fubini``, ``gaussian-linear-image``,
    ``gaussian-integrals``, ``stein-lemma`` and ``bivariate-normal``.
    """

    name = "Gaussian calculus"

    def gives(self, link: Link, context: Context) -> Expr:
        # Imported where it is used: few steps are refused.
        from slrsym.gaussian.closed_form import closed_form_for_proofs

        def value(node: Expectation) -> Expr:
            integrand = evaluate_derivatives(node.integrand)
            return closed_form_for_proofs(integrand, node.law, lambda e: bool(e.is_positive))

        return replace_outermost_expectations(link.lhs, value)


gaussian_calculus = GaussianCalculusRule()


class PriceRule(Rule):
    r"""The derivative of an expectation in a parameter of its Gaussian law.

    For a moderate function f, and a parameter r of means and covariances, the derivative of E f is
    :math:`\sum_i m_i' E\,\partial_i f + \frac12 \sum_{ij} C_{ij}' E\,\partial_i\partial_j f`, where
    the law is not degenerate. Rests on the axioms ``price-theorem`` and ``integral-linearity``.
    """

    name = "Price's theorem"

    def gives(self, link: Link, context: Context) -> Expr:
        return replace_outermost_parts(link.lhs, _moved)


price = PriceRule()


def _moved(expr: Expr) -> Expr | None:
    """Differentiate an expectation in a parameter of its law and integrand, by Price's theorem."""
    if not (isinstance(expr, Derivative) and isinstance(expr.expr, Expectation)):
        return None
    node = expr.expr
    law = node.law
    if len(expr.variables) != 1 or not isinstance(law, GaussianLaw):
        return expr
    (r,) = expr.variables
    total: Expr = _mean_of(node.integrand.diff(r), law)
    for symbol, mean in law.mean.items():
        total += mean.diff(r) * _mean_of(node.integrand.diff(symbol), law)
    for (i, x), (j, y) in product(enumerate(law.symbols), repeat=2):
        total += law.cov[i, j].diff(r) * _mean_of(node.integrand.diff(x, y), law) / 2
    return total


def _mean_of(integrand: Expr, law: GaussianLaw) -> Expr:
    return S.Zero if integrand == 0 else Expectation(integrand, law)

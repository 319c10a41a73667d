"""Rules that evaluate expectations: by the Gaussian calculus, and derivatives in a law (Price)."""

from __future__ import annotations

from itertools import product

from sympy import Derivative, Expr, S

from slrsym.gaussian.binding import Expectation
from slrsym.gaussian.law import GaussianLaw
from slrsym.search.calculus import require_equality
from slrsym.search.context import Context, require_defined
from slrsym.search.expectations import (
    INDEPENDENT,
    LINEAR,
    with_expectations_changed,
)
from slrsym.search.regularity import (
    derivative,
    require_integrable,
    require_moderate,
    require_positive_definite,
)
from slrsym.search.step import Link, Rule
from slrsym.statements.expressions import Refused, rebuilt


class _GaussianCalculus(Rule):
    """Both sides agree once `slrsym.gaussian.expectation` has evaluated what it can.

    Rests on the axioms ``integral-linearity``, ``fubini``, ``gaussian-linear-image``,
    ``gaussian-normalisation``, ``stein-lemma`` and ``bivariate-normal``.
    """

    name = "Gaussian calculus"

    def axioms(self, link: Link) -> tuple[str, ...]:
        return (
            "integral-linearity",
            "fubini",
            "gaussian-linear-image",
            "gaussian-normalisation",
            "stein-lemma",
            "bivariate-normal",
        )

    def check(self, link: Link, context: Context) -> None:
        require_equality(link)
        if not link.statement.has(Expectation):
            raise Refused("neither side has an expectation")
        # Imported where it is used, as few proofs need it.
        from slrsym.gaussian.closed_form import evaluated
        from slrsym.gaussian.integrals import IntegrabilityError

        def closed(node: Expectation) -> Expr:
            try:
                value = evaluated(
                    node.integrand.doit(), node.law, lambda e: bool(context.sign(e).positive)
                )
            except (IntegrabilityError, ValueError) as reason:
                raise Refused(str(reason)) from None
            require_integrable(value, context)
            require_defined(value, context)
            context.require(
                value.has(Expectation) or context.is_real(value),
                f"the closed form {value} is not known to be a real number here",
            )
            return value

        left, right = (with_expectations_changed(s, closed) for s in (link.lhs, link.rhs))
        context.require_equal(left, right, INDEPENDENT)


gaussian_calculus = _GaussianCalculus()


class _Price(Rule):
    r"""The derivative of an expectation in a parameter of its Gaussian law.

    For a moderate function f, and a parameter r of means and covariances, the derivative of E f is
    :math:`\sum_i m_i' E\,\partial_i f + \frac12 \sum_{ij} C_{ij}' E\,\partial_i\partial_j f`, where
    the law is not degenerate. Rests on the axioms ``price-theorem`` and ``integral-linearity``.
    """

    name = "Price's theorem"

    def axioms(self, link: Link) -> tuple[str, ...]:
        return ("price-theorem", "integral-linearity")

    def check(self, link: Link, context: Context) -> None:
        require_equality(link)
        if not any(node.expr.has(Expectation) for node in link.statement.atoms(Derivative)):
            raise Refused("neither side has a derivative of an expectation")
        for node in link.statement.atoms(Expectation):
            require_integrable(node, context)
        left, right = (
            rebuilt(side, lambda node: _moved(node, context)) for side in (link.lhs, link.rhs)
        )
        context.require_equal(left, right, LINEAR)


price = _Price()


def _moved(expr: Expr, context: Context) -> Expr | None:
    """A derivative of one expectation, by the derivatives of its law and its integrand."""
    if not isinstance(expr, Derivative):
        return None
    node = expr.expr
    if not isinstance(node, Expectation):
        return expr
    if len(expr.variables) != 1:
        raise Refused(f"{expr} is no first derivative")
    (r,) = expr.variables
    law = node.law
    if not isinstance(law, GaussianLaw):
        raise Refused(f"the law of {node} is not Gaussian")
    if r in law.symbols:
        raise Refused(f"{r} is a variable of the law")
    # Degenerate laws may have no neighbours; and hypotheses that are closed no open set.
    context.require_open_domain(expr)
    require_positive_definite(law, context)
    require_moderate(node.integrand, frozenset({*law.symbols, r}), context)
    total: Expr = S.Zero
    for symbol, mean in law.mean.items():
        slope = derivative(mean, r, context)
        if slope != 0:
            total += slope * _mean_of(node.integrand.diff(symbol), law)
    for (i, x), (j, y) in product(enumerate(law.symbols), repeat=2):
        slope = derivative(law.cov[i, j], r, context)
        if slope != 0:
            total += slope * _mean_of(node.integrand.diff(x, y), law) / 2
    return total + _mean_of(node.integrand.diff(r), law)


def _mean_of(integrand: Expr, law: GaussianLaw) -> Expr:
    return S.Zero if integrand == 0 else Expectation(integrand, law)

"""Derivatives in the parameters of an integrand, exchanged with the expectation."""

from __future__ import annotations

from sympy import Derivative, Expr

from slrsym.gaussian.binding import Expectation
from slrsym.search.context import Context
from slrsym.search.convergence import require_differentiable
from slrsym.search.growth import require_moderate
from slrsym.search.rules.algebra import require_equality
from slrsym.search.rules.expectations.properties import LINEAR
from slrsym.search.step import Link, Rule
from slrsym.statements.errors import Refused

__all__ = ["differentiate_under_expectation"]


class _DifferentiateUnderExpectation(Rule):
    """The derivative of an expectation in a parameter is the expectation of the derivative.

    Rests on the axioms ``dominated-convergence`` and ``integral-linearity``.
    """

    name = "differentiation under the expectation"

    def axioms(self, link: Link) -> tuple[str, ...]:
        return ("dominated-convergence", "integral-linearity")

    def check(self, link: Link, context: Context) -> None:
        require_equality(link)
        if not any(node.expr.has(Expectation) for node in link.statement.atoms(Derivative)):
            raise Refused("neither side has a derivative of an expectation")
        context.require_equal(
            _differentiated(link.lhs, context), _differentiated(link.rhs, context), LINEAR
        )


differentiate_under_expectation = _DifferentiateUnderExpectation()


def _differentiated(expr: Expr, context: Context) -> Expr:
    if isinstance(expr, Derivative):
        inside = _differentiated(expr.expr, context)
        for variable, count in expr.variable_count:
            for _ in range(int(count)):
                require_differentiable(inside, variable, context)
                inside = _exchange(inside.diff(variable), context)
        return inside
    if not expr.has(Derivative):
        return expr
    return expr.func(*(_differentiated(arg, context) for arg in expr.args))


def _exchange(expr: Expr, context: Context) -> Expr:
    """Derivatives of expectations, as SymPy leaves them, taken inside."""
    if isinstance(expr, Derivative) and isinstance(expr.expr, Expectation):
        node, (variable,) = expr.expr, expr.variables
        if variable in node.law.free_symbols:
            raise Refused(f"the law of {node} depends on {variable}; standardise it first")
        require_moderate(node.integrand, frozenset({*node.law.symbols, variable}), context)
        return Expectation(node.integrand.diff(variable), node.law)
    if not expr.has(Derivative):
        return expr
    return expr.func(*(_exchange(arg, context) for arg in expr.args))

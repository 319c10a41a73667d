"""Expectations as integrals against Gaussian densities."""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Add, Expr, Integral, Matrix, S, exp, expand, oo, pi, sqrt

from slrsym.gaussian.binding import Expectation
from slrsym.gaussian.law import GaussianLaw
from slrsym.search.context import Context
from slrsym.search.growth import require_moderate
from slrsym.search.rules.algebra import require_equality
from slrsym.search.rules.expectations.terms import expectations_in, with_expectations_changed
from slrsym.search.step import Link, Rule
from slrsym.statements.errors import Refused

__all__ = ["complete_the_square", "density"]


@dataclass(frozen=True)
class _CompleteTheSquare(Rule):
    """Both sides have the same integrand against Lebesgue measure."""

    law: GaussianLaw

    name = "completing the square"

    def axioms(self, link: Link) -> tuple[str, ...]:
        return ("integral-linearity", "gaussian-normalisation")

    def check(self, link: Link, context: Context) -> None:
        require_equality(link)
        for node in expectations_in(link.rhs):
            require_moderate(node.integrand, frozenset(node.law.symbols), context)
        context.require_equal(
            _against_lebesgue(link.lhs, self.law, context),
            _against_lebesgue(link.rhs, self.law, context),
        )


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
    return _CompleteTheSquare(law)


def _against_lebesgue(expr: Expr, default: GaussianLaw, context: Context) -> Expr:
    """The integrand against Lebesgue measure of a linear combination of expectations."""
    total: list[Expr] = []
    for term in Add.make_args(expand(expr)):
        nodes = expectations_in(term)
        outer = [n for n in nodes if not any(n in m.integrand.atoms(Expectation) for m in nodes)]
        if len(outer) > 1:
            raise Refused(f"{term} is not linear in expectations")
        node = outer[0] if outer else Expectation(S.One, default)
        coefficient = term / node if outer else term
        if coefficient.has(Expectation):
            raise Refused(f"{term} is not linear in expectations")
        law = node.law
        if not isinstance(law, GaussianLaw) or set(law.symbols) != set(default.symbols):
            raise Refused(f"{node} is not under a Gaussian law of {default.symbols}")
        if set(law.symbols) & coefficient.free_symbols:
            raise Refused(f"the coefficient {coefficient} contains a variable of the law")
        _require_positive_definite(law, context)
        exponent, norm = _log_density(law)
        total.append(coefficient * node.integrand * exp(exponent) / norm)
    return Add(*total)


class _Density(Rule):
    """An expectation in one variable is the integral against its density.

    Rests on the axiom ``integral-linearity``.
    """

    name = "density"

    def axioms(self, link: Link) -> tuple[str, ...]:
        return ("integral-linearity",)

    def check(self, link: Link, context: Context) -> None:
        require_equality(link)

        def integral(node: Expectation) -> Expr:
            law = node.law
            if not isinstance(law, GaussianLaw) or len(law.symbols) != 1:
                raise Refused(f"{node} is not an expectation in one Gaussian variable")
            _require_positive_definite(law, context)
            require_moderate(node.integrand, frozenset(law.symbols), context)
            exponent, norm = _log_density(law)
            (x,) = law.symbols
            return Integral(node.integrand * exp(exponent) / norm, (x, -oo, oo))

        context.require_equal(
            with_expectations_changed(link.lhs, integral),
            with_expectations_changed(link.rhs, integral),
        )


density = _Density()


def _log_density(law: GaussianLaw) -> tuple[Expr, Expr]:
    """Exponent and normalising constant of a non-degenerate Gaussian density."""
    x = Matrix(law.symbols) - Matrix(list(law.mean.values()))
    determinant = law.cov.det(method="berkowitz")
    exponent = -(x.T * (law.cov.adjugate() / determinant) * x)[0] / 2
    return exponent, sqrt(determinant) * sqrt(2 * pi) ** len(law.symbols)


def _require_positive_definite(law: GaussianLaw, context: Context) -> None:
    for size in range(1, len(law.symbols) + 1):
        minor = law.cov[:size, :size].det(method="berkowitz")
        context.require(
            context.sign(minor).positive,
            f"the law of {', '.join(map(str, law.symbols))} may be degenerate: {minor} > 0 is not "
            "known",
        )

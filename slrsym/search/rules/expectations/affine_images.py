"""Gaussian variables as affine images of others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sympy import Derivative, Dummy, Expr, Subs, Symbol, sympify

from slrsym.gaussian.binding import Expectation
from slrsym.gaussian.law import GaussianLaw
from slrsym.search.algebra import partial_derivative
from slrsym.search.context import Context
from slrsym.search.rules.algebra import in_either_direction, require_equality
from slrsym.search.rules.expectations.properties import LINEAR
from slrsym.search.rules.expectations.terms import with_expectations_changed
from slrsym.search.step import Link, Rule
from slrsym.statements.errors import Refused
from slrsym.statements.expressions import AtPoint, apart

__all__ = ["substitution"]


@dataclass(frozen=True)
class _Substitution(Rule):
    """The variables are affine images of others."""

    forms: tuple[tuple[Symbol, Expr], ...]
    law: GaussianLaw

    name = "substitution"

    def axioms(self, link: Link) -> tuple[str, ...]:
        return ("gaussian-linear-image",)

    def check(self, link: Link, context: Context) -> None:
        require_equality(link)
        in_either_direction(self._check_forward, link, context)

    def _check_forward(self, link: Link, context: Context) -> None:
        forms = dict(self.forms)
        if set(self.law.symbols) & link.lhs.free_symbols:
            raise Refused("the new variables occur freely on the left")
        image = self.law.linear_image(forms)
        changed = []

        def moved(node: Expectation) -> Expr:
            if set(node.law.symbols) != set(forms):
                return node
            if not isinstance(node.law, GaussianLaw):
                raise Refused(f"the law of {node} is not Gaussian")
            self._require_same(node.law, image.marginal(*node.law.symbols), context)
            changed.append(node)
            taken = set(forms) | set(self.law.symbols)
            return Expectation(_plugged(apart(node.integrand, taken), forms), self.law)

        result = with_expectations_changed(link.lhs, moved)
        if not changed:
            raise Refused(f"no expectation on the left is over {', '.join(map(str, forms))}")
        context.require_equal(result, link.rhs, LINEAR)

    @staticmethod
    def _require_same(first: GaussianLaw, second: GaussianLaw, context: Context) -> None:
        pairs = [
            *zip(first.mean.values(), second.mean.values(), strict=True),
            *zip(first.cov, second.cov, strict=True),
        ]
        for mine, other in pairs:
            try:
                context.require_equal(mine, other)
            except Refused:
                raise Refused(
                    f"the image of the new law is not the law on the left: {other} is not {mine}"
                ) from None


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
    return _Substitution(tuple((s, sympify(f)) for s, f in forms.items()), law)


def _plugged(expr: Expr, forms: Mapping[Symbol, Expr]) -> Expr:
    """`expr` at other arguments, all at once; partial derivatives are taken before."""
    if isinstance(expr, Derivative | Subs):
        partial = partial_derivative(expr)
        if partial is None:
            raise Refused(f"cannot change the variables of {expr}")
        (_, function, orders), arguments = partial
        places = [Dummy(f"xi_{i}", real=True) for i in range(len(arguments))]
        derivative = Derivative(
            function(*places), *((x, n) for x, n in zip(places, orders, strict=True) if n)
        )
        return AtPoint(derivative, places, [_plugged(a, forms) for a in arguments])
    if expr in forms:
        return forms[expr]
    if not expr.args:
        return expr
    return expr.func(*(_plugged(arg, forms) for arg in expr.args))

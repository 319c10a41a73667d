"""Means over one sample of a loss, with its gradient and second order, and the risk of a model.

The loss of a sample is a function D of the projections of its token. With the derivative
:math:`D_x` in the projection on x, the risk is E D, the gradient along Y is :math:`E[D_x Y]`, and
the terms of second order are :math:`E[D_x D_y]`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sympy import Expr, S, Symbol

from slrsym.models.definition.projections import ProjectionLaws, TokenRole
from slrsym.models.definition.specification import Direction
from slrsym.models.means.mean_patterns import MeanPattern, ProductFactors
from slrsym.models.means.one_sample_means import MomentSum, OneSampleMeans, ProductTerm
from slrsym.models.means.products_of_steps import with_fewest_steps
from slrsym.models.means.readout_means import ReadoutMeans
from slrsym.models.means.risk_terms import RiskTerms


class LossMeans(OneSampleMeans):
    """Means over one sample of a loss other than the square, of data of one token."""

    def _roles(self) -> Iterator[tuple[TokenRole, Expr]]:
        for roles, probability in self.cases:
            for role, _ in roles:
                yield role, probability

    def risk(self) -> Expr:
        """Return the mean loss, in symbols of moments."""
        if "risk" not in self._known:
            # One sum for all classes, in which what is infinite at w = 0 cancels.
            moment = MomentSum()
            for role, p in self._roles():
                for part in self._error(role):
                    self._add(moment, role, part, frozenset(), p)
            self._known["risk"] = self._named(moment)
        return self._known["risk"] + self.model.mean_squared_length

    @staticmethod
    def _pattern(role: TokenRole, part: ProductTerm) -> tuple[MeanPattern, tuple[Any, ...]]:
        product = with_fewest_steps(part.product)
        return OneSampleMeans._pattern(role, part._replace(product=product))

    def _slope(
        self,
        x: Direction | Symbol,
        weight: ProductFactors,
        name: tuple[Any, ...],
        fixed: frozenset[Symbol],
    ) -> Expr:
        total: Expr = S.Zero
        for role, p in self._roles():
            factors = [self._derivative(role, x), [ProductTerm(S.One, frozenset(), weight)]]
            total += p * self._moment((role, *name), role, fixed, factors, 0)
        return total

    def second_moment(self, i: Direction, j: Direction) -> Expr:
        """Return the mean inner product of one sample's gradients in i and in j, divided by d."""
        total: Expr = S.Zero
        for role, p in self._roles():
            both = [self._derivative(role, i), self._derivative(role, j)]
            part = self._moment((role, i, j), role, self._tags(i, j), both, 0)
            total += p * role.token.eigenvalues[0] * part
        return total


def means_over_one_sample(model: ProjectionLaws) -> OneSampleMeans:
    """Return the means over one sample of the squared error, or of the loss, of a model."""
    if model.readout_error is not None:
        return ReadoutMeans(model)
    return OneSampleMeans(model) if model.loss is None else LossMeans(model)


class LossTerms(RiskTerms):
    """The mean loss of a model, or of a readout, with named subexpressions."""

    def __init__(self, stated: ProjectionLaws) -> None:
        super().__init__(stated)
        self.samples = means_over_one_sample(stated)
        self.moments = self.samples.moments
        # Means that may not be finite are refused here.
        self.samples.risk()

    def _add_case(self, counts: Any, probability: Expr) -> None:
        """Skip the parts of a squared error, of which there are none."""

    def _risk_in_moments(self) -> Expr:
        return self.samples.risk() - self.model.data.noise**2

    def _risk_of_kinks(self) -> None:
        """Return nothing: the risk is one sum as it is."""

    def _risk_without_ridge(self) -> Expr:
        risk = self._risk_in_moments()
        names = risk.free_symbols & self.moments.keys()
        return risk.xreplace({name: self._written(self.moments[name]) for name in names})

    def moment_derivative_symbol(self, name: Symbol, x: Symbol) -> Expr:
        """Return the symbol of a moment's partial derivative, or 0 if the derivative vanishes."""
        return self.samples.moment_derivative_symbol(name, x)

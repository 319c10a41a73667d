r"""Means over one sample of a loss, by definition, and the claim about the mean loss.

The loss of a sample is a function D of the projections of its token: the risk is E D, the gradient
in x along y is :math:`\mathbb{E}[\partial_x D\,\langle y, X\rangle]`, and the mean inner product of
two gradients, over d, is a variance times :math:`\mathbb{E}[\partial_x D\,\partial_y D]`. Lists and
vectors, whose loss is a squared distance, are of this kind, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from sympy import Expr, Heaviside, S, Symbol

from slrsym.gaussian import Expectation
from slrsym.kernels.symbolic_functions import GaussianMean
from slrsym.models.definition.projections import TokenRole
from slrsym.models.definition.specification import Direction
from slrsym.models.means.jumps import derivative_across_jumps, with_means_at_jumps
from slrsym.models.means.one_sample_means import OneSampleMeans

if TYPE_CHECKING:
    from slrsym.models.training.descent import DerivedModel


class LossMeansByDefinition:
    """Means over one sample of a loss by definition, in place of `LossMeans`."""

    def __init__(self, model: DerivedModel) -> None:
        self.model = model
        self._laws = OneSampleMeans(model)

    def risk(self) -> Expr:
        """Return 0 in place of the risk, whose claim `Model.claims` states."""
        return S.Zero

    def mean_loss(self) -> Expr:
        """Return the mean loss of a sample."""
        found = self._total(lambda role, slopes, Y: with_means_at_jumps(role.share))
        return found + self.model.mean_squared_length

    def gradient(self, i: Direction, y: Direction, space: int) -> Expr:
        """Return the mean inner product of y with the gradient of the loss in direction `i`."""
        weight = (y, None if self.model.spaces == 1 else space)
        found = self._total(lambda role, slopes, Y: slopes[0] * Y, (i,), weight)
        for p, along in self._laws.explicit_parts(i, y, space):
            found += along * self.slope_in_scalar(p)
        return found

    def slope_in_scalar(self, s: Symbol) -> Expr:
        """Return the mean of the derivative of the loss in a trained scalar."""
        return self._total(lambda role, slopes, Y: slopes[0], (s,))

    def second_moment(self, i: Direction, j: Direction) -> Expr:
        """Return the mean inner product of one sample's gradients in i and in j, divided by d."""
        return self._total(
            lambda role, slopes, Y: role.token.eigenvalues[0] * slopes[0] * slopes[1], (i, j)
        )

    def _total(
        self,
        integrand: Callable[[TokenRole, list[Expr], Expr], Expr],
        moved: Iterable[Direction | Symbol] = (),
        weight: Any = None,
    ) -> Expr:
        """Return the mean over roles of a function of the loss and its derivatives."""
        total: Expr = S.Zero
        for roles, probability in self._laws.cases:
            for role, _ in roles:
                symbols = role.symbol_of
                variables = {(x, None): s for x, s in symbols.items()}
                Y: Expr = S.One
                if weight is not None:
                    named = Symbol(f"Y_{{{weight[0].name}}}", real=True)
                    Y = variables.setdefault(weight, named)
                at = [symbols.get(x) if isinstance(x, Direction) else x for x in moved]
                slopes = [
                    S.Zero if s is None else derivative_across_jumps(role.share, s) for s in at
                ]
                if S.Zero in slopes:
                    continue
                value = _without_powers_of_steps(integrand(role, slopes, Y))
                used = {v: s for v, s in variables.items() if value.has(s)}
                law = self._laws.projection_law(role, used) if used else None
                total += probability * (value if law is None else Expectation(value, law))
        return total


def _without_powers_of_steps(expr: Expr) -> Expr:
    """Return an expression with steps in place of their powers, which differ at the jump alone."""
    return expr.replace(
        lambda e: e.is_Pow and isinstance(e.base, Heaviside) and e.exp.is_positive,
        lambda e: e.base,
    )


def require_statable(model: DerivedModel) -> None:
    """Raise an error in words if claims about a model's samples cannot be stated.

    Raises
    ------
    ValueError
        If the prediction is a readout of several sums over tokens.
    """
    if model.readout_error is not None:
        raise ValueError(
            "claims are about predictors that are one sum over tokens, a list or a vector; this is "
            "a readout of several sums, whose mean square no rule expands. m.check compares its "
            "risk and gradient with sampled tokens"
        )


def require_closed_form(title: str, value: Expr) -> None:
    """Raise an error in words if a mean is a quadrature, of which no proof is known.

    Raises
    ------
    ValueError
        If it is.
    """
    means = value.atoms(GaussianMean)
    if means:
        size = max(len(mean.orders) for mean in means)
        raise ValueError(
            f"claims are about closed forms, and {title} is a quadrature in {size} "
            f"dimension{'s' * (size > 1)}; m.check compares risk and gradient with sampled tokens"
        )

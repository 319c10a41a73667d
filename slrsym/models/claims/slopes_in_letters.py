"""Slopes of a risk as letters, from which velocities of its gradient flow are made."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count
from typing import TYPE_CHECKING

from sympy import Add, Expr, S, Symbol

from slrsym.models.definition.specification import Direction

if TYPE_CHECKING:
    from slrsym.models.training.descent import DerivedModel


class SlopesInLetters:
    """Means over one sample as `OneSampleMeans` has them, by letters for slopes of the risk."""

    def __init__(self, model: DerivedModel, scalars: tuple[Symbol, ...]) -> None:
        self.model = model
        self._taken = {s.name for s in (*model.gram_indices, *model.scalars)}
        self.of = self.named("g", (*model.gram_indices, *scalars))

    def named(self, letter: str, symbols: Iterable[Symbol]) -> dict[Symbol, Symbol]:
        """Return numbered letters for symbols, with names that nothing in the model has."""
        names = (n for k in count(1) if (n := f"{letter}_{k}") not in self._taken)
        return {p: Symbol(next(names), real=True) for p in symbols}

    def risk(self) -> Expr:
        """Return 0, as the risk is no expression in these letters."""
        return S.Zero

    def coefficients(self, x: Direction) -> dict[Direction, Expr]:
        """Return the gradient of the risk in a direction, as a combination of directions."""
        found = {}
        for y in self.model.directions:
            letter = self.of.get(self.model.inner_product(x, y))
            if letter is not None:
                found[y] = 2 * letter if y is x else letter
        return found

    def gradient(self, x: Direction, y: Direction, space: int) -> Expr:
        """Return the inner product of y with the gradient of the risk in x."""
        inner = self.model.inner_product
        return Add(*(c * inner(y, z) for z, c in self.coefficients(x).items()))

    def slope_in_scalar(self, s: Symbol) -> Expr:
        """Return the slope of the risk in a trained scalar."""
        return self.of[s]

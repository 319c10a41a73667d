"""Gaussian means of functions times a delta function of one variable, and slopes that have them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, cached_property
from typing import NamedTuple

from sympy import DiracDelta, Expr, Heaviside, Pow, S, Symbol

from slrsym.kernels.limits import with_limits
from slrsym.kernels.symbolic_functions import GaussianMean
from slrsym.models.definition.specification import NotClosedError
from slrsym.models.means.kink_slopes import (
    SQUARE,
    PartAtPlace,
    conditional_law,
    density,
    slope_parts,
)
from slrsym.models.means.mean_patterns import GaussianMeanFormula, MeanPolynomial, pattern_of_core
from slrsym.models.means.moments import (
    covariance_symbol,
    generic_gaussian_variables,
    mean_symbol,
)


class MeanAtPlace(GaussianMeanFormula):
    """The mean of a function times a delta function: a density times a mean given the variable.

    Its limits are exact where the variance vanishes. Of a density alone the argument is the square
    of the distance from the mean, so that equal densities are one.
    """

    def __init__(self, part: PartAtPlace, count: int, centred: bool) -> None:
        names = generic_gaussian_variables(count)
        self._part, self._centred = part, centred
        self._others = [j for j in range(count) if j != part.i and part.rest.has(names[j])]
        new = generic_gaussian_variables(len(self._others))
        renamed = {names[j]: z for j, z in zip(self._others, new, strict=True)}
        inner = pattern_of_core(part.rest.xreplace(renamed), len(self._others))
        self._inner = inner.mean(centred and part.place == 0)
        value = self._density * self._inner.value.xreplace(self._law(False))
        core = part.rest * DiracDelta(names[part.i] - part.place)
        super().__init__(pattern_of_core(core, count), value)

    def _law(self, in_programs: bool) -> dict[Symbol, Expr]:
        part = self._part
        return conditional_law(part.i, part.place, self._others, self._centred, in_programs)

    @property
    def has_others(self) -> bool:
        """Whether there are variables beside that of the delta function."""
        return bool(self._others)

    @property
    def square(self) -> Expr:
        """The square of the distance of the place from the mean."""
        part = self._part
        return (part.place - (S.Zero if self._centred else mean_symbol(part.i))) ** 2

    @property
    def _density(self) -> Expr:
        variance = covariance_symbol(self._part.i, self._part.i)
        return density(self.square if self._others else SQUARE, variance)

    @cached_property
    def _printed(self) -> tuple[Expr, dict[Symbol, Expr]]:
        law = self._law(True)
        inner = self._inner.printed_at([law.get(a, a) for a in self._inner.arguments])
        return with_limits(self._density) * inner, {}


@cache
def mean_at_place(part: PartAtPlace, count: int, centred: bool) -> MeanAtPlace:
    """Return the mean of a function times a delta function.

    Parameters
    ----------
    part : PartAtPlace
        Its coefficient is left out.
    count : int
        How many variables there are.
    centred : bool
        Whether their means are 0.

    Returns
    -------
    MeanAtPlace
    """
    return MeanAtPlace(part._replace(coefficient=S.One), count, centred)


class SlopeTerm(NamedTuple):
    """A coefficient times a mean, at the values of its arguments by those of another mean."""

    coefficient: Expr
    mean: GaussianMeanFormula | MeanPolynomial
    law: Mapping[Symbol, Expr]


def terms_of_slope(mean: GaussianMeanFormula, argument: Symbol) -> list[SlopeTerm]:
    """Return terms whose sum is the derivative of a mean in one of its symbols.

    Parameters
    ----------
    mean : GaussianMeanFormula
    argument : Symbol

    Returns
    -------
    list of SlopeTerm
    """
    if mean.is_of_core:
        found = _terms_by_kinks(mean, argument)
        if found is not None:
            return found
    return [SlopeTerm(S.One, mean.slope(argument), {})]


def _terms_by_kinks(mean: GaussianMeanFormula, argument: Symbol) -> list[SlopeTerm] | None:
    core, count = mean.pattern.core, mean.pattern.count
    parts = slope_parts(core, argument, count)
    # Closed forms of functions that jump have their limits.
    if parts is None or (parts.of_jumps and not mean.value.has(GaussianMean)):
        return None
    centred = not any(mean_symbol(i) in mean.arguments for i in range(count))
    origin = {mean_symbol(i): S.Zero for i in range(count)} if centred else {}
    found = []
    try:
        if parts.smooth != 0:
            smooth = parts.smooth.replace(_is_power_of_step, lambda power: power.base)
            whole = pattern_of_core(smooth, count).mean(centred)
            found.append(SlopeTerm(S.One, whole, {}))
        for part in parts.at_kinks:
            there = mean_at_place(part._replace(coefficient=S.One), count, centred)
            law = {} if there.has_others else {SQUARE: there.square}
            found.append(SlopeTerm(part.coefficient.xreplace(origin), there, law))
    except NotClosedError:
        return None
    return found


def _is_power_of_step(node: Expr) -> bool:
    return isinstance(node, Pow) and isinstance(node.base, Heaviside) and node.exp.is_positive

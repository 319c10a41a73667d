"""Gaussian means of functions times a delta function of one variable, and slopes that have them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, cached_property
from typing import NamedTuple

from sympy import DiracDelta, Expr, Heaviside, Max, Min, Mul, Pow, S, Symbol

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

RAMPS = (Heaviside, Max, Min)


class SlopeTerm(NamedTuple):
    """A coefficient times a mean, at the values of its arguments by those of another mean."""

    coefficient: Expr
    mean: GaussianMeanFormula | MeanPolynomial
    law: Mapping[Symbol, Expr]


class MeanAtPlace(GaussianMeanFormula):
    """The mean of a function times a delta function: a density times a mean given the variable.

    Its limits are exact where the variance vanishes. Of a density alone the argument is the square
    of the distance from the mean, so that equal densities are one.
    """

    def __init__(
        self, part: PartAtPlace, count: int, centred: bool, given: SlopeTerm | None = None
    ) -> None:
        names = generic_gaussian_variables(count)
        self._part, self._count, self._centred = part, count, centred
        self._others = [j for j in range(count) if j != part.i and part.rest.has(names[j])]
        if given is None:
            new = generic_gaussian_variables(len(self._others))
            rest = part.rest.xreplace({names[j]: z for j, z in zip(self._others, new, strict=True)})
            given = _mean_of_rest(rest, new, centred and part.place == 0)
        # Polynomials of means are covariances, of which none is given a variable.
        assert isinstance(given.mean, GaussianMeanFormula)
        self._inner, self._at = given.mean, given.law
        value = self._density * self._inner.value.xreplace(self._law(False))
        core = part.rest * DiracDelta(names[part.i] - part.place)
        super().__init__(pattern_of_core(core, count), value)

    def _law(self, in_programs: bool) -> dict[Symbol, Expr]:
        part = self._part
        law = conditional_law(part.i, part.place, self._others, self._centred, in_programs)
        return law | {x: entry.xreplace(law) for x, entry in self._at.items()}

    def terms_of_slope(self, argument: Symbol) -> list[SlopeTerm] | None:
        """Return terms of a slope in a covariance by the mean given the variable, or None.

        It is for ramps and steps of another variable at a place 0, and for variables without means.
        """
        part = self._part
        if not self._inner.is_of_core or not (self._centred and part.place == part.order == 0):
            return None
        if argument == covariance_symbol(part.i, part.i) or not part.rest.has(*RAMPS):
            return None
        law, found = self._law(False), []
        for x in self._inner.arguments:
            rate = law.get(x, x).diff(argument)
            for term in terms_of_slope(self._inner, x) if rate != 0 else ():
                mean = MeanAtPlace(part, self._count, True, term)
                found.append(SlopeTerm(rate * term.coefficient.xreplace(law), mean, {}))
        return found

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
        found = density(self.square if self._others else SQUARE, variance)
        return found / variance**self._part.order

    @cached_property
    def _printed(self) -> tuple[Expr, dict[Symbol, Expr]]:
        law = self._law(True)
        inner = self._inner.printed_at([law.get(a, a) for a in self._inner.arguments])
        return with_limits(self._density) * inner, {}


def _mean_of_rest(rest: Expr, names: tuple[Symbol, ...], centred: bool) -> SlopeTerm:
    """Return the mean of a function, which may have a delta function of a variable as a factor.

    Raises
    ------
    NotClosedError
        If it has others, or no mean is known.
    """
    deltas = [factor for factor in Mul.make_args(rest) if isinstance(factor, DiracDelta)]
    if len(deltas) == 1 and deltas[0].args[0] in names:
        (delta,) = deltas
        part = PartAtPlace(S.One, rest / delta, names.index(delta.args[0]), S.Zero)
        if not part.rest.has(DiracDelta):
            return _term_at_place(part, len(names), centred)
    if rest.has(DiracDelta):
        raise NotClosedError(f"no closed form is known of the mean of {rest}")
    return SlopeTerm(S.One, pattern_of_core(rest, len(names)).mean(centred), {})


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


def _term_at_place(part: PartAtPlace, count: int, centred: bool) -> SlopeTerm:
    there = mean_at_place(part._replace(coefficient=S.One), count, centred)
    return SlopeTerm(part.coefficient, there, {} if there.has_others else {SQUARE: there.square})


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
    found = _terms_by_kinks(mean, argument) if mean.is_of_core else None
    if isinstance(mean, MeanAtPlace):
        found = mean.terms_of_slope(argument)
    if found is not None:
        return found
    return [SlopeTerm(S.One, mean.slope(argument), {})]


def _terms_by_kinks(mean: GaussianMeanFormula, argument: Symbol) -> list[SlopeTerm] | None:
    core, count = mean.pattern.core, mean.pattern.count
    parts = slope_parts(core, argument, count)
    if parts is None:
        return None
    centred = not any(mean_symbol(i) in mean.arguments for i in range(count))
    is_of_jump = any(part.order for part in parts.at_kinks)
    # The slope of a jump is a multiple of a mean, which is 0 where the density may be infinite: the
    # limit of the product is seen in closed forms.
    if is_of_jump and not centred and not mean.value.has(GaussianMean):
        return None
    origin = {mean_symbol(i): S.Zero for i in range(count)} if centred else {}
    found = []
    try:
        if parts.smooth != 0:
            smooth = parts.smooth.replace(_is_power_of_step, lambda power: power.base)
            whole = pattern_of_core(smooth, count).mean(centred)
            found.append(SlopeTerm(S.One, whole, {}))
        for part in parts.at_kinks:
            term = _term_at_place(part, count, centred)
            found.append(term._replace(coefficient=term.coefficient.xreplace(origin)))
    except NotClosedError:
        return None
    return found


def _is_power_of_step(node: Expr) -> bool:
    return isinstance(node, Pow) and isinstance(node.base, Heaviside) and node.exp.is_positive

r"""Slopes of means of functions with kinks in the law of a variable, exact where it is constant.

In a variance, half the mean of the second derivative is the slope of a mean, in a mean that of the
first. Of a function with a kink at r the second derivative has a delta function there, by the jump
of the first; its mean is the density at r times a mean given that the variable is r. Written apart,
densities that are infinite where the variance vanishes cancel among the parts of a loss, before
they are numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from sympy import Add, DiracDelta, Expr, Mul, S, Symbol, exp, expand, pi, sign, sqrt

from slrsym.kernels.edge_functions import Larger, Smaller
from slrsym.models.means.jumps import derivative_across_jumps, jumps_of
from slrsym.models.means.moments import (
    covariance_symbol,
    generic_gaussian_variables,
    mean_symbol,
)
from slrsym.models.means.smooth_pieces import KINKS, kink_forms
from slrsym.models.training.alignment import LEAST_VARIANCE, ROUNDING

SQUARE = Symbol("square", nonnegative=True)
"""Of the distance of a place from the mean of a variable, in a density there."""


class PartAtPlace(NamedTuple):
    """A coefficient times a delta function of variable `i` at a place, times other variables.

    It is divided by the variance as often as `order` says.
    """

    coefficient: Expr
    rest: Expr
    i: int
    place: Expr
    order: int = 0


class SlopeParts(NamedTuple):
    """A derivative as a function without delta functions, and its parts at kinks."""

    smooth: Expr
    at_kinks: tuple[PartAtPlace, ...]


@cache
def slope_parts(core: Expr, argument: Symbol, count: int) -> SlopeParts | None:
    """Return parts whose means sum to the derivative of a mean in an entry of the law.

    Parameters
    ----------
    core : Expr
        In the generic variables.
    argument : Symbol
        Of the law.
    count : int
        How many variables there are.

    Returns
    -------
    SlopeParts or None
        None if `argument` is another, or the function has kinks in other variables. Covariances
        are those with a variable of whose sign the function is a multiple.
    """
    names = generic_gaussian_variables(count)
    places = (i for i in range(count) if argument in (mean_symbol(i), covariance_symbol(i, i)))
    i = next(places, None)
    if i is None:
        return _in_covariance_with_sign(core, argument, names)
    if not _has_kinks_in(core, names[i], names):
        return None
    z, in_variance = names[i], argument == covariance_symbol(i, i)
    try:
        slope, jumps = _slope_and_jumps(core, z)
        smooth, turns = _slope_and_jumps(slope, z) if in_variance else (slope, jumps)
    except ValueError:
        return None
    if slope.has(DiracDelta) or smooth.has(DiracDelta):
        return None
    scale = S.Half if in_variance else S.One
    heights = [(place, scale * height, 0) for place, height in turns]
    if in_variance:
        # By the density: of a height times the derivative of a delta function, less its mean.
        for place, height in jumps:
            along = Add(*(covariance_symbol(i, j) * height.diff(y) for j, y in enumerate(names)))
            heights.append((place, scale * ((place - mean_symbol(i)) * height - along), 1))
    at_kinks = (
        part for place, height, order in heights
        for part in _parts_at(place, height, i, names, order)
    )  # fmt: skip
    return SlopeParts(scale * smooth, tuple(at_kinks))


def _in_covariance_with_sign(
    core: Expr, argument: Symbol, names: tuple[Symbol, ...]
) -> SlopeParts | None:
    """Return the parts of a slope in a covariance with a variable whose sign is a factor."""
    for label in (f for f in Mul.make_args(core) if isinstance(f, sign) and f.args[0] in names):
        y, function = label.args[0], core / label
        j = names.index(y)
        for i, z in enumerate(names):
            if argument != covariance_symbol(i, j) or function.has(y) or i == j:
                continue
            if not _has_kinks_in(core, z, names):
                return None
            try:
                slope, jumps = _slope_and_jumps(function, z)
            except ValueError:
                return None
            parts = [PartAtPlace(S(2), slope, j, S.Zero)] if slope != 0 else []
            for place, height in jumps:
                parts += _parts_at(place, 2 * height * DiracDelta(y), i, names)
            return None if slope.has(DiracDelta) else SlopeParts(S.Zero, tuple(parts))
    return None


def _slope_and_jumps(function: Expr, z: Symbol) -> tuple[Expr, tuple[tuple[Expr, Expr], ...]]:
    """Return a derivative without its delta functions at jumps, and the jumps."""
    jumps = jumps_of(function, z)
    deltas = Add(*(height * DiracDelta(z - place) for place, height in jumps))
    return derivative_across_jumps(function, z) - deltas, jumps


def _parts_at(
    place: Expr, height: Expr, i: int, names: tuple[Symbol, ...], order: int = 0
) -> Iterator[PartAtPlace]:
    """Yield the terms of what a delta function of variable `i` at a place is multiplied by."""
    for term in Add.make_args(expand(height)):
        number, rest = term.as_independent(*names, as_Add=False)
        if number != 0:
            yield PartAtPlace(number, rest, i, place, order)


def _has_kinks_in(core: Expr, z: Symbol, names: tuple[Symbol, ...]) -> bool:
    """Return whether a function has kinks in one variable, and in others signs of them alone."""
    own = False
    for node in core.atoms(*KINKS):
        used = set().union(*(form.free_symbols for form in kink_forms(node))) & set(names)
        if used == {z}:
            own = True
        elif used and not (isinstance(node, sign) and node.args[0] in names):
            return False
    return own


def conditional_law(
    i: int, place: Expr, others: list[int], centred: bool, in_programs: bool = False
) -> dict[Symbol, Expr]:
    """Return the law of variables given that variable `i` is at a place, by generic symbols.

    Parameters
    ----------
    i : int
    place : Expr
    others : list of int
        The variables.
    centred : bool
        Whether all means are 0.
    in_programs : bool, optional
        Whether to write it for programs, where the variance may vanish, and what is left of others.

    Returns
    -------
    dict of Symbol to Expr
    """
    variance: Expr = covariance_symbol(i, i)
    below = Larger(variance, LEAST_VARIANCE) if in_programs else variance
    away = place if centred else place - mean_symbol(i)
    law: dict[Symbol, Expr] = {}
    for a, j in enumerate(others):
        c = covariance_symbol(*sorted((i, j)))
        law[mean_symbol(a)] = (S.Zero if centred else mean_symbol(j)) + c * away / below
        for b, k in list(enumerate(others))[a:]:
            d = covariance_symbol(*sorted((i, k)))
            whole = covariance_symbol(*sorted((j, k)))
            left = whole - c * d / below
            if in_programs and j == k:
                # Beyond alignment by more than rounding there is no value.
                left = Larger(left, 0) + Smaller(0, left + ROUNDING * whole)
            law[covariance_symbol(a, b)] = left
    return law


def density(square: Expr, variance: Expr) -> Expr:
    """Return the normal density at a distance from the mean whose square is given.

    Parameters
    ----------
    square, variance : Expr

    Returns
    -------
    Expr
    """
    return exp(-square / (2 * variance)) / sqrt(2 * pi * variance)

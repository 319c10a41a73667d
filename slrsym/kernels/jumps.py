"""Places where an expression may jump, and its derivatives away from them.

SymPy differentiates each branch of a `Piecewise`, and says 0 at a jump. The mean value theorem and
Newton's method hold for continuous functions alone, so what uses them asks here first.
"""

from __future__ import annotations

from itertools import pairwise

import sympy as sp
from sympy import Basic, Dummy, Expr, Piecewise, Rational, Symbol
from sympy.core.relational import Relational
from sympy.functions.elementary.piecewise import ExprCondPair
from sympy.logic.boolalg import And, Boolean, BooleanFalse, BooleanTrue, Not, Or

from slrsym.gaussian import (
    OwensT,
    bivariate_normal_cdf,
    erf_prime,
    erf_second,
    normal_cdf,
    normal_pdf,
    zeta,
)
from slrsym.kernels.orthants import OrthantMoment, OrthantProbability
from slrsym.kernels.symbolic_functions import (
    DifferenceFromErf,
    ErfCovariance,
    ErfVariance,
)

# Where the arguments of these are in their domain, they are continuous, and nearly everywhere
# differentiable. A function of a user's own that extends one of them is none of them.
_CONTINUOUS = {
    sp.Add, sp.Mul, sp.Pow, sp.Abs, sp.Max, sp.Min, sp.asin, sp.atan, sp.cos, sp.erf, sp.erfc,
    sp.exp, sp.log, sp.sin, sp.tanh, OwensT, erf_prime, erf_second, normal_cdf, normal_pdf, zeta,
    bivariate_normal_cdf, DifferenceFromErf, ErfCovariance, ErfVariance,
    OrthantMoment, OrthantProbability, type(sp.pi), type(sp.E),
}  # fmt: skip
# Symbols of any class.
_NUMBERS = (Rational, sp.Float, Symbol)
_RELATIONS = (sp.Eq, sp.Ne, sp.Lt, sp.Le, sp.Gt, sp.Ge)
_CONDITIONS = {*_RELATIONS, And, Or, Not, ExprCondPair, BooleanTrue, BooleanFalse}

# Differences of branches that have more operations are not simplified.
_LARGEST = 200


def jump_arguments(expr: Basic) -> frozenset[Expr] | None:
    """Return expressions of which one is zero wherever an expression jumps, or None if unknown.

    The expression is continuous, and nearly everywhere differentiable, on every interval on which
    it is defined and none of them vanishes.
    """
    found: set[Expr] = set()
    for part in sp.preorder_traversal(expr):
        kind = type(part)
        if kind is sp.sign:
            found.add(part.args[0])
        elif kind is Piecewise:
            if not _is_continuous(part):
                found |= {r.lhs - r.rhs for r in _relations(part)}
        elif not (kind in _CONTINUOUS or kind in _CONDITIONS or isinstance(part, _NUMBERS)):
            return None
    return frozenset(x for x in found if not (x.is_number and x.is_zero is False))


def derivative_away_from_jumps(expr: Expr, x: Symbol) -> Expr:
    """Return the derivative of an expression nearly everywhere off the zeros of jump arguments."""
    extremes = sorted(expr.atoms(sp.Max, sp.Min), key=sp.default_sort_key)
    names = {part: Dummy(real=True) for part in extremes}
    flat = expr.xreplace(names)
    slope: Expr = flat.diff(x)
    for part, name in names.items():
        if flat.has(name):
            slope += flat.diff(name) * _slope_of_extreme(part, x)
    if slope.has(sp.DiracDelta):
        slope = slope.replace(sp.DiracDelta, lambda *_: sp.S.Zero)
    return slope.xreplace({name: part for part, name in names.items()})


def _slope_of_extreme(extreme: Expr, x: Symbol) -> Expr:
    """Return the slope of the argument by which a `Max` or a `Min` has its value."""
    chooses = sp.Ge if isinstance(extreme, sp.Max) else sp.Le
    *others, last = sorted(extreme.args, key=sp.default_sort_key)
    found = derivative_away_from_jumps(last, x)
    beyond = last
    for part in others:
        found = Piecewise(
            (derivative_away_from_jumps(part, x), chooses(part, beyond)), (found, True)
        )
        beyond = extreme.func(beyond, part)
    return found


def _relations(part: Piecewise) -> list[Relational]:
    conditions = (condition for _, condition in part.args)
    return [r for condition in conditions for r in condition.atoms(Relational)]


def _is_continuous(whole: Piecewise) -> bool:
    """Return whether the branches of a `Piecewise` are shown to meet where its conditions change.

    That is tried where all conditions compare one affine form with rational numbers.
    """
    relations = _relations(whole)
    symbols = sorted({s for r in relations for s in r.free_symbols}, key=str)
    for x in symbols:
        places = [_place(r, x) for r in relations]
        if any(place is None for place in places):
            continue
        base = places[0]
        ends = [sp.expand(place - base) for place in places]  # type: ignore[operator]
        if all(isinstance(end, Rational) for end in ends):
            return _meet(whole, x, base, sorted(set(ends)))
    return False


def _place(relation: Relational, x: Symbol) -> Expr | None:
    """Return the value of x at which both sides of a relation are equal, or None if unknown."""
    difference = sp.expand(relation.lhs - relation.rhs)
    slope = difference.coeff(x, 1)
    rest = sp.expand(difference - slope * x)
    if not isinstance(slope, Rational) or slope == 0 or rest.has(x):
        return None
    return -rest / slope


def _meet(whole: Piecewise, x: Symbol, base: Expr, ends: list[Rational]) -> bool:
    """Return whether the branches meet at the points base + end."""
    beside = [ends[0] - 1, *((a + b) / 2 for a, b in pairwise(ends))]
    beside.append(ends[-1] + 1)
    for left, end, right in zip(beside, ends, beside[1:], strict=False):
        branches = [_branch(whole, x, base, at) for at in (left, end, right)]
        values = [None if b is None else b.subs(x, base + end) for b in branches]
        if any(value is None or not _is_zero(value - values[0]) for value in values):
            return False
    return True


def _branch(whole: Piecewise, x: Symbol, base: Expr, end: Rational) -> Expr | None:
    """Return the branch of a `Piecewise` that applies where x is base + end, if one is known to."""
    for value, condition in whole.args:
        holds = condition.replace(
            lambda part: isinstance(part, Relational),
            lambda part: _holds(part, x, base, end),
        )
        if holds not in (True, False):
            return None
        if holds:
            return value
    return None


def _holds(relation: Relational, x: Symbol, base: Expr, end: Rational) -> Boolean:
    difference = sp.expand((relation.lhs - relation.rhs).subs(x, base + end))
    return relation.func(difference, 0)


def _is_zero(expr: Expr) -> bool:
    if sp.expand(expr) == 0:
        return True
    return bool(expr.count_ops() <= _LARGEST and sp.simplify(expr) == 0)

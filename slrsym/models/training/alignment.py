r"""Forms of Gaussian means that stay accurate, and finite, where two variables are aligned.

Means of functions with kinks hold :math:`\arcsin r` and :math:`\sqrt{1 - r^2}` for a correlation r.
Each alone loses half of its digits near :math:`r = \pm 1`, quotients of them are 0/0 there, and
rounding may lead beyond. With :math:`s^2 = 1 - r^2` each is a polynomial in r (of degree 0 or 1),
in s and in :math:`\arcsin r = 2 \arctan(r/(1 + s))`, and is finite at s = 0 if no negative power of
s is left. Then s is computed once, from :math:`(1 - r)(1 + r)`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Set
from functools import cache, lru_cache
from typing import Any

import numpy as np
from sympy import (
    Abs,
    Add,
    Dummy,
    Expr,
    Float,
    Function,
    Mul,
    Pow,
    Rational,
    S,
    Symbol,
    asin,
    atan,
    cancel,
    expand,
    sqrt,
)

from slrsym.kernels.compile import compile_program
from slrsym.kernels.edge_functions import GuardedRoot, Larger, Quotient, Ratio, Smaller
from slrsym.kernels.printing import program_from_expressions
from slrsym.kernels.program import Program
from slrsym.kernels.symbolic_functions import GaussianMean

# What rounding, and the error of a solver, may make of 1 - r^2 = 0; beyond it there is no value.
ROUNDING = Rational(1, 100)
# Of a variable that does not vary the correlation is 0: a step there is the mean of both sides.
_LEAST = Float(1e-300)
# Of a variance, so that its powers are numbers; and of what is left of one, as a share of it.
LEAST_VARIANCE, _LEAST_SHARE = Float(1e-100), Float(1e-36)
# Of the value of a mean at that variance: the least power that diverges is 1e25 there.
_BOUNDED = 1e10


def without_poles_at_alignment(value: Expr, a: Symbol, b: Symbol, c: Symbol) -> Expr:
    """Write a mean of two variables of variances a and b and covariance c without 0/0 at r = 1.

    Parameters
    ----------
    value : Expr
    a, b, c : Symbol

    Returns
    -------
    Expr
        With roots of a b - c^2, negative powers of which are left only where the mean has no limit.
        A mean without arcsin and roots of the correlation is returned as it is.
    """
    found = _normal_form(value, a, b, c)
    if found is None:
        return value
    scale = sqrt(a) * sqrt(b)
    root = sqrt(a * b - c**2)
    return found.xreplace({_ANGLE: asin(c / scale), _ROOT: root / scale, _R: c / scale})


def vanishes_at_alignment(base: Expr, a: Symbol, b: Symbol, c: Symbol) -> bool:
    """Return whether an expression is 0 where two variables are aligned.

    Parameters
    ----------
    base : Expr
    a, b, c : Symbol
        Their variances and their covariance.

    Returns
    -------
    bool
    """
    return c in base.free_symbols and cancel(base.xreplace({c: sqrt(a) * sqrt(b)})) == 0


def with_limit_at_alignment(
    value: Expr, a: Symbol, b: Symbol, c: Symbol, parts: dict[Symbol, Expr] | None = None
) -> Expr:
    """Write a mean of two variables for programs, where rounding may lead beyond alignment.

    Parameters
    ----------
    value : Expr
    a, b, c : Symbol
        Their variances and their covariance.
    parts : dict of Symbol to Expr, optional
        Where to define the correlation, its root and its angle, each by those before it. By default
        they are written out.

    Returns
    -------
    Expr
        A mean without arcsin and roots of the correlation is returned as it is.
    """
    found = _normal_form(value, a, b, c)
    if found is None:
        return value
    r, root, angle = (Symbol(f"{x}_of_{c.name}", real=True) for x in ("cosine", "sine", "angle"))
    square = (1 - r) * (1 + r)
    found = found.replace(
        lambda e: e.is_Pow and e.base == _ROOT and e.exp > 1,
        lambda e: square ** (e.exp // 2) * _ROOT ** (e.exp % 2),
    ).xreplace({_ANGLE: angle, _ROOT: root, _R: r})
    # Beyond alignment, too, a slope is that of the mean: a polynomial is, and the rest is constant.
    meanings = {
        r: c / Larger(sqrt(a) * sqrt(b), _LEAST),
        root: sqrt(square + Larger(0, Smaller(-square, ROUNDING))),
        angle: 2 * atan(Larger(-1, Smaller(1, r)) / (1 + root)),
    }
    if parts is not None:
        parts.update(meanings)
        return found
    for name, meaning in reversed(meanings.items()):
        found = found.xreplace({name: meaning})
    return found


# How programs compute the angle of two directions.
_ANGLE_IN_PROGRAMS = "maximum(-1, minimum(1, "


def has_angles(program: Program) -> bool:
    """Return whether a program has angles, whose roots have infinite slopes where two align.

    Parameters
    ----------
    program : Program

    Returns
    -------
    bool
    """
    return _ANGLE_IN_PROGRAMS in program.body


def with_quotients_at_alignment(value: Expr, parts: Iterable[Symbol]) -> Expr:
    """Write what has negative powers of roots in a mean as quotients, which are 0 at 0/0.

    Slopes of rates have them: of the root of 1 - r^2 times a difference that vanishes with it, both
    by directions that are not aligned. It is flat along all others.

    Parameters
    ----------
    value : Expr
        As of `with_limit_at_alignment`.
    parts : iterable of Symbol
        Among them the symbols of roots.

    Returns
    -------
    Expr
    """
    roots = {symbol for symbol in parts if symbol.name.startswith(_SINE)}
    found: list[Expr] = []
    above: dict[Expr, list[Expr]] = {}
    for term in Add.make_args(expand(value) if roots else value):
        powers = [f for f in Mul.make_args(term) if f.is_Pow and f.base in roots and f.exp < 0]
        below = Mul(*(1 / power for power in powers))
        if below == 1:
            found.append(term)
        else:
            above.setdefault(below, []).append(term * below)
    if not above:
        return value
    quotients = (Ratio(Add(*t), below, Add(*map(Abs, t))) for below, t in above.items())
    return Add(*found, *quotients)


def with_roots_beyond_alignment(value: Expr) -> Expr:
    """Write roots of what is left at alignment as 0 where a solver's error makes it negative.

    Parameters
    ----------
    value : Expr
        As of `slrsym.kernels.limits.with_limits`.

    Returns
    -------
    Expr
    """

    def guarded(x: Expr, size: Expr) -> Expr:
        return GuardedRoot(x + Larger(0, Smaller(-x, ROUNDING * size)), size)

    found: Expr = value.replace(GuardedRoot, guarded)
    return found


def with_rounding_as_zero(variance: Expr) -> Expr:
    """Write a variance less the square of a covariance as 0 where rounding makes it negative.

    Parameters
    ----------
    variance : Expr

    Returns
    -------
    Expr
        Another variance is returned as it is.
    """
    terms = Add.make_args(variance)
    below = [t for t in terms if t.could_extract_minus_sign()
             and any(factor.is_Pow and factor.exp == 2 for factor in t.args)]  # fmt: skip
    if not below:
        return variance
    whole = Add(*(t for t in terms if t not in below))
    return Larger(variance, 0) + Smaller(0, variance + ROUNDING * whole)


def with_merged_powers(value: Expr, covariances: Set[Symbol]) -> Expr:
    """Write what is left of a variance, over a root of a multiple of it, as one power.

    The quotient is 0/0 at alignment, and its limit is 0.

    Parameters
    ----------
    value : Expr
    covariances : set of Symbol
        Of two variables each.

    Returns
    -------
    Expr
    """

    def merged(*factors: Expr) -> Expr:
        moving = [f for f in factors if covariances & f.free_symbols]
        powers = [f for f in moving if f.is_Pow and f.exp.is_Rational and f.exp.is_negative]
        # What is left of a variance has no functions, with which to cancel takes minutes.
        for whole in (f for f in moving if f.is_Add and not f.has(Function)):
            for power in powers:
                share = cancel(whole / power.base)
                if not covariances & share.free_symbols:
                    rest = [f for f in factors if f not in (whole, power)]
                    return merged(*rest, share, power.base ** (power.exp + 1))
        return Mul(*factors)

    found: Expr = value.replace(Mul, merged)
    return found


def with_least_variances(
    value: Expr, variances: Mapping[Symbol, frozenset[Symbol]], divided: bool = False
) -> Expr:
    """Write a mean for programs where variances vanish that it is divided by.

    There ends are at infinity, and quotients 0/0. The limit is the mean at a variance of next to
    nothing; where there is none, as of the slope of a step, the mean stays as it is, which is no
    finite number.

    Parameters
    ----------
    value : Expr
    variances : mapping of Symbol to frozenset of Symbol
        Each with the covariances of its variable with others.
    divided : bool, optional
        Whether it is divided by all, as far as is known.

    Returns
    -------
    Expr
    """
    below = [power.base for power in value.atoms(Pow) if power.exp.is_negative]
    below += [node.args[-1 if isinstance(node, Quotient) else 1]
              for node in value.atoms(Quotient, Ratio)]  # fmt: skip
    vanishing = {
        v: Larger(v, LEAST_VARIANCE)
        for v in variances
        if v in value.free_symbols
        and (divided or any(v in base.free_symbols and base.subs(v, 0) == 0 for base in below))
        and _is_bounded_at_zero(value, v, variances[v], frozenset(variances))
    }
    return value.xreplace(vanishing)


@cache
def _is_bounded_at_zero(
    value: Expr, variance: Symbol, covariances: frozenset[Symbol], variances: frozenset[Symbol]
) -> bool:
    """Return whether a mean stays bounded where a variance vanishes, as tried in numbers.

    Covariances with its variable vanish as its root.
    """
    names = sorted(value.free_symbols, key=lambda s: s.name)
    evaluate = _evaluated(value, tuple(names))
    # A density is bounded at a distance from the mean, and not at the mean.
    for other in (0.3, 0.0):
        state = []
        for x in names:
            if x == variance:
                state.append(float(LEAST_VARIANCE))
            elif x in covariances:
                state.append(0.3 * float(sqrt(LEAST_VARIANCE)))
            else:
                state.append(1.3 if x in variances else other)
        with np.errstate(all="ignore"):
            try:
                size = abs(evaluate(state)[0])
            except ArithmeticError:
                # A quadrature that does not find it says so in use, too.
                continue
        # Quotients of means may be 0/0 at 0.
        if size >= _BOUNDED or (np.isnan(size) and other):
            return False
    return True


@lru_cache(maxsize=64)
def _evaluated(value: Expr, names: tuple[Symbol, ...]) -> Callable[..., Any]:
    """Compile a mean, once for all variances that may vanish in it."""
    return compile_program(program_from_expressions([value], names, ()), "numpy")


def with_least_widths(value: Expr, covariances: Set[Symbol]) -> Expr:
    """Write a mean for programs where what is left of a variance, given another variable, vanishes.

    Given a score, the mean of a sign is a step, and its width vanishes at alignment. The limit is
    the mean at a width of next to nothing.

    Parameters
    ----------
    value : Expr
    covariances : set of Symbol
        Of two variables each.

    Returns
    -------
    Expr
    """

    def guarded(base: Expr) -> Expr:
        size = base.xreplace(dict.fromkeys(covariances, S.Zero))
        # Not a sum with the least share, which rounding would lose.
        return Larger(base, _LEAST_SHARE * size) + Smaller(0, base + ROUNDING * size)

    def with_variance(mean: GaussianMean) -> Expr:
        place = mean.place_of_variance
        args = [guarded(x) if i == place and covariances & x.free_symbols else x
                for i, x in enumerate(mean.args)]  # fmt: skip
        return mean.func(*args)

    def may_vanish(part: Expr) -> bool:
        return bool(
            part.is_Pow and part.exp.is_Rational and (part.exp.q == 2 or part.exp < 0)
            and covariances & part.base.free_symbols
        )  # fmt: skip

    found: Expr = value.replace(may_vanish, lambda power: guarded(power.base) ** power.exp)
    found = found.replace(lambda part: isinstance(part, GaussianMean), with_variance)
    return found  # noqa: RET504 (of SymPy without types)


# Of symbols of roots.
_SINE = "sine_of_"
# A correlation r, the root of 1 - r^2, and the arcsin of r.
_R, _ROOT, _ANGLE = Dummy("r", real=True), Dummy("s", positive=True), Dummy("phi", real=True)


def _normal_form(value: Expr, a: Symbol, b: Symbol, c: Symbol) -> Expr | None:
    """Return a mean as a polynomial in r of degree 1 at most, or None without arcsin and roots."""
    plain = value.xreplace({c: _R * sqrt(a) * sqrt(b)})
    plain = plain.xreplace({asin(_R): _ANGLE, asin(-_R): -_ANGLE})
    plain = plain.replace(lambda e: e.is_Pow and not e.exp.is_Integer and e.base.has(_R), _root)
    if not plain.has(_ANGLE, _ROOT):
        return None
    return Add(*(_reduced(term) for term in Add.make_args(expand(plain))))


@cache
def _root(power: Pow) -> Expr:
    """Write a power of a multiple of 1 - r^2 as one of its root."""
    factor = cancel(power.base / (1 - _R**2))
    return power if factor.has(_R) else factor**power.exp * _ROOT ** (2 * power.exp)


def _reduced(term: Expr) -> Expr:
    """Replace r^2 by 1 less the square of the root in a term."""
    rest, power = term.as_independent(_R, as_Add=False)
    base, exponent = power.as_base_exp()
    if base != _R or not exponent.is_Integer or exponent < 2:
        return term
    halves, odd = divmod(int(exponent), 2)
    return expand(rest * (1 - _ROOT**2) ** halves * _R**odd)

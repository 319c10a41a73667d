r"""Moments of a quadrant and products of signs, found in sums of their closed forms.

The mean of :math:`(h + X)_+^p (k + Y)_+^q` comes as a polynomial times a bivariate normal
probability, plus densities times probabilities in one variable. Near a correlation of -1 and far
out these terms cancel. Here such sums become functions of `slrsym.kernels.edge_functions` again.
Terms are told apart as functions of their symbols, so that it does not matter how they are written:
numbers at two points say which cannot be equal, and which sign a term has.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import sympy as sp
from sympy import Expr, Function, Rational, S, pi, sqrt

from slrsym.gaussian import OwensT, normal_cdf
from slrsym.gaussian.bivariate_normal import bivariate_normal_cdf
from slrsym.kernels.algebraic_numbers import AlgebraicNumbers, NotAlgebraicError
from slrsym.kernels.one_variable_moments import TooManyProductsError, multiplied_out

_LARGEST_POWER = 3
_MOST_TERMS = 60
_CLOSE = 1e-9
# Signs of both variables in the four quadrants, and in which of them a term is one.
_QUADRANTS = ((1, 1), (1, -1), (-1, 1), (-1, -1))


class MomentOfQuadrant(Function):  # type: ignore[misc]
    """The mean of (m + s X)_+^p (n + t Y)_+^q, of p, q, m, s, n, t and the correlation."""

    nargs = 7


class CovarianceOfSteps(Function):  # type: ignore[misc]
    """The bivariate normal distribution function less the product of both others."""

    nargs = 3


class _Term(NamedTuple):
    """A coefficient times the exponential of an exponent, times a probability or 1."""

    coefficient: Expr
    exponent: Expr
    tail: Expr | None


class _UnsuitableError(Exception):
    """Error for a sum that is none of moments."""


def with_truncated_moments(total: Expr) -> Expr:
    """Return a sum with its moments of quadrants, and its products of signs, as such."""
    if not total.has(bivariate_normal_cdf, sp.asin, OwensT) or len(total.args) > _MOST_TERMS:
        return total
    try:
        found = _Sum(total).rewritten()
    except (_UnsuitableError, TooManyProductsError, NotAlgebraicError):
        return total
    return total if found is None else found


# -- terms -----------------------------------------------------------------------------------------

_TAILS = (normal_cdf, bivariate_normal_cdf, sp.erf, sp.asin, OwensT)


def _terms(total: Expr) -> Iterator[_Term]:
    for product in multiplied_out(total, _TAILS, _MOST_TERMS):
        factors = sp.Mul.make_args(product)
        bells = [f for f in factors if isinstance(f, sp.exp)]
        tails = [f for f in factors if isinstance(f, _TAILS)]
        rest = sp.Mul(*(f for f in factors if f not in bells and f not in tails))
        if len(tails) > 1 or rest.has(Function):
            raise _UnsuitableError
        exponent = sp.Add(*(f.args[0] for f in bells))
        if not tails:
            yield _Term(rest, exponent, None)
        elif isinstance(tails[0], sp.erf):
            yield _Term(2 * rest, exponent, normal_cdf(sqrt(2) * tails[0].args[0]))
            yield _Term(-rest, exponent, None)
        elif isinstance(tails[0], OwensT):
            h, a = tails[0].args
            r = sp.cancel(sp.together((1 - a**2) / (1 + a**2)))
            yield _Term(rest / 2, exponent, normal_cdf(h))
            yield _Term(-rest / 2, exponent, bivariate_normal_cdf(h, h, r, evaluate=False))
        elif isinstance(tails[0], sp.asin):
            quadrant = bivariate_normal_cdf(S.Zero, S.Zero, tails[0].args[0], evaluate=False)
            yield _Term(2 * pi * rest, exponent, quadrant)
            yield _Term(-pi / 2 * rest, exponent, None)
        else:
            yield _Term(rest, exponent, tails[0])


def _points(symbols: Sequence[Expr]) -> list[dict[Expr, float]]:
    """Return two points at which variances are positive, and correlations below 1."""
    points = []
    for shift in (0.0, 0.37):
        steps = [(0.6180339887 * (k + 1) + shift) % 1.0 for k in range(len(symbols))]
        points.append(
            {
                x: 0.8 + 0.7 * step if x.is_positive else (0.1 + 0.3 * step) * (-1) ** k
                for k, (x, step) in enumerate(zip(symbols, steps, strict=True))
            }
        )
    return points


# -- sums ------------------------------------------------------------------------------------------


class _Class:
    """Terms with one exponential and one probability, and the sum of their coefficients."""

    def __init__(self, exponent: Expr, arguments: tuple[Expr, ...], place: list[list[float]]):
        self.exponent, self.arguments, self.place = exponent, arguments, place
        self.coefficient: Expr = S.Zero


class _Sum:
    """A sum of terms, sorted by their exponentials and probabilities."""

    def __init__(self, total: Expr) -> None:
        # The values of all parts, once they are known.
        self.points = _points(sorted(total.free_symbols, key=str))
        self.classes: list[_Class] = []
        # Whether two terms have one probability of a pair.
        self.merged = False
        self.has_owens_t = total.has(OwensT)
        terms = list(_terms(total))
        parts = [x for t in terms for x in (t.coefficient, t.exponent, *(t.tail or S.One).args)]
        self.field = AlgebraicNumbers(parts, dict(self.points[0]))
        for term in terms:
            self.add(term.coefficient, term.exponent, term.tail)
        self.pairs = [c for c in self.classes if len(c.arguments) == 3]

    def numbers(self, exprs: Sequence[Expr]) -> list[list[float]]:
        """Return the values of expressions, each at both points."""
        try:
            return [[self.number(expr, known) for known in self.points] for expr in exprs]
        except (ValueError, ZeroDivisionError, OverflowError, TypeError) as error:
            raise _UnsuitableError from error

    def number(self, expr: Expr, known: dict[Expr, float]) -> float:
        """Return the value of an algebraic expression, of which parts are known."""
        if expr not in known:
            if isinstance(expr, sp.Add | sp.Mul):
                parts = [self.number(part, known) for part in expr.args]
                known[expr] = math.fsum(parts) if expr.is_Add else math.prod(parts)
            elif isinstance(expr, sp.Pow):
                base, power = (self.number(part, known) for part in expr.args)
                known[expr] = math.pow(base, power)
            else:
                known[expr] = float(expr)
        return known[expr]

    def is_zero(self, expr: Expr, size: Expr = S.Zero) -> bool:
        """Return whether an expression is 0; `size` is what it may be small beside."""
        if expr == 0:
            return True
        value, scale, *addends = self.numbers([expr, size, *sp.Add.make_args(expr)])
        most = [max(abs(a[i]) for a in addends) + abs(scale[i]) * _CLOSE for i in range(2)]
        if any(abs(v) > _CLOSE * m for v, m in zip(value, most, strict=True)):
            return False
        return self.field.is_zero(expr)

    def are_equal(self, first: Sequence[Expr], second: Sequence[Expr]) -> bool:
        """Return whether expressions are equal, one by one."""
        return _same(self.numbers(first), self.numbers(second)) and all(
            map(self.field.are_equal, first, second)
        )

    def add(self, coefficient: Expr, exponent: Expr, tail: Expr | None) -> None:
        """Add a term, with the probability of a bell's term turned to an argument above 0."""
        arguments = () if tail is None else tuple(tail.args)
        place = self.numbers([exponent, *arguments])
        if len(arguments) == 1 and place[1][0] < 0:
            self.add(coefficient, exponent, None)
            coefficient, arguments = -coefficient, (-arguments[0],)
            place[1] = [-v for v in place[1]]
        for known in self.classes:
            alike = len(known.arguments) == len(arguments) and _same(known.place, place)
            if alike and self.are_equal((known.exponent, *known.arguments), (exponent, *arguments)):
                known.coefficient += coefficient
                self.merged |= len(arguments) == 3
                return
        new = _Class(exponent, arguments, place)
        new.coefficient = coefficient
        self.classes.append(new)

    def rewritten(self) -> Expr | None:
        """Return the sum with functions for moments of quadrants, or None if it has none."""
        found: list[Expr] = []
        waiting = list(self.pairs)
        while waiting:
            h, k, r = waiting[0].arguments
            group = [c for c in waiting if self._way(c, (h, k, r)) is not None]
            waiting = [c for c in waiting if c not in group]
            quadrants = self._quadrants(group, h, k, r)
            found += self._moments(quadrants, h, k, r)
        if not self.merged and not any(x.has(MomentOfQuadrant, CovarianceOfSteps) for x in found):
            return None
        if self.has_owens_t and any(x.has(bivariate_normal_cdf) for x in found):
            return None
        for left in self.classes:
            crossed = left.exponent != 0 and left.arguments
            if (crossed or self._is_density_of_both(left)) and not self.is_zero(left.coefficient):
                return None
        return sp.Add(*found, *self._left())

    def _is_density_of_both(self, c: _Class) -> bool:
        if c.exponent == 0 or c.arguments:
            return False
        return any(self.are_equal([_exponent(p)], [c.exponent]) for p in self.pairs)

    def _left(self) -> list[Expr]:
        """Return what is left of terms in one variable, tails turned to the side that is small."""
        constant = next((c for c in self.classes if c.exponent == 0 and not c.arguments), None)
        found = []
        for c in self.classes:
            if c is constant or len(c.arguments) == 3 or self.is_zero(c.coefficient):
                continue
            value = _tidy(c.coefficient)
            tail = normal_cdf(c.arguments[0]) if c.arguments else S.One
            whole = constant is not None and bool(c.arguments) and c.exponent == 0
            if constant is not None and whole and self.is_zero(constant.coefficient + value):
                constant.coefficient = S.Zero
                value, tail = -value, normal_cdf(_opposite(c.arguments[0]))
            found.append(value * sp.exp(c.exponent) * tail)
        if constant is not None and not self.is_zero(constant.coefficient):
            found.append(_tidy(constant.coefficient))
        return found

    # -- quadrants ---------------------------------------------------------------------------------

    def _way(self, c: _Class, law: tuple[Expr, ...]) -> tuple[int, int] | None:
        """Return the signs by which a probability is that of a quadrant of two variables."""
        h, k, r = law
        for a, b in _QUADRANTS:
            for x, y in ((a * h, b * k), (b * k, a * h)):
                if self.are_equal(c.arguments, (x, y, a * b * r)):
                    return a, b
        return None

    def _quadrants(self, group: list[_Class], h: Expr, k: Expr, r: Expr) -> list[Expr]:
        """Return the coefficients of the four quadrants, as few of these as there may be."""
        own = [S.Zero] * 4
        for c in group:
            own[_QUADRANTS.index(self._way(c, (h, k, r)) or (1, 1))] += c.coefficient
            c.coefficient = S.Zero
        sides = [self._side(x) for x in (h, k)]
        constant = next((c for c in self.classes if c.exponent == 0 and not c.arguments), None)
        best: tuple[int, int, list[Expr], list[Any]] | None = None
        for chosen in itertools.product((False, True), repeat=3):
            offered = [sides[0][0], sides[1][0] if sides[1][0] is not sides[0][0] else None]
            parts = [c for c, use in zip([*offered, constant], chosen, strict=True)
                     if use and c is not None and c.coefficient != 0]  # fmt: skip
            if len(parts) < sum(chosen):
                continue
            values = [
                sum([value, *(self._share(c, sides, signs) for c in parts)])
                for value, signs in zip(own, _QUADRANTS, strict=True)
            ]
            values = [S.Zero if self.is_zero(v, own[0] + own[3]) else v for v in values]
            rank = (self._cost(values) - len(set(map(id, parts))), -len(parts), values, parts)
            if best is None or rank[:2] < best[:2]:
                best = rank
        assert best is not None
        for c in best[3]:
            c.coefficient = S.Zero
        return best[2]

    def _side(self, u: Expr) -> tuple[_Class | None, int]:
        """Return the class of the probability of u or of -u, and the sign with which it is u's."""
        if u == 0:
            return None, 1
        sign = -1 if self.numbers([u])[0][0] < 0 else 1
        for c in self.classes:
            if (
                len(c.arguments) == 1
                and c.exponent == 0
                and self.are_equal(c.arguments, [sign * u])
            ):
                return c, sign
        return None, sign

    def _share(
        self, c: _Class, sides: list[tuple[_Class | None, int]], signs: tuple[int, int]
    ) -> Expr:
        """Return what a term in one variable, or a constant, contributes to a quadrant."""
        if not c.arguments:
            return c.coefficient
        # Of two variables with one end, half of the term belongs to each.
        held = [sign == way for (side, way), sign in zip(sides, signs, strict=True) if side is c]
        return c.coefficient * Rational(sum(held), len(held))

    def _cost(self, values: list[Expr]) -> int:
        used = [v for v in values if v != 0]
        balanced = len(used) in (2, 4) and self._alternate(values) is not None
        return 1 if balanced else len(used)

    def _alternate(self, values: list[Expr]) -> str | None:
        """Return which variable's sign a term has: of both, the first or the second."""
        a, b, c, d = values
        if a != 0 and all(self.is_zero(x) for x in (a + b, a + c, a - d)):
            return "both"
        for name, (on, off) in {
            "second+": ((a, b), (c, d)), "second-": ((c, d), (a, b)),
            "first+": ((a, c), (b, d)), "first-": ((b, d), (a, c)),
        }.items():  # fmt: skip
            if on[0] != 0 and off == (0, 0) and self.is_zero(on[0] + on[1]):
                return name
        return None

    def _moments(self, quadrants: list[Expr], h: Expr, k: Expr, r: Expr) -> list[Expr]:
        found = self._powers(quadrants, h, k, r)
        if found is not None:
            return found
        way = self._alternate(quadrants)
        if h == 0 and k == 0:
            if way is not None:
                return [
                    value * (S.One / 4 + a * b * sp.asin(r) / (2 * pi))
                    for value, (a, b) in zip(quadrants, _QUADRANTS, strict=True)
                ]
            (value, (a, b)), *others = (
                (v, signs) for v, signs in zip(quadrants, _QUADRANTS, strict=True) if v != 0
            )
            constant = next((c for c in self.classes if c.exponent == 0 and not c.arguments), None)
            if (
                constant is not None
                and not others
                and self.is_zero(constant.coefficient + value / 4, value)
            ):
                # Of a small correlation the quadrant less a quarter would have no digit.
                constant.coefficient = S.Zero
                return [value * a * b * sp.asin(r) / (2 * pi)]
            return [
                value * MomentOfQuadrant(0, 0, 0, 1, 0, 1, a * b * r)
                for value, (a, b) in zip(quadrants, _QUADRANTS, strict=True)
                if value != 0
            ]
        if way is None:
            return [
                value * bivariate_normal_cdf(a * h, b * k, a * b * r)
                for value, (a, b) in zip(quadrants, _QUADRANTS, strict=True)
                if value != 0
            ]
        first, second = (2 * normal_cdf(x) - 1 if x == 0 else sp.erf(x / sqrt(2)) for x in (h, k))
        value = next(v for v in quadrants if v != 0)
        if way == "both":
            return [value * 4 * CovarianceOfSteps(h, k, r), value * first * second]
        sign = 1 if way.endswith("+") else -1
        x, other = (h, second) if way.startswith("second") else (k, first)
        return [
            value * 2 * sign * CovarianceOfSteps(h, k, r),
            value * normal_cdf(x if sign > 0 else _opposite(x)) * other,
        ]

    # -- powers ------------------------------------------------------------------------------------

    def _powers(self, quadrants: list[Expr], h: Expr, k: Expr, r: Expr) -> list[Expr] | None:
        """Return moments of quadrants with a positive power, and take their terms out, or None."""
        crossed = [c for c in self.classes if c.exponent != 0 and not self.is_zero(c.coefficient)]
        centred = h == 0 and k == 0
        if not crossed and not centred:
            return None
        used = [(v, signs) for v, signs in zip(quadrants, _QUADRANTS, strict=True) if v != 0]
        for p, q in _ORDERS:
            parts = [self._of_power(v, signs, p, q, h, k, r) for v, signs in used]
            if any(part is None for part in parts):
                continue
            saved = [(c, c.coefficient) for c in self.classes]
            for part, (_, (a, b)) in zip(parts, used, strict=True):
                self._take(part[0], p, q, a * h, b * k, a * b * r)  # type: ignore[index]
            if self._nothing_is_crossed(h, k, r):
                return [part[1] for part in parts]  # type: ignore[index]
            self.classes = [c for c, _ in saved]
            for c, value in saved:
                c.coefficient = value
        return None

    def _of_power(
        self, value: Expr, signs: tuple[int, int], p: int, q: int, h: Expr, k: Expr, r: Expr
    ) -> tuple[Expr, Expr] | None:
        """Return a coefficient over the full moment of two powers, and the moment times it."""
        a, b = signs
        h, k, r = a * h, b * k, a * b * r
        whole = _full_moment(p, q)(h, k, r)
        if self.is_zero(whole):
            return None
        if h == 0 and k == 0:
            number = sp.cancel(sp.expand(value) / sp.expand(whole))
            moment = MomentOfQuadrant(p, q, S.Zero, S.One, S.Zero, S.One, r)
            return None if number.has(sp.Add) else (number, number * moment)
        (m, s), (n, t) = (sp.fraction(sp.together(x)) for x in (h, k))
        for first, second in itertools.product((s, S.One), (t, S.One)):
            number = self.field.ratio(value, whole * first**p * second**q)
            if number is None:
                continue
            number, inner, outer = _deviations(number, (s, first, p), (t, second, q))
            law = m / (s / inner), inner, n / (t / outer), outer
            scale = number * inner**p * outer**q
            return scale, number * MomentOfQuadrant(p, q, *law, r)
        return None

    def _take(self, scale: Expr, p: int, q: int, h: Expr, k: Expr, r: Expr) -> None:
        """Take the terms of a moment with densities out of the sum."""
        for kind, coefficient in _density_terms(p, q)(h, k, r):
            left = sqrt((1 - r) * (1 + r))
            if kind == "both":
                exponent = -(h**2 - 2 * r * h * k + k**2) / (2 * (1 - r) * (1 + r))
                self.add(-scale * coefficient / (2 * pi), exponent, None)
                continue
            x, y = (h, k) if kind == "first" else (k, h)
            tail = normal_cdf((y - r * x) / left)
            self.add(-scale * coefficient / sqrt(2 * pi), -(x**2) / 2, tail)

    def _nothing_is_crossed(self, h: Expr, k: Expr, r: Expr) -> bool:
        if h == 0 and k == 0:
            # All exponents are 0, and densities among the constants: they have a root.
            constants = [c.coefficient for c in self.classes if not c.arguments]
            return not any(map(_has_root, constants))
        both = -(h**2 - 2 * r * h * k + k**2) / (2 * (1 - r**2))
        centred = h == 0 and k == 0
        return all(
            self.is_zero(c.coefficient)
            for c in self.classes
            if (c.exponent != 0 and c.arguments)
            or (not c.arguments and not centred and self.are_equal([c.exponent], [both]))
        )


def _deviations(number: Expr, *variables: tuple[Expr, Expr, int]) -> tuple[Expr, Expr, Expr]:
    """Return a number without the powers of deviations in it, and both deviations.

    A variable has what its mean is divided by, the part of it that is the deviation as far as is
    known, and its power.
    """
    found = []
    for below, deviation, power in variables:
        for factor in sp.Mul.make_args(below):
            base, exponent = factor.as_base_exp()
            if base.is_number:
                continue
            held = sp.powdenest(number, force=True).as_powers_dict().get(base, 0)
            if deviation.as_powers_dict().get(base, 0) == exponent:
                if power and held <= -exponent * power:
                    deviation, number = deviation / factor, number * factor**power
            elif held >= exponent * power:
                deviation, number = deviation * factor, number / factor**power
        found.append(deviation)
    return number, found[0], found[1]


def _same(first: Sequence[Sequence[float]], second: Sequence[Sequence[float]]) -> bool:
    return all(
        abs(u - v) <= _CLOSE * (1 + abs(u))
        for x, y in zip(first, second, strict=True)
        for u, v in zip(x, y, strict=True)
    )


def _has_root(expr: Expr) -> bool:
    """Return whether a root of a sum is left where all is multiplied out."""

    def is_root(node: Any) -> bool:
        return isinstance(node, sp.Pow) and node.exp.is_Rational and node.exp.q == 2

    flat = expr.replace(is_root, lambda node: sp.factor(node.base) ** node.exp)
    return any(is_root(x) and x.base.has(sp.Add) for x in sp.expand(flat).atoms(sp.Pow))


def _exponent(pair: _Class) -> Expr:
    h, k, r = pair.arguments
    return -(h**2 - 2 * r * h * k + k**2) / (2 * (1 - r**2))


def _opposite(u: Expr) -> Expr:
    return (
        sp.Mul(*(-f if isinstance(f, sp.Add) else f for f in sp.Mul.make_args(u)))
        if sum(isinstance(f, sp.Add) for f in sp.Mul.make_args(u)) == 1
        else -u
    )


def _tidy(coefficient: Expr) -> Expr:
    return sp.factor(coefficient) if isinstance(coefficient, sp.Add) else coefficient


# Powers of both variables, the smaller ones first.
_ORDERS = sorted(
    ((p, q) for p in range(_LARGEST_POWER + 1) for q in range(_LARGEST_POWER + 1) if p + q),
    key=lambda pair: (sum(pair), pair),
)
_H, _K, _R, _LEFT = sp.symbols("h k r left", real=True)
_Terms = Callable[[Expr, Expr, Expr], Any]


@lru_cache(maxsize=64)
def _stein(p: int, q: int) -> dict[str, Expr]:
    """Return the coefficients of the closed form of a moment of a quadrant, by Stein's lemma."""
    if p == q == 0:
        return {"cdf": S.One}
    if p == 0:
        names = {"first": "second", "second": "first"}
        swap = {_H: _K, _K: _H}
        return {names.get(name, name): value.xreplace(swap) for name, value in _stein(q, 0).items()}
    total: dict[str, Expr] = {}

    def add(factor: Expr, terms: dict[str, Expr]) -> None:
        for name, value in terms.items():
            total[name] = total.get(name, S.Zero) + factor * value

    add(_H, _stein(p - 1, q))
    if p > 1:
        add(S(p - 1), _stein(p - 2, q))
    else:
        add(S.One, _given("first", q, _K - _R * _H))
    if q:
        add(q * _R, _stein(p - 1, q - 1))
    else:
        add(_R, _given("second", p - 1, _H - _R * _K))
    return {name: sp.expand(value) for name, value in total.items()}


def _given(kind: str, n: int, mean: Expr) -> dict[str, Expr]:
    """Return a density times the mean of (mean + deviation Z)_+^n given its variable's end."""
    if n == 0:
        return {kind: S.One}
    if n == 1:
        return {kind: mean, "both": _LEFT}
    once, twice = _given(kind, n - 1, mean), _given(kind, n - 2, mean)
    return {
        name: mean * once.get(name, S.Zero) + (n - 1) * _LEFT**2 * twice.get(name, S.Zero)
        for name in ("both", kind)
    }


def _full_moment(p: int, q: int) -> _Terms:
    form = _stein(p, q)["cdf"]
    return lambda h, k, r: form.xreplace({_H: h, _K: k, _R: r})


def _density_terms(p: int, q: int) -> _Terms:
    form = {name: value for name, value in _stein(p, q).items() if name != "cdf"}

    def terms(h: Expr, k: Expr, r: Expr) -> list[tuple[str, Expr]]:
        values = {_H: h, _K: k, _R: r, _LEFT: sqrt((1 - r) * (1 + r))}
        return [(name, x.xreplace(values)) for name, x in form.items()]

    return terms

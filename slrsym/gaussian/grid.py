"""Numerical integration of Gaussian integrals on grids, in affine forms of the variables."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import sympy as sp
from mpmath import mp, mpf
from mpmath.calculus.quadrature import GaussLegendre
from sympy import Expr, S, Symbol

from slrsym.gaussian.error_functions import MPMATH_MODULES
from slrsym.gaussian.integrand import in_affine_forms
from slrsym.gaussian.special_functions import (
    OwensT,
    erf_prime,
    erf_second,
    normal_cdf,
    normal_pdf,
    zeta,
)

_ENTIRE = (
    sp.exp,
    sp.erf,
    sp.erfc,
    sp.sin,
    sp.cos,
    sp.sinh,
    sp.cosh,
    erf_prime,
    erf_second,
    normal_cdf,
    normal_pdf,
)
_WITH_POLES = (sp.tanh, sp.atan, sp.asinh)
ANALYTIC = (*_ENTIRE, *_WITH_POLES, OwensT, zeta)


class DigitsUnreachableError(Exception):
    """The digits cannot be had by the means of this module."""


@dataclass
class ReducedIntegrand:
    """An integrand as a function of affine forms; forms with analytic part first."""

    function: Expr
    arguments: list[Symbol]
    forms: list[Expr]
    curved: int
    degree: int
    kinks: list[Symbol]

    @property
    def is_analytic(self) -> bool:
        """Whether it has no kinks."""
        return not self.kinks


def reduce_addend(addend: Expr, variables: frozenset[Symbol]) -> ReducedIntegrand:
    """Write an addend of an integrand in its affine forms."""
    found = in_affine_forms(addend, variables)
    if found is None:
        raise DigitsUnreachableError
    function, names = found
    curved: set[Symbol] = set()
    symbols = set(names.values())
    degree = _degree(function, symbols, curved)
    order = sorted(names.items(), key=lambda item: item[1] not in curved)
    if curved:
        degree = _degree(function, symbols - curved, set())
    return ReducedIntegrand(
        function,
        [u for _, u in order],
        [form for form, _ in order],
        len(curved),
        degree,
        sorted(_kinks(function, symbols), key=str),
    )


def _degree(node: Expr, symbols: set[Symbol], curved: set[Symbol]) -> int:
    """Bound the degree of the polynomial part."""
    if not node.free_symbols & symbols:
        return 0
    if isinstance(node, Symbol):
        return 1
    if isinstance(node, sp.Add):
        return max(_degree(arg, symbols, curved) for arg in node.args)
    if isinstance(node, sp.Mul):
        return sum(_degree(arg, symbols, curved) for arg in node.args)
    if isinstance(node, sp.Pow) and node.exp.is_Integer and node.exp > 0:
        return int(node.exp) * _degree(node.base, symbols, curved)
    curved |= node.free_symbols & symbols
    return 0


def _kinks(node: Expr, symbols: set[Symbol]) -> set[Symbol]:
    """Return the forms inside functions that are not analytic."""
    inside: set[Symbol] = node.free_symbols & symbols
    if not inside or isinstance(node, Symbol):
        return set()
    if isinstance(node, sp.Pow):
        smooth = node.exp.is_Integer and node.exp > 0
        known = smooth or node.base.is_positive
    else:
        known = isinstance(node, (sp.Add, sp.Mul, *ANALYTIC))
    return set().union(*(_kinks(arg, symbols) for arg in node.args)) if known else inside


def evaluate_number(expr: Expr) -> mpf:
    """Evaluate an expression without symbols."""
    value = expr.evalf(mp.dps + 5)
    if not value.is_Float and not value.is_Rational:
        raise DigitsUnreachableError
    return mp.mpf(value._to_mpmath(mp.prec + 10))


_MAX_EVALUATIONS = 200_000
_MOST_ON_PANELS = 1_500_000
# The trapezoidal rule is slow where poles are nearer to the real line than about one over this.
_STEEP = 4
_MAX_RANGE = 400


class GridIntegration:
    """Integration of one addend over independent standard normal variables.

    The first of these, in which it is no polynomial, are integrated by the trapezoidal rule. Each
    factor of the addend is evaluated once its last variable has a value.
    """

    def __init__(
        self,
        problem: ReducedIntegrand,
        centre: list[mpf],
        root: list[list[mpf]],
        owners: list[int],
        digits: int,
    ) -> None:
        self.problem = problem
        self.centre = centre
        self.columns = [[row[k] for row in root] for k in range(len(owners))]
        self.curved = sum(owner < problem.curved for owner in owners)
        self.digits = digits
        self.tolerance = mpf(10) ** -digits
        self.negligible = mpf(10) ** (-digits - 3)
        self.radius = mp.sqrt(2 * (digits + 3) * mp.log(10))
        exact = len(owners) > self.curved
        self.rule = _gauss_hermite(problem.degree // 2 + 1) if exact else ()
        self.evaluations = 0
        self.largest = mpf(0)
        self.weights: dict[tuple[int, mpf], tuple[mpf, mpf]] = {}
        factors: list[Expr] = [S.One] * (self.curved + 1)
        for factor in sp.Mul.make_args(problem.function):
            factors[self._last_axis(factor, root)] *= factor
        self.factors = [
            sp.lambdify(problem.arguments, factor, modules=MPMATH_MODULES, cse=True)
            if factor != 1
            else None
            for factor in factors
        ]

    def _last_axis(self, factor: Expr, root: list[list[mpf]]) -> int:
        rows = [
            row
            for u, row in zip(self.problem.arguments, root, strict=True)
            if u in factor.free_symbols
        ]
        used = [k for row in rows for k, entry in enumerate(row) if entry]
        return min(max(used, default=self.curved), self.curved)

    def _factor(self, axis: int, point: list[mpf]) -> mpf:
        function = self.factors[axis]
        if function is None:
            return mpf(1)
        self.evaluations += 1
        if self.evaluations > (_MAX_EVALUATIONS if self.problem.is_analytic else _MOST_ON_PANELS):
            raise DigitsUnreachableError
        try:
            value = function(*point)
        except (ArithmeticError, NameError, TypeError, ValueError):
            raise DigitsUnreachableError from None
        if isinstance(value, mp.mpc) or not mp.isfinite(value):
            raise DigitsUnreachableError
        return mp.mpf(value)

    def _polynomial(self, point: list[mpf]) -> mpf:
        """Average the last factor over the directions in which it is a polynomial."""
        free = self.columns[self.curved :]
        total = mpf(0)
        for nodes in itertools.product(self.rule, repeat=len(free)):
            forms = point
            for (z, _), column in zip(nodes, free, strict=True):
                forms = _moved(forms, column, z)
            total += mp.fprod(w for _, w in nodes) * self._factor(self.curved, forms)
        return total

    def integrate(self) -> mpf:
        """Evaluate the expectation, by the rule that suits the integrand."""
        if not self.problem.is_analytic:
            return self._piecewise()
        if self.curved == 0:
            value = self._polynomial(self.centre)
            if self.rule:
                self.rule = _gauss_hermite(len(self.rule) + 1)
            if abs(value - self._polynomial(self.centre)) >= self.tolerance * abs(value):
                raise DigitsUnreachableError
            return value
        steps = self._first_steps()
        if self.curved == 1 and self._is_steep():
            return self._piecewise()
        while True:
            first = self._trapezoid(steps, mpf(0))
            second = self._trapezoid(steps, mpf("0.5"))
            error = abs(first - second)
            if first != 0 and error <= self.tolerance * abs(first + second) / 2:
                return (first + second) / 2
            if error <= self.negligible * self.largest:
                # A sum that vanishes beside its terms: smaller steps give no more digits.
                raise DigitsUnreachableError
            steps = [step * mpf(5) / 8 for step in steps]

    def require_decay(self) -> mpf:
        """Pass if the terms of the trapezoidal sum become negligible, as they do if it exists."""
        if not self.problem.is_analytic:
            raise DigitsUnreachableError
        if self.curved:
            self._trapezoid(self._first_steps(), mpf("0.25"))
        return mpf(0)

    def _first_steps(self) -> list[mpf]:
        if self.curved > 3:
            raise DigitsUnreachableError
        return [self._first_step(column) for column in self.columns[: self.curved]]

    def _is_steep(self) -> bool:
        """Return whether there are poles near the real line."""
        inside: set[Symbol] = set()
        for node in self.problem.function.atoms(*_WITH_POLES):
            inside |= node.free_symbols & set(self.problem.arguments)
        slopes = zip(self.problem.arguments, self.columns[0], strict=True)
        return any(abs(slope) > _STEEP for u, slope in slopes if u in inside)

    def _trapezoid(self, steps: list[mpf], shift: mpf) -> mpf:
        nodes = mp.fprod(2 * self.radius / step for step in steps)
        if nodes / len(steps) > _MAX_EVALUATIONS:
            raise DigitsUnreachableError
        self.largest = mpf(0)
        self.weights.clear()
        return self._sum(0, self.centre, steps, shift, mpf(1), mpf(0))

    def _first_step(self, column: list[mpf]) -> mpf:
        r"""Return a step that suffices if the integrand grows like :math:`e^{s^2y^2}` off the line.

        The error is then about :math:`\exp(-\pi^2/(h^2(1/2+s^2)))`.
        """
        curved = range(self.problem.curved)
        functions = self.problem.function.atoms(sp.Pow, *ANALYTIC)
        growth = mpf("0.5")
        for k in curved:
            uses = sum(self.problem.arguments[k] in f.free_symbols for f in functions)
            growth += max(uses, 1) * _steepness(self.problem, k) * column[k] ** 2
        return mp.pi / mp.sqrt(growth * (self.digits + 2) * mp.log(10))

    def _weight(self, axis: int, place: mpf, step: mpf) -> tuple[mpf, mpf]:
        """Return the node after that many steps, and its weight."""
        if (axis, place) not in self.weights:
            z = place * step
            self.weights[axis, place] = z, step * mp.npdf(z)
        return self.weights[axis, place]

    def _sum(
        self,
        axis: int,
        point: list[mpf],
        steps: Sequence[mpf],
        shift: mpf,
        size: mpf,
        squared: mpf,
    ) -> mpf:
        """Sum over the axes from `axis` on; outwards, until the terms are negligible.

        `size` is what the terms are multiplied with outside, and `squared` the squared distance
        from the origin so far.
        """
        if axis == self.curved:
            term = self._polynomial(point)
            self.largest = max(self.largest, abs(term) * size)
            return term
        column = self.columns[axis]
        total = mpf(0)
        for side in (1, -1):
            quiet = 0
            for k in itertools.count(0 if side == 1 else 1):
                z, w = self._weight(axis, side * k + shift, steps[axis])
                moved = _moved(point, column, z)
                outer = w * self._factor(axis, moved)
                distance = squared + z * z
                term = outer and outer * self._sum(
                    axis + 1, moved, steps, shift, abs(outer) * size, distance
                )
                total += term
                small = abs(term) * size <= self.negligible * self.largest
                quiet = quiet + 1 if small and distance > self.radius**2 else 0
                if quiet == 3:
                    break
                if abs(z) > _MAX_RANGE:
                    raise DigitsUnreachableError
        return total

    def _piecewise(self) -> mpf:
        """Integrate in one or two dimensions between the lines where forms vanish, in two ways."""
        if self.curved not in (1, 2):
            raise DigitsUnreachableError
        method = self._on_pieces if self.curved == 1 else self._on_panels
        values = [method(*way) for way in ((mpf("0.7371"), 3.6), (mpf("-1.2519"), 3.1))]
        if abs(values[0] - values[1]) > self.tolerance * abs(values[0]):
            raise DigitsUnreachableError
        return values[0]

    def _on_pieces(self, extra: mpf, _: float) -> mpf:
        column = self.columns[0]
        reach = 2 * self.radius
        breaks = {extra}
        for c, slope in zip(self.centre, column, strict=True):
            if slope:
                # A steep function changes near its zero, at its own scale.
                scales = range(int(mp.log(1 + abs(slope), 4)))
                around = [mpf(0), *(mpf(4) ** k / abs(slope) for k in scales)]
                breaks |= {sign * s - c / slope for s in around for sign in (1, -1)}

        def weighted(z: mpf) -> mpf:
            place = _moved(self.centre, column, z)
            return self._factor(0, place) * self._polynomial(place) * mp.npdf(z)

        nodes = sorted({*(b for b in breaks if abs(b) < reach), -reach, reach})
        value, error = mp.quad(weighted, nodes, error=True, maxdegree=9)
        if error > self.tolerance * abs(value):
            raise DigitsUnreachableError
        return mp.mpf(value)

    def _on_panels(self, extra: mpf, width: float) -> mpf:
        """Integrate by Gauss-Legendre rules between the lines of all kinks, and their crossings."""
        # Of 24 or of 48 nodes.
        rule = GaussLegendre(mp).calc_nodes(5 if self.digits > 20 else 4, mp.prec)
        first, second = self.columns[:2]
        kinks = [self.problem.arguments.index(u) for u in self.problem.kinks]
        lines = [(self.centre[k], first[k], second[k]) for k in kinks]
        outer = {-c / a for c, a, b in lines if not b and a}
        for (c, a, b), (f, d, e) in itertools.combinations(lines, 2):
            if abs(a * e - b * d) > self.tolerance:
                outer.add((b * f - c * e) / (a * e - b * d))

        def weighted(start: list[mpf]) -> Callable[[mpf], mpf]:
            def value(z: mpf) -> mpf:
                place = _moved(start, second, z)
                return self._factor(1, place) * self._polynomial(place) * mp.npdf(z)

            return value

        def inner(z: mpf) -> mpf:
            start = _moved(self.centre, first, z)
            known = self._factor(0, start) * mp.npdf(z)
            reach = mp.sqrt(max(self.radius**2 - z * z, mpf(1)))
            breaks = {-(c + a * z) / b for c, a, b in lines if b}
            inside = {*breaks, extra}
            return known * _composite(weighted(start), (-reach, reach), inside, width, rule)

        return _composite(inner, (-self.radius, self.radius), {*outer, extra}, width, rule)


def _composite(
    function: Callable[[mpf], mpf],
    ends: tuple[mpf, mpf],
    breaks: set[mpf],
    width: float,
    rule: list[tuple[mpf, mpf]],
) -> mpf:
    """Integrate a function between breaks by a composite rule."""
    nodes = sorted({*ends, *(b for b in breaks if ends[0] < b < ends[1])})
    total = mpf(0)
    for low, high in itertools.pairwise(nodes):
        count = int(mp.ceil((high - low) / width))
        half = (high - low) / (2 * count)
        for k in range(count):
            middle = low + (2 * k + 1) * half
            total += half * mp.fsum(w * function(middle + half * x) for x, w in rule)
    return total


def _moved(point: list[mpf], direction: list[mpf], distance: mpf) -> list[mpf]:
    return [p + distance * d for p, d in zip(point, direction, strict=True)]


def _steepness(problem: ReducedIntegrand, k: int) -> mpf:
    """Return the largest c of the factors exp(-c u^2); 1 for erf and the like."""
    u = problem.arguments[k]
    largest = mpf(1)
    for node in problem.function.atoms(sp.exp):
        curvature = sp.expand(node.args[0].diff(u, 2) / 2)
        if not curvature.free_symbols:
            largest = max(largest, abs(evaluate_number(curvature)))
    return largest


@lru_cache(maxsize=64)
def _hermite_nodes(count: int, dps: int) -> tuple[tuple[mpf, mpf], ...]:
    with mp.workdps(dps + 10):
        jacobi = mp.zeros(count)
        for k in range(1, count):
            jacobi[k, k - 1] = jacobi[k - 1, k] = mp.sqrt(k)
        nodes, vectors = mp.eigsy(jacobi)
        return tuple((nodes[i], vectors[0, i] ** 2) for i in range(count))


def _gauss_hermite(count: int) -> tuple[tuple[mpf, mpf], ...]:
    """Return Gauss-Hermite nodes and weights for the standard normal law."""
    if count > 20:
        raise DigitsUnreachableError
    return _hermite_nodes(count, mp.dps)

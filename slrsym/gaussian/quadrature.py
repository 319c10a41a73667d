r"""Expectations by numerical integration of the definition, to a given number of digits.

The integrand is a function of the affine forms that occur in it, :math:`u = Bx`, which are Gaussian
with mean :math:`Bm` and covariance :math:`B\Sigma B^T = LL^T`. With L from a Cholesky factorisation
that drops null directions, :math:`u = Bm + Lz` for independent standard normal z, of which there
are as many as the rank. Forms in which the integrand is a polynomial come last; the z that belong
to them alone are integrated exactly by Gauss-Hermite rules, and the others, three at most, by the
trapezoidal rule, which for analytic integrands converges faster than any power of the step.

A value is given only where two grids, shifted by half a step, agree to the digits asked for. In one
dimension integrands with kinks or singularities are integrated piece by piece, twice.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from mpmath import mp, mpf
from mpmath.libmp import prec_to_dps
from sympy import (
    Add,
    Expr,
    I,
    Mul,
    Pow,
    S,
    Symbol,
    asinh,
    atan,
    cos,
    cosh,
    erf,
    erfc,
    exp,
    expand,
    lambdify,
    sin,
    sinh,
    tanh,
)

from slrsym.gaussian.binding import Binder
from slrsym.gaussian.functions import OwensT, erf_prime, erf_second, normal_cdf, normal_pdf, zeta
from slrsym.gaussian.integrand import in_affine_forms
from slrsym.gaussian.law import GaussianLaw, Law, NoiseLaw
from slrsym.gaussian.printing import MPMATH_MODULES

__all__ = ["evaluate"]

_ENTIRE = (exp, erf, erfc, sin, cos, sinh, cosh, erf_prime, erf_second, normal_cdf, normal_pdf)
_ANALYTIC = (*_ENTIRE, tanh, atan, asinh, OwensT, zeta)

_MAX_EVALUATIONS = 200_000
_MAX_RANGE = 400


class _OutOfReach(Exception):  # noqa: N818
    """The digits cannot be had by the means of this module."""


@lru_cache(maxsize=512)
def evaluate(integrand: Expr, law: Law, prec: int) -> Expr | None:
    """The expectation of an integrand without free parameters.

    Parameters
    ----------
    integrand : Expr
        A function of the symbols of the law.
    law : Law
        A `GaussianLaw`, or a product of such laws and of `NoiseLaw`, in whose variable the
        integrand is a polynomial of degree two at most.
    prec : int
        The precision asked for, in bits.

    Returns
    -------
    Expr or None
        A number to that precision, as far as two grids can tell; None where it is out of reach.
    """
    try:
        integrand, mean, cov = _joint_law(integrand, law)
        parts = integrand.as_real_imag() if integrand.has(I) else (integrand, S.Zero)
        real, imaginary = (_whole_or_in_addends(part, mean, cov, prec) for part in parts)
    except _OutOfReach:
        return None
    value = Expr._from_mpmath(real, prec)
    return value if parts[1] == 0 else value + I * Expr._from_mpmath(imaginary, prec)


def _joint_law(
    integrand: Expr, law: Law
) -> tuple[Expr, dict[Symbol, Expr], dict[tuple[Symbol, Symbol], Expr]]:
    """The integrand with the noise averaged out; mean and nonzero covariances of the rest."""
    mean: dict[Symbol, Expr] = {}
    cov: dict[tuple[Symbol, Symbol], Expr] = {}
    for block in law.blocks():
        if isinstance(block, NoiseLaw):
            integrand = _without_noise(integrand, block)
        elif isinstance(block, GaussianLaw):
            mean.update(block.mean)
            for i, j in itertools.product(range(len(block.symbols)), repeat=2):
                if block.cov[i, j] != 0:
                    cov[block.symbols[i], block.symbols[j]] = block.cov[i, j]
        else:
            raise _OutOfReach
    inner = [node for node in integrand.atoms(Binder) if isinstance(node, Expr)]
    for node in inner:
        if node.free_symbols:
            raise _OutOfReach
    return integrand, mean, cov


def _without_noise(integrand: Expr, law: NoiseLaw) -> Expr:
    (xi,) = law.symbols
    polynomial = expand(integrand).as_poly(xi)
    if polynomial is None or polynomial.degree() > 2:
        raise _OutOfReach
    constant, quadratic = polynomial.coeff_monomial(1), polynomial.coeff_monomial(xi**2)
    if (constant + quadratic).has(xi):
        raise _OutOfReach
    return constant + quadratic * law.variance


def _whole_or_in_addends(integrand: Expr, mean: dict[Symbol, Expr], cov: Any, prec: int) -> mpf:
    if integrand == 0:
        return mpf(0)
    if _is_odd(integrand, mean, cov):
        for addend in _addends(integrand):
            _grid(addend, mean, cov, 15, lambda grid: grid.require_decay())
        return mpf(0)
    addends = _addends(integrand)
    try:
        return _sum(addends, mean, cov, prec)
    except _OutOfReach:
        if len(addends) == 1:
            raise
        # The addends need not have expectations of their own.
        return _sum([integrand], mean, cov, prec)


def _sum(addends: list[Expr], mean: dict[Symbol, Expr], cov: Any, prec: int) -> mpf:
    """Sum over the addends; if digits cancel, once more with as many more."""
    digits = prec_to_dps(prec) + 2
    for _ in range(3):
        values = [
            _grid(addend, mean, cov, digits, lambda grid: grid.integral()) for addend in addends
        ]
        with mp.workdps(2 * digits + 30):
            total, size = mp.fsum(values), max(map(abs, values))
            lost = 0 if size == 0 else (mp.inf if total == 0 else int(mp.log10(size / abs(total))))
        if lost <= digits - prec_to_dps(prec) - 1:
            return total
        if lost > 3 * digits:
            break
        digits = prec_to_dps(prec) + 3 + int(lost)
    raise _OutOfReach


def _addends(integrand: Expr) -> list[Expr]:
    return list(Add.make_args(expand(integrand, deep=False)))


def _is_odd(integrand: Expr, mean: dict[Symbol, Expr], cov: Any) -> bool:
    """Whether the integrand is odd about the mean: in all variables, or in an independent one."""
    groups: list[tuple[Symbol, ...]] = [tuple(mean)]
    groups += [(s,) for s in mean if all(s not in pair or pair == (s, s) for pair in cov)]
    for group in groups:
        if not integrand.free_symbols & set(group):
            continue
        mirrored = integrand.xreplace({s: 2 * mean[s] - s for s in group})
        if expand(integrand + mirrored) == 0:
            return True
    return False


@dataclass
class _Reduced:
    """An integrand as a function of affine forms; forms with analytic, not polynomial, part first.

    Attributes
    ----------
    function : Expr
        In the arguments.
    arguments : list of Symbol
        One for each form.
    forms : list of Expr
        In the random variables.
    curved : int
        How many of them, from the first, occur other than in a polynomial.
    degree : int
        Total degree in the others.
    analytic : bool
        Whether the function is known to be analytic on the real line.
    """

    function: Expr
    arguments: list[Symbol]
    forms: list[Expr]
    curved: int
    degree: int
    analytic: bool


def _reduced(addend: Expr, variables: frozenset[Symbol]) -> _Reduced:
    found = in_affine_forms(addend, variables)
    if found is None:
        raise _OutOfReach
    function, names = found
    curved: set[Symbol] = set()
    symbols = set(names.values())
    degree = _degree(function, symbols, curved)
    order = sorted(names.items(), key=lambda item: item[1] not in curved)
    if curved:
        degree = _degree(function, symbols - curved, set())
    return _Reduced(
        function,
        [u for _, u in order],
        [form for form, _ in order],
        len(curved),
        degree,
        _is_analytic(function, symbols),
    )


def _degree(node: Expr, symbols: set[Symbol], curved: set[Symbol]) -> int:
    """A bound of the degree of the polynomial part; what is in other parts goes to `curved`."""
    if not node.free_symbols & symbols:
        return 0
    if isinstance(node, Symbol):
        return 1
    if isinstance(node, Add):
        return max(_degree(arg, symbols, curved) for arg in node.args)
    if isinstance(node, Mul):
        return sum(_degree(arg, symbols, curved) for arg in node.args)
    if isinstance(node, Pow) and node.exp.is_Integer and node.exp > 0:
        return int(node.exp) * _degree(node.base, symbols, curved)
    curved |= node.free_symbols & symbols
    return 0


def _is_analytic(node: Expr, symbols: set[Symbol]) -> bool:
    if not node.free_symbols & symbols or isinstance(node, Symbol):
        return True
    if isinstance(node, Pow):
        smooth = node.exp.is_Integer and node.exp > 0
        known = smooth or node.base.is_positive
    else:
        known = isinstance(node, (Add, Mul, *_ANALYTIC))
    return bool(known) and all(_is_analytic(arg, symbols) for arg in node.args)


def _number(expr: Expr) -> mpf:
    """To the working precision, which is that of the exact expression."""
    value = expr.evalf(mp.dps + 5)
    if not value.is_Float and not value.is_Rational:
        raise _OutOfReach
    return mp.mpf(value._to_mpmath(mp.prec + 10))


def _grid(
    addend: Expr, mean: dict[Symbol, Expr], cov: Any, digits: int, method: Callable[[_Grid], mpf]
) -> mpf:
    """What `method` gives for an addend without its constant factor, times that factor."""
    coefficient, core = addend.as_independent(*mean, as_Add=False)
    with mp.workdps(2 * digits + 30):
        scale = _number(coefficient)
        if not core.free_symbols & set(mean):
            return scale * _number(core)
        problem = _reduced(core, frozenset(mean))
        rows = [[form.diff(s) for s in mean] for form in problem.forms]
        centre = [_number(form.xreplace(mean)) for form in problem.forms]
        spread = [[_number(_covariance(p, q, mean, cov)) for q in rows] for p in rows]
        root, owners = _cholesky(spread, mpf(10) ** (-2 * digits - 20))
    with mp.workdps(digits + 12):
        return scale * method(_Grid(problem, centre, root, owners, digits))


def _covariance(left: list[Expr], right: list[Expr], mean: dict[Symbol, Expr], cov: Any) -> Expr:
    terms = (
        a * cov.get((s, t), S.Zero) * b
        for s, a in zip(mean, left, strict=True)
        for t, b in zip(mean, right, strict=True)
    )
    return expand(Add(*terms))


def _cholesky(cov: list[list[mpf]], negligible: mpf) -> tuple[list[list[mpf]], list[int]]:
    """Rows of L with LL' = cov, in as many columns as the rank; the row each column came from."""
    n = len(cov)
    columns: list[list[mpf]] = []
    owners: list[int] = []
    for j in range(n):
        residual = [cov[i][j] - mp.fsum(c[i] * c[j] for c in columns) for i in range(n)]
        if residual[j] < -negligible * (1 + cov[j][j]):
            raise _OutOfReach
        if residual[j] <= negligible * (1 + cov[j][j]):
            continue
        pivot = mp.sqrt(residual[j])
        columns.append([residual[i] / pivot if i >= j else mpf(0) for i in range(n)])
        owners.append(j)
    return [[c[i] for c in columns] for i in range(n)], owners


class _Grid:
    """Integration of one addend over independent standard normal variables.

    The first `curved` of these are integrated by the trapezoidal rule. Each factor of the addend is
    evaluated once its last variable has a value.
    """

    def __init__(
        self,
        problem: _Reduced,
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
        for factor in Mul.make_args(problem.function):
            factors[self._last_axis(factor, root)] *= factor
        self.factors = [
            lambdify(problem.arguments, factor, modules=MPMATH_MODULES, cse=True)
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
        if self.evaluations > _MAX_EVALUATIONS:
            raise _OutOfReach
        try:
            value = function(*point)
        except (ArithmeticError, NameError, TypeError, ValueError):
            raise _OutOfReach from None
        if isinstance(value, mp.mpc) or not mp.isfinite(value):
            raise _OutOfReach
        return mp.mpf(value)

    def _polynomial(self, point: list[mpf]) -> mpf:
        """The last factor averaged over the directions in which it is a polynomial."""
        free = self.columns[self.curved :]
        total = mpf(0)
        for nodes in itertools.product(self.rule, repeat=len(free)):
            forms = point
            for (z, _), column in zip(nodes, free, strict=True):
                forms = _moved(forms, column, z)
            total += mp.fprod(w for _, w in nodes) * self._factor(self.curved, forms)
        return total

    def integral(self) -> mpf:
        """The expectation, by the rule that suits the integrand."""
        if not self.problem.analytic:
            return self._piecewise()
        if self.curved == 0:
            value = self._polynomial(self.centre)
            if self.rule:
                self.rule = _gauss_hermite(len(self.rule) + 1)
            if abs(value - self._polynomial(self.centre)) >= self.tolerance * abs(value):
                raise _OutOfReach
            return value
        steps = self._first_steps()
        while True:
            first = self._trapezoid(steps, mpf(0))
            second = self._trapezoid(steps, mpf("0.5"))
            error = abs(first - second)
            if first != 0 and error <= self.tolerance * abs(first + second) / 2:
                return (first + second) / 2
            if error <= self.negligible * self.largest:
                # A sum that vanishes beside its terms: smaller steps give no more digits.
                raise _OutOfReach
            steps = [step * mpf(5) / 8 for step in steps]

    def require_decay(self) -> mpf:
        """Pass if the terms of the trapezoidal sum become negligible, as they do if it exists."""
        if not self.problem.analytic:
            raise _OutOfReach
        if self.curved:
            self._trapezoid(self._first_steps(), mpf("0.25"))
        return mpf(0)

    def _first_steps(self) -> list[mpf]:
        if self.curved > 3:
            raise _OutOfReach
        return [self._first_step(column) for column in self.columns[: self.curved]]

    def _trapezoid(self, steps: list[mpf], shift: mpf) -> mpf:
        nodes = mp.fprod(2 * self.radius / step for step in steps)
        if nodes / len(steps) > _MAX_EVALUATIONS:
            raise _OutOfReach
        self.largest = mpf(0)
        self.weights.clear()
        return self._sum(0, self.centre, steps, shift, mpf(1), mpf(0))

    def _first_step(self, column: list[mpf]) -> mpf:
        r"""A step that suffices if the integrand grows like :math:`e^{s^2y^2}` off the real line.

        The error is then about :math:`\exp(-\pi^2/(h^2(1/2+s^2)))`.
        """
        curved = range(self.problem.curved)
        functions = self.problem.function.atoms(Pow, *_ANALYTIC)
        growth = mpf("0.5")
        for k in curved:
            uses = sum(self.problem.arguments[k] in f.free_symbols for f in functions)
            growth += max(uses, 1) * _steepness(self.problem, k) * column[k] ** 2
        return mp.pi / mp.sqrt(growth * (self.digits + 2) * mp.log(10))

    def _weight(self, axis: int, place: mpf, step: mpf) -> tuple[mpf, mpf]:
        """The node at that many steps, and its weight."""
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
                    raise _OutOfReach
        return total

    def _piecewise(self) -> mpf:
        """In one dimension: between the zeros of the forms, twice."""
        if self.curved != 1 or len(self.columns) > 1:
            raise _OutOfReach
        (column,) = self.columns
        reach = 2 * self.radius
        breaks = {-c / slope for c, slope in zip(self.centre, column, strict=True) if slope}

        def weighted(z: mpf) -> mpf:
            return self._factor(0, _moved(self.centre, column, z)) * mp.npdf(z)

        values = []
        for extra in (mpf("0.7371"), mpf("-1.2519")):
            nodes = sorted({*(b for b in breaks if abs(b) < reach), extra, -reach, reach})
            value, error = mp.quad(weighted, nodes, error=True, maxdegree=9)
            if error > self.tolerance * abs(value):
                raise _OutOfReach
            values.append(value)
        if abs(values[0] - values[1]) > self.tolerance * abs(values[0]):
            raise _OutOfReach
        return values[0]


def _moved(point: list[mpf], direction: list[mpf], distance: mpf) -> list[mpf]:
    return [p + distance * d for p, d in zip(point, direction, strict=True)]


def _steepness(problem: _Reduced, k: int) -> mpf:
    """How fast exp(-c u^2) and the like vary, as the largest such c; 1 for erf and the rest."""
    u = problem.arguments[k]
    largest = mpf(1)
    for node in problem.function.atoms(exp):
        curvature = expand(node.args[0].diff(u, 2) / 2)
        if not curvature.free_symbols:
            largest = max(largest, abs(_number(curvature)))
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
    """Nodes and weights for the standard normal law, exact to degree 2 count - 1."""
    if count > 20:
        raise _OutOfReach
    return _hermite_nodes(count, mp.dps)

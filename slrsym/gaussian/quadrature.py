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
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from mpmath import mp, mpf
from mpmath.libmp import prec_to_dps
from sympy import Add, Expr, I, Pow, S, Symbol, expand, log

from slrsym.gaussian.binding import Binder
from slrsym.gaussian.grid import (
    DigitsUnreachableError,
    GridIntegration,
    evaluate_number,
    reduce_addend,
)
from slrsym.gaussian.law import GaussianLaw, Law, NoiseLaw
from slrsym.gaussian.piecewise import Unsupported, rewrite_with_signs


@lru_cache(maxsize=512)
def evaluate(integrand: Expr, law: Law, prec: int) -> Expr | None:
    """Evaluate the expectation of an integrand without free parameters."""
    try:
        integrand, mean, cov = _joint_law(_with_signs(integrand, law), law)
        parts = integrand.as_real_imag() if integrand.has(I) else (integrand, S.Zero)
        real, imaginary = (_whole_or_in_addends(part, mean, cov, prec) for part in parts)
    except DigitsUnreachableError:
        return None
    value = Expr._from_mpmath(real, prec)
    return value if parts[1] == 0 else value + I * Expr._from_mpmath(imaginary, prec)


def _with_signs(integrand: Expr, law: Law) -> Expr:
    """Move the kinks of an integrand to zeros of affine forms, if possible."""
    variables = frozenset(law.symbols)
    try:
        found = rewrite_with_signs(integrand, variables)
    except Unsupported:
        return integrand
    # A logarithm or a root has no value on the other side.
    inside = [f.args[0] for f in found.atoms(log)]
    inside += [p.base for p in found.atoms(Pow) if not p.exp.is_Integer]
    return integrand if any(u.free_symbols & variables for u in inside) else found


def _joint_law(
    integrand: Expr, law: Law
) -> tuple[Expr, dict[Symbol, Expr], dict[tuple[Symbol, Symbol], Expr]]:
    """Average the noise out of an integrand; return it with means and covariances."""
    mean: dict[Symbol, Expr] = {}
    cov: dict[tuple[Symbol, Symbol], Expr] = {}
    for block in law.independent_laws():
        if isinstance(block, NoiseLaw):
            integrand = _without_noise(integrand, block)
        elif isinstance(block, GaussianLaw):
            mean.update(block.mean)
            for i, j in itertools.product(range(len(block.symbols)), repeat=2):
                if block.cov[i, j] != 0:
                    cov[block.symbols[i], block.symbols[j]] = block.cov[i, j]
        else:
            raise DigitsUnreachableError
    inner = [node for node in integrand.atoms(Binder) if isinstance(node, Expr)]
    for node in inner:
        if node.free_symbols:
            raise DigitsUnreachableError
    return integrand, mean, cov


def _without_noise(integrand: Expr, law: NoiseLaw) -> Expr:
    (xi,) = law.symbols
    polynomial = expand(integrand).as_poly(xi)
    if polynomial is None or polynomial.degree() > 2:
        raise DigitsUnreachableError
    constant, quadratic = polynomial.coeff_monomial(1), polynomial.coeff_monomial(xi**2)
    if (constant + quadratic).has(xi):
        raise DigitsUnreachableError
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
    except DigitsUnreachableError:
        if len(addends) == 1:
            raise
        # The addends need not have expectations of their own.
        return _sum([integrand], mean, cov, prec)


def _sum(addends: list[Expr], mean: dict[Symbol, Expr], cov: Any, prec: int) -> mpf:
    """Sum over the addends; if digits cancel, once more with as many more."""
    digits = prec_to_dps(prec) + 2
    for _ in range(3):
        values = [
            _grid(addend, mean, cov, digits, lambda grid: grid.integrate()) for addend in addends
        ]
        with mp.workdps(2 * digits + 30):
            total, size = mp.fsum(values), max(map(abs, values))
            lost = 0 if size == 0 else (mp.inf if total == 0 else int(mp.log10(size / abs(total))))
        if lost <= digits - prec_to_dps(prec) - 1:
            return total
        if lost > 3 * digits:
            break
        digits = prec_to_dps(prec) + 3 + int(lost)
    raise DigitsUnreachableError


def _addends(integrand: Expr) -> list[Expr]:
    return list(Add.make_args(expand(integrand, deep=False)))


def _is_odd(integrand: Expr, mean: dict[Symbol, Expr], cov: Any) -> bool:
    """Return whether the integrand is odd about the mean."""
    groups: list[tuple[Symbol, ...]] = [tuple(mean)]
    groups += [(s,) for s in mean if all(s not in pair or pair == (s, s) for pair in cov)]
    for group in groups:
        if not integrand.free_symbols & set(group):
            continue
        mirrored = integrand.xreplace({s: 2 * mean[s] - s for s in group})
        if expand(integrand + mirrored) == 0:
            return True
    return False


def _grid(
    addend: Expr,
    mean: dict[Symbol, Expr],
    cov: Any,
    digits: int,
    method: Callable[[GridIntegration], mpf],
) -> mpf:
    """Evaluate one addend on a grid by a method."""
    coefficient, core = addend.as_independent(*mean, as_Add=False)
    with mp.workdps(2 * digits + 30):
        scale = evaluate_number(coefficient)
        if not core.free_symbols & set(mean):
            return scale * evaluate_number(core)
        problem = reduce_addend(core, frozenset(mean))
        rows = [[form.diff(s) for s in mean] for form in problem.forms]
        centre = [evaluate_number(form.xreplace(mean)) for form in problem.forms]
        spread = [[evaluate_number(_covariance(p, q, mean, cov)) for q in rows] for p in rows]
        root, owners = _cholesky(spread, mpf(10) ** (-2 * digits - 20))
    with mp.workdps(digits + 12):
        return scale * method(GridIntegration(problem, centre, root, owners, digits))


def _covariance(left: list[Expr], right: list[Expr], mean: dict[Symbol, Expr], cov: Any) -> Expr:
    terms = (
        a * cov.get((s, t), S.Zero) * b
        for s, a in zip(mean, left, strict=True)
        for t, b in zip(mean, right, strict=True)
    )
    return expand(Add(*terms))


def _cholesky(cov: list[list[mpf]], negligible: mpf) -> tuple[list[list[mpf]], list[int]]:
    """Return the rows of L with LL' = cov, in as many columns as the rank."""
    n = len(cov)
    columns: list[list[mpf]] = []
    owners: list[int] = []
    for j in range(n):
        residual = [cov[i][j] - mp.fsum(c[i] * c[j] for c in columns) for i in range(n)]
        if residual[j] < -negligible * (1 + cov[j][j]):
            raise DigitsUnreachableError
        if residual[j] <= negligible * (1 + cov[j][j]):
            continue
        pivot = mp.sqrt(residual[j])
        columns.append([residual[i] / pivot if i >= j else mpf(0) for i in range(n)])
        owners.append(j)
    return [[c[i] for c in columns] for i in range(n)], owners

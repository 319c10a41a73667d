"""Gaussian factors of an integrand, which are multiplied into the density of the law.

A factor :math:`e^{q(x)}` with a quadratic q times a normal density is a constant times another
normal density. Under that the rest of the integrand often varies in fewer directions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import sympy as sp
from flint import arb, arb_mat, fmpq
from sympy import Expr, S, Symbol

from slrsym.crosscheck.ball_quadrature import Ball, NotALaw
from slrsym.prover.statements.expressions import free_symbols

Rows = dict[Symbol, list[Ball]]


def root_of_rational_covariance(cov: Any, names: Sequence[Symbol]) -> list[list[Ball]]:
    """Return a matrix A with A A' equal to a covariance; raise `NotALaw` if there is none.

    Elimination in rationals keeps variances of any size, and knows which of them are 0.
    """
    n = len(names)
    rest = [[fmpq(int(cov[i, j].p), int(cov[i, j].q)) for j in range(n)] for i in range(n)]
    columns: list[list[Ball]] = []
    left = set(range(n))
    while left:
        pivot = max(sorted(left), key=lambda i: rest[i][i])
        variance = rest[pivot][pivot]
        if (variance == 0 and any(rest[i][j] != 0 for i in left for j in left)) or variance < 0:
            raise NotALaw(f"the covariance of {tuple(names)} is not positive semidefinite")
        if variance == 0:
            break
        root = arb(variance).sqrt()
        columns.append([arb(rest[i][pivot]) / root if i in left else arb(0) for i in range(n)])
        left.discard(pivot)
        for i in left:
            slope = rest[i][pivot] / variance
            for j in left:
                rest[i][j] -= slope * rest[pivot][j]
    return [[column[i] for column in columns] for i in range(n)]


def split_off_gaussian_exponent(
    integrand: Expr, gaussian: frozenset[Symbol], random: frozenset[Symbol]
) -> tuple[Expr, Expr, Expr]:
    """Split an integrand into a constant, a rest, and the exponent of its Gaussian factors.

    The exponent is of degree at most 2 in the Gaussian symbols, with no other random symbols; zero
    if there is none.
    """
    names, others = sorted(gaussian, key=sp.default_sort_key), random - gaussian
    constant, rest, exponent = S.One, list[Expr](), S.Zero
    for part in sp.Mul.make_args(integrand):
        scale, inner = _gaussian(part)
        found = None if inner is None or free_symbols(inner) & others else inner.as_poly(*names)
        if found is not None and found.total_degree() <= 2:
            constant, exponent = constant * scale, exponent + inner
        else:
            rest.append(part)
    return constant, sp.Mul(*rest), exponent


def _gaussian(part: Expr) -> tuple[Expr, Expr | None]:
    if isinstance(part, sp.exp):
        return S.One, part.args[0]
    if isinstance(part, sp.Pow) and part.exp.is_Integer and part.exp > 0:
        scale, inner = _gaussian(part.base)
        return scale**part.exp, None if inner is None else part.exp * inner
    if type(part).__name__ == "erf_prime":
        return 2 / sp.sqrt(sp.pi), -(part.args[0] ** 2)
    if type(part).__name__ == "normal_pdf":
        return 1 / sp.sqrt(2 * sp.pi), -(part.args[0] ** 2) / 2
    return S.One, None


def absorb_exponential_into_density(
    exponent: Expr, means: Mapping[Symbol, Ball], roots: Rows, ball: Callable[[Expr], Ball]
) -> tuple[Ball, dict[Symbol, Ball], Rows] | None:
    """Return factor, means and roots of the Gaussian that absorbs exp of a quadratic, or None.

    The variables are :math:`m + A y` with a standard normal y, before and after. The result is None
    if the integral diverges, or if that cannot be told.
    """
    size = len(next(iter(roots.values()), []))
    if not size:
        return None
    rows = {x: arb_mat(1, size, row) for x, row in roots.items()}
    precision, slope, level = arb_mat(size, size, 1), arb_mat(size, 1), arb(0)
    for powers, coefficient in sp.Poly(exponent, *roots).terms():
        c = ball(coefficient)
        if not isinstance(c, arb):
            return None
        used = [x for x, n in zip(roots, powers, strict=True) for _ in range(n)]
        if len(used) == 2:
            (a, b), (m, n) = (rows[x] for x in used), (means[x] for x in used)
            across = a.transpose() * b
            precision -= c * (across + across.transpose())
            slope += c * (m * b + n * a).transpose()
            level += c * m * n
        elif used:
            slope += c * rows[used[0]].transpose()
            level += c * means[used[0]]
        else:
            level += c
    lower = _cholesky(precision, size)
    if lower is None:
        return None
    # y = P^-1 b + L^-T z has the precision P = L L^T.
    back = lower.inv().transpose()
    centre = back * (back.transpose() * slope)
    factor = (level + (slope.transpose() * centre)[0, 0] / 2).exp()
    for i in range(size):
        factor /= lower[i, i]
    moved = {x: mean + (rows[x] * centre)[0, 0] for x, mean in means.items()}
    return factor, moved, {x: (row * back).entries() for x, row in rows.items()}


def _cholesky(matrix: arb_mat, size: int) -> arb_mat | None:
    lower = arb_mat(size, size)
    for i in range(size):
        for j in range(i + 1):
            rest = matrix[i, j] - sum((lower[i, k] * lower[j, k] for k in range(j)), arb(0))
            if i > j:
                lower[i, j] = rest / lower[j, j]
            elif rest > 0:
                lower[i, i] = rest.sqrt()
            else:
                return None
    return lower

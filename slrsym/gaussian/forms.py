"""Affine and quadratic forms of Gaussian vectors: moments, independence, coefficients."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import sympy as sp
from sympy import Expr, Matrix, S, Symbol

from slrsym.gaussian.integrals import simplify_complex_rational
from slrsym.gaussian.law import GaussianLaw, ProductLaw


def affine_form_moments(
    forms: Sequence[Expr], law: GaussianLaw
) -> tuple[list[Expr], list[list[Expr]]]:
    """Return the means and the covariance matrix of affine forms under a law."""
    found = [law.affine_coefficients(form) for form in forms]
    rows = [Matrix([row]) for _, row in found]
    mean = Matrix(list(law.mean.values()))
    means = [
        simplify_complex_rational(c + (row * mean)[0])
        for (c, _), row in zip(found, rows, strict=True)
    ]
    return means, [[sp.expand((r * law.cov * q.T)[0]) for q in rows] for r in rows]


def group_correlated_indices(cov: list[list[Expr]]) -> list[list[int]]:
    """Group indices of a covariance matrix; return groups uncorrelated with one another."""
    groups: list[list[int]] = []
    for i in range(len(cov)):
        joined = [g for g in groups if any(cov[i][j] != 0 for j in g)]
        groups = [g for g in groups if g not in joined]
        groups.append(sorted([i, *(j for g in joined for j in g)]))
    return groups


def joint_gaussian_law(law: ProductLaw) -> GaussianLaw | None:
    """Return a product law as one Gaussian law, or None if a factor is not Gaussian."""
    blocks = law.independent_laws()
    if not all(isinstance(block, GaussianLaw) for block in blocks):
        return None
    mean = {s: m for block in blocks for s, m in block.mean.items()}
    return GaussianLaw(mean, Matrix.diag(*(block.cov for block in blocks)))


def quadratic_form_coefficients(
    q: Expr, variables: Iterable[Symbol]
) -> tuple[Matrix, Matrix, Expr]:
    """Return the matrix P, vector b and constant c with q(x) = -x'Px/2 + b'x + c."""
    variables = list(variables)
    origin = dict.fromkeys(variables, S.Zero)
    linear = Matrix([sp.expand(q.diff(x).xreplace(origin)) for x in variables])
    quadratic = Matrix([[-sp.expand(q.diff(x, y)) for y in variables] for x in variables])
    return quadratic, linear, q.xreplace(origin)

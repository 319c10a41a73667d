r"""Functions of kappa and nu that certificates bound, derived from the risk on the manifold.

The slopes of the risk come from `slrsym.papers.single_location.symbolic` by differentiation, the
planar map g of Lemma 7 and its Jacobian matrix from
`slrsym.papers.single_location.paper_risk_expressions`. In the names below, N_kappa is the square of
the norm by which a step divides, :math:`1 + \alpha^2 R_\kappa^2 (1
- \kappa^2)`, and

.. math:: \partial_j g_i = \frac{p_i\, m_{ij}}{N_i^{3/2}},

where the *pole factor* :math:`p_i` is the greatest common divisor of a row. It is positive while no
step crosses a pole of its sphere.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import sympy as sp
from sympy import Add, Expr, Mul, S, Symbol, exp, expand, factor, sqrt

from slrsym.kernels.symbolic_functions import DifferenceFromErf
from slrsym.papers.single_location.notation import alpha
from slrsym.papers.single_location.paper_risk_expressions import (
    ON_M,
    ON_MANIFOLD,
    SLOPES,
    overlaps_after_step,
    risk_on_manifold,
)

# The coordinates on the manifold.
x1, x2 = ON_M

# Second partial derivatives of the risk, where formulas hold for any risk.
R_1, R_2 = SLOPES[:2]
BENDS = R_11, R_12, R_22 = tuple(Symbol(f"R_{x}", real=True) for x in ("kk", "kn", "nn"))

# 1 - kappa^2 and 1 - nu^2, as letters: written out, they would be lost where they are small.
C_1, C_2 = (Symbol(f"c_{x.name}", real=True) for x in ON_M)
ROOM = {C_1: (1 - x1) * (1 + x1), C_2: (1 - x2) * (1 + x2)}


@cache
def risk_first_derivatives() -> tuple[Expr, Expr]:
    """Return the derivatives of the risk on the manifold in kappa and nu, factored."""
    risk = risk_on_manifold()
    return _product(risk.diff(x1)), _product(risk.diff(x2))


def _product(slope: Expr) -> Expr:
    """Return an expression affine in nu as a factor times `DifferenceFromErf`, nu less its zero."""
    slope = factor(expand(slope))
    leading = slope.diff(x2)
    if leading == 0:
        return slope
    where = sp.simplify(-slope.subs(x2, 0) / leading)
    if where.func != sp.erf or sp.simplify(leading * (x2 - where) - slope) != 0:
        raise AssertionError(f"the slope does not vanish at a value of erf: {slope}")
    return factor(leading) * DifferenceFromErf(x2, where.args[0])


@cache
def risk_second_derivatives() -> tuple[Expr, Expr, Expr]:
    """Return the second derivatives of the risk on the manifold: kappa-kappa, mixed, nu-nu."""
    in_1, in_2 = risk_first_derivatives()
    return in_1.diff(x1), in_1.diff(x2), in_2.diff(x2)


def derivative_symbol_definitions() -> dict[Symbol, Expr]:
    """Return the definitions of the symbols for the risk's first and second derivatives."""
    return (
        dict(
            zip(
                (R_1, R_2, *BENDS),
                (*risk_first_derivatives(), *risk_second_derivatives()),
                strict=True,
            )
        )
        | ROOM
    )


def drop_positive_factors(expr: Expr) -> Expr:
    """Return a product without its positive factors, which do not affect its sign."""

    def positive(part: Expr) -> bool:
        return isinstance(part, exp) or bool(part.is_positive)

    factors = [part for part in Mul.make_args(factor(expr)) if not positive(part)]
    return Mul(*factors)


@dataclass(frozen=True)
class PlanarMap:
    """The map of Lemma 7 and its Jacobian matrix, in symbols for derivatives of the risk."""

    new: tuple[Expr, Expr]
    norms: tuple[Expr, Expr]
    poles: tuple[Expr, Expr]
    entries: tuple[tuple[Expr, Expr], tuple[Expr, Expr]]

    @property
    def jacobian_numerator_determinant(self) -> Expr:
        """The determinant of the matrix m_ij of numerators in the planar map's Jacobian."""
        (a, b), (c, d) = self.entries
        return a * d - b * c

    @property
    def jacobian(self) -> tuple[tuple[Expr, Expr], ...]:
        """The Jacobian matrix of the map: derivatives of the new kappa, then of the new nu."""
        return tuple(
            (p * row[0] / n ** S("3/2"), p * row[1] / n ** S("3/2"))
            for p, n, row in zip(self.poles, self.norms, self.entries, strict=True)
        )


@cache
def planar_map() -> PlanarMap:
    """Derive the planar map of Lemma 7 from the map of the five overlaps (Definition 1)."""
    outputs, meanings = overlaps_after_step()
    rows = []
    for output in outputs[:2]:
        new = output
        while new.free_symbols & meanings.keys():
            new = new.xreplace(meanings)
        # On the square the maximum of 0 and alpha^2 times a square times 1 - kappa^2 is the latter.
        new = new.subs(ON_MANIFOLD).replace(sp.Max, lambda *parts: Add(*parts))
        (shrink,) = (f for f in Mul.make_args(new) if f.is_Pow and f.exp == -S.Half)
        rows.append(_row(new / shrink, shrink.base))
    (k_new, k_norm, k_pole, k_row), (n_new, n_norm, n_pole, n_row) = rows
    return PlanarMap((k_new, n_new), (k_norm, n_norm), (k_pole, n_pole), (k_row, n_row))


def _row(core: Expr, norm: Expr) -> tuple[Expr, Expr, Expr, tuple[Expr, Expr]]:
    """Return core/sqrt(norm), the norm, the pole factor and the entries m_ij of a coordinate."""
    first, second = (expand(norm * _along(core, x) - _along(norm, x) * core / 2) for x in (x1, x2))
    pole = sp.gcd(first, second)
    # As it comes, a common divisor may be negative.
    pole *= pole.subs({x1: 0, x2: 0})
    if pole.has(R_11, R_12, R_22) or expand(pole.subs({x1: 0, x2: 0})) != 1:
        raise AssertionError(f"the pole factor is not one of position and slope: {pole}")
    entries = (_gathered(sp.quo(first, pole)), _gathered(sp.quo(second, pole)))
    new = _gathered(core) / sqrt(_gathered(norm))
    return new, _gathered(norm), pole, entries


def _along(expr: Expr, x: Symbol) -> Expr:
    """Return an expression's total derivative in x, with R_1 and R_2 as functions of x."""
    in_1, in_2 = (R_11, R_12) if x == x1 else (R_12, R_22)
    return expr.diff(x) + in_1 * expr.diff(R_1) + in_2 * expr.diff(R_2)


def _gathered(expr: Expr) -> Expr:
    """Return a polynomial rewritten with symbols for 1 - kappa^2 and 1 - nu^2."""
    for x, room in ((x1, C_1), (x2, C_2)):
        expr = sp.rem(expand(expr), x**2 + room - 1, x)
    return factor(expr, deep=False) if expr.is_Mul else expr


@cache
def angle_hessian_entries() -> tuple[Expr, Expr, Expr]:
    r"""Return the angle Hessian's diagonal entries, and the mixed one divided by both cosines."""
    (k_cos, k_entry), (n_cos, n_entry) = (
        (sqrt(1 - x**2), sqrt(1 - x**2) * _along(sqrt(1 - x**2) * slope, x))
        for x, slope in ((x1, R_1), (x2, R_2))
    )
    beside = k_cos * _along(n_cos * R_2, x1) / (k_cos * n_cos)
    return _gathered(expand(k_entry)), _gathered(expand(n_entry)), expand(beside)


@cache
def is_step_matrix_from_angle_hessian() -> bool:
    """Return whether the matrix m_ij is N minus alpha times the Hessian in the angles."""
    step = planar_map()
    in_1, in_2, beside = angle_hessian_entries()
    differences = (
        step.entries[0][0] - (step.norms[0] - alpha * in_1),
        step.entries[1][1] - (step.norms[1] - alpha * in_2),
        step.entries[0][1] + alpha * beside * C_1,
        step.entries[1][0] + alpha * beside * C_2,
    )
    return all(expand(difference) == 0 for difference in differences)

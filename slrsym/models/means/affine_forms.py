"""Functions of a few affine forms of Gaussian variables, with a variable for each form.

The error y - f of a linear predictor is one form of two projections. A mean over it is an integral
of one dimension, and its variance is a quantity of its own, whose limit at 0 is exact.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from sympy import Add, Expr, Matrix, Mul, S, Symbol, exp, expand

from slrsym.gaussian.integrand import replace_affine_forms_by_symbols
from slrsym.models.means.moments import generic_gaussian_variables


class ProductOfForms(NamedTuple):
    """A product in generic variables, and these as linear forms of others: a row for each."""

    core: Expr
    forms: Matrix


@cache
def with_forms_as_variables(core: Expr, count: int) -> ProductOfForms | None:
    """Write a function of forms, times powers of variables, with a variable for each form.

    Parameters
    ----------
    core : Expr
        In the generic variables.
    count : int
        How many there are.

    Returns
    -------
    ProductOfForms or None
        None if the forms are no fewer than the variables in them, or have symbols in them.
    """
    names = generic_gaussian_variables(count)
    powers = [f for f in Mul.make_args(core) if _is_power(f, names)]
    function = Mul(*(f for f in Mul.make_args(core) if f not in powers))
    function = function.replace(Mul, _with_one_exponential)
    inside = [i for i, z in enumerate(names) if function.has(z)]
    found = replace_affine_forms_by_symbols(function, frozenset(names))
    if found is None or len(inside) < 2:
        return None
    rows = Matrix([[form.coeff(names[i]) for i in inside] for form in found[1]])
    # Forms themselves are the basis: their rows that do not depend on rows before.
    chosen = list(rows.T.rref()[1])
    if rows.free_symbols or len(chosen) == len(inside):
        return None
    new = generic_gaussian_variables(len(chosen) + len(powers))
    basis = rows.extract(chosen, list(range(len(inside))))
    pivots = list(basis.rref()[1])
    values = basis.extract(list(range(len(chosen))), pivots).inv() * Matrix(new[: len(chosen)])
    # As the function is one of these forms, its other variables may be 0.
    at = {names[i]: S.Zero for i in inside}
    at |= dict(zip((names[inside[k]] for k in pivots), values, strict=True))
    meanings = {name: expand(form.xreplace(at)) for form, name in found[1].items()}
    written = found[0].xreplace(meanings)
    forms = Matrix.zeros(len(new), count)
    for i in range(len(chosen)):
        for k, j in enumerate(inside):
            forms[i, j] = basis[i, k]
    for i, power in enumerate(powers, len(chosen)):
        z, exponent = power.as_base_exp()
        forms[i, names.index(z)] = 1
        written *= new[i] ** exponent
    return ProductOfForms(written, forms)


def _with_one_exponential(*factors: Expr) -> Expr:
    """Write exp(a) exp(b) as exp(a + b), as it was before products were expanded."""
    bells = [f for f in factors if isinstance(f, exp)]
    return Mul(exp(Add(*(f.exp for f in bells))), *(f for f in factors if f not in bells))


def _is_power(factor: Expr, names: tuple[Symbol, ...]) -> bool:
    base, power = factor.as_base_exp()
    return base in names and bool(power.is_Integer and power > 0)

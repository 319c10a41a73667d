"""Gaussian means that have a closed form given one or two of their variables.

What is left is a quadrature over these: of the logistic loss of a score and the sign of another,
the mean of the sign given the score is an error function.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations

from sympy import (
    Add,
    DiracDelta,
    Expr,
    Matrix,
    S,
    Symbol,
    erf,
    exp,
    factor,
    sign,
    tanh,
)

from slrsym.gaussian import Expectation, GaussianLaw, OwensT, expectation, normal_cdf
from slrsym.kernels.piece_means import mean_on_piece
from slrsym.kernels.symbolic_functions import gaussian_mean
from slrsym.models.means.moments import (
    covariance_symbol,
    generic_gaussian_variables,
    mean_symbol,
)
from slrsym.models.means.smooth_pieces import KINKS, smooth_pieces

_UNITS = tuple(kind for kind in KINKS if kind is not sign)


@cache
def mean_given_few_variables(core: Expr, count: int, centred: bool) -> Expr | None:
    """Return the mean of a function as a quadrature over one or two variables, or None.

    Given these, the mean over the others has a closed form without kinks.

    Parameters
    ----------
    core : Expr
        In the generic Gaussian variables.
    count : int
        How many there are.
    centred : bool
        Whether their means are 0.

    Returns
    -------
    Expr or None
        In the symbols of means and covariances.
    """
    names = generic_gaussian_variables(count)
    means = [S.Zero if centred else mean_symbol(i) for i in range(count)]
    cov = Matrix(count, count, covariance_symbol)
    for size in (1, 2):
        for some in combinations(range(count), size):
            rest = [i for i in range(count) if i not in some]
            given = [names[i] for i in some]
            value = _mean_of_rest(core, means, cov, some, rest) if rest else core
            if value.has(Expectation, OwensT, DiracDelta):
                continue
            value, at = _with_names_of_coefficients(value, given)
            # Kinks in other variables leave functions that no grid finds.
            own = all(not node.has(*(names[i] for i in rest)) for node in core.atoms(*_UNITS))
            if size == 1 and own and (value.has(*KINKS) or (centred and core.has(sign))):
                found = _mean_in_pieces(value, given[0], means[some[0]], cov[some[0], some[0]])
                if found is not None:
                    return found.xreplace(at)
            if value.has(*KINKS):
                continue
            law = GaussianLaw(
                {names[i]: means[i] for i in some}, cov.extract(list(some), list(some)).tolist()
            )
            return gaussian_mean(value, law, rescaled=False).xreplace(at)
    return None


def _mean_in_pieces(value: Expr, z: Symbol, mean: Expr, variance: Expr) -> Expr | None:
    """Return the mean of a function of one variable by quadrature between its kinks, or None.

    The mean of a sign, given the variable, is a step at 0 whose width vanishes at alignment.
    """
    steps = (x.args[0] for x in value.atoms(erf))
    breaks = [S.Zero] if any(x.is_Mul and z in x.args for x in steps) else []
    pieces = smooth_pieces(value, z, breaks)
    if pieces is None:
        return None
    return Add(*(mean_on_piece(f, z, mean, variance, ends) for ends, f in pieces))


def _mean_of_rest(
    core: Expr, means: list[Expr], cov: Matrix, some: tuple[int, ...], rest: list[int]
) -> Expr:
    """Return the mean over some variables as a function of the others."""
    names = generic_gaussian_variables(len(means))
    across = cov.extract(rest, list(some))
    slopes = across * cov.extract(list(some), list(some)).inv()
    left = (cov.extract(rest, rest) - slopes * across.T).applyfunc(factor)
    away = Matrix([names[i] - means[i] for i in some])
    shifted = Matrix([means[i] for i in rest]) + slopes * away
    at: dict[Symbol, Expr] = {}
    law_cov = Matrix.zeros(len(rest), len(rest))
    for i in range(len(rest)):
        for j in range(i + 1):
            sort = {"positive": True} if i == j else {"real": True}
            symbol = Symbol(f"left_{i}_{j}", **sort)
            at[symbol] = left[i, j]
            law_cov[i, j] = law_cov[j, i] = symbol
    of = [Symbol(f"given_{i}", real=True) for i in range(len(rest))]
    at |= dict(zip(of, shifted, strict=True))
    law = GaussianLaw(dict(zip((names[i] for i in rest), of, strict=True)), law_cov)
    found: Expr = expectation(core, law).xreplace(at)
    return found


def _with_names_of_coefficients(
    value: Expr, variables: list[Symbol]
) -> tuple[Expr, dict[Symbol, Expr]]:
    """Write affine arguments of functions with symbols for coefficients, and return what they are.

    An integrand in the entries of the law would be long, and its derivatives longer.
    """
    at: dict[Symbol, Expr] = {}

    def named(coefficient: Expr) -> Expr:
        if not coefficient.free_symbols:
            return coefficient
        symbol = Symbol(f"coefficient_{len(at)}", real=True)
        at[symbol] = coefficient
        return symbol

    def written(node: Expr) -> Expr:
        form = node.args[0].as_poly(*variables)
        if form is None or form.total_degree() > 1:
            return node
        constant = form.coeff_monomial(1)
        slopes = [factor(form.coeff_monomial(z)) for z in variables]
        parts = [named(c) * z for c, z in zip(slopes, variables, strict=True) if c != 0]
        return node.func(Add(named(factor(constant)) if constant != 0 else 0, *parts))

    found = value.replace(
        lambda e: isinstance(e, erf | exp | tanh | normal_cdf) and e.has(*variables), written
    )
    return found, at

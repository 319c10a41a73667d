"""Covariance matrices: semidefiniteness, exactly for rationals and up to rounding for floats.

A float is the rational number that it is. Only rounding spoils a covariance that was computed in
floats, such as ``numpy.cov`` of fewer samples than variables: what elimination leaves of a variance
is then as small as the rounding, of either sign. It is taken for 0, and the matrix for the
semidefinite one that is exactly so. Rationals, and expressions, are taken at their word.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from itertools import combinations, product
from typing import Any

import sympy as sp
from flint import fmpq
from sympy import Expr, Symbol, factor_terms

from slrsym.gaussian.noise_and_product_laws import require_real_expression
from slrsym.gaussian.special_functions import with_own_owens_t

# In units of the rounding of the floats, times the variables: what is left of a variance is taken
# for 0 up to the first; what is beyond the second, on the wrong side of 0, is refused.
_NOTHING, _ROUNDING = 4, 64


def require_covariance_matrix(cov: Any, names: list[Symbol]) -> sp.ImmutableMatrix:
    """Return a covariance matrix; raise an error if it is certainly not semidefinite."""
    n = len(names)
    if n == 1 and getattr(cov, "shape", None) == ():
        # As `numpy.cov` returns it for one variable.
        cov = [[cov[()]]]
    try:
        matrix = with_own_owens_t(sp.ImmutableMatrix(cov))
    except (TypeError, ValueError) as error:
        raise ValueError(f"cov must be a matrix or nested lists of equal length; {error}") from None
    if matrix.shape != (n, n):
        raise ValueError(f"cov has shape {matrix.shape}; {n} coordinates need ({n}, {n})")
    for i in range(n):
        for j in range(n):
            require_real_expression(matrix[i, j], f"cov[{i}, {j}]")
    matrix = _symmetric(matrix)
    found = _elimination(matrix)[1] if _is_rational_up_to_floats(matrix) else _minor(matrix)
    if found is not None:
        chosen, minor = found
        which = ", ".join(names[i].name for i in chosen)
        beyond = " beyond rounding" if matrix.has(sp.Float) else ""
        raise ValueError(
            f"cov is not positive semidefinite: the principal minor of ({which}) "
            f"is {factor_terms(minor)} < 0{beyond}"
        )
    return matrix


def _symmetric(matrix: sp.ImmutableMatrix) -> sp.ImmutableMatrix:
    """Return a symmetric matrix, with the mean of two floats that differ by rounding."""
    means: dict[tuple[int, int], Expr] = {}
    unit = _unit_of_rounding(matrix)
    for i, j in combinations(range(matrix.rows), 2):
        above, below = matrix[i, j], matrix[j, i]
        if above == below or sp.expand(above - below) == 0:
            continue
        size = abs(matrix[i, i] * matrix[j, j])
        close = size.is_number and above.is_number and below.is_number
        if not (close and unit and (above - below) ** 2 <= (_ROUNDING * unit) ** 2 * size):
            raise ValueError(
                f"cov is not symmetric: cov[{j}, {i}] = {below}, cov[{i}, {j}] = {above}"
            )
        means[i, j] = means[j, i] = (above + below) / 2
    if not means:
        return matrix
    return sp.ImmutableMatrix(*matrix.shape, lambda i, j: means.get((i, j), matrix[i, j]))


def _unit_of_rounding(matrix: sp.ImmutableMatrix) -> Expr:
    """Return the relative rounding of the least precise float of a matrix times its size, or 0."""
    floats = matrix.atoms(sp.Float)
    if not floats:
        return sp.S.Zero
    return sp.Rational(matrix.rows, 2 ** min(number._prec for number in floats))


def _is_rational_up_to_floats(matrix: sp.ImmutableMatrix) -> bool:
    """Return whether elimination decides: all entries are rational, or numbers with a float."""
    if matrix.free_symbols:
        return False
    return matrix.has(sp.Float) or all(entry.is_Rational for entry in matrix)


def _rational(number: Expr) -> fmpq:
    number = exact_numbers(number)
    exact = number if number.is_Rational else sp.Rational(number.evalf(60))
    return fmpq(int(exact.p), int(exact.q))


def exact_numbers(expr: Any) -> Any:
    """Replace floats by the rationals that they are."""
    return expr.xreplace({number: sp.Rational(number) for number in expr.atoms(sp.Float)})


@lru_cache(maxsize=256)
def exact_covariance(matrix: sp.ImmutableMatrix) -> sp.ImmutableMatrix:
    """Return a covariance without floats, exactly semidefinite where its entries are numbers."""
    if not matrix.has(sp.Float):
        return matrix
    chosen: list[int] = []
    for i in range(matrix.rows):
        if all(matrix[i, j].is_number for j in [*chosen, i]):
            chosen.append(i)
    found = sp.Matrix(exact_numbers(matrix))
    block = matrix.extract(chosen, chosen)
    if block.has(sp.Float):
        block = _elimination(block)[0]
        for row, column in product(range(len(chosen)), repeat=2):
            found[chosen[row], chosen[column]] = block[row, column]
    return sp.ImmutableMatrix(found)


@lru_cache(maxsize=256)
def _elimination(
    matrix: sp.ImmutableMatrix,
) -> tuple[sp.ImmutableMatrix, tuple[tuple[int, ...], Expr] | None]:
    """Return a semidefinite matrix within rounding of one of numbers; or a negative minor of it.

    Notes
    -----
    Elimination with the pivot that is largest, relative to its variance, ends where that is
    rounding. Subtracting all that is left gives the covariance of what is known of the vector from
    the pivots: it is semidefinite, and agrees in their rows.
    """
    n = matrix.rows
    given = [[_rational(matrix[i, j]) for j in range(n)] for i in range(n)]
    unit = _rational(_unit_of_rounding(matrix))
    size = [given[i][i] for i in range(n)]
    rest = [row[:] for row in given]

    def negative(*chosen: int) -> tuple[sp.ImmutableMatrix, tuple[tuple[int, ...], Expr]]:
        exact = sp.ImmutableMatrix([[_number(given[i][j]) for j in chosen] for i in chosen])
        minor = exact.det(method="bareiss")
        return matrix, (chosen, minor.evalf(6) if unit else minor)

    for i in range(n):
        if size[i] < 0:
            return negative(i)
    for i, j in combinations(range(n), 2):
        if given[i][j] ** 2 > size[i] * size[j] * (1 + _ROUNDING * unit):
            return negative(i, j)
    left, pivots = list(range(n)), []
    while True:
        shares = {i: rest[i][i] / size[i] for i in left if size[i]}
        pivot = max(left, key=lambda i: shares.get(i, fmpq(0)), default=None)
        if pivot is None or shares.get(pivot, 0) <= _NOTHING * unit:
            break
        left.remove(pivot)
        pivots.append(pivot)
        for i in left:
            slope = rest[i][pivot] / rest[pivot][pivot]
            for j in left if slope else ():
                rest[i][j] -= slope * rest[pivot][j]
    for i in left:
        if rest[i][i] < -_ROUNDING * unit * size[i]:
            return negative(*sorted([*pivots, i]))
    for i, j in combinations(left, 2):
        if rest[i][j] ** 2 > (_ROUNDING * unit) ** 2 * size[i] * size[j]:
            return negative(*sorted([*pivots, i, j]))
    for i in left:
        for j in left:
            given[i][j] -= rest[i][j]
    return sp.ImmutableMatrix([[_number(entry) for entry in row] for row in given]), None


def _number(entry: fmpq) -> Expr:
    return sp.Rational(int(entry.p), int(entry.q))


# In larger matrices of expressions, the minors of up to so many variables are tried.
_MANY, _SMALL = 8, 2


@lru_cache(maxsize=1024)
def _minor(matrix: sp.ImmutableMatrix) -> tuple[tuple[int, ...], Expr] | None:
    """Return the index set and value of a principal minor that is certainly negative, or None."""
    n = matrix.rows
    for size in range(1, (n if n <= _MANY else _SMALL) + 1):
        for chosen in combinations(range(n), size):
            if size > 3 and not all(matrix[i, j].is_number for i in chosen for j in chosen):
                continue
            block = matrix.extract(list(chosen), list(chosen))
            # Factors of a symbolic determinant take long to find.
            if _is_somewhere_positive(block):
                continue
            minor = block.det(method="berkowitz")
            if not (minor.is_negative or sp.factor(minor).is_negative):
                continue
            if not _is_rational_up_to_floats(block) or _elimination(block)[1]:
                return chosen, minor
    return None


def _is_somewhere_positive(block: sp.ImmutableMatrix) -> bool:
    """Return whether the determinant of a symbolic matrix is positive at a sample point."""
    point = {}
    for i, symbol in enumerate(sorted(block.free_symbols, key=str), 2):
        kind = symbol._assumptions_orig
        if kind in ({"positive": True}, {"positive": True, "integer": True}):
            point[symbol] = sp.Integer(i)
        elif kind == {"real": True}:
            point[symbol] = sp.Rational(1, i)
        else:
            return False
    return bool(block.xreplace(point).det(method="berkowitz").is_positive)


# Numbers of more digits than this are written as floats in what comes from floats.
_LONG = 10**6


def with_short_numbers(expr: Any) -> Any:
    """Write long rationals of an expression, and of numbers made of them, as floats."""
    if not any(max(abs(r.p), r.q) > _LONG for r in expr.atoms(sp.Rational)):
        return expr
    return _bottom_up(expr, lambda number: number.evalf(15))


def _bottom_up(expr: Any, write: Callable[[Expr], Expr]) -> Any:
    if isinstance(expr, Expr) and expr.is_number and not expr.is_Integer:
        return write(expr)
    if not expr.args:
        return expr
    base = expr.args[:1] if isinstance(expr, sp.Pow) and expr.exp.is_number else expr.args
    new = [_bottom_up(arg, write) for arg in base]
    return expr.func(*new, *expr.args[len(new) :])

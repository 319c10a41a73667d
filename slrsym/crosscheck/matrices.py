"""Cross-check of statements on matrices of free size, in coordinates with exact rationals.

At each point every size is a number. Identities that hold for small matrices alone are told apart,
as one size is at least the length of the longest product, and no less than four.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import sympy as sp
from flint import ctx, fmpq
from numpy.random import Generator
from sympy import Basic

from slrsym.crosscheck.evaluator import Disagreement
from slrsym.crosscheck.matrix_points import MatrixPoint, orthogonal_letter
from slrsym.crosscheck.points import Comparison, NoPointFound
from slrsym.crosscheck.waves import PRECISION
from slrsym.matrices.functions import (
    ForAllMatrices,
    SmoothFunction,
)
from slrsym.matrices.letters import Letter, Size
from slrsym.matrices.means import Loewner, MatrixMean

# How often a point is drawn for hypotheses, each time with smaller numbers.
_TRIES = 40
# The largest size, and the largest for means over matrices.
_LARGEST, _LARGEST_IN_MEANS = 6, 4
_COMPARED_DIGITS = 30
# What is averaged may have so many monomials in the entries of random matrices.
_MOST_MONOMIALS = 20_000


def _longest_product(*statements: Basic) -> int:
    products = {node for s in statements for node in s.atoms(sp.MatMul)}
    return max((len(node.args) for node in products), default=1)


def _sizes_to_try(names: Sequence[Size], largest: int, count: int) -> list[dict[Size, int]]:
    """Return sizes for so many points, so that each size is the largest at one of the first."""
    choices = [largest, 2, 1, 3]
    return [
        {n: choices[(k + i) % len(choices)] for i, n in enumerate(reversed(names))}
        for k in range(count)
    ]


def _degree(e: Basic, random: Collection[Any]) -> int:
    """Return a bound of the degree of an expression in the entries of random matrices."""
    if e in random:
        return 1
    below = [_degree(part, random) for part in e.args]
    if isinstance(e, sp.Pow | sp.MatPow):
        return below[0] * max(1, int(e.args[1])) if e.args[1].is_Integer else 0
    return sum(below) if isinstance(e, sp.Mul | sp.MatMul) else max(below, default=0)


def _monomials(mean: MatrixMean, sizes: Mapping[Size, int]) -> int:
    """Return a bound of the number of monomials of a mean's integrand at given sizes."""
    random = mean.bound_symbols
    entries = sum(math.prod(int(size.xreplace(sizes)) for size in x.shape) for x in random)
    degree = _degree(mean.body, random)
    return math.comb(entries + degree, degree)


def _within_limit(
    sizes: Mapping[Size, int], means: Collection[MatrixMean], keeps_largest: bool
) -> dict[Size, int]:
    """Return sizes at which means have moderately many monomials: the larger ones are made smaller.

    Where the largest is kept as long as possible, it tells apart what holds for small matrices
    alone; and where it is not, what holds of one sample alone.
    """
    found = dict(sizes)
    kept = max(found, key=lambda n: found[n], default=None) if keeps_largest else None
    while sum(_monomials(mean, found) for mean in means) > _MOST_MONOMIALS:
        smaller = max(found, key=lambda n: (found[n] > 1 and n != kept, found[n]))
        if found[smaller] == 1:
            break
        found[smaller] -= 1
    return found


def compare_matrices(
    statement: Any, given: Iterable[Any], rng: Generator, points: int = 4
) -> Comparison:
    """Compare a statement on matrices at random points in coordinates.

    Raises `Disagreement` where it fails, `Inconclusive` for what has no value in coordinates, and
    `NoPointFound` if hypotheses hold nowhere.
    """
    given = list(given)
    while isinstance(statement, ForAllMatrices):
        statement = statement.statement
    with ctx.workprec(PRECISION):
        return _compare(statement, given, rng, points)


def _compare(statement: Any, given: Sequence[Any], rng: Generator, points: int) -> Comparison:
    names, letters = _names(Size, statement, *given), _names(Letter, statement, *given)
    functions = _functions(statement, *given)
    most = _LARGEST_IN_MEANS if functions or statement.has(MatrixMean) else _LARGEST
    largest = min(most, max(4, _longest_product(statement, *given)))
    example = ""
    used: list[Mapping[Any, Any]] = []
    if functions:
        points = 8 if statement.has(MatrixMean) else 32
    means = sorted(statement.atoms(MatrixMean), key=str)
    for k, wanted in enumerate(_sizes_to_try(names, largest, max(1, points))):
        sizes = _within_limit(wanted, means, k == 0)
        point = _point(given, rng, sizes, letters, functions)
        if not point.holds(statement):
            raise Disagreement(statement, point.named_values(), *point.sides(statement))
        where = ", ".join(f"{x} = {v}" for x, v in point.named_values().items())
        example = example or f"with {where}: {' and '.join(point.sides(statement))}"
        used.append(point.values)
    digits = None if isinstance(statement, Loewner) else _COMPARED_DIGITS
    return Comparison(statement, tuple(used), digits, example)


def floats_at_matrix_point(statement: Any, given: Iterable[Any], rng: Generator) -> dict[Any, Any]:
    """Return sizes, numbers and letters of a statement at a random point, in floating point."""
    given = list(given)
    sizes = {
        n: int(rng.integers(1, _LARGEST, endpoint=True)) for n in _names(Size, statement, *given)
    }
    letters, functions = _names(Letter, statement, *given), _functions(statement, *given)
    point = _point(given, rng, sizes, letters, functions)
    for x in _names(sp.Symbol, statement, *given):
        point.number(x)
    return {
        x: np.array([[_float(c) for c in row] for row in value]) if isinstance(value, list) else
        sizes[x] if x in sizes else value if x in functions else _float(value)
        for x, value in point.values.items()
    }  # fmt: skip


def _float(c: fmpq) -> float:
    return float(sp.Rational(int(c.p), int(c.q)))


# Statements are long, and asked at each point.
@lru_cache(maxsize=64)
def _names(kind: type, *statements: Any) -> tuple[Any, ...]:
    found = {x for s in statements for x in s.free_symbols | s.atoms(Size) if isinstance(x, kind)}
    return tuple(sorted(found, key=str))


def _functions(*statements: Any) -> list[SmoothFunction]:
    return sorted({f for s in statements for f in s.atoms(SmoothFunction)}, key=str)


def _point(
    given: Sequence[Any], rng: Generator, sizes: Mapping[Size, int], letters: Sequence[Letter],
    functions: Sequence[SmoothFunction] = (),
) -> MatrixPoint:  # fmt: skip
    everywhere = [p for p in given if isinstance(p, ForAllMatrices)]
    given = [p for p in given if not isinstance(p, ForAllMatrices)]
    defined = {x for p in given if isinstance(p, sp.Eq) for x in (p.lhs, orthogonal_letter(p))}
    for shrink in range(_TRIES):
        point = MatrixPoint(rng, sizes, shrink, spread=bool(functions))
        point.define_numbers(given)
        # Letters that hypotheses define have to commute with the others of their family.
        for x in letters:
            if x not in defined:
                point.matrix(x)
        if point.choose_functions(functions, everywhere) and point.suppose(given):
            return point
    what = "functions and matrices" if everywhere else "matrices"
    raise NoPointFound(f"no {what} were found for which the hypotheses hold")

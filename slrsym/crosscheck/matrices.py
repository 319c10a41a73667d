"""Cross-check of statements on matrices of free size, in coordinates with exact rationals.

At each point every size is a number, and every letter a matrix with rational entries of its kind.
The mean of a polynomial in Gaussian matrices is that of a polynomial in standard normal variables,
a product of double factorials; a derivative along a direction is taken by dual numbers. Identities
that hold for small matrices alone are told apart, as one size is at least the length of the longest
product, and no less than four.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations, product
from math import prod
from typing import Any

import numpy as np
import sympy as sp
from flint import Ordering, arb_mat, ctx, fmpq, fmpq_mat, fmpq_mpoly_ctx
from numpy.random import Generator
from sympy import Basic
from sympy.core.relational import Relational

from slrsym.crosscheck.ball_quadrature import Inconclusive
from slrsym.crosscheck.evaluator import Disagreement
from slrsym.crosscheck.points import Comparison, NoPointFound
from slrsym.crosscheck.vector_functions import (
    BoundsForAllVectors,
    random_vector_function,
)
from slrsym.crosscheck.waves import PRECISION, Wave, as_ball, sign_of_difference
from slrsym.matrices.functions import (
    ForAllMatrices,
    GradientAt,
    HessianAt,
    SmoothFunction,
    ValueAt,
)
from slrsym.matrices.letters import Letter, Size
from slrsym.matrices.means import Along, Loewner, MatrixMean

Rows = list[list[Any]]
# How often a point is drawn for hypotheses, each time with smaller numbers.
_TRIES = 40
# The largest size, and the largest for means over matrices.
_LARGEST, _LARGEST_IN_MEANS = 6, 4
_COMPARED_DIGITS = 30


class _Dual:
    """A number a + b e with e^2 = 0: a value and its derivative."""

    def __init__(self, a: Any, b: Any = 0) -> None:
        self.a, self.b = a, b

    def __add__(self, other: Any) -> _Dual:
        other = _dual(other)
        return _Dual(self.a + other.a, self.b + other.b)

    def __mul__(self, other: Any) -> _Dual:
        other = _dual(other)
        return _Dual(self.a * other.a, self.a * other.b + self.b * other.a)

    __radd__, __rmul__ = __add__, __mul__

    def inverse(self) -> _Dual:
        return _Dual(1 / self.a, -self.b / self.a**2)


def _dual(x: Any) -> _Dual:
    return x if isinstance(x, _Dual) else _Dual(x)


class MatrixPoint:
    """Exact values of sizes, numbers and letters, and of expressions in them."""

    def __init__(
        self, rng: Generator, sizes: Mapping[Size, int], shrink: int = 0, spread: bool = False
    ) -> None:
        self._rng, self._shrink = rng, shrink
        # Whether letters are of several magnitudes.
        self._spread = spread
        self.values: dict[Any, Any] = {n: fmpq(k) for n, k in sizes.items()}
        self._roots: dict[Letter, Rows] = {}
        self._rotations: dict[tuple[str, int], Any] = {}

    def _integer(self, low: int, high: int) -> int:
        return int(self._rng.integers(low, high, endpoint=True))

    def _draw_number(self, x: sp.Symbol) -> fmpq:
        value = fmpq(self._integer(1, 5), self._integer(1, 4) * 2**self._shrink)
        if x.is_integer:
            value = fmpq(self._integer(1, 5))
        if x.is_negative or (not x.is_nonnegative and self._integer(0, 1)):
            value = -value
        return value

    def _size(self, n: Any) -> int:
        return 1 if n == 1 else int(self.values[n])

    def _draw_letter(self, x: Letter) -> Rows:
        rows, columns = map(self._size, x.shape)
        unit = fmpq(1, 4 if self._spread and self._integer(0, 1) else 1)
        near = [v for y, v in self.values.items() if self._spread and isinstance(y, Letter)
                and (y.kind, y.shape) == (x.kind, x.shape) == ("any", y.shape)]  # fmt: skip
        if near and self._integer(0, 1):
            # Beside another one, or beside twice the other one.
            times, unit = self._integer(1, 2), fmpq(1, 4)
            first = near[self._integer(0, len(near) - 1)]
            return [[times * c + unit * self._integer(-4, 4) for c in row] for row in first]
        if x.kind in ("any", "invertible"):
            while True:
                entries = [unit * fmpq(self._integer(-4, 4), self._integer(1, 3))
                           for _ in range(rows * columns)]  # fmt: skip
                drawn = fmpq_mat(rows, columns, entries)
                if x.kind == "any" or drawn.det() != 0:
                    return _rows(drawn)
        # Different eigenvalues, so that no polynomial of low degree in the letter vanishes.
        roots = [unit * fmpq(int(n), 2) for n in self._rng.permutation(3 * rows)[:rows] + 1]
        if x.kind == "semidefinite" and rows > 1:
            roots[0] = fmpq(0)
        signs = [1 if x.kind != "symmetric" else 2 * self._integer(0, 1) - 1 for _ in roots]
        turn = self._rotation(x.family or f"letter {x.name}", rows)
        self._roots[x] = _conjugated(turn, roots)
        return _conjugated(turn, [s * r * r for s, r in zip(signs, roots, strict=True)])

    def _rotation(self, name: str, n: int) -> Any:
        """Return a rational rotation without zero entries off the diagonal, by Cayley's formula."""
        if (name, n) not in self._rotations:
            one, skew = _diagonal([fmpq(1)] * n), fmpq_mat(n, n)
            for i, j in combinations(range(n), 2):
                sign = 2 * self._integer(0, 1) - 1
                skew[i, j] = fmpq(sign * self._integer(1, 3), self._integer(2, 5))
                skew[j, i] = -skew[i, j]
            self._rotations[name, n] = (one - skew) * (one + skew).inv()
        return self._rotations[name, n]

    # -- expressions ------------------------------------------------------------------------------

    def matrix(self, e: Any) -> Rows:
        """Return the value of a matrix expression."""
        if isinstance(e, Letter):
            if e not in self.values:
                self.values[e] = self._draw_letter(e)
            return self.values[e]  # type: ignore[no-any-return]
        if isinstance(e, sp.Identity | sp.ZeroMatrix):
            rows, columns = map(self._size, e.shape)
            one = int(isinstance(e, sp.Identity))
            return [[fmpq(one * (i == j)) for j in range(columns)] for i in range(rows)]
        if isinstance(e, sp.Transpose):
            return [list(row) for row in zip(*self.matrix(e.arg), strict=True)]
        if isinstance(e, sp.Inverse):
            return _rows(fmpq_mat(self.matrix(e.arg)).inv())
        if isinstance(e, sp.MatPow) and e.exp.is_Integer:
            base = self.matrix(e.base if e.exp > 0 else sp.Inverse(e.base))
            return _product([base] * abs(int(e.exp)))
        if isinstance(e, sp.MatMul):
            factor, parts = e.as_coeff_matrices()
            c = self.number(factor)
            return [[c * x for x in row] for row in _product([self.matrix(p) for p in parts])]
        if isinstance(e, sp.MatAdd):
            first, *rest = map(self.matrix, e.args)
            for part in rest:
                pairs = zip(first, part, strict=True)
                first = [[x + y for x, y in zip(a, b, strict=True)] for a, b in pairs]
            return first
        if isinstance(e, GradientAt):
            return [[u] for u in self._derivatives(e)]
        if isinstance(e, HessianAt):
            entries = iter(self._derivatives(e))
            n = self._size(e.function.size)
            return [[next(entries) for _ in range(n)] for _ in range(n)]
        raise Inconclusive(f"no value in coordinates for {e}")

    def number(self, e: Any) -> Any:
        """Return the value of an expression that is a number."""
        if isinstance(e, sp.Rational):
            return fmpq(int(e.p), int(e.q))
        if isinstance(e, sp.Symbol):
            if e not in self.values:
                self.values[e] = self._draw_number(e)
            return self.values[e]
        if isinstance(e, sp.Add):
            return _total([self.number(part) for part in e.args])
        if isinstance(e, sp.Mul):
            return prod((self.number(part) for part in e.args), start=fmpq(1))
        if isinstance(e, sp.Pow) and e.exp.is_Integer:
            base = self.number(e.base)
            if e.exp < 0:
                base = base.inverse() if isinstance(base, _Dual) else 1 / base
            return prod([base] * abs(int(e.exp)), start=fmpq(1))
        if isinstance(e, sp.Trace):
            value = self.matrix(e.arg)
            return _total([value[i][i] for i in range(len(value))])
        if isinstance(e, ValueAt):
            return self._derivatives(e)[0]
        if isinstance(e, MatrixMean):
            return self._mean(e)
        if isinstance(e, Along):
            return self._along(e)
        raise Inconclusive(f"no value in coordinates for {e}")

    def _derivatives(self, e: Any) -> list[Any]:
        """Return the value of an unknown function at a vector, its gradient, or its Hessian."""
        f, x = self.values[e.function], [row[0] for row in self.matrix(e.vector)]
        order = {ValueAt: 0, GradientAt: 1, HessianAt: 2}[type(e)]
        base = [u.a if isinstance(u, _Dual) else u for u in x]
        moved = [(i, u.b) for i, u in enumerate(x) if isinstance(u, _Dual)]
        found = []
        for places in product(range(f.size), repeat=order):
            value = f.at(base, places)
            slope = sum((f.at(base, (*places, i)) * b for i, b in moved), fmpq(0))
            found.append(_Dual(value, slope) if moved else value)
        return found

    def choose_functions(
        self, functions: Iterable[SmoothFunction], everywhere: Sequence[ForAllMatrices]
    ) -> bool:
        """Choose concrete functions; return whether there are some that satisfy hypotheses."""
        functions = list(functions)
        for p in everywhere:
            self._draw_free(p)
            if len(p.atoms(SmoothFunction)) != 1:
                raise Inconclusive(f"no values are known for which {p}")
        for f in functions:
            given, size = [p for p in everywhere if p.has(f)], self._size(f.size)
            if not given:
                self.values[f] = random_vector_function(size, self._rng)
                continue
            self.values[f] = BoundsForAllVectors(f, given).choose(
                size, self._rng, lambda p, put: self._with(put).holds(p)
            )
            if self.values[f] is None:
                return False
        return True

    def _with(self, values: Mapping[Any, Any]) -> MatrixPoint:
        point = MatrixPoint.__new__(MatrixPoint)
        vars(point).update(vars(self), values={**self.values, **values})
        return point

    def _mean(self, e: MatrixMean) -> Any:
        self._draw_free(e)
        shapes = [tuple(map(self._size, x.shape)) for x in e.bound_symbols]
        ring = fmpq_mpoly_ctx.get([("z", sum(r * c for r, c in shapes))], Ordering.lex)
        normals, values = iter(ring.gens()), {}
        for (x, a, b), (rows, columns) in zip(e.laws, shapes, strict=True):
            plain = [[next(normals) for _ in range(columns)] for _ in range(rows)]
            left, right = ([[ring.constant(c) for c in row] for row in self._root(m)]
                           for m in (a, b))  # fmt: skip
            values[x] = _product([left, plain, right])
        value = self._with(values).number(e.body)
        if isinstance(value, Wave):
            return value.mean()
        if not hasattr(value, "to_dict"):
            return value
        # The mean of z^n is (n - 1)!! for an even n.
        return sum(
            (c * prod(k for n in powers for k in range(int(n) - 1, 0, -2))
             for powers, c in value.to_dict().items() if all(int(n) % 2 == 0 for n in powers)),
            fmpq(0),
        )  # fmt: skip

    def _draw_free(self, e: Any) -> None:
        """Draw what is free in an expression, before letters in it get other values."""
        for x in sorted(e.free_symbols, key=sp.default_sort_key):
            self.matrix(x) if isinstance(x, Letter) else self.number(x)

    def _root(self, covariance: Any) -> Rows:
        value = self.matrix(covariance)
        return value if isinstance(covariance, sp.Identity) else self._roots[covariance]

    def _along(self, e: Along) -> Any:
        self._draw_free(e)
        moved: dict[Any, Any] = {}
        for x, h in e.moves:
            if isinstance(x, Letter):
                pairs = zip(self.matrix(x), self.matrix(h), strict=True)
                moved[x] = [[_Dual(a, b) for a, b in zip(*rows, strict=True)] for rows in pairs]
            else:
                moved[x] = _Dual(self.number(x), self.number(h))
        return fmpq(0) + _dual(self._with(moved).number(e.body)).b

    # -- statements -------------------------------------------------------------------------------

    def holds(self, p: Any) -> bool:
        """Return whether a statement is true here."""
        if isinstance(p, sp.And | sp.Or):
            return (all if isinstance(p, sp.And) else any)(self.holds(q) for q in p.args)
        if isinstance(p, sp.Not):
            return not self.holds(p.args[0])
        if isinstance(p, sp.Implies):
            return not self.holds(p.args[0]) or self.holds(p.args[1])
        if isinstance(p, Loewner):
            return _is_semidefinite(self.matrix(p.difference))
        if isinstance(p, Relational) and p.lhs.is_Matrix:
            rows = zip(self.matrix(p.lhs), self.matrix(p.rhs), strict=True)
            pairs = [pair for row in rows for pair in zip(*row, strict=True)]
            is_equal = not any(sign_of_difference(a, b) for a, b in pairs)
            return is_equal is isinstance(p, sp.Eq)
        if isinstance(p, Relational):
            a, b = self.number(p.lhs), self.number(p.rhs)
            sign = sign_of_difference(a, b)
            is_exact = isinstance(a, fmpq) and isinstance(b, fmpq)
            if not (sign or is_exact or isinstance(p, sp.Eq | sp.Le | sp.Ge)):
                raise Inconclusive(f"the sides of {p} are too close to each other")
            return bool({sp.Eq: sign == 0, sp.Ne: sign != 0, sp.Le: sign <= 0, sp.Lt: sign < 0,
                         sp.Ge: sign >= 0, sp.Gt: sign > 0}[type(p)])  # fmt: skip
        raise Inconclusive(f"no value in coordinates for {p}")

    def suppose(self, given: Iterable[Any]) -> bool:
        """Return whether hypotheses hold, at the values of letters that they define."""
        given = list(given)
        for p in given:
            if isinstance(p, sp.Eq) and isinstance(p.lhs, Letter) and p.lhs not in self.values:
                self.values[p.lhs] = self.matrix(p.rhs)
                if not self._is_of_its_kind(p.lhs):
                    return False
            elif (x := _orthogonal_letter(p)) is not None and x not in self.values:
                self.values[x] = _rows(self._rotation(f"letter {x.name}", self._size(x.shape[0])))
        return all(map(self.holds, given))

    def _is_of_its_kind(self, x: Letter) -> bool:
        """Return whether the value that a hypothesis gives a letter is of the letter's kind."""
        value = self.values[x]
        if x.kind in ("definite", "invertible") and fmpq_mat(value).det() == 0:
            return False
        if x.kind in ("semidefinite", "definite") and not _is_semidefinite(value):
            return False
        if x.kind == "symmetric" and value != [list(row) for row in zip(*value, strict=True)]:
            return False
        family = [m for y, m in self.values.items() if isinstance(y, Letter) and x.family
                  and (y.family, y.shape) == (x.family, x.shape)]  # fmt: skip
        return all(_product([m, value]) == _product([value, m]) for m in family)

    def named_values(self) -> dict[Any, Any]:
        """Return the values of sizes and numbers by name; matrices would be too long to read."""
        known = {x: v for x, v in self.values.items()
                 if isinstance(x, sp.Symbol | SmoothFunction)}  # fmt: skip
        return dict(sorted(known.items(), key=lambda item: str(item[0])))

    def sides(self, p: Any) -> tuple[str, str]:
        """Return the two sides of a relation of numbers as texts."""
        if isinstance(p, Relational) and not p.lhs.is_Matrix:
            sides = (self.number(side) for side in p.args)
            left, right = map(_text, sides)
            return left, right
        return "one side", "another"


def _text(x: Any) -> str:
    if isinstance(x, fmpq):
        return str(sp.Rational(int(x.p), int(x.q)).n(12))
    return str(as_ball(x).str(12, radius=False))


def _orthogonal_letter(p: Any) -> Letter | None:
    """Return the square letter of which a hypothesis says that it is orthogonal, or None."""
    if not (isinstance(p, sp.Eq) and isinstance(p.lhs, sp.MatMul) and len(p.lhs.args) == 2):
        return None
    first, second = p.lhs.args
    x = second if isinstance(second, Letter) else first
    is_square = isinstance(x, Letter) and x.kind == "any" and x.shape[0] == x.shape[1]
    return x if is_square and first == second.T and isinstance(p.rhs, sp.Identity) else None


def _rows(m: Any) -> Rows:
    return [[m[i, j] for j in range(m.ncols())] for i in range(m.nrows())]


def _diagonal(values: Sequence[Any]) -> Any:
    m = fmpq_mat(len(values), len(values))
    for i, v in enumerate(values):
        m[i, i] = v
    return m


def _conjugated(turn: Any, values: Sequence[Any]) -> Rows:
    return _rows(turn * _diagonal(values) * turn.transpose())


def _total(parts: Sequence[Any]) -> Any:
    first, *rest = parts
    for part in rest:
        first = first + part
    return first


def _product(factors: Sequence[Rows]) -> Rows:
    first, *rest = factors
    for m in rest:
        columns = list(zip(*m, strict=True))
        first = [[_total([x * y for x, y in zip(row, c, strict=True)]) for c in columns]
                 for row in first]  # fmt: skip
    return first


def _is_semidefinite(m: Rows) -> bool:
    n = len(m)
    if any(not isinstance(c, fmpq) for row in m for c in row):
        balls = [[as_ball(c) for c in row] for row in m]
        is_symmetric = not any(sign_of_difference(m[i][j], m[j][i]) for i, j in _pairs(n))
        return is_symmetric and not any(minor < 0 for minor in _principal_minors(arb_mat, balls))
    if any(m[i][j] != m[j][i] for i, j in _pairs(n)):
        return False
    return all(minor >= 0 for minor in _principal_minors(fmpq_mat, m))


def _pairs(n: int) -> Iterable[tuple[int, int]]:
    return combinations(range(n), 2)


def _principal_minors(kind: Any, m: Rows) -> Iterable[Any]:
    for k in range(1, len(m) + 1):
        for places in combinations(range(len(m)), k):
            yield kind([[m[i][j] for j in places] for i in places]).det()


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
    for sizes in _sizes_to_try(names, largest, max(1, points)):
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


def _names(kind: type, *statements: Any) -> list[Any]:
    return sorted({x for s in statements for x in s.free_symbols | s.atoms(Size)
                   if isinstance(x, kind)}, key=str)  # fmt: skip


def _functions(*statements: Any) -> list[SmoothFunction]:
    return sorted({f for s in statements for f in s.atoms(SmoothFunction)}, key=str)


def _point(
    given: Sequence[Any], rng: Generator, sizes: Mapping[Size, int], letters: Sequence[Letter],
    functions: Sequence[SmoothFunction] = (),
) -> MatrixPoint:  # fmt: skip
    everywhere = [p for p in given if isinstance(p, ForAllMatrices)]
    given = [p for p in given if not isinstance(p, ForAllMatrices)]
    defined = {x for p in given if isinstance(p, sp.Eq) for x in (p.lhs, _orthogonal_letter(p))}
    for shrink in range(_TRIES):
        point = MatrixPoint(rng, sizes, shrink, spread=bool(functions))
        # Letters that hypotheses define have to commute with the others of their family.
        for x in letters:
            if x not in defined:
                point.matrix(x)
        if point.choose_functions(functions, everywhere) and point.suppose(given):
            return point
    what = "functions and matrices" if everywhere else "matrices"
    raise NoPointFound(f"no {what} were found for which the hypotheses hold")

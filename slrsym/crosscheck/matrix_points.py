"""Points in exact coordinates: sizes, numbers and matrices, and values of expressions there.

Every letter is a matrix with rational entries of its kind. The mean of a polynomial in Gaussian
matrices is that of a polynomial in standard normal variables, a product of double factorials; a
derivative along a direction is taken by dual numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations, product
from math import prod
from typing import Any

import sympy as sp
from flint import Ordering, fmpq, fmpq_mat, fmpq_mpoly_ctx
from numpy.random import Generator
from sympy.core.relational import Relational

from slrsym.crosscheck.ball_quadrature import Inconclusive
from slrsym.crosscheck.exact_matrices import (
    Dual,
    Rows,
    as_dual,
    conjugated,
    diagonal,
    is_semidefinite,
    multiply,
    rows_of,
    total,
)
from slrsym.crosscheck.vector_functions import (
    BoundsForAllVectors,
    random_vector_function,
)
from slrsym.crosscheck.waves import Wave, as_ball, sign_of_difference
from slrsym.matrices.functions import (
    ForAllMatrices,
    GradientAt,
    HessianAt,
    SmoothFunction,
    ValueAt,
)
from slrsym.matrices.letters import Letter, Size
from slrsym.matrices.means import Along, Loewner, MatrixMean


class MatrixPoint:
    """Exact values of sizes, numbers and letters, and of expressions in them."""

    def __init__(
        self, rng: Generator, sizes: Mapping[Size, int], shrink: int = 0, spread: bool = False
    ) -> None:
        self._rng, self._shrink = rng, shrink
        # Whether letters are of several magnitudes.
        self._spread = spread
        self.values: dict[Any, Any] = {n: fmpq(k) for n, k in sizes.items()}
        # What hypotheses say that numbers are, until they are needed.
        self._definitions: dict[sp.Symbol, Any] = {}
        self._roots: dict[Letter, Rows] = {}
        self._rotations: dict[tuple[str, int], Any] = {}
        # Of each function, which derivatives hypotheses bound at all vectors: the least order.
        self._bounded_orders: dict[SmoothFunction, int] = {}

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
                    return rows_of(drawn)
        # Different eigenvalues, so that no polynomial of low degree in the letter vanishes.
        roots = [unit * fmpq(int(n), 2) for n in self._rng.permutation(3 * rows)[:rows] + 1]
        if x.kind == "semidefinite" and rows > 1:
            roots[0] = fmpq(0)
        signs = [1 if x.kind != "symmetric" else 2 * self._integer(0, 1) - 1 for _ in roots]
        turn = self._rotation(x.family or f"letter {x.name}", rows)
        self._roots[x] = conjugated(turn, roots)
        return conjugated(turn, [s * r * r for s, r in zip(signs, roots, strict=True)])

    def _rotation(self, name: str, n: int) -> Any:
        """Return a rational rotation without zero entries off the diagonal, by Cayley's formula."""
        if (name, n) not in self._rotations:
            one, skew = diagonal([fmpq(1)] * n), fmpq_mat(n, n)
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
            return rows_of(fmpq_mat(self.matrix(e.arg)).inv())
        if isinstance(e, sp.MatPow) and e.exp.is_Integer:
            base = self.matrix(e.base if e.exp > 0 else sp.Inverse(e.base))
            return multiply([base] * abs(int(e.exp)))
        if isinstance(e, sp.MatMul):
            factor, parts = e.as_coeff_matrices()
            c = self.number(factor)
            return [[c * x for x in row] for row in multiply([self.matrix(p) for p in parts])]
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
                told = self._definitions.pop(e, None)
                self.values[e] = self._draw_number(e) if told is None else self.number(told)
            return self.values[e]
        if isinstance(e, sp.Add):
            return total([self.number(part) for part in e.args])
        if isinstance(e, sp.Mul):
            return prod((self.number(part) for part in e.args), start=fmpq(1))
        if isinstance(e, sp.Pow) and e.exp.is_Integer:
            base = self.number(e.base)
            if e.exp < 0:
                base = base.inverse() if isinstance(base, Dual) else 1 / base
            return prod([base] * abs(int(e.exp)), start=fmpq(1))
        if isinstance(e, sp.Trace):
            value = self.matrix(e.arg)
            return total([value[i][i] for i in range(len(value))])
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
        base = [u.a if isinstance(u, Dual) else u for u in x]
        moved = [(i, u.b) for i, u in enumerate(x) if isinstance(u, Dual)]
        found = []
        for places in product(range(f.size), repeat=order):
            value = f.at(base, places)
            slope = sum((f.at(base, (*places, i)) * b for i, b in moved), fmpq(0))
            found.append(Dual(value, slope) if moved else value)
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
            bounds = BoundsForAllVectors(f, given)
            self._bounded_orders[f] = bounds.least_order
            self.values[f] = bounds.choose(
                size, self._rng, lambda p, put: self._with(put).holds(p), self.number
            )
            if self.values[f] is None:
                return False
        return True

    def _fit_functions(self, given: Iterable[Any]) -> None:
        """Change functions so that they have the gradients and values of hypotheses at vectors."""
        # A constant changes no gradient.
        for kind, order in ((GradientAt, 1), (ValueAt, 0)):
            for p in given:
                sides = p.args if isinstance(p, sp.Eq) else ()
                for node, value in zip(sides, sides[::-1], strict=True):
                    if isinstance(node, kind) and not value.has(SmoothFunction):
                        self._fit_function(node, value, order)
                        break

    def _fit_function(self, node: Any, value: Any, order: int) -> None:
        """Add a linear or a constant term to a function, for its gradient or value at a vector."""
        function = node.function
        if self._bounded_orders.get(function, 2) <= order:
            return
        wanted = [row[0] for row in self.matrix(value)] if order else [self.number(value)]
        # Without cosines, all is rational. What bounds Hessians bounds them without cosines, too.
        plain = self.values[function].without_waves()
        self.values[function] = plain
        found = self._derivatives(node)
        if all(isinstance(c, fmpq) for c in (*wanted, *found)):
            missing = [a - b for a, b in zip(wanted, found, strict=True)]
            self.values[function] = plain.plus_polynomial(missing, order)

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
            values[x] = multiply([left, plain, right])
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
                moved[x] = [[Dual(a, b) for a, b in zip(*rows, strict=True)] for rows in pairs]
            else:
                moved[x] = Dual(self.number(x), self.number(h))
        return fmpq(0) + as_dual(self._with(moved).number(e.body)).b

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
            return is_semidefinite(self.matrix(p.difference))
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

    def define_numbers(self, given: Iterable[Any]) -> None:
        """Take the values of numbers from hypotheses that give them, when they are needed."""
        for p in given:
            sides = p.args if isinstance(p, sp.Eq) and not p.lhs.is_Matrix else ()
            for x, value in zip(sides, sides[::-1], strict=True):
                if (
                    isinstance(x, sp.Symbol)
                    and x not in self._definitions
                    and not value.has(x, SmoothFunction, MatrixMean)
                ):
                    self._definitions[x] = value
                    break

    def suppose(self, given: Iterable[Any]) -> bool:
        """Return whether hypotheses hold, at the values of letters that they define."""
        given = list(given)
        for p in given:
            if isinstance(p, sp.Eq) and isinstance(p.lhs, Letter) and p.lhs not in self.values:
                self.values[p.lhs] = self.matrix(p.rhs)
                if not self._is_of_its_kind(p.lhs):
                    return False
            elif (x := orthogonal_letter(p)) is not None and x not in self.values:
                self.values[x] = rows_of(self._rotation(f"letter {x.name}", self._size(x.shape[0])))
        self._fit_functions(given)
        numbers = {x for p in given for x in p.free_symbols if isinstance(x, sp.Symbol)}
        # In one order in every process, as numbers are drawn meanwhile.
        signs = map(self._has_declared_sign, sorted(numbers, key=str))
        return all(signs) and all(map(self.holds, given))

    def _has_declared_sign(self, x: sp.Symbol) -> bool:
        value = self.number(x)
        return not (
            (x.is_positive and value <= 0) or (x.is_nonnegative and value < 0)
            or (x.is_negative and value >= 0) or (x.is_nonpositive and value > 0)
            or (x.is_nonzero and value == 0) or (x.is_integer and value.q != 1)
        )  # fmt: skip

    def _is_of_its_kind(self, x: Letter) -> bool:
        """Return whether the value that a hypothesis gives a letter is of the letter's kind."""
        value = self.values[x]
        if x.kind in ("definite", "invertible") and fmpq_mat(value).det() == 0:
            return False
        if x.kind in ("semidefinite", "definite") and not is_semidefinite(value):
            return False
        if x.kind == "symmetric" and value != [list(row) for row in zip(*value, strict=True)]:
            return False
        family = [m for y, m in self.values.items() if isinstance(y, Letter) and x.family
                  and (y.family, y.shape) == (x.family, x.shape)]  # fmt: skip
        return all(multiply([m, value]) == multiply([value, m]) for m in family)

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


def orthogonal_letter(p: Any) -> Letter | None:
    """Return the square letter of which a hypothesis says that it is orthogonal, or None."""
    if not (isinstance(p, sp.Eq) and isinstance(p.lhs, sp.MatMul) and len(p.lhs.args) == 2):
        return None
    first, second = p.lhs.args
    x = second if isinstance(second, Letter) else first
    is_square = isinstance(x, Letter) and x.kind == "any" and x.shape[0] == x.shape[1]
    return x if is_square and first == second.T and isinstance(p.rhs, sp.Identity) else None

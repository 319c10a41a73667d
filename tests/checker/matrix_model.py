"""Exact values of terms and formulas with matrices, in coordinates with rational entries.

This shares no code with normal forms: matrices are lists of rows, a mean is taken of a polynomial
in standard normal variables, and derivatives are taken by dual numbers. Semidefinite letters are C
D^2 C' with a rational rotation C and a diagonal D, so that their roots are rational; the letters of
a family have one rotation. Unknown functions are cubic polynomials.
"""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import combinations
from math import prod

from flint import Ordering, fmpq, fmpq_mat, fmpq_mpoly_ctx

from slrsym.checker.term import free_symbols

SYMMETRIC = ("S", "S>=0", "S>0")


def rows_of(m):
    return [[m[i, j] for j in range(m.ncols())] for i in range(m.nrows())]


def product(a, b):
    return [[sum((x * y for x, y in zip(row, column, strict=True)), 0 * row[0])
             for column in zip(*b, strict=True)] for row in a]  # fmt: skip


def total(parts):
    first, *rest = parts
    for part in rest:
        first = first + part
    return first


class Undefined(Exception):  # noqa: N818
    """Raised for a term without a value."""


class Dual:
    """A number a + b e with e^2 = 0, by which derivatives are computed."""

    def __init__(self, a, b=0):
        self.a, self.b = a, b

    @staticmethod
    def of(x):
        return x if isinstance(x, Dual) else Dual(x)

    def __add__(self, other):
        other = Dual.of(other)
        return Dual(self.a + other.a, self.b + other.b)

    def __mul__(self, other):
        other = Dual.of(other)
        return Dual(self.a * other.a, self.a * other.b + self.b * other.a)

    __radd__, __rmul__ = __add__, __mul__

    def __pow__(self, n):
        return prod([self] * n, start=Dual(fmpq(1)))

    def __rtruediv__(self, one):
        if self.a == 0:
            raise Undefined
        return Dual(one / self.a, -one * self.b / self.a**2)

    def __eq__(self, other):
        raise TypeError("duals are not compared")

    __hash__ = None


class Point:
    """Values of sizes, numbers and letters, drawn when they are asked for."""

    def __init__(self, seed, sizes, numbers=(), letters=()):
        self.rng = random.Random(seed)
        self.sizes = dict(sizes)
        self.numbers, self.letters, self.roots = dict(numbers), dict(letters), {}
        self._rotations, self._functions = {}, {}

    def size(self, name):
        return int(name) if name.isdigit() else self.sizes[name]

    def rational(self, least=-4):
        return fmpq(self.rng.randint(least, 4), self.rng.randint(1, 3))

    def rotation(self, name, n):
        """Return a rational rotation without zero entries, by Cayley's formula."""
        if (name, n) not in self._rotations:
            one = fmpq_mat(n, n, [fmpq(int(i == j)) for i in range(n) for j in range(n)])
            k = fmpq_mat(n, n)
            for i, j in combinations(range(n), 2):
                k[i, j] = fmpq(self.rng.choice([-3, -2, -1, 1, 2, 3]), self.rng.randint(2, 5))
                k[j, i] = -k[i, j]
            self._rotations[name, n] = (one - k) * (one + k).inv()
        return self._rotations[name, n]

    def letter(self, letter):
        if letter not in self.letters:
            _, name, sort, rows, columns, family = letter
            n, m = self.size(rows), self.size(columns)
            if sort in SYMMETRIC:
                self._draw_symmetric(letter, n, sort, family or f"letter {name}")
            else:
                while True:
                    value = fmpq_mat(n, m, [self.rational() for _ in range(n * m)])
                    if sort != "GL" or value.det() != 0:
                        break
                self.letters[letter] = rows_of(value)
        return self.letters[letter]

    def _draw_symmetric(self, letter, n, sort, name):
        turn = self.rotation(name, n)
        # Different eigenvalues, so that no polynomial of low degree in the letter vanishes.
        roots = self.rng.sample(range(1, 3 * n + 2), n)
        if sort == "S>=0" and n > 1:
            roots[0] = 0
        roots = [fmpq(r, self.rng.randint(1, 2)) for r in roots]
        signs = [self.rng.choice([-1, 1]) if sort == "S" else 1 for _ in roots]

        def diagonal(values):
            d = fmpq_mat(n, n)
            for i, v in enumerate(values):
                d[i, i] = v
            return rows_of(turn * d * turn.transpose())

        self.roots[letter] = diagonal(roots)
        self.letters[letter] = diagonal(s * r * r for s, r in zip(signs, roots, strict=True))

    def function(self, name, n):
        """Return f = q'x + x'Q x/2 + sum of c_i x_i^3/6 as Q, symmetric, q and c."""
        if (name, n) not in self._functions:
            draw = [[self.rational() for _ in range(n)] for _ in range(n)]
            quadratic = [[draw[max(i, j)][min(i, j)] for j in range(n)] for i in range(n)]
            q, c = ([self.rational() for _ in range(n)] for _ in range(2))
            self._functions[name, n] = quadratic, q, c
        return self._functions[name, n]

    def _function_at(self, t, at):
        """Return the value, the gradient and the Hessian of an unknown function at a vector."""
        x = [row[0] for row in self.matrix(t[2], at)]
        quadratic, q, c = self.function(t[1], len(x))
        hessian = [[entry + (c[i] * x[i] if i == j else fmpq(0) * x[i])
                    for j, entry in enumerate(row)] for i, row in enumerate(quadratic)]  # fmt: skip
        of_square = [total(e * u for e, u in zip(row, x, strict=True)) for row in quadratic]
        gradient = [[q[i] + w + fmpq(1, 2) * c[i] * x[i] * x[i]] for i, w in enumerate(of_square)]
        value = total(
            x[i] * q[i] + fmpq(1, 2) * x[i] * w + fmpq(1, 6) * c[i] * x[i] * x[i] * x[i]
            for i, w in enumerate(of_square)
        )
        return {"M.h": value, "M.grad": gradient, "M.hess": hessian}[t[0]]

    # -- terms ------------------------------------------------------------------------------------

    def matrix(self, t, at=()):
        """Return the value of a matrix; `at` has values of bound letters and variables."""
        head, at = t[0], dict(at)
        if head == "M":
            return at[t] if t in at else self.letter(t)
        if head == "M.id":
            n = self.size(t[1])
            return [[fmpq(int(i == j)) for j in range(n)] for i in range(n)]
        if head == "M.inv":
            return rows_of(fmpq_mat(self.letter(t[1])).inv())
        if head == "M.T":
            return [list(row) for row in zip(*self.matrix(t[1], at), strict=True)]
        if head in ("M.grad", "M.hess"):
            return self._function_at(t, at)
        if head == "M.scale":
            c = self.number(t[1], at)
            return [[c * x for x in row] for row in self.matrix(t[2], at)]
        first, *rest = (self.matrix(part, at) for part in t[1:])
        for part in rest:
            first = product(first, part) if head == "M.mul" else [
                [x + y for x, y in zip(a, b, strict=True)]
                for a, b in zip(first, part, strict=True)
            ]  # fmt: skip
        return first

    def number(self, t, at=()):
        """Return the value of a term."""
        head, at = t[0], dict(at)
        if head == "n":
            return fmpq(t[1], t[2])
        if head == "M.dim":
            return fmpq(self.size(t[1]))
        if head == "s":
            return at[t] if t in at else self._symbol(t)
        if head == "+":
            return total(self.number(p, at) for p in t[1:])
        if head == "*":
            return prod((self.number(p, at) for p in t[1:]), start=fmpq(1))
        if head == "^" and t[2] == 1:
            base = self.number(t[3], at)
            if t[1] > 0:
                return base ** t[1]
            if not isinstance(base, Dual) and base == 0:
                raise Undefined
            return (1 / base) ** -t[1]
        if head == "M.tr":
            value = self.matrix(t[1], at)
            return total(value[i][i] for i in range(len(value)))
        if head == "M.h":
            return self._function_at(t, at)
        if head == "d" and t[1] == (1,):
            return self._derivative(t, at)
        if head == "M.E":
            return self._mean(t, at)
        raise ValueError(head)

    def _symbol(self, t):
        if t not in self.numbers:
            value = fmpq(self.rng.randint(1, 5), self.rng.randint(1, 3))
            signs = {"R": [-1, -1, 0, 1, 1], "R>=0": [0, 1, 1], "R!=0": [-1, 1]}.get(t[2], [1])
            sign = self.rng.choice(signs)
            self.numbers[t] = sign * value * (-1 if "<" in t[2] else 1)
        return self.numbers[t]

    def _derivative(self, t, at):
        _, _, (x,), (body,), (point,) = t
        value = Dual.of(self.number(body, {**at, x: Dual(self.number(point, at), fmpq(1))}))
        return fmpq(0) + value.b

    def _mean(self, t, at):
        _, names, (body,), laws = t
        count = sum(self.size(x[3]) * self.size(x[4]) for x in names)
        normals = iter((ring := fmpq_mpoly_ctx.get([("z", count)], Ordering.lex)).gens())
        inside = dict(at)
        for x, (_, a, b) in zip(names, laws, strict=True):
            value = [[next(normals) for _ in range(self.size(x[4]))]
                     for _ in range(self.size(x[3]))]  # fmt: skip
            value = product(self._constants(ring, self.root(a)), value)
            inside[x] = product(value, self._constants(ring, self.root(b)))
        value = self.number(body, inside)
        if not hasattr(value, "to_dict"):
            return value
        # The mean of z^n is (n - 1)!! for an even n.
        return sum(
            (c * prod(k for n in powers for k in range(int(n) - 1, 0, -2))
             for powers, c in value.to_dict().items() if all(n % 2 == 0 for n in powers)),
            fmpq(0),
        )  # fmt: skip

    def _constants(self, ring, m):
        return [[ring.constant(x) for x in row] for row in m]

    def root(self, covariance):
        if covariance[0] == "M.id":
            return self.matrix(covariance)
        self.letter(covariance)
        return self.roots[covariance]

    # -- formulas ---------------------------------------------------------------------------------

    def holds(self, p):
        """Return whether a formula is true; with an undefined side, a relation is not."""
        try:
            return self._holds(p)
        except (Undefined, ZeroDivisionError):
            return False

    def _holds(self, p):
        head = p[0]
        if head in ("and", "or"):
            return (all if head == "and" else any)(self.holds(q) for q in p[1:])
        if head == "not":
            return not self.holds(p[1])
        if head == "implies":
            return not self.holds(p[1]) or self.holds(p[2])
        if head == "M.eq":
            return self.matrix(p[1]) == self.matrix(p[2])
        if head == "M.invertible":
            return fmpq_mat(self.matrix(p[1])).det() != 0
        if head == "M.psd":
            return is_semidefinite(self.matrix(p[1]))
        if p[:2] == ("o", "integer"):
            return self.number(p[2]).q == 1
        a, b = self.number(p[1]), self.number(p[2])
        return {"=": a == b, "<": a < b, "<=": a <= b, "!=": a != b}[head]


def is_semidefinite(m):
    """Return whether a matrix is symmetric and all its principal minors are at least 0."""
    n = len(m)
    if any(m[i][j] != m[j][i] for i, j in combinations(range(n), 2)):
        return False
    return all(
        fmpq_mat([[m[i][j] for j in places] for i in places]).det() >= 0
        for k in range(1, n + 1)
        for places in combinations(range(n), k)
    )


def false_at(theorem, seed, sizes, **values):
    """Return whether hypotheses hold and the conclusion does not, at a random point."""
    point = Point(seed, sizes, **values)
    return all(map(point.holds, theorem.hypotheses.values())) and not point.holds(
        theorem.conclusion
    )


def least_eigenvalue_below(m, steps=20):
    """Return a rational number a little below the least eigenvalue of a definite matrix."""
    low, high, n = Fraction(0), Fraction(int(max(m[i][i] for i in range(len(m)))) + 1), len(m)
    for _ in range(steps):
        middle = (low + high) / 2
        c = fmpq(middle.numerator, middle.denominator)
        less = [[m[i][j] - (c if i == j else 0) for j in range(n)] for i in range(n)]
        low, high = (middle, high) if is_semidefinite(less) else (low, middle)
    return fmpq(low.numerator, low.denominator)


def sizes_in(*formulas):
    """Return the names of the sizes that occur in formulas."""
    return sorted({s[1] for p in formulas for s in free_symbols(p) if s[0] == "M.dim"})

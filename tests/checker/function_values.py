"""Exact values of terms about unknown functions of vectors, in coordinates.

Nodes are nested lists or tuples, as in a log without rows.  An unknown function stands for a random
polynomial of a degree up to 4, its gradient and its Hessian for those of the polynomial.  What is
bound, by a mean, a derivative or a formula about all matrices, stands for the variables of a ring
of polynomials.  So derivatives are those of polynomials, and means follow from the moments of
independent standard Gaussian numbers, by Isserlis' theorem.  Nothing here knows of words, of normal
forms or of rules.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction
from itertools import islice, product
from math import prod
from typing import Any

from flint import Ordering, fmpq, fmpq_mpoly_ctx

from tests.checker.matrix_values import Undefined, Unknown, decomposed, double_factorial

COUNT = 40
RING = fmpq_mpoly_ctx.get([("z", COUNT)], Ordering.lex)
GENERATORS = RING.gens()
Matrix = list[list[Any]]
# A function: a coefficient for each tuple of exponents.
Function = dict[tuple[int, ...], Any]
DEGREE = 4
SYMMETRIC = ("S", "S>=0", "S>0")
# The largest degree of a value.
MOST = 16
# At how many values of bound letters an inequality is tried.
SAMPLES = 6
# The most combinations of values that are given.
PROBES = 64


def constant(x: Any) -> Any:
    return RING.constant(x)


ZERO, ONE = constant(fmpq(0)), constant(fmpq(1))


def unit(n: int) -> Matrix:
    return [[ONE if i == j else ZERO for j in range(n)] for i in range(n)]


def flipped(a: Matrix) -> Matrix:
    return [list(column) for column in zip(*a, strict=True)]


def times(a: Matrix, b: Matrix) -> Matrix:
    columns = flipped(b)
    return [[sum((x * y for x, y in zip(row, column, strict=True)), ZERO) for column in columns]
            for row in a]  # fmt: skip


def number_of(x: Any) -> Any:
    """Return the number that a constant polynomial is; `Unknown` if it is no constant."""
    if not x.is_constant():
        raise Unknown("no constant")
    return x.to_dict().get((0,) * COUNT, fmpq(0))


def slope(f: Function, i: int) -> Function:
    """Return the derivative of a function in its coordinate number i."""
    out: Function = {}
    for powers, c in f.items():
        if powers[i]:
            out[(*powers[:i], powers[i] - 1, *powers[i + 1 :])] = c * powers[i]
    return out


def at_point(f: Function, x: Sequence[Any]) -> Any:
    """Return the value of a function; `Unknown` if it is a polynomial that takes long."""
    if DEGREE * max(int(v.total_degree()) for v in x) > MOST:
        raise Unknown("a large degree")
    terms = (prod((v**n for v, n in zip(x, powers, strict=True) if n), start=constant(c))
             for powers, c in f.items())  # fmt: skip
    return sum(terms, ZERO)


class World:
    """Values of sizes, numbers, letters and functions, drawn when they are asked for."""

    def __init__(self, seed: Any, sizes: Mapping[str, int]) -> None:
        self.rng, self.sizes = random.Random(seed), dict(sizes)
        self.letters: dict[tuple[Any, ...], Matrix] = {}
        self.roots: dict[tuple[Any, ...], Matrix] = {}
        self.symbols: dict[tuple[Any, ...], Any] = {}
        self.functions: dict[tuple[str, str], Function] = {}
        # Values at which formulas about all matrices are tried, besides random ones.
        self.probes: list[Matrix] = []
        # Random ones for letters of some shapes, the same for each formula.
        self.drawn: dict[tuple[tuple[int, int], ...], list[list[Matrix]]] = {}
        self._slopes: dict[tuple[tuple[str, str], tuple[int, ...]], Function] = {}
        self._used = 0

    # -- what is free -----------------------------------------------------------------------------

    def size(self, name: str) -> int:
        if not name.isdigit() and name not in self.sizes:
            self.sizes[name] = self.rng.randint(1, 2)
        return int(name) if name.isdigit() else self.sizes[name]

    def rational(self) -> Any:
        return fmpq(self.rng.randint(-3, 3), self.rng.choice((1, 1, 2)))

    def any_matrix(self, n: int, m: int) -> Matrix:
        return [[constant(self.rational()) for _ in range(m)] for _ in range(n)]

    def letter(self, t: Any) -> Matrix:
        key = tuple(t[1:])
        if key not in self.letters:
            _, sort, rows, columns, family = key
            n, m = self.size(rows), self.size(columns)
            if family or sort == "GL":
                raise Unknown("a family")
            a = self.any_matrix(n, m)
            if sort == "S":
                a = [[x + y for x, y in zip(*rs, strict=True)]
                     for rs in zip(a, flipped(a), strict=True)]  # fmt: skip
            elif sort in SYMMETRIC:
                if sort == "S>0":
                    a = [[*row[:i], ONE, *[ZERO] * (n - 1 - i)] for i, row in enumerate(a)]
                self.roots[key] = a
                a = times(a, flipped(a))
            self.letters[key] = a
        return self.letters[key]

    def root(self, t: Any) -> Matrix:
        if t[0] == "M.id":
            return unit(self.size(t[1]))
        self.letter(t)
        return self.roots[tuple(t[1:])]

    def symbol(self, t: Any) -> Any:
        key = tuple(t)
        if key not in self.symbols:
            rest, x = t[2][1:], fmpq(self.rng.randint(-4, 4))
            if t[2][0] == "R":
                x = x / self.rng.choice((1, 1, 2, 3))
            if rest in (">0", "<0", "!=0") and x == 0:
                x = fmpq(1)
            sign = {">": 1, "<": -1}.get(rest[:1])
            self.symbols[key] = constant(sign * abs(x) if sign else x)
        return self.symbols[key]

    def function(self, name: str, n: str) -> Function:
        """Return a polynomial; one name with two sizes has two of them."""
        if (name, n) not in self.functions:
            rng, count, found = self.rng, self.size(n), {}
            for degree in range(DEGREE + 1):
                for _ in range(2 if degree in (1, 2) else 1):
                    powers = [0] * count
                    for _ in range(degree):
                        powers[rng.randrange(count)] += 1
                    found[tuple(powers)] = fmpq(rng.choice((-2, -1, 1, 2, 3)), rng.choice((1, 2)))
            self.functions[name, n] = found
        return self.functions[name, n]

    # -- what is bound ----------------------------------------------------------------------------

    @contextmanager
    def variables(self, count: int) -> Iterator[range]:
        """Give numbers of variables of the ring that nothing else stands for meanwhile."""
        start = self._used
        if start + count > COUNT:
            raise Unknown("many variables")
        self._used += count
        try:
            yield range(start, start + count)
        finally:
            self._used = start

    def entries(self, x: Any, numbers: Iterator[int]) -> Matrix:
        """Return a matrix of the shape of a letter, of variables of the ring."""
        n, m = self.size(x[3]), self.size(x[4])
        return [[GENERATORS[next(numbers)] for _ in range(m)] for _ in range(n)]

    def room(self, letters: Sequence[Any]) -> int:
        return sum(self.size(x[3]) * self.size(x[4]) for x in letters)

    # -- terms ------------------------------------------------------------------------------------

    def number(self, t: Any, at: Mapping[Any, Any] = {}) -> Any:
        """Return the value of a term; `Undefined` or `Unknown` if there is none."""
        h = t[0]
        if h == "n":
            return constant(fmpq(t[1], t[2]))
        if h == "s":
            return at[tuple(t)] if tuple(t) in at else self.symbol(t)
        if h == "M.dim":
            return constant(fmpq(self.size(t[1])))
        if h == "+":
            return sum((self.number(p, at) for p in t[1:]), ZERO)
        if h == "*":
            return prod((self.number(p, at) for p in t[1:]), start=ONE)
        if h == "^" and t[2] == 1:
            base = self.number(t[3], at)
            return base ** t[1] if t[1] > 0 else constant(inverse(number_of(base)) ** -t[1])
        if h == "M.tr":
            a = self.matrix(t[1], at)
            return sum((a[i][i] for i in range(len(a))), ZERO)
        if h == "M.h":
            f, x = self.function_at(t, at)
            return at_point(self.function(*f), x)
        if h == "d":
            return self.derivative(t, at)
        if h == "M.E":
            return self.mean(t, at)
        raise Unknown(h)

    def function_at(self, t: Any, at: Mapping[Any, Any]) -> tuple[tuple[str, str], list[Any]]:
        """Return the function of a node, by name and size, and the coordinates of its vector."""
        return (t[1], rows_of(t[2])), [row[0] for row in self.matrix(t[2], at)]

    def slope(self, f: tuple[str, str], *places: int) -> Function:
        """Return a partial derivative of a function."""
        if (f, places) not in self._slopes:
            found = self.function(*f)
            for i in places:
                found = slope(found, i)
            self._slopes[f, places] = found
        return self._slopes[f, places]

    def matrix(self, a: Any, at: Mapping[Any, Any] = {}) -> Matrix:
        """Return the value of a matrix; `Undefined` or `Unknown` if there is none."""
        h = a[0]
        if h == "M":
            return at[tuple(a[1:])] if tuple(a[1:]) in at else self.letter(a)
        if h == "M.id":
            return unit(self.size(a[1]))
        if h == "M.scale":
            c = self.number(a[1], at)
            return [[c * x for x in row] for row in self.matrix(a[2], at)]
        if h in ("M.grad", "M.hess"):
            f, x = self.function_at(a, at)
            count = range(len(x))
            if h == "M.grad":
                return [[at_point(self.slope(f, i), x)] for i in count]
            return [[at_point(self.slope(f, i, j), x) for j in count] for i in count]
        if h not in ("M.T", "M.mul", "M.add"):
            raise Unknown(h)
        out, *rest = (self.matrix(part, at) for part in a[1:])
        if h == "M.T":
            return flipped(out)
        for part in rest:
            if h == "M.mul":
                out = times(out, part)
            else:
                out = [[x + y for x, y in zip(*rows, strict=True)]
                       for rows in zip(out, part, strict=True)]  # fmt: skip
        return out

    def derivative(self, t: Any, at: Mapping[Any, Any]) -> Any:
        _, orders, names, (body,), points = t
        with self.variables(len(names)) as numbers:
            new = {tuple(x): GENERATORS[i] for x, i in zip(names, numbers, strict=True)}
            inside = {**at, **new}
            value = self.number(body, inside)
            for i, order in zip(numbers, orders, strict=True):
                for _ in range(order):
                    value = value.derivative(i)
            for i, p in zip(numbers, points, strict=True):
                value = put(value, i, self.number(p, at))
        return value

    def mean(self, t: Any, at: Mapping[Any, Any]) -> Any:
        _, names, (body,), laws = t
        with self.variables(self.room(names)) as numbers:
            inside, left = dict(at), iter(numbers)
            for x, (_, a, b) in zip(names, laws, strict=True):
                z = self.entries(x, left)
                inside[tuple(x[1:])] = times(times(self.root(a), z), flipped(self.root(b)))
            return averaged(self.number(body, inside), numbers)

    # -- formulas ---------------------------------------------------------------------------------

    def holds(self, p: Any, at: Mapping[Any, Any] = {}) -> bool:
        """Decide whether a formula is true; a relation with an undefined side is not."""
        h = p[0]
        if h in ("and", "or"):
            return (all if h == "and" else any)(self.holds(q, at) for q in p[1:])
        if h == "not":
            return not self.holds(p[1], at)
        if h in ("implies", "iff"):
            a, b = (self.holds(q, at) for q in p[1:])
            return (not a or b) if h == "implies" else a == b
        if h == "M.forall":
            return self.always(p[1], p[2][0], at)
        try:
            return self.atom(p, at)
        except Undefined:
            return False

    def atom(self, p: Any, at: Mapping[Any, Any]) -> bool:
        h = p[0]
        if h == "M.eq":
            return bool(self.matrix(p[1], at) == self.matrix(p[2], at))
        if h == "M.psd":
            a = self.matrix(p[1], at)
            return decomposed([[fraction(number_of(x)) for x in row] for row in a]) is not None
        if tuple(p[:2]) == ("o", "integer"):
            return bool(number_of(self.number(p[2], at)).q == 1)
        if h not in ("=", "!=", "<", "<="):
            raise Unknown(h)
        difference = self.number(p[1], at) - self.number(p[2], at)
        if h == "=":
            return bool(difference == 0)
        x = number_of(difference)
        return bool({"!=": x != 0, "<": x < 0, "<=": x <= 0}[h])

    def always(self, letters: Sequence[Any], p: Any, at: Mapping[Any, Any] = {}) -> bool:
        """Decide whether a formula is true for all values of letters.

        Of equations this is certain; of other formulas only that it is wrong.
        """
        if not letters:
            return self.holds(p, at)
        if p[0] == "and":
            return all(self.always(letters, q, at) for q in p[1:])
        core = p
        while core[0] == "M.forall":
            core = core[2][0]
        if core[0] in ("=", "M.eq"):
            # What is nested is for all values of its letters, too.
            with self.variables(self.room(letters)) as numbers:
                left = iter(numbers)
                return self.holds(p, {**at, **{bare(x): self.entries(x, left) for x in letters}})
        return all(self.holds(p, {**at, **values}) for values in self.samples(letters))

    def surely(self, letters: Sequence[Any], p: Any) -> bool:
        """Decide whether an equation or inequality is certain for all values of letters.

        Of an inequality, the difference has to be a square, or 1 more than one if it is strict.
        """
        with self.variables(self.room(letters)) as numbers:
            left = iter(numbers)
            at = {bare(x): self.entries(x, left) for x in letters}
            try:
                difference = self.number(p[2], at) - self.number(p[1], at)
            except Undefined:
                return False
            if p[0] == "=":
                return bool(difference == 0)
            return p[0] in ("<", "<=") and is_square(difference - (p[0] == "<"))

    def samples(self, letters: Sequence[Any]) -> Iterator[dict[Any, Matrix]]:
        """Yield values of letters: those of probes that fit, and random ones."""
        shapes = [(self.size(x[3]), self.size(x[4])) for x in letters]
        near = [[v for v in self.probes if (len(v), len(v[0])) == shape] for shape in shapes]
        if any(near):
            near = [found or [[[ZERO] * m for _ in range(n)]]
                    for found, (n, m) in zip(near, shapes, strict=True)]  # fmt: skip
            for values in islice(product(*near), PROBES):
                yield {bare(x): v for x, v in zip(letters, values, strict=True)}
        if (*shapes,) not in self.drawn:
            self.drawn[(*shapes,)] = [[self.any_matrix(*s) for s in shapes] for _ in range(SAMPLES)]
        for drawn in self.drawn[(*shapes,)]:
            yield {bare(x): v for x, v in zip(letters, drawn, strict=True)}


def bare(x: Any) -> tuple[Any, ...]:
    """Return the parameters of a letter, by which its value is found."""
    return tuple(x[1:])


def inverse(x: Any) -> Any:
    if x == 0:
        raise Undefined
    return 1 / x


def fraction(x: Any) -> Fraction:
    return Fraction(int(x.p), int(x.q))


def is_square(x: Any) -> bool:
    """Decide whether a polynomial is a square, times a number that is not negative."""
    if x.is_constant():
        return bool(number_of(x) >= 0)
    number, factors = x.factor()
    return bool(number > 0 and all(n % 2 == 0 for _, n in factors))


def put(value: Any, i: int, v: Any) -> Any:
    """Return a polynomial with another one in the place of a variable."""
    found: dict[int, dict[tuple[int, ...], Any]] = {}
    for powers, c in value.to_dict().items():
        found.setdefault(int(powers[i]), {})[(*powers[:i], 0, *powers[i + 1 :])] = c
    return sum((RING.from_dict(terms) * v**n for n, terms in found.items()), ZERO)


def averaged(value: Any, numbers: range) -> Any:
    """Return the mean of a polynomial over variables that are standard Gaussian numbers."""
    found: dict[tuple[int, ...], Any] = {}
    for powers, c in value.to_dict().items():
        mine = [int(powers[i]) for i in numbers]
        if any(n % 2 for n in mine):
            continue
        for n in mine:
            c = c * double_factorial(n - 1)
        left = (*powers[: numbers.start], *[0] * len(numbers), *powers[numbers.stop :])
        found[left] = found.get(left, fmpq(0)) + c
    return RING.from_dict(found)


def rows_of(a: Any) -> str:
    """Return the name of the rows of a matrix."""
    h = a[0]
    if h == "M":
        return str(a[3])
    if h == "M.id":
        return str(a[1])
    if h == "M.T":
        return columns_of(a[1])
    return rows_of(a[2] if h in ("M.scale", "M.grad", "M.hess") else a[1])


def columns_of(a: Any) -> str:
    """Return the name of the columns of a matrix."""
    h = a[0]
    if h == "M":
        return str(a[4])
    if h == "M.T":
        return rows_of(a[1])
    if h == "M.grad":
        return "1"
    return str(a[1]) if h == "M.id" else rows_of(a) if h == "M.hess" else columns_of(a[-1])

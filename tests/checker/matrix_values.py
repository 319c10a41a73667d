"""Values of terms about matrices in coordinates: exact fractions, for chosen sizes and letters.

Nodes are nested lists or tuples, as in a log without rows.  Nothing here knows of words, of
traces as generators, or of pairings: a trace is a sum over a diagonal, and a mean over Gaussian
matrices is that of a polynomial in independent Gaussian numbers, by their moments.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

Q = Fraction
Matrix = list[list[Any]]
# A letter is identified by its parameters: name, sort, rows, columns, family.
Letter = tuple[str, str, str, str, str]
SYMMETRIC = ("S", "S>=0", "S>0")


class Undefined(Exception):  # noqa: N818
    """A term or a matrix has no value."""


class Unknown(Exception):  # noqa: N818
    """The value of a node is beyond this module, or whether there is one."""


class Polynomial:
    """A polynomial in numbered Gaussian numbers: pairs (number, power), sorted, to rationals."""

    __slots__ = ("terms",)

    def __init__(self, terms: dict[tuple[tuple[int, int], ...], Fraction]) -> None:
        self.terms = {m: c for m, c in terms.items() if c}

    @staticmethod
    def of(x: Any) -> Polynomial:
        return x if isinstance(x, Polynomial) else Polynomial({(): Q(x)})

    def __add__(self, other: Any) -> Polynomial:
        out = dict(self.terms)
        for m, c in Polynomial.of(other).terms.items():
            out[m] = out.get(m, Q(0)) + c
        return Polynomial(out)

    __radd__ = __add__

    def __mul__(self, other: Any) -> Polynomial:
        out: dict[tuple[tuple[int, int], ...], Fraction] = {}
        for m, c in self.terms.items():
            for n, d in Polynomial.of(other).terms.items():
                powers = dict(m)
                for i, e in n:
                    powers[i] = powers.get(i, 0) + e
                k = tuple(sorted(powers.items()))
                out[k] = out.get(k, Q(0)) + c * d
        return Polynomial(out)

    __rmul__ = __mul__

    def mean(self, variances: Sequence[Fraction]) -> Fraction:
        """Return the mean if the numbers are independent, centred, and have these variances."""
        total = Q(0)
        for m, c in self.terms.items():
            for i, e in m:
                c = c * double_factorial(e - 1) * variances[i] ** (e // 2) if e % 2 == 0 else Q(0)
            total += c
        return total


def double_factorial(n: int) -> int:
    """Return n (n - 2) (n - 4) … down to 1."""
    return 1 if n <= 0 else n * double_factorial(n - 2)


@dataclass
class World:
    """Values of sizes, letters and real symbols; `symbols` are found by name and sort."""

    sizes: dict[str, int] = field(default_factory=dict)
    letters: dict[Letter, Matrix] = field(default_factory=dict)
    symbols: dict[tuple[str, str], Any] = field(default_factory=dict)

    def size(self, n: str) -> int:
        return int(n) if n.isdigit() else self.sizes[n]


# --- matrices in coordinates ---------------------------------------------------------------------


def unit(n: int) -> Matrix:
    return [[Q(int(i == j)) for j in range(n)] for i in range(n)]


def flipped(a: Matrix) -> Matrix:
    return [list(column) for column in zip(*a, strict=True)]


def times(a: Matrix, b: Matrix) -> Matrix:
    columns = flipped(b)
    return [
        [sum((x * y for x, y in zip(row, column, strict=True)), Q(0)) for column in columns]
        for row in a
    ]


def inverse(a: Matrix) -> Matrix:
    """Return the inverse by elimination; `Undefined` if there is none."""
    n = len(a)
    rows = [list(row) + one for row, one in zip(a, unit(n), strict=True)]
    for i in range(n):
        pivot = next((k for k in range(i, n) if rows[k][i]), None)
        if pivot is None:
            raise Undefined
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [x / rows[i][i] for x in rows[i]]
        for k in range(n):
            if k != i and rows[k][i]:
                rows[k] = [x - rows[k][i] * y for x, y in zip(rows[k], rows[i], strict=True)]
    return [row[n:] for row in rows]


def is_invertible(a: Matrix) -> bool:
    try:
        inverse(a)
    except Undefined:
        return False
    return True


def decomposed(a: Matrix) -> tuple[Matrix, list[Fraction]] | None:
    """Return L and d with a = L diag(d) L', d not negative; None if a is not semidefinite."""
    n, left = len(a), [list(row) for row in a]
    if left != flipped(left):
        return None
    low, d = unit(n), [Q(0)] * n
    for i in range(n):
        d[i] = left[i][i]
        if d[i] < 0 or (d[i] == 0 and any(left[i][i:])):
            return None
        for k in range(i + 1, n):
            if d[i]:
                low[k][i] = left[k][i] / d[i]
                factor = low[k][i]
                left[k] = [x - factor * y for x, y in zip(left[k], left[i], strict=True)]
    return low, d


# --- values --------------------------------------------------------------------------------------


def number(t: Any, world: World) -> Any:
    """Return the value of a term; `Undefined` or `Unknown` if there is none."""
    h = t[0]
    if h == "n":
        return Q(t[1], t[2])
    if h == "s":
        return world.symbols[t[1], t[2]]
    if h == "M.dim":
        return Q(world.size(t[1]))
    if h == "M.tr":
        a = matrix(t[1], world)
        return sum((a[i][i] for i in range(len(a))), Q(0))
    if h == "M.E":
        return mean(t, world)
    if h in ("+", "*"):
        out: Any = Q(0 if h == "+" else 1)
        for part in t[1:]:
            out = out + number(part, world) if h == "+" else out * number(part, world)
        return out
    if h == "^" and t[2] == 1:
        return power(number(t[3], world), t[1])
    raise Unknown(h)


def power(base: Any, n: int) -> Any:
    if isinstance(base, Polynomial) and set(base.terms) <= {()}:
        base = base.terms.get((), Q(0))
    if n > 0:
        out = base
        for _ in range(n - 1):
            out = out * base
        return out
    if isinstance(base, Polynomial):
        raise Unknown("a random denominator")
    if base == 0:
        raise Undefined
    return base**n


def matrix(a: Any, world: World) -> Matrix:
    """Return the value of a matrix; `Undefined` or `Unknown` if there is none."""
    h = a[0]
    if h == "M":
        return world.letters[tuple(a[1:])]  # type: ignore[index]
    if h == "M.id":
        return unit(world.size(a[1]))
    if h == "M.scale":
        c = number(a[1], world)
        return [[c * x for x in row] for row in matrix(a[2], world)]
    parts = [matrix(part, world) for part in a[1:]]
    if h == "M.T":
        return flipped(parts[0])
    if h == "M.inv":
        return inverse(parts[0])
    out = parts[0]
    for part in parts[1:]:
        if h == "M.mul":
            out = times(out, part)
        else:
            out = [
                [x + y for x, y in zip(*rows, strict=True)] for rows in zip(out, part, strict=True)
            ]
    return out


def mean(t: Any, world: World) -> Fraction:
    """Return the mean of a polynomial in X = L H R', where the entries of H are independent."""
    (_, variables, (body,), laws) = t
    letters, variances = dict(world.letters), []
    for x, (_, of_rows, of_columns) in zip(variables, laws, strict=True):
        first, second = (decomposed(matrix(c, world)) for c in (of_rows, of_columns))
        if first is None or second is None:
            raise Undefined
        (low, d), (right, e) = first, second
        start = len(variances)
        variances += [p * q for p in d for q in e]
        entries = [
            [Polynomial({((start + i * len(e) + j, 1),): Q(1)}) for j in range(len(e))]
            for i in range(len(d))
        ]
        letters[tuple(x[1:])] = times(times(low, entries), flipped(right))  # type: ignore[index]
    inner = World(world.sizes, letters, world.symbols)
    return Polynomial.of(number(body, inner)).mean(variances)


def holds(p: Any, world: World) -> bool:
    """Decide whether a formula holds: a relation with an undefined side does not."""
    h = p[0]
    if h in ("and", "or"):
        return (all if h == "and" else any)(holds(part, world) for part in p[1:])
    if h == "not":
        return not holds(p[1], world)
    if h in ("implies", "iff"):
        a, b = (holds(part, world) for part in p[1:])
        return (not a or b) if h == "implies" else a == b
    try:
        return atom(p, world)
    except Undefined:
        return False


def atom(p: Any, world: World) -> bool:
    h = p[0]
    if h in ("=", "!=", "<", "<="):
        a, b = (number(part, world) for part in p[1:])
        return bool({"=": a == b, "!=": a != b, "<": a < b, "<=": a <= b}[h])
    if h == "M.eq":
        a, b = (matrix(part, world) for part in p[1:])
        return bool(a == b)
    if h == "M.psd":
        return decomposed(matrix(p[1], world)) is not None
    if h == "M.invertible":
        return is_invertible(matrix(p[1], world))
    if tuple(p[:2]) == ("o", "integer"):
        return bool(number(p[2], world).denominator == 1)
    raise Unknown(h)


# --- random worlds -------------------------------------------------------------------------------


def nodes(t: Any) -> Iterator[Any]:
    """Yield a node and all nodes in it, variables of binders included."""
    if isinstance(t, list | tuple) and t:
        if isinstance(t[0], str):
            yield t
        for part in t:
            yield from nodes(part)


def letters_in(*terms: Any) -> list[Letter]:
    """Return the letters that occur in terms, sorted."""
    return sorted({tuple(t[1:]) for term in terms for t in nodes(term) if t[0] == "M"})


def random_world(rng: random.Random, sizes: dict[str, int], *terms: Any) -> World:
    """Return a world with these sizes, and random values for all letters and symbols of terms."""
    world, frames = World(dict(sizes)), {}
    for letter in letters_in(*terms):
        _, _, rows, _, family = letter
        frame = None
        if family:
            if (family, rows) not in frames:
                frames[family, rows] = orthogonal(rng, world.size(rows))
            frame = frames[family, rows]
        world.letters[letter] = random_letter(rng, letter, world, frame)
    for t in sorted({tuple(t) for term in terms for t in nodes(term) if t[0] == "s"}):
        world.symbols[t[1], t[2]] = random_symbol(rng, t[2])
    return world


def random_symbol(rng: random.Random, sort: str) -> Fraction:
    x = Q(rng.randint(-6, 6), 1 if sort[0] == "Z" else rng.randint(1, 3))
    rest = sort[1:]
    if rest in (">0", "<0", "!=0") and x == 0:
        x = Q(1)
    return {">0": abs(x), ">=0": abs(x), "<0": -abs(x), "<=0": -abs(x)}.get(rest, x)


def random_letter(rng: random.Random, letter: Letter, world: World, frame: Matrix | None) -> Matrix:
    """Return a random value of a letter; with a frame, one that is diagonal in it."""
    _, sort, rows, columns, _ = letter
    n, m = world.size(rows), world.size(columns)
    if frame is not None:
        low = {"S": -3, "S>=0": 0, "S>0": 1}[sort]
        roots = [[Q(0)] * i + [Q(rng.randint(low, 3))] + [Q(0)] * (n - 1 - i) for i in range(n)]
        return times(times(frame, roots), flipped(frame))
    while True:
        a = [[Q(rng.randint(-2, 2)) for _ in range(m)] for _ in range(n)]
        if sort == "S":
            return [
                [x + y for x, y in zip(*rs, strict=True)] for rs in zip(a, flipped(a), strict=True)
            ]
        if sort in ("S>=0", "S>0"):
            if sort == "S>=0" and rng.random() < 0.5:
                a = [[*row[:-1], Q(0)] for row in a]
            a = times(a, flipped(a))
        if sort in ("M", "S>=0") or is_invertible(a):
            return a


def orthogonal(rng: random.Random, n: int) -> Matrix:
    """Return a product of two random reflections with rational entries."""
    out = unit(n)
    for _ in range(2):
        v = [rng.randint(-2, 2) for _ in range(n)]
        v[rng.randrange(n)] = 1
        norm = sum(x * x for x in v)
        out = times(
            out, [[Q(int(i == j)) - Q(2 * v[i] * v[j], norm) for j in range(n)] for i in range(n)]
        )
    return out

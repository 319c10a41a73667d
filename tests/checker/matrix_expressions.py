"""Random terms about matrices: expressions, closed words and their moves, and means."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import Any

from tests.checker import matrix_values as mv

SORTS = ("M", "S", "S>=0", "S>0", "GL")


def letters_of_shape(rows: str, columns: str) -> list[Any]:
    """Return two letters of each sort, and letters of two families."""
    tag = f"_{rows}{columns}" if rows != columns else f"_{rows}"
    if rows != columns:
        return [["M", f"{name}{tag}", "M", rows, columns, ""] for name in "XY"]
    plain = [
        ["M", f"{s}{tag}_{k}", sort, rows, rows, ""]
        for s, sort in zip("ABCDG", SORTS, strict=True)
        for k in (1, 2)
    ]
    return plain + [
        ["M", f"{family}{tag}_{k}", sort, rows, rows, family]
        for family in ("F", "H")
        for k, sort in enumerate(SORTS[1:4])
    ]


class Expressions:
    """Random terms about matrices of the sizes n, m, 1 and 2."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng

    def size(self) -> str:
        return self.rng.choice("nnnnmm12")

    def number(self) -> Any:
        return self.rng.choice([
            ["n", self.rng.randint(-3, 3), 1], ["n", 1, 2], ["M.dim", "m"], ["s", "c", "R"],
            ["M.tr", ["M", "A_n_1", "M", "n", "n", ""]], ["^", -1, 1, ["M.dim", "n"]],
        ])  # fmt: skip

    def letter(self, rows: str, columns: str) -> Any:
        found = self.rng.choice(letters_of_shape(rows, columns))
        if found[2] in ("S>0", "GL") and self.rng.random() < 0.6:
            return ["M.inv", found]
        if rows == columns and self.rng.random() < 0.1:
            return ["M.id", rows]
        return found

    def word(self, rows: str, columns: str, length: int) -> Any:
        """Return a product of letters of one shape after another."""
        sizes = [rows, *(self.size() for _ in range(length - 1)), columns]
        parts = []
        for a, b in pairwise(sizes):
            parts.append(
                self.letter(a, b) if self.rng.random() < 0.7 else ["M.T", self.letter(b, a)]
            )
        return ["M.mul", *parts]

    def matrix(self, rows: str, columns: str, depth: int) -> Any:
        way = self.rng.random()
        if depth == 0 or way < 0.1:
            return self.word(rows, columns, self.rng.randint(1, 4))
        if way < 0.25:
            return ["M.T", self.matrix(columns, rows, depth - 1)]
        if way < 0.4:
            return ["M.scale", self.number(), self.matrix(rows, columns, depth - 1)]
        if way < 0.6:
            return ["M.add", *(self.matrix(rows, columns, depth - 1) for _ in range(2))]
        middle = self.size()
        return [
            "M.mul",
            self.matrix(rows, middle, depth - 1),
            self.matrix(middle, columns, depth - 1),
        ]


def formed(make: Expressions, n: str, depth: int) -> Any:
    """Return a square matrix of a form that `semidefinite` or `invertible` may know."""
    rng = make.rng
    way = rng.randrange(9)
    if depth == 0 or way == 0:
        return make.letter(n, n)
    if way == 1:
        return ["M.scale", make.number(), formed(make, n, depth - 1)]
    if way == 2:
        return ["M.T", formed(make, n, depth - 1)]
    if way == 3:
        return ["M.add", *(formed(make, n, depth - 1) for _ in range(rng.randint(1, 2)))]
    if way == 4:
        a = make.matrix(n, make.size(), 1)
        between = [] if rng.random() < 0.5 else [formed(make, columns_of(a), depth - 1)]
        return ["M.mul", a, *between, ["M.T", a]]
    if way == 5:
        a = make.matrix(make.size(), n, 1)
        return ["M.mul", ["M.T", a], a]
    if way == 6:
        family = [x for x in letters_of_shape(n, n) if x[5] == "F"] + [["M.id", n]]
        parts = [rng.choice(family) for _ in range(rng.randint(2, 3))]
        return ["M.mul", *(["M.inv", x] if x[0] == "M" and x[2] == "S>0" else x for x in parts)]
    return ["M.mul", *(formed(make, n, depth - 1) for _ in range(rng.randint(1, 3)))]


def columns_of(a: Any) -> str:
    """Return the name of the columns of a matrix."""
    h = a[0]
    if h in ("M", "M.id"):
        return a[-2] if h == "M" else a[1]
    if h == "M.T":
        return rows_of(a[1])
    return columns_of(a[-1])


def rows_of(a: Any) -> str:
    h = a[0]
    if h in ("M", "M.id"):
        return a[3] if h == "M" else a[1]
    if h == "M.T":
        return columns_of(a[1])
    return rows_of(a[2] if h == "M.scale" else a[1])


ALPHABET = [
    ["M", "A", "M", "n", "n", ""], ["M", "S", "S", "n", "n", ""], ["M", "D", "S>0", "n", "n", ""],
    ["M", "G", "GL", "n", "n", ""], ["M", "F1", "S>0", "n", "n", "F"],
    ["M", "F2", "S>=0", "n", "n", "F"], ["M", "F3", "S>0", "n", "n", "F"],
]  # fmt: skip


def random_word(rng: random.Random) -> list[Any]:
    """Return the letters of a word, transposed and inverse ones among them."""
    alphabet, out = rng.sample(ALPHABET, rng.randint(1, 3)), []
    for _ in range(rng.randint(1, 7)):
        x = rng.choice(alphabet)
        if x[2] in ("S>0", "GL") and rng.random() < 0.5:
            x = ["M.inv", x]
        out.append(["M.T", x] if rng.random() < 0.3 else x)
    return out


def letter_of(x: Any) -> Any:
    while x[0] != "M":
        x = x[1]
    return x


def moved(rng: random.Random, word: list[Any]) -> list[Any]:
    """Return a word after one move of M3.2."""
    way, i = rng.randrange(4), rng.randrange(len(word))
    if way == 0:
        return word[i:] + word[:i]
    if way == 1:
        return [["M.T", x] for x in reversed(word)]
    if way == 2:
        a, b = word[i - 1], word[i]
        if len(word) > 1 and letter_of(a)[5] and letter_of(a)[5] == letter_of(b)[5]:
            word = list(word)
            word[i - 1], word[i] = b, a
        return word
    x = rng.choice([x for x in ALPHABET if x[2] in ("S>0", "GL")])
    both = [x, ["M.inv", x]]
    if rng.random() < 0.5:
        both = [["M.T", y] for y in both]
    if rng.random() < 0.5:
        both.reverse()
    return word[:i] + both + word[i:]


def trace(word: list[Any]) -> Any:
    return ["M.tr", ["M.mul", *word]]


def random_body(rng: random.Random, variables: list[Any], fixed: list[Any], most: int) -> Any:
    """Return a sum of products of traces with at most so many occurrences of variables each."""

    def closed_word() -> Any:
        """Return a word of variables and other letters whose rows and columns agree."""
        start = rng.choice([x[3] for x in variables])
        here, out = start, []
        for _ in range(8):
            ways = [x for x in (*variables, *fixed, *([["M.T", x] for x in variables]))
                    if ends_of(x)[0] == here]  # fmt: skip
            x = rng.choice(ways)
            out.append(x)
            here = ends_of(x)[1]
            if here == start and rng.random() < 0.5:
                return out
        return None

    def term() -> Any:
        while True:
            words = [closed_word() for _ in range(rng.randint(1, 3))]
            if None in words:
                continue
            count = sum(any(y in variables for y in mv.nodes(x)) for w in words for x in w)
            if 0 < count <= most and (count % 2 == 0 or rng.random() < 0.1):
                break
        factors = [trace(w) for w in words]
        if rng.random() < 0.3:
            factors.append(rng.choice([["n", -1, 2], ["M.dim", "n"], ["s", "c", "R"]]))
        return ["*", *factors]

    return ["+", *(term() for _ in range(rng.randint(1, 3)))]


def ends_of(x: Any) -> tuple[str, str]:
    if x[0] == "M.T":
        return ends_of(x[1])[::-1]
    return (x[1], x[1]) if x[0] == "M.id" else (x[3], x[4])


GAUSS = {
    "n": [["M.id", "n"], ["M", "P", "S>=0", "n", "n", ""], ["M", "F1", "S>0", "n", "n", "F"]],
    "m": [["M.id", "m"], ["M", "L", "S>0", "m", "m", ""]],
    "1": [["M.id", "1"], ["M", "v", "S>=0", "1", "1", ""]],
}
VARIABLES = [
    ["M", "X", "M", "n", "m", ""], ["M", "Y", "M", "n", "n", ""], ["M", "g", "M", "n", "1", ""],
    ["M", "r", "M", "1", "1", ""], ["M", "h", "M", "1", "m", ""],
]  # fmt: skip
FIXED = [
    ["M", "A", "M", "n", "n", ""], ["M", "B", "M", "m", "m", ""], ["M", "W", "M", "m", "n", ""],
    ["M", "F2", "S", "n", "n", "F"], ["M", "u", "M", "1", "n", ""], ["M", "b", "M", "1", "1", ""],
]  # fmt: skip


def random_mean(rng: random.Random, most: int) -> Any:
    variables = rng.sample(VARIABLES, rng.randint(1, 2))
    laws = [["M.gauss", rng.choice(GAUSS[x[3]]), rng.choice(GAUSS[x[4]])] for x in variables]
    return ["M.E", variables, [random_body(rng, variables, FIXED, most)], laws]

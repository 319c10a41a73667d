"""Terms about matrices as nested lists: their nodes, and letters of all sorts."""

from __future__ import annotations

from typing import Any

Node = list[Any]


def num(p: int, q: int = 1) -> Node:
    return ["n", p, q]


ZERO, ONE, TWO = num(0), num(1), num(2)


def letter(
    name: str, sort: str = "M", rows: str = "n", columns: str = "", family: str = ""
) -> Node:
    return ["M", name, sort, rows, columns or rows, family]


def one(n: str = "n") -> Node:
    return ["M.id", n]


def dim(n: str) -> Node:
    return ["M.dim", n]


def mul(*parts: Node) -> Node:
    return ["M.mul", *parts]


def add(*parts: Node) -> Node:
    return ["M.add", *parts]


def scale(c: Node, a: Node) -> Node:
    return ["M.scale", c, a]


def T(a: Node) -> Node:
    return ["M.T", a]


def inv(a: Node) -> Node:
    return ["M.inv", a]


def tr(*parts: Node) -> Node:
    return ["M.tr", mul(*parts) if len(parts) > 1 else parts[0]]


def equal(a: Node, b: Node) -> Node:
    return ["M.eq", a, b]


def psd(a: Node) -> Node:
    return ["M.psd", a]


def invertible(a: Node) -> Node:
    return ["M.invertible", a]


def mean(variables: list[Node], body: Node, laws: list[tuple[Node, Node]] | None = None) -> Node:
    laws = laws or [(one(x[3]), one(x[4])) for x in variables]
    return ["M.E", variables, [body], [["M.gauss", *law] for law in laws]]


def prod(*parts: Node) -> Node:
    return ["*", *parts]


def plus(*parts: Node) -> Node:
    return ["+", *parts]


def power(t: Node, n: int) -> Node:
    return ["^", n, 1, t]


def eq(a: Node, b: Node) -> Node:
    return ["=", a, b]


def le(a: Node, b: Node) -> Node:
    return ["<=", a, b]


def real(name: str, sort: str = "R") -> Node:
    return ["s", name, sort]


def fun(x: Node, name: str = "h") -> Node:
    return ["M.h", name, x]


def grad(x: Node, name: str = "h") -> Node:
    return ["M.grad", name, x]


def hess(x: Node, name: str = "h") -> Node:
    return ["M.hess", name, x]


def for_all(variables: list[Node], p: Node) -> Node:
    return ["M.forall", variables, [p], []]


def slope(orders: list[int], x: Node, body: Node, point: Node) -> Node:
    return ["d", orders, [x], [body], [point]]


def null(a: Node) -> Node:
    return scale(ZERO, a)


A, B, C, Z = (letter(name) for name in "ABCZ")
S, R = letter("S", "S"), letter("R", "S")
P, Q = letter("P", "S>=0"), letter("Q", "S>=0")
D, H = letter("D", "S>0"), letter("H", "S>0")
G, K = letter("G", "GL"), letter("K", "GL")
F1, F2 = letter("F1", "S>=0", family="F"), letter("F2", "S>=0", family="F")
X, X2 = letter("X", "M", "n", "m"), letter("X2", "M", "n", "m")
W = letter("W", "M", "m", "n")
Y = letter("Y", "M", "n", "m")
U, V = letter("u", "M", "n", "1"), letter("v", "M", "n", "1")
c, t = real("c"), real("t")
N, M = dim("n"), dim("m")

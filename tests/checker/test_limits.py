"""Work that would never end, in a few words: it is refused within seconds."""

from __future__ import annotations

import time
import tracemalloc

import pytest

from slrsym.checker.term import DEPTH, Rejected, TermReader, num, parse_term
from slrsym.checker.theorem import apply_rule
from tests._profile import thorough_cases
from tests.checker.terms import NORMAL, ONE, TWO, ZERO, mean

X, Y, Z = (("s", name, "R") for name in "xyz")


def nested(head, depth, leaf=X):
    """A term with so many binders of a kind, one in another."""
    t = leaf
    for k in range(depth):
        x = ("s", f"i{k}", "Z" if head == "sum" else "R")
        body = ("+", t, x)
        t = {
            "sum": ("sum", (x,), (body,), (ZERO, ONE)),
            "int": ("int", (x,), (body,), (ZERO, ONE)),
            "E": ("E", (x,), (body,), (NORMAL,)),
            "d": ("d", (1,), (x,), (("*", body, body),), (("+", t, ONE),)),
            "copies": ("copies", (x,), (("*", body, body),), (TWO, NORMAL)),
        }[head]
        if head == "copies":
            t = mean(t, (x,))
    return t


def pigeons(n):
    """That n + 1 pigeons sit in n holes, no two in one."""
    sits = [[("<", ZERO, ("s", f"p{i}.{j}", "R")) for j in range(n)] for i in range(n + 1)]
    held = [("or", *row) for row in sits]
    apart = [("not", ("and", sits[i][j], sits[k][j]))
             for j in range(n) for i in range(n + 1) for k in range(i)]  # fmt: skip
    return (*held, *apart)


def parity(n):
    """An odd and an even number of atoms is true."""
    atoms = [("<", ZERO, ("s", f"q{k}", "R")) for k in range(n)]
    p = atoms[0]
    for a in atoms[1:]:
        p = ("iff", p, a)
    q = atoms[-1]
    for a in reversed(atoms[:-1]):
        q = ("iff", q, a)
    return (p, ("not", q))


PLAIN = [40, [], [], []]
LETTERS = [("s", f"x{k}", "R") for k in range(30)]
TOWER = ("^", 999, 1, ("^", 999, 1, ("+", X, Y, Z)))
POSITIVE = [("s", f"p{k}", "R>0") for k in range(9)]
# The power alone has 116,280 terms, and each root in it is replaced by two terms more.
ROOTS = ("^", 14, 1, ("+", *(("^", 1, 2, ("+", *POSITIVE[k : k + 2])) for k in range(8))))
LONG = ("^", 999, 1, ("^", 999, 1, num(7)))
STEEP = ("d", (99,), (X,), (("f", "exp", ("f", "exp", X)),), (Y,))


def vanishes(t):
    return ("arithmetic", (), ("=", t, ZERO), [40, [], [], []])


BOMBS = {
    "40 nested sums": vanishes(nested("sum", 40)),
    "40 nested integrals": vanishes(nested("int", 40)),
    "40 nested expectations": vanishes(nested("E", 40)),
    "9 pigeons": ("logic", pigeons(8), ("<", ZERO, ZERO)),
    "16 pigeons": ("logic", pigeons(15), ("<", ZERO, ZERO)),
    "40 atoms that alternate": ("logic", parity(40), ("<", ZERO, ZERO)),
    "a power of a power": vanishes(TOWER),
    "a large number": vanishes(LONG),
    "a power of a long sum": vanishes(("^", 30, 1, ("+", *LETTERS))),
    "a power of a sum of roots": vanishes(ROOTS),
    "a derivative of order 99": vanishes(STEEP),
    "derivatives of derivatives": vanishes(nested("d", 30)),
    "copies in copies": vanishes(nested("copies", 30)),
}


# Ten other bombs, among them of each kind.
@thorough_cases(
    "16 pigeons",
    "40 atoms that alternate",
    "a derivative of order 99",
    "derivatives of derivatives",
    "copies in copies",
)
@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_refused_within_seconds(name):
    rule, *data = BOMBS[name]
    tracemalloc.start()
    start = time.process_time()
    try:
        with pytest.raises(Rejected):
            apply_rule(rule, [], *data)
        taken, (_, most) = time.process_time() - start, tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    # Tracing makes it several times slower; without, each takes less than two seconds.
    assert taken < 20
    assert most < 500e6


@pytest.mark.parametrize("head", ["int", "abs"])
def test_rows_that_grow_one_upon_another_have_a_depth(head):
    reader = TermReader()
    reader.add(["s", "x", "R"])
    zero, one, y = ["n", 0, 1], ["n", 1, 1], ["s", "y", "R"]
    for k in range(DEPTH - 1):
        reader.add(["int", [y], [k], [zero, one]] if head == "int" else ["f", "abs", k])
    with pytest.raises(Rejected, match="too deep"):
        reader.add(["f", "abs", DEPTH - 1])


def test_a_power_of_some_length_is_multiplied_out():
    power = ("^", 30, 1, ("+", X, Y, Z))
    assert apply_rule("arithmetic", [], (), ("=", power, power), PLAIN).hypotheses == {}


def test_rows_that_double_have_a_size():
    reader = TermReader()
    reader.add(["s", "x", "R"])
    for k in range(15):
        reader.add(["+", k, k])
    reader.add(["int", [["s", "y", "R"]], [15], [["n", 0, 1], ["n", 1, 1]]])
    with pytest.raises(Rejected, match="too large"):
        reader.add(["int", [["s", "y", "R"]], [16], [15, 16]])


def test_a_row_has_100000_nodes_at_most_those_of_other_rows_counted_each_time():
    reader = TermReader()
    reader.add(["pi"])
    # Of 100 nodes, each of which has one part.
    for k in range(99):
        reader.add(["f", "exp", k])
    reader.add(["+", *[99] * 999, *[0] * 99])
    with pytest.raises(Rejected, match="too large"):
        reader.add(["+", *[99] * 999, *[0] * 100])


def test_the_order_of_a_derivative_is_99_at_most():
    for orders, parts in (([], []), ([0], [["pi"]])):
        assert parse_term(["u", "f", "R", [*orders, 99], *parts, ["pi"]])
        with pytest.raises(Rejected, match="from 0 to 99"):
            parse_term(["u", "f", "R", [*orders, 100], *parts, ["pi"]])

"""Logs of a few kilobytes whose check would take minutes, or gigabytes: refused within seconds."""

from __future__ import annotations

import json
import lzma
import os
import resource

import pytest

from slrsym.checker import Rejected, recheck
from slrsym.checker.log import FORMAT, chained_digest
from tests._profile import thorough_cases, thorough_only

OK = ["=", ["n", 0, 1], ["n", 0, 1]]
SHOWN = ["arithmetic", [], [], OK, [1, [], [], []]]
X, ZERO, ONE = ["s", "x", "R"], ["n", 0, 1], ["n", 1, 1]


def written(path, lines, terms=()):
    """Write a log of one claim with these inferences."""
    before, text = "", ""
    record = {"claim": "c", "extensions": [], "given": [], "statement": OK, "terms": list(terms),
              "lines": [*lines, SHOWN], "steps": [], "shown": len(lines), "axioms": []}  # fmt: skip
    for part in ({"format": FORMAT, "claims": 1}, record):
        before = chained_digest(before, part)
        text += json.dumps({**part, "digest": before}) + "\n"
    path.write_text(text)
    return path


def arithmetic(relation, size=6):
    return ["arithmetic", [], [], relation, [size, [], [], []]]


def derivatives_in_derivatives(depth, order):
    terms = [X, ["f", "sin", 0]]
    for k in range(depth):
        terms.append(["d", [order], [0], [k + 1], [0]])
    return [["derivative", [], len(terms) - 1]], terms


def bars_in_bars(depth):
    """The mean of exp |||x|||."""
    terms = [X, *(["f", "abs", k] for k in range(depth)), ["f", "exp", depth]]
    mean = ["E", [0], [depth + 1], [["gauss", 1, ZERO, ONE]]]
    return [["integrable", [], mean]], terms


def sums_of_bars(count):
    """The mean of many terms, each with eight bars."""
    terms = [["s", f"x{k}", "R"] for k in range(8)]
    terms.append(["f", "exp", ["+", *(["f", "abs", k] for k in range(8))]])
    unit = [["n", int(i == j), 1] for i in range(8) for j in range(8)]
    terms.append(["gauss", 8, *[ZERO] * 8, *unit])
    return [["integrable", [], ["E", [*range(8)], [["+", *[8] * count]], [9]]]], terms


def trinomial(degree):
    body = ["+", ["^", degree, 1, ["^", 10, 1, 0]], ["*", ["n", 3, 1], ["^", 7, 1, 0]], 0, ONE]
    return [arithmetic(["<", ZERO, body], 2)], [X]


def dense(degree):
    """A product of long sums, in five letters."""
    terms = [["s", f"x{k}", "R"] for k in range(4)] + [["+", 0, 1, 2, 3, ONE]]
    first = ["+", ["^", 2, 1, ["+", *(["^", degree, 1, k] for k in range(4))]], ["n", -7, 1]]
    return [arithmetic(["!=", ["*", ["^", degree, 1, 4], first], ZERO])], terms


def quotient(degree):
    terms = [["s", f"x{k}", "R>0"] for k in range(5)] + [["+", 0, 1, 2, 3, 4, ONE]]
    q = ["*", ["+", ["^", degree, 1, 5], ONE], ["^", -1, 1, ["+", ["^", degree, 1, 5], 0]]]
    return [arithmetic(["=", q, q])], terms


def root_of_a_power(power):
    t = ["^", 1, 2, ["^", power, 1, ["^", 999, 1, ["n", 2, 1]]]]
    return [arithmetic(["=", t, t])], []


def image_of_a_matrix(size):
    return [["psd image", [], 2, 2, [0] * size**2]], [ZERO, ["tuple", *[0] * size**2],
                                                      ["o", "psd", 1]]  # fmt: skip


def long_values(count):
    said = ["<", ZERO, ["+", *[1] * count]]
    value = ["lam", [0], [["+", *[0] * count]], []]
    lines = [["assume", [], said], ["instance", [0], [[["u", "h", "R", 1], value]]]]
    return lines, [X, ["u", "h", "R", [0], 0]]


def derivative_of_a_product(count):
    return [["derivative", [], ["d", [1], [0], [1], [0]]]], [X, ["*", *[0] * count]]


def long_assumptions(count):
    terms = [["s", "x" + "y" * 60, "R>=0"], ["+", *[0] * 156], ["+", *[1] * 156]]
    return [["assume", [], ["<", 2, ["n", k, 1]]] for k in range(1, count)], terms


def long_steps(count):
    """Rewriting at no place, and no data that are long."""
    lines, terms = long_assumptions(2)
    lines += [["assume", [], OK], *[["rewrite", [0, 1], []]] * count]
    return lines, terms


def pigeons(n, count):
    sits = [[["<", ZERO, ["s", f"p{i}_{j}", "R"]] for j in range(n)] for i in range(n + 1)]
    apart = [["not", ["and", sits[i][j], sits[k][j]]]
             for j in range(n) for i in range(n + 1) for k in range(i)]  # fmt: skip
    held = [["or", *row] for row in sits] + apart
    return [["logic", [], [*range(len(held))], ["<", ZERO, ZERO]]] * count, held


BOMBS = {
    "derivatives of order 0": (*derivatives_in_derivatives(40, 0), None),
    "derivatives of order 1": (*derivatives_in_derivatives(40, 1), "work"),
    "bars in bars": (*bars_in_bars(40), "work"),
    "sums of bars": (*sums_of_bars(300), "work"),
    "a trinomial": (*trinomial(999), "factored"),
    "a dense product": (*dense(30), "too long"),
    "a quotient": (*quotient(30), "too long"),
    "a root of a power": (*root_of_a_power(999), "digits"),
    "the image of a matrix": (*image_of_a_matrix(100), "work"),
    "values at many places": (*long_values(3_000), "work"),
    "the derivative of a product": (*derivative_of_a_product(10_000), "work"),
    "long assumptions": (*long_assumptions(400), "work"),
    "long premises": (*long_steps(2_000), "work"),
    "nine pigeons, many times": (*pigeons(8, 40), "work"),
    "seven pigeons, many times": (*pigeons(6, 100), "work"),
}


def in_a_child(path):
    """Return how a log is judged, the seconds of the processor, and the bytes that it takes."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        try:
            recheck(path)
            said = "accepted"
        except Rejected as reason:
            said = str(reason)
        except BaseException as reason:
            said = repr(reason)
        os.write(writing, said.encode()[:4_000])
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as told:
        said = told.read()
    _, _, used = os.wait4(child, 0)
    return said, used.ru_utime + used.ru_stime, 1024 * (used.ru_maxrss - before)


def require_soon(path, reason):
    said, seconds, size = in_a_child(path)
    assert (reason in said) if reason else said == "accepted"
    assert seconds < 2, said
    assert size < 500e6, said
    return seconds, size


# Long assumptions, and bars in bars.
@thorough_cases(
    "derivatives of order 1",
    "bars in bars",
    "sums of bars",
    "the image of a matrix",
    "values at many places",
    "long assumptions",
    "long premises",
    "nine pigeons, many times",
    "seven pigeons, many times",
)
@pytest.mark.parametrize("name", BOMBS)
def test_a_log_is_refused_within_two_seconds(tmp_path, name):
    lines, terms, reason = BOMBS[name]
    path = written(tmp_path / "bomb.log", lines, terms)
    assert path.stat().st_size < 100_000
    require_soon(path, reason)


# Sizes at which the first bombs took long that no limit stopped, and those around a limit.
SIZES = {
    derivatives_in_derivatives: [(10, 1), (17, 1), (140, 0)],
    bars_in_bars: [(10,), (12,), (15,), (100,)],
    sums_of_bars: [(5,), (20,), (50,), (100,)],
    trinomial: [(20,), (21,), (299,), (500,)],
    dense: [(8,), (12,), (60,)],
    quotient: [(8,), (10,), (60,)],
    root_of_a_power: [(8,), (50,), (200,)],
    image_of_a_matrix: [(20,), (30,), (60,)],
    long_values: [(100,), (300,), (500,), (1_500,)],
    derivative_of_a_product: [(300,), (500,), (3_000,)],
    long_assumptions: [(20,), (100,)],
    long_steps: [(50,), (200,)],
    pigeons: [(6, 1), (7, 3), (8, 1), (9, 1)],
}


@thorough_only
@pytest.mark.parametrize(("make", "size"), [(m, n) for m, sizes in SIZES.items() for n in sizes])
def test_no_size_takes_more_than_two_seconds(tmp_path, make, size):
    _, seconds, used = in_a_child(written(tmp_path / "bomb.log", *make(*size)))
    assert seconds < 2
    assert used < 500e6


@thorough_only
@pytest.mark.parametrize("part", [b"0,", b"[],"])
def test_a_long_line_is_not_unpacked(tmp_path, part):
    header = {"format": FORMAT, "claims": 1}
    text = (
        b'{"x":['
        + part * 20_000_000
        + b'0],"digest":"'
        + chained_digest("", header).encode()
        + b'"}\n'
    )
    path = tmp_path / "bomb.xz"
    path.write_bytes(lzma.compress(text, preset=0))
    assert path.stat().st_size < 100_000
    require_soon(path, "line 1: cut short")


@thorough_only
def test_what_fits_the_limit_of_work_once_is_accepted(tmp_path):
    require_soon(written(tmp_path / "some.log", *pigeons(5, 1)), None)
    require_soon(written(tmp_path / "more.log", *image_of_a_matrix(10)), None)

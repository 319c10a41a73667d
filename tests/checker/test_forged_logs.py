"""Forged logs: made by every change of a good one that a forger would think of, all refused.

The digests are made anew after each change, so that what is refused is refused by the judge.
"""
# ruff: noqa: E501 - tables of forgeries

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import pytest

from slrsym.checker import ProvedClaims, Rejected, recheck
from slrsym.checker.log import _FIELDS, FORMAT, chained_digest
from slrsym.checker.term import definedness_equation, num
from slrsym.prover.tactics.log_records import RecordingProofBuilder, log_lines
from tests._profile import thorough_cases
from tests.checker.terms import N, X, Y

ZERO, ONE, TWO = num(0), num(1), num(2)
G = ("s", "g", "R")
NORMAL = ("gauss", 1, ZERO, ONE)
POSITIVE = ("<", ZERO, X)
FALSUM = ["<", ["n", 1, 1], ["n", 0, 1]]


def mean(body: Any) -> Any:
    return ("E", (G,), (body,), (NORMAL,))


def _records() -> list[dict[str, Any]]:
    """Claims of many kinds: from a sort, by arithmetic, by induction, of means, cited, trusted."""
    book, made = ProvedClaims(), []

    def claim(
        id: str,
        statement: Any,
        given: tuple[Any, ...],
        prove: Callable[[RecordingProofBuilder], Any],
    ):
        script = RecordingProofBuilder(book)
        line = prove(script)
        script.record_step("1", "rule", line)
        made.append(script.finish_claim(id, statement, given, line))

    claim("positive", ("<", ZERO, Y), (),
          lambda s: s.add("logic", [s.add("symbol", (), Y)], (), ("<", ZERO, Y)))  # fmt: skip
    claim("again", POSITIVE, (POSITIVE, definedness_equation(X)),
          lambda s: s.add("instance", [book.cite("positive")], ((Y, X),)))  # fmt: skip
    product = ("<", ONE, ("+", ("*", X, Y), ONE))
    claim("product", product, (POSITIVE,),
          lambda s: s.add("arithmetic", (), (POSITIVE,), product, [3, [], [0], []]))  # fmt: skip
    away = ("^", 2, 1, ("+", X, ("*", num(-1), Y)))
    # x^2 + x z + z^2 = (x + z/2)^2 + 3/4 z^2, for z of any sign.
    z = ("s", "z", "R")
    squares = ("<=", ("*", num(-1), X, z), ("+", ("^", 2, 1, X), ("^", 2, 1, z)))
    form = [["1", 0, 2], ["1", 0, 1, 1, 1], ["1", 1, 2]]
    rows = [["1", [[[["1", 0, 1], ["1/2", 1, 1]], 2]]], ["3/4", [[[["1", 1, 1]], 2]]]]
    claim(
        "means",
        squares,
        (),
        lambda s: s.add("arithmetic", (), (), squares, answered(["sign", form, rows, [["1"]]])),
    )
    power = ("<=", ZERO, ("^", 2, 1, N))

    def by_induction(s: RecordingProofBuilder) -> Any:
        base = s.add("arithmetic", (), (), ("<=", ZERO, ("^", 2, 1, ZERO)), [1, [], [], []])
        after = ("<=", ZERO, ("^", 2, 1, ("+", N, ONE)))
        step = s.add("arithmetic", (), (power,), after, [2, [], [], []])
        return s.add("induction", [base, step], N, power)

    claim("by-induction", power, (), by_induction)

    def constant(s: RecordingProofBuilder) -> Any:
        line = s.add("constant", (), mean(TWO))
        law = s.add("arithmetic", (), (), ("<=", ZERO, ONE), [1, [], [], []])
        two = s.add("arithmetic", (), (), definedness_equation(TWO), [1, [], [], []])
        return s.add("logic", [line, law, two], (), ("=", mean(TWO), TWO))

    claim("mean", ("=", mean(TWO), TWO), (), constant)
    claim(
        "hope", ("<", away, TWO), (), lambda s: s.add("unchecked", (), "hope", (), ("<", away, TWO))
    )
    return made


@cache
def _good() -> str:
    return json.dumps(_records())


def good() -> list[dict[str, Any]]:
    return json.loads(_good())


def text_of(records: list[dict[str, Any]]) -> str:
    return "".join(f"{line}\n" for line in log_lines({"seed": 1}, records))


# -- changes of what a claim says ------------------------------------------------------------------

Forgery = tuple[str, Callable[[], str]]


def _leaves(data: Any, path: tuple[int, ...] = ()) -> Iterator[tuple[tuple[int, ...], Any]]:
    yield path, data
    if isinstance(data, list):
        for i, part in enumerate(data):
            yield from _leaves(part, (*path, i))


def _put(data: Any, path: tuple[int, ...], value: Any) -> None:
    for i in path[:-1]:
        data = data[i]
    data[path[-1]] = value


def _forged(index: int, change: Callable[[dict[str, Any]], Any]) -> Callable[[], str]:
    def make() -> str:
        made = good()
        change(made[index])
        return text_of(made)

    return make


def statements() -> Iterator[Forgery]:
    """Every number, relation and sort of every statement is changed, and a claim's for another's."""
    for i, record in enumerate(good()):
        id = record["claim"]
        for other in good():
            if other["claim"] != id:
                yield (f"{id} says what {other['claim']} says",
                       _forged(i, lambda r, o=other: r.update(statement=o["statement"])))  # fmt: skip
        for path, part in _leaves(record["statement"]):
            if not (isinstance(part, list) and part):
                continue
            new = None
            if part[0] == "n":
                new = ["n", part[1] + 3, part[2]]
            elif part[0] in ("<", "<=", "="):
                new = [{"<": "=", "<=": "<", "=": "!="}[part[0]], *part[1:]]
            elif part[0] == "s":
                new = ["s", part[1], {"R": "Z", "R>0": "R", "Z>=0": "Z"}[part[2]]]
            elif part[0] in ("+", "*"):
                new = [{"+": "*", "*": "+"}[part[0]], *part[1:]]
            elif part[0] == "^":
                new = ["^", part[1] + 1, *part[2:]]
            elif part[0] == "gauss":
                new = ["noise", part[3]]
            if new is None or (id == "mean" and path[:2] == (1, 1)):
                continue

            def change(r: dict[str, Any], path: Any = path, new: Any = new) -> None:
                if path:
                    _put(r["statement"], path, new)
                else:
                    r["statement"] = new

            yield f"{id}: {part[0]} at {path} in its statement", _forged(i, change)
        for j in range(len(record["given"])):
            if (id, j) != ("again", 1):
                yield f"{id} without hypothesis {j}", _forged(i, lambda r, j=j: r["given"].pop(j))
            yield (f"{id} with another hypothesis {j}",
                   _forged(i, lambda r, j=j: r["given"].__setitem__(j, r["statement"]))
                   if id == "product" else
                   _forged(i, lambda r, j=j: r["given"].__setitem__(j, ["pi"])))  # fmt: skip


# -- changes of the proof ----------------------------------------------------------------------


def proofs() -> Iterator[Forgery]:
    for i, record in enumerate(good()):
        id, count = record["claim"], len(record["lines"])
        for j in range(count):
            yield f"{id} without line {j}", _forged(i, lambda r, j=j: r["lines"].pop(j))
            for rule in ("chain", "lоgic", "Logic", "logic ", "", "__class__", "believe", 7, None):
                yield (f"{id}: line {j} by {rule!r}",
                       _forged(i, lambda r, j=j, rule=rule: r["lines"][j].__setitem__(0, rule)))  # fmt: skip
            for premise in (
                count,
                -1,
                True,
                0.5,
                "0",
                "nobody",
                None,
                [0],
                10**30,
                "positive\u200b",
            ):

                def change(r: dict[str, Any], j: int = j, premise: Any = premise) -> None:
                    r["lines"][j][1] = [premise]

                yield f"{id}: line {j} from {premise!r:.20}", _forged(i, change)
        if count > 1:
            yield f"{id}: lines the other way round", _forged(i, lambda r: r["lines"].reverse())

        def assumed(r: dict[str, Any]) -> None:
            r["lines"].append(["assume", [], FALSUM])
            r.update(statement=FALSUM, shown=len(r["lines"]) - 1)

        yield f"{id} assumes what it says", _forged(i, assumed)

        def trusted(r: dict[str, Any]) -> None:
            r["lines"].append(["unchecked", [], "hope", [], FALSUM])
            r.update(statement=FALSUM, shown=len(r["lines"]) - 1, axioms=[])

        yield f"{id} hides what it trusts", _forged(i, trusted)
        for shown in (count, -1, True, "nobody", 10**40):
            yield (
                f"{id} is shown by {shown!r:.20}",
                _forged(i, lambda r, s=shown: r.update(shown=s)),
            )
        for axioms in (
            ["fubini"],
            [*record["axioms"], ""],
            [1],
            [record["axioms"]],
            record["axioms"] * 2,
        ):
            if axioms != record["axioms"]:
                yield (f"{id} rests on {axioms!r:.60}",
                       _forged(i, lambda r, a=axioms: r.update(axioms=a)))  # fmt: skip
        for field in _FIELDS:
            yield f"{id} lacks {field}", _forged(i, lambda r, f=field: r.pop(f))
            for value in (None, 1.5, {}):
                yield (f"{id}: {field} is {value!r}",
                       _forged(i, lambda r, f=field, v=value: r.update({f: v})))  # fmt: skip
        for end in (-1, count, "nobody", None, True):
            yield (f"{id}: a step ends at {end!r}",
                   _forged(i, lambda r, e=end: r["steps"][0].__setitem__(2, e)))  # fmt: skip


# The question that the claim `means` asks.
ASKED = ["<=", [["-1", 0, 2], ["-1", 0, 1, 1, 1], ["-1", 1, 2]]]


def answered(entry: list[Any]) -> list[Any]:
    return [3, [], [], [[*ASKED, [entry]]]]


EVIDENCE = {
    "no generators": [0, [], [], []],
    "too few": [1, [], [], []],
    "too many": [65, [], [], []],
    "a negative number of them": [-1, [], [], []],
    "three parts": [3, [], []],
    "no list": {"size": 3},
    "a fact that is none": [3, [], [1], []],
    "a negative fact": [3, [], [-1], []],
    "a unit of zero": [3, [[[["1", 0, 1]], [["1"]], "0"]], [], []],
    "a negative unit": [3, [[[["1", 0, 1]], [["1"]], "-1"]], [], []],
    "a unit of two parts": [3, [[[["1", 0, 1]], [["1"]]]], [], []],
    "answers that are no list": [3, [], [], 5],
    "an answer without a question": [3, [], [], [[[], []]]],
    "another combination": answered(["sign", [["1", 0, 2]], [["1", []]], [["1"]]]),
    "a negative multiplier":
        answered(["sign", [["-1", 0, 2]], [["1", [[[["1", 0, 1]], 2]]]], [["-1"]]]),
    "a multiplier of zero": answered(["sign", [["1", 0, 2]], [], []]),
    "an unknown generator": answered(["sign", [["1", 9, 2]], [], [["1"]]]),
    "a huge exponent": answered(["sign", [["1", 0, 10**9]], [], [["1"]]]),
    "a power of a hundred":
        answered(["sign", [["1", 0, 1]], [["1", [[[["1", 0, 1]], 100]]]], [["1"]]]),
    "a number that is none": answered(["sign", [["nan", 0, 2]], [], [["1"]]]),
    "a division by zero": answered(["sign", [["1/0", 0, 2]], [], [["1"]]]),
    "an unknown table": answered(["magic", [["1", 0, 1]], [["1", 1, 1]]]),
    "another kind of evidence": answered(["oath", [], [], []]),
}  # fmt: skip


def evidence() -> Iterator[Forgery]:
    """Evidence that is none, where some is needed; no other word is changed."""
    ids = [r["claim"] for r in good()]
    for name, data in EVIDENCE.items():
        yield (f"means: {name}",
               _forged(ids.index("means"), lambda r, d=data: r["lines"][0].__setitem__(4, d)))  # fmt: skip
    for number in ("2", "0", "1/2", "-1", "1e3", "inf", " ", "0x10", "9" * 5000):

        def change(r: dict[str, Any], number: str = number) -> None:
            r["lines"][0][4][3][0][2][0][2][0][0] = number

        yield f"means: {number:.10} in the combination", _forged(ids.index("means"), change)


# -- terms that the language has not -------------------------------------------------------------

_deep: list[Any] = ["s", "x", "R"]
for _ in range(200):
    _deep = ["f", "sin", _deep]
TERMS: dict[str, Any] = {
    "too deep": _deep,
    "too long a sum": ["+", *[["n", 1, 1]] * 100_001],
    "an unknown head": ["magic", 1],
    "a head that is a number": [1, 2],
    "a word": "x",
    "nothing": [],
    "a row that is not there": 999,
    "a negative row": -1,
    "a true row": True,
    "a fraction not in lowest terms": ["n", 2, 4],
    "a division by zero": ["n", 1, 0],
    "a negative denominator": ["n", 1, -2],
    "a number that is a word": ["n", "1", 1],
    "a number that is true": ["n", True, 1],
    "a number of too many digits": ["n", 1 << 9000, 1],
    "a symbol of no sort": ["s", "x", "C"],
    "a symbol of two sorts": ["s", "x", "R>0<0"],
    "a Cyrillic letter": ["s", "х", "R"],
    "a letter of full width": ["s", "ｘ", "R"],
    "a letter with an accent": ["s", "x\u0301", "R"],
    "an invisible letter": ["s", "x\u200b", "R"],
    "a letter written from the right": ["s", "\u202ex", "R"],
    "a Greek letter that looks like a Latin one": ["s", "ο", "R"],
    "a digit of another alphabet": ["s", "x١", "R"],
    "a space in a name": ["s", "x y", "R"],
    "brackets in a name": ["s", "x)(", "R"],
    "a name of no letters": ["s", "", "R"],
    "a name that is too long": ["s", "x" * 99, "R"],
    "a power of 0": ["^", 0, 1, ["pi"]],
    "a power not in lowest terms": ["^", 2, 2, ["pi"]],
    "a power of a negative root": ["^", 1, -2, ["pi"]],
    "a power of two arguments": ["^", 2, 1, ["pi"], ["pi"]],
    "a power that is too large": ["^", 1000, 1, ["pi"]],
    "a function of no name": ["f", "gamma", ["pi"]],
    "a function of too many": ["f", "erf", ["pi"], ["pi"]],
    "a function that hides a formula": ["f", "exp", ["=", ["pi"], ["pi"]]],
    "a formula in a sum": ["+", ["not", ["=", ["pi"], ["pi"]]], ["pi"]],
    "orders of another number": ["u", "f", "R", [1, 0], ["pi"]],
    "a negative order": ["u", "f", "R", [-1], ["pi"]],
    "a binder of nothing": ["E", [], [["pi"]], []],
    "a binder of a number": ["sum", [["n", 1, 1]], [["pi"]], [["n", 0, 1], ["n", 1, 1]]],
    "a binder that binds twice": ["E", [["s", "g", "R"], ["s", "g", "R"]], [["pi"]],
                                  [["noise", ["pi"]], ["noise", ["pi"]]]],
    "a sum over the reals": ["sum", [["s", "x", "R"]], [["pi"]], [["n", 0, 1], ["n", 1, 1]]],
    "an endless sum": ["sum", [["s", "i", "Z"]], [["pi"]], [["n", 0, 1], ["oo"]]],
    "a derivative in an integer": ["d", [1], [["s", "n", "Z"]], [["s", "n", "Z"]], [["pi"]]],
    "an expectation without a law": ["E", [["s", "g", "R"]], [["s", "g", "R"]], []],
    "a law of another dimension": ["E", [["s", "g", "R"]], [["s", "g", "R"]],
                                   [["gauss", 2, ["n", 0, 1], ["n", 0, 1]]]],
    "a law of dimension 0": ["E", [["s", "g", "R"]], [["s", "g", "R"]], [["gauss", 0]]],
    "infinity as a number": ["+", ["oo"], ["n", 1, 1]],
    "a text as a number": ["+", ["text", "x"], ["n", 1, 1]],
}  # fmt: skip


def terms() -> Iterator[Forgery]:
    for name, term in TERMS.items():
        yield f"the table has {name}", _forged(0, lambda r, t=term: r["terms"].append(t))
        yield (f"a statement of {name}",
               _forged(0, lambda r, t=term: r.update(statement=["<", ["n", 0, 1], t])))  # fmt: skip


def sizes() -> Iterator[Forgery]:
    def doubled(r: dict[str, Any]) -> None:
        for _ in range(40):
            last = len(r["terms"]) - 1
            r["terms"].append(["+", last, last])

    yield "a table that doubles", _forged(0, doubled)

    def grown(r: dict[str, Any]) -> None:
        # y := y y, again and again.
        r["terms"] += [["s", "y", "R>0"]]
        y = len(r["terms"]) - 1
        r["terms"].append(["*", y, y])
        r["lines"] += [["instance", [1 + j], [[y, y + 1]]] for j in range(60)]

    yield "instances that double", _forged(0, grown)


# -- the file ---------------------------------------------------------------------------------------


def _lines() -> list[str]:
    return text_of(good()).splitlines(keepends=True)


def _again(order: Callable[[list[Any]], list[Any]], header: bool = True) -> Callable[[], str]:
    """The records in another order, with digests made anew."""

    def make() -> str:
        lines = [json.loads(line) for line in _lines()]
        out, before = [], ""
        for record in [*(lines[:1] if header else []), *order(lines[1:])]:
            record = {**record}
            record.pop("digest")
            before = chained_digest(before, record)
            out.append(json.dumps({**record, "digest": before}) + "\n")
        return "".join(out)

    return make


def _raw(change: Callable[[list[str]], Any]) -> Callable[[], str]:
    def make() -> str:
        lines = _lines()
        return "".join(change(lines) or lines)

    return make


def _edit(number: int, old: str, new: str) -> Callable[[], str]:
    def make() -> str:
        lines = _lines()
        assert old in lines[number]
        lines[number] = lines[number].replace(old, new, 1)
        return "".join(lines)

    return make


def files() -> Iterator[Forgery]:
    count = len(_lines())
    for i in range(count):
        yield f"line {i} is gone", _raw(lambda x, i=i: x.pop(i) and None)
        yield f"line {i} stands twice", _raw(lambda x, i=i: x.insert(i, x[i]))
        yield f"line {i} ends early", _raw(lambda x, i=i: x.__setitem__(i, x[i][:-9] + "\n"))
    for i in range(count - 1):
        yield f"line {i} after the next", _raw(lambda x, i=i: [*x[:i], x[i + 1], x[i], *x[i + 2 :]])
        yield f"claim {i} twice, with digests", _again(lambda x, i=i: [*x, x[i]])
        yield f"no claim {i}, with digests", _again(lambda x, i=i: [*x[:i], *x[i + 1 :]])
    yield "the other way round, with digests", _again(lambda x: x[::-1])
    yield "what is cited comes later", _again(lambda x: [x[1], x[0], *x[2:]])
    yield "no header", _again(lambda x: x, header=False)
    yield "nothing", lambda: ""
    yield "a header alone", _raw(lambda x: x[:1])
    yield "two logs in one", _raw(lambda x: x + x)
    yield "no end of the last line", _raw(lambda x: [*x[:-1], x[-1][:-1]])
    yield "an empty line", _raw(lambda x: x.insert(1, "\n"))
    yield "a null", _raw(lambda x: x.append("null\n"))
    yield "a byte order mark", _raw(lambda x: x.insert(0, "\ufeff"))
    yield "another seed", _edit(0, '"seed":1', '"seed":2')
    yield "another format", _edit(0, FORMAT, FORMAT + "1")
    yield "a version that was not there", _edit(0, "{", '{"slrsym":"9",')
    yield "another number of claims", _edit(0, '"claims":7', '"claims":6')
    yield "another label", _edit(1, '"1","rule"', '"1","role"')
    yield "a digest in capitals", _raw(
        lambda x: x.__setitem__(1, json.dumps({**json.loads(x[1]),
                                               "digest": json.loads(x[1])["digest"].upper()}) + "\n")
    )  # fmt: skip
    yield "no digest", _raw(lambda x: x.__setitem__(
        1, json.dumps({k: v for k, v in json.loads(x[1]).items() if k != "digest"}) + "\n"))  # fmt: skip
    yield "the digest of another line", _raw(lambda x: x.__setitem__(
        2, json.dumps({**json.loads(x[2]), "digest": json.loads(x[1])["digest"]}) + "\n"))  # fmt: skip
    for word in ("NaN", "Infinity", "-Infinity", "1e400", "0.0", "1" * 5000, "1.", "0x1", "1_0"):
        yield f"{word:.9} for a number", _edit(1, '"shown":1', f'"shown":{word}')
    yield "a field twice", _edit(1, '"shown":1', '"shown":1,"shown":1')
    yield "one of another name", _edit(1, '"shown":1', '"shоwn":1')
    yield "brackets without end", _raw(lambda x: x.append("[" * 100_000 + "\n"))
    yield "a claim that is a list", _raw(lambda x: x.append("[]\n"))


FORGERIES = dict(f for kind in (statements, proofs, evidence, terms, sizes, files) for f in kind())


def test_the_log_is_good(tmp_path):
    path = tmp_path / "good.log"
    path.write_text(text_of(good()))
    assert [j.id for j in recheck(path)] == [r["claim"] for r in good()]
    assert copy.deepcopy(good()) == good()


# A statement of too long a sum is refused.
@thorough_cases("the table has too long a sum")
@pytest.mark.parametrize("name", FORGERIES)
def test_forged_logs_are_refused(name, tmp_path):
    text = FORGERIES[name]()
    assert text != text_of(good())
    path = tmp_path / "forged.log"
    path.write_text(text, encoding="utf-8")
    with pytest.raises((Rejected, UnicodeDecodeError)):
        recheck(path)


def test_how_many_there_are(capsys):
    with capsys.disabled():
        print(f"\n{len(FORGERIES)} forged logs")
    assert len(FORGERIES) >= 100

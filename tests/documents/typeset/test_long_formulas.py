"""Letters for repeated and wide parts: what they stand for is what was written before."""

from random import Random

import pytest
from sympy import Add, Integer, Rational, Symbol, erf, exp, sqrt

from slrsym.documents.typeset import (
    FormulaPrinter,
    long_formulas,
    to_latex,
    widest_unbreakable_width,
)
from slrsym.documents.typeset.displays import PAGE_WIDTH, equation_rows
from slrsym.documents.typeset.long_formulas import NamedParts

x, y, z = (Symbol(name, positive=True) for name in "xyz")
L = Symbol("L", integer=True, positive=True)


def named(formulas, definitions=None, collected=(), room=30.0):
    return NamedParts(formulas, definitions or {}, collected, FormulaPrinter(laws={}), room)


def resolved(parts):
    """Put in what the letters stand for, from the last to the first."""
    found = list(parts.formulas)
    for letter, meaning in reversed(parts.definitions.items()):
        found = [e.xreplace({letter: meaning}) for e in found]
    return found


def drawn(rng, depth):
    """Draw an expression, in which parts are likely to occur again."""
    if depth == 0:
        return rng.choice([x, y, z, L, x * y, Integer(2), Rational(1, 3)])
    one, two = drawn(rng, depth - 1), drawn(rng, depth - 1)
    return rng.choice([
        lambda: one + two, lambda: one * two - two, lambda: erf(one / sqrt(1 + two**2)),
        lambda: exp(-(one**2)) * two + erf(one), lambda: (L - 3) * one * x + two * x**2,
        lambda: one / (1 + two**2),
    ])()  # fmt: skip


@pytest.mark.parametrize("seed", range(12))
def test_letters_stand_for_what_was_written(seed):
    rng = Random(seed)
    formulas = [drawn(rng, 4) for _ in range(3)]
    other = Symbol("part of it", real=True)
    formulas.append(formulas[0] * other + other**2)
    definitions = {other: drawn(rng, 3)}
    parts = named(formulas, definitions, [x, y], room=rng.choice([8.0, 30.0]))
    numbers = {x: 0.7, y: 1.3, z: 0.4, L: 5}
    for made, given in zip(resolved(parts), formulas, strict=True):
        value = given.xreplace(definitions).subs(numbers).evalf(30)
        assert abs(made.subs(numbers).evalf(30) - value) < 1e-15 * (1 + abs(value))
    known = set()
    for letter, meaning in parts.definitions.items():
        assert meaning.free_symbols & parts.definitions.keys() <= known
        known.add(letter)


def test_a_part_that_repeats_has_a_letter():
    part = erf(x * y / sqrt(1 + 2 * z**2))
    parts = named([part**2 + 1, 3 * part])
    (letter,) = parts.definitions
    assert parts.definitions == {letter: part}
    assert parts.formulas == [letter**2 + 1, 3 * letter]
    assert letter.name == "A_1"
    # A letter of the formulas is not taken.
    a = Symbol("A", real=True)
    assert [s.name for s in named([part**2 + a, a * part]).definitions] == ["B_1"]
    # What is narrow is written again.
    assert named([erf(x) ** 2 + 1, 3 * erf(x)]).definitions == {}


def test_what_is_given_is_put_in_where_it_occurs_once(monkeypatch):
    monkeypatch.setattr(long_formulas, "_SHORT", 0)
    one, two = Symbol("one", real=True), Symbol("two", real=True)
    parts = named([one + two, two**3], {one: two + 1, two: x + y + z})
    (letter,) = parts.definitions
    assert parts.definitions[letter] == x + y + z
    assert parts.formulas == [2 * letter + 1, letter**3]


def test_what_cannot_be_broken_is_made_narrow():
    wide = sqrt(Add(*(Symbol(f"x_{i}", positive=True) for i in range(30))))
    printer = FormulaPrinter(laws={})
    parts = named([1 + wide / (1 + y)], room=20.0)
    shown = [*parts.formulas, *parts.definitions.values()]
    assert len(parts.definitions) == 1
    assert all(widest_unbreakable_width(printer.box(e)) <= 20 for e in shown)


def test_terms_are_collected():
    parts = named([L * x * erf(z) - 3 * x * erf(z) + x * y * z + 2 * x * z], collected=[x])
    text = to_latex(FormulaPrinter(laws={}).box(parts.formulas[0]))
    assert text == r"x\bigl(yz + 2z + (L - 3)\operatorname{erf}(z)\bigr)"


def test_a_row_that_is_too_wide_says_so():
    printer = FormulaPrinter(laws={})
    left = printer.box(x)
    short = equation_rows(left, printer.box(y + z))
    assert short == ["x &= y + z"]
    name = Symbol("averylongnameofasymbolthatcannotbebroken" * 2, real=True)
    (row,) = equation_rows(left, printer.box(name))
    assert row.startswith("% This line is wider than 6.5 in")
    rows = equation_rows(left, printer.box(Add(*(Symbol(f"y_{i}") for i in range(60)))))
    assert len(rows) > 1
    assert all(row.startswith("& ") for row in rows[1:])
    assert printer.box(x + y).width < PAGE_WIDTH

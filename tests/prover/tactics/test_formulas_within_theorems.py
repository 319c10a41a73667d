"""What theorems say as they stand is found without a search, and nothing else is."""

from __future__ import annotations

import pytest

from slrsym.checker.term import definedness_equation
from slrsym.prover.tactics.formulas_within_theorems import find_among_theorems
from slrsym.prover.tactics.subterm_paths import paths_to_subterm
from tests.prover.tactics._shown import emitter_and_context

x, y, z = (("s", name, "R") for name in "xyz")
root = ("^", 1, 2, x)
fact = ("=", y, ("*", z, ("f", "log", root)))


@pytest.fixture
def script():
    return emitter_and_context()[0].script


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (("=", ("*", ("f", "log", root), z), y), True),
        (definedness_equation(root), True),
        (definedness_equation(("f", "log", root)), True),
        (definedness_equation(("f", "exp", root)), False),
        (("=", y, z), False),
    ],
)
def test_what_a_theorem_says_is_found(script, wanted, found):
    shown = [script.add("assume", (), fact)]
    line = find_among_theorems(script, shown, wanted)
    assert (line is not None) == found
    assert line is None or list(line.theorem.hypotheses.values()) == [fact]


def test_what_stands_under_a_binder_is_not_known_to_be_defined(script):
    whole = ("int", (x,), (root,), (y, z))
    shown = [script.add("assume", (), ("=", whole, y))]
    assert find_among_theorems(script, shown, definedness_equation(root)) is None
    assert find_among_theorems(script, shown, definedness_equation(whole)) is not None


def test_nested_sums_are_found_as_flat_ones():
    t = ("f", "exp", ("+", x, ("+", y, ("^", 2, 1, z))))
    assert paths_to_subterm(t, ("+", ("^", 2, 1, z), y, x)) == [(2,)]
    assert paths_to_subterm(t, ("+", y, x)) == []

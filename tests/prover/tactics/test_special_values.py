"""Terms that arithmetic takes as unknown numbers, and values at 0 that it is told."""

from __future__ import annotations

import pytest
from sympy import Abs, Derivative, Eq, Integral, asin, atan, cos, erf, pi, symbols

from slrsym.checker import ProvedClaims, Rejected
from slrsym.checker.term import canonical_key, num
from slrsym.checker.theorem import apply_rule
from slrsym.gaussian import Expectation, OwensT, standard_normal, zeta
from slrsym.prover.tactics.arithmetic import (
    drop_zero_terms,
    opaque_terms,
    prove_by_arithmetic,
    theorems_on_special_values,
)
from slrsym.prover.tactics.emission import ProofEmitter
from slrsym.prover.tactics.translation import Translator

G, H, s, t, y, z = symbols("G H s t y z", real=True)
ZERO, TWO = num(0), num(2)
X, Y, Z = (("s", name, "R") for name in "xyz")
NORMAL = ("gauss", 1, ZERO, num(1))


def f(name, *arguments):
    return ("f", name, *arguments)


def copies(body, *names):
    return ("copies", names, (body,), (TWO, NORMAL))


def mean(body, *names):
    return ("E", names, (body,), (NORMAL,) * len(names))


def E(of, x=G):
    return Expectation(of, standard_normal(x))


# -- zeros ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("term", "value"),
    [
        (f("erf", ZERO), ZERO),
        (f("asin", ZERO), ZERO),
        (f("atan", ("*", X, ZERO)), ZERO),
        (f("exp", ZERO), f("exp", ZERO)),
        (f("zeta", ZERO, X), f("zeta", ZERO, X)),
        (f("erf", X), f("erf", X)),
        (("*", X, ("^", 2, 1, ZERO)), ZERO),
        (("*", X, Y), ("*", X, Y)),
        (("^", 1, 2, ZERO), ZERO),
        (("^", -1, 1, ZERO), ("^", -1, 1, ZERO)),
        (("^", 2, 1, X), ("^", 2, 1, X)),
        (("+", ZERO, X), X),
        (("+", X, ZERO, Y), ("+", X, Y)),
        (("+", ZERO, f("erf", ZERO)), ZERO),
        (mean(("+", X, ("*", ZERO, Y)), Y), mean(X, Y)),
        (("u", "g", "R", (0,), ("+", ZERO, X)), ("u", "g", "R", (0,), ("+", ZERO, X))),
    ],
)
def test_what_is_plainly_zero_is_left_out(term, value):
    assert drop_zero_terms(term) == value


# -- unknown numbers ------------------------------------------------------------------------------


INNER = copies(Y, Y)


@pytest.mark.parametrize(
    ("term", "opaque"),
    [
        (("+", mean(X, X), ("*", Y, mean(f("exp", X), X))), [mean(X, X), mean(f("exp", X), X)]),
        (f("erf", copies(X, X)), [copies(X, X)]),
        # Copies inside of a mean are numbers for it, if they do not depend on its variables.
        (mean(("*", X, INNER), X), [mean(("*", X, INNER), X), INNER]),
        (mean(("+", Z, copies(("*", X, Y), Y)), X), [mean(("+", Z, copies(("*", X, Y), Y)), X)]),
        (copies(("+", X, INNER), X), [copies(("+", X, INNER), X)]),
        (("int", (X,), (mean(X, Y),), (ZERO, num(1))), []),
        (("int", (X,), (X,), (mean(Y, Y), num(1))), [mean(Y, Y)]),
        (("int", (X,), (X,), (ZERO, ("oo",))), [("int", (X,), (X,), (ZERO, ("oo",)))]),
        (("int", (X,), (X,), (("-oo",), Y)), [("int", (X,), (X,), (("-oo",), Y))]),
        (("d", (1,), (X,), (mean(X, Y),), (Z,)), [("d", (1,), (X,), (mean(X, Y),), (Z,))]),
        (("d", (1,), (X,), (("*", X, mean(X, Y)),), (Z,)), []),
    ],
)
def test_which_terms_are_unknown_numbers(term, opaque):
    assert sorted(opaque_terms(term).values()) == sorted(opaque)


# -- values at zero -------------------------------------------------------------------------------


def _values(*exprs, claims=()):
    """Return the equations that are told of the special values in terms, once each."""
    proved, words = ProvedClaims(), Translator()
    for id, left, right in claims:
        said = words.formula(Eq(left, right, evaluate=False))
        proved.enter(id, said, (), apply_rule("unchecked", (), id, (), said))
    emitter = ProofEmitter(None, None, proved)
    lines = theorems_on_special_values(emitter, [words.term(e) for e in exprs])
    return [line.theorem for line in lines], words


AT_ZERO = [
    ("owens-t-at-zero", OwensT(0, s, evaluate=False), atan(s) / (2 * pi)),
    ("zeta-at-zero", zeta(0, s, evaluate=False), 2 * asin(2 * s**2 / (1 + 2 * s**2)) / pi),
]


@pytest.mark.parametrize(
    ("exprs", "equations"),
    [
        ([E(t**2) + 1], [(E(t**2), t**2)]),
        ([E(G * t)], []),
        ([E(t), 2 * E(t)], [(E(t), t)]),
        ([cos(E(t)) * E(y)], [(E(t), t), (E(y), y)]),
        ([E(E(t, H) * G)], []),
        ([OwensT(0, t, evaluate=False)], [(OwensT(0, t, evaluate=False), atan(t) / (2 * pi))]),
        ([OwensT(0, s, evaluate=False)], [(OwensT(0, s, evaluate=False), atan(s) / (2 * pi))]),
        ([OwensT(t, s)], []),
        ([OwensT(t, 0, evaluate=False)], []),
        ([zeta(t, s)], []),
        (
            [Integral(E(t), (y, 0, t)), Derivative(OwensT(y * s, z), y).subs(y, 0)],
            [(OwensT(0, z, evaluate=False), atan(z) / (2 * pi))],
        ),
    ],
)
def test_values_at_zero_are_told(exprs, equations):
    found, words = _values(*exprs, claims=AT_ZERO)
    expected = [words.formula(Eq(*sides, evaluate=False)) for sides in equations]
    assert {canonical_key(q.conclusion) for q in found} == set(map(canonical_key, expected))
    assert len(found) == len(expected)


def test_without_the_claims_nothing_is_told_of_owens_t():
    assert _values(OwensT(0, t, evaluate=False), zeta(0, t, evaluate=False))[0] == []


def test_zeta_at_zero_by_its_definition_and_a_claim():
    found, words = _values(zeta(0, t, evaluate=False), claims=AT_ZERO)
    (left, meaning), (same, value) = (q.conclusion[1:] for q in found)
    assert left == same == words.term(zeta(0, t, evaluate=False))
    assert meaning[0] == "E"
    assert canonical_key(value) == canonical_key(words.term(AT_ZERO[1][2].subs(s, t)))


def test_zeta_without_spread_is_the_square_of_erf():
    found, words = _values(zeta(t, 0, evaluate=False))
    (left, meaning), (constant, value) = (q.conclusion[1:] for q in found)
    assert left == words.term(zeta(t, 0, evaluate=False))
    assert (meaning[0], constant[0]) == ("E", "E")
    assert value == words.term(erf(t) ** 2)


# -- facts ----------------------------------------------------------------------------------------


def proved(goal, *given):
    words, emitter = Translator(), ProofEmitter(None, None, ProvedClaims())
    return prove_by_arithmetic(emitter, words.formula(goal), tuple(map(words.formula, given)))


SLOPE = Derivative(Abs(z), z)


def test_a_fact_that_needs_a_later_one():
    fact = Eq(SLOPE * y, t, evaluate=False)
    proved(Eq(y, t), fact, z > 0)
    proved(Eq(y, -t), fact, z < 0)
    with pytest.raises(Rejected, match="are not known to compare"):
        proved(Eq(y, t), fact, z >= 0)

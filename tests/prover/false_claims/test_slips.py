"""Generated false statements: each is false at its witness, and no rule that fits accepts it."""

from __future__ import annotations

from collections import Counter

import pytest
import sympy as sp

from slrsym.gaussian import Expectation
from slrsym.proof import (
    algebra,
    ball_arithmetic,
    builtin_ledger,
    conditioning,
    definition,
    density,
    differentiate,
    differentiate_under_expectation,
    gaussian_calculus,
    independence,
    inside,
    integral_algebra,
    limits,
    linearity,
    noise_moments,
    peel_copy,
    piecewise,
    price,
    sign,
    signs,
    stein,
    symmetry,
)
from slrsym.prover.rules.axioms import is_soundness_axiom
from slrsym.prover.rules.step import Rule
from slrsym.prover.tactics.judgement import judge_claim
from tests._profile import NIGHTLY, THOROUGH, more

from ._entries import known, link
from ._slips import Slip, fails
from .slips import FAMILIES, G, slips

LEDGER = builtin_ledger()
SLIPS = {str(slip): slip for slip in slips()}

# The rules that could take a statement by its form; at night, those that could not, as well.
_OF_MEANS = (linearity, independence, symmetry(G), stein(G), conditioning(G))
_OTHERS = (definition, integral_algebra, noise_moments, peel_copy, limits, price, signs)
_KINKS = (sp.Abs, sp.Max, sp.Min, sp.Piecewise, sp.Heaviside, sp.sign)


def rules(slip: Slip) -> tuple[Rule, ...]:
    statement = slip.statement
    equal, mean = slip.relation == "=", statement.has(Expectation)
    first = algebra if equal else sign
    chosen: list[Rule] = [first, ball_arithmetic]
    if statement.has(*_KINKS):
        chosen += [piecewise(first), signs]
    if statement.has(sp.Derivative):
        chosen += [differentiate, differentiate_under_expectation]
    if mean and equal and not slip.rhs.has(Expectation):
        chosen.append(density)
    if mean:
        chosen += [*(_OF_MEANS if equal else ()), inside(first), gaussian_calculus]
    if NIGHTLY:
        chosen += [*_OTHERS, sign, algebra, differentiate, *_OF_MEANS, inside(linearity)]
    return tuple(chosen)


def accepted(slip: Slip, by: Rule) -> bool:
    """Whether the proof checker proves it by one rule, whatever the numbers say."""
    proof = link(slip.lhs, slip.relation, slip.rhs, by)
    claim = known("under-test", slip.statement, proof, slip.given)
    found = judge_claim(claim, LEDGER.find, patience=0.02)
    return not found.problem and not any(map(is_soundness_axiom, found.axioms))


@more(NIGHTLY)
@pytest.mark.parametrize("name", list(SLIPS)[:: 1 if NIGHTLY else 12 if THOROUGH else 40])
def test_no_rule_accepts(name):
    slip = SLIPS[name]
    assert slip.reason or fails(slip), "the statement is true at its witness"
    for by in rules(slip):
        assert not accepted(slip, by), f"SOUNDNESS: {by} accepts it"


def test_there_are_enough(capsys):
    made = {name: {str(s) for s in make()} for name, make in FAMILIES.items()}
    count = Counter(next(f for f, names in made.items() if name in names) for name in SLIPS)
    with capsys.disabled():
        print(f"\n{len(SLIPS)} generated false statements")
    assert len(SLIPS) >= 750
    assert min(count.values()) >= 10

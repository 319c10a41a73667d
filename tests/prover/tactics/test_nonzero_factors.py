"""Quantities that are not 0 because a power or product of them is not."""

from __future__ import annotations

import pytest
from sympy import Abs, Eq, Gt, Lt, Ne, Symbol, symbols

from slrsym.proof import algebra, chain, signs
from tests.prover.tactics._shown import is_shown

g, h, t = symbols("g h t", real=True)
s = Symbol("s", positive=True)


@pytest.mark.parametrize(
    ("given", "is_enough"),
    [
        (Gt(g**2, 0), True),
        (Gt(g**4, 0), True),
        (Gt(Abs(g), 0), True),
        (Gt(g * h, 0), True),
        (Lt(-(g**2) * s, 0), True),
        (Ne(g**3, 0), True),
        (Gt(g**2 + h**2, 0), False),
        (Gt(g + 1, 0), False),
    ],
)
def test_what_is_not_zero_by_a_power_or_a_product(given, is_enough):
    assert is_shown(Gt(1 / g**2, 0), chain(1 / g**2).gt(0, by=signs), [given]) == is_enough
    divided = chain((t + g) / g).then(1 + t / g, by=algebra)
    assert is_shown(Eq((t + g) / g, 1 + t / g, evaluate=False), divided, [given]) == is_enough


@pytest.mark.parametrize("power", [g**2, g**4, Abs(g), 3 * g**6])
def test_powers_of_what_is_not_zero_are_positive(power):
    assert is_shown(Gt(power, 0, evaluate=False), chain(power).gt(0, by=signs), [Ne(g, 0)])
    assert not is_shown(Gt(power, 0, evaluate=False), chain(power).gt(0, by=signs))

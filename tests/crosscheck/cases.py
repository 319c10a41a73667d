"""Symbols, laws and checks that tests of the numerical evaluation share."""

from __future__ import annotations

import mpmath
import numpy as np
from sympy import Eq, Rational, oo, symbols

from slrsym.crosscheck import evaluate
from slrsym.gaussian.law import GaussianLaw, standard_normal

R = Rational
t, g, a, b, c, x, y = symbols("t g a b c x y", real=True)
G, H, U, V, W = symbols("G H U V W", real=True)
NORMAL = standard_normal(G)
PAIR = GaussianLaw({U: 0, W: 0}, [[a, c], [c, b]])


def equal(lhs, rhs):
    """The equation as it stands: SymPy is not to decide it."""
    return Eq(lhs, rhs, evaluate=False)


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def assert_zero(expr, point=None, digits=30):
    """The expression vanishes to the digits asked for, on the scale of its terms."""
    value = evaluate(expr, point or {}, digits)
    scale = mpmath.mpf(2) ** value.scale if value.scale > -oo else 0
    assert abs(value.number) + value.error <= scale * mpmath.mpf(10) ** (1 - digits)

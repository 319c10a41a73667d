"""Cofactors, conserved polynomials and constants of LaSalle: found, or refused in words."""

import pytest
from sympy import Function, S, Symbol, exp, symbols

from slrsym.proof.dynamical import (
    find_cofactors,
    find_conserved,
    find_lasalle_constants,
    flow,
)
from slrsym.prover.statements.expressions import ProofError

x, y = symbols("x y", real=True)
delta = Symbol("delta", positive=True)
g = Function("g", real=True)
ROTATION = flow({x: -y, y: x})
PUSHED = flow({x: -x * (2 - x - y**2), y: -y * (1 - x)})


def test_a_cofactor_times_the_function_is_its_velocity():
    F = flow({x: x * (1 - x) * exp(x * y) / (1 + y**2), y: -y * g(x)})
    region = F.region(x, 1 - x, y, x * y)
    for a, k in zip(region.expr, find_cofactors(F, region).expr, strict=True):
        assert (k * a - F.rate_of(a).doit()).simplify() == 0


def test_what_is_kept_is_found():
    assert find_conserved(ROTATION) == (x**2 + y**2,)
    assert find_conserved(flow({x: -g(x * y) * y, y: -g(x * y) * x})) == (x**2 - y**2,)
    assert find_conserved(ROTATION, among=[x**2, y**2, x]) == (x**2 + y**2,)


def test_constants_of_lasalle_are_large_enough():
    found = find_lasalle_constants(
        PUSHED, PUSHED.region(1 - x, x - delta, 3 - y, y), x**2 / 2 + y**2 / 2
    )
    assert found["bound"] == 3
    # |e|^2 + C L V is a sum of squares times weights that are at most C.
    weights = 2 - x - y**2, 1 - x
    for point in ({x: S.One, y: S(3)}, {x: S.Zero, y: S.Zero}, {x: S.One / 2, y: S(3)}):
        assert all(abs(v.xreplace(point)) <= found["factor"] for v in weights)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: find_cofactors(ROTATION, ROTATION.region(x)), "x does not divide its velocity"),
        (lambda: find_conserved(flow({x: -x})), "no polynomial of x of degree 2 or less"),
        (lambda: find_conserved(ROTATION, 7), "degree must be an integer from 1 to 6; got 7"),
        (
            lambda: find_lasalle_constants(PUSHED, PUSHED.region(1 - x, 1 + x, 1 - y), x**2),
            "the region does not bound y from below; give it a function such as y [+] 1",
        ),
        (
            lambda: find_lasalle_constants(
                PUSHED, PUSHED.region(1 - x, x, 1 - y, y), x**2 + exp(y)
            ),
            "the velocity of y is no polynomial times the slope",
        ),
    ],
)
def test_what_is_not_found_is_refused_in_words(call, says):
    with pytest.raises(ProofError, match=says):
        call()

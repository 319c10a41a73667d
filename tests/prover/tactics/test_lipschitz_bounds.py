"""Lipschitz bounds of unknown functions of vectors and of their gradients: proved, or refused."""

from __future__ import annotations

import pytest
from sympy import Ge, Gt, Identity, Le, Symbol, ZeroMatrix, symbols

from slrsym.matrices import ForAllMatrices, Loewner, Size, matrix, smooth_function
from slrsym.proof import Convex, Lipschitz, ProofError, Smooth, lipschitz_bound
from tests.prover.tactics._vector_claims import dot, is_contradicted, most, verdict

d = Size("d")
h, k = smooth_function("h", d), smooth_function("k", d)
v, x, y, z = (matrix(name, d, 1) for name in "vxyz")
K, L = symbols("K L", nonnegative=True)
t, eta = Symbol("t", real=True), Symbol("eta", positive=True)
unit, origin = Identity(d), ZeroMatrix(d, 1)
way, change = y - x, h(y) - h(x)
turn = h.gradient(y) - h.gradient(x)
length, step = dot(h.gradient(z), h.gradient(z)), x - eta * h.gradient(x)
M = Symbol("M", positive=True)
full = x - h.gradient(x) / M
line = lipschitz_bound((x, y))
above = ForAllMatrices(z, Loewner(L * unit, h.hessian(z)))

PROVED = {
    "value": (most(change**2, K**2 * dot(way, way)), line, [Lipschitz(h, K)]),
    "expanded": (most(h(y) ** 2 + h(x) ** 2, 2 * h(x) * h(y) + K**2 * dot(way, way)), line,
                 [Lipschitz(h, K)]),
    "no square as bound": (most(change**2, K * dot(way, way)), line,
                           [ForAllMatrices(z, Le(length, K))]),
    "bound on the left": (most(change**2, K * dot(way, way)), line,
                          [ForAllMatrices(z, Ge(K, length))]),
    "one of two functions": (most(change**2, K**2 * dot(way, way)), line,
                             [Lipschitz(k, L), Lipschitz(h, K)]),
    "step": (most((h(step) - h(x)) ** 2, K**2 * eta**2 * dot(h.gradient(x), h.gradient(x))),
             lipschitz_bound((x, step)), [Lipschitz(h, K)]),
    "origin": (most((h(x) - h(origin)) ** 2, K**2 * dot(x, x)), lipschitz_bound((origin, x)),
               [Lipschitz(h, K)]),
    "gradient": (most(dot(turn, turn), L**2 * dot(way, way)), line, [Smooth(h, L)]),
    "gradient after a step": (
        most(dot(h.gradient(full) - h.gradient(x), h.gradient(full) - h.gradient(x)),
             dot(h.gradient(x), h.gradient(x))), lipschitz_bound((x, full)), [Smooth(h, M)]),
    "gradient, a number": (most(dot(turn, turn), 4 * dot(way, way)), line, [Smooth(h, 2)]),
    "gradient of a convex one": (most(dot(turn, turn), L**2 * dot(way, way)), line,
                                 [Convex(h), above]),
    "gradient, a lower bound within": (most(dot(turn, turn), L**2 * dot(way, way)), line,
                                       [Convex(h, -L / 2), above]),
}  # fmt: skip
WRONG = {
    "half": (change**2, K**2 * dot(way, way) / 2, [Lipschitz(h, K)]),
    "first power": (change**2, K * dot(way, way), [Lipschitz(h, K)]),
    "other function": ((k(y) - k(x)) ** 2, K**2 * dot(way, way), [Lipschitz(h, K)]),
    "length of y": (change**2, K**2 * dot(y, y), [Lipschitz(h, K)]),
    "sum": ((h(x) + h(y)) ** 2, K**2 * dot(way, way), [Lipschitz(h, K)]),
    "below": (K**2 * dot(way, way), change**2, [Lipschitz(h, K)]),
    "gradient, first power": (dot(turn, turn), L * dot(way, way), [Smooth(h, L)]),
    "gradient, half": (dot(turn, turn), L**2 * dot(way, way) / 2, [Smooth(h, L)]),
    "gradient, one side": (dot(turn, turn), L**2 * dot(way, way), [above]),
    "gradient, convex": (dot(turn, turn), L**2 * dot(way, way), [Convex(h)]),
    "value of a smooth one": (change**2, L**2 * dot(way, way), [Smooth(h, L)]),
}  # fmt: skip
REFUSED = {
    "another vector": (most((h(v) - h(x)) ** 2, K**2 * dot(v - x, v - x)), line,
                       [Lipschitz(h, K)], "not known to compare"),
    "no hypothesis": (most(-(change**2), dot(way, way)), line, [],
                      "no hypothesis bounds a gradient or a Hessian"),
    "one side": (most(-dot(turn, turn), dot(way, way)), line, [above], "Smooth bounds both"),
    "a direction": (most(-(change**2), dot(way, way)), line,
                    [ForAllMatrices(z, Le(dot(h.gradient(z), v), K))],
                    "does not bound the squared length of the gradient of h"),
}  # fmt: skip


@pytest.mark.parametrize("name", PROVED)
def test_lipschitz_bounds_are_proved(name):
    found = verdict(*PROVED[name])
    assert found.accepted, found.failure
    assert set(found.axioms) == {"extension matrices", "mean-value-theorem"}


@pytest.mark.parametrize("name", WRONG)
def test_false_variants_are_contradicted(name):
    left, right, given = WRONG[name]
    is_contradicted(verdict(most(left, right), line, [*given, Gt(L, 0), Gt(K, 0)]))


@pytest.mark.parametrize("name", REFUSED)
def test_what_bounds_nothing_is_refused_in_words(name):
    statement, by, given, said = REFUSED[name]
    found = verdict(statement, by, given)
    assert not found.accepted
    assert said in found.failure


def test_ends_of_a_line_are_two_vectors_of_one_size():
    for ends in ((), (x,), ((x, h.hessian(x)),), ((x, t),)):
        with pytest.raises(ProofError, match="lipschitz_bound takes pairs of vectors"):
            lipschitz_bound(*ends)

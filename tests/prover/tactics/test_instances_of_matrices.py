"""Hypotheses for all vectors or matrices, used at some of them, and zero as one of them."""

from __future__ import annotations

import pytest
from sympy import Eq, Ge, Identity, Le, Symbol, Trace, ZeroMatrix, symbols

from slrsym.matrices import ForAllMatrices, Loewner, Size, along, matrix, smooth_function
from slrsym.proof import (
    Bounded,
    Convex,
    ForAll,
    Lipschitz,
    ProofError,
    Smooth,
    instance,
    positive,
    tangent_plane,
    trace_algebra,
)
from tests.prover.tactics._vector_claims import dot, equal, is_contradicted, most, verdict

d, N = Size("d"), Size("N")
h = smooth_function("h", d)
a, b, v, x, y, z = (matrix(name, d, 1) for name in "abvxyz")
A, X, B = matrix("A", d), matrix("X", d, N), matrix("B", N, d)
K, L = symbols("K L", nonnegative=True)
t = Symbol("t", real=True)
unit, origin = Identity(d), ZeroMatrix(d, 1)
below = ForAllMatrices(z, Le(h(z), K))

PROVED = {
    "value": (most(h(A * x), K), instance(below, A * x), [below]),
    "one of two bounds": (most(-K, h(x)), instance(Bounded(h, K), x), [Bounded(h, K)]),
    "by arithmetic": (most(2 * h(x + y) + t, 2 * K + t), instance(below, y + x), [below]),
    "gradient": (most(dot(h.gradient(x), h.gradient(x)), K**2), instance(Lipschitz(h, K), x),
                 [Lipschitz(h, K)]),
    "bent less": (most(Trace(v.T * h.hessian(x) * v), L * dot(v, v)),
                  positive((L * unit - h.hessian(x), v * v.T)), [Smooth(h, L)]),
    "convex": (most(0, Trace(v.T * h.hessian(y + x) * v)),
               positive((h.hessian(y + x), v * v.T)), [Convex(h)]),
}  # fmt: skip
OF_ZERO = {
    "value": (most(h(origin), K), instance(below, 0 * x), [below]),
    "tangent": (most(h(origin) + dot(h.gradient(origin), x), h(x)), tangent_plane((origin, x)),
                [Convex(h)]),
    "difference": (equal(h(x - y + y - x), h(0 * v)), trace_algebra, []),
    "summand": (equal(h(x + origin) * t, t * h(x)), trace_algebra, []),
    "line": (equal(along(h(t * v), (t, 1)), along(h(t * v + origin), (t, 1))), trace_algebra, []),
    "matrix": (equal(Trace((X + ZeroMatrix(d, N)) * B), Trace(X * B)), trace_algebra, []),
}  # fmt: skip
WRONG = {
    "half": (most(h(A * x), K / 2), instance(below, A * x), [below]),
    "other side": (most(K, h(x)), instance(below, x), [below]),
    "hessian": (most(Trace(h.hessian(x)), L), positive((L * unit - h.hessian(x), unit)),
                [Smooth(h, L)]),
    "at zero": (most(h(origin), h(x)), instance(Bounded(h, K), x), [Bounded(h, K)]),
    "zero is another vector": (equal(h(x), h(origin)), trace_algebra, []),
}  # fmt: skip
REFUSED = {
    "another vector": (most(h(A * x), K), instance(below, x), [below],
                       "not known to compare: -K + h(A*x) <= 0"),
    "no hypothesis": (most(h(x), K), instance(below, x), [Bounded(h, K)],
                      "h(z) <= K for all z is no hypothesis"),
    "no relation": (most(h(x), K), instance(Convex(h), x), [Convex(h), below],
                    "hess(h, z) is positive semidefinite for all z says nothing of numbers"),
}  # fmt: skip


@pytest.mark.parametrize("name", PROVED)
def test_a_hypothesis_holds_at_any_vector(name):
    found = verdict(*PROVED[name])
    assert found.accepted, found.failure
    assert not any("unchecked" in axiom for axiom in found.axioms)


@pytest.mark.parametrize("name", OF_ZERO)
def test_zero_is_a_vector(name):
    found = verdict(*OF_ZERO[name])
    assert found.accepted, found.failure


@pytest.mark.parametrize("name", WRONG)
def test_false_variants_are_contradicted(name):
    is_contradicted(verdict(*WRONG[name]))


@pytest.mark.parametrize("name", REFUSED)
def test_what_does_not_follow_is_refused_in_words(name):
    statement, by, given, said = REFUSED[name]
    found = verdict(statement, by, given)
    assert not found.accepted
    assert said in found.failure


def test_values_are_of_the_kind_and_size_of_their_variables():
    both = ForAllMatrices(x, ForAllMatrices(X, Ge(h(x), Trace(X * B))))
    assert instance(instance(both, y), X).values == (y, X)
    assert instance(ForAll(t, Eq(t, t, evaluate=False)), K).values == (K,)
    for make, said in (
        (lambda: instance(below, t), "a value of z is a matrix of size d x 1; got t"),
        (lambda: instance(below, X), "of size d x 1; got X, of size d x N"),
        (lambda: instance(both, x, x), "a value of X is a matrix of size d x N; got x"),
        (lambda: instance(ForAll(t, Le(t, K)), x), "a value of t is a number; got the matrix x"),
        (lambda: instance(below, x, y), "for all z; got 2 values"),
        (lambda: instance(Loewner(A), x), "must be a ForAll or ForAllMatrices"),
    ):
        with pytest.raises(ProofError, match=said.replace("(", r"\(")):
            make()

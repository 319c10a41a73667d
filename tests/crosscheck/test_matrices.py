"""Statements on matrices in coordinates: true ones hold exactly, and wrong ones are refuted."""

from __future__ import annotations

from itertools import permutations

import pytest
from numpy.random import default_rng
from sympy import Eq, Identity, Implies, Le, Ne, Symbol, Trace, exp

from slrsym.crosscheck import Disagreement, Inconclusive, NoPointFound
from slrsym.crosscheck.matrices import compare_matrices
from slrsym.matrices import Loewner, MatrixMean, Size, along, covariance, matrix, mean

d, N = Size("d"), Size("N")
A, B, C, D, H, U, Z = (matrix(name, d) for name in "ABCDHUZ")
X, x = matrix("X", d, N), matrix("x", d, 1)
L, G = (covariance(name, d, definite=True, family="F") for name in "LG")
T, P, K = covariance("T", d), covariance("P", d), matrix("K", d, invertible=True)
u, c = Symbol("u", real=True), Symbol("c", positive=True)
S = X * X.T / N
LAW = (X, L, Identity(N))


def equal(a, b):
    return Eq(a, b, evaluate=False)


def antisymmetric(*letters):
    """Return the sum over permutations with signs of products of traces of cycles."""
    total = 0
    for p in permutations(range(len(letters))):
        left, value = set(range(len(letters))), 1
        while left:
            i = min(left)
            word, sign = [], -1
            while i in left:
                left.discard(i)
                word.append(letters[i])
                sign, i = -sign, p[i]
            product = word[0]
            for m in word[1:]:
                product = product * m
            value *= sign * Trace(product)
        total += value
    return total


MEAN = MatrixMean(Trace(S * A * S * Z), LAW)
VALUE = Trace(L * A * L * Z) + (Trace(L * A.T * L * Z) + Trace(A * L) * Trace(L * Z)) / N
TRUE = {
    "mean": equal(MEAN, VALUE), "trace": equal(Trace(A * B), Trace(B * A)),
    "family": equal(Trace(L * G * A), Trace(G * L * A)), "inverse": equal(Trace(K * K.I), d),
    "along": equal(along(Trace(U * U.T) / u, (U, H)), 2 * Trace(U.T * H) / u),
    "matrices": equal((A * B).T, B.T * A.T), "semidefinite": Loewner(A * T * A.T),
    "bound": Le(0, Trace(T * A * L * A.T)),
    "implication": Implies(Ne(L, G), Loewner(L)),
}  # fmt: skip
WRONG = {
    "transpose": equal(MEAN, VALUE + (Trace(L * A * L * Z) - Trace(L * A.T * L * Z)) / N),
    "one sample": equal(MEAN, VALUE.subs(N, 1)), "many samples": equal(MEAN, Trace(L * A * L * Z)),
    "order": equal(Trace(A * B * C), Trace(A * C * B)),
    "commuting": equal(Trace(T * L * T * L), Trace(T * T * L * L)),
    "two covariances": equal(Trace(P * T * P * T), Trace(P * P * T * T)),
    "sizes": equal(Trace(Identity(d)), Trace(Identity(N))),
    "semidefinite": Loewner(L, 2 * L), "product": Loewner(T * L),
    "along": equal(along(Trace(U * U), (U, H)), 2 * Trace(U.T * H)),
    "three letters": equal(antisymmetric(A, B, C), 0),
    "four letters": equal(antisymmetric(A, B, C, D), 0),
    "inverse": equal(Trace(K.I * K.T), d), "definite": Loewner(T, c * Identity(d)),
}  # fmt: skip


@pytest.mark.parametrize("name", TRUE)
def test_true_statements_hold_exactly(name):
    for seed in range(3):
        compare_matrices(TRUE[name], (), default_rng(seed))


@pytest.mark.parametrize("name", WRONG)
def test_wrong_statements_are_refuted(name):
    with pytest.raises(Disagreement):
        compare_matrices(WRONG[name], (), default_rng(1))


def test_long_means_are_compared_at_sizes_that_tell_wrong_ones_apart():
    """Of four sample covariances, which have millions of monomials at the sizes of shorter ones."""
    word = Trace(S * A * S * B * S * C * S * D)
    value = mean(word, LAW)
    at = compare_matrices(equal(MatrixMean(word, LAW), value), (), default_rng(0)).points
    sizes = [(point[d], point[N]) for point in at]
    assert max(sizes)[0] == 4
    assert any(min(pair) > 1 for pair in sizes)
    for wrong in (value.subs(N, 2), value.subs(B, B.T), value.xreplace({C: D})):
        with pytest.raises(Disagreement):
            compare_matrices(equal(MatrixMean(word, LAW), wrong), (), default_rng(0))


def test_hypotheses_define_letters_or_shrink_numbers():
    definition = equal(G, 2 * L + Identity(d))
    statement = equal(Trace(G * L), 2 * Trace(L * L) + Trace(L))
    compare_matrices(statement, [definition], default_rng(2))
    with pytest.raises(Disagreement):
        compare_matrices(statement, [], default_rng(2))
    for letter, value in ((K, x * x.T), (G, -L), (T, A), (G, A * A.T)):
        with pytest.raises(NoPointFound):
            compare_matrices(statement, [equal(letter, value)], default_rng(6))
    above = Loewner(L, c * Identity(d))
    compare_matrices(Le(c * Trace(T), Trace(L * T)), [above], default_rng(3))
    with pytest.raises(NoPointFound):
        compare_matrices(statement, [Loewner(-L)], default_rng(4))
    with pytest.raises(Inconclusive):
        compare_matrices(equal(exp(Trace(A)), 1), [], default_rng(5))

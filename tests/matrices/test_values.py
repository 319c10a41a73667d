"""Values of means and gradients: in coordinates they are what the definitions say, exactly."""

from __future__ import annotations

import pytest
from numpy.random import default_rng
from sympy import Eq, Identity, MatrixSymbol, S, Symbol, Trace, ZeroMatrix, exp

from slrsym.crosscheck import Disagreement
from slrsym.crosscheck.matrices import compare_matrices
from slrsym.matrices import MatrixMean, Size, along, covariance, gradient, matrix, mean, symmetric
from slrsym.proof import ProofError
from tests._profile import thorough, thorough_only

d, N = Size("d"), Size("N")
A, B, C, U, H, Z = (matrix(name, d) for name in "ABCUHZ")
X, Y, x, y = matrix("X", d, N), matrix("Y", N, d), matrix("x", d, 1), matrix("y", N, 1)
L, G = (covariance(name, d, definite=True, family="F") for name in "LG")
T, K = covariance("T", d), matrix("K", d, invertible=True)
u, c = Symbol("u", real=True), Symbol("c", positive=True)
one = Identity(1)
sample = X * X.T / N
LAW, OF_X = (X, L, Identity(N)), (x, T, one)


def equal(a, b):
    return Eq(a, b, evaluate=False)


NUMBERS = {
    "two factors": (Trace(sample * A) * Trace(sample * B), [LAW]),
    "two vectors": (Trace(x.T * A * x) ** 2 / (1 + u**2), [OF_X]),
    "power": ((u * Trace(x.T * A * X * y) - Trace(y.T * y)) ** 2, [LAW, (y, Identity(N), one)]),
    "both covariances": (Trace(Y * A * Y.T), [(Y, covariance("R", N), T)]),
    "inverse": (Trace(sample * K.I * sample * K.I.T), [LAW]),
    "nothing random": (Trace(A) * c, [LAW]),
    "odd": (Trace(A * x * y.T * Y), [OF_X]),
}
MATRICES = {
    "covariance": (sample, [LAW]),
    "two factors": (sample * A * sample, [LAW]),
    "three factors": ((sample - u * Identity(d)) * A * sample * sample, [LAW]),
    "rectangular": (A * x * x.T * X, [OF_X]),
    "odd": (A * x, [OF_X]),
    "identity": (Identity(d) * u + sample * L.I, [LAW]),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_values_of_numbers(name):
    word, laws = NUMBERS[name]
    found = mean(word, *laws)
    assert not found.has(*(law[0] for law in laws))
    compare_matrices(equal(MatrixMean(word, *laws), found), (), default_rng(0))
    with pytest.raises(Disagreement):
        compare_matrices(equal(MatrixMean(word, *laws), found + Trace(L) / N), (), default_rng(0))


@pytest.mark.parametrize("name", MATRICES)
def test_values_of_matrices(name):
    word, laws = MATRICES[name]
    found = mean(word, *laws)
    assert found.shape == word.shape
    rows, columns = word.shape
    z = matrix("W", columns, rows)
    compare_matrices(
        equal(MatrixMean(Trace(word * z), *laws), Trace(found * z)), (), default_rng(0)
    )


def test_values_that_are_known():
    assert mean(sample, LAW) == L
    assert mean(A * x, OF_X) == ZeroMatrix(d, 1)
    assert mean(x.T * A * x, OF_X) == Trace(A * T)
    assert mean(Trace(sample), (X, Identity(d), Identity(N))) == d
    # A letter called Z is one like others.
    assert mean(Z * sample, LAW) == Z * L
    with pytest.raises(ProofError, match="two symbols are called A"):
        mean(Trace(A * L) * Trace(matrix("A", N)), LAW)


def product_of_samples(count):
    word = sample
    for i in range(count - 1):
        word = word * matrix(f"B_{i}", d) * sample
    return word


@pytest.mark.parametrize(("count", "terms"), [(3, 15), (4, 105), thorough(5, 945)])
def test_pairings_are_counted(count, terms):
    found = mean(Trace(product_of_samples(count)), LAW)
    # At matrices of size 1, each pairing is one: so many terms, with equal ones together.
    ones = dict.fromkeys(found.atoms(Trace), S.One)
    assert found.xreplace({**ones, N: S.One}) == terms


@thorough_only
def test_a_mean_with_10395_terms_is_refused():
    with pytest.raises(ProofError, match="12 Gaussian factors has too many pairings"):
        mean(product_of_samples(6), LAW)


GRADIENTS = {
    "square": Trace(U * U.T),
    "transposes": Trace(U * A * U * B.T) * Trace(U.T * L) ** 2,
    "quotient": Trace(U * K.I * L) * u / (1 + c),
    "other": Trace(A * L),
    "mean": MatrixMean(Trace(sample * U * sample * U.T), LAW),
}


@pytest.mark.parametrize("name", GRADIENTS)
def test_gradients_are_those_of_their_definition(name):
    f = GRADIENTS[name]
    found = gradient(f, U)
    assert found.shape == U.shape
    value = mean(f, LAW)
    compare_matrices(equal(along(value, (U, H)), Trace(found.T * H)), (), default_rng(1))
    slope = gradient(f, u)
    compare_matrices(equal(along(value, (u, 1)), slope), (), default_rng(1))


def test_gradients_in_vectors():
    assert gradient(Trace(x.T * A * x), x).shape == (d, 1)
    assert gradient(Trace(x.T * L * x), x) == 2 * L * x


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: mean(1 / Trace(sample), LAW), "no polynomial in traces"),
        (lambda: mean(exp(Trace(sample)), LAW), "no polynomial in traces"),
        (lambda: mean(Trace(X), LAW), "X is not square: d x N"),
        (lambda: mean(X * X, LAW), "do not match: N, d"),
        (lambda: mean(Trace(X * X.T + X.T * X), LAW), "sizes in the sum"),
        (lambda: mean(Trace(sample.I), LAW), "not declared invertible"),
        (lambda: mean(Trace(A.inverse()), LAW), "not declared invertible"),
        (lambda: mean(Trace(MatrixSymbol("W", d, d)), LAW), "has no declared kind"),
        (lambda: mean(Trace(sample), (X, A, Identity(N))), "A is no covariance"),
        (lambda: mean(Trace(sample)), "one law for each"),
        (lambda: gradient(Trace(L), L), "L is definite; a gradient is in a letter"),
        (lambda: gradient(Trace(L), symmetric("Q", d)), "Q is symmetric"),
        (lambda: gradient(Trace(A), d), "d cannot move"),
        (lambda: gradient(along(Trace(A), (A, H)), A), "no derivatives along a direction"),
        (lambda: gradient(A, A), "write its Trace"),
    ],
)  # fmt: skip
def test_what_has_no_value_is_refused_in_words(make, said):
    with pytest.raises(ProofError, match=said):
        make()


def test_numbers_without_matrices_are_their_own_mean():
    assert mean(c * u, LAW) == c * u
    assert gradient(S(3) * u**2, u) == 6 * u

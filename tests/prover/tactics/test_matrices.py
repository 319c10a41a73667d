"""Claims on matrices that users state and prove, and what is said of those that are refused."""

from __future__ import annotations

import pytest
from sympy import Eq, Ge, Gt, Identity, Le, MatMul, Ne, Symbol, Trace

from slrsym.matrices import Loewner, MatrixMean, Size, along, covariance, matrix, mean
from slrsym.proof import (
    Claim,
    ProofError,
    algebra,
    builtin_ledger,
    chain,
    check_claim,
    definite,
    isserlis,
    positive,
)
from slrsym.proof import trace_algebra as traces
from slrsym.prover.tactics.judgement import judge_claim
from tests._profile import thorough, thorough_only

d, N, r = Size("d"), Size("N"), Size("r")
A, B, H, U, W = (matrix(name, d) for name in "ABHUW")
V, X, g = matrix("V", r, d), matrix("X", d, N), matrix("g", d, 1)
L, G = (covariance(name, d, definite=True, family="F") for name in "LG")
T, K = covariance("T", d), matrix("K", d, invertible=True)
u, c = Symbol("u", real=True), Symbol("c", positive=True)
unit, one = Identity(d), Identity(1)
WHITE, SAMPLES = (g, unit, one), (X, L, Identity(N))
S = X * X.T / N


def verdict(statement, by, hypotheses=()):
    """Check a claim of one step."""
    claim = Claim(id="a", statement=statement, source="test", hypotheses=hypotheses)

    @claim.proof
    def _(goal):
        start = chain(goal.lhs)
        extend = {Eq: start.then, Le: start.le, Ge: start.ge, Gt: start.gt}[type(goal)]
        return extend(goal.rhs, by=by)

    def find(id):
        raise ProofError(f"no claim {id}")

    return check_claim(claim, find)


def equal(a, b):
    return Eq(a, b, evaluate=False)


PROVED = {
    "length": (equal(MatrixMean(Trace(g.T * V.T * V * g), WHITE), Trace(V.T * V)), isserlis),
    "two forms": (equal(
        MatrixMean(Trace(g.T * A * g) * Trace(g.T * B * g), WHITE),
        Trace(A) * Trace(B) + Trace(A * B) + Trace(A * B.T)), isserlis),
    "white cube": (equal(
        MatrixMean(Trace(S * S * S), (X, unit, Identity(N))),
        d * (N**2 + 3 * N * d + 3 * N + d**2 + 3 * d + 4) / N**2), isserlis),
    "sum": (equal(MatrixMean(Trace(S), SAMPLES) + MatrixMean(Trace(S * A), SAMPLES),
                  Trace(L) + Trace(L * A)), isserlis),
    "gradient": (equal(along(Trace(U * A * U.T) / 2, (U, H)),
                       Trace((U * (A + A.T) / 2).T * H)), algebra),
    "turned": (equal(Trace(A * B * W), Trace(W.T * B.T * A.T)), algebra),
    "inverse": (equal(Trace(K.I * A * K), Trace(A)), traces),
    "matrices": (equal(L * G * A + A, (G * L + unit) * A), traces),
    "family": (Ge(Trace(G * L * A * T * A.T), 0), positive((G * L, A * T * A.T))),
    "two terms": (Ge(Trace(A * T * A.T) + 2 * Trace(L), 0),
                  positive((A * T * A.T, unit), (L, unit))),
    "multiple by a trace": (Ge(Trace(L) * Trace(T * A * L * A.T), 0),
                            positive((Trace(L) * T, A * L * A.T))),
    "multiple by a product": (
        Ge(Trace(L * T) * Trace(T) / N + u**2 * Trace(L) * Trace(T), 0),
        positive((Trace(L * T) / N * T, unit), (u**2 * Trace(L) * T, unit))),
}  # fmt: skip
WITH_HYPOTHESES = {
    "orthogonal": (equal(Trace(U * A * U.T), Trace(A)), traces, [equal(U.T * U, unit)]),
    "named sum": (equal(Trace(K.I * (A + B)), d), traces, [equal(K, A + B)]),
    "order": (Ge(Trace(L * T), c * Trace(T)), positive((L - c * unit, T)),
              [Loewner(L, c * unit)]),
    "strict": (Gt(Trace(L * A * G * A.T), Trace(L * B * G * A.T) + Trace(L * (A - B) * G * B.T)),
               definite(L, A - B, G), [Ne(A, B, evaluate=False)]),
    "equal matrices": (equal(A * B, B * B), traces, [equal(A, B)]),
    # A coefficient of a matrix has a trace, which stands beside traces elsewhere.
    "trace in a sum": (
        equal(Trace(A * B * K) * u, u * Trace(L) * Trace(A * B) + u * Trace(A * B * L)),
        traces, [equal(K, Trace(L) * unit + L)]),
    "trace in a sum of vectors": (
        equal(Trace(g.T * A * K.I * K * L * g), Trace(L) * Trace(g.T * A * K.I * L * g)
              + Trace(g.T * A * K.I * L * L * g)),
        traces, [equal(K, Trace(L) * unit + L)]),
}  # fmt: skip


@pytest.mark.parametrize("name", PROVED)
def test_claims_are_proved(name):
    found = verdict(*PROVED[name])
    assert found.accepted, found.failure
    assert set(found.axioms) <= {"isserlis", "extension matrices"}


@pytest.mark.parametrize("name", WITH_HYPOTHESES)
def test_claims_with_hypotheses_are_proved(name):
    found = verdict(*WITH_HYPOTHESES[name])
    assert found.accepted, found.failure


REFUSED = {
    "another value": (equal(MatrixMean(Trace(g.T * A * g), WHITE), 2 * Trace(A)), isserlis),
    "no mean": (equal(Trace(A), Trace(A.T)), isserlis),
    "quotient": (equal(MatrixMean(1 / Trace(S), SAMPLES), 1 / Trace(L)), isserlis),
    "order of factors": (equal(Trace(A * B * W), Trace(B * A * W)), algebra),
    "not of a family": (Ge(Trace(T * L * T * A), 0), positive((T * L, T * A))),
    "negative": (Le(Trace(L), 0), positive((L, unit))),
    "multiple by any trace": (Ge(Trace(A) * Trace(T), 0), positive((Trace(A) * T, unit))),
    "multiple by a trace of three": (
        Ge(Trace(L * T * A) * Trace(T), 0), positive((Trace(L * T * A) * T, unit))),
    "multiple less": (Ge(Trace(L) * Trace(T) - Trace(T), 0), positive(((Trace(L) - 1) * T, unit))),
    "may be equal": (Gt(Trace(L * (A - B) * G * (A - B).T), 0), definite(L, A - B, G)),
    "not definite": (Gt(Trace(L * A * T * A.T), 0), definite(L, A, T)),
    "no equation": (equal(Trace(U * A * U.T), Trace(A)), traces),
    "shape": (equal(Trace(X * X), Trace(X * X)), algebra),
    "inverse": (equal(Trace(A.inverse() * B), Trace(B * A.inverse())), algebra),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_claims_are_refused(name):
    found = verdict(*REFUSED[name])
    assert not found.accepted
    assert found.failure


def test_positive_takes_pairs():
    for pairs in ((), ((L,),), ((L, L, L),)):
        with pytest.raises(ProofError, match="positive takes pairs"):
            positive(*pairs)


def mean_of_samples(count, more=0):
    """Return why a mean of samples with matrices between is not shown; some number may be added."""
    between = [matrix(name, d) for name in "PQRYZ"][-count:]
    word = Trace(MatMul(*(part for other in between for part in (S, other))))
    node, value = MatrixMean(word, SAMPLES), mean(word, SAMPLES) + more
    assert len(value.atoms(Trace)) > 64
    claim = Claim(id="a", statement=Eq(node, value, evaluate=False), source="test")
    claim.proof(lambda goal: chain(node).then(value, by=isserlis))
    return judge_claim(claim, builtin_ledger().find).refusals["1"]


@pytest.mark.parametrize("count", [4, thorough(5)])
def test_a_mean_with_more_different_traces_than_arithmetic_takes(count):
    """Of four sample covariances with three matrices between: 105 terms in 96 traces."""
    assert mean_of_samples(count) == ""


@thorough_only
def test_a_wrong_mean_with_many_traces():
    assert "more generators" in mean_of_samples(4, Trace(L))

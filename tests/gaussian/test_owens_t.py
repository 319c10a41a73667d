"""SymPy's own Owen's T, which comes with version 1.15: accepted, returned, rewritten both ways."""

from typing import Any

import numpy as np
import pytest
import scipy.special
import sympy
from sympy import Derivative, Eq, Integral, Symbol, erf, exp, pi, sqrt, symbols

import slrsym
import slrsym.gaussian
from slrsym.gaussian import Expectation, GaussianLaw, OwensT, expectation, standard_normal
from slrsym.kernels.compile import compile_expressions
from slrsym.models import Direction, Predictor, Token, TokenSequence, model
from slrsym.proof import Claim, ProofError, chain, differentiate, lemma
from slrsym.prover.claims.check import check_claim
from tests._owens_t import owens_t as stub

h, a, t, g = symbols("h a t g", real=True)
G = Symbol("G", real=True)


@pytest.fixture
def owens_t(monkeypatch) -> Any:
    """SymPy's function; the stand-in for it if this SymPy has none."""
    monkeypatch.setattr(sympy, "owens_t", getattr(sympy, "owens_t", stub), raising=False)
    return sympy.owens_t


@pytest.fixture
def no_owens_t(monkeypatch) -> None:
    """A SymPy without the function."""
    monkeypatch.delattr(sympy, "owens_t", raising=False)


def test_one_is_rewritten_into_the_other(owens_t):
    assert OwensT(h, a).rewrite("owens_t") == owens_t(h, a)
    assert OwensT(h, a).rewrite(owens_t) == owens_t(h, a)
    assert owens_t(h, a).replace(owens_t, OwensT) == OwensT(h, a)
    # The order of the arguments is the same.
    value = owens_t(1, 2).rewrite(Integral).evalf(15)
    assert abs(value - OwensT(1, 2).evalf(15)) < 1e-14
    assert str(OwensT(h, a)) == str(owens_t(h, a)) == "owens_t(h, a)"


def test_the_public_name_is_that_of_what_is_returned(owens_t):
    assert slrsym.gaussian.owens_t is owens_t


@pytest.mark.usefixtures("no_owens_t")
def test_without_it_our_own_is_returned():
    assert slrsym.gaussian.owens_t is OwensT
    assert expectation(erf(t + G) ** 2, standard_normal(G)).has(OwensT)
    assert OwensT(h, a).rewrite("owens_t") == OwensT(h, a)


def test_expectations_are_given_in_it(owens_t):
    law = standard_normal(G)
    expected = 1 - 8 * owens_t(sqrt(6) * t / 3, sqrt(5) / 5)
    value, trace = expectation(erf(t + G) ** 2, law, trace=True)
    assert value == expected == Expectation(erf(t + G) ** 2, law).doit()
    assert trace.steps[-1].rhs == expected
    assert not any(step.lhs.has(OwensT) or step.rhs.has(OwensT) for step in trace)
    assert expectation([erf(t + G) ** 2], law) == [expected]


def test_expectations_of_it_and_under_it(owens_t):
    assert expectation(owens_t(h, a) * G**2, standard_normal(G)) == owens_t(h, a)
    law = GaussianLaw({G: owens_t(h, a)}, [[1 + owens_t(h, a) ** 2]])
    assert law == GaussianLaw({G: OwensT(h, a)}, [[1 + OwensT(h, a) ** 2]])
    assert expectation(G, law) == owens_t(h, a)
    assert Expectation(owens_t(1, G), standard_normal(G)) == Expectation(
        OwensT(1, G), standard_normal(G)
    )


def test_claims_and_proofs_take_it(owens_t):
    """The two proofs name it; the claims that they use are stated in our own."""
    slope = exp(-(h**2) * (1 + a**2) / 2) / (2 * pi * (1 + a**2))
    claim = Claim(
        id="theirs",
        statement=Eq(Derivative(owens_t(h, a) + a, a), slope + 1, evaluate=False),
        source="new",
        hypotheses=[owens_t(h, a) < 1],
    )
    assert claim.statement == Eq(Derivative(OwensT(h, a) + a, a), slope + 1, evaluate=False)
    assert claim.hypotheses == (OwensT(h, a) < 1,)

    @claim.proof
    def _(goal: Any) -> Any:
        """By the derivative of T."""
        return chain(goal.lhs).then(goal.rhs, by=differentiate)

    assert check_claim(claim, slrsym.ledger().find).accepted

    symmetric = Claim(
        id="symmetric",
        statement=Eq(8 * owens_t(h, a) - erf(a) + 2 * owens_t(-h, -a), 6 * OwensT(h, a) - erf(a)),
        source="new",
    )
    assert symmetric.statement.rhs.has(OwensT)
    assert not symmetric.statement.has(owens_t)
    assert chain(owens_t(h, a)).then(owens_t(h, a) + 0, by=differentiate).end == OwensT(h, a)
    assert (
        lemma("owens-t-at-one", h=owens_t(h, a)).values
        == lemma("owens-t-at-one", h=OwensT(h, a)).values
    )


@pytest.mark.usefixtures("owens_t")
@pytest.mark.parametrize("hypothesis", ["h > 0", 1])
def test_what_is_no_hypothesis_is_still_refused(hypothesis):
    with pytest.raises(ProofError, match="cannot hold"):
        Claim(id="none", statement=Eq(h, a), source="new", hypotheses=[hypothesis])


@pytest.mark.parametrize("backend", ["numpy", "mpmath"])
def test_kernels_take_it(owens_t, backend):
    kernel = compile_expressions([owens_t(h, a)], [h, a], [], backend)
    (value,) = kernel(np.array([0.5, 1.5])) if backend == "numpy" else kernel([0.5, 1.5])
    assert float(value) == pytest.approx(scipy.special.owens_t(0.5, 1.5), rel=1e-14)


def test_models_take_it(owens_t):
    k_star, k = Direction("k^*", unit=True), Direction("k", sphere=True)
    token = Token(mean=k_star, target=lambda X: X @ k_star)
    first, second = (
        model(TokenSequence({token: 1}), Predictor(lambda X, T=T: T(1, X @ k))).risk
        for T in (owens_t, OwensT)
    )
    assert first == second

"""The claims about flows of the models of the how-to pages: proved, or refused in words.

Of each model, the Gram determinant stays not negative and the risk falls; where neither is stated,
a message says why. None of them has a quadratic function that is seen to be conserved.
"""

from __future__ import annotations

import pytest
from sympy import Max, Rational, Symbol, erf, sign, sqrt, symbols, tanh

from slrsym.gaussian import normal_cdf
from slrsym.models import Direction, Directions, Noise, Predictor, Token, TokenSequence, model
from slrsym.proof import Ledger, check_claim
from tests._profile import nightly_only, thorough

u, w, v = Direction("u", unit=True), Direction("w"), Direction("v")
R, Q = Symbol("R", real=True), Symbol("Q", positive=True)
sigma, kappa = Symbol("sigma", nonnegative=True), Symbol("kappa", positive=True)
d, mu, lam = symbols("d mu lambda", positive=True)
NAMES = {w @ u: R, w @ w: Q}


def unit(z):
    return erf(z / sqrt(2))


def learner(data, predictor, **more):
    return model(data, Predictor(predictor), **({"names": NAMES} | more))


def teacher(target, **more):
    return TokenSequence({Token(target=target): 1}, **more)


def mixture(loss):
    tokens = [Token(mean=c * mu * u, target=lambda X, c=c: c, name=f"class {c}") for c in (1, -1)]
    data = TokenSequence([({token: 1}, 0.5) for token in tokens])
    return learner(data, lambda X: X @ w, loss=loss)


def relus():
    teachers, students = Directions("t", 2, unit=True), Directions("w", 2)
    return learner(
        teacher(lambda X: teachers.sum(lambda t: Max(0, X @ t))),
        lambda X: students.sum(lambda x: Max(0, X @ x)),
        inner_products={teachers @ teachers: 0}, names={},
    )  # fmt: skip


def outputs():
    second = Direction("s", unit=True)
    return learner(
        teacher(lambda X: [X @ u, erf(X @ second)]), lambda X: [erf(X @ w), (X @ w) + (X @ v)],
        inner_products={u @ second: 0}, names={},
    )  # fmt: skip


def committee():
    return learner(teacher(lambda X: unit(X @ u)), lambda X: unit(X @ w) + unit(X @ v), names={})


# By page; the slow ones are left to ci.
PROVED = {
    "equations: linear": lambda: learner(teacher(lambda X: X @ u, noise=sigma), lambda X: X @ w),
    "batches: ridge": lambda: learner(
        teacher(lambda X: X @ u, noise=sigma), lambda X: X @ w, ridge=kappa),
    "batches: phase retrieval": lambda: learner(
        teacher(lambda X: (X @ u) ** 2), lambda X: (X @ w) ** 2),
    "flows: erf": lambda: learner(teacher(lambda X: unit(X @ u)), lambda X: unit(X @ w)),
    "models: relu": lambda: learner(teacher(lambda X: Max(0, X @ u)), lambda X: Max(0, X @ w)),
    "models: committee": committee,
    "outputs: autoencoder": lambda: learner(
        TokenSequence({Token(cov={1: 1, u: 1.5}, target=lambda X: X): 1}), lambda X: (X @ w) * w),
    "outputs: length": lambda: learner(teacher(lambda X: X @ u), lambda X: (X @ w) / (w @ w)),
    "losses: hinge": lambda: mixture("hinge"),
    "losses: exponential": lambda: mixture("exponential"),
    "outputs: list": outputs,
    "models: two relus": relus,
}  # fmt: skip
QUICK = {"equations: linear", "outputs: length"}
# These are proved one by one, of both kinds together in more than a minute.
LONG = {"models: committee", "outputs: list", "models: two relus"}


def statuses(claims):
    ledger = Ledger({claim.id: claim for claim in claims})
    return {row.id: row.status for row in ledger.verify()}


@pytest.mark.parametrize(
    "name", [n if n in QUICK else thorough(n) for n in PROVED if n not in LONG]
)
def test_the_risk_of_a_model_of_the_pages_falls(name):
    found = statuses(PROVED[name]().equations("gradient-flow").flow_claims(name="own"))
    assert {"own-flow-gram-kept", "own-flow-risk-falls"} <= found.keys()
    assert set(found.values()) == {"proved"}, found


# Of these, a claim takes up to half a minute.
SLOW = {
    "models: attention": lambda: attention(erf),
    "outputs: linear attention": lambda: linear_attention(),
}
GRAM, SLOPE = ("gram-form", "gram-rate", "gram-kept"), ("squares", "form", "ratio", "slope")


@pytest.mark.parametrize(
    ("name", "claims"),
    [
        thorough("models: committee", SLOPE),
        *(thorough(n, GRAM) for n in sorted(LONG)),
        *(pytest.param(n, (*GRAM, *SLOPE, "risk-falls"), marks=nightly_only) for n in SLOW),
    ],
)
def test_parts_of_the_claims_on_longer_models_are_proved(name, claims):
    """Without the velocities, whose proofs are like those of shorter models."""
    made = (PROVED | SLOW)[name]().equations("gradient-flow").flow_claims(name="own")
    ledger = Ledger({claim.id: claim for claim in made})
    for part in claims:
        verdict = check_claim(ledger.find(f"own-flow-{part}"), ledger.find)
        assert verdict.accepted, verdict.failure


def attention(activation, angle=0):
    k_star, v_star = Direction("k^*", unit=True), Direction("v^*", unit=True)
    k, value = Direction("k", sphere=True), Direction("v", sphere=True)
    told = Token(mean=sqrt(d / 2) * k_star, cov=0.5, target=lambda X: X @ v_star)
    return learner(
        TokenSequence({told: 1, Token(): 9}), lambda X: activation(lam * (X @ k)) * (X @ value),
        inner_products={k_star @ v_star: angle}, names={},
    )  # fmt: skip


def noisy_sign():
    label = Token(target=lambda X: sign(X @ u + sqrt(mu) * (X @ Noise("xi"))))
    return learner(TokenSequence({label: 1}), lambda X: X @ w, loss="logistic")


def plateau():
    K = Symbol("K", integer=True, positive=True)
    students, teachers = Directions("w", K), Directions("u", K, unit=True)
    return learner(
        teacher(lambda X: teachers.sum(lambda x: unit(X @ x))),
        lambda X: students.sum(lambda x: unit(X @ x)),
        inner_products={teachers @ teachers: 0}, names={},
    )  # fmt: skip


def linear_attention():
    q, k, value = Direction("q"), Direction("k"), Direction("v")
    told = Token(mean=u, target=lambda X: X @ u)
    predictor = Predictor(
        sums=[lambda X: X @ q, lambda X: (X @ k) * (X @ value)], readout=lambda s, t: s * t
    )
    count = Symbol("L", integer=True, positive=True)
    return model(TokenSequence({told: 1, Token(): count - 1}), predictor)


TOO_LONG = "operations in 5 coordinates, [0-9]+ together, and at most 60000"
REFUSED = {
    "losses: logistic": (noisy_sign, "no closed form of smooth functions"),
    "models: tanh": (
        lambda: learner(teacher(lambda X: tanh(X @ u)), lambda X: tanh(X @ w)),
        "no closed form of smooth functions"),
    "models: plateau": (plateau, "units whose number is a symbol"),
    "models: angle": (lambda: attention(erf, Rational(1, 2)), TOO_LONG),
    "models: probit": (lambda: attention(normal_cdf), TOO_LONG),
}  # fmt: skip


@pytest.mark.parametrize("name", [n if n.startswith("losses") else thorough(n) for n in REFUSED])
def test_others_of_the_pages_are_refused_in_words(name):
    made, says = REFUSED[name]
    equations = made().equations("gradient-flow")
    with pytest.raises(ValueError, match=says):
        equations.flow_claims("risk-falls")

"""Gradient flows of models as data, and claims about them that are proved without a hand."""

from __future__ import annotations

import pytest
from sympy import Max, Symbol, count_ops, erf, sin, sqrt, tanh

from slrsym.models import Direction, Directions, Predictor, Token, TokenSequence, model
from slrsym.proof import Ledger
from slrsym.prover.claims.registration import record_created_claims
from tests._profile import thorough, thorough_only

u, w = Direction("u", unit=True), Direction("w")
R, Q, a = Symbol("R", real=True), Symbol("Q", positive=True), Symbol("a", real=True)
_Q = Symbol("Q", real=True)


def student(activation, sphere=False, scale=1, ridge=0):
    x = Direction("w", sphere=True) if sphere else w
    names = {} if sphere else {w @ u: R, w @ w: Q}
    data = TokenSequence({Token(target=lambda X: activation(X @ u)): 1})
    return model(data, Predictor(lambda X: scale * activation(X @ x)), names=names, ridge=ridge)


def unit(z):
    return erf(z / sqrt(2))


def of_two(units):
    x = Direction("v")
    data = TokenSequence({Token(target=lambda X: unit(X @ u)): 1})
    return model(data, Predictor(lambda X: units(X @ w) + units(X @ x)))


MODELS = {
    "linear": (lambda z: z, {}, ()),
    "erf": (unit, {}, (1 + _Q, 1 + 2 * _Q, 2 + 2 * _Q - R**2)),
    "sphere": (unit, {"sphere": True}, None),
    "relu": (lambda z: Max(0, z), {}, (_Q, _Q - R**2)),
    "square": (lambda z: z**2, {}, ()),
    "sine": (sin, {}, ()),
    # The penalty is part of the risk that falls.
    "ridge": (lambda z: z, {"ridge": Symbol("kappa", positive=True)}, ()),
}
OTHERS = {
    "two": lambda: of_two(unit).equations("gradient-flow"),
    "scaled": lambda: student(lambda z: z, scale=a).equations("gradient-flow", train=[a]),
}


def statuses(claims):
    ledger = Ledger()
    for claim in claims:
        ledger.add(claim)
    return {row.id: row.status for row in ledger.verify()}


@pytest.mark.parametrize("name", [n if n in ("linear", "ridge") else thorough(n) for n in MODELS])
def test_the_gram_matrix_stays_one_and_the_risk_falls(name):
    activation, more, domain = MODELS[name]
    equations = student(activation, **more).equations("gradient-flow")
    if domain is not None:
        positive = [h for h in equations.flow().positive if h != 1]
        assert {h.expand() for h in positive} == {h.expand() for h in domain}
    found = statuses(equations.flow_claims("gram-kept", "risk-falls", name=name))
    assert set(found.values()) == {"proved"}, found
    assert {f"{name}-flow-gram-kept", f"{name}-flow-risk-falls"} <= found.keys()


def test_each_claim_is_made_once(tmp_path):
    """A file that makes two claims of one id states something that is refused."""
    equations = student(lambda z: z).equations("gradient-flow")
    with record_created_claims(tmp_path / "mine.py") as made:
        returned = equations.flow_claims()
    assert {claim.id for claim in returned} == {claim.id for claim in made}
    assert len(made) == len(returned)


@thorough_only
@pytest.mark.parametrize("name", [n if n == "scaled" else thorough(n) for n in OTHERS])
def test_of_two_directions_and_of_a_scalar_the_risk_falls(name):
    found = statuses(OTHERS[name]().flow_claims("gram-kept", "risk-falls", name=name))
    assert set(found.values()) == {"proved"}, found
    assert {f"{name}-flow-gram-kept", f"{name}-flow-risk-falls"} <= found.keys()


def test_two_layers_keep_the_difference_of_their_squares():
    equations = student(lambda z: z, scale=a).equations("gradient-flow", train=[a])
    (claim,) = equations.flow_claims("conserved")
    assert claim.statement.function.expr[0] == _Q - a**2
    ledger = Ledger()
    ledger.add(claim)
    (row,) = ledger.verify()
    assert row.status == "proved"
    # With other rates it is not conserved, and nothing is said of it.
    other = student(lambda z: z, scale=a).equations("gradient-flow", train=[a], rate={w: 1, a: 2})
    with pytest.raises(ValueError, match="all rates are equal; here rates are"):
        other.flow_claims("conserved")


def test_a_rate_of_the_wrong_sign_is_not_proved():
    """The velocities backwards in time: the risk rises."""
    from slrsym.models.claims.flow_claims import FlowClaims

    made = FlowClaims(student(lambda z: z).equations("gradient-flow"), "linear", "here")
    made.risk = -made.risk
    made.slopes = {p: -slope for p, slope in made.slopes.items()}
    assert "failed" in statuses(made.risk_falls()).values()


K = Symbol("K", integer=True, positive=True)


def committee():
    students, teachers = Directions("w", K), Directions("u", K, unit=True)
    data = TokenSequence({Token(target=lambda X: teachers.sum(lambda x: unit(X @ x))): 1})
    return model(
        data,
        Predictor(lambda X: students.sum(lambda x: unit(X @ x))),
        inner_products={teachers @ teachers: 0},
    )


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: student(unit).equations("online-sgd").flow(), "a flow is that of gradient-flow"),
        (
            lambda: student(tanh).equations("gradient-flow").flow(),
            "the equations have no closed form of smooth functions",
        ),
        (
            lambda: student(unit).equations("gradient-flow", decay=1).flow_claims("risk-falls"),
            "the risk may rise where weights decay, and w does; leave decay out",
        ),
        (
            lambda: student(unit).equations("gradient-flow").flow_claims("conserved"),
            "no quadratic function is seen to be conserved",
        ),
        (
            lambda: student(unit).equations("gradient-flow").flow_claims("falls"),
            "about must be some of gram-kept, .*, rates, few-starts; got 'falls'",
        ),
        (
            lambda: committee().equations("gradient-flow").flow_claims(),
            "this model has units whose number is a symbol",
        ),
    ],
)
def test_the_others_are_refused_in_words(call, says):
    with pytest.raises(ValueError, match=says):
        call()


def test_velocities_that_are_too_long_are_refused_before_they_are_written(monkeypatch):
    monkeypatch.setattr("slrsym.models.claims.flow_claims._LONGEST", 5)
    equations = student(lambda z: z).equations("gradient-flow")
    with pytest.raises(
        ValueError, match=r"[0-9]+ operations in 2 coordinates, [0-9]+ together, and at most 5"
    ):
        equations.flow_claims()
    assert "drift" not in vars(equations)


def test_operations_of_velocities_are_counted_before_they_are_written():
    equations = student(unit).equations("gradient-flow")
    found = equations.count_drift_operations(most=10**6)
    assert found == pytest.approx(sum(map(count_ops, equations.drift)), rel=0.03)
    # Above a limit counting ends.
    assert 20 < equations.count_drift_operations(most=20) < found / 2

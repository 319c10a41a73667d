"""Claims about losses, lists and vectors: what they say, which are proved, which are refused."""

import pytest
from sympy import Expr, Rational, Symbol, exp, expand, sign

from slrsym.models import Direction, Predictor, Token, TokenSequence, model
from slrsym.proof import builtin_ledger, check_claim
from tests._profile import thorough_cases

Q, R = Symbol("Q", positive=True), Symbol("R", real=True)
mu, eta = Symbol("mu", positive=True), Symbol("eta", positive=True)
w, u = Direction("w"), Direction("u", unit=True)
NAMES = {w @ w: Q, w @ u: R}


def of_classes(loss):
    plus, minus = (Token(mean=s * mu * u, target=lambda X, s=s: s) for s in (1, -1))
    half = Rational(1, 2)
    data = TokenSequence([({plus: 1}, half), ({minus: 1}, half)])
    return model(data, Predictor(lambda X: X @ w), loss=loss, names=NAMES)


def of_lists():
    data = TokenSequence({Token(target=lambda X: [X @ u, 0]): 1})
    return model(data, Predictor(lambda X: [X @ w, 2 * (X @ w)]), names=NAMES)


def autoencoder():
    data = TokenSequence({Token(cov={1: 1, u: 3}, target=lambda X: X): 1})
    return model(data, Predictor(lambda X: (X @ w) * w), names=NAMES)


def claims_of(stated):
    return [c for c in stated.claims("m") if "projections" not in c.id], stated.equations(
        "online-sgd", rate=eta
    ).claims("m")


def verdicts(stated):
    find = builtin_ledger().find
    return {c.id: check_claim(c, find).accepted for part in claims_of(stated) for c in part}


ALL = ["m-risk", "m-gradient", "m-drift-1", "m-noise-1", "m-drift-2"]


@thorough_cases("lists", "hinge")
@pytest.mark.parametrize(
    "state",
    [pytest.param(lambda: of_classes("exponential"), id="exponential"),
     pytest.param(of_lists, id="lists"), pytest.param(autoencoder, id="vectors"),
     pytest.param(lambda: of_classes("hinge"), id="hinge"),
     pytest.param(lambda: of_classes("perceptron"), id="perceptron")],
)  # fmt: skip
def test_claims_about_losses_with_closed_forms_are_proved(state):
    assert verdicts(state()) == dict.fromkeys(ALL, True)


def test_claims_about_the_exponential_loss_are_what_is_found_by_hand():
    """With D = exp(-y w x), E D is E = exp(Q/2 - mu R), and D_x = -y D."""
    (risk, _), motion = claims_of(of_classes("exponential"))
    E = exp(Q / 2 - mu * R)
    known = {
        "m-risk": E,
        # The means of y X w and of y X u under the density that D weighs.
        "m-drift-1": 2 * eta * (mu * R - Q) * E,
        "m-noise-1": eta**2 * exp(2 * Q - 2 * mu * R),
        "m-drift-2": eta * (mu - R) * E,
    }
    assert [c.id for c in (risk, *motion)] == list(known)
    for claim, expected in zip((risk, *motion), known.values(), strict=True):
        for side in claim.statement.args:
            assert abs(_value(side.doit()) - _value(expected)) < 1e-14


def _value(expr: Expr) -> float:
    return float(expr.subs({Q: 1.1, R: 0.4, mu: 0.7, eta: 0.3}))


def test_a_slip_in_a_claim_about_a_loss_is_refused():
    equations = of_lists().equations("gradient-flow", rate=eta)
    equations.__dict__["drift"] = equations.drift * Rational(999, 1000)
    assert check_claim(equations.claims("m")[0], builtin_ledger().find).accepted is False


@pytest.mark.parametrize("loss", ["hinge", "squared hinge"])
def test_claims_about_margins_say_what_the_equations_do(loss):
    """Both sides have one value; squares of steps stand as steps."""
    for part in claims_of(of_classes(loss)):
        for claim in part:
            if claim.id != "m-gradient":
                left, right = map(_value, (x.doit() for x in claim.statement.args))
                assert abs(left - right) < 1e-13, claim


def test_what_has_no_closed_form_or_is_a_readout_is_refused_in_words():
    logistic = of_classes("logistic")
    assert all("projections" in c.id for c in logistic.claims("m"))
    equations = logistic.equations("gradient-flow", rate=eta)
    with pytest.raises(ValueError, match=r"the drift of Q is a quadrature in 1 dimension; m\."):
        equations.claims("m")
    data = TokenSequence({Token(target=lambda X: X @ u): 1, Token(): 2})
    readout = Predictor(sums=[lambda X: X @ w, lambda X: X @ w], readout=lambda s, t: s * t)
    stated = model(data, readout)
    for of in (stated, stated.equations("gradient-flow")):
        with pytest.raises(ValueError, match="this is a readout of several sums, whose mean squ"):
            of.claims("m")


def test_a_label_is_a_function_of_the_projections_in_a_claim():
    data = TokenSequence({Token(target=lambda X: sign(X @ u)): 1})
    stated = model(data, Predictor(lambda X: X @ w), loss="exponential", names=NAMES)
    risk = next(c for c in stated.claims("m") if c.id == "m-risk")
    left, right = map(_value, (x.doit() for x in risk.statement.args))
    assert abs(left - right) < 1e-14
    assert expand(risk.statement.rhs - stated.risk) == 0

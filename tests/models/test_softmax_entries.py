"""What softmax hands to its backends, without their integrals: numbers, laws and their slopes."""

import pytest
from mpmath import mp
from sympy import Symbol, expand, sqrt

from slrsym.models import Direction, Predictor, Token, TokenSequence, model, softmax
from slrsym.models.means import risk_terms
from slrsym.papers.single_location.models import attention

STATED = attention(lambda score: softmax(score, 1)).model
KAPPA, NU, THETA, ETA, RHO = STATED.order_parameters
L, D, EPSILON, GAMMA, LAMBDA = STATED.parameters
NAMES = (*STATED.order_parameters, *STATED.parameters)
AT = (0.1, 0.2, -0.3, 0.4, 0.5, 7, 6, 0.25, 0.7, 1.5)

# Means and covariances of score, value and target, of the informative token and of the others.
LAW = [
    *(sqrt(D / 2) * KAPPA, sqrt(D / 2) * THETA, 0, 0, 0, 0),
    *(GAMMA**2, GAMMA**2 * RHO, GAMMA**2 * ETA, GAMMA**2, GAMMA**2 * NU, GAMMA**2),
    *(1, RHO, 0, 1, 0, 0),
]


def polynomial(mu, extra, counts, law):
    """Take the place of the risk, with a slope of its own in each entry."""
    total = mu + 10 * extra + 2 * counts[0] + 3 * counts[1]
    for i, x in enumerate(law):
        total += (i + 1) * x + (i + 2) * x**2
    return total


EXCESS = polynomial(LAMBDA, 1, [1, L - 1], LAW)


def test_the_risk_and_gradient_by_mpmath(monkeypatch):
    monkeypatch.setattr(risk_terms, "mpmath_softmax_risk_value", polynomial)
    compiled = STATED.compile("mpmath", "risk", "gradient", "excess_risk")
    found = compiled(AT[:5], *AT[5:], dps=40)
    exact = [EXCESS + EPSILON**2, *(EXCESS.diff(p) for p in STATED.order_parameters), EXCESS]
    with mp.workdps(50):
        at = {s: mp.mpf(x) for s, x in zip(NAMES, AT, strict=True)}
        for value, expr in zip(found, exact, strict=True):
            assert abs(value - expr.subs(at).evalf(50)) < mp.mpf(10) ** -36
    with pytest.raises(ValueError, match="dps must be an integer of at least 1; got 0"):
        compiled(AT[:5], *AT[5:], dps=0)


def test_the_expressions_for_jax(monkeypatch):
    """Which JAX compiles; it is not asked for here."""
    monkeypatch.setattr(risk_terms, "make_jax_softmax_risk", lambda *found: found)
    monkeypatch.setattr(risk_terms, "compile_expressions", lambda *found: found)
    tokens, law, rest, what, count = STATED._terms.compile("jax", ("risk",))
    places = (STATED.order_parameters, STATED.parameters, "jax")
    assert tokens == ([1, 1, L - 1], *places)
    assert law == ([LAMBDA, *LAW], *places)
    slopes = [(0 * KAPPA + x).diff(p) for x in LAW for p in STATED.order_parameters]
    assert rest == ([EPSILON**2, *slopes], *places)
    assert (what, count) == (("risk",), 5)


k, v, u = Direction("k"), Direction("v"), Direction("u", unit=True)
ONE, OTHER = Token(target=lambda X: X @ u), Token(name="other")
ATTENTION = Predictor(lambda X: softmax(2 * (X @ k)) * (X @ v))


def compiled(data=None, predictor=ATTENTION):
    return model(data or TokenSequence({ONE: 1, OTHER: 3}), predictor).compile("numpy", "risk")


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: compiled(TokenSequence([({ONE: 1}, 0.5), ({ONE: 2}, 0.5)])), "of fixed numbers"),
        (
            lambda: compiled(TokenSequence({ONE: 1, OTHER: 1}, correlation={(ONE, OTHER): 0.5})),
            "independent tokens",
        ),
        (
            lambda: compiled(
                predictor=Predictor(lambda X: softmax(X @ k) * (X @ v) + softmax(X @ v) * (X @ k))
            ),
            "got 2, whose risk is an integral of 4 dimensions",
        ),
        (
            lambda: compiled(predictor=Predictor(lambda X: softmax(X @ k + X @ v) * (X @ v))),
            r"the score of softmax must be mu \* \(X @ k\)",
        ),
        (
            lambda: compiled(predictor=Predictor(lambda X: softmax(X @ k) ** 2 * (X @ v))),
            "softmax must stand in the first power",
        ),
        (
            lambda: compiled(predictor=Predictor(lambda X: softmax(X @ k) * (X @ v) ** 2)),
            "needs values and targets that are linear",
        ),
        (lambda: STATED.compile("numpy", "hessian"), "there are risk, excess_risk and gradient"),
        (lambda: STATED.compile("ball", "gradient"), "balls of risk and excess_risk"),
        (lambda: STATED.program("risk"), "there is no program: the risk is"),
    ],
)
def test_refusals(ask, message):
    with pytest.raises(ValueError, match=message):
        ask()


def test_the_terms_are_those_of_the_score_the_value_and_the_target():
    """The error is the target minus the weight times the value; both are linear."""
    share = Predictor(lambda X: 3 * softmax(2 * (X @ k), 1) * (X @ v - X @ u) + X @ u)
    terms = model(TokenSequence({ONE: 1, OTHER: 3}, noise=Symbol("s")), share)._terms
    Q = {
        pair: terms.model.inner_product(*pair) for pair in ((k, v), (k, u), (v, u), (k, k), (v, v))
    }
    assert (terms.inverse_temperature, terms.extra, terms.means) == (2, 1, [0] * 6)
    value = [9 * (Q[v, v] - 2 * Q[v, u] + 1), 0]
    known = [Q[k, k], 3 * (Q[k, v] - Q[k, u]), 0, *value, 0]
    rest = [Q[k, k], 3 * (Q[k, v] - Q[k, u]), -Q[k, u], value[0], 3 * (1 - Q[v, u]), 1]
    assert [expand(x - y) for x, y in zip(terms.covs, [*known, *rest], strict=True)] == [0] * 12

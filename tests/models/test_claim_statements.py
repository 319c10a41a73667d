"""What claims about a model say: both sides evaluated, against the risk and results by hand."""

from functools import cache

import numpy as np
import pytest
from scipy import special
from scipy.stats import multivariate_normal
from sympy import Ge, Le, Rational, Symbol, erf, expand, symbols

from slrsym.kernels.symbolic_functions import DifferenceFromErf, ErfCovariance, ErfVariance
from slrsym.models import Direction, Predictor, Token, TokenSequence, model
from slrsym.models.claims.risk_claims import replace_variances_by_differences

a, x, y = symbols("a x y", real=True)
few, many = symbols("p_1 p_2", positive=True)
n = Symbol("n", integer=True)
tau = Rational(1, 3)
u, w = Direction("u", unit=True), Direction("w")
one, two = Token(target=lambda X: X @ u, name="one"), Token(name="two")
shifted = Token(mean=2 * u, target=lambda X: X @ u, name="shifted")
LINEAR = Predictor(lambda X: X @ w)


def correlated(first, second, predictor=LINEAR):
    pair = TokenSequence({first: 1, second: 1}, noise=a, correlation={(first, second): tau})
    return model(pair, predictor)


STATED = {
    "correlated": lambda: correlated(one, two),
    "correlated, erf": lambda: correlated(shifted, two, Predictor(lambda X: erf(X @ w))),
    # At a place of bias 0 the predictor does not depend on the token.
    "biased": lambda: model(
        TokenSequence({one: 1, two: 1}, location=(tau, 1 - tau)),
        Predictor(lambda X, b: X @ w if b else x, bias=(1, 0)),
    ),
    "random number": lambda: model(
        TokenSequence([({one: 1}, few), ({shifted: 1, two: n}, many)]), LINEAR
    ),
    "known chances": lambda: model(
        TokenSequence([({one: 1}, tau), ({shifted: 1, two: n}, 1 - tau)]), LINEAR
    ),
}
made = {name: cache(state) for name, state in STATED.items()}


def claim_of(name, id):
    return next(c for c in made[name]().claims("m", source="mine") if c.id == id)


@pytest.mark.parametrize("name", STATED)
def test_the_claim_of_the_risk_says_the_risk(name):
    """Where chances are symbols, at those of sum 1."""
    stated, claim = made[name](), claim_of(name, "m-risk")
    at = {"a": 0.3, "x": 0.7, "p_1": 0.4, "p_2": 0.6, "n": 3}
    at |= {p.name: 0.2 + 0.3 * k for k, p in enumerate(reversed(stated.order_parameters))}

    def number(expr):
        return expr.subs({s: at[s.name] for s in expr.free_symbols}).evalf()

    assert abs(number(claim.statement.lhs.doit() - claim.statement.rhs)) < 1e-12
    risk = replace_variances_by_differences(stated.risk)
    assert abs(number(claim.statement.rhs - risk)) < 1e-12
    assert claim.source == "mine"


def test_chances_that_are_symbols_are_divided_by_their_sum():
    sides = claim_of("random number", "m-risk").statement.args
    for side in sides:
        value = side.doit()
        assert expand(value.subs({few: 1, many: 2}) - value.subs({few: tau, many: 2 * tau})) == 0
    plain = claim_of("known chances", "m-risk").statement
    share = {few: 2 * tau, many: 2 - 2 * tau}
    assert expand(plain.rhs - sides[1].subs(share)) == 0


def test_hypotheses_and_assumptions_are_those_that_are_needed():
    stated = made["correlated, erf"]()
    Q, R = (stated.inner_product(w, z) for z in (w, u))
    turned = Symbol(R.name, real=True, nonzero=True)
    claim = claim_of("correlated, erf", "m-risk")
    assert {s for s in claim.statement.free_symbols if s.name == R.name} == {turned}
    assert claim.hypotheses == (Le(turned**2, Q),)
    assert claim_of("random number", "m-risk").hypotheses == (Ge(n, 0),)
    free = claim_of("correlated", "m-risk")
    assert free.hypotheses == ()
    assert R in free.statement.free_symbols


def test_the_gradient_is_claimed_as_derivatives_of_the_risk():
    stated, claim = made["random number"](), claim_of("random number", "m-gradient")
    assert len(claim.statement.args) == len(stated.order_parameters) == 2
    for part, p in zip(claim.statement.args, stated.order_parameters, strict=True):
        assert part.lhs.expr.subs(many, few) == stated.risk.subs(many, few)
        assert expand(part.lhs.doit() - part.rhs) == 0
        assert part.lhs.variables == (p,)


def covariance(u, v, r):
    """Return the covariance of the signs of Gaussian variables by the law of both."""
    both = multivariate_normal([0, 0], [[1, r], [r, 1]]).cdf([2**0.5 * u, 2**0.5 * v])
    return 4 * both - 1 - special.erf(u) - special.erf(v) - special.erf(u) * special.erf(v)


def variance(mean, deviation):
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    weights = weights / weights.sum()
    values = special.erf(mean + deviation * nodes)
    return weights @ values**2 - (weights @ values) ** 2


@pytest.mark.parametrize(
    ("node", "value"),
    [
        (DifferenceFromErf(x, y), 1 / 3 + special.erf(0.6)),
        (ErfCovariance(x, y, a), covariance(1 / 3, -0.6, 2 / 7)),
        (ErfVariance(x, a), variance(1 / 3, 2 / 7)),
    ],
    ids=str,
)
def test_covariances_of_erf_in_terms_of_means(node, value):
    found = replace_variances_by_differences(3 * node + 1)
    number = found.subs({x: Rational(1, 3), y: Rational(-3, 5), a: Rational(2, 7)}).evalf()
    assert abs(number - 3 * value - 1) < 1e-7


@pytest.mark.parametrize("train", [(), x], ids=str)
@pytest.mark.parametrize("kind", ["gradient-flow", "online-sgd"])
def test_equations_of_motion_with_a_place_that_is_not_attended(kind, train):
    """Of the errors X - w X - x, where the first place is attended, and X - w Y - x else."""
    equations = made["biased"]().equations(kind, rate=a, train=train)
    Q, R = (equations.model.inner_product(w, z) for z in (w, u))
    flow = {Q: 4 * a * (tau * R - Q), R: 2 * a * (tau - R)} | ({x: -2 * a * x} if train else {})
    assert set(equations.state) == {*flow}
    claims = equations.claims("m")
    assert [c.id for c in claims if "noise" in c.id] == ["m-noise-1"][: kind == "online-sgd"]
    for claim in claims:
        assert expand(claim.statement.lhs.doit() - claim.statement.rhs) == 0
        if "drift" in claim.id:
            (p,) = (p for p in flow if f"drift of {p}," in claim.title)
            assert expand(claim.statement.rhs - flow[p]) == 0


def test_equations_of_motion_of_tokens_with_means():
    """Each token's error has a mean, and so has the sum of those of the others."""
    stated = model(TokenSequence({shifted: 1, Token(mean=u, name="moved"): 2}), LINEAR)
    claims = stated.equations("online-sgd", rate=a).claims("m")
    assert [c.id for c in claims] == ["m-drift-1", "m-noise-1", "m-drift-2"]
    for claim in claims:
        assert expand(claim.statement.lhs.doit() - claim.statement.rhs) == 0

"""What cannot be stated is refused, in a sentence that says what is allowed."""

import math

import numpy as np
import pytest
from sympy import Abs, Heaviside, Max, Rational, Symbol, erf, floor, log, symbols, tanh

from slrsym.models import Direction, NotClosedError, Predictor, Token, TokenSequence, model, softmax
from slrsym.papers.committee.models import committee
from slrsym.papers.single_location.models import attention, multi_head

k, v = Direction("k", sphere=True), Direction("v", sphere=True)
k_star, v_star = Direction("k^*", unit=True), Direction("v^*", unit=True)
u, w = Direction("u", unit=True), Direction("w", unit=True)
token = Token(mean=2 * k_star, target=lambda X: X @ v_star, name="informative")
wide = Token(cov=(1, 2), name="wide")
heads = Predictor(lambda X: erf(X @ k) * (X @ v))
one_token = TokenSequence({token: 1})
n = Symbol("n", integer=True, positive=True)


def predicting(share):
    return model(one_token, Predictor(share))


def with_products(products):
    return model(one_token, heads, inner_products=products)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Direction(""), "name must be a text that is not empty; got ''"),
        (lambda: Direction("k", unit=True, sphere=True), "either fixed .unit. or trained"),
        (lambda: Token(cov=-1), "cov of token must be positive"),
        (lambda: Token(cov=(1, -2)), "cov of token must be positive"),
        (lambda: Token(cov={1: 1, u: -3}), "must be positive; along u it is -2"),
        (lambda: Token(cov={1: 1, k: 2}), "has a spike along k, no fixed direction"),
        (lambda: Token(mean=k), "mean contains k, which is trained"),
        (lambda: Token(mean=3), "mean must be 0 or a sum of fixed directions; got 3"),
        (lambda: TokenSequence({token: Rational(1, 2)}), "count of informative must be an integer"),
        (lambda: TokenSequence([({token: 1}, 0.3)]), "probabilities of tokens must add up to 1"),
        (lambda: TokenSequence({token: 1}, noise=-1), "noise must not be negative"),
        (lambda: TokenSequence({token: 1}, location=(0.5, 0.2)), "location must be a law"),
        (
            lambda: TokenSequence({token: 1, Token(): n}, correlation={(token, token): 1}),
            "correlation",
        ),
        (lambda: with_products({k @ v: 0}), "is an order parameter"),
        (lambda: with_products({k_star @ v_star: 2}), "at most 1"),
        (lambda: with_products({k_star @ u: 0}), "no inner product of"),
        (lambda: contradiction(), "directions contradict each other"),
        (lambda: attention(bias=symbols("b_1:4"), location=(1, 0)).model.risk, "3 probabilities"),
        (
            lambda: model(TokenSequence({Token(cov=(1, 2)): 1, Token(cov=(1, 2, 3)): 1}), heads),
            "same",
        ),
        (lambda: attention(lambda x: softmax(x) ** 2).model.risk, "in the first power; got"),
        (
            lambda: predicting(lambda X: softmax(X @ k + X @ w) * (X @ v)).risk,
            r"the score of softmax must be mu \* \(X @ k\); got",
        ),
        (
            lambda: predicting(lambda X: softmax(X @ k) * (X @ v) ** 2).risk,
            "softmax needs values and targets that are linear; got",
        ),
        (
            lambda: attention(softmax).model.compile("numpy", "hessian"),
            "of softmax there are risk, excess_risk and gradient; got .'hessian',.",
        ),
        (
            lambda: model(
                TokenSequence({token: 1}),
                Predictor(lambda X: log(1 + (X @ k) ** 2 + (X @ v) ** 2 + (X @ u) ** 2)),
            ).risk,
            "no closed form is known.* an integral of 3 dimensions; quadrature is for one or two",
        ),
        (lambda: attention().model.simulate({"d": 9}, steps=3, alpha=1), "number for L"),
        (lambda: attention().model.program("loss"), "what must be of excess_risk, risk"),
        (lambda: Token(cov="x"), "cov of token must be positive"),
        (lambda: TokenSequence({}), "tokens must have one role at least"),
        (lambda: TokenSequence([({token: 1}, 2), ({token: 2}, -1)]), "not be negative; got -1"),
        (lambda: TokenSequence({token: 1}, location=(2, -1)), "has a negative probability"),
        (lambda: with_products({k_star @ k_star: 0.5}), "it is 1, as"),
        (lambda: contradiction(w), "directions contradict each other"),
        (lambda: twins(), "directions must have different names; two are called k"),
        (lambda: attention(lambda x: floor(x)).model, "share must be smooth, but for kinks"),
        (lambda: attention(log).model, "share must be real and finite for all projections"),
        (lambda: multi_head(0, 1), "heads must be an integer of at least 1; got 0"),
        (lambda: committee(1, 0), "teachers must be an integer of at least 1; got 0"),
        (lambda: simulated(gamma=-1), "gamma must be positive and finite; it is -1.0"),
        (lambda: simulated(L=2.5), "L must be an integer; it is 2.5"),
        (lambda: simulated(d=2.5), "d must be an integer of at least 2; got 2.5"),
        (lambda: three_means().simulate({"d": 2}, steps=1, alpha=1), "d must be at least 3"),
        (lambda: three_means().check({"d": 2}, samples=9), "d must be at least 3, the rank of"),
        (
            lambda: attention().model.recovery({}, [], steps=1, alpha=1),
            "pairs must have two directions at least",
        ),
        (
            lambda: attention().model.recovery({}, [("k", "w")], steps=1, alpha=1),
            "of two directions of this model .*; got .'k', 'w'.",
        ),
        (lambda: attention(bias=symbols("b_1:3")).model.simulate({}, steps=1, alpha=1), "for d"),
        (
            lambda: biased({token: 2, Token(name="other"): 1, Token(name="third"): 1}),
            "needs one token of one role, and others of another; got 2 of informative, 1 of other, "
            "1 of third",
        ),
        (lambda: biased({token: 1, Token(): 3}), "one number for each of 4 tokens; got 3"),
        (lambda: started("anywhere"), "or a Gram matrix; got 'anywhere'"),
        (lambda: started({k: np.ones(3)}), "start must have a vector for u"),
        (lambda: started(np.tile(np.eye(2), (3, 1, 1, 1))), "has 3 points for 2 runs; give one"),
        (
            lambda: started({k: np.ones(3), u: np.ones(3)}, cov=(1, 2)),
            "needs one eigenspace, and this model has 2; give Gram matrices",
        ),
        (
            lambda: TokenSequence({token: 1, wide: 1}, correlation={(token, wide): 1}),
            "correlation concerns wide: its count must be 1 and its covariance a multiple of the "
            "identity",
        ),
    ],
)  # fmt: skip
def test_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def biased(counts):
    share = Predictor(lambda X, b: b * (X @ k), bias=symbols("b_1:4"))
    return model(TokenSequence(counts), share).risk


def started(start, cov=1):
    tokens = TokenSequence({Token(cov=cov, target=lambda X: X @ u): 1})
    stated = model(tokens, Predictor(lambda X: X @ k))
    return stated.simulate({"d": 9}, steps=1, alpha=0.1, start=start, runs=2, backend="numpy")


def test_directions_are_combined_as_vectors():
    found = sum([k, 2 * v, -u / 3 - v * 2, k - w])
    assert found.terms == {k: 2, u: Rational(-1, 3), w: -1}


def three_means():
    fixed = (k_star, v_star, u)
    data = TokenSequence({Token(mean=x, target=lambda X, x=x: X @ x): 1 for x in fixed})
    products = {x @ y: 0 for x in fixed for y in fixed if x is not y}
    return model(data, Predictor(lambda X: X @ v), inner_products=products)


def twins():
    return model(one_token, Predictor(lambda X: X @ k + X @ Direction("k")))


def simulated(**change):
    values = {"d": 9, "L": 3, "gamma": 0.7, "epsilon": 0.1, "lambda": 0.2} | change
    return attention().model.simulate(values, steps=1, alpha=0.1, backend="numpy")


def contradiction(*more):
    """Of three directions; what is not known of a fourth does not hide it."""
    one = Token(mean=sum(more, start=k_star + v_star + u), target=lambda X: X @ u)
    given = {k_star @ v_star: 0.9, k_star @ u: 0.9, v_star @ u: -0.9}
    return model(TokenSequence({one: 1}), heads, inner_products=given)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: k * v, "two directions have an inner product, k @ v"),
        (lambda: k + 1, "a direction and 1 cannot be added"),
        (lambda: TokenSequence([token]), r"such as \{Token\(\): 9\}, or pairs"),
        (lambda: TokenSequence(3), "tokens must be a mapping of Token to a count.*got 3"),
        (lambda: predicting(lambda X: X), r"projections X @ k; got X \(.*test_statement.py"),
        (lambda: predicting(lambda X: X * k), "share: a token X is a vector.* project it, as X @"),
        (lambda: predicting(lambda X: 2 - X), "share: a token X is a vector"),
        (
            lambda: predicting(lambda X: np.tanh(X @ k)),
            r"share: .*ufunc.*test_statement.py, line \d+\); write it with functions of SymPy",
        ),
        (lambda: predicting(lambda X: math.tanh(X @ k)), "functions of SymPy, such as sympy.tanh"),
        (lambda: Predictor(3), "share must be a function of a token; got 3"),
        (lambda: TokenSequence({3: 1}), "tokens must be a mapping of Token to a count; got 3"),
        (lambda: model(3, heads), "TokenSequence, or a Prompt or Regression of .*; got 3"),
        (lambda: model(one_token, 3), "predictor must be a slrsym.models.Predictor"),
        (lambda: model(TokenSequence({Token(target=lambda X: X @ 3): 1}), heads), "projected on"),
        (lambda: model(one_token, Predictor(lambda X: X)), "share must give an expr"),
        (lambda: attention().model.simulate(5, steps=1, alpha=1), "values must be a mapping"),
    ],
)  # fmt: skip
def test_of_another_kind(make, message):
    with pytest.raises(TypeError, match=message):
        make()


def product_of_tanh():
    token = Token(target=lambda X: tanh(X @ u))
    return model(TokenSequence({token: 1}), Predictor(lambda X: tanh(X @ k) * tanh(X @ v)))


def tanh_of_kinks():
    token = Token(target=lambda X: Abs(X @ u))
    return model(TokenSequence({token: 1}), Predictor(lambda X: tanh(X @ k)))


ONE_EACH = "Of functions with kinks, two of one projection each close"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (product_of_tanh, r"tanh\(Z_0\)\*tanh\(Z_1\)\*tanh\(Z_2\), an integral of 3 dimensions"),
        (tanh_of_kinks, r"of tanh\(Z_0\)\*Abs\(Z_1\), an integral of 2 dimensions that has kinks"),
        (lambda: multi_head(2, 1, 0, lambda x: Max(x, 0)).model, ONE_EACH),
        (lambda: multi_head(2, 1, 0, Heaviside).model, ONE_EACH),
    ],
)
def test_neither_closed_form_nor_quadrature(make, message):
    """The two properties answer, and everything else refuses before anything is compiled."""
    stated = make()
    assert (stated.has_closed_form, stated.quadrature) == (False, None)
    for ask in (
        lambda: stated.risk,
        lambda: stated.order_parameters,
        lambda: stated.compile("numpy"),
        lambda: stated.simulate({"d": 8, "L": 3}, steps=1, alpha=0.1),
        stated.to_latex,
    ):
        with pytest.raises(NotClosedError, match=message):
            ask()

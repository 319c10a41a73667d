"""Methods of a model show their parameters, errors name them, and a model describes itself."""

import inspect

import pytest
from sympy import Symbol, erf, sqrt

from slrsym.models import Direction, Model, Predictor, Token, TokenSequence, model
from slrsym.papers.committee.models import committee

d = Symbol("d", positive=True)
k, v = Direction("k", sphere=True), Direction("v", sphere=True)
k_star, v_star = Direction("k^*", unit=True), Direction("v^*", unit=True)
one = Token(sqrt(d / 2) * k_star, 0.5, lambda X: X @ v_star, "informative")
head = Predictor(lambda X: erf(X @ k) * (X @ v))
STATED = model(
    TokenSequence({one: 1, Token(): 9}, noise=0.1), head, inner_products={k_star @ v_star: 0}
)


@pytest.mark.parametrize(
    "name", ["simulate", "recovery", "landscape", "check", "solve_online_descent"]
)
def test_every_parameter_is_in_the_signature_and_documented(name):
    method = getattr(Model, name)
    parameters = inspect.signature(method).parameters
    assert all(p.kind is not p.VAR_KEYWORD for p in parameters.values())
    assert "rng" in parameters
    doc = inspect.getdoc(method)
    assert all(p in doc for p in parameters if p != "self")


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda m: m.simulate({}), "steps and alpha are needed: simulate(values, steps=..., alpha"),
        (lambda m: m.simulate({}, steps=3), "alpha is needed: simulate(values, steps=..., alpha"),
        (lambda m: m.recovery({}), "pairs, steps and alpha are needed: recovery(values, pairs,"),
        (
            lambda m: m.solve_online_descent({}),
            "rate and time are needed: solve_online_descent(values, rate=..., time=...)",
        ),
        (lambda m: m.check(), "values is needed: check(values)"),
        (lambda m: m.check({}, sample=3), "check has no parameter sample; did you mean samples?"),
        (lambda m: m.landscape({}, seed=3), "landscape has no parameter seed; it takes values, "),
    ],
)
def test_errors_name_the_parameters(call, says):
    with pytest.raises(TypeError) as refused:
        call(STATED)
    assert str(refused.value).startswith(says)


def test_a_model_describes_itself_in_five_lines():
    assert repr(STATED).splitlines() == [
        "Model that trains k, v on unit spheres",
        "  fixed:      v^*, k^* (<k^*, v^*> = 0)",
        "  tokens:     1 informative ~ N(sqrt(2)*sqrt(d)/2 k^*, 1/2), 9 token ~ N(0, 1)",
        "  target:     <X, v^*> of informative; noise 1/10",
        "  predictor:  sum over tokens of <X, v>*erf(<X, k>)",
    ]


def test_a_description_derives_nothing_and_is_not_wide():
    stated = committee(3, 3).model
    lines = repr(stated).splitlines()
    assert len(lines) == 5
    assert max(map(len, lines)) <= 100
    assert "_terms" not in vars(stated)
    assert "without constraint" in lines[0]


def test_a_description_of_mixtures_eigenspaces_spikes_and_biases():
    spiked = Token(k_star, {1: 1, v_star: 2}, name="spiked")
    mixed = TokenSequence([({spiked: 1}, 0.25), ({spiked: 1, Token(): 2}, 0.75)])
    said = repr(model(mixed, Predictor(lambda X: X @ v)))
    assert "with probability 1/4: 1 spiked ~ N(1 k^*, 1 + 2 v^* v^*'); with probability" in said
    wide = Token(cov=(0.5, 2), target=lambda X: X @ v_star)
    assert "token ~ N(0, (1/2, 2))" in repr(model(TokenSequence({wide: 1}), head))
    biased = Predictor(lambda X, b: erf(X @ k + b) * (X @ v), bias=(0.1, 0.2))
    assert "erf(<X, k> + b)" in repr(model(TokenSequence({one: 1, Token(): 1}), biased))

"""Equations as an object: a step and a fixed point by hand, words, LaTeX, files, and refusals."""

from dataclasses import replace

import numpy as np
import pytest
import xarray as xr
from sympy import Matrix, Rational, Symbol, sqrt

from slrsym.models import Direction, Directions, Predictor, Token, TokenSequence, model, softmax
from slrsym.models.training.fixed_points import is_feasible
from slrsym.papers.single_location.models import attention

from . import test_equations
from .test_equations import POINT, K


def alike(count):
    """State units that square their input, whose equations take a tenth of the time of erf."""
    return test_equations.alike(count, lambda u: u**2)


def products_of_sums():
    w = Directions("w", K)
    predictor = Predictor(lambda X: w.sum(lambda x: X @ x) * w.sum(lambda x: X @ x))
    token = Token(target=lambda X: X @ Direction("u", unit=True))
    return model(TokenSequence({token: 1}), predictor).equations("gradient-flow")


def flow(count):
    return alike(count).equations("gradient-flow")


def correlated():
    w, u = Direction("w"), Direction("u", unit=True)
    one, two = Token(target=lambda X: X @ u), Token()
    data = TokenSequence({one: 1, two: 1}, correlation={(one, two): Rational(1, 2)})
    return model(data, Predictor(lambda X: X @ w))


def scaled(sphere=False):
    """State a student b w that learns u, where b is trained and w may be on the sphere."""
    u, w, b = Direction("u", unit=True), Direction("w", sphere=sphere), Symbol("b", real=True)
    data = TokenSequence({Token(target=lambda X: X @ u): 1})
    stated = model(data, Predictor(lambda X: b * (X @ w)), names={w @ u: Symbol("R", real=True)})
    kind = "projected-descent" if sphere else "gradient-flow"
    return stated.equations(kind, rate=Rational(1, 10), train=b)


def test_a_step_that_trains_a_scalar_is_what_is_found_by_hand():
    """Of the risk 1 - 2 b R + b^2 on the sphere."""
    equations = scaled(sphere=True)
    R, b = equations.state
    # Of u, the tangent has the square of length 1 - R^2.
    moved = R + b * (1 - R**2) / 5
    known = [moved / sqrt(1 + b**2 * (1 - R**2) / 25) - R, -(b - R) / 5]
    for point in ({R: Rational(1, 3), b: Rational(5, 7)}, {R: Rational(-1, 2), b: 2}):
        found = [(e - k).subs(point) for e, k in zip(equations.drift, known, strict=True)]
        assert [e.simplify() for e in found] == [0, 0]
    lines = equations.to_latex().splitlines()
    lefts = [line.partition(" &= ")[0] for line in lines if r"\Delta" in line]
    assert lefts == [r"\Delta R", r"\Delta b"]


def test_a_fixed_point_and_its_linearisation_are_found_by_hand():
    """At 0 is a saddle: u moves w by 2 b / 10, and b by 2 R / 10."""
    equations = scaled()
    Q, R, b = equations.state
    rates = Matrix([4 * b * R - 4 * b**2 * Q, 2 * b - 2 * b**2 * R, 2 * R - 2 * b * Q]) / 10
    assert (equations.jacobian - rates.jacobian([Q, R, b])).expand().is_zero_matrix
    (point,) = equations.fixed_points({}, starts=[[0, 0, 0]], certified=True)
    assert point.is_certified is False
    assert repr(point) == "FixedPoint(<w, w> = 0, R = 0, b = 0; risk 1, not certified)"
    assert repr(point.linearisation) == "Linearisation in <w, w>, R, b: eigenvalues 0.2, -0, -0.2"
    assert repr(replace(point, radius=1e-6)).endswith("; risk 1, certain within 1e-06)")
    # Where b R = 1 and b^2 Q = 1 the risk is 0; it is none if w is shorter than its part along u.
    assert equations.fixed_points({}, starts=[[1, 1, 1]])[0].risk == 0
    assert is_feasible(equations, np.array([0.25, 0.5, 2.0]), []) is True
    assert is_feasible(equations, np.array([0.25, 0.6, 2.0]), []) is False


def test_what_no_vectors_have_is_no_fixed_point_of_units_that_are_alike():
    """Of three units, the Gram matrix has the eigenvalues Q - C and Q + 2 C."""
    equations = alike(K).equations("gradient-flow", rate=1)
    row = [{"K": 3.0, "sigma": 0.0}[p.name] for p in equations.parameters]
    for Q, C, feasible in ((0.5, 0.4, True), (0.5, 0.6, False), (0.5, -0.3, False)):
        assert is_feasible(equations, np.array([Q, C, 0.0, 0.0]), row) is feasible


def test_in_words_and_in_latex(tmp_path):
    equations = alike(K).equations("online-sgd", decay=Symbol("kappa"))
    assert repr(equations).splitlines() == [
        "Equations of online-sgd (d/dt, t = steps / d)",
        "  trained:    K directions w",
        "  fixed:      K directions u",
        "  state:      Q, C, R, S (exchangeable units alike)",
        "  parameters: K, kappa, rate, sigma",
        "  rate:       rate on the squared error (eta / 2 for half of it)",
        "  decay:      kappa",
    ]
    text = equations.to_latex(tmp_path / "equations.tex")
    assert text == (tmp_path / "equations.tex").read_text(encoding="utf-8")
    assert text.count(r"\frac{d}{dt}\,") == 4


def test_runs_are_saved(tmp_path):
    equations = alike(K).equations("gradient-flow", rate=0.5)
    runs = equations.solve({"K": 2, "sigma": 0}, POINT, 1, points=3, backend="numpy",
                           path=tmp_path / "runs.nc")  # fmt: skip
    again = xr.open_dataset(tmp_path / "runs.nc")
    assert np.array_equal(again.R.values, runs.R.values)
    assert runs.attrs["K"] == 2


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: alike(2).equations("sgd"), "kind must be one of"),
        (lambda: alike(2).equations("online-sgd", rate=-1), "rate must not be negative; got -1"),
        (lambda: alike(2).equations("online-sgd", rate={"x": 1}), "rate has 'x', which is not"),
        (lambda: alike(2).equations("online-sgd", train=K), "train must be symbols of the"),
        (lambda: attention(softmax).model.equations("gradient-flow"), "softmax is none"),
        (lambda: attention(lambda u: u).model.equations("online-sgd"), "grows with d"),
        (lambda: attention().model.equations("gradient-flow", symmetric=True), "state them as"),
        (lambda: alike(K).risk, "number of units"),
        (lambda: products_of_sums().claims(), "for sums over units, and not for their products"),
        (lambda: alike(K).equations("gradient-flow").solve({"K": 2}, np.eye(4), 1), "start must"),
        (
            lambda: alike(K).equations("gradient-flow").rate_of_change_at(POINT, {}),
            "must have a number for K",
        ),
        (
            lambda: alike(K).equations("gradient-flow").rate_of_change_at(POINT, {"x": 1}),
            "no parameter of",
        ),
        (lambda: flow(2).rate_of_change_at([1, 2], {"sigma": 0}), "must have 7 numbers, of .Q_"),
        (lambda: flow(K).rate_of_change_at(POINT | {"Q": "x"}, {}), "Q must be a number; got 'x'"),
        (
            lambda: flow(K).compile("numpy", "slope"),
            "one of change, jacobian, risk, diffusion, leading_diffusion; got .'slope'",
        ),
        (
            lambda: flow(K).fixed_points({"K": 2}, starts=[[1, 2]]),
            r"starts must be a number, or points of shape \(count, 4\); got \[\[1, 2\]\]",
        ),
        (
            lambda: alike(2).equations("projected-descent", symmetric=True),
            "this model has 1 and exchangeable units; use",
        ),
        (
            lambda: attention(lambda u: u, cov=(1, 4)).model.equations("projected-descent"),
            "single units and one eigenspace; this model has 2; use",
        ),
        (
            lambda: attention(lambda u: u, cov=(1, 4)).model.equations("online-sgd"),
            "these have eigenspaces",
        ),
        (
            lambda: correlated().equations("gradient-flow"),
            "independent; those of token and token have",
        ),
        (lambda: scaled().solve({}, np.eye(2), 1), "the initial value of b, which is trained"),
        (lambda: Directions("w", 0), "count must be a positive integer"),
        (lambda: len(Directions("w", K)), "exchangeable"),
        (lambda: Directions("w", 2)[2], "has 2 directions"),
    ],
)
def test_refused(call, message):
    with pytest.raises((ValueError, IndexError), match=message):
        call()

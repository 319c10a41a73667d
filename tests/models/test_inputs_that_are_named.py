"""Starts by name, models of scalars, continua, and bad arguments: each works or says what to do."""

import numpy as np
import pytest
from sympy import Abs, I, Matrix, Max, Piecewise, Symbol, cosh, erf, nan, oo, sech, symbols, tanh

from slrsym.models import Direction, NotClosedError, Predictor, Token, TokenSequence, model
from tests._profile import thorough_only

w, u, v = Direction("w"), Direction("u", unit=True), Direction("v", unit=True)
k = Direction("k", sphere=True)
a, b = symbols("a b", real=True)
eta = Symbol("eta", real=True)


def stated(share=lambda X: erf(X @ w), target=lambda X: X @ u, **options):
    return model(TokenSequence({Token(target=target): 1}), Predictor(share), **options)


# -- starts --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def four():
    """A model of the directions w, k, u, v in the order of its Gram matrices."""
    return stated(lambda X: X @ w + X @ k, lambda X: X @ u + (X @ v) / 2, inner_products={u @ v: 0})


PAIRS = {w @ w: 0.5, w @ k: 0.1, u @ w: 0.2, w @ v: 0.3, k @ u: 0.4, v @ k: 0.0}
GRAM = np.array([[0.5, 0.1, 0.2, 0.3], [0.1, 1, 0.4, 0], [0.2, 0.4, 1, 0], [0.3, 0, 0, 1]])


def begun(stated, start, **options):
    options = {"steps": 1, "alpha": 0.1, "backend": "numpy"} | options
    return stated.simulate({}, start=start, **options)


def test_inner_products_by_pair(four):
    assert four.directions == (w, k, u, v)
    np.testing.assert_allclose(begun(four, PAIRS).gram[0, 0, 0], GRAM, atol=1e-12)
    known = PAIRS | {u @ v: 0, k @ k: 1}
    np.testing.assert_allclose(begun(four, known).gram[0, 0, 0], GRAM, atol=1e-12)
    flow = four.equations("gradient-flow", rate=1)
    named, placed = (flow.solve({}, x, 1, points=2) for x in (PAIRS, GRAM))
    np.testing.assert_allclose(named.risk, placed.risk, rtol=1e-9)


def test_a_labelled_gram_matrix_may_have_any_order(four):
    gram = begun(four, GRAM).gram.isel(run=0, step=0)
    other = gram.sel(direction=["v", "w", "u", "k"], other=["v", "w", "u", "k"])
    np.testing.assert_allclose(begun(four, other).gram[0, 0, 0], GRAM, atol=1e-12)
    unlabelled = gram.drop_vars(["direction", "other"])
    with pytest.raises(ValueError, match="direction and other with the names w, k, u, v"):
        begun(four, unlabelled)


def test_inner_products_by_name():
    Q, R = Symbol("Q", positive=True), Symbol("R", real=True)
    one = stated(names={w @ w: Q, w @ u: R})
    for start in ({"Q": 0.5, "R": 0.1}, {Q: 0.5, R: 0.1}, {w @ w: 0.5, u @ w: 0.1}):
        runs = begun(one, start)
        assert runs.Q[0, 0] == pytest.approx(0.5, rel=1e-14)
        assert runs.R[0, 0] == pytest.approx(0.1, rel=1e-14)


def test_several_eigenspaces_have_a_number_each():
    data = TokenSequence({Token(cov=(1, 2), target=lambda X: X @ u): 1})
    one = model(data, Predictor(lambda X: X @ w))
    runs = begun(one, {w @ w: (0.5, 0.2), w @ u: (0.1, 0.3), u @ u: (0.4, 0.6)})
    np.testing.assert_allclose(runs.gram[0, 0, :, 0, 0], (0.5, 0.2), atol=1e-12)
    assert runs.overlap(w, u)[0, 0] == pytest.approx(0.4, rel=1e-12)


@pytest.mark.parametrize(
    ("start", "message"),
    [
        ({w @ w: 0.5}, "start must have a number for <w, k>"),
        (PAIRS | {Direction("z") @ w: 1}, "start has <z, w>, no inner product of the directions w"),
        (PAIRS | {"Q": 1}, "start has Q, no inner product of the directions w, k, u, v"),
        (PAIRS | {u @ v: 0.5}, r"the model has 0.0. The rows of a Gram matrix are w, k, u, v \(in"),
        (PAIRS | {k @ k: 2}, "start has direction k of length 1.41421; it must have 1"),
        (PAIRS | {w @ u: 2}, r"start, as a Gram matrix of w, k, u, v \(in this order\): gram must"),
        (np.eye(3), r"as a Gram matrix of w, k, u, v \(in this order\), must have shape .*3, 3"),
    ],
)
def test_starts_that_do_not_fit(four, start, message):
    with pytest.raises(ValueError, match=message):
        begun(four, start)


def test_there_is_a_run_for_each_point(four):
    rng = np.random.default_rng(0)
    vectors = {w: rng.standard_normal((3, 5)), k: np.eye(5)[0], u: np.eye(5)[1], v: np.eye(5)[2]}
    assert begun(four, vectors).sizes["run"] == 3
    assert begun(four, np.tile(GRAM, (3, 1, 1))).sizes["run"] == 3
    assert begun(four, GRAM).sizes["run"] == 1
    assert begun(four, GRAM, runs=4).sizes["run"] == 4
    ended = begun(four, vectors)
    assert begun(four, ended).sizes["run"] == 3
    assert begun(four, ended.gram.isel(step=-1)).sizes["run"] == 3
    with pytest.raises(ValueError, match="start has 3 points for 2 runs; give one, or as many"):
        begun(four, vectors, runs=2)


# -- scalars only --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def scalars():
    return stated(lambda X: a * erf(X @ u) + b)


@thorough_only
def test_scalars_are_trained_by_equations(scalars):
    """Their minimum is a = E u erf(u)/E erf(u)^2, b = 0."""
    best = 2 / np.sqrt(3 * np.pi) / (2 / np.pi * np.arcsin(2 / 3))
    flow = scalars.equations("gradient-flow", rate=1, train=[a, b])
    ended = flow.solve({}, {"a": 0.1, "b": 0.4}, 40, points=2, backend="numpy")
    assert ended.a[-1] == pytest.approx(best, rel=1e-8)
    (point,) = flow.fixed_points({}, rng=0, starts=4, certified=True)
    assert point.is_certified
    assert point.state[a] == pytest.approx(best, rel=1e-12)
    steps = scalars.equations("projected-descent", rate=0.3, train=[a, b])
    assert steps.solve({}, {"a": 0, "b": 1}, 200).a[-1] == pytest.approx(best, rel=1e-9)


def test_a_model_of_scalars_is_checked_and_described(scalars):
    assert repr(scalars).startswith("Model that trains nothing")
    found = scalars.check({"d": 4, "a": 1, "b": 0.3}, samples=20_000, rng=0)
    assert list(found.z_scores) == ["risk"]
    assert found.is_passed
    assert scalars.flow.symmetries() == ()
    assert [claim.id for claim in scalars.claims("x")][-1] == "x-risk"


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (
            lambda m: m.simulate({"d": 9}, steps=1, alpha=1),
            "simulate is about directions, and the predictor of this model uses none that is "
            r"trained; to train scalars, use m.equations\('projected-descent', train=\[a, b\]\)\."
            r"solve\(\.\.\.\)",
        ),
        (
            lambda m: m.landscape({"d": 9}),
            r"landscape is about directions.*m.equations\('gradient-flow', train=\[a, b\]\)\."
            r"fixed_points\(\.\.\.\)",
        ),
        (lambda m: m.recovery({"d": 9}, [(u, u)], steps=1, alpha=1), "is about directions"),
        (lambda m: m.equations("gradient-flow"), r"with train= its scalars are trained \(one of a"),
    ],
)
def test_without_directions_or_scalars_nothing_moves(scalars, ask, message):
    with pytest.raises(ValueError, match=message):
        ask(scalars)


# -- continua ------------------------------------------------------------------------------------


@thorough_only
def test_a_continuum_of_fixed_points_is_one_row():
    """At a = 0 no rate changes for any w with E erf(w) y = 0; both other points are certified."""
    teachers = [Direction(f"u_{i}", unit=True) for i in range(3)]
    one = stated(
        lambda X: a * erf(X @ w),
        lambda X: sum(erf(X @ x) for x in teachers),
        inner_products={x @ y: 0 for x in teachers for y in teachers if x is not y},
    )
    points = one.equations("gradient-flow", rate=1, train=a).fixed_points({}, rng=0, certified=True)
    assert [p.continuum > 0 for p in points] == [False, False, True]
    assert [p.is_certified for p in points] == [True, True, False]
    assert len(points[2].samples) > 3
    assert max(abs(sample[a]) for sample in points[2].samples) < 1e-6
    assert repr(points[2]).endswith(", one of a continuum, not certified)")
    assert ".." in repr(points[2])


def test_searches_that_end_without_a_finite_rate_are_told():
    flow = stated(lambda X: Max(0, X @ w), lambda X: Max(0, X @ u)).equations(
        "gradient-flow", rate=1
    )
    with pytest.warns(RuntimeWarning, match="1 of 1 searches ended where a rate of change is not"):
        assert flow.fixed_points({}, starts=[[-1.0, 0.5]]) == []


# -- arguments -----------------------------------------------------------------------------------

one, two = Token(name="one"), Token(name="two", target=lambda X: X @ u)


@pytest.mark.parametrize("cov", [nan, float("nan"), oo, -1, 0, I, (), [1, nan], {1: nan}, "x",
                                 np.eye(2), Matrix([[1]]), None, [1, 2j]])  # fmt: skip
def test_covariances_that_are_none(cov):
    with pytest.raises(ValueError, match="cov of token must be positive: a number, one for each"):
        Token(cov=cov)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Token(cov={u: nan}), "the spike of token along u must be real and finite"),
        (lambda: Token(cov={u: I}), "the spike of token along u must be real and finite; got I"),
        (lambda: Token(mean=u * nan), "the factor of u in the mean of token must be real and fini"),
        (lambda: Token(mean=I * u), "the factor of u in the mean of token must be real and finite"),
        (lambda: TokenSequence({one: 1}, noise=nan), "noise must be real and finite; got nan"),
        (lambda: TokenSequence({one: 1}, noise=I), "noise must be real and finite; got I"),
        (lambda: TokenSequence({one: nan}), "the count of one must be real and finite; got nan"),
        (lambda: TokenSequence({one: "a b"}), "the count of one must be a number or an expression"),
        (lambda: TokenSequence([({one: 1}, nan)]), "the probability of tokens must be real"),
        (
            lambda: TokenSequence({one: 1, two: 1}, correlation={(one, two): nan}),
            "correlation must be real and finite; got nan",
        ),
        (
            lambda: TokenSequence({one: 1, two: 1}, correlation={("one", "two"): 0.5}),
            r"correlation must be of pairs of the tokens one, two, such as \{\(a, b\): 0.5\}; got",
        ),
        (
            lambda: TokenSequence({one: 1, two: 1}, correlation={(one, Token()): 0.5}),
            "correlation must be of pairs of the tokens one, two",
        ),
        (
            lambda: model(
                TokenSequence({one: 1, two: 1}, correlation={(one, two): 0.5}),
                Predictor(lambda X: X @ w),
            ).equations("gradient-flow"),
            r"those of one and two have the correlation 1/2\. Use simulate",
        ),
        (lambda: stated().equations("gradient-flow", rate=nan), "rate must be real and finite"),
        (lambda: stated().equations("gradient-flow", rate=I), "rate must be real and finite"),
        (lambda: stated().equations("gradient-flow", rate=[1]), "rate must be a number or an expr"),
        (lambda: stated().equations("gradient-flow", decay="1 +"), "decay must be a number or an"),
        (lambda: stated(lambda X: sech(X @ w)), "share has an odd power of 1/cosh or sech, which"),
    ],
)  # fmt: skip
def test_numbers_that_are_none(make, message):
    with pytest.raises(ValueError, match=message) as raised:
        make()
    assert "0x" not in str(raised.value)


@pytest.mark.parametrize(
    "ask",
    [
        lambda: stated().equations("gradient-flow", rate=-0.1),
        lambda: stated().equations("gradient-flow", rate={w: -0.1}),
        lambda: stated().equations("gradient-flow", rate=eta).solve({"eta": -0.1}, np.eye(2)),
        lambda: stated().equations("gradient-flow", rate=eta).linearise([1, 0], {"eta": -0.1}),
        lambda: stated().equations("online-sgd").solve({"rate": -0.1}, np.eye(2), 1),
        lambda: stated().equations("gradient-flow").rate_of_change_at([1, 0], {"rate": -0.1}),
        lambda: stated().equations("gradient-flow").fixed_points({"rate": -0.1}, starts=2),
    ],
)
def test_a_negative_rate_is_refused_in_the_same_words(ask):
    with pytest.raises(ValueError, match=r"rate must not be negative; got -0\.10* of w"):
        ask()


@pytest.mark.parametrize(
    ("share", "message"),
    [
        (
            lambda X: Matrix([X @ w, X @ u]),
            "share must give an expression, not several or a matrix,",
        ),
        (lambda X: object(), "in projections X @ k; got a object"),
        (lambda X, Y: X @ w, r"it is called with one token X, as in lambda X: \.\.\."),
        (lambda: 3, r"it is called with one token X, as in lambda X: \.\.\."),
    ],
)
def test_shares_that_are_none(share, message):
    with pytest.raises(TypeError, match=message):
        stated(share)


def test_a_list_for_a_target_that_is_one_number():
    with pytest.raises(ValueError, match=r"^the predictor has a list of 1 outputs, .*; it is one"):
        stated(lambda X: [X @ w])


def test_a_share_without_its_bias():
    with pytest.raises(
        TypeError, match=r"a token X and the bias of its position, as in lambda X, b"
    ):
        model(TokenSequence({one: 1}), Predictor(lambda X: X @ w, bias=(1,)))


def test_targets_that_are_none():
    with pytest.raises(TypeError, match="target of token must be a function of a token; got 3"):
        Token(target=3)


def test_a_square_of_the_hyperbolic_secant():
    found = stated(lambda X: 1 / cosh(X @ w) ** 2).check({"d": 4}, samples=20_000, rng=0)
    assert found.is_passed, found
    other = stated(lambda X: 1 - tanh(X @ w) ** 2)
    assert other.risk == stated(lambda X: sech(X @ w) ** 2).risk


@pytest.mark.parametrize(
    ("share", "target"),
    [
        (lambda X: (X @ w) / (1 + Abs(X @ w)), lambda X: X @ u),
        (lambda X: tanh(Max(0, X @ w)), lambda X: X @ u),
        (lambda X: Piecewise((tanh(X @ w), X @ w > 0), (0, True)), lambda X: X @ u),
        (lambda X: tanh(X @ w) * tanh(X @ k), lambda X: tanh(X @ u)),
    ],
)
def test_check_samples_what_does_not_close(share, target):
    one = stated(share, target)
    with pytest.raises(NotClosedError, match=r"no closed form is known of the mean of .* integral"):
        _ = one.risk
    found = one.check({"d": 4}, samples=2_000, rng=0)
    assert repr(found).startswith(
        "Not compared with sampled tokens: no closed form is known of the"
    )
    assert not found.is_passed
    assert 0 < found.estimate < 3
    assert found.error > 0


def test_scores_that_are_no_numbers_compare_nothing():
    from slrsym.models.model_reports import SampledTokenComparison

    assert not SampledTokenComparison(1.0, 1.0, 0.1, {"risk": 0.1, "other": np.nan}).is_passed


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_starts_are_finite(number):
    linear = stated(lambda X: X @ w)
    flow = linear.equations("gradient-flow", rate=1)
    with pytest.raises(ValueError, match=r"\\langle w, u\\rangle must be finite; it is"):
        flow.solve({}, {w @ w: 1, w @ u: number}, 1)
    with pytest.raises(ValueError, match="point must have finite numbers"):
        flow.fixed_points({}, starts=[[1.0, number]])
    with pytest.raises(ValueError, match="start must have finite vectors; those for w are not"):
        linear.simulate({}, steps=1, alpha=0.1, start={w: [number, 0], u: [1, 0]})


def test_correlations_of_three_tokens_contradict_each_other():
    tokens = [Token(name=name) for name in "abc"]
    pairs = {(tokens[i], tokens[j]): -0.9 for i in range(3) for j in range(i)}
    with pytest.raises(ValueError, match="no noises of a, b, c have these correlations"):
        TokenSequence(dict.fromkeys(tokens, 1), correlation=pairs)
    # Only two of them occur together.
    cases = [(dict.fromkeys(tokens[:2], 1), 0.5), (dict.fromkeys(tokens[1:], 1), 0.5)]
    TokenSequence(cases, correlation=pairs)
    TokenSequence(dict.fromkeys(tokens, 1), correlation=dict.fromkeys(pairs, -0.5))


def test_words_for_shares_that_python_cannot_evaluate():
    for share in (lambda X: X @ w if X @ w > 0 else 0, lambda X: max(0, X @ w)):
        with pytest.raises(TypeError, match=r"write cases with sympy.Piecewise, sympy.Max"):
            stated(share)
    with pytest.raises(TypeError, match="the token stands first in a projection: write X @ w"):
        stated(lambda X: w @ X)


def test_scalars_alone_need_no_start():
    """A second layer on fixed features: v is the mean of both over the mean of a square."""
    second, feature = Symbol("v", real=True), Direction("f", unit=True)
    one = stated(
        lambda X: second * Max(0, X @ feature),
        lambda X: Max(0, X @ u),
        inner_products={u @ feature: 0},
    )
    flow = one.equations("gradient-flow", rate=1, train=second)
    for start in ({}, "uniform"):
        runs = flow.solve({"v": 0}, start, 30, points=2, backend="numpy")
        np.testing.assert_allclose(runs.v[-1], 1 / np.pi, rtol=1e-7)

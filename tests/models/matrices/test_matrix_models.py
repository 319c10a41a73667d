"""Models on matrices: their risk and gradient are those of the definition, in coordinates."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.random import default_rng
from scipy.optimize import minimize
from sympy import Eq, Identity, Symbol, Trace, exp, symbols

from slrsym.crosscheck.matrices import compare_matrices
from slrsym.crosscheck.matrix_samples import matrix_value
from slrsym.crosscheck.samples import SampleEvaluator
from slrsym.matrices import Size, along, covariance, matrix, mean, symmetric
from slrsym.models import model
from slrsym.models.matrices import LinearAttention, LinearNetwork, MatrixModel, Prompt, Regression
from slrsym.proof import ProofError, check_claim
from tests._profile import more, nightly_cases, thorough, thorough_only

d, N, h, k = (Size(name) for name in "dNhk")
L, T, R = covariance("L", d, definite=True, family="F"), covariance("T", d), covariance("R", d)
U, V, A, H = matrix("U", d), matrix("V", d), matrix("A", k, d), matrix("H", d)
A_1, A_2 = matrix("A_1", d), matrix("A_2", d)
u, v, a_1, a_2, a_3 = symbols("u v a_1 a_2 a_3", real=True)
sigma = Symbol("sigma", nonnegative=True)
NOISY = Prompt(d, pairs=N, covariance=L, task=T, noise=sigma)
PLAIN = Prompt(d, pairs=N, covariance=L)
WHITE = Prompt(d, pairs=N)
TEACHER = Regression(A, covariance=R, noise=sigma)
key, query = matrix("k", d, 1), matrix("q", d, 1)


def equal(a, b):
    return Eq(a, b, evaluate=False)


MODELS = {
    "one head": (NOISY, LinearAttention(lambda p: u * p.b.T * U * p.x)),
    "two heads": (NOISY, LinearAttention(lambda p: u * p.b.T * U * p.x + v * p.b.T * V * p.x)),
    "rank one": (PLAIN, LinearAttention(lambda p: v * p.b.T * key * query.T * p.x)),
    "one layer": (NOISY, LinearAttention(layers=[A_1])),
    "two layers": (PLAIN, LinearAttention(layers=[A_1, A_2])),
    "two layers and noise": (Prompt(d, N, noise=sigma), LinearAttention(layers=[a_1, A_2])),
    "network": (TEACHER, LinearNetwork([d, h, k])),
    "deep network": (Regression(A), LinearNetwork([d, h, h, k], name="V")),
}  # fmt: skip


@pytest.fixture(scope="module")
def models():
    return {name: MatrixModel(*parts) for name, parts in MODELS.items()}


SLOW = ("two layers", "two layers and noise")


@nightly_cases("two layers")
@pytest.mark.parametrize("name", [thorough(n) if n in SLOW else n for n in MODELS])
def test_the_risk_is_the_mean_of_its_definition(models, name):
    m = models[name]
    compare_matrices(equal(m.definition, m.risk), (), default_rng(0), 3)


def test_layers_have_the_risk_that_simulated_prompts_have():
    """Prompts are drawn, and the layers applied to each, without any formula."""
    m = MatrixModel(NOISY, LinearAttention(layers=[a_1, A_2]))
    rng, count = default_rng(7), 200_000
    eigenvalues, tasks, noise, size = np.array([1.0, 0.5]), np.array([0.4, 1.2]), 0.3, 6
    first, second = 0.3, np.array([[0.4, 0.1], [-0.2, 0.3]])
    z = rng.standard_normal((count, size, 2)) * np.sqrt(eigenvalues)
    w = rng.standard_normal((count, 2)) * np.sqrt(tasks)
    y = np.einsum("nij,nj->ni", z, w) + noise * rng.standard_normal((count, size))
    estimate = np.zeros((count, 2))
    for step in (first * np.eye(2), second):
        left = y - np.einsum("nij,nj->ni", z, estimate)
        estimate = estimate + np.einsum("nij,ni->nj", z, left) / size @ step.T
    x = rng.standard_normal((count, 2)) * np.sqrt(eigenvalues)
    squares = np.einsum("nj,nj->n", estimate - w, x) ** 2
    values = {"L": eigenvalues, "T": tasks, "sigma": noise, "N": size}
    risk = m.risk_at({"a_1": first, "A_2": second}, values)
    assert abs(squares.mean() - risk) < 4 * squares.std() / count**0.5
    assert abs(squares.mean() - 1.05 * risk) > 6 * squares.std() / count**0.5


@pytest.mark.parametrize("name", [thorough(n) if n in SLOW else n for n in MODELS])
def test_gradients_are_those_of_the_risk(models, name):
    m = models[name]
    for x in m.trained:
        slope, move = m.gradient[x], 1
        if x.is_Matrix:
            move = matrix("H'", *x.shape)
            slope = Trace(slope.T * move)
        compare_matrices(equal(along(m.risk, (x, move)), slope), (), default_rng(1), 2)


def test_the_risk_of_one_head_is_that_of_the_claims(models):
    c = (Trace(L * T) + sigma**2) / N
    quadratic = (1 + 1 / N) * Trace(L * T * L * U * L * U.T) + c * Trace(L * U * L * U.T)
    value = u**2 * quadratic - 2 * u * Trace(L * T * L * U) + Trace(L * T)
    compare_matrices(equal(models["one head"].risk, value), (), default_rng(2))
    assert [x.name for x in models["one head"].trained] == ["U", "u"]
    assert [x.name for x in models["one head"].parameters] == ["L", "N", "T", "d", "sigma"]
    assert repr(models["network"]) == (
        "MatrixModel(trained: W_1, W_2; parameters: A, R, d, h, k, sigma)"
    )


def test_the_risk_of_a_network_is_a_distance_to_its_teacher(models):
    P = matrix("W_2", k, h) * matrix("W_1", h, d)
    value = Trace((P - A) * R * (P - A).T) + k * sigma**2
    compare_matrices(equal(models["network"].risk, value), (), default_rng(3))


def test_two_layers_without_noise_are_a_product():
    S = WHITE.words.S
    M = (Identity(d) - A_2 * S) * (Identity(d) - A_1 * S)
    m = MatrixModel(WHITE, LinearAttention(layers=[A_1, A_2]))
    assert len(m.risk.args) == len(mean(Trace(M * M.T), WHITE.laws[0]).args)
    value = mean(Trace(M * M.T), WHITE.laws[0])
    compare_matrices(equal(m.risk, value), (), default_rng(4), 3)


@pytest.mark.parametrize(
    ("count", "sizes", "best"),
    [(1, (3, 6), 2 / 5), (2, (3, 6), 7 / 31), thorough(3, (3, 6), 11767 / 80860)],
)
def test_layers_of_multiples_of_the_identity_have_known_least_risks(count, sizes, best):
    """The least risk of a dimension is a Christoffel number."""
    m = MatrixModel(WHITE, LinearAttention(layers=[a_1, a_2, a_3][:count]))
    function = m.compile()
    row = {"d": float(sizes[0]), "N": float(sizes[1])}
    rest = [row[x.name] for x in m.parameters]
    found = minimize(lambda a: function(*a, *rest)[0], np.linspace(0.4, 1, count), tol=1e-12)
    assert found.fun == pytest.approx(sizes[0] * best, rel=1e-9)


@nightly_cases("two layers")
@pytest.mark.parametrize(
    "name", ["network", thorough("one head"), thorough("two layers"), thorough("rank one")]
)
def test_all_claims_are_accepted(models, name):
    claims = models[name].claims("m")
    assert len({c.id for c in claims}) == len(claims) > len(models[name].trained)
    # The gradient of two layers has more traces than the proof checker keeps apart.
    claims = claims[:1] if name == "two layers" else claims + models[name].minimum.claims("m")
    for claim in claims:
        assert check_claim(claim, lambda id: None).accepted, claim.id


VALUES = {"d": 3, "N": 5, "L": np.diag([1.0, 2.0, 0.5]), "T": [0.3, 0.0, 2.0], "sigma": 0.4}


def arguments(m, rng):
    sizes = {"d": 3, "N": 5, "h": 2, "k": 4}
    row = []
    for x in (*m.trained, *m.parameters):
        if not x.is_Matrix:
            row.append(float(sizes.get(x.name, rng.random())))
            continue
        shape = [1 if n == 1 else sizes[n.name] for n in x.shape]
        entries = rng.standard_normal(shape)
        row.append(entries if x.kind == "any" else entries @ entries.T)
    return row


def evaluated(e, point):
    """Return the value of an expression in floating point, by another evaluator."""
    at = SampleEvaluator(point, lambda node, at: None)
    return matrix_value(at, e) if getattr(e, "is_Matrix", False) else at.value(e)


def check_compiled(m, backend, tolerance=1e-11):
    row = arguments(m, default_rng(5))
    point = dict(zip((*m.trained, *m.parameters), row, strict=True))
    point = {x: (int(v) if type(x) is Size else v) for x, v in point.items()}
    (risk,) = m.compile(backend)(*row)
    assert float(risk) == pytest.approx(float(evaluated(m.risk, point)), rel=tolerance)
    slopes = m.compile(backend, "gradient")(*row)
    for x, found in zip(m.trained, slopes, strict=True):
        np.testing.assert_allclose(found, evaluated(m.gradient[x], point), rtol=1e-9, atol=1e-9)
    return row, slopes


COMPILED = ["two heads", "rank one", "two layers", "network"]


@pytest.mark.parametrize("name", COMPILED)
def test_compiled_functions_give_the_expressions_and_their_differences(models, name):
    m = models[name]
    row, slopes = check_compiled(m, "numpy")
    function, step, rng = m.compile(), 1e-4, default_rng(6)
    moves = [rng.standard_normal(np.shape(x)) for x in row[: len(m.trained)]]
    rest = row[len(m.trained) :]
    at = [function(*(x + s * step * move for x, move in zip(row, moves, strict=False)), *rest)[0]
          for s in (-2, -1, 1, 2)]  # fmt: skip
    quotient = (at[0] - 8 * at[1] + 8 * at[2] - at[3]) / (12 * step)
    wanted = sum(np.sum(s * move) for s, move in zip(slopes, moves, strict=True))
    assert quotient == pytest.approx(wanted, rel=1e-7)


@nightly_cases("two layers", "two heads")
@thorough_only
@pytest.mark.parametrize("name", COMPILED)
def test_compiled_functions_of_numba(models, name):
    pytest.importorskip("numba")
    check_compiled(models[name], "numba")


@more
@pytest.mark.parametrize("name", ["rank one", "network", *map(thorough, COMPILED[:3:2])])
def test_compiled_functions_of_jax(models, name):
    jax = pytest.importorskip("jax", reason="needs JAX: pip install 'slrsym[jax]'")
    m = models[name]
    with jax.enable_x64(True):
        row, slopes = check_compiled(m, "jax")
        risk = m.compile("jax")
        found = jax.grad(lambda x: risk(x, *row[1:])[0])(row[0])
    np.testing.assert_allclose(found, slopes[0], rtol=1e-9, atol=1e-9)


def test_the_risk_in_numbers_takes_names_and_eigenvalues(models):
    m = models["one head"]
    point = {"U": np.eye(3), u: 0.5}
    full = {**VALUES, "T": np.diag(VALUES["T"])}
    assert m.risk_at(point, VALUES) == m.risk_at(point, full)
    # Without training, the risk is the mean square of the label.
    assert m.risk_at({"U": np.eye(3), "u": 0}, VALUES) == pytest.approx(0.3 + 1.0)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"L": [1, 2]}, "with d = 3"),
        ({"L": [1, 2, 0]}, "L must be positive definite"),
        ({"T": [1, -2, 1]}, "T must be positive semidefinite"),
        ({"T": np.arange(9.0).reshape(3, 3)}, "T must be symmetric"),
        ({"sigma": -1}, "sigma must be nonnegative"),
        ({"sigma": np.nan}, "sigma must be a finite number"),
        ({"N": 2.5}, "N must be an integer of at least 1"),
        ({"M": 1}, "values has M, which is none of"),
        ({"T": np.zeros(())}, "T must be a matrix"),
        ({"T": [1, 2, np.inf]}, "finite entries"),
    ],
)
def test_values_that_do_not_fit_are_named(models, change, said):
    with pytest.raises(ValueError, match=said):
        models["one head"].risk_at({"U": np.eye(3), "u": 1}, {**VALUES, **change})


def test_missing_values_and_matrices_that_do_not_commute(models):
    with pytest.raises(ValueError, match="values must have N, sigma"):
        models["one head"].risk_at({"U": np.eye(3), "u": 1}, {"L": [1, 2, 3], "T": [1, 1, 1]})
    other = covariance("S", d, family="F")
    m = MatrixModel(Prompt(d, N, covariance=L, task=other), LinearAttention(layers=[A_1]))
    turned = np.array([[2.0, 1, 0], [1, 2, 0], [0, 0, 1]])
    with pytest.raises(ValueError, match="S and L must commute"):
        m.risk_at({"A_1": np.eye(3)}, {"L": [1, 2, 3], "S": turned, "N": 4})


@pytest.mark.parametrize(
    ("make", "error", "said"),
    [
        (lambda: MatrixModel(PLAIN, LinearNetwork([d, k])), TypeError, "must be a LinearAttention"),
        (lambda: MatrixModel(1, LinearNetwork([d, k])), TypeError, "a Prompt or a Regression"),
        (lambda: LinearAttention(), TypeError, "either a function"),
        (lambda: LinearAttention(lambda p: p.x, layers=[A_1]), TypeError, "either a function"),
        (lambda: MatrixModel(PLAIN, LinearAttention(lambda p: p.x)), TypeError, "1 x 1"),
        (lambda: MatrixModel(PLAIN, LinearAttention(lambda p: u)), TypeError, "1 x 1"),
        (lambda: MatrixModel(PLAIN, LinearAttention(lambda p: p.b.T * L * p.x)), ValueError,
         "nothing to train"),
        (lambda: MatrixModel(PLAIN, LinearAttention(
            lambda p: exp(Trace(p.S)) * p.b.T * U * p.x)), ProofError, "beside the trace"),
        (lambda: MatrixModel(PLAIN, LinearAttention(lambda p: p.b.T * A * p.x)), ProofError,
         "do not match"),
        (lambda: MatrixModel(PLAIN, LinearAttention(layers=[matrix("X", d)])), ProofError,
         "two symbols are called X"),
        (lambda: Prompt(d, N, noise=Symbol("s", real=True)), ValueError, "must be nonnegative"),
        (lambda: Prompt(d, N, covariance=symmetric("Q", d)), ProofError, "is no covariance"),
        (lambda: Regression(1), TypeError, "teacher must be a letter"),
        (lambda: Regression(A, covariance=covariance("C", k)), ProofError, "is no covariance"),
        (lambda: LinearNetwork([d]), ValueError, "at least two sizes"),
        (lambda: MatrixModel(PLAIN, LinearAttention(layers=[A_1])).equations("online-sgd"),
         ValueError, "covariance of the gradients of single samples"),
        (lambda: MatrixModel(PLAIN, LinearAttention(layers=[A_1])).compile("fortran"), ValueError,
         "backend must be one of"),
        (lambda: MatrixModel(PLAIN, LinearAttention(layers=[A_1])).compile("numpy", "hessian"),
         ValueError, "what must be"),
    ],
)  # fmt: skip
def test_what_is_no_model_is_refused_in_words(make, error, said):
    with pytest.raises(error, match=said):
        make()


@pytest.mark.parametrize("name", ["one head", "network"])
def test_model_makes_models_of_matrices(models, name):
    made = model(*MODELS[name])
    assert isinstance(made, MatrixModel)
    assert made.risk == models[name].risk


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"ridge": 0.1}, "ridge=0.1 is for tokens; a Prompt has .* leave ridge out"),
        ({"loss": "huber"}, "loss='huber' is for tokens"),
        ({"names": {u: v}}, "names=.* is for tokens"),
        ({"inner_products": {u: 0}}, "inner_products=.* is for tokens"),
    ],
)
def test_settings_of_tokens_are_refused_for_matrices(settings, said):
    with pytest.raises(ValueError, match=said):
        model(*MODELS["one head"], **settings)


def test_layers_whose_mean_has_too_many_terms_are_refused(monkeypatch):
    monkeypatch.setattr("slrsym.matrices.trace_polynomials._WORK", 10_000)
    with pytest.raises(ProofError, match="Gaussian factors has too many pairings"):
        MatrixModel(PLAIN, LinearAttention(layers=[A_1, A_2]))

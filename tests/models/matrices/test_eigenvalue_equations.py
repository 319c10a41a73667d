"""Reduced flows of matrices in numbers: against the flow in matrices, and their pictures."""

import matplotlib as mpl
import numpy as np
import pytest
from scipy.optimize import approx_fprime
from sympy import Rational, symbols

from slrsym.matrices import Size, covariance, matrix
from slrsym.models.matrices import LinearAttention, MatrixModel, Prompt

mpl.use("agg")

d, N = Size("d"), Size("N")
L, U = covariance("L", d, definite=True, family="F"), matrix("U", d)
u, a, b = symbols("u a b", real=True)
HEAD = LinearAttention(lambda p: u * p.b.T * U * p.x)
LAYERS = LinearAttention(layers=[a, b])
VALUES = {"L": [1.0, 2.0], "N": 7}


def flow_of(predictor, cov=L, kind="gradient-flow"):
    return MatrixModel(Prompt(d, N, covariance=cov), predictor).equations(kind, rate=Rational(1, 2))


@pytest.fixture(scope="module")
def reduced():
    return flow_of(HEAD).reduced("F")


@pytest.fixture(scope="module")
def head(reduced):
    return reduced.at_size(2)


def test_numbers_move_as_diagonal_matrices(reduced, head):
    assert [s.name for s in head.state] == ["U_1", "U_2", "u"]
    assert [p.name for p in head.parameters] == ["L_1", "L_2", "N"]
    state, row = head.numerical_values([0.3, -0.4, 0.5], VALUES)
    flow = reduced.flow
    at = {U: np.diag([0.3, -0.4]), u: 0.5, L: np.diag(VALUES["L"]), N: 7.0, d: 2.0}
    in_matrices = flow.compile()(*(at[x] for x in (*flow.state, *flow.parameters)))
    found = head.compile()(state, *row)
    np.testing.assert_allclose(found[:2], np.diag(in_matrices[0]), rtol=1e-13)
    np.testing.assert_allclose(found[2], in_matrices[1], rtol=1e-13)
    risk = flow.model.risk_at({U: at[U], u: 0.5}, VALUES)
    assert head.compile("numpy", "risk")(state, *row)[0] == pytest.approx(float(risk), rel=1e-13)


def test_slopes_are_those_of_the_motion(head):
    point = head.linearise({"U": [0.3, -0.4], "u": 0.5}, VALUES)
    _, row = head.numerical_values([0, 0, 0], VALUES)
    differences = approx_fprime([0.3, -0.4, 0.5], lambda x: head.compile()(x, *row), 1e-7)
    np.testing.assert_allclose(point.matrix, differences, atol=1e-5)
    assert np.isclose(point.matrix, point.matrix.T).all()  # the drift is a gradient


def test_fixed_points_are_certified():
    best, *_, saddle = (
        flow_of(LAYERS).reduced("F").at_size(2).fixed_points(VALUES, rng=0, certified=True)
    )
    assert best.is_certified
    assert saddle.is_certified
    assert best.risk < saddle.risk
    assert (best.linearisation.eigenvalues < 0).all()
    runs = flow_of(LAYERS).solve(VALUES, {"a": 0.5, "b": 0.1}, time=60)
    assert float(runs.risk[-1]) == pytest.approx(best.risk, abs=1e-9)


def test_numbers_alone_are_trained_in_any_size():
    """Without letters the size is a parameter; with them, the two flows are the same."""
    isotropic = flow_of(LAYERS, None).reduced()
    start = {"a": 0.1, "b": 0.2}
    runs = isotropic.solve({"d": 2, "N": 7}, start, time=2)
    same = flow_of(LAYERS).reduced("F").solve({"L": [1, 1], "N": 7}, start, time=2)
    np.testing.assert_allclose(runs.risk, same.risk, rtol=1e-8)
    sized = isotropic.at_size()
    assert [p.name for p in sized.parameters] == ["N", "d"]
    at = {"L": 1, "N": 7}
    other = flow_of(LAYERS).reduced("F").at_size(2)
    np.testing.assert_allclose(
        sized.linearise(start, {"d": 2, "N": 7}).matrix, other.linearise(start, at).matrix
    )


def test_a_plane_is_drawn_with_its_fixed_points():
    equations = flow_of(LAYERS).reduced("F").at_size(2)
    ax = equations.plot_field(values=VALUES)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("$a$", "$b$")
    assert ax.get_title(loc="left") == "3 of 3 fixed points found lie here"
    assert [x.get_text() for x in ax.get_legend().get_texts()] == ["attracting", "saddle"]


def test_a_plane_of_eigenvalues_says_what_is_held(head):
    ax = head.plot_field("U_1", "u", VALUES, at={"U_2": 0.25}, points=())
    assert ax.get_title(loc="left") == "$U_{2} = 0.25$"
    assert np.isfinite(ax.get_xlim()).all()


def test_bad_input_is_named(reduced, head):
    with pytest.raises(ValueError, match=r"L must have 2 eigenvalues; got \[1, 2, 3\]"):
        head.plot_field(values={"L": [1, 2, 3], "N": 7})
    with pytest.raises(ValueError, match="values must have a number for N"):
        head.plot_field(values={"L": 1})
    with pytest.raises(ValueError, match="L_1 must be positive"):
        head.linearise([0, 0, 0], {"L": [-1, 1], "N": 7})
    with pytest.raises(ValueError, match="values has Lambda, no parameter of the equations"):
        head.fixed_points(VALUES | {"Lambda": 1})
    with pytest.raises(ValueError, match="what must be one of change, jacobian, risk"):
        head.compile("numpy", "diffusion")
    with pytest.raises(ValueError, match=r"of the family F, as at_size\(2\)"):
        reduced.at_size()
    with pytest.raises(ValueError, match="size must be an integer of at least 1"):
        reduced.at_size(0)
    with pytest.raises(ValueError, match=r"among the values, as \{'d': 3\}"):
        flow_of(HEAD, None).reduced().at_size(3)


@pytest.mark.parametrize("name", ["plot_field", "write_portrait", "plot_landscape", "linearise"])
def test_what_has_no_picture_says_what_has(reduced, name):
    for asked, remedy in (
        (reduced.flow.model, r'equations\(\)\.reduced\("F"\)\.at_size\(2\)'),
        (reduced.flow, r'as reduced\("F"\)\.at_size\(2\)'),
        (reduced, r"as at_size\(2\)"),
    ):
        with pytest.raises(AttributeError, match=f"has no {name}: a picture is of .*{remedy}"):
            getattr(asked, name)
    with pytest.raises(AttributeError, match=r"ReducedFlow has no colour$"):
        reduced.colour  # noqa: B018

"""The strategies draw what they promise, reach the ends, and say what is wrong with an argument."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st

from slrsym.papers.single_location import OrderParameters, Task
from slrsym.papers.single_location.dynamics.spheres import gram_matrices
from slrsym.papers.single_location.testing.strategies import (
    corner_overlaps,
    inverse_temperatures,
    log_uniform,
    manifold_overlaps,
    overlaps,
    schedules,
    step_sizes,
    tasks,
)
from tests._profile import more, thorough, thorough_only
from tests.papers.single_location.dynamics._vectors import draw_vectors_and_stars_with_overlaps

# An example will do; it need not be the simplest.
THOROUGH = settings(
    max_examples=3000, derandomize=True, database=None, phases=[Phase.generate], deadline=None
)


def least_eigenvalue(state):
    return float(np.linalg.eigvalsh(gram_matrices(np.array([state])))[0, 0])


def found(strategy, condition):
    return find(strategy, condition, settings=THOROUGH)


@given(st.data(), st.tuples(st.floats(1e-9, 1e9), st.floats(1e-9, 1e9)).map(sorted))
def test_numbers_stay_between_their_ends(data, ends):
    least, most = ends
    for strategy in (log_uniform, inverse_temperatures, step_sizes):
        assert least <= data.draw(strategy(least, most)) <= most


def test_every_decade_is_met():
    for decade in range(-3, 1):
        lam = found(inverse_temperatures(), lambda x, n=decade: 10**n <= x < 10 ** (n + 1))
        assert 10**decade <= lam < 10 ** (decade + 1)


def test_the_simplest_number_is_one():
    assert find(inverse_temperatures(), lambda x: True, settings=settings(database=None)) == 1.0


@given(schedules(7, 0.1, 2.0))
def test_schedules(values):
    assert values.ndim == 1
    assert 1 <= values.size <= 7
    assert ((values >= 0.1) & (values <= 2.0)).all()


def test_schedules_are_constant_falling_and_neither():
    steps = lambda values: np.sign(np.diff(values))  # noqa: E731
    for condition in (
        lambda x: x.size > 2 and (steps(x) == 0).all(),
        lambda x: x.size > 2 and (steps(x) < 0).all(),
        lambda x: {-1.0, 1.0} <= {*steps(x)},
    ):
        assert condition(found(schedules(), condition))


@given(tasks(d=(3, 50), L=(2, 9), gamma=(0.5, 2.0), epsilon=(0.1, 1.0)))
def test_tasks_have_the_sizes_asked_for(task):
    assert isinstance(task, Task)
    assert 3 <= task.d <= 50
    assert 2 <= task.L <= 9
    assert 0.5 <= task.gamma <= 2.0
    assert task.epsilon == 0 or 0.1 <= task.epsilon <= 1.0


@thorough_only
def test_the_ends_of_tasks_are_met():
    for condition in (
        lambda task: task.d == 2 and task.L == 1,
        lambda task: task.d > 10**6 and task.L > 10**3,
        lambda task: task.epsilon > 1,
        lambda task: task.gamma < 0.1,
    ):
        assert condition(found(tasks(), condition))


@thorough_only
@given(st.integers(2, 6), st.data())
def test_overlaps_are_those_of_vectors(dimension, data):
    for strategy in (overlaps, manifold_overlaps, corner_overlaps):
        state = data.draw(strategy(dimension))
        assert isinstance(state, OrderParameters)
        assert max(map(abs, state)) <= 1
        assert least_eigenvalue(state) > -1e-14
        # As many directions as there are dimensions, at most.
        rank = np.linalg.matrix_rank(gram_matrices(np.array([state]))[0], tol=1e-7)
        assert rank <= dimension


@more
@pytest.mark.parametrize("dimension", [thorough(2), 3])
def test_few_dimensions_leave_nothing_but_boundary(dimension):
    @given(overlaps(dimension))
    def singular(state):
        values = np.linalg.eigvalsh(gram_matrices(np.array([state]))[0])
        assert np.abs(values[: 4 - dimension]).max() < 1e-14

    singular()


@given(manifold_overlaps())
def test_points_of_the_manifold(state):
    assert state[2:] == (0, 0, 0)


@pytest.mark.parametrize(
    "condition",
    [
        lambda x: least_eigenvalue(x) > 0.2,
        lambda x: least_eigenvalue(x) < 1e-14 and len({*map(abs, x)}) == 5,
        thorough(lambda x: 1e-12 < least_eigenvalue(x) < 1e-6 and len({*map(abs, x)}) == 5),
        lambda x: x[2:] == (0, 0, 0) and 0 < abs(x.kappa) < 1 and 0 < abs(x.nu) < 1,
        lambda x: x[:2] == (1, 1),
        thorough(lambda x: (x.eta, x.theta) == (1, -1)),
        thorough(lambda x: x.rho == 1 and x.kappa == x.nu == 0),
        thorough(lambda x: 1e-14 < 1 - x.kappa**2 - x.eta**2 < 1e-6 and 0.1 < abs(x.kappa) < 0.9),
    ],
    ids=["inside", "boundary", "close", "manifold", "oracle", "swap", "k is v", "nearly planar"],
)
def test_all_kinds_of_overlaps_are_met(condition):
    assert condition(found(overlaps(), condition))


@pytest.mark.parametrize("condition", [
    lambda x: 0 < 1 - abs(x.kappa) < 1e-9, lambda x: 0 < abs(x.nu) < 1e-200, lambda x: x.nu == -1,
])  # fmt: skip
def test_the_ends_of_the_manifold_are_met(condition):
    assert condition(found(manifold_overlaps(), condition))


@given(corner_overlaps())
def test_corner_cases(state):
    assert {*state} <= {-1, 0, 1}


def test_corner_cases_of_the_plane_can_be_lifted_to_it():
    for state in corner_overlaps(2).elements:
        draw_vectors_and_stars_with_overlaps(np.array([state]), 2)
    # Four axes, with their signs, for each of k and v.
    assert len({*corner_overlaps(2).elements}) == 16


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: inverse_temperatures(0, 1), "least must be positive and finite; got 0"),
        (lambda: step_sizes(1, float("inf")), "most must be positive and finite; got inf"),
        (lambda: log_uniform(2, 1), "least must be at most most; got 2 and 1"),
        (lambda: tasks(d=(1, 5)), "d must be an integer of at least 2; got 1"),
        (lambda: tasks(L=(0, 5)), "L must be an integer of at least 1; got 0"),
        (lambda: tasks(d=(9, 5)), "the least d must be at most the largest d; got 9 and 5"),
        (lambda: tasks(gamma=(0.0, 1.0)), "must be positive and finite; got 0.0"),
        (lambda: overlaps(1), "dimension must be an integer of at least 2; got 1"),
        (lambda: overlaps(2.5), "dimension must be an integer of at least 2; got 2.5"),
        (lambda: manifold_overlaps(True), "dimension must be an integer"),
        (lambda: corner_overlaps(0), "dimension must be an integer of at least 2; got 0"),
        (lambda: schedules(0), "most_steps must be an integer of at least 1; got 0"),
    ],
)
def test_bad_arguments(call, said):
    with pytest.raises(ValueError, match=said):
        call()


def test_without_hypothesis_there_is_the_rest():
    code = (
        "import sys; sys.modules['hypothesis'] = None; import slrsym.testing as t\n"
        "t.check_gradient\n"
        "try:\n    import slrsym.papers.single_location.testing.strategies\n"
        "except ImportError as problem:\n    print(problem, problem.name)\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "need Hypothesis; install it by pip install 'slrsym[test]'" in ran.stdout
    assert ran.stdout.strip().endswith("hypothesis")


def test_the_import_brings_nothing_along():
    code = (
        "import sys, slrsym.testing\n"
        "sys.exit(any(m in sys.modules for m in ('hypothesis', 'numpy', 'sympy', 'matplotlib')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0

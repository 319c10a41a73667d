"""Steps so large that squares overflow: a direction on a sphere is not a number, and never 0."""

import numpy as np
import pytest
from sympy import tanh

from slrsym.models import Direction, Directions, Predictor, Token, TokenSequence, model
from slrsym.models.training.spheres import Spheres
from slrsym.papers import single_location
from tests._profile import thorough_cases

u = Direction("u", unit=True)


def student(unit, count):
    """A sum of units on spheres; of few, steps are taken on coordinates that are written out."""
    w = Directions("w", count, sphere=True) if count > 1 else [Direction("w", sphere=True)]
    token = Token(target=lambda X: unit(X @ u))
    return model(
        TokenSequence({token: 1}), Predictor(lambda X: sum(unit(X @ x) for x in w) / count)
    )


@thorough_cases("tanh-numba")
@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize(
    ("unit", "count"), [(lambda x: x, 1), (lambda x: x, 4), (tanh, 1)], ids=["one", "four", "tanh"]
)
def test_what_overflows_is_not_a_number(unit, count, backend):
    if backend == "numba":
        pytest.importorskip("numba")
    m = student(unit, count)
    with pytest.warns(RuntimeWarning, match="not finite"):
        runs = m.simulate({"d": 10}, steps=3, alpha=1e170, rng=0, backend=backend, progress=False)
    lengths = np.diagonal(runs.gram.values[:, 1:, 0], axis1=-2, axis2=-1)[..., :count]
    assert np.isnan(lengths).all()
    assert not np.isnan(runs.gram.values[:, 0]).any()


@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("options", [{}, {"batch": 3, "rng": 1}], ids=["mean", "batch"])
@pytest.mark.parametrize("start", [(0.3, 0.2), (0.3, 0.2, 0.1, 0.05, 0.02)], ids=["on M", "off M"])
def test_a_run_of_the_task_that_overflows_is_refused(start, options, backend):
    task = single_location.Task(d=50, L=4, gamma=0.7)
    with pytest.raises(ValueError, match="such that no step overflows"):
        single_location.simulate(
            task, np.array([start]), 0.5, 1e170, 1, 1, backend, progress=False, **options
        )


def test_spheres_have_no_vector_of_length_zero():
    spheres = Spheres(np.array([True, False]))
    with np.errstate(all="ignore"):
        found = spheres.normalise(np.array([[3e200, 4e200], [3e200, 4e200]]))
    assert np.isnan(found[0]).all()
    assert found[1].tolist() == [3e200, 4e200]

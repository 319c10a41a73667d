"""Backends that runs choose: by the number of steps, and by whether machine code is there."""

from types import SimpleNamespace

import numpy as np
import pytest
from sympy import tanh

from slrsym.kernels import compile as compilation
from slrsym.models import softmax
from slrsym.models.stated_model import Model
from slrsym.models.training.descent import DescentMap
from slrsym.models.training.reduced_steps import find_reduced_step
from slrsym.models.training.simulation import DescentEngine, choose_backend_of_runs
from slrsym.papers.single_location.models import attention
from tests._profile import thorough_only

from ._programs import MODELS

LINEAR, TANH, SOFTMAX = MODELS["linear"], MODELS["tanh"], MODELS["attention softmax"]


@pytest.fixture
def machine_code(monkeypatch):
    """Say whether machine code is there."""

    def tell(there):
        monkeypatch.setattr(DescentMap, "is_loop_compiled", there)

    return tell


@pytest.mark.parametrize(
    ("make", "short", "middle", "long"),
    [(LINEAR, 2_000, 20_000, 40_000), (TANH, 100, 1_500, 10_000), (SOFTMAX, 200, 1_000, 6_000)],
    ids=["linear", "tanh", "softmax"],
)
def test_short_runs_take_numpy_and_long_ones_numba(machine_code, make, short, middle, long):
    stated = make()
    chosen = {}
    for there in (False, True):
        machine_code(there)
        chosen[there] = [
            choose_backend_of_runs("auto", stated, n, 5) for n in (short, middle, long)
        ]
    assert chosen == {False: ["numpy", "numpy", "numba"], True: ["numpy", "numba", "numba"]}


def test_many_runs_are_long_sooner(machine_code):
    machine_code(False)
    chosen = [choose_backend_of_runs("auto", LINEAR(), 5_000, runs) for runs in (1, 100, 10_000)]
    assert chosen == ["numpy", "numpy", "numba"]


def test_a_backend_that_is_asked_for_is_taken(machine_code):
    for there in (False, True):
        machine_code(there)
        for steps in (1, 10**7):
            for asked in ("numpy", "numba"):
                assert choose_backend_of_runs(asked, LINEAR(), steps, 1) == asked
    with pytest.raises(ValueError, match="backend must be one of auto, numpy, numba"):
        choose_backend_of_runs("fortran", LINEAR(), 1, 1)


def test_without_numba_all_runs_take_numpy(machine_code, monkeypatch):
    machine_code(True)
    nothing = SimpleNamespace(util=SimpleNamespace(find_spec=lambda name: None))
    monkeypatch.setattr(compilation, "importlib", nothing)
    assert choose_backend_of_runs("auto", LINEAR(), 10**7, 1) == "numpy"


def test_runs_tell_the_chosen_backend(machine_code):
    machine_code(False)
    values = {"sigma": 0.1, "d": 10}
    assert LINEAR().simulate(values, steps=3, alpha=0.1, rng=0).attrs["backend"] == "numpy"


@thorough_only
def test_machine_code_is_there_after_the_first_run(tmp_path, monkeypatch):
    monkeypatch.setenv("SLRSYM_CACHE_DIR", str(tmp_path))
    stated = LINEAR()
    values = {"sigma": 0.1, "d": 10}

    def is_compiled(of):
        gram = np.eye(len(of.directions)) + 0.1 * (1 - np.eye(len(of.directions)))
        return find_reduced_step(of, gram[None, None])[0].is_loop_compiled

    assert not is_compiled(stated)
    stated.simulate(values, steps=3, alpha=0.1, rng=0, backend="numba")
    assert is_compiled(LINEAR())
    # Another model has another loop.
    assert not is_compiled(MODELS["readme"]())


# -- the risk of softmax, which a step comes upon -------------------------------------------------


@pytest.fixture
def evaluations(monkeypatch):
    """Count the states at which a compiled function is evaluated, by its outputs."""
    counts = {}
    plain = Model.compile

    def compiled(self, backend, *what):
        found = plain(self, backend, *what)

        def evaluate(state, *parameters):
            counts[what] = counts.get(what, 0) + np.asarray(state).size // np.shape(state)[-1]
            return found(state, *parameters)

        return evaluate

    monkeypatch.setattr(Model, "compile", compiled)
    return counts


VALUES = {"d": 20, "L": 4, "gamma": 0.7, "epsilon": 0.1}
# Softmax at an inverse temperature that moves, so that a risk of another step would show.
MOVING = VALUES | {"lambda": lambda steps: 1.0 + 0.1 * steps}


@pytest.mark.parametrize("every", [1, 2, 3])
def test_softmax_is_evaluated_once_at_each_state(evaluations, every):
    runs = attention(softmax).model.simulate(
        MOVING, steps=5, alpha=0.05, runs=2, rng=0, every=every, backend="numpy"
    )
    # Those of each step, the first one before, and the last state.
    assert evaluations == {("excess_risk", "gradient"): 5 * 2, ("excess_risk",): 2 * 2}
    assert runs.step.values.tolist() == [*range(0, 5, every), 5]


@thorough_only
def test_risks_of_softmax_take_the_chosen_backend(monkeypatch):
    taken, plain = set(), Model.compile

    def compiled(self, backend, *what):
        taken.add(backend)
        return plain(self, backend, *what)

    monkeypatch.setattr(Model, "compile", compiled)
    attention(softmax).model.simulate(MOVING, steps=2, alpha=0.05, runs=2, rng=0, backend="numba")
    assert taken == {"numba"}


@pytest.mark.parametrize("every", [1, 2, 3])
def test_risks_of_softmax_belong_to_their_states(every):
    stated = attention(softmax).model
    runs = stated.simulate(MOVING, steps=5, alpha=0.05, runs=2, rng=0, every=every, backend="numpy")
    states = np.stack([runs[p].values for p in stated.order_parameters], axis=-1)
    row = [runs[p].values for p in stated.parameters]
    for name in ("excess_risk", "risk"):
        found = stated.compile("numpy", name)(states, *row)[..., 0]
        np.testing.assert_allclose(runs[name].values, found, rtol=1e-12)


@thorough_only
def test_an_interrupted_run_of_softmax_has_all_risks(monkeypatch, tmp_path):
    stated, plain = attention(softmax).model, DescentEngine.advance

    def advance(self, parameters, every):
        if self._taken >= 2:
            raise KeyboardInterrupt
        return plain(self, parameters[:2], every)

    monkeypatch.setattr(DescentEngine, "advance", advance)
    monkeypatch.setattr("slrsym.models.training.runs._STRIDE", 2 * 2 * 1000)
    with pytest.raises(KeyboardInterrupt):
        stated.simulate(
            MOVING, steps=6, alpha=0.05, runs=2, rng=0, every=1, backend="numpy",
            path=tmp_path / "runs.nc",
        )  # fmt: skip
    from slrsym.models.training.runs import load

    runs = load(tmp_path / "runs.nc")
    assert runs.step.values.tolist() == [0, 1, 2]
    assert np.isfinite(runs.risk.values).all()


@thorough_only
def test_backends_agree_on_the_risk_of_each_state():
    for stated in (attention(softmax).model, attention(tanh).model):
        found = [
            stated.simulate(VALUES | {"lambda": 1.0}, steps=4, alpha=0.05, rng=0, backend=backend)
            for backend in ("numpy", "numba")
        ]
        for name in ("risk", "gram"):
            np.testing.assert_allclose(found[0][name], found[1][name], rtol=1e-10, atol=1e-12)

"""Small data to draw."""

from dataclasses import replace

import numpy as np
import pytest
import xarray as xr

from slrsym.papers.committee.surveys import (
    CriticalLearningRateSurvey,
    NoiseFloorSurvey,
    PlateauSurvey,
)
from slrsym.papers.single_location import Task, simulate
from slrsym.papers.single_location.dynamics import InverseTimeDecay, ManifoldStart, UniformStart
from slrsym.papers.single_location.experiments import SECTION_E3
from slrsym.papers.single_location.surveys import BasinSurvey, OracleSurvey, SquareSurvey

TASK = Task(d=400, L=10, gamma=0.5**0.5)


@pytest.fixture(scope="session")
def runs():
    """Runs of figure 7b's setting, some of which recover and some do not."""
    return simulate(TASK, UniformStart(12), 0.1, 4e-3, 4000, 100, "numpy")


@pytest.fixture(scope="session")
def on_manifold():
    return simulate(
        TASK,
        ManifoldStart(4),
        InverseTimeDecay(1, 1e-3),
        4e-3,
        200,
        20,
        "numpy",
    )


@pytest.fixture(scope="session")
def sampled():
    """The first steps of figure 5."""
    task = Task(d=80, L=10, gamma=0.5**0.5, epsilon=0.1)
    return simulate(
        task, UniformStart(6), InverseTimeDecay(2, 1e-4), 1e-3, 500, 20, "numpy", batch=5
    )


@pytest.fixture(scope="session")
def risks():
    return OracleSurvey(exact=(10, 100, 1000), sampled=(10, 1000), samples=200).compute()


@pytest.fixture(scope="session")
def square():
    return SquareSurvey(points=33, alpha=0.1).compute()


@pytest.fixture(scope="session")
def basins():
    return BasinSurvey(points=17, alpha=0.1).compute()


@pytest.fixture(scope="session")
def layers():
    """Figures 8 and 10, hardly begun."""
    few = {"steps": 6, "every": 2, "width": 10, "batch": 4, "test": 30, "runs": 4}
    return {name: replace(SECTION_E3[name], **few).compute(workers=1) for name in ("8", "10")}


@pytest.fixture(scope="session")
def heads():
    few = replace(SECTION_E3["9"], steps=60, every=20, starts=3, held=30)
    return few.compute(workers=1)


@pytest.fixture(scope="session")
def committee():
    """Figures of committee machines, by name: small recipes, each with its data."""
    recipes = {
        "plateau": PlateauSurvey(units=(2, 3), time=20, d=60, runs=2),
        "noise-floor": NoiseFloorSurvey(
            surplus=(0, 1), rates=(0.1, 0.2), settle=0.1, time=0.2, d=20, runs=2
        ),
        "stability": CriticalLearningRateSurvey(units=(2, 4), tried=(2,), time=2, d=50),
    }
    return {name: (recipe, recipe.compute()) for name, recipe in recipes.items()}


@pytest.fixture(scope="session")
def probes():
    """Accuracies as an encoder of two layers might have them."""
    rng = np.random.default_rng(0)
    accuracy = rng.uniform(0.7, 1, (5, 3, 2))
    accuracy[:, 0] = 0.5
    names = ["train", "test", "other words", "other structure", "both"]
    return xr.Dataset(
        {"accuracy": (("set", "state", "scaling"), accuracy)},
        {"set": names, "state": np.arange(3), "scaling": ["raw", "standardised"]},
        {
            "model": "an-encoder-with-a-long-name", "weights": "0123456789abcdef" * 4, "layers": 2,
            "sentences": [15552, 4608, 3072, 144, 96], "C": 1.0,
        },
    )  # fmt: skip

"""Models drawn at random do all that the how-to's table says, on every backend.

Profile dev takes a few that are derived quickly, ci two of each activation but for those with
integrals over two variables, which take minutes each, nightly 300 of other numbers each night.
"""

import importlib.util
from datetime import UTC, datetime

import numpy as np
import pytest
import xarray as xr

from slrsym.papers.single_location.dynamics import load
from tests._profile import NIGHTLY, THOROUGH, more, thorough_cases
from tests.models._random_models import ACTIVATIONS, Drawn, drawn

pytestmark = more
QUICK = (7, 15)
if NIGHTLY:
    FIRST = 1000 * (datetime.now(UTC).toordinal() % 1000)
    SEEDS = range(FIRST, FIRST + 300)
else:
    # Two heads of smooth activations without a closed form take 12 to 77 s each; 38 and 50, of the
    # same kind, take 3 to 6 s and stand for them, beside tests/models/test_planes.py.
    PLANAR = {9, 11}
    EACH = [n for n in range(len(ACTIVATIONS)) if n not in PLANAR]
    SEEDS = [*EACH, 38, 50] if THOROUGH else list(QUICK)
    if THOROUGH:
        # To factor the coefficients of its risk, with functions of two symbols, took 14 minutes.
        SEEDS.append(946054)


def _by_seed(seed: int) -> Drawn:
    """Draw a model; every activation has its turn."""
    names = [*ACTIVATIONS]
    return drawn(seed, names[seed % len(names)] if THOROUGH else None)


def _start(it: Drawn, seed: int) -> tuple[list[float], list[float]]:
    """Return a state and parameters, which are those of a run's start."""
    runs = it.model.simulate(
        it.values, steps=1, alpha=1e-3, rng=seed, backend="numpy", **it.options
    )
    state = [float(runs[p].values[0, 0]) for p in it.model.order_parameters]
    return state, [float(runs[p.name].values[0]) for p in it.model.parameters]


def _values(it: Drawn, backend: str, at: tuple[list[float], list[float]]) -> np.ndarray:
    """Return risk and gradient; of softmax in many digits the risk alone, which takes less."""
    what = () if it.model.is_additive or backend not in ("mpmath", "ball") else ("risk",)
    more = {} if backend in ("numpy", "numba", "jax") else {"dps": 20}
    found = it.model.compile(backend, *what)(at[0], *at[1], **more)
    return np.array([float(x.mid() if backend == "ball" else x) for x in found])


def _backends(it: Drawn, seed: int) -> list[str]:
    """Return the backends that are compared with NumPy."""
    # In many digits a mean of two variables takes seconds: tests/models/test_planes.py has one.
    planar = it.model.is_additive and it.model.quadrature and it.model.quadrature.dimension == 2
    found = [] if planar else ["mpmath"]
    # The compiler takes 10 s and more for each model.
    if (NIGHTLY or (THOROUGH and seed % 4 == 0)) and importlib.util.find_spec("numba") is not None:
        found.append("numba")
    if THOROUGH and seed % 4 == 1 and importlib.util.find_spec("jax") is not None:
        found.append("jax")
    if it.model.has_closed_form or not it.model.is_additive:
        found.append("ball")
    return found


# Another draw.
@thorough_cases("7")
@pytest.mark.parametrize("seed", SEEDS)
def test_a_model_drawn_at_random(seed, tmp_path):
    it = _by_seed(seed)
    stated, values = it.model, it.values
    at = _start(it, seed)
    reference = _values(it, "numpy", at)
    size = np.abs(reference).max()
    for backend in _backends(it, seed):
        found = _values(it, backend, at)
        assert np.abs(found - reference[: len(found)]).max() <= 1e-12 * size, (backend, it.words)
    checked = stated.check(values, samples=20_000, rng=seed)
    assert checked.is_passed, (checked, it.words)
    options = {"alpha": 1e-3, "rng": seed, "backend": "numpy", **it.options}
    runs = stated.simulate(values, steps=6, path=tmp_path / "a.nc", **options)
    assert np.isfinite(runs.risk).all()
    assert runs.risk.values[0, -1] <= runs.risk.values[0, 0]
    xr.testing.assert_identical(load(tmp_path / "a.nc"), runs)
    again = stated.simulate(values, steps=2, start=tmp_path / "a.nc", alpha=1e-3, backend="numpy")
    assert again.risk.values[:, 0] == pytest.approx(runs.risk.values[:, -1], rel=1e-12)
    pair = (stated.trained_directions[0], stated.directions[-1])
    found = stated.recovery(values, [pair], steps=3, runs=1, **options)
    assert 0 <= found.fraction <= 1
    points = stated.landscape(values, starts=1, rng=seed)
    assert all(np.isfinite(p.risk) for p in points)
    ids = [claim.id for claim in stated.claims("drawn")]
    assert 0 < len(ids) == len(set(ids))
    assert "Order parameters" in stated.to_latex(tmp_path / "a.tex")
    assert (tmp_path / "a.tex").is_file()

"""A model has one program: from any hash seed, in any process, whatever was stated before."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from slrsym.gaussian import normal_cdf
from slrsym.papers.single_location.models import attention
from tests._profile import nightly_only, thorough_only

from ._programs import MODELS, hashes

_ROOT = Path(__file__).parents[2]


def _run(seed: int, *words: str, folder: Path | None = None) -> str:
    given = {"PYTHONHASHSEED": str(seed), "SLRSYM_FRESH": "1"}
    if folder is not None:
        given["SLRSYM_CACHE_DIR"] = str(folder)
    return subprocess.run(
        [sys.executable, *words], cwd=_ROOT, env=os.environ | given, text=True, check=True,
        stdout=subprocess.PIPE,
    ).stdout  # fmt: skip


def _hashes(seed: int, *names: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = json.loads(_run(seed, "-m", "tests.models._programs", *names))
    return found


@thorough_only
def test_two_hash_seeds_give_one_program_text_and_result():
    """That of this process, in which another model was stated before, and another one."""
    attention(normal_cdf).model.program("gradient")
    other = 1 if os.environ.get("PYTHONHASHSEED") != "1" else 2
    assert _hashes(other, "readme") == hashes(["readme"])


@nightly_only
def test_ten_hash_seeds_give_one_program_text_and_result_for_each_model():
    first = _hashes(0)
    assert first.keys() == MODELS.keys()
    for seed in range(1, 10):
        assert _hashes(seed) == first


def test_a_program_does_not_depend_on_what_was_asked_for_before():
    asked, fresh = MODELS["readme"](), MODELS["readme"]()
    asked.program("hessian")
    asked.program("excess_risk")
    assert asked.program("gradient") == fresh.program("gradient")


# Prints what Numba compiles for a few steps of a model.
_STEPS = """
import sys
from numba.core import event
from tests.models._programs import MODELS
m = MODELS[sys.argv[1]]()
values = {**{p.name: 0.3 for p in m.parameters}, "d": 20}
with event.install_recorder("numba:compile") as recorder:
    m.simulate(values, steps=3, alpha=1e-3, runs=2, rng=0, backend="numba", progress=False)
for _, happened in recorder.buffer:
    print(happened.data["dispatcher"].py_func.__qualname__)
"""


@thorough_only
@pytest.mark.parametrize("name", ["linear", "readme"])
def test_a_second_process_compiles_nothing_and_the_first_no_text(tmp_path, name):
    """For assignments of slices Numba compiles the texts of errors, for as long as all else."""
    first = set(_run(1, "-c", _STEPS, name, folder=tmp_path).split())
    assert {"trajectory", "body", "constants"} <= first
    assert not {part for part in first if "unicode" in part or "join" in part or "repr" in part}
    assert _run(2, "-c", _STEPS, name, folder=tmp_path) == ""
    # The loop, and what it calls.
    assert len([*tmp_path.glob("*.py")]) == 2

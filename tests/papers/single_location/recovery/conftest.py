"""Settings that are quick, and runs that several files look at."""

import pytest

from slrsym.papers.single_location.recovery import Setting, recover
from slrsym.papers.single_location.recovery.setting import build_tubes

GAMMA = 0.5**0.5


@pytest.fixture(scope="session")
def falling():
    """A schedule that falls; one run in six ends at a swap point."""
    return Setting(1.0, 1e-3, 60, 5, GAMMA, 2e-2, 6000)


@pytest.fixture(scope="session")
def constant():
    """A constant inverse temperature; half of the runs end at a swap point."""
    return Setting(0.25, 0.0, 100, 5, GAMMA, 1.5e-2, 4000)


@pytest.fixture(scope="session")
def known(falling):
    return build_tubes(falling, 0, 10_000, "numba")


@pytest.fixture(scope="session")
def data(falling):
    return recover(falling, 1000, workers=1)

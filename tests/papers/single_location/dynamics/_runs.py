"""What tests of runs share."""

import numpy as np
import pytest
import xarray as xr

from tests.kernels._cases import needs_numba

NAMES = ["kappa", "nu", "theta", "eta", "rho"]
BACKENDS = ["numpy", pytest.param("numba", marks=needs_numba)]


def states(runs):
    return np.stack([runs[name].values for name in NAMES], axis=-1)


def same(one, other):
    """To the last bit, attributes and all."""
    xr.testing.assert_identical(one, other)
    assert one.attrs == other.attrs

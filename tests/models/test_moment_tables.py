"""Tables of moments: what machine code would compute, run by Python, is what NumPy computes."""

import numpy as np
import pytest

from slrsym.models.means import moment_tables
from slrsym.models.means.moment_tables import MomentExpressionCompiler
from tests.kernels._cases import needs_numba
from tests.models.test_equation_claims import linear_student


@needs_numba
@pytest.mark.parametrize("longest", [1, 100_000], ids=["a function each", "one function"])
def test_the_loops_over_patterns_add_what_numpy_adds(longest, monkeypatch):
    import numba

    monkeypatch.setattr(numba.config, "DISABLE_JIT", True)
    monkeypatch.setattr(moment_tables, "_LONGEST", longest)
    stated = linear_student(3)
    rng = np.random.default_rng(3)
    states = rng.uniform(0.2, 1, (3, len(stated.state)))
    row = rng.uniform(0.2, 1, len(stated.parameters)).tolist()
    found, exact = (stated.compile(b)(states, *row) for b in ("numba", "numpy"))
    assert exact.shape == states.shape
    np.testing.assert_allclose(found, exact, rtol=1e-13)
    at = dict(zip((*stated.state, *stated.parameters), (*states[1], *row), strict=True))
    drift = [float(e.subs(at)) for e in stated.drift + stated.noise]
    np.testing.assert_allclose(exact[1], drift, rtol=1e-12)


def test_numpy_compiles_no_machine_code(monkeypatch):
    monkeypatch.setattr(MomentExpressionCompiler, "_numba", None)
    stated = linear_student(3)
    stated.compile("numpy")(np.full(len(stated.state), 0.5), *np.ones(len(stated.parameters)))

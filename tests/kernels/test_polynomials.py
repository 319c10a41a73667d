"""The polynomials of the kernels: derived again, their errors, and that they are vectorised."""

import math
import platform
import re

import mpmath
import numpy as np
import pytest
from sympy import Symbol, erf, exp

from slrsym.kernels import numba_backend
from slrsym.kernels import numpy_special_functions as special
from slrsym.kernels.mpmath_backend import _decay_integral
from slrsym.kernels.printing import program_from_expressions
from tests._profile import THOROUGH, more, thorough_cases, thorough_only
from tests.kernels import polynomials
from tests.kernels._cases import ARRAY_BACKENDS, needs_numba


def worst(function, reference, points):
    """The largest error, in units in the last place."""
    found = 0.0
    with mpmath.workdps(40):
        for x in map(float, points):
            exact = reference(mpmath.mpf(x))
            found = max(found, float(abs(function(x) - exact) / math.ulp(float(exact))))
    return found


@more
def test_the_tables_are_what_their_program_says():
    kept = special.TABLES
    with mpmath.workdps(40):
        for name in ("exp", "erf", "erfc"):
            made = getattr(polynomials, f"{name}_powers")()
            assert kept[name].tolist() == [float(x) for x in made]
    nodes, weights = polynomials.half_rule()
    assert (kept["nodes"] == nodes).all()
    assert (kept["weights"] == weights).all()
    parts = range(4) if THOROUGH else [int(np.random.default_rng().integers(4))]
    for part in parts:
        decay, pieces = polynomials.decay_series(part)
        assert (kept["decay"][part] == decay).all()
        assert (kept["pieces"][part] == pieces).all()


@more
@needs_numba
def test_the_error_of_exp_and_erf():
    from slrsym.kernels import _numba_special as compiled

    rng, count = np.random.default_rng(0), 20_000 if THOROUGH else 2000
    sizes = rng.choice([-1, 1], count) * 10 ** rng.uniform(-300, 0, count)
    for points in (rng.uniform(-700, 709, count), rng.uniform(-1, 1, count), sizes):
        assert worst(compiled.exp, mpmath.exp, points) < 1.1
    for points in (rng.uniform(-1, 1, count), rng.uniform(-7, 7, count), sizes):
        assert worst(compiled.erf, mpmath.erf, points) < 1.3
    # Beyond, and where numbers lose their digits one by one.
    for x in (-1e9, -745.0, -740.0, -720.0, -709.0, 709.7, 720.0, 1e9, math.inf, -math.inf):
        with np.errstate(over="ignore", under="ignore"):
            expected = float(np.exp(x))
        assert abs(compiled.exp(x) - expected) <= math.ulp(expected) or compiled.exp(x) == expected
    assert math.isnan(compiled.exp(math.nan))
    assert math.isnan(compiled.erf(math.nan))
    assert [compiled.erf(x) for x in (-math.inf, -30.0, 0.0, 30.0)] == [-1, -1, 0, 1]


@thorough_cases("numba")
@more
@pytest.mark.parametrize("backend", ARRAY_BACKENDS)
def test_the_error_of_the_decay_series(backend):
    """A few units, and what rounding of the exponent costs, which multiplies it."""
    module = special
    if backend == "numba":
        from slrsym.kernels import _numba_special as module
    rng = np.random.default_rng(1)
    for _ in range(400 if THOROUGH else 60):
        s = float(np.exp(rng.uniform(np.log(1e-4), np.log(60))))
        low = 1 / math.sqrt(1 + 4 * s * s)
        width = 4 * s * s / (1 + 4 * s * s) / (1 + low)
        most = 745 / (1 + low * low)
        exponent = float(rng.choice([0.0, 10 ** rng.uniform(-8, 0), rng.uniform(0, 5), most]))
        with mpmath.workdps(25):
            exact = _decay_integral(*map(mpmath.mpf, (exponent, low, width)))
        found = float(
            module.evaluate_erf_variance_integral(exponent, module.decay_coefficients(low, width))
        )
        assert abs(found - exact) < (5 + exponent / 3) * math.ulp(float(exact))


@thorough_only
@needs_numba
@pytest.mark.skipif(platform.machine() != "x86_64", reason="reads the assembly of x86-64")
def test_a_loop_over_states_is_vectorised(monkeypatch, tmp_path):
    monkeypatch.setenv("SLRSYM_CACHE_DIR", str(tmp_path))
    x, y = Symbol("x", real=True), Symbol("y", real=True)
    program = program_from_expressions([erf(x) * exp(y * x)], [x], [y])
    source = numba_backend.program_source(program) + numba_backend._rows_source(program)
    rows = numba_backend.import_generated_module.__wrapped__(source).rows
    result = np.empty((64, 1))
    rows(np.zeros((64, 1)), np.ones(1), result)
    (text,) = rows.inspect_asm().values()
    # Two polynomials of ten terms and two of twelve and more, several numbers at a time.
    assert len(re.findall(r"vfn?madd\w*pd\s.*[yz]mm", text)) > 30

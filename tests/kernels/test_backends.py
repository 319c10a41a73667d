"""Numba, mpmath and ball arithmetic: the same numbers, machine code that is kept, enclosures."""

import itertools
import json
import os
import subprocess
import sys
import tempfile
from fractions import Fraction
from pathlib import Path

import mpmath
import numpy as np
import pytest
import sympy
from flint import arb, ctx
from sympy import Symbol, exp

from slrsym.kernels import compile_expressions, numba_backend
from slrsym.kernels import numpy_special_functions as special
from slrsym.kernels.jax_backend import JaxMissingError
from slrsym.kernels.kept_programs import cache_folder
from slrsym.kernels.numba_backend import NumbaMissingError
from slrsym.kernels.symbolic_functions import DecayCoefficients, DecayIntegral, DifferenceFromErf
from slrsym.papers.single_location.paper_risk import kernel
from slrsym.papers.single_location.task import Task
from tests._profile import THOROUGH, more, thorough, thorough_cases, thorough_only
from tests.kernels._cases import KINDS, exact, feasible, needs_numba, numbers, setting

NAMES = ["excess_risk", "gradient", "hessian"]
# How many random states there are of each kind, where digits are many.
SEEDS = 4 if THOROUGH else 2


def draw(seed, kind):
    rng = np.random.default_rng([seed, KINDS.index(kind)])
    inverse_temperature, task = setting(rng)
    state = feasible(rng, kind).tolist()
    return state, (inverse_temperature, task.gamma, task.d, task.L, task.epsilon)


def exactly(x):
    """A ball's midpoint, or a number, in mpmath."""
    if isinstance(x, arb):
        mantissa, exponent = x.mid().man_exp()
        return mpmath.mpf(int(mantissa)) * mpmath.mpf(2) ** int(exponent)
    return mpmath.mpf(x)


# -- Numba -------------------------------------------------------------------------------------


# The gradient, and all other names by NumPy against mpmath.
@thorough_cases("excess_risk", "hessian")
@more
@needs_numba
@pytest.mark.parametrize("name", NAMES)
def test_numba_and_numpy_agree(name):
    rng = np.random.default_rng(NAMES.index(name))
    for _ in range(100 if THOROUGH else 30):
        inverse_temperature, task = setting(rng)
        states = np.array([feasible(rng, kind) for kind in KINDS for _ in range(6)])
        rest = (inverse_temperature, task.gamma, task.d, task.L, task.epsilon)
        plain, fast = (kernel(name, backend)(states, *rest) for backend in ("numpy", "numba"))
        size = np.abs(plain).max(axis=1, keepdims=True)
        # Where the result is small against what it is made of, both are off by as much as rounding
        # of the inputs allows; test_functions.py tells that apart.
        assert (np.abs(plain - fast) <= 1e-11 * size + 1e-280).all()
        assert np.median(np.abs(plain - fast)[size[:, 0] > 0] / size[size[:, 0] > 0]) < 1e-15


@thorough_only
@needs_numba
def test_parameters_may_be_arrays():
    states = np.array([feasible(np.random.default_rng(i), "anywhere") for i in range(3)])
    lam, gamma, d, L = [0.1, 0.2, 0.3], [0.5, 1.0, 2.0], [4, 400, 10**7], [1, 10, 100]
    together = kernel("gradient", "numba")(states, lam, gamma, d, L, 0)
    for i in range(3):
        alone = kernel("gradient", "numba")(states[i], lam[i], gamma[i], d[i], L[i], 0)
        assert (together[i] == alone).all()
    assert kernel("gradient", "numba")(states[:, None], lam, 1, d, L, 0).shape == (3, 3, 5)


@pytest.mark.parametrize("backend", ["numpy", pytest.param("numba", marks=needs_numba)])
def test_a_state_of_another_width_is_refused(backend):
    with pytest.raises(ValueError, match=r"state must have shape \(\.\.\., 5\); got \(7, 3\)"):
        kernel("gradient", backend)(np.zeros((7, 3)), 1, 1, 4, 1, 0)
    with pytest.raises(ValueError, match="state must have shape"):
        kernel("gradient", backend)(0.5, 1, 1, 4, 1, 0)


# -- machine code on disk ----------------------------------------------------------------------

# Compiles one kernel, and tells what the compiler's cache did and where the source is.
PROGRAM = """
import json, sys
from sympy import erf, exp, symbols
from slrsym.kernels import compile_expressions
x, y = symbols("x y")
value = compile_expressions([erf(x) * exp(y)], [x], [y], "numba")([0.5], 0.1)
made = [m for n, m in sys.modules.items() if n.startswith("slrsym_kernel_")]
# What it calls stands in another.
(module,) = (m for m in made if hasattr(m, "rows"))
assert len(made) == 2
stats = module.rows.stats
print(json.dumps([
    float(value[0]), sum(stats.cache_hits.values()), sum(stats.cache_misses.values()),
    module.__file__,
]))
"""


def in_a_process(**variables):
    environment = {**os.environ, **variables}
    found = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=True
    )
    assert found.stderr == ""
    return json.loads(found.stdout)


@needs_numba
@thorough_only
def test_a_second_process_does_not_compile(tmp_path):
    folder = tmp_path / "cache"
    value, hits, misses, file = in_a_process(SLRSYM_CACHE_DIR=str(folder))
    assert (hits, misses) == (0, 1)
    assert Path(file).parent == folder
    kept = sorted(folder.rglob("*"))
    assert sum(f.suffix == ".nbc" for f in kept) >= 1
    assert not any(f.suffix == ".part" for f in kept)
    again, hits, misses, same = in_a_process(SLRSYM_CACHE_DIR=str(folder))
    assert (hits, misses) == (1, 0)
    assert (again, same) == (value, file)
    assert sorted(folder.rglob("*")) == kept


@needs_numba
@thorough_only
def test_a_cache_that_cannot_be_written_does_no_harm(tmp_path):
    # Root may write anywhere; but not below a file.
    folder = tmp_path / "cache"
    folder.write_text("")
    before = sorted(tmp_path.rglob("*"))
    value, _, misses, file = in_a_process(SLRSYM_CACHE_DIR=str(folder))
    assert value > 0
    assert misses == 1
    assert sorted(tmp_path.rglob("*")) == before
    # The folder that served instead went with the process.
    assert tmp_path not in Path(file).parents
    assert not Path(file).parent.exists()


@needs_numba
def test_a_cache_that_may_only_be_read_does_no_harm(tmp_path, monkeypatch):
    """One that somebody else has filled: Numba refuses to compile where it cannot write."""
    monkeypatch.setenv("SLRSYM_CACHE_DIR", str(tmp_path))
    compiled_module = numba_backend.import_generated_module.__wrapped__
    source = f"{numba_backend.DECORATOR}def two():\n    return 2\n"
    assert Path(compiled_module(source).__file__).parent == tmp_path
    plain = tempfile.TemporaryFile

    def guarded(*args, dir=None, **options):
        if tmp_path in Path(dir or "/").parents:
            raise PermissionError(13, "Permission denied", str(dir))
        return plain(*args, dir=dir, **options)

    monkeypatch.setattr(tempfile, "TemporaryFile", guarded)
    elsewhere = compiled_module(source)
    assert Path(elsewhere.__file__).parent == Path(numba_backend._temporary().name)
    assert elsewhere.two() == 2


@needs_numba
def test_no_home_does_no_harm(monkeypatch):
    for name in ("SLRSYM_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)

    def lost():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", lost)
    source = f"{numba_backend.DECORATOR}def three():\n    return 3\n"
    file = Path(numba_backend.import_generated_module.__wrapped__(source).__file__)
    assert file.parent == Path(numba_backend._temporary().name)


def test_where_the_cache_is(monkeypatch, tmp_path):
    monkeypatch.setenv("SLRSYM_CACHE_DIR", str(tmp_path))
    assert cache_folder() == tmp_path
    monkeypatch.delenv("SLRSYM_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "slrsym"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    assert cache_folder() == tmp_path / ".cache" / "slrsym"


def test_a_source_that_was_spoiled_is_written_again(tmp_path):
    file = numba_backend._written(tmp_path, "x.py", "good")
    before = file.stat().st_mtime_ns
    assert numba_backend._written(tmp_path, "x.py", "good").stat().st_mtime_ns == before
    file.write_bytes(b"\xff half of i")
    assert numba_backend._written(tmp_path, "x.py", "good").read_text() == "good"
    assert {f.name for f in tmp_path.iterdir()} == {"x.py", "__pycache__"}


@needs_numba
@pytest.mark.parametrize("changed", ["the helpers", "the tables"])
def test_machine_code_is_not_older_than_what_it_calls(monkeypatch, tmp_path, changed):
    import slrsym.kernels._numba_special as helpers

    monkeypatch.setenv("SLRSYM_CACHE_DIR", str(tmp_path))
    # Not through the memory of this process.
    compiled_module = numba_backend.import_generated_module.__wrapped__
    source = f"{numba_backend.DECORATOR}def one():\n    return 1\n"
    before = compiled_module(source).__name__
    assert compiled_module(source).__name__ == before
    module = helpers if changed == "the helpers" else special
    newer = tmp_path / "newer.py"
    newer.write_text(Path(module.__file__).read_text(encoding="utf-8") + "# changed\n")
    others = [file for file in numba_backend._HELPERS if file != Path(module.__file__)]
    assert len(others) == len(numba_backend._HELPERS) - 1
    monkeypatch.setattr(numba_backend, "_HELPERS", (newer, *others))
    assert compiled_module(source).__name__ != before
    # Nor do the helpers keep machine code of their own, whose tables could be others.
    assert helpers.decay_coefficients.stats.cache_path is None


# -- without Numba -----------------------------------------------------------------------------


@pytest.fixture
def no_numba(monkeypatch):
    monkeypatch.setitem(sys.modules, "numba", None)


def test_without_numba_the_message_says_what_to_do(no_numba):
    x = Symbol("x")
    with pytest.raises(NumbaMissingError, match="pip install numba"):
        compile_expressions([x**2 + 4], [x], [], "numba")
    assert issubclass(NumbaMissingError, ImportError)


def test_without_numba_the_rest_works(no_numba):
    x = Symbol("x")
    assert compile_expressions([x**2 + 4], [x], [])([3.0]) == 13


# -- mpmath ------------------------------------------------------------------------------------


@thorough_cases("60-near")
@more
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dps", [20, 60])
def test_mpmath_has_the_digits_asked_for(kind, dps):
    for seed in range(SEEDS):
        state, rest = draw(seed, kind)
        task = Task(rest[2], rest[3], rest[1])
        for order, name in enumerate(NAMES[:2]):
            found = kernel(name, "mpmath")(state, *rest, dps=dps)
            values = exact(order, numbers(state, rest[0], task), digits=dps + 5)
            with mpmath.workdps(dps + 10):
                size = max(map(abs, values))
                error = max(abs(x - y) for x, y in zip(found, values, strict=True))
                assert error <= size * mpmath.mpf(10) ** -dps + mpmath.mpf(10) ** -390


def _integral(backend):
    e, low, width = (Symbol(x, real=True) for x in ("E", "l", "w"))
    integral = DecayIntegral(e, DecayCoefficients(low, width))
    return compile_expressions([integral], [e, low, width], [], backend)


@thorough_cases("1000000.0-40")
@pytest.mark.parametrize("dps", [15, 40])
@pytest.mark.parametrize("exponent", [thorough(0.0), 3.0, thorough(1e2), 1e6])
def test_mpmath_integrates(exponent, dps):
    """The integral over the whole interval, of which a small part matters if it decays fast."""
    function = _integral("mpmath")
    for at in ([exponent, 0.3, 0.6], [exponent, 0.99, 1e-3], [exponent, 0.0, 1.0]):
        (found,) = function(at, dps=dps)
        with mpmath.workdps(dps + 30):
            E, l, w = map(mpmath.mpf, at)  # noqa: E741
            points = [w * mpmath.mpf(4) ** -k for k in range(10)]
            value = mpmath.quad(
                lambda y: mpmath.exp(-E * y * (2 * l + y)) / (1 + l * l + y * (2 * l + y)),  # noqa: B023
                [0, *reversed(points)],
            )
            assert abs(found - value) <= value * mpmath.mpf(10) ** -dps
        (none,) = function([exponent, 0.3, 0], dps=dps)
        assert none == 0


def test_mpmath_hessian_is_the_slope_of_the_gradient():
    state, rest = draw(1, "anywhere")
    gradient, hessian = kernel("gradient", "mpmath"), kernel("hessian", "mpmath")
    found = dict(
        zip(
            ((i, j) for i in range(5) for j in range(i, 5)),
            hessian(state, *rest, dps=40),
            strict=True,
        )
    )
    with mpmath.workdps(60):
        step = mpmath.mpf(10) ** -20
        for i in range(5):
            ahead, behind = (
                gradient([x + s * step * (j == i) for j, x in enumerate(state)], *rest, dps=60)
                for s in (1, -1)
            )
            for j in range(i, 5):
                slope = (ahead[j] - behind[j]) / (2 * step)
                assert abs(slope - found[i, j]) <= 1e-28 * max(map(abs, found.values()))


# -- balls -------------------------------------------------------------------------------------


@thorough_cases("near-excess_risk", "near-gradient", "near-hessian")
@more
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", KINDS)
def test_balls_hold_the_value(name, kind):
    for seed in range(SEEDS):
        state, rest = draw(seed, kind)
        for dps in (15, 40):
            balls = kernel(name, "ball")(state, *rest, dps=dps)
            values = kernel(name, "mpmath")(state, *rest, dps=dps + 60)
            with mpmath.workdps(dps + 60), ctx.workdps(dps + 60):
                size = max(map(abs, values))
                for found, value in zip(balls, values, strict=True):
                    assert found.is_finite()
                    radius = exactly(found.rad())
                    assert abs(exactly(found) - value) <= radius + size * mpmath.mpf(10) ** (
                        -dps - 50
                    )
                    # Cancellation costs up to eight digits, where the risk is least.
                    assert radius <= size * mpmath.mpf(10) ** (9 - dps) + mpmath.mpf(10) ** -390


@more
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", KINDS)
def test_balls_of_boxes_hold_the_values_inside(name, kind):
    rng = np.random.default_rng([NAMES.index(name), KINDS.index(kind)])
    for seed in range(SEEDS):
        state, rest = draw(seed, kind)
        # Boxes of many sizes, around 0 too: that is where the manifold is.
        spread, stretch = 10.0 ** rng.uniform(-9, -1), 1 + 10.0 ** rng.uniform(-9, -2)
        wide = [arb(x, spread) for x in state]
        parameters = [arb(x, x * (stretch - 1)) for x in rest]
        boxes = kernel(name, "ball")(wide, *parameters, dps=20)
        assert all(box.is_finite() for box in boxes)
        for _ in range(3):
            inside = [
                x + 0.999 * spread * s for x, s in zip(state, rng.uniform(-1, 1, 5), strict=True)
            ]
            near = [
                x * (1 + 0.999 * (stretch - 1) * s)
                for x, s in zip(rest, rng.uniform(-1, 1, 5), strict=True)
            ]
            values = kernel(name, "ball")(inside, *near, dps=60)
            assert all(box.overlaps(value) for box, value in zip(boxes, values, strict=True))


@pytest.mark.parametrize("relative", [1e-9, 1e-2, 0.5])
def test_integrals_over_boxes_hold_the_integrals_inside(relative):
    function = _integral("ball")
    rng = np.random.default_rng(4)
    for at in ([0.0, 0.3, 0.6], [2.0, 0.9, 0.1], [300.0, 0.01, 0.9]):
        (box,) = function([arb(x, relative * x) for x in at])
        ends = []
        # At the corners too: nothing less would hold the least and the largest.
        for signs in [*itertools.product((-1, 1), repeat=3), *rng.uniform(-1, 1, (20, 3))]:
            inside = [x * (1 + 0.9999999 * relative * s) for x, s in zip(at, signs, strict=True)]
            (value,) = function(inside)
            assert box.overlaps(value)
            ends.append(float(value.mid()))
        assert float(box.upper()) < max(ends) * (1 + 1e-5)
        assert float(box.lower()) > min(ends) * (1 - 1e-5)


def test_defects_over_boxes():
    x, y = Symbol("x", real=True), Symbol("y", real=True)
    function = compile_expressions([DifferenceFromErf(x, y)], [x, y], [], "ball")
    for middle, radius in ((0.0, 0.1), (0.05, 0.1), (-0.05, 0.1), (3.0, 0.5), (-3.0, 0.5)):
        (box,) = function([arb(1, 0.01), arb(middle, radius)])
        for s in (-0.999, -0.3, 0.4, 0.999):
            (value,) = function([1 + 0.01 * s, middle - radius * s])
            assert box.contains(value)
        assert float(box.rad()) < 0.011 + 1.2 * radius


def test_a_box_is_about_as_wide_as_the_values_in_it():
    state, width = [0.0, 0.5, 0.0, 0.0, 0.0], 1e-6
    rest = (0.1, 0.7, 400, 10, 0)
    at, around = (kernel("gradient", "ball")([arb(x, r) for x in state], *rest) for r in (0, width))
    bend = kernel("hessian", "mpmath")(state, *rest)
    steepest = float(max(map(abs, bend)))
    for exact_value, box in zip(at, around, strict=True):
        assert box.contains(exact_value)
        assert float(box.rad()) < 20 * steepest * width


def calls_in(function, *arguments):
    """How many functions a call of a function calls in all, those written in C included."""
    count = 0

    def profile(_, event, __):
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        function(*arguments)
    finally:
        sys.setprofile(before)
    return count


def test_wide_boxes_take_no_longer_than_narrow_ones():
    lam, function = 0.3, kernel("gradient", "ball")
    function([0.5] * 5, lam, 1, 100, 10, 0)
    narrow = calls_in(function, [0.5] * 5, lam, 1, 100, 10, 0)
    for power in range(-12, -1):
        box = [arb(0.5, 10.0**power)] * 5
        wide = calls_in(function, box, arb(lam, lam * 10.0**power), 1, 100, 10, 0)
        # Quadrature of integrands that are balls takes a hundred times as long, and gives no more.
        assert wide < 3 * narrow


@pytest.mark.parametrize("n", [2, 3, 4, 5])
@pytest.mark.parametrize(
    "box", [(0, 1), (0.5, 1), (-0.5, 1), (3, 1), (-3, 1), (1, 1), (0, 0), (-2, 0)]
)
def test_powers_of_balls(n, box):
    x = Symbol("x", real=True)
    middle, radius = box
    (found,) = compile_expressions([x**n], [x], [], "ball")([arb(middle, radius)])
    ends = [middle - radius, middle + radius, 0 if abs(middle) < radius else middle]
    values = [e**n for e in ends]
    assert all(found.contains(v) for v in values)
    # No wider than it has to be; radii are kept to nine digits.
    slack = 1e-6 * max(1, *map(abs, values))
    assert float(found.upper()) <= max(values) + slack
    assert float(found.lower()) >= min(values) - slack


def test_a_power_that_is_infinite_is_not_finite():
    x = Symbol("x", real=True)
    (found,) = compile_expressions([x**-2], [x], [], "ball")([arb(0, 1)])
    assert not found.is_finite()


# -- kinds of numbers --------------------------------------------------------------------------


@pytest.mark.parametrize("backend", ["mpmath", "ball"])
def test_numbers_of_all_kinds(backend):
    x, y = Symbol("x"), Symbol("y")
    product = compile_expressions([x * y], [x], [y], backend)
    third = Fraction(1, 3)
    with mpmath.workdps(60):
        _check_kinds(product, third)


def _check_kinds(product, third):
    half = [0.5, "0.5", Fraction(1, 2), np.float32(0.5), np.float64(0.5), sympy.Rational(1, 2)]
    for number in half:
        (found,) = product([number], number)
        assert exactly(found) == 0.25
    for number in (3, np.int64(3), np.uint8(3), True + 2, sympy.Integer(3)):
        (found,) = product([third], number)
        assert abs(exactly(found) - 1) < 1e-28
    (found,) = product(["0.1"], 10)
    assert abs(exactly(found) - 1) < 1e-28
    # A float is what it is, not what it is written as.
    (found,) = product([0.1], 10)
    assert 5e-17 < exactly(found) - 1 < 6e-17


@pytest.mark.parametrize("backend", ["mpmath", "ball"])
def test_how_many_digits(backend):
    x = Symbol("x")
    function = compile_expressions([exp(x)], [x], [], backend)
    for dps in (5, 50, 500):
        (found,) = function([1], dps=dps)
        with mpmath.workdps(dps + 20):
            assert abs(exactly(found) - mpmath.e) < mpmath.mpf(10) ** (1 - dps)
    for wrong in (0, -3, 2.5, "many", None):
        with pytest.raises(ValueError, match="dps must be an integer of at least 1; got"):
            function([1], dps=wrong)


@pytest.mark.parametrize("backend", ["mpmath", "ball"])
def test_one_state_with_all_its_numbers(backend):
    with pytest.raises(ValueError, match="state must have 5 numbers; got 3"):
        kernel("gradient", backend)([0, 0, 0], 1, 1, 4, 1, 0)


def test_the_precision_of_others_is_left_alone():
    before = mpmath.mp.dps, ctx.dps
    kernel("excess_risk", "mpmath")([0.5] * 5, 1, 1, 4, 1, 0, dps=70)
    kernel("excess_risk", "ball")([0.5] * 5, 1, 1, 4, 1, 0, dps=70)
    assert (mpmath.mp.dps, ctx.dps) == before


# -- the front door ----------------------------------------------------------------------------


def test_no_such_kernel():
    with pytest.raises(ValueError, match="name must be one of excess_risk, gradient, hessian"):
        kernel("risk")
    with pytest.raises(ValueError, match="one of numpy, numba, mpmath, ball, jax; got"):
        kernel("gradient", "torch")


def test_without_jax_the_extra_is_named(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(JaxMissingError, match=r"pip install 'slrsym\[jax\]'"):
        compile_expressions([Symbol("x")], [Symbol("x")], [], "jax")

"""Parts of kernels on their own: arguments, iteration, Hermite polynomials, Horner's form."""

import math
import warnings

import mpmath
import numpy as np
import pytest
from flint import arb, ctx, fmpq
from numpy.polynomial import hermite_e
from sympy import Rational, Symbol, erf, exp, expand, symbols, tanh

from slrsym.gaussian import GaussianLaw
from slrsym.kernels import machine_limits
from slrsym.kernels._numba_owens import _gauss_factor, _upper_tail
from slrsym.kernels.arguments import (
    explain_arguments,
    flag_changed_steps,
    float_or_nan,
    require_integer,
    require_positive,
    require_real_array,
    vectorise_over_leading_axes,
)
from slrsym.kernels.ball_backend import (
    _compare,
    _monotone,
    _sign,
    compile_ball_function_at_parameters,
)
from slrsym.kernels.compile import compile_program, iterate_step
from slrsym.kernels.machine_limits import count_cores, require_memory, warn_of_long_work
from slrsym.kernels.nested_polynomials import nest_in_functions, nest_polynomial
from slrsym.kernels.numpy_special_functions import (
    exponentially_scaled_decay_integral,
    hermite_polynomial,
)
from slrsym.kernels.printing import (
    _in_order,
    hoist_constant_parts,
    program_from_expressions,
)
from slrsym.kernels.symbolic_functions import gaussian_mean
from slrsym.models.means import softmax_risk
from slrsym.models.means.softmax_risk import iterate_cross_and_second_moment_terms, log_grid_ends

x, y, z = symbols("x y z", real=True)


@explain_arguments
def area(width, height, *, unit, scale=1):
    return width * height * scale, unit


@pytest.mark.parametrize(
    ("args", "kwargs", "said"),
    [
        ((2, 3), {}, "unit is needed: area(width, height, unit=...)"),
        ((), {}, "width, height and unit are needed: area(width, height, unit=...)"),
        ((2,), {"scale": 4}, "height and unit are needed: area(width, height, unit=...)"),
        ((2, 3), {"units": "m"}, "area has no parameter units; did you mean unit?"),
        ((2, 3), {"qq": 1}, "area has no parameter qq; it takes width, height, unit, scale"),
        ((), {"size": 1, "width": 2}, "area has no parameter size; it takes "),
    ],
)
def test_wrong_arguments_are_explained(args, kwargs, said):
    with pytest.raises(TypeError) as found:
        area(*args, **kwargs)
    assert str(found.value).startswith(said)


def test_right_arguments():
    assert area(2, height=3, unit="m") == (6, "m")

    class Box:
        @explain_arguments
        def __init__(self, side):
            self.side = side

    assert Box(3).side == 3
    with pytest.raises(TypeError, match=r"^side is needed: Box\(side\)$"):
        Box()


@pytest.mark.parametrize(
    ("check", "good", "bad", "said"),
    [
        (lambda v: require_integer("n", v, 2), {2: 2, np.int64(7): 7}, [1, 2.0, "3", None, True],
         "n must be an integer of at least 2; got {!r}"),
        (lambda v: require_integer("n", v, 0), {0: 0, 5: 5}, [-1, False],
         "n must be an integer of at least 0; got {!r}"),
        (lambda v: require_positive("a", v), {0.5: 0.5, "2": 2.0, 1e300: 1e300},
         [0, -1, math.inf, math.nan, None, "a", 10**400],
         "a must be positive and finite; got {!r}"),
        (lambda v: require_real_array("a", v).tolist(), {3: 3.0, (1, 2): [1, 2]},
         ["a", None, 1j, (1, None)], "a must be real numbers; got {!r}"),
    ],
)  # fmt: skip
def test_checks_of_numbers(check, good, bad, said):
    for value, known in good.items():
        assert check(value) == known
    for value in bad:
        with pytest.raises(ValueError, match=r"must be") as found:
            check(value)
        assert str(found.value) == said.format(value)
    assert math.isnan(float_or_nan([]))


def test_cores_and_memory(monkeypatch):
    monkeypatch.setattr(machine_limits.os, "sched_getaffinity", lambda _: {0, 3, 4}, raising=False)
    assert count_cores() == 3
    monkeypatch.delattr(machine_limits.os, "sched_getaffinity")
    monkeypatch.setattr(machine_limits.os, "cpu_count", lambda: 5)
    assert count_cores() == 5
    monkeypatch.setattr(machine_limits.os, "cpu_count", lambda: None)
    assert count_cores() == 1
    sizes = {"SC_PAGE_SIZE": 4000, "SC_PHYS_PAGES": 1_000_000}
    monkeypatch.setattr(machine_limits.os, "sysconf", sizes.__getitem__, raising=False)
    require_memory("it", 4e9)
    said = r"^it would need 4\.5 GB of memory; this machine has 4 GB$"
    with pytest.raises(ValueError, match=said):
        require_memory("it", 4.5e9)
    monkeypatch.delattr(machine_limits.os, "sysconf")
    require_memory("it", 1e30)


@pytest.mark.parametrize(
    ("seconds", "told"),
    [(3600, None), (3700, "1 hours"), (86_400, "24 hours"), (2.0e5, "2.3 days"),
     (3.2e7, "1 years"), (7.9e10, "2,500 years")],
)  # fmt: skip
def test_long_work_is_announced(seconds, told):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        warn_of_long_work("it", seconds)
    expected = [] if told is None else [f"it: this takes about {told}"]
    assert [str(warning.message) for warning in found] == expected


def test_leading_axes():
    def fill(rows, parameters, result):
        factor = parameters[0] if parameters else 1
        result[:, 0], result[:, 1] = rows.sum(axis=1) * factor, rows[:, 0]

    function = vectorise_over_leading_axes(fill, 3, 2)
    state = np.arange(12.0).reshape(2, 2, 3)
    assert function(state).tolist() == [[[3, 0], [12, 3]], [[21, 6], [30, 9]]]
    assert function(state, 2.0)[1, 1].tolist() == [60, 9]
    assert function(state, np.array([1.0, 10.0]))[..., 0].tolist() == [[3, 120], [21, 300]]
    assert function(state[0, 0], np.array([[1.0], [2.0]]))[..., 0].tolist() == [[3], [6]]
    for shape in ((2,), (3, 4), ()):
        with pytest.raises(ValueError, match=r"state must have shape \(\.\.\., 3\); got "):
            function(np.zeros(shape))


def test_steps_whose_parameters_change():
    one, many, steady = np.array([3.0]), np.array([1.0, 1.0, 2.0, 2.0, 1.0]), np.ones(5)
    assert flag_changed_steps([one, steady], 5).tolist() == [True, False, False, False, False]
    assert flag_changed_steps([one, many], 4).tolist() == [True, False, True, False]
    assert flag_changed_steps([], 2).tolist() == [True, False]
    assert flag_changed_steps([many], 0).tolist() == []
    calls = []

    def constants(a, b):
        calls.append((a, b))
        return a + b

    last, noted = iterate_step(
        lambda state, fixed: state + fixed, constants, 0.0, [one, many], 5, 2, lambda s: -s
    )
    assert calls == [(3, 1), (3, 2), (3, 1)]
    assert (last, noted.tolist()) == (22, [-8, -18])


def test_hermite_polynomials():
    at = np.array([-1.5, 0.0, 0.3, 2.0])
    for n in range(7):
        known = hermite_e.hermeval(at, [0] * n + [1])
        assert hermite_polynomial(at, n) == pytest.approx(known)
        assert hermite_polynomial(2.0, n) == pytest.approx(known[3])


def test_factors_of_owens_t_to_the_last_digits():
    """Where a rounded argument would cost some hundred units in the last place."""
    for h in np.random.default_rng(0).uniform(0, 30, 60).tolist():
        with mpmath.workdps(30):
            exact = mpmath.exp(-(mpmath.mpf(h) ** 2) / 2), mpmath.ncdf(-h)
        for found, known in zip((_gauss_factor(h), _upper_tail(h)), exact, strict=True):
            assert abs(found / known - 1) < 1e-15


def test_integrals_of_which_nothing_is_left_are_finite():
    for exponent in (800.0, 1e30, math.inf):
        found = exponentially_scaled_decay_integral([exponent, 1.0], 0.5, [0.5, 0.0])
        assert np.isfinite(found[0])
        assert found[1] == 0


def test_polynomials_in_nested_form():
    """In few multiplications, with coefficients in factors."""
    a, b = symbols("a b")
    form = (a - 1) * (a - 2) * x**3 * y + (a**2 - 1) * x**2 + b * x * y**2 + x * y + 3
    nested = nest_polynomial(expand(form), [x, y])
    assert expand(nested - form) == 0
    assert nested.has((a - 1) * (a - 2))
    assert nested.has((a - 1) * (a + 1))
    assert nest_polynomial(x**4 + x**3, [x]) == x**3 * (x + 1)
    assert nest_polynomial(x**2 * y + y, [x, y]) == y * (x**2 + 1)
    assert nest_polynomial(expand(erf(a) * (b**2 - 1) * x), [x]) == x * (b - 1) * (b + 1) * erf(a)


def test_polynomials_in_functions_of_the_state_are_nested():
    """Where squares of one exponential cancel, another is none that has to be computed."""
    a = symbols("a", positive=True)
    bell, step = exp(-a * x**2), erf(a * x)
    forms = [y * (bell * step + exp(-2 * a * x**2)), (y * bell) ** 2 - y**2 * exp(-2 * a * x**2)]
    nested, functions = nest_in_functions(forms, [x, y])
    assert set(functions.values()) == {bell, step}
    assert nested[1] == 0
    assert expand(nested[0].xreplace(functions) - forms[0]) == 0
    # An exponential and the rest; and in the rest again.
    (name,) = (name for name, f in functions.items() if f == bell)
    assert nested[0].args.count(name) == 1
    assert nest_in_functions([y / x], [x, y]) is None
    assert nest_in_functions([(1 + x + y + x * y) ** 50], [x, y]) is None


def test_constant_parts_are_named_once():
    a, b = symbols("a b", positive=True)
    found = {}
    varying = frozenset((x, y))
    left = hoist_constant_parts(exp(a * b) * x + (a + b) * y + exp(a * b) ** 2, varying, found)
    assert set(found) >= {exp(a * b), a + b}
    assert left.xreplace({name: part for part, name in found.items()}).equals(
        exp(a * b) * x + (a + b) * y + exp(a * b) ** 2
    )
    assert hoist_constant_parts(2 * x + Rational(1, 3), varying, {}) == 2 * x + Rational(1, 3)


def test_assignments_are_put_in_order():
    u, v, w = symbols("u v w")
    steps = _in_order([(u, v + w), (v, w + 1), (w, x)])
    assert [name for name, _ in steps] == [w, v, u]


def test_a_mean_with_parameters_is_an_expectation():
    c, m, v = Symbol("c", real=True), Symbol("m", real=True), Symbol("v", positive=True)
    one = gaussian_mean(x**2 * tanh(y * x) / tanh(y * x) + c * x, GaussianLaw({x: m}, [[v]]))
    assert expand(one.as_expectation().doit() - (m**2 + v + c * m)) == 0
    w = Symbol("w", positive=True)
    two = gaussian_mean(c * x * z**2, GaussianLaw({x: m, z: 0}, [[v, 0], [0, w]]))
    assert expand(two.as_expectation().doit() - c * m * w) == 0


def test_ends_of_grids_in_log_w():
    assert log_grid_ends(0.5) == log_grid_ends(1.0)
    left, reach = log_grid_ends(1.0)
    # The weight exp(y - exp(y)) at the ends, and the bell at the end in z.
    assert 1e-16 < math.exp(left) < 1e-15
    assert math.exp(softmax_risk.RIGHT - math.exp(softmax_risk.RIGHT)) < 1e-19
    assert 1e-17 < math.exp(-(reach**2) / 2) < 1e-15
    more, further = log_grid_ends(math.exp(10))
    assert (left - more, further**2 - reach**2) == pytest.approx((10, 20))


def test_terms_of_tokens_and_of_pairs():
    """With weights that are powers, for 2 tokens of one role and 1 of another."""
    parts = [(2.0, 3.0, 5.0, 7.0, 11.0), (13.0, 17.0, 19.0, 23.0, 29.0)]
    found = list(iterate_cross_and_second_moment_terms([2, 1], parts, 0.5, pow))
    exact = [
        (0.5 * 2 * 2 * 13 * 7, 0.5 * 2 * 2 * 13 * 11),
        (0.5 * 2 * 13 * 3 * 5, 0.5 * 2 * 13 * 3 * 3),
        (0.5 * 2 * 2 * 3 * 19, 0.5 * 2 * 2 * 3 * 17),
        (0.5 * 4 * 23, 0.5 * 4 * 29),
        (0.5 * 2 * 2 * 17 * 5, 0.5 * 2 * 2 * 17 * 3),
    ]
    assert found == exact


def test_digits_unless_others_are_asked_for():
    """Balls of 30, numbers of 50, with rounding of the last one alone."""
    program = program_from_expressions([x / 3], [x], [])
    with ctx.workdps(30):
        radius = (arb(1) * arb(fmpq(1, 3))).rad()
    assert compile_program(program, "ball")([1])[0].rad() == radius
    assert compile_ball_function_at_parameters(program, ())([arb(1)])[0].rad() == radius
    (found,) = compile_program(program, "mpmath")([1])
    with mpmath.workdps(50):
        assert found == mpmath.mpf(1) / 3
    with mpmath.workdps(51):
        assert found != mpmath.mpf(1) / 3


def test_relations_and_signs_of_balls():
    wide = arb(1, 0.5)
    order = {"<": (1, 0), "<=": (1, 0), ">": (0, 1), ">=": (0, 1), "==": (0, 0), "!=": (1, 1)}
    for relation, (below, above) in order.items():
        assert _compare(1, relation, 2) is bool(below)
        assert _compare(2, relation, 1) is bool(above)
        assert _compare(2, relation, 2) is (relation in ("<=", ">=", "=="))
        assert _compare(wide, relation, 1.2) is None
    signs = [_sign(arb(v)) for v in (3, -2, 0)]
    assert signs == [1, -1, 0]
    assert _sign(wide - 1).contains(-1)
    assert _sign(wide - 1).contains(1)
    square = _monotone(lambda v: v * v)
    assert abs(float(square(arb(3, 1)).lower()) - 4) < 1e-6
    assert abs(float(square(arb(3, 1)).upper()) - 16) < 1e-6
    with mpmath.workdps(15):
        assert float(square(arb(3))) == 9

"""Expressions as programs: what is computed once, what is refused, and that all backends agree."""

import ast
import math

import mpmath
import numpy as np
import pytest
from flint import arb
from scipy.special import erf as scipy_erf
from scipy.special import owens_t
from scipy.stats import multivariate_normal
from sympy import (
    Abs,
    Contains,
    E,
    Float,
    I,
    Interval,
    Max,
    Min,
    Ne,
    Piecewise,
    Rational,
    Symbol,
    asin,
    atan,
    besselj,
    cos,
    erf,
    erfc,
    exp,
    log,
    oo,
    pi,
    sign,
    sin,
    sqrt,
    symbols,
    tan,
    tanh,
)  # fmt: skip
from sympy import gamma as gamma_function

from slrsym.gaussian import GaussianLaw, OwensT, erf_prime, erf_second, normal_cdf, normal_pdf, zeta
from slrsym.gaussian.bivariate_normal import bivariate_normal_cdf
from slrsym.kernels import compile_expressions, kept_programs
from slrsym.kernels import zeta as erf_zeta
from slrsym.kernels.kept_programs import program_function_cached_on_disk
from slrsym.kernels.numpy_special_functions import erf_variance
from slrsym.kernels.printing import program_from_expressions
from slrsym.kernels.symbolic_functions import (
    DecayCoefficients,
    DecayIntegral,
    DifferenceFromErf,
    ErfCovariance,
    ErfVariance,
    gaussian_mean,
)
from slrsym.papers.single_location import paper_risk_expressions
from slrsym.papers.single_location.notation import ORDER_PARAMETERS
from slrsym.papers.single_location.paper_risk_expressions import risk_program
from tests._profile import thorough_cases
from tests.kernels._cases import BACKENDS, needs_numba

x, y = symbols("x y", real=True)
p, q = symbols("p q", positive=True)


def value(outputs, state, parameters, at, rest, backend="numpy"):
    """The outputs at one state, as floats."""
    function = compile_expressions(outputs, state, parameters, backend)
    return [float(v.mid()) if isinstance(v, arb) else float(v) for v in function(at, *rest)]


def names_in(code):
    return {node.id for node in ast.walk(ast.parse(code.strip())) if isinstance(node, ast.Name)}


# -- what is computed once ---------------------------------------------------------------------


def test_parts_without_state_are_computed_once():
    found = program_from_expressions([exp(p * q) * x + sqrt(p) * y + exp(p * q)], (x, y), (p, q))
    assert found.parameters == ("p_", "q_")
    assert not names_in(found.body) & {"p_", "q_"}
    # exp(p q) once, and the root.
    assert len(found.constants) == 2
    assert "exp" in found.setup
    assert "exp" not in found.body


@pytest.mark.parametrize("name", ["excess_risk", "gradient", "hessian"])
def test_nothing_of_the_risk_is_computed_for_each_state_in_vain(name):
    found = risk_program(name)
    varying = set(found.state)
    assert varying == {f"{s.name}_" for s in ORDER_PARAMETERS}
    for line in found.body.splitlines()[1:-1]:
        symbol, _, value = line.partition(" = ")
        # A step without anything that varies would belong to the constants.
        assert names_in(value) & varying
        varying.add(symbol.strip())
    # What is costly: one series, two error functions, and few exponentials beside it.
    body = found.body
    assert body.count("evaluate_erf_variance_integral(") == 1
    assert body.count("erf(") <= 2
    assert body.count("exp(") <= 3


def test_what_occurs_twice_is_computed_once():
    found = program_from_expressions([exp(x) + sqrt(exp(x) + 1), exp(x) * 2], (x,), ())
    assert found.body.count("exp(") == 1


def test_numbers_stay_where_they_are():
    found = program_from_expressions([2 * x + Rational(1, 3) + Float(0.25) * x**2], (x,), ())
    assert found.constants == ()


# -- what symbols stand for --------------------------------------------------------------------


def test_given_symbols_are_assigned_before_they_are_used():
    u, v, w = symbols("u v w")
    given = {w: u * v, v: u + p, u: x**2}
    found = program_from_expressions([w + v], (x,), (p,), given=given)
    order = [line.split()[0] for line in found.body.splitlines()]
    assert order.index("u_") < order.index("v_") < order.index("w_")
    scope = {"erf": None}
    exec(found.setup + found.body, scope)
    (result,) = scope["body"](3.0, *scope["constants"](0.5))
    assert result == 9 * 9.5 + 9.5


def test_given_symbols_in_a_circle():
    u, v = symbols("u v")
    with pytest.raises(ValueError, match=r"circular definition of [uv]"):
        program_from_expressions([u], (x,), (), given={u: v + x, v: u + 1})
    with pytest.raises(ValueError, match="circular definition of u"):
        program_from_expressions([u], (x,), (), given={u: u + x})


def test_loose_symbols():
    with pytest.raises(ValueError, match="expressions contain p, y, neither of the state nor"):
        program_from_expressions([x * y + p], (x,), (q,))
    u = Symbol("u")
    with pytest.raises(ValueError, match="expressions contain y, neither"):
        program_from_expressions([u], (x,), (), given={u: x + y})
    with pytest.raises(ValueError, match="expressions contain lambda"):
        compile_expressions([x * Symbol("lambda")], [x], [])


# -- names -------------------------------------------------------------------------------------


@thorough_cases("numba")
@pytest.mark.parametrize("backend", BACKENDS)
def test_names_may_be_any(backend):
    # Names of Python, of functions, of what programs make, and none of these.
    names = ["lambda", "exp", "x0", "c0", "s0", "pi", "rational", "body", "x'", r"\alpha", "1"]
    state = symbols(names[:6], real=True)
    rest = symbols(names[6:], real=True)
    expr = sum(exp(s / 10) * (i + 1) for i, s in enumerate(state)) * sum(r**2 for r in rest)
    at, parameters = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6], [1.0, 2.0, 3.0, 4.0, 5.0]
    expected = sum(math.exp(a / 10) * (i + 1) for i, a in enumerate(at)) * 55
    assert value([expr], state, rest, at, parameters, backend) == pytest.approx([expected])


def test_names_must_differ():
    said = "state and parameters must have different names; x occurs twice"
    with pytest.raises(ValueError, match=said):
        compile_expressions([x**2], [x], [x])
    with pytest.raises(ValueError, match=said):
        compile_expressions([x * Symbol("x")], [x], [Symbol("x")])


# -- what can be computed ----------------------------------------------------------------------


@thorough_cases("numba", "mpmath")
@pytest.mark.parametrize("backend", BACKENDS)
def test_backends_agree(backend):
    """Everything that expressions may hold, against plain Python."""
    outputs = [
        erf(x) + erfc(y) * p,
        asin(x) * atan(y) - Abs(x - y) ** q,
        sqrt(p) / x**3 + x ** Rational(5, 2) - 2 ** y,
        Max(x, y, p) - Min(x, y, q, Rational(1, 7)) + pi * E,
        DifferenceFromErf(p, x) + DifferenceFromErf(q, -y),
        ErfVariance(x, p),
        DecayIntegral(x, DecayCoefficients(Rational(1, 3), Rational(2, 3))),
        Float(0.1) * x + Rational(10, 3) + x**2 - 5,
        p**2,
        sin(x) * cos(y) + tanh(p) - log(q) * sign(x - y),
        Piecewise((1 / (x - y), Ne(x, y)), (p, True)) + Piecewise((x, q < p), (q, True)),
        erf_prime(x) + erf_second(y) + normal_pdf(x) + normal_cdf(-p) + zeta(x, p),
        OwensT(x, q) + OwensT(-p, y) + OwensT(y, -q),
        bivariate_normal_cdf(x, y, x - y),
        ErfCovariance(x, p, y),
    ]  # fmt: skip
    a, b, c, e = 0.3, 0.7, 1.4, 2.5
    with mpmath.workdps(30):
        integral = mpmath.quad(
            lambda z: mpmath.exp(-a * z * (2 + 3 * z) / 3) * 9 / (10 + 6 * z + 9 * z * z),
            [0, mpmath.mpf(2) / 3],
        )
    bell = 2 / math.sqrt(math.pi)
    normal = multivariate_normal([0, 0], [[1, a - b], [a - b, 1]])
    with mpmath.workdps(30):
        # Of one variable, in two affine forms of correlation b.
        spread, scale = mpmath.sqrt(b / (2 - 2 * mpmath.mpf(b))), 1 / mpmath.sqrt(1 - mpmath.mpf(b))
        covariance = mpmath.quad(
            lambda z: (
                mpmath.erf(a * scale + spread * z)
                * mpmath.erf(c * scale + spread * z)
                * mpmath.npdf(z)
            ),
            range(-12, 13, 3),
        ) - mpmath.erf(a) * mpmath.erf(c)
    expected = [
        math.erf(a) + math.erfc(b) * c,
        math.asin(a) * math.atan(b) - abs(a - b) ** e,
        math.sqrt(c) / a**3 + a**2.5 - 2**b,
        c - 1 / 7 + math.pi * math.e,
        c - math.erf(a) + e + math.erf(b),
        erf_variance(a, c),
        float(integral),
        0.1 * a + 10 / 3 + a**2 - 5,
        c**2,
        math.sin(a) * math.cos(b) + math.tanh(c) + math.log(e),
        1 / (a - b) + e,
        bell * (math.exp(-a * a) - 2 * b * math.exp(-b * b))
        + math.exp(-a * a / 2) / math.sqrt(2 * math.pi)
        + math.erfc(c / math.sqrt(2)) / 2
        + erf_zeta(a, c),
        owens_t(a, e) + owens_t(c, b) - owens_t(b, e),
        normal.cdf([a, b]),
        float(covariance),
    ]
    found = value(outputs, [x, y], [p, q], [a, b], [c, e], backend)
    assert found == pytest.approx(expected, rel=4e-15)


@thorough_cases("numba")
@pytest.mark.parametrize("backend", BACKENDS)
def test_maxima_leave_their_arguments_alone(backend):
    """NumPy's maximum takes a third argument for a place to write to."""
    outputs = [Max(x, y, x * y), x, y, x * y]
    assert value(outputs, [x, y], [], [0.5, 0.25], [], backend) == [0.5, 0.5, 0.25, 0.125]


@thorough_cases("numba")
@pytest.mark.parametrize("backend", BACKENDS)
def test_few_inputs_and_constant_outputs(backend):
    assert value([x**2], [x], [], [3.0], [], backend) == [9.0]
    assert value([3, Rational(1, 4), p], [x], [p], [3.0], [5.0], backend) == [3.0, 0.25, 5.0]
    assert value([exp(1), 2], [x], [], [3.0], [], backend) == pytest.approx([math.e, 2])


@pytest.mark.parametrize(
    "expr",
    [tan(x), tan(p) * x, besselj(0, x), gamma_function(p) * x, I * x, oo * x,
     Piecewise((x, Contains(x, Interval(0, 1))), (0, True)), exp(tan(x) + p)],
    ids=str,
)  # fmt: skip
def test_what_no_backend_can_compute_is_refused_at_once(expr):
    with pytest.raises(ValueError, match=r"expressions contain .*, which kernels cannot compute"):
        compile_expressions([expr], [x], [p])


def test_a_float_is_taken_for_what_it_is():
    third = 1 / 3
    assert value([Float(third) * x], [x], [], [3.0], []) == [third * 3.0]
    # With more digits than a double: balls that say otherwise would not hold the value.
    with pytest.raises(ValueError, match="no double; a Rational would be exact"):
        compile_expressions([Float("0.1", 40) * x], [x], [], "ball")


def test_no_outputs():
    with pytest.raises(ValueError, match="outputs must hold at least one expression; got none"):
        compile_expressions([], [x], [])


def test_no_such_backend():
    with pytest.raises(ValueError, match=r"backend must be one of .*; got 'torch'"):
        compile_expressions([x], [x], [], "torch")


# -- the functions of the risk -----------------------------------------------------------------


def test_the_defect_of_erf():
    function = compile_expressions([DifferenceFromErf(x, y)], [x, y], [])
    # 1 - erf(5) is 1.5e-12: the plain difference has four digits of it.
    assert function([1.0, 5.0])[0] == pytest.approx(1.5374597944280349e-12, rel=1e-14)
    assert function([-1.0, -5.0])[0] == pytest.approx(-1.5374597944280349e-12, rel=1e-14)
    assert function([0.3, 0.2])[0] == pytest.approx(0.3 - scipy_erf(0.2), rel=1e-14)


@pytest.mark.parametrize(
    "function",
    [
        DifferenceFromErf(x, y),
        ErfVariance(x, p),
        ErfCovariance(x, y, x / 2),
        bivariate_normal_cdf(x, y, -y),
    ],
    ids=["defect", "variance", "covariance", "probability"],
)
def test_derivatives_of_the_special_functions(function):
    slopes = [function.diff(v) for v in (x, y) if v in function.free_symbols]
    compiled = compile_expressions([function, *slopes], [x, y], [p], "mpmath")
    at, step = [mpmath.mpf("0.4"), mpmath.mpf("0.7")], mpmath.mpf(10) ** -15
    with mpmath.workdps(50):
        for i, slope in enumerate(compiled(at, 0.9)[1:]):
            ahead, behind = (
                compiled([v + s * step * (j == i) for j, v in enumerate(at)], 0.9)[0]
                for s in (1, -1)
            )
            assert abs((ahead - behind) / (2 * step) - slope) < 1e-28


def test_programs_are_made_of_what_is_derived():
    """No formula is written down twice: the programs are those of the derived expressions."""
    found = risk_program("gradient")
    again = program_from_expressions(
        paper_risk_expressions.gradient(), ORDER_PARAMETERS, paper_risk_expressions.PARAMETERS
    )
    assert found == again
    state = np.array([0.3, 0.2, 0.1, 0.4, 0.5])
    rest = (0.3, 0.7, 40, 5, 0)
    derived = compile_expressions(
        [e.diff(s) for e in [paper_risk_expressions.risk()] for s in ORDER_PARAMETERS[1:]],
        ORDER_PARAMETERS,
        paper_risk_expressions.PARAMETERS,
    )
    direct = compile_expressions(
        paper_risk_expressions.gradient(), ORDER_PARAMETERS, paper_risk_expressions.PARAMETERS
    )
    assert derived(state, *rest) == pytest.approx(direct(state, *rest)[1:], rel=1e-13)


# -- on disk -----------------------------------------------------------------------------------


def test_programs_are_read_from_disk_until_the_package_changes(tmp_path, monkeypatch):
    monkeypatch.setenv("SLRSYM_CACHE_DIR", str(tmp_path))
    for name in ("SLRSYM_FRESH", "CI"):
        monkeypatch.delenv(name, raising=False)
    times = []

    def made(power):
        times.append(power)
        return program_from_expressions(
            [gaussian_mean(tanh(x) ** power, GaussianLaw({x: y}, [[p]]))], (y,), (p,)
        )

    monkeypatch.setattr(kept_programs, "resolve_name", {"here.made": made}.get)
    first, again = (
        program_function_cached_on_disk("here.made")(2),
        program_function_cached_on_disk("here.made")(2),
    )
    assert times == [2]
    assert first == again
    assert again.means[0][1] == first.means[0][1]
    program_function_cached_on_disk("here.made")(3)
    assert times == [2, 3]
    (damaged, _) = sorted(tmp_path.iterdir())
    damaged.write_text("[")
    assert {
        program_function_cached_on_disk("here.made")(2).body,
        program_function_cached_on_disk("here.made")(3).body,
    } >= {first.body}
    assert len(times) == 3
    monkeypatch.setattr(kept_programs, "_package", lambda: "changed")
    program_function_cached_on_disk("here.made")(2)
    assert len(times) == 4
    monkeypatch.setenv("SLRSYM_FRESH", "1")
    program_function_cached_on_disk("here.made")(2)
    assert len(times) == 5


@thorough_cases("numba")
@pytest.mark.parametrize("backend", ["numpy", pytest.param("numba", marks=needs_numba)])
def test_constants_without_parameters_hold_for_every_row(backend):
    """One width of erf is a number where the mean is a parameter that has a value for each row."""
    function = compile_expressions([ErfVariance(x * q, Rational(1, 2))], [x], [q], backend)
    states, many = np.linspace(-1, 1, 5)[:, None], np.linspace(0.2, 2.0, 5)
    expected = erf_variance(states[:, 0] * many, 0.5)
    assert np.abs(function(states, many)[:, 0] - expected).max() < 1e-15

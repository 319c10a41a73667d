"""Kinks and jumps whose arguments do not vary have the value at the mean, also at the kink."""

import itertools

import numpy as np
import pytest
from sympy import (
    ITE,
    Abs,
    And,
    Derivative,
    DiracDelta,
    Eq,
    Heaviside,
    Implies,
    Max,
    Min,
    Ne,
    Not,
    Or,
    Piecewise,
    Rational,
    S,
    Symbol,
    Xor,
    cos,
    erf,
    exp,
    floor,
    log,
    nan,
    nsimplify,
    pi,
    sign,
    sin,
    sqrt,
    symbols,
    tanh,
)
from sympy.stats import Normal

from slrsym.gaussian import (
    Expectation,
    GaussianLaw,
    IIDSum,
    IntegrabilityError,
    NoiseLaw,
    ProductLaw,
    expectation,
    standard_normal,
)
from slrsym.gaussian.closed_form import closed_form_for_proofs
from slrsym.kernels import compile_expressions
from tests._profile import THOROUGH, more

x, y, z, a, b, r, h = symbols("x y z a b r h", real=True)
s = symbols("s", positive=True)

HALF = Rational(1, 2)
EQUAL = GaussianLaw({x: 0, y: 0}, [[1, 1], [1, 1]])
OPPOSITE = GaussianLaw({x: 0, y: 0}, [[1, -1], [-1, 1]])
SHIFTED = GaussianLaw({x: 0, y: -1}, [[1, 1], [1, 1]])
LINE = GaussianLaw({x: 1, y: 2, z: 3}, [[1, 2, -1], [2, 4, -2], [-1, -2, 1]])
FIXED = GaussianLaw({x: 2}, [[0]])
PLANE = GaussianLaw({x: 0, y: 1, z: 1}, [[1, 0, 1], [0, 2, 2], [1, 2, 3]])


def one_if(condition):
    return Piecewise((1, condition), (0, True))


CASES = [
    (one_if(x >= y), EQUAL, 1),
    (one_if(x > y), EQUAL, 0),
    (one_if(x <= y), EQUAL, 1),
    (one_if(x < y), EQUAL, 0),
    (one_if(Eq(x, y)), EQUAL, 1),
    (one_if(Ne(x, y)), EQUAL, 0),
    (one_if(x > y - h**2), EQUAL, None),
    (sign(x - y), EQUAL, 0),
    (sign(x - y) ** 2, EQUAL, 0),
    (sign(x - y) ** 3 + 2, EQUAL, 2),
    (1 - sign(x - y) ** 2 * x**2, EQUAL, 1),
    (Heaviside(x - y), EQUAL, HALF),
    (Heaviside(x - y, 1), EQUAL, 1),
    (Heaviside(x - y, 0), EQUAL, 0),
    (Heaviside(x - y, Rational(1, 3)) * x**2, EQUAL, Rational(1, 3)),
    (Heaviside(x - y + 1, nan), EQUAL, 1),
    (Abs(x - y), EQUAL, 0),
    (Abs(x - y) * Abs(x), EQUAL, 0),
    (exp(Abs(x - y)), EQUAL, 1),
    (Max(x, y) * x, EQUAL, 1),
    (Max(x - y, y - x, 0) + 3, EQUAL, 3),
    (Max(x, y, 2 * x - y) ** 2, EQUAL, 1),
    (Min(x, y, 2 * x - y) * y, EQUAL, 1),
    (one_if(And(x >= y, y >= x)), EQUAL, 1),
    (one_if(Or(x > y, y > x)), EQUAL, 0),
    (one_if(Not(Eq(x, y))), EQUAL, 0),
    (one_if(And(x >= y, x > 0)), EQUAL, HALF),
    (one_if(ITE(x >= y, x > 0, x < 5)), EQUAL, HALF),
    (one_if(Xor(x >= y, x > 0)), EQUAL, HALF),
    (one_if(Implies(x >= y, x > 0)), EQUAL, HALF),
    (Piecewise((Piecewise((x**2, x >= y), (7, True)), x > 0), (0, True)), EQUAL, HALF),
    (one_if((x - y) ** 2 > 0), EQUAL, 0),
    (one_if((x - y) ** 2 >= x**2 - x * y), EQUAL, 1),
    (one_if(x**2 - y**2 >= 0), EQUAL, 1),
    (one_if((x - y) * (x + 1) > 0), EQUAL, 0),
    (one_if(x * y > 1), EQUAL, 1 - erf(1 / sqrt(2))),
    (one_if(exp(x) >= exp(y)), EQUAL, 1),
    (one_if(tanh(x - y) >= 0), EQUAL, 1),
    (sign(x) * sign(y), EQUAL, 1),
    (tanh(x - y) + 1 / (x - y + 2), EQUAL, HALF),
    (Derivative(Abs(x - y), x) ** 2, EQUAL, 0),
    (one_if(x >= -y), OPPOSITE, 1),
    (one_if(x + y > 0), OPPOSITE, 0),
    (Abs(x + y) + sign(x + y), OPPOSITE, 0),
    (one_if(x - 1 >= y), SHIFTED, 1),
    (one_if(x - 1 > y), SHIFTED, 0),
    (one_if(x > y), SHIFTED, 1),
    (sign(x - y - 1) ** 4, SHIFTED, 0),
    (one_if(x >= 2), FIXED, 1),
    (one_if(x > 2), FIXED, 0),
    (one_if(x > 1), FIXED, 1),
    (floor(x) + sign(x - 2), FIXED, 2),
    (one_if(Eq(2 * x, y) & Eq(x + z, 4)), LINE, 1),
    (one_if(Or(2 * x > y, x + z < 4)), LINE, 0),
    (one_if(x + y + z >= 6) * sign(2 * x - y), LINE, 0),
    (Heaviside(y + 2 * z - 8, 1) * x, LINE, 1),
    (one_if(z >= x + y), PLANE, 1),
    (one_if(z > x + y), PLANE, 0),
    (sign(z - x - y) ** 2 + Abs(x + y - z), PLANE, 0),
    (one_if(Eq(z - x, y)) * x**2, PLANE, 1),
    (one_if(And(z >= x + y, x > 0)), PLANE, HALF),
    (one_if(Eq(x, y)), standard_normal(x, y), 0),
    (one_if(Ne(x * y, 1)), standard_normal(x, y), 1),
    (one_if(x * (x + 1) >= x**2 + x), standard_normal(x), 1),
    (one_if(x * (x + 1) > x**2 + x), standard_normal(x), 0),
]


@more
@pytest.mark.parametrize(("integrand", "law", "value"), CASES, ids=str)
def test_the_value_is_that_at_the_mean(integrand, law, value):
    found, trace = expectation(integrand, law, trace=True)
    if value is None:
        assert found.subs(h, 0) == 0
        assert found.subs(h, 2) == 1
        return
    assert nsimplify(found - value) == 0
    # Of what is 0 with probability one, a quadrature does not know that it is no small number.
    is_shown = law.cov.det() == 0 or value != 0
    if is_shown and not integrand.has(Derivative, nan):
        assert abs(Expectation(integrand, law).evalf(8) - value) < Rational(1, 10**7)
        for step in itertools.islice(trace, None if THOROUGH else 1):
            if step.lhs.has(DiracDelta) or step.rhs.has(DiracDelta):
                continue  # which is no function, and has no values
            assert abs(step.lhs.evalf(8) - step.rhs.evalf(8)) < Rational(1, 10**7), step
    if not integrand.has(floor, tanh):
        assert nsimplify(closed_form_for_proofs(integrand, law) - value) == 0


def test_what_is_put_in_is_a_step():
    _, trace = expectation(one_if(x >= y) * x**2, EQUAL, trace=True)
    assert next(iter(trace)).rule == "coordinates that others determine"
    assert next(iter(trace)).rhs == Expectation(x**2, GaussianLaw({x: 0}, [[1]]))


@pytest.mark.parametrize(
    ("law", "form"),
    [
        (GaussianLaw({x: 0, y: 0}, [[s, s], [s, s]]), x - y),
        (GaussianLaw({x: a, y: b}, [[s, s], [s, s]]), x - a - y + b),
        (GaussianLaw({x: 0, y: 0}, [[a**2, a * b], [a * b, b**2]]), b * x - a * y),
        (GaussianLaw({x: a, y: 0}, [[0, 0], [0, 1]]), x - a),
        (GaussianLaw({x: 0, y: 0, z: 0}, [[s, r, s + r], [r, 1, r + 1],
                                          [s + r, r + 1, s + 2 * r + 1]]), z - x - y),
        (GaussianLaw({x: (sqrt(2) - 1) * (sqrt(2) + 1), y: 1}, [[1, 1], [1, 1]]), x - y),
        (GaussianLaw({x: 0, y: 0}, [[3 + 2 * sqrt(2), sqrt(3 + 2 * sqrt(2))],
                                    [sqrt(3 + 2 * sqrt(2)), 1]]), x - (1 + sqrt(2)) * y),
        (GaussianLaw({x: 0, y: 0}, [[1, cos(a) ** 2 + sin(a) ** 2],
                                    [cos(a) ** 2 + sin(a) ** 2, 1]]), x - y),
        (GaussianLaw({x: 0.1, y: 0.3}, [[0.1, 0.3], [0.3, 0.9]]), 3 * x - y),
        (GaussianLaw({x: 0, y: 0}, [[2.0, 1.4], [1.4, 0.98]]), 0.7 * x - y),
        (standard_normal(x, y).linear_image({z: 3 * x - y / 3, a: 9 * x - y}), 3 * z - a),
        (GaussianLaw({x: 1, y: 2, z: 3}, [[1, 1, 0], [1, 2, 1], [0, 1, 1]]).conditional({z: 0}),
         x - y - 2),
    ],
    ids=str,
)  # fmt: skip
def test_variances_that_are_hidden_in_symbols_roots_or_floats(law, form):
    conditions = (form >= 0, form > 0, Eq(form, 0), Ne(form, 0), -form < S.One / 1000)
    values = [*map(one_if, conditions), sign(form) ** 2, Heaviside(form, 1), Abs(form)]
    assert [expectation(f, law) for f in values] == [1, 0, 1, 0, 1, 0, 1, 0]


def test_symbols_that_may_make_a_law_degenerate_have_other_values():
    """The closed form is for the values of r at which x and y are not the same."""
    law = GaussianLaw({x: 0, y: 0}, [[1, r], [r, 1]])
    assert expectation(one_if(x >= y), law) == HALF
    assert expectation(one_if(x >= y), law.subs(r, 1)) == 1


def test_a_delta_function_needs_a_variance():
    for form in (x - y, x - y - 1):
        value = expectation(DiracDelta(form) * x**2, EQUAL)
        assert value.has(Expectation)
        assert value.reason == f"{form} is constant, and has no density"
    # Given that x = 0, the sign of y is that of 0, and that of y + 1 is 1.
    law = GaussianLaw({x: 0, y: 0}, [[1, 2], [2, 4]])
    density = 1 / sqrt(2 * pi)
    assert expectation(DiracDelta(x) * sign(y) ** 2, law) == 0
    assert expectation(DiracDelta(x) * one_if(y >= 0), law) == density
    assert expectation(DiracDelta(x) * one_if(y > -1), law) == density


def test_no_value_at_the_kink_is_no_number():
    for integrand in (Heaviside(x - y, nan), 1 / (x - y), log(Abs(x - y)), x / (x - y) ** 2):
        with pytest.raises(IntegrabilityError, match="y = x"):
            expectation(integrand, EQUAL)


def test_products_noises_copies_and_variables_of_sympy():
    plane = ProductLaw(EQUAL, GaussianLaw({z: 1}, [[0]]))
    assert expectation(one_if(And(x >= y, z >= 1)) * x**2, plane) == 1
    xi = symbols("xi", real=True)
    assert expectation(one_if(x >= y) * xi**2, ProductLaw(EQUAL, NoiseLaw(xi, 3))) == 3
    assert expectation(IIDSum(one_if(x >= y), EQUAL, 3), FIXED) == 3
    pair = Normal("P", [0, 0], [[1, 1], [1, 1]])
    assert expectation(one_if(pair[0] >= pair[1])) == 1
    assert expectation(sign(pair[0] - pair[1]) ** 2) == 0


def test_jumps_of_other_functions_have_no_probability_that_is_known():
    assert expectation(one_if(Eq(floor(x), 0)), standard_normal(x)).has(Expectation)


def test_symbols_that_are_zero():
    zero = symbols("zero", zero=True)
    for law in (
        GaussianLaw({x: 0}, [[zero]]), GaussianLaw({x: zero}, [[0]]),
    ):  # fmt: skip
        assert expectation(Piecewise((1, x >= 0), (0, True)), law) == 1


def test_a_variance_declared_nonnegative_may_be_put_to_zero():
    m, width = Symbol("m", real=True), Symbol("w", nonnegative=True)
    centred, moved = (GaussianLaw({x: mean}, [[width**2]]) for mean in (0, m))
    for condition, at_zero in ((x >= 0, 1), (x > 0, 0), (Eq(x, 0), 1), (Ne(x, 0), 0), (x <= 0, 1)):
        inside = expectation(Piecewise((1, condition), (0, True)), centred)
        assert inside.subs(width, 0) == at_zero
        assert inside.subs(width, 1) == expectation(
            Piecewise((1, condition), (0, True)), GaussianLaw({x: 0}, [[1]])
        )
        compiled = compile_expressions(
            [expectation(Piecewise((1, condition), (0, True)), moved)], [m, width], ()
        )
        assert compiled([0.0, 0.0])[0] == at_zero
    assert expectation(Heaviside(x, 1), centred).subs(width, 0) == 1
    assert expectation(sign(x) ** 2, centred).subs(width, 0) == 0
    # What is continuous, or has the mean of both sides, has no cases.
    for integrand in (Heaviside(x), Max(x, 0), Abs(x)):
        assert not expectation(integrand, centred).has(Piecewise)


def test_a_piece_without_a_value_is_refused():
    law = GaussianLaw({x: 0}, [[1]])
    with pytest.raises(ValueError, match="nan elsewhere in Piecewise"):
        expectation(Piecewise((1, x > 1), (S.NaN, True)), law)
    with pytest.raises(ValueError, match="nan where x < 0"):
        expectation(Piecewise((S.NaN, x < 0), (2, True)), law)
    # Of probability zero it does not matter.
    assert expectation(Piecewise((S.NaN, Eq(x, 0)), (2, True)), law) == 2


@pytest.mark.parametrize(
    "integrand",
    [
        Abs(Max(0, x) - Max(0, y)),
        Abs(x - y) * Heaviside(x) * Heaviside(y),
        Abs(x - y) * sign(x) * sign(y),
        sign(x) * sign(y) * sign(x - y) * y,
        Max(0, Min(x, y)) * sign(x - y),
    ],
    ids=str,
)
def test_what_is_left_of_a_variance_has_no_sign(integrand):
    """Signs of forms that are parallel given another one are not those of what is left, 0."""
    width, scale = symbols("v_x v_y", positive=True)
    found = expectation(integrand, GaussianLaw({x: 0, y: 0}, [[width, r], [r, scale]]))
    for p, q, both in ((4, 1, 2), (4, 1, -2), (1, 9, 3), (2, 3, 1)):
        law = GaussianLaw({x: 0, y: 0}, [[p, both], [both, q]])
        at = found.subs({width: p, scale: q, r: both})
        assert abs((at - expectation(integrand, law)).evalf()) < 1e-14


FORMS = [
    sign(x) * sign(y),
    sign(y) * sign(x + y),
    Max(0, y) * sign(x + y),
    Max(0, x + y) * Max(0, y),
    Abs(Max(0, x) - Max(0, y)),
    Heaviside(x + y) * Heaviside(y),
]
MEANS = [(0, 0), (0, 1), (-1, 0), (2, -1)]


@pytest.mark.parametrize(("integrand", "means"), [*itertools.product(FORMS, MEANS)], ids=str)
def test_forms_of_one_variable_of_which_one_may_be_fixed(integrand, means):
    """Closed forms in the multiples a z and b z of one variable are right where a form is fixed."""
    a, b = symbols("a b", real=True)
    law = GaussianLaw(dict(zip((x, y), means, strict=True)), [[a**2, a * b], [a * b, b**2]])
    function = compile_expressions([expectation(integrand, law)], [a, b], [])
    for p, q in ((0, 0), (0, 1), (1, 0), (0, -2), (-1, 1), (1, -1), (3, 1), (-2, -1)):
        there = expectation(integrand, law.subs({a: p, b: q}))
        with np.errstate(divide="ignore", invalid="ignore"):
            assert abs(float(function([p, q])[0]) - float(there)) < 1e-14, (p, q)


@pytest.mark.parametrize(
    ("integrand", "means"),
    [
        (y * Abs(x - y) * Heaviside(-x), (-1, 1)),
        (Abs(x + y) * Max(0, 2 * x + y), (1, 1)),
        (x * sign(2 * x + y) * Max(0, x), (-1, 1)),
        (Abs(2 * x + y) * Max(0, 1 - y), (2, 0)),
        (y * Max(0, x + y) * Max(0, x + 2 * y - 1), (2, 0)),
    ],
    ids=str,
)
def test_forms_of_two_variables_of_which_one_may_be_fixed(integrand, means):
    """Denominators that are 0 with an exponential have their limits."""
    a, b = symbols("a b", real=True)
    law = GaussianLaw(dict(zip((x, y), means, strict=True)), [[a**2, 0], [0, b**2]])
    function = compile_expressions([expectation(integrand, law)], [a, b], [])
    for p, q in ((0, 1), (1, 0), (-2, 0), (1, 1), (2, -1)):
        there = expectation(integrand, law.subs({a: p, b: q}))
        with np.errstate(divide="ignore", invalid="ignore"):
            assert abs(float(function([p, q])[0]) - float(there)) < 1e-13, (p, q)

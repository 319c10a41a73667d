"""Parts of the quadrature: balls, rules, integrands taken apart, kinks and their places."""

from __future__ import annotations

import math
import operator
import re
from types import SimpleNamespace

import numpy as np
import pytest
from flint import acb, arb, ctx
from sympy import (
    Abs,
    Add,
    Derivative,
    Eq,
    Equivalent,
    Expr,
    Function,
    Heaviside,
    I,
    Integer,
    Integral,
    Max,
    Min,
    Mul,
    Not,
    Piecewise,
    Pow,
    Rational,
    Subs,
    Sum,
    Symbol,
    besselj,
    cos,
    erf,
    exp,
    expand,
    eye,
    log,
    sign,
    sin,
    sqrt,
    symbols,
)

from slrsym.crosscheck import integrands, is_true_at, split_quadrature
from slrsym.crosscheck.ball_quadrature import (
    CompiledIntegrand,
    Inconclusive,
    NumberWithError,
    _change_of_variable,
    _lattice,
    _mpf,
    _reduction,
    ball_radius,
    compare_balls,
    gauss_hermite_rule,
    integrate_over_interval,
    log2_upper_bound,
    require_real_ball,
    widen_ball,
)
from slrsym.crosscheck.evaluator import _stencil, evaluate
from slrsym.crosscheck.expectations import ExpectationValues, _orthogonal_part
from slrsym.crosscheck.integrands import (
    IndependentLawBlock,
    degree_bound_with_functions_as_constants,
    essential_affine_forms,
    expand_to_factor_tuples,
    group_factors_by_law_part,
    has_undefined_function_or_node_named,
    kinks_of_integrand,
    renaming_invariant_key,
    replace_index,
    rewrite_maxima_as_positive_parts,
    split_off_powers_if_single_law_part,
    steep_places_of_integrand,
)
from slrsym.crosscheck.node_evaluator import (
    NodeEvaluator,
    evaluate_piecewise,
    principal_power,
    rational_power_function,
    square_root,
)
from slrsym.crosscheck.split_quadrature import Panels, is_small, zeros_as_lines
from slrsym.gaussian import Expectation, GaussianLaw, standard_normal

R = Rational
x, y, z, u = symbols("x y z u", real=True)
j, n = symbols("j n", integer=True)
RANDOM = frozenset((x, y))


def no_jumps(argument: Expr) -> range:
    raise AssertionError(f"{argument} is in no floor")


# -- balls -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ball", "logarithm"),
    [(arb(8), 3), (arb(-8), 3), (arb(0), -math.inf), (arb(0, 4), 2), (arb(2) ** -400 * 3, -398.415),
     (arb(3) ** 100, 158.496), (acb(3, 4), 2.32193)],
)  # fmt: skip
def test_logarithm_of_a_bound(ball, logarithm):
    assert log2_upper_bound(ball) == pytest.approx(logarithm, abs=1e-3)


def test_balls_are_widened_and_have_radii():
    assert float(ball_radius(widen_ball(arb(1), arb(0.25)))) == pytest.approx(0.25)
    wide = widen_ball(acb(1, 2), arb(0.25))
    radii = wide.real.rad(), wide.imag.rad(), ball_radius(wide)
    assert list(map(float, radii)) == pytest.approx([0.25, 0.25, 0.5])
    assert require_real_ball(acb(3, arb(0, 1)), "it") == 3
    for ball, said in ((acb(3, 1), "it needs a real number; got 3"), (acb(3, -1), "it needs")):
        with pytest.raises(Inconclusive, match=said):
            require_real_ball(ball, "it")
    with pytest.raises(Inconclusive, match="a value is not finite"):
        _mpf(arb("inf"))
    assert _mpf(arb(2.5)) == 2.5


def test_an_order_of_balls():
    tiny = arb(2) ** -300
    for a, b, order in ((2, 1, 1), (1, 2, -1), (1, 1, 0), (arb(0, tiny), 0, 0),
                        (arb(2) ** 100, arb(2) ** 100 + arb(0, 1), 0)):  # fmt: skip
        assert compare_balls(arb(a), arb(b)) == order
    with pytest.raises(Inconclusive, match="a sign is lost in rounding"):
        compare_balls(arb(0, 1e-6), arb(0))


def test_a_number_shows_the_digits_that_are_right():
    number = NumberWithError(_mpf(arb(2).sqrt().mid()), _mpf(arb(1e-5)), 0.0)
    assert (str(number), round(number.digits, 3)) == ("1.4142", 5.151)
    assert str(NumberWithError(_mpf(arb(3)), _mpf(arb(5)), 0.0)) == "3.0"


def test_roots_and_powers_of_balls():
    for root, known in ((square_root(arb(4)), 2), (square_root(acb(-4, 0)), 2j),
                        (square_root(arb(-4)), 2j), (square_root(acb(0, 2)), 1 + 1j),
                        (rational_power_function(R(-3, 2))(arb(4)), 1 / 8),
                        (rational_power_function(R(3, 2))(arb(4)), 8),
                        (rational_power_function(R(2, 3))(arb(0)), 0),
                        (rational_power_function(R(-2))(arb(4)), 1 / 16),
                        (rational_power_function(R(2))(arb(4)), 16),
                        (rational_power_function(R(1, 3))(acb(8, 0)), 2),
                        (principal_power(arb(2), arb(3)), 8),
                        (principal_power(arb(4), acb(0.5, 0)), 2),
                        (principal_power(acb(0, 1), arb(3)), -1j)):  # fmt: skip
        assert abs(complex(root) - known) < 1e-14
    # What is zero but for rounding is taken for a number that is not negative, and is real.
    small = square_root(arb(0, 1e-12))
    assert isinstance(small, arb)
    assert small.contains(0)
    assert 1e-6 < float(small.abs_upper()) < 1.01e-6
    assert isinstance(square_root(arb(0, 0.1)), acb)


def test_branches_of_balls():
    assert evaluate_piecewise(1, False, 2, True, 3, True) == 2
    with pytest.raises(Inconclusive, match="no branch of a Piecewise applies"):
        evaluate_piecewise(1, False)
    with pytest.raises(Inconclusive, match="cannot decide the condition x"):
        NodeEvaluator({}, 10).is_condition_true(Symbol("x"))
    assert abs(float(NodeEvaluator({x: R(1, 2)}, 20).ball(Pow(exp(1), x))) - math.exp(0.5)) < 1e-15


# -- rules -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("offset", [0, 1205])
def test_nodes_of_a_lattice(offset):
    """Equal steps of 2000/2^14, shifted, from within to outwards; the moments are those of G."""
    nodes = _lattice(2000, offset, 12, ctx.prec)
    h, places = 2000 / 2**14, sorted(float(x) for x, _, _ in nodes)
    assert np.diff(places) == pytest.approx(h)
    assert min(places, key=abs) / h == pytest.approx(offset / 4096)
    assert -12 - 3 * h < places[0] < -12 < 12 < places[-1] < 12 + 3 * h + h
    squares = [square for _, _, square in nodes]
    assert squares == sorted(squares)
    assert squares == pytest.approx([float(x) ** 2 for x, _, _ in nodes])
    moments = [float(sum((w * x**k for x, w, _ in nodes), arb(0))) for k in range(5)]
    assert moments == pytest.approx([1, 0, 1, 0, 3], abs=1e-13)


@pytest.mark.parametrize("count", [1, 2, 5])
def test_nodes_of_hermite(count):
    """Exact up to the power 2 n - 1, with the double factorials as moments, and not beyond."""
    nodes = gauss_hermite_rule(count, 100)
    moments = [float(sum((w * x**k for x, w, _ in nodes), arb(0))) for k in range(2 * count + 1)]
    exact = [math.prod(range(k - 1, 0, -2)) * (k % 2 == 0) for k in range(2 * count + 1)]
    assert moments[:-1] == pytest.approx(exact[:-1], abs=1e-12)
    assert moments[-1] == pytest.approx(exact[-1] - math.factorial(count))


@pytest.mark.parametrize(
    ("gap", "factor"),
    [(-0.5, 2.0), (-1.0, 2.0), (-2.0, 2.5), (-16.0, 1.05 * math.sqrt(2)), (-31.0, 1.15)],
)
def test_steps_are_refined_as_the_digits_say(gap, factor):
    assert _reduction(gap, -32.0) == pytest.approx(factor)


@pytest.mark.parametrize(
    ("low", "high"), [(1, 3), (2, math.inf), (-math.inf, 2), (-math.inf, math.inf)]
)
def test_weights_are_slopes_of_the_change_of_variable(low, high):
    nodes = _change_of_variable(arb(low), arb(high))
    for t in (-1.3, -0.2, 0.0, 0.4, 1.1):
        place, weight = nodes(arb(t))
        ahead, behind = (nodes(arb(t + s))[0] for s in (1e-4, -1e-4))
        assert low < float(place) < high
        assert abs(float((ahead - behind) / 2e-4)) == pytest.approx(float(weight), rel=1e-6)
    ends = sorted(float(nodes(arb(t))[0]) for t in (-3, 3))
    assert all(abs(a - b) < 1e-6 or abs(a) > 1e6 for a, b in zip(ends, (low, high), strict=True))


@pytest.mark.parametrize(
    ("function", "low", "high", "exact"),
    [
        (lambda t: t * t, -1, 2, 3),
        (lambda t: 1 / t.sqrt(), 0, 4, 4),
        (lambda t: (-t).exp(), 1, math.inf, math.exp(-1)),
        (lambda t: t.exp(), -math.inf, 1, math.e),
        (lambda t: 1 / (1 + t * t), -math.inf, math.inf, math.pi),
        (lambda t: 0 * t, 0, 1, 0),
    ],
)
def test_integrals_over_an_interval(function, low, high, exact):
    with ctx.workprec(120):
        found = integrate_over_interval(function, arb(low), arb(high), 12)
    assert abs(float(found.value) - exact) < 1e-12
    if exact and low != -1:
        # The integrand is positive: the terms add up to the integral.
        assert 2**found.absolute == pytest.approx(exact)


@pytest.mark.parametrize("accuracy", [1, 2])
@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_differences_are_exact_for_low_powers(order, accuracy):
    nodes = _stencil(order, accuracy)
    assert len(nodes) == 2 * ((order + 1) // 2 + accuracy - 1) + (order % 2 == 0)
    for k in range(order + 2 * accuracy):
        exact = math.factorial(order) if k == order else 0
        assert sum(w * a**k for a, w in nodes) == exact


def test_the_part_orthogonal_to_others():
    basis = [[arb(1), arb(0), arb(0)], [arb(0), arb(0.6), arb(0.8)]]
    (found,) = _orthogonal_part([arb(5), arb(1), arb(3)], basis, 12)
    assert [abs(float(c)) for c in found] == pytest.approx([0, 0.8, 0.6])
    assert _orthogonal_part([arb(2), arb(3), arb(4)], basis, 12) == []
    assert _orthogonal_part([], [], 12) == []
    near = [arb(1), arb(1e-14), arb(0)]
    assert [len(_orthogonal_part(near, basis[:1], digits)) for digits in (9, 14)] == [0, 1]


def test_operations_are_done_in_the_outermost_loop():
    """Of x y + 2 x over three nodes in x and two in y: two operations in the outer loop."""
    program = CompiledIntegrand(2)
    two = program.add_constant(arb(2))
    calls = {"outer": 0, "inner": 0}

    def double(a, b):
        calls["outer"] += 1
        return a * b

    def product(a, b):
        calls["inner"] += 1
        return a * b

    doubled = program.add_operation(double, two, 0)
    assert program.add_operation(double, two, 0) == doubled
    inner = program.add_operation(product, 0, 1)
    program.output = program.add_fold(operator.add, [inner, doubled])
    assert [program.levels[i] for i in (0, 1, two, doubled, inner)] == [1, 2, 0, 1, 2]
    assert program.values[program.add_operation(operator.add, two, two)] == 4
    xs = [(arb(a), arb(w), float(a * a)) for a, w in ((0, 1), (-1, 3), (2, 5))]
    ys = [(arb(a), arb(w), float(a * a)) for a, w in ((1, 7), (-3, 11))]
    total, absolute, edge = program.sum_over_nodes([xs, ys])
    # At 0 alone the square is within the radius 0, and no node of y is.
    assert (total, absolute, edge) == (0, 0, 0)
    calls.update(outer=0, inner=0)
    found = program.sum_over_nodes([xs, ys], 4.0, 0.5)
    terms = [(wa * wb, a * b + 2 * a, a * a + b * b) for a, wa in ((0, 1), (-1, 3), (2, 5))
             for b, wb in ((1, 7), (-3, 11))]  # fmt: skip
    sums = (
        sum(w * value for w, value, _ in terms),
        sum(w * abs(value) for w, value, _ in terms),
        sum(w * abs(value) for w, value, square in terms if square > 3.5**2),
    )
    assert found == sums
    assert calls == {"outer": 3, "inner": 6}
    # Farther out than the radius nothing is computed.
    assert program.sum_over_nodes([xs, ys], 2.5, 0.5)[1] == 7 * 3 * 3 + 7 * 5 * 6


# -- integrands taken apart ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expr", "count"),
    [
        ((x + u) * (x + y + 1), 6),
        ((x + y + u) ** 3, 10),
        ((x * y) ** 3, 1),
        ((x + 1) ** 12, 13),
        ((x + 1) ** 13, 1),
        ((x + 1) ** -2, 1),
        (u + 1, 1),
        (x + (x + y) * sin(x), 3),
    ],
)
def test_products_are_multiplied_out(expr, count):
    terms = expand_to_factor_tuples(expr, RANDOM)
    assert len(terms) == count
    assert expand(Add(*(Mul(*factors) for factors in terms)) - expr) == 0


def test_products_of_too_many_terms_are_left(monkeypatch):
    monkeypatch.setattr(integrands, "_MOST_TERMS", 6)
    for expr, count in (((x + 1) * (x + y + 1), 6), ((x + 2) * (y + 3) * (x + 1), 1),
                        ((x + y + 1) ** 2, 6), ((x + y + 1) ** 3, 1)):  # fmt: skip
        assert len(expand_to_factor_tuples(expr, RANDOM)) == count


@pytest.mark.parametrize(
    ("expr", "zeros"),
    [
        (Abs(x - 2) * u, [x - 2]),
        (sign(x * (y - 1)), [x, y - 1]),
        (Heaviside(x + u), [u + x]),
        (Max(x, y, 3), [x - y, x - 3, y - 3, 3 - x, 3 - y]),
        (Min(x, u), [x - u]),
        (Piecewise((x, x > y), (2, x**2 < u), (3, True)), [x - y, x**2 - u, u - x**2]),
        (Abs(u), []),
        (x**2 + sin(x), []),
        (Abs(Abs(x) - 1), [x, x - 1, -x - 1]),
        (Abs(sign(x) - y), [x, 1 - y, -1 - y]),
        (Abs(Heaviside(x) - y), [x, 1 - y, -y]),
        (Abs(sqrt(x - 1) * 3), [x - 1]),
    ],
)  # fmt: skip
def test_places_of_kinks(expr, zeros):
    """Up to sign: both orders of a difference are allowed."""
    found = kinks_of_integrand(expr, RANDOM, no_jumps)
    allowed = {expand(s * zero) for zero in zeros for s in (1, -1)}
    assert {expand(zero) for zero in found} <= allowed
    assert {expand(s * zero) for zero in found for s in (1, -1)} == allowed


def test_steep_places_are_those_of_functions_and_powers_too():
    found = steep_places_of_integrand(log(x - 1) / (y + 2) + Abs(x - y), RANDOM, no_jumps)
    assert set(found) == {x - 1, y + 2, x - y}
    assert kinks_of_integrand(log(x - 1) / (y + 2), RANDOM, no_jumps) == []


@pytest.mark.parametrize(
    ("expr", "degree"),
    [(x**2 * y + x, 3), (u**5, 0), (x, 1), ((x + y) ** 3 * x, 4), (sin(x) * x**2, 2), (1 / x, 0),
     ((1 + x) ** R(1, 2), 0)],
)  # fmt: skip
def test_degrees(expr, degree):
    assert degree_bound_with_functions_as_constants(expr, RANDOM) == degree


def affine(expr: Expr):
    polynomial = expr.as_poly(x, y)
    if polynomial is None or polynomial.total_degree() > 1:
        return None
    return 0, {s: polynomial.coeff_monomial(s) for s in (x, y) if polynomial.coeff_monomial(s)}


@pytest.mark.parametrize(
    ("expr", "forms"),
    [
        (x**2 * y + u, []),
        (x * sin(x + 2 * y), [{x: 1, y: 2}]),
        (erf(x) + exp(3 * y) * x**3, [{x: 1}, {y: 3}]),
        (sin(x * y), [{x: 1}, {y: 1}]),
        ((x + y) ** 2 / (1 + x), [{x: 1}]),
        (Sum(x**j, (j, 1, n)) ** 2, [{x: 1}]),
        (sin(u) * y, []),
    ],
)
def test_forms_in_which_an_integrand_is_no_polynomial(expr, forms):
    found = essential_affine_forms(expr, RANDOM, affine)
    assert len(found) == len(forms)
    assert all(form in found for form in forms)


def test_factors_are_grouped_by_parts_of_the_law():
    owner = {x: 0, y: 1, z: 2}
    constant, parts = group_factors_by_law_part(
        [u, x, sin(y), cos(x), exp(y * z), R(3)], owner, frozenset(owner)
    )
    assert constant == 3 * u
    assert parts == {frozenset({0}): x * cos(x), frozenset({1, 2}): sin(y) * exp(y * z)}
    key, rest = split_off_powers_if_single_law_part(parts, frozenset(owner))
    assert (dict(key), rest) == (parts, 1)
    key, rest = split_off_powers_if_single_law_part(
        {frozenset({0}): x**2 * sin(x) / y}, frozenset(owner)
    )
    assert (dict(key), rest) == ({frozenset({0}): sin(x) / y}, x**2)


def test_maxima_become_positive_parts():
    found = rewrite_maxima_as_positive_parts(Max(x, y) * Min(x, u) + Max(x, 0) + Max(x, y, u))
    assert found.atoms(Max, Min) == {
        n.func(a - b, 0) for n in (Max(x, y), Min(x, u)) for a, b in [n.args]
    } | {Max(x, 0), Max(x, y, u)}
    for a, b, c in ((1, 2, 3), (3, 1, 2), (-2, -3, -1), (2, 3, 1)):
        at = {x: a, y: b, u: c}
        assert found.subs(at) == max(a, b) * min(a, c) + max(a, 0) + max(a, b, c)


def test_keys_do_not_depend_on_names():
    names, others = {x: u}, {y: u}
    for one, other, same in (
        (x * sin(x) + x, y * sin(y) + y, True),
        (x**2, y**3, False),
        (x + x**2, y + 2 * y**2, False),
        (Mul(x, x, evaluate=False), y, False),
        (erf(x), sin(y), False),
        (Max(x, 3), Max(y, 3), True),
        (sqrt(x) / 3, sqrt(y) / 3, True),
        (Heaviside(x - 1), Heaviside(y + 1), False),
    ):
        keys = renaming_invariant_key(one, names), renaming_invariant_key(other, others)
        assert (keys[0] == keys[1]) is same, (one, other)


def test_nodes_that_bind_are_found_at_any_depth():
    f = Function("f")
    assert has_undefined_function_or_node_named(1 + f(x) ** 2)
    assert has_undefined_function_or_node_named(sin(Sum(j, (j, 1, n))))
    assert not has_undefined_function_or_node_named(sin(Sum(j, (j, 1, n))), ("Integral",))
    assert not has_undefined_function_or_node_named(sin(x))


def test_indices_are_replaced_except_where_bound():
    inner = Sum(j * n, (j, 1, n))
    assert replace_index(inner + n, n, R(3)) == Sum(3 * j, (j, 1, 3)) + 3
    assert replace_index(Sum(j, (j, 1, j)), j, R(4)) == Sum(j, (j, 1, 4))
    assert evaluate(Sum(j * n, (j, 1, n), (n, 1, 3)), {}, 10).number == 1 + 6 + 18
    assert evaluate(Derivative(sin(x), x), {x: 0}, 10).number == 1


# -- kinks -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kink", "places"),
    [
        (3 * x - 6, [2]),
        ((x - 1) * (x + 3), [1, -3]),
        (2 * x**2 - 3 * x - 2, [2, -0.5]),
        (x**2 + 1, []),
        (x**2, [0, 0]),
        (expand((x - 1) * (x - 2) * (x - 3)), [1, 2, 3]),
        (expand((x**2 - 2) * (x - 3)), [2**0.5, -(2**0.5), 3]),
        (x**3 - 2, None),
        (sin(x), None),
        (x * y - 1, None),
    ],
)
def test_lines_on_which_kinks_lie(kink, places):
    """In the coordinate s of x = 1 + 2 s."""

    def line(expr):
        polynomial = expr.as_poly(x)
        if polynomial is None or polynomial.degree() > 1 or expr.has(y):
            return None
        a, b = polynomial.all_coeffs()
        return arb(str(a + b)), (arb(str(2 * a)),)

    lines = zeros_as_lines(kink, RANDOM, line, NodeEvaluator({}, 30).ball)
    if places is None:
        assert lines is None
        return
    found = sorted(float(1 - 2 * constant / row) for constant, (row,) in lines)
    assert found == pytest.approx(sorted(places), abs=1e-12)


def test_panels_are_divided_at_kinks():
    """The weights are those of exp(-x^2/2), and no interval reaches over a kink."""
    panels = Panels(20, 1.5, 7.0)
    assert (panels.most, float(panels.width)) == (5, 1.4)
    total = math.sqrt(2 * math.pi)
    for cuts in ([], [0.3], [0.3, 1.0, -6.9], [0.3, 0.3], [7.5, -8.0]):
        nodes = panels.nodes(map(arb, cuts))
        inside = {cut for cut in cuts if abs(cut) < 7}
        assert len(nodes) == 20 * (10 + len(inside))
        assert float(sum((w for _, w in nodes), arb(0))) == pytest.approx(total, rel=1e-10)
        if 0.3 in inside:
            below = float(sum((w for x, w in nodes if x < 0.3), arb(0))) / total
            assert below == pytest.approx((1 + math.erf(0.3 / math.sqrt(2))) / 2, rel=1e-10)


def test_whatis_small_beside_another():
    for a, b, small in ((0, 1, True), (1e-18, 1, True), (1e-12, 1, False), (1e-12, 1e6, True)):
        assert is_small(arb(a), arb(b), 12) is small


# -- what is undecided, and what is tried then -----------------------------------------------------

U, V, W = symbols("U V W", real=True)
PLANE, SPACE = standard_normal(U, W), standard_normal(U, V, W)


@pytest.mark.parametrize("law", [PLANE, SPACE])
def test_a_narrow_density_is_given_up_in_few_dimensions(law, monkeypatch):
    """There the factor is integrated against the law as it was."""

    def reweighted(self, factor, means, roots, random):
        # Of this function there are no values on balls.
        return arb(1), besselj(0, U), means, roots

    monkeypatch.setattr(ExpectationValues, "_reweighted", reweighted)
    mean = Expectation(cos(sum(law.symbols) + U * W), law)
    if law is PLANE:
        # The mean of exp(i (U + W + U W)) is that of exp(i U - (1 + U)^2/2).
        exact = (np.exp(-1 / 2 + (1j - 1) ** 2 / 4) / np.sqrt(2)).real
        assert float(evaluate(mean, {}, 7).number) == pytest.approx(exact, abs=1e-7)
    else:
        with pytest.raises(Inconclusive, match="besselj"):
            evaluate(mean, {}, 7)


def test_an_exponent_that_is_not_real_stays_in_the_integrand():
    """The mean of exp(i U W) is that of exp(-U^2/2)."""
    found = evaluate(Expectation(exp(I * U * W), PLANE), {}, 7).number
    assert complex(found) == pytest.approx(1 / math.sqrt(2), abs=1e-7)


@pytest.mark.parametrize(
    ("expr", "point", "said"),
    [
        (Expectation(U**2, GaussianLaw({U: 0}, [[x]])), {x: arb(0.1, 0.5)},
         "a variance of (U,) is lost in rounding"),
        (Expectation(Sum(j, (j, 1, U)), standard_normal(U)), {}, "U is not an integer"),
        (Expectation(cos(U * W), GaussianLaw({U: x, W: 0}, eye(2))), {x: arb(0.5, 1e-4)},
         "rounding leaves too few digits in a quadrature"),
    ],
)  # fmt: skip
def test_values_that_are_lost(expr, point, said):
    with pytest.raises(Inconclusive, match=re.escape(said)):
        evaluate(expr, point, 10)


def test_too_many_nodes(monkeypatch):
    monkeypatch.setattr(split_quadrature, "_MOST_NODES", 100)
    said = "too many nodes for an integrand with kinks in two dimensions"
    with pytest.raises(Inconclusive, match=said):
        evaluate(Expectation(Abs(U + W) * cos(U * W), PLANE), {}, 5)
    with pytest.raises(Inconclusive, match="no quadrature for a law of type Integer"):
        IndependentLawBlock.parts_of_law(SimpleNamespace(independent_laws=lambda: [Integer(3)]))


def test_an_integral_is_put_in_place_of_its_parameter():
    inner = Integral(x * z, (z, 0, 2))
    found = evaluate(Expectation(Subs(inner, x, U + 3), standard_normal(U)), {}, 5)
    assert float(found.number) == pytest.approx(6, abs=1e-5)


def test_negations():
    for statement, holds in ((x > 0, False), (Eq(x, 2), True), (Equivalent(x > 0, x < 3), False)):
        assert is_true_at(Not(statement, evaluate=False), {x: 1}) is holds

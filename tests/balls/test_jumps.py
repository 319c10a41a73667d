"""Functions that jump: no false statement about one is certified, and true ones still are."""

from fractions import Fraction

import numpy as np
import pytest
import sympy as sp
from flint import arb, fmpq
from sympy import (
    Abs,
    And,
    Eq,
    Gt,
    Lt,
    Max,
    Min,
    Mod,
    Ne,
    Or,
    Piecewise,
    Rational,
    Symbol,
    erf,
    exp,
    log,
    sign,
    sqrt,
)
from sympy.functions.elementary.piecewise import ExprCondPair

from slrsym.balls.box_functions import ParametricFunctions, has_exactly_one_zero
from slrsym.balls.branch_and_bound import Budget, isolate_zeros
from slrsym.kernels.ball_backend import compile_ball_function
from slrsym.kernels.compile import compile_program
from slrsym.kernels.jumps import derivative_away_from_jumps, jump_arguments
from slrsym.kernels.printing import program_from_expressions
from slrsym.models.training.fixed_points import _certificate
from slrsym.proof import InequalitiesOnBox
from tests._profile import THOROUGH, more

x, y, z = (Symbol(name, real=True) for name in "xyz")
VARIABLES = (x, y, z)
COUNT = 200


def reason(statement, ranges, boxes=150):
    return InequalitiesOnBox(ranges, max_boxes=boxes).reason_not_shown(statement)


def holds(statement, point):
    """Whether a statement is true at a point; where a side is no real number, it is not."""
    try:
        return statement.subs(point) == True  # noqa: E712
    except TypeError:
        return False


class FlatExp(exp):
    """A function of a user's own that calls its slope zero."""

    def fdiff(self, argindex=1):
        return sp.S.Zero


# -- false statements ------------------------------------------------------------------------------


def bad_region(rng, count):
    """Draw a condition and a point of the unit box at which it holds, on a tenth or at a point."""
    used = VARIABLES[:count]
    one = used[rng.integers(count)]
    # No midpoint of a bisected box has these denominators.
    place = Rational(int(rng.integers(1, 13)), 13)
    inside = dict.fromkeys(used, Rational(1, 3))
    inside[one] = place
    point = And(*(Eq(v, inside[v]) for v in used))
    total = sum(used)
    corner = dict.fromkeys(used, Rational(1))
    edge = Rational(9, 10)
    return [
        (one > edge, corner),
        (one < 1 - edge, dict.fromkeys(used, Rational(0))),
        (total > count - Rational(1, 5), corner),
        (And(one > edge, used[0] > edge), corner),
        (Or(one > edge, one < Rational(1, 20)), corner),
        (And(one > place, one < place + Rational(1, 10)), inside | {one: place + Rational(1, 20)}),
        (Eq(one, place), inside),
        (point, inside),
        (one * used[-1] > edge, corner),
        (one**2 + used[-1] ** 2 > Rational(9, 5), corner),
    ][rng.integers(10)]


def step(rng, condition):
    """Draw a function that is positive off a condition, and not where it holds."""
    low, high = -Rational(int(rng.integers(1, 5)), 2), Rational(int(rng.integers(1, 5)), 2)
    kinds = [
        Piecewise((low, condition), (high, True)),
        Piecewise((high, sp.Not(condition)), (low, True)),
        Piecewise((Piecewise((low, x >= 0), (high, True)), condition), (high, True)),
        Piecewise((low * exp(x), condition), (high * exp(x), True)),
        Max(Piecewise((low, condition), (high, True)), 2 * low),
        Min(Piecewise((low, condition), (high, True)), 2 * high),
        sign(Piecewise((low, condition), (high, True))),
        erf(Piecewise((low, condition), (high, True))),
        Piecewise((low, condition), (high, True)) ** 3,
        exp(Piecewise((low, condition), (high, True))) - 1,
    ]
    return kinds[rng.integers(len(kinds))]


def false_statement(seed):
    """Return a statement, its box, and a point of the box at which it is false or undefined."""
    rng = np.random.default_rng([seed, 7])
    count = 1 + seed % 3
    condition, point = bad_region(rng, count)
    f = step(rng, condition)
    smooth = 1 + sum(v**2 for v in VARIABLES[:count]) / 4
    statements = [
        Gt(f, 0),
        Gt(f * smooth, 0),
        Lt(-f, 0),
        Gt(log(f), -9),
        Gt(sqrt(f) + smooth, 0),
        Gt(f ** Rational(1, 3), -1),
        Gt(Piecewise((1, f > 0), (-1, True)), 0),
        Gt(Max(f, f / 2), 0),
        And(Gt(smooth, 0), Gt(f, 0)),
    ]
    statement = statements[rng.integers(len(statements))]
    ranges = dict.fromkeys(VARIABLES[:count], (0, 1))
    return statement, ranges, point


@more
@pytest.mark.parametrize("part", range(4))
def test_false_statements_about_functions_that_jump_are_not_certified(part):
    for seed in range(part, COUNT if THOROUGH else COUNT // 4, 4):
        statement, ranges, point = false_statement(seed)
        assert not holds(statement, point)
        assert reason(statement, ranges, 60) != "", (seed, statement)


@pytest.mark.parametrize(
    ("statement", "bad"),
    [
        (Gt(Piecewise((1, x < Rational(9, 10)), (-1, True)), 0), 1),
        (Gt(Piecewise((-1, Eq(x, Rational(1, 3))), (1, True)), 0), Rational(1, 3)),
        (Gt(Piecewise((1, Ne(x, Rational(1, 3))), (-1, True)), 0), Rational(1, 3)),
        (Gt(log(Piecewise((1, x < Rational(9, 10)), (-1, True))), -1), 1),
        (Gt(1 / (Piecewise((1, x < Rational(9, 10)), (0, True)) + x - x), 0), 1),
        (Gt(sign(Rational(9, 10) - x), 0), 1),
        (Gt(sign(x - Rational(1, 3)) ** 2, 0), Rational(1, 3)),
        (Gt(Abs(sign(x - Rational(1, 3))), Rational(1, 2)), Rational(1, 3)),
        (Gt(sp.Heaviside(Rational(9, 10) - x), 0), 1),
        (Gt(sp.Heaviside(x - Rational(1, 3), -1) + 2, Rational(3, 2)), Rational(1, 3)),
        (Lt(sp.floor(x + Rational(1, 10)), 1), 1),
        (Lt(sp.ceiling(x - Rational(9, 10)), 1), 1),
        (Gt(sp.frac(x + Rational(1, 10)), Rational(1, 20)), Rational(9, 10)),
        (Gt(Mod(x + Rational(1, 10), 1), Rational(1, 20)), Rational(9, 10)),
        (Lt(sp.KroneckerDelta(x, Rational(1, 3)), 1), Rational(1, 3)),
        (Lt(sp.DiracDelta(x - Rational(1, 3)), 1), Rational(1, 3)),
        (Lt(sp.SingularityFunction(x, Rational(9, 10), 0), 1), 1),
        (Lt(sp.arg(Rational(9, 10) - x), 1), 1),
        (Lt(sp.re(sqrt(x - Rational(9, 10))), Rational(1, 10)), 1),
        (Lt(sp.im(sqrt(Rational(9, 10) - x)), Rational(1, 10)), 1),
        (Lt(sp.atan2(Rational(1, 3) - x, -1), 3), Rational(1, 3)),
        (Lt(sp.atan(1 / (x - Rational(1, 3))), 1), Rational(1, 3) + Rational(1, 100)),
        (Lt(sp.acot(x - Rational(1, 3)), 1), Rational(1, 3) + Rational(1, 100)),
        (Gt(sp.tan(2 * x), -1), Rational(4, 5)),
        (Gt(sp.gamma(x - Rational(1, 3)), -4), Rational(1, 4)),
        (Gt(sp.sinc(x - Rational(1, 3)), 1), Rational(1, 3)),
        (Lt(FlatExp(x), 2), 1),
        (Gt(sp.Derivative(sign(x - Rational(1, 3)), x), -1), Rational(1, 3)),
        (Gt(Piecewise((1, Abs(x - Rational(1, 3)) > 0), (-1, True)), 0), Rational(1, 3)),
        (Gt(Piecewise((1, x + sign(x - Rational(9, 10)) < 1), (-1, True)), 0), 1),
    ],
    ids=str,
)
def test_no_atom_hides_its_jump(statement, bad):
    assert not holds(statement, {x: bad})
    assert reason(statement, {x: (0, 1)}) != ""


# -- true statements -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("statement", "ranges"),
    [
        (
            Gt(Piecewise((x, x > Rational(1, 3)), (Rational(1, 3), True)), Rational(333, 1000)),
            {x: (0, 1)},
        ),
        (Lt(Piecewise((0, x < 0), (x, x < 1), (1, True)), Rational(101, 100)), {x: (-1, 2)}),
        (Gt(Piecewise((x - y, x > y), (0, True)) + y - x, -Rational(1, 100)), {x: (0, 1), y: 0}),
        (
            Lt(Piecewise((x, And(x > 0, x < 1)), (1, x >= 1), (0, True)), Rational(101, 100)),
            {x: (-1, 2)},
        ),
        (Gt(Abs(x - Rational(1, 3)) + Abs(x - Rational(2, 3)), Rational(333, 1000)), {x: (0, 1)}),
        (Gt(Max(x, y, 1 - x - y), Rational(333, 1000)), {x: (0, 1), y: (0, 1)}),
        (Lt(Min(x, y, 1 - x - y), Rational(334, 1000)), {x: (0, 1), y: (0, 1)}),
        (Gt(sqrt(Abs(x) + 1), Rational(99, 100)), {x: (-1, 1)}),
        # Away from the jump the mean value form decides.
        (
            Gt(Piecewise((1, x < Rational(9, 10)), (2, True)) * exp(x**2 - x), Rational(77, 100)),
            {x: (0, 1)},
        ),
        (Gt(sign(x - Rational(1, 3)) + x**2 - x + Rational(5, 4), -Rational(1, 100)), {x: (0, 1)}),
    ],
    ids=str,
)
def test_true_statements_are_certified(statement, ranges):
    assert reason(statement, ranges) == ""


# -- what jumps ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expr", "jumps"),
    [
        (Piecewise((1, x < Rational(9, 10)), (-1, True)), {x - Rational(9, 10)}),
        (Piecewise((x, x > 0), (0, True)) + sign(y - 1), {y - 1}),
        (Piecewise((Rational(1, 3), Eq(x, Rational(1, 3))), (x, True)), set()),
        (Piecewise((5, Eq(x, Rational(1, 3))), (x, True)), {x - Rational(1, 3)}),
        (Piecewise((x, x > 0)), {x}),
        (Piecewise((1 / x, x > 0), (0, True)), {x}),
        (Piecewise((Piecewise((1, x < 1), (5, True)), x < 1), (5, True)), {x - 1}),
        (Piecewise((1, x < y), (2, x < z), (3, True)), {x - y, x - z}),
        (Piecewise((x - y, x > y), (Piecewise((1, z > 0), (2, True)) * 0, True)), set()),
        (Piecewise((1, x**2 < 2), (0, True)), {x**2 - 2}),
        (Max(x, sign(y)), {y}),
        (sign(sign(x) + 2) + 1, {x, sign(x) + 2}),
        (sp.floor(x), None),
        (FlatExp(x), None),
        (sp.I * x, None),
        (x * sp.oo, None),
        (sp.Derivative(sp.Function("f")(x), x), None),
    ],
    # Sets are written in another order in each process.
    ids=lambda value: str(sorted(value, key=str) if isinstance(value, set) else value),
)
def test_jumps_are_where_branches_do_not_meet(expr, jumps):
    assert jump_arguments(expr) == jumps


def test_conditions_of_other_kinds_are_not_known():
    pair = ExprCondPair(1, sp.Contains(x, sp.Interval(0, 1)))
    assert jump_arguments(Piecewise(pair, (0, True))) is None


def test_slopes_of_extremes_are_those_of_the_argument_that_is_chosen():
    f = x * Max(x**2, y, Min(x, 2 * y)) + Abs(Min(x, 1))
    slope = derivative_away_from_jumps(f, x)
    rng = np.random.default_rng(0)
    for _ in range(30):
        at = dict(zip((x, y), map(Rational, map(str, rng.normal(size=2).round(3))), strict=True))
        h = Rational(1, 10**9)
        rise = (f.subs(at | {x: at[x] + h}) - f.subs(at | {x: at[x] - h})) / (2 * h)
        assert abs(rise - slope.subs(at)) < 1e-6


# -- zeros -----------------------------------------------------------------------------------------

UNIT = (fmpq(0), fmpq(1))


def bound(*functions):
    return ParametricFunctions(functions, VARIABLES[: len(functions)], parameters={}).bind({}, 30)


def test_zeros_beyond_a_jump_are_not_lost():
    """The mean value form without the jump would leave out the zero at 19/20."""
    f = Piecewise((1, x < Rational(9, 10)), (x - Rational(19, 20), True))
    found = isolate_zeros(bound(f), (UNIT,), Budget(200))
    assert len(found.zeros) == 1
    (low, high), = found.zeros[0][0]  # fmt: skip
    assert low < fmpq(19, 20) < high


def test_no_box_around_a_jump_has_exactly_one_zero():
    f = Piecewise((x - Rational(1, 2), x < Rational(3, 5)), (x - Rational(7, 10), True))
    assert not has_exactly_one_zero(bound(f), (UNIT,))
    assert has_exactly_one_zero(bound(f), ((fmpq(2, 5), fmpq(11, 20)),))
    pair = (f, y - x)
    assert not has_exactly_one_zero(bound(*pair), (UNIT, UNIT))


class Rates:
    """A system of equations of motion, as the search for fixed points sees one."""

    def __init__(self, rate):
        self.state, self.parameters = (x,), ()
        self.drift, self.noise = [rate], [sp.S.Zero]

    def compile(self, backend, what="change"):
        (rate,) = self.drift
        expr = rate if what == "change" else derivative_away_from_jumps(rate, x)
        return compile_program(program_from_expressions([expr], self.state, ()), backend)


def test_fixed_points_beside_a_jump_are_not_certified():
    """Both 0 and 5e-11 are zeros."""
    near = Piecewise((x, x < Rational(1, 10**12)), (x - Rational(5, 10**11), True))
    assert _certificate(Rates(near), np.zeros(1), []) is None
    far = Piecewise((x, x < Rational(1, 10)), (x - 1, True))
    assert _certificate(Rates(far), np.zeros(1), []) == 1e-10
    assert _certificate(Rates(x + sp.floor(x)), np.zeros(1), []) is None


# -- balls -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "expr",
    [
        sign(log(x)),
        Piecewise((1, log(x) > 0), (2, True)),
        Piecewise((log(x), x > 0), (2, True)),
        Piecewise((2, x > 1), (log(x), True)),
        Max(1, log(x)),
        Min(1, log(x)),
        Abs(log(x)),
        erf(log(x)),
    ],
    ids=str,
)
def test_balls_that_are_no_number_stay_so(expr):
    f = compile_ball_function(program_from_expressions([expr], (x,), ()))
    wide = arb(0, 1)
    assert f([wide])[0].is_nan()
    assert f([arb(2)])[0].is_finite()


def test_a_ball_across_a_condition_has_the_values_of_all_branches():
    third = Fraction(1, 3)
    for condition in (x > third, Eq(x, third), Or(x < 0, x > third), And(x > 0, x < third)):
        f = Piecewise((3, condition), (-2, True))
        found = compile_ball_function(program_from_expressions([f], (x,), ()))([arb(0, 1)])[0]
        assert found.contains(3)
        assert found.contains(-2)


@pytest.mark.parametrize("backend", ["numpy", "mpmath", "ball", "numba"])
def test_conditions_may_be_combined(backend):
    inside = And(x > 0, Or(x < 1, x > 2), sp.Not(And(x > Rational(1, 4), x < Rational(1, 2))))
    program = program_from_expressions([Piecewise((x, inside), (7, True))], (x,), ())
    f = compile_program(program, backend)
    for at in (-1.0, 0.125, 0.375, 0.75, 1.5, 3.0):
        wanted = at if at in (0.125, 0.75, 3.0) else 7
        assert float(f(np.array([at]) if backend in ("numpy", "numba") else [at])[0]) == wanted

"""Expressions of any length and depth are compiled: no walk nests a call for each term or level."""

import itertools
import math

import pytest
from sympy import Add, Piecewise, Rational, Symbol, sin, symbols

from slrsym.kernels import compile_expressions
from slrsym.kernels.printing import program_from_expressions
from slrsym.kernels.symbolic_functions import Z, _derivative
from slrsym.papers.single_location.models import multi_head
from tests._profile import nightly, thorough, thorough_only

x, y = symbols("x y", real=True)
p = Symbol("p", positive=True)


def value(expr, backend):
    (found,) = compile_expressions([expr], [x, y], [p], backend)([0.3, 0.7], 0.5)
    return float(found.mid()) if backend == "ball" else float(found)


@pytest.mark.parametrize("backend", ["numpy", thorough("mpmath")])
def test_a_long_sum(backend):
    terms = [x**n * y ** (n % 7) * p ** (n % 5) * Rational(n, n + 1) for n in range(600)]
    expected = math.fsum(0.3**n * 0.7 ** (n % 7) * 0.5 ** (n % 5) * n / (n + 1) for n in range(600))
    assert value(Add(*terms), backend) == pytest.approx(expected, rel=1e-13)
    # What is chosen only sometimes is computed there, in one line.
    branch = Piecewise((Add(*terms[:150]) / (x - 1), x < 1), (0, True))
    assert value(branch, backend) == pytest.approx(
        math.fsum(0.3**n * 0.7 ** (n % 7) * 0.5 ** (n % 5) * n / (n + 1) for n in range(150))
        / -0.7,
        rel=1e-13,
    )


@pytest.mark.parametrize("backend", ["numpy", thorough("mpmath"), thorough("ball")])
def test_a_deep_expression(backend):
    expr, expected = x, 0.3
    for _ in range(250):
        expr, expected = sin(expr * y + p), math.sin(expected * 0.7 + 0.5)
    assert value(expr, backend) == pytest.approx(expected, rel=1e-14)


@thorough_only
def test_a_long_chain_of_meanings():
    names = [Symbol(f"v{n}", real=True) for n in range(3000)]
    given = {names[0]: x + 1}
    given |= {name: before + 1 for before, name in itertools.pairwise(names)}
    program = program_from_expressions([names[-1]], [x], [], given=dict(reversed(given.items())))
    exec(program.setup + program.body, scope := {})
    assert scope["body"](2.0, *scope["constants"]()) == (3002,)


@pytest.mark.parametrize("case", [nightly((3, 2, Rational(1, 2))), nightly((3, 3, 1))])
def test_three_heads_with_correlated_noise(case):
    heads, tokens, correlation = case
    model = multi_head(heads, tokens, correlation=correlation).model
    values = {"d": 8, "L": 5, "gamma": 0.7, "epsilon": 0.1, "lambda": 0.4}
    runs = model.simulate(values, steps=1, alpha=1e-4, rng=0, backend="numpy", progress=False)
    state = [float(runs[q].values[0, 0]) for q in model.order_parameters]
    row = [float(runs[q.name].values[0]) for q in model.parameters]
    found = model.compile("numpy")(state, *row)
    exact = [float(z) for z in model.compile("mpmath")(state, *row, dps=20)]
    assert found == pytest.approx(exact, rel=1e-12, abs=1e-12 * max(map(abs, exact)))
    assert model.check(values, samples=20_000, rng=1).is_passed


def test_derivatives_of_quotients_stay_short():
    """Expanded, each derivative of a quotient has several times the terms of the last."""
    function = Z / (1 + Z**2)
    found = _derivative(function, (6,))
    assert found.count_ops() < 60
    assert found.subs(Z, Rational(1, 3)) == function.diff(Z, 6).subs(Z, Rational(1, 3))

"""Means where a variance vanishes: which of them stay bounded there."""

import pytest
from sympy import Max, Min, Symbol, erf, exp, sqrt

from slrsym.kernels.compile import compile_program
from slrsym.kernels.edge_functions import GuardedRoot, Larger, Quotient, Smaller
from slrsym.kernels.printing import program_from_expressions
from slrsym.models.training.alignment import with_least_variances, with_roots_beyond_alignment

v, w = Symbol("v", positive=True), Symbol("w", positive=True)
c = Symbol("c", real=True)
LAW = {v: frozenset({c}), w: frozenset({c})}


@pytest.mark.parametrize("name", ["a", "c_0", "c_1_0", "m_0", "c"])
def test_a_parameter_of_any_name_is_no_covariance(name):
    parameter = Symbol(name, positive=True)
    # It diverges, so that no limit takes its place.
    assert with_least_variances(parameter / sqrt(v), LAW) == parameter / sqrt(v)


@pytest.mark.parametrize("name", ["c_0_1", "both"])
@pytest.mark.parametrize("of_one", [v, w])
def test_a_covariance_of_any_name_vanishes_with_its_variances(name, of_one):
    both = Symbol(name, real=True)
    law = dict.fromkeys(LAW, frozenset({both}))
    found = with_least_variances(both / sqrt(of_one), law)
    assert found != both / sqrt(of_one)
    assert found.subs({both: 0, of_one: 0}) == 0


@pytest.mark.parametrize("kind", ["power", "quotient"])
def test_a_density_diverges_at_the_mean_alone(kind):
    """It was 1e50 for infinity, which is a number: at a distance from the mean it is bounded."""
    m = Symbol("m", real=True)
    below = 1 / sqrt(v) if kind == "power" else Quotient(0, 1, sqrt(v))
    assert with_least_variances(exp(-(m**2) / (2 * v)) * below, LAW).has(Larger) is False
    assert with_least_variances(erf(m / sqrt(2 * v)) + c * below, LAW).has(Larger)


def test_guards_at_edges_are_not_compared_whenever_a_mean_is_rebuilt(monkeypatch):
    """SymPy factors both sides to compare them: of a Hessian of a hinge loss for a minute."""

    def compared(*arguments):
        raise AssertionError(f"{arguments} are compared")

    monkeypatch.setattr(Max, "_is_connected", compared)
    monkeypatch.setattr(Min, "_is_connected", compared)
    value = with_roots_beyond_alignment(GuardedRoot(v * w - c**2, v * w + c**2)) / sqrt(v)
    found = with_least_variances(value * c, LAW)
    assert found.has(Larger, Smaller)
    assert found.xreplace({v: w + c**2}).has(Larger, Smaller)


@pytest.mark.parametrize("at", [0.0, 0.3, 1e-300, 2.0])
def test_the_larger_and_the_smaller_of_two_numbers(at):
    assert (Larger(2, 3), Smaller(2, 3)) == (3, 2)
    assert Larger(v, 1e-100).is_positive
    assert Larger(c, -1).is_positive is None
    pair = [Larger(v, 0.5), Smaller(v, 0.5)]
    evaluate = compile_program(program_from_expressions(pair, [v], ()), "numpy")
    assert evaluate([at]).tolist() == [max(at, 0.5), min(at, 0.5)]

"""Means where a variance vanishes: which of them stay bounded there."""

import pytest
from sympy import Symbol, sqrt

from slrsym.models.training.alignment import with_least_variances

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

"""What is left out of a linear program is in no combination, and what is left has the same one."""

import random

import numpy as np
import pytest
from flint import fmpq

from slrsym.prover.tactics.linear_programs import (
    combine_nonnegatively_in_floating_point,
    drop_vanishing_terms,
)
from tests._profile import thorough_only


def drawn(rng):
    """Return terms with a target, which is a combination of them in about half of the cases."""
    monomials = range(rng.randint(1, 6))
    terms = [
        {
            m: fmpq(rng.randint(-3, 3) or 1, rng.randint(1, 3))
            for m in monomials
            if rng.random() < 0.5
        }
        for _ in range(rng.randint(1, 6))
    ]
    terms = [term for term in terms if term] or [{0: fmpq(1)}]
    is_free = [rng.random() < 0.15 for _ in terms]
    target = {}
    if rng.random() < 0.5:
        for term, free in zip(terms, is_free, strict=True):
            for m, c in term.items():
                target[m] = target.get(m, fmpq(0)) + c * rng.randint(-2 if free else 0, 2)
    else:
        target = {m: fmpq(rng.randint(-2, 2)) for m in monomials}
    return terms, {m: c for m, c in target.items() if c != 0} or {0: fmpq(1)}, is_free


def combined(terms, target, is_free, **more):
    return combine_nonnegatively_in_floating_point(
        terms, target, is_free, [1.0] * len(terms), **more
    )[0]


def chosen(things, kept):
    return [things[j] for j in kept]


@pytest.mark.parametrize("seed", range(60))
def test_terms_that_are_left_out_are_in_no_combination(seed):
    terms, target, is_free = drawn(random.Random(seed))
    everything = combined(terms, target, is_free)
    kept = drop_vanishing_terms(terms, target, is_free)
    if kept is None:
        assert everything is None
        return
    found = combined(chosen(terms, kept), target, chosen(is_free, kept)) if kept else None
    assert (found is None) == (everything is None)
    if found is not None:
        assert sum(found) == pytest.approx(sum(everything))
        for m in {m for term in terms for m in term}:
            value = sum(x * float(terms[j].get(m, 0)) for x, j in zip(found, kept, strict=True))
            assert value == pytest.approx(float(target.get(m, 0)), abs=1e-6)


@thorough_only
def test_most_programs_without_a_solution_are_not_solved():
    rng, refused, none = random.Random(0), 0, 0
    for _ in range(300):
        terms, target, is_free = drawn(rng)
        if combined(terms, target, is_free) is None:
            none += 1
            refused += not drop_vanishing_terms(terms, target, is_free)
    assert (refused, none) == (113, 177)


def test_what_is_left_out_may_leave_others_alone():
    one = fmpq(1)
    terms = [{"b": -one, "c": one}, {"a": -one, "b": one}, {"t": one, "a": one}]
    assert drop_vanishing_terms(terms, {"t": one}, [False] * 3) is None
    assert drop_vanishing_terms(terms, {"t": one}, [True, False, False]) == [0, 1, 2]
    assert drop_vanishing_terms([*terms, {"t": one}], {"t": one}, [False] * 4) == [3]


def test_positive_terms_have_a_share():
    # x = 1 x + 0 y, and y = x: the cheaper one has no positive term.
    terms, target = [{"x": fmpq(1)}, {"x": fmpq(1)}], {"x": fmpq(1)}
    costs = [1.0, 5.0]
    found, share, _ = combine_nonnegatively_in_floating_point(terms, target, [False] * 2, costs)
    assert np.allclose(found, [1, 0])
    assert share == 0
    found, share, _ = combine_nonnegatively_in_floating_point(
        terms, target, [False] * 2, costs, [False, True]
    )
    assert np.allclose(found, [1 - 1e-4, 1e-4])
    assert share == pytest.approx(1e-4)


def test_free_terms_that_depend_on_one_another_cost_something():
    """The free ones sum to 0, and each costs: without end, less of the third gains something."""
    one = fmpq(1)
    terms = [{"x": one}, {"x": one, "y": -one}, {"y": one}, {"x": -one}]
    found, _, _ = combine_nonnegatively_in_floating_point(
        terms, {"x": one, "y": -one}, [False, True, True, True], [1.0, 3.0, 1.0, 1.0]
    )
    assert found is not None
    assert np.allclose(found, [1, 0, -1, 0])
    assert combined(terms, {"z": one}, [False, True, True, True]) is None

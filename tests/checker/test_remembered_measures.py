"""What is measured once of a term is what measuring it each time gives."""

import random

import pytest

from slrsym.checker import Rejected
from slrsym.checker.remembered_measures import RememberedMeasure
from slrsym.checker.term import (
    DEPTH,
    NODE,
    SIZE,
    is_within_size_limits,
    require_all_well_formed,
    work,
)


def nested(depth):
    t = ("pi",)
    for _ in range(depth - 1):
        t = ("not", t)
    return t


def wide(count):
    return ("+", *[("pi",)] * (count - 1))


@pytest.fixture(autouse=True)
def much_work():
    before, work.left = work.left, 10**9
    yield
    work.left = before


def spent(function, *arguments):
    before = work.left
    function(*arguments)
    return before - work.left


def test_a_number_is_that_of_the_object():
    asked = []
    measure = RememberedMeasure(lambda t: asked.append(t) or len(t))
    one, equal = tuple(range(2)), tuple(range(2))
    assert [measure(one), measure(one), measure(equal)] == [2, 2, 2]
    assert asked == [one, equal]
    # What could change is measured each time.
    changing = [1]
    assert measure(changing) == 1
    changing.append(2)
    assert measure(changing) == 2
    # Of the many that come and go none takes the place of another.
    for size in random.Random(0).choices(range(9), k=100_000):
        assert measure(tuple(range(size))) == size


@pytest.mark.parametrize("term", [nested(DEPTH), wide(SIZE - 1)], ids=["deep", "wide"])
def test_limits_and_work_are_the_same_the_second_time(term):
    costs = [spent(is_within_size_limits, [term]) for _ in range(2)]
    assert costs[0] == costs[1] == NODE // 2 * (DEPTH if term[0] == "not" else SIZE - 1)
    for _ in range(2):
        assert is_within_size_limits([term])
        # Together terms are as large as all of them.
        assert not is_within_size_limits([term, wide(SIZE - 1)])
        assert not is_within_size_limits([nested(DEPTH + 1)])
        assert not is_within_size_limits([wide(SIZE)])


def test_what_is_too_large_is_refused_each_time():
    half = wide(SIZE // 2)
    for _ in range(2):
        require_all_well_formed([half, half])
        with pytest.raises(Rejected, match="too deep or too large"):
            require_all_well_formed([half, half, ("pi",)])
    deep, wrong = nested(DEPTH + 1), ("+", ("pi",), [1])
    for term in (deep, wrong):
        for _ in range(2):
            with pytest.raises(Rejected):
                require_all_well_formed([term])
    work.left = NODE
    with pytest.raises(Rejected):
        require_all_well_formed([half])

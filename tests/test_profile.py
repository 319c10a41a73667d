"""Which tests a second run takes: those that do more in a thorough profile than in dev."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ._profile import THOROUGH, beyond_dev, one_in, thorough_only

COUNT = 3 if THOROUGH else 2
MORE = COUNT + 1


@pytest.fixture
def counted():
    return MORE


@pytest.fixture
def again(counted):
    return counted


def test_what_is_the_same(request):
    assert not beyond_dev(request.node)


@pytest.mark.parametrize("case", one_in(2, [0, 1]))
def test_cases_that_dev_leaves_out(request, case):
    assert beyond_dev(request.node) == (case == 1)


@thorough_only
def test_what_dev_leaves_out(request):
    assert beyond_dev(request.node)


def test_names_of_the_file(request):
    assert beyond_dev(request.node)
    assert MORE > COUNT


def test_fixtures_of_fixtures(request, again):
    assert beyond_dev(request.node)


def test_fixtures_of_a_folder(request):
    """The claims that are exported are few in dev, and all otherwise."""
    node = request.node
    definitions = node._fixtureinfo.name2fixturedefs
    assert not beyond_dev(node)
    from .export import conftest

    class Definition:
        func = staticmethod(conftest.document.__wrapped__)

    definitions["document"] = [Definition]
    try:
        assert beyond_dev(node)
    finally:
        del definitions["document"]


class TestMethods:
    def test_of_a_class(self, request):
        assert beyond_dev(request.node)
        assert COUNT


def test_examples(request):
    seen = []

    @given(st.integers())
    def examined(x):
        seen.append(x)

    examined()
    assert seen
    assert beyond_dev(request.node)

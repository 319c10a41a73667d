"""How thorough the tests are: what dev leaves to ci and nightly, and what ci leaves to nightly."""

import zlib
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import settings

THOROUGH = settings.default.max_examples >= 100
NIGHTLY = settings.default.max_examples >= 10_000

# In a configuration: the names of all tests that were found, also of those left out.
COLLECTED = pytest.StashKey[list[str]]()

_LEFT = "left to the profile"
thorough_only = pytest.mark.skipif(not THOROUGH, reason=f"{_LEFT}s ci and nightly")
nightly_only = pytest.mark.skipif(not NIGHTLY, reason=f"{_LEFT} nightly")

# The ids of cases that dev, or ci as well, leaves out, of a test whose cases are computed or of two
# decorators.
thorough_cases = pytest.mark.thorough_cases
nightly_cases = pytest.mark.nightly_cases


def thorough(*values: Any) -> Any:
    """A case that dev leaves out."""
    return pytest.param(*values, marks=thorough_only)


def nightly(*values: Any) -> Any:
    """A case that dev and ci leave out."""
    return pytest.param(*values, marks=nightly_only)


def left_out(item: pytest.Item) -> bool:
    """Tell whether this profile leaves a test to a more thorough one.

    Such tests are deselected: to skip two thousand would cost time, and lines of the summary.
    """
    return any(all(mark.args) for mark in _left(item))


def _left(item: pytest.Item) -> list[pytest.Mark]:
    marks = item.iter_markers("skipif")
    left = [mark for mark in marks if mark.kwargs.get("reason", "").startswith(_LEFT)]
    case = item.nodeid.partition("[")[2].removesuffix("]")
    for name, only in (("thorough_cases", thorough_only), ("nightly_cases", nightly_only)):
        if any(case in mark.args for mark in item.iter_markers(name)):
            left.append(only.mark)
    return left


def one_in(share: int, cases: Sequence[Any], in_ci: int = 1) -> list[Any]:
    """All cases, of which dev leaves out all but one in so many, and so does ci."""

    def marked(i: int, case: Any) -> Any:
        if i % share == 0:
            return case
        return (thorough if i % in_ci == 0 else nightly)(*_values(case))

    return [marked(i, case) for i, case in enumerate(cases)]


def _values(case: Any) -> tuple[Any, ...]:
    # Fields of a named tuple are not values of their own.
    return case if type(case) is tuple else (case,)


# What a test has that does something else in dev, as it or a fixture of its file reads `THOROUGH`,
# or needs JAX or Sphinx, which README's commands do not install; `more(NIGHTLY)` where only nightly
# makes a difference.
more = pytest.mark.more

# Fixtures of folders that are others in dev.
_FIXTURES = {"document"}


# Of a test with more cases than the first number, ci takes one in so many.
_FEW, _SHARE = 2, 3


def by_day(items: Sequence[pytest.Item]) -> list[pytest.Item]:
    """Of each test with many cases, return one in three, by their names; at night return all."""
    if NIGHTLY:
        return list(items)
    cases: dict[str, list[pytest.Item]] = {}
    for item in items:
        cases.setdefault(item.nodeid.partition("[")[0], []).append(item)
    kept: set[pytest.Item] = set()
    for found in cases.values():
        ours = [item for item in found if not zlib.crc32(item.nodeid.encode()) % _SHARE]
        kept.update(found if len(found) <= _FEW else ours or found[:1])
    return [item for item in items if item in kept]


def beyond_dev(item: pytest.Item) -> bool:
    """Whether a test is left out in dev, or does something else there.

    All tests of Hypothesis do that have no mark `more` of their own. Steps of derivations have more
    points, and so have they in ``slrsym verify``.
    """
    if not isinstance(item, pytest.Function):
        return False
    told = list(item.iter_markers("more"))
    does_more = any(all(mark.args) for mark in told) if told else hasattr(item.obj, "hypothesis")
    return does_more or bool(_left(item)) or not _FIXTURES.isdisjoint(item.fixturenames)

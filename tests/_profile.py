"""How thorough the tests are: what dev leaves to ci and nightly, and what ci leaves to nightly."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import settings

THOROUGH = settings.default.max_examples >= 1000
NIGHTLY = settings.default.max_examples >= 10_000

thorough_only = pytest.mark.skipif(not THOROUGH, reason="left to the profiles ci and nightly")
nightly_only = pytest.mark.skipif(not NIGHTLY, reason="left to the profile nightly")


def thorough(*values: Any) -> Any:
    """A case that dev leaves out."""
    return pytest.param(*values, marks=thorough_only)


def one_in(share: int, cases: Sequence[Any]) -> list[Any]:
    """All cases, of which dev leaves out all but one in so many."""
    return [case if i % share == 0 else thorough(*_values(case)) for i, case in enumerate(cases)]


def _values(case: Any) -> tuple[Any, ...]:
    # Fields of a named tuple are not values of their own.
    return case if type(case) is tuple else (case,)

"""How thorough the tests are: what dev leaves to ci and nightly."""

from __future__ import annotations

from hypothesis import settings

THOROUGH = settings.default.max_examples >= 1000

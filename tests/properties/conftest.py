"""Step sizes are random here, and often larger than what is stable: that is told elsewhere."""

from pathlib import Path

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let warnings of too large steps pass, in this folder."""
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker(
                pytest.mark.filterwarnings("ignore:alpha = .* is too large:RuntimeWarning")
            )

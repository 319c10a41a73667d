"""How many examples a test has, how large rounding errors may be, and points for a task."""

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

EPS = float(np.finfo(float).eps)


def examples(share: float) -> settings:
    """Settings with a share of the examples of a cheap test, in any profile."""
    return settings(max_examples=max(4, round(settings.default.max_examples * share)))


def costly() -> settings:
    """Settings for what simulates each time: half of the examples in dev, and later a quarter."""
    most = settings.default.max_examples
    return settings(max_examples=max(min(most, 20), round(most / 4)))


def with_points(tasks, points):
    """Pairs of a task and a point that vectors of its dimension have; points is a strategy."""
    return tasks.flatmap(lambda task: st.tuples(st.just(task), points(task.d)))

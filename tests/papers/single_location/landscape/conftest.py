"""Critical points that several files look at."""

import pytest

from slrsym.papers.single_location import Task
from slrsym.papers.single_location.landscape import find_critical_points

# What figures 4 and 7 of the paper are about.
PAPER = Task(d=400, L=10, gamma=0.5**0.5)
SMALL = Task(d=6, L=4, gamma=0.9)


@pytest.fixture(scope="session")
def paper():
    return PAPER


@pytest.fixture(scope="session")
def cold(paper):
    return find_critical_points(paper, 0.1, max_expected_missed=0.5)


@pytest.fixture(scope="session")
def warm(paper):
    return find_critical_points(paper, 0.9, max_expected_missed=0.5)


@pytest.fixture(scope="session")
def small():
    return find_critical_points(SMALL, 0.45, max_expected_missed=0.5)

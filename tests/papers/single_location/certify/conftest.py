"""Certificates that many tests look at."""

import pytest

from slrsym.papers.single_location import certify

TASK = ("1/10", "sqrt(1/2)", 400)


@pytest.fixture(scope="session")
def small_step():
    """Far below the limit, so that few boxes are enough."""
    return certify.certify_step_size(*TASK, "1/4")


@pytest.fixture(scope="session")
def five_points():
    return certify.certify_fixed_points(*TASK)


@pytest.fixture(scope="session")
def kinds():
    return certify.certify_classification(*TASK)


@pytest.fixture(scope="session")
def rates():
    return certify.certify_local_rates(*TASK, "0.004")


@pytest.fixture(scope="session")
def best():
    return certify.alpha_bar(*TASK)

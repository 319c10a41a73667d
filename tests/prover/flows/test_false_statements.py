"""Statements about flows of fifteen families: true ones are proved, false ones refused."""

import numpy as np
import pytest

from slrsym.crosscheck.flows import find_contradicting_trajectory
from tests._profile import thorough_only
from tests.prover.flows._false_statements import FAMILIES, false_statements, is_proved, variant
from tests.prover.flows._integration import is_seen_false


def drawn(name):
    """Statements of a family, with its first part changed, and with another."""
    return [one for one in false_statements(2 * len(FAMILIES)) if one.family == name]


@pytest.mark.parametrize("name", [n for n in FAMILIES if n not in ("lasts", "product-rate")])
def test_the_true_statement_is_proved_without_numbers(name):
    assert is_proved(variant(name), 1)


@thorough_only
@pytest.mark.parametrize("name", ["lasts", "product-rate"])
def test_the_true_statement_with_a_longer_proof_is_proved(name):
    assert is_proved(variant(name), 1)


@thorough_only
@pytest.mark.parametrize("name", FAMILIES)
def test_no_false_statement_is_proved(name):
    assert not any(map(is_proved, drawn(name)))


@thorough_only
@pytest.mark.parametrize("name", ["disc-kept", "balanced", "exponential", "ends", "lasts"])
def test_what_an_integration_shows_false_is_contradicted(name):
    one = drawn(name)[0]
    assert is_seen_false(one.claim)
    rng = np.random.default_rng(0)
    found = find_contradicting_trajectory(one.claim.statement, one.claim.hypotheses, rng)
    assert found.startswith("from (")
    assert "time" in found


def test_the_integration_does_not_object_to_what_is_true():
    """Were it to see all as false, it would tell nothing."""
    assert not any(is_seen_false(variant(name).claim) for name in ("arrives", "ends"))

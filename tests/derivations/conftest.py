"""All claims with their steps, made once for this folder."""

import pytest

from slrsym.prover.rules.claim_steps import steps_of_claim


@pytest.fixture(scope="session")
def steps(ledger):
    return {id: steps_of_claim(claim, ledger.find) for id, claim in ledger.claims.items()}

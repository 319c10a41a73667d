"""Provers are asked in the order of their ranks, in whichever order they are registered."""

from itertools import permutations

from slrsym.prover.tactics import registration


def test_ranks_decide_and_not_imports(monkeypatch):
    for order in permutations(range(4)):
        monkeypatch.setattr(registration, "PROVERS", [])
        monkeypatch.setattr(registration, "_RANKS", [])
        for rank in order:
            registration.register_prover(rank, str(rank))
        assert registration.PROVERS == ["0", "1", "2", "3"]


def test_each_prover_has_a_rank_of_its_own():
    import slrsym.prover.tactics.proof_log  # noqa: F401

    assert len(registration.PROVERS) == len(set(registration._RANKS)) == 15

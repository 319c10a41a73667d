"""Random inferences on matrices hold in coordinates, and faults of the rules are found there."""

from __future__ import annotations

import pytest

import slrsym.checker.theorem
from slrsym.checker.extension_heads import VALUE_CONDITIONS
from slrsym.checker.extensions import matrices, matrix_means, matrix_words
from tests._profile import NIGHTLY, THOROUGH, more, thorough
from tests.checker.fuzz.matrices import run


@more
def test_accepted_inferences_hold_in_coordinates():
    counts = run(5_000 if NIGHTLY else 2_500 if THOROUGH else 400, seed=11)
    kinds = {name for name, _ in counts if "near" not in name}
    assert len(kinds) == 14, sorted(kinds)
    for kind in kinds:
        assert counts[kind, "shown"], kind
    assert sum(counts[name, "refused"] for name, _ in counts if "near" in name)


def _forget_definedness(monkeypatch):
    monkeypatch.setattr(matrices, "defined_by_equation", lambda *_: [])


def _forget_commuting_values(monkeypatch):
    monkeypatch.setattr(slrsym.checker.theorem, "INSTANCE_CONDITIONS", [])


def _forget_parts(monkeypatch):
    first = matrices._conditions_of_semidefinite
    monkeypatch.setattr(matrices, "_conditions_of_semidefinite", lambda t: first(t) and [])


def _mistake_families(monkeypatch):
    monkeypatch.setattr(matrices, "_are_of_one_family", lambda _: True)


def _reverse_alone(monkeypatch):
    monkeypatch.setattr(matrix_words.Alphabet, "transpose", lambda _, word: word[::-1])


def _forget_other_words(monkeypatch):
    class OneWord(matrix_means.GaussianMatrices):
        def mean(self, words):
            return super().mean(words[:1])

    monkeypatch.setattr(matrix_means, "GaussianMatrices", OneWord)


def _forget_sorts(monkeypatch):
    monkeypatch.setitem(VALUE_CONDITIONS, "M", lambda _, v: [("M.eq", v, v)])


def _run_with_seeds(seeds):
    for seed in seeds:
        run(500, seed)


FAULTS = [_forget_definedness, _forget_commuting_values, _forget_parts, _mistake_families,
          _reverse_alone, _forget_other_words, thorough(_forget_sorts)]  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS, ids=lambda f: f.__name__.strip("_"))
def test_faults_of_rules_are_found(fault, monkeypatch):
    fault(monkeypatch)
    with pytest.raises((AssertionError, ValueError)):
        _run_with_seeds(range(20))

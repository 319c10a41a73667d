"""Old names give the same things as the new ones, with a warning that says the new name."""

import sys
import warnings
from importlib import import_module

import pytest

from slrsym.renamed import old_attribute, old_class_method

NAMES = [
    ("slrsym.certify", "Verdict", "CertificateOutcome"),
    ("slrsym.proof", "Row", "ClaimSummary"),
    ("slrsym.proof", "Verdict", "ClaimVerdict"),
    ("slrsym.proof", "claimed", "by_claim"),
    ("slrsym.dynamics", "Inverse", "InverseTimeDecay"),
    ("slrsym.dynamics", "Manifold", "ManifoldStart"),
    ("slrsym.dynamics", "Sphere", "UniformStart"),
    ("slrsym.landscape", "Atlas", "CriticalPoints"),
    ("slrsym.landscape", "atlas", "find_critical_points"),
    ("slrsym.landscape", "swap_point", "swap_point_and_excess_risk"),
    ("slrsym.models", "Sequence", "TokenSequence"),
    ("slrsym.probing", "sentences", "labelled_sentences"),
    ("slrsym.recovery", "Separation", "SwapPrediction"),
    ("slrsym.recovery", "separation", "fit_swap_prediction"),
    ("slrsym.recovery.tubes", "third_derivative", "bound_third_derivative"),
    ("slrsym.surveys", "best_temperature", "best_inverse_temperature"),
    ("slrsym.testing.strategies", "manifold_points", "manifold_overlaps"),
    ("slrsym.testing.strategies", "temperatures", "inverse_temperatures"),
]


@pytest.mark.parametrize(("module", "old", "new"), NAMES)
def test_an_old_name_is_taken_with_a_warning(module, old, new):
    found = import_module(module)
    with pytest.warns(DeprecationWarning, match=rf"{module}\.{old} is now {module}\.{new}") as told:
        assert getattr(found, old) is getattr(found, new)
    assert told[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert callable(getattr(found, new))
    with pytest.raises(AttributeError, match=f"module '{module}' has no attribute 'none'"):
        _ = found.none


def test_the_old_module_of_examples_warns(monkeypatch):
    monkeypatch.delitem(sys.modules, "slrsym.models.instances", raising=False)
    with pytest.warns(DeprecationWarning, match=r"is called slrsym\.models\.examples now"):
        found = import_module("slrsym.models.instances")
    assert found is import_module("slrsym.models.examples")


class Run:
    steps = 3
    length = old_attribute("steps")

    @classmethod
    def from_steps(cls, steps):
        return cls, steps

    of = old_class_method("from_steps")


def test_an_old_attribute_is_taken_with_a_warning():
    with pytest.warns(DeprecationWarning, match=r"Run\.length is now Run\.steps") as told:
        assert Run().length == 3
    assert told[0].filename == __file__
    assert Run.length is vars(Run)["length"]


def test_an_old_class_method_is_taken_with_a_warning():
    with pytest.warns(DeprecationWarning, match=r"Run\.of is now Run\.from_steps") as told:
        assert Run.of(steps=4) == (Run, 4)
    assert told[0].filename == __file__

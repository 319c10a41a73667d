"""The subpackage of proofs: rules are frozen, modules are found by name, the layers hold."""

from __future__ import annotations

import importlib
import pkgutil
import subprocess
import sys
from dataclasses import FrozenInstanceError, replace
from functools import reduce
from types import ModuleType

import pytest

import slrsym
import slrsym.prover.rules
from slrsym.proof import algebra, conditioning, lemma, linearity, sign
from slrsym.prover.rules import theorems
from slrsym.prover.rules.step import Rule

MODULES = [
    m.name for m in pkgutil.walk_packages(slrsym.prover.rules.__path__, "slrsym.prover.rules.")
]


@pytest.mark.parametrize("name", MODULES)
def test_nothing_hides_a_module(name):
    importlib.import_module(name)
    assert isinstance(reduce(getattr, name.split(".")[1:], slrsym), ModuleType)


@pytest.mark.parametrize("rule", [algebra, sign, linearity, lemma("x"), conditioning()], ids=str)
def test_nobody_changes_a_rule_of_the_package(rule):
    with pytest.raises(AttributeError):
        rule.check = lambda link, context: None
    with pytest.raises(AttributeError):
        rule.name = "another"


def test_a_rule_of_ones_own_may_change():
    class Mine(Rule):
        name = "mine"

        def check(self, link, context):
            """Accepts everything."""

    mine = Mine()
    mine.name = "still mine"
    assert str(mine) == "still mine"


def test_theorems_are_not_replaced(monkeypatch):
    own = theorems._theorems()["decrease"]
    with pytest.raises(FrozenInstanceError):
        own.needs = None
    monkeypatch.setattr(
        theorems, "load_all_registered", lambda kind: {"x": [replace(own, needs=None)]}
    )
    assert theorems._theorems()["decrease"] is own


def test_search_loads_neither_numbers_nor_claims_nor_the_book():
    code = (
        "import sys, slrsym.prover.rules\n"
        "above = ('numbers', 'claims', 'book', 'proof', 'typeset', 'evidence')\n"
        "sys.exit(any(m.split('.')[1:2] == [room] for m in sys.modules for room in above\n"
        "             if m.startswith('slrsym.')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0

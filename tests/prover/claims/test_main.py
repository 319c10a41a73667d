"""What derivations say, as the command ``slrsym recheck`` asks another process for it."""

from __future__ import annotations

import json

from sympy import Eq, Symbol

from slrsym.checker.term import parse_term
from slrsym.prover.claims.__main__ import main
from slrsym.prover.tactics.translation import Translator
from tests.conftest import claim_text

x = Symbol("x", real=True)


def test_the_claims_that_exist_are_stated(derivation, capsys):
    file = derivation("a.py", "print('loaded')\n", claim_text("a"), claim_text("b"))
    main([str(file)], ["b", "missing", "lemma-18-ii"])
    printed = capsys.readouterr()
    said = [json.loads(line) for line in printed.out.splitlines()]
    assert [record["claim"] for record in said] == ["b", "lemma-18-ii"]
    stated = Eq((x + 1) ** 2, x**2 + 2 * x + 1, evaluate=False)
    assert parse_term(said[0]["statement"]) == Translator().formula(stated)
    # What a derivation prints is no answer.
    assert printed.err == "loaded\n"

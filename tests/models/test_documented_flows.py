"""The claims about flows of the models of the how-to pages: proved, or refused in words.

Of each model, the Gram determinant stays not negative and the risk falls; where neither is stated,
a message says why. None of them has a quadratic function that is seen to be conserved. The models
are those of `benchmarks/model_flows.py`, which writes the table of the page on flows.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from slrsym.proof import Ledger, check_claim
from tests._benchmarks import benchmark
from tests._profile import nightly, nightly_only, thorough

PAGE = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "flows.md"
flows = benchmark("model_flows")

# These are proved whole; the others part by part, of both kinds together in more than a minute.
WHOLE = (
    "linear student", "ridge", "phase retrieval", "erf student", "ReLU student", "autoencoder",
    "weights divided by a length", "hinge loss", "exponential loss",
)  # fmt: skip
QUICK = {"weights divided by a length"}
PARTS = ("two ReLU units", "committee of two", "list of outputs")
# Of these, a claim takes up to half a minute.
SLOW = ("linear attention", "attention", "attention, an angle")
GRAM, SLOPE = ("gram-form", "gram-rate", "gram-kept"), ("squares", "form", "ratio", "slope")
TOO_LONG = "at least [0-9]+ operations in {} coordinates, [0-9]+ together, and at most"
REFUSED = {
    "attention, probit": TOO_LONG.format(5),
    "two heads": TOO_LONG.format(22),
    "XOR by two ReLU units": TOO_LONG.format(9),
    "tanh student": "no closed form of smooth functions",
    "logistic loss": "no closed form of smooth functions",
    "committee of K units": "units whose number is a symbol",
}
# Equations of XOR take a quarter of a minute themselves.
MARKS = {"XOR by two ReLU units": nightly, "logistic loss": pytest.param}


def statuses(claims):
    ledger = Ledger({claim.id: claim for claim in claims})
    return {row.id: row.status for row in ledger.verify()}


@pytest.mark.parametrize("name", [n if n in QUICK else thorough(n) for n in WHOLE])
def test_the_risk_of_a_model_of_the_pages_falls(name):
    found = statuses(flows.equations(name).flow_claims(name="own"))
    assert {"own-flow-gram-kept", "own-flow-risk-falls"} <= found.keys()
    assert set(found.values()) == {"proved"}, found


@pytest.mark.parametrize(
    ("name", "claims"),
    [
        thorough("committee of two", SLOPE),
        *(thorough(n, GRAM) for n in sorted(PARTS)),
        *(pytest.param(n, (*GRAM, *SLOPE, "risk-falls"), marks=nightly_only) for n in SLOW),
    ],
)
def test_parts_of_the_claims_on_longer_models_are_proved(name, claims):
    """Without the velocities, whose proofs are like those of shorter models."""
    made = flows.equations(name).flow_claims(name="own")
    ledger = Ledger({claim.id: claim for claim in made})
    for part in claims:
        verdict = check_claim(ledger.find(f"own-flow-{part}"), ledger.find)
        assert verdict.accepted, verdict.failure


@pytest.mark.parametrize(
    ("name", "says"), [MARKS.get(name, thorough)(name, says) for name, says in REFUSED.items()]
)
def test_others_of_the_pages_are_refused_in_words(name, says):
    equations = flows.equations(name)
    with pytest.raises(ValueError, match=says):
        equations.flow_claims("risk-falls")


def test_the_table_of_the_page_has_what_is_tried_here():
    rows = flows.rows_of(PAGE.read_text(encoding="utf-8"))
    assert list(rows) == list(flows.ROWS)
    assert {*WHOLE, *PARTS, *SLOW, *REFUSED} == flows.ROWS.keys()
    for name, row in rows.items():
        said = flows.words_of(row)[2:]
        refused = name in REFUSED
        assert all(x.startswith("refused") if refused else x == "proved" for x in said), row


def test_a_row_that_says_something_else_is_old(monkeypatch, tmp_path, capsys):
    text = PAGE.read_text(encoding="utf-8")
    ((name, row),) = [x for x in flows.rows_of(text).items() if x[0] == "logistic loss"]
    assert not list(flows.old_rows(text, [name]))
    monkeypatch.setattr(flows, "line", lambda _: row)
    # Seconds are not compared.
    slower = row.replace("|  |  |", "| 9 | 9 |")
    assert slower != row
    assert not list(flows.old_rows(flows.with_rows(text, {name: slower}), [name]))
    page = tmp_path / "page.md"
    page.write_text(flows.with_rows(text, {name: row.replace("refused", "proved")}), "utf-8")
    assert flows.main(["--only", name, "--check", str(page)]) == 1
    assert capsys.readouterr().out == row
    # Written anew, the page is as before.
    assert flows.main(["--only", name, "--write", str(page)]) == 0
    assert page.read_text("utf-8") == text

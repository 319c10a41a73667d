"""What is derived of a model, proved: the laws of projections, the risk, its gradient."""

import pytest
from sympy import Rational, Symbol, exp, symbols

from slrsym.documents.typeset import to_latex
from slrsym.documents.typeset.letters import box_of_symbol_name
from slrsym.models import Direction, Predictor, Token, TokenSequence, model, softmax
from slrsym.papers.committee.models import committee
from slrsym.papers.single_location.models import attention, multi_head
from slrsym.proof import Ledger, builtin_ledger, check_claim
from tests._profile import nightly_cases, nightly_only, thorough_cases, thorough_only

MODELS = {
    "angle": lambda: attention(angle=Symbol("c", real=True)),
    "softmax": lambda: attention(softmax),
    "committee": lambda: committee(1, 1),
}
LONGER = {
    "exponential": lambda: attention(exp),
    "two units": lambda: committee(2, 1),
    "two-tokens": lambda: multi_head(1, 2),
    "biased": lambda: attention(
        bias=symbols("b_1:3", real=True), location=symbols("p_1:3", positive=True)
    ),
}
# Their risk is proved, and its gradient is not: the slope of Owen's T is too long for the search.
GRADIENT_OPEN = {
    "correlated": lambda: multi_head(1, 2, Rational(1, 3)),
    "two-heads": lambda: multi_head(2, 1),
}


def verdicts(stated):
    find = builtin_ledger().find
    return {claim.id: check_claim(claim, find) for claim in stated.claims("m")}


# Softmax in dev; other risks than those of models: tests/prover/tactics/test_models.py.
@nightly_cases("angle")
@thorough_cases("committee")
@pytest.mark.parametrize("name", MODELS)
def test_what_is_derived_is_proved(name):
    stated = MODELS[name]().model
    found = verdicts(stated)
    assert ("m-risk" in found) == ("m-gradient" in found) == (name != "softmax")
    assert any(id.startswith("m-projections") for id in found)
    assert all(v.accepted for v in found.values()), [v.id for v in found.values() if not v.accepted]


@nightly_cases("biased", "two-tokens", "two units")
@thorough_only
@pytest.mark.parametrize("name", LONGER)
def test_of_several_tokens_and_heads_too(name):
    assert all(v.accepted for v in verdicts(LONGER[name]().model).values())


def verdicts_of_open(name, of):
    find = builtin_ledger().find
    claims = [c for c in GRADIENT_OPEN[name]().model.claims("m") if of in c.id]
    assert claims
    return [check_claim(claim, find).accepted for claim in claims]


@nightly_only
@pytest.mark.xfail(reason="no evidence is found for the slope of Owen's T in correlated keys")
@pytest.mark.parametrize("name", GRADIENT_OPEN)
def test_the_gradient_is_not_shown_yet(name):
    assert all(verdicts_of_open(name, "gradient"))


@nightly_cases("projections-two-heads", "risk-two-heads", "risk-correlated")
@thorough_only
@pytest.mark.parametrize("name", GRADIENT_OPEN)
@pytest.mark.parametrize("of", ["projections", "risk"])
def test_their_laws_and_risk_are_proved(name, of):
    assert all(verdicts_of_open(name, of))


def three_roles():
    """State a model with three roles of tokens that have the same name."""
    k_star, v = Direction("k^*", unit=True), Direction("v", sphere=True)
    roles = [Token(mean=k_star, target=lambda X: X @ k_star), Token(cov=2), Token()]
    return model(TokenSequence(dict.fromkeys(roles, 1)), Predictor(lambda X: X @ v))


def test_every_claim_has_an_id_of_its_own():
    ids = [claim.id for claim in three_roles().claims("m")]
    assert ids == [*(f"m-projections-token-{n}" for n in (1, 2, 3)), "m-risk", "m-gradient"]


def test_different_symbols_are_written_differently():
    stated = attention().model
    symbols = {s for claim in stated.claims("m") for s in claim.symbols}
    shown = {to_latex(box_of_symbol_name(s.name)) for s in symbols}
    assert len(shown) == len({s.name for s in symbols})
    assert not any(
        "angle" in text.replace(r"\langle", "").replace(r"\rangle", "") for text in shown
    )


def test_in_latex_inner_products_end_on_the_line():
    stated = three_roles()
    for text in (stated.to_latex(), stated.equations("gradient-flow").to_latex()):
        assert r"\langle v, k^{\star}\rangle" in text
        assert r"^{*\rangle" not in text
    laws = stated.to_latex()
    assert all(f"Projections of a token (token {n}):" in laws for n in (1, 2, 3))


def test_a_file_that_cannot_be_written(tmp_path):
    missing = tmp_path / "missing" / "a.tex"
    for made in (three_roles(), three_roles().equations("gradient-flow")):
        with pytest.raises(ValueError, match="file must be in a folder that exists"):
            made.to_latex(missing)


def test_results_are_printed_in_a_few_lines():
    stated = three_roles()
    (v, k_star) = stated.directions
    checked = repr(stated.check({"d": 4}, samples=2000, rng=0))
    assert checked.startswith("Agrees with sampled tokens\n  risk:     ")
    assert "gradient in v, along k^*" in checked
    options = {"steps": 300, "alpha": 0.05, "runs": 4, "rng": 0, "backend": "numpy"}
    found = repr(stated.recovery({"d": 4}, [(v, k_star)], **options))
    assert found == "100 % of 4 runs recover (95% interval 51 to 100 %)"


def test_spikes_are_among_the_moments():
    k, u = Direction("k", sphere=True), Direction("u", unit=True)
    one = Token(u, {1: 2, u: Symbol("h", positive=True)}, lambda X: X @ u)
    found = verdicts(model(TokenSequence({one: 1}), Predictor(lambda X: (X @ k) ** 2)))
    assert all(v.accepted for v in found.values())


@thorough_only
@pytest.mark.parametrize("part", ["risk", "gradient"])
def test_a_slip_is_found(part):
    stated = committee(1, 1).model
    wrong = {
        "risk": stated.risk + stated.order_parameters[1] ** 2 / 1000,
        "gradient": stated.gradient * Rational(999, 1000),
    }
    stated.__dict__[part] = wrong[part]
    assert not verdicts(stated)[f"m-{part}"].accepted


def test_a_file_of_derivations_has_the_claims(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(
        "from slrsym.papers.single_location.models import attention\n\n"
        "claims = attention(lambda u: u).model.claims('linear-attention', source='mine')\n",
        encoding="utf-8",
    )
    rows = Ledger.load(file).verify()
    assert {row.id: row.status for row in rows}["linear-attention-risk"] == "proved"

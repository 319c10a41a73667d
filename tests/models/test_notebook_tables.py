"""HTML of models, equations, results and certificates, as notebooks show it."""

from xml.etree import ElementTree

import pytest
from sympy import Gt, Symbol

from slrsym.models import Direction, Predictor, Token, TokenSequence, model
from slrsym.prover.certificates.certificate import Certificate, CertificateOutcome
from slrsym.prover.certificates.inequalities_on_box import InequalitiesOnBox
from slrsym.prover.certificates.kinds import certificate_kinds
from slrsym.prover.certificates.verifier import CheckResult
from slrsym.prover.claims.ledger import builtin_ledger

u, w = Direction("u", unit=True), Direction("w")
R, Q = Symbol("R", real=True), Symbol("Q", positive=True)


def linear():
    sigma = Symbol("sigma", nonnegative=True)
    data = TokenSequence({Token(cov=1, target=lambda X: X @ u, name="a<b"): 2}, noise=sigma)
    return model(data, Predictor(lambda X: X @ w), names={w @ u: R, w @ w: Q})


def parts(shown):
    """Read the text of a table of two columns, by its names."""
    tree = ElementTree.fromstring(f"<div>{shown._repr_html_()}</div>")
    rows = {row[0].text: "".join(row[1].itertext()) for row in tree.iter("tr") if len(row) > 1}
    caption = tree.find(".//caption")
    return "".join(caption.itertext()), rows


def test_a_model_and_its_equations():
    stated = linear()
    caption, rows = parts(stated)
    assert caption == "Model"
    assert rows["trained"] == "w without constraint"
    assert rows["tokens"] == "2 a<b ~ N(0, 1)"
    assert rows["target"] == "⟨X,u⟩, noise σ"
    assert rows["predictor"] == "sum over tokens of ⟨X,w⟩"
    # What takes long to derive is not derived for a display.
    assert "order parameters" not in rows
    assert set(stated.order_parameters) == {R, Q}
    assert parts(stated)[1]["order parameters"] == "R, Q"
    caption, rows = parts(stated.equations("online-sgd", decay=Symbol("kappa")))
    assert caption == "Equations of online sgd"
    assert (rows["decay"], rows["trained"]) == ("κ", "w")


def test_results():
    stated = linear()
    flow = stated.equations("gradient-flow", rate=1)
    (point,) = flow.fixed_points({"sigma": 0}, rng=0)
    caption, rows = parts(point)
    assert caption == "Fixed point"
    assert {"state", "risk", "eigenvalues"} <= rows.keys()
    assert "eigenvalues" in point.linearisation._repr_html_()
    points = stated.landscape({"d": 5, "sigma": 0}, rng=0, starts=4)
    shown = points._repr_html_()
    tree = ElementTree.fromstring(f"<div>{shown}</div>")
    assert len(tree.findall(".//tbody/tr")) == len(points)
    assert len(tree.findall(".//thead/tr/th")) == 7 + len(points.overlaps)
    assert "searches ended" in shown
    _, rows = parts(stated.check({"d": 5, "sigma": 0}, samples=2000, rng=0))
    assert "estimate" in rows
    runs = stated.simulate({"d": 5, "sigma": 0}, steps=2, alpha=0.1, runs=2, rng=0, backend="numpy")
    assert "xarray" in runs._repr_html_()
    found = stated.recovery({"d": 5, "sigma": 0}, [(w, u)], steps=2, alpha=0.1, runs=2, rng=0)
    assert parts(found)[1].keys() == {"fraction", "interval"}


def test_certificates():
    x = Symbol("x", real=True)
    box = InequalitiesOnBox({x: (0, 1)})
    assert box.reason_not_shown(Gt(x + 1, 0)) == ""
    assert parts(box) == (
        "Inequalities on box", {"box text": "x in [0, 1]", "max boxes": "20000", "digits": "30"}
    )  # fmt: skip
    checked = CheckResult(CertificateOutcome.SHOWN, "", 3, 0.25)
    assert parts(checked)[1] == {
        "accepted": "True", "verdict": "shown", "boxes": "3", "seconds": "0.25"
    }  # fmt: skip
    kind = next(iter(certificate_kinds()))
    made = Certificate(kind, {}, {}, CertificateOutcome.UNDECIDED, 30, "1" * 10**6, ())
    assert parts(made)[1]["statement"] == made.statement[:297] + "..." * (len(made.statement) > 300)
    assert len(made._repr_html_()) < 2000


@pytest.mark.parametrize("id", ["theorem-5-certified", "lemma-16"])
def test_a_claim_and_its_certificate(id):
    claim = builtin_ledger().find(id)
    assert "<strong>" in claim._repr_html_()
    certificate = claim.certificate()
    if certificate is not None:
        assert "<table>" in certificate._repr_html_()

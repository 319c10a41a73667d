"""Names, titles, works, the graph, and what notebooks show."""

import os
import re
import subprocess
import sys
from xml.etree import ElementTree

import pytest
from sympy import Eq, Function, Gt, Integer, Symbol, cos, erf, latex, pi, sqrt

import slrsym
from slrsym.documents.export.bibliography import (
    bibliography_entries,
    bibtex_file_text,
    citation_from_reference,
)
from slrsym.documents.export.build import titles_and_claims_of_files
from slrsym.documents.export.claim_graph_layout import arrange_graph
from slrsym.documents.export.document import Citation, ClaimNumberAndName, LatexMath, Text
from slrsym.documents.export.errata import LEAD
from slrsym.documents.export.prose import (
    escape_latex,
    hypothesis_formulas,
    put_dollars_around_ranges,
    split_at_dollar_signs,
)
from slrsym.documents.typeset import FormulaPrinter, to_latex
from slrsym.gaussian import Expectation, standard_normal, zeta
from slrsym.papers.single_location.documents.abbreviations import choose_abbreviations
from slrsym.papers.single_location.notation import A, B, L, a, epsilon, gamma, kappa, lam, nu, s, t
from slrsym.proof import AXIOMS, Claim, algebra, chain, lemma, stein
from slrsym.prover.claims import id_from_short_name, short_name, step_name
from slrsym.prover.claims.papers import builtin_papers
from slrsym.prover.rules.claim_steps import steps_of_claim
from slrsym.prover.statements.maps import box_map, point_set
from slrsym.prover.statements.orbits import OrbitsConvergeTo
from tests._profile import thorough_only

x, y = Symbol("x", real=True), Symbol("y", real=True)


def spoken(text):
    return "".join(
        f"${part.latex}$" if isinstance(part, LatexMath) else part.text
        for part in split_at_dollar_signs(text)
    )


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("the risk in closed form", "the risk in closed form"),
        ("$E erf'(t + gamma G)$", r"$\mathbb{E}\,\operatorname{erf}'(t+\gamma G)$"),
        ("$|1/sqrt(1+x) - 1| <= x/2$", r"$|1/\sqrt{1+x}-1|\le x/2$"),
        ("$(1 - erf(h/sqrt 2)^2)$", r"$(1-\operatorname{erf}(h/\sqrt{2})^{2})$"),
        ("Either $nu = +-1$, or $kappa = 0$.", r"Either $\nu=\pm 1$, or $\kappa=0$."),
        ("the overlap $X_l . k*$ of $k*$.", r"the overlap $X_{l}\cdot k^{\star}$ of $k^{\star}$."),
        ("for $m = E[Y | X, J_0]$ and", r"for $m=\mathbb{E}\,[Y|X,J_{0}]$ and"),
        ("$(f(x_t) - f(x_{t+1}))/c$.", r"$(f(x_{t})-f(x_{t+1}))/c$."),
        ("$1e-3 <= lambda <= 4e5$", r"$10^{-3}\le\lambda\le 4\cdot 10^{5}$"),
        ("$R_kappa_nu(0.5, 2*x)$", r"$R_{\kappa\nu}(0.5,2\,x)$"),
        ("$softmax({a, b}) ~ 50%$", r"$\operatorname{softmax}(\{a,b\})\sim 50\%$"),
        (r"$\frac{1}{2} \le x$", r"$\frac{1}{2} \le x$"),
        ("$λ ≤ γ$", r"$\lambda\le\gamma$"),
        # What is not between two dollars is text, whatever it looks like.
        ("an R and Ba neighbourhood of x^2 - 1", "an R and Ba neighbourhood of x^2 - 1"),
        ("for 5 $", "for 5 $"),
    ],
)  # fmt: skip
def test_formulas_in_prose(text, shown):
    assert spoken(text) == shown


# Formulas, Greek letters, powers, relations; not quotes, figures, or appendices.
_FORMULA = re.compile(
    r"[=<>^|*]|\w_\w|\b(?:alpha|gamma|epsilon|zeta|kappa|lambda|theta|rho|eta|nu|erf|sqrt)\b(?!-)"
    r"|(?<!Appendix )(?<![-'\u2019(`])\b[B-HJ-Zb-z]\b(?![-'\u2019)`.])|[^\s$]\([A-Za-z]\)"
)

_NAMES = r"\[CLS\]|`[^`]*`|[a-z]+-[a-z0-9-]+"


def test_formulas_in_the_prose_of_claims_stand_between_dollars():
    texts = [
        LEAD,
        *(text for p in builtin_papers() for head, told in p.errata for text in (head, *told)),
    ]
    texts += [axiom.statement for axiom in AXIOMS.values()]
    for claim in slrsym.ledger().claims.values():
        texts += [claim.title, claim.source, claim.compared_to_source, claim.proof_idea]
    for text in texts:
        assert text.count("$") % 2 == 0, text
        said = re.sub(_NAMES, "", " ".join(text.split("$")[::2]))
        assert not _FORMULA.search(said), text


def test_boxes_are_formulas():
    box = "kappa in [-1, 1], 2 - kappa <= 1/50, d = 400"
    assert put_dollars_around_ranges(box) == "$kappa in [-1, 1]$, $2 - kappa <= 1/50$, $d = 400$"


def test_plain_text_is_escaped():
    assert escape_latex(r"50% & {x_1} #2 ~^\$<>|") == (
        r"50\% \& \{x\_1\} \#2 \textasciitilde{}\textasciicircum{}\textbackslash{}\$"
        r"\textless{}\textgreater{}\textbar{}"
    )
    assert escape_latex("caf\u00e9 \u4e2d") == "caf\u00e9 ?"


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ([x > 0, x < 5], ["0 < x < 5"]),
        ([x > 0, x < 5, x < y], ["0 < x < 5", "x < y"]),
        ([x > 0, y < 3, x > y, x <= 1], [r"0 < x \le 1", "y < 3", "x > y"]),
        ([x + y < 2, x + y < 1, x + y >= 0], [r"0 \le x + y < 2", "x + y < 1"]),
    ],
)  # fmt: skip
def test_no_hypothesis_is_lost_to_bounds_on_both_sides(given, shown):
    assert sorted(to_latex(box) for box in hypothesis_formulas(given, FormulaPrinter())) == sorted(
        shown
    )


def claim(id, source):
    return Claim(id=id, statement=Eq(x, x + 0 * x, evaluate=False), source=source)


@pytest.mark.parametrize(
    ("id", "source", "shown", "name"),
    [
        ("proposition-15", "Proposition 15", "Proposition 15", "P15"),
        ("theorem-5", "Theorem 5, for alpha < 1/K and d >= 3", "Theorem 5", "T5"),
        ("lemma-18-ii", "Lemma 18 (ii)", "Lemma 18 (ii)", "L18-ii"),
        ("lemma-17-iii", "Lemma 17", "Lemma 17 (iii)", "L17-iii"),
        ("lemma-17-iii-positive", "Lemma 17, proof", "L17-iii-positive", "L17-iii-positive"),
        ("lemma-7", "my own notes", "L7", "L7"),
        ("excess-risk-stable", "new", "excess-risk-stable", "excess-risk-stable"),
        ("one", "Lemma 18 (ii)", "one", "one"),
    ],
)
def test_names_depend_on_the_claim_alone(id, source, shown, name):
    called = ClaimNumberAndName.from_claim(claim(id, source))
    assert (str(called), called.name) == (shown, name)
    assert id_from_short_name(name) == id


def test_names_of_steps():
    assert step_name("proposition-15", "7") == "P15.7"
    assert step_name("proposition-9", "case 1.2") == "P9.case-1.2"


def test_no_two_claims_have_one_name():
    ledger = slrsym.ledger()
    names = {id: short_name(id) for id in ledger.claims}
    assert len(set(names.values())) == len(names)
    assert all(ledger.find(name).id == id for id, name in names.items())


def test_sections_follow_the_paper():
    titles = [title for title, _ in titles_and_claims_of_files(slrsym.ledger().claims.values())]
    numbered = [t for t in titles if t.startswith(("Lemma", "Theorem", "Proposition", "Corollary"))]
    numbers = [int(t.split()[1].strip(":,")) for t in numbered]
    assert numbers == sorted(numbers)
    assert len(numbers) >= 8


def test_every_axiom_is_in_a_known_work():
    known = {work.key for work in bibliography_entries()}
    for axiom in AXIOMS.values():
        (citation,) = citation_from_reference(axiom.reference)
        # Those of this package have a proof instead, or a specification.
        if axiom.id.startswith(("theorem ", "extension ")):
            assert citation == Text(axiom.reference)
            continue
        assert isinstance(citation, Citation)
        assert citation.key in known, f"{axiom.id}: add {axiom.reference} to references.bib"


def test_citations():
    assert citation_from_reference("Folland, Real Analysis, 2nd ed., Thm 2.27") == (
        Citation("folland1999", "Thm 2.27"),
    )
    assert citation_from_reference("Peano") == (Citation("peano1889"),)
    assert citation_from_reference("the author of the rule") == (Text("the author of the rule"),)
    (other,) = citation_from_reference("Nobody & Co.")
    papers = builtin_papers()[:1]
    text = bibtex_file_text(["Nobody & Co.", "Peano", "Peano"], papers)
    assert text.count("@") == 3
    assert text.startswith(f"@inproceedings{{{papers[0].bibtex_key},")
    assert f"@misc{{{other.key},\n  note = {{Nobody \\& Co.}}" in text


def test_the_graph():
    depends = {"a": [], "b": ["a"], "c": ["a", "b", "elsewhere"], "d": ["b"], "alone": []}
    graph = arrange_graph(depends, columns=2)
    rows = {node.id: node.row for node in graph.nodes}
    assert set(rows) == set(depends)
    assert rows["a"] < rows["b"] < min(rows["c"], rows["d"])
    assert rows["alone"] == graph.rows - 1
    # a -> c follows from a -> b -> c.
    assert sorted(graph.edges) == [("a", "b"), ("b", "c"), ("b", "d")]
    assert len({(node.row, node.column) for node in graph.nodes}) == len(depends)
    assert all(0 < node.column < 2 for node in graph.nodes)
    with pytest.raises(ValueError, match="columns must be at least 1; got 0"):
        arrange_graph(depends, columns=0)


def test_the_graph_of_a_circle():
    assert len(arrange_graph({"a": ["b"], "b": ["a"]}).nodes) == 2


def test_shorthand_is_for_the_eye():
    on_m = epsilon**2 + gamma**2 * (1 - 2 * nu * erf(a) + zeta(t, s)) + (L - 1) * zeta(0, lam)
    short = choose_abbreviations([on_m])
    assert str(short(on_m)) == "R<(kappa, nu)"
    assert str(short(on_m.subs({kappa: x, nu: -1}))) == "R<(x, -1)"
    assert str(short(erf(a / B))) == "erf(a/B)"
    assert str(short(lam * gamma**2 / A)) == "gamma**2*lambda/A"
    for letter in short.letters:
        meaning = short.meaning(letter)
        assert not meaning.free_symbols & set(short.letters)
    # Letters that the claim has for something else are not taken.
    own = choose_abbreviations([sqrt(1 + 2 * x**2) * Symbol("A")])
    assert not own.letters


@thorough_only
def test_every_step_is_shown(ledger, document):
    for entry in document.claims:
        of = ledger.find(entry.id)
        links = {
            step.link.rhs
            for step in steps_of_claim(of, ledger.find)
            if getattr(step.rule, "chainable", True)
        }
        shown = [f.shown for display in entry.displays() for f in display.formulas]
        assert all(any(side == known for known in shown) for side in links), entry.id


def test_claims_and_chains_in_notebooks():
    proof = chain(cos(0 * pi) + x).then(1 + x, by=algebra).le(2 + x, by=lemma("some-claim", x=x))
    assert proof.to_latex() == (
        "\\begin{align*}\n1 + x& = 1 + x \\tag*{algebra}\\\\\n& \\le 2 + x \\tag*{some-claim}\n"
        "\\end{align*}"
    )
    assert "\\tag*{(2) some-claim}" in proof.to_latex(step_numbers=True)
    assert proof._repr_latex_() == proof.to_latex()
    assert repr(proof) == "x + 1\n    = x + 1  [algebra]\n    <= x + 2  [claim some-claim]"
    assert repr(algebra) == "<rule algebra>"
    shown = ElementTree.fromstring(proof._repr_html_())
    assert len(shown.findall("tr")) == 3
    assert said(shown.find("caption")) == "Let x∈ℝ."
    stated = slrsym.ledger().find("lemma-18-ii")
    assert stated.to_latex() == (
        r"\mathbb{E}\bigl[\operatorname{erf}(t + \gamma G)\bigr] "
        r"= \operatorname{erf}(t/\sqrt{1 + 2\gamma^{2}})"
    )
    html = ElementTree.fromstring(stated._repr_html_())
    assert html.find("strong").text == "Lemma 18 (ii)"
    assert html.find("math") is not None
    assert "differentiation under the expectation" in stated.to_latex(proof=True)
    # HTML lets the attribute stand alone, XML does not.
    whole = ElementTree.fromstring(stated.to_html(proof=True).replace(" open>", ">"))
    assert whole.find("strong").text == "Lemma 18 (ii)"
    reasons = ["".join(step.itertext()) for step in whole.iterfind(".//summary")]
    assert "L18-ii.derivative.1 differentiation under the expectation" in reasons


def said(element):
    """The text of an element, formulas without the LaTeX that they are annotated with."""
    parts = [element.text or ""]
    for child in element:
        if child.tag != "annotation":
            parts.append(said(child))
        parts.append(child.tail or "")
    return "".join(parts)


def test_notebooks_show_what_a_claim_supposes():
    y, X, h = Symbol("y", positive=True), Symbol("X", real=True), Function("h", real=True)
    claim = Claim(
        id="supposed",
        statement=Gt(Expectation(h(X) + y, standard_normal(X)) + x, 0),
        source="test",
        hypotheses=(x >= -1, x <= 1, Gt(h(x), y)),
    )
    expected = (
        "Let x∈ℝ and y>0. Let h be a smooth real function of moderate growth. "
        "Suppose −1≤x≤1 and h(x)>y. X∼𝒩(0,1)."
    )
    html = ElementTree.fromstring(claim._repr_html_())
    assert said(html.find("p")) == expected
    assert [child.tag for child in html] == ["strong", "p", "math"]
    with_proof = ElementTree.fromstring(claim.to_html(proof=True))
    assert said(with_proof.find("p")) == expected
    assert claim._repr_latex_() == (
        r"Let $x \in \mathbb{R}$ and $y > 0$. "
        "Let $h$ be a smooth real function of moderate growth. "
        r"Suppose $-1 \le x \le 1$ and $h(x) > y$. $X \sim \mathcal{N}(0, 1)$."
        "\n\n"
        rf"$\displaystyle {claim.to_latex()}$"
    )
    # What needs no variables supposes nothing.
    plain = Claim(id="plain", statement=Gt(pi, Integer(3), evaluate=False), source="test")
    assert "<p>" not in plain._repr_html_()
    assert "caption" not in chain(Integer(2)).then(Integer(1) + 1, by=algebra)._repr_html_()


def test_wide_formulas_in_notebooks_are_broken_into_lines():
    ledger = slrsym.ledger()
    wide, narrow = (
        ElementTree.fromstring(ledger.find(f"lemma-18-{part}")._repr_html_())
        for part in ("vi", "ii")
    )
    assert wide.find("math/mtable") is not None
    assert narrow.find("math/mtable") is None
    proof = ElementTree.fromstring(ledger.find("lemma-18-vi").build_proof()._repr_html_())
    assert proof.find("tr/td/math/mtable") is not None


def test_reasons_with_a_formula_in_notebooks():
    html = ElementTree.fromstring(chain(x).then(1 + x, by=stein(x))._repr_html_())
    reason = html.findall("tr/td")[-1]
    assert "".join(reason.itertext()).startswith("Stein’s lemma in x")
    assert reason.find(".//mi").text == "x"


def test_a_statement_about_orbits_by_itself():
    x = Symbol("x", real=True)
    limit = OrbitsConvergeTo(box_map({x: x / 2}), point_set([(0,)]))
    claim = Claim(id="half", statement=limit, source="test")
    lines = claim.to_latex().split(r" \\ ")
    assert (
        lines[0]
        == r"\text{Orbits are those of the map $g$, for $-1 \le x \le 1$, with the coordinates}"
    )
    assert lines[1:] == [r"g_{1}(x) = \frac{x}{2}", r"\text{Every orbit converges to $(0)$.}"]
    html = claim._repr_html_()
    assert "Every orbit converges to" in html
    ElementTree.fromstring(f"<div>{html}</div>")
    # SymPy's own printers say the same in one line.
    said = "every orbit converges to (0), g(x) = (x/2) on [-1, 1]"
    assert str(limit) == said
    assert latex(limit).startswith(r"\text{every orbit converges to } \left(0\right) \text{, } g")


def test_no_two_steps_of_a_claim_have_one_name(ledger):
    # Facts in a row, cases within cases, parts; all claims are looked at where a site is made.
    for id in ("planar-step-along", "bell-slope-product", "proposition-10-maximum-only"):
        names = [step_name(id, step.label) for step in steps_of_claim(ledger.find(id), ledger.find)]
        assert len(set(names)) == len(names)


def test_the_laws_to_state_do_not_depend_on_the_process():
    """Of two expectations that read alike, the same law is declared whatever the hash seed."""
    program = (
        "from sympy import Symbol\n"
        "from slrsym.gaussian import Expectation, GaussianLaw\n"
        "from slrsym.documents.typeset import choose_declared_laws\n"
        "X = Symbol('X', real=True)\n"
        "laws = GaussianLaw({X: 0}, [[1]]), GaussianLaw({X: 2}, [[3]])\n"
        "one, other = (Expectation(X**2, law) for law in laws)\n"
        "print(choose_declared_laws([one - other]))\n"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "3")
    }
    assert len(said) == 1

"""The static site."""

import posixpath
import random
import re
from dataclasses import replace
from html import escape, unescape
from itertools import pairwise
from types import SimpleNamespace
from urllib.parse import urlsplit

import pytest

from slrsym.crosscheck.montecarlo import MonteCarloCheck
from slrsym.documents.export.build import build
from slrsym.documents.export.claim_graph_layout import arrange_graph, route_arrows
from slrsym.documents.export.document import (
    Citation,
    ClaimReference,
    Display,
    Document,
    LatexMath,
    Math,
    Text,
)
from slrsym.documents.export.html import HtmlRenderer
from slrsym.documents.export.outline import build_outline
from slrsym.documents.export.site import site_files
from slrsym.documents.typeset.boxes import Atom, row_of_boxes
from slrsym.proof import Claim, Ledger, by_citation, in_words
from slrsym.prover.rules.axioms import AXIOMS, find_axiom
from tests._profile import thorough, thorough_only
from tests.documents.export.conftest import as_if_proved
from tests.documents.export.site_check import Page, depends, linked, problems
from tests.documents.export.test_roundtrip import UNREADABLE
from tests.documents.reading import read_display, roundtrip
from tests.documents.reading.mathml import ShownRenderer
from tests.documents.reading.roundtrip import read_back


@pytest.fixture(scope="module")
def site(document):
    return site_files(document, "A title with <b> & co.")


@pytest.fixture(scope="module")
def small_document(ledger):
    return build(ledger, as_if_proved(ledger, ["lemma-18-i", "lemma-18-ii"]), {})


@pytest.fixture(scope="module")
def small_site(small_document):
    return site_files(small_document)


# -- pages -------------------------------------------------------------------------------------


@thorough_only
def test_every_page_is_sound_and_every_link_resolves(document, site):
    assert {"index.html", "axioms.html", "notation.html", "style.css", "site.js"} <= set(site)
    assert {"data.js", "map.js", "ledger.js", "ledger.html"} <= set(site)
    assert sum(name.startswith("claims/") for name in site) == len(document.claims)
    assert sum(name.startswith("axioms/") for name in site) == len(document.axioms)
    assert any(name.startswith("source/") for name in site)
    assert problems(site) == []
    assert problems(site_files(linked(document))) == []


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        thorough("claims/lemma-18-ii.html", "claims/lemma-19.html", "no file"),
        ("#outline", "#nobody", "no such place"),
        ('href="style.css"', 'href="https://example.org/style.css"', "elsewhere"),
        ("</mi>", "", "no element found|mismatched tag|is not closed|closes"),
        ("<h1>", "<h2>", "h1"),
        ('id="content"', 'id="content"><p id="content"></p', "twice"),
        ("<mfrac>", "<mfrac><mi>x</mi>", "3 children"),
    ],
)
def test_what_is_wrong_with_a_page_is_noticed(small_site, old, new, what):
    spoiled = {name: text.replace(old, new) for name, text in small_site.items()}
    assert problems(small_site) == []
    assert any(re.search(what, found) for found in problems(spoiled))


def test_links_along_dependencies_go_both_ways(ledger):
    ids = ["lemma-6", "lemma-18-i", "lemma-18-ii"]
    document = build(ledger, as_if_proved(ledger, ids), {})
    pages = site_files(linked(document))
    first, _, third = document.claims[:3]
    below, above = pages[f"claims/{third.id}.html"], pages[f"claims/{first.id}.html"]
    uses = below.partition("<h2>Uses</h2>")[2].partition("</div>")[0]
    used = above.partition("<h2>Used by</h2>")[2].partition("</div>")[0]
    assert f'href="{first.id}.html"' in uses
    assert f'href="{third.id}.html"' in used
    assert "<h2>Uses</h2>" not in above


def test_text_is_escaped(site, document):
    assert "<h1>A title with &lt;b&gt; &amp; co.</h1>" in site["index.html"]
    renderer = HtmlRenderer(document.labels)
    assert renderer.inline([Text("a < b & c")]) == "a &lt; b &amp; c"
    assert renderer.inline([ClaimReference("no-such")]) == "no-such"
    assert renderer.inline([Citation("key", "p. 3")]) == "key, p. 3"


def test_no_line_begins_with_a_comma():
    parts = [Math(Atom("x")), Text(", and "), LatexMath("y"), Text(").")]
    shown = HtmlRenderer({}).inline(parts)
    assert re.search(r"</math>,</span> and ", shown)
    assert shown.endswith("</math>).</span>")


def test_wide_formulas_have_lines_for_a_phone(document):
    html = HtmlRenderer({}).display(next(document.claims[0].displays()))
    assert 'class="formula"' in html or 'class="formula desk"' in html
    wide = row_of_boxes([Atom("x")] * 60)
    assert HtmlRenderer({}).inline([Math(wide)]).startswith('<span class="wide">')


def test_the_front_page_leads_to_every_claim(document, site):
    page = Page(site["index.html"])
    links = {(a.get("href") or "") for a in page.all("a")}
    assert {f"claims/{claim.id}.html" for claim in document.claims} <= links
    assert f"{len(document.claims)} of {len(document.claims)} claims proved" in page.shown
    ledger = site["ledger.html"]
    assert ledger.count('class="status proved"') == len(document.claims) + 1
    # A line of text for each, in 650 bytes, below the page's introduction.
    assert len(site["index.html"].encode()) <= 6_000 + 650 * len(document.claims)


def test_the_front_page_has_a_sentence_for_each_numbered_statement(ledger):
    """Of the paper; what is new stands in groups that open, under their titles."""
    ids = ["theorem-5", "lemma-4", "lemma-4-chain-rule", "zeta-variance", "attention"]
    document = build(ledger, as_if_proved(ledger, ids), {})
    front = site_files(document)["index.html"]
    page = Page(front)
    assert "descent from almost every start on the manifold converges to" in page.shown
    assert "A step of projected gradient descent from the manifold leads to the" in page.shown
    # Not more than that is seen before something is opened.
    seen = Page(re.sub(r"<details.*?</details>", "", front, flags=re.DOTALL)).shown
    assert "Theorem\N{NO-BREAK SPACE}5" in seen
    assert "chain-rule" not in seen
    assert "By Lemma 4" not in page.shown
    groups = front.partition('id="beyond"')[2]
    assert groups.count("<details><summary>") == 1
    assert "zeta-variance" in groups.partition("</summary>")[2]
    # Of claims that are not the paper's, all stand there.
    own = build(ledger, as_if_proved(ledger, ["zeta-variance"]), {}, notation=False)
    shown = re.sub(r"<details.*?</details>", "", site_files(own)["index.html"], flags=re.DOTALL)
    assert "zeta-variance" in Page(shown).shown


def links_of(files, name):
    """Where one comes from a page by one click, as it stands without scripts."""
    here = posixpath.dirname(name)
    paths = [urlsplit(a.get("href") or "").path for a in Page(files[name]).all("a")]
    return {posixpath.normpath(posixpath.join(here, path)) for path in paths if path}


# One claim of each kind is shown on a page in the other cases and tests.
@thorough_only
def test_theorem_5_is_one_click_from_the_front_and_its_axioms_two(ledger):
    axioms = ("bolzano-weierstrass", "fubini")
    files = site_files(build(ledger, as_if_proved(ledger, ["lemma-6", "theorem-5"], axioms), {}))
    theorem = "claims/theorem-5.html"
    assert theorem in links_of(files, "index.html")
    # Its name is read there, not on what has to be opened first.
    before = files["index.html"].partition(f'href="{theorem}"')[0]
    assert before.count("<details") == before.count("</details")
    assert {f"axioms/{name}.html" for name in axioms} <= links_of(files, theorem)


def test_helpers_stand_below_the_statement_that_needs_them(ledger):
    ids = ["lemma-6", "lemma-6-lower-bound", "zeta-variance", "attention", "lemma-16", "lemma-18-i"]
    document = build(ledger, as_if_proved(ledger, ids), {})
    uses = {"lemma-16": ("zeta-variance",), "zeta-variance": ("lemma-18-i",)}
    sections = (
        replace(s, claims=tuple(replace(c, depends=uses.get(c.id, ())) for c in s.claims))
        for s in document.sections
    )
    found = build_outline(replace(document, sections=tuple(sections)))
    told = {
        part.number: {e.claim.id: [c.id for c in e.helpers] for e in part.entries} for part in found
    }
    assert told == {
        "3": {"attention": []},
        "A": {"lemma-6": ["lemma-6-lower-bound"]},
        "D": {"lemma-16": ["zeta-variance"], "lemma-18-i": []},
    }


def test_axioms_have_their_references(site):
    assert escape(find_axiom("fubini").reference, quote=False) in Page(site["axioms.html"]).shown
    assert 'href="../axioms/fubini.html"' in site["claims/lemma-18-ii.html"]
    assert "What rests on it" in site["axioms/fubini.html"]


def test_formulas_of_rules_are_set_as_formulas(small_document):
    names = [name for name in AXIOMS if name.startswith("theorem ")]
    checks = {
        str(number): SimpleNamespace(rule=name, label=str(number), digits=None, example="")
        for number, name in enumerate(names, 1)
    }
    (section,) = small_document.sections
    first, *others = section.claims
    claims = (replace(first, checks=checks), *others)
    files = site_files(replace(small_document, sections=(replace(section, claims=claims),)))
    pages = [text for file, text in files.items() if file.startswith("rules/theorem-")]
    assert len(pages) == len(names) > 10
    for page in pages:
        # A rule is told in a sentence; its argument stands on its page alone.
        said, *argument = page.partition("</h1>\n")[2].split("</p>")
        assert Page(f"{said}</p>").shown.strip() in Page(files["rules.html"]).shown
        assert len(argument) >= 2
        assert "$" not in Page(page).shown
    assert "$" not in Page(files["rules.html"]).shown + files["data.js"]


def test_a_step_that_says_what_the_statement_says_is_not_shown_twice(small_document):
    """Also one with a bound on either side, which is one step."""
    claim = small_document.claims[0]
    (stated,) = (block for block in claim.statement if isinstance(block, Display))
    show = HtmlRenderer({}, claim=claim)
    (proof,) = claim.proof
    assert isinstance(proof, Display)
    assert proof.is_repeat_of(claim.statement)
    assert "<math" not in show.display(proof)
    assert "<math" in show.display(stated)
    (link,) = proof.links
    low, high = replace(link, why=(), label=""), link
    between = replace(proof, links=(low, high))
    assert not between.is_repeat_of(claim.statement)
    assert between.is_repeat_of([replace(stated, links=(low, low))])
    assert show.display(between).count('class="step"') == 1
    other = replace(between, links=(high, replace(high, label="2")))
    assert not other.is_repeat_of([replace(stated, links=(low, low))])
    assert show.display(other).count('class="step"') == 2


# -- what was checked --------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["desk", "phone"])
def test_every_displayed_formula_reads_as_what_was_checked(document, kind):
    if kind == "phone":
        # The same boxes, broken elsewhere.
        parts = (replace(s, claims=s.claims[::3]) for s in document.sections)
        document = replace(document, sections=tuple(parts))
    outcomes = read_back(document, ShownRenderer(kind))
    assert len(outcomes) >= 50
    wrong = [o for o in outcomes if not o.equal and o.claim not in UNREADABLE]
    assert not wrong, f"{wrong[0].claim}: {wrong[0].reason}\n{wrong[0].latex}"


@thorough_only
def test_annotations_are_the_latex_that_is_read_back(document):
    """What someone copies from a page is what the book prints."""
    formula = r'class="formula(?: desk)?"><math.*?<annotation[^>]*>(.*?)</annotation>'
    for claim in document.claims[:6]:
        for display in claim.displays():
            html = HtmlRenderer({}).display(display)
            notes = map(unescape, re.findall(formula, html, re.DOTALL))
            found = read_display(" ".join(notes), claim.names())
            assert len(found) == (len(display.formulas) if display.links else 1)


@thorough_only
def test_a_misprint_in_mathml_is_noticed(document, monkeypatch):
    source = random.Random(7)
    changes = {
        "<mi>γ</mi>": "<mi>θ</mi>",
        ">+<": ">−<",
        "<mn>2</mn></msup>": "<mn>3</mn></msup>",
        "″": "′",
    }
    original = HtmlRenderer.formula
    caught = 0
    # At the points of equation-14-ends, 1 and -1, another power may have the same value; and in
    # manifold-distance a sum of squares is constant, whatever power the roots have inside.
    blind = ("equation-14-ends", "manifold-distance")
    claims = [claim for claim in document.claims if any(claim.displays()) and claim.id not in blind]
    for claim in source.sample(claims, min(30, len(claims))):
        display = source.choice(list(claim.displays()))
        html = HtmlRenderer({}).display(display)
        body = re.sub(r"<summary>.*?</summary>", "", html, flags=re.DOTALL)
        present = [old for old in changes if old in body]
        if not present:
            continue
        old = source.choice(present)

        def spoiled(self, box, old=old):
            return original(self, box).replace(old, changes[old])

        monkeypatch.setattr(HtmlRenderer, "formula", spoiled)
        outcomes = list(roundtrip._of_display(claim, display, claim.names(), ShownRenderer()))
        monkeypatch.undo()
        assert not all(o.equal for o in outcomes), f"{claim.id}: {old}\n{html}"
        caught += 1
    assert caught >= 10


def test_evidence(ledger):
    sample = MonteCarloCheck("x", "t = 1", 0.5, 0.51, 0.01, -1.0, 100, 1)
    (found,) = as_if_proved(ledger, ["lemma-18-i"])
    document = build(ledger, [replace(found, monte_carlo=(sample,))], {})
    page = Page(site_files(document)["claims/lemma-18-i.html"])
    assert "3 steps, all accepted" in page.shown
    assert "both sides agree to 30 digits or more" in page.shown
    assert "Monte Carlo: 0.5 against 0.51, standard error 0.01" in page.shown
    assert "1 axiom:" in page.shown


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        thorough("failed", "step 1 <b> is refused"),
        thorough("conditional", "it rests on x, not proved"),
        ("cited", "what is concluded in x is cited, not checked"),
        ("certified", "x in [0.1, 2]"),
        ("empirical", "2,000 tasks, none against it"),
        ("unverified", "It was not verified."),
    ],
)
def test_what_is_not_proved_is_not_said_to_be(ledger, status, reason):
    (found,) = as_if_proved(ledger, ["lemma-18-v"])
    told = {{"certified": "box", "empirical": "trials"}.get(status, "error"): reason}
    document = build(ledger, [replace(found, status=status, **told)], {})
    files = site_files(document)
    assert problems(files) == []
    page = files["claims/lemma-18-v.html"]
    assert 'class="status proved"' not in page
    assert f'class="status {status}"' in page
    assert "∎" not in page
    # The box is a formula.
    shown = Page(page).shown.replace("∈", "in")
    assert re.sub(r"\s", "", reason) in re.sub(r"\s", "", shown)
    assert ('id="proof"' in page) == (status in ("conditional", "cited", "certified", "empirical"))
    assert ("all accepted" in page) == ('id="proof"' in page)
    assert "0 of 1 claims proved" in files["index.html"]
    assert f'"status":"{status}"' in files["data.js"]


def test_an_empty_document():
    files = site_files(Document((), (), {}))
    scripts = {"data.js", "site.js", "search.js", "map.js", "ledger.js"}
    assert set(files) == {"index.html", "ledger.html", "map.html", "style.css", *scripts}
    assert problems(files) == []


# -- the graph ---------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_claims_of_a_row_do_not_overlap(seed):
    graph = arrange_graph(depends(70, seed), columns=5)
    assert len({node.id for node in graph.nodes}) == 70
    rows = {}
    for node in graph.nodes:
        assert 0.5 <= node.column <= 4.5
        rows.setdefault(node.row, []).append(node.column)
    for columns in rows.values():
        columns.sort()
        assert all(b - a >= 1 - 1e-9 for a, b in pairwise(columns))
    at = {node.id: node.row for node in graph.nodes}
    assert all(at[one] < at[other] for one, other in graph.edges)


def test_arrows_go_behind_no_claim():
    crossed = 0
    for seed in range(8):
        graph = arrange_graph(depends(18, seed), columns=3)
        places = {node.id: (100.0 * node.column, 50.0 * node.row) for node in graph.nodes}
        ways = route_arrows(graph, places, 45.0, (0.0, 300.0), 3.0)
        for x, y in (point for way in ways.values() for point in way):
            crossed += 1
            assert all(abs(x - a) >= 45 - 1e-9 for a, b in places.values() if abs(y - b) < 1)
    assert crossed > 20


def statement_of(files, id):
    """What a reader sees of the statement of a claim."""
    statement = files[f"claims/{id}.html"].partition('aria-label="Statement"')[2]
    return Page(statement.partition("</section>")[0] + "</section>").shown


def test_a_statement_in_words():
    text = "for constant $lambda$, $(k_t, v_t)$ converges to $(k*, v*)$ or to $-(k*, v*)$"
    claim = Claim(id="my-end", title="the end", statement=in_words(text), source="my notes")
    claim.proof(
        lambda goal: by_citation(goal, "monotone-convergence", hypotheses=["proposition-9"])
    )
    ledger = Ledger({claim.id: claim})
    (found,) = as_if_proved(ledger, ["my-end"])
    document = build(ledger, [replace(found, status="cited", error="the end is cited")], {})
    files = site_files(document)
    assert problems(files) == []
    shown = statement_of(files, "my-end")
    assert shown.startswith(">\nFor constant λ")
    # The true directions, which k and v come near.
    assert shown.count("⋆") == 4


@pytest.mark.parametrize(
    ("id", "said"),
    [
        ("proposition-8", ["Along every orbit ℛ< never increases.", "is a zero of e, where"]),
        ("proposition-11", ["Every orbit converges to (−1,−1) or (−1,1) or (0,0) or (1,−1)"]),
        ("proposition-12", ["The map g is injective.", "nowhere singular."]),
        ("proposition-13", ["The starts whose orbits converge to", "are of Lebesgue measure 0."]),
        thorough("theorem-5", ["For almost every pair of unit vectors", "converges to (k⋆,v⋆) or"]),
    ],
)
def test_a_statement_about_orbits(ledger, id, said):
    document = build(ledger, as_if_proved(ledger, [id]), {})
    files = site_files(document)
    assert problems(files) == []
    shown = statement_of(files, id)
    for words in said:
        assert words in shown
    # The map is written once, before what is said of it.
    assert shown.count("Orbits are those of the map g, for −1≤κ≤1, −1≤ν≤1") == (id != "theorem-5")
    # The theorem's own argument stands below its name.
    assert "(theorem " in Page(files[f"claims/{id}.html"]).shown


def test_the_heading_is_the_number_in_the_paper_or_the_title(site, document):
    kinds = set()
    for claim in document.claims:
        heading = re.search("<h1>(.*?)</h1>", site[f"claims/{claim.id}.html"])[1]
        is_own = claim.label.kind == "Claim" and bool(claim.title)
        kinds.add(is_own)
        assert heading.startswith(str(claim.label)) != is_own, heading
        assert is_own or not claim.title or '<span class="title">' in heading
    assert kinds == {True, False}

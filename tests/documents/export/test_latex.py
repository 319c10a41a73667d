"""The book, its claims, and claims by themselves."""

import itertools
import re
import shutil
import subprocess
from collections import Counter
from dataclasses import replace
from types import SimpleNamespace

import pytest

from slrsym.documents.export.build import build, titles_and_claims_of_files
from slrsym.documents.export.chapters import group_by_chapter
from slrsym.documents.export.document import Section
from slrsym.documents.export.latex import LatexRenderer, latex_snippet
from slrsym.documents.export.latex_book import (
    graph_page_latex,
    latex_book_files,
    standalone_claim_files,
    tikz_graph,
)
from slrsym.documents.export.tex_compiler import (
    LatexCompileError,
    TeXMissingError,
    compile_document,
    find_latex_compiler,
)
from slrsym.documents.typeset.elision import (
    REST,
    elide_terms_shared_with_previous_sum,
    signed_terms_of_sum,
)
from slrsym.files import write_export_folder
from slrsym.prover.claims.dependencies import read_table
from slrsym.prover.claims.verification import ClaimSummary
from tests._profile import thorough_only
from tests.documents.export.conftest import as_if_proved
from tests.documents.export.site_check import linked

needs_tex = pytest.mark.skipif(
    shutil.which("pdflatex") is None or shutil.which("latexmk") is None,
    reason="no LaTeX: apt-get install texlive-latex-extra texlive-fonts-recommended latexmk",
)
# What SymPy's printer leaves, and no person writes.
ARTEFACTS = (r"\\left\(", r"1\.0(?!\d)", r"\^\{0\.5\}", r"\^\{\\frac\{1\}\{2\}\}",
             r"\}\^\{2\}\{\\left",
             r"\\\\tag\{", r"None")  # fmt: skip


@pytest.fixture(scope="module")
def files(document):
    return {
        name: text for name, text in latex_book_files(document).items() if isinstance(text, str)
    }


@thorough_only
def test_a_book_has_all_its_parts(document, files):
    book = files["book.tex"]
    for part in ("preamble.tex", "notation.tex", "graph.tex", "ledger.tex", "axioms.tex"):
        assert f"\\input{{{part}}}" in book
        assert part in files
    assert "\\tableofcontents" in book
    assert "\\printindex" in book
    sections = re.findall(r"\\input\{(section-\d+\.tex)\}", book)
    assert len(sections) == len(document.sections)
    together = "".join(files[name] for name in sections)
    for claim in document.claims:
        assert together.count(f"\\label{{{claim.id}}}") == 1
        assert f"({claim.id}) at" in files["graph.tex"]
        assert f"\\pageref{{{claim.id}}}" in files["ledger.tex"]


def test_running_heads_leave_room_for_the_chapter(files):
    heads = [h for text in files.values() for h in re.findall(r"\\slrrunning\{(.*)\}\n", text)]
    assert heads
    assert all(len(head) <= 60 and head.count("$") % 2 == 0 for head in heads)
    # A section by itself would put all of its title there first.
    assert "\\renewcommand{\\sectionmark}[1]{}" in files["preamble.tex"]


def test_references_resolve(document, files):
    text = "".join(files.values())
    labels = set(re.findall(r"\\label\{([^}]+)\}", text))
    assert set(re.findall(r"\\(?:cref|pageref)\{([^}]+)\}", text)) <= labels
    assert set(re.findall(r"\\hyperref\[([^\]]+)\]", text)) <= labels
    cited = re.findall(r"\\cite(?:\[[^\]]*\])?\{([^}]+)\}", text)
    assert {key for keys in cited for key in keys.split(",")} <= set(
        re.findall(r"@\w+\{(\w+),", files["references.bib"])
    )


def test_formulas_have_no_artefacts(files):
    for name, text in files.items():
        if name.startswith("section"):
            for artefact in ARTEFACTS:
                assert not re.search(artefact, text), f"{artefact} in {name}"


def test_the_notation_is_the_papers(files):
    text = "".join(files.values())
    for letter in (r"\kappa", r"\nu", r"\mathcal{R}^{<}(\kappa, \nu)", r"k^{\star}", r"\mathbb{E}"):
        assert letter in text
    assert r"\operatorname{erf}^{2}(a)" in text
    # erf(a), not erf of a root in a fraction.
    section = next(
        t for n, t in files.items() if n.startswith("section") and r"\label{lemma-6}" in t
    )
    assert r"\sqrt{1 + 2\lambda^{2}\gamma^{2}}" not in section


def test_claims_have_the_papers_numbers_in_the_papers_order(document):
    numbered = [
        (c.label.kind, int(re.match(r"\d+", c.label.number)[0]))
        for s in document.sections
        for c in s.claims[:1]
        if c.label.kind != "Claim"
    ]
    assert [n for _, n in numbered] == sorted(n for _, n in numbered)
    assert str(document.labels["lemma-18-ii"]) == "Lemma 18 (ii)"
    names = [str(label) for label in document.labels.values()]
    assert len(set(names)) == len(names)


def test_a_claim_that_is_not_proved_says_so(ledger):
    (row,) = as_if_proved(ledger, ["lemma-18-i"])
    for status in ("failed", "conditional"):
        bad = ClaimSummary(**{**row.__dict__, "status": status, "error": "step 1 is {refused}_&"})
        document = build(ledger, [bad], {})
        (claim,) = document.claims
        text = "".join(latex_book_files(document).values())
        assert f"\\slrunproved{{{status}}}" in text
        assert r"step 1 is \{refused\}\_\&" in text
        assert "0 of 1 claims proved" in text
        assert "slrqed " not in text.split("\\begin{document}")[-1]
        assert (claim.proof == ()) == (status == "failed")
        assert "Proved" not in str(claim.evidence)


def test_claims_that_were_not_verified_are_refused(ledger):
    with pytest.raises(ValueError, match="lemma-18-ii was not verified"):
        build(ledger, as_if_proved(ledger, ["lemma-18-i"]), {}, ["lemma-18-ii"])


def test_a_sentence_that_names_a_function_says_which(ledger):
    """Also where the statement has said it: no empty reason takes its place."""
    made = build(ledger, as_if_proved(ledger, ["in-context-flow-balance"]), {})
    text = "".join(latex_book_files(made).values())
    assert "By ." not in text
    assert re.sub(r"[\s&]", "", text).count("f(u,U)=u^{2}-U^{2}") == 2


def test_a_snippet_is_the_equation_alone(document):
    claim = next(c for c in document.claims if c.id == "lemma-18-ii")
    assert latex_snippet(claim.statement[0]) == (
        r"\mathbb{E}\bigl[\operatorname{erf}(t + \gamma G)\bigr] = \operatorname{erf}(t/A)"
    )
    long = next(c for c in document.claims if c.id == "excess-risk-stable")
    assert latex_snippet(long.statement[0]).startswith("\\begin{aligned}")


def test_the_graph_has_room(document):
    """In the text if it fits there, on a page of its own otherwise; nodes are apart, and links."""
    for count in (3, len(document.claims)):
        claims = document.claims[:count]
        part = replace(document, sections=(replace(document.sections[0], claims=tuple(claims)),))
        drawn, width, height = tikz_graph(linked(part))
        assert drawn.count("\\hyperref[") == len(claims)
        places = re.findall(r"at \(([\d.-]+),([\d.-]+)\)", drawn)
        spots = [(float(x), float(y)) for x, y in places]
        for number, (x, y) in enumerate(spots):
            assert 16 <= x <= width - 16
            assert all(abs(x - u) >= 33 or abs(y - v) >= 10 for u, v in spots[number + 1 :])
        page = "\n".join(graph_page_latex("lead", width, height))
        assert ("pdfpagewidth" in page) == (width > 160 or height > 215)


def _complaints(log: str) -> list[str]:
    wide = [w for w in re.findall(r"Overfull \\hbox \(([\d.]+)pt too wide\)", log) if float(w) > 5]
    # Lines of the log are broken at 79 characters.
    undefined = re.findall(r"LaTeX Warning: (?:Reference|Citation|Label|There were)[^.]*", log)
    return [*(f"overfull by {w} pt" for w in wide), *undefined, *re.findall(r"^! .*", log, re.M)]


def with_foundations(ledger):
    """Rows for all claims, with what they rest on by the table; other tests verify them."""
    table, rows = read_table(), []
    for claim in ledger.claims.values():
        below, ahead = set(), [claim.id]
        while ahead:
            below.add(name := ahead.pop())
            ahead += set(table[name].depends) - below
        axioms = tuple(sorted({axiom for name in below for axiom in table[name].axioms}))
        (row,) = as_if_proved(ledger, [claim.id], axioms)
        status = {"depends": table[claim.id].depends}
        if claim.is_empirical:
            status |= {"status": "empirical", "trials": "1,000 tasks with lambda <= 1e3_%, none"}
        elif claim.certificate() is not None:
            status |= {"status": "certified", "box": "lambda in [1/10, 2]_%"}
        rows.append(replace(row, **status))
    return rows


@needs_tex
@thorough_only
def test_the_whole_book_compiles(ledger, tmp_path):
    document = build(ledger, with_foundations(ledger), {})
    write_export_folder(tmp_path / "book", latex_book_files(document))
    pdf = compile_document(tmp_path / "book", "book.tex")
    assert pdf.read_bytes().startswith(b"%PDF")
    log = (tmp_path / "book/book.log").read_text(encoding="latin-1")
    pages = re.search(r"Output written on book\.pdf \((\d+) pages", log)
    assert int(pages[1]) >= 60
    assert _complaints(log) == []


@pytest.mark.parametrize(
    "line",
    [
        r"Overfull \hbox (5.01pt too wide) in paragraph at lines 3--4",
        "LaTeX Warning: Reference `lemma-6' on page 3 undefined on input line 9.",
        "LaTeX Warning: Citation `folland1999' on page 3 undefined on input line 9.",
        "LaTeX Warning: There were undefined references.",
        "LaTeX Warning: Label `lemma-6' multiply defined.",
        "! Undefined control sequence.",
    ],
)
def test_what_is_wrong_with_a_log_is_noticed(line):
    assert _complaints(f"fine\n{line}\nmore\n")
    assert not _complaints("Overfull \\hbox (4.99pt too wide) in paragraph at lines 3--4\n")


@needs_tex
@thorough_only
def test_a_claim_compiles_by_itself(document, tmp_path):
    claim = next(c for c in document.claims if c.id == "lemma-6")
    for name, text in standalone_claim_files(document, claim).items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert compile_document(tmp_path, "lemma-6.tex").is_file()
    assert not _complaints((tmp_path / "lemma-6.log").read_text(encoding="latin-1"))


@needs_tex
def test_the_error_of_tex_is_told(tmp_path):
    (tmp_path / "wrong.tex").write_text(
        "\\documentclass{article}\\begin{document}\\nosuchmacro\\end{document}"
    )
    with pytest.raises(LatexCompileError, match="Undefined control sequence"):
        compile_document(tmp_path, "wrong.tex")
    assert not (tmp_path / "wrong.pdf").exists()
    (tmp_path / "lacking.tex").write_text(
        "\\documentclass{article}\\usepackage{nosuch}\\begin{document}x\\end{document}"
    )
    with pytest.raises(
        LatexCompileError, match=r"nosuch\.sty.*apt-get install .*texlive-latex-extra"
    ):
        compile_document(tmp_path, "lacking.tex")


def test_without_tex_it_is_told_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(TeXMissingError, match=r"apt-get install .*texlive-latex-extra"):
        find_latex_compiler()


def test_pdflatex_alone_is_enough(tmp_path, monkeypatch):
    """Without latexmk the programs are run one by one."""
    ran = []

    def run(command, cwd, **_):
        ran.append(command[0])
        (cwd / "book.pdf").write_bytes(b"%PDF-")
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr(
        "slrsym.documents.export.tex_compiler.shutil.which", lambda name: name != "latexmk" and name
    )
    monkeypatch.setattr("slrsym.documents.export.tex_compiler.subprocess.run", run)
    (tmp_path / "book.tex").write_text("x")
    assert compile_document(tmp_path, "book.tex").is_file()
    assert ran == ["pdflatex", "bibtex", "makeindex", "pdflatex", "pdflatex", "pdflatex"]


def test_a_claim_of_many_parts_is_not_repeated(ledger):
    """Lemma 4 uses all equations of the chain rule: its statement has them, its proof a word."""
    (claim,) = build(ledger, as_if_proved(ledger, ["lemma-4"]), {}).claims
    written = LatexRenderer({})
    assert written.blocks(claim.statement).count("F_{5}") >= 10
    # What remains of the proof is written out.
    proof = written.blocks(claim.proof)
    assert proof.count("F_{5}") == 0
    assert "All that " in proof
    assert proof.count("align*") >= 2
    # Beside the chain rule its statement has a word, too.
    document = build(ledger, as_if_proved(ledger, ["lemma-4", "lemma-4-chain-rule"]), {})
    (claim,) = (c for c in document.claims if c.id == "lemma-4")
    shown = LatexRenderer(document.labels).blocks(claim.statement)
    assert "F_{5}" not in shown
    assert "F_{5}" not in LatexRenderer(document.labels).blocks(claim.proof)
    assert "All that L4-chain-rule says holds." in shown
    assert shown.count("align*") >= 6


@thorough_only
def test_parts_of_the_same_reason_are_one(ledger):
    (claim,) = build(ledger, as_if_proved(ledger, ["lemma-4-chain-rule"]), {}).claims
    shown = LatexRenderer({}, brief=True).claim(claim)
    assert "\\slrgroup{Parts 1 to 10}\nBy differentiation." in shown
    assert shown.count("slrgroup") == 1


@thorough_only
def test_short_formulas_without_reasons_stand_beside_each_other(ledger):
    (claim,) = build(ledger, as_if_proved(ledger, ["lemma-4-chain-rule"]), {}).claims
    (three, *_) = LatexRenderer({}).blocks(claim.statement).split("\\end{align*}")
    assert three.count("=") >= 3
    assert three.count(", \\qquad ") == three.count("=") - 1
    # All are there, and none twice.
    displays = LatexRenderer({}).blocks(claim.statement)
    assert displays.count("=") == len(claim.statement) == 10
    # In a proof each stands with its reason.
    assert "\\qquad" not in LatexRenderer({}).blocks(claim.proof)


def test_a_long_step_shows_what_it_changes(document):
    """With what it shares with the line before, what is written is the whole line again."""
    seen = 0
    for claim in document.claims:
        for display in claim.displays():
            for before, after in itertools.pairwise(f.box for f in display.formulas):
                old, new, short = (
                    Counter(signed_terms_of_sum(b))
                    for b in (before, after, elide_terms_shared_with_previous_sum(before, after))
                )
                rest = (False, REST)
                if rest in short:
                    del short[rest]
                    kept = sum((old & new).values())
                    assert sum(short.values()) + kept == sum(new.values())
                    assert sum((short - new).values()) <= sum((old - new).values())
                    seen += 1
    assert seen >= 5


@thorough_only
def test_chapters_come_after_what_they_use(ledger):
    """All files have a place, and but for Theorem 1 and Proposition 15 none uses a later one."""
    every, table = [], read_table()
    for _, inside in titles_and_claims_of_files(ledger.claims.values()):
        claims = (
            SimpleNamespace(id=c.id, depends=table[c.id].depends, place=(c.file, 1)) for c in inside
        )
        every.append(Section((), tuple(claims), inside[0].file.stem))
    made = group_by_chapter(every)
    assert "Further claims" not in [chapter.title for chapter in made]
    later = {claim.id: section.file for section in every for claim in section.claims}
    wrong = set()
    for section in (section for chapter in made for section in chapter.sections):
        for claim in section.claims:
            wrong |= {(section.file, later[id]) for id in claim.depends if id in later}
            del later[claim.id]
    assert {(a, b) for a, b in wrong if a != b} <= {("theorem_01", "proposition_15")}
    assert [chapter.title for chapter in group_by_chapter(every[:3])] == [""]


def test_notation_has_no_page_of_partial_derivatives(ledger):
    """Their letters are named; written out, they took two pages."""
    text = latex_book_files(build(ledger, as_if_proved(ledger, ["lemma-16"]), {}))["notation.tex"]
    assert "are the partial derivatives of the risk" in text
    assert not re.search(r"D_\{\\(?:kappa|nu|rho)\}\s*&?\s*=", text)


def test_chapters_do_not_leave_a_page_white(files):
    """They begin below the last one: the class would clear the page."""
    chapter = files["preamble.tex"].partition("\\renewcommand{\\chapter}")[2]
    assert chapter
    assert "clearpage" not in chapter.partition("\\makeatother")[0]

"""The files of a LaTeX document: a book with its graph, or one claim that compiles by itself."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from importlib.resources import files
from typing import Any

from slrsym.documents.export.bibliography import bibtex_file_text
from slrsym.documents.export.chapters import Chapter, chapters_used, group_by_chapter
from slrsym.documents.export.claim_graph_layout import arrange_graph, route_arrows
from slrsym.documents.export.document import (
    DEFAULT_TITLE,
    SEVERAL,
    Citation,
    ClaimEntry,
    ClaimReference,
    Document,
    Section,
)
from slrsym.documents.export.errata import LEAD
from slrsym.documents.export.latex import LatexRenderer
from slrsym.documents.export.prose import escape_latex, split_at_dollar_signs
from slrsym.prover.rules.axioms import find_axiom

_PREAMBLE = files(__package__) / "templates" / "preamble.tex"


def latex_preamble() -> str:
    r"""Return the LaTeX source before ``\begin{document}``, with an environment for each kind."""
    return _PREAMBLE.read_text(encoding="utf-8")


MAIN = "book.tex"
# What the site is called among what stands beside a book.
SITE = "Site"

_AUTHOR = "The slrsym authors"
_TITLE = r"""\title{%s}
\author{%s}
\date{%s}
\hypersetup{pdftitle={%s},pdfauthor={%s}}
"""


def latex_book_files(
    document: Document, title: str | None = None, beside: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Return the files of a LaTeX book by name: texts as strings, and pictures as bytes."""
    beside = beside or {}
    renderer = LatexRenderer(
        document.labels,
        {claim.id for claim in document.claims},
        {axiom.id: axiom.users for axiom in document.axioms},
        brief=True,
        pictured=bool(document.notation),
        site=beside.get(SITE, ""),
    )
    files = {"preamble.tex": latex_preamble()}
    parts = group_by_chapter(document.sections)
    titled = bool(parts) and bool(parts[0].title)
    body = ["\\input{preamble.tex}", "\\makeindex", _head(document, title), "\\begin{document}"]
    body += ["\\maketitle", _introduction(document, title is None), _links(beside)]
    if not titled:
        body.append("\\renewcommand{\\thesection}{\\arabic{section}}")
    body += ["{\\parskip=0pt\\small\\tableofcontents}", "\\clearpage"]

    level = "chapter" if titled else "section"

    def add(heading: str, name: str, text: str) -> None:
        body.extend([
            f"\\{level}*{{{heading}}}", f"\\markboth{{{heading}}}{{}}",
            f"\\addcontentsline{{toc}}{{{level}}}{{{heading}}}", f"\\input{{{name}}}",
        ])  # fmt: skip
        files[name] = text

    if titled:
        add("Statements of the paper", "statements.tex", _statements(document, renderer))
        add("Roadmap", "roadmap.tex", _roadmap(parts, renderer))
        add("How to read a step", "reading.tex", _READING)
    if document.notation:
        add("Notation", "notation.tex", _notation(document, renderer))
        body.append("\\markboth{}{}")
    number = 0
    for chapter in parts:
        if chapter.title:
            body.append(f"\\chapter{{{chapter.title}}}\n{_prose(chapter.about, renderer)}\n")
        for section in chapter.sections:
            number += 1
            name = f"section-{number:02d}.tex"
            files[name] = _section(section, renderer)
            body.append(f"\\input{{{name}}}")
    graph, width, height = tikz_graph(document)
    files["graph.tex"] = graph + "\n"
    body += ["\\clearpage", *graph_page_latex(_GRAPH % (level, level), width, height)]
    add("Ledger", "ledger.tex", _ledger(document))
    if document.errata:
        add("Errata and remarks", "errata.tex", _errata(document, renderer))
    if document.axioms:
        add("Axioms", "axioms.tex", _axioms(document, renderer))
    if any("\\cite" in text for text in (*files.values(), *body)):
        body += _ending()
    body += ["\\printindex", "\\end{document}", ""]
    files["references.bib"] = _bibliography(document)
    files[MAIN] = "\n".join(body)
    return files | {f"{picture.name}.pdf": picture.pdf() for picture in renderer.drawn}


def standalone_claim_files(document: Document, claim: ClaimEntry) -> dict[str, str]:
    """Return the files, by name, of a LaTeX document of one claim, which compiles by itself."""
    axioms = tuple(a for a in document.axioms if a.id in claim.axioms)
    alone = Document((Section((), (claim,)),), axioms, document.labels, (), document.version)
    users = {axiom.id: axiom.users for axiom in axioms}
    renderer = LatexRenderer(document.labels, {claim.id}, users, brief=True)
    body = [latex_preamble(), "\\begin{document}", renderer.claim(claim)]
    if axioms:
        items = "\n".join(renderer.axiom(replace(axiom, users=())) for axiom in axioms)
        body += ["\\paragraph{Axioms}", _LIST % items]
    references = [a.reference for a in axioms]
    if any(isinstance(piece, Citation) for reference in references for piece in reference):
        body += _ending(claim.id)
    body += ["\\end{document}", ""]
    return {f"{claim.id}.tex": "\n".join(body), f"{claim.id}.bib": _bibliography(alone)}


_ALL = r"This is every claim of the %s~\cite{%s} that slrsym checks, and what is needed besides."
_NUMBERS = " The number of a claim is that of %s; what is called a Claim has no number there."
_INTRODUCTION = r"""\noindent
%s Statements, proofs and formulas are printed from the objects that were checked.%s Each step of a
proof is checked by a proof checker and, where it can be evaluated, by numbers at random points of
the domain, where expectations are integrated from their definition. The paragraphs that open
statements are written by hand.
"""

_GRAPH = r"""\%s*{What rests on what}
\addcontentsline{toc}{%s}{What rests on what}\markboth{What rests on what}{}
\noindent Arrows go from a claim to those that use it; an arrow that follows from others is left
out. Each claim is a link.\par\bigskip"""

_LIST = "\\begin{description}\\setlength{\\itemsep}{0.3em}\n%s\n\\end{description}"


_READING = r"""\noindent
A proof is a chain of relations. At the right of each line stand the number of the step and its
reason: a rule, such as \emph{algebra}, \emph{differentiation} or \emph{Stein's lemma}, a claim of
this book, or a theorem of the literature, which is then listed among the axioms. What is put for
the letters of a claim stands behind it, as in \emph{Lemma 18 (ii), $\gamma\to s$}.

The proof checker has accepted evidence for each step of a claim that is called proved.
Independently of that, both sides were evaluated at random points of the domain,
expectations by quadrature from their definition; the fewest digits to which they agreed anywhere
in the proof stand in the margin, with the number of steps and that of the axioms it rests on,
through other claims too.

In long formulas three dots $\cdots$ stand for the terms that are those of the line before: what
is written is what the step has changed. Where a proof ends with the right-hand side of its
statement, dots may stand for terms of that. Cases, premises and inductions are indented below the
step that needs them. Greek and Roman letters that are not introduced in a claim are those of the
page Notation.

Steps have names. Step 7 of Proposition 15 is P15.7, here as on the site, in \texttt{slrsym verify
-v} and in notebooks; \texttt{slrsym verify -{}-claim P15 -v} shows that proof with the digits of
each step. A claim that the paper does not number is called by the name under which it stands in
the ledger.
"""


def _title(document: Document) -> str:
    if not document.papers:
        return DEFAULT_TITLE
    about = document.papers[0].title if len(document.papers) == 1 else SEVERAL
    return f"{about}: the derivations, as they are checked"


def _head(document: Document, title: str | None) -> str:
    proved = sum(claim.status == "proved" for claim in document.claims)
    said = (
        f"{proved} of {len(document.claims)} claims proved{_others(document)}\\\\[0.2em]"
        rf"{{\small written by slrsym {escape_latex(document.version)}}}"
    )
    shown = escape_latex(title or _title(document))
    return _TITLE % (shown, _AUTHOR, said, shown, _AUTHOR)


def _prose(text: str, renderer: LatexRenderer) -> str:
    return renderer.inline(split_at_dollar_signs(text))


def _statements(document: Document, renderer: LatexRenderer) -> str:
    """Return the LaTeX of the list of numbered statements, in the paper's order, with pages."""
    rows = []
    for claim in document.claims:
        if claim.label.kind != "Claim":
            mark = "" if claim.status == "proved" else f" ({claim.status})"
            title = f"{renderer.inline(claim.title)}{mark}"
            rows.append((_linked_label(claim), title, f"\\pageref{{{claim.id}}}"))
    return "\n".join([*_small_table("p{34mm}p{100mm}r", rows), ""])


def _small_table(columns: str, rows: Iterable[Sequence[str]], heading: str = "") -> list[str]:
    """Return the LaTeX lines of a table in small letters, with rules if it has a heading."""
    ends = ["\\toprule", f"{heading} \\\\", "\\midrule\\endhead", "\\bottomrule\\endfoot"]
    return [
        f"{{\\small\\begin{{longtable}}{{@{{}}{columns}@{{}}}}",
        *(ends if heading else ()),
        *(" & ".join(row) + " \\\\" for row in rows),
        "\\end{longtable}}",
    ]


def _linked_label(claim: ClaimEntry) -> str:
    return f"\\hyperref[{claim.id}]{{{escape_latex(str(claim.label))}}}"


def _roadmap(parts: Sequence[Chapter], renderer: LatexRenderer) -> str:
    """Return the LaTeX of the roadmap: chapters, their subjects, and the chapters they use."""
    lines = ["\\begin{enumerate}"]
    for chapter in parts:
        numbers = [str(parts.index(other) + 1) for other in chapters_used(chapter, parts)]
        needed = f" It uses {'chapter' if len(numbers) == 1 else 'chapters'} " if numbers else ""
        said = f"\\textbf{{{chapter.title}.}} {_prose(chapter.about, renderer)}"
        lines.append(f"\\item {said}{needed}{_and(numbers)}{'.' if numbers else ''}")
    return "\n".join([*lines, "\\end{enumerate}", ""])


def _and(words: Sequence[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def _introduction(document: Document, whole: bool) -> str:
    papers = document.papers
    keys = ",".join(paper.bibtex_key for paper in papers)
    many = "papers" if len(papers) > 1 else "paper"
    if whole and papers:
        return _INTRODUCTION % (_ALL % (many, keys), _NUMBERS % "its paper")
    count = len(document.claims)
    what = f"This is what slrsym says of {count} claim{'' if count == 1 else 's'}."
    numbered = any(claim.label.kind != "Claim" for claim in document.claims)
    source = rf"the {many}~\cite{{{keys}}}" if papers else "its source"
    return _INTRODUCTION % (what, _NUMBERS % source if numbered else "")


def _links(beside: Mapping[str, str]) -> str:
    """Return a LaTeX line of links to the other forms of a document; empty if there are none."""
    links = [f"\\href{{{address}}}{{{name}}}" for name, address in beside.items()]
    return f"\\noindent See also: {', '.join(links)}." if links else ""


# A running head of more characters would reach into that of the chapter.
_RUNNING = 60
_FORMULA = re.compile(r"(?<!\\)\$(.*?)(?<!\\)\$")
_MARKUP = re.compile(r"[\\{}^_]|operatorname|mathbb")


def _section(section: Section, renderer: LatexRenderer) -> str:
    title = renderer.inline(section.title)
    # What bookmarks can show of a formula.
    plain = _FORMULA.sub(lambda found: _MARKUP.sub("", found[1]), title).strip()
    # As much of it as fits, in whole parts.
    parts = (title.partition(":")[0], title.partition(",")[0])
    whole = (part for part in parts if len(part) <= _RUNNING and part.count("$") % 2 == 0)
    short = next(whole, "")
    head = f"\\section{{\\texorpdfstring{{{title}}}{{{plain}}}}}\\slrrunning{{{short}}}"
    return "\n".join([head, *(renderer.claim(claim) for claim in section.claims), ""])


def _notation(document: Document, renderer: LatexRenderer) -> str:
    lines = ["\\phantomsection\\label{notation}"]
    for table in document.notation:
        if len(document.notation) > 1:
            lines.append(f"\\paragraph{{{escape_latex(table.paper)}}}")
        lines.append("\\begin{longtable}{@{}ll@{}}")
        for symbol, meaning in table.rows:
            lines.append(f"{renderer.inline(symbol)} & {renderer.inline(meaning)} \\\\")
        lines.append("\\end{longtable}")
        lines.append(renderer.blocks(block for _, blocks in table.parts for block in blocks))
    return "\n".join(lines) + "\n"


def _ledger(document: Document) -> str:
    steps = sum(claim.steps for claim in document.claims)
    proved = sum(claim.status == "proved" for claim in document.claims)
    told = f"{proved} of {len(document.claims)} claims proved{_others(document)}, in {steps} "
    rows = []
    for claim in document.claims:
        name = escape_latex(claim.id).replace("-", "-\\allowbreak ")
        rows.append((
            f"\\texttt{{\\footnotesize {name}}}",
            _linked_label(claim),
            f"\\textcolor{{slr{claim.status}}}{{{claim.status}}}",
            str(claim.steps),
            "--" if claim.digits is None else str(claim.digits),
            str(len(claim.axioms)),
            f"\\pageref{{{claim.id}}}",
        ))  # fmt: skip
    heading = "claim & & status & steps & digits & axioms & page"
    table = _small_table("p{52mm}p{34mm}lrrrr", rows, heading)
    return "\n".join([f"{told}steps.\\par", *table, ""])


def _others(document: Document) -> str:
    """Return the text ", N STATUS" for each status of a document's claims but ``proved``."""
    counts = Counter(claim.status for claim in document.claims)
    return "".join(f", {n} {status}" for status, n in counts.items() if status != "proved")


def _axioms(document: Document, renderer: LatexRenderer) -> str:
    lead = "Facts that the proofs use and that are not proved here, each with its reference.\n"
    return lead + _LIST % "\n".join(map(renderer.axiom, document.axioms)) + "\n"


def _errata(document: Document, renderer: LatexRenderer) -> str:
    lines = [escape_latex(LEAD)]
    for paper in document.errata:
        if len(document.errata) > 1:
            lines.append(f"\n\\subsection*{{{escape_latex(paper.paper)}}}")
        for heading, paragraphs in paper.entries:
            said = "\n\n".join(map(renderer.inline, paragraphs))
            lines.append(f"\\paragraph{{{_prose(heading, renderer)}}} {said}")
    rows = [
        (renderer.piece(ClaimReference(claim.id)), _prose(claim.compared_to_source, renderer))
        for claim in document.claims
        if claim.compared_to_source
    ]
    table = _small_table("p{34mm}p{90mm}", rows, "claim & compared to the paper")
    return "\n".join([*lines, *table, ""])


def _ending(name: str = "references") -> list[str]:
    return ["\\bibliographystyle{plain}", f"\\bibliography{{{name}}}"]


def _bibliography(document: Document) -> str:
    references = [find_axiom(entry.id).reference for entry in document.axioms]
    return bibtex_file_text(references, document.papers)


# Of a page of the text, and of a node, in mm; a row has that much room at least.
_TEXT_WIDTH, _TEXT_HEIGHT = 160.0, 215.0
_NODE_WIDTH, _NODE_HEIGHT = 32.0, 8.0
_COLUMN, _ROW, _LOOSE_ROW = 38.0, 15.0, 17.0
# How many claims stand beside each other: on a page of the text, and on one of its own.
_FEW, _MANY = 4, 10
_CLEAR, _BESIDE = 1.2, 0.8
_MARGIN = 20.0


def tikz_graph(document: Document) -> tuple[str, float, float]:
    """Return the TikZ picture of the dependency graph, with its width and height."""
    depends = {claim.id: claim.depends for claim in document.claims}
    graph = arrange_graph(depends, _FEW)
    if graph.rows * _ROW > _TEXT_HEIGHT:
        graph = arrange_graph(depends, _MANY)
    width = graph.columns * _COLUMN
    row = min(_LOOSE_ROW, max(_ROW, _TEXT_HEIGHT / max(graph.rows, 1)))
    places = {node.id: (node.column * _COLUMN, -node.row * row) for node in graph.nodes}
    reach = _NODE_WIDTH / 2 + _CLEAR
    ways = route_arrows(graph, places, reach, (_CLEAR, width - _CLEAR), _BESIDE)
    status = {claim.id: claim.status for claim in document.claims}
    lines = [
        "\\begin{tikzpicture}[x=1mm,y=1mm,every node/.style={draw,rounded corners=1.5pt,"
        f"text width={_NODE_WIDTH - 2:g}mm,align=center,inner sep=1mm,font=\\scriptsize,"
        f"minimum height={_NODE_HEIGHT:g}mm}},>=stealth]"
    ]
    for node in graph.nodes:
        x, y = places[node.id]
        name = document.labels[node.id]
        label = escape_latex(node.id if name.kind == "Claim" else str(name))
        lines.append(
            f"\\node[draw=slr{status[node.id]},fill=slr{status[node.id]}!7] ({node.id}) "
            f"at ({x:.1f},{y:.1f}) {{\\hyperref[{node.id}]{{{label}}}}};"
        )
    lines.append("\\begin{scope}[on background layer]")
    for one, other in graph.edges:
        way = [places[one], *ways[one, other], places[other]]
        lines.append(f"\\draw[->,black!40] {_way(way)};")
    lines += ["\\end{scope}", "\\end{tikzpicture}"]
    return "\n".join(lines), width, max(graph.rows - 1, 0) * row + _NODE_HEIGHT


def _way(points: Sequence[tuple[float, float]]) -> str:
    """Return the TikZ path of an arrow through given points."""
    half = _NODE_HEIGHT / 2
    x, y = points[0]
    y -= half
    drawn = f"({x:.1f},{y:.1f})"
    for number, (right, middle) in enumerate(points[1:], start=1):
        below = middle + half
        bend = (y + below) / 2
        drawn += f" .. controls ({x:.1f},{bend:.1f}) and ({right:.1f},{bend:.1f}) .. "
        drawn += f"({right:.1f},{below:.1f})"
        if number < len(points) - 1:
            drawn += f" -- ({right:.1f},{middle - half:.1f})"
        x, y = right, middle - half
    return drawn


def graph_page_latex(lead: str, width: float, height: float) -> list[str]:
    """Return LaTeX lines that show the dependency graph, on a larger page if it needs one."""
    if width <= _TEXT_WIDTH and height <= _TEXT_HEIGHT:
        return [lead, "\\noindent\\input{graph.tex}", "\\clearpage"]
    paper = (max(width, _TEXT_WIDTH) + 2 * _MARGIN, height + 2 * _MARGIN + 40)
    return [
        f"\\clearpage\\pdfpagewidth={paper[0]:.0f}mm\\pdfpageheight={paper[1]:.0f}mm",
        "\\thispagestyle{empty}",
        lead,
        "\\noindent\\vbox to 0pt{\\hbox to 0pt{\\input{graph.tex}\\hss}\\vss}",
        "\\clearpage\\pdfpagewidth=210mm\\pdfpageheight=297mm",
    ]

"""Claims of one's own, whose titles, sources, symbols and numbers are not those of the paper."""

import re
from dataclasses import replace

import pytest
from sympy import Eq, Function, ImmutableMatrix, IndexedBase, Subs, Sum, Symbol, exp, sin, sqrt

from slrsym.documents.export.bibliography import bibtex_file_text
from slrsym.documents.export.build import build
from slrsym.documents.export.document import Math, Section, Text
from slrsym.documents.export.html import HtmlRenderer
from slrsym.documents.export.latex import LatexRenderer
from slrsym.documents.export.latex_book import latex_book_files
from slrsym.documents.export.prose import escape_latex
from slrsym.documents.export.site import site_files
from slrsym.documents.export.tex_compiler import compile_document
from slrsym.documents.typeset import FormulaPrinter, PrintingOrder, break_lines, to_latex, to_mathml
from slrsym.documents.typeset.letters import box_of_symbol_name
from slrsym.proof import Claim
from slrsym.prover.claims.ledger import Ledger
from tests._profile import THOROUGH, more, thorough_only
from tests.conftest import claim_text
from tests.documents.export.conftest import as_if_proved
from tests.documents.export.test_latex import needs_tex
from tests.documents.reading.formulas import read_display
from tests.documents.reading.roundtrip import read_back

X, Y = Symbol("x", real=True), Symbol("y", real=True)
HEADER = """
from sympy import Eq, Function, ImmutableMatrix, IndexedBase, Sum, Symbol, exp, sin
from slrsym.proof import Claim, algebra, chain

x = Symbol("x", real=True)
primed, beta, umlaut, kanji = (Symbol(name, real=True) for name in ("x'", "β", "größe", "変"))
many = [Symbol(f"a{i}", real=True) for i in range(40)]
"""
ODD = claim_text("odd", "(x - primed)*(x + primed)*beta", "beta*x**2 - beta*primed**2") + (
    claim_text("foreign", "2*umlaut + kanji + umlaut", "kanji + 3*umlaut")
    + claim_text("crowd", "sum(many) + sum(many)", "2*sum(many)")
)
TITLE = r"""50% & $3_x of #7 {b} ~^\ <i> λ ≤ ∞, Erdős said "why" 漢"""


@pytest.fixture(scope="module")
def odd(tmp_path_factory):
    file = tmp_path_factory.mktemp("odd") / "odd.py"
    text = HEADER + ODD.replace('source="test"', f"title={TITLE!r}, source={TITLE!r}")
    file.write_text(f'"""{TITLE[:-10]}."""\n'.replace("\\", "\\\\") + text, encoding="utf-8")
    ledger = Ledger.load(file)
    assert ledger.problems == []
    verdicts = {}
    rows = ledger.verify(on_verdict=lambda v: verdicts.__setitem__(v.id, v))
    assert [row.status for row in rows] == ["proved"] * 3
    return build(ledger, rows, verdicts, notation=False)


def test_other_alphabets_and_signs_in_text():
    assert escape_latex("café 中 λ ≤ Γ²") == r"café ? $\lambda$ $\le$ $\Gamma$$^2$"
    assert escape_latex("Erdős, Łojasiewicz, Nešetřil, í") == (
        r"Erd\H{o}s, \L{}ojasiewicz, Ne\v{s}et\v{r}il, í"
    )
    assert escape_latex('He said "so" ("maybe").') == "He said ``so'' (``maybe'')."
    assert escape_latex("by `a_b` and ``c``") == r"by \texttt{a\_b} and \texttt{c}"
    assert HtmlRenderer({}).inline([Text("by `a<b`")]) == "by <code>a&lt;b</code>"


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("x'", "x'"),
        ("x''_1", "x_{1}''"),
        ("λ", r"\lambda"),
        ("Γ_2", r"\Gamma_{2}"),
        ("größe", r"\text{größe}"),
        ("変", r"\text{U+5909}"),
        # Names in LaTeX, as models have them.
        (r"\langle k, v^*\rangle", r"\langle k, v^{\star}\rangle"),
        (r"\langle k_1, \lambda'\rangle_2", r"\langle k_{1}, \lambda'\rangle_{2}"),
        ("X_{k}^{(1)}", "X_{k}^{(1)}"),
        ("X_{k^*_1}", r"X_{k_{1}^{\star}}"),
        ("{k^*}_{1}", r"k_{1}^{\star}"),
        ("{k_1}_{2}", "(k_{1})_{2}"),
        ("x_{2", r"x_{\mathrm{2}}"),
    ],
)
def test_names_of_symbols(name, shown):
    assert to_latex(box_of_symbol_name(name)) == shown


def test_letters_are_counted_as_numbers():
    names = [Symbol(f"x{i}") for i in (10, 2, 1)]
    assert [s.name for s in sorted(names, key=PrintingOrder().symbol_key)] == ["x1", "x2", "x10"]


def test_a_primed_letter_is_read_as_itself():
    x, primed = Symbol("x", real=True), Symbol("x'", real=True)
    expr = primed**2 * x + 2 * primed
    shown = to_latex(FormulaPrinter().box(expr))
    assert shown == "x(x')^{2} + 2x'"
    display = f"\\begin{{align*}}\n& {shown}\n\\end{{align*}}"
    assert read_display(display, {"x": x, "x'": primed}) == [expr]


def test_long_lists_of_letters_stay_in_their_sentence(odd):
    crowd = next(claim for claim in odd.claims if claim.id == "crowd")
    (lists,) = (p for p in crowd.assumptions[0].parts if isinstance(p, Math))
    tex = latex_book_files(odd, title="Mine")["section-01.tex"]
    assert to_latex(lists.box).startswith("a_{0}, a_{1}, a_{2}, a_{3}")
    assert re.search(r"Let \$a_\{0\},\\allowbreak a_\{1\},.*a_\{39\} \\in \\mathbb\{R\}\$\.", tex)


def test_a_book_of_other_claims_does_not_say_that_it_is_the_papers(odd):
    files = latex_book_files(odd, title="Mine & yours")
    assert r"\title{Mine \& yours}" in files["book.tex"]
    assert "This is what slrsym says of 3 claims." in files["book.tex"]
    assert not re.search(r"single-location|of the paper|\\cite|\\bibliography", files["book.tex"])


def test_numbers_of_another_work_are_not_said_to_be_the_papers():
    x = Symbol("x", real=True)
    own = Claim(id="lemma-7", statement=Eq(2 * x, x + x, evaluate=False), source="Lemma 7")
    ledger = Ledger({own.id: own})
    built = build(ledger, as_if_proved(ledger, [own.id], ()), {}, notation=False)
    text = latex_book_files(built, title="Mine")["book.tex"]
    assert "The number of a claim is that of its source;" in text
    assert "cite" not in text


@more
def test_some_of_the_papers_claims_are_not_called_all(document):
    text = latex_book_files(document, title="Some")["book.tex"]
    assert "every claim" not in text
    # The few claims of dev are all of the first paper.
    papers = (
        "papers~\\cite{marion2025,saad1995,zhang2024}" if THOROUGH else "paper~\\cite{marion2025}"
    )
    papers = f"of the {papers}"
    assert f"The number of a claim is that {papers}" in text
    assert f"This is every claim {papers}" in latex_book_files(document)["book.tex"]


@thorough_only
@needs_tex
def test_odd_claims_compile(odd, tmp_path):
    sections = tuple(Section((*s.title, Text(TITLE)), s.claims) for s in odd.sections)
    wild = odd.__class__(sections, odd.axioms, odd.labels)
    for name, text in latex_book_files(wild, title=TITLE).items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert compile_document(tmp_path, "book.tex").is_file()


def test_a_letter_for_something_of_the_variable_is_no_other_variable(ledger):
    """Of both sides the derivative is d/ds, though one of them is written with B."""
    (claim,) = build(ledger, as_if_proved(ledger, ["zeta-at-zero-arctangent"]), {}).claims
    text = LatexRenderer({}).blocks(claim.proof)
    assert "{B}" in text or "1/B" in text
    assert text.count(r"\frac{\mathrm{d}}{\mathrm{d}s}") == 2
    assert r"\partial" not in text


def test_different_symbols_look_different():
    """Of the same letter, or of the same name with other assumptions."""
    pairs = [
        (Symbol("x1", real=True), Symbol("x_1", real=True)),
        (Symbol("x", real=True), Symbol("x", positive=True)),
        (Symbol("lam", positive=True), Symbol("lambda", real=True)),
        (Symbol("k_star", real=True), Symbol("k_star_", real=True)),
    ]
    claims = {}
    for place, (x, y) in enumerate(pairs):
        statement = Eq((x - y) * (x + y), x**2 - y**2, evaluate=False)
        claims[f"pair-{place}"] = Claim(id=f"pair-{place}", statement=statement, source="test")
    ledger = Ledger(claims)
    built = build(ledger, as_if_proved(ledger, claims), {}, notation=False)
    assert [o.equal for o in read_back(built)[:3]] == [True] * 3
    letters = ["x_{1}'", "x'", r"\lambda'"]
    for claim, shown in zip(built.claims, letters, strict=False):
        found = ", ".join(
            to_latex(p.box) for p in claim.assumptions[0].parts if isinstance(p, Math)
        )
        assert shown in found


def test_functions_in_definitions_of_functions_are_defined():
    """However deep: each definition is written with the next function."""
    x = Symbol("x", real=True)
    values = [x**2 + 1]
    for _ in range(3):
        values.append(sin(values[-1]))
    written = {Function(f"f_{i}", real=True)(x): value for i, value in enumerate(values)}
    last = values[-1]
    statement = Eq(last * (last + 1), last**2 + last, evaluate=False)
    own = Claim(id="nested", statement=statement, source="test", notation=written)
    ledger = Ledger({own.id: own})
    built = build(ledger, as_if_proved(ledger, [own.id]), {}, notation=False)
    text = LatexRenderer({}).claim(built.claims[0])
    for i in range(len(values)):
        assert re.search(rf"f_\{{{i}\}}\(x\)&? = ", text), i


def test_signs_that_mean_something_to_the_tools_of_tex(odd):
    text = LatexRenderer({}).claim(replace(odd.claims[0], rules=("mail me @ home!",)))
    assert r'\slrindex{mail me "@ home"!}%' in text
    entry = bibtex_file_text(["Nobody, {On} curly } brackets {"]).partition("@misc")[2]
    assert r"Nobody, \textbraceleft{}On\textbraceright{} curly" in entry
    assert entry.count("{") == entry.count("}")


def test_long_lists_of_letters_have_lines_on_a_phone(odd):
    crowd = next(claim for claim in odd.claims if claim.id == "crowd")
    (shown,) = (p for p in crowd.assumptions[0].parts if isinstance(p, Math))
    html = HtmlRenderer({}).inline([shown])
    assert 'class="wide"' not in html
    assert html.count("<math") == 40
    assert html.count("</span> <span") == 39
    # What is short is one formula.
    short = Math(FormulaPrinter().box(Symbol("x") + 1))
    assert HtmlRenderer({}).inline([short]).count("<math") == 1


@thorough_only
def test_order_parameters_are_declared_as_the_paper_lists_them(ledger):
    (claim,) = build(ledger, as_if_proved(ledger, ["excess-risk-stable"]), {}).claims
    text = LatexRenderer({}).blocks(claim.assumptions).replace("\\allowbreak", "")
    assert r"$\kappa, \nu, \theta, \eta, \rho \in \mathbb{R}$" in text


def test_a_product_over_two_lines_has_a_sign():
    """Without one, the second line would seem to be another formula."""
    a, b = (sum(Symbol(f"{x}{i}") for i in range(1, 6)) for x in "ab")
    lines = [
        to_latex(line.box)
        for line in break_lines(FormulaPrinter().box(exp(a) * exp(b) * sin(a)), 20.0)
    ]
    assert len(lines) == 3
    assert [line.startswith(r"\cdot ") for line in lines] == [False, True, True]
    # A list has its commas.
    listed = FormulaPrinter().box(Function("f")(a, b, a * 2, b * 2))
    assert not any(r"\cdot" in to_latex(line.box) for line in break_lines(listed, 20.0))


def test_limits_of_sums_take_room_in_fractions():
    """They stand beside the sign there, and below and above it elsewhere."""
    i, n, x = Symbol("i", integer=True), Symbol("n", integer=True, positive=True), IndexedBase("x")
    alone = FormulaPrinter().box(Sum(x[i], (i, 1, n)))
    below = FormulaPrinter().box(1 / Sum(x[i], (i, 1, n)))
    assert below.width > alone.width + 1


def test_matrices_have_columns(odd):
    x = Symbol("x", real=True)
    box = FormulaPrinter().box(Eq(ImmutableMatrix([[1, x + 1], [0, x]]), x * 0, evaluate=False))
    assert r"\begin{pmatrix} 1 & 1 + x \\ 0 & x \end{pmatrix}" in to_latex(box)
    assert to_mathml(box).count("<mtd>") == 4
    # What the lines of a formula have for margins is not for the matrices in it.
    rules = re.findall(r"([^{}]*mtd[^{}]*)\{", site_files(odd, "x")["style.css"])
    assert [rule.strip() for rule in rules] == ["math .lines > mtr > mtd"]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0, r"(1 + x^{2})\Bigr|_{x = 0}"),
        (-Y, r"(1 + x^{2})\Bigr|_{x = -y}"),
        (Y**2 + 1, r"(1 + x^{2})[x := 1 + y^{2}]"),
        (Y / (1 + Y), r"(1 + x^{2})\Bigl[x := \frac{y}{1 + y}\Bigr]"),
    ],
)
def test_no_formula_stands_in_a_subscript(value, shown):
    expr = Subs(X**2 + 1, X, value)
    assert to_latex(FormulaPrinter().box(expr)) == shown
    display = f"\\begin{{align*}}\n& {shown}\n\\end{{align*}}"
    assert read_display(display, {"x": X, "y": Y}) == [expr]


def test_nor_a_letter_that_stands_for_a_formula():
    root = FormulaPrinter().box(sqrt(1 + X))
    shown = to_latex(FormulaPrinter(names={Y: root}).box(Subs(X**2 + 1, X, Y)))
    assert shown == r"(1 + x^{2})[x := \sqrt{1 + x}]"

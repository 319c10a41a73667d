"""The notation of the paper's claims: abbreviations, names of the risk, parts of the table."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from sympy import Basic, Expr, Symbol
from sympy.core.function import UndefinedFunction

from slrsym.documents.export.document import (
    Block,
    ClaimReference,
    Display,
    DisplayedLink,
    LatexMath,
    Math,
    Paragraph,
    Text,
    TypesetFormula,
)
from slrsym.documents.export.paper_notation import PaperNotation
from slrsym.documents.export.prose import ORDER, split_at_dollar_signs
from slrsym.documents.export.shorthand import Shorthand
from slrsym.documents.typeset import FormulaPrinter, choose_declared_laws
from slrsym.documents.typeset.boxes import (
    Box,
    BracketedBox,
    comma_separated_row,
    row_of_boxes,
)
from slrsym.papers.single_location import notation
from slrsym.papers.single_location.documents.abbreviations import (
    NAMES,
    PLANAR_NAMES,
    choose_abbreviations,
    has_meaning_of_notation_table,
    is_defined_in_notation_table,
    planar_map_shorthand_and_letters,
    with_planar_letters,
)
from slrsym.papers.single_location.documents.letter_definitions import (
    explain_letters_of_notation_table,
)
from slrsym.papers.single_location.documents.task_shorthand import TaskShorthand
from slrsym.proof import Claim

# The claim whose right-hand side is the risk on the manifold, and the one that has the closed form.
DEFINES_RISK_ON_M = "lemma-6"
_HAS_CLOSED_FORM = "excess-risk-stable"
_LEADS = {
    "R(6)": "The risk is",
    "R<": "The risk on the manifold is",
    "R^": "The closed form of the risk is",
}


class TaskNotation(PaperNotation):
    """The notation of single-location regression."""

    fixed_spellings: Mapping[str, Box] = NAMES
    other_spellings: Mapping[str, Box] = PLANAR_NAMES
    order: Sequence[str] = tuple(symbol.name for symbol in notation.ORDER_PARAMETERS)
    known_letters: Mapping[str, Symbol] = {"d": notation.d}

    def shorthand(self, claim: Claim, shown: Collection[Basic]) -> TaskShorthand:
        """Return the paper's abbreviations that fit what a claim and its proof display."""
        chosen = choose_abbreviations(shown, risk_on_m=claim.id != DEFINES_RISK_ON_M)
        return with_planar_letters(chosen, shown)

    def is_in_table(self, shorthand: Shorthand, letter: Symbol, value: Expr) -> bool:
        """Return whether the paper's table of notation defines a letter as a claim does."""
        if value in shorthand.local:
            return is_defined_in_notation_table(letter, value)
        return has_meaning_of_notation_table(shorthand, letter)

    def explain_letters(
        self, shorthand: Shorthand, used: set[Symbol], said: Iterable[Any], printer: FormulaPrinter
    ) -> tuple[Block, ...]:
        """Return a paragraph, or none, on those letters of a statement that the table defines."""
        return explain_letters_of_notation_table(shorthand, used, said, printer)

    def function_blocks(
        self,
        function: UndefinedFunction,
        shorthand: Shorthand,
        printer: FormulaPrinter,
        included: Collection[str],
        defined: bool,
    ) -> list[Block]:
        """Return blocks that define a name of the risk, or say where it is defined."""
        name, meaning = function.__name__, shorthand.functions[function]
        if name == "R(6)" and defined:
            return []
        applied = printer.box(function(*meaning.variables))
        if name == "R<" and DEFINES_RISK_ON_M in included:
            text = (Math(applied), Text(" is the risk on the manifold, "))
            return [Paragraph((*text, ClaimReference(DEFINES_RISK_ON_M), Text(".")))]
        if name == "R^" and _HAS_CLOSED_FORM in included and defined:
            said = (Text(" is the closed form of the risk: "), ClaimReference(_HAS_CLOSED_FORM))
            square = Math(printer.box(notation.epsilon**2))
            return [Paragraph((Math(applied), *said, Text(" with "), square, Text(" added.")))]
        spread = getattr(shorthand, "spread", None)
        inner = TaskShorthand(
            dict(shorthand.letters), {}, spread=spread, risk=False, risk_on_m=False
        )
        body = TypesetFormula(printer.box(inner(meaning.expr)), None)
        return [
            Paragraph((Text(_LEADS[name]),)),
            Display(TypesetFormula(applied, None), (DisplayedLink("=", body),)),
        ]

    def last_blocks(self, claim: Claim, printer: FormulaPrinter) -> list[Block]:
        """Return a sentence that names the risk on the manifold, for the claim that defines it."""
        if claim.id != DEFINES_RISK_ON_M:
            return []
        risk, *place = (printer.box(Symbol(letter)) for letter in ("R<", "kappa", "nu"))
        called = row_of_boxes([risk, BracketedBox("(", comma_separated_row(place), ")")])
        return [Paragraph((Text("The right-hand side is called "), Math(called), Text(".")))]

    def table_parts(self) -> tuple[tuple[str, tuple[Block, ...]], ...]:
        """Return the definitions of the risk, and of a step on the manifold."""
        return (("The risk", _risk()), ("On the manifold", _planar()))


NOTATION = TaskNotation()


def _planar() -> tuple[Block, ...]:
    shorthand, letters = planar_map_shorthand_and_letters()
    printer = FormulaPrinter(ORDER, None, NAMES | PLANAR_NAMES)
    steps = split_at_dollar_signs(
        "On the manifold a step takes $(kappa, nu)$ to a point that is marked by a plus, two steps "
        "by $2+$. The slopes of the risk there are called"
    )
    slopes = split_at_dollar_signs(
        "$D_kappa$, $D_nu$, $D_theta$, $D_eta$ and $D_rho$ are the partial derivatives of the risk "
        "in these overlaps, in its closed form."
    )
    blocks: list[Block] = [Paragraph(steps)]
    for letter in letters:
        definition = TypesetFormula(printer.box(shorthand.letter_definition(letter)), None)
        start = TypesetFormula(printer.symbol(letter), shorthand.letters[letter])
        blocks.append(Display(start, (DisplayedLink("=", definition),)))
    return (*blocks, Paragraph(slopes))


def _risk() -> tuple[Block, ...]:
    from slrsym.papers.single_location.symbolic import risk_definition

    definition = risk_definition()
    shorthand = choose_abbreviations([definition], risk=True)
    name = shorthand(definition)
    printer = FormulaPrinter(ORDER, choose_declared_laws([definition]), NAMES)
    shown = TypesetFormula(
        printer.box(choose_abbreviations([definition], risk=False)(definition)), definition
    )
    laws = list(dict.fromkeys((printer.laws or {}).values()))
    # Formulas, between the dollar signs, are LaTeX already.
    said = (
        r"The risk, given the location, is the mean square of the error. $U_1, V_1, Y_1$ are the "
        r"projections of the informative token on $k, v, v^{\star}$; $U, V$ those of another token "
        r"on $k, v$, of which there are $L - 1$ independent copies; $\xi$ is the noise of the "
        "output."
    )
    parts = enumerate(said.split("$"))
    return (
        Paragraph(tuple(LatexMath(x) if place % 2 else Text(x) for place, x in parts)),
        Display(TypesetFormula(printer.box(name), definition), (DisplayedLink("=", shown),)),
        Paragraph((Text("Here"),)),
        *(Display(TypesetFormula(printer.law(law), law)) for law in laws),
    )

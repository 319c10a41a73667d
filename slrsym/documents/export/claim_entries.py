"""The entry of a claim in a document: hypotheses, abbreviated formulas, proof and checks."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from sympy import And, Basic, Eq, Symbol
from sympy.core.function import UndefinedFunction

from slrsym.coq import confirmed_claims, coq_tactics_by_claim_and_step, describe_confirmed_steps
from slrsym.documents.export.abbreviations import (
    boxes_of_clashing_symbols,
    extend_shorthand_to_fit_page,
    printed_letter_meanings,
)
from slrsym.documents.export.document import (
    AxiomReference,
    Block,
    ClaimEntry,
    ClaimNumberAndName,
    ClaimReference,
    Display,
    DisplayedLink,
    Inline,
    Math,
    NotationReference,
    Paragraph,
    Text,
    TypesetFormula,
    join_list,
)
from slrsym.documents.export.paper_notation import PaperNotation, notation_of_file
from slrsym.documents.export.plain_formulas import split_title
from slrsym.documents.export.proofs import ProofWriter, proof_blocks, select_displayed_steps
from slrsym.documents.export.prose import (
    ORDER,
    arbitrary_functions_in,
    assumption_paragraphs,
    free_symbols_of_statements,
    insert_references,
    put_dollars_around_ranges,
    split_at_dollar_signs,
)
from slrsym.documents.export.shorthand import Shorthand, symbol_and_function_names
from slrsym.documents.typeset import FormulaPrinter, choose_declared_laws
from slrsym.documents.typeset.boxes import (
    Box,
    relation_box,
)
from slrsym.jobs import Terminated
from slrsym.prover.claims.claim import Claim
from slrsym.prover.claims.verification import ClaimSummary
from slrsym.prover.rules.claim_steps import steps_of_claim
from slrsym.prover.rules.step import Step
from slrsym.prover.statements.expressions import conjuncts
from slrsym.prover.tactics.bundled_log import count_claim_steps_with_evidence


def build_claim_entry(
    claim: Claim,
    find: Callable[[str], Claim],
    label: ClaimNumberAndName,
    included: Collection[str] = (),
    defined: bool = False,
    verdict: Any = None,
    row: ClaimSummary | None = None,
) -> ClaimEntry:
    """Return the entry of a claim: statement, abbreviations, proof and checks."""
    try:
        steps = steps_of_claim(claim, find)
    except Terminated:
        raise
    # A proof is user code: whatever it raises, there are no steps to show.
    except (Exception, SystemExit):
        steps = []
    shown = _shown(claim, steps)
    notation = notation_of_file(claim.file)
    shorthand = notation.shorthand(claim, shown).with_notation(claim.notation)
    names = _names(notation, shown)
    own = [
        x
        for x in free_symbols_of_statements([claim.statement, *claim.hypotheses])
        if isinstance(x, Symbol)
    ]
    names = names | boxes_of_clashing_symbols(own, names)

    def printer_of(shorthand: Shorthand) -> FormulaPrinter:
        short = [shorthand(e) for e in shown]
        definitions = [] if defined else [f.expr for f in shorthand.functions.values()]
        inside = {x: shorthand.meaning(x).free_symbols for x in shorthand.letters}
        return FormulaPrinter(ORDER, choose_declared_laws([*short, *definitions]), names, inside)

    shorthand, printer = extend_shorthand_to_fit_page(shorthand, shown, claim.symbols, printer_of)
    laws = printer.laws or {}
    writer = ProofWriter(printer, shorthand, find)
    row = row or ClaimSummary(
        claim.id, claim.title, claim.source, "unverified", len(steps), None, (), (), 0.0, ""
    )
    failed = row.status == "failed"
    repeated, statement = _repeated(claim, find, steps, included)
    said = [statement, *claim.hypotheses]
    functions = [f for f in arbitrary_functions_in(said) if f.func not in shorthand.functions]
    short = [shorthand(e) for e in said]
    proving = [
        shorthand(e) for step in select_displayed_steps(steps, writer) for e in _of_step(step)
    ]
    abbreviations = _AbbreviationWriter(
        claim, notation, shorthand, printer, find, included, defined
    )
    unsourced = abbreviations.own_functions()
    stated = abbreviations.used([*short, *map(shorthand.function_definition, unsourced)])
    later = [] if failed else abbreviations.letters(abbreviations.used(proving) - stated)
    return ClaimEntry(
        id=claim.id,
        label=label,
        title=split_title(claim.title) if claim.title else (),
        source=claim.source,
        assumptions=assumption_paragraphs(
            free_symbols_of_statements(said),
            functions,
            [shorthand(h) for h in claim.hypotheses],
            laws,
            printer,
            notation.order,
        ),
        statement=(
            *repeated,
            *writer.display(statement, sentences=claim.explanation.equations),
        ),
        letters=(notation.explain_letters(shorthand, stated, short, printer) if defined else ()),
        explanation=insert_references(split_at_dollar_signs(claim.explanation.text), included),
        lead=split_at_dollar_signs(claim.explanation.first_sentence),
        where=(
            *abbreviations.functions_of_claim(),
            *abbreviations.letters(stated, unsourced),
        ),
        idea=split_at_dollar_signs(claim.proof_idea),
        proof=() if failed else (*later, *proof_blocks(steps, writer, claim.hypotheses)),
        status=row.status,
        evidence=describe_evidence(row),
        reason=row.error,
        depends=row.depends,
        axioms=row.axioms,
        rules=_rules(steps),
        steps=row.steps,
        digits=row.digits,
        marks=summarise_checks(row),
        names=partial(
            printed_letter_meanings,
            shown,
            shorthand,
            printer,
            tuple(notation.fixed_spellings),
            dict(notation.known_letters),
        ),
        checks={r.label: r for r in getattr(verdict, "reports", ())},
        place=_place(claim),
        monte_carlo=row.monte_carlo,
        box=put_dollars_around_ranges(row.box),
        trials=row.trials,
        compared_to_source=claim.compared_to_source,
        plain_title=claim.title.replace("$", ""),
        abbreviated=tuple(shorthand(part) for part in conjuncts(statement)),
    )


def _place(claim: Claim) -> tuple[Path | None, int]:
    """Return a claim's derivation file and the number of the line where its proof starts."""
    line = getattr(getattr(claim.evidence_function, "__code__", None), "co_firstlineno", 1)
    return claim.file, line


def _shown(claim: Claim, steps: list[Step]) -> list[Basic]:
    """Return all expressions and statements that the claim and its proof display."""
    found: list[Basic] = [claim.statement, *claim.hypotheses]
    found += [expr for step in steps for expr in _of_step(step)]
    return list(dict.fromkeys(found))


def _of_step(step: Step) -> list[Basic]:
    given = getattr(step.rule, "values", ())
    # With their symbols, or alone in the order of the variables.
    values = [pair[1] if isinstance(pair, tuple) else pair for pair in given]
    return [step.statement, *(value for value in values if isinstance(value, Basic))]


def _names(notation: PaperNotation, shown: list[Basic]) -> dict[str, Box]:
    """Return the paper's spellings of names, without those that the claim uses otherwise."""
    own = symbol_and_function_names(shown)
    spellings = {**notation.fixed_spellings, **notation.other_spellings}
    return {name: box for name, box in spellings.items() if name not in own}


# A claim of fewer parts is repeated where a statement has all of it.
_MANY_PARTS = 4


def _repeated(
    claim: Claim, find: Callable[[str], Claim], steps: Iterable[Step], included: Collection[str]
) -> tuple[list[Block], Any]:
    """Return a paragraph that cites claims whose parts a statement repeats, and the other parts."""
    parts = conjuncts(claim.statement)
    named: list[Inline] = []
    names = [step.rule.name for step in steps if step.rule.name.startswith("claim ")]
    for id in (name.removeprefix("claim ") for name in dict.fromkeys(names)):
        whole = conjuncts(find(id).statement) if id in included else ()
        if len(whole) >= _MANY_PARTS and {*whole} < {*parts}:
            named.append(ClaimReference(id))
            parts = tuple(part for part in parts if part not in whole)
    if not named:
        return [], claim.statement
    verb = " says holds" if len(named) == 1 else " say holds"
    # What follows is a formula, or has a sentence.
    verb += "." if claim.explanation.equations else ", and"
    said = Paragraph((Text("All that "), *join_list(named), Text(verb)))
    return [said], And(*parts)


# -- what abbreviations mean -------------------------------------------------------------------


@dataclass(frozen=True)
class _AbbreviationWriter:
    """Writer of the definitions of a claim's abbreviations, for a document of some claims."""

    claim: Claim
    notation: PaperNotation
    shorthand: Shorthand
    printer: FormulaPrinter
    find: Callable[[str], Claim]
    included: Collection[str]
    # Whether the document has the paper's table of notation.
    defined: bool

    def letters(
        self, used: set[Symbol], functions: Iterable[UndefinedFunction] = ()
    ) -> list[Block]:
        """Return blocks that define those letters and functions that no table explains."""
        shorthand, printer = self.shorthand, self.printer
        parts: list[Inline] = []
        for letter, value in shorthand.letters.items():
            known = letter.name in self.notation.fixed_spellings or value in shorthand.local
            in_table = self.defined and self.notation.is_in_table(shorthand, letter, value)
            if letter in used and not known and not in_table:
                parts += [Text(", ")] if parts else [Text("Here ")]
                right = printer.box(value, inline=True)
                parts.append(Math(relation_box(printer.symbol(letter), "=", right)))
        local = {letter: value for value, letter in shorthand.local.items() if letter in used}
        shared = [
            letter
            for letter, value in local.items()
            if self.defined and self.notation.is_in_table(shorthand, letter, value)
        ]
        own = {
            **{f(*shorthand.meant[f].variables): shorthand.meant[f].expr for f in functions},
            **{letter: value for letter, value in local.items() if letter not in shared},
        }
        ending = Text(", and" if own and not shared else ".")
        blocks: list[Block] = [Paragraph((*parts, ending))] if parts else []
        if shared:
            letters = join_list([Math(printer.symbol(letter)) for letter in shared])
            verb = " is" if len(shared) == 1 else " are"
            there = (Text(f"{verb} on the page "), NotationReference(), Text("."))
            blocks.append(Paragraph((*letters, *there)))
        if own and (shared or not parts):
            blocks.append(Paragraph((Text("And" if blocks else "Here"),)))
        for letter, value in own.items():
            inside = (
                shorthand.letter_definition(letter)
                if letter in used
                else shorthand.function_definition(letter.func)
            )
            body = TypesetFormula(printer.box(inside), value)
            start = TypesetFormula(printer.box(letter), value)
            blocks.append(Display(start, (DisplayedLink("=", body),)))
        return blocks

    def own_functions(self) -> list[UndefinedFunction]:
        """Return the claim's own functions that no other claim of the document defines.

        Those in their definitions are among them.
        """
        found: list[UndefinedFunction] = []
        while more := [
            function
            for function, meaning in self.shorthand.meant.items()
            if function in self.shorthand.functions
            and function not in found
            and self._source(meaning) is None
        ]:
            found += more
            for function in more:
                # Notes the functions that the definition is written with.
                self.shorthand.function_definition(function)
        return found

    def functions_of_claim(self) -> list[Block]:
        """Return blocks that define the functions of a claim, or say which claims define them."""
        shorthand, printer = self.shorthand, self.printer
        blocks = self._sourced()
        for function in shorthand.functions:
            if function not in shorthand.meant:
                blocks += self.notation.function_blocks(
                    function, shorthand, printer, self.included, self.defined
                )
        blocks += self.notation.last_blocks(self.claim, printer)
        return blocks

    def _sourced(self) -> list[Block]:
        """Return a paragraph that cites the claims which define a claim's abbreviated functions."""
        named: list[Inline] = []
        sources: list[Inline] = []
        for function, meaning in self.shorthand.meant.items():
            source = self._source(meaning)
            if function in self.shorthand.functions and source is not None:
                named.append(Math(self.printer.box(function(*meaning.variables))))
                sources += [ClaimReference(source)]
        if not named:
            return []
        verb = " is the right-hand side of " if len(named) == 1 else " are the right-hand sides of "
        cited = join_list(list(dict.fromkeys(sources)))
        return [Paragraph((*join_list(named), Text(verb), *cited, Text(".")))]

    def _source(self, meaning: Any) -> str | None:
        """Return the id of the document's claim that defines a letter, or None."""
        for id in self.included:
            for part in conjuncts(self.find(id).statement):
                if id != self.claim.id and isinstance(part, Eq) and part.rhs == meaning.expr:
                    return id
        return None

    def used(self, short: list[Any]) -> set[Symbol]:
        """Return the letters used in abbreviated formulas, and those used to define them."""
        shorthand = self.shorthand
        letters, own = set(shorthand.letters), set(shorthand.local.values())
        used: set[Symbol] = set()
        more = {s for e in short for s in e.atoms(Symbol)} & letters
        while more:
            used |= more
            meanings = [
                shorthand.letter_definition(x) if x in own else shorthand.letters[x] for x in more
            ]
            more = ({s for e in meanings for s in e.atoms(Symbol)} & letters) - used
        return used


def _rules(steps: list[Step]) -> tuple[str, ...]:
    names = set()
    for step in steps:
        if getattr(step.rule, "chainable", True):
            name = step.rule.name.removeprefix("inside the expectation, ")
            name = re.sub(r" in [\w, ]+$", "", name)
            if not name.startswith(("claim ", "inside ")):
                names.add(name)
    return tuple(sorted(names))


def describe_evidence(row: ClaimSummary) -> tuple[Inline, ...]:
    """Return sentences on how a claim was checked and on the claims and axioms it rests on."""
    return (*_how_checked(row), *_on_hypotheses(row))


def _on_hypotheses(row: ClaimSummary) -> tuple[Inline, ...]:
    """Return a sentence on hypotheses that were not tried, or that suppose a solution."""
    note = row.hypotheses_note
    return (Text(f" {note[0].upper()}{note[1:]}."),) if note else ()


def _how_checked(row: ClaimSummary) -> tuple[Inline, ...]:
    steps = f"{row.steps} step{'' if row.steps == 1 else 's'}"
    if row.status == "certified":
        said = "Certified, not proved: enclosed by ball arithmetic on the whole box "
        return (*split_at_dollar_signs(f"{said}{put_dollars_around_ranges(row.box)}."), *_rest(row))
    if row.status == "empirical":
        return (*split_at_dollar_signs(f"Empirical, not proved: {row.trials}."), *_rest(row))
    if row.status not in ("proved", "cited", "conditional"):
        why = f": {row.error}" if row.error else ""
        return (Text(f"{row.status.capitalize()}, not proved{why}. {steps}."), *_rest(row))
    told = f"{row.status.capitalize()}, not proved: {row.error}. {steps}, all accepted"
    if row.status == "proved":
        told = f"Proved in {steps}, each accepted by the proof checker"
    parts: list[Inline] = [Text(told)]
    if row.digits is not None:
        parts.append(Text(f"; at random points both sides agree to {row.digits} digits or more"))
    parts.append(Text("."))
    if not row.replaces and (mark := describe_confirmed_steps(row.id, row.steps)):
        parts.append(Text(f" {mark}"))
    parts += _rest(row)
    if not row.axioms:
        parts.append(Text(" Rests on no axiom."))
    return tuple(parts)


def summarise_checks(row: ClaimSummary) -> tuple[str, ...]:
    """Return short notes on the checks of a claim, such as "13 steps", "30 digits" or "Coq"."""
    if not row.steps:
        return ()
    told = [f"{row.steps} step{'' if row.steps == 1 else 's'}"]
    if row.digits is not None:
        told.append(f"{row.digits} digits")
    if row.replaces or row.status not in ("proved", "cited", "conditional"):
        return tuple(told)
    whole = row.id in confirmed_claims()
    by_coq = row.steps if whole else len(coq_tactics_by_claim_and_step().get(row.id, {}))
    for name, count in (
        ("checker", count_claim_steps_with_evidence(row.id, row.steps)),
        ("Coq", by_coq),
    ):
        if count:
            told.append(name if count == row.steps else f"{name} {count}/{row.steps}")
    return tuple(told)


def _rest(row: ClaimSummary) -> list[Inline]:
    """Return sentences on the claims and axioms that a claim uses, and on a claim it replaces."""
    parts: list[Inline] = []
    if row.replaces:
        parts.append(Text(" It takes the place of the claim of this id that comes with slrsym."))
    if row.depends:
        parts += [Text(" Uses "), *join_list([ClaimReference(id) for id in row.depends]), Text(".")]
    if row.axioms:
        parts += [Text(" Rests on "), *join_list([AxiomReference(id) for id in row.axioms])]
        parts.append(Text("."))
    return parts

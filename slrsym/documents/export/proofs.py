"""Steps of a proof as blocks of a document: chains, cases and premises.

Steps have labels such as ``derivative.3`` or ``case 1.2``. What follows another with the next
number continues its chain; what shares the beginning of its label stands in one group.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sympy import And, Basic, Eq, FiniteSet, Function, Ge, Gt, Le, Lt, S, Tuple, default_sort_key
from sympy.core.function import AppliedUndef
from sympy.core.relational import Relational
from sympy.logic.boolalg import Boolean

from slrsym.documents.export.document import (
    Block,
    ClaimReference,
    Display,
    DisplayedLink,
    HeadedBlocks,
    Inline,
    LatexMath,
    Math,
    Paragraph,
    Text,
    TypesetFormula,
)
from slrsym.documents.export.prose import (
    hypothesis_formulas,
    justification_of_rule,
    split_at_dollar_signs,
)
from slrsym.documents.typeset import FormulaPrinter
from slrsym.documents.typeset.boxes import BracketedBox, comma_separated_row
from slrsym.prover.rules.step import Link, Step
from slrsym.prover.statements.expressions import conjuncts
from slrsym.prover.statements.flows import Flow
from slrsym.prover.statements.maps import BoxMap
from slrsym.prover.statements.orbits import OrbitStatement, Piece
from slrsym.prover.statements.words import InWords

# A claim of more parts is not repeated where a proof uses all of it.
_MANY_PARTS = 4
# Steps that only say how the others fit together.
_SILENT = {"the proof concludes the statement", "a hypothesis of the theorem"}


def proof_blocks(
    steps: Iterable[Step], writer: ProofWriter, given: tuple[Boolean, ...] = ()
) -> tuple[Block, ...]:
    """Return the steps of a proof as blocks of a document."""
    shown = _shown(steps)
    items = [_Item(tuple(step.label.split(".")), step) for step in shown]
    return tuple(_blocks(items, writer, given))


def _shown(steps: Iterable[Step]) -> list[Step]:
    return [s for s in steps if s.rule.name not in _SILENT and not _says_nothing(s.statement)]


def select_displayed_steps(steps: Iterable[Step], writer: ProofWriter) -> list[Step]:
    """Return those steps of a proof whose statements a document displays."""
    return [step for step in _shown(steps) if not _is_all_of_a_claim(step, writer)]


def _says_nothing(statement: Any) -> bool:
    """Return whether a statement is trivial: a number equal to itself."""
    equal = isinstance(statement, Eq) and statement.lhs == statement.rhs
    return bool(equal and statement.lhs.is_number)


@dataclass(frozen=True)
class _Item:
    path: tuple[str, ...]
    step: Step

    def below(self) -> _Item:
        return _Item(self.path[1:], self.step)


def _blocks(items: list[_Item], writer: ProofWriter, known: tuple[Boolean, ...]) -> list[Block]:
    numbered = {item.path[0] for item in items if len(item.path) == 1}
    blocks: list[Block] = []
    chain: list[_Item] = []
    premises: list[Block] = []
    place = 0
    while place < len(items):
        item = items[place]
        head = item.path[0]
        if len(item.path) > 1:
            end = place
            while end < len(items) and len(items[end].path) > 1 and items[end].path[0] == head:
                end += 1
            inside = [i.below() for i in items[place:end]]
            if head in numbered and head.isdigit():
                parts: dict[str, list[_Item]] = {}
                for i in inside:
                    parts.setdefault(i.path[0], []).append(i)
                premises += [_premise(head, *part, writer, known) for part in parts.items()]
            else:
                blocks += _closed(chain, premises, writer)
                blocks.append(_group(head, inside, writer, known))
            place = end
            continue
        if _is_link(item.step):
            if chain and chain[-1].step.link.rhs != item.step.link.lhs:
                blocks += _closed(chain, premises, writer)
            chain.append(item)
        else:
            blocks += _closed(chain, premises, writer)
            solved = [i for i in items[place:] if i.path[0].startswith("solution ")]
            if head.startswith("solution ") and len(items[place : place + len(solved)]) > 1:
                blocks.append(_solutions(solved))
                place += len(solved)
                continue
            blocks += _alone(item, writer)
        place += 1
    return [*blocks, *_closed(chain, premises, writer)]


def _is_link(step: Step) -> bool:
    return getattr(step.rule, "chainable", True) and step.link.statement == step.statement


def _closed(chain: list[_Item], premises: list[Block], writer: ProofWriter) -> list[Block]:
    """Return the document blocks of a chain of a proof: its display, then its premises."""
    blocks: list[Block] = []
    if chain:
        links = tuple(
            DisplayedLink(
                item.step.link.relation,
                writer.formula(item.step.link.rhs),
                item.step.label,
                writer.justification(item.step.rule),
            )
            for item in chain
        )
        blocks.append(Display(writer.formula(chain[0].step.link.lhs), links))
    blocks += premises
    chain.clear()
    premises.clear()
    return blocks


def _group(
    head: str, inside: list[_Item], writer: ProofWriter, known: tuple[Boolean, ...]
) -> Block:
    here = inside[0].step.context.hypotheses
    more = [h for h in here if h not in known and h not in (S.true, S.false)]
    heading = list(split_at_dollar_signs(_headline(head)))
    about = _about(inside)
    if about is not None:
        heading += [Text(", "), _math(about, writer)]
    # After a substitution the hypotheses no longer begin with the known ones.
    elif more and here[: len(known)] == known:
        heading += _supposed(more, writer, ", ")
    return HeadedBlocks(tuple(heading), tuple(_blocks(inside, writer, here)))


def _supposed(more: list[Boolean], writer: ProofWriter, lead: str) -> list[Inline]:
    boxes = hypothesis_formulas([writer.shorten(hypothesis) for hypothesis in more], writer.printer)
    pieces: list[Inline] = []
    for place, box in enumerate(boxes):
        pieces += [Text(", " if place else lead), Math(box)]
    return pieces


def _about(inside: list[_Item]) -> Boolean | None:
    """Return the condition of the case that a group of proof steps treats, or None."""
    for item in inside:
        about = getattr(item.step.rule, "about", ())
        if item.path == ("shown",) and item.step.rule.name.startswith("the case "):
            return about[0] if about else None
    return None


def _math(statement: Any, writer: ProofWriter) -> Math:
    return Math(writer.printer.box(writer.shorten(statement)))


# What the hypotheses of a theorem are about, of which there are several.
_HYPOTHESES = {
    "across": "No slope leads off the manifold",
    "slope": "The slope along the manifold",
    "step": "A step of the overlaps",
    "edge": "On the edge",
}


def _headline(head: str) -> str:
    named = {
        "value": "The values agree",
        "derivative": "The derivatives agree",
        "base": "Base",
        "step": "Induction step",
        "case": "Cases",
    }
    if head.isdigit():
        return f"Factor {head}"
    stem, _, number = head.partition("_")
    if head.startswith("edge_stays"):
        return "Steps stay on the edge"
    if number and stem in _HYPOTHESES:
        return _HYPOTHESES[stem]
    return named.get(head, (head[:1].upper() + head[1:]).replace("_", " "))


def _premise(
    number: str, name: str, items: list[_Item], writer: ProofWriter, known: tuple[Boolean, ...]
) -> Block:
    """Return the document block of a premise: a sub-proof that a step of a chain rests on."""
    inside = [item.below() for item in items]
    here = inside[0].step.context.hypotheses
    more = [h for h in here if h not in known]
    heading: list[Inline] = [Text(f"For step {number}, the {name}")]
    heading += _supposed(more, writer, " where ")
    return HeadedBlocks(tuple(heading), tuple(_blocks(inside, writer, here)))


def _alone(item: _Item, writer: ProofWriter) -> list[Block]:
    """Return the document blocks of a proof step that belongs to no chain."""
    step, name = item.step, item.step.rule.name
    about: tuple[Any, ...] = getattr(step.rule, "about", ())
    if name.startswith("the case "):
        return []
    if item.path == ("conclusion",):
        if name.startswith("equal at ") and len(about) == 2:
            return [
                Paragraph((
                    Text("Equal at "), _math(about[0], writer),
                    Text(", with equal derivatives in "), _math(about[1], writer),
                    Text(", the two sides are equal."),
                ))
            ]  # fmt: skip
        if name.startswith("induction on ") and about:
            return [Paragraph((Text("By induction on "), _math(about[0], writer), Text(".")))]
        text = name.split(":")[0] if name.startswith("the cases cover") else name
        return [Paragraph(split_at_dollar_signs(f"{text[:1].upper()}{text[1:]}."))]
    if _is_all_of_a_claim(step, writer):
        claim = ClaimReference(name.removeprefix("claim "))
        return [Paragraph((Text("All that "), claim, Text(" says holds here.")))]
    blocks = writer.display(step.statement, step.label, writer.justification(step.rule))
    because = getattr(step.rule, "because", "")
    return [*blocks, *(Paragraph(split_at_dollar_signs(p)) for p in because.split("\n\n") if p)]


def _is_all_of_a_claim(step: Step, writer: ProofWriter) -> bool:
    """Return whether a step restates a claim of many parts word for word."""
    name, statement = step.rule.name, step.statement
    if not name.startswith("claim ") or not isinstance(statement, And):
        return False
    whole: bool = statement == writer.find(name.removeprefix("claim ")).statement
    return whole and len(statement.args) > _MANY_PARTS


def _solutions(items: list[_Item]) -> Block:
    names = sorted({item.step.rule.name for item in items})
    text = f"Each of the {len(items)} solutions solves the equations ({', '.join(names)})."
    return Paragraph((Text(text),))


@dataclass
class ProofWriter:
    """Writer of the formulas and justifications in the proof of one claim."""

    printer: FormulaPrinter
    shorten: Callable[[Any], Any]
    find: Callable[[str], Any]

    def formula(self, shown: Any) -> TypesetFormula:
        """Return an expression or statement as a typeset formula."""
        return TypesetFormula(self.printer.box(self.shorten(shown)), shown)

    def justification(self, rule: Any) -> tuple[Inline, ...]:
        """Return the justification of a step, in words, as pieces of a paragraph."""
        return justification_of_rule(rule, self.printer, self.shorten, self.find)

    def display(
        self,
        statement: Boolean,
        label: str = "",
        reason: tuple[Inline, ...] = (),
        sentences: Mapping[Any, str] | None = None,
    ) -> list[Block]:
        """Return displays of a statement, one for each part of a conjunction.

        `sentences` says what stands before a part; once, where the next part has the same.
        """
        parts = list(conjuncts(statement))
        blocks: list[Block] = []
        if isinstance(statement, InWords):
            text = str(statement.args[0]).rstrip(".")
            said = split_at_dollar_signs(text[:1].upper() + text[1:])
            after: tuple[Inline, ...] = (Text(" ("), *reason, Text(")")) if reason else ()
            return [Paragraph((*said, *after, Text(".")))]
        # What a claim says of the orbits of a map on a box stands at its end, with the map; what it
        # says of pairs of vectors stands first.
        parts = sorted(
            (p for p in parts if not _says_nothing(p)) if len(parts) > 1 else parts,
            key=lambda part: (_rank(part), *self._place(part)),
        )
        parts = _paired(parts)
        told = sentences or {}
        # In the order of the sentences; parts of the same sentence stand below it together.
        order = list(told.values())

        def said_of(part: Any) -> str:
            return told.get(part[0] if isinstance(part, tuple) else part, "")

        if told:
            parts.sort(key=lambda p: order.index(said_of(p)) if said_of(p) else -1)
        map_is_shown = bool(label)
        spoken = ""
        for place, part in enumerate(parts):
            last = place == len(parts) - 1
            sentence = said_of(part)
            if sentence not in ("", spoken):
                blocks.append(Paragraph(split_at_dollar_signs(sentence)))
            spoken = sentence
            said = reason if last else ()
            if isinstance(part, OrbitStatement):
                blocks += orbit_blocks(part, self, said, with_map=not map_is_shown)
                map_is_shown = True
                continue
            shown = self._between if isinstance(part, tuple) else self._one
            blocks.append(shown(part, label if last else "", said))
        return _joined(blocks)

    def _place(self, part: Boolean) -> tuple[int, bool]:
        """Return a sort key of a part: by the claim's notation, lower bounds first."""
        # A notebook shows expressions as they are.
        local: Mapping[Any, Any] = getattr(self.shorten, "local", {})
        calls = [x for x in local.values() if isinstance(x, AppliedUndef)]
        found = self.shorten(part).atoms(AppliedUndef) if calls else set()
        places = [calls.index(x) for x in found if x in calls]
        return min(places, default=len(calls)), bool(places) and isinstance(part, Le | Lt)

    def _between(self, bounds: Any, label: str, reason: tuple[Inline, ...]) -> Display:
        """Return two bounds of one expression as a single chain."""
        low, high = bounds
        signs = ["<=" if isinstance(bound, Ge | Le) else "<" for bound in bounds]
        links = (
            DisplayedLink(signs[0], self.formula(low.lhs)),
            DisplayedLink(signs[1], self.formula(high.rhs), label, reason),
        )
        return Display(self.formula(low.rhs), links)

    def _one(self, part: Boolean, label: str, reason: tuple[Inline, ...]) -> Display:
        if isinstance(part, Relational) and part.rel_op != "!=":
            link = Link.from_relation(part)
            right = self.formula(link.rhs)
            links = (DisplayedLink(link.relation, right, label, reason),)
            return Display(self.formula(link.lhs), links)
        return Display(self.formula(part), (), label, reason)


def _rank(part: Any) -> int:
    if not isinstance(part, OrbitStatement):
        return 1
    return 2 if isinstance(part.map, BoxMap | Flow) else 0


def _paired(parts: Iterable[Any]) -> list[Any]:
    """Pair each lower bound with an upper bound of the same expression that follows it."""
    made: list[Any] = []
    for part in parts:
        before: Any = made[-1] if made else None
        lower = isinstance(before, Ge | Gt) and before.rhs.is_number
        upper = isinstance(part, Le | Lt) and part.rhs.is_number
        if lower and upper and before.lhs == part.lhs:
            made[-1] = (before, part)
        else:
            made.append(part)
    return made


def _joined(blocks: list[Block]) -> list[Block]:
    """Join consecutive equations with the same left side to one chain."""
    made: list[Block] = []
    for block in blocks:
        before = made[-1] if made else None
        if (
            isinstance(block, Display)
            and isinstance(before, Display)
            and before.start == block.start
            and all(link.sign == "=" for link in (*before.links, *block.links))
            and before.links
        ):
            made[-1] = Display(before.start, (*before.links, *block.links))
        else:
            made.append(block)
    return made


def orbit_blocks(
    statement: OrbitStatement,
    writer: ProofWriter,
    reason: tuple[Inline, ...] = (),
    with_map: bool = True,
) -> list[Block]:
    """Return the document blocks of a statement about orbits: its map, sentence and functions."""
    blocks = _map(statement.map, writer) if with_map else []
    called = _known_functions(statement, writer)
    said: list[Inline] = []
    for piece in statement.sentence():
        said += _piece(piece, writer, first=not said)
    said = [called.get(part.latex, part) if isinstance(part, LatexMath) else part for part in said]
    if reason:
        said += [Text(" ("), *reason, Text(")")]
    shown = _functions(statement, called, writer)
    blocks.append(Paragraph((*said, Text(", where" if shown else "."))))
    return [*blocks, *shown]


# The width above which a condition on the domain stands by itself.
_INLINE = 30.0


def _map(map: Any, writer: ProofWriter) -> list[Block]:
    if isinstance(map, Flow):
        return _flow(map, writer)
    if not isinstance(map, BoxMap):
        return []
    inside: list[Inline] = []
    for box in hypothesis_formulas(list(map.inside_conditions()), writer.printer):
        start = split_at_dollar_signs("Orbits are those of the map $g$, for ")
        inside += [*((Text(", "),) if inside else start), Math(box)]
    blocks: list[Block] = [Paragraph((*inside, Text(", with the coordinates")))]
    for place, image in enumerate(map.images, start=1):
        blocks.append(_equation(f"g_{place}", map.coordinates, image, writer))
    return blocks


def _flow(flow: Flow, writer: ProofWriter) -> list[Block]:
    said: list[Inline] = [*split_at_dollar_signs("Trajectories move with the velocity $v$")]
    boxes = hypothesis_formulas(list(flow.domain_conditions()), writer.printer)
    for number, box in enumerate(box for box in boxes if box.width <= _INLINE):
        said += [Text(", " if number else " where "), Math(box)]
    several = len(flow.velocities) > 1
    blocks: list[Block] = [
        Paragraph((*said, Text(f", {'with the components' if several else 'namely'}")))
    ]
    for place, velocity in enumerate(flow.velocities, start=1):
        name = f"v_{place}" if several else "v"
        blocks.append(_equation(name, flow.coordinates, velocity, writer))
    wide = [box for box in boxes if box.width > _INLINE]
    if wide:
        besides = ", besides," if len(boxes) > len(wide) else ""
        blocks.append(Paragraph((Text(f"where{besides}"),)))
        blocks += [Display(TypesetFormula(box, None)) for box in wide]
    return blocks


def _known_functions(statement: OrbitStatement, writer: ProofWriter) -> dict[str, Inline]:
    """Return, by name, letters that already denote functions in a statement about orbits."""
    found: dict[str, Inline] = {}
    for name, function in statement.definitions:
        short = writer.shorten(function.expr)
        if isinstance(short, AppliedUndef) and short.args == tuple(function.variables):
            found[name] = Math(writer.printer.symbol(short.func))
    return found


def _functions(
    statement: OrbitStatement, known: Collection[str], writer: ProofWriter
) -> list[Block]:
    blocks: list[Block] = []
    for name, function in statement.definitions:
        if name in known:
            continue
        values = list(function.expr) if isinstance(function.expr, Tuple) else [function.expr]
        for place, value in enumerate(values, start=1):
            called = f"{name}_{place}" if len(values) > 1 else name
            blocks.append(_equation(called, function.variables, value, writer))
    return blocks


def _equation(name: str, variables: Any, value: Any, writer: ProofWriter) -> Block:
    applied = TypesetFormula(writer.printer.box(Function(name, real=True)(*variables)), None)
    return Display(applied, (DisplayedLink("=", writer.formula(value)),))


def _piece(piece: Piece, writer: ProofWriter, first: bool) -> list[Inline]:
    if isinstance(piece, FiniteSet):
        parts: list[Inline] = []
        for point in sorted(piece, key=default_sort_key):
            place = comma_separated_row(map(writer.printer.box, point))
            parts += [Text(" or ")] if parts else []
            parts.append(Math(BracketedBox("(", place, ")")))
        return parts
    if isinstance(piece, Basic):
        return [Math(writer.printer.box(writer.shorten(piece), inline=True))]
    text = piece[:1].upper() + piece[1:] if first else piece
    return list(split_at_dollar_signs(text))

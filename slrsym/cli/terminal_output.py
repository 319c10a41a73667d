"""Tables of claims, step-by-step proofs, and axioms, for the terminal."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import IO, TYPE_CHECKING, Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from slrsym.coq import confirmed_step_count_text, is_confirmed_by_coq
from slrsym.prover.claims import short_name, step_name
from slrsym.prover.statements import remove_dollar_signs

if TYPE_CHECKING:
    from slrsym.prover.claims.check import ClaimVerdict
    from slrsym.prover.claims.claim import Claim


_STYLES = {
    "proved": "green",
    "certified": "cyan",
    "empirical": "magenta",
    "cited": "blue",
    "conditional": "blue",
    "unproved": "yellow",
    "failed": "bold red",
}
_PIPED_WIDTH = 160
_LEAST_WIDTH, _WIDE = 80, 110
_LEAST_TITLE = 8


def console(stream: IO[str] | None = None) -> Console:
    """Return a console that prints to a stream and is wide enough for the tables."""
    stream = stream or sys.stdout
    if not stream.isatty():
        return Console(file=stream, width=_PIPED_WIDTH, highlight=False, emoji=False)
    out = Console(file=stream, highlight=False, emoji=False)
    out.width = max(out.width, _LEAST_WIDTH)
    return out


def empty_table(*names: str, **look: Any) -> Table:
    """Return a table without rows; a > before a column's name aligns it to the right."""
    look |= {"title_style": "", "title_justify": "left", "caption_justify": "left"}
    result = Table(box=SIMPLE_HEAD, pad_edge=False, **look)
    for name in names:
        justify: Any = "right" if name.startswith(">") else "left"
        result.add_column(name.lstrip(">~"), justify=justify, no_wrap=not name.startswith("~"))
    return result


def claim_table(rows: Iterable[Any], width: int | None = None) -> Table:
    """Return a table of verified claims: title, status, steps, digits, axioms, seconds."""
    rows = list(rows)
    numbers = ("steps", "digits", "Coq", "axioms", "seconds")
    others = [
        max((len(row.id) + 2 * row.replaces for row in rows), default=0),
        max(map(len, ("status", *map(_marked_status, rows)))),
        *map(len, numbers),
    ]
    gap = 1 if width is not None and width < _WIDE else 3
    room = None if width is None else max(_LEAST_TITLE, width - sum(others) - 7 * gap - 2)
    right = (f">{name}" for name in numbers)
    result = empty_table("claim", "~title", "status", *right, padding=(0, gap // 2))
    for row in rows:
        title = Text(remove_dollar_signs(row.title))
        if room is not None:
            title.truncate(room, overflow="ellipsis")
        result.add_row(
            f"{row.id} *" if row.replaces else row.id,
            title,
            Text(_marked_status(row), style=_STYLES.get(row.status, "")),
            str(row.steps),
            "-" if row.digits is None else str(row.digits),
            "-" if row.replaces else confirmed_step_count_text(row.id),
            str(len(row.axioms)),
            f"{row.seconds:.2f}",
        )
    return result


# Behind the status of a claim whose hypotheses a reader should look at.
_MARK = " ?"


def _marked_status(row: Any) -> str:
    return f"{row.status}{_MARK if row.hypotheses_note else ''}"


def texts_on_hypotheses(rows: Iterable[Any]) -> list[Text]:
    """Return texts on hypotheses that were not tried, and on solutions that they suppose."""
    marked = [row for row in rows if row.hypotheses_note]
    if not marked:
        return []
    count = sum(len(row.hypotheses_not_tried) for row in marked)
    steps = sum(row.steps_not_compared for row in marked)
    told = [f"hypotheses not tried: {count}"] if count else []
    if supposing := sum(bool(row.supposes) for row in marked):
        told.append(f"claims that suppose a solution for all values: {supposing}")
    if steps:
        told.append(f"steps of these not compared with numbers: {steps}")
    of_each = (Text(f"{row.id}: {row.hypotheses_note}") for row in marked)
    return [Text(f"? {'; '.join(told)}"), *of_each]


def claims_per_axiom_text(rows: Iterable[Any]) -> Text:
    """Return a text with the number of claims that rest on each axiom."""
    counts = Counter(axiom for row in rows for axiom in row.axioms)
    if not counts:
        return Text("No axiom is used.")
    listed = ", ".join(f"{name} ({n})" for name, n in sorted(counts.items()))
    return Text(f"Axioms, each with the number of claims that rest on it: {listed}")


def monte_carlo_summary(rows: Iterable[Any]) -> Text | None:
    """Return a text on how far Monte Carlo samples deviate from claimed expectations, or None."""
    found = [(row.id, item) for row in rows for item in row.monte_carlo]
    if not found:
        return None
    off = [item.off for _, item in found if item.off is not None and not item.contradiction]
    worst = f", off by {max(off):.2f} standard errors at most" if off else ""
    sampled = sum(not item.refusal for _, item in found)
    lines = [f"Monte Carlo: {_count(sampled, 'statement')} on expectations sampled{worst}"]
    sizes = sorted(
        item.sees / max(1e-300, abs(item.lhs), abs(item.rhs))
        for _, item in found
        if item.sees is not None
    )
    if sizes:
        lines[0] += f"; they would show an error of {_seen(sizes)}"
    lines += [f"not sampled: {id}: {item.refusal}" for id, item in found if item.refusal]
    return Text("\n".join(lines))


def _seen(sizes: list[float]) -> str:
    """Return which errors samples show, from the smallest that each shows, in ascending order."""
    middle, last = (_percent(size) for size in (sizes[len(sizes) // 2], sizes[-1]))
    if len(sizes) == 1 or middle == last:
        return f"{last} of the larger side, or more"
    return f"{last} of the larger side in each statement, and of {middle} in half of them"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %" if share > 0.1 else f"{100 * share:.1g} %"


def replacing_claims_note(ids: Iterable[str]) -> Text | None:
    """Return a note that lists the claims which replace slrsym's own claims, or None."""
    listed = ", ".join(ids)
    return Text(f"* in the place of a claim that comes with slrsym: {listed}") if listed else None


def texts_on_why_claims_are_not_proved(rows: Iterable[Any]) -> list[Text]:
    """Return a text for each claim not proved, certified or empirical, with the reason."""
    return [
        Text.assemble((f"{row.id} {row.status}: ", _STYLES[row.status]), row.error)
        for row in rows
        if row.status not in ("proved", "certified", "empirical")
    ]


def texts_on_boxes_and_trials(rows: Iterable[Any]) -> list[Text]:
    """Return texts with the boxes of certified claims and the trials of empirical ones."""
    return [
        Text.assemble(
            (f"{row.id} {row.status} ", _STYLES[row.status]),
            f"for {row.box}" if row.box else f"by {remove_dollar_signs(row.trials)}",
        )
        for row in rows
        if row.status in ("certified", "empirical")
    ]


def outcome_line(rows: list[Any], seconds: float) -> Text:
    """Return a line on a verification's outcome, with the number of claims of each status."""
    counts = Counter(row.status for row in rows)
    others = {x: x for x in ("certified", "empirical", "cited", "conditional")}
    others["certified"] = "certified on a box"
    also = "".join(f", {counts[x]} {told}" for x, told in others.items() if counts[x])
    steps = sum(row.steps for row in rows)
    digits = min((row.digits for row in rows if row.digits is not None), default=None)
    agreement = "" if digits is None else f", agreement to {digits} digits or more"
    proved = f"{counts['proved']} of {len(rows)} claims proved"
    line = f"{proved}{also}, {steps} steps{agreement}, {seconds:.1f} s"
    fine = rows and counts.keys() <= {"proved", *others}
    return Text(line, style="bold green" if fine else "bold red")


def claim_and_verdict_as_data(claim: Claim, found: ClaimVerdict) -> dict[str, Any]:
    """Return a claim, its proof and the verdict on each step as plain data for JSON."""
    from slrsym.prover.statements.expressions import infix_text

    fields = ("label", "rule", "digits", "accepted", "statement", "refusal", "contradiction")
    return {
        **{name: getattr(claim, name) for name in ("id", "title", "source", "compared_to_source")},
        "idea": claim.proof_idea,
        "statement": infix_text(claim.statement),
        "hypotheses": [infix_text(hypothesis) for hypothesis in claim.hypotheses],
        "steps": [{name: getattr(report, name) for name in fields} for report in found.reports],
        "monte_carlo": [
            {
                "statement": i.statement,
                "refusal": i.refusal,
                "wrong": i.contradiction,
                "said": str(i),
            }
            for i in found.monte_carlo
        ],
        "depends": list(found.depends),
    }


def show_proof(claim: Any, row: Any, out: Console) -> None:
    """Print a claim and its proof, step by step, with the results of the checks."""

    def say(text: str | Text, by: int = 2, style: str = "") -> None:
        if out.is_terminal:
            out.print(_indented(text, by, style))
        else:  # what is read by a program is neither broken nor padded
            out.print(Text(" " * by) + Text(str(text)), soft_wrap=True)

    own = " *" if row.replaces else ""
    said = f"{claim.title}  ({claim.source})" if claim.title else claim.source
    short = short_name(claim.id)
    name = claim.id if short == claim.id else f"{short}  {claim.id}"
    out.print(Text.assemble((f"{name}{own}", "bold"), f"  {remove_dollar_signs(said)}"))
    say(claim.statement)
    for hypothesis in claim.hypotheses:
        say(f"given {hypothesis}")
    if row.hypotheses_note:
        say(row.hypotheses_note, style="yellow")
    if row.steps_not_compared:
        say(f"not compared with numbers: {_count(row.steps_not_compared, 'step')}", style="yellow")
    if claim.compared_to_source:
        say(f"compared to the paper: {remove_dollar_signs(claim.compared_to_source)}")
    if claim.idea:
        say(remove_dollar_signs(claim.idea), style="italic")
    out.print()
    for report in claim.steps:
        digits = "" if report.digits is None else f", {report.digits} digits"
        coq = not row.replaces and is_confirmed_by_coq(claim.id, report.label)
        accepted = f"accepted{digits}{', also by Coq' if coq else ''}"
        mark = ("refused", "bold red") if not report.accepted else (accepted, "green")
        head = Text.assemble(
            (step_name(claim.id, report.label), "bold"), f" [{report.rule}]  ", mark
        )
        say(head)
        say(report.statement, 6)
        for reason in (report.refusal, report.contradiction):
            if reason:
                say(reason, 6, style="red")
    for item in claim.monte_carlo:
        mark = ("refuted", "bold red") if item.wrong else ("sampled", "green")
        mark = ("not sampled", "yellow") if item.refusal else mark
        say(Text.assemble(("Monte Carlo", "bold"), "  ", mark))
        if len(claim.monte_carlo) > 1:
            say(item.statement, 6)
        say(item.refusal or item.said, 6, style="red" if item.wrong else "")
    out.print()
    say(f"rests on: {', '.join(claim.depends) or 'no other claim'}")
    say(f"axioms: {', '.join(row.axioms) or 'none'}")
    status = f"certified for {row.box}" if row.box else row.status
    status = f"tested by {remove_dollar_signs(row.trials)}" if row.trials else status
    say(Text(status, style=_STYLES[row.status]))
    out.print()


def _indented(text: str | Text, by: int = 2, style: str = "") -> Padding:
    return Padding(
        Text(text, style=style) if isinstance(text, str) else text, (0, 0, 0, by), expand=False
    )


def show_dependencies(
    id: str, found: Mapping[str, Any], axioms: Iterable[Mapping[str, Any]], out: Console
) -> None:
    """Print the axioms and claims that a claim rests on, with references."""
    through: dict[str, list[str]] = {}
    for name, foundation in found.items():
        for used in foundation["axioms"]:
            through.setdefault(used, []).append(name)
    out.print(Text.assemble((id, "bold"), f" rests on {_count(len(through), 'axiom')}"))
    for item in axioms:
        _axiom(item, through[item["id"]], out)
    others = [name for name in found if name != id]
    out.print(Text(f"and on {_count(len(others), 'claim')}"))
    for name in others:
        uses = ", ".join(found[name]["depends"]) or "no other claim"
        mark = " *" if found[name]["replaces"] else ""
        out.print(_indented(f"{name}{mark}, which uses {uses}"))
    marked = replacing_claims_note(
        name for name, foundation in found.items() if foundation["replaces"]
    )
    if marked is not None:
        out.print(marked)
    for name, foundation in found.items():
        if foundation["error"]:
            error = foundation["error"]
            out.print(_indented(f"{name} has no proof to read: {error}", style="red"))


def _count(number: int, thing: str) -> str:
    return f"{number or 'no'} {thing}{'' if number == 1 else 's'}"


def show_axioms(axioms: Iterable[Mapping[str, Any]], out: Console) -> None:
    """Print all axioms, each with the claims that use it directly."""
    for item in axioms:
        _axiom(item, item["claims"], out)


def _axiom(item: Mapping[str, Any], users: list[str], out: Console) -> None:
    out.print(_indented(Text(item["id"], style="bold")))
    out.print(_indented(remove_dollar_signs(item["statement"]), 6))
    out.print(_indented(item["reference"], 6, style="italic"))
    if item["rules"]:
        rules = "rules" if len(item["rules"]) > 1 else "rule"
        out.print(_indented(f"for the checker's {rules} {', '.join(item['rules'])}", 6))
    out.print(_indented(f"used by {', '.join(users) or 'no claim'}", 6))

"""How the results of the commands that certify are shown, and where they are saved."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import typer

from slrsym.cli.json_output import for_programs, write_json
from slrsym.cli.reporting import require_writable

if TYPE_CHECKING:
    from slrsym.certify import Certificate, LocalRates, StepSize

__all__ = [
    "Destination",
    "Rows",
    "finish",
    "rate_rows",
    "show",
    "step_rows",
    "zero_rows",
]

Rows = list[tuple[str, str]]


class Destination(NamedTuple):
    """Where a result goes."""

    output: Path | None
    json_file: Path | None
    table: bool

    @classmethod
    def of(cls, output: Path | None, json_file: Path | None) -> Destination:
        """What the options of a command say; refused before a result could be lost."""
        if output is not None:
            require_writable(output, "--output")
        return cls(output, json_file, table=not for_programs(json_file))


def _decimal(x: Fraction | None) -> str:
    from decimal import Decimal

    return "none found" if x is None else str(Decimal(x.numerator) / Decimal(x.denominator))


def step_rows(found: StepSize) -> Rows:
    """What there is to say of a largest step size."""
    closed = float(found.closed_form)
    rows = [
        ("certified for every step size up to", _decimal(found.alpha)),
        ("refuted at", _decimal(found.ceiling)),
        ("a grid of floats allows", f"{found.grid:.6g}"),
    ]
    if found.alpha is not None:
        best = float(found.alpha)
        rows += [
            ("certified, as part of that", f"{100 * found.of_grid:.3f} %"),
            ("in a step the risk falls by at least", f"{found.descent} sum r arctan(alpha r)"),
            ("closed form", f"{closed:.6g}, {100 * closed / best:.1f} % of what is certified"),
        ]
    tried = f"{found.attempts} step sizes, {found.visited:,} boxes, {found.seconds:.1f} s"
    return [*rows, ("search", tried)]


def zero_rows(found: Certificate) -> Rows:
    """What there is to say of isolated fixed points."""
    from slrsym.certify import Verdict

    if found.verdict is not Verdict.SHOWN:
        return []
    rows = [("solutions in the square", str(found.numbers["count"])), ("the corners", "4")]
    for name in sorted(set().union(*(piece.keys() for piece in found.pieces))):
        zeros = [piece[name].zeros for piece in found.pieces]
        rows.append((f"inside: {name}" if name == "square" else name, str(len(zeros[0]))))
        for wide, narrow in zeros[0] if len(zeros) == 1 else ():
            sizes = (float(max(high - low for low, high in box) / 2) for box in (narrow, wide))
            point = ", ".join(f"{float((low + high) / 2) + 0.0:.12g}" for low, high in narrow)
            near, alone = (f"{size:.2g}" for size in sizes)
            rows.append(("", f"({point}) up to {near}; alone within {alone}"))
    return rows


def rate_rows(found: LocalRates) -> Rows:
    """What there is to say of local rates."""
    import math

    rows = []
    for name, rate in (("kappa", found.kappa_rate), ("nu", found.nu_rate)):
        low, high = map(float, rate)
        rows.append((f"1 - {name} falls in a step by", f"{low:.7g} to {high:.7g} of itself"))
        rows.append(("  and is halved in steps", f"{math.log(2) / -math.log1p(-low):.3g}"))
    if found.verdict == "shown":
        size, factor = float(found.radius), float(1 - found.factor)
        rows.append(("contracted box at (1, 1), side", f"{size:.3g}"))
        rows.append(("Lipschitz constant there", f"1 - {factor:.4g}"))
    return rows


def finish(found: Certificate, to: Destination, rows: Rows | None = None) -> None:
    """Save and show a certificate."""
    if to.output is not None:
        found.save(to.output)
    about = [
        ("verdict", str(found.verdict)),
        ("box", found.box),
        *(rows or []),
        ("cut into", f"{found.boxes:,} boxes, {found.visited:,} looked at, {found.seconds:.2f} s"),
    ]
    about += [(f"margin: {label}", margin) for label, margin in found.margins.items()]
    if found.counterexample is not None:
        point = ", ".join(str(low) for low, _ in found.counterexample.point)
        about.append(("it fails at (kappa, nu)", f"({point})"))
    elif found.verdict == "undecided":
        for one in found.undecided[:5]:
            where = f"{one.boxes:,} boxes of {one.part}, {100 * one.share:.3g} % of it"
            largest = f", the largest {one.largest}" if one.largest else ""
            about.append(("left open", f"{where}{largest}; for {one.parameters}"))
        if len(found.undecided) > 5:
            about.append(("", f"and {len(found.undecided) - 5} others"))
    data = found.as_dict()
    brief = {name: data[name] for name in data if name not in ("tree", "pieces")}
    show(found.statement, about, to, brief | {"rows": dict(rows or [])})
    if to.output is not None and to.table:
        typer.echo(f"saved in {to.output}")
    if found.verdict != "shown":
        raise typer.Exit(1)


def show(title: str, rows: Rows, to: Destination, data: dict[str, Any]) -> None:
    """Show a result as a table, or as JSON."""
    write_json(to.json_file, data)
    if not to.table:
        return
    from rich.table import Table
    from rich.text import Text

    from slrsym.display import console

    styles = {"shown": "green", "refuted": "bold red", "undecided": "yellow"}
    out = console()
    out.print(Text(title), Text(""), sep="\n")
    table = Table(box=None, pad_edge=False, show_header=False, padding=(0, 3, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in rows:
        table.add_row(name, Text(value, style=styles.get(value, "")))
    out.print(table)

"""Commands that create certificates, and check them again."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import wraps
from inspect import Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from slrsym.cli import shared
from slrsym.cli.command_functions import as_command
from slrsym.files import SavingFailedError
from slrsym.papers.single_location.commands import options

if TYPE_CHECKING:
    from slrsym.papers.single_location.certify import Certificate, LocalRates, StepSize

Rows = list[tuple[str, str]]


class OutputDestination(NamedTuple):
    """The destinations of a command's result: two files, and whether to print a table."""

    output: Path | None
    json_file: Path | None
    table: bool

    @classmethod
    def from_options(cls, output: Path | None, json_file: Path | None) -> OutputDestination:
        """Return the destinations that the options for output files name."""
        if output is not None:
            shared.require_writable(output, "--output")
        shared.require_distinct_files(("--output", output), ("--json", json_file))
        return cls(output, json_file, table=not shared.is_json_on_stdout(json_file))


def _decimal(x: Fraction | None) -> str:
    from decimal import Decimal

    return "none found" if x is None else str(Decimal(x.numerator) / Decimal(x.denominator))


def step_size_rows(found: StepSize) -> Rows:
    """Return the rows of a table for a certified step size."""
    closed = float(found.closed_form)
    rows = [
        ("certified for every step size up to", _decimal(found.alpha)),
        ("refuted at", _decimal(found.refuted_alpha)),
        ("a grid of floats allows", f"{found.grid:.6g}"),
    ]
    if found.alpha is not None:
        best = float(found.alpha)
        rows += [
            ("certified, as part of that", f"{100 * found.fraction_of_grid:.3f} %"),
            (
                "in a step the risk falls by at least",
                f"{found.descent_factor_text} sum r arctan(alpha r)",
            ),
            ("closed form", f"{closed:.6g}, {100 * closed / best:.1f} % of what is certified"),
        ]
    tried = f"{found.attempts} step sizes, {found.visited:,} boxes, {found.seconds:.1f} s"
    return [*rows, ("search", tried)]


def fixed_point_rows(found: Certificate) -> Rows:
    """Return the rows of a table for isolated fixed points."""
    from slrsym.papers.single_location.certify import CertificateOutcome

    if found.verdict is not CertificateOutcome.SHOWN:
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


def convergence_rate_rows(found: LocalRates) -> Rows:
    """Return the rows of a table for local convergence rates."""
    import math

    rows = []
    for name, rate in (("kappa", found.kappa_rate), ("nu", found.nu_rate)):
        low, high = map(float, rate)
        rows.append((f"1 - {name} falls in a step by", f"{low:.7g} to {high:.7g} of itself"))
        rows.append(("  and is halved in steps", f"{math.log(2) / -math.log1p(-low):.3g}"))
    if found.verdict == "shown":
        size, factor = float(found.contracted_box_side), float(1 - found.lipschitz_factor)
        rows.append(("contracted box at (1, 1), side", f"{size:.3g}"))
        rows.append(("Lipschitz constant there", f"1 - {factor:.4g}"))
    return rows


def save_and_show_certificate(
    found: Certificate, to: OutputDestination, rows: Rows | None = None
) -> None:
    """Save a certificate and print it, as a table or JSON; print it even if saving fails."""
    lost = None
    if to.output is not None:
        try:
            found.save(to.output)
        except SavingFailedError as problem:
            lost = problem
    about = [
        ("verdict", str(found.verdict)),
        ("box", found.box_text),
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
    show_certificate_result(found.statement, about, to, brief | {"rows": dict(rows or [])})
    if lost is not None:
        raise lost
    if to.output is not None and to.table:
        typer.echo(f"saved in {to.output}")
    if found.verdict != "shown":
        raise typer.Exit(1)


def show_certificate_result(
    title: str, rows: Rows, to: OutputDestination, data: dict[str, Any]
) -> None:
    """Print a certificate's result as a table, and write it as JSON, as the options ask."""
    if to.table:
        from rich.table import Table
        from rich.text import Text

        from slrsym.cli.terminal_output import console

        styles = {"shown": "green", "refuted": "bold red", "undecided": "yellow"}
        out = console()
        out.print(Text(title), Text(""), sep="\n")
        table = Table(box=None, pad_edge=False, show_header=False, padding=(0, 3, 0, 0))
        table.add_column(no_wrap=True)
        table.add_column(overflow="fold")
        for name, value in rows:
            table.add_row(name, Text(value, style=styles.get(value, "")))
        out.print(table)
    shared.write_json(to.json_file, data)


app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    short_help="Certify statements for given parameters by ball arithmetic.",
    help="Certify statements for given parameters, or for whole ranges, by ball arithmetic. "
    "Numbers are exact: 0.1 is one tenth, sqrt(1/2) a root, 0.05..0.2 a range.",
    epilog=shared.format_examples("certify", options.EXAMPLES),
)


def _shared(
    lam: Annotated[str, typer.Option(help="Inverse temperature: a number or a range.")] = "0.1",
    gamma: Annotated[
        str | None,
        typer.Option(help="Standard deviation of the informative token. [default: sqrt(1/2)]"),
    ] = None,
    gamma2: Annotated[str | None, typer.Option(help="Its square, instead.")] = None,
    d: Annotated[str, typer.Option(help="Dimension of a token.")] = "400",
    L: Annotated[
        int | None,
        typer.Option(
            "--L",
            min=1,
            help="Number of tokens: on the manifold nothing that is certified depends on it.",
        ),
    ] = None,
    max_boxes: Annotated[
        int, typer.Option(min=1, metavar="N", help="How many boxes may be looked at.")
    ] = 200_000,
    seconds: Annotated[
        float,
        typer.Option(
            show_default="no limit",
            help="For how long. With a limit, the verdict depends on the machine.",
        ),
    ] = math.inf,
    digits: Annotated[
        int, typer.Option(min=10, max=10_000, metavar="N", help="Decimal digits of the balls.")
    ] = 30,
    output: Annotated[
        Path | None,
        shared.output_option("Save the certificate; the command check reads it."),
    ] = None,
    json_file: shared.JsonFile = None,
) -> None:
    """Declare, by its signature alone, the options that all commands of certify share."""


# A command's own options come before --max-boxes.
_OWN = 5


def _certifying(name: str, boxes: int = 200_000) -> Callable[[Any], Any]:
    """Return a decorator that makes a function which certifies at (lam, gamma, d) a command."""

    def decorate(certified: Callable[..., tuple[Any, Rows]]) -> Any:
        @wraps(certified)
        def command(
            *, lam: str, gamma: str | None, gamma2: str | None, d: str, L: int | None,
            output: Path | None, json_file: Path | None, **options: Any,
        ) -> None:  # fmt: skip
            to = OutputDestination.from_options(output, json_file)
            if L is not None:
                typer.echo("note: --L does not matter here", err=True)
            with shared.value_errors_as_usage_errors(), shared.progress_bar() as bar:
                task = bar.add_task("certifying", total=None, told="")
                options["note"] = lambda boxes: bar.update(task, told=f"{boxes:,} boxes")
                found, rows = certified((lam, _gamma(gamma, gamma2), d), **options)
            certificate = getattr(found, "certificate", found)
            if certificate is None:
                show_certificate_result(
                    "no step size was certified", rows, to, {"verdict": str(found.verdict)}
                )
                raise typer.Exit(1)
            save_and_show_certificate(certificate, to, rows)

        common = list(signature(_shared, eval_str=True).parameters.values())
        own = [
            x for x in signature(certified, eval_str=True).parameters.values()
            if x.kind is x.KEYWORD_ONLY
        ]  # fmt: skip
        common[_OWN] = common[_OWN].replace(default=boxes)
        asked = [x.replace(kind=x.KEYWORD_ONLY) for x in (*common[:_OWN], *own, *common[_OWN:])]
        command.__signature__ = Signature(asked)  # type: ignore[attr-defined]
        command.__annotations__ = {x.name: x.annotation for x in asked}
        return app.command(
            name,
            cls=options.CommandOfTask,
            epilog=shared.format_examples(f"certify {name}", options.EXAMPLES),
        )(as_command(command))

    return decorate


@_certifying("alpha")
def alpha(
    at: tuple[Any, Any, Any],
    *,
    step: Annotated[
        str | None,
        typer.Option("--alpha", help="Certify this step size, instead of looking for the largest."),
    ] = None,
    tolerance: Annotated[
        float | None,
        typer.Option(
            help="How close to come to the limit, as part of it. [default: 1e-4, 0.02 for ranges]"
        ),
    ] = None,
    **limits: Any,
) -> tuple[Any, Rows]:
    """Certify the largest step size of Theorem 5.

    The largest for which its conditions hold on the whole square. For it and for every smaller one,
    the risk decreases along every step, the planar map is injective with a positive Jacobian
    determinant, and the origin is a saddle of it.
    """
    from slrsym.papers.single_location import certify

    if step is not None:
        return certify.certify_step_size(*at, step, **limits), []
    best = certify.alpha_bar(*at, tolerance=tolerance, **limits)
    return best, step_size_rows(best)


@_certifying("fixed-points")
def fixed_points(at: tuple[Any, Any, Any], **limits: Any) -> tuple[Any, Rows]:
    """Isolate all solutions of system (14) in the square.

    They are counted, too (Proposition 9).
    """
    from slrsym.papers.single_location import certify

    found = certify.certify_fixed_points(*at, **limits)
    return found, fixed_point_rows(found)


@_certifying("classification")
def classification(at: tuple[Any, Any, Any], **limits: Any) -> tuple[Any, Rows]:
    """Certify the kinds of the five fixed points.

    Minima, maxima and a saddle (Proposition 10).
    """
    from slrsym.papers.single_location import certify

    return certify.certify_classification(*at, **limits), []


@_certifying("rates", boxes=20_000)
def rates(
    at: tuple[Any, Any, Any],
    *,
    step: Annotated[str, typer.Option("--alpha", help="Step size.")] = "0.004",
    **limits: Any,
) -> tuple[Any, Rows]:
    """Certify how fast kappa and nu converge.

    At the oracle, with a box around it that is contracted.
    """
    from slrsym.papers.single_location import certify

    del limits["note"]  # it is done at once
    found = certify.certify_local_rates(*at, step, **limits)
    return found, convergence_rate_rows(found)


@app.command(epilog=shared.format_examples("certify check", options.EXAMPLES))
@as_command
def check(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Certificates.")],
    json_file: shared.JsonFile = None,
) -> None:
    """Check certificates again, from their files alone.

    The exit code is 0 if all are right and show what they say; a certificate that says that it is
    undecided shows nothing.
    """
    from slrsym.papers.single_location import certify

    to = OutputDestination.from_options(None, json_file)
    for file in files:
        shared.require_distinct_files(("FILE", file), ("--json", json_file))
    checks, shown = [], True
    for file in files:
        if not file.exists():
            raise typer.BadParameter(f"{file} cannot be read: it does not exist")
        with shared.value_errors_as_usage_errors():
            certificate = certify.load(file)
        found = certify.check(certificate)
        shown = shown and found.accepted and found.verdict is certify.CertificateOutcome.SHOWN
        checks.append(
            {
                "file": str(file),
                "kind": certificate.kind,
                "box": certificate.box_text,
                "verdict": str(found.verdict) if found.accepted else "refused",
                "boxes": found.boxes,
                "seconds": round(found.seconds, 3),
                "refusal": found.refusal,
            }
        )
    if to.table:
        for one in checks:
            typer.echo(
                f"{one['file']}: {one['verdict']}: {one['kind']} for {one['box']} "
                f"({one['boxes']:,} boxes, {one['seconds']} s)"
            )
            if one["refusal"]:
                typer.echo(f"error: {one['file']}: {one['refusal']}", err=True)
    shared.write_json(to.json_file, checks)
    if not shown:
        raise typer.Exit(1)


def _gamma(gamma: str | None, gamma2: str | None) -> Any:
    options.refuse_both_gammas(gamma, gamma2)
    if gamma2 is None:
        return "sqrt(1/2)" if gamma is None else gamma
    from slrsym.balls.boxes import Range, RationalOrSquareRoot, parse_parameter_range

    square = parse_parameter_range("gamma2", gamma2)
    if square.low.root or square.high.root:
        raise ValueError(f"gamma2 must be rational; got {gamma2!r}")
    return Range(
        *(RationalOrSquareRoot(end.radicand, root=True) for end in (square.low, square.high))
    )

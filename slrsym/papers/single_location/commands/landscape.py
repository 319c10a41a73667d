"""The command that lists the critical points of the risk, and their branches."""

from __future__ import annotations

import math
import sys
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from slrsym.cli import shared
from slrsym.cli.command_functions import as_command
from slrsym.papers.single_location.commands import options

if TYPE_CHECKING:
    from rich.table import Table

    from slrsym.models.landscape.branches import Branch
    from slrsym.models.landscape.critical_point_table import CriticalPoint, CriticalPoints
    from slrsym.papers.single_location.task import Task


_WIDE = 110


@as_command
def landscape(
    lam: Annotated[float, typer.Option(help="Inverse temperature.")] = 0.1,
    gamma: options.GAMMA = None,
    gamma2: options.GAMMA2 = None,
    d: options.DIMENSION = 400,
    L: options.TOKENS = 10,
    alpha: Annotated[
        float | None,
        typer.Option(help="Step size: say what projected gradient descent does near each point."),
    ] = None,
    branches: Annotated[
        tuple[float, float] | None,
        typer.Option(
            metavar="LAM0 LAM1",
            help="Follow the points over this range of inverse temperatures, instead.",
        ),
    ] = None,
    json_file: shared.JsonFile = None,
    plot: Annotated[Path | None, shared.plot_option("Draw it")] = None,
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="Of the random starts.")] = 0,
) -> None:
    """List the critical points of the risk, on and off the manifold.

    Each with its overlaps, excess risk, how many directions descend (index) and how many are flat,
    and whether ball arithmetic confirms that it exists and has that index. With --branches, how
    they change with the inverse temperature.
    """
    shared.require_writable_plot(plot)
    deviation = options.gamma_from_options(gamma, gamma2, options.USUAL_GAMMA)
    to_stdout = shared.is_json_on_stdout(json_file)
    shared.require_distinct_files(("--json", json_file), ("--plot", plot))

    from slrsym.cli import terminal_output
    from slrsym.kernels.arguments import require_positive
    from slrsym.papers.single_location.landscape import find_critical_points
    from slrsym.papers.single_location.task import Task

    with shared.value_errors_as_usage_errors():
        task = Task(d, L, deviation)
        if alpha is not None:
            require_positive("alpha", alpha)
        if branches is None:
            require_positive("lam", lam)
    out = terminal_output.console(sys.stderr if to_stdout else sys.stdout)
    if branches is not None:
        with shared.value_errors_as_usage_errors("--branches"):
            found: Any = _followed(task, branches, seed)
        content: Any = [_branch_as_dict(branch) for branch in found]
        out.print(branch_table(found))
    else:
        with (
            shared.value_errors_as_usage_errors(),
            shared.show_activity("searching for critical points"),
        ):
            found = find_critical_points(task, lam, rng=seed)
        content = points_as_dict(found, task)
        out.print(critical_point_table(found, alpha, out.width))
        for line in _summary(found, task, alpha):
            out.print(line)
    shared.write_json(json_file, content)
    if plot is not None:
        from slrsym.documents.figures.style import save_figure
        from slrsym.papers.single_location.figures.landscape import (
            bifurcation_diagram_figure,
            critical_points_figure,
        )

        drawn = (
            critical_points_figure(found)
            if branches is None
            else bifurcation_diagram_figure(found, task, _marks(task))
        )
        save_figure(drawn, plot)
        out.print(f"drawn in {plot}", soft_wrap=True)


def _marks(task: Any) -> list[tuple[float, str]]:
    from slrsym.papers.single_location.landscape import critical_inverse_temperature

    critical = critical_inverse_temperature(task) if task.L > 1 else math.inf
    return [(critical, r"$\lambda_c$")] if math.isfinite(critical) else []


def _followed(task: Any, span: tuple[float, float], seed: int) -> list[Branch]:
    from slrsym.papers.single_location.landscape import follow_branches

    with shared.progress_bar() as bar:
        job = bar.add_task("following branches", total=1.0, told="")
        return follow_branches(
            task, *span, rng=seed, progress=lambda part: bar.update(job, completed=part)
        )


# -- tables ------------------------------------------------------------------------------------


def critical_point_table(
    found: CriticalPoints, alpha: float | None = None, width: int = _WIDE
) -> Table:
    """Return a table of critical points: overlaps, risk, index and kind, one line for each."""
    from slrsym.papers.single_location.landscape.points import describe_freedom_of_k_and_v

    wide = width >= _WIDE
    result = _table(
        *("point", ">kappa", ">nu", ">theta", ">eta", ">rho", ">risk", ">index", ">flat"),
        *(("kind", "free", ">slope") if wide else ()),
        *(() if alpha is None else ("descent",)),
        "sure",
    )
    for point in found.points:
        digits = 4 if wide else 3
        overlaps = [_overlap(x, digits) for x in point.state]
        cells = [point.name, *overlaps, f"{point.excess_risk:.6g}"]
        cells += [f"{point.index}", f"{point.flat}"]
        if wide:
            gradient = "0" if point.gradient == 0 else f"{point.gradient:.0e}"
            family, _ = describe_freedom_of_k_and_v(point.state, found.values["d"])
            free = family.removesuffix(" free").replace("isolated", "-")
            cells += [point.kind, free, gradient]
        if alpha is not None:
            cells.append(point.stability_text(alpha))
        cells.append("yes" if point.confirmed else "no")
        result.add_row(*cells, style="bold" if point.kind == "minimum" else "")
    return result


def _branch_as_dict(branch: Branch) -> dict[str, Any]:
    """Return a branch as plain data for JSON."""
    from slrsym.papers.single_location.task import OrderParameters

    def state(values: Any) -> dict[str, float]:
        return OrderParameters(*map(float, values))._asdict()

    return {
        "name": branch.name,
        "lam": branch.values.tolist(),
        "states": branch.states.tolist(),
        "excess_risk": branch.excess_risk.tolist(),
        "index": branch.index.tolist(),
        "events": [
            {"kind": e.kind, "lam": e.value, "state": state(e.state)} for e in branch.events
        ],
    }


def points_as_dict(found: CriticalPoints, task: Task) -> dict[str, Any]:
    """Return the critical points of a task as plain data for JSON."""
    missed = found.coverage.expected_missed
    return {
        "task": {"d": task.d, "L": task.L, "gamma": task.gamma},
        "lam": found.values["lambda"],
        "points": [_point_as_dict(p, task) for p in found.points],
        "starts": found.coverage.starts,
        "found": found.coverage.total_hits,
        "plateaus": found.coverage.flat_ends,
        "expected_missed": missed if math.isfinite(missed) else None,
        "unseen_mass": found.coverage.unseen_mass,
        "euler": found.euler,
        "euler_expected": found.euler_expected,
    }


def _point_as_dict(point: CriticalPoint, task: Task) -> dict[str, Any]:
    """Return a critical point as a dictionary of plain data for JSON."""
    from slrsym.papers.single_location.landscape.points import describe_freedom_of_k_and_v

    plain = {
        name: getattr(point, name)
        for name in (
            "name", "kind", "copies", "excess_risk", "index", "flat", "gradient", "confirmed",
            "hits", "largest_step", "radius",
        )
    }  # fmt: skip
    for name in ("radius", "largest_step"):
        plain[name] = plain[name] if math.isfinite(plain[name]) else None
    return plain | {
        "family": describe_freedom_of_k_and_v(point.state, task.d)[0],
        "family_dimension": point.orbit,
        "state": point.state._asdict(),
        "spectrum": [{"value": value, "count": count} for value, count in point.spectrum],
    }


def branch_table(branches: list[Branch]) -> Table:
    """Return a table of branches of critical points: range, index and events, a line for each."""
    result = _table("branch", ">from", ">to", "index", "~events")
    for branch in branches:
        order = (
            branch.index[branch.values.argsort(kind="stable")] if _single(branch) else branch.index
        )
        steps = [order[0], *(j for i, j in pairwise(order) if i != j)]
        events = [f"{event.kind} at {event.value:.5g}" for event in branch.events]
        result.add_row(
            branch.name,
            f"{branch.values.min():.4g}",
            f"{branch.values.max():.4g}",
            ", ".join(str(int(i)) for i in steps),
            ", ".join(events),
        )
    return result


def _single(branch: Branch) -> bool:
    steps = branch.values[1:] - branch.values[:-1]
    return bool((steps >= 0).all() or (steps <= 0).all())


def _table(*names: str) -> Table:
    from slrsym.cli.terminal_output import empty_table

    return empty_table(*names, padding=0, show_edge=False)


def _summary(found: CriticalPoints, task: Task, alpha: float | None) -> list[str]:
    from slrsym.papers.single_location.landscape import critical_inverse_temperature

    coverage = found.coverage
    lines = [
        f"{len(found.points)} critical points, up to symmetries; "
        f"{coverage.total_hits:,} of {coverage.starts:,} searches ended at one, "
        f"{coverage.expected_missed:.2g} more expected",
        f"signs of the indices add up to {found.euler}"
        + (
            ", as they must"
            if found.is_balanced
            else f", not to {found.euler_expected}: some missing"
        ),
    ]
    if coverage.flat_ends:
        lines.append(f"{coverage.flat_ends:,} searches ended where the risk is flat to rounding")
    if task.L > 1:
        critical = critical_inverse_temperature(task)
        where = f"up to lambda = {critical:.6g}" if math.isfinite(critical) else "at all lambda"
        lines.append(f"the oracle is a strict local minimum {where}")
    if alpha is not None:
        attracting = [p.name for p in found.minima if p.stability_text(alpha) == "attracts"]
        lines.append(f"descent with alpha = {alpha:g} ends at: {', '.join(attracting) or 'none'}")
    return lines


def _overlap(value: float, digits: int) -> str:
    return "0" if abs(value) < 1e-9 else f"{value:.{digits}f}"

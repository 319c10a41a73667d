"""Where runs of descent end, in groups of ends that are close to each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import xarray as xr
    from rich.table import Table

# Runs whose order parameters differ by less are said to end at the same place.
_NEAR = 0.02
_MOST_ROWS = 20


def ends_of_runs(
    runs: xr.Dataset, near: Sequence[str], also: Sequence[str]
) -> list[dict[str, float]]:
    """Return, for each group of close ends of runs, its size and the means of its variables.

    Ends are close if they are in the variables `near`; the means are of these, and of `also`.
    """
    import numpy as np

    names = (*near, *also)
    last = runs.isel(step=-1)
    groups: list[list[Any]] = []
    for row in np.stack([last[name].values for name in names], axis=1):
        found = [g for g in groups if np.abs(row - g[0])[: len(near)].max(initial=0) < _NEAR]
        if found:
            found[0].append(row)
        else:
            groups.append([row])
    groups.sort(key=len, reverse=True)
    means = (np.mean(group, axis=0).tolist() for group in groups)
    return [
        {"runs": len(group), **dict(zip(names, mean, strict=True))}
        for group, mean in zip(groups, means, strict=True)
    ]


def _heading(name: str) -> str:
    return name.replace("_risk", " risk")


def table_of_ends(runs: xr.Dataset, found: list[dict[str, float]], setting: str = "") -> Table:
    """Return a table of groups of ends, the largest first, with a setting in its title."""
    from slrsym.cli.terminal_output import empty_table
    from slrsym.models.definition.description import ascii_name

    more = len(found) - _MOST_ROWS
    shown = ("count" if name == "runs" else _heading(ascii_name(name)) for name in found[0])
    result = empty_table(
        *(f">{name}" for name in shown),
        title=f"{setting}{', ' if setting else ''}after {int(runs.step[-1]):,} steps",
        caption=f"and {more} other places" if more > 0 else None,
    )
    for end in found[:_MOST_ROWS]:
        cells = [
            # A tiny number is not shown as a negative zero.
            f"{value:.2g}" if name == "distance" else f"{round(value, 4) + 0.0:.4f}"
            for name, value in end.items()
            if name != "runs"
        ]
        result.add_row(str(end["runs"]), *cells)
    return result

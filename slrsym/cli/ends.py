"""Where runs end, in few lines."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import xarray as xr
from numpy.typing import NDArray
from rich.box import SIMPLE_HEAD
from rich.table import Table

from slrsym.task import OrderParameters

# Runs whose overlaps differ by less are said to end at the same place.
_NEAR = 0.02

_MOST_ROWS = 20

_COLUMNS = (*OrderParameters._fields, "excess_risk", "distance")


@dataclass(frozen=True)
class End:
    """A place where runs end."""

    count: int
    values: NDArray[np.float64]

    def as_dict(self) -> dict[str, float]:
        """Plain data, for JSON."""
        return {"runs": self.count, **dict(zip(_COLUMNS, self.values.tolist(), strict=True))}


def ends(runs: xr.Dataset) -> list[End]:
    """Where runs end, those near each other taken together."""
    last = runs.isel(step=-1)
    rows = np.stack([last[name].values for name in _COLUMNS], axis=1)
    groups: list[list[NDArray[np.float64]]] = []
    for row in rows:
        for group in groups:
            if np.abs(row - group[0])[:5].max() < _NEAR:
                group.append(row)
                break
        else:
            groups.append([row])
    found = [End(len(group), np.mean(group, axis=0)) for group in groups]
    return sorted(found, key=lambda end: -end.count)


def table(runs: xr.Dataset) -> Table:
    """Where runs end, one line for each place."""
    found = ends(runs)
    result = Table(
        box=SIMPLE_HEAD,
        pad_edge=False,
        title=f"after {int(runs.step[-1]):,} steps",
        title_justify="left",
        title_style="",
        caption=(
            f"and {len(found) - _MOST_ROWS} other places" if len(found) > _MOST_ROWS else None
        ),
        caption_justify="left",
    )
    for name in ("runs", *_COLUMNS):
        result.add_column(name.replace("_", " "), justify="right", no_wrap=True)
    for end in found[:_MOST_ROWS]:
        result.add_row(str(end.count), *map(_shown, end.values[:-1]), f"{end.values[-1]:.2g}")
    return result


def sentence(runs: xr.Dataset) -> str:
    """Where a run on the manifold ends, in a line."""
    last = runs.isel(run=0, step=-1)
    return (
        f"kappa = {float(last.kappa):.6f}, nu = {float(last.nu):.6f}, "
        f"excess risk {float(last.excess_risk):.6f} after {int(runs.step[-1]):,} steps"
    )


def _shown(value: float) -> str:
    # A tiny number is not shown as a negative zero.
    return f"{round(value, 4) + 0.0:.4f}"

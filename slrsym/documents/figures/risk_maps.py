"""Maps of the risk in a plane of two order parameters, with the critical points in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from slrsym.documents.figures.planes import (
    ROUNDING,
    StatePlane,
    gram_entries_of_model,
    hide_what_no_vectors_have,
    new_axes,
)
from slrsym.documents.figures.style import figure_style_context
from slrsym.kernels.arguments import require_integer
from slrsym.models.training.parameter_values import parameter_row, parameter_values_by_name

if TYPE_CHECKING:
    from slrsym.models.landscape.critical_point_table import CriticalPoint, CriticalPoints
    from slrsym.models.stated_model import Model

# Markers by the kind of a point, told apart without colours.
MARKERS: dict[str, dict[str, Any]] = {
    "minimum": {"marker": "o", "markerfacecolor": "white", "markersize": 8},
    "maximum": {"marker": "^", "markerfacecolor": "black", "markersize": 8},
    "saddle": {"marker": "X", "markerfacecolor": "white", "markersize": 8},
    "degenerate": {"marker": "s", "markerfacecolor": "white", "markersize": 7},
    "plateau": {"marker": "D", "markerfacecolor": "white", "markersize": 6},
}
_LEVELS = 14


def plot_risk_map(
    model: Model,
    values: Mapping[Any, Any],
    x: Any = None,
    y: Any = None,
    *,
    at: Mapping[Any, float] | None = None,
    points: CriticalPoints | None = None,
    window: Any = None,
    resolution: int = 121,
    ax: Axes | None = None,
) -> Axes:
    """Draw the risk over two order parameters as filled contours, and the critical points there."""
    resolution = require_integer("resolution", resolution, 2)
    names = model.order_parameters
    by_name = parameter_values_by_name(model, values)
    found: Sequence[CriticalPoint] = () if points is None else points
    if points is None and "d" in by_name:
        found = model.landscape(values, rng=0)
    row = parameter_row(model, by_name)
    risk_at = model.compile("numpy", "risk")

    def variation(plane: StatePlane) -> tuple[int, float]:
        _, _, values, least = _risk_on(plane, risk_at, row, 9, numbers)
        values = values[least >= -ROUNDING]
        inside = sum(any(map(plane.contains, p.samples)) for p in found)
        return inside, float(np.nanstd(values)) if np.isfinite(values).any() else -1.0

    numbers = dict(zip((p.name for p in model.parameters), row.tolist(), strict=True))
    numbers |= {name: float(v) for name, v in by_name.items() if isinstance(v, int | float)}
    plane = StatePlane.choose_best(model, names, x, y, at, window, variation)
    across, up, risk, least = _risk_on(plane, risk_at, row, resolution, numbers)
    feasible = least >= -ROUNDING
    if not np.isfinite(risk[feasible]).any():
        raise ValueError(
            "no point of this plane is one of vectors: choose where the other order parameters are "
            f"held with at= (they are at {plane.held_tex.replace('$', '') or 'none'})"
        )
    with figure_style_context():
        ax = new_axes(ax)
        drawn = ax.contourf(across, up, risk, levels=_LEVELS, cmap="cividis")
        ax.contour(across, up, risk, levels=drawn.levels, colors="white", linewidths=0.4, alpha=0.6)
        ax.grid(visible=False)
        hide_what_no_vectors_have(ax, across, up, least)
        plane.label(ax)
        bar = ax.figure.colorbar(drawn, ax=ax, label="risk")
        bar.outline.set_visible(False)
        inside = _mark_points(ax, plane, model, found)
        said = [plane.held_tex] if plane.held_tex else []
        if len(found):
            said.append(f"{inside} of {len(found)} critical points found lie here")
        ax.set_title("\n".join(said), fontsize=9, loc="left", pad=9)
        if inside:
            ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.17), ncols=3, handletextpad=0.2)
    return ax


def _risk_on(
    plane: StatePlane, risk_at: Any, row: Any, resolution: int, numbers: Mapping[str, float]
) -> tuple[Any, Any, Any, Any]:
    """Return the values on both axes of a plane, the risk, and the least eigenvalue there."""
    across, up, states = plane.grid(resolution)
    least = plane.least_eigenvalue(states, gram_entries_of_model(plane.model), numbers)
    with np.errstate(all="ignore"):
        risk = risk_at(states, *row)[..., 0]
    # Beyond where vectors are, a formula may be large; a little of it is needed for a smooth edge.
    most = np.nanmax(np.where(least >= -ROUNDING, risk, -np.inf), initial=-np.inf)
    fewest = np.nanmin(np.where(least >= -ROUNDING, risk, np.inf), initial=np.inf)
    return across, up, np.clip(risk, fewest, most), least


def _mark_points(ax: Axes, plane: StatePlane, model: Model, points: Any) -> int:
    """Mark the points that lie in a plane, with their reflections; return how many classes do."""
    shown: set[str] = set()
    inside = 0
    reflections = [np.array([-1.0 if p in flipped else 1.0 for p in plane.state])
                   for flipped in (model.flow.symmetries() if len(points) else ())]  # fmt: skip
    for point in points:
        states: list[NDArray[np.float64]] = [
            state * signs
            for state in point.samples
            for signs in (np.ones(len(plane.state)), *reflections)
        ]
        found = {(round(s[plane.x], 4), round(s[plane.y], 4)) for s in states if plane.contains(s)}
        inside += bool(found)
        for place in sorted(found):
            label = point.kind if point.kind not in shown else None
            shown.add(point.kind)
            ax.plot(*place, linestyle="none", color="black", markeredgewidth=1.1, clip_on=False,
                    zorder=5, label=label, **MARKERS[point.kind])  # fmt: skip
    return inside

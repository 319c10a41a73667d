"""Direction fields of equations of motion in a plane of two order parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes

from slrsym.documents.figures.planes import ROUNDING, StatePlane, new_axes
from slrsym.documents.figures.style import COLOURS, figure_style_context
from slrsym.kernels.arguments import require_integer
from slrsym.models.training.fixed_points import gram_matrix_entries

if TYPE_CHECKING:
    from slrsym.models.training.fixed_points import FixedPoint, Linearisation
    from slrsym.models.training.motion_in_planes import MotionInPlanes

_MARKERS: dict[str, dict[str, Any]] = {
    "attracting": {"marker": "o", "markerfacecolor": "black", "markersize": 7},
    "repelling": {"marker": "o", "markerfacecolor": "white", "markersize": 7},
    "saddle": {"marker": "X", "markerfacecolor": "white", "markersize": 8},
    "not hyperbolic": {"marker": "s", "markerfacecolor": "white", "markersize": 6},
}
# For a picture, fewer than a table has.
_STARTS = 20
# An eigenvalue that is smaller is taken for 0.
_FLAT = 1e-7


def plot_direction_field(
    equations: MotionInPlanes,
    x: Any = None,
    y: Any = None,
    values: Mapping[Any, Any] | None = None,
    *,
    at: Mapping[Any, float] | None = None,
    points: Sequence[FixedPoint] | None = None,
    window: Any = None,
    resolution: int = 41,
    ax: Axes | None = None,
) -> Axes:
    """Draw the direction of motion over two order parameters, risk contours and fixed points."""
    resolution = require_integer("resolution", resolution, 3)
    plane, points = plane_and_points(equations, x, y, values, at, points, window)
    _, row = equations.numerical_values(plane.held, values)
    across, up, states = plane.grid(resolution)
    numbers = dict(zip((p.name for p in equations.parameters), row, strict=True))
    known = dict(zip(equations.parameters, row, strict=True))
    entries = [gram_matrix_entries(equations, known, a) for a in range(equations.model.spaces)]
    least = plane.least_eigenvalue(states, entries, numbers)
    feasible = least >= -ROUNDING
    motion = np.full(states.shape, np.nan)
    risk = np.full(states.shape[:-1], np.nan)
    with np.errstate(all="ignore"):
        motion[feasible] = equations.compile("numpy")(states[feasible], *row)
        risk[feasible] = equations.compile("numpy", "risk")(states[feasible], *row)[..., 0]
    if not np.isfinite(motion).any():
        raise ValueError(
            "no point of this plane is one of vectors: choose where the rest of the state is held "
            f"with at= (it is at {plane.held_tex.replace('$', '') or 'none'})"
        )
    with figure_style_context():
        ax = new_axes(ax)
        ax.grid(visible=False)
        if np.nanmax(risk) > np.nanmin(risk):
            ax.contour(across, up, risk, levels=12, colors="0.72", linewidths=0.8)
        shown = np.where(np.isfinite(motion), motion, np.nan)
        ax.streamplot(across, up, shown[..., plane.x], shown[..., plane.y], density=1.1,
                      color=COLOURS["blue"], linewidth=0.9, arrowsize=0.9)  # fmt: skip
        plane.label(ax)
        inside = _mark_points(ax, plane, points, equations.kind == "projected-descent")
        said = [plane.held_tex] if plane.held_tex else []
        if points:
            said.append(f"{inside} of {len(points)} fixed points found lie here")
        ax.set_title("\n".join(said), fontsize=9, loc="left", pad=9)
        if inside:
            ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.17), ncols=3, handletextpad=0.2)
    return ax


def plane_and_points(
    equations: MotionInPlanes,
    x: Any,
    y: Any,
    values: Mapping[Any, Any] | None,
    at: Mapping[Any, float] | None,
    points: Sequence[FixedPoint] | None,
    window: Any,
) -> tuple[StatePlane, Sequence[FixedPoint]]:
    """Return the plane of two order parameters, by default with most fixed points, and these."""
    first = StatePlane.choose(equations.model, equations.state, x, y, at, window)
    equations.numerical_values(first.held, values)
    found = equations.fixed_points(values, starts=_STARTS, rng=0) if points is None else points

    def inside(plane: StatePlane) -> tuple[int]:
        states = ((p.samples or (p.state,)) for p in found)
        return (sum(any(plane.contains(list(s.values())) for s in some) for some in states),)

    chosen = StatePlane.choose_best(equations.model, equations.state, x, y, at, window, inside)
    return chosen, found


def stability(linearisation: Linearisation, is_map: bool = False) -> str:
    """Return whether a fixed point attracts, repels, or is a saddle, by its eigenvalues.

    Of a map they are those of the change in a step.
    """
    eigenvalues = linearisation.eigenvalues
    growth = np.abs(1 + eigenvalues) - 1 if is_map else eigenvalues.real
    if (np.abs(growth) <= _FLAT * max(1.0, np.abs(growth).max(initial=0))).any():
        return "not hyperbolic"
    return "attracting" if (growth < 0).all() else "repelling" if (growth > 0).all() else "saddle"


def _mark_points(ax: Axes, plane: StatePlane, points: Sequence[FixedPoint], is_map: bool) -> int:
    shown: set[str] = set()
    inside = 0
    for point in points:
        kind = stability(point.linearisation, is_map)
        states = [list(s.values()) for s in (point.samples or (point.state,))]
        found = [s for s in states if plane.contains(s)]
        inside += bool(found)
        for state in found:
            label = kind if kind not in shown else None
            shown.add(kind)
            ax.plot(state[plane.x], state[plane.y], linestyle="none", color="black", clip_on=False,
                    markeredgewidth=1.1, zorder=5, label=label, **_MARKERS[kind])  # fmt: skip
    return inside

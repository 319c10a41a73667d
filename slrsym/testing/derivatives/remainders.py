"""Remainders of Taylor's formula, and how fast they fall.

The method is that of Boumal, *An Introduction to Optimization on Smooth Manifolds* (2023), Sections
4.8 and 6.8.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from slrsym.testing.derivatives.arguments import PER_DECADE, Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["TaylorCheck", "fitted"]


@dataclass(frozen=True, eq=False)
class TaylorCheck:
    """Remainders of Taylor's formula, and how fast they fall.

    Attributes
    ----------
    steps : ndarray, shape (n,)
        How far along the curve.
    remainders : ndarray, shape (n,)
        What Taylor's formula leaves there, without a sign.
    used : ndarray of bool, shape (n,)
        On which of them the slope rests: about a decade, as close to the point as rounding lets one
        see.
    slope : float
        Of the straight line through these, on logarithmic axes; infinite if there is nothing but
        rounding in the remainders, as with a cost that is a polynomial of low degree. It is NaN if
        the cost is so noisy that a wrong derivative would not be seen: then nothing is known.
    order : int
        The slope that right derivatives have; a slope that is larger is right as well.
    """

    steps: Array
    remainders: Array
    used: NDArray[np.bool_]
    slope: float
    order: int

    def plot(self, axes: Axes | None = None) -> Axes:
        """Draw the remainders, and a straight line of the slope that they should have.

        Parameters
        ----------
        axes : matplotlib Axes, optional
            Where; by default a new figure.

        Returns
        -------
        matplotlib Axes
        """
        if axes is None:
            from matplotlib.figure import Figure

            axes = Figure(figsize=(4.5, 3.4), layout="constrained").add_subplot()
        seen = self.remainders > 0
        axes.set(xscale="log", yscale="log", xlabel="step", ylabel="remainder")
        axes.plot(self.steps[seen], self.remainders[seen], ".", color="#0072B2", markersize=4)
        if self.used.any():
            chosen = self.steps[self.used], self.remainders[self.used]
            axes.plot(*chosen, color="#D55E00", linewidth=2, label=f"slope {self.slope:.2f}")
            anchor = self.used.nonzero()[0][0]
            line = self.remainders[anchor] * (self.steps / self.steps[anchor]) ** self.order
            low, high = self.remainders[seen].min(), self.remainders[seen].max()
            shown = (line > low / 10) & (line < high * 10)
            label = f"slope {self.order}"
            axes.plot(self.steps[shown], line[shown], "--", color="#595959", lw=1, label=label)
            axes.legend(frameon=False)
        else:
            told = "too noisy to tell" if math.isnan(self.slope) else "nothing but rounding"
            axes.set_title(told, fontsize="medium")
        return axes


# Remainders count from here on, in units of what rounding may have made of them: it then bends the
# line by less than a hundredth.
_CLEAR = 100.0

# Noise that hides more than this share of what changes hides wrong derivatives, too.
_BLIND = 0.01


def fitted(
    steps: Array,
    remainders: Array,
    size: float,
    order: int,
    changes: Array | None = None,
) -> TaylorCheck:
    """The slope just above what rounding hides.

    A right derivative with a small error, and a wrong one, differ near the point. So the slope is
    taken there, not where the line is straightest.
    """
    used = np.zeros(steps.size, dtype=bool)
    # Rounding, be it of the cost's own making, is what is not smooth at the shortest steps.
    shortest = remainders[: PER_DECADE + 1]
    scatter = np.abs(shortest[1:-1] - (shortest[:-2] + shortest[2:]) / 2)
    rounding = np.finfo(float).eps * size
    noise = max(rounding, float(scatter.max()), _grain(changes))
    hidden = np.flatnonzero(remainders <= _CLEAR * noise)
    begin = int(hidden[-1]) + 1 if hidden.size else 0
    used[begin : begin + PER_DECADE + 1] = True
    if used.sum() < PER_DECADE // 2:
        used[:] = False
        signal = max(float(remainders.max()), 0.0 if changes is None else np.abs(changes).max())
        blind = noise > _CLEAR * rounding and _CLEAR * noise > _BLIND * signal
        return TaylorCheck(steps, remainders, used, math.nan if blind else math.inf, order)
    slope = np.polyfit(np.log(steps[used]), np.log(remainders[used]), 1)[0]
    return TaylorCheck(steps, remainders, used, float(slope), order)


def _grain(changes: Array | None) -> float:
    """The least difference of the numbers, if they stand still at times: they may be rounded."""
    if changes is None:
        return 0.0
    differences = np.abs(np.diff(changes, prepend=0.0))
    moves = differences[differences > 0]
    return float(moves.min()) if moves.size and moves.size < differences.size else 0.0

"""Pictures of motion in a plane of the state, and its derivative at a point."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from slrsym.models.training.motion_in_numbers import MotionInNumbers
from slrsym.registry import load_registered

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from slrsym.models.training.fixed_points import FixedPoint, Linearisation
    from slrsym.prover.claims.claim import Claim


class MotionInPlanes(MotionInNumbers):
    """Equations of motion in numbers, which can be linearised and drawn in planes."""

    if TYPE_CHECKING:

        def fixed_points(
            self, values: Mapping[Any, Any] | None = None, *, starts: Any = 50, rng: Any = None
        ) -> list[FixedPoint]: ...

    def linearise(self, point: Any, values: Mapping[Any, Any] | None = None) -> Linearisation:
        """Return the Jacobian of the equations at a point, with its eigenvalues.

        Parameters
        ----------
        point, values
            As of `rate_of_change_at`.

        Returns
        -------
        Linearisation

        Raises
        ------
        ValueError
            If a number is missing, or belongs to no symbol of the equations, or a derivative is not
            finite there, as at length 0 of a direction in a unit with a kink.
        """
        from slrsym.models.training.fixed_points import Linearisation, require_finite_jacobian

        state, row = self.numerical_values(point, values)
        with np.errstate(all="ignore"):
            flat = self.compile("numpy", "jacobian")(state, *row)
        require_finite_jacobian(self, state, flat)
        return Linearisation.from_jacobian(self.state, flat.reshape(len(state), -1))

    def plot_field(
        self,
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
        """Draw the direction of motion over two order parameters, with risk and fixed points.

        Parameters
        ----------
        x, y : Symbol, str or inner product, optional
            What is on the axes, such as ``w @ u``. By default those in whose plane most fixed
            points lie.
        values : mapping of Symbol or str to number, optional
            The parameters.
        at : mapping of order parameters to numbers, optional
            Where the rest of the state is held: by default at 1 if positive, and else at 0. What
            moves out of the plane is drawn as if it did not.
        points : sequence of FixedPoint, optional
            What `fixed_points` returned. By default it is called.
        window : pair of pairs of float, optional
            The ends of both axes, as ``((-1, 1), (0, 2))``.
        resolution : int, optional
            Number of points along each axis, at least 3.
        ax : matplotlib.axes.Axes, optional
            Where to draw; by default in a new figure.

        Returns
        -------
        matplotlib.axes.Axes
            Grey lines are contours of the risk. What no vectors have is left white.

        Raises
        ------
        ValueError
            If a parameter is missing, the state has fewer than two order parameters or none of that
            name, or no vectors have the order parameters of the plane.
        """
        found: Axes = load_registered("draw.field")(
            self, x, y, values, at=at, points=points, window=window, resolution=resolution, ax=ax
        )
        return found

    def write_portrait(
        self,
        path: str | Path,
        x: Any = None,
        y: Any = None,
        values: Mapping[Any, Any] | None = None,
        *,
        at: Mapping[Any, float] | None = None,
        points: Sequence[FixedPoint] | None = None,
        window: Any = None,
        basin: Claim | Sequence[Claim] | None = None,
    ) -> Path:
        """Write a page on which one starts orbits in a plane of two order parameters.

        The page computes the rates of change by the formulas of these equations, in the whole
        state, and has a slider for each parameter. It is one file, and needs no network. Means
        without a closed form are sums over the 64 nodes of a Gauss-Hermite quadrature, or 40 x 40.

        Parameters
        ----------
        path : str or Path
            Where to write: a file .html.
        x, y, values, at, points, window
            As of `plot_field`. Orbits start with the rest of the state at `at`, and `values` has
            numbers for the parameters of `basin`, too.
        basin : Claim or sequence of Claim, optional
            A claim that flows converge to points, whose region of starts is shaded while its
            hypotheses hold; behind it, your claims that its proof cites. It is verified first.

        Returns
        -------
        Path
            The file.

        Raises
        ------
        ValueError
            As `plot_field` does; if `path` is no file .html or cannot be written; or if a function
            in the equations has no form for browsers. If `basin` is not proved, or is about another
            flow than these equations in the plane.
        """
        found: Path = load_registered("draw.portrait")(
            self, path, x, y, values, at=at, points=points, window=window, basin=basin
        )
        return found

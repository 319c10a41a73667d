"""What a model says of its landscape: critical points, branches and pictures of the risk."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from slrsym.kernels.arguments import explain_arguments
from slrsym.models.training.descent import DerivedModel
from slrsym.registry import load_registered

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from slrsym.models.landscape.branches import Branch
    from slrsym.models.landscape.critical_point_table import CriticalPoints


class ModelWithLandscape(DerivedModel):
    """A model whose critical points can be searched, followed and drawn."""

    @explain_arguments
    def landscape(
        self,
        values: Mapping[Any, Any],
        *,
        starts: int = 50,
        max_expected_missed: float | None = None,
        max_starts: int = 10_000,
        confirm: bool = False,
        names: Mapping[str, Mapping[Any, float]] | None = None,
        rng: Any = None,
        progress: bool | None = None,
    ) -> CriticalPoints:
        """Search for critical points of the risk from random starts, and return them as a table.

        Parameters
        ----------
        values : mapping of Symbol or str to number
            The parameters of the model, and ``d``, an integer of at least 2.
        starts : int, optional
            Number of searches, at least 1. A third of them are led to minima first, and a third to
            saddles of a random index.
        max_expected_missed : float, optional
            If it is given, further batches of as many starts follow, every other one from near the
            points that are known and between them, until the expected number of points that were
            not found (`SearchCoverage.expected_missed`) is at most this, and the signs of the
            indices add up as they must.
        max_starts : int, optional
            Number of searches that no further batch may exceed.
        confirm : bool, optional
            Whether to prove, by ball arithmetic, that each isolated point exists, and which signs
            its curvatures have; points that symmetries fix are then known without a search. Balls
            reach models with closed forms, one eigenspace, and fixed directions that do not depend
            on each other.
        names : mapping of str to mapping, optional
            Points to be named, by order parameters, such as ``{"aligned": {w @ u: 1}}``; those that
            are not given may be any.
        rng : int or Generator, optional
            Seed of the starts.
        progress : bool, optional
            As of `simulate`.

        Returns
        -------
        CriticalPoints
            A table that is a sequence of the points found, by risk: one of each set that symmetries
            relate, and one of each continuum. There may be others.

        Raises
        ------
        TypeError
            If a parameter has no such name.
        ValueError
            If a parameter is missing or out of its range.
        """
        from slrsym.models.landscape.critical_points import search_model_critical_points

        return search_model_critical_points(
            self, values, starts=starts, max_expected_missed=max_expected_missed,
            max_starts=max_starts, confirm=confirm, names=names, rng=rng, progress=progress,
        )  # fmt: skip

    @explain_arguments
    def branches(
        self,
        values: Mapping[Any, Any],
        parameter: Any,
        low: float,
        high: float,
        *,
        anchors: int = 6,
        starts: int = 50,
        max_expected_missed: float | None = None,
        names: Mapping[str, Mapping[Any, float]] | None = None,
        rng: Any = None,
    ) -> list[Branch]:
        """Follow the critical points of the risk along a parameter, with their bifurcations.

        Parameters
        ----------
        values : mapping of Symbol or str to number
            The other parameters of the model, and ``d``, an integer of at least 2.
        parameter : Symbol or str
            A parameter of the risk that is no integer, and not ``d``.
        low, high : float
            Its range, increasing; positive if the parameter is.
        anchors : int, optional
            At how many values critical points are searched, two at least. A branch that lives
            between two of them only is missed.
        starts, max_expected_missed, names, rng : optional
            As of `landscape`, for each of these searches.

        Returns
        -------
        list of Branch
            Each with its states, risks and indices along the parameter, and its events: where it
            turns back, meets its mirror image, or changes its index. Continua have no branches.

        Raises
        ------
        TypeError
            If a parameter has no such name.
        ValueError
            If a parameter is missing or out of its range, the risk has no such parameter, or the
            model has softmax, several eigenspaces, or fixed directions that depend on each other.
        """
        from slrsym.models.landscape.branches import follow_model_branches

        return follow_model_branches(
            self, values, parameter, low, high, anchors=anchors, starts=starts,
            max_expected_missed=max_expected_missed, names=names, rng=rng,
        )  # fmt: skip

    @explain_arguments
    def plot_landscape(
        self,
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
        """Draw the risk over two order parameters, with the critical points in their plane.

        Parameters
        ----------
        values : mapping of Symbol or str to number
            The parameters of the model, and ``d`` if critical points are to be searched.
        x, y : Symbol, str or inner product, optional
            The order parameters on the axes, such as ``w @ u``. By default those in whose
            plane most critical points lie, and the risk varies most.
        at : mapping of order parameters to numbers, optional
            Where the others are held: by default at 1 if they are positive, and else at 0.
        points : CriticalPoints, optional
            What `landscape` returned. By default it is called.
        window : pair of pairs of float, optional
            The ends of both axes, as ``((-1, 1), (0, 2))``.
        resolution : int, optional
            Number of points along each axis, at least 2.
        ax : matplotlib.axes.Axes, optional
            Where to draw; by default in a new figure.

        Returns
        -------
        matplotlib.axes.Axes
            What no vectors have is left white.

        Raises
        ------
        ValueError
            If a parameter is missing, an order parameter is unknown, the model has fewer than two,
            or no vectors have the order parameters of the plane.
        """
        found: Axes = load_registered("draw.landscape")(
            self, values, x, y, at=at, points=points, window=window, resolution=resolution, ax=ax
        )
        return found

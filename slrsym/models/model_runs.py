"""The runs of a stated model: simulation, recovery, and recovery over a grid of parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from slrsym.kernels.arguments import explain_arguments
from slrsym.models.definition.specification import Direction
from slrsym.models.landscape.model_landscape import ModelWithLandscape

if TYPE_CHECKING:
    import xarray as xr

    from slrsym.models.model_reports import Recovery
    from slrsym.models.training.runs import Runs


class ModelWithRuns(ModelWithLandscape):
    """A model whose descent can be simulated from starts that are given or random."""

    # The modules of runs and of studies are loaded on first use: proofs need none of them.
    @explain_arguments
    def simulate(
        self,
        values: Mapping[Any, Any],
        *,
        steps: int,
        alpha: float,
        runs: int | None = None,
        start: Any = "uniform",
        every: int | None = None,
        batch: int | None = None,
        samples: int | None = None,
        rng: Any = None,
        dimensions: Sequence[int] | None = None,
        backend: str = "auto",
        path: str | Path | None = None,
        progress: bool | None = None,
    ) -> Runs:
        """Run projected gradient descent on the order parameters, at a cost independent of d.

        Parameters
        ----------
        values : mapping of Symbol or str to number
            The parameters of the model, and ``d`` (an integer of at least 2) if starts are drawn.
            A parameter may also be an array of shape (steps + 1,) or a function of an array of
            steps, such as `slrsym.models.training.schedules.InverseTimeDecay` and `Formula`.
        steps : int
            Number of steps, at least 1.
        alpha : float
            Step size, positive.
        runs : int, optional
            Number of runs, at least 1. The default is one for each point of `start`.
        start : str, mapping, array_like, path or Dataset, optional
            The initial directions:

            * ``'uniform'``: trained directions uniform on their spheres; fixed ones, too, if their
              inner products are not known;
            * ``'uniform, fixed directions too'``;
            * a mapping of each direction to a vector, shape (d,), or to vectors, shape (runs, d);
            * a file .npz of such vectors by the directions' names;
            * a mapping of inner products to numbers, such as ``{w @ u: 0.1, w @ w: 0.5}``; of those
              that the model knows none are needed, and with q eigenspaces each has q numbers;
            * Gram matrices of all directions in the order of `directions`, trained ones first,
              shape (..., p, p), with q eigenspaces (..., q, p, p); or a DataArray over ``direction,
              other``, such as one of ``runs.gram``, in any order;
            * runs, or a file .nc of runs, which continue from their last step.
        every : int, optional
            Log every so many steps, at least 1, and the last one. The default logs 1000 rows.
        batch : int, optional
            How many samples each step draws, at least 1: the gradient is then that of their mean
            loss, with the noise of the target, and tokens are fresh at each step. By default it is
            that of the risk. They are drawn exactly in law, at a cost independent of d, which
            `values` must have; their law is that of the model at each step.
        samples : int, optional
            How many samples each run has, at least 1, which are drawn once: the gradient is that of
            their mean loss, or with `batch` of so many of them, in an order that each pass through
            them draws anew. The runs have their ``training_risk``, too. The cost grows with the
            number of tokens, but not with d beyond it.
        rng : int or Generator, optional
            Seed of the random starts and of the samples; the attribute ``seed`` of the runs is what
            samples are drawn from. A run does not depend on how many stand beside it.
        dimensions : sequence of int, optional
            Dimensions of the eigenspaces, which add up to d. Needed if there are several.
        backend : {'auto', 'numpy', 'numba'}, optional
            The default takes NumPy for short runs, and Numba for those that take longer than it
            takes to compile, or to load what an earlier process has compiled. The last digits of
            the two differ; ``runs.attrs["backend"]`` tells which it was.
        path : path, optional
            A file .nc to save the runs in, at the end and when interrupted, also by SIGTERM, which
            then ends the process, unless the program has a handler of its own.
        progress : bool, optional
            Whether to show progress, and the wait for a compilation. By default a bar on a
            terminal, and elsewhere a line of the log every 30 s.

        Returns
        -------
        Runs
            An `xarray.Dataset` over ``run, step``, with order parameters by their
            names, ``excess_risk`` and ``risk``, parameters over ``step``, and in ``gram`` the inner
            products of all directions, which ``overlap(x, y)`` reads.

        Raises
        ------
        TypeError
            If `steps` or `alpha` is missing, or a parameter has no such name.
        ValueError
            If a parameter is missing or out of its range, `start` does not fit this model, or it
            trains no direction.

        Warns
        -----
        RuntimeWarning
            If parameters are constant and the risk rises at last: the step size is too large.

        Notes
        -----
        If all runs start on a set that symmetries of the risk leave as it is (overlaps that vanish,
        units that are alike, to the last bit), the step is compiled for that set, and runs stay on
        it to the last bit. Symmetries are proved from the statement. The last digits differ from
        those of the same runs beside one that starts elsewhere.
        """
        from slrsym.models.training.simulation import simulate

        return simulate(
            self, values, steps=steps, alpha=alpha, runs=runs, start=start, every=every,
            batch=batch, samples=samples, rng=rng, dimensions=dimensions, backend=backend,
            path=path, progress=progress,
        )  # fmt: skip

    @explain_arguments
    def recovery(
        self,
        values: Mapping[Any, Any],
        pairs: Sequence[tuple[Direction, Direction]],
        *,
        steps: int,
        alpha: float,
        min_overlap: float = 0.9,
        runs: int | None = None,
        start: Any = "uniform",
        every: int | None = None,
        batch: int | None = None,
        samples: int | None = None,
        rng: Any = None,
        dimensions: Sequence[int] | None = None,
        backend: str = "auto",
        path: str | Path | None = None,
        progress: bool | None = None,
    ) -> Recovery:
        """Count the runs from random starts that end with chosen pairs of directions aligned.

        Parameters
        ----------
        values : mapping of Symbol or str to number
            As of `simulate`.
        pairs : sequence of pairs of Direction
            Directions that have to be aligned at the end, up to sign, such as ``[(w, u)]``.
        steps : int
            Number of steps, at least 1.
        alpha : float
            Step size, positive.
        min_overlap : float, optional
            Absolute inner product, from 0 to 1, from which on a pair counts as aligned.
        runs, start, every, batch, samples, rng, dimensions, backend, path, progress : optional
            As of `simulate`.

        Returns
        -------
        Recovery
            The fraction of the runs in which all pairs are aligned, with Wilson's 95 % interval. If
            runs are undecided, as their states are not finite, it is NaN, and lies between bounds.

        Raises
        ------
        TypeError
            If `steps` or `alpha` is missing, or a parameter has no such name.
        ValueError
            If `pairs` is empty or not of this model, or as `simulate` does.
        """
        from slrsym.models.model_reports import simulate_and_measure_recovery

        return simulate_and_measure_recovery(
            self, values, pairs, min_overlap=min_overlap, steps=steps, alpha=alpha, runs=runs,
            start=start, every=every, batch=batch, samples=samples, rng=rng,
            dimensions=dimensions, backend=backend, path=path, progress=progress,
        )  # fmt: skip

    @explain_arguments
    def recovery_sweep(
        self,
        values: Mapping[Any, Any],
        grid: Mapping[Any, Sequence[Any]],
        pairs: Sequence[tuple[Direction, Direction]],
        *,
        steps: int,
        alpha: float,
        min_overlap: float = 0.9,
        runs: int | None = None,
        start: Any = "uniform",
        batch: int | None = None,
        samples: int | None = None,
        rng: int = 0,
        dimensions: Sequence[int] | None = None,
        backend: str = "auto",
        path: str | Path | None = None,
        progress: bool | None = None,
    ) -> xr.Dataset:
        """Count the runs that end with chosen pairs aligned, at each point of a parameter grid.

        Parameters
        ----------
        values : mapping of Symbol or str to number
            As of `simulate`, without the parameters of the grid.
        grid : mapping of Symbol or str to sequence
            For each axis its values, which differ: numbers, or schedules.
        pairs, steps, alpha, min_overlap, runs, start, batch, samples, dimensions, backend, progress
            As of `recovery`.
        rng : int, optional
            Seed of the starts and of the samples, the same at each point.
        path : path, optional
            A file .nc for the result. If it exists, it is read. What was interrupted goes on from
            the folder beside it, which holds the points that are done.

        Returns
        -------
        Dataset
            Over the axes: ``count`` and ``fraction`` of the runs in which all pairs are aligned,
            Wilson's 95 % interval from ``lower`` to ``upper``; and ``overlap``, over the axes and
            ``run``, the least absolute inner product of the pairs. It is NaN for runs that are
            ``undecided``, as their states are not finite; with them the fraction is NaN, too, and
            the interval holds whatever they would have done.

        Raises
        ------
        ValueError
            As `recovery` does; or if an axis has a value twice or none, or the file holds counts of
            other settings.
        """
        from slrsym.models.training.recovery_sweep import sweep

        return sweep(
            self, values, grid, pairs, steps=steps, alpha=alpha, min_overlap=min_overlap, runs=runs,
            start=start, batch=batch, samples=samples, rng=rng, dimensions=dimensions,
            backend=backend, path=path, progress=progress,
        )  # fmt: skip

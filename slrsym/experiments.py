r"""The paper's settings, by figure name, and what is computed from them.

======  ===  ==  ================  ======================  ======  =====  =======  ====
figure  d    L   :math:`\gamma^2`  :math:`\lambda_t`       start   alpha  steps    runs
======  ===  ==  ================  ======================  ======  =====  =======  ====
4a      400  10  1/2               :math:`1/(1+10^{-4}t)`  sphere  4e-3   120,000  30
4b      400  10  1/2               0.1                     M       4e-3   20,000   30
5       80   10  1/2               :math:`2/(1+10^{-4}t)`  sphere  1e-3   200,000  30
7a      400  10  1/2               0.9                     sphere  1e-3   120,000  30
7b      400  10  1/2               0.1                     sphere  4e-3   20,000   30
======  ===  ==  ================  ======================  ======  =====  =======  ====

Figure 5 is of stochastic gradient descent, with batches of 5 and :math:`\varepsilon = 0.1`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import xarray as xr

from slrsym.dynamics import Constant, Inverse, Manifold, Sphere, load, resume, simulate
from slrsym.files import DamagedFileError
from slrsym.task import Task

__all__ = ["EXPERIMENTS", "Experiment", "Recipe", "fetch"]


class Recipe(Protocol):
    """Data that can be made, and recognised as made so."""

    @property
    def settings(self) -> dict[str, Any]:
        """What the data depend on; they are attributes of the data."""
        ...

    def compute(self, path: str | Path | None = None, progress: bool | None = None) -> xr.Dataset:
        """The data.

        Parameters
        ----------
        path : path, optional
            Where to save them.
        progress : bool, optional
            Whether to show a progress bar; by default on a terminal.

        Returns
        -------
        Dataset
        """
        ...

    def read(self, path: str | Path) -> xr.Dataset:
        """Data from a file.

        Parameters
        ----------
        path : path
            Of a file that `compute` saved.

        Returns
        -------
        Dataset

        Raises
        ------
        ValueError
            If it holds no data of this sort.
        """
        ...


@dataclass(frozen=True)
class Experiment:
    r"""Runs of projected gradient descent, as the paper has them.

    Parameters
    ----------
    task : Task
        Dimension, number of tokens, gamma, epsilon.
    schedule : Constant or Inverse
        Inverse temperature.
    start : Sphere or Manifold
        Where the runs start, and how many there are.
    alpha : float
        Step size.
    steps, log_every : int
        How many steps, and after how many the state is logged.
    batch : int, optional
        How many sequences of tokens a step is given, if not their law.
    """

    task: Task
    schedule: Constant | Inverse
    start: Sphere | Manifold
    alpha: float
    steps: int
    log_every: int
    batch: int | None = None

    @property
    def runs(self) -> int:
        """How many runs."""
        return self.start.runs

    @property
    def settings(self) -> dict[str, Any]:
        """What the runs depend on, named as in the attributes of a dataset of runs."""
        return {
            "dynamics": "overlaps",
            **{f"task_{name}": getattr(self.task, name) for name in ("d", "L", "gamma", "epsilon")},
            "alpha": self.alpha,
            "steps": self.steps,
            "log_every": self.log_every,
            "schedule": repr(self.schedule),
            "start": repr(self.start),
            **({} if self.batch is None else {"batch": self.batch, "seed": self.start.seed}),
        }

    def compute(
        self,
        path: str | Path | None = None,
        progress: bool | None = None,
        backend: str = "auto",
    ) -> xr.Dataset:
        """Run it, by the exact map of the five overlaps, on the manifold too.

        Parameters
        ----------
        path : path, optional
            Where to save the runs, at the end and when interrupted.
        progress : bool, optional
            Whether to show a progress bar; by default on a terminal.
        backend : {'auto', 'numpy', 'numba'}, optional
            By default Numba, where it is installed.

        Returns
        -------
        Dataset
            As `slrsym.simulate` returns it.
        """
        return simulate(
            self.task,
            self.start,
            self.schedule,
            self.alpha,
            self.steps,
            self.log_every,
            backend,
            dynamics="overlaps",
            batch=self.batch,
            rng=None if self.batch is None else self.start.seed,
            path=path,
            progress=progress,
        )

    def read(self, path: str | Path) -> xr.Dataset:
        """Runs from a file.

        Parameters
        ----------
        path : path
            Of a file that `compute` saved.

        Returns
        -------
        Dataset

        Raises
        ------
        ValueError
            If it holds no runs.
        """
        return load(path)


_TASK = Task(d=400, L=10, gamma=0.5**0.5)

EXPERIMENTS = {
    "4a": Experiment(_TASK, Inverse(1, 1e-4), Sphere(30), 4e-3, 120_000, 300),
    "4b": Experiment(_TASK, Constant(0.1), Manifold(30), 4e-3, 20_000, 200),
    "5": Experiment(
        Task(d=80, L=10, gamma=0.5**0.5, epsilon=0.1),
        Inverse(2, 1e-4),
        Sphere(30),
        1e-3,
        200_000,
        500,
        batch=5,
    ),
    "7a": Experiment(_TASK, Constant(0.9), Sphere(30), 1e-3, 120_000, 300),
    "7b": Experiment(_TASK, Constant(0.1), Sphere(30), 4e-3, 20_000, 200),
}


def fetch(
    recipe: Recipe, path: str | Path | None = None, progress: bool | None = None
) -> xr.Dataset:
    """Data from a file that holds them; otherwise they are made, and saved there.

    Parameters
    ----------
    recipe : Recipe
        An `Experiment`, or one of `slrsym.surveys`.
    path : path, optional
        A file. Runs in it that were interrupted are completed.
    progress : bool, optional
        Whether to show a progress bar; by default on a terminal.

    Returns
    -------
    Dataset

    Raises
    ------
    ValueError
        If the file holds something else, or data of other settings; it is then left alone.
    """
    if path is None or not Path(path).exists():
        return recipe.compute(path, progress)
    data = recipe.read(path)
    for name, wanted in recipe.settings.items():
        if name not in data.attrs:
            raise DamagedFileError(f"{path} holds other data: it has no setting {name}")
        if not np.array_equal(data.attrs[name], wanted):
            raise ValueError(
                f"{path} holds data with {name} = {data.attrs[name]}; needed is {name} = {wanted}"
            )
    for name, found in data.attrs.items():
        if name not in recipe.settings and not _of_making(name):
            raise ValueError(f"{path} holds data with {name} = {found}; needed are data without")
    if "step" in data.coords and int(data.step[-1]) < recipe.settings["steps"]:
        return resume(data, path=path, progress=progress)
    return data


def _of_making(name: str) -> bool:
    """Whether an attribute says how data were made, and not what they are."""
    return name == "backend" or name.startswith("version_")

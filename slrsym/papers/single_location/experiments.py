r"""Recipes of the paper's figures of runs, with their settings by figure.

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
Figures 8 to 10, of Section E.3, have d = 80, L = 10, the same noise, and fresh sequences:

======  ========================  =====  =====  =====  =======  ====
figure  model                     heads  batch  alpha  steps    runs
======  ========================  =====  =====  =====  =======  ====
8       Transformer layer         1      128    1e-2   8,000    20
9       erf heads, equation (31)  2      5      1e-3   100,000  20
10      Transformer layer         2      128    2e-2   10,000   10
======  ========================  =====  =====  =====  =======  ====

Figure 9 has :math:`\lambda_t = 2/(1 + 2\cdot10^{-4}t)`, held from step 25,000 on, as the authors'
notebook; the text has :math:`10^{-4}`. Its 20 starts have a run each by the exact risk, too.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import xarray as xr

from slrsym.papers.single_location.dynamics import (
    Constant,
    InverseTimeDecay,
    ManifoldStart,
    UniformStart,
    load,
    resume,
    simulate,
)
from slrsym.papers.single_location.task import Task, task_settings
from slrsym.papers.single_location.transformers import HeadRuns, LayerRuns, MultipleLocation

__all__ = ["EXPERIMENTS", "SECTION_E3", "Experiment"]


@dataclass(frozen=True)
class Experiment:
    r"""The recipe of a figure's descent runs: task, schedule, start, step size and steps.

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
    steps, every : int
        How many steps, and after how many the state is logged.
    batch : int, optional
        How many sequences of tokens a step is given, if not their law.
    """

    task: Task
    schedule: Constant | InverseTimeDecay
    start: UniformStart | ManifoldStart
    alpha: float
    steps: int
    every: int
    batch: int | None = None

    @property
    def runs(self) -> int:
        """The number of runs of the experiment, one for each start."""
        return self.start.runs

    @property
    def settings(self) -> dict[str, Any]:
        """The parameters on which the runs depend, named as a run's attributes."""
        return {
            **task_settings(self.task),
            "alpha": self.alpha,
            "steps": self.steps,
            "every": self.every,
            "schedule": repr(self.schedule),
            "start": repr(self.start),
            **({} if self.batch is None else {"batch": self.batch, "seed": self.start.seed}),
        }

    def compute(
        self, path: str | Path | None = None, progress: bool | None = None, backend: str = "auto"
    ) -> xr.Dataset:
        """Run the experiment's descent; return the runs, and save them to a path.

        Parameters
        ----------
        path : path, optional
            Where to save the runs, at the end and when interrupted.
        progress : bool, optional
            Whether to show progress. By default a bar on a terminal, and elsewhere a line of
            the log every 30 s.
        backend : {'auto', 'numpy', 'numba'}, optional
            By default Numba, or NumPy where it cannot be had.

        Returns
        -------
        Dataset
            As `slrsym.papers.single_location.simulate` returns it.
        """
        return simulate(
            self.task,
            self.start,
            self.schedule,
            self.alpha,
            self.steps,
            self.every,
            backend,
            batch=self.batch,
            rng=None if self.batch is None else self.start.seed,
            path=path,
            progress=progress,
        )

    def read(self, path: str | Path) -> xr.Dataset:
        """Read the runs in a file.

        Parameters
        ----------
        path : path
            Of a file that `compute` saved.

        Returns
        -------
        Dataset
        """
        runs = load(path)
        # An earlier version saved how its steps were taken: the same steps.
        runs.attrs.pop("dynamics", None)
        return runs

    def complete(
        self, data: xr.Dataset, path: str | Path | None = None, progress: bool | None = None
    ) -> xr.Dataset:
        """Complete interrupted runs and save them; return complete runs unchanged.

        Parameters
        ----------
        data : Dataset
            The runs so far.
        path, progress : optional
            As for `compute`.

        Returns
        -------
        Dataset
        """
        if int(data.step[-1]) >= self.steps:
            return data
        return resume(data, path=path, progress=progress)


_TASK = Task(d=400, L=10, gamma=0.5**0.5)

EXPERIMENTS = {
    "4a": Experiment(_TASK, InverseTimeDecay(1, 1e-4), UniformStart(30), 4e-3, 120_000, 300),
    "4b": Experiment(_TASK, Constant(0.1), ManifoldStart(30), 4e-3, 20_000, 200),
    "5": Experiment(
        Task(d=80, L=10, gamma=0.5**0.5, epsilon=0.1),
        InverseTimeDecay(2, 1e-4),
        UniformStart(30),
        1e-3,
        200_000,
        500,
        batch=5,
    ),
    "7a": Experiment(_TASK, Constant(0.9), UniformStart(30), 1e-3, 120_000, 300),
    "7b": Experiment(_TASK, Constant(0.1), UniformStart(30), 4e-3, 20_000, 200),
}

_SAMPLED = Task(d=80, L=10, gamma=0.5**0.5, epsilon=0.1)
_TWO = MultipleLocation(_SAMPLED, n=2)

SECTION_E3: dict[str, LayerRuns | HeadRuns] = {
    "8": LayerRuns(MultipleLocation(_SAMPLED), 1, 200, 1e-2, 128, 8000, 100, runs=20),
    "9": HeadRuns(_TWO, 2, 2.0, 2e-4, 25_000, 1e-3, 5, 100_000, 500, starts=20),
    "10": LayerRuns(_TWO, 2, 200, 2e-2, 128, 10_000, 200, runs=10),
}

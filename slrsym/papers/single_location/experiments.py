r"""Recipes of the paper's figures: their settings by figure, and how to get their data.

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

from dataclasses import dataclass, is_dataclass, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import xarray as xr

from slrsym.files import DamagedFileError
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
from slrsym.papers.single_location.transformers.layer import ResumableRuns

__all__ = [
    "EXPERIMENTS",
    "SECTION_E3",
    "Experiment",
    "Recipe",
    "load_or_compute",
    "parameter_names",
    "with_parameters",
]


class Recipe(Protocol):
    """Protocol of computations of a figure's data, identified by their settings."""

    @property
    def settings(self) -> dict[str, Any]:
        """The computation's parameters by name, as they are stored as attributes of its data."""
        ...

    def compute(self, path: str | Path | None = None, progress: bool | None = None) -> xr.Dataset:
        """Compute a figure's data, save them if a path is given, and return the dataset.

        Parameters
        ----------
        path : path, optional
            Where to save them.
        progress : bool, optional
            Whether to show progress. By default a bar on a terminal, and elsewhere a line of
            the log every 30 s.

        Returns
        -------
        Dataset
        """
        ...

    def read(self, path: str | Path) -> xr.Dataset:
        """Read the data that this computation saved in a file, and return the dataset.

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
class Experiment(Recipe):
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
    steps, log_every : int
        How many steps, and after how many the state is logged.
    batch : int, optional
        How many sequences of tokens a step is given, if not their law.
    """

    task: Task
    schedule: Constant | InverseTimeDecay
    start: UniformStart | ManifoldStart
    alpha: float
    steps: int
    log_every: int
    batch: int | None = None

    @property
    def runs(self) -> int:
        """The number of runs of the experiment, one for each start."""
        return self.start.runs

    @property
    def settings(self) -> dict[str, Any]:
        """The parameters on which the runs depend, named as a run's attributes."""
        return {
            "dynamics": "overlaps",
            **task_settings(self.task),
            "alpha": self.alpha,
            "steps": self.steps,
            "log_every": self.log_every,
            "schedule": repr(self.schedule),
            "start": repr(self.start),
            **({} if self.batch is None else {"batch": self.batch, "seed": self.start.seed}),
        }

    def compute(
        self, path: str | Path | None = None, progress: bool | None = None, backend: str = "auto"
    ) -> xr.Dataset:
        """Run the experiment's descent in the overlaps; return the runs, and save them to a path.

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
        return load(path)


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

# Where a parameter is in a recipe: in the first of these places that there is.
_PLACES = {
    **{
        name: (f"task.task.{name}", f"task.{name}", name) for name in ("d", "L", "gamma", "epsilon")
    },
    "lam": ("schedule", "lam0", "lam"),
    "lam0": ("schedule", "lam0"),
    "rate": ("schedule", "rate"),
    "shared": ("task.shared",),
    "runs": ("start.runs", "starts", "runs"),
    "seed": ("start.seed", "seed"),
    **{name: (name,) for name in ("alpha", "steps", "batch")},
}


def with_parameters(recipe: Recipe, **changes: Any) -> Recipe:
    """Return a copy of a recipe with some parameters changed.

    Parameters
    ----------
    recipe : Recipe
    **changes
        Among d, L, gamma, epsilon; lam, a constant inverse temperature, or lam0 and rate of one
        that falls; alpha, steps, batch, runs, seed; shared, whether informative tokens have the
        same noise.

    Returns
    -------
    Recipe
        With as many rows of the log, about, if `steps` is another.

    Raises
    ------
    ValueError
        If the recipe has no such parameter, or the value is out of its range.
    """
    if {"lam"} < changes.keys() & {"lam", "lam0", "rate"}:
        both = ", ".join(sorted(changes.keys() & {"lam0", "rate"}))
        raise ValueError(f"lam must not be given together with {both}; got lam={changes['lam']!r}")
    found: Any = recipe
    there = parameter_names(recipe)
    for name, value in changes.items():
        if name not in there:
            raise ValueError(f"{name} is no parameter of it; there are {', '.join(there)}")
        place = next(place for place in _PLACES[name] if _has(found, place))
        if place == "schedule":
            value = _schedule(found.schedule, name, value)
        elif name == "lam" and place == "lam0":
            found = replace(found, rate=0.0)
        if name == "steps":
            rows = max(1, found.steps // found.log_every)
            found = replace(found, log_every=max(1, value // rows))
        found = _changed(found, place.split("."), value)
    return found  # type: ignore[no-any-return]


def _schedule(
    before: Constant | InverseTimeDecay, name: str, value: float
) -> Constant | InverseTimeDecay:
    if name == "lam":
        return Constant(value)
    lam0, c = (before.lam, 0.0) if isinstance(before, Constant) else (before.lam0, before.c)
    return InverseTimeDecay(value, c) if name == "lam0" else InverseTimeDecay(lam0, value)


def _has(thing: Any, place: str) -> bool:
    for name in place.split("."):
        if not (is_dataclass(thing) and name in thing.__dataclass_fields__):
            return False
        thing = getattr(thing, name)
    return True


def _changed(thing: Any, place: list[str], value: Any) -> Any:
    first, *rest = place
    return replace(
        thing, **{first: _changed(getattr(thing, first), rest, value) if rest else value}
    )


def parameter_names(recipe: Recipe) -> list[str]:
    """Return the names of the parameters of a recipe that `with_parameters` can change.

    Parameters
    ----------
    recipe : Recipe

    Returns
    -------
    list of str
        Names that `with_parameters` takes.
    """
    return [
        name
        for name, places in _PLACES.items()
        if any(_has(recipe, place) for place in places)
        # Those that descend by the law of the tokens draw none.
        and (name != "batch" or getattr(recipe, "batch", None) is not None)
    ]


def load_or_compute(
    recipe: Recipe, path: str | Path | None = None, progress: bool | None = None
) -> xr.Dataset:
    """Return a recipe's data, read from a file if it exists, else computed and saved there.

    Parameters
    ----------
    recipe : Recipe
        An `Experiment`, or one of `slrsym.papers.single_location.surveys`,
        `slrsym.papers.single_location.transformers` or `slrsym.papers.single_location.probing`.
    path : path, optional
        A file. Runs in it that were interrupted are completed.
    progress : bool, optional
        Whether to show progress. By default a bar on a terminal, and elsewhere a line of
        the log every 30 s.

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
    if isinstance(recipe, ResumableRuns):
        return recipe.complete(data, path, progress)
    if "step" in data.coords and int(data.step[-1]) < recipe.settings["steps"]:
        return resume(data, path=path, progress=progress)
    return data


def _of_making(name: str) -> bool:
    """Return whether an attribute records how data were computed, such as the backend."""
    return name in ("backend", "seconds") or name.startswith("version_")

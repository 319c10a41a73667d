"""Recipes of figures: how the data of one are computed, kept in a file, and changed.

A recipe is a dataclass. Its parameters are the numbers among its fields, and among the fields of
the dataclasses that it holds.
"""

from __future__ import annotations

from collections import deque
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np

from slrsym.files import DamagedFileError
from slrsym.models.training.schedules import Constant, InverseTimeDecay

if TYPE_CHECKING:
    import xarray as xr

__all__ = ["Recipe", "ResumableRecipe", "load_or_compute", "parameter_names", "with_parameters"]


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


@runtime_checkable
class ResumableRecipe(Recipe, Protocol):
    """Protocol of recipes whose computation goes on where it was interrupted."""

    def complete(
        self, data: xr.Dataset, path: str | Path | None = None, progress: bool | None = None
    ) -> xr.Dataset:
        """Complete data that were interrupted, and save them; return complete ones unchanged.

        Parameters
        ----------
        data : Dataset
            As `read` returns them.
        path, progress : optional
            As for `compute`.

        Returns
        -------
        Dataset
        """
        ...


def _places(recipe: Recipe) -> dict[str, tuple[str, ...]]:
    """Return where each parameter of a recipe is: the fields on the way to it, outer ones first.

    A class may give another name to one of its fields, in ``also_called``.
    """
    found: dict[str, tuple[str, ...]] = {}
    ahead: deque[tuple[tuple[str, ...], Any]] = deque([((), recipe)])
    while ahead:
        way, thing = ahead.popleft()
        if not is_dataclass(thing):
            continue
        for field in fields(thing):
            here, value = (*way, field.name), getattr(thing, field.name)
            if isinstance(value, Constant | InverseTimeDecay):
                for name in ("lam", "lam0", "rate"):
                    found.setdefault(name, here)
            elif isinstance(value, bool | int | float):
                found.setdefault(field.name, here)
            else:
                ahead.append((here, value))
        for name, other in getattr(thing, "also_called", {}).items():
            found.setdefault(name, (*way, other))
    return found


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
    return list(_places(recipe))


def with_parameters(recipe: Recipe, **changes: Any) -> Recipe:
    """Return a copy of a recipe with some parameters changed.

    Parameters
    ----------
    recipe : Recipe
    **changes
        By their names, which `parameter_names` returns. An inverse temperature is lam, a number or
        a schedule lam0/(1 + rate t), or lam0 and rate of one that falls.

    Returns
    -------
    Recipe
        With as many rows of the log, about, if only `steps` is another.

    Raises
    ------
    ValueError
        If the recipe has no such parameter, or the value is out of its range.
    """
    if {"lam"} < changes.keys() & {"lam", "lam0", "rate"}:
        both = ", ".join(sorted(changes.keys() & {"lam0", "rate"}))
        raise ValueError(f"lam must not be given together with {both}; got lam={changes['lam']!r}")
    found: Any = recipe
    places = _places(recipe)
    for name, value in changes.items():
        if name not in places:
            raise ValueError(f"{name} is no parameter of it; there are {', '.join(places)}")
        for place, part in _parts(found, name, places, value):
            found = _changed(found, place, part)
        if name == "steps" and "every" in places and "every" not in changes:
            rows = max(1, recipe.settings["steps"] // recipe.settings["every"])
            found = _changed(found, places["every"], max(1, value // rows))
    return found  # type: ignore[no-any-return]


def _parts(
    recipe: Any, name: str, places: dict[str, tuple[str, ...]], value: Any
) -> list[tuple[tuple[str, ...], Any]]:
    """Return the fields that a parameter changes, with their values."""
    place, before = places[name], _at(recipe, places[name])
    if isinstance(before, Constant | InverseTimeDecay):
        return [(place, _schedule(before, name, value))]
    if name == "lam":
        if "rate" in places:
            falling = value if isinstance(value, InverseTimeDecay) else InverseTimeDecay(value, 0.0)
            return [(place, falling.lam0), (places["rate"], falling.c)]
        if not isinstance(value, int | float):
            raise ValueError(f"lam must be a number, for it does not fall here; got {value!r}")
    elif not isinstance(value, bool | int | float):
        raise ValueError(f"{name} must be a number; got {value!r}")
    elif isinstance(before, bool) != isinstance(value, bool):
        kind = "true or false" if isinstance(before, bool) else "a number"
        raise ValueError(f"{name} must be {kind}; got {value!r}")
    return [(place, value)]


def _schedule(
    before: Constant | InverseTimeDecay, name: str, value: Any
) -> Constant | InverseTimeDecay:
    if name == "lam":
        if isinstance(value, Constant | InverseTimeDecay):
            return value
        if not isinstance(value, int | float):
            raise ValueError(f"lam must be a number, or a schedule lam0/(1 + c t); got {value!r}")
        return Constant(value)
    lam0, c = (before.lam, 0.0) if isinstance(before, Constant) else (before.lam0, before.c)
    return InverseTimeDecay(value, c) if name == "lam0" else InverseTimeDecay(lam0, value)


def _at(thing: Any, place: tuple[str, ...]) -> Any:
    for name in place:
        thing = getattr(thing, name)
    return thing


def _changed(thing: Any, place: tuple[str, ...], value: Any) -> Any:
    first, *rest = place
    inside = _changed(getattr(thing, first), tuple(rest), value) if rest else value
    return replace(thing, **{first: inside})


def load_or_compute(
    recipe: Recipe, path: str | Path | None = None, progress: bool | None = None
) -> xr.Dataset:
    """Return a recipe's data, read from a file if it exists, else computed and saved there.

    Parameters
    ----------
    recipe : Recipe
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
    return recipe.complete(data, path, progress) if isinstance(recipe, ResumableRecipe) else data


def _of_making(name: str) -> bool:
    """Return whether an attribute records how data were computed, such as the backend."""
    return name in ("backend", "seconds") or name.startswith("version_")

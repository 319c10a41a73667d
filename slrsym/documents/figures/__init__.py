"""Figures that papers register: the computation of their data, and their drawing.

Nothing is imported before it is needed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from slrsym.files import FORMATS
from slrsym.prover.claims.papers import registered_by_papers

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure

    from slrsym.documents.figures.recipes import Recipe

__all__ = [
    "FORMATS",
    "FigureEntry",
    "conclusion",
    "draw",
    "figure_names",
    "reason_without_model",
    "recipe",
    "title_and_caption",
]


@dataclass(frozen=True)
class FigureEntry:
    """How a paper's figure is made. A paper registers a dictionary of them by their names.

    Parameters
    ----------
    recipe : callable
        Returns the `Recipe` of the data, without arguments; with `takes_model`, of the path of a
        model on this machine, or None.
    draw : callable
        Draws data; returns a Matplotlib figure.
    conclusion : callable, optional
        Says in a line what is concluded from data, and whether they support it.
    takes_model : bool, optional
        Whether the recipe looks into a model.
    without_model : str, optional
        Why there is no figure without one, if so.
    shows_conclusion : bool, optional
        Whether the figure says below what is concluded.
    title, caption : str, optional
        On the page of all figures.
    """

    recipe: Callable[..., Recipe]
    draw: Callable[[xr.Dataset], Figure]
    conclusion: Callable[[xr.Dataset], str] | None = None
    takes_model: bool = False
    without_model: str = ""
    shows_conclusion: bool = False
    title: str = ""
    caption: str = ""


def _entries() -> dict[str, FigureEntry]:
    return {
        name: entry
        for figures in registered_by_papers("figures").values()
        for name, entry in figures.items()
    }


def figure_names() -> tuple[str, ...]:
    """Return the names of all figures, in the order in which papers register them.

    Returns
    -------
    tuple of str
        Such as '4a', '7b', 'basins', 'plateau'.
    """
    return tuple(_entries())


def _entry(name: str) -> FigureEntry:
    entries = _entries()
    if name not in entries:
        raise ValueError(f"a figure must be one of {', '.join(entries)}; got {name!r}")
    return entries[name]


def title_and_caption(name: str) -> tuple[str, str]:
    """Return the title of a figure, and its caption, which may be empty.

    Parameters
    ----------
    name : str
        As for `recipe`.

    Returns
    -------
    tuple of str

    Raises
    ------
    ValueError
        If there is no figure of this name.
    """
    entry = _entry(name)
    return entry.title or f"Figure {name}", entry.caption


def reason_without_model(name: str) -> str:
    """Return why there is no figure of a name without a model; empty if there is one.

    Parameters
    ----------
    name : str
        As for `recipe`.

    Returns
    -------
    str

    Raises
    ------
    ValueError
        If there is no figure of this name.
    """
    return _entry(name).without_model


def recipe(name: str, model: str | Path | None = None, **changes: Any) -> Recipe:
    """Return the recipe of a figure: the computation of its data, with its parameters.

    Parameters
    ----------
    name : str
        Of `figure_names`, such as '4a', 'basins' or 'stability'.
    model : path, optional
        The directory of an encoder, for figures that look into one; others do not look at it.
    **changes
        Other parameters than the paper's, as `slrsym.documents.figures.recipes.with_parameters`
        takes them.

    Returns
    -------
    Recipe
        For `slrsym.documents.figures.recipes.load_or_compute`.

    Raises
    ------
    ValueError
        If there is no figure of this name, it needs a model, or it has no such parameter.
    """
    from slrsym.documents.figures.recipes import with_parameters

    entry = _entry(name)
    if model is None and entry.without_model:
        raise ValueError(entry.without_model)
    found = entry.recipe(model) if entry.takes_model else entry.recipe()
    return with_parameters(found, **changes)


def conclusion(name: str, data: xr.Dataset) -> str:
    """Return a line on a figure's conclusion and whether data support it; empty if it has none.

    Parameters
    ----------
    name : str
        Of a figure, as for `recipe`.
    data : Dataset

    Returns
    -------
    str
        Empty where nothing is concluded from numbers.

    Raises
    ------
    ValueError
        If there is no figure of this name.
    """
    says = _entry(name).conclusion
    return says(data) if says else ""


def draw(name: str, data: xr.Dataset, note: str = "") -> Figure:
    """Draw a figure from its data.

    Parameters
    ----------
    name : str
        As for `recipe`.
    data : Dataset
        As its `recipe` makes them.
    note : str, optional
        What the title says besides.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    ValueError
        If there is no figure of this name.
    """
    from slrsym.documents.figures.style import add_text_below_figure, figure_style_context

    entry = _entry(name)
    figure = entry.draw(data)
    if entry.shows_conclusion and (said := conclusion(name, data)):
        add_text_below_figure(figure, said)
    if note:
        title = figure.get_suptitle()
        with figure_style_context():
            figure.suptitle(f"{title}\n{note}" if title else note, fontsize=10)
    return figure

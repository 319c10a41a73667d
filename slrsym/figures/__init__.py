"""The paper's figures: what each is made from, and how it is drawn.

They are figures 3 to 7: those that the model has numbers for.

Nothing is imported before it is needed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure

    from slrsym.experiments import Recipe

__all__ = ["FORMATS", "NAMES", "draw", "recipe"]

NAMES = ("3", "4a", "4b", "5", "6", "7a", "7b")

FORMATS = ("pdf", "png", "svg")


def _known(name: str) -> str:
    if name not in NAMES:
        raise ValueError(f"a figure must be one of {', '.join(NAMES)}; got {name!r}")
    return name


def recipe(name: str) -> Recipe:
    """What makes the data of a figure.

    Parameters
    ----------
    name : {'3', '4a', '4b', '5', '6', '7a', '7b'}

    Returns
    -------
    Recipe
        For `slrsym.experiments.fetch`.

    Raises
    ------
    ValueError
        If the paper has no figure of this name that is made here.
    """
    from slrsym.experiments import EXPERIMENTS
    from slrsym.surveys import OracleSurvey, SquareSurvey

    surveys: dict[str, Recipe] = {"3": OracleSurvey(), "6": SquareSurvey()}
    return surveys.get(_known(name)) or EXPERIMENTS[name]


def draw(name: str, data: xr.Dataset) -> Figure:
    """A figure of the paper.

    Parameters
    ----------
    name : {'3', '4a', '4b', '5', '6', '7a', '7b'}
    data : Dataset
        As its `recipe` makes them.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    ValueError
        If the paper has no figure of this name that is made here.
    """
    if _known(name) == "3":
        from slrsym.figures.oracle import oracle_figure

        return oracle_figure(data)
    if name == "6":
        from slrsym.figures.manifold import manifold_figure

        return manifold_figure(data)
    from slrsym.figures.runs import runs_figure

    # Its runs end in two places, and the paper draws each of them.
    return runs_figure(data, each=name == "7b")

"""The paper's figures, and the two basins: what each is made from, and how it is drawn.

Nothing is imported before it is needed.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from slrsym.files import FORMATS

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure

    from slrsym.experiments import Recipe

__all__ = ["FORMATS", "NAMES", "PAPER", "draw", "recipe", "seen"]

PAPER = ("1", "2", "3", "4a", "4b", "5", "6", "7a", "7b", "8", "9", "10")

# The last is ours: Proposition 13's null set.
NAMES = (*PAPER, "basins")


def _known(name: str) -> str:
    if name not in NAMES:
        raise ValueError(f"a figure must be one of {', '.join(NAMES)}; got {name!r}")
    return name


def recipe(name: str, model: str | Path | None = None, **changes: Any) -> Recipe:
    """What makes the data of a figure.

    Parameters
    ----------
    name : {'1', '2', '3', '4a', '4b', '5', '6', '7a', '7b', '8', '9', '10', 'basins'}
    model : path, optional
        The directory of an encoder, for figures 1 and 2; others do not look at it.
    **changes
        Other parameters than the paper's, as `slrsym.experiments.altered` takes them.

    Returns
    -------
    Recipe
        For `slrsym.experiments.fetch`.

    Raises
    ------
    ValueError
        If there is no figure of this name, it needs a model, or it has no such parameter.
    """
    from slrsym.experiments import EXPERIMENTS, SECTION_E3, altered
    from slrsym.surveys import BasinSurvey, OracleSurvey, SquareSurvey

    found: Recipe
    if _known(name) == "1":
        from slrsym.probing import Probing

        if model is None:
            raise ValueError(
                "it needs the directory of an encoder: --model DIR; docs/how-to/probe.md "
                "says where to get one"
            )
        found = Probing(model)
    elif name == "2":
        from slrsym.probing import Projections

        found = Projections(model)
    else:
        surveys: dict[str, Recipe] = {
            "3": OracleSurvey(), "6": SquareSurvey(), "basins": BasinSurvey()
        }  # fmt: skip
        found = (surveys | EXPERIMENTS | SECTION_E3)[name]
    return altered(found, **changes)


def seen(name: str, data: xr.Dataset) -> str:
    """What is concluded from a figure in one line, and whether its data support it.

    The conclusions of figures 1, 8, 9 and 10 are those of Section E.

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
    if _known(name) == "1":
        from slrsym.figures.networks import seen_of_probing

        return seen_of_probing(data)
    if name in ("8", "10"):
        from slrsym.figures.networks import seen_of_layer

        return seen_of_layer(data)
    if name == "9":
        from slrsym.figures.networks import seen_of_heads

        return seen_of_heads(data)
    if name in ("4a", "4b", "5", "7a", "7b"):
        from slrsym.figures.runs import seen_of_runs

        return seen_of_runs(data)
    return ""


def draw(name: str, data: xr.Dataset, note: str = "") -> Figure:
    """A figure of the paper, or that of Proposition 13.

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
    from slrsym.figures.style import concluded, style

    figure = _drawn(_known(name), data)
    if said := seen(name, data) if name in ("1", "8", "9", "10") else "":
        concluded(figure, said)
    if note:
        title = figure.get_suptitle()
        with style():
            figure.suptitle(f"{title}\n{note}" if title else note, fontsize=10)
    return figure


def _drawn(name: str, data: xr.Dataset) -> Figure:
    if name in ("1", "2"):
        from slrsym.figures.networks import probing_figure, projections_figure

        return probing_figure(data) if name == "1" else projections_figure(data)
    if name == "3":
        from slrsym.figures.square import oracle_figure

        return oracle_figure(data)
    if name in ("6", "basins"):
        from slrsym.figures.square import basins_figure, manifold_figure

        return manifold_figure(data) if name == "6" else basins_figure(data)
    if name in ("8", "9", "10"):
        from slrsym.figures.networks import heads_figure, layer_figure

        return heads_figure(data) if name == "9" else layer_figure(data)
    from slrsym.figures.runs import runs_figure

    # Its runs end in two places.
    return runs_figure(data, each=name == "7b")

"""Figures of the papers: the computation of their data, and their drawing.

Nothing is imported before it is needed.
"""

from __future__ import annotations

from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

from slrsym.files import FORMATS

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure

    from slrsym.papers.single_location.experiments import Recipe

__all__ = ["COMMITTEE", "FORMATS", "NAMES", "PAPER", "conclusion", "draw", "recipe"]


PAPER = ("1", "2", "3", "4a", "4b", "5", "6", "7a", "7b", "8", "9", "10")

# Of committee machines, with settings of our own.
COMMITTEE = ("plateau", "noise-floor", "stability")

# The basins are ours: Proposition 13's null set.
NAMES = (*PAPER, "basins", *COMMITTEE)

# What draws each, and what says in a line what is concluded from it.
_DRAWN = {
    "1": (
        "single_location.figures.transformer_figures:probing_figure",
        "single_location.figures.transformer_figures:conclusion_of_probing",
    ),
    "2": ("single_location.figures.transformer_figures:projections_figure", ""),
    "3": ("single_location.figures.square:predictor_risks_figure", ""),
    "6": ("single_location.figures.square:risk_over_square_figure", ""),
    "9": (
        "single_location.figures.transformer_figures:heads_figure",
        "single_location.figures.transformer_figures:conclusion_of_heads",
    ),
    "basins": ("single_location.figures.square:basins_figure", ""),
    "plateau": ("committee.figures:plateau_runs_figure", ""),
    "noise-floor": ("committee.figures:noise_floor_figure", ""),
    "stability": ("committee.figures:critical_rate_figure", ""),
    **dict.fromkeys(
        ("8", "10"),
        (
            "single_location.figures.transformer_figures:layer_figure",
            "single_location.figures.transformer_figures:conclusion_of_layer",
        ),
    ),
    **dict.fromkeys(
        ("4a", "4b", "5", "7a", "7b"),
        (
            "single_location.figures.runs:runs_figure",
            "single_location.figures.runs:conclusion_of_runs",
        ),
    ),
}


def _known(name: str) -> str:
    if name not in NAMES:
        raise ValueError(f"a figure must be one of {', '.join(NAMES)}; got {name!r}")
    return name


def recipe(name: str, model: str | Path | None = None, **changes: Any) -> Recipe:
    """Return the recipe of a figure: the computation of its data, with its parameters.

    Parameters
    ----------
    name : str
        Of `NAMES`: '1', '2', '3', '4a', '4b', '5', '6', '7a', '7b', '8', '9', '10', 'basins',
        'plateau', 'noise-floor' or 'stability'.
    model : path, optional
        The directory of an encoder, for figures 1 and 2; others do not look at it.
    **changes
        Other parameters than the paper's, as
        `slrsym.papers.single_location.experiments.with_parameters` takes them.

    Returns
    -------
    Recipe
        For `slrsym.papers.single_location.experiments.load_or_compute`.

    Raises
    ------
    ValueError
        If there is no figure of this name, it needs a model, or it has no such parameter.
    """
    from slrsym.papers.single_location.experiments import EXPERIMENTS, SECTION_E3, with_parameters
    from slrsym.papers.single_location.surveys import BasinSurvey, OracleSurvey, SquareSurvey

    found: Recipe
    if _known(name) == "1":
        from slrsym.papers.single_location.probing import Probing

        if model is None:
            raise ValueError(
                "model is needed: figure 1 reads the directory of an encoder, --model DIR; "
                "docs/how-to/probe.md says where to get one"
            )
        found = Probing(model)
    elif name == "2":
        from slrsym.papers.single_location.probing import Projections

        found = Projections(model)
    elif name in COMMITTEE:
        from slrsym.papers.committee import surveys as own

        found = {
            "plateau": own.PlateauSurvey,
            "noise-floor": own.NoiseFloorSurvey,
            "stability": own.CriticalLearningRateSurvey,
        }[name]()
    else:
        surveys: dict[str, Recipe] = {
            "3": OracleSurvey(), "6": SquareSurvey(), "basins": BasinSurvey()
        }  # fmt: skip
        found = (surveys | EXPERIMENTS | SECTION_E3)[name]
    return with_parameters(found, **changes)


def conclusion(name: str, data: xr.Dataset) -> str:
    """Return a line on a figure's conclusion and whether data support it; empty if it has none.

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
    says = _DRAWN[_known(name)][1]
    return str(resolve_name(f"slrsym.papers.{says}")(data)) if says else ""


def draw(name: str, data: xr.Dataset, note: str = "") -> Figure:
    """Draw a figure from its data: one of the papers', or the basins of Proposition 13.

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

    # The runs of 7b end in two places.
    how = {"each_run": True} if name == "7b" else {}
    figure: Figure = resolve_name(f"slrsym.papers.{_DRAWN[_known(name)][0]}")(data, **how)
    if said := conclusion(name, data) if name in ("1", "8", "9", "10") else "":
        add_text_below_figure(figure, said)
    if note:
        title = figure.get_suptitle()
        with figure_style_context():
            figure.suptitle(f"{title}\n{note}" if title else note, fontsize=10)
    return figure

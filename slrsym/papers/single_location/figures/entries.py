"""The paper's figures by their names, and ours: the basins of Proposition 13's null set."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from slrsym.documents.figures import FigureEntry
from slrsym.registry import imported_on_call

if TYPE_CHECKING:
    from pathlib import Path

    from slrsym.documents.figures.recipes import Recipe

_FIGURES = __name__.rpartition(".")[0]
_TRANSFORMERS, _SQUARE, _RUNS = (
    f"{_FIGURES}.{name}" for name in ("transformer_figures", "square", "runs")
)


def _probing(model: str | Path | None) -> Recipe:
    from slrsym.papers.single_location.probing import Probing

    assert model is not None
    return Probing(model)


def _projections(model: str | Path | None) -> Recipe:
    from slrsym.papers.single_location.probing import Projections

    return Projections(model)


def _survey(name: str) -> Recipe:
    from slrsym.papers.single_location import surveys

    found: Recipe = getattr(surveys, name)()
    return found


def _experiment(name: str) -> Recipe:
    from slrsym.papers.single_location.experiments import EXPERIMENTS, SECTION_E3

    recipes: dict[str, Recipe] = {**EXPERIMENTS, **SECTION_E3}
    return recipes[name]


def _of_runs(name: str, **how: Any) -> FigureEntry:
    return FigureEntry(
        partial(_experiment, name),
        partial(imported_on_call(f"{_RUNS}.runs_figure"), **how),
        imported_on_call(f"{_RUNS}.conclusion_of_runs"),
    )


def _of_section_e3(name: str, what: str) -> FigureEntry:
    return FigureEntry(
        partial(_experiment, name),
        imported_on_call(f"{_TRANSFORMERS}.{what}_figure"),
        imported_on_call(f"{_TRANSFORMERS}.conclusion_of_{what}"),
        shows_conclusion=True,
    )


def _of_survey(name: str, function: str) -> FigureEntry:
    return FigureEntry(partial(_survey, name), imported_on_call(f"{_SQUARE}.{function}"))


FIGURES = {
    "1": FigureEntry(
        _probing,
        imported_on_call(f"{_TRANSFORMERS}.probing_figure"),
        imported_on_call(f"{_TRANSFORMERS}.conclusion_of_probing"),
        takes_model=True,
        without_model="it reads the directory of an encoder, --model DIR; docs/how-to/probe.md "
        "says where to get one",
        shows_conclusion=True,
    ),
    "2": FigureEntry(
        _projections, imported_on_call(f"{_TRANSFORMERS}.projections_figure"), takes_model=True
    ),
    "3": _of_survey("OracleSurvey", "predictor_risks_figure"),
    "4a": _of_runs("4a"),
    "4b": _of_runs("4b"),
    "5": _of_runs("5"),
    "6": _of_survey("SquareSurvey", "risk_over_square_figure"),
    "7a": _of_runs("7a"),
    # These runs end in two places.
    "7b": _of_runs("7b", each_run=True),
    "8": _of_section_e3("8", "layer"),
    "9": _of_section_e3("9", "heads"),
    "10": _of_section_e3("10", "layer"),
    "basins": _of_survey("BasinSurvey", "basins_figure"),
}

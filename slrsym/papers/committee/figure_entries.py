"""The figures of committee machines by their names, with settings of our own."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from slrsym.documents.figures import FigureEntry
from slrsym.registry import imported_on_call

if TYPE_CHECKING:
    from slrsym.documents.figures.recipes import Recipe


def _survey(name: str) -> Recipe:
    from slrsym.papers.committee import surveys

    found: Recipe = getattr(surveys, name)()
    return found


def _entry(survey: str, drawn_by: str) -> FigureEntry:
    return FigureEntry(
        partial(_survey, survey), imported_on_call(f"slrsym.papers.committee.figures.{drawn_by}")
    )


FIGURES = {
    "plateau": _entry("PlateauSurvey", "plateau_runs_figure"),
    "noise-floor": _entry("NoiseFloorSurvey", "noise_floor_figure"),
    "stability": _entry("CriticalLearningRateSurvey", "critical_rate_figure"),
}

"""The figures of committee machines by their names, with settings of our own."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from slrsym.documents.figures import FigureEntry
from slrsym.registry import imported_on_call

if TYPE_CHECKING:
    from slrsym.documents.figures.recipes import Recipe


# In our words.
_CAPTIONS = {
    "plateau": "Students that learn from as many teachers stay alike for a long time: the "
    "generalisation error has a plateau. Equations of motion, and descent sampled in R^d.",
    "noise-floor": "The generalisation error that noisy labels leave, over its scale: it grows "
    "with the number of surplus students, and faster than in proportion to the learning rate.",
    "stability": "Beyond a learning rate that falls like one over the number of units, students "
    "do not stay at the teachers, even without noise.",
}


def _survey(name: str) -> Recipe:
    from slrsym.papers.committee import surveys

    found: Recipe = getattr(surveys, name)()
    return found


def _entry(name: str, title: str, survey: str, drawn_by: str) -> FigureEntry:
    return FigureEntry(
        partial(_survey, survey),
        imported_on_call(f"slrsym.papers.committee.figures.{drawn_by}"),
        title=f"Committee machines: {title}",
        caption=_CAPTIONS[name],
    )


_ENTRIES = (
    ("plateau", "the plateau", "PlateauSurvey", "plateau_runs_figure"),
    ("noise-floor", "the noise floor", "NoiseFloorSurvey", "noise_floor_figure"),
    ("stability", "the limit of stability", "CriticalLearningRateSurvey", "critical_rate_figure"),
)
FIGURES = {entry[0]: _entry(*entry) for entry in _ENTRIES}

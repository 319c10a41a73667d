"""The paper's figures by their names, and ours: the basins of Proposition 13's null set."""

from __future__ import annotations

from dataclasses import replace
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


# In our words.
_CAPTIONS = {
    "1": "Sentiment of a sentence is decided by one word; linear probes of the [CLS] token of a "
    "pretrained encoder tell it from the first layer on. The paper has bert-base-uncased, with a "
    "perfect training set and other sentences above chance.",
    "2": "The model of a sentence: k* says which token is read, v* what is read of it.",
    "3": "The oracle predictor comes down to the Bayes risk as d grows, the best linear predictor "
    "does not. The ranges are ours; those of the paper are lost.",
    "4a": "PGD from uniform starts on the sphere with a decreasing inverse temperature: |ν| rises "
    "first, |κ| follows, and runs come to the manifold M.",
    "4b": "PGD from starts on M with a constant inverse temperature: runs stay on M and recover.",
    "5": "The same as 4a by stochastic gradients, from batches of 5 in 80 dimensions.",
    "6": "The risk on M with its fixed points, and the field that descent follows. The setting "
    "is ours.",
    "7a": "A large constant inverse temperature: |ν| is recovered, |κ| in part, and the excess "
    "risk stays high.",
    "7b": "A small constant inverse temperature: some runs recover, others end at κ = ν = 0; all "
    "have a low risk.",
    "8": "A Transformer layer with one head, trained on single-location regression by single-pass "
    "SGD, encodes k* and v* in its weights.",
    "9": "Two erf heads on two locations: SGD, and from the same starts descent by the exact "
    "population risk, which the paper has not. Each head aligns with the stars in part.",
    "10": "A Transformer layer with two heads on two locations: low risk, and stars recovered in "
    "part.",
    "basins": "Not in the paper: where descent on M goes from each start, how soon, and between "
    "the two basins the null set of Proposition 13, the stable manifold of the saddle.",
}


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


_DRAWN = {
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
_TITLES = {"basins": "The two basins"}
FIGURES = {
    name: replace(entry, title=_TITLES.get(name, ""), caption=_CAPTIONS[name])
    for name, entry in _DRAWN.items()
}

"""Figures that illustrate statements, drawn once and stored beside this file.

`python -m tests.papers.single_location.documents.pictures` draws them again.
"""

from __future__ import annotations

from importlib.resources import files

from slrsym.documents.export.paper_notation import Picture

FOLDER = files(__package__) / "pictures"


_SQUARE = Picture(
    "6",
    "The risk on the manifold with orbits of descent (a), and where a step leads (b). Marked are "
    "the five fixed points: the two minima, the two maxima, and the saddle at the origin; dashed "
    "are the starts from which descent ends at the saddle.",
    FOLDER,
)
# By the id of the claim.
PICTURES = {
    "corollary-2": Picture(
        "3",
        "The risk of the oracle, with the best $lambda$ for each dimension, comes down to "
        "$epsilon^2$; that of the best linear predictor does not. Points are Monte Carlo "
        "estimates.",
        FOLDER,
    ),
    "theorem-5": Picture(
        "4b",
        "Thirty runs of descent from random starts on the manifold. All recover both directions, "
        "up to a common sign.",
        FOLDER,
    ),
    "proposition-9": _SQUARE,
    "proposition-10": _SQUARE,
    "proposition-13": Picture(
        "basins",
        "Where descent ends from each start, and after how many steps. The dashed curve is the "
        "null set: from its points descent ends at the saddle.",
        FOLDER,
    ),
}

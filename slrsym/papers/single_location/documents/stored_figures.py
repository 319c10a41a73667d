"""Figures that illustrate statements, drawn once and stored beside this file.

`python -m tests.export.pictures` draws them again.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files

FOLDER = files(__package__) / "pictures"


@dataclass(frozen=True)
class Picture:
    """A stored figure that illustrates statements, with a caption that may contain formulas."""

    figure: str
    caption: str

    @property
    def name(self) -> str:
        """The file name of the picture, without an extension."""
        return f"figure-{self.figure}"

    def svg(self) -> str:
        """Return the text of the picture's stored SVG file, for the site."""
        return (FOLDER / f"{self.name}.svg").read_text(encoding="utf-8")

    def pdf(self) -> bytes:
        """Return the content of the picture's stored PDF file, for the book."""
        return (FOLDER / f"{self.name}.pdf").read_bytes()


_SQUARE = Picture(
    "6",
    "The risk on the manifold with orbits of descent (a), and where a step leads (b). Marked are "
    "the five fixed points: the two minima, the two maxima, and the saddle at the origin; dashed "
    "are the starts from which descent ends at the saddle.",
)
# By the id of the claim.
PICTURES = {
    "corollary-2": Picture(
        "3",
        "The risk of the oracle, with the best $lambda$ for each dimension, comes down to "
        "$epsilon^2$; that of the best linear predictor does not. Points are Monte Carlo "
        "estimates.",
    ),
    "theorem-5": Picture(
        "4b",
        "Thirty runs of descent from random starts on the manifold. All recover both directions, "
        "up to a common sign.",
    ),
    "proposition-9": _SQUARE,
    "proposition-10": _SQUARE,
    "proposition-13": Picture(
        "basins",
        "Where descent ends from each start, and after how many steps. The dashed curve is the "
        "null set: from its points descent ends at the saddle.",
    ),
}

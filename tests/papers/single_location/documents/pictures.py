"""The pictures of book and site.

``python -m tests.papers.single_location.documents.pictures`` draws them again.

What they are drawn from is noted in ``pictures.json``, so that a test can tell whether a figure has
other settings by now.
"""

import json
import re
from pathlib import Path
from typing import Any

import slrsym.papers.single_location.documents.stored_figures
from slrsym.documents import figures
from slrsym.documents.figures.recipes import load_or_compute
from slrsym.documents.figures.style import save_figure
from slrsym.papers.single_location.documents.stored_figures import PICTURES

FOLDER = Path(slrsym.papers.single_location.documents.stored_figures.__file__).with_name("pictures")
NOTED = "pictures.json"

_COORDINATES = re.compile(r' (?:d|x|y|x1|x2|y1|y2|width|height|points|transform)="[^"]*"')
_LONG = re.compile(r"-?\d+\.\d{3,}(?:e-?\d+)?")


def shortened(svg: str) -> str:
    """A drawing without its metadata, its coordinates to a tenth of a point."""
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r">\s+<", "><", svg)
    svg = re.sub(r" ?\n([LMQCz])", r"\1", svg)
    return _COORDINATES.sub(lambda found: _LONG.sub(_rounded, found[0]), svg)


def _rounded(found: re.Match[str]) -> str:
    # What is small may be a factor.
    value = float(found[0])
    return f"{round(value, 1):g}" if abs(value) >= 1 else f"{value:.4g}"


def noted() -> dict[str, Any]:
    """The settings of each figure, and what is concluded from it."""
    return dict(json.loads((FOLDER / NOTED).read_text(encoding="utf-8")))


def main() -> None:
    """Draw all."""
    told = {}
    for picture in dict.fromkeys(PICTURES.values()):
        recipe = figures.recipe(picture.figure)
        data = load_or_compute(recipe)
        for ending in ("svg", "pdf"):
            file = FOLDER / f"{picture.name}.{ending}"
            save_figure(figures.draw(picture.figure, data), file)
            if ending == "svg":
                file.write_text(shortened(file.read_text(encoding="utf-8")), encoding="utf-8")
        told[picture.figure] = {
            "settings": recipe.settings,
            "seen": figures.conclusion(picture.figure, data),
        }
    (FOLDER / NOTED).write_text(f"{json.dumps(told, indent=1)}\n", encoding="utf-8")


if __name__ == "__main__":
    main()

"""What the figures have in common: fonts, colours, sizes, and how they are written."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from textwrap import fill
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from numpy.typing import NDArray

from slrsym.files import FORMATS, replacing

__all__ = [
    "COLOURS",
    "WIDTH",
    "absolute",
    "concluded",
    "labelled",
    "number",
    "style",
    "use",
    "write",
]

# Told apart with any colour vision, and in grey (Okabe and Ito).
COLOURS = {
    "blue": "#0072B2",
    "orange": "#D55E00",
    "green": "#009E73",
    "yellow": "#E69F00",
    "sky": "#56B4E9",
    "pink": "#CC79A7",
    "grey": "#595959",
}

# Of a page's text, in inches.
WIDTH = 6.5

_SETTINGS: Any = {
    # Matplotlib brings these along: the same everywhere, and close to the paper's.
    "font.family": "STIXGeneral",
    "mathtext.fontset": "stix",
    "font.size": 10,
    "axes.labelsize": 10,
    "axes.titlesize": 10,
    "legend.fontsize": 9,
    "xtick.labelsize": 9,
    "ytick.labelsize": 9,
    "axes.linewidth": 0.7,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#E4E4E4",
    "grid.linewidth": 0.6,
    "lines.linewidth": 1.4,
    "legend.frameon": False,
    "xtick.major.width": 0.7,
    "ytick.major.width": 0.7,
    "figure.dpi": 100,
    "savefig.dpi": 200,
    # As text that can be selected, in fonts that publishers accept.
    "pdf.fonttype": 42,
    "svg.hashsalt": "slrsym",
}

# Without dates, so that the same figure is the same file.
_METADATA = {"pdf": {"CreationDate": None}, "svg": {"Date": None}, "png": {}}


@contextmanager
def style() -> Iterator[None]:
    """Figures made inside of this look alike, and Matplotlib's own settings stay as they are."""
    with mpl.rc_context(_SETTINGS):
        yield


def use() -> None:
    """Figures made from here on look alike, as in a notebook; Matplotlib's settings are changed."""
    mpl.rcParams.update(_SETTINGS)


def labelled(axes: Axes, label: str) -> None:
    """Put a panel's label above its upper left corner."""
    axes.set_title(label, loc="left", fontweight="bold")


def absolute(text: str) -> str:
    """An absolute value in TeX; STIX has a vertical bar that looks like none of its letters."""
    return rf"$\mid\!{text}\!\mid$"


def concluded(figure: Figure, text: str) -> None:
    """Put a sentence below a figure, above its legend if it has one."""
    said = fill(text, round(15.5 * figure.get_figwidth()))
    with style():
        legend = figure.legends[0] if figure.legends else None
        if legend is None:
            legend = figure.legend(handles=[], loc="outside lower center")
        legend.set_title(said, prop=FontProperties(size=9))
        legend.get_title().set_multialignment("center")


def number(value: float) -> str:
    """A number as it is written by hand, in TeX."""
    text = f"{value:.4g}"
    if "e" not in text and (abs(value) >= 0.01 or value == 0):
        return text
    mantissa, _, exponent = f"{value:e}".partition("e")
    factor = "" if float(mantissa) == 1 else rf"{float(mantissa):g}\cdot "
    return rf"{factor}10^{{{int(exponent)}}}"


def spread(heights: NDArray[np.float64], least: float) -> NDArray[np.float64]:
    """Heights of labels, moved apart where they are closer than the least distance."""
    order = np.argsort(heights)
    moved = np.array(heights, dtype=float)[order]
    for _ in range(200):
        push = np.maximum(least - np.diff(moved), 0) / 2
        if not (push > 1e-9).any():
            break
        moved[:-1] -= push
        moved[1:] += push
    result = np.empty_like(moved)
    result[order] = moved
    return result


def write(figure: Figure, path: str | Path, form: str | None = None) -> None:
    """Write a figure to a file, which is complete or not there at all."""
    form = form or Path(path).suffix.removeprefix(".").lower()
    if form not in FORMATS:
        raise ValueError(f"format must be one of {', '.join(FORMATS)}; got {form!r}, for {path}")
    with style(), replacing(path) as draft:
        figure.savefig(draft, format=form, metadata=_METADATA[form])

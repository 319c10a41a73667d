"""Style of the figures: fonts, colours, sizes, file formats, and the gallery page."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from html import escape
from io import BytesIO
from pathlib import Path
from pkgutil import resolve_name
from textwrap import fill
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from numpy.typing import NDArray

from slrsym.files import FORMATS, replace_atomically

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

# What draws a format, and metadata without dates, so that the same figure is the same file.
_CANVASES: dict[str, tuple[str, Any]] = {
    "pdf": ("matplotlib.backends.backend_pdf:FigureCanvasPdf", {"CreationDate": None}),
    "svg": ("matplotlib.backends.backend_svg:FigureCanvasSVG", {"Date": None}),
    "png": ("matplotlib.backends.backend_agg:FigureCanvasAgg", {}),
}


@contextmanager
def figure_style_context() -> Iterator[None]:
    """Set Matplotlib to the package's style inside a ``with`` block, and restore it after."""
    with mpl.rc_context(_SETTINGS):
        yield


def use_style() -> None:
    """Change Matplotlib's global settings to the package's style, as for a notebook."""
    mpl.rcParams.update(_SETTINGS)


def label_panel(axes: Axes, label: str) -> None:
    """Put a panel's label above its upper left corner."""
    axes.set_title(label, loc="left", fontweight="bold")


def absolute_value_tex(text: str) -> str:
    """Return the TeX of an absolute value, with a bar that cannot be read as a letter."""
    return rf"$\mid\!{text}\!\mid$"


# Of what is said of a figure: the font of its text has no Greek letters.
_SYMBOLS = {
    "|κ|": absolute_value_tex(r"\kappa"),
    "|ν|": absolute_value_tex(r"\nu"),
    "k*": r"$k^\star$",
    "v*": r"$v^\star$",
}


def add_text_below_figure(figure: Figure, text: str) -> None:
    """Put a text below the panels of a figure, above its legend."""
    said = fill(text, round(15.5 * figure.get_figwidth()))
    for plain, tex in _SYMBOLS.items():
        said = said.replace(plain, tex)
    with figure_style_context():
        legend = figure.legends[0] if figure.legends else None
        if legend is None:
            legend = figure.legend(handles=[], loc="outside lower center")
        legend.set_title(said, prop=FontProperties(size=9))
        legend.get_title().set_multialignment("center")


def task_tex(d: int, L: int, gamma: float) -> str:
    """Return the TeX of a task's dimension, length and variance of the informative token."""
    return rf"$d = {d}$, $L = {L}$, $\gamma^2 = {gamma**2:.3g}$"


def number_tex(value: float) -> str:
    """Return the TeX of a number to four digits, with a power of ten where needed."""
    text = f"{value:.4g}"
    if "e" not in text and (abs(value) >= 0.01 or value == 0):
        return text
    mantissa, _, exponent = f"{value:e}".partition("e")
    factor = "" if float(mantissa) == 1 else rf"{float(mantissa):g}\cdot "
    return rf"{factor}10^{{{int(exponent)}}}"


def spread_label_heights(heights: NDArray[np.float64], least: float) -> NDArray[np.float64]:
    """Return heights of labels, moved apart where labels would overlap."""
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


def save_figure(figure: Figure, path: str | Path, form: str | None = None) -> None:
    """Write a figure to a file, completely or not at all."""
    form = form or Path(path).suffix.removeprefix(".").lower()
    if form not in FORMATS:
        raise ValueError(f"format must be one of {', '.join(FORMATS)}; got {form!r}, for {path}")
    # Where a file cannot be written to its end, Matplotlib fails in other words.
    drawn = BytesIO()
    before, dpi, (canvas, metadata) = figure.canvas, figure.dpi, _CANVASES[form]
    try:
        with figure_style_context():
            # As savefig does, but that would draw everything twice, once for the layout alone.
            figure.set_dpi(mpl.rcParams["savefig.dpi"])
            getattr(resolve_name(canvas)(figure), f"print_{form}")(drawn, metadata=metadata)
    finally:
        figure.set_dpi(dpi)
        figure.set_canvas(before)
    with replace_atomically(path) as draft:
        draft.write_bytes(drawn.getvalue())


_HEAD = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Figures</title>
<style>
body { font: 16px/1.5 Georgia, serif; margin: 2rem auto; max-width: 48rem; padding: 0 1rem; }
section { border-top: 1px solid #ccc; margin-top: 2.5rem; }
img { background: white; display: block; height: auto; margin: 1rem auto; max-width: 100%; }
table { border-collapse: collapse; font-size: 14px; }
td { overflow-wrap: anywhere; padding: 0 1rem 0 0; vertical-align: top; }
td:first-child { color: #555; white-space: nowrap; }
nav a { margin-right: 0.8rem; }
@media (prefers-color-scheme: dark) {
  body { background: #181818; color: #ddd; }
  a { color: #8cf; }
  td:first-child { color: #aaa; }
}
</style>
</head>
<body>
<h1>Figures of the papers</h1>
"""


@dataclass(frozen=True)
class GalleryEntry:
    """An entry of the gallery page: a figure with its description, or a problem."""

    name: str
    title: str
    caption: str
    image: str = ""
    settings: dict[str, Any] = field(default_factory=dict)
    note: str = ""
    seen: str = ""
    time: str = ""
    problem: str = ""


def gallery_page_html(shown: list[GalleryEntry]) -> str:
    """Return the HTML of the gallery page, with the figures of the given entries."""
    links = " ".join(f'<a href="#figure-{one.name}">{escape(one.title)}</a>' for one in shown)
    sections = "\n".join(map(_section, shown))
    return f"{_HEAD}<nav>{links}</nav>\n{sections}\n</body>\n</html>\n"


def _section(one: GalleryEntry) -> str:
    parts = [f"<h2>{escape(one.title)}</h2>"]
    parts += [f"<p>{escape(one.caption)}</p>"] if one.caption else []
    if one.problem:
        parts.append(f"<p><em>Not drawn: {escape(one.problem)}</em></p>")
    else:
        parts.append(f'<img src="{escape(one.image)}" alt="{escape(one.caption or one.title)}">')
    parts += [f"<p>{escape(text)}</p>" for text in (one.note, one.seen, one.time) if text]
    if one.settings:
        rows = (
            f"<tr><td>{escape(name)}</td><td>{escape(_value(value))}</td></tr>"
            for name, value in one.settings.items()
        )
        parts.append(
            f"<details><summary>Settings</summary><table>{''.join(rows)}</table></details>"
        )
    return f'<section id="figure-{one.name}">\n' + "\n".join(parts) + "\n</section>"


def _value(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    return (
        ", ".join(map(_value, value))
        if hasattr(value, "__len__") and not isinstance(value, str)
        else str(value)
    )

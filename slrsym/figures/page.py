"""A page with all figures: what the paper's captions say, settings, what was seen, and time."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from typing import Any

__all__ = ["CAPTIONS", "Shown", "page"]

# What each figure is about, in our words.
CAPTIONS = {
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
<h1>Attention layers provably solve single-location regression: the figures</h1>
"""


@dataclass(frozen=True)
class Shown:
    """What the page says of a figure; it has a picture, or a problem."""

    name: str
    image: str = ""
    settings: dict[str, Any] = field(default_factory=dict)
    note: str = ""
    seen: str = ""
    time: str = ""
    problem: str = ""


def page(shown: list[Shown]) -> str:
    """The page, in HTML."""
    links = " ".join(f'<a href="#figure-{one.name}">{_title(one.name)}</a>' for one in shown)
    sections = "\n".join(map(_section, shown))
    return f"{_HEAD}<nav>{links}</nav>\n{sections}\n</body>\n</html>\n"


def _title(name: str) -> str:
    return "The two basins" if name == "basins" else f"Figure {name}"


def _section(one: Shown) -> str:
    caption = CAPTIONS[one.name]
    parts = [f"<h2>{_title(one.name)}</h2>", f"<p>{escape(caption)}</p>"]
    if one.problem:
        parts.append(f"<p><em>Not drawn: {escape(one.problem)}</em></p>")
    else:
        parts.append(f'<img src="{escape(one.image)}" alt="{escape(caption)}">')
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

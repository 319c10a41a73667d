"""What every page of the site has."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

__all__ = ["STATUSES", "badge", "page"]

# Status, sign and meaning, in the order of the legend; the sign is for those who see no colours.
STATUSES = {
    "proved": ("✓", "every step checked, and everything it rests on"),
    "certified": ("▣", "a rigorous enclosure on a stated box of parameters"),
    "tested": ("≈", "no proof: an experiment with counts, which contradicts nothing"),
    "cited": ("❝", "its steps checked, but for a conclusion that is cited"),
    "open": ("○", "its own steps checked, but it rests on a claim that is not proved"),
    "failed": ("✗", "a step was refused, or there is no proof"),
    "unverified": ("?", "not checked"),
}


def badge(status: str) -> str:
    """A status as a coloured word."""
    sign = STATUSES.get(status, STATUSES["unverified"])[0]
    shown = escape(status)
    return f'<span class="status {shown}"><span aria-hidden="true">{sign}</span> {shown}</span>'


def page(
    title: str,
    body: str,
    site: str,
    root: str = "",
    parts: Iterable[tuple[str, str]] = (),
    around: str = "",
    version: str = "",
) -> str:
    """A whole page."""
    ways = [(escape(site, quote=False), "index.html"), *parts]
    links = "".join(f'<li><a href="{root}{href}">{name}</a></li>' for name, href in ways)
    heading = escape(title if title == site else f"{title} · {site}", quote=False)
    by = f"Written by slrsym {escape(version)} from the objects that were checked."
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{heading}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="{root}style.css">
<script src="{root}site.js" defer></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
<nav aria-label="Site"><ul>{links}</ul></nav>
</header>
<main id="content">
{body}
</main>
<footer>
{around}<p>{by}</p>
</footer>
</body>
</html>
"""

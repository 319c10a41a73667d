"""Long names that may be broken at their dots; arrows of the sidebar with names of their own."""

from __future__ import annotations

import re
from typing import Any

from bs4 import BeautifulSoup


def named(html: str) -> str:
    """Give each arrow the title of the page whose parts it shows; let lines end after dots."""
    tree = BeautifulSoup(html, "html.parser")
    for arrow in tree.select("details > summary"):
        link = arrow.parent.find_previous_sibling("a")
        if link is not None:
            arrow["aria-label"] = f"Pages of {link.get_text(strip=True)}"
    for text in tree.find_all(string=lambda words: "." in words):
        *parts, last = text.split(".")
        text.replace_with(*(x for part in parts for x in (f"{part}.", tree.new_tag("wbr"))), last)
    return str(tree)


_CODE = re.compile(r'(?:(?<=<span class="pre">)|(?<=<h1>))[^<]+(?=<)')
_JOINT = re.compile(r"(?<=\w)([._/=]|\()(?=[A-Za-z_*])")
# In the narrow list beside a page also before a capital.
_NARROW = re.compile(rf"{_JOINT.pattern}|(?<=[a-z])()(?=[A-Z])")


def with_joints(html: str, joint: re.Pattern[str] = _JOINT) -> str:
    """Let lines end within names in code and titles, after dots, underscores and the like."""
    return _CODE.sub(lambda name: joint.sub(r"\1<wbr>", name[0]), html)


def _change(app, page, template, context: dict[str, Any], doctree) -> None:
    if body := context.get("body"):
        context["body"] = with_joints(body)
    for other in ("prev", "next"):
        if page_beside := context.get(other):
            title = _JOINT.sub(r"\1<wbr>", page_beside["title"])
            context[other] = {**page_beside, "title": title}
    if made := context.get("generate_toctree_html"):

        def with_names(*args: Any, **options: Any) -> Any:
            html = made(*args, **options)
            if isinstance(html, BeautifulSoup):
                return BeautifulSoup(named(str(html)), "html.parser")
            return named(html) if isinstance(html, str) else html

        context["generate_toctree_html"] = with_names


def _break_names_beside(app, page, template, context: dict[str, Any], doctree) -> None:
    if beside := context.get("toc"):
        context["toc"] = with_joints(beside, _NARROW)


def setup(app):
    """Change pages after the theme has made them, and the list beside them before."""
    app.connect("html-page-context", _break_names_beside, priority=100)
    app.connect("html-page-context", _change, priority=900)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}

"""What any page of a static site has to satisfy, checked without a browser."""

import posixpath
import random
import re
from dataclasses import replace
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit
from xml.etree import ElementTree

VOID = {"meta", "link", "br", "hr", "img", "input", "col"}
# How many children each element has; None for any number.
MATHML = {
    "math": None, "mrow": None, "semantics": 2, "mi": 0, "mn": 0, "mo": 0, "mtext": 0, "mspace": 0,
    "annotation": 0, "mfrac": 2, "msqrt": None, "msub": 2, "msup": 2, "msubsup": 3, "munder": 2,
    "mover": 2, "munderover": 3, "mtable": None, "mtr": None, "mtd": None, "mstyle": None,
}  # fmt: skip


class Page(HTMLParser):
    """A page: its ids, its links, and what is wrong with its tags."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.wrong: list[str] = []
        self.shown = ""
        self._open: list[str] = []
        self.feed(text)
        self.close()
        self.wrong += [f"{tag} is not closed" for tag in self._open]

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        if not self._open or self._open[-1] != tag:
            self.wrong.append(f"</{tag}> closes {self._open[-1:]} at line {self.getpos()[0]}")
            return
        self._open.pop()

    def handle_data(self, data):
        if "annotation" not in self._open:
            self.shown += data

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attrs for name, attrs in self.tags if name == tag]

    @property
    def ids(self) -> list[str]:
        return [a["id"] for _, a in self.tags if "id" in a]


def problems(files: dict[str, str]) -> list[str]:
    """Everything that is wrong with a site."""
    pages = {name: Page(text) for name, text in files.items() if name.endswith(".html")}
    found = []
    for name, page in pages.items():
        found += [f"{name}: {what}" for what in page.wrong]
        found += [f"{name}: id {id} twice" for id in {i for i in page.ids if page.ids.count(i) > 1}]
        counts = {tag: len(page.all(tag)) for tag in ("h1", "main", "title", "header", "footer")}
        found += [f"{name}: {n} elements {tag}" for tag, n in counts.items() if n != 1]
        if page.all("html")[0].get("lang") != "en":
            found.append(f"{name}: no language")
        for _, attrs in page.tags:
            for key in ("href", "src"):
                if attrs.get(key) is not None:
                    found += _link(name, attrs[key], files, pages)
            for key in ("aria-labelledby", "aria-describedby"):
                for id in (attrs.get(key) or "").split():
                    if id not in page.ids:
                        found.append(f"{name}: {key} of {id}, which is not there")
        for element in re.findall(r"<math.*?</math>", files[name], re.DOTALL):
            found += [f"{name}: {what}" for what in _mathml(element)]
    return found


def _link(name, href, files, pages):
    if href == "data:,":
        return []
    parts = urlsplit(href)
    if parts.scheme or parts.netloc:
        return [f"{name}: {href} is elsewhere"]
    target = name if not parts.path else posixpath.normpath(
        posixpath.join(posixpath.dirname(name), unquote(parts.path))
    )  # fmt: skip
    if target not in files:
        return [f"{name}: {href} is no file"]
    if parts.fragment and unquote(parts.fragment) not in pages[target].ids:
        return [f"{name}: {href} has no such place"]
    return []


def _mathml(element):
    try:
        tree = ElementTree.fromstring(element)
    except ElementTree.ParseError as problem:
        return [f"{problem} in {element[:80]}"]
    found = []
    for node in tree.iter():
        if node.tag not in MATHML:
            found.append(f"{node.tag} is not in MathML Core")
        elif MATHML[node.tag] is not None and len(node) != MATHML[node.tag]:
            found.append(f"{node.tag} has {len(node)} children in {element[:200]}")
        if node.tag in ("mi", "mn") and not (node.text or "").strip():
            found.append(f"an empty {node.tag} in {element[:200]}")
    return found


def linked(document, seed=None):
    """The same document, in which each claim uses the two before it, or any before it."""
    ids = [claim.id for claim in document.claims]
    uses = {id: tuple(ids[max(0, n - 2) : n]) for n, id in enumerate(ids)}
    if seed is not None:
        made = depends(len(ids), seed)
        uses = {id: tuple(ids[int(d[1:])] for d in made[f"c{n}"]) for n, id in enumerate(ids)}
    sections = (
        replace(s, claims=tuple(replace(c, depends=uses[c.id]) for c in s.claims))
        for s in document.sections
    )
    return replace(document, sections=tuple(sections))


def depends(count, seed):
    source = random.Random(seed)
    return {
        f"c{n}": [f"c{m}" for m in range(n) if source.random() < 2.5 / count] for n in range(count)
    }

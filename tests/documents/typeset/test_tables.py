"""Tables for notebooks: nothing is unescaped, nothing is endless."""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any
from xml.etree import ElementTree

from sympy import Symbol

from slrsym.documents.typeset.tables import html_of_fields, html_of_rows


@dataclass
class StepReport:
    """Something with fields."""

    text: str = "a < b & c"
    number: float = 1 / 3
    share: Fraction = Fraction(1, 3)
    nothing: Any = None
    ranges: dict[Symbol, int] = field(default_factory=lambda: {Symbol("lambda"): 2})
    long: str = "x" * 10_000
    _hidden: int = 7


def test_fields_in_words():
    shown = html_of_fields(StepReport())
    tree = ElementTree.fromstring(shown)
    assert tree.find("caption").text == "Step report"
    rows = {row[0].text: "".join(row[1].itertext()) for row in tree.iter("tr")}
    assert rows == {
        "text": "a < b & c", "number": "0.333333", "share": "1/3", "ranges": "λ: 2",
        "long": "x" * 297 + "...",
    }  # fmt: skip
    assert list(ElementTree.fromstring(html_of_fields(StepReport(), ["share"])).iter("td"))


def test_long_tables_are_cut():
    shown = html_of_rows("Rows", ["n"], [[str(i)] for i in range(100)], "below & beyond")
    tree = ElementTree.fromstring(f"<div>{shown}</div>")
    assert len(tree.findall(".//tbody/tr")) == 61
    assert "40 more" in shown
    assert tree.find("p").text == "below & beyond"

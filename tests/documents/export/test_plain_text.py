"""Titles as text: no power, index or root is lost where no formula can stand."""

import pytest

from slrsym.documents.export.html import HtmlRenderer
from slrsym.documents.export.html_to_text import html_to_plain_text
from slrsym.documents.export.prose import split_at_dollar_signs


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("Softmax at inverse temperature $sqrt(d/2)$", "Softmax at inverse temperature √(d/2)"),
        ("The sizes are equal if $gamma^2 = 1/2$", "The sizes are equal if γ²=1/2"),
        ("$V m + 2 (X Y)^(1/2) >= 0$", "Vm+2(XY)^(1/2)≥0"),
        ("$V_t <= q^t V_0$ and $r_kappa$", "Vₜ≤qᵗV₀ and r_κ"),
        ("$k = v*$, of A & B", "k=v⋆, of A & B"),
    ],
)
def test_formulas_of_titles(title, text):
    html = HtmlRenderer({}).inline(split_at_dollar_signs(title))
    assert html_to_plain_text(html) == text


def test_elements_that_are_empty_or_not_closed():
    assert html_to_plain_text("a<br>b <mspace width='1em'/>c</p>") == "ab c"
    assert html_to_plain_text("<b>a") == ""

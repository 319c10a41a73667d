"""Titles of one's own claims: formulas are typeset, also without dollar signs; words are not."""

import pytest

from slrsym.documents.export.document import LatexMath, Text
from slrsym.documents.export.plain_formulas import split_title
from slrsym.documents.export.prose import split_at_dollar_signs
from slrsym.prover.claims.ledger import builtin_ledger


def shown(title):
    """Return a title with its formulas between bars."""
    return "".join(
        part.text if isinstance(part, Text) else f"|{part.latex}|" for part in split_title(title)
    )


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("E (G + x)^2 = 1 + x^2 for $x > 0$", r"|\mathbb{E}\,(G+x)^{2}=1+x^{2}| for |x>0|"),
        ("A bound: x^2 <= 1, always", r"A bound: |x^{2}\le 1|, always"),
        ("If a < b, then f(a) < f(b)", "If |a<b|, then |f(a)<f(b)|"),
        (
            "E max(G - t, 0)^2 = Phi(t)",
            r"|\mathbb{E}\,\operatorname{max}(G-t,0)^{2}=\Phi(t)|",
        ),
        ("m_1 >= 0 and m_2 > 0.", r"|m_{1}\ge 0| and |m_{2}>0|."),
        ("The mean of x^2 is 1", "The mean of |x^{2}| is 1"),
        ("erf(x) = 2 Phi(sqrt(2) x) - 1", r"|\operatorname{erf}(x)=2\Phi(\sqrt{2}x)-1|"),
        ("I = 3, a = b", "|I=3|, |a=b|"),
        ("$tr(L^2 G^-1)/2$ of $A^-n$", r"|\operatorname{tr}(L^{2}G^{-1})/2| of |A^{-n}|"),
    ],
)
def test_plain_formulas_are_typeset(title, expected):
    assert shown(title) == expected


@pytest.mark.parametrize(
    "title",
    [
        "The mean of a square", "log-sum-exp is convex", "Case 2 (of 3)", "C++ and x",
        "Step (i) = step (ii)", "A < and nothing", "a (b = c", "I am", "",
        "One dollar: $5", "see f_path and x_train",
    ],
)  # fmt: skip
def test_words_stay_words(title):
    assert split_title(title) == ((Text(title),) if title else ())


def test_titles_of_the_package_are_as_they_were():
    titles = [claim.title for claim in builtin_ledger().claims.values() if claim.title]
    assert len(titles) > 400
    assert all(split_title(title) == split_at_dollar_signs(title) for title in titles)
    assert any(isinstance(part, LatexMath) for title in titles for part in split_title(title))

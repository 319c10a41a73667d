"""What is printed is what was checked."""

import random
import re
from collections import Counter

import pytest
from sympy import Derivative, Subs, Symbol, erf, exp, symbols

from slrsym.documents.export.document import Display, TypesetFormula
from slrsym.documents.export.latex import LatexRenderer
from slrsym.gaussian import Expectation, GaussianLaw, standard_normal
from tests._profile import NIGHTLY, thorough_only
from tests.documents.reading import ReadingError, read, read_display, roundtrip
from tests.documents.reading.roundtrip import Outcome, read_back, same

x, y = symbols("x y", real=True)
G = Symbol("G", real=True)

# Formulas that cannot be read back, by claim, each with its reason.
UNREADABLE = {
    "oracle-transverse-hessian": "functions with indices, as $H_{11}$, stand without arguments",
    "in-context-growth": "the exponent of a power of e is read as a number of another kind",
}


def test_every_displayed_formula_reads_as_what_was_checked(document):
    outcomes = read_back(document)
    counts = Counter(outcome.equal for outcome in outcomes)
    assert len(outcomes) >= 100
    assert counts[True] >= 0.8 * len(outcomes)
    wrong = [o for o in outcomes if not o.equal and o.claim not in UNREADABLE]
    assert not wrong, f"{wrong[0].claim}: {wrong[0].reason}\n{wrong[0].latex}"


# Braces, with others in them.
_BRACED = r"\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}"


def _misprints(text: str) -> list[tuple[int, str, str]]:
    """Places where a formula can be changed by one sign or letter, outside of reasons."""
    body = text.partition("\\slrwhy")[0]
    if "|_{" in body or ":=" in body:
        # What is multiplied by 0 at a point has the same value there, misprinted or not, and so
        # has what is put for a letter that does not stand there.
        return []
    changes = {" + ": " - ", "\\gamma": "\\theta", "erf'": "erf''", "G": "13", "2": "3"}
    places = [*re.finditer(r"(?<=[^_{\d])2(?=[^\d])| \+ |\\gamma|erf'(?!')|(?<=[ {(])G", body)]
    # Nor does a mean that takes one variable of a law alone change with the others.
    laws = [m.span() for m in re.finditer(rf"\\mathbb\{{E\}}_{_BRACED}", body)]
    inside = [any(low <= m.start() < high for low, high in laws) for m in places]
    return [
        (m.start(), m[0], changes[m[0]])
        for m, hidden in zip(places, inside, strict=True)
        if not hidden
    ]


@thorough_only
def test_a_misprint_is_noticed(document):
    caught = 0
    for claim in document.claims[:: 1 if NIGHTLY else 4]:
        # Of its own, so that another claim changes no other misprint.
        source = random.Random(claim.id)
        for display in claim.displays():
            text = LatexRenderer(document.labels).display(display)
            if not (places := _misprints(text)):
                continue
            start, old, new = source.choice(places)

            class Misprinting(LatexRenderer):
                wrong = text[:start] + new + text[start + len(old) :]

                def display(self, display, width=38.0):
                    return self.wrong

            outcomes = list(roundtrip._of_display(claim, display, claim.names(), Misprinting({})))
            assert not all(o.equal for o in outcomes), f"{claim.id}: {old} -> {new}\n{text}"
            caught += 1
    assert caught >= 25


def test_what_is_not_shown_is_noticed(document):
    """A formula beside an object that it does not show."""
    claim = next(c for c in document.claims if c.id == "lemma-18-ii")
    display = next(claim.displays())
    lying = Display(display.start, (display.links[0].__class__("=", TypesetFormula(
        display.links[0].formula.box, erf(Symbol("t", real=True))
    )),))  # fmt: skip
    outcomes: list[Outcome] = list(
        roundtrip._of_display(claim, lying, claim.names(), LatexRenderer({}))
    )
    assert [o.equal for o in outcomes] == [True, False]
    assert "was checked as" in outcomes[1].reason


@pytest.mark.parametrize(
    ("latex", "meaning"),
    [
        (r"-x^{2} + 2y/(1 + x)", -(x**2) + 2 * y / (1 + x)),
        (r"\frac{2}{3}\operatorname{erf}^{2}(x)\,\mathrm{e}^{-x}", 2 * erf(x) ** 2 * exp(-x) / 3),
        (r"\lvert x\rvert - \bigl|x - \lvert y\rvert\bigr|", abs(x) - abs(x - abs(y))),
        (r"\sqrt{x/2}\,y", (x / 2) ** 0.5 * y),
    ],
)  # fmt: skip
def test_reading(latex, meaning):
    found = read(latex, {"x": x, "y": y})
    assert abs((found - meaning).subs({x: 0.7, y: -1.3})) < 1e-12


@pytest.mark.parametrize(
    "latex", ["|x|", "x +", "z", "(x", r"\operatorname{erf} x", "x)", r"\frac{x}", ""]
)
def test_what_is_no_formula_is_refused(latex):
    with pytest.raises(ReadingError):
        read(latex, {"x": x, "y": y})


def test_chains_and_statements_are_told_apart():
    names = {"x": x, "y": y}
    assert read_display(r"x& = y\\ & \le 1", names) == [x, ("=", y), ("<=", 1)]
    assert read_display(r"x = 0 \implies y \neq 1", names) == [
        ("implies", ("=", x, 0), ("!=", y, 1))
    ]


def test_same():
    narrow = GaussianLaw({G: 0}, [[y**2]])
    one, other = Expectation(erf(G), standard_normal(G)), Expectation(erf(G), narrow)
    assert same((x + 1) ** 2, x**2 + 2 * x + 1)
    assert same(2 * one, one + one)
    assert not same(one, other)
    assert not same(x, x + 1e-20)
    # SymPy takes these for equal.
    f = x**2 * y
    slopes = [Subs(Derivative(f, v, evaluate=False), (x, y), (0, 0)) for v in (x, y)]
    assert same(slopes[0], slopes[0])
    assert not same(*slopes)

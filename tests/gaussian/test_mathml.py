"""Boxes as MathML."""

from xml.etree import ElementTree

import pytest
from sympy import Abs, Eq, Function, Integral, Matrix, Sum, Symbol, erf, exp, pi, sqrt, symbols

from slrsym.documents.typeset import FormulaLine, FormulaPrinter, break_lines, to_mathml
from slrsym.documents.typeset.boxes import (
    Atom,
    Box,
    BracketedBox,
    Delimiter,
    Fraction,
    Operator,
    Root,
    ScriptBox,
    Space,
    number_box,
    row_of_boxes,
)
from slrsym.documents.typeset.latex_and_mathml import latex_to_mathml
from slrsym.gaussian import Expectation, GaussianLaw, erf_prime, erf_second

x, y = symbols("x y", real=True)
k = Symbol("k", integer=True)
f = Function("f", real=True)


def inside(box):
    return to_mathml(box, display=False).removeprefix("<math>").removesuffix("</math>")


@pytest.mark.parametrize(
    ("box", "expected"),
    [
        (Atom("varepsilon"), "<mi>ε</mi>"),
        (Atom("Phi"), '<mi mathvariant="normal">Φ</mi>'),
        (Atom("mathcal{N}"), "<mi>𝒩</mi>"),
        (Atom("d", "name"), '<mi mathvariant="normal">d</mi>'),
        (Atom("E", "name"), "<mi>𝔼</mi>"),
        (Operator("<", "relation"), '<mo form="infix">&lt;</mo>'),
        (Operator("-", "prefix"), '<mo form="prefix" lspace="0" rspace="0">−</mo>'),
        (Operator("/", "slash"), '<mo lspace="0" rspace="0">/</mo>'),
        (Root(Atom("x")), "<msqrt><mi>x</mi></msqrt>"),
        (Fraction(Space(0.0), number_box(2)), "<mfrac><mrow></mrow><mn>2</mn></mfrac>"),
        (ScriptBox(Atom("x"), number_box(1)), "<msub><mi>x</mi><mn>1</mn></msub>"),
        (
            ScriptBox(Operator("sum", "large"), Atom("k"), Atom("n")),
            "<munderover><mo>∑</mo><mi>k</mi><mi>n</mi></munderover>",
        ),
        (
            ScriptBox(Atom("erf", "name"), above=Atom("''", "name")),
            '<mrow><mi>erf</mi><mo lspace="0" rspace="0">″</mo></mrow>',
        ),
        (Atom("and", "words"), "<mtext>\u00a0and\u00a0</mtext>"),
    ],
)
def test_boxes(box, expected):
    assert inside(box) == expected


def test_a_function_is_applied_and_stands_apart_from_what_is_before_it():
    called = row_of_boxes(
        [
            Atom("x"),
            Atom("erf", "name"),
            BracketedBox("(", Atom("y"), ")"),
        ]
    )
    assert inside(called) == (
        '<mi>x</mi><mspace width="0.17em"/><mi>erf</mi><mo>&#x2061;</mo><mrow>'
        '<mo stretchy="false">(</mo><mi>y</mi><mo stretchy="false">)</mo></mrow>'
    )
    assert "mspace" not in inside(row_of_boxes([Operator("-", "prefix"), Atom("erf", "name")]))


def test_what_follows_a_name_of_several_letters_has_a_space_before_it():
    rate, u = Atom("rate", "name"), Atom("u")
    space = '<mspace width="0.17em"/>'
    assert inside(row_of_boxes([rate, u])) == f"<mi>rate</mi>{space}<mi>u</mi>"
    assert inside(row_of_boxes([rate, rate])).count("mspace") == 1
    assert "mspace" not in inside(row_of_boxes([rate, Operator("+", "binary"), u]))
    assert "mspace" not in inside(row_of_boxes([Atom("E", "name"), u]))


def test_brackets_grow_with_what_they_hold():
    half = Fraction(number_box(1), number_box(2))
    # Brackets grow in MathML, unless they are told not to.
    assert "stretchy" not in inside(BracketedBox("(", half, ")"))
    assert inside(BracketedBox("(", number_box(1), ")")).count('stretchy="false"') == 2
    assert 'minsize="2.3em"' in inside(Delimiter("(", 2, "open"))
    assert 'stretchy="false"' in inside(Delimiter("|", 0, "close"))


LAW = GaussianLaw({x: 0, y: 1}, Matrix([[1, 0], [0, 2]]))
FORMULAS = (
    erf(x + y) ** 2 * exp(-(x**2)) / (3 * sqrt(pi)),
    Eq(erf_prime(x) * erf_second(y), Abs(x - y)),
    Integral(exp(-(y**2) / 2), (y, 0, x)),
    Sum(x**k, (k, 0, 9)),
    f(x).diff(x) + 1,
    Expectation(erf(x) * y, LAW),
)


@pytest.mark.parametrize("formula", FORMULAS, ids=str)
def test_formulas_are_well_formed_and_lose_nothing(formula):
    box = FormulaPrinter().box(formula)
    whole, lines = to_mathml(box), to_mathml(break_lines(box, 4.0))
    texts = ["".join(ElementTree.fromstring(text).itertext()) for text in (whole, lines)]
    assert texts[0] == texts[1] != ""


def test_lines_and_annotations():
    lines = [
        FormulaLine(Atom("x")),
        FormulaLine(row_of_boxes([Operator("+"), Atom("y")]), 2.0),
    ]
    text = to_mathml(lines, annotated=True)
    tree = ElementTree.fromstring(text)
    assert tree.get("display") == "block"
    assert len(tree.findall(".//mtr")) == 2
    assert tree.find(".//mspace").get("width") == "2em"
    note = to_mathml(FormulaPrinter().box(x < y), annotated=True)
    assert ElementTree.fromstring(note).find(".//annotation").text == "x < y"


def test_latex_of_others():
    assert latex_to_mathml(r"\operatorname{erf}'(x)").startswith(
        '<mrow><mrow><mi>erf</mi><mo lspace="0" rspace="0">′</mo></mrow>'
    )
    assert latex_to_mathml(r"a\operatorname{erf}").count("<mspace") == 1
    assert latex_to_mathml("\\frac{1}") == "<mtext>\\frac{1}</mtext>"
    assert ElementTree.fromstring(latex_to_mathml(r"x \le 2 \& y")) is not None


def test_no_box():
    with pytest.raises(TypeError, match="no box"):
        to_mathml(Box())

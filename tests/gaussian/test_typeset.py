"""Formulas as a person writes them, their line breaks, and their MathML."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sympy import (
    Abs,
    Add,
    And,
    Derivative,
    Eq,
    Equivalent,
    Function,
    Integral,
    Le,
    Max,
    Ne,
    Or,
    Pow,
    Rational,
    Sum,
    Symbol,
    asin,
    erf,
    exp,
    oo,
    pi,
    sqrt,
    symbols,
)

from slrsym.documents.typeset import (
    FormulaPrinter,
    PrintingOrder,
    break_lines,
    to_latex,
    widest_unbreakable_width,
)
from slrsym.documents.typeset.latex_and_mathml import to_mathml
from slrsym.gaussian import (
    Expectation,
    GaussianLaw,
    IIDSum,
    OwensT,
    erf_prime,
    erf_second,
    standard_normal,
    zeta,
)
from tests._profile import thorough_only
from tests.documents.reading import read
from tests.documents.reading.roundtrip import same

x, y, kappa, U_1, G = symbols("x y kappa U_1 G", real=True)
d, lam = symbols("d lambda", positive=True)
L, n = symbols("L n", integer=True, positive=True)
f, g = Function("f", real=True), Function("g", real=True)
j = Symbol("j", integer=True)


def typeset(expr, **options):
    return to_latex(FormulaPrinter(**options).box(expr))


@pytest.mark.parametrize(
    ("expr", "latex"),
    [
        (x**2 + 1, "1 + x^{2}"),
        (y - x, "y - x"),
        (-x - y, "-x - y"),
        (L - 1, "L - 1"),
        ((L - 1) * (L - 2) * x, "(L - 1)(L - 2)x"),
        ((2 * L - 2) * x, "2(L - 1)x"),
        (sqrt(x**2 + 1), r"\sqrt{1 + x^{2}}"),
        (lam * sqrt(d / 2) * kappa, r"\kappa\lambda\sqrt{d/2}"),
        (2 / sqrt(pi) * exp(-(x**2)), r"\frac{2\mathrm{e}^{-x^{2}}}{\sqrt{\pi}}"),
        (sqrt(2) / 2, r"\frac{1}{\sqrt{2}}"),
        (Rational(-3, 2) * x, r"-\frac{3x}{2}"),
        ((1 + y) ** Rational(-3, 2), r"\frac{1}{(1 + y)^{3/2}}"),
        (erf(x) ** 2, r"\operatorname{erf}^{2}(x)"),
        (erf_prime(x / 2) ** 2, r"\operatorname{erf}'(x/2)^{2}"),
        (erf_second(U_1), r"\operatorname{erf}''(U_{1})"),
        (erf(x) * (x - 1), r"(x - 1)\operatorname{erf}(x)"),
        (erf(x) * (erf(y) - x), r"\operatorname{erf}(x)\bigl(\operatorname{erf}(y) - x\bigr)"),
        (zeta(x, y) - erf(x) ** 2, r"\zeta(x, y) - \operatorname{erf}^{2}(x)"),
        (OwensT(x, y) / 8, r"\frac{T(x, y)}{8}"),
        (2 * asin(x) / pi, r"\frac{2\operatorname{arcsin}(x)}{\pi}"),
        (exp(-(x**2) * (1 + y**2) / 2), r"\operatorname{exp}\bigl(-x^{2}(1 + y^{2})/2\bigr)"),
        (Abs(erf(x)), r"\bigl|\operatorname{erf}(x)\bigr|"),
        (Max(1, x), r"\operatorname{max}(1, x)"),
        (Derivative(f(x), x), "f'(x)"),
        (Derivative(erf(x), x), r"\frac{\mathrm{d}}{\mathrm{d}x}\,\operatorname{erf}(x)"),
        (Derivative(x * y, x, evaluate=False), r"\partial_{x}\,[xy]"),
        (Integral(exp(-x), (x, 0, oo)), r"\int_{0}^{\infty}\mathrm{e}^{-x}\,\mathrm{d}x"),
        (Sum(f(j), (j, 1, L)) * y, r"y\,\sum_{j = 1}^{L}f(j)"),
        (Sum(f(j), (j, 1, L)) ** 2, r"\biggl(\sum_{j = 1}^{L}f(j)\biggr)^{2}"),
        (Le(x, y), r"x \le y"),
        (Ne(x, 0), r"x \neq 0"),
        (
            Equivalent(
                And(Eq(x, y), Le(x, 1)), Or(And(Eq(x, 1), Eq(y, 1)), And(Eq(x, 0), Eq(y, 0)))
            ),
            r"(x = y\text{ and }x \le 1) \iff (x, y) \in \bigl\{(1, 1), \,(0, 0)\bigr\}",
        ),
    ],
)  # fmt: skip
def test_formulas(expr, latex):
    assert typeset(expr) == latex


def test_expectations_name_their_law_where_it_is_not_the_declared_one():
    normal, wide = standard_normal(G), GaussianLaw({G: x}, [[4]])
    laws = {G: normal}
    assert typeset(Expectation(f(G), normal), laws=laws) == r"\mathbb{E}\bigl[f(G)\bigr]"
    assert typeset(Expectation(f(G), wide), laws=laws) == (
        r"\mathbb{E}_{G \sim \mathcal{N}(x, 4)}\bigl[f(G)\bigr]"
    )
    inner = Expectation(g(G, U_1), normal)
    nested = Expectation(inner, standard_normal(U_1))
    assert typeset(nested).startswith(r"\mathbb{E}_{U_{1}}\bigl[\mathbb{E}_{G}\bigl[")


def test_sums_of_copies():
    law = standard_normal(G, U_1)
    assert typeset(IIDSum(g(G, U_1), law, L - 1)) == (
        r"\sum_{\ell = 2}^{L}g(G^{(\ell)}, U_{1}^{(\ell)})"
    )
    assert typeset(IIDSum(f(G), standard_normal(G), n)) == r"\sum_{\ell = 1}^{n}f(G^{(\ell)})"


def test_the_order_of_letters_can_be_chosen():
    order = PrintingOrder(("lambda", "kappa"))
    assert typeset(kappa * lam * x, order=order) == r"\lambda\kappa x"
    assert typeset(kappa + lam, order=order) == r"\lambda + \kappa"


def test_what_is_unknown_is_left_to_sympy():
    from sympy import gamma

    assert typeset(gamma(x) + 1) == r"1 + (\Gamma\left(x\right))"


# -- random formulas ---------------------------------------------------------------------------

_LEAVES = st.sampled_from([x, y, kappa, U_1, d, lam, L, pi]) | st.integers(-9, 9)


def _grown(inner):
    pairs = st.tuples(inner, inner)
    return st.one_of(
        pairs.map(lambda p: p[0] + p[1]),
        pairs.map(lambda p: p[0] * p[1]),
        st.tuples(inner, st.sampled_from([-2, -1, 2, 3])).map(lambda p: Pow(p[0] + lam, p[1])),
        inner.map(lambda e: erf(e)),
        inner.map(lambda e: sqrt(1 + e**2)),
        inner.map(lambda e: erf_prime(e) / (1 + e**2)),
        inner.map(lambda e: Abs(e - y)),
        inner.map(lambda e: exp(-(e**2))),
    )


_FORMULAS = st.recursive(_LEAVES, _grown, max_leaves=12).filter(
    lambda e: not hasattr(e, "has") or (e.is_finite is not False and not e.has(oo, -oo))
)
_NAMES = {to_latex(FormulaPrinter().symbol(s)): s for s in (x, y, kappa, U_1, d, lam, L)}


@given(_FORMULAS)
def test_random_formulas_read_back(expr):
    expr = Add(expr)
    assert same(read(typeset(expr), _NAMES), expr)


@thorough_only
@given(_FORMULAS, st.sampled_from([8.0, 15.0, 30.0]))
def test_broken_formulas_are_whole_and_fit_where_they_can(expr, width):
    box = FormulaPrinter().box(Add(expr))
    lines = break_lines(box, width)
    joined, whole = " ".join(to_latex(line.box) for line in lines), to_latex(box)
    # But for the dots between factors on two lines.
    without = r"[\s{}]|\\cdot"
    assert re.sub(without, "", joined) == re.sub(without, "", whole)
    assert 0 <= joined.count(r"\cdot") - whole.count(r"\cdot") < len(lines)
    room = max(width, widest_unbreakable_width(box) + 7)
    assert all(line.indent + line.box.width <= room + 1e-9 for line in lines)
    assert (len(lines) == 1) or box.width > width


@given(_FORMULAS)
def test_mathml_is_well_formed(expr):
    root = ElementTree.fromstring(to_mathml(FormulaPrinter().box(Add(expr))))
    assert root.tag == "math"
    counts = {"mfrac": 2, "msup": 2, "msub": 2, "msubsup": 3}
    for element in root.iter():
        assert len(element) == counts.get(element.tag, len(element))


def test_notebooks_show_expectations():
    node = Expectation(erf(G), standard_normal(G))
    assert node._repr_latex_() == (
        r"$\displaystyle \mathbb{E}_{G \sim \mathcal{N}(0, 1)}\bigl[\operatorname{erf}(G)\bigr]$"
    )
    assert ElementTree.fromstring(node._repr_html_()).tag == "math"

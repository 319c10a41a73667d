"""Documents declare the matrices of a statement, and keep the order of factors."""

from __future__ import annotations

import pytest
from sympy import Add, Eq, Identity, Symbol, Trace, sqrt

from slrsym.documents.export.abbreviations import extend_shorthand_to_fit_page
from slrsym.documents.export.document import LatexMath, Math, Text
from slrsym.documents.export.matrix_letters import matrix_sentences
from slrsym.documents.export.plain_formulas import split_title
from slrsym.documents.export.prose import free_symbols_of_statements
from slrsym.documents.export.shorthand import Shorthand
from slrsym.documents.typeset import FormulaPrinter, formula_latex, to_latex
from slrsym.documents.typeset.boxes import widest_unbreakable_width
from slrsym.matrices import MatrixMean, Size, covariance, matrix

d, N = Size("d"), Size("N")
A, U, K = matrix("A", d), matrix("U", d), matrix("K", d, invertible=True)
X, x = matrix("X", d, N), matrix("x", d, 1)
L, G = (covariance(name, d, definite=True, family="F") for name in "LG")
u = Symbol("u", real=True)
STATEMENT = Eq(
    MatrixMean(Trace(X * X.T * A * U), (X, L, Identity(N))) + u * Trace(G * K.I * x * x.T),
    N * Trace(L * A * U) + u * Trace(x.T * G * K.I * x),
    evaluate=False,
)


def in_words(sentence):
    return "".join(p.text if isinstance(p, Text) else f"${to_latex(p.box)}$" for p in sentence)


def test_letters_are_declared():
    free = free_symbols_of_statements([STATEMENT])
    assert {str(s) for s in free} == {"A", "G", "K", "L", "N", "U", "d", "u", "x"}
    letters = [s for s in free if s.is_Matrix]
    assert [in_words(s) for s in matrix_sentences(letters, FormulaPrinter())] == [
        r"Let $A$ and $U$ be matrices of size $d \times d$.",
        r"Let $G$ and $L$ be positive definite matrices of size $d \times d$.",
        r"Let $K$ be an invertible matrix of size $d \times d$.",
        r"Let $x$ be a vector of size $d$.",
        r"$G$ and $L$ commute.",
    ]
    assert all(isinstance(p, Text | Math) for s in matrix_sentences(letters, FormulaPrinter())
               for p in s)  # fmt: skip


def test_abbreviations_keep_the_order_of_factors():
    """A product of numbers is rebuilt with its factors sorted; one of matrices is left alone."""
    word = u * Trace(U * A * L * (U - A) * G * (U + A)) / 2
    assert Shorthand()(word) == word
    assert formula_latex(Shorthand()(word)) == formula_latex(word)
    assert Shorthand()(STATEMENT) == STATEMENT


@pytest.mark.parametrize("terms", [12, 24, 40])
def test_a_long_sum_under_a_root_fits_the_page(terms):
    """Parts of it that fit on a line do not help where what is left of it is too long."""
    sums = [Add(*(k * u**k * (N + k) for k in range(2, n))) for n in (terms, terms - 3)]
    wide = Add(*(u * sqrt(s) / N**5 for s in sums)) + d
    shown, free = [Eq(u, wide, evaluate=False)], {u, N, d}
    shorthand, printer = extend_shorthand_to_fit_page(
        Shorthand(), shown, free, lambda _: FormulaPrinter()
    )
    assert widest_unbreakable_width(printer.box(wide)) > 33
    for formula in (shorthand(wide), *map(shorthand.letter_definition, shorthand.letters)):
        assert widest_unbreakable_width(printer.box(formula)) <= 33


def test_the_trace_in_a_title_is_no_product_of_letters():
    assert split_title("$E tr S^3$ and tr(S^-2) = 2^-x_1") == (
        LatexMath(r"\mathbb{E}\,\operatorname{tr}S^{3}"),
        Text(" and "),
        LatexMath(r"\operatorname{tr}(S^{-2})=2^{-x}_{1}"),
    )


def test_a_long_sum_of_sizes_follows_its_fraction():
    """One above the line could not be broken: 445 pt stood beyond the page."""
    assert formula_latex(d * (d + N + 1) * u / N) == r"\frac{d(1 + d + N)u}{N}"
    long = 4 + 3 * d + 3 * N + d**2 + N**2 + N * d
    assert formula_latex(d * long * u / N) == r"\frac{du}{N}(4 + 3d + 3N + d^{2} + N^{2} + dN)"

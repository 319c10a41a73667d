"""Documents declare the matrices of a statement, and keep the order of factors."""

from __future__ import annotations

from sympy import Eq, Identity, Symbol, Trace

from slrsym.documents.export.document import Math, Text
from slrsym.documents.export.matrix_letters import matrix_sentences
from slrsym.documents.export.prose import free_symbols_of_statements
from slrsym.documents.export.shorthand import Shorthand
from slrsym.documents.typeset import FormulaPrinter, formula_latex, to_latex
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

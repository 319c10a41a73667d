"""Letters, means and directions: what users write, what SymPy makes of it, and what is refused."""

from __future__ import annotations

import pickle

import pytest
from sympy import Eq, Identity, MatrixSymbol, Ne, Rational, S, Symbol, Trace

from slrsym.documents.typeset import formula_latex, formula_mathml
from slrsym.matrices import Letter, Loewner, MatrixMean, Size, along, covariance, matrix, symmetric
from slrsym.proof import ProofError
from slrsym.prover.statements.expressions import infix_text
from slrsym.prover.tactics.translation import Translator, Untranslatable

d, N = Size("d"), Size("N")
A, B, U, H, Z = (matrix(name, d) for name in "ABUHZ")
X, x, y = matrix("X", d, N), matrix("x", d, 1), matrix("y", d, 1)
L, G = (covariance(name, d, definite=True, family="F") for name in "LG")
T, Q, K = covariance("T", d), symmetric("Q", d), matrix("K", d, invertible=True)
u = Symbol("u", real=True)
LAW = (X, L, Identity(N))


def term(e):
    return Translator().term(e)


def letter(name, sort="M", rows="d", columns="d", family=""):
    return ("M", name, sort, rows, columns, family)


def test_letters_have_their_kinds():
    for found, sort, family in (
        (A, "M", ""), (L, "S>0", "F"), (T, "S>=0", ""), (Q, "S", ""), (K, "GL", ""),
    ):  # fmt: skip
        assert term(Trace(found))[1] == letter(found.name, sort, family=family)
    assert (L.T, Q.T, A.T == A) == (L, Q, False)
    for thing in (L, K, x, d, MatrixMean(Trace(X * X.T), LAW)):
        assert pickle.loads(pickle.dumps(thing)) == thing
    assert X.free_symbols == {X, d, N}
    assert MatrixMean(Trace(X * X.T * A), LAW).free_symbols == {A, L, d, N}


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: matrix("A", Symbol("n", integer=True, positive=True)), "a size is a Size or 1"),
        (lambda: matrix("A", 3), "a size is a Size or 1"),
        (lambda: matrix("A", d, N, invertible=True), "is invertible is square"),
        (lambda: A.I, "A may have no inverse"),
        (lambda: T.I, "T may have no inverse"),
        (lambda: A**-1 * A, "A may have no inverse"),
        (lambda: A ** Rational(1, 2), "is no integer"),
        (lambda: (x.T * A * x)[0, 0], "write a number as a Trace"),
    ],
)
def test_letters_that_cannot_be_are_refused(make, said):
    with pytest.raises(TypeError, match=said):
        make()


@pytest.mark.parametrize(
    ("expr", "said"),
    [
        (Trace(X * X), "sizes in a product do not match"),
        (Trace(A * X * A), "sizes in a product do not match"),
        (Trace(X * X.T + X.T * X), "sizes in a sum do not match"),
        (Trace(A.inverse() * L), "A is not declared invertible"),
        (Trace((L + T).I), "name a sum or a product by a hypothesis"),
        (Trace((X * X.T).I), "name a sum or a product by a hypothesis"),
        (Trace(MatrixSymbol("W", d, d)), "has no declared kind"),
        (Trace(matrix("E", d)), "is no name for a matrix"),
        (Trace(A) + Trace(covariance("A", d)), "two symbols are called A"),
        (Trace(A) + Symbol("A", real=True), "two symbols are called A"),
        (Trace(A) + Symbol("d", real=True), "two symbols are called d"),
        (Trace(Identity(Symbol("n"))), "is no size"),
    ],
    ids=str,
)  # fmt: skip
def test_what_sympy_accepts_is_judged_in_the_translation(expr, said):
    with pytest.raises(Untranslatable, match=said):
        term(expr)


def test_what_sympy_writes_otherwise_is_translated():
    inverse = ("M.inv", letter("K", "GL"))
    assert term(Trace(K.I.T)) == ("M.tr", ("M.T", inverse))
    assert term(Trace(K**-2 * A)) == ("M.tr", ("M.mul", inverse, inverse, letter("A")))
    assert term(Trace(A**2)) == ("M.tr", ("M.mul", letter("A"), letter("A")))
    assert term(d * Trace(Identity(d))) == (
        "*", ("M.dim", "d"), ("M.tr", ("M.id", "d")))  # fmt: skip
    assert term(Eq(A, B, evaluate=False))[0] == "M.eq"
    assert term(Ne(A, B, evaluate=False))[0] == "not"
    assert term(Loewner(L, T))[0] == "M.psd"


def test_directions_become_derivatives():
    moved = term(along(Trace(A * A.T), (A, H)))
    assert moved[:3] == ("d", (1,), (("s", "t", "R"),))
    assert term(along(u * Trace(A), (u, 1)))[0] == "d"
    t = Symbol("t", real=True)
    assert term(along(t * Trace(A), (A, H)))[2] == (("s", "t'", "R"),)
    for bad in ((L, H), (A, x), (d, 1), (Trace(A), 1)):
        with pytest.raises(ProofError):
            along(Trace(A * L), bad)


def test_laws_that_are_none_are_refused():
    for law in ((X, A, Identity(N)), (X, L, Identity(d)), (L, L, L), (X, L), (u, L, L),
                (X, 2 * L, Identity(N))):  # fmt: skip
        with pytest.raises(ProofError):
            MatrixMean(Trace(X * X.T), law)
    for laws in ((), (LAW, LAW)):
        with pytest.raises(ProofError, match="one law for each"):
            MatrixMean(Trace(X * X.T), *laws)
    with pytest.raises(ProofError, match="not square"):
        Loewner(X)


def test_printing_keeps_the_order_of_factors():
    """SymPy's products of matrices are products, whose factors its printers would sort."""
    assert formula_latex(Trace(B * A * Z)) == r"\operatorname{tr}(BAZ)"
    assert formula_latex(Trace(Z * A.T * B)) == r"\operatorname{tr}(ZA^{\mathrm{T}}B)"
    assert formula_latex(u * Trace(B * A)) == r"u\operatorname{tr}(BA)"
    assert formula_latex(Trace((A - B) * L.I)) == r"\operatorname{tr}\bigl((-B + A)L^{-1}\bigr)"
    mean = formula_latex(MatrixMean(Trace(X * X.T * B * A), LAW))
    assert mean == (
        r"\mathbb{E}_{X \sim \mathcal{N}(0, I_{N} \otimes L)}"
        r"\bigl[\operatorname{tr}(XX^{\mathrm{T}}BA)\bigr]"
    )
    assert formula_latex(Loewner(L, u * Identity(d))) == r"-uI_{d} + L \succeq 0"
    assert infix_text(Eq(MatrixMean(Trace(B * A), (x, T, Identity(1))), S.One)) == (
        "E[Trace(B*A); x ~ (T, I)] = 1"
    )
    for e in (mean_of_all := MatrixMean(Trace(X * X.T), LAW), along(Trace(A), (A, H))):
        assert "<math" in formula_mathml(e)
    assert isinstance(mean_of_all.bound_symbols[0], Letter)

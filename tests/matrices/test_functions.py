"""Unknown functions of vectors: what users write, what SymPy makes of it, and what is refused."""

from __future__ import annotations

import pickle

import pytest
from sympy import Derivative, Eq, Function, Identity, Le, Symbol, Trace, latex

from slrsym.documents.export.prose import arbitrary_functions_in
from slrsym.documents.typeset import formula_latex, formula_mathml
from slrsym.matrices import (
    ForAllMatrices,
    Loewner,
    MatrixMean,
    Size,
    covariance,
    matrix,
    mean,
    smooth_function,
    symmetric,
)
from slrsym.matrices import gradient as gradient_of
from slrsym.proof import ProofError, Refused
from slrsym.prover.rules.context import Context, require_unambiguous_statement
from slrsym.prover.tactics.translation import Translator, Untranslatable

d, N = Size("d"), Size("N")
h = smooth_function("h", d)
x, v, z = (matrix(name, d, 1) for name in "xvz")
A, X, w = matrix("A", d), matrix("X", d, N), matrix("w", N, 1)
t, L = Symbol("t", real=True), Symbol("L", nonnegative=True)
everywhere = ForAllMatrices(z, Loewner(L * Identity(d), h.hessian(z)))
VECTOR = ("M", "x", "M", "d", "1", "")


def term(e):
    return Translator().term(e)


def test_functions_become_terms():
    assert term(h(x)) == ("M.h", "h", VECTOR)
    assert term(Trace(h.hessian(x)))[1] == ("M.hess", "h", VECTOR)
    assert term(h.gradient(x).T * v)[1] == ("M.T", ("M.grad", "h", VECTOR))
    assert term(everywhere)[:2] == ("M.forall", (("M", "z", "M", "d", "1", ""),))
    assert term(Derivative(h(x + t * v), t))[:2] == ("d", (1,))
    moved = h(x + t * v)
    assert moved.diff(t) == Derivative(moved, t, evaluate=False)
    assert h(x).diff(t) == 0
    assert term(MatrixMean(h(x), (x, Identity(d), Identity(1))))[0] == "M.E"


def test_functions_are_sympy_objects():
    assert h.hessian(x).T == h.hessian(x) != h.gradient(x)
    assert h.gradient(x).shape == (d, 1)
    assert h(x + t * v).free_symbols == {x, v, t, d}
    assert h(x).subs(x, v) == h(v)
    assert everywhere.free_symbols == {L, d}
    assert everywhere.subs(z, x) == everywhere
    assert everywhere.subs(L, 2).free_symbols == {d}
    for thing in (h, h(x), h.gradient(x), everywhere):
        assert pickle.loads(pickle.dumps(thing)) == thing
    assert arbitrary_functions_in([h(x), everywhere]) == [h]


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: smooth_function("h", 3), "the size of the vector is a Size"),
        (lambda: smooth_function("h", Symbol("d", integer=True, positive=True)), "is a Size"),
        (lambda: h(), "takes one vector of size d; got 0"),
        (lambda: h(x, v), "takes one vector of size d; got 2"),
        (lambda: h(t), "takes a vector of size d x 1; got t"),
        (lambda: h(x.T), "of size 1 x d"),
        (lambda: h(A), "of size d x d"),
        (lambda: h.gradient(w), "of size N x 1"),
        (lambda: h.hessian(X), "of size d x N"),
        (lambda: h(h(x)), "takes a vector"),
        (lambda: h.hessian(x).I, "may have no inverse: name it by a hypothesis"),
        (lambda: h.hessian(x) ** -1, "is raised to -1"),
        (lambda: h.hessian(x).inv(), "may have no inverse"),
        (lambda: h.gradient(x)[0, 0], "write a number as a Trace"),
        (lambda: h.hessian(x)[0, 0], "write a number as a Trace"),
    ],
)
def test_functions_that_cannot_be_are_refused(make, said):
    with pytest.raises(TypeError, match=said):
        make()


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: ForAllMatrices(t, Le(h(x), 1)), "a letter made by matrix; got t"),
        (lambda: ForAllMatrices(symmetric("Q", d), Le(h(x), 1)), "a letter made by matrix"),
        (lambda: ForAllMatrices(covariance("S", d), Le(h(x), 1)), "a letter made by matrix"),
        (lambda: ForAllMatrices(x + v, Le(h(x), 1)), "a letter made by matrix"),
        (lambda: ForAllMatrices(x, h(x)), "there must be a statement"),
        (lambda: MatrixMean(h(x), (x, h.hessian(v), Identity(1))), "is no covariance"),
        (lambda: gradient_of(h(x), x), "no polynomial in traces"),
        (lambda: mean(h(x), (x, Identity(d), Identity(1))), "no polynomial in traces"),
        (lambda: gradient_of(Trace(h.gradient(x).T * v), v), "no product or sum of letters"),
    ],
)
def test_statements_that_cannot_be_are_refused(make, said):
    with pytest.raises(ProofError, match=said):
        make()


@pytest.mark.parametrize(
    ("expr", "said"),
    [
        (h(X * x), "sizes in a product do not match"),
        (h(x) + smooth_function("h", N)(w), "two symbols are called h"),
        (h(x) + Trace(matrix("h", d)), "two symbols are called h"),
        (h(x) + Symbol("h", real=True), "two symbols are called h"),
        (smooth_function("E", d)(x), "is no name for a matrix"),
        (Trace(h.hessian(x) * h.gradient(x)), "not square"),
        (Trace(h.gradient(x)), "not square"),
        (Trace(h.hessian(x).inverse() * A), "is not declared invertible"),
    ],
    ids=str,
)
def test_what_sympy_accepts_is_judged_in_the_translation(expr, said):
    with pytest.raises(Untranslatable, match=said):
        term(expr)


def test_a_function_of_vectors_has_a_name_of_its_own():
    statement = Eq(h(x), Function("h", real=True)(t), evaluate=False)
    with pytest.raises(Refused, match="two functions are called h: one of vectors, and h"):
        require_unambiguous_statement(statement, Context())


def test_printing():
    assert str(Trace(h.gradient(x).T * v) + h(x)) == "Trace(grad(h, x).T*v) + h(x)"
    assert str(everywhere) == "L*I - hess(h, z) is positive semidefinite for all z"
    assert formula_latex(h(x)) == "h(x)"
    assert r"A\nabla h(x)v^{\mathrm{T}}" in formula_latex(Trace(A * h.gradient(x) * v.T))
    assert formula_latex(h.hessian(x)) == r"\nabla^{2}h(x)"
    assert formula_latex(everywhere).endswith(r"\text{ for all }z \in \mathbb{R}^{d}")
    wide = ForAllMatrices(X, Le(Trace(X * X.T), 1))
    assert formula_latex(wide).endswith(r"X \in \mathbb{R}^{d \times N}")
    assert r"\nabla^{2} h" in latex(everywhere)
    assert latex(h(x) + Trace(h.gradient(x).T * v)).count("nabla") == 1
    for e in (everywhere, h(x), h.gradient(x), h.hessian(x)):
        assert "<math" in formula_mathml(e)

"""Translation of SymPy's matrix expressions to terms of the proof checker's extension matrices.

SymPy multiplies matrices of any shapes, and inverts any letter. So shapes and kinds are judged
here, on the term.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import sympy as sp

from slrsym.checker import Rejected
from slrsym.checker.extensions import matrices  # noqa: F401
from slrsym.checker.extensions.matrix_language import shape
from slrsym.checker.term import Term, is_valid_name, num, require_all_well_formed, substitute
from slrsym.matrices.functions import ForAllMatrices, GradientAt, HessianAt, ValueAt
from slrsym.matrices.letters import SORTS, Letter, Size
from slrsym.matrices.means import Along, Loewner, MatrixMean

_ZERO = num(0)
_FUNCTION_HEADS: dict[type, str] = {ValueAt: "M.h", GradientAt: "M.grad", HessianAt: "M.hess"}
# Matrices, and terms and statements that are made of them.
_STATED = (sp.MatrixExpr, sp.Trace, Size, MatrixMean, Along, Loewner, ValueAt, ForAllMatrices)


class UntranslatableMatrix(ValueError):  # noqa: N818
    """Raised for a matrix expression that the proof checker cannot express."""


class ExpressionTranslator(Protocol):
    """The translator of a claim, as far as matrices need it."""

    def named_term(self, x: Any, term: Term) -> Term:
        """Return the term for a letter or size; refuse one whose name another symbol has."""

    def part(self, e: Any, env: Mapping[Any, Term]) -> Term:
        """Translate a part of an expression, under terms for the symbols bound around it."""


def is_matrix_expression(e: Any) -> bool:
    """Return whether an expression is a matrix, or a term or statement made of matrices."""
    return isinstance(e, _STATED)


def translate_matrix(translator: ExpressionTranslator, e: Any, env: Mapping[Any, Term]) -> Term:
    """Translate a matrix expression; raise `UntranslatableMatrix` if shapes or kinds are wrong."""
    try:
        term = _translate(translator, e, env)
        require_all_well_formed([term])
    except Rejected as reason:
        raise UntranslatableMatrix(f"{e}: {reason}") from None
    return term


def _size(translator: ExpressionTranslator, n: Any) -> str:
    if isinstance(n, Size):
        return str(translator.named_term(n, ("M.dim", _valid_name(n.name)))[1])
    if n == 1:
        return "1"
    raise UntranslatableMatrix(f"{n} is no size: declare it by Size")


def _valid_name(name: str) -> str:
    if not is_valid_name(name):
        raise UntranslatableMatrix(
            f"{name} is no name for a matrix or a size: use letters and digits, such as W_1"
        )
    return name


def _letter(translator: ExpressionTranslator, e: Letter) -> Term:
    rows, columns = (_size(translator, n) for n in e.shape)
    if e.family:
        _valid_name(e.family)
    term = ("M", _valid_name(e.name), SORTS[e.kind], rows, columns, e.family)
    return translator.named_term(e, term)


def _matrix_of_shape(translator: ExpressionTranslator, e: Any) -> Term:
    """Return a matrix of the shape of a zero matrix, which the checker writes as 0 times one.

    Of rectangular ones there are only letters, and what is said of one holds for all its values.
    """
    rows, columns = (_size(translator, n) for n in e.shape)
    if rows == columns:
        return ("M.id", rows)
    return translator.named_term(e, ("M", f"O_{rows}_{columns}", "M", rows, columns, ""))


def _product(parts: list[Term]) -> Term:
    # Powers are products within products.
    parts = [q for p in parts for q in (p[1:] if p[0] == "M.mul" else (p,))]
    return parts[0] if len(parts) == 1 else ("M.mul", *parts)


def _translate(translator: ExpressionTranslator, e: Any, env: Mapping[Any, Term]) -> Term:
    def matrix(part: Any) -> Term:
        return _translate(translator, part, env)

    if isinstance(e, Letter):
        return _letter(translator, e)
    if isinstance(e, Size):
        return ("M.dim", _size(translator, e))
    if isinstance(e, sp.Identity):
        return ("M.id", _size(translator, e.args[0]))
    if isinstance(e, sp.ZeroMatrix):
        return ("M.scale", _ZERO, _matrix_of_shape(translator, e))
    if isinstance(e, sp.MatMul):
        factor, parts = e.as_coeff_matrices()
        body = _product([matrix(part) for part in parts])
        return body if factor == 1 else ("M.scale", translator.part(factor, env), body)
    if isinstance(e, sp.MatAdd):
        return ("M.add", *map(matrix, e.args))
    if isinstance(e, sp.Transpose):
        return ("M.T", matrix(e.arg))
    if isinstance(e, sp.Inverse):
        return _inverse(translator, e.arg, env)
    if isinstance(e, sp.MatPow) and e.exp.is_Integer and e.exp != 0:
        base = e.base if e.exp > 0 else sp.Inverse(e.base)
        return _product([matrix(base)] * abs(int(e.exp)))
    if isinstance(e, sp.Trace):
        return ("M.tr", matrix(e.arg))
    if isinstance(e, Loewner):
        return ("M.psd", matrix(e.difference))
    if isinstance(e, MatrixMean):
        names = tuple(matrix(x) for x in e.bound_symbols)
        laws = tuple(("M.gauss", matrix(a), matrix(b)) for _, a, b in e.laws)
        return ("M.E", names, (translator.part(e.body, env),), laws)
    if isinstance(e, Along):
        return _derivative(translator, e, env)
    if type(e) in _FUNCTION_HEADS:
        return _at_vector(translator, e, matrix(e.vector))
    if isinstance(e, ForAllMatrices):
        return ("M.forall", (matrix(e.letter),), (translator.part(e.statement, env),), ())
    if isinstance(e, sp.MatrixSymbol):
        raise UntranslatableMatrix(f"{e} has no declared kind; make it by slrsym.matrices.matrix")
    raise UntranslatableMatrix(f"{e} is a {type(e).__name__}")


def _inverse(translator: ExpressionTranslator, e: Any, env: Mapping[Any, Term]) -> Term:
    # SymPy writes the transpose of an inverse as the inverse of a transpose.
    if isinstance(e, sp.Transpose):
        return ("M.T", _inverse(translator, e.arg, env))
    if isinstance(e, Letter) and e.kind in ("definite", "invertible"):
        return ("M.inv", _letter(translator, e))
    raise UntranslatableMatrix(
        f"{e} is not declared invertible; an inverse is of a letter, so name a sum or a product by "
        f"a hypothesis Eq(G, ...)"
    )


def _at_vector(translator: ExpressionTranslator, e: Any, vector: Term) -> Term:
    function, size = e.function, _size(translator, e.function.size)
    # A function has its name among those of letters. It is known by its value at one of its own.
    name = _valid_name(function.name)
    translator.named_term(function, ("M.h", name, ("M", name, "M", size, "1", "")))
    if shape(vector) != (size, "1"):
        kind = " x ".join(shape(vector))
        raise UntranslatableMatrix(f"{name} takes a vector of size {size} x 1; {e} has {kind}")
    return (_FUNCTION_HEADS[type(e)], name, vector)


def _derivative(translator: ExpressionTranslator, e: Along, env: Mapping[Any, Term]) -> Term:
    body = translator.part(e.body, env)
    taken = {getattr(x, "name", "") for x in e.free_symbols}
    name = "t"
    while name in taken:
        name += "'"
    t: Term = ("s", name, "R")
    moved = {}
    for x, h in e.moves:
        if isinstance(x, Letter):
            letter, direction = _letter(translator, x), _translate(translator, h, env)
            moved[letter] = ("M.add", letter, ("M.scale", t, direction))
        else:
            symbol = translator.part(x, env)
            moved[symbol] = ("+", symbol, ("*", t, translator.part(h, env)))
    return ("d", (1,), (t,), (substitute(body, moved),), (_ZERO,))

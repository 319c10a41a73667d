"""The least risk of predictions that are linear in one matrix, with a square as the certificate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import sympy as sp
from sympy import Eq, Expr

from slrsym.checker.extensions.matrix_words import Word
from slrsym.matrices.letters import Letter
from slrsym.matrices.means import MatrixMean
from slrsym.matrices.trace_polynomials import TraceAlgebra, Words
from slrsym.models.matrices.matrix_risk import MatrixRisk
from slrsym.registry import load_registered

if TYPE_CHECKING:
    from slrsym.prover.claims.claim import Claim


@dataclass(frozen=True)
class MatrixMinimum:
    """The least risk over a matrix P; created by `MatrixModel.minimum`.

    Attributes
    ----------
    model : MatrixRisk
        The model.
    value : Expr
        No parameters have a smaller risk than this.
    product, point : matrix
        The matrix P in the prediction, and its best value: parameters with ``product = point``
        have the least risk, if there are any. A network that is narrower than its teacher may have
        none.
    definition : Eq or None
        The equation that defines the letter K in `value` and `point`, if there is one.
    square : Expr
        The risk minus `value`: traces that are quadratic in ``product - point``.
    parts : tuple of (matrix, matrix)
        Pairs of semidefinite matrices, the traces of whose products add up to `square`.
    """

    model: MatrixRisk
    value: Expr
    product: Any
    point: Any
    definition: Any
    square: Expr
    parts: tuple[tuple[Any, Any], ...]

    def __repr__(self) -> str:
        known = self.definition
        named = "" if known is None else f", where {known.lhs} = {known.rhs}"
        return f"MatrixMinimum({self.value} at {self.product} = {self.point}{named})"

    def _repr_html_(self) -> str:
        return str(load_registered("matrix_minimum.html")(self))

    def claims(self, name: str = "model", source: str = "new") -> list[Claim]:
        """Return claims that the risk is the value plus the square, and at least the value.

        Parameters
        ----------
        name : str, optional
            Prefix of the ids, in lower case.
        source : str, optional
            Of the claims.

        Returns
        -------
        list of Claim
        """
        from slrsym.models.matrices.matrix_claims import claims_about_minimum

        given = [] if self.definition is None else [self.definition]
        return claims_about_minimum(
            self.model.risk, self.value, self.square, self.parts, given, name, source
        )


def minimum_of_model(model: MatrixRisk) -> MatrixMinimum:
    """Return the least risk over the matrix by which the prediction is linear."""
    algebra, product = TraceAlgebra(), model.product
    free = Letter(_unused("P", model), *product.shape)
    error = model.data.error_of(free)
    mean = MatrixMean(sp.Trace(error * error.T), *model.data.laws)
    risk = algebra.polynomial(mean)
    at = algebra.number_of_letter(free)
    slope = algebra.gradient(risk, free)
    linear = {w: -c for w, c in slope.items() if at not in w}
    left, linear = _sides(algebra, {w: c for w, c in slope.items() if at in w}, linear, at)
    left, linear = _without_common_start(left, linear)
    definition, inverse = _named_inverse(model, algebra, left, product.shape[0])
    best: Words = algebra.total([{(*inverse[0], *w): c / inverse[1]} for w, c in linear.items()])
    constant = {p: c for p, c in risk.items() if not _degree(p, at, algebra)}
    first = {p: c / 2 for p, c in risk.items() if _degree(p, at, algebra) == 1}
    value = algebra.total([constant, algebra.put(first, {free: best})])
    quadratic = {p: c for p, c in risk.items() if _degree(p, at, algebra) == 2}
    point = algebra.matrix_expression(best, *product.shape)
    rest = product - point
    parts = tuple(_semidefinite_pair(algebra, p, c, at, rest) for p, c in quadratic.items())
    return MatrixMinimum(
        model, algebra.expression(value), product, point, definition,
        algebra.expression(quadratic).xreplace({free: rest}), parts,
    )  # fmt: skip


def _semidefinite_pair(
    algebra: TraceAlgebra, product: tuple[Word, ...], c: Expr, at: int, rest: Any
) -> tuple[Any, Any]:
    """Return a trace c tr(Q P R P') as a pair of semidefinite matrices, c Q and P R P'."""
    alphabet = algebra.alphabet
    (word,) = (w for w in product if _degree((w,), at, algebra))
    word = word if at in word else alphabet.transpose(word)
    i = word.index(at)
    turned = word[i + 1 :] + word[:i]
    j = turned.index(alphabet.transposed[at])
    inner, outer = turned[:j], turned[j + 1 :]
    others = algebra.expression({tuple(w for w in product if not _degree((w,), at, algebra)): c})
    rows, columns = rest.shape
    middle = rest * algebra.matrix_of_word(inner, columns) * rest.T
    return others * algebra.matrix_of_word(outer, rows), middle


def _unused(name: str, model: MatrixRisk) -> str:
    taken = {x.name for x in (*model.trained, *model.parameters)}
    while name in taken:
        name += "'"
    return name


def _degree(product: tuple[Word, ...], at: int, algebra: TraceAlgebra) -> int:
    return sum(y // 4 == at // 4 for word in product for y in word)


def _sides(algebra: TraceAlgebra, quadratic: Words, linear: Words, at: int) -> tuple[Words, Words]:
    """Return A, and Y in place of C, for which A P = Y makes a gradient sum A P R - C vanish."""
    rights = {w[w.index(at) + 1 :] for w in quadratic}
    if len(rights) != 1:
        raise ValueError("the equation for the best matrix has several factors on its right")
    (right,) = rights
    left: Words = {}
    for w, c in quadratic.items():
        if algebra.alphabet.transposed[at] in w[: w.index(at)]:
            raise ValueError("the risk has the transpose of its matrix alone")
        left = algebra.total([left, {w[: w.index(at)]: c}])
    for w in list(linear):
        if right and w[len(w) - len(right) :] != right:
            raise ValueError("the equation for the best matrix has no solution of the form K^-1 Y")
        linear[w[: len(w) - len(right)]] = linear.pop(w)
    return left, linear


def _without_common_start(left: Words, linear: Words) -> tuple[Words, Words]:
    """Return both sides of A P = Y without the letters that all their words begin with."""
    while all(w and w[:1] == next(iter(left))[:1] for w in (*left, *linear)):
        left, linear = ({w[1:]: c for w, c in side.items()} for side in (left, linear))
    return left, linear


def _named_inverse(
    model: MatrixRisk, algebra: TraceAlgebra, left: Words, size: Any
) -> tuple[Any, tuple[Word, Any]]:
    """Return an equation that names a sum, and its inverse as a word with a divisor."""
    if set(left) == {()}:
        return None, ((), left[()])
    letters = [algebra.letter_of_number(y) for w in left for y in w]
    # Powers of one family commute and are symmetric.
    families = {x.family for x in letters}
    family = families.pop() if len(families) == 1 else ""
    name = _unused("G" if family else "K", model)
    kind = "definite" if family else "invertible"
    named = Letter(name, size, size, kind, family)
    half = {w: c / 2 for w, c in left.items()}
    definition = Eq(named, algebra.matrix_expression(half, size, size), evaluate=False)
    inverse = algebra.alphabet.inverse[algebra.number_of_letter(named)]
    return definition, ((inverse,), sp.Integer(2))

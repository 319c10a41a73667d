"""Evidence that laws exist and that expectations converge."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import product
from typing import Any

import sympy as sp

from slrsym.checker import Inference, Rejected
from slrsym.checker.expect import moments, semidefinite
from slrsym.checker.term import (
    RELATIONS,
    Term,
    bound,
    defined,
    free,
    inside,
    outside,
    same,
)
from slrsym.gaussian.binding import Expectation
from slrsym.gaussian.law import GaussianLaw
from slrsym.proofs.context import Context
from slrsym.tactics.arithmetic import is_improper, opaque_in
from slrsym.tactics.covariances import eliminated
from slrsym.tactics.emission import FAILURES, QUESTIONS, Emission
from slrsym.tactics.expectations import Calculus
from slrsym.tactics.phrases import Expressions

# -- that something is defined --------------------------------------------------------------------


def _derivative_exists(em: Emission, node: Term) -> Inference:
    if inside(node)[0][0] != "E":
        raise Rejected("the derivative of no expectation")
    with suppress(Rejected):
        return em.script.add("defined", [em.script.add("price", (), node)], [1])
    return em.script.add("defined", [em.script.add("derivative of expectation", (), node)], [1])


def _mean_exists(em: Emission, node: Term) -> Inference:
    with suppress(Rejected):
        return em.script.add("integrable", (), node)
    with suppress(Rejected):
        return em.script.add("defined", [em.script.add("gaussian integral", (), node)], [1])
    return em.script.add("defined", [em.script.add("centred pair", (), node)], [1])


# What shows that a node of this head is defined.
_DEFINED: dict[str, Callable[[Emission, Term], Inference]] = {
    "E": _mean_exists,
    "copies": lambda em, node: em.script.add("copies exist", (), node),
    "d": _derivative_exists,
}


def _exists(
    em: Emission, p: Term, given: Sequence[Term], context: Context, lines: Sequence[Inference] = ()
) -> Inference:
    """Prove that an expectation exists, or that a covariance matrix is positive semidefinite."""
    if p[0] == "=" and is_improper(p[1]) and same(p[1], p[2]):
        return em.discharged(em.script.add("bells", (), p[1]), context)
    if p[0] == "=" and p[1][0] in _DEFINED and same(p[1], p[2]):
        with suppress(*FAILURES):
            return em.attempt(lambda: em.discharged(_DEFINED[p[1][0]](em, p[1]), context))
    if p[:2] == ("o", "moderate") or p == ("forall", bound(p), _all_defined(p), ()):
        function = p[2] if p[0] == "o" else ("lam", bound(p), (inside(p)[0][1],), ())
        with suppress(Rejected):
            line = em.script.add("moderate", (), function)
            line = em.logic([line], line.theorem.hypotheses.values(), p)
            return em.discharged(line, context)
    if p[0] == "forall":
        (part,), names = inside(p), bound(p)
        shown = em.shown(part, tuple(h for h in given if not free(h) & set(names)), context)
        if shown is None:
            raise Rejected("not shown for all values")
        for x in reversed(names):
            shown = em.script.add("generalise", [shown], x)
        return em.logic([shown], shown.theorem.hypotheses.values(), p)
    if p[:2] == ("o", "psd"):
        return _semidefinite(em, p, given, context)
    if p[0] in RELATIONS and opaque_in(p):
        return Calculus(em, context).shown(p, lines)
    raise Rejected("another question")


def _all_defined(p: Term) -> tuple[Term, ...] | None:
    return (defined(inside(p)[0][1]),) if p[0] == "forall" and inside(p)[0][0] == "=" else None


QUESTIONS.insert(0, _exists)


# -- matrices -------------------------------------------------------------------------------------


def _semidefinite(em: Emission, p: Term, given: Sequence[Term], context: Context) -> Inference:
    """Prove a matrix positive semidefinite, as an image of a given one or by elimination."""
    for source, rows in _images(em, _matrix(em, p), given):
        with suppress(*FAILURES):
            return em.attempt(lambda: _image(em, p, source, rows, context))  # noqa: B023
    raise Rejected("no reason why a matrix is positive semidefinite")


def _image(em: Emission, p: Term, source: Term, rows: Any, context: Context) -> Inference:
    line = em.script.add("psd image", (), p, source, tuple(map(em.term, rows)))
    for h in line.theorem.hypotheses.values():
        if em.shown(h, em.hypotheses(context), context) is None:
            raise Rejected(f"{em.said(h)} is not shown")
    return em.discharged(line, context)


def _matrix(em: Emission, p: Term) -> sp.Matrix:
    """Return the matrix that a formula says to be positive semidefinite."""
    entries = list(map(Expressions(em.translator).of, p[2][1:]))
    return sp.Matrix(round(len(entries) ** 0.5), round(len(entries) ** 0.5), entries)


def _images(em: Emission, matrix: sp.Matrix, given: Sequence[Term]) -> Iterator[tuple[Term, Any]]:
    n = matrix.rows
    for h in given:
        if h[:2] == ("o", "psd"):
            whole = _matrix(em, h)
            for rows in product(range(whole.rows), repeat=n):
                scale = [sp.sqrt(matrix[i, i] / whole[r, r]) for i, r in enumerate(rows)]
                fits = (
                    sp.expand(matrix[i, j] - scale[i] * scale[j] * whole[rows[i], rows[j]]) == 0
                    for i in range(n)
                    for j in range(i)
                )
                if all(fits):
                    places = (
                        [scale[i] if r == k else 0 for k in range(whole.rows)]
                        for i, r in enumerate(rows)
                    )
                    yield h, [c for row in places for c in row]
    if (column := _column(matrix)) is not None:
        yield ("tuple", em.term(sp.S.One)), column
    found = eliminated(matrix)
    if found is not None:
        diagonal, lower = found
        yield ("tuple", *map(em.term, diagonal)), list(lower)


def _column(matrix: sp.Matrix) -> list[sp.Expr] | None:
    """Return the column u if a matrix is u u^T by its form; elimination may divide by zero."""
    sizes = [sp.powdenest(sp.sqrt(sp.factor(x)), force=True) for x in matrix.diagonal()]
    first = next((i for i, u in enumerate(sizes) if u != 0), 0)
    column = [u if sp.expand(sizes[first] * u - x) == 0 else -u
              for u, x in zip(sizes, matrix.row(first), strict=True)]  # fmt: skip
    wrong = matrix - sp.Matrix(column) * sp.Matrix(column).T
    return column if wrong.applyfunc(sp.expand).is_zero_matrix else None


def factored(work: Calculus, node: Expectation, forms: dict[Any, Any], law: GaussianLaw) -> None:
    """Prove that the image of a law with a diagonal covariance exists: its covariance factors."""
    if not law.cov.is_diagonal():
        return
    diagonal = ("tuple", *(work.em.term(law.cov[i, i]) for i in range(law.cov.rows)))
    for block, t in zip(node.law.blocks(), outside(work.term(node)), strict=True):
        for p in semidefinite(moments(t)[1]) if len(block.symbols) > 1 else ():
            if p[0] == "o":
                rows = [forms[s].coeff(x) for s in block.symbols for x in law.symbols]
                with suppress(*FAILURES):
                    line = _image(work.em, p, diagonal, rows, work.context)
                    work.em.keep(p, work.context, line)

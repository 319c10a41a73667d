"""Rules for unknown functions of vectors: Stein, Poincare, averaged bounds, tangent planes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sympy import Expr, MatrixExpr, Tuple, sympify

from slrsym.matrices.functions import ForAllMatrices
from slrsym.matrices.letters import Letter
from slrsym.prover.rules.context import Context
from slrsym.prover.rules.step import Link, Proof, Rule
from slrsym.prover.statements.expressions import ProofError


@dataclass(frozen=True)
class SteinOfMatricesRule(Rule):
    """Means without explicit factors of some Gaussian matrices, by Stein's lemma."""

    letters: tuple[Letter, ...]

    name = "Stein's lemma of matrices"


@dataclass(frozen=True)
class PoincareOfMatricesRule(Rule):
    """The variance of a function of Gaussian matrices is at most the mean of its squared slope."""

    of: Expr

    name = "Poincare inequality of matrices"


@dataclass(frozen=True)
class AveragedRule(Rule):
    """A bound that holds for all matrices holds for the means of both sides."""

    bound: ForAllMatrices | Proof
    at: MatrixExpr

    name = "averaged bound"

    def premises(self, link: Link, context: Context) -> Iterable[tuple[str, Proof, Context]]:
        if isinstance(self.bound, Proof):
            yield "bound", self.bound, context


@dataclass(frozen=True)
class TangentPlaneRule(Rule):
    """A function beside its tangent plane, by bounds of its Hessian."""

    lines: tuple[Tuple, ...]

    name = "tangent plane"


@dataclass(frozen=True)
class LipschitzBoundRule(Rule):
    """How much a function, or its gradient, changes between vectors, by bounds of its slope."""

    lines: tuple[Tuple, ...]

    name = "Lipschitz bound"


def averaged(bound: Any, at: Any) -> Rule:
    """Take the mean of both sides of a bound that holds for all matrices.

    Rests on the axiom ``integral-linearity``.

    Parameters
    ----------
    bound : ForAllMatrices or Proof
        A hypothesis, a relation of numbers such as `Lipschitz` returns; or the proof of a relation
        of numbers at a vector or matrix of which no hypothesis speaks.
    at : matrix
        The matrix that takes the place of the letter of the hypothesis, which is random in the
        mean; or the vector or matrix of the proof.

    Returns
    -------
    Rule
        For a relation that follows from the bound under the means of the relation.

    Raises
    ------
    ProofError
        If the bound is for no matrices, or the other argument is no matrix.
    """
    if not isinstance(bound, ForAllMatrices | Proof):
        raise ProofError(
            f"averaged takes a ForAllMatrices, such as Lipschitz(h, K), or a proof; got {bound}"
        )
    at = sympify(at)
    if not getattr(at, "is_Matrix", False):
        raise ProofError(f"averaged takes the matrix that is random; got {at}")
    if isinstance(bound, Proof) and not isinstance(at, Letter):
        raise ProofError(f"the mean of a bound is over a letter made by matrix; got {at}")
    return AveragedRule(bound, at)


def tangent_plane(*lines: Any) -> Rule:
    """Compare a function at a vector y with its tangent plane at x, by bounds of its Hessian.

    The bounds are hypotheses for all vectors, such as `Convex` and `Smooth` return: the Hessian is
    integrated twice along the line from x to y. This is the descent lemma, and the inequality of
    first order of convex functions. Rests on the axiom ``taylor-theorem``.

    Parameters
    ----------
    *lines : (vector, vector)
        Pairs x, y.

    Returns
    -------
    Rule
        For a relation that follows by arithmetic from what the bounds say of each pair.

    Raises
    ------
    ProofError
        If there is no pair, or one is none.
    """
    return TangentPlaneRule(_pairs_of_vectors("tangent_plane", lines))


def lipschitz_bound(*lines: Any) -> Rule:
    """Bound how much a function, or its gradient, changes between two vectors x and y.

    Of a function that `Lipschitz` bounds by K, ``(h(y) - h(x))**2`` is at most ``K**2`` times the
    squared length of y - x. Of a function that `Smooth` bounds by L, the squared length of
    ``h.gradient(y) - h.gradient(x)`` is at most ``L**2`` times that; the Hessian may also lie
    between others, such as 0 and L. Rests on the axiom ``mean-value-theorem``.

    Parameters
    ----------
    *lines : (vector, vector)
        Pairs x, y.

    Returns
    -------
    Rule
        For a relation that follows by arithmetic from what the hypotheses say of each pair.

    Raises
    ------
    ProofError
        If there is no pair, or one is none.
    """
    return LipschitzBoundRule(_pairs_of_vectors("lipschitz_bound", lines))


def _pairs_of_vectors(name: str, lines: tuple[Any, ...]) -> tuple[Tuple, ...]:
    """Return the pairs of vectors that are the arguments of a rule."""
    if not lines or any(not isinstance(pair, tuple | list | Tuple) or len(pair) != 2
                        for pair in lines):  # fmt: skip
        raise ProofError(f"{name} takes pairs of vectors, such as (x, y); got {lines}")
    made = tuple(Tuple(*map(sympify, pair)) for pair in lines)
    for x, y in made:
        if any(not getattr(end, "is_Matrix", False) for end in (x, y)) or x.shape != y.shape:
            raise ProofError(f"{name} takes pairs of vectors of one size; got {x}, {y}")
    return made

"""Rules for matrices of free size: means over Gaussian matrices, traces, semidefinite products."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sympy import MatrixExpr, Tuple, sympify

from slrsym.prover.rules.step import Rule
from slrsym.prover.statements.expressions import ProofError


@dataclass(frozen=True, repr=False)
class IsserlisRule(Rule):
    """Means of polynomials in traces over Gaussian matrices, by all pairings."""

    name = "Isserlis' theorem"


@dataclass(frozen=True, repr=False)
class TraceAlgebraRule(Rule):
    """Traces in normal form, and equations of matrices among the hypotheses."""

    name = "trace algebra"


@dataclass(frozen=True)
class PositiveTracesRule(Rule):
    """A difference is a combination of traces of products of two semidefinite matrices."""

    products: tuple[Tuple, ...]

    name = "positive traces"


@dataclass(frozen=True)
class DefiniteTraceRule(Rule):
    """A difference is a positive multiple of tr(P Y Q Y'), and Y is not 0."""

    left: MatrixExpr
    middle: MatrixExpr
    right: MatrixExpr

    name = "definite trace"


isserlis: Rule = IsserlisRule()
trace_algebra: Rule = TraceAlgebraRule()


def definite(left: Any, middle: Any, right: Any) -> Rule:
    """Bound a difference below by tr(P Y Q Y'), which is positive unless Y is 0.

    Parameters
    ----------
    left : matrix
        The definite matrix P. That it is definite is found out by its form, as by `positive`.
    middle : matrix
        The matrix Y. That it is not 0 follows from a hypothesis such as ``Ne(A, B)``, where Y is a
        multiple of A - B.
    right : matrix
        The definite matrix Q.

    Returns
    -------
    Rule
        For ``a < b`` (or >) if b - a is a positive rational multiple of this trace.

    Raises
    ------
    ProofError
        If an argument is no matrix.
    """
    parts = tuple(map(sympify, (left, middle, right)))
    if not all(getattr(part, "is_Matrix", False) for part in parts):
        raise ProofError("definite takes three matrices, such as definite(G*L, R, L)")
    return DefiniteTraceRule(*parts)


def positive(*products: Any) -> Rule:
    """Bound a difference below by traces of products of two semidefinite matrices.

    Parameters
    ----------
    *products : (matrix, matrix)
        Pairs P, Q of semidefinite matrices of one size, of which ``Trace(P*Q) >= 0``. That they are
        semidefinite is found out by their form: covariances, ``B*C*B.T``, sums, nonnegative
        multiples, products within a commuting family, and what hypotheses say by `Loewner`.

    Returns
    -------
    Rule
        For ``a <= b`` (or >=) if b - a is a sum of positive rational multiples of these traces.

    Raises
    ------
    ProofError
        If there is no pair, or one is none.
    """
    if not products or any(len(tuple(pair)) != 2 for pair in products):
        raise ProofError("positive takes pairs of matrices, such as positive((G*L, R*L*R.T))")
    return PositiveTracesRule(tuple(Tuple(*map(sympify, pair)) for pair in products))

"""Inequalities: convex and increasing functions, Jensen, Cauchy-Schwarz, Poincare."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sympy import Expr, Symbol, sympify

from slrsym.matrices.letters import Letter
from slrsym.prover.rules.context import Context
from slrsym.prover.rules.matrix_functions import PoincareOfMatricesRule
from slrsym.prover.rules.step import Link, Proof, Rule


@dataclass(frozen=True)
class TangentRule(Rule):
    """A convex function lies above its tangents, a concave one below."""

    of: Expr
    variable: Symbol
    at: Expr
    point: Expr

    name = "tangent"


def tangent(of: Any, variable: Symbol, at: Any, point: Any) -> Rule:
    """Compare a convex or concave function with its tangent.

    That the second derivative has a sign for all values of `variable` is found out by itself. Rests
    on the axiom ``taylor-theorem``.

    Parameters
    ----------
    of : expression
        The function f, in `variable`.
    variable : Symbol
        A real variable; if it is declared of a sign, f is a function of such numbers.
    at : expression
        Where the tangent touches.
    point : expression
        Where the two are compared.

    Returns
    -------
    Rule
        For ``f(at) + f'(at) (point - at) <= f(point)`` (or >=), and what has the same difference.
    """
    return TangentRule(sympify(of), variable, sympify(at), sympify(point))


@dataclass(frozen=True)
class IncreasingRule(Rule):
    """An increasing function keeps the order of two numbers."""

    of: Expr
    variable: Symbol
    known: Proof

    name = "increasing function"

    def premises(self, link: Link, context: Context) -> Iterable[tuple[str, Proof, Context]]:
        yield "order", self.known, context


def increasing(of: Any, variable: Symbol, known: Proof) -> Rule:
    """Take an increasing function of both sides of an inequality.

    That the derivative has a sign for all values of `variable` is found out by itself. Rests on the
    axiom ``mean-value-theorem``.

    Parameters
    ----------
    of : expression
        The function f, in `variable`.
    variable : Symbol
        A real variable; if it is declared of a sign, f is a function of such numbers.
    known : Proof
        Of an inequality, such as ``a <= b``.

    Returns
    -------
    Rule
        For ``f(a) <= f(b)``.

    Raises
    ------
    ProofError
        If `known` is not a proof.
    """
    Proof.require(known, "known")
    return IncreasingRule(sympify(of), variable, known)


@dataclass(frozen=True)
class JensenRule(Rule):
    """f(E X) <= E f(X) for a convex function f, and >= for a concave one."""

    of: Expr
    variable: Symbol

    name = "Jensen's inequality"


def jensen(of: Any, variable: Symbol) -> Rule:
    """Compare a convex or concave function of a mean with the mean of the function.

    That the second derivative has a sign for all values of `variable` is found out by itself. Rests
    on the axiom ``jensen``.

    Parameters
    ----------
    of : expression
        The function f, in `variable`.
    variable : Symbol
        A real variable; if it is declared of a sign, f is a function of such numbers.

    Returns
    -------
    Rule
        For ``f(E h) <= E f(h)`` where f is convex, and ``E f(h) <= f(E h)`` where it is concave.
    """
    return JensenRule(sympify(of), variable)


@dataclass(frozen=True)
class CauchySchwarzRule(Rule):
    """(E f g)^2 <= E f^2 E g^2."""

    first: Expr
    second: Expr

    name = "Cauchy-Schwarz inequality"


def cauchy_schwarz(first: Any, second: Any) -> Rule:
    """Bound the square of the mean of a product by the product of the means of squares.

    Rests on the axiom ``cauchy-schwarz``.

    Parameters
    ----------
    first, second : expression
        The factors f and g, in the variables of the law.

    Returns
    -------
    Rule
        For ``(E f g)^2 <= E f^2 E g^2``, and with roots: ``E f g`` or ``|E f g|`` at most
        ``sqrt(E f^2) sqrt(E g^2)``.
    """
    return CauchySchwarzRule(sympify(first), sympify(second))


@dataclass(frozen=True)
class PoincareRule(Rule):
    """Var f(X) <= E grad f(X)' C grad f(X) for a Gaussian vector X of covariance C."""

    of: Expr

    name = "Gaussian Poincare inequality"


def poincare(of: Any) -> Rule:
    """Bound the variance of a function of Gaussian variables by its gradient.

    Rests on the axiom ``gaussian-poincare``; for vectors and matrices of free size, on
    ``poincare-inequality-of-matrices``.

    Parameters
    ----------
    of : expression
        The function f, smooth and of moderate growth.

    Returns
    -------
    Rule
        For ``E f^2 - (E f)^2 <= E grad f' C grad f``, where C is the covariance.
    """
    of = sympify(of)
    return PoincareOfMatricesRule(of) if of.has(Letter) else PoincareRule(of)

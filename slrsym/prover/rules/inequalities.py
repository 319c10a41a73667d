"""Rules for inequalities: signs, monotonicity, bounded derivatives, case distinctions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import sympy as sp
from sympy import Expr, Ge, Le, Symbol

from slrsym.prover.rules.calculus import derivative_claim_ids
from slrsym.prover.rules.chain import D
from slrsym.prover.rules.context import Context
from slrsym.prover.rules.function_classes import bounds_at
from slrsym.prover.rules.step import (
    Link,
    Proof,
    Rule,
    facts_beside_hypotheses,
    require_rule,
)
from slrsym.prover.statements.expressions import ForAll


@dataclass(frozen=True, repr=False)
class SignRule(Rule):
    """The difference of the two sides has the sign that the relation asks for."""

    facts: tuple[Proof, ...] = ()

    name = "sign"

    def using(self, *facts: Proof | Rule) -> SignRule:
        """Return the rule with relations that it may use, such as instances of hypotheses."""
        more = facts_beside_hypotheses(facts)
        return replace(self, facts=(*self.facts, *more))

    def premises(self, link: Link, context: Context) -> Iterable[tuple[str, Proof, Context]]:
        for number, fact in enumerate(self.facts, start=1):
            yield f"fact {number}", fact, context


sign = SignRule()


class BallArithmeticRule(Rule):
    """Both sides are numbers whose enclosures in ball arithmetic are disjoint.

    Expectations have to be of functions of one affine form of a Gaussian vector, by
    ``gaussian-linear-image``. Of a mean without a closed form the proof checker has no enclosure:
    the claim rests on the axiom that the rule is sound, and is ``conditional``.
    """

    name = "ball arithmetic"


ball_arithmetic = BallArithmeticRule()


@dataclass(frozen=True)
class MonotoneRule(Rule):
    """The sides are values of a function whose derivative has a constant sign between the points.

    `of` is the function, as an expression in `variable`; the left side is its value at `start`, the
    right side at `end`; `derivative` proves a relation between the derivative and zero under the
    hypothesis that `variable` lies between the two points.
    """

    of: Expr
    variable: Symbol
    start: Expr
    end: Expr
    derivative: Proof

    name = "monotonicity"

    def ends(self, link: Link) -> tuple[Expr, Expr]:
        """Return the two points, the lower one first, provided that the step is right.

        The function rises from there if what is claimed and the slope have the same direction.
        """
        conclusion = self.derivative.conclusion
        rises = isinstance(conclusion, sp.Ge | sp.Gt)
        is_ordered = rises == (link.relation in ("<=", "<"))
        return (self.start, self.end) if is_ordered else (self.end, self.start)

    def premises(self, link: Link, context: Context) -> Iterable[tuple[str, Proof, Context]]:
        low, high = self.ends(link)
        between = Ge(self.variable, low), Le(self.variable, high)
        yield "derivative", self.derivative, context.assuming(*between)


def monotone(of: Any, variable: Symbol, start: Any, end: Any, derivative: Proof | ForAll) -> Rule:
    """Compare the values of a function at two points by the sign of its derivative.

    Rests on the axiom ``mean-value-theorem``.

    Parameters
    ----------
    of : expression
        The function, in `variable`.
    variable : Symbol
        A variable that occurs nowhere else in the claim's hypotheses.
    start, end : expression
        Where the left and the right side take their values.
    derivative : Proof or ForAll
        A chain from ``D(of, variable)`` to 0. It may use that the variable lies between the points.
        Or the hypothesis that says so, such as `Increasing`.

    Returns
    -------
    Rule
        For inequalities, strict only where the derivative's is and the points are apart.

    Raises
    ------
    ProofError
        If `derivative` is neither a proof nor a hypothesis about derivatives.
    """
    if isinstance(derivative, ForAll):
        derivative = bounds_at(derivative, variable)
    Proof.require(derivative, "derivative")
    return MonotoneRule(sp.sympify(of), variable, sp.sympify(start), sp.sympify(end), derivative)


@dataclass(frozen=True)
class _BoundedSlope(Rule):
    """Base of rules on a function with a bounded derivative on an interval with two points.

    `of` is the function, as an expression in `variable`; `bound` proves the bound, under the
    hypotheses that `variable` lies between `low` and `high`.
    """

    of: Expr
    variable: Symbol
    start: Expr
    end: Expr
    low: Expr
    high: Expr
    bound: Proof

    def premises(self, link: Link, context: Context) -> Iterable[tuple[str, Proof, Context]]:
        between = Ge(self.variable, self.low), Le(self.variable, self.high)
        yield "bound", self.bound, context.assuming(*between)

    def uses(self, link: Link) -> tuple[str, ...]:
        return derivative_claim_ids(D(self.of, self.variable))


@dataclass(frozen=True)
class LipschitzRule(_BoundedSlope):
    """|f(start) - f(end)| <= M |start - end|, where -M <= f' <= M."""

    name = "Lipschitz continuity"


@dataclass(frozen=True)
class TaylorRule(_BoundedSlope):
    """f(end) <= f(start) + f'(start) (end - start) + M (end - start)^2 / 2, where f'' <= M."""

    name = "Taylor's formula"


def _bounded_slope(
    kind: type[_BoundedSlope], of: Any, variable: Symbol, start: Any, end: Any, low: Any, high: Any,
    bound: Proof | ForAll,
) -> Rule:  # fmt: skip
    """Return a rule on a function with a bounded derivative, between its points by default."""
    start, end = sp.sympify(start), sp.sympify(end)
    low = sp.Min(start, end) if low is None else sp.sympify(low)
    high = sp.Max(start, end) if high is None else sp.sympify(high)
    proof = bounds_at(bound, variable) if isinstance(bound, ForAll) else bound
    Proof.require(proof, "bound")
    return kind(sp.sympify(of), variable, start, end, low, high, proof)


def lipschitz(
    of: Any, variable: Symbol, start: Any, end: Any, *, bound: Proof | ForAll, low: Any = None,
    high: Any = None,
) -> Rule:  # fmt: skip
    """Compare the values of a function at two points by a bound of its derivative.

    Rests on the axiom ``mean-value-theorem``.

    Parameters
    ----------
    of : expression
        The function f, in `variable`.
    variable : Symbol
        A variable that occurs nowhere else in the claim's hypotheses.
    start, end : expression
        The two points, between `low` and `high`.
    bound : Proof or ForAll
        Of ``D(of, variable) <= M`` and ``D(of, variable) >= -M``, by `all_of`. It may use that the
        variable lies between `low` and `high`. Or the hypothesis that says so, such as `Lipschitz`.
    low, high : expression, optional
        Between which the derivative is bounded; the lower and the higher point by default.

    Returns
    -------
    Rule
        For ``|f(start) - f(end)| <= M |start - end|``.

    Raises
    ------
    ProofError
        If `bound` is neither a proof nor a hypothesis about derivatives.
    """
    return _bounded_slope(LipschitzRule, of, variable, start, end, low, high, bound)


def taylor(
    of: Any, variable: Symbol, start: Any, end: Any, *, bound: Proof | ForAll, low: Any = None,
    high: Any = None,
) -> Rule:  # fmt: skip
    """Bound the value of a function at one point by a parabola at another.

    Rests on the axiom ``taylor-theorem``.

    Parameters
    ----------
    of : expression
        The function f, in `variable`.
    variable : Symbol
        A variable that occurs nowhere else in the claim's hypotheses.
    start, end : expression
        The two points, between `low` and `high`.
    bound : Proof or ForAll
        A chain from ``D(of, variable, variable)`` up to a bound M. It may use that the variable
        lies between `low` and `high`. Or the hypothesis that says so.
    low, high : expression, optional
        Between which the second derivative is bounded; the lower and the higher point by default.

    Returns
    -------
    Rule
        For ``f(end) <= f(start) + f'(start) (end - start) + M (end - start)^2 / 2``.

    Raises
    ------
    ProofError
        If `bound` is neither a proof nor a hypothesis about derivatives.
    """
    return _bounded_slope(TaylorRule, of, variable, start, end, low, high, bound)


@dataclass(frozen=True)
class PiecewiseRule(Rule):
    """Another rule, applied in each case of absolute values, maxima, signs and the like."""

    by: Rule

    @property
    def name(self) -> str:  # type: ignore[override]
        return f"piece by piece, {self.by.name}"

    def uses(self, link: Link) -> tuple[str, ...]:
        return self.by.uses(link)


def piecewise(by: Rule) -> Rule:
    """Apply a rule in each case of absolute values, signs, Heaviside, Max, Min and Piecewise.

    In each case, what decides it is among the hypotheses. What stands under expectations, sums,
    integrals, derivatives and limits is left alone.

    Parameters
    ----------
    by : Rule
        A rule that rests on no proofs of its own, such as ``signs`` or ``algebra``.

    Returns
    -------
    Rule
        For what `by` is for.

    Raises
    ------
    ProofError
        If `by` is not a rule.
    """
    require_rule(by, chainable=True)
    return PiecewiseRule(by)

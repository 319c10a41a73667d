r"""Limits by leading terms, which the proof checker cannot express and takes on trust.

As u tends to infinity, an expression is written as :math:`c u^q + o(u^q)`, where c is free of u and
may be zero. Sums, products, powers and continuous functions of such expressions have this form
again. If an expression tends to minus infinity, its exponential is :math:`o(u^{-k})` for every k.
The proof checker proves the signs of the constants c, and that both sides are equal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import sympy as sp
from sympy import Add, Dummy, Expr, Limit, Mul, Rational, S, Symbol

from slrsym.checker import Inference, Rejected
from slrsym.checker.term import definedness_equation
from slrsym.gaussian.noise_and_product_laws import is_declared_real_only
from slrsym.gaussian.special_functions import (
    OwensT,
    erf_prime,
    erf_second,
    normal_cdf,
    normal_pdf,
    zeta,
)
from slrsym.prover.rules.calculus import LimitsRule
from slrsym.prover.rules.context import Context
from slrsym.prover.rules.step import Step
from slrsym.prover.statements.expressions import replace_outermost_parts, substitute_simultaneously
from slrsym.prover.tactics.emission import ProofEmitter
from slrsym.prover.tactics.registration import register_emitter_for_rules

# c and q of c u^q + o(u^q); q is -oo if the expression is smaller than every power.
LeadingTerm: TypeAlias = tuple[Expr, Expr]
# A power for logarithms and bounded functions, smaller than the powers that matter.
_SLOW = Rational(1, 1000)
_TINY: LeadingTerm = (S.Zero, -sp.oo)
# Limits at plus and minus infinity, and for the odd ones, the slope at zero.
_AT_INFINITY = {
    sp.erf: (S.One, S.NegativeOne),
    sp.tanh: (S.One, S.NegativeOne),
    sp.atan: (sp.pi / 2, -sp.pi / 2),
    normal_cdf: (S.One, S.Zero),
    sp.erfc: (S.Zero, S(2)),
}
# Functions whose difference from their limit is smaller than every power.
_SHARP = (sp.erf, sp.tanh, normal_cdf, sp.erfc)
_SLOPE_AT_ZERO = {
    sp.erf: erf_prime(0),
    **dict.fromkeys((sp.tanh, sp.atan, sp.sin, sp.sinh, sp.asin), S.One),
}
_GAUSSIAN_DENSITY_FACTORS = (erf_prime, erf_second, normal_pdf)
_CONTINUOUS = (*_AT_INFINITY, *_SLOPE_AT_ZERO, *_GAUSSIAN_DENSITY_FACTORS, sp.cos, sp.exp)


class _Tail(sp.Function):  # type: ignore[misc]
    """Placeholder in SymPy for the difference between a function and its limit."""

    is_real = True


@register_emitter_for_rules(LimitsRule)
def _emit_limits(emitter: ProofEmitter, step: Step, premises: Sequence[Inference]) -> Inference:
    """Evaluate the limits on both sides, and have the proof checker prove the values equal."""
    if step.link.relation != "=" or not step.statement.has(Limit):
        raise Rejected("the rule shows equalities, and neither side has a limit")
    work = _LimitEvaluator(emitter, step.context)
    left, right = (
        replace_outermost_parts(side, work.limit) for side in (step.link.lhs, step.link.rhs)
    )
    work.require_provable(sp.Eq(left, right, evaluate=False))
    return emitter.add_soundness_axiom(step, emitter.formula(step.statement))


@dataclass(frozen=True)
class _LimitEvaluator:
    """Evaluator of limits under the hypotheses of a step."""

    emitter: ProofEmitter
    context: Context

    def can_prove(self, relation: sp.Basic) -> bool:
        return self.emitter.can_prove(self.emitter.formula(relation), self.context)

    def require_provable(self, relation: sp.Basic) -> None:
        if not self.can_prove(relation):
            raise Rejected(f"after the limits are taken, {relation} is not shown")

    def sign(self, c: Expr) -> Expr:
        """Return 1 or -1, the sign of a number; raise `Rejected` if it is not known."""
        if c.is_positive or self.can_prove(sp.Gt(c, 0, evaluate=False)):
            return S.One
        if c.is_negative or self.can_prove(sp.Lt(c, 0, evaluate=False)):
            return S.NegativeOne
        raise Rejected(f"the sign of {c} is not known")

    def is_nonzero(self, c: Expr) -> bool:
        return bool(c.is_nonzero) or self.can_prove(sp.Ne(c, 0, evaluate=False))

    def require_defined(self, c: Expr) -> None:
        if not self.emitter.can_prove(definedness_equation(self.emitter.term(c)), self.context):
            raise Rejected(f"{c} is not known to be a real number here")

    def limit(self, node: Expr) -> Expr | None:
        """Return the value of a `Limit` by leading terms; None for other expressions."""
        if not isinstance(node, Limit):
            return None
        body, x, target, direction = node.args
        if not is_declared_real_only(x):
            raise Rejected(f"{x} has to be declared real, and no more")
        if target.is_infinite:
            return self._limit_at(body, x, S.One if target is sp.oo else S.NegativeOne, None)
        sides = {"+": (1,), "-": (-1,)}.get(str(direction), (1, -1))
        found = [self._limit_at(body, x, S(side), target) for side in sides]
        if len(found) == 2:
            self.require_provable(sp.Eq(*found, evaluate=False))
        return found[0]

    def _limit_at(self, body: Expr, x: Symbol, side: Expr, target: Expr | None) -> Expr:
        """Return the limit of an expression at a point or at infinity, from one side."""
        u = Dummy("u", positive=True)
        away = side * u if target is None else target + side / u
        c, q = _LeadingTermFinder(u, self).leading_term(substitute_simultaneously(body, {x: away}))
        if q == 0:
            return c
        if q.is_extended_negative:
            return S.Zero
        raise Rejected(f"{body} is not known to have a finite limit")


@dataclass(frozen=True)
class _LeadingTermFinder:
    """Leading terms of expressions as u tends to infinity."""

    u: Symbol
    evaluator: _LimitEvaluator

    def leading_term(self, expr: Expr) -> LeadingTerm:
        """Return c and q such that an expression is c u^q + o(u^q)."""
        if isinstance(expr, (*_SHARP, sp.exp, sp.cos)) and self.u in expr.free_symbols:
            return self._function(expr)
        return self._leading_term_of_node(self._split_off_limits(expr))

    def _split_off_limits(self, expr: Expr) -> Expr:
        """Split functions into their limit and a remainder, so that limits can cancel."""

        def change(node: Expr) -> Expr | None:
            if isinstance(node, _Tail):
                return node
            if not isinstance(node, (*_SHARP, sp.exp, sp.cos)) or self.u not in node.free_symbols:
                return None
            try:
                c, q = self.leading_term(node.args[0])
                if isinstance(node, sp.exp | sp.cos):
                    return S.One + _Tail(self.u, node) if q.is_extended_negative else node
                direction = self.evaluator.sign(c) if q.is_positive else S.Zero
            except Rejected:
                return node
            if direction == 0:
                return node
            above, below = _AT_INFINITY[node.func]
            return (above if direction == 1 else below) + _Tail(self.u, node)

        return replace_outermost_parts(expr, change)

    def _leading_term_of_node(self, expr: Expr) -> LeadingTerm:
        """Return the leading term of an expression from those of its arguments."""
        if self.u not in expr.free_symbols:
            # A factor of zero must be defined, too.
            self.evaluator.require_defined(expr)
            return expr, S.Zero
        if expr == self.u:
            return S.One, S.One
        if isinstance(expr, _Tail):
            return self._tail(expr.args[1])
        if isinstance(expr, Add):
            return self._sum(expr)
        if isinstance(expr, Mul):
            parts = [self.leading_term(part) for part in expr.args]
            if any(q == -sp.oo for _, q in parts):
                return _TINY
            return Mul(*(c for c, _ in parts)), Add(*(q for _, q in parts))
        if isinstance(expr, sp.Pow) and expr.exp.is_Rational:
            return self._power(expr.base, expr.exp)
        if isinstance(expr, zeta):
            return self._zeta(*expr.args)
        if isinstance(expr, OwensT):
            return self._owens(*expr.args)
        if isinstance(expr, sp.log):
            c, q = self.leading_term(expr.args[0])
            if self.evaluator.sign(c) != 1:
                raise Rejected(f"{c} is not positive")
            return (sp.log(c), S.Zero) if q == 0 else (S.Zero, _SLOW)
        if isinstance(expr, (*_CONTINUOUS, sp.acos)):
            return self._function(expr)
        raise Rejected(f"how {expr} grows is not known")

    def _tail(self, node: Expr) -> LeadingTerm:
        """Return the leading term of the difference between a function and its limit."""
        if not isinstance(node, sp.exp | sp.cos):
            return _TINY
        c, q = self.leading_term(node.args[0])
        if q == -sp.oo:
            return _TINY
        return (c, q) if isinstance(node, sp.exp) else (-(c**2) / 2, 2 * q)

    def _sum(self, expr: Expr) -> LeadingTerm:
        several = sp.expand(expr)
        if not isinstance(several, Add):
            return self.leading_term(several)
        parts = [self.leading_term(part) for part in several.args]
        top = max((q for _, q in parts), key=lambda q: q)
        if top == -sp.oo:
            return _TINY
        return Add(*(c for c, q in parts if q == top)), top

    def _power(self, base: Expr, power: Rational) -> LeadingTerm:
        c, q = self.leading_term(base)
        if power.is_Integer and power > 0:
            return c**power, q * power
        if not (power.is_Integer and self.evaluator.is_nonzero(c)) and self.evaluator.sign(c) != 1:
            raise Rejected(f"{c} is not positive, by which {base} goes far out")
        return c**power, q * power

    def _function(self, expr: Expr) -> LeadingTerm:
        kind, (argument,) = expr.func, expr.args
        c, q = self.leading_term(argument)
        if q.is_extended_negative:
            if kind in _SLOPE_AT_ZERO and q != -sp.oo:
                return _SLOPE_AT_ZERO[kind] * c, q
            return _TINY if kind in _SLOPE_AT_ZERO else (kind(0), S.Zero)
        if q == 0:
            inside = kind not in (sp.asin, sp.acos) or self.evaluator.can_prove(
                sp.Gt(1 - c**2, 0, evaluate=False)
            )
            if not inside:
                raise Rejected(f"{c} may reach the end of the domain")
            return kind(c), S.Zero
        if kind in (sp.sin, sp.cos):
            return S.Zero, _SLOW
        direction = self.evaluator.sign(c)
        if kind in _GAUSSIAN_DENSITY_FACTORS:
            return _TINY
        if kind is sp.exp:
            if direction != -1:
                raise Rejected(f"{expr} is not known to tend to zero")
            return _TINY
        if kind in _AT_INFINITY:
            above, below = _AT_INFINITY[kind]
            return (above + below) / 2 + direction * (above - below) / 2, S.Zero
        raise Rejected(f"how {expr} grows is not known")

    def _zeta(self, t: Expr, s: Expr) -> LeadingTerm:
        (c, q), (d, p) = self.leading_term(t), self.leading_term(s)
        far = [(k, n) for k, n in ((c, q), (d, p)) if n.is_positive]
        if not far:
            return zeta(c if q == 0 else 0, d if p == 0 else 0), S.Zero
        # Then |t + s G| tends to infinity almost surely.
        for k, n in far:
            other = p if (k, n) == (c, q) else q
            if n >= other and self.evaluator.is_nonzero(k):
                return S.One, S.Zero
        raise Rejected(f"whether {t} and {s} tend to infinity is not known")

    def _owens(self, h: Expr, a: Expr) -> LeadingTerm:
        (c, q), (d, p) = self.leading_term(h), self.leading_term(a)
        if q.is_positive:
            if self.evaluator.is_nonzero(c):
                return S.Zero, S.Zero
            raise Rejected(f"whether {h} tends to infinity is not known")
        h = c if q == 0 else S.Zero
        if p.is_positive:
            # T(h, oo) is half the probability that a standard normal variable exceeds |h|.
            return self.evaluator.sign(d) * (1 - sp.erf(sp.sqrt(h**2) / sp.sqrt(2))) / 4, S.Zero
        return OwensT(h, d if p == 0 else S.Zero), S.Zero

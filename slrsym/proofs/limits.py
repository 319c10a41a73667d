r"""Limits, by leading terms.

As u tends to infinity, an expression is written as :math:`c u^q + o(u^q)`, where c is free of u and
may be zero. Sums, products, powers and continuous functions of such are such again; exponentials of
what tends to minus infinity are :math:`o(u^{-k})` for every k.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import sympy as sp
from sympy import Add, Dummy, Expr, Limit, Mul, Rational, S, Symbol

from slrsym.gaussian.binding import Expectation
from slrsym.gaussian.functions import OwensT, erf_prime, erf_second, normal_cdf, normal_pdf, zeta
from slrsym.gaussian.independent import is_plainly_real
from slrsym.gaussian.law import GaussianLaw
from slrsym.proofs.context import Context
from slrsym.proofs.intervals import NoRange
from slrsym.proofs.normal_forms import INDEPENDENT
from slrsym.proofs.regularity import require_integrable, require_positive_definite
from slrsym.proofs.step import Link, Rewriting
from slrsym.statements.expressions import Refused, put, rebuilt

# c and q of c u^q + o(u^q); q is -oo for what is smaller than every power.
Lead: TypeAlias = tuple[Expr, Expr]
# Slower than every power that matters: logarithms, and what is bounded.
_SLOW = Rational(1, 1000)
_TINY: Lead = (S.Zero, -sp.oo)
# Limits at plus and minus infinity, and for the odd ones, the slope at zero.
_AT_INFINITY = {
    sp.erf: (S.One, S.NegativeOne),
    sp.tanh: (S.One, S.NegativeOne),
    sp.atan: (sp.pi / 2, -sp.pi / 2),
    normal_cdf: (S.One, S.Zero),
    sp.erfc: (S.Zero, S(2)),
}
# These are there but for what is smaller than every power.
_SHARP = (sp.erf, sp.tanh, normal_cdf, sp.erfc)
_SLOPE_AT_ZERO = {
    sp.erf: erf_prime(0),
    **dict.fromkeys((sp.tanh, sp.atan, sp.sin, sp.sinh, sp.asin), S.One),
}
_BELLS = (erf_prime, erf_second, normal_pdf)
_CONTINUOUS = (*_AT_INFINITY, *_SLOPE_AT_ZERO, *_BELLS, sp.cos, sp.exp)


class _Tail(sp.Function):  # type: ignore[misc]
    """How far a function is from its limit."""

    is_real = True


class _Limits(Rewriting):
    """Limits at infinity or at a point, evaluated by leading terms.

    Those of expectations are taken inside where the integrand is bounded. Rests on the axioms
    ``limits-of-functions``, and then ``dominated-convergence``.
    """

    name = "limits"
    freedom = INDEPENDENT

    def axioms(self, link: Link) -> tuple[str, ...]:
        more = ("dominated-convergence",) if link.statement.has(Expectation) else ()
        return ("limits-of-functions", *more)

    def require(self, link: Link, context: Context) -> None:
        if not link.statement.has(Limit):
            raise Refused("neither side has a limit")

    def rewritten(self, expr: Expr, context: Context) -> Expr:
        found = rebuilt(expr, lambda node: _taken(node, context))
        require_integrable(found, context)
        return found


limits = _Limits()


def _taken(node: Expr, context: Context) -> Expr | None:
    if not isinstance(node, Limit):
        return None
    body, x, target, direction = node.args
    if not is_plainly_real(x):
        raise Refused(f"{x} has to be declared real, and no more")
    if target.is_infinite:
        return _limit(body, x, S.One if target is sp.oo else S.NegativeOne, None, context)
    sides = {"+": (1,), "-": (-1,)}.get(str(direction), (1, -1))
    found = [_limit(body, x, S(side), target, context) for side in sides]
    if len(found) == 2:
        context.require_equal(*found)
    return found[0]


def _limit(body: Expr, x: Symbol, side: Expr, target: Expr | None, context: Context) -> Expr:
    u = Dummy("u", positive=True)
    away = side * u if target is None else target + side / u
    c, q = _Leading(u, context).of(put(body, {x: away}))
    if q == 0:
        return c
    if q.is_extended_negative:
        return S.Zero
    raise Refused(f"{body} is not known to have a finite limit")


@dataclass(frozen=True)
class _Leading:
    u: Symbol
    context: Context
    random: frozenset[Symbol] = frozenset()

    def of(self, expr: Expr) -> Lead:
        if isinstance(expr, (*_SHARP, sp.exp, sp.cos)) and self.u in expr.free_symbols:
            return self._function(expr)
        return self._of(self._with_tails(expr))

    def _with_tails(self, expr: Expr) -> Expr:
        """With limit and rest for functions that have one, so that what cancels is seen."""

        def change(node: Expr) -> Expr | None:
            if isinstance(node, Expectation | _Tail):
                return node
            if not isinstance(node, (*_SHARP, sp.exp, sp.cos)) or self.u not in node.free_symbols:
                return None
            try:
                c, q = self.of(node.args[0])
                if isinstance(node, sp.exp | sp.cos):
                    return S.One + _Tail(self.u, node) if q.is_extended_negative else node
                direction = self._sign(c) if q.is_positive else S.Zero
            except Refused:
                return node
            if not direction.is_number or direction == 0:
                return node
            above, below = _AT_INFINITY[node.func]
            return (above if direction == 1 else below) + _Tail(self.u, node)

        return rebuilt(expr, change)

    def _of(self, expr: Expr) -> Lead:
        if self.u not in expr.free_symbols:
            self.context.require_real(expr)
            # What is multiplied by zero has to exist all the same.
            require_integrable(expr, self.context)
            self.context.require_equal(expr, expr, INDEPENDENT)
            return expr, S.Zero
        if expr == self.u:
            return S.One, S.One
        if isinstance(expr, _Tail):
            return self._rest(expr.args[1])
        if isinstance(expr, Add):
            return self._sum(expr)
        if isinstance(expr, Mul):
            parts = [self.of(part) for part in expr.args]
            if any(q == -sp.oo for _, q in parts):
                return _TINY
            return Mul(*(c for c, _ in parts)), Add(*(q for _, q in parts))
        if isinstance(expr, sp.Pow) and expr.exp.is_Rational:
            return self._power(expr.base, expr.exp)
        if isinstance(expr, Expectation):
            return self._mean(expr)
        if isinstance(expr, zeta):
            return self._zeta(*expr.args)
        if isinstance(expr, OwensT):
            return self._owens(*expr.args)
        if isinstance(expr, sp.log):
            c, q = self.of(expr.args[0])
            self.context.require(self.context.sign(c).positive, f"the sign of {c} is not known")
            return (sp.log(c), S.Zero) if q == 0 else (S.Zero, _SLOW)
        if isinstance(expr, (*_CONTINUOUS, sp.acos)):
            return self._function(expr)
        raise Refused(f"how {expr} grows is not known")

    def _rest(self, node: Expr) -> Lead:
        """By how much a function differs from its limit."""
        if not isinstance(node, sp.exp | sp.cos):
            return _TINY
        c, q = self.of(node.args[0])
        if q == -sp.oo:
            return _TINY
        return (c, q) if isinstance(node, sp.exp) else (-(c**2) / 2, 2 * q)

    def _sum(self, expr: Expr) -> Lead:
        several = sp.expand(expr)
        if not isinstance(several, Add):
            return self.of(several)
        parts = [self.of(part) for part in several.args]
        top = max((q for _, q in parts), key=lambda q: q)
        if top == -sp.oo:
            return _TINY
        return Add(*(c for c, q in parts if q == top)), top

    def _sign(self, c: Expr) -> Expr:
        known = self.context.sign(c)
        if known.positive:
            return S.One
        if known.negative:
            return S.NegativeOne
        varying = sorted(c.free_symbols & self.random, key=str)
        polynomial = c.as_poly(*varying) if varying else None
        coefficients = polynomial.coeffs() if polynomial else []
        fixed = [k for k in coefficients if not k.free_symbols & self.random]
        # A polynomial in the variables of a law with a density vanishes with probability zero.
        if any(self.context.sign(k).nonzero for k in fixed):
            return sp.sign(c)
        raise Refused(f"the sign of {c} is not known")

    def _power(self, base: Expr, power: Rational) -> Lead:
        c, q = self.of(base)
        if power.is_Integer and power > 0:
            return c**power, q * power
        known = self.context.sign(c)
        if not (known.positive or (power.is_Integer and known.nonzero)):
            raise Refused(f"the sign of {c} is not known, by which {base} goes far out")
        return c**power, q * power

    def _function(self, expr: Expr) -> Lead:
        kind, (argument,) = expr.func, expr.args
        c, q = self.of(argument)
        if q.is_extended_negative:
            if kind in _SLOPE_AT_ZERO and q != -sp.oo:
                return _SLOPE_AT_ZERO[kind] * c, q
            return _TINY if kind in _SLOPE_AT_ZERO else (kind(0), S.Zero)
        if q == 0:
            if kind in (sp.asin, sp.acos):
                self.context.require(
                    self.context.sign(1 - c**2).positive, f"{c} may reach the end of the domain"
                )
            return kind(c), S.Zero
        if kind in (sp.sin, sp.cos):
            return S.Zero, _SLOW
        direction = self._sign(c)
        if kind in _BELLS:
            return _TINY
        if kind is sp.exp:
            if direction != -1:
                raise Refused(f"{expr} is not known to tend to zero")
            return _TINY
        if kind in _AT_INFINITY:
            above, below = _AT_INFINITY[kind]
            return (above + below) / 2 + direction * (above - below) / 2, S.Zero
        raise Refused(f"how {expr} grows is not known")

    def _zeta(self, t: Expr, s: Expr) -> Lead:
        (c, q), (d, p) = self.of(t), self.of(s)
        far = [(k, n) for k, n in ((c, q), (d, p)) if n.is_positive]
        if not far:
            return zeta(c if q == 0 else 0, d if p == 0 else 0), S.Zero
        # t + s G leaves every bounded set, but with probability zero.
        for k, n in far:
            other = p if (k, n) == (c, q) else q
            if n >= other and self.context.sign(k).nonzero:
                return S.One, S.Zero
        raise Refused(f"whether {t} and {s} tend to infinity is not known")

    def _owens(self, h: Expr, a: Expr) -> Lead:
        (c, q), (d, p) = self.of(h), self.of(a)
        if q.is_positive and self.context.sign(c).nonzero:
            return S.Zero, S.Zero
        if q.is_positive:
            raise Refused(f"whether {h} tends to infinity is not known")
        h = c if q == 0 else S.Zero
        if p.is_positive:
            # T(h, oo) is half the probability to be beyond |h|.
            return self._sign(d) * (1 - sp.erf(sp.sqrt(h**2) / sp.sqrt(2))) / 4, S.Zero
        return OwensT(h, d if p == 0 else S.Zero), S.Zero

    def _mean(self, node: Expectation) -> Lead:
        law = node.law
        if self.u in law.free_symbols:
            raise Refused(f"the law of {node} depends on the variable; standardise it first")
        if not isinstance(law, GaussianLaw):
            raise Refused(f"the law of {node} is not Gaussian")
        names = {x: Dummy(x.name, real=True) for x in law.symbols}
        body = node.integrand.xreplace(names)
        try:
            reach = self.context.decider.range(body)
        except NoRange as reason:
            raise Refused(str(reason)) from None
        if not (reach.low.is_finite and reach.high.is_finite):
            raise Refused(f"{node.integrand} is not known to be bounded")
        require_positive_definite(law, self.context)
        c, q = _Leading(self.u, self.context, frozenset(names.values())).of(body)
        if q.is_extended_negative:
            return S.Zero, S.Zero
        if q != 0:
            raise Refused(f"{node.integrand} is not known to have a limit")
        back = {new: old for old, new in names.items()}
        mean = c.xreplace(back)
        return (Expectation(mean, law) if mean.free_symbols & set(law.symbols) else mean), S.Zero

"""Inequalities: convex and increasing functions, Jensen, Cauchy-Schwarz, Poincare."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sympy import Abs, Dummy, Expr, Ge, Gt, Le, Lt, S, Symbol, sqrt, sympify

from slrsym.gaussian.binding import Expectation
from slrsym.gaussian.law import GaussianLaw
from slrsym.proofs.context import Context, require_defined
from slrsym.proofs.intervals import Sign
from slrsym.proofs.normal_forms import LINEAR
from slrsym.proofs.regularity import (
    derivative,
    require_admissible,
    require_integrable,
    require_moderate,
)
from slrsym.proofs.step import Link, Proof, Rule
from slrsym.statements.expressions import Refused, put


def placeholder(x: Symbol, context: Context) -> Symbol:
    """Another name for a variable, of which no hypothesis says more than it declares."""
    declared = set(x._assumptions_orig) - {"commutative"}
    if not x.is_real or declared - {"real", "positive", "nonnegative", "negative", "nonpositive"}:
        raise Refused(f"{x} has to be declared real, and of a sign at most")
    if x in context.restricted:
        raise Refused(f"a hypothesis speaks of {x}; rename the variable")
    return Dummy(x.name, **x._assumptions_orig)


def _sign_of_slope(of: Expr, x: Symbol, context: Context, order: int = 1) -> Sign:
    """What is known of a derivative at all values that a symbol may take."""
    place = placeholder(x, context)
    return context.sign(derivative(put(of, {x: place}), place, context, order))


def _curvature(of: Expr, x: Symbol, context: Context) -> int:
    """1 for a convex function of all values that a symbol may take, -1 for a concave one."""
    bend = _sign_of_slope(of, x, context, 2)
    if bend.nonnegative:
        return 1
    if bend.nonpositive:
        return -1
    raise Refused(f"{of} is not known to be convex, nor concave, in {x}")


def _downward(link: Link) -> Link:
    if link.relation not in ("<=", ">="):
        raise Refused(f"the rule gives <= and >=, and this step says {link.relation}")
    return link if link.relation == "<=" else link.flipped


@dataclass(frozen=True)
class _Tangent(Rule):
    """A convex function lies above its tangents, a concave one below."""

    of: Expr
    variable: Symbol
    at: Expr
    point: Expr

    name = "tangent"
    rests_on = ("taylor-theorem",)

    def check(self, link: Link, context: Context) -> None:
        link, x = _downward(link), self.variable
        for place in (self.at, self.point):
            require_admissible(x, place, context)
            require_integrable(place, context)
        require_defined(link.statement, context)
        slope = derivative(self.of, x, context)
        line = put(self.of, {x: self.at}) + put(slope, {x: self.at}) * (self.point - self.at)
        value = put(self.of, {x: self.point})
        low, high = (line, value) if _curvature(self.of, x, context) > 0 else (value, line)
        # What is added on both sides, and multiplied by a positive number, does not matter.
        context.require_equal(link.rhs - link.lhs, high - low)


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
    return _Tangent(sympify(of), variable, sympify(at), sympify(point))


@dataclass(frozen=True)
class _Increasing(Rule):
    """An increasing function keeps the order of two numbers."""

    of: Expr
    variable: Symbol
    known: Proof

    name = "increasing function"
    rests_on = ("mean-value-theorem",)

    def premises(self, link: Link, context: Context) -> Iterable[tuple[str, Proof, Context]]:
        yield "order", self.known, context

    def check(self, link: Link, context: Context) -> None:
        x, shown = self.variable, self.known.conclusion
        if not isinstance(shown, Le | Lt | Ge | Gt):
            raise Refused(f"its premise says {shown}, which is no inequality")
        known = Link.of(shown)
        if not link.follows_from(known.relation):
            known = known.flipped
        rising = _sign_of_slope(self.of, x, context)
        strict = len(link.relation) == 1
        context.require(
            rising.positive if strict else rising.nonnegative,
            f"{self.of} is not known to increase in {x}",
        )
        context.require(
            link.follows_from(known.relation), f"its premise does not say {link.relation}"
        )
        for side, other in ((link.lhs, known.lhs), (link.rhs, known.rhs)):
            require_integrable(side, context)
            require_admissible(x, other, context)
            context.require_equal(side, put(self.of, {x: other}))


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
    return _Increasing(sympify(of), variable, known)


@dataclass(frozen=True)
class _Jensen(Rule):
    """f(E X) <= E f(X) for a convex function f, and >= for a concave one."""

    of: Expr
    variable: Symbol

    name = "Jensen's inequality"
    rests_on = ("jensen",)

    def check(self, link: Link, context: Context) -> None:
        link, x = _downward(link), self.variable
        require_integrable(link.statement, context)
        convex = _curvature(self.of, x, context) > 0
        outside, mean = (link.lhs, link.rhs) if convex else (link.rhs, link.lhs)
        if not isinstance(mean, Expectation):
            raise Refused(f"{mean} is no expectation")
        inner = [n for n in outside.atoms(Expectation) if n.law == mean.law]
        if self.of.free_symbols & (set(mean.law.symbols) - {x}):
            raise Refused(f"{self.of} has a variable of the law of {mean}")
        for node in inner:
            # The variables of a law run over all reals, whatever is known of others.
            try:
                self._check_with(node.integrand, outside, mean, context)
            except Refused as refusal:
                reason = refusal
                continue
            return
        if inner:
            raise reason
        raise Refused(f"{outside} has no expectation under the law of {mean}")

    def _check_with(self, h: Expr, outside: Expr, mean: Expectation, context: Context) -> None:
        x = self.variable
        context.require_equal(outside, put(self.of, {x: Expectation(h, mean.law)}))
        context.require_equal(mean, Expectation(put(self.of, {x: h}), mean.law))
        require_admissible(x, h, context)


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
    return _Jensen(sympify(of), variable)


@dataclass(frozen=True)
class _CauchySchwarz(Rule):
    """(E f g)^2 <= E f^2 E g^2."""

    first: Expr
    second: Expr

    name = "Cauchy-Schwarz inequality"
    rests_on = ("cauchy-schwarz",)

    def check(self, link: Link, context: Context) -> None:
        link = _downward(link)
        f, g = self.first, self.second
        for factor in (f, g):
            context.require_real(factor)
        require_integrable(link.statement, context)
        for law in sorted({n.law for n in link.statement.atoms(Expectation)}, key=str):
            both = Expectation(f * g, law)
            squares = Expectation(f**2, law), Expectation(g**2, law)
            for node in (both, *squares):
                require_integrable(node, context)
            forms = [
                (both**2, squares[0] * squares[1]),
                (Abs(both), sqrt(squares[0]) * sqrt(squares[1])),
                (both, sqrt(squares[0]) * sqrt(squares[1])),
                (Abs(both), sqrt(squares[0] * squares[1])),
                (both, sqrt(squares[0] * squares[1])),
            ]
            if any(
                context.equal(link.lhs, low, LINEAR) and context.equal(link.rhs, high, LINEAR)
                for low, high in forms
            ):
                return
        raise Refused(f"the step is none of the forms of the inequality for {f} and {g}")


def cauchy_schwarz(first: Any, second: Any) -> Rule:
    """Compare the mean of a product with those of squares.

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
    return _CauchySchwarz(sympify(first), sympify(second))


@dataclass(frozen=True)
class _Poincare(Rule):
    """Var f(X) <= E grad f(X)' C grad f(X) for a Gaussian vector X of covariance C."""

    of: Expr

    name = "Gaussian Poincare inequality"
    rests_on = ("gaussian-poincare",)

    def check(self, link: Link, context: Context) -> None:
        link = _downward(link)
        require_integrable(link.statement, context)
        context.require_real(self.of)
        for law in sorted({n.law for n in link.statement.atoms(Expectation)}, key=str):
            if not isinstance(law, GaussianLaw):
                continue
            require_moderate(self.of, frozenset(law.symbols), context)
            names = law.symbols
            energy: Expr = sum(
                (
                    law.cov[i, j] * self.of.diff(x) * self.of.diff(y)
                    for i, x in enumerate(names)
                    for j, y in enumerate(names)
                ),
                S.Zero,
            )
            variance = Expectation(self.of**2, law) - Expectation(self.of, law) ** 2
            centred = Expectation((self.of - Expectation(self.of, law)) ** 2, law)
            is_variance = any(context.equal(link.lhs, e, LINEAR) for e in (variance, centred))
            if is_variance and context.equal(link.rhs, Expectation(energy, law), LINEAR):
                return
        raise Refused(f"the step is not the inequality for {self.of}")


def poincare(of: Any) -> Rule:
    """Bound the variance of a function of Gaussian variables by its gradient.

    Rests on the axiom ``gaussian-poincare``.

    Parameters
    ----------
    of : expression
        The function f, smooth and of moderate growth.

    Returns
    -------
    Rule
        For ``E f^2 - (E f)^2 <= E grad f' C grad f``, where C is the covariance.
    """
    return _Poincare(sympify(of))

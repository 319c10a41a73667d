"""Rules of algebra and calculus: equality by normal form, derivatives, integrals in closed form."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sympy import Basic, Derivative, Dummy, Expr, Integral, Subs, Symbol, erf, exp, pi, sympify

from slrsym.gaussian.binding import Expectation
from slrsym.gaussian.functions import OwensT, zeta
from slrsym.gaussian.law import standard_normal
from slrsym.search.context import Context
from slrsym.search.gate import near_point
from slrsym.search.regularity import (
    derivative,
    require_admissible,
    require_convergent,
    require_decay,
    require_smooth,
)
from slrsym.search.step import Link, Rule
from slrsym.statements.errors import Refused
from slrsym.statements.expressions import put, rebuilt


def require_equality(link: Link) -> None:
    """Refuse a link that is not an equality."""
    if link.relation != "=":
        raise Refused(f"the rule shows equalities, and this step says {link.relation}")


def in_either_direction(
    check: Callable[[Link, Context], None], link: Link, context: Context
) -> None:
    """Refuse an equality unless it passes a check as it is, or read from right to left."""
    try:
        check(link, context)
    except Refused as reason:
        try:
            check(link.flipped, context)
        except Refused:
            raise reason from None


class _Algebra(Rule):
    """Both sides have the same normal form over exp, erf, roots and the other atoms."""

    name = "algebra"

    def check(self, link: Link, context: Context) -> None:
        require_equality(link)
        context.require_equal(link.lhs, link.rhs)


algebra = _Algebra()


# The claims by which the derivatives in each argument of a function are known.
DERIVATIVE_CLAIMS = {
    OwensT: ("owens-t-derivative-h", "owens-t-derivative-a"),
    zeta: ("zeta-derivative", "zeta-derivative-s"),
}


def derivative_claims(expr: Basic) -> tuple[str, ...]:
    """The claims by which derivatives in an expression are known."""
    used: dict[str, None] = {}
    for node in expr.atoms(Derivative):
        for function, names in DERIVATIVE_CLAIMS.items():
            for term in node.expr.atoms(function):
                for argument, name in zip(term.args, names, strict=True):
                    if argument.free_symbols & set(node.variables):
                        used[name] = None
    return tuple(used)


class _Differentiate(Rule):
    """The derivatives on the left, evaluated by the rules of calculus, give the right side.

    Integrals that are differentiated in a parameter rest on the axiom ``dominated-convergence``;
    slopes of special functions on claims such as ``owens-t-derivative-h``.
    """

    name = "differentiation"

    def axioms(self, link: Link) -> tuple[str, ...]:
        return ("dominated-convergence",) if link.lhs.has(Integral) else ()

    def uses(self, link: Link) -> tuple[str, ...]:
        return derivative_claims(link.statement)

    def check(self, link: Link, context: Context) -> None:
        require_equality(link)
        if not link.statement.has(Derivative):
            raise Refused("neither side has a derivative to evaluate")
        context.require_equal(_evaluated(link.lhs, context), _evaluated(link.rhs, context))


def _evaluated(expr: Expr, context: Context) -> Expr:
    return rebuilt(expr, lambda node: _derivatives_of(node, context))


def _derivatives_of(expr: Expr, context: Context) -> Expr | None:
    if isinstance(expr, Derivative):
        inside = _evaluated(expr.expr, context)
        if inside.has(Expectation):
            return expr
        for variable, count in expr.variable_count:
            inside = derivative(inside, variable, context, int(count))
        return inside
    if isinstance(expr, Subs):
        # A derivative at a point depends on what is near it, and on no hypothesis about symbols
        # that are bound here.
        for variable, value in zip(expr.variables, expr.point, strict=True):
            require_admissible(variable, value, context)
        places, near = near_point(expr)
        values = dict(zip(places.values(), expr.point, strict=True))
        return put(_evaluated(put(expr.expr, places), context.assuming(*near)), values)
    return None if expr.has(Derivative) else expr


differentiate = _Differentiate()


class _Definition(Rule):
    """Owen's T and zeta stand for their definitions.

    That of Owen's T is in D. B. Owen, Annals of Mathematical Statistics 27 (1956).
    """

    name = "definition"

    def check(self, link: Link, context: Context) -> None:
        require_equality(link)
        context.require_equal(_unfolded(link.lhs), _unfolded(link.rhs))


def _unfolded(expr: Expr) -> Expr:
    x, g = Dummy("x", real=True), Dummy("G", real=True)

    def owens_t(h: Expr, a: Expr) -> Expr:
        return Integral(exp(-(h**2) * (1 + x**2) / 2) / (1 + x**2), (x, 0, a)) / (2 * pi)

    def second_moment(t: Expr, s: Expr) -> Expr:
        return Expectation(erf(t + s * g) ** 2, standard_normal(g))

    return expr.replace(OwensT, owens_t).replace(zeta, second_moment)


definition = _Definition()


@dataclass(frozen=True)
class _FundamentalTheorem(Rule):
    """The integral of a derivative is the difference of the values at the ends."""

    antiderivative: Expr
    variable: Symbol

    name = "fundamental theorem of calculus"

    def axioms(self, link: Link) -> tuple[str, ...]:
        return ("fundamental-theorem-of-calculus",)

    def check(self, link: Link, context: Context) -> None:
        require_equality(link)
        integrals = [n for n in link.lhs.atoms(Integral) if len(n.limits) == 1]
        for node in integrals:
            x, low, high = node.limits[0]
            if x in context.restricted:
                continue
            require_convergent(node, context)
            primitive = self.antiderivative.xreplace({self.variable: x})
            try:
                context.require_equal(primitive.diff(x), node.function)
            except Refused:
                continue
            require_smooth(primitive, x, context)
            value = self._at(primitive, x, high, context) - self._at(primitive, x, low, context)
            context.require_equal(link.lhs.xreplace({node: value}), link.rhs)
            return
        raise Refused(f"no integral on the left has the antiderivative {self.antiderivative}")

    @staticmethod
    def _at(primitive: Expr, x: Symbol, end: Expr, context: Context) -> Expr:
        if not end.is_infinite:
            return primitive.subs(x, end)
        require_decay(primitive, x, context)
        return sympify(0)


def fundamental_theorem(antiderivative: Any, variable: Symbol) -> Rule:
    """Evaluate an integral by an antiderivative, which the rule differentiates to check.

    Rests on the axiom ``fundamental-theorem-of-calculus``.

    Parameters
    ----------
    antiderivative : expression
        In `variable`. At infinite ends it has to be a moderate function times a Gaussian.
    variable : Symbol
        The variable of integration.

    Returns
    -------
    Rule
        For links with the integral on the left.
    """
    return _FundamentalTheorem(sympify(antiderivative), variable)


class _IntegralAlgebra(Rule):
    """Integrals over adjacent intervals add up.

    Rests on the axiom ``integral-linearity``.
    """

    name = "additivity of the integral"

    def axioms(self, link: Link) -> tuple[str, ...]:
        return ("integral-linearity",)

    def check(self, link: Link, context: Context) -> None:
        require_equality(link)

        def from_zero(expr: Expr) -> Expr:
            for node in expr.atoms(Integral):
                if len(node.limits) != 1 or any(b.is_infinite for b in node.limits[0][1:]):
                    raise Refused(f"{node} is not an integral over a bounded interval")
                x, low, high = node.limits[0]
                z = Dummy("x", real=True)
                body = node.function.xreplace({x: z})
                require_smooth(body, z, context)
                parts = Integral(body, (z, 0, high)) - Integral(body, (z, 0, low))
                expr = expr.xreplace({node: parts})
            return expr

        context.require_equal(from_zero(link.lhs), from_zero(link.rhs))


integral_algebra = _IntegralAlgebra()

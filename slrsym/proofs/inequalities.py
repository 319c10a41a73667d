"""Inequalities: by the sign of a difference, by monotonicity, by bounds of slopes, by cases."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import sympy as sp
from sympy import Abs, And, Basic, Derivative, Expr, Ge, Gt, Le, Lt, Max, Min, Piecewise, S, Symbol
from sympy.core.relational import Relational
from sympy.logic.boolalg import Boolean

from slrsym.gaussian.binding import Expectation, IIDSum
from slrsym.proofs.calculus import derivative_claims
from slrsym.proofs.chain import D
from slrsym.proofs.context import Context, require_defined
from slrsym.proofs.intervals import Sign
from slrsym.proofs.regularity import (
    derivative,
    require_differentiable,
    require_integrable,
    require_interval,
)
from slrsym.proofs.step import Link, Proof, Rule, axioms_of, require_rule
from slrsym.statements.expressions import Refused, conjuncts, put, rebuilt


class _Sign(Rule):
    """The difference of the two sides has the sign that the relation asks for."""

    name = "sign"

    def check(self, link: Link, context: Context) -> None:
        if link.relation == "=":
            raise Refused("the sign of a difference shows inequalities, and this step says =")
        for side in (link.lhs, link.rhs):
            # What cancels in the difference has to be a number all the same.
            context.require_real(side)
            require_integrable(side, context)
        if link.statement in context.facts.relations:
            return
        stands = link.lhs - link.rhs
        terms = sp.Add.make_args(stands)
        if len(terms) > 1 and _all_have_sign(link.relation, terms, context):
            return
        # Most of two long sides cancels, and what is left is a product more often than not.
        # Integrals come apart on the way, though; so look at the two sides as they stand, too.
        difference = sp.factor(sp.expand(stands))
        if not any(_has_sign(link.relation, context.sign(e)) for e in (difference, stands)):
            raise Refused(f"{difference} is not known to be {link.relation} 0 here")


def _has_sign(relation: str, known: Sign) -> bool:
    return {
        "<=": known.nonpositive,
        "<": known.negative,
        ">=": known.nonnegative,
        ">": known.positive,
    }[relation]


def _all_have_sign(relation: str, terms: Iterable[Expr], context: Context) -> bool:
    """Whether all terms have the sign that is asked for, or vanish, and one of them the former."""
    weak = relation if "=" in relation else f"{relation}="
    signs = []
    for term in terms:
        signs.append(context.sign(term))
        if not _has_sign(weak, signs[-1]):
            return False
    return weak == relation or any(_has_sign(relation, known) for known in signs)


sign = _Sign()


def _require_unrestricted(t: Symbol, points: Iterable[Expr], context: Context) -> None:
    """Refuse unless a variable runs over an interval with the points, whatever hypotheses say."""
    if t in context.restricted:
        raise Refused(f"the variable {t} is restricted from outside; rename it")
    for point in points:
        require_interval(t, point, context)


@dataclass(frozen=True)
class _Monotone(Rule):
    """The two sides are values of a function whose derivative has a sign between the points.

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

    def _ascending(self, context: Context) -> bool:
        if context.holds(Le(self.start, self.end)):
            return True
        if context.holds(Ge(self.start, self.end)):
            return False
        raise Refused(f"it is not known which of {self.start} and {self.end} is the larger")

    def _between(self, context: Context) -> tuple[Any, ...]:
        low, high = (self.start, self.end) if self._ascending(context) else (self.end, self.start)
        return Ge(self.variable, low), Le(self.variable, high)

    def premises(self, link: Link, context: Context) -> Iterable[tuple[str, Proof, Context]]:
        try:
            inner = context.assuming(*self._between(context))
        except Refused:
            inner = context
        yield "derivative", self.derivative, inner

    rests_on = ("mean-value-theorem",)

    def check(self, link: Link, context: Context) -> None:
        _require_unrestricted(self.variable, (self.start, self.end), context)
        ascending = self._ascending(context)
        inner = context.assuming(*self._between(context))
        require_differentiable(self.of, self.variable, inner)
        context.require_equal(link.lhs, put(self.of, {self.variable: self.start}))
        context.require_equal(link.rhs, put(self.of, {self.variable: self.end}))
        shown = Link.of(self.derivative.conclusion)
        inner.require_equal(shown.rhs, sp.sympify(0))
        if shown.lhs != D(self.of, self.variable):
            raise Refused(f"its premise speaks of {shown.lhs}, not of the derivative of {self.of}")
        strict = len(shown.relation) == 1 and self._strictly_apart(context)
        rising = {"<=": -1, "<": -1, ">=": 1, ">": 1}.get(shown.relation)
        if rising is None:
            raise Refused("its premise is no inequality")
        direction = rising if ascending else -rising
        # The right side is larger if the function rises from start to end.
        wanted = {1: {"<=", "<"} if strict else {"<="}, -1: {">=", ">"} if strict else {">="}}
        if link.relation not in wanted[direction]:
            raise Refused(
                f"the derivative is {shown.relation} 0, which does not give {link.relation} here"
            )

    def _strictly_apart(self, context: Context) -> bool:
        return context.holds(Lt(self.start, self.end)) or context.holds(Gt(self.start, self.end))


def monotone(of: Any, variable: Symbol, start: Any, end: Any, derivative: Proof) -> Rule:
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
    derivative : Proof
        A chain from ``D(of, variable)`` to 0. It may use that the variable lies between the points.

    Returns
    -------
    Rule
        For inequalities, strict only where the derivative's is and the points are apart.

    Raises
    ------
    ProofError
        If `derivative` is not a proof.
    """
    Proof.require(derivative, "derivative")
    return _Monotone(sp.sympify(of), variable, sp.sympify(start), sp.sympify(end), derivative)


@dataclass(frozen=True)
class _BoundedSlope(Rule):
    """A function whose derivative is bounded on an interval that contains two points.

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

    def _inner(self, context: Context) -> Context:
        return context.assuming(Ge(self.variable, self.low), Le(self.variable, self.high))

    def premises(self, link: Link, context: Context) -> Iterable[tuple[str, Proof, Context]]:
        yield "bound", self.bound, self._inner(context)

    def uses(self, link: Link) -> tuple[str, ...]:
        return derivative_claims(D(self.of, self.variable))

    def _at(self, point: Expr) -> Expr:
        return put(self.of, {self.variable: point})

    def _require_setting(self, link: Link, context: Context, times: int) -> None:
        z = self.variable
        points = (self.start, self.end, self.low, self.high)
        _require_unrestricted(z, points, context)
        for point in points[:2]:
            for relation in (Le(self.low, point), Le(point, self.high)):
                context.require(
                    context.holds(relation),
                    f"{point} is not known to lie between {self.low} and {self.high}",
                )
        require_integrable(link.statement, context)
        derivative(self.of, z, self._inner(context), times)

    def _shown(self, wanted: Expr, statement: Basic, relations: set[str]) -> Expr:
        """What a premise says that `wanted` is at most, or at least."""
        if not isinstance(statement, Relational):
            raise Refused(f"its premise says {statement}, which is no bound of {wanted}")
        shown = Link.of(statement)
        if shown.lhs != wanted:
            raise Refused(f"its premise speaks of {shown.lhs}, not of {wanted}")
        if shown.relation not in relations:
            raise Refused(f"its premise says {shown.relation}, and not {min(relations)}")
        if self.variable in shown.rhs.free_symbols:
            raise Refused(f"the bound {shown.rhs} depends on {self.variable}")
        return shown.rhs


@dataclass(frozen=True)
class _Lipschitz(_BoundedSlope):
    """|f(start) - f(end)| <= M |start - end|, where -M <= f' <= M."""

    name = "Lipschitz continuity"
    rests_on = ("mean-value-theorem",)

    def check(self, link: Link, context: Context) -> None:
        if link.relation != "<=":
            raise Refused(f"the rule gives <=, and this step says {link.relation}")
        self._require_setting(link, context, 1)
        slope = D(self.of, self.variable)
        parts = conjuncts(self.bound.conclusion)
        if len(parts) != 2:
            raise Refused(f"its premise has to bound {slope} from below and from above")
        # SymPy does not keep the order of the parts.
        above, below = sorted(parts, key=lambda part: isinstance(part, Ge | Gt))
        bound = self._shown(slope, above, {"<=", "<"})
        context.require_equal(self._shown(slope, below, {">=", ">"}), -bound)
        difference = self._at(self.start) - self._at(self.end)
        # Of the sign of what stands between the bars nothing has to be known.
        if isinstance(link.lhs, Abs):
            context.require_equal(link.lhs.args[0] ** 2, difference**2)
        else:
            context.require_equal(link.lhs, Abs(difference))
        if link.rhs != bound * Abs(self.start - self.end):
            context.require_equal(link.rhs, bound * Abs(self.start - self.end))


@dataclass(frozen=True)
class _Taylor(_BoundedSlope):
    """f(end) <= f(start) + f'(start) (end - start) + M (end - start)^2 / 2, where f'' <= M."""

    name = "Taylor's formula"
    rests_on = ("taylor-theorem",)

    def check(self, link: Link, context: Context) -> None:
        if link.relation != "<=":
            raise Refused(f"the rule gives <=, and this step says {link.relation}")
        self._require_setting(link, context, 2)
        bend = Derivative(self.of, (self.variable, 2), evaluate=False)
        bound = self._shown(bend, self.bound.conclusion, {"<=", "<"})
        # Of a difference, what cancels is not seen.
        require_defined(link.statement, context)
        way = self.end - self.start
        slope = put(
            derivative(self.of, self.variable, self._inner(context)), {self.variable: self.start}
        )
        parabola = self._at(self.start) + slope * way + bound * way**2 / 2
        context.require_equal(link.rhs - link.lhs, parabola - self._at(self.end))


def lipschitz(
    of: Any, variable: Symbol, start: Any, end: Any, *, low: Any, high: Any, bound: Proof
) -> Rule:
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
    low, high : expression
        Between which the derivative is bounded.
    bound : Proof
        Of ``D(of, variable) <= M`` and ``D(of, variable) >= -M``, by `all_of`. It may use that the
        variable lies between `low` and `high`.

    Returns
    -------
    Rule
        For ``|f(start) - f(end)| <= M |start - end|``.

    Raises
    ------
    ProofError
        If `bound` is not a proof.
    """
    Proof.require(bound, "bound")
    start, end, low, high = map(sp.sympify, (start, end, low, high))
    return _Lipschitz(sp.sympify(of), variable, start, end, low, high, bound)


def taylor(
    of: Any, variable: Symbol, start: Any, end: Any, *, low: Any, high: Any, bound: Proof
) -> Rule:
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
    low, high : expression
        Between which the second derivative is bounded.
    bound : Proof
        A chain from ``D(of, variable, variable)`` up to a bound M. It may use that the variable
        lies between `low` and `high`.

    Returns
    -------
    Rule
        For ``f(end) <= f(start) + f'(start) (end - start) + M (end - start)^2 / 2``.

    Raises
    ------
    ProofError
        If `bound` is not a proof.
    """
    Proof.require(bound, "bound")
    start, end, low, high = map(sp.sympify, (start, end, low, high))
    return _Taylor(sp.sympify(of), variable, start, end, low, high, bound)


_KINKS = (Abs, sp.sign, sp.Heaviside, Max, Min, Piecewise)
# At a kink, a derivative or a limit is not that of the piece which has the value there.
_BINDERS = (Derivative, Expectation, IIDSum, sp.Integral, sp.Limit, sp.Subs, sp.Sum)
_MOST_CASES = 200


@dataclass(frozen=True)
class _Piecewise(Rule):
    """What a rule accepts wherever absolute values, maxima, ... stand for one of their pieces."""

    by: Rule

    @property
    def name(self) -> str:  # type: ignore[override]
        return f"piece by piece, {self.by.name}"

    def axioms(self, link: Link) -> tuple[str, ...]:
        return axioms_of(self.by, link)

    def uses(self, link: Link) -> tuple[str, ...]:
        return self.by.uses(link)

    def check(self, link: Link, context: Context) -> None:
        if any(self.by.premises(link, context)):
            raise Refused(f"{self.by} rests on proofs of its own, and is used once for each case")
        # What a piece multiplies by zero, or cancels, has to be a number all the same.
        require_defined(link.statement, context)
        for count, (piece, here) in enumerate(cases_of(link, context)):
            if count > _MOST_CASES:
                raise Refused("there are too many cases")
            self.by.check(piece, here)


def piecewise(by: Rule) -> Rule:
    """Use a rule once for each case of absolute values, signs, Heaviside, Max, Min, Piecewise.

    In each case, what decides it is among the hypotheses. What stands under expectations, sums,
    integrals, derivatives and limits is left alone.

    Parameters
    ----------
    by : Rule
        A rule that rests on no proofs of its own, such as ``sign`` or ``algebra``.

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
    return _Piecewise(by)


def cases_of(link: Link, context: Context) -> Iterator[tuple[Link, Context]]:
    """The link without kinks, in each case; the cases are all there are."""
    node = next((n for side in (link.lhs, link.rhs) for n in _innermost(side)), None)
    if node is None:
        yield link, context
        return
    for condition, value in _pieces(node, context):
        here = context if condition is sp.true else context.assuming(*conjuncts(condition))
        left, right = (_with(node, value, side) for side in (link.lhs, link.rhs))
        yield from cases_of(Link(left, link.relation, right), here)


def _with(old: Basic, new: Expr, expr: Expr) -> Expr:
    def change(node: Basic) -> Any:
        if node == old:
            return new
        return node if isinstance(node, _BINDERS) else None

    return rebuilt(expr, change)


def _innermost(expr: Expr) -> Iterator[Basic]:
    """The kinks that have none inside, and stand under no binder."""
    walk = sp.preorder_traversal(expr)
    for node in walk:
        if isinstance(node, _BINDERS):
            walk.skip()
        elif isinstance(node, _KINKS) and not any(part.has(*_KINKS) for part in node.args):
            yield node


def _pieces(node: Basic, context: Context) -> Iterator[tuple[Boolean, Expr]]:
    if isinstance(node, Piecewise):
        yield from _of_piecewise(node, context)
        return
    for argument in node.args:
        context.require_real(argument)
    u = node.args[0]
    if isinstance(node, Abs):
        yield Ge(u, 0, evaluate=False), u
        yield Lt(u, 0, evaluate=False), -u
    elif isinstance(node, Max | Min):
        order = Ge if isinstance(node, Max) else Le
        for a in node.args:
            others = [order(a, b, evaluate=False) for b in node.args if b is not a]
            yield And(*others), a
    else:
        low, zero = (S.NegativeOne, S.Zero) if isinstance(node, sp.sign) else (S.Zero, S.Half)
        if isinstance(node, sp.Heaviside) and len(node.args) > 1:
            zero = node.args[1]
        yield Gt(u, 0, evaluate=False), S.One
        yield sp.Eq(u, 0, evaluate=False), zero
        yield Lt(u, 0, evaluate=False), low


def _of_piecewise(node: Piecewise, context: Context) -> Iterator[tuple[Boolean, Expr]]:
    if node.args[-1][1] != sp.true:
        raise Refused(f"the pieces of {node} may leave something out")
    before: list[Boolean] = []
    for value, condition in node.args:
        if condition != sp.true and not isinstance(condition, Ge | Gt | Le | Lt):
            raise Refused(f"{condition} is no inequality")
        for side in condition.args if condition != sp.true else ():
            require_defined(side, context)
        parts = [*before, *([] if condition == sp.true else [condition])]
        yield And(*parts) if parts else sp.true, value
        before.append(sp.Not(condition))

"""Coq tactics to try on a goal, with hints found by SymPy and proved by Coq.

Hints are how roots and exponentials come apart, what finite sums are by linearity, and forms of a
difference whose sign is plain.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any

import sympy as sp
from sympy.core.relational import Relational

from slrsym.coq.printing import CoqPrinter, NotExpressibleInCoqError
from slrsym.prover.statements.expressions import substitute_simultaneously


class TacticHints:
    """Hints for a Coq goal: text before a tactic, and rewriting rules for `field`."""

    def __init__(self, printer: CoqPrinter, statement: Any, bells: bool = False) -> None:
        self._printer = printer
        self.plain = _sides_with_derivatives_evaluated(statement)
        roots, names = self._root_tactics()
        self.field = self._field_tactic(names)
        self.opening = ("cbv beta; " if statement.has(sp.Subs) else "") + roots
        if bells:
            self.opening += self._erf_derivative_tactics()
        self.opening += self._exponential_tactics()
        self.sums = self._sum_tactics(self.plain)

    def _hint_text(self, e: Any) -> str:
        mark = dict(self._printer.free)
        text = self._printer.term(e)
        if set(self._printer.free) - set(mark):
            self._printer.free = mark
            raise NotExpressibleInCoqError("a hint speaks of something else")
        return text

    def _root_tactics(self) -> tuple[str, list[str]]:
        """Return Coq tactics on a goal's square roots, and names of the equations they prove."""
        inside = {x for n in self.plain.atoms(sp.Sum, sp.Integral) for x in n.bound_symbols}
        bases = dict.fromkeys(
            node.base
            for node in sp.postorder_traversal(self.plain)
            if isinstance(node, sp.Pow) and node.exp.is_Rational and node.exp.q == 2
            if not node.base.free_symbols & inside
        )
        text, seen = "", set()
        names: list[str] = []
        for base in bases:
            try:
                outside, left = _split_off_square(base)
                if outside != 1:
                    parts = f"{self._hint_text(outside)} {self._hint_text(left)}"
                    by = self._field_tactic(names)
                    text += f"root_apart {self._hint_text(base)} {parts} ltac:({by}); "
                if left in seen or left == 1:
                    continue
                seen.add(left)
                text += f"square_of {self._hint_text(left)} as E{len(names)}; "
                names.append(f"E{len(names)}")
            except NotExpressibleInCoqError:
                continue
        return text, names

    @staticmethod
    def _field_tactic(names: list[str]) -> str:
        return f"field [{' '.join(names)}]; side" if names else "field; side"

    def _erf_derivative_tactics(self) -> str:
        """Return Coq tactics that rewrite the derivative of erf in a goal as an exponential."""
        text = ""
        for e in sorted(self.plain.atoms(sp.Function), key=str):
            if type(e).__name__ == "erf_prime":
                (x,) = e.args
                made = sp.exp(sp.expand(-(x**2)))
                text += self._replacement_tactic("bell_apart", x, made.args[0])
                self.plain = self.plain.xreplace({e: 2 / sp.sqrt(sp.pi) * made})
        return text

    def _exponential_tactics(self) -> str:
        """Return Coq tactics that rewrite exponentials of sums by exponentials of shared terms."""
        found = {e: sp.expand(e.args[0]).as_ordered_terms() for e in self.plain.atoms(sp.exp)}
        if len(found) < 2 or any(len(terms) > 6 for terms in found.values()):
            return ""
        unit: dict[Any, Any] = {}
        for c, m in (t.as_coeff_Mul() for terms in found.values() for t in terms):
            unit[m] = sp.gcd(unit.get(m, c), c)
        text = ""
        for e in sorted(found, key=str):
            parts = [t.as_coeff_Mul() for t in found[e]]
            powers = [sp.Pow(sp.exp(unit[m] * m), c / unit[m], evaluate=False) for c, m in parts]
            made = sp.Mul(*powers, evaluate=False) if len(powers) > 1 else powers[0]
            if str(made) != str(e):
                text += self._replacement_tactic("exp_apart", e.args[0], made)
        return text

    def _replacement_tactic(self, word: str, a: Any, b: Any) -> str:
        try:
            return f"{word} {self._hint_text(a)} {self._hint_text(b)} ltac:({self.field}); "
        except NotExpressibleInCoqError:
            return ""

    def _sum_tactics(self, e: Any) -> str:
        """Return Coq tactics that split an expression's finite sums by linearity, inner first."""
        text = ""
        for node in dict.fromkeys(_outermost_sums(e)):
            try:
                linear = _split_sum_by_linearity(node)
                if linear == node:
                    continue
                (index, _, _) = node.limits[0]
                self._printer._bound.append(index)
                try:
                    inner = self._sum_tactics(node.function)
                finally:
                    self._printer._bound.pop()
                text += (
                    f"sum_apart {self._hint_text(node)} {self._hint_text(linear)} "
                    f"ltac:(intros {self._printer.name(index, index.name)} ?; {inner}"
                    f"algebra ltac:({self.field})); "
                )
            except NotExpressibleInCoqError:
                continue
        return text


def _sides_with_derivatives_evaluated(statement: Any) -> Any:
    """Return the sides of a statement's relations, with derivatives at points evaluated."""

    def substituted(e: Any) -> Any:
        inner = e.expr.doit(deep=False) if isinstance(e.expr, sp.Derivative) else e.expr
        return substitute_simultaneously(inner, dict(zip(e.variables, e.point, strict=True)))

    try:  # sides apart, since an equation of equal sides is true, and has none
        sides = sp.Tuple(*(x for r in statement.atoms(Relational) for x in r.args))
        small = sides.replace(lambda e: isinstance(e, sp.Subs), substituted)
        return small.replace(lambda e: isinstance(e, sp.Derivative), lambda e: e.doit(deep=False))
    except (AttributeError, TypeError, ValueError):
        return statement


def _split_off_square(base: Any) -> tuple[Any, Any]:
    """Return g and h with g^2 h equal to the radicand of a square root, g as large as found."""
    (number, factors), (below, divisors) = map(_factor_list, sp.together(base).as_numer_denom())
    outside = left = sp.S.One
    for sign, parts in ((1, factors), (-1, divisors)):
        for f, n in parts:
            outside *= f ** (sign * (n // 2))
            left *= f ** (sign * (n % 2))
    number /= below
    root = sp.sqrt(number) if number.is_Rational else sp.S.Zero
    if outside == 1 and (not root.is_Rational or number == 1 or left == 1 or not root):
        return sp.S.One, base
    return (outside * root, left) if root.is_Rational and root else (outside, left * number)


def _factor_list(e: Any) -> tuple[Any, list[Any]]:
    try:
        return (e, []) if e.is_number else sp.factor_list(e)
    except sp.PolynomialError:
        return sp.S.One, [(e, 1)]


def _outermost_sums(e: Any) -> Iterable[Any]:
    if isinstance(e, sp.Sum):
        yield e
    else:
        for a in e.args:
            yield from _outermost_sums(a)


def _split_sum_by_linearity(node: Any) -> Any:
    """Rewrite a finite sum as a combination of sums whose terms contain no constant factor."""
    if len(node.limits) != 1:
        return node
    (index, low, high) = node.limits[0]
    body = node.function.replace(lambda e: isinstance(e, sp.Sum), _split_sum_by_linearity)
    total = sp.S.Zero
    for term in sp.Add.make_args(sp.expand(body)):
        constant, rest = term.as_independent(index, as_Add=False)
        total += constant * sp.Sum(rest, (index, low, high))
    return total


# -- for each kind of step ------------------------------------------------------------------------


def candidate_tactics(goal: Any, find: Any, said: Any) -> Iterable[str]:
    """Yield texts of Coq tactics to try on a goal, in the order of trial."""
    kind, statement = goal.kind, goal.step.statement
    if kind == "lemma":
        yield from _lemma_tactics(goal, find, said)
    elif kind in ("algebra", "differentiation"):
        start = "slopes; " if kind == "differentiation" else ""
        for bells in (False, True) if "erf_prime" in goal.text else (False,):
            hints = TacticHints(goal.printer, statement, bells)
            ending = f"{'der' if start else 'algebra'} ltac:({hints.field})"
            yield f"{start}{hints.opening}{ending}"
            if hints.sums:
                yield f"{start}{hints.opening}{hints.sums}{ending}"
        yield f"{start}facts; alg"
    elif kind == "conclusion":
        yield "conclude"
        if statement.has(sp.Equivalent):
            yield "solution_set"
    elif kind == "monotone":
        rule = goal.step.rule
        function = goal.printer.lambda_term(rule.variable, rule.of)
        hints = TacticHints(goal.printer, statement)
        by = f"by_slope {function} {goal.printer.term(rule.start)} {goal.printer.term(rule.end)}"
        yield by
        yield f"{hints.opening}{by.replace('by_slope', 'by_slopes')} ltac:({hints.field})"
    elif kind == "lipschitz":
        rule, p = goal.step.rule, goal.printer
        ends = [
            substitute_simultaneously(rule.of, {rule.variable: x}) for x in (rule.start, rule.end)
        ]
        hints = TacticHints(p, sp.And(statement, sp.Eq(*ends, evaluate=False)))
        bound = sp.Mul(*(f for f in sp.Mul.make_args(statement.rhs) if not isinstance(f, sp.Abs)))
        words = f"{p.lambda_term(rule.variable, rule.of)} {p.term(bound)} {p.term(rule.start)}"
        yield f"by_bound {words} {p.term(rule.end)} ({hints.opening}idtac) ltac:({hints.field})"
    elif kind == "injectivity":
        yield "only_root"
    else:
        if isinstance(statement, Relational) and not isinstance(statement, sp.Eq | sp.Ne):
            yield "sgn1"
            hints = TacticHints(goal.printer, statement)
            for f in forms_with_evident_sign(statement.gts - statement.lts, goal.step):
                yield f"whole; {hints.opening}form {goal.printer.term(f)} ltac:({hints.field})"
        yield "sgn"
        yield "facts; sgn"


def _lemma_tactics(goal: Any, find: Any, said: Any) -> Iterable[str]:
    rule: Any = goal.step.rule
    id = goal.step.uses[0]
    claim, (_, printer) = find(id), said(id)
    # A proof by `by_claim` is a step of its own kind.
    chosen = rule.values if hasattr(rule, "values") else rule.about
    values = {claim.symbol(s): v for s, v in chosen}
    arguments = " ".join(goal.printer.argument(values.get(x, x)) for x in printer.free)
    factor = getattr(rule, "factor", sp.S.One)
    name = f"claim_{id.replace('-', '_')}"
    instance = f"(H {arguments})" if arguments else "H"
    use = f"use_claim {name} ltac:(fun H => pose proof {instance})"
    said_here = substitute_simultaneously(
        claim.statement, {x: values.get(x, x) for x in printer.free}
    )
    hints = TacticHints(goal.printer, sp.And(goal.step.statement, said_here))
    tactic = f"instance {goal.printer.term(factor)} ltac:({hints.field})"
    yield f"{use}; {hints.opening}{tactic}"
    yield f"{use}; finish"


def forms_with_evident_sign(difference: Any, step: Any) -> Iterable[Any]:
    """Return forms of a difference, such as factored ones, from which its sign may be evident."""
    point = _random_point(step)
    forms = (difference, sp.factor_terms(difference), sp.factor(difference))
    return dict.fromkeys(_with_positive_odd_powers(form, point) for form in forms)


def _with_positive_odd_powers(e: Any, point: dict[Any, Any]) -> Any:
    """Return an equal product in which odd powers of sums are positive at a given point."""
    if isinstance(e, sp.Add):
        return e
    parts, minus = [], 1
    for f in sp.Mul.make_args(e):
        base, power = f.as_base_exp()
        if isinstance(base, sp.Add) and power.is_odd and _is_negative(base, point):
            parts.append(sp.Pow(sp.Add(*(-a for a in base.args)), power))
            minus = -minus
        else:
            parts.append(f)
    if minus < 0:
        number = next((p for p in parts if p.is_Number), None)
        if number is None:
            parts.append(sp.S.NegativeOne)
        else:
            parts[parts.index(number)] = -number
    parts = [p for p in parts if p != 1]
    return sp.Mul(*parts, evaluate=False) if len(parts) > 1 else (parts or [sp.S.One])[0]


def _is_negative(e: Any, point: dict[Any, Any]) -> bool:
    try:
        return bool(sp.N(e.xreplace(point), 15) < 0)
    except (TypeError, ValueError):
        return False


def _random_point(step: Any) -> dict[Any, Any]:
    """Return random values of a step's symbols that satisfy its hypotheses if any are found."""
    given = [*step.context.hypotheses, *step.context.granted]
    symbols = sorted(step.statement.free_symbols.union(*(h.free_symbols for h in given)), key=str)
    rng, point = random.Random(1), {}
    for _ in range(300):
        point = {
            x: sp.Integer(rng.randint(1, 9)) if x.is_integer
            else sp.Rational(rng.randint(1 if x.is_positive else -99, 99), 100) for x in symbols
        }  # fmt: skip
        try:
            if all(h.xreplace(point) == True for h in given):  # noqa: E712
                break
        except (TypeError, ValueError):
            continue
    return point

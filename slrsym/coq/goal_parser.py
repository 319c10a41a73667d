"""Parser of Coq goals, to verify that they state what the steps of claims state.

A printer that prints something else proves something else. This reader shares nothing with it but
the table of names: text and SymPy's expressions both become plain tuples, without a rule of algebra
but those of writing: sums and products have no order, ``a / b`` is a power of b, ``sqrt b``
another.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from typing import Any

import sympy as sp

from slrsym.coq.goals import CoqGoal
from slrsym.coq.printing import FUNCTIONS

_TOKEN = re.compile(r"\s*(<->|->|=>|/\\|\\/|<=|<>|[A-Za-z_][\w']*|\d+|[-+*/^()=<,:])")
# Binary operators: how tightly they bind, and whether they group to the right.
_BINDING = {
    "<->": (1, False), "->": (2, True), "\\/": (3, True), "/\\": (4, True), "=": (5, False),
    "<>": (5, False), "<=": (5, False), "<": (5, False), "+": (6, False), "-": (6, False),
    "*": (7, False), "/": (7, False), "^": (9, True),
}  # fmt: skip
_UNARY = 8


class CoqGoalMismatchError(ValueError):
    """Error raised if a Coq goal's text is malformed, or does not state its step or claim."""


# -- plain tuples ---------------------------------------------------------------------------------


def _sum_or_product(head: str, parts: Iterable[Any]) -> Any:
    flat: list[Any] = []
    number = Fraction(0 if head == "+" else 1)
    for part in parts:
        for p in part[1:] if part[0] == head else (part,):
            if p[0] == "n":
                number = number + p[1] if head == "+" else number * p[1]
            else:
                flat.append(p)
    if not flat or number != (0 if head == "+" else 1):
        flat.append(("n", number))
    return flat[0] if len(flat) == 1 else (head, *sorted(flat, key=repr))


def _power_of(base: Any, exponent: Fraction) -> Any:
    if exponent == 1:
        return base
    if base[0] == "n" and exponent.denominator == 1 and base[1]:
        return ("n", base[1] ** int(exponent))
    if base[0] == "^" and exponent.denominator == 1:
        return _power_of(base[1], base[2] * exponent)
    return ("^", base, exponent)


def _with_sorted_parts(head: str, *parts: Any) -> Any:
    flat = [q for p in parts for q in (p[1:] if p[0] == head else (p,))]
    return (head, *sorted(flat, key=repr))


# -- from text ------------------------------------------------------------------------------------


class _CoqGoalParser:
    """Recursive-descent parser of the text of a Coq goal to nested tuples."""

    def __init__(self, text: str) -> None:
        self.tokens: list[str] = []
        at = 0
        text = text.rstrip()
        while at < len(text):
            found = _TOKEN.match(text, at)
            if found is None:
                raise CoqGoalMismatchError(f"no word of the goals: {text[at : at + 20]!r}")
            self.tokens.append(found[1])
            at = found.end()
        self.tokens.append("")  # the end
        self.place, self.bound = 0, list[str]()

    def peek(self) -> str:
        return self.tokens[self.place]

    def take(self, wanted: str = "") -> str:
        token = self.peek()
        if not token or (wanted and token != wanted):
            raise CoqGoalMismatchError(f"{wanted or 'a word'} is expected, not {token!r}")
        self.place += 1
        return token

    def expression(self, least: int = 0) -> Any:
        left = self.prefix()
        while True:
            binding, right = _BINDING.get(self.peek(), (-1, False))
            if binding < least:
                return left
            operator = self.take()
            left = _binary_operation(
                operator, left, self.expression(binding if right else binding + 1)
            )

    def prefix(self) -> Any:
        if self.peek() == "-":
            self.take()
            return _sum_or_product("*", [("n", Fraction(-1)), self.expression(_UNARY)])
        if self.peek() == "/":
            self.take()
            return _power_of(self.expression(_UNARY), Fraction(-1))
        if self.peek() == "forall":
            return self.quantified()
        return self.application()

    def quantified(self) -> Any:
        self.take("forall")
        names: list[tuple[str, int]] = []
        while self.peek() != ",":
            grouped = self.peek() == "("
            if grouped:
                self.take("(")
            here = [self.take()]
            while self.peek() != ":":
                here.append(self.take())
            self.take(":")
            self.take("R")
            arrows = 0
            while self.peek() == "->":
                self.take()
                self.take("R")
                arrows += 1
            if grouped:
                self.take(")")
            names += [(name, arrows) for name in here]
        self.take(",")
        return ("forall", tuple(names), self.expression())

    def application(self) -> Any:
        head = self.atom()
        arguments = []
        while (first := self.peek()[:1]).isalnum() or first in ("(", "_"):
            arguments.append(self.atom())
        if not arguments:
            return head
        if head == ("v", "sqrt"):
            return _power_of(arguments[0], Fraction(1, 2))
        if head[0] == "fun":
            return ("at", head[1], *arguments)
        if head[0] == "v" and head[1] in ("Rmax", "Rmin"):
            return _with_sorted_parts(head[1], *arguments)
        return ("call", head, *arguments)

    def atom(self) -> Any:
        token = self.take()
        if token == "(":
            inner = self.function() if self.peek() == "fun" else self.expression()
            self.take(")")
            return inner
        if token.isdigit():
            return ("n", Fraction(int(token)))
        if not re.match(r"[A-Za-z_]", token) or token in ("fun", "forall"):
            raise CoqGoalMismatchError(f"a term cannot begin with {token!r}")
        if token in self.bound:
            return ("b", self.bound[::-1].index(token))
        return ("v", token)

    def function(self) -> Any:
        self.take("fun")
        name = self.take()
        for word in (":", "R", "=>"):
            self.take(word)
        self.bound.append(name)
        body = self.function() if self.peek() == "fun" else self.expression()
        self.bound.pop()
        return ("fun", body)


def _binary_operation(operator: str, a: Any, b: Any) -> Any:
    if operator in ("+", "*"):
        return _sum_or_product(operator, [a, b])
    if operator == "-":
        return _sum_or_product("+", [a, _sum_or_product("*", [("n", Fraction(-1)), b])])
    if operator == "/":
        return _sum_or_product("*", [a, _power_of(b, Fraction(-1))])
    if operator == "^":
        if b[0] != "n":
            raise CoqGoalMismatchError("an exponent that is no number")
        return _power_of(a, b[1])
    if operator in ("=", "<>", "/\\", "\\/", "<->"):
        return _with_sorted_parts(operator, a, b)
    return (operator, a, b)


# -- from SymPy -----------------------------------------------------------------------------------


class _TupleConverter:
    """Converter of SymPy expressions to nested tuples, with symbols named by a table."""

    def __init__(self, names: Mapping[Any, str]) -> None:
        if len(set(names.values())) != len(names):
            raise CoqGoalMismatchError("one name for two things")
        self.names = names
        self.opaque = {e for e in names if not isinstance(e, sp.Symbol | sp.IndexedBase)}
        self._seen: dict[Any, Any] = {}

    def __call__(self, e: Any, bound: tuple[Any, ...] = ()) -> Any:
        """Convert an expression or a statement to a tuple, with a cache."""
        at = (e, bound)
        if at not in self._seen:
            self._seen[at] = self._convert(e, bound)
        return self._seen[at]

    def _convert(self, e: Any, bound: tuple[Any, ...]) -> Any:
        def all_of(parts: Iterable[Any]) -> list[Any]:
            return [self(p, bound) for p in parts]

        if isinstance(e, sp.Symbol | sp.IndexedBase):
            if e in bound:
                return ("b", bound[::-1].index(e))
            return ("v", self.names.get(e, f"?{e}"))
        if e in self.opaque and not e.free_symbols & set(bound):
            return ("v", self.names[e])
        if isinstance(e, sp.Rational):
            return ("n", Fraction(int(e.p), int(e.q)))
        if e is sp.pi:
            return ("v", "PI")
        if e is sp.E:
            return ("call", ("v", "exp"), ("n", Fraction(1)))
        if isinstance(e, sp.Add | sp.Mul):
            return _sum_or_product("+" if isinstance(e, sp.Add) else "*", all_of(e.args))
        if isinstance(e, sp.Pow) and isinstance(e.exp, sp.Rational):
            return _power_of(self(e.base, bound), Fraction(int(e.exp.p), int(e.exp.q)))
        if isinstance(e, sp.Max | sp.Min):
            return _with_sorted_parts("Rmax" if isinstance(e, sp.Max) else "Rmin", *all_of(e.args))
        if isinstance(e, sp.Indexed):
            return ("call", *all_of([e.base, *e.indices]))
        if isinstance(e, sp.erfc):
            erf = ("call", ("v", "erf"), *all_of(e.args))
            return _sum_or_product(
                "+", [("n", Fraction(1)), _sum_or_product("*", [("n", Fraction(-1)), erf])]
            )
        if type(e).__name__ in FUNCTIONS:
            return ("call", ("v", FUNCTIONS[type(e).__name__]), *all_of(e.args))
        if isinstance(e, sp.Derivative):
            order = [x for x, n in e.variable_count for _ in range(int(n))]
            found = self(e.expr, (*bound, *order[::-1]))
            for k, x in enumerate(order):
                around = (*bound, *order[:k:-1])
                found = ("call", ("v", "Derive"), ("fun", found), self(x, around))
            return found
        if isinstance(e, sp.Subs):
            found = self(e.expr, (*bound, *e.variables))
            for _ in e.variables[1:]:
                found = ("fun", found)
            return ("at", found, *all_of(e.point))
        if isinstance(e, sp.Sum | sp.Integral):
            ((x, low, high),) = e.limits
            word = ("v", "Sum" if isinstance(e, sp.Sum) else "RInt")
            return ("call", word, ("fun", self(e.function, (*bound, x))), *all_of([low, high]))
        return self._statement(e, all_of)

    def _statement(self, e: Any, all_of: Any) -> Any:
        if isinstance(e, sp.Eq | sp.Ne):
            return _with_sorted_parts("=" if isinstance(e, sp.Eq) else "<>", *all_of(e.args))
        if isinstance(e, sp.Le | sp.Lt | sp.Ge | sp.Gt):
            sides = all_of(e.args)
            sides = sides if isinstance(e, sp.Le | sp.Lt) else sides[::-1]
            return ("<=" if isinstance(e, sp.Le | sp.Ge) else "<", *sides)
        for kind, word in ((sp.And, "/\\"), (sp.Or, "\\/"), (sp.Equivalent, "<->")):
            if isinstance(e, kind):
                return _with_sorted_parts(word, *all_of(e.args))
        if isinstance(e, sp.Implies):
            return ("->", *all_of(e.args))
        raise CoqGoalMismatchError(f"{type(e).__name__} is read as nothing")


# -- what a goal says -----------------------------------------------------------------------------


def _split_into_premises(p: Any) -> tuple[tuple[tuple[str, int], ...], list[Any], Any]:
    """Split a parsed Coq statement into quantified variables, premises and conclusion."""
    names: tuple[tuple[str, int], ...] = ()
    if p[0] == "forall":
        _, names, p = p
    premises = []
    while p[0] == "->":
        premises.append(p[1])
        p = p[2]
    return names, premises, p


def _assumptions_of_symbol(x: Any, name: str, indices: int = 0) -> list[Any]:
    """Return the assumptions of a symbol, or of all terms of a sequence, as tuples."""
    zero, me = ("n", Fraction(0)), ("v", name)
    if isinstance(x, sp.IndexedBase):
        places = [("i" + "'" * k, 0) for k in range(indices)]
        term = ("call", me, *(("v", place) for place, _ in places))
        sign = "<" if x.label.is_positive else "<=" if x.label.is_nonnegative else ""
        return [("forall", tuple(places), (sign, zero, term))] if sign else []
    if not isinstance(x, sp.Symbol):
        return []
    found = []
    for holds, p in (
        (x.is_positive, ("<", zero, me)), (x.is_negative, ("<", me, zero)),
        (x.is_nonnegative, ("<=", zero, me)), (x.is_nonpositive, ("<=", me, zero)),
        (x.is_nonzero, _with_sorted_parts("<>", zero, me)),
    ):  # fmt: skip
        found += [p] if holds else []
    whole = [("call", ("v", "is_int"), me)] if x.is_integer else []
    return [*found[:1], *whole]


def coq_goal_to_tuples(text: str) -> Any:
    """Parse the text of a Coq goal into nested tuples; raise an error if it is malformed."""
    parser = _CoqGoalParser(text)
    found = parser.expression()
    if parser.peek():
        raise CoqGoalMismatchError(f"{parser.peek()!r} is left over")
    return found


def require_goal_states_step(goal: CoqGoal) -> None:
    """Raise an error if the text of a Coq goal does not state its step, or supposes more."""
    walk = _TupleConverter(goal.printer.names)
    variables, premises, conclusion = _split_into_premises(coq_goal_to_tuples(goal.text))
    if conclusion[0] == "->" or (isinstance(goal.step.statement, sp.Implies)):
        premises, conclusion = _move_last_premise_to_conclusion(
            premises, conclusion, goal.step.statement
        )
    if conclusion != walk(goal.step.statement):
        raise CoqGoalMismatchError(f"{goal.name} concludes {conclusion}")
    own = list(_convertible_hypotheses(walk, _hypotheses_of_step(goal.step)))
    allowed = [*own, *(("v", f"claim_{id.replace('-', '_')}") for id in goal.step.uses)]
    symbols = {name: x for x, name in goal.printer.names.items()}
    for name, indices in variables:
        allowed += _assumptions_of_symbol(symbols[name], name, indices)
    supposed = _hypotheses_of_step(goal.step)
    facts = [_step_as_fact(walk, other, supposed, own, symbols) for other in goal.facts]
    for premise in premises:
        if premise not in allowed and not any(_is_fact(premise, *f) for f in facts):
            raise CoqGoalMismatchError(f"{goal.name} supposes {premise}")


def _move_last_premise_to_conclusion(
    premises: list[Any], conclusion: Any, statement: Any
) -> tuple[Any, Any]:
    if not isinstance(statement, sp.Implies) or not premises:
        raise CoqGoalMismatchError("an implication that the step does not state")
    return premises[:-1], ("->", premises[-1], conclusion)


def _hypotheses_of_step(step: Any) -> list[Any]:
    return list(dict.fromkeys((*step.context.hypotheses, *step.context.granted)))


def _convertible_hypotheses(walk: _TupleConverter, hypotheses: Iterable[Any]) -> Iterator[Any]:
    """Yield hypotheses as tuples; skip those that cannot be converted."""
    for h in hypotheses:
        with suppress(CoqGoalMismatchError, ValueError):
            yield walk(h)


def _step_as_fact(
    walk: _TupleConverter, other: Any, supposed: Sequence[Any], own: Sequence[Any],
    symbols: Mapping[str, Any],
) -> tuple[Any, list[Any], Mapping[str, Any]]:  # fmt: skip
    """Return an earlier step as tuples: statement, premises that a goal lacks, and symbols.

    A premise that the step supposes as well, such as a recursion, need not be read.
    """
    needs = [walk(h) for h in _hypotheses_of_step(other) if h not in supposed]
    return walk(other.statement), [h for h in needs if h not in own], symbols


def _is_fact(premise: Any, said: Any, needs: list[Any], symbols: Mapping[str, Any]) -> bool:
    """Return whether a Coq goal's premise is an earlier step's statement with its premises."""
    names, given, conclusion = _split_into_premises(premise)
    if said[0] == "->":
        given, conclusion = given[:-1], ("->", given[-1], conclusion) if given else conclusion
    for name, _ in names:
        x = symbols.get(name)
        if not isinstance(x, sp.Symbol):
            return False
        if any(
            x in e.free_symbols
            for e in symbols.values()
            if not isinstance(e, sp.Symbol | sp.IndexedBase)
        ):
            return False
        needs = [*needs, *_assumptions_of_symbol(x, name)]
    return bool(conclusion == said and all(h in given for h in needs))


def require_coq_text_states_claim(text: str, claim: Any, names: Mapping[Any, str]) -> None:
    """Raise `CoqGoalMismatchError` unless a Coq text states a claim with exactly its hypotheses."""
    walk = _TupleConverter(names)
    variables, premises, conclusion = _split_into_premises(coq_goal_to_tuples(text))
    if isinstance(claim.statement, sp.Implies):
        premises, conclusion = _move_last_premise_to_conclusion(
            premises, conclusion, claim.statement
        )
    if conclusion != walk(claim.statement):
        raise CoqGoalMismatchError(f"claim {claim.id} says {conclusion}")
    symbols = {name: x for x, name in names.items()}
    wanted = [walk(h) for h in claim.hypotheses]
    for name, indices in variables:
        wanted += _assumptions_of_symbol(symbols[name], name, indices)
    meaningful = [
        walk(kind(node.base, 0, evaluate=False))
        for h in claim.hypotheses
        for node in sp.preorder_traversal(h)
        if isinstance(node, sp.Pow)
        for kind in (sp.Ge, sp.Gt, sp.Ne)
    ]
    for premise in premises:
        if premise not in wanted and premise not in meaningful:
            raise CoqGoalMismatchError(f"claim {claim.id} supposes {premise}")
    for premise in wanted:
        if premise not in premises:
            raise CoqGoalMismatchError(f"claim {claim.id} does not suppose {premise}")

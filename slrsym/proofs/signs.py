"""The sign of an expression under assumptions: a sound procedure that may fail to decide.

An expression is examined as it stands, by its range (see `slrsym.proofs.ranges`), and as a quotient
of polynomials in *generators*: symbols, roots, and values of functions. The signs of the
irreducible factors are found one by one, by rules. Every rule is valid at each single point of the
domain, whatever relations there are between the generators.

No rule is applied to an expression that may be undefined somewhere on the domain.

A question that is met again while it is being asked is answered by what is known without it. The
number of questions that one leads to is limited; what was found out after the limit was met is
forgotten afterwards, since it may be less than could be known.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache, reduce
from operator import mul
from typing import Any

import sympy as sp
from sympy import Abs, Add, Basic, Dummy, Expr, Ge, Gt, Le, Lt, Mul, Poly, Pow
from sympy.core.relational import Relational
from sympy.logic.boolalg import And, Or, false

from slrsym.gaussian.functions import OwensT, erf_prime, erf_second, zeta
from slrsym.proofs.generators import Generators, Quotient, is_small, polynomial, ratio
from slrsym.proofs.intervals import (
    NONNEGATIVE,
    NONZERO,
    POSITIVE,
    UNKNOWN,
    ZERO,
    NoRange,
    RealInterval,
    Sign,
)
from slrsym.proofs.ranges import GivenValues, RangeFinder
from slrsym.proofs.sign_rules import ODD, RULES, RULES_FOR_LARGE, by_integers, by_terms
from slrsym.statements.expressions import bound_symbols

_MOST_QUESTIONS = 120
_DEEPEST = 9


class Inquiry:
    """The questions that are being asked, and what was found out by leaving some unanswered."""

    def __init__(self) -> None:
        self._busy: set[Any] = set()
        self._questions = 0
        # Whether a question was left unanswered, so that answers are to be forgotten in the end.
        self._cut = False
        self._provisional: list[tuple[dict[Any, Any], Basic]] = []

    def restart(self) -> None:
        self._questions = 0
        self._cut = False
        self._busy.clear()
        for memory, key in self._provisional:
            memory.pop(key, None)
        self._provisional.clear()

    def begin(self, key: Any) -> bool:
        """Whether a question may be looked into now; if so, it has to be ended afterwards."""
        too_much = self._questions >= _MOST_QUESTIONS or len(self._busy) >= _DEEPEST
        if key in self._busy or too_much:
            self._cut = True
            return False
        self._questions += 1
        self._busy.add(key)
        return True

    def end(self, key: Any) -> None:
        self._busy.discard(key)

    def keep(self, memory: dict[Any, Any], key: Basic, found: Any) -> None:
        """Remember an answer, at least for this round."""
        memory[key] = found
        if self._cut:
            self._provisional.append((memory, key))


_LONGEST_END = 32
# Real numbers wherever their arguments are.
_EVERYWHERE = (
    Add,
    Mul,
    Abs,
    sp.exp,
    sp.erf,
    sp.erfc,
    erf_prime,
    erf_second,
    sp.atan,
    sp.sin,
    sp.cos,
    OwensT,
    zeta,
)


class Decider(RangeFinder):
    """What is known of signs and ranges under facts."""

    def __init__(self, facts: GivenValues) -> None:
        super().__init__(facts)
        self.generators = Generators()
        self.statements: list[tuple[Poly, Sign]] = []
        self.factor_signs: dict[Poly, Sign] = {}
        self._answers: dict[Expr, Sign] = {}
        self._signs: dict[Expr, Sign] = {}
        self.inquiry = Inquiry()
        self._prepare()

    def _prepare(self) -> None:
        """Translate the hypotheses; those whose domain others secure, in a second round."""
        for _ in range(2):
            self.statements = statements(self)
            for memory in (self._known, self._signs, self.factor_signs):
                memory.clear()
            self.inquiry.restart()

    def _remember(self, expr: Expr, found: RealInterval) -> None:
        self.inquiry.keep(self._known, expr, found)

    # -- ranges --------------------------------------------------------------------------------

    def nonzero(self, expr: Expr) -> bool:
        return self.sign(expr).nonzero

    def refined(self, expr: Expr, found: RealInterval) -> RealInterval:
        if not isinstance(expr, Add) or found.positive or found.negative or found.zero:
            return found
        known = self._of_sum(expr, Sign.of_range(found))
        return found.within(known.range)

    def require_defined(self, expr: Expr) -> None:
        """Refuse an expression that may be undefined; its own sign is not asked for."""
        if isinstance(expr, _EVERYWHERE):
            for part in expr.args:
                self.require_defined(part)
        elif isinstance(expr, Pow) and isinstance(expr.exp, sp.Integer) and expr.exp > 0:
            self.require_defined(expr.base)
        else:
            self.range(expr)

    def radicand(self, expr: Expr) -> RealInterval:
        found = self.range(expr)
        return found if found.nonnegative else found.within(self.sign(expr).range)

    def sine(self, expr: Expr) -> RealInterval:
        found = self.range(expr)
        for side in (1, -1):
            below = self.sign(1 - side * expr)
            if below.nonnegative:
                least = RealInterval(-sp.oo, 1, high_open=below.positive)
                found = found.within(least if side == 1 else -least)
        return found

    # -- questions from outside, each in a round of its own ------------------------------------

    def answer(self, expr: Any) -> Sign:
        """What is certain of the sign of an expression; remembered."""
        expr = sp.sympify(expr)
        if expr not in self._answers:
            self.inquiry.restart()
            self._answers[expr] = self.sign(expr)
        return self._answers[expr]

    def is_defined(self, *parts: Expr) -> bool:
        """Whether expressions are certainly real numbers, all over the domain."""
        self.inquiry.restart()
        try:
            for part in parts:
                self.require_defined(part)
        except NoRange:
            return False
        return True

    def holds(self, relation: Any) -> bool:
        relation = sp.sympify(relation)
        if relation in (sp.true, false):
            return relation is sp.true
        if relation in self.facts.given or relation in self.facts.relations:
            return True
        if isinstance(relation, And):
            return all(map(self.holds, relation.args))
        if isinstance(relation, Or):
            return any(map(self.holds, relation.args))
        sides = relation.args
        if not isinstance(relation, Relational) or not all(isinstance(s, Expr) for s in sides):
            return False
        finite = [side for side in sides if side not in (sp.oo, -sp.oo)]
        if not self.is_defined(*finite):
            return False
        if len(finite) < 2:
            low, high = sides if isinstance(relation, Lt | Le) else sides[::-1]
            beyond = (high is sp.oo and low is not sp.oo) or (low is -sp.oo and high is not -sp.oo)
            return isinstance(relation, Lt | Le | Gt | Ge) and beyond
        sign = self.answer(relation.lhs - relation.rhs)
        verdicts = {
            sp.Eq: sign.zero,
            sp.Ne: sign.nonzero,
            Lt: sign.negative,
            Le: sign.nonpositive,
            Gt: sign.positive,
            Ge: sign.nonnegative,
        }
        return verdicts[type(relation)]

    # -- expressions ---------------------------------------------------------------------------

    def sign(self, expr: Expr) -> Sign:
        if expr in self._signs:
            return self._signs[expr]
        try:
            found = Sign.of_range(self.range(expr))
        except NoRange:
            return UNKNOWN
        if not found.decided:
            found = self._by_structure(expr, found)
        if not found.decided and isinstance(expr, Add | Mul | Pow):
            found = self._of_sum(expr, found)
        elif not found.decided:
            found &= self._stated(polynomial(self.generators.atomised(expr)))
        if not found.decided:
            found &= self._by_values(expr)
        self.inquiry.keep(self._signs, expr, found)
        return found

    def _by_structure(self, expr: Expr, found: Sign) -> Sign:
        if getattr(expr, "is_nonzero", None) is True and not expr.args:
            found &= NONZERO
        if expr in self.facts.nonzeros or -expr in self.facts.nonzeros:
            found &= NONZERO
        if isinstance(expr, Mul):
            found &= reduce(mul, map(self.sign, expr.args))
        elif isinstance(expr, Pow) and isinstance(expr.exp, sp.Rational):
            base = self.sign(expr.base)
            if expr.exp.is_Integer:
                found &= base ** int(expr.exp)
            elif base.nonzero:
                found &= POSITIVE
        elif isinstance(expr, (*ODD, OwensT)):
            found &= self.sign(expr.args[-1])
        elif isinstance(expr, Abs) and self.sign(expr.args[0]).nonzero:
            found &= POSITIVE
        return found

    def _by_values(self, expr: Expr) -> Sign:
        """The sign after replacing symbols that are given a value by an equation."""
        for symbol, value in self.facts.values:
            captured = {symbol, *value.free_symbols} & bound_symbols(expr)
            if symbol not in expr.free_symbols or captured:
                continue
            if not self.inquiry.begin(("value", expr, symbol)):
                continue
            try:
                self.range(value)
                found = self.sign(expr.xreplace({symbol: value}))
            except NoRange:
                found = UNKNOWN
            self.inquiry.end(("value", expr, symbol))
            if found != UNKNOWN:
                return found
        return UNKNOWN

    def _of_sum(self, expr: Expr, found: Sign) -> Sign:
        """What the expression as a fraction says of its sign, besides what is known already."""
        if not self.inquiry.begin(expr):
            return found
        try:
            atomised = self.generators.atomised(expr)
            for variant in dict.fromkeys((atomised, self.generators.rationalised(atomised))):
                fraction = self.generators.fraction(variant)
                for form in (fraction, fraction and self.generators.reduced(fraction)):
                    if form is not None and not found.decided:
                        found &= self.of_fraction(form)
        finally:
            self.inquiry.end(expr)
        return found

    # -- fractions and their factors -----------------------------------------------------------

    def of_fraction(self, fraction: Quotient) -> Sign:
        top = self.of_polynomial(fraction.top)
        return top if top.zero else top * (NONZERO & self.of_polynomial(fraction.bottom))

    def of_polynomial(self, p: Poly) -> Sign:
        if p.is_ground:
            return Sign.of_number(p.as_expr())
        constant, factors = self.generators.factors(p)
        found = Sign.of_number(constant)
        for factor, n in factors:
            found *= self.of_factor(factor) ** n
        # An unfactored hypothesis may say more than the factors do.
        return found if found.decided else found & self._stated(p) & by_integers(self, p)

    def of_factor(self, p: Poly) -> Sign:
        if p in self.factor_signs:
            return self.factor_signs[p]
        found = self._stated(p)
        if len(p.terms()) == 1:
            return found & by_terms(self, p)
        if found.decided or not self.inquiry.begin(("factor", p)):
            return found
        for rule in RULES if is_small(p) else RULES_FOR_LARGE:
            try:
                more = rule(self, p)
            except NoRange:
                continue
            found &= more
            if found.decided:
                break
        self.inquiry.end(("factor", p))
        self.inquiry.keep(self.factor_signs, p, found)
        return found

    def of_generator(self, g: Dummy) -> Sign:
        return self.sign(self.generators.meaning[g])

    def range_of_generator(self, g: Dummy) -> RealInterval:
        return self.range(self.generators.meaning[g])

    def short_range_of_generator(self, g: Dummy) -> RealInterval:
        """The range of a generator, widened to ends that are short enough to calculate with."""
        return self.range_of_generator(g).shortened(_LONGEST_END)

    def _stated(self, p: Poly) -> Sign:
        """The sign that a hypothesis tells of a polynomial, up to a constant factor."""
        found = UNKNOWN
        for q, sign in self.statements:
            factor = ratio(p, q)
            if factor is not None:
                found &= sign * Sign.of_number(factor)
        return found


def statements(decider: Decider) -> list[tuple[Poly, Sign]]:
    """The hypotheses, as signs of polynomials.

    A hypothesis counts where it is certainly defined, which may follow from other ones.
    """
    found = list(_translated(decider))
    return found + list(_quotients(decider, found))


def _translated(decider: Decider) -> Iterator[tuple[Poly, Sign]]:
    stated = [
        *((e, POSITIVE if strict else NONNEGATIVE) for e, strict in decider.facts.inequalities),
        *((e, ZERO) for e in decider.facts.zeros),
        *((e, NONZERO) for e in decider.facts.nonzeros),
    ]
    for expr, sign in stated:
        try:
            decider.require_defined(expr)
        except NoRange:
            continue
        fraction = decider.generators.fraction(decider.generators.atomised(expr))
        for form in dict.fromkeys((fraction, fraction and decider.generators.reduced(fraction))):
            if form is not None and not form.top.is_ground:
                yield form.top, sign * (NONZERO & decider.of_polynomial(form.bottom))


def _quotients(decider: Decider, stated: list[tuple[Poly, Sign]]) -> Iterator[tuple[Poly, Sign]]:
    """The signs of single factors, where those of the others are known."""
    for p, sign in stated:
        constant, factors = decider.generators.factors(p)
        for i, (factor, n) in enumerate(factors):
            others = Sign.of_number(constant)
            for j, (other, m) in enumerate(factors):
                if i != j:
                    others *= decider.of_factor(other) ** m
            if not others.nonzero and not sign.nonzero:
                continue
            if sign.nonzero:
                others &= NONZERO
            quotient = sign * others
            if n % 2 == 0:
                quotient = quotient if quotient.zero or quotient.nonzero else UNKNOWN
                quotient = NONZERO if quotient.nonzero else quotient
            if quotient != UNKNOWN:
                yield factor, quotient


@lru_cache(maxsize=64)
def decider_of(facts: GivenValues) -> Decider:
    """What decides under these facts; the same for equal ones, so that it remembers."""
    return Decider(facts)

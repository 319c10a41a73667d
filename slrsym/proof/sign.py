r"""The sign of an expression under assumptions: a sound procedure that may fail to decide.

An expression is examined as it stands, by its range (see `ranges`), and as a quotient of
polynomials in *generators*: symbols, roots, and values of functions. The signs of the irreducible
factors are found one by one, by the rules of `_RULES`. Every rule is valid at each single point of
the domain, whatever relations there are between the generators.

No rule is applied to an expression that may be undefined somewhere on the domain.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache, reduce
from itertools import combinations_with_replacement
from operator import add, mul
from typing import Any

from sympy import (
    QQ,
    Abs,
    Add,
    Basic,
    Dummy,
    Eq,
    Expr,
    Ge,
    Gt,
    Integer,
    Le,
    Lt,
    Max,
    Min,
    Mul,
    Ne,
    Poly,
    Pow,
    Rational,
    S,
    Symbol,
    acos,
    asin,
    atan,
    erf,
    erfc,
    exp,
    log,
    oo,
    sinh,
    sympify,
    tanh,
)
from sympy.core.relational import Relational
from sympy.logic.boolalg import And, Or, false, true
from sympy.polys.fields import FracField
from sympy.polys.orderings import lex
from sympy.polys.polyerrors import BasePolynomialError

from slrsym.gaussian.functions import OwensT, normal_cdf
from slrsym.proof.ranges import Enclosure, Facts, NoRange, Range

__all__ = ["Facts", "Sign", "explain", "holds", "is_nonzero", "sign_of"]

_MOST_OPERATIONS = 400
_HIGHEST_POWER = 24
_MOST_TERMS = 80
_MOST_QUESTIONS = 120
_HIGHEST_DEGREE = 12
_LONGEST_COEFFICIENT = 256
_LONGEST_END = 32
_DEEPEST = 9
_MOST_CANDIDATES = 40
_MOST_FOR_PRODUCTS = 8


# -- signs -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Sign:
    """The signs that a real number may have, as a non-empty subset of {-1, 0, 1}.

    Examples
    --------
    >>> NONNEGATIVE * NEGATIVE
    Sign(<= 0)
    >>> (POSITIVE + NONNEGATIVE).positive
    True
    """

    possible: frozenset[int] = frozenset({-1, 0, 1})

    @property
    def positive(self) -> bool:
        """Certainly > 0."""
        return self.possible == {1}

    @property
    def nonnegative(self) -> bool:
        """Certainly >= 0."""
        return -1 not in self.possible

    @property
    def negative(self) -> bool:
        """Certainly < 0."""
        return self.possible == {-1}

    @property
    def nonpositive(self) -> bool:
        """Certainly <= 0."""
        return 1 not in self.possible

    @property
    def zero(self) -> bool:
        """Certainly 0."""
        return self.possible == {0}

    @property
    def nonzero(self) -> bool:
        """Certainly not 0."""
        return 0 not in self.possible

    @property
    def decided(self) -> bool:
        """Whether a single sign is left."""
        return len(self.possible) == 1

    def __neg__(self) -> Sign:
        return Sign(frozenset(-s for s in self.possible))

    def __mul__(self, other: Sign) -> Sign:
        return Sign(frozenset(x * y for x in self.possible for y in other.possible))

    def __add__(self, other: Sign) -> Sign:
        found: set[int] = set()
        for x in self.possible:
            for y in other.possible:
                found |= {-1, 0, 1} if x * y < 0 else {x or y}
        return Sign(frozenset(found))

    def __pow__(self, n: int) -> Sign:
        return POSITIVE if n == 0 else Sign(frozenset(s if n % 2 else s * s for s in self.possible))

    def __and__(self, other: Sign) -> Sign:
        """Both pieces of knowledge; the first alone if they contradict each other."""
        both = self.possible & other.possible
        return Sign(both) if both else self

    @property
    def relation(self) -> str:
        """How a number of this sign compares with zero, in words or symbols."""
        return _RELATIONS[self.possible]

    def __repr__(self) -> str:
        return f"Sign({self.relation})"

    @classmethod
    def of_range(cls, found: Range) -> Sign:
        """The signs of the numbers in an interval."""
        return cls(
            frozenset(
                s
                for s, absent in (
                    (-1, found.nonnegative),
                    (0, not found.contains_zero),
                    (1, found.nonpositive),
                )
                if not absent
            )
        )

    @property
    def range(self) -> Range:
        """The least interval that contains the numbers of this sign."""
        low, high = min(self.possible), max(self.possible)
        return Range(-oo if low < 0 else 0, oo if high > 0 else 0, low > 0, high < 0)


UNKNOWN = Sign()
POSITIVE, NEGATIVE, ZERO = (Sign(frozenset({s})) for s in (1, -1, 0))
NONNEGATIVE, NONPOSITIVE = Sign(frozenset({0, 1})), Sign(frozenset({-1, 0}))
NONZERO = Sign(frozenset({-1, 1}))
_RELATIONS = {
    UNKNOWN.possible: "unknown",
    POSITIVE.possible: "> 0",
    NEGATIVE.possible: "< 0",
    ZERO.possible: "= 0",
    NONNEGATIVE.possible: ">= 0",
    NONPOSITIVE.possible: "<= 0",
    NONZERO.possible: "!= 0",
}

# Strictly increasing on the whole of their domains, which are intervals.
_INCREASING = (erf, normal_cdf, atan, asin, tanh, sinh, log)
_DECREASING = (erfc, acos)
_ODD = (erf, atan, asin, tanh, sinh)


# -- polynomials in generators -----------------------------------------------------------------


# The coefficients of a polynomial; a monomial is the set of its (generator, exponent).
_Terms = dict[frozenset[tuple[Dummy, int]], Any]


@dataclass(frozen=True)
class _Fraction:
    """A quotient of polynomials in generators, reduced."""

    top: Poly
    bottom: Poly


def _is_small(p: Poly) -> bool:
    """Whether a polynomial is such that factors and roots are found quickly."""
    lengths = (max(abs(c.p).bit_length(), c.q.bit_length()) for _, c in p.terms())
    return bool(p.total_degree() <= _HIGHEST_DEGREE and max(lengths) <= _LONGEST_COEFFICIENT)


def _is_constant(p: Poly) -> bool:
    return bool(p.is_ground)


def _value(p: Poly) -> Rational:
    """The value of a constant polynomial."""
    return p.as_expr()


def _sign_of_number(value: Expr) -> Sign:
    return ZERO if value == 0 else POSITIVE if value > 0 else NEGATIVE


def _polynomial(expr: Expr) -> Poly:
    """A polynomial in the generators that it contains; a constant has one that does not matter."""
    generators = sorted(expr.free_symbols, key=_order) or [_UNUSED]
    return Poly(expr, *generators, domain=QQ)


def _order(generator: Dummy) -> int:
    return int(generator.dummy_index)


_UNUSED = Dummy("unused")


def _key(p: Poly) -> Expr:
    return p.as_expr()


class _Generators:
    """The generators met so far: what each stands for, and the equations that roots obey."""

    def __init__(self) -> None:
        self.meaning: dict[Dummy, Expr] = {}
        self._by_key: dict[Any, Dummy] = {}
        # g: (q, b), which says that g**q = b.
        self.roots: dict[Dummy, tuple[int, Expr]] = {}

    def _generator(self, key: Any, meaning: Expr) -> Dummy:
        if key not in self._by_key:
            self._by_key[key] = Dummy("g")
            self.meaning[self._by_key[key]] = meaning
        return self._by_key[key]

    def atomised(self, expr: Expr) -> Expr:
        """The expression, rational in generators."""
        if isinstance(expr, Rational):
            return expr
        if isinstance(expr, Add | Mul):
            return expr.func(*map(self.atomised, expr.args))
        if isinstance(expr, exp):
            return self._exponential(expr.args[0])
        if isinstance(expr, Pow) and isinstance(expr.exp, Rational):
            base, power = expr.args
            if isinstance(power, Integer) and abs(power) <= _HIGHEST_POWER:
                return self.atomised(base) ** power
            if power.q > 1 and abs(power) <= _HIGHEST_POWER:
                whole, part = divmod(int(power.p), int(power.q))
                root = self._root(base, int(power.q))
                return self.atomised(base) ** whole * root**part
        if isinstance(expr, Abs):
            (u,) = expr.args
            square = self.canonical(u) ** 2
            g = self._generator((Abs, square), expr)
            self.roots.setdefault(g, (2, square))
            return g
        if expr.args and hasattr(expr, "is_Function") and expr.is_Function:
            return self._generator((expr.func, *map(self.canonical, expr.args)), expr)
        return self._generator(expr, expr)

    def _root(self, base: Expr, q: int) -> Expr:
        inner = self.canonical(base)
        g = self._generator((Pow, inner, q), Pow(base, Rational(1, q)))
        self.roots.setdefault(g, (q, inner))
        return g

    def _exponential(self, exponent: Expr) -> Expr:
        inner = self.canonical(exponent)
        content, primitive = inner.as_content_primitive()
        if not isinstance(content, Rational) or max(abs(content.p), content.q) > _HIGHEST_POWER:
            return self._generator((exp, inner), exp(exponent))
        if primitive.could_extract_minus_sign():
            content, primitive = -content, -primitive
        g = self._generator((exp, primitive, content.q), exp(exponent / content.p))
        return g**content.p

    def canonical(self, expr: Expr) -> Expr:
        """A reduced fraction in generators; the atomised expression if it is too large for that."""
        atomised = self.atomised(expr)
        fraction = self.fraction(atomised)
        if fraction is None:
            return atomised
        return fraction.top.as_expr() / fraction.bottom.as_expr()

    def fraction(self, atomised: Expr) -> _Fraction | None:
        """A reduced fraction; None if the expression is too large."""
        generators = sorted(atomised.free_symbols, key=_order)
        if atomised.count_ops() > _MOST_OPERATIONS:
            return None
        if not generators:
            if not atomised.is_Rational:
                return None
            return _Fraction(_polynomial(atomised), _polynomial(S.One))
        field = FracField(generators, QQ, lex)
        try:
            element = field.from_expr(atomised)
        except (ZeroDivisionError, ValueError, BasePolynomialError):
            return None
        top, bottom = (_polynomial(part.as_expr()) for part in (element.numer, element.denom))
        if len(top.terms()) > _MOST_TERMS or len(bottom.terms()) > _MOST_TERMS:
            return None
        return _Fraction(top, bottom)

    def reduced(self, fraction: _Fraction) -> _Fraction | None:
        """The fraction with no power of a root that could be written without it."""
        for _ in range(len(self.roots) + 1):
            high = [
                (g, q, b)
                for g, (q, b) in self.roots.items()
                if any(p.degree(g) >= q for p in (fraction.top, fraction.bottom) if g in p.gens)
            ]
            if not high:
                break
            g, q, b = high[-1]
            lowered = _lowered(fraction.top, g, q, b) / _lowered(fraction.bottom, g, q, b)
            following = self.fraction(lowered)
            if following is None:
                return None
            fraction = following
        return fraction

    def rationalised(self, atomised: Expr) -> Expr:
        """The expression with symbols written by means of roots: x by sqrt(1 + x), say."""
        for g in sorted(atomised.free_symbols, key=_order):
            if g not in self.roots:
                continue
            q, b = self.roots[g]
            present = list(b.free_symbols)
            if len(present) != 1 or not isinstance(self.meaning[present[0]], Symbol):
                continue
            (x,) = present
            slope = b.diff(x)
            if slope.is_Rational and x in atomised.free_symbols:
                atomised = atomised.xreplace({x: (g**q - b.xreplace({x: S.Zero})) / slope})
        return atomised

    def back(self, p: Poly) -> Expr:
        """What a polynomial stands for."""
        return p.as_expr().xreplace(self.meaning)


def _lowered(p: Poly, g: Dummy, q: int, b: Expr) -> Expr:
    if g not in p.gens:
        return p.as_expr()
    coefficients = Poly(p.as_expr(), g).terms()
    return Add(*(c * b ** (n // q) * g ** (n % q) for (n,), c in coefficients))


# -- decisions ---------------------------------------------------------------------------------


class _Decider(Enclosure):
    """Signs and ranges under facts, each helping the other."""

    def __init__(self, facts: Facts) -> None:
        super().__init__(facts)
        self.generators = _Generators()
        self.reasons: dict[Expr, str] = {}
        self._signs: dict[Expr, Sign] = {}
        self._factors: dict[Expr, Sign] = {}
        self._busy: set[Any] = set()
        self._questions = 0
        # Whether a question was left unanswered because it was being asked, or for lack of time;
        # what is found out afterwards may be less than could be, and is forgotten in the end.
        self._cut = False
        self._provisional: list[tuple[dict[Expr, Any], Expr]] = []
        # Polynomials in generators whose sign the hypotheses tell.
        self.statements: list[tuple[Poly, Sign]] = []
        self.prepare()

    # -- bookkeeping ---------------------------------------------------------------------------

    def restart(self) -> None:
        """Allow a new round of questions."""
        self._questions = 0
        self._cut = False
        self._busy.clear()
        for memory, key in self._provisional:
            memory.pop(key, None)
        self._provisional.clear()

    def _asking(self, key: Any) -> bool:
        """Whether a question may be looked into now; if so, `_busy` has to lose it afterwards."""
        too_much = self._questions >= _MOST_QUESTIONS or len(self._busy) >= _DEEPEST
        if key in self._busy or too_much:
            self._cut = True
            return False
        self._questions += 1
        self._busy.add(key)
        return True

    def radicand(self, expr: Expr) -> Range:
        found = self.range(expr)
        return found if found.nonnegative else found.within(self.sign(expr).range)

    def sine(self, expr: Expr) -> Range:
        found = self.range(expr)
        for side in (1, -1):
            below = self.sign(1 - side * expr)
            if below.nonnegative:
                least = Range(-oo, 1, high_open=below.positive)
                found = found.within(least if side == 1 else -least)
        return found

    def _remember(self, expr: Expr, found: Range) -> None:
        self._keep(self._known, expr, found)

    def _keep(self, memory: dict[Expr, Any], key: Expr, found: Any) -> None:
        memory[key] = found
        if self._cut:
            self._provisional.append((memory, key))

    def _because(self, expr: Expr, reason: str) -> None:
        self.reasons.setdefault(expr, reason)

    # -- expressions ---------------------------------------------------------------------------

    def nonzero(self, expr: Expr) -> bool:
        return self.sign(expr).nonzero

    def refined(self, expr: Expr, found: Range) -> Range:
        if not isinstance(expr, Add) or found.positive or found.negative or found.zero:
            return found
        known = self._of_sum(expr, Sign.of_range(found))
        return found.within(known.range)

    def sign(self, expr: Expr) -> Sign:
        """The sign of an expression; unknown wherever it may be undefined."""
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
            found &= self._stated(_polynomial(self.generators.atomised(expr)))
        if not found.decided:
            found &= self._by_values(expr)
        self._keep(self._signs, expr, found)
        return found

    def _by_structure(self, expr: Expr, found: Sign) -> Sign:
        if getattr(expr, "is_nonzero", None) is True and not expr.args:
            found &= NONZERO
        if expr in self.facts.nonzeros or -expr in self.facts.nonzeros:
            found &= NONZERO
        if isinstance(expr, Mul):
            found &= reduce(mul, map(self.sign, expr.args))
        elif isinstance(expr, Pow) and isinstance(expr.exp, Rational):
            base = self.sign(expr.base)
            if expr.exp.is_Integer:
                found &= base ** int(expr.exp)
            elif base.nonzero:
                found &= POSITIVE
        elif isinstance(expr, (*_ODD, OwensT)):
            found &= self.sign(expr.args[-1])
        elif isinstance(expr, Abs) and self.sign(expr.args[0]).nonzero:
            found &= POSITIVE
        return found

    def _by_values(self, expr: Expr) -> Sign:
        """The sign after replacing symbols that are given a value by an equation."""
        for symbol, value in self.facts.values:
            if symbol not in expr.free_symbols or _captures(expr, {symbol, *value.free_symbols}):
                continue
            if not self._asking(("value", expr, symbol)):
                continue
            try:
                self.range(value)
                found = self.sign(expr.xreplace({symbol: value}))
            except NoRange:
                found = UNKNOWN
            self._busy.discard(("value", expr, symbol))
            if found != UNKNOWN:
                self._because(expr, f"with {symbol} = {value}")
                return found
        return UNKNOWN

    def _of_sum(self, expr: Expr, found: Sign) -> Sign:
        """What the expression as a fraction says of its sign, besides what is known already."""
        if not self._asking(expr):
            return found
        try:
            atomised = self.generators.atomised(expr)
            for variant in dict.fromkeys((atomised, self.generators.rationalised(atomised))):
                fraction = self.generators.fraction(variant)
                for form in (fraction, fraction and self.generators.reduced(fraction)):
                    if form is not None and not found.decided:
                        found &= self.of_fraction(form)
        finally:
            self._busy.discard(expr)
        return found

    def reason(self, expr: Expr) -> str:
        """Why the sign of an expression is what it is found to be."""
        sign = self.sign(expr)
        if expr in self.reasons:
            return self.reasons[expr]
        if isinstance(expr, Pow) and expr.exp.is_Integer and expr.exp % 2 == 0:
            return "an even power" + (f" of {expr.base}, which is not 0" if sign.nonzero else "")
        plain = self._by_node(expr) if isinstance(expr, Add) else self.range(expr)
        if Sign.of_range(plain) == sign:
            return f"it ranges in {plain}"
        if isinstance(expr, (*_ODD, OwensT)):
            return f"{type(expr).__name__} has the sign of {expr.args[-1]}"
        if not isinstance(expr, Add | Mul | Pow):
            return "it is declared, or a hypothesis"
        fraction = self.generators.fraction(self.generators.atomised(expr))
        if fraction is None:
            return "a fraction of polynomials of known sign"
        parts = []
        for p in (fraction.top, fraction.bottom):
            for factor, n in p.factor_list()[1]:
                meaning = self.generators.back(factor)
                found = self._factors.get(_key(factor))
                if n % 2 == 0:
                    parts.append(f"({meaning})**{n} is an even power")
                elif found is not None and _key(factor) in self.reasons:
                    parts.append(f"{meaning} {found.relation}, as {self.reasons[_key(factor)]}")
        return "; ".join(dict.fromkeys(parts)) or "a product of factors of known sign"

    # -- fractions and their factors -----------------------------------------------------------

    def of_fraction(self, fraction: _Fraction) -> Sign:
        """The sign of a fraction whose denominator is known not to vanish."""
        top = self.of_polynomial(fraction.top)
        return top if top.zero else top * (NONZERO & self.of_polynomial(fraction.bottom))

    def of_polynomial(self, p: Poly) -> Sign:
        """The sign of a polynomial in generators, by its factors."""
        if _is_constant(p):
            return _sign_of_number(_value(p))
        constant, factors = p.factor_list()
        found = _sign_of_number(constant)
        for factor, n in factors:
            found *= self.of_factor(_polynomial(factor.as_expr())) ** n
        # An unfactored hypothesis may say more than the factors do.
        return found if found.decided else found & self._stated(p)

    def of_factor(self, p: Poly) -> Sign:
        """The sign of an irreducible polynomial in generators."""
        key = _key(p)
        if key in self._factors:
            return self._factors[key]
        found = self._stated(p)
        if len(p.terms()) == 1:
            return found & _by_terms(self, p)
        if found.decided or not self._asking(("factor", key)):
            return found
        for rule in _RULES if _is_small(p) else _RULES_FOR_LARGE:
            try:
                more = rule(self, p)
            except NoRange:
                continue
            if (found & more) != found:
                found &= more
                self._because(key, _reason(rule))
            if found.decided:
                break
        self._busy.discard(("factor", key))
        self._keep(self._factors, key, found)
        return found

    def of_generator(self, g: Dummy) -> Sign:
        """The sign of a generator."""
        return self.sign(self.generators.meaning[g])

    def range_of_generator(self, g: Dummy) -> Range:
        """The range of a generator."""
        return self.range(self.generators.meaning[g])

    def short_range_of_generator(self, g: Dummy) -> Range:
        """The range of a generator, widened to ends that are short enough to calculate with."""
        return self.range_of_generator(g).shortened(_LONGEST_END)

    # -- hypotheses ----------------------------------------------------------------------------

    def prepare(self) -> None:
        """Translate the hypotheses; those whose domain others secure, in a second round."""
        for _ in range(2):
            found = list(self._translated())
            self.statements = found + list(self._quotients(found))
            for memory in (self._known, self._signs, self._factors, self.reasons):
                memory.clear()
            self.restart()

    def _translated(self) -> Iterator[tuple[Poly, Sign]]:
        stated = [
            *((e, POSITIVE if strict else NONNEGATIVE) for e, strict in self.facts.inequalities),
            *((e, ZERO) for e in self.facts.zeros),
            *((e, NONZERO) for e in self.facts.nonzeros),
        ]
        for expr, sign in stated:
            try:
                self.range(expr)
            except NoRange:
                continue
            fraction = self.generators.fraction(self.generators.atomised(expr))
            for form in dict.fromkeys((fraction, fraction and self.generators.reduced(fraction))):
                if form is not None and not _is_constant(form.top):
                    yield form.top, sign * (NONZERO & self.of_polynomial(form.bottom))

    def _quotients(self, stated: list[tuple[Poly, Sign]]) -> Iterator[tuple[Poly, Sign]]:
        """The signs of single factors, where those of the others are known."""
        for p, sign in stated:
            constant, factors = p.factor_list()
            for i, (factor, n) in enumerate(factors):
                others = _sign_of_number(constant)
                for j, (other, m) in enumerate(factors):
                    if i != j:
                        others *= self.of_factor(_polynomial(other.as_expr())) ** m
                if not others.nonzero and not sign.nonzero:
                    continue
                if sign.nonzero:
                    others &= NONZERO
                quotient = sign * others
                if n % 2 == 0:
                    quotient = quotient if quotient.zero or quotient.nonzero else UNKNOWN
                    quotient = NONZERO if quotient.nonzero else quotient
                if quotient != UNKNOWN:
                    yield _polynomial(factor.as_expr()), quotient

    def _stated(self, p: Poly) -> Sign:
        """The sign that a hypothesis tells of a polynomial, up to a constant factor."""
        found = UNKNOWN
        for q, sign in self.statements:
            ratio = _ratio(p, q)
            if ratio is not None:
                found &= sign * _sign_of_number(ratio)
                self._because(_key(p), "it is a hypothesis or follows from one")
        return found

    def nonnegative_polynomials(self, p: Poly) -> list[tuple[Poly, Sign]]:
        """Polynomials that are zero or not negative, from hypotheses, bounds and definitions."""
        found: list[tuple[Poly, Sign]] = []
        present = set(p.as_expr().free_symbols)
        for q, sign in self.statements:
            if sign.nonnegative:
                found.append((q, sign))
            elif sign.nonpositive:
                found.append((-q, -sign))
        for g in sorted(present, key=_order):
            found += self._bounds_of(g)
            found += self._defining(g)
        return found[:_MOST_CANDIDATES]

    def _bounds_of(self, g: Dummy) -> Iterator[tuple[Poly, Sign]]:
        inside = self.short_range_of_generator(g)
        for end, is_open, side in (
            (inside.low, inside.low_open, 1),
            (inside.high, inside.high_open, -1),
        ):
            if not end.is_infinite:
                yield _polynomial(side * (g - end)), POSITIVE if is_open else NONNEGATIVE

    def _defining(self, g: Dummy) -> Iterator[tuple[Poly, Sign]]:
        """How a generator compares with others by its definition."""
        meaning = self.generators.meaning[g]
        half_turn = self.generators.atomised(S.Pi)
        bounded: list[tuple[Expr, Sign]] = []
        if isinstance(meaning, asin):
            for side in (1, -1):
                bounded.append((half_turn - 2 * side * g, self.sign(1 - side * meaning.args[0])))
        elif isinstance(meaning, atan):
            bounded = [(half_turn - 2 * side * g, POSITIVE) for side in (1, -1)]
        elif isinstance(meaning, Abs | Max | Min):
            others = meaning.args
            if isinstance(meaning, Abs):
                others = (*others, -others[0])
            side = -1 if isinstance(meaning, Min) else 1
            bounded = [(side * (g - self.generators.canonical(u)), NONNEGATIVE) for u in others]
        for difference, sign in bounded:
            fraction = self.generators.fraction(difference)
            if fraction is not None and _is_constant(fraction.bottom):
                yield fraction.top * _value(fraction.bottom), sign


def _reason(rule: Callable[..., Sign]) -> str:
    """The first line of a rule's docstring, as part of a sentence."""
    text = str(rule.__doc__).rstrip(".")
    return text[0].lower() + text[1:]


def _captures(expr: Expr, symbols: set[Symbol]) -> bool:
    """Whether some part of an expression binds one of the symbols."""
    return any(
        symbols & {b for b in node.bound_symbols if isinstance(b, Symbol)}
        for node in _nodes(expr)
        if hasattr(node, "bound_symbols")
    )


def _nodes(expr: Basic) -> Iterator[Basic]:
    yield expr
    for part in expr.args:
        yield from _nodes(part)


def _ratio(p: Poly, q: Poly) -> Rational | None:
    """The number p/q, if it is one."""
    if set(p.as_expr().free_symbols) != set(q.as_expr().free_symbols):
        return None
    p, q = p.unify(q)
    ratio = p.LC() / q.LC()
    return ratio if (p - q * ratio).is_zero else None


# -- rules for irreducible polynomials ---------------------------------------------------------


def _by_terms(decider: _Decider, p: Poly) -> Sign:
    """Its terms have known signs, which agree."""
    return _sign_of_terms(decider, _terms(p))


def _sign_of_terms(decider: _Decider, terms: _Terms) -> Sign:
    total = ZERO
    for monomial, coefficient in terms.items():
        term = _sign_of_number(coefficient)
        for g, n in monomial:
            term *= decider.of_generator(g) ** n
        total += term
        if total == UNKNOWN:
            break
    return total


def _by_range(decider: _Decider, p: Poly) -> Sign:
    """The ranges of its terms add up to no more."""
    terms = [
        reduce(
            mul,
            (
                decider.range_of_generator(g).power(n)
                for g, n in zip(p.gens, powers, strict=True)
                if n
            ),
            Range.point(coefficient),
        )
        for powers, coefficient in p.terms()
    ]
    return Sign.of_range(reduce(add, terms))


def _by_shift(decider: _Decider, p: Poly) -> Sign:
    """Its terms agree in sign when variables are counted from their bounds."""
    inside = {g: decider.short_range_of_generator(g) for g in p.gens}
    moves: dict[Dummy, Expr] = {}
    signs: dict[Dummy, Sign] = {}
    for g, reach in inside.items():
        if not reach.low.is_infinite and reach.low != 0:
            moves[g] = reach.low + g
            signs[g] = POSITIVE if reach.low_open else NONNEGATIVE
        elif not reach.high.is_infinite and reach.low.is_infinite and reach.high != 0:
            moves[g] = reach.high - g
            signs[g] = POSITIVE if reach.high_open else NONNEGATIVE
        else:
            signs[g] = decider.of_generator(g)
    if not moves:
        return UNKNOWN
    moved = Poly(p.as_expr().xreplace(moves), *p.gens, domain=QQ)
    total = ZERO
    for powers, coefficient in moved.terms():
        term = _sign_of_number(coefficient)
        for g, n in zip(p.gens, powers, strict=True):
            term *= signs[g] ** n
        total += term
    return total


def _by_roots(decider: _Decider, p: Poly) -> Sign:
    """It is a polynomial without roots inside the interval in question."""
    if len(p.gens) != 1:
        return UNKNOWN
    reach = decider.short_range_of_generator(p.gens[0])
    if reach.low == reach.high:
        return _sign_of_number(p.eval(reach.low))
    roots = p.count_roots(
        None if reach.low.is_infinite else reach.low,
        None if reach.high.is_infinite else reach.high,
    )
    possible: set[int] = set()
    for end, is_open in ((reach.low, reach.low_open), (reach.high, reach.high_open)):
        if not end.is_infinite and p.eval(end) == 0:
            roots -= 1
            possible |= set() if is_open else {0}
    if roots:
        return UNKNOWN
    inner = p.eval(_inner_point(reach))
    return Sign(frozenset(possible | _sign_of_number(inner).possible))


def _inner_point(reach: Range) -> Rational:
    if reach.low.is_infinite and reach.high.is_infinite:
        return S.Zero
    if reach.low.is_infinite:
        return reach.high - 1
    return reach.low + 1 if reach.high.is_infinite else (reach.low + reach.high) / 2


def _by_discriminant(decider: _Decider, p: Poly) -> Sign:
    """It is quadratic in a variable, with a discriminant that is not positive."""
    for g in p.gens:
        if p.degree(g) != 2:
            continue
        a, b, c = (_coefficient(p, g, n) for n in (2, 1, 0))
        leading = decider.of_polynomial(a)
        if not leading.positive and not leading.negative:
            continue
        discriminant = decider.of_polynomial(_polynomial((b**2 - 4 * a * c).as_expr()))
        if discriminant.negative:
            return leading
        if discriminant.nonpositive:
            return Sign(leading.possible | {0})
    return UNKNOWN


def _coefficient(p: Poly, g: Dummy, n: int) -> Poly:
    return _polynomial(p.as_expr().expand().coeff(g, n))


def _by_ends(decider: _Decider, p: Poly) -> Sign:
    """It is linear, convex or concave in a variable, and has this sign at the ends."""
    found = UNKNOWN
    for g in p.gens:
        degree = p.degree(g)
        if degree > 2:
            continue
        reach = decider.short_range_of_generator(g)
        ends = [e for e in (reach.low, reach.high) if not e.is_infinite]
        slope = decider.of_polynomial(_coefficient(p, g, degree))
        at = [
            decider.of_polynomial(_polynomial(p.as_expr().xreplace({g: e}).expand())) for e in ends
        ]
        if len(ends) == 2:
            for side in (1, -1):
                # A concave function is at least what the chord is.
                if degree == 2 and not (slope.nonpositive if side == 1 else slope.nonnegative):
                    continue
                low, high = at if side == 1 else [-s for s in at]
                if low.nonnegative and high.nonnegative:
                    chord = _chord(low, high, reach)
                    found &= chord if side == 1 else -chord
        elif len(ends) == 1 and degree == 1:
            away = Sign.of_range(reach - Range.point(ends[0]))
            found &= at[0] + slope * away
        if found.decided:
            break
    return found


def _chord(low: Sign, high: Sign, reach: Range) -> Sign:
    """The sign of a mean of two nonnegative values, weighted by the place in an interval."""
    never_zero = (
        (low.positive and high.positive)
        or (low.positive and reach.high_open)
        or (high.positive and reach.low_open)
    )
    return POSITIVE if never_zero else NONNEGATIVE


def _by_squares(decider: _Decider, p: Poly) -> Sign:
    """The squares of a root and of the rest can be compared."""
    for g in p.gens:
        if g not in decider.generators.roots or p.degree(g) != 1:
            continue
        q, b = decider.generators.roots[g]
        if q != 2:
            continue
        u, w = _coefficient(p, g, 0), _coefficient(p, g, 1)
        first, second = decider.of_polynomial(u), decider.of_polynomial(w) * decider.of_generator(g)
        norm = decider.generators.fraction(w.as_expr() ** 2 * b - u.as_expr() ** 2)
        norm = norm and decider.generators.reduced(norm)
        if norm is None:
            continue
        larger = decider.of_fraction(norm)
        if larger.nonnegative or larger.nonpositive:
            outweighing = second if larger.nonnegative else first
            return outweighing if larger.nonzero else Sign(outweighing.possible | {0})
    return UNKNOWN


def _by_monotony(decider: _Decider, p: Poly) -> Sign:
    """It is the difference of two values of a monotone function."""
    if len(p.terms()) != 2:
        return UNKNOWN
    (first, c), (second, e) = ((_monomial(p, powers), c) for powers, c in p.terms())
    if abs(c) != abs(e):
        return UNKNOWN
    u, v = (decider.generators.back(_polynomial(m)) for m in (first, second))
    direction = _sign_of_number(c)
    if isinstance(u, exp) and isinstance(v, exp):
        # A negative sum of exponentials is found by the signs of its terms.
        return direction * decider.sign(u.args[0] - v.args[0]) if c == -e else UNKNOWN
    if type(u) is not type(v):
        return UNKNOWN
    if isinstance(u, OwensT):
        if u.args[0] != v.args[0]:
            return UNKNOWN
        difference = u.args[1] - v.args[1] if c == -e else u.args[1] + v.args[1]
        return direction * decider.sign(difference)
    if isinstance(u, _DECREASING):
        return -direction * decider.sign(u.args[0] - v.args[0]) if c == -e else UNKNOWN
    if isinstance(u, _INCREASING):
        if c == -e:
            return direction * decider.sign(u.args[0] - v.args[0])
        if isinstance(u, _ODD):
            return direction * decider.sign(u.args[0] + v.args[0])
    return UNKNOWN


def _monomial(p: Poly, powers: tuple[int, ...]) -> Expr:
    return Mul(*(g**n for g, n in zip(p.gens, powers, strict=True)))


def _by_combination(decider: _Decider, p: Poly) -> Sign:
    """It is a combination of hypotheses and of terms of known sign."""
    known = [(_terms(q), sign) for q, sign in decider.nonnegative_polynomials(p)]
    own = sorted(p.as_expr().free_symbols, key=_order)
    terms = _terms(p)
    candidates = list(known)
    if len(known) <= _MOST_FOR_PRODUCTS:
        for (q, s), (r, t) in combinations_with_replacement(known, 2):
            candidates.append((_times(q, r), s * t))
        for g in own:
            n = 1 if decider.of_generator(g).nonnegative else 2
            multiplier = {frozenset({(g, n)}): QQ(1)}
            sign = decider.of_generator(g) ** n
            candidates += [(_times(q, multiplier), s * sign) for q, s in known]
    useful = [(q, s) for q, s in candidates if s.nonnegative and not terms.keys().isdisjoint(q)]
    found = UNKNOWN
    for side in (1, -1):
        signed = {monomial: side * coefficient for monomial, coefficient in terms.items()}
        reached = _combined(decider, signed, useful[:_MOST_CANDIDATES], depth=2)
        found &= reached if side == 1 else -reached
    return found


def _combined(
    decider: _Decider, terms: _Terms, candidates: list[tuple[_Terms, Sign]], depth: int
) -> Sign:
    """Nonnegative or positive if there is a nonnegative combination; otherwise unknown."""
    best = UNKNOWN
    for q, sign in candidates:
        ratios = {terms[monomial] / c for monomial, c in q.items() if monomial in terms}
        for ratio in sorted(ratios):
            if ratio < 0 and not sign.zero:
                continue
            rest = dict(terms)
            for monomial, c in q.items():
                rest[monomial] = rest.get(monomial, QQ(0)) - ratio * c
                if not rest[monomial]:
                    del rest[monomial]
            if len(rest) > len(terms):
                continue
            remainder = _sign_of_terms(decider, rest)
            if not remainder.nonnegative and depth > 1:
                remainder = _combined(decider, rest, candidates, depth - 1)
            if remainder.nonnegative:
                best &= remainder + sign
                if best.decided:
                    return best
    return best


def _terms(p: Poly) -> _Terms:
    return {
        frozenset((g, n) for g, n in zip(p.gens, powers, strict=True) if n): QQ.from_sympy(c)
        for powers, c in p.terms()
    }


def _times(p: _Terms, q: _Terms) -> _Terms:
    product: _Terms = {}
    for first, c in p.items():
        for second, e in q.items():
            powers = dict(first)
            for g, n in second:
                powers[g] = powers.get(g, 0) + n
            monomial = frozenset(powers.items())
            product[monomial] = product.get(monomial, QQ(0)) + c * e
    return {monomial: c for monomial, c in product.items() if c}


_RULES_FOR_LARGE = (_by_terms, _by_range, _by_monotony)
_RULES: tuple[Callable[[_Decider, Poly], Sign], ...] = (
    _by_terms,
    _by_range,
    _by_monotony,
    _by_roots,
    _by_shift,
    _by_squares,
    _by_combination,
    _by_ends,
    _by_discriminant,
)


# -- what others call --------------------------------------------------------------------------


@lru_cache(maxsize=64)
def _decider(facts: Facts) -> _Decider:
    return _Decider(facts)


def _ready(facts: Facts | None) -> _Decider:
    decider = _decider(facts or Facts())
    decider.restart()
    return decider


def sign_of(expr: Any, facts: Facts | None = None) -> Sign:
    """What is certain of the sign of an expression.

    Parameters
    ----------
    expr : expression
        In symbols that are declared real.
    facts : Facts, optional
        What is given besides the declarations of the symbols.

    Returns
    -------
    Sign
        Unknown if the expression may be undefined somewhere, or nothing could be found out.

    Examples
    --------
    >>> from sympy import Symbol, symbols
    >>> x, y = symbols("x y", real=True)
    >>> sign_of(x**2 - 2*x*y + 2*y**2 + 1)
    Sign(> 0)
    >>> sign_of(x - x**2)
    Sign(unknown)
    """
    return _ready(facts).sign(sympify(expr))


def is_nonzero(expr: Any, facts: Facts | None = None) -> bool:
    """Whether an expression is certainly defined and different from zero."""
    return sign_of(expr, facts).nonzero


def holds(relation: Any, facts: Facts | None = None) -> bool:
    """Whether a relation certainly holds.

    Parameters
    ----------
    relation : Boolean
        ``Eq``, ``Ne``, ``Lt``, ``Le``, ``Gt``, ``Ge``, ``And`` or ``Or`` of these.
    facts : Facts, optional
        What is given besides the declarations of the symbols.

    Returns
    -------
    bool
        True only if it was shown, and both sides are defined on the whole domain.
    """
    facts = facts or Facts()
    relation = sympify(relation)
    if relation in (true, false):
        return relation is true
    if relation in facts.given or relation in facts.relations:
        return True
    if isinstance(relation, And):
        return all(holds(part, facts) for part in relation.args)
    if isinstance(relation, Or):
        return any(holds(part, facts) for part in relation.args)
    if not isinstance(relation, Relational) or not all(isinstance(s, Expr) for s in relation.args):
        return False
    decider = _ready(facts)
    try:
        for side in relation.args:
            if side not in (oo, -oo):
                decider.range(side)
    except NoRange:
        return False
    if relation.has(oo, -oo) and any(side in (oo, -oo) for side in relation.args):
        lesser = relation.args if isinstance(relation, Lt | Le) else relation.args[::-1]
        return isinstance(relation, Lt | Le | Gt | Ge) and (
            (lesser[1] is oo and lesser[0] is not oo) or (lesser[0] is -oo and lesser[1] is not -oo)
        )
    sign = sign_of(relation.lhs - relation.rhs, facts)
    verdicts = {
        Eq: sign.zero,
        Ne: sign.nonzero,
        Lt: sign.negative,
        Le: sign.nonpositive,
        Gt: sign.positive,
        Ge: sign.nonnegative,
    }
    return verdicts[type(relation)]


def explain(expr: Any, facts: Facts | None = None) -> list[str]:
    """Why the sign of an expression is what `sign_of` says, in short sentences.

    Returns
    -------
    list of str
        Empty if nothing is known.
    """
    expr = sympify(expr)
    if sign_of(expr, facts) == UNKNOWN:
        return []
    parts = expr.args if isinstance(expr, Mul) else (expr,)
    signs = [sign_of(part, facts) for part in parts]
    reasons = [_decider(facts or Facts()).reason(part) for part in parts]
    return [
        f"{part} {sign.relation}: {reason}"
        for part, sign, reason in zip(parts, signs, reasons, strict=True)
    ]

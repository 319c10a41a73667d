r"""Abbreviations of a claim, and the rewriting of its expressions with them.

This is done before they are typeset: :math:`\sqrt{1+2\lambda^2\gamma^2}` becomes :math:`A`. What a
letter stands for is known, so whatever is written can be read back.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from typing import Any

from sympy import (
    Add,
    Basic,
    Derivative,
    Expr,
    Function,
    Lambda,
    Mul,
    Pow,
    S,
    Subs,
    Symbol,
    Tuple,
    asin,
    pi,
    sqrt,
)
from sympy.core.function import AppliedUndef, UndefinedFunction
from sympy.core.relational import Relational
from sympy.logic.boolalg import BooleanFunction

from slrsym.gaussian import Expectation, IIDSum
from slrsym.gaussian.law import Law
from slrsym.papers.single_location import notation


def symbol_and_function_names(expressions: Iterable[Any]) -> set[str]:
    """Return the names of all symbols and functions in some expressions."""
    return set().union(*map(_names, expressions))


# A claim is asked for its names more than once.
@lru_cache(maxsize=1024)
def _names(expr: Any) -> frozenset[str]:
    found = expr.atoms(Symbol, AppliedUndef)
    return frozenset(x.name if isinstance(x, Symbol) else x.func.__name__ for x in found)


# The spread of a score, and its mean.
SPREAD = Symbol("s", positive=True)
MEAN = Symbol("t", real=True)
SMALL_A = Symbol("a", real=True)
A = Symbol("A", positive=True)
B = Symbol("B", positive=True)
# Drawn as a root, and read as one.
DRIFT = Symbol("sqrt(d/2)", positive=True)

# Names that no one would give to a function.
RISK = Function("R(6)", real=True)
RISK_ON_M = Function("R<", real=True)
RISK_CLOSED = Function("R^", real=True)


def exponents_and_coefficient(product: Expr) -> tuple[dict[Expr, Any], Expr]:
    """Return the exponents of the factors of a product, and its numerical coefficient."""
    powers: dict[Expr, Any] = {}
    number: Expr = S.One
    for factor in Mul.make_args(product):
        base, power = factor.as_base_exp()
        if factor.is_number:
            number *= factor
        elif power.is_Rational:
            powers[base] = powers.get(base, S.Zero) + power
        else:
            powers[factor] = powers.get(factor, S.Zero) + 1
    return powers, number


_known = lru_cache(maxsize=512)(exponents_and_coefficient)


def multiplicity_and_quotient(product: Expr, value: Expr) -> tuple[int, Expr]:
    """Return how often an abbreviated value divides a product, and the quotient left over."""
    inner, scale = _known(value)
    # A multiple of a single letter is no abbreviation, one of a function is.
    alone = len(inner) == 1 and isinstance(next(iter(inner)), Function)
    if not isinstance(value, Mul) or (len(inner) < 2 and not alone):
        return 0, product
    powers, number = exponents_and_coefficient(product)
    if not inner.keys() <= powers.keys():
        return 0, product
    count = int(min(powers[base] / power for base, power in inner.items()))
    if count < 1:
        return 0, product
    left = number / scale**count
    for base, power in inner.items():
        powers[base] -= count * power
    # The root of a number belongs to that of a letter, as in that of d/2.
    root = any(not power.is_Integer for power in powers.values())
    if not alone and not (left**2 if root else left).is_Rational:
        return 0, product
    return count, Mul(left, *(Pow(base, power) for base, power in powers.items()))


def remaining_sum(total: Add, value: Expr) -> Expr | None:
    """Return `total - value` if every term of `value` occurs in `total`, else None."""
    if not isinstance(value, Add) or len(value.args) >= len(total.args):
        return None
    here = set(total.args)
    return Add(*here.difference(value.args)) if here.issuperset(value.args) else None


FIVE: tuple[Expr, ...] = notation.ORDER_PARAMETERS


@cache
def risk_definition() -> Any:
    """Return the definition of the risk, as an expectation."""
    from slrsym.papers.single_location import symbolic

    return symbolic.risk_definition()


@cache
def risk_on_manifold() -> Any:
    """Return the closed form of the risk on the manifold (Lemma 6)."""
    from slrsym.proof import builtin_ledger

    return builtin_ledger().find("lemma-6").statement.rhs


@cache
def overlaps_if_risk_definition(expr: Expectation) -> tuple[Expr, ...] | None:
    """Return the overlaps at which an expectation is the definition of the risk, or None."""
    definition = risk_definition()
    if expr == definition:
        return FIVE
    if not isinstance(expr.integrand, Pow) or not expr.has(IIDSum):
        return None
    for values in _RISK_ARGUMENTS:
        if definition.subs(dict(zip(FIVE, values, strict=True))) == expr:
            return values
    return None


_K, _N = notation.kappa, notation.nu
_RISK_ARGUMENTS = (
    (_K, _N, S.Zero, S.Zero, S.Zero),
    *itertools.product(*2 * [(S.One, -S.One)], *3 * [(S.Zero,)]),
)


@cache
def point_if_manifold_risk(expr: Add) -> tuple[Expr, Expr] | None:
    """Return the point (kappa, nu) if a sum is the risk there on the manifold, else None."""
    fixed = {notation.epsilon, notation.gamma, notation.L, notation.lam, notation.d}
    if not fixed <= expr.free_symbols or notation.epsilon**2 not in expr.args:
        return None
    free = sorted(expr.free_symbols - fixed, key=str)
    if len(free) > 2 or not all(s.is_real for s in free):
        return None
    values = [*free, *(-s for s in free), S.One, S.NegativeOne, S.Zero]
    for x, y in itertools.product(values, repeat=2):
        if {*x.free_symbols, *y.free_symbols} >= set(free) and _value_on_m(x, y) == expr:
            return x, y
    return None


def is_closed_risk(expr: Add) -> bool:
    """Return whether a sum is the closed form of the risk in all five overlaps."""
    result: bool = {*FIVE, notation.epsilon} <= expr.free_symbols and expr == _closed_risk()
    return result


@cache
def _closed_risk() -> Any:
    """Return the closed form in the claim ``excess-risk-stable``, plus the noise variance."""
    from slrsym.papers.single_location.symbolic import excess_risk_stable

    return notation.epsilon**2 + excess_risk_stable()


@cache
def _value_on_m(x: Expr, y: Expr) -> Any:
    both = {notation.kappa: x, notation.nu: y}
    return risk_on_manifold().subs(both, simultaneous=True)


@cache
def _has_value_at(expr: Basic) -> bool:
    return isinstance(expr, Subs) or any(map(_has_value_at, expr.args))


def _are_variables(args: Sequence[Any]) -> bool:
    return len(set(args)) == len(args) and all(isinstance(x, Symbol) for x in args)


@dataclass
class Shorthand:
    """The abbreviations of one claim: letters and functions with their definitions."""

    letters: dict[Symbol, Expr] = field(default_factory=dict)
    functions: dict[UndefinedFunction, Lambda] = field(default_factory=dict)
    spread: Expr | None = None
    risk: bool = True
    risk_on_m: bool = True
    squares: bool = True
    local: dict[Any, Any] = field(default_factory=dict)
    meant: dict[UndefinedFunction, Lambda] = field(default_factory=dict)
    _known: dict[Any, Any] = field(default_factory=dict, repr=False)

    def meaning(self, symbol: Symbol) -> Expr:
        """Return the definition of an abbreviating letter, written without other such letters."""
        value = self.letters[symbol]
        while value.free_symbols & set(self.letters):
            value = value.subs(self.letters)
        return value

    def with_letter(self, letter: Symbol, value: Expr) -> Shorthand:
        """Return a copy of these abbreviations with one more letter, for a given value."""
        letters = {**self.letters, letter: value}
        local = {**self.local, value: letter}
        return replace(self, letters=letters, local=local, functions={}, _known={})

    def with_notation(self, notation: Mapping[Any, Expr]) -> Shorthand:
        """Return a copy of these abbreviations with letters and functions that a claim defines."""
        result = self
        for shown, value in notation.items():
            if isinstance(shown, Symbol):
                result = result.with_letter(shown, value)
                continue
            result = replace(result, local={**result.local, value: shown}, _known={})
            if _are_variables(shown.args):
                meaning = Lambda(shown.args, value)
                result = replace(result, meant={**result.meant, shown.func: meaning})
        return result

    def function_definition(self, function: UndefinedFunction) -> Any:
        """Return the definition of a function, using the claim's other abbreviations."""
        others = {value: other for value, other in self.local.items() if other.func != function}
        return replace(self, local=others, _known={})(self.meant[function].expr)

    def letter_definition(self, letter: Symbol) -> Any:
        """Return the definition of a letter, using the claim's other abbreviations."""
        others = {value: other for value, other in self.local.items() if other != letter}
        return replace(self, local=others, _known={})(self.letters[letter])

    def __call__(self, expr: Any) -> Any:
        """Rewrite an expression or statement with the abbreviations."""
        if not isinstance(expr, Basic) or isinstance(expr, Law):
            return expr
        # SymPy takes derivatives in different variables for equal, at a point of equal coordinates.
        if _has_value_at(expr):
            return self._abbreviated(expr)
        if expr not in self._known:
            self._known[expr] = self._abbreviated(expr)
        return self._known[expr]

    def _abbreviated(self, expr: Any) -> Any:
        if expr in self.local:
            shown = self.local[expr]
            if isinstance(shown, AppliedUndef):
                self.functions[shown.func] = self.meant[shown.func]
            return shown
        named = self._risk(expr)
        if named is not None:
            return named
        if not expr.args:
            return expr
        if isinstance(expr, Relational | BooleanFunction):
            return expr.func(*map(self, expr.args), evaluate=False)
        if isinstance(expr, Expectation | IIDSum | AppliedUndef):
            return expr.func(*map(self, expr.args))
        if isinstance(expr, Derivative):
            # Not for SymPy, for which a letter does not depend on what it stands for.
            variables = (Tuple(*pair) for pair in expr.variable_count)
            return Expr.__new__(Derivative, self(expr.expr), *variables)
        if isinstance(expr, Add):
            for value in self.local:
                for times in (1, -1, 2) if isinstance(value, Add) else ():
                    rest = remaining_sum(expr, times * value)
                    if rest is not None:
                        return Add(times * self(value), self(rest))
        if isinstance(expr, Mul):
            for value in self.local:
                count, rest = multiplicity_and_quotient(expr, value)
                if count:
                    return self._monomial(Mul(self(value) ** count, self(rest)))
        if isinstance(expr, Pow) and self.spread is not None and expr.exp.is_Rational:
            root = self._root(expr)
            if root is not None:
                return root
        if isinstance(expr, Subs):
            value = self(expr.expr)
            plain = isinstance(value, AppliedUndef) and value.func in self.functions
            if plain and all(isinstance(x, Symbol) for x in value.args):
                put = dict(zip(expr.variables, expr.point, strict=True))
                return value.func(*(self(put.get(x, x)) for x in value.args))
        if isinstance(expr, asin):
            # An arc sine of 2 s^2/(1 + 2 s^2) is known by its looks.
            args = list(map(replace(self, squares=False, _known={}), expr.args))
        else:
            args = [self(arg) for arg in expr.args]
        if isinstance(expr, Add):
            return Add(*args)
        if not isinstance(expr, Mul | Pow) and tuple(args) == expr.args:
            # What is held unevaluated stays so.
            return expr
        if isinstance(expr, Mul):
            return self._monomial(Mul(*args))
        try:
            made = expr.func(*args)
        # What will not be rebuilt with a letter in it is left as it is.
        except (TypeError, ValueError):
            return expr
        return self._monomial(made) if isinstance(made, Mul | Pow) else made

    # -- letters -------------------------------------------------------------------------------

    def _root(self, power: Expr) -> Expr | None:
        """Write a power of 1 + 2 s^2 by the letter A, and one of 1 + 4 s^2 by B."""
        doubled = 2 * power.exp
        if self.spread is None or not doubled.is_Integer or A not in self.letters:
            return None
        for letter, factor in ((A, 2), (B, 4)):
            if power.base == 1 + factor * self.spread**2 and doubled.is_odd:
                return letter**doubled
        return None

    def _monomial(self, product: Expr) -> Expr:
        product = self._zeta_at_zero(product)
        if not isinstance(product, Mul | Pow):
            return product
        powers, number = exponents_and_coefficient(product)
        if DRIFT in self.letters and notation.d in powers:
            # 2^(1/2) d^(1/2) is 2 (d/2)^(1/2).
            half = powers[notation.d]
            if half.q == 2:
                powers[DRIFT] = 2 * half
                number *= sqrt(2) ** (2 * half)
                del powers[notation.d]
        self._take(powers, SPREAD, {notation.lam: 1, notation.gamma: 1}, exact=True)
        self._take(powers, MEAN, {notation.lam: 1, DRIFT: 1, notation.kappa: 1})
        if self.squares and A in self.letters:
            for letter in (A, B):
                base = self.letters[letter] ** 2
                if base in powers and powers[base].is_Integer:
                    powers[letter] = powers.get(letter, S.Zero) + 2 * powers.pop(base)
        if SMALL_A in self.letters and powers.get(MEAN) == 1 and powers.get(A) == -1:
            self._take(powers, SMALL_A, {MEAN: 1, A: -1})
        halves = int(powers.get(DRIFT, 0) / 2)
        if halves:
            # A root of d/2 that is squared is none.
            powers[DRIFT] -= 2 * halves
            powers[notation.d] = powers.get(notation.d, S.Zero) + halves
            number /= S(2) ** halves
        return Mul(number, *(Pow(base, power) for base, power in powers.items()))

    def _take(
        self,
        powers: dict[Expr, Any],
        letter: Symbol,
        of: Mapping[Any, int],
        exact: bool = False,
    ) -> None:
        if letter not in self.letters or any(base not in powers for base in of):
            return
        counts = [powers[base] / count for base, count in of.items()]
        if len({count > 0 for count in counts}) > 1 or (exact and len(set(counts)) > 1):
            return
        count = min(counts, key=abs)
        if not count.is_Integer:
            return
        for base, each in of.items():
            powers[base] -= count * each
            if powers[base] == 0:
                del powers[base]
        powers[letter] = powers.get(letter, S.Zero) + count

    def _zeta_at_zero(self, product: Expr) -> Expr:
        """Write the arc sine to which SymPy evaluates zeta(0, lambda) as zeta again."""
        lam = notation.lam
        arc = asin(2 * lam**2 / (1 + 2 * lam**2))
        if not product.has(arc):
            return product
        rest = product / arc * pi / 2
        return rest if rest.has(asin) else rest * _ZETA_AT_ZERO

    # -- the risk ------------------------------------------------------------------------------

    def _risk(self, expr: Any) -> Any:
        if isinstance(expr, Expectation) and self.risk:
            values = overlaps_if_risk_definition(expr)
            if values is not None:
                self.functions[RISK] = Lambda(FIVE, risk_definition())
                return RISK(*map(self, values))
        if isinstance(expr, Add) and self.risk_on_m:
            place = point_if_manifold_risk(expr)
            if place is not None:
                self.functions[RISK_ON_M] = Lambda(
                    (notation.kappa, notation.nu), risk_on_manifold()
                )
                return RISK_ON_M(*place)
        if isinstance(expr, Add) and self.risk and is_closed_risk(expr):
            self.functions[RISK_CLOSED] = Lambda(FIVE, expr)
            return RISK_CLOSED(*FIVE)
        return None


# Not the function itself, which would evaluate.
_ZETA_AT_ZERO = Function("zeta", real=True)(S.Zero, notation.lam)

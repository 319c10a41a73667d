"""Abbreviations of a claim, and the rewriting of its expressions with them.

This is done before they are typeset. What a letter stands for is known, so whatever is written can
be read back.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from typing import Any, Self

from sympy import (
    Add,
    Basic,
    Derivative,
    Expr,
    Function,
    Lambda,
    MatrixExpr,
    Mul,
    Pow,
    S,
    Subs,
    Symbol,
    Trace,
    Tuple,
)
from sympy.core.function import AppliedUndef, UndefinedFunction
from sympy.core.relational import Relational
from sympy.logic.boolalg import BooleanFunction

from slrsym.gaussian import Expectation, IIDSum
from slrsym.gaussian.law import Law
from slrsym.matrices.functions import ForAllMatrices, SmoothFunction, ValueAt
from slrsym.matrices.letters import Letter
from slrsym.matrices.means import Along, Loewner, MatrixMean

# Of matrices of free size.
_OF_MATRICES = (MatrixExpr, Trace, MatrixMean, Along, Loewner, ValueAt, ForAllMatrices)


def symbol_and_function_names(expressions: Iterable[Any]) -> set[str]:
    """Return the names of all symbols and functions in some expressions."""
    return set().union(*map(_names, expressions))


# A claim is asked for its names more than once.
@lru_cache(maxsize=1024)
def _names(expr: Any) -> frozenset[str]:
    found = expr.atoms(Symbol, AppliedUndef, Letter, SmoothFunction)
    return frozenset(x.func.__name__ if isinstance(x, AppliedUndef) else x.name for x in found)


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
    local: dict[Any, Any] = field(default_factory=dict)
    meant: dict[UndefinedFunction, Lambda] = field(default_factory=dict)
    _known: dict[Any, Any] = field(default_factory=dict, repr=False)

    def meaning(self, symbol: Symbol) -> Expr:
        """Return the definition of an abbreviating letter, written without other such letters."""
        value = self.letters[symbol]
        while value.free_symbols & set(self.letters):
            value = value.subs(self.letters)
        return value

    def with_letter(self, letter: Symbol, value: Expr) -> Self:
        """Return a copy of these abbreviations with one more letter, for a given value."""
        letters = {**self.letters, letter: value}
        local = {**self.local, value: letter}
        return replace(self, letters=letters, local=local, functions={}, _known={})

    def with_notation(self, notation: Mapping[Any, Expr]) -> Self:
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
        named = self._named(expr)
        if named is not None:
            return named
        # Factors of matrices have an order, which products of numbers have not.
        if not expr.args or isinstance(expr, _OF_MATRICES):
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
        if isinstance(expr, Subs):
            value = self(expr.expr)
            plain = isinstance(value, AppliedUndef) and value.func in self.functions
            if plain and all(isinstance(x, Symbol) for x in value.args):
                put = dict(zip(expr.variables, expr.point, strict=True))
                return value.func(*(self(put.get(x, x)) for x in value.args))
        args = self._arguments(expr)
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

    # -- what a paper has besides --------------------------------------------------------------

    def _named(self, expr: Any) -> Any:
        """Return the name of a whole expression, or None."""
        return None

    def _arguments(self, expr: Any) -> list[Any]:
        """Return the abbreviated arguments of an expression."""
        return [self(arg) for arg in expr.args]

    def _monomial(self, product: Expr) -> Expr:
        """Return a product with its numbers in front, and some of its factors abbreviated."""
        if not isinstance(product, Mul):
            return product
        powers, number = exponents_and_coefficient(product)
        return Mul(number, *(Pow(base, power) for base, power in powers.items()))

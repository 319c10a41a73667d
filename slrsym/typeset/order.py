"""The order in which a person writes the terms of a sum and the factors of a product."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any

from sympy import Add, Derivative, Expr, Integer, Integral, Mul, Pow, Subs, Sum, Symbol, exp, pi
from sympy.core.function import AppliedUndef, Function
from sympy.tensor.indexed import Indexed

from slrsym.gaussian.law import IIDSum
from slrsym.gaussian.unevaluated import Expectation

__all__ = ["Order", "is_negative_term"]

_SUMS = (Sum, IIDSum)
_INTEGRALS = (Integral, Derivative, Subs)


@lru_cache(maxsize=50_000)
def _text(expr: Expr) -> str:
    """What breaks ties."""
    return str(expr)


def is_negative_term(term: Expr) -> bool:
    """Whether a term of a sum is written with a minus sign before it."""
    coefficient = term.as_coeff_Mul()[0]
    return bool(coefficient.is_real and coefficient.is_negative)


class Order:
    """How terms and factors are sorted."""

    def __init__(self, letters: Sequence[str] = ()) -> None:
        self._ranks = {name: place for place, name in enumerate(letters)}

    def symbol(self, symbol: Any, bound: frozenset[Symbol] = frozenset()) -> tuple[Any, ...]:
        """The key of a letter."""
        name = getattr(symbol, "name", str(symbol))
        # x_2 before x_10.
        parts = [int(p) if p.isdecimal() else p for p in re.split(r"(\d+)", name.lower())]
        return (symbol in bound, self._ranks.get(name, len(self._ranks)), parts, name)

    def terms(self, terms: Iterable[Expr], bound: frozenset[Symbol]) -> list[Expr]:
        """The terms of a sum, in order, a positive one first if there is one."""
        found = list(terms)
        if len(found) == 2:
            counts = [t for t in found if t.is_Symbol and t.is_integer]
            if len(counts) == 1 and any(isinstance(t, Integer) for t in found):
                return sorted(found, key=lambda t: t is not counts[0])
        ordered = sorted(found, key=lambda term: self._term(term, bound))
        for place, term in enumerate(ordered):
            if not is_negative_term(term):
                return [term, *ordered[:place], *ordered[place + 1 :]]
        return ordered

    def factors(self, factors: Iterable[Expr], bound: frozenset[Symbol]) -> list[Expr]:
        """Factors of a product, in order: numbers, letters, functions, brackets, expectations."""
        return sorted(factors, key=lambda factor: self._factor(factor, bound))

    # -- keys ----------------------------------------------------------------------------------

    def _factor(self, factor: Expr, bound: frozenset[Symbol]) -> tuple[Any, ...]:
        base = factor.base if isinstance(factor, Pow) else factor
        half = isinstance(factor, Pow) and factor.exp.is_Rational and not factor.exp.is_Integer
        if base.is_number and not base.has(exp):
            return (0, base != pi, _text(base))
        if isinstance(base, Symbol | Indexed):
            count = base.is_integer and not half
            return (1 if count else 3 if half else 2, self.symbol(base, bound))
        if isinstance(base, Add) and base.free_symbols and all(
            s.is_integer for s in base.free_symbols
        ):  # fmt: skip
            # L - 1 after L, but (L - 1)(L - 2).
            return (1, (True, 0), -float(base.as_coeff_Add()[0]))
        if isinstance(base, Add):
            plain, least = self._least(base, bound)
            return (6 if plain else 3.5, least, _text(base))
        if isinstance(base, exp):
            return (5, _text(base))
        if isinstance(base, Expectation):
            return (7, _text(base))
        if isinstance(base, _INTEGRALS):
            return (8, _text(base))
        if isinstance(base, _SUMS):
            return (9, _text(base))
        return (4, type(base).__name__, _text(base))

    def _least(self, base: Expr, bound: frozenset[Symbol]) -> tuple[Any, ...]:
        names = [self.symbol(s, bound) for s in base.free_symbols]
        return (base.has(Function), min(names, default=()))

    def _term(self, term: Expr, bound: frozenset[Symbol]) -> tuple[Any, ...]:
        rest = term.as_coeff_Mul()[1]
        factors = Mul.make_args(rest)
        counts = sum(
            bool(f.free_symbols) and all(s.is_integer for s in f.free_symbols) for f in factors
        )
        letters = sorted(
            (self.symbol(s, bound) for s in rest.free_symbols), key=lambda key: (key[0], key[1:])
        )
        degree = _degree(rest)
        return (
            rest.has(*_SUMS),
            0 if not letters else 1 + counts if counts and len(factors) > 1 else 1,
            _involved(rest),
            sorted(str(f.func) for f in rest.atoms(Function)),
            any(key[0] for key in letters),
            degree,
            letters,
            _text(rest),
        )


def _involved(rest: Expr) -> int:
    """0 for letters and powers of them, 1 with functions, 2 with expectations and integrals."""
    if rest.has(Expectation, *_INTEGRALS):
        return 2
    functions: Callable[[Any], bool] = lambda f: isinstance(f, Function | AppliedUndef)  # noqa: E731
    return 1 if rest.find(functions) else 0


def _degree(rest: Expr) -> int:
    """The degree of a monomial in one letter; of others it does not matter."""
    if isinstance(rest, Pow) and rest.exp.is_Integer and rest.base.is_Symbol:
        return int(rest.exp)
    return 1

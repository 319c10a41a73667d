"""What hypotheses that are equations determine: a symbol by others, the sum of a family."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sympy import Add, Eq, Expr, Mul, S, Sum, Symbol, default_sort_key
from sympy.tensor.indexed import Indexed, IndexedBase

__all__ = ["solved"]


def solved(
    equations: Iterable[Eq], symbols: Iterable[Symbol], families: Sequence[IndexedBase]
) -> tuple[list[tuple[Symbol, Expr]], dict[IndexedBase, Expr]]:
    """Equations turned into definitions, as far as that is seen at once."""
    definitions: list[tuple[Symbol, Expr]] = []
    normalised: dict[IndexedBase, Expr] = {}
    for equation in equations:
        family = _normalised_family(equation, families)
        if family is not None:
            normalised[family[0]] = family[1]
            continue
        known = {x for x, _ in definitions}
        used = {x for _, value in definitions for x in value.free_symbols}
        difference = equation.lhs - equation.rhs
        candidates = difference.free_symbols & set(symbols) - known - used
        for x in sorted(candidates, key=default_sort_key):
            slope = _slope(difference, x)
            if slope is not None:
                definitions.append((x, -difference.xreplace({x: S.Zero}) / slope))
                break
    return definitions, normalised


def _slope(expr: Expr, x: Symbol) -> Expr | None:
    """The slope of an expression that is affine in x by the look of it, None of another."""
    slope = S.Zero
    for addend in Add.make_args(expr):
        if x in addend.free_symbols:
            rest = Mul(*(factor for factor in Mul.make_args(addend) if factor != x))
            if x in rest.free_symbols:
                return None
            slope += rest
    return None if slope == 0 else slope


def _normalised_family(
    equation: Eq, families: Sequence[IndexedBase]
) -> tuple[IndexedBase, Expr] | None:
    """P and L, of the equation that p[1] + ... + p[L] = 1."""
    for total, one in (equation.args, equation.args[::-1]):
        if one == 1 and isinstance(total, Sum) and len(total.limits) == 1:
            index, low, high = total.limits[0]
            term = total.function
            if isinstance(term, Indexed) and term.indices == (index,) and low == 1:
                base = next((f for f in families if f == term.base), None)
                if base is not None:
                    return base, high
    return None

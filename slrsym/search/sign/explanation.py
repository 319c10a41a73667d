"""Why the sign of an expression is what it is found to be."""

from __future__ import annotations

from typing import Any

from sympy import Add, Expr, Mul, Pow, sympify

from slrsym.gaussian.functions import OwensT
from slrsym.search.ranges import Facts
from slrsym.search.sign.decider import Decider
from slrsym.search.sign.factor_rules import ODD
from slrsym.search.sign.questions import decider_of, sign_of
from slrsym.search.sign.signs import UNKNOWN, Sign

__all__ = ["explain"]


def explain(expr: Any, facts: Facts | None = None) -> list[str]:
    """Why the sign of an expression is what `sign_of` says, in short sentences.

    Examples
    --------
    >>> from sympy import Symbol
    >>> x = Symbol("x", real=True)
    >>> explain(x**2 + 1)
    ['x**2 + 1 > 0: it ranges in [1, oo)']
    """
    expr = sympify(expr)
    if sign_of(expr, facts) == UNKNOWN:
        return []
    parts = expr.args if isinstance(expr, Mul) else (expr,)
    signs = [sign_of(part, facts) for part in parts]
    if UNKNOWN in signs:
        # It is known of the product alone.
        parts, signs = (expr,), [sign_of(expr, facts)]
    reasons = [_reason(decider_of(facts or Facts()), part) for part in parts]
    return [
        f"{part} {sign.relation}: {reason}"
        for part, sign, reason in zip(parts, signs, reasons, strict=True)
    ]


def _reason(decider: Decider, expr: Expr) -> str:
    sign = decider.sign(expr)
    if expr in decider.reasons:
        return decider.reasons[expr]
    if isinstance(expr, Pow) and expr.exp.is_Integer and expr.exp % 2 == 0:
        return "an even power" + (f" of {expr.base}, which is not 0" if sign.nonzero else "")
    plain = decider.by_node(expr) if isinstance(expr, Add) else decider.range(expr)
    if Sign.of_range(plain) == sign:
        return f"it ranges in {plain}"
    if isinstance(expr, (*ODD, OwensT)):
        return f"{type(expr).__name__} has the sign of {expr.args[-1]}"
    if not isinstance(expr, Add | Mul | Pow):
        return "it is declared, or a hypothesis"
    fraction = decider.generators.fraction(decider.generators.atomised(expr))
    if fraction is None:
        return "a fraction of polynomials of known sign"
    parts = []
    for p in (fraction.top, fraction.bottom):
        for factor, n in decider.generators.factors(p)[1]:
            meaning = decider.generators.back(factor)
            found = decider.factor_signs.get(factor)
            if n % 2 == 0:
                parts.append(f"({meaning})**{n} is an even power")
            elif found is not None and factor in decider.reasons:
                parts.append(f"{meaning} {found.relation}, as {decider.reasons[factor]}")
    return "; ".join(dict.fromkeys(parts)) or "a product of factors of known sign"

"""Refusal of numbers that are not exact, or not real, in statements and in their proofs.

An order of differentiation is such a number, too, if it is no integer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from numbers import Integral, Number
from typing import Any

import sympy as sp
from sympy import Basic, Float
from sympy.concrete.expr_with_limits import ExprWithLimits

from slrsym.prover.statements.expressions import ProofError

# What is no real number, and how to say so.
_NOT_REAL = {
    sp.nan: "nan is no number",
    sp.zoo: "zoo is no number: somewhere a number is divided by 0",
    sp.I: "I is not real; statements are about real numbers",
}
_INFINITE = {sp.oo, -sp.oo}
# A float equals the fraction of so small a denominator that was meant by 1/3.
_SMALL_DENOMINATOR = 1000
# Decimals of more digits come from arithmetic with floats, such as 0.1 + 0.2.
_WRITTEN_DIGITS = 12


def require_exact_reals(what: str, *things: Any) -> None:
    """Raise `ProofError` if there is a float in a statement or rule, or nan, zoo, I, or oo.

    Ends of sums and integrals, and points of limits, may be infinite. Derivatives are of integer
    orders, in symbols.
    """
    for thing in things:
        for problem in _problems(thing):
            raise ProofError(f"{what}: {problem}" if what else problem)


def with_simplest_rationals(expr: Any) -> Any:
    """Replace each float in an expression by the simplest rational that it may stand for."""
    floats = expr.atoms(Float)
    return (
        expr.xreplace({x: sp.Rational(_simplest_rational(x)) for x in floats}) if floats else expr
    )


def float_problem(number: Any) -> str:
    """Return the text that tells a float, and the exact number to write in its place."""
    exact = _simplest_rational(number)
    is_double = isinstance(number, float) or number._prec == 53
    decimal = repr(float(number)) if is_double else number
    text = str(exact.numerator)
    if exact.denominator != 1:
        text = f"Rational({exact.numerator}, {exact.denominator})"
    if len(text) > 50:
        text = f'Rational("{decimal}")'
    return f"{decimal} is a float; write {text}"


def _simplest_rational(number: Any) -> Fraction:
    if isinstance(number, Float) and number._prec > 53:
        return Fraction(str(number))
    value = float(number)
    if isinstance(number, Float) and number._prec < 53:
        return Fraction(str(number))
    small = Fraction(value).limit_denominator(_SMALL_DENOMINATOR)
    if float(small) == value:
        return small
    rounded = f"{value:.15g}"
    digits = rounded.partition("e")[0].replace(".", "").lstrip("-0")
    return Fraction(rounded if len(digits) <= _WRITTEN_DIGITS else repr(value))


def _problems(thing: Any) -> Iterator[str]:
    """Yield a text for each number that is refused in an expression or a container."""
    if isinstance(thing, Float):
        yield float_problem(thing)
    elif isinstance(thing, Basic):
        yield from _problems_of_expression(thing)
    elif isinstance(thing, Number) and not isinstance(thing, Integral | Fraction):
        # Floats of Python, NumPy and mpmath, and decimals, of which SymPy makes floats.
        yield from _problems(sp.sympify(thing))
    elif isinstance(thing, Mapping):
        for pair in thing.items():
            yield from _problems(pair)
    elif isinstance(thing, tuple | list | set | frozenset | sp.MatrixBase):
        for part in thing:
            yield from _problems(part)


def _problems_of_expression(whole: Basic) -> Iterator[str]:
    # What occurs often is looked at once: statements are long, and read whenever claims are loaded.
    seen: set[Basic] = set()
    ahead = [whole]
    while ahead:
        part = ahead.pop()
        if part in seen:
            continue
        seen.add(part)
        below: list[Any] = list(part.args)
        if isinstance(part, ExprWithLimits | sp.Limit):
            below = [end for arg in below for end in (arg if isinstance(arg, sp.Tuple) else [arg])]
            below = [end for end in below if end not in _INFINITE]
        elif isinstance(part, Float):
            yield float_problem(part)
        elif part in _NOT_REAL:
            yield _NOT_REAL[part]
        elif part in _INFINITE:
            yield f"{part} is no real number; only sums, integrals and limits may go to infinity"
        elif isinstance(part, sp.Derivative):
            yield from _problems_of_derivative(part)
        ahead += [each for each in reversed(below) if isinstance(each, Basic)]


def _problems_of_derivative(node: sp.Derivative) -> Iterator[str]:
    for x, order in node.variable_count:
        if not isinstance(x, sp.Symbol):
            yield f"{node} is a derivative in {x}; differentiate in a symbol"
        elif not order.is_Integer and not order.has(Float):
            yield f"{node} is a derivative of order {order}; write a number, such as 1 or 2"

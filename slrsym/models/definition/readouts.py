"""Readouts: polynomials of several sums over tokens, as the prediction of a model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sympy import Expr, Function, Symbol

from slrsym.models.definition.specification import exact_expression, function_source_location


class TokenSums(Function):  # type: ignore[misc]
    """What a token adds to each of several sums over tokens, and last to the target."""


def sum_symbols(count: int) -> tuple[Symbol, ...]:
    """Return the symbols of so many sums over tokens."""
    return tuple(Symbol(f"sum_{i + 1}", real=True) for i in range(count))


def polynomial_of_sums(readout: Callable[..., Any], count: int) -> Expr:
    """Return a readout as a polynomial in the symbols of so many sums.

    Parameters
    ----------
    readout : callable
        From the sums to the prediction.
    count : int

    Returns
    -------
    Expr

    Raises
    ------
    ValueError
        If it is no polynomial.
    TypeError
        If it gives no expression of so many sums.
    """
    names, where = sum_symbols(count), function_source_location(readout)
    try:
        found = exact_expression(readout(*names))
    except TypeError as problem:
        raise TypeError(
            f"readout must be a function of {count} sums, one for each of `sums`{where}: {problem}"
        ) from None
    if not isinstance(found, Expr):
        raise TypeError(f"readout must give an expression; got {found!r}{where}")
    if not found.is_polynomial(*names):
        raise ValueError(
            f"readout must be a polynomial in the sums; got {found}{where}. For softmax see "
            "slrsym.models.softmax; of other functions of sums no means are known"
        )
    return found


def share_in_sums(of: Any, token: Any) -> Callable[..., Any]:
    """Return the function of a token that is added to a sum: 0 if a mapping does not have it."""
    if not isinstance(of, Mapping):
        found: Callable[..., Any] = of
        return found
    function: Callable[..., Any] = of.get(token, lambda X: 0)
    return function

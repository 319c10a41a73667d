"""Products within products."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from sympy import Expr, Mul, Pow, S

__all__ = ["powers_of", "times_in"]


def powers_of(product: Expr) -> tuple[dict[Expr, Any], Expr]:
    """The factors of a product."""
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


@lru_cache(maxsize=512)
def _known(value: Expr) -> tuple[dict[Expr, Any], Expr]:
    return powers_of(value)


def times_in(product: Expr, value: Expr) -> tuple[int, Expr]:
    """How often a product is a factor of another."""
    inner, scale = _known(value)
    if len(inner) < 2 or not isinstance(value, Mul):
        return 0, product
    powers, number = powers_of(product)
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
    if not (left**2 if root else left).is_Rational:
        return 0, product
    return count, Mul(left, *(Pow(base, power) for base, power in powers.items()))

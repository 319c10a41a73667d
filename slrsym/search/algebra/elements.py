"""Elements of the ring: sums of terms, each a number times powers of generators and an exponential.

Generators and exponents of exponentials are known by their numbers, which a `Ring` hands out.
"""

from __future__ import annotations

from fractions import Fraction

from flint import fmpq
from sympy import Rational

__all__ = [
    "UNIT",
    "Element",
    "Key",
    "Monomial",
    "NotNormalizable",
    "add",
    "constant",
    "exact",
    "generated",
    "negative",
    "rational",
    "subtract",
]

# Pairs of a generator and its exponent, in order.
Monomial = tuple[tuple[int, Fraction], ...]
# A monomial, and the exponent of an exponential.
Key = tuple[Monomial, int]
Element = dict[Key, fmpq]

UNIT: Key = ((), 0)


class NotNormalizable(Exception):  # noqa: N818
    """The expression has a part that the normal form does not cover."""


def exact(value: Rational) -> fmpq:
    """A rational number as it is calculated with."""
    return fmpq(int(value.p), int(value.q))


def rational(value: fmpq) -> Rational:
    """A rational number as SymPy writes it."""
    return Rational(int(value.p), int(value.q))


def constant(value: fmpq | int) -> Element:
    """A number as an element."""
    return {UNIT: fmpq(value)} if value else {}


def generated(generator: int, power: Fraction | int = 1, coefficient: fmpq | int = 1) -> Element:
    """A multiple of a power of a generator."""
    return {(((generator, Fraction(power)),), 0): fmpq(coefficient)}


def add(first: Element, second: Element) -> Element:
    """The sum of two elements."""
    total = dict(first)
    for key, c in second.items():
        value = total.get(key, 0) + c
        if value:
            total[key] = value
        else:
            total.pop(key, None)
    return total


def negative(element: Element) -> Element:
    """The negative of an element."""
    return {key: -c for key, c in element.items()}


def subtract(first: Element, second: Element) -> Element:
    """The difference of two elements."""
    return add(first, negative(second))

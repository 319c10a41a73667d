"""Random smooth functions of moderate growth."""

from __future__ import annotations

from numpy.random import Generator
from sympy import Add, Dummy, Expr, Lambda, Rational, cos, erf, exp, sin

__all__ = ["random_test_function"]


def random_test_function(rng: Generator, nargs: int = 1) -> Lambda:
    r"""A smooth function of moderate growth, for lemmas that speak of all of these."""
    if nargs < 1:
        raise ValueError(f"nargs must be at least 1; got {nargs}")
    arguments = [Dummy(f"x_{i}", real=True) for i in range(1, nargs + 1)]

    def coefficient() -> Rational:
        numerator = int(rng.integers(1, 6)) * (1 if rng.random() < 0.5 else -1)
        return Rational(numerator, int(rng.integers(2, 6)))

    def polynomial() -> Expr:
        first, second = (arguments[int(rng.integers(nargs))] for _ in range(2))
        return coefficient() + coefficient() * first + coefficient() * first * second

    def slope() -> Rational:
        return coefficient() / 2

    def form() -> Expr:
        return coefficient() / 2 + Add(*(slope() * x for x in arguments))

    ridges = (sin, cos, erf, lambda u: exp(-(u**2) / 2))
    chosen = rng.permutation(len(ridges))[:2]
    # In several variables one direction for both keeps the quadrature one-dimensional.
    shared = form() if nargs > 1 else None
    terms = [polynomial() * ridges[int(k)](shared or form()) for k in chosen]
    return Lambda(tuple(arguments), Add(*terms))

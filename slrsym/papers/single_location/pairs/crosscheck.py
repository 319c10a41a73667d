"""Pairs of unit vectors in numbers: projected gradient descent in R^n, vector by vector.

Nothing of the reduction to overlaps is used but that the function is one of the overlaps.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from sympy import Eq, Ge, Le, Rational, false, lambdify

from slrsym.crosscheck import Inconclusive
from slrsym.crosscheck.points import parameters_of_statements, sample_points

Array = NDArray[np.float64]

PAIR_STEPS = 2500
PAIRS = 12
# How many of the pairs have to arrive, and how many examples are looked at for that.
ARRIVED = 6
TRIES = 8
_NEAR = 1e-2
_HIT = 1e-6
# What is not on the manifold has left it by rounding errors, perhaps.
_ON = 1e-6
# An end is one where nothing moves any more.
_STILL = 1e-13


def find_contradiction_in_simulated_descent(
    statement: Any, given: Iterable[Any], rng: Generator
) -> str:
    """Simulate pairs of unit vectors; return a contradiction to a statement, or an empty text."""
    descent = statement.map
    given = tuple(given)
    symbols = parameters_of_statements(statement, *given)
    arrived = 0
    at = [(n, [h.subs(descent.space_dimension, n) for h in given]) for n in range(3, 8)]
    allowed = [n for n, relations in at if false not in relations]
    for _ in range(TRIES):
        dimension = int(rng.choice(allowed or [4]))
        # Moderate parameters, for which something is to be seen within the steps taken.
        more: list[Any] = [Eq(descent.space_dimension, dimension)]
        for x in symbols:
            if x not in descent.space_dimension.free_symbols | descent.step_size.free_symbols:
                more += [Le(x, 4)] if x.is_integer else [Le(x, 2), Ge(x, Rational(1, 4))]
        (point,) = sample_points(symbols, [*given, *more], rng, 1)
        count, wrong = _arrivals(statement, point, dimension, rng)
        if wrong:
            where = ", ".join(f"{x} = {value}" for x, value in point.items())
            return f"{wrong}, at {where}"
        arrived += count
        if arrived >= ARRIVED:
            return ""
    raise Inconclusive(f"{arrived} of {TRIES * PAIRS} pairs were seen to arrive; that is too few")


def _arrivals(statement: Any, point: Any, dimension: int, rng: Generator) -> tuple[int, str]:
    """Return how many simulated pairs end as a statement says, and a contradiction or ''."""
    slopes = _Slopes(statement.map, point)
    rate = float(statement.map.step_size.subs(point))
    k, v = _manifold(dimension, rng)
    first = k[:, 0], v[:, 1]
    for _ in range(PAIR_STEPS):
        before = k, v
        k, v = _step(k, v, slopes, rate)
        if np.array_equal((k, v), before):
            break
    still = np.maximum(*(np.abs(a - b).max(axis=1) for a, b in zip((k, v), before, strict=True)))
    few = statement.is_about_few_starts
    arrived = 0
    for number in range(PAIRS):
        near = any(_is_near(statement, k[number], v[number], *point) for point in statement.points)
        arrived += near != few
        off = max(abs(v[number, 0]), abs(k[number, 1]), abs(float(k[number] @ v[number])))
        if near == few and (few or still[number] < _STILL) and off < _ON:
            start, end = (
                f"k . k* = {x[number]:.6g}, v . v* = {y[number]:.6g}"
                for x, y in (first, (k[:, 0], v[:, 1]))
            )
            return arrived, f"the pair that begins with {start} ends with {end}"
    return arrived, ""


def _is_near(statement: Any, k: Array, v: Array, s: Any, r: Any) -> bool:
    if statement.is_about_few_starts:
        return bool(max(abs(k[0] - float(s)), abs(v[1] - float(r))) < _HIT)
    ends = float(s) * _axis(k.size, 0), float(r) * _axis(v.size, 1)
    return bool(max(np.abs(k - ends[0]).max(), np.abs(v - ends[1]).max()) < _NEAR)


class _Slopes:
    """The compiled partial derivatives of the risk in the overlaps."""

    def __init__(self, descent: Any, point: Any) -> None:
        overlaps = descent.function.variables
        partial = [descent.function.expr.diff(x).subs(point) for x in overlaps]
        try:
            self._compiled = lambdify(overlaps, partial, modules=["scipy"], cse=True)
        except Exception as problem:
            raise Inconclusive(f"the gradient cannot be computed: {problem}") from None

    def __call__(self, *overlaps: Array) -> list[Array]:
        values = self._compiled(*overlaps)
        return [np.broadcast_to(np.asarray(x, dtype=float), overlaps[0].shape) for x in values]


def _axis(dimension: int, place: int) -> Array:
    return np.asarray(np.eye(dimension)[place])


def _manifold(dimension: int, rng: Generator) -> tuple[Array, Array]:
    """Return random pairs on the invariant manifold, in axes that start with k* and v*.

    In three dimensions they lie on four circles, on which they are uniform. In more dimensions k is
    uniform on the sphere orthogonal to v*, and v on that orthogonal to k* and k. The next two
    axes point to what is left of k beside k*, and of v beside v*: so what is zero is so without
    rounding errors, which might grow by a large factor in each step.
    """
    if dimension == 3:
        angle, side = 2 * np.pi * rng.random(PAIRS), rng.choice([-1.0, 1.0], PAIRS)
        circle, point = np.zeros((2, PAIRS, 3))
        circle[:, 0], circle[:, 2], point[:, 1] = np.cos(angle), np.sin(angle), side
        first = (rng.random(PAIRS) < 1 / 2)[:, None]
        swap = [1, 0, 2]
        return np.where(first, circle, point[:, swap]), np.where(first, point, circle[:, swap])
    k = rng.standard_normal((PAIRS, dimension))
    v = rng.standard_normal((PAIRS, dimension))
    k[:, 2] = np.linalg.norm(k[:, 2:], axis=1)
    v[:, 3] = np.linalg.norm(rng.standard_normal((PAIRS, dimension - 3)), axis=1)
    k[:, [1, *range(3, dimension)]] = 0
    v[:, [0, 2, *range(4, dimension)]] = 0
    k /= np.linalg.norm(k, axis=1, keepdims=True)
    return k, v / np.linalg.norm(v, axis=1, keepdims=True)


def _step(k: Array, v: Array, slopes: _Slopes, rate: float) -> tuple[Array, Array]:
    dimension = k.shape[1]
    k_star, v_star = _axis(dimension, 0), _axis(dimension, 1)
    p = slopes(k @ k_star, v @ v_star, v @ k_star, k @ v_star, (k * v).sum(axis=1))
    in_k = p[0][:, None] * k_star + p[3][:, None] * v_star + p[4][:, None] * v
    in_v = p[1][:, None] * v_star + p[2][:, None] * k_star + p[4][:, None] * k
    moved = []
    for x, gradient in ((k, in_k), (v, in_v)):
        tangent = gradient - (x * gradient).sum(axis=1, keepdims=True) * x
        y = x - rate * tangent
        moved.append(y / np.linalg.norm(y, axis=1, keepdims=True))
    return moved[0], moved[1]

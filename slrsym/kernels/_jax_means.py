"""Gaussian means by quadrature in JAX, with their derivatives."""

# mypy: ignore-errors

from __future__ import annotations

import itertools
import math
from typing import Any

import jax
import jax.numpy as jnp

from slrsym.kernels._jax_special import Function, make_differentiable, partial_derivative
from slrsym.kernels.numpy_special_functions import (
    AGREED,
    GRID_REACH,
    GRID_STEP,
    HALVINGS,
    hermite_polynomial,
)

# Nodes that are taken together.
_TOGETHER = 64


def gaussian_mean(f: Function, orders: tuple[int, ...], gapless: bool = False) -> Function:
    """Return a differentiable JAX function that computes Gaussian means of f by quadrature.

    By the heat equation, a derivative in a covariance is a second one in two means, and half of it
    in a variance. If f is `gapless`, a sum of 0 on the first grids is the mean.
    """
    count = len(orders)
    pairs = [(i, j) for i in range(count) for j in range(i, count)]

    def moved(f: Function, i: int, orders: tuple[int, ...]) -> tuple[Function, tuple[int, ...]]:
        """Return f with its first output differentiated in one variable, and the raised orders."""
        first = partial_derivative(lambda *z: f(*z)[0], i)
        higher = tuple(n + (k == i) for k, n in enumerate(orders))
        return lambda *z: (first(*z), *f(*z)[1:]), higher

    def slope(i: int) -> Function:
        if i < count:
            return gaussian_mean(*moved(f, i, orders), gapless)
        if i < count + len(pairs):
            first, second = pairs[i - count]
            once, once_orders = moved(f, first, orders)
            twice = gaussian_mean(*moved(once, second, once_orders), gapless)
            return lambda *inputs: twice(*inputs) / (2 if first == second else 1)
        place = i - len(pairs)
        parts = [partial_derivative(lambda *z, k=k: f(*z)[k], place) for k in range(3 - count)]
        return gaussian_mean(lambda *z: [part(*z) for part in parts], orders, gapless)

    one = jnp.vectorize(lambda *inputs: _trapezoid(f, orders, gapless, *inputs))
    return make_differentiable(lambda *inputs: one(*inputs), slope)


def _trapezoid(f: Function, orders: tuple[int, ...], gapless: bool, *inputs: Any) -> Any:
    count = len(orders)
    entries = count * (count + 3) // 2
    means, cov, parameters = inputs[:count], inputs[count:entries], inputs[entries:]
    root = [[jnp.sqrt(cov[0])]]
    if count == 2:
        across = jnp.where(cov[0] > 0, cov[1] / jnp.where(cov[0] > 0, root[0][0], 1.0), 0.0)
        root.append([across, jnp.sqrt(jnp.maximum(cov[2] - across * across, 0.0))])
    scales = jnp.stack(
        [jnp.max(jnp.abs(jnp.stack([r[k] for r in root[k:]]))) for k in range(count)]
    )
    first = GRID_STEP / 2.0 ** jnp.ceil(jnp.log2(jnp.maximum(scales, 1.0)))
    steep = count == 1 and root[0][0] > 1
    shifts = list(itertools.product((0.0, 0.5), repeat=count))

    def sums(steps: Any, shift: Any) -> Any:
        sizes = [jnp.ceil(2 * GRID_REACH / step + 1).astype(int) for step in steps]

        def block(number: Any, so_far: Any) -> Any:
            place = number * _TOGETHER + jnp.arange(_TOGETHER)
            numbers = [place % sizes[0], place // sizes[0]][:count]
            z = [(s + n) * h - GRID_REACH for s, n, h in zip(shift, numbers, steps, strict=True)]
            square = sum(x * x for x in z)
            bell = jnp.exp(-square / 2) * jnp.prod(steps / math.sqrt(2 * math.pi))
            # What is beyond may overflow.
            inside = (place < math.prod(sizes)) & (square <= (GRID_REACH + 0.5) ** 2)
            z = [jnp.where(inside, x, 0.0) for x in z]
            at = [
                m + sum(r * x for r, x in zip(row, z, strict=False))
                for m, row in zip(means, root, strict=True)
            ]
            derivative, *plain = f(*at, *parameters)
            terms = derivative
            if plain:
                tilted = plain[0] * hermite_polynomial(z[0], orders[0]) / root[0][0] ** orders[0]
                terms = jnp.where(steep, tilted, derivative)
            terms = jnp.where(inside, terms * bell, 0.0)
            return so_far[0] + jnp.sum(terms), so_far[1] + jnp.sum(jnp.abs(terms))

        blocks = (math.prod(sizes) + _TOGETHER - 1) // _TOGETHER
        return jax.lax.fori_loop(0, blocks, block, (0.0, 0.0))

    def goes_on(state: Any) -> Any:
        halvings, _, _, _, agree = state
        return (halvings < HALVINGS[count - 1]) & ~agree

    def halved(state: Any) -> Any:
        halvings, total, size, steps, _ = state
        found = [sums(steps, shift) for shift in shifts[1:]]
        other, more = (sum(x) for x in zip(*found, strict=True))
        weight = len(found)
        agree = jnp.abs(total - other / weight) <= AGREED * (size + more / weight)
        agree &= (size + more > 0) | gapless | (halvings + 1 == HALVINGS[count - 1])
        total, size = (total + other) / 2**count, (size + more) / 2**count
        return halvings + 1, total, size, steps / 2, agree

    finite = jnp.isfinite(scales).all()
    first = jnp.where(finite, first, 1.0)
    start = jnp.where(finite, 0, HALVINGS[count - 1])
    state = (start, *sums(first, shifts[0]), first, jnp.array(False))
    _, total, _, _, agree = jax.lax.while_loop(goes_on, halved, state)
    return jnp.where(agree, total, jnp.nan)

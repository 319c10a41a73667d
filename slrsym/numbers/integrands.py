"""The structure of an integrand: its independent parts, and where it is only polynomial."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from flint import arb
from sympy import Add, Basic, Dummy, Expr, Integer, Mul, Pow, S, Symbol, default_sort_key

from slrsym.gaussian.law import GaussianLaw, Law, NoiseLaw
from slrsym.numbers.errors import Undecided
from slrsym.numbers.magnitudes import Ball
from slrsym.numbers.rewriting import binds
from slrsym.search.symbols import free

__all__ = [
    "NOISE",
    "Block",
    "by_component",
    "degree_of",
    "essential_forms",
    "multiplied_out",
    "split_off_polynomial",
]

_MOST_TERMS = 4000


def multiplied_out(expr: Expr, random: frozenset[Symbol]) -> list[tuple[Expr, ...]]:
    """An expression as a sum of products, as far as products and powers of random sums allow."""
    if not free(expr) & random:
        return [(expr,)]
    if isinstance(expr, Add):
        return [factors for arg in expr.args for factors in multiplied_out(arg, random)]
    if isinstance(expr, Mul):
        result: list[tuple[Expr, ...]] = [()]
        for arg in expr.args:
            right = multiplied_out(arg, random)
            if len(result) * len(right) > _MOST_TERMS:
                return [(expr,)]
            result = [f + g for f in result for g in right]
        return result
    if isinstance(expr, Pow) and expr.exp.is_Integer and 1 < expr.exp <= 12:
        base, n = multiplied_out(expr.base, random), int(expr.exp)
        if len(base) == 1:
            return [tuple(factor**n for factor in base[0])]
        if math.comb(len(base) + n - 1, n) <= _MOST_TERMS:
            counts = Counter({(0,) * len(base): 1})
            for _ in range(n):
                step: Counter[tuple[int, ...]] = Counter()
                for powers, ways in counts.items():
                    for i in range(len(base)):
                        step[(*powers[:i], powers[i] + 1, *powers[i + 1 :])] += ways
                counts = step
            return [
                (Integer(w), *(f**p for fs, p in zip(base, ps, strict=True) if p for f in fs))
                for ps, w in counts.items()
            ]
    return [(expr,)]


@dataclass(frozen=True)
class Block:
    """One independent part of a law, without the checks of the laws themselves."""

    symbols: tuple[Symbol, ...]
    mean: tuple[Expr, ...]
    cov: Any

    @classmethod
    def of(cls, law: Law) -> list[Block]:
        """The independent parts of a law."""
        blocks = []
        for part in law.blocks():
            if isinstance(part, GaussianLaw):
                blocks.append(cls(part.symbols, tuple(part.mean.values()), part.cov))
            elif isinstance(part, NoiseLaw):
                blocks.append(cls(part.symbols, (), part.variance))
            else:
                raise Undecided(f"no quadrature for a law of type {type(part).__name__}")
        return blocks

    def copy(self) -> tuple[Block, dict[Symbol, Symbol]]:
        """The same block in new variables."""
        names = {s: Dummy(s.name, real=True) for s in self.symbols}
        return Block(tuple(names.values()), self.mean, self.cov), names

    @property
    def gaussian(self) -> bool:
        """Whether the block is Gaussian, and not a noise."""
        return bool(self.mean)


# A noise of mean 0 and variance 1 that shares no other moment with the normal law.
NOISE = ((-1, 1, 4, 9), (1, 2, 4, 9), (2, 1, 1, 9))


def by_component(
    factors: Iterable[Expr], owner: Mapping[Symbol, int], random: frozenset[Symbol]
) -> tuple[Expr, dict[frozenset[int], Expr]]:
    """The factors of a product, grouped by the independent blocks that they tie together."""
    constant: list[Expr] = []
    parts: dict[frozenset[int], Expr] = {}
    for factor in factors:
        concerned = frozenset(owner[s] for s in free(factor) & random)
        if not concerned:
            constant.append(factor)
            continue
        product = factor
        for other in [component for component in parts if component & concerned]:
            product *= parts.pop(other)
            concerned |= other
        parts[concerned] = product
    return Mul(*constant), parts


def split_off_polynomial(
    parts: dict[frozenset[int], Expr], random: frozenset[Symbol]
) -> tuple[tuple[tuple[frozenset[int], Expr], ...], Expr]:
    """Where one component is concerned, its polynomial factor is taken out, to be pooled."""
    if len(parts) != 1:
        return tuple(sorted(parts.items(), key=lambda part: sorted(part[0]))), S.One
    ((component, product),) = parts.items()
    factors = Mul.make_args(product)
    polynomial = [f for f in factors if f.as_base_exp()[0] in random and degree_of(f, random) > 0]
    rest = [f for f in factors if f not in polynomial]
    return ((component, Mul(*rest)),), Mul(*polynomial)


def degree_of(expr: Expr, random: frozenset[Symbol]) -> int:
    """Bound of the degree of an expression in what it depends on polynomially."""
    if not free(expr) & random:
        return 0
    if isinstance(expr, Symbol):
        return 1
    if isinstance(expr, Add):
        return max(degree_of(arg, random) for arg in expr.args)
    if isinstance(expr, Mul):
        return sum(degree_of(arg, random) for arg in expr.args)
    if isinstance(expr, Pow) and expr.exp.is_Integer and expr.exp > 0:
        return int(expr.exp) * degree_of(expr.base, random)
    return 0


def essential_forms(
    expr: Expr,
    random: frozenset[Symbol],
    affine: Callable[[Expr], tuple[Ball, dict[Symbol, Ball]] | None],
) -> list[dict[Symbol, Ball]]:
    """The linear forms in which an integrand is not polynomial."""
    found: dict[Expr, dict[Symbol, Ball]] = {}

    def inside(node: Basic) -> None:
        if not free(node) & random:
            return
        form = affine(node) if isinstance(node, Expr) else None
        if form is not None:
            found.setdefault(node, form[1])
        elif binds(
            node,
            ("Expectation", "Integral", "Limit", "Sum", "Product", "Derivative", "Subs", "AtPoint"),
        ):
            for symbol in sorted(free(node) & random, key=default_sort_key):
                found.setdefault(symbol, {symbol: arb(1)})
        else:
            for arg in node.args:
                inside(arg)

    def outside(node: Expr) -> None:
        if isinstance(node, Symbol) or not free(node) & random:
            return
        if isinstance(node, Add | Mul):
            for arg in node.args:
                outside(arg)
        elif isinstance(node, Pow) and node.exp.is_Integer and node.exp > 0:
            outside(node.base)
        else:
            inside(node)

    outside(expr)
    return [
        found[form] for form in sorted(found, key=lambda f: (len(found[f]), default_sort_key(f)))
    ]

"""What binds symbols: integrals, sums and sums of independent copies, with canonical names.

A bound variable is named by how many binders are nested below its own, so that equal integrals have
equal kernels, and no name is captured.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from flint import fmpq
from sympy import Basic, Dummy, Expr, Integral, Sum, Symbol

from slrsym.gaussian.binding import Expectation
from slrsym.gaussian.law import GaussianLaw, IIDSum, Law, NoiseLaw
from slrsym.search.algebra.atoms import RingOfAtoms
from slrsym.search.algebra.elements import Element, Key, add

__all__ = ["RingOfBinders", "canonical_variable", "depth_of", "shape_of"]


class RingOfBinders(RingOfAtoms):
    """A ring in which integrals, sums and sums of copies are generators."""

    def _bound_atom(self, expr: Integral | Sum) -> Element:
        """Integrals and sums, linear in their integrand, their bound variable canonical."""
        if len(expr.limits) != 1 or len(expr.limits[0]) != 3:
            return self._registered(("structure", expr), (), expr)
        variable, low, high = expr.limits[0]
        infinite = low.is_infinite or high.is_infinite
        ends = (low, high) if infinite else ()
        limits = () if infinite else (self.element(low), self.element(high))
        place = canonical_variable(depth_of(expr), 0)
        body = self.element(expr.function.xreplace({variable: place}))
        total: Element = {}
        for inner, outer in self._split(body, frozenset({place})):
            kernel = self.expression(inner)
            if kernel == 1 and isinstance(expr, Sum) and self._has_length(low, high):
                total = add(total, self._multiply(outer, self.element(high - low + 1)))
                continue
            # What is taken out may have been a binder, so the depth is that of what is left.
            name = canonical_variable(depth_of(kernel) + 1, 0)
            kernel = kernel.xreplace({place: name})
            node = expr.func(kernel, (name, low, high))
            atom = self._registered((expr.func, ends), (self.element(kernel), *limits), node)
            total = add(total, self._multiply(outer, atom))
        return total

    def _has_length(self, low: Expr, high: Expr) -> bool:
        """Whether there are high - low + 1 integers from the one to the other."""
        whole = low.is_integer is True and high.is_integer is True
        return whole and self.nonnegative(high - low + 1)

    def _copies_atom(self, expr: IIDSum) -> Element:
        count = self.element(expr.count)
        if self.vanishes(count):
            return {}
        term = self.element(expr.term.xreplace(self._canonical_names(expr.law, depth_of(expr))))
        parts = (term, count, *self._law_elements(expr.law))
        return self._registered(("iid", shape_of(expr.law)), parts, expr)

    def _canonical_names(self, law: Law, depth: int) -> dict[Symbol, Symbol]:
        return {s: canonical_variable(depth, i) for i, s in enumerate(law.symbols)}

    def _law_elements(self, law: Law) -> tuple[Element, ...]:
        if isinstance(law, GaussianLaw):
            entries = [*law.mean.values(), *law.cov]
        elif isinstance(law, NoiseLaw):
            entries = [law.variance]
        else:
            return tuple(e for block in law.blocks() for e in self._law_elements(block))
        return tuple(self.element(entry) for entry in entries)

    def _split(
        self, element: Element, bound: frozenset[Symbol], copies: bool = False
    ) -> list[tuple[Element, Element]]:
        """Write an element as a sum of (monomial in bound variables) x (coefficient)."""

        def concerns(g: int) -> bool:
            expr = self._generators[g].expr
            return bool(expr.free_symbols & bound) or (copies and expr.has(IIDSum))

        grouped: dict[Key, Element] = {}
        for (m, e), c in element.items():
            inner = tuple((g, p) for g, p in m if concerns(g))
            outer = tuple((g, p) for g, p in m if not concerns(g))
            inside: Element = {}
            outside: Element = {}
            for key, value in self._exponents[e].items():
                target = inside if any(concerns(g) for g, _ in key[0]) else outside
                target[key] = value
            part = grouped.setdefault((inner, self._exponent(inside)), {})
            key = (outer, self._exponent(outside))
            part[key] = part.get(key, fmpq(0)) + c
        return [({key: fmpq(1)}, outer) for key, outer in grouped.items()]


@cache
def canonical_variable(depth: int, position: int) -> Symbol:
    """The name of a bound variable."""
    return Dummy(f"x_{depth}_{position}", real=True)


def shape_of(law: Law) -> tuple[Any, ...]:
    """The kinds of a law's blocks, and how many variables each has."""
    return tuple((type(block).__name__, len(block.symbols)) for block in law.blocks())


def depth_of(expr: Basic) -> int:
    """How many binders are nested in an expression."""
    inner = max((depth_of(arg) for arg in expr.args), default=0)
    return inner + isinstance(expr, Expectation | Integral | Sum | IIDSum)

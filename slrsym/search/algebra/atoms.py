"""Atoms: values of functions, derivatives, and whatever else is not taken apart.

Two atoms are one generator if they are of the same kind and their arguments are equal, up to the
signs that an even or odd function allows.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

from sympy import Derivative, Expr, Indexed, Pow, asin, atan, erf
from sympy.core.function import AppliedUndef, Function, Subs

from slrsym.gaussian.functions import OwensT, zeta
from slrsym.search.algebra.elements import Element, add, generated, negative, subtract
from slrsym.search.algebra.powers import RingOfPowers

__all__ = ["RingOfAtoms", "partial_derivative"]

# Even (1) or odd (-1) in each argument.
_PARITIES: dict[type, tuple[int, ...]] = {
    OwensT: (1, -1),
    asin: (-1,),
    atan: (-1,),
    erf: (-1,),
    zeta: (1, 1),
}


class RingOfAtoms(RingOfPowers, ABC):
    """A ring in which any expression without bound variables may be a generator."""

    def __init__(
        self, positive: Callable[[Expr], bool], nonnegative: Callable[[Expr], bool]
    ) -> None:
        super().__init__(positive, nonnegative)
        # By kind: the generators, each with its arguments.
        self._atoms: dict[Any, list[tuple[int, tuple[Element, ...]]]] = {}
        self._atom_ids: set[int] = set()
        # What is known to be equal to an atom.
        self._aliases: dict[int, Element] = {}

    @abstractmethod
    def element(self, expr: Expr) -> Element:
        """The normal form of an expression."""

    def _atom(self, expr: Expr) -> Element:
        if type(expr) in _PARITIES:
            return self._parity_atom(expr, _PARITIES[type(expr)])
        partial = partial_derivative(expr)
        if partial is not None:
            head, arguments = partial
            return self._registered(head, tuple(self.element(a) for a in arguments), expr)
        if isinstance(expr, Derivative):
            counts = tuple(sorted(((v, n) for v, n in expr.variable_count), key=str))
            return self._registered(("derivative", counts), (self.element(expr.expr),), expr)
        if isinstance(expr, Function | Pow) and all(isinstance(a, Expr) for a in expr.args):
            parts = tuple(self.element(a) for a in expr.args)
            return self._registered(expr.func, parts, expr)
        if isinstance(expr, Indexed):
            return self._registered(
                ("indexed", expr.base), tuple(self.element(i) for i in expr.indices), expr
            )
        return self._registered(("structure", expr), (), expr)

    def _parity_atom(self, expr: Expr, parities: tuple[int, ...]) -> Element:
        """Atom of a function that is even (1) or odd (-1) in each argument."""
        arguments = tuple(self.element(a) for a in expr.args)
        if any(p < 0 and self.vanishes(a) for p, a in zip(parities, arguments, strict=True)):
            return {}
        return self._registered(expr.func, arguments, expr, parities)

    def _registered(
        self,
        head: Any,
        parts: tuple[Element, ...],
        expr: Expr,
        parities: tuple[int, ...] | None = None,
    ) -> Element:
        """The generator of the atom with this head and these arguments, with its sign."""
        known = self._atoms.setdefault(head, [])
        for generator, others in known:
            sign = self._matches(parts, others, parities or (0,) * len(parts))
            if sign:
                return self._atom_element(generator, sign)
        generator = self._new_generator(expr)
        known.append((generator, parts))
        self._atom_ids.add(generator)
        return self._atom_element(generator, 1)

    def _atom_element(self, generator: int, sign: int) -> Element:
        alias = self._aliases.get(generator)
        if alias is not None:
            return alias if sign > 0 else negative(alias)
        return generated(generator, 1, sign)

    def _matches(
        self, parts: tuple[Element, ...], others: tuple[Element, ...], parities: tuple[int, ...]
    ) -> int:
        """1 or -1 if the arguments agree up to signs that the parities allow, otherwise 0."""
        if len(parts) != len(others):
            return 0
        sign = 1
        for mine, other, parity in zip(parts, others, parities, strict=True):
            if self.vanishes(subtract(mine, other)):
                continue
            if not parity or not self.vanishes(add(mine, other)):
                return 0
            sign *= parity
        return sign


def partial_derivative(expr: Expr) -> tuple[Any, tuple[Expr, ...]] | None:
    """A partial derivative of an undefined function at a point.

    SymPy has two forms for it: ``Derivative(h(x, y), x)`` at a point named by symbols, and
    ``Subs(Derivative(h(z, y), z), z, p)`` elsewhere.
    """
    if isinstance(expr, Subs):
        inner = partial_derivative(expr.expr)
        if inner is None:
            return None
        values = dict(zip(expr.variables, expr.point, strict=True))
        return inner[0], tuple(a.xreplace(values) for a in inner[1])
    if not isinstance(expr, Derivative) or not isinstance(expr.expr, AppliedUndef):
        return None
    arguments = expr.expr.args
    orders = [0] * len(arguments)
    for variable, count in expr.variable_count:
        places = [i for i, a in enumerate(arguments) if variable in a.free_symbols]
        if len(places) != 1 or arguments[places[0]] != variable or not count.is_Integer:
            return None
        orders[places[0]] += int(count)
    return ("partial", expr.expr.func, tuple(orders)), arguments

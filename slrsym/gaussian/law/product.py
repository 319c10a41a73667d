"""Independent vectors, as one law."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sympy import Basic, Symbol

from slrsym.gaussian.law.base import Law

__all__ = ["ProductLaw"]


class ProductLaw(Law):
    """The joint law of independent random vectors.

    Parameters
    ----------
    *laws : Law
        Laws that name different variables. Products are flattened.

    Raises
    ------
    TypeError
        If one is no law.
    ValueError
        If there is none, two name the same variable, or one has a variable of another for a
        parameter.
    """

    def __new__(cls, *laws: Law) -> ProductLaw:
        if not laws:
            raise ValueError("laws must be one law at least")
        for law in laws:
            if not isinstance(law, Law):
                raise TypeError(f"laws must be Laws, such as a GaussianLaw; got {law!r}")
        flat = tuple(block for law in laws for block in law.blocks())
        names = [symbol for law in flat for symbol in law.symbols]
        twice = {s.name for s in names if names.count(s) > 1}
        if twice:
            raise ValueError(
                f"independent laws must name different variables; shared: {min(twice)}"
            )
        entangled = set(names) & set().union(*(law.parameters for law in flat))
        if entangled:
            raise ValueError(
                f"a factor of the product has the random variable {min(entangled, key=str)} of "
                "the product as a parameter; such laws are not independent"
            )
        result: ProductLaw = Basic.__new__(cls, *flat)
        return result

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        return tuple(symbol for law in self.args for symbol in law.symbols)

    @property
    def parameters(self) -> set[Symbol]:
        return set().union(*(law.parameters for law in self.args))

    def blocks(self) -> tuple[Law, ...]:
        result: tuple[Law, ...] = self.args
        return result

    def renamed(self, names: Mapping[Symbol, Symbol]) -> ProductLaw:
        return ProductLaw(*(law.renamed(names) for law in self.args))

    def _latex(self, printer: Any) -> str:
        return r" \perp ".join(rf"\left({printer._print(law)}\right)" for law in self.args)

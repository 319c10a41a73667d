"""Expressions that bind the symbols of a law: substituting around them, and renaming them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sympy import Basic, Dummy, Expr, Symbol

__all__ = ["Binder"]


class Binder(Expr):  # type: ignore[misc]
    """An expression under a law, whose random variables mean nothing outside of it.

    Subclasses have the properties `law` and `free_symbols` and the method `renamed`. Substituting a
    parameter never captures: where the new expression contains a symbol that is bound here, the
    bound one is renamed first. Expressions that differ in the names of bound symbols only have the
    same ``as_dummy()``.
    """

    law: Any

    def renamed(self, names: Mapping[Symbol, Symbol]) -> Any:
        """The same expression, its random variables named anew.

        Parameters
        ----------
        names : mapping of Symbol to Symbol
            New names, declared real. Variables that are not in it keep theirs.

        Returns
        -------
        Binder
            An expression of the same kind and meaning.
        """
        raise NotImplementedError

    @property
    def bound_symbols(self) -> list[Symbol]:
        """The symbols that name the random variables, in order."""
        return list(self.law.symbols)

    @property
    def canonical_variables(self) -> dict[Symbol, Symbol]:
        """A standard name for each bound symbol: ``_0``, ``_1``, ..., declared real."""
        bound = self.bound_symbols
        taken = {symbol.name for symbol in self.atoms(Symbol) - set(bound)}
        names = (f"_{k}" for k in range(len(taken) + len(bound)) if f"_{k}" not in taken)
        return {symbol: Symbol(name, real=True) for symbol, name in zip(bound, names, strict=False)}

    def _with_fresh_names(self, captured: set[Symbol]) -> Any:
        return self.renamed({s: Dummy(s.name, **s._assumptions_orig) for s in captured})

    def _eval_subs(self, old: Basic, new: Basic) -> Basic | None:
        bound = set(self.bound_symbols)
        if old.free_symbols & bound:
            return self
        captured = bound & new.free_symbols
        if captured and not self._free_of(old):
            return self._with_fresh_names(captured)._subs(old, new)
        return None

    def _free_of(self, old: Basic) -> bool:
        return bool(old.free_symbols) and not old.free_symbols <= self.free_symbols

    def _xreplace(self, rule: Any) -> tuple[Any, bool]:
        if self in rule:
            return rule[self], True
        bound = set(self.bound_symbols)
        if not isinstance(rule, Mapping):
            result: tuple[Any, bool] = super()._xreplace(rule)
            return result
        names = {
            key: value
            for key, value in rule.items()
            if key in bound and isinstance(value, Symbol) and value not in self.free_symbols
        }
        others = {key: value for key, value in rule.items() if key not in bound}
        incoming: set[Symbol] = set()
        for key, value in others.items():
            if not self._free_of(key):
                incoming |= getattr(value, "free_symbols", set())
        captured = (incoming & bound) - set(names)
        node = self._with_fresh_names(captured) if captured else self
        pairs = [arg._xreplace({**others, **names}) for arg in node.args]
        if not any(changed for _, changed in pairs):
            return (node, True) if captured else (self, False)
        return node.func(*(arg for arg, _ in pairs)), True

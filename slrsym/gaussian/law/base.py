"""What all laws have in common: they bind the symbols that name their random variables."""

from __future__ import annotations

from collections.abc import Mapping

from sympy import Basic, Symbol

__all__ = ["Law"]


class Law(Basic):  # type: ignore[misc]
    """Common ground of all laws: they bind the symbols that name their random variables."""

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        """The symbols naming the random variables, in order."""
        raise NotImplementedError

    @property
    def parameters(self) -> set[Symbol]:
        """The symbols that the law depends on."""
        raise NotImplementedError

    @property
    def free_symbols(self) -> set[Symbol]:
        return self.parameters

    @property
    def bound_symbols(self) -> list[Symbol]:
        return list(self.symbols)

    @property
    def canonical_variables(self) -> dict[Symbol, Symbol]:
        """None: names are changed by the expression under the law, in it and its law at once."""
        return {}

    def blocks(self) -> tuple[Law, ...]:
        """The independent laws that this one is made of."""
        return (self,)

    def renamed(self, names: Mapping[Symbol, Symbol]) -> Law:
        """The same law, its random variables named anew.

        Parameters
        ----------
        names : mapping of Symbol to Symbol
            New names, declared real. Variables that are not in it keep theirs.

        Returns
        -------
        Law
            A law of the same kind.
        """
        raise NotImplementedError

    def _eval_subs(self, old: Basic, new: Basic) -> Basic | None:
        if old in self.symbols:
            return self
        return None

"""Propositional logic: a decision procedure that tries truth values of the atoms.

What is no connective is an atom; two atoms are the same if they have the same key.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

from slrsym.checker.term import CONNECTIVES, Term, canonical_key, spend_work

# A literal is the number of an atom, negative if it is denied. Other formulas are
# ("and", parts), ("or", parts) and ("iff", left, right), with denials at the atoms; the denial of
# an iff is put on its right side.
Compiled: TypeAlias = Any


class TruthValueSearch:
    """The search for truth values of atoms that make all formulas true."""

    def __init__(self) -> None:
        self.atoms: dict[str, int] = {}

    def compile_formula(self, p: Term, holds: bool = True) -> Compiled:
        """Compile a formula or its negation to a tree of numbered atoms, negated by a minus."""
        spend_work(1)
        head = p[0]
        if head not in CONNECTIVES:
            atom = self.atoms.setdefault(canonical_key(p), len(self.atoms) + 1)
            return atom if holds else -atom
        if head == "not":
            return self.compile_formula(p[1], not holds)
        if head == "implies":
            head, p = "or", ("or", ("not", p[1]), p[2])
        if head == "iff":
            return ("iff", self.compile_formula(p[1]), self.compile_formula(p[2], holds))
        kind = head if holds else {"and": "or", "or": "and"}[head]
        return (kind, tuple(self.compile_formula(part, holds) for part in p[1:]))

    def truth_value_or_open_atom(self, p: Compiled, known: dict[int, bool]) -> bool | int:
        """Return a compiled formula's truth value, or the number of an undecided atom in it."""
        spend_work(1)
        if isinstance(p, int):
            if abs(p) not in known:
                return abs(p)
            return known[abs(p)] is (p > 0)
        if p[0] == "iff":
            a, b = (
                self.truth_value_or_open_atom(p[1], known),
                self.truth_value_or_open_atom(p[2], known),
            )
            if type(a) is int:
                return a
            return b if type(b) is int else a is b
        absorbing, open_atom = p[0] == "or", 0
        for part in p[1]:
            value = self.truth_value_or_open_atom(part, known)
            if value is absorbing:
                return absorbing
            if type(value) is int:
                open_atom = open_atom or value
        return open_atom or not absorbing

    def is_impossible(self, formulas: list[Compiled]) -> bool:
        """Return whether no truth values of the atoms make all formulas true."""
        cases: list[tuple[list[Compiled], dict[int, bool]]] = [(formulas, {})]
        while cases:
            formulas, known = cases.pop()
            spend_work(len(known))
            values = [(p, self.truth_value_or_open_atom(p, known)) for p in formulas]
            if any(value is False for _, value in values):
                continue
            undecided = [p for p, value in values if value is not True]
            if not undecided:
                return False
            # A literal that stands alone has one value; another atom is tried both ways.
            alone = next((p for p in undecided if isinstance(p, int)), 0)
            atom = abs(alone) or next(int(value) for _, value in values if value is not True)
            for truth in (alone > 0,) if alone else (True, False):
                cases.append((undecided, {**known, atom: truth}))
        return True


def are_contradictory(formulas: Iterable[Term]) -> bool:
    """Return whether formulas contradict each other; raise `Rejected` if that is too much work."""
    cases = TruthValueSearch()
    return cases.is_impossible([cases.compile_formula(p) for p in formulas])

"""Continuation of sequences behind the entries of a counterexample, in floats.

Hypotheses on all entries may exclude a start only much later: with e[i + 1] = e[i] - 1 and
e[i] >= -9, each start fails after some entries. A continuation that satisfies them is looked for in
a few ways.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import product
from typing import Any

import sympy as sp
from sympy import And, Eq, Ge, Gt, Implies, Le, Lt, Ne, Not, Or, Symbol
from sympy.core.relational import Relational
from sympy.tensor.indexed import Indexed

from slrsym.prover.claims.solutions_in_numbers import Recursion

_Opened = tuple[list[Symbol], Any]
# The value of each entry, by its sequence and place.
_Values = dict[tuple[Any, int], float]

# What an entry is multiplied by to get the next one, if that is free.
_RATIOS = (0.0, 1.0, 0.5)
# How far a hypothesis may be off that holds up to rounding.
_TOLERANCE = 1e-9
_COMPARED: dict[Any, Callable[[float, float], bool]] = {
    Eq: lambda gap, size: abs(gap) <= size,
    Ne: lambda gap, size: True,
    Le: lambda gap, size: gap <= size,
    Lt: lambda gap, size: gap <= size,
    Ge: lambda gap, size: gap >= -size,
    Gt: lambda gap, size: gap >= -size,
}


class Continuation:
    """Sequences behind known entries.

    Parameters
    ----------
    recursions : sequence of Recursion
        What is said of the next entries.
    parts : iterable of (list of Symbol, Basic)
        Hypotheses, with the variables that they are for. Those with sums in them are left out.
    at : mapping of Symbol to number
        The values of all other symbols.
    """

    def __init__(
        self, recursions: Sequence[Recursion], parts: Iterable[_Opened], at: Mapping[Any, Any]
    ) -> None:
        self._next = [
            (r.entry.base, r.entry.indices[0] - r.index, r.side, _OfEntries(r.bound, r.index, at))
            for r in recursions
        ]
        self._conditions = [
            (_condition(body, bound[0], at), _reach(body, bound[0]))
            for bound, body in parts
            if len(bound) == 1 and not body.has(sp.Sum, sp.Product)
        ]

    def lasts(self, known: Mapping[Indexed, Any], count: int) -> tuple[bool, int]:
        """Tell whether known entries go on in some way.

        Parameters
        ----------
        known : mapping of Indexed to number
            The entries, not empty.
        count : int
            How many more entries of each sequence have to satisfy the hypotheses.

        Returns
        -------
        tuple of bool and int
            Whether one way satisfies them, and how many places were tried in all ways.
        """
        start = {(e.base, int(e.indices[0])): float(value) for e, value in known.items()}
        tried = 0
        for ratios in product(_RATIOS, repeat=2):
            lasting, places = self._lasts(start, count, *ratios)
            tried += places
            if lasting:
                return True, tried
        return False, tried

    def _lasts(
        self, start: Mapping[tuple[Any, int], float], count: int, free: float, bounded: float
    ) -> tuple[bool, int]:
        values, end = dict(start), max(place for _, place in start)
        bases = sorted({base for base, _ in start}, key=str)
        determined = {base for base, *_ in self._next}
        for place in range(end + 1, end + count + 1):
            try:
                # Sequences that others are made of come first.
                for base in bases:
                    if base not in determined:
                        values[base, place] = free * values.get((base, place - 1), 0.0)
                for base, shift, side, bound in self._next:
                    value, last = bound(place - int(shift), values), values.get((base, place - 1))
                    if value is None:
                        values[base, place] = free * (last or 0.0)
                        continue
                    wanted = value if last is None or not side else bounded * last
                    values[base, place] = wanted if side * (wanted - value) > 0 else value
                if not all(holds(place - reach, values) for holds, reach in self._conditions):
                    return False, place - end
            except OverflowError:  # all held as long as the numbers were small
                return True, place - end
            except (ArithmeticError, ValueError, TypeError):
                return False, place - end
        return True, count


class _OfEntries:
    """An expression in entries of sequences, as a function of the index and of their values."""

    def __init__(self, body: Any, index: Symbol, at: Mapping[Any, Any]) -> None:
        values = {x: value for x, value in at.items() if x != index}
        body = body.subs(values)
        self._entries = sorted(body.atoms(Indexed), key=str)
        letters = [sp.Dummy(real=True) for _ in self._entries]
        body = body.xreplace(dict(zip(self._entries, letters, strict=True)))
        self._places = [sp.lambdify(index, e.indices[0], "math") for e in self._entries]
        self._value = sp.lambdify([index, *letters], body, "math")

    def __call__(self, index: int, values: _Values) -> Any:
        """Return the value; None if an entry is not known."""
        places = [int(place(index)) for place in self._places]
        found = [values.get((e.base, k)) for e, k in zip(self._entries, places, strict=True)]
        return None if None in found else self._value(index, *found)


def _condition(body: Any, index: Symbol, at: Mapping[Any, Any]) -> Callable[[int, _Values], bool]:
    """Return a function that tells whether a hypothesis holds at an index, or cannot be tried."""
    if isinstance(body, And | Or):
        parts = [_condition(part, index, at) for part in body.args]
        every = all if isinstance(body, And) else any
        return lambda k, values: every(part(k, values) for part in parts)
    # What is denied, and what supposes something, is not tried: too much would be true.
    if isinstance(body, Not | Implies) or not isinstance(body, Relational):
        return lambda k, values: True
    compared = _COMPARED[type(body)]
    left, right = (_OfEntries(side, index, at) for side in (body.lhs, body.rhs))

    def holds(k: int, values: _Values) -> bool:
        a, b = left(k, values), right(k, values)
        if a is None or b is None:
            return True
        return compared(a - b, _TOLERANCE * (1 + abs(a) + abs(b)))

    return holds


def _reach(body: Any, index: Symbol) -> int:
    """Return how far behind the index the last entry is of which a hypothesis speaks."""
    steps = [e.indices[0] - index for e in body.atoms(Indexed)]
    return max((int(step) for step in steps if step.is_Integer), default=0)

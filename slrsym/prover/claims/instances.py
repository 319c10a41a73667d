"""Instances of statements for all values of a variable, at a few of its values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import product
from typing import Any

import sympy as sp
from sympy import And, Dummy, Implies, Not, Or, S, Symbol
from sympy.concrete.expr_with_intlimits import ExprWithIntLimits
from sympy.core.relational import Relational
from sympy.functions.combinatorial.factorials import CombinatorialFunction
from sympy.tensor.indexed import Indexed

from slrsym.prover.statements.expressions import ForAll

# At which values of a bound variable a hypothesis is tried; the last ones are far out.
_VALUES = tuple(map(sp.Rational, (0, 1, -1, "1/2", "-5/2", 2, 3, 7, -1000, 1000)))
_MOST_INSTANCES = 12
# How many entries of a sequence are tried between two that are named.
_MOST_ENTRIES = 30
# No larger powers are taken, nor factorials of more, nor are more terms added.
_MOST_DIGITS = 3000


def opened(statement: Any) -> tuple[list[Symbol], Any]:
    """Return the variables that a statement is for all values of, and the statement itself."""
    bound = []
    while isinstance(statement, ForAll):
        x = Dummy(statement.variable.name, **statement.variable._assumptions_orig)
        bound.append(x)
        statement = statement.instantiate(x)
    return bound, statement


def indices_between_entries(parts: Sequence[tuple[Sequence[Symbol], Any]]) -> range | None:
    """Return the indices at which recursions link all entries that opened statements name.

    A recursion that is tried at a few numbers says nothing of the entry 7 by the entry 0. Return
    None if there are too many in between.
    """
    named, moved = [], [0]
    for bound, body in parts:
        for index in {i for entry in body.atoms(Indexed) for i in entry.indices}:
            if index.is_Integer:
                named.append(int(index))
            moved += [abs(int(index - x)) for x in bound if (index - x).is_Integer]
    if not named:
        return range(0)
    first, last = min(named) - max(moved), max(named) + max(moved)
    return range(first, last + 1) if last - first <= _MOST_ENTRIES else None


def share_of_instances(statements: Iterable[Any]) -> int:
    """Return among how many statements, three by three, instances are shared out."""
    return 1 + len(list(statements)) // 3


def instances_of(
    bound: Sequence[Symbol],
    body: Any,
    share: int,
    among: Sequence[sp.Rational] = _VALUES,
    indices: Iterable[int] = (),
) -> Iterator[Any]:
    """Yield a statement at several values of its bound variables; fewer of many statements.

    Statements on sequences are tried at all `indices`, too.
    """
    from slrsym.crosscheck.random_values import has_declared_properties

    first = tuple(map(sp.Integer, indices)) if body.has(Indexed) else ()
    among = tuple(dict.fromkeys((*first, *among)))
    allowed = [[v for v in among if has_declared_properties(v, x)] for x in bound]
    most = max(1, _MOST_INSTANCES // share) + len(first) ** len(bound)
    for count, values in enumerate(product(*allowed)):
        if count < most or (share == 1 and len(set(values)) == 1):
            chosen = dict(zip(bound, values, strict=True))
            # There is no derivative in the direction of a number.
            with suppress(ValueError, TypeError):
                if not _is_too_large(body, chosen):
                    yield with_values(body, chosen)


def _is_too_large(body: Any, values: Mapping[Symbol, Any]) -> bool:
    """Return whether a statement has numbers of too many digits, or too many terms, at values."""
    for part in sp.postorder_traversal(body):
        if isinstance(part, sp.Pow) and not part.exp.is_number:
            base, size = part.base.xreplace(values), part.exp.xreplace(values)
            size = size if base.is_Rational else S.Zero
        elif isinstance(part, CombinatorialFunction):
            size = max((arg.xreplace(values) for arg in part.args), key=_size)
        elif isinstance(part, ExprWithIntLimits):
            ends = [end.xreplace(values) for _, *ends in part.limits for end in ends]
            size = max(ends, key=_size, default=S.Zero)
        else:
            continue
        if _size(size) > _MOST_DIGITS:
            return True
    return False


def _size(number: Any) -> Any:
    return abs(number) if number.is_Rational else S.Zero


def with_values(statement: Any, values: Mapping[Symbol, Any]) -> Any:
    """Return a statement with numbers put in for symbols.

    SymPy does not compare the sides that it would have to compute: that takes forever to tell
    erf(10^6)^2 from 1.
    """
    if isinstance(statement, And | Or | Not | Implies):
        return statement.func(*(with_values(part, values) for part in statement.args))
    if not isinstance(statement, Relational):
        return statement.xreplace(values)
    sides = [side.xreplace(values) for side in statement.args]
    return statement.func(*sides, evaluate=not is_computed(*sides, sides[0] - sides[1]))


def is_computed(*sides: Any) -> bool:
    """Return whether an expression is a number that has to be computed."""
    return any(side.is_number and not side.is_Rational for side in sides)

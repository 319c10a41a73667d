"""The questions that others ask: signs of expressions, and whether relations hold."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from sympy import Eq, Expr, Ge, Gt, Le, Lt, Ne, oo, sympify
from sympy.core.relational import Relational
from sympy.logic.boolalg import And, Or, false, true

from slrsym.search.ranges import Facts, NoRange
from slrsym.search.sign.decider import Decider
from slrsym.search.sign.signs import Sign

__all__ = ["decider_of", "holds", "is_defined", "is_nonzero", "sign_of"]


@lru_cache(maxsize=64)
def decider_of(facts: Facts) -> Decider:
    """What decides under these facts; the same for equal ones, so that it remembers."""
    return Decider(facts)


def _ready(facts: Facts | None) -> Decider:
    decider = decider_of(facts or Facts())
    decider.inquiry.restart()
    return decider


def sign_of(expr: Any, facts: Facts | None = None) -> Sign:
    """What is certain of the sign of an expression.

    Examples
    --------
    >>> from sympy import Symbol, symbols
    >>> x, y = symbols("x y", real=True)
    >>> sign_of(x**2 - 2*x*y + 2*y**2 + 1)
    Sign(> 0)
    >>> sign_of(x - x**2)
    Sign(unknown)
    """
    return decider_of(facts or Facts()).answer(sympify(expr))


def is_defined(expr: Any, facts: Facts | None = None) -> bool:
    """Whether an expression is certainly a real number, all over the domain.

    Examples
    --------
    >>> from sympy import Symbol, sqrt
    >>> x = Symbol("x", real=True)
    >>> is_defined(1 / sqrt(1 + x**2)), is_defined(1 / sqrt(1 + x))
    (True, False)
    """
    try:
        _ready(facts).require_defined(sympify(expr))
    except NoRange:
        return False
    return True


def is_nonzero(expr: Any, facts: Facts | None = None) -> bool:
    """Whether an expression is certainly defined and different from zero."""
    return sign_of(expr, facts).nonzero


def holds(relation: Any, facts: Facts | None = None) -> bool:
    """Whether a relation certainly holds."""
    facts = facts or Facts()
    relation = sympify(relation)
    if relation in (true, false):
        return relation is true
    if relation in facts.given or relation in facts.relations:
        return True
    if isinstance(relation, And):
        return all(holds(part, facts) for part in relation.args)
    if isinstance(relation, Or):
        return any(holds(part, facts) for part in relation.args)
    if not isinstance(relation, Relational) or not all(isinstance(s, Expr) for s in relation.args):
        return False
    decider = _ready(facts)
    try:
        for side in relation.args:
            if side not in (oo, -oo):
                decider.require_defined(side)
    except NoRange:
        return False
    if relation.has(oo, -oo) and any(side in (oo, -oo) for side in relation.args):
        lesser = relation.args if isinstance(relation, Lt | Le) else relation.args[::-1]
        return isinstance(relation, Lt | Le | Gt | Ge) and (
            (lesser[1] is oo and lesser[0] is not oo) or (lesser[0] is -oo and lesser[1] is not -oo)
        )
    sign = sign_of(relation.lhs - relation.rhs, facts)
    verdicts = {
        Eq: sign.zero,
        Ne: sign.nonzero,
        Lt: sign.negative,
        Le: sign.nonpositive,
        Gt: sign.positive,
        Ge: sign.nonnegative,
    }
    return verdicts[type(relation)]

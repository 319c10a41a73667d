"""Whether a statement holds at a point, and by how many digits."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import mpmath
from sympy import (
    ITE,
    And,
    Basic,
    Eq,
    Equivalent,
    Implies,
    Ne,
    Not,
    Or,
    S,
    Xor,
    sympify,
)
from sympy.core.relational import Relational

from slrsym.numbers.balls import Point, Undecided, Value, digits_of, value_of
from slrsym.numbers.evaluator import Evaluator
from slrsym.numbers.functions import RELATIONS
from slrsym.numbers.integrands import with_functions
from slrsym.statements.text import spoken

_SLACK = 2
_NEGLIGIBLE = 1e-15


def evaluate(
    expr: Any, point: Point, digits: int = 30, functions: Mapping[Any, Any] | None = None
) -> Value:
    """The value of an expression at a point.

    Examples
    --------
    >>> from sympy import Symbol, erf
    >>> from slrsym.gaussian import Expectation, standard_normal
    >>> G = Symbol("G", real=True)
    >>> evaluate(Expectation(erf(1 + G) ** 2, standard_normal(G)), {}).number
    mpf('0.62429667035758772')
    """
    if digits < 1:
        raise ValueError(f"digits must be at least 1; got {digits}")
    expr = with_functions(sympify(expr), functions or {})
    return _evaluated(expr, digits, lambda working: Evaluator(point, working))


def _evaluated(expr: Basic, digits: int, evaluator: Callable[[int], Evaluator]) -> Value:
    """The value of an expression, by the evaluator for so many digits."""
    working = digits + 3
    for _ in range(4):
        value = value_of(evaluator(working).number(expr))
        reference = _reference_size(value)
        missing = digits - digits_of(value.error, reference)
        if missing <= 0 or math.isinf(missing):
            break
        working += math.ceil(missing) + 4
    return value


def _reference_size(*values: Value) -> Any:
    """What errors are relative to: the larger value, or the largest term if that dwarfs it."""
    size = max(abs(value.number) for value in values)
    scale = max(value.scale for value in values)
    largest = mpmath.mpf(0) if scale == -math.inf else mpmath.mpf(2) ** scale
    return largest if size < _NEGLIGIBLE * largest else size


class Disagreement(Exception):  # noqa: N818
    """A statement fails at a point."""

    def __init__(self, statement: Any, point: Mapping[Any, Any], lhs: str, rhs: str) -> None:
        self.statement, self.point, self.lhs, self.rhs = statement, point, lhs, rhs
        super().__init__(f"{spoken(statement)} fails{place(point)}: {lhs} against {rhs}")


def place(point: Mapping[Any, Any]) -> str:
    where = ", ".join(f"{symbol} = {value}" for symbol, value in point.items())
    return f" at {where}" if where else ""


@dataclass
class Judge:
    """Decides statements at one point, and remembers the numbers that decided."""

    point: Point
    digits: int
    # Far out, sides that differ may be too close to each other to be told apart.
    lenient: bool = False
    last: tuple[Any, Value, Value] | None = field(default=None)
    agreed: float = math.inf
    missed: float = 0.0
    # By digits; what both sides contain is evaluated once.
    evaluators: dict[int, Evaluator] = field(default_factory=dict)

    def _evaluator(self, working: int) -> Evaluator:
        if working not in self.evaluators:
            self.evaluators[working] = Evaluator(self.point, working)
        return self.evaluators[working]

    def holds(self, statement: Basic) -> bool:
        if statement in (S.true, S.false):
            result: bool = statement == S.true
            return result
        if isinstance(statement, Relational):
            return self._relation(statement)
        if isinstance(statement, Not):
            return not self.holds(statement.args[0])
        if isinstance(statement, And | Or | Implies | ITE):
            return self._connected(statement)
        if isinstance(statement, Equivalent | Xor):
            values = [self.holds(arg) for arg in statement.args]
            if isinstance(statement, Xor):
                return sum(values) % 2 == 1
            return len(set(values)) == 1
        raise ValueError(
            f"{statement} is not a relation, nor a combination of relations by And, Or, Not, "
            f"Implies, Equivalent, Xor, ITE"
        )

    def _connected(self, statement: Basic) -> bool:
        if isinstance(statement, Implies):
            premise, conclusion = statement.args
            return self._connected(Or(Not(premise), conclusion, evaluate=False))
        if isinstance(statement, ITE):
            condition, yes, no = statement.args
            return self.holds(yes if self.holds(condition) else no)
        decisive = isinstance(statement, Or)
        undecided: Undecided | None = None
        for part in statement.args:
            try:
                if self.holds(part) is decisive:
                    return decisive
            except Undecided as reason:
                undecided = reason
        if undecided is not None:
            raise undecided
        return not decisive

    def _relation(self, relation: Relational) -> bool:
        for digits in (self.digits, 2 * self.digits, 4 * self.digits):
            verdict = self._compared(relation, digits)
            if verdict is not None:
                return verdict
        raise Undecided(f"{spoken(relation)} cannot be decided at {4 * self.digits} digits")

    def _compared(self, relation: Relational, digits: int) -> bool | None:
        """The verdict; None asks for more digits."""
        left, right = (_evaluated(side, digits, self._evaluator) for side in relation.args)
        self.last = relation, left, right
        with mpmath.workdps(digits + 40):
            difference = left.number - right.number
            error = left.error + right.error
            reference = _reference_size(left, right)
            apart = abs(difference)
            agreed = digits_of(apart + error, reference)
            if isinstance(relation, Eq):
                # Sides known so well that they are seen to differ do not count as equal.
                differ = apart > 4 * error and apart > reference * mpmath.mpf(10) ** -self.digits
                if agreed >= self.digits - _SLACK and not differ:
                    self.agreed = min(self.agreed, agreed, float(self.digits))
                    return True
                if apart > 2 * error:
                    self.missed = agreed
                    return False
                return None
            tolerance = 2 * error + reference * mpmath.mpf(10) ** -digits
            if apart > tolerance:
                if isinstance(relation, Ne):
                    return True
                if isinstance(difference, mpmath.mpc):
                    raise Undecided(f"{relation} orders numbers that are not real")
                sign = 1 if difference > 0 else -1
                return RELATIONS[type(relation).__name__](sign)
            if agreed < digits - _SLACK:
                return None
            # Equal as far as can be seen. For a strict relation look once more, twice as far.
            if type(relation).__name__ in ("LessThan", "GreaterThan"):
                return True
            return None if digits == self.digits or self.lenient else False

    def disagreement(self, statement: Basic) -> Disagreement:
        if self.last is None:
            return Disagreement(statement, self.point, "False", "True")
        relation, left, right = self.last
        shown = max(20, int(self.missed) + 6)
        lhs, rhs = (mpmath.nstr(side.number, shown) for side in (left, right))
        return Disagreement(relation, self.point, lhs, rhs)


def truth(
    statement: Any, point: Point, digits: int = 30, functions: Mapping[Any, Any] | None = None
) -> bool:
    """Whether a statement holds at a point."""
    return Judge(point, digits).holds(with_functions(sympify(statement), functions or {}))

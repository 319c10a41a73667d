"""Certificates that inequalities of a claim hold on a box, checked in ball arithmetic."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from flint import arb, ctx
from sympy import Expr, Ge, Gt, Le, Lt, Rational, Symbol, exp
from sympy.logic.boolalg import Boolean

from slrsym.balls.box_functions import ParametricFunctions
from slrsym.balls.boxes import decimal_or_fraction_text, parse_rational_interval, to_flint_rational
from slrsym.balls.branch_and_bound import Budget, Subdivision, prove_positive
from slrsym.crosscheck.random_values import has_declared_properties
from slrsym.gaussian import erf_prime, erf_second, zeta
from slrsym.kernels.symbolic_functions import zeta_by_variance
from slrsym.prover.certificates.box_certificate import register_certificate_class
from slrsym.prover.certificates.certificate_search import DIGITS
from slrsym.prover.certificates.domain_conditions import domain_conditions
from slrsym.prover.statements.exact_numbers import require_exact_reals
from slrsym.prover.statements.expressions import conjuncts
from slrsym.registry import load_registered


@register_certificate_class
@dataclass(frozen=True)
class InequalitiesOnBox:
    """A certificate that a claim's inequalities hold on a box; see `Claim.certified_by`.

    Strict inequalities between elementary functions, erf, and zeta can be shown; others hold with
    equality somewhere, perhaps, which boxes do not see.

    Parameters
    ----------
    ranges : mapping of Symbol to number or interval
        For every symbol of the statement a rational number, or a pair of them: integers, SymPy's
        `Rational`, or texts such as ``"1/10"`` and ``"0.1"``.
    max_boxes : int, optional
        How many boxes may be looked at.
    seconds : float, optional
        For how long; by default as long as there are boxes left, so that what is shown does not
        depend on the machine.
    digits : int, optional
        How many decimal digits balls are computed with.

    Raises
    ------
    ProofError
        If a number is a float, which is seldom the decimal that was written.
    ValueError
        If a range is none.

    Examples
    --------
    >>> from sympy import Gt, Symbol, erf
    >>> x = Symbol("x", real=True)
    >>> InequalitiesOnBox({x: ("1/10", 3)}).reason_not_shown(Gt(erf(x), x / 5))
    ''
    >>> InequalitiesOnBox({x: ("1/10", 6)}).reason_not_shown(Gt(erf(x), x / 5))[:30]
    'erf(x) > x/5 does not hold at '
    """

    ranges: Mapping[Symbol, Any]
    max_boxes: int = 20_000
    seconds: float = math.inf
    digits: int = DIGITS
    _ends: dict[Symbol, tuple[Fraction, Fraction]] = field(
        init=False, repr=False, default_factory=dict
    )

    def __post_init__(self) -> None:
        for symbol, value in self.ranges.items():
            require_exact_reals(f"the box of {symbol}", value)
            self._ends[symbol] = parse_rational_interval(str(symbol), value)

    def _repr_html_(self) -> str:
        return str(load_registered("fields.html")(self, ["box_text", "max_boxes", "digits"]))

    @property
    def box_text(self) -> str:
        """The box of the symbols' values, as a text such as ``x in [0, 1]``."""
        if not self._ends:
            return "all values"
        shown = {
            x: [
                decimal_or_fraction_text(end) if end.denominator > 1000 else str(end)
                for end in ends
            ]
            for x, ends in self._ends.items()
        }
        return ", ".join(
            f"{x} = {low}" if low == high else f"{x} in [{low}, {high}]"
            for x, (low, high) in shown.items()
        )

    def reason_not_shown(self, statement: Boolean) -> str:
        """Prove strict inequalities by subdividing the box; return why not, or an empty text.

        Both sides, as they are written, are proved to be defined, too.

        Parameters
        ----------
        statement : Boolean
            Strict inequalities, or several of them.

        Returns
        -------
        str
            Why the statement is not shown; empty if it is.
        """
        budget = Budget(self.max_boxes, self.seconds)
        defined: set[Expr] = set()
        relations = conjuncts(statement)
        return next((why for r in relations if (why := self._relation(r, budget, defined))), "")

    def _relation(self, relation: Boolean, budget: Budget, defined: set[Expr]) -> str:
        if not isinstance(relation, Gt | Lt):
            kind = "an inequality that is not strict" if isinstance(relation, Ge | Le) else "none"
            return f"only strict inequalities can be certified; {relation} is {kind}"
        missing = relation.free_symbols - self._ends.keys()
        if missing:
            names = ", ".join(sorted(str(x) for x in missing))
            return f"the box says nothing of {names}, of which {relation} speaks"
        for x in sorted(relation.free_symbols, key=str):
            if not _has_value_as_declared(x, *self._ends[x]):
                what = ", ".join(
                    sorted(fact for fact, holds in x._assumptions_orig.items() if holds)
                )
                return f"no number of the box {self.box_text} is a value of {x}, declared {what}"
        try:
            # Of the sides as they are written: in their difference, undefined parts may cancel.
            for condition, part in domain_conditions(relation).items():
                if condition not in defined:
                    found, at = self._proved_positive(condition, budget)
                    if not found.is_complete:
                        complete = found.counterexample is not None
                        where = at if complete else _undecided_text(found, self.box_text)
                        why = f"{relation} is undecided {where}".rstrip()
                        return f"{why}: {part} may be undefined"
                    defined.add(condition)
            found, at = self._proved_positive(relation.gts - relation.lts, budget)
        except (ValueError, TypeError, NotImplementedError) as problem:
            return f"{relation} cannot be certified: {problem}"
        if found.counterexample is not None:
            return f"{relation} does not hold {at}".rstrip()
        if not found.is_complete:
            return f"{relation} is undecided {_undecided_text(found, self.box_text)}"
        return ""

    def _proved_positive(self, expr: Expr, budget: Budget) -> tuple[Subdivision, str]:
        """Subdivide the box to prove an expression positive; say where a counterexample is."""
        # What is a single number is computed with once.
        symbols = sorted(expr.free_symbols, key=str)
        fixed = {x: self._ends[x][0] for x in symbols if self._ends[x][0] == self._ends[x][1]}
        state = [x for x in symbols if x not in fixed]
        box = tuple(
            (to_flint_rational(low), to_flint_rational(high))
            for low, high in map(self._ends.__getitem__, state)
        )
        functions = ParametricFunctions(
            (_elementary(expr),), state, parameters={x.name: x for x in fixed}
        )
        with ctx.workdps(self.digits):
            numbers = {x.name: arb(to_flint_rational(value)) for x, value in fixed.items()}
        found = prove_positive(functions.bind(numbers, self.digits), box, budget)
        if found.counterexample is None:
            return found, ""
        at = [f"{x} = {low}" for x, (low, _) in zip(state, found.counterexample, strict=True)]
        if not at:
            return found, f"at {self.box_text}" if self._ends else ""
        return found, f"at {', '.join(at)}"


def _has_value_as_declared(x: Symbol, low: Fraction, high: Fraction) -> bool:
    """Return whether a symbol may have a value of an interval: a sign, or whole numbers, tell."""
    whole = (math.ceil(low), math.ceil(low) + 1, math.floor(high) - 1, math.floor(high))
    inside = [v for v in (low, high, (low + high) / 2, *whole) if low <= v <= high]
    return any(has_declared_properties(Rational(Fraction(v)), x) for v in inside)


def _undecided_text(found: Subdivision, box: str) -> str:
    return f"in {len(found.undecided)} of {len(found.tree)} boxes of {box}"


def _elementary(expr: Expr) -> Expr:
    """Return an expression rewritten in functions that ball arithmetic can evaluate."""
    expr = expr.replace(lambda e: isinstance(e, erf_prime | erf_second), lambda e: e.rewrite(exp))
    return expr.replace(zeta, zeta_by_variance)

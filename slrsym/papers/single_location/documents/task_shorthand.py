r"""The paper's abbreviations: its letters for products and roots, and its names of the risk.

:math:`\sqrt{1+2\lambda^2\gamma^2}` becomes :math:`A`.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from sympy import Add, Expr, Function, Lambda, Mul, Pow, S, Symbol, asin, pi, sqrt

from slrsym.documents.export.shorthand import Shorthand, exponents_and_coefficient
from slrsym.gaussian import Expectation, IIDSum
from slrsym.papers.single_location import notation

# The spread of a score, and its mean.
SPREAD = Symbol("s", positive=True)
MEAN = Symbol("t", real=True)
SMALL_A = Symbol("a", real=True)
A = Symbol("A", positive=True)
B = Symbol("B", positive=True)
# Drawn as a root, and read as one.
DRIFT = Symbol("sqrt(d/2)", positive=True)

# Names that no one would give to a function.
RISK = Function("R(6)", real=True)
RISK_ON_M = Function("R<", real=True)
RISK_CLOSED = Function("R^", real=True)


FIVE: tuple[Expr, ...] = notation.ORDER_PARAMETERS


@cache
def risk_definition() -> Any:
    """Return the definition of the risk, as an expectation."""
    from slrsym.papers.single_location import symbolic

    return symbolic.risk_definition()


@cache
def risk_on_manifold() -> Any:
    """Return the closed form of the risk on the manifold (Lemma 6)."""
    from slrsym.proof import builtin_ledger

    return builtin_ledger().find("lemma-6").statement.rhs


@cache
def overlaps_if_risk_definition(expr: Expectation) -> tuple[Expr, ...] | None:
    """Return the overlaps at which an expectation is the definition of the risk, or None."""
    definition = risk_definition()
    if expr == definition:
        return FIVE
    if not isinstance(expr.integrand, Pow) or not expr.has(IIDSum):
        return None
    for values in _RISK_ARGUMENTS:
        if definition.subs(dict(zip(FIVE, values, strict=True))) == expr:
            return values
    return None


_K, _N = notation.kappa, notation.nu
_RISK_ARGUMENTS = (
    (_K, _N, S.Zero, S.Zero, S.Zero),
    *itertools.product(*2 * [(S.One, -S.One)], *3 * [(S.Zero,)]),
)


@cache
def point_if_manifold_risk(expr: Add) -> tuple[Expr, Expr] | None:
    """Return the point (kappa, nu) if a sum is the risk there on the manifold, else None."""
    fixed = {notation.epsilon, notation.gamma, notation.L, notation.lam, notation.d}
    if not fixed <= expr.free_symbols or notation.epsilon**2 not in expr.args:
        return None
    free = sorted(expr.free_symbols - fixed, key=str)
    if len(free) > 2 or not all(s.is_real for s in free):
        return None
    values = [*free, *(-s for s in free), S.One, S.NegativeOne, S.Zero]
    for x, y in itertools.product(values, repeat=2):
        if {*x.free_symbols, *y.free_symbols} >= set(free) and _value_on_m(x, y) == expr:
            return x, y
    return None


def is_closed_risk(expr: Add) -> bool:
    """Return whether a sum is the closed form of the risk in all five overlaps."""
    result: bool = {*FIVE, notation.epsilon} <= expr.free_symbols and expr == _closed_risk()
    return result


@cache
def _closed_risk() -> Any:
    """Return the closed form in the claim ``excess-risk-stable``, plus the noise variance."""
    from slrsym.papers.single_location.symbolic import excess_risk_stable

    return notation.epsilon**2 + excess_risk_stable()


@cache
def _value_on_m(x: Expr, y: Expr) -> Any:
    both = {notation.kappa: x, notation.nu: y}
    return risk_on_manifold().subs(both, simultaneous=True)


@dataclass
class TaskShorthand(Shorthand):
    """The abbreviations of one claim with the paper's letters, where they fit."""

    spread: Expr | None = None
    risk: bool = True
    risk_on_m: bool = True
    squares: bool = True

    def _arguments(self, expr: Any) -> list[Any]:
        # An arc sine of 2 s^2/(1 + 2 s^2) is known by its looks.
        short = replace(self, squares=False, _known={}) if isinstance(expr, asin) else self
        return [short(arg) for arg in expr.args]

    def _root(self, power: Expr) -> Expr | None:
        """Write a power of 1 + 2 s^2 by the letter A, and one of 1 + 4 s^2 by B."""
        doubled = 2 * power.exp
        if self.spread is None or not doubled.is_Integer or A not in self.letters:
            return None
        for letter, factor in ((A, 2), (B, 4)):
            if power.base == 1 + factor * self.spread**2 and doubled.is_odd:
                return letter**doubled
        return None

    def _monomial(self, product: Expr) -> Expr:
        product = self._zeta_at_zero(product)
        if not isinstance(product, Mul | Pow):
            return product
        powers, number = exponents_and_coefficient(product)
        if DRIFT in self.letters and notation.d in powers:
            # 2^(1/2) d^(1/2) is 2 (d/2)^(1/2).
            half = powers[notation.d]
            if half.q == 2:
                powers[DRIFT] = 2 * half
                number *= sqrt(2) ** (2 * half)
                del powers[notation.d]
        self._take(powers, SPREAD, {notation.lam: 1, notation.gamma: 1}, exact=True)
        self._take(powers, MEAN, {notation.lam: 1, DRIFT: 1, notation.kappa: 1})
        if self.squares and A in self.letters:
            for letter in (A, B):
                base = self.letters[letter] ** 2
                if base in powers and powers[base].is_Integer:
                    powers[letter] = powers.get(letter, S.Zero) + 2 * powers.pop(base)
        if SMALL_A in self.letters and powers.get(MEAN) == 1 and powers.get(A) == -1:
            self._take(powers, SMALL_A, {MEAN: 1, A: -1})
        halves = int(powers.get(DRIFT, 0) / 2)
        if halves:
            # A root of d/2 that is squared is none.
            powers[DRIFT] -= 2 * halves
            powers[notation.d] = powers.get(notation.d, S.Zero) + halves
            number /= S(2) ** halves
        return Mul(number, *(Pow(base, power) for base, power in powers.items()))

    def _take(
        self,
        powers: dict[Expr, Any],
        letter: Symbol,
        of: Mapping[Any, int],
        exact: bool = False,
    ) -> None:
        if letter not in self.letters or any(base not in powers for base in of):
            return
        counts = [powers[base] / count for base, count in of.items()]
        if len({count > 0 for count in counts}) > 1 or (exact and len(set(counts)) > 1):
            return
        count = min(counts, key=abs)
        if not count.is_Integer:
            return
        for base, each in of.items():
            powers[base] -= count * each
            if powers[base] == 0:
                del powers[base]
        powers[letter] = powers.get(letter, S.Zero) + count

    def _zeta_at_zero(self, product: Expr) -> Expr:
        """Write the arc sine to which SymPy evaluates zeta(0, lambda) as zeta again."""
        lam = notation.lam
        arc = asin(2 * lam**2 / (1 + 2 * lam**2))
        if not product.has(arc):
            return product
        rest = product / arc * pi / 2
        return rest if rest.has(asin) else rest * _ZETA_AT_ZERO

    # -- the risk ------------------------------------------------------------------------------

    def _named(self, expr: Any) -> Any:
        if isinstance(expr, Pow) and self.spread is not None and expr.exp.is_Rational:
            return self._root(expr)
        if isinstance(expr, Expectation) and self.risk:
            values = overlaps_if_risk_definition(expr)
            if values is not None:
                self.functions[RISK] = Lambda(FIVE, risk_definition())
                return RISK(*map(self, values))
        if isinstance(expr, Add) and self.risk_on_m:
            place = point_if_manifold_risk(expr)
            if place is not None:
                self.functions[RISK_ON_M] = Lambda(
                    (notation.kappa, notation.nu), risk_on_manifold()
                )
                return RISK_ON_M(*place)
        if isinstance(expr, Add) and self.risk and is_closed_risk(expr):
            self.functions[RISK_CLOSED] = Lambda(FIVE, expr)
            return RISK_CLOSED(*FIVE)
        return None


# Not the function itself, which would evaluate.
_ZETA_AT_ZERO = Function("zeta", real=True)(S.Zero, notation.lam)

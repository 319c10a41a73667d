r"""Means over one sample, as sums over all units of groups of exchangeable units.

The units of a group have numbers from 1 to K, and K may be a symbol. A mean about the units i < j
adds up over the units in the error: one by one over i and j, and over the numbers between, as in
:math:`\sum_{a=1}^{i-1}`. There a is another unit, and the law of its projections is that of another
unit. So nothing is counted here: that :math:`K - 2` units are neither i nor j is for a proof.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any

from sympy import Add, Dummy, Expr, S, Sum, Symbol, collect, expand, factor

from slrsym.gaussian import Expectation
from slrsym.models.definition.exchangeable_units import (
    REPRESENTATIVES,
    UnitTag,
)
from slrsym.models.definition.specification import Direction
from slrsym.models.means.moments import generic_gaussian_variables
from slrsym.models.means.one_sample_means import EMPTY_PRODUCT, OneSampleMeans, ProductTerm

if TYPE_CHECKING:
    from slrsym.models.definition.projections import TokenRole
    from slrsym.models.training.descent import DerivedModel

# Units in a mean by their numbers, ascending, each with the place of its representative.
Units = tuple[tuple[Symbol, int], ...]


class MeansAsSymbolicSumsOverUnits(OneSampleMeans):
    """Means over one sample as sums over units, with the interface of `OneSampleMeans`.

    The model is one by representatives. Means are about `units`, given for each number of units of
    a group. In `names` are those of symbols of the model, which no unit has.
    """

    def __init__(
        self, model: DerivedModel, units: Mapping[Expr, Units], names: frozenset[str]
    ) -> None:
        super().__init__(model)
        self._units = dict(units)
        taken = names | {s.name for row in units.values() for s, _ in row}
        self._letters = [letter for letter in "abcdefghklmnpq" if letter not in taken]

    def risk(self) -> Expr:
        """Return 0 in place of the risk, as no claim about equations of motion speaks of it."""
        return S.Zero

    def _derivative(self, role: TokenRole, x: Direction | Symbol) -> list[ProductTerm]:
        """Return the derivative of the error in x, which for a unit is its own term."""
        found = super()._derivative(role, x)
        if not isinstance(x, Direction) or x.group is None:
            return found
        own = self._tags(x)
        return [ProductTerm(c, tags - own, product) for c, tags, product in found]

    def _moment(
        self,
        name: tuple[Any, ...],
        role: TokenRole,
        fixed: frozenset[Symbol],
        factors: list[list[ProductTerm]],
        power: int,
    ) -> Expr:
        held = {
            count: tuple(u for u in units if UnitTag(count, u[1]) in fixed)
            for count, units in self._units.items()
        }
        return self._over_units(role, [*factors, *[self._error(role)] * power], [], held)

    def _over_units(
        self,
        role: TokenRole,
        factors: Sequence[list[ProductTerm]],
        chosen: list[list[ProductTerm]],
        units: Mapping[Expr, Units],
    ) -> Expr:
        """Sum the mean of a product of factors over the units in each factor."""
        if not factors:
            product = reduce(self._times, chosen, [EMPTY_PRODUCT])
            return self._mean_of(role, product, units)
        (first, *rest), total = factors, S.Zero
        if several := next((part.tags for part in first if len(part.tags) > 1), None):
            raise ValueError(
                "claims of exchangeable units are for sums over units, and not for their products; "
                f"got a product of {len(several)}"
            )
        if alone := [part for part in first if not part.tags]:
            total += self._over_units(role, rest, [*chosen, alone], units)
        for count in sorted({t.group_size for part in first for t in part.tags}, key=str):

            def term(place: int, present: Units, count: Expr = count) -> Expr:
                own = {UnitTag(count, place)}
                parts = [part for part in first if part.tags == own]
                return self._over_units(role, rest, [*chosen, parts], {**units, count: present})

            letter = self._letters[len(chosen)]
            total += self._over_group(count, units.get(count, ()), term, letter)
        return total

    def _over_group(self, count: Expr, present: Units, term: Any, letter: str) -> Expr:
        """Sum a term over the units of a group: the given units, and all between them."""
        total = Add(*(term(place, present) for _, place in present))
        place = min(set(range(REPRESENTATIVES)) - {p for _, p in present})
        x = Symbol(letter, integer=True)
        lows = [S.One, *(s + 1 for s, _ in present)]
        highs = [*(s - 1 for s, _ in present), count]
        for n, (low, high) in enumerate(zip(lows, highs, strict=True)):
            body = term(place, (*present[:n], (x, place), *present[n:]))
            if body != 0:
                total += Sum(body, (x, low, high))
        return total

    def _mean_of(
        self, role: TokenRole, parts: Sequence[ProductTerm], units: Mapping[Expr, Units]
    ) -> Expr:
        total: Expr = S.Zero
        for part in parts:
            pattern, order = self._pattern(role, part)
            value = pattern.core
            if order:
                names = [self._name(x, units) for x, _ in order]
                law = self.projection_law(role, dict(zip(order, names, strict=True)))
                named = dict(zip(generic_gaussian_variables(pattern.count), names, strict=True))
                value = Expectation(value.xreplace(named), law)
            total += part.coefficient * value
        return total

    @staticmethod
    def _name(x: Direction, units: Mapping[Expr, Units]) -> Symbol:
        """Return a symbol for the projection on a direction, numbered as its unit."""
        name = x.name
        if x.group is not None:
            group, place = x.group
            for number, representative in units.get(group.count, ()):
                if representative == place:
                    name = f"{group.name}_{{{number.name}}}"
        return Symbol(f"X_{{{name}}}", real=True)


def collapse_sums_of_equal_terms(expr: Expr) -> Expr:
    """Evaluate sums over exchangeable units whose terms are equal, as one term times their number.

    The expression has sums and expectations, and laws in it name no unit.
    """
    means = sorted(expr.atoms(Expectation), key=str)
    names = {e: Dummy(f"E_{n}", real=True) for n, e in enumerate(means)}
    plain = expr.xreplace(names)
    while sums := [s for s in plain.atoms(Sum) if not s.function.has(Sum)]:
        values = {}
        for s in sums:
            ((_, low, high),) = s.limits
            values[s] = expand(s.function) * (high - low + 1)
        plain = plain.xreplace(values)
    found: Expr = collect(expand(plain), list(names.values()), factor)
    return found.xreplace({name: e for e, name in names.items()})

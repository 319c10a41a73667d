"""Expectations: what of linearity, independence and moments a step allows is used."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from sympy import Add, Expr, Integer, Mul, Pow, Rational, exp

from slrsym.gaussian.binding import Expectation
from slrsym.gaussian.law import GaussianLaw, IIDSum, Law, NoiseLaw, ProductLaw
from slrsym.search.algebra.binders import RingOfBinders, canonical_variable, depth_of, shape_of
from slrsym.search.algebra.elements import Element, Key, add, constant

__all__ = ["Freedom", "RingOfExpectations"]

# A factor of an integrand, with the variables and sums of copies that it concerns.
_Piece = tuple[Expr, frozenset[Any]]


@dataclass(frozen=True)
class Freedom:
    """Which properties of expectations the normal form may use besides algebra."""

    linearity: bool = False
    independence: bool = False
    moments: bool = False


class RingOfExpectations(RingOfBinders):
    """A ring in which expectations are generators."""

    def __init__(
        self,
        positive: Callable[[Expr], bool],
        nonnegative: Callable[[Expr], bool],
        freedom: Freedom,
    ) -> None:
        super().__init__(positive, nonnegative)
        self.freedom = freedom

    def _expectation(self, node: Expectation) -> Element:
        names = self._canonical_names(node.law, depth_of(node))
        integrand = self.element(node.integrand.xreplace(names))
        if not self.freedom.linearity:
            head = ("expectation", shape_of(node.law))
            return self._registered(head, (integrand, *self._law_elements(node.law)), node)
        law = node.law.renamed(names)
        total: Element = {}
        sums = node.integrand.xreplace(names).atoms(IIDSum)
        for inner, outer in self._split(integrand, frozenset(law.symbols), bool(sums)):
            total = add(total, self._multiply(outer, self._term_expectation(inner, law)))
        return total

    def _term_expectation(self, inner: Element, law: Law) -> Element:
        """Expectation of a single monomial (no coefficient)."""
        ((key, _),) = inner.items()
        pieces = self._pieces(key, law)
        total = constant(1)
        groups = self._independent_groups(pieces, law) if self.freedom.independence else [pieces]
        for group in groups:
            if group:
                total = self._multiply(total, self._single(Mul(*(f for f, _ in group)), group, law))
        return total

    def _pieces(self, key: Key, law: Law) -> list[_Piece]:
        """The factors of a monomial, each with the variables (and sums of copies) it concerns."""
        monomial, e = key
        factors = [
            self._generators[g].expr ** Rational(p.numerator, p.denominator) for g, p in monomial
        ]
        if e:
            exponent = self.expression(self._exponents[e])
            factors += [exp(term) for term in Add.make_args(exponent)]
        names = set(law.symbols)
        return [(f, frozenset((f.free_symbols & names) | f.atoms(IIDSum))) for f in factors]

    def _independent_groups(self, pieces: list[_Piece], law: Law) -> list[list[_Piece]]:
        def correlated(a: Any, b: Any) -> bool:
            # Two sums of copies become one and the same when their numbers agree.
            if a == b or (isinstance(a, IIDSum) and isinstance(b, IIDSum)):
                return True
            for block in law.blocks():
                if isinstance(block, GaussianLaw) and a in block.symbols and b in block.symbols:
                    return not self.vanishes(self.element(block.covariance(a, b)))
            return False

        groups: list[list[_Piece]] = []
        for piece in pieces:
            joined = [piece]
            for group in list(groups):
                if any(correlated(a, b) for _, v in group for a in v for b in piece[1]):
                    joined = group + joined
                    groups.remove(group)
            groups.append(joined)
        return groups

    def _single(self, integrand: Expr, group: list[_Piece], law: Law) -> Element:
        involved: frozenset[Any] = frozenset().union(*(v for _, v in group))
        sums = [v for v in involved if isinstance(v, IIDSum)]
        if self.freedom.moments:
            known = self._moment(integrand, involved, sums, law)
            if known is not None:
                return known
        restricted = _restricted(law, involved)
        names = (
            {}
            if restricted is None
            else {
                s: canonical_variable(depth_of(integrand) + 1, i)
                for i, s in enumerate(restricted.symbols)
            }
        )
        integrand = integrand.xreplace(names)
        # A nested normal form without freedom: the integrand is one monomial already.
        inner = self.element(integrand)
        if restricted is None:
            return self._registered(("expectation", "sum"), (inner,), Expectation(integrand, law))
        restricted = restricted.renamed(names)
        return self._registered(
            ("expectation", shape_of(restricted)),
            (inner, *self._law_elements(restricted)),
            Expectation(integrand, restricted),
        )

    def _moment(
        self, integrand: Expr, involved: frozenset[Any], sums: list[IIDSum], law: Law
    ) -> Element | None:
        base, power = (
            integrand.as_base_exp() if isinstance(integrand, Pow) else (integrand, Integer(1))
        )
        if len(involved) != 1 or power not in (1, 2):
            return None
        if sums:
            (copies,) = sums
            if base != copies:
                return None
            n = copies.count
            first = Expectation(copies.term, copies.law)
            if power == 1:
                return self.element(n * first)
            second = Expectation(copies.term**2, copies.law)
            return self.element(n * second + n * (n - 1) * first**2)
        for block in law.blocks():
            if isinstance(block, NoiseLaw) and base == block.symbols[0]:
                return self.element(block.variance) if power == 2 else {}
        return None


def _restricted(law: Law, involved: Iterable[Any]) -> Law | None:
    """The marginal law of the variables involved; None if only sums of copies are."""
    chosen = set(involved)
    kept: list[Law] = []
    for block in law.blocks():
        present = [s for s in block.symbols if s in chosen]
        if present:
            kept.append(block.marginal(*present) if isinstance(block, GaussianLaw) else block)
    if not kept:
        return None
    return kept[0] if len(kept) == 1 else ProductLaw(*kept)

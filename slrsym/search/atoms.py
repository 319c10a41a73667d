"""Atoms of the ring: values of functions, derivatives, integrals, sums, expectations.

Two atoms are one generator if they are of the same kind and their arguments are equal, up to the
signs that an even or odd function allows. A bound variable is named by how many binders are nested
below its own, so that equal integrals have equal kernels, and no name is captured. Of linearity,
independence and moments of expectations, what a step allows is used.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

from flint import fmpq
from sympy import (
    Add,
    Basic,
    Derivative,
    Dummy,
    Expr,
    Indexed,
    Integer,
    Integral,
    Mul,
    Pow,
    Rational,
    Sum,
    Symbol,
    asin,
    atan,
    erf,
    exp,
)
from sympy.core.function import AppliedUndef, Function, Subs

from slrsym.gaussian.binding import Expectation
from slrsym.gaussian.functions import OwensT, zeta
from slrsym.gaussian.law import GaussianLaw, IIDSum, Law, NoiseLaw, ProductLaw
from slrsym.search.ring import (
    Element,
    Key,
    RingOfPowers,
    add,
    constant,
    generated,
    negative,
    subtract,
)
from slrsym.statements.expressions import put

# Even (1) or odd (-1) in each argument.
_PARITIES: dict[type, tuple[int, ...]] = {
    OwensT: (1, -1),
    asin: (-1,),
    atan: (-1,),
    erf: (-1,),
    zeta: (1, 1),
}


class RingOfAtoms(RingOfPowers, ABC):
    """A ring in which any expression without bound variables may be a generator."""

    def __init__(
        self, positive: Callable[[Expr], bool], nonnegative: Callable[[Expr], bool]
    ) -> None:
        super().__init__(positive, nonnegative)
        # By kind: the generators, each with its arguments.
        self._atoms: dict[Any, list[tuple[int, tuple[Element, ...]]]] = {}
        self._atom_ids: set[int] = set()
        # What is known to be equal to an atom.
        self._aliases: dict[int, Element] = {}

    @abstractmethod
    def element(self, expr: Expr) -> Element:
        """The normal form of an expression."""

    def _atom(self, expr: Expr) -> Element:
        if type(expr) in _PARITIES:
            return self._parity_atom(expr, _PARITIES[type(expr)])
        partial = partial_derivative(expr)
        if partial is not None:
            head, arguments = partial
            return self._registered(head, tuple(self.element(a) for a in arguments), expr)
        if isinstance(expr, Subs) and not expr.expr.has(Derivative):
            return self.element(put(expr.expr, dict(zip(expr.variables, expr.point, strict=True))))
        if isinstance(expr, Derivative):
            counts = tuple(sorted(((v, n) for v, n in expr.variable_count), key=str))
            return self._registered(("derivative", counts), (self.element(expr.expr),), expr)
        if isinstance(expr, Function | Pow) and all(isinstance(a, Expr) for a in expr.args):
            parts = tuple(self.element(a) for a in expr.args)
            return self._registered(expr.func, parts, expr)
        if isinstance(expr, Indexed):
            return self._registered(
                ("indexed", expr.base), tuple(self.element(i) for i in expr.indices), expr
            )
        return self._registered(("structure", expr), (), expr)

    def _parity_atom(self, expr: Expr, parities: tuple[int, ...]) -> Element:
        """Atom of a function that is even (1) or odd (-1) in each argument."""
        arguments = tuple(self.element(a) for a in expr.args)
        if any(p < 0 and self.vanishes(a) for p, a in zip(parities, arguments, strict=True)):
            return {}
        return self._registered(expr.func, arguments, expr, parities)

    def _registered(
        self,
        head: Any,
        parts: tuple[Element, ...],
        expr: Expr,
        parities: tuple[int, ...] | None = None,
    ) -> Element:
        """The generator of the atom with this head and these arguments, with its sign."""
        known = self._atoms.setdefault(head, [])
        for generator, others in known:
            sign = self._matches(parts, others, parities or (0,) * len(parts))
            if sign:
                return self._atom_element(generator, sign)
        generator = self._new_generator(expr)
        known.append((generator, parts))
        self._atom_ids.add(generator)
        return self._atom_element(generator, 1)

    def _atom_element(self, generator: int, sign: int) -> Element:
        alias = self._aliases.get(generator)
        if alias is not None:
            return alias if sign > 0 else negative(alias)
        return generated(generator, 1, sign)

    def _matches(
        self, parts: tuple[Element, ...], others: tuple[Element, ...], parities: tuple[int, ...]
    ) -> int:
        """1 or -1 if the arguments agree up to signs that the parities allow, otherwise 0."""
        if len(parts) != len(others):
            return 0
        sign = 1
        for mine, other, parity in zip(parts, others, parities, strict=True):
            if self.vanishes(subtract(mine, other)):
                continue
            if not parity or not self.vanishes(add(mine, other)):
                return 0
            sign *= parity
        return sign


def partial_derivative(expr: Expr) -> tuple[Any, tuple[Expr, ...]] | None:
    """A partial derivative of an undefined function at a point.

    SymPy has two forms for it: ``Derivative(h(x, y), x)`` at a point named by symbols, and
    ``Subs(Derivative(h(z, y), z), z, p)`` elsewhere.
    """
    if isinstance(expr, Subs):
        inner = partial_derivative(expr.expr)
        if inner is None:
            return None
        values = dict(zip(expr.variables, expr.point, strict=True))
        return inner[0], tuple(a.xreplace(values) for a in inner[1])
    if not isinstance(expr, Derivative) or not isinstance(expr.expr, AppliedUndef):
        return None
    arguments = expr.expr.args
    orders = [0] * len(arguments)
    for variable, count in expr.variable_count:
        places = [i for i, a in enumerate(arguments) if variable in a.free_symbols]
        if len(places) != 1 or arguments[places[0]] != variable or not count.is_Integer:
            return None
        orders[places[0]] += int(count)
    return ("partial", expr.expr.func, tuple(orders)), arguments


class RingOfBinders(RingOfAtoms):
    """A ring in which integrals, sums and sums of copies are generators."""

    def _bound_atom(self, expr: Integral | Sum) -> Element:
        """Integrals and sums, linear in their integrand, their bound variable canonical."""
        if len(expr.limits) != 1 or len(expr.limits[0]) != 3:
            return self._registered(("structure", expr), (), expr)
        variable, low, high = expr.limits[0]
        infinite = low.is_infinite or high.is_infinite
        ends = (low, high) if infinite else ()
        limits = () if infinite else (self.element(low), self.element(high))
        place = canonical_variable(depth_of(expr), 0)
        body = self.element(expr.function.xreplace({variable: place}))
        total: Element = {}
        for inner, outer in self._split(body, frozenset({place})):
            kernel = self.expression(inner)
            if kernel == 1 and isinstance(expr, Sum) and self._has_length(low, high):
                total = add(total, self._multiply(outer, self.element(high - low + 1)))
                continue
            # What is taken out may have been a binder, so the depth is that of what is left.
            name = canonical_variable(depth_of(kernel) + 1, 0)
            kernel = kernel.xreplace({place: name})
            node = expr.func(kernel, (name, low, high))
            atom = self._registered((expr.func, ends), (self.element(kernel), *limits), node)
            total = add(total, self._multiply(outer, atom))
        return total

    def _has_length(self, low: Expr, high: Expr) -> bool:
        """Whether there are high - low + 1 integers from the one to the other."""
        whole = low.is_integer is True and high.is_integer is True
        return whole and self.nonnegative(high - low + 1)

    def _copies_atom(self, expr: IIDSum) -> Element:
        count = self.element(expr.count)
        if self.vanishes(count):
            return {}
        term = self.element(expr.term.xreplace(self._canonical_names(expr.law, depth_of(expr))))
        parts = (term, count, *self._law_elements(expr.law))
        return self._registered(("iid", shape_of(expr.law)), parts, expr)

    def _canonical_names(self, law: Law, depth: int) -> dict[Symbol, Symbol]:
        return {s: canonical_variable(depth, i) for i, s in enumerate(law.symbols)}

    def _law_elements(self, law: Law) -> tuple[Element, ...]:
        if isinstance(law, GaussianLaw):
            entries = [*law.mean.values(), *law.cov]
        elif isinstance(law, NoiseLaw):
            entries = [law.variance]
        else:
            return tuple(e for block in law.blocks() for e in self._law_elements(block))
        return tuple(self.element(entry) for entry in entries)

    def _split(
        self, element: Element, bound: frozenset[Symbol], copies: bool = False
    ) -> list[tuple[Element, Element]]:
        """Write an element as a sum of (monomial in bound variables) x (coefficient)."""

        def concerns(g: int) -> bool:
            expr = self._generators[g].expr
            return bool(expr.free_symbols & bound) or (copies and expr.has(IIDSum))

        grouped: dict[Key, Element] = {}
        for (m, e), c in element.items():
            inner = tuple((g, p) for g, p in m if concerns(g))
            outer = tuple((g, p) for g, p in m if not concerns(g))
            inside: Element = {}
            outside: Element = {}
            for key, value in self._exponents[e].items():
                target = inside if any(concerns(g) for g, _ in key[0]) else outside
                target[key] = value
            part = grouped.setdefault((inner, self._exponent(inside)), {})
            key = (outer, self._exponent(outside))
            part[key] = part.get(key, fmpq(0)) + c
        return [({key: fmpq(1)}, outer) for key, outer in grouped.items()]


@cache
def canonical_variable(depth: int, position: int) -> Symbol:
    """The name of a bound variable."""
    return Dummy(f"x_{depth}_{position}", real=True)


def shape_of(law: Law) -> tuple[Any, ...]:
    """The kinds of a law's blocks, and how many variables each has."""
    return tuple((type(block).__name__, len(block.symbols)) for block in law.blocks())


def depth_of(expr: Basic) -> int:
    """How many binders are nested in an expression."""
    inner = max((depth_of(arg) for arg in expr.args), default=0)
    return inner + isinstance(expr, Expectation | Integral | Sum | IIDSum)


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

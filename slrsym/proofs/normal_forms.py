r"""Equality of expressions, decided by a normal form.

An expression becomes a sum of terms :math:`c \prod_i g_i^{e_i} \exp(q)`, with c rational,
generators :math:`g_i` and exponents :math:`e_i` rational, and q again a normal form. Generators are
symbols, :math:`\pi`, i, primes under a root, *roots* (a polynomial that occurs with a negative or
fractional exponent) and *atoms* (erf, Owen's T, an expectation, ... of arguments in normal form).

Two expressions are reported equal only if the numerator of their difference vanishes term by term,
so the answer "equal" is a proof. Powers are principal, and a root of a product is the product of
roots only where all factors but one are known to be positive.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import sympy as sp
from flint import fmpq
from sympy import Abs, Add, Basic, Derivative, Expr, I, Integral, Mul, Pow, Rational, Sum, Symbol
from sympy.core.function import AppliedUndef, Function, Subs

from slrsym.gaussian.binding import Expectation
from slrsym.gaussian.functions import OwensT, erf_prime, erf_second, normal_cdf, normal_pdf, zeta
from slrsym.gaussian.law import GaussianLaw, IIDSum, Law, NoiseLaw, ProductLaw
from slrsym.proofs.ring import (
    Element,
    GrowingRing,
    Key,
    Monomial,
    NotNormalizable,
    add,
    constant,
    exact,
    generated,
    negative,
    subtract,
)
from slrsym.statements.expressions import put

# Even (1) or odd (-1) in each argument.
_PARITIES: dict[type, tuple[int, ...]] = {
    OwensT: (1, -1),
    sp.asin: (-1,),
    sp.atan: (-1,),
    sp.erf: (-1,),
    zeta: (1, 1),
}


@cache
def canonical_variable(depth: int, position: int) -> Symbol:
    return sp.Dummy(f"x_{depth}_{position}", real=True)


def shape_of(law: Law) -> tuple[Any, ...]:
    """The kinds of a law's blocks, and how many variables each has."""
    return tuple((type(block).__name__, len(block.symbols)) for block in law.blocks())


def depth_of(expr: Basic) -> int:
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


ALGEBRA, LINEAR = Freedom(), Freedom(linearity=True)
INDEPENDENT = Freedom(linearity=True, independence=True)
MOMENTS = Freedom(linearity=True, independence=True, moments=True)


@dataclass(frozen=True)
class _Equation:
    """That ``coefficient * cofactor * exp(exponent) * atom = value``, the cofactor perhaps zero."""

    atom: int
    cofactor: Monomial
    exponent: int
    coefficient: fmpq
    value: Element


class NormalForms(GrowingRing):
    """The ring in which the expressions of one proof step are compared."""

    def __init__(
        self,
        positive: Callable[[Expr], bool],
        nonnegative: Callable[[Expr], bool],
        freedom: Freedom,
    ) -> None:
        super().__init__(positive, nonnegative)
        self.freedom = freedom
        self.denominators: list[Expr] = []
        self._memo: dict[Expr, Element] = {}
        self._equations: list[_Equation] = []
        # By kind: the generators that are atoms, each with its arguments.
        self._atoms: dict[Any, list[tuple[int, tuple[Element, ...]]]] = {}
        self._atom_ids: set[int] = set()
        # What is known to be equal to an atom.
        self._aliases: dict[int, Element] = {}

    # -- questions -----------------------------------------------------------------------------

    def equal(self, first: Expr, second: Expr) -> bool:
        difference = subtract(self.element(first), self.element(second))
        for equation in self._equations:
            difference = self._reduced(difference, equation)
        return self.vanishes(difference)

    def assume(self, left: Expr, right: Expr) -> None:
        """Use the equation ``left = right`` from now on, solved for an atom of `left`.

        An atom with a coefficient that may vanish is replaced only along with that coefficient.
        """
        element, others = self.element(left), self.element(right)
        if self.vanishes(subtract(element, others)):
            return
        # What is solved for should have a coefficient that cannot vanish, if there is a choice.
        found: _Equation | None = None
        for (m, e), c in element.items():
            for g, p in m:
                rest = {key: v for key, v in element.items() if key != (m, e)}
                if g not in self._atom_ids or p != 1:
                    continue
                if any(h == g for side in (rest, others) for n, _ in side for h, _ in n):
                    continue
                cofactor = tuple(x for x in m if x[0] != g)
                equation = _Equation(g, cofactor, e, c, subtract(others, rest))
                if all(self._generators[h].positive for h, _ in cofactor):
                    inverse = self._power({(cofactor, e): c}, Fraction(-1))
                    self._aliases[g] = self._multiply(equation.value, inverse)
                    self._memo.clear()
                    return
                found = found or equation
        if found is None:
            raise NotNormalizable(f"the equation for {left} cannot be solved for one of its terms")
        self._equations.append(found)

    def _reduced(self, element: Element, equation: _Equation) -> Element:
        """The element, the equation put in wherever that takes no division."""
        total: Element = {}
        for (m, e), c in element.items():
            part: Element = {(m, e): c}
            powers = dict(m)
            if powers.pop(equation.atom, None) == 1:
                for g, p in equation.cofactor:
                    powers[g] = powers.get(g, Fraction(0)) - p
                if all(p >= 0 or self._generators[g].positive for g, p in powers.items()):
                    scale, folded = self._fold(powers)
                    known: Element = {((), equation.exponent): equation.coefficient}
                    part = self._multiply({(folded, e): c * scale}, equation.value)
                    part = self._multiply(part, self._power(known, Fraction(-1)))
            total = add(total, part)
        return total

    # -- from expressions ----------------------------------------------------------------------

    def element(self, expr: Expr) -> Element:
        known = self._memo.get(expr)
        if known is None:
            known = self._memo[expr] = self._convert(expr)
        return known

    def _convert(self, expr: Expr) -> Element:
        if isinstance(expr, Rational):
            return constant(exact(expr))
        if isinstance(expr, sp.Float):
            raise NotNormalizable(f"the inexact number {expr}; write an exact Rational")
        # No question that SymPy would answer by numbers, which for an integral may take for ever.
        if expr is sp.nan or expr.is_infinite:
            raise NotNormalizable(f"the infinite value {expr}")
        if expr is sp.E:
            return {((), self._exponent(constant(1))): fmpq(1)}
        if isinstance(expr, Symbol) or expr is I or isinstance(expr, sp.NumberSymbol):
            return generated(self._symbol(expr))
        if isinstance(expr, Add):
            total: Element = {}
            for term in expr.args:
                total = add(total, self.element(term))
            return total
        if isinstance(expr, Mul):
            total = constant(1)
            for factor in expr.args:
                total = self._multiply(total, self.element(factor))
            return total
        if isinstance(expr, sp.exp):
            return {((), self._exponent(self.element(expr.args[0]))): fmpq(1)}
        if isinstance(expr, Pow):
            return self._convert_power(expr)
        combination = rewritten(expr, self.nonnegative)
        if combination is not None:
            return self.element(combination)
        if isinstance(expr, Expectation):
            return self._expectation(expr)
        if isinstance(expr, Integral | Sum):
            return self._bound_atom(expr)
        if isinstance(expr, IIDSum):
            return self._copies_atom(expr)
        return self._atom(expr)

    def _convert_power(self, expr: Pow) -> Element:
        base, exponent = expr.args
        if not isinstance(exponent, Rational):
            number, rest = exponent.as_coeff_Add()
            if not (isinstance(base, Rational) and base > 0 and number.is_Integer):
                if not (number.is_Integer and number and self.positive(base)):
                    return self._atom(expr)
                return self._multiply(self.element(base**number), self._atom(base**rest))
            power = self._exponent(self.element(rest * sp.log(base)))
            return self._multiply(self.element(base**number), {((), power): fmpq(1)})
        q = Fraction(int(exponent.p), int(exponent.q))
        if q < 0:
            self.denominators.append(base)
        return self._power(self.element(base), q)

    # -- atoms -----------------------------------------------------------------------------------

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
        if isinstance(expr, sp.Indexed):
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

    # -- binders ---------------------------------------------------------------------------------

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

    # -- expectations ----------------------------------------------------------------------------

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
            factors += [sp.exp(term) for term in Add.make_args(exponent)]
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
            integrand.as_base_exp() if isinstance(integrand, Pow) else (integrand, sp.Integer(1))
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


_COMBINATIONS: dict[type, Callable[[Expr], Expr]] = {
    sp.acos: lambda u: sp.pi / 2 - sp.asin(u),
    sp.cos: lambda u: (sp.exp(I * u) + sp.exp(-I * u)) / 2,
    sp.cosh: lambda u: (sp.exp(u) + sp.exp(-u)) / 2,
    erf_prime: lambda u: erf_prime(u).rewrite(sp.exp),
    erf_second: lambda u: erf_second(u).rewrite(sp.exp),
    sp.erfc: lambda u: 1 - sp.erf(u),
    normal_cdf: lambda u: (1 + sp.erf(u / sp.sqrt(2))) / 2,
    normal_pdf: lambda u: sp.exp(-(u**2) / 2) / sp.sqrt(2 * sp.pi),
    sp.sin: lambda u: (sp.exp(I * u) - sp.exp(-I * u)) / (2 * I),
    sp.sinh: lambda u: (sp.exp(u) - sp.exp(-u)) / 2,
    sp.tan: lambda u: sp.sin(u) / sp.cos(u),
}


def rewritten(expr: Expr, nonnegative: Callable[[Expr], bool]) -> Expr | None:
    """A function's value, written by means of exponentials, erf, arc sine and roots."""
    if type(expr) in _COMBINATIONS:
        return _COMBINATIONS[type(expr)](expr.args[0])
    if isinstance(expr, sp.Max | sp.Min) and len(expr.args) == 2:
        (a, b), side = expr.args, 1 if isinstance(expr, sp.Max) else -1
        return (a + b + side * Abs(a - b)) / 2 if a.is_real and b.is_real else None
    if isinstance(expr, sp.Heaviside) and len(expr.args) == 1:
        return (1 + sp.sign(expr.args[0])) / 2
    if isinstance(expr, sp.KroneckerDelta):
        return delta_by_bars(expr)
    if isinstance(expr, sp.factorial):
        return _with_fewer_factors(expr.args[0], nonnegative)
    if not isinstance(expr, Abs):
        return None
    (u,) = expr.args
    if u.is_real is False:
        return None
    if nonnegative(u):
        return u
    if nonnegative(-u):
        return -u
    return sp.sqrt(Pow(u, 2, evaluate=False), evaluate=False) if u.is_real else None


def delta_by_bars(delta: sp.KroneckerDelta) -> Expr | None:
    """That of two integers, by absolute values: it is 1 where they are less than 1 apart."""
    if not all(index.is_integer for index in delta.args):
        return None
    near = 1 - Abs(delta.args[0] - delta.args[1])
    return (near + Abs(near)) / 2


def _with_fewer_factors(count: Expr, nonnegative: Callable[[Expr], bool]) -> Expr | None:
    """(n + k)! = n! (n + 1) ... (n + k), for an integer n that is not negative."""
    number, rest = count.as_coeff_Add()
    if not (number.is_Integer and 0 < number <= 20 and rest.is_integer and nonnegative(rest)):
        return None
    return sp.factorial(rest) * Mul(*(rest + k for k in range(1, int(number) + 1)))


# Nothing here binds a variable, takes a limit, or is defined by a sum that may diverge.
_PLAIN = (
    Add,
    Mul,
    Pow,
    Rational,
    Symbol,
    type(sp.pi),
    Abs,
    sp.exp,
    sp.erf,
    erf_prime,
    erf_second,
    zeta,
)
_HINTS = {"power_base": False, "power_exp": False, "log": False, "basic": False}

# An absolute value, which is not to be evaluated any more.
_BARS = Function("bars")


def is_same_multiplied_out(first: Expr, second: Expr) -> bool:
    """Whether two expressions have the same terms when all products of sums are multiplied out.

    What stands between bars is taken up to its sign. Where the two are defined nothing is asked, so
    that an expression may have gaps where the other one has none.
    """
    if not (_is_plain(first) and _is_plain(second)):
        return False
    return bool(first == second or _multiplied_out(first) == _multiplied_out(second))


def _is_plain(expr: Basic) -> bool:
    return isinstance(expr, _PLAIN) and all(map(_is_plain, expr.args))


def _multiplied_out(expr: Expr) -> Expr:
    return sp.expand(_barred(expr), **_HINTS)


def _barred(expr: Expr) -> Expr:
    """The expression with its absolute values as those of one of the two opposite arguments."""
    if isinstance(expr, Abs):
        inside = _multiplied_out(expr.args[0])
        return _BARS(min(inside, sp.expand(-inside, **_HINTS), key=sp.default_sort_key))
    if not expr.has(Abs):
        return expr
    return expr.func(*map(_barred, expr.args))

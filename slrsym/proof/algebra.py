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
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from math import floor
from typing import Any

from flint import fmpq
from sympy import (
    Abs,
    Add,
    Basic,
    Derivative,
    Dummy,
    E,
    Expr,
    Float,
    I,
    Indexed,
    Integer,
    Integral,
    Mul,
    NumberSymbol,
    Pow,
    Rational,
    Sum,
    Symbol,
    acos,
    asin,
    atan,
    cos,
    cosh,
    erf,
    erfc,
    exp,
    factor_list,
    factorint,
    nan,
    pi,
    sin,
    sinh,
    sqrt,
    tan,
)
from sympy.core.function import AppliedUndef, Function, Subs

from slrsym.gaussian.functions import OwensT, erf_prime, erf_second, normal_cdf, normal_pdf, zeta
from slrsym.gaussian.law import GaussianLaw, IIDSum, Law, NoiseLaw, ProductLaw
from slrsym.gaussian.unevaluated import Expectation

__all__ = ["Algebra", "Freedom", "NotNormalizable", "partial_derivative"]

Monomial = tuple[tuple[int, Fraction], ...]
Key = tuple[Monomial, int]
Element = dict[Key, fmpq]

_UNIT: Key = ((), 0)
_ODD = (erf, atan, asin, erf_second)


class NotNormalizable(Exception):  # noqa: N818
    """The expression has a part that the normal form does not cover."""


@dataclass
class _Generator:
    """A generator, the expression it stands for, and what is known of it."""

    expr: Expr
    positive: bool = False
    base: Element | None = None


@dataclass(frozen=True)
class _Equation:
    """That ``coefficient * cofactor * exp(exponent) * atom = value``, the cofactor perhaps zero."""

    atom: int
    cofactor: Monomial
    exponent: int
    coefficient: fmpq
    value: Element


@dataclass(frozen=True)
class Freedom:
    """Which properties of expectations the normal form may use besides algebra.

    Attributes
    ----------
    linearity
        Expectations are split into those of single terms, constants taken out, and the law
        restricted to the variables that occur.
    independence
        The expectation of a product of functions of uncorrelated (so independent) blocks of a law
        is the product of their expectations.
    moments
        The first two moments of noise, and of a sum of independent copies.
    """

    linearity: bool = False
    independence: bool = False
    moments: bool = False


_SYMBOLIC_ONLY = Freedom()


@cache
def _canonical_variable(depth: int, position: int) -> Symbol:
    return Dummy(f"x_{depth}_{position}", real=True)


@dataclass
class Algebra:
    """The ring in which the expressions of one proof step are compared.

    Parameters
    ----------
    positive, nonnegative : callable
        Whether an expression is known to be so on the domain of the step.
    freedom : Freedom
        The properties of expectations that may be used.

    Attributes
    ----------
    denominators : list of Expr
        What the expressions seen so far are divided by; each has to be shown not to vanish.
    """

    positive: Callable[[Expr], bool]
    nonnegative: Callable[[Expr], bool]
    freedom: Freedom = _SYMBOLIC_ONLY
    denominators: list[Expr] = field(default_factory=list)
    _generators: list[_Generator] = field(default_factory=list)
    _symbols: dict[Expr, int] = field(default_factory=dict)
    _atoms: dict[Any, list[tuple[int, tuple[Element, ...]]]] = field(default_factory=dict)
    _roots: list[int] = field(default_factory=list)
    _exponents: list[Element] = field(default_factory=lambda: [{}])
    _sums: dict[tuple[int, int], int] = field(default_factory=dict)
    _memo: dict[Expr, Element] = field(default_factory=dict)
    _atom_ids: set[int] = field(default_factory=set)
    _aliases: dict[int, Element] = field(default_factory=dict)
    _equations: list[_Equation] = field(default_factory=list)

    # -- questions ----------------------------------------------------------------------------

    def equal(self, first: Expr, second: Expr) -> bool:
        """Whether two expressions have the same normal form.

        Raises
        ------
        NotNormalizable
            If one of them contains an inexact or infinite number.
        """
        difference = self._subtract(self.element(first), self.element(second))
        for equation in self._equations:
            difference = self._reduced(difference, equation)
        return self.vanishes(difference)

    def assume(self, left: Expr, right: Expr) -> None:
        """Use the equation ``left = right`` from now on, solved for an atom of `left`.

        An atom with a coefficient that may vanish is replaced only along with that coefficient.

        Raises
        ------
        NotNormalizable
            If `left` has no atom that it can be solved for, or `right` contains that atom.
        """
        element, others = self.element(left), self.element(right)
        if self.vanishes(self._subtract(element, others)):
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
                equation = _Equation(g, cofactor, e, c, self._subtract(others, rest))
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
            total = self._add(total, part)
        return total

    def vanishes(self, element: Element) -> bool:
        """Whether an element is zero, its roots cleared."""
        return not self._cleared(element)[0]

    # -- arithmetic ----------------------------------------------------------------------------

    def _constant(self, value: fmpq) -> Element:
        return {_UNIT: value} if value else {}

    def _add(self, first: Element, second: Element) -> Element:
        total = dict(first)
        for key, c in second.items():
            value = total.get(key, 0) + c
            if value:
                total[key] = value
            else:
                total.pop(key, None)
        return total

    def _subtract(self, first: Element, second: Element) -> Element:
        return self._add(first, {key: -c for key, c in second.items()})

    def _multiply(self, first: Element, second: Element) -> Element:
        total: Element = {}
        for (m, e), c in first.items():
            for (n, f), d in second.items():
                scale, monomial = self._merge(m, n)
                key = (monomial, self._add_exponents(e, f))
                value = total.get(key, 0) + c * d * scale
                if value:
                    total[key] = value
                else:
                    total.pop(key, None)
        return total

    def _merge(self, first: Monomial, second: Monomial) -> tuple[fmpq, Monomial]:
        if not first or not second:
            return fmpq(1), first or second
        powers = dict(first)
        for g, e in second:
            powers[g] = powers.get(g, Fraction(0)) + e
        return self._fold(powers)

    def _fold(self, powers: dict[int, Fraction]) -> tuple[fmpq, Monomial]:
        """Integer powers of primes and of i are numbers."""
        scale = fmpq(1)
        kept = []
        for g in sorted(powers):
            e = powers[g]
            if e == 0:
                continue
            expr = self._generators[g].expr
            if expr is I and self._generators[g].base is None:
                quarter = int(e) % 4
                if quarter >= 2:
                    scale = -scale
                e = Fraction(quarter % 2)
            elif isinstance(expr, Integer):
                whole = floor(e)
                if whole:
                    scale *= fmpq(int(expr)) ** whole
                    e -= whole
            if e:
                kept.append((g, e))
        return scale, tuple(kept)

    def _add_exponents(self, first: int, second: int) -> int:
        if not first or not second:
            return first or second
        key = (min(first, second), max(first, second))
        if key not in self._sums:
            self._sums[key] = self._exponent(
                self._add(self._exponents[first], self._exponents[second])
            )
        return self._sums[key]

    def _exponent(self, element: Element) -> int:
        for index, known in enumerate(self._exponents):
            if self.vanishes(self._subtract(known, element)):
                return index
        self._exponents.append(element)
        return len(self._exponents) - 1

    def _scaled_exponent(self, index: int, factor: Fraction) -> int:
        if not index:
            return 0
        c = fmpq(factor.numerator, factor.denominator)
        return self._exponent({key: v * c for key, v in self._exponents[index].items()})

    def _integer_power(self, element: Element, n: int) -> Element:
        result = self._constant(fmpq(1))
        for _ in range(n):
            result = self._multiply(result, element)
        return result

    # -- roots ---------------------------------------------------------------------------------

    def _cleared(self, element: Element) -> tuple[Element, dict[int, int]]:
        """Write ``element = prod(root**shift) * cleared``, every power of a root in [0, 1)."""
        shifts: dict[int, int] = {}
        for root in reversed(self._roots):
            levels = [floor(dict(m).get(root, Fraction(0))) for m, _ in element]
            if not any(levels):
                continue
            lowest = min(levels)
            if lowest:
                shifts[root] = lowest
            base = self._generators[root].base
            assert base is not None
            grouped: dict[int, Element] = {}
            for ((m, e), c), level in zip(element.items(), levels, strict=True):
                powers = dict(m)
                powers[root] = powers.get(root, Fraction(0)) - level
                scale, monomial = self._fold(powers)
                part = grouped.setdefault(level - lowest, {})
                part[(monomial, e)] = part.get((monomial, e), fmpq(0)) + c * scale
            element = {}
            for level, part in grouped.items():
                element = self._add(element, self._multiply(part, self._integer_power(base, level)))
        return element, shifts

    def _power(self, element: Element, q: Fraction) -> Element:
        if q.denominator == 1 and q >= 0:
            return self._integer_power(element, int(q))
        if not element:
            raise NotNormalizable("a negative or fractional power of zero")
        if len(element) == 1:
            ((key, c),) = element.items()
            return self._monomial_power(key, c, q)
        cleared, shifts = self._cleared(element)
        if not cleared:
            raise NotNormalizable("a negative or fractional power of zero")
        if len(cleared) == 1 and not shifts:
            ((key, c),) = cleared.items()
            return self._monomial_power(key, c, q)
        content, factors = self._factored(cleared)
        factors += [({(((root, Fraction(1)),), 0): fmpq(1)}, n) for root, n in shifts.items()]
        return self._product_power(content, factors, q)

    def _monomial_power(self, key: Key, c: fmpq, q: Fraction) -> Element:
        monomial, e = key
        if q.denominator == 1:
            powers = {g: p * q for g, p in monomial}
            scale, folded = self._fold(powers)
            return {(folded, self._scaled_exponent(e, q)): scale * c ** int(q)}
        factors: list[tuple[Element, int]] = []
        powers = {}
        for g, p in monomial:
            generator = self._generators[g]
            if generator.positive:
                powers[g] = p * q
            elif p.denominator == 1:
                factors.append(({(((g, Fraction(1)),), 0): fmpq(1)}, int(p)))
            else:
                raise NotNormalizable(f"a root of the root {self._expression({key: c})}")
        if e and not self._is_real(self._exponents[e]):
            raise NotNormalizable("a root of an exponential that may not be real")
        scale, folded = self._fold(powers)
        known = {(folded, self._scaled_exponent(e, q)): scale}
        return self._multiply(known, self._product_power(c, factors, q))

    def _product_power(
        self, content: fmpq, factors: list[tuple[Element, int]], q: Fraction
    ) -> Element:
        """Power of ``content * prod(f**n)``; only positive factors leave a fractional power."""
        result = self._constant(fmpq(1))
        rest = self._constant(fmpq(1))
        negative = content < 0
        for base, n in factors:
            sign = 1 if q.denominator == 1 else self._sign(base, strict=n * q < 0)
            if sign == 0 and n > 0:
                rest = self._multiply(rest, self._integer_power(base, n))
            elif sign == 0:
                raise NotNormalizable(
                    f"a root of a quotient by {self._expression(base)}, whose sign is not known"
                )
            else:
                if sign < 0:
                    base = {key: -c for key, c in base.items()}
                    negative ^= bool(n % 2)
                result = self._multiply(result, self._generator_power(base, n * q))
        result = self._multiply(result, self._rational_power(abs(content), q))
        if negative:
            rest = {key: -c for key, c in rest.items()}
        if rest == self._constant(fmpq(1)):
            return result
        if q.denominator == 1:
            return self._multiply(result, self._power(rest, q))
        if rest == self._constant(fmpq(-1)) and q.denominator == 2:
            i = self._symbol(I)
            turn = fmpq(1 if (q.numerator - 1) % 4 == 0 else -1)
            return self._multiply(result, {(((i, Fraction(1)),), 0): turn})
        return self._multiply(result, self._generator_power(rest, q))

    def _generator_power(self, base: Element, e: Fraction) -> Element:
        if len(base) == 1:
            (((monomial, exponent), c),) = base.items()
            single = c == 1 and not exponent and len(monomial) == 1 and monomial[0][1] == 1
            # Powers of i are folded, which is right for integers only.
            if single and (e.denominator == 1 or self._generators[monomial[0][0]].expr is not I):
                scale, folded = self._fold({monomial[0][0]: e})
                return {(folded, 0): scale}
        root = self._root(base)
        return {(((root, e),), 0): fmpq(1)}

    def _root(self, base: Element) -> int:
        for root in self._roots:
            if self._generators[root].base == base:
                return root
        expr = self._expression(base)
        self._generators.append(_Generator(expr, self._sign(base) > 0, base))
        self._roots.append(len(self._generators) - 1)
        return self._roots[-1]

    def _rational_power(self, value: fmpq, q: Fraction) -> Element:
        powers: dict[int, Fraction] = {}
        for number, direction in ((int(value.p), 1), (int(value.q), -1)):
            for prime, n in factorint(number).items():
                if prime != 1:
                    g = self._symbol(Integer(prime))
                    powers[g] = powers.get(g, Fraction(0)) + direction * n * q
        scale, folded = self._fold(powers)
        return {(folded, 0): scale}

    def _sign(self, element: Element, strict: bool = True) -> int:
        """1 or -1 if the element has that sign (or, unless strict, may vanish too), otherwise 0."""
        expr = self._expression(element)
        known = self.positive if strict else self.nonnegative
        if known(expr):
            return 1
        return -1 if known(-expr) else 0

    def _is_real(self, element: Element) -> bool:
        """Whether each term is known to be real, its square being so and not negative."""
        return all(self.nonnegative(self._expression({key: c}) ** 2) for key, c in element.items())

    def _factored(self, element: Element) -> tuple[fmpq, list[tuple[Element, int]]]:
        """Content and irreducible factors of an element without roots to clear."""
        scale: dict[int, int] = {}
        for m, _ in element:
            for g, e in m:
                scale[g] = max(scale.get(g, 1), e.denominator)
        lowest = {
            g: min(min(dict(m).get(g, Fraction(0)) for m, _ in element), Fraction(0)) for g in scale
        }
        stand_in = {g: Dummy(f"g{g}") for g in scale}
        exponentials = {e: Dummy(f"e{e}") for _, e in element if e}
        polynomial = Add(
            *(
                Rational(int(c.p), int(c.q))
                * Mul(
                    *(
                        stand_in[g] ** int((dict(m).get(g, Fraction(0)) - lowest[g]) * scale[g])
                        for g in scale
                    )
                )
                * (exponentials[e] if e else 1)
                for (m, e), c in element.items()
            )
        )
        content, pairs = factor_list(polynomial)
        back: dict[Symbol, Element] = {
            d: {(((g, Fraction(1, scale[g])),), 0): fmpq(1)} for g, d in stand_in.items()
        }
        back |= {d: {((), e): fmpq(1)} for e, d in exponentials.items()}
        factors: list[tuple[Element, int]] = [
            ({(((g, Fraction(1)),), 0): fmpq(1)}, int(n))
            for g, n in lowest.items()
            if n.denominator == 1 and n
        ]
        if any(n.denominator != 1 for n in lowest.values()):
            raise NotNormalizable("a root of a sum with fractional negative powers")
        for poly, n in pairs:
            value: Element = {}
            for monom, c in poly.as_poly().terms():
                piece = self._constant(fmpq(int(c.p), int(c.q)))
                for gen, e in zip(poly.as_poly().gens, monom, strict=True):
                    piece = self._multiply(piece, self._integer_power(back[gen], e))
                value = self._add(value, piece)
            factors.append((value, int(n)))
        return fmpq(int(content.p), int(content.q)), factors

    # -- from expressions ----------------------------------------------------------------------

    def element(self, expr: Expr) -> Element:
        """The normal form of an expression."""
        known = self._memo.get(expr)
        if known is None:
            known = self._memo[expr] = self._convert(expr)
        return known

    def _convert(self, expr: Expr) -> Element:
        if isinstance(expr, Rational):
            return self._constant(fmpq(int(expr.p), int(expr.q)))
        if isinstance(expr, Float):
            raise NotNormalizable(f"the inexact number {expr}; write an exact Rational")
        # No question that SymPy would answer by numbers, which for an integral may take for ever.
        if expr is nan or expr.is_infinite:
            raise NotNormalizable(f"the infinite value {expr}")
        if expr is E:
            return {((), self._exponent(self._constant(fmpq(1)))): fmpq(1)}
        if isinstance(expr, Symbol) or expr is I or isinstance(expr, NumberSymbol):
            return {(((self._symbol(expr), Fraction(1)),), 0): fmpq(1)}
        if isinstance(expr, Add):
            total: Element = {}
            for term in expr.args:
                total = self._add(total, self.element(term))
            return total
        if isinstance(expr, Mul):
            total = self._constant(fmpq(1))
            for factor in expr.args:
                total = self._multiply(total, self.element(factor))
            return total
        if isinstance(expr, exp):
            return {((), self._exponent(self.element(expr.args[0]))): fmpq(1)}
        if isinstance(expr, Pow):
            return self._convert_power(expr)
        rewritten = self._rewritten(expr)
        if rewritten is not None:
            return self.element(rewritten)
        if isinstance(expr, Expectation):
            return self._expectation(expr)
        return self._atom(expr)

    def _convert_power(self, expr: Pow) -> Element:
        base, exponent = expr.args
        if not isinstance(exponent, Rational):
            return self._atom(expr)
        q = Fraction(int(exponent.p), int(exponent.q))
        if q < 0:
            self.denominators.append(base)
        return self._power(self.element(base), q)

    def _rewritten(self, expr: Expr) -> Expr | None:
        """Functions that are combinations of exp and erf, written so."""
        if not expr.args:
            return None
        u = expr.args[0]
        rules: dict[type, Callable[[], Expr]] = {
            erf_prime: lambda: 2 / sqrt(pi) * exp(-(u**2)),
            erf_second: lambda: -4 / sqrt(pi) * u * exp(-(u**2)),
            normal_pdf: lambda: exp(-(u**2) / 2) / sqrt(2 * pi),
            normal_cdf: lambda: (1 + erf(u / sqrt(2))) / 2,
            erfc: lambda: 1 - erf(u),
            sin: lambda: (exp(I * u) - exp(-I * u)) / (2 * I),
            cos: lambda: (exp(I * u) + exp(-I * u)) / 2,
            tan: lambda: sin(u) / cos(u),
            sinh: lambda: (exp(u) - exp(-u)) / 2,
            cosh: lambda: (exp(u) + exp(-u)) / 2,
            acos: lambda: pi / 2 - asin(u),
        }
        if type(expr) in rules:
            return rules[type(expr)]()
        if isinstance(expr, Abs) and u.is_real is not False:
            if self.nonnegative(u):
                return u
            if self.nonnegative(-u):
                return -u
            if u.is_real:
                return sqrt(Pow(u, 2, evaluate=False), evaluate=False)
        return None

    def _symbol(self, expr: Expr) -> int:
        if expr not in self._symbols:
            positive = (expr.is_number and expr is not I) or bool(expr.is_positive)
            if isinstance(expr, Symbol) and not positive:
                positive = self.positive(expr)
            self._generators.append(_Generator(expr, positive))
            self._symbols[expr] = len(self._generators) - 1
        return self._symbols[expr]

    # -- atoms ---------------------------------------------------------------------------------

    def _atom(self, expr: Expr) -> Element:
        if isinstance(expr, _ODD):
            return self._parity_atom(expr, (-1,))
        if isinstance(expr, OwensT):
            return self._parity_atom(expr, (1, -1))
        if isinstance(expr, zeta):
            return self._parity_atom(expr, (1, 1))
        if isinstance(expr, Integral | Sum):
            return self._bound_atom(expr)
        if isinstance(expr, IIDSum):
            if self.vanishes(self.element(expr.count)):
                return {}
            names = self._canonical_names(expr.law, _depth(expr))
            term = self.element(expr.term.xreplace(names))
            parts = (term, self.element(expr.count), *self._law_elements(expr.law))
            return self._registered(("iid", _shape(expr.law)), parts, expr)
        partial = partial_derivative(expr)
        if partial is not None:
            head, arguments = partial
            return self._registered(head, tuple(self.element(a) for a in arguments), expr)
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
        self._generators.append(_Generator(expr, False))
        known.append((len(self._generators) - 1, parts))
        self._atom_ids.add(len(self._generators) - 1)
        return self._atom_element(len(self._generators) - 1, 1)

    def _atom_element(self, generator: int, sign: int) -> Element:
        alias = self._aliases.get(generator)
        if alias is not None:
            return {key: sign * c for key, c in alias.items()}
        return {(((generator, Fraction(1)),), 0): fmpq(sign)}

    def _matches(
        self, parts: tuple[Element, ...], others: tuple[Element, ...], parities: tuple[int, ...]
    ) -> int:
        """1 or -1 if the arguments agree up to signs that the parities allow, otherwise 0."""
        if len(parts) != len(others):
            return 0
        sign = 1
        for mine, other, parity in zip(parts, others, parities, strict=True):
            if self.vanishes(self._subtract(mine, other)):
                continue
            if not parity or not self.vanishes(self._add(mine, other)):
                return 0
            sign *= parity
        return sign

    def _bound_atom(self, expr: Integral | Sum) -> Element:
        """Integrals and sums, linear in their integrand, their bound variable canonical."""
        if len(expr.limits) != 1 or len(expr.limits[0]) != 3:
            return self._registered(("structure", expr), (), expr)
        variable, low, high = expr.limits[0]
        ends = () if _finite(low, high) else (low, high)
        limits = (self.element(low), self.element(high)) if _finite(low, high) else ()
        place = _canonical_variable(_depth(expr), 0)
        body = self.element(expr.function.xreplace({variable: place}))
        total: Element = {}
        for inner, outer in self._split(body, frozenset({place})):
            kernel = self._expression(inner)
            # What is taken out may have been a binder, so the depth is that of what is left.
            name = _canonical_variable(_depth(kernel) + 1, 0)
            kernel = kernel.xreplace({place: name})
            node = expr.func(kernel, (name, low, high))
            atom = self._registered((expr.func, ends), (self.element(kernel), *limits), node)
            total = self._add(total, self._multiply(outer, atom))
        return total

    # -- expectations --------------------------------------------------------------------------

    def _canonical_names(self, law: Law, depth: int) -> dict[Symbol, Symbol]:
        return {s: _canonical_variable(depth, i) for i, s in enumerate(law.symbols)}

    def _law_elements(self, law: Law) -> tuple[Element, ...]:
        if isinstance(law, GaussianLaw):
            entries = [*law.mean.values(), *law.cov]
        elif isinstance(law, NoiseLaw):
            entries = [law.variance]
        else:
            return tuple(e for block in law.blocks() for e in self._law_elements(block))
        return tuple(self.element(entry) for entry in entries)

    def _expectation(self, node: Expectation) -> Element:
        names = self._canonical_names(node.law, _depth(node))
        integrand = self.element(node.integrand.xreplace(names))
        if not self.freedom.linearity:
            head = ("expectation", _shape(node.law))
            return self._registered(head, (integrand, *self._law_elements(node.law)), node)
        law = node.law.renamed(names)
        total: Element = {}
        sums = node.integrand.xreplace(names).atoms(IIDSum)
        for inner, outer in self._split(integrand, frozenset(law.symbols), bool(sums)):
            total = self._add(total, self._multiply(outer, self._term_expectation(inner, law)))
        return total

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

    def _term_expectation(self, inner: Element, law: Law) -> Element:
        """Expectation of a single monomial (no coefficient)."""
        ((key, _),) = inner.items()
        pieces = self._pieces(key, law)
        total = self._constant(fmpq(1))
        groups = self._independent_groups(pieces, law) if self.freedom.independence else [pieces]
        for group in groups:
            if group:
                total = self._multiply(total, self._single(Mul(*(f for f, _ in group)), group, law))
        return total

    def _pieces(self, key: Key, law: Law) -> list[tuple[Expr, frozenset[Any]]]:
        """The factors of a monomial, each with the variables (and sums of copies) it concerns."""
        monomial, e = key
        factors = [
            self._generators[g].expr ** Rational(p.numerator, p.denominator) for g, p in monomial
        ]
        if e:
            exponent = self._expression(self._exponents[e])
            factors += [exp(term) for term in Add.make_args(exponent)]
        names = set(law.symbols)
        return [(f, frozenset((f.free_symbols & names) | f.atoms(IIDSum))) for f in factors]

    def _independent_groups(
        self, pieces: list[tuple[Expr, frozenset[Any]]], law: Law
    ) -> list[list[tuple[Expr, frozenset[Any]]]]:
        def correlated(a: Any, b: Any) -> bool:
            # Two sums of copies become one and the same when their numbers agree.
            if a == b or (isinstance(a, IIDSum) and isinstance(b, IIDSum)):
                return True
            for block in law.blocks():
                if isinstance(block, GaussianLaw) and a in block.symbols and b in block.symbols:
                    return not self.vanishes(self.element(block.covariance(a, b)))
            return False

        groups: list[list[tuple[Expr, frozenset[Any]]]] = []
        for piece in pieces:
            joined = [piece]
            for group in list(groups):
                if any(correlated(a, b) for _, v in group for a in v for b in piece[1]):
                    joined = group + joined
                    groups.remove(group)
            groups.append(joined)
        return groups

    def _single(
        self, integrand: Expr, group: list[tuple[Expr, frozenset[Any]]], law: Law
    ) -> Element:
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
                s: _canonical_variable(_depth(integrand) + 1, i)
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
            ("expectation", _shape(restricted)),
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

    # -- back to expressions -------------------------------------------------------------------

    def _expression(self, element: Element) -> Expr:
        terms = []
        for (m, e), c in element.items():
            factors = [
                Pow(self._generators[g].expr, Rational(p.numerator, p.denominator)) for g, p in m
            ]
            if e:
                factors.append(exp(self._expression(self._exponents[e])))
            terms.append(Mul(Rational(int(c.p), int(c.q)), *factors))
        return Add(*terms)

    def expression(self, element: Element) -> Expr:
        """An element written as a SymPy expression again."""
        return self._expression(element)


def partial_derivative(expr: Expr) -> tuple[Any, tuple[Expr, ...]] | None:
    """A partial derivative of an undefined function at a point, as (which, arguments).

    SymPy has two forms for it: ``Derivative(h(x, y), x)`` at a point named by symbols, and
    ``Subs(Derivative(h(z, y), z), z, p)`` elsewhere. None for anything else.
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


def _finite(*bounds: Expr) -> bool:
    return not any(bound.is_infinite for bound in bounds)


def _shape(law: Law) -> tuple[Any, ...]:
    return tuple((type(block).__name__, len(block.symbols)) for block in law.blocks())


def _depth(expr: Basic) -> int:
    """How many binders are nested in an expression."""
    inner = max((_depth(arg) for arg in expr.args), default=0)
    return inner + isinstance(expr, Expectation | Integral | Sum | IIDSum)


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

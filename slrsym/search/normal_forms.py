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

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from flint import fmpq
from sympy import (
    Abs,
    Add,
    Basic,
    E,
    Expr,
    Float,
    Function,
    Heaviside,
    I,
    Integral,
    KroneckerDelta,
    Max,
    Min,
    Mul,
    NumberSymbol,
    Pow,
    Rational,
    Sum,
    Symbol,
    acos,
    asin,
    cos,
    cosh,
    default_sort_key,
    erf,
    erfc,
    exp,
    expand,
    factorial,
    log,
    nan,
    pi,
    sign,
    sin,
    sinh,
    sqrt,
    tan,
)

from slrsym.gaussian.binding import Expectation
from slrsym.gaussian.functions import erf_prime, erf_second, normal_cdf, normal_pdf, zeta
from slrsym.gaussian.law import IIDSum
from slrsym.search.atoms import Freedom, RingOfExpectations
from slrsym.search.ring import (
    Element,
    Monomial,
    NotNormalizable,
    add,
    constant,
    exact,
    generated,
    subtract,
)

_SYMBOLIC_ONLY = Freedom()


@dataclass(frozen=True)
class _Equation:
    """That ``coefficient * cofactor * exp(exponent) * atom = value``, the cofactor perhaps zero."""

    atom: int
    cofactor: Monomial
    exponent: int
    coefficient: fmpq
    value: Element


class NormalForms(RingOfExpectations):
    """The ring in which the expressions of one proof step are compared."""

    def __init__(
        self,
        positive: Callable[[Expr], bool],
        nonnegative: Callable[[Expr], bool],
        freedom: Freedom = _SYMBOLIC_ONLY,
    ) -> None:
        super().__init__(positive, nonnegative, freedom)
        self.denominators: list[Expr] = []
        self._memo: dict[Expr, Element] = {}
        self._equations: list[_Equation] = []

    # -- questions -----------------------------------------------------------------------------

    def equal(self, first: Expr, second: Expr) -> bool:
        """Whether two expressions have the same normal form."""
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
        if isinstance(expr, Float):
            raise NotNormalizable(f"the inexact number {expr}; write an exact Rational")
        # No question that SymPy would answer by numbers, which for an integral may take for ever.
        if expr is nan or expr.is_infinite:
            raise NotNormalizable(f"the infinite value {expr}")
        if expr is E:
            return {((), self._exponent(constant(1))): fmpq(1)}
        if isinstance(expr, Symbol) or expr is I or isinstance(expr, NumberSymbol):
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
        if isinstance(expr, exp):
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
            power = self._exponent(self.element(rest * log(base)))
            return self._multiply(self.element(base**number), {((), power): fmpq(1)})
        q = Fraction(int(exponent.p), int(exponent.q))
        if q < 0:
            self.denominators.append(base)
        return self._power(self.element(base), q)


_COMBINATIONS: dict[type, Callable[[Expr], Expr]] = {
    acos: lambda u: pi / 2 - asin(u),
    cos: lambda u: (exp(I * u) + exp(-I * u)) / 2,
    cosh: lambda u: (exp(u) + exp(-u)) / 2,
    erf_prime: lambda u: 2 / sqrt(pi) * exp(-(u**2)),
    erf_second: lambda u: -4 / sqrt(pi) * u * exp(-(u**2)),
    erfc: lambda u: 1 - erf(u),
    normal_cdf: lambda u: (1 + erf(u / sqrt(2))) / 2,
    normal_pdf: lambda u: exp(-(u**2) / 2) / sqrt(2 * pi),
    sin: lambda u: (exp(I * u) - exp(-I * u)) / (2 * I),
    sinh: lambda u: (exp(u) - exp(-u)) / 2,
    tan: lambda u: sin(u) / cos(u),
}


def rewritten(expr: Expr, nonnegative: Callable[[Expr], bool]) -> Expr | None:
    """A function's value, written by means of exponentials, erf, arc sine and roots."""
    if type(expr) in _COMBINATIONS:
        return _COMBINATIONS[type(expr)](expr.args[0])
    if isinstance(expr, Max | Min) and len(expr.args) == 2:
        (a, b), side = expr.args, 1 if isinstance(expr, Max) else -1
        return (a + b + side * Abs(a - b)) / 2 if a.is_real and b.is_real else None
    if isinstance(expr, Heaviside) and len(expr.args) == 1:
        return (1 + sign(expr.args[0])) / 2
    if isinstance(expr, KroneckerDelta):
        return delta_by_bars(expr)
    if isinstance(expr, factorial):
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
    return sqrt(Pow(u, 2, evaluate=False), evaluate=False) if u.is_real else None


def delta_by_bars(delta: KroneckerDelta) -> Expr | None:
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
    return factorial(rest) * Mul(*(rest + k for k in range(1, int(number) + 1)))


# Nothing here binds a variable, takes a limit, or is defined by a sum that may diverge.
_PLAIN = (Add, Mul, Pow, Rational, Symbol, type(pi), Abs, exp, erf, erf_prime, erf_second, zeta)
_HINTS = {"power_base": False, "power_exp": False, "log": False, "basic": False}

# An absolute value, which is not to be evaluated any more.
_BARS = Function("bars")


def is_same_multiplied_out(first: Expr, second: Expr) -> bool:
    """Whether two expressions have the same terms when all products of sums are multiplied out.

    What stands between bars is taken up to its sign. Where the two are defined nothing is asked, so
    that an expression may have gaps where the other one has none.

    Examples
    --------
    >>> from sympy import Abs, symbols
    >>> x, y = symbols("x y", real=True)
    >>> is_same_multiplied_out((x - y) * Abs(x - y), x * Abs(y - x) - y * Abs(x - y))
    True
    >>> is_same_multiplied_out(x / (x + x * y), 1 / (1 + y))
    False
    """
    if not (_is_plain(first) and _is_plain(second)):
        return False
    result: bool = first == second or _multiplied_out(first) == _multiplied_out(second)
    return result


def _is_plain(expr: Basic) -> bool:
    return isinstance(expr, _PLAIN) and all(map(_is_plain, expr.args))


def _multiplied_out(expr: Expr) -> Expr:
    return expand(_barred(expr), **_HINTS)


def _barred(expr: Expr) -> Expr:
    """The expression with its absolute values as those of one of the two opposite arguments."""
    if isinstance(expr, Abs):
        inside = _multiplied_out(expr.args[0])
        return _BARS(min(inside, expand(-inside, **_HINTS), key=default_sort_key))
    if not expr.has(Abs):
        return expr
    return expr.func(*map(_barred, expr.args))

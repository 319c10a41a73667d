"""Normal forms: every term as a quotient of two polynomials in generators.

Generators are symbols, pi, roots, exponentials, values of functions, and opaque terms: whatever
binds a variable and is no derivative that can be evaluated. Two opaque terms are the same
generator if they have the same key, in which bound variables have no names; so nothing else knows
of binding here.

Each node is brought to normal form by itself, from the leaves up, and whatever it needs to be
defined is asked there, before anything can cancel. What is asked is the sign of a polynomial; it
is known from a fact, or learned from evidence for this question.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction as Q
from functools import lru_cache
from typing import Any, TypeAlias

from flint import fmpq

from slrsym.checker.differentiation import (
    Asked,
    Slopes,
    differentiated_function_value,
    evaluate_derivative,
    expand_if_erf_derivative,
)
from slrsym.checker.sign import (
    ANY,
    NEG,
    NN,
    NP,
    NZ,
    POS,
    SIGNS,
    Poly,
    Sign,
    SignFacts,
    factor_polynomial,
    generator_indices_in,
    greatest_common_divisor,
    poly_power,
    poly_product,
    sign_of_product,
)
from slrsym.checker.term import BINDERS, BITS, PARAMETERS, Rejected, Term, canonical_key, require

Fraction: TypeAlias = tuple[Poly, Poly]
# What is asked about the sign of a polynomial, and may make the ring learn more.
Evidence: TypeAlias = Callable[["Ring", Poly, Sign], object]

# Of functions of the table: by what factor they change with the sign of each argument.
PARITY = {"erf": (-1,), "asin": (-1,), "atan": (-1,), "owens": (1, -1), "zeta": (1, 1),
           "sin": (-1,), "cos": (1,), "sinh": (-1,), "cosh": (1,), "tanh": (-1,)}  # fmt: skip
_INCREASING = ("erf", "asin", "atan", "log", "sinh", "tanh")
# Those that have the sign of their last argument.
_SIGN_OF_ARGUMENT = ("erf", "asin", "atan", "owens", "sinh", "tanh")
# Of arcs that are known: the value over pi.
_ARCS = {("asin", 1): fmpq(1, 2), ("asin", fmpq(1, 2)): fmpq(1, 6), ("atan", 1): fmpq(1, 4)}
_OF_SORT = {"": ANY, ">0": POS, "<0": NEG, ">=0": NN, "<=0": NP, "!=0": NZ}


# By the head of a node of an extension: its normal form.
NORMAL_FORMS: dict[str, Callable[[Ring, Term], Fraction]] = {}


class ExponentUnitTooCoarse(Rejected):
    """Error raised if an exponent is not a multiple of its unit, so that a finer unit is needed."""


class Ring:
    """The polynomial ring of one inference, in whose generators terms have normal forms.

    There are `size` generators at most. If ``units[m, d]`` is z, for a monomial m over d (by
    `SignFacts.hashable_key`), then exp(z m/d) is a generator, and exp(c m/d) its power c/z, which
    has to be whole. `evidence` is asked for a sign that is not known, and may call `learn` and what
    learns. `slopes` has the derivatives of functions of the table that claims state, and `defined`
    the keys of opaque terms that are known to be defined.
    """

    def __init__(
        self, size: int, units: dict[Any, fmpq], evidence: Evidence, slopes: Slopes,
        defined: frozenset[str],
    ) -> None:  # fmt: skip
        self.facts = SignFacts(size)
        self.x, self.one, self.zero = self.facts.x, self.facts.one, self.facts.zero
        self.generators: list[tuple[Any, ...]] = []
        self.units, self.evidence, self.slopes, self.defined = units, evidence, slopes, defined
        self._numbers: dict[tuple[Any, ...], int] = {}
        self._memo: dict[Term, Fraction] = {}
        # By its key, the value of an opaque term.
        self._opaque: dict[str, Fraction] = {}
        # Whether the term at hand is part of a fact, so that what it needs to be defined holds.
        self.is_fact = False
        # What extensions keep for this inference, by their names.
        self.kept: dict[str, Any] = {}

    # -- fractions --------------------------------------------------------------------------------

    def fraction(self, n: Poly, d: Poly, rational: bool = False) -> Fraction:
        """Return n/d in lowest terms; if `rational`, without roots in the denominator."""
        n, d = self.facts.reduce(n), self.facts.reduce(d)
        require(d != 0, "a denominator is zero")
        if n == 0:
            return self.zero, self.one
        for i, q, _ in reversed(self.facts.roots) if rational else ():
            low = min(int(m[i]) for m in d.monoms())
            if low:
                more = self.x[i] ** (q - low)
                n, d = self.facts.reduce(n * more), self.facts.reduce(d * more)
        common = greatest_common_divisor(n, d)
        if common != 1:
            n, d = n / common, d / common
        c = d.leading_coefficient()
        return n / c, d / c

    def plus(self, a: Fraction, b: Fraction) -> Fraction:
        if a[1] == b[1]:
            return self.fraction(a[0] + b[0], a[1])
        numerator = poly_product(a[0], b[1]) + poly_product(b[0], a[1])
        return self.fraction(numerator, poly_product(a[1], b[1]))

    def minus(self, a: Fraction, b: Fraction) -> Fraction:
        return self.plus(a, (-b[0], b[1]))

    def times(self, a: Fraction, b: Fraction) -> Fraction:
        return self.fraction(poly_product(a[0], b[0]), poly_product(a[1], b[1]))

    def is_equal(self, a: Fraction, b: Fraction) -> bool:
        return bool(self.facts.reduce(poly_product(a[0], b[1]) - poly_product(b[0], a[1])) == 0)

    def sign_of_fraction(self, f: Fraction) -> Sign:
        return sign_of_product(self.facts.possible_signs(f[0]), self.facts.possible_signs(f[1]))

    # -- questions --------------------------------------------------------------------------------

    def has_sign(self, p: Poly, sign: Sign) -> bool:
        """Return whether a polynomial is known, or shown by evidence, to have a sign."""
        if not self.facts.possible_signs(p) <= sign:
            self.evidence(self, p, sign)
        return self.facts.possible_signs(p) <= sign

    def require_sign(self, p: Poly, sign: Sign, why: str) -> None:
        """Refuse an inference unless a polynomial has a sign."""
        require(self.has_sign(p, sign), why)

    def require_definedness_sign(self, p: Poly, sign: Sign, why: str) -> None:
        """Refuse an inference unless a polynomial has a sign without which a term is undefined.

        While a fact is read, the sign is learned first, as the fact says that its terms are
        defined.
        """
        if self.is_fact:
            self.facts.learn(p, sign)
        self.require_sign(p, sign, why)

    # -- generators -------------------------------------------------------------------------------

    def find_or_create_generator_index(self, *data: Any) -> int:
        """Return the number of the generator with given data; create the generator if it is new."""
        # Polynomials cannot be hashed.
        name = tuple(tuple(map(str, p)) if isinstance(p, tuple) else str(p) for p in data)
        if name not in self._numbers:
            require(len(self.generators) < len(self.x), "more generators than the evidence says")
            self._numbers[name] = len(self.generators)
            self.generators.append(data)
        return self._numbers[name]

    def generator_data(self, p: Poly) -> tuple[Any, ...]:
        """Return the data of the generator that a polynomial equals, or empty data if none."""
        places = generator_indices_in(p)
        if len(places) != 1 or p != self.x[places[0]] or places[0] >= len(self.generators):
            return ("",)
        return self.generators[places[0]]

    def symbol(self, t: Term) -> Poly:
        x = self.x[self.find_or_create_generator_index("s", t)]
        self.facts.learn(x, _OF_SORT[t[2][1:]])
        if t[2] in ("Z>0", "Z<0"):
            self.facts.learn(x - 1 if t[2] == "Z>0" else -x - 1, NN)
        return x

    def pi(self) -> Poly:
        x = self.x[self.find_or_create_generator_index("pi")]
        for p, s in ((x, POS), (x - fmpq(314159, 100000), POS), (x - fmpq(314160, 100000), NEG)):
            self.facts.learn(p, s)
        return x

    def root_generator(self, base: Poly, q: int) -> Poly:
        """Return the generator that stands for the q-th root of a nonnegative polynomial."""
        i = self.find_or_create_generator_index("root", base, q)
        if (i, q, base) not in self.facts.roots:
            self.facts.roots.append((i, q, base))
        self.facts.learn(self.x[i], POS if self.facts.possible_signs(base) <= NZ else NN)
        c, factors = factor_polynomial(base)
        if q == 2 and c == 1 and all(n % 2 == 0 for _, n in factors):
            whole = self.one
            for g, n in factors:
                whole *= g ** (int(n) // 2)
            # The root is |whole|, as long as the sign of `whole` is not known.
            self.facts.learn(self.x[i] - whole, NN)
            self.facts.learn(self.x[i] + whole, NN)
        return self.x[i]

    def root(self, f: Fraction, q: int) -> Fraction:
        """Return the q-th root of a fraction, with factors of known sign moved out of the root."""
        n, d = f
        if not self.has_sign(d, POS):
            n, d = -n, -d
            self.require_sign(d, POS, "a denominator under a root has no known sign")
        self.require_definedness_sign(
            n, NN, "the radicand of a root is not known to be nonnegative"
        )
        whole = self.facts.reduce(poly_product(n, poly_power(d, q - 1)))
        if whole == 0:
            return self.zero, self.one
        c, factors = factor_polynomial(whole)
        out, rest = self._root_of_number(fmpq(c), q), self.one if c > 0 else -self.one
        # `rest` is the product of the other factors; `strict`: all that are taken out are positive.
        out, strict = self.times(out, (self.one, d)), True
        # In an order that does not depend on who factors.
        for g, k in sorted(factors, key=lambda factor: _sort_key(factor[0])):
            k = int(k)
            if not (self.has_sign(g, NN) or self.has_sign(-g, NN)):
                rest *= g**k
                continue
            if not self.facts.possible_signs(g) <= NN:
                g, rest = -g, rest * (-1) ** k
            strict = strict and self.has_sign(g, POS)
            w, left = divmod(k, q)
            out = self.times(out, (g**w, self.one))
            kind, *data = self.generator_data(g)
            if left and kind == "exp":
                (mono, below), unit = data
                self.units[self.exponent_unit_key(mono, below)] = unit / q
                raise ExponentUnitTooCoarse("a root of an exponential needs a finer unit")
            if left:
                out = self.times(out, (self.root_generator(g, q) ** left, self.one))
        if rest != 1:
            require(not rest.is_constant(), "the base of a root is a negative number")
            if strict:
                self.facts.learn(rest, NN)
            why = "factors of unknown sign may be negative together, since another factor may be 0"
            self.require_sign(rest, NN, why)
            out = self.times(out, (self.root_generator(rest, q), self.one))
        return out

    def _root_of_number(self, c: fmpq, q: int) -> Fraction:
        """Return the q-th root of ``|c|``, c rational, as a product of roots of integers."""
        out = (self.one, self.one)
        for value, e in ((int(abs(c.p)), 1), (int(c.q), -1)):
            for base, k in _small_prime_factors(value):
                w, left = divmod(e * k, q)
                out = self.times(out, (self.facts.ring.constant(fmpq(base) ** w), self.one))
                if left:
                    root = self.root_generator(self.facts.ring.constant(base), q)
                    out = self.times(out, (root**left, self.one))
        return out

    def exponential(self, f: Fraction) -> Fraction:
        """Return the normal form of exp of a fraction, a product of powers of generators."""
        out = (self.one, self.one)
        n, d = self.fraction(*f, rational=True)
        for m, c in n.to_dict().items():
            mono, c = self.facts.ring.from_dict({m: 1}), fmpq(c)
            kind, *data = self.generator_data(mono)
            if d == 1 and c.q == 1 and kind == "f" and data[0] == "log":
                # exp(k log u) = u^k, where u > 0 has been asked for.
                u, v = data[1] if c > 0 else data[1][::-1]
                power = abs(int(c.p))
                out = self.times(out, (poly_power(u, power), poly_power(v, power)))
                continue
            alike = (g for g in self.generators if g[0] == "exp" and self.is_equal((mono, d), g[1]))
            asked = self.exponent_unit_key(mono, d)
            g = next(alike, None) or ("exp", (mono, d), self.units.get(asked, abs(c)))
            i = self.find_or_create_generator_index(*g)
            k = c / g[2]
            if k.q != 1:
                self.units[self.exponent_unit_key(*g[1])] = self.units[asked] = g[2] / int(k.q)
                raise ExponentUnitTooCoarse("an exponential needs a finer unit")
            self.facts.learn(self.x[i], POS)
            grown = poly_power(self.x[i], abs(int(k.p)))
            out = self.times(out, (grown, self.one) if k > 0 else (self.one, grown))
        return out

    def exponent_unit_key(self, mono: Poly, d: Poly) -> tuple[Any, Any]:
        """Return the key of a monomial over a denominator in the table `units`."""
        return self.facts.hashable_key(mono), self.facts.hashable_key(d)

    def exponent(self, m: Poly) -> Fraction:
        """Return u for a monomial in exponentials that equals exp(u)."""
        terms = list(m.to_dict().items())
        require(len(terms) == 1 and terms[0][1] == 1, "the polynomial is no monomial")
        total = (self.zero, self.one)
        for i, n in enumerate(terms[0][0]):
            if n:
                kind, *data = self.generators[i] if i < len(self.generators) else ("",)
                require(kind == "exp", "the polynomial is no product of exponentials")
                (mono, d), unit = data
                total = self.plus(total, (mono * unit * int(n), d))
        return total

    def function_value(
        self, name: str, arguments: Sequence[Fraction], parity: Sequence[int] = ()
    ) -> Fraction:
        """Return a function's value as a generator, reused for equal or opposite arguments."""
        parity = parity or (0,) * len(arguments)
        for i, g in enumerate(self.generators):
            if g[:2] != ("f", name) or len(g) != len(arguments) + 2:
                continue
            factor = 1
            for a, b, p in zip(arguments, g[2:], parity, strict=True):
                if not self.is_equal(a, b):
                    factor *= p if p and self.is_equal(a, (-b[0], b[1])) else 0
            if factor:
                self.learn_function_facts(name, i)
                return factor * self.x[i], self.one
        if any(p < 0 and a[0] == 0 for p, a in zip(parity, arguments, strict=True)):
            return self.zero, self.one
        i = self.find_or_create_generator_index("f", name, *arguments)
        self.learn_function_facts(name, i)
        return self.x[i], self.one

    def learn_function_facts(self, name: str, i: int) -> None:
        """Store bounds on a value of a named function, such as erf(u) < 1, and its sign."""
        g, arguments = self.x[i], self.generators[i][2:]
        if name in _SIGN_OF_ARGUMENT:
            n, d = arguments[-1]
            for s in (NN, NP, NZ):
                self.has_sign(self.facts.reduce(n * d), s)
            self.facts.learn(g, self.sign_of_fraction(arguments[-1]))
        for p, s in {
            "erf": ((g - 1, NEG), (g + 1, POS)), "zeta": ((g, NN), (g - 1, NEG)),
            "tanh": ((g - 1, NEG), (g + 1, POS)), "sin": ((g - 1, NP), (g + 1, NN)),
            "cos": ((g - 1, NP), (g + 1, NN)), "cosh": ((g - 1, NN),),
        }.get(name, ()):  # fmt: skip
            self.facts.learn(p, s)
        if name in ("asin", "atan"):
            n, d = arguments[0]
            open_ends = name == "atan" or self.facts.possible_signs(d * d - n * n) == POS
            for p in (self.pi() - 2 * g, self.pi() + 2 * g):
                self.facts.learn(p, POS if open_ends else NN)
        if name == "max":
            for n, d in arguments:
                self.facts.learn(g * d - n, sign_of_product(NN, self.facts.possible_signs(d)))

    # -- what two generators tell of each other ---------------------------------------------------

    def learn_from_comparison(self, kind: str, a: Poly, b: Poly) -> None:
        """Compare two polynomials by a named method; store the sign of their difference."""
        require(kind in _COMPARISONS, f"unknown comparison {kind!r:.40}")
        _COMPARISONS[kind](self, a, b)

    def _compare_exponentials(self, a: Poly, b: Poly) -> None:
        """Compare two products of exponentials by their exponents; store the result."""
        difference = self.minus(self.exponent(a), self.exponent(b))
        self.facts.learn(a - b, self.sign_of_fraction(difference))

    def _learn_tangent_bound(self, a: Poly, _: Poly) -> None:
        """Store e^u >= 1 + u for a product of exponentials e^u."""
        n, d = self.exponent(a)
        self.facts.learn((a - 1) * d - n, sign_of_product(self.facts.possible_signs(d), NN))

    def _compare_square_root(self, a: Poly, b: Poly) -> None:
        """Store how a square root compares with b, by the sign of its radicand minus b^2."""
        kind, *data = self.generator_data(a)
        require(kind == "root" and data[1] == 2, "the polynomial is no square root")
        sign = self.facts.possible_signs
        s = sign(data[0] - b * b)
        compared = s <= NN or (s <= NP and sign(b) <= NN)
        require(compared, "the root is not known to compare with the other polynomial")
        if s <= NN:
            # Then the root is at least |b|; of a radicand equal to b^2 nothing more is known.
            self.facts.learn(a - b, POS if s <= POS else NN)
            self.facts.learn(a + b, POS if s <= POS else NN)
        else:
            self.facts.learn(a - b, s)

    def _learn_sign_of_argument(self, a: Poly, _: Poly) -> None:
        """Store the sign of an odd increasing function's argument, which is that of its value."""
        g = self.generator_data(a)
        odd = g[0] == "f" and g[1] in _INCREASING and g[1] in PARITY
        require(odd, "the polynomial is no value of an odd increasing function")
        self.facts.learn(g[2][0] * g[2][1], self.facts.possible_signs(a))

    def _compare_increasing(self, a: Poly, b: Poly) -> None:
        """Compare two values of an increasing function by their arguments; store the result."""
        first, second = self.generator_data(a), self.generator_data(b)
        alike = first[0] == second[0] == "f" and first[1] == second[1]
        require(alike, "the two polynomials are not values of one function")
        require(first[1] in _INCREASING, f"{first[1]} is not known to be increasing")
        for k in (1, -1) if first[1] in PARITY else (-1,):
            n, d = second[2]
            self.facts.learn(a + k * b, self.sign_of_fraction(self.plus(first[2], (k * n, d))))

    # -- terms ------------------------------------------------------------------------------------

    def normal_form(self, t: Term) -> Fraction:
        """Return the normal form of a term: a quotient of two polynomials in generators."""
        if t not in self._memo:
            self._memo[t] = self._compute_normal_form(t)
        return self._memo[t]

    def _compute_normal_form(self, t: Term) -> Fraction:
        t = expand_if_erf_derivative(t)
        head = t[0]
        if head == "n":
            return self.facts.ring.constant(fmpq(t[1], t[2])), self.one
        if head == "pi":
            return self.pi(), self.one
        if head == "s":
            return self.symbol(t), self.one
        if head in ("+", "*"):
            total = (self.zero if head == "+" else self.one, self.one)
            for part in [self.normal_form(a) for a in t[1:]]:
                total = self.plus(total, part) if head == "+" else self.times(total, part)
            return total
        if head == "^":
            _, p, q, base = t
            f = self.normal_form(base)
            if q != 1:
                f = self.root(f, q)
            if p < 0:
                self.require_definedness_sign(f[0], NZ, "a denominator is not known to be nonzero")
                f, p = (f[1], f[0]), -p
            return self.fraction(poly_power(f[0], p), poly_power(f[1], p))
        if head == "f":
            return self._function_normal_form(t)
        if head in ("u", "ix"):
            start = 1 + PARAMETERS[head]
            integral = head == "u" or all(map(is_integer_term, t[start:]))
            require(integral, "an index is not known to be an integer")
            name = " ".join(map(str, t[1:start]))
            f = self.function_value(name, [self.normal_form(a) for a in t[start:]])
            if head == "ix" or not any(t[3]):
                self.facts.learn(f[0], _OF_SORT[t[2][1:]])
            return f
        if head in NORMAL_FORMS:
            return NORMAL_FORMS[head](self, t)
        return self._binder_normal_form(t)

    def _function_normal_form(self, t: Term) -> Fraction:
        name, arguments = t[1], [self.normal_form(a) for a in t[2:]]
        n, d = arguments[0]
        if name == "exp":
            return self.exponential(arguments[0])
        if name == "abs":
            return self._absolute_value(n, d)
        if name in ("asin", "log"):
            p, sign = (d * d - n * n, NN) if name == "asin" else (n * d, POS)
            self.require_definedness_sign(
                self.facts.reduce(p), sign, f"{name} is not known to be defined here"
            )
        if name in ("asin", "atan") and n.is_constant() and d == 1 and n != 0:
            c = fmpq(n.leading_coefficient())
            for (known, at), value in _ARCS.items():
                if known == name and abs(c) == at:
                    return self.pi() * (value if c > 0 else -value), self.one
        if name in ("cos", "cosh") and n == 0:
            return self.one, self.one
        if name == "log" and n == d:
            return self.zero, self.one
        return self.function_value(name, arguments, PARITY.get(name, ()))

    def _absolute_value(self, n: Poly, d: Poly) -> Fraction:
        """Return ``|n/d|`` as n/d or -n/d by the known sign, or else as the root of the square."""
        if self.has_sign(self.facts.reduce(n * d), NN):
            return n, d
        if self.has_sign(self.facts.reduce(n * d), NP):
            return -n, d
        # Learned before squaring, which hides that the square has no sign but >= 0.
        self.facts.learn(n * n, NN)
        self.facts.learn(n * n * d * d, NN)
        a, b = self.root((n * n, d * d), 2)
        for side in (a * d - n * b, a * d + n * b):
            self.facts.learn(side, sign_of_product(NN, self.facts.possible_signs(b * d)))
        return a, b

    # -- terms that bind variables ----------------------------------------------------------------

    def _binder_normal_form(self, t: Term) -> Fraction:
        """Return a derivative's value, or the generator that stands for another binder."""
        if (derivative := self._evaluated_derivative(t)) is not None:
            return self._value_of_derivative(t, *derivative)
        name = canonical_key(t)
        if name not in self._opaque:
            require(name in self.defined, f"{t[0]} is not known to be defined: {name:.200}")
            self._opaque[name] = (
                self.x[self.find_or_create_generator_index("opaque", name)],
                self.one,
            )
        return self._opaque[name]

    def define_by_equation(self, t: Term, value: Term) -> bool:
        """Store an equation's right side as an opaque term's value; return whether possible.

        False, with nothing changed, if the term has a value or is not opaque.
        """
        name = canonical_key(t)
        if t[0] not in BINDERS or name in self._opaque or self._evaluated_derivative(t):
            return False
        found = self.normal_form(value)
        # The value may contain the term itself, which then is a generator by now.
        return self._opaque.setdefault(name, found) is found

    def _evaluated_derivative(self, t: Term) -> tuple[Term, Asked] | None:
        """Return a derivative's value and the conditions for it, or None if it is not evaluated.

        What a sum or an integral would ask of all points between its ends is no relation.
        """
        asked: Asked = []
        try:
            value = evaluate_derivative(t, self.slopes, asked) if t[0] == "d" else None
        except Rejected:
            return None
        return (value, asked) if value and all(p[0] != "forall" for p in asked) else None

    def _value_of_derivative(self, t: Term, value: Term, asked: Asked) -> Fraction:
        """Return the normal form of an evaluated derivative, if its conditions are shown."""
        # A fact says that the derivative exists; the conditions of the calculus are only
        # sufficient, so they are not learned from it.
        kept, self.is_fact = self.is_fact, False
        try:
            # The function itself has to be defined there, although its derivative may not show it.
            self.normal_form(differentiated_function_value(t))
            for kind, a, b in asked:
                n, d = self.minus(self.normal_form(a), self.normal_form(b))
                p = self.facts.reduce(n * d)
                self.require_sign(p, SIGNS[kind], "a derivative is not known to exist")
            return self.normal_form(value)
        finally:
            self.is_fact = kept


_COMPARISONS: dict[str, Callable[[Ring, Poly, Poly], None]] = {
    "exp": Ring._compare_exponentials, "tangent": Ring._learn_tangent_bound,
    "root": Ring._compare_square_root, "inverse": Ring._learn_sign_of_argument,
    "increasing": Ring._compare_increasing,
}  # fmt: skip


def _sort_key(p: Poly) -> list[tuple[Any, ...]]:
    """Return the sort key of a polynomial: its monomials in descending order."""
    return [(*map(int, m), Q(int(fmpq(c).p), int(fmpq(c).q))) for m, c in p.to_dict().items()]


@lru_cache(maxsize=1_000)
def _small_prime_factors(n: int) -> list[tuple[int, int]]:
    """Return an integer's prime factors below 1,000 with exponents, and its cofactor.

    The other factor need not be prime: it is positive, which is enough.
    """
    require(n.bit_length() < BITS, "a number under a root has too many digits")
    found = []
    for p in range(2, 1_000):
        k = 0
        while n % p == 0:
            n, k = n // p, k + 1
        if k:
            found.append((p, k))
    return [*found, (n, 1)] if n > 1 else found


def is_integer_term(t: Term) -> bool:
    """Return whether a term is an integer by its operations and the sorts of its symbols."""
    if t[0] == "n":
        return bool(t[2] == 1)
    if t[0] in ("s", "ix"):
        return bool(t[2][0] == "Z") and (t[0] == "s" or all(map(is_integer_term, t[3:])))
    return t[0] in ("+", "*") and all(map(is_integer_term, t[1:]))

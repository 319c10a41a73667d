"""Normal forms: each side of a relation as a fraction of polynomials in generators.

Each node is brought to normal form by itself, from the leaves up, and whatever it needs to be
defined is asked there, before anything can cancel: that is the gate. What is asked is a sign; it is
known from a fact, or learned from the next piece of evidence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, TypeAlias

from flint import fmpq, fmpz

from slrsym.trusted.calculus import Asked, Slopes, evaluated, unfolded
from slrsym.trusted.sign import (
    ANY,
    NEG,
    NN,
    NP,
    NZ,
    POS,
    SIGNS,
    ZERO,
    Facts,
    Poly,
    Sign,
    number,
    product,
    raised,
    times,
    used_in,
)
from slrsym.trusted.term import (
    PARAMETERS,
    RELATIONS,
    Rejected,
    Term,
    bound,
    children,
    defined,
    free,
    fresh,
    has_copies,
    inside,
    is_inside,
    key,
    outside,
    require,
    substitute,
)
from slrsym.trusted.theorem import Theorem, merged, rule

Fraction: TypeAlias = tuple[Poly, Poly]

# Of functions of the table: by what factor they change with the sign of each argument.
_PARITY = {"erf": (-1,), "asin": (-1,), "atan": (-1,), "owens": (1, -1), "zeta": (1, 1),
           "sin": (-1,), "cos": (1,), "sinh": (-1,), "cosh": (1,), "tanh": (-1,)}  # fmt: skip
_INCREASING = ("erf", "asin", "atan", "log", "sinh", "tanh")
# Defined at all numbers; so are undefined functions and sequences, whose names have a space here.
_TOTAL = ("erf", "atan", "sin", "cos", "sinh", "cosh", "tanh", "zeta", "owens", "max", "sign")
# Of arcs that are known: the value over pi.
_ARCS = {("asin", 1): fmpq(1, 2), ("asin", fmpq(1, 2)): fmpq(1, 6), ("atan", 1): fmpq(1, 4)}
_OF_SORT = {"": ANY, ">0": POS, "<0": NEG, ">=0": NN, "<=0": NP, "!=0": NZ}


class Finer(Rejected):
    """The unit of an exponent is too coarse; whoever makes the evidence may try a finer one."""


class Ring:
    """The normal forms of one step, in at most so many generators.

    Units say by what rational part of a monomial the generator of an exponent goes; evidence is
    asked for a sign that is not known, and may make the ring learn; given are terms that are known
    to be defined, by their printing.
    """

    def __init__(
        self, size: int, units: dict[Any, fmpq], evidence: Callable[[Ring, Poly, Sign], object],
        slopes: Slopes, given: frozenset[str],
    ) -> None:  # fmt: skip
        self.facts = Facts(size)
        self.x, self.one, self.zero = self.facts.x, self.facts.one, self.facts.zero
        self.generators: list[tuple[Any, ...]] = []
        # On which generators each one depends, so that bound variables are found in them.
        self.depends: list[frozenset[int]] = []
        self.units, self.evidence, self.slopes, self.given = units, evidence, slopes, given
        self._memo: dict[Term, Fraction] = {}
        # Whether the term is one that is known to be defined, so that what it needs is learned.
        self.granted = False

    # -- fractions --------------------------------------------------------------------------------

    def fraction(self, n: Poly, d: Poly, rational: bool = False) -> Fraction:
        """In lowest terms; if wanted, with no root in the denominator."""
        n, d = self.facts.reduced(n), self.facts.reduced(d)
        require(d != 0, "a denominator that vanishes")
        if n == 0:
            return self.zero, self.one
        for i, q, _ in reversed(self.facts.roots) if rational else ():
            low = min(int(m[i]) for m in d.monoms())
            if low:
                more = self.x[i] ** (q - low)
                n, d = self.facts.reduced(n * more), self.facts.reduced(d * more)
        common = n.gcd(d)
        if common != 1:
            n, d = n / common, d / common
        c = d.leading_coefficient()
        return n / c, d / c

    def plus(self, a: Fraction, b: Fraction) -> Fraction:
        if a[1] == b[1]:
            return self.fraction(a[0] + b[0], a[1])
        return self.fraction(product(a[0], b[1]) + product(b[0], a[1]), product(a[1], b[1]))

    def minus(self, a: Fraction, b: Fraction) -> Fraction:
        return self.plus(a, (-b[0], b[1]))

    def times(self, a: Fraction, b: Fraction) -> Fraction:
        return self.fraction(product(a[0], b[0]), product(a[1], b[1]))

    def same(self, a: Fraction, b: Fraction) -> bool:
        return bool(self.facts.reduced(product(a[0], b[1]) - product(b[0], a[1])) == 0)

    def sign(self, f: Fraction) -> Sign:
        return times(self.facts.sign(f[0]), self.facts.sign(f[1]))

    def ask(self, p: Poly, sign: Sign) -> bool:
        """Whether a polynomial has a sign, by what is known or by evidence."""
        if not self.facts.sign(p) <= sign:
            self.evidence(self, p, sign)
        return self.facts.sign(p) <= sign

    def need(self, p: Poly, sign: Sign, why: str) -> None:
        require(self.ask(p, sign), why)

    def gate(self, p: Poly, sign: Sign, why: str) -> None:
        """Whatever a term needs to be defined; which holds of a term in a relation that holds."""
        if self.granted:
            self.facts.learn(p, sign)
        self.need(p, sign, why)

    @contextmanager
    def granting(self, granted: bool) -> Iterator[None]:
        kept, self.granted = self.granted, granted
        try:
            yield
        finally:
            self.granted = kept

    @contextmanager
    def scope(self, *names: Term) -> Iterator[list[int]]:
        """A scope in which these names are new, whatever they may mean outside."""
        outer = set(self.facts.live)
        own = [self.generator("s", name) for name in names]
        self.facts.live = outer
        kept, fresh = self._memo, {j for j in range(len(self.x)) if j in own}
        # Another value of a sum of copies is meant under an expectation; the key of an opaque
        # generator shows the sums in it.
        fresh |= {j for j, g in enumerate(self.generators)
                  if g[0] == "copies" or (g[0] == "opaque" and "(copies" in g[1])}  # fmt: skip
        fresh |= {j for j, used in enumerate(self.depends) if used & fresh}
        self._memo = {t: f for t, f in kept.items()
                      if not free(t) & set(names) and not has_copies(t)}  # fmt: skip
        try:
            with self.facts.scope(fresh):
                for name in names:
                    self.symbol(name)
                yield own
        finally:
            self._memo = kept

    def hoist(self, t: Term, names: frozenset[Term]) -> None:
        """Bring the parts without these names to normal form, where they can be, out here."""
        if not free(t) & names:
            with suppress(Rejected):
                self.of(t)
        else:
            for place, part in children(t):
                self.hoist(part, names | set(bound(t)) if is_inside(t, place) else names)

    def revive(self, p: Poly) -> None:
        """Refuse what is defined inside of a scope that has ended, and not here."""
        for i in self.in_polynomial(p):
            if i in self.facts.live:
                continue
            kind, *data = self.generators[i]
            if kind == "root":
                self.revive(data[0])
                self.need(data[0], NN, "a root that is defined inside of a binder alone")
                self.root_of(*data)
            elif kind == "exp":
                (mono, d), m, unit = data
                self.revive(mono)
                self.revive(d)
                self.need(d, NZ, "an exponent that is defined inside of a binder alone")
                self.facts.learn(self.x[self.generator("exp", (mono, d), m, unit)], POS)
            else:
                require(kind != "s" and self.total(i), "a factor that is defined in a binder alone")
                self.facts.live.add(i)

    def total(self, i: int) -> bool:
        """Whether a generator is defined at all values of its variables, by what is known here."""
        kind, *data = self.generators[i]
        if kind == "f":
            if " " not in data[0] and data[0] not in _TOTAL:
                return False
            data = data[1:]
        elif kind == "sum":
            more = self.plus(self.minus(data[2], data[1]), (self.one, self.one))
            if not self.sign(more) <= NN:
                return False
        elif kind == "exp":
            data = [data[0]]
        elif kind not in ("s", "pi"):
            return False
        parts = [] if kind in ("s", "pi") else data
        used = {k for n, _ in parts for k in used_in(n)}
        return all(d.is_constant() for _, d in parts) and all(map(self.total, used))

    # -- generators -------------------------------------------------------------------------------

    def generator(self, *data: Any) -> int:
        """The generator of these data, made if there is none."""
        if data in self.generators:
            self.facts.live.add(self.generators.index(data))
            return self.generators.index(data)
        require(len(self.generators) < len(self.x), "more generators than the evidence says")
        self.generators.append(data)
        used: frozenset[int] = frozenset()
        for part in data:
            for p in part if isinstance(part, tuple) else (part,):
                if hasattr(p, "degrees"):
                    used |= self.in_polynomial(p)
        self.depends.append(used)
        self.facts.live.add(len(self.generators) - 1)
        return len(self.generators) - 1

    def in_polynomial(self, p: Poly) -> frozenset[int]:
        own = (self.depends[i] | {i} for i in used_in(p))
        return frozenset().union(*own)

    def symbol(self, t: Term) -> Poly:
        x = self.x[self.generator("s", t)]
        self.facts.learn(x, _OF_SORT[t[2][1:]])
        if t[2] in ("Z>0", "Z<0"):
            self.facts.learn(x - 1 if t[2] == "Z>0" else -x - 1, NN)
        return x

    def pi(self) -> Poly:
        x = self.x[self.generator("pi")]
        for p, s in ((x, POS), (x - fmpq(314159, 100000), POS), (x - fmpq(314160, 100000), NEG)):
            self.facts.learn(p, s)
        return x

    def root_of(self, base: Poly, q: int) -> Poly:
        i = self.generator("root", base, q)
        if (i, q, base) not in self.facts.roots:
            self.facts.roots.append((i, q, base))
        self.facts.learn(self.x[i], POS if self.facts.sign(base) <= NZ else NN)
        c, factors = base.factor()
        if q == 2 and c == 1 and all(n % 2 == 0 for _, n in factors):
            whole = self.one
            for g, n in factors:
                whole *= g ** (int(n) // 2)
            # |f|, as long as the sign of f is not known.
            self.facts.learn(self.x[i] - whole, NN)
            self.facts.learn(self.x[i] + whole, NN)
        return self.x[i]

    def root(self, f: Fraction, q: int) -> Fraction:
        """The root; factors of known sign are taken out, the others stay together."""
        n, d = f
        if not self.ask(d, POS):
            n, d = -n, -d
            self.need(d, POS, "a denominator of unknown sign under a root")
        self.gate(n, NN, "what stands under a root may be negative")
        whole = self.facts.reduced(product(n, raised(d, q - 1)))
        if whole == 0:
            return self.zero, self.one
        out, strict = (self.one, d), True
        c, factors = whole.factor()
        rest, c = (self.one if c > 0 else -self.one), fmpq(c)
        for value, e in ((int(abs(c.p)), 1), (int(c.q), -1)):
            # What is left of a long number need not be prime: it is positive, which is enough.
            for prime, k in fmpz(value).factor(trial_limit=10_000) if value > 1 else ():
                w, left = divmod(e * int(k), q)
                out = self.times(out, (self.facts.ring.constant(fmpq(int(prime)) ** w), self.one))
                if left:
                    root = self.root_of(self.facts.ring.constant(int(prime)), q)
                    out = self.times(out, (root**left, self.one))
        for g, k in factors:
            k = int(k)
            if not (self.ask(g, NN) or self.ask(-g, NN)):
                rest *= g**k
                continue
            if not self.facts.sign(g) <= NN:
                g, rest = -g, rest * (-1) ** k
            strict = strict and self.ask(g, POS)
            w, left = divmod(k, q)
            out = self.times(out, (g**w, self.one))
            of = next((h for x, h in zip(self.x, self.generators, strict=False) if x == g), ("",))
            if left and of[0] == "exp":
                self.units[of[2], str(of[1][1])] = of[3] / q
                raise Finer("a root of an exponential")
            if left:
                out = self.times(out, (self.root_of(g, q) ** left, self.one))
        if rest != 1:
            require(not rest.is_constant(), "a root of a negative number")
            if strict:
                self.facts.learn(rest, NN)
            self.need(rest, NN, "a factor under a root may be negative where another vanishes")
            out = self.times(out, (self.root_of(rest, q), self.one))
        return out

    def exponential(self, f: Fraction) -> Fraction:
        """Exp of a sum is a product of powers, one generator for each monomial of the exponent."""
        out = (self.one, self.one)
        n, d = self.fraction(*f, rational=True)
        for m, c in n.to_dict().items():
            mono, c = self.facts.ring.from_dict({m: 1}), fmpq(c)
            of_log = self.argument_of_log(m) if d == 1 and c.q == 1 else None
            if of_log is not None:
                # exp(k log u) = u^k, where u > 0 has been asked for.
                u, v = of_log if c > 0 else of_log[::-1]
                power = abs(int(c.p))
                out = self.times(out, (raised(u, power), raised(v, power)))
                continue
            alike = (g for g in self.generators if g[0] == "exp" and self.same((mono, d), g[1]))
            g = next(alike, None) or ("exp", (mono, d), m, self.units.get((m, str(d)), abs(c)))
            i = self.generator(*g)
            k = c / g[3]
            if k.q != 1:
                self.units[(g[2], str(g[1][1]))] = self.units[(m, str(d))] = g[3] / int(k.q)
                raise Finer("an exponential in finer units")
            self.facts.learn(self.x[i], POS)
            grown = raised(self.x[i], abs(int(k.p)))
            out = self.times(out, (grown, self.one) if k > 0 else (self.one, grown))
        return out

    def argument_of_log(self, exponents: Sequence[int]) -> Fraction | None:
        """Of a monomial that is a logarithm."""
        places = [i for i, n in enumerate(exponents) if n]
        if len(places) != 1 or exponents[places[0]] != 1:
            return None
        kind, *data = self.generators[places[0]]
        return data[1] if kind == "f" and data[0] == "log" else None

    def exponent(self, m: Poly) -> Fraction:
        """Of a product of exponentials."""
        terms = list(m.to_dict().items())
        require(len(terms) == 1 and terms[0][1] == 1, "no product of exponentials")
        exponents = terms[0][0]
        total = (self.zero, self.one)
        for i, n in enumerate(exponents):
            if n:
                kind, *data = self.generators[i] if i < len(self.generators) else ("none",)
                require(kind == "exp", "no exponential")
                (mono, d), _, unit = data
                total = self.plus(total, (mono * unit * int(n), d))
        return total

    def function(
        self, name: str, arguments: Sequence[Fraction], parity: Sequence[int] = ()
    ) -> Fraction:
        """A function at points, which may be known at these, or at their negatives."""
        parity = parity or (0,) * len(arguments)
        for i, g in enumerate(self.generators):
            if g[:2] != ("f", name) or len(g) != len(arguments) + 2:
                continue
            factor = 1
            for a, b, p in zip(arguments, g[2:], parity, strict=True):
                if not self.same(a, b):
                    factor *= p if p and self.same(a, (-b[0], b[1])) else 0
            if factor:
                self.facts.live.add(i)
                self.about(name, i)
                return factor * self.x[i], self.one
        if any(p < 0 and a[0] == 0 for p, a in zip(parity, arguments, strict=True)):
            return self.zero, self.one
        i = self.generator("f", name, *arguments)
        self.about(name, i)
        return self.x[i], self.one

    def about(self, name: str, i: int) -> None:
        """What is known of every value of a function of the table."""
        g, arguments = self.x[i], self.generators[i][2:]
        if name in _INCREASING[:3] or name in ("owens", "sinh", "tanh"):
            n, d = arguments[-1]
            for s in (NN, NP, NZ):
                self.ask(self.facts.reduced(n * d), s)
            self.facts.learn(g, self.sign(arguments[-1]))
        for p, s in {
            "erf": ((g - 1, NEG), (g + 1, POS)), "zeta": ((g, NN), (g - 1, NEG)),
            "tanh": ((g - 1, NEG), (g + 1, POS)), "sin": ((g - 1, NP), (g + 1, NN)),
            "cos": ((g - 1, NP), (g + 1, NN)), "cosh": ((g - 1, NN),),
        }.get(name, ()):  # fmt: skip
            self.facts.learn(p, s)
        if name in ("asin", "atan"):
            n, d = arguments[0]
            open_ends = name == "atan" or self.facts.sign(d * d - n * n) == POS
            for p in (self.pi() - 2 * g, self.pi() + 2 * g):
                self.facts.learn(p, POS if open_ends else NN)
        if name == "max":
            for n, d in arguments:
                self.facts.learn(g * d - n, times(NN, self.facts.sign(d)))

    def row(self, kind: str, a: Poly, b: Poly) -> None:
        """Learn from a table: increasing functions compare as their arguments do, and so on.

        ``exp``: two products of exponentials; ``tangent``: e^u >= 1 + u; ``root``: a square root
        against b, by base - b^2; ``increasing``: two values of one function, as generators;
        ``inverse``: the argument of an odd increasing function, by the sign of the value.
        """
        learn, sign = self.facts.learn, self.facts.sign
        self.facts.require_live(a, b)
        if kind == "exp":
            learn(a - b, self.sign(self.minus(self.exponent(a), self.exponent(b))))
        elif kind == "tangent":
            n, d = self.exponent(a)
            learn((a - 1) * d - n, times(sign(d), NN))
        elif kind == "root":
            base = next(
                (base for i, q, base in self.facts.roots if self.x[i] == a and q == 2), None
            )
            require(base is not None, "no square root")
            s = sign(base - b * b)
            require(s <= NN or (s <= NP and sign(b) <= NN), "nothing to compare")
            if s <= NN:
                # Then the root is at least |b|; of base = b^2 nothing more is known.
                learn(a - b, POS if s <= POS else NN)
                learn(a + b, POS if s <= POS else NN)
            else:
                learn(a - b, s)
        elif kind == "inverse":
            g = next((g for x, g in zip(self.x, self.generators, strict=False) if x == a), ("",))
            odd = g[0] == "f" and g[1] in _INCREASING and g[1] in _PARITY
            require(odd, "no odd increasing function")
            learn(g[2][0] * g[2][1], sign(a))
        else:
            places = [
                i for p in (a, b) for i, x in enumerate(self.x[: len(self.generators)]) if x == p
            ]
            require(kind == "increasing" and len(places) == 2, f"no table {kind!r:.20}")
            one, two = (self.generators[i] for i in places)
            require(one[0] == two[0] == "f" and one[1] == two[1], "no values of one function")
            require(one[1] in _INCREASING, f"{one[1]} is not known to be increasing")
            (u, v) = one[2], two[2]
            for k in (1, -1) if one[1] in _PARITY else (-1,):
                learn(a + k * b, self.sign(self.plus(u, (k * v[0], v[1]))))

    # -- terms ------------------------------------------------------------------------------------

    def of(self, t: Term) -> Fraction:
        """The normal form of a term, under the facts of the present scope."""
        if t not in self._memo:
            self._memo[t] = self._of(t)
        return self._memo[t]

    def _of(self, t: Term) -> Fraction:
        t = unfolded(t)
        head = t[0]
        if head == "n":
            return self.facts.ring.constant(fmpq(t[1], t[2])), self.one
        if head == "pi":
            return self.pi(), self.one
        if head == "s":
            return self.symbol(t), self.one
        if head in ("+", "*"):
            total = (self.zero if head == "+" else self.one, self.one)
            for part in [self.of(a) for a in t[1:]]:
                total = self.plus(total, part) if head == "+" else self.times(total, part)
            return total
        if head == "^":
            _, p, q, base = t
            f = self.of(base)
            if q != 1:
                f = self.root(f, q)
            if p < 0:
                self.gate(f[0], NZ, "a denominator may vanish")
                f, p = (f[1], f[0]), -p
            return self.fraction(raised(f[0], p), raised(f[1], p))
        if head == "f":
            return self._function(t)
        if head == "u":
            f = self.function(f"{t[1]} {t[2]} {t[3]}", [self.of(a) for a in t[4:]])
            return f if any(t[3]) else self._signed(f, t[2])
        if head == "ix":
            require(all(map(is_integral, t[3:])), "an index that is not known to be an integer")
            return self._signed(self.function(f"{t[1]} {t[2]}", [self.of(a) for a in t[3:]]), t[2])
        given = key(defined(t)) in self.given
        if head in ("sum", "int", "d"):
            try:
                with self.granting(self.granted or given):
                    return self._derivative(t) if head == "d" else self._binder(t)
            except Finer:
                raise
            except Rejected:
                if not given:
                    raise
        require(given, f"{head} is not known to be defined")
        if head == "copies":
            return self.x[self.generator("copies", key(t))], self.one
        return self._opaque(t)

    def _signed(self, f: Fraction, sort: str) -> Fraction:
        self.facts.learn(f[0], _OF_SORT[sort[1:]])
        return f

    def _function(self, t: Term) -> Fraction:
        name, arguments = t[1], [self.of(a) for a in t[2:]]
        n, d = arguments[0]
        if name == "exp":
            return self.exponential(arguments[0])
        if name == "abs":
            if self.ask(self.facts.reduced(n * d), NN):
                return n, d
            if self.ask(self.facts.reduced(n * d), NP):
                return -n, d
            # Treated before squaring, which hides that the square has no sign but >= 0.
            self.facts.learn(n * n, NN)
            self.facts.learn(n * n * d * d, NN)
            a, b = self.root((n * n, d * d), 2)
            for side in (a * d - n * b, a * d + n * b):
                self.facts.learn(side, times(NN, self.facts.sign(b * d)))
            return a, b
        if name == "asin":
            self.gate(self.facts.reduced(d * d - n * n), NN, "an arc sine beyond its domain")
        if name == "log":
            self.gate(self.facts.reduced(n * d), POS, "the logarithm of what may not be positive")
        if name in ("asin", "atan") and n.is_constant() and d == 1 and n != 0:
            c = fmpq(n.leading_coefficient())
            for (known, at), value in _ARCS.items():
                if known == name and abs(c) == at:
                    return self.pi() * (value if c > 0 else -value), self.one
        if name in ("cos", "cosh") and n == 0:
            return self.one, self.one
        if name == "log" and n == d:
            return self.zero, self.one
        return self.function(name, arguments, _PARITY.get(name, ()))

    def _derivative(self, t: Term) -> Fraction:
        with self.granting(False):
            return self._evaluated(t)

    def _evaluated(self, t: Term) -> Fraction:
        asked: Asked = []
        # The function itself has to be defined there, although its derivative may not show it.
        self.of(substitute(inside(t)[0], dict(zip(bound(t), outside(t), strict=True))))
        result = evaluated(t, self.slopes, asked)
        for p in asked:
            self._hold(p)
        return self.of(result)

    def _hold(self, p: Term) -> None:
        """Ask for a relation, which may be wanted for all points of an interval."""
        if p[0] != "forall":
            f = self.minus(self.of(p[1]), self.of(p[2]))
            self.need(
                self.facts.reduced(f[0] * f[1]), SIGNS[p[0]], "not known to be differentiable"
            )
            return
        _, (x,), (body,), _ = p
        _, (_, lower, upper), inner = body
        low, high = lower[1], upper[2]
        with self._range(x, low, high, [inner]) as (_, (put,), _):
            self._hold(put)

    @contextmanager
    def _range(self, x: Term, low: Term, high: Term, bodies: Sequence[Any]) -> Iterator[Any]:
        """Inside: x has a name by its depth, and lies between the ends, if they are in order."""
        ends = [self.of(low), self.of(high)]
        gap = self.minus(ends[1], ends[0])
        integer = x[2] == "Z"
        if integer:
            require(is_integral(low) and is_integral(high), "the ends of a sum are integers")
            more = self.plus(gap, (self.one, self.one))
            self.need(self.facts.reduced(more[0] * more[1]), NN, "a sum that may run backwards")
        ordered = integer or self.ask(self.facts.reduced(gap[0] * gap[1]), NN)
        # By how deep it is, so that what is equal reads the same; and as nothing else is called.
        depth = ("s", f"_{max(nesting(b, x) for b in bodies)}", x[2])
        name = fresh(depth, frozenset().union(*map(free, (low, high, *bodies))))
        put = [substitute(b, {x: name}) for b in bodies]
        with self.granting(False):
            for b in put:
                self.hoist(b, frozenset({name}))
        with self.scope(name):
            v = self.symbol(name)
            for s, (n, d) in zip((-1, 1), ends, strict=True):
                if ordered and self.ask(d, POS):
                    self.facts.learn(s * (n - v * d), NN)
            yield (self.generator("s", name), ends), put, ordered

    def _binder(self, t: Term) -> Fraction:
        """Sums, and integrals of continuous functions over bounded intervals, are linear."""
        head, ((x,), (body,), (low, high)) = t[0], t[1:]
        require(
            low[0] != "-oo" and high[0] != "oo", "an improper integral is not known to converge"
        )
        with self._range(x, low, high, [body]) as ((i, ends), (put,), ordered):
            # An integrand may be undefined at points, although the integral exists.
            with self.granting(self.granted and head == "sum"):
                n, d = self.of(put)
            own = {j for j in range(len(self.generators)) if j == i or i in self.depends[j]}
            c, factors = d.factor()
            d_in, d_out = self.one, self.one * c
            for f, k in factors:
                if any(f.degrees()[j] for j in own):
                    d_in *= f ** int(k)
                else:
                    d_out *= f ** int(k)
            groups: dict[Any, dict[Any, Any]] = {}
            for m, c in n.to_dict().items():
                inner = tuple(e if j in own else 0 for j, e in enumerate(m))
                outer = tuple(0 if j in own else e for j, e in enumerate(m))
                groups.setdefault(inner, {})[outer] = c
            self.ask(self.facts.reduced(n * d), NN)
            whole = self.sign((n, d))
            signs = [self.sign((self.facts.ring.from_dict({m: 1}), d_in)) for m in groups]
        total, (start, end) = (self.zero, self.one), ends
        length = self.minus(end, start)
        if head == "sum":
            length = self.plus(length, (self.one, self.one))
        strict = self.sign(length) == POS
        self.revive(d_out)
        self.need(d_out, NZ, "a denominator may vanish outside of a binder")
        for (m, around), s in zip(groups.items(), signs, strict=True):
            share = (self.facts.ring.from_dict(around), d_out)
            self.revive(share[0])
            mono = self.facts.ring.from_dict({m: 1})
            if mono == 1 and d_in == 1:
                total = self.plus(total, self.times(share, length))
                continue
            value = self._of_parts(head, [(mono, d_in), start, end], i)
            if ordered and s <= NN:
                self.facts.learn(value, s if strict else NN)
            total = self.plus(total, self.times(share, (value, self.one)))
        if ordered and whole <= NN:
            self.facts.learn(total[0], times(NN, self.facts.sign(total[1])))
        return total

    def _of_parts(self, kind: str, parts: list[Fraction], *own: int) -> Poly:
        """The generator of a kind that is made of these fractions; `own` are bound in them."""
        for j, g in enumerate(self.generators):
            alike = g[0] == kind and len(g) == len(parts) + 1
            if alike and all(self.same(a, b) for a, b in zip(g[1:], parts, strict=True)):
                self.facts.live.add(j)
                return self.x[j]
        j = self.generator(kind, *parts)
        hidden = {k for k in range(j) if k in own or self.depends[k] & set(own)}
        self.depends[j] -= hidden
        return self.x[j]

    def _opaque(self, t: Term) -> Fraction:
        """A term that is known to be defined, the same if its parts have the same normal forms."""
        names, own = bound(t), []
        depth = max((nesting(inside(t)[0], x) for x in names), default=0)
        put = {x: ("s", f"_{depth + k}", x[2]) for k, x in enumerate(names)}
        # With the names, as the same expectation has others at another depth.
        laws = [law[: 1 + PARAMETERS[law[0]]] for law in outside(t)]
        kind = f"E {laws} {list(put.values())}"
        try:
            require(t[0] == "E", "nothing but expectations is looked into")
            around = [self.of(a) for law in outside(t) for a in law[1 + PARAMETERS[law[0]] :]]
            with self.scope(*put.values()) as own, self.granting(False):
                body = self.of(substitute(inside(t)[0], put))
        except Finer:
            raise
        except Rejected:
            return self.x[self.generator("opaque", key(t))], self.one
        return self._of_parts(kind, [body, *around], *own), self.one


def nesting(t: Term, x: Term) -> int:
    """How many binders are nested in a term, those alone in which x stands freely."""
    known: dict[tuple[int, Term], int] = {}

    def count(t: Term, x: Term) -> int:
        # What is in the table is kept alive by the term.
        if (id(t), x) not in known:
            inner = 0
            if x in free(t):
                deeper = (count(p, y) for y in (x, *bound(t)) for _, p in children(t))
                inner = max(deeper, default=0) + len(bound(t))
            known[id(t), x] = inner
        return known[id(t), x]

    return count(t, x)


def is_integral(t: Term) -> bool:
    """Whether a term is an integer by its form."""
    if t[0] == "n":
        return bool(t[2] == 1)
    if t[0] in ("s", "ix"):
        return bool(t[2][0] == "Z") and (t[0] == "s" or all(map(is_integral, t[3:])))
    return t[0] in ("+", "*") and all(map(is_integral, t[1:]))


# -- the rule -------------------------------------------------------------------------------------


def suppose(ring: Ring, p: Term) -> None:
    """Learn from a relation that holds."""
    require(p[0] in RELATIONS, "a fact is a relation")
    with ring.granting(True):
        n, d = ring.minus(ring.of(p[1]), ring.of(p[2]))
    s = ring.facts.sign(d)
    if len(s) == 1:
        ring.facts.learn(n, times(SIGNS[p[0]], s))
    else:
        ring.facts.learn(n * d, SIGNS[p[0]])
    if p[0] == "=":
        ring.facts.learn(n, ZERO)


def judge(ring: Ring, p: Term) -> None:
    """Refuse unless a relation holds by what the ring knows, and its evidence."""
    if p[0] == "o" and p[1] == "integer":
        require(is_integral(p[2]), "not known to be an integer")
        ring.of(p[2])
        return
    require(p[0] in RELATIONS, "arithmetic shows relations")
    a, b, want = ring.of(p[1]), ring.of(p[2]), SIGNS[p[0]]
    if p[0] == "=" and ring.same(a, b):
        return
    n, d = ring.minus(a, b)
    if ring.sign((n, d)) <= want:
        return
    s = ring.facts.sign(d)
    if p[0] in ("=", "!=") or s == POS:
        ring.need(n, want, "the two sides are not known to compare")
    elif s == NEG:
        ring.need(-n, want, "the two sides are not known to compare")
    else:
        ring.need(ring.facts.reduced(n * d), want, "the two sides are not known to compare")


def relations(p: Term) -> list[Term]:
    """The relations in a conjunction."""
    if p[0] == "and":
        return [r for q in p[1:] for r in relations(q)]
    return [p] if p[0] in RELATIONS else []


def known_defined(facts: Sequence[Term]) -> frozenset[str]:
    """What stands in relations that hold is defined, unless a binder stands around it."""
    found, left = set(), [t for p in facts for t in p[1:]]
    while left:
        t = left.pop()
        if bound(t):
            found.add(key(defined(t)))
        left += [part for place, part in children(t) if not is_inside(t, place)]
    return frozenset(found)


def cited_slopes(premises: Sequence[Theorem]) -> Slopes:
    """The derivatives of functions of the table that premises state, without hypotheses."""
    found: dict[tuple[str, int], tuple[tuple[Term, ...], Term]] = {}
    for p in premises:
        head, *sides = p.conclusion
        if head != "=" or p.hypotheses or sides[0][0] != "d":
            continue
        d, value = sides
        ((x,), (body,), (point,)) = d[2:] if len(bound(d)) == 1 else ((None,), (None,), (None,))
        if body is None or body[0] != "f" or d[1] != (1,) or x not in body[2:]:
            continue
        place = body[2:].index(x)
        names = (*body[2 : 2 + place], point, *body[3 + place :])
        plain = all(s[0] == "s" and s[2] == "R" for s in names) and len(set(names)) == len(names)
        if plain and free(value) <= set(names) and x not in body[3 + place :]:
            found[body[1], place] = (names, value)
    return found


class Tape:
    """Evidence that is played back: for some of the questions, what the ring may learn."""

    def __init__(self, data: Any) -> None:
        require(isinstance(data, list), "no list of evidence")
        self.batches: dict[int, Any] = {}
        for item in data:
            require(isinstance(item, list) and len(item) == 2, "a number, and what is learned")
            require(type(item[0]) is int and isinstance(item[1], list), "a number, and a list")
            self.batches[item[0]] = item[1]
        self.count = 0

    def __call__(self, ring: Ring, p: Poly, sign: Sign) -> None:
        number, self.count = self.count, self.count + 1
        for entry in self.batches.get(number, ()):
            learned(ring, entry)


def learned(ring: Ring, entry: Any) -> None:
    """One piece of evidence: a combination, or a row of a table."""
    require(isinstance(entry, list) and len(entry) == 4, "a piece of evidence has four parts")
    kind, first, second, third = entry
    if kind == "row":
        require(isinstance(first, str), "the name of a table")
        ring.row(first, ring.facts.read(second), ring.facts.read(third))
        return
    require(kind == "sign" and isinstance(second, list), "no evidence")
    rows = []
    for row in second:
        require(isinstance(row, list) and len(row) == 2 and isinstance(row[1], list), "no product")
        parts = []
        for part in row[1]:
            require(isinstance(part, list) and len(part) == 2, "no power")
            require(type(part[1]) is int and 0 < part[1] < 100, "no exponent")
            parts.append((ring.facts.read(part[0]), part[1]))
        rows.append((number(row[0]), parts))
    ring.facts.combine(ring.facts.read(first), rows, ring.facts.read(third))


@rule("arithmetic", "ts", "t", "json")
def _arithmetic(
    premises: Sequence[Theorem], hypotheses: tuple[Term, ...], p: Term, evidence: Any
) -> Any:
    """A relation by normal forms, from hypotheses and premises, with evidence about signs.

    The evidence: the number of generators, the units of exponents, which facts to use and in what
    order, and the tape.
    """
    require(isinstance(evidence, list) and len(evidence) == 4, "evidence has four parts")
    size, units, use, tape = evidence
    require(type(size) is int and 0 < size <= 64, "the number of generators")
    require(isinstance(units, list) and isinstance(use, list), "units, and the facts to use")
    finer = {}
    for unit in units:
        require(isinstance(unit, list) and len(unit) == 3, "a unit has three parts")
        m, d, value = unit
        require(isinstance(m, list) and isinstance(d, str), "a unit of a monomial")
        require(number(value) > 0, "a unit is positive")
        finer[(*m, *(0,) * (size - len(m))), d] = number(value)
    facts = [r for q in (*hypotheses, *(t.conclusion for t in premises)) for r in relations(q)]
    ring = Ring(size, finer, Tape(tape), cited_slopes(premises), known_defined(facts))
    for i in use:
        require(type(i) is int and 0 <= i < len(facts), "no such fact")
        suppose(ring, facts[i])
    judge(ring, p)
    given = merged(premises) | {key(h): h for h in hypotheses}
    return given.values(), p, ()

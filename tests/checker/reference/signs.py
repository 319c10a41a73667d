"""Signs as bit masks, and the state of an inference `arithmetic` (sections 5.2 and 5.3)."""

from fractions import Fraction

from .polynomials import ONE, Ring, const, rational, thin
from .polynomials import ZERO as NIL
from .terms import Refused, whole
from .theorems import need

NEG, ZERO, POS = 1, 2, 4
NP, NZ, NN, ANY = NEG | ZERO, NEG | POS, ZERO | POS, NEG | ZERO | POS
SIGN_OF = {"=": ZERO, "<=": NP, "<": NEG, "!=": NZ, ">=": NN, ">": POS}
SORT_SIGN = {"": ANY, ">0": POS, "<0": NEG, ">=0": NN, "<=0": NP, "!=0": NZ}
BIT = {-1: NEG, 0: ZERO, 1: POS}


def members(s):
    """Return the members of a sign."""
    return [x for x in (-1, 0, 1) if s & BIT[x]]


def mask(values):
    """Return the sign with these members."""
    out = 0
    for v in values:
        out |= BIT[v]
    return out


TIMES = [[mask(x * y for x in members(s) for y in members(t)) for t in range(8)] for s in range(8)]
PLUS = [
    [
        ANY
        if any(x * y < 0 for x in members(s) for y in members(t))
        else mask(x or y for x in members(s) for y in members(t))
        for t in range(8)
    ]
    for s in range(8)
]


def power(s, n):
    """Return the sign of a power."""
    return POS if n == 0 else s if n % 2 else TIMES[s][s] & ~NEG


def sgn(c):
    """Return the sign of a rational."""
    return POS if c > 0 else NEG if c < 0 else ZERO


class State:
    """Hold generators, roots, facts, units and answers (5.2), and answer questions (5.3)."""

    def __init__(self, size, units, answers):
        need(whole(size) and 1 <= size <= 64, "a size from 1 to 64 is expected")
        self.ring = Ring(size)
        self.generators, self.numbers, self.roots, self.facts = [], {}, [], {}
        self.memo, self.opaque, self.fact_mode = {}, {}, False
        self.powers, self.gcds, self.factored = {}, {}, {}
        need(type(units) is list, "units are a list")
        self.units = {}
        for u in units:
            need(type(u) is list and len(u) == 3, "a unit has three parts")
            m, d, z = self.ring.read(u[0]), self.ring.read(u[1]), rational(u[2])
            need(z > 0, "a unit is positive")
            self.units[m, d] = z
        need(type(answers) is list, "answers are a list")
        for a in answers:
            need(
                type(a) is list
                and len(a) == 3
                and type(a[0]) is str
                and a[0] in SIGN_OF
                and type(a[2]) is list,
                "an answer of a wrong shape",
            )
        self.answers, self.queue = answers, None

    # --- generators and fractions ---

    def generator(self, data):
        """Return the number of the generator with these data."""
        if data not in self.numbers:
            need(len(self.generators) < self.ring.size, "more generators than announced")
            self.numbers[data] = len(self.generators)
            self.generators.append(data)
        return self.numbers[data]

    def gen(self, data):
        """Return the generator with these data, as a polynomial."""
        return self.ring.gen(self.generator(data))

    def data(self, p):
        """Return the data of p if it is exactly one generator, else None."""
        i = self.ring.is_gen(p)
        return self.generators[i] if i is not None and i < len(self.generators) else None

    def reduce(self, p):
        """Return a polynomial with radicands in the place of powers of roots."""
        for i, q, b in reversed(self.roots):
            p = self.reduce_root(p, i, q, b)
        return p

    def reduce_root(self, p, i, q, b):
        """Return a polynomial without high powers of one root."""
        shift = self.ring.shift[i]
        groups = {}
        for m, c in p.terms.items():
            k = ((m >> shift) & 65535) // q
            groups.setdefault(k, {})[m - ((k * q) << shift) - k * q] = c
        if set(groups) <= {0}:
            return p
        out = NIL
        for k, terms in groups.items():
            part = type(p)(terms)
            if k:
                if (i, k) not in self.powers:
                    self.powers[i, k] = b**k
                part = part * self.powers[i, k]
            out = out + part
        return out

    def fraction(self, n, d, rational_=False):
        """Return the fraction n/d in lowest terms, with d of leading coefficient 1."""
        n, d = self.reduce(n), self.reduce(d)
        if rational_:
            for i, q, _ in reversed(self.roots):
                low = min(((m >> self.ring.shift[i]) & 65535 for m in d.terms), default=0)
                if low > 0:
                    up = self.ring.gen(i) ** (q - low) if q > low else ONE
                    n, d = self.reduce(n * up), self.reduce(d * up)
        need(d, "a denominator is 0")
        if not n:
            return NIL, ONE
        if not d.constant():
            g = self.gcd(n, d)
            if not g.constant():
                n, d = self.ring.divide(n, g), self.ring.divide(d, g)
        c = d.lc()
        return (n, d) if c == 1 else (n.over(c), d.over(c))

    def gcd(self, n, d):
        """Return a gcd, remembered."""
        tag = (n, d)
        if tag not in self.gcds:
            self.gcds[tag] = self.ring.gcd(n, d)
        return self.gcds[tag]

    def factors(self, p):
        """Return factors, remembered."""
        if p not in self.factored:
            self.factored[p] = self.ring.factors(p)
        return self.factored[p]

    def add(self, a, b):
        """Return the sum of fractions."""
        if a[1] == b[1]:
            return self.fraction(a[0] + b[0], a[1])
        return self.fraction(a[0] * b[1] + b[0] * a[1], a[1] * b[1])

    def subtract(self, a, b):
        """Return the difference of fractions."""
        return self.add(a, (-b[0], b[1]))

    def multiply(self, a, b):
        """Return the product of fractions."""
        return self.fraction(a[0] * b[0], a[1] * b[1])

    def power(self, a, k):
        """Return a power (of either sign) of a fraction."""
        if k < 0:
            a, k = (a[1], a[0]), -k
        return self.fraction(a[0] ** k, a[1] ** k)

    def equal(self, a, b):
        """Tell whether fractions are equal."""
        return a == b or not self.reduce(a[0] * b[1] - b[0] * a[1])

    # --- signs ---

    def learn(self, p, s):
        """Learn the sign of a polynomial."""
        p = self.reduce(p)
        if p.constant():
            return
        c = p.lc()
        p = p.over(c)
        self.facts[p] = self.facts.get(p, ANY) & TIMES[s][sgn(c)]

    def sign(self, p, split=True):
        """Return the sign of a polynomial that follows from facts."""
        p = self.reduce(p)
        if p.constant():
            return sgn(p.terms.get(0, 0))
        c = sgn(p.lc())
        out = TIMES[self.facts.get(p.over(p.lc()), ANY)][c]
        if out in (NEG, ZERO, POS):
            return out
        out &= self.by_terms(p)
        if split and out in (NP, NZ, NN, ANY) and len(p.terms) >= 2:
            c, fs = self.factors(p)
            if len(fs) > 1 or fs[0][1] > 1:
                product = sgn(c)
                for f, n in fs:
                    product = TIMES[product][power(self.sign(f, False), n)]
                out &= product
        return out

    def by_terms(self, p):
        """Return the sign of a polynomial term by term."""
        total = None
        for m, c in p.ordered():
            s = sgn(c)
            for i, e in enumerate(self.ring.exponents(m)):
                if e:
                    s = TIMES[s][power(self.facts.get(self.ring.gen(i), ANY), e)]
            total = s if total is None else PLUS[total][s]
            if total == ANY:
                break
        return ANY if total is None else total

    def sign_of(self, f):
        """Return the sign of a fraction."""
        return TIMES[self.sign(f[0])][self.sign(f[1])]

    # --- 5.3 questions ---

    def ask(self, p, s):
        """Tell whether the sign of p is part of s, with an answer of the evidence if needed."""
        if self.sign(p) & ~s == 0:
            return True
        if self.queue is None:
            self.queue = {}
            for relation, q, entries in self.answers:
                self.queue.setdefault((SIGN_OF[relation], self.ring.read(q)), []).append(entries)
        waiting = self.queue.get((s, p))
        if waiting:
            for entry in waiting.pop(0):
                self.process(entry)
        return self.sign(p) & ~s == 0

    def need(self, p, s):
        """Refuse unless the answer is yes."""
        if not self.ask(p, s):
            names = [k for k, v in SIGN_OF.items() if v == s]
            raise Refused(f"sign not shown: {names} of {self.show(p)}")

    def gate(self, p, s):
        """Refuse unless a sign is known; learn it while a fact is read."""
        if self.fact_mode:
            self.learn(p, s)
        self.need(p, s)

    def show(self, p):
        """Return a printing of a polynomial for messages."""
        out = []
        for m, c in p.ordered()[:12]:
            es = [f"g{i}^{e}" for i, e in enumerate(self.ring.exponents(m)) if e]
            out.append("*".join([str(c), *es]))
        return " + ".join(out)

    def process(self, entry):
        """Learn what one entry shows."""
        need(type(entry) is list and entry and type(entry[0]) is str, "an entry is a list")
        if entry[0] == "sign":
            self.process_sign(entry)
            return
        need(len(entry) == 3, "an entry has three parts")
        a, b = self.ring.read(entry[1]), self.ring.read(entry[2])
        table = {
            "exp": self.entry_exp,
            "tangent": self.entry_tangent,
            "root": self.entry_root,
            "inverse": self.entry_inverse,
            "increasing": self.entry_increasing,
        }
        need(entry[0] in table, "no such entry")
        table[entry[0]](a, b)

    def process_sign(self, entry):
        """Check p f = sum of c times powers, and learn the sign of p."""
        need(len(entry) == 4 and type(entry[2]) is list, "an entry has four parts")
        p, f, rows = self.ring.read(entry[1]), self.ring.read(entry[3]), []
        for row in entry[2]:
            need(type(row) is list and len(row) == 2 and type(row[1]) is list, "a row has two")
            powers = []
            for g in row[1]:
                need(
                    type(g) is list and len(g) == 2 and whole(g[1]) and 1 <= g[1] <= 99,
                    "a power has a polynomial and an exponent",
                )
                powers.append((self.ring.read(g[0]), g[1]))
            rows.append((thin(rational(row[0])), powers))
        s, rest = ZERO, p * f
        for c, powers in rows:
            t, product = sgn(c), const(c)
            for g, n in powers:
                t = TIMES[t][power(self.sign(g), n)]
                product = product * g**n
            s, rest = PLUS[s][t], rest - product
        need(self.sign(f) == POS, "the factor of an entry is not positive")
        need(not self.reduce(rest), "an identity of an entry is wrong")
        need(s != ANY, "an entry shows nothing")
        self.learn(p, s)

    def exponent(self, p):
        """Return the exponent of a product of powers of exponentials."""
        need(len(p.terms) == 1 and p.lc() == 1, "no product of exponentials")
        total = (NIL, ONE)
        for i, e in enumerate(self.ring.exponents(p.lead())):
            if e:
                need(
                    i < len(self.generators) and self.generators[i][0] == "exp",
                    "no product of exponentials",
                )
                _, (m, d), z = self.generators[i]
                total = self.add(total, self.fraction(m.scaled(z * e), d))
        return total

    def entry_exp(self, a, b):
        """Compare exponentials by exponents."""
        self.learn(a - b, self.sign_of(self.subtract(self.exponent(a), self.exponent(b))))

    def entry_tangent(self, a, _b):
        """Learn that exp is above its tangent at 0."""
        n, d = self.exponent(a)
        self.learn((a - ONE) * d - n, TIMES[self.sign(d)][NN])

    def entry_root(self, a, b):
        """Compare a square root by squares."""
        data = self.data(a)
        need(data is not None and data[0] == "root" and data[2] == 2, "no square root")
        s = self.sign(data[1] - b * b)
        if s & ~NN == 0:
            for p in (a - b, a + b):
                self.learn(p, POS if s & ~POS == 0 else NN)
        else:
            need(s & ~NP == 0 and self.sign(b) & ~NN == 0, "a root is not compared")
            self.learn(a - b, s)

    def entry_inverse(self, a, _b):
        """Learn the sign of an argument from that of an odd increasing function."""
        data = self.data(a)
        need(
            data is not None
            and data[0] == "f"
            and data[1] in ("erf", "asin", "atan", "sinh", "tanh"),
            "no such function",
        )
        n, d = data[2]
        self.learn(n * d, self.sign(a))

    def entry_increasing(self, a, b):
        """Compare values of an increasing function by arguments."""
        p, q = self.data(a), self.data(b)
        need(
            p is not None
            and q is not None
            and p[0] == q[0] == "f"
            and p[1] == q[1]
            and p[1] in ("erf", "asin", "atan", "log", "sinh", "tanh"),
            "no such functions",
        )
        if p[1] != "log":
            self.learn(a + b, self.sign_of(self.add(p[2], q[2])))
        self.learn(a - b, self.sign_of(self.subtract(p[2], q[2])))


def rational_value(f):
    """Return the rational that a constant fraction is."""
    return Fraction(f[0].terms.get(0, 0)) / f[1].terms[0]

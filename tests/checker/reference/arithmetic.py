"""The rule `arithmetic`: normal forms, facts and goal (sections 5.4 to 5.6)."""

from fractions import Fraction

from . import terms as tm
from .calculus import cited_derivatives, evaluated, unfolded
from .matrix_traces import size, trace, value_of_function
from .polynomials import ONE, const
from .polynomials import ZERO as NIL
from .signs import NEG, NN, NP, NZ, POS, SIGN_OF, SORT_SIGN, TIMES, ZERO, State
from .terms import Refused, key, subst, whole
from .theorems import merged, need, rule

ODD = {
    "erf": (1,),
    "asin": (1,),
    "atan": (1,),
    "sin": (1,),
    "sinh": (1,),
    "tanh": (1,),
    "cos": (2,),
    "cosh": (2,),
    "zeta": (2, 2),
    "owens": (2, 1),
}
UNIT = (ONE, ONE)
NULL = (NIL, ONE)


def relations(p):
    """Return the relations in a formula (5.4)."""
    if p.head in tm.RELATIONS:
        return [p]
    if p.head == "and":
        return [r for q in p.parts for r in relations(q)]
    return []


def binders_of(t, out):
    """Add to a set the keys of binders outside of the inside of other binders."""
    if t.head in tm.BINDERS:
        out.add(key(t))
        for p in t.outside:
            binders_of(p, out)
    else:
        for p in t.parts:
            binders_of(p, out)


def integral(t):
    """Tell whether a term is integral by form (5.5)."""
    if t.head == "n":
        return t.params[1] == 1
    if t.head == "s":
        return t.params[1][0] == "Z"
    if t.head == "ix":
        return t.params[1][0] == "Z" and all(map(integral, t.parts))
    return t.head in ("+", "*") and all(map(integral, t.parts))


@rule("arithmetic", "ts t json", None)
def arithmetic(premises, hyps, goal, evidence):
    """Conclude a relation by polynomials, signs and facts."""
    forms_with_facts(premises, hyps, evidence).judge(goal)
    return goal, list(merged(premises).values()) + hyps


def forms_with_facts(premises, hyps, evidence):
    """Return the state of an inference in which the facts of its evidence are supposed (5.4)."""
    need(type(evidence) is list and len(evidence) == 4, "evidence has four parts")
    size, units, use, answers = evidence
    forms = Forms(size, units, answers, cited_derivatives(premises))
    facts = [r for h in hyps for r in relations(h)]
    facts += [r for p in premises for r in relations(p.conclusion)]
    for f in facts:
        binders_of(f, forms.known)
    need(type(use) is list and all(whole(i) and 0 <= i < len(facts) for i in use), "no such fact")
    for i in use:
        forms.suppose(facts[i])
    return forms


class Forms(State):
    """Compute normal forms of terms (5.5 and 5.6)."""

    def __init__(self, size, units, answers, cited):
        super().__init__(size, units, answers)
        self.cited, self.known = cited, set()

    # --- 5.4 facts and goal ---

    def suppose(self, fact):
        """Learn a fact."""
        a, b = fact.parts
        kind, self.fact_mode = fact.head, True
        if (
            kind == "="
            and a.head in tm.BINDERS
            and key(a) not in self.opaque
            and self.value_of(a) is None
        ):
            v = self.nf(b)
            if key(a) not in self.opaque:
                self.opaque[key(a)] = v
                self.fact_mode = False
                return
        left = self.nf(a)
        n, d = self.subtract(left, self.nf(b))
        self.fact_mode = False
        s, r = SIGN_OF[kind], self.sign(d)
        if r in (NEG, ZERO, POS):
            self.learn(n, TIMES[s][r])
        else:
            self.learn(n * d, s)
        if kind == "=":
            self.learn(n, ZERO)

    def judge(self, goal):
        """Refuse a goal that does not follow."""
        if goal.head == "o" and goal.params[0] == "integer":
            need(integral(goal.parts[0]), "not integral by form")
            self.nf(goal.parts[0])
            return
        need(goal.head in tm.RELATIONS, "no goal of arithmetic")
        a = self.nf(goal.parts[0])
        b = self.nf(goal.parts[1])
        if goal.head == "=" and self.equal(a, b):
            return
        n, d = self.subtract(a, b)
        s = SIGN_OF[goal.head]
        if TIMES[self.sign(n)][self.sign(d)] & ~s == 0:
            return
        r = self.sign(d)
        if goal.head in ("<", "<=") and r != POS:
            n = -n if r == NEG else self.reduce(n * d)
        self.need(n, s)

    # --- 5.5 normal forms ---

    def nf(self, t):
        """Return the normal form of a term, remembered."""
        if t not in self.memo:
            self.memo[t] = self.form(t)
        return self.memo[t]

    def form(self, t):
        """Compute the normal form of a term."""
        h = t.head
        if h == "n":
            return const(Fraction(*t.params)), ONE
        if h == "pi":
            return self.pi(), ONE
        if h == "s":
            return self.symbol(t)
        if h in ("+", "*"):
            values = [self.nf(p) for p in t.parts]
            out = NULL if h == "+" else UNIT
            for v in values:
                out = self.add(out, v) if h == "+" else self.multiply(out, v)
            return out
        if h == "^":
            p, q = t.params
            f = self.nf(t.parts[0])
            if q != 1:
                f = self.root(f, q)
            if p < 0:
                self.gate(f[0], NZ)
            return self.power(f, p)
        if h == "u":
            out = self.value(("u", *t.params), [self.nf(p) for p in t.parts])
            if not any(t.params[2]):
                self.learn(out[0], SORT_SIGN[t.params[1][1:]])
            return out
        if h == "ix":
            need(all(map(integral, t.parts)), "an index is not integral by form")
            out = self.value(("ix", *t.params), [self.nf(p) for p in t.parts])
            self.learn(out[0], SORT_SIGN[t.params[1][1:]])
            return out
        if h == "f":
            return self.table(t)
        if h == "M.tr":
            return trace(self, t.parts[0])
        if h == "M.dim":
            return size(self, t.params[0])
        if h == "M.h":
            return value_of_function(self, t)
        need(h in tm.BINDERS, "no term")
        return self.binder(t)

    def symbol(self, s):
        """Return the generator of a symbol, and learn its sort."""
        g, sort = self.gen(("s", *s.params)), s.params[1]
        self.learn(g, SORT_SIGN[sort[1:]])
        if sort == "Z>0":
            self.learn(g - ONE, NN)
        if sort == "Z<0":
            self.learn(-g - ONE, NN)
        return g, ONE

    def pi(self):
        """Return the generator pi."""
        g = self.gen(("pi",))
        self.learn(g, POS)
        self.learn(g - const(Fraction(314159, 100000)), POS)
        self.learn(g - const(Fraction(314160, 100000)), NEG)
        return g

    def table(self, t):
        """Return the normal form of a function of the table."""
        h = t.params[0]
        if h in ("erf_prime", "erf_second"):
            return self.nf(unfolded(t))
        args = [self.nf(p) for p in t.parts]
        n, d = args[0]
        if h == "exp":
            return self.exponential(args[0])
        if h == "abs":
            return self.absolute(args[0])
        if h == "asin":
            self.gate(self.reduce(d * d - n * n), NN)
        if h == "log":
            self.gate(self.reduce(n * d), POS)
        if h in ("asin", "atan") and n and n.constant() and d == ONE:
            values = (
                {1: 2, -1: -2, Fraction(1, 2): 6, Fraction(-1, 2): -6}
                if h == "asin"
                else {1: 4, -1: -4}
            )
            part = values.get(n.terms[0])
            if part is not None:
                return self.pi().scaled(Fraction(1, part)), ONE
        if h in ("cos", "cosh") and not n:
            return UNIT
        if h == "log" and n == d:
            return NULL
        return self.value(h, args, ODD.get(h))

    def value(self, h, args, parity=None):
        """Return the value of a function at arguments."""
        parity = parity or (0,) * len(args)
        for i, data in enumerate(self.generators):
            if data[0] != "f" or data[1] != h or len(data) != 2 + len(args):
                continue
            factor = 1
            for a, b, p in zip(args, data[2:], parity, strict=True):
                if not self.equal(a, b):
                    opposite = p and self.equal(a, (-b[0], b[1]))
                    factor *= {0: 0, 1: -1, 2: 1}[p] if opposite else 0
                if not factor:
                    break
            if factor:
                self.about(i)
                return self.ring.gen(i).scaled(factor), ONE
        if any(p == 1 and not a[0] for a, p in zip(args, parity, strict=True)):
            return NULL
        i = self.generator(("f", h, *tuple(args)))
        self.about(i)
        return self.ring.gen(i), ONE

    def about(self, i):
        """Learn what holds of the values of a function."""
        _, h, *args = self.generators[i]
        g = self.ring.gen(i)
        if h in ("erf", "asin", "atan", "owens", "sinh", "tanh"):
            n, d = args[-1]
            p = self.reduce(n * d)
            for s in (NN, NP, NZ):
                self.ask(p, s)
            self.learn(g, TIMES[self.sign(n)][self.sign(d)])
        if h in ("erf", "tanh"):
            self.learn(g - ONE, NEG)
            self.learn(g + ONE, POS)
        if h == "zeta":
            self.learn(g, NN)
            self.learn(g - ONE, NEG)
        if h in ("sin", "cos"):
            self.learn(g - ONE, NP)
            self.learn(g + ONE, NN)
        if h == "cosh":
            self.learn(g - ONE, NN)
        if h in ("asin", "atan"):
            n, d = args[0]
            s = POS if h == "atan" or self.sign(d * d - n * n) == POS else NN
            pi, twice = self.pi(), g.scaled(2)
            self.learn(pi - twice, s)
            self.learn(pi + twice, s)
        if h == "max":
            for n, d in args:
                self.learn(g * d - n, TIMES[NN][self.sign(d)])

    def root(self, f, q):
        """Return the q-th root of a fraction that is not negative."""
        n, d = f
        if not self.ask(d, POS):
            n, d = -n, -d
            self.need(d, POS)
        self.gate(n, NN)
        w = self.reduce(n * d ** (q - 1))
        if not w:
            return NULL
        c, factors = self.factors(w)
        out = self.multiply(self.root_of_number(abs(c), q), (ONE, d))
        rest, strict = const(1 if c > 0 else -1), True
        for f, k in factors:
            if not (self.ask(f, NN) or self.ask(-f, NN)):
                rest = rest * f**k
                continue
            if self.sign(f) & ~NN:
                f, rest = -f, rest.scaled((-1) ** k)
            if strict:
                strict = self.ask(f, POS)
            a, low = divmod(k, q)
            out = self.multiply(out, (f**a, ONE))
            if low:
                data = self.data(f)
                need(data is None or data[0] != "exp", "the unit of an exponential is too large")
                out = self.multiply(out, (self.root_of(f, q) ** low, ONE))
        if rest != ONE:
            need(not rest.constant(), "the root of a negative number")
            if strict:
                self.learn(rest, NN)
            self.need(rest, NN)
            out = self.multiply(out, (self.root_of(rest, q), ONE))
        return out

    def root_of(self, b, q):
        """Return the generator that is the q-th root of a polynomial."""
        data = ("root", b, q)
        new = data not in self.numbers
        i = self.generator(data)
        if new:
            self.roots.append((i, q, b))
        g = self.ring.gen(i)
        self.learn(g, POS if self.sign(b) & ~NZ == 0 else NN)
        if q == 2:
            c, factors = self.factors(b)
            if c == 1 and all(n % 2 == 0 for _, n in factors):
                h = ONE
                for f, n in factors:
                    h = h * f ** (n // 2)
                self.learn(g - h, NN)
                self.learn(g + h, NN)
        return g

    def root_of_number(self, c, q):
        """Return the q-th root of a positive rational."""
        out, c = UNIT, Fraction(c)
        for number, way in ((c.numerator, 1), (c.denominator, -1)):
            for r, k in prime_powers(number):
                a, low = divmod(way * k, q)
                out = self.multiply(out, (const(Fraction(r) ** a), ONE))
                if low:
                    out = self.multiply(out, (self.root_of(const(r), q) ** low, ONE))
        return out

    def absolute(self, f):
        """Return the absolute value of a fraction."""
        n, d = f
        p = self.reduce(n * d)
        if self.ask(p, NN):
            return f
        if self.ask(p, NP):
            return -n, d
        n2, d2 = n * n, d * d
        self.learn(n2, NN)
        self.learn(n2 * d2, NN)
        a, b = self.root((n2, d2), 2)
        s = TIMES[NN][self.sign(b * d)]
        self.learn(a * d - n * b, s)
        self.learn(a * d + n * b, s)
        return a, b

    def exponential(self, f):
        """Return the exponential of a fraction."""
        n, d = self.fraction(*f, rational_=True)
        out = UNIT
        for m, c in n.ordered():
            m = type(n)({m: 1})
            log = self.data(m) if d == ONE and type(c) is int else None
            if log is not None and log[0] == "f" and log[1] == "log":
                out = self.multiply(out, self.power(log[2], c))
                continue
            found = None
            for i, data in enumerate(self.generators):
                if data[0] == "exp" and self.equal(data[1], (m, d)):
                    found = i, data[2]
                    break
            if found is None:
                z = self.units.get((m, d), abs(c))
                found = self.generator(("exp", (m, d), z)), z
            k = Fraction(c) / found[1]
            need(k.denominator == 1, "the unit of an exponential does not fit")
            g = self.ring.gen(found[0])
            self.learn(g, POS)
            out = self.multiply(out, self.power((g, ONE), k.numerator))
        return out

    # --- 5.6 binders ---

    def value_of(self, t):
        """Return (value, asked) of a derivative that has a value, else None."""
        if t.head != "d":
            return None
        asked = []
        try:
            value = evaluated(t, asked, self.cited)
        except Refused:
            return None
        return None if any(p.head == "forall" for p in asked) else (value, asked)

    def binder(self, t):
        """Return the normal form of a binder."""
        found = self.value_of(t)
        if found is not None:
            value, asked = found
            mode, self.fact_mode = self.fact_mode, False
            self.nf(subst(t.inside[0], dict(zip(t.vars, t.outside, strict=True))))
            for p in asked:
                a = self.nf(p.parts[0])
                n, d = self.subtract(a, self.nf(p.parts[1]))
                self.need(self.reduce(n * d), SIGN_OF[p.head])
            out = self.nf(value)
            self.fact_mode = mode
            return out
        tag = key(t)
        if tag not in self.opaque:
            need(tag in self.known, "not known to be defined: " + tm.show(t))
            self.opaque[tag] = (self.gen(("opaque", tag)), ONE)
        return self.opaque[tag]


def prime_powers(n):
    """Return the prime powers of n up to 1,000, and what is left."""
    out = []
    for r in range(2, 1000):
        k = 0
        while n % r == 0:
            n, k = n // r, k + 1
        if k:
            out.append((r, k))
    return [*out, (n, 1)] if n > 1 else out

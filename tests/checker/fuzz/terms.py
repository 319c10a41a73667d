"""Random terms and formulas over few names, so that names meet."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from slrsym.checker.term import Term, neg, num

ZERO, ONE, TWO, HALF = num(0), num(1), num(2), num(1, 2)
X, Y, Z, R = (("s", name, "R") for name in "xyzr")
P, W = ("s", "p", "R>0"), ("s", "w", "R>=0")
I, N, M = ("s", "i", "Z"), ("s", "n", "Z>=0"), ("s", "m", "Z>0")  # noqa: E741
REAL = (X, Y, Z, R)
NORMAL: Term = ("gauss", 1, ZERO, ONE)
BOUNDED = ("erf", "sin", "cos", "atan", "tanh", "erf_prime", "erf_second")
SMOOTH = ("exp", "erf", "sin", "cos", "sinh", "cosh", "tanh", "atan")
ANY_OF_ONE = (*SMOOTH, "log", "asin", "abs", "sign", "erf_prime", "erf_second")
RELATIONS = ("=", "<", "<=", "!=")


def u(name: str, *args: Term, sort: str = "R", orders: tuple[int, ...] | None = None) -> Term:
    return ("u", name, sort, orders or (0,) * len(args), *args)


def fn(name: str, *args: Term) -> Term:
    return ("f", name, *args)


def mean(names: Sequence[Term], body: Term, laws: Sequence[Term]) -> Term:
    return ("E", tuple(names), (body,), tuple(laws))


def lam(names: Sequence[Term], *bodies: Term) -> Term:
    return ("lam", tuple(names), bodies, ())


def forall(names: Sequence[Term], p: Term) -> Term:
    return ("forall", tuple(names), (p,), ())


def square(t: Term) -> Term:
    return ("^", 2, 1, t)


class Terms:
    """Random terms; what they are made of is chosen by the caller."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng

    def pick(self, *choices: Term) -> Term:
        return self.rng.choice(choices)

    def chance(self, p: float) -> bool:
        return self.rng.random() < p

    def number(self) -> Term:
        r = self.rng
        return r.choice(
            (ZERO, ONE, ONE, TWO, num(-1), HALF, num(r.randint(-5, 5), r.randint(1, 4)))
        )

    def names(self, count: int, avoid: Sequence[Term] = ()) -> tuple[Term, ...]:
        """Return different real variables."""
        pool = [x for x in (*REAL, ("s", "x'", "R"), ("s", "v", "R")) if x not in avoid]
        return tuple(self.rng.sample(pool, count))

    def leaf(self, of: Sequence[Term] = ()) -> Term:
        if of and self.chance(0.7):
            return self.rng.choice(of)
        if self.chance(0.6):
            return self.number()
        return self.pick(*REAL, P, W, I, N, M, ("pi",))

    def term(self, depth: int = 3, of: Sequence[Term] = (), binders: bool = True) -> Term:
        """Return any term, which may be undefined."""
        r = self.rng
        if depth <= 0 or self.chance(0.2):
            return self.leaf(of)
        less = lambda: self.term(depth - 1, of, binders)  # noqa: E731
        what = r.random()
        if what < 0.3:
            return ("+", *(less() for _ in range(r.choice((2, 2, 3)))))
        if what < 0.55:
            return ("*", *(less() for _ in range(r.choice((2, 2, 3)))))
        if what < 0.65:
            p, q = r.choice(
                ((2, 1), (2, 1), (3, 1), (-1, 1), (-2, 1), (1, 2), (-1, 2), (3, 2), (1, 3))
            )
            return ("^", p, q, less())
        if what < 0.75:
            return fn(r.choice(ANY_OF_ONE), less())
        if what < 0.78:
            return fn(r.choice(("zeta", "owens", "max")), less(), less())
        if what < 0.85:
            n = r.choice((1, 1, 2))
            return u("hg"[n - 1], *(less() for _ in range(n)), sort=r.choice(("R", "R>0")),
                     orders=tuple(r.choice((0, 0, 1)) for _ in range(n)))  # fmt: skip
        if what < 0.88:
            return ("ix", "a", r.choice(("R", "Z", "R>=0")), self.integer())
        return self.binder(depth - 1, of) if binders else less()

    def integer(self) -> Term:
        return self.pick(
            I, N, M, ONE, ("+", N, ONE), ("+", I, num(-1)), num(self.rng.randint(-2, 4))
        )

    def binder(self, depth: int, of: Sequence[Term] = ()) -> Term:
        r, what = self.rng, self.rng.random()
        if what < 0.25:
            i = self.pick(I, ("s", "j", "Z"))
            return ("sum", (i,), (self.term(depth, (*of, i)),), (self.integer(), self.integer()))
        if what < 0.45:
            (x,) = self.names(1)
            ends = (self.term(depth - 1, of), self.term(depth - 1, of))
            if self.chance(0.2):
                ends = (r.choice((("-oo",), ends[0])), r.choice((("oo",), ends[1])))
            return ("int", (x,), (self.term(depth, (*of, x)),), ends)
        if what < 0.6:
            names = self.names(r.choice((1, 1, 2)))
            return ("d", tuple(r.choice((0, 1, 1, 2)) for _ in names), names,
                    (self.term(depth, (*of, *names)),),
                    tuple(self.term(depth - 1, of) for _ in names))  # fmt: skip
        if what < 0.92:
            names = self.names(r.choice((1, 1, 2, 3)))
            return mean(names, self.term(depth, (*of, *names)), self.laws(len(names), of))
        return self.copies()

    def copies(self, depth: int = 1) -> Term:
        names = self.names(self.rng.choice((1, 1, 2)))
        count = self.pick(N, M, TWO, ZERO, num(3))
        return ("copies", names, (self.polynomial(names, depth + 1),),
                (count, *self.laws(len(names), noise=0.1)))  # fmt: skip

    def entry(self, of: Sequence[Term] = ()) -> Term:
        """Return an entry of a law."""
        return (
            self.leaf(of) if self.chance(0.8) else self.pick(square(R), ("*", TWO, P), fn("exp", Z))
        )

    def variance(self) -> Term:
        return self.pick(ONE, ONE, ZERO, P, W, TWO, square(R), square(Z), HALF, square(X))

    def law(self, n: int, of: Sequence[Term] = ()) -> Term:
        """Return a Gaussian law; its matrix is symmetric, and may be degenerate."""
        means = [self.pick(ZERO, ZERO, ZERO, self.entry(of)) for _ in range(n)]
        plain = self.chance(0.4)
        rows = [[ZERO] * n for _ in range(n)]
        for i in range(n):
            rows[i][i] = self.variance()
            for j in range(i):
                if not plain:
                    rows[i][j] = rows[j][i] = self.pick(ZERO, R, HALF, self.entry(of))
        return ("gauss", n, *means, *(c for row in rows for c in row))

    def laws(self, n: int, of: Sequence[Term] = (), noise: float = 0.15) -> tuple[Term, ...]:
        """Return laws of so many dimensions together."""
        found: list[Term] = []
        while n:
            if self.chance(noise):
                found.append(("noise", self.variance()))
                n -= 1
            else:
                k = self.rng.randint(1, min(n, 3))
                found.append(self.law(k, of))
                n -= k
        return tuple(found)

    def expectation(
        self, count: int = 0, noise: float = 0.15, depth: int = 3, moderate: bool = True
    ) -> Term:
        """Return an expectation, of a moderate function if asked."""
        names = self.names(count or self.rng.choice((1, 1, 2, 3)))
        laws = self.laws(len(names), noise=noise)
        body = self.moderate(names, depth) if moderate else self.term(depth, names)
        return mean(names, body, laws)

    # -- what is smooth, and grows slowly ---------------------------------------------------------

    def affine(self, names: Sequence[Term]) -> Term:
        parts = [self.pick(x, ("*", self.coefficient(), x), ("*", x, self.coefficient()))
                 for x in names if self.chance(0.8)]  # fmt: skip
        if self.chance(0.5) or not parts:
            parts.append(self.coefficient())
        return parts[0] if len(parts) == 1 else ("+", *parts)

    def coefficient(self) -> Term:
        return self.pick(self.number(), self.number(), R, P, W, Z, X, ("*", R, Z), ("pi",),
                         ("^", -1, 1, P), square(R))  # fmt: skip

    def quadratic(self, names: Sequence[Term]) -> Term:
        parts = [
            ("*", self.pick(num(-1), num(-1, 2), neg(P), num(-1, 4), neg(square(R))), square(x))
            for x in names
            if self.chance(0.8)
        ]
        if len(names) > 1 and self.chance(0.4):
            parts.append(("*", self.coefficient(), names[0], names[1]))
        if self.chance(0.4):
            parts.append(self.affine(names))
        return parts[0] if len(parts) == 1 else ("+", *parts) if parts else self.affine(names)

    def polynomial(self, names: Sequence[Term], depth: int = 2) -> Term:
        if depth <= 0 or self.chance(0.2):
            return self.rng.choice(names) if self.chance(0.7) else self.coefficient()
        less = lambda: self.polynomial(names, depth - 1)  # noqa: E731
        what = self.rng.random()
        if what < 0.5:
            return (self.rng.choice("+*"), less(), less())
        if what < 0.75:
            return ("^", self.rng.choice((2, 2, 3)), 1, less())
        return self.affine(names)

    def moderate(self, names: Sequence[Term], depth: int = 2) -> Term:
        """Return a function that is mostly moderate by its form."""
        r = self.rng
        if depth <= 0:
            return self.polynomial(names, 1)
        less = lambda: self.moderate(names, depth - 1)  # noqa: E731
        what = r.random()
        if what < 0.2:
            return ("+", less(), less())
        if what < 0.4:
            return ("*", less(), less())
        if what < 0.48:
            return square(less())
        if what < 0.62:
            return fn(r.choice(BOUNDED), self.polynomial(names, 1))
        if what < 0.7:
            return fn("exp", self.pick(self.affine(names), self.quadratic(names)))
        if what < 0.8:
            n = r.choice((1, 1, 2))
            return u("hg"[n - 1], *(self.affine(names) for _ in range(n)),
                     orders=tuple(r.choice((0, 0, 1)) for _ in range(n)))  # fmt: skip
        if what < 0.84:
            inner = self.names(r.choice((1, 2)))
            return ("d", tuple(r.choice((0, 1, 2)) for _ in inner), inner,
                    (self.moderate((*names, *inner), depth - 1),),
                    tuple(self.affine(names) for _ in inner))  # fmt: skip
        if what < 0.9:
            inner = self.names(1)
            laws = self.laws(1, noise=0.1)
            return mean(inner, self.moderate((*names, *inner), depth - 1), laws)
        if what < 0.93:
            return self.copies()
        return self.polynomial(names, 2)

    # -- formulas ---------------------------------------------------------------------------------

    def relation(self, depth: int = 2, of: Sequence[Term] = ()) -> Term:
        a = self.term(depth, of)
        if self.chance(0.15):
            return ("=", a, a)
        return (self.rng.choice(RELATIONS), a, self.term(depth, of))

    def formula(self, depth: int = 2, of: Sequence[Term] = ()) -> Term:
        what = self.rng.random()
        if depth <= 0 or what < 0.4:
            return self.relation(1, of)
        if what < 0.6:
            return (
                self.rng.choice(("and", "or")),
                *(self.formula(depth - 1, of) for _ in range(2)),
            )
        if what < 0.7:
            return ("not", self.formula(depth - 1, of))
        if what < 0.8:
            return (self.rng.choice(("implies", "iff")), self.formula(depth - 1, of),
                    self.formula(depth - 1, of))  # fmt: skip
        if what < 0.92:
            x = self.pick(X, Y, I, N, P)
            return ("forall", (x,), (self.formula(depth - 1, (*of, x)),), ())
        return self.pick(("o", "integer", self.integer()), ("o", "psd", ("tuple", P)),
                         ("o", "moderate", lam((X,), self.moderate((X,), 1))),
                         ("o", "strange", self.term(1), ("set", ONE, TWO)))  # fmt: skip

    def hypotheses(self, count: int = 2, of: Sequence[Term] = ()) -> list[Term]:
        return [self.formula(1, of) for _ in range(self.rng.randint(0, count))]

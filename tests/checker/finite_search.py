"""Compare normal forms of random terms with their values in the finite model.

`python -m tests.checker.finite_search --count 1000000` makes families of terms that are or look
equal, brings all to normal form in one ring, and compares: terms of one normal form have one value;
what has a normal form is defined; signs that the ring knows are those of the values. Relations are
then shown from random facts, and have to hold wherever the facts do.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import time
from collections import Counter, defaultdict
from fractions import Fraction
from random import Random
from typing import Any

from slrsym.checker.arithmetic import SignEvidence, binder_keys_in_facts
from slrsym.checker.ring import Ring
from slrsym.checker.term import Rejected, Term, num
from slrsym.checker.theorem import apply_rule
from tests.checker.fuzz.places import exchanged, is_binder, nodes, put

from .finite_model import Env, Undefined, Unknown, holds, outermost, value

X, Y, Z = (("s", name, "R") for name in "xyz")
P, W, V = ("s", "p", "R>0"), ("s", "w", "R>=0"), ("s", "v", "R<0")
I, J, N = ("s", "i", "Z"), ("s", "j", "Z"), ("s", "n", "Z>0")  # noqa: E741
SYMBOLS = (X, Y, Z, P, W, V, I, J, N)
_VALUES = {
    "": (-2, -1, 0, 1, 2, 3), ">0": (1, 2, 4), "<0": (-1, -3), ">=0": (0, 1, 4), "<=0": (0, -2),
    "!=0": (-1, 2),
}  # fmt: skip


class Finder:
    """Random terms, their normal forms and their values."""

    def __init__(self, seed: int) -> None:
        self.rng = Random(seed)
        self.counts: Counter[str] = Counter()
        self.wrong: list[tuple[str, Any]] = []

    # -- terms ------------------------------------------------------------------------------------

    def term(self, depth: int, of: tuple[Term, ...] = ()) -> Term:
        """Return a term in which binders are nested, and names meet."""
        r = self.rng
        if depth <= 0 or r.random() < 0.12:
            if of and r.random() < 0.6:
                return r.choice(of)
            return r.choice((*SYMBOLS, num(1), num(2), num(-1), num(1, 2), num(0), ("pi",)))
        less = lambda: self.term(depth - 1, of)  # noqa: E731
        what = r.random()
        if what < 0.22:
            return ("+", *(less() for _ in range(r.choice((1, 2, 2, 3)))))
        if what < 0.42:
            return ("*", *(less() for _ in range(r.choice((1, 2, 2, 3)))))
        if what < 0.52:
            return ("^", *r.choice(((2, 1), (2, 1), (3, 1), (-1, 1), (1, 2), (-1, 2))), less())
        if what < 0.62:
            name = r.choice(
                (
                    "abs",
                    "sign",
                    "erf",
                    "tanh",
                    "sin",
                    "cos",
                    "sinh",
                    "cosh",
                    "exp",
                    "atan",
                    "asin",
                    "log",
                )
            )
            return ("f", name, less())
        if what < 0.65:
            return ("f", r.choice(("max", "zeta", "owens")), less(), less())
        if what < 0.72:
            n = r.choice((1, 1, 2))
            sort = r.choice(("R", "R", "R>0", "R<=0", "R!=0"))
            orders = tuple(r.choice((0, 0, 1)) for _ in range(n))
            return ("u", "hg"[n - 1], sort, orders, *(less() for _ in range(n)))
        if what < 0.75:
            return ("ix", "a", r.choice(("R", "Z", "Z>0")), self.integer())
        return self.binder(depth - 1, of)

    def integer(self) -> Term:
        r = self.rng
        return r.choice((I, J, N, num(1), num(2), ("+", N, num(1)), ("+", I, num(-1)), num(0)))

    def binder(self, depth: int, of: tuple[Term, ...]) -> Term:
        r, what = self.rng, self.rng.random()
        if what < 0.4:
            i = r.choice((I, J))
            return (
                "sum",
                (i,),
                (self.term(depth, (*of, i)),),
                (num(r.choice((0, 1))), self.integer()),
            )
        names = tuple(r.sample((X, Y, Z), r.choice((1, 1, 1, 2))))
        body = self.term(depth, (*of, *names))
        if what < 0.75:
            entries = [self.term(0, of) for _ in range(len(names) * (1 + len(names)))]
            laws = [("gauss", len(names), *entries)]
            if r.random() < 0.3:
                laws = [("noise", self.term(0, of)) for _ in names]
            if r.random() < 0.1 and "copies" not in repr((body, laws)):
                return ("copies", names, (body,), (N, *laws))
            return ("E", names, (body,), tuple(laws))
        if what < 0.85:
            return ("int", names[:1], (body,), (self.term(1, of), self.term(0, of)))
        orders = tuple(r.choice((0, 1, 1, 2)) for _ in names)
        if r.random() < 0.7:
            body = self.polynomial(depth + 1, (*of, *names))
        return ("d", orders, names, (body,), tuple(self.term(1, of) for _ in names))

    def polynomial(self, depth: int, of: tuple[Term, ...]) -> Term:
        r = self.rng
        if depth <= 0:
            return self.term(0, of)
        less = lambda: self.polynomial(depth - 1, of)  # noqa: E731
        return r.choice((("+", less(), less()), ("*", less(), less()), ("^", 2, 1, less()),
                         ("u", "h", "R", (r.choice((0, 1)),), less())))  # fmt: skip

    # -- families ---------------------------------------------------------------------------------

    def variant(self, t: Term) -> Term:
        """Return a term that is or looks equal: other names, order, brackets, signs, parts."""
        r = self.rng
        path, part = r.choice(nodes(t, 200))
        what = r.random()
        if is_binder(part) and what < 0.7:
            return put(t, path, self._renamed(part))
        if part[0] in ("+", "*") and what < 0.6:
            parts = list(part[1:])
            r.shuffle(parts)
            if len(parts) > 2 and r.random() < 0.5:
                return put(t, path, (part[0], (part[0], *parts[:2]), *parts[2:]))
            if part[0] == "*" and parts[0][0] == "+" and len(parts) > 1:
                return put(t, path, ("+", *(("*", q, *parts[1:]) for q in parts[0][1:])))
            return put(t, path, (part[0], *parts))
        if part[0] == "f" and len(part) == 3 and what < 0.6:
            sign = r.choice((num(-1), num(1)))
            return put(t, path, ("*", sign, ("f", part[1], ("*", num(-1), part[2]))))
        if part[0] == "^" and part[1:3] == (2, 1) and what < 0.6:
            return put(t, path, ("*", part[3], part[3]))
        if part[0] == "s":
            return put(t, path, r.choice(SYMBOLS))
        if is_binder(part) or path == () or part[0] in ("gauss", "noise"):
            return t
        others = [p for q, p in nodes(t, 100) if p[0] not in ("gauss", "noise", "oo", "-oo")]
        return put(t, path, r.choice(others))

    def _renamed(self, t: Term) -> Term:
        """Return a binder with another name, which may be one that is in use."""
        start = 2 if t[0] == "d" else 1
        names = t[start]
        old = self.rng.choice(names)
        new = self.rng.choice([s for s in SYMBOLS if s[2] == old[2] and s not in names] or [old])
        body = exchanged(t[start + 1], old, new)
        return (*t[:start], tuple(new if s == old else s for s in names), body, t[start + 2])

    # -- values -----------------------------------------------------------------------------------

    def point(self) -> Env:
        return {s: Fraction(self.rng.choice(_VALUES[s[2][1:]])) for s in SYMBOLS}

    def values(self, t: Term, points: list[Env]) -> list[Fraction | str | None]:
        """Return the value at each point; None if unknown, or if what is supposed fails there."""
        found: list[Fraction | str | None] = []
        for env in points:
            try:
                found.append(value(t, env))
            except Undefined:
                found.append("undefined")
            except (Unknown, OverflowError, ZeroDivisionError):
                found.append(None)
            if found[-1] == "undefined" and not _all_defined(outermost(t), env):
                found[-1] = None
        return found

    def batch(self, count: int) -> None:
        """Bring families of terms to normal form in one ring, and compare their values."""
        terms: list[Term] = []
        while len(terms) < count:
            t = self.term(self.rng.choice((1, 2, 3, 3)))
            family = [t]
            for _ in range(self.rng.choice((2, 4, 6))):
                family.append(self.variant(self.rng.choice(family)))
            terms += family
        points = [self.point() for _ in range(3)]
        alike: dict[str, list[tuple[Term, list[Any]]]] = defaultdict(list)
        for k in range(0, len(terms), 12):
            some = terms[k : k + 12]
            known = binder_keys_in_facts([("=", t, t) for t in some if _is_well_formed(t)])
            ring = Ring(40, {}, SignEvidence([]), {}, known)
            for t in some:
                self.counts["terms"] += 1
                self._entered(t, ring, points, alike)
            for found in alike.values():
                self._compared(found)
            alike.clear()

    def _entered(self, t: Term, ring: Ring, points: list[Env], alike: Any) -> None:
        if not _is_well_formed(t):
            self.counts["malformed"] += 1
            return
        try:
            n, d = ring.normal_form(t)
            sign = ring.sign_of_fraction((n, d))
        except Rejected:
            self.counts["no normal form"] += 1
            return
        found = self.values(t, points)
        self.counts["values"] += sum(v is not None for v in found)
        if "undefined" in found:
            self.wrong.append(("undefined", t))
        for v in found:
            if isinstance(v, Fraction) and (v > 0) - (v < 0) not in sign:
                self.wrong.append(("sign", (t, set(sign), v)))
        alike[f"{n} / {d}"].append((t, found))

    def _compared(self, found: list[tuple[Term, list[Any]]]) -> None:
        for (a, v), (b, w) in itertools.pairwise(found):
            self.counts["identified"] += a != b
            if any(x is not None and y is not None and x != y for x, y in zip(v, w, strict=True)):
                self.wrong.append(("identified", (a, b, v, w)))

    # -- relations --------------------------------------------------------------------------------

    def relation(self) -> None:
        """Show a relation from facts, and look whether it holds where they do."""
        r = self.rng
        atoms = [self.term(r.choice((0, 1, 2))) for _ in range(3)]
        facts = [
            (r.choice(("<", "<=", "=", "!=")), r.choice(atoms), r.choice((*atoms, num(0), num(1))))
            for _ in range(r.choice((1, 1, 2)))
        ]
        facts += [("=", b, b) for t in atoms for b in outermost(t) if r.random() < 0.9]
        a, b = self._combined(atoms), self._combined(atoms)
        if r.random() < 0.5:
            _kind, low, high = r.choice(facts)
            a, b = ("+", low, a), ("+", high, a)
        goal = (r.choice(("<", "<=", "=", "!=")), a, b)
        self.counts["relations"] += 1
        if not all(map(_is_well_formed, (goal, *facts))):
            return
        use = [i for i in range(len(facts)) if r.random() < 0.9]
        try:
            apply_rule("arithmetic", [], tuple(facts), goal, [30, [], use, []])
        except Rejected:
            return
        self.counts["relations shown"] += 1
        for _ in range(12):
            env = self.point()
            try:
                if all(holds(p, env) for p in facts):
                    self.counts["relations valued"] += 1
                    if not holds(goal, env):
                        self.wrong.append(("relation", (facts, goal, env)))
                        return
            except (Unknown, OverflowError, ZeroDivisionError):
                continue

    def _combined(self, atoms: list[Term]) -> Term:
        r = self.rng
        return (r.choice("+*"), *(r.choice((*atoms, num(-1), num(2), P)) for _ in range(2)))


def _all_defined(terms: list[Term], env: Env) -> bool:
    try:
        for t in terms:
            value(t, env)
    except (Undefined, Unknown, OverflowError):
        return False
    return True


def _is_well_formed(t: Term) -> bool:
    from slrsym.checker.term import require_all_well_formed

    try:
        require_all_well_formed([t])
    except (Rejected, IndexError, TypeError):
        return False
    return True


def search(count: int, seed: int, seconds: float = 1e9) -> Finder:
    """Compare so many terms, and a relation for each ten of them."""
    finder, end = Finder(seed), time.perf_counter() + seconds
    while finder.counts["terms"] < count and time.perf_counter() < end:
        finder.batch(48)
        for _ in range(5):
            finder.relation()
    return finder


def main() -> int:
    """Return 1 if a normal form is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    start = time.perf_counter()
    finder = search(arguments.count, arguments.seed)
    print(dict(finder.counts), f"{time.perf_counter() - start:.0f} s")
    for what, found in finder.wrong[:20]:
        print(what, found)
    print(len(finder.wrong), "wrong")
    return 1 if finder.wrong else 0


if __name__ == "__main__":
    sys.exit(main())

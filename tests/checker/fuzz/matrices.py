"""Random inferences on matrices, accepted ones and near misses, against exact coordinates.

Run ``python -m tests.checker.fuzz.matrices 100000`` for that many. A theorem that is accepted has
to hold wherever its hypotheses do: at points with rational matrices of the declared sorts. For each
kind of inference the run prints how many were accepted, and how many were refused.
"""

from __future__ import annotations

import random
import sys
import time
from collections import Counter
from itertools import pairwise

import slrsym.prover.tactics.log_records
from slrsym.checker import Rejected
from slrsym.checker.term import num, require_all_well_formed
from slrsym.checker.theorem import apply_rule
from slrsym.prover.tactics.matrix_means import mean_as_term
from tests.checker.matrix_model import Point

assert slrsym.prover.tactics.log_records

U, S_, PSD, PD, GL = "M", "S", "S>=0", "S>0", "GL"
LETTERS = [
    *(("M", n, "M", "d", "d", "") for n in "AB"), ("M", "Q", S_, "d", "d", ""),
    ("M", "T", PSD, "d", "d", ""), ("M", "G", PD, "d", "d", ""), ("M", "R", GL, "d", "d", ""),
    *(("M", n, PD, "d", "d", "F") for n in "LK"), ("M", "P", PSD, "d", "d", "F"),
    ("M", "V", "M", "d", "N", ""), ("M", "v", "M", "d", "1", ""), ("M", "w", "M", "N", "1", ""),
    ("M", "J", PSD, "N", "N", ""), ("M", "c", "M", "1", "1", ""),
]  # fmt: skip
RANDOM = [("M", "X", "M", "d", "N", ""), ("M", "Y", "M", "d", "N", ""),
          ("M", "x", "M", "d", "1", ""), ("M", "W", "M", "d", "d", "")]  # fmt: skip
COVARIANCES = {"d": [("M.id", "d"), LETTERS[3], LETTERS[6]], "N": [("M.id", "N"), LETTERS[12]],
               "1": [("M.id", "1")]}  # fmt: skip
NUMBERS = [("s", "u", "R"), ("s", "a", "R>0"), ("s", "b", "R>=0"), ("M.dim", "N"), ("M.dim", "d")]


class Matrices:
    """Random terms with matrices, which mostly have fitting sizes."""

    def __init__(self, rng):
        self.rng = rng

    def number(self):
        rng = self.rng
        return rng.choice([
            num(rng.randint(-3, 3)), num(1, 2), rng.choice(NUMBERS), ("^", 2, 1, NUMBERS[0]),
            ("^", -1, 1, ("M.dim", "N")), ("*", num(-1), rng.choice(NUMBERS)),
            ("^", -1, 1, NUMBERS[0]),
        ])  # fmt: skip

    def plain(self, rows, columns, letters=LETTERS):
        """Return a letter, its transpose or inverse, or 1, of a shape; None if there is none."""
        found = [x for x in letters if x[3:5] == (rows, columns)]
        found += [("M.T", x) for x in letters if (x[4], x[3]) == (rows, columns)]
        found += [("M.inv", x) for x in found if x[0] == "M" and x[2] in (PD, GL)]
        found += [("M.id", rows)] if rows == columns else []
        return self.rng.choice(found)

    def matrix(self, rows, columns, depth=2, letters=LETTERS):
        rng = self.rng
        if depth == 0 or rng.random() < 0.2:
            return self.plain(rows, columns, letters)
        kind = rng.choice(["mul", "mul", "mul", "add", "scale", "T"])
        if kind == "T":
            return "M.T", self.matrix(columns, rows, depth - 1, letters)
        if kind == "scale":
            return "M.scale", self.number(), self.matrix(rows, columns, depth - 1, letters)
        if kind == "add":
            count = rng.randint(1, 3)
            return ("M.add", *(self.matrix(rows, columns, depth - 1, letters)
                               for _ in range(count)))  # fmt: skip
        sizes = [rows, *(rng.choice(["d", "d", "N", "1"]) for _ in range(rng.randint(0, 2))),
                 columns]  # fmt: skip
        return ("M.mul", *(self.matrix(a, b, depth - 1, letters)
                           for a, b in pairwise(sizes)))  # fmt: skip

    def term(self, depth=2, letters=LETTERS):
        rng, size = self.rng, self.rng.choice(["d", "d", "N", "1"])
        trace = ("M.tr", self.matrix(size, size, depth, letters))
        if depth == 0 or rng.random() < 0.5:
            return trace
        if rng.random() < 0.3:
            return "*", trace, self.term(depth - 1, letters)
        if rng.random() < 0.4:
            return "+", trace, self.term(depth - 1, letters), self.number()
        return "*", self.number(), self.term(depth - 1, letters)

    def mean(self):
        rng = self.rng
        names = tuple(rng.sample(RANDOM, rng.randint(1, 2)))
        words, letters = [], [*names, *names, *names, *LETTERS]
        for _ in range(rng.randint(1, 2)):
            word, at = [], "d"
            while len(word) < rng.randint(2, 5) or at != "d":
                near = [x for x in (*letters, *(("M.T", y) for y in letters)) if rows_of(x) == at]
                word.append(rng.choice(near))
                at = columns_of(word[-1])
                if len(word) > 7:
                    word, at = [], "d"
            words.append(("M.tr", ("M.mul", *word)))
        body = words[0] if len(words) == 1 else (rng.choice("+*"), self.number(), *words)
        laws = tuple(("M.gauss", rng.choice(COVARIANCES[x[3]]), rng.choice(COVARIANCES[x[4]]))
                     for x in names)  # fmt: skip
        return "M.E", names, (body,), laws

    # -- what is a little different ---------------------------------------------------------------

    def changed(self, t):
        """Return a term with one change somewhere."""
        rng, places = self.rng, [i for i, p in enumerate(t) if type(p) is tuple and p]
        if t[0] in ("M", "M.id", "s", "n", "M.dim") or not places or rng.random() < 0.15:
            return self._other(t)
        i = rng.choice(places)
        return (*t[:i], self._inside(t[i]), *t[i + 1 :])

    def _inside(self, part):
        if type(part[0]) is tuple:
            i = self.rng.randrange(len(part))
            return (*part[:i], self.changed(part[i]), *part[i + 1 :])
        return self.changed(part)

    def _other(self, t):
        rng, head = self.rng, t[0]
        if head == "n":
            return num(t[1] + rng.choice([-1, 1]), t[2])
        if head in ("s", "M.dim"):
            return rng.choice(NUMBERS)
        if head == "M":
            near = [x for x in (*LETTERS, *RANDOM) if x[3:5] == t[3:5] and x != t]
            return rng.choice(
                [*near, ("M.T", t), (*t[:2], rng.choice([U, S_, PSD, PD, GL]), *t[3:])]
            )
        if head == "M.T":
            return t[1]
        if head in ("M.mul", "M.add", "+", "*") and len(t) > 2:
            i, j = sorted(rng.sample(range(1, len(t)), 2))
            if rng.random() < 0.4:
                return (*t[:i], *t[i + 1 :])
            return (*t[:i], t[j], *t[i + 1 : j], t[i], *t[j + 1 :])
        if head == "M.scale":
            return rng.choice([t[2], ("M.scale", self.number(), t[2])])
        if head == "M.tr":
            return "*", num(rng.choice([-1, 0, 2])), t
        return t


def rows_of(x):
    return x[1][4] if x[0] == "M.T" else x[3]


def columns_of(x):
    return x[1][3] if x[0] == "M.T" else x[4]


def turned_around(m, rng):
    """Return a trace that is equal to that of a product, with its parts rotated or transposed."""
    if m[0] == "M.mul" and rng.random() < 0.8:
        i = rng.randrange(1, len(m))
        return ("M.mul", *m[i:], *m[1:i])
    return "M.T", m


class Campaign:
    """Draw inferences, let the checker judge them, and compare what it accepts with coordinates."""

    def __init__(self, seed):
        self.seed, self.rng = seed, random.Random(seed)
        self.make = Matrices(self.rng)
        self.counts = Counter()

    def facts(self, p):
        return apply_rule("assume", [], p)

    def draw(self):
        """Return the name of a rule, premises and data."""
        rng, make = self.rng, self.make
        kind = rng.choice(["trace", "trace", "mean", "mean", "derivative", "semidefinite",
                           "invertible", "psd trace", "definite", "cauchy", "sandwich",
                           "identity", "equal", "instance", "sizes", "family"])  # fmt: skip
        size = rng.choice("dddN")
        if kind == "trace":
            m = make.matrix(size, size)
            p = ("=", ("M.tr", m), ("M.tr", turned_around(m, rng)))
            return kind, "arithmetic", [], (), p, [40, [], [], []]
        if kind == "mean":
            node = make.mean()
            return kind, "isserlis", [], (), ("=", node, mean_as_term(node)), [40, [], [], []]
        if kind == "derivative":
            t, body = NUMBERS[0], make.term()
            return kind, "derivative", [], ("d", (1,), (t,), (body,), (num(rng.randint(-1, 2)),))
        if kind in ("semidefinite", "invertible"):
            m = make.matrix(size, size)
            if rng.random() < 0.5:
                b = make.matrix(size, rng.choice(["d", "N", "1"]), 1)
                m = ("M.mul", b, ("M.T", b))
            return kind, kind, [], m
        if kind == "psd trace":
            return kind, "trace of semidefinite", [], *(self._semidefinite(size) for _ in range(2))
        if kind == "definite":
            y = make.matrix(size, size, 1)
            return kind, "definite trace", [], self._semidefinite(size), y, self._semidefinite(size)
        if kind == "cauchy":
            a, b = (make.matrix(size, "d", 1) for _ in range(2))
            return kind, "cauchy-schwarz for matrices", [], a, self._semidefinite(size), b
        m = make.matrix(size, "d")
        other = make.changed(m) if rng.random() < 0.5 else ("M.add", m)
        if kind == "sandwich":
            equation = self.facts(("M.eq", m, other))
            p, q = make.matrix("d", size, 1), make.matrix("d", "d", 1)
            return kind, "sandwich", [equation], p, q
        if kind == "identity":
            z = ("M", "Z", "M", "d", size, "")
            said = ("=", ("M.tr", ("M.mul", m, z)), ("M.tr", ("M.mul", other, z)))
            premise = self.facts(said) if rng.random() < 0.3 else apply_rule(
                "arithmetic", [], (), said, [40, [], [], []])  # fmt: skip
            return kind, "matrix identity", [premise], ("M.eq", m, other), z
        if kind == "equal":
            m = make.matrix("d", "d")
            head = rng.choice(["M.psd", "M.invertible"])
            return kind, "equal matrices", [self.facts((head, m)), self.facts(
                ("M.eq", m, make.changed(m)))]  # fmt: skip
        if kind == "family":
            a, b, c = (x for x in LETTERS if x[5])
            m = make.matrix("d", "d", 1)
            p = ("=", ("M.tr", ("M.mul", a, b, m)), ("M.tr", ("M.mul", b, a, m)))
            fact = apply_rule("arithmetic", [], (), p, [40, [], [], []])
            values = [rng.choice([LETTERS[4], a, b, ("M.id", "d"), ("M.add", a, b),
                                  ("M.add", LETTERS[4], b)]) for _ in range(3)]  # fmt: skip
            return kind, "instance", [fact], tuple(zip((a, b, c), values, strict=True))
        m = make.matrix(size, size)
        p = ("=", ("M.tr", m), ("M.tr", turned_around(m, rng)))
        fact = apply_rule("arithmetic", [], (), p, [40, [], [], []])
        if kind == "sizes":
            sizes = rng.sample(["d", "N"], rng.randint(1, 2))
            pairs = [(("M.dim", n), ("M.dim", rng.choice(["N", "d", "r", "1", "2"])))
                     for n in sizes]  # fmt: skip
            return kind, "instance", [fact], tuple(pairs)
        letters = rng.sample(LETTERS, rng.randint(1, 3))
        if rng.random() < 0.5:
            letters = [x for x in LETTERS if x[5]]
        return kind, "instance", [fact], tuple((x, make.matrix(*x[3:5], 1)) for x in letters)

    def _semidefinite(self, size):
        rng, make = self.rng, self.make
        b = make.matrix(size, rng.choice(["d", "N"]), 1)
        a = make.matrix("d", size, 1)
        inner = ("M.mul", ("M.T", a), LETTERS[3], a)
        return rng.choice([("M.mul", b, ("M.T", b)), make.plain(size, size), inner])

    def step(self):
        """Judge one inference, and a near miss of it."""
        try:
            kind, rule, premises, *data = self.draw()
        except Rejected:
            return
        for near in (False, True):
            if near:
                places = [i for i, d in enumerate(data) if type(d) is tuple and d]
                if not places:
                    return
                place = self.rng.choice(places)
                data[place] = self._near(data[place])
            name = f"{kind}, near" if near else kind
            try:
                theorem = apply_rule(rule, premises, *data)
            except Rejected:
                self.counts[name, "refused"] += 1
                continue
            self.counts[name, "accepted"] += 1
            self.counts[name, "shown"] += self.holds(theorem)

    def _near(self, data):
        try:
            changed = self.make._inside(data)
            require_all_well_formed([changed] if type(changed[0]) is str else [])
        except (Rejected, IndexError):
            return data
        return changed

    def holds(self, theorem):
        """See that a theorem holds; return whether its hypotheses do at a point."""
        shown = False
        for d, n in ((2, 3), (1, 2), (3, 1)):
            point = Point(self.rng.random(), {"d": d, "N": n, "r": 2})
            for p in theorem.hypotheses.values():
                if p[0] == "M.eq" and p[1][0] == "M" and p[1][2] == "M":
                    point.letters[p[1]] = point.matrix(p[2])
            if all(map(point.holds, theorem.hypotheses.values())):
                shown = True
                assert point.holds(theorem.conclusion), (theorem.hypotheses, theorem.conclusion)
        return shown


def run(count, seed=0):
    """Judge so many inferences and near misses, and return the counts."""
    campaign = Campaign(seed)
    for _ in range(count):
        campaign.step()
    return campaign.counts


if __name__ == "__main__":
    start = time.process_time()
    found = run(int(sys.argv[1]), int(*sys.argv[2:] or [0]))
    for name in sorted({name for name, _ in found}):
        counts = (f"{found[name, what]:>9,} {what}" for what in ("accepted", "shown", "refused"))
        print(f"{name:24}{''.join(counts)}")
    print(f"{time.process_time() - start:.0f} s of processor time")

"""Combinations of facts that prove signs of polynomials, by linear programs and exact solutions.

This code need not be trusted, because the proof checker judges the combinations.
"""

from __future__ import annotations

import contextlib
import itertools
import math
from collections.abc import Iterable
from typing import Any

from flint import fmpq, fmpq_mat

from slrsym.checker.sign import (
    ANY,
    NEG,
    NN,
    NP,
    NZ,
    POS,
    ZERO,
    generator_indices_in,
    sign_of_power,
    sign_of_product,
)
from slrsym.checker.term import Rejected
from slrsym.prover.tactics.linear_programs import (
    combine_nonnegatively_in_floating_point,
    drop_vanishing_terms,
)
from slrsym.prover.tactics.polynomial_facts import RememberingRing, coefficients_by_monomial


class FactCombinationSearch:
    """Search for combinations of known facts that prove a sign, with a record of each.

    The search for one sign stops after `effort` units of work, and all searches together after
    `most`. Units are monomials of candidates and normal forms, of long polynomials times the roots
    that are rewritten, and entries of linear programs times iterations: some 25,000 a second. With
    limits in seconds, evidence would depend on the machine.
    """

    def __init__(self, effort: int, most: float = math.inf, is_brief: bool = False) -> None:
        self.busy: set[Any] = set()
        self.failed: set[Any] = set()
        self.depth = 0
        self.squares: list[Any] = []
        self.factors: list[Any] = []
        self.parts: dict[Any, list[Any]] = {}
        # The evidence: each sign that was asked for, with the facts that are learned for it.
        self.answers: list[Any] = []
        self.entries: list[Any] = []
        # Whether signs of arguments of all functions get little effort, or of the current one.
        self.is_brief, self.is_brief_here = is_brief, False
        self.effort, self.total_work_limit, self.patience = effort, most, 0.1
        self.work, self.work_limit = 0, 0.0

    def count_work(self, more: int) -> None:
        """Count work; raise `Rejected` beyond the limit of all searches together."""
        self.work += more
        if self.work > self.total_work_limit:
            raise Rejected("the search has done what it may for a step")

    def record_base_of_square(self, f: Any) -> None:
        """Record the base f of an even power: its square may be used as a nonnegative fact."""
        if len(f.monoms()) > 1 and not any(f in (h, -h) for h in self.squares):
            self.squares.append(f)

    def record_factor(self, f: Any) -> None:
        """Record the numerator of a sum or product, to be tried as a factor of facts."""
        if 1 < len(f.monoms()) < 40 and len(self.factors) < 40 and f not in self.factors:
            self.factors.append(f)

    def learn_sign_from_combination(
        self, st: RememberingRing, p: Any, rows: Any, factor: Any = None
    ) -> None:
        """Learn a polynomial's sign from a combination of facts, and record that as evidence."""
        plain = st.facts.to_json
        factor = st.one if factor is None else st.one * factor
        st.facts.learn_sign_from_combination(p, rows, factor)
        written = [[str(fmpq(c)), [[plain(g), n] for g, n in parts]] for c, parts in rows]
        self.entries.append(["sign", plain(p), written, plain(factor)])

    def combine_equations(self, st: RememberingRing, facts: list[Any], p: Any) -> list[Any] | None:
        """Write a polynomial as a combination of polynomials known to vanish, or return None."""
        cands = []
        exponents = st.facts.exponents
        for f in facts:
            cands.append([(f, 1)])
            for monomial in exponents(f):
                cands += self.products_with_monomials(st, p, monomial, 1, [(f, 1)], 1)
        for f, g in itertools.permutations(facts, 2) if len(facts) < 12 else ():
            # Another equation may cancel monomials that the first leaves over.
            for monomial in exponents(f):
                cands += self.products_with_monomials(st, g, monomial, 1, [(f, 1)], 1)
        columns, seen = [], set()
        for parts in cands[:400]:
            product = st.facts.product(parts)
            if product.coefficients and product.name not in seen:
                seen.add(product.name)
                columns.append((parts, product.coefficients))
        right = coefficients_by_monomial(p)
        lines = sorted({m for _, d in columns for m in d} | right.keys())
        if not columns or len(lines) > 600:
            return None
        matrix = [[d.get(m, 0) for _, d in columns] for m in lines]
        found = solve_exactly(matrix, [right.get(m, 0) for m in lines])
        if found is None:
            return None
        return [(c, parts) for c, (parts, _) in zip(found, columns, strict=True) if c != 0]

    def infer_signs_of_odd_factors(self, st: RememberingRing, h: Any) -> None:
        """Search for the signs of those short factors of a polynomial whose exponent is odd."""
        name = ("light", str(h))
        if self.depth > 2 or name in self.failed:
            return
        self.failed.add(name)
        for f, n in h.factor()[1]:
            if n % 2 and len(f.monoms()) < 12:
                for w in (NN, NP):
                    if st.facts.possible_signs(f) <= w:
                        break
                    with contextlib.suppress(Rejected):
                        self.infer_quickly(st, f, w)

    def infer_quickly(self, st: RememberingRing, p: Any, want: Any) -> None:
        """Infer a sign from a combination of the simplest products of facts."""
        self.infer_from_combination(st, p, want, (1,))

    def nonnegative_facts(self, st: RememberingRing, p: Any, limit: int = 40) -> list[Any]:
        """Return known nonnegative polynomials that share generators with p, short ones first."""
        used = set(generator_indices_in(p))
        facts, out = list(st.facts.shapes()), []
        for f, s in facts:
            if s in (ANY, NZ):
                continue
            if not f.generators & used and len(facts) > limit:
                continue
            order = len(f.generators - used), f.length, f.degree
            if s <= NN:
                out.append((order, f.polynomial, s))
            elif s <= NP:
                out.append((order, f.opposite, sign_of_product(s, NEG)))
        out.sort(key=lambda t: t[0])
        return [(f, s) for _, f, s in out[:limit]]

    def infer_from_combination(
        self, st: RememberingRing, p: Any, want: Any, levels: Iterable[int] = (2, 3)
    ) -> bool:
        """Infer a sign from combinations of ever more products; return whether one was found."""
        if want == NZ:
            return self.infer_from_combination(st, p, POS, levels) or self.infer_from_combination(
                st, p, NEG, levels
            )
        if want == ZERO or len(p.monoms()) > 400:
            return False
        q, strict = (-p, want == NEG) if want in (NEG, NP) else (p, want == POS)
        known = self.nonnegative_facts(st, p)
        used = generator_indices_in(p)
        for level in levels:
            if self.work > self.work_limit:
                return False
            if self.solve_linear_program(
                st, q, self.candidate_products(st, q, known, used, level), strict
            ):
                return True
        return False

    def candidate_products(
        self, st: RememberingRing, q: Any, known: Any, used: Any, level: int
    ) -> list[Any]:
        """Return products of facts, squares and generators of which q may be a combination."""
        pairs = itertools.combinations_with_replacement
        exponents = st.facts.exponents
        cands = [[(k, 1)] for k, s in known] + [[(h, 2)] for h in self.squares[:8]]
        for h in self.factors:
            if level >= 2 and h not in (q, -q) and len(st.facts.possible_signs(h)) > 1:
                self.infer_signs_of_odd_factors(st, h)
            cands.append([(h, 1)])
        cands += [parts for m in exponents(q) if (parts := _powers(st, m))]
        cands.append([(st.one, 1)])
        # Sums times monomials, for few sums, because these candidates are tried first.
        sums = (k for k, _ in known if len(k) > 1 and set(generator_indices_in(k)) <= set(used))
        for k in itertools.islice(sums, 6):
            for mk in exponents(k):
                cands += self.products_with_monomials(st, q, mk, 1, [(k, 1)], 1)
        if level >= 2:
            ks = known[:16]
            cands += [[(a, 1), (b, 1)] for (a, _), (b, _) in pairs(ks, 2)]
            cands += [[(a, 1), (st.x[i], 1)] for (a, _) in known[:24] for i in used]
            cands += [[(st.x[i], 2), (a, 1)] for (a, _) in known[:24] for i in used]
            for h in self.squares[:6]:
                for hm in exponents(h)[:3]:
                    cands += self.products_with_monomials(st, q, hm, 2, [(h, 2)], 0)
            for (a, _), (b, _) in pairs(known[:7], 2):
                for mk in exponents(a * b):
                    cands += self.products_with_monomials(st, q, mk, 1, [(a, 1), (b, 1)], 1)
        if level >= 3:
            ks = known[:9]
            cands += [[(a, 1), (b, 1), (c, 1)] for (a, _), (b, _), (c, _) in pairs(ks, 3)]
            for k, _ in known[:24]:
                for mk in exponents(k):
                    cands += self.products_with_monomials(st, q, mk, 1, [(k, 1)], 1)
        return cands

    @staticmethod
    def products_with_monomials(
        st: RememberingRing, q: Any, monomial: Any, n: int, parts: Any, least: int
    ) -> list[Any]:
        """Return products of `parts` and a monomial that have a monomial of q as a term."""
        rest = st.facts.exponents(q) - n * monomial
        fitting = (rest.min(axis=1) >= 0) & (rest.max(axis=1) >= least)
        return [[*parts, *_powers(st, row)] for row in rest[fitting]]

    def solve_linear_program(self, st: RememberingRing, q: Any, cands: Any, strict: bool) -> bool:
        """Learn q as a nonnegative combination of products; return whether there is one."""
        cols: list[Any] = []
        seen = set()
        signs: dict[int, Any] = {}
        for parts in cands:
            s = POS
            for f, n in parts:
                # The same polynomials stand in many candidates.
                if id(f) not in signs:
                    signs[id(f)] = st.facts.possible_signs(f)
                s = sign_of_product(s, sign_of_power(signs[id(f)], n))
            if not (s <= NN or s <= NP):
                continue
            flip = 1 if s <= NN else -1
            product = st.facts.product(parts)
            length = len(product.polynomial)
            self.work += length
            if not 0 < length <= 60 or product.name in seen:
                continue
            seen.add(product.name)
            terms = product.coefficients
            if flip == -1:
                terms = {m: -c for m, c in terms.items()}
            cols.append((parts, terms, flip, sign_of_product(s, POS if flip == 1 else NEG)))
        cols = cols[:700]
        # In the order of monomials, which decides between combinations of one cost.
        target = coefficients_by_monomial(q)
        dicts = [c[1] for c in cols]
        if not cols or len({*target, *itertools.chain(*dicts)}) > 1500:
            return False
        kept = drop_vanishing_terms(dicts, target, [c[3] == ZERO for c in cols])
        if not kept or (strict and not any(cols[j][3] == POS for j in kept)):
            self.work += 30
            return False
        cols, dicts = [cols[j] for j in kept], [dicts[j] for j in kept]
        positive = [c[3] == POS for c in cols]
        coefficients, positive_sum, work = combine_nonnegatively_in_floating_point(
            dicts,
            target,
            [c[3] == ZERO for c in cols],
            [1.0 + 0.01 * len(c[0]) for c in cols],
            positive if strict else None,
        )
        self.work += work
        if coefficients is None:
            return False
        support = [j for j, x in enumerate(coefficients) if abs(x) > 1e-9]
        lines = [*target, *sorted({m for j in support for m in dicts[j]} - target.keys())]
        matrix = [[dicts[j].get(m, 0) for j in support] for m in lines]
        right = [target.get(m, 0) for m in lines]
        if strict and positive_sum < 1.01e-4:
            matrix.append([int(positive[j]) for j in support])
            right.append(fmpq(1, 10000))
        found = solve_exactly(matrix, right)
        if found is None or any(
            x < 0 and cols[j][3] != ZERO for x, j in zip(found, support, strict=True)
        ):
            return False
        rows = [(x * cols[j][2], cols[j][0]) for x, j in zip(found, support, strict=True) if x != 0]
        self.learn_sign_from_combination(st, q, rows)
        return True


def _powers(st: RememberingRing, exponents: Any) -> list[Any]:
    """Return the powers of generators whose product is the monomial with given exponents."""
    return [(st.x[int(i)], int(exponents[i])) for i in exponents.nonzero()[0]]


def solve_exactly(matrix: Any, right: Any) -> list[Any] | None:
    """Solve a linear system over the rationals; return None if it has no solution."""
    rows = [[fmpq(v) for v in r] + [fmpq(t)] for r, t in zip(matrix, right, strict=True)]
    if not rows:
        return None
    reduced, rank = fmpq_mat(len(rows), len(rows[0]), [v for r in rows for v in r]).rref()
    n = len(rows[0]) - 1
    x = [fmpq(0)] * n
    for i in range(rank):
        j = next(j for j in range(n + 1) if reduced[i, j] != 0)
        if j == n:
            return None
        x[j] = reduced[i, n]
    return x

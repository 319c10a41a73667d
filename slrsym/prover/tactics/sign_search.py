"""Search for signs of polynomials from known facts, with evidence for each sign.

This code need not be trusted, because the proof checker replays the evidence.
"""

from __future__ import annotations

import contextlib
import itertools
from typing import Any

from flint import fmpq, fmpq_mpoly

from slrsym.checker.sign import (
    ANY,
    NEG,
    NN,
    NP,
    NZ,
    POS,
    QUESTIONS,
    ZERO,
    generator_indices_in,
    sign_of_product,
    sign_of_rational,
)
from slrsym.checker.term import Rejected, Term, canonical_key
from slrsym.prover.tactics.fact_combinations import FactCombinationSearch
from slrsym.prover.tactics.polynomial_facts import RememberingRing, WorkCountingFacts

# The name in a log of the sign that a ring asks for.
RELATION_OF = {sign: name for name, sign in QUESTIONS.items()}


class UnknownSign(Rejected):
    """Raised if arithmetic needs the sign of a polynomial for which no evidence is found."""

    def __init__(self, why: str, ring: SearchHintRecordingRing, polynomial: Any, sign: Any) -> None:
        super().__init__(why)
        self.ring, self.polynomial, self.sign = ring, polynomial, sign


class SearchHintRecordingRing(RememberingRing):
    """A polynomial ring that records hints for the search, such as squares and parts of sums."""

    def __init__(self, size: int, units: Any, search: SignSearch, *data: Any) -> None:
        super().__init__(size, units, search, *data)
        self.search, self.facts = search, WorkCountingFacts(size, search.count_work)
        # Opaque terms by key, and vectors of unknown functions; by generator, n of a root that is
        # the absolute value of n.
        self.opaque_terms: dict[str, Term] = {}
        self.vectors: dict[str, Term] = {}
        self.between_bars: dict[int, Any] = {}

    def _binder_normal_form(self, t: Term) -> Any:
        self.opaque_terms.setdefault(canonical_key(t), t)
        return super()._binder_normal_form(t)

    def _absolute_value(self, n: Any, d: Any) -> Any:
        a, b = super()._absolute_value(n, d)
        if d == 1 and self.generator_data(a)[0] == "root":
            self.between_bars.setdefault(generator_indices_in(a)[0], n)
        return a, b

    def _function_normal_form(self, t: Term) -> Any:
        # A sign inside an absolute value, or in a brief search of any argument, gets little effort.
        kept = self.search.is_brief_here
        self.search.is_brief_here = self.search.is_brief or t[1] == "abs"
        try:
            return super()._function_normal_form(t)
        finally:
            self.search.is_brief_here = kept

    def require_sign(self, p: Any, sign: Any, why: str) -> None:
        self.search.patience = 1.0 if "compare" in why else 0.1
        try:
            super().require_sign(p, sign, why)
        except Rejected as reason:
            if str(reason) != why:
                raise
            raise UnknownSign(why, self, p, sign) from None

    def fraction(self, n: Any, d: Any, rational: bool = False) -> Any:
        # Normal forms of long terms are most of the work of some searches.
        self.search.count_work((len(n) + len(d)) // 20)
        return super().fraction(n, d, rational)

    def number_of_parts(self, p: Any, known: dict[int, int] | None = None) -> int:
        """Return the number of parts of the term that a polynomial stands for.

        The term is not built: a root within a root may stand in it thousands of times.
        """
        known = {} if known is None else known
        for i in generator_indices_in(p):
            if i not in known:
                known[i] = 1 + sum(
                    self.number_of_parts(q, known)
                    for data in self.generators[i][1:]
                    for q in (data if isinstance(data, tuple) else (data,))
                    if isinstance(q, fmpq_mpoly)
                )
        return sum(1 + sum(known[i] for i, n in enumerate(m) if n) for m in p.monoms())

    def snapshot(self) -> tuple[Any, ...]:
        """Return a snapshot of the ring for `restore`."""
        return (len(self.generators), dict(self._numbers), dict(self._opaque),
                self.facts.snapshot())  # fmt: skip

    def restore(self, state: tuple[Any, ...]) -> None:
        """Reset the ring to a snapshot."""
        count, self._numbers, self._opaque, facts = state
        self.facts.restore(facts)
        del self.generators[count:]
        self._memo = {}

    def normal_form(self, t: Term) -> Any:
        if t[0] == "M.h":
            self.vectors.setdefault(canonical_key(t[2]), t[2])
        f = super().normal_form(t)
        if t[0] == "^" and t[1] % 2 == 0 and t[2] == 1:
            self.search.record_base_of_square(super().normal_form(t[3])[0])
        elif t[0] in ("+", "*"):
            self.search.record_factor(f[0])
            self.search.record_parts(
                self, t[0], f, [super(SearchHintRecordingRing, self).normal_form(a) for a in t[1:]]
            )
        return f


class SignSearch(FactCombinationSearch):
    """Search for the signs that a ring asks for, with a record of the evidence found."""

    def record_parts(self, st: RememberingRing, head: str, f: Any, parts: list[Any]) -> None:
        """Record the parts of a sum or product, from which its sign may be inferred later."""
        if not f[0].is_constant():
            self.parts.setdefault(st.facts._monic(f[0])[0], []).append((head, f, parts))

    def infer_from_parts(self, st: RememberingRing, p: Any, want: Any) -> None:
        """Infer the sign of a polynomial from recorded parts of the sum or product it is from."""
        for head, (n, d), parts in self.parts.get(st.facts._monic(p)[0], ()):
            sides = [q for part in (*parts, (n, d)) for q in part if not q.is_constant()]
            for q in sides:
                if q is not n and len(st.facts.possible_signs(q)) > 1:
                    self.learn_sign_of_part(st, q)
            product = st.one
            for _, e in parts:
                product = product * e
            if st.facts.possible_signs(product) != POS:
                continue
            if head == "*":
                rows = [(fmpq(1), [(q, 1) for q, _ in parts] + [(d, 1)])]
            else:
                others = [
                    [(e, 1) for j, (_, e) in enumerate(parts) if j != i] for i in range(len(parts))
                ]
                rows = [
                    (fmpq(1), [(q, 1), (d, 1), *more])
                    for (q, _), more in zip(parts, others, strict=True)
                ]
            rows = [
                (c, [(q, k) for q, k in g if q != 1]) for c, g in rows if all(q != 0 for q, _ in g)
            ]
            try:
                self.learn_sign_from_combination(st, n, rows, product)
            except Rejected:
                continue
            if st.facts.possible_signs(p) <= want:
                return

    def learn_sign_of_part(self, st: RememberingRing, q: Any) -> None:
        """Infer the sharpest sign that a quick search finds for a part of a sum or product."""
        name = ("part", str(q), len(st.facts.all_facts()))
        if name in self.failed or self.depth > 8:
            return
        self.failed.add(name)
        self.depth += 1
        try:
            self.infer_from_parts(st, q, frozenset())
            if len(st.facts.possible_signs(q)) > 1:
                self.infer_signs_of_odd_factors(st, q)
            for want in (
                (POS, NEG, NN, NP)
                if len(st.facts.possible_signs(q)) > 2 and len(q.monoms()) < 12
                else ()
            ):
                if not st.facts.possible_signs(q) <= want:
                    self.infer_quickly(st, q, want)
        finally:
            self.depth -= 1

    def __call__(self, st: Any, p: Any, want: Any) -> None:
        """Search for evidence that a polynomial has a sign, and record it for the log."""
        self.entries = []
        # Signs that are only useful get less effort than the signs that the proof needs.
        share = 0.01 if self.is_brief_here else self.patience
        self.work_limit = min(self.work + share * self.effort, self.total_work_limit)
        self.patience = 0.1
        self.try_to_prove_sign(st, st.facts.reduce(p), want)
        if self.entries:
            self.answers.append([RELATION_OF[want], st.facts.to_json(p), self.entries])

    # -- learned signs with their evidence --------------------------------------------------------

    def learn_comparison(self, st: RememberingRing, kind: str, a: Any, b: Any) -> None:
        """Learn a comparison of two functions or powers, and record it as evidence."""
        st.learn_from_comparison(kind, a, b)
        self.entries.append([kind, st.facts.to_json(a), st.facts.to_json(b)])

    # -- strategies -------------------------------------------------------------------------------

    def try_to_prove_sign(self, st: RememberingRing, p: Any, want: Any) -> bool:
        """Search by all methods for a proof of a sign; return whether the sign is known then."""
        p = st.facts.reduce(p)
        if st.facts.possible_signs(p) <= want:
            return True
        self.work += 5
        if p.is_constant() or self.depth > 4 or self.work > self.work_limit:
            return False
        if want == ZERO:
            return self.try_to_prove_zero(st, p)
        if want == NZ and len(p.factor()[1]) == 1:
            return self.try_to_prove_sign(st, p, POS) or self.try_to_prove_sign(st, p, NEG)
        name = str(p)
        state = (name, want, len(st.facts.all_facts()))
        if (name, want) in self.busy or state in self.failed:
            return False
        self.busy.add((name, want))
        self.depth += 1
        try:
            for rule in (
                self.infer_from_parts, self.learn_sign_up_to_root_factors,
                self.infer_from_shared_factor, self.infer_quickly, self.infer_from_factors,
                self.learn_function_comparisons,
                self.infer_from_ends, self.infer_by_completing_square,
                self.infer_from_combination, self.infer_from_conjugate,
                self.infer_from_multiple,
            ):  # fmt: skip
                with contextlib.suppress(Rejected):
                    rule(st, p, want)
                if st.facts.possible_signs(p) <= want:
                    return True
            self.failed.add(state)
            return False
        finally:
            self.busy.discard((name, want))
            self.depth -= 1

    def try_to_prove_zero(self, st: RememberingRing, p: Any) -> bool:
        """Prove that a polynomial vanishes, from known equations; return whether it worked."""
        facts = [f for f, s in st.facts.all_facts() if s == ZERO]
        for f in facts:
            quotient, rest = divmod(p, f)
            if rest == 0:
                self.learn_sign_from_combination(st, p, [(fmpq(1), [(quotient, 1), (f, 1)])])
                return True
            quotient, rest = divmod(f, p)
            if rest == 0 and self.try_to_prove_sign(st, quotient, NZ):
                # The fact is the polynomial times a factor that does not vanish.
                self.learn_sign_from_combination(
                    st, p, [(fmpq(1), [(f, 1), (quotient, 1)])], quotient**2
                )
                return True
            # The same, if it is only visible after the reduction of roots.
            for g, s in st.facts.all_facts():
                product = st.facts.reduce(g * p) if s <= NZ else st.zero
                c = product.leading_coefficient() if product != 0 else 0
                if c and product == f * (c / f.leading_coefficient()):
                    c = fmpq(c) / fmpq(f.leading_coefficient())
                    self.learn_sign_from_combination(st, p, [(c, [(f, 1), (g, 1)])], g**2)
                    return True
        for i, g in enumerate(st.generators):
            if g[0] == "f" and st.facts.possible_signs(st.x[i]) == ZERO:
                with contextlib.suppress(Rejected):
                    if st.facts.possible_signs(g[2][0]) != ZERO:
                        self.learn_comparison(st, "inverse", st.x[i], st.one)
                        return (
                            self.try_to_prove_zero(st, p)
                            if st.facts.possible_signs(p) != ZERO
                            else True
                        )
        # If facts have a denominator, the product with it is a combination of facts.
        used = set().union(*({i for i, n in enumerate(f.degrees()) if n} for f in facts))
        known = [(st.x[i], st.facts.possible_signs(st.x[i])) for i in sorted(used)]
        for factor in (st.one, *(x if s == POS else x**2 for x, s in known if s <= NZ)):
            rows = self.combine_equations(st, facts, st.facts.reduce(p * factor))
            if rows is not None:
                self.learn_sign_from_combination(st, p, rows, factor)
                return True
        return False

    def learn_sign_up_to_root_factors(self, st: RememberingRing, p: Any, want: Any) -> None:
        """Infer a sign from a known sign of a polynomial that is p up to square-root factors."""
        roots = [st.x[i] for i, _, _ in st.facts.roots]
        roots = [st.one, *(x for x in roots if st.facts.possible_signs(x) == POS)]
        known = [f for f, s in st.facts.all_facts() if s != ANY and len(f) > 2]
        made: dict[Any, Any] = {}
        for f, a in itertools.product(known, roots) if len(roots) > 1 else ():
            q = st.facts.reduce(f * a)
            self.work += 1 + len(q)
            made.setdefault(st.facts._monic(q)[0], (f, a, q.leading_coefficient()))
        for b in roots if made else ():
            q = st.facts.reduce(p * b)
            self.work += 1 + len(q)
            if q != 0 and (name := st.facts._monic(q)[0]) in made:
                f, a, c = made[name]
                c = fmpq(q.leading_coefficient()) / fmpq(c)
                self.learn_sign_from_combination(
                    st, p, [(c, [(f, 1), (a, 1)] if a != 1 else [(f, 1)])], b
                )
                return

    def infer_from_shared_factor(self, st: RememberingRing, p: Any, want: Any) -> None:
        """Infer a sign from a known fact that shares a factor with the polynomial."""
        for f, s in list(st.facts.all_facts()):
            if s == ANY or len(f) < 3:
                continue
            self.work += len(f)
            common = p.gcd(f)
            if len(common) < 3:
                continue
            (mine, _), (other, _) = divmod(p, common), divmod(f, common)
            turn = (
                1
                if self.try_to_prove_sign(st, other, POS)
                else -1
                if self.try_to_prove_sign(st, other, NEG)
                else 0
            )
            if turn:
                self.learn_any_sign(st, mine)
                self.learn_sign_from_combination(
                    st, p, [(fmpq(turn), [(f, 1), (mine, 1)])], turn * other
                )
            if st.facts.possible_signs(p) <= want:
                return

    def infer_from_multiple(self, st: RememberingRing, p: Any, want: Any) -> None:
        """Infer a sign from that of the product with a denominator that cancels in sums of facts.

        1/x <= y and -1/x <= z sum to 0 <= y + z, where x is no more, and each fact is times x.
        """
        if self.depth > 1:
            return
        facts = [f.degrees() for f, s in st.facts.all_facts() if len(f) > 1 and s not in (ANY, NZ)]
        degrees = p.degrees()
        for i, x in enumerate(st.x):
            if any(d[i] > degrees[i] for d in facts) and st.facts.possible_signs(x) == POS:
                multiple = st.facts.reduce(p * x)
                if self.infer_from_combination(st, multiple, want, (1,)):
                    self.learn_sign_from_combination(st, p, [(fmpq(1), [(multiple, 1)])], x)
                    return

    def learn_any_sign(self, st: RememberingRing, f: Any) -> None:
        """Learn the first sign of a polynomial that can be proved, unless one is known."""
        if any(st.facts.possible_signs(f) <= s for s in (POS, NEG, NN, NP, NZ)):
            return
        _ = any(self.try_to_prove_sign(st, f, s) for s in (POS, NEG, NN, NP))

    def infer_from_factors(self, st: RememberingRing, p: Any, want: Any) -> None:
        """Infer the sign of a product from the signs of its factors."""
        _, fs = p.factor()
        if len(fs) == 1 and fs[0][1] == 1:
            return
        is_strict = want in (POS, NEG, NZ)
        signs = (POS, NEG) if is_strict else (POS, NEG, NN, NP)
        for f, n in fs:
            if is_strict or n % 2:
                _ = any(self.try_to_prove_sign(st, f, s) for s in signs)

    def learn_function_comparisons(self, st: RememberingRing, p: Any, want: Any) -> None:
        """Learn comparisons of function values from those of their arguments."""
        exps = [i for i, g in enumerate(st.generators) if g[0] == "exp"]
        used = set(generator_indices_in(p))
        funs = [i for i in used if i < len(st.generators) and st.generators[i][0] == "f"]
        for a, b in itertools.combinations(funs, 2):
            if st.generators[a][1] == st.generators[b][1]:
                u, v = st.generators[a][2], st.generators[b][2]
                for side in (1, -1):
                    w = st.plus(u, (side * v[0], v[1]))
                    self.learn_any_sign(st, st.facts.reduce(w[0] * w[1]))
                with contextlib.suppress(Rejected):
                    self.learn_comparison(st, "increasing", st.x[a], st.x[b])
        monos = {(0,) * len(st.x)}
        for m in p.monoms():
            monos.add(tuple(int(n) if i in exps else 0 for i, n in enumerate(m)))
        monos |= {tuple(int(j == i) for j in range(len(st.x))) for i in exps if i in used}
        made = [st.facts.ring.from_dict({m: 1}) for m in sorted(monos)]
        if len(made) < 9:
            for a, b in itertools.combinations(made, 2):
                w = st.minus(st.exponent(a), st.exponent(b))
                self.learn_any_sign(st, st.facts.reduce(w[0] * w[1]))
                if st.facts.possible_signs(st.facts.reduce(w[0] * w[1])) != ANY:
                    self.learn_comparison(st, "exp", a, b)
            for a in made:
                if a != 1 and want in (NN, NP):
                    self.learn_comparison(st, "tangent", a, st.one)

    def infer_by_completing_square(self, st: RememberingRing, p: Any, want: Any) -> None:
        """Infer the sign of a polynomial, quadratic in one generator, by completing the square."""
        if want in (NZ, ZERO):
            return
        for i, n in enumerate(p.degrees()):
            if n != 2:
                continue
            a, b, c = (_coefficient(st, p, i, k) for k in (2, 1, 0))
            s = 1 if want in (POS, NN) else -1
            if not self.try_to_prove_sign(st, a, POS if s == 1 else NEG):
                continue
            rest = st.facts.reduce(4 * a * c - b * b)
            if rest == 0 or self.try_to_prove_sign(st, rest, POS if want in (POS, NEG) else NN):
                rows = [(fmpq(s), [(2 * a * st.x[i] + b, 2)])]
                if rest != 0:
                    rows.append((fmpq(s), [(rest, 1)]))
                self.learn_sign_from_combination(st, p, rows, 4 * a * s)
                return

    def infer_from_ends(self, st: RememberingRing, p: Any, want: Any) -> None:
        """Infer the sign of a polynomial that is linear in a bounded variable from the two ends."""
        if want in (NZ, ZERO):
            return
        for i in [i for i, n in enumerate(p.degrees()) if n == 1]:
            low = high = None
            for f, s in st.facts.all_facts():
                if generator_indices_in(f) != [i] or f.degrees()[i] != 1:
                    continue
                c = -(f - st.x[i]).leading_coefficient() if f != st.x[i] else fmpq(0)
                if s <= NN:
                    low = c if low is None else max(low, c)
                elif s <= NP:
                    high = c if high is None else min(high, c)
            if low is None or high is None:
                continue
            a, b = (_coefficient(st, p, i, 0) + v * _coefficient(st, p, i, 1) for v in (low, high))
            sign = 1 if want in (POS, NN) else -1
            if not (self.try_to_prove_sign(st, a, want) and self.try_to_prove_sign(st, b, want)):
                continue
            up, down = high - st.x[i], st.x[i] - low
            if want in (NN, NP):
                rows = [(fmpq(1), [(up, 1), (a, 1)]), (fmpq(1), [(down, 1), (b, 1)])]
                self.learn_sign_from_combination(st, p, rows, st.one * (high - low))
            else:
                rows = [(fmpq(sign), [(up, 1), (a, 2)]), (fmpq(sign), [(down, 1), (b, 2)]),
                        (fmpq(sign) * (high - low), [(a, 1), (b, 1)])]  # fmt: skip
                self.learn_sign_from_combination(st, p, rows, sign * (high - low) * (a + b))
            return

    def infer_from_conjugate(self, st: RememberingRing, p: Any, want: Any) -> None:
        """Infer the sign of u + w r, for r a square root, from that of u^2 - w^2 r^2."""
        if want in (NZ, ZERO):
            return
        for i, q, base in st.facts.roots:
            if q != 2 or p.degrees()[i] != 1:
                continue
            u, w = (_coefficient(st, p, i, k) for k in (0, 1))
            if w.is_constant():
                v = u / w.leading_coefficient()
                self.learn_any_sign(st, st.facts.reduce(base - v * v))
                for b in (v, -v):
                    try:
                        self.try_to_prove_sign(st, b, NN)
                        self.learn_comparison(st, "root", st.x[i], b)
                    except Rejected:
                        pass
            else:
                # A root of a number that is at least 1 is at least 1.
                with contextlib.suppress(Rejected):
                    self.learn_any_sign(st, base - 1)
                    self.learn_comparison(st, "root", st.x[i], st.one)
                    self.infer_from_combination(st, p, want)
            if st.facts.possible_signs(p) <= want:
                return
            other = st.facts.reduce(w * st.x[i] - u)
            norm = st.facts.reduce(w * w * base - u * u)
            if norm == 0:
                continue
            for factor, sign in ((other, 1), (-other, -1)):
                if self.try_to_prove_sign(st, factor, POS):
                    self.learn_any_sign(st, norm)
                    if (
                        sign_of_product(st.facts.possible_signs(norm), sign_of_rational(sign))
                        <= want
                    ):
                        self.learn_sign_from_combination(st, p, [(fmpq(sign), [(norm, 1)])], factor)
                        return


def _coefficient(st: RememberingRing, p: Any, i: int, k: int) -> Any:
    """Return the coefficient of the power k of a generator in a polynomial."""
    terms = {(*m[:i], 0, *m[i + 1 :]): c for m, c in p.to_dict().items() if m[i] == k}
    return st.facts.ring.from_dict(terms)

"""Equations between sums, integrals, derivatives and expectations, derived for arithmetic.

A sum or an integral is written as a linear combination of sums or integrals whose terms are in
normal form. A derivative of sums or integrals is evaluated. Two expectations are equal if their
integrands and laws are equal. Such terms are also proved to be defined, or to have a sign.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any

from flint import fmpq

from slrsym.checker import Inference, Rejected
from slrsym.checker.arithmetic import binder_keys_in_facts, learn_relation, relations_in_conjunction
from slrsym.checker.differentiation import evaluate_derivative, special_derivatives_in_premises
from slrsym.checker.expectations import (
    ONE,
    ZERO,
    linear_combination_term,
    product_of_factors,
    sum_of_terms,
)
from slrsym.checker.ring import PARITY, ExponentUnitTooCoarse
from slrsym.checker.sign import NN, NP, POS, generator_indices_in
from slrsym.checker.sign import ZERO as NOTHING
from slrsym.checker.term import (
    Term,
    binder_bodies,
    bound_variables,
    canonical_key,
    definedness_equation,
    free_symbols,
    fresh_symbol,
    is_same_term,
    is_term,
    num,
    parts_outside_binder,
    places_and_subterms,
    replace_parts,
    substitute,
)
from slrsym.checker.theorem import Theorem
from slrsym.prover.tactics.emission import FAILURES, ProofEmitter
from slrsym.prover.tactics.numerical_values import are_surely_different
from slrsym.prover.tactics.orders_of_variables import reordered_expectations
from slrsym.prover.tactics.sign_search import SearchHintRecordingRing, SignSearch
from slrsym.prover.tactics.subterm_paths import body_in_variables, subterms
from slrsym.prover.tactics.traces import trace_of_word

# One normal form may take this fraction, 1/10, of the search effort of a step.
_SHARE = 10
_RANGES = ("sum", "int")
# Proves a relation from hypotheses, theorems and equations for opaque terms.
Arithmetic = Callable[
    [ProofEmitter, Term, Sequence[Term], Sequence[Inference], Sequence[Inference]], Inference
]


def outer_binders(t: Term) -> Iterator[Term]:
    """Yield the sums, integrals, derivatives and expectations in a term, outer ones first."""
    return (s for s in subterms(t) if s[0] in ("sum", "int", "d", "E"))


def ring_with_search(
    size: int, units: dict[Any, Any], search: SignSearch, premises: Sequence[Theorem],
    facts: Sequence[Term],
) -> SearchHintRecordingRing:  # fmt: skip
    """Return a ring that has not learned the facts yet, but knows of which terms they speak."""
    derivatives = special_derivatives_in_premises(premises)
    return SearchHintRecordingRing(size, units, search, derivatives, binder_keys_in_facts(facts))


class BinderEquationSearch:
    """Search for equations between binders that help to prove one relation."""

    def __init__(
        self,
        emitter: ProofEmitter,
        given: Sequence[Term],
        lines: Sequence[Inference],
        arithmetic: Arithmetic,
    ) -> None:
        self.emitter, self.given, self.lines = emitter, tuple(given), list(lines)
        self.arithmetic = arithmetic
        # Each contains only terms that are defined by earlier ones.
        self.found: list[Inference] = []
        self._seen: set[str] = set()

    # -- the search -------------------------------------------------------------------------------

    def equations_for(self, formulas: Iterable[Term]) -> list[Inference]:
        """Return equations for the binders in some formulas, possibly none."""
        nodes = {canonical_key(t): t for p in formulas for t in outer_binders(p)}
        for t in sorted(nodes.values(), key=lambda t: -_height(t)):
            if t[0] == "d":
                self._attempt(self._evaluate_derivative, t)
        nodes |= {
            canonical_key(t): t
            for line in self.found
            for t in outer_binders(line.theorem.conclusion)
        }
        for t in sorted(nodes.values(), key=_height):
            if t[0] in _RANGES:
                self._attempt(self._split_range, t)
        self._equate_expectations([t for t in nodes.values() if t[0] == "E"])
        return self.found

    def _attempt(self, make: Any, *data: Any) -> bool:
        """Run a derivation of equations, undo it if it fails, and return whether it succeeded."""
        mark, seen = len(self.found), set(self._seen)
        try:
            self.emitter.run_and_undo_on_failure(make, *data)
        except FAILURES:
            del self.found[mark:]
            self._seen = seen
            return False
        return True

    def prove_relation(self, p: Term, given: Sequence[Term] | None = None) -> Inference:
        """Prove a relation by arithmetic from hypotheses, known theorems and equations found."""
        given = self.given if given is None else given
        return self.arithmetic(self.emitter, p, given, self.lines, self.found)

    def discharge(self, line: Inference, given: Sequence[Term] | None = None) -> Inference:
        """Discharge those hypotheses of a theorem that arithmetic proves."""
        known = {canonical_key(h) for h in (self.given if given is None else given)}
        known |= {k for other in (*self.lines, *self.found) for k in other.theorem.hypotheses}
        left, proofs = {}, []
        for name, h in line.theorem.hypotheses.items():
            if name in known:
                left[name] = h
            elif h[0] == "forall":
                proofs.append(self._prove_everywhere(h))
            else:
                proofs.append(self._known_definedness(h) or self.prove_relation(h, given))
        for proof in proofs:
            left |= proof.theorem.hypotheses
        if not proofs:
            return line
        return self.emitter.infer_by_logic([line, *proofs], left.values(), line.theorem.conclusion)

    def _known_definedness(self, p: Term) -> Inference | None:
        """Return a proof that a term is defined, from a hypothesis or a theorem; else None."""
        if not (p[0] == "=" and is_same_term(p[1], p[2])):
            return None
        if canonical_key(p) in map(canonical_key, self.given):
            return self.emitter.script.add("assume", (), p)
        for line in (*self.lines, *self.found):
            kind, *sides = line.theorem.conclusion
            for place, side in enumerate(sides if kind == "=" else (), start=1):
                if is_same_term(side, p[1]):
                    return self.emitter.script.add("defined", [line], [place])
        return None

    def _prove_everywhere(self, p: Term) -> Inference:
        """Prove a side condition of a derivative that must hold at all points of a range."""
        ((x,), (body,), _) = p[1:]
        new = fresh_symbol(x, [*free_symbols(p), *free_symbols(("and", *self.given, p))])
        _, between, q = substitute(body, {x: new})
        proofs: list[Inference] = []
        kept: dict[str, Term] = {}
        for case in between[1:] if between[0] == "or" else (between,):
            proofs.append(self.prove_relation(q, (*self.given, *case[1:])))
            supposed = proofs[-1].theorem.hypotheses
            kept |= {
                k: h for k, h in supposed.items() if k not in set(map(canonical_key, case[1:]))
            }
        line = self.emitter.infer_by_logic(proofs, kept.values(), ("implies", between, q))
        return self.emitter.script.add("generalise", [line], new)

    # -- derivatives ------------------------------------------------------------------------------

    def _evaluate_derivative(self, t: Term) -> None:
        """Evaluate a derivative of a term that contains sums or integrals."""
        if not any(part[0] in _RANGES for part in subterms(binder_bodies(t)[0], deep=True)):
            return
        cited = [line for line in self.lines if _is_equation_of_derivative(line)]
        evaluate_derivative(
            t, special_derivatives_in_premises([line.theorem for line in cited]), []
        )
        line = self.emitter.script.add("derivative", cited, t)
        rest = BinderEquationSearch(
            self.emitter, self.given, self._known_theorems(), self.arithmetic
        )
        rest.equations_for([line.theorem.conclusion[2], *line.theorem.hypotheses.values()])
        self.found += rest.found
        line = self.discharge(line)
        self.found.append(line)

    # -- sums and integrals -----------------------------------------------------------------------

    def _split_range(self, t: Term) -> None:
        """Write a sum or an integral as a linear combination of simpler ones."""
        if canonical_key(t) in self._seen or not all(map(is_term, parts_outside_binder(t))):
            return
        self._seen.add(canonical_key(t))
        (x,), (body,), (low, high) = bound_variables(t), binder_bodies(t), parts_outside_binder(t)
        taken = frozenset().union(*map(free_symbols, (*self.given, low, high)), free_symbols(body))
        taken = taken.union(*(free_symbols(line.theorem.conclusion) for line in self.lines))
        new = fresh_symbol(x, [s for s in taken if s != x] + ([x] if self._is_used(x) else []))
        if new != x:
            t = replace_parts((t[0], (new,), *t[2:]), {(2, 0): substitute(body, {x: new})})
            (x,), (body,) = bound_variables(t), binder_bodies(t)
        ordered = t[0] == "sum" or self._are_ordered(low, high)
        around = (("<=", low, x), ("<=", x, high)) if ordered else ()
        within = BinderEquationSearch(
            self.emitter, (*self.given, *around), self._known_theorems(), self.arithmetic
        )
        within.equations_for([body])
        factors, parts = within.coefficients_and_parts(body, x)
        whole = linear_combination_term(factors, parts)
        # A factor may be an inner sum that does not depend on the variable.
        for node in (node for c in factors for node in outer_binders(c)):
            if node[0] in _RANGES:
                self._split_range(node)
        heads = [replace_parts(t, {(2, 0): f}) for f in parts]
        for f, head in zip(parts, heads, strict=True):
            self._prove_range_exists(within, f, head, x)
        if factors == [ONE] and is_same_term(parts[0], body):
            return
        said = within.prove_relation(("=", body, whole))
        line = self.emitter.script.add("linear", [said], t, tuple(factors), tuple(parts))
        self.found.append(self.discharge(line))
        if len(parts) > 1:
            self._prove_range_sign(within, body, t)

    def _is_used(self, x: Term) -> bool:
        """Return whether a variable occurs free in a hypothesis or a known theorem."""
        return any(x in free_symbols(p) for p in self.given) or any(
            x in free_symbols(line.theorem.conclusion) or any(x in free_symbols(h) for h in
                                                      line.theorem.hypotheses.values())
            for line in (*self.lines, *self.found))  # fmt: skip

    def _are_ordered(self, low: Term, high: Term) -> bool:
        """Return whether arithmetic proves that the lower end is at most the upper end."""
        with suppress(*FAILURES):
            self.emitter.run_and_undo_on_failure(self.prove_relation, ("<=", low, high))
            return True
        return False

    def _prove_range_exists(
        self, within: BinderEquationSearch, f: Term, head: Term, x: Term
    ) -> None:
        """Prove that a sum or integral is defined, and derive its sign or constant value."""
        if canonical_key(head) in self._seen and self._known_definedness(
            definedness_equation(head)
        ):
            return
        self._seen.add(canonical_key(head))
        if x not in free_symbols(f):
            self.found.append(self.discharge(self.emitter.script.add("constant", (), head)))
            return
        if self._known_definedness(definedness_equation(head)) is None:
            there = within.prove_relation(definedness_equation(f))
            rule = "under" if head[0] == "sum" else "integral exists"
            self.found.append(self.discharge(self.emitter.script.add(rule, [there], head)))
        self._prove_range_sign(within, f, head)

    def _prove_range_sign(self, within: BinderEquationSearch, f: Term, head: Term) -> None:
        """Prove the sign of a sum or an integral from the sign of its terms."""
        for kind in within.known_signs(f):
            if self._attempt(self._prove_range_sign_of_kind, within, kind, f, head):
                return

    def _prove_range_sign_of_kind(
        self, within: BinderEquationSearch, kind: str, f: Term, head: Term
    ) -> Inference:
        """Prove one comparison of a sum or integral with 0 from that of its terms."""
        positive = kind in ("0<", "0<=")
        sides = (ZERO, f) if positive else (f, ZERO)
        there = within.prove_relation((kind.strip("0"), *sides))
        nothing = replace_parts(head, {(2, 0): ZERO})
        if canonical_key(nothing) not in self._seen:
            self._seen.add(canonical_key(nothing))
            self.found.append(self.discharge(self.emitter.script.add("constant", (), nothing)))
        node = nothing if positive else head
        line = self.discharge(self.emitter.script.add("under", [there], node))
        self.found.append(line)
        return line

    # -- normal forms -----------------------------------------------------------------------------

    def _ring_with_facts(self) -> SearchHintRecordingRing:
        """Return a new ring that has learned the hypotheses and the known theorems."""
        facts = [
            r
            for q in (*self.given, *(line.theorem.conclusion for line in self._known_theorems()))
            for r in relations_in_conjunction(q)
        ]
        search = SignSearch(
            self.emitter.effort // _SHARE,
            max(self.emitter.remaining_effort, self.emitter.effort // 50),
        )
        premises = [line.theorem for line in self._known_theorems()]
        ring = ring_with_search(40, dict(self._units), search, premises, facts)
        first = [
            r for line in self.found for r in relations_in_conjunction(line.theorem.conclusion)
        ]
        for fact in (*first, *facts):
            mark = ring.snapshot()
            try:
                learn_relation(ring, fact)
            except ExponentUnitTooCoarse:
                raise
            except Rejected:
                ring.restore(mark)
        return ring

    _units: dict[Any, Any] = {}

    def _known_theorems(self) -> list[Inference]:
        return [*self.lines, *self.found]

    def normal_form(self, t: Term) -> tuple[SearchHintRecordingRing, Any]:
        """Return the normal form of a term as a quotient of polynomials, with its ring."""
        self._units = {}
        for _ in range(8):
            ring = None
            try:
                ring = self._ring_with_facts()
                return ring, ring.normal_form(t)
            except ExponentUnitTooCoarse:
                self._units = ring.units if ring is not None else {}
        raise Rejected("units of exponents do not settle")

    def known_signs(self, f: Term) -> list[str]:
        """Return the comparisons with zero that are known for a term, the strictest first."""
        try:
            ring, (n, d) = self.normal_form(f)
        except FAILURES:
            return []
        p = ring.facts.reduce(n * d)
        for sign, kinds in ((POS, ["0<", "0<="]), (NN, ["0<="]), (NP, ["<=0"])):
            if ring.facts.possible_signs(p) != NOTHING and ring.has_sign(p, sign):
                return kinds
        return []

    def coefficients_and_parts(self, body: Term, x: Term) -> tuple[list[Term], list[Term]]:
        """Write a term as a sum of parts times factors without x; return factors and parts."""
        ring, (n, d) = self.normal_form(body)
        own = {
            i
            for i, g in enumerate(ring.generators)
            if x in free_symbols(generator_sign_and_term(ring, i)[1])
        }
        c, factors = d.factor()
        d_in, d_out = ring.one, ring.one * c
        for f, k in factors:
            if own & set(generator_indices_in(f)):
                d_in *= f ** int(k)
            else:
                d_out *= f ** int(k)
        groups: dict[Any, dict[Any, Any]] = {}
        for m, c in n.to_dict().items():
            inner = tuple(e if j in own else 0 for j, e in enumerate(m))
            outer = tuple(0 if j in own else e for j, e in enumerate(m))
            groups.setdefault(inner, {})[outer] = c
        pairs = []
        for m, around in groups.items():
            mono, sign = ring.facts.ring.from_dict({m: 1}), 1
            for i, power in enumerate(m):
                sign *= generator_sign_and_term(ring, i)[0] ** int(power) if power else 1
            part = quotient_term(ring, *ring.fraction(sign * mono, d_in))
            outer = sign * ring.facts.ring.from_dict(around)
            factor = quotient_term(ring, *ring.fraction(outer, d_out))
            pairs.append((factor, part))
        pairs.sort(key=lambda pair: canonical_key(pair[1]))
        if not pairs:
            return [ZERO], [ONE]
        return [c for c, _ in pairs], [f for _, f in pairs]

    # -- expectations -----------------------------------------------------------------------------

    def _equate_expectations(self, nodes: Sequence[Term]) -> None:
        """Prove pairs of expectations equal whose integrands and laws are equal."""
        merged: set[str] = set()
        for a, b in itertools.combinations(nodes, 2):
            if {canonical_key(a), canonical_key(b)} & merged:
                continue
            if _may_be_equal(a, b):
                with suppress(*FAILURES):
                    self.found.append(
                        self.emitter.run_and_undo_on_failure(self._prove_expectations_equal, a, b)
                    )
                    merged.add(canonical_key(a))
                    continue
            if self._equate_in_other_order(a, b):
                merged.add(canonical_key(a))

    def _equate_in_other_order(self, a: Term, b: Term) -> bool:
        """Prove two expectations equal whose variables have other orders; return whether it did."""

        def equate(other: Term, forms: Term) -> None:
            self.found.append(self._prove_expectations_equal(a, other))
            line = self.emitter.script.add("image", (), b, forms, parts_outside_binder(other))
            self.found.append(self.discharge(line))

        return any(self._attempt(equate, *pair) for pair in reordered_expectations(a, b))

    def _prove_expectations_equal(self, a: Term, b: Term) -> Inference:
        """Prove that two expectations are equal."""
        names = set(bound_variables(a))
        given = [h for h in self.given if not free_symbols(h) & names]
        body = body_in_variables(b, bound_variables(a))
        if is_same_term(binder_bodies(a)[0], body):
            exists = self._known_definedness(definedness_equation(a))
            if exists is None:
                raise Rejected("an expectation that is not known to exist")
            line = exists
        else:
            lines = [line for line in self.lines if not _mentions(line, names)]
            bodies = BinderEquationSearch(
                self.emitter, given, lines, self.arithmetic
            ).prove_relation(("=", binder_bodies(a)[0], body))
            line = self.discharge(self.emitter.script.add("equal bodies", [bodies], a))
        for j, (law, other) in enumerate(
            zip(parts_outside_binder(a), parts_outside_binder(b), strict=True)
        ):
            for i, (u, v) in enumerate(zip(law[1:], other[1:], strict=True), start=1):
                if isinstance(u, tuple) and not is_same_term(u, v):
                    equal = self.prove_relation(("=", u, v))
                    line = self.emitter.script.add("rewrite", [line, equal], [[2, [3, j], i]])
        return line


def _mentions(line: Inference, names: set[Term]) -> bool:
    """Return whether a theorem or one of its hypotheses contains one of some variables."""
    said = (line.theorem.conclusion, *line.theorem.hypotheses.values())
    return any(free_symbols(p) & names for p in said)


def _may_be_equal(a: Term, b: Term) -> bool:
    """Return whether two expectations may be equal, from numerical values of their parts."""
    kinds, other_kinds = (
        [law[: 2 if law[0] == "gauss" else 1] for law in parts_outside_binder(t)] for t in (a, b)
    )
    if kinds != other_kinds:
        return False
    pairs = [(binder_bodies(a)[0], body_in_variables(b, bound_variables(a)))]
    for law, other in zip(parts_outside_binder(a), parts_outside_binder(b), strict=True):
        start = 2 if law[0] == "gauss" else 1
        pairs += zip(law[start:], other[start:], strict=True)
    return not any(are_surely_different(u, v) for u, v in pairs)


def _is_equation_of_derivative(line: Inference) -> bool:
    """Return whether a theorem without hypotheses states the value of a derivative."""
    p = line.theorem.conclusion
    return p[0] == "=" and p[1][0] == "d" and not line.theorem.hypotheses


def _height(t: Term) -> int:
    return 1 + max((_height(part) for _, part in places_and_subterms(t)), default=0)


# -- terms of polynomials -------------------------------------------------------------------------


def generator_sign_and_term(ring: SearchHintRecordingRing, i: int) -> tuple[int, Term]:
    """Return the term that a generator of the ring stands for, with its sign.

    For an odd function f, f(x) = -f(-x) is written with the argument whose key comes first.
    """
    kind, *data = ring.generators[i]
    if kind == "s":
        return 1, data[0]
    if kind == "pi":
        return 1, ("pi",)
    if kind == "root" and i in ring.between_bars:
        n = ring.between_bars[i]
        return 1, (
            "f",
            "abs",
            min(polynomial_term(ring, n), polynomial_term(ring, -n), key=canonical_key),
        )
    if kind == "root":
        return 1, ("^", 1, data[1], polynomial_term(ring, data[0]))
    if kind == "exp":
        (mono, d), unit = data
        return 1, ("f", "exp", quotient_term(ring, mono * unit, d))
    if kind == "opaque":
        return 1, ring.opaque_terms[data[0]]
    if kind == "dim":
        return 1, ("M.dim", data[0])
    if kind == "tr":
        return 1, trace_of_word(ring, data[0])
    if kind == "h":
        return 1, ("M.h", data[0], ring.vectors[data[1]])
    name, *arguments = data
    sign, values = 1, []
    parity = PARITY.get(name, (0,) * len(arguments))
    for (n, d), p in zip(arguments, parity, strict=True):
        value, other = quotient_term(ring, n, d), quotient_term(ring, -n, d)
        turned = p != 0 and canonical_key(other) < canonical_key(value)
        values.append(other if turned else value)
        sign *= p if turned else 1
    words = name.split(" ", 2)
    if len(words) == 1:
        return sign, ("f", name, *values)
    if len(words) == 2:
        return sign, ("ix", *words, *values)
    orders = tuple(int(n) for n in words[2].strip("()").split(",") if n.strip())
    return sign, ("u", words[0], words[1], orders, *values)


def polynomial_term(ring: SearchHintRecordingRing, p: Any) -> Term:
    """Return the term that a polynomial in generators stands for."""
    terms = []
    for m, c in p.to_dict().items():
        c, powers = fmpq(c), []
        for i, n in enumerate(m):
            if n:
                kind, *data = ring.generators[i]
                if kind == "exp":
                    # The exponential of a multiple of the argument, as SymPy writes it.
                    (mono, d), unit = data
                    powers.append(("f", "exp", quotient_term(ring, mono * unit * int(n), d)))
                    continue
                sign, g = generator_sign_and_term(ring, i)
                c *= sign ** int(n)
                powers.append(g if n == 1 else ("^", int(n), 1, g))
        terms.append(product_of_factors(num(int(c.p), int(c.q)), *powers))
    return sum_of_terms(terms)


def quotient_term(ring: SearchHintRecordingRing, n: Any, d: Any) -> Term:
    """Return the term that a quotient of polynomials stands for."""
    if d == 1:
        return polynomial_term(ring, n)
    return product_of_factors(polynomial_term(ring, n), ("^", -1, 1, polynomial_term(ring, d)))

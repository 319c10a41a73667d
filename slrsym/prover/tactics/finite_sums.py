"""Theorems on finite sums: empty and adjacent ranges, terms at the ends, changes of the index."""

from __future__ import annotations

from collections.abc import Sequence

from slrsym.checker import Inference, Rejected
from slrsym.checker.expectations import ONE, ZERO, sum_of_terms
from slrsym.checker.term import (
    Term,
    binder_bodies,
    bound_variables,
    canonical_key,
    definedness_equation,
    free_symbols,
    fresh_symbol,
    is_same_term,
    neg,
    num,
    parts_outside_binder,
    substitute,
)
from slrsym.prover.tactics.arithmetic import prove_by_arithmetic, prove_with_given_equations
from slrsym.prover.tactics.binders import BinderEquationSearch, quotient_term
from slrsym.prover.tactics.emission import FAILURES, ProofEmitter

# A range of a known number of terms is written out up to this number.
_MOST_TERMS = 24
# The share, 1/10, of the search effort of a step that one relation may take.
_SHARE = 10
_N: Term = ("s", "n", "Z>=0")


def sum_over(i: Term, body: Term, low: Term, high: Term) -> Term:
    """Return the sum of the values of a term for all values of an index between two ends."""
    return ("sum", (i,), (body,), (low, high))


def plus_number(t: Term, k: int) -> Term:
    """Return the sum of a term and an integer."""
    return ("+", t, num(k)) if k else t


class FiniteSums:
    """Theorems on finite sums under hypotheses, proved one by one."""

    def __init__(
        self, emitter: ProofEmitter, given: Sequence[Term], lines: Sequence[Inference] = ()
    ) -> None:
        self.emitter, self.given, self.lines = emitter, tuple(given), list(lines)
        self._taken = frozenset().union(
            *map(free_symbols, given), *(free_symbols(line.theorem.conclusion) for line in lines)
        )
        self._existing: dict[str, Inference] = {}

    def under(self, *more: Term) -> FiniteSums:
        """Return the same under further hypotheses."""
        return FiniteSums(self.emitter, (*self.given, *more), self.lines)

    # -- relations of terms -----------------------------------------------------------------------

    def prove(
        self, p: Term, equations: Sequence[Inference] = (), given: Sequence[Term] = ()
    ) -> Inference:
        """Prove a relation by arithmetic under the hypotheses and further ones."""
        effort = self.emitter.effort // _SHARE
        return prove_with_given_equations(
            self.emitter, p, (*self.given, *given), self.lines, equations, effort
        )

    def holds(self, p: Term) -> bool:
        """Return whether arithmetic proves a relation; keep none of the inferences."""
        mark = len(self.emitter.script.lines)
        try:
            self.prove(p)
            return True
        except FAILURES:
            return False
        finally:
            self.emitter.undo_from(mark)

    def normal(self, t: Term) -> Term:
        """Return a term for an index in normal form."""
        search = BinderEquationSearch(self.emitter, (), (), prove_with_given_equations)
        ring, (n, d) = search.normal_form(t)
        return quotient_term(ring, n, d)

    def distance(self, a: Term, b: Term) -> int | None:
        """Return the integer b - a, or None if the difference is no number."""
        t = self.normal(("+", b, neg(a)))
        return t[1] if t[0] == "n" and t[2] == 1 else None

    # -- existence --------------------------------------------------------------------------------

    def with_own_variable(self, node: Term) -> Term:
        """Return a sum whose index occurs free nowhere else."""
        (i,), (body,), ends = bound_variables(node), binder_bodies(node), parts_outside_binder(node)
        new = fresh_symbol(i, list(self._taken.union(*map(free_symbols, ends))))
        return sum_over(new, substitute(body, {i: new}), *ends)

    def exists(self, node: Term) -> Inference:
        """Prove that a sum is defined."""
        key = canonical_key(node)
        if key not in self._existing:
            node = self.with_own_variable(node)
            (i,), (body,), (low, high) = node[1:]
            there = self.prove(definedness_equation(body), (), [("<=", low, i), ("<=", i, high)])
            self._existing[key] = self.discharge(self.emitter.script.add("under", [there], node))
        return self._existing[key]

    def discharge(self, line: Inference) -> Inference:
        """Discharge the hypotheses of a theorem that are not those at hand."""
        own = set(map(canonical_key, self.given))
        own |= {k for other in self.lines for k in other.theorem.hypotheses}
        proofs = []
        for key, h in line.theorem.hypotheses.items():
            if key in own:
                continue
            is_existence = h[0] == "=" and h[1][0] == "sum" and is_same_term(h[1], h[2])
            proofs.append(self.exists(h[1]) if is_existence else self.prove(h))
        return self.emitter.discharge_by(line, proofs) if proofs else line

    # -- ends of ranges ---------------------------------------------------------------------------

    def replace_end(self, line: Inference, path: tuple[object, ...], old: Term) -> Inference:
        """Write an end of a sum in a theorem in normal form."""
        new = self.normal(old)
        if old == new:
            return line
        return self.emitter.rewrite(line, self.prove(("=", old, new)), [path])

    def same_sum(self, node: Term, low: Term, high: Term) -> Inference:
        """Prove that a sum equals the sum between ends that equal its own."""
        line = self.exists(node)
        for j, (old, new) in enumerate(zip(parts_outside_binder(node), (low, high), strict=True)):
            if not is_same_term(old, new):
                line = self.emitter.rewrite(line, self.prove(("=", old, new)), [(2, (3, j))])
        return line

    def empty(self, node: Term) -> Inference:
        """Prove that a sum is 0 whose last index is the one before its first."""
        node = self.with_own_variable(node)
        (i,), (body,), (low, high) = node[1:]
        around = (("<=", low, i), ("<=", i, high))
        above = self.prove(("<", high, i), (), [around[0]])
        order = self.emitter.script.add("order", (), high, i)
        left = {**above.theorem.hypotheses, **{canonical_key(h): h for h in around}}
        nothing = self.emitter.infer_by_logic([above, order], left.values(), ("=", body, ZERO))
        line = self.discharge(self.emitter.script.add("under", [nothing], node))
        zero = self.discharge(self.emitter.script.add("constant", (), sum_over(i, ZERO, low, high)))
        return self.prove(("=", node, ZERO), [zero, line])

    def split_term(self, node: Term, at: Term) -> Inference:
        """Write a sum as the terms before one, this term, and the terms after it."""
        line = self.discharge(self.emitter.script.add("term of a sum", (), node, at))
        _, first, _, last = line.theorem.conclusion[2]
        line = self.replace_end(line, (2, 1, (3, 1)), parts_outside_binder(first)[1])
        return self.replace_end(line, (2, 3, (3, 0)), parts_outside_binder(last)[0])

    def last_term(self, node: Term) -> Inference:
        """Write a sum as that of all terms but the last, plus the last term."""
        line = self.split_term(node, parts_outside_binder(node)[1])
        _, first, term, rest = line.theorem.conclusion[2]
        return self.prove(("=", node, ("+", first, term)), [self.empty(rest), line])

    def first_term(self, node: Term) -> Inference:
        """Write a sum as its first term, plus the sum of the others."""
        line = self.split_term(node, parts_outside_binder(node)[0])
        _, rest, term, others = line.theorem.conclusion[2]
        return self.prove(("=", node, ("+", term, others)), [self.empty(rest), line])

    def written_out(self, node: Term) -> Inference:
        """Write a sum of a known number of terms as these terms."""
        low, high = parts_outside_binder(node)
        count = self.distance(low, plus_number(high, 1))
        if count is None or not 0 <= count <= _MOST_TERMS:
            raise Rejected("no small number of terms")
        if count == 0:
            return self.empty(node)
        line = self.last_term(node)
        rest, term = line.theorem.conclusion[2][1:]
        inner = self.written_out(rest)
        terms = inner.theorem.conclusion[2]
        total = sum_of_terms([*(terms[1:] if terms[0] == "+" else (terms,)), term])
        return self.prove(("=", node, total), [inner, line])

    # -- ranges -----------------------------------------------------------------------------------

    def split_range(self, node: Term, at: Term) -> Inference:
        """Write a sum as the sums of the terms before an index, and from this index on."""
        (i,), (body,), (low, high) = node[1:]
        before = self.normal(plus_number(at, -1))
        parts = (sum_over(i, body, low, before), sum_over(i, body, at, high))
        goal = ("=", node, ("+", *parts))
        there = ("<=", low, before)
        if self.holds(there):
            return self._split_inside(goal, before)
        count = self.normal(("+", at, neg(low)))
        none, some = ("=", count, ZERO), ("<=", ONE, count)
        cases = [
            self.under(none)._split_at_start(goal),
            self.under(some)._split_inside(goal, before),
        ]
        apart = self.natural_number_apart(count)
        return self.emitter.infer_from_cases(
            [*cases, apart], goal, {canonical_key(none), canonical_key(some)}
        )

    def _split_inside(self, goal: Term, before: Term) -> Inference:
        """Split a sum where the first part has a last term."""
        _, node, (_, first, _) = goal
        return self.prove(goal, [self.last_term(first), self.split_term(node, before)])

    def _split_at_start(self, goal: Term) -> Inference:
        """Split a sum where the first part is empty."""
        _, node, (_, first, last) = goal
        line = self.same_sum(node, *parts_outside_binder(last))
        return self.prove(goal, [self.empty(first), self.exists(last), line])

    def natural_number_apart(self, t: Term) -> Inference:
        """Prove that an integer that is not negative is 0, or at least 1."""

        def make() -> Inference:
            def goal(n: Term) -> Term:
                return ("or", ("=", n, ZERO), ("<=", ONE, n))

            more = ("+", _N, ONE)
            base = prove_by_arithmetic(self.emitter, ("=", ZERO, ZERO), ())
            step = prove_by_arithmetic(self.emitter, ("<=", ONE, more), ())
            lines = [
                self.emitter.infer_by_logic([base], (), goal(ZERO)),
                self.emitter.infer_by_logic([step], (), goal(more)),
            ]
            return self.emitter.script.add("induction", lines, _N, goal(_N))

        line = self.emitter.derive_once("a natural number is 0 or at least 1", make)
        line = self.emitter.script.add("instance", [line], ((_N, t),))
        return self.discharge(line)

    # -- changes of the index ---------------------------------------------------------------------

    def change_index(self, node: Term, body: Term, sign: int, shift: Term) -> Inference:
        """Write a sum of f(sign*i + shift) as a sum of f, `body` being f(i) for the sum's i."""
        node = self.with_own_variable(node) if node[1][0] in self._taken else node
        (i,), (old,), (low, high) = node[1:]
        n = fresh_symbol(_N, self._taken.union(*map(free_symbols, (node, body, shift)), {i}))

        def moved(t: Term) -> Term:
            return self.normal(("+", t if sign == 1 else neg(t), shift))

        last = self.normal(("+", low, n, num(-1)))
        ends = (moved(low), moved(last)) if sign == 1 else (moved(last), moved(low))
        goal = ("=", sum_over(i, old, low, last), sum_over(i, body, *ends))
        base = substitute(goal, {n: ZERO})
        lines = [self.prove(base, [self.empty(side) for side in base[1:]])]
        step = substitute(goal, {n: ("+", n, ONE)})
        taken = [
            self.last_term(step[1]),
            self.last_term(step[2]) if sign == 1 else self.first_term(step[2]),
        ]
        lines.append(self.prove(step, [self.emitter.script.add("assume", (), goal), *taken]))
        line = self.emitter.script.add("induction", lines, n, goal)
        count = self.normal(("+", high, neg(low), ONE))
        line = self.discharge(self.emitter.script.add("instance", [line], ((n, count),)))
        for side in (1, 2):
            for j, end in enumerate(parts_outside_binder(line.theorem.conclusion[side])):
                line = self.replace_end(line, (side, (3, j)), end)
        first = self.same_sum(node, *parts_outside_binder(line.theorem.conclusion[1]))
        return self.emitter.script.add("chain", [first, line])

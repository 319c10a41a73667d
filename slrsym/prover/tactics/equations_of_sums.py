"""Search for equations between the finite sums of a statement.

All sums of one term, up to a change of the index, are written by sums over few ranges: terms at the
ends of ranges are singled out, and ranges are split at each other's ends. So sums telescope.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

from slrsym.checker import Inference, Rejected
from slrsym.checker.expectations import (
    ONE,
    ZERO,
    linear_combination_term,
    product_of_factors,
    sum_of_terms,
)
from slrsym.checker.term import (
    RELATIONS,
    Term,
    binder_bodies,
    bound_variables,
    canonical_key,
    free_symbols,
    is_same_term,
    neg,
    num,
    parts_outside_binder,
    substitute,
)
from slrsym.prover.rules.context import Context
from slrsym.prover.tactics.arithmetic import prove_with_given_equations
from slrsym.prover.tactics.binders import BinderEquationSearch
from slrsym.prover.tactics.emission import FAILURES, ProofEmitter
from slrsym.prover.tactics.finite_sums import FiniteSums, plus_number, sum_over
from slrsym.prover.tactics.numerical_values import are_values_close, value_with_unknown_functions
from slrsym.prover.tactics.registration import register_prover
from slrsym.prover.tactics.subterm_paths import subterms

# The largest number of ranges of one term that are related with each other.
_MOST_RANGES = 24


@dataclass
class _Range:
    """A sum over a range of indices, as one of the common term of a group of sums."""

    node: Term
    line: Inference | None


class SumEquationSearch:
    """Search for equations between the finite sums in some formulas."""

    def __init__(self, sums: FiniteSums) -> None:
        self.sums, self.emitter = sums, sums.emitter
        self.found: list[Inference] = []

    def _attempt(self, make: Callable[[], Inference]) -> Inference | None:
        """Return the theorem that a method proves; None if it fails."""
        with suppress(*FAILURES):
            return self.emitter.run_and_undo_on_failure(make)
        return None

    def search(self, formulas: Iterable[Term], as_written: bool) -> list[Inference]:
        """Return equations for the sums in some formulas that are outside of all binders.

        Terms are split as they are written, or else multiplied out, with an index that unknown
        functions and sequences have.
        """
        open_ones = [s for p in formulas for s in subterms(p) if s[0] == "sum"]
        parts: dict[str, Term] = {}
        combined, seen = list[Inference](), set[str]()
        while open_ones:
            node = open_ones.pop(0)
            if canonical_key(node) in seen:
                continue
            seen.add(canonical_key(node))
            ways = [partial(self.split_terms, node, as_written)]
            if not as_written:
                ways.append(partial(self._with_plain_index, node))
            line = next(filter(None, map(self._attempt, ways)), None)
            if line is None:
                parts[canonical_key(node)] = node
            else:
                combined.insert(0, line)
                open_ones += [s for s in subterms(line.theorem.conclusion[2]) if s[0] == "sum"]
        related = []
        for group in self._groups(parts.values()):
            related += self._relate(group)
        constants = [
            line
            for node in parts.values()
            if not set(bound_variables(node)) & free_symbols(binder_bodies(node)[0])
            and (line := self._attempt(partial(self._constant, node))) is not None
        ]
        self.found = [*constants, *related, *combined]
        return self.found

    def _constant(self, node: Term) -> Inference:
        return self.sums.discharge(self.emitter.script.add("constant", (), node))

    # -- linear combinations ----------------------------------------------------------------------

    def split_terms(self, node: Term, as_written: bool) -> Inference:
        """Write a sum as a linear combination of sums of the summands of its terms."""
        node = self.sums.with_own_variable(node)
        (i,), (body,), (low, high) = node[1:]
        around = (("<=", low, i), ("<=", i, high))
        within = BinderEquationSearch(
            self.emitter, (*self.sums.given, *around), self.sums.lines, prove_with_given_equations
        )
        within.equations_for([body])
        pairs: dict[str, tuple[list[Term], Term]] = {}
        for summand in body[1:] if body[0] == "+" else (body,):
            if as_written:
                found = [_constant_factor_and_rest(summand, i)]
            else:
                found = list(zip(*within.coefficients_and_parts(summand, i), strict=True))
            for c, f in found:
                pairs.setdefault(canonical_key(f), ([], f))[0].append(c)
        factors = tuple(sum_of_terms(cs) for cs, _ in pairs.values())
        bodies = tuple(f for _, f in pairs.values())
        if factors == (ONE,) and is_same_term(bodies[0], body):
            raise Rejected("it is a single sum")
        said = within.prove_relation(("=", body, linear_combination_term(factors, bodies)))
        line = self.emitter.script.add("linear", [said], node, factors, bodies)
        return self.sums.discharge(line)

    def _with_plain_index(self, node: Term) -> Inference:
        """Change the index of a sum so that an unknown function or sequence has it as argument."""
        node = self.sums.with_own_variable(node)
        (i,), (body,), _ = node[1:]
        changes = list(_indices_of_calls(self.sums, body, i))
        if not changes or any(sign == 1 and shift == ZERO for sign, shift in changes):
            raise Rejected("there is none, or one has it already")
        sign, shift = changes[0]
        # The index of the call is the new one.
        back = ("+", i, neg(shift)) if sign == 1 else ("+", shift, neg(i))
        return self.sums.change_index(node, substitute(body, {i: back}), sign, shift)

    # -- groups of sums of one term ---------------------------------------------------------------

    def _groups(self, nodes: Iterable[Term]) -> Iterator[list[_Range]]:
        """Yield groups of sums whose terms are the same after a change of the index."""
        groups: list[list[_Range]] = []
        for node in nodes:
            if not set(bound_variables(node)) & free_symbols(binder_bodies(node)[0]):
                continue
            for group in groups:
                if (line := self._moved_to(node, group[0].node)) is not None:
                    group.append(_Range(line.theorem.conclusion[2], line))
                    break
            else:
                line = self._attempt(partial(self._normalised, node))
                groups.append([_Range(line.theorem.conclusion[2] if line else node, line)])
        yield from groups

    def _normalised(self, node: Term) -> Inference:
        return self.sums.same_sum(node, *map(self.sums.normal, parts_outside_binder(node)))

    def _moved_to(self, node: Term, other: Term) -> Inference | None:
        """Return an equation of a sum with a sum of the terms of another one, if there is any."""
        (i,), (body,) = bound_variables(node), binder_bodies(node)
        common = substitute(binder_bodies(other)[0], {bound_variables(other)[0]: i})
        for sign, shift in self._changes(node, other):
            index = ("+", i if sign == 1 else neg(i), shift)
            if not _are_close(body, substitute(common, {i: index})):
                continue
            if sign == 1 and shift == ZERO:
                return self._attempt(partial(self._with_terms_of, node, common))
            made = self._attempt(partial(self.sums.change_index, node, common, sign, shift))
            if made is not None:
                return made
        return None

    def _with_terms_of(self, node: Term, common: Term) -> Inference:
        """Write a sum with equal terms, and with its ends in normal form."""
        line = self._normalised(self.sums.with_own_variable(node))
        new = line.theorem.conclusion[2]
        (i,), (body,), (low, high) = new[1:]
        wanted = substitute(common, {bound_variables(node)[0]: i})
        if is_same_term(body, wanted):
            return line
        around = (("<=", low, i), ("<=", i, high))
        same = self.sums.prove(("=", body, wanted), (), around)
        equal = self.sums.discharge(self.emitter.script.add("under", [same], new))
        return self.emitter.script.add("chain", [line, equal])

    def _changes(self, node: Term, other: Term) -> Iterator[tuple[int, Term]]:
        """Yield changes of the index that may turn the terms of one sum into those of another."""
        (low, high), (first, last) = map(parts_outside_binder, (node, other))
        shifts = [ZERO, *(num(k) for k in (1, -1, 2, -2))]
        shifts += [("+", first, neg(low)), ("+", last, neg(high))]
        seen = set()
        for sign, t in [
            *((1, t) for t in shifts),
            *((-1, plus_number(("+", a, b), k)) for a, b in ((low, last), (high, first))
              for k in (0, 1, -1)),
        ]:  # fmt: skip
            shift = self.sums.normal(t)
            if (sign, shift) not in seen:
                seen.add((sign, shift))
                yield sign, shift

    # -- ranges of one group ----------------------------------------------------------------------

    def _relate(self, group: list[_Range]) -> list[Inference]:
        """Return equations that write the sums of a group by sums over few ranges."""
        lines, left = list[Inference](), list[_Range]()
        for own in group:
            line = self._attempt(partial(self.sums.written_out, own.node))
            if line is not None:
                lines.append(line)
            else:
                left.append(own)
        starts = _Points(self.sums, [parts_outside_binder(own.node)[0] for own in left])
        ends = _Points(self.sums, [self._end(own.node) for own in left])
        ranges: dict[str, Term] = {}
        for own in left:
            low, high = starts.outermost(parts_outside_binder(own.node)[0], -1), self._end(own.node)
            last = self.sums.normal(plus_number(ends.outermost(high, 1), -1))
            line, node = self._attempt(partial(self._widened, own.node, low, last)), own.node
            if line is not None:
                lines.append(line)
                node = next(s for s in subterms(line.theorem.conclusion[2]) if s[0] == "sum")
            ranges[canonical_key(node)] = node
        # First what others are written by.
        lines = [*self._split_ranges(ranges), *lines]
        return [*lines, *(own.line for own in group if own.line is not None)]

    def _end(self, node: Term) -> Term:
        """Return the index after the last one of a sum."""
        return self.sums.normal(plus_number(parts_outside_binder(node)[1], 1))

    def _split_ranges(self, ranges: dict[str, Term]) -> list[Inference]:
        """Return equations that split sums at the ends of the others, the finest ones first."""
        cuts = {
            canonical_key(t): t
            for node in ranges.values()
            for t in (parts_outside_binder(node)[0], self._end(node))
        }
        lines, open_ones, seen = list[Inference](), list(ranges.values()), set(ranges)
        while open_ones and len(seen) <= _MOST_RANGES:
            node = open_ones.pop(0)
            for at in cuts.values():
                line = self._attempt(partial(self._split_inside, node, at))
                if line is not None:
                    lines.insert(0, line)
                    parts = line.theorem.conclusion[2][1:]
                    new = [t for t in parts if canonical_key(t) not in seen]
                    seen |= set(map(canonical_key, new))
                    open_ones += new
                    break
        return lines

    def _split_inside(self, node: Term, at: Term) -> Inference:
        """Split a sum at an index between its ends, and refuse if it is not known to be there."""
        low, end = parts_outside_binder(node)[0], self._end(node)
        if is_same_term(at, low) or is_same_term(at, end):
            raise Rejected("nothing is split")
        if not all(map(self.sums.holds, (("<=", low, at), ("<=", at, end)))):
            raise Rejected("the index may lie outside")
        return self.sums.split_range(node, at)

    def _widened(self, node: Term, low: Term, high: Term) -> Inference:
        """Write a sum as one over a wider range, less the terms at its ends."""
        sums = self.sums
        (i,), (body,) = node[1:3]
        first, last = parts_outside_binder(node)
        total, lines = [node], []
        while (sums.distance(low, first) or 0) > 0:
            first = sums.normal(plus_number(first, -1))
            lines.append(sums.first_term(sum_over(i, body, first, last)))
            total.append(neg(lines[-1].theorem.conclusion[2][1]))
        while (sums.distance(last, high) or 0) > 0:
            last = sums.normal(plus_number(last, 1))
            lines.append(sums.last_term(sum_over(i, body, first, last)))
            total.append(neg(lines[-1].theorem.conclusion[2][2]))
        if not lines:
            raise Rejected("it is as wide already")
        wider = sum_over(i, body, first, last)
        total[0] = wider
        return sums.prove(("=", node, ("+", *total)), lines)


class _Points:
    """Ends of ranges, those together that differ by integers."""

    def __init__(self, sums: FiniteSums, points: Iterable[Term]) -> None:
        self.sums, self.points = sums, {canonical_key(t): t for t in points}

    def outermost(self, t: Term, side: int) -> Term:
        """Return the lowest or highest end that differs from a given one by an integer."""
        best, most = self.sums.normal(t), 0
        for point in self.points.values():
            k = self.sums.distance(t, point)
            if k is not None and side * k > side * most:
                best, most = point, k
        return best


def _constant_factor_and_rest(t: Term, i: Term) -> tuple[Term, Term]:
    """Return the product of the factors of a term that are free of an index, and of the others."""
    factors = t[1:] if t[0] == "*" else (t,)
    outer = [f for f in factors if i not in free_symbols(f)]
    return product_of_factors(*outer), product_of_factors(*(f for f in factors if f not in outer))


def _indices_of_calls(sums: FiniteSums, body: Term, i: Term) -> Iterator[tuple[int, Term]]:
    """Yield a sign and a shift for each call that has the index, signed and shifted, in a term."""
    for t in subterms(body):
        last = t[-1] if t[0] in ("ix", "u") else ZERO
        for sign in (1, -1):
            shift = ("+", last, neg(i) if sign == 1 else i)
            if i in free_symbols(last) and i not in free_symbols(sums.normal(shift)):
                yield sign, sums.normal(shift)


def _are_close(a: Term, b: Term) -> bool:
    """Return whether two terms have the same value at a pseudorandom point, or none."""
    x, y = value_with_unknown_functions(a), value_with_unknown_functions(b)
    return x is None or y is None or are_values_close(x, y)


def _prove_by_finite_sums(
    emitter: ProofEmitter, p: Term, given: Sequence[Term], context: Context,
    lines: Sequence[Inference] = (),
) -> Inference:  # fmt: skip
    """Prove a relation from equations between the finite sums in it and in known relations."""
    formulas = [p, *given, *(line.theorem.conclusion for line in lines)]
    if p[0] not in RELATIONS or not any(s[0] == "sum" for q in formulas for s in subterms(q)):
        raise Rejected("no relation with sums")

    def prove(as_written: bool, with_other_binders: bool) -> Inference:
        known, said = list(lines), list(formulas)
        if with_other_binders:
            search = BinderEquationSearch(emitter, given, lines, prove_with_given_equations)
            more = search.equations_for(formulas)
            known += more
            said += [line.theorem.conclusion for line in more]
        sums = SumEquationSearch(FiniteSums(emitter, given, known))
        found = sums.search(said, as_written)
        if not found:
            raise Rejected("no equations between the sums are known")
        return prove_with_given_equations(emitter, p, given, known, found)

    ways = [
        partial(prove, as_written, with_other_binders)
        for with_other_binders in (False, True)
        for as_written in (True, False)
    ]
    return emitter.try_in_turn(ways, "")


register_prover(10, _prove_by_finite_sums)

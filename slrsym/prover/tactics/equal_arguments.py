"""Equal values of functions at arguments that known equations make equal.

Arithmetic knows that f(a) and f(b) are equal only if the normal forms of a and b are. From the
equation a = b, the equation f(a) = f(b) is derived by putting a for b, and given to arithmetic.
This works for any function, also inside sums, integrals, derivatives and expectations.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any

from slrsym.checker import Inference, Rejected
from slrsym.checker.arithmetic import relations_in_conjunction
from slrsym.checker.term import (
    PARAMETERS,
    RELATIONS,
    Term,
    binder_bodies,
    bound_variables,
    canonical_key,
    definedness_equation,
    free_symbols,
    is_bound_place,
    is_same_term,
    places_and_subterms,
    substitute,
)
from slrsym.prover.rules.context import Context
from slrsym.prover.tactics.arithmetic import prove_by_arithmetic, prove_in_context
from slrsym.prover.tactics.emission import FAILURES, ProofEmitter
from slrsym.prover.tactics.registration import register_prover
from slrsym.prover.tactics.subterm_paths import subterms

# Terms whose values arithmetic takes as those of one number or another, by their heads.
_CALLS = ("f", "u", "ix", "d", "E", "sum", "int", "copies")
# The largest number of pairs of calls that are compared for one formula.
_MOST_PAIRS = 60
# The share, 1/20, of the search effort of a step that one equation of arguments may take.
_SHARE = 20


def _is_call(t: Term) -> bool:
    return t[0] in _CALLS or (t[0] == "^" and t[2] != 1)


def _calls(formulas: Iterable[Term]) -> list[Term]:
    """Return the calls in some formulas that stand outside of all binders, inner ones first."""
    found = (s for p in formulas for s in subterms(p, inner_first=True) if _is_call(s))
    return list({canonical_key(s): s for s in found}.values())


def _arguments(t: Term) -> dict[Any, Term]:
    return dict(places_and_subterms(t))


def _is_like(a: Term, b: Term) -> bool:
    """Return whether two terms have the same head, parameters, and kinds of parts."""
    end = 1 + PARAMETERS[a[0]] if a[0] == b[0] else 0
    if a[:end] != b[:end] or _arguments(a).keys() != _arguments(b).keys():
        return False
    return [x[2] for x in bound_variables(a)] == [x[2] for x in bound_variables(b)]


def _in_variables_of(b: Term, a: Term) -> Term:
    """Return a term with the bound variables of another that is like it."""
    if bound_variables(b) == bound_variables(a):
        return b
    names = dict(zip(bound_variables(b), bound_variables(a), strict=True))
    bodies = tuple(substitute(body, names) for body in binder_bodies(b))
    end = 1 + PARAMETERS[b[0]]
    return (*b[:end], bound_variables(a), bodies, b[end + 2])


class _EqualCallSearch:
    """Search for equations between calls, from hypotheses and known theorems."""

    def __init__(
        self, emitter: ProofEmitter, given: Sequence[Term], lines: Sequence[Inference]
    ) -> None:
        self.emitter, self.given, self.lines = emitter, tuple(given), list(lines)
        self.found: list[Inference] = []

    def differences(
        self, a: Term, b: Term, names: frozenset[Term] = frozenset(), top: bool = True
    ) -> Iterator[tuple[tuple[Any, ...], Inference]]:
        """Yield paths in `b`, each with an equation between the parts of `a` and `b` there."""
        if is_same_term(a, b):
            return
        if (top or _is_call(a)) and _is_like(a, b):
            b = _in_variables_of(b, a)
            theirs = _arguments(b)
            for place, part in _arguments(a).items():
                inner = names.union(bound_variables(a)) if is_bound_place(a, place) else names
                for path, line in self.differences(part, theirs[place], inner, False):
                    yield (place, *path), line
            return
        if top or (_is_call(a) and _is_call(b)):
            raise Rejected("they are calls of different functions")
        given = [h for h in self.given if not free_symbols(h) & names]
        lines = [line for line in (*self.lines, *self.found) if not _speaks_of(line, names)]
        effort = self.emitter.effort // _SHARE
        yield (), prove_by_arithmetic(self.emitter, ("=", a, b), given, lines, effort)

    def equation(self, a: Term, b: Term, context: Context) -> Inference:
        """Prove that two calls of one function are equal, argument by argument."""
        b = _in_variables_of(b, a)
        steps = list(self.differences(a, b))
        # In the equation a = a, the right side becomes b, or in b = b the left side a.
        for side, known in ((2, a), (1, b)):
            line = self._defined(known, context)
            if line is not None:
                for path, equation in steps:
                    line = self.emitter.rewrite(line, equation, [(side, *path)])
                return line
        raise Rejected("neither is known to be defined")

    def _defined(self, t: Term, context: Context) -> Inference | None:
        """Return a proof that a call is defined, if one is found."""
        p = definedness_equation(t)
        with suppress(*FAILURES):
            return self.emitter.run_and_undo_on_failure(
                prove_in_context, self.emitter, p, context, (*self.lines, *self.found), self.given
            )
        return self.emitter.find_proof_once(p, context)

    def search(self, formulas: Sequence[Term], context: Context) -> list[Inference]:
        """Return the equations that hold between the calls in some formulas."""
        calls, pairs = _calls(formulas), 0
        merged: set[str] = set()
        for i, b in enumerate(calls):
            for a in calls[:i]:
                if canonical_key(a) in merged or not _is_like(a, b) or pairs >= _MOST_PAIRS:
                    continue
                pairs += 1
                with suppress(*FAILURES):
                    line = self.emitter.run_and_undo_on_failure(self.equation, a, b, context)
                    self.found.append(line)
                    merged.add(canonical_key(b))
                    break
        return self.found


def _speaks_of(line: Inference, names: frozenset[Term]) -> bool:
    said = (line.theorem.conclusion, *line.theorem.hypotheses.values())
    return any(free_symbols(p) & names for p in said)


def _is_equation_of_two_terms(p: Term) -> bool:
    return p[0] == "=" and not is_same_term(p[1], p[2])


def _prove_from_equal_arguments(
    emitter: ProofEmitter, p: Term, given: Sequence[Term], context: Context,
    lines: Sequence[Inference] = (),
) -> Inference:  # fmt: skip
    """Prove a relation from equations between values of functions at equal arguments."""
    said = [*given, *(line.theorem.conclusion for line in lines)]
    facts = [r for q in said for r in relations_in_conjunction(q)]
    if p[0] not in RELATIONS or not any(map(_is_equation_of_two_terms, facts)):
        raise Rejected("no relation, or no equations that it could follow from")
    search = _EqualCallSearch(emitter, given, lines)
    found = search.search([p, *facts], context)
    if not found:
        raise Rejected("no two arguments are known to be equal")
    return prove_in_context(emitter, p, context, [*lines, *found], given)


# After arithmetic, which knows of equal normal forms.
register_prover(7, _prove_from_equal_arguments)

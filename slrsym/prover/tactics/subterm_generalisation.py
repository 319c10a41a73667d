"""Proof by generalisation: large subterms are replaced by symbols, and substituted back later."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from slrsym.checker import Inference, Rejected
from slrsym.checker.term import (
    RELATIONS,
    Term,
    bound_variables,
    canonical_key,
    definedness_equation,
    free_symbols,
    fresh_symbol,
    is_bound_place,
    is_same_term,
    num,
    places_and_subterms,
    replace_parts,
)
from slrsym.prover.rules.context import Context
from slrsym.prover.tactics.arithmetic import (
    opaque_terms,
    search_arithmetic_evidence,
    theorems_on_special_values,
)
from slrsym.prover.tactics.emission import FAILURES, ProofEmitter
from slrsym.prover.tactics.numerical_values import are_values_close, value_at_pseudorandom_point
from slrsym.prover.tactics.registration import register_prover
from slrsym.prover.tactics.subterm_paths import paths_to_subterm, replace_at_path

ZERO = num(0)
# Terms of these kinds have short normal forms.
_LEAVES = ("s", "n", "pi")
# Terms with shorter keys are not replaced; for statements with shorter keys, arithmetic is first.
_LONG, _TOO_LONG = 80, 1500
# The largest number of summands that one symbol replaces.
_FEW = 16


def _prove_with_symbols_for_factors(
    long: bool,
    emitter: ProofEmitter, p: Term, given: Sequence[Term], context: Context,
    lines: Sequence[Inference] = (),
) -> Inference:  # fmt: skip
    """Prove a relation after replacing long factors by symbols, equal factors by the same one."""
    if (len(canonical_key(p)) > _TOO_LONG and not opaque_terms(p)) != long:
        raise Rejected("arithmetic is tried first" if long else "it was tried before")
    facts = _usable_facts(emitter, p, given, lines)
    if _equates_same_function(p):
        return _prove_by_equal_arguments(emitter, p, context)
    # First with sums as factors, then with sums multiplied out.
    with emitter.half_effort():
        try:
            return emitter.run_and_undo_on_failure(
                _prove_abbreviated, emitter, p, facts, context, True, False
            )
        except FAILURES:
            return _prove_abbreviated(emitter, p, facts, context, False, False)


def _prove_from_signs_of_factors(
    emitter: ProofEmitter,
    p: Term,
    given: Sequence[Term],
    context: Context,
    lines: Sequence[Inference] = (),
) -> Inference:
    """Prove an inequality using only the signs of its long factors."""
    if p[0] not in ("<", "<="):
        raise Rejected("no inequality")
    return _prove_abbreviated(
        emitter, p, _usable_facts(emitter, p, given, lines), context, True, True
    )


def _prove_with_symbols_for_summands(
    emitter: ProofEmitter, p: Term, given: Sequence[Term], context: Context,
    lines: Sequence[Inference] = (),
) -> Inference:  # fmt: skip
    """Prove an equation from others after replacing long summands by symbols.

    Summands that occur in the same sums get one symbol, since arithmetic takes few symbols.
    """
    said = [line.theorem.conclusion for line in lines if line.theorem.conclusion[0] == "="]
    if not said or p[0] != "=" or len(canonical_key(p)) < _TOO_LONG:
        raise Rejected("no long equation from others")
    taken = free_symbols(p).union(*map(free_symbols, said))
    sides = [side[1:] if side[0] == "+" else (side,) for q in (p, *said) for side in q[1:]]
    terms, places = dict[str, Term](), dict[str, list[int]]()
    for number, summands in enumerate(sides):
        for t in summands:
            if len(canonical_key(t)) >= _LONG:
                terms[canonical_key(t)] = t
                places.setdefault(canonical_key(t), []).append(number)
    short = [[t for t in summands if canonical_key(t) not in terms] for summands in sides]
    values = dict[Term, Term]()
    for where in dict.fromkeys(map(tuple, places.values())):
        together = [terms[key] for key, numbers in places.items() if tuple(numbers) == where]
        for start in range(0, len(together), _FEW):
            some = together[start : start + _FEW]
            s = fresh_symbol(("s", "w", "R"), taken | set(values))
            values[s] = ("+", *some) if len(some) > 1 else some[0]
            for number in where:
                short[number].append(s)
    ends = [("+", *t) if len(t) > 1 else t[0] for t in short]
    meant, *supposed = [("=", *ends[i : i + 2]) for i in range(0, len(ends), 2)]
    return prove_instance(emitter, meant, supposed, values, lines, context)


def _usable_facts(
    emitter: ProofEmitter, p: Term, given: Sequence[Term], lines: Sequence[Inference]
) -> list[Inference]:
    """Return hypotheses and theorems that are relations; refuse `p` without long factors."""
    if p[0] not in RELATIONS or not any(True for _ in _long_factors(p)):
        raise Rejected("no relation with long factors")
    said = [p, *(line.theorem.conclusion for line in lines)]
    facts = [*lines, *theorems_on_special_values(emitter, said)]
    facts = [line for line in facts if line.theorem.conclusion[0] in RELATIONS]
    return facts + [emitter.script.add("assume", (), h) for h in given if h[0] in RELATIONS]


def _prove_abbreviated(
    emitter: ProofEmitter,
    p: Term,
    facts: Sequence[Inference],
    context: Context,
    sums: bool,
    signs: bool,
) -> Inference:
    """Replace long factors in a relation and in facts by symbols, prove it, substitute back."""
    taken = free_symbols(p).union(*(free_symbols(line.theorem.conclusion) for line in facts))
    symbols = _FactorSymbols(emitter, context, taken, sums, _common_summands(p) if signs else set())
    meant, changed = symbols.abbreviate(p)
    shown, supposed = list[Inference](), []
    others = [(s, t) for s, t in symbols.values.items() if canonical_key(t) not in symbols.common]
    for s, t in others if signs else ():
        for line in _sign_theorems(emitter, t, facts, context):
            kind, low, high = line.theorem.conclusion
            shown.append(line)
            supposed.append((kind, low, s) if high == t else (kind, s, high))
    for line in facts:
        q, swaps = symbols.abbreviate(line.theorem.conclusion)
        for path, equation in swaps:
            line = emitter.rewrite(line, equation, [path])
        shown.append(line)
        supposed.append(q)
    if not symbols.values:
        raise Rejected("no long factors")
    effort = emitter.effort // (10 if sums else 1)
    shown += [equation for _, equation in changed]
    line = prove_instance(emitter, meant, supposed, symbols.values, shown, context, effort)
    for path, equation in changed:
        line = emitter.rewrite(line, equation, [path])
    return line


def prove_instance(
    emitter: ProofEmitter, p: Term, supposed: Sequence[Term], values: Mapping[Term, Term],
    shown: Sequence[Inference], context: Context, effort: int | None = None,
) -> Inference:  # fmt: skip
    """Prove a formula in symbols, instantiate it at terms, and discharge its hypotheses."""
    name, _, *data = search_arithmetic_evidence(
        p, supposed, (), effort or emitter.effort // 10, emitter
    )
    line = emitter.script.add(name, (), *data)
    line = emitter.script.add("instance", [line], tuple(values.items()))
    shown = [*shown, *(_prove_defined(emitter, t, shown, context) for t in values.values())]
    return emitter.discharge_by(line, shown)


def _multiples(t: Term) -> Iterator[tuple[Term, ...]]:
    """Yield products p for which a factor may equal p times another Gaussian density factor."""
    yield ()
    yield (num(-1),)
    yield num(2), ("^", -1, 2, ("pi",))
    yield num(1, 2), ("^", 1, 2, ("pi",))
    if t[:2] == ("f", "erf_second"):
        yield num(-2), t[2]
        yield num(-4), ("^", -1, 2, ("pi",)), t[2]


def _prove_defined(
    emitter: ProofEmitter, t: Term, lines: Sequence[Inference], context: Context
) -> Inference:
    """Prove that a term is defined, because a known theorem contains it or by a search."""
    for line in lines:
        for path in paths_to_subterm(line.theorem.conclusion, t):
            return emitter.script.add("defined", [line], [*path])
    if t[0] == "+":
        with suppress(*FAILURES):
            return emitter.run_and_undo_on_failure(_prove_sum_defined, emitter, t, lines, context)
    exists = emitter.find_proof_once(definedness_equation(t), context)
    if exists is None:
        raise Rejected(f"{emitter.formula_text(definedness_equation(t))} is not shown")
    return exists


def _prove_sum_defined(
    emitter: ProofEmitter, t: Term, lines: Sequence[Inference], context: Context
) -> Inference:
    """Prove that a sum is defined, because known theorems contain its summands."""
    said = [line.theorem.conclusion for line in lines]
    if not all(any(True for q in said for _ in paths_to_subterm(q, part)) for part in t[1:]):
        raise Rejected("no known theorem contains a summand")
    values = dict[Term, Term]()
    for part in t[1:]:
        values[fresh_symbol(("s", "w", "R"), frozenset(values))] = part
    exists = definedness_equation(("+", *values))
    return prove_instance(emitter, exists, [], values, lines, context)


class _FactorSymbols:
    """The symbols that replace long factors, one symbol for all multiples of a factor."""

    def __init__(
        self, emitter: ProofEmitter, context: Context, taken: frozenset[Term], sums: bool,
        common: set[str],
    ) -> None:  # fmt: skip
        self.emitter, self.context, self.taken = emitter, context, taken
        # Whether sums in products are factors or are multiplied out; the keys of further factors.
        self.sums, self.common = sums, common
        # The terms that symbols replace; by key, the replacement of a factor, with the equation if
        # it is a multiple of another factor.
        self.values: dict[Term, Term] = {}
        self._abbreviations: dict[str, tuple[Term, Inference | None]] = {}

    def abbreviate(self, t: Term) -> tuple[Term, list[tuple[Any, Inference]]]:
        """Replace long factors by symbols; return the result and the equations used."""
        short, changed = t, []
        for path, factor in _long_factors(t, self.sums, self.common):
            word, equation = self._abbreviation(factor)
            short = replace_at_path(short, path, word)
            if equation is not None:
                changed.append((path, equation))
        return short, changed

    def _abbreviation(self, t: Term) -> tuple[Term, Inference | None]:
        """Return the replacement of a factor, with an equation if it is a multiple of another."""
        if canonical_key(t) not in self._abbreviations:
            self._abbreviations[canonical_key(t)] = self._as_multiple(t) or (self._symbol(t), None)
        return self._abbreviations[canonical_key(t)]

    def _symbol(self, t: Term) -> Term:
        """Return the symbol that replaces a factor, creating it on the first call."""
        s = next((s for s, v in self.values.items() if is_same_term(v, t)), None)
        if s is None:
            s = fresh_symbol(("s", "w", "R"), self.taken | set(self.values))
            self.values[s] = t
        return s

    def _as_multiple(self, t: Term) -> tuple[Term, Inference] | None:
        """Write a factor as a multiple of an earlier factor, or return None."""
        value = value_at_pseudorandom_point(t)
        for other in self.emitter.factors if value is not None else ():
            if is_same_term(t, other):
                return None
            for factors in _multiples(t):
                equal = ("*", *factors, other) if factors else other
                if are_values_close(value, value_at_pseudorandom_point(equal)):
                    line = self.emitter.find_proof_once(("=", t, equal), self.context)
                    if line is not None:
                        s = self._symbol(other)
                        return ("*", *factors, s) if factors else s, line
        if value is not None:
            self.emitter.factors.append(t)
        return None


def _long_factors(
    t: Term, sums: bool = True, common: Container[str] = (), names: frozenset[Term] = frozenset()
) -> Iterator[tuple[tuple[Any, ...], Term]]:
    """Yield each long factor (root, fraction, function call, sum in a product) with its path.

    Without `sums`, also the factors inside sums that contain none of the bound variables.
    """
    if t[0] in _LEAVES or len(canonical_key(t)) < _LONG:
        return
    if canonical_key(t) in common and not free_symbols(t) & names:
        yield (), t
        return
    if t[0] in (*RELATIONS, "+", "*", *(() if sums else ("sum",))) or t[:2] == ("f", "abs"):
        is_product = t[0] == "*" and sum(a[0] != "n" for a in t[1:]) > 1
        goes_on = dict(places_and_subterms(t))
    elif t[0] == "^" and t[1] > 0 and t[2] == 1:
        is_product, goes_on = True, {3: t[3]}
    elif free_symbols(t) & names:
        return
    else:
        yield (), t
        return
    for place, part in goes_on.items():
        within = names.union(bound_variables(t)) if is_bound_place(t, place) else names
        is_factor = sums and is_product and part[0] == "+" and len(canonical_key(part)) >= _LONG
        if is_factor and not free_symbols(part) & names:
            yield (place,), part
        else:
            found = _long_factors(part, sums, common, within)
            yield from (((place, *path), f) for path, f in found)


def _common_summands(p: Term) -> set[str]:
    """Return the keys of the summands that are on both sides of a relation."""
    a, b = ({canonical_key(t) for t in side[1:]} if side[0] == "+" else set() for side in p[1:])
    return a & b


def _sign_theorems(
    emitter: ProofEmitter, t: Term, facts: Sequence[Inference], context: Context
) -> Iterator[Inference]:
    """Yield theorems on the sign of a factor, and for powers, whether it is at least 1."""
    effort = emitter.effort // 10

    def prove_quickly(p: Term) -> Inference:
        name, _, *data = search_arithmetic_evidence(
            p, (), [line.theorem for line in facts], effort, emitter
        )
        return emitter.script.add(name, facts, *data)

    def compare_with_one() -> Inference:
        x = ("s", "x", "R")
        positive = [("<", ZERO, u) for u in (x, t[3])]
        beside = [_comparison_with_one(u, t[3]) for u in (x, t[3])]
        shown = [prove_quickly(positive[1]), prove_quickly(beside[1])]
        wanted = _comparison_with_one((*t[:3], x), t)
        return prove_instance(
            emitter, wanted, [positive[0], beside[0]], {x: t[3]}, shown, context, effort
        )

    for ways in (
        [partial(prove_quickly, ("<=", ZERO, t)), partial(prove_quickly, ("<=", t, ZERO))],
        [compare_with_one] if t[0] == "^" else [],
    ):
        for way in ways:
            with suppress(*FAILURES):
                yield emitter.run_and_undo_on_failure(way)
                break


def _comparison_with_one(t: Term, like: Term) -> Term:
    """Return the formula that `t` is at least 1 or at most 1, as a related term `like` suggests."""
    value, one = value_at_pseudorandom_point(like), num(1)
    if value is None:
        raise Rejected("it has no value there")
    return ("<=", one, t) if value > 1 else ("<=", t, one)


def _equates_same_function(p: Term) -> bool:
    """Return whether an equation relates two roots, or two values of one function."""
    if p[0] != "=":
        return False
    a, b = p[1:]
    return a[0] in ("^", "f") and a[: len(a) - 1] == b[: len(b) - 1] and a[:2] != ("f", "abs")


def _prove_by_equal_arguments(emitter: ProofEmitter, p: Term, context: Context) -> Inference:
    """Prove f(x) = f(y) by proving x = y."""
    if is_same_term(*p[1:]):
        raise Rejected("whether it is defined is asked")
    (place, x), (_, y) = list(places_and_subterms(p[1]))[-1], list(places_and_subterms(p[2]))[-1]
    equation = emitter.find_proof_once(("=", x, y), context)
    if equation is None:
        raise Rejected("the arguments are not known to be equal")
    # Many functions are defined wherever their arguments are.
    w: Term = ("s", "w", "R")
    f = replace_parts(p[2], {place: w})
    with suppress(*FAILURES):
        total = emitter.run_and_undo_on_failure(
            prove_instance, emitter, definedness_equation(f), [], {w: y}, [equation], context
        )
        return emitter.rewrite(total, equation, [(1, place)])
    # The second term often is replaced by a symbol already, and known to be defined.
    for side, other in ((2, 1), (1, 2)):
        known = emitter.find_proof_once(definedness_equation(p[side]), context)
        if known is not None:
            return emitter.rewrite(known, equation, [(other, place)])
    raise Rejected("neither is known to be defined")


# Long statements are generalised before arithmetic is tried, which costs most where it fails.
register_prover(0, _prove_with_symbols_for_summands)
register_prover(1, partial(_prove_with_symbols_for_factors, True))
register_prover(4, partial(_prove_with_symbols_for_factors, False))
register_prover(5, _prove_from_signs_of_factors)

"""The inference rule `arithmetic`, which proves a relation by normal forms and sign evidence.

Evidence is a list of four parts: how many generators there are; finer units of exponents; the
numbers of the facts that are used, in order; and answers. An answer ``[relation, polynomial,
entries]`` names its question, how a polynomial compares with zero, and lists entries, from each of
which the ring learns a sign; a question that is asked again takes its next answer:

- ``["sign", p, [[c, [[g, n], ...]], ...], f]``: the sign of p, from f p = sum of c times the
  product of g^n, where f > 0;
- ``["exp", a, b]`` and the other comparisons of `Ring.learn_from_comparison`.

Generators are numbered as they are made. A polynomial is a list of ``[coefficient, generator,
exponent, ...]``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flint import fmpq

from slrsym.checker.differentiation import special_derivatives_in_premises
from slrsym.checker.ring import Ring, is_integer_term
from slrsym.checker.sign import (
    NEG,
    POS,
    QUESTIONS,
    SIGNS,
    ZERO,
    Poly,
    Sign,
    SignFacts,
    parse_rational,
    sign_of_product,
)
from slrsym.checker.term import (
    BINDERS,
    RELATIONS,
    Term,
    canonical_key,
    is_bound_place,
    places_and_subterms,
    require,
)
from slrsym.checker.theorem import Theorem, combined_hypotheses, rule


class SignEvidence:
    """Evidence in a proof log for the signs of polynomials that one inference asks for."""

    def __init__(self, data: Any) -> None:
        require(isinstance(data, list), "malformed evidence: the answers are not a list")
        for answer in data:
            require(_is_list_of_length(answer, 3) and answer[0] in QUESTIONS, "malformed answer")
            require(isinstance(answer[2], list), "malformed answer: no list of entries")
        self._data = data
        self._left: dict[tuple[Sign, str], list[Any]] | None = None

    def __call__(self, ring: Ring, p: Poly, sign: Sign) -> None:
        if self._left is None:
            self._left = {}
            for name, q, entries in self._data:
                question = QUESTIONS[name], str(ring.facts.from_json(q))
                self._left.setdefault(question, []).append(entries)
        # Asked again, when more is known, a question may have another answer.
        waiting = self._left.get((sign, str(p)))
        for entry in waiting.pop(0) if waiting else ():
            _learn_sign_from_entry(ring, entry)


def _is_list_of_length(data: Any, length: int) -> bool:
    return isinstance(data, list) and len(data) == length


def _learn_sign_from_entry(ring: Ring, entry: Any) -> None:
    """Derive the sign of a polynomial from one entry of evidence, and store it in the ring."""
    require(isinstance(entry, list) and entry, "malformed entry")
    read = ring.facts.from_json
    if entry[0] != "sign":
        require(_is_list_of_length(entry, 3) and isinstance(entry[0], str), "malformed comparison")
        ring.learn_from_comparison(entry[0], read(entry[1]), read(entry[2]))
        return
    require(_is_list_of_length(entry, 4) and isinstance(entry[2], list), "malformed combination")
    rows = []
    for row in entry[2]:
        require(
            _is_list_of_length(row, 2) and isinstance(row[1], list),
            "malformed row of a combination",
        )
        parts = []
        for part in row[1]:
            require(_is_list_of_length(part, 2), "malformed power in a combination")
            require(type(part[1]) is int and 0 < part[1] < 100, "an exponent is not from 1 to 99")
            parts.append((read(part[0]), part[1]))
        rows.append((parse_rational(row[0]), parts))
    ring.facts.learn_sign_from_combination(read(entry[1]), rows, read(entry[3]))


# -- facts and goals ------------------------------------------------------------------------------


def relations_in_conjunction(p: Term) -> list[Term]:
    """Return the relations in a conjunction; leave out its formulas of other kinds."""
    if p[0] == "and":
        return [r for q in p[1:] for r in relations_in_conjunction(q)]
    return [p] if p[0] in RELATIONS else []


def binder_keys_in_facts(facts: Sequence[Term]) -> frozenset[str]:
    """Return the canonical keys of the binders in facts that no other binder's scope contains."""
    found, left = set(), [t for p in facts for t in p[1:]]
    while left:
        t = left.pop()
        if t[0] in BINDERS:
            found.add(canonical_key(t))
        left += [part for place, part in places_and_subterms(t) if not is_bound_place(t, place)]
    return frozenset(found)


def learn_relation(ring: Ring, p: Term) -> None:
    """Store a known relation in a ring, as a polynomial's sign or an opaque term's value.

    An equation whose left side is an opaque term that was not seen before gives its value.
    """
    ring.is_fact = True
    try:
        if p[0] == "=" and ring.define_by_equation(p[1], p[2]):
            return
        n, d = ring.minus(ring.normal_form(p[1]), ring.normal_form(p[2]))
    finally:
        ring.is_fact = False
    s = ring.facts.possible_signs(d)
    if len(s) == 1:
        ring.facts.learn(n, sign_of_product(SIGNS[p[0]], s))
    else:
        ring.facts.learn(n * d, SIGNS[p[0]])
    if p[0] == "=":
        ring.facts.learn(n, ZERO)


def require_relation_holds(ring: Ring, p: Term) -> None:
    """Refuse a relation, or that a term is an integer, unless a ring's facts show it."""
    if p[0] == "o" and p[1] == "integer":
        require(is_integer_term(p[2]), "the term is not an integer by its form")
        ring.normal_form(p[2])
        return
    require(p[0] in RELATIONS, "the goal is no relation, and says of no term that it is an integer")
    a, b, want = ring.normal_form(p[1]), ring.normal_form(p[2]), SIGNS[p[0]]
    if p[0] == "=" and ring.is_equal(a, b):
        return
    n, d = ring.minus(a, b)
    if ring.sign_of_fraction((n, d)) <= want:
        return
    s = ring.facts.possible_signs(d)
    if p[0] in ("<", "<=") and s != POS:
        n = -n if s == NEG else ring.facts.reduce(n * d)
    ring.require_sign(n, want, "the two sides are not known to compare")


def ring_from_evidence(
    premises: Sequence[Theorem], hypotheses: tuple[Term, ...], evidence: Any
) -> Ring:
    """Return the ring that evidence describes, with the facts in it that the evidence uses."""
    require(_is_list_of_length(evidence, 4), "malformed evidence: expected four parts")
    size, units, use, answers = evidence
    is_size = type(size) is int and 0 < size <= 64
    require(is_size, "malformed evidence: the number of generators is not from 1 to 64")
    require(isinstance(units, list), "malformed evidence: the units are not a list")
    require(isinstance(use, list), "malformed evidence: the facts to use are not a list")
    facts = [
        r
        for q in (*hypotheses, *(t.conclusion for t in premises))
        for r in relations_in_conjunction(q)
    ]
    slopes, defined = special_derivatives_in_premises(premises), binder_keys_in_facts(facts)
    ring = Ring(size, _parse_exponent_units(units, size), SignEvidence(answers), slopes, defined)
    for i in use:
        require(type(i) is int and 0 <= i < len(facts), "malformed evidence: no such fact")
        learn_relation(ring, facts[i])
    return ring


@rule("arithmetic", "ts", "t", "json", premises=None)
def _arithmetic(
    premises: Sequence[Theorem], hypotheses: tuple[Term, ...], p: Term, evidence: Any
) -> Any:
    """Conclude a relation from hypotheses and premises, by normal forms and evidence for signs."""
    require_relation_holds(ring_from_evidence(premises, hypotheses, evidence), p)
    given = combined_hypotheses(premises) | {canonical_key(h): h for h in hypotheses}
    return given.values(), p, ()


def _parse_exponent_units(data: list[Any], size: int) -> dict[Any, fmpq]:
    """Return the units of exponentials in a log's evidence, by monomial and denominator."""
    facts, found = SignFacts(size), {}
    for unit in data:
        require(_is_list_of_length(unit, 3), "malformed unit: expected three parts")
        monomial, below = (facts.hashable_key(facts.from_json(p)) for p in unit[:2])
        found[monomial, below] = parse_rational(unit[2])
        require(found[monomial, below] > 0, "malformed unit: not positive")
    return found

"""Values of unknown functions at vectors that are written in several ways, and their conditions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from slrsym.checker import Inference
from slrsym.checker.differentiation import evaluate_derivative
from slrsym.checker.extensions.matrix_language import shape
from slrsym.checker.extensions.matrix_means import polynomial_in_traces
from slrsym.checker.extensions.matrix_words import (
    Word,
    alphabet_of,
    expand_matrix,
)
from slrsym.checker.term import (
    Term,
    canonical_key,
    is_same_term,
    places_and_subterms,
    replace_parts,
)
from slrsym.prover.tactics.arithmetic import prove_with_given_equations
from slrsym.prover.tactics.emission import FAILURES, ProofEmitter
from slrsym.prover.tactics.matrices import (
    FACTS_OF_FUNCTIONS,
    is_condition_on_matrices,
    prove_matrix_equation,
    sandwich,
)
from slrsym.prover.tactics.matrix_means import search_ring, term_of_trace_polynomial
from slrsym.prover.tactics.subterm_paths import subterms
from slrsym.prover.tactics.traces import matrix_of_word

FUNCTION_HEADS = ("M.h", "M.grad", "M.hess")
# Goals on means of products of many traces have many words.
GENERATORS = 128


def plain_hypotheses(given: Iterable[Term]) -> tuple[Term, ...]:
    """Return the hypotheses that are relations of numbers."""
    return tuple(h for h in given if not is_condition_on_matrices(h))


def settle(emitter: ProofEmitter, line: Inference, given: Sequence[Term]) -> Inference:
    """Discharge the hypotheses which say that terms and matrices are defined, and the like."""
    known = set(map(canonical_key, given))
    proofs = []
    for key, h in line.theorem.hypotheses.items():
        if key in known or h[0] == "M.forall":
            continue
        if h[0] == "M.eq":
            proofs.append(prove_matrix_equation(emitter, h, ()))
        else:
            proofs.append(prove_relation(emitter, h, given))
    return emitter.discharge_by(line, proofs) if proofs else line


def prove_relation(
    emitter: ProofEmitter, p: Term, given: Sequence[Term], lines: Sequence[Inference] = (),
    equations: Sequence[Inference] = (),
) -> Inference:  # fmt: skip
    """Prove a relation by arithmetic, under no hypotheses if it holds without them."""
    plain = plain_hypotheses(given)
    if plain:
        with suppress(*FAILURES):
            return emitter.run_and_undo_on_failure(
                prove_with_given_equations, emitter, p, (), lines, equations
            )
    return prove_with_given_equations(emitter, p, plain, lines, equations)


def parts_of_conjunction(emitter: ProofEmitter, line: Inference) -> list[Inference]:
    """Return the parts of a theorem that is a conjunction, or the theorem itself."""
    p, given = line.theorem.conclusion, line.theorem.hypotheses.values()
    if p[0] != "and":
        return [line]
    parts = [emitter.infer_by_logic([line], given, q) for q in p[1:]]
    return [q for part in parts for q in parts_of_conjunction(emitter, part)]


def function_nodes(t: Term) -> list[Term]:
    """Return the values, gradients and Hessians of unknown functions in a term or formula."""
    found = {canonical_key(s): s for s in subterms(t, deep=True) if s[0] in FUNCTION_HEADS}
    return [*found.values()]


def _replaced(t: Term, vectors: Mapping[str, Term]) -> Term:
    """Return a term in which functions are at other vectors, given by keys of those before."""
    if t[0] in FUNCTION_HEADS and canonical_key(t[2]) in vectors:
        return (*t[:2], vectors[canonical_key(t[2])])
    places = [*places_and_subterms(t)]
    return replace_parts(t, {place: _replaced(part, vectors) for place, part in places})


class EqualVectors:
    """Equations of what functions are at a vector and at an equal one, as facts of arithmetic."""

    def __init__(self, emitter: ProofEmitter, given: Sequence[Term]) -> None:
        self.emitter, self.given = emitter, given
        self.ring = search_ring(GENERATORS)
        # By the key of a vector, the equal one.
        self.vectors: dict[str, Term] = {}

    def equate(self, vector: Term, other: Term) -> None:
        """Say that a vector is written otherwise."""
        if not is_same_term(vector, other):
            self.vectors[canonical_key(vector)] = other

    def equate_all(self, terms: Iterable[Term]) -> None:
        """Say which vectors of functions in some terms are written in several ways."""
        first: dict[Any, Term] = {}
        for node in (n for t in terms for n in function_nodes(t)):
            words = expand_matrix(self.ring, node[2], frozenset())
            form = tuple(sorted((w, str(n), str(d)) for w, (n, d) in words.items() if n != 0))
            self.equate(node[2], first.setdefault((shape(node[2]), form), node[2]))

    def simplified(self, t: Term) -> Term:
        """Return a term with functions at the equal vectors, as a polynomial in traces."""
        replaced = _replaced(t, self.vectors)
        return term_of_trace_polynomial(self.ring, polynomial_in_traces(self.ring, replaced))

    def facts(self, *terms: Term) -> list[Inference]:
        """Return equations of the values and traces in some terms, without hypotheses."""
        found, matrices = [], {}
        alphabet = alphabet_of(self.ring)
        words = {
            w for t in terms for product in polynomial_in_traces(self.ring, t) for w in product
        }
        words |= {data[0] for kind, *data in self.ring.generators if kind == "tr"}
        for node in {canonical_key(n): n for t in terms for n in function_nodes(t)}.values():
            other = self.vectors.get(canonical_key(node[2]))
            if other is None:
                continue
            equal = prove_matrix_equation(self.emitter, ("M.eq", node[2], other), ())
            line = self.emitter.script.add("equal vectors", [equal], node)
            if node[0] == "M.h":
                found.append(line)
            else:
                matrices[alphabet.number(node)] = line
        return found + self._traces(words, matrices)

    def _traces(self, words: set[Word], matrices: Mapping[int, Inference]) -> list[Inference]:
        """Return equations that replace gradients and Hessians in words, one after the other."""
        alphabet, found, seen, left = alphabet_of(self.ring), [], set(words), sorted(words)
        while left:
            word = left.pop()
            for w in (word, alphabet.transpose(word)):
                at = next((i for i, x in enumerate(w) if x in matrices), None)
                if at is None:
                    continue
                line, rest = matrices[w[at]], w[at + 1 :] + w[:at]
                rows, columns = shape(line.theorem.conclusion[1])
                right: Term = matrix_of_word(alphabet, rest) if rest else ("M.id", columns)
                found.append(sandwich(self.emitter, line, rows, right))
                new = alphabet.number(line.theorem.conclusion[2])
                for piece in alphabet.trace_of_word((new, *rest), rows)[0]:
                    if piece not in seen:
                        seen.add(piece)
                        left.append(piece)
                break
        return found

    def slope(self, node: Term) -> Inference:
        """Prove the value of a derivative, with functions at the equal vectors."""
        value = evaluate_derivative(node, {}, [])
        facts = self.facts(value)
        return prove_relation(self.emitter, ("=", node, self.simplified(value)), self.given, facts)


def facts_of_equal_vectors(
    emitter: ProofEmitter, p: Term, given: Sequence[Term]
) -> list[Inference]:
    """Return what functions in a formula are at vectors that are written in several ways."""
    slopes = {canonical_key(t): t for t in subterms(p) if t[0] == "d" and function_nodes(t)}
    values = [evaluate_derivative(t, {}, []) for t in slopes.values()]
    sides = [side for side in p[1:] if side[0] != "d"]
    vectors = EqualVectors(emitter, given)
    vectors.equate_all([*sides, *values])
    return vectors.facts(*sides, *values) if vectors.vectors else []


FACTS_OF_FUNCTIONS.append(facts_of_equal_vectors)

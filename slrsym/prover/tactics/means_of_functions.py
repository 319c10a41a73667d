"""Evidence for steps on means of unknown functions of Gaussian vectors and matrices.

A mean is a linear combination of means of products; explicit factors of a Gaussian matrix are
removed by Stein's lemma, one after the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any

from slrsym.checker import Inference, Rejected
from slrsym.checker.expectations import linear_combination_term, product_of_factors
from slrsym.checker.extensions.matrix_language import shape
from slrsym.checker.extensions.matrix_means import polynomial_in_traces
from slrsym.checker.extensions.matrix_words import (
    Word,
    alphabet_of,
    word_generator,
)
from slrsym.checker.ring import Fraction
from slrsym.checker.sign import generator_indices_in
from slrsym.checker.term import (
    Term,
    binder_bodies,
    bound_variables,
    canonical_key,
    free_symbols,
    is_same_term,
    num,
    replace_parts,
    require,
    substitute,
)
from slrsym.prover.rules.matrix_functions import (
    AveragedRule,
    PoincareOfMatricesRule,
    SteinOfMatricesRule,
)
from slrsym.prover.rules.step import Step
from slrsym.prover.tactics.binders import generator_sign_and_term, quotient_term
from slrsym.prover.tactics.emission import FAILURES, ProofEmitter
from slrsym.prover.tactics.matrices import mean_equation
from slrsym.prover.tactics.matrix_functions import (
    FUNCTION_HEADS,
    GENERATORS,
    EqualVectors,
    function_nodes,
    prove_relation,
    settle,
)
from slrsym.prover.tactics.matrix_means import search_ring
from slrsym.prover.tactics.registration import register_emitter_for_rules
from slrsym.prover.tactics.subterm_paths import subterms
from slrsym.prover.tactics.traces import matrix_of_word, trace_of_word

_ZERO, _ONE = num(0), num(1)
# The place of the derivative in what Stein's lemma and Poincaré's inequality conclude, and of the
# inner mean.
_SLOPE, _INNER = [2, [2, 0], [2, 0]], [2, [2, 0]]


class MeansOfFunctions:
    """Equations for means over Gaussian matrices, of products with unknown functions."""

    def __init__(
        self, emitter: ProofEmitter, given: Sequence[Term], letters: Iterable[Term] = ()
    ) -> None:
        self.emitter, self.given = emitter, given
        # Those whose explicit factors are removed.
        self.letters = frozenset(letters)
        # One for all means, so that equal products are written alike.
        self.ring = search_ring(GENERATORS)
        self.equations: list[Inference] = []
        self._seen: set[Any] = set()

    def prove(self, p: Term, lines: Sequence[Inference] = ()) -> Inference:
        """Prove a relation from known ones, by equations for all means in them."""
        for q in (p, *(line.theorem.conclusion for line in lines)):
            for t in subterms(q):
                if t[0] == "M.E":
                    self.expand(t)
        with suppress(*FAILURES):
            return self.emitter.run_and_undo_on_failure(
                prove_relation, self.emitter, p, self.given, lines, self.equations
            )
        # Values first, so that sums of means are known by them.
        equations = sorted(self.equations, key=lambda line: len(_means_in(line.theorem.conclusion)))
        return prove_relation(self.emitter, p, self.given, lines, equations)

    def expand(self, node: Term) -> None:
        """Find equations that write a mean as a combination of means of products."""
        key = canonical_key(node)
        if key in self._seen:
            return
        self._seen.add(key)
        pairs = self.combination(node)
        parts = [f for _, f in pairs]
        is_itself = pairs[0][0] == _ONE and is_same_term(parts[0], binder_bodies(node)[0])
        if len(pairs) > 1 or not is_itself:
            whole = linear_combination_term([c for c, _ in pairs], parts)
            same = prove_relation(self.emitter, ("=", binder_bodies(node)[0], whole), self.given)
            self.equations.append(self.compare(same, node, pairs))
        for f in parts:
            self._find_mean(replace_parts(node, {(2, 0): f}))

    def compare(
        self, premise: Inference, node: Term, pairs: Sequence[tuple[Term, Term]]
    ) -> Inference:
        """Take the mean of both sides of a relation of a body with a linear combination."""
        exist = [self.exists(replace_parts(node, {(2, 0): f})) for _, f in pairs]
        if premise.theorem.conclusion[0] != "=":
            exist.append(self.exists(node))
        factors, parts = (tuple(side) for side in zip(*pairs, strict=True))
        line = self.emitter.script.add("compare means", [premise], node, factors, parts)
        return self.emitter.discharge_by(line, exist)

    def averaged(self, line: Inference, node: Term) -> Inference:
        """Take the mean of both sides of a relation of numbers, over the variables of a node."""
        _, low, high = line.theorem.conclusion
        body = replace_parts(node, {(2, 0): low})
        pairs = self.combination(node, high)
        whole = linear_combination_term(*(list(side) for side in zip(*pairs, strict=True)))
        same = prove_relation(self.emitter, ("=", high, whole), self.given)
        return self.compare(self.emitter.rewrite(line, same, [[2]]), body, pairs)

    def exists(self, node: Term) -> Inference:
        """Prove that a mean exists."""
        require_tame(self.emitter, node)
        line = self.emitter.script.add("mean exists", (), node)
        return settle(self.emitter, line, self.given)

    def _find_mean(self, node: Term) -> None:
        """Find the value of the mean of a product, or remove an explicit factor from it."""
        key = canonical_key(node)
        (body,), names = binder_bodies(node), bound_variables(node)
        random = frozenset(names)
        if not any(free_symbols(n) & random for n in function_nodes(body)):
            if ("value", key) not in self._seen:
                self._seen.add(("value", key))
                self.equations.append(mean_equation(self.emitter, node))
            return
        if ("stein", key) in self._seen:
            return
        self._seen.add(("stein", key))
        self.equations.append(self.exists(node))
        z = self._explicit_letter(body)
        if z is None:
            return
        for n in function_nodes(body):
            # A Hessian has no derivative: its mean is left as it is.
            if n[0] == "M.hess" and free_symbols(n) & {z}:
                return
        line = self.stein(node, z)
        self.equations.append(line)
        self.expand(line.theorem.conclusion[2])

    def _explicit_letter(self, body: Term) -> Term | None:
        """Return the last letter of the first factor, if Stein's lemma is to remove it."""
        is_product = body[0] == "*" and body[1][0] == "M.tr" and body[1][1][0] == "M.mul"
        z = body[1][1][-1] if is_product else None
        return z if z in self.letters else None

    def stein(self, node: Term, z: Term) -> Inference:
        """Prove what Stein's lemma says of a mean, with all inner means computed."""
        script = self.emitter.script
        line = settle(self.emitter, script.add("stein for matrices", (), node, z), self.given)
        inner = binder_bodies(line.theorem.conclusion[2])[0]
        (slope,) = binder_bodies(inner)
        return self._computed(line, slope, _SLOPE, binder_bodies(node)[0])

    def poincare(self, node: Term) -> Inference:
        """Prove Poincare's inequality for a mean, with all inner means computed."""
        require_tame(self.emitter, node, "poincare")
        script = self.emitter.script
        line = settle(self.emitter, script.add("poincare for matrices", (), node), self.given)
        (square,) = binder_bodies(binder_bodies(line.theorem.conclusion[2])[0])
        return self._computed(line, square[3], [*_SLOPE, 3], binder_bodies(node)[0])

    def _computed(self, line: Inference, slope: Term, path: Sequence[Any], body: Term) -> Inference:
        """Put values for a derivative and for the inner mean in a theorem."""
        (s,), (moved,) = bound_variables(slope), binder_bodies(slope)
        vectors = EqualVectors(self.emitter, self.given)
        # Nodes of the moved body are those of the body, in the same order.
        for n, m in zip(_nodes_in_order(body), _nodes_in_order(moved), strict=True):
            vectors.equate(substitute(m[2], {s: _ZERO}), n[2])
        line = self.emitter.rewrite(line, vectors.slope(slope), [path])
        inner = binder_bodies(line.theorem.conclusion[2])[0]
        return self.emitter.rewrite(line, mean_equation(self.emitter, inner), [_INNER])

    # -- products ---------------------------------------------------------------------------------

    def combination(self, node: Term, of: Term | None = None) -> list[tuple[Term, Term]]:
        """Return factors without variables of a mean, and products, that add up to its body."""
        random = frozenset(bound_variables(node))
        ring = self.ring
        body = binder_bodies(node)[0] if of is None else of
        found: dict[tuple[tuple[Word, ...], tuple[tuple[int, int], ...]], Fraction] = {}
        for product, (n, d) in polynomial_in_traces(ring, body).items():
            inside = tuple(w for w in product if self._is_random_word(w, random))
            for m, c in n.to_dict().items():
                powers = [(i, int(k)) for i, k in enumerate(m) if k]
                mixed = tuple(p for p in powers if self._is_random(p[0], random))
                factor = (ring.facts.ring.constant(c), d)
                for i, k in powers:
                    if (i, k) not in mixed:
                        factor = ring.times(factor, (ring.x[i] ** k, ring.one))
                for w in product:
                    if w not in inside:
                        factor = ring.times(factor, word_generator(ring, w))
                key = (inside, mixed)
                found[key] = ring.plus(found[key], factor) if key in found else factor
            is_fixed = not any(self._is_random(i, random) for i in generator_indices_in(d))
            require(is_fixed, "a denominator is random; its mean has no rule")
        pairs = [
            (quotient_term(ring, *c), self._product(*key))
            for key, c in found.items() if ring.facts.reduce(c[0]) != 0
        ]  # fmt: skip
        return pairs or [(_ZERO, _ONE)]

    def _is_random_word(self, word: Word, random: frozenset[Term]) -> bool:
        letters = alphabet_of(self.ring).letter
        return any(free_symbols(letters[x]) & random for x in word)

    def _is_random(self, i: int, random: frozenset[Term]) -> bool:
        return bool(free_symbols(generator_sign_and_term(self.ring, i)[1]) & random)

    def _product(self, words: Sequence[Word], powers: Sequence[tuple[int, int]]) -> Term:
        """Return a product of traces and values; an explicit letter to be removed is first."""
        ring, alphabet = self.ring, alphabet_of(self.ring)
        factors = []
        for i, k in powers:
            _, g = generator_sign_and_term(ring, i)
            factors.append(g if k == 1 else ("^", k, 1, g))
        for number, word in enumerate(words):
            for w in (word, alphabet.transpose(word)):
                at = next((i for i, x in enumerate(w) if alphabet.letter[x] in self.letters
                           and x == alphabet.number(alphabet.letter[x])), None)  # fmt: skip
                if at is None:
                    continue
                rest, z = w[at + 1 :] + w[:at], alphabet.letter[w[at]]
                p: Term = matrix_of_word(alphabet, rest) if rest else ("M.id", shape(z)[0])
                others = [trace_of_word(ring, v) for k, v in enumerate(words) if k != number]
                rest_of_body = product_of_factors(*others, *factors)
                return "*", ("M.tr", ("M.mul", p, z)), rest_of_body
        return product_of_factors(*(trace_of_word(ring, w) for w in words), *factors)


def _nodes_in_order(t: Term) -> list[Term]:
    """Return the functions in a term in the order in which it is read, with repetitions."""
    return [s for s in subterms(t, deep=True) if s[0] in FUNCTION_HEADS]


def require_tame(emitter: ProofEmitter, node: Term, of: str = "") -> None:
    """Refuse, in the user's words, a mean of what may grow too fast, or has no derivative."""
    random = frozenset(bound_variables(node))
    for t in subterms(binder_bodies(node)[0], deep=True):
        if not free_symbols(t) & random:
            continue
        if of and t[0] == "M.hess":
            raise Rejected("a Hessian at a random vector has no derivative")
        is_quotient = t[0] == "^" and not (t[1] > 0 and t[2] == 1)
        if t[0] == "f" or t[0] in ("u", "ix") or is_quotient:
            raise Rejected(
                f"{emitter.formula_text(('=', t, t)).removeprefix('the existence of ')} is random "
                "and no polynomial in traces and in values of unknown functions, so that its mean "
                "may not exist"
            )


def _means_in(p: Term, letter: Term | None = None) -> list[Term]:
    nodes = {canonical_key(t): t for t in subterms(p) if t[0] == "M.E"}
    return [n for n in nodes.values() if letter is None or letter in bound_variables(n)]


@register_emitter_for_rules(SteinOfMatricesRule)
def _emit_stein(emitter: ProofEmitter, step: Step, premises: Sequence[Inference]) -> Inference:
    """Prove a relation of means, from which explicit factors of some matrices are removed."""
    rule: Any = step.rule
    p, given = emitter.formula(step.statement), emitter.hypotheses(step.context)
    letters = [emitter.term(x) for x in rule.letters]
    for x in letters:
        require(_means_in(p, x), f"there is no mean over {x[1]} in it")
    return MeansOfFunctions(emitter, given, letters).prove(p)


@register_emitter_for_rules(PoincareOfMatricesRule)
def _emit_poincare(emitter: ProofEmitter, step: Step, premises: Sequence[Inference]) -> Inference:
    """Bound the variance of a function of Gaussian matrices by the mean of its squared slope."""
    rule: Any = step.rule
    p, given = emitter.formula(step.statement), emitter.hypotheses(step.context)
    of = emitter.term(rule.of)
    laws: dict[str, Term] = {}
    for node in _means_in(p):
        if free_symbols(of) & set(bound_variables(node)):
            changed = replace_parts(node, {(2, 0): of})
            laws[canonical_key(changed)] = changed
    require(laws, "there is no mean over a matrix of the function in it")
    means = MeansOfFunctions(emitter, given)
    return means.prove(p, [means.poincare(node) for node in laws.values()])


@register_emitter_for_rules(AveragedRule)
def _emit_averaged(emitter: ProofEmitter, step: Step, premises: Sequence[Inference]) -> Inference:
    """Take the mean of a bound, which is proved or which a hypothesis says of all matrices."""
    rule: Any = step.rule
    p, given = emitter.formula(step.statement), emitter.hypotheses(step.context)
    value = emitter.term(rule.at)
    line = premises[0] if premises else _specialised(emitter, rule.bound, value, given)
    kind = line.theorem.conclusion[0]
    require(kind in ("<=", "<", "="), "the bound is no relation of numbers")
    means = MeansOfFunctions(emitter, given)
    found = [means.averaged(line, n) for n in _means_in(p)
             if free_symbols(value) & set(bound_variables(n))]  # fmt: skip
    require(found, "there is no mean over the matrix in it")
    return means.prove(p, found)


def _specialised(
    emitter: ProofEmitter, hypothesis: Any, value: Term, given: Sequence[Term]
) -> Inference:
    """Return what a hypothesis for all matrices says of a value."""
    everywhere = emitter.formula(hypothesis)
    require(canonical_key(everywhere) in map(canonical_key, given), "the bound is no hypothesis")
    line = emitter.script.add("assume", (), everywhere)
    return settle(emitter, emitter.script.add("specialise letters", [line], (value,)), given)

"""Evidence for steps on unknown functions of vectors: on lines, and under Gaussian means.

A mean is a linear combination of means of products; explicit factors of a Gaussian matrix are
removed by Stein's lemma, one after the other. What a function is at the end of a line, or at the
point at which a derivative is taken, is known from equations of vectors.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from slrsym.checker import Inference, Rejected
from slrsym.checker.differentiation import evaluate_derivative
from slrsym.checker.expectations import linear_combination_term, product_of_factors, sum_of_terms
from slrsym.checker.extensions.matrix_language import shape
from slrsym.checker.extensions.matrix_means import polynomial_in_traces
from slrsym.checker.extensions.matrix_words import (
    Word,
    alphabet_of,
    expand_matrix,
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
    places_and_subterms,
    replace_parts,
    require,
    substitute,
)
from slrsym.prover.rules.matrix_functions import (
    AveragedRule,
    PoincareOfMatricesRule,
    SteinOfMatricesRule,
    TangentPlaneRule,
)
from slrsym.prover.rules.step import Step
from slrsym.prover.tactics.arithmetic import prove_with_given_equations
from slrsym.prover.tactics.binders import generator_sign_and_term, quotient_term
from slrsym.prover.tactics.emission import FAILURES, ProofEmitter
from slrsym.prover.tactics.matrices import (
    FACTS_OF_FUNCTIONS,
    is_condition_on_matrices,
    mean_equation,
    prove_matrix_equation,
    sandwich,
)
from slrsym.prover.tactics.matrix_means import search_ring, term_of_trace_polynomial
from slrsym.prover.tactics.registration import register_emitter_for_rules
from slrsym.prover.tactics.subterm_paths import subterms
from slrsym.prover.tactics.traces import matrix_of_word, trace_of_word

FUNCTION_HEADS = ("M.h", "M.grad", "M.hess")
_ZERO, _ONE = num(0), num(1)
# Goals on means of products of many traces have many words.
_GENERATORS = 128
# The place of the derivative in what Stein's lemma and Poincaré's inequality conclude, and of the
# inner mean.
_SLOPE, _INNER = [2, [2, 0], [2, 0]], [2, [2, 0]]


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


# -- functions at equal vectors --------------------------------------------------------------------


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
        self.ring = search_ring(_GENERATORS)
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


# -- means -----------------------------------------------------------------------------------------


class MeansOfFunctions:
    """Equations for means over Gaussian matrices, of products with unknown functions."""

    def __init__(
        self, emitter: ProofEmitter, given: Sequence[Term], letters: Iterable[Term] = ()
    ) -> None:
        self.emitter, self.given = emitter, given
        # Those whose explicit factors are removed.
        self.letters = frozenset(letters)
        # One for all means, so that equal products are written alike.
        self.ring = search_ring(_GENERATORS)
        self.equations: list[Inference] = []
        self._seen: set[Any] = set()

    def prove(self, p: Term, lines: Sequence[Inference] = ()) -> Inference:
        """Prove a relation from known ones, by equations for all means in them."""
        for q in (p, *(line.theorem.conclusion for line in lines)):
            for t in subterms(q):
                if t[0] == "M.E":
                    self.expand(t)
        return prove_relation(self.emitter, p, self.given, lines, self.equations)

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


# -- lines -----------------------------------------------------------------------------------------


class Line:
    """The line from a vector x to a vector y, at x + t (y - x) for a number t."""

    def __init__(self, emitter: ProofEmitter, given: Sequence[Term], x: Term, y: Term) -> None:
        self.emitter, self.given, self.x, self.y = emitter, given, x, y
        taken = free_symbols(x) | free_symbols(y)
        taken = taken.union(*map(free_symbols, given))
        name = "t"
        while any(s[1] == name for s in taken):
            name += "'"
        self.t: Term = ("s", name, "R")
        self.v: Term = ("M.add", y, ("M.scale", num(-1), x))
        self.ends = EqualVectors(emitter, given)
        self.ends.equate(self.at(_ZERO), x)
        self.ends.equate(self.at(_ONE), y)

    def at(self, t: Term) -> Term:
        return "M.add", self.x, ("M.scale", t, self.v)

    def specialised(self, everywhere: Term) -> Inference:
        """Return what a hypothesis on all vectors says of a point of the line."""
        assumed = self.emitter.script.add("assume", (), everywhere)
        line = self.emitter.script.add("specialise letters", [assumed], (self.at(self.t),))
        return settle(self.emitter, line, self.given)

    def facts(self, everywhere: Term) -> list[Inference]:
        """Return how functions at y compare with tangent planes at x, by bounds of Hessians."""
        known = self.specialised(everywhere)
        p, given = known.theorem.conclusion, known.theorem.hypotheses.values()
        lines = [known] if p[0] != "and" else [
            self.emitter.infer_by_logic([known], given, q) for q in p[1:]]  # fmt: skip
        found: list[Inference] = []
        for line in lines:
            if line.theorem.conclusion[0] == "M.psd":
                found += self._beside_tangent(line)
        return found

    def _beside_tangent(self, known: Inference) -> list[Inference]:
        """Return f(0) + f'(0) <= f(1) for the f with f'' = v'P v, from P semidefinite."""
        emitter, script, t = self.emitter, self.emitter.script, self.t
        matrix = known.theorem.conclusion[1]
        outer: Term = ("M.mul", self.v, ("M.T", self.v))
        square = settle(emitter, script.add("semidefinite", (), outer), self.given)
        fact = script.add("trace of semidefinite", (), matrix, outer)
        fact = emitter.discharge_by(fact, [known, square])
        f = self.integrated(matrix)
        bend = ("d", (2,), (t,), (f,), (t,))
        convex = prove_relation(emitter, ("<=", _ZERO, bend), self.given, [fact])
        above = settle(emitter, script.add("tangent", [convex], _ZERO, _ONE), self.given)
        slope = ("d", (1,), (t,), (f,), (_ZERO,))
        values = [substitute(f, {t: end}) for end in (_ZERO, _ONE)]
        return [above, *self.ends.facts(*values, evaluate_derivative(slope, {}, []))]

    def integrated(self, matrix: Term) -> Term:
        """Return the f of t with f'' = v'P v, for a sum P of constants and of Hessians."""
        terms = []
        for part in self._summands(matrix):
            factor, inner = part
            if inner[0] == "M.hess" and is_same_term(inner[2], self.at(self.t)):
                terms.append(product_of_factors(factor, ("M.h", *inner[1:])))
                continue
            free = free_symbols(inner) | free_symbols(factor)
            require(self.t not in free, "the bound of the Hessian depends on the vector")
            form = ("M.tr", ("M.mul", ("M.T", self.v), inner, self.v))
            terms.append(product_of_factors(num(1, 2), factor, ("^", 2, 1, self.t), form))
        return sum_of_terms(terms)

    def _summands(self, matrix: Term) -> list[tuple[Term, Term]]:
        """Return the summands of a matrix, each as a factor and a matrix."""
        if matrix[0] == "M.add":
            return [pair for part in matrix[1:] for pair in self._summands(part)]
        if matrix[0] == "M.scale":
            return [(product_of_factors(matrix[1], c), m) for c, m in self._summands(matrix[2])]
        return [(_ONE, matrix)]


# -- rules -----------------------------------------------------------------------------------------


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
    """Take the mean of a bound that a hypothesis says of all matrices."""
    rule: Any = step.rule
    p, given = emitter.formula(step.statement), emitter.hypotheses(step.context)
    everywhere, value = emitter.formula(rule.hypothesis), emitter.term(rule.at)
    require(canonical_key(everywhere) in map(canonical_key, given), "the bound is no hypothesis")
    line = emitter.script.add("assume", (), everywhere)
    line = settle(emitter, emitter.script.add("specialise letters", [line], (value,)), given)
    kind = line.theorem.conclusion[0]
    require(kind in ("<=", "<", "="), "the hypothesis is no relation of numbers")
    means = MeansOfFunctions(emitter, given)
    found = [means.averaged(line, n) for n in _means_in(p)
             if free_symbols(value) & set(bound_variables(n))]  # fmt: skip
    require(found, "there is no mean over the matrix in it")
    return means.prove(p, found)


@register_emitter_for_rules(TangentPlaneRule)
def _emit_tangent_plane(
    emitter: ProofEmitter, step: Step, premises: Sequence[Inference]
) -> Inference:
    """Compare a function at a vector with its tangent plane at another one."""
    rule: Any = step.rule
    p, given = emitter.formula(step.statement), emitter.hypotheses(step.context)
    found: list[Inference] = []
    for pair in rule.lines:
        line = Line(emitter, given, *map(emitter.term, pair.args))
        for h in given:
            if h[0] == "M.forall" and any(n[0] == "M.hess" for n in function_nodes(h)):
                found += line.facts(h)
    require(found, "no hypothesis bounds a Hessian at all vectors, such as Convex or Smooth")
    return prove_relation(emitter, p, given, found)

"""Evidence for steps on matrices of free size: means, traces, semidefinite matrices.

Conditions are found by the form of a matrix. Equations of matrices enter a proof by the traces of
both sides within a product; which products are of use is read off the words of the goal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from flint import fmpq, fmpq_mat

from slrsym.checker import Inference, Rejected
from slrsym.checker.extensions.matrix_language import shape
from slrsym.checker.extensions.matrix_means import (
    Product,
    mean_body_as_polynomial,
    polynomial_in_traces,
    value_of_mean,
)
from slrsym.checker.extensions.matrix_words import (
    Alphabet,
    Word,
    add_to_sum,
    alphabet_of,
    expand_matrix,
    product_of_fractions,
    word_generator,
)
from slrsym.checker.ring import Fraction
from slrsym.checker.term import (
    Term,
    canonical_key,
    free_symbols,
    fresh_symbol,
    is_same_term,
    num,
    require,
)
from slrsym.prover.rules.context import Context
from slrsym.prover.rules.matrices import (
    DefiniteTraceRule,
    IsserlisRule,
    PositiveTracesRule,
    TraceAlgebraRule,
)
from slrsym.prover.rules.step import Step
from slrsym.prover.tactics.arithmetic import prove_with_given_equations
from slrsym.prover.tactics.emission import FAILURES, ProofEmitter
from slrsym.prover.tactics.matrix_means import search_ring, term_of_trace_polynomial
from slrsym.prover.tactics.registration import register_emitter_for_rules, register_prover
from slrsym.prover.tactics.sign_search import SearchHintRecordingRing
from slrsym.prover.tactics.subterm_paths import subterms
from slrsym.prover.tactics.traces import matrix_of_word

_ZERO = num(0)
# How many equations are tried, and in how many rounds words of new ones are looked at.
_MOST_EQUATIONS, _ROUNDS = 40, 2
_COMPARED_GENERATORS = 256
# Finds what unknown functions of vectors in a formula are at vectors written in several ways; the
# module of these functions, which imports this one, enters it.
FACTS_OF_FUNCTIONS: list[Callable[[ProofEmitter, Term, Sequence[Term]], list[Inference]]] = []


# -- conditions ------------------------------------------------------------------------------------


def _prove_condition(
    emitter: ProofEmitter, p: Term, given: Sequence[Term], context: Context,
    lines: Sequence[Inference] = (),
) -> Inference:  # fmt: skip
    """Prove that a matrix is semidefinite, invertible or defined, or that two are equal."""
    if p[0] == "M.eq":
        return prove_matrix_equation(emitter, p, given, lines)
    require(p[0] in ("M.psd", "M.invertible"), "no condition on a matrix")
    mirrored = _mirrored_product(p[1]) if p[0] == "M.psd" else None
    if mirrored is not None and not is_same_term(mirrored, p[1]):
        return _prove_as_equal(emitter, p, mirrored, given, context)
    name = "semidefinite" if p[0] == "M.psd" else "invertible"
    line = emitter.script.add(name, (), p[1])
    proofs = []
    for key, asked in line.theorem.hypotheses.items():
        if key not in map(canonical_key, given):
            proofs.append(emitter.require_proof(asked, tuple(given), context))
    return emitter.discharge_by(line, proofs) if proofs else line


def _mirrored_product(t: Term) -> Term | None:
    """Return B C B' for a product that begins with B, if its last part may be the transpose.

    SymPy writes the transpose of a sum as a sum of transposes.
    """
    if t[0] != "M.mul" or len(t) < 3 or ("M.T", t[1]) == t[-1] or ("M.T", t[-1]) == t[1]:
        return None
    first, *between, last = t[1:]
    ring = search_ring()
    a, b = (expand_matrix(ring, m, frozenset()) for m in (("M.T", first), last))
    is_transpose = a.keys() == b.keys() and all(ring.is_equal(a[w], b[w]) for w in a)
    return ("M.mul", first, *between, ("M.T", first)) if is_transpose else None


def _prove_as_equal(
    emitter: ProofEmitter, p: Term, other: Term, given: Sequence[Term], context: Context
) -> Inference:
    """Prove that a matrix is semidefinite as an equal one is."""
    known = emitter.require_proof((p[0], other), tuple(given), context)
    equal = prove_matrix_equation(emitter, ("M.eq", other, p[1]), given)
    return emitter.script.add("equal matrices", [known, equal])


def prove_matrix_equation(
    emitter: ProofEmitter, p: Term, given: Sequence[Term], lines: Sequence[Inference] = ()
) -> Inference:
    """Prove that two matrices are equal, by their traces with any third one."""
    rows, columns = shape(p[1])
    spoken = free_symbols(p).union(*map(free_symbols, given))
    z = fresh_symbol(("M", "Z", "M", columns, rows, ""), spoken)
    said = ("=", *(("M.tr", ("M.mul", side, z)) for side in p[1:]))
    plain = tuple(h for h in given if h[0] not in ("M.eq", "M.psd", "M.invertible"))
    return emitter.script.add(
        "matrix identity", [prove_traces_equal(emitter, said, plain, given, lines)], p, z
    )


register_prover(11, _prove_condition)


def prove_by_traces(
    emitter: ProofEmitter, p: Term, given: Sequence[Term], context: Context,
    lines: Sequence[Inference] = (),
) -> Inference:  # fmt: skip
    """Prove a bound by traces of products of two semidefinite matrices, which are not negative."""
    traces = {canonical_key(t): t[1] for t in subterms(p) if t[0] == "M.tr"}
    require(p[0] in ("<=", "<") and traces, "no inequality of traces")
    positive = []
    for t in traces.values():
        ways = [partial(_nonnegative_trace, emitter, a, b, given, context) for a, b in _halves(t)]
        with suppress(*FAILURES):
            positive.append(emitter.try_in_turn(ways, "the trace may be negative"))
    require(positive, "no trace is known to be nonnegative")
    return prove_with_given_equations(emitter, p, _numbers(given), [*lines, *positive])


def _halves(t: Term) -> Iterator[tuple[Term, Term]]:
    """Yield pairs of matrices of which the product has the trace of a matrix."""
    if t[0] == "M.mul" and shape(t[1])[0] == shape(t[1])[1]:
        yield t[1], t[2] if len(t) == 3 else ("M.mul", *t[2:])
    yield ("M.id", shape(t)[0]), t


def _nonnegative_trace(
    emitter: ProofEmitter, first: Term, second: Term, given: Sequence[Term], context: Context
) -> Inference:
    """Prove that the trace of the product of two semidefinite matrices is not negative."""
    line = emitter.script.add("trace of semidefinite", (), first, second)
    proofs = [
        emitter.require_proof(h, tuple(given), context) for h in line.theorem.hypotheses.values()
    ]
    return emitter.discharge_by(line, proofs) if proofs else line


register_prover(12, prove_by_traces)


def is_condition_on_matrices(p: Term) -> bool:
    """Return whether a formula is about matrices, and not about numbers."""
    return p[0] in ("M.eq", "M.psd", "M.invertible", "M.forall")


# -- means -----------------------------------------------------------------------------------------


def mean_equation(emitter: ProofEmitter, node: Term, value: Term | None = None) -> Inference:
    """Prove what value a mean over Gaussian matrices has, or that it has a given one."""
    if value is None:
        ring = search_ring()
        value = term_of_trace_polynomial(ring, value_of_mean(ring, node))
    ring = search_ring()
    body = mean_body_as_polynomial(ring, node)
    polynomial_in_traces(ring, value)
    value_of_mean(ring, node, body)
    evidence = [max(1, len(ring.generators)), [], [], ring.search.answers]
    return emitter.script.add("isserlis", (), (), ("=", node, value), evidence)


def mean_equations(emitter: ProofEmitter, formulas: Iterable[Term]) -> list[Inference]:
    """Prove the values of all means over matrices in some formulas."""
    nodes = {canonical_key(t): t for p in formulas for t in subterms(p) if t[0] == "M.E"}
    return [mean_equation(emitter, node) for node in nodes.values()]


@register_emitter_for_rules(IsserlisRule)
def _emit_isserlis(emitter: ProofEmitter, step: Step, premises: Sequence[Inference]) -> Inference:
    """Prove an equation between means of polynomials in traces and their values."""
    p = emitter.formula(step.statement)
    given = _numbers(emitter.hypotheses(step.context))

    def by_equations() -> Inference:
        equations = mean_equations(emitter, (p, *given))
        require(equations, "there is no mean over matrices in it")
        return prove_with_given_equations(emitter, p, given, (), equations)

    if p[0] != "=" or p[1][0] != "M.E":
        return by_equations()
    try:
        return emitter.run_and_undo_on_failure(by_equations)
    except FAILURES:
        # Arithmetic takes 64 different traces, and the rule for means takes any number.
        with suppress(*FAILURES):
            return emitter.run_and_undo_on_failure(mean_equation, emitter, p[1], p[2])
        raise


def _numbers(given: Iterable[Term]) -> tuple[Term, ...]:
    return tuple(h for h in given if not is_condition_on_matrices(h))


# -- equations of matrices -------------------------------------------------------------------------


def difference_of_sides(ring: SearchHintRecordingRing, p: Term) -> dict[Product, Fraction]:
    """Return the difference of two sides as a polynomial in traces."""
    found = polynomial_in_traces(ring, p[1])
    for product, (n, d) in polynomial_in_traces(ring, p[2]).items():
        add_to_sum(ring, found, product, (-n, d))
    return {product: c for product, c in found.items() if ring.facts.reduce(c[0]) != 0}


def _places_of_letter(alphabet: Alphabet, word: Word, letter: Term) -> Iterator[tuple[Word, bool]]:
    """Yield each occurrence of a letter: what follows it in the cycle, and if it is an inverse."""
    for w in (word, alphabet.transpose(word)):
        for i, x in enumerate(w):
            is_plain = alphabet.letter[x] == letter and x % 4 < 2
            if is_plain:
                yield w[i + 1 :] + w[:i], alphabet.base[x] != x


def _sandwiches(
    ring: SearchHintRecordingRing, equation: Term, words: Iterable[Word]
) -> Iterator[Word]:
    """Yield words Q for which the traces of both sides times Q may be of use."""
    alphabet = alphabet_of(ring)
    _, left, right = equation
    terms = [w for w in expand_matrix(ring, right, frozenset()) if w]
    if left[0] == "M":
        for word in words:
            for rest, is_inverse in _places_of_letter(alphabet, word, left):
                if not is_inverse:
                    yield rest
                    continue
                inverse = (alphabet.number(left, is_inverse=True),)
                yield inverse + rest
                for w in terms:
                    if rest[: len(w)] == w:
                        yield rest[len(w) :] + inverse
                    if rest[len(rest) - len(w) :] == w:
                        yield inverse + rest[: len(rest) - len(w)]
        return
    longest = max((w for w in expand_matrix(ring, left, frozenset()) if w), key=len, default=())
    for word in words if longest else ():
        for w in (word, alphabet.transpose(word)):
            for i in range(len(w)):
                turned = w[i:] + w[:i]
                if turned[: len(longest)] == longest:
                    yield turned[len(longest) :]


def sandwiches_for(emitter: ProofEmitter, p: Term, equations: Sequence[Term]) -> list[Inference]:
    """Prove equations of traces that equations of matrices give for the words of a goal."""
    ring = search_ring()
    made: dict[tuple[int, Word], Inference] = {}
    seen: set[Word] = set()
    new = {word for product in difference_of_sides(ring, p) for word in product}
    alphabet = alphabet_of(ring)
    for _ in range(_ROUNDS):
        seen |= new
        found: set[Word] = set()
        for number, equation in enumerate(equations):
            rows, columns = shape(equation[1])
            for rest in _sandwiches(ring, equation, sorted(new)):
                # A trace of a word of another size would not fit.
                ends = {alphabet.rows[rest[0]]} if rest else {rows}
                if columns not in ends or len(made) >= _MOST_EQUATIONS:
                    continue
                normal = tuple(alphabet.trace_of_word(rest, rows)[0])
                key = (number, normal[0] if len(normal) == 1 and rows != columns else rest)
                if key in made:
                    continue
                right: Term = matrix_of_word(alphabet, rest) if rest else ("M.id", columns)
                with suppress(Rejected):
                    assumed = emitter.script.add("assume", (), equation)
                    made[key] = sandwich(emitter, assumed, rows, right)
                    said = made[key].theorem.conclusion
                    found |= {w for product in difference_of_sides(ring, said) for w in product}
        new = found - seen
    return _independent(ring, emitter, p, list(made.values()))


def sandwich(emitter: ProofEmitter, equation: Inference, rows: str, right: Term) -> Inference:
    """Prove that the traces of both sides of an equation times a product of letters are equal."""
    line = emitter.script.add("sandwich", [equation], ("M.id", rows), right)
    own = equation.theorem.hypotheses
    asked = [h for key, h in line.theorem.hypotheses.items() if key not in own]
    proofs = [prove_matrix_equation(emitter, h, ()) for h in asked]
    return emitter.discharge_by(line, proofs) if proofs else line


def _independent(
    ring: SearchHintRecordingRing, emitter: ProofEmitter, p: Term, lines: list[Inference]
) -> list[Inference]:
    """Return equations without those whose difference of sides is a copy of an earlier one."""
    kept: list[Inference] = []
    seen: set[str] = set()
    for line in lines:
        difference = difference_of_sides(ring, line.theorem.conclusion)
        name = str(sorted((product, str(c)) for product, c in difference.items()))
        if difference and name not in seen:
            seen.add(name)
            kept.append(line)
    return kept


def prove_traces_equal(
    emitter: ProofEmitter, p: Term, plain: Sequence[Term], given: Sequence[Term],
    lines: Sequence[Inference] = (), equations: Sequence[Inference] = (),
) -> Inference:  # fmt: skip
    """Prove a relation of traces by arithmetic, and by equations of matrices among hypotheses."""
    known = [h for h in given if h[0] == "M.eq" and not is_same_term(h[1], h[2])]
    if not known:
        return prove_with_given_equations(emitter, p, tuple(plain), lines, equations)
    with suppress(*FAILURES):
        return emitter.run_and_undo_on_failure(
            prove_with_given_equations, emitter, p, tuple(plain), lines, equations
        )
    traces = sandwiches_for(emitter, p, known)
    chosen = _combination(p, [line.theorem.conclusion for line in traces])
    more = [traces[i] for i in chosen]
    return prove_with_given_equations(emitter, p, tuple(plain), [*lines, *more], equations)


def _combination(p: Term, equations: Sequence[Term]) -> list[int]:
    """Return the numbers of equations that leave no word of a goal unexplained, if so few do.

    A word that is in the goal's difference, or in one of the equations, has to cancel; equations
    that bring in a word that no other has are of no use.
    """
    ring = search_ring()
    goal, *words = ({_longest_word(product) for product in difference_of_sides(ring, q)}
                    for q in (p, *equations))  # fmt: skip
    left = list(range(len(equations)))
    while True:
        count: dict[Word, int] = dict.fromkeys(goal, 1)
        for i in left:
            for word in words[i]:
                count[word] = count.get(word, 0) + 1
        useless = [i for i in left if any(count[word] == 1 for word in words[i])]
        if not useless:
            return left
        left = [i for i in left if i not in useless]


def _longest_word(product: Product) -> Word:
    """Return the longest word of a product; others may be in coefficients elsewhere."""
    return max(product, key=len, default=())


@register_emitter_for_rules(TraceAlgebraRule)
def _emit_trace_algebra(
    emitter: ProofEmitter, step: Step, premises: Sequence[Inference]
) -> Inference:
    """Prove an equation of traces, or of matrices, with the equations among the hypotheses."""
    p, given = emitter.formula(step.statement), emitter.hypotheses(step.context)
    if p[0] == "M.eq":
        return prove_matrix_equation(emitter, p, given)
    facts = FACTS_OF_FUNCTIONS[0](emitter, p, given) if FACTS_OF_FUNCTIONS else []
    line = prove_traces_equal(emitter, p, _numbers(given), given, facts)
    return emitter.discharge_hypotheses(line, step.context)


# -- semidefinite products -------------------------------------------------------------------------


def _coefficients(p: Term, products: Sequence[Term]) -> list[fmpq]:
    """Return rational coefficients with which products add up to a difference of two sides."""
    ring = search_ring(_COMPARED_GENERATORS)
    # Traces that are coefficients of a matrix are generators, so that all others have to be.
    columns = [_as_fraction(ring, polynomial_in_traces(ring, t)) for t in products]
    goal = _as_fraction(ring, difference_of_sides(ring, p))
    rows: dict[Any, list[fmpq]] = {}
    # All over one denominator, so that they are compared as polynomials.
    common = ring.one
    for _, d in (*columns, goal):
        common = common * d
    for place, (n, d) in enumerate((*columns, goal)):
        for monomial, c in (n * (common / d)).to_dict().items():
            row = rows.setdefault(monomial, [fmpq(0)] * (len(columns) + 1))
            row[place] += fmpq(c)
    matrix = fmpq_mat(len(rows), len(columns) + 1, [c for row in rows.values() for c in row])
    reduced, rank = matrix.rref()
    found = [fmpq(0)] * len(columns)
    for i in range(rank):
        pivot = next(j for j in range(len(columns) + 1) if reduced[i, j] != 0)
        require(pivot < len(columns), "the difference is no combination of the traces")
        found[pivot] = reduced[i, len(columns)]
    require(all(c >= 0 for c in found), "a trace has a negative coefficient")
    return found


def _as_fraction(ring: SearchHintRecordingRing, p: Mapping[Product, Fraction]) -> Fraction:
    """Return a polynomial in traces as a fraction of the ring."""
    total = (ring.zero, ring.one)
    for product, c in p.items():
        for word in product:
            c = product_of_fractions(ring, c, word_generator(ring, word))
        total = ring.plus(total, c)
    return total


@register_emitter_for_rules(PositiveTracesRule)
def _emit_positive(emitter: ProofEmitter, step: Step, premises: Sequence[Inference]) -> Inference:
    """Prove an inequality whose difference is a combination of traces of semidefinite products."""
    rule: Any = step.rule
    p, context = emitter.formula(step.statement), step.context
    given = emitter.hypotheses(context)
    require(p[0] == "<=", "it is no inequality of the kind <= or >=")
    lines = []
    for pair in rule.products:
        line = emitter.script.add("trace of semidefinite", (), *map(emitter.term, pair.args))
        lines.append(emitter.discharge_hypotheses(line, context))
    traces = [line.theorem.conclusion[2] for line in lines]
    coefficients = _coefficients(("=", p[2], p[1]), traces)
    used = [(c, t) for c, t in zip(coefficients, traces, strict=True) if c]
    require(used, "the two sides are equal; use an equation")
    value = ("+", *(("*", num(int(c.p), int(c.q)), t) for c, t in used))
    return _conclude_from_traces(emitter, p, value, lines, _numbers(given))


def _conclude_from_traces(
    emitter: ProofEmitter, p: Term, value: Term, lines: Sequence[Inference], plain: Sequence[Term]
) -> Inference:
    """Prove an inequality whose difference is a value that other theorems show to be positive."""
    plain = tuple(plain)
    difference = ("+", p[2], ("*", num(-1), p[1]))
    equal = prove_with_given_equations(emitter, ("=", difference, value), plain)
    positive = prove_with_given_equations(emitter, (p[0], _ZERO, value), plain, lines)
    above = emitter.rewrite(positive, equal, [[2]])
    return prove_with_given_equations(emitter, p, plain, [above])


@register_emitter_for_rules(DefiniteTraceRule)
def _emit_definite(emitter: ProofEmitter, step: Step, premises: Sequence[Inference]) -> Inference:
    """Prove a strict inequality whose difference is a multiple of one trace, by a matrix not 0."""
    rule: Any = step.rule
    p, context = emitter.formula(step.statement), step.context
    given = emitter.hypotheses(context)
    require(p[0] == "<", "it is no inequality of the kind < or >")
    parts = (emitter.term(rule.left), emitter.term(rule.middle), emitter.term(rule.right))
    line = emitter.script.add("definite trace", (), *parts)
    line = emitter.discharge_hypotheses(line, context)
    _, is_zero, above = line.theorem.conclusion
    differ = [h for h in given if h[0] == "not" and h[1][0] == "M.eq"]
    line = emitter.try_in_turn(
        [partial(_exclude_zero, emitter, line, h, is_zero, above) for h in differ],
        "no hypothesis says that the matrix is not 0",
    )
    (c,) = _coefficients(("=", p[2], p[1]), [above[2]])
    require(c > 0, "the two sides are equal")
    value = ("*", num(int(c.p), int(c.q)), above[2])
    return _conclude_from_traces(emitter, p, value, [line], _numbers(given))


def _exclude_zero(
    emitter: ProofEmitter, line: Inference, differ: Term, is_zero: Term, above: Term
) -> Inference:
    """Conclude that a trace is positive, as two matrices differ that were equal otherwise."""
    equal = prove_matrix_equation(emitter, differ[1], (is_zero,))
    others = [h for h in line.theorem.hypotheses.values() if not is_same_term(h, differ)]
    return emitter.infer_by_logic([line, equal], (*others, differ), above)

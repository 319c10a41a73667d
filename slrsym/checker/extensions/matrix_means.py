"""Means of polynomials in traces over Gaussian matrices, by Isserlis' theorem.

With E X_ia X_jb = A_ij B_ab, integration by parts says that E X_ia f is the sum over j and b of
A_ij B_ab E df/dX_jb. So one occurrence of a matrix is paired with each other one in turn, and the
words that contain the two are glued.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from slrsym.checker.extensions.matrix_language import shape
from slrsym.checker.extensions.matrix_words import (
    Alphabet,
    Word,
    add_to_sum,
    alphabet_of,
    expand_matrix,
    product_of_fractions,
    size_normal_form,
    word_generator,
)
from slrsym.checker.ring import Fraction, Ring
from slrsym.checker.term import (
    NODE,
    Term,
    binder_bodies,
    bound_variables,
    free_symbols,
    parts_outside_binder,
    require,
    spend_work,
)

# A product of traces: words in normal form, sorted.
Product: TypeAlias = tuple[Word, ...]
# A mean: how often each product of traces and of sizes occurs.
Mean: TypeAlias = dict[tuple[Product, tuple[str, ...]], int]
_LARGEST_POWER = 8


def polynomial_in_traces(
    ring: Ring, t: Term, random: frozenset[Term] = frozenset()
) -> dict[Product, Fraction]:
    """Return a term as a polynomial in traces; what is no polynomial is a coefficient.

    No random letter may be in a coefficient.
    """
    head = t[0]
    if head == "M.tr":
        found: dict[Product, Fraction] = {}
        for word, c in expand_matrix(ring, t[1], random).items():
            words, sizes = alphabet_of(ring).trace_of_word(word, shape(t[1])[0])
            for size in sizes:
                c = product_of_fractions(ring, c, size_normal_form(ring, size))
            add_to_sum(ring, found, tuple(sorted(words)), c)
        return found
    is_power = head == "^" and t[2] == 1 and 0 < t[1] <= _LARGEST_POWER
    if head == "+":
        found = {}
        for part in t[1:]:
            for product, c in polynomial_in_traces(ring, part, random).items():
                add_to_sum(ring, found, product, c)
        return found
    if head == "*" or is_power:
        found = {(): (ring.one, ring.one)}
        parts = [t[3]] * t[1] if is_power else t[1:]
        for part in parts:
            more, less = polynomial_in_traces(ring, part, random), found
            spend_work(NODE * len(less) * len(more))
            found = {}
            for a, c in less.items():
                for b, e in more.items():
                    add_to_sum(ring, found, tuple(sorted(a + b)), product_of_fractions(ring, c, e))
        return found
    require(not free_symbols(t) & random, "the body is no polynomial in traces")
    return {(): ring.normal_form(t)}


class GaussianMatrices:
    """Independent Gaussian matrices, with the means of products of traces found so far."""

    def __init__(self, letters: Alphabet, laws: Mapping[Term, tuple[Word, Word]]) -> None:
        self._letters = letters
        # By the number of a matrix: its covariances, the sizes of these, and its transpose.
        self._laws = {letters.number(x): (*law, *x[3:5]) for x, law in laws.items()}
        self._turned = {letters.transposed[x]: x for x in self._laws}
        self._means: dict[Product, Mean] = {}

    def mean(self, words: Product) -> Mean:
        """Return the mean of a product of traces."""
        if words not in self._means:
            spend_work(NODE)
            self._means[words] = self._compute_mean(words)
        return self._means[words]

    def _compute_mean(self, words: Product) -> Mean:
        at = next((i for i, w in enumerate(words) if self._place(w) is not None), None)
        if at is None:
            return {(words, ()): 1}
        x, p = self._opened(words[at], self._place(words[at]) or 0)
        others = words[:at] + words[at + 1 :]
        a, b, rows, columns = self._laws[x]
        transpose = self._letters.transpose
        out: Mean = {}
        for j, y in enumerate(p):
            before, after = p[:j], p[j + 1 :]
            if y == x:
                self._add_mean(out, others, (after + a + transpose(before) + b, columns))
            elif self._turned.get(y) == x:
                self._add_mean(out, others, (before + b, columns), (after + a, rows))
        for i, word in enumerate(others):
            for j, y in enumerate(word):
                if y == x or self._turned.get(y) == x:
                    _, q = self._opened(word, j)
                    glued = (p + a + transpose(q) + b, columns)
                    self._add_mean(out, others[:i] + others[i + 1 :], glued)
        return out

    def _place(self, word: Word) -> int | None:
        """Return the place of the first random letter of a word."""
        return next((i for i, y in enumerate(word) if y in self._laws or y in self._turned), None)

    def _opened(self, word: Word, at: int) -> tuple[int, Word]:
        """Return a random letter, and what follows it in a cyclic word where it is no transpose."""
        if word[at] in self._turned:
            word, at = self._letters.transpose(word), len(word) - 1 - at
        return word[at], word[at + 1 :] + word[:at]

    def _add_mean(self, out: Mean, others: Product, *traces: tuple[Word, str]) -> None:
        """Add the mean of other words times the traces of some, each with its size."""
        found: list[Word] = [*others]
        empty: list[str] = []
        for word, size in traces:
            words, sizes_of_empty = self._letters.trace_of_word(word, size)
            found += words
            empty += sizes_of_empty
        mean = self.mean(tuple(sorted(found)))
        spend_work(NODE * (2 + len(mean)))
        for (left, sizes), n in mean.items():
            key = (left, tuple(sorted((*sizes, *empty))))
            out[key] = out.get(key, 0) + n


def mean_body_as_polynomial(ring: Ring, node: Term) -> dict[Product, Fraction]:
    """Return the body of a mean as a polynomial in traces."""
    return polynomial_in_traces(ring, binder_bodies(node)[0], frozenset(bound_variables(node)))


def value_of_mean(
    ring: Ring, node: Term, body: dict[Product, Fraction] | None = None
) -> dict[Product, Fraction]:
    """Return the mean of a polynomial in traces under Gaussian matrices, as such a polynomial."""
    body = mean_body_as_polynomial(ring, node) if body is None else body
    letters, names, laws = alphabet_of(ring), bound_variables(node), parts_outside_binder(node)
    table = {
        x: tuple(() if c[0] == "M.id" else (letters.number(c),) for c in law[1:])
        for x, law in zip(names, laws, strict=True)
    }
    matrices = GaussianMatrices(letters, table)  # type: ignore[arg-type]
    found: dict[Product, Fraction] = {}
    for words, c in body.items():
        if ring.facts.reduce(c[0]) == 0:
            continue
        for (product, sizes), n in matrices.mean(words).items():
            value = product_of_fractions(ring, c, (n * ring.one, ring.one))
            for size in sizes:
                value = product_of_fractions(ring, value, size_normal_form(ring, size))
            add_to_sum(ring, found, product, value)
    return found


def is_zero_polynomial(ring: Ring, p: Mapping[Product, Fraction]) -> bool:
    """Return whether a polynomial in traces is 0, with a generator for each word that is left."""
    total = (ring.zero, ring.one)
    for product, c in p.items():
        if ring.facts.reduce(c[0]) == 0:
            continue
        for word in product:
            c = product_of_fractions(ring, c, word_generator(ring, word))
        total = ring.plus(total, c)
    return ring.is_equal(total, (ring.zero, ring.one))

"""Traces in normal form: polynomials in cyclic words, each a generator of the ring.

A word is a tuple of numbers of letters, as one inference counts them. A gradient or a Hessian of an
unknown function at a vector is a letter, too, known by its key. A trace is cut where a size is 1,
so that each piece is a cyclic word; two pieces are one generator if rotations, the transpose,
exchanges within a commuting family and the removal of inverse neighbours turn one into the other.
That is conjugacy in a free product of abelian groups, one for each family and for each other
letter. So a piece is a cycle of syllables, runs of one such group with integer exponents, which are
joined and dropped until nothing changes; the least of its rotations and of those of its transpose
represents it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

from slrsym.checker.extensions.matrix_language import (
    NAME,
    is_numeral,
    is_symmetric_letter,
    shape,
)
from slrsym.checker.ring import NORMAL_FORMS, Fraction, Ring
from slrsym.checker.sign import NN, POS
from slrsym.checker.term import NODE, Term, canonical_key, free_symbols, require, spend_work

# Numbers of word letters, and a word in normal form.
Word: TypeAlias = tuple[int, ...]
# A run of letters of one group: its group, and the exponent of each letter.
Syllable: TypeAlias = tuple[int, dict[int, int]]


class Alphabet:
    """The letters of one inference by number: letter, inverse and transpose have their own."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[Term, bool, bool], int] = {}
        self._groups: dict[Any, int] = {}
        self._normal: dict[Word, tuple[Word, str]] = {}
        # By its key, the first gradient or Hessian of this key.
        self._first: dict[str, Term] = {}
        # By number: the letter, its rows, its group, its number without and with an inverse, and
        # its transpose.
        self.letter: list[Term] = []
        self.rows: list[str] = []
        self.group: list[int] = []
        self.base: list[int] = []
        self.inverse: list[int] = []
        self.transposed: list[int] = []

    def number(self, letter: Term, is_inverse: bool = False, is_transposed: bool = False) -> int:
        """Return the number of a letter, or of its inverse or transpose."""
        if letter[0] != "M":
            letter = self._first.setdefault(canonical_key(letter), letter)
        turned = is_transposed and not is_symmetric_letter(letter)
        if (letter, is_inverse, turned) not in self._numbers:
            # A letter, its inverse and the transposes get numbers one after the other.
            kinds = [(i, t) for t in (False, True) for i in (False, True)]
            first = len(self.letter)
            for k, (inverse, transpose) in enumerate(kinds):
                self._numbers[letter, inverse, transpose] = first + k
                self.letter.append(letter)
                self.rows.append(shape(letter)[transpose])
                is_of_family = letter[0] == "M" and letter[5]
                group = ("family", letter[5], letter[3]) if is_of_family else (letter, transpose)
                self.group.append(self._groups.setdefault(group, len(self._groups)))
                self.base.append(first + k - inverse)
                self.inverse.append(first + k + (-1 if inverse else 1))
                self.transposed.append(first + k if is_symmetric_letter(letter) else
                                       first + (k + 2) % 4)  # fmt: skip
        return self._numbers[letter, is_inverse, turned]

    def transpose(self, word: Word) -> Word:
        return tuple(self.transposed[x] for x in reversed(word))

    # -- cyclic words -----------------------------------------------------------------------------

    def trace_of_word(self, word: Word, size: str) -> tuple[list[Word], list[str]]:
        """Return the trace of a word of a size as words in normal form and sizes of empty ones."""
        cuts = [i for i, x in enumerate(word) if self.rows[x] == "1"]
        pieces = [word]
        if cuts:
            ends = (*cuts[1:], cuts[0] + len(word))
            turned = word + word
            pieces = [turned[i:j] for i, j in zip(cuts, ends, strict=True)]
        words, sizes = [], []
        for piece in pieces:
            if piece not in self._normal:
                self._normal[piece] = self._normal_form(piece, size)
            form, at = self._normal[piece] if piece else ((), size)
            if form:
                words.append(form)
            elif at != "1":
                sizes.append(at)
        return words, sizes

    def _normal_form(self, piece: Word, size: str) -> tuple[Word, str]:
        """Return the word that represents a piece's class, and the size of the piece."""
        spend_work(NODE * (2 + len(piece)) + len(piece) ** 2)
        chunks = self._chunks(self._syllables(piece))
        turned = self._chunks(self._syllables(self.transpose(piece)))
        least = min((_flat(c[i:] + c[:i]) for c in (chunks, turned) for i in range(len(c))),
                    default=())  # fmt: skip
        return least, self.rows[piece[0]] if piece else size

    def _syllables(self, piece: Word) -> list[Syllable]:
        """Return a cyclic word as a cycle of syllables, no two neighbours of one group."""
        done: list[Syllable] = []
        for x in piece:
            self._push(done, (self.group[x], {self.base[x]: 1 if self.base[x] == x else -1}))
        while len(done) > 1 and done[0][0] == done[-1][0]:
            last = done.pop()
            first = done.pop(0)
            self._push(done, _joined(last, first))
        return done

    @staticmethod
    def _push(done: list[Syllable], syllable: Syllable) -> None:
        """Put a syllable behind others, joined with the last one if that is of the same group."""
        if done and done[-1][0] == syllable[0]:
            syllable = _joined(done.pop(), syllable)
        if syllable[1]:
            done.append(syllable)

    def _chunks(self, syllables: list[Syllable]) -> list[Word]:
        """Return syllables as words: the letters in order, each as often as it occurs."""
        return [
            tuple(x for base, n in sorted(exponents.items())
                  for x in (base if n > 0 else self.inverse[base],) * abs(n))
            for _, exponents in syllables
        ]  # fmt: skip


def _joined(first: Syllable, second: Syllable) -> Syllable:
    group, exponents = first[0], dict(first[1])
    for base, n in second[1].items():
        exponents[base] = exponents.get(base, 0) + n
    return group, {base: n for base, n in exponents.items() if n}


def _flat(chunks: Iterable[Word]) -> Word:
    return tuple(x for chunk in chunks for x in chunk)


def alphabet_of(ring: Ring) -> Alphabet:
    """Return the alphabet of an inference."""
    if NAME not in ring.kept:
        ring.kept[NAME] = Alphabet()
    found: Alphabet = ring.kept[NAME]
    return found


# -- matrices -------------------------------------------------------------------------------------


def expand_matrix(ring: Ring, t: Term, random: frozenset[Term]) -> dict[Word, Fraction]:
    """Return a matrix as a sum of words with coefficients, in the order of their first occurrence.

    No random letter may be in a coefficient. A coefficient that is 0 keeps its word, and has been
    brought to normal form, so that it is defined.
    """
    head, letters = t[0], alphabet_of(ring)
    one = (ring.one, ring.one)
    spend_work(NODE)
    if head == "M":
        return {(letters.number(t),): one}
    if head == "M.inv":
        return {(letters.number(t[1], is_inverse=True),): one}
    if head == "M.id":
        return {(): one}
    if head == "M.T":
        parts = expand_matrix(ring, t[1], random)
        return {letters.transpose(w): c for w, c in parts.items()}
    if head == "M.scale":
        require(not free_symbols(t[1]) & random, "a multiple is random; write it beside the trace")
        factor = ring.normal_form(t[1])
        parts = expand_matrix(ring, t[2], random)
        return {w: product_of_fractions(ring, c, factor) for w, c in parts.items()}
    if head in ("M.grad", "M.hess"):
        require(not free_symbols(t) & random, "a gradient or a Hessian is at a random vector")
        # For what has to be defined.
        expand_matrix(ring, t[2], random)
        return {(letters.number(t),): one}
    total = dict(expand_matrix(ring, t[1], random))
    for part in t[2:]:
        more = expand_matrix(ring, part, random)
        if head == "M.mul":
            spend_work(NODE * len(total) * len(more))
            found: dict[Word, Fraction] = {}
            for w, c in total.items():
                for v, e in more.items():
                    add_to_sum(ring, found, w + v, product_of_fractions(ring, c, e))
            total = found
        else:
            for w, c in more.items():
                add_to_sum(ring, total, w, c)
    return total


def add_to_sum(ring: Ring, into: dict[Any, Fraction], key: Any, value: Fraction) -> None:
    """Add a coefficient to that of a word, or of a product of traces."""
    into[key] = ring.plus(into[key], value) if key in into else value


def product_of_fractions(ring: Ring, a: Fraction, b: Fraction) -> Fraction:
    """Return a product of coefficients, most of which are 1."""
    if a[0].is_one() and a[1].is_one():
        return b
    return a if b[0].is_one() and b[1].is_one() else ring.times(a, b)


def size_normal_form(ring: Ring, size: str) -> Fraction:
    """Return the number that a size stands for."""
    if is_numeral(size):
        return ring.facts.ring.constant(int(size)), ring.one
    x = ring.x[ring.find_or_create_generator_index("dim", size)]
    ring.facts.learn(x, POS)
    ring.facts.learn(x - 1, NN)
    return x, ring.one


def word_generator(ring: Ring, word: Word) -> Fraction:
    """Return the generator of a word in normal form."""
    return ring.x[ring.find_or_create_generator_index("tr", word)], ring.one


def _trace_normal_form(ring: Ring, t: Term) -> Fraction:
    total = (ring.zero, ring.one)
    for word, c in expand_matrix(ring, t[1], frozenset()).items():
        words, sizes = alphabet_of(ring).trace_of_word(word, shape(t[1])[0])
        for factor in (*(word_generator(ring, w) for w in words),
                       *(size_normal_form(ring, n) for n in sizes)):  # fmt: skip
            c = product_of_fractions(ring, c, factor)
        total = ring.plus(total, c)
    return total


NORMAL_FORMS["M.tr"] = _trace_normal_form
NORMAL_FORMS["M.dim"] = lambda ring, t: size_normal_form(ring, t[1])

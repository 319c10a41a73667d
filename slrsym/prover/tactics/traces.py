"""Words of letters as terms: products of matrices, and their traces."""

from __future__ import annotations

from slrsym.checker.extensions.matrix_words import Alphabet, Word, alphabet_of
from slrsym.checker.ring import Ring
from slrsym.checker.term import Term


def matrix_of_letter(alphabet: Alphabet, number: int) -> Term:
    """Return a letter of a word as a matrix: a letter, its inverse, or the transpose of one."""
    letter = alphabet.letter[number]
    # A letter, its inverse, its transpose and that of its inverse have numbers in this order.
    kind = number % 4
    value: Term = ("M.inv", letter) if kind in (1, 3) else letter
    return ("M.T", value) if kind > 1 else value


def matrix_of_word(alphabet: Alphabet, word: Word) -> Term:
    """Return a word as a product of matrices."""
    parts = [matrix_of_letter(alphabet, number) for number in word]
    return parts[0] if len(parts) == 1 else ("M.mul", *parts)


def trace_of_word(ring: Ring, word: Word) -> Term:
    """Return the trace that a word in normal form stands for."""
    return ("M.tr", matrix_of_word(alphabet_of(ring), word))

"""Normal forms of traces against their values, and against what keeps a trace.

Run ``python -m tests.checker.fuzz.matrix_words 1000000`` for that many words. Each is a product of
letters of fitting sizes. Its trace has to be the product of the traces of its normal form; what
rotations, the transpose, exchanges and inverses make of it has to have the same normal form; and
two normal forms of one word each have to have different values. Values are taken modulo a prime:
what holds of matrices with rational entries holds there. No size is below the length of a word, so
that no identity of small matrices hides a difference.
"""

from __future__ import annotations

import random
import sys
import time

from flint import nmod_mat

from slrsym.checker.extensions.matrix_words import Alphabet

PRIME = 2**61 - 1
SIZES = {"d": 8, "N": 9, "1": 1}
LONGEST = 8
INVERTIBLE = ("S>0", "GL")


def letter(name, rows, columns, sort="M", family=""):
    return ("M", name, sort, rows, columns, family)


LETTERS = [
    *(letter(n, "d", "d") for n in "AB"), letter("W", "N", "N"), letter("X", "d", "N"),
    letter("Y", "N", "d"), *(letter(n, "d", "1") for n in "xy"), letter("v", "N", "1"),
    letter("Q", "d", "d", "S"), letter("T", "d", "d", "S>=0"), letter("G", "d", "d", "S>0"),
    *(letter(n, "d", "d", "S>0", "F") for n in "LK"), letter("P", "d", "d", "S>=0", "F"),
    letter("J", "d", "d", "S>0", "H"), letter("M_1", "N", "N", "S>0", "F"),
    letter("M_2", "N", "N", "S", "F"), letter("R", "d", "d", "GL"), letter("c", "1", "1"),
]  # fmt: skip


class Words:
    """Random words in an alphabet, with the value of each word letter modulo a prime."""

    def __init__(self, seed):
        self.rng, self.alphabet = random.Random(seed), Alphabet()
        self.values, self.by_rows, self.inverses = {}, {}, {}
        rotations = {}
        for x in LETTERS:
            kinds = [(False, False)]
            if x[2][0] != "S":
                kinds.append((False, True))
            if x[2] in INVERTIBLE:
                kinds += [(True, turned) for _, turned in [*kinds]]
            value = self._draw(x, rotations)
            for inverse, turned in kinds:
                number = self.alphabet.number(x, inverse, turned)
                v = value.inv() if inverse else value
                self.values[number] = v.transpose() if turned else v
                rows, columns = (x[4], x[3]) if turned else (x[3], x[4])
                self.by_rows.setdefault(rows, []).append((number, columns))
                if x[2] in INVERTIBLE:
                    other = self.alphabet.number(x, not inverse, turned)
                    self.inverses.setdefault(rows, []).append((number, other))

    def _draw(self, x, rotations):
        _, _, sort, rows, columns, family = x
        n, m = SIZES[rows], SIZES[columns]

        def entry():
            return self.rng.randrange(PRIME)

        value = nmod_mat(n, m, [entry() for _ in range(n * m)], PRIME)
        if sort[0] != "S":
            return value
        if not family:
            return value + value.transpose()
        if (family, rows) not in rotations:
            skew = value - value.transpose()
            one = nmod_mat(n, n, [int(i == j) for i in range(n) for j in range(n)], PRIME)
            rotations[family, rows] = (one - skew) * (one + skew).inv()
        turn = rotations[family, rows]
        diagonal = nmod_mat(n, n, [entry() if i == j else 0 for i in range(n) for j in range(n)],
                            PRIME)  # fmt: skip
        return turn * diagonal * turn.transpose()

    def word(self):
        """Return a word that begins and ends with one size."""
        start = self.rng.choice(["d", "d", "N", "1"])
        out, at, least = [], start, self.rng.randint(1, LONGEST)
        while len(out) < least or at != start:
            if len(out) == LONGEST:
                out, at = [], start
            number, at = self.rng.choice(self.by_rows[at])
            out.append(number)
        return tuple(out), start

    def moved(self, word):
        """Return a word with the same trace, by random moves."""
        rng, group, letters = self.rng, self.alphabet.group, self.alphabet.letter
        for _ in range(rng.randint(1, 6)):
            kind = rng.randrange(4)
            i = rng.randrange(len(word))
            if kind == 0:
                word = word[i:] + word[:i]
            elif kind == 1:
                word = self.alphabet.transpose(word)
            elif kind == 2 and i and group[word[i]] == group[word[i - 1]] and letters[word[i]][5]:
                word = (*word[: i - 1], word[i], word[i - 1], *word[i + 1 :])
            elif kind == 3 and (pairs := self.inverses.get(self.alphabet.rows[word[i]])):
                word = (*word[:i], *rng.choice(pairs), *word[i:])
        return word

    def trace(self, word, size):
        if not word:
            return SIZES[size] % PRIME
        value = self.values[word[0]]
        for x in word[1:]:
            value = value * self.values[x]
        return sum(int(value[i, i]) for i in range(value.nrows())) % PRIME


def check_words(count, seed=0):
    """Check words; return how many normal forms of one word each were met."""
    words, seen = Words(seed), {}
    for i in range(count):
        word, size = words.word()
        alphabet = words.alphabet
        found, sizes = alphabet.trace_of_word(word, size)
        value = 1
        for w in found:
            value = value * words.trace(w, "") % PRIME
        for n in sizes:
            value = value * SIZES[n] % PRIME
        said = f"{[(alphabet.letter[x], x) for x in word]} (seed {seed}, word {i})"
        assert words.trace(word, size) == value, f"another value: {said}"
        other = words.moved(word)
        again = alphabet.trace_of_word(other, alphabet.rows[other[0]])
        assert (sorted(found), sizes) == (sorted(again[0]), again[1]), f"another form: {said}"
        for w in found:
            value = words.trace(w, "")
            assert seen.setdefault(value, w) == w, f"two forms of one value: {said}"
        if len(alphabet._normal) > 200_000:
            alphabet._normal.clear()
    return len(seen)


if __name__ == "__main__":
    start, total = time.process_time(), int(sys.argv[1])
    print(f"{total} words, {check_words(total, int(*sys.argv[2:] or [0]))} normal forms,"
          f" {time.process_time() - start:.0f} s of processor time")  # fmt: skip

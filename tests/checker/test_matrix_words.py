"""Normal forms of traces have their values, and faults in them are found."""

from __future__ import annotations

import pytest

from slrsym.checker.extensions.matrix_words import Alphabet
from tests._profile import THOROUGH, more
from tests.checker.fuzz.matrix_words import check_words


@more
def test_normal_forms_have_the_values_of_their_words():
    forms = check_words(50_000 if THOROUGH else 3_000, seed=1)
    assert forms > (25_000 if THOROUGH else 1_500)


class _Faulty(Alphabet):
    fault = ""

    def number(self, letter, is_inverse=False, is_transposed=False):
        known = len(self.letter)
        number = super().number(letter, is_inverse, is_transposed)
        for k in range(known, len(self.letter)):
            if self.fault == "transposes" and letter[2] == "M" and letter[3] == letter[4]:
                self.transposed[k] = k
            if self.fault == "all commute" and letter[2][0] == "S" and letter[3] == "d":
                self.group[k] = self._groups.setdefault("all", len(self._groups))
            if self.fault == "none commute" and letter[5]:
                self.group[k] = self._groups.setdefault(letter, len(self._groups))
            if self.fault == "inverse of the transpose" and letter[2] == "GL":
                self.group[k] = self._groups.setdefault(letter, len(self._groups))
                self.base[k] -= self.base[k] % 4 // 2 * 2
        return number

    def trace_of_word(self, word, size):
        words, sizes = super().trace_of_word(word, size)
        if self.fault == "sizes":
            sizes = ["d" for _ in sizes]
        return words, sizes

    def _chunks(self, syllables):
        chunks = super()._chunks(syllables)
        return [tuple(set(c)) for c in chunks] if self.fault == "powers" else chunks


@pytest.mark.parametrize(
    "fault",
    ["transposes", "all commute", "none commute", "inverse of the transpose", "sizes", "powers"],
)
def test_faults_of_normal_forms_are_found(fault, monkeypatch):
    monkeypatch.setattr("tests.checker.fuzz.matrix_words.Alphabet", _Faulty)
    monkeypatch.setattr(_Faulty, "fault", fault)
    with pytest.raises(AssertionError, match=r"another value|another form|two forms"):
        check_words(20_000, seed=2)

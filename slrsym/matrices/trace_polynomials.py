"""Polynomials in traces: expressions of SymPy as sums of cyclic words, and back.

Words, their normal form and their means are those of the proof checker; coefficients are
expressions of SymPy. Shapes and kinds, which SymPy does not judge, are judged here.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Any, TypeAlias, TypeVar

import sympy as sp
from sympy import Expr

from slrsym.checker import Rejected
from slrsym.checker.extensions.matrix_means import GaussianMatrices, Product
from slrsym.checker.extensions.matrix_words import Alphabet, Word
from slrsym.checker.term import Term, work
from slrsym.matrices.letters import SORTS, Letter, Size
from slrsym.matrices.means import MatrixMean
from slrsym.prover.statements.expressions import ProofError

Words: TypeAlias = dict[Word, Expr]
TracePolynomial: TypeAlias = dict[Product, Expr]
Key = TypeVar("Key")
# Of a mean: as many steps as the checker takes for an inference.
_WORK = 3_000_000
_MOST_TERMS = 20_000


class TraceAlgebra:
    """Letters of expressions by number, and the polynomials in traces that expressions stand for.

    Polynomials of two algebras must not be mixed: each has numbers of its own.
    """

    def __init__(self) -> None:
        self.alphabet = Alphabet()
        self._letters: dict[Term, Letter] = {}
        self._named: dict[str, Any] = {}
        self._sizes: dict[str, Any] = {"1": sp.S.One}

    # -- from SymPy -------------------------------------------------------------------------------

    def number_of_letter(self, x: Letter) -> int:
        """Return the number of a letter; refuse one whose name another symbol has."""
        self._claim_names(x, *x.shape)
        rows, columns = (str(n) for n in x.shape)
        term = ("M", x.name, SORTS[x.kind], rows, columns, x.family)
        self._letters[term] = x
        return self.alphabet.number(term)

    def _claim_names(self, *symbols: Any) -> None:
        for x in symbols:
            if isinstance(x, Size):
                self._sizes[x.name] = x
            if isinstance(x, sp.Symbol | Letter) and self._named.setdefault(x.name, x) != x:
                raise ProofError(f"two symbols are called {x.name}; give one another name")

    def matrix(self, e: Any) -> tuple[Words, Any, Any]:
        """Return a matrix as a sum of words, with its rows and columns."""
        if isinstance(e, Letter):
            return {(self.number_of_letter(e),): sp.S.One}, *e.shape
        if isinstance(e, sp.Identity | sp.ZeroMatrix):
            self._claim_names(*e.shape)
            return ({(): sp.S.One} if isinstance(e, sp.Identity) else {}), *e.shape
        if isinstance(e, sp.Transpose):
            words, rows, columns = self.matrix(e.arg)
            return {self.alphabet.transpose(w): c for w, c in words.items()}, columns, rows
        if isinstance(e, sp.Inverse):
            return self._inverse(e.arg)
        if isinstance(e, sp.MatPow) and e.exp.is_Integer and e.exp != 0:
            base = e.base if e.exp > 0 else sp.Inverse(e.base)
            return self._product(e, [base] * abs(int(e.exp)))
        if isinstance(e, sp.MatMul):
            factor, parts = e.as_coeff_matrices()
            words, rows, columns = self._product(e, parts)
            return _times({(): self._coefficient(factor)}, words), rows, columns
        if isinstance(e, sp.MatAdd):
            found = [self.matrix(part) for part in e.args]
            if len({tuple(shape) for _, *shape in found}) > 1:
                raise ProofError(f"the sizes in the sum {e} do not match")
            return _total(words for words, *_ in found), *found[0][1:]
        if isinstance(e, sp.MatrixSymbol):
            raise ProofError(f"{e} has no declared kind; make it by slrsym.matrices.matrix")
        raise ProofError(f"{e} is a {type(e).__name__}, which is no product or sum of letters")

    def _product(self, e: Any, parts: Iterable[Any]) -> tuple[Words, Any, Any]:
        found = [self.matrix(part) for part in parts]
        words, rows, columns = found[0]
        for more, first, last in found[1:]:
            if columns != first:
                raise ProofError(f"the sizes in the product {e} do not match: {columns}, {first}")
            words, columns = _times(words, more), last
        return words, rows, columns

    def _inverse(self, e: Any) -> tuple[Words, Any, Any]:
        if isinstance(e, sp.Transpose):
            words, rows, columns = self._inverse(e.arg)
            return {self.alphabet.transpose(w): c for w, c in words.items()}, columns, rows
        if not (isinstance(e, Letter) and e.kind in ("definite", "invertible")):
            raise ProofError(f"{e} is not declared invertible; an inverse is of a letter")
        return {(self.alphabet.inverse[self.number_of_letter(e)],): sp.S.One}, *e.shape

    def _coefficient(self, e: Any) -> Any:
        if e.has(Letter):
            raise ProofError(f"the factor {e} of a matrix has matrices; write it beside the trace")
        self._claim_names(*sorted(e.free_symbols, key=str))
        return e

    def polynomial(self, e: Any) -> TracePolynomial:
        """Return a number as a polynomial in traces, with means over matrices computed."""
        e = sp.sympify(e)
        if getattr(e, "is_Matrix", False):
            raise ProofError(f"{e} is a matrix; write its Trace")
        if not e.has(Letter, sp.Trace):
            return {(): self._coefficient(e)}
        if isinstance(e, sp.Trace):
            words, rows, columns = self.matrix(e.arg)
            if rows != columns:
                raise ProofError(f"{e.arg} is not square: {rows} x {columns}")
            return self.trace(words, rows)
        if isinstance(e, sp.Add):
            return _total(map(self.polynomial, e.args))
        if isinstance(e, sp.Mul) or (isinstance(e, sp.Pow) and e.exp.is_Integer and e.exp > 0):
            factors = e.args if isinstance(e, sp.Mul) else [e.base] * int(e.exp)
            found: TracePolynomial = {(): sp.S.One}
            for factor in factors:
                found = _times(found, self.polynomial(factor), sort=True)
            return found
        if isinstance(e, MatrixMean):
            return self.mean(self.polynomial(e.body), e.laws)
        raise ProofError(f"{e} is no polynomial in traces")

    def trace(self, words: Words, size: Any) -> TracePolynomial:
        """Return the trace of a sum of words of a size."""
        found: dict[Product, list[Expr]] = defaultdict(list)
        for word, c in words.items():
            pieces, sizes = self.alphabet.trace_of_word(word, str(size))
            found[tuple(sorted(pieces))].append(sp.Mul(c, *(self._sizes[n] for n in sizes)))
        return _collected(found)

    def polynomial_with_traces(self, p: TracePolynomial) -> TracePolynomial:
        """Return a polynomial with the traces in its coefficients as factors of its products."""
        parts: list[TracePolynomial] = []
        for product, c in p.items():
            for term in sp.Add.make_args(c):
                found: TracePolynomial = {product: sp.S.One}
                parts.append(_times(found, self.polynomial(term), sort=True))
        return _total(parts)

    def total(self, parts: Iterable[Mapping[Key, Expr]]) -> dict[Key, Expr]:
        """Return the sum of polynomials, or of sums of words."""
        return _total(parts)

    # -- operations -------------------------------------------------------------------------------

    def mean(self, p: TracePolynomial, laws: Iterable[Any]) -> TracePolynomial:
        """Return the mean over independent Gaussian matrices, by Isserlis' theorem."""
        table = {}
        for x, *covariances in laws:
            at = self.number_of_letter(x)
            self._claim_names(*(n for c in covariances for n in c.shape))
            table[self.alphabet.letter[at]] = tuple(
                () if isinstance(c, sp.Identity) else (self.number_of_letter(c),)
                for c in covariances
            )
        matrices = GaussianMatrices(self.alphabet, table)  # type: ignore[arg-type]
        found: dict[Product, list[Expr]] = defaultdict(list)
        before, work.left = work.left, _WORK
        try:
            for product, c in p.items():
                for (words, sizes), n in matrices.mean(product).items():
                    found[words].append(sp.Mul(n, c, *(self._sizes[s] for s in sizes)))
        except Rejected:
            random = {self.alphabet.number(x) for x in table}
            factors = sum(self.alphabet.base[y] - self.alphabet.base[y] % 4 in random
                          for word in product for y in word)  # fmt: skip
            raise ProofError(
                f"the mean of a product with {factors} Gaussian factors has too many pairings "
                "with different matrices between them"
            ) from None
        finally:
            work.left = before
        return _collected(found)

    def gradient(self, p: TracePolynomial, x: Letter) -> Words:
        """Return the matrix D for which the derivative along H is tr(D' H), as words."""
        at = self.number_of_letter(x)
        if at == self.alphabet.transposed[at]:
            raise ProofError(f"{x.name} is symmetric; a gradient is in a letter made by matrix")
        found: dict[Word, list[Expr]] = defaultdict(list)
        for product, c in p.items():
            for k, word in enumerate(product):
                others = product[:k] + product[k + 1 :]
                for w in (word, self.alphabet.transpose(word)):
                    for i, y in enumerate(w):
                        if y == at:
                            rest = self.alphabet.transpose(w[i + 1 :] + w[:i])
                            found[rest].append(c * self._traces(others))
        return _collected(found)

    def put(self, p: TracePolynomial, values: Mapping[Letter, Words]) -> TracePolynomial:
        """Return a polynomial with sums of words in place of letters."""
        numbers = {self.number_of_letter(x): words for x, words in values.items()}
        parts: list[TracePolynomial] = []
        for product, c in p.items():
            found: TracePolynomial = {(): c}
            for word in product:
                words: Words = {(): sp.S.One}
                for y in word:
                    plain, turned = y, self.alphabet.transposed[y]
                    if plain in numbers:
                        factor = numbers[plain]
                    elif turned in numbers:
                        turn = self.alphabet.transpose
                        factor = {turn(w): e for w, e in numbers[turned].items()}
                    else:
                        factor = {(y,): sp.S.One}
                    words = _times(words, factor)
                rows = self.alphabet.rows[word[0]]
                found = _times(found, self.trace(words, self._sizes[rows]), sort=True)
            parts.append(found)
        return _total(parts)

    # -- to SymPy ---------------------------------------------------------------------------------

    def letter_of_number(self, number: int) -> Letter:
        """Return the letter that a number in a word stands for, perhaps inverted or transposed."""
        return self._letters[self.alphabet.letter[number]]

    def is_vector(self, number: int) -> bool:
        """Return whether a letter of a word has one column."""
        return self.alphabet.rows[self.alphabet.transposed[number]] == "1"

    def is_covector(self, number: int) -> bool:
        """Return whether a letter of a word has one row."""
        return self.alphabet.rows[number] == "1"

    def matrix_of_letter(self, number: int) -> Any:
        """Return a letter of a word as a matrix: a letter, its inverse, or a transpose."""
        x = self.letter_of_number(number)
        made = sp.Inverse(x) if number % 4 in (1, 3) else x
        return sp.Transpose(made) if number % 4 > 1 else made

    def matrix_of_word(self, word: Word, size: Any) -> Any:
        """Return a word as a product of matrices; the empty one is an identity."""
        runs = [(self.matrix_of_letter(y), len(list(run))) for y, run in groupby(word)]
        parts = [x if n == 1 else sp.MatPow(x, n) for x, n in runs]
        if not parts:
            return sp.Identity(size)
        return parts[0] if len(parts) == 1 else sp.MatMul(*parts)

    def _traces(self, product: Product) -> Any:
        return sp.Mul(*(sp.Trace(self.matrix_of_word(word, 1)) for word in product))

    def expression(self, p: TracePolynomial) -> Any:
        """Return a polynomial in traces as an expression."""
        order = sorted(p, key=lambda product: (len(product), product))
        return sp.Add(*(_shown(p[product]) * self._traces(product) for product in order))

    def matrix_expression(self, words: Words, rows: Any, columns: Any) -> Any:
        """Return a sum of words as an expression."""
        order = sorted(words, key=lambda word: (len(word), word))
        terms = [_scaled(_shown(words[w]), self.matrix_of_word(w, rows)) for w in order]
        if not terms:
            return sp.ZeroMatrix(rows, columns)
        return terms[0] if len(terms) == 1 else sp.MatAdd(*terms)


def _scaled(c: Any, m: Any) -> Any:
    factors = m.args if isinstance(m, sp.MatMul) else (m,)
    return m if c == 1 else sp.MatMul(c, *factors)


def _shown(c: Any) -> Any:
    return sp.factor_terms(c)


def _collected(found: Mapping[Key, list[Expr]]) -> dict[Key, Expr]:
    """Return a sum whose coefficients are given by their terms, without those that are 0."""
    if len(found) > _MOST_TERMS:
        raise ProofError(f"a polynomial in traces has more than {_MOST_TERMS:,} terms")
    sums = {key: sp.expand(sp.Add(*terms)) for key, terms in found.items()}
    return {key: c for key, c in sums.items() if c != 0 and not _vanishes(c)}


def _vanishes(c: Any) -> bool:
    """Return whether a sum with quotients is 0, which expanding alone does not find out."""
    return c.is_Add and any(p.exp.is_negative and p.base.is_Add for p in c.atoms(sp.Pow)) and (
        sp.cancel(c) == 0
    )  # fmt: skip


def _total(parts: Iterable[Mapping[Key, Expr]]) -> dict[Key, Expr]:
    found: dict[Key, list[Expr]] = defaultdict(list)
    for part in parts:
        for key, c in part.items():
            found[key].append(c)
    return _collected(found)


def _times(a: Mapping[Any, Expr], b: Mapping[Any, Expr], sort: bool = False) -> Any:
    found: dict[Any, list[Expr]] = defaultdict(list)
    for left, c in a.items():
        for right, e in b.items():
            found[tuple(sorted(left + right)) if sort else left + right].append(c * e)
    return _collected(found)

"""Traces as polynomials in cyclic words (the extension, M3)."""

from .keys import key
from .matrix_nodes import is_numeral, shape
from .matrix_words import cut, cyclic, turned, word_letter
from .polynomials import ONE, const
from .polynomials import ZERO as NIL
from .signs import NN, POS
from .theorems import need

UNIT = (ONE, ONE)
NULL = (NIL, ONE)
MAX_PAIRS = 20_000


def expand(forms, a, allowed=None):
    """Return a matrix as a list of pairs of a fraction and a word.

    `allowed` tells which multiples, gradients and Hessians may be read; without it, all may be.
    """
    h = a.head
    if h in ("M", "M.inv"):
        return [(UNIT, (word_letter(a),))]
    if h in ("M.grad", "M.hess"):
        need(allowed is None or allowed(a), "a variable in an unknown function")
        expand(forms, a.parts[0], allowed)
        return [(UNIT, (word_letter(a),))]
    if h == "M.id":
        return [(UNIT, ())]
    if h == "M.T":
        return [(c, turned(word)) for c, word in expand(forms, a.parts[0], allowed)]
    if h == "M.scale":
        c, b = a.parts
        need(allowed is None or allowed(c), "a random multiple of a matrix")
        factor = forms.nf(c)
        return [(forms.multiply(d, factor), word) for d, word in expand(forms, b, allowed)]
    if h == "M.add":
        out = [pair for p in a.parts for pair in expand(forms, p, allowed)]
        need(len(out) <= MAX_PAIRS, "too much work: a long sum")
        return out
    out = expand(forms, a.parts[0], allowed)
    for p in a.parts[1:]:
        more = expand(forms, p, allowed)
        need(len(out) * len(more) <= MAX_PAIRS, "too much work: a long product of sums")
        out = [(forms.multiply(c, d), v + w) for c, v in out for d, w in more]
    return out


def value_of_function(forms, t):
    """Return the fraction that an unknown function at a vector is."""
    expand(forms, t.parts[0])
    return forms.gen(("h", t.params[0], key(t.parts[0]))), ONE


def pieces_of(word, n):
    """Return the generators of the trace of a word of n rows: cyclic words, or names of sizes."""
    return [cyclic(piece) or rows for piece, rows in cut(word, n)]


def size(forms, n):
    """Return the fraction that a size is."""
    if is_numeral(n):
        return const(int(n)), ONE
    g = forms.gen(("dim", n))
    forms.learn(g, POS)
    forms.learn(g - ONE, NN)
    return g, ONE


def generator(forms, piece):
    """Return the fraction of a cyclic word or of a size."""
    return size(forms, piece) if type(piece) is str else (forms.gen(("tr", piece)), ONE)


def trace(forms, a):
    """Return the normal form of the trace of a matrix."""
    n, out = shape(a)[0], NULL
    for fraction, word in expand(forms, a):
        for piece in pieces_of(word, n):
            fraction = forms.multiply(fraction, generator(forms, piece))
        out = forms.add(out, fraction)
    return out

"""The rule `isserlis`: means of products of traces over Gaussian matrices (the extension, M6).

A mean is the sum over all pairings of the occurrences of variables.  In a pairing, words are
threads that run from one occurrence to the next; a pair joins the rows of its two occurrences by
the covariance of rows, and their columns by that of columns; each loop of threads is a trace.
"""

from collections import Counter
from math import prod

from .arithmetic import forms_with_facts
from .matrix_nodes import shape
from .matrix_traces import NULL, UNIT, expand, generator, pieces_of
from .matrix_words import order_of, turned, word_letter
from .theorems import merged, need, rule

MAX_MEMBERS = 5_000
MAX_PAIRINGS = 12_000
MAX_PRODUCTS = 250_000


@rule("isserlis", "ts t json", None, ["isserlis"])
def isserlis(premises, hyps, goal, evidence):
    """Conclude the mean of a product of traces over Gaussian matrices."""
    forms = forms_with_facts(premises, hyps, evidence)
    need(goal.head == "=" and goal.parts[0].head == "M.E", "no mean over matrices")
    node, v = goal.parts
    body = terms_of(forms, node.inside[0], frozenset(node.vars))
    value = terms_of(forms, v, frozenset())
    laws = dict(zip(node.vars, node.outside, strict=True))
    body = {words: c for words, c in body.items() if c[0]}
    need(all(pairings(w, laws) <= MAX_PAIRINGS for w in body), "too much work: many pairings")
    rest = {words: forms.multiply(c, (-UNIT[0], UNIT[1])) for words, c in value.items()}
    for words, c in body.items():
        for found, sizes in mean(words, laws).items():
            number = NULL
            for dims, count in sizes.items():
                factor = forms.fraction(UNIT[0].scaled(count), UNIT[0])
                for n in dims:
                    factor = forms.multiply(factor, generator(forms, n))
                number = forms.add(number, factor)
            rest[found] = forms.add(rest.get(found, NULL), forms.multiply(c, number))
    total = NULL
    for words, c in rest.items():
        if c[0]:
            for piece in words:
                c = forms.multiply(c, generator(forms, piece))
            total = forms.add(total, c)
    need(not total[0], "another mean")
    return goal, list(merged(premises).values()) + hyps


# --- terms of the body and of the value ------------------------------------


def in_order(words):
    """Return a multiset of cyclic words as a sorted tuple."""
    return tuple(sorted(words, key=order_of))


def terms_of(forms, t, variables):
    """Return a term as a map from multisets of cyclic words to fractions."""
    h = t.head
    if h == "M.tr":
        return terms_of_trace(forms, t.parts[0], variables)
    if h == "+":
        out = {}
        for p in t.parts:
            for words, c in terms_of(forms, p, variables).items():
                out[words] = forms.add(out.get(words, NULL), c)
        return out
    if h == "*":
        return multiplied(forms, [terms_of(forms, p, variables) for p in t.parts])
    if h == "^" and t.params[1] == 1 and 1 <= t.params[0] <= 8:
        return multiplied(forms, [terms_of(forms, t.parts[0], variables)] * t.params[0])
    need(t.free.isdisjoint(variables), "a variable in what is no product of traces")
    return {(): forms.nf(t)}


def multiplied(forms, maps):
    """Return the product of maps from multisets to fractions."""
    out = {(): UNIT}
    for factor in maps:
        need(len(out) * len(factor) <= MAX_PRODUCTS, "too much work: a product of traces")
        old, out = out, {}
        for v, c in old.items():
            for w, d in factor.items():
                words = in_order(v + w)
                out[words] = forms.add(out.get(words, NULL), forms.multiply(c, d))
        need(len(out) <= MAX_MEMBERS, "too much work: a long product of traces")
    return out


def terms_of_trace(forms, a, variables):
    """Return the trace of a matrix as a map from multisets to fractions."""
    n, out = shape(a)[0], {}
    for c, word in expand(forms, a, lambda c: c.free.isdisjoint(variables)):
        words = []
        for piece in pieces_of(word, n):
            if type(piece) is str:
                c = forms.multiply(c, generator(forms, piece))
            else:
                words.append(piece)
        words = in_order(words)
        out[words] = forms.add(out.get(words, NULL), c)
    need(len(out) <= MAX_MEMBERS, "too much work: a long sum of traces")
    return out


# --- the sum over pairings -------------------------------------------------


def mean(words, laws):
    """Return the mean of a product of traces: multisets to (sorted sizes to integers)."""
    fixed = [w for w in words if all(x[0] not in laws for x in w)]
    threads, ends = {}, {}
    for w in words:
        places = [i for i, x in enumerate(w) if x[0] in laws]
        names = [(len(ends) + k) for k in range(len(places))]
        for k, i in enumerate(places):
            j = places[(k + 1) % len(places)]
            between = w[i + 1 : j] if i < j else w[i + 1 :] + w[:j]
            a, b = (names[k], "right"), (names[(k + 1) % len(places)], "left")
            threads[a], threads[b] = (b, between), (a, turned(between))
            ends[names[k]] = w[i]
    out = {}
    for partner in all_pairings(ends):
        dims, found = [], list(fixed)
        for loop, n in loops(threads, ends, partner, laws):
            for piece in pieces_of(loop, n):
                (dims if type(piece) is str else found).append(piece)
        sizes = out.setdefault(in_order(found), {})
        tag = tuple(sorted(dims))
        sizes[tag] = sizes.get(tag, 0) + 1
    return out


def pairings(words, laws):
    """Return how many pairings there are of the variables in a product of traces."""
    count = Counter(x[0] for w in words for x in w if x[0] in laws)
    if any(n % 2 for n in count.values()):
        return 0
    return prod(prod(range(1, n, 2)) for n in count.values())


def all_pairings(ends):
    """Yield all maps that pair each occurrence with another one of the same variable."""
    groups = {}
    for name, (letter, _, _) in ends.items():
        groups.setdefault(letter, []).append(name)
    groups = list(groups.values())
    if any(len(g) % 2 for g in groups):
        return

    def extend(left, partner):
        """Yield the pairings of all groups that are left."""
        if not left:
            yield dict(partner)
            return
        (first, *others), *rest = left
        for k, second in enumerate(others):
            fewer = others[:k] + others[k + 1 :]
            more = {**partner, first: second, second: first}
            yield from extend([fewer, *rest] if fewer else rest, more)

    yield from extend(groups, {})


def loops(threads, ends, partner, laws):
    """Yield the word and the rows of each loop of a pairing."""
    left = set(threads)
    while left:
        start = here = min(left)
        word = ()
        while True:
            there, between = threads[here]
            left -= {here, there}
            name, side = there
            letter, _, transposed = ends[name]
            at_rows = (side == "left") != transposed
            covariance = laws[letter].parts[0 if at_rows else 1]
            word += between
            if covariance.head != "M.id":
                word += (word_letter(covariance),)
            other = partner[name]
            here = other, ("left" if at_rows != ends[other][2] else "right")
            if here == start:
                break
        yield word, shape(covariance)[0]

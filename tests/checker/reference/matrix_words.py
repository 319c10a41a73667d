"""Words of letters, cyclic words and their equivalence (the extension, M3).

A word letter is a triple: the letter, whether it is inverse, whether it is transposed.  Letters
of one family stay letters: no exponents are formed.  A word is reduced by a stack, and a cyclic
word is the least of its rotations and of those of its transpose, with each run of a family sorted.
"""

from functools import lru_cache
from itertools import pairwise, takewhile

from .keys import key
from .matrix_nodes import SYMMETRIC, family_of, shape, sort_of
from .matrix_shapes import OF_FUNCTIONS
from .nodes import build
from .theorems import need

MAX_WORD = 500


def word_letter(node):
    """Return the word letter of a letter, the inverse of one, a gradient or a Hessian."""
    if node.head == "M.inv":
        return node.parts[0], True, False
    return named_by_key(node) if node.head in OF_FUNCTIONS else node, False, False


def named_by_key(node):
    """Return a letter for all gradients or Hessians with one key; no letter has such a name."""
    sort = "S" if node.head == "M.hess" else "M"
    return build("M", (key(node), sort, *shape(node), ""))


def turned(word):
    """Return the transpose of a word."""
    return tuple(
        (a, inverse, transposed if sort_of(a) in SYMMETRIC else not transposed)
        for a, inverse, transposed in reversed(word)
    )


def rows_of(x):
    """Return the rows of a word letter."""
    letter, _, transposed = x
    return letter.params[3 if transposed else 2]


def cut(word, n):
    """Return the pieces of a closed word of n rows, each with its rows (M3.2, step 1)."""
    places = [i for i, x in enumerate(word) if rows_of(x) == "1"]
    if not places:
        return [(word, rows_of(word[0]) if word else n)]
    word = word[places[0] :] + word[: places[0]]
    ends = [i - places[0] for i in places] + [len(word)]
    return [(word[a:b], "1") for a, b in pairwise(ends)]


def are_inverse(x, y):
    """Tell whether two word letters are inverse to each other."""
    return x[0] is y[0] and x[1] != y[1] and x[2] == y[2]


def commute(x, y):
    """Tell whether two neighbours are of one family."""
    family = family_of(x[0])
    return family is not None and family == family_of(y[0])


@lru_cache(maxsize=4096)
def cyclic(piece):
    """Return one word for all that are equivalent to a cyclic word (empty if it vanishes)."""
    need(len(piece) <= MAX_WORD, "too much work: a long word")
    word = shortened(piece)
    while word:
        pair = seam(word)
        if pair is None:
            break
        word = [x for i, x in enumerate(word) if i not in pair]
    return min((least(tuple(w)) for w in (word, turned(word))), key=order_of)


def shortened(word):
    """Return the letters of a word without those that meet their inverses."""
    stack = []
    for x in word:
        at = len(stack) - 1
        while at >= 0 and not are_inverse(stack[at], x) and commute(stack[at], x):
            at -= 1
        if at >= 0 and are_inverse(stack[at], x):
            del stack[at]
        else:
            stack.append(x)
    return stack


def seam(word):
    """Return the places of two letters that meet across the seam and are inverse, else None."""
    count = len(word)
    heads = run_of(word, range(count))
    tails = run_of(word, reversed(range(count)))
    return next(((i, j) for i in heads for j in tails if are_inverse(word[i], word[j])), None)


def run_of(word, places):
    """Return the places of the first letter and of all after it that commute with it."""
    first, *rest = places
    return [first, *takewhile(lambda i: commute(word[i], word[first]), rest)]


def sort_key(x):
    """Return what word letters are sorted by."""
    return x[0].params, x[1], x[2]


def order_of(word):
    """Return what words are compared by."""
    return [sort_key(x) for x in word]


def least(word):
    """Return the least rotation of a cyclic word, with sorted runs of one family."""
    starts = [i for i, x in enumerate(word) if not commute(word[i - 1], x)]
    if not starts:
        return tuple(sorted(word, key=sort_key))
    word = word[starts[0] :] + word[: starts[0]]
    bounds = [i - starts[0] for i in starts] + [len(word)]
    runs = [tuple(sorted(word[a:b], key=sort_key)) for a, b in pairwise(bounds)]
    turns = (runs[i:] + runs[:i] for i in range(len(runs)))
    return min((tuple(x for run in turn for x in run) for turn in turns), key=order_of)

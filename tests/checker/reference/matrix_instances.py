"""Instances of theorems about matrices: families of letters, and sizes (the extension, M2)."""

from collections import Counter
from itertools import combinations

from .matrix_nodes import equal, family_of, product
from .nodes import BINDERS, Node, build, union
from .substitution import apart, subst
from .theorems import need


def kin(s):
    """Return the family and the rows of a letter that has a family, else None."""
    if isinstance(s, Node) and s.head == "M" and family_of(s):
        return family_of(s), s.params[2]
    return None


def commuting(theorem, pairs):
    """Return formulas that say that values of letters of one family commute.

    Refuse values of some letters of a family while others of it are free in the theorem.
    """
    families = {kin(s) for s, _ in pairs} - {None}
    if not families:
        return []
    free = union(p.free for p in (theorem.conclusion, *theorem.hypotheses.values()))
    here = {s for s, _ in pairs}
    need(
        all(s in here for s in free if kin(s) in families),
        "a letter of the family has no value",
    )
    return [
        equal(product(v, w), product(w, v))
        for (s, v), (t, w) in combinations(pairs, 2)
        if kin(s) is not None and kin(s) == kin(t)
    ]


def instance_of_sizes(theorem, pairs):
    """Conclude a theorem with other sizes in the place of names of sizes."""
    names = {}
    for s, v in pairs:
        need(
            isinstance(s, Node) and s.head == "M.dim" and v.head == "M.dim",
            "sizes and other symbols in one instance",
        )
        names[s.params[0]] = v.params[0]
    formulas = [theorem.conclusion, *theorem.hypotheses.values()]
    letters = letters_of(union(p.free for p in formulas))
    new = {resized(a, names) for a in letters}
    need(len(new) == len(letters), "two letters become identical")
    functions = {s for p in formulas for s in p.free if type(s) is tuple and s[0] == "M.h"}
    become = {(name, names.get(n, n)) for _, name, n in functions}
    need(len(become) == len(functions), "two functions become identical")
    conclusion, *hyps = (resized(p, names) for p in formulas)
    return conclusion, hyps


def letters_of(symbols):
    """Return the letters among symbols."""
    return [s for s in symbols if isinstance(s, Node) and s.head == "M"]


def renamed(t, names):
    """Return a binder whose variables become identical to no other letter of its inside.

    Variables that would are renamed first, as in a substitution (2.3).
    """
    free = t.inside[0].free
    become = Counter(resized(a, names) for a in {*letters_of(free), *t.vars})
    clash = [x for x in t.vars if become[resized(x, names)] > 1]
    if not clash:
        return t
    new = apart(clash, free.union(t.vars))
    xs = tuple(new.get(x, x) for x in t.vars)
    return build(t.head, t.params, (), xs, (subst(t.inside[0], new),), t.outside)


def resized(t, names, memo=None):
    """Return a node with other sizes in its letters, unit matrices and terms `M.dim`."""
    memo = {} if memo is None else memo
    if t not in memo:
        memo[t] = resized_node(t, names, memo)
    return memo[t]


def resized_node(t, names, memo):
    """Return a node with other sizes; the memo belongs to these names."""
    if not t.extensions:
        return t
    params = t.params
    if t.head == "M":
        name, sort, rows, columns, family = params
        params = (name, sort, names.get(rows, rows), names.get(columns, columns), family)
    elif t.head in ("M.id", "M.dim"):
        params = (names.get(params[0], params[0]),)

    def each(group):
        return tuple(resized(p, names, memo) for p in group)

    if t.head in ("M.E", "M.forall"):
        t = renamed(t, names)
    if t.head in BINDERS:
        return build(t.head, params, (), each(t.vars), each(t.inside), each(t.outside))
    return build(t.head, params, each(t.parts))

"""New names, substitution and conditions on values (sections 2.2 to 2.4)."""

from .matrix_nodes import (
    equal,
    invertible,
    is_matrix,
    semidefinite,
    shape,
    sort_of,
    transposed,
)
from .nodes import (
    BINDERS,
    MAX_NODES,
    ZERO,
    Node,
    Refused,
    build,
    defined,
    deriv,
    forall,
    integer,
    is_term,
    le,
    lt,
    rel,
    sentence,
    union,
)
from .reading import check


def name_of(item):
    """Return the name of a symbol, a letter, a size, a function or a sequence."""
    return item.params[0] if isinstance(item, Node) else item[1]


def fresh(s, taken):
    """Return the symbol or letter s with primes until no member of taken has its name."""
    names = {name_of(t) for t in taken}
    name = s.params[0]
    while name in names:
        name += "'"
    return build(s.head, (name, *s.params[1:]))


def apart(xs, taken):
    """Return a map from the variables to new symbols, chosen in order."""
    taken, out = set(taken), {}
    for x in xs:
        out[x] = fresh(x, taken)
        taken.add(out[x])
    return out


# --- 2.3 substitution ------------------------------------------------------


def subst(t, sigma):
    """Return t with symbols, functions and sequences replaced simultaneously."""
    sigma = {s: v for s, v in sigma.items() if v is not s}
    return _subst(t, sigma, {})


def _subst(t, sigma, memo):
    """Return t with sigma substituted; the memo belongs to this sigma."""
    if t.head in ("s", "M"):
        return sigma.get(t, t)
    if not sigma or t.free.isdisjoint(sigma):
        return t
    if t in memo:
        return memo[t]
    if t.head in BINDERS:
        out = _subst_binder(t, sigma, memo)
    else:
        parts = tuple(_subst(p, sigma, memo) for p in t.parts)
        out = None
        if t.head in ("u", "ix"):
            value = sigma.get((t.head, t.params[0], t.params[1], len(t.parts)))
            if value is not None:
                out = applied(value, t.params[2] if t.head == "u" else (0,) * len(parts), parts)
        if out is None:
            out = build(t.head, t.params, parts)
        if t.head in ("M.inv", "M.gauss"):
            check(out)
    if out.size > MAX_NODES:
        raise Refused("a substitution is too large")
    memo[t] = out
    return out


def _subst_binder(t, sigma, memo):
    """Return a binder after substitution, with variables that capture nothing."""
    left = {s: v for s, v in sigma.items() if s in t.free}
    if t.head in ("E", "copies", "M.E") and any(v.copies for v in left.values()):
        raise Refused("copies substituted into an expectation")
    bound = union(p.free for p in t.inside)
    inner = {s: v for s, v in left.items() if s in bound and s not in t.vars}
    coming = union(v.free for v in inner.values())
    clash = [x for x in t.vars if x in coming]
    xs = t.vars
    if clash:
        new = apart(clash, coming | bound | set(t.vars))
        inner.update(new)
        xs = tuple(new.get(x, x) for x in xs)
    within = memo if len(inner) == len(sigma) and not clash else {}
    inside = tuple(_subst(p, inner, within) for p in t.inside)
    outside = tuple(_subst(p, sigma, memo) for p in t.outside)
    return build(t.head, t.params, (), xs, inside, outside)


def applied(function, orders, points):
    """Return a function (one body) at points, differentiated so often."""
    if function.head != "lam" or len(function.inside) != 1 or len(function.vars) != len(points):
        raise Refused("a function of a wrong shape")
    if any(orders):
        return deriv(orders, function.vars, function.inside[0], points)
    if lost(function.vars, function.inside[0], points):
        raise Refused("a point that may be undefined is lost")
    return subst(function.inside[0], dict(zip(function.vars, points, strict=True)))


def lost(xs, body, points):
    """Return the points that may be undefined and whose variable does not count in the body."""
    some = counting(body)
    return [
        p
        for x, p in zip(xs, points, strict=True)
        if p.head not in ("n", "pi", "s") and x not in some
    ]


def counting(t):
    """Return the symbols that are free outside of the insides of all sums and copies."""
    if t.head == "s":
        return frozenset((t,))
    if t.head not in BINDERS:
        return union(map(counting, t.parts))
    out = union(map(counting, t.outside))
    if t.head not in ("sum", "copies"):
        out |= union(map(counting, t.inside)) - set(t.vars)
    return out


# --- 2.4 conditions on values ----------------------------------------------


def sorted_as(sort, v):
    """Return the formulas that say that v is of the sort."""
    out = [integer(v)] if sort[0] == "Z" else []
    rest = sort[1:]
    out.append(
        defined(v)
        if not rest
        else {
            ">0": lt(ZERO, v),
            "<0": lt(v, ZERO),
            ">=0": le(ZERO, v),
            "<=0": le(v, ZERO),
            "!=0": rel("!=", v, ZERO),
        }[rest]
    )
    return out


def conditions(s, v):
    """Return what has to hold so that v may stand for s."""
    if v is s:
        return []
    if isinstance(s, Node) and s.head == "M":
        return conditions_of_letter(s, v)
    if not (is_term(v) or v.head == "lam") or v.copies:
        raise Refused("this value may not be substituted")
    if isinstance(s, Node):
        if not is_term(v):
            raise Refused("a function stands for a symbol")
        return sorted_as(s.params[1], v)
    kind, _, sort, count = s
    if (
        v.head != "lam"
        or len(v.vars) != count
        or len(v.inside) != 1
        or any(x.params[1] != ("R" if kind == "u" else "Z") for x in v.vars)
    ):
        raise Refused("a function of a wrong shape")
    out = []
    for p in sorted_as(sort, v.inside[0]):
        out.append(p if p.free.isdisjoint(v.vars) else forall(v.vars, p))
    return out + ([sentence("moderate", v)] if kind == "u" else [])


def conditions_of_letter(s, v):
    """Return what has to hold so that the matrix v may stand for a letter (M2)."""
    if not is_matrix(v) or v.copies or shape(v) != shape(s):
        raise Refused("a letter stands for a matrix of its shape without copies")
    return {
        "M": [equal(v, v)],
        "S": [equal(transposed(v), v)],
        "S>=0": [semidefinite(v)],
        "S>0": [semidefinite(v), invertible(v)],
        "GL": [invertible(v)],
    }[sort_of(s)]

"""Notions that several rules share (sections 4.2 to 4.4)."""

from . import terms as tm
from .terms import (
    MINUS,
    MINUS_TWO,
    ONE,
    ZERO,
    Refused,
    add,
    apart,
    check,
    defined,
    eq,
    is_term,
    key,
    le,
    mul,
    same,
    sentence,
    subst,
    tup,
    whole,
)
from .theorems import need

# --- 4.2 common notions ----------------------------------------------------


def leaving(node, hyps):
    """Return the hypotheses that remain outside of a binder."""
    hyps, more = dict(hyps), []
    if node.head in ("sum", "int"):
        x, (a, b) = node.vars[0], node.outside
        for end, bound in ((a, le(a, x)), (b, le(x, b))):
            if is_term(end) and x not in end.free and hyps.pop(key(bound), None) is not None:
                more = [le(a, b)] if node.head == "int" else []
                need(not more or (is_term(a) and is_term(b)), "an end is no term")
    for h in hyps.values():
        if node.head == "E" and h.copies:
            need(
                h.head == "=" and h.parts[0].head == "copies" and same(*h.parts),
                "a hypothesis has copies",
            )
        need(h.free.isdisjoint(node.vars), "a variable is free in a hypothesis: " + tm.show(h))
    for p in more:
        hyps[key(p)] = p
    return hyps


def follow(node, step):
    """Return (group, index) of a step in a node; refuse one that leads nowhere."""
    count = len(node.params)
    if node.head in tm.BINDERS:
        need(
            type(step) in (list, tuple) and len(step) == 2 and all(map(whole, step)),
            "a step into a binder is a pair",
        )
        group = {count + 2: node.inside, count + 3: node.outside}.get(step[0])
        need(group is not None and 0 <= step[1] < len(group), "a step leads nowhere")
        return step[0] - count - 1, step[1]
    need(whole(step), "a step is an integer")
    need(0 <= step - 1 - count < len(node.parts), "a step leads nowhere")
    return 0, step - 1 - count


def child(node, place):
    """Return the part at (group, index)."""
    return ((node.parts, node.inside, node.outside)[place[0]])[place[1]]


def with_child(node, place, part):
    """Return the node with another part at (group, index)."""
    group, at = place

    def put(parts):
        return (*parts[:at], part, *parts[at + 1 :])

    if group == 0:
        return tm.build(node.head, node.params, put(node.parts))
    inside = put(node.inside) if group == 1 else node.inside
    outside = put(node.outside) if group == 2 else node.outside
    return tm.build(node.head, node.params, (), node.vars, inside, outside)


def check_path(path):
    """Refuse what is no path."""
    need(type(path) in (list, tuple) and len(path) <= 199, "a path is a list")


def added(parts):
    """Return the sum of a list, without zeros."""
    parts = [p for p in parts if p is not ZERO]
    return ZERO if not parts else parts[0] if len(parts) == 1 else add(*parts)


def multiplied(*parts):
    """Return the product of a list, without ones."""
    if any(p is ZERO for p in parts):
        return ZERO
    parts = [p for p in parts if p is not ONE]
    return ONE if not parts else parts[0] if len(parts) == 1 else mul(*parts)


def law_moments(law):
    """Return the means and the covariance matrix (rows) of one law."""
    if law.head == "noise":
        return [ZERO], [[law.parts[0]]]
    n = law.params[0]
    rest = law.parts[n:]
    return list(law.parts[:n]), [list(rest[i * n : i * n + n]) for i in range(n)]


def joint(laws):
    """Return the means and the block diagonal covariance matrix of laws."""
    total = sum(map(tm.dimension, laws))
    means, matrix, at = [], [], 0
    for law in laws:
        m, c = law_moments(law)
        means += m
        for row in c:
            matrix.append([ZERO] * at + row + [ZERO] * (total - at - len(m)))
        at += len(m)
    return means, matrix


def semidefinite(m):
    """Return formulas that say that a matrix is positive semidefinite."""
    n = len(m)
    if all(m[i][j] is ZERO for i in range(n) for j in range(n) if i != j):
        return [le(ZERO, m[i][i]) for i in range(n)]
    out = [eq(m[i][j], m[j][i]) for i in range(n) for j in range(i) if not same(m[i][j], m[j][i])]
    return [*out, sentence("psd", tup(*(c for row in m for c in row)))]


def exists(laws):
    """Return formulas that say that laws exist."""
    out = []
    for law in laws:
        means, matrix = law_moments(law)
        out += [defined(m) for m in means if m.head != "n"]
        out += semidefinite(matrix)
    return out


def opened(node):
    """Return the inside of a binder with new variables, and these."""
    new = apart(node.vars, node.free)
    return subst(node.inside[0], new), frozenset(new.values())


def term(node):
    """Refuse what is no term; return it."""
    need(is_term(node), "a term is expected")
    return node


def expectation(node):
    """Refuse what is no E; return its variables, body and laws."""
    need(node.head == "E", "an expectation is expected")
    return node.vars, node.inside[0], node.outside


def groups(node):
    """Return for each law of an E its variables."""
    out, at = [], 0
    for law in node.outside:
        out.append(node.vars[at : at + tm.dimension(law)])
        at += tm.dimension(law)
    return out


# --- 4.3 polynomial forms --------------------------------------------------


def poly(t, xs):
    """Return the polynomial form of t: exponents to coefficients."""
    zero = (0,) * len(xs)
    if t.free.isdisjoint(xs):
        return {zero: t}
    if t in xs:
        at = xs.index(t)
        return {tuple(int(i == at) for i in range(len(xs))): ONE}
    if t.head == "+":
        lists = {}
        for part in t.parts:
            for e, c in poly(part, xs).items():
                lists.setdefault(e, []).append(c)
        return bounded({e: added(cs) for e, cs in lists.items()})
    if t.head == "*":
        factors = [poly(p, xs) for p in t.parts]
    elif t.head == "^" and t.params[1] == 1 and 1 <= t.params[0] <= 8:
        factors = [poly(t.parts[0], xs)] * t.params[0]
    else:
        raise Refused("no polynomial form: " + tm.show(t))
    out = {zero: ONE}
    for factor in factors:
        lists = {}
        for e, a in out.items():
            for f, b in factor.items():
                lists.setdefault(tuple(i + j for i, j in zip(e, f, strict=True)), []).append(
                    multiplied(a, b)
                )
        out = bounded({e: added(cs) for e, cs in lists.items()})
    return out


def bounded(form):
    """Refuse a polynomial form beyond the limits of 1.8."""
    need(
        len(form) <= 499 and sum(c.size for c in form.values()) <= tm.MAX_NODES,
        "a polynomial form is too large",
    )
    return form


def unit(n, *places):
    """Return exponents with one for each place named."""
    return tuple(places.count(i) for i in range(n))


def affine(t, xs):
    """Return the coefficients of an affine form, and its rest."""
    xs = list(xs)
    form = poly(t, xs)
    need(all(sum(e) <= 1 for e in form), "no affine form")
    n = len(xs)
    return [form.get(unit(n, i), ZERO) for i in range(n)], form.get((0,) * n, ZERO)


# --- 4.4 moderate functions ------------------------------------------------

_BOUNDED = frozenset(["erf", "erf_prime", "erf_second", "sin", "cos", "atan", "tanh"])


def by_name(symbols):
    """Return symbols sorted by name, then by sort."""
    return sorted(symbols, key=lambda s: s.params)


def mod(t, names):
    """Return formulas under which t is a moderate function of the names."""
    names = frozenset(names)
    if t.free.isdisjoint(names) and not t.copies:
        return [] if t.head in ("n", "pi") else [defined(t)]
    if t in names:
        return []
    h = t.head
    here = by_name(names & t.free)
    if h in ("+", "*"):
        return [f for p in t.parts for f in mod(p, names)]
    if h == "^":
        need(t.params[0] > 0 and t.params[1] == 1, "a power that is not moderate")
        return mod(t.parts[0], names)
    if h == "f" and t.params[0] in _BOUNDED:
        poly(t.parts[0], here)
        return mod(t.parts[0], names)
    if h == "f" and t.params[0] == "exp":
        return mod_exp(t.parts[0], here, names)
    if h == "u":
        need(not t.copies, "copies in an unknown function")
        for a in t.parts:
            affine(a, here)
        return [f for a in t.parts for f in mod(a, names)]
    if h == "d":
        for p in t.outside:
            need(not p.copies, "copies in a point")
            affine(p, here)
        return [f for p in t.outside for f in mod(p, names)] + mod_within(t, names)
    if h == "E":
        need(all(law.free.isdisjoint(names) for law in t.outside), "a law is not fixed")
        return exists(t.outside) + quadratic(t) + mod_within(t, names)
    if h == "copies":
        need(t.free.isdisjoint(names), "copies that depend on variables")
        need(all(law.head == "gauss" for law in t.outside[1:]), "copies of a noise")
        n = t.outside[0]
        return [tm.integer(n), le(ZERO, n), *exists(t.outside[1:]), *mod_within(t, frozenset())]
    raise Refused("not moderate: " + tm.show(t))


def mod_exp(a, here, names):
    """Return formulas under which exp(a) is moderate."""
    need(not a.copies, "copies in an exponential")
    form, n = poly(a, here), len(here)
    need(all(sum(e) <= 2 for e in form), "an exponent of a degree above 2")
    matrix = [
        [
            multiplied(MINUS_TWO if i == j else MINUS, form.get(unit(n, i, j), ZERO))
            for j in range(n)
        ]
        for i in range(n)
    ]
    return semidefinite(matrix) + mod(a, names)


def mod_within(t, names):
    """Return what the inside of a binder needs to be moderate."""
    new = apart(t.vars, names | t.free)
    return mod(subst(t.inside[0], new), names | frozenset(new.values()))


def quadratic(node):
    """Refuse an expectation of a degree above 2 in a noise; return nothing."""
    for law, xs in zip(node.outside, groups(node), strict=True):
        if law.head == "noise":
            need(degree(node.inside[0], xs[0]) <= 2, "a noise of a degree above 2")
    return []


def degree(f, x):
    """Return a bound of the degree of f in x."""
    if x not in f.free:
        return 0
    if f is x:
        return 1
    if f.head == "+":
        return max(degree(p, x) for p in f.parts)
    if f.head == "*":
        return sum(degree(p, x) for p in f.parts)
    if f.head == "^" and f.params[1] == 1 and f.params[0] > 0:
        return f.params[0] * degree(f.parts[0], x)
    raise Refused("no polynomial in a noise")


def growing(t, names):
    """Return formulas under which t has a mean."""
    try:
        return mod(t, names)
    except Refused:
        pass
    need(not t.copies, "copies in a term that is not moderate")
    h = t.head
    if (
        h in ("+", "*")
        or (h == "^" and t.params[0] > 0 and t.params[1] == 1)
        or (h == "f" and t.params[0] in ("abs", "max", "sign"))
    ):
        return [f for p in t.parts for f in growing(p, names)]
    if h == "f" and t.params[0] == "log":
        a = t.parts[0]
        return [tm.forall(by_name(names), le(ONE, a)), *growing(a, names)]
    if h == "f" and t.params[0] == "exp":
        for part in leaves(t.parts[0]):
            if part.head == "f" and part.params[0] == "abs":
                v = part.parts[0]
                return growing(swapped(t, part, v), names) + growing(
                    swapped(t, part, tm.neg(v)), names
                )
    raise Refused("no mean by form: " + tm.show(t))


def leaves(t):
    """Return the parts of nested sums and products, in order."""
    return [q for p in t.parts for q in leaves(p)] if t.head in ("+", "*") else [t]


def swapped(t, old, new):
    """Return a term with another part in its sums, products and functions."""
    if t is old:
        return new
    if t.head in ("+", "*", "f"):
        return tm.build(t.head, t.params, tuple(swapped(p, old, new) for p in t.parts))
    return t


def checked(node):
    """Refuse a node that is not well-formed at its top."""
    return check(node)

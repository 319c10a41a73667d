"""The rules about unknown functions of vectors (the extension, U4 and U5)."""

from . import terms as tm
from .forms import leaving
from .matrix_nodes import (
    defined_matrix,
    for_all,
    is_matrix,
    product,
    scaled,
    total,
    trace,
    value_at,
)
from .matrix_rules import checked
from .matrix_shapes import OF_FUNCTIONS
from .terms import (
    ZERO,
    add,
    apart,
    build,
    defined,
    deriv,
    eq,
    fresh,
    is_term,
    le,
    mul,
    neg,
    rel,
    same,
    square,
    subst,
    symbol,
)
from .theorems import merged, need, rule

# Heads whose nodes are tame if their parts are.
_TAME = frozenset(["+", "*", "^", "M.tr", "M.mul", "M.add", "M.scale", "M.T", *OF_FUNCTIONS])


def tame(t, xs, *, smooth=False):
    """Return formulas under which a term or a matrix is bounded by a power of letters (U4).

    If `smooth`, it has to be continuously differentiable, too: `tame1`.
    """
    if t.free.isdisjoint(xs):
        return defined_matrix(t) if is_matrix(t) else [] if t.head == "n" else [defined(t)]
    if t in xs:
        return []
    need(t.head in _TAME, "not tame: " + tm.show(t))
    need(t.head != "^" or (t.params[0] > 0 and t.params[1] == 1), "a power that is not tame")
    need(not smooth or t.head != "M.hess", "a Hessian has no derivative")
    return [p for part in t.parts for p in tame(part, xs, smooth=smooth)]


def mean_over_matrices(node):
    """Refuse what is no mean over matrices; return its variables, body and laws."""
    need(node.head == "M.E", "no mean over matrices")
    return node.vars, node.inside[0], node.outside


def mean_of(xs, f, laws):
    """Return a mean over matrices."""
    return build("M.E", (), (), tuple(xs), (f,), tuple(laws))


# --- vectors and all letters -----------------------------------------------


@rule("equal vectors", "t", 1)
def equal_vectors(premises, node):
    """Conclude that a function, its gradient or its Hessian has one value at equal vectors."""
    need(node.head in OF_FUNCTIONS, "no function of a vector")
    c = premises[0].conclusion
    need(c.head == "M.eq" and same(c.parts[0], node.parts[0]), "an equation of another vector")
    head = "=" if is_term(node) else "M.eq"
    return checked(rel(head, node, value_at(node, c.parts[1])), merged(premises))


@rule("generalise letters", "ts", 1)
def generalise_letters(premises, xs):
    """Conclude for all values of letters that no hypothesis has."""
    hyps = merged(premises)
    need(all(h.free.isdisjoint(xs) for h in hyps.values()), "a letter is free in a hypothesis")
    return checked(for_all(xs, premises[0].conclusion), hyps)


@rule("specialise letters", "ts", 1)
def specialise_letters(premises, values):
    """Conclude an instance of a conclusion about all matrices."""
    p = premises[0].conclusion
    need(p.head == "M.forall" and len(values) == len(p.vars), "no matching universal formula")
    hyps = list(merged(premises).values())
    for x, v in zip(p.vars, values, strict=True):
        hyps += tm.conditions(x, v)
    return checked(subst(p.inside[0], dict(zip(p.vars, values, strict=True))), hyps)


# --- means -----------------------------------------------------------------


@rule("mean exists", "t", 0, ["gaussian-moments"])
def mean_exists(_, node):
    """Conclude that the mean of a tame term exists."""
    xs, f, _ = mean_over_matrices(node)
    return checked(defined(node), tame(f, xs))


@rule("compare means", "t ts ts", 1, ["integral-linearity"])
def compare_means(premises, node, factors, parts):
    """Conclude how the mean of a term lies to means of others, from the terms."""
    xs, f, laws = mean_over_matrices(node)
    need(len(factors) == len(parts) > 0, "a factor for each part, and at least one")
    need(all(map(is_term, [*factors, *parts])), "terms are expected")
    need(all(not c.copies and c.free.isdisjoint(xs) for c in factors), "a factor is random")

    def combined(terms):
        out = [mul(c, t) for c, t in zip(factors, terms, strict=True)]
        return out[0] if len(out) == 1 else add(*out)

    c = premises[0].conclusion
    need(c.head in ("=", "<", "<="), "another relation")
    need(same(c, rel(c.head, f, combined(parts))), "another premise")
    means = [mean_of(xs, part, laws) for part in parts]
    hyps = [*leaving(node, premises[0].hypotheses).values(), *map(defined, means)]
    if c.head != "=":
        hyps.append(defined(node))
    return checked(rel(c.head, node, combined(means)), hyps)


def moved(moves, taken):
    """Return a new number, and for each letter the line along another one that it moves on."""
    s = fresh(symbol("s"), taken.union(moves.values()))
    return s, {x: total(x, scaled(s, y)) for x, y in moves.items()}


def slope(f, s):
    """Return the derivative of a term at 0."""
    return deriv((1,), [s], f, [ZERO])


@rule("stein for matrices", "t t", 0, ["stein-lemma-of-matrices"])
def stein_for_matrices(_, node, z):
    """Conclude the mean of a Gaussian matrix times a function of it."""
    xs, f, laws = mean_over_matrices(node)
    need(z in xs, "no variable of the mean")
    need(f.head == "*" and len(f.parts) == 2 and f.parts[0].head == "M.tr", "another body")
    word, rest = f.parts[0].parts[0], f.parts[1]
    need(word.head == "M.mul" and len(word.parts) == 2 and word.parts[1] is z, "another trace")
    taken = f.free.union(xs)
    y = fresh(z, taken)
    s, line = moved({z: y}, taken)
    body = mul(trace(product(subst(word.parts[0], line), y)), subst(rest, line))
    inner = mean_of([y], slope(body, s), [laws[xs.index(z)]])
    return checked(eq(node, mean_of(xs, inner, laws)), tame(f, xs, smooth=True))


@rule("poincare for matrices", "t", 0, ["poincare-inequality-of-matrices"])
def poincare_for_matrices(_, node):
    """Conclude a bound of the variance of a function of Gaussian matrices."""
    xs, f, laws = mean_over_matrices(node)
    taken = f.free.union(xs)
    new = apart(xs, taken)
    s, line = moved(new, taken)
    inner = mean_of(new.values(), square(slope(subst(f, line), s)), laws)
    variance = add(mean_of(xs, square(f), laws), neg(square(node)))
    return checked(le(variance, mean_of(xs, inner, laws)), tame(f, xs, smooth=True))

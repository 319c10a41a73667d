"""Rules of sums and integrals (section 4.8)."""

from . import terms as tm
from .calculus import continuous, vanishing
from .forms import exists, leaving, term
from .terms import (
    MINUS,
    MINUS_OO,
    ONE,
    OO,
    add,
    defined,
    eq,
    integer,
    is_term,
    lam,
    le,
    mul,
    neg,
    same,
    subst,
    with_body,
)
from .theorems import merged, need, rule


def averaged(node, *heads):
    """Refuse another node than an average or a sum; return its body."""
    need(node.head in heads, "another node is expected")
    return node.inside[0]


@rule("adjacent", "t t", 0, ["integral-linearity"])
def adjacent(_, first, second):
    """Conclude that integrals over adjacent ranges add up to one."""
    f, g = averaged(first, "int"), averaged(second, "int")
    (a, b), (c, e) = first.outside, second.outside
    need(is_term(b) and same(b, c), "the ranges are not adjacent")
    need(same(lam(first.vars, f), lam(second.vars, g)), "two different bodies")
    need(is_term(a) or a is not e, "an integral from an infinite end to itself")
    return (
        eq(add(first, second), tm.int_(first.vars[0], f, a, e)),
        [defined(first), defined(second)],
    )


@rule("bells", "t", 0, ["gaussian-moments"])
def bells(_, node):
    """Conclude that an integral of bells exists."""
    f, x = averaged(node, "int"), node.vars[0]
    hyps = [q for p in (f.parts if f.head == "+" else [f]) for q in vanishing(p, x)]
    hyps += [defined(end) for end in node.outside if is_term(end)]
    need(all(x not in q.free for q in hyps), "the variable is free in a hypothesis")
    return defined(node), hyps


@rule("constant", "t")
def constant(_, node):
    """Conclude the average or the sum of a constant."""
    c = averaged(node, "E", "sum", "int")
    need(c.free.isdisjoint(node.vars), "the body is not constant")
    if node.head == "E":
        need(not c.copies, "the body has copies")
        return eq(node, c), [*exists(node.outside), defined(c)], ["gaussian-normalisation"]
    a, b = node.outside
    if node.head == "int":
        need(is_term(a) and is_term(b), "an infinite range")
        return (
            eq(node, mul(c, add(b, neg(a)))),
            [defined(c), defined(a), defined(b)],
            ["integral-linearity"],
        )
    return (
        eq(node, mul(c, add(b, neg(a), ONE))),
        [defined(c), integer(a), integer(b), le(a, add(b, ONE))],
        ["induction"],
    )


@rule("equal bodies", "t", 1)
def equal_bodies(premises, node):
    """Conclude that equal bodies have equal averages."""
    f, c = averaged(node, "E", "int"), premises[0].conclusion
    need(c.head == "=" and c.parts[0] is f, "another body")
    hyps = [*leaving(node, merged(premises)).values(), defined(node)]
    return eq(node, with_body(node, c.parts[1])), hyps


@rule("integral exists", "t", 1, ["continuous-functions-integrable"])
def integral_exists(premises, node):
    """Conclude that the integral of a continuous function exists."""
    f, (a, b) = averaged(node, "int"), node.outside
    need(is_term(a) and is_term(b), "an infinite range")
    need(
        same(premises[0].conclusion, defined(f)) and continuous(f, node.vars[0]),
        "the body is not continuous by form",
    )
    return defined(node), [*leaving(node, merged(premises)).values(), defined(a), defined(b)]


@rule("linear", "t ts ts", 1)
def linear(premises, node, factors, parts):
    """Conclude that an average or a sum is linear."""
    f = averaged(node, "E", "int", "sum")
    need(len(factors) == len(parts) >= 1, "as many factors as parts")
    for c in factors:
        need(not term(c).copies and c.free.isdisjoint(node.vars), "a factor is not constant")
    for p in parts:
        term(p)

    def combined(values):
        out = [mul(c, v) for c, v in zip(factors, values, strict=True)]
        return out[0] if len(out) == 1 else add(*out)

    need(same(premises[0].conclusion, eq(f, combined(parts))), "another premise")
    means = [with_body(node, p) for p in parts]
    hyps = [*leaving(node, merged(premises)).values(), *map(defined, means)]
    if node.head == "sum":
        hyps += map(defined, factors)
    return (
        eq(node, combined(means)),
        hyps,
        ["induction" if node.head == "sum" else "integral-linearity"],
    )


@rule("term of a sum", "t t", 0, ["induction"])
def term_of_a_sum(_, node, c):
    """Conclude that one term may be split from a sum."""
    f, i, (a, b) = averaged(node, "sum"), node.vars[0], node.outside
    term(c)
    split = add(tm.sum_(i, f, a, add(c, MINUS)), subst(f, {i: c}), tm.sum_(i, f, add(c, ONE), b))
    return eq(node, split), [integer(c), le(a, c), le(c, b), defined(node)]


@rule("under", "t", 1)
def under(premises, node):
    """Conclude a relation of averages or sums from one of their bodies."""
    f, c = averaged(node, "E", "int", "sum"), premises[0].conclusion
    need(c.head in ("=", "<", "<=") and c.parts[0] is f, "another body")
    other = with_body(node, c.parts[1])
    hyps = list(leaving(node, merged(premises)).values())
    if node.head == "sum":
        a, b = node.outside
        hyps += [integer(a), integer(b), le(a, b) if c.head == "<" else le(a, add(b, ONE))]
    else:
        hyps += [defined(node), defined(other)]
        if node.head == "int":
            a, b = node.outside
            if is_term(a) and is_term(b) and c.head != "=":
                hyps.append(tm.rel(c.head, a, b))
            else:
                need(a is not OO and b is not MINUS_OO, "a range from infinity")
    return tm.rel(c.head, node, other), hyps

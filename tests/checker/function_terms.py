"""Short names for unknown functions of vectors, and the steps that proofs with them share."""

from __future__ import annotations

import pytest

from slrsym.checker import Rejected
from slrsym.checker.term import num, require_all_well_formed
from tests.checker.matrix_terms import (
    ONE_1,
    ONE_D,
    add,
    apply_rule,
    arithmetic,
    discharged,
    eq,
    less,
    letter,
    matrix_identity,
    over,
    scale,
    symbol,
    tr,
    turned,
)

ZERO, ONE, HALF = num(0), num(1), num(1, 2)
a, b, g, x, y, z = (letter(name, "d", "1") for name in "abgxyz")
# The copy of g that the rules on means make.
k = letter("g'", "d", "1")
S = letter("S", sort="S>=0")
L, K, m, s, t = (symbol(name) for name in ("L", "K", "m", "s", "t"))
# From x to y.
v = less(y, x)
# What is defined under a condition only, and the reasons why inferences are refused.
OPEN = over(symbol("r"))
UNDEFINED = "a denominator is not known to be nonzero"
DIFFERENT = "not known to compare"
WHITE, COLOURED = (g, ONE_D, ONE_1), (g, S, ONE_1)


def h(vector, name="h"):
    return "M.h", name, vector


def grad(vector, name="h"):
    return "M.grad", name, vector


def hess(vector, name="h"):
    return "M.hess", name, vector


def psd(matrix):
    return "M.psd", matrix


def for_all(p, *letters):
    return "M.forall", letters or (z,), (p,), ()


def dot(u, w):
    """Return the inner product of two vectors as tr(u' w)."""
    return tr(turned(u), w)


def derivative(body, name, at, order=1):
    return "d", (order,), (name,), (body,), (at,)


def at(number):
    """Return the point x + number v of the line from x to y."""
    return add(x, scale(number, v))


def assumed(p):
    return apply_rule("assume", [], p)


def at_equal(node, vector):
    """Return the equation of a node at its vector and at one that is equal to it."""
    return apply_rule("equal vectors", [matrix_identity(eq(node[2], vector))], node)


def without_defined(theorem):
    """Remove the hypotheses that say that matrices or terms are defined."""
    shown = []
    for p in theorem.hypotheses.values():
        if p[0] in ("M.eq", "=") and p[1] == p[2]:
            shown.append(matrix_identity(p) if p[0] == "M.eq" else arithmetic(p))
    return discharged(theorem, *shown)


def traces(equation, left, right=ONE_1):
    """Return tr(P A Q) = tr(P B Q) from A = B."""
    return without_defined(apply_rule("sandwich", [equation], left, right))


def at_vector(everywhere, vector):
    """Return what a hypothesis on all vectors says of one."""
    return without_defined(apply_rule("specialise letters", [assumed(everywhere)], (vector,)))


def second_derivative_bound(f, trace_of, everywhere):
    """Return 0 <= f'' at t, from a semidefinite Hessian on the line from x to y."""
    known = at_vector(everywhere, at(t))
    outer = without_defined(apply_rule("semidefinite", [], trace_of))
    fact = apply_rule("trace of semidefinite", [], known.conclusion[1], trace_of)
    fact = discharged(fact, known, outer)
    return arithmetic(("<=", ZERO, derivative(f, t, t, 2)), [fact])


def ends(*nodes):
    """Return what nodes at the ends of the line are at x and at y, as facts of arithmetic."""
    found = []
    for node in nodes:
        for number, vector in ((ZERO, x), (ONE, y)):
            equation = at_equal((*node[:2], at(number)), vector)
            found.append(equation)
    return found


def refused(why, prove, *arguments):
    """See that something is refused for a reason."""
    with pytest.raises(Rejected, match=why):
        prove(*arguments)


def refused_node(why, *nodes):
    for node in nodes:
        refused(why, require_all_well_formed, [node])


def refused_rule(why, name, premises, *data):
    refused(why, apply_rule, name, premises, *data)

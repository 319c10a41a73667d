"""The rules about matrices, except `isserlis` (the extension, M5)."""

from . import terms as tm
from .matrix_nodes import (
    COVARIANCES,
    INVERTIBLE,
    defined_matrix,
    equal,
    family_of,
    invertible,
    is_matrix,
    is_square,
    null,
    product,
    semidefinite,
    sort_of,
    trace,
    transposed,
)
from .matrix_shapes import OF_FUNCTIONS
from .terms import ZERO, both, either, eq, integer, le, lt, mul, rel, same, square
from .theorems import merged, need, rule


def checked(conclusion, hyps):
    """Return a conclusion and hypotheses all of whose nodes have shapes, or refuse."""
    hyps = list(hyps.values()) if isinstance(hyps, dict) else list(hyps)
    for p in [conclusion, *hyps]:
        tm.check_all(p)
    return conclusion, hyps


def matrices(*nodes):
    """Refuse what is no matrix."""
    need(all(map(is_matrix, nodes)), "a matrix is expected")


@rule("matrix identity", "t t", 1)
def matrix_identity(premises, goal, z):
    """Conclude that matrices are equal from traces with a letter that may be any matrix."""
    need(goal.head == "M.eq", "no equation of matrices")
    a, b = goal.parts
    need(z.head == "M" and sort_of(z) == "M", "no letter of sort M")
    wanted = tm.check_all(eq(trace(product(a, z)), trace(product(b, z))))
    need(same(premises[0].conclusion, wanted), "another premise")
    hyps = merged(premises)
    need(all(z not in p.free for p in (goal, *hyps.values())), "the letter is not arbitrary")
    return checked(goal, hyps)


@rule("sandwich", "t t", 1)
def sandwich(premises, p, q):
    """Conclude that traces with equal matrices in the middle are equal."""
    c = premises[0].conclusion
    need(c.head == "M.eq", "no equation of matrices")
    matrices(p, q)
    a, b = c.parts
    conclusion = eq(trace(product(p, a, q)), trace(product(p, b, q)))
    asked = defined_matrix(p) + defined_matrix(q)
    return checked(conclusion, [*merged(premises).values(), *asked])


@rule("symmetric", "", 1)
def symmetric(premises):
    """Conclude that a semidefinite matrix is symmetric."""
    c = premises[0].conclusion
    need(c.head == "M.psd", "no semidefinite matrix")
    return checked(equal(transposed(c.parts[0]), c.parts[0]), merged(premises))


@rule("equal matrices", "", 2)
def equal_matrices(premises):
    """Conclude of a matrix what holds of one that equals it."""
    c, e = (p.conclusion for p in premises)
    need(c.head in ("M.psd", "M.invertible") and e.head == "M.eq", "other premises")
    need(same(c.parts[0], e.parts[0]), "an equation of another matrix")
    return checked(tm.build(c.head, (), (e.parts[1],)), merged(premises))


@rule("size", "t")
def size(_, n):
    """Conclude that a size is a positive integer."""
    need(n.head == "M.dim", "no size")
    return both(integer(n), le(tm.ONE, n)), []


# --- traces ----------------------------------------------------------------


@rule("trace of semidefinite", "t t")
def trace_of_semidefinite(_, p, q):
    """Conclude that the trace of a product of two semidefinite matrices is not negative."""
    matrices(p, q)
    return checked(le(ZERO, trace(product(p, q))), [semidefinite(p), semidefinite(q)])


@rule("definite trace", "t t t")
def definite_trace(_, p, y, q):
    """Conclude that a matrix is zero, or the trace with definite matrices positive."""
    matrices(p, y, q)
    positive = lt(ZERO, trace(product(p, y, q, transposed(y))))
    hyps = [semidefinite(p), invertible(p), semidefinite(q), invertible(q)]
    return checked(either(equal(y, null(y)), positive), hyps + defined_matrix(y))


@rule("cauchy-schwarz for matrices", "t t t")
def cauchy_schwarz_for_matrices(_, a, p, b):
    """Conclude the Cauchy-Schwarz inequality of a trace with a semidefinite matrix."""
    matrices(a, p, b)

    def scalar(x, y):
        return trace(product(transposed(x), p, y))

    conclusion = le(square(scalar(a, b)), mul(scalar(a, a), scalar(b, b)))
    return checked(conclusion, [semidefinite(p), *defined_matrix(a), *defined_matrix(b)])


# --- semidefinite and invertible matrices ----------------------------------


@rule("semidefinite", "t")
def semidefinite_by_form(_, a):
    """Conclude by its form that a matrix is semidefinite."""
    matrices(a)
    need(is_square(a), "a matrix that is not square")
    return checked(semidefinite(a), conditions_of_semidefinite(a))


def conditions_of_semidefinite(a):
    """Return what a matrix of this form needs to be semidefinite."""
    h, parts = a.head, a.parts
    if h == "M.id":
        return []
    if h == "M":
        need(sort_of(a) in COVARIANCES, "a letter of another sort")
        return []
    if h == "M.inv":
        need(sort_of(parts[0]) == "S>0", "a letter of another sort")
        return []
    if h == "M.scale":
        return [le(ZERO, parts[0]), semidefinite(parts[1])]
    need(h in ("M.T", "M.add", "M.mul"), "no form of a semidefinite matrix")
    if h != "M.mul" or len(parts) == 1:
        return [semidefinite(p) for p in parts]
    if of_one_family(parts):
        return [semidefinite(p) for p in parts]
    first, *between, last = parts
    need(last is transposed(first) or first is transposed(last), "no form of a semidefinite matrix")
    middle = [] if not between else [between[0] if len(between) == 1 else product(*between)]
    return [semidefinite(p) for p in middle] + defined_matrix(first)


def of_one_family(parts):
    """Tell whether matrices are polynomials in letters of one family, of one size."""
    found = set()
    return all(collect_families(p, found) for p in parts) and len(found) <= 1


def collect_families(a, found):
    """Add to a set the families of letters in a matrix; tell whether each has a family."""
    if a.head == "M":
        found.add(family_of(a))
        return family_of(a) is not None
    if a.head in OF_FUNCTIONS:
        return False
    parts = a.parts[1:] if a.head == "M.scale" else a.parts
    return all(collect_families(p, found) for p in parts)


@rule("invertible", "t")
def invertible_by_form(_, a):
    """Conclude by its form that a matrix is invertible."""
    matrices(a)
    need(is_square(a), "a matrix that is not square")
    return checked(invertible(a), conditions_of_invertible(a))


def conditions_of_invertible(a):
    """Return what a matrix of this form needs to be invertible."""
    h, parts = a.head, a.parts
    if h in ("M.id", "M.inv"):
        return []
    if h == "M":
        need(sort_of(a) in INVERTIBLE, "a letter of another sort")
        return []
    if h == "M.scale":
        return [rel("!=", parts[0], ZERO), invertible(parts[1])]
    if h == "M.T":
        return [invertible(parts[0])]
    if h == "M.mul":
        need(all(map(is_square, parts)), "a factor that is not square")
        return [invertible(p) for p in parts]
    need(h == "M.add", "no form of an invertible matrix")
    return [*(semidefinite(p) for p in parts), invertible(parts[0])]

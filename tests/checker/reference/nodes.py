"""Nodes, the heads of terms and formulas, and abbreviations (sections 1.1 and 1.2)."""

from math import gcd

from .matrix_shapes import MATRICES, OF_FUNCTIONS, function_of


class Refused(Exception):  # noqa: N818 - the word of the specification
    """Say why an inference or a log is not accepted."""


# Heads of terms and formulas about matrices: the extension `matrices`, M1.2 and U1.1.
MATRIX_TERMS = frozenset(["M.tr", "M.dim", "M.E", "M.h"])
MATRIX_FORMULAS = frozenset(["M.eq", "M.psd", "M.invertible", "M.forall"])
MATRIX_HEADS = MATRICES | MATRIX_TERMS | MATRIX_FORMULAS | {"M.gauss"}
# The heads of each extension that has some.
HEADS_OF = {"matrices": MATRIX_HEADS}
_EXTENSIONS = {head: frozenset([e]) for e, heads in HEADS_OF.items() for head in heads}

TERMS = MATRIX_TERMS | frozenset(
    ["+", "*", "^", "f", "u", "ix", "n", "s", "pi", "sum", "int", "E", "copies", "d"]
)
RELATIONS = frozenset(("=", "!=", "<", "<="))
FORMULAS = RELATIONS | MATRIX_FORMULAS | {"and", "or", "not", "implies", "iff", "o", "forall"}
BINDERS = frozenset(["sum", "int", "E", "copies", "d", "lam", "forall", "M.E", "M.forall"])
MAX_DEPTH, MAX_READ, MAX_NODES = 150, 100000, 99999


class Node:
    """Hold one interned node; identical terms are one object."""

    __slots__ = (
        "copies",
        "depth",
        "extensions",
        "free",
        "full",
        "good",
        "head",
        "inside",
        "memo_key",
        "outside",
        "params",
        "parts",
        "shape",
        "size",
        "vars",
    )

    def __repr__(self):
        return f"<node {self.head}>"


_TABLE = {}


def build(head, params=(), parts=(), variables=(), inside=(), outside=()):
    """Return the interned node with these pieces, without checking it."""
    tag = (head, params, parts, variables, inside, outside)
    node = _TABLE.get(tag)
    if node is not None:
        return node
    node = Node()
    node.head, node.params = head, params
    node.vars, node.inside, node.outside = variables, inside, outside
    if head in BINDERS:
        parts = inside + outside
    node.parts = parts
    if head == "s":
        node.free = frozenset((node,))
    elif head in ("M", "M.id", "M.dim"):
        node.free = free_in_matrices(node)
    elif head in BINDERS:
        free = union(p.free for p in inside).difference(variables)
        node.free = free.union(*(p.free for p in outside))
    else:
        node.free = union(p.free for p in parts)
        if head == "u" or head == "ix":
            node.free |= {(head, params[0], params[1], len(parts))}
        elif head in OF_FUNCTIONS and params:
            node.free |= {function_of(node)}
    counted = outside if head == "E" else parts
    own = _EXTENSIONS.get(head, frozenset())
    node.extensions = union([own, *(p.extensions for p in (*variables, *parts))])
    node.copies = head == "copies" or any(p.copies for p in counted)
    node.depth = 1 + max([p.depth for p in parts] + [v.depth for v in variables], default=0)
    node.size = 1 + sum(p.size for p in parts)
    node.full = 1 + sum(p.full for p in parts) + sum(v.full for v in variables)
    node.memo_key, node.good, node.shape = None, False, None
    _TABLE[tag] = node
    return node


def free_in_matrices(node):
    """Return the free symbols of a letter, a unit matrix or a size: the letter, and names (M2)."""
    sizes = node.params[2:4] if node.head == "M" else node.params
    own = {node} if node.head == "M" else set()
    for n in sizes:
        if type(n) is str and not n.isdigit():
            own.add(node if node.head == "M.dim" else build("M.dim", (n,)))
    return frozenset(own)


def union(sets):
    """Return the union of sets, sharing it where there is only one."""
    sets = [s for s in sets if s]
    if not sets:
        return frozenset()
    first = sets[0]
    if all(s is first or s <= first for s in sets[1:]):
        return first
    return first.union(*sets[1:])


def binder(head, variables, inside, outside=(), params=()):
    """Return a binder node."""
    return build(head, tuple(params), (), tuple(variables), tuple(inside), tuple(outside))


def with_body(node, *bodies):
    """Return the binder with other bodies in its inside."""
    return build(node.head, node.params, (), node.vars, tuple(bodies), node.outside)


def with_parts(node, parts):
    """Return the node (no binder) with other parts."""
    return build(node.head, node.params, tuple(parts))


def listed(node):
    """Return the node as nested lists."""

    def plain(p):
        return list(p) if isinstance(p, tuple) else p

    out = [node.head] + [plain(p) for p in node.params]
    if node.head in BINDERS:
        return out + [[listed(p) for p in g] for g in (node.vars, node.inside, node.outside)]
    return out + [listed(p) for p in node.parts]


def whole(x):
    """Tell whether x is an integer and no boolean."""
    return type(x) is int


def is_term(node):
    """Tell whether the node is a term."""
    return node.head in TERMS


def dimension(law):
    """Return the number of variables that a law takes."""
    return law.params[0] if law.head == "gauss" else 1


# --- 1.1 abbreviations -----------------------------------------------------


def num(p, q=1):
    """Return the node of the rational p/q."""
    g = gcd(p, q)
    return build("n", (p // g, q // g))


ZERO, ONE, TWO, MINUS, HALF = num(0), num(1), num(2), num(-1), num(1, 2)
MINUS_TWO, MINUS_HALF = num(-2), num(-1, 2)
PI, OO, MINUS_OO = build("pi"), build("oo"), build("-oo")


def add(*parts):
    """Return one sum node."""
    return build("+", (), parts)


def mul(*parts):
    """Return one product node."""
    return build("*", (), parts)


def neg(t):
    """Return -t."""
    return mul(MINUS, t)


def power(t, p, q=1):
    """Return t^(p/q)."""
    return build("^", (p, q), (t,))


def square(t):
    """Return t^2."""
    return power(t, 2)


def fun(name, *parts):
    """Return a function of the table at arguments."""
    return build("f", (name,), parts)


def rel(kind, a, b):
    """Return a relation."""
    return build(kind, (), (a, b))


def eq(a, b):
    """Return a = b."""
    return rel("=", a, b)


def lt(a, b):
    """Return a < b."""
    return rel("<", a, b)


def le(a, b):
    """Return a <= b."""
    return rel("<=", a, b)


def defined(t):
    """Return def(t)."""
    return rel("=", t, t)


def both(*parts):
    """Return an and node."""
    return build("and", (), parts)


def either(*parts):
    """Return an or node."""
    return build("or", (), parts)


def no(p):
    """Return not p."""
    return build("not", (), (p,))


def implies(p, q):
    """Return p implies q."""
    return build("implies", (), (p, q))


def iff(p, q):
    """Return p iff q."""
    return build("iff", (), (p, q))


def sentence(name, *parts):
    """Return a sentence."""
    return build("o", (name,), parts)


def integer(t):
    """Return integer(t)."""
    return sentence("integer", t)


def symbol(name, sort="R"):
    """Return a symbol."""
    return build("s", (name, sort))


def E(xs, f, laws):
    """Return an expectation; refuse a law that has copies."""
    if any(law.copies for law in laws):
        raise Refused("a law is random")
    return binder("E", xs, (f,), laws)


def int_(x, f, a, b):
    """Return an integral."""
    return binder("int", (x,), (f,), (a, b))


def sum_(i, f, a, b):
    """Return a sum over a range."""
    return binder("sum", (i,), (f,), (a, b))


def deriv(orders, xs, f, points):
    """Return a node d."""
    return binder("d", xs, (f,), points, (tuple(orders),))


def partial(xs, i, f, points):
    """Return the first derivative in variable i at the points."""
    return deriv([int(j == i) for j in range(len(xs))], xs, f, points)


def lam(xs, *bodies):
    """Return a function with values."""
    return binder("lam", xs, bodies)


def forall(xs, p):
    """Return a universal formula."""
    return binder("forall", xs, (p,))


def gauss(means, matrix):
    """Return a Gaussian law with a square matrix."""
    return build("gauss", (len(means),), tuple(means) + tuple(c for r in matrix for c in r))


def tup(*parts):
    """Return a tuple node."""
    return build("tuple", (), parts)

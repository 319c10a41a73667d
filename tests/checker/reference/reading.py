"""Conditions of nodes, and reading them from JSON (sections 1.1 to 1.5)."""

from math import gcd

from .keys import show
from .matrix_nodes import fits_for_all, fits_matrix, fits_mean
from .names import ARITY, HEADS, LAWS, is_sort, named
from .nodes import (
    BINDERS,
    FORMULAS,
    MATRIX_HEADS,
    MAX_DEPTH,
    MAX_READ,
    RELATIONS,
    TERMS,
    Node,
    Refused,
    build,
    dimension,
    whole,
)

PARAMETERS = {
    "n": 2,
    "s": 2,
    "text": 1,
    "^": 2,
    "f": 1,
    "u": 3,
    "ix": 2,
    "gauss": 1,
    "o": 1,
    "d": 1,
    "M": 5,
    "M.id": 1,
    "M.dim": 1,
    "M.h": 1,
    "M.grad": 1,
    "M.hess": 1,
}


def orders_ok(orders, count):
    """Tell whether orders is a tuple of count integers from 0 to 99."""
    return (
        type(orders) is tuple
        and len(orders) == count
        and all(whole(e) and 0 <= e <= 99 for e in orders)
    )


def terms(parts):
    """Tell whether all parts are terms."""
    return all(p.head in TERMS for p in parts)


def formulas(parts):
    """Tell whether all parts are formulas."""
    return all(p.head in FORMULAS for p in parts)


def check_laws(laws, count):
    """Tell whether these are laws of together count dimensions without copies."""
    return all(p.head in LAWS and not p.copies for p in laws) and sum(map(dimension, laws)) == count


def fits(node):
    """Tell whether the conditions of 1.4 hold of this one node (not below it)."""
    h, ps, parts = node.head, node.params, node.parts
    if h == "M.E":
        return fits_mean(node)
    if h == "M.forall":
        return fits_for_all(node)
    if h in BINDERS:
        return fits_binder(node)
    if node.head in MATRIX_HEADS:
        return fits_matrix(node)
    if h == "n":
        return (
            len(ps) == 2
            and whole(ps[0])
            and whole(ps[1])
            and ps[1] >= 1
            and gcd(*ps) == 1
            and abs(ps[0]).bit_length() < 8000
            and ps[1].bit_length() < 8000
            and not parts
        )
    if h == "s":
        return is_sort(ps[1]) and named(h, *ps) and not parts
    if h in ("pi", "oo", "-oo"):
        return not parts
    if h == "text":
        return type(ps[0]) is str and len(ps[0]) < 10000 and not parts
    if h in ("+", "*"):
        return len(parts) >= 1 and terms(parts)
    if h == "^":
        p, q = ps
        return (
            whole(p)
            and whole(q)
            and p != 0
            and q >= 1
            and gcd(p, q) == 1
            and abs(p) < 1000
            and q < 1000
            and len(parts) == 1
            and terms(parts)
        )
    if h == "f":
        return type(ps[0]) is str and ps[0] in ARITY and len(parts) == ARITY[ps[0]] and terms(parts)
    if h == "u":
        return (
            is_sort(ps[1])
            and named(h, ps[0], ps[1])
            and len(parts) >= 1
            and terms(parts)
            and orders_ok(ps[2], len(parts))
        )
    if h == "ix":
        return is_sort(ps[1]) and named(h, *ps) and len(parts) >= 1 and terms(parts)
    if h in RELATIONS:
        return len(parts) == 2 and terms(parts)
    if h in ("and", "or"):
        return len(parts) >= 1 and formulas(parts)
    if h == "not":
        return len(parts) == 1 and formulas(parts)
    if h in ("implies", "iff"):
        return len(parts) == 2 and formulas(parts)
    if h == "gauss":
        return whole(ps[0]) and ps[0] >= 1 and len(parts) == ps[0] + ps[0] ** 2 and terms(parts)
    if h == "noise":
        return len(parts) == 1 and terms(parts)
    if h == "o":
        return named(h, ps[0], "") and fits_sentence(ps[0], parts)
    return h in ("tuple", "set")


def fits_sentence(name, parts):
    """Tell whether a sentence has the parts that 1.5 asks."""
    if name == "integer":
        return len(parts) == 1 and terms(parts)
    if name == "moderate":
        return len(parts) == 1 and parts[0].head == "lam"
    if name == "psd":
        if len(parts) != 1 or parts[0].head != "tuple" or not terms(parts[0].parts):
            return False
        count = len(parts[0].parts)
        return count >= 1 and any(n * n == count for n in range(1, count + 1))
    return True


def fits_binder(node):
    """Tell whether the conditions of 1.4 hold of this binder."""
    h, xs, ins, outs = node.head, node.vars, node.inside, node.outside
    if not xs or any(x.head != "s" for x in xs) or len(set(xs)) != len(xs):
        return False
    if h not in ("lam", "forall"):
        sort = "Z" if h == "sum" else "R"
        if any(x.params[1] != sort for x in xs):
            return False
    if h == "sum":
        return len(xs) == 1 and len(ins) == 1 and terms(ins) and len(outs) == 2 and terms(outs)
    if h == "int":
        return (
            len(xs) == 1
            and len(ins) == 1
            and terms(ins)
            and len(outs) == 2
            and all(p.head in TERMS or p.head in ("oo", "-oo") for p in outs)
            and (outs[0].head in TERMS or outs[0].head != outs[1].head)
        )
    if h == "E":
        return len(ins) == 1 and terms(ins) and check_laws(outs, len(xs))
    if h == "copies":
        return (
            len(ins) == 1
            and terms(ins)
            and not ins[0].copies
            and len(outs) >= 1
            and terms(outs[:1])
            and not outs[0].copies
            and check_laws(outs[1:], len(xs))
        )
    if h == "d":
        return (
            len(ins) == 1
            and terms(ins)
            and len(outs) == len(xs)
            and terms(outs)
            and orders_ok(node.params[0], len(xs))
        )
    if h == "lam":
        return len(ins) >= 1 and terms(ins) and not outs
    return len(ins) == 1 and formulas(ins) and not outs


def check(node):
    """Refuse the node unless 1.4 holds of it; return it."""
    if not fits(node):
        raise Refused(f"a node of a wrong shape: {show(node)}")
    return node


def check_all(node):
    """Refuse the node unless 1.4 and the limits hold of it and of all below it."""
    if not node.good:
        for part in node.vars + node.parts:
            check_all(part)
        check(node)
        if node.depth > MAX_DEPTH or node.full > MAX_READ:
            raise Refused("a term is too deep or too large")
        node.good = True
    return node


# --- 1.1 reading JSON ------------------------------------------------------


class Rows(list):
    """Hold the rows of a record, the extensions that it names, and those whose heads it reads."""

    def __init__(self, named):
        super().__init__()
        self.named, self.met = frozenset(named), set()

    def meet(self, node):
        """Refuse a node with a head of an extension that is not named; return it."""
        if not node.extensions <= self.named:
            raise Refused("a head of an extension that the record does not name")
        self.met |= node.extensions
        return node


def read(data, rows=None):
    """Read a node from JSON; integers are rows if there are rows."""
    if whole(data):
        if rows is None or not 0 <= data < len(rows):
            raise Refused(f"no row {show(data)}")
        return rows[data]
    if isinstance(data, Node):
        return check_all(data)
    node = check_all(read_shape(data, rows, 0))
    return rows.meet(node) if isinstance(rows, Rows) else node


def read_shape(data, rows, level):
    """Read a node from JSON, of a depth that is not yet checked."""
    if whole(data):
        if rows is None or not 0 <= data < len(rows):
            raise Refused(f"no row {show(data)}")
        return rows[data]
    if isinstance(data, Node):
        return data
    if level > MAX_DEPTH:
        raise Refused("a term is too deep")
    if type(data) not in (list, tuple) or not data or type(data[0]) is not str:
        raise Refused(f"no node: {show(data)}")
    head = data[0]
    if head not in HEADS:
        raise Refused(f"no head: {show(head)}")
    count = PARAMETERS.get(head, 0)
    if len(data) < 1 + count:
        raise Refused("parameters are missing")
    params = tuple(read_parameter(p) for p in data[1 : 1 + count])
    for at, p in enumerate(params):
        if (type(p) is tuple) != (head in ("u", "d") and at == count - 1):
            raise Refused("a parameter of a wrong kind")
    rest = data[1 + count :]
    if head in BINDERS:
        if len(rest) != 3 or any(type(g) not in (list, tuple) for g in rest):
            raise Refused("a binder needs three lists")
        groups = [tuple(read_shape(p, rows, level + 1) for p in g) for g in rest]
        return build(head, params, (), *groups)
    return build(head, params, tuple(read_shape(p, rows, level + 1) for p in rest))


def read_parameter(p):
    """Read a string, an integer or a flat list of these."""
    if type(p) in (list, tuple):
        if not all(type(x) in (str, int) for x in p):
            raise Refused("a parameter of a wrong kind")
        return tuple(p)
    if type(p) not in (str, int):
        raise Refused("a parameter of a wrong kind")
    return p

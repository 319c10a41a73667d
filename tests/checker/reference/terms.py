"""Terms, formulas, symbols, substitution and keys (sections 1 to 3)."""

import json
import re
from math import gcd


class Refused(Exception):
    """Say why an inference or a log is not accepted."""


# --- 1.3 sorts and names, 1.4 heads ---------------------------------------

SORTS = frozenset(k + c for k in "RZ" for c in ("", ">0", "<0", ">=0", "<=0", "!=0"))
LETTERS = "A-Za-zαβγδεζηθκλμξπρστφχψωΓΔΘΛΞΠΣΦΨΩ"
NAME = re.compile(rf"[{LETTERS}][{LETTERS}0-9_.^*{{}}\\']{{0,60}}")
ARITY = dict.fromkeys(
    "exp sin cos sinh cosh tanh atan erf abs log asin erf_prime erf_second sign".split(), 1
)
ARITY.update(zeta=2, owens=2, max=2)
TERMS = frozenset("+ * ^ f u ix n s pi sum int E copies d".split())
RELATIONS = frozenset(("=", "!=", "<", "<="))
FORMULAS = RELATIONS | frozenset("and or not implies iff o forall".split())
BINDERS = frozenset("sum int E copies d lam forall".split())
LAWS = frozenset(("gauss", "noise"))
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
}
HEADS = TERMS | FORMULAS | LAWS | frozenset("oo -oo text tuple set lam".split())
MAX_DEPTH, MAX_READ, MAX_NODES = 150, 100000, 99999


class Node:
    """Hold one interned node; identical terms are one object."""

    __slots__ = (
        "head",
        "params",
        "vars",
        "inside",
        "outside",
        "parts",
        "free",
        "copies",
        "depth",
        "size",
        "full",
        "memo_key",
        "good",
    )

    def __repr__(self):
        return show(self)


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
    elif head in BINDERS:
        free = union(p.free for p in inside).difference(variables)
        node.free = free.union(*(p.free for p in outside))
    else:
        node.free = union(p.free for p in parts)
        if head == "u" or head == "ix":
            node.free |= {(head, params[0], params[1], len(parts))}
    counted = outside if head == "E" else parts
    node.copies = head == "copies" or any(p.copies for p in counted)
    node.depth = 1 + max([p.depth for p in parts] + [v.depth for v in variables], default=0)
    node.size = 1 + sum(p.size for p in parts)
    node.full = 1 + sum(p.full for p in parts) + sum(v.full for v in variables)
    node.memo_key, node.good = None, False
    _TABLE[tag] = node
    return node


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


def show(data, limit=300):
    """Return a printing of anything for messages; a node may be ill-formed."""
    try:
        text = key(data) if isinstance(data, Node) else data if type(data) is str else repr(data)
    except (AttributeError, IndexError, TypeError, ValueError, RecursionError):
        text = f"a node {data.head}" if isinstance(data, Node) else "something too long"
    return text if len(text) <= limit else text[:limit] + "..."


# --- 1.4 conditions --------------------------------------------------------


def whole(x):
    """Tell whether x is an integer and no boolean."""
    return type(x) is int


def named(x):
    """Tell whether x is a name."""
    return type(x) is str and NAME.fullmatch(x) is not None


def is_sort(x):
    """Tell whether x is a sort."""
    return type(x) is str and x in SORTS


def orders_ok(orders, count):
    """Tell whether orders is a tuple of count integers from 0 to 99."""
    return (
        type(orders) is tuple
        and len(orders) == count
        and all(whole(e) and 0 <= e <= 99 for e in orders)
    )


def is_term(node):
    """Tell whether the node is a term."""
    return node.head in TERMS


def dimension(law):
    """Return the number of variables that a law takes."""
    return law.params[0] if law.head == "gauss" else 1


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
    if h in BINDERS:
        return fits_binder(node)
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
        return named(ps[0]) and is_sort(ps[1]) and not parts
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
            named(ps[0])
            and is_sort(ps[1])
            and len(parts) >= 1
            and terms(parts)
            and orders_ok(ps[2], len(parts))
        )
    if h == "ix":
        return named(ps[0]) and is_sort(ps[1]) and len(parts) >= 1 and terms(parts)
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
        return named(ps[0]) and fits_sentence(ps[0], parts)
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


def read(data, rows=None):
    """Read a node from JSON; integers are rows if there are rows."""
    if whole(data):
        if rows is None or not 0 <= data < len(rows):
            raise Refused(f"no row {show(data)}")
        return rows[data]
    if isinstance(data, Node):
        return check_all(data)
    node = read_shape(data, rows, 0)
    return check_all(node)


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
    """Return an expectation."""
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


# --- 2.2 new names ---------------------------------------------------------


def name_of(item):
    """Return the name of a symbol, a function or a sequence."""
    return item.params[0] if isinstance(item, Node) else item[1]


def fresh(s, taken):
    """Return the symbol s with primes until no member of taken has its name."""
    names = {name_of(t) for t in taken}
    name = s.params[0]
    while name in names:
        name += "'"
    return build("s", (name, s.params[1]))


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
    out = _subst(t, sigma, {})
    return out


def _subst(t, sigma, memo):
    """Substitute with a memo for one sigma."""
    if t.head == "s":
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
    if out.size > MAX_NODES:
        raise Refused("a substitution is too large")
    memo[t] = out
    return out


def _subst_binder(t, sigma, memo):
    """Substitute in a binder, with new names for variables that would be captured."""
    left = {s: v for s, v in sigma.items() if s in t.free}
    if t.head in ("E", "copies") and any(v.copies for v in left.values()):
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
    return subst(function.inside[0], dict(zip(function.vars, points)))


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


# --- 3 the key -------------------------------------------------------------

_UNORDERED = frozenset(("+", "*", "=", "!=", "and", "or", "iff", "set"))
_FLAT = frozenset(("+", "*", "and", "or"))
_KEYS = {}


def key(t):
    """Return the canonical printing of a term."""
    if t.memo_key is None:
        t.memo_key = printed(t, ())
    return t.memo_key


def printed(t, names):
    """Return the printing of a term inside of variables (innermost last)."""
    if t.head == "s" and t in names:
        return f"b{names[::-1].index(t)}"
    if names and t.free.isdisjoint(names):
        return key(t)
    if not names and t.memo_key is not None:
        return t.memo_key
    tag = (t, names)
    if names and tag in _KEYS:
        return _KEYS[tag]
    pieces = [t.head]
    for p in t.params:
        pieces.append(json.dumps(p) if t.head == "text" else str(p))
    if t.head in BINDERS:
        pieces.append(f"[{' '.join(x.params[1] for x in t.vars)}]")
        inner = names + t.vars
        shown = [printed(p, inner) for p in t.inside] + [printed(p, names) for p in t.outside]
    else:
        parts = flattened(t.head, t.parts) if t.head in _FLAT else t.parts
        shown = [printed(p, names) for p in parts]
        if t.head in _UNORDERED:
            shown.sort()
    out = f"({' '.join(pieces + shown)})"
    if names:
        _KEYS[tag] = out
    return out


def flattened(head, parts):
    """Return the parts with brackets of the same head removed."""
    out = []
    for p in parts:
        if p.head == head:
            out.extend(flattened(head, p.parts))
        else:
            out.append(p)
    return out


def same(a, b):
    """Tell whether two terms have the same key."""
    return a is b or key(a) == key(b)

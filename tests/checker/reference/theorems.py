"""Theorems and the way that rules make them (section 4.1)."""

from . import terms as tm
from .terms import Refused, key, whole

RULES = {}
EXTENSIONS = {
    "dynamics": frozenset(("flow theorem",)),
    "matrices": frozenset(
        (
            "cauchy-schwarz for matrices",
            "compare means",
            "definite trace",
            "equal matrices",
            "equal vectors",
            "generalise letters",
            "invertible",
            "isserlis",
            "matrix identity",
            "mean exists",
            "poincare for matrices",
            "sandwich",
            "semidefinite",
            "size",
            "specialise letters",
            "stein for matrices",
            "symmetric",
            "trace of semidefinite",
        )
    ),
    "textbook": frozenset(
        (
            "cauchy-schwarz",
            "integers apart",
            "jensen",
            "maximum",
            "poincare",
            "price",
            "sign",
        )
    ),
    "vectors": frozenset(("vector theorem",)),
}
# The extension of each rule that belongs to one.
EXTENSION_OF = {name: e for e, names in EXTENSIONS.items() for name in names}
_SEAL = object()


class Theorem:
    """Hold hypotheses (key to formula), a conclusion and axioms; it cannot be changed."""

    __slots__ = ("axioms", "conclusion", "hypotheses")

    def __init__(self, seal, hypotheses, conclusion, axioms):
        if seal is not _SEAL:
            raise Refused("theorems are made by rules only")
        object.__setattr__(self, "hypotheses", hypotheses)
        object.__setattr__(self, "conclusion", conclusion)
        object.__setattr__(self, "axioms", axioms)

    def __setattr__(self, name, value):
        raise AttributeError("a theorem does not change")

    def __repr__(self):
        return f"{', '.join(self.hypotheses)} |- {tm.show(self.conclusion)}"


def rule(name, kinds="", premises=0, axioms=()):
    """Register a rule, a function that returns its conclusion, hypotheses and further axioms.

    `premises` is their number, None for any number, or -k for at least k.
    """

    def register(function):
        RULES[name] = (kinds.split(), premises, function, frozenset(axioms))
        return function

    return register


def prove(name, premises, *data):
    """Return the theorem that the rule shows from premises and data, or refuse."""
    return infer(name, premises, data, None)


def infer(name, premises, data, rows):
    """Return the theorem of one inference; its data may refer to rows."""
    if type(name) is not str or name not in RULES:
        raise Refused(f"no rule {tm.show(name)}")
    kinds, count, function, axioms = RULES[name]
    if not all(type(p) is Theorem for p in premises):
        raise Refused("a premise is no theorem")
    at_least = count is not None and count < 0
    if count is not None and (len(premises) < -count if at_least else len(premises) != count):
        raise Refused("a wrong number of premises")
    if len(data) != len(kinds):
        raise Refused("a wrong number of data")
    values = [decode(k, d, rows) for k, d in zip(kinds, data, strict=True)]
    try:
        conclusion, hyps, *more = function(premises, *values)
        used = {EXTENSION_OF[name]} if name in EXTENSION_OF else set()
        used.update(*(node.extensions for node in nodes_of(kinds, values)))
        more.append(f"extension {e}" for e in used)
        return finish(conclusion, hyps, axioms.union(*more, *(p.axioms for p in premises)))
    except Refused:
        raise
    except (Exception, RecursionError) as e:  # a shape that the rule does not expect
        raise Refused(f"data of an unexpected shape: {type(e).__name__}: {e}") from e


def finish(conclusion, hyps, axioms):
    """Return a theorem within the limits of 4.1."""
    if isinstance(hyps, dict):
        hyps = hyps.values()
    table = {}
    for h in hyps:
        table.setdefault(key(h), h)
    size = 0
    for p in [conclusion, *table.values()]:
        if p.head not in tm.FORMULAS:
            raise Refused("no formula: " + tm.show(p))
        if p.depth > tm.MAX_DEPTH:
            raise Refused("a formula is too deep")
        size += p.size
    if size > tm.MAX_NODES:
        raise Refused("a theorem is too large")
    return Theorem(_SEAL, table, conclusion, frozenset(axioms))


def decode(kind, data, rows):
    """Read one datum of a rule."""
    if kind == "json":
        return data
    if kind == "t":
        return tm.read(data, rows)
    if type(data) not in (list, tuple):
        raise Refused("a list is expected")
    if kind == "ts":
        return [tm.read(d, rows) for d in data]
    out = []
    for pair in data:
        if type(pair) not in (list, tuple) or len(pair) != 2:
            raise Refused("a pair is expected")
        out.append((decode_symbol(pair[0], rows), tm.read(pair[1], rows)))
    return out


def nodes_of(kinds, values):
    """Return the nodes that stand in the data."""
    out = []
    for kind, value in zip(kinds, values, strict=True):
        if kind == "t":
            out.append(value)
        elif kind == "ts":
            out += value
        elif kind == "pairs":
            out += [node for pair in value for node in pair if isinstance(node, tm.Node)]
    return out


def decode_symbol(data, rows):
    """Read a symbol, a letter, a size, a function or a sequence."""
    if type(data) in (list, tuple) and len(data) == 4 and data[0] in ("u", "ix"):
        head, name, sort, count = data
        if not (tm.is_sort(sort) and tm.named(head, name, sort) and whole(count) and count >= 1):
            raise Refused("no function or sequence")
        return tuple(data)
    node = tm.read(data, rows)
    if node.head not in ("s", "M") and not (node.head == "M.dim" and node.free):
        raise Refused("no symbol")
    return node


def merged(premises):
    """Return all hypotheses of all premises."""
    out = {}
    for p in premises:
        out.update(p.hypotheses)
    return out


def need(condition, message):
    """Refuse unless the condition holds."""
    if not condition:
        raise Refused(message)

"""Flows, and what sentences on flows and their abbreviations say (the extension `dynamics`)."""

from . import terms as tm
from .schemas import number
from .terms import (
    MINUS,
    ZERO,
    add,
    apart,
    both,
    deriv,
    forall,
    implies,
    lam,
    le,
    lt,
    mul,
    sentence,
    subst,
    symbol,
    tup,
)
from .theorems import need


def function(f, count, bodies=None):
    """Refuse what is no function of so many coordinates, and so many bodies if it matters."""
    need(
        f.head == "lam"
        and len(f.vars) == count
        and all(x.params[1] == "R" for x in f.vars)
        and bodies in (None, len(f.inside)),
        "no function of the coordinates",
    )
    return f


def points(node, n):
    """Refuse what is no set of points of n coordinates; return these."""
    need(node.head == "set" and node.parts, "no set of points")
    for p in node.parts:
        need(p.head == "tuple" and len(p.parts) == n and tm.terms(p.parts), "no point")
    return [p.parts for p in node.parts]


def real(f, n):
    """Refuse what is no real function of n coordinates."""
    function(f, n, 1)


def solution(f, n):
    """Refuse what is no function of a time and n coordinates with n bodies."""
    function(f, n + 1, n)


def ends(node, n):
    """Refuse what is no pair of numbers, on a line."""
    need(
        n == 1 and node.head == "tuple" and len(node.parts) == 2 and tm.terms(node.parts),
        "no two numbers on a line",
    )


def term(t, _):
    """Refuse what is no term."""
    number(t)


# What stands after the flow in each sentence (D2).
SENTENCES = {
    "RegionKept": (function,),
    "ConstantAlong": (function, real),
    "DecaysAlong": (function, real, term),
    "LastsForEver": (function,),
    "FlowLimitsSolve": (function, function),
    "FlowsConvergeTo": (function, points),
    "SolvedBy": (function, solution),
    "ArrivesAt": (ends, term),
    "EndsBy": (function, real),
    "NullFlowStarts": (points,),
}


class Flow:
    """Hold the flow and the region of a goal, with new coordinates (D1 and D4)."""

    def __init__(self, kind, node, about, values):
        need(node.head == "tuple" and len(node.parts) == 3, "no flow")
        tag, self.field, self.domain = node.parts
        need(tag.head == "text" and tag.params[0] == "Flow", "no flow")
        need(self.field.head == "lam", "a field is expected")
        self.kind, self.node, self.n = kind, node, len(self.field.vars)
        function(self.field, self.n, self.n)
        function(self.domain, self.n)
        shapes = SENTENCES[kind]
        need(len(about) == len(shapes), "a sentence with other parts")
        for fits, part in zip(shapes, about, strict=True):
            fits(part, self.n)
        self.region = about[0] if shapes[0] is function else None
        self.new_names(tm.union(p.free for p in [node, *about, *values]))
        self.f = self.at(self.field, self.x)

    def new_names(self, taken):
        """Choose the coordinates, those of a start, a time, and the time of a derivative."""
        numbers = range(1, self.n + 1)
        names = [symbol(f"{c}_{i}") for c in "xz" for i in numbers]
        names += [symbol("t", "R>=0"), symbol("s")]
        new = list(apart(names, taken).values())
        self.x, self.start, (self.time, self.moment) = new[: self.n], new[self.n : -2], new[-2:]

    def at(self, f, c):
        """Return the bodies of a function at c."""
        need(len(f.vars) == len(c), "another number of coordinates")
        sigma = dict(zip(f.vars, c, strict=True))
        return [subst(b, sigma) for b in f.inside]

    def here(self, f, bodies=None):
        """Return the bodies of a function of the coordinates, at these."""
        return self.at(function(f, self.n, bodies), self.x)

    def dom(self, c=None):
        """Return Dom(c), or Dom."""
        return [lt(ZERO, b) for b in self.at(self.domain, self.x if c is None else c)]

    def within(self, c=None, count=None):
        """Return In(c), or In, or the first members of it."""
        bodies = self.at(self.region, self.x if c is None else c)
        return [le(ZERO, b) for b in bodies[:count]]

    def cube(self, b):
        """Return Cube(b)."""
        return [r for x in self.x for r in (le(mul(MINUS, b), x), le(x, b))]

    def on(self, p, conditions, more=()):
        """Return that p holds for all coordinates, and all further names, with the conditions."""
        out = implies(both(*conditions), p)
        for x in reversed([*self.x, *more]):
            out = forall([x], out)
        return out

    def on_region(self, p):
        """Return on(p; Dom, In)."""
        return self.on(p, self.dom() + self.within())

    def along(self, v):
        """Return L(v), the derivative along the field."""
        return add(*(mul(deriv((1,), [x], v, [x]), b) for x, b in zip(self.x, self.f, strict=True)))

    def smooth(self, *bodies):
        """Return that the bodies are smooth near the coordinates."""
        return sentence("smooth", lam(self.x, *bodies), tup(*self.x))

    def is_smooth(self):
        """Return Smooth."""
        return self.on(self.smooth(*self.f, *self.at(self.domain, self.x)), self.dom())

    def says(self, kind, *parts):
        """Return a sentence on this flow."""
        return sentence(kind, self.node, *parts)

    def kept(self):
        """Return Kept."""
        return self.says("RegionKept", self.region)

"""The rule `flow theorem`, and its schemas (the extension `dynamics`)."""

from . import terms as tm
from .flows import Flow, function, points
from .schemas import SCHEMAS, characteristic, conclude, number, schema
from .terms import (
    MINUS,
    ONE,
    ZERO,
    add,
    both,
    defined,
    deriv,
    either,
    eq,
    fun,
    implies,
    int_,
    lam,
    le,
    lt,
    mul,
    partial,
    square,
)
from .theorems import need, rule

SCHEMAS["flow theorem"] = {}


@rule("flow theorem", "json t ts")
def flow_theorem(_, name, goal, values):
    """Conclude a sentence on a flow by a schema, under its hypotheses."""
    return conclude("flow theorem", name, goal, values)


def flow_schema(name, kinds, count, axioms):
    """Register a schema that gives the hypotheses of a flow, what it is about, and values."""

    def register(asked):
        @schema(name, kinds, count, axioms, of="flow theorem")
        def hypotheses(kind, subject, about, values):
            return asked(Flow(kind, subject, about, values), about, values)

        return hypotheses

    return register


def whole_number(node, low, high):
    """Return the integer of a node n from low to below high, or refuse."""
    need(
        node.head == "n" and node.params[1] == 1 and low <= node.params[0] < high,
        "an integer in a range is expected",
    )
    return node.params[0]


# --- regions ---------------------------------------------------------------


@flow_schema("flow-barrier", "RegionKept", 1, "picard-lindelof")
def barrier(flow, _about, values):
    """Show that a region is kept whose functions rise where they are 0."""
    a = flow.here(flow.region)
    r = whole_number(values[0], 0, len(a))
    if r:
        first = flow.says("RegionKept", lam(flow.region.vars, *flow.region.inside[:r]))
    else:
        first = flow.is_smooth()
    hyps = [first, flow.on(flow.smooth(*a), flow.dom())]
    edge = flow.dom() + flow.within()
    return hyps + [flow.on(lt(ZERO, flow.along(b)), [*edge, le(b, ZERO)]) for b in a[r:]]


@flow_schema(
    "flow-cofactor", "RegionKept", 1, "picard-lindelof mean-value-theorem bolzano-weierstrass"
)
def cofactor(flow, _about, values):
    """Show that a region is kept whose functions rise at least as a multiple of themselves."""
    a = flow.here(flow.region)
    hyps = [flow.is_smooth()]
    for i, (b, k) in enumerate(zip(a, flow.here(values[0], len(a)), strict=True)):
        before = flow.dom() + flow.within(count=i)
        hyps.append(flow.on(flow.smooth(b, k), before))
        hyps.append(flow.on(le(mul(k, b), flow.along(b)), before))
    return hyps


# --- along trajectories ----------------------------------------------------


@flow_schema("flow-gronwall", "DecaysAlong ConstantAlong", 0, "picard-lindelof mean-value-theorem")
def gronwall(flow, about, _values):
    """Show that a function decays, or is constant, along trajectories."""
    (v,) = flow.here(about[1])
    hyps = [flow.kept(), flow.on_region(flow.smooth(v))]
    if flow.kind == "ConstantAlong":
        return [*hyps, flow.on_region(eq(flow.along(v), ZERO))]
    r = about[2]
    falls = le(add(flow.along(v), mul(r, v)), ZERO)
    return [*hyps, flow.on_region(falls), defined(r)]


@flow_schema(
    "flow-for-ever",
    "LastsForEver",
    4,
    "picard-lindelof maximal-solutions-leave-compact-sets bolzano-weierstrass",
)
def for_ever(flow, _about, values):
    """Show that trajectories last for ever that are in a compact set up to each time."""
    v, r, b, c = values
    (here,), (there,) = flow.here(v, 1), flow.at(v, flow.start)
    number(r)
    begins = [flow.time, *flow.start]
    bound, gap = (flow.at(function(g, flow.n + 1, 1), begins)[0] for g in (b, c))
    started = flow.dom(flow.start) + flow.within(flow.start)
    reached = le(here, mul(fun("abs", there), fun("exp", mul(MINUS, r, flow.time))))
    domain = flow.here(flow.domain)
    compact = both(lt(ZERO, gap), *flow.cube(bound), *(le(gap, h) for h in domain))
    names = [*flow.start, flow.time]
    return [
        flow.kept(),
        flow.says("DecaysAlong", flow.region, v, r),
        le(r, ZERO),
        flow.on(flow.smooth(*domain), started + flow.cube(bound), names),
        flow.on(compact, [*started, *flow.dom(), *flow.within(), reached], names),
    ]


@flow_schema("flow-ends", "EndsBy", 0, "picard-lindelof mean-value-theorem")
def end(flow, about, _values):
    """Show that trajectories end by the time that is left."""
    (left,) = flow.here(about[1])
    return [
        flow.kept(),
        flow.on_region(flow.smooth(left)),
        flow.on_region(le(ZERO, left)),
        flow.on_region(le(add(flow.along(left), ONE), ZERO)),
    ]


# --- limits ----------------------------------------------------------------


@flow_schema(
    "flow-lasalle",
    "FlowLimitsSolve",
    3,
    "picard-lindelof maximal-solutions-leave-compact-sets mean-value-theorem "
    "monotone-convergence bolzano-weierstrass",
)
def lasalle(flow, about, values):
    """Show that accumulation points of trajectories in a compact region solve equations."""
    v, c, b = values
    (height,) = flow.here(v, 1)
    number(c), number(b)
    squares = [square(e) for e in flow.here(about[1])]
    cube = flow.cube(b)
    return [
        flow.kept(),
        flow.on(flow.smooth(*flow.here(flow.region)), cube),
        flow.on(both(*flow.dom(), *cube), flow.within()),
        flow.on_region(flow.smooth(height)),
        flow.on_region(le(add(*squares, mul(c, flow.along(height))), ZERO)),
        lt(ZERO, c),
    ]


@flow_schema("flow-limit", "FlowsConvergeTo", 2, "bolzano-weierstrass intermediate-value-theorem")
def limit(flow, about, values):
    """Show that trajectories converge to one of finitely many solutions."""
    e, outside = values
    solves = [eq(b, ZERO) for b in flow.here(e)]
    need(outside.head == "tuple", "a tuple of points outside is expected")
    k, listed, hyps = len(flow.region.inside), points(about[1], flow.n), []
    for member in outside.parts:
        need(member.head == "tuple" and len(member.parts) == flow.n + 1, "no point outside")
        *q, place = member.parts
        need(tm.terms(q), "no point outside")
        body = lam(flow.region.vars, flow.region.inside[whole_number(place, 0, k)])
        hyps.append(lt(flow.at(body, q)[0], ZERO))
        listed.append(q)
    some = either(*(both(*map(eq, flow.x, p)) for p in listed))
    return [
        flow.says("FlowLimitsSolve", flow.region, e),
        *hyps,
        flow.on_region(implies(both(*solves), some)),
    ]


# --- solutions and times ---------------------------------------------------


@flow_schema("flow-solution", "SolvedBy", 0, "picard-lindelof")
def solved(flow, about, _values):
    """Show that trajectories are given by functions that solve the equations."""
    phi, t, s = about[1], flow.time, flow.moment
    first, now, soon = (flow.at(phi, [time, *flow.x]) for time in (ZERO, t, s))
    inside = flow.dom() + flow.within()
    rates = [
        eq(deriv((1,), [s], b, [t]), f) for b, f in zip(soon, flow.at(flow.field, now), strict=True)
    ]
    return [
        flow.is_smooth(),
        *(flow.on_region(eq(b, x)) for b, x in zip(first, flow.x, strict=True)),
        *(flow.on(p, inside, [t]) for p in rates + flow.dom(now)),
    ]


@flow_schema(
    "flow-time",
    "ArrivesAt",
    2,
    "picard-lindelof fundamental-theorem-of-calculus inverse-function-theorem "
    "mean-value-theorem intermediate-value-theorem",
)
def arrival(flow, about, values):
    """Show when a trajectory on a line reaches a point."""
    (a, b), time = about[0].parts, about[1]
    direction, q = values
    (slowness,), (x,), (f,) = flow.here(q, 1), flow.x, flow.f
    need(direction in (ONE, MINUS), "another direction")
    up = direction is ONE
    low, high = (a, b) if up else (b, a)
    between = [le(low, x), le(x, high)]
    push = lt(ZERO, f) if up else lt(f, ZERO)
    return [
        flow.is_smooth(),
        le(low, high),
        flow.on(both(*flow.dom(), push), between),
        flow.on(eq(mul(f, slowness), ONE), between),
        eq(time, int_(x, slowness, a, b)),
    ]


# --- starts ----------------------------------------------------------------


@flow_schema(
    "flow-center-stable",
    "NullFlowStarts",
    2,
    "picard-lindelof variational-equation center-stable-manifold null-sets-unions "
    "null-sets-images null-sets-discs",
)
def unstable(flow, about, values):
    """Show that few trajectories converge to a point with a positive eigenvalue."""
    listed, n = points(about[0], flow.n), flow.n
    matrix, eigen = values
    need(len(listed) == 1 and n <= 4, "one point of at most four coordinates is expected")
    need(
        matrix.head == "tuple" and tm.terms(matrix.parts) and len(matrix.parts) == n * n,
        "no matrix",
    )
    number(eigen)
    p = listed[0]
    rows = [matrix.parts[i * n : i * n + n] for i in range(n)]
    slopes = [eq(partial(flow.x, j, flow.f[i], p), rows[i][j]) for i in range(n) for j in range(n)]
    return [
        flow.is_smooth(),
        *flow.dom(p),
        *(eq(b, ZERO) for b in flow.at(flow.field, p)),
        *slopes,
        characteristic(rows, eigen),
        lt(ZERO, eigen),
    ]

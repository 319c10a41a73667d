"""False statements about orbits, true ones with a wrong proof, and their twins."""

from sympy import (
    Abs,
    And,
    Eq,
    Equivalent,
    Ge,
    Gt,
    Lambda,
    Le,
    Lt,
    Or,
    Rational,
    Symbol,
    symbols,
)

from slrsym.proof import algebra, all_of, chain, claimed, differentiate, lemma, sign
from slrsym.proof.dynamical import (
    AccumulationPointsSolve,
    AlmostEveryPairConvergesTo,
    AlmostEveryStartConvergesTo,
    DecreasesAlong,
    Injective,
    InvertibleJacobian,
    NullStarts,
    OrbitsConvergeTo,
    SphereDescent,
    StepsVanish,
    VanishesAlong,
    box_map,
    by_theorem,
    function_of,
    point_set,
)

from ._entries import Theme, known, unchecked

theme = Theme()
wrong, right = theme.wrong, theme.right

x, y, u, v = symbols("x y u v", real=True)
a = Symbol("a", positive=True)


def function(value):
    return function_of((x, y), value)


# Everything tends to the origin; a saddle there, and two sinks; a step out of the square; a cycle.
half = box_map({x: x / 2, y: y / 2})
saddle = box_map({x: 5 * x / 4 - x**3 / 4, y: y / 2})
outward = box_map({x: 2 * x, y: y / 2})
cycle = box_map({x: -3 * x / 2 + x**3 / 2, y: y / 2})
bowl = function(x**2 + y**2)
square_of = function(x**2)
origin, sinks = point_set([(0, 0)]), point_set([(1, 0), (-1, 0)])


def stays(g, by=sign):
    return all_of(
        *(chain(r.lhs).ge(r.rhs, by=by) if isinstance(r, Ge) else chain(r.lhs).le(r.rhs, by=by)
          for r in g.inside(g.images))
    )  # fmt: skip


def granted(statement, id="granted"):
    """A claim that no one has shown, so that what rests on it is looked at by itself."""
    return known(id, statement, stays(half))


# -- what decreases ----------------------------------------------------------------------------


def decreasing(g, f, by=sign, **more):
    shown = chain(g.after(f) - g.before(f)).le(0, by=by)
    return by_theorem(
        DecreasesAlong(g, f), "decrease", stays=stays(g, more.get("stay", by)), decreases=shown
    )


upside_down = function(-(x**2) - y**2)
right("a bowl", DecreasesAlong(half, bowl), decreasing(half, bowl))
wrong(
    "upside down", DecreasesAlong(half, upside_down), decreasing(half, upside_down), "decreases.1"
)
wrong(
    "upside down, as numbers see it",
    DecreasesAlong(half, upside_down),
    decreasing(half, upside_down, unchecked),
    "theorem",
    checks="numeric",
)
wrong(
    "a map that leaves the box",
    DecreasesAlong(outward, function(-(x**2))),
    decreasing(outward, function(-(x**2))),
    "stays*",
)
wrong(
    "a map that leaves the box, as numbers see it",
    StepsVanish(outward),
    by_theorem(
        StepsVanish(outward),
        "small-steps",
        {"slack": bowl, "factor": 1},
        stays=stays(outward, unchecked),
        steps=chain(outward.squared_step() - x**2 - y**2).le(0, by=unchecked),
        vanishes=lemma("granted"),
    ),
    "theorem",
    checks="numeric",
    others=(granted(VanishesAlong(outward, bowl)),),
)
contraction = box_map({x: (1 - a) * x, y: y / 2})
for bound, name in ((2, "a step size that is safe"), (3, "a step size above the bound")):
    given = (Le(a, bound),)
    if bound == 2:
        right(
            name,
            DecreasesAlong(contraction, square_of),
            decreasing(contraction, square_of),
            given=given,
        )
    else:
        wrong(
            name,
            DecreasesAlong(contraction, square_of),
            decreasing(contraction, square_of, stay=unchecked),
            "decreases.1",
            given=given,
        )
        wrong(
            f"{name}, as numbers see it",
            DecreasesAlong(contraction, square_of),
            decreasing(contraction, square_of, unchecked),
            "theorem",
            given=given,
            checks="numeric",
        )
wrong(
    "shown for some starts only",
    DecreasesAlong(half, function(x)),
    decreasing(half, function(x)),
    "theorem",
    given=(Ge(x, 0),),
)
wrong(
    "a parameter of the name of a coordinate",
    DecreasesAlong(half, Lambda((u, v), u**2 + 0 * v + x)),
    decreasing(half, Lambda((u, v), u**2 + 0 * v + x)),
    "theorem",
    checks="rule",
)
wrong(
    "without that it stays in the box",
    DecreasesAlong(half, bowl),
    by_theorem(
        DecreasesAlong(half, bowl),
        "decrease",
        decreases=chain(half.after(bowl) - half.before(bowl)).le(0, by=sign),
    ),
    "theorem",
    checks="rule",
)
wrong(
    "of another function",
    DecreasesAlong(half, bowl),
    by_theorem(
        DecreasesAlong(half, bowl),
        "decrease",
        stays=stays(half),
        decreases=chain(half.after(square_of) - half.before(square_of)).le(0, by=sign),
    ),
    "decreases.needed",
    checks="rule",
)
wrong(
    "by a claim on another map",
    DecreasesAlong(half, bowl),
    by_theorem(
        DecreasesAlong(half, bowl),
        "decrease",
        stays=claimed(half.stays(), "granted"),
        decreases=chain(half.after(bowl) - half.before(bowl)).le(0, by=sign),
    ),
    "stays",
    others=(granted(saddle.stays()),),
    checks="rule",
)

# -- what vanishes -----------------------------------------------------------------------------


RATE = Rational(3, 4)


def vanishing(g, slack, rate=RATE, risk=bowl, floor=0, by=sign, **more):
    goal = VanishesAlong(g, slack)
    paid = g.after(risk) - g.before(risk) + rate * g.before(slack)
    premises = {
        "stays": stays(g, by),
        "descends": chain(paid).le(0, by=by),
        "nonnegative": chain(g.before(slack)).ge(0, by=by),
        "bounded": chain(g.before(risk)).ge(floor, by=by),
        "rate": chain(rate).gt(0, by=by),
    }
    values = {"risk": risk, "rate": rate, "floor": floor}
    return by_theorem(goal, "bounded-descent", values, **premises | more)


right("the descent vanishes", VanishesAlong(half, bowl), vanishing(half, bowl))
wrong("too high a rate", VanishesAlong(half, bowl), vanishing(half, bowl, rate=1), "descends.1")
wrong("a rate of 0", VanishesAlong(half, bowl), vanishing(half, bowl, rate=0), "rate.1")
wrong(
    "a rate that depends on the point",
    VanishesAlong(half, function(1)),
    vanishing(half, function(1), rate=3 * x**2 / 4, by=unchecked),
    "theorem",
)
wrong(
    "a floor that depends on the point",
    VanishesAlong(half, bowl),
    vanishing(half, bowl, floor=x**2),
    "theorem",
    checks="rule",
)
wrong(
    "a floor that is too high",
    VanishesAlong(half, bowl),
    vanishing(half, bowl, floor=1),
    "bounded.1",
)
wrong(
    "what does not vanish, as numbers see it",
    VanishesAlong(saddle, square_of),
    vanishing(saddle, square_of, by=unchecked),
    "theorem",
    checks="numeric",
)

# -- steps and limits --------------------------------------------------------------------------


def small_steps(g, by=sign, factor=1):
    return by_theorem(
        StepsVanish(g),
        "small-steps",
        {"slack": bowl, "factor": factor},
        stays=stays(g, by),
        steps=chain(g.squared_step() - factor * g.before(bowl)).le(0, by=by),
        vanishes=lemma("granted"),
    )


tends = (granted(VanishesAlong(half, bowl)),)
right("steps vanish", StepsVanish(half), small_steps(half), others=tends)
wrong(
    "steps that are larger",
    StepsVanish(half),
    small_steps(half, factor=Rational(1, 8)),
    "steps.1",
    others=tends,
)
wrong(
    "a cycle, as numbers see it",
    StepsVanish(cycle),
    small_steps(cycle, unchecked),
    "theorem",
    checks="numeric",
    others=(granted(VanishesAlong(cycle, bowl)),),
)
wrong(
    "what vanishes along another map",
    StepsVanish(saddle),
    small_steps(saddle, unchecked),
    "vanishes",
    checks="rule",
    others=tends,
)


def solving(g, equations, by=sign, factor=1):
    squares = sum(e**2 for e in g.before(equations))
    return by_theorem(
        AccumulationPointsSolve(g, equations),
        "limits-solve",
        {"slack": bowl, "factor": factor},
        stays=stays(g, by),
        equations=chain(squares - factor * g.before(bowl)).le(0, by=by),
        vanishes=lemma("granted"),
    )


both = function((x / 2, y))
right("limits solve", AccumulationPointsSolve(half, both), solving(half, both), others=tends)
wrong(
    "equations that are not bounded by the descent",
    AccumulationPointsSolve(half, function((x + 1, y))),
    solving(half, function((x + 1, y))),
    "equations.1",
    others=tends,
)
wrong(
    "equations that do not hold at a limit, as numbers see it",
    AccumulationPointsSolve(saddle, both),
    solving(saddle, both, unchecked),
    "theorem",
    checks="numeric",
    others=(granted(VanishesAlong(saddle, bowl)),),
)
wrong(
    "an equation that is not known to be continuous",
    AccumulationPointsSolve(half, function((Abs(x), y))),
    solving(half, function((Abs(x), y))),
    "theorem",
    checks="rule",
    others=tends,
)


def converging(g, points, equations=both, by=sign, solutions=None):
    goal = OrbitsConvergeTo(g, points)
    return by_theorem(
        goal,
        "connected-limits",
        {"equations": equations},
        stays=stays(g, by),
        steps=claimed(StepsVanish(g), "granted"),
        limits=claimed(AccumulationPointsSolve(g, equations), "solved"),
        solutions=claimed(solutions, "solutions"),
    )


def at(*point):
    return And(Eq(x, point[0]), Eq(y, point[1]), evaluate=False)


def system(equations, *points):
    vanish = (Eq(e, 0, evaluate=False) for e in equations.expr)
    places = [at(*p) for p in points]
    listed = Or(*places, evaluate=False) if len(places) > 1 else places[0]
    return Equivalent(And(*vanish, evaluate=False), listed, evaluate=False)


def orbits(g, equations, solutions):
    return (
        granted(StepsVanish(g)),
        granted(AccumulationPointsSolve(g, equations), "solved"),
        known("solutions", solutions, stays(half), given=g.inside()),
    )


only_origin = system(both, (0, 0))
right(
    "one limit",
    OrbitsConvergeTo(half, origin),
    converging(half, origin, solutions=only_origin),
    others=orbits(half, both, only_origin),
)
elsewhere = system(both, (Rational(1, 2), 0))
wrong(
    "a wrong point",
    OrbitsConvergeTo(half, point_set([(Rational(1, 2), 0)])),
    converging(half, point_set([(Rational(1, 2), 0)]), solutions=elsewhere),
    "theorem",
    checks="numeric",
    others=orbits(half, both, elsewhere),
)
wrong(
    "a wrong point, and the right solutions",
    OrbitsConvergeTo(half, point_set([(Rational(1, 2), 0)])),
    converging(half, point_set([(Rational(1, 2), 0)]), solutions=only_origin),
    "solutions.needed",
    checks="rule",
    others=orbits(half, both, only_origin),
)
cubic = function((x - x**3, y))
sinks_alone = system(cubic, (1, 0), (-1, 0))
wrong(
    "a point that is missing among the limits",
    OrbitsConvergeTo(saddle, sinks),
    converging(saddle, sinks, cubic, solutions=sinks_alone),
    "theorem",
    checks="numeric",
    others=orbits(saddle, cubic, sinks_alone),
)
wrong(
    "a point that is missing among the limits, and not among the solutions",
    OrbitsConvergeTo(saddle, sinks),
    converging(saddle, sinks, cubic, solutions=system(cubic, (1, 0), (-1, 0), (0, 0))),
    "solutions.needed",
    checks="rule",
    others=orbits(saddle, cubic, system(cubic, (1, 0), (-1, 0), (0, 0))),
)
extra = function((x * (2 * x - 1), y))
wrong(
    "equations with one more zero",
    OrbitsConvergeTo(half, origin),
    converging(half, origin, extra, solutions=system(extra, (0, 0))),
    "solutions",
    checks="rule",
    others=orbits(half, extra, system(extra, (0, 0), (Rational(1, 2), 0))),
)

# -- the map itself ----------------------------------------------------------------------------


def apart(g, goal, name, factor, by=algebra, second=(u, v)):
    images = sum(abs(p - q) for p, q in zip(g.images, g.moved(second), strict=True))
    start, end = chain(images), factor * g.distance(second)
    expands = start.then(end, by=algebra) if by is algebra else start.ge(end, by=by)
    return by_theorem(
        goal,
        name,
        {"second": second, "factor": factor},
        expands=expands,
        factor=chain(factor).gt(0, by=sign),
    )


third, mean = Rational(1, 3), Rational(1, 2)
right("injective", Injective(half), apart(half, Injective(half), "expansion-injective", mean))
right(
    "regular",
    InvertibleJacobian(half),
    apart(half, InvertibleJacobian(half), "expansion-invertible", mean),
)
wrong(
    "a contraction that expands",
    Injective(half),
    apart(half, Injective(half), "expansion-injective", 2, sign),
    "expands.1",
)
wrong(
    "a second point that is the first",
    Injective(box_map({x: x**2, y: y})),
    apart(
        box_map({x: x**2, y: y}),
        Injective(box_map({x: x**2, y: y})),
        "expansion-injective",
        1,
        unchecked,
        (x, y),
    ),
    "theorem",
)
parabola, cube = box_map({x: x**2, y: y}), box_map({x: x**3, y: y})
wrong(
    "a parabola is injective, as numbers see it",
    Injective(parabola),
    apart(parabola, Injective(parabola), "expansion-injective", third, unchecked),
    "theorem",
    checks="numeric",
)
for g, name in ((parabola, "changes its sign"), (cube, "vanishes without changing its sign")):
    wrong(
        f"a determinant that {name}, as numbers see it",
        InvertibleJacobian(g),
        apart(g, InvertibleJacobian(g), "expansion-invertible", third, unchecked),
        "theorem",
        checks="numeric",
    )
bent = box_map({x: x / 2 + Abs(x) / 8, y: y / 2})
wrong(
    "a map with a bend",
    InvertibleJacobian(bent),
    apart(bent, InvertibleJacobian(bent), "expansion-invertible", third, unchecked),
    "theorem",
    checks="rule",
)

# -- few starts --------------------------------------------------------------------------------


def stable(g, matrix, eigenvalue, by=sign):
    entry = lambda i, j: differentiate  # noqa: E731
    return by_theorem(
        NullStarts(g, origin),
        "center-stable",
        {"matrix": matrix, "eigenvalue": eigenvalue},
        stays=stays(g, by),
        fixed_1=algebra,
        fixed_2=algebra,
        entry_11=entry(0, 0),
        entry_12=entry(0, 1),
        entry_21=entry(1, 0),
        entry_22=entry(1, 1),
        eigenvalue=algebra,
        expanding=sign,
        invertible=lemma("granted"),
    )


quarter = Rational(5, 4)
regular = (granted(InvertibleJacobian(saddle)),)
right(
    "a saddle",
    NullStarts(saddle, origin),
    stable(saddle, ((quarter, 0), (0, mean)), quarter),
    others=regular,
)
wrong(
    "a sink",
    NullStarts(half, origin),
    stable(half, ((mean, 0), (0, mean)), mean),
    "expanding.1",
    others=(granted(InvertibleJacobian(half)),),
)
wrong(
    "a sink, with an eigenvalue that it has not",
    NullStarts(half, origin),
    stable(half, ((mean, 0), (0, mean)), 2),
    "eigenvalue.1",
    others=(granted(InvertibleJacobian(half)),),
)
wrong(
    "a sink, with a Jacobian that it has not",
    NullStarts(half, origin),
    stable(half, ((2, 0), (0, mean)), 2),
    "entry_11.1",
    others=(granted(InvertibleJacobian(half)),),
)
wrong(
    "a sink, as numbers see it",
    NullStarts(half, origin),
    stable(half, ((mean, 0), (0, mean)), mean),
    "theorem",
    checks="numeric",
    others=(granted(InvertibleJacobian(half)),),
)
wrong(
    "a Jacobian that is not known to be invertible",
    NullStarts(saddle, origin),
    stable(saddle, ((quarter, 0), (0, mean)), quarter),
    "invertible",
    checks="rule",
    others=(granted(InvertibleJacobian(half)),),
)
fixed_elsewhere = box_map({x: x / 2 + Rational(1, 4), y: y / 2})
wrong(
    "a point that is not fixed",
    NullStarts(fixed_elsewhere, origin),
    stable(fixed_elsewhere, ((mean, 0), (0, mean)), mean),
    "fixed_1.1",
    others=(granted(InvertibleJacobian(fixed_elsewhere)),),
)


def summit(g, points, f, by=sign):
    higher = {
        f"less_{number}": chain(g.before(f)).lt(f(*point), by=by)
        for number, point in enumerate(sorted(points, key=str), start=1)
    }
    return by_theorem(
        NullStarts(g, points),
        "strict-maximum",
        {"risk": f},
        stays=stays(g, sign),
        decreases=lemma("granted"),
        **higher,
    )


corner = point_set([(1, 1)])
right(
    "a maximum",
    NullStarts(half, corner),
    summit(half, corner, square_of),
    others=(granted(DecreasesAlong(half, square_of)),),
)
wrong(
    "a maximum that is not strict",
    NullStarts(half, corner),
    summit(half, corner, function(1)),
    "less_1.1",
    others=(granted(DecreasesAlong(half, function(1))),),
)
wrong(
    "the maximum of a function that increases",
    NullStarts(half, origin),
    summit(half, origin, upside_down),
    "decreases",
    checks="rule",
    others=(granted(DecreasesAlong(half, bowl)),),
)
wrong(
    "a minimum for a maximum",
    NullStarts(half, origin),
    summit(half, origin, bowl),
    "less_1.1",
    others=(granted(DecreasesAlong(half, bowl)),),
)

# -- almost all starts -------------------------------------------------------------------------


def most(g, points, others):
    return by_theorem(
        AlmostEveryStartConvergesTo(g, points),
        "all-but-few",
        {"others": tuple(others)},
        limits=lemma("granted"),
        few=lemma("few"),
    )


ends = point_set([*sinks, *origin])
right(
    "almost all to the sinks",
    AlmostEveryStartConvergesTo(saddle, sinks),
    most(saddle, sinks, origin),
    others=(granted(OrbitsConvergeTo(saddle, ends)), granted(NullStarts(saddle, origin), "few")),
)
one, two = point_set([(1, 0)]), point_set([(-1, 0), (0, 0)])
wrong(
    "almost all to one of two sinks",
    AlmostEveryStartConvergesTo(saddle, one),
    most(saddle, one, two),
    "few",
    checks="rule",
    others=(granted(OrbitsConvergeTo(saddle, ends)), granted(NullStarts(saddle, origin), "few")),
)
wrong(
    "almost all to one of two sinks, as numbers see it",
    AlmostEveryStartConvergesTo(saddle, one),
    most(saddle, one, two),
    "theorem",
    checks="numeric",
    others=(granted(OrbitsConvergeTo(saddle, ends)), granted(NullStarts(saddle, two), "few")),
)
wrong(
    "a part of the points",
    NullStarts(saddle, origin),
    by_theorem(
        NullStarts(saddle, origin),
        "null-union",
        {"parts": (tuple(origin),)},
        part_1=lemma("few"),
    ),
    "part_1",
    checks="rule",
    others=(granted(NullStarts(half, origin), "few"),),
)

# -- pairs of unit vectors ---------------------------------------------------------------------

five = symbols("kappa nu theta eta rho", real=True)
kappa, nu, theta, eta, rho = five
n = Symbol("n", positive=True)


def moved(z, slope):
    return (z - a * slope * (1 - z**2)) / (1 + a**2 * slope**2 * (1 - z**2)) ** Rational(1, 2)


# The risk -kappa - nu, whose slopes are -1, and what may be added to it.
climb = box_map({kappa: moved(kappa, -1), nu: moved(nu, -1)})
ascent = point_set([(1, 1)])


def pairs(risk, planar=climb, slopes=(-1, -1), points=ascent):
    return by_theorem(
        AlmostEveryPairConvergesTo(SphereDescent(Lambda(five, risk), a, n), points),
        "from-overlaps",
        {"planar": planar, "slopes": function_of((kappa, nu), slopes)},
        chain_rule=lemma("lemma-4-chain-rule"),
        planar=lemma("granted"),
        dimension=sign,
        across_1=differentiate,
        across_2=differentiate,
        across_3=differentiate,
        slope_1=differentiate,
        slope_2=differentiate,
        step_1=algebra,
        step_2=algebra,
    )


def pair_goal(risk, points=ascent):
    return AlmostEveryPairConvergesTo(SphereDescent(Lambda(five, risk), a, n), points)


small = (Ge(n, 4), Lt(a, Rational(1, 4)), Gt(a, Rational(1, 50)))
flat = theta**2 + eta**2 + rho**2
along = (granted(AlmostEveryStartConvergesTo(climb, ascent)),)
right("pairs", pair_goal(flat - kappa - nu), pairs(flat - kappa - nu), given=small, others=along)
wrong(
    "pairs in too few dimensions",
    pair_goal(flat - kappa - nu),
    pairs(flat - kappa - nu),
    "dimension.1",
    given=(Ge(n, 3), *small[1:]),
    others=along,
)
wrong(
    "pairs that are pushed off the manifold",
    pair_goal(theta - kappa - nu),
    pairs(theta - kappa - nu),
    "across_1.1",
    given=small,
    others=along,
)
wrong(
    "pairs of another slope",
    pair_goal(flat - 2 * kappa - nu),
    pairs(flat - 2 * kappa - nu),
    "slope_1.1",
    given=small,
    others=along,
)
wrong(
    "pairs of another planar map",
    pair_goal(flat - 2 * kappa - nu),
    pairs(flat - 2 * kappa - nu, slopes=(-2, -1)),
    "step_1.1",
    given=small,
    others=along,
)
down = point_set([(-1, -1)])
wrong(
    "pairs that end elsewhere, as numbers see it",
    pair_goal(flat - kappa - nu, down),
    pairs(flat - kappa - nu, points=down),
    "theorem",
    checks="numeric",
    given=small,
    others=(granted(AlmostEveryStartConvergesTo(climb, down)),),
)

"""False statements on what decreases and vanishes along orbits, and where these end; twins."""

from sympy import Abs, And, Eq, Equivalent, Ge, Lambda, Le, Or, Rational

from slrsym.proof import by_claim, chain, lemma, sign
from slrsym.prover.rules.theorems import by_theorem
from slrsym.prover.statements.maps import box_map, point_set
from slrsym.prover.statements.orbits import (
    AccumulationPointsSolve,
    DecreasesAlong,
    OrbitsConvergeTo,
    StepsVanish,
    VanishesAlong,
)

from ._entries import Theme, known, unchecked
from ._maps import (
    a,
    bowl,
    cycle,
    function,
    granted,
    half,
    origin,
    outward,
    saddle,
    sinks,
    square_of,
    stays,
    u,
    v,
    x,
    y,
)

theme = Theme()
wrong, right = theme.wrong, theme.right

# The formatter would give each argument of an entry its own line.
# fmt: off

# -- what decreases ----------------------------------------------------------------------------


def decreasing(g, f, by=sign, **more):
    shown = chain(g.value_after_step(f) - g.value_before_step(f)).le(0, by=by)
    goal, inside = DecreasesAlong(g, f), stays(g, more.get("stay", by))
    return goal, by_theorem(goal, "decrease", stays=inside, decreases=shown)


upside_down = function(-(x**2) - y**2)
right("a bowl", *decreasing(half, bowl))
wrong("upside down", *decreasing(half, upside_down), "decreases.1")
wrong("upside down, as numbers see it", *decreasing(half, upside_down, unchecked), "theorem",
      checks="numeric")
wrong("a map that leaves the box", *decreasing(outward, function(-(x**2))), "stays*")
wrong("a map that leaves the box, as numbers see it", StepsVanish(outward),
      by_theorem(StepsVanish(outward), "small-steps", {"slack": bowl, "factor": 1},
                 stays=stays(outward, unchecked),
                 steps=chain(outward.squared_step_length() - x**2 - y**2).le(0, by=unchecked),
                 vanishes=lemma("granted")), "theorem", checks="numeric",
      others=(granted(VanishesAlong(outward, bowl)),))
contraction = box_map({x: (1 - a) * x, y: y / 2})
right("a step size that is safe", *decreasing(contraction, square_of), given=(Le(a, 2),))
wrong("a step size above the bound", *decreasing(contraction, square_of, stay=unchecked),
      "decreases.1", given=(Le(a, 3),))
wrong("a step size above the bound, as numbers see it",
      *decreasing(contraction, square_of, unchecked), "theorem", given=(Le(a, 3),),
      checks="numeric")
wrong("shown for some starts only", *decreasing(half, function(x)), "theorem", given=(Ge(x, 0),))
wrong("a parameter of the name of a coordinate",
      *decreasing(half, Lambda((u, v), u**2 + 0 * v + x)), "theorem", checks="rule")
bowl_falls = chain(half.value_after_step(bowl) - half.value_before_step(bowl)).le(0, by=sign)
square_falls = half.value_after_step(square_of) - half.value_before_step(square_of)
wrong("without that it stays in the box", DecreasesAlong(half, bowl),
      by_theorem(DecreasesAlong(half, bowl), "decrease", decreases=bowl_falls), "theorem",
      checks="rule")
wrong("of another function", DecreasesAlong(half, bowl),
      by_theorem(DecreasesAlong(half, bowl), "decrease", stays=stays(half),
                 decreases=chain(square_falls).le(0, by=sign)), "decreases.needed", checks="rule")
wrong("by a claim on another map", DecreasesAlong(half, bowl),
      by_theorem(DecreasesAlong(half, bowl), "decrease",
                 stays=by_claim(half.invariance_condition(), "granted"), decreases=bowl_falls),
      "stays", others=(granted(saddle.invariance_condition()),), checks="rule")

# -- what vanishes -----------------------------------------------------------------------------


RATE = Rational(3, 4)


def vanishing(g, slack, rate=RATE, risk=bowl, floor=0, by=sign, **more):
    goal = VanishesAlong(g, slack)
    paid = g.value_after_step(risk) - g.value_before_step(risk) + rate * g.value_before_step(slack)
    premises = {"stays": stays(g, by), "descends": chain(paid).le(0, by=by),
                "nonnegative": chain(g.value_before_step(slack)).ge(0, by=by),
                "bounded": chain(g.value_before_step(risk)).ge(floor, by=by),
                "rate": chain(rate).gt(0, by=by)}
    values = {"risk": risk, "rate": rate, "floor": floor}
    return goal, by_theorem(goal, "bounded-descent", values, **premises | more)


right("the descent vanishes", *vanishing(half, bowl))
wrong("too high a rate", *vanishing(half, bowl, rate=1), "descends.1")
wrong("a rate of 0", *vanishing(half, bowl, rate=0), "rate.1")
wrong("a rate that depends on the point",
      *vanishing(half, function(1), rate=3 * x**2 / 4, by=unchecked), "theorem")
wrong("a floor that depends on the point", *vanishing(half, bowl, floor=x**2), "theorem",
      checks="rule")
wrong("a floor that is too high", *vanishing(half, bowl, floor=1), "bounded.1")
wrong("what does not vanish, as numbers see it", *vanishing(saddle, square_of, by=unchecked),
      "theorem", checks="numeric")

# -- steps and limits --------------------------------------------------------------------------


def small_steps(g, by=sign, factor=1):
    goal, slack = StepsVanish(g), g.squared_step_length() - factor * g.value_before_step(bowl)
    return goal, by_theorem(goal, "small-steps", {"slack": bowl, "factor": factor},
                            stays=stays(g, by), steps=chain(slack).le(0, by=by),
                            vanishes=lemma("granted"))


tends = (granted(VanishesAlong(half, bowl)),)
right("steps vanish", *small_steps(half), others=tends)
wrong("steps that are larger", *small_steps(half, factor=Rational(1, 8)), "steps.1", others=tends)
wrong("a cycle, as numbers see it", *small_steps(cycle, unchecked), "theorem", checks="numeric",
      others=(granted(VanishesAlong(cycle, bowl)),))
wrong("what vanishes along another map", *small_steps(saddle, unchecked), "vanishes", checks="rule",
      others=tends)


def solving(g, equations, by=sign, factor=1):
    goal = AccumulationPointsSolve(g, equations)
    squares = sum(e**2 for e in g.value_before_step(equations))
    bound = chain(squares - factor * g.value_before_step(bowl)).le(0, by=by)
    return goal, by_theorem(goal, "limits-solve", {"slack": bowl, "factor": factor},
                            stays=stays(g, by), equations=bound, vanishes=lemma("granted"))


both = function((x / 2, y))
right("limits solve", *solving(half, both), others=tends)
wrong("equations that are not bounded by the descent", *solving(half, function((x + 1, y))),
      "equations.1", others=tends)
wrong("equations that do not hold at a limit, as numbers see it", *solving(saddle, both, unchecked),
      "theorem", checks="numeric", others=(granted(VanishesAlong(saddle, bowl)),))
wrong("an equation that is not known to be continuous", *solving(half, function((Abs(x), y))),
      "theorem", checks="rule", others=tends)


def converging(g, points, equations=both, by=sign, solutions=None):
    goal = OrbitsConvergeTo(g, points)
    return goal, by_theorem(goal, "connected-limits", {"equations": equations}, stays=stays(g, by),
                            steps=by_claim(StepsVanish(g), "granted"),
                            limits=by_claim(AccumulationPointsSolve(g, equations), "solved"),
                            solutions=by_claim(solutions, "solutions"))


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
        known("solutions", solutions, stays(half), given=g.inside_conditions()),
    )


only_origin = system(both, (0, 0))
right("one limit", *converging(half, origin, solutions=only_origin),
      others=orbits(half, both, only_origin))
elsewhere = system(both, (Rational(1, 2), 0))
wrong("a wrong point", *converging(half, point_set([(Rational(1, 2), 0)]), solutions=elsewhere),
      "theorem", checks="numeric", others=orbits(half, both, elsewhere))
wrong("a wrong point, and the right solutions",
      *converging(half, point_set([(Rational(1, 2), 0)]), solutions=only_origin),
      "solutions.needed", checks="rule", others=orbits(half, both, only_origin))
cubic = function((x - x**3, y))
sinks_alone = system(cubic, (1, 0), (-1, 0))
wrong("a point that is missing among the limits",
      *converging(saddle, sinks, cubic, solutions=sinks_alone), "theorem", checks="numeric",
      others=orbits(saddle, cubic, sinks_alone))
wrong("a point that is missing among the limits, and not among the solutions",
      *converging(saddle, sinks, cubic, solutions=system(cubic, (1, 0), (-1, 0), (0, 0))),
      "solutions.needed", checks="rule",
      others=orbits(saddle, cubic, system(cubic, (1, 0), (-1, 0), (0, 0))))
extra = function((x * (2 * x - 1), y))
wrong("equations with one more zero",
      *converging(half, origin, extra, solutions=system(extra, (0, 0))), "solutions", checks="rule",
      others=orbits(half, extra, system(extra, (0, 0), (Rational(1, 2), 0))))

"""False statements on maps, and on how many starts end at a point; true ones with a wrong proof."""

from sympy import Abs, Ge, Gt, Lambda, Le, Lt, Rational, Symbol, symbols

from slrsym.papers.single_location.pairs import (
    AlmostEveryPairConvergesTo,
    NullPairs,
    SphereDescent,
)
from slrsym.papers.single_location.pairs.theorem import (
    manifold_gram_determinants_statement,
    overlap_chain_rule_statement,
    overlap_identities_statement,
)
from slrsym.proof import algebra, chain, differentiate, lemma, sign
from slrsym.prover.rules.theorems import by_theorem
from slrsym.prover.statements.maps import box_map, lambda_of_coordinates, point_set
from slrsym.prover.statements.orbits import (
    AlmostEveryStartConvergesTo,
    DecreasesAlong,
    Injective,
    InvertibleJacobian,
    LocalDiffeomorphism,
    NullStarts,
    OrbitsConvergeTo,
)

from ._entries import Theme, unchecked
from ._maps import (
    a,
    bowl,
    function,
    granted,
    half,
    origin,
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

upside_down = function(-(x**2) - y**2)

# The formatter would give each argument of an entry its own line.
# fmt: off

# -- the map itself ----------------------------------------------------------------------------


def apart(g, kind, factor, by=algebra, second=(u, v)):
    goal = kind(g)
    name = {Injective: "expansion-injective", InvertibleJacobian: "expansion-invertible"}[kind]
    images = sum(abs(p - q) for p, q in zip(g.images, g.image_at(second), strict=True))
    start, end = chain(images), factor * g.l1_distance(second)
    expands = start.then(end, by=algebra) if by is algebra else start.ge(end, by=by)
    return goal, by_theorem(goal, name, {"second": second, "factor": factor}, expands=expands,
                            factor=chain(factor).gt(0, by=sign))


third, mean = Rational(1, 3), Rational(1, 2)
right("injective", *apart(half, Injective, mean))
right("regular", *apart(half, InvertibleJacobian, mean))
wrong("a contraction that expands", *apart(half, Injective, 2), "expands.1")
wrong("a second point that is the first",
      *apart(box_map({x: x**2, y: y}), Injective, 1, unchecked, (x, y)), "theorem")
scaled = box_map({x: u * x, y: y})
wrong("a second point of the name of a parameter", *apart(scaled, Injective, third, unchecked),
      "theorem", checks="rule")
parabola, cube = box_map({x: x**2, y: y}), box_map({x: x**3, y: y})
wrong("a parabola is injective, as numbers see it", *apart(parabola, Injective, third, unchecked),
      "theorem", checks="numeric")
for g, name in ((parabola, "changes its sign"), (cube, "vanishes without changing its sign")):
    wrong(f"a determinant that {name}, as numbers see it",
          *apart(g, InvertibleJacobian, third, unchecked), "theorem", checks="numeric")
bent = box_map({x: x / 2 + Abs(x) / 8, y: y / 2})
wrong("a map with a bend", *apart(bent, InvertibleJacobian, third, unchecked), "theorem",
      checks="rule")

# -- few starts --------------------------------------------------------------------------------


def stable(g, matrix, eigenvalue, by=sign):
    goal = NullStarts(g, origin)
    return goal, by_theorem(goal, "center-stable", {"matrix": matrix, "eigenvalue": eigenvalue},
                            stays=stays(g, by), fixed_1=algebra, fixed_2=algebra,
                            **{f"entry_{entry}": differentiate for entry in (11, 12, 21, 22)},
                            eigenvalue=algebra, expanding=sign, invertible=lemma("granted"))


quarter = Rational(5, 4)
regular = (granted(InvertibleJacobian(saddle)),)
right("a saddle", *stable(saddle, ((quarter, 0), (0, mean)), quarter), others=regular)
for name, jacobian, growth, step in (
    ("a sink", ((mean, 0), (0, mean)), mean, "expanding.1"),
    ("a sink, with an eigenvalue that it has not", ((mean, 0), (0, mean)), 2, "eigenvalue.1"),
    ("a sink, with a Jacobian that it has not", ((2, 0), (0, mean)), 2, "entry_11.1"),
):
    sink = (granted(InvertibleJacobian(half)),)
    wrong(name, *stable(half, jacobian, growth), step, others=sink)
wrong("a sink, as numbers see it", *stable(half, ((mean, 0), (0, mean)), mean), "theorem",
      checks="numeric", others=(granted(InvertibleJacobian(half)),))
wrong("a Jacobian that is not known to be invertible",
      *stable(saddle, ((quarter, 0), (0, mean)), quarter), "invertible", checks="rule",
      others=(granted(InvertibleJacobian(half)),))
fixed_elsewhere = box_map({x: x / 2 + Rational(1, 4), y: y / 2})
wrong("a point that is not fixed", *stable(fixed_elsewhere, ((mean, 0), (0, mean)), mean),
      "fixed_1.1", others=(granted(InvertibleJacobian(fixed_elsewhere)),))


def summit(g, points, f, by=sign):
    higher = {
        f"less_{number}": chain(g.value_before_step(f)).lt(f(*point), by=by)
        for number, point in enumerate(sorted(points, key=str), start=1)
    }
    goal = NullStarts(g, points)
    return goal, by_theorem(goal, "strict-maximum", {"risk": f}, stays=stays(g, sign),
                            decreases=lemma("granted"), **higher)


corner = point_set([(1, 1)])
right("a maximum", *summit(half, corner, square_of),
      others=(granted(DecreasesAlong(half, square_of)),))
wrong("a maximum that is not strict", *summit(half, corner, function(1)), "less_1.1",
      others=(granted(DecreasesAlong(half, function(1))),))
wrong("the maximum of a function that increases", *summit(half, origin, upside_down), "decreases",
      checks="rule", others=(granted(DecreasesAlong(half, bowl)),))
wrong("a minimum for a maximum", *summit(half, origin, bowl), "less_1.1",
      others=(granted(DecreasesAlong(half, bowl)),))

# -- almost all starts -------------------------------------------------------------------------


def most(g, points, others):
    goal = AlmostEveryStartConvergesTo(g, points)
    return goal, by_theorem(goal, "all-but-few", {"others": tuple(others)},
                            limits=lemma("granted"), few=lemma("few"))


ends = point_set([*sinks, *origin])
right("almost all to the sinks", *most(saddle, sinks, origin),
      others=(granted(OrbitsConvergeTo(saddle, ends)), granted(NullStarts(saddle, origin), "few")))
one, two = point_set([(1, 0)]), point_set([(-1, 0), (0, 0)])
wrong("almost all to one of two sinks", *most(saddle, one, two), "few", checks="rule",
      others=(granted(OrbitsConvergeTo(saddle, ends)), granted(NullStarts(saddle, origin), "few")))
wrong("almost all to one of two sinks, as numbers see it", *most(saddle, one, two), "theorem",
      checks="numeric",
      others=(granted(OrbitsConvergeTo(saddle, ends)), granted(NullStarts(saddle, two), "few")))
wrong("a part of the points", NullStarts(saddle, origin),
      by_theorem(NullStarts(saddle, origin), "null-union", {"parts": (tuple(origin),)},
                 part_1=lemma("few")), "part_1", checks="rule",
      others=(granted(NullStarts(half, origin), "few"),))

# -- pairs of unit vectors ---------------------------------------------------------------------

five = symbols("kappa nu theta eta rho", real=True)
kappa, nu, theta, eta, rho = five
n = Symbol("d", positive=True)


def moved(z, slope):
    return (z - a * slope * (1 - z**2)) / (1 + a**2 * slope**2 * (1 - z**2)) ** Rational(1, 2)


# The risk -kappa - nu, whose slopes are -1, and what may be added to it.
climb = box_map({kappa: moved(kappa, -1), nu: moved(nu, -1)})
# Where pairs end, in three dimensions half of them at the side: with v = -v* or k = -k*, and kept.
ascent = point_set([(1, 1), (-1, 1), (1, -1)])
small = (Ge(n, 3), Lt(a, Rational(1, 4)), Gt(a, Rational(1, 50)))
flat = theta**2 + eta**2 + rho**2
rules = (granted(overlap_chain_rule_statement(), "lemma-4-chain-rule"),
         granted(overlap_identities_statement(), "manifold-step"),
         granted(manifold_gram_determinants_statement(kappa, nu), "manifold-volume"))
stay = {f"edge_stays_{i}_{side}": algebra for i in (1, 2) for side in ("high", "low")}


def edges(goal):
    """What is said of the edges of the square, by the names of hypotheses, as for the pairs."""
    said = {}
    for i, z in enumerate((kappa, nu)):
        for side, end in (("high", 1), ("low", -1)):
            if there := [(p[1 - i],) for p in goal.points if p[i] == end]:
                said[f"edge_{i + 1}_{side}"] = on_overlaps(goal, climb.face(z, end), there)
    return said


def on_overlaps(goal, map, points):
    kind = NullStarts if isinstance(goal, NullPairs) else AlmostEveryStartConvergesTo
    return kind(map, point_set(points))


def on_manifold(goal, slopes=(-1, -1), **shown):
    """The theorem on pairs; of the edges all is shown, unless it is given."""
    shown = shown or stay | {name: lemma(name.replace("_", "-")) for name in edges(goal)}
    return by_theorem(goal, "from-overlaps-and-edges",
                      {"planar": climb, "slopes": lambda_of_coordinates((kappa, nu), slopes)},
                      chain_rule=lemma("lemma-4-chain-rule"), vectors=lemma("manifold-step"),
                      volume=lemma("manifold-volume"), planar=lemma("granted"), dimension=sign,
                      **{f"across_{i}": differentiate for i in (1, 2, 3)},
                      **{f"slope_{i}": differentiate for i in (1, 2)},
                      **{f"step_{i}": algebra for i in (1, 2)}, **shown)


def along(goal):
    """What is granted: the goal as one on overlaps, on the square and on its edges."""
    said = {name.replace("_", "-"): edge for name, edge in edges(goal).items()}
    return (granted(on_overlaps(goal, climb, goal.points)), *rules,
            *(granted(edge, name) for name, edge in said.items()))


def pair_goal(risk, points=ascent):
    return AlmostEveryPairConvergesTo(SphereDescent(Lambda(five, risk), a, n), points)


every = pair_goal(flat - kappa - nu)
right("pairs", every, on_manifold(every), given=small, others=along(every))
for name, risk, slopes, least, step in (
    ("pairs in too few dimensions", flat - kappa - nu, (-1, -1), 2, "dimension.1"),
    ("pairs that are pushed off the manifold", theta - kappa - nu, (-1, -1), 3, "across_1.1"),
    ("pairs of another slope", flat - 2 * kappa - nu, (-1, -1), 3, "slope_1.1"),
    ("pairs of another planar map", flat - 2 * kappa - nu, (-2, -1), 3, "step_1.1"),
):
    goal = pair_goal(risk)
    wrong(name, goal, on_manifold(goal, slopes), step, given=(Ge(n, least), *small[1:]),
          others=along(goal))
# Its value and slopes on the manifold are those that are wanted.
for at, side in ((-Rational(1, 2), "negative"), (Rational(1, 2), "positive")):
    goal = pair_goal(flat - kappa - nu + rho**2 / (rho - at))
    wrong(f"pairs of a risk with a pole at a {side} overlap", goal, on_manifold(goal), "theorem",
          checks="rule", given=small, others=along(goal))
down = pair_goal(flat - kappa - nu, point_set([(-1, -1), (-1, 1), (1, -1)]))
wrong("pairs that end elsewhere, as numbers see it", down, on_manifold(down),
      "theorem", checks="numeric", given=small, others=along(down))

# -- pairs whose overlaps end at few points, and pairs in three dimensions ----------------------


def few_pairs(*points):
    return NullPairs(SphereDescent(Lambda(five, flat - kappa - nu), a, n), point_set(points))


few = few_pairs((-1, -1))
right("few pairs", few, on_manifold(few), given=small, others=along(few))
few = few_pairs((1, 1))
wrong("pairs that do end there, as numbers see it", few, on_manifold(few), "theorem",
      checks="numeric", given=small, others=along(few))
# In three dimensions half of the pairs have v = -v* or k = -k*, and stay with it.
in_space = (Ge(n, 3), Le(n, 3), *small[1:])
corners = pair_goal(flat - kappa - nu, point_set([(1, 1), (-1, -1)]))
upper = {name: lemma(name.replace("_", "-")) for name in ("edge_1_high", "edge_2_high")}
for what, shown, checks in (
    ("from the square alone", stay, "both"),
    ("from two of four edges", {**stay, **upper}, "both"),
    ("from edges of which two are wrong, as numbers see it", {}, "numeric"),
):
    wrong(f"pairs in three dimensions, {what}", corners, on_manifold(corners, **shown), "theorem",
          checks=checks, given=in_space, others=along(corners))

# -- faces -------------------------------------------------------------------------------------

up, right_end = point_set([(1,)]), climb.face(nu, 1)


def faced(map, whole, value, points, of):
    return OrbitsConvergeTo(map, points), by_theorem(
        OrbitsConvergeTo(map, points),
        "on-face",
        {"whole": whole, "fixed": nu, "value": value, "of": of},
        kept=algebra,
        whole=lemma("granted"),
    )


both_ends = point_set([(1, 1), (-1, 1), (1, -1), (-1, -1)])
climbs = (Lt(a, Rational(1, 4)), Gt(a, Rational(1, 50)))
right("a face", *faced(right_end, climb, 1, point_set([(1,), (-1,)]), both_ends), given=climbs,
      others=(granted(OrbitsConvergeTo(climb, both_ends)),))
pull = box_map({kappa: kappa / 2, nu: nu / 2})
wrong("a face that steps leave",
      *faced(pull.face(nu, 1), pull, 1, point_set([(0,)]), point_set([(0, 0), (0, 1)])), "kept.1",
      others=(granted(OrbitsConvergeTo(pull, point_set([(0, 0), (0, 1)]))),))

# -- local inverses ----------------------------------------------------------------------------


def inverted(g):
    goal = LocalDiffeomorphism(g, origin)
    return goal, by_theorem(goal, "local-inverse", invertible=lemma("granted"))


right("a local inverse", *inverted(half), others=(granted(InvertibleJacobian(half)),))
for g, name in ((parabola, "a parabola"), (cube, "a cube")):
    wrong(f"a local inverse of {name} at 0, as numbers see it", *inverted(g), "theorem",
          checks="numeric", others=(granted(InvertibleJacobian(g)),))

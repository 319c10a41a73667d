"""What theorems on orbits ask for: hypotheses of small maps, written by hand."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from sympy import (
    And,
    Eq,
    Equivalent,
    Function,
    Ge,
    Gt,
    Lambda,
    Le,
    Lt,
    Rational,
    Symbol,
    Tuple,
    expand,
    symbols,
)

from slrsym.crosscheck import compare, random_test_functions
from slrsym.papers.single_location.pairs import (
    AlmostEveryPairConvergesTo,
    NullPairs,
    SphereDescent,
)
from slrsym.papers.single_location.pairs import (
    theorem as pairs,
)
from slrsym.proof import D, ProofError, algebra, chain, lemma, sign
from slrsym.prover.rules.chain import at
from slrsym.prover.rules.descent_theorems import TheoremHypothesis
from slrsym.prover.rules.lemmas import by_claim
from slrsym.prover.rules.theorems import by_theorem, proof_of_hypothesis
from slrsym.prover.statements.maps import box_map, lambda_of_coordinates, point_set
from slrsym.prover.statements.orbits import (
    AccumulationPointsSolve,
    AlmostEveryStartConvergesTo,
    DecreasesAlong,
    Injective,
    InvertibleJacobian,
    LocalDiffeomorphism,
    NullStarts,
    OrbitsConvergeTo,
    StepsVanish,
    VanishesAlong,
)

from ._steps import eq

x, y, u, v = symbols("x y u v", real=True)
a, N = Symbol("a", positive=True), Symbol("N", integer=True)
G = box_map({x: x / 3, y: x * y / 4}, low=(-1, -1), high=(1, 2))
BOX = [Ge(x, -1), Le(x, 1), Ge(y, -1), Le(y, 2)]
INNER = [Gt(x, -1), Lt(x, 1), Gt(y, -1), Lt(y, 2)]
OTHER = [Ge(u, -1), Le(u, 1), Ge(v, -1), Le(v, 2)]
STAYS = (And(Ge(x / 3, -1), Le(x / 3, 1), Ge(x * y / 4, -1), Le(x * y / 4, 2)), BOX)
RISK = lambda_of_coordinates((x, y), x**2 + y)
SLACK = lambda_of_coordinates((x, y), x**2)
CHANGE = x**2 / 9 + x * y / 4 - x**2 - y
LINES = lambda_of_coordinates((x, y), (x, x - y))
ZERO, CORNER = (0, 0), (1, 2)
HALF = (Rational(1, 2), 1)
START, END, BOTH = point_set([ZERO]), point_set([CORNER]), point_set([ZERO, CORNER])


def there(image: Any) -> Any:
    return at(image, {x: HALF[0], y: HALF[1]})


EXPANDS = {
    "expands": (
        Ge(
            abs(x / 3 - u / 3) + abs(x * y / 4 - u * v / 4),
            a * (abs(x - u) + abs(y - v)),
            evaluate=False,
        ),
        [*BOX, *OTHER],
    ),
    "factor": (Gt(a, 0, evaluate=False), []),
}
MATRIX = ((Rational(1, 3), 0), (Rational(1, 4), Rational(1, 8)))
r = Symbol("r", real=True)
RESTRICTED = box_map({x: x / 3})
LEFT = box_map({y: -y / 4}, low=[-1], high=[2])

ASKED = [
    ("decrease", DecreasesAlong(G, RISK), {}, {"stays": STAYS, "decreases": (Le(CHANGE, 0), BOX)}),
    (
        "bounded-descent",
        VanishesAlong(G, SLACK),
        {"risk": RISK, "rate": a, "floor": -3},
        {
            "stays": STAYS,
            "descends": (Le(CHANGE + a * x**2, 0), BOX),
            "nonnegative": (Ge(x**2, 0, evaluate=False), BOX),
            "bounded": (Ge(x**2 + y, -3), BOX),
            "rate": (Gt(a, 0, evaluate=False), []),
        },
    ),
    (
        "small-steps",
        StepsVanish(G),
        {"slack": SLACK, "factor": a},
        {
            "stays": STAYS,
            "steps": (Le((x / 3 - x) ** 2 + (x * y / 4 - y) ** 2 - a * x**2, 0), BOX),
            "vanishes": (VanishesAlong(G, SLACK), []),
        },
    ),
    (
        "limits-solve",
        AccumulationPointsSolve(G, LINES),
        {"slack": SLACK, "factor": a},
        {
            "stays": STAYS,
            "equations": (Le(x**2 + (x - y) ** 2 - a * x**2, 0), BOX),
            "vanishes": (VanishesAlong(G, SLACK), []),
        },
    ),
    (
        "connected-limits",
        OrbitsConvergeTo(G, START),
        {"equations": LINES},
        {
            "stays": STAYS,
            "solutions": (
                Equivalent(And(eq(x, 0), eq(x - y, 0)), And(Eq(x, 0), Eq(y, 0)), evaluate=False),
                BOX,
            ),
            "steps": (StepsVanish(G), []),
            "limits": (AccumulationPointsSolve(G, LINES), []),
        },
    ),
    (
        "connected-limits",
        OrbitsConvergeTo(RESTRICTED, point_set([(0,)])),
        {"equations": Lambda(x, Tuple(x))},
        {
            "stays": (And(Ge(x / 3, -1), Le(x / 3, 1)), BOX[:2]),
            "steps": (StepsVanish(RESTRICTED), []),
            "limits": (AccumulationPointsSolve(RESTRICTED, Lambda(x, Tuple(x))), []),
        },
    ),
    (
        "on-face",
        DecreasesAlong(LEFT, Lambda(y, y + 1)),
        {"whole": G, "fixed": x, "value": -1, "of": RISK},
        {
            "kept": (eq(at(x / 3, {x: -1}), -1), BOX[2:]),
            "whole": (DecreasesAlong(G, RISK), []),
        },
    ),
    (
        "on-face",
        OrbitsConvergeTo(LEFT, point_set([(2,)])),
        {"whole": G, "fixed": x, "value": -1, "of": point_set([ZERO, (-1, 2), (1, 1)])},
        {
            "kept": (eq(at(x / 3, {x: -1}), -1), BOX[2:]),
            "whole": (OrbitsConvergeTo(G, point_set([ZERO, (-1, 2), (1, 1)])), []),
        },
    ),
    ("expansion-injective", Injective(G), {"second": (u, v), "factor": a}, EXPANDS),
    ("expansion-invertible", InvertibleJacobian(G), {"second": (u, v), "factor": a}, EXPANDS),
    (
        "local-inverse",
        LocalDiffeomorphism(G, START),
        {},
        {"invertible": (InvertibleJacobian(G), [])},
    ),
    (
        "center-stable",
        NullStarts(G, point_set([HALF])),
        {"matrix": MATRIX, "eigenvalue": 2},
        {
            "stays": STAYS,
            "entry_11": (eq(there(D(x / 3, x)), Rational(1, 3)), []),
            "entry_12": (eq(there(D(x / 3, y)), 0), []),
            "entry_21": (eq(there(D(x * y / 4, x)), Rational(1, 4)), []),
            "entry_22": (eq(there(D(x * y / 4, y)), Rational(1, 8)), []),
            "fixed_1": (eq(there(x / 3), HALF[0]), []),
            "fixed_2": (eq(there(x * y / 4), 1), []),
            "eigenvalue": (
                eq(at(r**2 - Rational(11, 24) * r + Rational(1, 24), {r: 2}), 0),
                [],
            ),
            "expanding": (Gt(2, 1, evaluate=False), []),
            "invertible": (InvertibleJacobian(G), []),
        },
    ),
    (
        "strict-maximum",
        NullStarts(G, BOTH),
        {"risk": RISK},
        {
            "stays": STAYS,
            "less_1": (Lt(x**2 + y, 0, evaluate=False), INNER),
            "less_2": (Lt(x**2 + y, 3, evaluate=False), INNER),
            "decreases": (DecreasesAlong(G, RISK), []),
        },
    ),
    (
        "null-union",
        NullStarts(G, BOTH),
        {"parts": ((CORNER,), (ZERO,))},
        {"part_1": (NullStarts(G, END), []), "part_2": (NullStarts(G, START), [])},
    ),
    (
        "all-but-few",
        AlmostEveryStartConvergesTo(G, START),
        {"others": (CORNER,)},
        {"limits": (OrbitsConvergeTo(G, BOTH), []), "few": (NullStarts(G, END), [])},
    ),
]


def asked(name: str, goal: Any, values: dict[str, Any]) -> dict[str, Any]:
    needs = by_theorem(goal, name, values).needs()  # type: ignore[attr-defined]
    return {key: (h.statement, list(h.hypotheses)) for key, h in needs.hypotheses.items()}


@pytest.mark.parametrize(
    ("name", "goal", "values", "wanted"), ASKED, ids=lambda case: str(case)[:40]
)
def test_a_theorem_asks_for(name: str, goal: Any, values: Any, wanted: Any) -> None:
    found = asked(name, goal, values)
    assert list(found) == list(wanted)
    for key, (statement, hypotheses) in wanted.items():
        assert found[key][1] == hypotheses, key
        assert found[key][0] == statement, key


@pytest.mark.parametrize(
    ("name", "goal", "values", "why"),
    [
        ("expansion-injective", Injective(G), {"second": (u,), "factor": a},
         "second must name 2 coordinates; got (u,)"),
        ("expansion-injective", Injective(G), {"second": u, "factor": a},
         "second must name 2 coordinates; got u"),
        ("expansion-injective", Injective(G), {"second": (u, v + 1), "factor": a},
         "the second point's coordinate v + 1 has to be a symbol as y is"),
        ("local-inverse", LocalDiffeomorphism(G, point_set([(0, -1)])), {},
         "theorem local-inverse needs a point inside of the box; got (0, -1)"),
        ("local-inverse", LocalDiffeomorphism(G, point_set([(1, 0)])), {},
         "theorem local-inverse needs a point inside of the box; got (1, 0)"),
        ("null-union", NullStarts(G, START), {"parts": ((ZERO,), (CORNER,))},
         "the parts do not make up {(0, 0)}; got"),
        ("bounded-descent", VanishesAlong(G, SLACK), {"risk": RISK, "rate": (a,), "floor": 0},
         "expected expressions; got ((a,), 0)"),
        ("connected-limits", OrbitsConvergeTo(G, START), {"equations": RISK},
         "equations must be made by lambda_of_coordinates; got Lambda((x, y), x**2 + y)"),
        ("on-face", StepsVanish(G), {"whole": G, "fixed": u, "value": 1, "of": START},
         "theorem on-face needs a BoxMap and one of its coordinates; got u"),
        ("on-face", StepsVanish(G), {"whole": G, "fixed": x, "value": 2, "of": START},
         "the face must be one of the box; got x = 2"),
        ("on-face", StepsVanish(G), {"whole": G, "fixed": x, "value": -2, "of": START},
         "the face must be one of the box; got x = -2"),
        ("on-face", DecreasesAlong(LEFT, Lambda(y, y + 2)),
         {"whole": G, "fixed": x, "value": -1, "of": RISK},
         "f(y) = y + 1, g(y) = (-y/4) on [-1, 2], not along every orbit"),
    ],
)  # fmt: skip
def test_a_theorem_does_not_fit(name: str, goal: Any, values: Any, why: str) -> None:
    with pytest.raises(ProofError, match=re.escape(why)):
        asked(name, goal, values)


def test_what_shows_a_hypothesis() -> None:
    relation, orbits = Le(x, y), TheoremHypothesis(StepsVanish(G))
    proof = chain(x).le(y, by=sign)
    assert proof_of_hypothesis(orbits, proof) is proof
    assert proof_of_hypothesis(TheoremHypothesis(relation), sign) == proof
    shown = by_claim(orbits.statement, "other", {"b": 2})
    assert proof_of_hypothesis(orbits, lemma("other", b=2)) == shown
    for rule in (algebra, lemma("other").scaled(2), lemma("other").where(proof)):
        with pytest.raises(
            ProofError, match="does not show a statement such as along every orbit the dist"
        ):
            proof_of_hypothesis(orbits, rule)


# -- from vectors to overlaps ------------------------------------------------------------------


def test_the_chain_rule_holds_for_a_function_of_all_overlaps() -> None:
    k, w = symbols("k_1:6", real=True), symbols("v_1:6", real=True)
    inner = sum(p * q for p, q in zip(k, w, strict=True))
    overlaps = (k[0], w[1], w[0], k[1], inner)

    def function(*p: Any) -> Any:
        return p[0] * p[1] ** 2 + 3 * p[2] * p[4] + p[3] ** 3 * p[0] + 7 * p[3] + p[4] ** 2

    equations = pairs.overlap_chain_rule_statement().args
    value = function(*overlaps)
    assert {e.lhs.variables[0] for e in equations} == {*k, *w}
    for equation in equations:
        (symbol,) = equation.lhs.variables
        assert equation.lhs.expr == Function("F", real=True)(*overlaps)
        found = equation.rhs.replace(Function("F", real=True), function).doit()
        assert expand(found - value.diff(symbol)) == 0, symbol


@pytest.mark.parametrize(
    ("statement", "count"),
    [
        (pairs.overlap_identities_statement().subs(Symbol("N", integer=True, positive=True), 2), 4),
        (pairs.manifold_gram_determinants_statement(x, y), 3),
    ],
)
def test_identities_of_vectors_hold(statement: Any, count: int) -> None:
    assert len(statement.args) == count
    assert all(expand((e.lhs - e.rhs).doit()) == 0 for e in statement.args)


NAMES = kappa, nu, theta, eta, rho = symbols("kappa nu theta eta rho", real=True)
FUNCTION = kappa * nu**2 + theta * eta + rho**2
PAIRS = SphereDescent(Lambda(NAMES, FUNCTION), a, N)
PLANE = box_map({kappa: kappa / 2, nu: kappa * nu})
SLOPES = Lambda((kappa, nu), Tuple(nu**2, 2 * kappa * nu))
POINTS = point_set([(1, 0), (-1, 1), (0, 0)])
SIGNS = point_set([(1, 1), (-1, -1)])
VALUES = {"planar": PLANE, "slopes": SLOPES}


def test_a_step_on_the_manifold_is_that_of_the_vectors() -> None:
    """K loses a fifth of its slope along k*, orthogonally to k, and is normalised."""
    here, slope, rate = 0.3, 0.7, 0.2
    rng = np.random.default_rng(2)
    fixed, other = np.linalg.qr(rng.standard_normal((5, 2)))[0].T
    k = here * fixed + np.sqrt(1 - here**2) * other
    moved = k - rate * (slope * fixed - slope * (fixed @ k) * k)
    wanted = moved @ fixed / np.linalg.norm(moved)
    found = asked("from-overlaps-and-edges", NullPairs(PAIRS, POINTS), VALUES)
    for place, (image, partial, value) in enumerate(
        ((kappa / 2, kappa, nu**2), (kappa * nu, nu, 2 * kappa * nu)), start=1
    ):
        step = found[f"step_{place}"][0]
        assert step.rhs == image
        at_slope = step.lhs.subs(value, Symbol("m")).subs(partial, here)
        assert abs(at_slope.subs({Symbol("m"): slope, a: rate}) - wanted) < 1e-12
        on_manifold = dict.fromkeys((theta, eta, rho), 0)
        assert found[f"slope_{place}"][0] == eq(at(D(FUNCTION, partial), on_manifold), value)
    for place, across in enumerate((theta, eta, rho), start=1):
        assert found[f"across_{place}"][0] == eq(at(D(FUNCTION, across), on_manifold), 0)


@pytest.mark.parametrize(
    ("goal", "kind", "points", "edges"),
    [
        # No point has nu = -1, and so there is no orbit to speak of.
        (NullPairs, NullStarts, POINTS, {"1_high": (0,), "1_low": (1,), "2_high": (-1,)}),
        (
            AlmostEveryPairConvergesTo,
            AlmostEveryStartConvergesTo,
            SIGNS,
            {"1_high": (1,), "1_low": (-1,), "2_high": (1,), "2_low": (-1,)},
        ),
    ],
)
def test_pairs_follow_their_planar_map(goal: Any, kind: Any, points: Any, edges: Any) -> None:
    found = asked("from-overlaps-and-edges", goal(PAIRS, points), VALUES)
    assert found["planar"] == (kind(PLANE, points), [])
    assert found["dimension"] == (Ge(N, 3, evaluate=False), [])
    square = list(PLANE.inside_conditions())
    assert found["volume"] == (pairs.manifold_gram_determinants_statement(kappa, nu), square)
    # On an edge, the other overlap moves as it does there.
    maps = {"1_high": (nu, nu), "1_low": (nu, -nu), "2_high": (kappa, kappa / 2)}
    maps["2_low"] = maps["2_high"]
    wanted = {
        f"edge_{where}": kind(box_map(dict([maps[where]])), point_set([ends]))
        for where, ends in edges.items()
    } | {
        f"edge_stays_{i}_{side}": eq(at(image, {symbol: value}), value)
        for i, (symbol, image) in enumerate(((kappa, kappa / 2), (nu, kappa * nu)), start=1)
        for side, value in (("high", 1), ("low", -1))
    }
    shown = {key: statement for key, (statement, _) in found.items() if key.startswith("edge")}
    assert shown == wanted


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ({"planar": box_map({kappa: kappa, nu: nu}, high=2)}, "a BoxMap of the square [-1, 1]^2"),
        ({"planar": box_map({kappa: kappa, theta: theta})}, "must be called kappa and nu; got"),
        ({"slopes": Lambda((kappa, nu), Tuple(nu))}, "two functions of two overlaps; got Lambda"),
        ({"slopes": nu}, "two functions of two overlaps; got nu"),
    ],
)
def test_a_planar_map_is_one_of_the_square(values: Any, why: str) -> None:
    with pytest.raises(ProofError, match=re.escape(why)):
        asked("from-overlaps-and-edges", NullPairs(PAIRS, POINTS), VALUES | values)


@pytest.mark.parametrize(
    ("said", "given"),
    [
        (pairs.overlap_chain_rule_statement(), []),
        (pairs.overlap_identities_statement(), []),
        (pairs.manifold_gram_determinants_statement(x, y), [x**2 < 1, y**2 < 1]),
    ],
    ids=["chain rule", "identities", "determinants"],
)
def test_what_holds_of_all_vectors_agrees_with_numbers(said: Any, given: Any) -> None:
    rng = np.random.default_rng(0)
    compare(said, given, rng=rng, functions=random_test_functions([said], rng))

"""Statements about orbits: what they may be made of, and whom the theorems and numbers believe."""

from __future__ import annotations

import re

import numpy as np
import pytest
from scipy.stats import beta, kstest
from sympy import Ge, Gt, Lambda, Le, Lt, Rational, Symbol, Tuple, symbols

from slrsym.crosscheck import Inconclusive
from slrsym.crosscheck.orbits import ContradictedStatement, require_no_orbit_counterexample
from slrsym.papers.single_location.notation import alpha, kappa, nu
from slrsym.papers.single_location.pairs import SphereDescent
from slrsym.papers.single_location.pairs import crosscheck as pairs
from slrsym.papers.single_location.planar import (
    FIXED_POINTS,
    MAXIMA,
    MINIMA,
    ORIGIN,
    C,
    K,
    as_planar_function,
    planar_map,
    risk,
    stationarity_equations,
)
from slrsym.proof import Claim, Ledger, ProofError, all_of, by_claim, chain, lemma, sign
from slrsym.prover.rules import theorems
from slrsym.prover.rules.descent_theorems import membership_statement
from slrsym.prover.rules.step import Rule
from slrsym.prover.rules.theorems import by_theorem, names_of_theorems
from slrsym.prover.statements.expressions import substitute_simultaneously
from slrsym.prover.statements.maps import (
    BoxMap,
    box_map,
    lambda_of_coordinates,
    point_set,
)
from slrsym.prover.statements.orbits import (
    AccumulationPointsSolve,
    AlmostEveryStartConvergesTo,
    DecreasesAlong,
    Injective,
    NullStarts,
    OrbitsConvergeTo,
    StepsVanish,
    VanishesAlong,
)
from tests._profile import THOROUGH, more, thorough, thorough_only

x, y = symbols("x y", real=True)
a = Symbol("a", positive=True)
half = box_map({x: x / 2, y: y / 2})
bowl = lambda_of_coordinates((x, y), x**2 + y**2)
g = planar_map()


@pytest.mark.parametrize("name", names_of_theorems())
def test_a_theorem_says_how_its_conclusion_follows(name):
    rule = theorems._theorems()[name]
    assert re.search(r"\w{3,} .*\.$", rule.because)


def test_a_formula_lists_all_points_and_no_others():
    for points in ([(0, 0)], [(0, 0), (1, -1)], [(0, 0), (1, -1), (Rational(1, 2), 0)]):
        formula = membership_statement(half, point_set(points))
        grid = [(i, j) for i in (0, Rational(1, 2), 1) for j in (-1, 0)]
        found = [at for at in grid if formula.subs(dict(zip((x, y), at, strict=True))).doit()]
        assert set(found) == set(points)


# -- what statements are made of ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda: box_map({Symbol("p", positive=True): 1}), "declared real, and no more"),
        (lambda: box_map({x: x}, low=1, high=-1), r"got \[1, -1\]"),
        (lambda: box_map({x: x}, low=a), "must have rational ends"),
        (lambda: BoxMap(Lambda((x, y), Tuple(x)), (-1, -1), (1, 1)), "1 images"),
        (lambda: BoxMap(Lambda(x, x), (-1,), (1,)), "a Lambda with a Tuple"),
        (lambda: StepsVanish(Lambda(x, x)), "is about a BoxMap"),
        (lambda: StepsVanish(half, half), "is about 1 things; got 2"),
        (lambda: StepsVanish(half, half, evaluate=False), "is about 1 things; got 2"),
        (lambda: VanishesAlong(half, x), "the function must be a Lambda of 2 variables"),
        (lambda: VanishesAlong(half, Lambda(x, x)), "the function must be a Lambda of 2 variables"),
        (lambda: AccumulationPointsSolve(half, bowl), "equations must be a Lambda with a Tuple"),
        (lambda: OrbitsConvergeTo(half, point_set([(0, 2)])), r"not known to lie in the box"),
        (lambda: OrbitsConvergeTo(half, point_set([(0,)])), "points must have 2 coordinates"),
        (lambda: OrbitsConvergeTo(half, ((0, 0),)), "made by point_set"),
        (lambda: VanishesAlong(half, lambda_of_coordinates((x, y), (x, y))), "must be a Lambda"),
        (lambda: AccumulationPointsSolve(half, bowl), "must be a Lambda with a Tuple"),
        (lambda: point_set([(x, 0)]), "points must be given by numbers"),
        (lambda: point_set([]), "points must be given by numbers"),
        (lambda: SphereDescent(bowl, a, 4), "a Lambda of five overlaps"),
        (lambda: by_theorem(Injective(half), "banach"), "unknown theorem 'banach'; known are "),
        (lambda: by_theorem(Injective(half), "expansion-injective"), "speaks of second, factor"),
        (lambda: by_theorem(StepsVanish(half), "decrease", stays=3), "must be a proof or a rule"),
    ],
)  # fmt: skip
def test_what_is_refused_before_any_proof(make, why):
    with pytest.raises(ProofError, match=why):
        make()


@pytest.mark.parametrize(
    ("goal", "name", "values", "why"),
    [
        (StepsVanish(half), "decrease", {}, "theorem decrease shows DecreasesAlong, not"),
        (
            NullStarts(half, point_set([(1, 1)])),
            "center-stable",
            {"matrix": ((1, 0), (0, 1)), "eigenvalue": 2},
            "a point inside of the box",
        ),
        (
            NullStarts(half, point_set([(0, 0), (1, 1)])),
            "center-stable",
            {"matrix": ((1, 0), (0, 1)), "eigenvalue": 2},
            "is about one point",
        ),
        (
            NullStarts(half, point_set([(0, 0)])),
            "center-stable",
            {"matrix": ((1, 0),), "eigenvalue": 2},
            "2 rows of 2 entries",
        ),
        (
            NullStarts(half, point_set([(0, 0), (1, 1)])),
            "null-union",
            {"parts": (((0, 0),),)},
            "do not make up",
        ),
        (
            Injective(half),
            "expansion-injective",
            {"second": (Symbol("u", positive=True), y), "factor": 1},
            "has to be a symbol as x is",
        ),
    ],
)
def test_theorems_do_not_take_everything(goal, name, values, why):
    claim = Claim("wrong", goal, "test")
    claim.proof(lambda goal: by_theorem(goal, name, values))
    (row,) = Ledger({"wrong": claim}).verify()
    assert row.status == "failed"
    assert why in row.error


def test_coordinates_are_bound():
    contraction = StepsVanish(box_map({x: a * x}))
    assert contraction.free_symbols == {a}
    # What is put for a parameter is not taken for the coordinate of the same name.
    moved = substitute_simultaneously(contraction, {a: x})
    assert moved.free_symbols == {x}
    assert moved.map.coordinates[0] != x
    assert moved.map.images[0] == x * moved.map.coordinates[0]


def test_points_have_no_order():
    assert point_set([(0, 0), (1, 1)]) == point_set([(1, 1), (0, 0), (1, 1)])


# -- whom the theorems believe -----------------------------------------------------------------


def shown(by=sign, f=bowl):
    stays = all_of(
        *(chain(r.lhs).ge(r.rhs, by=by) if isinstance(r, Ge) else chain(r.lhs).le(r.rhs, by=by)
          for r in half.inside_conditions(half.images))
    )  # fmt: skip
    change = chain(half.value_after_step(f) - half.value_before_step(f)).le(0, by=by)
    return by_theorem(DecreasesAlong(half, f), "decrease", stays=stays, decreases=change)


def row_of(statement, proof):
    claim, other = (
        Claim("mine", statement, "test"),
        Claim("other", Le(x, x + 1, evaluate=False), "test"),
    )
    claim.proof(lambda goal: proof)
    other.proof(lambda goal: chain(x).le(x + 1, by=sign))
    rows = Ledger({"mine": claim, "other": other}).verify(["mine"])
    return next(row for row in rows if row.id == "mine")


def test_the_axioms_of_a_theorem_are_those_of_its_row():
    found = row_of(DecreasesAlong(half, bowl), shown())
    assert (found.status, found.axioms) == ("proved", ("induction", "theorem decrease"))


def test_a_rule_from_outside_below_a_theorem_is_named():
    class Believer(Rule):
        name = "trust me"

        def check(self, link, context):
            pass

    found = row_of(DecreasesAlong(half, bowl), shown(Believer()))
    assert found.status == "conditional"
    assert any(name.startswith("rule: ") and "Believer" in name for name in found.axioms)
    # What it grants is held against numbers all the same.
    upside_down = lambda_of_coordinates((x, y), -(x**2))
    found = row_of(DecreasesAlong(half, upside_down), shown(Believer(), upside_down))
    assert found.status == "failed"
    assert "contradicted numerically" in found.error


def test_a_statement_of_another_kind_is_not_concluded():
    class Better(DecreasesAlong):
        """Looks the same."""

    found = row_of(Better(half, bowl), shown())
    assert found.status == "failed"


def test_a_map_that_calls_something_else_its_box():
    class Half(BoxMap):
        """The right half of its box."""

        def inside_conditions(self, point=None):
            return (*super().inside_conditions(point), Ge(self.coordinates[0], 0))

    liar = Half(Lambda((x, y), Tuple(x / 2, y / 2)), (-1, -1), (1, 1))
    with pytest.raises(ProofError, match="is about a BoxMap"):
        DecreasesAlong(liar, lambda_of_coordinates((x, y), x))


def test_the_identity_has_a_message_of_its_own():
    with pytest.raises(ProofError, match="the map x -> x is the identity"):
        lambda_of_coordinates((x,), x)


def test_a_statement_does_not_hold_without_a_proof():
    statement = DecreasesAlong(half, bowl)
    assert row_of(statement, chain(x).le(x + 1, by=sign)).status == "failed"
    assert row_of(statement, by_claim(statement, "other")).status == "failed"
    assert row_of(statement, by_claim(statement, "mine")).status == "failed"


def test_what_is_not_shown_is_named():
    goal = DecreasesAlong(half, bowl)
    found = row_of(goal, by_theorem(goal, "decrease", stays=lemma("other"), grows=sign))
    assert "theorem decrease has no hypothesis 'grows'; it has stays, decreases" in found.error


# -- whom the numbers believe ------------------------------------------------------------------

safe, small = [Lt(alpha * K, 1)], [Lt(alpha * C, 1)]
R = as_planar_function(risk(kappa, nu))


@pytest.mark.parametrize(
    ("statement", "given", "why"),
    [
        (OrbitsConvergeTo(g, point_set([*MINIMA, *MAXIMA])), safe, "(0.0, 0.0)|is a fixed point"),
        (OrbitsConvergeTo(g, point_set([*MINIMA, *ORIGIN])), safe, "is a fixed point, and is not"),
        (NullStarts(g, MINIMA), safe, "attracts all orbits near it"),
        (AlmostEveryStartConvergesTo(g, point_set([(1, 1)])), safe, "attracts all near it"),
        (AlmostEveryStartConvergesTo(g, MAXIMA), safe, "attracts all near it"),
        (VanishesAlong(g, R), safe, "at the fixed point"),
        (AccumulationPointsSolve(g, as_planar_function((kappa - nu, nu))), safe, "is off by"),
        (DecreasesAlong(g, as_planar_function(-risk(kappa, nu))), safe, "it increases from"),
    ],
)
def test_false_statements_on_the_planar_map(statement, given, why):
    import re

    with pytest.raises(ContradictedStatement) as found:
        require_no_orbit_counterexample(statement, given, np.random.default_rng(5))
    assert re.search(why, str(found.value))


@thorough_only
def test_a_step_size_above_the_bound():
    # It is not the best bound, and far above it some steps still descend.
    given = [Gt(alpha * C, 60), Le(alpha, 40)]
    refused = 0
    for seed in range(4):
        try:
            require_no_orbit_counterexample(
                DecreasesAlong(g, R), given, np.random.default_rng(seed)
            )
        except ContradictedStatement as found:
            refused += "it increases from" in str(found)
    assert refused >= 2


# Three other true statements.
@more
@pytest.mark.parametrize(
    "statement",
    [
        thorough(OrbitsConvergeTo(g, FIXED_POINTS)),
        NullStarts(g, point_set([*MAXIMA, *ORIGIN])),
        thorough(AccumulationPointsSolve(g, stationarity_equations())),
        Injective(g),
    ],
)
def test_true_statements_on_the_planar_map(statement):
    for seed in (11, 12, 13, 14) if THOROUGH else (11,):
        require_no_orbit_counterexample(statement, safe, np.random.default_rng(seed))


@thorough_only
def test_pairs_are_moved_by_the_gradient_of_the_function():
    """Its slopes, by differences in all coordinates; the step, by the definition."""
    names = kappa, nu, theta, eta, rho = symbols("kappa nu theta eta rho", real=True)
    formula = kappa * nu**2 - 2 * theta * eta + rho**2 * kappa + eta - nu + theta**3 + rho
    slopes = pairs._Slopes(SphereDescent(Lambda(names, formula), a, 6), {})
    rng, rate = np.random.default_rng(4), 0.3
    k, v = rng.standard_normal((2, 5, 6))
    k, v = (w / np.linalg.norm(w, axis=1, keepdims=True) for w in (k, v))

    def value(k, v):
        return float(formula.subs(dict(zip(names, (k[0], v[1], v[0], k[1], k @ v), strict=True))))

    for i, moved in enumerate(zip(*pairs._step(k, v, slopes, rate), strict=True)):
        pair = np.array([k[i], v[i]])
        gradient = np.zeros((2, 6))
        for place in np.ndindex(2, 6):
            shift = np.zeros((2, 6))
            shift[place] = 1e-5
            gradient[place] = (value(*(pair + shift)) - value(*(pair - shift))) / 2e-5
        for x, slope, found in zip(pair, gradient, moved, strict=True):
            y = x - rate * (np.eye(6) - np.outer(x, x)) @ slope
            np.testing.assert_allclose(found, y / np.linalg.norm(y), rtol=0, atol=1e-8)


@pytest.mark.parametrize("dimension", [4, 5, 7])
def test_pairs_begin_anywhere_on_the_manifold(dimension):
    rng = np.random.default_rng(3)
    drawn = [pairs._manifold(dimension, rng) for _ in range(200)]
    k, v = (np.concatenate(side) for side in zip(*drawn, strict=True))
    assert np.abs(v[:, 0]).max() == np.abs(k[:, 1]).max() == np.abs((k * v).sum(axis=1)).max() == 0
    assert np.allclose([np.linalg.norm(w, axis=1) for w in (k, v)], 1, rtol=0, atol=1e-15)
    # k is uniform on the sphere orthogonal to v*, and v on that orthogonal to k* and k.
    for component, beside in ((k[:, 0], dimension - 2), (v[:, 1], dimension - 3)):
        assert kstest(component**2, beta(1 / 2, beside / 2).cdf).pvalue > 1e-3
        assert abs((component > 0).mean() - 1 / 2) < 4 / np.sqrt(4 * len(component))


def test_in_three_dimensions_pairs_begin_on_four_circles():
    rng = np.random.default_rng(5)
    drawn = [pairs._manifold(3, rng) for _ in range(200)]
    k, v = (np.concatenate(side) for side in zip(*drawn, strict=True))
    assert np.abs(v[:, 0]).max() == np.abs(k[:, 1]).max() == np.abs((k * v).sum(axis=1)).max() == 0
    assert np.allclose([np.linalg.norm(w, axis=1) for w in (k, v)], 1, rtol=0, atol=1e-15)
    still = np.abs(k[:, 0]) == 1
    assert (np.abs(v[~still, 1]) == 1).all()
    assert abs(still.mean() - 1 / 2) < 4 / np.sqrt(4 * len(still))
    moving = np.where(still, v[:, 1], k[:, 0])
    assert kstest(np.arccos(moving) / np.pi, "uniform").pvalue > 1e-3


def test_what_cannot_be_seen_is_not_believed():
    # The orbits turn for ever, on circles.
    c, s = Rational(3, 5), Rational(4, 5)
    turn = box_map({x: c * x - s * y, y: s * x + c * y})
    with pytest.raises((ContradictedStatement, Inconclusive)):
        require_no_orbit_counterexample(StepsVanish(turn), [], np.random.default_rng(0))

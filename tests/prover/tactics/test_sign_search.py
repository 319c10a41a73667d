"""Signs that each strategy of the search finds alone, and signs that it does not claim."""

from __future__ import annotations

import math
from contextlib import suppress

import pytest
from flint import fmpq
from sympy import Eq, Ge, Gt, Le, Lt, Ne, S, Symbol, erf, exp, sqrt, symbols

from slrsym.checker import Rejected
from slrsym.checker.arithmetic import learn_relation
from slrsym.checker.sign import NEG, NN, NP, NZ, POS, ZERO, generator_indices_in
from slrsym.prover.tactics.fact_combinations import solve_exactly
from slrsym.prover.tactics.sign_search import SearchHintRecordingRing, SignSearch, UnknownSign
from slrsym.prover.tactics.translation import Translator

x, y, z, t, u, v = symbols("x y z t u v", real=True)
p, q, r = symbols("p q r", positive=True)
n = Symbol("n", nonnegative=True)
m = Symbol("m", real=True, nonzero=True)
WANT = {Gt: POS, Lt: NEG, Ge: NN, Le: NP, Ne: NZ, Eq: ZERO}


def ring_with(facts, effort=120_000, most=math.inf):
    """Return a ring that knows some facts, with the search that it asks for signs."""
    search = SignSearch(effort, most)
    ring = SearchHintRecordingRing(32, {}, search, {}, frozenset())
    for fact in facts:
        learn_relation(ring, Translator().formula(fact))
    search.work_limit = 3_000
    return ring, search


def polynomial(ring, expr):
    """Return the numerator of a term's normal form."""
    return ring.normal_form(Translator().term(expr))[0]


def product_of(ring, parts):
    return math.prod((g**n for g, n in parts), start=ring.one)


def is_found_by(strategy, expr, relation, facts):
    """Return whether a strategy, without all others, finds the sign of an expression."""
    ring, search = ring_with(facts)
    f, want = polynomial(ring, expr), WANT[relation]
    assert not ring.facts.possible_signs(f) <= want
    with suppress(Rejected):
        getattr(search, strategy)(ring, f, want)
    return ring.facts.possible_signs(f) <= want


BETWEEN = (x >= 2, x <= 3, x >= 1, x <= 7)
MIXED = q * (3 - x) + p * (x - 2)
ABOVE = (x > t, y >= -t)
BY_STRATEGY = {
    "infer_from_multiple": [
        (y + z, Ge, (y >= 1 / p, z >= -1 / p), True),
        (y + z, Gt, (y > 1 / p, z >= -1 / p), True),
        (-y - z, Le, (y >= 1 / p, z >= -1 / p), True),
        (y + z, Gt, (y >= 1 / p, z >= -1 / p), False),
        (y + z, Ge, (y >= 2 / p, z >= -3 / p), False),
        (y + z, Ge, (y >= 1 / m, z >= -1 / m), False),
    ],
    "infer_from_ends": [
        (MIXED, Gt, BETWEEN, True),
        (-MIXED, Lt, BETWEEN, True),
        (n * (3 - x) + p * (x - 2), Ge, BETWEEN, True),
        (n * (x - 3) - p * (x - 2), Le, BETWEEN, True),
        (MIXED, Gt, (x >= 2,), False),
        (MIXED, Gt, (x <= 3,), False),
        (MIXED, Gt, (x >= 0, x <= 3), False),
        (MIXED, Ne, BETWEEN, False),
        (MIXED, Gt, (x >= 2, x <= 3, x <= y, x**2 + x <= 12), True),
    ],
    "infer_by_completing_square": [
        (p * x**2 + 2 * y * x + z, Gt, (p * z > y**2,), True),
        (p * x**2 + 2 * y * x + z, Ge, (p * z >= y**2,), True),
        (p * x**2 + 2 * y * x + z, Gt, (p * z >= y**2,), False),
        (-p * x**2 + 2 * y * x + z, Lt, (p * z < -(y**2),), True),
        (-p * x**2 + 2 * y * x + z, Le, (p * z <= -(y**2),), True),
        (n * x**2 + 2 * y * x + z, Ge, (n * z >= y**2,), False),
        (p * x**2 + 2 * y * x + z, Le, (p * z >= y**2,), False),
        (p * x**2 + 2 * y * x + z, Ne, (p * z > y**2,), False),
        (x**2 + 2 * x * sqrt(p) + p, Ge, (), True),
        (x**2 + 3 * x * sqrt(p) + p, Ge, (), False),
        (p * x**3 + 2 * y * x + z, Gt, (p * z > y**2,), False),
    ],
    "infer_from_conjugate": [
        (sqrt(1 + x**2) - x, Gt, (), True),
        (x - sqrt(1 + x**2), Lt, (), True),
        (sqrt(p + q) - sqrt(p), Gt, (), True),
        (2 * p * sqrt(1 + p) - p, Gt, (), True),
        (z - q * sqrt(p), Lt, (p * q**2 > z**2, z > 0), True),
        (q * sqrt(p) - z, Gt, (p * q**2 > t, t >= z**2, z > 0), True),
        (q * sqrt(p) - z, Gt, (p * q**2 >= z**2, z > 0), False),
        (q * sqrt(p) - z, Lt, (p * q**2 < z**2, z > 0), True),
        (q * sqrt(p) + z, Gt, (p * q**2 > z**2, z < 0), True),
        (sqrt(1 + x**2) - x, Ne, (), False),
        (sqrt(1 + x**2) - 2 * x, Gt, (), False),
    ],
    "infer_from_shared_factor": [
        (q * (x + y + z), Gt, ((1 + p) * (x + y + z) > 0,), True),
        (q * (x + y + z), Gt, ((-1 - p) * (x + y + z) < 0,), True),
        (-q * (x + y + z), Le, ((1 + p) * (x + y + z) >= 0,), True),
        (q * (x + y + z), Gt, (p * (x + y + z) > 0,), True),
        (q * (x + y + z), Gt, ((1 + y) * (x + y + z) > 0,), False),
        (q * (x + y + z), Gt, ((1 + y) * (x + y + z) > 0, (1 + p) * (x + y + z) > 0), True),
        (q * (x + y), Gt, ((1 + p) * (x + y) > 0,), False),
    ],
    "learn_sign_up_to_root_factors": [
        (p * x + (y + z) * sqrt(p), Gt, (x * sqrt(p) + y + z > 0,), True),
        (-3 * p * x - 3 * (y + z) * sqrt(p), Le, (x * sqrt(p) + y + z >= 0,), True),
        (x * sqrt(p) + y + z, Lt, (p * x + (y + z) * sqrt(p) < 0,), True),
        (p * x + (y + t) * sqrt(p), Gt, (x * sqrt(p) + y + z > 0,), False),
    ],
    "infer_from_factors": [
        ((x + y) * (p + z), Gt, (*ABOVE, z >= 0), True),
        (-(x + y) * (p + z), Ge, (*ABOVE, z >= 0), False),
        (-2 * (x + y) ** 3, Le, (x >= t, y >= -t), True),
        (-2 * (x + y) ** 3, Lt, (x >= t, y >= -t), False),
        ((x + y) ** 2, Gt, ABOVE, True),
        ((x + y) ** 2 * (t + z), Ge, (t >= x, z >= -x), True),
        ((x + y) * (t + z), Ne, (*ABOVE, t < x, z <= -x), True),
        ((x + y) ** 2, Ne, (x > t, y >= -t), True),
        (x + y, Gt, ABOVE, False),
    ],
    "learn_function_comparisons": [
        (erf(x) + erf(y), Ge, (x + y >= 0,), True),
        (erf(x) - erf(y), Gt, (x > z, z >= y), True),
        (exp(x) - exp(y), Le, (x <= y,), True),
        (exp(x) - 1, Gt, (x > 0,), True),
        (exp(x) - exp(y), Gt, (x > z, z >= y), True),
        (exp(x) - x - 1, Ge, (), True),
        (x + 1 - exp(x), Le, (), True),
        (exp(x) - x - 1, Gt, (), False),
    ],
    "infer_from_parts": [
        ((x + y) / (1 + p) + (z + t) / (1 + q), Gt, (x + y > 0, z + t >= 0), True),
        ((x + y) / (1 + p) + (z + t) / (1 + q), Le, (x + y < 0, z + t <= 0), True),
        ((x + y) / (1 + p) + (z + t) / (1 + q), Gt, (x + y > 0, z + t <= 0), False),
        ((x + y) / (1 + x**2) - (z + t) / (1 + p), Ge, (x + y >= 0, z + t <= 0), True),
        (sqrt(p) * (x + sqrt(p)), Lt, (x + sqrt(p) < 0,), True),
        (sqrt(p) * (x + sqrt(p)), Ge, (x + sqrt(p) >= 0,), True),
        (sqrt(p) * (x + sqrt(p)), Ge, (x + 2 * sqrt(p) >= 0,), False),
        # The sign of a part is not known yet.
        ((2 * p - x - y) / (1 + p) + (z + t) / (1 + q), Gt, (p > x, p >= y, z + t >= 0), True),
        ((x + y - 2 * p) / (1 + p) - (z + t) ** 2, Lt, (p > x, p >= y), True),
    ],
    "infer_quickly": [
        (2 * p - x - y, Gt, (p > x, p >= y), True),
        (x + y - 2 * p, Lt, (p > x, p >= y), True),
        (2 * p - x - y, Gt, (p >= x, p >= y), False),
        (2 * p - x - y, Ge, (p >= x, p >= y), True),
        (x + y - 2 * p, Le, (p >= x, p >= y), True),
        (2 * p - x - y, Le, (p >= x, p >= y), False),
        (2 * p - x - y, Ne, (p > x, p >= y), True),
        (x + y - 2 * p, Ne, (p > x, p >= y), True),
        (2 * p - x - y, Ne, (p >= x, p >= y), False),
        (2 * p - x - y, Eq, (p > x, p >= y), False),
        # Squares that stand in it, its monomials, numbers, and facts times monomials.
        (2 * z + (x - y) ** 2, Ge, (z >= 0,), True),
        (2 * z - (x - y) ** 2, Ge, (z >= 0,), False),
        (x**4 + x**2 - 2 * y + 3, Gt, (y <= 1,), True),
        (4 * p - p * y + z, Ge, (y <= 3, z >= -p), True),
        (2 - x - y - z + x * y, Ge, (x <= 1, y <= 1, z <= 1), False),
    ],
    "infer_from_combination": [
        (2 - x - y - z + x * y, Ge, (x <= 1, y <= 1, z <= 1), True),
        (2 - x - y - z + x * y, Gt, (x <= 1, y <= 1, z <= 1), False),
        (
            2 - x - y - z + x * y + y * z + z * x - x * y * z - t,
            Ge,
            (x <= 1, y <= 1, z <= 1, t <= 1),
            True,
        ),
    ],
}
ROWS = [(name, *row) for name, rows in BY_STRATEGY.items() for row in rows]


@pytest.mark.parametrize(("strategy", "expr", "relation", "facts", "is_found"), ROWS)
def test_a_strategy_finds_a_sign(strategy, expr, relation, facts, is_found):
    assert is_found_by(strategy, expr, relation, facts) == is_found


# The level from which on a product is proposed for a polynomial, if at all.
FACTS = (z >= t, t <= u, v <= 1)
SQUARE = (x - y) ** 2 * t
PRODUCTS = [
    (x + y, z - t, 1),
    (x + y, t - u, 4),
    (x + y, S.One, 1),
    (x + y**3, y**3, 1),
    (x + y**3, y, 4),
    (x * y * (z - t), (z - t) * x * y, 1),
    (x * z - y, (z - t) * x, 2),
    (x * (y + z - t), (z - t) * x, 1),
    (x * y * z, (z - t) * x * y, 3),
    (x * y * z, (z - t) * x * y**2, 4),
    (x + y, (z - t) * x, 2),
    (x + y, (u - t) * x**2, 2),
    (x + y, (u - t) * (z - t), 2),
    (x + y, (1 - v) ** 2, 2),
    (x * y * u * v, (u - t) * (1 - v) * x * y, 2),
    (x + y, (u - t) * (z - t) * (1 - v), 3),
    (SQUARE, (x - y) ** 2, 1),
    ((x - y) ** 2 + t * x**2, (x - y) ** 2 * t, 2),
    (SQUARE, (x - y) ** 2 * x, 4),
    (SQUARE + x, x - y, 1),
]


@pytest.mark.parametrize(("expr", "product", "level"), PRODUCTS)
def test_products_of_facts_are_proposed(expr, product, level):
    ring, search = ring_with(FACTS)
    wanted = polynomial(ring, product)
    search.squares, search.factors = [], []
    f = polynomial(ring, expr)
    known, used = search.nonnegative_facts(ring, f), generator_indices_in(f)

    def proposed(level):
        products = search.candidate_products(ring, f, known, used, level)
        return [product_of(ring, parts) for parts in products]

    assert [k for k in (1, 2, 3) if wanted in proposed(k)] == list(range(level, 4))


def test_facts_with_their_signs_short_and_near_ones_first():
    ring, search = ring_with((x + y <= u, x > y, Ne(x, 1), x >= 3, z >= 0, Eq(z, t), t <= x))
    f = polynomial(ring, x + y)
    expected = [(x - y, POS), (x - 3, NN), (z, NN), (x - t, NN), (-x - y + u, NN), (z - t, ZERO)]
    known = search.nonnegative_facts(ring, f)
    assert known == [(polynomial(ring, g), s) for g, s in expected]
    # Facts that share no generator are left out if there are many.
    count = len(ring.facts.all_facts())
    near = [known[i] for i in (0, 1, 3, 4)]
    for limit, found in ((count, known), (count - 1, near), (3, near[:3])):
        assert search.nonnegative_facts(ring, f, limit) == found


@pytest.mark.parametrize(
    ("goal", "facts", "is_combination"),
    [
        (2 * x * z + y * z, (Eq(2 * x, -y),), True),
        (2 * x * z + y, (Eq(2 * x, -y),), False),
        (x**2 - x * z, (Eq(x, y), Eq(y, z)), True),
        (x * y - z * t, (Eq(x, z), Eq(y, t)), True),
        (x * y * t - 1, (Eq(x * y, z), Eq(z * t, 1)), True),
        (x, (Eq(x * y, 0),), False),
        (x, (), False),
    ],
)
def test_equations_from_equations(goal, facts, is_combination):
    ring, search = ring_with(facts)
    f, known = polynomial(ring, goal), [g for g, s in ring.facts.all_facts() if s == ZERO]
    rows = search.combine_equations(ring, known, f)
    assert (rows is not None) == is_combination
    if rows:
        assert (
            sum(c * math.prod((g**n for g, n in parts), start=ring.one) for c, parts in rows) == f
        )


@pytest.mark.parametrize(
    ("goal", "facts", "is_zero"),
    [
        (x * z - y * z, (Eq(x, y),), True),
        (x * z - y * z + 1, (Eq(x, y),), False),
        (x + y, (Eq(p * (x + y), 0),), True),
        (x + y, (Eq((z**2 + p) * (x + y), 0),), True),
        (x + y, (Eq(z * (x + y), 0),), False),
        (x + y, (Eq(z * (x + y), 0), z > t, t > 0), True),
        # Roots, whose squares are reduced.
        (x - sqrt(p), (Eq(x * sqrt(p), p),), True),
        (3 * x - 3 * sqrt(p), (Eq(p, x * sqrt(p)),), True),
        (x - sqrt(n), (Eq(x * sqrt(n), n),), False),
        # Functions that vanish at zero only.
        (x - 1, (Eq(erf(x - 1), 0),), True),
        (x * z - z, (Eq(erf(x - 1), 0),), True),
        (x + 1, (Eq(erf(x - 1), 0),), False),
        # Equations with a factor that does not vanish.
        (x - z, (Eq(p * x, y), Eq(p * z, y)), True),
        (x - z, (Eq(m * x, y), Eq(m * z, y)), True),
        (x - z, (Eq(v * x, y), Eq(v * z, y)), False),
    ],
)
def test_what_vanishes(goal, facts, is_zero):
    ring, search = ring_with(facts)
    f = polynomial(ring, goal)
    assert search.try_to_prove_zero(ring, f) == is_zero
    assert (ring.facts.possible_signs(f) == ZERO) == is_zero


def test_a_sign_is_searched_for_with_what_effort_is_left():
    goal, facts = 2 - x - y - z + x * y, (x <= 1, y <= 1, z <= 1)
    for effort, most, is_found in ((120_000, math.inf, True), (100, math.inf, False)):
        ring, search = ring_with(facts, effort, most)
        f = polynomial(ring, goal)
        search.patience = 1.0
        search(ring, f, NN)
        assert (ring.facts.possible_signs(f) == NN) == is_found == bool(search.answers)
        assert search.patience == 0.1
    ring, search = ring_with((), most=0)
    search.work = 1
    with pytest.raises(Rejected, match="the search has done what it may"):
        polynomial(ring, goal)


def test_a_ring_forgets_what_it_learns_after_a_snapshot():
    ring, _ = ring_with((x > y,))
    known, count = dict(ring.facts._facts), len(ring.generators)
    state = ring.snapshot()
    for fact in (Eq(z, t), erf(x) > z, y >= 3, sqrt(p) > 2):
        learn_relation(ring, Translator().formula(fact))
    ring.restore(state)
    assert (ring.facts._facts, len(ring.generators), ring.facts.roots) == (known, count, [])
    assert ring.facts.possible_signs(polynomial(ring, y - x)) == NEG


def test_an_unknown_sign_is_named():
    ring, _ = ring_with((x >= 0,))
    f = polynomial(ring, x - y)
    with pytest.raises(UnknownSign, match="why") as missing:
        ring.require_sign(f, POS, "why")
    assert (missing.value.ring, missing.value.polynomial, missing.value.sign) == (ring, f, POS)


@pytest.mark.parametrize(
    ("rows", "right", "solution"),
    [
        ([[2, 0], [0, 4]], [1, 2], [fmpq(1, 2), fmpq(1, 2)]),
        ([[1, 1], [1, 1]], [3, 3], [3, 0]),
        ([[1, 1], [1, 1]], [3, 4], None),
        ([[0, 2], [0, 1]], [4, 2], [0, 2]),
        ([], [], None),
    ],
)
def test_exact_solutions(rows, right, solution):
    assert solve_exactly(rows, right) == solution


def test_the_parts_of_a_term_are_counted_and_not_built():
    ring, _ = ring_with([])
    assert ring.number_of_parts(polynomial(ring, p * q + 1)) == 4
    assert ring.number_of_parts(polynomial(ring, sqrt(1 + p) * q)) == 6
    nested = p
    for _ in range(9):
        nested = sqrt(1 + nested**2) + sqrt(2 + nested)
    assert ring.number_of_parts(polynomial(ring, nested)) > 10_000

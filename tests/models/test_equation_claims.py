"""Claims about equations of motion: both sides are the polynomials that are found by hand.

Students are linear, or square their input, so that all means are moments of normal variables.
"""

import pytest
from sympy import Ge, Le, Rational, Symbol, asin, expand, symbols

from slrsym.models import Direction, Directions, Predictor, Token, TokenSequence, model
from slrsym.models.claims.equation_claims import _minors
from slrsym.models.training.symbolic_sums_over_units import collapse_sums_of_equal_terms
from slrsym.proof import builtin_ledger, check_claim

b, R, Q, r = Symbol("b", real=True), Symbol("R", real=True), *symbols("Q r", positive=True)
sigma, kappa = symbols("sigma kappa", nonnegative=True)
u, w = Direction("u", unit=True), Direction("w")


def linear_student(others):
    """State a student b w that learns u from a token of mean 2 u and variance 3, among others."""
    token = Token(mean=2 * u, cov=3, target=lambda X: X @ u, name="one")
    counts = {token: 1} | ({Token(): others} if others else {})
    data = TokenSequence(counts, noise=sigma)
    stated = model(data, Predictor(lambda X: b * (X @ w)), names={w @ w: Q, w @ u: R})
    return stated.equations("online-sgd", rate=r, decay={w: kappa}, train=b)


@pytest.mark.parametrize("others", [0, 1, 3])
def test_claims_about_a_linear_student_are_what_is_found_by_hand(others):
    """With v = u - b w, E e^2 is 3 |v|^2 + 4 (u v)^2 + n b^2 Q + sigma^2."""
    equations = linear_student(others)
    along, square = 1 - b * R, 1 - 2 * b * R + b**2 * Q
    error = 3 * square + 4 * along**2 + others * b**2 * Q + sigma**2
    # Of e times all tokens, the mean inner products with w and u.
    with_w = 3 * (R - b * Q) + 4 * along * R - others * b * Q
    with_u = 7 * along - others * b * R
    known = {
        "m-drift-1": 4 * r * b * with_w - 2 * kappa * Q,
        "m-noise-1": 4 * r**2 * b**2 * (3 + others) * error,
        "m-drift-2": 2 * r * b * with_u - kappa * R,
        "m-drift-3": 2 * r * with_w,
    }
    claims = equations.claims("m", source="a book")
    assert [claim.id for claim in claims] == list(known)
    assert [claim.title for claim in claims] == [
        f"the {part} of {p}, by its definition"
        for part, p in (("drift", "Q"), ("noise", "Q"), ("drift", "R"), ("drift", "b"))
    ]
    for claim, expected in zip(claims, known.values(), strict=True):
        assert claim.source == "a book"
        assert claim.hypotheses == (Ge(Q - R**2, 0),)
        assert expand(claim.statement.lhs.doit() - expected) == 0
        assert expand(claim.statement.rhs - expected) == 0


def test_such_a_claim_is_proved_and_a_slip_is_refused():
    equations, find = linear_student(0), builtin_ledger().find
    assert check_claim(equations.claims("m")[2], find).accepted is True
    equations.__dict__["drift"] = equations.drift * Rational(999, 1000)
    assert check_claim(equations.claims("m")[2], find).accepted is False


def test_each_eigenspace_has_claims_of_its_own():
    """Of eigenvalues 1 and 4: w moves by 2 r (u - w) in the one, by 8 r (u - w) in the other."""
    token = Token(cov=(1, 4), target=lambda X: X @ u)
    equations = model(TokenSequence({token: 1}), Predictor(lambda X: X @ w)).equations(
        "gradient-flow", rate=r
    )
    found = {str(c.statement.rhs): c for c in equations.claims("m")}
    assert len(found) == len(equations.state) == 4
    for space, eigenvalue in enumerate((1, 4)):
        Q, R, U = (equations.model.inner_product(*pair, space) for pair in ((w, w), (w, u), (u, u)))
        for p, expected in ((Q, 4 * r * (R - Q)), (R, 2 * r * (U - R))):
            drift = equations.drift[equations.state.index(p)]
            claim = found[str(drift)]
            assert claim.title == f"the drift of {p}, by its definition"
            assert expand(claim.statement.lhs.doit() - eigenvalue * expected) == 0
            assert expand(drift - eigenvalue * expected) == 0


def squares(count):
    """State units that square their input, as many of the teacher."""
    students, teachers = Directions("w", count), Directions("u", count, unit=True)
    token = Token(target=lambda X: teachers.sum(lambda x: (X @ x) ** 2))
    stated = model(
        TokenSequence({token: 1}),
        Predictor(lambda X: students.sum(lambda x: (X @ x) ** 2)),
        inner_products={teachers @ teachers: 0},
        names={students @ students: ("Q", "C"), students @ teachers: ("R", "S")},
    )
    return stated.equations("gradient-flow", rate=r, decay=kappa, symmetric=True)


def rates_of_squares(state, K):
    """Find rates by hand, with E y^2 h z = |y|^2 (h z) + 2 (y h) (y z), the sums over y counted."""
    Q, C, R, S = state
    with_itself = K * Q + 2 * (R**2 + (K - 1) * S**2) - 3 * Q**2 - (K - 1) * (Q**2 + 2 * C**2)
    with_another = (
        K * C + 2 * (2 * R * S + (K - 2) * S**2) - 6 * Q * C - (K - 2) * (Q * C + 2 * C**2)
    )
    with_its_own = K * R + 2 * R - 3 * Q * R - (K - 1) * (Q * R + 2 * C * S)
    with_other = K * S + 2 * S - 3 * Q * S - (Q * S + 2 * C * R) - (K - 2) * (Q * S + 2 * C * S)
    return {
        "Q": 8 * r * with_itself - 2 * kappa * Q,
        "C": 8 * r * with_another - 2 * kappa * C,
        "R": 4 * r * with_its_own - kappa * R,
        "S": 4 * r * with_other - kappa * S,
    }


def test_single_units_that_are_alike_move_as_their_class():
    equations = squares(2)
    claims, known = equations.claims("m"), rates_of_squares(equations.state, 2)
    classes = {
        "Q_{11}": "Q", "Q_{12}": "C", "Q_{22}": "Q",
        "R_{11}": "R", "R_{12}": "S", "R_{21}": "S", "R_{22}": "R",
    }  # fmt: skip
    found = {}
    for claim in claims:
        single, of_class = claim.title.removeprefix("the change of ").split(
            " where units are alike, which is that of "
        )
        found[single] = of_class
        expected = known[of_class]
        assert expand(claim.statement.lhs - expected) == 0, single
        assert expand(claim.statement.rhs - expected) == 0, single
    assert found == classes
    assert [claim.id for claim in claims] == [f"m-alike-{k}" for k in range(1, 8)]


def test_claims_about_any_number_of_units_say_which_units():
    K, i, j = (Symbol(name, integer=True, positive=True) for name in "Kij")
    pair, reversed_pair = (Le(i + 1, j), Le(j, K)), (Le(j + 1, i), Le(i, K))
    known = {
        "m-drift-1": ("Q", "i", (Le(i, K),)),
        "m-drift-2": ("C", "i < j", pair),
        "m-drift-3": ("R", "i", (Le(i, K),)),
        "m-drift-4": ("S", "i < j", pair),
        "m-drift-4-reversed": ("S", "j < i", reversed_pair),
    }
    equations = squares(K)
    claims, rates = equations.claims("m"), rates_of_squares(equations.state, K)
    assert [claim.id for claim in claims] == list(known)
    for claim, (p, about, given) in zip(claims, known.values(), strict=True):
        assert claim.title == f"the drift of {p} for units {about}"
        assert claim.hypotheses[: len(given)] == given
        expected = rates[p]
        assert expand(collapse_sums_of_equal_terms(claim.statement.lhs).doit() - expected) == 0
        assert expand(claim.statement.rhs - expected) == 0


def test_minors_of_three_directions_are_needed_only_of_angles_between_them():
    students = [Direction("w_1", sphere=True), Direction("w_2", sphere=True)]
    token = Token(target=lambda X: X @ u)
    stated = model(TokenSequence({token: 1}), Predictor(lambda X: sum(X @ x for x in students)))
    x, y = students
    p, q, s = (stated.inner_product(*pair) for pair in ((x, y), (x, u), (y, u)))
    pairs = [Ge(1 - p**2, 0), Ge(1 - q**2, 0)]
    assert _minors(stated, p + q) == pairs
    three = Ge(1 - p**2 - q**2 - s**2 + 2 * p * q * s, 0)
    assert _minors(stated, asin(p) + q) == [*pairs, three]
    assert _minors(stated, asin(b)) == []


def test_claims_about_descent_are_those_about_the_risk():
    stated = model(
        TokenSequence({Token(target=lambda X: X @ u): 1}),
        Predictor(lambda X: X @ Direction("v", sphere=True)),
    )
    claims = stated.equations("projected-descent").claims("m", source="a book")
    assert [c.id for c in claims] == [c.id for c in stated.claims("m")]
    assert {c.source for c in claims} == {"a book"}

"""Statements about pairs of unit vectors: what they may be made of, and how they read."""

from __future__ import annotations

import pytest
from sympy import FiniteSet, Rational, Symbol, latex, symbols

from slrsym.papers.single_location.pairs import (
    AlmostEveryPairConvergesTo,
    NullPairs,
    SphereDescent,
)
from slrsym.papers.single_location.pairs.statements import _StatementOnPairs
from slrsym.prover.statements.expressions import ProofError
from slrsym.prover.statements.maps import (
    box_map,
    lambda_of_coordinates,
    point_set,
    value_at,
)
from slrsym.prover.statements.orbits import (
    StepsVanish,
)

x, y, a = symbols("x y a", real=True)
OVERLAPS = symbols("x y u v w", real=True)
DESCENT = SphereDescent(lambda_of_coordinates(OVERLAPS, x * y), a, Symbol("n", integer=True))
HALF = Rational(1, 2)


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda: NullPairs(box_map({x: x}), point_set([(0, 0)])),
         r"NullPairs is about a SphereDescent; got BoxMap"),
        (lambda: NullPairs(DESCENT, point_set([(0, 2)])), "points must be pairs of numbers from -1 "
         r"to 1; got \{\(0, 2\)\}"),
        (lambda: NullPairs(DESCENT, point_set([(0,)])), "points must be pairs of numbers from -1"),
        (lambda: NullPairs(DESCENT, point_set([(0, 0, 0)])), "points must be pairs of numbers"),
        (lambda: NullPairs(DESCENT, FiniteSet(FiniteSet(0, 1))), "must be made by point_set"),
        (lambda: NullPairs(DESCENT), "NullPairs is about 2 things; got 1"),
        (lambda: AlmostEveryPairConvergesTo(DESCENT, point_set([(1, 0)])),
         r"signs must be pairs of 1 and -1; got \{\(1, 0\)\}"),
        (lambda: AlmostEveryPairConvergesTo(DESCENT, point_set([(1, 1), (HALF, 1)])),
         "signs must be pairs of 1 and -1"),
        (lambda: AlmostEveryPairConvergesTo(DESCENT, FiniteSet((1, 2))), "signs must be pairs"),
        (lambda: box_map({x + 1: x}), r"a coordinate must be a symbol; got x \+ 1"),
        (lambda: value_at(lambda_of_coordinates((x, y), x), (1,)), "no function of 1 coordinates"),
        (lambda: value_at(lambda_of_coordinates((x, y), x), (1, 2, 3)), "of 3 coordinates"),
    ],
)  # fmt: skip
def test_what_is_about_something_else_is_refused(make, why):
    with pytest.raises(ProofError, match=why):
        make()


def test_each_kind_says_which_coordinates_it_allows():
    with pytest.raises(NotImplementedError):
        _StatementOnPairs._is_allowed_coordinate(1)


WHERE = (
    "pair of unit vectors, k orthogonal to v*, v orthogonal to k* and to k, in dimension ",
    ", projected gradient descent of R with step size ",
)


@pytest.mark.parametrize(
    ("statement", "begin", "end", "text_of_points", "latex_of_points"),
    [
        (
            NullPairs(DESCENT, point_set([(1, 0), (0, HALF)])),
            "for almost no ",
            " leads the overlaps of k with k* and of v with v* to ",
            "(0, 1/2) or (1, 0)",
            r" \left(0,\, \frac{1}{2}\right) \text{ or } \left(1,\, 0\right)",
        ),
        (
            AlmostEveryPairConvergesTo(DESCENT, point_set([(-1, -1), (1, -1), (1, 1)])),
            "for almost every ",
            " converges to (k*, v*) or (k*, -v*) or (-k*, -v*)",
            "",
            "",
        ),
    ],
)
def test_a_statement_on_pairs_is_read_with_its_function(
    statement, begin, end, text_of_points, latex_of_points
):
    first, second = WHERE
    assert str(statement) == (
        f"{begin}{first}n{second}a{end}{text_of_points}, R(x, y, u, v, w) = x*y"
    )
    assert latex(statement) == (
        rf"\text{{{begin}{first}}} n \text{{{second}}} a \text{{{end}}}{latex_of_points} "
        r"\text{, } R(x, y, u, v, w) = x y"
    )


def test_a_statement_on_a_map_is_read_with_its_box():
    found = StepsVanish(box_map({x: x / 2, y: y**2}, low=(-1, 0)))
    words = "".join(found.words).replace("$", "")
    assert str(found) == f"{words}, g(x, y) = (x/2, y**2) on [-1, 1] x [0, 1]"
    assert latex(found) == (
        rf"\text{{{words}}} \text{{, }} g\left(x,\, y\right) = "
        r"\left(\frac{x}{2},\, y^{2}\right) \text{ on } "
        r"\left[-1, 1\right] \times \left[0, 1\right]"
    )


def test_a_step_has_the_length_of_the_difference():
    moved = box_map({x: x / 2, y: y**2})
    assert moved.squared_step_length() == x**2 / 4 + (y**2 - y) ** 2

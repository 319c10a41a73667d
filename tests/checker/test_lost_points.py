"""Undefined terms that a value of a function does not show: each of these proved 1 < 0 once.

Both checkers are tried. A proof goes on as far as the rules permit, and nowhere to 1 < 0.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from slrsym.checker.log import TermReader, parse_inference_arguments
from slrsym.checker.term import Rejected
from slrsym.checker.theorem import apply_rule

from . import reference


class Checker:
    """One of the two checkers, which takes data as a log has them."""

    def __init__(self, prove: Callable[..., Any], refusal: type[Exception]) -> None:
        self.prove, self.refusal = prove, refusal

    def __call__(self, rule: str, premises: list[Any], *data: Any) -> Any:
        return self.prove(rule, premises, *data)

    def follows(self, goal: list, given: tuple[list, ...] = (), use: tuple[int, ...] = ()) -> Any:
        return self("arithmetic", [], list(given), goal, [8, [], list(use), []])


def first(rule: str, premises: list[Any], *data: Any) -> Any:
    return apply_rule(rule, premises, *parse_inference_arguments(rule, list(data), TermReader()))


@pytest.fixture(params=["first", "second"])
def check(request) -> Checker:
    if request.param == "first":
        return Checker(first, Rejected)
    return Checker(reference.prove, reference.Refused)


def number(p: int, q: int = 1) -> list:
    return ["n", p, q]


def symbol(name: str, sort: str = "R") -> list:
    return ["s", name, sort]


def power(b: list, p: int, q: int = 1) -> list:
    return ["^", p, q, b]


def derivative(orders: list[int], names: list, body: list, points: list) -> list:
    return ["d", orders, names, [body], points]


def exists(t: list) -> list:
    return ["=", t, t]


ZERO, ONE = number(0), number(1)
FALSE = ["<", ONE, ZERO]
X, Y, Z = map(symbol, "xyz")
K = symbol("k", "Z")

# A term in z, a condition without which it is undefined, and a value of z that violates it.
UNDEFINED = {
    "1/0": (power(Z, -1), ["!=", Z, ZERO], ZERO),
    "log 0": (["f", "log", Z], ["<", ZERO, Z], ZERO),
    "root of -1": (power(Z, 1, 2), ["<=", ZERO, Z], number(-1)),
    "1/0^3": (power(Z, -3), ["!=", Z, ZERO], ZERO),
}


def put(t: Any, name: list, value: list) -> Any:
    """A term with a value for a symbol, which is bound nowhere in it."""
    if t == name:
        return value
    return [put(p, name, value) for p in t] if isinstance(t, list) else t


def explode(check: Checker, found: Any, case: str, true: tuple[list, ...] = ()) -> Any:
    """From the theorem that an undefined term is defined, conclude 1 < 0.

    Hypotheses may be left which are true, though no rule shows them.
    """
    t, condition, value = UNDEFINED[case]
    needed = check.follows(condition, (exists(t),), (0,))
    there = check("instance", [needed], [[Z, value]])
    order = check("order", [], *put(condition[1:], Z, value))
    sides = [check.follows(exists(p)) for p in (ZERO, ONE, value)]
    false = check.follows(["<", value, ZERO]) if value != ZERO else sides[0]
    return check("logic", [found, there, order, *sides, false], list(true), FALSE)


SUM_OF_NONE = ["sum", [K], [Y], [ONE, ZERO]]
BODIES = {
    "a number": ONE,
    "a symbol": X,
    "a sum of no terms": SUM_OF_NONE,
    "a sum of no terms, and a number": ["+", SUM_OF_NONE, ONE],
    "a sum of no terms in a sum": ["sum", [symbol("j", "Z")], [SUM_OF_NONE], [ONE, ONE]],
}


@pytest.mark.parametrize("case", UNDEFINED)
@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("order", [0, 1, 2])
def test_a_derivative_at_an_undefined_point(check, case, body, order):
    t, _, value = UNDEFINED[case]
    lost = put(t, Z, value)
    node = derivative([order], [Y], BODIES[body], [lost])
    theorem = check("derivative", [], node)

    def attack() -> None:
        true = exists(put(BODIES[body], Y, lost))
        explode(check, check("defined", [theorem], [1, [4, 0]]), case, (true,))

    with pytest.raises(check.refusal):
        attack()


@pytest.mark.parametrize("case", UNDEFINED)
@pytest.mark.parametrize("order", [0, 1])
def test_one_of_two_points_is_undefined(check, case, order):
    t, _, value = UNDEFINED[case]
    node = derivative([order, order], [X, Y], X, [ONE, put(t, Z, value)])
    theorem = check("derivative", [], node)
    with pytest.raises(check.refusal):
        explode(check, check("defined", [theorem], [1, [4, 1]]), case)


@pytest.mark.parametrize("case", UNDEFINED)
@pytest.mark.parametrize("order", [0, 1, 2])
def test_arithmetic_of_a_derivative_at_an_undefined_point(check, case, order):
    t, _, value = UNDEFINED[case]
    node = derivative([order], [Y], ONE, [put(t, Z, value)])
    with pytest.raises(check.refusal):
        check.follows(["=", node, ONE if order == 0 else ZERO])


@pytest.mark.parametrize("case", UNDEFINED)
def test_a_derivative_whose_point_is_defined(check, case):
    """What is refused above holds for a point that is defined, whether or not that is seen."""
    t, _, _ = UNDEFINED[case]
    node = derivative([1], [Y], ONE, [t])
    assert len(check("derivative", [], node).hypotheses) == 2
    assert check("derivative", [], derivative([1], [Y], ONE, [X])).conclusion
    assert check.follows(["=", node, ZERO], (exists(t),), (0,)).conclusion


@pytest.mark.parametrize("case", UNDEFINED)
@pytest.mark.parametrize("kind", ["u", "ix"])
@pytest.mark.parametrize("body", ["a number", "none of the terms"])
def test_a_function_that_becomes_constant(check, case, kind, body):
    """Of h(1/z), which is defined, so that 1/z is, an instance with a constant h says nothing."""
    t, _, value = UNDEFINED[case]
    sort = "R" if kind == "u" else "Z"
    v = symbol("v", sort)
    node = ["u", "h", "R", [0], t] if kind == "u" else ["ix", "h", "R", t]
    there = check("defined", [check("assume", [], exists(node))], [1, 4 if kind == "u" else 3])
    inside = ONE if body == "a number" else ["sum", [K], [v], [ONE, ZERO]]
    pairs = [[[kind, "h", "R", 1], ["lam", [v], [inside], []]], [Z, value]]
    lost, function = put(t, Z, value), pairs[0][1]
    # What has to hold of the function, and does.
    true = (
        exists(put(inside, v, lost)),
        ["forall", [v], [exists(inside)], []],
        ["o", "moderate", function],
    )

    def attack() -> None:
        found = check("instance", [there], pairs)
        known = [check.follows(exists(p)) for p in (ONE, value)]
        explode(check, check("logic", [found, *known], list(true), exists(lost)), case, true)

    with pytest.raises(check.refusal):
        attack()


@pytest.mark.parametrize("point", [Z, number(2), ["pi"]])
def test_a_constant_function_at_what_is_defined(check, point):
    node = ["u", "h", "R", [0], point]
    pairs = [[["u", "h", "R", 1], ["lam", [Y], [ONE], []]]]
    found = check("instance", [check("assume", [], exists(node))], pairs)
    assert len(found.hypotheses) == 2


def test_a_function_at_two_points_one_of_which_is_lost(check):
    node = ["u", "h", "R", [0, 0], X, power(Z, -1)]
    there = check("assume", [], exists(node))
    for body, fine in ((X, False), (["+", X, Y], True), (["*", Y, SUM_OF_NONE], True)):
        pairs = [[["u", "h", "R", 2], ["lam", [X, Y], [body], []]]]
        if fine:
            assert check("instance", [there], pairs).conclusion
        else:
            with pytest.raises(check.refusal):
                check("instance", [there], pairs)


@pytest.mark.parametrize("ends", [[["+", K, ONE], ONE], [ONE, K], [K, K], [ZERO, power(K, 2)]])
@pytest.mark.parametrize("body", [["f", "abs", X], ["f", "log", X], power(X, 1, 2)])
def test_the_variable_of_a_sum_is_free_in_an_end(check, ends, body):
    """That log x is differentiable is asked for all k between ends which are not these ends."""
    node = ["sum", [K], [body], ends]
    with pytest.raises(check.refusal):
        check("derivative", [], derivative([1], [X], node, [ZERO]))


BELLS = {
    "a coefficient": ["*", ZERO, power(ZERO, -1), X],
    "a coefficient of two": ["*", X, ZERO, ["f", "log", ZERO]],
    "a square": ["*", ZERO, power(number(-1), 1, 2), power(X, 2)],
    "a coefficient of a symbol": ["*", ZERO, power(Z, -1), X],
}


@pytest.mark.parametrize("case", BELLS)
@pytest.mark.parametrize("factor", [ONE, X, ["f", "erf", X]])
@pytest.mark.parametrize("ends", [[["-oo"], ["oo"]], [ZERO, ONE]])
def test_the_exponent_of_a_bell_is_undefined(check, case, factor, ends):
    bell = ["f", "exp", ["+", ["*", number(-1), power(X, 2)], BELLS[case]]]
    node = ["int", [X], [["*", factor, bell]], ends]
    theorem = check("bells", [], node)
    true = [check.follows(exists(p)) for p in (number(-1), ZERO, ONE)]
    true.append(check.follows(["<", number(-1), ZERO]))
    with pytest.raises(check.refusal):
        check("logic", [theorem, *true, check("symbol", [], Z)], [], exists(node))


@pytest.mark.parametrize("inner", [0, 1])
@pytest.mark.parametrize("root", [power(X, 1, 2), power(X, 3, 2), ["f", "asin", ["+", X, ONE]]])
def test_a_point_that_is_not_differentiable(check, inner, root):
    """The derivative of 1 at sqrt(x) is defined for x >= 0 alone: it has no derivative at 0."""
    node = derivative([1], [X], derivative([inner], [Y], ONE, [root]), [ZERO])
    theorem = check("derivative", [], node)
    at_zero = derivative([inner], [Y], ONE, [put(root, X, ZERO)])
    true = [check.follows(exists(p)) for p in (ZERO, ONE)]

    def attack() -> None:
        there = check("defined", [check("derivative", [], at_zero)], [1])
        check("logic", [theorem, there, *true], [], ["=", node, ZERO])

    with pytest.raises(check.refusal):
        attack()


@pytest.mark.parametrize("end", [["oo"], ["-oo"]])
def test_an_integral_has_two_ends(check, end):
    with pytest.raises(check.refusal):
        check("assume", [], exists(["int", [X], [X], [end, end]]))
    bell = ["f", "exp", ["*", number(-1), power(X, 2)]]
    to, back = (["int", [X], [bell], ends] for ends in ([end, ONE], [ONE, end]))
    with pytest.raises(check.refusal):
        check("adjacent", [], to, back)

"""False statements that a translation would prove in which undefined values are lost."""

from __future__ import annotations

from typing import Any

import pytest
import sympy
from sympy import (
    Abs,
    Derivative,
    Equivalent,
    Function,
    Ge,
    Gt,
    Heaviside,
    Implies,
    Integral,
    KroneckerDelta,
    Limit,
    Max,
    Ne,
    Not,
    Or,
    Sum,
    Symbol,
    acos,
    erfinv,
    exp,
    log,
    oo,
    pi,
    sqrt,
    symbols,
)

from slrsym.gaussian import Expectation, GaussianLaw, normal_cdf, normal_pdf, zeta
from slrsym.proof import algebra, chain, sign
from slrsym.prover.rules.context import covariances_of_laws
from slrsym.prover.tactics.translation import Translator, Untranslatable
from tests.prover.tactics._shown import equal, is_shown

a, m, x, y = symbols("a m x y", real=True)
s = Symbol("s", positive=True)
q = Symbol("q", positive=True)
G = Symbol("G", real=True)
k = Symbol("k", integer=True, nonnegative=True)
term = Translator().term


def by_algebra(statement: Any) -> bool:
    return is_shown(statement, chain(statement.lhs).then(statement.rhs, by=algebra))


def by_sign(given: Any) -> bool:
    left = a + m**2
    return is_shown(Ge(left, 0, evaluate=False), chain(left).ge(0, by=sign), (given,))


def square_mean(variance: Any) -> Expectation:
    return Expectation(G**2, GaussianLaw({G: 0}, [[variance]]))


@pytest.mark.parametrize(
    "statement",
    [
        equal(sqrt(2 * pi) * normal_pdf(sqrt(x)), exp(-x / 2)),
        equal(normal_pdf(sqrt(log(s))), 1 / sqrt(2 * pi * s)),
        equal(Heaviside(y * exp(Abs(log(x)))), Heaviside(y)),
        equal(normal_cdf(sqrt(2) * erfinv(x)), (1 + x) / 2),
        # A bound variable runs wherever its binder has it run, however it is declared.
        equal(Integral(Heaviside(q * x), (q, -1, 0)), Integral(Heaviside(x), (q, -1, 0))),
    ],
    ids=str,
)
def test_an_undefined_argument_is_kept(statement: Any) -> None:
    assert not by_algebra(statement)


def test_an_argument_keeps_its_term() -> None:
    root = term(sqrt(x))
    assert str(root) in str(term(normal_pdf(sqrt(x))))
    assert str(root) in str(term(normal_cdf(sqrt(x))))
    assert str(root) in str(term(acos(sqrt(x))))
    assert str(term(s * y)) in str(term(Heaviside(s * y)))
    # As wide as its binder has it run, and not as it is declared.
    assert "'abs'" in str(term(Sum(KroneckerDelta(0, k), (k, -1, -1))))
    assert by_algebra(equal(normal_pdf(x), exp(-(x**2) / 2) / sqrt(2 * pi)))
    assert by_algebra(equal(Heaviside(s), 1))
    # Odd functions have one term for both signs.
    assert by_algebra(equal(normal_cdf(-x), 1 - normal_cdf(x)))
    assert by_algebra(equal(Heaviside(-2 * y), 1 - Heaviside(y)))
    assert by_algebra(equal(KroneckerDelta(k, k + 1), 0))


def test_limits_know_the_classes_of_functions() -> None:
    assert term(equal(Limit(zeta(x, 2), x, oo), 1)) != term(equal(Limit(exp(x), x, oo), 1))
    for other in (sympy.zeta, type("exp", (Function,), {})):
        with pytest.raises(Untranslatable, match="a limit with a"):
            term(equal(Limit(other(x), x, oo), 1))


def test_a_class_of_the_users_own_has_no_term() -> None:
    class Larger(Max):
        """Whatever that is."""

    with pytest.raises(Untranslatable, match="is a Larger of"):
        term(Larger(x, y))


def test_the_order_of_a_derivative_is_a_number() -> None:
    with pytest.raises(Untranslatable, match="whose order is no number"):
        term(Derivative(exp(x), (x, k)))


@pytest.mark.parametrize(
    "given",
    [
        Not(equal(square_mean(a), -1), evaluate=False),
        Implies(a >= 0, equal(square_mean(a), a)),
        Equivalent(equal(square_mean(a), a), a >= 0),
        Or(a <= 0, equal(square_mean(a), a)),
        Ne(Limit(x * square_mean(a), x, oo), 0, evaluate=False),
    ],
    ids=str,
)
def test_a_law_of_what_need_not_hold_need_not_exist(given: Any) -> None:
    assert covariances_of_laws(Gt(m, 0), given) == ()
    assert not by_sign(given)


def test_a_law_of_what_holds_exists() -> None:
    assert len(covariances_of_laws(Gt(m, 0), equal(square_mean(a), a))) == 1
    assert by_sign(equal(square_mean(a), a))

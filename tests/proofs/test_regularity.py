"""What counts as smooth and of moderate growth, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sympy import (
    Abs,
    Derivative,
    Expr,
    Function,
    Integral,
    Matrix,
    Rational,
    Subs,
    asin,
    atan,
    cosh,
    erf,
    exp,
    log,
    sign,
    sin,
    sqrt,
    symbols,
    tan,
    tanh,
)

from slrsym.gaussian.binding import Expectation
from slrsym.gaussian.functions import OwensT, erf_prime, normal_cdf, zeta
from slrsym.gaussian.law import GaussianLaw, IIDSum, NoiseLaw, standard_normal
from slrsym.proofs.context import Context
from slrsym.proofs.regularity import is_semidefinite, require_moderate, require_smooth
from slrsym.statements.expressions import Refused

x, y, a, b, s = symbols("x y a b s", real=True)
p = symbols("p", positive=True)
q = symbols("q", nonnegative=True)
f = Function("f")
_VARIABLES = frozenset({x, y})
_X_ALONE = frozenset({x})


@pytest.mark.parametrize(
    "expr",
    [
        x,
        1 / a,
        sqrt(a) * x,
        (x + y) ** 3 * erf(a * x + b),
        sin(x * y) + atan(x**2) * tanh(y),
        exp(3 * x - y),
        exp(-(x**2)),
        exp(-((x - y) ** 2)),
        exp(-p * x**2 + y),
        exp(-q * x**2),
        exp(-q * x**2 - 2 * q * x * y - q * y**2),
        exp(-(x**2) - y**2 + x * y),
        normal_cdf(x / p) * erf_prime(y),
        sqrt(1 + x**2),
        log(2 + x**2) * cosh(x - y),
        1 / (1 + (x - y) ** 2),
        f(x),
        f(a * x + b * y + 1, y),
        Derivative(f(x, y), x),
        Derivative(a * f(x + b * y), x),
        Subs(Derivative(f(s), s), s, a * x),
        Expectation(erf(x + s), standard_normal(s)),
        IIDSum(s**2, standard_normal(s), 3),
        erf(IIDSum(s, standard_normal(s), 3)),
    ],
    ids=str,
)
def test_moderate(expr: Expr) -> None:
    require_moderate(expr, _VARIABLES, Context())


@pytest.mark.parametrize(
    "expr",
    [
        1 / x,
        sqrt(x),
        sqrt(x**2 - x),
        log(x**2),
        Abs(x),
        log(x),
        tan(x),
        x**p,
        erf(1 / x),
        erf(Abs(x)),
        sin(exp(x)),
        exp(x**2),
        exp(-(x**3)),
        exp(-(x**4)),
        exp(x * y),
        exp(-(x**2) - y**2 + 3 * x * y),
        exp(-a * x**2),
        exp(-q * x**2 - a * x * y),
        # A function of moderate growth at something that grows faster, or is not smooth.
        f(x**2),
        f(1 / x),
        f(Abs(x)),
        f(y, exp(x)),
        Derivative(f(x) / x, x),
        Derivative(f(s) * Abs(x), s),
        Subs(Derivative(f(s), s), s, 1 / x),
        Subs(Derivative(f(s), s), s, x**2),
        Expectation(exp(x * s), standard_normal(s)),
        Expectation(erf(s), GaussianLaw({s: 0}, [[x**2]])),
        IIDSum(1 / s, standard_normal(s), 3),
        erf(IIDSum(1 / s, standard_normal(s), 3)),
        x * IIDSum(Abs(s), NoiseLaw(s, 1), 3),
    ],
    ids=str,
)
def test_not_moderate(expr: Expr) -> None:
    with pytest.raises(Refused):
        require_moderate(expr, _VARIABLES, Context())


def test_a_form_that_may_be_positive_where_its_first_coefficient_vanishes() -> None:
    # The form is s (a x + y)**2; the hypothesis leaves s < 0 where a = 0.
    form = exp(-s * a**2 * x**2 - 2 * s * a * x * y - s * y**2)
    with pytest.raises(Refused):
        require_moderate(form, _VARIABLES, Context((s * a**2 >= 0,)))
    require_moderate(form, _VARIABLES, Context((s >= 0,)))


def test_semidefinite_matrices_of_numbers_are_told_from_others() -> None:
    rng = np.random.default_rng(5)
    found = []
    for _ in range(150):
        n, rank = rng.integers(1, 6), rng.integers(1, 4)
        rows = rng.integers(-2, 3, (n, rank))
        entries = rows @ rows.T
        if rng.random() < 0.6:
            # An entry off the diagonal, perhaps of a row that elimination leaves empty.
            i, j = rng.integers(0, n, 2)
            entries[i, j] = entries[j, i] = entries[i, j] + rng.choice([-1, 1])
        least = np.linalg.eigvalsh(entries)[0]
        assert least > -1e-9 or least < -1e-3
        found.append(is_semidefinite(Matrix(entries.tolist()), Context()))
        assert found[-1] == (least > -1e-9), entries
    assert 40 < sum(found) < 120
    assert not is_semidefinite(Matrix(4, 4, lambda i, j: int({i, j} == {2, 3})), Context())


def test_semidefinite_matrices_of_symbols() -> None:
    gram = Matrix([[1, a, b], [a, a**2 + p, a * b + p], [b, a * b + p, b**2 + p + q]])
    assert is_semidefinite(gram, Context())
    assert is_semidefinite(gram.subs(q, 0), Context())
    assert not is_semidefinite(gram - Matrix.diag(0, 0, q + s**2), Context())
    assert is_semidefinite(Matrix([[(s**4 - 1) / (s**2 + 1) + 1]]), Context())


def test_moderate_under_a_hypothesis() -> None:
    with pytest.raises(Refused):
        require_moderate(exp(-a * x**2), _X_ALONE, Context())
    require_moderate(exp(-a * x**2), _X_ALONE, Context((a > 1,)))


@pytest.mark.parametrize(
    ("expr", "given"),
    [
        (Expectation(erf(s), GaussianLaw({s: x}, [[1 + x**2]])), []),
        (log(x), [x > 0]),
        (Abs(x), [x < 0]),
        (2**x, []),
        (x**3 - a / p, []),
        (erf(x) * exp(x**2), []),
        (sqrt(1 + x**2), []),
        (1 / (1 + x**2), []),
        (1 / x, [x > 0]),
        (sqrt(x), [x > 0]),
        (asin(x), [x < 1, x > -1]),
        (OwensT(x, a) + zeta(x, a), []),
        (f(x**2), []),
        (Abs(a) + sqrt(a), []),
        (Expectation(erf(x * s), standard_normal(s)), []),
        (Integral(exp(-(s**2) * x), (s, 0, x)), []),
    ],
)
def test_smooth(expr: Expr, given: list[Any]) -> None:
    require_smooth(expr, x, Context(tuple(given)))


@pytest.mark.parametrize(
    ("expr", "given"),
    [
        (1 / x, []),
        (sqrt(x), []),
        (sqrt(x), [x >= 0]),
        (x ** Rational(1, 3), [x >= 0]),
        (x**a, []),
        (Abs(x), []),
        (asin(x), [x <= 1, x >= -1]),
        (erf(Abs(x)), []),
        (f(Abs(x)), []),
        (f(1 / x), []),
        (Expectation(erf(s), GaussianLaw({s: x}, [[x**2]])), []),
        (Expectation(erf(s), GaussianLaw({s: Abs(x)}, [[1]])), []),
        (Expectation(s**2, NoiseLaw(s, x)), [x > 0]),
        (log(x), []),
        (log(x), [x >= 0]),
        (sign(x), [x > 0]),
        (Expectation(exp(s**2 * x), standard_normal(s)), []),
        (Integral(Abs(x + s), (s, 0, 1)), []),
        (Integral(s, (s, 0, Abs(x))), []),
    ],
)
def test_not_smooth(expr: Expr, given: list[Any]) -> None:
    with pytest.raises(Refused):
        require_smooth(expr, x, Context(tuple(given)))

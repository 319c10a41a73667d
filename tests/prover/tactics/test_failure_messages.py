"""What is missing where no evidence is found, in the words of the statement."""

from __future__ import annotations

import pytest
from sympy import Abs, Eq, Function, Ge, Heaviside, Le, Max, Symbol, cosh, exp, log, sin, symbols

from slrsym.gaussian import Expectation, GaussianLaw, normal_cdf, normal_pdf, standard_normal
from slrsym.proof import algebra, chain, gaussian_calculus, sign
from tests.prover.tactics._shown import claim_of, refusals

x, y = (Symbol(name, real=True) for name in ("x", "a long name"))
p = Symbol("p", positive=True)


def reason(statement, proof):
    return refusals(claim_of(statement, proof))["1"]


@pytest.mark.parametrize(
    ("left", "right", "said"),
    [
        ((x**2 - y**2) / (x - y), x + y, "nonzero: -a long name + x != 0"),
        (sin(x) * y, x * y, "compare: -a long name*x + a long name*sin(x) = 0"),
    ],
)
def test_an_equation(left, right, said):
    found = reason(Eq(left, right, evaluate=False), chain(left).then(right, by=algebra))
    assert found.endswith(said)


@pytest.mark.parametrize(
    ("left", "right", "said"),
    [
        (sin(p), p, "-p + sin(p) <= 0"),
        (Abs(x), p, "-p + Abs(x) <= 0"),
    ],
)
def test_an_inequality(left, right, said):
    found = reason(Le(left, right), chain(left).le(right, by=sign))
    assert found.endswith(f"compare: {said}")


f = Function("f", real=True)
CURVES = {
    "a value": (f(x**2), 1, algebra),
    "a square": (f(x**2 - x) ** 2, 0, algebra),
    "a closed form": (x * f(x**2), 0, gaussian_calculus),
    "a cube": (f(x**3) * f(x), 0, gaussian_calculus),
}


@pytest.mark.parametrize("id", CURVES)
def test_a_mean_of_an_unknown_function_that_may_not_exist(id):
    """It says what to suppose, and with that, the mean exists."""
    integrand, value, rule = CURVES[id]
    mean = Expectation(integrand, standard_normal(x))
    left, right = (mean, mean) if rule is algebra else (mean, value)
    claim = claim_of(Eq(left, right, evaluate=False), chain(left).then(right, by=rule))
    found = refusals(claim)["1"]
    assert found.startswith(f"the existence of {mean} is not shown: an unknown function may grow")
    assert found.endswith(f"such as {mean} <= m with a new symbol m")
    bounded = [Le(mean, Symbol("m", real=True))]
    same = Eq(mean, mean, evaluate=False)
    assert refusals(claim_of(same, chain(mean).then(mean, by=algebra), bounded)) == {}


def test_other_means_have_no_such_remedy():
    for integrand in (exp(x**2) * f(x), exp(x**2) * x**2, exp(exp(x)) * f(x)):
        mean = Expectation(integrand, standard_normal(x))
        same = Eq(mean, mean, evaluate=False)
        found = refusals(claim_of(same, chain(mean).then(mean, by=algebra)))["1"]
        assert found == f"the existence of {mean} is not shown"


UNSHOWN = {
    "a quotient": 1 / cosh(x),
    "on a half-line": Heaviside(x) / cosh(x),
    "beside a kink": Max(x, 0) / (1 + x**2),
}


@pytest.mark.parametrize("id", UNSHOWN)
@pytest.mark.parametrize("rule", [sign, gaussian_calculus])
def test_a_mean_of_a_quotient_or_a_logarithm(id, rule):
    """It says what to suppose, and with that, the mean exists."""
    mean = Expectation(UNSHOWN[id], standard_normal(x))
    found = refusals(claim_of(Le(mean, 100), chain(mean).le(100, by=rule)))["1"]
    if rule is gaussian_calculus:
        assert found.startswith(f"the existence of {mean} is not shown: no rule says it of quot")
        assert found.endswith(f"such as {mean} <= m with a new symbol m")
    bounded = [Le(mean, Symbol("m", real=True))]
    same = Eq(mean, mean, evaluate=False)
    assert refusals(claim_of(same, chain(mean).then(mean, by=algebra), bounded)) == {}


def test_a_mean_of_a_logarithm_of_a_sum_of_exponentials():
    r = Symbol("r", real=True)
    mean = Expectation(log(exp(x) + exp(y)), GaussianLaw({x: 0, y: 0}, [[1, r], [r, 1]]))
    given = [Ge(r, -1), Le(r, 1)]
    found = refusals(claim_of(Ge(mean, 0), chain(mean).ge(0, by=gaussian_calculus), given))["1"]
    assert found.endswith(f"such as {mean} <= m with a new symbol m")


def test_thresholds_whose_order_is_not_declared():
    a, b = symbols("a b", real=True)

    def of(a, b):
        mean = Expectation(Max(x - a, 0) * Max(x - b, 0), standard_normal(x))
        value = (1 + a * b) * normal_cdf(-b) - a * normal_pdf(b)
        return Eq(mean, value, evaluate=False), chain(mean).then(value, by=gaussian_calculus)

    statement, proof = of(a, b)
    found = refusals(claim_of(statement, proof, [Le(a, b)]))["1"]
    assert found.endswith(
        "it depends on whether a or b is larger: declare that by a symbol, such as b = a + p with "
        "a positive p, in the statement"
    )
    statement, proof = of(1, b)
    found = refusals(claim_of(statement, proof, [Le(1, b)]))["1"]
    assert "whether 1 or b is larger: declare that by a symbol, such as b = 1 + p" in found

"""The trace: every step is an equality, and together they are a derivation."""

import pytest
from sympy import Abs, DiracDelta, Rational, S, Symbol, cos, erf, exp, log, sign, sin, sqrt, symbols

from slrsym.gaussian import (
    Expectation,
    GaussianLaw,
    IIDSum,
    NoiseLaw,
    ProductLaw,
    Trace,
    erf_prime,
    expectation,
    normal_cdf,
    standard_normal,
)
from tests._profile import thorough

x, y, z, xi = symbols("x y z xi", real=True)
ONE = standard_normal(x)
SKEW = GaussianLaw({x: Rational(1, 3)}, [[Rational(3, 2)]])
FLAT = GaussianLaw({x: Rational(1, 3), y: -1}, [[1, 0], [0, 0]])
BENT = GaussianLaw({x: Rational(1, 3), y: -1}, [[1, Rational(1, 2)], [Rational(1, 2), 2]])
LINE = GaussianLaw({x: Rational(1, 3), y: -1}, [[1, 2], [2, 4]])


@pytest.mark.parametrize(
    ("integrand", "law", "rules"),
    [
        (erf(x), SKEW, {"Gaussian mean of erf"}),
        (x**2 * erf(x), SKEW, {"Stein's lemma in x", "completing the square"}),
        (erf(x) * erf_prime(x), SKEW, {"in terms of exp and erf", "completing the square"}),
        (erf(x) * erf(y), LINE, {"bivariate normal probability"}),
        thorough(
            x * normal_cdf(y), LINE, {"coordinates that others determine", "Stein's lemma in x"}
        ),
        (x + erf(y), LINE, {"linearity", "marginal law"}),
        (sin(x) * cos(x), SKEW, {"in terms of exp and erf", "real part"}),
        (erf(x) * erf(x - y) * erf(y), standard_normal(x, y), {"oddness"}),
        (exp(x) * x, SKEW, {"completing the square", "Stein's lemma in x"}),
    ],
)
def test_every_step_is_an_equality(integrand, law, rules):
    value, trace = expectation(integrand, law, trace=True)
    assert value == expectation(integrand, law)
    assert rules <= {step.rule for step in trace}
    for step in trace:
        left, right = step.lhs.evalf(12), step.rhs.evalf(12)
        if law.cov.shape == (1, 1) or law is LINE:
            assert left.is_number, step
            assert right.is_number, step
            assert abs(left - right) < Rational(1, 10**10), step


@pytest.mark.parametrize("integrand", [x**3 * erf(x), erf(x) ** 2 * x, erf_prime(x) * sin(x)])
def test_every_expectation_is_evaluated_by_a_later_step(integrand):
    """The steps start at the integrand, and leave nothing unevaluated."""
    value, trace = expectation(integrand, SKEW, trace=True)
    assert next(iter(trace)).lhs == Expectation(integrand, SKEW)
    resolved = {step.lhs for step in trace}
    for step in trace:
        assert step.rhs.atoms(Expectation) <= resolved
    assert not value.has(Expectation)


def test_rules_of_products():
    law = ProductLaw(ONE, NoiseLaw(xi, 2))
    total = IIDSum(x, SKEW, 3)
    _, trace = expectation((xi + x) ** 2 * 3 + total**2, law, trace=True)
    assert {"linearity and independence", "moments of the noise", "sum of independent copies"} <= {
        step.rule for step in trace
    }


def test_the_step_of_independent_copies_is_an_equality():
    """Its right side in moments of one copy, against the moments of the sum, which is Gaussian."""
    _, trace = expectation(IIDSum(x, SKEW, 3) ** 2, ONE, trace=True)
    (step,) = (step for step in trace if step.rule == "sum of independent copies")
    mean, variance = Rational(1, 3), Rational(3, 2)
    moments = {node: expectation(*node.args) for node in step.rhs.atoms(Expectation)}
    assert step.rhs.xreplace(moments) == (3 * mean) ** 2 + 3 * variance


@pytest.mark.parametrize(
    ("integrand", "law", "rule"),
    [
        (IIDSum(x + 1, SKEW, 3), ONE, "sum of independent copies"),
        (y * IIDSum(x, SKEW, 3) ** 2, standard_normal(y), "sum of independent copies"),
        (3 * xi**2 + 2, ProductLaw(ONE, NoiseLaw(xi, 2)), "moments of the noise"),
        (2 * x**2 * xi**2, ProductLaw(SKEW, NoiseLaw(xi, 2)), "linearity and independence"),
        (sign(x - 1) * sign(2 * x + 3), SKEW, "signs of parallel forms"),
        (sign(x - 1) * sign(3 - 2 * x), SKEW, "signs of parallel forms"),
        (sign(y + 2) * erf(x), FLAT, "coordinates that others determine"),
        (x * y * sign(x + y - 1), BENT, "Stein's lemma in x"),
        (DiracDelta(x - y) * erf(x + 1), BENT, "conditioning on x - y = 0"),
        (DiracDelta(2 * x + 1) * y**2, BENT, "conditioning on 2*x + 1 = 0"),
        (exp(x * y / 3) * erf(x), BENT, "completing the square"),
        (erf(x + y + z) * (x - y), standard_normal(x, y, z), "law of the affine forms"),
        (2 * x**2 + 3 * erf(y) + 1, BENT, "linearity"),
        (sqrt(Abs(x)) * log(Abs(z)), standard_normal(x, z), "independence"),
        (sqrt(Abs(x)), standard_normal(x), "moment of a length"),
        (sign(x) * erf(y), BENT, "bivariate normal probability"),
        (sign(x + 1), SKEW, "Gaussian mean of the sign"),
    ],
    ids=str,
)
def test_a_step_of_each_rule_is_an_equality(integrand, law, rule):
    """Where both sides have closed forms for their means."""
    _, trace = expectation(integrand, law, trace=True)
    assert rule in {step.rule for step in trace}
    for step in trace:
        left, right = (
            side.xreplace({e: expectation(*e.args) for e in side.atoms(Expectation)})
            for side in (step.lhs, step.rhs)
        )
        assert abs((left - right).evalf(20, chop=True)) < 1e-15, step


def test_no_step_twice_and_none_that_does_nothing():
    trace = Trace()
    node = Expectation(x, ONE)
    trace.record("rule", node, S.Zero)
    trace.record("rule", node, S.Zero)
    trace.record("rule", node, node)
    assert len(trace) == 1
    trace.record("another rule", node, S.Zero)
    assert [step.rule for step in trace] == ["rule", "another rule"]


def test_display():
    s = Symbol("s", positive=True)
    _, trace = expectation(x * erf(s * x), ONE, trace=True)
    text = str(trace).splitlines()
    assert text[0].startswith("E[x*erf(s*x)] = ")
    assert text[0].endswith("[Stein's lemma in x]")
    assert len(text) == len(trace)
    display = trace.to_latex()
    assert display.startswith("\\begin{align*}\n\\mathbb{E}")
    assert display.endswith("\n\\end{align*}")
    assert display.count(r"\\" + "\n") == len(trace) - 1
    assert display.count(" &= ") == len(trace)
    assert trace._repr_latex_() == display

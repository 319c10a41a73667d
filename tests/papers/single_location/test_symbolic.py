"""The derived risk against the paper's formula, and against quadrature of the definition."""

import mpmath
import numpy as np
import pytest
from sympy import Rational, erf

from slrsym.gaussian import OwensT, zeta
from slrsym.papers.single_location.notation import (
    ORDER_PARAMETERS,
    L,
    d,
    epsilon,
    eta,
    gamma,
    gram_matrix,
    kappa,
    lam,
    nu,
    rho,
    theta,
)
from slrsym.papers.single_location.symbolic import (
    gradient,
    hessian,
    risk_closed_form,
    risk_definition,
    risk_derivation,
    risk_on_manifold,
)
from slrsym.proof import Ledger, Refused, algebra, chain
from slrsym.prover.claims.file_search import builtin_derivation_folder
from tests._profile import THOROUGH, more, thorough_only
from tests.prover.rules._steps import check

from . import tensor_quadrature


@pytest.fixture(scope="module")
def paper_formula():
    ledger = Ledger.load(builtin_derivation_folder() / "single_location" / "proposition_15.py")
    return ledger.find("proposition-15").statement.rhs


def in_owens_t(expr):
    return expr.replace(zeta, lambda t, s: zeta(t, s).rewrite(OwensT))


def test_derived_risk_is_proposition_15(paper_formula):
    check(chain(risk_closed_form()).then(in_owens_t(paper_formula), by=algebra))


# The same by finite differences in tests/properties.
@thorough_only
def test_the_proof_checker_would_see_a_slip_in_proposition_15(paper_formula):
    wrong = paper_formula + Rational(1, 10**30) * rho**2 * (L - 1) * (L - 2)
    with pytest.raises(Refused, match="are not known to compare"):
        check(chain(risk_closed_form()).then(in_owens_t(wrong), by=algebra))


def random_overlaps(rng):
    """Exact overlaps of two random rational vectors of norm at most one, completed to norm one."""
    while True:
        values = {p: Rational(int(rng.integers(-19, 20)), 20) for p in ORDER_PARAMETERS}
        gram = gram_matrix().subs(values)
        if all(gram[:n, :n].det() > 0 for n in range(2, 5)):
            return values


@more
@pytest.mark.parametrize("number", range(20 if THOROUGH else 3))
def test_derived_risk_is_the_definition_to_fifty_digits(number):
    rng = np.random.default_rng([2410, 1537, number])
    tokens = (1, 2, 1, 2, 3)[number % 5]
    # The grid grows with lambda: three tokens are summed in full only where it is small.
    largest = 12 if tokens < 3 else 4
    point = random_overlaps(rng) | {
        d: Rational(int(rng.integers(4, 400)), 2),
        gamma: Rational(int(rng.integers(2, 12)), 10),
        epsilon: Rational(int(rng.integers(0, 10)), 10),
        lam: Rational(int(rng.integers(1, largest)), 12),
    }
    brute = tensor_quadrature.risk(
        point[d], tokens, *(point[x] for x in (gamma, epsilon, lam, kappa, nu, theta, eta, rho))
    )
    derived = risk_closed_form().subs(point | {L: tokens}).evalf(60)
    with mpmath.workdps(60):
        error = abs(mpmath.mpf(str(derived)) / brute - 1)
    assert error < mpmath.mpf(10) ** -50


def test_risk_on_manifold_does_not_know_the_other_overlaps():
    assert risk_on_manifold().free_symbols == {d, L, gamma, epsilon, lam, kappa, nu}


@thorough_only
@more
def test_gradient_and_hessian_are_derivatives_of_the_closed_form():
    rng = np.random.default_rng(3)
    point = random_overlaps(rng) | {d: 7, L: 4, gamma: Rational(2, 3), epsilon: 1, lam: 1}
    slope, curvature = gradient(), hessian()
    assert slope.shape == (5, 1)
    assert curvature.shape == (5, 5)
    step = Rational(1, 10**12)
    # Of the rows of the Hessian, which take long, dev takes two.
    rows = range(5) if THOROUGH else rng.choice(5, 2, replace=False)
    for i, p in enumerate(ORDER_PARAMETERS):
        ahead = risk_closed_form().subs(point | {p: point[p] + step}).evalf(40)
        behind = risk_closed_form().subs(point | {p: point[p] - step}).evalf(40)
        assert abs((ahead - behind) / (2 * step) - slope[i].subs(point).evalf(40)) < 1e-18
        for j, q in enumerate(ORDER_PARAMETERS if i in rows else ()):
            ahead = slope[j].subs(point | {p: point[p] + step}).evalf(40)
            behind = slope[j].subs(point | {p: point[p] - step}).evalf(40)
            here = curvature[i, j].subs(point).evalf(40)
            assert abs((ahead - behind) / (2 * step) - here) < 1e-18, (p, q)


def test_derivation_starts_at_the_definition():
    trace = risk_derivation()
    assert next(iter(trace)).lhs == risk_definition()
    assert any("Stein" in step.rule for step in trace)
    assert any(step.rhs.has(erf) for step in trace)

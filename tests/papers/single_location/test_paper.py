"""The paper's task is an instance: law, risk, slopes and curvatures are those of before."""

import mpmath
import numpy as np
import pytest
from sympy import atan, simplify

from slrsym.kernels import compile_expressions
from slrsym.papers.single_location import paper_risk_expressions
from slrsym.papers.single_location.models import attention
from slrsym.papers.single_location.notation import ORDER_PARAMETERS, lam
from slrsym.papers.single_location.paper_risk import excess_risk, kernel
from slrsym.papers.single_location.symbolic import gradient, hessian, risk_closed_form
from slrsym.papers.single_location.task import Task, informative_token_law, other_token_law
from slrsym.proof import builtin_ledger
from tests._profile import thorough_cases
from tests.kernels._cases import KINDS, feasible, setting


@pytest.fixture(scope="module")
def paper():
    return attention().model


def test_its_order_parameters_and_laws(paper):
    assert paper.order_parameters == ORDER_PARAMETERS
    first, second = paper.data.tokens
    # The model's law is of k, v, v*, in the order in which they occur.
    for token, known, names in (
        (first, informative_token_law(), "kvy"),
        (second, other_token_law(), "kv"),
    ):
        found = paper.law(token)
        order = [
            next(s for s in found.symbols if s.name == f"X_{{{n}}}") for n in directions(names)
        ]
        law = found.marginal(*order)
        assert list(law.mean.values()) == list(known.mean.values())
        assert law.cov == known.cov


def directions(names):
    return [{"k": "k", "v": "v", "y": r"v^\star"}[name] for name in names]


@thorough_cases("near", "manifold", "corner")
@pytest.mark.parametrize("kind", KINDS)
def test_it_is_what_was_derived_before(paper, kind):
    """To 25 digits, from an expression of Owen's T that knows nothing of models."""
    rows = hessian()
    upper = [rows[i, j] for i in range(5) for j in range(i, 5)]
    before = compile_expressions(
        [risk_closed_form(), *gradient(), *upper], ORDER_PARAMETERS, paper.parameters, "mpmath"
    )
    now = paper.compile("mpmath", "risk", "gradient", "hessian")
    rng = np.random.default_rng(KINDS.index(kind))
    for _ in range(3):
        inverse_temperature, task = setting(rng)
        values = {"lambda": inverse_temperature, "gamma": task.gamma, "d": task.d, "L": task.L}
        numbers = [values.get(p.name, 0.0) for p in paper.parameters]
        state = feasible(rng, kind).tolist()
        for old, new in zip(
            before(state, *numbers, dps=60), now(state, *numbers, dps=40), strict=True
        ):
            with mpmath.workdps(50):
                assert abs(old - new) <= mpmath.mpf(10) ** -25 * (1 + abs(old))


@thorough_cases("swap", "manifold")
@pytest.mark.parametrize("kind", KINDS)
def test_the_form_that_was_found_loses_no_more_than_the_one_by_hand(paper, kind):
    """Near the oracle, too, where the closed form cancels without bound."""
    found = paper.compile("numpy", "excess_risk")
    exact = paper.compile("mpmath", "excess_risk")
    rng = np.random.default_rng(20 + KINDS.index(kind))
    worst = [0.0, 0.0]
    for _ in range(10):
        inverse_temperature, task = setting(rng)
        values = {"lambda": inverse_temperature, "gamma": task.gamma, "d": task.d, "L": task.L}
        numbers = [values.get(p.name, 0.0) for p in paper.parameters]
        state = feasible(rng, kind)
        reference = exact(state.tolist(), *numbers, dps=60)[0]
        byhand = kernel("excess_risk")(
            state, inverse_temperature, task.gamma, float(task.d), float(task.L), 0.0
        )
        for place, value in enumerate((found(state, *numbers)[0], byhand[0])):
            error = float(abs(mpmath.mpf(float(value)) - reference) / abs(reference))
            worst[place] = max(worst[place], error)
    assert worst[0] < max(1e-13, 20 * worst[1])


@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("inverse_temperature", [1e3, 1e5, 1e8, 3e9])
def test_a_large_inverse_temperature_costs_no_digits(inverse_temperature, backend):
    """The mean square of erf at the other tokens: an arc sine near 1 has half the digits."""
    task, state = Task(400, 10, 0.7), [1.0, 1.0, 0.0, 0.0, 0.0]
    with mpmath.workdps(50):
        square = mpmath.mpf(inverse_temperature) ** 2
        # On top of what vanishes at the oracle.
        others = 18 / mpmath.pi * mpmath.asin(2 * square / (1 + 2 * square))
        found = float(excess_risk(state, inverse_temperature, task, backend))
        assert abs(found - others) <= 1e-15 * others


def test_the_angle_of_the_kernels_is_the_one_of_the_claim():
    claim = builtin_ledger().find("zeta-at-zero-accurate")
    (angle,) = paper_risk_expressions.excess_risk().atoms(atan)
    difference = angle.subs(lam, claim.symbol("s")) - claim.statement.rhs
    assert simplify(difference) == 0

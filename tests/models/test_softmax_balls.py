"""Softmax in balls: its risk, and that no inverse temperature brings the erf oracle near it."""

from pathlib import Path

import numpy as np
import pytest
from flint import arb

from slrsym.models import softmax
from slrsym.models.means import softmax_risk_balls
from slrsym.papers.single_location.models import attention
from tests._profile import thorough, thorough_only
from tests.models._instances import by_direction, drawn
from tests.models._vectors import numbers_of, state_of
from tests.models.test_softmax import softmax_by_quadrature

ORACLE = [1, 1, 0, 0, 0]
SOFTMAX, ERF = attention(softmax).model, attention().model


def numbers(model, d, tokens, inverse_temperature, gamma=None):
    gamma = arb("0.5").sqrt() if gamma is None else gamma
    values = {"d": d, "L": tokens, "gamma": gamma, "epsilon": 0, "lambda": inverse_temperature}
    return numbers_of(model, values)


@thorough_only
@pytest.mark.parametrize("plus", [0, 1])
def test_balls_hold_the_risk(plus):
    """By the definition, for two tokens: over the scores of both."""
    instance = attention(lambda u: softmax(u, plus))
    rng = np.random.default_rng(plus)
    vectors = drawn(rng, 9, 0.0)
    values = {"d": 9, "L": 2, "gamma": 0.7, "epsilon": 0.25, "lambda": 1.5}
    state = state_of(instance.model, by_direction(instance, vectors))
    at = numbers_of(instance.model, values)
    ball = instance.model.compile("ball", "risk")(state, *at)[0]
    assert float(ball.rad()) < 1e-12
    assert abs(float(ball) - softmax_by_quadrature(vectors, values, plus)) < 1e-12
    assert abs(float(ball) - instance.model.compile("numpy", "risk")(state, *at)[0]) < 1e-12


@thorough_only
@pytest.mark.parametrize(("d", "tokens", "risk"), [(6, 5, "0.3881356"), (20, 10, "0.1121325")])
def test_balls_hold_the_bayes_risk(d, tokens, risk):
    found = SOFTMAX.compile("ball", "risk")(
        ORACLE, *numbers(SOFTMAX, d, tokens, (arb(d) / 2).sqrt(), 1)
    )[0]
    assert arb(risk, 5e-8).contains(found)
    assert found.rad() < 1e-13


@pytest.mark.parametrize(
    ("inverse_temperature", "later", "earlier", "coarser", "constants"),
    [
        (0.7, 30, 0, 1, {}),
        thorough(2, 0, 47, 1, {}),
        (0.7, 0, 0, 5, {}),
        (0.7, 0, 0, 1, {"_FOLDS": 12}),
        (0.7, 0, 0, 1, {"_REACH": 4}),
    ],
    ids=["nodes to the left", "to the right", "step", "step in the score", "nodes of the score"],
)
def test_what_a_worse_rule_misses_is_within_its_bounds(
    inverse_temperature, later, earlier, coarser, constants, monkeypatch
):
    risk, at = SOFTMAX.compile("ball", "risk"), numbers(SOFTMAX, 6, 3, inverse_temperature)
    exact = risk(ORACLE, *at)[0]
    chosen = softmax_risk_balls._range

    def worse(mu, present):
        with monkeypatch.context() as as_before:
            as_before.setattr(softmax_risk_balls, "_FOLDS", 44)
            start, stop, step = chosen(mu, present)
        return start + later, stop - earlier, step * coarser

    monkeypatch.setattr(softmax_risk_balls, "_range", worse)
    for name, value in constants.items():
        monkeypatch.setattr(softmax_risk_balls, name, value)
    found = risk(ORACLE, *at)[0]
    # So far off that no other bound would hide it.
    assert abs(found.mid() - exact.mid()) > 1e4 * exact.rad()
    assert found.overlaps(exact)


def rows():
    """Of the table in the docs: d, L, inverse temperature, risk of softmax, and of erf at best."""
    page = Path(__file__).parents[2] / "docs" / "how-to" / "models.md"
    table = page.read_text(encoding="utf-8").split("| d | L |")[1].split("\n\n")[0]
    return [[x.strip() for x in line.strip("|").split("|")] for line in table.splitlines()[2:]]


ROWS = rows()


@thorough_only
@pytest.mark.parametrize(
    "row", [*ROWS[:1], *(pytest.param(row, marks=thorough_only) for row in ROWS[1:])]
)
def test_the_table_is_certified(row):
    d, tokens = int(row[0]), int(row[1])
    at = numbers(SOFTMAX, d, tokens, arb(row[2]))
    found = SOFTMAX.compile("ball", "risk")(ORACLE, *at)[0]
    least = float(row[4].removeprefix("above "))
    if row[3].startswith("below"):
        assert found < arb(row[3].removeprefix("below "))
    else:
        assert arb(row[3], float(row[3]) * 1e-4).contains(found)
    assert found < least
    # Of erf, for every inverse temperature; beyond 4 the other tokens alone bring more.
    assert (tokens - 1) * 2 / arb.pi() * (arb(32) / 33).asin() > least
    erf = ERF.compile("ball", "risk")
    boxes = [(0.0, 4.0)]
    for _ in range(3000):
        low, high = boxes.pop()
        middle, half = (low + high) / 2, (high - low) / 2
        if not erf(ORACLE, *numbers(ERF, d, tokens, arb(middle, half)))[0] > least:
            boxes += [(low, middle), (middle, high)]
        if not boxes:
            return
    pytest.fail(f"{len(boxes)} boxes are left")


def test_what_has_no_balls():
    with pytest.raises(ValueError, match="balls of risk and excess_risk, not of slopes"):
        SOFTMAX.compile("ball")
    with pytest.raises(ValueError, match="must be integers for balls"):
        SOFTMAX.compile("ball", "risk")(ORACLE, *numbers(SOFTMAX, 6, 2.5, 1))
    with pytest.raises(ValueError, match="positive inverse temperature"):
        SOFTMAX.compile("ball", "risk")(ORACLE, *numbers(SOFTMAX, 6, 3, -1))

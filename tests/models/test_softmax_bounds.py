"""Bounds of the balls of softmax: moments, ends and errors, against sums and integrals."""

import math

import numpy as np
import pytest
from flint import arb
from sympy import Rational, symbols

from slrsym.gaussian import Expectation, GaussianLaw
from slrsym.models.means import softmax_risk_balls
from slrsym.models.means.softmax_risk_balls import _missed, _power, _range, _Role

# Of score, value and target: means, and the upper triangle of the covariances.
LAWS = [
    ([0.25, -1.5, 0.75], [1.25, 0.5, -0.75, 2.0, 0.25, 1.5]),
    ([-1.0, 0.5, 2.0], [0.5, -0.25, 0.125, 1.0, -0.5, 0.25]),
]
MU = 0.5


def role(law):
    return _Role(arb(MU), *law)


@pytest.mark.parametrize("law", LAWS)
def test_moments(law):
    (_, m_v, m_y), (*_, c_vv, _, c_yy) = law
    found = role(law)
    z = symbols("z", real=True)
    for mean, variance, power, number in (
        (m_v, c_vv, 2, found.second),
        (m_v, c_vv, 4, found.value**2),
        (m_y, c_yy, 4, found.size**4),
    ):
        law_of_z = GaussianLaw({z: Rational(mean)}, [[Rational(variance)]])
        exact = Expectation(z**power, law_of_z).doit()
        assert abs(float(number) / float(exact) - 1) < 1e-14


@pytest.mark.parametrize("law", LAWS)
def test_values_given_the_score(law):
    """At each node the polynomials are means of v, y, v y and v^2 given the score."""
    (m_u, *mean), (c_uu, c_uv, c_uy, c_vv, c_vy, _) = law
    found = role(law)
    step = found.nodes[1][1] / found.nodes[0][1]
    assert len(found.nodes) % 2 == 1
    total = sum((bell for _, bell, _ in found.nodes), arb(0))
    assert abs(float(total) - 1) < 1e-14
    assert step > 1
    for growth, bell, values in found.nodes[::9]:
        u = math.log(float(growth)) / MU
        v, y = (m + c / c_uu * (u - m_u) for m, c in zip(mean, (c_uv, c_uy), strict=True))
        exact = [1, v, y, v * y + c_vy - c_uv * c_uy / c_uu, v * v + c_vv - c_uv**2 / c_uu]
        assert [float(x) for x in values] == pytest.approx(exact, rel=1e-9, abs=1e-9)
        assert float(bell) > 0


@pytest.mark.parametrize(("mu", "variance"), [(0.0, 1.0), (-1.0, 1.0), (1.0, 0.0), (1.0, -0.5)])
def test_scores_have_to_vary(mu, variance):
    with pytest.raises(ValueError, match=f"got {arb(mu)} and the variance {arb(variance)}"):
        _Role(arb(mu), [0, 0, 0], [variance, 0, 0, 1, 0, 1])


def test_powers_of_balls_between_0_and_1():
    wide = arb(0.5, 0.75)
    for n, low, high in ((0, 1, 1), (1, 0, 1), (3, 0, 1)):
        assert abs(_power(wide, arb(n)).lower() - low) < 1e-8
        assert abs(_power(wide, arb(n)).upper() - high) < 1e-8
    assert abs(float(_power(arb(0.5, 0.25), arb(2)).upper()) - 0.5625) < 1e-8
    for n in (arb(-1), arb(0.5), arb(2, 1.5)):
        with pytest.raises(ValueError, match="counts of tokens must be integers for balls"):
            _power(wide, n)


def coordinates(found, law):
    """The nodes of a role, as multiples of the standard deviation of its score."""
    (m_u, *_), (c_uu, *_) = law
    return [(math.log(float(growth)) / MU - m_u) / math.sqrt(c_uu) for growth, _, _ in found.nodes]


@pytest.mark.parametrize("variance", [0.04, 9.0])
def test_errors_of_the_means_of_a_role(variance, monkeypatch):
    """By the bound of the trapezoidal rule, and by a sum over nodes that are left out."""
    law = [0.25, -1.5, 0.75], [variance, 0.5, -0.75, 12.0, 0.25, 15.0]
    slope = MU * math.sqrt(variance)
    height = min(1.3 / slope, 5.0)
    step = 2 * math.pi * height / (44 + height**2 / 2)
    found = role(law)
    z = coordinates(found, law)
    assert np.diff(z) == pytest.approx(step)
    assert z[0] == pytest.approx(-z[-1])
    assert 11 < z[-1] < 11 + step + 1e-9
    rule = 2 * math.exp(height**2 / 2) / math.expm1(2 * math.pi * height / step)
    sd = math.sqrt(variance)
    (_, m_v, m_y), (b_v, b_y) = law[0], (0.5 / sd, -0.75 / sd)
    polynomials = [
        (0, [1, 0, 0]),
        (1, [m_v, b_v, 0]),
        (0, [m_y, b_y, 0]),
        (1, [m_v * m_y + 0.25 - b_v * b_y, m_v * b_y + b_v * m_y, b_v * b_y]),
        (2, [m_v**2 + 12 - b_v**2, 2 * m_v * b_v, b_v**2]),
    ]
    largest = [1, math.exp(-1), 4 * math.exp(-2)]
    exact = [
        rule * np.abs(p) @ [1, 1 + height, 1 + height**2] * largest[k] / math.cos(1.3) ** k
        for k, p in polynomials
    ]
    assert [float(e.rad()) for e in found.missed] == pytest.approx(exact, rel=1e-5, abs=0)
    monkeypatch.setattr(softmax_risk_balls, "_REACH", 5)
    found = role(law)
    last = coordinates(found, law)[-1]
    assert 5 < last < 5 + step + 1e-9
    beyond = last + step * np.arange(400)
    bell = 2 * step * np.exp(-(beyond**2) / 2) / math.sqrt(2 * math.pi)
    for error, (k, p) in zip(found.missed, polynomials, strict=True):
        left_out = bell @ (np.abs(p) @ beyond ** np.arange(3)[:, None]) * largest[k]
        assert left_out < float(error.rad()) < 1.15 * left_out


def missed(laws, counts, start=-300.0, stop=500.0, step=0.05):
    """Bounds of the errors, and the sums over roles that they are multiples of."""
    roles = [role(law) for law in laws]
    present = [(one, arb(n)) for one, n in zip(roles, counts, strict=True)]
    value, size, second = (
        sum(n * float(getattr(one, name)) for one, n in zip(roles, counts, strict=True))
        for name in ("value", "size", "second")
    )
    found = _missed(arb(MU), present, arb(start), arb(stop), arb(step))
    return tuple(map(float, found)), (math.sqrt(value) * size, value, second, size)


def test_errors_of_the_rule_in_log_s():
    (cross, square), (_, _, second, size) = missed(LAWS, [2, 3], step=0.5)
    rule, narrow = 2 / math.expm1(2 * math.pi * 1.3 / 0.5), math.cos(1.3)
    assert cross == pytest.approx(rule / narrow * math.sqrt(second) * size, rel=1e-9)
    assert square == pytest.approx(rule / narrow**2 * second, rel=1e-9)


def test_errors_of_nodes_to_the_left():
    """By the fourth moment of the sum of exponentials: of the role that has the largest."""
    (cross, square), (pair, value, _, _) = missed(LAWS, [2, 3], start=-6.0)
    fourth = 5**4 * max(math.exp(4 * MU * m[0] + 8 * MU**2 * c[0]) for m, c in LAWS)
    x = -6.0 - 0.05 * np.arange(2000)
    exact = (
        0.05 * np.exp(x).sum() * fourth**0.25 * pair,
        (0.05 * np.exp(2 * x).sum() * fourth**0.5 * value),
    )
    assert (cross, square) == pytest.approx(exact, rel=1e-9)


def test_errors_of_nodes_to_the_right():
    """Of narrow scores the bound has T^2 exp(-T) of nodes T, of wide ones a normal tail."""
    (cross, square), (pair, value, _, _) = missed(LAWS, [2, 3], stop=20.0)
    x = 20.0 + 0.05 * np.arange(4000)
    left_out = 0.05 * np.sum(x**2 * np.exp(-x))
    assert cross / pair == pytest.approx(square / value)
    assert left_out < square / value < 1.01 * left_out
    wide = [([m, 1.0, 1.0], [c, 0.5, 0.5, 1.0, 0.5, 1.0]) for m, c in ((3.0, 100.0), (1.0, 121.0))]
    for laws in (wide, wide[::-1]):
        (_, square), (_, value, _, _) = missed(laws, [2, 3], stop=60.0)
        x = 60.0 + 0.05 * np.arange(4000)
        q = (x - np.log(x) + MU * 3.0) / (MU * 10.0)
        left_out = 0.05 * np.sum(0.4 * np.exp(-(q**2) / 4))
        assert left_out < square / value < 1.02 * left_out
    with pytest.raises(ValueError, match="the score of softmax is too steep for balls"):
        missed(wide, [2, 3], stop=3.0)
    # One role for which there is a bound is enough.
    (_, square), (_, value, _, _) = missed([wide[0], LAWS[0]], [2, 3], stop=3.0)
    assert 0 < square / value < 10


@pytest.mark.parametrize("counts", [[2, 3], [1, 1]])
def test_ends_of_the_quadrature_in_log_s(counts):
    """To the left 44 e-foldings of the sum of exponentials; to the right those of one score."""
    wide = [0.5, 1.0, 1.0], [400.0, 0.5, 0.5, 1.0, 0.5, 1.0]
    for laws in (LAWS, [wide, wide], [LAWS[0], wide]):
        present = [(role(law), arb(n)) for law, n in zip(laws, counts, strict=True)]
        start, stop, step = map(float, _range(arb(MU), present))
        largest = max(MU * m[0] + 2 * MU**2 * c[0] for m, c in laws)
        right = min(13 * MU * math.sqrt(c[0]) - MU * m[0] for m, c in laws)
        assert start == pytest.approx(-44 - math.log(sum(counts)) - largest)
        assert stop == pytest.approx(max(right + 5, 50))
        assert step == pytest.approx(2 * math.pi * 1.3 / 44)

"""The examples: what their default arguments state, and their directions by name."""

import pytest
from sympy import erf, sqrt

from slrsym.papers.committee.models import committee
from slrsym.papers.single_location.models import attention, multi_head
from slrsym.papers.single_location.notation import L, d, epsilon, gamma, kappa, lam, nu


def test_two_heads_and_two_informative_tokens_without_correlation():
    stated = multi_head()
    assert repr((stated.k, stated.v)) == "((k_1, k_2), (v_1, v_2))"
    assert [x.name for x in (*stated.k_star, *stated.v_star)] == [
        r"k^\star_1", r"k^\star_2", r"v^\star_1", r"v^\star_2",
    ]  # fmt: skip
    data = stated.model.data
    assert (data.correlation, data.noise) == ({}, epsilon)
    ((counts, _),) = data.mixture
    assert list(counts.values()) == [1, 1, L - 2]
    assert [t.name for t in counts] == ["informative 1", "informative 2", "other"]
    first, other = data.tokens[0], data.tokens[2]
    assert first.mean.terms == {stated.k_star[0]: sqrt(2) * sqrt(d) / 2}
    assert (first.eigenvalues, other.eigenvalues) == ((gamma**2,), (1,))
    fixed = [stated.model.fixed_inner_product(x, y) for x in stated.k_star for y in stated.v_star]
    assert fixed == [0, None, None, 0]
    share, symbols = stated.model.shares[other, None]
    heads = zip(stated.k, stated.v, strict=True)
    assert share == -sum(erf(lam * symbols[x]) * symbols[y] for x, y in heads)


def test_one_head_without_an_angle():
    stated = attention()
    ((counts, _),) = stated.model.data.mixture
    assert list(counts.values()) == [1, L - 1]
    assert [t.eigenvalues for t in counts] == [(gamma**2,), (1,)]
    assert stated.model.inner_product(stated.k_star, stated.v_star) == 0
    assert stated.model.inner_product(stated.k, stated.k_star) == kappa
    assert stated.model.inner_product(stated.v, stated.v_star) == nu
    biased = attention(bias=(0, 1, 2), other_cov=(1, 2))
    assert list(biased.model.data.mixture[0][0].values()) == [1, 2]
    assert biased.model.spaces == 2


def test_a_committee_of_two_students_and_two_teachers():
    stated = committee()
    assert repr((stated.students, stated.teachers)) == "((w_1, w_2), (u_1, u_2))"
    first, second = stated.teachers
    assert stated.model.inner_product(first, second) == 0
    assert stated.model.data.noise == epsilon
    ((share, symbols),) = stated.model.shares.values()
    units = {x: erf(symbols[x] / sqrt(2)) for x in (*stated.students, *stated.teachers)}
    assert share == sum(units[x] for x in stated.teachers) - sum(units[x] for x in stated.students)


@pytest.mark.parametrize("make", [multi_head, committee])
@pytest.mark.parametrize("numbers", [(0, 1), (1, 0)])
def test_there_is_one_of_each(make, numbers):
    with pytest.raises(ValueError, match="must be an integer of at least 1; got 0"):
        make(*numbers)
    made = make(1, 1)
    assert len(made.model.directions) == (4 if make is multi_head else 2)

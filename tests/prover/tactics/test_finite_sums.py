"""Finite sums: terms at the ends, shifted indices, adjacent ranges, telescoping, induction."""

from __future__ import annotations

import pytest
from sympy import Abs, Function, IndexedBase, Sum, Symbol, log, symbols

from slrsym.proof import (
    D,
    ForAll,
    algebra,
    chain,
    differentiate,
    induction,
    instance,
    single_out,
)
from slrsym.proof import sign as signs
from tests._profile import thorough_cases, thorough_only
from tests.prover.tactics._shown import claim_by, claim_of, equal, is_shown, refusals

i, j, k = symbols("i j k", integer=True)
n, m = symbols("n m", integer=True, nonnegative=True)
N = Symbol("N", integer=True, positive=True)
c, x = symbols("c x", real=True)
A = Symbol("A", positive=True)
f = Function("f", real=True)
g, w = IndexedBase("g", real=True), IndexedBase("w", real=True)


def total(term, low=1, high=n, index=i):
    return Sum(term, (index, low, high))


@pytest.mark.parametrize(
    ("left", "right", "given"),
    [
        pytest.param(total(g[i], 1, n + 1), total(g[i]) + g[n + 1], [], id="last"),
        pytest.param(total(g[i], 1, N), total(g[i], 1, N - 1) + g[N], [], id="last-of-some"),
        pytest.param(total(g[i], 0, n), g[0] + total(g[i]), [], id="first"),
        pytest.param(total(g[i], n, n + 2), g[n] + g[n + 1] + g[n + 2], [], id="three"),
        pytest.param(total(g[i], n, n), g[n], [], id="one"),
        pytest.param(total(i**2, 1, 3), 14, [], id="number"),
        pytest.param(total(g[i], n + 1, n), 0, [], id="empty"),
        pytest.param(total(g[i + 1], 0, n), total(g[i], 1, n + 1), [], id="shift"),
        pytest.param(total(f(i - 1), 1, n + 1), total(f(i), 0, n), [], id="shift-back"),
        pytest.param(total(g[n - i], 0, n), total(g[i], 0, n), [], id="reversed"),
        pytest.param(total(f(j), 1, n, j), total(f(i)), [], id="renamed"),
        pytest.param(
            total(g[i], 1, n + m), total(g[i]) + total(g[i], n + 1, n + m), [], id="adjacent"
        ),
        pytest.param(
            total(g[i], 1, N), total(g[i], 1, k) + total(g[i], k + 1, N), [k >= 0, k <= N],
            id="split-anywhere",
        ),
        pytest.param(total(g[i + 1] - g[i], 0, n), g[n + 1] - g[0], [], id="telescope"),
        pytest.param(total(1 / i - 1 / (i + 1), 1, N), 1 - 1 / (N + 1), [], id="fractions"),
        pytest.param(total(log(i + 1) - log(i), 1, N), log(N + 1), [], id="logarithms"),
        pytest.param(total(A ** (i + 1) - A**i, 0, n), A ** (n + 1) - 1, [], id="powers"),
        pytest.param(
            total(i * (g[i + 1] - g[i])), (n + 1) * g[n + 1] - total(g[i], 1, n + 1), [],
            id="by-parts",
        ),
        pytest.param(
            total(total(g[i] * w[j], 1, m, j), 1, n + 1),
            (total(g[i]) + g[n + 1]) * total(w[j], 1, m, j), [], id="double",
        ),
        pytest.param(total(g[i], 1, n + 2), total(g[i]) + g[n + 1] + g[n + 2], [], id="last-two"),
        pytest.param(total(g[i], 0, n + 1), g[0] + total(g[i]) + g[n + 1], [], id="both-ends"),
        pytest.param(
            total(g[i + 2] - g[i], 0, n), g[n + 2] + g[n + 1] - g[0] - g[1], [],
            id="telescope-by-two",
        ),
        pytest.param(total(g[i], 1, 2 * n), total(g[i]) + total(g[n + i]), [], id="halves"),
        pytest.param(
            total(A ** (n + 1 - i) * g[i], 0, n + 1),
            g[n + 1] + A * total(A ** (n - i) * g[i], 0, n), [], id="discounted",
        ),
        pytest.param(
            total(total(g[i] * w[j], 1, m, j)), total(total(g[i] * w[j]), 1, m, j), [],
            id="exchanged",
        ),
        pytest.param(f(total(g[i], 1, n + 1)), f(total(g[i]) + g[n + 1]), [], id="in-a-function"),
    ],
)  # fmt: skip
def test_equations_of_sums(left, right, given):
    assert refusals(claim_by(equal(left, right), algebra, given)) == {}


@pytest.mark.parametrize(
    ("left", "right", "given"),
    [
        (total(g[i], 1, n + 1), total(g[i]) + g[n], []),
        (total(g[i], n, n + 2), g[n] + g[n + 1], []),
        (total(g[i], k, n), g[k] + total(g[i], k + 1, n), []),
        (total(g[i], k + 1, k - 1), 0, []),
        (total(g[i + 1], 0, n), total(g[i], 0, n + 1), []),
        (total(g[n - i], 0, n), total(g[i]), []),
        (total(g[i], 1, m), total(g[i]) + total(g[i], n + 1, m), []),
        (total(g[i], 1, N), total(g[i], 1, k) + total(g[i], k + 1, N), [k >= 1]),
        (total(g[i + 1] - g[i], 0, n), g[n] - g[0], []),
        (total(1 / i, 0, n), 1 + total(1 / i), []),
        (total(1 / i - 1 / (i + 1), 1, N), 1 - 1 / N, []),
        (total(i * (g[i + 1] - g[i])), (n + 1) * g[n + 1] - total(g[i]), []),
        (total(g[i], 1, n + 2), total(g[i]) + g[n + 2], []),
        (total(g[i + 2] - g[i], 0, n), g[n + 2] - g[0], []),
        (total(g[i], 1, 2 * n), total(g[i]) + total(g[n + i], 0, n), []),
        (total(A ** (n + 1 - i) * g[i], 0, n + 1), g[n + 1] + total(A ** (n - i) * g[i], 0, n), []),
    ],
)
def test_wrong_equations_of_sums(left, right, given):
    assert refusals(claim_by(equal(left, right), algebra, given)) != {}


def test_terms_at_the_ends_are_singled_out():
    claim = claim_by(equal(total(g[i], 1, n + 1), total(g[i]) + g[n + 1]), single_out(n + 1))
    assert refusals(claim) == {}


def test_a_sum_grows_by_a_square():
    proof = chain(total(g[i] ** 2)).le(total(g[i] ** 2, 1, n + 1), by=signs)
    assert is_shown(total(g[i] ** 2) <= total(g[i] ** 2, 1, n + 1), proof)
    proof = chain(total(g[i])).le(total(g[i], 1, n + 1), by=signs)
    assert not is_shown(total(g[i]) <= total(g[i], 1, n + 1), proof)


def test_the_derivative_of_a_sum():
    left = D(total(g[i] * x, 1, n + 1), x)
    claim = claim_by(equal(left, total(g[i]) + g[n + 1]), differentiate)
    assert refusals(claim) == {}


@thorough_cases("left3-right3")
@pytest.mark.parametrize(
    ("left", "right"),
    [
        (total(i), n * (n + 1) / 2),
        (total(i**2, 0, n), n * (n + 1) * (2 * n + 1) / 6),
        (total(2 * i + 1, 0, n), (n + 1) ** 2),
        ((1 - A) * total(A**i, 0, n), 1 - A ** (n + 1)),
    ],
)
def test_sums_by_induction_in_one_line(left, right):
    def proof(rule):
        return induction(equal(left, right), n, algebra, lambda hypothesis: hypothesis)

    assert is_shown(equal(left, right), proof(algebra))
    wrong = equal(left, right + n)
    proof_of_wrong = induction(wrong, n, algebra, lambda hypothesis: hypothesis)
    assert not is_shown(wrong, proof_of_wrong)


def test_a_geometric_sequence_from_its_recursion():
    recursion = ForAll(n, equal(g[n + 1], c * g[n]))

    def next_entry(at):
        return chain(g[at + 1]).then(c * g[at], by=instance(recursion, at))

    goal = equal((1 - c) * total(g[i], 0, n), g[0] - g[n + 1])

    def step(hypothesis):
        more = (1 - c) * total(g[i], 0, n) + (1 - c) * g[n + 1]
        return (
            chain(goal.lhs.subs(n, n + 1))
            .then(more, by=algebra)
            .then(g[0] - g[n + 1] + (1 - c) * g[n + 1], by=hypothesis)
            .then(goal.rhs.subs(n, n + 1), by=algebra.using(next_entry(n + 1)))
        )

    proof = induction(goal, n, algebra.using(next_entry(n - n)), step)
    assert refusals(claim_of(goal, proof, [recursion])) == {}


@thorough_only
def test_the_triangle_inequality_by_induction():
    sizes = total(Abs(g[i]))

    def step(hypothesis):
        return (
            chain(Abs(total(g[i], 1, n + 1)))
            .then(Abs(total(g[i]) + g[n + 1]), by=algebra)
            .le(Abs(total(g[i])) + Abs(g[n + 1]), by=signs)
            .le(sizes + Abs(g[n + 1]), by=hypothesis)
            .then(sizes.subs(n, n + 1), by=algebra)
        )

    goal = Abs(total(g[i])) <= sizes
    base = chain(Abs(total(g[i], 1, 0))).then(0, by=algebra).le(sizes.subs(n, 0), by=signs)
    assert is_shown(goal, induction(goal, n, base, step))

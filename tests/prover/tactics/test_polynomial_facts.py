"""What a search remembers of polynomials is what the proof checker computes."""

import random

import numpy as np
import pytest
from flint import fmpq

from slrsym.checker.sign import ANY, NN, POS, SignFacts
from slrsym.prover.tactics.polynomial_facts import (
    WorkCountingFacts,
    coefficients_by_monomial,
    product_of_powers,
)

SIZE = 6


def facts_with_roots(roots=True):
    """Return facts with roots of which the second one's radicand has the first, and the work."""
    work = []
    facts, plain = WorkCountingFacts(SIZE, work.append), SignFacts(SIZE)
    x = facts.x
    for known in (facts, plain) if roots else ():
        known.roots += [(2, 2, 1 + x[0] ** 2), (4, 3, x[2] + x[1] * x[0])]
    return facts, plain, work


def drawn(facts, rng, terms):
    """Return a polynomial with random coefficients and exponents."""
    exponents = [tuple(rng.choice((0, 0, 1, 2, 5)) for _ in range(SIZE)) for _ in range(terms)]
    return facts.ring.from_dict({m: fmpq(rng.randint(-9, 9) or 1, rng.randint(1, 7))
                                 for m in exponents})  # fmt: skip


@pytest.mark.parametrize("seed", range(20))
def test_roots_are_rewritten_as_by_the_proof_checker(seed):
    facts, plain, _ = facts_with_roots()
    p = drawn(facts, random.Random(seed), 1 + seed)
    assert facts.reduce(p) == plain.reduce(p)
    assert str(facts.reduce(p)) == str(plain.reduce(p))


@pytest.mark.parametrize("seed", range(20))
def test_monomials_by_their_printing_are_those_of_the_polynomial(seed):
    facts, *_ = facts_with_roots()
    p = drawn(facts, random.Random(seed), seed) + seed % 2
    names = coefficients_by_monomial(p)
    assert list(names.values()) == list(p.to_dict().values())
    x = {f"g{i}": facts.x[i] for i in range(SIZE)}
    values = [facts.one * eval(name.replace("^", "**"), dict(x)) for name in names]
    assert sum((c * m for c, m in zip(names.values(), values, strict=True)), facts.zero) == p
    rows = [tuple(map(int, m)) for m in p.monoms()]
    assert np.array_equal(facts.exponents(p), np.array(rows).reshape(len(rows), SIZE))


def test_a_sign_is_forgotten_if_a_fact_is_new():
    facts, plain, _ = facts_with_roots()
    x, y = facts.x[0], facts.x[1]
    product, state = x * y + x, facts.snapshot()
    assert facts.possible_signs(product) == ANY
    for p in (x, y):
        facts.learn(p, POS)
        plain.learn(p, POS)
        assert facts.possible_signs(product) == plain.possible_signs(product)
    assert facts.possible_signs(product) == POS
    facts.restore(state)
    assert facts.possible_signs(product) == ANY
    facts.learn(x, NN)
    assert facts.possible_signs(x) == NN


def test_a_product_is_remembered_until_a_root_is_new_and_counts_its_work_each_time():
    facts, _, work = facts_with_roots(roots=False)
    x = facts.x
    long = product_of_powers(facts.one, [(sum(x[:4], facts.one), 5), (x[2], 2)])
    parts = [(long, 1), (x[3], 1)]
    first = facts.product(parts)
    assert facts.product(parts) is first
    assert first.polynomial == long * x[3]
    assert not work
    facts.roots.append((2, 2, 1 + x[0] ** 2))
    second = facts.product(parts)
    assert second.polynomial == facts.reduce(long * x[3]) != first.polynomial
    before = sum(work)
    assert facts.product(parts) is second
    assert sum(work) == before + second.work > before
    assert second.coefficients == coefficients_by_monomial(second.polynomial)

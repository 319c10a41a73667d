"""The value of a mean over Gaussian matrices, found by Isserlis' theorem."""

from __future__ import annotations

from collections.abc import Mapping

from slrsym.checker.expectations import product_of_factors, sum_of_terms
from slrsym.checker.extensions.matrix_means import Product, value_of_mean
from slrsym.checker.ring import Fraction
from slrsym.checker.term import Term
from slrsym.prover.tactics.binders import quotient_term, ring_with_search
from slrsym.prover.tactics.sign_search import SearchHintRecordingRing, SignSearch
from slrsym.prover.tactics.traces import trace_of_word

_GENERATORS, _EFFORT = 64, 120_000


def search_ring(size: int = _GENERATORS) -> SearchHintRecordingRing:
    """Return a ring that searches for evidence, without facts."""
    return ring_with_search(size, {}, SignSearch(_EFFORT), (), ())


def term_of_trace_polynomial(ring: SearchHintRecordingRing, p: Mapping[Product, Fraction]) -> Term:
    """Return a polynomial in traces as a term."""
    terms = [
        product_of_factors(quotient_term(ring, *c), *(trace_of_word(ring, w) for w in product))
        for product, c in sorted(p.items(), key=lambda item: (len(item[0]), item[0]))
        if c[0] != 0
    ]
    return sum_of_terms(terms)


def mean_as_term(node: Term, ring: SearchHintRecordingRing | None = None) -> Term:
    """Return the value of a mean of a polynomial in traces as a term."""
    ring = ring or search_ring()
    return term_of_trace_polynomial(ring, value_of_mean(ring, node))

"""Factors that are not 0, because a product or power of them is known not to be 0.

If x were 0, so would x^2*y be. The proof checker has no such rule for polynomials: arithmetic shows
what follows from x = 0, and logic concludes that x is not 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress

from slrsym.checker import Inference, Rejected
from slrsym.checker.arithmetic import relations_in_conjunction
from slrsym.checker.expectations import ZERO
from slrsym.checker.term import Term, canonical_key, definedness_equation
from slrsym.prover.rules.context import Context
from slrsym.prover.tactics.arithmetic import prove_by_arithmetic, prove_in_context
from slrsym.prover.tactics.emission import FAILURES, ProofEmitter
from slrsym.prover.tactics.registration import register_prover

# How many factors are tried, and the share, 1/20, of the search effort that each may take.
_MOST, _SHARE = 12, 20


def _prove_with_nonzero_factors(
    emitter: ProofEmitter, p: Term, given: Sequence[Term], context: Context,
    lines: Sequence[Inference] = (),
) -> Inference:  # fmt: skip
    """Prove a relation by arithmetic that knows which factors of hypotheses are not 0."""
    facts = [(q, h) for h in given for q in relations_in_conjunction(h)]
    own = [(q, line) for line in lines for q in relations_in_conjunction(line.theorem.conclusion)]
    asked = {
        canonical_key(factor): (factor, product, source)
        for q, source in (*facts, *own)
        for product in _nonzero_sides(q)
        for factor in _factors(product)
        if factor != product
    }
    shown = []
    for factor, product, source in list(asked.values())[:_MOST]:
        with suppress(*FAILURES):
            shown.append(
                emitter.run_and_undo_on_failure(_prove_nonzero, emitter, factor, product, source)
            )
    if not shown:
        raise Rejected("no product is known not to be 0")
    return prove_in_context(emitter, p, context, [*lines, *shown], given)


def _nonzero_sides(p: Term) -> Iterator[Term]:
    """Yield the term that a relation says is not 0."""
    if p[0] in ("<", "!=") and ZERO in p[1:]:
        yield p[2] if p[1] == ZERO else p[1]


def _factors(t: Term) -> Iterator[Term]:
    """Yield the bases of powers, and the arguments of absolute values, in a product."""
    if t[0] == "*":
        for part in t[1:]:
            yield from _factors(part)
    elif t[0] == "^" and t[1] > 0:
        yield from _factors(t[3])
    elif t[:2] == ("f", "abs"):
        yield from _factors(t[2])
    elif t[0] != "n":
        yield t


def _prove_nonzero(
    emitter: ProofEmitter, factor: Term, product: Term, source: Term | Inference
) -> Inference:
    """Prove that a factor is not 0, from a hypothesis or theorem that the product is not."""
    vanishes = ("=", factor, ZERO)
    effort = emitter.effort // _SHARE
    fact = source if isinstance(source, Inference) else emitter.script.add("assume", (), source)
    premises = [
        fact,
        prove_by_arithmetic(emitter, ("=", product, ZERO), [vanishes], effort=effort),
        prove_by_arithmetic(emitter, definedness_equation(factor), (), effort=effort),
        prove_by_arithmetic(emitter, definedness_equation(ZERO), ()),
        *(emitter.script.add("order", (), t, ZERO) for t in (product, factor)),
    ]
    return emitter.infer_from_cases(premises, ("!=", factor, ZERO), {canonical_key(vanishes)})


# After all others, so that no proof of theirs becomes another.
register_prover(14, _prove_with_nonzero_factors)

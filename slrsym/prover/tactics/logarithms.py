"""Logarithms of products, quotients, powers and exponentials of positive terms.

From log(exp(t)) = t, which is proved by its derivative, arithmetic concludes that log(x*y) is
log(x) + log(y), since exp(log(x) + log(y)) is x*y to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from sympy import factorint

from slrsym.checker import Inference, Rejected
from slrsym.checker.expectations import ZERO, product_of_factors, sum_of_terms
from slrsym.checker.term import (
    BINDERS,
    RELATIONS,
    Term,
    definedness_equation,
    is_same_term,
    num,
)
from slrsym.prover.rules.context import Context
from slrsym.prover.tactics.arithmetic import (
    RewrittenFormula,
    prove_by_arithmetic,
    prove_in_context,
    prove_with_given_equations,
)
from slrsym.prover.tactics.binders import BinderEquationSearch, polynomial_term, quotient_term
from slrsym.prover.tactics.elementary_function_identities import (
    function_calls,
    prove_by_identities,
    prove_constant,
)
from slrsym.prover.tactics.emission import FAILURES, ProofEmitter
from slrsym.prover.tactics.registration import register_prover

_T: Term = ("s", "t", "R")
# Primes up to this one are factored out of numbers under a logarithm.
_LARGEST_PRIME = 1000
_MOST_ROUNDS = 3
# The share, 1/20, of the search effort of a step that one equation or sign may take.
_SHARE = 20


def _log(u: Term) -> Term:
    return ("f", "log", u)


def _times(k: int, t: Term) -> Term:
    return t if k == 1 else product_of_factors(num(k), t)


def _prove_log_of_exponential(emitter: ProofEmitter) -> Inference:
    """Prove log(exp(t)) = t for every real t."""
    whole = ("+", _log(("f", "exp", _T)), _times(-1, _T))
    p = ("=", _log(("f", "exp", _T)), _T)
    return prove_by_arithmetic(emitter, p, (), [prove_constant(emitter, whole)])


class _LogarithmExpansion:
    """Expansion of logarithms in a formula, under hypotheses and known theorems."""

    def __init__(
        self, emitter: ProofEmitter, given: Sequence[Term], lines: Sequence[Inference]
    ) -> None:
        self.emitter, self.given, self.lines = emitter, tuple(given), list(lines)

    def expand(self, t: Term) -> Inference:
        """Write log(u) as a sum of multiples of logarithms of factors of u, and of exponents."""
        root = self._single_root(t[2])
        if root is not None:
            return self._expand_root(t, *root)
        total = sum_of_terms(list(self._summands(t[2])))
        if is_same_term(total, t):
            raise Rejected("its argument is no product")
        line = self._log_of_exponential_of(total)
        return self._prove(("=", t, total), [line])

    def _prove(self, p: Term, lines: Sequence[Inference] = ()) -> Inference:
        effort = self.emitter.effort // _SHARE
        return prove_by_arithmetic(self.emitter, p, self.given, [*lines, *self.lines], effort)

    def _log_of_exponential_of(self, total: Term) -> Inference:
        """Prove log(exp(t)) = t for a term t."""
        identity = self.emitter.derive_once(
            "log of exp", partial(_prove_log_of_exponential, self.emitter)
        )
        line = self.emitter.script.add("instance", [identity], ((_T, total),))
        return self.emitter.discharge_by(line, [self._prove(definedness_equation(total))])

    def _normal_form(self, u: Term) -> Any:
        search = BinderEquationSearch(
            self.emitter, self.given, self.lines, prove_with_given_equations
        )
        return search.normal_form(u)

    def _single_root(self, u: Term) -> tuple[Term, int] | None:
        """Return the radicand and the degree of a term that is a root, or None."""
        ring, (n, d) = self._normal_form(u)
        kind, *data = ring.generator_data(n) if d == 1 else ("",)
        return (polynomial_term(ring, data[0]), data[1]) if kind == "root" else None

    def _expand_root(self, t: Term, radicand: Term, degree: int) -> Inference:
        """Write the logarithm of a root by that of its radicand, which is expanded, too."""
        whole = _log(radicand)
        line = self._prove(
            ("=", whole, _times(degree, t)), [self._log_of_exponential_of(_times(degree, t))]
        )
        lines, total = [line], whole
        with suppress(*FAILURES):
            more = self.emitter.run_and_undo_on_failure(self.expand, whole)
            lines, total = [line, more], more.theorem.conclusion[2]
        share = product_of_factors(num(1, degree), total)
        return self._prove(("=", t, share), lines)

    def _summands(self, u: Term) -> Iterator[Term]:
        """Yield multiples of logarithms, and exponents, whose sum is the logarithm of a term."""
        ring, (n, d) = self._normal_form(u)
        rest = []
        for p, sign in ((n, 1), (d, -1)):
            c, factors = p.factor()
            for part, k in ((int(c.p), sign), (int(c.q), -sign)):
                yield from _summands_of_number(abs(part), k)
            for f, k in factors:
                power = int(k) * sign
                kind, *data = ring.generator_data(f)
                if kind == "exp":
                    (mono, below), unit = data
                    yield quotient_term(ring, mono * unit * power, below)
                    continue
                term = polynomial_term(ring, f)
                inside = self._positive(term, power)
                if inside is not None:
                    yield _times(power, _log(inside))
                else:
                    rest.append(term if power == 1 else ("^", power, 1, term))
        if rest:
            yield _log(product_of_factors(*rest))

    def _positive(self, f: Term, power: int) -> Term | None:
        """Return a factor, its negative or its absolute value, whichever is known as positive."""
        ways = [f, _times(-1, f)]
        if power % 2 == 0:
            ways.append(("f", "abs", f))
        for t in ways:
            with suppress(*FAILURES):
                self.emitter.run_and_undo_on_failure(self._prove, ("<", ZERO, t))
                return t
        return None


def _summands_of_number(n: int, k: int) -> Iterator[Term]:
    """Yield multiples of logarithms of primes whose sum is k times the logarithm of a number."""
    for prime, power in factorint(n, limit=_LARGEST_PRIME).items() if n > 1 else ():
        yield _times(k * power, _log(num(prime)))


def _prove_by_logarithms_of_factors(
    emitter: ProofEmitter, p: Term, given: Sequence[Term], context: Context,
    lines: Sequence[Inference] = (),
) -> Inference:  # fmt: skip
    """Prove a relation after expanding the logarithms in it, and those of known relations."""
    if p[0] not in RELATIONS:
        raise Rejected("no relation")
    expansion = _LogarithmExpansion(emitter, given, lines)
    work = RewrittenFormula(emitter, p, through=BINDERS)
    calls: dict[str, Term] = {}
    # The logarithm of a product has that of a root, which is expanded after it.
    for _ in range(_MOST_ROUNDS):
        new = {k: t for k, t in function_calls(work.formula, ("log",)).items() if k not in calls}
        calls |= new
        for t in new.values():
            with suppress(*FAILURES):
                work.apply(emitter.run_and_undo_on_failure(expansion.expand, t))
    facts = []
    for q in (*given, *(line.theorem.conclusion for line in lines)):
        for name, t in function_calls(q, ("log",), deep=False).items():
            if name not in calls:
                with suppress(*FAILURES):
                    facts.append(emitter.run_and_undo_on_failure(expansion.expand, t))
    if not work.steps and not facts:
        raise Rejected("no logarithms of products")
    known = [*lines, *facts, *(line for line, _ in work.steps)]
    if work.formula[0] == "=" and is_same_term(*work.formula[1:]):
        # What is left to show is that both sides are defined.
        return work.prove_original(emitter.require_proof(work.formula, tuple(given), context))
    ways = [
        partial(prove_in_context, emitter, work.formula, context, known, given),
        partial(prove_by_identities, emitter, work.formula, given, context, known),
    ]
    return work.prove_original(emitter.try_in_turn(ways, ""))


# After what is proved without it.
register_prover(8, _prove_by_logarithms_of_factors)

"""Higher moments of sums of independent copies, proved by induction over the number of copies.

The proof checker knows the first two. That of n + 1 copies is found by taking one copy off: the
binomial theorem gives moments of n copies, times moments of the copy.
"""

from __future__ import annotations

from math import comb
from typing import Any

from sympy import Dummy, Eq, Expr, S, Symbol, expand

from slrsym.checker import Inference
from slrsym.checker.term import Term, canonical_key, num, substitute
from slrsym.gaussian.binding import Expectation
from slrsym.gaussian.law import IIDSum, Law
from slrsym.gaussian.noise_and_product_laws import joint_law
from slrsym.prover.rules.context import Context
from slrsym.prover.rules.expectations import peel_copy
from slrsym.prover.rules.step import Link, Step
from slrsym.prover.tactics.expectations import ExpectationCalculus

# The highest moment that is proved.
_HIGHEST = 8


def moment_in_moments_of_copy(k: int, count: Expr, moments: list[Expr]) -> Expr:
    """Return the k-th moment of a sum of copies, given those of a copy from the 0th on."""
    cumulants: list[Expr] = [S.Zero]
    for j in range(1, k + 1):
        less = (comb(j - 1, i - 1) * cumulants[i] * moments[j - i] for i in range(1, j))
        cumulants.append(expand(moments[j] - sum(less, S.Zero)))
    whole: list[Expr] = [S.One]
    for j in range(1, k + 1):
        terms = (comb(j - 1, i - 1) * cumulants[i] * whole[j - i] for i in range(1, j + 1))
        whole.append(expand(count * sum(terms, S.Zero)))
    return whole[k]


def evaluate_higher_moment(work: ExpectationCalculus, e: Expectation) -> Any:
    """Evaluate a moment, from the third on, of a sum of independent copies."""
    base, power = e.integrand.as_base_exp()
    if not isinstance(base, IIDSum) or not power.is_Integer or not 3 <= power <= _HIGHEST:
        return None
    n = Dummy("n", integer=True, nonnegative=True)
    line = _prove_moment(work, base, int(power), e.law, n)
    count = work.emitter.term(base.count)
    line = work.add("instance", [line], ((work.emitter.term(n), count),))
    more = [Expectation(base.term**k, base.law) for k in range(1, int(power) + 1)]
    return line, more


def _moments_of_copy(copies: IIDSum, highest: int) -> list[Expr]:
    means = (Expectation(copies.term**k, copies.law) for k in range(1, highest + 1))
    return [S.One, *means]


def _prove_moment(
    work: ExpectationCalculus, copies: IIDSum, k: int, law: Law, n: Symbol
) -> Inference:
    """Prove the k-th moment of a sum of n copies, for every n."""
    emitter = work.emitter
    moments = _moments_of_copy(copies, k)

    def mean_of(count: Expr, j: int = k) -> Expectation:
        return Expectation(IIDSum(copies.term, copies.law, count) ** j, law)

    if k <= 2:
        line = work.add("moments of copies", (), emitter.term(mean_of(n)))
        value = emitter.term(moment_in_moments_of_copy(k, n, moments))
        return work.prove(("=", emitter.term(mean_of(n)), value), [line])
    goal = emitter.formula(Eq(mean_of(n), moment_in_moments_of_copy(k, n, moments), evaluate=False))
    symbol = emitter.term(n)
    first = ExpectationCalculus(emitter, work.context)
    first.store_reduction_equations(
        mean_of(S.Zero),
        [first.drop_empty_copy_sums, first.expand_integrand, first.evaluate_constant],
    )
    base = first.conclude(substitute(goal, {symbol: num(0)}))
    # One copy less.
    more, less = mean_of(n + 1), IIDSum(copies.term, copies.law, n)
    names = {s: Dummy(s.name, real=True) for s in copies.law.symbols}
    one = copies.term.xreplace(names)
    wide = Expectation((less + one) ** k, joint_law([law, copies.law.rename_variables(names)]))
    link = Link(more, "=", wide)
    step = Step("", link.statement, peel_copy, link, Context((), emitter.find))
    taken = emitter.emit_by_rule(step, ())
    inner = ExpectationCalculus(emitter, work.context)
    inner.store_reduction_equations(
        wide,
        [inner.expand_integrand, inner.evaluate_constant, inner.factor_independent,
         inner.drop_unused_variables],
    )  # fmt: skip
    known = [
        *(_prove_moment(work, copies, j, law, n) for j in range(1, k)),
        work.add("assume", (), goal),
    ]
    for j, line in enumerate(known, start=1):
        inner.equations[canonical_key(emitter.term(mean_of(n, j)))] = line
    inner.equations[canonical_key(emitter.term(more))] = taken
    following = inner.conclude(substitute(goal, {symbol: ("+", symbol, num(1))}))
    lines = [_discharge_all_but(work, line, goal) for line in (base, following)]
    return work.add("induction", lines, symbol, goal)


def _discharge_all_but(work: ExpectationCalculus, line: Inference, goal: Term) -> Inference:
    """Discharge every hypothesis that is neither the step's nor the induction hypothesis."""
    own = {canonical_key(goal), *map(canonical_key, work.given)}
    proofs = [
        work.emitter.require_proof(h, work.given, work.context)
        for name, h in line.theorem.hypotheses.items()
        if name not in own
    ]
    return work.emitter.discharge_by(line, proofs) if proofs else line

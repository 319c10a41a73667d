"""Means of functions that bend or jump where an affine form of their variables is 0."""

from __future__ import annotations

from typing import Any

from sympy import Abs, Dummy, sign

from slrsym.checker.term import bound_variables, num
from slrsym.gaussian.binding import Expectation
from slrsym.gaussian.law import GaussianLaw
from slrsym.prover.statements.expressions import substitute_simultaneously
from slrsym.prover.tactics.expectation_inequalities import prove_by_pieces
from slrsym.prover.tactics.expectations import ExpectationCalculus
from slrsym.prover.tactics.subterm_paths import body_in_variables


def rewrite_by_absolute_value(work: ExpectationCalculus, e: Expectation) -> Any:
    """Rewrite `x*sign(u)`, for `u` affine in `x`, by `abs(u)` and `sign(u)`."""
    for f in e.integrand.atoms(sign):
        (u,) = f.args
        for x in sorted(u.free_symbols & set(e.law.symbols), key=str):
            if (c := u.diff(x)).is_number and e.integrand == x * f:
                plain = (Abs(u) - (u - c * x) * f) / c
                said = ("=", work.integrand_term(e.integrand, e), work.integrand_term(plain, e))
                names = bound_variables(work.term(e))
                equal = work.discharge(
                    prove_by_pieces(work.emitter, said, work.context, ()), (), names
                )
                return work.take_expectations(equal, work.term(e)), [Expectation(plain, e.law)]
    return None


def evaluate_odd(work: ExpectationCalculus, e: Expectation) -> Any:
    """Prove that the mean of an odd function vanishes under a centred law."""
    if not isinstance(e.law, GaussianLaw) or any(m != 0 for m in e.law.mean.values()):
        return None
    mirror = {s: -s for s in e.law.symbols}
    if (substitute_simultaneously(e.integrand, mirror) + e.integrand).expand() != 0:
        return None
    names = {s: Dummy(s.name, real=True) for s in e.law.symbols}
    t = work.term(e)
    line = work.change_variables(e, {s: -names[s] for s in names}, e.law.rename_variables(names))
    other = line.theorem.conclusion[2]
    minus = work.apply_linearity(other, [(num(-1), body_in_variables(t, bound_variables(other)))])
    line = work.rewrite_right_side(line, minus, other)
    # E f = -E f
    return work.prove(("=", t, num(0)), [line]), []

"""Means of functions that bend or jump where an affine form of their variables is 0.

The table of the proof checker has E abs(Y) and E sign(Y), but no moments of these: Stein's lemma
asks for a smooth function. They follow from rules that it has. Write Y as the sum of independent
halves Y1 and Y2, and take the mean over Y1 first, by the table: that of Y2^k abs(Y1 + Y2) is Y2^k
times a smooth function of Y2. Under the law of Y and of what is left of Y2, which is independent of
Y, the same mean is E Y^k abs(Y)/2^k plus lower moments.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from math import comb
from typing import Any

from sympy import (
    Abs,
    Dummy,
    Expr,
    Mul,
    S,
    Symbol,
    erf,
    exp,
    expand,
    factorial2,
    pi,
    sign,
    simplify,
    sqrt,
)

from slrsym.checker import Inference
from slrsym.checker.expectations import linear_combination_term
from slrsym.checker.term import Term, binder_bodies, bound_variables, canonical_key, num
from slrsym.gaussian import standard_normal
from slrsym.gaussian.binding import Expectation
from slrsym.gaussian.law import GaussianLaw, Law
from slrsym.gaussian.noise_and_product_laws import joint_law
from slrsym.prover.rules.expectations import conditioning, gaussian_calculus, inside
from slrsym.prover.rules.step import Link, Step
from slrsym.prover.statements.expressions import substitute_simultaneously
from slrsym.prover.tactics.emission import FAILURES
from slrsym.prover.tactics.expectation_inequalities import prove_by_pieces
from slrsym.prover.tactics.expectations import ExpectationCalculus
from slrsym.prover.tactics.subterm_paths import body_in_variables

# The highest power of a variable beside its absolute value or sign.
_HIGHEST = 8


def rewrite_by_absolute_value(work: ExpectationCalculus, e: Expectation) -> Any:
    """Rewrite `x*sign(u)`, for `u` affine in `x`, by `abs(u)` and `sign(u)`."""
    for f in sorted(e.integrand.atoms(sign), key=str):
        (u,) = f.args
        for x in sorted(u.free_symbols & set(e.law.symbols), key=str):
            if (c := u.diff(x)).is_number and e.integrand == x * f:
                plain = (Abs(u) - (u - c * x) * f) / c
                said = ("=", work.integrand_term(e.integrand, e), work.integrand_term(plain, e))
                names = bound_variables(work.term(e))
                equal = _prove_by_pieces(work, said, names)
                return work.take_expectations(equal, work.term(e)), [Expectation(plain, e.law)]
    return None


def evaluate_odd(work: ExpectationCalculus, e: Expectation) -> Any:
    """Prove that the mean of an odd function vanishes under a centred law."""
    if not isinstance(e.law, GaussianLaw) or any(m != 0 for m in e.law.mean.values()):
        return None
    mirror = {s: -s for s in e.law.symbols}
    if (substitute_simultaneously(e.integrand, mirror) + e.integrand).expand() != 0:
        return None
    with suppress(*FAILURES):
        return work.emitter.run_and_undo_on_failure(_prove_odd, work, e), []
    return None


def _prove_odd(work: ExpectationCalculus, e: Expectation) -> Inference:
    names = {s: Dummy(s.name, real=True) for s in e.law.symbols}
    t = work.term(e)
    line = work.change_variables(e, {s: -names[s] for s in names}, e.law.rename_variables(names))
    other = line.theorem.conclusion[2]
    mirrored, body = bound_variables(other), body_in_variables(t, bound_variables(other))
    factors, bodies = (num(-1),), (body,)
    said = ("=", binder_bodies(other)[0], linear_combination_term(factors, bodies))
    try:
        equal = work.emitter.run_and_undo_on_failure(work.prove, said, (), mirrored)
    except FAILURES:
        # An odd function of its own, such as a sign.
        equal = _prove_by_pieces(work, said, mirrored)
    minus = work.add("linear", [equal], other, factors, bodies)
    line = work.rewrite_right_side(line, minus, other)
    # E f = -E f
    return work.prove(("=", t, num(0)), [line])


def _prove_by_pieces(work: ExpectationCalculus, said: Term, names: Sequence[Term]) -> Inference:
    """Prove an equation of integrands in each case of their signs."""
    return work.discharge(prove_by_pieces(work.emitter, said, work.context, ()), (), names)


def evaluate_degenerate(work: ExpectationCalculus, e: Expectation) -> Any:
    """Evaluate the mean under a law of variance 0: the integrand's value at the mean."""
    if not isinstance(e.law, GaussianLaw) or any(c != 0 for c in e.law.cov):
        return None
    means = dict(e.law.mean)
    value = substitute_simultaneously(e.integrand, means)
    with suppress(*FAILURES, ValueError):
        line, other = work.emitter.run_and_undo_on_failure(
            _moved, work, e, means, value, standard_normal(Dummy("Z", real=True))
        )
        return line, [other]
    return None


def reduce_kink(work: ExpectationCalculus, e: Expectation) -> Any:
    """Reduce the mean of a polynomial times `abs(u)` or `sign(u)`, `u` affine, to smooth means."""
    names = e.law.symbols
    kinks = [f for f in Mul.make_args(e.integrand) if isinstance(f, (Abs, sign))]
    kinks = [f for f in kinks if f.has(*names)]
    if len(kinks) != 1 or not isinstance(e.law, GaussianLaw):
        return None
    kink, rest = kinks[0], e.integrand / kinks[0]
    form, factor = kink.args[0].as_poly(*names), rest.as_poly(*names)
    if form is None or factor is None or form.total_degree() != 1 or not rest.has(*names):
        return None
    if factor.total_degree() > _HIGHEST:
        return None
    is_power = len(names) == 1 and kink.args == names and rest == names[0] ** factor.degree()
    way = _split_in_halves if is_power else _take_form_as_variable
    with suppress(*FAILURES, ValueError):
        return work.emitter.run_and_undo_on_failure(way, work, e, kink, rest)
    return None


def _moved(
    work: ExpectationCalculus, e: Expectation, forms: dict[Symbol, Expr], integrand: Expr, law: Law
) -> tuple[Inference, Expectation]:
    """Change variables in an expectation, whose integrand then is equal to a given one."""
    line, other = work.change_variables(e, forms, law), Expectation(integrand, law)
    node = line.theorem.conclusion[2]
    body = body_in_variables(work.term(other), bound_variables(node))
    return work.rewrite_right_side(line, work.replace_integrand(node, body), node), other


def _take_form_as_variable(
    work: ExpectationCalculus, e: Expectation, kink: Expr, rest: Expr
) -> tuple[Inference, list[Expectation]]:
    """Take the affine form in a kink as a variable, beside what is independent of it."""
    names, Y, u = e.law.symbols, Dummy("Y", real=True), kink.args[0]
    whole = e.law.linear_image({Y: u, **{Dummy(real=True): x for x in names}})
    mean, spread = simplify(whole.mean[Y]), simplify(whole.cov[0, 0])
    slopes = {x: u.diff(x) for x in names}
    last = max((x for x in names if slopes[x] != 0), key=lambda x: bool(slopes[x].is_number))
    others = [x for x in names if x != last]
    left = {x: Dummy(x.name, real=True) for x in others}
    shares = {x: simplify(whole.cov[0, 1 + names.index(x)] / spread) for x in others}
    forms = {x: e.law.mean[x] + shares[x] * (Y - mean) + left[x] for x in others}
    constant = expand(u - sum((slopes[x] * x for x in names), S.Zero))
    forms[last] = (Y - constant - sum((slopes[x] * forms[x] for x in others), S.Zero)) / slopes[
        last
    ]
    laws: list[Law] = [GaussianLaw({Y: mean}, [[spread]])]
    if others:
        cov = [
            [simplify(e.law.covariance(x, y) - shares[x] * shares[y] * spread) for y in others]
            for x in others
        ]
        laws.append(GaussianLaw(dict.fromkeys(left.values(), 0), cov))
    integrand = expand(substitute_simultaneously(rest, forms)) * kink.func(Y)
    line, other = _moved(work, e, forms, integrand, joint_law(laws))
    return line, [other]


def _split_in_halves(
    work: ExpectationCalculus, e: Expectation, kink: Expr, rest: Expr
) -> tuple[Inference, list[Expectation]]:
    """Reduce E Y^k abs(Y) or E Y^k sign(Y) to the mean of a smooth function and lower moments."""
    ((Y, mean),), spread = e.law.mean.items(), e.law.cov[0, 0]
    k = int(rest.as_poly(Y).degree())
    first, second, R = (Dummy(name, real=True) for name in ("Y1", "Y2", "R"))
    halves = joint_law(
        [GaussianLaw({second: mean}, [[spread / 2]]), GaussianLaw({first: 0}, [[spread / 2]])]
    )
    apart = joint_law([GaussianLaw({Y: mean}, [[spread]]), GaussianLaw({R: 0}, [[spread / 4]])])
    split = Expectation(second**k * kink.func(first + second), halves)
    forms = {first: (Y - mean) / 2 - R, second: (Y + mean) / 2 + R}
    moved, joint = _moved(work, split, forms, expand(forms[second] ** k) * kink.func(Y), apart)
    smooth = expand(_smooth_mean(kink, second, spread) * second**k)
    inner = Expectation(
        Expectation(split.integrand, GaussianLaw({first: 0}, [[spread / 2]])),
        GaussianLaw({second: mean}, [[spread / 2]]),
    )
    outer = Expectation(smooth, inner.law)
    lines = [
        moved,
        _prove(work, split, conditioning(second), inner),
        _prove(work, inner, inside(gaussian_calculus), outer),
        _expanded(work, joint),
    ]
    # The j-th moment stands beside a mean of a polynomial in Y and R.
    lower = S.Zero
    for j in range(k):
        share = sum(
            (
                comb(k - j, i) * (mean / 2) ** (k - j - i) * _central_moment(i, spread / 4)
                for i in range(0, k - j + 1, 2)
            ),
            S.Zero,
        )
        lower += comb(k, j) * share / 2**j * Expectation(Y**j * kink.func(Y), e.law)
    value = 2**k * (outer - lower)
    more = [Expectation(Y**j * kink.func(Y), e.law) for j in range(k)]
    return work.prove(("=", work.term(e), work.emitter.term(value)), lines), [outer, *more]


def _smooth_mean(kink: Expr, z: Symbol, spread: Expr) -> Expr:
    """Return the mean of `abs(z + X)` or `sign(z + X)` over X, centred and of half a variance."""
    step = erf(z / sqrt(spread))
    if isinstance(kink, sign):
        return step
    return z * step + sqrt(spread / pi) * exp(-(z**2) / spread)


def _central_moment(i: int, spread: Expr) -> Expr:
    """Return the i-th moment of a centred Gaussian variable, for an even i."""
    return S.One if i == 0 else factorial2(i - 1) * spread ** (i // 2)


def _prove(work: ExpectationCalculus, left: Expr, rule: Any, right: Expr) -> Inference:
    """Prove that two expressions are equal by a rule."""
    link = Link(left, "=", right)
    return work.emitter.emit_by_rule(Step("", link.statement, rule, link, work.context), ())


def _expanded(work: ExpectationCalculus, e: Expectation) -> Inference:
    """Write a mean over independent variables by means of powers of the first one, with a kink."""
    # A search for closed forms, which has more ways than are named here.
    search: Any = type(work)(work.emitter, work.context)
    ways = [
        search.expand_integrand,
        search.evaluate_constant,
        search.factor_independent,
        search.drop_unused_variables,
        search.reduce_by_stein,
    ]
    search.store_reduction_equations(e, ways)
    found = search.equations[canonical_key(search.term(e))]
    line: Inference = search.resolve_right_side(found, ())
    return line

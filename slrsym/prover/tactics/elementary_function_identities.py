"""Identities of elementary functions, proved from derivatives when a statement needs them.

Function values in a statement are rewritten: sines and cosines by addition theorems, hyperbolic
functions by exponentials, maxima by absolute values. The result is proved, and rewritten back.
For logarithms, their signs and two bounds by tangents at 1 are proved.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import partial

from slrsym.checker import Inference, Rejected
from slrsym.checker.expectations import ONE, ZERO, product_of_factors, sum_of_terms
from slrsym.checker.term import (
    BINDERS,
    RELATIONS,
    Term,
    canonical_key,
    definedness_equation,
    num,
    substitute,
)
from slrsym.prover.rules.context import Context
from slrsym.prover.tactics.arithmetic import RewrittenFormula, prove_by_arithmetic, prove_in_context
from slrsym.prover.tactics.calculus import MeanValueTheoremProver
from slrsym.prover.tactics.emission import FAILURES, ProofEmitter
from slrsym.prover.tactics.registration import register_prover
from slrsym.prover.tactics.subterm_paths import paths_to_subterm, subterms

# The variables of identities.
T, X, Z = (("s", name, "R") for name in "txz")
MINUS = num(-1)
# The largest number of basic angles in an angle.
_MOST_ANGLES = 8
# Nested maxima are replaced one by one, in at most so many rounds.
_MOST_ROUNDS = 5
# The length of a formula, in characters, beyond which functions in it are not replaced.
_LONGEST = 100_000


def _function(name: str, u: Term) -> Term:
    return ("f", name, u)


_cos, _exp, _log, _sin = (partial(_function, name) for name in ("cos", "exp", "log", "sin"))
_cosh, _sinh, _tanh = (partial(_function, name) for name in ("cosh", "sinh", "tanh"))


def _plus(*parts: Term) -> Term:
    return sum_of_terms(list(parts))


# -- the identities -------------------------------------------------------------------------------


def prove_constant(emitter: ProofEmitter, f: Term) -> Inference:
    """Prove that a function of t whose derivative vanishes equals its value at 0."""
    f_z = substitute(f, {T: Z})
    slope = prove_by_arithmetic(emitter, ("=", ("d", (1,), (Z,), (f_z,), (Z,)), ZERO), ())
    nothing = Context((), emitter.find)
    between, goal = MeanValueTheoremProver(emitter, nothing, Z), ("=", f, substitute(f, {T: ZERO}))

    def show(low: Term, high: Term) -> Inference:
        line = between.compare_ends(slope, low, high)
        return prove_by_arithmetic(emitter, goal, [("<=", low, high)], [line])

    return between.prove_for_both_orders(ZERO, T, show)


def _prove_pythagoras(emitter: ProofEmitter) -> Inference:
    """Prove sin(t)^2 + cos(t)^2 = 1."""
    total = _plus(("^", 2, 1, _sin(T)), ("^", 2, 1, _cos(T)))
    return prove_by_arithmetic(emitter, ("=", total, ONE), (), [prove_constant(emitter, total)])


def _prove_addition_theorem(emitter: ProofEmitter, name: str) -> Inference:
    """Prove the addition theorem of sine or cosine, for the angles t and x."""
    sin, cos = _sin(T), _cos(T)
    sin_x, cos_x = _sin(X), _cos(X)
    sin_both, cos_both = _sin(_plus(T, X)), _cos(_plus(T, X))
    # The vector (cos(t + x), sin(t + x)), rotated back by t, does not depend on t.
    lines = [
        prove_constant(
            emitter,
            _plus(product_of_factors(sin_both, cos), product_of_factors(MINUS, cos_both, sin)),
        ),
        prove_constant(
            emitter, _plus(product_of_factors(cos_both, cos), product_of_factors(sin_both, sin))
        ),
        _cached_identity(emitter, "pythagoras"),
    ]
    if name == "sin":
        goal = (
            "=",
            sin_both,
            _plus(product_of_factors(sin, cos_x), product_of_factors(cos, sin_x)),
        )
    else:
        goal = (
            "=",
            cos_both,
            _plus(product_of_factors(cos, cos_x), product_of_factors(MINUS, sin, sin_x)),
        )
    return prove_by_arithmetic(emitter, goal, (), lines)


def _prove_hyperbolic_identity(emitter: ProofEmitter, name: str) -> Inference:
    """Prove that a hyperbolic function of t equals its expression in exponentials."""
    exp, inverse = _exp(T), _exp(product_of_factors(MINUS, T))
    if name == "tanh":
        one, tanh = _exp(product_of_factors(num(2), T)), _tanh(T)
        ratio = product_of_factors(
            _plus(ONE, tanh), ("^", -1, 1, _plus(ONE, product_of_factors(MINUS, tanh)))
        )
        line = prove_constant(
            emitter, product_of_factors(ratio, _exp(product_of_factors(num(-2), T)))
        )
        value = product_of_factors(_plus(one, MINUS), ("^", -1, 1, _plus(one, ONE)))
        return prove_by_arithmetic(emitter, ("=", tanh, value), (), [line])
    sinh, cosh = _sinh(T), _cosh(T)
    lines = [
        prove_constant(emitter, product_of_factors(_plus(sinh, cosh), inverse)),
        prove_constant(
            emitter, product_of_factors(_plus(cosh, product_of_factors(MINUS, sinh)), exp)
        ),
    ]
    sign = MINUS if name == "sinh" else ONE
    value = _plus(product_of_factors(num(1, 2), exp), product_of_factors(num(1, 2), sign, inverse))
    return prove_by_arithmetic(emitter, ("=", ("f", name, T), value), (), lines)


def _prove_sign_of_log(emitter: ProofEmitter, kind: str, is_above: bool) -> Inference:
    """Prove the sign of log(t) from a comparison of t with 1."""
    rising = ("d", (1,), (Z,), (_log(Z),), (Z,))
    here = ("<", ZERO, Z)
    slope = prove_by_arithmetic(emitter, (kind, ZERO, rising), [here])
    low, high = (ONE, T) if is_above else (T, ONE)
    between = MeanValueTheoremProver(emitter, Context((), emitter.find), Z)
    between.given = [("<", ZERO, low)]
    line = between.compare_ends(slope, low, high)
    goal = (kind, ZERO, _log(T)) if is_above else (kind, _log(T), ZERO)
    return prove_by_arithmetic(emitter, goal, [("<", ZERO, T), (kind, low, high)], [line])


_IDENTITIES: dict[str, Callable[[ProofEmitter], Inference]] = {
    "pythagoras": _prove_pythagoras,
    **{name: partial(_prove_addition_theorem, name=name) for name in ("sin", "cos")},
    **{name: partial(_prove_hyperbolic_identity, name=name) for name in ("sinh", "cosh", "tanh")},
}


def _cached_identity(emitter: ProofEmitter, name: str) -> Inference:
    """Return the identity of a given name, proved on the first call."""
    return emitter.derive_once(f"identity {name}", partial(_IDENTITIES[name], emitter))


def _instantiate(emitter: ProofEmitter, line: Inference, values: dict[Term, Term]) -> Inference:
    """Instantiate an identity at terms that are defined without hypotheses."""
    values = {s: v for s, v in values.items() if s != v}
    if not values:
        return line
    line = emitter.script.add("instance", [line], tuple(values.items()))
    exist = [prove_by_arithmetic(emitter, definedness_equation(v), ()) for v in values.values()]
    return emitter.discharge_by(line, exist)


# -- angles ---------------------------------------------------------------------------------------


def _summands_of_angle(t: Term) -> Iterator[tuple[Fraction, Term]]:
    """Yield the summands of an angle, each as a rational multiple of a term."""
    if t[0] == "+":
        for part in t[1:]:
            yield from _summands_of_angle(part)
        return
    factors = t[1:] if t[0] == "*" else (t,)
    numbers = [Fraction(f[1], f[2]) for f in factors if f[0] == "n"]
    yield (
        math.prod(numbers, start=Fraction(1)),
        product_of_factors(*(f for f in factors if f[0] != "n")),
    )


class _AngleExpansion:
    """Expansion of sines and cosines of sums of a few basic angles."""

    def __init__(self, emitter: ProofEmitter, angles: Sequence[Term]) -> None:
        self.emitter = emitter
        self.units: dict[str, Fraction] = {}
        for c, rest in (pair for u in angles for pair in _summands_of_angle(u)):
            unit = self.units.get(canonical_key(rest), Fraction(0))
            common = math.lcm(unit.denominator, c.denominator)
            whole = math.gcd(int(unit * common), int(c * common))
            self.units[canonical_key(rest)] = Fraction(whole, common)

    def parts(self, angle: Term) -> list[Term]:
        """Return the basic angles, with repetition, whose sum is a given angle."""
        found: list[Term] = []
        for c, rest in _summands_of_angle(angle):
            unit = self.units[canonical_key(rest)]
            count = int(c / unit) if unit else 0
            unit = -unit if count < 0 else unit
            part = product_of_factors(num(unit.numerator, unit.denominator), rest)
            found += [part] * abs(count)
        return found

    def expand(self, t: Term) -> Inference:
        """Expand sin(u) or cos(u), u a sum of 2 to 8 basic angles, repeated or not; else refuse."""
        parts = self.parts(t[2])
        if not 2 <= len(parts) <= _MOST_ANGLES:
            raise Rejected("no sum of a few angles")
        line = self._expand_sum(t[1], parts)
        return prove_by_arithmetic(self.emitter, ("=", t, line.theorem.conclusion[2]), (), [line])

    def _expand_sum(self, name: str, parts: Sequence[Term]) -> Inference:
        """Expand the sine or cosine of a sum of angles, one angle after the other."""
        first, *others = parts
        rest = _plus(*others)
        line = _instantiate(self.emitter, _cached_identity(self.emitter, name), {T: first, X: rest})
        for inner in ("sin", "cos") if len(others) > 1 else ():
            equation = self._expand_sum(inner, others)
            _, _, right = line.theorem.conclusion
            paths = [(2, *path) for path in paths_to_subterm(right, ("f", inner, rest))]
            line = self.emitter.rewrite(line, equation, paths)
        return line


# -- statements -----------------------------------------------------------------------------------


def function_calls(t: Term, names: tuple[str, ...], deep: bool = True) -> dict[str, Term]:
    """Return the calls of some functions in a term by key, if deep also those inside binders."""
    found = (s for s in subterms(t, deep, inner_first=True) if s[0] == "f" and s[1] in names)
    return {canonical_key(s): s for s in found}


def _applicable_identities(emitter: ProofEmitter, work: RewrittenFormula) -> Iterator[Inference]:
    """Yield identities of trigonometric and hyperbolic functions and maxima for a formula.

    The formula is rewritten meanwhile: a call around one with an identity is not there any more.
    """
    p = work.formula
    circular = function_calls(p, ("sin", "cos"))
    angles = _AngleExpansion(emitter, [t[2] for t in circular.values()])
    for t in (*function_calls(p, ("sinh", "cosh", "tanh", "max")).values(), *circular.values()):
        if not paths_to_subterm(work.formula, t, work.through):
            continue
        if t[1] in ("sin", "cos"):
            way = partial(angles.expand, t)
        elif t[1] == "max":
            way = partial(_prove_maximum_identity, emitter, t)
        else:
            way = partial(_instantiate, emitter, _cached_identity(emitter, t[1]), {T: t[2]})
        with suppress(*FAILURES):
            yield emitter.run_and_undo_on_failure(way)


def _prove_maximum_identity(emitter: ProofEmitter, t: Term) -> Inference:
    """Express the maximum of two terms by their sum and the absolute value of their difference."""
    line = emitter.script.add("maximum", (), *t[2:])
    exist = [prove_by_arithmetic(emitter, definedness_equation(v), ()) for v in t[2:]]
    return emitter.infer_by_logic([line, *exist], (), line.theorem.conclusion[1])


def _proofs_about_log(
    emitter: ProofEmitter,
    u: Term,
    given: Sequence[Term],
    context: Context,
    lines: Sequence[Inference],
) -> Iterator[Callable[[], Inference]]:
    """Yield methods to prove the sign of log(u) and its bounds by tangents at 1."""

    def sign(kind: str, is_above: bool) -> Inference:
        name = f"sign of log {kind} {is_above}"
        line = emitter.derive_once(name, partial(_prove_sign_of_log, emitter, kind, is_above))
        line = emitter.script.add("instance", [line], ((T, u),))
        return _discharge_by_arithmetic(emitter, line, given, lines)

    def tangent(of: Term) -> Inference:
        bend = ("d", (2,), (Z,), (of,), (("s", "z", "R>0"),))
        said = ("<=", bend, ZERO) if of == _log(Z) else ("<=", ZERO, bend)
        line = emitter.script.add("tangent", [prove_by_arithmetic(emitter, said, ())], ONE, u)
        return _discharge_by_arithmetic(emitter, line, given, lines)

    for kind, is_above in itertools.product(("<", "<="), (True, False)):
        yield partial(sign, kind, is_above)
    for of in (_log(Z), product_of_factors(Z, _log(Z))):
        yield partial(tangent, of)


def _discharge_by_arithmetic(
    emitter: ProofEmitter, line: Inference, given: Sequence[Term], lines: Sequence[Inference]
) -> Inference:
    """Discharge the hypotheses of a theorem by arithmetic."""
    proofs = [
        prove_by_arithmetic(emitter, h, given, lines) for h in line.theorem.hypotheses.values()
    ]
    return emitter.discharge_by(line, proofs)


def _theorems_on_calls(
    emitter: ProofEmitter,
    p: Term,
    given: Sequence[Term],
    context: Context,
    lines: Sequence[Inference],
) -> Iterator[Inference]:
    """Yield theorems on the sines, cosines and logarithms in a formula, outside all binders."""
    angles = {
        canonical_key(t[2]): t[2] for t in function_calls(p, ("sin", "cos"), deep=False).values()
    }
    for u in angles.values():
        with suppress(*FAILURES):
            yield emitter.run_and_undo_on_failure(
                _instantiate, emitter, _cached_identity(emitter, "pythagoras"), {T: u}
            )
    for t in function_calls(p, ("log",), deep=False).values():
        for way in _proofs_about_log(emitter, t[2], given, context, lines):
            with suppress(*FAILURES):
                yield emitter.run_and_undo_on_failure(way)


def prove_by_identities(
    emitter: ProofEmitter,
    p: Term,
    given: Sequence[Term],
    context: Context,
    lines: Sequence[Inference] = (),
) -> Inference:
    """Prove a relation after rewriting function values by identities."""
    if p[0] not in RELATIONS:
        raise Rejected("no relation")
    work = RewrittenFormula(emitter, p, through=BINDERS)
    for _ in range(_MOST_ROUNDS):
        before = work.formula
        for line in _applicable_identities(emitter, work):
            work.apply(line)
            if len(canonical_key(work.formula)) > _LONGEST:
                raise Rejected("the formula is too long with the identities of its functions")
        if work.formula == before:
            break
    facts = list(_theorems_on_calls(emitter, work.formula, given, context, lines))
    if not work.steps and not facts:
        raise Rejected("no identities")
    shown = prove_in_context(emitter, work.formula, context, [*lines, *facts], given)
    return work.prove_original(shown)


# Provers without identities are tried first.
register_prover(6, prove_by_identities)

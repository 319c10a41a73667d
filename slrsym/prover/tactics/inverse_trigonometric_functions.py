"""Equations of inverse trigonometric functions, proved by derivatives and a value at one point."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from slrsym.checker import Inference, Rejected
from slrsym.checker.expectations import ZERO
from slrsym.checker.term import Term, canonical_key, free_symbols, fresh_symbol, num, substitute
from slrsym.prover.rules.context import Context
from slrsym.prover.tactics.arithmetic import prove_by_arithmetic, prove_in_context
from slrsym.prover.tactics.calculus import MeanValueTheoremProver
from slrsym.prover.tactics.elementary_function_identities import function_calls
from slrsym.prover.tactics.emission import FAILURES, ProofEmitter
from slrsym.prover.tactics.numerical_values import are_values_close, value_at_pseudorandom_point
from slrsym.prover.tactics.registration import register_prover
from slrsym.prover.tactics.subterm_paths import paths_to_symbol

# Points at which values of the functions are known, where two functions may be compared.
_ROOT_OF_HALF: Term = ("^", -1, 2, num(2))
_ROOTS: tuple[Term, ...] = (_ROOT_OF_HALF, ("*", num(1, 2), ("^", 1, 2, num(3))))
_POINTS: tuple[Term, ...] = (
    ZERO, num(1), num(-1), num(1, 2), num(-1, 2), _ROOT_OF_HALF, ("*", num(-1), _ROOT_OF_HALF),
)  # fmt: skip
_T: Term = ("s", "t", "R")


def _prove_angles_equal(
    emitter: ProofEmitter, p: Term, given: Sequence[Term], context: Context,
    lines: Sequence[Inference] = (),
) -> Inference:  # fmt: skip
    """Prove an equation of inverse sines and tangents from the derivatives of both sides."""
    calls = function_calls(p, ("asin", "atan"), deep=False)
    if p[0] != "=" or not calls:
        raise Rejected("no equation of inverse sines or tangents")
    names = dict.fromkeys(
        x for t in calls.values() for x in sorted(free_symbols(t)) if x[0] == "s" and x[2][0] == "R"
    )
    ways = [
        way for x in names for way in _ways_in_variable(emitter, p, tuple(given), context, x, lines)
    ]
    return emitter.try_in_turn(ways, "both sides are no functions of a real variable")


def _ways_in_variable(
    emitter: ProofEmitter, p: Term, given: tuple[Term, ...], context: Context, x: Term,
    lines: Sequence[Inference],
) -> Iterator[Callable[[], Inference]]:  # fmt: skip
    """Yield methods to prove an equation by its derivative in a variable, from different points."""
    for point in _POINTS:
        yield partial(_prove_from_point, emitter, p, given, context, x, point)
    ends = [h for h in given if h[0] == "<=" and x in h[1:] and any(t[0] == "n" for t in h[1:])]
    if ends:
        yield partial(_prove_apart_from_end, emitter, p, given, context, x, ends[0], lines)


def _prove_from_point(
    emitter: ProofEmitter, p: Term, given: tuple[Term, ...], context: Context, x: Term, point: Term
) -> Inference:
    """Prove an equation of functions of x from their values at a point, and their derivatives."""
    # The point need not satisfy the hypotheses on x, as long as both sides have values there.
    apart = [h for h in given if x not in free_symbols(h)]
    value = _prove_value(emitter, substitute(p, {x: point}), apart)
    z = fresh_symbol(("s", "z", "R"), [x, *free_symbols(("and", p, *given, p))])
    slopes = [("d", (1,), (z,), (substitute(side, {x: z}),), (z,)) for side in p[1:]]
    between = MeanValueTheoremProver(emitter, Context((), emitter.find), z)
    between.given = list(given)

    def show(low: Term, high: Term) -> Inference:
        here = [("<=", low, high), ("<=", low, z), ("<=", z, high)]
        slope = prove_by_arithmetic(emitter, ("=", *slopes), [*given, *here])
        line = between.compare_ends(slope, low, high)
        return prove_by_arithmetic(emitter, p, [*given, here[0]], [line, value])

    # On the side of the point where no value is allowed, the hypotheses exclude each other.
    return between.prove_for_both_orders(point, x, show)


def _prove_value(emitter: ProofEmitter, p: Term, given: Sequence[Term]) -> Inference:
    """Prove an equation of values, if necessary with those of the inverse sine at two roots."""
    try:
        return emitter.run_and_undo_on_failure(prove_by_arithmetic, emitter, p, given)
    except FAILURES:
        calls = function_calls(p, ("asin",), deep=False).values()
        values = [value for value in _ROOTS if any(_is_value(t[2], value) for t in calls)]
        if not values:
            raise
        lines = [
            emitter.derive_once(f"asin at {value}", partial(_prove_value_at_root, emitter, value))
            for value in values
        ]
        return prove_by_arithmetic(emitter, p, given, lines)


def _is_value(t: Term, value: Term) -> bool:
    x, y = value_at_pseudorandom_point(t), value_at_pseudorandom_point(value)
    return not free_symbols(t) and (are_values_close(x, y) or are_values_close(x, y and -y))


def _prove_value_at_root(emitter: ProofEmitter, value: Term) -> Inference:
    """Prove a value of the inverse sine, from asin(1 - 2*t**2) + 2*asin(t) = pi/2 for 0 < t < 1."""
    line = emitter.derive_once("asin of doubled angle", partial(_prove_doubled_angle, emitter))
    line = emitter.script.add("instance", [line], ((_T, value),))
    proofs = [prove_by_arithmetic(emitter, h, ()) for h in line.theorem.hypotheses.values()]
    return emitter.discharge_by(line, proofs)


def _prove_doubled_angle(emitter: ProofEmitter) -> Inference:
    """Prove asin(1 - 2*t**2) + 2*asin(t) = pi/2 for 0 < t < 1."""
    double = ("+", num(1), ("*", num(-2), ("^", 2, 1, _T)))
    total = ("+", ("f", "asin", double), ("*", num(2), ("f", "asin", _T)))
    p = ("=", total, ("*", num(1, 2), ("pi",)))
    given = (("<", ZERO, _T), ("<", _T, num(1)))
    return _prove_from_point(emitter, p, given, Context((), emitter.find), _T, num(1, 2))


def _prove_apart_from_end(
    emitter: ProofEmitter, p: Term, given: tuple[Term, ...], context: Context, x: Term, end: Term,
    lines: Sequence[Inference],
) -> Inference:  # fmt: skip
    """Prove an equation at the end of an interval and, with a strict inequality, inside of it."""
    _, low, high = end
    value = high if low == x else low
    others = tuple(h for h in given if canonical_key(h) != canonical_key(end))
    inside = _prove_angles_equal(emitter, p, (*others, ("<", low, high)), context, lines)
    exact = substitute(p, {x: value})
    apart = [h for h in others if x not in free_symbols(h)]
    line = prove_in_context(emitter, exact, Context((), emitter.find), (), apart)
    equation = emitter.script.add("assume", (), ("=", x, value))
    at_end = emitter.rewrite(line, equation, paths_to_symbol(p, x))
    order = emitter.script.add("order", (), low, high)
    return emitter.infer_by_logic([inside, at_end, order], given, p)


# After what is proved without it.
register_prover(9, _prove_angles_equal)

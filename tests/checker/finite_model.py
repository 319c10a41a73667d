"""A finite model of terms: values in exact fractions, with small finite laws for Gaussian ones.

Normal forms know of a term that binds variables only that it is defined, and that it is equal to
what differs from it in names. So every value that depends on the values of its parts alone is a
model: a law stands for a few points with weights, an integral for a rule of three points.
Functions of the table stand for rational ones with the same parity, bounds and signs. Derivatives
are those of polynomials, found by interpolation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import pairwise, product
from math import isqrt
from typing import Any

from slrsym.checker.term import (
    Term,
    binder_bodies,
    bound_variables,
    free_symbols,
    is_bound_place,
    parts_outside_binder,
    places_and_subterms,
)

Q = Fraction
Env = Mapping[Term, Fraction]
PI = Q(3141593, 1_000_000)


class Undefined(Exception):  # noqa: N818
    """A term has no value."""


class Unknown(Exception):  # noqa: N818
    """The model does not say whether a term has a value, or which."""


# Of unknown functions, by their sorts: the coefficients of polynomials with values of this sort.
_POLYNOMIALS = {
    "": (Q(1, 7), Q(1, 2), Q(-1), Q(1, 3)), ">0": (Q(1), Q(1), Q(1)), "<0": (Q(-1), Q(1, 2), Q(-2)),
    ">=0": (Q(0), Q(0), Q(1)), "<=0": (Q(0), Q(0), Q(-3)), "!=0": (Q(2), Q(-1), Q(1, 2)),
}  # fmt: skip


def _bounded(x: Fraction) -> Fraction:
    return x / (1 + abs(x))


def _exp(x: Fraction) -> Fraction:
    if x.denominator != 1 or abs(x) > 200:
        raise Unknown
    return Q(2) ** int(x)


def _log(x: Fraction) -> Fraction:
    if x <= 0:
        raise Undefined
    if x != 1:
        raise Unknown
    return Q(0)


def _asin(x: Fraction) -> Fraction:
    if abs(x) > 1:
        raise Undefined
    return PI / 2 * x / (2 - abs(x))


_TABLE: dict[str, Any] = {
    "abs": abs, "sign": lambda x: Q((x > 0) - (x < 0)), "max": max,
    "erf": _bounded, "tanh": _bounded, "atan": lambda x: PI / 2 * _bounded(x), "asin": _asin,
    "sin": lambda x: x / (1 + x * x), "cos": lambda x: 1 / (1 + x * x),
    "sinh": lambda x: 2 * x, "cosh": lambda x: 1 + x * x, "exp": _exp, "log": _log,
    "zeta": lambda a, b: _bounded(a * a + b * b), "owens": lambda h, a: _bounded(a) / (1 + h * h),
}  # fmt: skip


def value(t: Term, env: Env) -> Fraction:
    """Return the value of a term, or raise `Undefined` or `Unknown`."""
    head = t[0]
    if head == "n":
        return Q(t[1], t[2])
    if head == "s":
        return env[t]
    if head == "pi":
        return PI
    if head in ("+", "*"):
        out = Q(head == "*")
        for part in t[1:]:
            out = out + value(part, env) if head == "+" else out * value(part, env)
        return out
    if head == "^":
        return _power(value(t[3], env), t[1], t[2])
    if head == "f":
        if t[1] not in _TABLE:
            raise Unknown
        return Q(_TABLE[t[1]](*(value(a, env) for a in t[2:])))
    if head == "u":
        return _unknown_function(t, [value(a, env) for a in t[4:]])
    if head == "ix":
        return _sequence(t, [value(a, env) for a in t[3:]])
    return _BOUND[head](t, env)


def _power(base: Fraction, p: int, q: int) -> Fraction:
    if q > 1:
        if base < 0:
            raise Undefined
        if q > 2 and max(base.numerator, base.denominator) > 10**12:
            raise Unknown
        roots = [
            round(n ** (1 / q)) if q > 2 else isqrt(n) for n in (base.numerator, base.denominator)
        ]
        if [r**q for r in roots] != [base.numerator, base.denominator]:
            raise Unknown
        base = Q(*roots)
    if p < 0 and base == 0:
        raise Undefined
    if abs(p) * (base.numerator.bit_length() + base.denominator.bit_length()) > 20_000:
        raise Unknown
    return base**p


def _unknown_function(t: Term, at: Sequence[Fraction]) -> Fraction:
    """Return a product of polynomials, one for each argument, differentiated as the orders say."""
    if t[2][0] != "R":
        raise Unknown
    out = Q(1)
    for k, (order, x) in enumerate(zip(t[3], at, strict=True)):
        # The first argument has the sign; the others change the size.
        c = list(_POLYNOMIALS[t[2][1:]] if k == 0 else (Q(1 + k), Q(0), Q(len(t[1]))))
        for _ in range(order):
            c = [n * a for n, a in enumerate(c)][1:]
        out *= sum((a * x**n for n, a in enumerate(c)), Q(0))
    return out


def _sequence(t: Term, at: Sequence[Fraction]) -> Fraction:
    if any(k.denominator != 1 for k in at):
        raise Undefined
    k = sum(((n + 1) * x for n, x in enumerate(at)), Q(0))
    base = {
        "": k * k - k - 1,
        ">0": k * k + 1,
        "<0": -k * k - 2,
        ">=0": (k - 1) ** 2,
        "<=0": -k * k,
        "!=0": 2 * k + 1,
    }[t[2][1:]]
    return base / (3 if t[2][0] == "R" else 1)


# -- terms that bind variables --------------------------------------------------------------------


def _sum(t: Term, env: Env) -> Fraction:
    ((i,), (body,), ends) = t[1:]
    low, high = (value(e, env) for e in ends)
    if low.denominator != 1 or high.denominator != 1 or high < low - 1:
        raise Undefined
    if high - low > 12:
        raise Unknown
    return sum((value(body, {**env, i: Q(k)}) for k in range(int(low), int(high) + 1)), Q(0))


def _integral(t: Term, env: Env) -> Fraction:
    """Simpson's rule; an infinite end is a point far out."""
    ((x,), (body,), ends) = t[1:]
    low, high = (Q(9) if e == ("oo",) else Q(-8) if e == ("-oo",) else value(e, env) for e in ends)
    points = ((low, 1), ((low + high) / 2, 4), (high, 1))
    return (high - low) / 6 * sum((w * value(body, {**env, x: p}) for p, w in points), Q(0))


def _points(law: Term, env: Env) -> list[tuple[tuple[Fraction, ...], Fraction]]:
    """Return the points of a law with their weights, which its entries alone determine."""
    if law[0] == "noise":
        v = value(law[1], env)
        return [((-v,), Q(1, 2)), ((v,), Q(1, 4)), ((v + 1,), Q(1, 4))]
    n, entries = law[1], [value(e, env) for e in law[2:]]
    means, rows = entries[:n], [entries[n + n * i : 2 * n + n * i] for i in range(n)]
    first = tuple(m + row[0] for m, row in zip(means, rows, strict=True))
    second = tuple(m - row[-1] - k for k, (m, row) in enumerate(zip(means, rows, strict=True)))
    return [(first, Q(1, 3)), (second, Q(2, 3))]


def _mean(t: Term, laws: Sequence[Term], env: Env) -> Fraction:
    total = Q(0)
    for chosen in product(*(_points(law, env) for law in laws)):
        weight, at = Q(1), []
        for point, w in chosen:
            weight, at = weight * w, [*at, *point]
        total += weight * value(
            binder_bodies(t)[0], {**env, **dict(zip(bound_variables(t), at, strict=True))}
        )
    return total


def _expectation(t: Term, env: Env) -> Fraction:
    return _mean(t, parts_outside_binder(t), env)


def _copies(t: Term, env: Env) -> Fraction:
    count, *laws = parts_outside_binder(t)
    n = value(count, env)
    return n * _mean(t, laws, env) + n * n / 7


def _derivative(t: Term, env: Env) -> Fraction:
    """Differentiate a polynomial, in the last variable first, which is the same."""
    orders, names, (body,), points = t[1:]
    at = [value(p, env) for p in points]
    if len(names) > 1:
        inner = ("d", orders[1:], names[1:], (body,), names[1:])
        degree = _degree(body, names[0])
        env = {**env, **dict(zip(names[1:], at[1:], strict=True))}
        values = [value(inner, {**env, names[0]: Q(k)}) for k in range(degree + 1)]
    else:
        degree = _degree(body, names[0])
        # Outside of the body, its variables mean something else.
        values = [value(body, {**env, names[0]: Q(k)}) for k in range(degree + 1)]
        value(body, {**env, names[0]: at[0]})
    return _differentiated(_interpolated(values), orders[0], at[0])


def _degree(t: Term, x: Term) -> int:
    """Return a bound of the degree of a polynomial; `Unknown` if it may be none."""
    if x not in free_symbols(t):
        return 0
    if t == x:
        return 1
    if t[0] in ("+", "*"):
        degrees = [_degree(p, x) for p in t[1:]]
        found = max(degrees) if t[0] == "+" else sum(degrees)
    elif t[0] == "^" and t[1] > 0 and t[2] == 1:
        found = t[1] * _degree(t[3], x)
    elif t[0] == "u" and len(t) < 7:
        found = 3 * sum(_degree(a, x) for a in t[4:])
    elif t[0] in ("sum", "d") and not any(x in free_symbols(e) for e in parts_outside_binder(t)):
        found = _degree(binder_bodies(t)[0], x)
    else:
        raise Unknown
    if found > 12:
        raise Unknown
    return found


def _interpolated(values: Sequence[Fraction]) -> list[Fraction]:
    """Return the coefficients of the polynomial with these values at 0, 1, 2 and so on."""
    found, basis, differences = [Q(0)] * len(values), [Q(1)], list(values)
    for k in range(len(values)):
        for n, c in enumerate(basis):
            found[n] += differences[0] * c
        differences = [b - a for a, b in pairwise(differences)]
        basis = [(a - k * b) / (k + 1) for a, b in zip([Q(0), *basis], [*basis, Q(0)], strict=True)]
    return found


def _differentiated(c: list[Fraction], order: int, x: Fraction) -> Fraction:
    for _ in range(order):
        c = [n * a for n, a in enumerate(c)][1:]
    return sum((a * x**n for n, a in enumerate(c)), Q(0))


_BOUND: dict[str, Any] = {
    "sum": _sum, "int": _integral, "E": _expectation, "copies": _copies, "d": _derivative,
}  # fmt: skip


def outermost(t: Term) -> list[Term]:
    """Return the terms in a term that bind variables, and are not inside of others."""
    found = [t] if t[0] in _BOUND else []
    return found + [
        b for i, p in places_and_subterms(t) if not is_bound_place(t, i) for b in outermost(p)
    ]


def holds(p: Term, env: Env) -> bool:
    """Decide whether a relation holds; false if a side is undefined."""
    try:
        a, b = (value(t, env) for t in p[1:])
    except Undefined:
        return False
    return {"=": a == b, "!=": a != b, "<": a < b, "<=": a <= b}[p[0]]

"""Values of terms without symbols, in floating point of many digits."""

from __future__ import annotations

from typing import Any

from mpmath import mp, mpf, quad

from slrsym.checker.term import Term

_FUNCTIONS = {
    "exp": mp.exp, "log": mp.log, "erf": mp.erf, "asin": mp.asin, "atan": mp.atan, "sin": mp.sin,
    "cos": mp.cos, "sinh": mp.sinh, "cosh": mp.cosh, "tanh": mp.tanh, "abs": abs,
}  # fmt: skip
_FAILURES = (TypeError, ValueError, ZeroDivisionError, OverflowError, KeyError)


def value(t: Term) -> Any:
    """Return the value of a term; some exception if it has none."""
    if t[0] == "n":
        return mpf(t[1]) / t[2]
    if t[0] == "pi":
        return +mp.pi
    if t[0] in ("+", "*"):
        out = mpf(0 if t[0] == "+" else 1)
        for part in t[1:]:
            out = out + value(part) if t[0] == "+" else out * value(part)
        return out
    if t[0] == "^":
        base = value(t[3])
        return base ** t[1] if t[2] == 1 else _real(mp.root(base, t[2])) ** t[1]
    if t[:2] == ("f", "owens"):
        h, a = map(value, t[2:])
        return quad(lambda v: mp.exp(-h * h * (1 + v * v) / 2) / (1 + v * v), [0, a]) / (2 * mp.pi)
    if t[0] != "f":
        raise ValueError(t[0])
    return _real(_FUNCTIONS[t[1]](value(t[2])))


def _real(x: Any) -> Any:
    if not isinstance(x, mpf):
        raise ValueError("not real")
    return x


def rough(t: Term) -> float:
    """Return roughly the value of a term; 0 if there is none."""
    try:
        with mp.workdps(12):
            return float(value(t))
    except _FAILURES:
        return 0.0


def holds(p: Term) -> bool:
    """Decide whether a relation of numbers holds, and clearly so."""
    try:
        with mp.workdps(60):
            a, b = map(value, p[1:])
            near = abs(a - b) <= mpf(10) ** -40 * (1 + abs(a) + abs(b))
            return not near and (a != b if p[0] == "!=" else bool(a < b))
    except _FAILURES:
        return False

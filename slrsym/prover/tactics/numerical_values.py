"""Numerical values of terms at a fixed point, to rule out equality before a proof is sought."""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Sequence
from functools import lru_cache

from scipy.special import owens_t

from slrsym.checker.term import Term, canonical_key, places_and_subterms


def are_surely_different(a: Term, b: Term) -> bool:
    """Return whether two terms certainly differ, by comparing numerical values."""
    x, y = value_at_pseudorandom_point(a), value_at_pseudorandom_point(b)
    return x is not None and y is not None and not are_values_close(x, y)


def are_values_close(x: float | None, y: float | None) -> bool:
    """Return whether two values exist and agree to nine digits."""
    return x is not None and y is not None and math.isclose(x, y, rel_tol=1e-9)


def value_with_unknown_functions(t: Term) -> float | None:
    """Evaluate a term, with pseudorandom functions for unknown functions and sequences, too.

    A term that hypotheses on these functions make equal to another may have another value.
    """
    return value_at_pseudorandom_point(t, True)


def _value_of_unknown(t: Term, arguments: Sequence[float]) -> float:
    """Return the value of a pseudorandom function, the same for the same name and orders."""
    first = zlib.crc32(str(t[: len(t) - len(arguments)]).encode()) / 2**32
    phase = sum((1.3 + first + 0.7 * i) * x for i, x in enumerate(arguments))
    return 2 + math.sin(6 * first + phase)


@lru_cache(maxsize=2**14)
def value_at_pseudorandom_point(t: Term, with_functions: bool = False) -> float | None:
    """Evaluate a term at pseudorandom values of its symbols; return None if that fails."""
    head, arguments = t[0], [part for _, part in places_and_subterms(t)]
    if head == "s":
        return 0.1 + 0.6 * zlib.crc32(canonical_key(t).encode()) / 2**32
    if head == "n":
        return float(t[1]) / float(t[2])
    values = [value_at_pseudorandom_point(part, with_functions) for part in arguments]
    known = [v for v in values if v is not None]
    if len(known) < len(values):
        return None
    try:
        if head in ("+", "*"):
            return sum(known) if head == "+" else math.prod(known)
        if with_functions and head in ("u", "ix"):
            return _value_of_unknown(t, known)
        if head == "^":
            return math.pow(known[0], t[1] / t[2])
        return _VALUES[t[1]](*known) if head == "f" else _VALUES[head](*known)
    except (KeyError, ArithmeticError, ValueError):
        return None


def _erf_prime(x: float) -> float:
    return 2 / math.sqrt(math.pi) * math.exp(-x * x)


def _zeta(t: float, s: float) -> float:
    h, a = math.sqrt(2) * t / math.sqrt(1 + 2 * s * s), 1 / math.sqrt(1 + 4 * s * s)
    return 1 - 8 * float(owens_t(h, a))


_VALUES: dict[str, Callable[..., float]] = {
    "pi": lambda: math.pi, "exp": math.exp, "log": math.log, "erf": math.erf, "abs": abs,
    "erf_prime": _erf_prime, "erf_second": lambda x: -2 * x * _erf_prime(x), "atan": math.atan,
    "asin": math.asin, "sin": math.sin, "cos": math.cos, "tanh": math.tanh, "max": max,
    "owens": lambda h, a: float(owens_t(h, a)), "zeta": _zeta,
}  # fmt: skip

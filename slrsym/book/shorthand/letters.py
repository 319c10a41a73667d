"""The letters that abbreviate, as symbols of their own."""

from __future__ import annotations

from sympy import Function, Symbol

__all__ = ["DRIFT", "MEAN", "RISK", "RISK_CLOSED", "RISK_ON_M", "SMALL_A", "SPREAD", "A", "B"]

# The spread of a score, and its mean.
SPREAD = Symbol("s", positive=True)
MEAN = Symbol("t", real=True)
SMALL_A = Symbol("a", real=True)
A = Symbol("A", positive=True)
B = Symbol("B", positive=True)
# Drawn as a root, and read as one.
DRIFT = Symbol("sqrt(d/2)", positive=True)

# Names that no one would give to a function.
RISK = Function("R(6)", real=True)
RISK_ON_M = Function("R<", real=True)
RISK_CLOSED = Function("R^", real=True)

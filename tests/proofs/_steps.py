"""Statements as they stand, and proofs whose steps are asked one by one."""

from __future__ import annotations

from typing import Any

from sympy import Eq

from slrsym.proofs.context import Context


def eq(left: Any, right: Any) -> Eq:
    return Eq(left, right, evaluate=False)


def check(proof: Any, *given: Any) -> None:
    """Refused, unless the rule of every step accepts it."""
    for step in proof.steps(Context(given)):
        step.check()

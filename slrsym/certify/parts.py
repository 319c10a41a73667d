"""Of what statements consist: functions, domains, and what is to be shown of them there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flint import ctx

from slrsym.certify.boxes import Box
from slrsym.certify.fields import Between, Field, Functions
from slrsym.certify.numbers import Range

__all__ = ["Kind", "Part", "no_facts"]


@dataclass(frozen=True)
class Part:
    """One thing to be shown."""

    name: str
    field: Field
    domain: Box
    zeros: bool = False
    labels: tuple[str, ...] = ()
    bounds: tuple[tuple[Any, Any], ...] = ()

    def bind(self, parameters: Mapping[str, Range], digits: int) -> Functions:
        """What is to be positive, or zero, for a box of parameters."""
        with ctx.workdps(digits):
            balls = {name: x.ball() for name, x in parameters.items()}
        bound = self.field.bind(balls, digits)
        return Between(bound, self.bounds) if self.bounds else bound


@dataclass(frozen=True)
class Kind:
    """A kind of certificate."""

    statement: str
    parts: Callable[[Mapping[str, Fraction]], tuple[Part, ...]]
    facts: Callable[[], Mapping[str, bool]]
    names: tuple[str, ...] = ("lam", "gamma", "d")
    numbers: tuple[str, ...] = ()


def no_facts() -> Mapping[str, bool]:
    """What is decided by algebra, where nothing is."""
    return {}

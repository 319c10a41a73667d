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
    """One thing to be shown.

    Attributes
    ----------
    name : str
        What it is called.
    field : Field
        Functions.
    domain : Box
        Over which box.
    zeros : bool
        Whether the zeros of the functions are isolated there; otherwise, that all are positive.
    labels : tuple of str
        What is shown to be positive.
    bounds : tuple of pairs of fmpq or None
        Lower and upper bounds of the functions: it is shown that they stay between; by default,
        above 0.
    """

    name: str
    field: Field
    domain: Box
    zeros: bool = False
    labels: tuple[str, ...] = ()
    bounds: tuple[tuple[Any, Any], ...] = ()

    def bind(self, parameters: Mapping[str, Range], digits: int) -> Functions:
        """What is to be positive, or zero, for a box of parameters.

        Parameters
        ----------
        parameters : mapping of str to Range
        digits : int
            How many decimal digits balls are computed with.

        Returns
        -------
        Functions
        """
        with ctx.workdps(digits):
            balls = {name: x.ball() for name, x in parameters.items()}
        bound = self.field.bind(balls, digits)
        return Between(bound, self.bounds) if self.bounds else bound


@dataclass(frozen=True)
class Kind:
    """A kind of certificate.

    Attributes
    ----------
    statement : str
        What it says, in a sentence.
    parts : callable
        From the numbers that belong to the statement to what is to be shown.
    facts : callable
        From the same numbers to what is decided by algebra: a truth value by name.
    names : tuple of str
        The parameters that it is about.
    numbers : tuple of str
        The numbers that belong to the statement.
    """

    statement: str
    parts: Callable[[Mapping[str, Fraction]], tuple[Part, ...]]
    facts: Callable[[], Mapping[str, bool]]
    names: tuple[str, ...] = ("lam", "gamma", "d")
    numbers: tuple[str, ...] = ()


def no_facts() -> Mapping[str, bool]:
    """What is decided by algebra, where nothing is.

    Returns
    -------
    mapping of str to bool
    """
    return {}

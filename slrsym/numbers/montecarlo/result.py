"""What sampling says of a relation, as data: nothing is sampled here, and little is imported."""

from __future__ import annotations

import math
from dataclasses import dataclass

__all__ = ["CONFIRMING", "NOTICEABLE", "MonteCarlo"]

# A first sample that is further off than NOTICEABLE standard errors is followed by a second,
# independent and sixteen times as large; a statement fails if that is further off than CONFIRMING.
# For normal deviations the probability of both is 4e-11: 1e-8 for three hundred statements. The
# rest of what is allowed, 1e-6, is left for samples whose tails are not yet normal.
NOTICEABLE = 4.0
CONFIRMING = 5.0


@dataclass(frozen=True)
class MonteCarlo:
    """What sampling says of one relation, at one random point of its domain.

    Attributes
    ----------
    statement : str
        The relation.
    point : str
        The point, empty if there are no parameters.
    lhs, rhs : float or None
        Both sides there, each expectation replaced by an average over samples of its law.
    stderr : float or None
        The standard error of their difference.
    z : float or None
        Their difference in standard errors.
    off : float or None
        By how many standard errors the relation fails: the absolute value of z for an equality, and
        z or its negative, or zero if that is less, for an inequality.
    samples : int
        How many, for each expectation.
    tried : int
        At how many points. Those were passed over where single values dominate the spread.
    refusal : str
        Why it was not sampled; empty if it was.
    contradiction : str
        In what way the statement fails; empty if it does not.
    """

    statement: str
    point: str = ""
    lhs: float | None = None
    rhs: float | None = None
    stderr: float | None = None
    z: float | None = None
    off: float | None = None
    samples: int = 0
    tried: int = 0
    refusal: str = ""
    contradiction: str = ""

    def __str__(self) -> str:
        if self.refusal:
            return f"not sampled: {self.refusal}"
        return self.contradiction or self.numbers

    @property
    def numbers(self) -> str:
        """Both sides, the standard error and the deviation, in a line."""
        if self.lhs is None or self.rhs is None or self.stderr is None or self.z is None:
            return ""
        digits = 6 if self.stderr == 0 else _digits(max(abs(self.lhs), abs(self.rhs)), self.stderr)
        where = f" at {self.point}" if self.point else ""
        where += f" ({self.tried - 1} points passed over)" if self.tried > 1 else ""
        # Of an inequality, that is: an equality has no right side.
        side = " on the right side" if self.off == 0 and self.z != 0 else ""
        return (
            f"{self.lhs:.{digits}g} against {self.rhs:.{digits}g}, standard error "
            f"{self.stderr:.2g}, z = {self.z:+.2f}{side}, {self.samples:,} samples{where}"
        )


def _digits(size: float, error: float) -> int:
    """Significant digits that show two of the error."""
    if size == 0:
        return 2
    return max(2, min(12, math.floor(math.log10(size)) - math.floor(math.log10(error)) + 2))

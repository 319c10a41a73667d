"""Evidence that is no proof: what a numerical experiment saw, with counts."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Trials"]

# How many contradictions are told.
_TOLD = 3


@dataclass(frozen=True)
class Trials:
    """What an experiment saw, to be returned by a function that `Claim.tested_by` decorates.

    Parameters
    ----------
    count : int
        How many trials there were.
    domain : str
        Of what, in words: settings and their ranges.
    failures : tuple of str, optional
        Each trial that contradicts the statement.

    Examples
    --------
    >>> print(Trials(2000, "settings with d up to 100"))
    2,000 settings with d up to 100, none against it
    >>> Trials(3, "cubes", ("27 is one",)).problem
    '1 of 3 cubes against it: 27 is one'
    """

    count: int
    domain: str
    failures: tuple[str, ...] = ()

    @property
    def problem(self) -> str:
        """Why the statement is not tested by them; empty if it is."""
        if self.count < 1:
            return f"no trial was made of {self.domain}"
        if not self.failures:
            return ""
        told = "; ".join(self.failures[:_TOLD])
        return f"{len(self.failures):,} of {self.count:,} {self.domain} against it: {told}"

    def __str__(self) -> str:
        return self.problem or f"{self.count:,} {self.domain}, none against it"

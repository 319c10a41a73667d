"""What checking gives: a report for each step, and a verdict that nothing else can make."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from slrsym.claims.trials import Trials
from slrsym.numbers.montecarlo import MonteCarlo
from slrsym.search.text import spoken

__all__ = ["StepReport", "Verdict", "sealed"]


@dataclass(frozen=True)
class StepReport:
    """What checking one step gave.

    Attributes
    ----------
    label, rule : str
        The step.
    said : Basic or str
        What it says; text once the report has come from another process.
    digits : int or None
        To how many digits both sides agreed at the worst point; None if nothing was compared.
    refusal : str
        Why the rule refused; empty if it accepted.
    contradiction : str
        What the numerical check found; empty if nothing.
    """

    label: str
    rule: str
    said: Any
    digits: int | None
    refusal: str
    contradiction: str

    @property
    def statement(self) -> str:
        """What the step says, as a line of text; which nobody reads of most steps."""
        return self.said if isinstance(self.said, str) else spoken(self.said)

    @property
    def accepted(self) -> bool:
        """Whether both checks passed."""
        return not self.refusal and not self.contradiction

    def __getstate__(self) -> dict[str, Any]:
        # Symbols of a step mean nothing in another process.
        return {**vars(self), "said": self.statement}

    def __str__(self) -> str:
        if self.accepted:
            return f"step {self.label} [{self.rule}]: {self.statement}"
        reasons = [r for r in (self.refusal, self.contradiction) if r]
        why = "; ".join(reasons)
        return f"step {self.label} [{self.rule}] is refused: {why}; it says {self.statement}"


@dataclass(frozen=True)
class Verdict:
    """The outcome of checking one claim.

    Made by `check_claim` alone. Whether the claim is proved follows from its reports, and cannot be
    set.

    Attributes
    ----------
    id : str
        The claim.
    reports : tuple of StepReport
        One for each step, in order.
    depends, axioms : tuple of str
        The claims and axioms that the steps used themselves.
    error : str
        Why there is no proof to check; empty otherwise.
    seconds : float
        How long it took.
    monte_carlo : tuple of MonteCarlo
        What sampling says of the statement's expectations; empty if there are none.
    box : str
        The box on which the claim is certified, for want of a proof; empty if it is not.
    trials : Trials or None
        What an experiment saw that stands for a proof; None if there is none.

    Raises
    ------
    TypeError
        If anything else makes one, or pickles or copies it.
    """

    id: str
    reports: tuple[StepReport, ...]
    depends: tuple[str, ...]
    axioms: tuple[str, ...]
    error: str
    seconds: float
    monte_carlo: tuple[MonteCarlo, ...] = ()
    box: str = ""
    trials: Trials | None = None

    def __post_init__(self) -> None:
        if not _sealing.get():
            raise TypeError("a Verdict is made by check_claim, from checked steps")

    def __reduce__(self) -> Any:
        raise TypeError("a Verdict is not to be stored; store the row of the ledger")

    @property
    def accepted(self) -> bool:
        """Whether all steps were accepted, or the box or trials, and no sample contradicts them."""
        if self.error or not (self.reports or self.box or self.trials):
            return False
        if any(m.contradiction for m in self.monte_carlo):
            return False
        return all(r.accepted for r in self.reports)

    @property
    def digits(self) -> int | None:
        """The fewest digits to which two sides agreed; None if nothing was compared."""
        seen = [r.digits for r in self.reports if r.digits is not None]
        return min(seen, default=None)

    @property
    def failure(self) -> str:
        """What is wrong: the error, the first refused step, or what sampling contradicts."""
        refused = (str(r) for r in self.reports if not r.accepted)
        wrong = (m for m in self.monte_carlo if m.contradiction)
        contradicted = (f"{m.contradiction}; it says {m.statement}" for m in wrong)
        return self.error or next(refused, "") or next(contradicted, "")


# Whether a verdict is being made by `check_claim`.
_sealing: ContextVar[bool] = ContextVar("a verdict is being made", default=False)


def sealed(*fields: Any) -> Verdict:
    """A verdict from its fields, as they come from a worker process."""
    token = _sealing.set(True)
    try:
        return Verdict(*fields)
    finally:
        _sealing.reset(token)

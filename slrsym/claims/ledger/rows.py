"""What a ledger says of a claim: its row, and what its proof rests on."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from slrsym.numbers.montecarlo import MonteCarlo

__all__ = ["Foundation", "Row"]


@dataclass(frozen=True)
class Row:
    """One line of the ledger.

    Attributes
    ----------
    id, title, source : str
        The claim.
    status : str
        ``proved`` if every step was accepted and everything it rests on is proved; ``certified`` if
        it has no proof, and is shown on a box; ``tested`` if it has none, and no trial of an
        experiment contradicts it; ``cited`` if all steps were accepted, here and
        below, but a conclusion is left to the literature; ``open`` if its own steps were accepted
        but something it rests on is not proved; ``failed`` otherwise.
    steps : int
        How many steps were checked.
    digits : int or None
        The fewest digits to which two sides agreed numerically.
    axioms : tuple of str
        The axioms it rests on, through its dependencies too.
    depends : tuple of str
        The claims that its steps use.
    seconds : float
        How long checking took.
    error : str
        What is wrong; empty if proved.
    monte_carlo : tuple of MonteCarlo
        What sampling says of the statement's expectations; empty if there are none.
    box : str
        On which box it is certified; empty otherwise.
    trials : str
        What an experiment saw by which it is tested, with counts; empty otherwise.
    """

    id: str
    title: str
    source: str
    status: str
    steps: int
    digits: int | None
    axioms: tuple[str, ...]
    depends: tuple[str, ...]
    seconds: float
    error: str
    monte_carlo: tuple[MonteCarlo, ...] = ()
    box: str = ""
    trials: str = ""

    def as_dict(self) -> dict[str, Any]:
        """The row as plain data, for JSON.

        Returns
        -------
        dict
            Strings, numbers, None, and lists of strings and of such dicts.
        """
        row = asdict(self)
        return row | {name: list(row[name]) for name in ("axioms", "depends", "monte_carlo")}


@dataclass(frozen=True)
class Foundation:
    """What the proof of a claim uses itself."""

    depends: tuple[str, ...]
    axioms: tuple[str, ...]
    error: str = ""

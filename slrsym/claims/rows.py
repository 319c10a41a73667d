"""What a ledger says of a claim: its status, never promoted, and what it rests on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from slrsym.claims.check import Verdict
from slrsym.claims.claim import Claim
from slrsym.numbers.montecarlo import MonteCarlo
from slrsym.search.lemmas import CITED
from slrsym.statements.text import spoken


@dataclass(frozen=True)
class Row:
    """One line of the ledger.

    Attributes
    ----------
    id, title, source : str
        The claim; where it has no title, its statement.
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
    replaces : bool
        Whether it takes the place of a claim of the same id that comes with the package.
    against : str
        How it stands against what the paper says; empty if the paper does not say it.
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
    replaces: bool = False
    against: str = ""

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
    replaces: bool = False


def reachable(id: str, depends: Mapping[str, Iterable[str]]) -> set[str]:
    """The claims that a claim rests on, through others too."""
    seen: set[str] = set()
    stack = list(depends[id])
    while stack:
        other = stack.pop()
        if other not in seen:
            seen.add(other)
            stack.extend(depends.get(other, ()))
    return seen


def circle(id: str, depends: Mapping[str, Iterable[str]]) -> list[str]:
    """A shortest way from a claim back to itself."""
    paths, seen = [[id]], {id}
    while paths:
        path = paths.pop(0)
        for other in sorted(depends.get(path[-1], ())):
            if other == id:
                return [*path, id]
            if other not in seen:
                seen.add(other)
                paths.append([*path, other])
    return []


def row_of(claim: Claim, verdicts: Mapping[str, Verdict], replaces: bool = False) -> Row:
    """The row of a claim."""
    verdict = verdicts[claim.id]
    depends = {id: v.depends for id, v in verdicts.items()}
    below = reachable(claim.id, depends)
    axioms = {a for id in (claim.id, *below) if id in verdicts for a in verdicts[id].axioms}
    status, error = "proved", ""
    if not verdict.accepted:
        status, error = "failed", verdict.failure or "the proof has no steps"
    elif claim.id in below:
        way = circle(claim.id, depends)
        status, error = "failed", f"it rests on itself: {' -> '.join(way)}"
    elif verdict.box:
        status = "certified"
    elif verdict.trials:
        status = "tested"
    elif rotten := sorted(id for id in below if not _is_sound(id, verdicts, depends)):
        status, error = "open", f"it rests on {', '.join(rotten)}, not proved"
    elif cited := [id for id in (claim.id, *sorted(below)) if _cites(verdicts[id])]:
        status = "cited"
        error = f"what is concluded in {', '.join(cited)} is cited, not checked"
    return Row(
        claim.id,
        claim.title or spoken(claim.statement),
        claim.source,
        status,
        len(verdict.reports),
        verdict.digits,
        tuple(sorted(axioms)),
        verdict.depends,
        verdict.seconds,
        error,
        verdict.monte_carlo,
        verdict.box if status == "certified" else "",
        str(verdict.trials) if status == "tested" else "",
        replaces,
        claim.against,
    )


def _is_sound(
    id: str, verdicts: Mapping[str, Verdict], depends: Mapping[str, tuple[str, ...]]
) -> bool:
    """Whether a claim's own steps prove it: what is certified on a box, or tested, is not."""
    if id not in verdicts or id in reachable(id, depends):
        return False
    return verdicts[id].accepted and not (verdicts[id].box or verdicts[id].trials)


def _cites(verdict: Verdict) -> bool:
    return any(report.rule == CITED for report in verdict.reports)

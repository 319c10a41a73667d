"""How a false claim is written down, and how its two checks are asked apart from each other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from sympy import Eq, Ge, Gt, Le, Lt, sympify
from sympy.logic.boolalg import Boolean

from slrsym.proof import Claim, Ledger, chain
from slrsym.prover.claims.check import CheckOptions, ClaimVerdict, check_claim
from slrsym.prover.rules.step import Proof, Rule

CHECKS = ("rule", "numeric", "both")

_KINDS = {"=": Eq, "<=": Le, "<": Lt, ">=": Ge, ">": Gt}
_METHODS = {"=": "then", "<=": "le", "<": "lt", ">=": "ge", ">": "gt"}


def says(lhs: Any, symbol: str, rhs: Any) -> Boolean:
    """A relation that SymPy leaves as it is."""
    return _KINDS[symbol](sympify(lhs), sympify(rhs), evaluate=False)


def link(lhs: Any, symbol: str, rhs: Any, by: Rule) -> Proof:
    """A proof in one step."""
    return getattr(chain(lhs), _METHODS[symbol])(rhs, by=by)


def known(id: str, statement: Boolean, proof: Proof, given: tuple[Any, ...] = ()) -> Claim:
    """A claim for others to use."""
    claim = Claim(id, statement, "test", hypotheses=given)
    claim.proof(lambda goal: proof)
    return claim


def known_by(id: str, lhs: Any, symbol: str, rhs: Any, by: Rule, **options: Any) -> Claim:
    """A claim for others to use, with a proof in one step."""
    return known(id, says(lhs, symbol, rhs), link(lhs, symbol, rhs, by), **options)


class Unchecked(Rule):
    """Accepts everything, so that the numbers are alone."""

    name = "unchecked"

    def check(self, link: Any, context: Any) -> None:
        """No objection."""


unchecked = Unchecked()


@dataclass(frozen=True)
class Entry:
    """A statement with a proof that has to be refused, or (a twin) accepted.

    Attributes
    ----------
    name
        What is wrong, or in a twin, what is right.
    statement, proof, given
        The claim; the proof may be a function of the goal.
    step
        The label of the step that is wrong; empty for a twin. With a star at its end, one that
        begins like this: SymPy does not keep the order of an ``Or``.
    checks
        Which have to refuse it: ``rule`` (the proof checker), ``numeric`` or ``both``.
    others
        Claims that it uses, besides those of the package.
    """

    name: str
    statement: Boolean
    proof: Proof | Callable[[Boolean], Proof]
    given: tuple[Any, ...] = ()
    step: str = ""
    checks: str = "both"
    others: tuple[Claim, ...] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        assert self.checks in CHECKS

    def __str__(self) -> str:
        return self.name

    @property
    def claim(self) -> Claim:
        """The claim, made anew."""
        claim = Claim("under-test", self.statement, "test", hypotheses=self.given)
        claim.proof(self.proof if callable(self.proof) else lambda goal: self.proof)
        return claim

    def _ledger(self, claim: Claim) -> Ledger:
        return Ledger({c.id: c for c in (claim, *self.others)})

    def verdict(self, effort: float = 1.0) -> ClaimVerdict:
        """The outcome of both checks on every step."""
        claim = self.claim
        return check_claim(claim, self._ledger(claim).find, CheckOptions(0, effort))


class Theme:
    """Collects false entries and their true twins."""

    def __init__(self) -> None:
        self.false: list[Entry] = []
        self.twins: list[Entry] = []

    def step(
        self,
        name: str,
        lhs: Any,
        symbol: str,
        wrong: Any,
        by: Rule,
        *,
        right: Any = None,
        **options: Any,
    ) -> None:
        """A step to a wrong right side; its twin, if any, goes to the right one."""
        self.wrong(name, says(lhs, symbol, wrong), link(lhs, symbol, wrong, by), "1", **options)
        if right is not None:
            options.pop("checks", None)
            self.holds(name, lhs, symbol, right, by, **options)

    def holds(self, name: str, lhs: Any, symbol: str, rhs: Any, by: Rule, **options: Any) -> None:
        """A twin in one step."""
        self.right(name, says(lhs, symbol, rhs), link(lhs, symbol, rhs, by), **options)

    def wrong(self, name: str, statement: Boolean, proof: Any, step: str, **options: Any) -> None:
        """A false claim, or a wrong proof of a true one."""
        self.false.append(Entry(name, statement, proof, step=step, **options))

    def right(self, name: str, statement: Boolean, proof: Any, **options: Any) -> None:
        """A twin."""
        self.twins.append(Entry(name, statement, proof, **options))

"""Small claims to be accepted or refused, and how they are checked."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from sympy import Eq, Ge, Gt, Le, Lt
from sympy.logic.boolalg import Boolean

from slrsym.proof import Claim, Ledger, chain
from slrsym.proof.checker import StepReport, Verdict, check_claim
from slrsym.proof.step import Proof, Rule

RELATIONS = {"=": Eq, "<=": Le, "<": Lt, ">=": Ge, ">": Gt}
METHODS = {"=": "then", "<=": "le", "<": "lt", ">=": "ge", ">": "gt"}


def relation(lhs: Any, symbol: str, rhs: Any) -> Boolean:
    """A relation that SymPy does not decide."""
    return RELATIONS[symbol](lhs, rhs, evaluate=False)


def one_step(lhs: Any, symbol: str, rhs: Any, by: Rule) -> Proof:
    """A chain with one link."""
    return getattr(chain(lhs), METHODS[symbol])(rhs, by=by)


def verdict(
    statement: Boolean, proof: Proof, given: tuple[Any, ...] = (), seed: int = 0
) -> Verdict:
    """Check a claim that may use the built-in ones."""
    claim = Claim("under-test", statement, "test", given=given)
    claim.proof(lambda goal: proof)
    return check_claim(claim, Ledger({claim.id: claim}).find, seed)


def the_step(found: Verdict, label: str) -> StepReport:
    """The report of one step; ``solution*`` is the first refused one that begins like this."""
    if label.endswith("*"):
        return next(r for r in found.reports if r.label.startswith(label[:-1]) and not r.accepted)
    (report,) = (r for r in found.reports if r.label == label)
    return report


@dataclass(frozen=True)
class Case:
    """A statement with a proof, to be accepted or refused.

    Attributes
    ----------
    name
        What it is about.
    statement, proof, given
        The claim.
    step
        The label of the step that has to be refused; empty for a claim to be accepted.
    by
        Which checks refuse the step: ``rule``, ``numbers`` or ``both``.
    """

    name: str
    statement: Boolean
    proof: Proof
    given: tuple[Any, ...] = ()
    step: str = ""
    by: str = "both"
    said: str = field(default="")

    def __str__(self) -> str:
        return self.name


class Table:
    """Collects false cases and their true twins."""

    def __init__(self) -> None:
        self.false: list[Case] = []
        self.true: list[Case] = []

    def step(
        self,
        name: str,
        lhs: Any,
        wrong: Any,
        right: Any,
        by: Rule,
        *,
        relation_: str = "=",
        refused: str = "both",
        given: tuple[Any, ...] = (),
        said: str = "",
    ) -> None:
        """One step with a wrong right side; its twin has the right one (None: there is none)."""
        for rhs, cases in ((wrong, self.false), (right, self.true)):
            if rhs is None:
                continue
            false = cases is self.false
            cases.append(
                Case(
                    name,
                    relation(lhs, relation_, rhs),
                    one_step(lhs, relation_, rhs, by),
                    given,
                    "1" if false else "",
                    refused,
                    said if false else "",
                )
            )

    def wrong(self, name: str, statement: Boolean, proof: Proof, step: str, **options: Any) -> None:
        """A false claim."""
        self.false.append(Case(name, statement, proof, step=step, **options))

    def right(self, name: str, statement: Boolean, proof: Proof, **options: Any) -> None:
        """A true twin."""
        self.true.append(Case(name, statement, proof, **options))

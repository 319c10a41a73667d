"""Collection of derivation files by pytest: each claim and each step is a test.

``pytest derivations/`` lists ``derivations/lemma_18.py::lemma-18-ii::derivative.1 [...]`` and, last
of each claim, ``...::lemma-18-ii::claim``: that the claims it uses exist, and that it does not rest
on itself. A file is a derivation if its text calls `Claim`; nothing is imported of other files. The
ini option ``slrsym_derivations = false`` switches the collection off.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from slrsym.proof.checker import StepReport
    from slrsym.proof.claim import Claim
    from slrsym.proof.ledger import Ledger
    from slrsym.proof.step import Step

__all__ = ["ClaimCollector", "ClaimItem", "DerivationFile", "StepItem"]

_LEDGER = pytest.StashKey["Ledger"]()


class NotAccepted(Exception):  # noqa: N818
    """A step or claim is not accepted; the text says why."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options of the plugin."""
    parser.addini(
        "slrsym_derivations", "collect derivation files (slrsym)", type="bool", default=True
    )
    parser.getgroup("slrsym").addoption(
        "--slrsym-seed",
        type=int,
        default=0,
        metavar="N",
        help="moves the random points at which steps of derivations are examined (default 0)",
    )


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """A collector for a derivation file, None for any other."""
    if file_path.suffix != ".py" or not parent.config.getini("slrsym_derivations"):
        return None
    from slrsym.derivation_files import is_derivation_file

    if not is_derivation_file(file_path):
        return None
    return DerivationFile.from_parent(parent, path=file_path)


class DerivationFile(pytest.File):
    """A file of claims."""

    def collect(self) -> Iterable[ClaimCollector]:
        """One collector for each claim of the file."""
        from slrsym.derivation_files import DerivationError

        ledger = _ledger(self.config)
        try:
            claims = ledger.load_file(self.path)
        except DerivationError as problem:
            raise self.CollectError(str(problem)) from None
        for claim in claims:
            other = ledger.claims[claim.id]
            if other is not claim:
                raise self.CollectError(
                    f"the id {claim.id!r} stands for two claims, in {other.file} and {claim.file}"
                )
            yield ClaimCollector.from_parent(self, name=claim.id, claim=claim)


def _ledger(config: pytest.Config) -> Ledger:
    """The claims met so far; other files of the same folder are read when one of them is needed."""
    if _LEDGER not in config.stash:
        from slrsym.proof.ledger import Ledger

        config.stash[_LEDGER] = Ledger()
    return config.stash[_LEDGER]


class ClaimCollector(pytest.Collector):
    """A claim, whose tests are its steps."""

    def __init__(self, *, claim: Claim, **options: Any) -> None:
        super().__init__(**options)
        self.claim = claim

    def collect(self) -> Iterable[pytest.Item]:
        """The steps of the proof, as far as it can be built, and the claim as a whole."""
        from slrsym.proof.checker import steps_of

        problem = ""
        try:
            steps = steps_of(self.claim, _finder(self))
        except Exception as reason:  # a proof is user code: whatever it raises is its verdict
            steps, problem = [], f"{type(reason).__name__}: {reason}"
        for number, step in enumerate(steps):
            name = f"{step.label} [{step.rule.name}]"
            yield StepItem.from_parent(self, name=name, step=step, number=number)
        yield ClaimItem.from_parent(self, name="claim", steps=steps, problem=problem)


def _finder(node: pytest.Collector) -> Any:
    """Looks up a claim: here, in the other files of the folder, or among the built-in ones."""
    ledger, folder = _ledger(node.config), node.path.parent

    def find(id: str) -> Claim:
        if id not in ledger.claims:
            ledger.look_in(folder)
        return ledger.find(id)

    return find


class _Item(pytest.Item):
    parent: ClaimCollector

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        if isinstance(excinfo.value, NotAccepted):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, None, str]:
        return self.path, None, f"{self.parent.claim.id}: {self.name}"


class StepItem(_Item):
    """One step of a proof."""

    def __init__(self, *, step: Step, number: int, **options: Any) -> None:
        super().__init__(**options)
        self.step = step
        self.number = number

    def runtest(self) -> None:
        """Check the step by its rule and numerically."""
        from slrsym.proof.checker import check_step, step_seed

        claim = self.parent.claim
        seed = self.config.getoption("--slrsym-seed")
        report = check_step(self.step, step_seed(claim, self.number, seed))
        if not report.accepted:
            raise NotAccepted(_explained(claim, self.step, report))


class ClaimItem(_Item):
    """What concerns a claim as a whole: that there is a proof, and no circle."""

    def __init__(self, *, steps: list[Step], problem: str, **options: Any) -> None:
        super().__init__(**options)
        self.steps = steps
        self.problem = problem

    def runtest(self) -> None:
        """Check that a proof could be built, that its claims exist, and that none is this one."""
        from slrsym.proof.ledger import circle

        claim, ledger = self.parent.claim, _ledger(self.config)
        if self.problem:
            raise NotAccepted(f"claim {claim.id} has no proof to check\n  {self.problem}")
        ledger.look_in(self.path.parent)
        found = ledger.foundations(claim.id)
        for name in found[claim.id].depends:
            if not ledger.knows(name):
                raise NotAccepted(f"claim {claim.id} uses {name}, which is unknown")
        way = circle(claim.id, {id: foundation.depends for id, foundation in found.items()})
        if way:
            raise NotAccepted(f"claim {claim.id} rests on itself: {' -> '.join(way)}")


def _explained(claim: Claim, step: Step, report: StepReport) -> str:
    """A refused step: its rule, its two sides, the reasons, and the point if there is one."""
    lines = [f"claim {claim.id}, step {step.label} [{step.rule.name}] is refused"]
    if len(step.statement.args) == 2:
        left, right = step.statement.args
        sign = {"Equality": "=", "LessThan": "<=", "GreaterThan": ">="}.get(
            type(step.statement).__name__, type(step.statement).__name__
        )
        lines += [f"  left side   {left}", f"  relation    {sign}", f"  right side  {right}"]
    else:
        lines.append(f"  it says     {step.statement}")
    if report.refusal:
        lines.append(f"  by its rule: {report.refusal}")
    if report.contradiction:
        lines.append(f"  {report.contradiction}")
    return "\n".join(lines)

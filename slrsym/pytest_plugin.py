"""Pytest plugin that collects derivation files, with each claim and each step as a test.

``pytest derivations/gaussian`` lists ``.../stein.py::stein-one-dimensional::integral.1 [...]`` and,
last of each claim, ``...::stein-one-dimensional::claim``: that there is a proof, that the claims it
uses exist, that it does not rest on itself, and that no other claim has its id. A file is a
derivation, whatever its name, if its text imports what makes claims, or a file that does; nothing
is imported of other files. Modules of tests, and conftest.py, are imported by pytest alone, and may
make claims as well. The ini option ``slrsym_derivations = false`` switches the collection off.

``pytest proofs.log`` (or ``proofs.log.xz``) checks a log with the proof checker: each claim of
it is a test, which fails if the checker refuses the log, if the claim rests on a step without
evidence, or if it says something else than its derivation, which is looked for in the folder of the
log and in the package. A file is a log if its first line says so.
"""

from __future__ import annotations

import ast
import lzma
from argparse import ArgumentTypeError
from collections.abc import Callable, Generator, Iterable
from contextlib import suppress
from fnmatch import fnmatch
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from slrsym.checker import JudgedClaim
    from slrsym.prover.claims.check import StepReport
    from slrsym.prover.claims.claim import Claim
    from slrsym.prover.claims.file_search import DerivationSearch
    from slrsym.prover.claims.ledger import Ledger
    from slrsym.prover.rules.step import Step
    from slrsym.prover.tactics.judgement import CheckerVerdict


_LEDGER = pytest.StashKey["Ledger"]()
_SEARCHED = pytest.StashKey[set[Path]]()
_SEARCH = pytest.StashKey["DerivationSearch"]()
# The file under which each claim is a test: what several files import is tested once.
_PLACES = pytest.StashKey[dict[int, Path]]()


class NotAcceptedError(Exception):
    """Error raised by a test whose claim or step is not accepted, with the reason."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the plugin's options to pytest."""
    parser.addini(
        "slrsym_derivations", "collect derivation files (slrsym)", type="bool", default=True
    )
    group = parser.getgroup("slrsym")
    group.addoption(
        "--slrsym-seed",
        type=int,
        default=0,
        metavar="N",
        help="moves the random points at which steps of derivations are examined (default 0)",
    )
    group.addoption(
        "--slrsym-points",
        type=_count,
        default=None,
        metavar="N",
        help="examine steps of derivations at N random points at most (default 10, or 2 where "
        "numbers are costly); their rules are asked in any case",
    )


def _count(text: str) -> int:
    with suppress(ValueError):
        if int(text) >= 1:
            return int(text)
    raise ArgumentTypeError(f"must be an integer of at least 1; got {text}")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print notes below the results, such as claims that replace slrsym's own claims."""
    config = terminalreporter.config
    if _LEDGER not in config.stash:
        return
    from slrsym.prover.claims.check import POINTS, POINTS_OF_QUADRATURE

    points, replacing = config.getoption("--slrsym-points"), sorted(_ledger(config).replacing_ids())
    if points is not None and points < POINTS:
        terminalreporter.write_line(
            f"slrsym: steps were examined at {points} random point{'s'[: points > 1]} at most, "
            f"fewer than the {POINTS} (or {POINTS_OF_QUADRATURE}) of a full check"
        )
    if replacing:
        listed = ", ".join(replacing)
        terminalreporter.write_line(f"slrsym: in the place of claims of the package: {listed}")
    for note in _ledger(config).notes:
        terminalreporter.write_line(f"slrsym: {note}")


# A wrapper of the older kind, which every pytest knows that is about.
@pytest.hookimpl(hookwrapper=True)
def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> Generator[None, Any, None]:
    """Collect a derivation file or a proof log; leave other files to pytest.

    pytest takes every file that its command line names for a module of tests. A derivation file is
    one only if its name says so, or if it defines a test.
    """
    outcome = yield
    if file_path.name.endswith((".log", ".log.xz")) and _is_log(file_path):
        found = list(outcome.get_result())
        outcome.force_result([*found, ProofLogCollector.from_parent(parent, path=file_path)])
    if file_path.suffix != ".py" or not parent.config.getini("slrsym_derivations"):
        return
    if not _search(parent.config).is_derivation_file(file_path):
        return
    found = list(outcome.get_result())
    others = [collector for collector in found if type(collector) is not pytest.Module]
    # To parse a text takes long: of most derivation files, pytest makes no module of tests.
    if len(others) < len(found) and not (
        _is_named_as_tests(file_path, parent.config) or _defines_tests(file_path, parent.config)
    ):
        found = others
    module = next((each for each in found if isinstance(each, pytest.Module)), None)
    made = DerivationFileCollector.from_parent(parent, path=file_path, module=module)
    outcome.force_result([*found, made])


def _search(config: pytest.Config) -> DerivationSearch:
    from slrsym.prover.claims.file_search import DerivationSearch

    return config.stash.setdefault(_SEARCH, DerivationSearch())


def _is_named_as_tests(file: Path, config: pytest.Config) -> bool:
    return any(fnmatch(file.name, name) for name in config.getini("python_files"))


def _defines_tests(file: Path, config: pytest.Config) -> bool:
    """Return whether the text of a file has a name that pytest takes for one of a test."""
    from slrsym.prover.claims.imports import source_text

    try:
        tree = ast.parse(source_text(file))
    except (SyntaxError, ValueError):
        return False  # the loader says what is wrong
    patterns = (*config.getini("python_functions"), *config.getini("python_classes"))
    names = [
        name
        for node in ast.walk(tree)
        for name in (getattr(node, "name", None), getattr(node, "asname", None))
        if isinstance(name, str)
    ]
    bases = [ast.unparse(base) for node in tree.body for base in getattr(node, "bases", ())]
    return any("TestCase" in base for base in bases) or any(
        name.startswith(pattern) or fnmatch(name, pattern) for name in names for pattern in patterns
    )


class DerivationFileCollector(pytest.File):
    """Pytest collector of a derivation file, which yields a collector for each claim."""

    def __init__(self, *, module: pytest.Module | None = None, **options: Any) -> None:
        super().__init__(**options)
        self.module = module

    def collect(self) -> Iterable[ClaimCollector]:
        """Yield a collector for each claim that the file makes, or a module that it imports."""
        from slrsym.prover.claims.file_search import DerivationError, imports_slrsym_proof

        if self.module is not None:
            try:
                self.module.obj  # noqa: B018 (imports it)
            except self.CollectError:
                return  # which pytest tells of the module of tests
            except pytest.skip.Exception:
                note = f"{self.path} is skipped, so that no claim of it is checked"
                _ledger(self.config).notes.append(note)
                return
        try:
            claims = _load_claims(self.config, self.path)
        except DerivationError as problem:
            raise self.CollectError(str(problem)) from None
        if not (claims or _defines_tests(self.path, self.config)) and imports_slrsym_proof(
            self.path
        ):
            note = f"{self.path} makes no claim when it is imported, and has no test"
            _ledger(self.config).notes.append(note)
        places = self.config.stash.setdefault(_PLACES, {})
        names: set[str] = set()
        for claim in claims:
            if places.setdefault(id(claim), self.path) != self.path:
                continue
            # Of two claims of one name in one file, only the first can be asked for by its name.
            name = f"{claim.id} (again)" if claim.id in names else claim.id
            names.add(claim.id)
            yield ClaimCollector.from_parent(self, name=name, claim=claim)


def _load_claims(config: pytest.Config, path: Path) -> list[Claim]:
    """Return the claims of a file, which is not run again if pytest or a test has imported it."""
    from slrsym.prover.claims.loading import claims_made_by, imported_module

    ledger, file = _ledger(config), path.resolve()
    module = None if file in ledger.files else imported_module(file)
    if module is not None:
        ledger.add_file(file, claims_made_by(module, file))
    return ledger.load_file(file)


def _ledger(config: pytest.Config) -> Ledger:
    """Return the ledger of the claims that this pytest session has collected so far."""
    if _LEDGER not in config.stash:
        from slrsym.prover.claims.ledger import Ledger

        config.stash[_LEDGER] = Ledger()
    return config.stash[_LEDGER]


def _finder(node: pytest.Collector) -> Callable[[str], Claim]:
    """Return a function that finds a claim by id, in a test file's folder if need be."""
    ledger, folder = _ledger(node.config), node.path.parent
    searched = node.config.stash.setdefault(_SEARCHED, set())

    def find(id: str) -> Claim:
        from slrsym.prover.claims.file_search import DerivationError

        if id not in ledger.claims and folder not in searched:
            searched.add(folder)
            is_derivation_file = _search(node.config).is_derivation_file
            for file in filter(is_derivation_file, sorted(folder.glob("*.py"))):
                # Of a file that nobody asked for, only the claims are of interest; pytest imports
                # modules of tests.
                if not _is_named_as_tests(file, node.config):
                    with suppress(DerivationError):
                        _load_claims(node.config, file)
        return ledger.find(id)

    return find


def _is_log(path: Path) -> bool:
    opened = lzma.open if path.suffix == ".xz" else open
    with suppress(lzma.LZMAError, EOFError), opened(path, "rb") as file:
        return b'"format":"slrsym proof log ' in file.read(200)
    return False


class ProofLogCollector(pytest.File):
    """Pytest collector of a proof log, which yields a test for each claim."""

    def collect(self) -> Iterable[pytest.Item]:
        """Run the proof checker on a proof log, and yield a test for each of its claims."""
        from slrsym.checker import Rejected, recheck

        try:
            judged = recheck(self.path)
        except (Rejected, UnicodeDecodeError) as reason:
            raise self.CollectError(f"the proof checker refuses {self.path}: {reason}") from None
        for found in judged:
            yield JudgedClaimItem.from_parent(self, name=found.id, judged=found)


class _Test(pytest.Item):
    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        if isinstance(excinfo.value, NotAcceptedError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, None, str]:
        return self.path, None, self.name


class JudgedClaimItem(_Test):
    """The test of a claim in a proof log that the proof checker has accepted."""

    parent: ProofLogCollector

    def __init__(self, *, judged: JudgedClaim, **options: Any) -> None:
        super().__init__(**options)
        self.judged = judged

    def runtest(self) -> None:
        """Raise an error if a logged claim lacks evidence or differs from its derivation."""
        from slrsym.checker import describe_claim_difference
        from slrsym.prover.statements.expressions import ProofError
        from slrsym.prover.tactics.proof_log import statement_and_step_records

        claim = self.judged
        # The statement need not rest on all of its steps.
        axioms = claim.axioms.union(*(step.axioms for step in claim.steps))
        lacking = sorted(axiom for axiom in axioms if axiom.startswith("unchecked"))
        if lacking:
            raise NotAcceptedError(f"claim {claim.id} rests on {'; '.join(lacking)}")
        try:
            (said,) = statement_and_step_records([claim.id], _finder(self.parent))
        except ProofError as reason:
            raise NotAcceptedError(f"claim {claim.id} of the log: {reason}") from None
        if what := describe_claim_difference(claim, said):
            what = "has other steps" if what == "steps" else "says something else"
            raise NotAcceptedError(f"claim {claim.id} {what} in its derivation")


class ClaimCollector(pytest.Collector):
    """Pytest collector of a claim, which yields a test for each step and one for the claim."""

    def __init__(self, *, claim: Claim, **options: Any) -> None:
        super().__init__(**options)
        self.claim = claim
        self.steps: list[Step] = []
        self.benches: list[Any] = []

    @cached_property
    def judgement(self) -> CheckerVerdict:
        """The proof checker's judgement of the claim."""
        from slrsym.prover.tactics.judgement import judge_claim

        return judge_claim(self.claim, _finder(self))

    @cached_property
    def counterexample(self) -> str:
        """Where the claim fails, in words; empty if that was not found."""
        from slrsym.prover.claims.check import counterexample_of_claim

        return counterexample_of_claim(self.claim, self.config.getoption("--slrsym-seed"))

    def collect(self) -> Iterable[pytest.Item]:
        """Yield a test for each step of a claim's proof, and one for the claim as a whole."""
        from slrsym.prover.rules.claim_steps import steps_of_claim

        problem, steps = "", []
        other = _ledger(self.config).claims.get(self.claim.id)
        if other is None:
            problem = "its id is that of a claim of the package that rules rest on; choose another"
        elif other is not self.claim:
            places = " and ".join(str(claim.file) for claim in (other, self.claim))
            problem = f"its id stands for two claims, in {places}"
        else:
            try:
                steps = steps_of_claim(self.claim, _finder(self))
            # A proof is user code: whatever it raises is its verdict, a call of sys.exit included.
            except (Exception, SystemExit) as reason:
                problem = f"there is no proof to check: {type(reason).__name__}: {reason}"
        self.steps = steps
        for number, step in enumerate(steps):
            name = f"{step.label} [{step.rule.name}]"
            yield StepItem.from_parent(self, name=name, step=step, number=number)
        yield ClaimItem.from_parent(self, name="claim", steps=steps, problem=problem)


class _ClaimTest(_Test):
    parent: ClaimCollector

    def __init__(self, *, name: str, parent: ClaimCollector, **options: Any) -> None:
        # Said in full: made from a name with brackets, an id does not equal the one that pytest
        # reads back from its cache, and `--lf` finds nothing.
        options.setdefault("nodeid", f"{parent.nodeid}::{name}")
        super().__init__(name, parent, **options)

    def reportinfo(self) -> tuple[Path, None, str]:
        return self.path, None, f"{self.parent.claim.id}: {self.name}"


class StepItem(_ClaimTest):
    """The test of one step of a proof."""

    def __init__(self, *, step: Step, number: int, **options: Any) -> None:
        super().__init__(**options)
        self.step = step
        self.number = number

    def runtest(self) -> None:
        """Check a step numerically and by the proof checker; raise an error if it is refused."""
        from slrsym.prover.claims.check import (
            POINTS,
            make_step_report,
            shared_points_of_steps,
            step_seed,
            try_numerical_check,
        )

        claim = self.parent.claim
        seed = self.config.getoption("--slrsym-seed")
        points = self.config.getoption("--slrsym-points") or POINTS
        if not self.parent.benches:
            self.parent.benches = shared_points_of_steps(claim, self.parent.steps, seed)
        bench = self.parent.benches[self.number]
        numbers = try_numerical_check(self.step, step_seed(claim, self.number, seed), points, bench)
        report = make_step_report(self.step, numbers, self.parent.judgement)
        if not report.accepted:
            where = "" if report.contradiction else self.parent.counterexample
            raise NotAcceptedError(_explained(claim, self.step, report, where))


class ClaimItem(_ClaimTest):
    """The test of a claim as a whole: a single proof, existing lemmas, no circular reasoning."""

    def __init__(self, *, steps: list[Step], problem: str, **options: Any) -> None:
        super().__init__(**options)
        self.steps = steps
        self.problem = problem

    def runtest(self) -> None:
        """Raise an error unless a claim has one proof, uses existing claims, and is not circular.

        Expectations in the statement are sampled, too.
        """
        from slrsym.prover.claims.check import (
            certificate_failure_and_box,
            check_by_sampling,
            check_hypotheses_of_claim,
            run_experiment,
        )
        from slrsym.prover.claims.verification import shortest_cycle
        from slrsym.prover.statements.expressions import ProofError

        claim, find = self.parent.claim, _finder(self.parent)
        self.parent.benches = []
        if self.problem:
            raise NotAcceptedError(f"claim {claim.id}: {self.problem}")
        for name in dict.fromkeys(name for step in self.steps for name in step.uses):
            try:
                find(name)
            except ProofError as reason:
                raise NotAcceptedError(
                    f"claim {claim.id} uses what is not there: {reason}"
                ) from None
        way = shortest_cycle(claim.id, _ledger(self.config).citations(claim.id))
        if way:
            raise NotAcceptedError(f"claim {claim.id} rests on itself: {' -> '.join(way)}")
        if problem := self._problem_of_no_step():
            raise NotAcceptedError(f"claim {claim.id}: {problem}")
        supposed = check_hypotheses_of_claim(claim, seed=self.config.getoption("--slrsym-seed"))
        if supposed.contradiction:
            raise NotAcceptedError(f"claim {claim.id}: {supposed.contradiction}")
        if supposed.note:
            _ledger(self.config).notes.append(f"claim {claim.id}: {supposed.note}")
        error, _ = certificate_failure_and_box(claim)
        if error:
            raise NotAcceptedError(f"claim {claim.id} is not certified: {error}")
        trials = run_experiment(claim, self.config.getoption("--slrsym-seed"))
        if trials is not None and trials.problem:
            raise NotAcceptedError(f"claim {claim.id}: {trials.problem}")
        for item in check_by_sampling(claim, self.config.getoption("--slrsym-seed")):
            if item.contradiction:
                raise NotAcceptedError(
                    f"claim {claim.id} is {item.contradiction}; it says {item.statement}"
                )

    def _problem_of_no_step(self) -> str:
        """Return why the proof checker refuses the claim if it refuses none of its steps."""
        if not self.steps:
            return ""
        judgement = self.parent.judgement
        refused = any(judgement.refusal_reason(step.label) for step in self.steps)
        return "" if refused else judgement.problem


def _explained(claim: Claim, step: Step, report: StepReport, where: str) -> str:
    """Return a text on why a step was refused: its rule, both sides, and a point or condition."""
    lines = [f"claim {claim.id}, step {step.label} [{step.rule.name}] is refused"]
    if len(step.statement.args) == 2:
        left, right = step.statement.args
        sign = {"Equality": "=", "LessThan": "<=", "GreaterThan": ">="}.get(
            type(step.statement).__name__, type(step.statement).__name__
        )
        lines += [f"  left side   {left}", f"  relation    {sign}", f"  right side  {right}"]
    else:
        lines.append(f"  it says     {step.statement}")
    lines.append(f"  {report.reason}")
    if report.gives:
        lines.append(f"  the rule gives {report.gives}")
    if where:
        lines.append(f"  {where}")
    return "\n".join(lines)

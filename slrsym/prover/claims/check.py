"""Checking of a claim: the proof checker decides every step, and the cross-check may object."""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from sympy import And, Derivative, Integral, Limit, Sum
from sympy.core.function import AppliedUndef

from slrsym.gaussian import Expectation, OwensT, zeta
from slrsym.jobs import Terminated
from slrsym.matrices.means import MATRIX_NODES, MatrixMean
from slrsym.prover.claims import cache
from slrsym.prover.claims.claim import Claim, Trials
from slrsym.prover.claims.file_search import traceback_line_suffix
from slrsym.prover.claims.hypotheses import (
    NO_HYPOTHESES,
    HypothesesReport,
    check_hypotheses,
    contradiction_of_hypotheses,
)
from slrsym.prover.rules.claim_steps import steps_of_claim
from slrsym.prover.rules.step import Step
from slrsym.prover.statements.expressions import (
    ForAll,
    conjuncts,
    expression_text,
    infix_text,
    require_moderate_size,
)
from slrsym.prover.statements.orbits import OrbitStatement
from slrsym.prover.tactics.bundled_log import bundled_record
from slrsym.prover.tactics.judgement import CheckerVerdict, judge_claim

# What evaluates numbers is imported where it is used: what a claim rests on is told without.
if TYPE_CHECKING:
    import numpy as np

    from slrsym.crosscheck import SharedPoints
    from slrsym.crosscheck.montecarlo import MonteCarloCheck


_HOLDS = "it holds at random points"
# Characters of a statement or a reason that a message shows, and of one longer: its begin and end.
_LONGEST_TEXT, _ENDS_OF_TEXT = 3000, (500, 500)


@dataclass(frozen=True)
class StepReport:
    """The result of checking one step by the proof checker and by numbers.

    Attributes
    ----------
    label, rule : str
        The step.
    said : Basic or str
        What it says; text once the report has come from another process.
    digits : int or None
        To how many digits both sides agreed at the worst point; None if nothing was compared.
    refusal : str
        Why the proof checker has no theorem of it; empty if it has.
    contradiction : str
        What the numerical check found; empty if nothing.
    example : str
        One of the random points, with both sides there; empty if nothing was compared.
    gives : str
        What the rule makes of the left side, where the step is refused; empty if that says nothing.
    """

    label: str
    rule: str
    said: Any
    digits: int | None
    refusal: str
    contradiction: str
    example: str = ""
    gives: str = ""

    @property
    def statement(self) -> str:
        """The statement of the step as text, formatted on demand."""
        return self.said if isinstance(self.said, str) else infix_text(self.said)

    @property
    def accepted(self) -> bool:
        """Whether the proof checker accepts the step and numbers do not contradict it."""
        return not self.refusal and not self.contradiction

    @property
    def reason(self) -> str:
        """The reason why the step is refused, from numbers or the checker; no use if accepted."""
        if self.contradiction:
            return self.contradiction
        if not self.example:
            return self.refusal
        agree = f"numbers agree to {self.digits} digits" if self.digits else _HOLDS
        return f"{agree}; no proof was found: {self.refusal}"

    def __getstate__(self) -> dict[str, Any]:
        # Symbols of a step mean nothing in another process.
        return {**vars(self), "said": self.statement}

    def __str__(self) -> str:
        if self.accepted:
            return f"step {self.label} [{self.rule}]: {self.statement}"
        said = f"step {self.label} [{self.rule}] is refused: {_shortened(self.reason)}"
        gives = f"; the rule gives {_shortened(self.gives)}" if self.gives else ""
        return f"{said}; it says {_shortened(self.statement)}{gives}"


def _shortened(text: str) -> str:
    """Return a text that is too long for a message without what is in its middle."""
    begin, end = _ENDS_OF_TEXT
    if len(text) <= _LONGEST_TEXT:
        return text
    left_out = len(text) - begin - end
    return f"{text[:begin]} (... {left_out:,} characters left out ...) {text[-end:]}"


@dataclass(frozen=True)
class ClaimVerdict:
    """The result of checking one claim: all steps, or its certificate or experiment.

    Whether the claim is proved follows from its reports, and cannot be set.

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
    monte_carlo : tuple of MonteCarloCheck
        What sampling says of the statement's expectations; empty if there are none.
    box : str
        The box on which the claim is certified, for want of a proof; empty if it is not.
    trials : Trials or None
        What an experiment saw that stands for a proof; None if there is none.
    hypotheses : HypothesesReport
        What is known of the claim's hypotheses.
    steps_not_compared : int
        How many steps numbers could test, but for a hypothesis for all values of a variable.
    is_kept : bool
        Whether an earlier run found it, of the same claim.
    counterexample : str
        Where the claim fails, if a step is refused and that was found; empty otherwise.
    """

    id: str
    reports: tuple[StepReport, ...]
    depends: tuple[str, ...]
    axioms: tuple[str, ...]
    error: str
    seconds: float
    monte_carlo: tuple[MonteCarloCheck, ...] = ()
    box: str = ""
    trials: Trials | None = None
    hypotheses: HypothesesReport = NO_HYPOTHESES
    steps_not_compared: int = 0
    is_kept: bool = False
    counterexample: str = ""

    @property
    def accepted(self) -> bool:
        """Whether the proof, certificate or experiment is accepted and no sample contradicts it."""
        if self.error or not (self.reports or self.box or self.trials):
            return False
        if any(m.contradiction for m in self.monte_carlo):
            return False
        return all(r.accepted for r in self.reports)

    @property
    def digits(self) -> int | None:
        """The smallest number of digits to which the sides of a step agreed; None if unknown."""
        seen = [r.digits for r in self.reports if r.digits is not None]
        return min(seen, default=None)

    @property
    def failure(self) -> str:
        """The first problem that the check of the claim met, as text; empty if none."""
        refused = (str(r) for r in self.reports if not r.accepted)
        wrong = (m for m in self.monte_carlo if m.contradiction)
        contradicted = (f"{m.contradiction}; it says {m.statement}" for m in wrong)
        first = self.error or next(refused, "") or next(contradicted, "")
        return f"{first}; {self.counterexample}" if self.counterexample else first


def step_seed(claim: Claim, number: int, seed: int) -> tuple[int, ...]:
    return (seed, zlib.crc32(claim.id.encode()), number)


def _generator(seed: tuple[int, ...]) -> np.random.Generator:
    from numpy.random import default_rng

    return default_rng(list(seed))


# Digits of the numerical check, and how many random points each step is tried at. Quadrature costs
# a thousand times what elementary functions do, and so do sums of sums.
DIGITS = 30
POINTS = 10
POINTS_OF_QUADRATURE = 2
# Points in coordinates, of different sizes.
POINTS_OF_MATRICES = 4
# Besides, where no quadrature is needed: points far out, and as many near zeros of denominators.
EXTREMES = 2


# The digits that agree, what contradicts the step, and one of the points.
Compared = tuple[int | None, str, str]


def hypotheses_to_test(statement: Any, hypotheses: Iterable[Any]) -> tuple[Any, ...] | None:
    """Return the hypotheses that random values have to satisfy, or None if numbers cannot test it.

    Numbers cannot test a `ForAll`. One that shares no symbol, function or sequence with the
    statement, directly or by other hypotheses, is left out.
    """
    given = tuple(hypotheses)
    if statement.has(ForAll):
        return None
    if not any(h.has(ForAll) for h in given):
        return given
    if any(h.has(ForAll) for h in _linked_hypotheses(_names_in(statement), given)):
        return None
    # What one says for all values, others say of the same functions: m' = m, and m(0) = 1.
    names = {name for h in given if h.has(ForAll) for name in _names_in(h)}
    apart = _linked_hypotheses(names, given)
    return tuple(h for h in given if h not in apart and not h.has(ForAll))


def _linked_hypotheses(names: set[Any], given: Iterable[Any]) -> list[Any]:
    """Return the hypotheses that have a name, or share one with others that do."""
    linked: list[Any] = []
    left = {h: _names_in(h) for h in given}
    while found := [h for h, own in left.items() if own & names]:
        linked += found
        names = names.union(*map(left.pop, found))
    return linked


def _names_in(statement: Any) -> set[Any]:
    functions = {("function", node.func.__name__) for node in statement.atoms(AppliedUndef)}
    return {*statement.free_symbols, *functions}


def is_compared_with_numbers(step: Step) -> bool:
    """Return whether the numerical cross-check can test a step."""
    return step.numeric and hypotheses_to_test(step.statement, step.context.hypotheses) is not None


def check_step_numerically(
    step: Step,
    seed: tuple[int, ...],
    points: int = POINTS,
    shared_points: SharedPoints | None = None,
) -> Compared:
    rng, given = _generator(seed), hypotheses_to_test(step.statement, step.context.hypotheses)
    if given is None:
        return None, "", ""
    if is_about_matrices(step):
        return _check_of_matrices(step.statement, given, rng, points)
    if step.statement.has(OrbitStatement):
        return _check_of_orbits(step.statement, given, rng, points)
    bench = shared_points or partial(_bench, [step.statement], given, rng)
    return _check_at_points(step.statement, bench, points)


def _bench(
    statements: Sequence[Any], given: Iterable[Any], rng: np.random.Generator
) -> SharedPoints:
    from slrsym.crosscheck import SharedPoints, random_test_functions

    functions = random_test_functions((*statements, *given), rng)
    return SharedPoints(statements, given, rng, functions)


def shared_points_of_steps(
    claim: Claim, steps: Sequence[Step], seed: int
) -> list[SharedPoints | None]:
    """Return, for each step, the random points it shares with steps of equal hypotheses."""
    groups: dict[tuple[Any, ...], list[int]] = {}
    for number, step in enumerate(steps):
        given = hypotheses_to_test(step.statement, step.context.hypotheses)
        is_plain = not step.statement.has(OrbitStatement) and not is_about_matrices(step)
        if step.numeric and given is not None and is_plain:
            groups.setdefault(given, []).append(number)
    shared: list[SharedPoints | None] = [None] * len(steps)
    for given, numbers in groups.items():
        rng = _generator(step_seed(claim, numbers[0], seed))
        # A step that numbers cannot be asked about says so itself.
        with suppress(Exception):
            bench = _bench([steps[number].statement for number in numbers], given, rng)
            for number in numbers:
                shared[number] = bench
    return shared


def is_about_matrices(step: Step) -> bool:
    """Return whether a step is about matrices of free size, whose values are in coordinates."""
    return any(s.has(*MATRIX_NODES) for s in (step.statement, *step.context.hypotheses))


def _check_of_matrices(
    statement: Any, given: tuple[Any, ...], rng: np.random.Generator, points: int
) -> Compared:
    """Return the check of a step on matrices, exact at points with rational entries."""
    from slrsym.crosscheck import Disagreement, Inconclusive, NoPointFound
    from slrsym.crosscheck.matrices import compare_matrices

    try:
        comparison = compare_matrices(statement, given, rng, min(points, POINTS_OF_MATRICES))
    except Disagreement as found:
        return None, f"{_WRONG}{found}", ""
    except (Inconclusive, NoPointFound) as reason:
        return None, f"the numerical check could not decide: {reason}", ""
    return comparison.digits, "", comparison.example


def _check_of_orbits(
    statement: Any, given: tuple[Any, ...], rng: np.random.Generator, points: int
) -> Compared:
    """Return the numerical check of a step: orbit statements by iteration, others at points."""
    # Imported late: most claims are not about orbits.
    from slrsym.crosscheck import Inconclusive, NoPointFound
    from slrsym.crosscheck.orbits import ContradictedStatement, require_no_orbit_counterexample

    others = []
    try:
        for part in conjuncts(statement):
            if isinstance(part, OrbitStatement):
                require_no_orbit_counterexample(part, given, rng)
            else:
                others.append(part)
    except ContradictedStatement as found:
        return None, f"{_WRONG}{found}", ""
    except (Inconclusive, NoPointFound) as reason:
        return None, f"the numerical check could not decide: {reason}", ""
    if not others:
        return None, "", ""
    rest = And(*others)
    return _check_at_points(rest, partial(_bench, [rest], given, rng), points)


def _check_at_points(
    statement: Any, bench: SharedPoints | Callable[[], SharedPoints], points: int
) -> Compared:
    from slrsym.crosscheck import Disagreement, Inconclusive, NoPointFound

    costly = statement.has(Expectation, Integral, Derivative, Limit, zeta, OwensT)
    costly = costly or any(node.function.has(Sum) for node in statement.atoms(Sum))
    try:
        comparison = (bench() if callable(bench) else bench).compare(
            statement,
            points=min(points, POINTS_OF_QUADRATURE if costly else POINTS),
            digits=DIGITS,
            extremes=0 if costly else min(points, EXTREMES),
        )
    except Disagreement as found:
        return None, f"{_WRONG}{found}", ""
    except (Inconclusive, NoPointFound) as reason:
        return None, f"the numerical check could not decide: {reason}", ""
    return comparison.digits, "", comparison.example


def certificate_failure_and_box(claim: Claim) -> tuple[str, str]:
    """Return why a claim's certificate fails, if so, and its box; two empty texts without one."""
    certificate = claim.certificate()
    return (
        ("", "")
        if certificate is None
        else (certificate.reason_not_shown(claim.statement), certificate.box_text)
    )


def claim_ids_used_by_certificate(claim: Claim) -> tuple[str, ...]:
    """Return the ids of the claims that a claim's certificate rests on; none without one."""
    return tuple(getattr(claim.certificate(), "rests_on", ()))


def run_experiment(claim: Claim, seed: int = 0) -> Trials | None:
    """Run the experiment of a claim and return its trials, or None if it has none."""
    return claim.experiment(_generator(step_seed(claim, 0, seed)))


def check_hypotheses_of_claim(
    claim: Claim, is_compared: bool = False, seed: int = 0
) -> HypothesesReport:
    """Return what is known of a claim's hypotheses; see `check_hypotheses`."""
    if not claim.hypotheses:
        return NO_HYPOTHESES
    return check_hypotheses(claim, _generator(step_seed(claim, 0, seed)), is_compared)


def counterexample_of_claim(claim: Claim, seed: int = 0) -> str:
    """Return where a claim fails, in words; empty if that was not found."""
    # Imported late: most claims are proved.
    from slrsym.prover.claims.counterexamples import find_counterexample

    return find_counterexample(claim, _generator(step_seed(claim, 0, seed)))


def check_by_sampling(claim: Claim, seed: int = 0) -> tuple[MonteCarloCheck, ...]:
    """Check a claim's relations between expectations by Monte Carlo; return the comparisons."""
    given = hypotheses_to_test(claim.statement, claim.hypotheses)
    if given is None or not claim.statement.has(Expectation, MatrixMean):
        return ()
    from slrsym.crosscheck.montecarlo import MonteCarloCheck, check_relations_by_sampling

    try:
        return check_relations_by_sampling(claim.statement, given, step_seed(claim, 0, seed))
    except Exception as problem:  # numbers that cannot be computed are no evidence
        broke = f"the sampling broke: {type(problem).__name__}: {problem}"
        return (MonteCarloCheck(infix_text(claim.statement), contradiction=broke),)


def try_numerical_check(
    step: Step,
    seed: tuple[int, ...],
    points: int = POINTS,
    shared_points: SharedPoints | None = None,
) -> Compared:
    """Check a step numerically if possible; return digits, contradiction or error, and example."""
    if not is_compared_with_numbers(step):
        return None, "", ""
    try:
        return check_step_numerically(step, seed, points, shared_points)
    # Numbers that cannot be computed have not agreed.
    except Exception as problem:
        return None, f"the numerical check broke: {type(problem).__name__}: {problem}", ""


# Of what a rule gives, longer expressions say little.
_MOST_LETTERS = 300


def make_step_report(step: Step, numbers: Compared, judgement: CheckerVerdict) -> StepReport:
    """Return the report on a step from the cross-check's result and the checker's judgement."""
    digits, contradiction, example = numbers
    refusal = judgement.refusal_reason(step.label)
    return StepReport(
        step.label,
        step.rule.name,
        step.statement,
        digits,
        refusal,
        contradiction,
        example,
        _gives(step) if refusal or contradiction else "",
    )


def _gives(step: Step) -> str:
    # It helps to see what is missing; where it fails, something else is.
    with suppress(Exception):
        made = step.rule.gives(step.link, step.context)
        if made is not None and made not in (step.link.lhs, step.link.rhs):
            return text if len(text := expression_text(made)) <= _MOST_LETTERS else ""
    return ""


# How a contradiction begins where the two sides differ; else they could not be compared.
_WRONG = "contradicted numerically: "


def _place(problem: BaseException, claim: Claim) -> str:
    """Return the file and line of the claim's code that raised an exception, if any did."""
    where = "" if claim.file is None else traceback_line_suffix(problem, claim.file)
    return f"{claim.file}{where}: " if where else ""


class CheckOptions(NamedTuple):
    """Options for checking claims, such as the seed and the search effort."""

    # Moves the random points of the numerical check.
    seed: int = 0
    # How long the search for evidence may take for a step; 1 is some 20 seconds.
    effort: float = 1.0
    # Whether evidence that an earlier run found is used, and new evidence is kept.
    use_cache: bool = False


DEFAULT = CheckOptions()


def _judge_claim(
    claim: Claim, find: Callable[[str], Claim], wrong: Iterable[str], options: CheckOptions
) -> CheckerVerdict:
    """Return the proof checker's judgement of a claim, reusing evidence of an earlier run."""
    earlier = (options.use_cache and cache.cached_evidence(claim)) or bundled_record(claim.id)
    judgement = judge_claim(claim, find, options.effort, wrong, earlier)
    if options.use_cache and judgement.record.get("lines") != earlier.get("lines"):
        cache.cache_evidence(claim, judgement.record)
    return judgement


def check_claim(
    claim: Claim, find: Callable[[str], Claim], options: CheckOptions = DEFAULT
) -> ClaimVerdict:
    """Check a claim, assuming that the claims it uses are true, and return the verdict.

    Parameters
    ----------
    claim : Claim
        The claim.
    find : callable
        The claim of an id; raises `ProofError` if there is none.
    options : CheckOptions, optional
        The seed, the effort of the search, and whether evidence is kept.

    Returns
    -------
    ClaimVerdict
        A proof that raises is one that is not accepted.
    """
    start = time.perf_counter()
    reports: list[StepReport] = []
    depends: dict[str, None] = {}
    axioms: dict[str, None] = {}
    error = box = ""
    trials = None
    numbers: list[Compared] = []
    steps: list[Step] = []
    try:
        require_moderate_size(f"claim {claim.id}", claim.statement, *claim.hypotheses)
        error = contradiction_of_hypotheses(claim)
        failure, box = certificate_failure_and_box(claim)
        error = error or failure
        trials = run_experiment(claim, options.seed)
        error = error or (trials.problem if trials else "")
        depends |= dict.fromkeys(claim_ids_used_by_certificate(claim))
        steps = steps_of_claim(claim, find)
        numbers = [
            try_numerical_check(step, step_seed(claim, number, options.seed), shared_points=bench)
            for number, (step, bench) in enumerate(
                zip(steps, shared_points_of_steps(claim, steps, options.seed), strict=True)
            )
            # Where no values satisfy the hypotheses, there is nothing to compare.
            if not error
        ] or [(None, "", "")] * len(steps)
        wrong = [
            step.label
            for step, found in zip(steps, numbers, strict=True)
            if found[1].startswith(_WRONG)
        ]
        if steps:
            judgement = _judge_claim(claim, find, wrong, options)
            # Of what is not shown, the claims that it was to rest on are looked at as well.
            if judgement.problem:
                depends |= dict.fromkeys(name for step in steps for name in step.uses)
            depends |= dict.fromkeys(judgement.uses)
            axioms |= dict.fromkeys(judgement.axioms)
            reports += [
                make_step_report(*pair, judgement) for pair in zip(steps, numbers, strict=True)
            ]
            if all(report.accepted for report in reports):
                error = error or judgement.problem
    except Terminated:
        raise
    # A proof is user code: whatever it raises is its verdict, an attempt to leave included.
    except (Exception, SystemExit) as problem:
        error = f"{_place(problem, claim)}{type(problem).__name__}: {problem}"
    supposed = check_hypotheses_of_claim(claim, any(found[2] for found in numbers), options.seed)
    samples = check_by_sampling(claim, options.seed)
    # Where the statement is wrong, no search will find a proof of a step.
    wanted = any(r.refusal for r in reports) and not any(r.contradiction for r in reports)
    where = counterexample_of_claim(claim, options.seed) if wanted and not error else ""
    seconds = time.perf_counter() - start
    return ClaimVerdict(
        claim.id,
        tuple(reports),
        tuple(depends),
        tuple(axioms),
        error,
        seconds,
        samples,
        box,
        trials,
        supposed,
        sum(step.numeric and not is_compared_with_numbers(step) for step in steps),
        counterexample=where,
    )

r"""Monte Carlo check of claims about expectations, whose laws are sampled by definition.

Where rules compare normal forms, and quadrature computes integrals to 30 digits, this draws random
numbers in the laws and takes averages. It decides little by itself: a wrong third digit passes. But
it shares no code with the other two, and what it refutes is wrong.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.random import Generator, SeedSequence, default_rng
from sympy import And, Basic, Eq, Ge, Gt, Le, Lt, default_sort_key

from slrsym.crosscheck.ball_quadrature import Inconclusive
from slrsym.crosscheck.integrands import replace_undefined_functions
from slrsym.crosscheck.matrices import floats_at_matrix_point
from slrsym.crosscheck.points import (
    NoPointFound,
    parameters_of_statements,
    random_test_functions,
    sample_points,
)
from slrsym.crosscheck.samples import (
    IndefiniteCovariance,
    NotSampled,
    SampleEvaluator,
    SampleMean,
    is_expectation_or_derivative,
    sample_average,
)
from slrsym.crosscheck.vector_functions import VectorFunction
from slrsym.gaussian import Expectation
from slrsym.gaussian.law import GaussianLaw, Law
from slrsym.matrices.means import MatrixMean
from slrsym.prover.statements.expressions import infix_text

# A first sample that is further off than NOTICEABLE standard errors is followed by a second,
# independent and sixteen times as large; a statement fails if that is further off than CONFIRMING.
# For normal deviations the probability of both is 4e-11: 1e-8 for three hundred statements. The
# rest of what is allowed, 1e-6, is left for samples whose tails are not yet normal.
NOTICEABLE = 4.0
CONFIRMING = 5.0


@dataclass(frozen=True)
class MonteCarloCheck:
    """A comparison of both sides of a relation at one random point, by Monte Carlo.

    Attributes
    ----------
    statement : str
        The relation.
    point : str
        The point, empty if there are no parameters.
    lhs, rhs : float or None
        Both sides there, each expectation replaced by an average over samples of its law.
    stderr : float or None
        The standard error of their difference, with that of rounding the entries of matrices.
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
    sees : float or None
        By how much one side would have to be wrong for that to be noticed in 97 of 100 samples.
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
    sees: float | None = None

    def __str__(self) -> str:
        if self.refusal:
            return f"not sampled: {self.refusal}"
        return self.contradiction or self.summary

    @property
    def summary(self) -> str:
        """One line of text with both sides of the relation, their standard error and deviation."""
        if self.lhs is None or self.rhs is None or self.stderr is None or self.z is None:
            return ""
        digits = 6 if self.stderr == 0 else _digits(max(abs(self.lhs), abs(self.rhs)), self.stderr)
        where = f" at {self.point}" if self.point else ""
        where += f" ({self.tried - 1} points passed over)" if self.tried > 1 else ""
        sees = "" if self.sees is None else f"; sees errors of {self.sees:.1g} or more"
        # Of an inequality, that is: an equality has no right side.
        side = " on the right side" if self.off == 0 and self.z != 0 else ""
        return (
            f"{self.lhs:.{digits}g} against {self.rhs:.{digits}g}, standard error "
            f"{self.stderr:.2g}, z = {self.z:+.2f}{side}, {self.samples:,} samples{where}{sees}"
        )


def _digits(size: float, error: float) -> int:
    """Return how many significant digits of a number to print so that its error shows two."""
    if size == 0:
        return 2
    return max(2, min(12, math.floor(math.log10(size)) - math.floor(math.log10(error)) + 2))


_SAMPLES = 1 << 14
_MORE = 16

# If one value makes up more of the spread of a sample, there may be others that were not met.
_LARGEST_SHARE = 0.05
# How often both sides are computed with the entries of all matrices rounded otherwise, by how many
# units of the last place each entry is moved at most, and from how many samples.
_ROUNDINGS, _LAST_PLACES, _ROUNDED_SAMPLES = 3, 64, 1 << 10

_POINTS = 12

_STREAM = 0x3C  # apart from the streams of the steps


def check_relations_by_sampling(
    statement: Any, given: Sequence[Any], seed: Sequence[int]
) -> tuple[MonteCarloCheck, ...]:
    """Check a statement's relations between expectations by Monte Carlo; return the checks.

    Notes
    -----
    The points are drawn as those of the numerical check. The rest shares nothing with it: laws are
    sampled, integrands are evaluated in floating point. Undefined functions become random ones. The
    statement may be any smooth function of its expectations, and its standard error is that of the
    first order in theirs.
    """
    parts = sorted(statement.args, key=str) if isinstance(statement, And) else [statement]
    return tuple(
        _one(part, given, SeedSequence([*seed, _STREAM, number]))
        for number, part in enumerate(parts)
        if part.has(Expectation, MatrixMean)
    )


def _one(relation: Any, given: Sequence[Any], seed: SeedSequence) -> MonteCarloCheck:
    text = infix_text(relation)
    if not isinstance(relation, Eq | Le | Lt | Ge | Gt):
        why = "only equalities and inequalities between numbers can be held against samples"
        return MonteCarloCheck(text, refusal=why)
    try:
        return _held(relation, text, given, seed)
    except (NotSampled, NoPointFound, Inconclusive) as reason:
        return MonteCarloCheck(text, refusal=str(reason))


def _held(relation: Any, text: str, given: Sequence[Any], seed: SeedSequence) -> MonteCarloCheck:
    refusal, unsettled = "", False
    vacuous: MonteCarloCheck | None = None
    # Where single values dominate a sample at every point, more values may settle it: products of
    # many variables are rarely large.
    sizes = [_SAMPLES] * _POINTS + [_MORE * _SAMPLES] * _POINTS
    for tried, (child, size) in enumerate(zip(seed.spawn(len(sizes)), sizes, strict=True), 1):
        if size > _SAMPLES and not unsettled:
            break
        choice, first, second, third = child.spawn(4)
        concrete, point = _point(relation, given, choice)
        place = ", ".join(f"{x} = {v}" for x, v in point.items() if not isinstance(v, np.ndarray))
        try:
            sides = _Sides(concrete, point)
            samples, rounding = size, sides.rounding_error(third)
            found = replace(sides.sampled(first, samples), rounding=rounding)
            if _off(relation, found) > NOTICEABLE:
                samples = _MORE * _SAMPLES
                found = replace(sides.sampled(second, samples), rounding=rounding)
        except IndefiniteCovariance as reason:
            refusal = f"{reason}, at each of {tried} points"
            continue
        if not found.settled:
            unsettled = True
            refusal = (
                f"at each of {tried} points single values dominate the spread of the samples, or "
                f"all values are one, as where a variance is infinite or what matters is rare"
            )
            continue
        off = max(0.0, _off(relation, found))
        result = MonteCarloCheck(
            text,
            place,
            found.lhs,
            found.rhs,
            found.stderr,
            found.z if math.isfinite(found.z) else None,
            off if math.isfinite(off) else None,
            samples,
            tried,
            sees=_seen(found, samples / size) or None,
        )
        if off > CONFIRMING:
            numbers = result.summary or f"{found.lhs} against {found.rhs}, and nothing is random"
            why = f"contradicted by sampling: {numbers}; beyond {CONFIRMING:g} standard errors"
            return replace(result, contradiction=why)
        if found.spread > found.rounding:
            return result
        # Nothing is random at this point, up to rounding: another one may say more.
        vacuous = vacuous or result
    return vacuous or MonteCarloCheck(
        text, tried=len(sizes) if unsettled else _POINTS, refusal=refusal
    )


def _point(
    relation: Any, given: Sequence[Any], choice: SeedSequence
) -> tuple[Any, Mapping[Any, Any]]:
    """Draw a random point and random functions; return the relation with them, and the point."""
    rng = default_rng(choice)
    if relation.has(MatrixMean):
        return relation, floats_at_matrix_point(relation, given, rng)
    functions = random_test_functions([relation], rng)
    laws = sorted(relation.atoms(Law), key=default_sort_key)
    (point,) = sample_points(parameters_of_statements(relation, *given), given, rng, 1, laws=laws)
    return replace_undefined_functions(relation, functions), point


def _seen(found: _Difference, times: float) -> float:
    """Return the size of an error that the test detects with probability 0.97.

    A sample so many times as large as the first has followed, whose standard error is known; the
    first one's was larger.
    """
    return found.stderr * (NOTICEABLE + 2) * math.sqrt(times)


def _off(relation: Any, found: _Difference) -> float:
    """Return by how many standard errors a relation fails; negative if an inequality holds."""
    if isinstance(relation, Le | Lt):
        return found.z
    return -found.z if isinstance(relation, Ge | Gt) else abs(found.z)


@dataclass(frozen=True)
class _Difference:
    """Monte Carlo estimates of both sides of a relation, with the error of the difference."""

    lhs: float
    rhs: float
    # Of the samples alone.
    spread: float
    settled: bool
    rounding: float = 0.0

    @property
    def stderr(self) -> float:
        return math.hypot(self.spread, self.rounding)

    @property
    def z(self) -> float:
        apart = self.lhs - self.rhs
        # What is not random has no error but that of rounding.
        if abs(apart) <= 1e-10 * max(1e-300, abs(self.lhs), abs(self.rhs)):
            return 0.0 if self.stderr == 0 else apart / self.stderr
        return math.copysign(math.inf, apart) if self.stderr == 0 else apart / self.stderr


class _Sides:
    """Both sides of a relation at a point, as functions of estimated expectations."""

    def __init__(self, relation: Any, point: Mapping[Any, Any]) -> None:
        self.relation = relation
        self.values = {
            x: tuple(map(float, value)) if isinstance(value, tuple) else
            value if isinstance(value, np.ndarray | VectorFunction) else float(value)
            for x, value in point.items()
        }  # fmt: skip

    def sampled(self, seed: SeedSequence, samples: int) -> _Difference:
        """Return estimates of both sides of the relation from random samples of expectations."""
        averages: dict[Any, SampleMean] = {}

        # An expectation that stands on both sides has a sample on each: with one for both, the
        # sides might agree whatever it is.
        def drawn(side: int) -> Any:
            def draw(node: Basic, at: SampleEvaluator) -> Any:
                if not is_expectation_or_derivative(node):
                    return None
                key = (*_key(node, at), side)
                if key not in averages:
                    (child,) = seed.spawn(1)
                    averages[key] = sample_average(node, at, default_rng(child), samples)
                return averages[key].mean

            return draw

        lhs, rhs = (self._evaluated(side, drawn(side)) for side in (0, 1))
        # Each expectation in its turn is moved by its standard error.
        moved = {
            key: a.mean + a.stderr * np.eye(len(averages))[i]
            for i, (key, a) in enumerate(averages.items())
        }

        def shifted(side: int) -> Any:
            return lambda n, at: (
                moved[(*_key(n, at), side)] if is_expectation_or_derivative(n) else None
            )

        left, right = (self._evaluated(side, shifted(side)) for side in (0, 1))
        shifts = (left - right) - (lhs - rhs)
        finite = all(map(math.isfinite, (lhs, rhs, *np.ravel(shifts))))
        return _Difference(
            float(lhs),
            float(rhs),
            float(np.sqrt(np.sum(np.square(shifts)))),
            finite and all(_is_settled(key[0], a) for key, a in averages.items()),
        )

    def rounding_error(self, seed: SeedSequence) -> float:
        """Return how far the difference of the sides moves if matrices are rounded otherwise.

        The random numbers are the same each time. Without matrices it is 0.
        """
        if not any(isinstance(value, np.ndarray) for value in self.values.values()):
            return 0.0

        def difference(sides: _Sides) -> float:
            again = SeedSequence(seed.entropy, spawn_key=seed.spawn_key)
            found = sides.sampled(again, _ROUNDED_SAMPLES)
            return found.lhs - found.rhs

        rng, first = default_rng(seed), difference(self)
        moved = [difference(self._rounded_otherwise(rng)) - first for _ in range(_ROUNDINGS)]
        return max((abs(x) for x in moved if math.isfinite(x)), default=0.0)

    def _rounded_otherwise(self, rng: Generator) -> _Sides:
        """Return the sides at a point whose matrices differ in the last places of their entries."""
        most = _LAST_PLACES * np.finfo(float).eps
        return _Sides(self.relation, {
            x: value * (1 + rng.uniform(-most, most, value.shape))
            if isinstance(value, np.ndarray) else value
            for x, value in self.values.items()
        })  # fmt: skip

    def _evaluated(self, side: int, special_node: Any) -> Any:
        with np.errstate(all="ignore"):
            return SampleEvaluator(self.values, special_node).value(self.relation.args[side])


def _key(node: Basic, at: SampleEvaluator) -> Any:
    """Return a cache key for an expectation: the node with the values that it depends on."""
    if isinstance(node, MatrixMean):
        return node, ()
    names = sorted(node.free_symbols & set(at.values), key=default_sort_key)
    return node, tuple((x, at.values[x]) for x in names)


def _is_settled(node: Basic, found: SampleMean) -> bool:
    if not (math.isfinite(found.mean) and math.isfinite(found.stderr)):
        return False
    # Where all values are the same, but need not be, what differs has not been met.
    if found.stderr == 0 and isinstance(node, MatrixMean):
        return not node.body.free_symbols & set(node.bound_symbols)
    if found.stderr == 0 and isinstance(node, Expectation):
        return not node.integrand.free_symbols & _varying(node.law)
    return found.largest_share <= _LARGEST_SHARE


def _varying(law: Law) -> set[Basic]:
    """Return the variables of a law that are not known to have variance 0."""
    fixed = {
        x
        for block in law.independent_laws()
        if isinstance(block, GaussianLaw)
        for i, x in enumerate(block.symbols)
        if block.cov[i, i].is_zero
    }
    return set(law.symbols) - fixed

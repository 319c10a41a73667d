"""Random exact points that satisfy hypotheses, and random smooth functions.

A point gives every symbol a Rational, so that identities are examined where no rounding has
happened yet.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any

import sympy as sp
from flint import fmpq
from sympy import Basic, Expr, S, Symbol
from sympy.core.function import AppliedUndef
from sympy.logic.boolalg import Boolean
from sympy.tensor.indexed import Indexed, IndexedBase

from slrsym.crosscheck.ball_quadrature import Inconclusive, NotALaw
from slrsym.crosscheck.evaluator import Evaluator, StatementJudge, describe_point
from slrsym.crosscheck.integrands import replace_undefined_functions
from slrsym.crosscheck.random_values import (
    NumberSampler,
    _slope,
    compile_exact_decision,
    declared_bounds,
    has_declared_properties,
    random_family_entries,
    solve_equations_for_symbols,
    symbol_and_bounds_from_hypothesis,
)
from slrsym.gaussian.law import IIDSum, Law
from slrsym.prover.statements.expressions import conjuncts, infix_text

if TYPE_CHECKING:
    from numpy.random import Generator

# How often points are proposed, and how often in a row at one size.
_TRIES = 4000
_TRIES_AT_ONE_SIZE = 40
_TRIES_AT_AN_EXTREME = 10

_SQUARE = sp.Dummy("x^2", real=True)


class NoPointFound(ValueError):  # noqa: N818
    """Error for hypotheses that no random point was found to satisfy."""


def parameters_of_statements(*statements: Any) -> tuple[Any, ...]:
    """Return the symbols and indexed families in statements that need a value, sorted by name.

    Examples
    --------
    >>> from sympy import symbols
    >>> a, b = symbols("a b")
    >>> parameters_of_statements(a + b > 1, a**2)
    (a, b)
    """
    families = {base for s in statements for base in s.atoms(IndexedBase)}
    names = {base.label for base in families}
    free = {x for s in statements for x in s.free_symbols if not isinstance(x, Indexed)}
    shapes = {x for base in families for size in base.shape or () for x in size.free_symbols}
    chosen = [x for x in (free | shapes) - families if x not in names]
    return tuple(sorted([*chosen, *families], key=sp.default_sort_key))


def sample_points(
    symbols: Iterable[Any],
    given: Iterable[Any],
    rng: Generator,
    count: int,
    laws: Iterable[Law] = (),
) -> list[dict[Any, Any]]:
    """Draw random points at which hypotheses hold.

    Notes
    -----
    Sizes are log-uniform between 1/8 and 4, denominators at most 64. A value that a hypothesis
    allows as the end of its range is taken now and then.
    """
    sampler = PointSampler(symbols, given, laws)
    return [sampler.draw(rng) for _ in range(count)]


class PointSampler:
    """Sampler of random exact points at which the hypotheses hold."""

    def __init__(
        self,
        symbols: Iterable[Any],
        given: Iterable[Any],
        laws: Iterable[Law] = (),
        texts: Sequence[str] = (),
    ) -> None:
        wanted = sorted(set(symbols), key=sp.default_sort_key)
        hypotheses = _conjuncts(given)
        self.families = [x for x in wanted if isinstance(x, IndexedBase)]
        self.symbols = [x for x in wanted if not isinstance(x, IndexedBase)]
        self.bounds = {x: declared_bounds(x) for x in self.symbols}
        equations: list[sp.Eq] = []
        # In messages: as they were stated, before functions were put in for those not given.
        self.texts = texts or list(map(infix_text, hypotheses))
        for hypothesis in hypotheses:
            bound = symbol_and_bounds_from_hypothesis(hypothesis)
            if bound is not None and bound[0] in self.bounds:
                self.bounds[bound[0]] = self.bounds[bound[0]].intersect(bound[1])
            elif isinstance(hypothesis, sp.Eq):
                equations.append(hypothesis)
        equations += _equations_of_opposite_bounds(hypotheses)
        self.laws = [law for law in laws if law.parameters <= set(self.symbols)]
        self.determined, self.normalised = solve_equations_for_symbols(
            equations, self.symbols, self.families
        )
        # What is drawn within the bounds of a single symbol obeys them already.
        computed = {x for x, _ in self.determined}
        self.drawn = {
            x: NumberSampler(x, self.bounds[x]) for x in self.symbols if x not in computed
        }
        self.in_question = [
            (h, compile_exact_decision(h) if h.free_symbols <= set(self.symbols) else None)
            for h in hypotheses
            if (bound := symbol_and_bounds_from_hypothesis(h)) is None
            or bound[0] not in self.bounds
            or bound[0] in computed
            or bound[0].is_imaginary
        ]
        # Most proposals are refused: these are asked before equations are solved. With families
        # they are not, whose entries are drawn in any case.
        self.asked_first = [
            exact
            for h, exact in self.in_question
            if exact and not (self.families or h.free_symbols & computed)
        ]
        # Those that are quickly decided come first, as well.
        self.in_question.sort(key=lambda pair: pair[1] is None)

    def draw(self, rng: Generator, tries: int | None = None) -> dict[Any, Any]:
        """Return one random point, as values of symbols, or raise `NoPointFound`."""
        tries = _TRIES if tries is None else tries
        # Bounds of single symbols that exclude each other need no tries.
        if any(bounds.is_empty for bounds in self.bounds.values()):
            tries = 0
        for attempt in range(tries):
            # Hypotheses such as |x|^2 <= 1 starve large values: become smaller, then large again.
            size = fmpq(1, 2 ** (attempt // _TRIES_AT_ONE_SIZE % 5))
            point = self._proposal(rng, size)
            if point is not None and self._allowed(point):
                return point
        listed = ", ".join(self.texts) or "none"
        names = ", ".join(map(str, [*self.symbols, *self.families]))
        laws = f" and of the laws {', '.join(map(str, self.laws))}" if self.laws else ""
        raise NoPointFound(
            f"no point ({names}) found in {tries} tries under the hypotheses {listed}{laws}; "
            f"state bounds of single symbols as such, or check that the hypotheses do not exclude "
            f"one another"
        )

    def far_points(
        self, statements: Iterable[Basic], rng: Generator, count: int
    ) -> Iterator[dict[Any, Any]]:
        """Yield points at which unbounded symbols are very large or near an end of their range.

        The first two are opposite corners: every symbol far up or near its lower end, or far down
        or near its upper end.
        """
        movable = self._movable(statements)
        corner = {x: 1 if rng.random() < 0.5 else -1 for x in movable}
        for number in range(count if movable else 0):
            chosen = {x: 0 for x in movable if rng.random() < 0.5} or {movable[-1]: 0}
            if number < 2:
                chosen = {x: side * (-1) ** number for x, side in corner.items()}
            yield from self._first(partial(self._proposal, rng, fmpq(1), chosen))

    def points_near_pole(
        self, statement: Basic, rng: Generator, count: int
    ) -> Iterator[dict[Any, Any]]:
        """Yield random points at which a denominator of a statement nearly vanishes."""
        movable = [x for x in self._movable([statement]) if not x.is_integer]
        zeros = _zeros_of_denominators(statement, movable) if count else []
        for _ in range(count if zeros else 0):
            found = next(self._first(partial(self._near, zeros, rng)), None)
            if found is None:
                return
            yield found

    def _movable(self, statements: Iterable[Basic]) -> list[Symbol]:
        fixed = {x for x, _ in self.determined}
        # As many terms as a far integer says cannot be added.
        counted = bool(self.families) or any(s.has(sp.Sum, sp.Product, IIDSum) for s in statements)
        return [
            x
            for x in self.symbols
            if x not in fixed and not (x.is_imaginary or (x.is_integer and counted))
        ]

    def _first(self, proposal: Callable[[], dict[Any, Any] | None]) -> Iterator[dict[Any, Any]]:
        """Yield the first of several proposed points that satisfies the hypotheses, if one does."""
        for _ in range(_TRIES_AT_AN_EXTREME):
            point = proposal()
            if point is not None and self._allowed(point):
                yield point
                return

    def _near(self, zeros: Sequence[tuple[Symbol, Expr]], rng: Generator) -> dict[Any, Any] | None:
        """Return a point at which a denominator nearly vanishes, or None."""
        point = self._proposal(rng, fmpq(1))
        x, zero = zeros[int(rng.integers(len(zeros)))]
        if point is None:
            return None
        root = zero.xreplace(point)
        if root.is_real is not True or not root.is_number:
            return None
        step = sp.Rational(1, 10 ** int(rng.integers(2, 9)))
        value = sp.Rational(str(root.evalf(20))) if not root.is_Rational else root
        value += step if rng.random() < 0.5 else -step
        if not (self.bounds[x].contains(value) and has_declared_properties(value, x)):
            return None
        return self._completed({**point, x: value})

    def _completed(self, point: dict[Any, Any]) -> dict[Any, Any] | None:
        """Add to a point the values that equations determine; return None if one is ruled out."""
        for x, expr in self.determined:
            value = expr.xreplace({y: v for y, v in point.items() if y != x})
            if not value.is_Rational or not has_declared_properties(value, x):
                return None
            point[x] = value
        return point

    def _proposal(
        self, rng: Generator, size: fmpq, far: Mapping[Symbol, int] | None = None,
        allowed: bool = True,
    ) -> dict[Any, Any] | None:  # fmt: skip
        """Return a random point, or None; only one that hypotheses allow, where that is told."""
        numbers: dict[Symbol, fmpq] = {}
        for x, sampler in self.drawn.items():
            value = sampler.draw(rng, size, far.get(x) if far else None)
            if value is None:
                return None
            numbers[x] = value
        if allowed and not all(exact(numbers) for exact in self.asked_first):
            return None
        point: dict[Any, Any] = {x: self.drawn[x].expression(v) for x, v in numbers.items()}
        if self._completed(point) is None:
            return None
        for family in self.families:
            entries = random_family_entries(family, self.normalised.get(family), point, rng)
            if entries is None:
                return None
            point[family] = entries
        return point

    def _allowed(self, point: dict[Any, Any]) -> bool:
        # One for all hypotheses: what they have in common is evaluated once.
        judge = StatementJudge(point, 20)
        try:
            for hypothesis, exact in self.in_question:
                if not (exact(point) if exact else _holds(hypothesis, judge)):
                    return False
            for law in self.laws:
                Evaluator(point, 20).check_law(law)
        except (NotALaw, Inconclusive):
            return False
        return True


# Digits by which numbers are told apart that have the first 20 in common, such as 1 and erf(8).
_MORE_DIGITS = 300


def _holds(hypothesis: Boolean, judge: StatementJudge) -> bool:
    """Return whether a hypothesis holds at the point of a judge, by evaluation with many digits."""
    if not judge.holds(hypothesis):
        return False
    strict = {sp.Le: sp.Lt, sp.Ge: sp.Gt}.get(type(hypothesis))
    if strict is None or judge.holds(strict(*hypothesis.args, evaluate=False)):
        return True
    return bool(StatementJudge(judge.point, _MORE_DIGITS).holds(hypothesis))


def _zeros_of_denominators(
    statement: Basic, symbols: Collection[Symbol]
) -> list[tuple[Symbol, Expr]]:
    """Return pairs of a symbol and a value at which a denominator vanishes."""
    zeros = []
    powers = (p for p in statement.atoms(sp.Pow) if p.exp.is_negative and p.base.free_symbols)
    for base in sorted({p.base for p in powers}, key=sp.default_sort_key):
        for x in sorted(base.free_symbols & set(symbols), key=sp.default_sort_key):
            square = base.xreplace({x**2: _SQUARE})
            for y, form in ((x, base), (_SQUARE, square)):
                slope = _slope(form, y) if y is x or x not in form.free_symbols else None
                if slope is not None:
                    zero = -form.xreplace({y: S.Zero}) / slope
                    zeros.append((x, zero if y is x else sp.sqrt(zero)))
    return zeros


def _equations_of_opposite_bounds(hypotheses: Iterable[Boolean]) -> list[sp.Eq]:
    """Return equations a = b for hypotheses a <= b and b <= a, which proposals hardly satisfy."""
    bounds = {h.gts - h.lts: h for h in hypotheses if isinstance(h, sp.Le | sp.Ge)}
    pairs = [(e, h) for e, h in bounds.items() if -e in bounds and e != 0]
    return [sp.Eq(h.lhs, h.rhs, evaluate=False) for e, h in pairs if e.sort_key() < (-e).sort_key()]


def _conjuncts(given: Iterable[Any]) -> list[Boolean]:
    result: list[Boolean] = []
    for hypothesis in map(sp.sympify, given):
        if not isinstance(hypothesis, Boolean) or isinstance(hypothesis, Symbol):
            raise TypeError(f"a hypothesis must be a relation or a combination; got {hypothesis!r}")
        result += conjuncts(hypothesis)
    return [h for h in result if h is not S.true]


# Functions with values of these kinds can be drawn, each made of a real function's values.
_DRAWN_KINDS: dict[str, Callable[[Expr, sp.Rational], Expr]] = {
    "real": lambda value, least: value,
    "nonnegative": lambda value, least: value**2,
    "nonpositive": lambda value, least: -(value**2),
    "positive": lambda value, least: value**2 + least,
    "negative": lambda value, least: -(value**2) - least,
}


def random_test_function(rng: Generator, nargs: int = 1, function: Any = None) -> sp.Lambda:
    """Return a random smooth function of moderate growth, for claims about any function.

    It obeys the declaration of an undefined function, such as ``positive=True``. Raise
    `Inconclusive` for a declaration that none of those drawn here obeys, such as ``integer=True``.
    """
    if nargs < 1:
        raise ValueError(f"nargs must be at least 1; got {nargs}")
    kind = _kind_of_values(function)
    arguments = [sp.Dummy(f"x_{i}", real=True) for i in range(1, nargs + 1)]

    def coefficient() -> sp.Rational:
        numerator = int(rng.integers(1, 6)) * (1 if rng.random() < 0.5 else -1)
        return sp.Rational(numerator, int(rng.integers(2, 6)))

    def polynomial() -> Expr:
        first, second = (arguments[int(rng.integers(nargs))] for _ in range(2))
        return coefficient() + coefficient() * first + coefficient() * first * second

    def form() -> Expr:
        return coefficient() / 2 + sp.Add(*(coefficient() / 2 * x for x in arguments))

    ridges = (sp.sin, sp.cos, sp.erf, lambda u: sp.exp(-(u**2) / 2))
    chosen = rng.permutation(len(ridges))[:2]
    # In several variables one direction for both keeps the quadrature one-dimensional.
    shared = form() if nargs > 1 else None
    terms = [polynomial() * ridges[int(k)](shared or form()) for k in chosen]
    value = sp.Add(*terms)
    if kind != "real":
        value = _DRAWN_KINDS[kind](value, sp.Rational(1, int(rng.integers(2, 50))))
    return sp.Lambda(tuple(arguments), value)


def random_test_functions(statements: Iterable[Basic], rng: Generator) -> dict[Any, sp.Lambda]:
    """Return random functions for all undefined functions in statements."""
    unknown = {f.func: len(f.args) for said in statements for f in said.atoms(AppliedUndef)}
    return {
        f: random_test_function(rng, n, f)
        for f, n in sorted(unknown.items(), key=lambda p: str(p[0]))
    }


def _kind_of_values(function: Any) -> str:
    """Return a kind of values that has all declared properties of an undefined function."""
    declared = {
        fact: value
        for fact, value in getattr(function, "_kwargs", {}).items()
        if isinstance(value, bool)
    }
    for kind in _DRAWN_KINDS:
        example = sp.Dummy(**{kind: True})
        if all(getattr(example, f"is_{fact}", None) is value for fact, value in declared.items()):
            return kind
    # SymPy may list what follows from a declaration, too, such as complex=True.
    plain = sp.Dummy(real=True)
    listed = ", ".join(
        fact for fact in sorted(declared) if declared[fact] and not getattr(plain, f"is_{fact}")
    )
    raise Inconclusive(
        f"no random function obeys the declaration of {function} ({listed}); declare it as one of "
        f"{', '.join(_DRAWN_KINDS)}"
    )


_MOST_REJECTED = 200


@dataclass(frozen=True)
class Comparison:
    """Result of comparing a statement's sides at points: digits of agreement and an example."""

    relation: Any
    points: tuple[Mapping[Any, Any], ...]
    digits: int | None
    example: str = ""


_PointAndEvaluators = tuple[dict[Any, Any], dict[tuple[type[Evaluator], int], Evaluator]]


class SharedPoints:
    """Random points for statements under the same hypotheses, with shared subexpressions cached.

    The mapping `functions` says what stands for undefined ones.
    """

    def __init__(
        self,
        statements: Iterable[Any],
        given: Iterable[Any],
        rng: Generator,
        functions: Mapping[Any, Any] | None = None,
    ) -> None:
        self.functions = functions or {}
        given = list(given)
        self.all = [replace_undefined_functions(sp.sympify(s), self.functions) for s in statements]
        hypotheses = [replace_undefined_functions(sp.sympify(h), self.functions) for h in given]
        laws = {law for s in self.all for law in s.atoms(Law)}
        self.sampler = PointSampler(
            parameters_of_statements(*self.all, *hypotheses),
            hypotheses,
            sorted(laws, key=sp.default_sort_key),
            [infix_text(hypothesis) for hypothesis in given],
        )
        # Of its own for each use, so that the order in which statements come does not matter.
        self._plain_rng = rng
        self._far_rng, *self._near_rngs = rng.spawn(1 + len(self.all))
        self._drawn: list[_PointAndEvaluators] = []
        # What was looked for at length is not looked for again.
        self._not_found: NoPointFound | None = None
        self._far: list[_PointAndEvaluators] | None = None

    def compare(
        self, relation: Any, points: int = 3, digits: int = 30, extremes: int = 0
    ) -> Comparison:
        """Compare a statement's sides at random points; raise `Disagreement` where it fails."""
        statement = replace_undefined_functions(sp.sympify(relation), self.functions)
        wanted = points if parameters_of_statements(statement) else 1
        used: list[Mapping[Any, Any]] = []
        agreed, example = math.inf, ""
        for number in count():
            if len(used) == wanted:
                break
            while len(self._drawn) <= number:
                self._drawn.append((self._draw(), {}))
            point, evaluators = self._drawn[number]
            judge = StatementJudge(point, digits, evaluators=evaluators)
            try:
                verdict = judge.holds(statement)
            except NotALaw as reason:
                rejected = number + 1 - len(used)
                if rejected > _MOST_REJECTED:
                    raise NoPointFound(
                        f"{reason}, at each of {rejected} points{describe_point(point)}"
                    ) from None
                continue
            except Inconclusive as reason:
                raise Inconclusive(f"{reason}{describe_point(point)}") from reason
            if not verdict:
                raise judge.make_disagreement(statement)
            used.append(point)
            agreed = min(agreed, judge.agreed)
            example = example or judge.describe_last_comparison()
        for point, evaluators in self._extremes(statement, extremes):
            judge = StatementJudge(point, digits, lenient=True, evaluators=evaluators)
            try:
                if not judge.holds(statement):
                    raise judge.make_disagreement(statement)
            except (NotALaw, Inconclusive):
                continue
            used.append(point)
        worst = None if agreed == math.inf else int(agreed)
        return Comparison(relation, tuple(used), worst, example)

    def _draw(self) -> dict[Any, Any]:
        if self._not_found is not None:
            raise self._not_found
        try:
            return self.sampler.draw(self._plain_rng)
        except NoPointFound as problem:
            self._not_found = problem
            raise

    def _extremes(self, statement: Basic, count: int) -> Iterator[_PointAndEvaluators]:
        if self._far is None and count:
            self._far = [(p, {}) for p in self.sampler.far_points(self.all, self._far_rng, count)]
        yield from (self._far or [])[:count]
        rng = self._near_rngs[self.all.index(statement)]
        yield from ((p, {}) for p in self.sampler.points_near_pole(statement, rng, count))


def compare(
    relation: Any,
    given: Iterable[Any] = (),
    *,
    rng: Generator,
    points: int = 3,
    digits: int = 30,
    functions: Mapping[Any, Any] | None = None,
    extremes: int = 0,
) -> Comparison:
    """Compare a relation's sides at random points; raise `Disagreement` where it fails.

    Besides, at so many points far out, and near zeros of denominators, where numbers can decide.

    Notes
    -----
    An equality is accepted if both sides agree to all but two of the digits asked for, and are not
    seen to differ in these two. Agreement is relative to the larger side; or to the largest term
    added on the way, where both sides are below 1e-15 of that. A strict inequality whose sides are
    equal to twice the digits is rejected.
    """
    return SharedPoints([relation], given, rng, functions).compare(
        relation, points, digits, extremes
    )

"""Counterexamples to claims that are not proved: where the hypotheses hold and the statement fails.

The numerical check of steps stops at hypotheses for all values of a variable, and tries what needs
quadrature at two points. Where a proof is refused, the statement of the claim is tried once more:
with functions and values that satisfy such hypotheses at some instances, sequences that begin
anywhere and follow a recursion, and solutions of differential equations from several starts. A
counterexample is a reason to look at the statement, and no verdict.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import repeat
from typing import TYPE_CHECKING, Any

import sympy as sp
from sympy import Derivative, Eq, Integral, Lambda, S, Subs, Symbol
from sympy.core.function import AppliedUndef
from sympy.core.relational import Relational
from sympy.logic.boolalg import BooleanFunction
from sympy.tensor.indexed import Indexed

from slrsym.gaussian import Expectation
from slrsym.matrices.means import MATRIX_NODES
from slrsym.prover.claims.continued_sequences import Continuation
from slrsym.prover.claims.instances import opened
from slrsym.prover.claims.satisfying_values import (
    choices_of_functions,
    definitions_among,
    points_satisfying,
    with_functions,
)
from slrsym.prover.claims.solutions_in_numbers import (
    NumericalSolution,
    Recursion,
    UnknownValue,
    rates_of_change,
    unrolled_entries,
)
from slrsym.prover.statements.expressions import ForAll, Sentence, conjuncts, infix_text
from slrsym.prover.statements.orbits import OrbitStatement

if TYPE_CHECKING:
    from numpy.random import Generator

    from slrsym.prover.claims.claim import Claim

_Opened = tuple[list[Symbol], Any]

# Digits of the comparison; quadrature of more costs much.
_DIGITS = 15
# How much is tried: so many points of a short statement, of others less. No limit is in seconds, so
# that each machine tries the same.
_EVALUATIONS = 150
# As how many evaluations those count of a mean in one variable, and in several, by quadrature.
_OF_MEAN, _OF_LARGER_MEAN = 1, 15
# How many parts of a statement count as one evaluation.
_PARTS = 400
# How far apart sides are at least that differ, where values are not exact.
_APART = 1e-5
# By how much simple functions are multiplied: bounds such as L^2 <= L fail for large slopes only.
_SCALES = (S.One, sp.Integer(2), sp.Rational(1, 3), sp.Integer(10))
# At how many of them for each choice of functions.
_CHOSEN = 4
# Where a hypothesis is tried once more before a counterexample is told.
_GRID = tuple(sp.Rational(k, 8) for k in range(-32, 33))
# No longer sequences are unrolled.
_MOST_ENTRIES = 12
# Entries beyond those that a statement needs: hypotheses on these may exclude the ones before. A
# few are made for each start, and many before a counterexample is told.
_ENTRIES_BEYOND, _ENTRIES_AT_LAST = 3, 100
# How many places are tried for the counterexamples to one claim.
_MOST_PLACES = 20_000
# How many starts of sequences and trajectories are tried.
_STARTS = 40


def find_counterexample(claim: Claim, rng: Generator) -> str:
    """Return where the statement of a claim fails, in words; empty if that was not found.

    Parameters
    ----------
    claim : Claim
        The claim.
    rng : Generator
        Of the values that are tried.

    Returns
    -------
    str
        Such as ``the claim fails at L = 2: 4.0 against 2.0``; that hypotheses for all values of a
        variable were tried at some of them only is said.
    """
    given = [part for hypothesis in claim.hypotheses for part in conjuncts(hypothesis)]
    parts = [opened(part) for part in given]
    bodies = [claim.statement, *(body for _, body in parts)]
    if any(body.has(ForAll, *_NO_NUMBERS) for body in bodies):
        return ""
    tried = (
        ", where its hypotheses hold as far as they were tried"
        if any(bound for bound, _ in parts)
        else ""
    )
    each, left = evaluations_of_point(claim.statement), _EVALUATIONS
    # Numbers that cannot be computed contradict nothing.
    with suppress(Exception):
        for where in _failures(claim.statement, parts, rng):
            if where:
                return f"the claim fails{where}{tried}"
            left -= each
            if left <= 0:
                break
    return ""


def evaluations_of_point(statement: Any) -> int:
    """Return as how many evaluations it counts to try a statement at one point."""
    means = statement.atoms(Expectation)
    larger = sum(1 for mean in means if len(mean.law.symbols) > 1)
    parts = sum(1 for _ in sp.preorder_traversal(statement))
    work = _OF_LARGER_MEAN * larger + _OF_MEAN * (len(means) - larger)
    return 1 + work + parts // _PARTS


_NO_NUMBERS = (OrbitStatement, Sentence, *MATRIX_NODES)


def _failures(statement: Any, parts: Sequence[_Opened], rng: Generator) -> Iterator[str]:
    """Yield where a statement fails, or an empty text, for each point or search for points."""
    if any(body.has(Indexed) for bound, body in parts if bound):
        yield from _failures_along_sequences(statement, parts, rng)
    elif rates := rates_of_change(parts):
        yield from _failures_along_trajectories(statement, parts, rates, rng)
    else:
        yield from _failures_of_functions(statement, parts, rng)


# -- functions ---------------------------------------------------------------------------------


def _failures_of_functions(
    statement: Any, parts: Sequence[_Opened], rng: Generator
) -> Iterator[str]:
    from slrsym.crosscheck.integrands import replace_undefined_functions

    bodies = [statement, *(body for _, body in parts)]
    unknown = {f.func: len(f.args) for body in bodies for f in body.atoms(AppliedUndef)}
    defined = definitions_among(parts)
    free = sorted((f for f in unknown if f not in defined), key=str)
    # Random functions satisfy what is supposed of all values at those only where it is tried.
    count = 0 if any(bound for bound, _ in parts) else 2
    # Without a function to choose, values are drawn again and again.
    if free:
        choices = choices_of_functions(free, unknown, rng, _SCALES, count)
    else:
        choices = repeat({}, _EVALUATIONS)
    for choice in choices:
        yield ""  # to look for points counts, too
        functions = {**choice, **defined}
        with suppress(Exception):  # such as a mean that does not exist for this function
            concrete = replace_undefined_functions(statement, functions)
            concrete = in_sides(concrete, _with_derivatives)
            for point in points_satisfying(parts, functions, rng, also=[concrete], most=_CHOSEN):
                where = _where_it_fails(concrete, point, _functions_in_words(choice))
                holds = where and all(_holds_on_grid(part, functions, point) for part in parts)
                yield where if holds else ""


def _holds_on_grid(
    part: _Opened, functions: Mapping[Any, Lambda], point: Mapping[Any, Any]
) -> bool:
    """Tell whether a hypothesis for all values of one variable holds at many of them."""
    from slrsym.crosscheck import is_true_at
    from slrsym.crosscheck.random_values import has_declared_properties

    bound, body = part
    if len(bound) != 1 or body.has(Indexed):
        return True
    (x,), concrete = bound, with_functions(body, functions)
    values = [value for value in _GRID if has_declared_properties(value, x)]
    return all(is_true_at(concrete, {**point, x: value}, _DIGITS) for value in values)


def in_sides(statement: Any, change: Callable[[Any], Any]) -> Any:
    """Return a statement with the sides of its relations changed, which SymPy does not compare."""
    if isinstance(statement, Relational):
        return statement.func(*map(change, statement.args), evaluate=False)
    if isinstance(statement, BooleanFunction):
        return statement.func(*(in_sides(part, change) for part in statement.args))
    return change(statement)


def _with_derivatives(side: Any) -> Any:
    return side.replace(_is_elementary_derivative, lambda node: node.doit())


def _is_elementary_derivative(node: Any) -> bool:
    return isinstance(node, Derivative | Subs) and not node.has(Expectation, Integral)


def _functions_in_words(functions: Mapping[Any, Lambda]) -> list[str]:
    letters = [x for x in sp.symbols("x y z u v w", real=True) if str(x) not in map(str, functions)]
    return [
        f"{f}({', '.join(map(str, names))}) = {infix_text(body(*names))}"
        for f, body in functions.items()
        for names in [letters[: len(body.variables)]]
    ]


def _where_it_fails(
    statement: Any, point: Mapping[Any, Any], names: Sequence[str], least: float = 0
) -> str:
    """Return where a statement fails, and its sides there; empty if it holds or nobody can tell."""
    from slrsym.crosscheck.ball_quadrature import Inconclusive, NotALaw
    from slrsym.crosscheck.evaluator import StatementJudge

    judge = StatementJudge(point, _DIGITS)
    try:
        if judge.holds(statement):
            return ""
    except (NotALaw, Inconclusive):
        return ""
    if least and judge.last is not None and judge.undefined is None:
        left, right = (side.number for side in judge.last[1:])
        if abs(left - right) <= least * (1 + max(abs(left), abs(right))):
            return ""
    found = judge.make_disagreement(statement)
    told = [*names, *(f"{x} = {value}" for x, value in point.items())]
    at = f" at {', '.join(told)}" if told else ""
    return f"{at}: {str(found).rpartition(': ')[2]}"


# -- sequences ---------------------------------------------------------------------------------


def _failures_along_sequences(
    statement: Any, parts: Sequence[_Opened], rng: Generator
) -> Iterator[str]:
    """Yield where a statement fails along sequences that satisfy what is said of all entries."""
    recursions = Recursion.among(parts)
    given = {
        entry: value
        for bound, body in parts
        if isinstance(body, Eq) and not bound
        for entry, value in (body.args, body.args[::-1])
        if isinstance(entry, Indexed) and not value.has(Indexed)
    }
    values = [part for part in parts if not part[0] and not part[1].has(Indexed)]
    entries = [part for part in parts if part[0] or part[1].has(Indexed)]
    bodies = [statement, *(body for _, body in entries)]
    left = _MOST_PLACES
    for _ in range(_STARTS):
        yield ""
        for point in points_satisfying(values, {}, rng, also=[_without_entries(*bodies, parts)]):
            # Indices are small: long sequences are made of powers.
            indices = {x: sp.Integer(int(rng.integers(0, 5))) for x in point if x.is_integer}
            at = {**point, **indices}
            numbers = _Entries(statement, at, (recursions, given), rng)
            if numbers.known and all(numbers.satisfy(part) for part in entries):
                shown = {x: value for x, value in at.items() if x in statement.free_symbols}
                concrete = numbers.put_into(statement)
                where = _where_it_fails(concrete, {}, [*numbers.in_words, *_in_words(shown)])
                if where and left > 0:
                    further = Continuation(recursions, entries, at)
                    lasting, places = further.lasts(numbers.known, _ENTRIES_AT_LAST)
                    left -= places
                    yield where if lasting else ""


def _without_entries(*bodies: Any) -> Any:
    """Return an expression with the symbols of statements that are no entries or bound indices."""
    *stated, parts = bodies
    bound = {x for names, _ in parts for x in names}
    free = {x for s in stated for x in s.free_symbols if isinstance(x, Symbol)}
    labels = {entry.base.label for s in stated for entry in s.atoms(Indexed)}
    return sp.Tuple(*sorted(free - bound - labels, key=str))


def _in_words(values: Mapping[Any, Any]) -> list[str]:
    return [f"{x} = {value}" for x, value in values.items()]


class _Entries:
    """Entries of sequences that a statement needs at values, from random starts on."""

    def __init__(
        self,
        statement: Any,
        at: Mapping[Any, Any],
        supposed: tuple[Sequence[Recursion], Mapping[Indexed, Any]],
        rng: Generator,
    ) -> None:
        recursions, given = supposed
        known = {entry.subs(dict(at)): value.subs(dict(at)) for entry, value in given.items()}
        self.at = at
        needed = _with_sums(statement, at).atoms(Indexed)
        self.known = unrolled_entries(
            needed, known, at, recursions, rng, _MOST_ENTRIES, _ENTRIES_BEYOND
        )
        self.last = max((int(e.indices[0]) for e in needed if e.indices[0].is_Integer), default=0)

    def put_into(self, statement: Any) -> Any:
        said = _with_sums(statement, self.at)
        return in_sides(said, lambda side: side.xreplace(self.known))

    def satisfy(self, part: _Opened) -> bool:
        """Tell whether a hypothesis holds, where it speaks of entries that are known only."""
        from slrsym.crosscheck import is_true_at

        bound, body = part
        if len(bound) > 1:
            return False
        places = sorted({int(entry.indices[0]) for entry in self.known})
        chosen = [{**self.at, bound[0]: sp.Integer(k)} for k in places] if bound else [self.at]
        for at in chosen:
            said = in_sides(_with_sums(body, at), lambda side: side.xreplace(self.known))
            if not said.has(Indexed) and not is_true_at(said, {}, _DIGITS):
                return False
        return True

    @property
    def in_words(self) -> list[str]:
        shown = (item for item in self.known.items() if _place(item)[1] <= self.last)
        return [f"{entry} = {value}" for entry, value in sorted(shown, key=_place)]


def _place(item: tuple[Indexed, Any]) -> tuple[str, int]:
    return str(item[0].base), int(item[0].indices[0])


def _with_sums(statement: Any, at: Mapping[Any, Any]) -> Any:
    """Return a statement at values, with its sums written out."""

    def written_out(side: Any) -> Any:
        said = side.subs(dict(at))
        return said.replace(
            lambda node: isinstance(node, sp.Sum | sp.Product), lambda node: node.doit()
        )

    return in_sides(statement, written_out)


# -- trajectories ------------------------------------------------------------------------------


def _failures_along_trajectories(
    statement: Any,
    parts: Sequence[_Opened],
    rates: Mapping[Any, Lambda],
    rng: Generator,
) -> Iterator[str]:
    """Yield where a statement fails along solutions of the equations that hypotheses state."""
    functions = sorted(rates, key=str)
    starts = {f: Symbol(f"{f}(0)", real=True) for f in functions}
    at_start: list[_Opened] = [([], _at_start(bound, body, starts)) for bound, body in parts]
    at_start = [part for part in at_start if part[1] is not S.true]
    moving = _with_rates(statement, rates)
    letters = sp.Tuple(*starts.values(), *_free_of(statement), *_free_of(*rates.values()))
    for _ in range(_STARTS):
        yield ""
        for point in points_satisfying(at_start, {}, rng, also=[letters]):
            with suppress(UnknownValue):
                start = {f: point[starts[f]] for f in functions}
                path = NumericalSolution(rates, start, point)
                if all(_holds_along(path, part, rates) for part in parts):
                    concrete = in_sides(moving, path.put_into)
                    where = _where_it_fails(concrete, {}, _in_words(point), _APART)
                    yield where if where and _is_steady(moving, path) else ""


def _is_steady(statement: Any, path: NumericalSolution) -> bool:
    """Tell whether what is off in a trajectory moves no sides as far as they are apart."""
    for relation in statement.atoms(Relational):
        apart, *others = (
            (path.put_into(relation.lhs, moved=k) - path.put_into(relation.rhs, moved=k)).evalf()
            for k in (0, -1, 1)
        )
        size = 1 + abs(path.put_into(relation.rhs).evalf())
        is_far = abs(apart) > _APART * size
        if is_far and not all(2 * abs(other - apart) < abs(apart) for other in others):
            return False
    return True


def _holds_along(path: NumericalSolution, part: _Opened, rates: Mapping[Any, Lambda]) -> bool:
    """Tell whether a hypothesis that is no equation of motion holds at some times."""
    from slrsym.crosscheck import is_true_at

    bound, body = part
    if isinstance(body, Eq) and body.has(Derivative):
        return True
    said = _with_rates(body, rates)
    return all(
        is_true_at(in_sides(said, partial(path.put_into, at=dict.fromkeys(bound, time))), {})
        for time in path.times
    )


def _at_start(bound: Sequence[Symbol], body: Any, starts: Mapping[Any, Symbol]) -> Any:
    """Return what a hypothesis says at time 0; true if it is an equation of derivatives."""
    if body.has(Derivative) or len(bound) > 1:
        return S.true
    said = body.xreplace(dict.fromkeys(bound, S.Zero))
    return said.xreplace({f(S.Zero): start for f, start in starts.items()})


def _with_rates(statement: Any, rates: Mapping[Any, Lambda]) -> Any:
    """Return a statement with the derivatives in it taken, and rates put in for those of motion."""

    def is_moving(node: Any) -> bool:
        return isinstance(node, Derivative) and isinstance(node.expr, AppliedUndef)

    def rate(node: Any) -> Any:
        (x, order), f = node.variable_count[0], node.expr
        if f.func not in rates or f.args != (x,) or len(node.variable_count) > 1:
            return node
        slope = rates[f.func](x)
        return slope if order == 1 else Derivative(slope, (x, order - 1)).doit()

    def moving(side: Any) -> Any:
        for _ in range(3):
            side = _with_derivatives(side).replace(is_moving, rate)
        return side

    return in_sides(statement, moving)


def _free_of(*bodies: Any) -> Iterable[Any]:
    return sorted({x for body in bodies for x in body.free_symbols}, key=str)

"""Hypotheses of a claim: whether values satisfy them, and what they suppose.

A proof from hypotheses that exclude one another proves nothing. So the hypotheses of a claim are
tried at values of its symbols, those about all values of a variable at a few of them, with several
functions for one that is not given. That values are found shows little; that none are is told.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING, Any

import sympy as sp
from sympy import And, Derivative, Dummy, Eq, Implies, Lambda, Not, Or, S, Symbol
from sympy.concrete.expr_with_intlimits import ExprWithIntLimits
from sympy.core.function import AppliedUndef
from sympy.core.relational import Relational
from sympy.functions.combinatorial.factorials import CombinatorialFunction
from sympy.tensor.indexed import Indexed

from slrsym.prover.statements.expressions import ForAll, Sentence, conjuncts, infix_text

if TYPE_CHECKING:
    from numpy.random import Generator

    from slrsym.prover.claims.claim import Claim

# At which values of a bound variable a hypothesis is tried; the last ones are far out.
_VALUES = tuple(map(sp.Rational, (0, 1, -1, "1/2", "-5/2", 2, 3, 7, -1000, 1000)))
_MOST_INSTANCES = 12
# Values that a point found with those is examined at, so that not just these are satisfied.
_VALUES_AFTERWARDS = tuple(map(sp.Rational, ("22/7", "-9/4", 10**6, -(10**6), 10**12, -(10**12))))
_MOST_POINTS = 3
# No larger powers are taken, nor factorials of more, nor are more terms added.
_MOST_DIGITS = 3000
# Longer relations are not solved.
_MOST_OPERATIONS = 40
# How the names of symbols begin that stand for a value of a function or an entry of a sequence.
_VALUE = "the value of "
# How many points are proposed for each choice of functions, and where there is no choice.
_TRIES = 40
_TRIES_OF_ONE = 400
_LEAST_TRIES = 10


@dataclass(frozen=True)
class HypothesesReport:
    """What is known of the hypotheses of a claim, besides that its steps use them.

    Attributes
    ----------
    not_tried : tuple of str
        Those that no values and functions were found to satisfy, together with the others.
    reason : str
        Why, in words; empty if all were tried.
    contradiction : str
        Why no values can satisfy them, so that the claim says nothing; empty if that was not seen.
    functions : tuple of str
        The functions of which the derivative is given for all values of a variable.
    count : int
        How many hypotheses there are.
    """

    not_tried: tuple[str, ...] = ()
    reason: str = ""
    contradiction: str = ""
    functions: tuple[str, ...] = ()
    count: int = 0

    @property
    def note(self) -> str:
        """What a reader of the verdict should know of the hypotheses; empty if it is nothing."""
        told = [self.supposes] if self.functions else []
        if self.not_tried:
            of = f" of {self.count}" if self.count > 1 else ""
            told.append(f"hypotheses not tried: {len(self.not_tried)}{of} ({self.reason})")
        return "; ".join(told)

    @property
    def supposes(self) -> str:
        """What the hypotheses suppose to exist, in words; empty if it is nothing special."""
        if not self.functions:
            return ""
        return f"supposes a function for all times: {', '.join(self.functions)}"


NO_HYPOTHESES = HypothesesReport()


def check_hypotheses(claim: Claim, rng: Generator, is_compared: bool = False) -> HypothesesReport:
    """Return what is known of the hypotheses of a claim, which are tried at values.

    Those that are not for all values of a variable were tried if a step `is_compared` with numbers.
    """
    given = _parts(claim)
    if not given:
        return NO_HYPOTHESES
    functions = _functions_of_flows(given)
    stated = [part for part in given if not _in_words(part)]
    if contradiction := contradiction_of_hypotheses(claim):
        texts = tuple(map(infix_text, given))
        reason = "they contradict each other" if len(given) > 1 else "no values satisfy it"
        return HypothesesReport(texts, reason, contradiction, functions, len(given))
    words = tuple(infix_text(part) for part in given if _in_words(part))
    is_tried = is_compared and not any(part.has(ForAll) for part in stated)
    if stated and not is_tried and not _values_are_found(stated, rng):
        not_tried = (*map(infix_text, stated), *words)
        return HypothesesReport(not_tried, _why_not(stated), "", functions, len(given))
    reason = "numbers cannot be put into a statement in words" if words else ""
    return HypothesesReport(words, reason, "", functions, len(given))


def _parts(claim: Claim) -> list[Any]:
    return [part for hypothesis in claim.hypotheses for part in conjuncts(hypothesis)]


def contradiction_of_hypotheses(claim: Claim) -> str:
    """Return why no values satisfy the hypotheses of a claim, if some instances show it."""
    found = _contradiction(tuple(part for part in _parts(claim) if not _in_words(part)))
    return f"its hypotheses cannot hold, so that it says nothing: {found}" if found else ""


def _why_not(stated: Sequence[Any]) -> str:
    of_functions = any(part.has(ForAll) and part.atoms(AppliedUndef) for part in stated)
    what = "functions and values" if of_functions else "values"
    return f"no {what} were found that satisfy all hypotheses"


def _in_words(statement: Any) -> bool:
    """Return whether a statement, or what it says for all values, has no truth value at a point."""
    _, body = _opened(statement)
    return bool(body.has(Sentence))


def _opened(statement: Any) -> tuple[list[Symbol], Any]:
    """Return the variables that a statement is for all values of, and the statement itself."""
    bound = []
    while isinstance(statement, ForAll):
        x = Dummy(statement.variable.name, **statement.variable._assumptions_orig)
        bound.append(x)
        statement = statement.instantiate(x)
    return bound, statement


def _functions_of_flows(given: Iterable[Any]) -> tuple[str, ...]:
    """Return the names of functions of which the derivative is given for all values."""
    return tuple(
        sorted(
            {
                str(f.func)
                for part in given
                for bound, body in [_opened(part)]
                for node in body.atoms(Derivative)
                if set(bound) & node.free_symbols
                for f in node.atoms(AppliedUndef)
            }
        )
    )


def _share(statements: Iterable[Any]) -> int:
    """Return among how many statements, three by three, instances are shared out."""
    return 1 + len(list(statements)) // 3


def _instances(
    bound: Sequence[Symbol], body: Any, share: int, among: Sequence[sp.Rational] = _VALUES
) -> Iterator[Any]:
    """Yield a statement at several values of its bound variables; fewer of many statements."""
    from slrsym.crosscheck.random_values import has_declared_properties

    allowed = [[v for v in among if has_declared_properties(v, x)] for x in bound]
    most = max(1, _MOST_INSTANCES // share)
    for count, values in enumerate(product(*allowed)):
        if count < most or (share == 1 and len(set(values)) == 1):
            chosen = dict(zip(bound, values, strict=True))
            # There is no derivative in the direction of a number.
            with suppress(ValueError, TypeError):
                if not _is_too_large(body, chosen):
                    yield _with_values(body, chosen)


def _is_too_large(body: Any, values: Mapping[Symbol, Any]) -> bool:
    """Return whether a statement has numbers of too many digits, or too many terms, at values."""
    for part in sp.postorder_traversal(body):
        if isinstance(part, sp.Pow) and not part.exp.is_number:
            base, size = part.base.xreplace(values), part.exp.xreplace(values)
            size = size if base.is_Rational else S.Zero
        elif isinstance(part, CombinatorialFunction):
            size = max((arg.xreplace(values) for arg in part.args), key=_size)
        elif isinstance(part, ExprWithIntLimits):
            ends = [end.xreplace(values) for _, *ends in part.limits for end in ends]
            size = max(ends, key=_size, default=S.Zero)
        else:
            continue
        if _size(size) > _MOST_DIGITS:
            return True
    return False


def _size(number: Any) -> Any:
    return abs(number) if number.is_Rational else S.Zero


def _with_values(statement: Any, values: Mapping[Symbol, Any]) -> Any:
    """Return a statement with numbers put in for symbols.

    SymPy does not compare the sides that it would have to compute: that takes forever to tell
    erf(10^6)^2 from 1.
    """
    if isinstance(statement, And | Or | Not | Implies):
        return statement.func(*(_with_values(part, values) for part in statement.args))
    if not isinstance(statement, Relational):
        return statement.xreplace(values)
    sides = [side.xreplace(values) for side in statement.args]
    return statement.func(*sides, evaluate=not _is_computed(*sides, sides[0] - sides[1]))


def _is_computed(*sides: Any) -> bool:
    """Return whether an expression is a number that has to be computed."""
    return any(side.is_number and not side.is_Rational for side in sides)


# -- contradictions ----------------------------------------------------------------------------


# A verdict asks before the steps and after them, and claims share hypotheses.
@lru_cache(maxsize=256)
def _contradiction(stated: tuple[Any, ...]) -> str:
    """Return why hypotheses exclude one another, if a few of their instances show it.

    Every value of a function, of its derivatives and of a sequence counts as a number of its own.
    What contradicts itself so does so for any function.
    """
    relations: list[tuple[Any, str]] = []
    share = _share(stated)
    for part in stated:
        bound, body = _opened(part)
        if body.count_ops() > _MOST_OPERATIONS:
            continue
        text = infix_text(part)
        relations += [
            (_with_values_as_numbers(each), text)
            for each in _instances(bound, _with_derivatives_as_functions(body), share)
        ]
    relations = [(_decided(part), text) for whole, text in relations for part in conjuncts(whole)]
    used: list[str] = []
    while True:
        for part, text in relations:
            if part is S.false:
                texts = " and ".join(dict.fromkeys([*used, text]))
                return f"no values satisfy {texts}"
        # What is long would take long, and shows little.
        relations = [
            (part, text)
            for part, text in relations
            if part is not S.true and part.count_ops() <= _MOST_OPERATIONS
        ]
        solved = next((found for item in relations if (found := _solved(*item))), None)
        if solved is None:
            return _contradiction_of_bounds(relations, used)
        equation, x, value, text = solved
        used.append(text)
        relations = [
            (_with_sides_compared(_with_values(part, {x: value})), said)
            for part, said in relations
            if part is not equation
        ]
        relations += [(part, text) for part in _declared_of(x, value)]


def _with_derivatives_as_functions(body: Any) -> Any:
    def as_function(node: Derivative) -> Any:
        inner = node.expr
        places = [inner.args.index(x) for x in node.variables]
        if len(inner.args) == 1:
            return sp.Function(str(inner.func) + "'" * len(places))(*inner.args)
        return sp.Function(f"D{places}{inner.func}")(*inner.args)

    return body.replace(
        lambda node: (
            isinstance(node, Derivative)
            and isinstance(node.expr, AppliedUndef)
            and set(node.variables) <= set(node.expr.args)
        ),
        as_function,
    )


def _with_values_as_numbers(statement: Any) -> Any:
    nodes = statement.atoms(AppliedUndef, Indexed)
    inner = {x for node in nodes for arg in node.args for x in arg.atoms(AppliedUndef, Indexed)}
    return statement.xreplace(
        {node: Symbol(f"{_VALUE}{node}", real=True) for node in nodes - inner}
    )


def _solved(part: Any, text: str) -> tuple[Any, Symbol, Any, str] | None:
    """Return an equation with a symbol and its value, if it is linear in one by a number."""
    if not isinstance(part, Eq):
        return None
    difference = part.lhs - part.rhs
    for x in sorted(difference.free_symbols, key=sp.default_sort_key):
        slope = difference.diff(x)
        if slope.is_number and slope.is_nonzero:
            return part, x, -difference.xreplace({x: S.Zero}) / slope, text
    return None


def _with_sides_compared(part: Any) -> Any:
    if not isinstance(part, Eq):
        return _decided(part)
    difference = part.lhs - part.rhs
    return _decided(Eq(difference, 0, evaluate=not _is_computed(difference)))


def _decided(part: Any) -> Any:
    """Return false in the place of a relation between numbers that are seen to contradict it."""
    from slrsym.crosscheck.evaluator import StatementJudge

    if not isinstance(part, Relational) or not all(side.is_number for side in part.args):
        return part
    judge = StatementJudge({}, 20)
    # Numbers that cannot be computed contradict nothing, nor do those that are undefined, nor those
    # that agree so far: erf(1000) < 1.
    with suppress(Exception):
        if not judge.holds(part) and judge.last is not None and not judge.undefined:
            _, left, right = judge.last
            size = max(abs(left.number), abs(right.number))
            if abs(left.number - right.number) > size / 10**10 + 2 * (left.error + right.error):
                return S.false
    return part


def _declared_of(x: Symbol, value: Any) -> list[Any]:
    """Return what the declaration of a symbol says of its value."""
    known = (
        ("is_positive", sp.Gt), ("is_nonnegative", sp.Ge),
        ("is_negative", sp.Lt), ("is_nonpositive", sp.Le),
    )  # fmt: skip
    return [relation(value, 0) for name, relation in known if getattr(x, name)][:1]


def _contradiction_of_bounds(relations: Sequence[tuple[Any, str]], used: Iterable[str]) -> str:
    """Return which symbol the relations leave no value for; empty if there is none."""
    from slrsym.crosscheck.random_values import declared_bounds, symbol_and_bounds_from_hypothesis

    bounds: dict[Symbol, Any] = {}
    texts: dict[Symbol, dict[str, None]] = {}
    for part, text in relations:
        found = symbol_and_bounds_from_hypothesis(part) if isinstance(part, Relational) else None
        if found is None or not isinstance(found[0], Symbol):
            continue
        x, allowed = found
        bounds[x] = bounds.get(x, declared_bounds(x)).intersect(allowed)
        texts.setdefault(x, {})[text] = None
        if bounds[x].is_empty:
            said = " and ".join(dict.fromkeys((*used, *texts[x])))
            return f"no {_name(x)} satisfies {said}{_declared(x)}"
    return ""


def _name(x: Symbol) -> str:
    return str(x.name).removeprefix(_VALUE)


def _declared(x: Symbol) -> str:
    known = [name for name, holds in sorted(x._assumptions_orig.items()) if holds is True]
    known = [name for name in known if name not in ("real", "commutative")]
    return f", as {x} is declared {', '.join(known)}" if known else ""


# -- values ------------------------------------------------------------------------------------


def _values_are_found(stated: Sequence[Any], rng: Generator) -> bool:
    """Return whether values, and functions, are found that satisfy hypotheses at some instances."""
    opened = [_opened(part) for part in stated]
    unknown = {f.func: len(f.args) for _, body in opened for f in body.atoms(AppliedUndef)}
    defined = _definitions(opened)
    free = sorted((f for f in unknown if f not in defined), key=str)
    for choice in _choices(free, unknown, rng):
        try:
            if _hold_somewhere(opened, choice | defined, rng, _TRIES if free else _TRIES_OF_ONE):
                return True
        except Exception:  # numbers that cannot be computed satisfy nothing
            continue
    return False


def _definitions(opened: Sequence[tuple[list[Symbol], Any]]) -> dict[Any, Lambda]:
    """Return the functions that hypotheses define, such as ``f(x) = r*x`` for all x."""
    found: dict[Any, Lambda] = {}
    for bound, body in opened:
        for left, right in (body.args, body.args[::-1]) if isinstance(body, Eq) and bound else ():
            defines = isinstance(left, AppliedUndef) and {*left.args} == {*bound}
            if defines and left.func not in found and not right.has(AppliedUndef, Derivative):
                found[left.func] = Lambda(left.args, right)
    return found


def _choices(
    free: Sequence[Any], unknown: dict[Any, int], rng: Generator
) -> Iterator[dict[Any, Lambda]]:
    """Yield functions for those that are not defined: simple ones, then random ones."""
    from slrsym.crosscheck import random_test_functions

    if not free:
        yield {}
        return
    simple = (
        lambda u: S.Zero, lambda u: S.One, lambda u: u, lambda u: u**2, sp.erf, sp.exp, sp.tanh,
        lambda u: -u, lambda u: sp.exp(-u), lambda u: sp.exp(-(u**2)), lambda u: -S.One,
    )  # fmt: skip
    for make in simple:
        chosen = {}
        for f in free:
            variables = [Dummy(f"x_{i}", real=True) for i in range(unknown[f])]
            chosen[f] = Lambda(tuple(variables), make(sp.Add(*variables)))
        yield chosen
    applied = [f(*(Dummy(real=True) for _ in range(unknown[f]))) for f in free]
    for _ in range(2):
        yield random_test_functions([Eq(each, Dummy()) for each in applied], rng)


def _hold_somewhere(
    opened: Sequence[tuple[list[Symbol], Any]],
    functions: dict[Any, Lambda],
    rng: Generator,
    tries: int,
) -> bool:
    from slrsym.crosscheck.evaluator import StatementJudge
    from slrsym.crosscheck.integrands import replace_undefined_functions
    from slrsym.crosscheck.points import NoPointFound, PointSampler, parameters_of_statements

    relations: list[Any] = []
    afterwards: list[Any] = []
    share = _share([body for bound, body in opened if bound])
    for bound, body in opened:
        concrete = replace_undefined_functions(body, functions)
        concrete = concrete.replace(lambda e: isinstance(e, Derivative), lambda e: e.doit())
        relations += _instances(bound, concrete, share)
        if bound and not concrete.has(Indexed):
            afterwards += _instances(bound, concrete, share, _VALUES_AFTERWARDS)
    relations = [part for whole in relations for part in conjuncts(whole)]
    if any(bound for bound, _ in opened):
        relations = _solved_for_entries(relations)
    relations = [part for part in relations if part is not S.true]
    if S.false in (*relations, *afterwards):
        return False
    # What is long to evaluate is tried less often.
    operations = sum(int(part.count_ops()) for part in (*relations, *afterwards))
    tries = max(_LEAST_TRIES, tries * _MOST_OPERATIONS // max(_MOST_OPERATIONS, operations))
    sampler = PointSampler(parameters_of_statements(*relations, *afterwards), relations)
    with suppress(NoPointFound):
        for _ in range(_MOST_POINTS):
            judge = StatementJudge(sampler.draw(rng, tries), 20)
            if all(map(judge.holds, afterwards)):
                return True
    return False


def _solved_for_entries(relations: list[Any]) -> list[Any]:
    """Return relations with the entries of sequences put in that equations say, such as recursions.

    The others become symbols.
    """
    entries = {node for part in relations for node in part.atoms(Indexed)}
    names = {node: Dummy(str(node), real=True) for node in sorted(entries, key=str)}
    ahead = [part.xreplace(names) for part in relations]
    done: list[Any] = []
    unknown = set(names.values())
    while ahead:
        part = ahead.pop(0)
        pairs = [*[part.args], part.args[::-1]] if isinstance(part, Eq) else []
        x, value = next(((x, v) for x, v in pairs if x in unknown and not v.has(x)), (None, None))
        if x is None:
            done.append(part)
            continue
        done, ahead = ([_with_values(p, {x: value}) for p in ps] for ps in (done, ahead))
    return done

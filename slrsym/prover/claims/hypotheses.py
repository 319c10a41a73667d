"""Hypotheses of a claim: whether values satisfy them, and what they suppose.

A proof from hypotheses that exclude one another proves nothing. So the hypotheses of a claim are
tried at values of its symbols, those about all values of a variable at a few of them, with several
functions for one that is not given. That values are found shows little; that none are is told.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import sympy as sp
from sympy import Derivative, Eq, S, Symbol
from sympy.core.function import AppliedUndef
from sympy.core.relational import Relational
from sympy.tensor.indexed import Indexed

from slrsym.matrices.means import MATRIX_NODES
from slrsym.prover.claims.instances import (
    indices_between_entries,
    instances_of,
    is_computed,
    opened,
    share_of_instances,
    with_values,
)
from slrsym.prover.claims.satisfying_values import values_are_found
from slrsym.prover.claims.supposed_smoothness import contradiction_with_smoothness
from slrsym.prover.statements.expressions import (
    ForAll,
    Sentence,
    conjuncts,
    infix_text,
    symbols_bound_by_node,
)

if TYPE_CHECKING:
    from numpy.random import Generator

    from slrsym.prover.claims.claim import Claim

# Longer relations are not solved.
_MOST_OPERATIONS = 40
# How the names of symbols begin that stand for a value of a function or an entry of a sequence.
_VALUE = "the value of "


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
    supposes : str
        Which unknown functions have to solve differential equations or inequalities everywhere, in
        words; empty if none.
    count : int
        How many hypotheses there are.
    """

    not_tried: tuple[str, ...] = ()
    reason: str = ""
    contradiction: str = ""
    supposes: str = ""
    count: int = 0

    @property
    def note(self) -> str:
        """What a reader of the verdict should know of the hypotheses; empty if it is nothing."""
        told = [self.supposes] if self.supposes else []
        if self.not_tried:
            of = f" of {self.count}" if self.count > 1 else ""
            told.append(f"hypotheses not tried: {len(self.not_tried)}{of} ({self.reason})")
        return "; ".join(told)


NO_HYPOTHESES = HypothesesReport()


def check_hypotheses(claim: Claim, rng: Generator, is_compared: bool = False) -> HypothesesReport:
    """Return what is known of the hypotheses of a claim, which are tried at values.

    Those that are not for all values of a variable were tried if a step `is_compared` with numbers.
    """
    given = _parts(claim)
    if not given:
        return NO_HYPOTHESES
    if any(part.has(*MATRIX_NODES) for part in given):
        # Steps are compared at matrices that satisfy them, or say that there are none.
        return (
            HypothesesReport(count=len(given))
            if is_compared
            else HypothesesReport(
                tuple(map(infix_text, given)), "they are on matrices of free size", count=len(given)
            )
        )
    supposes = _supposed_solutions(given)
    stated = [part for part in given if not _in_words(part)]
    if contradiction := contradiction_of_hypotheses(claim):
        texts = tuple(map(infix_text, given))
        reason = "they contradict each other" if len(given) > 1 else "no values satisfy it"
        return HypothesesReport(texts, reason, contradiction, supposes, len(given))
    words = tuple(infix_text(part) for part in given if _in_words(part))
    is_tried = is_compared and not any(part.has(ForAll) for part in stated)
    if stated and not is_tried and not values_are_found(stated, rng):
        not_tried = (*map(infix_text, stated), *words)
        return HypothesesReport(not_tried, _why_not(stated), "", supposes, len(given))
    reason = "numbers cannot be put into a statement in words" if words else ""
    return HypothesesReport(words, reason, "", supposes, len(given))


def _parts(claim: Claim) -> list[Any]:
    return [part for hypothesis in claim.hypotheses for part in conjuncts(hypothesis)]


def contradiction_of_hypotheses(claim: Claim) -> str:
    """Return why no values satisfy the hypotheses of a claim, if some instances show it."""
    stated = [part for part in _parts(claim) if not _in_words(part)]
    # SymPy solves no equations of matrices.
    found = _contradiction(tuple(part for part in stated if not part.has(*MATRIX_NODES)))
    found = found or contradiction_with_smoothness(stated)
    return f"its hypotheses cannot hold, so that it says nothing: {found}" if found else ""


def _why_not(stated: Sequence[Any]) -> str:
    of_functions = any(part.has(ForAll) and part.atoms(AppliedUndef) for part in stated)
    what = "functions and values" if of_functions else "values"
    names = _names_of_recursions(stated)
    follow = f": entries of {' and '.join(names)} follow by recursion" if names else ""
    return f"no {what} were found that satisfy all hypotheses{follow}"


def _names_of_recursions(stated: Sequence[Any]) -> list[str]:
    """Return the names of the sequences whose next entry is given by those before it."""
    return sorted(
        {
            str(body.lhs.base)
            for bound, body in map(opened, stated)
            if bound and isinstance(body, Eq) and isinstance(body.lhs, Indexed)
            and body.lhs.base in {entry.base for entry in body.rhs.atoms(Indexed)}
        }
    )  # fmt: skip


def _in_words(statement: Any) -> bool:
    """Return whether a statement, or what it says for all values, has no truth value at a point."""
    _, body = opened(statement)
    return bool(body.has(Sentence))


def _supposed_solutions(given: Iterable[Any]) -> str:
    """Return which functions have to solve differential equations or inequalities, in words."""
    kinds: set[str] = set()
    solved: dict[str, set[str]] = {}
    for part in given:
        bound, body = opened(part)
        for relation in body.atoms(Relational):
            slopes = [d for d in relation.atoms(Derivative) if set(bound) & d.free_symbols]
            if not slopes or _bounds_one_derivative(relation):
                continue
            kinds.add("equation" if isinstance(relation, Eq) else "inequality")
            for slope in slopes:
                at = ", ".join(x.name for x in bound if x in slope.free_symbols)
                names = {str(f.func) for f in slope.atoms(AppliedUndef)}
                solved.setdefault(at, set()).update(names)
    if not kinds:
        return ""
    kind = " and ".join(sorted(kinds))
    of_each = (f"for all {at}: {', '.join(sorted(names))}" for at, names in sorted(solved.items()))
    return f"supposes a solution of a differential {kind} {' and '.join(of_each)}"


def _bounds_one_derivative(relation: Relational) -> bool:
    """Return whether this is an inequality for a derivative alone, as Lipschitz or Convex say it.

    There are functions of each such class; it is no equation of motion.
    """
    if isinstance(relation, Eq):
        return False
    slopes = {d for d in relation.atoms(Derivative) if isinstance(d.expr, AppliedUndef)}
    left = relation.xreplace({slope: sp.Dummy() for slope in slopes})
    return len(slopes) == 1 and not left.has(AppliedUndef)


# -- contradictions ----------------------------------------------------------------------------


# A verdict asks before the steps and after them, and claims share hypotheses.
@lru_cache(maxsize=256)
def _contradiction(stated: tuple[Any, ...]) -> str:
    """Return why hypotheses exclude one another, if a few of their instances show it.

    Every value of a function, of its derivatives and of a sequence counts as a number of its own.
    What contradicts itself so does so for any function.
    """
    relations: list[tuple[Any, str]] = []
    share = share_of_instances(stated)
    parts = [opened(part) for part in stated]
    indices = indices_between_entries(parts) or ()
    for part, (bound, body) in zip(stated, parts, strict=True):
        if body.count_ops() > _MOST_OPERATIONS:
            continue
        text = infix_text(part)
        relations += [
            (_with_values_as_numbers(each), text)
            for each in instances_of(
                bound, _with_derivatives_as_functions(body), share, indices=indices
            )
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
            (_with_sides_compared(with_values(part, {x: value})), said)
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
    # What binds a variable of an unknown function or sequence takes many of its values.
    statement = statement.replace(_binds_unknown_values, _as_declared)
    nodes = statement.atoms(AppliedUndef, Indexed)
    inner = {x for node in nodes for arg in node.args for x in arg.atoms(AppliedUndef, Indexed)}
    return statement.xreplace({node: _as_declared(node) for node in nodes - inner})


def _binds_unknown_values(node: Any) -> bool:
    bound = set(symbols_bound_by_node(node))
    return bool(bound) and any(bound & x.free_symbols for x in node.atoms(AppliedUndef, Indexed))


def _as_declared(node: Any) -> Symbol:
    signs = ("positive", "negative", "nonnegative", "nonpositive")
    known = next((fact for fact in signs if getattr(node, f"is_{fact}")), "real")
    return Symbol(f"{_VALUE}{node}", **{known: True})


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
    return _decided(Eq(difference, 0, evaluate=not is_computed(difference)))


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

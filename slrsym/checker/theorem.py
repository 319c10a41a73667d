"""Theorems, the registry of inference rules, and the rules of predicate logic.

A theorem says: for all values of its free symbols in their sorts, if all hypotheses hold, then the
conclusion does. Rules take theorems and data, and give a theorem or raise `Rejected`. Side
conditions of a rule become hypotheses, which other theorems remove by `logic`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from slrsym.checker.conditions_on_values import substitution_conditions
from slrsym.checker.propositional_satisfiability import are_contradictory
from slrsym.checker.term import (
    RELATIONS,
    SYMBOL_HEADS,
    WORK,
    Rejected,
    Term,
    binder_bodies,
    bound_variables,
    canonical_key,
    free_symbols,
    is_formula,
    is_function_or_sequence_symbol,
    is_same_term,
    is_within_size_limits,
    num,
    require,
    require_all_well_formed,
    require_well_formed_node,
    substitute,
    work,
)

_MAKING = object()


class Theorem:
    """A theorem: hypotheses, a conclusion, and the axioms on which it rests."""

    __slots__ = ("axioms", "conclusion", "hypotheses")
    hypotheses: MappingProxyType[str, Term]
    conclusion: Term
    axioms: frozenset[str]

    def __init__(self, making: object, hypotheses: Iterable[Term], conclusion: Term,
                 axioms: Iterable[str]) -> None:  # fmt: skip
        if making is not _MAKING:
            raise TypeError("theorems are made by the rules of the checker")
        hypotheses = tuple(hypotheses)
        formulas = all(map(is_formula, (conclusion, *hypotheses)))
        require(formulas, "the conclusion or a hypothesis is no formula")
        require(is_within_size_limits((conclusion, *hypotheses)), "the theorem is too long")
        object.__setattr__(
            self, "hypotheses", MappingProxyType({canonical_key(h): h for h in hypotheses})
        )
        object.__setattr__(self, "conclusion", conclusion)
        object.__setattr__(self, "axioms", frozenset(axioms))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a theorem does not change")


class InferenceRule(NamedTuple):
    """An inference rule: its function, kinds of arguments, number of premises, and extension.

    The kinds: ``t`` a term or formula, ``ts`` a list of them, ``pairs`` a list of pairs, ``json``
    anything that JSON can say, which the rule reads itself.
    """

    apply: Callable[..., tuple[Iterable[Term], Term, Iterable[str]]]
    kinds: tuple[str, ...]
    premises: int | None
    extension: str


RULES: dict[str, InferenceRule] = {}


def rule(
    name: str, *kinds: str, premises: int | None = 0, extension: str = ""
) -> Callable[[Any], Any]:
    """Return a decorator that registers a function of premises and arguments as a rule.

    With any number of premises (None) it takes a list of them. A record that uses a rule of an
    extension has to name the extension.
    """

    def register(function: Any) -> Any:
        require(name not in RULES, f"two rules have the name {name}")
        RULES[name] = InferenceRule(function, kinds, premises, extension)
        return function

    return register


def find_rule(name: Any, data: Sequence[Any]) -> InferenceRule:
    """Return the inference rule with a given name; refuse a wrong number of arguments."""
    require(type(name) is str and name in RULES, f"unknown rule {name!r:.40}")
    count = len(RULES[name].kinds)
    require(len(data) == count, f"{name} has not {count} data")
    return RULES[name]


def apply_rule(name: str, premises: Sequence[Theorem], *data: Any) -> Theorem:
    """Return the theorem that an inference rule concludes; `Rejected` says why if there is none."""
    apply, kinds, count, extension = find_rule(name, data)
    # What may give other parts when it is read again is read once.
    premises = tuple(premises)
    require(all(type(p) is Theorem for p in premises), "a premise is no theorem")
    require(count in (None, len(premises)), f"{name} has not {count} premises")
    log, granted = work.left, min(WORK, work.left)
    work.left = granted
    try:
        used = {extension} - {""}
        for kind, value in zip(kinds, data, strict=True):
            used |= _require_valid_argument(kind, value)
        hypotheses, conclusion, axioms = apply(*([premises] if count is None else premises), *data)
        inherited = [a for p in premises for a in p.axioms]
        inherited += [f"extension {name}" for name in used]
        return Theorem(_MAKING, hypotheses, conclusion, (*axioms, *inherited))
    except Rejected:
        raise
    # A rule that stumbles over its data has not accepted them.
    except Exception as reason:
        raise Rejected(f"malformed data of {name}: {type(reason).__name__}") from reason
    finally:
        work.left = log - (granted - work.left)


def restated_theorem(theorem: Theorem, given: Sequence[Term], statement: Term) -> Theorem:
    """Return a theorem in the words of a claim, which may suppose more; refuse another theorem."""
    allowed = {canonical_key(h) for h in given}
    extra = [h for k, h in theorem.hypotheses.items() if k not in allowed]
    require(not extra, f"the proof supposes more: {'; '.join(map(canonical_key, extra))[:300]}")
    require(is_same_term(theorem.conclusion, statement), "the proof shows another statement")
    return Theorem(_MAKING, given, statement, theorem.axioms)


def _require_valid_argument(kind: str, data: Any) -> set[str]:
    """Refuse an argument of an inference that the reader of logs would refuse.

    Return the names of the extensions whose heads occur.
    """
    used: set[str] = set()
    if kind == "t":
        used = require_all_well_formed([data])
    elif kind == "ts":
        require(type(data) is tuple, "the data are no tuple of terms")
        used = require_all_well_formed(data)
    elif kind == "pairs":
        pairs = type(data) is tuple and all(type(pair) is tuple and len(pair) == 2 for pair in data)
        require(pairs, "the data are no tuple of pairs")
        symbols = [s for s, _ in data if not is_function_or_sequence_symbol(s)]
        used = require_all_well_formed([value for _, value in data])
        used |= require_all_well_formed(symbols)
    else:
        left = [data]
        while left:
            part = left.pop()
            is_plain = part is None or type(part) in (str, int, bool, list)
            require(is_plain, "the data are not of lists, texts and integers alone")
            left += part if type(part) is list else ()
    return used


def combined_hypotheses(premises: Iterable[Theorem]) -> dict[str, Term]:
    """Return the hypotheses of all premises, by their canonical keys."""
    return {k: h for p in premises for k, h in p.hypotheses.items()}


def require_relation(t: Term) -> tuple[str, Term, Term]:
    """Return a relation as its head and two sides; refuse any other formula."""
    require(t[0] in RELATIONS, "the statement is no relation")
    return t


def well_formed_node(t: Term) -> Term:
    """Return a newly built node; refuse it if it is not well-formed."""
    require_well_formed_node(t)
    return t


# -- logic ----------------------------------------------------------------------------------------


@rule("assume", "t")
def _assume(p: Term) -> Any:
    """Conclude p under the hypothesis p."""
    return [p], p, ()


@rule("logic", "ts", "t", premises=None)
def _propositional_logic(
    premises: Sequence[Theorem], hypotheses: tuple[Term, ...], conclusion: Term
) -> Any:
    """Conclude a propositional consequence of premises and hypotheses, by trying truth values.

    A premise counts as the implication of its conclusion by its hypotheses; so this rule cuts,
    discharges, takes conjunctions apart and puts cases together.
    """
    clauses = [("not", conclusion), *hypotheses]
    for p in premises:
        clauses.append(("or", p.conclusion, *(("not", h) for h in p.hypotheses.values())))
    require(are_contradictory(clauses), "the conclusion does not follow by logic")
    return hypotheses, conclusion, ()


# By the head of a symbol of an extension: how a theorem is taken at values of such symbols.
INSTANCES: dict[str, Callable[[Theorem, dict[Term, Term]], Any]] = {}
# What extensions ask for besides, of a theorem and the values of its symbols.
INSTANCE_CONDITIONS: list[Callable[[Theorem, dict[Term, Term]], list[Term]]] = []


@rule("instance", "pairs", premises=1)
def _instantiate(theorem: Theorem, pairs: tuple[tuple[Term, Term], ...]) -> Any:
    """Substitute values for symbols of a theorem; conditions of sorts become hypotheses."""
    values = dict(pairs)
    require(len(values) == len(pairs), "a symbol is given two values")
    for symbol in values:
        if symbol[0] in INSTANCES:
            return INSTANCES[symbol[0]](theorem, values)
    asked = []
    for symbol, value in pairs:
        is_name = symbol[0] in SYMBOL_HEADS or symbol[0] in ("u", "ix")
        require(is_name, "a value is given to a term that is no symbol or function")
        asked += substitution_conditions(symbol, value)
    for condition in INSTANCE_CONDITIONS:
        asked += condition(theorem, values)
    given = [substitute(h, values) for h in theorem.hypotheses.values()]
    return [*given, *asked], substitute(theorem.conclusion, values), ()


@rule("generalise", "t", premises=1)
def _generalise(theorem: Theorem, symbol: Term) -> Any:
    """Conclude "for all values of a symbol", if no hypothesis contains the symbol."""
    given = theorem.hypotheses.values()
    require(not any(symbol in free_symbols(h) for h in given), f"a hypothesis contains {symbol[1]}")
    return given, well_formed_node(("forall", (symbol,), (theorem.conclusion,), ())), ()


@rule("specialise", "ts", premises=1)
def _specialise(theorem: Theorem, values: tuple[Term, ...]) -> Any:
    """Conclude a universally quantified theorem at given values."""
    p = theorem.conclusion
    is_for_all = p[0] == "forall" and len(bound_variables(p)) == len(values)
    require(is_for_all, "the premise is no statement for all, or the number of values differs")
    asked = [
        c
        for s, v in zip(bound_variables(p), values, strict=True)
        for c in substitution_conditions(s, v)
    ]
    put = dict(zip(bound_variables(p), values, strict=True))
    return [*theorem.hypotheses.values(), *asked], substitute(binder_bodies(p)[0], put), ()


@rule("induction", "t", "t", premises=2)
def _induction(base: Theorem, step: Theorem, n: Term, goal: Term) -> Any:
    """Conclude a formula for all integers n by induction: from the start, and from n to n + 1."""
    require(n[0] == "s" and n[2] in ("Z>=0", "Z>0"), "the symbol is not of sort Z>=0 or Z>0")
    first = substitute(goal, {n: num(int(n[2] == "Z>0"))})
    following = substitute(goal, {n: ("+", n, num(1))})
    require(is_same_term(base.conclusion, first), "the first premise is not the goal at the start")
    require(is_same_term(step.conclusion, following), "the second premise is not the goal at n + 1")
    kept = {k: h for k, h in step.hypotheses.items() if k != canonical_key(goal)}
    given = {**base.hypotheses, **kept}
    require(not any(n in free_symbols(h) for h in given.values()), f"a hypothesis contains {n[1]}")
    return given.values(), goal, ()

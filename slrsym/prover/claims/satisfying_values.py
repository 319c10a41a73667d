"""Values and functions that satisfy the hypotheses of a claim, as far as a few instances show."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import product
from typing import TYPE_CHECKING, Any

import sympy as sp
from sympy import Derivative, Dummy, Eq, Lambda, S, Symbol
from sympy.core.function import AppliedUndef
from sympy.tensor.indexed import Indexed

from slrsym.prover.claims.instances import (
    indices_between_entries,
    instances_of,
    opened,
    share_of_instances,
    with_values,
)
from slrsym.prover.statements.expressions import conjuncts

if TYPE_CHECKING:
    from numpy.random import Generator

# Values that a point found with those is examined at, so that not just these are satisfied.
_VALUES_AFTERWARDS = tuple(map(sp.Rational, ("22/7", "-9/4", 10**6, -(10**6), 10**12, -(10**12))))
_MOST_POINTS = 3
# Where a simple function is tried whose values have to be of a kind.
_VALUES_OF_SIGN = (S.Zero, S.One, -S.One)
# How many points are proposed for each choice of functions, and where there is no choice.
_TRIES = 40
_TRIES_OF_ONE = 400
_LEAST_TRIES = 10
# Relations of more operations than these are tried less often.
_OPERATIONS = 40
# What recursions say of an entry by the first ones may grow beyond any use.
_MOST_OPERATIONS = 400


def values_are_found(stated: Sequence[Any], rng: Generator) -> bool:
    """Return whether values, and functions, are found that satisfy hypotheses at some instances."""
    parts = [opened(part) for part in stated]
    unknown = {f.func: len(f.args) for _, body in parts for f in body.atoms(AppliedUndef)}
    defined = definitions_among(parts)
    free = sorted((f for f in unknown if f not in defined), key=str)
    for choice in choices_of_functions(free, unknown, rng):
        tries = _TRIES if free else _TRIES_OF_ONE
        with suppress(Exception):  # numbers that cannot be computed satisfy nothing
            if any(True for _ in points_satisfying(parts, choice | defined, rng, tries)):
                return True
    return False


def definitions_among(parts: Sequence[tuple[list[Symbol], Any]]) -> dict[Any, Lambda]:
    """Return the functions that hypotheses define, such as ``f(x) = r*x`` for all x."""
    found: dict[Any, Lambda] = {}
    for bound, body in parts:
        for left, right in (body.args, body.args[::-1]) if isinstance(body, Eq) and bound else ():
            defines = isinstance(left, AppliedUndef) and {*left.args} == {*bound}
            if defines and left.func not in found and not right.has(AppliedUndef, Derivative):
                found[left.func] = Lambda(left.args, right)
    return found


def choices_of_functions(
    free: Sequence[Any],
    unknown: Mapping[Any, int],
    rng: Generator,
    scales: Sequence[sp.Rational] = (S.One,),
    random: int = 2,
) -> Iterator[dict[Any, Lambda]]:
    """Yield functions for those that are not defined: simple ones, scaled, then random ones."""
    from slrsym.crosscheck import random_test_functions

    if not free:
        yield {}
        return
    simple = (
        lambda u: S.Zero, lambda u: S.One, lambda u: u, lambda u: u**2, sp.erf, sp.exp, sp.tanh,
        lambda u: -u, lambda u: sp.exp(-u), lambda u: sp.exp(-(u**2)), lambda u: -S.One,
    )  # fmt: skip
    for scale, make in product(scales, simple):
        chosen = {}
        for f in free:
            variables = [Dummy(f"x_{i}", real=True) for i in range(unknown[f])]
            chosen[f] = Lambda(tuple(variables), scale * make(sp.Add(*variables)))
        if all(_has_declared_values(f, body) for f, body in chosen.items()):
            yield chosen
    applied = [f(*(Dummy(real=True) for _ in range(unknown[f]))) for f in free]
    for _ in range(random):
        yield random_test_functions([Eq(each, Dummy()) for each in applied], rng)


def _has_declared_values(f: Any, body: Lambda) -> bool:
    """Tell whether a function has values as the unknown one is declared, such as positive ones."""
    from slrsym.crosscheck.random_values import has_declared_properties

    declared = {fact: holds for fact, holds in f._kwargs.items() if isinstance(holds, bool)}
    like = Dummy(**declared)
    return all(
        has_declared_properties(body(*[value] * len(body.variables)), like)
        for value in _VALUES_OF_SIGN
    )


def with_functions(statement: Any, functions: Mapping[Any, Lambda]) -> Any:
    """Return a statement with functions put in for unknown ones, and their derivatives taken."""
    from slrsym.crosscheck.integrands import replace_undefined_functions

    concrete = replace_undefined_functions(statement, functions)
    return concrete.replace(lambda node: isinstance(node, Derivative), lambda node: node.doit())


def points_satisfying(
    parts: Sequence[tuple[list[Symbol], Any]],
    functions: Mapping[Any, Lambda],
    rng: Generator,
    tries: int = _TRIES,
    also: Iterable[Any] = (),
    most: int = _MOST_POINTS,
) -> Iterator[dict[Any, Any]]:
    """Yield a few points, with values for the symbols in `also`, too, at which hypotheses hold.

    Those for all values of a variable, given with it, hold there at some of its values.
    """
    from slrsym.crosscheck.evaluator import StatementJudge
    from slrsym.crosscheck.points import NoPointFound, PointSampler, parameters_of_statements

    relations: list[Any] = []
    afterwards: list[Any] = []
    if (indices := indices_between_entries(parts)) is None:
        return
    share = share_of_instances([body for bound, body in parts if bound])
    for bound, body in parts:
        concrete = with_functions(body, functions)
        relations += instances_of(bound, concrete, share, indices=indices)
        if bound and not concrete.has(Indexed):
            afterwards += instances_of(bound, concrete, share, _VALUES_AFTERWARDS)
    relations = [part for whole in relations for part in conjuncts(whole)]
    if any(bound for bound, _ in parts):
        relations = _solved_for_entries(relations)
    relations = [part for part in relations if part is not S.true]
    if S.false in (*relations, *afterwards):
        return
    # What is long to evaluate is tried less often.
    operations = sum(int(part.count_ops()) for part in (*relations, *afterwards))
    tries = max(_LEAST_TRIES, tries * _OPERATIONS // max(_OPERATIONS, operations))
    sampler = PointSampler(parameters_of_statements(*relations, *afterwards, *also), relations)
    with suppress(NoPointFound):
        for _ in range(most):
            point = sampler.draw(rng, tries)
            if all(map(StatementJudge(point, 20).holds, afterwards)):
                yield point


def _solved_for_entries(relations: list[Any]) -> list[Any]:
    """Return relations with the entries of sequences put in that equations say, such as recursions.

    The others become symbols, unless an index of the sequence is no number: that may be any entry.
    """
    entries = {node for part in relations for node in part.atoms(Indexed)}
    any_entry = {e.base for e in entries if not all(i.is_Integer for i in e.indices)}
    entries = {node for node in entries if node.base not in any_entry}
    names = {node: Dummy(str(node), real=True) for node in sorted(entries, key=str)}
    known: dict[Symbol, Any] = {}
    done: list[Any] = []
    unknown = set(names.values())

    def with_known(part: Any) -> Any:
        # A value may have entries that were found later.
        while found := {x: known[x] for x in part.free_symbols & known.keys()}:
            part = with_values(part, found)
            if (count := part.count_ops()) > _MOST_OPERATIONS:
                raise ValueError(f"entries by the first ones must be short; got {count} operations")
        return part

    for part in relations:
        part = with_known(part.xreplace(names))
        pairs = [*[part.args], part.args[::-1]] if isinstance(part, Eq) else []
        x, value = next(((x, v) for x, v in pairs if x in unknown and not v.has(x)), (None, None))
        if x is None:
            done.append(part)
        else:
            known[x] = value
    return list(map(with_known, done))

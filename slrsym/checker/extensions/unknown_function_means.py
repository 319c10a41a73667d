"""Means of unknown functions of Gaussian matrices: existence, comparison, Stein, Poincaré.

A tame term is a continuous function of the matrices, and bounded by a power of 1 plus their size.
If no Hessian contains one of them, it is continuously differentiable, with such a bound, too.
"""

from __future__ import annotations

from typing import Any

from slrsym.checker.differentiation import square_term
from slrsym.checker.expectations import linear_combination_term, require_names_absent
from slrsym.checker.extensions.matrix_language import (
    defined_by_equation,
    is_matrix,
    rule,
    well_formed,
)
from slrsym.checker.extensions.unknown_functions import FUNCTION_HEADS
from slrsym.checker.relations import hypotheses_left_by_binder
from slrsym.checker.term import (
    NODE,
    Term,
    binder_bodies,
    bound_variables,
    definedness_equation,
    free_symbols,
    fresh_symbol,
    fresh_symbols_by_symbol,
    has_copy_sum_outside_expectation,
    is_same_term,
    neg,
    num,
    parts_outside_binder,
    places_and_subterms,
    replace_parts,
    require,
    spend_work,
    substitute,
)
from slrsym.checker.theorem import Theorem, combined_hypotheses

_ZERO = num(0)
_OTHER_FORM = "the body is no product of tr(P Z) and one other factor"
_TAME_HEADS = {"+", "*", "M.tr", "M.mul", "M.add", "M.scale", "M.T", *FUNCTION_HEADS}


def _parts_of_mean(node: Term) -> tuple[tuple[Term, ...], Term, tuple[Term, ...]]:
    """Return the variables, the body and the laws of a mean over matrices."""
    require(node[0] == "M.E", "the node is no mean over matrices")
    return bound_variables(node), binder_bodies(node)[0], parts_outside_binder(node)


def tame_conditions(t: Term, letters: frozenset[Term], with_derivative: bool = False) -> list[Term]:
    """Return formulas under which a term or a matrix is tame in letters; refuse other ones.

    If `with_derivative`, it has to be differentiable, too.
    """
    spend_work(NODE * len(t))
    if not free_symbols(t) & letters:
        if is_matrix(t):
            return defined_by_equation(t)
        return [] if t[0] == "n" else [definedness_equation(t)]
    if t in letters:
        return []
    require(
        not with_derivative or t[0] != "M.hess", "a Hessian of a random vector has no derivative"
    )
    is_power = t[0] == "^" and t[1] > 0 and t[2] == 1
    require(is_power or t[0] in _TAME_HEADS, f"{t[0]} of a random matrix is not known to be tame")
    parts = (part for _, part in places_and_subterms(t))
    return [p for part in parts for p in tame_conditions(part, letters, with_derivative)]


def _derivative_at_zero(s: Term, body: Term) -> Term:
    return "d", (1,), (s,), (body,), (_ZERO,)


def _moved(x: Term, s: Term, y: Term) -> Term:
    """Return the matrix x + s y."""
    return "M.add", x, ("M.scale", s, y)


@rule("mean exists", "t")
def _mean_exists(node: Term) -> Any:
    """Conclude that the mean of a tame term is defined."""
    names, body, _ = _parts_of_mean(node)
    asked = tame_conditions(body, frozenset(names))
    return asked, well_formed(definedness_equation(node), *asked), ("gaussian-moments",)


@rule("compare means", "t", "ts", "ts", premises=1)
def _compare_means(
    theorem: Theorem, node: Term, factors: tuple[Term, ...], parts: tuple[Term, ...]
) -> Any:
    """Conclude how E f compares with sum c E g from a premise that f so compares with sum c g."""
    names, body, _ = _parts_of_mean(node)
    require(len(factors) == len(parts) > 0, "the numbers of factors and parts differ, or are 0")
    require_names_absent(names, factors, "a factor contains a variable of the node")
    require(not any(map(has_copy_sum_outside_expectation, factors)), "a factor contains copies")
    kind = theorem.conclusion[0]
    require(kind in ("=", "<", "<="), "the premise is no relation =, < or <=")
    said = well_formed((kind, body, linear_combination_term(factors, parts)))
    is_said = is_same_term(theorem.conclusion, said)
    require(is_said, "the premise does not compare the body with the combination")
    given = hypotheses_left_by_binder(node, combined_hypotheses([theorem])).values()
    means = [replace_parts(node, {(2, 0): f}) for f in parts]
    asked = [*map(definedness_equation, means if kind == "=" else (*means, node))]
    conclusion = well_formed((kind, node, linear_combination_term(factors, means)), *asked)
    return [*given, *asked], conclusion, ("integral-linearity",)


@rule("stein for matrices", "t", "t")
def _stein(node: Term, z: Term) -> Any:
    """Conclude E tr(P Z) F = E d/ds tr(P Y) F at s = 0, P and F at Z + s Y, Y a copy of Z."""
    names, body, laws = _parts_of_mean(node)
    require(z in names, "Z is no variable of the mean")
    law = laws[names.index(z)]
    is_product = body[0] == "*" and len(body) == 3 and body[1][0] == "M.tr"
    require(is_product, _OTHER_FORM)
    (_, (_, inner), factor) = body
    require(inner[0] == "M.mul" and len(inner) == 3 and inner[2] == z, _OTHER_FORM)
    p = inner[1]
    asked = tame_conditions(body, frozenset(names), with_derivative=True)
    taken = free_symbols(body).union(names)
    y = fresh_symbol(z, taken)
    s = fresh_symbol(("s", "s", "R"), taken | {y})
    put = {z: _moved(z, s, y)}
    trace = ("M.tr", ("M.mul", substitute(p, put), y))
    slope = _derivative_at_zero(s, ("*", trace, substitute(factor, put)))
    value = ("M.E", names, (("M.E", (y,), (slope,), (law,)),), laws)
    return asked, well_formed(("=", node, value), *asked), ("stein-lemma-of-matrices",)


@rule("poincare for matrices", "t")
def _poincare(node: Term) -> Any:
    """Conclude E f^2 - (E f)^2 <= E (d/ds f(X + s Y) at s = 0)^2, Y a copy of all matrices X."""
    names, body, laws = _parts_of_mean(node)
    asked = tame_conditions(body, frozenset(names), with_derivative=True)
    taken = free_symbols(body).union(names)
    copies = fresh_symbols_by_symbol(names, taken)
    s = fresh_symbol(("s", "s", "R"), taken.union(copies.values()))
    moved = substitute(body, {x: _moved(x, s, y) for x, y in copies.items()})
    square = square_term(_derivative_at_zero(s, moved))
    bound = ("M.E", names, (("M.E", tuple(copies.values()), (square,), laws),), laws)
    second = replace_parts(node, {(2, 0): square_term(body)})
    variance = ("+", second, neg(square_term(node)))
    said = well_formed(("<=", variance, bound), *asked)
    return asked, said, ("poincare-inequality-of-matrices",)

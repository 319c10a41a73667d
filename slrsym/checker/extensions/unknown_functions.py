"""Unknown functions of vectors in the extension `matrices`, with gradients and Hessians.

A function is a pair of a name and a size. It is twice continuously differentiable, and it, its
gradient and its Hessian grow at most as a power; it is a function of its vector and of nothing
else. A gradient and a Hessian are matrices, known by their keys in words.
`docs/reference/checker-unknown-functions.md` specifies this part.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from slrsym.checker.conditions_on_values import substitution_conditions
from slrsym.checker.differentiation import DERIVATIVES
from slrsym.checker.extensions.matrix_language import (
    NAME,
    require_bindable_letters,
    rule,
    shape,
    well_formed,
)
from slrsym.checker.extensions.matrix_words import expand_matrix
from slrsym.checker.extensions.registration import register_head
from slrsym.checker.ring import NORMAL_FORMS, Fraction, Ring
from slrsym.checker.term import (
    FORMULAS,
    TERM_HEADS,
    Rejected,
    Term,
    binder_bodies,
    bound_variables,
    canonical_key,
    free_symbols,
    is_formula,
    is_same_term,
    is_valid_name,
    parts_outside_binder,
    require,
    substitute,
)
from slrsym.checker.theorem import Theorem

FUNCTION_HEADS = ("M.h", "M.grad", "M.hess")


# -- nodes ----------------------------------------------------------------------------------------


def _check_function(t: Term) -> None:
    require(len(t) == 3, "a function is not of one vector")
    require(is_valid_name(t[1]), "a function of a vector has no name")
    require(shape(t[2])[1] == "1", "a function is of a matrix that is no vector")


def _check_for_all(t: Term) -> None:
    require_bindable_letters(t)
    body = binder_bodies(t)
    require(len(body) == 1 and is_formula(body[0]), "M.forall has not one body, a formula")
    require(not parts_outside_binder(t), "M.forall has a part outside of it")


def _function_symbol(t: Term) -> frozenset[Term]:
    """Return the function that a node applies: its name, and the size of its vector."""
    return frozenset({("M.h", t[1], shape(t[2])[0])})


register_head(NAME, "M.h", 1, _check_function, kinds=[TERM_HEADS], own_symbols=_function_symbol)
register_head(NAME, "M.grad", 1, _check_function, own_symbols=_function_symbol)
register_head(NAME, "M.hess", 1, _check_function, own_symbols=_function_symbol)
register_head(NAME, "M.forall", 0, _check_for_all, kinds=[FORMULAS], is_binder=True)


# -- normal forms and derivatives -----------------------------------------------------------------


def _normal_form_of_value(ring: Ring, t: Term) -> Fraction:
    # For what has to be defined.
    expand_matrix(ring, t[2], frozenset())
    return ring.x[ring.find_or_create_generator_index("h", t[1], canonical_key(t[2]))], ring.one


def _derivative_of_value(t: Term, _: Term, derived: Callable[[Term], Term]) -> Term:
    return "M.tr", ("M.mul", ("M.T", ("M.grad", *t[1:])), derived(t[2]))


def _derivative_of_gradient(t: Term, _: Term, derived: Callable[[Term], Term]) -> Term:
    return "M.mul", ("M.hess", *t[1:]), derived(t[2])


def _no_derivative(t: Term, x: Term, derived: Callable[[Term], Term]) -> Term:
    raise Rejected("a Hessian of an unknown function has no derivative")


NORMAL_FORMS["M.h"] = _normal_form_of_value
DERIVATIVES.update({
    "M.h": _derivative_of_value, "M.grad": _derivative_of_gradient, "M.hess": _no_derivative,
})  # fmt: skip


# -- rules ----------------------------------------------------------------------------------------


@rule("equal vectors", "t", premises=1)
def _value_at_equal_vector(theorem: Theorem, node: Term) -> Any:
    """Conclude that a function, its gradient or its Hessian is the same at an equal vector."""
    require(node[0] in FUNCTION_HEADS, "the node is no unknown function, gradient or Hessian")
    require(theorem.conclusion[0] == "M.eq", "the premise is no equation of matrices")
    _, a, b = theorem.conclusion
    require(is_same_term(a, node[2]), "the left side of the premise is another vector")
    kind = "=" if node[0] == "M.h" else "M.eq"
    said = well_formed((kind, node, (*node[:2], b)))
    return theorem.hypotheses.values(), said, ()


@rule("generalise letters", "ts", premises=1)
def _generalise_letters(theorem: Theorem, letters: tuple[Term, ...]) -> Any:
    """Conclude "for all matrices", if no hypothesis contains one of the letters."""
    said = well_formed(("M.forall", letters, (theorem.conclusion,), ()))
    given = theorem.hypotheses.values()
    spoken = frozenset().union(*map(free_symbols, given))
    caught = sorted(x[1] for x in letters if x in spoken)
    require(not caught, f"a hypothesis contains {', '.join(caught)}")
    return given, said, ()


@rule("specialise letters", "ts", premises=1)
def _specialise_letters(theorem: Theorem, values: tuple[Term, ...]) -> Any:
    """Conclude a theorem on all matrices at given ones."""
    p = theorem.conclusion
    require(p[0] == "M.forall", "the premise is no statement for all matrices")
    letters, (body,) = bound_variables(p), binder_bodies(p)
    require(len(letters) == len(values), "the numbers of values and of letters differ")
    pairs = [*zip(letters, values, strict=True)]
    asked = [c for x, v in pairs for c in substitution_conditions(x, v)]
    said = well_formed(substitute(body, dict(pairs)), *asked)
    return [*theorem.hypotheses.values(), *asked], said, ()

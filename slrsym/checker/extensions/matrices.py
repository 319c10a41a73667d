"""Rules of the extension `matrices`: matrices of free size, traces and Gaussian means.

Vectors are matrices with one column. Equations of matrices are shown by their traces with any other
matrix, and means over Gaussian matrices by Isserlis' theorem. The extension has heads of its own;
`docs/reference/checker-matrices.md` specifies it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from slrsym.checker.arithmetic import ring_from_evidence
from slrsym.checker.differentiation import DERIVATIVES, square_term
from slrsym.checker.extensions import unknown_function_means, unknown_functions  # noqa: F401
from slrsym.checker.extensions.matrix_language import (
    WITH_INVERSE,
    defined_by_equation,
    is_covariance,
    require_square,
    rule,
    shape,
    well_formed,
)
from slrsym.checker.extensions.matrix_means import (
    is_zero_polynomial,
    mean_body_as_polynomial,
    polynomial_in_traces,
    value_of_mean,
)
from slrsym.checker.extensions.matrix_words import add_to_sum
from slrsym.checker.term import (
    NODE,
    Term,
    canonical_key,
    free_symbols,
    is_same_term,
    num,
    require,
    spend_work,
)
from slrsym.checker.theorem import Theorem, combined_hypotheses


def _trace_of_product(*parts: Term) -> Term:
    return ("M.tr", ("M.mul", *parts))


# -- derivatives ----------------------------------------------------------------------------------


def _derivative_inside(t: Term, _: Term, derived: Callable[[Term], Term]) -> Term:
    return t[0], derived(t[1])


def _derivative_of_product(t: Term, x: Term, derived: Callable[[Term], Term]) -> Term:
    spend_work(NODE * len(t) ** 2)
    places = [i for i in range(1, len(t)) if x in free_symbols(t[i])]
    return ("M.add", *((*t[:i], derived(t[i]), *t[i + 1 :]) for i in places))


def _derivative_of_sum(t: Term, x: Term, derived: Callable[[Term], Term]) -> Term:
    return ("M.add", *(derived(part) for part in t[1:] if x in free_symbols(part)))


def _derivative_of_multiple(t: Term, x: Term, derived: Callable[[Term], Term]) -> Term:
    _, c, a = t
    terms = [("M.scale", derived(c), a)] if x in free_symbols(c) else []
    terms += [("M.scale", c, derived(a))] if x in free_symbols(a) else []
    return ("M.add", *terms)


DERIVATIVES.update({
    "M.tr": _derivative_inside, "M.T": _derivative_inside, "M.mul": _derivative_of_product,
    "M.add": _derivative_of_sum, "M.scale": _derivative_of_multiple,
})  # fmt: skip


# -- equations ------------------------------------------------------------------------------------


@rule("isserlis", "ts", "t", "json", premises=None)
def _mean_of_traces(
    premises: Sequence[Theorem], hypotheses: tuple[Term, ...], p: Term, evidence: Any
) -> Any:
    """Conclude the mean of a polynomial in traces over independent Gaussian matrices."""
    require(p[0] == "=" and p[1][0] == "M.E", "the goal is no value of a mean over matrices")
    ring = ring_from_evidence(premises, hypotheses, evidence)
    # The generators of the mean come last, as evidence for both sides speaks of theirs.
    body, value = mean_body_as_polynomial(ring, p[1]), polynomial_in_traces(ring, p[2])
    difference = value_of_mean(ring, p[1], body)
    for product, (n, d) in value.items():
        add_to_sum(ring, difference, product, (-n, d))
    require(is_zero_polynomial(ring, difference), "the mean has another value")
    given = combined_hypotheses(premises) | {canonical_key(h): h for h in hypotheses}
    return given.values(), p, ("isserlis",)


@rule("matrix identity", "t", "t", premises=1)
def _matrix_identity(theorem: Theorem, goal: Term, z: Term) -> Any:
    """Conclude that two matrices are equal, as their traces with any third one are."""
    require(goal[0] == "M.eq", "the goal is no equation of matrices")
    require(z[0] == "M" and z[2] == "M" and not z[5], "Z is no letter of sort M without a family")
    _, a, b = goal
    said = well_formed(("=", _trace_of_product(a, z), _trace_of_product(b, z)))
    require(is_same_term(theorem.conclusion, said), "the premise says no equation of the traces")
    given = theorem.hypotheses.values()
    spoken = free_symbols(goal).union(*map(free_symbols, given))
    require(z not in spoken, "the goal or a hypothesis contains Z")
    return given, goal, ()


@rule("sandwich", "t", "t", premises=1)
def _trace_of_equal_matrices(theorem: Theorem, left: Term, right: Term) -> Any:
    """Conclude tr(P A Q) = tr(P B Q) from A = B."""
    require(theorem.conclusion[0] == "M.eq", "the premise is no equation of matrices")
    sides = (_trace_of_product(left, t, right) for t in theorem.conclusion[1:])
    asked = defined_by_equation(left, right)
    return [*theorem.hypotheses.values(), *asked], well_formed(("=", *sides), *asked), ()


@rule("equal matrices", premises=2)
def _equal_matrices(theorem: Theorem, equation: Theorem) -> Any:
    """Conclude that B is semidefinite, or invertible, as A is and A = B."""
    head, *parts = theorem.conclusion
    is_kind = head in ("M.psd", "M.invertible")
    require(is_kind, "the first premise says of no matrix that it is semidefinite or invertible")
    require(equation.conclusion[0] == "M.eq", "the second premise is no equation of matrices")
    _, a, b = equation.conclusion
    require(is_same_term(parts[0], a), "the equation is of another matrix")
    return combined_hypotheses((theorem, equation)).values(), (head, b), ()


# -- what is semidefinite or invertible -----------------------------------------------------------


def _families_of(t: Term) -> set[tuple[str, str]] | None:
    """Return the families in which a matrix is made of letters, 1 and operations; None if none."""
    if t[0] in ("M", "M.inv"):
        letter = t if t[0] == "M" else t[1]
        return {(letter[5], letter[3])} if letter[5] else None
    if t[0] == "M.id":
        return set()
    if t[0] in ("M.grad", "M.hess"):
        return None
    found: set[tuple[str, str]] = set()
    for part in t[2:] if t[0] == "M.scale" else t[1:]:
        inner = _families_of(part)
        if inner is None:
            return None
        found |= inner
    return found


def _are_of_one_family(parts: Sequence[Term]) -> bool:
    families = _families_of(("M.mul", *parts))
    return families is not None and len(families) <= 1


@rule("semidefinite", "t")
def _semidefinite(t: Term) -> Any:
    """Conclude that a matrix is symmetric and semidefinite, as its parts are."""
    require_square(t)
    asked = _conditions_of_semidefinite(t)
    return asked, well_formed(("M.psd", t), *asked), ()


def _conditions_of_semidefinite(t: Term) -> list[Term]:
    head, *parts = t
    if is_covariance(t) or (head == "M.inv" and t[1][2] == "S>0"):
        return []
    if head == "M.scale":
        return [("<=", num(0), t[1]), ("M.psd", t[2])]
    if head in ("M.T", "M.add") or (head == "M.mul" and len(parts) == 1):
        return [("M.psd", part) for part in parts]
    require(head == "M.mul", "the form of the matrix does not show that it is semidefinite")
    if _are_of_one_family(parts):
        return [("M.psd", part) for part in parts]
    first, *between, last = parts
    mirrored = last == ("M.T", first) or first == ("M.T", last)
    require(mirrored, "the product is no B C B', and not of one commuting family")
    inner: Term = between[0] if len(between) == 1 else ("M.mul", *between)
    return [("M.psd", inner)] * bool(between) + defined_by_equation(first)


@rule("invertible", "t")
def _invertible(t: Term) -> Any:
    """Conclude that a matrix is invertible, as its parts are."""
    require_square(t)
    head, *parts = t
    asked: list[Term] = []
    if head == "M.scale":
        asked = [("!=", t[1], num(0)), ("M.invertible", t[2])]
    elif head == "M.mul":
        for part in parts:
            require_square(part)
    elif head == "M.add":
        asked = [*(("M.psd", part) for part in parts), ("M.invertible", t[1])]
    if head in ("M.T", "M.mul"):
        asked = [("M.invertible", part) for part in parts]
    is_plain = head in ("M.id", "M.inv") or (head == "M" and t[2] in WITH_INVERSE)
    require(asked or is_plain, "the form of the matrix does not show that it is invertible")
    return asked, well_formed(("M.invertible", t), *asked), ()


@rule("symmetric", premises=1)
def _symmetric(theorem: Theorem) -> Any:
    """Conclude that a semidefinite matrix is symmetric."""
    require(theorem.conclusion[0] == "M.psd", "the premise says of no matrix that it is so")
    t = theorem.conclusion[1]
    return theorem.hypotheses.values(), ("M.eq", ("M.T", t), t), ()


# -- traces of semidefinite matrices --------------------------------------------------------------


@rule("trace of semidefinite", "t", "t")
def _trace_of_semidefinite(p: Term, q: Term) -> Any:
    """Conclude 0 <= tr(P Q) for semidefinite P and Q: it is the squared length of a matrix."""
    asked: list[Term] = [("M.psd", p), ("M.psd", q)]
    return asked, well_formed(("<=", num(0), _trace_of_product(p, q)), *asked), ()


@rule("definite trace", "t", "t", "t")
def _definite_trace(p: Term, y: Term, q: Term) -> Any:
    """Conclude that Y = 0, or 0 < tr(P Y Q Y'), for definite P and Q."""
    asked = [(head, t) for t in (p, q) for head in ("M.psd", "M.invertible")]
    value = _trace_of_product(p, y, q, ("M.T", y))
    said = ("or", ("M.eq", y, ("M.scale", num(0), y)), ("<", num(0), value))
    given = [*asked, *defined_by_equation(y)]
    return given, well_formed(said, *given), ()


@rule("cauchy-schwarz for matrices", "t", "t", "t")
def _cauchy_schwarz(a: Term, p: Term, b: Term) -> Any:
    """Conclude tr(A' P B)^2 <= tr(A' P A) tr(B' P B) for a semidefinite P."""
    require(shape(a) == shape(b), "the two matrices have other shapes")
    mixed, first, second = (
        _trace_of_product(("M.T", s), p, t) for s, t in ((a, b), (a, a), (b, b))
    )
    said = ("<=", square_term(mixed), ("*", first, second))
    given = [("M.psd", p), *defined_by_equation(a, b)]
    return given, well_formed(said, *given), ()


@rule("size", "t")
def _size(t: Term) -> Any:
    """Conclude that a size is an integer, at least 1."""
    require(t[0] == "M.dim", "the term is no size")
    return [], ("and", ("o", "integer", t), ("<=", num(1), t)), ()

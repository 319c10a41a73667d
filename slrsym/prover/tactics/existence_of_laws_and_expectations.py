"""Evidence that probability laws exist and that expectations converge."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import product
from typing import Any

import sympy as sp

from slrsym.checker import Inference, Rejected
from slrsym.checker.expectations import law_moments, semidefinite_conditions
from slrsym.checker.term import (
    RELATIONS,
    Term,
    binder_bodies,
    bound_variables,
    free_symbols,
    is_same_term,
    parts_outside_binder,
)
from slrsym.gaussian.binding import Expectation
from slrsym.gaussian.integrals import ldl_decomposition
from slrsym.gaussian.law import GaussianLaw
from slrsym.prover.rules.context import Context
from slrsym.prover.tactics.arithmetic import is_improper_integral, opaque_terms, prove_in_context
from slrsym.prover.tactics.emission import FAILURES, ProofEmitter
from slrsym.prover.tactics.expectations import ExpectationCalculus
from slrsym.prover.tactics.registration import register_prover
from slrsym.prover.tactics.subterm_paths import paths_to_subterm, replace_at_paths
from slrsym.prover.tactics.term_to_sympy import TermToSympy

# -- existence --------------------------------------------------------------------------------


# By head of a term, the rules for equations with it, by which it is defined.
_RULES_OF_DEFINEDNESS: dict[str, tuple[str, ...]] = {
    "E": ("integrable", "gaussian integral", "centred pair"),
    "copies": ("copies exist",),
    "d": ("price", "derivative of expectation"),
}


def _prove_defined(emitter: ProofEmitter, node: Term, context: Context) -> Inference:
    """Prove that an expectation, a derivative of one, or a sum of copies is defined."""
    if node[0] == "d" and binder_bodies(node)[0][0] != "E":
        raise Rejected("the derivative of no expectation")
    first: Callable[[], Inference] | None = None
    for rule in _RULES_OF_DEFINEDNESS[node[0]]:
        way = partial(_prove_defined_by_rule, emitter, rule, node, context)
        mark = len(emitter.script.lines)
        with suppress(*FAILURES):
            line = way()
            if not emitter.rests_on_trust(line):
                return line
            first = first or way
        emitter.undo_from(mark)
    if first is None:
        raise Rejected("no rule says that it is defined")
    # The refusal then says which condition of the first rule is not shown. One without symbols is
    # a false statement on numbers, which says nothing of the expectation to its reader.
    mark = len(emitter.script.lines)
    line = first()
    conditions = [data[2] for rule, _, data in emitter.script.lines[mark:] if rule == "unchecked"]
    if any(p[0] in RELATIONS and not free_symbols(p) for p in conditions):
        raise Rejected("a condition of the rule is false")
    return line


def _prove_defined_by_rule(
    emitter: ProofEmitter, rule: str, node: Term, context: Context
) -> Inference:
    line = emitter.script.add(rule, (), node)
    if not is_same_term(*line.theorem.conclusion[1:]):
        line = emitter.script.add("defined", [line], [1])
    return emitter.discharge_hypotheses(line, context)


def _prove_existence(
    emitter: ProofEmitter,
    p: Term,
    given: Sequence[Term],
    context: Context,
    lines: Sequence[Inference] = (),
) -> Inference:
    """Prove that expectations or their derivatives exist, or that a matrix is semidefinite."""
    if p[0] == "=" and is_improper_integral(p[1]) and is_same_term(p[1], p[2]):
        return emitter.discharge_hypotheses(emitter.script.add("bells", (), p[1]), context)
    if p[0] == "=" and p[1][0] in _RULES_OF_DEFINEDNESS and is_same_term(p[1], p[2]):
        with suppress(*FAILURES):
            return emitter.run_and_undo_on_failure(_prove_defined, emitter, p[1], context)
    part: Term = binder_bodies(p)[0] if p[0] == "forall" else ("",)
    says_defined = part[0] == "=" and part[1] == part[2]
    if p[:2] == ("o", "moderate") or says_defined:
        function = ("lam", bound_variables(p), (part[1],), ()) if says_defined else p[2]
        with suppress(Rejected):
            line = emitter.script.add("moderate", (), function)
            line = emitter.infer_by_logic([line], line.theorem.hypotheses.values(), p)
            return emitter.discharge_hypotheses(line, context)
    if p[0] == "forall":
        names = bound_variables(p)
        ways = [
            partial(way, line, part, context)
            for line in _instantiate_hypotheses(emitter, names, context)
            for way in (emitter.conclude, partial(_prove_by_rewriting, emitter))
        ]
        own = tuple(h for h in given if not free_symbols(h) & set(names))
        shown = emitter.try_in_turn([*ways, partial(emitter.require_proof, part, own, context)], "")
        for x in reversed(names):
            shown = emitter.script.add("generalise", [shown], x)
        return emitter.infer_by_logic([shown], shown.theorem.hypotheses.values(), p)
    if p[:2] == ("o", "psd"):
        return _prove_semidefinite(emitter, p, given, context)
    if p[0] in RELATIONS and opaque_terms(p):
        return ExpectationCalculus(emitter, context).prove(p, lines)
    raise Rejected("another question")


def _instantiate_hypotheses(
    emitter: ProofEmitter, names: Sequence[Term], context: Context
) -> list[Inference]:
    """Return universally quantified hypotheses, instantiated at given variables."""
    return [
        emitter.specialise_hypothesis(h, names, context)
        for h in emitter.hypotheses(context)
        if h[0] == "forall" and [x[2] for x in bound_variables(h)] == [x[2] for x in names]
    ]


def _prove_by_rewriting(
    emitter: ProofEmitter, line: Inference, p: Term, context: Context
) -> Inference:
    """Prove a relation by replacing the left side of an equation by the right side."""
    shown = line.theorem.conclusion
    if shown[0] != "=" or not (paths := paths_to_subterm(p, shown[1])):
        raise Rejected("there is no equation, or its left side does not stand there")
    other = prove_in_context(emitter, replace_at_paths(p, paths, shown[2]), context, [line])
    return emitter.rewrite(other, line, paths)


register_prover(2, _prove_existence)


# -- matrices -------------------------------------------------------------------------------------


def _prove_semidefinite(
    emitter: ProofEmitter, p: Term, given: Sequence[Term], context: Context
) -> Inference:
    """Prove a matrix positive semidefinite, as an image of a given one or by elimination."""
    for source, rows in _factorisations(emitter, _stated_matrix(emitter, p), given):
        with suppress(*FAILURES):
            return emitter.run_and_undo_on_failure(
                _prove_image_semidefinite, emitter, p, source, rows, context
            )
    raise Rejected("no reason why a matrix is positive semidefinite")


def _prove_image_semidefinite(
    emitter: ProofEmitter, p: Term, source: Term, rows: Any, context: Context
) -> Inference:
    """Prove B S B^T positive semidefinite, from the entries of B and a semidefinite S."""
    line = emitter.script.add("psd image", (), p, source, tuple(map(emitter.term, rows)))
    for h in line.theorem.hypotheses.values():
        emitter.require_proof(h, emitter.hypotheses(context), context)
    return emitter.discharge_hypotheses(line, context)


def _stated_matrix(emitter: ProofEmitter, p: Term) -> sp.Matrix:
    """Return the matrix that a formula states to be positive semidefinite."""
    entries = list(map(TermToSympy(emitter.translator).expression, p[2][1:]))
    return sp.Matrix(round(len(entries) ** 0.5), round(len(entries) ** 0.5), entries)


def _factorisations(
    emitter: ProofEmitter, matrix: sp.Matrix, given: Sequence[Term]
) -> Iterator[tuple[Term, Any]]:
    """Yield semidefinite matrices S, with the entries of B, such that a matrix is B S B^T."""
    n = matrix.rows
    for h in given:
        if h[:2] == ("o", "psd"):
            whole = _stated_matrix(emitter, h)
            for rows in product(range(whole.rows), repeat=n):
                scale = [sp.sqrt(matrix[i, i] / whole[r, r]) for i, r in enumerate(rows)]
                fits = (
                    sp.expand(matrix[i, j] - scale[i] * scale[j] * whole[rows[i], rows[j]]) == 0
                    for i in range(n)
                    for j in range(i)
                )
                if all(fits):
                    places = (
                        [scale[i] if r == k else 0 for k in range(whole.rows)]
                        for i, r in enumerate(rows)
                    )
                    yield h, [c for row in places for c in row]
    if (column := _rank_one_factor(matrix)) is not None:
        yield ("tuple", emitter.term(sp.S.One)), column
    found = ldl_decomposition(matrix)
    if found is not None:
        diagonal, lower = found
        yield ("tuple", *map(emitter.term, diagonal)), list(lower)


def _rank_one_factor(matrix: sp.Matrix) -> list[sp.Expr] | None:
    """Return a vector u such that the matrix is u u^T entry by entry, or None."""
    sizes = [sp.powdenest(sp.sqrt(sp.factor(x)), force=True) for x in matrix.diagonal()]
    first = next((i for i, u in enumerate(sizes) if u != 0), 0)
    column = [u if sp.expand(sizes[first] * u - x) == 0 else -u
              for u, x in zip(sizes, matrix.row(first), strict=True)]  # fmt: skip
    wrong = matrix - sp.Matrix(column) * sp.Matrix(column).T
    return column if wrong.applyfunc(sp.expand).is_zero_matrix else None


def store_existence_proof_of_image_law(
    work: ExpectationCalculus, node: Expectation, forms: dict[Any, Any], law: GaussianLaw
) -> None:
    """Prove that the linear image of a diagonal Gaussian law exists, and store the proof."""
    if not law.cov.is_diagonal():
        return
    diagonal = ("tuple", *(work.emitter.term(law.cov[i, i]) for i in range(law.cov.rows)))
    for block, t in zip(
        node.law.independent_laws(), parts_outside_binder(work.term(node)), strict=True
    ):
        for p in semidefinite_conditions(law_moments(t)[1]) if len(block.symbols) > 1 else ():
            if p[0] == "o":
                rows = [forms[s].coeff(x) for s in block.symbols for x in law.symbols]
                with suppress(*FAILURES):
                    line = _prove_image_semidefinite(work.emitter, p, diagonal, rows, work.context)
                    work.emitter.store_proof(p, work.context, line)

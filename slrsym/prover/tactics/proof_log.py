"""Creation of proof logs, which hold the inferences that prove each claim."""

from __future__ import annotations

import lzma
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from sympy import cos, erf, erfc, exp, sin

from slrsym.checker import ProvedClaims
from slrsym.files import replace_atomically
from slrsym.gaussian.binding import Expectation
from slrsym.gaussian.bivariate_normal import bivariate_normal_cdf
from slrsym.gaussian.law import GaussianLaw
from slrsym.gaussian.special_functions import OwensT, erf_prime, normal_cdf, zeta
from slrsym.prover.rules.claim_steps import ClaimWithEvidence, steps_of_claim
from slrsym.prover.rules.expectations import GaussianCalculusRule
from slrsym.prover.rules.inequalities import BallArithmeticRule
from slrsym.prover.rules.step import Step
from slrsym.prover.statements.expressions import ProofError
from slrsym.prover.tactics import (
    calculus,
    closed_forms,
    derivatives_of_laws,
    elementary_function_identities,
    equal_arguments,
    equations_of_sums,
    existence_of_laws_and_expectations,
    expectation_inequalities,
    gaussian_rules,
    instances_of_matrices,
    inverse_trigonometric_functions,
    limits_by_leading_terms,
    lines_between_vectors,
    lipschitz_bounds,
    logarithms,
    matrices,
    matrix_functions,
    means_of_functions,
    nonzero_factors,
    orbits,
    solution_sets_by_cases,
    structure,
    subterm_generalisation,
)
from slrsym.prover.tactics.arithmetic import EVIDENCE_CACHE
from slrsym.prover.tactics.emission import ProofEmitter
from slrsym.prover.tactics.log_records import (
    TermTable,
    extensions_of_records,
    log_lines,
    tuples_to_lists,
)
from slrsym.prover.tactics.log_reuse import EarlierInferences, records_with_fewest_axioms
from slrsym.prover.tactics.translation import Untranslatable

# Imported because these modules register emitters.
TACTIC_MODULES = (
    structure, solution_sets_by_cases, existence_of_laws_and_expectations,
    limits_by_leading_terms, calculus, orbits,
    gaussian_rules, expectation_inequalities, closed_forms, subterm_generalisation,
    elementary_function_identities, equal_arguments, logarithms, inverse_trigonometric_functions,
    equations_of_sums, derivatives_of_laws, matrices,
    matrix_functions, means_of_functions, lines_between_vectors,
    lipschitz_bounds, instances_of_matrices, nonzero_factors,
)  # fmt: skip


def all_needed_claim_ids_in_order(
    ids: Iterable[str], find: Callable[[str], ClaimWithEvidence]
) -> list[str]:
    """Sort claims, together with all claims they use, so that each follows those it uses."""
    order: dict[str, None] = {}
    open_ones: set[str] = set()

    def visit(id: str) -> None:
        if id in order or id in open_ones:
            return
        open_ones.add(id)
        for used in claim_ids_used_by(find(id), find):
            visit(used)
        order[id] = None

    for id in ids:
        visit(id)
    return list(order)


def claim_ids_used_by(
    claim: ClaimWithEvidence, find: Callable[[str], ClaimWithEvidence]
) -> list[str]:
    """Return the claims that a claim's evidence may cite."""
    steps = steps_of_claim(claim, find)
    used = dict.fromkeys(id for s in steps for id in (*s.uses, *_implicitly_cited_claims(s)))
    return [id for id in used if id != claim.id]


# The claims that prove the values at 0 that SymPy gives to special functions.
_AT_ZERO = ((OwensT, "owens-t-at-zero"), (zeta, "zeta-at-zero"))


def _implicitly_cited_claims(step: Step) -> Iterator[str]:
    """Yield the claims cited by the evidence of a step, apart from those that its rule names."""
    yield from (id for function, id in _AT_ZERO if step.statement.has(function))
    has, is_calculus = step.statement.has, isinstance(step.rule, GaussianCalculusRule)
    owens_t = has(OwensT, bivariate_normal_cdf)
    if has(Expectation) and (
        isinstance(step.rule, BallArithmeticRule) or (is_calculus and owens_t)
    ):
        yield "zeta-owens-t"
    means = step.statement.atoms(Expectation)
    factors = [node.integrand.atoms(erf, erfc, normal_cdf) for node in means]
    if is_calculus and owens_t and any(len(found) > 1 for found in factors):
        yield "erf-product-on-line"
    if is_calculus and any(node.integrand.has(sin, cos) for node in means):
        yield from ("mean-of-cosine", "mean-of-sine")
    if is_calculus and any(
        map(_has_functions_of_correlated_variables, step.statement.atoms(Expectation))
    ):
        yield from ("gaussian-factor-and-erf", "two-gaussian-factors")


def _has_functions_of_correlated_variables(e: Expectation) -> bool:
    """Return whether erf or exp has correlated variables in an integrand."""
    functions = e.integrand.atoms(erf, erf_prime, exp)
    names = set().union(*(f.free_symbols for f in functions))
    blocks = (b for b in e.law.independent_laws() if isinstance(b, GaussianLaw))
    return any(len(names & set(b.symbols)) > 1 for b in blocks)


def emit_claim(
    claim: ClaimWithEvidence, find: Callable[[str], ClaimWithEvidence], proved_claims: ProvedClaims,
    earlier: EarlierInferences | None = None, patience: float = 1.0,
    refuted_step_labels: Iterable[str] = (),
) -> tuple[dict[str, Any], ProofEmitter]:  # fmt: skip
    """Translate a claim and add it to the proved claims; return its log record and emitter."""
    emitter = ProofEmitter(claim, find, proved_claims, earlier, patience, refuted_step_labels)
    statement = emitter.formula(claim.statement)
    context, given = emitter.claim_context_and_hypotheses
    if claim.is_empirical or claim.certificate() is not None:
        what = "an experiment" if claim.is_empirical else "a certificate"
        line = emitter.add_unchecked(what, f"{what}, no proof", given, statement)
    else:
        proof = claim.build_proof()
        shown = emitter.emit_proof(proof, context)
        last = steps_of_claim(claim, find)[-1]
        line = emitter.emit_step(
            last, lambda: emitter.conclude(shown, statement, context), "statement"
        )
    return emitter.script.finish_claim(claim.id, statement, given, line), emitter


def emit_records(
    ids: Iterable[str], find: Callable[[str], ClaimWithEvidence], left_out: list[str] | None = None,
    earlier: Mapping[str, Any] | None = None, patience: float = 1.0,
) -> Iterator[tuple[dict[str, Any], ProofEmitter]]:  # fmt: skip
    """Yield the log record and the emitter of each claim, after those of the claims it uses."""
    # Otherwise the evidence would depend on earlier searches.
    EVIDENCE_CACHE.clear()
    proved_claims = ProvedClaims()
    for id in all_needed_claim_ids_in_order(ids, find):
        try:
            yield emit_claim(
                find(id),
                find,
                proved_claims,
                EarlierInferences((earlier or {}).get(id, {})),
                patience,
            )
        except Untranslatable:
            if left_out is None:
                raise
            left_out.append(id)


def write_log(
    path: Path, ids: Iterable[str], find: Callable[[str], ClaimWithEvidence], seed: int = 0,
    earlier: Sequence[Path] = (), patience: float = 1.0,
) -> tuple[Counter[tuple[str, bool]], list[str]]:  # fmt: skip
    """Write the log of claims and of those they use; return counts of steps by kind and evidence.

    Evidence of earlier logs is reused for unchanged steps, and checked again. Claims that the proof
    checker has no words for are left out, and returned, too.
    """
    records, counts = [], Counter[tuple[str, bool]]()
    left_out: list[str] = []
    known = records_with_fewest_axioms(*earlier)
    for record, emitter in emit_records(ids, find, left_out, known, patience):
        records.append(record)
        counts.update((outcome.kind, not outcome.refusal) for outcome in emitter.outcomes)
    header = {
        "seed": seed, "slrsym": version("slrsym"), "extensions": extensions_of_records(records)
    }  # fmt: skip
    with replace_atomically(path) as draft:
        data = "".join(f"{line}\n" for line in log_lines(header, records)).encode()
        draft.write_bytes(lzma.compress(data, preset=9) if path.suffix == ".xz" else data)
    return counts, left_out


def statement_and_step_records(
    ids: Iterable[str], find: Callable[[str], ClaimWithEvidence]
) -> Iterator[dict[str, Any]]:
    """Yield records that state the claims and their steps, without evidence."""
    for id in ids:
        emitter, table = ProofEmitter(find(id), find, ProvedClaims()), TermTable()
        try:
            statement = tuples_to_lists(emitter.formula(emitter.claim.statement))
            given = list(map(tuples_to_lists, emitter.claim_context_and_hypotheses[1]))
            steps = [
                [
                    step.label,
                    table.row_number(emitter.formula(step.statement)),
                    [*map(table.row_number, emitter.hypotheses(step.context))],
                ]
                for step in steps_of_claim(emitter.claim, find)
            ]
        # No log states such a claim.
        except (Untranslatable, ProofError):
            statement, given, steps = ["o", "unsaid"], [], []
        yield {
            "claim": id, "given": given, "statement": statement, "terms": table.rows,
            "steps": steps,
        }  # fmt: skip

"""Statements for all values of a variable, from theorems in which the variable is free."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from slrsym.checker import Inference, Rejected
from slrsym.checker.term import (
    Term,
    binder_bodies,
    bound_variables,
    free_symbols,
    fresh_symbol,
    substitute,
)
from slrsym.prover.rules.context import Context


def conclude_for_all(emitter: Any, shown: Inference, wanted: Term, context: Context) -> Inference:
    """Derive a statement for all values of a variable from a theorem about a free symbol.

    The symbol is one of the theorem that no hypothesis restricts. Its name need not be that of the
    variable. `emitter` is a `ProofEmitter`, whose module imports this one.
    """
    (variable,) = bound_variables(wanted)
    supposed = set().union(*map(free_symbols, shown.theorem.hypotheses.values()))
    values = sorted(free_symbols(shown.theorem.conclusion) - supposed)
    for symbol in values:
        if symbol[2] not in (variable[2], variable[2][0]):
            continue
        with suppress(Rejected):
            shown_for_all: Inference = emitter.run_and_undo_on_failure(
                _generalise, emitter, shown, symbol, wanted, context
            )
            return shown_for_all
    raise Rejected(f"it does not follow from {emitter.formula_text(shown.theorem.conclusion)}")


def _generalise(
    emitter: Any, shown: Inference, symbol: Term, wanted: Term, context: Context
) -> Inference:
    """Put a new variable for a symbol of a theorem, conclude the body, and generalise."""
    (variable,), (body,) = bound_variables(wanted), binder_bodies(wanted)
    formulas = [*shown.theorem.hypotheses.values(), shown.theorem.conclusion, body]
    new = fresh_symbol(variable, sorted(set().union(*map(free_symbols, formulas))))
    line = emitter.script.add("instance", [shown], ((symbol, new),))
    line = emitter.conclude(line, substitute(body, {variable: new}), context)
    line = emitter.discharge_hypotheses(line, context)
    line = emitter.script.add("generalise", [line], new)
    concluded: Inference = emitter.infer_by_logic([line], line.theorem.hypotheses.values(), wanted)
    return concluded

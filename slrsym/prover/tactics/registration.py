"""Registration of the functions that prove steps: by rule, and by kind of proof."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from slrsym.checker import Inference
from slrsym.prover.rules.context import Context
from slrsym.prover.rules.step import Rule, Step

# A function of a `ProofEmitter`, a step and the inferences that prove its premises; it returns the
# inference that proves the step.
StepEmitter: TypeAlias = Callable[[Any, Step, Sequence[Inference]], Inference]
EMITTERS: dict[str, StepEmitter] = {}
USER_EMITTERS: dict[type, StepEmitter] = {}
PROOF_EMITTERS: dict[str, Callable[[Any, Any, Context, str], Inference]] = {}
# The provers of formulas that a step needs besides its premises, in the order of their ranks. The
# order of imports, which are sorted by name, decides nothing.
PROVERS: list[Callable[..., Inference]] = []
_RANKS: list[int] = []


def _register_in(table: dict[Any, Any], names: Sequence[Any]) -> Callable[[Any], Any]:
    """Return a decorator that enters a function in a table under each of some names."""

    def register(function: Any) -> Any:
        table.update(dict.fromkeys(names, function))
        return function

    return register


def register_emitter_for_rules(*rules: str) -> Callable[[StepEmitter], StepEmitter]:
    """Register a function that emits the evidence for rules of the given class names."""
    return _register_in(EMITTERS, rules)


def tactic(rule: type[Rule]) -> Callable[[StepEmitter], StepEmitter]:
    """Register a function that emits the evidence for a user-defined rule.

    Parameters
    ----------
    rule : type
        The class of the rule.

    Returns
    -------
    callable
        A decorator of a function of the `ProofEmitter`, the `Step`, and the inferences that show
        the rule's premises. It returns the inference that shows the step, and raises `Rejected` or
        `Refused` if there is none.
    """
    return _register_in(USER_EMITTERS, (rule,))


def register_emitter_for_proofs(*names: str) -> Callable[[Any], Any]:
    """Register a function that emits the inferences of a kind of proof, named by its class."""
    return _register_in(PROOF_EMITTERS, names)


def register_prover(rank: int, prover: Callable[..., Inference]) -> None:
    """Register a prover of formulas; those of low rank, which cost little, are asked first."""
    at = bisect(_RANKS, rank)
    _RANKS.insert(at, rank)
    PROVERS.insert(at, prover)

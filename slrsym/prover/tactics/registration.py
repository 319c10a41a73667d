"""Registration of the functions that prove steps: by rule, and by kind of proof."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, TypeVar

from slrsym.checker import Inference
from slrsym.prover.rules.context import Context
from slrsym.prover.rules.step import Proof, Rule, Step

_F = TypeVar("_F", bound=Callable[..., Inference])
# A function of a `ProofEmitter`, a step and the inferences that prove its premises; it returns the
# inference that proves the step.
StepEmitter: TypeAlias = Callable[[Any, Step, Sequence[Inference]], Inference]
EMITTERS: dict[type[Rule], StepEmitter] = {}
USER_EMITTERS: dict[type, StepEmitter] = {}
PROOF_EMITTERS: dict[type[Proof], Callable[[Any, Any, Context, str], Inference]] = {}
# The provers of formulas that a step needs besides its premises, in the order of their ranks. The
# order of imports, which are sorted by name, decides nothing.
PROVERS: list[Callable[..., Inference]] = []
_RANKS: list[int] = []


def _register_in(table: dict[Any, Any], kinds: Sequence[Any]) -> Callable[[Any], Any]:
    """Return a decorator that enters a function in a table under each of some classes."""

    def register(function: Any) -> Any:
        table.update(dict.fromkeys(kinds, function))
        return function

    return register


def register_emitter_for_rules(*rules: type[Rule]) -> Callable[[StepEmitter], StepEmitter]:
    """Register a function that emits the evidence for rules of the given classes."""
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


def register_emitter_for_proofs(*kinds: type[Proof]) -> Callable[[Any], Any]:
    """Register a function that emits the inferences of kinds of proofs, given by their classes."""
    return _register_in(PROOF_EMITTERS, kinds)


def register_prover(rank: int, prover: Callable[..., Inference]) -> None:
    """Register a prover of formulas; those of low rank, which cost little, are asked first."""
    at = bisect(_RANKS, rank)
    _RANKS.insert(at, rank)
    PROVERS.insert(at, prover)


# The provers by linearity of expectations, for steps that arithmetic alone does not prove, and of a
# relation from hypotheses by arithmetic. The `ProofEmitter` asks for them, which they work on.
PROVER_BY: dict[str, Callable[..., Inference]] = {}


def register_prover_by(way: str) -> Callable[[_F], _F]:
    """Register a prover that the `ProofEmitter` asks for by name: linearity, or arithmetic."""

    def register(prover: _F) -> _F:
        PROVER_BY[way] = prover
        return prover

    return register

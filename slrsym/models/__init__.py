"""Attention-like models with exact risk, gradient, training dynamics and critical points."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from slrsym.models.definition.exchangeable_units import Directions
    from slrsym.models.definition.specification import (
        Direction,
        Noise,
        NotClosedError,
        Predictor,
        Token,
        TokenSequence,
        logistic,
        softmax,
    )
    from slrsym.models.landscape.branches import Branch, BranchEvent
    from slrsym.models.landscape.critical_point_table import CriticalPoint, CriticalPoints
    from slrsym.models.stated_model import Model, model
    from slrsym.models.training.equations import Equations
    from slrsym.models.training.fixed_points import FixedPoint, Linearisation
    from slrsym.models.training.runs import Runs
    from slrsym.models.training.solutions import NotSolvedError

__all__ = [
    "Branch",
    "BranchEvent",
    "CriticalPoint",
    "CriticalPoints",
    "Direction",
    "Directions",
    "Equations",
    "FixedPoint",
    "Linearisation",
    "Model",
    "Noise",
    "NotClosedError",
    "NotSolvedError",
    "Predictor",
    "Runs",
    "Token",
    "TokenSequence",
    "logistic",
    "model",
    "softmax",
]  # fmt: skip

# Loaded when first asked for: runs of a model whose programs are on disk need no SymPy.
_LAZY = {
    **dict.fromkeys(("Model", "model"), "slrsym.models.stated_model"),
    **dict.fromkeys(
        (
            "Direction",
            "Noise",
            "NotClosedError",
            "Predictor",
            "TokenSequence",
            "Token",
            "logistic",
            "softmax",
        ),
        "slrsym.models.definition.specification",
    ),
    **dict.fromkeys(
        ("CriticalPoint", "CriticalPoints"), "slrsym.models.landscape.critical_point_table"
    ),
    **dict.fromkeys(("Branch", "BranchEvent"), "slrsym.models.landscape.branches"),
    "Directions": "slrsym.models.definition.exchangeable_units",
    "Equations": "slrsym.models.training.equations",
    **dict.fromkeys(("FixedPoint", "Linearisation"), "slrsym.models.training.fixed_points"),
    "NotSolvedError": "slrsym.models.training.solutions",
    "Runs": "slrsym.models.training.runs",
}


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

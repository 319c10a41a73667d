"""Attention-like models with exact risk, gradient, training dynamics and critical points."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from slrsym.models.additive_model import Model, model
    from slrsym.models.equations import Equations
    from slrsym.models.fixed_points import FixedPoint, Linearisation
    from slrsym.models.moments import NotClosedError
    from slrsym.models.point_table import StationaryPoint, StationaryPoints
    from slrsym.models.specification import Direction, Predictor, Sequence, Token, logistic, softmax
    from slrsym.models.units import Directions
    from slrsym.runs import Runs

__all__ = [
    "Direction", "Directions", "Equations", "FixedPoint", "Linearisation", "Model",
    "NotClosedError", "Predictor", "Runs", "Sequence", "StationaryPoint", "StationaryPoints",
    "Token", "logistic", "model", "softmax",
]  # fmt: skip

# Loaded when first asked for: runs of a model whose programs are on disk need no SymPy.
_LAZY = {
    **dict.fromkeys(("Model", "model"), "slrsym.models.additive_model"),
    **dict.fromkeys(
        ("Direction", "Predictor", "Sequence", "Token", "logistic", "softmax"),
        "slrsym.models.specification",
    ),
    "NotClosedError": "slrsym.models.moments",
    **dict.fromkeys(("StationaryPoint", "StationaryPoints"), "slrsym.models.point_table"),
    "Directions": "slrsym.models.units",
    "Equations": "slrsym.models.equations",
    **dict.fromkeys(("FixedPoint", "Linearisation"), "slrsym.models.fixed_points"),
    "Runs": "slrsym.runs",
}


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

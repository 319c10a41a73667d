"""Attention layers that solve single-location regression (arXiv 2410.01537).

The task, its risk with derivatives, and descent; `symbolic` holds what is derived from the
definition of the risk, `dynamics` projected gradient descent, `landscape` the critical points.
"""

from __future__ import annotations

from importlib import import_module as _import_module
from typing import TYPE_CHECKING, Any

from slrsym.registry import register

if TYPE_CHECKING:
    from slrsym.papers.single_location.dynamics import simulate
    from slrsym.papers.single_location.paper_risk import excess_risk, gradient, hessian, risk
    from slrsym.papers.single_location.task import OrderParameters, Task

__all__ = ["OrderParameters", "Task", "excess_risk", "gradient", "hessian", "risk", "simulate"]

# Loaded when first asked for.
_LAZY = {
    "OrderParameters": f"{__name__}.task",
    "Task": f"{__name__}.task",
    "simulate": f"{__name__}.dynamics",
    **dict.fromkeys(("excess_risk", "gradient", "hessian", "risk"), f"{__name__}.paper_risk"),
}

register(
    {
        "commands.single-location": f"{__name__}.commands.app",
        "models.single-location": f"{__name__}.registered_models.MODELS",
        "notation.single-location": f"{__name__}.documents.task_notation.NOTATION",
        "pictures.single-location": f"{__name__}.documents.stored_figures.PICTURES",
        "interactive.single-location": f"{__name__}.documents.phase_portrait.PORTRAIT",
        "figures.single-location": f"{__name__}.figures.entries.FIGURES",
        "certificates.single-location": f"{__name__}.certify.statements.KINDS",
        "theorems.single-location": f"{__name__}.theorems.THEOREMS",
        "runs.single-location": f"{__name__}.dynamics.runs.TASK_RUNS",
    }
)


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(_import_module(_LAZY[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

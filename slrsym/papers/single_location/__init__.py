"""Attention layers that solve single-location regression (arXiv 2410.01537)."""

from slrsym.registry import register

register(
    {
        "certificates.single-location": f"{__name__}.certify.statements.KINDS",
        "runs.single-location": f"{__name__}.dynamics.runs.TASK_RUNS",
    }
)

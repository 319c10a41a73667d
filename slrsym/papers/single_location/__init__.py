"""Attention layers that solve single-location regression (arXiv 2410.01537)."""

from slrsym.registry import register

register(
    {
        "commands.single-location": f"{__name__}.commands.app",
        "figures.single-location": f"{__name__}.figures.entries.FIGURES",
        "certificates.single-location": f"{__name__}.certify.statements.KINDS",
        "runs.single-location": f"{__name__}.dynamics.runs.TASK_RUNS",
    }
)

"""Attention layers that solve single-location regression (arXiv 2410.01537)."""

from slrsym.registry import register

register(
    {
        "commands.single-location": f"{__name__}.commands.app",
        "models.single-location": f"{__name__}.registered_models.MODELS",
        "notation.single-location": f"{__name__}.documents.task_notation.NOTATION",
        "pictures.single-location": f"{__name__}.documents.stored_figures.PICTURES",
        "interactive.single-location": f"{__name__}.documents.phase_portrait.PORTRAIT",
        "figures.single-location": f"{__name__}.figures.entries.FIGURES",
        "certificates.single-location": f"{__name__}.certify.statements.KINDS",
        "runs.single-location": f"{__name__}.dynamics.runs.TASK_RUNS",
    }
)

"""Committee machines that learn from a teacher (Saad and Solla 1995)."""

from slrsym.registry import register

register(
    {
        "figures.committee": f"{__name__}.figure_entries.FIGURES",
        "models.committee": f"{__name__}.registered_models.MODELS",
    }
)

"""A model in LaTeX: laws of the projections, risk, and the gradient."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sympy import latex

if TYPE_CHECKING:
    from slrsym.models.model import Model

__all__ = ["written_model"]


def written_model(model: Model) -> str:
    """Displays for a document with amsmath."""
    parts = [r"Order parameters: $" + ", ".join(map(latex, model.order_parameters)) + "$."]
    for token in model.data.tokens:
        if model.roles[token, next(iter(model.predictor.bias or (None,)))].directions:
            parts += [f"Projections of a token ({token.name}):", _display(latex(model.law(token)))]
    if not model.closed_form:
        return "\n".join([*parts, f"The risk is no closed form: {model.risk.reason}.", ""])
    parts += ["The risk:", _display("R = " + latex(model.risk))]
    parts.append("Its slopes:")
    for p, slope in zip(model.order_parameters, model.gradient, strict=True):
        parts.append(_display(rf"\partial_{{{latex(p)}}} R = {latex(slope)}"))
    return "\n".join([*parts, ""])


def _display(text: str) -> str:
    return rf"\begin{{dmath*}}{text}\end{{dmath*}}".replace("dmath*", "equation*")

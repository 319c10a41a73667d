"""Linear models of matrices of any size: their risk, its gradient, flow and minimum, exactly."""

from slrsym.models.matrices.eigenvalue_equations import EigenvalueEquations
from slrsym.models.matrices.matrix_flow import MatrixFixedPoint, MatrixFlow
from slrsym.models.matrices.matrix_minimum import MatrixMinimum
from slrsym.models.matrices.matrix_model import MatrixModel
from slrsym.models.matrices.reduced_flow import ReducedFlow
from slrsym.models.matrices.statements import (
    LinearAttention,
    LinearNetwork,
    Prompt,
    PromptWords,
    Regression,
)

__all__ = [
    "EigenvalueEquations",
    "LinearAttention",
    "LinearNetwork",
    "MatrixFixedPoint",
    "MatrixFlow",
    "MatrixMinimum",
    "MatrixModel",
    "Prompt",
    "PromptWords",
    "ReducedFlow",
    "Regression",
]

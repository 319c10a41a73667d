"""Models whose risk is a polynomial in traces: risk, gradient, flow, minimum, and claims."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from slrsym.files import text_written_as_well
from slrsym.models.matrices.matrix_flow import MatrixFlow
from slrsym.models.matrices.matrix_minimum import MatrixMinimum, minimum_of_model
from slrsym.models.matrices.matrix_risk import MatrixRisk
from slrsym.models.matrices.matrix_velocities import checked_rates
from slrsym.registry import load_registered

if TYPE_CHECKING:
    from slrsym.prover.claims.claim import Claim


class MatrixModel(MatrixRisk):
    """A model on matrices of any size, with its exact risk.

    The letters made by `matrix` and the real symbols of the predictor are trained. All others are
    parameters, and so are the sizes.

    Parameters
    ----------
    data : Prompt or Regression
        The law of the inputs, and the target.
    predictor : LinearAttention or LinearNetwork
        The function that is trained: linear attention on prompts, or a network on a regression.

    Raises
    ------
    TypeError
        If the data are something else, or the predictor is none for them.
    ValueError
        If nothing in the predictor is trained.
    ProofError
        If sizes do not match, two symbols have one name, the prediction is no polynomial in the
        matrices of the data, or its mean has too many terms.
    """

    def equations(self, kind: str = "gradient-flow", *, rate: Any = None) -> MatrixFlow:
        """Return the equations of motion in matrices.

        Parameters
        ----------
        kind : {'gradient-flow', 'projected-descent'}, optional
            Continuous time, or steps.
        rate : Expr or mapping, optional
            The rate of all, or of each trained letter and symbol; by default the symbol ``rate``.
            With half of the squared error as the loss, a rate is twice as large as here.

        Returns
        -------
        MatrixFlow

        Raises
        ------
        ValueError
            If `kind` is another one, or `rate` is negative or has a key that is not trained.
        """
        if kind not in ("gradient-flow", "projected-descent"):
            raise ValueError(
                f"kind must be 'gradient-flow' or 'projected-descent' for matrices; got {kind!r}. "
                "Online SGD needs the covariance of the gradients of single samples"
            )
        return MatrixFlow(self, kind, checked_rates(self.trained, rate))

    def to_latex(self, file: str | Path | None = None) -> str:
        """Return the laws of the data, the risk and its gradient as LaTeX text.

        Lines are broken for a text of 6.5 in. Before a line that is wider stands a comment that
        says so.

        Parameters
        ----------
        file : str or Path, optional
            Where to write the text as well.

        Returns
        -------
        str
            Displays for a document with amsmath and amssymb.

        Raises
        ------
        ValueError
            If the file cannot be written.
        """
        return text_written_as_well(lambda: load_registered("matrix_model.latex")(self), file)

    def _repr_html_(self) -> str:
        return str(load_registered("matrix_model.html")(self))

    @cached_property
    def minimum(self) -> MatrixMinimum:
        """The least risk over all matrices P in the prediction, with its certificate.

        Raises
        ------
        ValueError
            If the prediction is not linear in one matrix, or the equation for the best one has no
            solution of the form K^-1 Y.
        """
        return minimum_of_model(self)

    def claims(self, name: str = "model", source: str = "new") -> list[Claim]:
        """Return claims that the risk and the gradient follow from the definition.

        Parameters
        ----------
        name : str, optional
            Prefix of the ids, in lower case.
        source : str, optional
            Of the claims.

        Returns
        -------
        list of Claim
            The risk, from the mean of the squared error, and the gradient in each trained letter or
            number.

        Notes
        -----
        The proof checker keeps at most 64 different traces apart in a step. It refuses the claim on
        a gradient with more, such as that of two layers with any matrices.
        """
        from slrsym.models.matrices.matrix_claims import claims_about_model

        return claims_about_model(self, name, source)

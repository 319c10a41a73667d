"""Models whose risk is a polynomial in traces: risk, gradient, flow, minimum, and claims."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from slrsym.models.matrices.matrix_flow import MatrixFlow
from slrsym.models.matrices.matrix_minimum import MatrixMinimum, minimum_of_model
from slrsym.models.matrices.matrix_risk import MatrixRisk
from slrsym.models.matrices.matrix_velocities import checked_rates
from slrsym.models.matrices.shown_formulas import ShownFormulas

if TYPE_CHECKING:
    from slrsym.prover.claims.claim import Claim


class MatrixModel(ShownFormulas, MatrixRisk):
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

    _kind, _drawn = "matrix_model", 'equations().reduced("F").at_size(2)'

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

"""Derive and machine-check exact results about learning from Gaussian data.

`slrsym.gaussian` is the calculus of Gaussian expectations, `slrsym.models` derives the risk of a
stated model and runs its training, `slrsym.proof` has the names with which derivations are written,
and ``slrsym.papers`` holds what single papers need.
"""

from __future__ import annotations

from importlib import import_module as _import_module
from importlib.metadata import version as _version
from typing import TYPE_CHECKING, Any

from slrsym.registry import register as _register

if TYPE_CHECKING:
    from slrsym.gaussian import Expectation, GaussianLaw, expectation, standard_normal
    from slrsym.models import Direction, Directions, Predictor, Token, TokenSequence, model
    from slrsym.prover.claims.ledger import Ledger

__all__ = [
    "Direction",
    "Directions",
    "Expectation",
    "GaussianLaw",
    "Predictor",
    "Token",
    "TokenSequence",
    "__version__",
    "expectation",
    "ledger",
    "model",
    "standard_normal",
]

__version__ = _version("slrsym")

# Loaded when first asked for, so that the command line starts at once.
_LAZY = {
    **dict.fromkeys(
        ("Expectation", "GaussianLaw", "expectation", "standard_normal"), "slrsym.gaussian"
    ),
    **dict.fromkeys(
        ("Direction", "Directions", "Predictor", "Token", "TokenSequence", "model"),
        "slrsym.models",
    ),
}


# How objects of lower rooms are written by higher ones.
_register({
    "chain.html": "slrsym.documents.export.notebook.chain_html",
    "chain.latex": "slrsym.documents.export.notebook.chain_latex",
    "claim.cell": "slrsym.documents.export.notebook.cell_latex",
    "claim.html": "slrsym.documents.export.notebook.claim_html",
    "claim.latex": "slrsym.documents.export.notebook.claim_latex",
    "expectation.closed_form": "slrsym.gaussian.closed_form.closed_form",
    "expectation.html": "slrsym.documents.typeset.formula_mathml",
    "expectation.latex": "slrsym.documents.typeset.formula_latex",
    "expectation.reason": "slrsym.gaussian.closed_form.reason_without_closed_form",
    "expectation.value": "slrsym.crosscheck.expectation_evalf.evaluate",
    "fields.html": "slrsym.documents.typeset.tables.html_of_fields",
    "critical_points.html": "slrsym.models.notebook_tables.critical_points_html",
    "equations.html": "slrsym.models.notebook_tables.equations_html",
    "equations.latex": "slrsym.models.model_formulas.equations_latex",
    "fixed_point.html": "slrsym.models.notebook_tables.fixed_point_html",
    "linearisation.html": "slrsym.models.notebook_tables.linearisation_html",
    "matrix_fixed_point.html": "slrsym.models.matrices.matrix_formulas.matrix_fixed_point_html",
    "matrix_flow.html": "slrsym.models.matrices.matrix_formulas.matrix_flow_html",
    "matrix_flow.latex": "slrsym.models.matrices.matrix_formulas.matrix_flow_latex",
    "matrix_minimum.html": "slrsym.models.matrices.matrix_formulas.matrix_minimum_html",
    "matrix_model.html": "slrsym.models.matrices.matrix_formulas.matrix_model_html",
    "matrix_model.latex": "slrsym.models.matrices.matrix_formulas.matrix_model_latex",
    "model.html": "slrsym.models.notebook_tables.model_html",
    "model.latex": "slrsym.models.model_formulas.model_latex",
    "draw.field": "slrsym.documents.figures.direction_fields.plot_direction_field",
    "draw.portrait": "slrsym.documents.figures.portraits.write_portrait",
    "draw.landscape": "slrsym.documents.figures.risk_maps.plot_risk_map",
    "numba.functions": "slrsym.kernels._numba_owens.compile_owens",
    "numba.owens_t": "slrsym.kernels._numba_owens.owens_t",
    "draw.runs": "slrsym.documents.figures.training_curves.plot_training_curves",
    "numba.zeta": "slrsym.kernels._numba_owens.gaussian_zeta",
})  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(_import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'slrsym' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)


def ledger() -> Ledger:
    """Return the ledger of the claims that come with slrsym.

    Returns
    -------
    Ledger
        Its ``claims`` by id; ``verify()`` checks them.

    Raises
    ------
    DerivationError
        If the installation has no derivations.
    """
    from slrsym.prover.claims.ledger import builtin_ledger

    return builtin_ledger()

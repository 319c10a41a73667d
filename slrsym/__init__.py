"""Derive and machine-check exact results about learning from Gaussian data.

The paper is arXiv 2410.01537. `slrsym.gaussian` is the calculus of Gaussian expectations,
`slrsym.proof` the engine that checks derivations, `slrsym.papers.single_location.symbolic` holds
what is derived from the definition of the risk, `slrsym.kernels` the fast functions made of it, and
`slrsym.papers.single_location.dynamics` projected gradient descent.
"""

from __future__ import annotations

from importlib import import_module as _import_module
from importlib.metadata import version as _version
from typing import TYPE_CHECKING, Any

from slrsym.registry import register as _register

if TYPE_CHECKING:
    from slrsym.kernels import zeta
    from slrsym.papers.single_location.dynamics import simulate
    from slrsym.papers.single_location.paper_risk import excess_risk, gradient, hessian, risk
    from slrsym.papers.single_location.task import OrderParameters, Task
    from slrsym.prover.claims.ledger import Ledger

__all__ = [
    "OrderParameters",
    "Task",
    "__version__",
    "excess_risk",
    "gradient",
    "hessian",
    "ledger",
    "risk",
    "simulate",
    "zeta",
]

__version__ = _version("slrsym")

# Loaded when first asked for, so that the command line starts at once.
_LAZY = {
    "OrderParameters": "slrsym.papers.single_location.task",
    "Task": "slrsym.papers.single_location.task",
    "simulate": "slrsym.papers.single_location.dynamics",
    **dict.fromkeys(
        ("excess_risk", "gradient", "hessian", "risk"), "slrsym.papers.single_location.paper_risk"
    ),
    "zeta": "slrsym.kernels",
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
    "numba.functions": "slrsym.kernels._numba_owens.compile_owens",
    "numba.owens_t": "slrsym.kernels._numba_owens.owens_t",
    "numba.zeta": "slrsym.kernels._numba_owens.gaussian_zeta",
})  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(_import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'slrsym' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


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

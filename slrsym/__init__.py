"""Symbolic-numeric verification of a paper on attention and single-location regression.

The paper is arXiv 2410.01537. `slrsym.gaussian` is the calculus of Gaussian expectations,
`slrsym.proof` the engine that checks derivations, and `slrsym.risk` holds what is derived from the
definition of the risk.
"""

from __future__ import annotations

from importlib.metadata import version as _version
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from slrsym.proof.ledger import Ledger

__all__ = ["__version__", "ledger"]

__version__ = _version("slrsym")


def ledger() -> Ledger:
    """Every claim that comes with the package.

    Returns
    -------
    Ledger
        Its ``claims`` by id; ``verify()`` checks them.

    Raises
    ------
    DerivationError
        If the installation has no derivations.
    """
    from slrsym.proof.ledger import builtin_ledger

    return builtin_ledger()

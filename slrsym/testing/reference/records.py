"""What the reference values are of, and what is kept of them."""

from __future__ import annotations

from typing import Any, NamedTuple

__all__ = ["DIGITS", "Derivatives", "RiskReference", "Setting", "ZetaReference"]

# How many are kept.
DIGITS = 45


class Setting(NamedTuple):
    """Where the risk is computed."""

    state: tuple[float, ...]
    lam: float
    gamma: float
    d: int
    L: int


class Derivatives(NamedTuple):
    """The excess risk and its derivatives in the overlaps."""

    excess_risk: tuple[Any, ...]
    gradient: tuple[Any, ...]
    hessian: tuple[Any, ...]


class RiskReference(NamedTuple):
    """What is kept for a setting."""

    region: str
    setting: Setting
    values: Derivatives


class ZetaReference(NamedTuple):
    r"""Second moment and variance of :math:`\operatorname{erf}(t + sG)`."""

    region: str
    t: float
    s: float
    zeta: Any
    variance: Any

"""What the reference values are of, and what is kept of them."""

from __future__ import annotations

from typing import Any, NamedTuple

__all__ = ["DIGITS", "Derivatives", "RiskReference", "Setting", "ZetaReference"]

# How many are kept.
DIGITS = 45


class Setting(NamedTuple):
    """Where the risk is computed.

    Parameters
    ----------
    state : tuple of float
        Overlaps kappa, nu, theta, eta, rho.
    lam : float
        Inverse temperature.
    gamma : float
        Standard deviation of the informative token.
    d, L : int
        Dimension and number of tokens.
    """

    state: tuple[float, ...]
    lam: float
    gamma: float
    d: int
    L: int


class Derivatives(NamedTuple):
    """The excess risk and its derivatives in the overlaps.

    Parameters
    ----------
    excess_risk : tuple of mpf
        One number.
    gradient : tuple of mpf
        Five.
    hessian : tuple of mpf
        The upper triangle, row by row: fifteen.
    """

    excess_risk: tuple[Any, ...]
    gradient: tuple[Any, ...]
    hessian: tuple[Any, ...]


class RiskReference(NamedTuple):
    """What is kept for a setting.

    Parameters
    ----------
    region : str
        One of `RISK_REGIONS`.
    setting : Setting
        Where.
    values : Derivatives
        To `DIGITS` digits of the largest entry of each.
    """

    region: str
    setting: Setting
    values: Derivatives


class ZetaReference(NamedTuple):
    r"""Second moment and variance of :math:`\operatorname{erf}(t + sG)`.

    Parameters
    ----------
    region : str
        One of `ZETA_REGIONS`.
    t, s : float
        Mean and standard deviation of the argument.
    zeta, variance : mpf
        To `DIGITS` digits.
    """

    region: str
    t: float
    s: float
    zeta: Any
    variance: Any

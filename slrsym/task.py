r"""Single-location regression: the laws of the tokens, seen through the directions of interest.

Given the location :math:`J_0`, the informative token is
:math:`X_{J_0} \sim N(\sqrt{d/2}\,k^\star, \gamma^2 I_d)`, every other token is standard normal in
:math:`\mathbb{R}^d`, and the output is :math:`Y = X_{J_0}\cdot v^\star + \xi`. The erf attention
predictor, equation (3), sees a token X only through :math:`U = X\cdot k` and :math:`V = X\cdot v`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from sympy import Matrix, Symbol, sqrt, symbols

from slrsym.gaussian import GaussianLaw, NoiseLaw, ProductLaw
from slrsym.notation import d, epsilon, eta, gamma, kappa, nu, rho, theta

# Powers of larger ones overflow.
_MOST = 10**150


@dataclass(frozen=True)
class Task:
    """A single-location regression task.

    The task is that of Section 2.1, under Assumption 1.

    Parameters
    ----------
    d : int
        Dimension of a token, at least 2.
    L : int
        Number of tokens, at least 1.
    gamma : float
        Standard deviation of the informative token, positive.
    epsilon : float, optional
        Standard deviation of the output noise, not negative.

    Raises
    ------
    ValueError
        If a value is outside of its range; it names the argument, its value and what is allowed.
    """

    d: int
    L: int
    gamma: float
    epsilon: float = 0.0

    def __post_init__(self) -> None:
        for name, least in (("d", 2), ("L", 1)):
            given = getattr(self, name)
            try:
                whole = int(given)
            except (TypeError, ValueError, OverflowError):
                whole = least - 1
            if isinstance(given, bool) or whole != given or whole < least:
                raise ValueError(f"{name} must be an integer of at least {least}; got {given!r}")
            if whole > _MOST:
                digits = math.ceil(whole.bit_length() * math.log10(2))
                raise ValueError(f"{name} must be at most 1e150; got one of {digits} digits")
            object.__setattr__(self, name, whole)
        for name in ("gamma", "epsilon"):
            given = getattr(self, name)
            try:
                value = float(given)
            except (TypeError, ValueError, OverflowError):
                value = math.nan
            if not math.isfinite(value) or value < 0 or (name == "gamma" and value == 0):
                allowed = "positive" if name == "gamma" else "not negative"
                raise ValueError(f"{name} must be finite and {allowed}; got {given!r}")
            object.__setattr__(self, name, value)


def settings_of(task: Task) -> dict[str, Any]:
    """A task as attributes of data: task_d, task_L, task_gamma, task_epsilon."""
    return {f"task_{name}": getattr(task, name) for name in Task.__dataclass_fields__}


def task_of(settings: Mapping[Any, Any]) -> Task:
    """The task that attributes of data say."""
    return Task(*(settings[f"task_{name}"] for name in Task.__dataclass_fields__))


class OrderParameters(NamedTuple):
    r"""The overlaps that the risk depends on, in the order in which arrays hold them.

    They are the arguments of the risk in Theorem 1.

    Parameters
    ----------
    kappa : float
        :math:`k \cdot k^\star`.
    nu : float
        :math:`v \cdot v^\star`.
    theta : float
        :math:`v \cdot k^\star`.
    eta : float
        :math:`k \cdot v^\star`.
    rho : float
        :math:`k \cdot v`.
    """

    kappa: float
    nu: float
    theta: float
    eta: float
    rho: float


# The oracle predictor: k = k*, v = v*.
ORACLE = OrderParameters(kappa=1.0, nu=1.0, theta=0.0, eta=0.0, rho=0.0)

U1, V1, Y1 = symbols("U_1 V_1 Y_1", real=True)
U, V = symbols("U V", real=True)
xi = Symbol("xi", real=True)


def informative_token() -> GaussianLaw:
    r"""Law of :math:`(X_{J_0}\cdot k,\; X_{J_0}\cdot v,\; X_{J_0}\cdot v^\star)`, named U1, V1, Y1.

    Notes
    -----
    Its mean is :math:`\sqrt{d/2}\,(\kappa, \theta, 0)`, by Assumption 1, and its covariance
    :math:`\gamma^2` times the Gram matrix of :math:`(k, v, v^\star)`. The claim
    ``theorem-1-projections`` derives both from the law of the token.
    """
    mean = {U1: sqrt(d / 2) * kappa, V1: sqrt(d / 2) * theta, Y1: 0}
    return GaussianLaw(mean, gamma**2 * Matrix([[1, rho, eta], [rho, 1, nu], [eta, nu, 1]]))


def other_token() -> GaussianLaw:
    r"""Law of :math:`(X_l\cdot k,\; X_l\cdot v)` for any other token, named U, V."""
    return GaussianLaw({U: 0, V: 0}, [[1, rho], [rho, 1]])


def noise() -> NoiseLaw:
    r"""Law of the output noise :math:`\xi`: mean zero, second moment :math:`\varepsilon^2`."""
    return NoiseLaw(xi, epsilon**2)


def token_law(names: tuple[Symbol, ...]) -> ProductLaw:
    r"""Law of an informative token, in an orthonormal basis whose first is :math:`k^\star`."""
    means = [sqrt(d / 2), *[0] * (len(names) - 1)]
    return ProductLaw(
        *(GaussianLaw({x: m}, [[gamma**2]]) for x, m in zip(names, means, strict=True))
    )

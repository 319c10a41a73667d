"""The task of single-location regression: its parameters, and the overlaps."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, NamedTuple

# Powers of larger ones overflow.
_MOST = 10**150


@dataclass(frozen=True)
class Task:
    """A single-location regression task, given by its parameters.

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
            if value > _MOST:
                raise ValueError(f"{name} must be at most 1e150; got {given!r}")
            object.__setattr__(self, name, value)

    @property
    def kernel_parameters(self) -> tuple[float, float, float, float]:
        """The parameters gamma, d, L and epsilon, in the order that compiled functions take."""
        return self.gamma, float(self.d), float(self.L), self.epsilon


def task_settings(task: Task) -> dict[str, Any]:
    """Return a task's parameters as a dictionary with keys task_d, task_L and so on."""
    return {f"task_{name}": getattr(task, name) for name in Task.__dataclass_fields__}


def task_from_settings(settings: Mapping[Any, Any]) -> Task:
    """Return the task whose parameters a mapping has under task_d, task_L and so on."""
    return Task(*(settings[f"task_{name}"] for name in Task.__dataclass_fields__))


class OrderParameters(NamedTuple):
    r"""The five overlaps kappa, nu, theta, eta and rho, in the order in which arrays have them.

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


# Where the overlaps stand above the diagonal of the Gram matrix of k, v, k*, v*.
PLACES = ((0, 2), (1, 3), (1, 2), (0, 3), (0, 1))

# The oracle predictor: k = k*, v = v*.
ORACLE = OrderParameters(kappa=1.0, nu=1.0, theta=0.0, eta=0.0, rho=0.0)


# Loaded when first asked for: numbers need no laws.
_LAWS = (
    "U1", "V1", "Y1", "U", "V", "xi", "informative_token_law", "informative_token_coordinates_law",
    "noise", "other_token_law",
)  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in _LAWS:
        return getattr(import_module("slrsym.papers.single_location.token_laws"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

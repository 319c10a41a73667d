"""What descent from uniform starts depends on."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slrsym.dynamics.schedules import Inverse, temperatures
from slrsym.dynamics.starts import uniform_overlaps
from slrsym.kernels.arguments import positive, whole
from slrsym.task import Task

__all__ = ["Setting"]


@dataclass(frozen=True)
class Setting:
    r"""Projected gradient descent with :math:`\lambda_t = \lambda_0/(1 + ct)`.

    It is that of Definition 1, with the schedule of figures 4(a) and 5.

    Parameters
    ----------
    lam0 : float
        Inverse temperature at the start, positive.
    rate : float
        The c of the schedule, not negative; 0 for a constant inverse temperature.
    d : int
        Dimension of a token, at least 2.
    L : int
        Number of tokens, at least 1.
    gamma : float
        Standard deviation of the informative token, positive.
    alpha : float
        Step size, positive.
    steps : int
        How many steps, at least 1.

    Raises
    ------
    ValueError
        If a value is out of its range; it names the argument, its value and what is allowed.

    Examples
    --------
    >>> Setting(1, 1e-4, 400, 10, 0.5**0.5, 4e-3, 120_000).final_lam.round(4)
    np.float64(0.0769)
    """

    lam0: float
    rate: float
    d: int
    L: int
    gamma: float
    alpha: float
    steps: int

    def __post_init__(self) -> None:
        try:
            schedule = Inverse(self.lam0, self.rate)
        except ValueError as problem:
            # There they are called lam0 and c.
            raise ValueError(str(problem).replace("c must", "rate must", 1)) from None
        task = Task(self.d, self.L, self.gamma)
        checked = {
            "lam0": schedule.lam0,
            "rate": schedule.c,
            "d": task.d,
            "L": task.L,
            "gamma": task.gamma,
            "alpha": positive("alpha", self.alpha),
            "steps": whole("steps", self.steps, 1),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    @property
    def task(self) -> Task:
        """Dimension, number of tokens and gamma; output noise does not matter."""
        return Task(self.d, self.L, self.gamma)

    @property
    def temperatures(self) -> NDArray[np.float64]:
        """The inverse temperature before each step, and after the last, (steps + 1,)."""
        return temperatures(Inverse(self.lam0, self.rate), 0, self.steps)

    @property
    def final_lam(self) -> np.float64:
        """The inverse temperature after the last step."""
        return np.float64(self.temperatures[-1])

    @property
    def later_lam(self) -> float:
        """The inverse temperature after as many steps more."""
        return float(Inverse(self.lam0, self.rate)(np.array(2 * self.steps)))

    def entropy(self, seed: int) -> list[int]:
        """What the random numbers of this setting are made from, independent of other settings.

        Parameters
        ----------
        seed : int
            Not negative.

        Returns
        -------
        list of int
        """
        digest = hashlib.sha256(repr(self).encode()).digest()
        return [seed, *np.frombuffer(digest[:16], dtype="<u4").tolist()]

    def starts(self, seed: int, first: int, stop: int) -> NDArray[np.float64]:
        """Overlaps of uniform k and v, for some of the runs.

        Parameters
        ----------
        seed : int
        first, stop : int
            From which run, and up to which, which is not included.

        Returns
        -------
        ndarray of shape (stop - first, 5)
        """
        return uniform_overlaps(self.d, self.entropy(seed), first, stop)

    def as_dict(self) -> dict[str, Any]:
        """Names and values.

        Returns
        -------
        dict
        """
        return {name: getattr(self, name) for name in self.__dataclass_fields__}

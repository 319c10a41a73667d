r"""Statistics that predict, from the start, which runs end at a swap point.

Uniform starts lie near the null point, where all overlaps vanish. By the symmetries of the risk the
flow of descent leaves it by two modes that do not mix to first order: one in the plane of kappa and
nu, towards the oracle, and one in that of theta and eta, towards the swap points. Their directions
are eigenvectors of the Hessian of the risk at the null point (claim ``null-hessian``); nothing in
them is fitted. The claim ``null-oracle-mode-is-faster`` compares their rates.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy
import xarray as xr
from numpy.typing import NDArray
from scipy.special import expit, log_expit

from slrsym.papers.single_location.paper_risk import hessian
from slrsym.papers.single_location.recovery.setting import MOVING, VERDICTS, Setting
from slrsym.papers.single_location.task import OrderParameters

_Array = NDArray[np.float64]

# With fewer runs of either kind nothing is said.
_LEAST = 10


@dataclass(frozen=True)
class Mode:
    """A direction in which small overlaps grow exponentially at the null point.

    Parameters
    ----------
    overlaps : tuple of str
        The two that it is made of.
    weights : tuple of float
        How, with a sum of squares of 1, the larger one positive.
    rate : float
        At which it grows, per step and step size; negative if it does not.
    """

    overlaps: tuple[str, str]
    weights: tuple[float, float]
    rate: float


def modes(setting: Setting) -> tuple[Mode, Mode]:
    """Return the modes at the null point that lead to the oracle and to a swap point.

    Parameters
    ----------
    setting : Setting

    Returns
    -------
    tuple of two Mode
        At the inverse temperature of the start.

    Examples
    --------
    >>> towards_oracle, towards_swap = modes(Setting(1, 0, 400, 10, 0.5**0.5, 4e-3, 1))
    >>> [round(x, 3) for x in towards_oracle.weights], round(towards_oracle.rate, 3)
    ([0.148, 0.989], 1.693)
    """
    hess = hessian(np.zeros(5), setting.lam0, setting.task)
    names = OrderParameters._fields
    found = []
    for i in (0, 2):
        values, vectors = np.linalg.eigh(-hess[i : i + 2, i : i + 2])
        first, second = (vectors[:, -1] * np.sign(vectors[1, -1])).tolist()
        found.append(Mode((names[i], names[i + 1]), (first, second), float(values[-1])))
    return found[0], found[1]


def components_along_modes(states: _Array, setting: Setting) -> _Array:
    """Return absolute components of states along both modes, times the root of d.

    Parameters
    ----------
    states : ndarray, shape (..., 5)
    setting : Setting

    Returns
    -------
    ndarray of shape (..., 2)
        Absolute values, times the root of d.
    """
    towards = [np.array(mode.weights) for mode in modes(setting)]
    pairs = (states[..., :2] @ towards[0], states[..., 2:4] @ towards[1])
    return np.asarray(np.abs(np.stack(pairs, axis=-1)) * np.sqrt(setting.d))


@dataclass(frozen=True)
class SwapPrediction:
    r"""Accuracy of predicting from its start whether a run ends at a swap point.

    Parameters
    ----------
    auc : dict of str to float
        For each of them, the probability that it is larger in a run that ends at a swap point than
        in another one: 1/2 says nothing, 0 and 1 everything.
    intercept, weights : float and tuple of two float
        Logistic regression on the sizes of the two modes, times :math:`\sqrt d`: the log-odds of
        ending at a swap point.
    fit_auc : float
        Of that.
    """

    auc: dict[str, float]
    intercept: float
    weights: tuple[float, float]
    fit_auc: float

    def as_dict(self) -> dict[str, Any]:
        """Return the accuracies and the fitted weights as plain data for JSON."""
        return dict(self.__dict__)


def setting_of_runs(data: xr.Dataset) -> Setting:
    """Return the setting stored in the attributes of a dataset of recovery runs.

    Parameters
    ----------
    data : Dataset
        As `slrsym.papers.single_location.recovery.recover` returns it.

    Returns
    -------
    Setting
    """
    return Setting(**{name: data.attrs[name] for name in Setting.__dataclass_fields__})


def fit_swap_prediction(data: xr.Dataset) -> SwapPrediction | None:
    """Return how well starts predict which runs end at a swap point; None for too few runs.

    Parameters
    ----------
    data : Dataset
        As `slrsym.papers.single_location.recovery.recover` returns it.

    Returns
    -------
    SwapPrediction or None
        None if fewer than ten runs end at a swap point, or fewer than ten elsewhere; runs that
        still move are left out.
    """
    data = data.isel(run=data.verdict.values != MOVING)
    swapped = data.verdict.values == VERDICTS.index("swap")
    if min(swapped.sum(), (~swapped).sum()) < _LEAST:
        return None
    starts = data.start.values
    sizes = components_along_modes(starts, setting_of_runs(data))
    names = OrderParameters._fields
    quantities = {f"|{name}|": np.abs(starts[:, i]) for i, name in enumerate(names)}
    quantities["mode to the oracle"], quantities["mode to a swap point"] = sizes.T
    intercept, *weights = _regression(sizes, swapped)
    fitted = sizes @ np.array(weights)
    return SwapPrediction(
        {name: _auc(values, swapped) for name, values in quantities.items()},
        intercept,
        (weights[0], weights[1]),
        _auc(fitted, swapped),
    )


def _auc(values: _Array, chosen: NDArray[np.bool_]) -> float:
    inside, outside = values[chosen], values[~chosen]
    return float(scipy.stats.mannwhitneyu(inside, outside).statistic / (inside.size * outside.size))


def _regression(columns: _Array, chosen: NDArray[np.bool_]) -> list[float]:
    """Return intercept and weights of a logistic regression, by maximum likelihood."""
    design = np.column_stack([np.ones(len(columns)), columns])
    sign = np.where(chosen, 1.0, -1.0)

    def loss(weights: _Array) -> tuple[float, _Array]:
        score = sign * (design @ weights)
        return -log_expit(score).mean(), -(design * (sign * expit(-score))[:, None]).mean(axis=0)

    found = scipy.optimize.minimize(loss, np.zeros(design.shape[1]), jac=True, method="BFGS")
    return [float(w) for w in found.x]

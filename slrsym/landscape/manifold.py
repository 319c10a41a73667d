r"""Whether the invariant manifold attracts: descent near it, to first order in the distance.

Where theta, eta and rho are small, the flow of descent moves them by
:math:`\dot\delta = -T(\kappa, \nu)\,\delta`. Above the planar trajectories the manifold attracts
where every eigenvalue of T has a positive real part. It does so at the oracle below the critical
inverse temperature, and never at the saddle (0, 0), where one direction leaves it (claim
``manifold-repels-at-origin``).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from slrsym.kernels.arguments import real_array
from slrsym.models.paper import gradient, hessian
from slrsym.task import Task

__all__ = ["transverse_matrix", "transverse_rate"]

_Array = NDArray[np.float64]


def transverse_matrix(point: ArrayLike, lam: ArrayLike, task: Task) -> _Array:
    r"""The linearised flow across the manifold.

    Parameters
    ----------
    point : array_like, shape (..., 2)
        kappa and nu, in [-1, 1].
    lam : array_like
        Inverse temperature, positive; broadcasts with the leading axes.
    task : Task

    Returns
    -------
    ndarray of shape (..., 3, 3)
        T, in the order theta, eta, rho: descent by projected gradients with a small step
        :math:`\alpha` moves them by :math:`-\alpha T` times what they are.

    Raises
    ------
    ValueError
        If a point is not in the square, or `lam` is not positive.

    Notes
    -----
    With :math:`m_k = \kappa R_\kappa` and :math:`m_v = \nu R_\nu` on M, the flow is

    .. math::
        \dot\theta &= -(R_\theta + \kappa R_\rho - m_v \theta), \\
        \dot\eta &= -(R_\eta + \nu R_\rho - m_k \eta), \\
        \dot\rho &= -(\kappa R_\theta + \nu R_\eta + 2 R_\rho
            + R_\nu \eta + R_\kappa \theta - (m_k + m_v) \rho),

    and the slopes in theta, eta and rho are linear in these (Lemma 14).
    """
    square = real_array("point", point)
    if square.ndim == 0 or square.shape[-1] != 2:
        raise ValueError(f"point must have shape (..., 2): kappa, nu; got {square.shape}")
    if not (np.abs(square) <= 1).all():
        raise ValueError("point must lie in [-1, 1] x [-1, 1]")
    state = np.concatenate([square, np.zeros((*square.shape[:-1], 3))], axis=-1)
    slope, bend = gradient(state, lam, task), hessian(state, lam, task)[..., 2:, 2:]
    shape = bend.shape[:-2]
    kappa, nu = (np.broadcast_to(square[..., i], shape) for i in (0, 1))
    metric = np.zeros(bend.shape)
    metric[..., 0, 0] = metric[..., 1, 1] = 1.0
    metric[..., 2, 2] = 2.0
    metric[..., 0, 2] = metric[..., 2, 0] = kappa
    metric[..., 1, 2] = metric[..., 2, 1] = nu
    result: _Array = metric @ bend
    along_k, along_v = kappa * slope[..., 0], nu * slope[..., 1]
    result[..., 0, 0] -= along_v
    result[..., 1, 1] -= along_k
    result[..., 2, 2] -= along_k + along_v
    result[..., 2, 0] += slope[..., 0]
    result[..., 2, 1] += slope[..., 1]
    return result


def transverse_rate(point: ArrayLike, lam: ArrayLike, task: Task) -> _Array:
    """How fast descent approaches the manifold, in the direction in which it does so least.

    Parameters
    ----------
    point : array_like, shape (..., 2)
        kappa and nu, in [-1, 1].
    lam : array_like
        Inverse temperature, positive; broadcasts with the leading axes.
    task : Task

    Returns
    -------
    ndarray of shape (...)
        The least real part of an eigenvalue of `transverse_matrix`; negative where the manifold
        repels.

    Raises
    ------
    ValueError
        If a point is not in the square, or `lam` is not positive.

    Examples
    --------
    >>> from slrsym import Task
    >>> from slrsym.landscape import transverse_rate
    >>> task = Task(d=400, L=10, gamma=0.5**0.5)
    >>> (transverse_rate([(1, 1), (0, 0)], 0.1, task) > 0).tolist()
    [True, False]
    """
    values = np.linalg.eigvals(transverse_matrix(point, lam, task))
    least: _Array = values.real.min(axis=-1)
    return least

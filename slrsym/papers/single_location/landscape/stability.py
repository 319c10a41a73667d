r"""Stability of the oracle and of the swap point, as a function of the inverse temperature.

Orthogonal to the plane of k* and v* the risk always curves upwards at the oracle (claim
``oracle-across``). In the plane its curvatures are those of claim ``oracle-transverse-hessian``:
above a critical inverse temperature one of them is negative, and descent that begins off the
manifold leaves the oracle.

Near the manifold, where theta, eta and rho are small, the flow of descent moves them by
:math:`\dot\delta = -T(\kappa, \nu)\,\delta`. Above the planar trajectories the manifold
attracts where every eigenvalue of T has a positive real part. It does so at the oracle below the
critical inverse temperature, and never at the saddle (0, 0), where one direction leaves it (claim
``manifold-repels-at-origin``).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from slrsym.kernels.arguments import require_real_array
from slrsym.papers.single_location.dynamics.spheres import riemannian_derivatives_and_basis
from slrsym.papers.single_location.landscape.points import require_inverse_temperature
from slrsym.papers.single_location.paper_risk import excess_risk, gradient, hessian
from slrsym.papers.single_location.task import OrderParameters, Task

# Which overlap is that of k on k*, v on v*, v on k*, k on v*, and of k and v.
_K_K, _V_V, _V_K, _K_V, _INNER = range(5)

# Where the critical inverse temperature is looked for, and how finely.
_LEAST, _MOST, _POINTS = 1e-4, 1e7, 2200


def oracle_hessian_in_angles(task: Task, lam: ArrayLike) -> NDArray[np.float64]:
    """Return the Hessian of the risk at the oracle in the angles of k and v in span(k*, v*).

    Parameters
    ----------
    task : Task
    lam : array_like, shape (...)
        Inverse temperatures, positive.

    Returns
    -------
    ndarray of shape (..., 2, 2)
        By the angle from k* to k, counted towards v*, and that from v* to v, towards k*.

    Raises
    ------
    ValueError
        If an inverse temperature is not positive.
    """
    inverse_temperatures = require_real_array("lam", lam)
    points = np.broadcast_to(np.eye(2), (*inverse_temperatures.shape, 2, 2))
    _, hess, _ = riemannian_derivatives_and_basis(points, inverse_temperatures, task)
    # The tangent vectors are -v* at k* and k* at v*, up to their signs; angles increase together.
    hess[..., 0, 1] = hess[..., 1, 0] = _mixed(task, inverse_temperatures)
    return hess


def _mixed(task: Task, lam: Any) -> Any:
    state = np.broadcast_to([1.0, 1.0, 0.0, 0.0, 0.0], (*np.shape(lam), 5))
    second = hessian(state, lam, task)
    grad = gradient(state, lam, task)[..., _INNER]
    return (
        second[..., _V_K, _K_V]
        + second[..., _INNER, _INNER]
        + second[..., _V_K, _INNER]
        + (second[..., _K_V, _INNER] + grad)
    )


def _margin(task: Task, lam: Any) -> Any:
    """Return a number in [-2, 2], positive if the Hessian at the oracle is positive definite."""
    hess = oracle_hessian_in_angles(task, lam)
    product, square = hess[..., 0, 0] * hess[..., 1, 1], hess[..., 0, 1] ** 2
    relative = (product - square) / (np.abs(product) + square)
    return np.where(hess[..., 0, 0] + hess[..., 1, 1] > 0, relative, -1.0)


def critical_inverse_temperature(task: Task) -> float:
    r"""Return the inverse temperature above which the oracle is unstable off the manifold.

    Parameters
    ----------
    task : Task
        With two tokens at least.

    Returns
    -------
    float
        :math:`\lambda_c(d, L, \gamma)`: below it the oracle is a strict local minimum of the risk
        on the product of spheres, and just above it a saddle. Infinite if it is a minimum at all
        inverse temperatures.

    Raises
    ------
    ValueError
        If the task has one token.
    TypeError
        If `task` is not a `slrsym.papers.single_location.Task`.

    Notes
    -----
    The root of the determinant of `oracle_hessian_in_angles`, which is derived from the definition
    of the risk. It is looked for between 1e-4 and 1e7 on a grid; that it is the only one is tested,
    not proved (claim ``critical-temperature-unique``). `saturated_critical_inverse_temperature` is
    a closed form that is close to it.

    Examples
    --------
    >>> from slrsym.papers.single_location import Task
    >>> from slrsym.papers.single_location.landscape import critical_inverse_temperature
    >>> round(critical_inverse_temperature(Task(d=400, L=10, gamma=0.5**0.5)), 4)
    0.8924
    """
    require_inverse_temperature(1.0, task)
    if task.L < 2:
        raise ValueError(
            f"task must have two tokens at least, with one the curvatures at the oracle vanish at "
            f"large lambda; got L = {task.L}"
        )
    grid = np.geomspace(_LEAST, _MOST, _POINTS)
    unstable = np.flatnonzero(_margin(task, grid) < 0)
    if unstable.size == 0:
        return math.inf
    first = int(unstable[0])
    if first == 0:
        return 0.0
    return float(
        scipy.optimize.brentq(
            lambda lam: float(_margin(task, lam)), grid[first - 1], grid[first], xtol=1e-15
        )
    )


def saturated_critical_inverse_temperature(task: Task) -> float:
    r"""Return the limit of the critical inverse temperature for saturated scores, in closed form.

    Parameters
    ----------
    task : Task
        With two tokens at least.

    Returns
    -------
    float
        :math:`\sqrt{y^{-2} - 1/4}` with
        :math:`y = (d - 2 \gamma^2 (L - 2))/(d + 2 \gamma^2)`; infinite if y is not positive. It
        tends to :math:`\sqrt3/2` as d grows.

    Raises
    ------
    ValueError
        If the task has one token.
    TypeError
        If `task` is not a `slrsym.papers.single_location.Task`.

    Notes
    -----
    Claim ``oracle-saturated-root``. Saturated means that erf at the informative score is 1, which
    at lambda near 1 is true up to :math:`e^{-d/4}` or so.
    """
    require_inverse_temperature(1.0, task)
    if task.L < 2:
        raise ValueError(f"task must have two tokens at least; got L = {task.L}")
    twice = 2 * task.gamma**2
    y = (task.d - twice * (task.L - 2)) / (task.d + twice)
    return math.sqrt(1 / y**2 - 0.25) if y > 0 else math.inf


def swap_point_and_excess_risk(task: Task, lam: float) -> tuple[OrderParameters, float]:
    r"""Return the swap point, which has the least risk among k = v* and v orthogonal to k.

    Parameters
    ----------
    task : Task
    lam : float
        Inverse temperature, positive.

    Returns
    -------
    state : OrderParameters
        With :math:`\theta = \min(\theta^\star, 1)`.
    excess_risk : float

    Raises
    ------
    ValueError
        If `lam` is not positive.
    TypeError
        If `task` is not a `slrsym.papers.single_location.Task`.

    Notes
    -----
    Claims ``swap-critical``, ``swap-parabola`` and ``swap-full``: the risk there is a parabola in
    theta, whose vertex is found from its slope and curvature at 0.
    """
    require_inverse_temperature(lam, task)
    origin = np.array([0.0, 0.0, 0.0, 1.0, 0.0])
    grad, hess = gradient(origin, lam, task)[_V_K], hessian(origin, lam, task)[_V_K, _V_K]
    state = OrderParameters(0.0, 0.0, min(1.0, float(-grad / hess)), 1.0, 0.0)
    return state, float(excess_risk(state, lam, task))


def swap_margin(task: Task, lam: float) -> float:
    r"""Return a number that is positive if a swap point is a local minimum of the risk.

    Parameters
    ----------
    task : Task
    lam : float
        Inverse temperature, positive.

    Returns
    -------
    float
        NaN where theta* is 1 or more, and the swap point is v = k*.

    Raises
    ------
    ValueError
        If `lam` is not positive.
    TypeError
        If `task` is not a `slrsym.papers.single_location.Task`.

    Notes
    -----
    The coefficient that claim ``swap-form`` leaves when squares are completed, from the curvatures
    of claim ``swap-hessian``:

    .. math:: & R_{\kappa\kappa} + 6 p \theta - \frac{(R_{\kappa\rho} - 2p)^2}{R_{\rho\rho}} \\
        &\quad - 2p\,\frac{1 - \theta^2}{\theta}, \\ & p = -\tfrac12 R_{\kappa\nu}.

    All other directions but those of the family ascend.
    """
    state, _ = swap_point_and_excess_risk(task, lam)
    share = state[_V_K]
    if share >= 1:
        return math.nan
    hess = hessian(state, lam, task)
    pull = -hess[_K_K, _V_V] / 2
    cross = (hess[_K_K, _INNER] - 2 * pull) ** 2 / hess[_INNER, _INNER]
    margin = hess[_K_K, _K_K] + 6 * pull * share - cross - 2 * pull * (1 - share**2) / share
    return float(margin)


_Array = NDArray[np.float64]


def transverse_flow_matrix(point: ArrayLike, lam: ArrayLike, task: Task) -> _Array:
    r"""Return the matrix of the linearised descent flow in theta, eta, rho, near the manifold.

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
        \dot\rho &= -(\kappa R_\theta + \nu R_\eta + 2 R_\rho \\
            &\qquad + R_\nu \eta + R_\kappa \theta - (m_k + m_v) \rho),

    and the slopes in theta, eta and rho are linear in these (Lemma 14).
    """
    square = require_real_array("point", point)
    if square.ndim == 0 or square.shape[-1] != 2:
        names = ", ".join(OrderParameters._fields[:2])
        raise ValueError(f"point must have shape (..., 2): {names}; got {square.shape}")
    if not (np.abs(square) <= 1).all():
        worst = square[(np.abs(square) <= 1).all(axis=-1) == 0][0].tolist()
        raise ValueError(f"point must lie in [-1, 1] x [-1, 1]; got {worst}")
    state = np.concatenate([square, np.zeros((*square.shape[:-1], 3))], axis=-1)
    grad, hess = gradient(state, lam, task), hessian(state, lam, task)[..., 2:, 2:]
    shape = hess.shape[:-2]
    x1, x2 = (np.broadcast_to(square[..., i], shape) for i in (0, 1))
    metric = np.zeros(hess.shape)
    metric[..., 0, 0] = metric[..., 1, 1] = 1.0
    metric[..., 2, 2] = 2.0
    metric[..., 0, 2] = metric[..., 2, 0] = x1
    metric[..., 1, 2] = metric[..., 2, 1] = x2
    result: _Array = metric @ hess
    along_k, along_v = x1 * grad[..., 0], x2 * grad[..., 1]
    result[..., 0, 0] -= along_v
    result[..., 1, 1] -= along_k
    result[..., 2, 2] -= along_k + along_v
    result[..., 2, 0] += grad[..., 0]
    result[..., 2, 1] += grad[..., 1]
    return result


def transverse_decay_rate(point: ArrayLike, lam: ArrayLike, task: Task) -> _Array:
    """Return the slowest rate at which deviations from the manifold decay under descent.

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
        The least real part of an eigenvalue of `transverse_flow_matrix`; negative where the
        manifold repels.

    Raises
    ------
    ValueError
        If a point is not in the square, or `lam` is not positive.

    Examples
    --------
    >>> from slrsym.papers.single_location import Task
    >>> from slrsym.papers.single_location.landscape import transverse_decay_rate
    >>> task = Task(d=400, L=10, gamma=0.5**0.5)
    >>> (transverse_decay_rate([(1, 1), (0, 0)], 0.1, task) > 0).tolist()
    [True, False]
    """
    values = np.linalg.eigvals(transverse_flow_matrix(point, lam, task))
    least: _Array = values.real.min(axis=-1)
    return least

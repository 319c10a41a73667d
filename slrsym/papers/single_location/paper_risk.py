"""Risk, gradient and Hessian of the paper's model, as functions of arrays of states.

The closed form is that of Proposition 15, derived from the definition of the risk, equation (6).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from slrsym.kernels.arguments import require_real_array
from slrsym.kernels.compile import compile_program, require_backend
from slrsym.kernels.kept_programs import program_function_cached_on_disk
from slrsym.papers.single_location.task import Task

# Of one of the functions of the risk, by its name.
program = program_function_cached_on_disk(
    "slrsym.papers.single_location.paper_risk_expressions.risk_program"
)

_F = TypeVar("_F", bound=Callable[..., Any])

_UPPER = [(i, j) for i in range(5) for j in range(i, 5)]


@cache
def kernel(name: str, backend: str = "numpy") -> Callable[..., Any]:
    """Return the paper's excess risk, gradient or Hessian, compiled for a backend.

    They are made of the closed form of Proposition 15.
    """
    if require_backend(backend) in ("numpy", "numba", "jax"):
        return compile_program(program(name), backend)
    from slrsym.papers.single_location import paper_risk_expressions

    return compile_program(paper_risk_expressions.risk_program(name), backend)


def _evaluated(
    name: str, state: ArrayLike, lam: ArrayLike, task: Task, backend: str
) -> NDArray[np.float64]:
    require_backend(backend, ("numpy", "numba"))
    points = require_real_array("state", state)
    if points.ndim == 0 or points.shape[-1] != 5:
        raise ValueError(
            f"state must have shape (..., 5): kappa, nu, theta, eta, rho; got {points.shape}"
        )
    if not np.isfinite(points).all():
        at = tuple(np.argwhere(~np.isfinite(points))[0].tolist())
        raise ValueError(f"state must be finite; state[{', '.join(map(str, at))}] is {points[at]}")
    inverse_temperature = require_real_array("lam", lam)
    if not (np.isfinite(inverse_temperature) & (inverse_temperature > 0)).all():
        raise ValueError(f"lam must be positive and finite; got {lam!r}")
    try:
        np.broadcast_shapes(points.shape[:-1], inverse_temperature.shape)
    except ValueError:
        raise ValueError(
            f"lam must broadcast with the leading axes of state, {points.shape[:-1]}; "
            f"it has shape {inverse_temperature.shape}"
        ) from None
    if not isinstance(task, Task):
        raise TypeError(f"task must be a Task; got {task!r}")
    values: NDArray[np.float64]
    with np.errstate(over="ignore", invalid="ignore"):
        try:
            values = kernel(name, backend)(points, inverse_temperature, *task.kernel_parameters)
        except (OverflowError, ZeroDivisionError):
            values = np.full(1, np.nan)
    if not np.isfinite(values).all():
        raise ValueError(
            "lam, task and state must be such that no number overflows; "
            f"got lam = {lam!r}, {task!r}, and overlaps up to {np.abs(points).max(initial=0.0):.3g}"
        )
    return values


_SECTIONS = """
    Parameters
    ----------
    state : array_like, shape (..., 5)
        Overlaps kappa, nu, theta, eta, rho, each in [-1, 1].
    lam : array_like
        Inverse temperature, positive; broadcasts with the leading axes of `state`.
    task : Task
        Dimension, number of tokens, gamma, epsilon.
    backend : {'numpy', 'numba'}, optional
        Numba is several times faster, and compiles once, for some seconds.

    Returns
    -------
    %s

    Raises
    ------
    ValueError
        If the state has another shape or is not finite, `lam` is not positive or does not
        broadcast, numbers are so large that they overflow, or there is no such backend.
    TypeError
        If `task` is not a `slrsym.papers.single_location.Task`.
    NumbaMissingError
        If Numba is asked for and not installed.
    """


def _returning(what: str) -> Callable[[_F], _F]:
    """Return a decorator that appends the shared sections to a function's docstring."""

    def described(function: _F) -> _F:
        function.__doc__ = f"{(function.__doc__ or '').rstrip()}\n{_SECTIONS % what}"
        return function

    return described


@_returning("ndarray of shape (...), or float")
def excess_risk(state: ArrayLike, lam: ArrayLike, task: Task, backend: str = "numpy") -> Any:
    r"""Return the excess risk :math:`R_\lambda - \varepsilon^2`, without cancellation.

    It is Proposition 15 as a sum in which nothing large cancels, claim ``excess-risk-stable``.
    """
    return _evaluated("excess_risk", state, lam, task, backend)[..., 0][()]


@_returning("ndarray of shape (...), or float")
def risk(state: ArrayLike, lam: ArrayLike, task: Task, backend: str = "numpy") -> Any:
    r"""Return the risk :math:`R_\lambda(k, v)` of erf attention, equation (6), by Theorem 1."""
    return excess_risk(state, lam, task, backend) + task.epsilon**2


@_returning("ndarray of shape (..., 5)")
def gradient(
    state: ArrayLike, lam: ArrayLike, task: Task, backend: str = "numpy"
) -> NDArray[np.float64]:
    """Return the partial derivatives of the paper's risk in kappa, nu, theta, eta, rho."""
    return _evaluated("gradient", state, lam, task, backend)


@_returning("ndarray of shape (..., 5, 5), symmetric")
def hessian(
    state: ArrayLike, lam: ArrayLike, task: Task, backend: str = "numpy"
) -> NDArray[np.float64]:
    """Return the Hessian of the paper's risk in kappa, nu, theta, eta, rho."""
    upper = _evaluated("hessian", state, lam, task, backend)
    result = np.empty((*upper.shape[:-1], 5, 5))
    for k, (i, j) in enumerate(_UPPER):
        result[..., i, j] = result[..., j, i] = upper[..., k]
    return result

"""Critical points: names, identification under symmetries, and continuous families.

Claim ``landscape-symmetries``: the risk is the same at (k, v) and (-k, -v), and after a reflection
along v* at (k, -v): with the overlaps kappa, nu, theta, eta, rho it is the same at
(-kappa, -nu, -theta, -eta, rho) and at (kappa, nu, -theta, -eta, -rho). Reflections orthogonal to
k* and v* do not change overlaps at all.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from slrsym.kernels.arguments import require_positive
from slrsym.papers.single_location.dynamics.spheres import gram_entries_of_orthogonal_parts
from slrsym.papers.single_location.task import PLACES, OrderParameters, Task

_SAME = 1e-9


def point_name(state: OrderParameters) -> str:
    """Return the name of a critical point, such as ``oracle``, by its overlaps."""
    one = [abs(abs(x) - 1) < _SAME for x in state]
    zero = [abs(x) < _SAME for x in state]
    if all(zero):
        return "null"
    if one[0] and one[1]:
        return "oracle" if state[0] * state[1] > 0 else "anti-oracle"
    if one[2] and one[3]:
        return "full swap" if state[2] * state[3] > 0 else "anti-swap"
    if one[3] and zero[1]:
        return "swap"
    if one[4] and all(zero[:4]):
        return "aligned"
    return "planar" if _beyond(state) == (False, False) else "mixed"


def describe_freedom_of_k_and_v(state: OrderParameters, d: int) -> tuple[str, int]:
    """Return a description of all k and v with given overlaps, and the set's dimension."""
    k, v = _beyond(state)
    if point_name(state) == "null":
        return "k, v free", 2 * d - 7
    if not k and not v:
        return "isolated", 0
    who = "k, v together" if k and v else "k" if k else "v"
    return (f"{who} free" if d > 3 else "isolated"), d - 3


def _beyond(state: OrderParameters) -> tuple[bool, bool]:
    """Return whether k, and whether v, has a part orthogonal to k* and v*."""
    k, v, _ = gram_entries_of_orthogonal_parts(np.array(state))
    return bool(k > _SAME), bool(v > _SAME)


def require_inverse_temperature(lam: float, task: Task) -> None:
    """Raise an error unless a value is an inverse temperature and `task` is a task."""
    if not isinstance(task, Task):
        raise TypeError(f"task must be a Task; got {task!r}")
    require_positive("lam", lam)


_Array = NDArray[np.float64]

# By which signs each symmetry multiplies k, v, k*, v*, and so the overlaps.
SIGNS = np.array([[1, 1, 1, 1], [-1, -1, 1, 1], [1, -1, 1, -1], [-1, 1, 1, -1]])
OVERLAP_SIGNS = np.stack([SIGNS[:, i] * SIGNS[:, j] for i, j in PLACES], axis=-1)


def distance_up_to_symmetry(states: _Array, point: _Array) -> _Array:
    """Return the distances of states from the nearest image of a point under the symmetries."""
    images = OVERLAP_SIGNS * point
    nearest: _Array = np.abs(states[..., None, :] - images).max(axis=-1).min(axis=-1)
    return nearest

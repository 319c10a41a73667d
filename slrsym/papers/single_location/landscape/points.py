"""Critical points: names, identification under symmetries, and continuous families.

Claim ``landscape-symmetries``: the risk is the same at (k, v) and (-k, -v), and after a reflection
along v* at (k, -v): with the overlaps kappa, nu, theta, eta, rho it is the same at
(-kappa, -nu, -theta, -eta, rho) and at (kappa, nu, -theta, -eta, -rho). Reflections orthogonal to
k* and v* do not change overlaps at all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slrsym.kernels.arguments import require_positive
from slrsym.papers.single_location.dynamics.spheres import gram_entries_of_orthogonal_parts
from slrsym.papers.single_location.task import PLACES, OrderParameters, Task

_SAME = 1e-9


@dataclass(frozen=True)
class CriticalPoint:
    r"""A critical point of the risk in k and v, which stands for its images under symmetries.

    Parameters
    ----------
    name : str
        ``oracle`` (k = k*, v = v*, or both with the other sign), ``anti-oracle`` (one with the
        other sign), ``swap`` (k = v*, v in part along k*), ``full swap`` (k = v*, v = k*),
        ``anti-swap`` (one with the other sign), ``aligned`` (k = v orthogonal to k* and v*),
        ``null`` (no overlap at all), ``planar`` (others in the plane of k* and v*), or ``mixed``.
    state : OrderParameters
        Its overlaps; `count_symmetric_images` states in all, by the symmetries of the risk.
    copies : int
    family : str
        Which directions are free: what remains of k and v orthogonal to k* and v*.
    family_dimension : int
        Of the set of all (k, v) with these overlaps.
    excess_risk : float
    index : int
        How many directions descend, in :math:`\mathbb{R}^d`.
    flat : int
        In how many the curvature vanishes, or its sign is not certain.
    spectrum : tuple of (float, int)
        Curvatures, each with the number of its directions.
    gradient : float
        Norm of the gradient: a bound at the middle of the enclosure, of which the coordinates are
        the first digits; where there is none, at the coordinates in double precision.
    radius : float
        How far from these the critical point may be; NaN if it is not enclosed.
    confirmed : bool
        Whether a critical point is certainly there, with certain signs of all curvatures but those
        along the family, which vanish.
    hits : int
        How many searches ended there.
    """

    name: str
    state: OrderParameters
    copies: int
    family: str
    family_dimension: int
    excess_risk: float
    index: int
    flat: int
    spectrum: tuple[tuple[float, int], ...]
    gradient: float
    radius: float
    confirmed: bool
    hits: int

    @property
    def kind(self) -> str:
        """The kind of the point: minimum, maximum, saddle, or degenerate if signs are uncertain."""
        if self.flat > self.family_dimension:
            return "saddle" if self.index and self._ascending else "degenerate"
        if self.index == 0:
            return "minimum"
        return "saddle" if self._ascending else "maximum"

    @property
    def _ascending(self) -> int:
        return sum(n for _, n in self.spectrum) - self.index - self.flat

    @property
    def largest_step(self) -> float:
        """The step size above which projected gradient descent is unstable at the point."""
        steepest = max(value for value, _ in self.spectrum)
        return 2 / steepest if steepest > 0 else np.inf

    def step_eigenvalues(self, alpha: float) -> tuple[tuple[float, int], ...]:
        r"""Return the eigenvalues of a descent step linearised at the point, with multiplicities.

        Parameters
        ----------
        alpha : float
            Step size.

        Returns
        -------
        tuple of (float, int)
            :math:`1 - \alpha \mu` for each curvature :math:`\mu`, because at a critical point the
            step is a retraction of :math:`-\alpha` times the Riemannian gradient.
        """
        return tuple((1 - alpha * value, count) for value, count in self.spectrum)

    def stability_text(self, alpha: float) -> str:
        """Return a word for the point's stability under descent steps, such as ``attracts``.

        Parameters
        ----------
        alpha : float
            Step size.

        Returns
        -------
        {'attracts', 'repels', 'overshoots', 'undecided'}
            ``repels`` where a direction descends, ``overshoots`` where none does but the step is
            too large for the curvature.
        """
        if self.index:
            return "repels"
        if alpha > self.largest_step:
            return "overshoots"
        return "attracts" if self.kind == "minimum" else "undecided"

    def as_dict(self) -> dict[str, Any]:
        """Return the critical point as a dictionary of plain data for JSON."""
        plain = {
            name: getattr(self, name)
            for name in (
                "name", "kind", "copies", "family", "family_dimension", "excess_risk", "index",
                "flat", "gradient", "confirmed", "hits", "largest_step",
            )
        }  # fmt: skip
        plain["radius"] = self.radius if np.isfinite(self.radius) else None
        if not np.isfinite(plain["largest_step"]):
            plain["largest_step"] = None
        spectrum = [{"value": value, "count": count} for value, count in self.spectrum]
        return plain | {"state": self.state._asdict(), "spectrum": spectrum}


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


def number_repeated_names(found: Sequence[Any]) -> list[Any]:
    """Return points or branches, with a number added to each name that occurs more than once."""
    total, seen = Counter(x.name for x in found), Counter[str]()
    result = []
    for x in found:
        seen[x.name] += 1
        result.append(replace(x, name=f"{x.name} {seen[x.name]}") if total[x.name] > 1 else x)
    return result


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
_SIGNS = np.array([[1, 1, 1, 1], [-1, -1, 1, 1], [1, -1, 1, -1], [-1, 1, 1, -1]])
OVERLAP_SIGNS = np.stack([_SIGNS[:, i] * _SIGNS[:, j] for i, j in PLACES], axis=-1)

_NO_SIGN = 1e-7


def coordinate_signs_of_symmetries(dimension: int) -> _Array:
    """Return the symmetries of the risk, as signs of the coordinates of k and v."""
    rows = []
    for k, v, *stars in _SIGNS:
        for others in product((1, -1), repeat=dimension - 2):
            # Beyond the span, k and v are reflected together, but for their own signs.
            rows.append([[k * s for s in stars] + [*others], [v * s for s in stars]])
            rows[-1][1] += [k * v * x for x in others]
    return np.array(rows, dtype=float)


def canonical_states(states: _Array) -> _Array:
    """Return one representative of each state's images under the symmetries."""
    images = OVERLAP_SIGNS * states[..., None, :]
    # Zero, and what rounding makes of it, has no sign.
    rounded = np.where(np.abs(images) < _NO_SIGN, 0.0, images)
    weights = np.sign(rounded) @ (3.0 ** np.arange(4, -1, -1))
    best = np.argmax(weights, axis=-1)
    chosen: _Array = np.take_along_axis(images, best[..., None, None], axis=-2)[..., 0, :]
    return chosen + 0.0


def distance_up_to_symmetry(states: _Array, point: _Array) -> _Array:
    """Return the distances of states from the nearest image of a point under the symmetries."""
    images = OVERLAP_SIGNS * point
    nearest: _Array = np.abs(states[..., None, :] - images).max(axis=-1).min(axis=-1)
    return nearest


def count_symmetric_images(state: _Array) -> int:
    """Return the number of different images of a state under the symmetries."""
    images = np.where(np.abs(state) < _NO_SIGN, 0.0, OVERLAP_SIGNS * state)
    return len({tuple(row) for row in (images + 0.0).round(7).tolist()})

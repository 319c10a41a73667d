"""Critical points of the risk: what each of them is called, and what is known of it.

The risk is that of equation (6). What is off the invariant manifold the paper leaves open
(Section 5).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from slrsym.task import OrderParameters, Task

__all__ = ["CriticalPoint", "family_of", "name_of", "told_apart"]

_SAME = 1e-9


@dataclass(frozen=True)
class CriticalPoint:
    r"""A critical point of the risk on the product of spheres, and all that symmetries make of it.

    Parameters
    ----------
    name : str
        ``oracle`` (k = k*, v = v*, or both with the other sign), ``anti-oracle`` (one with the
        other sign), ``swap`` (k = v*, v in part along k*), ``full swap`` (k = v*, v = k*),
        ``anti-swap`` (one with the other sign), ``aligned`` (k = v orthogonal to k* and v*),
        ``null`` (no overlap at all), ``planar`` (others in the plane of k* and v*), or ``mixed``.
    state : OrderParameters
        Its overlaps; `copies` states in all, by the symmetries of the risk.
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
        """``minimum``, ``maximum``, ``saddle``, or ``degenerate`` where that is not certain."""
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
        """The step size of projected gradient descent from which on it overshoots here."""
        steepest = max(value for value, _ in self.spectrum)
        return 2 / steepest if steepest > 0 else np.inf

    def multipliers(self, alpha: float) -> tuple[tuple[float, int], ...]:
        r"""Eigenvalues of a step of projected gradient descent, linearised, with multiplicities.

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

    def stability(self, alpha: float) -> str:
        """What projected gradient descent does nearby.

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
        """Everything, for JSON.

        Returns
        -------
        dict
        """
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


def name_of(state: OrderParameters) -> str:
    """What a critical point is called."""
    one = [abs(abs(x) - 1) < _SAME for x in state]
    zero = [abs(x) < _SAME for x in state]
    if all(zero):
        return "null"
    if one[0] and one[1]:
        return "oracle" if state.kappa * state.nu > 0 else "anti-oracle"
    if one[2] and one[3]:
        return "full swap" if state.theta * state.eta > 0 else "anti-swap"
    if one[3] and zero[1]:
        return "swap"
    if one[4] and all(zero[:4]):
        return "aligned"
    return "planar" if _beyond(state) == (False, False) else "mixed"


def told_apart(names: Sequence[str]) -> list[str]:
    """Names, with numbers where several are the same.

    Examples
    --------
    >>> told_apart(["mixed", "oracle", "mixed"])
    ['mixed 1', 'oracle', 'mixed 2']
    """
    total, seen = Counter(names), Counter[str]()
    result = []
    for name in names:
        seen[name] += 1
        result.append(f"{name} {seen[name]}" if total[name] > 1 else name)
    return result


def family_of(state: OrderParameters, d: int) -> tuple[str, int]:
    """The set of all k and v with given overlaps."""
    k, v = _beyond(state)
    if name_of(state) == "null":
        return "k, v free", 2 * d - 7
    if not k and not v:
        return "isolated", 0
    who = "k, v together" if k and v else "k" if k else "v"
    return (f"{who} free" if d > 3 else "isolated"), d - 3


def _beyond(state: OrderParameters) -> tuple[bool, bool]:
    """Whether k and v leave the plane of k* and v*."""
    kappa, nu, theta, eta, _ = state
    return 1 - kappa**2 - eta**2 > _SAME, 1 - theta**2 - nu**2 > _SAME


def checked_lam(lam: float, task: Task) -> None:
    """Refuse what is no inverse temperature or no task."""
    from slrsym.kernels.arguments import positive

    if not isinstance(task, Task):
        raise TypeError(f"task must be a slrsym.Task; got {task!r}")
    positive("lam", lam)

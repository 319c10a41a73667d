"""Tables of critical points, in plain text of 80 columns."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from slrsym.models.definition.description import ascii_name
from slrsym.models.landscape.critical_point_search import SearchCoverage
from slrsym.registry import load_registered

_Array = NDArray[np.float64]
_WIDTH = 80


@dataclass(frozen=True, eq=False)
class CriticalPoint:
    r"""A critical point of the risk, which stands for all its images under symmetries.

    Parameters
    ----------
    state : array_like, shape (number of order parameters,)
    risk : float
    excess_risk : float
        The risk without the noise.
    spectrum : tuple of (float, int)
        Curvatures of the risk on the spheres, in all dimensions of the trained directions,
        ascending, each with the number of its directions.
    index : int
        Number of descending directions.
    flat : int
        Number of directions whose curvature vanishes, or whose sign is not certain.
    orbit : int
        Dimension of the set of critical points that this one belongs to: rotations of the trained
        directions that change no order parameter, and the continuum.
    continuum : int
        Dimension of the continuum in order parameters; 0 for a point that is isolated there.
    copies : int
        Number of states that symmetries make of this one.
    hits : int
        Number of searches that ended here.
    samples : ndarray, shape (n, number of order parameters)
        States of the continuum that were found; of an isolated point, its own.
    plateau : bool, optional
        Whether the gradient vanishes to rounding only.
    name : str, optional
        If it is one of the points that were named.
    gradient : float, optional
        Norm of the gradient: a bound at the middle of the enclosure, of which the state has the
        first digits; where there is none, at the state in double precision.
    radius : float, optional
        How far coordinates of the directions may be from those of the critical point; NaN if it is
        not enclosed.
    confirmed : bool, optional
        Whether a critical point is certainly there, with certain signs of all curvatures but those
        along rotations, which vanish.
    """

    state: Any
    risk: float
    excess_risk: float
    spectrum: tuple[tuple[float, int], ...]
    index: int
    flat: int
    orbit: int
    continuum: int
    copies: int
    hits: int
    samples: _Array
    plateau: bool = False
    name: str = ""
    gradient: float = math.nan
    radius: float = math.nan
    confirmed: bool = False

    @property
    def eigenvalues(self) -> _Array:
        """All curvatures, ascending, shape (dimension,)."""
        values, counts = zip(*self.spectrum, strict=True) if self.spectrum else ((), ())
        return np.sort(np.repeat(np.array(values, dtype=np.float64), np.array(counts, dtype=int)))

    @property
    def kind(self) -> str:
        """The kind of the point: minimum, maximum, saddle, ``degenerate`` or ``plateau``.

        A point is degenerate if its curvatures do not tell what it is. On a plateau the gradient is
        below rounding, without a critical point nearby.
        """
        if self.plateau:
            return "plateau"
        ascending = sum(count for _, count in self.spectrum) - self.index - self.flat
        if self.index and ascending:
            return "saddle"
        if self.flat > self.orbit:
            return "degenerate"
        return "maximum" if self.index else "minimum"

    @property
    def largest_step(self) -> float:
        """The step size above which projected gradient descent is unstable at the point."""
        steepest = max((value for value, _ in self.spectrum), default=0.0)
        return 2 / steepest if steepest > 0 else math.inf

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


class CriticalPoints(Sequence[CriticalPoint]):
    """Critical points in order of risk, one for each class under symmetries; printed as a table.

    Parameters
    ----------
    overlaps : tuple of str
        Names of the order parameters.
    points : tuple of CriticalPoint
    coverage : SearchCoverage
        How often each was found, and what that says of those that were not.
    symmetries : int
        Number of symmetries (reflections and permutations of directions).
    euler : int, optional
        The sum of (-1)^index over the critical points in the span of the fixed directions and one
        more. None if it says nothing: if a direction is not on a sphere, there are several
        eigenspaces, or a point is degenerate there.
    euler_expected : int, optional
        What it must be if none of these is missing, by the theorem of Poincare and Hopf.
    values : mapping of str to number, optional
        The parameters of the model.
    """

    def __init__(
        self,
        overlaps: tuple[str, ...],
        points: tuple[CriticalPoint, ...],
        coverage: SearchCoverage,
        symmetries: int,
        euler: int | None = None,
        euler_expected: int | None = None,
        values: Mapping[str, Any] | None = None,
    ) -> None:
        self.overlaps, self.points = overlaps, points
        self.coverage, self.symmetries = coverage, symmetries
        self.euler, self.euler_expected = euler, euler_expected
        self.values = dict(values or {})

    @overload
    def __getitem__(self, at: int) -> CriticalPoint: ...

    @overload
    def __getitem__(self, at: slice) -> tuple[CriticalPoint, ...]: ...

    def __getitem__(self, at: Any) -> Any:
        return self.points[at]

    def __len__(self) -> int:
        return len(self.points)

    @property
    def states(self) -> _Array:
        """The order parameters of all critical points, shape (points, order parameters)."""
        return np.array([p.state for p in self.points]).reshape(-1, len(self.overlaps))

    @property
    def minima(self) -> tuple[CriticalPoint, ...]:
        """The critical points that are local minima."""
        return tuple(p for p in self.points if p.kind == "minimum")

    @property
    def is_balanced(self) -> bool:
        """Whether the signs (-1)^index of the points add up to the Euler characteristic."""
        return self.euler is not None and self.euler == self.euler_expected

    def as_dicts(self) -> list[dict[str, Any]]:
        """Return a dictionary for each critical point, for JSON or a data frame.

        Returns
        -------
        list of dict
            With the order parameters by their names.
        """
        return [
            dict(zip(self.overlaps, map(float, p.state), strict=True))
            | {"risk": p.risk, "kind": p.kind, "index": p.index, "flat": p.flat}
            | {"continuum": p.continuum, "copies": p.copies, "hits": p.hits}
            | {"confirmed": p.confirmed}
            | ({"name": p.name} if p.name else {})
            for p in self.points
        ]

    def __repr__(self) -> str:
        if not self.points:
            return f"no critical point found by {self.coverage.starts:,} searches"
        rows = range(len(self.points))
        columns = [
            *([_column("point", [p.name for p in self.points], left=True)] * self._is_named),
            _column("risk", [f"{p.risk:.6g}" for p in self.points]),
            _column("kind", [p.kind for p in self.points], left=True),
            _column("index", [str(p.index) for p in self.points]),
            _column("flat", [str(p.flat) for p in self.points]),
            _column(
                "copies", ["-" if p.continuum or p.plateau else str(p.copies) for p in self.points]
            ),
            _column("hits", [str(p.hits) for p in self.points]),
        ]
        if any(p.confirmed for p in self.points):
            sure = ["yes" if p.confirmed else "no" for p in self.points]
            columns.append(_column("sure", sure, left=True))
        for i, name in enumerate(self.overlaps):
            columns.append(
                _column(ascii_name(name), [_entry(p.samples[:, i]) for p in self.points])
            )
        number = _column("", [str(row + 1) for row in rows])
        blocks = ["\n".join(map(" ".join, zip(*block, strict=True)))
                  for block in _broken(columns, number)]  # fmt: skip
        return "\n\n".join(line.rstrip() for line in blocks) + f"\n\n{self.summary}"

    def _repr_html_(self) -> str:
        return str(load_registered("critical_points.html")(self))

    def entry_text(self, point: CriticalPoint, place: int) -> str:
        """Return an order parameter of a point as text, or its range over a continuum.

        Parameters
        ----------
        point : CriticalPoint
            One of these points.
        place : int
            Which of the overlaps, from 0.

        Returns
        -------
        str
        """
        return _entry(point.samples[:, place])

    @property
    def _is_named(self) -> bool:
        return any(p.name for p in self.points)

    @property
    def summary(self) -> str:
        """How many points were found, and how many more are expected, as text."""
        coverage, count = self.coverage, len(self.points)
        missed = coverage.expected_missed
        more = f"{missed:.2g} more expected" if math.isfinite(missed) else "more to be expected"
        lines = [
            f"{count} critical point{'' if count == 1 else 's'} up to {self.symmetries} "
            f"symmetr{'y' if self.symmetries == 1 else 'ies'}",
            f"{coverage.total_hits:,} of {coverage.starts:,} searches ended at one, {more}",
        ]
        if self.euler is not None:
            short = f"not to {self.euler_expected}: some missing"
            said = "as they must" if self.is_balanced else short
            lines.append(f"signs of the indices add up to {self.euler}, {said}")
        if any(len(p.samples) > 1 for p in self.points):
            lines.append("low..high: the range over a continuum of critical points, or a plateau")
        return "\n".join(lines)


def number_repeated_names(found: Sequence[Any]) -> list[Any]:
    """Return points or branches, with a number added to each name that occurs more than once.

    Parameters
    ----------
    found : sequence of dataclasses
        With a field ``name``.

    Returns
    -------
    list
    """
    total, seen = Counter(x.name for x in found if x.name), Counter[str]()
    result = []
    for x in found:
        seen[x.name] += 1
        result.append(replace(x, name=f"{x.name} {seen[x.name]}") if total[x.name] > 1 else x)
    return result


def _entry(samples: _Array) -> str:
    low, high = samples.min(), samples.max()
    return _short(low) if high - low < 1e-4 else f"{_short(low)}..{_short(high)}"


def _short(x: float) -> str:
    text = f"{x:.3f}"
    return "0" if abs(x) < 5e-7 else text


def _column(head: str, cells: list[str], left: bool = False) -> list[str]:
    width = max(map(len, (head, *cells)))
    return [f" {text:<{width}}" if left else f" {text:>{width}}" for text in (head, *cells)]


def _broken(columns: list[list[str]], number: list[str]) -> Iterator[list[list[str]]]:
    """Yield the columns of a table in blocks that fit the width, each with the row numbers."""
    block, width = [number], len(number[0])
    for column in columns:
        if width + 1 + len(column[0]) > _WIDTH and len(block) > 1:
            yield block
            block, width = [number], len(number[0])
        block.append(column)
        width += 1 + len(column[0])
    yield block

"""Tables of critical points, in plain text of 80 columns."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from slrsym.models.landscape.critical_point_search import SearchCoverage

_Array = NDArray[np.float64]
_WIDTH = 80


@dataclass(frozen=True, eq=False)
class StationaryPoint:
    """A critical point of the risk, which stands for all its images under symmetries.

    Parameters
    ----------
    state : ndarray, shape (number of order parameters,)
    risk : float
    eigenvalues : ndarray, shape (m,)
        Of the Hessian on the spheres, in all m dimensions of the trained directions, ascending.
    index : int
        Number of descending directions.
    flat : int
        Number of directions whose curvature vanishes.
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
    """

    state: _Array
    risk: float
    eigenvalues: _Array
    index: int
    flat: int
    orbit: int
    continuum: int
    copies: int
    hits: int
    samples: _Array
    plateau: bool = False

    @property
    def kind(self) -> str:
        """The kind of the point: minimum, maximum, saddle, ``degenerate`` or ``plateau``.

        A point is degenerate if its curvatures do not tell what it is. On a plateau the gradient is
        below rounding, without a critical point nearby.
        """
        if self.plateau:
            return "plateau"
        ascending = len(self.eigenvalues) - self.index - self.flat
        if self.index and ascending:
            return "saddle"
        if self.flat > self.orbit:
            return "degenerate"
        return "maximum" if self.index else "minimum"


class StationaryPoints(Sequence[StationaryPoint]):
    """Critical points in order of risk, one for each class under symmetries; printed as a table.

    Parameters
    ----------
    overlaps : tuple of str
        Names of the order parameters.
    points : tuple of StationaryPoint
    coverage : Coverage
        How often each was found, and what that says of those that were not.
    symmetries : int
        Number of symmetries (reflections and permutations of directions).
    """

    def __init__(
        self,
        overlaps: tuple[str, ...],
        points: tuple[StationaryPoint, ...],
        coverage: SearchCoverage,
        symmetries: int,
    ) -> None:
        self.overlaps, self.points = overlaps, points
        self.coverage, self.symmetries = coverage, symmetries

    @overload
    def __getitem__(self, at: int) -> StationaryPoint: ...

    @overload
    def __getitem__(self, at: slice) -> tuple[StationaryPoint, ...]: ...

    def __getitem__(self, at: Any) -> Any:
        return self.points[at]

    def __len__(self) -> int:
        return len(self.points)

    @property
    def states(self) -> _Array:
        """The order parameters of all critical points, shape (points, order parameters)."""
        return np.array([p.state for p in self.points]).reshape(-1, len(self.overlaps))

    @property
    def minima(self) -> tuple[StationaryPoint, ...]:
        """The critical points that are local minima."""
        return tuple(p for p in self.points if p.kind == "minimum")

    def as_dicts(self) -> list[dict[str, Any]]:
        """Return a dictionary for each critical point, for JSON or a data frame.

        Returns
        -------
        list of dict
            With the order parameters by their names.
        """
        return [
            dict(zip(self.overlaps, p.state.tolist(), strict=True))
            | {"risk": p.risk, "kind": p.kind, "index": p.index, "flat": p.flat}
            | {"continuum": p.continuum, "copies": p.copies, "hits": p.hits}
            for p in self.points
        ]

    def __repr__(self) -> str:
        if not self.points:
            return f"no critical point found by {self.coverage.starts:,} searches"
        rows = range(len(self.points))
        columns = [
            _column("risk", [f"{p.risk:.6g}" for p in self.points]),
            _column("kind", [p.kind for p in self.points], left=True),
            _column("index", [str(p.index) for p in self.points]),
            _column("flat", [str(p.flat) for p in self.points]),
            _column(
                "copies", ["-" if p.continuum or p.plateau else str(p.copies) for p in self.points]
            ),
            _column("hits", [str(p.hits) for p in self.points]),
        ]
        for i, name in enumerate(self.overlaps):
            columns.append(
                _column(ascii_name(name), [_entry(p.samples[:, i]) for p in self.points])
            )
        number = _column("", [str(row + 1) for row in rows])
        blocks = ["\n".join(map(" ".join, zip(*block, strict=True)))
                  for block in _broken(columns, number)]  # fmt: skip
        return "\n\n".join(line.rstrip() for line in blocks) + f"\n\n{self._summary()}"

    def _summary(self) -> str:
        coverage, count = self.coverage, len(self.points)
        missed = coverage.expected_missed
        more = f"{missed:.2g} more expected" if math.isfinite(missed) else "more to be expected"
        lines = [
            f"{count} critical point{'' if count == 1 else 's'} up to {self.symmetries} "
            f"symmetr{'y' if self.symmetries == 1 else 'ies'}",
            f"{coverage.total_hits:,} of {coverage.starts:,} searches ended at one, {more}",
        ]
        if any(len(p.samples) > 1 for p in self.points):
            lines.append("low..high: the range over a continuum of critical points, or a plateau")
        return "\n".join(lines)


def _entry(samples: _Array) -> str:
    low, high = samples.min(), samples.max()
    return _short(low) if high - low < 1e-4 else f"{_short(low)}..{_short(high)}"


def _short(x: float) -> str:
    text = f"{x:.3f}"
    return "0" if abs(x) < 5e-7 else text


def ascii_name(name: str) -> str:
    r"""Return the name of an overlap without LaTeX: <k, k*> for \langle k, k^*\rangle."""
    name = name.replace(r"\langle ", "<").replace(r"\rangle", ">")
    return re.sub(r"\^\{?(?:\\star|\*)\}?", "*", name).replace("\\", "")


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

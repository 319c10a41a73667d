"""The bifurcation diagram: branches of critical points along a parameter, with their events."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from slrsym.kernels.arguments import require_integer, require_positive
from slrsym.models.landscape.continuation import BranchPoint, HalfBranch, ParameterLine
from slrsym.models.landscape.critical_point_table import number_repeated_names
from slrsym.models.landscape.critical_points import named_states, named_with, search_in_batches
from slrsym.models.landscape.distinct_points import FoundPoint, KnownPoints
from slrsym.models.landscape.search_starts import StartDraws
from slrsym.models.landscape.symmetries import is_fixed_by_signs
from slrsym.models.training.parameter_values import parameter_values_by_name
from slrsym.models.training.simulation import require_trained_directions

if TYPE_CHECKING:
    from slrsym.models.training.descent import DerivedModel

_Array = NDArray[np.float64]

_SAME = 1e-4
# At how many values points that symmetries fix are looked at.
_GRID = 61


@dataclass(frozen=True, eq=False)
class BranchEvent:
    """An event on a branch of critical points: fold, fork, or change of stability.

    Parameters
    ----------
    kind : {'fold', 'pitchfork', 'stability'}
        It turns back in the parameter; it meets its mirror image, mostly on a branch of more
        symmetry; or the number of descending directions changes, mostly because another branch is
        born there.
    value : float
        Of the parameter.
    state : ndarray, shape (number of order parameters,)
    """

    kind: str
    value: float
    state: _Array


@dataclass(frozen=True, eq=False)
class Branch:
    """A branch of critical points of the risk, sampled along a range of a parameter.

    Parameters
    ----------
    name : str
        As in `CriticalPoint`, with a number where several have the same name.
    values : ndarray, shape (n,)
        Of the parameter.
    points : ndarray, shape (n, t, m)
        The trained directions, in coordinates of which the first are those of the fixed ones.
    states : ndarray, shape (n, number of order parameters)
    excess_risk : ndarray, shape (n,)
    index : ndarray of int, shape (n,)
        How many directions descend, in all d dimensions.
    events : tuple of BranchEvent
        In order of the parameter.
    """

    name: str
    values: _Array
    points: _Array
    states: _Array
    excess_risk: _Array
    index: NDArray[np.int_]
    events: tuple[BranchEvent, ...]


def follow_model_branches(
    model: DerivedModel,
    values: Mapping[Any, Any],
    parameter: Any,
    low: float,
    high: float,
    *,
    anchors: int = 6,
    starts: int = 50,
    max_expected_missed: float | None = None,
    names: Mapping[str, Mapping[Any, float]] | None = None,
    rng: Any = None,
    progress: Callable[[float], None] | None = None,
) -> list[Branch]:
    """Follow the branches of critical points of a model along one of its parameters."""
    require_trained_directions(model, "branches", "gradient-flow", "fixed_points(...)")
    generator = np.random.default_rng(rng)
    name = getattr(parameter, "name", str(parameter))
    known_names = [p.name for p in model.parameters if not p.is_integer and p.name != "d"]
    if name not in known_names:
        raise ValueError(
            f"parameter must be one of {', '.join(known_names) or 'the parameters'}; got {name!r}"
        )
    if not model.is_additive or model.spaces > 1:
        has = f"has {model.spaces}" if model.is_additive else "is an integral of softmax"
        raise ValueError(
            f"branches need second derivatives and one eigenspace; the risk of this model {has}"
        )
    by_name = parameter_values_by_name(model, values)
    if name in by_name:
        raise ValueError(f"values must not have {name}, along which branches are followed")
    if model.parameters[[p.name for p in model.parameters].index(name)].is_positive:
        low, high = require_positive("low", low), require_positive("high", high)
    starts = require_integer("starts", starts, 1)
    named = named_states(model, names or {})

    def search(value: float) -> KnownPoints:
        draws = StartDraws(model, {**by_name, name: value}, generator)
        return search_in_batches(draws, generator, starts, max_expected_missed, 10_000, False)

    def name_branch(known: KnownPoints, state: _Array) -> str:
        return named_with(known, state, named)

    return follow_parameter_branches(
        name, low, high, search, name_branch, anchors=anchors, progress=progress
    )


def follow_parameter_branches(
    parameter: str,
    low: float,
    high: float,
    search: Callable[[float], KnownPoints],
    name: Callable[[KnownPoints, _Array], str],
    *,
    anchors: int = 6,
    progress: Callable[[float], None] | None = None,
) -> list[Branch]:
    """Return the branches of all critical points over a range of a parameter.

    Parameters
    ----------
    parameter : str
        Of the risk.
    low, high : float
        The range, increasing, and positive if the parameter is.
    search : callable
        From a value of the parameter to the critical points there.
    name : callable
        From these and a state to the name of a branch.
    anchors : int, optional
        At how many values critical points are looked for, two at least. A branch that lives between
        two of them only is missed.
    progress : callable, optional
        Called with the part that is done.

    Returns
    -------
    list of Branch
        Ordered by the risk where the parameter is least.

    Raises
    ------
    ValueError
        If the range does not go upwards, or the fixed directions depend on each other.
    """
    if not low < high:
        raise ValueError(f"low must be less than high; got {low!r} and {high!r}")
    anchors = require_integer("anchors", anchors, 2)
    tracer: _Tracer | None = None
    spaced = None
    for number in range(anchors):
        value = low if spaced is None else float(spaced[number])
        if progress is not None:
            progress(number / anchors)
        known = search(value)
        if tracer is None:
            if known.triangle is None:
                fixed = ", ".join(map(str, known.there.model.fixed_directions))
                raise ValueError(
                    "branches need fixed directions that do not depend on each other; those of "
                    f"this model do: {fixed}"
                )
            tracer = _Tracer(known, parameter, low, high, name)
            spaced = tracer.spaced(anchors)
        for entry in known.entries:
            tracer.trace(known, entry, value)
    if progress is not None:
        progress(1.0)
    found = [] if tracer is None else tracer.branches
    ordered = sorted(found, key=lambda b: float(b.excess_risk[np.argmin(b.values)]))
    return number_repeated_names(ordered)


class _Tracer:
    """The branches that were followed so far, and how further ones are."""

    def __init__(
        self,
        known: KnownPoints,
        parameter: str,
        low: float,
        high: float,
        name: Callable[[KnownPoints, _Array], str],
    ) -> None:
        self.line = ParameterLine(known, parameter)
        self._low, self._high, self._name = low, high, name
        self.branches: list[Branch] = []

    def spaced(self, count: int) -> _Array:
        """Return values over the range, equally spaced on the line of the parameter."""
        line = self.line
        places = np.linspace(line.place_of(self._low), line.place_of(self._high), count)
        found = np.exp(places) if line.is_log else places
        found[[0, -1]] = self._low, self._high
        return found

    def trace(self, known: KnownPoints, entry: FoundPoint, value: float) -> None:
        """Follow the branch through a critical point that no known branch passes through."""
        enclosure = entry.enclosure
        if enclosure is None:
            enclosure = known.enclosed(entry.point) if not entry.plateau else None
        if enclosure is None or not enclosure.is_decided:
            # Of a continuum, or of what may be none, there is no branch.
            if known.are_enclosable or not self._is_regular(known, entry):
                return
            point = self._narrow(known, entry.point)
        else:
            point = enclosure.point
        if self._is_known(known, entry.state, value):
            return
        if self._is_fixed(point):
            self.branches.append(self._fixed(point))
            return
        traces = [self.line.follow(point, value, side, self._low, self._high) for side in (-1, 1)]
        self.branches.append(self._joined(traces))

    def _is_regular(self, known: KnownPoints, entry: FoundPoint) -> bool:
        """Return whether no curvature vanishes but along rotations, where there are no balls."""
        spectrum = known.curvatures(entry)
        size = max((abs(x) for x, _ in spectrum), default=0.0)
        flat = sum(n for x, n in spectrum if abs(x) <= 1e-7 * size)
        return flat == known.there.orbit_dimension(entry.point)

    def _narrow(self, known: KnownPoints, point: _Array) -> _Array:
        """Return a point turned so that it has as many coordinates as its directions span."""
        f = self.line.span
        rest, sizes, _ = np.linalg.svd(point[:, f:], full_matrices=False)
        rank = int((sizes > 1e-6).sum())
        return np.concatenate([point[:, :f], (rest * sizes)[:, :rank]], axis=1)

    def _is_fixed(self, point: _Array) -> bool:
        """Return whether symmetries make a point critical at all values of the parameter."""
        if not self.line.known.there.spheres.on_sphere.all():
            return False
        if not np.isin(point, (0.0, 1.0, -1.0)).all():
            return False
        return is_fixed_by_signs(point, self.line.known.coordinate_signs(point.shape[1]))

    def _is_known(self, known: KnownPoints, state: _Array, value: float) -> bool:
        """Return whether a known branch passes through a critical point."""
        images = known.symmetries.images(state)
        for branch in self.branches:
            above = branch.values >= value
            places = [self.line.place_of(float(x)) for x in branch.values]
            here = np.flatnonzero(np.abs(np.array(places) - self.line.place_of(value)) < 1e-9)
            points = [branch.points[i] for i in here]
            points += [
                self._between(branch, i, value)
                for i in np.flatnonzero(above[1:] != above[:-1]).tolist()
            ]
            for point in points:
                other = self.line.there(point.shape[-1]).order_parameters_at(point)
                if np.abs(images - other).max(axis=-1).min() < _SAME:
                    return True
        return False

    def _between(self, branch: Branch, i: int, value: float) -> _Array:
        line = self.line
        first, last = (line.place_of(float(x)) for x in branch.values[i : i + 2])
        part = (line.place_of(value) - first) / (last - first)
        mean = line.there(branch.points.shape[-1]).spheres.normalise(
            (1 - part) * branch.points[i] + part * branch.points[i + 1]
        )
        exact = line.correct(mean, value)
        return mean if exact is None else exact

    def _branch_of(
        self, values: _Array, points: _Array, index: list[int], events: list[BranchEvent]
    ) -> Branch:
        states = self.line.there(points.shape[-1]).order_parameters_at(points)
        # The same image of all places, so that the curve is continuous.
        middle = states[len(states) // 2]
        symmetries = self.line.known.symmetries
        best = self._canonical(middle)
        order, sign = next(
            (order, sign)
            for order, sign in symmetries.transformations
            if np.allclose(sign * middle[order], best, atol=1e-6)
        )
        risks = self.line.model.compiled("numpy", "excess_risk")
        return Branch(
            self._name(self.line.known, middle),
            values,
            points,
            sign * states[:, order] + 0.0,
            risks(states, *self.line.row(values))[..., 0],
            np.array(index),
            tuple(sorted(events, key=lambda e: e.value)),
        )

    def _canonical(self, state: _Array) -> _Array:
        return self.line.known.copies(state)[1]

    def _state(self, point: _Array) -> _Array:
        state = self.line.there(point.shape[-1]).order_parameters_at(point)
        return self._canonical(state)

    def _fixed(self, point: _Array) -> Branch:
        """Return the branch of a point that is critical at all values of the parameter."""
        grid = self.spaced(_GRID)
        points = np.broadcast_to(point, (len(grid), *point.shape)).copy()
        indices = self._indices(points, grid)
        events = []
        for i in np.flatnonzero(np.diff(indices)):
            low, high = float(grid[i]), float(grid[i + 1])
            while self.line.place_of(high) - self.line.place_of(low) > 1e-8:
                middle = self.line.between(low, high)
                same = self._indices(point[None], np.array([middle]))[0] == indices[i]
                low, high = (middle, high) if same else (low, middle)
            events.append(
                BranchEvent("stability", self.line.between(low, high), self._state(point))
            )
        return self._branch_of(grid, points, indices, events)

    def _joined(self, traces: list[HalfBranch]) -> Branch:
        """Join the two halves of a branch, followed in opposite directions from one point."""
        down, up = traces
        places: list[BranchPoint] = [*reversed(down.places[1:]), *up.places]
        points = np.array([p.point for p in places])
        values = np.array([self.line.value_at(p.place) for p in places])
        index = self._indices(points, values)
        turns = [
            BranchEvent(kind, self.line.value_at(p.place), self._state(p.point))
            for trace in traces
            for kind, p in trace.events
            if kind != "crossing"
        ]
        for i in np.flatnonzero(np.diff(index)):
            low, high = np.sort(values[i : i + 2])
            slack = 1e-6 * max(abs(low), abs(high))
            if not any(low - slack <= e.value <= high + slack for e in turns):
                ends = (float(values[i]), float(values[i + 1]))
                turns.append(self._change(points[i], points[i + 1], *ends))
        return self._branch_of(values, points, index, turns)

    def _change(self, before: _Array, after: _Array, low: float, high: float) -> BranchEvent:
        """Locate a change of a branch's index between two points by bisection; return it."""
        line = self.line
        start = self._indices(before[None], np.array([low]))
        spheres = line.there(before.shape[-1]).spheres
        for _ in range(30):
            value = line.between(low, high)
            middle = line.correct(spheres.normalise((before + after) / 2), value)
            if middle is None:
                break
            if self._indices(middle[None], np.array([value])) == start:
                before, low = middle, value
            else:
                after, high = middle, value
        return BranchEvent("stability", line.between(low, high), self._state(before))

    def _indices(self, points: _Array, values: _Array) -> list[int]:
        """Return the number of descending directions at each point, certified where in doubt."""
        more = self.line.d - points.shape[-1]
        inside, across, sure = self.line.indices(points, values)
        found: list[int] = (inside + more * across).tolist()
        for i in np.flatnonzero(~sure):
            there = self.line.at(float(values[i]))
            enclosure = there.enclosed(points[i])
            if enclosure is not None and enclosure.is_decided:
                found[i] = enclosure.inertia(self.line.d)[0]
        return found

"""Planes in the state of a model: two order parameters that vary, all others held fixed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray
from sympy import Expr, Symbol, lambdify

from slrsym.documents.figures.style import figure_style_context
from slrsym.documents.typeset import to_latex
from slrsym.documents.typeset.letters import box_of_symbol_name
from slrsym.kernels.arguments import require_real_array
from slrsym.models.training.parameter_values import parameter_values_by_name

if TYPE_CHECKING:
    from slrsym.models.training.descent import DerivedModel

Array = NDArray[np.float64]

# Wide enough to be read at 375 px, in inches.
SIZE = (4.6, 3.6)
# How far beyond rounding a Gram matrix may be from positive semidefinite, and what is on the plane.
ROUNDING, NEAR = 1e-9, 1e-3


def name_tex(name: str) -> str:
    """Return the TeX of a symbol's name, for Matplotlib."""
    return f"${to_latex(box_of_symbol_name(name))}$"


def new_axes(ax: Axes | None, size: tuple[float, float] = SIZE) -> Axes:
    """Return the given axes, or those of a new figure in the package's style."""
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    with figure_style_context():
        made: Axes = plt.subplots(figsize=size, layout="constrained")[1]
    return made


@dataclass(frozen=True)
class StatePlane:
    """A plane in the state of a model.

    Parameters
    ----------
    model : Model
    state : tuple of Symbol
        The order parameters, and scalars that are trained.
    x, y : int
        The places of those that vary.
    held : ndarray of shape (n,)
        Values of the state; those at `x` and `y` are not used.
    window : tuple
        The ends of both axes, ``((x_low, x_high), (y_low, y_high))``.
    """

    model: DerivedModel
    state: tuple[Symbol, ...]
    x: int
    y: int
    held: Array
    window: tuple[tuple[float, float], tuple[float, float]]

    @classmethod
    def choose(
        cls,
        model: DerivedModel,
        state: tuple[Symbol, ...],
        x: Any,
        y: Any,
        at: Mapping[Any, float] | None,
        window: Any,
    ) -> StatePlane:
        """Return the plane of two order parameters, chosen by name, symbol or inner product.

        Where `at` has no value, what is positive is held at 1, and all else at 0.
        """
        if len(state) < 2:
            raise ValueError(
                f"a plane needs two order parameters; this state has {len(state)}: "
                f"{', '.join(map(str, state)) or 'none'}"
            )
        names = [s.name for s in state]
        chosen = [_place(model, names, "x", x, 0)]
        other = next(i for i in range(len(names)) if i != chosen[0])
        chosen.append(_place(model, names, "y", y, other))
        if chosen[0] == chosen[1]:
            raise ValueError(f"x and y must differ; both are {names[chosen[0]]}")
        given = parameter_values_by_name(model, at or {})
        if unknown := sorted(given.keys() - {*names}):
            raise ValueError(
                f"at has {unknown[0]}, which is not part of the state ({', '.join(names)})"
            )
        held = np.array([float(given.get(s.name, 1.0 if s.is_positive else 0.0)) for s in state])
        ends = [_default_ends(model, state[i]) for i in chosen]
        if window is not None:
            array = require_real_array("window", window)
            if array.shape != (2, 2) or not (array[:, 0] < array[:, 1]).all():
                raise ValueError(
                    f"window must have the ends of both axes, as ((-1, 1), (0, 2)); got {window!r}"
                )
            ends = [(float(low), float(high)) for low, high in array]
        return cls(model, state, chosen[0], chosen[1], held, (ends[0], ends[1]))

    @classmethod
    def choose_best(
        cls,
        model: DerivedModel,
        state: tuple[Symbol, ...],
        x: Any,
        y: Any,
        at: Mapping[Any, float] | None,
        window: Any,
        worth: Callable[[StatePlane], Any],
    ) -> StatePlane:
        """Return the plane of highest worth among those that `x` and `y` leave open."""
        if x is not None and y is not None:
            return cls.choose(model, state, x, y, at, window)
        # Of those that are worth the same, the first.
        best = None
        for first in [x] if x is not None else state:
            for second in [y] if y is not None else state:
                plane = cls._unless_equal(model, state, first, second, at, window)
                # Either order is the same plane.
                if plane is None or (x is None and y is None and plane.x > plane.y):
                    continue
                value = worth(plane)
                if best is None or value > best[0]:
                    best = (value, plane)
        return best[1] if best else cls.choose(model, state, x, y, at, window)

    @classmethod
    def _unless_equal(cls, model: DerivedModel, state: tuple[Symbol, ...], x: Any, y: Any,
                      at: Any, window: Any) -> StatePlane | None:  # fmt: skip
        names = [s.name for s in state]
        same = _place(model, names, "x", x, 0) == _place(model, names, "y", y, 0)
        return None if same else cls.choose(model, state, x, y, at, window)

    def grid(self, points: int) -> tuple[Array, Array, Array]:
        """Return the values on both axes, and states over the grid, shape (points, points, n)."""
        along = [np.linspace(*ends, points) for ends in self.window]
        states = np.broadcast_to(self.held, (points, points, len(self.held))).copy()
        states[..., self.x], states[..., self.y] = np.meshgrid(*along)
        return along[0], along[1], states

    def least_eigenvalue(self, states: Array, entries: Sequence[Sequence[Sequence[Expr]]],
                         numbers: Mapping[str, float]) -> Array:  # fmt: skip
        """Return the least eigenvalue of the Gram matrices of states of shape (..., n).

        It is negative where no vectors have these inner products. `entries` has a matrix for each
        eigenspace; products that nothing else depends on may be anything.
        """
        columns = {s.name: states[..., i] for i, s in enumerate(self.state)}
        known = columns.keys() | numbers.keys()
        found = np.full(states.shape[:-1], np.inf)
        for matrix in entries:
            usable = [
                i
                for i, row in enumerate(matrix)
                if {s.name for e in row for s in e.free_symbols} <= known
            ]
            gram = np.zeros((*states.shape[:-1], len(usable), len(usable)))
            for a, i in enumerate(usable):
                for b, j in enumerate(usable):
                    symbols = sorted(matrix[i][j].free_symbols, key=str)
                    values = [columns.get(s.name, numbers.get(s.name)) for s in symbols]
                    gram[..., a, b] = lambdify(symbols, matrix[i][j])(*values)
            if usable:
                found = np.minimum(found, np.linalg.eigvalsh(gram).min(axis=-1))
        return found

    def contains(self, state: Any) -> bool:
        """Return whether a state lies on the plane, within 0.001, and in the window."""
        array = np.asarray(state, dtype=np.float64)
        others = [i for i in range(len(self.held)) if i not in (self.x, self.y)]
        inside = all(
            low - NEAR <= array[i] <= high + NEAR
            for i, (low, high) in zip((self.x, self.y), self.window, strict=True)
        )
        return inside and bool((np.abs(array - self.held)[others] < NEAR).all())

    def label(self, ax: Axes) -> None:
        """Write the names on the axes, and above what is held where."""
        ax.set_xlabel(name_tex(self.state[self.x].name))
        ax.set_ylabel(name_tex(self.state[self.y].name))
        ax.set_xlim(*self.window[0])
        ax.set_ylim(*self.window[1])

    @property
    def held_tex(self) -> str:
        """What is held fixed, as TeX for Matplotlib; of more than three, their number."""
        rest = [i for i in range(len(self.held)) if i not in (self.x, self.y)]
        values: dict[float, list[str]] = {}
        for i in rest:
            values.setdefault(self.held[i], []).append(name_tex(self.state[i].name)[1:-1])
        if len(rest) > 4:
            return "; ".join(f"{len(names)} others at {v:g}" for v, names in values.items())
        return ", ".join(f"${' = '.join(names)} = {value:g}$" for value, names in values.items())


def gram_entries_of_model(model: DerivedModel) -> list[list[list[Expr]]]:
    """Return the inner products of all directions of a model, a matrix for each eigenspace."""
    return [
        [[model.inner_product(x, y, space) for y in model.directions] for x in model.directions]
        for space in range(model.spaces)
    ]


def hide_what_no_vectors_have(ax: Axes, across: Array, up: Array, least: Array) -> None:
    """Cover the part of a plane where the least eigenvalue of the Gram matrix is negative."""
    if (least < -ROUNDING).any():
        ends = [min(least.min(), -1.0) - 1.0, -ROUNDING]
        ax.contourf(across, up, least, levels=ends, colors="white", zorder=1.9)


def _place(model: DerivedModel, names: list[str], argument: str, key: Any, default: int) -> int:
    if key is None:
        return default
    (name,) = parameter_values_by_name(model, {key: 0.0}) or ("",)
    if name not in names:
        raise ValueError(
            f"{argument} must be an order parameter of this model ({', '.join(names)}); got {key}"
        )
    return names.index(name)


def _default_ends(model: DerivedModel, symbol: Symbol) -> tuple[float, float]:
    """Return the ends of an axis: those that unit vectors allow, or else some that show much."""
    if symbol.is_positive:
        return (0.0, 2.0)
    place = model.gram_indices.get(symbol)
    if place is None:
        return (-2.0, 2.0)
    lengths = [model.inner_product(x, x) for x in (model.directions[i] for i in place[:2])]
    return (-1.0, 1.0) if all(e == 1 for e in lengths) or model.spaces > 1 else (-1.5, 1.5)

"""Gradient flow and descent in matrices: drift, conserved quantities, solutions, fixed points."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import root
from sympy import Symbol

from slrsym.files import require_writable, write_netcdf
from slrsym.kernels.arguments import require_integer, require_positive
from slrsym.kernels.compile import require_backend
from slrsym.matrices.letters import Letter
from slrsym.models.matrices.conserved import conserved_quantities
from slrsym.models.matrices.matrix_programs import matrix_function
from slrsym.models.matrices.matrix_values import MatrixValues
from slrsym.models.matrices.matrix_velocities import MatrixVelocities, PackedFunction
from slrsym.models.matrices.reduced_flow import ReducedFlow
from slrsym.models.matrices.shown_formulas import ShownFormulas
from slrsym.models.training.runs import Runs, build_runs
from slrsym.models.training.solutions import (
    NotSolvedError,
    Trajectory,
    solution_times,
    solve_trajectory,
)
from slrsym.registry import load_registered

Array = NDArray[np.float64]


@dataclass(frozen=True)
class MatrixFixedPoint:
    """A point at which a matrix flow rests.

    Attributes
    ----------
    point : dict
        The values of what is trained.
    risk : float
    residual : float
        The largest rate of change there.
    """

    point: dict[Any, Any]
    risk: float
    residual: float

    def __repr__(self) -> str:
        return f"MatrixFixedPoint(risk {self.risk:.10g}; residual {self.residual:.1g})"

    def _repr_html_(self) -> str:
        return str(load_registered("matrix_fixed_point.html")(self))


class MatrixFlow(ShownFormulas, MatrixVelocities):
    """The equations of motion of a model in matrices; created by `MatrixModel.equations`.

    Parameters
    ----------
    model : MatrixModel
    kind : str
        Gradient flow or projected descent.
    rates : mapping of Letter or Symbol to Expr
    """

    _kind, _drawn = "matrix_flow", 'reduced("F").at_size(2)'

    @cached_property
    def conserved(self) -> list[Any]:
        """Quadratic functions that the gradient flow conserves: numbers, and matrices.

        Of numbers, combinations of products of two trained numbers and of tr(V W'); of matrices,
        combinations of V' V and V V', for trained letters V, W. There may be others.

        Raises
        ------
        ValueError
            If the kind is another one than gradient flow: steps conserve nothing of this kind.
        """
        if self.kind != "gradient-flow":
            raise ValueError(f"{self.kind} conserves no quadratic function; gradient flow does")
        return conserved_quantities(self.model.algebra, self.velocities, self.rates)

    def reduced(self, family: str | None = None) -> ReducedFlow:
        """Return the equations in the eigenvalues of the trained matrices.

        If all matrices of the equations are of one commuting family, and those that are trained
        start in it, they stay in it.

        Parameters
        ----------
        family : str, optional
            The name of the family. Without it all parameters have to be multiples of the identity,
            and so are the trained matrices, each with one number.

        Returns
        -------
        ReducedFlow

        Raises
        ------
        ValueError
            If a letter is of no such family, or is not square.
        """
        return ReducedFlow(self, family)

    def compile(self, backend: str = "numpy") -> Callable[..., Any]:
        """Compile the drift to a function of the state and the parameters.

        Parameters
        ----------
        backend : {'numpy', 'numba', 'jax'}, optional

        Returns
        -------
        callable
            Of the arrays and numbers of `state`, and then of `parameters`, with sizes as floats. It
            returns a tuple with a velocity for each of `state`.

        Raises
        ------
        ValueError
            If there is no such backend.
        ImportError
            If the backend is not installed.
        """
        arguments = (*self.state, *self.parameters)
        return matrix_function(self.model.algebra, self.velocities, arguments, backend)

    def solve(
        self,
        values: Mapping[Any, Any],
        start: Mapping[Any, Any],
        time: float = 1.0,
        *,
        points: int = 201,
        tolerance: float = 1e-9,
        backend: str = "numpy",
        path: str | Path | None = None,
    ) -> Runs:
        """Solve the equations in time from one start; return a dataset.

        Parameters
        ----------
        values : mapping of Letter, Size, Symbol or str to array or number
            The parameters. A matrix is an array of shape (rows, columns). A covariance may be
            given by its eigenvalues; it is diagonal then.
        start : mapping of Letter, Symbol or str to array or number
            What is trained. A matrix is an array of shape (rows, columns), a vector one of shape
            (rows,).
        time : float, optional
            Until when, positive; of projected descent, the number of steps.
        points : int, optional
            Number of times, from 0 to `time`, at least 2.
        tolerance : float, optional
            Relative error of a step in time, positive; absolute errors are a hundredth of it.
        backend : {'numpy', 'numba'}, optional
        path : path, optional
            A file .nc to save the result in.

        Returns
        -------
        Runs
            Over ``time``: each trained number; each trained matrix, over ``row`` and ``column``
            besides (``row_W`` and ``column_W`` for a letter W, if their shapes differ); and
            ``risk``.

        Raises
        ------
        ValueError
            If a value is missing, or is of another kind or shape.
        NotSolvedError
            If the equations cannot be solved up to `time`. It has what was solved as its
            ``result``.
        """
        time, tolerance = require_positive("time", time), require_positive("tolerance", tolerance)
        require_backend(backend, ("numpy", "numba"))
        if path is not None:
            require_writable(path)
        times = solution_times(self.kind, time, require_integer("points", points, 2))
        shapes, state, row = self._start(values, start)
        packed = PackedFunction(self.compile(backend), shapes, row)
        names = [name for x in self.state for name in _entry_names(x, shapes[x])]
        found = solve_trajectory(packed, self.kind, names, state, (), times, tolerance)
        runs = self._dataset(found, shapes, row, {"backend": backend, "tolerance": tolerance})
        if path is not None:
            write_netcdf(runs, path)
        if found.problem is not None:
            raise NotSolvedError(
                f"the equations cannot be solved up to {times[-1]:g}: {found.problem}. What was "
                "solved is the `result` of this error",
                runs,
            )
        return runs

    def _start(
        self, values: Mapping[Any, Any], start: Mapping[Any, Any]
    ) -> tuple[dict[Any, tuple[int, ...]], Array, list[Any]]:
        """Return the shapes of what moves, the state as one array, and the parameters."""
        if not isinstance(start, Mapping):
            names = ", ".join(x.name for x in self.state)
            raise ValueError(f"start must be a mapping of {names} to numbers; got {start!r}")
        known = MatrixValues.of((*self.state, *self.parameters), {**values, **start})
        for x, rate in self.rates.items():
            at = rate.subs({s: known.values[s] for s in rate.free_symbols})
            if at.is_negative:
                raise ValueError(f"rate must not be negative; got {at} of {x.name}")
        first = known.row(self.state)
        shapes = {x: np.shape(value) for x, value in zip(self.state, first, strict=True)}
        flat = np.concatenate([np.ravel(value) for value in first])
        return shapes, flat, known.row(self.parameters)

    def _dataset(
        self, found: Trajectory, shapes: Mapping[Any, Any], row: Sequence[Any], settings: Any
    ) -> Runs:
        packed = PackedFunction(lambda *x: x, shapes, ())
        at = [packed.unpacked(state) for state in found.states]
        risk = self.model.compile()
        known = dict(zip(self.parameters, row, strict=True))
        rest = [known[x] for x in self.model.parameters]
        with np.errstate(all="ignore"):
            risks = [float(risk(*state, *rest)[0]) for state in at]
        alike = len({x.shape for x in shapes if isinstance(x, Letter)}) == 1
        variables: dict[str, Any] = {}
        for i, x in enumerate(self.state):
            dims = [n if alike else f"{n}_{x.name}" for n in ("row", "column")]
            stacked = np.array([state[i] for state in at])
            if isinstance(x, Letter) and x.shape[1] == 1:
                variables[x.name] = ("time", dims[0]), stacked[..., 0]
            else:
                variables[x.name] = ("time", *dims[: stacked.ndim - 1]), stacked
        variables["risk"] = "time", np.array(risks)
        settings |= {"kind": self.kind}
        settings |= {x.name: v for x, v in known.items() if isinstance(v, float)}
        return build_runs(variables, {"time": found.times}, settings)

    def fixed_points(
        self,
        values: Mapping[Any, Any],
        *,
        starts: int | Sequence[Mapping[Any, Any]] = 50,
        rng: Any = None,
        tolerance: float = 1e-9,
    ) -> list[MatrixFixedPoint]:
        """Search for points at which nothing moves; return one for each value of the risk.

        Points of a continuum have one risk; so do points that symmetries of the model exchange.

        Parameters
        ----------
        values : mapping of Letter, Size, Symbol or str to array or number
            The parameters, with the sizes of all trained matrices. A matrix is an array of shape
            (rows, columns).
        starts : int or sequence of mapping, optional
            The number of random starts, at least 1, or starts as of `solve`.
        rng : int or Generator, optional
            Seed of random starts: standard normal entries.
        tolerance : float, optional
            The largest rate of change at a fixed point.

        Returns
        -------
        list of MatrixFixedPoint
            By their risk. There may be others.

        Raises
        ------
        ValueError
            If a value is missing, or is of another kind or shape.
        """
        generator = np.random.default_rng(rng)
        if isinstance(starts, int):
            count = require_integer("starts", starts, 1)
            starts = [self._random_start(values, generator) for _ in range(count)]
        found: list[MatrixFixedPoint] = []
        risk = self.model.compile()
        for start in starts:
            sizes, state, row = self._start(values, start)
            packed = PackedFunction(self.compile(), sizes, row)
            # A search may go where numbers end; what it finds is tried below.
            with np.errstate(over="ignore", invalid="ignore"):
                best = root(packed, state, method="lm", options={"xtol": 1e-14, "ftol": 1e-14})
            residual = float(np.abs(packed(best.x)).max())
            if not residual <= tolerance:
                continue
            at = packed.unpacked(best.x)
            known = dict(zip(self.parameters, row, strict=True))
            (value,) = risk(*at, *(known[x] for x in self.model.parameters))
            found.append(
                MatrixFixedPoint(dict(zip(self.state, at, strict=True)), float(value), residual)
            )
        found.sort(key=lambda p: p.risk)
        scale = max([abs(p.risk) for p in found], default=1.0)
        return [
            p for i, p in enumerate(found) if not i or p.risk - found[i - 1].risk > 1e-6 * scale
        ]

    def _random_start(self, values: Mapping[Any, Any], rng: np.random.Generator) -> dict[Any, Any]:
        known = MatrixValues.of(self.parameters, values).values
        return {
            x: rng.standard_normal([1 if n == 1 else known[n] for n in x.shape])
            if isinstance(x, Letter) else float(rng.standard_normal())
            for x in self.state
        }  # fmt: skip


def _entry_names(x: Letter | Symbol, shape: tuple[int, ...]) -> list[str]:
    if not shape:
        return [x.name]
    return [f"{x.name}[{', '.join(map(str, at))}]" for at in np.ndindex(*shape)]

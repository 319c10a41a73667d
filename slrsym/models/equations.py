r"""Equations of motion of a stated model: read, solve, linearise and compile them.

The descent is on the mean R of the squared error, *without* a factor 1/2. One sample has the error
e and the gradient :math:`g_x = \nabla_x e^2`; x has the rate r, and loses the part :math:`\kappa`
to weight decay. Then each kind of equations is about

=====================  =========================================================  =================
kind                   motion                                                     time
=====================  =========================================================  =================
``gradient-flow``      :math:`\dot x = -r \nabla_x R - \kappa x`                  continuous
``projected-descent``  :math:`x \to x - r \nabla_x R - \kappa x`                  steps
``online-sgd``         :math:`x \to x - (r\,g_x + \kappa x)/d`, d to infinity     steps / d
=====================  =========================================================  =================

On a sphere the motion is tangent, and a step ends at length 1. Papers that descend on half the
square, such as Saad and Solla (1995) and Goldt et al. (2019), have a learning rate
:math:`\eta = 2r`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sympy import Expr, ImmutableMatrix, S, Symbol, latex, sympify

from slrsym.kernels.compile import compile_program, require_backend
from slrsym.kernels.printing import print_program
from slrsym.models.moment_tables import MomentTable
from slrsym.models.motion import KINDS, Changes, Motion, slope_of
from slrsym.models.simulation import values_by_name
from slrsym.models.specification import Direction
from slrsym.models.units import Directions

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from slrsym.claims.claim import Claim
    from slrsym.models.additive_model import Model
    from slrsym.models.fixed_points import FixedPoint, Linearisation
    from slrsym.runs import Runs

Array = NDArray[np.float64]

# The rate of all that is trained, if none is given.
RATE = Symbol("rate", positive=True)

_TIMES = {
    "gradient-flow": "d/dt",
    "projected-descent": "change in a step",
    "online-sgd": "d/dt, t = steps / d",
}


def motion_of(model: Model, kind: str, rate: Any, decay: Any, train: Any) -> Motion:
    """Return rates and decays of all that is trained, checked against the model."""
    if kind not in KINDS:
        raise ValueError(f"kind must be one of {', '.join(KINDS)}; got {kind!r}")
    scalars = tuple(sympify(s) for s in ((train,) if isinstance(train, Symbol) else train))
    inner = {s for error, _ in model.shares.values() for s in error.free_symbols}
    projections = {s for _, names in model.shares.values() for s in names.values()}
    for s in scalars:
        if not isinstance(s, Symbol) or s not in inner - projections:
            allowed = ", ".join(sorted(str(x) for x in inner - projections)) or "none"
            raise ValueError(f"train must be symbols of the predictor ({allowed}); got {s!r}")
    moving = (*model.trained, *scalars)
    rates = _each("rate", rate, moving, RATE)
    # Decay of all is that of directions; scalars have their own.
    spread = decay if isinstance(decay, Mapping) else dict.fromkeys(model.trained, decay)
    return Motion(kind, rates, _each("decay", spread, moving, S.Zero), scalars)


def _each(name: str, given: Any, moving: tuple[Any, ...], default: Expr) -> dict[Any, Expr]:
    """Return a number or expression for each direction and scalar that is trained."""
    if not isinstance(given, Mapping):
        given = dict.fromkeys(moving, default if given is None else given)
    found: dict[Any, Expr] = {}
    for key, value in given.items():
        parts = [x for x in moving if x is key or _is_unit_of(x, key)]
        if not parts:
            allowed = ", ".join(map(str, moving))
            raise ValueError(f"{name} has {key!r}, which is not trained (trained: {allowed})")
        found |= dict.fromkeys(parts, sympify(value))
    for x in moving:
        found.setdefault(x, default)
        if found[x].is_negative:
            raise ValueError(f"{name} must not be negative; got {found[x]} of {x}")
    return found


def _is_unit_of(x: Any, group: Any) -> bool:
    return (
        isinstance(group, Directions)
        and isinstance(x, Direction)
        and (x.group is not None and x.group[0] is group)
    )


class Equations:
    """Equations of motion in the order parameters of a model; created by `Model.equations`.

    Parameters
    ----------
    model : Model
    motion : Motion
        Kind, rates, decays and trained scalars.

    Raises
    ------
    ValueError
        As `Model.equations` does.
    """

    def __init__(self, model: Model, motion: Motion) -> None:
        self.model, self.motion = model, motion
        self._changes = Changes(model, motion)

    @property
    def kind(self) -> str:
        """Gradient flow, projected descent, or online SGD, as `Model.equations` names them."""
        return self.motion.kind

    @property
    def symmetric(self) -> bool:
        """Whether the equations are those of the subspace where exchangeable units are alike."""
        return self.model.by_representatives

    @property
    def state(self) -> tuple[Symbol, ...]:
        """The order parameters and trained scalars that move."""
        return self._changes.state

    @cached_property
    def parameters(self) -> tuple[Symbol, ...]:
        """The other symbols of the equations and of the risk, by name."""
        free = set().union(*(e.free_symbols for e in (*self._outputs, self._changes.risk)))
        moments = self._changes.samples.moments
        for moment in [moments[name] for name in free & moments.keys()]:
            for (_, entries), c in moment.terms.items():
                free |= c.free_symbols | set().union(*(e.free_symbols for e in entries))
        return tuple(sorted(free - moments.keys() - set(self.state), key=lambda s: s.name))

    @property
    def _outputs(self) -> list[Expr]:
        changes = self._changes
        return [changes.drift[p] + changes.noise[p] for p in self.state]

    # -- expressions -----------------------------------------------------------------------------

    def _written(self, expr: Expr) -> Expr:
        """Return an expression in state and parameters alone."""
        moments = self._changes.samples.moments
        names = expr.free_symbols & moments.keys()
        return expr.xreplace({name: moments[name].expression() for name in names})

    @cached_property
    def drift(self) -> ImmutableMatrix:
        """The terms of first order in the rates, a column; of projected descent, all of a step."""
        return ImmutableMatrix([self._written(self._changes.drift[p]) for p in self.state])

    @cached_property
    def noise(self) -> ImmutableMatrix:
        """The terms of second order in the rates that online SGD has, a column."""
        return ImmutableMatrix([self._written(self._changes.noise[p]) for p in self.state])

    @property
    def risk(self) -> Expr:
        """The mean of the squared error, with the noise, on this state."""
        return self._written(self._changes.risk)

    @cached_property
    def jacobian(self) -> ImmutableMatrix:
        """The derivatives of the rate of change (rows) in the state (columns)."""
        size = len(self.state)
        return ImmutableMatrix(size, size, [self._written(e) for e in self._slopes])

    @cached_property
    def _slopes(self) -> list[Expr]:
        samples = self._changes.samples
        return [slope_of(e, p, samples) for e in self._outputs for p in self.state]

    def to_latex(self, file: str | Path | None = None) -> str:
        """Write the equations in LaTeX.

        Parameters
        ----------
        file : str or Path, optional
            Where to write the text as well.

        Returns
        -------
        str
            A display for each order parameter, for a document with amsmath.
        """
        lines = []
        for p, drift, noise in zip(self.state, self.drift, self.noise, strict=True):
            left = rf"\frac{{d}}{{dt}} {latex(p)}"
            if self.kind == "projected-descent":
                left = rf"\Delta {latex(p)}"
            lines.append(rf"\begin{{equation*}}{left} = {latex(drift + noise)}\end{{equation*}}")
        text = "\n".join([*lines, ""])
        if file is not None:
            Path(file).write_text(text, encoding="utf-8")
        return text

    def __repr__(self) -> str:
        fixed = ", ".join(map(str, self.parameters)) or "none"
        state = ", ".join(map(str, self.state))
        rates = dict.fromkeys(map(str, self.motion.rates.values()))
        decays = dict.fromkeys(str(k) for k in self.motion.decays.values() if k != 0)
        lines = [
            f"Equations of {self.kind} ({_TIMES[self.kind]})",
            f"  state:      {state}" + " (exchangeable units alike)" * self.symmetric,
            f"  parameters: {fixed}",
            f"  rate:       {', '.join(rates)} on the squared error (eta / 2 for half of it)",
        ]
        lines += [f"  decay:      {', '.join(decays)}"] if decays else []
        return "\n".join(line if len(line) <= 100 else line[:97] + "..." for line in lines)

    # -- numbers ---------------------------------------------------------------------------------

    @cached_property
    def change_table(self) -> MomentTable:
        """The rate of change as a table that is compiled, or sent to other processes."""
        return self._table_of(self._outputs)

    @cached_property
    def _jacobian_table(self) -> MomentTable:
        return self._table_of(self._slopes)

    @cached_property
    def _risk_table(self) -> MomentTable:
        return self._table_of([self._changes.risk])

    def _table_of(self, outputs: list[Expr]) -> MomentTable:
        moments = self._changes.samples.moments
        return MomentTable(outputs, moments, self.state, self.parameters)

    def compile(self, backend: str = "numpy", *what: str) -> Callable[..., Any]:
        """Return the rate of change, or something else, as a function.

        Parameters
        ----------
        backend : {'numpy', 'numba', 'mpmath', 'ball', 'jax'}, optional
        *what : {'change', 'jacobian', 'risk'}
            One output; by default the change. The Jacobian is row by row.

        Returns
        -------
        callable
            ``f(state, *parameters)``, as of `slrsym.kernels.compile_expressions`, in the order of
            `state` and `parameters`.

        Raises
        ------
        ValueError
            If there is no such backend or output.
        """
        require_backend(backend)
        chosen = what or ("change",)
        if len(chosen) != 1 or chosen[0] not in ("change", "jacobian", "risk"):
            raise ValueError(f"what must be one of change, jacobian, risk; got {chosen}")
        table = {
            "change": lambda: self.change_table,
            "jacobian": lambda: self._jacobian_table,
            "risk": lambda: self._risk_table,
        }[chosen[0]]()
        if backend in ("numpy", "numba"):
            return table.compile(backend)
        moments = self._changes.samples.moments
        given = {name: moments[name].expression() for name in table.names}
        program = print_program(table.outputs, self.state, self.parameters, given=given)
        return compile_program(program, backend)

    def at(self, point: Any, values: Mapping[Any, Any] | None = None) -> Array:
        """Evaluate the rate of change at a point.

        Parameters
        ----------
        point : mapping of Symbol, str or inner product to number, or array_like of shape (n,)
            The state.
        values : mapping of Symbol or str to number, optional
            The parameters.

        Returns
        -------
        ndarray of shape (n,)
            In the order of `state`.

        Raises
        ------
        ValueError
            If a number is missing, or belongs to no symbol of the equations.
        """
        state, row = self.numbers(point, values)
        found: Array = self.compile("numpy")(state, *row)
        return found

    def numbers(self, point: Any, values: Mapping[Any, Any] | None) -> tuple[Array, list[float]]:
        """Return state and parameters as numbers, in order.

        Parameters
        ----------
        point, values
            As of `at`.

        Returns
        -------
        state : ndarray of shape (n,)
        parameters : list of float

        Raises
        ------
        ValueError
            As `at` does.
        """
        known = values_by_name(self.model, values or {})
        if isinstance(point, Mapping):
            given = values_by_name(self.model, point)
            state = np.array([_number("point", p, given) for p in self.state])
            known = {**{n: v for n, v in given.items() if n not in _names(self.state)}, **known}
        else:
            state = np.asarray(point, dtype=np.float64)
            if state.shape != (len(self.state),):
                raise ValueError(
                    f"point must have {len(self.state)} numbers, of {self.state}; got {point!r}"
                )
        if unknown := sorted(known.keys() - _names(self.parameters) - _names(self.state)):
            allowed = ", ".join(_names(self.parameters))
            raise ValueError(f"values has {unknown[0]}, no parameter of the equations ({allowed})")
        return state, [_number("values", p, known) for p in self.parameters]

    def linearise(self, point: Any, values: Mapping[Any, Any] | None = None) -> Linearisation:
        """Compute the Jacobian at a point, with its eigenvalues.

        Parameters
        ----------
        point, values
            As of `at`.

        Returns
        -------
        Linearisation

        Raises
        ------
        ValueError
            As `at` does.
        """
        from slrsym.models.fixed_points import Linearisation

        state, row = self.numbers(point, values)
        flat = self.compile("numpy", "jacobian")(state, *row)
        return Linearisation.of(self.state, flat.reshape(len(state), -1))

    def fixed_points(
        self,
        values: Mapping[Any, Any] | None = None,
        *,
        starts: int | ArrayLike = 50,
        rng: Any = None,
        certified: bool = False,
    ) -> list[FixedPoint]:
        """Search for points where nothing changes, from random starts.

        Parameters
        ----------
        values : mapping of Symbol or str to number, optional
            The parameters.
        starts : int or array_like of shape (count, n), optional
            The number of random starts, at least 1, or the points to start from.
        rng : int or Generator, optional
            Seed of the starts.
        certified : bool, optional
            Whether to enclose each in a box that certainly has exactly one fixed point. Those of a
            continuum have none.

        Returns
        -------
        list of FixedPoint
            By their risk. There may be others.

        Raises
        ------
        ValueError
            If a parameter is missing, or belongs to no symbol of the equations.
        """
        from slrsym.models.fixed_points import search

        return search(self, values, starts=starts, rng=rng, certified=certified)

    def solve(
        self,
        values: Mapping[Any, Any] | None = None,
        start: Any = "uniform",
        time: float = 1.0,
        *,
        points: int = 201,
        tolerance: float = 1e-9,
        rng: Any = None,
        backend: str = "auto",
        path: str | Path | None = None,
    ) -> Runs:
        """Solve the equations from a start.

        Parameters
        ----------
        values : mapping of Symbol or str to number, optional
            The parameters, and of a trained scalar its initial value; ``d`` if the start is drawn.
        start : str, mapping, array_like, path or Dataset, optional
            As of `Model.simulate`, one point, as a Gram matrix of shape (p, p); or a mapping of the
            order parameters to numbers, which exchangeable units need.
        time : float, optional
            Until when, positive; of projected descent, the number of steps.
        points : int, optional
            Number of times, from 0 to `time`, at least 2.
        tolerance : float, optional
            Relative error of a step in time, positive; absolute errors are a hundredth of it.
        rng : int or Generator, optional
            Seed of a random start.
        backend : {'auto', 'numpy', 'numba'}, optional
        path : path, optional
            A file .nc to save the result in.

        Returns
        -------
        Runs
            Over ``time``: the order parameters and trained scalars by their names, ``risk``, and in
            ``gram`` the inner products of all directions, unless units are exchangeable.

        Raises
        ------
        ValueError
            If a parameter is missing or out of its range, `start` does not fit, or the equations
            cannot be solved up to `time`.
        """
        from slrsym.models.solutions import solve

        return solve(
            self, values or {}, start, time, points=points, tolerance=tolerance, rng=rng,
            backend=backend, path=path,
        )  # fmt: skip

    def sweep(
        self,
        values: Mapping[Any, Any] | None = None,
        start: Any = "uniform",
        time: float = 1.0,
        *,
        points: int = 201,
        tolerance: float = 1e-9,
        rng: Any = None,
        backend: str = "auto",
        executor: Executor | Callable[[], Executor] | None = None,
        workers: int | None = None,
        path: str | Path | None = None,
        progress: bool | None = None,
    ) -> Runs:
        """Solve the equations at each point of a grid of parameters.

        Parameters
        ----------
        values : mapping of Symbol or str to number or list of numbers, optional
            As of `solve`. Each list is an axis of the grid; its numbers differ.
        start, time, points, tolerance, rng, backend
            As of `solve`. A random start is drawn with the same seed at each point.
        executor : concurrent.futures.Executor or callable, optional
            Where to solve, such as that of a Dask client, or a function that makes one.
        workers : int, optional
            How many processes, without an executor; at least 1, by default one for each core.
        path : path, optional
            A file .nc for the result. If it exists, it is read. What was interrupted goes on from
            the folder beside it, which holds the points that are solved.
        progress : bool, optional
            Whether to show progress; by default on a terminal, and a line every 30 s elsewhere.

        Returns
        -------
        Runs
            Over the axes and ``time``: the order parameters and trained scalars by their names, and
            ``risk``. They are NaN where the equations cannot be solved up to `time`.

        Warns
        -----
        RuntimeWarning
            If they cannot be solved up to `time` at some points.

        Raises
        ------
        ValueError
            As `solve` does; or if an axis has a number twice, or the file has another grid.
        """
        from slrsym.models.sweeps import sweep

        return sweep(
            self, values or {}, start, time, points=points, tolerance=tolerance, rng=rng,
            backend=backend, executor=executor, workers=workers, path=path, progress=progress,
        )  # fmt: skip

    def claims(self, name: str = "equations", source: str = "new") -> list[Claim]:
        """Return claims that the equations follow from the definition of a step.

        Parameters
        ----------
        name : str, optional
            Prefix of the ids, in lower case.
        source : str, optional
            Of the claims.

        Returns
        -------
        list of Claim
            The closed form of each mean in the equations, from its definition at any law; and that
            the subspace where exchangeable units are alike is invariant.
        """
        from slrsym.models.equation_claims import claims_of

        return claims_of(self, name, source)


def _names(symbols: tuple[Symbol, ...]) -> set[str]:
    return {s.name for s in symbols}


def _number(argument: str, p: Symbol, given: Mapping[str, Any]) -> float:
    if p.name not in given:
        raise ValueError(f"{argument} must have a number for {p.name}")
    try:
        return float(given[p.name])
    except (TypeError, ValueError):
        raise ValueError(f"{p.name} must be a number; got {given[p.name]!r}") from None

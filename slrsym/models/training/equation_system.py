"""Expressions of the equations of motion: symbolic, compiled, and evaluated at points."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sympy import Expr, ImmutableMatrix, Symbol, count_ops

from slrsym.files import text_written_as_well
from slrsym.kernels.compile import compile_program, require_backend
from slrsym.kernels.printing import program_from_expressions
from slrsym.kernels.program import Program
from slrsym.models.definition.description import ascii_name, shorten_line
from slrsym.models.definition.losses import loss_in_words
from slrsym.models.definition.specification import Direction
from slrsym.models.means.moment_tables import MomentExpressionCompiler
from slrsym.models.means.one_sample_means import total_derivative
from slrsym.models.training.alignment import has_angles
from slrsym.models.training.descent import DerivedModel
from slrsym.models.training.diffusion import covariance_of_changes
from slrsym.models.training.motion_in_numbers import MotionInNumbers
from slrsym.models.training.numbers_of_motion import numbers_of_motion, require_ranges
from slrsym.models.training.parameter_values import parameter_values_by_name
from slrsym.models.training.rates_of_change import (
    RatesOfChange,
    TrainingSettings,
    require_rates,
)
from slrsym.registry import load_registered

Array = NDArray[np.float64]

_TIMES = {
    "gradient-flow": "d/dt",
    "projected-descent": "change in a step",
    "online-sgd": "d/dt, t = steps / d",
}


class EquationSystem(MotionInNumbers):
    """The equations of motion in the order parameters of a model."""

    model: DerivedModel

    def __init__(self, model: DerivedModel, motion: TrainingSettings) -> None:
        self.model, self.motion = model, motion
        self._changes = RatesOfChange(model, motion)

    @property
    def kind(self) -> str:
        """The kind of training: gradient flow, projected descent, or online SGD."""
        return self.motion.kind

    @property
    def is_symmetric(self) -> bool:
        """Whether the equations are restricted to states at which exchangeable units are alike."""
        return self.model.uses_representatives

    @property
    def state(self) -> tuple[Symbol, ...]:
        """The order parameters and trained scalars that the equations describe."""
        return self._changes.state

    @cached_property
    def parameters(self) -> tuple[Symbol, ...]:
        """The symbols of the equations and the risk, but for those of the state, sorted by name."""
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
        """Replace the symbols of moments in an expression by formulas in state and parameters."""
        moments = self._changes.samples.moments
        names = expr.free_symbols & moments.keys()
        return expr.xreplace({name: moments[name].expression() for name in names})

    @cached_property
    def drift(self) -> ImmutableMatrix:
        """The change's terms of first order in learning rates; all terms for projected descent."""
        return ImmutableMatrix([self._written(self._changes.drift[p]) for p in self.state])

    def count_drift_operations(self, most: int) -> int:
        """Count the operations of `drift` without writing it, which takes long if there are many.

        Parameters
        ----------
        most : int
            Where it is known that there are more, counting ends.

        Returns
        -------
        int
            All operations, or a number above `most` that is at most as many.
        """
        moments = self._changes.samples.moments
        total = 0
        lengths: dict[Symbol, int] = {}
        for p in self.state:
            rate = self._changes.drift[p]
            total += int(count_ops(rate))
            for name in sorted(rate.free_symbols & moments.keys(), key=str):
                if name not in lengths:
                    lengths[name] = int(count_ops(moments[name].expression()))
                total += int(rate.count(name)) * lengths[name]
                if total > most:
                    return total
        return total

    @cached_property
    def noise(self) -> ImmutableMatrix:
        """Terms of second order in learning rates, by which online SGD's noise moves the mean."""
        return ImmutableMatrix([self._written(self._changes.noise[p]) for p in self.state])

    @cached_property
    def diffusion(self) -> ImmutableMatrix:
        """The matrix that is d times the covariance of the state's change in a time of 1.

        Online SGD has it. The noise of the target is normal.
        """
        return self._covariance_of_changes.applyfunc(self._written)

    @cached_property
    def leading_diffusion(self) -> ImmutableMatrix:
        """The terms of `diffusion` that are of second order in the learning rates."""
        return self._leading_covariance_of_changes.applyfunc(self._written)

    @cached_property
    def _covariance_of_changes(self) -> ImmutableMatrix:
        return covariance_of_changes(self._changes, leading=False)

    @cached_property
    def _leading_covariance_of_changes(self) -> ImmutableMatrix:
        return covariance_of_changes(self._changes, leading=True)

    def rates_in_moments(self) -> tuple[list[Expr], dict[Symbol, Expr]]:
        """Return the rates of change in symbols of means, and what these symbols stand for.

        Returns
        -------
        rates : list of Expr
            In the order of `state`; of projected descent, changes in a step.
        meanings : dict of Symbol to Expr
            The mean that each symbol stands for, as a function of the state and the parameters.
        """
        moments = self._changes.samples.moments
        names = set().union(*(e.free_symbols for e in self._outputs)) & moments.keys()
        meanings = {name: moments[name].expression() for name in sorted(names, key=str)}
        return self._outputs, meanings

    @property
    def risk(self) -> Expr:
        """The mean squared error or loss, noise included, as a function of the state."""
        return self._written(self._changes.risk)

    @cached_property
    def jacobian(self) -> ImmutableMatrix:
        """The Jacobian of the rate of change with respect to the state."""
        size = len(self.state)
        return ImmutableMatrix(size, size, [self._written(e) for e in self._slopes])

    @cached_property
    def _slopes(self) -> list[Expr]:
        samples = self._changes.samples
        return [total_derivative(e, p, samples) for e in self._outputs for p in self.state]

    def to_latex(self, file: str | Path | None = None) -> str:
        """Return the equations of motion as LaTeX displays.

        Parts that are repeated or wide are abbreviated, and lines are broken for a text of 6.5 in.
        Before a line that is wider stands a comment that says so.

        Parameters
        ----------
        file : str or Path, optional
            Where to write the text as well.

        Returns
        -------
        str
            The abbreviations, and an equation for each order parameter, for a document with
            amsmath.

        Raises
        ------
        ValueError
            If the file cannot be written.
        """
        return text_written_as_well(lambda: load_registered("equations.latex")(self), file)

    def __repr__(self) -> str:
        fixed = ", ".join(map(str, self.parameters)) or "none"
        state = ", ".join(ascii_name(p.name) for p in self.state)
        rates = dict.fromkeys(map(str, self.motion.rates.values()))
        decays = dict.fromkeys(str(k) for k in self.motion.decays.values() if k != 0)
        moving = (*self.model.trained_directions, *self.motion.scalars)
        lines = [
            f"Equations of {self.kind} ({_TIMES[self.kind]})",
            f"  trained:    {self._listed(moving)}",
            f"  fixed:      {self._listed(self.model.fixed_directions)}",
            f"  state:      {state}" + " (exchangeable units alike)" * self.is_symmetric,
            f"  parameters: {fixed}",
            f"  rate:       {', '.join(rates)} on the {loss_in_words(self.model.loss)}",
        ]
        if self.model.loss is None:
            lines[-1] += " (eta / 2 for half of it)"
        lines += [f"  decay:      {', '.join(decays)}"] if decays else []
        options = {"batch": (self.motion.batch, 1), "momentum": (self.motion.momentum, 0)}
        lines += [f"  {name + ':':12}{x}" for name, (x, usual) in options.items() if x != usual]
        return "\n".join(map(shorten_line, lines))

    def _repr_html_(self) -> str:
        return str(load_registered("equations.html")(self))

    def _listed(self, moving: Iterable[Direction | Symbol]) -> str:
        """Return the names of directions and scalars; of exchangeable units that of the group."""
        grouped = [
            x.group[0] if self.is_symmetric and isinstance(x, Direction) and x.group else x
            for x in moving
        ]
        return ", ".join(map(str, dict.fromkeys(grouped))) or "none"

    # -- numbers ---------------------------------------------------------------------------------

    @cached_property
    def change_table(self) -> MomentExpressionCompiler:
        """The rate of change as a table of moments, to be compiled or sent to other processes."""
        return self._table_of(self._outputs)

    @cached_property
    def _jacobian_table(self) -> MomentExpressionCompiler:
        return self._table_of(self._slopes)

    @cached_property
    def _risk_table(self) -> MomentExpressionCompiler:
        return self._table_of([self._changes.risk])

    def _table_of(self, outputs: list[Expr]) -> MomentExpressionCompiler:
        moments = self._changes.samples.moments
        return MomentExpressionCompiler(outputs, moments, self.state, self.parameters)

    def compile(self, backend: str = "numpy", *what: str) -> Callable[..., Any]:
        """Compile the state's rate of change, its Jacobian, its diffusion, or the risk.

        Parameters
        ----------
        backend : {'numpy', 'numba', 'mpmath', 'ball', 'jax'}, optional
        *what : {'change', 'jacobian', 'risk', 'diffusion', 'leading_diffusion'}
            One output; by default the change. Matrices are row by row.

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
        tables: dict[str, Callable[[], MomentExpressionCompiler]] = {
            "change": lambda: self.change_table,
            "jacobian": lambda: self._jacobian_table,
            "risk": lambda: self._risk_table,
            "diffusion": lambda: self._table_of(list(self._covariance_of_changes)),
            "leading_diffusion": lambda: self._table_of(list(self._leading_covariance_of_changes)),
        }
        if len(chosen) != 1 or chosen[0] not in tables:
            raise ValueError(f"what must be one of {', '.join(tables)}; got {chosen}")
        table = tables[chosen[0]]()
        if backend in ("numpy", "numba"):
            return table.compile(backend)
        program = self._program_of(table)
        if backend == "jax" and chosen == ("change",) and has_angles(program):
            from slrsym.kernels.jax_backend import jax_function_with_programs_of_slopes

            return jax_function_with_programs_of_slopes(
                lambda name: self._program_of(tables[name]()), chosen
            )
        return compile_program(program, backend)

    def _program_of(self, table: MomentExpressionCompiler) -> Program:
        moments = self._changes.samples.moments
        given = {name: moments[name].printed() for name in table.names}
        return program_from_expressions(table.outputs, self.state, self.parameters, given=given)

    def rate_of_change_at(self, point: Any, values: Mapping[Any, Any] | None = None) -> Array:
        """Return the rate of change of the state at a given state and parameters.

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
            If a number is missing, or belongs to no symbol of the equations, or a rate of change is
            not finite there.
        """
        state, row = self.numerical_values(point, values)
        with np.errstate(all="ignore"):
            found: Array = self.compile("numpy")(state, *row)
        if not np.isfinite(found).all():
            (p, rate), *_ = [
                x for x in zip(self.state, found, strict=True) if not np.isfinite(x[1])
            ]
            raise ValueError(
                f"the rate of change is not finite: that of {p} is {rate} at "
                + ", ".join(f"{q} = {x:.10g}" for q, x in zip(self.state, state, strict=True))
            )
        return found

    def numerical_values(
        self, point: Any, values: Mapping[Any, Any] | None
    ) -> tuple[Array, list[float]]:
        """Return a given state and parameters as numbers, in the order of the equations.

        Parameters
        ----------
        point, values
            As of `rate_of_change_at`.

        Returns
        -------
        state : ndarray of shape (n,)
        parameters : list of float

        Raises
        ------
        ValueError
            As `rate_of_change_at` does.
        """
        known = parameter_values_by_name(self.model, values or {})
        if isinstance(point, Mapping):
            point = parameter_values_by_name(self.model, point)
        state, row = numbers_of_motion(self.state, self.parameters, point, known)
        require_rates(self.motion, dict(zip(self.parameters, row, strict=True)))
        require_ranges(self.parameters, row)
        return state, row

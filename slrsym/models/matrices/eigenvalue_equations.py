"""Equations of motion in a given number of eigenvalues, which can be drawn and linearised."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sympy import Expr, ImmutableMatrix, Indexed, Symbol

from slrsym.kernels.arguments import require_integer
from slrsym.kernels.compile import compile_expressions, require_backend
from slrsym.matrices.letters import Letter
from slrsym.models.matrices.matrix_velocities import MatrixVelocities
from slrsym.models.training.motion_in_planes import MotionInPlanes
from slrsym.models.training.numbers_of_motion import numbers_of_motion, require_ranges

if TYPE_CHECKING:
    from slrsym.models.training.fixed_points import FixedPoint

# The index of an eigenvalue in formulas.
INDEX = Symbol("i", integer=True, positive=True)
# A matrix has no directions whose inner products would be bounded.
_WITHOUT_DIRECTIONS = SimpleNamespace(
    directions=(), trained_directions=(), fixed_directions=(), gram_indices={}, spaces=0
)


class EigenvalueEquations(MotionInPlanes):
    """A reduced flow of matrices of one size; created by `ReducedFlow.at_size`.

    Parameters
    ----------
    flow : MatrixFlow
        The equations in matrices.
    velocities : sequence of Expr
        Of each trained letter or number, in eigenvalues with the index i.
    risk : Expr
        The risk in eigenvalues.
    sizes : dict of Size to int
        The number of eigenvalues of each matrix; empty for multiples of the identity of any size.
    """

    model: Any = _WITHOUT_DIRECTIONS
    is_symmetric = False

    def __init__(
        self,
        flow: MatrixVelocities,
        velocities: Sequence[Expr],
        risk: Expr,
        sizes: Mapping[Any, int],
    ) -> None:
        self._flow, self._velocities, self._risk, self._sizes = flow, velocities, risk, sizes
        #: The number of eigenvalues; None for multiples of the identity.
        self.size: int | None = next(iter(sizes.values()), None)

    def __repr__(self) -> str:
        state, known = (", ".join(map(str, x)) for x in (self.state, self.parameters))
        return f"EigenvalueEquations({self.kind}; state: {state}; parameters: {known})"

    @property
    def kind(self) -> str:
        """Gradient flow or projected descent, as of the flow in matrices."""
        return self._flow.kind

    @cached_property
    def state(self) -> tuple[Symbol, ...]:
        """The eigenvalues of each trained matrix, as ``U_1``, and the trained numbers."""
        return tuple(y for x in self._flow.state for y in self._numbers_of(x))

    @cached_property
    def parameters(self) -> tuple[Symbol, ...]:
        """The eigenvalues of the parameters, the other numbers, and the sizes left, by name."""
        free = {y for x in self._flow.parameters for y in self._numbers_of(x)}
        return tuple(sorted(free - set(self._sizes), key=lambda x: x.name))

    @property
    def _letters(self) -> dict[str, Letter]:
        moving = (*self._flow.state, *self._flow.parameters)
        return {x.name: x for x in moving if isinstance(x, Letter)}

    def _numbers_of(self, x: Any) -> list[Symbol]:
        """Return the symbols of a letter's eigenvalues, or of a number."""
        if not isinstance(x, Letter):
            return [x]
        if self.size is None:
            return [Symbol(x.name, real=True)]
        return [self._eigenvalue(x, i) for i in range(1, self.size + 1)]

    def _eigenvalue(self, x: Letter, i: Any) -> Symbol:
        signs = {"definite": {"positive": True}, "semidefinite": {"nonnegative": True}}
        return Symbol(f"{x.name}_{i}", **signs.get(x.kind, {"real": True}))

    def _written(self, expr: Expr, i: int = 1) -> Expr:
        """Return an expression of the reduced flow in numbers, with an index i."""
        if self.size is None:
            return expr
        letters, known = self._letters, {**self._sizes, INDEX: i}
        sized = expr.subs(known).doit()
        return sized.replace(
            lambda e: isinstance(e, Indexed),
            lambda e: self._eigenvalue(letters[str(e.base)], e.indices[0]),
        )

    @cached_property
    def drift(self) -> ImmutableMatrix:
        """The rate of change, or the change in a step, of each of `state`."""
        moving = zip(self._flow.state, self._velocities, strict=True)
        return ImmutableMatrix([
            self._written(v, i) for x, v in moving for i, _ in enumerate(self._numbers_of(x), 1)
        ])  # fmt: skip

    @property
    def noise(self) -> ImmutableMatrix:
        """Zeros: these equations have no noise."""
        return ImmutableMatrix.zeros(len(self.state), 1)

    @cached_property
    def risk(self) -> Expr:
        """The risk as a function of the state."""
        return self._written(self._risk)

    @cached_property
    def jacobian(self) -> ImmutableMatrix:
        """The Jacobian of the rate of change with respect to the state."""
        return self.drift.jacobian(self.state)

    def compile(self, backend: str = "numpy", *what: str) -> Callable[..., Any]:
        """Compile the rate of change of the state, its Jacobian, or the risk.

        Parameters
        ----------
        backend : {'numpy', 'numba', 'mpmath', 'ball', 'jax'}, optional
        *what : {'change', 'jacobian', 'risk'}
            One output; by default the change. The Jacobian is row by row.

        Returns
        -------
        callable
            ``f(state, *parameters)``, as of `slrsym.kernels.compile_expressions`.

        Raises
        ------
        ValueError
            If there is no such backend or output.
        """
        require_backend(backend)
        outputs = {"change": self.drift, "jacobian": self.jacobian, "risk": [self.risk]}
        chosen = what or ("change",)
        if len(chosen) != 1 or chosen[0] not in outputs:
            raise ValueError(f"what must be one of {', '.join(outputs)}; got {chosen}")
        return compile_expressions(list(outputs[chosen[0]]), self.state, self.parameters, backend)

    def numerical_values(
        self, point: Any, values: Mapping[Any, Any] | None
    ) -> tuple[NDArray[np.float64], list[float]]:
        """Return a given state and parameters as numbers, in the order of the equations.

        Parameters
        ----------
        point : mapping of Symbol or str to number, or array_like of shape (n,)
            The state.
        values : mapping of Letter, Symbol or str to number or sequence of numbers, optional
            The parameters. The eigenvalues of a letter have names, as ``L_1``, or one list.

        Returns
        -------
        state : ndarray of shape (n,)
        parameters : list of float

        Raises
        ------
        ValueError
            If a number is missing, or out of its range, or there are not `size` of a letter.
        """
        known = self._by_name(values or {})
        given = self._by_name(point) if isinstance(point, Mapping) else point
        state, row = numbers_of_motion(self.state, self.parameters, given, known)
        require_ranges(self.parameters, row)
        return state, row

    def _by_name(self, values: Mapping[Any, Any]) -> dict[str, Any]:
        """Return numbers by name, where the eigenvalues of a letter may be one list."""
        letters = self._letters
        found: dict[str, Any] = {}
        for key, value in values.items():
            name = str(getattr(key, "name", key))
            if self.size is None or name not in letters:
                found[name] = value
                continue
            if np.shape(value) not in ((), (self.size,)):
                raise ValueError(f"{name} must have {self.size} eigenvalues; got {value!r}")
            names = [x.name for x in self._numbers_of(letters[name])]
            found |= zip(names, np.broadcast_to(value, (self.size,)).tolist(), strict=True)
        return found

    def fixed_points(
        self,
        values: Mapping[Any, Any] | None = None,
        *,
        starts: Any = 50,
        rng: Any = None,
        certified: bool = False,
    ) -> list[FixedPoint]:
        """Search for fixed points from random or given starts.

        Parameters
        ----------
        values : mapping of Letter, Symbol or str to number or sequence of numbers, optional
            The parameters.
        starts : int or array_like of shape (count, n), optional
            The number of random starts, at least 1, whose numbers are standard normal; or points.
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
        from slrsym.models.training.fixed_points import search_fixed_points

        if isinstance(starts, int) and not isinstance(starts, bool):
            count = require_integer("starts", starts, 1)
            starts = np.random.default_rng(rng).standard_normal((count, len(self.state)))
        return search_fixed_points(self, values, starts=starts, rng=rng, certified=certified)

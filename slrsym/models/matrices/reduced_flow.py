"""Flows of matrices in the eigenvalues of a commuting family, or in multiples of the identity."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import NDArray
from sympy import Expr, IndexedBase, Sum, Symbol

from slrsym.kernels.arguments import require_integer, require_positive, require_real_array
from slrsym.matrices.letters import Letter, Size
from slrsym.models.matrices.eigenvalue_equations import INDEX, EigenvalueEquations
from slrsym.models.matrices.matrix_programs import matrix_function
from slrsym.models.matrices.matrix_velocities import MatrixVelocities, PackedFunction
from slrsym.models.matrices.shown_formulas import ShownFormulas
from slrsym.models.training.runs import Runs, build_runs
from slrsym.models.training.solutions import NotSolvedError, solution_times, solve_trajectory

Array = NDArray[np.float64]
_J = Symbol("j", integer=True, positive=True)


class ReducedFlow(ShownFormulas):
    """A flow of matrices in their eigenvalues; created by `MatrixFlow.reduced`.

    Parameters
    ----------
    flow : MatrixFlow
    family : str, optional
        The commuting family that all parameters are of; without it they are identities.

    Raises
    ------
    ValueError
        If a letter is of no such family, or is not square.
    """

    _kind, _drawn = "matrix_flow", "at_size(2)"

    def __init__(self, flow: MatrixVelocities, family: str | None) -> None:
        self.flow, self.family = flow, family
        trained, known = (
            [x for x in of if isinstance(x, Letter)] for of in (flow.state, flow.parameters)
        )
        # Numbers alone may be trained, with matrices as parameters.
        letters = trained or known
        sizes = {n for x in letters for n in x.shape}
        if len(sizes) > 1 or sizes == {1}:
            shown = ", ".join(f"{x.name} is {x.shape[0]} x {x.shape[1]}" for x in letters)
            raise ValueError(f"{'what is trained' if trained else 'the parameters'} must be square "
                             f"matrices of one size, to have eigenvalues; {shown}")  # fmt: skip
        #: The size of the matrices; None if there are only numbers.
        self.size = next(iter(sizes), None)
        for x in known:
            if x.family != family or x.shape[0] != self.size:
                its = f"of the family {x.family}" if x.family else "of no family"
                wanted = f"the family {family}" if family else "multiples of the identity alone"
                raise ValueError(
                    f"{x.name} is {its}; the equations are reduced for {wanted}. Declare it by "
                    f"covariance(..., family={family or x.family or 'F'!r}), and reduce for it"
                )

    def __repr__(self) -> str:
        return f"ReducedFlow({', '.join(map(str, self.state))})"

    @property
    def kind(self) -> str:
        """Gradient flow or projected descent, as of the flow in matrices."""
        return self.flow.kind

    @cached_property
    def state(self) -> tuple[Any, ...]:
        """The trained numbers, and the eigenvalues of the trained matrices, as ``U[i]``."""
        return tuple(self._eigenvalue(x, INDEX) for x in self.flow.state)

    def _eigenvalue(self, x: Any, i: Any) -> Any:
        """Return the eigenvalue of a letter with an index, or its one number."""
        if not isinstance(x, Letter):
            return x
        return IndexedBase(x.name, real=True)[i] if self.family else Symbol(x.name, real=True)

    @cached_property
    def drift(self) -> dict[Any, Expr]:
        """The velocity of each of `state`; sums over eigenvalues are `Sum` over j."""
        algebra = self.flow.model.algebra
        found = {}
        for x, shown in zip(self.flow.state, self.state, strict=True):
            terms = []
            for key, c in self.flow.velocities[x].items():
                product = (
                    [self._word(key, INDEX)] if isinstance(x, Letter) else map(self._trace, key)
                )
                traces = {t: self._polynomial(algebra.polynomial(t)) for t in c.atoms(sp.Trace)}
                terms.append(sp.Mul(c.xreplace(traces), *product))
            found[shown] = sp.Add(*terms)
        return found

    @cached_property
    def risk(self) -> Expr:
        """The risk in eigenvalues."""
        return self._polynomial(self.flow.model.risk_polynomial)

    def _polynomial(self, p: Any) -> Expr:
        return sp.Add(*(sp.Mul(c, *map(self._trace, product)) for product, c in p.items()))

    def _word(self, word: Any, i: Any) -> Expr:
        algebra = self.flow.model.algebra
        factors = [self._eigenvalue(algebra.letter_of_number(y), i) ** (-1 if y % 2 else 1)
                   for y in word]  # fmt: skip
        return sp.Mul(*factors)

    def _trace(self, word: Any) -> Expr:
        if not self.family:
            return self.size * self._word(word, None)
        return Sum(self._word(word, _J), (_J, 1, self.size))

    def at_size(self, size: int | None = None) -> EigenvalueEquations:
        """Return the equations in numbers, of matrices with a given number of eigenvalues.

        They are drawn by ``plot_field`` and ``write_portrait``, and their fixed points have a
        linearisation each.

        Parameters
        ----------
        size : int, optional
            The number of eigenvalues, at least 1. Matrices that are multiples of the identity need
            none: their size is a parameter then.

        Returns
        -------
        EigenvalueEquations

        Raises
        ------
        ValueError
            If `size` is missing where matrices have eigenvalues of their own, or given elsewhere.
        """
        if self.family is None:
            if size is not None:
                raise ValueError(
                    f"size must be left out for multiples of the identity; got {size}. Give it "
                    f"among the values, as {{'{self.size or 'd'}': {size}}}"
                )
        elif size is None:
            raise ValueError(
                f"size must be the number of eigenvalues of the family {self.family}, as "
                "at_size(2); got None"
            )
        sizes = {} if size is None else {self.size: require_integer("size", size, 1)}
        return EigenvalueEquations(self.flow, list(self.drift.values()), self.risk, sizes)

    def fixed_points(self) -> list[dict[Any, Expr]]:
        """Return the points at which each eigenvalue rests, exactly.

        Returns
        -------
        list of dict
            Each has expressions for the states that are determined; others are free. Each
            eigenvalue may rest at another one of them, so that there are as many sets of
            eigenvalues as choices.

        Raises
        ------
        ValueError
            If the eigenvalues move each other, by a sum or a number that all share.
        """
        free = set(self.state)
        for x, velocity in self.drift.items():
            sums = velocity.atoms(Sum)
            moved = {e.base for s in sums for e in s.function.atoms(sp.Indexed)}
            if moved & {getattr(y, "base", None) for y in free}:
                raise ValueError(
                    f"the eigenvalues move each other, as {x} moves by sums over them; "
                    "fixed_points(values) of the flow in matrices searches in numbers"
                )
        if self.family and (shared := [x for x in self.state if isinstance(x, Symbol)]):
            raise ValueError(
                f"the eigenvalues share {shared[0]}; fixed_points(values) of the flow in matrices "
                "searches in numbers"
            )
        named = {x: sp.Dummy(str(x), real=True) for x in self.state}
        sums = {s: sp.Dummy(real=True) for v in self.drift.values() for s in v.atoms(Sum)}
        equations = [v.xreplace(sums).xreplace(named) for v in self.drift.values()]
        back = {new: old for old, new in (*named.items(), *sums.items())}
        return [
            {back[x]: sp.factor_terms(value.xreplace(back)) for x, value in solution.items()}
            for solution in sp.solve(equations, list(named.values()), dict=True)
        ]

    def solve(
        self,
        values: Mapping[Any, Any],
        start: Mapping[Any, Any],
        time: float = 1.0,
        *,
        points: int = 201,
        tolerance: float = 1e-9,
    ) -> Runs:
        """Solve the equations in eigenvalues; return a dataset.

        Parameters
        ----------
        values : mapping of Letter, Size, Symbol or str to numbers
            The parameters: of a letter its eigenvalues, in one order for all.
        start : mapping of Letter, Symbol or str to numbers
            The initial eigenvalues of each trained letter, or one number for all, and the trained
            numbers.
        time, points, tolerance
            As of `MatrixFlow.solve`.

        Returns
        -------
        Runs
            Over ``time``: each trained number; the eigenvalues of each trained letter, over
            ``eigenvalue`` besides; and ``risk``.

        Raises
        ------
        ValueError
            If a value is missing, or there are not as many eigenvalues as the size says.
        NotSolvedError
            If the equations cannot be solved up to `time`.
        """
        time, tolerance = require_positive("time", time), require_positive("tolerance", tolerance)
        times = solution_times(self.kind, time, require_integer("points", points, 2))
        flow = self.flow
        first, row = self._numbers(values, start)
        shapes = {x: np.shape(v) for x, v in zip(flow.state, first, strict=True)}
        arguments = (*flow.state, *flow.parameters)
        algebra = flow.model.algebra
        velocity = matrix_function(algebra, flow.velocities, arguments, eigenvalues=True)
        outputs = {"risk": flow.model.risk_polynomial}
        risk = matrix_function(algebra, outputs, arguments, eigenvalues=True)
        packed = PackedFunction(velocity, shapes, row)
        state = np.concatenate([np.ravel(v) for v in first])
        names = [f"{x.name}[{i + 1}]" if s else x.name
                 for x, s in shapes.items() for i in range(int(np.prod(s)))]  # fmt: skip
        found = solve_trajectory(packed, self.kind, names, state, (), times, tolerance)
        at = [packed.unpacked(s) for s in found.states]
        variables: dict[str, Any] = {
            x.name: (("time", "eigenvalue")[: 1 + len(shapes[x])], np.array([s[i] for s in at]))
            for i, x in enumerate(flow.state)
        }
        variables["risk"] = "time", np.array([float(risk(*s, *row)[0]) for s in at])
        settings = {"backend": "numpy", "tolerance": tolerance, "kind": self.kind}
        settings |= {x.name: v for x, v in zip(flow.parameters, row, strict=True)
                     if isinstance(v, float)}  # fmt: skip
        runs = build_runs(variables, {"time": found.times}, settings)
        if found.problem is not None:
            raise NotSolvedError(
                f"the equations cannot be solved up to {times[-1]:g}: {found.problem}", runs
            )
        return runs

    def _numbers(self, values: Mapping[Any, Any], start: Mapping[Any, Any]) -> tuple[Any, Any]:
        """Return the initial state and the parameters, with eigenvalues as arrays."""
        given = {str(getattr(x, "name", x)): v for x, v in {**values, **start}.items()}
        wanted = {x.name: x for x in (*self.flow.state, *self.flow.parameters)}
        if unknown := sorted(set(given) - set(wanted)):
            raise ValueError(f"values has {unknown[0]}, which is none of {', '.join(wanted)}")
        arrays = {n: require_real_array(n, v, "real numbers") for n, v in given.items()}
        counts = {len(a) for n, a in arrays.items() if isinstance(wanted[n], Letter) and a.ndim}
        if self.size is not None and self.size.name in arrays:
            counts.add(require_integer(self.size.name, given[self.size.name], 1))
        if missing := [n for n, x in wanted.items() if n not in given and x != self.size]:
            raise ValueError(f"values must have {', '.join(missing)}")
        if len(counts) != 1 and self.size is not None:
            shown = " and ".join(map(str, sorted(counts))) or "none"
            raise ValueError(f"there must be {self.size.name} eigenvalues of each; got {shown}")
        count = next(iter(counts), 0)
        found: dict[Any, Any] = {}
        for name, x in wanted.items():
            if isinstance(x, Letter):
                found[x] = np.broadcast_to(arrays[name], (count,)).copy()
                if x.kind in ("semidefinite", "definite") and (
                    found[x].min() < 0 or (x.kind == "definite" and found[x].min() == 0)
                ):
                    raise ValueError(f"{name} must be positive {x.kind}; got {given[name]!r}")
            elif x == self.size:
                found[x] = float(count)
            elif isinstance(x, Size):
                found[x] = float(require_integer(name, given[name], 1))
            else:
                found[x] = float(arrays[name])
        return [found[x] for x in self.flow.state], [found[x] for x in self.flow.parameters]

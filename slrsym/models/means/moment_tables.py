"""Evaluation of sums of Gaussian means at many points, with code shared by like terms.

Equations of K units have about :math:`K^4` terms, but a few patterns. Straight-line code would grow
with the number of terms. Here terms are rows of a table, with places in a vector of *entries*
(those of laws, and coefficients): a loop over the rows of a pattern evaluates it and adds to the
moments.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from sympy import Expr, Symbol

from slrsym.kernels.arguments import vectorise_over_leading_axes
from slrsym.kernels.compile import (
    choose_backend,
    numpy_constant_and_output_functions,
    numpy_function,
)
from slrsym.kernels.numba_backend import DECORATOR, import_generated_module, program_source
from slrsym.kernels.printing import program_from_expressions
from slrsym.kernels.program import Program
from slrsym.models.means.mean_patterns import GaussianMeanFormula
from slrsym.models.means.one_sample_means import MomentSum

Array = NDArray[np.float64]

# Characters of patterns in one function of machine code; longer ones take too long to compile.
_LONGEST = 6_000


class MomentExpressionCompiler:
    """Expressions in moments, a state and parameters, to be evaluated at many points.

    `moments` defines the symbols in `outputs` that are neither state nor parameters.
    """

    def __init__(
        self,
        outputs: Sequence[Expr],
        moments: Mapping[Symbol, MomentSum],
        state: Sequence[Symbol],
        parameters: Sequence[Symbol],
    ) -> None:
        used = set().union(*(e.free_symbols for e in outputs))
        self.names = [name for name in moments if name in used]
        self.outputs, self.inputs = tuple(outputs), (*state, *parameters)
        self._width = len(state)
        places: dict[Expr, int] = {}
        rows: dict[GaussianMeanFormula, list[tuple[int, int, tuple[int, ...]]]] = {}
        for k, name in enumerate(self.names):
            for (mean, values), c in moments[name].terms.items():
                at = tuple(places.setdefault(e, len(places)) for e in values)
                row = (k, places.setdefault(c, len(places)), at)
                rows.setdefault(mean, []).append(row)
        self.entries = tuple(places)
        self.means = tuple(rows)
        # The moment, the place of the coefficient, and those of the arguments, of each row.
        self._where = np.array([k for part in rows.values() for k, _, _ in part], dtype=np.int64)
        self._factor = np.array([c for part in rows.values() for _, c, _ in part], dtype=np.int64)
        self._ends = np.cumsum([0, *map(len, rows.values())])
        self._at = [
            np.array([at for _, _, at in part], dtype=np.int64).reshape(len(part), -1)
            for part in rows.values()
        ]

    @cached_property
    def _entries(self) -> Program:
        return program_from_expressions(self.entries, self.inputs, ())

    @cached_property
    def _final(self) -> Program:
        return program_from_expressions(self.outputs, (*self.inputs, *self.names), ())

    @cached_property
    def _patterns(self) -> list[Program]:
        return [mean.program for mean in self.means]

    def compile(self, backend: str = "auto") -> Callable[..., Any]:
        """Compile the outputs to ``f(state, *parameters)``, by NumPy or Numba."""
        fill = self._numba() if choose_backend(backend) == "numba" else self._numpy()
        return vectorise_over_leading_axes(fill, self._width, len(self.outputs))

    # -- NumPy ---------------------------------------------------------------------------------

    def _numpy(self) -> Callable[..., None]:
        final = numpy_function(self._final)
        entries = numpy_function(self._entries) if self.entries else None
        patterns = [numpy_constant_and_output_functions(program) for program in self._patterns]
        count = len(self._where)
        adding = scipy.sparse.csr_matrix(
            (np.ones(count), (self._where, np.arange(count))), shape=(len(self.names), count)
        )

        def fill(states: Array, parameters: list[Any], result: Array) -> None:
            columns = [np.broadcast_to(p, len(states)) for p in parameters]
            inputs = np.concatenate([states, *(c[:, None] for c in columns)], axis=1)
            moments = np.empty((len(states), 0))
            if entries is not None:
                values = entries(inputs)
                terms = values[:, self._factor]
                for (constants, body), at, first, last in zip(
                    patterns, self._at, self._ends[:-1], self._ends[1:], strict=True
                ):
                    arguments = (values[:, at[:, j]] for j in range(at.shape[1]))
                    terms[:, first:last] *= body(*arguments, *constants())[0]
                moments = (adding @ terms.T).T
            result[:] = final(np.concatenate([inputs, moments], axis=1))

        return fill

    # -- Numba ---------------------------------------------------------------------------------

    def _numba(self) -> Callable[..., None]:
        adders = self._adders()
        entries = _into_array(self._entries, "entries") if self.entries else None
        final = _into_array(self._final, "final")
        width, n, size = self._width, len(self.inputs), len(self.names)

        def fill(states: Array, parameters: list[Any], result: Array) -> None:
            values, moments = np.empty(len(self.entries)), np.empty(size)
            inputs = np.empty(n + size)
            rows = np.broadcast_to(np.array(parameters).T, (len(states), n - width))
            for row, state in enumerate(states):
                inputs[:width], inputs[width:n] = state, rows[row]
                if entries is not None:
                    entries(inputs, values)
                    moments[:] = 0.0
                    for add in adders:
                        add(values, moments)
                    inputs[n:] = moments
                final(inputs, result[row])

        return fill

    def _adders(self) -> list[Callable[..., None]]:
        """Return compiled functions that each add the terms of some patterns to the moments."""
        groups: list[list[int]] = []
        length = _LONGEST
        for k, program in enumerate(self._patterns):
            length += len(program.body)
            if length > _LONGEST:
                groups.append([])
                length = len(program.body)
            groups[-1].append(k)
        found: list[Callable[..., None]] = []
        for group in groups:
            # Machine code of patterns is the same for all numbers of units.
            add = import_generated_module(self._loops(group)).add
            rows = [np.arange(self._ends[k], self._ends[k + 1]) for k in group]
            at = [self._at[k] for k in group]
            data = [(self._where[r], self._factor[r], a) for r, a in zip(rows, at, strict=True)]
            found.append(partial(_call, add, [x for parts in data for x in parts]))
        return found

    def _loops(self, group: list[int]) -> str:
        """Return the source of a function that loops over the terms of each pattern."""
        programs = [self._patterns[k] for k in group]
        lines = []
        for k, program in enumerate(programs):
            (value,), assignments = _straight(program.body)
            lines += [f"    {x}" for x in _constants(program)]
            lines.append(f"    for n in range(where_{k}.size):")
            lines += [f"        {x} = values[at_{k}[n, {j}]]" for j, x in enumerate(program.state)]
            lines += [f"        {x}" for x in assignments]
            lines.append(f"        moments[where_{k}[n]] += values[factor_{k}[n]] * ({value})")
        names = "".join(f", where_{k}, factor_{k}, at_{k}" for k in range(len(programs)))
        start = f"{DECORATOR}def add(values, moments{names}):\n"
        return "".join(dict.fromkeys(map(_helpers, programs))) + start + "\n".join(lines) + "\n"


def _call(add: Callable[..., None], data: list[Any], values: Array, moments: Array) -> None:
    add(values, moments, *data)


def _helpers(program: Program) -> str:
    """Return the source of the quadrature functions that a program calls."""
    source = program_source(program)
    return source[: source.index(f"{DECORATOR}{program.setup}")]


def _straight(source: str) -> tuple[list[str], list[str]]:
    """Return a branch-free function's return values and its assignments, as source lines."""
    function = ast.parse(source).body[0]
    assert isinstance(function, ast.FunctionDef)
    *steps, last = function.body
    assert isinstance(last, ast.Return)
    assert isinstance(last.value, ast.Tuple)
    return [ast.unparse(e) for e in last.value.elts], [ast.unparse(x) for x in steps]


def _constants(program: Program) -> list[str]:
    """Return source lines that assign the constants of a program without parameters."""
    values, assignments = _straight(program.setup)
    return [*assignments, *(f"{c} = {v}" for c, v in zip(program.constants, values, strict=True))]


def _into_array(program: Program, name: str) -> Callable[..., None]:
    """Compile a program to a Numba function that reads one array and writes another."""
    values, assignments = _straight(program.body)
    lines = [f"{x} = inputs[{i}]" for i, x in enumerate(program.state)]
    lines += [*_constants(program), *assignments]
    lines += [f"outputs[{i}] = {value}" for i, value in enumerate(values)]
    body = "".join(f"    {line}\n" for line in lines)
    source = f"{_helpers(program)}{DECORATOR}def {name}(inputs, outputs):\n{body}"
    found: Callable[..., None] = getattr(import_generated_module(source), name)
    return found

"""Evaluation of sums of Gaussian means at many points, with code shared by like terms.

Equations of K units have about :math:`K^4` terms, but a few patterns. Straight-line code would grow
with the number of terms. Here terms are rows of a table, with places in a vector of *entries*
(those of laws, and coefficients): a loop over the rows of a pattern evaluates it and adds to the
moments.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
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
from slrsym.kernels.compiled_rate import CompiledRate
from slrsym.kernels.numba_backend import (
    DECORATOR,
    import_generated_module,
    module_name,
    program_source,
)
from slrsym.kernels.printing import program_from_expressions
from slrsym.kernels.program import Program
from slrsym.models.means.mean_patterns import GaussianMeanFormula, MeanPolynomial
from slrsym.models.means.one_sample_means import MomentSum

Array = NDArray[np.float64]

# Characters of patterns in one function of machine code; longer ones take too long to compile.
_LONGEST = 6_000

# How many terms of a pattern are taken together, and how many an instruction may take.
_BLOCK, _LANES = 64, 8


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
        self._compiled: dict[str, Callable[..., Any]] = {}
        self._width = len(state)
        places: dict[Expr, int] = {}
        rows: dict[GaussianMeanFormula, list[tuple[int, int, tuple[int, ...]]]] = {}
        for k, name in enumerate(self.names):
            for (mean, values), c in moments[name].terms.items():
                # Covariances are of risks alone.
                assert not isinstance(mean, MeanPolynomial)
                entries = mean.entries_in_programs(values)
                at = tuple(places.setdefault(e, len(places)) for e in entries)
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
        chosen = choose_backend(backend)
        if chosen not in self._compiled:
            self._compiled[chosen] = self._function(chosen)
        return self._compiled[chosen]

    def __getstate__(self) -> dict[str, Any]:
        # Functions are no data; another process compiles them.
        return {**self.__dict__, "_compiled": {}}

    def _function(self, backend: str) -> Callable[..., Any]:
        if backend != "numba":
            return self._on_rows(self._numpy())
        rate = self.compiled_rate()
        found = self._on_rows(self._numba(rate))
        # For solutions, which need not come back to Python for each rate.
        found.machine_code = rate  # type: ignore[attr-defined]
        return found

    def _on_rows(self, fill: Callable[..., None]) -> Callable[..., Any]:
        names = [x.name for x in self.inputs]
        return vectorise_over_leading_axes(fill, self._width, len(self.outputs), names)

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

    def _numba(self, rate: CompiledRate) -> Callable[..., None]:
        columns = len(self.inputs) - self._width

        def fill(states: Array, parameters: list[Any], result: Array) -> None:
            rows = np.empty((len(states), columns))
            for j, p in enumerate(parameters):
                rows[:, j] = p
            states = np.ascontiguousarray(states)
            rate.function(states, rows, np.empty(rate.room), rate.places, result)

        return fill

    def compiled_rate(self) -> CompiledRate:
        """Return the outputs as a function in machine code."""
        source = self._source(self._groups())
        function = import_generated_module(source).rate
        return CompiledRate(function, self._index(), self._room)

    @property
    def _room(self) -> int:
        most = max((len(program.state) for program in self._patterns), default=0)
        return len(self.inputs) + len(self.names) + len(self.entries) + (most + 1) * _BLOCK

    def _index(self) -> NDArray[np.int64]:
        """Return where each pattern begins, and of each its moments, coefficients and arguments."""
        columns = [
            np.concatenate([self._where[a:b], self._factor[a:b], at.T.ravel()])
            for a, b, at in zip(self._ends[:-1], self._ends[1:], self._at, strict=True)
        ]
        begins = np.cumsum([len(self._ends), *map(len, columns)])
        return np.concatenate([begins, *columns]).astype(np.int64)

    def _groups(self) -> list[list[int]]:
        groups: list[list[int]] = []
        length = _LONGEST
        for k, program in enumerate(self._patterns):
            length += len(program.body)
            if length > _LONGEST:
                groups.append([])
                length = len(program.body)
            groups[-1].append(k)
        return groups

    def _source(self, groups: list[list[int]]) -> str:
        n, size, entries = len(self.inputs), len(self.names), len(self.entries)
        lines, imports = [], ""
        for g, group in enumerate(groups):
            # Machine code of patterns is the same for all numbers of units.
            shared = self._loops(group)
            import_generated_module(shared)
            imports += f"from {module_name(shared)} import add as add_{g}\n"
            lines.append(f"add_{g}(values, moments, room, index, {group[0]})")
        ends = np.cumsum([n, size, entries])
        parts = [("entries", self._entries)] if self.entries else []
        sources = [
            *(_helpers(p) for _, p in [*parts, ("final", self._final)]),
            *(_into_array(p, name) for name, p in [*parts, ("final", self._final)]),
        ]
        loop = [
            f"for k in range({self._width}):",
            "    inputs[k] = states[row, k]",
            f"for k in range({n - self._width}):",
            f"    inputs[{self._width} + k] = parameters[row, k]",
            *(["entries(inputs, values)"] if self.entries else []),
            f"for k in range({size}):",
            "    moments[k] = 0.0",
            *lines,
            "final(inputs, outputs[row])",
        ]
        body = [
            f"inputs, moments = work[:{ends[1]}], work[{n} : {ends[1]}]",
            f"values, room = work[{ends[1]} : {ends[2]}], work[{ends[2]} :]",
            "for row in range(states.shape[0]):",
            *(f"    {line}" for line in loop),
        ]
        text = "".join(f"    {line}\n" for line in body)
        start = f"{DECORATOR}def rate(states, parameters, work, index, outputs):\n"
        return f"{imports}\n\n{''.join(dict.fromkeys(sources))}{start}{text}"

    def _loops(self, group: list[int]) -> str:
        """Return the source of a function that adds the terms of each pattern to the moments.

        Of a block of terms all arguments are copied to one array, at distances that are known, so
        that an instruction computes several terms.
        """
        programs = [self._patterns[k] for k in group]
        lines = []
        for k, program in enumerate(programs):
            (value,), assignments = _straight(program.body)
            width, rows = len(program.state), range(len(program.state))
            lines += [
                *_constants(program),
                f"begin = index[first + {k}]",
                f"count = (index[first + {k + 1}] - begin) // {width + 2}",
                f"for start in range(begin, begin + count, {_BLOCK}):",
                f"    size = min({_BLOCK}, begin + count - start)",
                f"    lanes = (size + {_LANES - 1}) // {_LANES} * {_LANES}",
                "    for i in range(lanes):",
                "        n = start + min(i, size - 1)",
                *(
                    f"        room[{j * _BLOCK} + i] = values[index[n + {j + 2} * count]]"
                    for j in rows
                ),
                "    for i in range(lanes):",
                *(f"        {x} = room[{j * _BLOCK} + i]" for j, x in enumerate(program.state)),
                *(f"        {x}" for x in assignments),
                f"        room[{width * _BLOCK} + i] = {value}",
                "    for i in range(size):",
                "        n = start + i",
                f"        term = values[index[n + count]] * room[{width * _BLOCK} + i]",
                "        moments[index[n]] += term",
            ]
        start = f"{DECORATOR}def add(values, moments, room, index, first):\n"
        text = "".join(f"    {line}\n" for line in lines)
        return "".join(dict.fromkeys(map(_helpers, programs))) + start + text


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


def _into_array(program: Program, name: str) -> str:
    """Return the source of a function that reads one array and writes another."""
    values, assignments = _straight(program.body)
    lines = [f"{x} = inputs[{i}]" for i, x in enumerate(program.state)]
    lines += [*_constants(program), *assignments]
    lines += [f"outputs[{i}] = {value}" for i, value in enumerate(values)]
    body = "".join(f"    {line}\n" for line in lines)
    return f"{DECORATOR}def {name}(inputs, outputs):\n{body}\n\n"

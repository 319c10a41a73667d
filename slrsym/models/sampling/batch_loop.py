"""Machine code of descent on batches, compiled once for each form of a model."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sympy import Symbol

from slrsym.kernels.numba_backend import import_generated_module, require_numba_installed
from slrsym.models.sampling.batch_source import BatchSource, LawColumns
from slrsym.models.sampling.cluster_draws import ClusterDraw
from slrsym.models.sampling.random_streams import StepNumbers
from slrsym.models.sampling.role_programs import RoleProgram, no_machine_code
from slrsym.models.sampling.sample_descent import TokenLaws
from slrsym.models.sampling.token_laws import TokenCase

if TYPE_CHECKING:
    from slrsym.models.training.descent import DerivedModel

Array = NDArray[np.float64]


class BatchLoop:
    """Machine code that takes the steps of an engine, one run at a time."""

    def __init__(
        self, model: DerivedModel, laws: TokenLaws, others: dict[Symbol, float],
        cases: list[TokenCase], draws: list[list[ClusterDraw]], is_loss: bool, *numbers: Any,
    ) -> None:  # fmt: skip
        require_numba_installed()
        if model.readout_error is not None or model.products_in_shares:
            raise no_machine_code("a predictor with a readout, or with products of directions")
        self._laws, self._others = laws, [*others.values()]
        symbols = [*model.parameters, *others]
        trained = len(model.trained_directions)
        places = {x: i for i, x in enumerate(model.directions)}
        programs = {
            (case, i): RoleProgram(role, places, trained, symbols)
            for case, one in enumerate(cases) for i, role in enumerate(one.roles)
        }  # fmt: skip
        shape = model.spaces, len(model.directions), trained
        on_sphere = [bool(x.on_sphere) for x in model.trained_directions]
        columns = LawColumns(list(model.data.tokens), places, trained)
        names = [f"p_{n}" for n in range(len(symbols))]
        self.source = BatchSource(
            draws, programs, shape, on_sphere, is_loss, names, columns
        ).text  # fmt: skip
        self._walk = import_generated_module(self.source).walk
        ends, *rest = numbers
        counts = np.array([draw.count for some in draws for draw in some])
        self._fixed = ends, counts, *rest

    def prepared(self, parameters: Array) -> Callable[..., None]:
        """Return a function that takes steps of a run at rows of parameters."""
        columns = [*parameters.T.copy()] + [np.array([x]) for x in self._others]
        columns = [c if (c != c[:1]).any() else c[:1].copy() for c in columns]
        laws = self._laws.table(columns)

        def take(
            state: Array, noted: Array, every: int, done: int, fresh: NDArray[np.bool_],
            numbers: StepNumbers,
        ) -> None:  # fmt: skip
            some = [c[done:] if c.size > 1 else c for c in columns]
            law = laws[done:] if len(laws) > 1 else laws
            self._walk(
                state, noted, every, done, fresh, numbers.normal, numbers.chi, numbers.uniform, law,
                *self._fixed, *some,
            )  # fmt: skip

        return take

    def compile_ahead(self, states: Array, row: Array, numbers: StepNumbers) -> None:
        """Compile it by a call for no steps, before it is waited for in threads."""
        take = self.prepared(np.asarray(row, dtype=np.float64)[None])
        none = StepNumbers(*(x[:0] for x in numbers))
        take(states[0].copy(), states[:0], 1, 0, np.ones(1, dtype=bool), none)

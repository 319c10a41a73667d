"""Programs of what a token adds to an error, with its slopes, for machine code."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from sympy import Expr, Heaviside, Symbol, sign

from slrsym.kernels.numba_backend import NoMachineCodeError
from slrsym.kernels.program import Program
from slrsym.models.sampling.sampled_errors import share_derivative
from slrsym.models.sampling.token_laws import SampledRole


class RoleProgram:
    """The program of a role's share: the rest, its slopes, and the same of softmax.

    Parameters
    ----------
    role : SampledRole
    places : dict of Direction to int
    trained : int
    parameters : list of Symbol

    Attributes
    ----------
    moving : list of tuple of int
        Trained directions of the role, each with its place among the role's symbols.
    inputs, slots : int
        How many numbers a token has, in the end with the outputs.
    """

    def __init__(
        self, role: SampledRole, places: dict[Any, int], trained: int, parameters: list[Symbol]
    ) -> None:
        self._role, self._parameters = role, parameters
        self.moving = [
            (places[x], n) for n, x in enumerate(role.directions)
            if n < len(role.symbols) and places.get(x, trained) < trained
        ]  # fmt: skip
        self.has_score = role.score is not None
        self.inputs = len(role.symbols)

    @cached_property
    def program(self) -> Program:
        """The program, of the projections and the parameters."""
        from slrsym.kernels.printing import program_from_expressions

        role, moving = self._role, [self._role.symbols[n] for _, n in self.moving]
        parts: list[Expr] = [role.rest, *(share_derivative(role.rest, x) for x in moving)]
        if role.score is not None:
            parts += [role.factor, role.score, role.extra]
            for part in (role.factor, role.score):
                parts += [part.diff(x) for x in moving]
        parts = [part.replace(Heaviside, lambda x, *_: (1 + sign(x)) / 2) for part in parts]
        try:
            return program_from_expressions(parts, role.symbols, self._parameters)
        except ValueError as problem:
            raise no_machine_code(f"this predictor, as {problem}") from None

    @property
    def slots(self) -> int:
        """How many numbers of a token are kept."""
        return self.inputs + self.program.outputs


def no_machine_code(what: str) -> NoMachineCodeError:
    """Return an error that says for what there is no machine code."""
    return NoMachineCodeError(f"backend must not be 'numba' with batch for {what}: leave it out")

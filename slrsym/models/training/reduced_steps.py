r"""Descent on an invariant set of Gram matrices: a step of the coordinates that differ there.

Directions have coordinates W, with :math:`G = W W^T`, that commute with the symmetries of a set: of
fixed directions the root of their Gram matrix, of a trained one their products with that, and the
root of what is left of it. A step moves those that stand for others. Written out, it is a
straight-line program, which takes blocks of runs at once. So for machine code it is written out on
the set of all Gram matrices, too, if there are few coordinates. It takes the same step as
`slrsym.models.training.descent.DescentMap`; the last digits differ.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sympy import Add, Expr, S, Symbol, nan, sqrt, zoo

from slrsym.kernels.nested_polynomials import nest_in_functions
from slrsym.kernels.program import Program
from slrsym.models.training.descent import risk_slope_symbol
from slrsym.models.training.invariant_sets import InvariantSet, find_invariant_set
from slrsym.models.training.step_programs import StepProgram

if TYPE_CHECKING:
    from slrsym.models.training.descent import DerivedModel

Array = NDArray[np.float64]
# An eigenspace, a row and a column.
Place: TypeAlias = tuple[int, int, int]

# Of so many coordinates a step is written out, also if no symmetry makes them fewer.
_MOST_COORDINATES = 16
# What is smaller, as a share of the largest eigenvalue of a Gram matrix, is rounding.
_ROUNDING = 1e-14
# Names with spaces, which no symbol of a model is likely to have.
_ALPHA = Symbol("step size", positive=True)


class _NoReducedStepError(Exception):
    """Error for an invariant set on which no reduced step is had: the full step is taken there."""


def _roots(gram: Array) -> tuple[Array, Array]:
    """Return the symmetric roots of matrices, and of their pseudo-inverses."""
    values, vectors = np.linalg.eigh(gram)
    most = np.maximum(values[..., -1:], 1.0) if values.shape[-1] else values
    kept = values > _ROUNDING * most
    root = np.sqrt(np.where(kept, values, 0.0))
    inverse = np.where(kept, 1 / np.where(kept, root, 1.0), 0.0)
    back = np.swapaxes(vectors, -1, -2)
    return vectors * root[..., None, :] @ back, vectors * inverse[..., None, :] @ back


def symmetric_coordinates(gram: Array, trained: int) -> Array:
    """Return coordinates of directions that commute with all symmetries of their Gram matrix.

    Parameters
    ----------
    gram : ndarray, shape (..., p, p)
    trained : int
        How many directions are trained, which come first.

    Returns
    -------
    ndarray of shape (..., p, p)
        A product with their own transpose is the Gram matrix. Fixed directions have the last
        coordinates alone.
    """
    found = np.zeros(gram.shape)
    root, inverse = _roots(gram[..., trained:, trained:])
    across = gram[..., :trained, trained:] @ inverse
    rest = gram[..., :trained, :trained] - across @ np.swapaxes(across, -1, -2)
    found[..., :trained, :trained] = _roots(rest)[0]
    found[..., :trained, trained:] = across
    found[..., trained:, trained:] = root
    return found


class ReducedStep:
    """A step of descent on an invariant set, in coordinates that commute with its symmetries.

    Parameters
    ----------
    model : DerivedModel
    kept : InvariantSet
    fixed : ndarray, shape (spaces, p, p)
        The coordinates of the fixed directions, in the last rows and columns.
    """

    def __init__(self, model: DerivedModel, kept: InvariantSet, fixed: Array) -> None:
        self._model, self._kept = model, kept
        entries, spaces = kept.entries, range(model.spaces)
        self.places: tuple[Place, ...] = tuple(
            (a, i, j) for a in spaces for i in kept.rows for j in range(kept.size)
            if entries[i][j] == (i, j, 1)
        )  # fmt: skip
        last = range(kept.trained, kept.size)
        values = {
            (a, i, j): float(fixed[a, i, j]) for a in spaces for i in last for j in last
            if entries[i][j] == (i, j, 1)
        }  # fmt: skip
        # In most models these are orthonormal.
        plain = {place: S(round(x)) for place, x in values.items() if x in (0.0, 1.0)}
        self._others = {p: x for p, x in values.items() if p not in plain}
        self._symbols: dict[Place, Expr] = {p: _named("coordinate", p) for p in self.places}
        self._symbols |= plain | {p: _named("fixed", p) for p in self._others}

    @property
    def row_of_fixed(self) -> Array:
        """Coordinates of fixed directions that the program has as its last parameters."""
        return np.array([*self._others.values()], dtype=np.float64)

    @property
    def is_whole(self) -> bool:
        """Whether it is a step of all Gram matrices."""
        return self._kept.is_whole

    @cached_property
    def program(self) -> Program:
        """The step as a program of the coordinates that stand for others."""
        symbols = sorted((p, str(x)) for p, x in self._symbols.items())
        said = f"reduced step {self._kept} {symbols}"
        return self._model.load_or_derive_program(said, self._derived)

    # -- the step in symbols -----------------------------------------------------------------------

    def _coordinate(self, space: int, i: int, j: int) -> Expr:
        row, column, sign = self._kept.entries[i][j]
        return sign * self._symbols.get((space, row, column), S.Zero) if sign else S.Zero

    def _product(self, space: int, i: int, j: int) -> Expr:
        places = range(self._kept.size)
        return Add(*(self._coordinate(space, i, z) * self._coordinate(space, j, z) for z in places))

    def _representatives(self) -> dict[Symbol, tuple[Symbol, int]]:
        """Map order parameters to those that stand for them, with signs, 0 where they vanish."""
        found: dict[Symbol, tuple[Symbol, int]] = {}
        first: dict[Place, tuple[Symbol, int]] = {}
        for p in self._model.order_parameters:
            i, j, a = self._model.gram_indices[p]
            one, other = (self._kept.entries[x][y] for x, y in ((i, j), (j, i)))
            # A product is one in either order, so that opposites vanish.
            row, column, sign = min(one, other)
            if one[:2] == other[:2] and one != other:
                sign = 0
            standing, own = first.setdefault((a, row, column), (p, sign))
            found[p] = standing, sign * own
        return found

    def _derived(self) -> Program:
        model, kept = self._model, self._kept
        standing = self._representatives()
        moving = [p for p, (q, sign) in standing.items() if p is q and sign]
        slopes, meanings = model.gradient_with_definitions(moving)
        on_set = {p: sign * q for p, (q, sign) in standing.items() if (q, sign) != (p, 1)}
        given = {name: e.xreplace(on_set) for name, e in meanings.items()}
        slopes, given = _nested([e.xreplace(on_set) for e in slopes], given, moving)
        for p, slope in zip(moving, slopes, strict=True):
            i, j, a = model.gram_indices[p]
            given[p] = self._product(a, i, j)
            given[risk_slope_symbol(p)] = slope
        places = {at: p for p, at in model.gram_indices.items() if p in standing}
        outputs: dict[Place, Expr] = {}
        for i in kept.rows:
            outputs |= self._moved(i, places, standing, given)
        coordinates, needed = _simplified([outputs[p] for p in self.places], given)
        parameters = (*model.parameters, _ALPHA, *(self._symbols[p] for p in self._others))
        # What is kept of a model is found without.
        from slrsym.kernels.printing import program_from_expressions

        state = [self._symbols[p] for p in self.places]
        return program_from_expressions(coordinates, state, parameters, given=needed)

    def _moved(
        self,
        i: int,
        places: Mapping[Place, Symbol],
        standing: Mapping[Symbol, tuple[Symbol, int]],
        given: dict[Symbol, Expr],
    ) -> dict[Place, Expr]:
        """Return the coordinates of a direction after a step; define what they are made of."""
        model, kept = self._model, self._kept
        spaces, every = range(model.spaces), range(kept.size)
        along: Expr = S.Zero
        # What is subtracted of each direction: the step size times the gradient's coefficient.
        parts: dict[tuple[int, int], Expr] = {}
        for a, j in itertools.product(spaces, every):
            p = places.get((min(i, j), max(i, j), a))
            q, sign = standing[p] if p is not None else (S.Zero, 0)
            if not sign:
                continue
            slope = sign * risk_slope_symbol(q) * (2 if i == j else 1)
            along += slope * sign * q
            parts[a, j] = _named("part", (a, i, j))
            given[parts[a, j]] = _ALPHA * slope
        gradient = {
            (a, i, z): Add(*(parts[b, j] * self._coordinate(a, j, z) for b, j in parts if a == b))
            for a, z in itertools.product(spaces, every)
        }
        if not model.trained_directions[i].on_sphere:
            return {p: self._coordinate(*p) - g for p, g in gradient.items()}
        # Without the part of the gradient along the direction itself.
        kept_part = Symbol(f"kept {i}", real=True)
        given[kept_part] = 1 + _ALPHA * along
        moved: dict[Place, Expr] = {}
        for (a, _, z), g in gradient.items():
            row, column, sign = kept.entries[i][z]
            if not sign:
                continue
            own = (a, row, column)
            name = _named("moved", own)
            if own == (a, i, z):
                given[name] = kept_part * self._symbols[own] - g
            moved[a, i, z] = name
        # Not 1 over the length: where a square overflows, a vector of length 0 would go on.
        square, length, shrink = (
            Symbol(f"{what} {i}", real=True) for what in ("square", "length", "shrink")
        )
        given[square] = Add(*(x**2 for x in moved.values()))
        given[length] = sqrt(square)
        given[shrink] = length / square
        return {p: shrink * x for p, x in moved.items()}

    # -- the step in numbers -----------------------------------------------------------------------

    @cached_property
    def _columns(self) -> NDArray[np.int64]:
        """The places, by eigenspaces, rows and columns."""
        return np.array(self.places, dtype=np.int64).reshape(-1, 3).T

    def packed(self, factor: Array) -> Array:
        """Return the coordinates that stand for others, shape (..., n)."""
        spaces, rows, columns = self._columns
        found: Array = factor[..., spaces, rows, columns]
        return found

    def unpacked(self, states: Array, factor: Array) -> Array:
        """Return all coordinates, shape (..., spaces, p, p), with fixed ones as in a factor."""
        whole = np.broadcast_to(factor, (*states.shape[:-1], *factor.shape[-3:])).copy()
        spaces, rows, columns = self._columns
        whole[..., spaces, rows, columns] = states
        return self._kept.spread(whole)

    def spread(self, gram: Array) -> Array:
        """Return Gram matrices with equal entries where rounding makes them differ."""
        return self._kept.spread(gram)

    @cached_property
    def steps(self) -> StepProgram:
        """The program, to be taken many times."""
        return StepProgram(self.program)

    @property
    def is_loop_compiled(self) -> bool:
        """Whether an earlier process has compiled the loop."""
        return self.steps.is_loop_compiled


def _named(what: str, place: Place) -> Symbol:
    return Symbol(" ".join(map(str, (what, *place))), real=True)


def _nested(
    slopes: list[Expr], given: dict[Symbol, Expr], state: Sequence[Symbol]
) -> tuple[list[Expr], dict[Symbol, Expr]]:
    """Write slopes, and what is defined in them, as nested polynomials, if they are polynomials.

    Much cancels then, as the square of a mean that is taken from a moment.
    """
    whole = slopes
    while names := _names(whole) & given.keys():
        whole = [e.xreplace({name: given[name] for name in names}) for e in whole]
    return nest_in_functions(whole, state) or (slopes, given)


def _simplified(
    outputs: list[Expr], given: Mapping[Symbol, Expr]
) -> tuple[list[Expr], dict[Symbol, Expr]]:
    """Put in what is defined as a number or twice, and leave out what is not needed."""
    given = dict(given)
    while True:
        first: dict[Expr, Symbol] = {}
        to = {
            name: e if e.is_number else first[e]
            for name, e in given.items()
            if e.is_number or first.setdefault(e, name) != name
        }
        if not to:
            break
        given = {name: e.xreplace(to) for name, e in given.items() if name not in to}
        outputs = [e.xreplace(to) for e in outputs]
    needed: dict[Symbol, Expr] = {}
    waiting = _names(outputs) & given.keys()
    while waiting:
        name = waiting.pop()
        needed[name] = given[name]
        waiting |= (_names([given[name]]) & given.keys()) - needed.keys()
    if any(e.has(nan, zoo) for e in (*outputs, *needed.values())):
        raise _NoReducedStepError
    return outputs, {name: e for name, e in given.items() if name in needed}


def _names(expressions: Iterable[Expr]) -> set[Any]:
    return set().union(*(e.free_symbols for e in expressions))


def find_reduced_step(model: DerivedModel, gram: Array) -> tuple[ReducedStep, Array] | None:
    """Return the step on the invariant set that some runs start on, and their coordinates.

    Parameters
    ----------
    model : DerivedModel
    gram : ndarray, shape (runs, spaces, p, p)
        As it is stated: entries are equal, or 0, if they are to the last bit.

    Returns
    -------
    (ReducedStep, ndarray of shape (runs, spaces, p, p)) or None
        None if no equality is proved and there are many coordinates, or runs have different fixed
        directions.
    """
    trained = len(model.trained_directions)
    held = gram[..., trained:, trained:]
    if not model.is_additive or model.uses_representatives or not (held == held[:1]).all():
        return None
    kept = find_invariant_set(model, gram)
    if kept.is_whole and not _is_small(model):
        return None
    factor = kept.spread(symmetric_coordinates(gram, trained))
    if _is_flat(factor[..., :trained, :trained]):
        return None
    step = _cached_step(model, kept, factor[0])
    try:
        # That of all Gram matrices is derived when it is needed, which is with Numba only.
        if not kept.is_whole:
            _ = step.program
    except _NoReducedStepError:
        return None
    return step, factor


def _is_small(model: DerivedModel) -> bool:
    """Return whether a step of all coordinates is soon compiled, and has no quadratures."""
    coordinates = model.spaces * len(model.trained_directions) * len(model.directions)
    return coordinates <= _MOST_COORDINATES and model.has_closed_form


def _is_flat(roots: Array) -> bool:
    """Return whether trained directions span less than there are, beside fixed ones.

    Coordinates in a basis keep that to the last bit, and symmetric ones up to rounding alone, which
    may grow. A direction in the span of the fixed ones has zeros.
    """
    there = np.count_nonzero(np.diagonal(roots, axis1=-2, axis2=-1), axis=-1)
    return bool((np.linalg.matrix_rank(roots, tol=1e-7) < there).any())


def _cached_step(model: DerivedModel, kept: InvariantSet, fixed: Array) -> ReducedStep:
    """Return a reduced step, made once for a model."""
    last = fixed[:, kept.trained :, kept.trained :]
    key = (kept, last.tobytes())
    if (found := model.reduced_steps.get(key)) is None:
        found = model.reduced_steps[key] = ReducedStep(model, kept, fixed)
    return found


class ReducedEngine:
    """Engine that takes descent steps on an invariant set, in NumPy or as machine code."""

    def __init__(self, step: ReducedStep, factor: Array, alpha: float, backend: str) -> None:
        self.excess_risks: dict[int, Array] = {}
        self._step, self._factor = step, factor[0]
        self._packed = np.ascontiguousarray(step.packed(factor))
        self._rest = [np.array([float(x)]) for x in (alpha, *step.row_of_fixed)]
        self._backend = backend
        if backend == "numba":
            step.steps.compile_ahead(self._packed)

    @property
    def states(self) -> Array:
        """The coordinates of all directions in each run, shape (runs, spaces, p, p)."""
        return self._step.unpacked(self._packed, self._factor)

    def advance(self, parameters: Array, every: int) -> Array:
        """Take one step for each row of parameters, and return every `every`-th state."""
        columns = [c if (c != c[:1]).any() else c[:1].copy() for c in parameters.T.copy()]
        self._packed, noted = self._step.steps.iterate(
            self._backend, self._packed, (*columns, *self._rest), len(parameters), every
        )
        return self._step.unpacked(noted, self._factor)

r"""Initial conditions of runs, and schedules of the inverse temperature, as in Definition 1.

Overlaps of random vectors are drawn as such. A uniform vector on the sphere is a normal one divided
by its norm, and of that only the coordinates along :math:`k^\star, v^\star` and one more direction
are needed, besides chi variates for the norms of what is left. The law is exact and the cost does
not depend on d. Each run has its own stream of random numbers, so that it does not depend on how
many stand beside it.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.random import Generator, SeedSequence, default_rng
from numpy.typing import ArrayLike, NDArray

from slrsym.dynamics.spheres import SLACK, frame_coordinates, gram_matrices
from slrsym.kernels.arguments import number, positive, real_array, whole
from slrsym.task import OrderParameters, Task

_ALLOWED = "a number, a list of numbers or a function of steps"


@dataclass(frozen=True)
class Constant:
    """The same inverse temperature at every step.

    Parameters
    ----------
    lam : float
        Inverse temperature, positive.

    Raises
    ------
    ValueError
        If it is not positive and finite.
    """

    lam: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "lam", positive("lam", self.lam))

    def __call__(self, steps: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the inverse temperatures at some steps."""
        return np.full(steps.shape, self.lam, dtype=np.float64)


@dataclass(frozen=True)
class InverseTimeDecay:
    r"""An inverse temperature that falls: :math:`\lambda_0 / (1 + c t)`.

    Parameters
    ----------
    lam0 : float
        Inverse temperature at the start, positive.
    c : float
        Rate, not negative.

    Raises
    ------
    ValueError
        If `lam0` is not positive and finite, or `c` is negative or not finite.
    """

    lam0: float
    c: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "lam0", positive("lam0", self.lam0))
        rate = number(self.c)
        if not (math.isfinite(rate) and rate >= 0):
            raise ValueError(f"c must be finite and not negative; got {self.c!r}")
        object.__setattr__(self, "c", rate)

    def __call__(self, steps: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the inverse temperatures at some steps."""
        return np.asarray(self.lam0 / (1 + self.c * steps), dtype=np.float64)


# What a formula in the step may be made of, besides numbers, t and pi.
_OPERATIONS: dict[type, np.ufunc] = {
    ast.Add: np.add, ast.Sub: np.subtract, ast.Mult: np.multiply, ast.Div: np.divide,
    ast.Pow: np.power, ast.USub: np.negative, ast.UAdd: np.positive,
}  # fmt: skip
_FUNCTIONS: dict[str, np.ufunc] = {
    "exp": np.exp, "log": np.log, "sqrt": np.sqrt, "sin": np.sin, "cos": np.cos, "tanh": np.tanh,
    "abs": np.absolute, "min": np.minimum, "max": np.maximum,
}  # fmt: skip


@dataclass(frozen=True)
class Formula:
    """An inverse temperature that is a formula in the step t.

    Parameters
    ----------
    text : str
        Made of numbers, ``t``, ``pi``, ``+ - * / **`` and the functions exp, log, sqrt, sin, cos,
        tanh, abs, min and max (of two), such as ``0.1 + exp(-t/1000)``.

    Raises
    ------
    ValueError
        If it is made of anything else.
    """

    text: str

    def __post_init__(self) -> None:
        try:
            self(np.zeros(1, dtype=np.int64))
        except (SyntaxError, ValueError, OverflowError, MemoryError, RecursionError):
            raise ValueError(
                "schedule must be a number, or a formula in the step t such as 1/(1+1e-4*t), with "
                f"+ - * / ** and {', '.join(_FUNCTIONS)}; got {self.text!r}"
            ) from None

    def __call__(self, steps: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the inverse temperatures at some steps."""
        tree = ast.parse(self.text.strip(), mode="eval")
        # Values that are not finite are refused later, with the step that they belong to.
        with np.errstate(all="ignore"):
            values = _value(tree.body, steps.astype(np.float64))
        return np.array(np.broadcast_to(values, steps.shape), dtype=np.float64)


def _value(node: ast.expr, t: NDArray[np.float64]) -> Any:
    match node:
        case ast.Constant(value=int() | float() as value):
            # In floating point, powers of whole numbers end.
            return np.float64(value)
        case ast.Name(id="t"):
            return t
        case ast.Name(id="pi"):
            return np.float64(np.pi)
        case ast.UnaryOp(op=sign, operand=part) if type(sign) in _OPERATIONS:
            return _OPERATIONS[type(sign)](_value(part, t))
        case ast.BinOp(left=left, op=between, right=right) if type(between) in _OPERATIONS:
            return _OPERATIONS[type(between)](_value(left, t), _value(right, t))
        case ast.Call(func=ast.Name(id=name), args=parts, keywords=[]) if (
            name in _FUNCTIONS and len(parts) == _FUNCTIONS[name].nin
        ):
            return _FUNCTIONS[name](*(_value(part, t) for part in parts))
    raise ValueError


@dataclass(frozen=True, eq=False)
class Tabulated:
    """An inverse temperature for each step, in a table."""

    values: NDArray[np.float64]

    def __post_init__(self) -> None:
        table = np.array(real_array("schedule", self.values, _ALLOWED))
        if table.ndim != 1 or not table.size:
            raise ValueError(f"schedule must be a list of numbers; it has shape {table.shape}")
        object.__setattr__(self, "values", table)

    def __call__(self, steps: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the inverse temperatures at some steps."""
        if steps.size and steps.max() >= self.values.size:
            raise ValueError(
                f"schedule must have a value for each step from 0 to {steps.max()}, "
                f"that is {steps.max() + 1}; got {self.values.size}"
            )
        return self.values[steps]

    def __repr__(self) -> str:
        return f"Tabulated({self.values.size} values)"


Schedule = Callable[[NDArray[np.int64]], NDArray[np.float64]]


def as_schedule(schedule: float | ArrayLike | Schedule) -> Schedule:
    """Turn a number, a table or a function into a schedule."""
    if callable(schedule):
        return schedule
    values = real_array("schedule", schedule, _ALLOWED)
    return Tabulated(values) if values.ndim else Constant(positive("schedule", schedule))


def inverse_temperatures(schedule: Schedule, start: int, stop: int) -> NDArray[np.float64]:
    """Return the inverse temperatures from one step to another."""
    steps = np.arange(start, stop + 1, dtype=np.int64)
    values = real_array("schedule", schedule(steps), "a function that gives numbers")
    if values.shape != steps.shape:
        raise ValueError(
            f"schedule must give one inverse temperature for each of {steps.size} steps; "
            f"it gave an array of shape {values.shape}"
        )
    wrong = ~(np.isfinite(values) & (values > 0))
    if wrong.any():
        at = int(np.argmax(wrong))
        raise ValueError(
            f"schedule must be positive and finite; it is {float(values[at])} at step {steps[at]}"
        )
    return values


def schedule_from_text(text: str) -> Constant | InverseTimeDecay | Formula:
    """Parse a schedule."""
    plain = text.replace(" ", "")
    with suppress(ValueError):
        if plain.startswith("Constant(lam=") and plain.endswith(")"):
            return Constant(float(plain[13:-1]))
        # As runs of version 0.1 have it.
        plain = plain.replace("Inverse(lam0=", "InverseTimeDecay(lam0=")
        if plain.startswith("InverseTimeDecay(lam0=") and plain.endswith(")"):
            first, _, rate = plain[22:-1].partition(",c=")
            return InverseTimeDecay(float(first), float(rate))
        first, slash, rest = plain.partition("/(1+")
        if slash and rest.endswith("t)"):
            factor = rest[:-2]
            return InverseTimeDecay(
                float(first), float(factor.removesuffix("*")) if factor else 1.0
            )
    try:
        value = float(plain)
    except ValueError:
        return Formula(text)
    return Constant(positive("schedule", value))


def describe(schedule: Any) -> str:
    """Format a schedule in words that `schedule_from_text` reads, if it is a known kind."""
    if isinstance(schedule, Formula):
        return schedule.text
    return (
        repr(schedule)
        if isinstance(schedule, Constant | InverseTimeDecay | Tabulated)
        else "user-given"
    )


@runtime_checkable
class Start(Protocol):
    """Where runs start."""

    def overlaps(self, task: Task) -> NDArray[np.float64]:
        """Return the states at which runs start.

        Parameters
        ----------
        task : Task
            Its dimension is that of vectors.

        Returns
        -------
        ndarray, shape (runs, 5) or (runs, 2)
            kappa, nu, theta, eta, rho; on the manifold kappa and nu, and the others are 0.

        Raises
        ------
        ValueError
            If vectors are given in another dimension.
        """
        ...


def _streams(seed: int | Sequence[int], first: int, stop: int) -> list[Generator]:
    """Return the generators of some runs, which are those that `SeedSequence.spawn` would give."""
    return [default_rng(SeedSequence(seed, spawn_key=(i,))) for i in range(first, stop)]


@dataclass(frozen=True)
class _Drawn(Start):
    runs: int
    seed: int = 0

    def __post_init__(self) -> None:
        for name, least in (("runs", 1), ("seed", 0)):
            object.__setattr__(self, name, whole(name, getattr(self, name), least))


def _chi_square(rng: Generator, degrees: int) -> float:
    return float(rng.chisquare(degrees)) if degrees > 0 else 0.0


def uniform_overlaps(
    d: int, seed: int | Sequence[int], first: int, stop: int
) -> NDArray[np.float64]:
    """Draw overlaps of uniform k and v for some of many runs."""
    return np.array([_uniform(rng, d) for rng in _streams(seed, first, stop)]).reshape(-1, 5)


def _uniform(rng: Generator, d: int) -> tuple[float, ...]:
    # Coordinates along k*, v*, and the rest of k.
    k1, k2 = rng.standard_normal(2)
    rest = np.sqrt(_chi_square(rng, d - 2))
    v1, v2, v3 = rng.standard_normal(3)
    if d < 3:
        v3 = 0.0
    beyond = _chi_square(rng, d - 3)
    k_norm = np.sqrt(k1 * k1 + k2 * k2 + rest * rest)
    v_norm = np.sqrt(v1 * v1 + v2 * v2 + v3 * v3 + beyond)
    inner = k1 * v1 + k2 * v2 + rest * v3
    return k1 / k_norm, v2 / v_norm, v1 / v_norm, k2 / k_norm, inner / (k_norm * v_norm)


@dataclass(frozen=True)
class UniformStart(_Drawn):
    """Uniform k and v on the sphere, independent.

    Figures 4(a), 5 and 7 start so.

    Parameters
    ----------
    runs : int
        How many runs, at least 1.
    seed : int, optional
        Of the random numbers, not negative.

    Raises
    ------
    ValueError
        If `runs` is not an integer of at least 1, or `seed` not one of at least 0.
    """

    def overlaps(self, task: Task) -> NDArray[np.float64]:
        return uniform_overlaps(task.d, self.seed, 0, self.runs)


@dataclass(frozen=True)
class ManifoldStart(_Drawn):
    """On the invariant manifold: k uniform orthogonal to v*, then v uniform orthogonal to k* and k.

    That is the manifold of equation (11); figure 4(b) starts so.

    Parameters
    ----------
    runs : int
        How many runs, at least 1.
    seed : int, optional
        Of the random numbers, not negative.

    Raises
    ------
    ValueError
        If `runs` is not an integer of at least 1, or `seed` not one of at least 0.
    """

    def overlaps(self, task: Task) -> NDArray[np.float64]:
        return np.array([self._one(rng, task.d) for rng in _streams(self.seed, 0, self.runs)])

    @staticmethod
    def _one(rng: Generator, d: int) -> tuple[float, float]:
        k1, v2 = rng.standard_normal(2)
        k_square, v_square = (_chi_square(rng, d - 2), _chi_square(rng, d - 3))
        return k1 / np.sqrt(k1 * k1 + k_square), v2 / np.sqrt(v2 * v2 + v_square)


@dataclass(frozen=True, eq=False)
class Overlaps(Start):
    """Given overlaps.

    They are those of Theorem 1, or of Lemma 6.

    Parameters
    ----------
    values : array_like, shape (runs, 5) or (runs, 2)
        kappa, nu, theta, eta, rho; or kappa, nu on the manifold.

    Raises
    ------
    ValueError
        If the shape is another, a value is not finite, or the Gram matrix of k, v, k*, v* that the
        overlaps say is not positive semidefinite.
    """

    values: NDArray[np.float64]
    runs: int = field(init=False)

    def __post_init__(self) -> None:
        values = np.array(real_array("start", self.values, "an array of numbers"))
        object.__setattr__(self, "values", require_feasible(values))
        object.__setattr__(self, "runs", len(values))

    def overlaps(self, task: Task) -> NDArray[np.float64]:
        return self.values

    def __repr__(self) -> str:
        return f"Overlaps({self.runs} runs)"


@dataclass(frozen=True, eq=False)
class StartVectors(Start):
    r"""Given k and v, in coordinates in which :math:`k^\star, v^\star` are the first two axes.

    Parameters
    ----------
    k0, v0 : array_like, shape (d,) or (runs, d)
        Unit vectors, of length 1 to within 1e-6; they are divided by their lengths.
    k_star, v_star : array_like, shape (d,), optional
        Orthogonal unit vectors, where they are not the first two axes.

    Raises
    ------
    ValueError
        If shapes do not fit, or vectors are not of length 1, or `k_star`, `v_star` not orthogonal.
    """

    k0: NDArray[np.float64]
    v0: NDArray[np.float64]
    k_star: NDArray[np.float64] | None = None
    v_star: NDArray[np.float64] | None = None
    runs: int = field(init=False)

    def __post_init__(self) -> None:
        k, v = (np.atleast_2d(_unit_vectors(x, getattr(self, x))) for x in ("k0", "v0"))
        if k.ndim != 2 or k.shape != v.shape or k.shape[1] < 2:
            raise ValueError(
                "k0 and v0 must have the same shape, (d,) or (runs, d), with d at least 2; "
                f"got {np.shape(self.k0)} and {np.shape(self.v0)}"
            )
        d, axes = k.shape[1], []
        for axis, name in enumerate(("k_star", "v_star")):
            given = getattr(self, name)
            axes.append(np.eye(2, d)[axis] if given is None else _unit_vectors(name, given))
            if axes[-1].shape != (d,):
                raise ValueError(f"{name} must have shape ({d},); got {axes[-1].shape}")
        if abs(product := float(axes[0] @ axes[1])) > _UNIT:
            raise ValueError(f"k_star and v_star must be orthogonal; their product is {product}")
        for name, value in {"k0": k, "v0": v, "k_star": axes[0], "v_star": axes[1]}.items():
            object.__setattr__(self, name, value)
        object.__setattr__(self, "runs", len(k))

    @property
    def d(self) -> int:
        """Their dimension."""
        return int(self.k0.shape[-1])

    def overlaps(self, task: Task) -> NDArray[np.float64]:
        if task.d != self.d:
            raise ValueError(f"start must have vectors in R^{task.d}; they are in R^{self.d}")
        k, v, first, second = map(np.asarray, (self.k0, self.v0, self.k_star, self.v_star))
        found = (k @ first, v @ second, v @ first, k @ second, np.sum(k * v, axis=-1))
        return np.stack(found, axis=-1)

    def __repr__(self) -> str:
        return f"StartVectors({self.runs} runs, d={self.d})"


# How far from 1 the length of a unit vector may be, or from 0 the product of orthogonal ones.
_UNIT = 1e-6


def _unit_vectors(name: str, values: Any) -> NDArray[np.float64]:
    vectors = np.array(real_array(name, values, "an array of numbers"))
    lengths = np.linalg.norm(vectors, axis=-1) if vectors.ndim else np.abs(vectors)
    if not vectors.size or not (np.abs(lengths - 1) <= _UNIT).all():
        raise ValueError(f"{name} must have length 1; got {np.ravel(lengths)[:5].tolist()}")
    found: NDArray[np.float64] = vectors / lengths[..., None]
    return found


def require_feasible(
    states: NDArray[np.float64], d: int = 4, name: str = "start"
) -> NDArray[np.float64]:
    r"""Refuse overlaps that no vectors in :math:`\mathbb{R}^d` have."""
    if states.ndim != 2 or states.shape[1] not in (2, 5) or not len(states):
        names = OrderParameters._fields
        raise ValueError(
            f"{name} must have shape (runs, 5): {', '.join(names)}, or (runs, 2): "
            f"{', '.join(names[:2])}, with at least one run; got {states.shape}"
        )
    finite = np.isfinite(states).all(axis=1)
    _require(f"{name} must be finite", finite, states)
    values = np.linalg.eigvalsh(gram_matrices(states))
    what = f"{name} must be feasible: the Gram matrix of k, v, k*, v*"
    _require(f"{what} is not positive semidefinite", values[:, 0] >= -SLACK, states)
    if d < 4:
        _require(f"{what} has a rank above d = {d}", values[:, 3 - d] <= SLACK, states)
    return states


def _require(what: str, good: Any, states: NDArray[np.float64]) -> None:
    if not good.all():
        at = int(np.argmin(good))
        raise ValueError(f"{what}; run {at} has {states[at].tolist()}")


def as_start(start: Any, d: int) -> Start:
    """Turn overlaps or a pair of arrays of vectors in d dimensions into a start object."""
    if isinstance(start, Start):
        return start
    pair = isinstance(start, tuple) and [type(x) for x in start] == [np.ndarray, np.ndarray]
    # Two rows of overlaps are no vectors, but where they could be.
    if pair and (np.shape(start[0]) == (d,) or np.shape(start[0]) not in ((2,), (5,))):
        return StartVectors(*start)
    return Overlaps(start)


def lift(
    states: NDArray[np.float64], d: int, seed: int = 0
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Draw vectors with given overlaps, in a random position."""
    result = np.empty((4, len(states), d))
    # The streams that starts do not use.
    children = SeedSequence([seed, 1]).spawn(len(states))
    coordinates = frame_coordinates(states, min(d, 4))
    for i, child in enumerate(children):
        frame, triangle = np.linalg.qr(default_rng(child).standard_normal((d, min(d, 4))))
        # With these signs the frame is that of Gram and Schmidt, whose law no rotation changes.
        result[:, i] = coordinates[i] @ (frame * np.sign(np.diag(triangle))).T
    return result[0], result[1], result[2], result[3]

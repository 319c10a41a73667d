r"""Data of the figures of committee machines: equations of motion, and sampled descent.

K students :math:`w_k` learn from M orthonormal teachers, all units :math:`g(x) =
\operatorname{erf}(x/\sqrt2)`, by one-pass descent on half of the squared error with the learning
rate :math:`\eta`. Time is steps over the dimension. The generalisation error is half of the mean
squared error without the noise of the labels. The equations are derived from the statement of the
model; sampled descent uses none of them. All settings are ours.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
import xarray as xr
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import erf as erf_of
from sympy import Eq, Expr, Symbol, erf, sqrt

from slrsym.files import SaveableComputation
from slrsym.models import Directions, Equations, Predictor, Token, TokenSequence, model
from slrsym.prover.claims.ledger import builtin_ledger

__all__ = ["CriticalLearningRateSurvey", "NoiseFloorSurvey", "PlateauSurvey", "SampledDescent"]

Array = NDArray[np.float64]


@lru_cache(maxsize=2)
def committee_equations(with_surplus: bool = False) -> Equations:
    """Return the equations of online descent for any number of students and teachers.

    Parameters
    ----------
    with_surplus : bool, optional
        Whether there are L students more than the M teachers.

    Returns
    -------
    Equations
        In Q, C (squared lengths and inner products of students that have a teacher), R, S (overlaps
        with the own teacher and with others), and of surplus students in symbols of their own, with
        the parameters M, ``eta``, ``sigma``, and L.
    """
    M, L = (Symbol(name, integer=True, positive=True) for name in "ML")
    eta, sigma = Symbol("eta", positive=True), Symbol("sigma", nonnegative=True)
    w, u, s = Directions("w", M), Directions("u", M, unit=True), Directions("s", L)

    def unit(field: Expr) -> Expr:
        return erf(field / sqrt(2))

    target = Token(target=lambda X: u.sum(lambda x: unit(X @ x)))

    def student(X: Any) -> Any:
        matched = w.sum(lambda x: unit(X @ x))
        return matched + s.sum(lambda x: unit(X @ x)) if with_surplus else matched

    stated = model(
        TokenSequence({target: 1}, noise=sigma),
        Predictor(student),
        inner_products={u @ u: 0},
        names={w @ w: ("Q", "C"), w @ u: ("R", "S")},
    )
    # The rate is for the squared error without 1/2.
    return stated.equations("online-sgd", rate=eta / 2)


def _taught(equations: Equations) -> dict[str, float]:
    """Return the values of order parameters if students equal teachers and surplus ones vanish."""
    state = dict.fromkeys(map(str, equations.state), 0.0)
    return state | {"Q": 1.0, "R": 1.0}


class SampledDescent:
    """Online gradient descent of a committee machine in R^d, for several runs at once.

    Parameters
    ----------
    students : ndarray of shape (runs, K, d)
        Initial vectors, over the root of d. Teachers are the first M axes: the law of the inputs
        looks alike in all directions.
    teachers : int
        Their number M.
    eta, sigma : float
        Learning rate, and standard deviation of the noise of labels.
    seed : int
    """

    def __init__(self, students: Array, teachers: int, eta: float, sigma: float, seed: int) -> None:
        self.students, self.teachers = np.array(students), teachers
        self.eta, self.sigma = eta, sigma
        self._rng = np.random.default_rng(seed)

    def advance(self, steps: int) -> None:
        """Update the students of all runs by steps of descent, each with a fresh sample."""
        w, rng = self.students, self._rng
        runs, _, d = w.shape
        for _ in range(steps):
            x = rng.standard_normal((runs, d))
            label = erf_of(x[:, : self.teachers] / np.sqrt(2)).sum(axis=1)
            if self.sigma:
                label += self.sigma * rng.standard_normal(runs)
            fields = (w @ x[:, :, None])[:, :, 0]
            off = erf_of(fields / np.sqrt(2)).sum(axis=1) - label
            slopes = np.sqrt(2 / np.pi) * np.exp(-(fields**2) / 2)
            w -= (self.eta / d) * (slopes * off[:, None])[:, :, None] * x[:, None, :]

    def overlaps(self) -> tuple[Array, Array]:
        """Return students' inner products, (runs, K, K), and those with teachers, (runs, K, M)."""
        w = self.students
        return w @ w.swapaxes(1, 2), w[:, :, : self.teachers].copy()

    def current_generalisation_errors(self) -> Array:
        """Return the generalisation error of each run, computed exactly from its overlaps."""
        Q, R = self.overlaps()
        (runs, K, M), one = R.shape, np.eye(self.teachers)
        lower = np.concatenate([R.swapaxes(1, 2), np.broadcast_to(one, (runs, M, M))], axis=2)
        C = np.concatenate([np.concatenate([Q, R], axis=2), lower], axis=1)
        wide = np.sqrt(1 + np.einsum("rii->ri", C))
        signs = np.r_[np.ones(K), -np.ones(M)]
        means = 2 / np.pi * np.arcsin(C / wide[:, :, None] / wide[:, None, :])
        return np.asarray(np.einsum("rab,a,b->r", means, signs, signs) / 2)


def diagonal_and_offdiagonal_means(matrices: Array) -> tuple[Array, Array]:
    """Return the mean of the diagonal entries, and of the others, of each (K, K) matrix.

    Of one row and column there is nothing beside the diagonal, and that mean is 0.
    """
    K = matrices.shape[-1]
    diagonal = np.einsum("...ii->...", matrices) / K
    return diagonal, (matrices.sum(axis=(-2, -1)) - K * diagonal) / max(K * (K - 1), 1)


class _CommitteeSurvey(SaveableComputation):
    """Base class of the surveys of committee machines, with their settings."""

    _name: ClassVar[str]

    @property
    def settings(self) -> dict[str, Any]:
        """The parameters on which the data of the survey depend, with lists as in files."""
        values = {n: list(v) if isinstance(v, tuple) else v for n, v in vars(self).items()}
        return {"survey": self._name, **values}


@dataclass(frozen=True)
class PlateauSurvey(_CommitteeSurvey):
    r"""Recipe of learning curves through the plateau: error and order parameters over time.

    The students start orthogonal, each with a small overlap with its own teacher. The data are
    ``error``, ``R``, ``S``, ``Q``, ``C`` over ``K, time``, by the equations; ``sampled_error`` over
    ``K, run, sampled_time``, and ``sampled_R`` and so on, means over units; ``level`` over ``K``,
    the error at the fixed point of the equations where R = S.

    Parameters
    ----------
    units : tuple of int
        The values of K.
    eta : float
        Learning rate.
    overlap, length : float
        R and Q at the start.
    time : int
        The last time.
    d : int
        Dimension of sampled descent.
    runs : int
        How many runs are sampled for each K.
    seed : int
        Of the random numbers.
    """

    _name = "plateau"

    units: tuple[int, ...] = (3, 5)
    eta: float = 0.2
    overlap: float = 0.02
    length: float = 0.2
    time: int = 1400
    d: int = 1000
    runs: int = 3
    seed: int = 0

    def compute_data(self) -> xr.Dataset:
        """Return error and order parameters over time, by equations of motion and sampled runs."""
        equations = committee_equations()
        start = {"Q": self.length, "C": 0.0, "R": self.overlap, "S": 0.0}
        solved = [
            equations.solve(
                {"M": K, "eta": self.eta, "sigma": 0.0}, start, self.time, points=self.time + 1
            )
            for K in self.units
        ]
        found = {"error": [runs.risk.values / 2 for runs in solved]}
        found |= {name: [runs[name].values for runs in solved] for name in start}
        sampled = [self._sampled(K, number) for number, K in enumerate(self.units)]
        names = [f"sampled_{name}" for name in ("error", *start)]
        return xr.Dataset(
            {name: (("K", "time"), np.array(rows)) for name, rows in found.items()}
            | {n: (("K", "run", "sampled_time"), np.array([s[n] for s in sampled])) for n in names}
            | {"level": ("K", np.array([self.plateau_error(K) for K in self.units]))},
            {
                "K": list(self.units),
                "time": solved[0].time.values,
                "sampled_time": np.arange(0, self.time + 1, self._every),
            },
            self.settings,
        )

    def plateau_error(self, K: int) -> float:
        """Return the generalisation error of the plateau, from the equations of motion."""
        equations = committee_equations()
        # The plateau for small rates, from which that at this rate is not far.
        overlap, length = 1 / np.sqrt(K * (2 * K - 1)), 1 / (2 * K - 1)
        near = {"R": overlap, "S": overlap, "Q": length, "C": length}
        points = equations.fixed_points(
            {"M": K, "eta": self.eta, "sigma": 0.0},
            starts=[[near[p.name] for p in equations.state]],
        )
        found = {p.name: x for p, x in points[0].state.items()} if points else {}
        if not found or abs(found["R"] - found["S"]) > 1e-6:
            raise ValueError(
                f"no plateau was found for K = {K}, eta = {self.eta}; take a smaller eta"
            )
        return points[0].risk / 2

    @property
    def _every(self) -> int:
        return max(1, self.time // 50)

    def _sampled(self, K: int, number: int) -> dict[str, Array]:
        students = np.zeros((self.runs, K, self.d))
        own = np.arange(K)
        students[:, own, own] = self.overlap
        students[:, own, K + own] = np.sqrt(self.length - self.overlap**2)
        descent = SampledDescent(students, K, self.eta, 0.0, _seed(self.seed, number))
        rows: dict[str, list[Array]] = {}
        for count in range(self.time // self._every + 1):
            descent.advance(self._every * self.d if count else 0)
            Q, R = descent.overlaps()
            rows.setdefault("sampled_error", []).append(descent.current_generalisation_errors())
            for name, matrix in (("Q", Q), ("R", R)):
                diagonal, others = diagonal_and_offdiagonal_means(matrix)
                rows.setdefault(f"sampled_{name}", []).append(diagonal)
                rows.setdefault(f"sampled_{'C' if name == 'Q' else 'S'}", []).append(others)
        return {name: np.transpose(values) for name, values in rows.items()}


@dataclass(frozen=True)
class NoiseFloorSurvey(_CommitteeSurvey):
    r"""Computation of the noise floor, the generalisation error left by noisy labels, scaled.

    The scale is :math:`\sigma^2\eta/(2\pi)`. The data are, over ``L`` at the first rate,
    ``solved``, by a fixed point of the equations, ``first_order``, ``sampled``, and ``error``, its
    standard error; ``rate_sampled`` and ``rate_error`` over ``eta`` for L = 0, and ``rate_solved``
    and ``second_order`` over ``fine_eta``. Surplus students are alike in that fixed point: what
    makes them differ grows some forty times more slowly than the slowest of the rest falls.

    Parameters
    ----------
    teachers : int
        Number of teachers, M.
    surplus : tuple of int
        Numbers L of students beyond M.
    rates : tuple of float
        Learning rates; the first one is that of all L.
    sigma : float
        Standard deviation of the noise of labels.
    settle, time : float
        Times, in units of the inverse of the rate, before and while the error is averaged.
    d : int
        Dimension of sampled descent.
    runs : int
        How many runs are sampled for each point; their spread gives the standard error.
    seed : int
        Of the random numbers.
    """

    _name = "noise floor"

    teachers: int = 2
    surplus: tuple[int, ...] = (0, 1, 2, 4)
    rates: tuple[float, ...] = (0.2, 0.4, 0.8, 1.2)
    sigma: float = 0.1
    settle: float = 160.0
    time: float = 80.0
    d: int = 1000
    runs: int = 4
    seed: int = 0

    def compute_data(self) -> xr.Dataset:
        """Return noise floors by fixed points of the equations of motion and by sampled runs."""
        first = self.rates[0]
        points = [(L, first) for L in self.surplus] + [(0, eta) for eta in self.rates]
        found = {point: self._sampled(*point, i) for i, point in enumerate(dict.fromkeys(points))}
        means = {point: (runs.mean(), _stderr(runs)) for point, runs in found.items()}
        fine = np.linspace(0, max(self.rates), 25)[1:]
        order = np.array(self.surplus) + self.teachers / np.sqrt(3)
        by_surplus = np.transpose([means[L, first] for L in self.surplus])
        by_rate = np.transpose([means[0, eta] for eta in self.rates])
        return xr.Dataset(
            {
                "solved": (
                    "L",
                    np.array([self.scaled_noise_floor(L, first) for L in self.surplus]),
                ),
                "first_order": ("L", order),
                "sampled": ("L", by_surplus[0]),
                "error": ("L", by_surplus[1]),
                "second_order": ("fine_eta", _to_second_order(self.teachers, fine)),
                "rate_solved": (
                    "fine_eta",
                    np.array([self.scaled_noise_floor(0, eta) for eta in fine]),
                ),
                "rate_sampled": ("eta", by_rate[0]),
                "rate_error": ("eta", by_rate[1]),
            },
            {"L": list(self.surplus), "eta": list(self.rates), "fine_eta": fine},
            self.settings,
        )

    def _scale(self, eta: float) -> float:
        return self.sigma**2 * eta / (2 * np.pi)

    def scaled_noise_floor(self, L: int, eta: float) -> float:
        """Return the noise floor divided by its scale, from the equations of motion."""
        equations = committee_equations(with_surplus=L > 0)
        values: dict[str, Any] = {"M": self.teachers, "eta": eta, "sigma": self.sigma}
        near = np.array([*_taught(equations).values()])
        # Not at the teachers themselves, where surplus students that vanish have no direction.
        found = equations.fixed_points(
            values | ({"L": L} if L else {}), starts=[near + 0.01 * eta * self.sigma]
        )
        if not found:
            raise ValueError(
                f"no fixed point near the teachers was found for L = {L}, eta = {eta}, sigma = "
                f"{self.sigma}; take a smaller rate or noise"
            )
        return (found[0].risk - self.sigma**2) / 2 / self._scale(eta)

    def _sampled(self, L: int, eta: float, number: int) -> Array:
        """Return each run's mean error after it has settled, divided by the floor's scale."""
        rng = np.random.default_rng(_seed(self.seed, number))
        M, spread = self.teachers, np.sqrt(eta / 2 / self.d) * self.sigma
        # Deviations of the size of the first order, alike for surplus students, settle sooner.
        students = spread * rng.standard_normal((self.runs, M + L, self.d))
        students[:, M:] = students[:, M : M + 1] / np.sqrt(max(L, 1))
        students[:, np.arange(M), np.arange(M)] += 1.0
        descent = SampledDescent(students, M, eta, self.sigma, int(rng.integers(2**31)))
        descent.advance(round(self.settle / eta * self.d))
        every = max(1, round(0.1 / eta * self.d))
        errors = []
        for _ in range(max(1, round(10 * self.time))):
            descent.advance(every)
            errors.append(descent.current_generalisation_errors())
        return np.asarray(np.mean(errors, axis=0)) / self._scale(eta)


@dataclass(frozen=True)
class CriticalLearningRateSurvey(_CommitteeSurvey):
    r"""Computation of the learning rate above which students leave the teachers, without noise.

    K students learn from K teachers. The data are ``limit`` over ``K``, at which the largest
    eigenvalue of the equations for students that are alike becomes 0; and over ``tried_K, factor``
    the error of a sampled run after some time, over that at its start, ``growth``, at the limit
    times the factor.

    Parameters
    ----------
    units : tuple of int
        The values of K of the limit.
    tried : tuple of int
        Those of sampled runs.
    factors : tuple of float
        What the limit is multiplied by.
    time : int
        How long sampled runs are.
    d : int
        Dimension of sampled descent.
    seed : int
        Of the random numbers.
    """

    _name = "stability"

    units: tuple[int, ...] = (2, 3, 4, 5, 6, 8, 10, 13, 16, 20, 25, 32, 40, 50, 64)
    tried: tuple[int, ...] = (2, 4, 8)
    factors: tuple[float, ...] = (0.85, 1.15)
    time: int = 40
    d: int = 1000
    seed: int = 0

    def compute_data(self) -> xr.Dataset:
        """Return critical learning rates, and the growth of sampled runs below and above them."""
        limits = {K: self.critical_learning_rate(K) for K in {*self.units, *self.tried}}
        tried = list(itertools.product(self.tried, self.factors))
        growth = [self._growth(K, f * limits[K], number) for number, (K, f) in enumerate(tried)]
        shape = (len(self.tried), len(self.factors))
        return xr.Dataset(
            {
                "limit": ("K", np.array([limits[K] for K in self.units])),
                "growth": (("tried_K", "factor"), np.reshape(growth, shape)),
                "tried_limit": ("tried_K", np.array([limits[K] for K in self.tried])),
            },
            {"K": list(self.units), "tried_K": list(self.tried), "factor": list(self.factors)},
            self.settings,
        )

    def critical_learning_rate(self, K: int) -> float:
        """Return the learning rate at which the teachers become unstable."""
        equations = committee_equations()
        at = _taught(equations)

        def leading(eta: float) -> float:
            values: Mapping[Any, Any] = {"M": K, "eta": eta, "sigma": 0.0}
            found = equations.linearise(at, values)
            return float(found.eigenvalues[0].real)

        return float(brentq(leading, 0.5 / K, 12 / K, xtol=1e-12))

    def _growth(self, K: int, rate: float, number: int) -> float:
        rng = np.random.default_rng(_seed(self.seed, number))
        students = 1e-3 * rng.standard_normal((1, K, self.d)) / np.sqrt(self.d)
        own = np.arange(K)
        students[:, own, own] += 1.0
        descent = SampledDescent(students, K, rate, 0.0, int(rng.integers(2**31)))
        before = descent.current_generalisation_errors()
        descent.advance(self.time * self.d)
        return float((descent.current_generalisation_errors() / before)[0])


def _to_second_order(K: int, rates: Array) -> Array:
    """Return scaled noise floors at learning rates, by the second-order formula of its claim."""
    (stated,) = builtin_ledger().find("committee-floor-second-order").statement.atoms(Eq)
    units, eta = Symbol("K", positive=True), Symbol("eta", positive=True)
    floor = stated.lhs.subs(units, K)
    first, second = (float(part.subs(eta, 0)) for part in (floor, floor.diff(eta)))
    return first + second * rates


def _stderr(values: Array) -> float:
    return float(values.std(ddof=1) / np.sqrt(len(values)))


def _seed(seed: int, number: int) -> int:
    """Return the random seed of a survey's point, from the survey's seed and point's number."""
    return int(np.random.SeedSequence([seed, number]).generate_state(1)[0])

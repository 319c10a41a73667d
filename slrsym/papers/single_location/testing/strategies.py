r"""Hypothesis strategies for tasks, inverse temperatures and overlaps, with extreme cases.

Sizes are drawn evenly on a logarithmic scale, and shrink towards 1. Overlaps are those of vectors,
so that they are feasible by construction: the Gram matrix of :math:`k, v, k^\star, v^\star` is
positive semidefinite up to rounding, and singular on the boundary of the feasible set.

>>> from hypothesis import given, settings
>>> from slrsym.papers import single_location
>>> @settings(max_examples=10, database=None, derandomize=True)
... @given(overlaps(), inverse_temperatures(), tasks())
... def no_predictor_beats_the_noise(state, lam, task):
...     assert single_location.risk(state, lam, task) >= task.epsilon**2
>>> no_predictor_beats_the_noise()

"""

from __future__ import annotations

import itertools
import math

import numpy as np
from numpy.typing import NDArray

from slrsym.kernels.arguments import require_integer, require_positive
from slrsym.papers.single_location.task import OrderParameters, Task

try:
    from hypothesis import strategies as st
    from hypothesis.strategies import SearchStrategy
except ModuleNotFoundError as missing:
    if missing.name != "hypothesis":
        raise
    raise ImportError(
        "the strategies need Hypothesis; install it by pip install 'slrsym[test]', or by itself by "
        "pip install hypothesis",
        name="hypothesis",
    ) from missing

__all__ = [
    "corner_overlaps",
    "inverse_temperatures",
    "log_uniform",
    "manifold_overlaps",
    "overlaps",
    "schedules",
    "step_sizes",
    "tasks",
]


# -- numbers -----------------------------------------------------------------------------------


def log_uniform(least: float, most: float) -> SearchStrategy[float]:
    """Return a Hypothesis strategy for positive numbers, uniform on a logarithmic scale.

    Parameters
    ----------
    least, most : float
        The ends, both included.

    Returns
    -------
    SearchStrategy of float

    Raises
    ------
    ValueError
        If the ends are not positive and finite, or in the wrong order.
    """
    _ends("least", least, "most", most)
    low, high = math.log(least), math.log(most)
    return st.floats(low, high).map(lambda x: min(max(math.exp(x), least), most))


def _whole_numbers(least: int, most: int) -> SearchStrategy[int]:
    """Return a Hypothesis strategy for integers between bounds, small ones more often."""
    small = st.integers(least, min(least + 3, most))
    return st.one_of(small, log_uniform(least, most).map(round))


def inverse_temperatures(least: float = 1e-3, most: float = 10.0) -> SearchStrategy[float]:
    r"""Return a Hypothesis strategy for inverse temperatures over orders of magnitude.

    Parameters
    ----------
    least, most : float, optional
        The ends.

    Returns
    -------
    SearchStrategy of float

    Raises
    ------
    ValueError
        If the ends are not positive and finite, or in the wrong order.
    """
    return log_uniform(least, most)


def step_sizes(least: float = 1e-6, most: float = 1e3) -> SearchStrategy[float]:
    r"""Return a Hypothesis strategy for step sizes, from very small to unstable.

    Parameters
    ----------
    least, most : float, optional
        The ends.

    Returns
    -------
    SearchStrategy of float

    Raises
    ------
    ValueError
        If the ends are not positive and finite, or in the wrong order.
    """
    return log_uniform(least, most)


def schedules(
    most_steps: int = 10, least: float = 1e-3, most: float = 10.0
) -> SearchStrategy[NDArray[np.float64]]:
    r"""Return a Hypothesis strategy for arrays of inverse temperatures, one per step.

    Parameters
    ----------
    most_steps : int, optional
        How many at most; there is one at least.
    least, most : float, optional
        The ends of the inverse temperatures.

    Returns
    -------
    SearchStrategy of ndarray

    Raises
    ------
    ValueError
        If the ends are not positive and finite, or in the wrong order, or there are to be no steps.
    """
    count = st.integers(1, require_integer("most_steps", most_steps, 1))
    any_order = st.lists(inverse_temperatures(least, most), min_size=1, max_size=most_steps)
    constant = st.builds(np.full, count, inverse_temperatures(least, most))
    falling = any_order.map(lambda values: sorted(values, reverse=True))
    return st.one_of(constant, st.one_of(any_order, falling).map(np.array))


# -- tasks -------------------------------------------------------------------------------------


def tasks(
    d: tuple[int, int] = (2, 10**7),
    L: tuple[int, int] = (1, 10**4),
    gamma: tuple[float, float] = (0.05, 5.0),
    epsilon: tuple[float, float] = (1e-3, 10.0),
) -> SearchStrategy[Task]:
    """Return a Hypothesis strategy for tasks with parameters in given ranges.

    Parameters
    ----------
    d : tuple of int, optional
        The least and the largest dimension.
    L : tuple of int, optional
        The least and the largest number of tokens.
    gamma : tuple of float, optional
        The ends of the standard deviation of the informative token.
    epsilon : tuple of float, optional
        The ends of that of the noise, where there is any.

    Returns
    -------
    SearchStrategy of Task

    Raises
    ------
    ValueError
        If no task has such parameters, or ends are in the wrong order.
    """
    for name, (low, high), least in (("d", d, 2), ("L", L, 1)):
        require_integer(name, low, least)
        require_integer(name, high, least)
        _ends(f"the least {name}", low, f"the largest {name}", high)
    return st.builds(
        Task,
        d=_whole_numbers(*d),
        L=_whole_numbers(*L),
        gamma=log_uniform(*gamma),
        epsilon=st.one_of(st.just(0.0), log_uniform(*epsilon)),
    )


# -- overlaps ----------------------------------------------------------------------------------


def overlaps(dimension: int = 4) -> SearchStrategy[OrderParameters]:
    r"""Return a Hypothesis strategy for feasible overlaps, also on or near the boundary.

    Parameters
    ----------
    dimension : int, optional
        Of the vectors, at least 2; beyond 4 it makes no difference. In fewer dimensions all
        overlaps are on the boundary.

    Returns
    -------
    SearchStrategy of OrderParameters

    Raises
    ------
    ValueError
        If the dimension is no integer of at least 2.
    """
    rank = min(4, require_integer("dimension", dimension, 2))
    coordinates = st.tuples(*[_coordinates(count) for count in (min(rank, 3), rank)])
    # How far k and v reach out of the planes that make the Gram matrix singular.
    reach = st.one_of(st.just(1.0), st.just(0.0), st.integers(1, 16).map(lambda n: 10.0**-n))
    generic = st.builds(_overlaps_of, coordinates, reach, reach)
    return st.one_of(generic, corner_overlaps(dimension), manifold_overlaps(dimension))


def _coordinates(count: int) -> SearchStrategy[list[float]]:
    """Return a Hypothesis strategy for coordinates of nonzero vectors, k* and v* first.

    A vector that is too short to be made a unit vector keeps a length in that plane.
    """
    numbers = st.floats(-1.0, 1.0)
    return st.lists(numbers, min_size=count, max_size=count).map(
        lambda x: x if math.hypot(*x[:2]) > 1e-6 else [1.0, *x[1:]]
    )


def _overlaps_of(
    coordinates: tuple[list[float], list[float]], k_reach: float, v_reach: float
) -> OrderParameters:
    k, v = np.zeros(4), np.zeros(4)
    for x, numbers in ((k, coordinates[0]), (v, coordinates[1])):
        x[: len(numbers)] = numbers
    # Beyond the plane of k* and v* for k, and beyond the space that k adds for v.
    k[2] *= k_reach
    v[3] *= v_reach
    if k_reach == 0:
        v[2] *= v_reach
    return _as_overlaps(k / np.linalg.norm(k), v / np.linalg.norm(v))


def _as_overlaps(k: NDArray[np.float64], v: NDArray[np.float64]) -> OrderParameters:
    numbers = np.clip([k[0], v[1], v[0], k[1], k @ v], -1, 1)
    return OrderParameters(*numbers.tolist())


def manifold_overlaps(dimension: int = 4) -> SearchStrategy[OrderParameters]:
    r"""Return a Hypothesis strategy for overlaps with theta = eta = rho = 0.

    Parameters
    ----------
    dimension : int, optional
        Of the vectors, at least 2. In three dimensions k is :math:`\pm k^\star` or v is
        :math:`\pm v^\star`, in two both are.

    Returns
    -------
    SearchStrategy of OrderParameters

    Raises
    ------
    ValueError
        If the dimension is no integer of at least 2.
    """
    rank = require_integer("dimension", dimension, 2)
    end = st.sampled_from([1.0, -1.0])
    close = st.builds(lambda sign, n: sign * (1 - 10.0**-n), end, st.integers(1, 15))
    tiny = st.builds(lambda sign, n: sign * 10.0**-n, end, st.integers(1, 300))
    anywhere = st.one_of(st.floats(-1.0, 1.0), st.just(0.0), end, close, tiny)
    pairs = {2: st.tuples(end, end), 3: st.tuples(anywhere, end) | st.tuples(end, anywhere)}
    both = pairs.get(rank, st.tuples(anywhere, anywhere))
    return both.map(lambda pair: OrderParameters(pair[0], pair[1], 0.0, 0.0, 0.0))


def corner_overlaps(dimension: int = 4) -> SearchStrategy[OrderParameters]:
    r"""Return a Hypothesis strategy for overlaps in {-1, 0, 1}, as of fixed points.

    Parameters
    ----------
    dimension : int, optional
        Of the vectors, at least 2; the more, the more of them can be orthogonal.

    Returns
    -------
    SearchStrategy of OrderParameters

    Raises
    ------
    ValueError
        If the dimension is no integer of at least 2.
    """
    rank = min(4, require_integer("dimension", dimension, 2))
    axes = [sign * axis for axis in np.eye(rank, 4) for sign in (1, -1)]
    found = {_as_overlaps(k, v) for k, v in itertools.product(axes, axes)}
    # Zeros without a sign, and the simplest first.
    plain = {OrderParameters(*(x + 0.0 for x in state)) for state in found}
    return st.sampled_from(sorted(plain, key=lambda state: ([abs(x) for x in state], state)))


def _ends(low_name: str, low: float, high_name: str, high: float) -> None:
    if require_positive(low_name, low) > require_positive(high_name, high):
        raise ValueError(f"{low_name} must be at most {high_name}; got {low!r} and {high!r}")

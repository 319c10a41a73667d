"""States and tasks of the whole domain, what is exact there, and which backends there are."""

import importlib.util
import os
from functools import cache

import mpmath
import numpy as np
import pytest
from sympy import lambdify

from slrsym.papers.single_location.notation import ORDER_PARAMETERS, L, d, epsilon, gamma, lam
from slrsym.papers.single_location.symbolic import risk_closed_form
from slrsym.papers.single_location.task import Task
from tests._profile import more

EPS = 2.0**-53
INPUTS = (*ORDER_PARAMETERS, lam, gamma, d, L)

needs_numba = pytest.mark.skipif(
    importlib.util.find_spec("numba") is None, reason="needs numba: pip install numba"
)
needs_jax = pytest.mark.skipif(
    importlib.util.find_spec("jax") is None, reason="needs JAX: pip install 'slrsym[jax]'"
)
# JAX reads it when it is imported.
os.environ.setdefault("JAX_ENABLE_X64", "1")
ARRAY_BACKENDS = ["numpy", pytest.param("numba", marks=needs_numba)]
BACKENDS = [*ARRAY_BACKENDS, "mpmath", "ball", pytest.param("jax", marks=[needs_jax, more])]

# Their names, where all of them are tried in one test.
INSTALLED = [
    name for name, module in (
        ("numpy", "numpy"), ("numba", "numba"), ("mpmath", "mpmath"), ("ball", "flint"),
        ("jax", "jax"),
    ) if importlib.util.find_spec(module) is not None
]  # fmt: skip

KINDS = ["anywhere", "near", "swap", "manifold", "corner"]


@cache
def reference(order):
    """The excess risk or its gradient at arbitrary precision, as derived, with Owen's T."""
    expr = risk_closed_form().subs(epsilon, 0)
    outputs = [expr] if order == 0 else [expr.diff(p) for p in ORDER_PARAMETERS]
    return lambdify(INPUTS, outputs, modules="mpmath", cse=True)


def exact(order, inputs, digits=30):
    """The reference to some digits of its largest entry, or 0 where it is below 1e-400.

    The closed form cancels without bound near the oracle: digits are added until two agree.
    """
    dps = 40
    while True:
        with mpmath.workdps(dps):
            first = reference(order)(*inputs)
        with mpmath.workdps(dps + 30):
            second = reference(order)(*inputs)
            size = max(map(abs, second))
            error = max(abs(x - y) for x, y in zip(first, second, strict=True))
            if error <= size * mpmath.mpf(10) ** -digits and size:
                return second
            if error < mpmath.mpf(10) ** -400:
                return [mpmath.mpf(0)] * len(second)
        dps *= 2


def conditioning(order, inputs, values):
    """How far relative changes of the inputs move the result, relative to its largest entry.

    The sum over inputs, each of which is a rounded number.
    """
    step = mpmath.mpf(10) ** -20
    size = max(map(abs, values))
    total = mpmath.mpf(0)
    for i, x in enumerate(inputs):
        if x != 0:
            with mpmath.workdps(60):
                moved = [*inputs[:i], x * (1 + step), *inputs[i + 1 :]]
            near = exact(order, moved, digits=45)
            with mpmath.workdps(60):
                total += max(abs(a - b) for a, b in zip(near, values, strict=True)) / step / size
    return total


def feasible(rng, kind):
    """Overlaps of unit vectors: anywhere, near the corner, at a swap point, on M, at a corner."""
    k, v = rng.normal(size=4), rng.normal(size=4)
    if kind == "near":
        k = np.eye(4)[0] + 10 ** rng.uniform(-8, 0) * k
        v = np.eye(4)[1] + 10 ** rng.uniform(-8, 0) * v
    if kind == "swap":
        k, v[0], v[1:] = np.eye(4)[1], rng.uniform(-1, 1), [0.0, 0.0, 0.0]
        v[3] = np.sqrt(1 - v[0] ** 2)
    k, v = k / np.linalg.norm(k), v / np.linalg.norm(v)
    state = np.array([k[0], v[1], v[0], k[1], k @ v])
    if kind == "manifold":
        state[2:] = 0
    if kind == "corner":
        state = np.array([rng.choice([-1, 1]), rng.choice([-1, 1]), 0, 0, 0], dtype=float)
    return state


def setting(rng):
    """An inverse temperature and a task, from the whole domain."""
    span = lambda low, high: float(np.exp(rng.uniform(np.log(low), np.log(high))))  # noqa: E731
    tokens = 1 if rng.random() < 0.2 else round(span(1, 1e4))
    return span(1e-3, 10), Task(round(span(2, 1e7)), tokens, span(0.05, 5))


def numbers(state, inverse_temperature, task):
    """The inputs of the reference, exactly as they are in double precision."""
    return [mpmath.mpf(float(x)) for x in (*state, inverse_temperature, task.gamma, task.d, task.L)]

"""Figure 4a, whole, beside the ways one would write it today; all in one run, one after the other.

Run ``python benchmarks/dynamics.py [--steps N] [--only NAME ...]``. It makes an environment of its
own in ``benchmarks/.venv``, with slrsym and JAX. Each contestant has a process of its own;
compilation is timed apart. The table gives seconds and ratios to slrsym with Numba.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
import venv
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
RUNS, STEPS, EVERY = 30, 120_000, 400
D, L, GAMMA2, ALPHA = 400, 10, 0.5, 4e-3


def temperature(step: Any) -> Any:
    """The schedule of figure 4a."""
    return 1 / (1 + 1e-4 * step)


# -- slrsym ------------------------------------------------------------------------------------


def _ours(backend: str, dynamics: str = "overlaps", d: int = D) -> Callable[[int], Any]:
    from slrsym import Task, simulate
    from slrsym.dynamics import Inverse, Sphere

    task, start = Task(d, L, GAMMA2**0.5), Sphere(RUNS)

    def run(steps: int) -> Any:
        return simulate(
            task, start, Inverse(1, 1e-4), ALPHA, steps, EVERY, backend, dynamics=dynamics
        )

    run(1)
    return run


# -- JAX ---------------------------------------------------------------------------------------


def _jax_step() -> tuple[Any, Any, Callable[..., Any]]:
    """Definition 1 by automatic differentiation of the closed form, in float32."""
    import jax
    import jax.numpy as jnp
    import numpy as np
    from jax.scipy.special import erf

    nodes, weights = (jnp.asarray(x, jnp.float32) for x in np.polynomial.hermite.hermgauss(20))

    def bell(x: Any) -> Any:
        return 2 / jnp.sqrt(jnp.pi) * jnp.exp(-x * x)

    def zeta(t: Any, s: Any) -> Any:
        return jnp.sum(weights * erf(t + jnp.sqrt(2.0) * s * nodes) ** 2) / jnp.sqrt(jnp.pi)

    def slope(t: Any, s: Any) -> Any:
        wide, narrow = jnp.sqrt(1 + 2 * s * s), jnp.sqrt(1 + 4 * s * s)
        return 2 * erf(t / (wide * narrow)) * bell(t / wide) / wide

    def risk(k: Any, v: Any, k_star: Any, v_star: Any, lam: Any) -> Any:
        kappa, nu, theta, eta, rho = k @ k_star, v @ v_star, v @ k_star, k @ v_star, k @ v
        s, root = lam * GAMMA2**0.5, jnp.sqrt(D / 2)
        t, wide = lam * root * kappa, jnp.sqrt(1 + 2 * s * s)
        a = t / wide
        c = 2 * lam / jnp.sqrt(jnp.pi * (1 + 2 * lam**2))
        mixed = (
            nu * erf(a)
            + lam * root * eta * theta * bell(a) / wide
            - 2 * s * s * eta * rho * a * bell(a) / wide**2
        )
        others = zeta(0.0, lam) + 8 / jnp.pi * lam**2 * rho**2 / (
            (1 + 2 * lam**2) * jnp.sqrt(1 + 4 * lam**2)
        )
        return (
            GAMMA2
            - 2 * GAMMA2 * mixed
            + (D / 2 * theta**2 + GAMMA2) * zeta(t, s)
            + 2 * lam * GAMMA2 * root * theta * rho * slope(t, s)
            + lam**2 * GAMMA2**2 * rho**2 * jax.grad(slope)(t, s)
            + (L - 1) * others
            + (L - 1) * (L - 2) * c**2 * rho**2
            + 2 * (L - 1) * c * rho * (root * theta * erf(a) + lam * GAMMA2 * rho * bell(a) / wide)
        )

    def step(k: Any, v: Any, k_star: Any, v_star: Any, lam: Any) -> Any:
        k_slope, v_slope = jax.grad(risk, (0, 1))(k, v, k_star, v_star, lam)
        k = k - ALPHA * (k_slope - (k @ k_slope) * k)
        v = v - ALPHA * (v_slope - (v @ v_slope) * v)
        return k / jnp.linalg.norm(k), v / jnp.linalg.norm(v)

    k, v, a, b = (
        jax.random.normal(key, (RUNS, D)) for key in jax.random.split(jax.random.PRNGKey(0), 4)
    )
    b = b - jnp.sum(a * b, 1, keepdims=True) / jnp.sum(a * a, 1, keepdims=True) * a
    start = tuple(x / jnp.linalg.norm(x, axis=1, keepdims=True) for x in (k, v, a, b))
    return start, jax.vmap(step, in_axes=(0, 0, 0, 0, None)), jax.vmap(risk, (0, 0, 0, 0, None))


def _jax_scan(steps: int) -> Callable[[int], Any]:
    import jax
    import jax.numpy as jnp

    start, step, risk = _jax_step()
    k_star, v_star = start[2:]

    def inner(state: Any, t: Any) -> Any:
        return step(*state, k_star, v_star, temperature(t)), None

    def outer(state: Any, ts: Any) -> Any:
        logged = (*state, risk(*state, k_star, v_star, temperature(ts[0])))
        return jax.lax.scan(inner, state, ts)[0], logged

    ts = jnp.arange(steps, dtype=jnp.float32).reshape(-1, EVERY)
    whole = jax.jit(lambda state, ts: jax.lax.scan(outer, state, ts))
    compiled = whole.lower(start[:2], ts).compile()
    return lambda _: jax.block_until_ready(compiled(start[:2], ts))


def _jax_loop(steps: int) -> Callable[[int], Any]:
    import jax

    start, step, risk = _jax_step()
    k_star, v_star = start[2:]
    fast, fast_risk = jax.jit(step), jax.jit(risk)
    jax.block_until_ready(fast(*start, 1.0))
    jax.block_until_ready(fast_risk(*start, 1.0))

    def run(steps: int) -> Any:
        state, logged = start[:2], []
        for t in range(steps):
            if t % EVERY == 0:
                logged.append((*state, fast_risk(*state, k_star, v_star, temperature(t))))
            state = fast(*state, k_star, v_star, temperature(t))
        return jax.block_until_ready((state, logged))

    return run


CONTESTANTS: dict[str, tuple[str, Callable[[int], Callable[[int], Any]]]] = {
    "numba": ("slrsym, five overlaps, Numba", lambda n: _ours("numba")),
    "numba-d": ("the same, d = 10^9", lambda n: _ours("numba", d=10**9)),
    "numpy": ("slrsym, five overlaps, NumPy", lambda n: _ours("numpy")),
    "vectors": ("slrsym, vectors in R^400, NumPy", lambda n: _ours("numpy", "vectors")),
    "jax-scan": ("JAX, autodiff, jit + scan + vmap, float32", _jax_scan),
    "jax-loop": ("JAX, autodiff, a jitted call a step, float32", _jax_loop),
}


# -- the table ---------------------------------------------------------------------------------


def _python() -> Path:
    """The interpreter of the benchmark's own environment, made if there is none."""
    folder = HERE / ".venv"
    python = folder / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
        pip = [
            python,
            "-m",
            "pip",
            "install",
            "--quiet",
            "--editable",
            f"{HERE.parent}[fast]",
            "jax",
        ]
        subprocess.run(pip, check=True)
    return python


def _measured(name: str, steps: int) -> None:
    began = time.perf_counter()
    run = CONTESTANTS[name][1](steps)
    ready = time.perf_counter()
    run(steps)
    print(json.dumps([ready - began, time.perf_counter() - ready]))


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=STEPS, help="a multiple of 400")
    parser.add_argument("--only", nargs="+", choices=CONTESTANTS, default=list(CONTESTANTS))
    parser.add_argument("--measure", choices=CONTESTANTS, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.measure:
        _measured(given.measure, given.steps)
        return
    print(f"Figure 4a: {RUNS} runs x {given.steps:,} steps, logged every {EVERY}\n")
    print(f"{'':46} {'ready (s)':>10} {'run (s)':>10} {'ratio':>8}")
    reference = None
    for name in given.only:
        call = [_python(), __file__, "--measure", name, "--steps", str(given.steps)]
        output = subprocess.run(call, check=True, stdout=subprocess.PIPE, text=True).stdout
        ready, seconds = json.loads(output.splitlines()[-1])
        reference = reference or seconds
        row = f"{CONTESTANTS[name][0]:46} {ready:10.2f} {seconds:10.2f} {seconds / reference:8.1f}"
        print(row, flush=True)
    print("\nready: imports, derivation and compilation; ratio: to the first row")


if __name__ == "__main__":
    main()

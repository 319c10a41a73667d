"""Figures 4a and 5, whole, beside the ways one would write them today; one after the other.

Run ``python benchmarks/dynamics.py [--figure 5] [--steps N] [--only NAME ...]``. If JAX is not
installed, it makes an environment of its own in ``benchmarks/.venv``, with slrsym and JAX. JAX
takes the same step, and steps of the vectors, as one writes them without slrsym.
Each contestant has a process of its own; compilation is timed apart. The table gives seconds, also
those of all cores together, the most memory, and ratios to slrsym with Numba, of either; below it
stands what the machine would allow: the instructions of a step that compute several numbers, at the
measured speed of such instructions, and how much else the machine did meanwhile. With figure 4a
there is a table of single gradients and steps, too, in processor time of one core. ``--write`` puts
both tables into docs/explanation/speed.md; ``--only gradients`` makes the second alone, in half a
minute. In figure 5, what draws whole tokens makes one run of the thirty, and is compared by the
run.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
RUNS, STEPS, EVERY = 30, 120_000, 400
D, L, GAMMA2, ALPHA = 400, 10, 0.5, 4e-3

# Figure 5.
SAMPLED_STEPS, SAMPLED_EVERY, BATCH = 200_000, 500, 5
SAMPLED_D, SAMPLED_ALPHA, EPSILON = 80, 1e-3, 0.1


def inverse_temperature(step: Any) -> Any:
    """Return the inverse temperature of figure 4a at a step."""
    return 1 / (1 + 1e-4 * step)


# -- slrsym ------------------------------------------------------------------------------------


def _ours(backend: str, d: int = D) -> Callable[[int], Any]:
    from slrsym.papers.single_location import Task, simulate
    from slrsym.papers.single_location.dynamics import InverseTimeDecay, UniformStart

    task, start = Task(d, L, GAMMA2**0.5), UniformStart(RUNS)

    def run(steps: int) -> Any:
        return simulate(task, start, InverseTimeDecay(1, 1e-4), ALPHA, steps, EVERY, backend)

    run(1)
    return run


def _ours_sampled(backend: str, d: int = SAMPLED_D) -> Callable[[int], Any]:
    from slrsym.papers.single_location import Task, simulate
    from slrsym.papers.single_location.dynamics import InverseTimeDecay, UniformStart

    task, start = Task(d, L, GAMMA2**0.5, EPSILON), UniformStart(RUNS)
    # In high dimension the same step would throw the state about; the work is the same.
    alpha = SAMPLED_ALPHA * SAMPLED_D / d

    def run(steps: int) -> Any:
        return simulate(
            task,
            start,
            InverseTimeDecay(2, 1e-4),
            alpha,
            steps,
            SAMPLED_EVERY,
            backend,
            batch=BATCH,
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


def _jax_overlaps(steps: int) -> Callable[[int], Any]:
    """Compile the step that slrsym takes by JAX, in float64."""
    import jax
    import jax.numpy as jnp

    from slrsym.kernels.compile import compile_program
    from slrsym.papers.single_location import Task
    from slrsym.papers.single_location.dynamics import UniformStart
    from slrsym.papers.single_location.dynamics.engines import COORDINATES, vectors_of_start
    from slrsym.papers.single_location.step_programs import descent_step_program

    jax.config.update("jax_enable_x64", True)
    task = Task(D, L, GAMMA2**0.5)
    step = compile_program(descent_step_program(False), "jax")
    gamma, d, tokens, epsilon = task.kernel_parameters

    def inner(state: Any, t: Any) -> Any:
        return step(state, tokens, d, epsilon, gamma, inverse_temperature(t), ALPHA), None

    def outer(state: Any, ts: Any) -> Any:
        return jax.lax.scan(inner, state, ts)[0], state

    points = vectors_of_start(UniformStart(RUNS).overlaps(task), D)
    start = jnp.asarray(points.reshape(RUNS, 8)[:, COORDINATES[False]])
    ts = jnp.arange(steps, dtype=jnp.float64).reshape(-1, EVERY)
    whole = jax.jit(lambda state, ts: jax.lax.scan(outer, state, ts))
    compiled = whole.lower(start, ts).compile()
    return lambda _: jax.block_until_ready(compiled(start, ts))


def _jax_scan(steps: int) -> Callable[[int], Any]:
    import jax
    import jax.numpy as jnp

    start, step, risk = _jax_step()
    k_star, v_star = start[2:]

    def inner(state: Any, t: Any) -> Any:
        return step(*state, k_star, v_star, inverse_temperature(t)), None

    def outer(state: Any, ts: Any) -> Any:
        logged = (*state, risk(*state, k_star, v_star, inverse_temperature(ts[0])))
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
                logged.append((*state, fast_risk(*state, k_star, v_star, inverse_temperature(t))))
            state = fast(*state, k_star, v_star, inverse_temperature(t))
        return jax.block_until_ready((state, logged))

    return run


def _jax_sampled(steps: int) -> Callable[[int], Any]:
    """One run of figure 5: a jitted call a step, which draws the tokens; in float32."""
    import jax
    import jax.numpy as jnp
    from jax.scipy.special import erf

    d, gamma = SAMPLED_D, GAMMA2**0.5
    keys = jax.random.split(jax.random.PRNGKey(0), 5)
    k, v, a, b = (
        x / jnp.linalg.norm(x) for x in (jax.random.normal(key, (d,)) for key in keys[:4])
    )
    b = b - (a @ b) * a
    k_star, v_star = a, b / jnp.linalg.norm(b)

    def loss(k: Any, v: Any, x: Any, y: Any, lam: Any) -> Any:
        return jnp.mean((jnp.sum(erf(lam * (x @ k)) * (x @ v), axis=1) - y) ** 2)

    @jax.jit
    def step(k: Any, v: Any, key: Any, lam: Any) -> Any:
        key, one, two, three = jax.random.split(key, 4)
        x = jax.random.normal(one, (BATCH, L, d))
        where = jax.random.randint(two, (BATCH,), 0, L)
        row = jnp.arange(BATCH)
        informative = gamma * x[row, where] + jnp.sqrt(d / 2) * k_star
        x = x.at[row, where].set(informative)
        y = informative @ v_star + EPSILON * jax.random.normal(three, (BATCH,))
        k_slope, v_slope = jax.grad(loss, (0, 1))(k, v, x, y, lam)
        k = k - SAMPLED_ALPHA * (k_slope - (k @ k_slope) * k)
        v = v - SAMPLED_ALPHA * (v_slope - (v @ v_slope) * v)
        return k / jnp.linalg.norm(k), v / jnp.linalg.norm(v), key

    jax.block_until_ready(step(k, v, keys[4], 1.0))

    def run(steps: int) -> Any:
        state, logged = (k, v, keys[4]), []
        for t in range(steps):
            if t % SAMPLED_EVERY == 0:
                logged.append(state[:2])
            state = step(*state, 2 / (1 + 1e-4 * t))
        return jax.block_until_ready((state, logged))

    return run


Contestants = dict[str, tuple[str, Callable[[int], Callable[[int], Any]], int]]

LAW: Contestants = {
    "numba": ("slrsym, Numba", lambda n: _ours("numba"), RUNS),
    "numba-d": ("the same, d = 10^9", lambda n: _ours("numba", d=10**9), RUNS),
    "numpy": ("slrsym, NumPy", lambda n: _ours("numpy"), RUNS),
    "jax-overlaps": ("JAX, the same step, jit + scan", _jax_overlaps, RUNS),
    "jax-scan": ("JAX, vectors in R^400, jit + scan + vmap, float32", _jax_scan, RUNS),
    "jax-loop": ("JAX, vectors in R^400, a jitted call a step, float32", _jax_loop, RUNS),
}

SAMPLED: Contestants = {
    "numba": ("slrsym, five overlaps, Numba", lambda n: _ours_sampled("numba"), RUNS),
    "numba-d": ("the same, d = 10^6", lambda n: _ours_sampled("numba", 10**6), RUNS),
    "numpy": ("slrsym, five overlaps, NumPy", lambda n: _ours_sampled("numpy"), RUNS),
    "jax-loop": ("JAX, whole tokens, a jitted call a step", _jax_sampled, 1),
}

FIGURES = {"4a": (LAW, STEPS, EVERY), "5": (SAMPLED, SAMPLED_STEPS, SAMPLED_EVERY)}


# -- the table ---------------------------------------------------------------------------------


def _python() -> Path:
    """Return an interpreter with JAX: this one, or of an environment made on the first call."""
    if find_spec("jax") is not None:
        return Path(sys.executable)
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
            str(HERE.parent),
            "jax",
        ]
        subprocess.run(pip, check=True)
    return python


def _measured(figure: str, name: str, steps: int) -> None:
    began = time.perf_counter()
    run = FIGURES[figure][0][name][1](steps)
    ready, ready_cpu = time.perf_counter(), time.process_time()
    run(steps)
    seconds, cpu = time.perf_counter() - ready, time.process_time() - ready_cpu
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps([ready - began, seconds, cpu, memory]))


def _least(call: Callable[[], Any], times: int = 20) -> float:
    """Seconds of the processor: the least of some calls."""
    found = []
    for _ in range(times):
        began = time.process_time()
        call()
        found.append(time.process_time() - began)
    return min(found)


def _singles() -> list[tuple[str, float]]:
    """Nanoseconds of a gradient, kappa uniform, and of a step of a run, on one core."""
    import numpy as np

    from slrsym.papers.single_location import Task, gradient
    from slrsym.papers.single_location.dynamics import InverseTimeDecay, UniformStart
    from slrsym.papers.single_location.dynamics.engines import (
        BatchTaskEngine,
        TaskEngine,
        vectors_of_start,
    )

    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    task, sampled = Task(D, L, GAMMA2**0.5), Task(SAMPLED_D, L, GAMMA2**0.5, EPSILON)
    states = np.zeros((1_000_000, 5))
    states[:, 0] = np.random.default_rng(0).uniform(-1, 1, len(states))
    found = []
    for backend, title in (("numba", "Numba"), ("numpy", "NumPy")):
        for lam in (0.1, 0.9):
            seconds = _least(lambda: gradient(states, lam, task, backend))  # noqa: B023
            found.append((f"a gradient, {title}, lambda = {lam}", 1e9 * seconds / len(states)))
    at, start = np.arange(2000), UniformStart(RUNS).overlaps(task)
    points = vectors_of_start(start, D)
    numba, numpy = (TaskEngine(points, task, ALPHA, backend) for backend in ("numba", "numpy"))
    walk = BatchTaskEngine(points, sampled, SAMPLED_ALPHA, BATCH, "numba")
    for title, engine, schedule in (
        ("a step of figure 4a, Numba", numba, InverseTimeDecay(1, 1e-4)),
        ("a step of figure 4a, NumPy", numpy, InverseTimeDecay(1, 1e-4)),
        ("a step of figure 5, Numba", walk, InverseTimeDecay(2, 1e-4)),
    ):
        lam = schedule(at)
        engine.advance(lam, len(at))
        seconds = _least(lambda: engine.advance(lam, len(at)), 5)  # noqa: B023
        found.append((title, 1e9 * seconds / (len(at) * RUNS)))
    return found


PAGE = HERE.parent / "docs" / "explanation" / "speed.md"


def write_table(head: str, rows: list[str]) -> None:
    """Put other rows into the table of that head of the page on speed."""
    before, found, after = PAGE.read_text(encoding="utf-8").partition(f"{head}\n")
    if not found:
        raise SystemExit(f"{PAGE} has no table {head!r}")
    rest = after.partition("\n\n")[2]
    PAGE.write_text("\n".join([before + head, *rows]) + "\n\n" + rest, encoding="utf-8")


_PACKED = r"\tv(?:fn?m|add|sub|mul|div|sqrt|max|min)\w*pd\s.*%[yz]mm"


def _limit(steps: int) -> tuple[float, int, float, float]:
    """Seconds on one core; packed instructions of a step; nanoseconds of one, and of an exp."""
    import numpy as np
    from numba import njit
    from sympy import Symbol, exp

    from slrsym.kernels import compile_expressions
    from slrsym.papers.single_location.dynamics.engines import compiled_steps

    chains = "".join(f"        x{k} = x{k} * 0.999 + 1e-3\n" * 16 for k in range(8))
    source = "def work(x, n):\n  for _ in range(n):\n    for i in range(x.shape[1]):\n"
    source += "".join(f"        x{k} = x[{k}, i]\n" for k in range(8)) + chains
    source += "        x[0, i] = " + " + ".join(f"x{k}" for k in range(8)) + "\n"
    scope: dict[str, Any] = {}
    exec(source, scope)
    work = njit(fastmath={"contract"})(scope["work"])
    numbers = np.ones((8, 64))
    work(numbers, 1)

    fma = _least(lambda: work(numbers, 2000)) / (2000 * 64 * 128)
    x = Symbol("x", real=True)
    function, many = compile_expressions([exp(x)], [x], [], "numba"), np.ones((200_000, 1))
    function(many)
    one_exp = _least(lambda: function(many)) / len(many)
    texts = compiled_steps(False).loop.inspect_asm().values()
    packed = max((len(re.findall(_PACKED, text)) for text in texts), default=0)
    return packed * fma * RUNS * steps, packed, fma * 1e9, one_exp * 1e9


def _apart(figure: str, name: str, steps: int) -> list[Any]:
    """Measure in a process of its own."""
    python = _python() if name.startswith("jax") else sys.executable
    call = [python, __file__, "--figure", figure, "--measure", name, "--steps", str(steps)]
    output = subprocess.run(call, check=True, stdout=subprocess.PIPE, text=True).stdout
    found: list[Any] = json.loads(output.splitlines()[-1])
    return found


def main() -> None:
    """Measure, and print the table."""
    names = list(LAW)
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--figure", choices=FIGURES, default="4a")
    parser.add_argument("--steps", type=int, help="fewer; a multiple of 2000")
    parser.add_argument("--only", nargs="+", choices=[*names, "gradients"], default=names)
    parser.add_argument("--write", action="store_true", help="the page of the documentation, too")
    parser.add_argument("--measure", choices=[*names, "limit", "singles"], help=argparse.SUPPRESS)
    given = parser.parse_args()
    contestants, whole, every = FIGURES[given.figure]
    steps = given.steps or whole
    if given.measure == "limit":
        # Machine code that comes from disk cannot be read.
        with tempfile.TemporaryDirectory() as folder:
            os.environ["SLRSYM_CACHE_DIR"] = folder
            _ours("numba")
            print(json.dumps(_limit(steps)))
        return
    if given.measure == "singles":
        print(json.dumps(_singles()))
        return
    if given.measure:
        _measured(given.figure, given.measure, steps)
        return
    if given.only != ["gradients"]:
        print(f"Figure {given.figure}: {RUNS} runs x {steps:,} steps, logged every {every}\n")
        head = f"{'':52} {'runs':>5} {'ready (s)':>10} {'run (s)':>9}"
        print(f"{head} {'CPU (s)':>8} {'MB':>5} {'ratio':>7} {'of CPU':>7}")
    rows: list[str] = []
    reference: list[float] = []
    for name in given.only:
        if name not in contestants:
            continue
        title, _, runs = contestants[name]
        ready, seconds, cpu, memory = _apart(given.figure, name, steps)
        reference = reference or [seconds / runs, cpu / runs]
        ratios = [x / runs / y for x, y in zip((seconds, cpu), reference, strict=True)]
        print(
            f"{title:52} {runs:5} {ready:10.2f} {seconds:9.2f}",
            f"{cpu:8.2f} {memory:5.0f} {ratios[0]:7.1f} {ratios[1]:7.1f}",
            flush=True,
        )
        numbers = (f"{seconds:.2f}", f"{cpu:.2f}", f"{memory:.0f}", *(f"{x:.1f}" for x in ratios))
        rows.append(f"| {title} | {' | '.join(numbers)} |")
    if rows:
        print(
            "\nready: imports, derivation, compilation; ratio: of seconds a run, to the first row"
        )
    if given.figure == "4a":
        least, packed, fma, one_exp = _apart(given.figure, "limit", steps)
        limit = (
            f"The machine would allow {least:.2f} s of one core: {packed:.0f} instructions a step "
            f"that compute several numbers, at {fma:.3f} ns a number; an exponential takes "
            f"{one_exp:.2f} ns."
        )
        load = (
            f"Other work meanwhile: {os.getloadavg()[1]:.1f} processes on {os.cpu_count()} cores."
        )
        print(limit, load, sep="\n")
        singles = _apart(given.figure, "singles", steps)
        print(*(f"{title:52} {ns:8.0f} ns" for title, ns in singles), sep="\n")
        if given.write:
            singles.append(["one multiplication and addition of a vector, a number", fma])
            singles.append(["one exponential of a vector, a number", one_exp])
            table = [f"| {t} | {round(ns) if ns > 10 else f'{ns:.2g}'} |" for t, ns in singles]
            write_table("| work | ns |\n|---|---|", [*table, f"| {load.rstrip('.')} | |"])
            if rows:
                head = "| program | s | s of all cores | MB | ratio | of all cores |"
                write_table(f"{head}\n|---|---|---|---|---|---|", rows)
                text = PAGE.read_text(encoding="utf-8")
                before, _, after = text.partition("The machine would allow")
                text = f"{before}{limit} {load}\n{after.partition(chr(10))[2]}"
                PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()

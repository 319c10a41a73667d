"""How long models take, from a statement to machine code, and then for each state.

Run ``python benchmarks/models.py``: it measures a step of descent, a gradient, softmax, and
quadrature in two variables. Times are seconds of processor, of one core, and nothing is
read from disk that an earlier run has compiled.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

import numpy as np

_STATED = """
import time
start = time.process_time()
from slrsym.papers.single_location.models import attention, multi_head
first = time.process_time()
model = {model}
function = model.compile({backend!r}, "risk", "gradient")
{use}
end = time.process_time()
print(f"{{first - start:.1f}} s to import, {{end - first:.1f}} s")
"""
_USE = "function([0.1] * len(model.order_parameters), *([0.5] * len(model.parameters)))"
_CHECK = "model.check({'d': 10, 'L': 4, 'gamma': 0.7, 'epsilon': 0.1, 'lambda': 0.2}, rng=0)"


def _apart(model: str, backend: str, use: str) -> str:
    """Return the output of a fresh process with an empty cache."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "XDG_CACHE_HOME": folder, "NUMBA_NUM_THREADS": "1"}
        code = _STATED.format(model=model, backend=backend, use=use)
        return subprocess.run(
            [sys.executable, "-c", code], env=environment, capture_output=True, text=True,
            check=True,
        ).stdout.strip()  # fmt: skip


def _least(call: Callable[[], Any], times: int = 20) -> float:
    call()
    found = []
    for _ in range(times):
        start = time.process_time()
        call()
        found.append(time.process_time() - start)
    return min(found)


def _steps() -> None:
    from slrsym.papers.single_location.models import attention

    model = attention().model
    for d in (100, 10**6):
        values = {"d": d, "L": 10, "gamma": 0.7, "epsilon": 0.0, "lambda": 0.1}

        def run(steps: int, values: dict[str, Any] = values) -> Any:
            return model.simulate(values, steps=steps, alpha=1e-5, runs=64, rng=0, every=steps)

        cost = (_least(lambda: run(20_000), 5) - _least(lambda: run(1), 5)) / 64 / 20_000
        print(f"a step of descent, d = {d:,}: {cost * 1e9:.1f} ns for each of 64 runs")


def _gradients() -> None:
    from slrsym.papers.single_location.models import attention
    from slrsym.papers.single_location.paper_risk import kernel

    model = attention().model
    states = np.random.default_rng(0).uniform(-0.4, 0.4, (100_000, 5))
    by_name = {"lambda": 0.1, "gamma": 0.7, "d": 400.0, "L": 10.0, "epsilon": 0.0}
    general, rest = model.compile("numba", "gradient"), [by_name[p.name] for p in model.parameters]
    paper = kernel("gradient", "numba")
    row = [by_name[name] for name in ("lambda", "gamma", "d", "L", "epsilon")]
    for what, call in (
        ("of the stated model", lambda: general(states, *rest)),
        ("of the paper's kernel", lambda: paper(states, *row)),
    ):
        print(f"a gradient {what}: {_least(call) / len(states) * 1e9:.0f} ns")


def _softmax() -> None:
    from slrsym.models import softmax
    from slrsym.papers.single_location.models import attention

    model = attention(softmax).model
    f = model.compile("numba", "risk", "gradient")
    for d in (20, 400, 10**5, 10**6):
        cells = []
        for tokens in (10, 1000, 10**6):
            known = {"lambda": (d / 2) ** 0.5, "gamma": 0.7, "d": d, "L": tokens, "epsilon": 0.0}
            values = [float(known[p.name]) for p in model.parameters]
            states = np.array([[min(1.0, 2 / (d / 2) ** 0.5), 0.6, 0.1, 0.2, 0.1]] * 20)
            cost = _least(lambda s=states, v=values: f(s, *v), 5) / len(states)
            cells.append(f"{cost * 1e3:.2f}")
        print(f"softmax, d = {d:,}, risk and gradient: {', '.join(cells)} ms at L = 10, 1000, 10^6")


def _two_variables() -> None:
    from sympy import tanh

    from slrsym.models import Direction, Predictor, Token, TokenSequence, model
    from slrsym.papers.single_location.models import multi_head

    u, w = Direction("u", unit=True), Direction("w")
    student = model(
        TokenSequence({Token(target=lambda X: tanh(X @ u)): 1}), Predictor(lambda X: tanh(X @ w))
    )
    heads = multi_head(2, 1, activation=tanh).model
    for what, stated in (("a student and a teacher", student), ("two heads", heads)):
        size, rest = len(stated.order_parameters), [0.5] * len(stated.parameters)
        states = 0.2 * np.random.default_rng(0).uniform(size=(20, size)) + 0.3
        for backend in ("numpy", "numba"):
            f = stated.compile(backend, "risk", "gradient")
            cost = _least(lambda f=f, s=states, v=rest: f(s, *v), 5) / len(states)
            print(f"{what} of tanh by {backend}, risk and gradient: {cost * 1e3:.1f} ms")


def main() -> None:
    """Print all of it."""
    for model in ("attention().model", "multi_head(2, 2).model"):
        for backend in ("numpy", "numba"):
            print(f"{model} to {backend}: {_apart(model, backend, _USE)}", flush=True)
    print(f"and its check: {_apart('multi_head(2, 2).model', 'numpy', _CHECK)}", flush=True)
    for measure in (_steps, _gradients, _softmax, _two_variables):
        measure()


if __name__ == "__main__":
    main()

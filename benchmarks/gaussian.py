"""Gaussian expectations: ours beside SymPy's `integrate` and `sympy.stats.E`, in one run.

Run ``python benchmarks/gaussian.py [--limit SECONDS]``. Every call has a process of its own, so
that no cache helps and a call that does not finish can be stopped.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import time
from collections.abc import Callable
from typing import Any

INTEGRANDS = {
    "E erf(t + g G)": "erf(u)",
    "E erf(t + g G)^2": "erf(u)**2",
    "E erf erf'(t + g G)": "erf(u)*exp(-u**2)*2/sqrt(pi)",
}


def _ours(text: str) -> Callable[[], Any]:
    from sympy import Symbol, sympify

    from slrsym.gaussian import expectation, standard_normal

    t, g, G = Symbol("t", real=True), Symbol("g", positive=True), Symbol("G", real=True)
    expr = sympify(text, locals={"u": t + g * G})
    return lambda: expectation(expr, standard_normal(G))


def _integrate(text: str) -> Callable[[], Any]:
    from sympy import Symbol, exp, integrate, oo, pi, sqrt, sympify

    t, g, x = Symbol("t", real=True), Symbol("g", positive=True), Symbol("x", real=True)
    expr = sympify(text, locals={"u": t + g * x}) * exp(-(x**2) / 2) / sqrt(2 * pi)
    return lambda: integrate(expr, (x, -oo, oo))


def _stats(text: str) -> Callable[[], Any]:
    from sympy import Symbol, sympify
    from sympy.stats import E, Normal

    t, g = Symbol("t", real=True), Symbol("g", positive=True)
    expr = sympify(text, locals={"u": t + g * Normal("G", 0, 1)})
    return lambda: E(expr)


def _risk(_: str) -> Callable[[], Any]:
    from slrsym.papers.single_location.symbolic import risk_closed_form

    return risk_closed_form


def _timed(build: Callable[[str], Callable[[], Any]], text: str, pipe: Any) -> None:
    from sympy import Integral

    from slrsym.gaussian import Expectation

    call = build(text)
    start = time.perf_counter()
    result = call()
    seconds = time.perf_counter() - start
    pipe.send((seconds, not result.has(Integral, Expectation)))


def measure(
    build: Callable[[str], Callable[[], Any]], text: str, limit: float
) -> tuple[float, bool] | None:
    """Seconds and whether the result is evaluated; None if the limit was reached."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_timed, args=(build, text, theirs))
    process.start()
    theirs.close()
    # The limit is for the call; starting a process and importing SymPy come on top.
    try:
        return ours.recv() if ours.poll(limit + 5) else None
    except EOFError:
        raise SystemExit(f"{build.__name__.strip('_')} failed on {text or 'the risk'}") from None
    finally:
        process.terminate()
        process.join()


def _shown(found: tuple[float, bool] | None, limit: float) -> str:
    """Seconds, and a mark where nothing came of them."""
    if found is None:
        return f"> {limit:.0f} s, stopped"
    seconds, evaluated = found
    return f"{seconds:.3f} s" + ("" if evaluated else ", unevaluated")


def _ratio(found: tuple[float, bool] | None, base: float, limit: float) -> str:
    return f"> {limit / base:,.0f} x" if found is None else f"{found[0] / base:,.1f} x"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limit", type=float, default=60, help="seconds for each SymPy call")
    limit = parser.parse_args().limit
    line = "{:22} {:16} {:22} {:>12}"
    print(line.format("expectation", "by", "time", "to ours"))
    for name, text in INTEGRANDS.items():
        found = measure(_ours, text, limit)
        if found is None or not found[1]:
            raise SystemExit(f"{name}: no closed form within {limit} s")
        base = found[0]
        print(line.format(name, "slrsym.gaussian", _shown(found, limit), "1 x"))
        for peer, build in (("sympy.integrate", _integrate), ("sympy.stats.E", _stats)):
            found = measure(build, text, limit)
            print(line.format("", peer, _shown(found, limit), _ratio(found, base, limit)))
            sys.stdout.flush()
    found = measure(_risk, "", limit)
    if found is None or not found[1]:
        raise SystemExit(f"the risk: no closed form within {limit} s")
    print(
        line.format(
            "five-variable risk", "slrsym.papers.single_location.symbolic", _shown(found, limit), ""
        )
    )


if __name__ == "__main__":
    main()

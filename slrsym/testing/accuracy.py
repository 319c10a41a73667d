"""How accurate the kernels are, region by region, held against the reference values.

``python -m slrsym.testing.accuracy`` prints a table of the worst relative errors, and of the same
errors in units in the last place. Gradient and Hessian count by their largest error relative to
their largest entry.
"""

from __future__ import annotations

import argparse
import importlib.util
import math
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from mpmath import mp, mpf

from slrsym.kernels import erf_variance, zeta
from slrsym.models.paper import excess_risk, gradient, hessian
from slrsym.task import Task
from slrsym.testing.reference import (
    DIGITS,
    RISK_REGIONS,
    ZETA_REGIONS,
    RiskReference,
    ZetaReference,
    risk_references,
    zeta_references,
)

_UPPER = np.triu_indices(5)


class Error(NamedTuple):
    """How far a computed value is off."""

    relative: float
    ulps: float


def error_of(found: Iterable[float], exact: Iterable[Any]) -> Error:
    """The error of some numbers that belong together."""
    values = list(exact)
    with mp.workdps(DIGITS + 10):
        size = max(map(abs, values))
        gap = max(abs(mpf(float(x)) - y) for x, y in zip(found, values, strict=True))
        if gap == 0:
            return Error(0.0, 0.0)
        if size == 0 or not mp.isfinite(gap):
            return Error(math.inf, math.inf)
        return Error(float(gap / size), float(gap / mpf(math.ulp(float(size)))))


def risk_errors(row: RiskReference, backend: str = "numpy") -> dict[str, Error]:
    """Errors of excess risk, gradient and Hessian where a reference value is known."""
    state, lam, gamma, d, tokens = row.setting
    arguments = state, lam, Task(d, tokens, gamma), backend
    found: dict[str, Any] = {
        "excess_risk": [excess_risk(*arguments)],
        "gradient": gradient(*arguments),
        "hessian": hessian(*arguments)[_UPPER],
    }
    return {name: error_of(found[name], getattr(row.values, name)) for name in found}


def zeta_errors(row: ZetaReference) -> dict[str, Error]:
    """Errors of zeta and the variance of erf where a reference value is known."""
    return {
        "zeta": error_of([zeta(row.t, row.s)], [row.zeta]),
        "variance": error_of([erf_variance(row.t, row.s)], [row.variance]),
    }


def worst(errors: Iterable[dict[str, Error]]) -> dict[str, Error]:
    """The largest errors of each kind."""
    rows = list(errors)
    return {
        name: Error(*map(max, zip(*(row[name] for row in rows), strict=True))) for name in rows[0]
    }


def _lines(
    head: Sequence[str], regions: Sequence[str], rows: Sequence[Any], errors: Callable[..., Any]
) -> list[str]:
    lines = [f"{'region':<14}{'points':>7}" + "".join(f"{name:>22}" for name in head)]
    for region in regions:
        there = [row for row in rows if row.region == region]
        cells = worst(map(errors, there)).values()
        texts = (f"{cell.relative:.1e} ({cell.ulps:.1f} ulp)" for cell in cells)
        lines.append(f"{region:<14}{len(there):>7}" + "".join(f"{text:>22}" for text in texts))
    return lines


def table(backend: str = "numpy") -> str:
    """The worst errors by region, as text."""
    risk_lines = _lines(
        ("excess risk", "gradient", "Hessian"),
        RISK_REGIONS,
        risk_references(),
        lambda row: risk_errors(row, backend),
    )
    zeta_lines = _lines(("zeta", "variance of erf"), ZETA_REGIONS, zeta_references(), zeta_errors)
    return "\n".join([*risk_lines, "", *zeta_lines])


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        prog="python -m slrsym.testing.accuracy",
        description="Worst errors of the kernels against reference values, by region.",
    )
    parser.add_argument("--backend", choices=("numpy", "numba"), default="numpy")
    backend = parser.parse_args(arguments).backend
    if backend == "numba" and importlib.util.find_spec("numba") is None:
        parser.exit(1, "Numba is not installed: pip install numba\n")
    sys.stdout.write(table(backend) + "\n")


if __name__ == "__main__":
    main()

"""Errors of the compiled risk functions and of zeta, against 45-digit reference values.

``python -m slrsym.papers.single_location.testing.accuracy`` prints a table of the worst relative
errors, and of the same errors in units in the last place. Gradient and Hessian count by their
largest error relative to their largest entry. The values in the folder ``data`` beside this file
are made from the definition of the risk by
`tests.papers.single_location.testing.references`. Inputs are binary numbers and stand there
exactly, in hexadecimal notation.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import math
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np
from mpmath import mp, mpf

from slrsym.kernels import erf_variance, zeta
from slrsym.papers.single_location.paper_risk import excess_risk, gradient, hessian
from slrsym.papers.single_location.task import Task

_UPPER = np.triu_indices(5)

# How many are kept.
DIGITS = 45


class RiskSetting(NamedTuple):
    """A point at which the risk is evaluated, with its parameters."""

    state: tuple[float, ...]
    lam: float
    gamma: float
    d: int
    L: int


class RiskAndDerivatives(NamedTuple):
    """The excess risk and its derivatives in the overlaps."""

    excess_risk: tuple[Any, ...]
    gradient: tuple[Any, ...]
    hessian: tuple[Any, ...]


class RiskReference(NamedTuple):
    """A reference value of the risk and its derivatives, with its region and setting."""

    region: str
    setting: RiskSetting
    values: RiskAndDerivatives


class ZetaReference(NamedTuple):
    r"""A reference value of the mean square and variance of :math:`\operatorname{erf}(t + sG)`."""

    region: str
    t: float
    s: float
    zeta: Any
    variance: Any


RISK_REGIONS = (
    "oracle", "manifold", "generic", "boundary", "small lambda", "large lambda", "large d"
)  # fmt: skip
ZETA_REGIONS = ("small s", "moderate", "large s", "large t")


DATA = files("slrsym.papers.single_location.testing") / "data"


def _read(texts: Iterable[str]) -> tuple[Any, ...]:
    with mp.workdps(DIGITS + 10):
        return tuple(mpf(text) for text in texts)


@cache
def risk_references() -> tuple[RiskReference, ...]:
    """Return the stored reference values of the risk and its derivatives."""
    rows = json.loads((DATA / "risk.json").read_text(encoding="utf-8"))["rows"]
    return tuple(
        RiskReference(
            row["region"],
            RiskSetting(
                tuple(map(float.fromhex, row["state"])),
                float.fromhex(row["lam"]),
                float.fromhex(row["gamma"]),
                row["d"],
                row["L"],
            ),
            RiskAndDerivatives(*(_read(row[name]) for name in RiskAndDerivatives._fields)),
        )
        for row in rows
    )


@cache
def zeta_references() -> tuple[ZetaReference, ...]:
    """Return the stored reference values of zeta and the variance of erf."""
    rows = json.loads((DATA / "zeta.json").read_text(encoding="utf-8"))["rows"]
    return tuple(
        ZetaReference(
            row["region"],
            float.fromhex(row["t"]),
            float.fromhex(row["s"]),
            *_read((row["zeta"], row["variance"])),
        )
        for row in rows
    )


class RelativeErrorAndUlps(NamedTuple):
    """The error of a computed value: relative, and in units in the last place."""

    relative: float
    ulps: float


def error_relative_to_largest(found: Iterable[float], exact: Iterable[Any]) -> RelativeErrorAndUlps:
    """Return an array's largest error as two numbers: over its largest entry, and in its ulps."""
    values = list(exact)
    with mp.workdps(DIGITS + 10):
        size = max(map(abs, values))
        gap = max(abs(mpf(float(x)) - y) for x, y in zip(found, values, strict=True))
        if gap == 0:
            return RelativeErrorAndUlps(0.0, 0.0)
        if size == 0 or not mp.isfinite(gap):
            return RelativeErrorAndUlps(math.inf, math.inf)
        return RelativeErrorAndUlps(float(gap / size), float(gap / mpf(math.ulp(float(size)))))


def risk_errors(row: RiskReference, backend: str = "numpy") -> dict[str, RelativeErrorAndUlps]:
    """Return the errors of excess risk, gradient and Hessian at one reference point."""
    state, lam, gamma, d, tokens = row.setting
    arguments = state, lam, Task(d, tokens, gamma), backend
    found: dict[str, Any] = {
        "excess_risk": [excess_risk(*arguments)],
        "gradient": gradient(*arguments),
        "hessian": hessian(*arguments)[_UPPER],
    }
    return {
        name: error_relative_to_largest(found[name], getattr(row.values, name)) for name in found
    }


def zeta_errors(row: ZetaReference) -> dict[str, RelativeErrorAndUlps]:
    """Return the errors of zeta and the variance of erf at one reference point."""
    return {
        "zeta": error_relative_to_largest([zeta(row.t, row.s)], [row.zeta]),
        "variance": error_relative_to_largest([erf_variance(row.t, row.s)], [row.variance]),
    }


def worst_errors(
    errors: Iterable[dict[str, RelativeErrorAndUlps]],
) -> dict[str, RelativeErrorAndUlps]:
    """Return the largest error of each quantity over several points, by name."""
    rows = list(errors)
    return {
        name: RelativeErrorAndUlps(*map(max, zip(*(row[name] for row in rows), strict=True)))
        for name in rows[0]
    }


def _lines(
    head: Sequence[str], regions: Sequence[str], rows: Sequence[Any], errors: Callable[..., Any]
) -> list[str]:
    lines = [f"{'region':<14}{'points':>7}" + "".join(f"{name:>22}" for name in head)]
    for region in regions:
        there = [row for row in rows if row.region == region]
        cells = worst_errors(map(errors, there)).values()
        texts = (f"{cell.relative:.1e} ({cell.ulps:.1f} ulp)" for cell in cells)
        lines.append(f"{region:<14}{len(there):>7}" + "".join(f"{text:>22}" for text in texts))
    return lines


def accuracy_table(backend: str = "numpy") -> str:
    """Return a text table of the largest errors of compiled functions in each region."""
    risk_lines = _lines(
        ("excess risk", "gradient", "Hessian"),
        RISK_REGIONS,
        risk_references(),
        lambda row: risk_errors(row, backend),
    )
    zeta_lines = _lines(("zeta", "variance of erf"), ZETA_REGIONS, zeta_references(), zeta_errors)
    return "\n".join([*risk_lines, "", *zeta_lines])


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the largest errors of compiled functions in each region, for a chosen backend."""
    parser = argparse.ArgumentParser(
        prog="python -m slrsym.papers.single_location.testing.accuracy",
        description="Worst errors of the kernels against reference values, by region.",
    )
    parser.add_argument("--backend", choices=("numpy", "numba"), default="numpy")
    backend = parser.parse_args(arguments).backend
    if backend == "numba" and importlib.util.find_spec("numba") is None:
        parser.exit(1, "Numba is not installed: pip install numba\n")
    sys.stdout.write(accuracy_table(backend) + "\n")


if __name__ == "__main__":
    main()

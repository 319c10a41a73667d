"""The files in which the values are kept."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import Any

import mpmath
from mpmath import mp, mpf

from slrsym.testing.reference.definition import compute_risk, compute_zeta
from slrsym.testing.reference.records import (
    DIGITS,
    Derivatives,
    RiskReference,
    Setting,
    ZetaReference,
)

__all__ = ["DATA", "risk_references", "risk_row", "text_of", "zeta_references", "zeta_row"]

DATA = files("slrsym.testing") / "data"


def _written(values: Iterable[Any]) -> list[str]:
    """Numbers as text, each to the same absolute precision."""
    numbers = list(values)
    size = max(map(abs, numbers))
    texts = []
    for x in numbers:
        kept = DIGITS - (int(mpmath.log10(size / abs(x))) if x else DIGITS)
        texts.append(mpmath.nstr(x, kept) if kept > 0 else "0.0")
    return texts


def _read(texts: Iterable[str]) -> tuple[Any, ...]:
    with mp.workdps(DIGITS + 10):
        return tuple(mpf(text) for text in texts)


@cache
def risk_references() -> tuple[RiskReference, ...]:
    """The values that are kept of the risk and its derivatives."""
    rows = json.loads((DATA / "risk.json").read_text(encoding="utf-8"))["rows"]
    return tuple(
        RiskReference(
            row["region"],
            Setting(
                tuple(map(float.fromhex, row["state"])),
                float.fromhex(row["lam"]),
                float.fromhex(row["gamma"]),
                row["d"],
                row["L"],
            ),
            Derivatives(*(_read(row[name]) for name in Derivatives._fields)),
        )
        for row in rows
    )


@cache
def zeta_references() -> tuple[ZetaReference, ...]:
    """The values that are kept of zeta and the variance of erf."""
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


def risk_row(region: str, setting: Setting) -> dict[str, Any]:
    """A row of the file of risks, computed."""
    values = compute_risk(setting)
    return {
        "region": region,
        "state": [x.hex() for x in setting.state],
        "lam": setting.lam.hex(),
        "gamma": setting.gamma.hex(),
        "d": setting.d,
        "L": setting.L,
        **{name: _written(getattr(values, name)) for name in Derivatives._fields},
    }


def zeta_row(region: str, t: float, s: float) -> dict[str, Any]:
    """A row of the file of zeta, computed."""
    zeta, variance = (_written([x])[0] for x in compute_zeta(t, s))
    return {"region": region, "t": t.hex(), "s": s.hex(), "zeta": zeta, "variance": variance}


def text_of(rows: list[dict[str, Any]]) -> str:
    """Where the rows come from, and one row a line, so that a change of one is seen as such."""
    head = f'{{"made by": "python -m slrsym.testing.reference", "digits": {DIGITS}, "rows": ['
    return head + "\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]}\n"

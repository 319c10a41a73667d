"""``python -m slrsym.testing.reference``: compute the values that are kept."""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from slrsym.testing.reference.regions import (
    RISK_REGIONS,
    ZETA_REGIONS,
    random_argument,
    random_setting,
)
from slrsym.testing.reference.tables import risk_row, text_of, zeta_row

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> None:
    """Compute all values, and write them to a folder."""
    parser = argparse.ArgumentParser(
        prog="python -m slrsym.testing.reference", description="Compute the reference values."
    )
    parser.add_argument("folder", type=Path, help="where to write risk.json and zeta.json")
    parser.add_argument("--each", type=int, default=12, help="points in each region (default 12)")
    chosen = parser.parse_args(arguments)
    if chosen.each < 1:
        parser.error(f"--each must be at least 1; got {chosen.each}")
    chosen.folder.mkdir(parents=True, exist_ok=True)
    risks, zetas = [], []
    for region in ZETA_REGIONS:
        rng = random.Random(f"zeta, {region}")
        for _ in range(chosen.each):
            zetas.append(zeta_row(region, *random_argument(rng, region)))
    (chosen.folder / "zeta.json").write_text(text_of(zetas), encoding="utf-8")
    for region in RISK_REGIONS:
        rng = random.Random(f"risk, {region}")
        for number in range(chosen.each):
            begin = time.perf_counter()
            risks.append(risk_row(region, random_setting(rng, region)))
            seconds = time.perf_counter() - begin
            print(f"{region} {number + 1}: {seconds:.1f} s", file=sys.stderr, flush=True)
    (chosen.folder / "risk.json").write_text(text_of(risks), encoding="utf-8")


if __name__ == "__main__":
    main()

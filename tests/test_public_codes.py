"""The comparison with public codes: it sees a wrong formula, and its page is of today."""

from pathlib import Path

import numpy as np
import pytest

from ._benchmarks import benchmark
from ._profile import thorough_only

ROOT = Path(__file__).resolve().parents[1]
codes = benchmark("public_codes")
POINT = np.array([[0.5, 0.25, 0.125], [0.25, 0.75, -0.25], [0.125, -0.25, 1.5]])


@pytest.mark.parametrize("code", codes.DATA["code"], ids=lambda code: code["repository"])
def test_integrals_of_the_codes(code):
    for name, size in (("I2", 2), ("J2", 2), ("I3", 3)):
        part = POINT[:size, :size]
        ours = codes.proved(name)(*part[np.triu_indices(size)])
        if name in code:
            assert codes.written(code[name], part) == pytest.approx(ours, rel=1e-14)
            wrong = code[name].replace("1 +", "2 +", 1)
            assert abs(codes.written(wrong, part) - ours) > 1e-3


def test_the_difference_is_said():
    assert codes.shown([1.0, 2.0], [1.0, 2.0]) == "agree"
    assert codes.shown([1.0, 2.0], [1.0, 2.5]) == "differ by 0.5"


@thorough_only
def test_the_page_is_of_today():
    page = ROOT / "docs" / "explanation" / "public-codes.md"
    assert codes.page() == page.read_text(encoding="utf-8")

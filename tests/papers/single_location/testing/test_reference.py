"""The reference values: what they are made of, and what the kernels make of them."""

import importlib.util
import json
import math

import mpmath
import numpy as np
import pytest
from sympy import Rational

from slrsym.papers.single_location.paper_risk import kernel
from slrsym.papers.single_location.testing import accuracy
from slrsym.papers.single_location.testing.accuracy import (
    DATA,
    DIGITS,
    RISK_REGIONS,
    ZETA_REGIONS,
    RiskAndDerivatives,
    RiskSetting,
    error_relative_to_largest,
    risk_errors,
    risk_references,
    worst_errors,
    zeta_errors,
    zeta_references,
)
from tests._profile import THOROUGH, more, one_in, thorough_cases, thorough_only
from tests.papers.single_location import tensor_quadrature

from . import references as program
from .references import _agreed, compute_risk, compute_zeta

BACKENDS = [
    "numpy",
    pytest.param(
        "numba",
        marks=pytest.mark.skipif(not importlib.util.find_spec("numba"), reason="needs numba"),
    ),
]


def test_the_values_agree_with_all_combinations_of_tokens():
    """What is expanded into means over one token each here, is summed in full there."""
    state = (0.5, 0.25, -0.125, 0.375, 0.0625)
    # Three tokens are the fewest of which two others go together.
    for tokens, lam, digits in ((1, 0.75, 25), (2, 0.5, 25), (3, 0.25, 10)):
        d, gamma, epsilon, *others = (Rational(x) for x in (7, 0.5, 0, lam, *state))
        brute = tensor_quadrature.risk(d, tokens, gamma, epsilon, *others, digits=digits)
        (mine,) = compute_risk(RiskSetting(state, lam, 0.5, 7, tokens), digits=20).excess_risk
        with mpmath.workdps(40):
            assert abs(mine / brute - 1) < mpmath.mpf(10) ** -digits


@thorough_only
def test_the_means_agree_with_another_quadrature():
    t, s = 0.7, 1.3
    with mpmath.workdps(30):
        pieces = mpmath.linspace(-14, 14, 29)
        moments = [
            mpmath.quad(
                lambda z, q=q: mpmath.erf(mpmath.mpf(t) + mpmath.mpf(s) * z) ** q * mpmath.npdf(z),
                pieces,
            )
            for q in (1, 2)
        ]
        zeta, variance = compute_zeta(t, s, digits=25)
        assert abs(zeta - moments[1]) < mpmath.mpf(10) ** -26
        assert abs(variance - (moments[1] - moments[0] ** 2)) < mpmath.mpf(10) ** -26


@pytest.mark.parametrize("region", RISK_REGIONS)
def test_what_is_kept_is_what_is_computed(region):
    # The wider the scores are spread, the longer it takes.
    row = min(
        (row for row in risk_references() if row.region == region),
        key=lambda row: row.setting.lam * row.setting.gamma,
    )
    again = compute_risk(row.setting, digits=16)
    with mpmath.workdps(DIGITS):
        for kept, computed in zip(row.values, again, strict=True):
            size = max(map(abs, kept))
            gap = max(abs(a - b) for a, b in zip(kept, computed, strict=True))
            assert gap <= size * mpmath.mpf(10) ** -16


def test_the_first_lines_of_the_files_can_be_made_again(tmp_path, monkeypatch):
    monkeypatch.setattr(program, "RISK_REGIONS", ("small lambda",))
    monkeypatch.setattr(program, "ZETA_REGIONS", ("small s",))
    program.main([str(tmp_path), "--each", "1"])
    for name in ("risk", "zeta"):
        (row,) = json.loads((tmp_path / f"{name}.json").read_text(encoding="utf-8"))["rows"]
        kept = json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))
        assert kept["digits"] == DIGITS
        assert row == next(r for r in kept["rows"] if r["region"] == row["region"])


def test_there_are_values_everywhere():
    for regions, rows in ((RISK_REGIONS, risk_references()), (ZETA_REGIONS, zeta_references())):
        counts = [sum(row.region == region for row in rows) for region in regions]
        assert counts == [12] * len(regions)
    settings = [row.setting for row in risk_references()]
    assert {1, 2} <= {setting.L for setting in settings}
    assert min(setting.lam for setting in settings) < 2e-3
    assert max(setting.lam * setting.gamma for setting in settings) > 20
    assert max(setting.d for setting in settings) > 10**6
    # The risk of an oracle that is nearly perfect.
    assert min(row.values.excess_risk[0] for row in risk_references()) < 1e-20


def test_the_values_have_the_digits_that_are_claimed():
    for row in risk_references():
        assert [len(group) for group in row.values] == [1, 5, 15]
    for name in RiskAndDerivatives._fields:
        kept = json.loads((DATA / "risk.json").read_text(encoding="utf-8"))["rows"]
        longest = [
            max(len(text.replace(".", "").lstrip("-0")) for text in row[name]) for row in kept
        ]
        # But for simple ones, at corners.
        assert sum(length >= 40 for length in longest) >= 0.9 * len(longest)


def test_quadratures_that_disagree_are_not_believed():
    shifts = iter(range(100))
    with pytest.raises(ArithmeticError, match="do not agree to 10 digits"):
        _agreed(lambda *how: [(mpmath.mpf(next(shifts)),)], 10)


def test_bad_options(capsys, tmp_path):
    with pytest.raises(SystemExit):
        program.main([str(tmp_path / "x"), "--each", "0"])
    assert "--each must be at least 1; got 0" in capsys.readouterr().err
    assert not (tmp_path / "x").exists()


@more
@pytest.mark.parametrize("name", RiskAndDerivatives._fields)
def test_the_closed_form_is_the_definition(name):
    for row in risk_references()[:: 1 if THOROUGH else 3]:
        state, *rest = row.setting
        with mpmath.workdps(DIGITS + 10):
            exact = getattr(row.values, name)
            found = kernel(name, "mpmath")(state, *rest, 0, dps=DIGITS + 5)
            size = max(map(abs, exact))
            gap = max(abs(a - b) for a, b in zip(found, exact, strict=True))
            assert gap <= size * mpmath.mpf(10) ** (2 - DIGITS)


@thorough_cases("oracle-numba")
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("region", one_in(2, RISK_REGIONS))
def test_errors_of_the_risk(region, backend):
    rows = [row for row in risk_references() if row.region == region]
    errors = worst_errors(risk_errors(row, backend) for row in rows)
    # At the oracle nearly all of the risk may be an exponential, whose exponent is large.
    assert errors["excess_risk"].ulps <= (45 if region == "oracle" else 14)
    assert errors["gradient"].ulps <= 12
    assert errors["hessian"].ulps <= 15


@pytest.mark.parametrize("region", ZETA_REGIONS)
def test_errors_of_zeta(region):
    for row in zeta_references():
        if row.region == region:
            errors = zeta_errors(row)
            assert errors["zeta"].ulps <= 6
            exponent = row.t**2 / (1 + 2 * row.s**2)
            assert errors["variance"].ulps <= 8 + 3 * exponent


def test_errors_are_counted():
    one = mpmath.mpf(1)
    assert error_relative_to_largest([1.0, 0.0], [one, mpmath.mpf(0)]) == (0, 0)
    assert error_relative_to_largest([1 + 3 * 2.0**-52], [one]) == (3 * 2.0**-52, 3)
    # In units of the largest entry.
    assert error_relative_to_largest([4.0, 1 + 2.0**-50], [4 * one, one]) == (2.0**-52, 1)
    assert error_relative_to_largest([0.0], [mpmath.mpf(0)]) == (0, 0)
    for wrong in (1e-300, math.nan):
        assert error_relative_to_largest([wrong], [mpmath.mpf(0)]) == (math.inf, math.inf)
    assert error_relative_to_largest([math.nan], [one]).ulps == math.inf


def test_the_worst_of_each():
    a, b = accuracy.RelativeErrorAndUlps(1.0, 5.0), accuracy.RelativeErrorAndUlps(2.0, 3.0)
    assert worst_errors([{"x": a, "y": b}, {"x": b, "y": b}]) == {"x": (2.0, 5.0), "y": b}


def test_the_table(capsys):
    accuracy.main([])
    shown = capsys.readouterr().out
    lines = shown.splitlines()
    assert [line[:14].strip() for line in lines] == [
        "region", *RISK_REGIONS, "", "region", *ZETA_REGIONS
    ]  # fmt: skip
    rows = [row for row in risk_references() if row.region == "generic"]
    errors = worst_errors(map(risk_errors, rows))
    for error in errors.values():
        assert f" {error.relative:.1e} ({error.ulps:.1f} ulp)" in lines[3]
    assert max(map(len, lines)) <= 100


def test_the_table_without_numba(capsys, monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(SystemExit) as exit_:
        accuracy.main(["--backend", "numba"])
    assert exit_.value.code == 1
    assert "pip install numba" in capsys.readouterr().err


def test_errors_of_a_kernel_that_is_wrong_are_seen(monkeypatch):
    row = risk_references()[0]
    good = accuracy.gradient
    monkeypatch.setattr(accuracy, "gradient", lambda *args: np.nextafter(good(*args), 9) + 1e-14)
    assert risk_errors(row)["gradient"].ulps > 20

"""The table of normal integrals: up to date, and right by a quadrature of its own."""

import zlib
from pathlib import Path
from random import Random
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
import scipy.special
from mpmath import mp
from sympy import Rational, Symbol, erf, sqrt

from slrsym.gaussian import (
    Expectation,
    IntegrabilityError,
    expectation,
    normal_cdf,
    standard_normal,
)
from slrsym.gaussian.integrals import DivergenceError
from tests._benchmarks import benchmark
from tests._profile import nightly_only, one_in

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "normal-integrals.md"
table, fill_pages = benchmark("normal_integrals"), benchmark("fill_pages")
ROWS = table.rows()

# The functions of the table, by NumPy and SciPy.
FUNCTIONS = {
    **{name: getattr(np, name) for name in ("exp", "sin", "cos", "sinh", "cosh", "sqrt", "sign")},
    **{name: getattr(scipy.special, name) for name in ("erf", "erfc")},
    "pi": np.pi,
    "Phi": scipy.special.ndtr,
    "T": scipy.special.owens_t,
    "Abs": np.abs,
    "Max": lambda u, v: np.maximum(u, v),
    "step": lambda u: u > 0,
    "phi": lambda u: np.exp(-(u**2) / 2) / np.sqrt(2 * np.pi),
}
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(40)


def panels(breaks: list[float], reach: float) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights of the Gauss-Legendre rule on panels that end where integrands break."""
    inside = {b for b in breaks if -reach < b < reach}
    ends = np.array(sorted({*np.linspace(-reach, reach, 31), *inside}))
    middle, half = (ends[1:] + ends[:-1]) / 2, (ends[1:] - ends[:-1]) / 2
    return (middle[:, None] + half[:, None] * _NODES).ravel(), (half[:, None] * _WEIGHTS).ravel()


def quadrature(entry: ModuleType, at: dict[str, float]) -> float:
    """The mean of an entry at values of its parameters, from its text."""
    code, breaks = compile(entry.integrand, "integrand", "eval"), [0, at["h"], at["k"]]
    if entry.weight != "pair":
        variance = 1.0 if entry.weight == "normal" else 1 / (2 * at["p"])
        at_kink = [*breaks, -at["a"] / at["b"]]
        x, w = panels([b / np.sqrt(variance) for b in at_kink], 30.0)
        values = eval(code, {}, {**FUNCTIONS, **at, "x": np.sqrt(variance) * x})
        return float(np.sum(w * np.exp(-(x**2) / 2) * values) / np.sqrt(2 * np.pi))
    r = at["r"]
    if entry.integrand == "Abs(x - y)":
        # The difference is a Gaussian variable.
        x, w = panels([0], 12.0)
        bell = np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi)
        return float(np.sum(w * bell * np.abs(np.sqrt(2 - 2 * r) * x)))
    x, w = panels(breaks, 12.0)
    density = np.exp(-(x[:, None] ** 2 - 2 * r * np.outer(x, x) + x**2) / (2 * (1 - r**2)))
    values = eval(code, {}, {**FUNCTIONS, **at, "x": x[:, None], "y": x})
    return float(w @ (density * values) @ w / (2 * np.pi * np.sqrt(1 - r**2)))


def parameters(entry: ModuleType, run: int) -> dict[str, float]:
    rng = Random(zlib.crc32(f"{entry} {run}".encode()))
    at = {name: rng.randint(1, 30) / 16 for name in "abcdp"}
    return {
        **at,
        **{name: rng.randint(-24, 24) / 16 for name in "hk"},
        "r": rng.randint(-12, 12) / 16,
    }


@pytest.mark.parametrize("entry", one_in(2, ROWS), ids=lambda e: f"{e.weight}:{e.integrand}")
def test_means_are_those_of_another_quadrature(entry):
    integrand, law = table.integrand_and_law(entry)
    value = expectation(integrand, law)
    assert not value.has(Expectation)
    for run in range(3):
        at = parameters(entry, run)
        exact = {table.SYMPY[name]: mp.mpf(number) for name, number in at.items()}
        found, expected = complex(value.subs(exact).evalf(20)), quadrature(entry, at)
        assert abs(found - expected) <= 1e-12 * max(1, abs(expected)), (at, found, expected)


def test_a_hundred_rows_are_on_the_page():
    text = PAGE.read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line.startswith("| ") and line[2].isdigit()]
    assert len(lines) == len(ROWS) >= 100
    proved = sum(" | proved | " in line for line in lines)
    assert f"from an empty log: {proved} of {len(lines)}" in " ".join(text.split())
    assert proved >= 85


def test_a_drawn_row_is_what_the_program_prints(monkeypatch):
    text = PAGE.read_text(encoding="utf-8")
    assert table.check(text, 3) == []
    wrong = text.replace(" | proved | ", " | not proved | ")
    monkeypatch.setattr(table, "rows", lambda: ROWS[:2])
    assert len(table.check(wrong, 2)) == 2


# `fill_pages.py --check` compares it, too.
@nightly_only
def test_the_page_is_what_the_program_prints():
    assert table.check(PAGE.read_text(encoding="utf-8"), len(ROWS)) == []


@pytest.mark.parametrize(
    ("word", "page", "code"),
    [
        ("normal_integrals", "docs/reference/normal-integrals.md", 0),
        ("normal_integrals", "docs/reference/normal-integrals.md", 1),
        ("model_flows", "docs/how-to/flows.md", 1),
    ],
)
def test_an_old_page_fails_the_check_of_all_pages(word, page, code, monkeypatch):
    asked = []

    def run(command, **options):
        asked.append(command[1:])
        return SimpleNamespace(returncode=code)

    monkeypatch.setattr(fill_pages.subprocess, "run", run)
    assert fill_pages.main(["--check", word]) == code
    assert asked == [[f"benchmarks/{word}.py", "--check", page]]


# -- the means of Owen's T, and of powers of the distribution function ----------------------------

x, m = Symbol("x", real=True), Symbol("m", real=True)
q, n = Symbol("q", real=True), Symbol("n", integer=True, nonnegative=True)
G = standard_normal(x)


def test_powers_of_the_distribution_function_have_a_mean():
    assert expectation(normal_cdf(x) ** n, G) == 1 / (n + 1)
    assert expectation([normal_cdf(x) ** 7, normal_cdf(-x) ** 4, (1 - normal_cdf(x)) ** 4], G) == [
        Rational(1, k) for k in (8, 5, 5)
    ]
    assert expectation(erf(x / sqrt(2)) ** 6, G) == Rational(1, 7)


def test_other_arguments_have_no_closed_form():
    for f in (normal_cdf(2 * x) ** 4, normal_cdf(x + 1) ** 4, table.OwensT(x + m, 2), erf(x) ** 4):
        assert expectation(f, G).has(Expectation)


def test_a_power_without_a_mean_is_refused():
    with pytest.raises(DivergenceError, match="exponent above -1"):
        expectation(1 / normal_cdf(x), G)
    with pytest.raises(IntegrabilityError, match="declare q so"):
        expectation(normal_cdf(x) ** q, G)

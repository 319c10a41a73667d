"""Expectations that researchers try, and what comes out; prints the table of the documentation.

``python docs/_ext/expectations.py > docs/reference/expectations.md``
"""

from __future__ import annotations

from typing import Any

from sympy import (
    Abs,
    Expr,
    Heaviside,
    Max,
    Min,
    Piecewise,
    Symbol,
    cos,
    cosh,
    erf,
    erfc,
    exp,
    floor,
    log,
    sign,
    sin,
    sqrt,
    symbols,
    tan,
    tanh,
)

from slrsym.documents.typeset import FormulaPrinter, to_latex
from slrsym.gaussian import (
    Expectation,
    GaussianLaw,
    IntegrabilityError,
    erf_prime,
    expectation,
    normal_cdf,
    normal_pdf,
    standard_normal,
)

x, y, z = symbols("x y z", real=True)
m, n, r, a, b = symbols("m n r a b", real=True)
s = Symbol("s", positive=True)

ONE = GaussianLaw({x: m}, [[s**2]])
TWO = GaussianLaw({x: 0, y: 0}, [[1, r], [r, 1]])
MEANS = GaussianLaw({x: m, y: n}, [[1, r], [r, 1]])
THREE = standard_normal(x, y, z)
EQUAL = GaussianLaw({x: 0, y: 0, z: 0}, [[1, r, r], [r, 1, r], [r, r, 1]])
SHIFTED = GaussianLaw({x: m, y: m, z: m}, [[1, r, r], [r, 1, r], [r, r, 1]])

TRIED: list[tuple[Expr, GaussianLaw]] = [
    (x**4, ONE), (x**2 * y**2, TWO), (exp(a * x), ONE), (exp(-(x**2)), ONE), (cos(a * x), ONE),
    (x * sin(a * x), ONE), (cosh(x), ONE), (erf(x), ONE), (x * erf(x), ONE), (erf(x) ** 2, ONE),
    (erf(x) * erf(y), TWO), (erf(x) * erf(y), MEANS), (x * y * erf(x) * erf(y), TWO),
    (erf_prime(x) * erf_prime(y), TWO), (normal_cdf(a * x + b), ONE), (normal_pdf(x) * x**2, ONE),
    (normal_cdf(x) * normal_cdf(y), TWO), (erfc(x) ** 2, ONE), (erf(x) * exp(a * x), ONE),
    (erf(x) * erf(y) * erf(z), EQUAL), (x * erf(x) * erf(y) * erf(z), EQUAL),
    (Abs(x), ONE), (sign(x), ONE), (Heaviside(x - a), ONE), (Max(x, 0), ONE), (Max(x, 0) ** 2, ONE),
    (Min(Max(x, -1), 1), ONE), (Max(exp(x) - 1, 0), ONE), (exp(-Abs(x)), ONE),
    (Piecewise((x, (x > -1) & (x < 1)), (0, True)), ONE),
    (Piecewise((1, x**2 < 2), (0, True)), ONE),
    (sign(x) * sign(y), TWO), (sign(x) * sign(y), MEANS), (sign(x) * erf(y), TWO),
    (Heaviside(x) * Heaviside(y), TWO), (Max(x, 0) * Max(y, 0), TWO),
    (Max(x, 0) ** 2 * Max(y, 0) ** 2, TWO), (Max(x, 0) * Max(y, 0), MEANS), (Max(x, y), MEANS),
    (Max(x, y, z), THREE), (Abs(x * y), TWO), (sign(x) * sign(y) * sign(z), SHIFTED),
    (tanh(x), ONE), (x / sqrt(1 + x**2), ONE), (log(1 + exp(x)), ONE), (floor(x), ONE),
    (tan(x), ONE),
]  # fmt: skip

_LAWS = {
    ONE: "$x \\sim N(m, s^2)$", TWO: "$x, y$ standard, correlation $r$",
    MEANS: "$x, y$ with means $m, n$, correlation $r$", THREE: "$x, y, z$ independent, standard",
    EQUAL: "$x, y, z$ standard, correlations $r$",
    SHIFTED: "$x, y, z$ with mean $m$, correlations $r$",
}  # fmt: skip
# What is longer, in characters of LaTeX, is counted in place of shown.
_LONG = 150
_HEAD = """# Forty-seven expectations

What people try, under {py:class}`~slrsym.gaussian.GaussianLaw`, and what
{py:func}`~slrsym.gaussian.expectation` makes of it. Where nothing closes, the answer is an
unevaluated expectation whose property `why` is quoted. `python docs/_ext/expectations.py` prints
this page, and tests hold the closed forms against integrals of the definition.

:::{container} stacked
| no. | integrand | law | expectation |
|---|---|---|---|"""


def _latex(expr: Any) -> str:
    return to_latex(FormulaPrinter().box(expr)).replace("|", r"\vert ")


def _outcome(integrand: Expr, law: GaussianLaw) -> str:
    try:
        value = expectation(integrand, law)
    except IntegrabilityError as error:
        return f"refused: {error}"
    left = sorted(value.atoms(Expectation), key=str)
    if left:
        return f"open: {left[0].reason}"
    shown = _latex(value)
    return (
        f"${shown}$" if len(shown) <= _LONG else f"a closed form of {value.count_ops()} operations"
    )


def page() -> str:
    """Return the page in Markdown."""
    rows = [
        f"| {number} | ${_latex(integrand)}$ | {_LAWS[law]} | {_outcome(integrand, law)} |"
        for number, (integrand, law) in enumerate(TRIED, start=1)
    ]
    return "\n".join([_HEAD, *rows, ":::", ""])


if __name__ == "__main__":
    print(page(), end="")

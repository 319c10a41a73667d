"""Print the table of normal integrals: closed forms, whether they are proved, and times.

``python benchmarks/normal_integrals.py --write docs/reference/normal-integrals.md`` writes the
page, ``--check`` draws rows at random, and returns 1 if the page shows something else. Of each
integrand the mean is found by `slrsym.gaussian.expectation`, and stated as a claim whose proof is
one step of Gaussian calculus, from an empty log.

Sources: D. B. Owen, A table of normal integrals, Comm. Statist. B 9 (1980); E. W. Ng and M. Geller,
A table of integrals of the error functions, J. Res. NBS B 73 (1969); A. P. Prudnikov, Yu. A.
Brychkov, O. I. Marichev, Integrals and series, vol. 1-2; I. S. Gradshteyn, I. M. Ryzhik, Table of
integrals, series, and products; D. B. Owen, Ann. Math. Statist. 27 (1956). Some entries are special
cases of a line of these tables, or its derivative in a parameter. Others are of this package.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import sympy
from sympy import Eq, Expr, Symbol

from slrsym.documents.typeset import FormulaPrinter, to_latex
from slrsym.gaussian import (
    Expectation,
    GaussianLaw,
    OwensT,
    expectation,
    normal_cdf,
    normal_pdf,
    standard_normal,
)
from slrsym.proof import Claim, builtin_ledger, chain, gaussian_calculus
from slrsym.prover.rules.axioms import is_soundness_axiom
from slrsym.prover.tactics.judgement import judge_claim


class Entry(NamedTuple):
    """One line of a table, of which `value` is the tabulated right-hand side if there is one.

    `weight` is "normal"; "p" for exp(-p x^2); or "pair" for the density of x, y with correlation r.
    """

    table: str
    integrand: str
    value: str = ""
    weight: str = "normal"


OWEN = [
    # Moments and products of densities.
    ("x**2", "1"),
    ("x**4", "3"),
    ("x**6", "15"),
    ("(a + b*x)**3", "a**3 + 3*a*b**2"),
    ("phi(a + b*x)", "phi(a/sqrt(1 + b**2))/sqrt(1 + b**2)"),
    ("x*phi(a + b*x)", "-a*b*phi(a/sqrt(1 + b**2))/(1 + b**2)**1.5"),
    ("x**2*phi(a + b*x)", "(1 + b**2 + a**2*b**2)*phi(a/sqrt(1 + b**2))/(1 + b**2)**2.5"),
    ("phi(x)**3", "1/((2*pi)**1.5*2)"),
    ("phi(a + b*x)**2", "exp(-a**2/(1 + 2*b**2))/(2*pi*sqrt(1 + 2*b**2))"),
    # One distribution function.
    ("Phi(x)", "1/2"),
    ("Phi(b*x)", "1/2"),
    ("Phi(a + b*x)", "Phi(a/sqrt(1 + b**2))"),
    ("x*Phi(b*x)", "b/sqrt(2*pi*(1 + b**2))"),
    ("x*Phi(a + b*x)", "b/sqrt(1 + b**2)*phi(a/sqrt(1 + b**2))"),
    ("x**2*Phi(a + b*x)", "Phi(a/sqrt(1 + b**2)) - a*b**2/(1 + b**2)**1.5*phi(a/sqrt(1 + b**2))"),
    (
        "x**3*Phi(a + b*x)",
        "b/sqrt(1 + b**2)*phi(a/sqrt(1 + b**2))*(3 - b**2/(1 + b**2) + a**2*b**2/(1 + b**2)**2)",
    ),
    ("x**3*Phi(b*x)", "b*(3 + 2*b**2)/(sqrt(2*pi)*(1 + b**2)**1.5)"),
    ("exp(c*x)*Phi(a + b*x)", "exp(c**2/2)*Phi((a + b*c)/sqrt(1 + b**2))"),
    (
        "x*exp(c*x)*Phi(a + b*x)",
        "exp(c**2/2)*(c*Phi((a + b*c)/sqrt(1 + b**2))"
        " + b/sqrt(1 + b**2)*phi((a + b*c)/sqrt(1 + b**2)))",
    ),
    ("exp(-c*x**2/2)*Phi(a + b*x)", "Phi(a/sqrt(1 + b**2/(1 + c)))/sqrt(1 + c)"),
    # A density and a distribution function.
    (
        "phi(c + d*x)*Phi(a + b*x)",
        "phi(c/sqrt(1 + d**2))/sqrt(1 + d**2)"
        "*Phi((a*(1 + d**2) - b*c*d)/sqrt((1 + d**2)*(1 + b**2 + d**2)))",
    ),
    ("phi(b*x)*Phi(c*x)", "1/(2*sqrt(2*pi)*sqrt(1 + b**2))"),
    ("x*phi(b*x)*Phi(c*x)", "c/(2*pi*(1 + b**2)*sqrt(1 + b**2 + c**2))"),
    # Two distribution functions.
    ("Phi(x)**2", "pi/(3*pi)"),
    ("Phi(b*x)**2", "1/2 - atan(1/sqrt(1 + 2*b**2))/pi"),
    ("Phi(b*x)**2", "atan(sqrt(1 + 2*b**2))/pi"),
    ("Phi(a + b*x)**2", "Phi(a/sqrt(1 + b**2)) - 2*T(a/sqrt(1 + b**2), 1/sqrt(1 + 2*b**2))"),
    (
        "Phi(a + b*x)*Phi(a - b*x)",
        "Phi(a/sqrt(1 + b**2)) - 2*T(a/sqrt(1 + b**2), sqrt(1 + 2*b**2))",
    ),
    ("Phi(b*x)*Phi(c*x)", "1/4 + asin(b*c/sqrt((1 + b**2)*(1 + c**2)))/(2*pi)"),
    (
        "Phi(a + b*x)*Phi(c*x)",
        "Phi(a/sqrt(1 + b**2))/2 + T(a/sqrt(1 + b**2), b*c/sqrt(1 + b**2 + c**2))",
    ),
    (
        "Phi(a + b*x)*Phi(c + d*x)",
        "bivariate(a/sqrt(1 + b**2), c/sqrt(1 + d**2), b*d/sqrt((1 + b**2)*(1 + d**2)))",
    ),
    ("x*Phi(b*x)**2", "b/sqrt(2*pi*(1 + b**2))"),
    (
        "x*Phi(a + b*x)**2",
        "2*b/sqrt(1 + b**2)*phi(a/sqrt(1 + b**2))*Phi(a/sqrt((1 + b**2)*(1 + 2*b**2)))",
    ),
    ("x**2*Phi(b*x)**2", "atan(sqrt(1 + 2*b**2))/pi + b**2/(pi*(1 + b**2)*sqrt(1 + 2*b**2))"),
    ("x*Phi(b*x)*Phi(c*x)", "(b/sqrt(1 + b**2) + c/sqrt(1 + c**2))/(2*sqrt(2*pi))"),
]

# Weight exp(-p x^2), p > 0.
OTHERS = [
    ("Gradshteyn-Ryzhik", "1", "sqrt(pi/p)"),
    ("Gradshteyn-Ryzhik", "x**2", "sqrt(pi/p)/(2*p)"),
    ("Gradshteyn-Ryzhik", "x**4", "3*sqrt(pi/p)/(4*p**2)"),
    ("Gradshteyn-Ryzhik", "exp(2*a*x)", "sqrt(pi/p)*exp(a**2/p)"),
    ("Gradshteyn-Ryzhik", "x*exp(2*a*x)", "a/p*sqrt(pi/p)*exp(a**2/p)"),
    ("Gradshteyn-Ryzhik", "x**2*exp(2*a*x)", "(1 + 2*a**2/p)*sqrt(pi/p)*exp(a**2/p)/(2*p)"),
    ("Gradshteyn-Ryzhik", "cos(a*x)", "sqrt(pi/p)*exp(-a**2/(4*p))"),
    ("Gradshteyn-Ryzhik", "x*sin(a*x)", "a/(2*p)*sqrt(pi/p)*exp(-a**2/(4*p))"),
    (
        "Gradshteyn-Ryzhik",
        "x**2*cos(a*x)",
        "sqrt(pi/p)*(2*p - a**2)/(4*p**2)*exp(-a**2/(4*p))",
    ),
    (
        "Gradshteyn-Ryzhik",
        "sin(a*x)*sin(b*x)",
        "sqrt(pi/p)/2*(exp(-(a - b)**2/(4*p)) - exp(-(a + b)**2/(4*p)))",
    ),
    ("Gradshteyn-Ryzhik", "sin(p*(x + a))", "sqrt(pi/p)*exp(-p/4)*sin(a*p)"),
    ("Gradshteyn-Ryzhik", "cos(p*(x + a))", "sqrt(pi/p)*exp(-p/4)*cos(a*p)"),
    ("Gradshteyn-Ryzhik", "sinh(a*x)**2", "sqrt(pi/p)*(exp(a**2/p) - 1)/2"),
    (
        "Gradshteyn-Ryzhik",
        "cosh(a*x)*cos(b*x)",
        "sqrt(pi/p)*exp((a**2 - b**2)/(4*p))*cos(a*b/(2*p))",
    ),
    ("Ng-Geller", "erf(a*x + b)", "sqrt(pi/p)*erf(b*sqrt(p/(a**2 + p)))"),
    ("Ng-Geller", "x*erf(a*x)", "a/(p*sqrt(a**2 + p))"),
    ("Ng-Geller", "x*erf(a*x + b)", "a/(p*sqrt(a**2 + p))*exp(-b**2*p/(a**2 + p))"),
    ("Ng-Geller", "x**3*erf(a*x)", "a*(2*a**2 + 3*p)/(2*p**2*(a**2 + p)**1.5)"),
    (
        "Ng-Geller",
        "exp(b*x)*erf(a*x)",
        "sqrt(pi/p)*exp(b**2/(4*p))*erf(a*b/(2*sqrt(p*(a**2 + p))))",
    ),
    (
        "Ng-Geller",
        "sinh(b*x)*erf(a*x)",
        "sqrt(pi/p)*exp(b**2/(4*p))*erf(a*b/(2*sqrt(p*(a**2 + p))))",
    ),
    ("Ng-Geller", "erfc(a*x + b)", "sqrt(pi/p)*erfc(b*sqrt(p/(a**2 + p)))"),
    ("Ng-Geller", "erf(a*x)**2", "2/sqrt(pi*p)*atan(a**2/sqrt(p**2 + 2*a**2*p))"),
    (
        "Prudnikov-Brychkov-Marichev",
        "erf(a*x)*erf(b*x)",
        "2/sqrt(pi*p)*atan(a*b/sqrt(p*(a**2 + b**2 + p)))",
    ),
    (
        "Prudnikov-Brychkov-Marichev",
        "sin(b*x)*erf(a*x)",
        "sqrt(pi/p)*exp(-b**2/(4*p))*erfi(a*b/(2*sqrt(p*(a**2 + p))))",
    ),
    (
        "Prudnikov-Brychkov-Marichev",
        "erf(a*x + b)*exp(-c*x**2)",
        "sqrt(pi/(p + c))*erf(b*sqrt((p + c)/(a**2 + p + c)))",
    ),
    (
        "Prudnikov-Brychkov-Marichev",
        "x**2*erf(a*x)*erf(b*x)",
        "atan(a*b/sqrt(p*(a**2 + b**2 + p)))/(sqrt(pi)*p**1.5)"
        " + a*b*(a**2 + b**2 + 2*p)/(sqrt(pi)*p*(a**2 + p)*(b**2 + p)*sqrt(a**2 + b**2 + p))",
    ),
    (
        "Prudnikov-Brychkov-Marichev",
        "x*erf(a*x)*exp(-b*x**2)",
        "a/((p + b)*sqrt(a**2 + p + b))",
    ),
    (
        "Owen 1956",
        "erf(a*x + b)**2",
        "sqrt(pi/p)*(1 - 8*T(b*sqrt(2*p/(a**2 + p)), sqrt(p/(2*a**2 + p))))",
    ),
]

# Half-lines, and integrands that bend or jump.
HALF_LINES = [
    "step(x - h)", "x*step(x - h)", "x**2*step(x - h)", "x**4*step(x - h)",
    "exp(c*x)*step(x - h)", "step(x)*exp(-c*x**2/2)", "step(x)*Phi(b*x)", "step(x)*Phi(a + b*x)",
    "step(x - h)*Phi(b*x)", "x*step(x)*Phi(b*x)", "x*step(x - h)*Phi(b*x)", "step(x)*Phi(b*x)**2",
    "Max(x - h, 0)", "Max(x - h, 0)**2", "Max(x, 0)*Phi(a + b*x)", "Abs(x)", "Abs(x)**3",
    "Abs(a + b*x)", "Abs(x)*Phi(b*x)", "sign(a + b*x)", "sign(x)*Phi(b*x)", "exp(-c*Abs(x))",
]  # fmt: skip
# Owen's T, and three or more distribution functions.
FUNCTIONS = [
    "T(b*x, c)", "Phi(x)*(1 - Phi(x))", "Phi(x)**3", "Phi(x)**4", "x*Phi(x)**3", "x**2*Phi(x)**3",
    "Phi(x)*Phi(b*x)*Phi(c*x)", "phi(x)*Phi(x)**2", "exp(c*x)*Phi(x)**2",
]  # fmt: skip
# Two variables.
PAIRS = [
    "x**2*y**2", "x**4*y**4", "(a*x**2 + 2*b*x*y + c*y**2)**2", "exp(a*x + b*y)",
    "x*y*exp(a*x + b*y)", "exp(-a*x**2 - b*y**2)", "cos(a*x)*cos(b*y)", "y*Phi(a + b*x)",
    "phi(a*x)*phi(b*y)", "erf(a*x)*erf(b*y)", "Phi(a*x)*Phi(b*y)", "x*y*Phi(a*x)*Phi(b*y)",
    "x*sign(y)", "sign(x)*sign(y)", "sign(x)*erf(a*y)", "step(x)*step(y)",
    "step(h - x)*step(k - y)", "Max(x, 0)*Max(y, 0)", "Abs(x)*Abs(y)", "Abs(x - y)",
]  # fmt: skip

ENTRIES = [
    *(Entry("Owen 1980", *line) for line in OWEN),
    *(Entry(*line, "p") for line in OTHERS),
    *(Entry("half-lines", line) for line in HALF_LINES),
    *(Entry("functions", line) for line in FUNCTIONS),
    *(Entry("pairs", line, weight="pair") for line in PAIRS),
]  # fmt: skip

X, Y, H, K, R = (Symbol(name, real=True) for name in "xyhkr")
A, B, C, D, P = (Symbol(name, positive=True) for name in "abcdp")
SYMPY = {
    "x": X,
    "y": Y,
    "h": H,
    "k": K,
    "r": R,
    "a": A,
    "b": B,
    "c": C,
    "d": D,
    "p": P,
    "phi": normal_pdf,
    "Phi": normal_cdf,
    "T": OwensT,
    "step": sympy.Heaviside,
}
_LAWS = {
    "normal": (standard_normal(X), "$x \\sim N(0, 1)$"),
    "p": (GaussianLaw({X: 0}, [[1 / (2 * P)]]), "$x \\sim N(0, 1/(2p))$"),
    "pair": (GaussianLaw({X: 0, Y: 0}, [[1, R], [R, 1]]), "$x, y$, correlation $r$"),
}
# What is longer, in characters of LaTeX, is counted in place of shown.
_LONG = 170
# The rows that a check draws: some ten seconds of processor time.
_DRAWN = 30
# The cell of seconds, behind the one that says whether a mean is proved.
_SECONDS = re.compile(r"(proved \| )[\d.]+ s \|")
_HEAD = """# A table of normal integrals

Each row is an integrand, its law, and the mean that {{py:func}}`~slrsym.gaussian.expectation`
finds. The rows are entries of the tables of Owen (1980), of Gradshteyn and Ryzhik, of Ng and
Geller, and of Prudnikov, Brychkov and Marichev; means of functions that bend or jump; and means of
two variables. An integral against $\\mathrm{{e}}^{{-px^2}}$ is $\\sqrt{{\\pi/p}}$ times the mean
under $N(0, 1/(2p))$. The letters $a, b, c, d, p$ are positive, and $-1 < r < 1$.

Proved are means that {{py:data}}`slrsym.proof.gaussian_calculus` proves in one step, from an empty
log: {proved} of {count}. The others rest on the axiom that closed forms are right, or are not
accepted as a proof. The proof checker has no words for erfi. It does not know that $T$ is bounded.
It has no closed form of most products of a jump with a distribution function, of most products of
two functions at shifted arguments, and of four distribution functions. Times are those of a
processor, for the closed form and its proof. Tests compare every row with a quadrature that shares
no code with slrsym, to 1e-12.
`python benchmarks/normal_integrals.py --write docs/reference/normal-integrals.md` writes this page.

:::{{container}} stacked integrals
| no. | integrand | law | status | time | mean |
|---|---|---|---|---|---|"""


def rows() -> list[Entry]:
    """Return the entries, each integrand under each weight once."""
    return list({(entry.integrand, entry.weight): entry for entry in ENTRIES}.values())


def integrand_and_law(entry: Entry) -> tuple[Expr, GaussianLaw]:
    """Return the integrand of an entry and the law under which its mean is taken."""
    return sympy.sympify(entry.integrand, locals=SYMPY), _LAWS[entry.weight][0]


def is_proved(integrand: Expr, law: GaussianLaw, value: Expr) -> bool:
    """Return whether the Gaussian calculus proves a mean, without an axiom on its soundness."""
    claim = Claim(
        id="normal-integral",
        statement=Eq(Expectation(integrand, law), value, evaluate=False),
        hypotheses=[R > -1, R < 1],
        source="table",
    )
    claim.proof(lambda goal: chain(goal.lhs).then(goal.rhs, by=gaussian_calculus))
    verdict = judge_claim(claim, builtin_ledger().find)
    return not verdict.problem and not any(map(is_soundness_axiom, verdict.axioms))


def _latex(expr: Any) -> str:
    return to_latex(FormulaPrinter().box(expr)).replace("|", r"\vert ")


def row(number: int, entry: Entry, took: str | None = None) -> str:
    """Return a row of the table; without its time, that of the processor is measured."""
    start = time.process_time()
    integrand, law = integrand_and_law(entry)
    value = expectation(integrand, law)
    shown = _latex(value)
    shown = f"${shown}$" if len(shown) <= _LONG else f"a form of {value.count_ops()} operations"
    proved = "proved" if is_proved(integrand, law, value) else "not proved"
    took = took or f"{time.process_time() - start:.2f} s"
    cells = [number, f"${_latex(integrand)}$", _LAWS[entry.weight][1], proved, took, shown]
    return f"| {' | '.join(map(str, cells))} |"


def page() -> str:
    """Return the page in Markdown."""
    lines = [row(number, entry) for number, entry in enumerate(rows(), start=1)]
    proved = sum(" | proved | " in line for line in lines)
    return "\n".join([_HEAD.format(proved=proved, count=len(lines)), *lines, ":::", ""])


def check(text: str, count: int = _DRAWN) -> list[str]:
    """Return rows, drawn at random, that a page does not show."""
    drawn = random.sample(list(enumerate(rows(), start=1)), count)
    shown = _SECONDS.sub(r"\1? s |", text).splitlines()
    return [line for line in (row(*one, "? s") for one in sorted(drawn)) if line not in shown]


def main() -> int:
    """Write the page, or check some of its rows."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    kind = parser.add_mutually_exclusive_group(required=True)
    kind.add_argument("--write", type=Path, metavar="PAGE", help="the page to write")
    kind.add_argument("--check", type=Path, metavar="PAGE", help="the page to check")
    given = parser.parse_args()
    if given.write:
        given.write.write_text(page(), encoding="utf-8")
        return 0
    missing = check(given.check.read_text(encoding="utf-8"))
    print(*(f"the page does not show: {line}" for line in missing), sep="\n")
    return int(bool(missing))


if __name__ == "__main__":
    sys.exit(main())

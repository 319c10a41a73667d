"""Bounds of the derivatives of the risk on the square, and with them Taylor's formula.

They hold for all points of the square, and are as explicit as Propositions 8 and 12 need them.
"""

from sympy import And, Ge, Le, Symbol, erf, exp, pi, sqrt

from slrsym.papers.single_location.notation import B, gamma, kappa, nu
from slrsym.papers.single_location.planar import (
    M,
    P,
    Q,
    R_kappa,
    R_kappa_kappa,
    R_nu,
    b,
    square_conditions,
)
from slrsym.proof import (
    Claim,
    D,
    algebra,
    all_of,
    chain,
    differentiate,
    having,
    lemma,
    monotone,
    sign,
)

x = Symbol("x", real=True)
z = Symbol("z", real=True)
p = Symbol("p", nonnegative=True)

# -- bounds of the bell and of its slope -------------------------------------------------------

exponential = Claim(
    id="exp-above-tangent",
    title="$exp(x) >= 1 + x$ for $x >= 0$",
    statement=Ge(exp(p) - 1 - p, 0),
    source="new",
)


@exponential.proof
def _(goal):
    """Both sides are 1 at 0, and the left one grows faster."""
    gap = exp(z) - 1 - z
    slope = chain(D(gap, z)).then(exp(z) - 1, by=differentiate).ge(0, by=sign)
    return chain(goal.lhs).ge(0, by=monotone(gap, z, start=p, end=0, derivative=slope))


bell_slope = Claim(
    id="bell-slope",
    title="$|2 x exp(-x^2)| <= 1$",
    statement=And(Le(2 * x * exp(-(x**2)) - 1, 0), Ge(2 * x * exp(-(x**2)) + 1, 0), evaluate=False),
    source="new; so that $|erf''| <= 2/sqrt(pi)$",
)


@bell_slope.proof
def _(goal):
    """$2|x| <= 1 + x^2 <= exp(x^2)$."""
    grows = lemma("exp-above-tangent", p=x**2).scaled(exp(-(x**2)))
    upper = (
        chain(2 * x * exp(-(x**2)) - 1).le((1 + x**2) * exp(-(x**2)) - 1, by=sign).le(0, by=grows)
    )
    lower = (
        chain(2 * x * exp(-(x**2)) + 1).ge(1 - (1 + x**2) * exp(-(x**2)), by=sign).ge(0, by=grows)
    )
    return all_of(upper, lower)


v = Symbol("v", real=True)
product = 2 * x * exp(-(x**2)) * v

bell_product = Claim(
    id="bell-slope-product",
    title="$|2 v x exp(-x^2)| <= 2$ for $|v| <= 2$",
    statement=And(Le(product, 2), Ge(product, -2), evaluate=False),
    source="new; so that $|v erf''(x)| <= 4/sqrt(pi)$",
    hypotheses=[Ge(v, -2), Le(v, 2)],
)


@bell_product.proof
def _(goal):
    """Multiply the bound of bell-slope by $|v|$."""
    first = 2 * x * exp(-(x**2))
    below = chain(first + 1).ge(0, by=lemma("bell-slope"))
    above = chain(first - 1).le(0, by=lemma("bell-slope"))

    def known(proof):
        return having(below, having(above, proof))

    return all_of(
        known(chain(product).le(2, by=sign)),
        known(chain(product).ge(-2, by=sign)),
    )


# -- the partial derivatives on the square -----------------------------------------------------


def within(expr, bound):
    return And(Le(expr, bound, evaluate=False), Ge(expr, -bound, evaluate=False), evaluate=False)


slope_kappa = Claim(
    id="proposition-8-slope-kappa",
    title="$|R_kappa| <= 8 gamma^2 b/sqrt(pi)$ on the square, where $b = lambda sqrt(d/2)/A$",
    statement=within(R_kappa(kappa, nu), P),
    source="Appendix B.6, with its constant; $b = lambda sqrt(d/2)/A$",
    hypotheses=square_conditions(),
)


@slope_kappa.proof
def _(goal):
    """Bound $erf'$ at 0, and the difference by 2."""
    bell = 4 * gamma**2 * b / sqrt(pi) * exp(-((b * kappa) ** 2))
    start = chain(R_kappa(kappa, nu)).then(bell * (erf(b * kappa / B) - nu), by=algebra)
    return all_of(
        start.le(2 * bell, by=sign).le(P, by=sign), start.ge(-2 * bell, by=sign).ge(-P, by=sign)
    )


slope_nu = Claim(
    id="proposition-8-slope-nu",
    title="$|R_nu| <= 2 gamma^2$ on the square",
    statement=within(R_nu(kappa), Q),
    source="Appendix B.6, with its constant",
)


@slope_nu.proof
def _(goal):
    """The error function is at most 1."""
    return all_of(chain(R_nu(kappa)).le(Q, by=sign), chain(R_nu(kappa)).ge(-Q, by=sign))


curvature = Claim(
    id="proposition-8-curvature",
    title=(
        "On the square, the second derivative of the risk in $kappa$, in closed form, is at most "
        "$8 gamma^2 b^2 (1/sqrt(pi) + 1/pi)$ in absolute value, $b = lambda sqrt(d/2)/A$"
    ),
    statement=within(R_kappa_kappa(kappa, nu), M),
    source="Appendix B.6, with its constant",
    hypotheses=square_conditions(),
)


@curvature.proof
def _(goal):
    """$|erf''| <= 2/sqrt(pi)$, times a factor of at most 2; add the product of two derivatives."""
    y = b * kappa
    bell = exp(-(y**2))
    second = 8 * gamma**2 * b**2 / pi / B * bell * exp(-((y / B) ** 2))
    factor = 4 * gamma**2 * b**2 / sqrt(pi)
    gap = erf(y / B) - nu
    bounded = lemma("bell-slope-product", x=y, v=gap).scaled(factor)
    start = chain(R_kappa_kappa(kappa, nu))
    return all_of(
        start.le(2 * factor + second, by=bounded).le(M, by=sign),
        start.ge(-2 * factor + second, by=bounded).ge(-2 * factor, by=sign).ge(-M, by=sign),
    )

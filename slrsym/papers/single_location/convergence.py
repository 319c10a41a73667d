"""Bounds of the number of descent steps on the manifold, from near the saddle to the oracle.

The planar map of Lemma 7 is written with any positive numbers N, Q, b and B, whose values in the
paper's task are `constants`. Claims ``convergence-time-...`` prove that a step lowers each of four
counts by at least 1, while its phase lasts: growth at the saddle, passage of kappa, contraction of
1 - nu, and contraction of 1 - kappa. `bound` adds them up.

Claims ``schedule-...`` let the inverse temperature fall like 1/(1 + c n); what they have in common
is at the end.
"""

from __future__ import annotations

from typing import Any

from sympy import Eq, Expr, Ge, IndexedBase, Le, Symbol, erf, exp, log, pi, sqrt, symbols

from slrsym.papers.single_location import notation, planar
from slrsym.papers.single_location.notation import alpha, kappa, nu
from slrsym.prover.statements.expressions import ForAll

# R_kappa is -N exp(-b^2 kappa^2) (nu - erf(b kappa/B)), and R_nu is -Q erf(b kappa).
N, Q, b, B = symbols("N Q b B", positive=True)
constants = {N: planar.N, Q: planar.Q, b: planar.b, B: notation.B}

# Free numbers: growth is shown while nu is below the level at c, with the rate g; then kappa passes
# r, nu stays above v and comes within h of 1; and kappa goes from r to q.
c, g, r, v, h, q = symbols("c g r v h q", nonnegative=True)


def coordinate_after_planar_step(x: Any, y: Any) -> Expr:
    """Return kappa or nu after a descent step from x, by Lemma 7; y is step size times slope."""
    return (x - y * (1 - x**2)) / sqrt(1 + y**2 * (1 - x**2))


def nu_with_zero_kappa_slope(x: Any) -> Expr:
    """Return the nu at which the derivative of the risk in kappa vanishes, for kappa = x."""
    return erf(b * x / B)


def minus_kappa_slope(x: Any, y: Any) -> Expr:
    """Return minus the derivative in kappa of the risk on the manifold, at kappa = x, nu = y."""
    return N * exp(-((b * x) ** 2)) * (y - nu_with_zero_kappa_slope(x))


def overlaps_after_planar_step(x: Any, y: Any) -> tuple[Expr, Expr]:
    """Return (kappa, nu) after one step of the planar map (13) from (x, y), in symbols."""
    return coordinate_after_planar_step(
        x, -alpha * minus_kappa_slope(x, y)
    ), coordinate_after_planar_step(y, -alpha * Q * erf(b * x))


level, push = nu_with_zero_kappa_slope(kappa), minus_kappa_slope(kappa, nu)
kappa_next, nu_next = overlaps_after_planar_step(kappa, nu)

# A run: both overlaps after t steps, for all t.
kappas, nus = (IndexedBase(name, real=True) for name in ("kappa", "nu"))
time = Symbol("t", integer=True, nonnegative=True)
run = tuple(
    ForAll(time, Eq(overlaps[time + 1], image, evaluate=False))
    for overlaps, image in zip(
        (kappas, nus), overlaps_after_planar_step(kappas[time], nus[time]), strict=True
    )
)

# The least factors of the linear gains in kappa and in nu, and the greatest loss of kappa.
m = (1 - alpha * N) * exp(-((b * c) ** 2)) * (1 - c**2)
ell = (1 - alpha * Q) * Q * erf(b) * (1 - nu_with_zero_kappa_slope(c) ** 2)
p = N * 2 / sqrt(pi) * b / B

# Growth is shown of `growing_combination`, if g^2 + p g <= m N l; the largest such g is
# `largest_g`.
largest_g = (sqrt(p**2 + 4 * m * N * ell) - p) / 2


def growing_combination(x: Any, y: Any) -> Expr:
    """Return the combination of kappa and nu that grows by the factor 1 + alpha g at least."""
    return g * x + m * N * y


# The gain of kappa in a step of the passage; the rates of 1 - nu and of 1 - kappa.
gain = (1 - alpha * N) * N * exp(-((b * r) ** 2)) * (v - nu_with_zero_kappa_slope(r)) * (1 - r**2)
nu_rate = (1 - alpha * Q) * Q * erf(b * r) * (1 + v)
kappa_rate = (
    (1 - alpha * N) * N * exp(-((b * q) ** 2)) * (1 - nu_with_zero_kappa_slope(q) - h) * (1 + r)
)


def growth_steps_bound(x: Any, y: Any) -> Expr:
    """Return a bound on the remaining steps of growth near the saddle, at (x, y)."""
    return (
        (log(growing_combination(1, nu_with_zero_kappa_slope(c))) - log(growing_combination(x, y)))
        * (1 + alpha * g)
        / (alpha * g)
    )


def passage_steps_bound(x: Any) -> Expr:
    """Return a bound on the remaining steps until kappa reaches r, at kappa = x."""
    return (r - x) / (alpha * gain)


def nu_contraction_steps_bound(y: Any) -> Expr:
    """Return a bound on the remaining steps until 1 - nu falls to h, at nu = y."""
    return (log(1 - y) - log(h)) / (alpha * nu_rate)


def kappa_contraction_steps_bound(x: Any) -> Expr:
    """Return a bound on the remaining steps until 1 - kappa falls to 1 - q, at kappa = x."""
    return (log(1 - x) - log(1 - q)) / (alpha * kappa_rate)


# A bound on the steps until kappa >= q and nu >= 1 - h, where growth begins at the overlaps kappa
# and nu, and v is the level at c: a phase lasts at most one step longer than its count.
contraction = 1 + kappa_contraction_steps_bound(r)
bound = (
    3
    + growth_steps_bound(kappa, nu)
    + passage_steps_bound(0)
    + nu_contraction_steps_bound(v)
    + contraction
)

# Then the risk is at most this above that of the oracle.
excess_at_end = Q * h + N * exp(-((b * q) ** 2)) * (1 - nu_with_zero_kappa_slope(q)) * (1 - q)

# No step contracts 1 - kappa at a higher rate than this where kappa >= r.
fastest_kappa_rate = 2 * N * exp(-((b * r) ** 2)) * (1 - nu_with_zero_kappa_slope(r))

# -- a falling inverse temperature -------------------------------------------------------------

# At the first step, N, b and B are N_0, b_0 and B_0. After t steps, N and b have been multiplied by
# y_t, and B is B_t. The numbers y_t fall, and are between 1/(1 + c t) and 1, with another c than
# above. A phase begins after T steps.
N0, b0, B0 = symbols("N_0 b_0 B_0", positive=True)
cooling = Symbol("c", positive=True)
ys, Bs = (IndexedBase(name, positive=True) for name in ("y", "B"))
T = Symbol("T", integer=True, nonnegative=True)


def at_step_of_schedule(expression: Any, step: Any) -> Any:
    """Put the values of N, b and B after some steps of the schedule into an expression."""
    values = {N: ys[step] * N0, b: ys[step] * b0, B: Bs[step]}
    return expression.subs(values, simultaneous=True)


cooled_run = tuple(
    ForAll(time, Eq(overlaps[time + 1], at_step_of_schedule(image, time), evaluate=False))
    for overlaps, image in zip(
        (kappas, nus), overlaps_after_planar_step(kappas[time], nus[time]), strict=True
    )
)
schedule = (
    ForAll(time, Le(ys[time], 1)),
    ForAll(time, Ge(ys[time] * (1 + cooling * time), 1)),
    ForAll(time, Le(ys[time + 1], ys[time])),
    ForAll(time, Ge(Bs[time], 1)),
)
# The step size is short enough for all inverse temperatures.
short_steps = (Le(alpha * N0, 1), Le(alpha * Q, 1), Le(2 / sqrt(pi) * alpha * N0 * b0, 1))
# A phase begins where the later phases stay.
cooled_start = (
    *cooled_run, *schedule, *short_steps, Ge(kappas[T], r), Le(kappas[T], 1),
    Ge(nus[T], erf(ys[T] * b0 * r)), Le(nus[T], 1),
)  # fmt: skip

# A step multiplies 1 - nu and 1 - kappa by at most 1 - alpha s y, with these numbers for s.
cooled_nu_rate = nu_rate.subs(b, b0)
cooled_kappa_rate = (1 - alpha * N0) * N0 * exp(-(b0**2)) * (1 - erf(b0) - h) * (1 + r)

# The numbers m, l and p of growth at the saddle, where either kappa <= c or nu is at most the error
# function of b c/B, and nu <= v.
cooled_m = (1 - alpha * N0) * exp(-((b0 * c) ** 2)) * (1 - c**2)
cooled_ell = (1 - alpha * Q) * Q * erf(b0) * (1 - v**2)
cooled_p = 2 / sqrt(pi) * N0 * b0
cooled_gain = (1 - alpha * N0) * N0 * exp(-((b0 * r) ** 2)) * (v - erf(b0 * r)) * (1 - r**2)


# Any numbers that are at most these m and l (at c = B_0 r), and at least this p; and the rate of
# growth by them.
weight, slope_nu, drop = (Symbol(name, nonnegative=True) for name in "mlp")
growth_rate = alpha * g / (1 + alpha * g)
growth_conditions = (
    Le(weight, cooled_m.subs(c, B0 * r)), Le(slope_nu, cooled_ell), Ge(drop, cooled_p),
    Le(g**2 + drop * g, weight * N0 * slope_nu),
)  # fmt: skip


def weighted_overlaps(x: Any, y: Any) -> Expr:
    """Return the combination of kappa and nu that grows at the saddle as lambda falls."""
    return g * x + weight * N0 * y


def cooled_steps(steps: Any, start: Any = 0) -> Expr:
    """Return log((1 + c (T + n))/(1 + c T))/c, for n steps from step T on.

    It counts steps as they would be at the first inverse temperature, and is n for small c.
    """
    return (log(1 + cooling * (start + steps)) - log(1 + cooling * start)) / cooling


def decay_over_cooled_steps(steps: Any, rate: Any, start: Any = 0) -> Expr:
    """Return ((1 + c (T + n))/(1 + c T))^(-s/c), for n steps from step T on and the rate s.

    A phase lowers a distance at least by this factor.
    """
    return exp(-rate * cooled_steps(steps, start))

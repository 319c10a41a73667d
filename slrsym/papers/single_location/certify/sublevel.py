r"""A certified sublevel set of the risk that lies near the oracle and its mirror image.

For a given k the risk is quadratic in v. With :math:`p^2 = 1 - \kappa^2`, and w for the product of
v with the direction of what k has beyond :math:`k^\star` and :math:`v^\star`, it is

.. math:: R = R_0 - N\nu + \tfrac12 (A\theta^2 + 2B\theta\eta + 2C\theta\rho + 2E\eta\rho
    + F\rho^2), \qquad \rho = \kappa\theta + \eta\nu + w\sqrt{p^2 - \eta^2},

where :math:`R_0, N, A, \dots, F` depend on kappa alone. As :math:`\theta^2 + \nu^2 + w^2 \le 1`, a
multiplier :math:`\mu > 0` gives a bound from below that is affine in :math:`\eta^2` (claims
``sublevel-multiplier`` and ``sublevel-affine``); so is the bound that a bound on nu gives (claim
``sublevel-near``). Ball arithmetic shows over all kappa that these are above `level`, but for a
neighbourhood of the oracle.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any, ClassVar

from flint import arb
from sympy import Expr, Rational, Symbol, sqrt

from slrsym.balls.box_functions import ParametricFunctions
from slrsym.balls.boxes import Box, to_flint_rational
from slrsym.balls.branch_and_bound import Budget, is_positivity_refuted_at, prove_positive
from slrsym.papers.single_location.notation import L, d, epsilon, gamma, lam
from slrsym.papers.single_location.paper_risk_expressions import (
    ON_M,
    risk_as_quadratic_off_manifold,
)
from slrsym.prover.certificates.box_certificate import register_certificate_class
from slrsym.prover.certificates.certificate_search import DIGITS
from slrsym.prover.certificates.own_statement import OwnStatementCertificate
from slrsym.prover.statements.words import InWords, in_words

# The coordinates on the manifold.
x1, x2 = ON_M

_LEVEL, _RADIUS = Symbol("level", real=True), Symbol("radius", real=True)
# Below this kappa the multiplier is that of the first kind.
_LOW = Fraction(1, 8)


@register_certificate_class
@dataclass(frozen=True)
class SublevelSet(OwnStatementCertificate):
    r"""A certificate that pairs with small risk are near the oracle or its mirror image.

    Parameters
    ----------
    lam : number
        Inverse temperature, exact or as text, positive.
    level : number
        Up to which value the excess risk is looked at; above that of the oracle.
    radius : number
        What :math:`2 - |\kappa + \nu|` is shown to be below, between 0 and 1/2.
    dimension, tokens : int, optional
        d and L.
    variance : number, optional
        gamma^2.
    max_boxes : int, optional
        How many boxes may be looked at.

    Raises
    ------
    ProofError
        If a number is a float.

    Examples
    --------
    >>> paper = SublevelSet("1/10", "577/5000", "3/20")
    >>> paper.reason_not_shown(paper.statement)
    ''
    """

    # Claims that turn the inequalities checked here into the statement.
    rests_on: ClassVar[tuple[str, ...]] = (
        "landscape-risk",
        "landscape-symmetries",
        "attraction-quadratic",
        "sublevel-form",
        "sublevel-multiplier",
        "sublevel-affine",
        "sublevel-near",
    )

    lam: Any
    level: Any
    radius: Any
    dimension: int = 400
    tokens: int = 10
    variance: Any = "1/2"
    max_boxes: int = 5000

    @property
    def box_text(self) -> str:
        """The box of parameters on which the certificate holds, as a text."""
        return (
            f"d = {self.dimension}, L = {self.tokens}, gamma^2 = {self.variance}, "
            f"lambda = {self.lam}, all unit k and v"
        )

    @property
    def statement(self) -> InWords:
        """The certified statement in words, with all its numbers."""
        return in_words(
            f"With $d = {self.dimension}$, $L = {self.tokens}$ and $gamma^2 = {self.variance}$, at "
            f"inverse temperature ${self.lam}$, all unit vectors $k$ and $v$ whose excess risk is "
            f"at most ${self.level}$ have $2 - |{x1} + {x2}| <= {self.radius}$, and the oracle's "
            f"excess risk is below ${self.level}$."
        )

    def _reason_not_shown(self) -> str:
        """Check the bounds of the risk for all kappa; return why they fail, or an empty text."""
        if not (Fraction(self.lam) > 0 and 0 < Fraction(self.radius) < Fraction(1, 2)):
            return "lam must be positive, and radius between 0 and 1/2"
        numbers = {"lam": self.lam, "level": self.level, "radius": self.radius}
        fields = sublevel_functions(self.dimension, self.tokens, str(self.variance))
        reason = reason_level_is_undecided(fields, numbers, (), Budget(self.max_boxes))
        if reason:
            return reason
        oracle = ((to_flint_rational(Fraction(1)), to_flint_rational(Fraction(1))),)
        if not is_positivity_refuted_at(fields["oracle"].bind(_balls(numbers), DIGITS), oracle):
            return f"the oracle's excess risk is not seen to be below {self.level}"
        return ""


def reason_level_is_undecided(
    fields: Mapping[str, ParametricFunctions],
    numbers: Mapping[str, Any],
    beside: Box,
    budget: Budget,
) -> str:
    """Return why risk bounds are not proved above a level for all kappa; empty if they are.

    `numbers` are those that fields take, among them the radius; `beside` are the ranges of their
    variables after kappa.
    """
    edge = 1 - Fraction(numbers["radius"])
    ends = {"low": (Fraction(0), _LOW), "middle": (_LOW, edge), "near": (edge, Fraction(1))}
    for part, (start, end) in ends.items():
        bound = fields[part].bind(_balls(numbers), DIGITS)
        found = prove_positive(
            bound, ((to_flint_rational(start), to_flint_rational(end)), *beside), budget
        )
        if found.counterexample is not None:
            return f"a bound is not above the level at {x1} = {found.counterexample[0][0]}"
        if not found.is_complete:
            return f"left open in {len(found.undecided)} of {len(found.tree)} boxes"
    return ""


def _balls(numbers: Mapping[str, Any]) -> dict[str, Any]:
    return {name: arb(to_flint_rational(Fraction(value))) for name, value in numbers.items()}


def quadratic_form_entries_and_risk_bounds(
    risk: Sequence[Expr], x1: Expr, mu: Expr
) -> dict[str, Expr]:
    r"""Return quadratic form entries, and lower bounds of the risk at both ends of eta's range.

    With the multiplier mu, given the numbers R_0, N, A, B, C, E, F: ``a``, ``c``, ``f`` for theta
    and rho, ``b``, ``e`` for their products with eta, ``first`` at eta = 0, ``last`` at p.
    """
    R_0, N, A, B, C, E, F = risk
    square = 1 - x1**2
    a, f = A + 2 * mu + 2 * mu * x1**2 / square, F + 2 * mu / square
    c = C - 2 * mu * x1 / square
    b, e = B + N * x1 / square, E - N / square
    minor = a * f - c**2
    lost = (f * b**2 - 2 * c * b * e + a * e**2) / minor
    first, last = R_0 - mu - N**2 / (4 * mu), R_0 - mu - square / 2 * lost
    entries = {"a": a, "c": c, "f": f, "b": b, "e": e}
    return entries | {"minor": minor, "first": first, "last": last}


@cache
def sublevel_functions(
    dimension: int, tokens: int, variance: str, *, over_oracle: bool = False
) -> dict[str, ParametricFunctions]:
    """Return the functions of kappa that must be positive, for each part of its range.

    With `over_oracle` they are functions of kappa and lambda, and the level is what is added to the
    oracle's excess risk.
    """
    task = {d: dimension, L: tokens, gamma: sqrt(Rational(variance)), epsilon: 0}
    parts = risk_as_quadratic_off_manifold()
    form, on_manifold = parts.form.subs(task), parts.on_manifold.subs(task)
    names: dict[Symbol, Expr] = {}

    def named(name: str, value: Expr) -> Expr:
        symbol = Symbol(name, real=True)
        names[symbol] = value
        return symbol

    entries = {"A": (0, 0), "B": (0, 1), "C": (0, 2), "E": (1, 2), "F": (2, 2)}
    R_0, N = named("R_0", on_manifold.subs(x2, 0)), named("N", -on_manifold.diff(x2))
    A, B, C, E, F = (named(name, form[entry]) for name, entry in entries.items())

    level = _LEVEL
    if over_oracle:
        level += named("oracle", on_manifold.subs({x1: 1, x2: 1}))

    def above(name: str, mu: Expr) -> list[Expr]:
        found = quadratic_form_entries_and_risk_bounds(
            (R_0, N, A, B, C, E, F), x1, named(f"mu_{name}", mu)
        )
        minor = named(f"minor_{name}", found["minor"])
        return [found["a"], minor, found["first"] - level, found["last"] - level]

    minor = named("minor", A * F - C**2)
    lost = (F * B**2 - 2 * C * B * E + A * E**2) / minor
    near = R_0 - N * (2 - _RADIUS - x1) - (1 - x1**2) / 2 * lost - level
    outputs = {
        "low": above("low", 6 * x1**2 + Rational(1, 10**5)),
        "middle": above("middle", N / 2),
        "near": [A, minor, near],
        "oracle": [R_0 - N - level],
    }
    letters = {"level": _LEVEL, "radius": _RADIUS}
    if over_oracle:
        del outputs["oracle"]
        return {
            part: ParametricFunctions(found, (x1, lam), names, letters)
            for part, found in outputs.items()
        }
    letters["lam"] = lam
    return {
        part: ParametricFunctions(found, (x1,), names, letters) for part, found in outputs.items()
    }

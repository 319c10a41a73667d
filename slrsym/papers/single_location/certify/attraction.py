r"""A certified neighbourhood of the oracle in which each step of descent comes closer to it.

With :math:`V = (1 - \kappa) + (1 - \nu)`, and g for the tangential parts of the gradients, a step
of size alpha gives (claim ``attraction-step``)

.. math:: V' \le V - \alpha D + \tfrac{\alpha^2}{2} G, \qquad
    D = -g_k \cdot k^\star - g_v \cdot v^\star, \quad G = |g_k|^2 + |g_v|^2.

The risk is a quadratic polynomial in theta, eta and rho, whose coefficients depend on kappa alone.
So, with :math:`\rho = \kappa\theta + \nu\eta + \tau`, and with x and y for the squared lengths of
what k and v have orthogonal to both k* and v*,

.. math:: D - \tfrac{\alpha}{2} G - \mu V \ge x X + y Y + (\eta, \theta, \tau) M
    (\eta, \theta, \tau)^T,

with numbers X, Y and a matrix M that depend on kappa, nu, and, affinely, on what theta, eta and rho
add to the slope in kappa, which is at most `room` (claim ``attraction-form``). The right side is
not negative where X, Y and some determinants are positive (claim ``attraction-positive``): those
are bounded here, over all kappa and nu with V at most `radius`, by ball arithmetic.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from typing import Any, ClassVar

from flint import arb
from sympy import Abs, Expr, Integer, Matrix, Rational, Symbol, diff, sqrt

from slrsym.balls.box_functions import Functions, ParametricFunctions
from slrsym.balls.boxes import Box, bisect, parse_rational_interval, to_flint_rational
from slrsym.balls.branch_and_bound import Budget, Subdivision, prove_positive
from slrsym.papers.single_location.notation import L, alpha, d, gamma, lam
from slrsym.papers.single_location.paper_risk_expressions import (
    OFF_M,
    ON_M,
    risk_as_quadratic_off_manifold,
)
from slrsym.prover.certificates.box_certificate import register_certificate_class
from slrsym.prover.certificates.certificate_search import DIGITS
from slrsym.prover.certificates.own_statement import OwnStatementCertificate
from slrsym.prover.statements.words import InWords, in_words

x1, x2 = ON_M

# What theta, eta and rho add to the slope in kappa.
_ROOM = Symbol("room", real=True)
# V, and the share of it that 1 - kappa has.
_MU = Symbol("mu", positive=True)
_V, _SHARE = Symbol("V", nonnegative=True), Symbol("s", nonnegative=True)


@register_certificate_class
@dataclass(frozen=True)
class Attraction(OwnStatementCertificate):
    r"""A certificate that descent converges to the oracle from a neighbourhood of it.

    Parameters
    ----------
    lam : number or interval
        Inverse temperatures, exact or as text, positive.
    step : number
        The largest step size.
    radius : number
        Up to which :math:`V = (1 - \kappa) + (1 - \nu)` it is shown, below 1.
    rate : number
        What is gained: :math:`V' \le (1 - \alpha\,\mathrm{rate}) V` for every step size alpha.
    room : number
        A bound on what theta, eta and rho add to the slope in kappa; any that suffices.
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
    >>> near = Attraction("1/10", "1/1000", "1/100", "1/100", "5")
    >>> near.reason_not_shown(near.statement)
    ''
    """

    # Claims that turn the inequalities checked here into the statement.
    rests_on: ClassVar[tuple[str, ...]] = (
        "landscape-risk",
        "lemma-4-chain-rule",
        "attraction-gradients",
        "attraction-step",
        "attraction-rate",
        "attraction-quadratic",
        "attraction-form",
        "attraction-positive",
        "attraction-pivots",
        "attraction-induction",
        "attraction-converges",
        "attraction-distance",
    )

    lam: Any
    step: Any
    radius: Any
    rate: Any
    room: Any
    dimension: int = 400
    tokens: int = 10
    variance: Any = "1/2"
    max_boxes: int = 5000

    @cached_property
    def _ends(self) -> tuple[Fraction, Fraction]:
        return parse_rational_interval("lam", self.lam)

    @property
    def box_text(self) -> str:
        """The box of parameters on which the certificate holds, as a text."""
        low, high = self._ends
        at = f"lambda = {low}" if low == high else f"lambda in [{low}, {high}]"
        task = f"d = {self.dimension}, L = {self.tokens}, gamma^2 = {self.variance}"
        return f"{task}, {at}, alpha <= {self.step}, 2 - {x1} - {x2} <= {self.radius}"

    @property
    def statement(self) -> InWords:
        """The certified statement in words, with all its numbers."""
        low, high = self._ends
        at = f"at inverse temperature ${low}$"
        if low != high:
            at = f"at inverse temperatures from ${low}$ to ${high}$"
        return in_words(
            f"With $d = {self.dimension}$, $L = {self.tokens}$ and $gamma^2 = {self.variance}$, "
            f"{at}, every step of projected descent of a size $alpha$ up to ${self.step}$ that "
            f"begins with $V = 2 - {x1} - {x2} <= {self.radius}$ ends with "
            f"$V' <= (1 - {self.rate} alpha) V$. So descent converges to the oracle from "
            f"everywhere in this neighbourhood, on or off the manifold, at that rate."
        )

    def _reason_not_shown(self) -> str:
        """Check the inequalities on the whole box; return why they fail, or an empty text."""
        low, high = self._ends
        if not (low > 0 and 0 < Fraction(self.radius) < 1 and Fraction(self.rate) > 0):
            return "lam and rate must be positive, and radius between 0 and 1"
        if not 0 < Fraction(self.step) * Fraction(self.rate) < 1:
            return "step must be positive, and below 1/rate"
        state = {_V: (Fraction(0), Fraction(self.radius)), _SHARE: (Fraction(0), Fraction(1))}
        numbers = {"alpha": self.step, "mu": self.rate}
        if low == high:
            numbers["lam"] = low
        else:
            state[lam] = (low, high)
        known = {name: arb(to_flint_rational(Fraction(value))) for name, value in numbers.items()}
        field = _field(self.dimension, self.tokens, str(self.variance), tuple(state))
        box = tuple((to_flint_rational(a), to_flint_rational(b)) for a, b in state.values())
        budget = Budget(self.max_boxes)
        # What is shown at both ends of an interval in which the matrix is affine holds between.
        for room in (Fraction(self.room), -Fraction(self.room)):
            bound = field.bind({**known, "room": arb(to_flint_rational(room))}, DIGITS)
            found = _covered(bound, box, budget)
            if found.counterexample is not None:
                at = ", ".join(
                    f"{x} = {low}" for x, (low, _) in zip(state, found.counterexample, strict=True)
                )
                listed = ", ".join(self.conditions()[0])
                return f"not all of {listed} are positive at {at}"
            if not found.is_complete:
                return f"left open in {len(found.undecided)} of {len(found.tree)} boxes"
        return ""

    def conditions(self) -> tuple[dict[str, Expr], dict[Symbol, Expr]]:
        """Return the quantities that must be positive, with the definitions of their symbols."""
        numbers = {alpha: Rational(str(self.step)), _MU: Rational(str(self.rate))}
        found, names = _conditions(self.dimension, self.tokens, str(self.variance))
        return (
            {name: e.subs(numbers) for name, e in found.items()},
            {symbol: e.subs(numbers) for symbol, e in names.items()},
        )


# Boxes for a slice of inverse temperatures, before it is cut.
_FEW = 5


@cache
def _field(
    dimension: int, tokens: int, variance: str, state: tuple[Symbol, ...]
) -> ParametricFunctions:
    """Return the conditions for attraction as functions of V, kappa's share of V, and lambda."""
    conditions, names = _conditions(dimension, tokens, variance)
    letters = {"room": _ROOM, "alpha": alpha, "mu": _MU} | ({} if lam in state else {"lam": lam})
    return ParametricFunctions(list(conditions.values()), state, names, letters)


def _covered(bound: Functions, box: Box, budget: Budget) -> Subdivision:
    """Prove the conditions on a box, cut first in lambda; return the last slice's subdivision.

    Where bounds are wide in the inverse temperature, other cuts do not help.
    """
    if len(box) == 2:
        return prove_positive(bound, box, budget)
    slices = [box]
    while True:
        piece = slices.pop()
        found = prove_positive(bound, piece, budget.sub_budget(1, _FEW))
        if found.counterexample is not None or (not found.is_complete and budget.is_over):
            return found
        if not found.is_complete:
            slices += reversed(bisect(piece, 2))
        elif not slices:
            return found


def _conditions(
    dimension: int, tokens: int, variance: str
) -> tuple[dict[str, Expr], dict[Symbol, Expr]]:
    task = {d: dimension, L: tokens, gamma: sqrt(Rational(variance))}
    names: dict[Symbol, Expr] = {x1: 1 - _V * _SHARE, x2: 1 - _V * (1 - _SHARE)}

    def named(name: str, value: Expr) -> Expr:
        symbol = Symbol(name, real=True)
        names[symbol] = value
        return symbol

    parts = risk_as_quadratic_off_manifold()
    form = parts.form.subs(task)
    letters = [p.name for p in OFF_M]

    def entries(matrix: Any, mark: str) -> Matrix:
        made = {
            (i, j): named(f"{mark}_{letters[i]}_{letters[j]}", matrix[i, j])
            for i in range(3)
            for j in range(i, 3)
        }
        return Matrix(3, 3, lambda i, j: made[min(i, j), max(i, j)])

    Q, slope = entries(form, "Q"), entries(diff(form, x1), "S")
    c = named("c", -parts.on_manifold.subs(task).diff(x1, x2))
    P = named("P", -parts.on_manifold.subs(task).diff(x1).subs(x2, 1))
    N = named("N", -parts.on_manifold.subs(task).diff(x2))
    wide, high = 1 - x1**2, 1 - x2**2
    own = -P + c * (1 - x2)
    X = named("X", P - alpha / 2 * own**2 - _MU / (1 + x1))
    Y = named("Y", N - alpha / 2 * N**2 - c * wide / (1 + x2) - _MU / (1 + x2))
    root = named("root", sqrt(X * Y))
    S = slope.applyfunc(Abs)
    # |2 a b| <= a^2 + b^2, and rho^2 <= 2 (1 - kappa^2) + 2 (1 - nu^2).
    most = (
        (S[0, 0] + S[0, 1] + S[0, 2]) * high
        + (S[0, 1] + S[1, 2]) * wide
        + (S[0, 2] + S[1, 2] + S[2, 2]) * 2 * (wide + high)
    ) / 2
    M = attraction_form_matrix(Q, slope, alpha, own, _ROOM, N)
    M[0, 0] += X
    M[1, 1] += Y
    m = {(i, j): named(f"M_{i}{j}", M[i, j]) for i in range(3) for j in range(i, 3)}
    minor = named("minor", m[0, 0] * m[1, 1] - m[0, 1] ** 2)
    det = (
        m[0, 0] * (m[1, 1] * m[2, 2] - m[1, 2] ** 2)
        - m[0, 1] * (m[0, 1] * m[2, 2] - m[1, 2] * m[0, 2])
        + m[0, 2] * (m[0, 1] * m[1, 2] - m[1, 1] * m[0, 2])
    )
    found = {
        "the room": Abs(_ROOM) - most,
        "X": X,
        "Y": Y,
        "M_11": m[0, 0],
        "the second minor": minor,
        "the determinant": _V * det + 2 * root * minor,
    }
    return found, names


def attraction_form_matrix(
    Q: Matrix, slope: Matrix, alpha: Expr, own: Expr, beside: Expr, N: Expr
) -> Matrix:
    r"""Return the matrix in (eta, theta, tau) of the quadratic form that must be positive definite.

    Terms of fourth order, which are not negative, are left out of it. Q is the matrix of the risk
    in theta, eta and rho, `slope` its derivative in kappa, `own` the slope in kappa on the
    manifold, `beside` what is added to it, and N minus the slope in nu.
    """
    th, et, rh = (Matrix([[Integer(i == j) for j in range(3)]]) for i in range(3))
    R_th, R_et, R_rh = th * Q, et * Q, rh * Q

    def product(u: Matrix, v: Matrix) -> Matrix:
        both = u.T * v
        return (both + both.T) / 2

    along_k = product(et, R_et) + product(rh, R_rh)
    along_v = product(th, R_th) + product(rh, R_rh)
    whole = -(1 - x1**2) / 2 * (1 + alpha / 2 * (2 * own + beside)) * slope
    whole += x1 * along_k + x2 * along_v - product(th + et, R_rh)
    whole -= alpha * (own + beside) * (product(th, R_rh) - x1 * along_k)
    whole += alpha * N * (product(et, R_rh) - x2 * along_v)
    whole -= alpha / 2 * (product(R_et, R_et) + product(R_rh, R_rh) + 2 * x2 * product(R_et, R_rh))
    whole -= alpha / 2 * (product(R_th, R_th) + product(R_rh, R_rh) + 2 * x1 * product(R_th, R_rh))
    turn = Matrix([[0, 1, 0], [1, 0, 0], [x2, x1, 1]])
    return turn.T * whole * turn

r"""The kinds of certificates: for each, functions, their domain, and the sign to prove.

This is read by the search and by the verifier, and belongs to neither. A certificate holds for all
parameters of a box; over each part into which this is cut, the parameters are balls.

**Step sizes** (`alpha`). With the numbers m_ij, pole factors p and squares of norms N of
``slrsym.papers.single_location.certify.manifold_functions``, the following are shown to be positive
on the whole square: p_kappa, p_nu, m_11, m_22, their determinant, and 2 - N_kappa, 2 - N_nu. From
these follow, for that step size and for every smaller one, the conditions of Propositions 8 and 12:

*Every smaller step.* Write r for a slope times the root of 1 - kappa^2 (or 1 - nu^2). The matrix m
has the principal minors of the symmetric matrix :math:`N - \alpha H`, where N is diagonal with
entries :math:`1 + \alpha^2 r^2` and H is the Hessian of the risk in the angles (this is
``slrsym.papers.single_location.certify.manifold_functions.is_step_matrix_from_angle_hessian``),
which thus is positive definite. Dividing by alpha gives :math:`(1/\alpha + \alpha r^2) - H`, where
the first part falls as alpha grows as long as :math:`\alpha^2 r^2 < 1`, that is N < 2. So the
matrix is positive definite for all smaller alpha. The pole factors are affine in alpha, and 1 at 0.

*The Jacobian determinant of g* is :math:`p_\kappa p_\nu \det m / (N_\kappa N_\nu)^{3/2} > 0`.

*g is injective.* It maps each side of the square to itself, and for each kappa it raises nu' with
nu, since :math:`\partial\nu'/\partial\nu` has the sign of :math:`p_\nu m_{22}`, from -1 to 1. So
for each value c the points with nu' = c are the graph of a function of kappa. Along it, kappa'
grows at the rate :math:`\det Dg / (\partial\nu'/\partial\nu) > 0`. So a value of g is taken once.

*Eigenvalues at the origin.* The slopes vanish there, so m = I - alpha H there, positive definite;
as det H < 0 (the condition ``saddle``), one eigenvalue of Dg is in (0, 1) and one above 1.

*The risk decreases.* In the angles :math:`\varphi, \psi` a step is
:math:`\varphi' = \varphi - \arctan(\alpha r_\varphi)` with :math:`r = \nabla F` the gradient of the
risk F there, and the segment to the new point stays in the square since p > 0. By Taylor's formula
with :math:`H \prec (2 - \mu)/\alpha` on the segment, where :math:`\mu > 0` by compactness and
:math:`N - \alpha H \succ 0`, N < 2, and with :math:`\delta \tan\delta \ge \delta^2`,

.. math:: F' - F &\le -\tfrac1\alpha \sum \delta_i \tan\delta_i
    + \tfrac{2 - \mu}{2\alpha} \sum \delta_i^2 \\
    &\le -\tfrac{\mu}{2\alpha} \sum \delta_i \tan \delta_i \\
    &= -\tfrac{\mu}{2} \sum r_i \arctan(\alpha r_i),

which is negative except at the solutions of (14).

**Fixed points**: all solutions of (14). A product vanishes with one of its factors, so these are
the four corners, the points of a side where the other slope vanishes, and the points of the square
where both do. Each of these systems has its zeros isolated; positive factors are left out.

**Classification** (Proposition 10). Shown to be positive: minus R_kappa on the side nu = 1, R_kappa
on the side nu = -1, the derivative of -R_nu in kappa, and minus the determinant of the Hessian at
the origin; and by algebra: R_nu does not depend on nu and vanishes at kappa = 0, R_kappa vanishes
at the origin, and the risk is even. For kappa >= 0 the risk falls (or stays) as nu rises to 1, and
then strictly as kappa rises to 1: the minimum on this half is at (1, 1) alone. The other way it
rises to (1, -1). The other half is its mirror image.

**Local rates**. Near the corner (1, 1) the pole factors and m_11, m_22 are near 1, and N is at
least 1. Shown to be positive on the square of side r at the corner, for both rows of the Jacobian
matrix of g: :math:`1 - p_i m_{ii} \pm p_i m_{ij} - \tau_i` and
:math:`1 + p_i m_{ii} \pm p_i m_{ij} - \tau_i`. So the absolute values in row i sum up to less than
:math:`1 - \tau_i`: the map contracts there in the largest norm. At the corner itself the matrix is
diagonal, and :math:`1 - p_i m_{ii}` lies between the two rates given.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import cache, partial

from flint import fmpq
from sympy import Expr, Symbol, erf, expand, simplify

from slrsym.balls.box_functions import CertificateKind, CertificatePart, ParametricFunctions
from slrsym.balls.boxes import to_flint_rational
from slrsym.kernels.symbolic_functions import DifferenceFromErf, zeta_by_variance
from slrsym.papers.single_location import paper_risk_expressions
from slrsym.papers.single_location.certify.manifold_functions import (
    ROOM,
    derivative_symbol_definitions,
    drop_positive_factors,
    is_step_matrix_from_angle_hessian,
    planar_map,
    risk_first_derivatives,
    risk_second_derivatives,
)
from slrsym.papers.single_location.notation import (
    ORDER_PARAMETERS,
    L,
    alpha,
    d,
    epsilon,
    gamma,
    lam,
)
from slrsym.papers.single_location.paper_risk_expressions import ON_M

__all__ = ["ENCLOSURES", "KINDS"]

PARAMETERS = {
    "lam": lam,
    "gamma": gamma,
    "d": d,
    "alpha": alpha,
    "L": L,
    "epsilon": epsilon,
    "s": Symbol("s", positive=True),
}
_OF_MAP = ("lam", "gamma", "d")
_functions = partial(ParametricFunctions, parameters=PARAMETERS)

_SIDE = (fmpq(-1), fmpq(1))

# The coordinates on the manifold.
x1, x2 = ON_M


# -- step sizes --------------------------------------------------------------------------------


@cache
def _step_parts() -> tuple[CertificatePart, ...]:
    step = planar_map()
    conditions = {
        f"pole factor of {x1}": step.poles[0],
        f"pole factor of {x2}": step.poles[1],
        f"slope of {x1}' in {x1}": step.entries[0][0],
        f"slope of {x2}' in {x2}": step.entries[1][1],
        "Jacobian determinant": step.jacobian_numerator_determinant,
        f"step of {x1} below 45 degrees": 2 - step.norms[0],
        f"step of {x2} below 45 degrees": 2 - step.norms[1],
    }
    square = _functions(tuple(conditions.values()), (x1, x2), derivative_symbol_definitions())
    return (CertificatePart("square", square, (_SIDE, _SIDE), labels=tuple(conditions)), _saddle())


def _saddle() -> CertificatePart:
    in_1, mixed, in_2 = (b.subs({x1: 0, x2: 0}).doit() for b in risk_second_derivatives())
    found = _functions((mixed**2 - in_1 * in_2,), ())
    return CertificatePart(
        "saddle", found, (), labels=("minus the determinant of the Hessian at the origin",)
    )


@cache
def _step_facts() -> Mapping[str, bool]:
    # The sides are mapped to themselves: what is added to kappa there has the factor c_kappa.
    step = planar_map()
    room = {symbol: 0 for symbol in derivative_symbol_definitions() if symbol.name.startswith("c_")}
    on_sides = all(
        simplify(new.subs(room) - x) == 0 for new, x in zip(step.new, (x1, x2), strict=True)
    )
    return {
        "the Jacobian matrix is that of N - alpha times the Hessian": (
            is_step_matrix_from_angle_hessian()
        ),
        "every side is mapped to itself": on_sides,
        "the origin is critical": _critical_origin(),
    }


def _critical_origin() -> bool:
    return all(_at_origin(slope) == 0 for slope in risk_first_derivatives())


def _at_origin(expr: Expr) -> Expr:
    return simplify(_without_defects(expr).subs({x1: 0, x2: 0}))


def _without_defects(expr: Expr) -> Expr:
    """Replace the function `DifferenceFromErf(x, y)` by its definition `x - erf(y)`."""
    return expr.replace(DifferenceFromErf, lambda x, y: x - erf(y))


# -- fixed points ------------------------------------------------------------------------------


@cache
def _zero_parts() -> tuple[CertificatePart, ...]:
    in_1, in_2 = (drop_positive_factors(slope) for slope in risk_first_derivatives())
    sides = []
    for end in (1, -1):
        along_2 = _functions((in_2.subs(x1, end),), (x2,))
        along_1 = _functions((in_1.subs(x2, end),), (x1,))
        sides.append(CertificatePart(f"side {x1} = {end}", along_2, (_SIDE,), zeros=True))
        sides.append(CertificatePart(f"side {x2} = {end}", along_1, (_SIDE,), zeros=True))
    square = _functions((in_1, in_2), (x1, x2))
    return (*sides, CertificatePart("square", square, (_SIDE, _SIDE), zeros=True))


# -- classification ----------------------------------------------------------------------------


@cache
def _order_parts() -> tuple[CertificatePart, ...]:
    in_1, in_2 = risk_first_derivatives()
    falls = _functions((drop_positive_factors(-in_1.subs(x2, 1)),), (x1,))
    rises = _functions((drop_positive_factors(in_1.subs(x2, -1)),), (x1,))
    turns = _functions((drop_positive_factors(-in_2.diff(x1)),), (x1,))
    return (
        CertificatePart(f"side {x2} = 1", falls, (_SIDE,), labels=(f"minus the slope in {x1}",)),
        CertificatePart(f"side {x2} = -1", rises, (_SIDE,), labels=(f"the slope in {x1}",)),
        CertificatePart(
            f"slope in {x2}", turns, (_SIDE,), labels=(f"minus its derivative in {x1}",)
        ),
        _saddle(),
    )


@cache
def _order_facts() -> Mapping[str, bool]:
    in_2 = risk_first_derivatives()[1]
    gradient = [_without_defects(slope) for slope in risk_first_derivatives()]
    mirrored = [g.subs({x1: -x1, x2: -x2}, simultaneous=True) for g in gradient]
    return {
        f"the slope in {x2} does not depend on {x2}": not in_2.has(x2),
        f"it vanishes at {x1} = 0": simplify(in_2.subs(x1, 0)) == 0,
        "the origin is critical": _critical_origin(),
        # Its gradient is odd.
        "the risk is even": all(
            expand(a + b) == 0 for a, b in zip(gradient, mirrored, strict=True)
        ),
    }


# -- local rates -------------------------------------------------------------------------------


@cache
def _rate_fields() -> tuple[ParametricFunctions, ParametricFunctions]:
    """Return the conditions on the convergence rates of kappa and nu, and the rates at (1, 1).

    The conditions are p m_ii - 1 plus and minus p m_ij.

    The 1 is taken out by algebra, as what is left of it may be tiny.
    """
    step = planar_map()
    corner = {x1: 1, x2: 1}
    rows, rates = [], []
    for i, (pole, row) in enumerate(zip(step.poles, step.entries, strict=True)):
        short, beside = expand(1 - pole * row[i]), pole * row[1 - i]
        rows += [short + beside, short - beside]
        rates.append(short.subs(dict.fromkeys(ROOM, 0)).subs(corner))
    at_corner = {
        symbol: value.subs(corner) for symbol, value in derivative_symbol_definitions().items()
    }
    return _functions(rows, (x1, x2), derivative_symbol_definitions()), _functions(
        rates, (), at_corner
    )


def _rate_parts(numbers: Mapping[str, Fraction]) -> tuple[CertificatePart, ...]:
    around, at_corner = _rate_fields()
    given = {name: to_flint_rational(x) for name, x in numbers.items()}
    gains = [given[f"{x}_gain"] for x in ON_M for _ in range(2)]
    rates = [(given[f"{x}_rate_low"], given[f"{x}_rate_high"]) for x in ON_M]
    side = (1 - given["radius"], fmpq(1))
    return (
        CertificatePart(
            "corner",
            around,
            (side, side),
            labels=tuple(
                f"{x}' {what}, {name} the slope beside"
                for x in ON_M
                for name in ("plus", "minus")
                for what in ("contracts", "is not reversed")
            ),
            bounds=tuple((gain, 2 - gain) for gain in gains),
        ),
        CertificatePart(
            "rates",
            at_corner,
            (),
            labels=tuple(
                f"rate of {x}, {way}" for x in ON_M for way in ("from below", "from above")
            ),
            bounds=tuple(rates),
        ),
    )


# -- enclosures ----------------------------------------------------------------------------------

_T = Symbol("t", real=True)
_UPPER = [(i, j) for i in range(5) for j in range(i, 5)]


@cache
def _enclosed(quantity: str) -> tuple[ParametricFunctions, tuple[str, ...]]:
    """Return the functions that an enclosure bounds, and their names."""
    if quantity == "zeta":
        return _functions((zeta_by_variance(_T, PARAMETERS["s"]),), (_T,)), ("zeta",)
    if quantity == "risk":
        return _functions((paper_risk_expressions.risk(),), ORDER_PARAMETERS), ("R",)
    if quantity == "gradient":
        derivatives = paper_risk_expressions.gradient()
    else:
        derivatives = paper_risk_expressions.hessian()
    return _functions(derivatives, ORDER_PARAMETERS), _OUTPUTS[quantity]


def _enclosure_parts(quantity: str, numbers: Mapping[str, Fraction]) -> tuple[CertificatePart, ...]:
    field, names = _enclosed(quantity)
    given = {name: to_flint_rational(x) for name, x in numbers.items()}
    ends = tuple((given[f"{x.name}_from"], given[f"{x.name}_to"]) for x in field.state)
    bounds = tuple((given[f"{name}_above"], given[f"{name}_below"]) for name in names)
    labels = tuple(f"{name} {side}" for name in names for side in ("from below", "from above"))
    return (CertificatePart(quantity, field, ends, labels=labels, bounds=bounds),)


_LETTERS = [p.name for p in ORDER_PARAMETERS]
_OUTPUTS = {
    "risk": ("R",),
    "gradient": tuple(f"R_{x}" for x in _LETTERS),
    "hessian": tuple(f"R_{_LETTERS[i]},{_LETTERS[j]}" for i, j in _UPPER),
}


def _enclosure(
    quantity: str, statement: str, names: tuple[str, ...], variables: Iterable[str],
    outputs: Iterable[str],
) -> CertificateKind:  # fmt: skip
    ends = (f"{x}_{end}" for x in variables for end in ("from", "to"))
    sides = (f"{name}_{side}" for name in outputs for side in ("above", "below"))
    parts = partial(_enclosure_parts, quantity)
    return CertificateKind(statement, parts, names=names, numbers=(*ends, *sides))


ENCLOSURES: dict[str, CertificateKind] = {
    f"enclosure-{quantity}": _enclosure(
        quantity,
        f"The values of the {quantity} on the box lie between the bounds.",
        ("lam", "gamma", "d", "L", "epsilon"),
        _LETTERS,
        outputs,
    )
    for quantity, outputs in _OUTPUTS.items()
} | {
    "enclosure-zeta": _enclosure(
        "zeta",
        "The values of zeta(t, s) lie between the bounds, for t in the interval.",
        ("s",),
        ("t",),
        ("zeta",),
    )
}


KINDS: dict[str, CertificateKind] = {
    "alpha": CertificateKind(
        "For every step size up to alpha the risk decreases along every step that moves, the "
        "Jacobian determinant of the planar map is positive on the square, the map is injective, "
        "and at the origin it has one eigenvalue in (0, 1) and one above 1.",
        lambda numbers: _step_parts(),
        (*_OF_MAP, "alpha"),
        _step_facts,
    ),
    "fixed-points": CertificateKind(
        "System (14) has exactly this many solutions in the square, each in its box.",
        lambda numbers: _zero_parts(),
        _OF_MAP,
        numbers=("count",),
    ),
    "classification": CertificateKind(
        "(1, 1) and (-1, -1) are the only minima of the risk on the square, (1, -1) and (-1, 1) "
        "the only maxima, and the origin is a saddle.",
        lambda numbers: _order_parts(),
        _OF_MAP,
        _order_facts,
    ),
    "rates": CertificateKind(
        f"In the square of side `radius` at (1, 1), the map g changes {x1} - 1 and {x2} - 1 by "
        "factors whose sums in a row, in absolute value, are at most 1 less the two gains; at "
        "(1, 1) itself the two eigenvalues are 1 less the two rates.",
        _rate_parts,
        names=(*_OF_MAP, "alpha"),
        numbers=(
            "radius",
            *(f"{x}_{what}" for x in ON_M for what in ("gain", "rate_low", "rate_high")),
        ),
    ),
} | ENCLOSURES

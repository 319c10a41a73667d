"""Search for what theorems on flows speak of: cofactors, conserved polynomials, and constants.

What is found is no proof: it is given to a theorem, whose hypotheses are proved. Functions and
roots in velocities count as further variables of polynomials, so that not everything is found.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations_with_replacement
from typing import Any

import sympy as sp
from sympy import Add, Expr, Lambda, Mul, S, Symbol

from slrsym.prover.statements.expressions import ProofError
from slrsym.prover.statements.flows import Flow, require_function_of_flow
from slrsym.prover.statements.maps import value_at


def _rate(flow: Flow, value: Expr) -> Expr:
    pairs = zip(flow.coordinates, flow.velocities, strict=True)
    return Add(*(sp.diff(value, x) * f for x, f in pairs))


def find_cofactors(flow: Flow, region: Lambda) -> Lambda:
    """Return cofactors of the functions of a region, for the theorem ``flow-cofactor``.

    Parameters
    ----------
    flow : Flow
        The flow.
    region : Lambda
        The region, as `Flow.region` makes it.

    Returns
    -------
    Lambda
        The velocity of each function divided by it.

    Raises
    ------
    ProofError
        If a function does not divide its velocity.

    Examples
    --------
    >>> from sympy import Symbol
    >>> from slrsym.proof.dynamical import find_cofactors, flow
    >>> x = Symbol("x", real=True)
    >>> F = flow({x: x * (1 - x)})
    >>> find_cofactors(F, F.region(x, 1 - x)).expr
    (1 - x, -x)
    """
    require_function_of_flow(flow, region, "the region")
    found = []
    for a in value_at(region, flow.coordinates):
        top, bottom = sp.fraction(sp.together(_rate(flow, a)))
        over, under = sp.fraction(sp.together(a))
        quotient, rest = sp.div(sp.expand(top), sp.expand(over), *_generators(top, over))
        if rest != 0:
            raise ProofError(
                f"{a} does not divide its velocity: dividing leaves {rest}. Is it an edge that "
                "trajectories cannot cross? Where the velocity is positive there, use flow-barrier"
            )
        found.append(sp.factor_terms(quotient * under / bottom))
    return flow.function(*found)


def find_conserved(flow: Flow, degree: int = 2, *, among: Iterable[Expr] = ()) -> tuple[Expr, ...]:
    """Return polynomials of the coordinates that trajectories keep, for ``flow-gronwall``.

    Parameters
    ----------
    flow : Flow
        The flow.
    degree : int, optional
        Of the polynomials, from 1 to 6.
    among : iterable of expression, optional
        Expressions of which combinations are looked for, in place of all monomials.

    Returns
    -------
    tuple of Expr
        A basis of those that were found, without constants.

    Raises
    ------
    ProofError
        If the degree is another number, or none is found.

    Examples
    --------
    >>> from sympy import Function, symbols
    >>> from slrsym.proof.dynamical import find_conserved, flow
    >>> u, w = symbols("u w", real=True)
    >>> g = Function("g", real=True)
    >>> find_conserved(flow({u: -g(u * w) * w, w: -g(u * w) * u}))
    (u**2 - w**2,)
    """
    if degree not in range(1, 7):
        raise ProofError(f"degree must be an integer from 1 to 6; got {degree}")
    monomials = list(among) or [
        Mul(*some)
        for size in range(1, degree + 1)
        for some in combinations_with_replacement(flow.coordinates, size)
    ]
    letters = [sp.Dummy(f"c_{k}") for k in range(len(monomials))]
    top, _ = sp.fraction(
        sp.together(Add(*(c * _rate(flow, m) for c, m in zip(letters, monomials, strict=True))))
    )
    # In the letters it is linear; all other parts are independent variables.
    generators = [g for g in _generators(top) if g not in letters]
    equations = sp.Poly(sp.expand(top), *generators).coeffs() if generators else [top]
    (solved,) = sp.linsolve(equations, letters)
    free = [c for c in letters if c in solved.free_symbols]
    whole = Add(*(c * m for c, m in zip(solved, monomials, strict=True)))
    found = (sp.expand(whole.xreplace({c: S(int(c is one)) for c in free})) for one in free)
    signed = tuple(-e if e.could_extract_minus_sign() else e for e in found)
    if not signed:
        raise ProofError(
            f"no polynomial of {', '.join(map(str, flow.coordinates))} of degree {degree} or less "
            "is seen to be kept; try a higher degree"
        )
    return signed


def find_lasalle_constants(flow: Flow, region: Lambda, function: Expr) -> dict[str, Any]:
    """Return the values of ``flow-lasalle`` for a flow along minus weighted slopes of a function.

    Parameters
    ----------
    flow : Flow
        The flow: each velocity is minus the function's slope times a polynomial that is not
        negative in the region.
    region : Lambda
        The region, with bounds of each coordinate among its functions, such as 1 - x.
    function : expression
        The function of the coordinates that falls.

    Returns
    -------
    dict
        The function, and a factor and a bound for equations that are the velocities.

    Raises
    ------
    ProofError
        If a coordinate has no bounds, or a velocity is no polynomial times a slope.

    Examples
    --------
    >>> from sympy import Symbol
    >>> from slrsym.proof.dynamical import find_lasalle_constants, flow
    >>> x = Symbol("x", real=True)
    >>> F = flow({x: -x * (1 - x**2)})
    >>> found = find_lasalle_constants(F, F.region(1 - x, 1 + x), x**2 / 2)
    >>> found["factor"], found["bound"]
    (2, 1)
    """
    require_function_of_flow(flow, region, "the region")
    values = value_at(region, flow.coordinates)
    ends = {x: _ends(x, values, flow) for x in flow.coordinates}
    bound = _largest([e for pair in ends.values() for e in pair])
    weights = []
    for x, velocity in zip(flow.coordinates, flow.velocities, strict=True):
        weight = sp.cancel(-velocity / sp.diff(function, x))
        if not weight.is_polynomial(*flow.coordinates):
            raise ProofError(
                f"the velocity of {x} is no polynomial times the slope of {function}: the quotient "
                f"is {weight}. Give the factor yourself, with |e|^2 + factor (rate of V) <= 0"
            )
        terms = sp.Poly(weight, *flow.coordinates).terms()
        weights.append(Add(*(sp.Abs(c) * bound ** sum(powers) for powers, c in terms)))
    return {"function": flow.function(function), "factor": _largest(weights), "bound": bound}


def _generators(*parts: Expr) -> tuple[Expr, ...]:
    """Return the variables of polynomials: symbols, and functions and roots, which they contain."""
    found = sp.parallel_poly_from_expr([sp.expand(p) for p in parts])[1].gens
    return tuple(sorted(found, key=sp.default_sort_key))


def _ends(x: Symbol, values: Any, flow: Flow) -> tuple[Expr, Expr]:
    """Return sizes of the ends of a coordinate, by the functions that are affine in it alone."""
    low = high = None
    for a in values:
        slope = sp.diff(a, x)
        if slope.is_number and slope != 0 and not a.free_symbols & {*flow.coordinates} - {x}:
            end = sp.solve(a, x)[0]
            low, high = (end, high) if slope > 0 else (low, end)
    if low is None or high is None:
        side = "below" if low is None else "above"
        raise ProofError(
            f"the region does not bound {x} from {side}; give it a function such as "
            f"{x + 1 if low is None else 1 - x}, and show that it is kept"
        )
    return (S.Zero if low.is_nonnegative else -low), (S.Zero if high.is_nonpositive else high)


def _largest(values: list[Expr]) -> Expr:
    """Return a number or an expression that is at least each of several."""
    numbers = [v for v in values if v.is_number]
    letters = dict.fromkeys(v for v in values if not v.is_number)
    return Add(sp.Max(*numbers, 0) if numbers else S.Zero, *map(sp.Abs, letters))

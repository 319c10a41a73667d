"""Hypotheses that no function satisfies which is as the proof checker supposes unknown ones to be.

An unknown function of real numbers is smooth on the whole line, and it and its derivatives are
bounded by C exp(c |x|). So a proof from ``f(x) = |x|`` for all x proves nothing, though |x| exists.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import pairwise
from typing import Any

import sympy as sp
from sympy import Derivative, Dummy, Eq, Ge, Gt, Le, Lt, Symbol
from sympy.core.function import AppliedUndef

from slrsym.gaussian import erf_prime, erf_second, normal_cdf, normal_pdf
from slrsym.prover.claims.instances import opened
from slrsym.prover.statements.expressions import conjuncts, infix_text

# Smooth functions, and those of them that are bounded.
_BOUNDED = (sp.sin, sp.cos, sp.tanh, sp.erf, sp.erfc, erf_prime, erf_second, normal_cdf, normal_pdf)
_SMOOTH = (*_BOUNDED, sp.exp, sp.sinh, sp.cosh)
_ALGEBRAIC = (Symbol, sp.Add, sp.Mul, sp.Pow, AppliedUndef)
# Functions of which the derivatives, or the values, jump or have no limit where an argument is 0.
_BENT = (sp.Abs, sp.sign, sp.Heaviside, sp.log)
# Derivatives of so many orders are compared on both sides of a point.
_ORDERS = 4
# Where growth is measured, and how many times larger its rate is at the next place, if it exceeds
# that of all exponentials: fourfold for exp(x^2), and not at all for exp(c x).
_FAR = (20, 80, 320)
_FASTER = 1.9


def contradiction_with_smoothness(stated: Iterable[Any]) -> str:
    """Return why no smooth function of moderate growth satisfies a hypothesis; empty if one may.

    Parameters
    ----------
    stated : iterable of Boolean
        Hypotheses. Those are looked at that are for all values of one real variable, and relate
        terms with unknown functions to terms without.

    Returns
    -------
    str
        Such as ``no smooth f satisfies f(x) = Abs(x) for all real x: Abs(x) is not smooth at
        x = 0``.
    """
    for part in stated:
        bound, body = opened(part)
        if len(bound) != 1 or bound[0].is_integer or not body.has(AppliedUndef):
            continue
        for relation in conjuncts(body):
            # What SymPy does not find out shows nothing.
            with suppress(Exception):
                if found := _contradiction(relation, bound[0]):
                    names = sorted({str(f.func) for f in relation.atoms(AppliedUndef)})
                    verb = "satisfies" if len(names) == 1 else "satisfy"
                    return f"no smooth {' and '.join(names)} {verb} {infix_text(part)}: {found}"
    return ""


def _contradiction(relation: Any, x: Symbol) -> str:
    if not isinstance(relation, Eq | Le | Lt | Ge | Gt):
        return ""
    terms = sp.Add.make_args(relation.lhs - relation.rhs)
    unknown = sp.Add(*(term for term in terms if term.has(AppliedUndef)))
    known = -sp.Add(*(term for term in terms if not term.has(AppliedUndef)))
    if unknown == 0 or not known.has(x) or not _is_smooth(unknown, x):
        return ""
    said = infix_text(known.xreplace({x: Symbol(x.name, real=True)}))
    if isinstance(relation, Eq):
        for place in _candidates(known, x):
            if _is_not_smooth_at(known, x, place):
                return f"{said} is not smooth at {x.name} = {infix_text(place)}"
    is_above, is_below = isinstance(relation, Eq | Ge | Gt), isinstance(relation, Eq | Le | Lt)
    if _is_moderate(unknown, x) and _grows_too_fast(known, x, is_above, is_below):
        return f"{said} exceeds every exponential of {x.name}, as no unknown function does"
    return ""


def _is_smooth(expr: Any, x: Symbol) -> bool:
    """Tell whether an expression in unknown functions of x is smooth in x, if these are."""
    if not (expr.has(x) or expr.has(AppliedUndef)):
        return True
    if isinstance(expr, sp.Pow) and not (expr.exp.is_Integer and expr.exp.is_positive):
        return False
    if isinstance(expr, Derivative):
        return isinstance(expr.expr, AppliedUndef) and _is_smooth(expr.expr, x)
    return isinstance(expr, (*_ALGEBRAIC, *_SMOOTH)) and all(
        _is_smooth(arg, x) for arg in expr.args
    )


def _is_moderate(expr: Any, x: Symbol) -> bool:
    """Tell whether a smooth expression in unknown functions grows as they do."""
    if isinstance(expr, AppliedUndef):
        return all(arg.diff(x, 2) == 0 for arg in expr.args)
    if isinstance(expr, Derivative):
        return _is_moderate(expr.expr, x)
    if isinstance(expr, _BOUNDED) or not expr.has(AppliedUndef):
        return True
    return isinstance(expr, _ALGEBRAIC) and all(_is_moderate(arg, x) for arg in expr.args)


def _candidates(expr: Any, x: Symbol) -> Iterator[Any]:
    """Yield places in the range of x at which an expression may not be smooth."""
    inner = [node.args[0] for node in expr.atoms(*_BENT)]
    inner += [
        node.base for node in expr.atoms(sp.Pow) if not (node.exp.is_Integer and node.exp > 0)
    ]
    for node in expr.atoms(sp.Max, sp.Min):
        first, *others = node.args
        inner += [first - other for other in others]
    for node in expr.atoms(sp.Piecewise):
        inner += [rel.lhs - rel.rhs for _, cond in node.args for rel in cond.atoms(sp.Rel)]
    seen = set()
    for form in sorted(inner, key=sp.default_sort_key):
        if form.has(x) and form.is_polynomial(x):
            for place in sp.roots(sp.Poly(form, x)):
                if place.is_real and (place.is_nonnegative or not x.is_nonnegative):
                    if place not in seen:
                        yield place
                    seen.add(place)


def _is_not_smooth_at(expr: Any, x: Symbol, place: Any) -> bool:
    """Tell whether derivatives differ on both sides of a place, or have no limit on one."""
    e = Dummy("e", positive=True)
    sides = (1,) if x.is_nonnegative and place == 0 else (1, -1)
    for order in range(_ORDERS):
        limits = []
        for side in sides:
            slope = expr.xreplace({x: place + side * e}).doit().diff(e, order)
            limits.append(side**order * sp.limit(slope, e, 0, "+"))
        if any(value.is_infinite for value in limits):
            return True
        if sp.simplify(limits[0] - limits[-1]).is_nonzero:
            return True
    return False


def _grows_too_fast(expr: Any, x: Symbol, is_above: bool, is_below: bool) -> bool:
    """Tell whether an expression exceeds every exponential, upwards or downwards as asked for."""
    others = sorted(expr.free_symbols - {x}, key=str)
    if not all(y.is_positive for y in others):
        return False
    for values in ((1, 2, 3), (sp.Rational(1, 7), 5, sp.Rational(1, 3))):
        put = {y: values[k % 3] for k, y in enumerate(others)}
        sides = (1,) if x.is_nonnegative else (1, -1)
        if not any(_rate_rises(expr.xreplace(put), x, s, is_above, is_below) for s in sides):
            return False
    return True


def _rate_rises(expr: Any, x: Symbol, side: int, is_above: bool, is_below: bool) -> bool:
    rates = []
    for far in _FAR:
        value = expr.xreplace({x: sp.Integer(side * far)}).evalf(20)
        if not value.is_Float or (value > 0 and not is_above) or (value < 0 and not is_below):
            return False
        rates.append(sp.log(abs(value)).evalf(20) / far)
    return rates[0] > 0 and all(b > _FASTER * a for a, b in pairwise(rates))

"""Where a variable runs: arguments by derivatives need an interval, and points inside of it."""

from __future__ import annotations

from sympy import Expr, Ge, Gt, Le, Lt, Symbol

from slrsym.search.context import Context
from slrsym.statements.errors import Refused
from slrsym.statements.expressions import put

__all__ = ["require_interval"]

# What may be declared of a symbol so that its domain is still an interval, or two.
_ORDER = {
    "commutative", "complex", "extended_real", "finite", "hermitian", "infinite", "negative",
    "nonnegative", "nonpositive", "nonzero", "positive", "real", "zero",
}  # fmt: skip


def require_interval(t: Symbol, at: Expr, context: Context) -> None:
    """Refuse unless a variable's domain, all else fixed, is an interval that contains a point."""
    declared = set(t._assumptions_orig) - _ORDER
    if not t.is_real or declared:
        raise Refused(f"{t} does not run over an interval of reals")
    if t in at.free_symbols:
        raise Refused(f"the point {at} depends on {t}")
    if t.is_zero is False and not (t.is_positive or t.is_negative):
        raise Refused(f"the domain of {t} has a hole at 0")
    bounds = {
        "is_positive": Gt(at, 0), "is_nonnegative": Ge(at, 0),
        "is_negative": Lt(at, 0), "is_nonpositive": Le(at, 0),
    }  # fmt: skip
    for name, condition in bounds.items():
        if getattr(t, name) and not context.holds(condition):
            raise Refused(f"{at} is outside of the domain: {t} is {name.removeprefix('is_')}")
    for hypothesis in context.hypotheses:
        if t not in hypothesis.free_symbols:
            continue
        if not isinstance(hypothesis, Le | Lt | Ge | Gt):
            raise Refused(f"the hypothesis {hypothesis} does not leave an interval to {t}")
        side = (hypothesis.lhs - hypothesis.rhs).expand().as_poly(t)
        if side is None or side.degree() > 1 or t in side.free_symbols_in_domain:
            raise Refused(f"the hypothesis {hypothesis} is not known to leave an interval to {t}")
        if not context.holds(put(hypothesis, {t: at})):
            raise Refused(f"{at} is outside of the domain: {hypothesis} is not known there")

"""Functions of moderate growth, smooth ones, integrals that exist: read off expressions.

A function of several real variables is called *moderate* here if it is smooth and, with all its
derivatives, bounded by :math:`C e^{c|x|}`. Moderate functions are integrable against every
Gaussian, derivatives in parameters may be taken under the expectation (the bound is locally
uniform), and Stein's lemma holds for them. Integrals may be taken apart only where they exist.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import sympy as sp
from sympy import Abs, Add, Derivative, Expr, Ge, Gt, Integral, Le, Lt, Matrix, Mul, Pow, S, Symbol
from sympy.core.function import AppliedUndef
from sympy.core.relational import Relational

from slrsym.gaussian.binding import Expectation
from slrsym.gaussian.functions import OwensT, erf_prime, erf_second, normal_cdf, normal_pdf, zeta
from slrsym.gaussian.independent import is_plainly_real
from slrsym.gaussian.law import GaussianLaw, IIDSum, NoiseLaw
from slrsym.statements.expressions import Refused, put, rebuilt

if TYPE_CHECKING:
    from slrsym.proofs.context import Context


def is_semidefinite(matrix: Matrix, context: Context) -> bool:
    """Whether elimination shows a symmetric matrix to be positive semidefinite."""
    work = matrix.copy()
    n = work.shape[0]
    for i in range(n):
        pivot = work[i, i].cancel()
        sign = context.sign(pivot)
        if sign.zero:
            if any(sp.expand(work[i, j]) != 0 for j in range(i + 1, n)):
                return False
            continue
        if not sign.positive:
            if not sign.nonnegative or i < n - 2:
                return False
            if i == n - 1:
                return True
            # Two rows are left, of which the first may vanish: their determinant has to.
            determinant = work[i, i] * work[i + 1, i + 1] - work[i, i + 1] ** 2
            return sp.expand(determinant) == 0 and context.sign(work[i + 1, i + 1]).nonnegative
        for j in range(i + 1, n):
            for k in range(i + 1, n):
                work[j, k] = (work[j, k] - work[j, i] * work[i, k] / pivot).cancel()
    return True


# Smooth, and bounded on the real line with all their derivatives.
BOUNDED = (
    sp.erf,
    sp.erfc,
    erf_prime,
    erf_second,
    normal_cdf,
    normal_pdf,
    sp.sin,
    sp.cos,
    sp.atan,
    sp.tanh,
)


def require_moderate(expr: Expr, variables: frozenset[Symbol], context: Context) -> None:
    """Refuse unless `expr` is a moderate function of the variables.

    Undefined functions and their derivatives are taken to be moderate: that is what a claim that
    speaks of one assumes. Their arguments have to be affine, for f(x**2) may grow faster than f.
    """
    if not expr.free_symbols & variables and not expr.has(IIDSum):
        return
    if isinstance(expr, Symbol):
        return
    if isinstance(expr, AppliedUndef | sp.sinh | sp.cosh):
        for argument in expr.args:
            _require_polynomial(argument, variables, context, most=1)
        return
    if isinstance(expr, Derivative | sp.Subs):
        require_moderate(expr.expr, variables | set(expr.variables), context)
        for point in expr.point if isinstance(expr, sp.Subs) else ():
            _require_polynomial(point, variables, context, most=1)
        return
    if isinstance(expr, Add | Mul):
        for part in expr.args:
            require_moderate(part, variables, context)
        return
    if isinstance(expr, IIDSum):
        require_moderate(expr.term, frozenset(expr.law.symbols), context)
        return
    if isinstance(expr, Expectation) and not expr.law.free_symbols & variables:
        # Moderate in all variables together, hence in the outer ones after integration.
        require_moderate(expr.integrand, variables | set(expr.law.symbols), context)
        return
    if isinstance(expr, Pow) and not expr.exp.free_symbols & variables:
        base, power = expr.args
        natural = power.is_integer and context.sign(power).nonnegative
        # Away from zero, all powers have derivatives that powers of the base bound.
        if natural or (power.is_Rational and context.stays_positive(base)):
            require_moderate(base, variables, context)
            return
    if isinstance(expr, sp.log) and context.stays_positive(expr.args[0]):
        require_moderate(expr.args[0], variables, context)
        return
    if isinstance(expr, sp.exp):
        _require_tame_exponent(expr.args[0], variables, context)
        return
    if isinstance(expr, BOUNDED):
        # Bounded on the real line, that is.
        _require_real(expr.args[0], expr, context)
        _require_polynomial(expr.args[0], variables, context)
        return
    raise Refused(f"{expr} is not known to be smooth and of moderate growth")


def require_growth(expr: Expr, variables: frozenset[Symbol], context: Context) -> None:
    """Refuse unless `expr` is bounded as moderate functions are; it may have kinks and jumps."""
    try:
        require_moderate(expr, variables, context)
        return
    except Refused as refusal:
        reason = refusal
    parts: Iterable[Expr]
    if expr.has(IIDSum):
        raise reason
    if isinstance(expr, Add | Mul | Abs | sp.Max | sp.Min):
        parts = expr.args
    elif isinstance(expr, sp.Piecewise) and expr.args[-1][1] == True:  # noqa: E712
        parts = [value for value, _ in expr.args]
        for comparison in expr.atoms(Relational):
            for side in comparison.args:
                _require_real(side, expr, context)
    elif isinstance(expr, Pow) and expr.exp.is_Rational:
        if expr.exp > 0 and (expr.exp.is_Integer or context.sign(expr.base).nonnegative):
            parts = (expr.base,)
        elif context.stays_positive(expr.base) or context.stays_positive(-expr.base):
            _require_real(expr, expr, context)
            return
        else:
            raise reason
    elif isinstance(expr, sp.log) and context.stays_positive(expr.args[0]):
        parts = expr.args
    elif isinstance(expr, (*BOUNDED, sp.sign, sp.Heaviside, OwensT, zeta)):
        for argument in expr.args:
            _require_real(argument, expr, context)
        return
    elif isinstance(expr, sp.exp):
        exponent = Add(
            *(a for a in Add.make_args(sp.expand(expr.args[0])) if not context.sign(a).nonpositive)
        )
        _require_real(expr.args[0], expr, context)
        for linear in _without_bars(exponent):
            require_moderate(sp.exp(linear), variables, context)
        return
    else:
        raise reason
    for part in parts:
        require_growth(part, variables, context)


def _without_bars(expr: Expr) -> list[Expr]:
    """The expression with u and with -u for absolute values, of which one is at least as large."""
    found = [expr]
    for bars in sorted(expr.atoms(Abs), key=str):
        found = [e.xreplace({bars: s * bars.args[0]}) for e in found for s in (1, -1)]
    return found


def _require_real(part: Expr, expr: Expr, context: Context) -> None:
    context.require(context.is_real(part), f"{part} is not known to be real in {expr}")


def _require_polynomial(
    expr: Expr, variables: frozenset[Symbol], context: Context, most: int | None = None
) -> None:
    """Refuse unless `expr` is a polynomial in the variables, of degree `most` at the most."""
    for copies in expr.atoms(IIDSum):
        require_moderate(copies, variables, context)
    present = sorted(expr.free_symbols & variables, key=str)
    if not present:
        return
    polynomial = expr.as_poly(*present)
    if polynomial is None or (most is not None and polynomial.total_degree() > most):
        kind = "polynomial" if most is None else f"polynomial of degree {most}"
        raise Refused(f"{expr} is no {kind} in {', '.join(map(str, present))}")


def _require_tame_exponent(q: Expr, variables: frozenset[Symbol], context: Context) -> None:
    """A quadratic form that is nowhere positive, plus an affine one."""
    present = sorted(q.free_symbols & variables, key=str)
    polynomial = sp.expand(q).as_poly(*present)
    if polynomial is None or polynomial.total_degree() > 2:
        raise Refused(f"exp({q}) is not known to be of moderate growth")
    hessian = Matrix([[sp.expand(-q.diff(x, y)) for y in present] for x in present])
    if not is_semidefinite(hessian, context):
        raise Refused(f"exp({q}) is not known to be of moderate growth")


_SMOOTH = (*BOUNDED, sp.cosh, sp.exp, sp.sinh, OwensT, zeta)


def expectations_in(expr: Expr) -> list[Expectation]:
    return sorted(expr.atoms(Expectation), key=str)


def with_expectations_changed(expr: Expr, change: Callable[[Expectation], Expr]) -> Expr:
    def changed(node: Expr) -> Expr | None:
        return change(node) if isinstance(node, Expectation) else None

    return rebuilt(expr, changed)


def require_integrable(expr: Expr, context: Context) -> None:
    """Refuse unless every integrand is of moderate growth, and at most quadratic in noise.

    It may have kinks and jumps.
    """
    for node in expectations_in(expr):
        require_growth(node.integrand, frozenset(node.law.symbols), context)
        for block in node.law.blocks():
            if isinstance(block, NoiseLaw) and node.integrand.has(*block.symbols):
                (noise,) = block.symbols
                degree = sp.expand(node.integrand).as_poly(noise)
                # The law of noise has two moments, and nothing else is known of it.
                if degree is None or degree.degree() > 2:
                    raise Refused(f"{node.integrand} is not known to be integrable in {noise}")


def require_smooth(expr: Expr, variable: Symbol, context: Context) -> None:
    """Refuse unless `expr` is a differentiable function of a real variable on its whole domain.

    Expectations have to be moderate in it, under a law without it, or a Gaussian one that varies
    smoothly and has a density; integrals are taken to converge.
    """
    if variable not in expr.free_symbols or isinstance(expr, Symbol):
        return
    if isinstance(expr, Expectation):
        if variable in expr.law.free_symbols:
            _require_smooth_law(expr, variable, context)
        require_moderate(expr.integrand, frozenset({*expr.law.symbols, variable}), context)
        return
    if isinstance(expr, Integral):
        require_smooth(expr.function, variable, between_ends(expr, context))
        for limit in expr.limits:
            for end in limit[1:]:
                require_smooth(end, variable, context)
        return
    parts = expr.args
    positive: Expr | None = None
    nonzero: Expr | None = None
    if isinstance(expr, Pow) and isinstance(expr.exp, sp.Rational):
        parts = (expr.base,)
        if not expr.exp.is_Integer:
            positive = expr.base
        elif expr.exp < 0:
            nonzero = expr.base
    elif isinstance(expr, Pow) and variable not in expr.base.free_symbols:
        parts, positive = (expr.exp,), expr.base
    elif isinstance(expr, sp.log):
        (positive,) = parts
    elif isinstance(expr, Abs):
        (nonzero,) = parts
    elif isinstance(expr, sp.asin):
        positive = 1 - expr.args[0] ** 2
    elif not isinstance(expr, (Add, Mul, AppliedUndef, *_SMOOTH)):
        raise Refused(f"{expr} is not known to be differentiable in {variable}")
    for part in parts:
        require_smooth(part, variable, context)
    if positive is not None and not context.sign(positive).positive:
        raise Refused(f"{positive} may fail to be positive in {expr}")
    if nonzero is not None and not context.sign(nonzero).nonzero:
        raise Refused(f"{nonzero} may vanish in {expr}")


def _require_smooth_law(node: Expectation, variable: Symbol, context: Context) -> None:
    """By Price's theorem, means and covariances of a law with a density may vary, too."""
    law = node.law
    if not isinstance(law, GaussianLaw):
        raise Refused(f"the law of {node} depends on {variable}; standardise it first")
    require_positive_definite(law, context)
    for entry in (*law.mean.values(), *law.cov):
        require_smooth(entry, variable, context)


def require_positive_definite(law: GaussianLaw, context: Context) -> None:
    """Refuse unless a Gaussian law is known to have a density."""
    for size in range(1, len(law.symbols) + 1):
        minor = law.cov[:size, :size].det(method="berkowitz")
        context.require(
            context.sign(minor).positive,
            f"the law of {', '.join(map(str, law.symbols))} may be degenerate: {minor} > 0 is not "
            "known",
        )


def between_ends(node: Integral, context: Context) -> Context:
    """The context inside an integral: its variable lies between ends that are in order."""
    for x, *ends in node.limits:
        if len(ends) == 2 and context.holds(Le(*ends)):
            context = context.assuming(Ge(x, ends[0]), Le(x, ends[1]))
    return context


def require_convergent(node: Integral, context: Context) -> None:
    """Refuse unless an integral in one variable is known to converge absolutely.

    Between finite ends the integrand has to be smooth; over an infinite range it has to be moderate
    times a Gaussian.
    """
    if len(node.limits) != 1 or len(node.limits[0]) != 3:
        raise Refused(f"{node} is not an integral in one variable between two ends")
    x, low, high = node.limits[0]
    if not is_plainly_real(x):
        raise Refused(f"the variable {x} of {node} has to be declared real, and no more")
    if x in context.restricted:
        raise Refused(f"a hypothesis speaks of the variable {x} of {node}; rename the variable")
    if low.is_infinite or high.is_infinite:
        require_decay(node.function, x, context)
        return
    require_smooth(node.function, x, between_ends(node, context))


def require_differentiable(expr: Expr, variable: Symbol, context: Context) -> None:
    """Refuse unless `expr` is differentiable in a variable, under its integrals as well.

    An integral between finite ends of an integrand that is smooth in both variables may be; so may
    one of a moderate function times a Gaussian. Expectations are left to their own rule.
    """
    for node in sorted(expr.atoms(Integral), key=str):
        require_convergent(node, context)
    require_smooth(expr, variable, context)


def derivative(expr: Expr, variable: Symbol, context: Context, times: int = 1) -> Expr:
    """The derivative of an expression in closed form, which has to exist."""
    for _ in range(times):
        require_differentiable(expr, variable, context)
        expr = expr.diff(variable)
    return expr


def require_decay(expr: Expr, x: Symbol, context: Context) -> None:
    """Refuse unless every term is a moderate function of x times a Gaussian, so small far out."""
    for term in sp.expand(expr).as_ordered_terms():
        exponent, rest = S.Zero, S.One
        for factor in Mul.make_args(term):
            if isinstance(factor, sp.exp):
                exponent += factor.args[0]
            else:
                rest *= factor
        polynomial = sp.expand(exponent).as_poly(x)
        if term != 0 and not (
            polynomial is not None
            and polynomial.degree() == 2
            and context.sign(polynomial.LC()).negative
        ):
            raise Refused(f"{expr} is not known to vanish at infinity, and to be integrable")
        require_moderate(rest, frozenset({x}), context)


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


# What is taken to be smooth elsewhere because a claim supposes it, or under hypotheses of its own.
_NOT_READ = (AppliedUndef, Derivative, Expectation, IIDSum, Integral, sp.Limit, sp.Subs, sp.Sum)


def require_differentiable_on(
    function: Any, coordinates: Iterable[Symbol], context: Context
) -> None:
    r"""Refuse unless a function is built so that it is smooth on the closed box.

    It has to be made of sums, products and smooth functions of the coordinates, of powers whose
    base does not vanish in the closed box, and of roots whose base is positive there. Each of its
    parts is then smooth (:math:`C^\infty`) on a neighbourhood of the box, and so is the whole.
    """
    for part in function if isinstance(function, sp.Tuple) else (function,):
        _require_smooth_part(part, tuple(coordinates), context)


def _require_smooth_part(expr: Expr, coordinates: tuple[Symbol, ...], context: Context) -> None:
    unread = sorted(expr.atoms(*_NOT_READ), key=str)
    if unread:
        raise Refused(f"whether {unread[0]} is continuously differentiable is not looked into here")
    if not context.is_real(expr):
        raise Refused(f"{expr} is not known to be a real number on the whole box")
    for x in coordinates:
        require_smooth(expr, x, context)


def require_admissible(symbol: Symbol, value: Expr, context: Context) -> None:
    """Refuse unless a value has every property that a symbol declares of itself."""
    signs = ("positive", "negative", "nonnegative", "nonpositive", "nonzero")
    declared = {name for name in signs if getattr(symbol, f"is_{name}")}
    # The sign of a long expression takes long, and most symbols declare none.
    sign = context.sign(value) if declared else None
    wanted = {
        **{f"is_{name}": name not in declared or getattr(sign, name) for name in signs},
        "is_integer": value.is_integer,
        "is_real": symbol.is_real is not True or context.is_real(value),
    }
    for name, holds in wanted.items():
        if getattr(symbol, name) and not holds:
            raise Refused(
                f"{symbol} is declared {name.removeprefix('is_')}, and its value {value} is not "
                f"known to be"
            )
    # Whatever else is declared, such as even or rational, SymPy has to know of the value.
    for fact, holds in symbol._assumptions_orig.items():
        if f"is_{fact}" not in wanted and getattr(value, f"is_{fact}") is not holds:
            state = fact if holds else f"not {fact}"
            raise Refused(f"{symbol} is declared {state}, and its value {value} is not known to be")

"""Rules that evaluate expectations: by the Gaussian calculus, and derivatives in a law (Price)."""

from __future__ import annotations

from itertools import product

from sympy import Abs, Derivative, Expr, Heaviside, Max, Min, Piecewise, S, expand, sign
from sympy.core.relational import Relational

from slrsym.gaussian.binding import Expectation
from slrsym.gaussian.law import GaussianLaw, Law
from slrsym.search.calculus import require_equality, with_derivatives_taken
from slrsym.search.context import Context, require_defined
from slrsym.search.expectations import (
    INDEPENDENT,
    LINEAR,
    with_expectations_changed,
)
from slrsym.search.regularity import (
    derivative,
    require_integrable,
    require_moderate,
    require_positive_definite,
)
from slrsym.search.step import Link, Rule
from slrsym.statements.expressions import Refused, rebuilt

_MOST_PIECES = 64


class _GaussianCalculus(Rule):
    """Both sides agree once `slrsym.gaussian.expectation` has evaluated what it can.

    Rests on the axioms ``integral-linearity``, ``fubini``, ``gaussian-linear-image``,
    ``gaussian-normalisation``, ``stein-lemma`` and ``bivariate-normal``.
    """

    name = "Gaussian calculus"

    def axioms(self, link: Link) -> tuple[str, ...]:
        return (
            "integral-linearity",
            "fubini",
            "gaussian-linear-image",
            "gaussian-normalisation",
            "stein-lemma",
            "bivariate-normal",
        )

    def check(self, link: Link, context: Context) -> None:
        require_equality(link)
        if not link.statement.has(Expectation):
            raise Refused("neither side has an expectation")
        # Imported where it is used, as few proofs need it.
        from slrsym.gaussian.closed_form import evaluated
        from slrsym.gaussian.integrals import IntegrabilityError

        def closed(node: Expectation) -> Expr:
            require_defined(node.integrand, context)
            integrand = with_derivatives_taken(node.integrand, context)
            _require_sure_jumps(integrand, node.law, context)
            try:
                value = evaluated(integrand, node.law, lambda e: bool(context.sign(e).positive))
            except (IntegrabilityError, ValueError) as reason:
                raise Refused(str(reason)) from None
            require_integrable(value, context)
            require_defined(value, context)
            context.require(
                value.has(Expectation) or context.is_real(value),
                f"the closed form {value} is not known to be a real number here",
            )
            return value

        left, right = (with_expectations_changed(s, closed) for s in (link.lhs, link.rhs))
        context.require_equal(left, right, INDEPENDENT)


gaussian_calculus = _GaussianCalculus()


def _require_sure_jumps(integrand: Expr, law: Law, context: Context) -> None:
    """Refuse unless an integrand jumps with probability zero, as under a degenerate law it may not.

    The calculus takes the square of a sign for one.
    """
    jumps = [node.args[0] for node in integrand.atoms(sign, Heaviside)]
    for node in integrand.atoms(Piecewise):
        jumps += [c.lhs - c.rhs for _, condition in node.args for c in condition.atoms(Relational)]
    for jump in dict.fromkeys(jumps):
        if not jump.free_symbols & set(law.symbols):
            continue
        for piece in _pieces(jump):
            if not _is_surely_nonzero(piece, law, context):
                raise Refused(f"{jump}, at whose zeros the integrand jumps, may vanish for certain")


def _pieces(expr: Expr) -> list[Expr]:
    """Expressions without kinks, one of which it always is, where no sign is one of zero."""
    values: list[dict[Expr, Expr]] = [{}]
    for node in expr.atoms(Abs, Max, Min, sign, Heaviside):
        if isinstance(node, Abs):
            here = (node.args[0], -node.args[0])
        elif isinstance(node, Max | Min):
            here = node.args
        else:
            here = (S.One, S.NegativeOne if isinstance(node, sign) else S.Zero)
        values = [{**known, node: value} for known in values for value in here]
        if len(values) > _MOST_PIECES:
            raise Refused(f"{expr} has too many pieces")
    found = list(dict.fromkeys(expr.xreplace(known) for known in values))
    if any(piece.has(Abs, Max, Min, sign, Heaviside) for piece in found if piece != expr):
        return [part for piece in found for part in _pieces(piece)]
    return found


def _is_surely_nonzero(expr: Expr, law: Law, context: Context) -> bool:
    """Whether a polynomial is known to vanish with probability zero."""
    names = [x for x in law.symbols if x in expr.free_symbols]
    if not names:
        return bool(context.sign(expr).nonzero)
    blocks = [b for b in law.blocks() if set(b.symbols) & set(names)]
    polynomial = expr.as_poly(*names)
    if polynomial is None or not all(isinstance(b, GaussianLaw) for b in blocks):
        return False
    if polynomial.total_degree() == 1:
        slopes = {x: polynomial.coeff_monomial(x) for x in names}
        spread = sum(
            slopes.get(x, S.Zero) * slopes.get(y, S.Zero) * block.covariance(x, y)
            for block in blocks
            for x, y in product(block.symbols, repeat=2)
        )
        return bool(context.sign(expand(spread)).positive)
    for block in blocks:
        require_positive_definite(block, context)
    return any(context.sign(c).nonzero for m, c in polynomial.terms() if any(m))


class _Price(Rule):
    r"""The derivative of an expectation in a parameter of its Gaussian law.

    For a moderate function f, and a parameter r of means and covariances, the derivative of E f is
    :math:`\sum_i m_i' E\,\partial_i f + \frac12 \sum_{ij} C_{ij}' E\,\partial_i\partial_j f`, where
    the law is not degenerate. Rests on the axioms ``price-theorem`` and ``integral-linearity``.
    """

    name = "Price's theorem"

    def axioms(self, link: Link) -> tuple[str, ...]:
        return ("price-theorem", "integral-linearity")

    def check(self, link: Link, context: Context) -> None:
        require_equality(link)
        if not any(node.expr.has(Expectation) for node in link.statement.atoms(Derivative)):
            raise Refused("neither side has a derivative of an expectation")
        require_integrable(link.statement, context)
        for side in (link.lhs, link.rhs):
            require_defined(side, context)
        left, right = (
            rebuilt(side, lambda node: _moved(node, context)) for side in (link.lhs, link.rhs)
        )
        context.require_equal(left, right, LINEAR)


price = _Price()


def _moved(expr: Expr, context: Context) -> Expr | None:
    """A derivative of one expectation, by the derivatives of its law and its integrand."""
    if not isinstance(expr, Derivative):
        return None
    node = expr.expr
    if not isinstance(node, Expectation):
        return expr
    if len(expr.variables) != 1:
        raise Refused(f"{expr} is no first derivative")
    (r,) = expr.variables
    law = node.law
    if not isinstance(law, GaussianLaw):
        raise Refused(f"the law of {node} is not Gaussian")
    if r in law.symbols:
        raise Refused(f"{r} is a variable of the law")
    # Degenerate laws may have no neighbours; and hypotheses that are closed no open set.
    context.require_open_domain(expr)
    require_positive_definite(law, context)
    require_moderate(node.integrand, frozenset({*law.symbols, r}), context)
    total: Expr = S.Zero
    for symbol, mean in law.mean.items():
        slope = derivative(mean, r, context)
        if slope != 0:
            total += slope * _mean_of(node.integrand.diff(symbol), law)
    for (i, x), (j, y) in product(enumerate(law.symbols), repeat=2):
        slope = derivative(law.cov[i, j], r, context)
        if slope != 0:
            total += slope * _mean_of(node.integrand.diff(x, y), law) / 2
    return total + _mean_of(node.integrand.diff(r), law)


def _mean_of(integrand: Expr, law: GaussianLaw) -> Expr:
    return S.Zero if integrand == 0 else Expectation(integrand, law)

"""Rules about expectations: of any law, by the Gaussian calculus, and in parameters (Price)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import product

import sympy as sp
from sympy import Abs, Derivative, Expr, Heaviside, Max, Min, S, Symbol
from sympy.core.relational import Relational

from slrsym.gaussian.binding import Expectation
from slrsym.gaussian.law import GaussianLaw, IIDSum, Law, ProductLaw
from slrsym.proofs.calculus import with_derivatives_taken
from slrsym.proofs.context import Context, require_defined
from slrsym.proofs.normal_forms import INDEPENDENT, LINEAR, MOMENTS
from slrsym.proofs.regularity import (
    derivative,
    expectations_in,
    require_integrable,
    require_moderate,
    require_positive_definite,
    with_expectations_changed,
)
from slrsym.proofs.step import (
    ChangingExpectations,
    Link,
    Proof,
    Rewriting,
    Rule,
    axioms_of,
    require_equality,
    require_rule,
)
from slrsym.statements.expressions import Refused, rebuilt

COPIES_CLAIMS = ("sum-of-copies", "sum-of-copies-mean")


class _Properties(Rewriting):
    """The two sides agree in normal form, using some properties of expectations."""

    def require(self, link: Link, context: Context) -> None:
        require_integrable(link.statement, context)

    def uses(self, link: Link) -> tuple[str, ...]:
        copies = self.freedom.moments and link.statement.has(IIDSum)
        return COPIES_CLAIMS if copies else ()


class _Linearity(_Properties):
    """The two sides agree once expectations are split into terms, and constants taken out.

    Rests on the axiom ``integral-linearity``.
    """

    name = "linearity"
    freedom = LINEAR
    rests_on = ("integral-linearity",)


class _Independence(_Properties):
    """The two sides agree once expectations of independent factors are multiplied, too.

    Uncorrelated blocks of a Gaussian law are independent. Rests on the axioms
    ``integral-linearity``, ``fubini`` and ``gaussian-linear-image``.
    """

    name = "independence"
    freedom = INDEPENDENT
    rests_on = ("integral-linearity", "fubini", "gaussian-linear-image")


class _NoiseMoments(_Properties):
    """As `independence`, with the first two moments of noise and of sums of copies put in.

    Rests on the axioms ``integral-linearity``, ``fubini`` and ``gaussian-linear-image``, and for
    sums of copies on the claims ``sum-of-copies`` and ``sum-of-copies-mean``.
    """

    name = "moments of noise and of sums of copies"
    freedom = MOMENTS
    rests_on = ("integral-linearity", "fubini", "gaussian-linear-image")


linearity = _Linearity()
independence = _Independence()
noise_moments = _NoiseMoments()


@dataclass(frozen=True)
class _Inside(Rule):
    """What relates two integrands, whatever the variables are, relates the expectations."""

    by: Rule

    @property
    def name(self) -> str:  # type: ignore[override]
        return f"inside the expectation, {self.by.name}"

    def axioms(self, link: Link) -> tuple[str, ...]:
        inner = self._inner(link)
        return ("integral-linearity", *(axioms_of(self.by, inner) if inner else ()))

    def uses(self, link: Link) -> tuple[str, ...]:
        inner = self._inner(link)
        return self.by.uses(inner) if inner else ()

    def premises(self, link: Link, context: Context) -> Iterable[tuple[str, Proof, Context]]:
        inner = self._inner(link)
        return self.by.premises(inner, context) if inner else ()

    @staticmethod
    def _inner(link: Link) -> Link | None:
        left, right = link.lhs, link.rhs
        if not isinstance(left, Expectation) or not isinstance(right, Expectation):
            return None
        return Link(left.integrand, link.relation, right.integrand)

    def check(self, link: Link, context: Context) -> None:
        inner = self._inner(link)
        if inner is None or link.lhs.law != link.rhs.law:
            raise Refused("the two sides are not expectations under the same law")
        if link.relation in ("<", ">"):
            raise Refused("a strict inequality between integrands gives only a weak one here")
        names = set(link.lhs.law.symbols)
        if any(h.free_symbols & names for h in context.hypotheses):
            raise Refused("a hypothesis speaks of a variable of the law; rename the variable")
        require_integrable(link.statement, context)
        self.by.check(inner, context)


def inside(by: Rule) -> Rule:
    """Use a rule on the integrand of an expectation.

    Rests on the axiom ``integral-linearity``, and on what the rule rests on.

    Parameters
    ----------
    by : Rule
        A rule that may stand in a chain.

    Returns
    -------
    Rule
        For links between two expectations under the same law, strict inequalities excepted.

    Raises
    ------
    ProofError
        If `by` is not such a rule.
    """
    require_rule(by, chainable=True)
    return _Inside(by)


class _DifferentiateUnderExpectation(Rewriting):
    """The derivative of an expectation in a parameter is the expectation of the derivative.

    Rests on the axioms ``dominated-convergence`` and ``integral-linearity``.
    """

    name = "differentiation under the expectation"
    rests_on = ("dominated-convergence", "integral-linearity")
    freedom = LINEAR

    def require(self, link: Link, context: Context) -> None:
        if not any(node.expr.has(Expectation) for node in link.statement.atoms(Derivative)):
            raise Refused("neither side has a derivative of an expectation")
        require_defined(link.statement, context)

    def rewritten(self, expr: Expr, context: Context) -> Expr:
        return _differentiated(expr, context)


differentiate_under_expectation = _DifferentiateUnderExpectation()


def _differentiated(expr: Expr, context: Context) -> Expr:
    return rebuilt(expr, lambda node: _derivatives_of(node, context))


def _derivatives_of(expr: Expr, context: Context) -> Expr | None:
    if isinstance(expr, Derivative):
        inside = _differentiated(expr.expr, context)
        for variable, count in expr.variable_count:
            for _ in range(int(count)):
                inside = derivative(inside, variable, context)
                inside = rebuilt(inside, lambda node: _exchanged(node, context))
        return inside
    return None if expr.has(Derivative) else expr


def _exchanged(expr: Expr, context: Context) -> Expr | None:
    """A derivative of an expectation, as SymPy leaves it, taken inside."""
    if isinstance(expr, Derivative) and isinstance(expr.expr, Expectation):
        node, (variable,) = expr.expr, expr.variables
        if variable in node.law.free_symbols:
            raise Refused(f"the law of {node} depends on {variable}; standardise it first")
        require_moderate(node.integrand, frozenset({*node.law.symbols, variable}), context)
        return Expectation(node.integrand.diff(variable), node.law)
    return None if expr.has(Derivative) else expr


@dataclass(frozen=True)
class _Conditioning(ChangingExpectations):
    """The expectation is the expectation of the conditional expectation."""

    given: tuple[Symbol, ...]

    name = "conditioning"
    rests_on = ("fubini", "gaussian-linear-image")

    def require(self, link: Link, context: Context) -> None:
        require_integrable(link.lhs, context)

    def changed(self, node: Expectation, context: Context) -> Expr:
        chosen = [s for s in node.law.symbols if s in self.given]
        if not chosen or len(chosen) == len(node.law.symbols):
            return node
        inner, outer = self._disintegrated(node.law, chosen)
        return Expectation(Expectation(node.integrand, inner), outer)

    @staticmethod
    def _disintegrated(law: Law, chosen: list[Symbol]) -> tuple[Law, Law]:
        inner: list[Law] = []
        outer: list[Law] = []
        for block in law.blocks():
            present = [s for s in block.symbols if s in chosen]
            if len(present) == len(block.symbols):
                outer.append(block)
            elif not present:
                inner.append(block)
            elif isinstance(block, GaussianLaw):
                inner.append(block.condition({s: s for s in present}))
                outer.append(block.marginal(*present))
            else:
                raise Refused(f"cannot condition {block}")
        return _joined(inner), _joined(outer)


def conditioning(*given: Symbol) -> Rule:
    """Take the expectation given some variables first, then over these.

    Rests on the axioms ``fubini`` and ``gaussian-linear-image``.

    Parameters
    ----------
    *given : Symbol
        These variables.

    Returns
    -------
    Rule
        For equalities.
    """
    return _Conditioning(given)


def _joined(laws: list[Law]) -> Law:
    return laws[0] if len(laws) == 1 else ProductLaw(*laws)


class _PeelCopy(Rule):
    """A sum of n + 1 independent copies is a sum of n of them plus one more.

    Rests on the axiom ``fubini``.
    """

    name = "one copy more"

    @staticmethod
    def joint(law: Law, copy: Law, names: Mapping[Symbol, Symbol]) -> ProductLaw:
        """The law of an expectation with one more copy, its variables named anew."""
        return ProductLaw(law, copy.renamed(names))

    rests_on = ("fubini",)

    def check(self, link: Link, context: Context) -> None:
        require_equality(link)
        sums = {s for n in expectations_in(link.lhs) for s in n.integrand.atoms(IIDSum)}
        if len(sums) != 1:
            raise Refused("the left side has not exactly one sum of copies")
        (copies,) = sums
        left = copies.count - 1
        if not (copies.count.is_integer and context.sign(left).nonnegative):
            raise Refused(f"{copies.count} is not known to be a positive integer")

        def peeled(node: Expectation) -> Expr:
            if not node.integrand.has(copies):
                return node
            names = {s: sp.Dummy(s.name, real=True) for s in copies.law.symbols}
            one = copies.term.xreplace(names)
            rest = IIDSum(copies.term, copies.law, left)
            return Expectation(
                node.integrand.xreplace({copies: rest + one}),
                self.joint(node.law, copies.law, names),
            )

        context.require_equal(with_expectations_changed(link.lhs, peeled), link.rhs)


peel_copy = _PeelCopy()


_MOST_PIECES = 64


class _GaussianCalculus(ChangingExpectations):
    """Both sides agree once `slrsym.gaussian.expectation` has evaluated what it can.

    Rests on the axioms ``integral-linearity``, ``fubini``, ``gaussian-linear-image``,
    ``gaussian-normalisation``, ``stein-lemma`` and ``bivariate-normal``.
    """

    name = "Gaussian calculus"
    rests_on = (
        "integral-linearity",
        "fubini",
        "gaussian-linear-image",
        "gaussian-normalisation",
        "stein-lemma",
        "bivariate-normal",
    )
    freedom = INDEPENDENT

    def require(self, link: Link, context: Context) -> None:
        if not link.statement.has(Expectation):
            raise Refused("neither side has an expectation")

    def changed(self, node: Expectation, context: Context) -> Expr:
        # Imported where it is used, as few proofs need it.
        from slrsym.gaussian.closed_form import evaluated
        from slrsym.gaussian.integrals import IntegrabilityError

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


gaussian_calculus = _GaussianCalculus()


def _require_sure_jumps(integrand: Expr, law: Law, context: Context) -> None:
    """Refuse unless an integrand jumps with probability zero, as under a degenerate law it may not.

    The calculus takes the square of a sign for one.
    """
    jumps = [node.args[0] for node in integrand.atoms(sp.sign, Heaviside)]
    for node in integrand.atoms(sp.Piecewise):
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
    for node in expr.atoms(Abs, Max, Min, sp.sign, Heaviside):
        if isinstance(node, Abs):
            here = (node.args[0], -node.args[0])
        elif isinstance(node, Max | Min):
            here = node.args
        else:
            here = (S.One, S.NegativeOne if isinstance(node, sp.sign) else S.Zero)
        values = [{**known, node: value} for known in values for value in here]
        if len(values) > _MOST_PIECES:
            raise Refused(f"{expr} has too many pieces")
    found = list(dict.fromkeys(expr.xreplace(known) for known in values))
    if any(piece.has(Abs, Max, Min, sp.sign, Heaviside) for piece in found if piece != expr):
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
        return bool(context.sign(sp.expand(spread)).positive)
    for block in blocks:
        require_positive_definite(block, context)
    return any(context.sign(c).nonzero for m, c in polynomial.terms() if any(m))


class _Price(Rewriting):
    r"""The derivative of an expectation in a parameter of its Gaussian law.

    For a moderate function f, and a parameter r of means and covariances, the derivative of E f is
    :math:`\sum_i m_i' E\,\partial_i f + \frac12 \sum_{ij} C_{ij}' E\,\partial_i\partial_j f`, where
    the law is not degenerate. Rests on the axioms ``price-theorem`` and ``integral-linearity``.
    """

    name = "Price's theorem"
    rests_on = ("price-theorem", "integral-linearity")
    freedom = LINEAR

    def require(self, link: Link, context: Context) -> None:
        if not any(node.expr.has(Expectation) for node in link.statement.atoms(Derivative)):
            raise Refused("neither side has a derivative of an expectation")
        require_integrable(link.statement, context)
        require_defined(link.statement, context)

    def rewritten(self, expr: Expr, context: Context) -> Expr:
        return rebuilt(expr, lambda node: _moved(node, context))


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

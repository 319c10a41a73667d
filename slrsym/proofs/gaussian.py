"""Rules about Gaussian variables: Stein's lemma, affine images, reflections, densities."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import sympy as sp
from sympy import Add, Derivative, Expr, Matrix, Mul, S, Symbol

from slrsym.gaussian.binding import Expectation
from slrsym.gaussian.functions import erf_prime
from slrsym.gaussian.law import GaussianLaw, Law
from slrsym.proofs.context import Context, require_defined
from slrsym.proofs.normal_forms import LINEAR, partial_derivative
from slrsym.proofs.regularity import (
    expectations_in,
    require_integrable,
    require_moderate,
    require_positive_definite,
    with_expectations_changed,
)
from slrsym.proofs.step import (
    ChangingExpectations,
    Link,
    Rewriting,
    Rule,
    in_either_direction,
    require_equality,
)
from slrsym.statements.expressions import AtPoint, Refused, apart

# The dimension up to which Stein's lemma is a proved claim of the library.
STEIN_DIMENSION = 3
STEIN_CLAIM = "stein-multivariate"

# How often Stein's lemma is used on one term before it is said not to end.
_MOST_FACTORS = 40


@dataclass(frozen=True)
class _Stein(Rule):
    """E[(X - m) h] = sum of covariances times E[derivatives of h], until no factor X is left."""

    variables: tuple[Symbol, ...]

    @property
    def name(self) -> str:  # type: ignore[override]
        return f"Stein's lemma in {', '.join(map(str, self.variables))}"

    rests_on = ("integral-linearity",)

    def uses(self, link: Link) -> tuple[str, ...]:
        return (STEIN_CLAIM,)

    def check(self, link: Link, context: Context) -> None:
        require_equality(link)
        require_integrable(link.lhs, context)
        require_defined(link.lhs, context)
        if not any(set(self.variables) & set(n.law.symbols) for n in expectations_in(link.lhs)):
            raise Refused(f"no expectation on the left has a variable of {self.variables}")
        for node in expectations_in(link.lhs):
            require_moderate(node.integrand, frozenset(node.law.symbols), context)
        context.require_equal(with_expectations_changed(link.lhs, self._applied), link.rhs, LINEAR)

    def _applied(self, node: Expectation) -> Expr:
        for block in node.law.blocks():
            concerned = set(self.variables) & set(block.symbols)
            if concerned and not isinstance(block, GaussianLaw):
                raise Refused(f"{min(concerned, key=str)} is not Gaussian")
            if concerned and len(block.symbols) > STEIN_DIMENSION:
                raise Refused(
                    f"{node} has {len(block.symbols)} jointly Gaussian variables; Stein's lemma is "
                    f"proved here for up to {STEIN_DIMENSION}"
                )
        return self._sum(node.integrand, node.law, _MOST_FACTORS)

    def _sum(self, integrand: Expr, law: Law, left: int) -> Expr:
        if left == 0:
            raise Refused(
                "Stein's lemma does not come to an end here, the derivatives having as many "
                "factors as what they are derivatives of; write erf_prime for the bell"
            )
        terms = Add.make_args(sp.expand(integrand, power_exp=False))
        return Add(*(self._term(term, law, left - 1) for term in terms))

    def _term(self, term: Expr, law: Law, left: int) -> Expr:
        factors = list(Mul.make_args(term))
        for position, factor in enumerate(factors):
            base, power = factor.as_base_exp()
            whole = power.is_integer and power.is_positive and base in self.variables
            if whole and base in law.symbols:
                block = next(b for b in law.blocks() if base in b.symbols)
                assert isinstance(block, GaussianLaw)
                rest = Mul(*factors[:position], base ** (power - 1), *factors[position + 1 :])
                moved = block.mean[base] * rest + Add(
                    *(
                        block.covariance(base, other) * slope_in(rest, other)
                        for other in block.symbols
                    )
                )
                return self._sum(moved, law, left)
        return Expectation(term, law)


def stein(*variables: Symbol) -> Rule:
    """Remove the polynomial factors of Gaussian variables by Stein's lemma.

    The lemma is the claim ``stein-multivariate``. Rests on the axiom ``integral-linearity``, too.

    Parameters
    ----------
    *variables : Symbol
        The variables, of Gaussian vectors of dimension three at most.

    Returns
    -------
    Rule
        For links with the polynomial factors on the left.
    """
    return _Stein(variables)


class _Erf(sp.Function):  # type: ignore[misc]
    """erf, with the bell for its derivative: SymPy's exponential would bring polynomials back."""

    nargs = 1

    def fdiff(self, argindex: int = 1) -> Expr:
        return erf_prime(self.args[0])


def slope_in(expr: Expr, x: Symbol) -> Expr:
    slope = expr.replace(sp.erf, _Erf).diff(x).replace(_Erf, sp.erf)
    powers = [p for p in expr.atoms(sp.Pow) if p.base == x and not p.exp.is_Integer]
    # The derivative of x**(k + 1) is written (k + 1)*x**(k + 1)/x, at 0 as well.
    return sp.powsimp(sp.expand(slope, power_exp=False), combine="exp") if powers else slope


@dataclass(frozen=True)
class _Substitution(Rule):
    """The variables are affine images of others."""

    forms: tuple[tuple[Symbol, Expr], ...]
    law: GaussianLaw

    name = "substitution"
    rests_on = ("gaussian-linear-image",)

    def check(self, link: Link, context: Context) -> None:
        require_equality(link)
        in_either_direction(self._check_forward, link, context)

    def _check_forward(self, link: Link, context: Context) -> None:
        forms = dict(self.forms)
        if set(self.law.symbols) & link.lhs.free_symbols:
            raise Refused("the new variables occur freely on the left")
        image = self.law.linear_image(forms)
        changed = []

        def moved(node: Expectation) -> Expr:
            if set(node.law.symbols) != set(forms):
                return node
            if not isinstance(node.law, GaussianLaw):
                raise Refused(f"the law of {node} is not Gaussian")
            self._require_same(node.law, image.marginal(*node.law.symbols), context)
            changed.append(node)
            taken = set(forms) | set(self.law.symbols)
            return Expectation(_plugged(apart(node.integrand, taken), forms), self.law)

        result = with_expectations_changed(link.lhs, moved)
        if not changed:
            raise Refused(f"no expectation on the left is over {', '.join(map(str, forms))}")
        context.require_equal(result, link.rhs, LINEAR)

    @staticmethod
    def _require_same(first: GaussianLaw, second: GaussianLaw, context: Context) -> None:
        pairs = [
            *zip(first.mean.values(), second.mean.values(), strict=True),
            *zip(first.cov, second.cov, strict=True),
        ]
        for mine, other in pairs:
            try:
                context.require_equal(mine, other)
            except Refused:
                raise Refused(
                    f"the image of the new law is not the law on the left: {other} is not {mine}"
                ) from None


def substitution(forms: Mapping[Symbol, Any], law: GaussianLaw) -> Rule:
    """Write the variables of an expectation as affine forms of new Gaussian variables.

    Rests on the axiom ``gaussian-linear-image``.

    Parameters
    ----------
    forms : mapping of Symbol to expression
        Each old variable as an affine form of the new ones.
    law : GaussianLaw
        The law of the new variables; its image under `forms` must be the old law.

    Returns
    -------
    Rule
        For equalities, read in either direction.
    """
    return _Substitution(tuple((s, sp.sympify(f)) for s, f in forms.items()), law)


def _plugged(expr: Expr, forms: Mapping[Symbol, Expr]) -> Expr:
    """`expr` at other arguments, all at once; partial derivatives are taken before."""
    if isinstance(expr, Derivative | sp.Subs):
        partial = partial_derivative(expr)
        if partial is None:
            raise Refused(f"cannot change the variables of {expr}")
        (_, function, orders), arguments = partial
        places = [sp.Dummy(f"xi_{i}", real=True) for i in range(len(arguments))]
        derivative = Derivative(
            function(*places), *((x, n) for x, n in zip(places, orders, strict=True) if n)
        )
        return AtPoint(derivative, places, [_plugged(a, forms) for a in arguments])
    if expr in forms:
        return forms[expr]
    if not expr.args:
        return expr
    return expr.func(*(_plugged(arg, forms) for arg in expr.args))


@dataclass(frozen=True)
class _Symmetry(ChangingExpectations):
    """A Gaussian law is invariant under reflection of a variable in its mean."""

    variables: tuple[Symbol, ...]

    name = "symmetry"
    rests_on = ("gaussian-linear-image", "integral-linearity")
    freedom = LINEAR

    def require(self, link: Link, context: Context) -> None:
        require_integrable(link.statement, context)

    def changed(self, node: Expectation, context: Context) -> Expr:
        flipped = [s for s in node.law.symbols if s in self.variables]
        if not flipped:
            return node
        for s in flipped:
            self._require_uncorrelated(s, flipped, node.law, context)
        gaussian = [b for b in node.law.blocks() if isinstance(b, GaussianLaw)]
        mirror = {s: 2 * b.mean[s] - s for b in gaussian for s in b.symbols if s in flipped}
        other = Expectation(node.integrand.subs(mirror, simultaneous=True), node.law)
        return (node + other) / 2

    @staticmethod
    def _require_uncorrelated(s: Symbol, flipped: list[Symbol], law: Law, context: Context) -> None:
        block = next(b for b in law.blocks() if s in b.symbols)
        if not isinstance(block, GaussianLaw):
            raise Refused(f"{s} is not Gaussian, so its law need not be symmetric")
        for other in block.symbols:
            if other not in flipped:
                context.require_equal(block.covariance(s, other), S.Zero)


def symmetry(*variables: Symbol) -> Rule:
    """Reflect Gaussian variables in their means; odd integrands vanish.

    Rests on the axioms ``gaussian-linear-image`` and ``integral-linearity``.

    Parameters
    ----------
    *variables : Symbol
        The variables, reflected together. No other variable of their laws may be correlated with
        them.

    Returns
    -------
    Rule
        For equalities.
    """
    return _Symmetry(variables)


@dataclass(frozen=True)
class _CompleteTheSquare(Rewriting):
    """Both sides have the same integrand against Lebesgue measure."""

    law: GaussianLaw

    name = "completing the square"
    rests_on = ("integral-linearity", "gaussian-normalisation")

    def require(self, link: Link, context: Context) -> None:
        for node in expectations_in(link.rhs):
            require_moderate(node.integrand, frozenset(node.law.symbols), context)

    def rewritten(self, expr: Expr, context: Context) -> Expr:
        return _against_lebesgue(expr, self.law, context)


def complete_the_square(law: GaussianLaw) -> Rule:
    """Absorb the exponential of a quadratic form into the Gaussian density.

    The rule compares the integrands of the two sides, densities included, pointwise; a term without
    an expectation stands for itself times the integral of the density of `law`, which is one.
    Rests on the axioms ``integral-linearity`` and ``gaussian-normalisation``.

    Parameters
    ----------
    law : GaussianLaw
        The law that results, non-degenerate.

    Returns
    -------
    Rule
        For equalities.
    """
    return _CompleteTheSquare(law)


def _against_lebesgue(expr: Expr, default: GaussianLaw, context: Context) -> Expr:
    """The integrand against Lebesgue measure of a linear combination of expectations."""
    total: list[Expr] = []
    for term in Add.make_args(sp.expand(expr)):
        nodes = expectations_in(term)
        outer = [n for n in nodes if not any(n in m.integrand.atoms(Expectation) for m in nodes)]
        if len(outer) > 1:
            raise Refused(f"{term} is not linear in expectations")
        node = outer[0] if outer else Expectation(S.One, default)
        coefficient = term / node if outer else term
        if coefficient.has(Expectation):
            raise Refused(f"{term} is not linear in expectations")
        law = node.law
        if not isinstance(law, GaussianLaw) or set(law.symbols) != set(default.symbols):
            raise Refused(f"{node} is not under a Gaussian law of {default.symbols}")
        if set(law.symbols) & coefficient.free_symbols:
            raise Refused(f"the coefficient {coefficient} contains a variable of the law")
        require_positive_definite(law, context)
        exponent, norm = _log_density(law)
        total.append(coefficient * node.integrand * sp.exp(exponent) / norm)
    return Add(*total)


class _Density(ChangingExpectations):
    """An expectation in one variable is the integral against its density.

    Rests on the axiom ``integral-linearity``.
    """

    name = "density"
    rests_on = ("integral-linearity",)

    def changed(self, node: Expectation, context: Context) -> Expr:
        law = node.law
        if not isinstance(law, GaussianLaw) or len(law.symbols) != 1:
            raise Refused(f"{node} is not an expectation in one Gaussian variable")
        require_positive_definite(law, context)
        require_moderate(node.integrand, frozenset(law.symbols), context)
        exponent, norm = _log_density(law)
        (x,) = law.symbols
        return sp.Integral(node.integrand * sp.exp(exponent) / norm, (x, -sp.oo, sp.oo))


density = _Density()


def _log_density(law: GaussianLaw) -> tuple[Expr, Expr]:
    x = Matrix(law.symbols) - Matrix(list(law.mean.values()))
    determinant = law.cov.det(method="berkowitz")
    exponent = -(x.T * (law.cov.adjugate() / determinant) * x)[0] / 2
    return exponent, sp.sqrt(determinant) * sp.sqrt(2 * sp.pi) ** len(law.symbols)

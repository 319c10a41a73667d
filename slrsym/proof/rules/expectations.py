"""Rules about expectations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sympy import (
    Add,
    Derivative,
    Dummy,
    Expr,
    Integral,
    Matrix,
    Mul,
    S,
    Symbol,
    exp,
    expand,
    oo,
    pi,
    sqrt,
    sympify,
)

from slrsym.gaussian.law import GaussianLaw, IIDSum, Law, ProductLaw
from slrsym.gaussian.unevaluated import Expectation
from slrsym.proof.algebra import Freedom
from slrsym.proof.context import Context
from slrsym.proof.errors import Refused
from slrsym.proof.growth import require_moderate
from slrsym.proof.rules.algebra import require_equality
from slrsym.proof.step import Link, Rule

__all__ = [
    "complete_the_square",
    "conditioning",
    "density",
    "differentiate_under_expectation",
    "independence",
    "linearity",
    "noise_moments",
    "require_integrable",
    "stein",
    "substitution",
    "symmetry",
]

LINEAR = Freedom(linearity=True)
INDEPENDENT = Freedom(linearity=True, independence=True)
MOMENTS = Freedom(linearity=True, independence=True, moments=True)

# The dimension up to which Stein's lemma is a proved claim of the library.
STEIN_DIMENSION = 3
STEIN_CLAIM = "stein-multivariate"
COPIES_CLAIM = "sum-of-copies"


def _expectations(expr: Expr) -> list[Expectation]:
    return sorted(expr.atoms(Expectation), key=str)


def require_integrable(expr: Expr, context: Context) -> None:
    """Refuse unless every integrand is of moderate growth."""
    for node in _expectations(expr):
        require_moderate(node.integrand, frozenset(node.law.symbols), context)


def _mapped(expr: Expr, change: Callable[[Expectation], Expr]) -> Expr:
    """`expr` with its outermost expectations changed."""
    if isinstance(expr, Expectation):
        return change(expr)
    if not expr.has(Expectation):
        return expr
    return expr.func(*(_mapped(arg, change) for arg in expr.args))


@dataclass(frozen=True)
class _Properties(Rule):
    """The two sides agree in normal form, using some properties of expectations."""

    name: str
    freedom: Freedom
    uses_axioms: tuple[str, ...]

    def check(self, link: Link, context: Context) -> None:
        require_equality(link)
        require_integrable(link.lhs, context)
        require_integrable(link.rhs, context)
        context.require_equal(link.lhs, link.rhs, self.freedom)

    def axioms(self, link: Link) -> tuple[str, ...]:
        return self.uses_axioms

    def uses(self, link: Link) -> tuple[str, ...]:
        copies = self.freedom.moments and link.statement.has(IIDSum)
        return (COPIES_CLAIM,) if copies else ()


linearity = _Properties("linearity", LINEAR, ("integral-linearity",))
independence = _Properties(
    "independence", INDEPENDENT, ("integral-linearity", "fubini", "gaussian-linear-image")
)
noise_moments = _Properties(
    "moments of noise and of sums of copies",
    MOMENTS,
    ("integral-linearity", "fubini", "gaussian-linear-image"),
)


@dataclass(frozen=True)
class _Stein(Rule):
    """E[(X - m) h] = sum of covariances times E[derivatives of h], until no factor X is left."""

    variable: Symbol

    @property
    def name(self) -> str:  # type: ignore[override]
        return f"Stein's lemma in {self.variable}"

    def axioms(self, link: Link) -> tuple[str, ...]:
        return ("integral-linearity",)

    def uses(self, link: Link) -> tuple[str, ...]:
        return (STEIN_CLAIM,)

    def check(self, link: Link, context: Context) -> None:
        require_equality(link)
        require_integrable(link.lhs, context)
        if not any(self.variable in node.law.symbols for node in _expectations(link.lhs)):
            raise Refused(f"no expectation on the left has the variable {self.variable}")
        context.require_equal(_mapped(link.lhs, self._applied), link.rhs, LINEAR)

    def _applied(self, node: Expectation) -> Expr:
        if self.variable not in node.law.symbols:
            return node
        block = next(b for b in node.law.blocks() if self.variable in b.symbols)
        if not isinstance(block, GaussianLaw):
            raise Refused(f"{self.variable} is not Gaussian")
        if len(block.symbols) > STEIN_DIMENSION:
            raise Refused(
                f"{node} has {len(block.symbols)} jointly Gaussian variables; Stein's lemma is "
                f"proved here for up to {STEIN_DIMENSION}"
            )
        return Add(*(self._term(t, node.law, block) for t in Add.make_args(expand(node.integrand))))

    def _term(self, term: Expr, law: Law, block: GaussianLaw) -> Expr:
        factors = list(Mul.make_args(term))
        for position, factor in enumerate(factors):
            base, power = factor.as_base_exp()
            if base == self.variable and power.is_Integer and power > 0:
                rest = Mul(*factors[:position], base ** (power - 1), *factors[position + 1 :])
                moved = block.mean[base] * rest + Add(
                    *(block.covariance(base, other) * rest.diff(other) for other in block.symbols)
                )
                return Add(*(self._term(t, law, block) for t in Add.make_args(expand(moved))))
        return Expectation(term, law)


def stein(variable: Symbol) -> Rule:
    """Remove the polynomial factors of a Gaussian variable by Stein's lemma."""
    return _Stein(variable)


def _log_density(law: GaussianLaw) -> tuple[Expr, Expr]:
    """Exponent and normalising constant of a non-degenerate Gaussian density."""
    x = Matrix(law.symbols) - Matrix(list(law.mean.values()))
    determinant = law.cov.det(method="berkowitz")
    exponent = -(x.T * (law.cov.adjugate() / determinant) * x)[0] / 2
    return exponent, sqrt(determinant) * sqrt(2 * pi) ** len(law.symbols)


def _against_lebesgue(expr: Expr, default: GaussianLaw, context: Context) -> Expr:
    """The integrand against Lebesgue measure of a linear combination of expectations."""
    total: list[Expr] = []
    for term in Add.make_args(expand(expr)):
        nodes = _expectations(term)
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
        _require_positive_definite(law, context)
        exponent, norm = _log_density(law)
        total.append(coefficient * node.integrand * exp(exponent) / norm)
    return Add(*total)


def _require_positive_definite(law: GaussianLaw, context: Context) -> None:
    for size in range(1, len(law.symbols) + 1):
        minor = law.cov[:size, :size].det(method="berkowitz")
        context.require(
            context.sign(minor).positive,
            f"the law of {', '.join(map(str, law.symbols))} may be degenerate: {minor} > 0 is not known",
        )


@dataclass(frozen=True)
class _CompleteTheSquare(Rule):
    """Both sides have the same integrand against Lebesgue measure."""

    law: GaussianLaw

    name = "completing the square"

    def axioms(self, link: Link) -> tuple[str, ...]:
        return ("integral-linearity", "gaussian-normalisation")

    def check(self, link: Link, context: Context) -> None:
        require_equality(link)
        for node in _expectations(link.rhs):
            require_moderate(node.integrand, frozenset(node.law.symbols), context)
        context.require_equal(
            _against_lebesgue(link.lhs, self.law, context),
            _against_lebesgue(link.rhs, self.law, context),
        )


def complete_the_square(law: GaussianLaw) -> Rule:
    """Absorb the exponential of a quadratic form into the Gaussian density.

    The rule compares the integrands of the two sides, densities included, pointwise; a term without
    an expectation stands for itself times the integral of the density of `law`, which is one.

    Parameters
    ----------
    law : GaussianLaw
        The law that results, non-degenerate.
    """
    return _CompleteTheSquare(law)


class _Density(Rule):
    """An expectation in one variable is the integral against its density."""

    name = "density"

    def axioms(self, link: Link) -> tuple[str, ...]:
        return ("integral-linearity",)

    def check(self, link: Link, context: Context) -> None:
        require_equality(link)

        def integral(node: Expectation) -> Expr:
            law = node.law
            if not isinstance(law, GaussianLaw) or len(law.symbols) != 1:
                raise Refused(f"{node} is not an expectation in one Gaussian variable")
            _require_positive_definite(law, context)
            require_moderate(node.integrand, frozenset(law.symbols), context)
            exponent, norm = _log_density(law)
            (x,) = law.symbols
            return Integral(node.integrand * exp(exponent) / norm, (x, -oo, oo))

        context.require_equal(_mapped(link.lhs, integral), _mapped(link.rhs, integral))


density = _Density()


@dataclass(frozen=True)
class _Substitution(Rule):
    """The variables are affine images of others."""

    forms: tuple[tuple[Symbol, Expr], ...]
    law: GaussianLaw

    name = "substitution"

    def axioms(self, link: Link) -> tuple[str, ...]:
        return ("gaussian-linear-image",)

    def check(self, link: Link, context: Context) -> None:
        require_equality(link)
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
            # Simultaneous, through placeholders: new and old variables may share names.
            names = {s: Dummy(s.name, real=True) for s in forms}
            there = node.integrand.xreplace(names)
            return Expectation(there.xreplace({names[s]: f for s, f in forms.items()}), self.law)

        result = _mapped(link.lhs, moved)
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

    Parameters
    ----------
    forms : mapping of Symbol to expression
        Each old variable as an affine form of the new ones.
    law : GaussianLaw
        The law of the new variables; its image under `forms` must be the old law.
    """
    return _Substitution(tuple((s, sympify(f)) for s, f in forms.items()), law)


@dataclass(frozen=True)
class _Symmetry(Rule):
    """A Gaussian law is invariant under reflection of a variable in its mean."""

    variables: tuple[Symbol, ...]

    name = "symmetry"

    def axioms(self, link: Link) -> tuple[str, ...]:
        return ("gaussian-linear-image", "integral-linearity")

    def check(self, link: Link, context: Context) -> None:
        require_equality(link)
        require_integrable(link.lhs, context)
        require_integrable(link.rhs, context)

        def reflected(node: Expectation) -> Expr:
            flipped = [s for s in node.law.symbols if s in self.variables]
            if not flipped:
                return node
            for s in flipped:
                self._require_uncorrelated(s, flipped, node.law, context)
            means = {s: m for b in node.law.blocks() if isinstance(b, GaussianLaw) for s, m in b.mean.items()}
            mirror = {s: 2 * means[s] - s for s in flipped}
            other = Expectation(node.integrand.subs(mirror, simultaneous=True), node.law)
            return (node + other) / 2

        context.require_equal(
            _mapped(link.lhs, reflected), _mapped(link.rhs, reflected), LINEAR
        )

    @staticmethod
    def _require_uncorrelated(
        s: Symbol, flipped: list[Symbol], law: Law, context: Context
    ) -> None:
        block = next(b for b in law.blocks() if s in b.symbols)
        if not isinstance(block, GaussianLaw):
            raise Refused(f"{s} is not Gaussian, so its law need not be symmetric")
        for other in block.symbols:
            if other not in flipped:
                context.require_equal(block.covariance(s, other), S.Zero)


def symmetry(*variables: Symbol) -> Rule:
    """Reflect Gaussian variables in their means; odd integrands vanish."""
    return _Symmetry(variables)


@dataclass(frozen=True)
class _Conditioning(Rule):
    """The expectation is the expectation of the conditional expectation."""

    given: tuple[Symbol, ...]

    name = "conditioning"

    def axioms(self, link: Link) -> tuple[str, ...]:
        return ("fubini", "gaussian-linear-image")

    def check(self, link: Link, context: Context) -> None:
        require_equality(link)
        require_integrable(link.lhs, context)

        def nested(node: Expectation) -> Expr:
            chosen = [s for s in node.law.symbols if s in self.given]
            if not chosen or len(chosen) == len(node.law.symbols):
                return node
            inner, outer = self._disintegrated(node.law, chosen)
            return Expectation(Expectation(node.integrand, inner), outer)

        context.require_equal(_mapped(link.lhs, nested), link.rhs)

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
        join = lambda laws: laws[0] if len(laws) == 1 else ProductLaw(*laws)  # noqa: E731
        return join(inner), join(outer)


def conditioning(*given: Symbol) -> Rule:
    """Take the expectation given some variables first, then over these."""
    return _Conditioning(given)


class _DifferentiateUnderExpectation(Rule):
    """The derivative of an expectation in a parameter is the expectation of the derivative."""

    name = "differentiation under the expectation"

    def axioms(self, link: Link) -> tuple[str, ...]:
        return ("dominated-convergence", "integral-linearity")

    def check(self, link: Link, context: Context) -> None:
        require_equality(link)
        if not any(node.expr.has(Expectation) for node in link.lhs.atoms(Derivative)):
            raise Refused("the left side has no derivative of an expectation")
        context.require_equal(_differentiated(link.lhs, context), link.rhs, LINEAR)


def _differentiated(expr: Expr, context: Context) -> Expr:
    if isinstance(expr, Derivative):
        inside = _differentiated(expr.expr, context)
        for variable, count in expr.variable_count:
            for _ in range(int(count)):
                inside = _exchange(inside.diff(variable), context)
        return inside
    if not expr.has(Derivative):
        return expr
    return expr.func(*(_differentiated(arg, context) for arg in expr.args))


def _exchange(expr: Expr, context: Context) -> Expr:
    """Derivatives of expectations, as SymPy leaves them, taken inside."""
    if isinstance(expr, Derivative) and isinstance(expr.expr, Expectation):
        node, (variable,) = expr.expr, expr.variables
        if variable in node.law.free_symbols:
            raise Refused(f"the law of {node} depends on {variable}; standardise it first")
        require_moderate(node.integrand, frozenset({*node.law.symbols, variable}), context)
        return Expectation(node.integrand.diff(variable), node.law)
    if not expr.has(Derivative):
        return expr
    return expr.func(*(_exchange(arg, context) for arg in expr.args))


differentiate_under_expectation = _DifferentiateUnderExpectation()

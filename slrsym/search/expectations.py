"""Rules about expectations under any law, and when these exist, which all of them ask."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from sympy import Derivative, Dummy, Expr, Symbol

from slrsym.gaussian.binding import Expectation
from slrsym.gaussian.law import GaussianLaw, IIDSum, Law, ProductLaw
from slrsym.search.atoms import Freedom
from slrsym.search.calculus import require_equality
from slrsym.search.context import Context, require_defined
from slrsym.search.regularity import (
    derivative,
    expectations_in,
    require_integrable,
    require_moderate,
)
from slrsym.search.step import Link, Proof, Rule, axioms_of
from slrsym.statements.expressions import ProofError, Refused, rebuilt


def with_expectations_changed(expr: Expr, change: Callable[[Expectation], Expr]) -> Expr:
    """The expression with its outermost expectations changed."""

    def changed(node: Expr) -> Expr | None:
        return change(node) if isinstance(node, Expectation) else None

    return rebuilt(expr, changed)


LINEAR = Freedom(linearity=True)
INDEPENDENT = Freedom(linearity=True, independence=True)
MOMENTS = Freedom(linearity=True, independence=True, moments=True)

COPIES_CLAIMS = ("sum-of-copies", "sum-of-copies-mean")


class _Properties(Rule):
    """The two sides agree in normal form, using some properties of expectations."""

    freedom: ClassVar[Freedom]
    uses_axioms: ClassVar[tuple[str, ...]]

    def check(self, link: Link, context: Context) -> None:
        require_equality(link)
        require_integrable(link.lhs, context)
        require_integrable(link.rhs, context)
        context.require_equal(link.lhs, link.rhs, self.freedom)

    def axioms(self, link: Link) -> tuple[str, ...]:
        return self.uses_axioms

    def uses(self, link: Link) -> tuple[str, ...]:
        copies = self.freedom.moments and link.statement.has(IIDSum)
        return COPIES_CLAIMS if copies else ()


class _Linearity(_Properties):
    """The two sides agree once expectations are split into terms, and constants taken out.

    Rests on the axiom ``integral-linearity``.
    """

    name = "linearity"
    freedom = LINEAR
    uses_axioms = ("integral-linearity",)


class _Independence(_Properties):
    """The two sides agree once expectations of independent factors are multiplied, too.

    Uncorrelated blocks of a Gaussian law are independent. Rests on the axioms
    ``integral-linearity``, ``fubini`` and ``gaussian-linear-image``.
    """

    name = "independence"
    freedom = INDEPENDENT
    uses_axioms = ("integral-linearity", "fubini", "gaussian-linear-image")


class _NoiseMoments(_Properties):
    """As `independence`, with the first two moments of noise and of sums of copies put in.

    Rests on the axioms ``integral-linearity``, ``fubini`` and ``gaussian-linear-image``, and for
    sums of copies on the claims ``sum-of-copies`` and ``sum-of-copies-mean``.
    """

    name = "moments of noise and of sums of copies"
    freedom = MOMENTS
    uses_axioms = ("integral-linearity", "fubini", "gaussian-linear-image")


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
        require_integrable(link.lhs, context)
        require_integrable(link.rhs, context)
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
    if not isinstance(by, Rule) or not by.chainable:
        raise ProofError(f"by must be a rule; got {by!r}")
    return _Inside(by)


class _DifferentiateUnderExpectation(Rule):
    """The derivative of an expectation in a parameter is the expectation of the derivative.

    Rests on the axioms ``dominated-convergence`` and ``integral-linearity``.
    """

    name = "differentiation under the expectation"

    def axioms(self, link: Link) -> tuple[str, ...]:
        return ("dominated-convergence", "integral-linearity")

    def check(self, link: Link, context: Context) -> None:
        require_equality(link)
        if not any(node.expr.has(Expectation) for node in link.statement.atoms(Derivative)):
            raise Refused("neither side has a derivative of an expectation")
        for side in (link.lhs, link.rhs):
            require_defined(side, context)
        context.require_equal(
            _differentiated(link.lhs, context), _differentiated(link.rhs, context), LINEAR
        )


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

        context.require_equal(
            with_expectations_changed(link.lhs, nested), with_expectations_changed(link.rhs, nested)
        )

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

    def axioms(self, link: Link) -> tuple[str, ...]:
        return ("fubini",)

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
            names = {s: Dummy(s.name, real=True) for s in copies.law.symbols}
            one = copies.term.xreplace(names)
            rest = IIDSum(copies.term, copies.law, left)
            return Expectation(
                node.integrand.xreplace({copies: rest + one}),
                self.joint(node.law, copies.law, names),
            )

        context.require_equal(with_expectations_changed(link.lhs, peeled), link.rhs)


peel_copy = _PeelCopy()

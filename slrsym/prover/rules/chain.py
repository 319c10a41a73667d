"""Chains of relations, the usual form of a proof, and the steps that join parts of a proof."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from sympy import Derivative, Expr, S, Symbol, sympify

from slrsym.gaussian.special_functions import with_own_owens_t
from slrsym.prover.rules.context import Context
from slrsym.prover.rules.step import Link, Proof, Rule, Step, join_labels, relation, require_rule
from slrsym.prover.statements.expressions import AtPoint, ProofError
from slrsym.registry import load_registered

if TYPE_CHECKING:
    from sympy.logic.boolalg import Boolean

_DOWN = {"<=", "<"}
_UP = {">=", ">"}


def D(expr: Any, *variables: Any) -> Derivative:
    """Return the unevaluated derivative of an expression in given variables.

    Parameters
    ----------
    expr : expression
        The function.
    *variables : Symbol or (Symbol, int)
        What it is differentiated in, and how often.

    Returns
    -------
    Derivative
        Unevaluated.
    """
    return Derivative(expr, *variables, evaluate=False)


def at(expr: Any, point: Mapping[Symbol, Any]) -> AtPoint:
    """Return an expression at a point, without evaluating it there.

    Parameters
    ----------
    expr : expression
        Such as a derivative, which is taken before.
    point : mapping of Symbol to expression
        The variables and their values.

    Returns
    -------
    AtPoint
        Unevaluated.
    """
    return AtPoint(expr, tuple(point), tuple(map(sympify, point.values())))


@dataclass(frozen=True, repr=False)
class Chain(Proof):
    """A chain of relations, each justified by a rule.

    Build it with `chain`, and extend it with `then` (=), `le`, `lt`, `ge`, `gt`.

    Parameters
    ----------
    start : Expr
        The first expression.
    links : tuple of (Link, Rule), optional
        The relations, in order, each with what justifies it.
    """

    start: Expr
    links: tuple[tuple[Link, Rule], ...] = ()

    @property
    def end(self) -> Expr:
        """The last expression of the chain."""
        return self.links[-1][0].rhs if self.links else self.start

    def _extended(self, symbol: str, expr: Any, by: Rule) -> Chain:
        require_rule(by)
        link = Link(self.end, symbol, with_own_owens_t(sympify(expr)))
        return replace(self, links=(*self.links, (link, by)))

    def then(self, expr: Any, by: Rule) -> Chain:
        return self._extended("=", expr, by)

    def le(self, expr: Any, by: Rule) -> Chain:
        return self._extended("<=", expr, by)

    def lt(self, expr: Any, by: Rule) -> Chain:
        return self._extended("<", expr, by)

    def ge(self, expr: Any, by: Rule) -> Chain:
        return self._extended(">=", expr, by)

    def gt(self, expr: Any, by: Rule) -> Chain:
        return self._extended(">", expr, by)

    @property
    def conclusion(self) -> Boolean:
        """The relation between the first and the last expression, combined from all links."""
        if not self.links:
            raise ProofError(
                f"the chain from {self.start} has no step, so it proves nothing; add "
                ".then(..., by=...)"
            )
        kinds = {link.relation for link, _ in self.links} - {"="}
        if kinds & _DOWN and kinds & _UP:
            raise ProofError(
                f"the chain from {self.start} mixes <= and >=, so its ends are not related; "
                "split it"
            )
        strict = next((k for k in kinds if len(k) == 1), None)
        return relation(self.start, strict or next(iter(kinds), "="), self.end)

    def to_latex(self, step_numbers: bool = False) -> str:
        """Return the chain in LaTeX, each relation with the rule that justifies it.

        Parameters
        ----------
        step_numbers : bool, optional
            Whether each rule is preceded by the number of its step.

        Returns
        -------
        str
            An ``align*`` environment that needs amsmath only.
        """
        return str(load_registered("chain.latex")(self, step_numbers))

    def __repr__(self) -> str:
        rows = (f"    {link.relation} {link.rhs}  [{rule}]" for link, rule in self.links)
        return "\n".join([str(self.start), *rows])

    def _repr_latex_(self) -> str:
        return self.to_latex()

    def _repr_html_(self) -> str:
        return str(load_registered("chain.html")(self))

    def steps(self, context: Context, label: str = "") -> Iterable[Step]:
        for number, (link, rule) in enumerate(self.links, start=1):
            if not getattr(rule, "chainable", True):
                raise ProofError(f"step {number}: {rule} is no rule for a link of a chain")
            here = join_labels(label, str(number))
            for name, proof, inner in rule.premises(link, context):
                yield from proof.steps(inner, join_labels(here, name))
            yield Step(here, link.statement, rule, link, context)


for _method, _symbol in (
    (Chain.then, "="),
    (Chain.le, "<="),
    (Chain.lt, "<"),
    (Chain.ge, ">="),
    (Chain.gt, ">"),
):
    _method.__doc__ = f"""... {_symbol} expr.

    Parameters
    ----------
    expr : expression
        The next expression.
    by : Rule
        What justifies the step.

    Returns
    -------
    Chain
        The chain with one link more.

    Raises
    ------
    ProofError
        If `by` is not a rule.
    """


def chain(start: Any) -> Chain:
    """Return a chain of relations that begins at an expression and has no links yet.

    Parameters
    ----------
    start : expression
        The first expression.

    Returns
    -------
    Chain
        Without links; it proves nothing yet.
    """
    return Chain(with_own_owens_t(sympify(start)))


def as_proof(start: Expr, end: Expr, proof: Proof | Rule, relation: str = "=") -> Proof:
    """Return a part of a proof as a `Proof`; a rule alone becomes a chain of one link."""
    if isinstance(proof, Rule):
        return Chain(start, ((Link(start, relation, end), proof),))
    return Proof.require(proof, "what shows a part")


@dataclass(frozen=True)
class StructuralRule(Rule):
    """The rule of a structural step, in which the parts of a proof imply the statement.

    `about` is what documents show of it, `because` how it follows; `citing` are claims, `theorems`
    those of the literature from which a citation concludes.
    """

    name: str
    citing: tuple[str, ...] = ()
    theorems: tuple[str, ...] = ()
    about: tuple[Any, ...] = ()
    because: str = ""

    # It is about the proof that makes the step, not about a link.
    chainable = False

    def uses(self, link: Link) -> tuple[str, ...]:
        return self.citing


_NO_LINK = Link(S.Zero, "=", S.Zero)


def is_structural(rule: Rule) -> bool:
    """Return whether a rule is that of a step which joins parts of a proof."""
    return type(rule) is StructuralRule


def structural_step(
    label: str, statement: Boolean, name: str, context: Context, numeric: bool = True, **more: Any
) -> Step:
    """Return the step that concludes a statement from the parts of a proof."""
    return Step(label, statement, StructuralRule(name, **more), _NO_LINK, context, numeric)

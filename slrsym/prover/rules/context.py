"""The context of a step: hypotheses it may use, and requirements on every statement.

A statement is refused before any evidence counts where SymPy, or a reader, could take it for
another one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Protocol, Self

import sympy as sp
from sympy import And, Basic, Derivative, Dummy, Expr, ImmutableMatrix, Indexed, Limit, Symbol
from sympy.core.function import AppliedUndef
from sympy.core.relational import Relational
from sympy.logic.boolalg import Boolean, BooleanFunction

from slrsym.gaussian.law import GaussianLaw, IIDSum, Law, NoiseLaw
from slrsym.matrices.functions import SmoothFunction
from slrsym.prover.statements.expressions import (
    ProofError,
    Refused,
    conjuncts,
    find_ambiguous_subs,
    substitute_simultaneously,
)


class CitableClaim(Protocol):
    """Protocol of claims that a step may cite; `slrsym.proof.Claim` implements it."""

    id: str
    statement: Boolean
    hypotheses: tuple[Boolean, ...]

    @property
    def symbols(self) -> Collection[Symbol]:
        """The free symbols in the statement and the hypotheses of the claim."""

    def symbol(self, name: Any) -> Any:
        """Return the claim's symbol or function with a given name."""


def _no_claims(name: str) -> CitableClaim:
    raise ProofError(f"unknown claim {name!r}: this proof is checked outside of a ledger")


def _nothing_known(relation: Boolean) -> bool:
    return False


@dataclass(frozen=True)
class Context:
    """The hypotheses, probability laws and claims that a step may use.

    Attributes
    ----------
    hypotheses : tuple of Boolean
        What is supposed.
    claim : callable
        The claim of an id.
    granted : tuple of Boolean
        What an induction hypothesis says.
    covariances : tuple of ImmutableMatrix
        Those of the laws that the claim speaks of, which are supposed to exist.
    holds : callable
        Whether the proof checker has a theorem of a relation here; a rule of one's own may ask it.
    """

    hypotheses: tuple[Boolean, ...] = ()
    claim: Callable[[str], CitableClaim] = field(default=_no_claims, compare=False)
    granted: tuple[Boolean, ...] = ()
    covariances: tuple[Any, ...] = ()
    holds: Callable[[Boolean], bool] = field(default=_nothing_known, compare=False)

    def assuming(self, *hypotheses: Boolean) -> Self:
        more = (h for h in hypotheses if h is not sp.true)
        return replace(self, hypotheses=(*self.hypotheses, *more))

    @cached_property
    def restricted_symbols(self) -> frozenset[Symbol]:
        """The symbols that occur in the hypotheses of this context."""
        return frozenset().union(*(h.free_symbols for h in self.hypotheses))

    def with_granted_goal(self, goal: Boolean) -> Self:
        """Return the context of an induction step, in which the goal is a hypothesis.

        An inequality, or each part of a conjunction, is a hypothesis like any other; equalities
        have a rule of their own.
        """
        here = self if isinstance(goal, sp.Eq) else self.assuming(*conjuncts(goal))
        return replace(here, granted=(*self.granted, goal))

    def substitute(self, values: Mapping[Symbol, Expr]) -> Self:
        """Return this context with values put for symbols in hypotheses and covariances."""
        return replace(
            self,
            hypotheses=tuple(substitute_simultaneously(h, values) for h in self.hypotheses),
            covariances=tuple(
                m.applyfunc(lambda entry: substitute_simultaneously(entry, values))
                for m in self.covariances
            ),
        )


def require_unambiguous_statement(statement: Basic, context: Context) -> None:
    """Raise `Refused` for a statement that SymPy or a reader could take for another one."""
    inside = list(sp.preorder_traversal(statement))
    nodes = [*inside, *(n for h in context.hypotheses for n in sp.preorder_traversal(h))]
    for node in nodes:
        confused = find_ambiguous_subs(node) if isinstance(node, sp.Subs) else None
        if confused is not None:
            raise Refused(
                f"{confused} is the same to SymPy as the derivative in another of its variables; "
                f"write it as at(...)"
            )
    _require_commuting(nodes)
    _require_one_symbol_a_name(n for n in nodes if isinstance(n, Symbol))
    _require_one_meaning_a_name(n for n in nodes if isinstance(n, AppliedUndef | Indexed))
    _require_other_names({n.name for n in nodes if isinstance(n, SmoothFunction)}, nodes)
    _require_named_copies(n for n in nodes if isinstance(n, IIDSum))
    _require_own_variables((n for n in inside if isinstance(n, Law)), context)
    _require_moving(n for n in inside if isinstance(n, Derivative))


def _require_commuting(nodes: Iterable[Basic]) -> None:
    for node in nodes:
        # Orders of factors of matrices of free size are kept; the translation judges these.
        matrix = isinstance(node, sp.MatrixBase | sp.MatrixExpr)
        if isinstance(node, Expr) and not matrix and node.is_commutative is False:
            raise Refused(f"{node} does not commute, and every rule reorders products")


def _require_one_symbol_a_name(symbols: Iterable[Symbol]) -> None:
    found: dict[str, Symbol] = {}
    for symbol in symbols:
        if isinstance(symbol, Dummy):
            continue
        other = found.setdefault(symbol.name, symbol)
        if other != symbol:
            raise Refused(
                f"two different symbols are called {symbol.name}: one is declared "
                f"{_declared(other)}, the other {_declared(symbol)}"
            )


def _require_one_meaning_a_name(nodes: Iterable[Any]) -> None:
    """Raise `Refused` if two functions, or two sequences, have one name."""
    found: dict[tuple[str, str], Any] = {}
    for node in nodes:
        kind, own = ("function", node.func) if node.is_Function else ("sequence", node.base)
        name = own.__name__ if node.is_Function else str(own.label)
        if found.setdefault((kind, name), own) != own:
            raise Refused(f"two {kind}s are called {name}, and are declared differently")


def _require_other_names(of_vectors: set[str], nodes: Iterable[Any]) -> None:
    """Raise `Refused` if a function of vectors and one of numbers have one name."""
    for node in nodes:
        if isinstance(node, AppliedUndef) and node.func.__name__ in of_vectors:
            raise Refused(
                f"two functions are called {node.func.__name__}: one of vectors, and {node}"
            )


def _require_named_copies(sums: Iterable[IIDSum]) -> None:
    """Raise `Refused` if two sums of copies differ in the names of their variables only."""
    found: dict[Basic, IIDSum] = {}
    for node in sums:
        names = {s: Symbol(f"X_{n}", real=True) for n, s in enumerate(node.law.symbols)}
        renamed = IIDSum(*(node.term.xreplace(names), node.law.rename_variables(names), node.count))
        other = found.setdefault(renamed, node)
        if other != node:
            raise Refused(
                f"{node} and {other} differ in the names of their variables only, so that a "
                "reader could take them for independent, or for equal; name them alike, or "
                "write independent ones by variables of the law"
            )


def _declared(symbol: Symbol) -> str:
    facts = [f if v else f"not {f}" for f, v in symbol._assumptions_orig.items()]
    return " and ".join(f for f in facts if f != "commutative") or "nothing"


def _require_own_variables(laws: Iterable[Law], context: Context) -> None:
    """Raise `Refused` if a law of a statement binds a symbol that occurs in a hypothesis."""
    free = context.restricted_symbols
    for law in laws:
        for symbol in law.symbols:
            if symbol in free:
                raise Refused(
                    f"a hypothesis speaks of {symbol}, which is bound by a law here; rename it"
                )


def _require_moving(derivatives: Iterable[Derivative]) -> None:
    for node in derivatives:
        for variable in node.variables:
            if variable.is_real and variable.is_integer is None and variable.is_rational is None:
                continue
            raise Refused(
                f"{node} is a derivative in {variable}, which does not run over an interval"
            )


def _covariances(node: Basic, bound: frozenset[Basic]) -> Iterator[ImmutableMatrix]:
    """Yield the covariance matrices of laws that depend on no variable that is bound around them.

    A matrix that depends on one is no matter of free symbols, even of the same name. What need not
    hold, as a part of a disjunction, may be false for want of the law, and limits may be undefined.
    """
    if isinstance(node, BooleanFunction) and not isinstance(node, And):
        return
    if isinstance(node, Relational) and node.has(Limit):
        return
    if isinstance(node, Law):
        for block in node.independent_laws():
            if isinstance(block, GaussianLaw):
                matrix = ImmutableMatrix(block.cov)
            elif isinstance(block, NoiseLaw):
                matrix = ImmutableMatrix([[block.variance]])
            else:
                continue
            if not matrix.free_symbols & bound:
                yield matrix
    inside: frozenset[Basic] = (
        frozenset().union(*(part.free_symbols for part in node.args)) - node.free_symbols
    )
    inside = inside.union(bound, getattr(node, "bound_symbols", ()))
    for part in node.args:
        if part.has(Law):
            yield from _covariances(part, inside)


def covariances_of_laws(*statements: Basic) -> tuple[ImmutableMatrix, ...]:
    """Return the covariance matrices of all laws in some statements, without bound variables."""
    # Laws are found in no order.
    return tuple(sorted({m for s in statements for m in _covariances(s, frozenset())}, key=str))

"""Solution sets: proofs that a system of equations has exactly the listed solutions.

The proof is a tree of cases. At each node an equation is written as a product, and so one of its
factors vanishes. A factor is shown never to vanish (`never`), or to vanish at one value of one
unknown only (`only_at`), which is then put into the equations that are left. Branches end in
`solution`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import sympy as sp
from sympy import And, Eq, Expr, Or, Symbol
from sympy.logic.boolalg import Boolean

from slrsym.prover.rules.calculus import algebra
from slrsym.prover.rules.chain import at, structural_step
from slrsym.prover.rules.context import Context
from slrsym.prover.rules.step import Proof, Step, join_labels
from slrsym.prover.statements.expressions import (
    ProofError,
    conjuncts,
    disjuncts,
    flatten_conjunctions_and_disjunctions,
)


class CaseTree:
    """A tree of cases of a proof that a system of equations has only the listed solutions."""


@dataclass(frozen=True)
class _Solution(CaseTree):
    pass


@dataclass(frozen=True)
class _Never(CaseTree):
    factor: Expr


@dataclass(frozen=True)
class _OnlyAt(CaseTree):
    factor: Expr
    unknown: Symbol
    value: Expr
    then: CaseTree


@dataclass(frozen=True)
class _Split(CaseTree):
    equation: Expr
    branches: tuple[CaseTree, ...]


def solution() -> CaseTree:
    """Return the end of a case in which all unknowns have the values of a listed solution.

    Returns
    -------
    CaseTree
        An end of the tree.
    """
    return _Solution()


def never(factor: Any) -> CaseTree:
    """Return the end of an impossible case: a factor that has a sign would have to vanish.

    Parameters
    ----------
    factor : expression
        The factor, at the values found so far.

    Returns
    -------
    CaseTree
        An end of the tree.
    """
    return _Never(sp.sympify(factor))


def only_at(factor: Any, unknown: Symbol, value: Any, then: CaseTree) -> CaseTree:
    """Return the case in which an unknown has the only value at which a factor vanishes.

    Parameters
    ----------
    factor : expression
        A nonzero multiple of ``unknown - value``, or erf or sinh of one.
    unknown : Symbol
        One that has no value yet.
    value : expression
        Where the factor vanishes.
    then : CaseTree
        What happens with that value put in.

    Returns
    -------
    CaseTree
        A case of a `split_product`.
    """
    return _OnlyAt(sp.sympify(factor), unknown, sp.sympify(value), then)


def split_product(equation: Any, *branches: CaseTree) -> CaseTree:
    """Return a tree with a case for each factor of an equation's side; one must vanish.

    Parameters
    ----------
    equation : expression
        That side, as it stands in the goal.
    *branches : CaseTree
        One for each factor, `never` or `only_at`.

    Returns
    -------
    CaseTree
        A node of the tree.
    """
    return _Split(sp.sympify(equation), branches)


@dataclass(frozen=True)
class SolutionSetProof(Proof):
    goal: Boolean
    equations: tuple[Eq, ...]
    solutions: tuple[dict[Symbol, Expr], ...]
    unknowns: tuple[Symbol, ...]
    tree: CaseTree

    def steps(self, context: Context, label: str = "") -> Iterable[Step]:
        yield from self._branch(self.tree, {}, context, join_labels(label, "case"))
        for number, values in enumerate(self.solutions, start=1):
            there = [Eq(at(e.lhs, values), e.rhs, evaluate=False) for e in self.equations]
            here = join_labels(label, f"solution {number}")
            yield structural_step(here, And(*there), algebra.name, context.substitute(values))
        yield structural_step(
            join_labels(label, "conclusion"),
            self.goal,
            "every case is closed, and every solution solves",
            context,
        )

    def _branch(
        self, branch: CaseTree, values: dict[Symbol, Expr], context: Context, label: str
    ) -> Iterable[Step]:
        if isinstance(branch, _Solution):
            missing = [u.name for u in self.unknowns if u not in values]
            if missing:
                raise ProofError(f"{label}: {', '.join(missing)} has no value yet")
        elif isinstance(branch, _Split):
            yield from self._product(branch, values, context, label)
        else:
            raise ProofError(f"{label}: a case has to be split, or end in a solution")

    def _product(
        self, branch: _Split, values: dict[Symbol, Expr], context: Context, label: str
    ) -> Iterable[Step]:
        if branch.equation not in [e.lhs for e in self.equations]:
            raise ProofError(f"{label}: {branch.equation} = 0 is not one of the equations")
        left = at(branch.equation, values) if values else branch.equation
        parts = [b for b in branch.branches if isinstance(b, _Never | _OnlyAt)]
        if len(parts) != len(branch.branches):
            raise ProofError(f"{label}: the branches of a split are never(...) or only_at(...)")
        product = Eq(left, sp.Mul(*(part.factor for part in parts)), evaluate=False)
        if product.lhs != product.rhs:
            name = join_labels(label, "product")
            yield structural_step(name, product, algebra.name, context)
        for number, part in enumerate(parts, start=1):
            here = join_labels(label, str(number))
            if isinstance(part, _Never):
                nonzero = sp.Ne(part.factor, 0, evaluate=False)
                yield structural_step(join_labels(here, "never"), nonzero, "sign", context)
            else:
                if part.unknown in values or part.unknown not in self.unknowns:
                    raise ProofError(f"{here}: {part.unknown} is not an unknown that is left")
                root = Eq(part.unknown, part.value, evaluate=False)
                only = sp.Implies(Eq(part.factor, 0, evaluate=False), root, evaluate=False)
                yield structural_step(join_labels(here, "only root"), only, "injectivity", context)
                value = {part.unknown: part.value}
                yield from self._branch(part.then, values | value, context.substitute(value), here)


def solution_set(goal: Boolean, unknowns: Sequence[Symbol], tree: CaseTree) -> Proof:
    """Prove that a system of equations is equivalent to a list of solutions.

    Parameters
    ----------
    goal : Equivalent
        ``Equivalent(And(equations), Or(And(Eq(unknown, value), ...), ...))``, each equation with 0
        on its right.
    unknowns : sequence of Symbol
        What is solved for. Everything else is a parameter.
    tree : CaseTree
        The cases: made of `split_product`, `only_at`, `never` and `solution`.

    Returns
    -------
    Proof
        Of the goal.

    Raises
    ------
    ProofError
        If the goal is not of this form.
    """
    if not isinstance(goal, sp.Equivalent) or len(goal.args) != 2:
        raise ProofError(f"the goal must be an equivalence of two statements; got {goal}")
    goal = flatten_conjunctions_and_disjunctions(goal)
    equations, listed = _parts(goal, unknowns)
    solutions = []
    for point in listed:
        values = {}
        for equation in conjuncts(point):
            if not isinstance(equation, Eq) or equation.lhs not in unknowns:
                raise ProofError(f"{equation} does not give an unknown its value")
            values[equation.lhs] = equation.rhs
        if set(values) != set(unknowns):
            raise ProofError(f"{point} does not give every unknown a value")
        solutions.append({u: values[u] for u in unknowns})
    return SolutionSetProof(goal, equations, tuple(solutions), tuple(unknowns), tree)


def _parts(goal: Boolean, unknowns: Sequence[Symbol]) -> tuple[tuple[Eq, ...], tuple[Boolean, ...]]:
    """Split an equivalence into the system of equations and the list of solutions."""

    def lists_values(side: Boolean) -> bool:
        points = [e for point in disjuncts(side) for e in conjuncts(point)]
        return all(
            isinstance(e, Eq) and e.lhs in unknowns and not e.rhs.free_symbols & set(unknowns)
            for e in points
        )

    # SymPy orders the sides, and the list of solutions, by chance.
    sides = sorted(goal.args, key=lambda side: (isinstance(side, Or), lists_values(side)))
    system, points = sides
    equations = conjuncts(system)
    for equation in equations:
        if not isinstance(equation, Eq) or equation.rhs != sp.S.Zero:
            raise ProofError(f"{equation} is not an equation with 0 on its right")
    return equations, tuple(sorted(disjuncts(points), key=sp.default_sort_key))

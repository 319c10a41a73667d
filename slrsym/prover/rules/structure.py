"""Structures of proofs: conjunctions, facts, cases, induction, equality by derivatives."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from sympy import And, Eq, Expr, Ge, Gt, Implies, Le, Lt, S, Symbol, sympify
from sympy.core.relational import Relational

from slrsym.matrices.functions import ForAllMatrices
from slrsym.matrices.letters import Letter
from slrsym.prover.rules.chain import D, as_proof, structural_step
from slrsym.prover.rules.context import Context
from slrsym.prover.rules.step import Link, Proof, Rule, Step, join_labels
from slrsym.prover.statements.expressions import (
    AtPoint,
    ForAll,
    ProofError,
    conjuncts,
    disjuncts,
    substitute_simultaneously,
)

if TYPE_CHECKING:
    from sympy.logic.boolalg import Boolean


@dataclass(frozen=True)
class AllOfProof(Proof):
    parts: tuple[Proof, ...]

    @property
    def conclusion(self) -> Boolean:
        return And(*(p.conclusion for p in self.parts))

    def steps(self, context: Context, label: str = "") -> Iterable[Step]:
        for number, part in enumerate(self.parts, start=1):
            yield from part.steps(context, join_labels(label, f"part {number}"))


def all_of(*parts: Proof) -> Proof:
    """Prove a conjunction part by part.

    Parameters
    ----------
    *parts : Proof
        The proofs of the parts.

    Returns
    -------
    Proof
        Of the conjunction of what they conclude.

    Raises
    ------
    ProofError
        If a part is not a proof.
    """
    for part in parts:
        Proof.require(part, "each part")
    return AllOfProof(parts)


@dataclass(frozen=True)
class HavingProof(Proof):
    fact: Proof
    then: Proof
    number: int = 1

    @property
    def name(self) -> str:
        """The prefix of the labels of the fact's steps, unique within the proof."""
        return "fact" if self.number == 1 else f"fact {self.number}"

    @property
    def conclusion(self) -> Boolean:
        return self.then.conclusion

    def steps(self, context: Context, label: str = "") -> Iterable[Step]:
        yield from self.fact.steps(context, join_labels(label, self.name))
        yield from self.then.steps(context.assuming(self.fact.conclusion), label)


def having(fact: Proof, then: Proof, *rest: Proof) -> Proof:
    """Prove one or more facts first, and use them as hypotheses of the proof at the end.

    Parameters
    ----------
    fact : Proof
        Of the relation, or of a disjunction of relations for `cases`, for all values that the
        hypotheses allow.
    then : Proof
        What follows; its steps may use the relation. If there is more, another fact.
    *rest : Proof
        More facts, each of which may use those before, and what follows them at the end.

    Returns
    -------
    Proof
        Of what the last argument shows.

    Raises
    ------
    ProofError
        If one of them is not a proof, or a fact does not show relations.
    """
    fact = Proof.require(fact, "the fact")
    then = having(then, *rest) if rest else Proof.require(then, "what follows")
    if not all(isinstance(part, Relational) for part in disjuncts(fact.conclusion)):
        raise ProofError(f"the fact must be a relation; got {fact.conclusion}")
    return HavingProof(fact, _after_a_fact(then))


def _after_a_fact(proof: Proof) -> Proof:
    if not isinstance(proof, HavingProof):
        return proof
    return HavingProof(proof.fact, _after_a_fact(proof.then), proof.number + 1)


# The most characters of a step's name: names in a proof log are short.
_MAX_LENGTH = 200


def _step_name(start: str, *ends: str) -> str:
    """Return the name of a step: the start plus the first ending that keeps it short enough."""
    names = (f"{start}{end}" for end in ends)
    return next((name for name in names if len(name) <= _MAX_LENGTH), start)


@dataclass(frozen=True)
class CasesProof(Proof):
    goal: Boolean
    branches: tuple[tuple[Boolean, Proof], ...]

    def steps(self, context: Context, label: str = "") -> Iterable[Step]:
        for number, (case, proof) in enumerate(self.branches, start=1):
            inner, goal = self._inside(case, context)
            here = join_labels(label, f"case {number}")
            yield from proof.steps(inner, here)
            yield structural_step(
                join_labels(here, "shown"),
                goal,
                _step_name("the case ", str(case), str(number)),
                inner,
                about=(case,),
            )
        listed = "; ".join(str(case) for case, _ in self.branches)
        yield structural_step(
            join_labels(label, "conclusion"),
            self.goal,
            _step_name("the cases cover everything", f": {listed}"),
            context,
        )

    def _inside(self, case: Boolean, context: Context) -> tuple[Context, Boolean]:
        if isinstance(case, Eq) and case.lhs.is_Symbol:
            values = {case.lhs: case.rhs}
            return context.substitute(values), substitute_simultaneously(self.goal, values)
        return context.assuming(case), self.goal


def cases(goal: Boolean, *branches: tuple[Boolean, Proof]) -> Proof:
    """Prove a goal in each of several cases that together cover everything.

    Parameters
    ----------
    goal : Boolean
        What is to be shown.
    *branches : pairs of a relation and a Proof
        The relations compare one quantity with one bound, or are those of a disjunction that is
        known. In a case ``Eq(symbol, value)`` the proof is of the goal with the value put in.

    Returns
    -------
    Proof
        Of the goal.

    Raises
    ------
    ProofError
        If the goal is missing, or what shows a case is not a proof.
    """
    if isinstance(goal, tuple):
        raise ProofError(
            f"goal must be the statement to show, and stand before the cases; got {goal!r}"
        )
    for case, proof in branches:
        Proof.require(proof, f"what shows the case {case}")
    return CasesProof(goal, branches)


@dataclass(frozen=True)
class EqualByDerivativeProof(Proof):
    goal: Relational
    variable: Symbol
    at: Expr
    value: Proof
    derivative: Proof

    def steps(self, context: Context, label: str = "") -> Iterable[Step]:
        t, at = self.variable, self.at
        inside = context.substitute({t: at})
        yield from self.value.steps(inside, join_labels(label, "value"))
        yield from self.derivative.steps(context, join_labels(label, "derivative"))
        yield structural_step(
            join_labels(label, "conclusion"),
            self.goal,
            f"equal at {t} = {at}, with equal derivatives in {t}",
            context,
            about=(Eq(t, at, evaluate=False), t),
        )


def equal_by_derivative(
    goal: Relational, variable: Symbol, *, at: Any, value: Proof | Rule, derivative: Proof | Rule
) -> Proof:
    """Prove two functions equal from their value at one point and their equal derivatives.

    Rests on the axiom ``mean-value-theorem``.

    Parameters
    ----------
    goal : Eq
        What is to be shown, for every value of `variable`.
    variable : Symbol
        A real variable, whose domain is an interval.
    at : expression
        A point of the domain.
    value : Proof or Rule
        That both sides agree at `at`.
    derivative : Proof or Rule
        That ``D(goal.lhs, variable)`` equals ``D(goal.rhs, variable)``.

    Returns
    -------
    Proof
        Of the goal.

    Raises
    ------
    ProofError
        If the goal is not an equality, or a part is neither a proof nor a rule.
    """
    if not isinstance(goal, Eq):
        raise ProofError(f"equal_by_derivative shows equalities; the goal is {goal}")
    at = sympify(at)
    value = as_proof(*_values_at(goal, variable, at), value)
    derivative = as_proof(D(goal.lhs, variable), D(goal.rhs, variable), derivative)
    return EqualByDerivativeProof(goal, variable, at, value, derivative)


def _values_at(goal: Eq, variable: Symbol, point: Expr) -> tuple[Expr, Expr]:
    """Return both sides of an equation at a point, unevaluated if SymPy makes them identical."""
    first, second = (substitute_simultaneously(side, {variable: point}) for side in goal.args)
    if first == second:
        first, second = (AtPoint(side, (variable,), (point,)) for side in goal.args)
    return first, second


@dataclass(frozen=True)
class InductionProof(Proof):
    goal: Boolean
    variable: Symbol
    base: Proof
    step: Proof

    def steps(self, context: Context, label: str = "") -> Iterable[Step]:
        n = self.variable
        yield from self.base.steps(context.substitute({n: S.Zero}), join_labels(label, "base"))
        yield from self.step.steps(context.with_granted_goal(self.goal), join_labels(label, "step"))
        yield structural_step(
            join_labels(label, "conclusion"), self.goal, f"induction on {n}", context, about=(n,)
        )


def induction(goal: Boolean, variable: Symbol, base: Proof | Rule, step: Any) -> Proof:
    """Prove relations joined by and, or by or, for every nonnegative integer.

    Rests on the axiom ``induction``.

    Parameters
    ----------
    goal : Eq, Le, Lt, Ge or Gt, or And or Or of these
        What is to be shown for every value of `variable`.
    variable : Symbol
        Declared a non-negative integer.
    base : Proof or Rule
        The goal at 0; a proof, unless the goal is one relation.
    step : callable
        Takes the rule "induction hypothesis" and returns the proof of the goal at ``variable + 1``.
        An inequality is a hypothesis of the step as well, which `signs` knows; the rule takes it
        times a number that is not negative, by ``.scaled(factor)``. So are the parts of a
        conjunction; a disjunction is one for `cases`.

    Returns
    -------
    Proof
        Of the goal.

    Raises
    ------
    ProofError
        If the goal is no such statement, or a part is neither a proof nor a rule.
    """
    parts = [q for p in conjuncts(goal) for q in disjuncts(p)]
    if not all(isinstance(p, Eq | Le | Lt | Ge | Gt) for p in parts):
        raise ProofError(f"induction shows equalities and inequalities; the goal is {goal}")

    def shown_at(value: Any, proof: Proof | Rule) -> Proof:
        if goal not in parts:
            return Proof.require(proof, f"what shows the goal at {value}")
        link = Link.from_relation(substitute_simultaneously(goal, {variable: value}))
        return as_proof(link.lhs, link.rhs, proof, link.relation)

    return InductionProof(
        goal, variable, shown_at(S.Zero, base), shown_at(variable + 1, step(HypothesisRule(goal)))
    )


@dataclass(frozen=True)
class HypothesisRule(Rule):
    """The induction hypothesis."""

    goal: Relational
    factor: Expr = S.One

    name = "induction hypothesis"
    repeats_hypothesis = True

    def scaled(self, factor: Any) -> HypothesisRule:
        """Return the induction hypothesis, an inequality, multiplied by a nonnegative factor."""
        return replace(self, factor=sympify(factor))


@dataclass(frozen=True)
class InstanceRule(Rule):
    """A hypothesis that holds for all values of variables, used at some values."""

    hypothesis: ForAll | ForAllMatrices
    values: tuple[Any, ...]

    name = "instance of a hypothesis"


@dataclass(frozen=True)
class InstanceOfMatricesRule(InstanceRule):
    """A hypothesis that holds for all vectors or matrices, used at some of them."""


def instance(hypothesis: ForAll | ForAllMatrices | Rule, value: Any, *more: Any) -> Rule:
    """Use a hypothesis that holds for all values of a variable, or of several, at some values.

    Where the hypothesis is an implication, what it supposes is proved at these values.

    Parameters
    ----------
    hypothesis : ForAll, ForAllMatrices or Rule
        The hypothesis, as the claim has it; or an instance of it, if it is for all values of
        several variables, each in a `ForAll` or `ForAllMatrices` of its own.
    value : expression
        The value of the variable: a number, or a vector or matrix of its size.
    *more : expression
        The values of further variables, from the outermost one inwards.

    Returns
    -------
    Rule
        For a link that is the statement at these values, without what it supposes; at vectors or
        matrices, also for one that follows from it by arithmetic.

    Raises
    ------
    ProofError
        If the hypothesis is neither of them, there are more values than variables, or a value is of
        another kind or size.

    Examples
    --------
    With ``bounded = ForAll(x, Implies(And(0 <= x, x <= 1), f(x) <= c))``, the step
    ``chain(f(u)).le(c, by=instance(bounded, u))`` asks for ``0 <= u <= 1``.
    """
    values = tuple(map(sympify, (value, *more)))
    if isinstance(hypothesis, InstanceRule):
        return instance(hypothesis.hypothesis, *hypothesis.values, *values)
    if not isinstance(hypothesis, ForAll | ForAllMatrices):
        raise ProofError(f"the hypothesis must be a ForAll or ForAllMatrices; got {hypothesis!r}")
    variables = _variables(hypothesis)
    if len(values) > len(variables):
        raise ProofError(
            f"the hypothesis is for all {', '.join(map(str, variables))}; got {len(values)} values"
        )
    pairs = list(zip(variables, values, strict=False))
    for x, v in pairs:
        is_matrix = getattr(v, "is_Matrix", False)
        if isinstance(x, Letter) and not (is_matrix and tuple(v.shape) == tuple(x.shape)):
            of = f"; got {v}, of size {_size_text(v)}" if is_matrix else f"; got {v}"
            raise ProofError(f"a value of {x} is a matrix of size {_size_text(x)}{of}")
        if is_matrix and not isinstance(x, Letter):
            raise ProofError(f"a value of {x} is a number; got the matrix {v}")
    of_matrices = any(isinstance(x, Letter) for x, _ in pairs)
    return (InstanceOfMatricesRule if of_matrices else InstanceRule)(hypothesis, values)


def _size_text(m: Any) -> str:
    return " x ".join(map(str, m.shape))


def _variables(statement: Boolean) -> list[Symbol | Letter]:
    """Return the variables of quantifiers, outermost first, which may stand in implications."""
    found = []
    while isinstance(statement, ForAll | ForAllMatrices | Implies):
        if not isinstance(statement, Implies):
            found.append(statement.args[0])
        statement = statement.args[1]
    return found

"""Trace of the evaluation of an expectation: each rewriting step with its rule."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from sympy import Expr, latex


@dataclass(frozen=True)
class TraceStep:
    """One application of a rule: the equality ``lhs = rhs``, by ``rule``."""

    rule: str
    lhs: Expr
    rhs: Expr

    def __str__(self) -> str:
        return f"{self.lhs} = {self.rhs}    [{self.rule}]"


@dataclass
class Trace:
    """The rewriting steps of the evaluation of an expectation, in order.

    Every step is an equality between expressions in which the expectations still to be evaluated
    stand as they are. The right-hand side of a step has expectations that later steps evaluate.

    Attributes
    ----------
    steps : list of TraceStep
        The steps; none at first.
    reasons : dict of Expr to str
        Why an expectation that was left as it is has no closed form here.
    """

    steps: list[TraceStep] = field(default_factory=list)
    reasons: dict[Expr, str] = field(default_factory=dict)

    def record(self, rule: str, lhs: Expr, rhs: Expr) -> None:
        """Append a step to the trace, unless it is trivial or already there.

        Parameters
        ----------
        rule : str
            The name of the rule.
        lhs, rhs : Expr
            Before and after.
        """
        step = TraceStep(rule, lhs, rhs)
        if lhs != rhs and step not in self.steps:
            self.steps.append(step)

    def __iter__(self) -> Iterator[TraceStep]:
        return iter(self.steps)

    def __len__(self) -> int:
        return len(self.steps)

    def __str__(self) -> str:
        return "\n".join(str(step) for step in self.steps)

    def to_latex(self) -> str:
        """Return the LaTeX of the steps as an environment ``align*``, each with its rule."""
        lines = (
            rf"{latex(step.lhs)} &= {latex(step.rhs)} && \text{{({step.rule})}}"
            for step in self.steps
        )
        return "\\begin{align*}\n" + " \\\\\n".join(lines) + "\n\\end{align*}"

    def _repr_latex_(self) -> str:
        return self.to_latex()

"""Steps, links and rules: the units of a proof that are checked one by one."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from sympy import Eq, Expr, Ge, Gt, Le, Lt
from sympy.core.relational import Relational

from slrsym.prover.rules.axioms import soundness_axiom_name
from slrsym.prover.rules.context import Context
from slrsym.prover.statements.exact_numbers import require_exact_reals
from slrsym.prover.statements.expressions import ProofError, Refused, require_moderate_size

if TYPE_CHECKING:
    from sympy.logic.boolalg import Boolean

_RELATIONS = {"=": Eq, "<=": Le, "<": Lt, ">=": Ge, ">": Gt}


def relation(lhs: Expr, symbol: str, rhs: Expr) -> Boolean:
    """Return the unevaluated relation ``lhs symbol rhs``.

    Parameters
    ----------
    lhs : Expr
        The left side.
    symbol : str
        One of =, <=, <, >=, >.
    rhs : Expr
        The right side.

    Returns
    -------
    Relational
        It stays a relation even if it is obvious.
    """
    return _RELATIONS[symbol](lhs, rhs, evaluate=False)


@dataclass(frozen=True)
class Link:
    """One relation of a chain: a left side, a relation symbol and a right side.

    Parameters
    ----------
    lhs : Expr
        The left side.
    relation : str
        One of =, <=, <, >=, >.
    rhs : Expr
        The right side.

    Raises
    ------
    ProofError
        If the relation is another one.
    """

    lhs: Expr
    relation: str
    rhs: Expr

    def __post_init__(self) -> None:
        if self.relation not in _RELATIONS:
            raise ProofError(
                f"unknown relation {self.relation!r}; known are {' '.join(_RELATIONS)}"
            )

    @property
    def statement(self) -> Boolean:
        """The relation as an unevaluated SymPy object."""
        return relation(self.lhs, self.relation, self.rhs)

    @classmethod
    def from_relation(cls, statement: Relational) -> Link:
        """Return a SymPy relation as a `Link`: left side, relation symbol, and right side.

        Parameters
        ----------
        statement : Relational
            An equality or inequality.

        Returns
        -------
        Link
            Its two sides, in their order.

        Raises
        ------
        ProofError
            If it is none of =, <=, <, >=, >.
        """
        for symbol, kind in _RELATIONS.items():
            if isinstance(statement, kind):
                return cls(statement.lhs, symbol, statement.rhs)
        raise ProofError(f"{statement} is none of the relations {' '.join(_RELATIONS)}")


# The package's own kinds of rules and proofs: those that exist once `slrsym.prover.rules` is
# imported, which happens before any other file can say `Rule`.
_OWN: set[type] | frozenset[type] = set()


def end_rule_registration() -> None:
    """End the time in which the package registers its own rules and proofs."""
    global _OWN
    _OWN = frozenset(_OWN)


def _enter(kind: type) -> bool:
    """Return whether a class belongs to the package; register it during the package's import."""
    if isinstance(_OWN, set):
        _OWN.add(kind)
    return kind in _OWN


def require_rule(by: Any, chainable: bool = False) -> None:
    """Raise `ProofError` if an object is not a rule, with a hint if a call is missing."""
    if isinstance(by, Rule) and (by.chainable or not chainable):
        return
    if inspect.isfunction(by) and by.__module__.startswith("slrsym."):
        needed = [p.name for p in inspect.signature(by).parameters.values() if p.default is p.empty]
        raise ProofError(
            f"by={by.__name__} needs arguments; write by={by.__name__}({', '.join(needed)})"
        )
    raise ProofError(f"by must be a rule; got {by!r}. slrsym.proof has the rules")


class Rule(ABC):
    """A justification of a link: name, parameters, and the claims and proofs it may use.

    A rule does not judge. The tactic of its kind finds evidence, and the proof checker decides. A
    rule from outside of the package may register a tactic with `slrsym.proof.step.tactic`. Without
    one, its `check` is asked, and every claim that uses the rule names it among its axioms.

    Attributes
    ----------
    name : str
        What reports call it.
    chainable : bool
        Whether the rule may stand in a chain.
    """

    name: str
    chainable: ClassVar[bool] = True
    # Whether it only repeats a hypothesis of the proof around, which every rule knows.
    repeats_hypothesis: ClassVar[bool] = False

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        _enter(cls)

    def __setattr__(self, name: str, value: Any) -> None:
        if type(self) in _OWN:
            raise AttributeError(f"{self!r} is a rule of the package, which nobody changes")
        super().__setattr__(name, value)

    def check(self, link: Link, context: Context) -> None:
        """Accept the link or raise `Refused` with a reason, for a rule that has no tactic.

        Parameters
        ----------
        link : Link
            What is to be justified.
        context : Context
            What may be taken for granted.

        Raises
        ------
        Refused
            If the rule does not justify the link, as any rule does that has no check of its own.
        """
        raise Refused(f"the rule {self} has neither a tactic nor a check")

    def gives(self, link: Link, context: Context) -> Expr | None:
        """Return the result of applying the rule to the left side, for messages.

        Parameters
        ----------
        link : Link
            A link that was refused.
        context : Context
            What it may take for granted.

        Returns
        -------
        Expr or None
            None if the rule has no result of its own; nothing is checked.
        """
        return None

    def premises(self, link: Link, context: Context) -> Iterable[tuple[str, Proof, Context]]:
        """Return the proofs that the rule rests on, with their labels and contexts.

        Parameters
        ----------
        link : Link
            What is to be justified.
        context : Context
            What may be taken for granted.

        Returns
        -------
        iterable of (str, Proof, Context)
            Each proof with a label and the context it is checked in; none by default.
        """
        return ()

    def uses(self, link: Link) -> tuple[str, ...]:
        """Return the ids of the claims that evidence for this link may cite; none by default.

        Parameters
        ----------
        link : Link
            What is to be justified.

        Returns
        -------
        tuple of str
            Ids of claims; none by default.
        """
        return ()

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"<rule {self.name}>"


def axioms_added_by_rule(rule: Rule, link: Link) -> tuple[str, ...]:
    """Return the names of axioms that a rule adds to a link besides those of its evidence.

    Parameters
    ----------
    rule : Rule
        The rule.
    link : Link
        What it justifies.

    Returns
    -------
    tuple of str
        That the rule is sound, if it is none of the package; names that `axiom` knows.
    """
    return () if type(rule) in _OWN else (rule_soundness_axiom_name(rule),)


def rule_soundness_axiom_name(rule: Rule) -> str:
    """Return the name of the axiom that the rule is sound."""
    kind = type(rule)
    return soundness_axiom_name(
        rule.name if kind in _OWN else f"{kind.__module__}.{kind.__qualname__}"
    )


@dataclass(frozen=True)
class Step:
    """One step of a proof, which can be checked: a statement, its rule and its context.

    Attributes
    ----------
    label : str
        Where it stands in the proof, such as ``2`` or ``derivative.3``.
    statement : Boolean
        What it says.
    rule : Rule
        Why.
    link : Link
        What the rule is asked to justify.
    context : Context
        What it takes for granted.
    numeric : bool
        Whether the statement is one that can be evaluated at points.

    Raises
    ------
    ProofError
        If `rule` is no rule, or the statement or a parameter of the rule has a float.
    """

    label: str
    statement: Boolean
    rule: Rule
    link: Link
    context: Context = field(repr=False)
    numeric: bool = True

    def __post_init__(self) -> None:
        if not isinstance(self.rule, Rule):
            raise ProofError(f"step {self.label} is justified by {self.rule!r}, which is no rule")
        # Proofs in a rule have steps of their own.
        parameters = vars(self.rule) if hasattr(self.rule, "__dict__") else {}
        require_moderate_size(f"step {self.label}", self.statement)
        require_exact_reals(f"step {self.label}", self.statement, *parameters.values())

    @property
    def uses(self) -> tuple[str, ...]:
        """The ids of the claims that the step may cite."""
        return self.rule.uses(self.link)


class Proof(ABC):
    """A proof: a tree of steps, with the conclusion that they prove together.

    Only the package defines kinds of proof: what a proof concludes is what its steps show.
    """

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if not _enter(cls):
            raise ProofError(
                f"{cls.__qualname__}: a new kind of proof cannot be trusted to conclude what its "
                f"steps show; build proofs by chain, cases, induction, ..., or define a Rule"
            )

    @staticmethod
    def require(thing: Any, what: str) -> Proof:
        """Return the argument if it is a proof; raise `ProofError` otherwise.

        Parameters
        ----------
        thing : object
            What should be a proof.
        what : str
            Its name in the error.

        Returns
        -------
        Proof
            The thing.

        Raises
        ------
        ProofError
            If it is not.
        """
        if isinstance(thing, Rule):
            raise ProofError(
                f"{what} must be a proof; got the rule {thing.name!r}: write what it shows, as in "
                "chain(left).le(right, by=rule)"
            )
        if not isinstance(thing, Proof):
            raise ProofError(f"{what} must be a proof; got {thing!r}")
        return thing

    # What it is to show; kinds of proof that have no goal say what they conclude.
    goal: Boolean

    @property
    def conclusion(self) -> Boolean:
        """The statement that the proof proves, if all its steps are accepted."""
        return self.goal

    @abstractmethod
    def steps(self, context: Context, label: str = "") -> Iterable[Step]:
        """Return the steps of the proof in order, each with the context in which it is checked.

        Parameters
        ----------
        context : Context
            What the proof may take for granted.
        label : str, optional
            What the labels of its steps begin with.

        Returns
        -------
        iterable of Step
            None of them checked yet.

        Raises
        ------
        ProofError
            If the proof is malformed: a rule stands where it cannot, for instance.
        """


def join_labels(*parts: str) -> str:
    """Join the nonempty labels of nested steps by dots.

    Parameters
    ----------
    *parts : str
        The labels; empty ones are left out.

    Returns
    -------
    str
        Such as ``derivative.3``.
    """
    return ".".join(part for part in parts if part)


def facts_beside_hypotheses(facts: Iterable[Proof | Rule]) -> list[Proof]:
    """Return the proofs among facts, without an induction hypothesis, which needs no proof."""
    more = (f for f in facts if not (isinstance(f, Rule) and f.repeats_hypothesis))
    return [Proof.require(fact, "each fact") for fact in more]

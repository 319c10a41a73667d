"""Claims that are proved elsewhere: used in a step, as a whole, or as the hypotheses of a citation.

That the conclusion of a theorem of the literature follows from its hypotheses is not checked: a
claim that rests on a citation has the status ``cited``, never ``proved``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from sympy import Abs, Derivative, Expr, Lambda, Ne, S, Symbol, expand, sympify
from sympy.core.function import AppliedUndef, UndefinedFunction
from sympy.core.relational import Relational
from sympy.logic.boolalg import Boolean

from slrsym.gaussian.functions import in_own_functions
from slrsym.gaussian.independent import is_plainly_real
from slrsym.proofs.axioms import axiom
from slrsym.proofs.chain import concludes, structural_step
from slrsym.proofs.context import Context, Stated, require_defined
from slrsym.proofs.normal_forms import LINEAR
from slrsym.proofs.regularity import require_admissible, require_integrable, require_moderate
from slrsym.proofs.step import Link, Proof, Rule, Step, labelled
from slrsym.statements import unmarked
from slrsym.statements.expressions import (
    ProofError,
    Refused,
    Sentence,
    bound_symbols,
    conjuncts,
    put,
)


def instance(
    claim: Stated,
    values: Mapping[Symbol, Expr],
    context: Context,
    shown: Iterable[Boolean] = (),
) -> Relational:
    """The statement of a claim at some values, its hypotheses checked."""
    functions = {f: v for f, v in values.items() if isinstance(f, UndefinedFunction)}
    values = {s: v for s, v in values.items() if s not in functions}
    statement = _with_functions(claim.statement, functions)
    given = [_with_functions(hypothesis, functions) for hypothesis in claim.given]
    bound = bound_symbols(claim.statement).union(*map(bound_symbols, claim.given))
    for function, value in functions.items():
        captured = value.free_symbols & bound
        if captured:
            raise Refused(
                f"{function} contains {min(captured, key=str)}, which claim {claim.id} binds; "
                f"rename it"
            )
        if any(not is_plainly_real(x) for x in value.variables):
            raise Refused(f"the variables of {function} have to be declared real, and no more")
        require_admissible(Symbol(str(function), **function._kwargs), value.expr, context)
        require_moderate(value.expr, frozenset(value.variables), context)
        if len(value.variables) not in function.nargs:
            raise Refused(f"{function} takes other than {len(value.variables)} arguments")
    for symbol, value in values.items():
        if symbol not in claim.symbols:
            raise Refused(f"claim {claim.id} does not speak of {symbol}")
        require_admissible(symbol, value, context)
    for hypothesis in given:
        at = put(hypothesis, values)
        stated = at in (*shown, *context.hypotheses)
        if not stated and not _is_among(at, shown, context) and not context.holds(at):
            raise Refused(f"claim {claim.id} needs {at}, which is not known here")
    return put(statement, values)


def _alike(a: Expr, b: Expr) -> bool:
    """Whether two expressions have the same terms; what stands between bars, up to its sign."""
    if isinstance(a, Abs) and isinstance(b, Abs):
        a, b = a.args[0], b.args[0]
        return _alike(a, b) or _alike(a, -b)
    return bool(a == b or expand(a - b) == 0)


def _is_among(wanted: Boolean, shown: Iterable[Boolean], context: Context) -> bool:
    """Whether a relation is one of those that have been shown, up to algebra."""
    if not isinstance(wanted, Relational) or isinstance(wanted, Ne):
        return False
    goal = Link.of(wanted)
    links = [
        link
        for statement in shown
        if isinstance(statement, Relational) and not isinstance(statement, Ne)
        for link in (Link.of(statement), Link.of(statement).flipped)
        if link.relation == goal.relation
    ]
    # The second question costs more.
    return any(_alike(link.lhs, goal.lhs) and _alike(link.rhs, goal.rhs) for link in links) or any(
        context.equal(link.lhs, goal.lhs) and context.equal(link.rhs, goal.rhs) for link in links
    )


def _with_functions(expr: Any, functions: Mapping[Any, Lambda]) -> Any:
    """`expr` with undefined functions replaced; derivatives stay unevaluated."""
    if not functions or not expr.atoms(AppliedUndef):
        return expr
    args = [_with_functions(arg, functions) for arg in expr.args]
    if isinstance(expr, AppliedUndef) and expr.func in functions:
        return functions[expr.func](*args)
    if isinstance(expr, Derivative | Relational):
        return expr.func(*args, evaluate=False)
    return expr.func(*args)


@dataclass(frozen=True)
class Lemma(Rule):
    """An instance of a proved claim."""

    id: str
    values: tuple[tuple[Any, Expr], ...]
    factor: Expr = S.One
    conditions: tuple[Proof, ...] = ()

    def where(self, *conditions: Proof) -> Lemma:
        """The same with proofs of the claim's hypotheses, those that are not seen by themselves."""
        for condition in conditions:
            Proof.require(condition, "each condition")
        return replace(self, conditions=(*self.conditions, *conditions))

    def premises(self, link: Link, context: Context) -> Iterable[tuple[str, Proof, Context]]:
        for number, condition in enumerate(self.conditions, start=1):
            yield f"condition {number}", condition, context

    def scaled(self, factor: Any) -> Lemma:
        """The same for an inequality that is multiplied by something that is not negative."""
        return replace(self, factor=sympify(factor))

    @property
    def name(self) -> str:  # type: ignore[override]
        return f"claim {self.id}"

    def uses(self, link: Link) -> tuple[str, ...]:
        return (self.id,)

    rests_on = ("integral-linearity",)

    def check(self, link: Link, context: Context) -> None:
        claim = context.claim(self.id)
        values = {claim.symbol(s): v for s, v in self.values}
        conclusions = [proof.conclusion for proof in self.conditions]
        facts = [part for fact in conclusions for part in conjuncts(fact)]
        shown = instance(claim, values, context, facts)
        parts = [part for part in conjuncts(shown) if isinstance(part, Relational)]
        if not parts:
            raise Refused(f"claim {self.id} at these values is {shown}, which says nothing here")
        known = [Link.of(part) for part in parts]
        require_integrable(link.statement, context)
        if link.relation == "=":
            self._require_equal(link, known, context)
            return
        # What stands there as it is takes no algebra.
        known.sort(key=lambda part: {link.lhs, link.rhs} != {part.lhs, part.rhs})
        refusals = []
        for part in known:
            try:
                self._require_ordered(link, part, context)
            except Refused as reason:
                refusals.append(reason)
            else:
                return
        raise refusals[0]

    def _require_equal(self, link: Link, known: list[Link], context: Context) -> None:
        equations = [(part.lhs, part.rhs) for part in known if part.relation == "="]
        if not equations:
            raise Refused(f"claim {self.id} is an inequality, and this step says =")
        if any((link.lhs, link.rhs) in (pair, pair[::-1]) for pair in equations):
            return
        context.require_equal(link.lhs, link.rhs, LINEAR, given=tuple(equations))

    def _require_ordered(self, link: Link, known: Link, context: Context) -> None:
        if {link.relation[0], known.relation[0]} == {"<", ">"}:
            known = known.flipped
        if not link.follows_from(known.relation):
            raise Refused(f"claim {self.id} says {known.relation}, and this step {link.relation}")
        if self.factor == 1 and (link.lhs, link.rhs) == (known.lhs, known.rhs):
            return
        sign = context.sign(self.factor)
        strict = len(link.relation) == 1
        context.require(
            sign.positive if strict else sign.nonnegative,
            f"the factor {self.factor} is not known to be "
            + ("positive" if strict else "non-negative"),
        )
        # Of a difference, what cancels is not seen.
        for side in (link.lhs, link.rhs, known.lhs, known.rhs):
            require_defined(side, context)
        apart = self.factor * (known.lhs - known.rhs)
        context.require_equal(link.lhs - link.rhs, apart, LINEAR)


def lemma(id: str, values: Mapping[Any, Any] | None = None, /, **named: Any) -> Lemma:
    """Use a proved claim, at some values of its symbols.

    Parameters
    ----------
    id : str
        The id of the claim.
    values : mapping, optional
        Symbols of the claim (or their names) and the expressions to put for them.
    **named : expression
        The same by name.

    Returns
    -------
    Lemma
        The rule.

    Examples
    --------
    ``by=lemma("lemma-18-ii", t=a, gamma=s)``
    """
    pairs = {**(values or {}), **named}
    return Lemma(id, tuple((s, in_own_functions(sympify(v))) for s, v in pairs.items()))


@dataclass(frozen=True)
class _Claimed(Proof):
    id: str
    values: tuple[tuple[Any, Expr], ...]
    goal: Boolean

    def steps(self, context: Context, label: str = "") -> Iterable[Step]:
        def verify(context: Context) -> None:
            claim = context.claim(self.id)
            values = {claim.symbol(s): v for s, v in self.values}
            concludes(instance(claim, values, context), self.goal, context)

        yield structural_step(
            label or "1",
            self.goal,
            f"claim {self.id}",
            verify,
            context,
            uses_claims=(self.id,),
            about=self.values,
            numeric=not self._is_the_claim(context),
        )

    def _is_the_claim(self, context: Context) -> bool:
        """Whether it is the claim as it stands, which is examined by numbers where it is proved."""
        try:
            claim = context.claim(self.id)
        except (ProofError, Refused):
            return False
        if self.goal.has(Sentence):
            # It is the same under more hypotheses, and what is said of orbits takes long.
            return not self.values and self.goal in conjuncts(claim.statement)
        return not self.values and not claim.given and claim.statement == self.goal


def claimed(statement: Boolean, id: str, values: Mapping[Any, Any] | None = None) -> Proof:
    """A statement that is an instance of a proved claim.

    Parameters
    ----------
    statement : Boolean
        The statement.
    id : str
        The id of the claim.
    values : mapping, optional
        Symbols of the claim (or their names) and the expressions to put for them.

    Returns
    -------
    Proof
        Of the statement, in one step.
    """
    pairs = tuple((s, sympify(v)) for s, v in (values or {}).items())
    return _Claimed(id, pairs, statement)


# The name of the rule, by which the ledger knows what it must not call proved.
CITED = "cited, not checked"


class InWords(Sentence):
    """A statement in words, which nothing but a citation can conclude."""

    def _sympystr(self, printer: Any) -> str:
        return unmarked(self.args[0].name)

    def _latex(self, printer: Any) -> str:
        return rf"\text{{{unmarked(self.args[0].name)}}}"


def in_words(text: str) -> InWords:
    """A statement in words.

    Parameters
    ----------
    text : str
        The statement.

    Returns
    -------
    InWords
        It has no numbers to be examined by.

    Raises
    ------
    ProofError
        If the text is empty.
    """
    if not isinstance(text, str) or not text.strip():
        raise ProofError(f"a statement in words must not be empty; got {text!r}")
    return InWords(Symbol(" ".join(text.split())))


@dataclass(frozen=True)
class _ByCitation(Proof):
    goal: Boolean
    theorems: tuple[str, ...]
    hypotheses: tuple[str, ...]

    def steps(self, context: Context, label: str = "") -> Iterable[Step]:
        def verify(context: Context) -> None:
            for id in self.hypotheses:
                context.claim(id)

        yield structural_step(
            labelled(label, "citation"),
            self.goal,
            CITED,
            verify,
            context,
            rests_on=self.theorems,
            uses_claims=self.hypotheses,
            numeric=False,
        )


def by_citation(goal: Boolean, *theorems: str, hypotheses: Iterable[str]) -> Proof:
    """Conclude a statement by theorems of the literature, whose hypotheses are other claims.

    Parameters
    ----------
    goal : Boolean
        The statement.
    *theorems : str
        Ids of axioms.
    hypotheses : iterable of str
        Ids of the claims that say that the hypotheses of the theorems are satisfied.

    Returns
    -------
    Proof
        In one step, which makes the claim ``cited``. The claims have to be accepted themselves.

    Raises
    ------
    ProofError
        If there is no theorem, an axiom is unknown, or there are no hypotheses.
    """
    if not theorems:
        raise ProofError("a citation has to name a theorem")
    for name in theorems:
        axiom(name)
    needed = tuple(hypotheses)
    if not needed:
        raise ProofError("a citation has to name the claims that satisfy its hypotheses")
    return _ByCitation(goal, theorems, needed)

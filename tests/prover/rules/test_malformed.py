"""What is refused before any evidence is looked for, with the whole message; and what is not."""

from __future__ import annotations

from typing import Any

import pytest
from sympy import (
    And,
    Derivative,
    Dummy,
    Equivalent,
    Function,
    Gt,
    Le,
    Ne,
    Or,
    S,
    Subs,
    Symbol,
    symbols,
)

from slrsym.gaussian import Expectation, OwensT, standard_normal, zeta
from slrsym.proof import D, algebra, by_citation, chain, in_words, jensen, sign, stein
from slrsym.prover.rules.axioms import find_axiom, is_soundness_axiom, soundness_axiom_name
from slrsym.prover.rules.calculus import derivative_claim_ids
from slrsym.prover.rules.chain import at
from slrsym.prover.rules.context import Context, require_unambiguous_statement
from slrsym.prover.rules.solutions import only_at, solution, solution_set, split_product
from slrsym.prover.rules.step import (
    Link,
    Rule,
    Step,
    axioms_added_by_rule,
    join_labels,
    require_rule,
)
from slrsym.prover.rules.theorems import by_theorem
from slrsym.prover.statements.expressions import ProofError, Refused
from slrsym.prover.statements.maps import box_map
from slrsym.prover.statements.orbits import DecreasesAlong

from ._steps import eq

x, y, G = symbols("x y G", real=True)
p, k = Symbol("p", positive=True), Symbol("k", integer=True)
A = Symbol("A", commutative=False)
F = Function("F", real=True)
GOAL, NO_LINK = Le(x, y), Link(S.Zero, "=", S.Zero)
TWICE = Subs(Derivative(F(x, y), x), (x, y), (p, p))


class Mine(Rule):
    name = "mine"


def plainly(statement: Any, *hypotheses: Any) -> None:
    require_unambiguous_statement(statement, Context(hypotheses))


MALFORMED = [
    (lambda: Link(x, "!=", y), "unknown relation '!='; known are = <= < >= >"),
    (lambda: Link.from_relation(Ne(x, y)), "Ne(x, y) is none of the relations = <= < >= >"),
    (lambda: Mine().check(NO_LINK, Context()), "the rule mine has neither a tactic nor a check"),
    (lambda: Step("3", GOAL, "why", NO_LINK, Context()),
     "step 3 is justified by 'why', which is no rule"),
    (lambda: require_rule(stein), "by=stein needs arguments; write by=stein(variables)"),
    (lambda: require_rule(jensen), "by=jensen needs arguments; write by=jensen(of, variable)"),
    (lambda: require_rule(len), "by must be a rule; got <built-in function len>. "
                                "slrsym.proof has the rules"),
    (lambda: Context().claim("c"), "unknown claim 'c': this proof is checked outside of a ledger"),
    (lambda: in_words(" "), "a statement in words must not be empty; got ' '"),
    (lambda: in_words(3), "a statement in words must not be empty; got 3"),
    (lambda: by_citation(GOAL, hypotheses=["c"]),
     "theorems must name a theorem that gives x <= y; got none"),
    (lambda: by_citation(GOAL, "fubini", "jensen", hypotheses=[]),
     "hypotheses must name the claims that satisfy those of fubini, jensen; got none"),
    (lambda: plainly(eq(TWICE, 0)),
     f"{TWICE} is the same to SymPy as the derivative in another of its variables; "
     "write it as at(...)"),
    (lambda: plainly(eq(A, 0)), "A does not commute, and every rule reorders products"),
    (lambda: plainly(GOAL, Gt(Symbol("x", positive=True), 1)),
     "two different symbols are called x: one is declared real, the other positive"),
    (lambda: plainly(GOAL, Gt(Symbol("x"), 1)),
     "two different symbols are called x: one is declared real, the other nothing"),
    (lambda: plainly(GOAL, Gt(Symbol("x", real=True, zero=False), 1)),
     "two different symbols are called x: one is declared real, the other real and not zero"),
    (lambda: plainly(eq(Expectation(G, standard_normal(G)), 0), Gt(G, 0)),
     "a hypothesis speaks of G, which is bound by a law here; rename it"),
    (lambda: plainly(eq(D(F(k), k), 0)),
     "Derivative(F(k), k) is a derivative in k, which does not run over an interval"),
]  # fmt: skip


@pytest.mark.parametrize(("make", "message"), MALFORMED, ids=[m[:50] for _, m in MALFORMED])
def test_what_is_malformed_is_refused(make: Any, message: str) -> None:
    with pytest.raises((ProofError, Refused)) as refusal:
        make()
    assert str(refusal.value) == message


@pytest.mark.parametrize(
    ("statement", "given"),
    [
        (eq(at(Derivative(F(x, y), x), {x: p, y: p}), 0), ()),
        (eq(Dummy("x", real=True) + Dummy("x"), x), (Gt(x, 0),)),
        (eq(D(F(p), p), 0), ()),
        (eq(Expectation(G, standard_normal(G)), 0), (Gt(x, 0),)),
    ],
)
def test_what_has_one_meaning_is_not_refused(statement: Any, given: Any) -> None:
    plainly(statement, *given)


def test_a_context_knows_nothing_by_itself() -> None:
    assert Context().holds(Le(x, x + 1, evaluate=False)) is False
    assert Context().assuming(S.true, GOAL).hypotheses == (GOAL,)
    assert Context().with_granted_goal(eq(x, y)) == Context(granted=(eq(x, y),))
    both = And(GOAL, Gt(p, 1))
    granted = Context().with_granted_goal(both)
    assert (set(granted.hypotheses), granted.granted) == (set(both.args), (both,))


def test_axioms_that_rules_add_are_found() -> None:
    name = soundness_axiom_name("mine")
    assert is_soundness_axiom(name)
    assert not is_soundness_axiom("fubini")
    assert find_axiom(name).statement == "Whatever the rule mine accepts is true."
    assert axioms_added_by_rule(algebra, NO_LINK) == ()
    assert axioms_added_by_rule(Mine(), NO_LINK) == (soundness_axiom_name(f"{__name__}.Mine"),)
    with pytest.raises(ProofError, match=r"^unknown axiom 'fubuni'; known are bivariate-normal, "):
        find_axiom("fubuni")
    with pytest.raises(ProofError, match="unknown axiom 'extension more'"):
        find_axiom("extension more")


@pytest.mark.parametrize(
    ("function", "variable", "ids"),
    [
        (OwensT(x, y), x, ("owens-t-derivative-h",)),
        (OwensT(x, y), y, ("owens-t-derivative-a",)),
        (OwensT(x, x) + x, x, ("owens-t-derivative-h", "owens-t-derivative-a")),
        (zeta(x, y), x, ("zeta-derivative",)),
        (zeta(x, y), y, ("zeta-derivative-s",)),
        (zeta(x, y), p, ()),
    ],
)
def test_a_slope_rests_on_the_claim_for_its_argument(
    function: Any, variable: Any, ids: Any
) -> None:
    assert derivative_claim_ids(D(function, variable)) == ids


def test_words_are_written_without_dollar_signs() -> None:
    words = in_words("All of  $x$\n is well.")
    assert str(words) == "All of x is well."
    assert words._latex(None) == r"\text{All of x is well.}"


def test_labels_of_nested_steps() -> None:
    assert join_labels("", "part 1", "", "2") == "part 1.2"
    assert repr(Mine()) == "<rule mine>"


def test_a_hypothesis_that_is_shown_in_other_words_has_a_step_of_its_own() -> None:
    half = box_map({x: x / 2})
    goal = DecreasesAlong(half, half.args[0].func(x, x**2))
    weaker, wanted = chain(x**2).ge(x**2 / 4, by=sign), chain(x**2 / 4 - x**2).le(0, by=sign)
    for proof, more in ((weaker, ["decreases.needed"]), (wanted, [])):
        made = by_theorem(goal, "decrease", decreases=proof)
        labels = [step.label for step in made.steps(Context())]
        assert labels == ["decreases.1", *more, "theorem"]


@pytest.mark.parametrize(
    ("listed", "message"),
    [
        (Or(eq(x, 1) & eq(y, 0), eq(x, 2)), "Eq(x, 2) does not give every unknown a value"),
        (Gt(x, 1) & eq(y, 0), "x > 1 is not an equation with 0 on its right"),
    ],
)
def test_a_list_of_solutions_gives_every_unknown_a_value(listed: Any, message: str) -> None:
    system = And(eq(x**2 - p, 0), eq(y * x, 0), evaluate=False)
    with pytest.raises(ProofError) as refusal:
        solution_set(Equivalent(system, listed, evaluate=False), [x, y], solution())
    assert str(refusal.value) == message


def test_each_case_ends_with_its_own_values() -> None:
    """In a second case the values of the first are not put in."""
    product = (x - 1) * (x + 1)
    tree = split_product(
        product, only_at(x - 1, x, 1, solution()), only_at(x + 1, x, -1, solution())
    )
    goal = Equivalent(eq(product, 0), Or(eq(x, 1), eq(x, -1), evaluate=False), evaluate=False)
    steps = list(solution_set(goal, [x], tree).steps(Context((Gt(x, y),)), "all"))
    assert [step.label for step in steps] == [
        "all.case.1.only root", "all.case.2.only root",
        "all.solution 1", "all.solution 2", "all.conclusion",
    ]  # fmt: skip

"""Coq itself: what it confirms of some claims, and that it refuses what is false."""

import random
import shutil

import pytest
from sympy import Eq, Ge, Gt, Le, Lt
from sympy.core.relational import Relational

from slrsym.claims.ledger import builtin_ledger
from slrsym.coq import confirmed, confirmed_claims, running
from slrsym.coq.development import Development
from slrsym.coq.printing import Unprintable
from tests._profile import NIGHTLY, THOROUGH, more

needs_coq = pytest.mark.skipif(
    shutil.which("coqc") is None, reason=f"{running.INSTALL}; nothing here needs it"
)
# What Coq's libraries of classical analysis rest on.
CLASSICAL = {"classic", "functional_extensionality_dep", "sig_forall_dec", "sig_not_dec"}


@pytest.fixture(scope="module")
def ledger():
    return builtin_ledger()


@pytest.fixture(scope="module")
def library(tmp_path_factory, known):
    return running.with_library(tmp_path_factory.mktemp("coq"), known)


@pytest.fixture(scope="module")
def known(ledger):
    """The goals, with their proofs, of some claims that Coq confirms."""
    ids = random.Random(23).sample(sorted(confirmed()), 200 if THOROUGH else 30)
    made = Development.of(ids, ledger.find)
    made.use(confirmed(), confirmed_claims())
    return made


@more
def test_the_list_is_of_steps_that_are_there(known):
    assert not known.refused
    for id, goals in known.goals.items():
        labels = {goal.label for goal in goals if goal.text}
        assert set(confirmed()[id]) <= labels, id


@needs_coq
def test_coq_confirms_claims_as_a_whole(ledger, tmp_path):
    ids = ["lemma-16-one-sided", "planar-step-slope"]
    made = Development.of(ids, ledger.find)
    made.use(confirmed(), {id: [] for id in ids if id in confirmed_claims()})
    before = dict(made.tactics)
    axioms = running.checked(made, tmp_path)
    assert made.tactics == before
    assert {axiom.split(".")[-1] for axiom in axioms} <= CLASSICAL


@needs_coq
def test_a_tactic_that_proves_nothing_loses_the_mark(ledger, tmp_path):
    made = Development.of(["lemma-16-one-sided"], ledger.find)
    good, bad = [goal.name for goal in made.all_goals if goal.text][:2]
    made.tactics = {
        good: confirmed()["lemma-16-one-sided"].get("1.derivative.1", "der"),
        bad: "idtac",
    }
    running.checked(made, tmp_path)
    assert bad not in made.tactics


def _false(statement):
    """A statement that is false wherever this one is true; None if it is of another kind."""
    if isinstance(statement, Eq):
        return Eq(statement.lhs, statement.rhs + 1, evaluate=False)
    for kind, opposite in ((Le, Gt), (Lt, Ge), (Ge, Lt), (Gt, Le)):
        if isinstance(statement, kind):
            return opposite(statement.lhs, statement.rhs, evaluate=False)
    return None


@more
@needs_coq
def test_coq_refuses_false_steps(known, library):
    wrong = []
    for goal in known.all_goals:
        if goal.name not in known.tactics or not isinstance(goal.step.statement, Relational):
            continue
        false = _false(goal.step.statement)
        if false is None:
            continue
        try:
            said = goal.printer.statement(goal.step.statement)
            other = goal.printer.statement(false)
        except Unprintable:
            continue
        if not goal.text.endswith(said):
            continue
        goal.text = goal.text.removesuffix(said) + other
        goal.tries = lambda tactic=known.tactics[goal.name]: [tactic]
        wrong.append(goal)
    wrong = wrong[: 200 if NIGHTLY else 40 if THOROUGH else 12]
    assert len(wrong) >= 12
    assert running.searched(wrong, library, seconds=10) == {}

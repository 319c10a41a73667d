"""Coq itself: what it confirms of some claims, and that it refuses what is false."""

import random
import shutil

import pytest
from sympy import Eq, Ge, Gt, Le, Lt
from sympy.core.relational import Relational

from slrsym.coq import confirmed_claims, coq_calls, coq_tactics_by_claim_and_step
from slrsym.coq.development import CoqDevelopment
from slrsym.coq.printing import NotExpressibleInCoqError
from tests._profile import NIGHTLY, THOROUGH, more, nightly_only, thorough_only

needs_coq = pytest.mark.skipif(
    shutil.which("coqc") is None, reason=f"{coq_calls.INSTALL}; nothing here needs it"
)
# What Coq's libraries of classical analysis rest on.
CLASSICAL = {"classic", "functional_extensionality_dep", "sig_forall_dec", "sig_not_dec"}


@pytest.fixture(scope="module")
def library(tmp_path_factory, known):
    return coq_calls.write_and_compile_coq_library(tmp_path_factory.mktemp("coq"), known)


@pytest.fixture(scope="module")
def known(ledger):
    """The goals, with their proofs, of some claims that Coq confirms."""
    count = 200 if NIGHTLY else 80 if THOROUGH else 30
    ids = random.Random(23).sample(sorted(coq_tactics_by_claim_and_step()), count)
    made = CoqDevelopment.from_claims(ids, ledger.find)
    made.store_known_proofs(coq_tactics_by_claim_and_step(), confirmed_claims())
    return made


# The committed list is run by .ci/run where Coq is; goals are read in the other tests.
@thorough_only
@more
def test_the_list_is_of_steps_that_are_there(known):
    assert not known.refused
    for id, goals in known.goals.items():
        labels = {goal.label for goal in goals if goal.text}
        assert set(coq_tactics_by_claim_and_step()[id]) <= labels, id


# A minute and a half; `python -m slrsym.coq check` confirms these claims, too.
@nightly_only
@needs_coq
def test_coq_confirms_a_claim_and_a_tactic_that_proves_nothing_loses_its_mark(ledger, tmp_path):
    ids = ["lemma-16-one-sided", "parabola-vertex"]
    made = CoqDevelopment.from_claims(ids, ledger.find)
    made.store_known_proofs(
        coq_tactics_by_claim_and_step(), {id: [] for id in ids if id in confirmed_claims()}
    )
    assert made.whole.keys() == set(ids)
    known = dict(made.tactics)
    bad = next(goal.name for goal in made.goals["lemma-16-one-sided"] if goal.name in known)
    made.tactics[bad] = "idtac"
    axioms = coq_calls.prune_development_and_list_axioms(made, tmp_path)
    assert made.tactics == {name: tactic for name, tactic in known.items() if name != bad}
    assert made.whole.keys() == {"parabola-vertex"}
    assert {axiom.split(".")[-1] for axiom in axioms} <= CLASSICAL


def _false(statement):
    """A statement that is false wherever this one is true; None if it is of another kind."""
    if isinstance(statement, Eq):
        return Eq(statement.lhs, statement.rhs + 1, evaluate=False)
    for kind, opposite in ((Le, Gt), (Lt, Ge), (Ge, Lt), (Gt, Le)):
        if isinstance(statement, kind):
            return opposite(statement.lhs, statement.rhs, evaluate=False)
    return None


@thorough_only
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
        except NotExpressibleInCoqError:
            continue
        if not goal.text.endswith(said):
            continue
        goal.text = goal.text.removesuffix(said) + other
        goal.tries = lambda tactic=known.tactics[goal.name]: [tactic]
        wrong.append(goal)
    wrong = wrong[: 200 if NIGHTLY else 20 if THOROUGH else 12]
    assert len(wrong) >= 12
    assert coq_calls.find_tactic_of_each_goal(wrong, library, seconds=10) == {}

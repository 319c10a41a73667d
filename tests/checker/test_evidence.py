"""Proofs of the ledger as evidence: what is emitted is judged, and shows nothing else."""

from __future__ import annotations

import json

import pytest
import sympy as sp

from slrsym.checker import ProofBuilder, ProvedClaims, Rejected, recheck
from slrsym.checker.log import TermReader, _parse_argument
from slrsym.checker.term import canonical_key, num, parse_term
from slrsym.checker.theorem import RULES, apply_rule
from slrsym.proof import Claim, algebra, builtin_ledger, chain, piecewise, sign
from slrsym.prover.tactics.arithmetic import prove_by_arithmetic, search_arithmetic_evidence
from slrsym.prover.tactics.emission import ProofEmitter
from slrsym.prover.tactics.log_records import log_lines
from slrsym.prover.tactics.proof_log import all_needed_claim_ids_in_order, emit_records
from slrsym.prover.tactics.translation import Translator, Untranslatable
from tests._profile import THOROUGH, more, thorough

LEDGER = builtin_ledger()
X = sp.Symbol("x", real=True)
A, B = sp.symbols("a b", real=True)
SOME = ("lemma-16", "assumption-1", "lemma-18-i", "bayes-bound")
if THOROUGH:
    SOME += ("planar-jacobian", "triangle-inequality")


@pytest.fixture(scope="module")
def records():
    return [record for record, _ in emit_records(SOME, LEDGER.find)]


def test_claims_come_after_those_that_they_use():
    order = all_needed_claim_ids_in_order(["proposition-11"], LEDGER.find)
    assert order[-1] == "proposition-11"
    assert len(set(order)) == len(order) > 1


@more
def test_what_is_emitted_is_accepted_twice_and_is_the_same(records, tmp_path):
    paths = [tmp_path / "a", tmp_path / "b"]
    again = [record for record, _ in emit_records(SOME, LEDGER.find)]
    for path, made in zip(paths, (records, again), strict=True):
        path.write_text("".join(f"{line}\n" for line in log_lines({}, made)))
    assert paths[0].read_bytes() == paths[1].read_bytes()
    assert {"lemma-16", "assumption-1"} <= {j.id for j in recheck(paths[0])}


def _inferences(record, book):
    """Each inference of a record: its rule, premises and data."""
    script, reader = ProofBuilder(book), TermReader()
    for row in record["terms"]:
        reader.add(row)
    for name, premises, *data in record["lines"]:
        lines = [script.find_premise(p) for p in premises]
        read = [_parse_argument(k, d, reader) for k, d in zip(RULES[name].kinds, data, strict=True)]
        yield name, [line.theorem for line in lines], read
        script.add(name, lines, *read)
    book.enter(
        record["claim"], parse_term(record["statement"]), tuple(map(parse_term, record["given"])),
        script.find_premise(record["shown"]).theorem,
    )  # fmt: skip


@more
def test_evidence_shows_nothing_but_its_statement(records):
    book, tried = ProvedClaims(), 0
    for record in records:
        for name, premises, data in _inferences(record, book):
            if name != "arithmetic" or data[1][0] == "o":
                continue
            kind, left, right = data[1]
            opposite = {"=": "!=", "<": "<=", "<=": "<", "!=": "="}[kind]
            wrong = [(opposite, right, left)]
            wrong += [("=", ("+", left, num(1, 7)), right)] if kind == "=" else []
            for p in wrong:
                tried += 1
                with pytest.raises(Rejected):
                    apply_rule(name, premises, data[0], p, data[2])
    assert tried > 20


def test_a_step_without_evidence_is_named_and_no_more():
    t = sp.Symbol("t", real=True)
    claim = Claim("wrong", sp.Eq(t**2, t, evaluate=False), "nowhere")
    claim.proof(lambda goal: chain(goal.lhs).then(goal.rhs, by=algebra))
    ((record, emission),) = emit_records(["wrong"], lambda id: claim)
    assert record["axioms"] == ["unchecked: Algebra"]
    assert [bool(o.refusal) for o in emission.outcomes] == [True, False]


def test_what_cancels_in_sympy_is_read_before():
    y = sp.Symbol("y", real=True)
    statement = sp.Ge(y**2 + 1 / y, 1 / y, evaluate=False)
    claim = Claim("pole", statement, "nowhere")
    claim.proof(lambda goal: chain(goal.lhs).ge(goal.rhs, by=sign))
    ((record, _),) = emit_records(["pole"], lambda id: claim)
    assert record["axioms"] == ["unchecked: Sign"]


@pytest.mark.parametrize(
    "expr",
    [
        sp.Symbol("z"), sp.Symbol("n", even=True), sp.Limit(X, X, 0),
        sp.KroneckerDelta(X, 1),
        sp.gamma(sp.Symbol("x", real=True)), X ** sp.Symbol("x", real=True),
        sp.Derivative(sp.Symbol("n", integer=True) ** 2, sp.Symbol("n", integer=True)),
        sp.Integral(sp.Symbol("x", real=True), sp.Symbol("x", real=True)),
    ],
)  # fmt: skip
def test_what_the_kernel_has_no_words_for_is_refused(expr):
    with pytest.raises(Untranslatable):
        Translator().term(expr)


def test_relations_are_read_from_left_to_right():
    x, y = sp.symbols("x y", real=True)
    read = Translator().formula
    assert canonical_key(read(sp.Ge(x, y))) == canonical_key(read(sp.Le(y, x)))
    assert json.dumps(read(sp.Ne(x, y)))
    assert canonical_key(read(sp.And(x > 0, sp.Not(sp.Eq(y, 0))))) == canonical_key(
        read(sp.And(sp.Not(sp.Eq(0, y)), x > 0))
    )


def test_a_hypothesis_that_differs_by_roots_in_denominators_is_found():
    a, b, c = (("s", name, "R>0") for name in "abc")
    both = ("+", ("*", num(2), ("^", 2, 1, b)), num(1))
    pi = ("pi",)
    first = ("*", ("+", ("^", -1, 1, pi), ("^", -1, 2, pi)), ("^", -1, 1, both), ("^", 2, 1, b))
    second = ("*", ("^", -1, 2, both), ("^", -1, 2, pi), ("^", 1, 2, num(2)), ("^", 1, 2, c), b)
    known = ("<", ("*", ("+", ("*", num(8), first), ("*", num(16), second), num(6)), a), num(1))
    apart = ("+", ("*", num(2), ("*", num(4), first)), ("*", num(2), ("*", num(2), second)),
             ("*", num(3), ("*", num(4), second)), ("*", num(3), num(2)))  # fmt: skip
    wanted = ("<", ("*", apart, a), num(1))
    assert search_arithmetic_evidence(wanted, [known], effort=5_000)[0] == "arithmetic"
    with pytest.raises(Rejected):
        search_arithmetic_evidence(("<", ("*", apart, a), num(1, 2)), [known], effort=5_000)


def test_a_plain_question_is_answered_whatever_others_have_cost():
    claim = Claim("positive", sp.Ge(X**2 + 1, 1, evaluate=False), "ours")
    work = ProofEmitter(claim, lambda id: claim, ProvedClaims())
    work.remaining_effort = -1
    nothing = ("<=", num(0), ("*", num(2), ("^", 2, 1, ("s", "g", "R>0"))))
    assert prove_by_arithmetic(work, nothing, ()).theorem.conclusion == nothing


def test_a_hypothesis_that_shares_a_factor_is_found():
    x, y, free_one = (("s", name, "R") for name in "xyz")
    a, b, c = (("s", name, "R>0") for name in "abc")
    long = ("+", ("*", ("^", 3, 1, x), y), ("^", 2, 1, x), ("*", num(-1), ("^", 2, 1, y)), num(-3))
    known = ("<=", ("*", a, ("+", b, num(1)), long), num(0))
    assert (
        search_arithmetic_evidence(("<=", ("*", c, long), num(0)), [known], effort=5_000)[0]
        == "arithmetic"
    )
    with pytest.raises(Rejected):
        search_arithmetic_evidence(("<=", ("*", free_one, long), num(0)), [known], effort=5_000)


# Other inequalities with bars.
@pytest.mark.parametrize(
    "statement",
    [
        thorough(sp.Le(sp.Abs(sp.Abs(A) - sp.Abs(B)), sp.Abs(A - B))),
        thorough(sp.Le(sp.Abs(A) - sp.Abs(B), sp.Abs(A - B))),
        sp.Le(sp.Max(A, B) ** 2, A**2 + B**2),
        sp.Ge(sp.Max(A, B) + sp.Min(A, B), A + B),
        sp.Le(sp.Heaviside(A), sp.exp(A)),
        sp.Eq(sp.sign(A) * A, sp.Abs(A)),
    ],
    ids=str,
)
def test_pieces_of_bars_signs_and_maxima(statement):
    claim = Claim("pieces", statement, "ours")
    claim.proof(lambda goal: links_of(goal, piecewise(algebra if goal.rel_op == "==" else sign)))
    ((record, _),) = emit_records(["pieces"], lambda id: claim)
    # Maxima are a rule of the extension, which a log has to name.
    assert set(record["axioms"]) <= {"extension textbook"}


def links_of(goal, rule):
    start = chain(goal.lhs)
    return {"==": start.then, "<=": start.le, ">=": start.ge}[goal.rel_op](goal.rhs, by=rule)


def test_what_was_taken_on_trust_by_a_way_that_failed_is_not_counted():
    claim = Claim("positive", sp.Ge(X**2 + 1, 1, evaluate=False), "ours")
    work = ProofEmitter(claim, lambda id: claim, ProvedClaims())

    mark = len(work.script.lines)
    p = work.formula(claim.statement)
    work.add_unchecked("a side condition", "the first", (), p)

    def failing():
        work.add_unchecked("a side condition", "the second", (), p)
        raise Rejected("another reason")

    with pytest.raises(Rejected, match="another reason"):
        work.run_and_undo_on_failure(failing)
    assert list(work._reasons.values()) == ["the first"]
    work.undo_from(mark)
    assert not work._reasons

"""Refusals are in the words of the statement: no canonical form of a term, and no head of one."""

import re

import pytest
from sympy import Eq, Function, Symbol, cos, log, sqrt

from slrsym.checker.term import canonical_key
from slrsym.gaussian import Expectation, standard_normal
from slrsym.proof import Claim, D, Ledger, ProofError, algebra, cases, chain, differentiate
from slrsym.prover.tactics.refusals_in_words import refusal_in_words
from tests._profile import thorough_cases

G, x, g = (Symbol(name, real=True) for name in "Gxg")
F = Function("F", real=True)


@pytest.mark.parametrize(
    ("refusal", "said"),
    [
        (
            "E is not known to be defined: (E [R] (^ 2 1 b0) (gauss 1 (n 0 1) (n 1 1)))",
            "an expectation is not known to be defined: E[G**2] for a Gaussian G of mean 0 and "
            "variance 1",
        ),
        (
            "int is not known to be defined: (int [R] (f exp (* (n -1 2) b0)) (n 0 1) (oo))",
            "an integral is not known to be defined: Integral(exp(-1/2*G), (G, 0, oo))",
        ),
        (
            "sum is not known to be defined: (sum [Z] (ix a R b0) (n 0 1) (s n Z))",
            "a sum is not known to be defined: Sum(a[i], (i, 0, n))",
        ),
        # The checker cuts what is long.
        (
            "E is not known to be defined: (E [R] (* (n -1 1) (f erf (+ b0 (s t",
            "an expectation is not known to be defined: an expectation of the statement",
        ),
        ("d is not known to be moderate", "a derivative is not known to be moderate"),
        (
            "the proof supposes more: (< (n 0 1) (s x R)); (= (u f R 1 (s x R)) (u f R 1 (s x R)))",
            "the proof supposes more: 0 < x; the existence of f(x)",
        ),
        (
            "(implies (and (<= (n 0 1) (s x R)) (!= (s x R) (n 1 2))) "
            "(not (= (pi) (^ -1 2 (s y R)))))",
            "((0 <= x) and (x != 1/2)) implies (not (pi = y**(-1/2)))",
        ),
        (
            "(forall [R] (<= (* (n -1 1) (^ 1 2 b0)) (+ b0 (* (n -2 1) (s y R)))))",
            "-sqrt(G) <= G - 2*y for all G",
        ),
        # Words, and arguments of a function, that only look like it.
        ("sqrt(pi)*f(E ) is not shown", "sqrt(pi)*f(E ) is not shown"),
        ("x**2 is not shown (see E)", "x**2 is not shown (see E)"),
    ],
)
def test_a_term_is_in_infix_notation(refusal, said):
    assert refusal_in_words(refusal) == said


def test_an_expression_of_the_statement_is_named_by_its_own_text():
    expression = sqrt(1 + x**2)
    term = ("^", 1, 2, ("+", ("n", 1, 1), ("^", 2, 1, ("s", "x", "R"))))
    refusal = f"it is not defined: {canonical_key(term)[:20]}"
    assert refusal_in_words(refusal, [(expression, term)]) == "it is not defined: sqrt(x**2 + 1)"


@thorough_cases("inside6", "inside1")
@pytest.mark.parametrize(
    "inside", [1 / (1 + G**2), log(G**2), log(G), sqrt(G), 1 / G, F(G), F(G) * log(1 + F(G) ** 2)]
)
def test_no_refusal_has_a_term_of_the_checker(inside):
    mean = Expectation(inside, standard_normal(G))
    claim = Claim("it", Eq(mean * (mean + g), mean**2 + g * mean, evaluate=False), "test")
    claim.proof(lambda goal: chain(goal.lhs).then(goal.rhs, by=algebra))
    (row,) = Ledger({"it": claim}).verify()
    found = row.error.split("; it says ")[0]
    assert not re.search(
        r"\((E|n|s|f|u|gauss|int|\^|\*|\+|<=?|!?=) |\bE is\b|side condition", found
    )


def test_symbols_that_are_called_like_heads_of_terms_stay():
    text = "the hypothesis supposes (u <= 1) and (s >= 0) and (d + 1 = E)"
    assert refusal_in_words(text) == text
    assert refusal_in_words("(u <= 1), for (+ (n 1 1) (s x R))") == "(u <= 1), for 1 + x"


def test_a_mean_stands_apart_from_its_factors():
    mean = "(E [R] (^ 2 1 b0) (gauss 1 (n 0 1) (s p R)))"
    said = refusal_in_words(f"(* {mean} (s p R)) is not known to be defined")
    assert said.startswith("(E[G**2] for a Gaussian G of mean 0 and variance p)*p is not")


def refusal(statement, by):
    claim = Claim("it", statement, "test")
    claim.proof(lambda goal: chain(goal.lhs).then(goal.rhs, by=by))
    (row,) = Ledger({"it": claim}).verify()
    return row.error


def test_a_mean_that_is_differentiated_is_sent_to_its_own_rule():
    mean = Expectation(cos(x * G), standard_normal(G))
    slope = Eq(D(x * mean, x), mean + x * D(mean, x), evaluate=False)
    found = refusal(slope, differentiate)
    assert "this rule does not differentiate E[cos(G*x)]" in found
    assert "by differentiate_under_expectation or price" in found


def test_a_power_of_a_base_that_may_be_negative_names_the_base():
    k = Symbol("k", integer=True, nonnegative=True)
    found = refusal(Eq((1 - x) ** (k + 1), (1 - x) * (1 - x) ** k, evaluate=False), algebra)
    assert "the exponent of (1 - x)**" in found
    assert "1 - x is not positive by the declarations of its symbols" in found


def test_cases_without_a_goal_are_refused():
    with pytest.raises(ProofError, match="goal must be the statement to show"):
        cases((x > 0, chain(x).gt(0, by=algebra)))

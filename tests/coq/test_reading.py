"""Goals are read back, and compared with their steps; what says something else is refused."""

import random
import re

import pytest
from sympy import (
    Abs,
    Derivative,
    Eq,
    Ge,
    Integral,
    Le,
    Lt,
    MatrixSymbol,
    Max,
    Ne,
    Pow,
    Rational,
    S,
    Sum,
    Symbol,
    erf,
    erfc,
    exp,
    log,
    pi,
    sqrt,
    symbols,
)
from sympy.tensor import IndexedBase

from slrsym.coq.development import CoqDevelopment
from slrsym.coq.goal_parser import (
    CoqGoalMismatchError,
    _TupleConverter,
    coq_goal_to_tuples,
    require_coq_text_states_claim,
    require_goal_states_step,
)
from slrsym.coq.goals import CoqGoalBuilder
from slrsym.coq.printing import CoqPrinter, NotExpressibleInCoqError
from tests._profile import thorough_only

x, y = symbols("x y", real=True)
n = Symbol("n", integer=True, positive=True)
w = IndexedBase("w", real=True)


@pytest.fixture(scope="module")
def goals(ledger):
    """The goals of some claims."""
    ids = random.Random(21).sample(sorted(ledger.claims), 40)
    made = CoqDevelopment.from_claims(
        [*ids, "lemma-16", "lemma-17-iii", "proposition-9"], ledger.find
    )
    assert not made.refused
    return [goal for goal in made.all_goals if goal.text]


@pytest.mark.parametrize(
    ("expr", "text"),
    [
        # What other printers have cut to integers, or moved.
        (Rational(1, 2), "(1 / 2)"),
        (Rational(-7, 3), "(- 7 / 3)"),
        (S(-2), "(- 2)"),
        (x**-2, "(/ (x ^ 2))"),
        (-(x**2), "((- 1) * (x ^ 2))"),
        ((-x) ** 3, "((- 1) * (x ^ 3))"),
        (x / y / 3, "((1 / 3) * x / y)"),
        (Pow(x, 0, evaluate=False), "(x ^ 0)"),
        (x ** Rational(3, 2), "((sqrt x) ^ 3)"),
        (1 / sqrt(x), "(/ (sqrt x))"),
        (log(x), "(ln x)"),
        (exp(1), "(exp 1)"),
        (erfc(x), "(1 - erf x)"),
        (Max(x, y), "(Rmax x y)"),
        (Abs(x) * pi, "(PI * (Rabs x))"),
        (
            Derivative(x**2 * y, x, y),
            "(Derive (fun y : R => (Derive (fun x : R => (y * (x ^ 2))) x)) y)",
        ),
        (Integral(y * x, (x, 0, y)), "(RInt (fun x : R => (x * y)) 0 y)"),
        (Sum(w[n], (n, 1, x)), "(Sum (fun n : R => (w n)) 1 x)"),
    ],
)  # fmt: skip
def test_terms_are_printed_as_coq_means_them_and_read_back(expr, text):
    printer = CoqPrinter()
    assert printer.term(expr) == text
    assert coq_goal_to_tuples(text) == _TupleConverter(printer.names)(expr)


def test_names_of_coq_and_of_others_are_not_taken():
    names = [Symbol(name, real=True) for name in ("exp", "R", "fun", "a.b", "a b", "1", "_")]
    printer = CoqPrinter()
    for symbol in names:
        printer.term(symbol)
    taken = list(printer.names.values())
    assert len(set(taken)) == len(names)
    assert not {"exp", "R", "fun"} & set(taken)
    assert all(re.fullmatch(r"[A-Za-z][\w']*", name) for name in taken)


def test_a_symbol_that_is_not_real_has_no_words():
    with pytest.raises(NotExpressibleInCoqError, match="not declared real"):
        CoqPrinter().term(Symbol("z"))


def test_a_matrix_has_no_words():
    """SymPy says of a product of matrices that it is a product of numbers, whose order is free."""
    A, B = MatrixSymbol("A", 2, 2), MatrixSymbol("B", 2, 2)
    for statement in (Eq(A * B, B * A, evaluate=False), Ne(A, B, evaluate=False)):
        with pytest.raises(NotExpressibleInCoqError, match="is a matrix"):
            CoqPrinter().statement(statement)


def test_what_a_binder_binds_is_no_variable_of_the_goal():
    printer = CoqPrinter()
    printer.term(Integral(exp(y), (y, 0, 1)))
    assert not printer.free


def test_a_part_that_depends_on_a_bound_variable_has_no_words():
    inside = Integral(Pow(2, x), (x, 0, 1))
    printer = CoqPrinter()
    printer.term(inside)
    assert list(printer.opaque_subexpressions.values()) == [inside]


@pytest.mark.parametrize(
    ("text", "statement"),
    [
        ("x <= y", Le(x, y)), ("y <= x", Ge(x, y)), ("x < y", Lt(x, y)), ("x = y", Eq(x, y)),
        ("y = x", Eq(x, y)), ("x + - 2 * y <= 0", Le(x - 2 * y, 0)), ("x - y <= 0", Le(x - y, 0)),
        ("x / y ^ 2 = 1", Eq(x / y**2, 1)), ("- x ^ 2 <= y", Le(-(x**2), y)),
        ("sqrt x ^ 3 < 1", Lt(x ** Rational(3, 2), 1)),
    ],
)  # fmt: skip
def test_the_reader_knows_how_coq_groups(text, statement):
    assert coq_goal_to_tuples(text) == _TupleConverter({x: "x", y: "y"})(statement)


@pytest.mark.parametrize(
    ("text", "other"),
    [("x - (y - 1) = 0", Eq(x - y - 1, 0)), ("x / (y / 2) = 0", Eq(x / y / 2, 0)),
     ("(- x) ^ 2 = 0", Eq(-(x**2), 0)), ("x < y", Le(x, y)), ("x < y", Lt(y, x)),
     ("x * x = 0", Eq(x**3, 0)), ("sqrt (x ^ 2) = 0", Eq(x, 0)), ("erf x = 0", Eq(erf(y), 0))],
)  # fmt: skip
def test_the_reader_tells_one_from_another(text, other):
    assert coq_goal_to_tuples(text) != _TupleConverter({x: "x", y: "y"})(other)


@pytest.mark.parametrize("text", ["x +", "(x = 1", "x = 1)", "x ? y", "fun x = 1", "x ^ y = 1"])
def test_malformed_text_is_refused(text):
    with pytest.raises(CoqGoalMismatchError):
        coq_goal_to_tuples(text)


@thorough_only
def test_goals_are_read_back(goals):
    assert len(goals) > 100
    for goal in goals:
        require_goal_states_step(goal)


def _altered(text, rng):
    """The text with another number, sign, relation or function, somewhere in the last line."""
    *above, last = text.split("\n")
    places = list(re.finditer(r"\b\d+\b|<=|<(?![=>-])|\+|\bsqrt\b|\berf\b|\bexp\b", last))
    if not places:
        return None
    place = rng.choice(places)
    other = {"<=": "<", "<": "<=", "+": "*", "sqrt": "exp", "erf": "exp", "exp": "erf"}
    new = other.get(place[0]) or str(int(place[0]) + 1)
    return "\n".join([*above, last[: place.start()] + new + last[place.end() :]])


@thorough_only
def test_altered_goals_are_refused(goals):
    rng, tried = random.Random(22), 0
    for goal in goals:
        whole = goal.text
        altered = _altered(whole, rng)
        if altered is None:
            continue
        tried += 1
        goal.text = altered
        try:
            with pytest.raises(CoqGoalMismatchError):
                require_goal_states_step(goal)
        finally:
            goal.text = whole
    assert tried > 100


def test_a_premise_that_the_step_does_not_have_is_refused(goals):
    for goal in goals[:60]:
        whole = goal.text
        head, _, rest = whole.partition(",\n") if whole.startswith("forall") else ("", "", whole)
        goal.text = f"{head},\n 0 < 0 -> {rest}" if head else f"0 < 0 -> {rest}"
        try:
            with pytest.raises(CoqGoalMismatchError, match=r"supposes|implication"):
                require_goal_states_step(goal)
        finally:
            goal.text = whole


def test_claims_say_what_they_say_with_declarations_and_hypotheses(ledger):
    exporter, seen = CoqGoalBuilder(ledger.find), 0
    for id in ("lemma-16", "lemma-17-iii", "planar-step-slope", "step-size-room", "proposition-9"):
        text, printer = exporter.statement_and_printer(id)
        require_coq_text_states_claim(text, ledger.find(id), printer.names)
        lines = text.split("\n")
        for k in range(1, len(lines) - 1):
            without = "\n".join(lines[:k] + lines[k + 1 :])
            seen += 1
            with pytest.raises(CoqGoalMismatchError):
                require_coq_text_states_claim(without, ledger.find(id), printer.names)
    assert seen > 10

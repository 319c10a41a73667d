"""Long factors: which they are, which are multiples of others, and what their signs say."""

from __future__ import annotations

import pytest
from sympy import (
    Abs,
    Eq,
    Gt,
    IndexedBase,
    Integral,
    Le,
    Lt,
    Rational,
    Sum,
    Symbol,
    cos,
    erf,
    exp,
    log,
    pi,
    sin,
    sqrt,
    symbols,
)

from slrsym.checker import Rejected
from slrsym.checker.term import canonical_key, definedness_equation, is_same_term
from slrsym.gaussian import erf_prime, erf_second
from slrsym.prover.tactics.subterm_generalisation import (
    _common_summands,
    _comparison_with_one,
    _equates_same_function,
    _FactorSymbols,
    _long_factors,
    _prove_by_equal_arguments,
    _prove_from_signs_of_factors,
    _prove_sum_defined,
    _prove_with_symbols_for_factors,
)
from slrsym.prover.tactics.translation import Translator
from tests.prover.tactics._shown import emitter_and_context

x, y, z = symbols("x y z", real=True)
p, q = symbols("p q", positive=True)
i = Symbol("i", integer=True)
N = Symbol("N", integer=True, positive=True)
v = IndexedBase("v", real=True)


def formula(statement):
    return Translator().formula(statement)


def term(expr):
    return Translator().term(expr)


def equal(left, right):
    return formula(Eq(left, right, evaluate=False))


# -- equal values of one function -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("statement", "is_so"),
    [
        (equal(exp(x), exp(y)), True),
        (equal(sqrt(p), sqrt(q)), True),
        (equal(sqrt(p), p ** Rational(1, 3)), False),
        (equal(sqrt(p), p ** Rational(3, 2)), False),
        (equal(sin(x), cos(x)), False),
        (equal(Abs(x), Abs(y)), False),
        (equal(x + y, x), False),
        (formula(Le(exp(x), exp(y))), False),
    ],
)
def test_equations_of_one_function(statement, is_so):
    assert _equates_same_function(statement) == is_so


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (exp((x + y) ** 2), exp(x**2 + 2 * x * y + y**2)),
        (sqrt((x + y) ** 2 + 1), sqrt(x**2 + 2 * x * y + y**2 + 1)),
        (log(1 + (x + y) ** 2), log(x**2 + 2 * x * y + y**2 + 1)),
    ],
)
def test_equal_arguments_have_equal_values(left, right):
    emitter, context = emitter_and_context()
    wanted = equal(left, right)
    found = _prove_by_equal_arguments(emitter, wanted, context).theorem
    assert is_same_term(found.conclusion, wanted)
    assert not found.hypotheses


@pytest.mark.parametrize(
    ("left", "right", "said"),
    [
        (exp(x), exp(y), "the arguments are not known to be equal"),
        (exp(x), exp(x), "whether it is defined is asked"),
        (log(x * (x + y)), log(x**2 + x * y), "neither is known to be defined"),
    ],
)
def test_why_values_are_not_known_to_be_equal(left, right, said):
    emitter, context = emitter_and_context()
    with pytest.raises(Rejected, match=said):
        _prove_by_equal_arguments(emitter, equal(left, right), context)


# -- factors --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("factor", "known", "multiple"),
    [
        (exp(-(x**2)), erf_prime(x), sqrt(pi) / 2),
        (erf_prime(x), exp(-(x**2)), 2 / sqrt(pi)),
        (erf_second(x), erf_prime(x), -2 * x),
        (erf_second(x), exp(-(x**2)), -4 * x / sqrt(pi)),
        (erf(x - y), erf(y - x), -1),
        (exp((x + y) ** 2), exp(x**2 + 2 * x * y + y**2), 1),
        (exp(x), exp(2 * x), None),
        (erf_prime(x), erf_second(x), None),
    ],
)
def test_factors_that_are_multiples_of_others(factor, known, multiple):
    emitter, context = emitter_and_context()
    words = _FactorSymbols(emitter, context, frozenset(), True, set())
    assert words._as_multiple(term(known)) is None
    # A factor is no multiple of itself.
    assert words._as_multiple(term(known)) is None
    found = words._as_multiple(term(factor))
    if multiple is None:
        assert found is None
        assert emitter.factors == [term(known), term(factor)]
        return
    assert emitter.factors == [term(known)]
    word, line = found
    (s,) = words.values
    assert words.values[s] == term(known)
    assert is_same_term(word, term(multiple * Symbol(s[1], real=True)))
    assert line.theorem.conclusion[1] == term(factor)


def parts(expr, **options):
    """Return the long factors of a term."""
    return [t for _, t in _long_factors(term(expr), **options)]


# A value and a sum that are long, and a sum that is at least 1.
A = exp(-(x**2) / (p + 1) + sin(x) * cos(p) / (x**2 + 3))
S = x**2 / (p + 1) + sin(x) * cos(p) / (x**2 + 3) + 17 * p
R = 1 + x**2 / (p + 1) + exp(x) * sqrt(p) / (x**2 + 3) + 17 * p * sqrt(x**2 + 5)


@pytest.mark.parametrize(
    ("expr", "sums", "no_sums"),
    [
        (x + y, [], []),
        (A, [A], [A]),
        (2 * A + x, [A], [A]),
        (x * S, [S], []),
        (3 * S, [], []),
        (S**2, [S], []),
        (Abs(x * S), [S], []),
        (x * A * S, [A, S], [A]),
    ],
)
def test_long_factors(expr, sums, no_sums):
    for found, wanted in ((parts(expr), sums), (parts(expr, sums=False), no_sums)):
        assert sorted(map(canonical_key, found)) == sorted(canonical_key(term(t)) for t in wanted)


def test_paths_lead_to_long_factors():
    t = term(x * A * S + Abs(A))
    for path, factor in _long_factors(t):
        part = t
        for place in path:
            part = part[place]
        assert part == factor


def test_factors_inside_of_binders():
    within = A * v[i] + v[i] + sqrt(v[i] ** 2 + x**2 + sin(v[i]) * cos(p) + q / (p**2 + 3) + 5)
    for whole in (Sum(within, (i, 1, N)), Integral(A * z + x * z, (z, 0, 1))):
        assert parts(whole) == [term(whole)]
    assert parts(Sum(within, (i, 1, N)), sums=False) == [term(A)]
    assert parts(Integral(A * z + x * z, (z, 0, 1)), sums=False) == [
        term(Integral(A * z + x * z, (z, 0, 1)))
    ]


def test_common_summands_are_whole_factors():
    statement = formula(Le(S * x + A, S * x + y))
    common = _common_summands(statement)
    assert common == {canonical_key(term(S * x))}
    found = [t for _, t in _long_factors(statement, common=common)]
    assert found == [term(S * x), term(A), term(S * x)]


# -- definedness and signs ------------------------------------------------------------------------


def test_a_sum_is_defined_if_facts_contain_its_summands():
    emitter, context = emitter_and_context()
    lines = [emitter.script.add("assume", (), formula(Gt(t, 0))) for t in (log(x), log(y))]
    found = _prove_sum_defined(emitter, term(log(x) + log(y)), lines, context)
    assert found.theorem.conclusion == definedness_equation(term(log(x) + log(y)))
    with pytest.raises(Rejected, match="no known theorem contains a summand"):
        _prove_sum_defined(emitter, term(log(x) + log(y) + z), lines, context)


@pytest.mark.parametrize(
    ("like", "relation"),
    [(sqrt(p + 1), "above"), (sqrt(p) / 2, "below"), (Integral(z, (z, 0, 1)), None)],
)
def test_comparisons_with_one(like, relation):
    t, one = term(x), term(1)
    if relation is None:
        with pytest.raises(Rejected, match="it has no value there"):
            _comparison_with_one(t, term(like))
        return
    wanted = ("<=", one, t) if relation == "above" else ("<=", t, one)
    assert _comparison_with_one(t, term(like)) == wanted


@pytest.mark.parametrize(
    ("statement", "is_shown"),
    [
        (Le(q * A, (q + 1) * A), True),
        (Le(-q * A, A, evaluate=False), True),
        (Le(q * A, (q - 1) * A), False),
        (Le(q, q * sqrt(R)), True),
        (Le(q * (1 / sqrt(R)), q), True),
        (Lt(q * (1 / sqrt(R)), q), False),
        (Eq(q * A, A * q, evaluate=False), False),
    ],
)
def test_inequalities_from_signs_of_factors(statement, is_shown):
    emitter, context = emitter_and_context()
    p = formula(statement)
    if not is_shown:
        with pytest.raises(Rejected):
            _prove_from_signs_of_factors(emitter, p, (), context)
        return
    found = _prove_from_signs_of_factors(emitter, p, (), context).theorem
    assert is_same_term(found.conclusion, p)
    assert not found.hypotheses


@pytest.mark.parametrize(
    ("left", "right", "given", "is_shown"),
    [
        (x * A * erf_prime(S), x * A * 2 / sqrt(pi) * exp(-(S**2)), (), True),
        (x * A * S + y * S, S * (x * A + y), (), True),
        (A * S, y * S, (Eq(A, y),), True),
        (A * S, y * S, (Eq(A, z),), False),
    ],
)
def test_equations_of_long_factors(left, right, given, is_shown):
    emitter, context = emitter_and_context(*given)
    wanted, given = equal(left, right), emitter.hypotheses(context)

    def prove():
        return _prove_with_symbols_for_factors(False, emitter, wanted, given, context).theorem

    if not is_shown:
        with pytest.raises(Rejected):
            prove()
        return
    assert is_same_term(prove().conclusion, wanted)
    with pytest.raises(Rejected, match="arithmetic is tried first"):
        _prove_with_symbols_for_factors(True, emitter, wanted, given, context)

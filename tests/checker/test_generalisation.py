"""Evidence for what holds of any numbers: found with symbols for long factors, and not without."""

from __future__ import annotations

import pytest
import sympy as sp

from slrsym.gaussian import OwensT, erf_prime, erf_second, zeta
from slrsym.proof import Claim, algebra, chain, lemma, sign
from slrsym.prover.tactics import emission, subterm_generalisation
from slrsym.prover.tactics.arithmetic import EVIDENCE_CACHE
from slrsym.prover.tactics.numerical_values import (
    are_surely_different,
    are_values_close,
    value_at_pseudorandom_point,
)
from slrsym.prover.tactics.proof_log import emit_records
from slrsym.prover.tactics.translation import Translator
from tests._profile import thorough, thorough_only

x, y, z, u, v = sp.symbols("x y z u v", real=True)
a, b = sp.symbols("a b", positive=True)
long = sp.erf(x * y + 1) ** 2 * sp.exp(-(x**2)) / sp.sqrt(1 + x**2 * y**2) + sp.atan(x + y) ** 3


def one_step(statement, by, given=(), find=None, patience=0.1):
    """The axioms of a claim of one step."""
    claim = Claim("a-step", statement, "nowhere", hypotheses=list(given))
    sides = {sp.Eq: "then", sp.Le: "le", sp.Ge: "ge", sp.Lt: "lt", sp.Gt: "gt"}

    def proof(goal):
        return getattr(chain(goal.lhs), sides[type(goal)])(goal.rhs, by=by)

    claim.proof(proof)
    known = {"a-step": claim} | (find or {})
    *_, (record, _) = emit_records(["a-step"], known.__getitem__, patience=patience)
    return record["axioms"]


@pytest.fixture
def without(monkeypatch):
    every = list(emission.PROVERS)

    def leave_out(*questions):
        left = [ask for ask in every if ask not in questions]
        monkeypatch.setattr(emission, "PROVERS", left)
        EVIDENCE_CACHE.clear()

    return leave_out


def kept_apart():
    """|f(x) - x| of a long f, in another order and with other signs than the lemma has it."""
    claim = Claim("apart", sp.Ge(sp.Abs(u) + a, sp.Abs(v), evaluate=False), "nowhere",
                  hypotheses=[sp.Le(sp.Abs(u - v), a)])  # fmt: skip
    claim.proof(lambda goal: chain(goal.lhs).ge(goal.rhs, by=sign))
    difference = sp.erf(x * y + 1) - sp.atan(x + y) - sp.sqrt(1 + x**2 * y**2)
    f, g = difference * sp.exp(x), sp.expand(-difference) * sp.exp(x)
    return claim, f, g


@thorough_only
def test_a_lemma_at_long_values():
    claim, f, g = kept_apart()
    wanted = sp.Ge(sp.Abs(f * z - 1) + a, sp.Abs(z), evaluate=False)
    supposed = [sp.Le(sp.Abs(g * z + z + 1), a)]
    by = lemma("apart", u=f * z - 1, v=z)
    assert one_step(wanted, by, supposed, {"apart": claim}, patience=1) == []


# The other case; sums without functions of them.
@pytest.mark.parametrize(
    ("statement", "given"),
    [
        # The signs of two factors, as is given in other words.
        thorough(
            sp.Ge(
                x**2 * (z - u - (1 - y**2) * (a * u**2 + b * v**2) / (a * b - v**2)) / (1 - y**2)
                + u + (1 - x**2 - y**2) * (z - v**2 / (4 * a) - u - b) / (1 - y**2),
                u, evaluate=False,
            ),
            [
                sp.Ge(z - (1 - y**2) * (a * u**2 + b * v**2) / (a * b - v**2), u),
                sp.Ge(z - v**2 / (4 * a) - b, u),
                a * b - v**2 > 0, x**2 + y**2 <= 1, y > -1, y < 1,
            ],
        ),
        # A power beside 1, times what has a sign.
        (
            sp.Ge((-x * z - 1) / (z**2 * (1 - x**2) + 1) ** sp.Rational(3, 2), -x * z - 1,
                  evaluate=False),
            [x >= -1, x <= 1, z >= -1, z <= 1],
        ),
    ],
)  # fmt: skip
def test_products_by_the_signs_of_their_factors(statement, given, without):
    without(subterm_generalisation._prove_from_signs_of_factors)
    assert one_step(statement, sign, given) == ["unchecked: Sign"]
    without()
    assert one_step(statement, sign, given) == []


def test_roots_of_what_is_equal():
    r = sp.Symbol("r", real=True)
    step = a * (r - r * x**2)
    pair = (x - step) ** 2 + (a * r * x * sp.sqrt(1 - x**2) + sp.sqrt(1 - x**2)) ** 2
    alone = a**2 * r**2 * (1 - x**2) + 1
    statement = sp.Eq((x - step) / sp.sqrt(pair), (x - step) / sp.sqrt(alone), evaluate=False)
    assert one_step(statement, algebra, [x >= -1, x <= 1]) == []


@thorough_only
def test_terms_of_other_values_are_not_tried(monkeypatch):
    asked = []
    shown = emission.ProofEmitter.find_proof_once
    monkeypatch.setattr(
        emission.ProofEmitter, "find_proof_once",
        lambda self, p, context: asked.append(p) or shown(self, p, context),
    )  # fmt: skip
    claim, f, g = kept_apart()
    by = lemma("apart", u=f * z - 1, v=z)
    wanted = sp.Ge(sp.Abs(f * z - 1) + a, sp.Abs(z), evaluate=False)
    one_step(wanted, by, [sp.Le(sp.Abs(g * z + z + 1), a)], {"apart": claim})
    equations = [p for p in asked if p[0] == "=" and p[1] != p[2]]
    assert equations
    assert all(
        are_values_close(value_at_pseudorandom_point(p[1]), value_at_pseudorandom_point(p[2]))
        for p in equations
    )


@pytest.mark.parametrize(
    "expr",
    [long, zeta(x, a), OwensT(x, y), sp.cosh(x) + sp.sinh(y), erf_prime(x), erf_second(x), sp.pi],
)
def test_values_are_those_of_sympy(expr):
    read = Translator().term
    numbers = {s: value_at_pseudorandom_point(read(s)) for s in expr.free_symbols}
    wanted = expr.subs(numbers).evalf(20)
    got = value_at_pseudorandom_point(read(expr))
    if got is not None:
        assert abs(got - float(wanted)) < 1e-12
        assert are_surely_different(read(expr), read(expr + 1))
    assert not are_surely_different(read(expr), read(expr))

"""What a proof may be made of: kinds of proof are the package's, rules of others are named."""

from types import SimpleNamespace

import pytest
from sympy import (
    Eq,
    Equivalent,
    Ge,
    Gt,
    I,
    Integral,
    Le,
    Piecewise,
    Rational,
    S,
    Sum,
    Symbol,
    cos,
    erf,
    exp,
    oo,
    sin,
    true,
)

from slrsym.checker import Theorem
from slrsym.checker.term import num
from slrsym.checker.theorem import apply_rule
from slrsym.gaussian import Expectation, GaussianLaw, NoiseLaw, standard_normal
from slrsym.proof import (
    Chain,
    Claim,
    D,
    Ledger,
    ProofError,
    algebra,
    all_of,
    cases,
    chain,
    check_claim,
    differentiate,
    equal_by_derivative,
    induction,
    inside,
    lemma,
    linearity,
    monotone,
    only_at,
    sign,
    solution,
    solution_set,
    split_product,
    substitution,
    symmetry,
)
from slrsym.prover.rules.axioms import find_axiom
from slrsym.prover.rules.step import Link, Proof, Rule, Step
from tests._profile import thorough_only

x, y = Symbol("x", real=True), Symbol("y", real=True)
positive = Symbol("p", positive=True)
n = Symbol("n", integer=True, nonnegative=True)
G = Symbol("G", real=True)


def verdict(statement, proof, given=()):
    claim = Claim("it", statement, "test", hypotheses=given)
    claim.proof(lambda goal: proof)
    ledger = Ledger({"it": claim})
    return check_claim(claim, ledger.find)


def true_relation(lhs, rhs):
    return Eq(lhs, rhs, evaluate=False)


# -- proofs ------------------------------------------------------------------------------------


@pytest.mark.parametrize("base", [Proof, Chain])
def test_a_new_kind_of_proof_is_refused(base):
    with pytest.raises(ProofError, match="Longer: a new kind of proof"):

        class Longer(base):
            pass


fake = SimpleNamespace(conclusion=Ge(x, 0), steps=lambda context, label="": ())


@pytest.mark.parametrize(
    "build",
    [
        lambda: all_of(fake),
        lambda: cases(Ge(x, 0), (Ge(x, 0), fake), (Le(x, 0), fake)),
        lambda: equal_by_derivative(Eq(x, y), x, at=0, value=fake, derivative=algebra),
        lambda: equal_by_derivative(Eq(x, y), x, at=0, value=algebra, derivative=fake),
        lambda: induction(Eq(n, n + 1, evaluate=False), n, base=fake, step=lambda h: h),
        lambda: induction(Eq(n, n + 1, evaluate=False), n, base=algebra, step=lambda h: fake),
        lambda: monotone(x, x, 0, 1, derivative=fake),
    ],
    ids=["all_of", "cases", "value", "derivative", "base", "step", "monotone"],
)
def test_what_only_looks_like_a_proof_is_refused(build):
    with pytest.raises(ProofError, match="must be a proof; got namespace"):
        build()


def test_a_claim_takes_no_lookalike():
    assert "which is no proof" in verdict(Ge(x, 0), fake).failure


# -- rules -------------------------------------------------------------------------------------

lookalike = SimpleNamespace(
    name="anything", check=lambda *_: None, axioms=lambda _: (), uses=lambda _: ()
)


class Anything(Rule):
    name = "anything goes"

    def check(self, link, context):
        pass


class More(Anything):
    pass


def test_what_only_looks_like_a_rule_is_refused():
    with pytest.raises(ProofError, match="no rule"):
        Step("1", true, lookalike, Link(x, "=", x), None)
    with pytest.raises(ProofError, match="by must be a rule"):
        chain(x).then(y, by=lookalike)
    with pytest.raises(ProofError, match="by must be a rule"):
        inside(lookalike)
    link = Link(x, "=", y)
    links = Chain(x, ((link, SimpleNamespace(premises=lambda *_: (), **vars(lookalike))),))
    assert "no rule" in verdict(link.statement, links).failure


@pytest.mark.parametrize("rule", [Anything, More])
def test_a_rule_from_outside_is_named_among_the_axioms(rule):
    double = chain(sin(x) ** 2).then(1 - cos(x) ** 2, by=rule())
    found = verdict(true_relation(sin(x) ** 2, 1 - cos(x) ** 2), double)
    assert found.accepted
    (name,) = {a for a in found.axioms if rule.__name__ in a}
    assert find_axiom(name).statement.startswith("Whatever the rule")
    inner = verdict(
        true_relation(Expectation(G + x, standard_normal(G)), x),
        chain(Expectation(G + x, standard_normal(G)))
        .then(Expectation(x + G, standard_normal(G)), by=inside(rule()))
        .then(x, by=rule()),
    )
    assert name in inner.axioms


def test_the_rules_of_the_package_name_no_such_axiom():
    square = chain((x + 1) ** 2).then(x**2 + 2 * x + 1, by=algebra)
    found = verdict(true_relation((x + 1) ** 2, x**2 + 2 * x + 1), square)
    assert found.accepted
    assert found.axioms == ()


def test_the_numerical_check_does_not_trust_a_rule_from_outside():
    found = verdict(true_relation(sin(x), x), chain(sin(x)).then(x, by=Anything()))
    assert not found.accepted
    assert found.failure.startswith("step 1 [anything goes] is refused: contradicted numerically")


# -- premises ----------------------------------------------------------------------------------


def slope(of, variable):
    return chain(D(of, variable)).then(of.diff(variable), by=differentiate)


def test_the_premise_of_a_rule_inside_an_expectation_is_checked():
    v = Symbol("v", real=True)
    low, high = Expectation(exp(G), standard_normal(G)), Expectation(exp(G + 1), standard_normal(G))
    rule = monotone(exp(v), v, G, G + 1, derivative=slope(exp(v), v).le(0, by=sign))
    found = verdict(Ge(low, high, evaluate=False), chain(low).ge(high, by=inside(rule)))
    assert any(r.label == "1.derivative.2" and r.refusal for r in found.reports)


def test_a_rule_inside_an_expectation_needs_two_of_one_law():
    mean = Expectation(G**2, standard_normal(G))
    other = Expectation(G**2, NoiseLaw(G, 1))
    for left, right in ((mean, S.One), (S.One, mean), (mean, other)):
        found = verdict(true_relation(left, right), chain(left).then(right, by=inside(algebra)))
        assert "the two sides are not expectations under the same law" in found.failure


def test_monotonicity_stays_in_the_domain_of_its_variable():
    rule = monotone(
        positive**3 / 3, positive, -1, 1, derivative=slope(positive**3 / 3, positive).ge(0, by=sign)
    )
    found = verdict(
        Le(-Rational(1, 3), Rational(1, 3), evaluate=False),
        chain(-Rational(1, 3)).le(Rational(1, 3), by=rule),
    )
    assert "0 < -1 is not shown" in found.failure


@pytest.mark.parametrize("declared", [{"integer": True}, {"rational": True}, {"nonzero": True}])
def test_an_argument_by_derivative_needs_an_interval(declared):
    q = Symbol("q", real=True, **declared)
    rule = monotone(x + q, q, -1, 1, derivative=slope(x + q, q).ge(0, by=sign))
    found = verdict(Le(x - 1, x + 1, evaluate=False), chain(x - 1).le(x + 1, by=rule))
    assert not found.accepted


# -- verdicts ----------------------------------------------------------------------------------


def test_a_proof_that_leaves_is_refused():
    claim = Claim("it", true_relation(x, x), "test")

    @claim.proof
    def _(goal):
        raise SystemExit(0)

    found = check_claim(claim, Ledger({"it": claim}).find)
    assert not found.accepted
    assert found.failure == "SystemExit: 0"


def test_noise_has_two_moments_only():
    noise = Symbol("N", real=True)
    law = NoiseLaw(noise, 1)
    for integrand in (exp(noise), noise**3, sin(noise)):
        node = Expectation(integrand + G * 0 + 1, law)
        split = 1 + Expectation(integrand, law)
        found = verdict(true_relation(node, split), chain(node).then(split, by=linearity))
        assert (
            f"the existence of {Expectation(integrand, law)} is not shown"
            == found.reports[0].refusal
        )
    node, split = Expectation(noise**2 + 1, law), 1 + Expectation(noise**2, law)
    assert verdict(true_relation(node, split), chain(node).then(split, by=linearity)).accepted


def test_a_single_solution():
    goal = Equivalent(Eq(2 * x - 6, 0), Eq(x, 3), evaluate=False)
    tree = split_product(2 * x - 6, only_at(2 * x - 6, x, 3, solution()))
    assert verdict(goal, solution_set(goal, [x], tree)).accepted


@pytest.mark.parametrize(
    ("integrand", "ends", "given"),
    [
        # It has no integral, though its derivative in y has one.
        (y * exp(-(x**2)) + 1, (-oo, oo), ()),
        # It has a pole at x = -y, whatever a hypothesis says of another x.
        (1 / (x + positive), (-9, 9), (Ge(x, 0),)),
        (1 / (x + positive), (-9, 9), ()),
    ],
)
def test_an_integral_that_may_not_exist_is_not_differentiated(integrand, ends, given):
    node = Integral(integrand, (x, *ends))
    variable = y if integrand.has(y) else positive
    goal = Eq(D(node, variable), node.diff(variable), evaluate=False)
    found = verdict(goal, chain(goal.lhs).then(goal.rhs, by=differentiate), given)
    assert found.reports[0].refusal


def test_an_integral_that_exists_is_differentiated():
    for node, variable in (
        (Integral(y * exp(-(x**2)), (x, -oo, oo)), y),
        (Integral(1 / (x**2 + positive), (x, S.Zero, S.One)), positive),
    ):
        goal = Eq(D(node, variable), node.diff(variable), evaluate=False)
        assert verdict(goal, chain(goal.lhs).then(goal.rhs, by=differentiate)).accepted


@thorough_only
def test_a_step_function_is_no_affine_form():
    # It has slope 0 wherever it has one, and jumps where no quadrature looks.
    jump = Piecewise((1, G > 50), (2, true))
    law = GaussianLaw({x: 2}, [[0]])
    goal = true_relation(Expectation(x, law), Expectation(jump, standard_normal(G)))
    step = substitution({x: jump}, standard_normal(G))
    found = verdict(goal, chain(goal.lhs).then(goal.rhs, by=step))
    assert "no words for it: a term of the kind Piecewise" in found.reports[0].refusal


def test_inequalities_of_expectations_that_may_not_exist():
    noise = Symbol("N", real=True)
    law = NoiseLaw(noise, 1)
    fourth = Expectation(noise**4, law)
    found = verdict(Gt(fourth + 1, fourth, evaluate=False), chain(fourth + 1).gt(fourth, by=sign))
    assert found.reports[0].refusal == "the existence of E[N**4] is not shown"
    square = Claim("square", Ge(Expectation(x**2, standard_normal(x)), 0), "test")
    square.proof(lambda goal: chain(goal.lhs).ge(0, by=sign))
    big = fourth + Expectation(x**2, standard_normal(x))
    goal = Ge(big, fourth, evaluate=False)
    claim = Claim("it", goal, "test")
    claim.proof(lambda goal: chain(big).ge(fourth, by=lemma("square")))
    found = check_claim(claim, Ledger({"it": claim, "square": square}).find)
    assert found.reports[0].refusal == "the existence of E[N**4] is not shown"


def test_a_bounded_function_is_bounded_on_the_line_only():
    node = Expectation(erf(G + 2 * I * G), standard_normal(G))
    goal = true_relation(node, S.Zero)
    with pytest.raises(ProofError, match="I is not real; statements are about real numbers"):
        verdict(goal, chain(node).then(S.Zero, by=symmetry(G)))


def test_an_infinity_beside_an_integral_is_no_end_of_it():
    # Both sums diverge; the integral has nothing to do with them.
    k = Symbol("k", integer=True, positive=True)
    node = Integral(x, (x, S.Zero, S.One))
    left = Sum(y * 2**k, (k, 1, oo)) + node
    right = y * Sum(2**k, (k, 1, oo)) + node
    found = verdict(true_relation(left, right), chain(left).then(right, by=algebra))
    assert "an end of sum is no term" in found.reports[0].refusal


# -- what a dishonest file would change --------------------------------------------------------


def _claim():
    claim = Claim("dishonest", Ge(x**2, 0, evaluate=False), "test")
    claim.proof(lambda goal: chain(x**2).ge(0, by=sign))
    return claim


def _link():
    return _claim().build_proof().links[0][0]


TAMPERED = {
    "a rule": lambda: setattr(algebra, "check", lambda *_: None),
    "the name of a rule": lambda: setattr(sign, "name", "algebra"),
    "a statement": lambda: setattr(_claim(), "statement", Eq(x, x + 1, evaluate=False)),
    "the id of a claim": lambda: setattr(_claim(), "id", "theorem-5"),
    "the hypotheses of a claim": lambda: setattr(_claim(), "hypotheses", (Gt(0, 1),)),
    "a link": lambda: setattr(_link(), "rhs", S.One),
    "the links of a chain": lambda: setattr(_claim().build_proof(), "links", ()),
    "a chain that is appended to": lambda: _claim().build_proof().links.append(_link()),
    "a link of a chain": lambda: _claim().build_proof().links.__setitem__(0, None),
    "an axiom": lambda: setattr(find_axiom("fubini"), "statement", "anything goes"),
    "a theorem": lambda: setattr(apply_rule("assume", [], ("<", num(1), num(0))), "hypotheses", {}),
    "the hypotheses of a theorem": lambda: apply_rule(
        "assume", [], ("<", num(1), num(0))
    ).hypotheses.clear(),
    "a theorem of one's own": lambda: Theorem(object(), (), ("<", num(1), num(0)), ()),
}


@pytest.mark.parametrize("change", TAMPERED.values(), ids=TAMPERED)
def test_what_a_file_cannot_change(change):
    with pytest.raises((AttributeError, TypeError)):
        change()

"""Proofs whose parts do not fit: by derivative, cases, induction, solution sets, chains."""

from sympy import Abs, And, Eq, Equivalent, Ge, Gt, Lt, Ne, Or, Symbol, erf, sqrt, symbols

from slrsym.gaussian import Expectation, erf_prime, standard_normal
from slrsym.proof import (
    D,
    algebra,
    all_of,
    cases,
    chain,
    claimed,
    differentiate,
    differentiate_under_expectation,
    equal_by_derivative,
    induction,
    lemma,
    never,
    only_at,
    sign,
    solution,
    solution_set,
    split,
    symmetry,
)

from ._claims import Table, relation

table = Table()
wrong, right = table.wrong, table.right

x, y, t, g = symbols("x y t g", real=True)
G = Symbol("G", real=True)
p = Symbol("p", positive=True)
w = Symbol("w", nonnegative=True)
nz = Symbol("nz", nonzero=True, real=True)
k = Symbol("k", integer=True)
n = Symbol("n", integer=True, nonnegative=True)
m = Symbol("m", integer=True, positive=True)
A = sqrt(1 + 2 * g**2)


def eq(lhs, rhs):
    return relation(lhs, "=", rhs)


def _Ge(lhs, rhs):
    return relation(lhs, ">=", rhs)


def _Gt(lhs, rhs):
    return relation(lhs, ">", rhs)


def _Le(lhs, rhs):
    return relation(lhs, "<=", rhs)


def E(expr):
    return Expectation(expr, standard_normal(G))


# -- by derivative and one value ---------------------------------------------------------------

u = t + g * G


def erf_mean(goal, **parts):
    good = {
        "at": 0,
        "value": symmetry(G),
        "derivative": chain(D(goal.lhs, t))
        .then(E(erf_prime(u)), by=differentiate_under_expectation)
        .then(erf_prime(t / A) / A, by=lemma("lemma-18-i", gamma=g))
        .then(D(goal.rhs, t), by=differentiate),
    }
    return equal_by_derivative(goal, t, **{**good, **parts})


goal = eq(E(erf(u)), erf(t / A))
right("by derivative: Lemma 18 (ii)", goal, erf_mean(goal))
other = eq(E(erf(u)), erf(t / A) + 1)
wrong("by derivative: a constant off", other, erf_mean(other), "value.1")
other = eq(E(erf(u)), erf(t / A**2))
wrong("by derivative: another argument", other, erf_mean(other), "derivative.3")
short = chain(D(goal.lhs, t)).then(E(erf_prime(u)), by=differentiate_under_expectation)
wrong(
    "by derivative: not the whole way",
    goal,
    erf_mean(goal, derivative=short),
    "conclusion",
    by="rule",
)
wrong(
    "by derivative: value of another statement",
    goal,
    erf_mean(goal, value=chain(x).then(x, by=algebra)),
    "conclusion",
    by="rule",
)
wrong("by derivative: the value at another point", goal, erf_mean(goal, at=1), "value.1", by="rule")

slopes = chain(D(nz / Abs(nz), nz)).then(D(1, nz), by=differentiate)
step_goal = eq(nz / Abs(nz), 1)
wrong(
    "by derivative: across a hole",
    step_goal,
    equal_by_derivative(step_goal, nz, at=1, value=algebra, derivative=slopes),
    "conclusion",
)
ratio = eq((p * y + p) / p, y + 1)


def at_point(point):
    return equal_by_derivative(ratio, p, at=point, value=algebra, derivative=differentiate)


right("by derivative: from a point of the domain", ratio, at_point(1))
outside = "by derivative: from a point outside of the domain"
wrong(outside, ratio, at_point(-1), "conclusion", by="rule", said="p is positive")
wrong("by derivative: from the end that is left out", ratio, at_point(0), "value.1", by="rule")
ladder = eq(k**2 - k, 0)
wrong(
    "by derivative: in an integer",
    ladder,
    equal_by_derivative(ladder, k, at=0, value=algebra, derivative=differentiate),
    "derivative.1",
    by="both",
)
kink = eq(Abs(t), t)
wrong(
    "by derivative: over a kink",
    kink,
    equal_by_derivative(kink, t, at=1, value=algebra, derivative=differentiate),
    "derivative.1",
    by="both",
)
moving = eq(x * y, y**2)
wrong(
    "by derivative: from a point that moves with it",
    moving,
    equal_by_derivative(moving, x, at=x, value=algebra, derivative=differentiate),
    "value.1",
)

# -- cases -------------------------------------------------------------------------------------

positive = chain(Abs(x)).then(x, by=algebra).ge(x, by=sign)
bound = Ge(Abs(x), x)


def trivial(goal):
    return chain(goal.lhs).ge(goal.rhs, by=sign)


above = chain(Abs(x)).ge(x, by=algebra)
square = _Ge(x**2 + 1, 1)
by_sign = chain(x**2 + 1).ge(1, by=sign)
right("cases: both signs", square, cases(square, (Ge(x, 0), by_sign), (Lt(x, 0), by_sign)))
right(
    "cases: three",
    square,
    cases(
        square,
        (Gt(x, 0), by_sign),
        (Eq(x, 0), chain(1 + 0 * x).ge(1, by=sign)),
        (Lt(x, 0), by_sign),
    ),
)
wrong(
    "cases: zero is left out",
    square,
    cases(square, (Gt(x, 0), by_sign), (Lt(x, 0), by_sign)),
    "conclusion",
    by="rule",
)
wrong(
    "cases: one half is left out",
    square,
    cases(square, (Ge(x, 0), by_sign)),
    "conclusion",
    by="rule",
)
wrong(
    "cases: about different things",
    square,
    cases(square, (Ge(x, 0), by_sign), (Lt(y, 0), by_sign)),
    "conclusion",
    by="rule",
)
wrong(
    "cases: about different bounds",
    square,
    cases(square, (Ge(x, 1), by_sign), (Lt(x, 0), by_sign)),
    "conclusion",
    by="rule",
)
identity = _Ge(x, 0)
own = chain(x).ge(0, by=sign)
wrong(
    "cases: false in one of them",
    identity,
    cases(identity, (Ge(x, 0), own), (Lt(x, 0), own)),
    "case 2.1",
)
wrong(
    "cases: a proof of something else",
    square,
    cases(square, (Ge(x, 0), chain(x).ge(0, by=sign)), (Lt(x, 0), by_sign)),
    "case 1.conclusion",
    by="rule",
)
wrong(
    "cases: a case used in the other",
    identity,
    cases(identity, (Ge(x, 0), own), (Lt(x, 0), chain(-x).gt(0, by=sign))),
    "case 2.conclusion",
)

# -- induction ---------------------------------------------------------------------------------


i = Symbol("i", integer=True)
power = eq(2 ** (n + 1), 2 * 2**n)
doubled = eq(2**n * 2, 2 ** (n + 1))
zero = eq(n * (n + 1) * 0, 0)
even = eq((-1) ** (2 * n), 1)
grow = eq(4**n, 2 ** (2 * n))


def stepped(hypothesis):
    return (
        chain(4 ** (n + 1))
        .then(4 * 4**n, by=algebra)
        .then(4 * 2 ** (2 * n), by=hypothesis)
        .then(2 ** (2 * n + 2), by=algebra)
    )


always = eq(n, 0)
wrong(
    "induction: the step is false",
    always,
    induction(always, n, base=algebra, step=lambda h: chain(n + 1).then(0, by=h)),
    "step.1",
    by="both",
)
one = eq(n, n + 1)
wrong(
    "induction: the base is false",
    one,
    induction(one, n, base=algebra, step=lambda h: chain(n + 1).then(n + 2, by=h)),
    "base.1",
    by="both",
)
poly = eq((n + 1) ** 2 - n**2, 2 * n + 1)
right(
    "induction: true without need",
    poly,
    induction(
        poly,
        n,
        base=algebra,
        step=lambda h: chain((n + 2) ** 2 - (n + 1) ** 2).then(2 * n + 3, by=algebra),
    ),
)
wrong(
    "induction: over the positive integers",
    eq(m, m),
    induction(eq(m, m), m, base=algebra, step=lambda h: algebra),
    "conclusion",
    by="rule",
)
wrong(
    "induction: over all integers",
    eq(k, k),
    induction(eq(k, k), k, base=algebra, step=lambda h: algebra),
    "conclusion",
    by="rule",
)
wrong(
    "induction: a step to elsewhere",
    poly,
    induction(poly, n, base=algebra, step=lambda h: chain(n).then(n, by=algebra)),
    "conclusion",
    by="rule",
)


def leaked(goal):
    """The induction hypothesis, smuggled out of its step."""
    rules = []
    induction(goal, n, base=algebra, step=lambda h: rules.append(h) or algebra)
    return rules[0]


wrong(
    "induction: the hypothesis outside of its step",
    always,
    chain(n).then(0, by=leaked(always)),
    "1",
    by="both",
)
wrong(
    "induction: the hypothesis of another goal",
    one,
    induction(one, n, base=algebra, step=lambda h: chain(n + 1).then(n + 2, by=leaked(one))),
    "base.1",
)

# -- solution sets -----------------------------------------------------------------------------

corner = Equivalent(eq((x - 1) * (x + 2), 0), Or(eq(x, 1), eq(x, -2)))


def roots(*values):
    return [only_at(x - value, x, value, solution()) for value in values]


product = (x - 1) * (x + 2)
right("solutions: both", corner, solution_set(corner, [x], split(product, *roots(1, -2))))
fewer = Equivalent(eq(product, 0), Or(eq(x, 1), eq(x, 3)))
wrong(
    "solutions: one is not",
    fewer,
    solution_set(fewer, [x], split(product, *roots(1, -2))),
    "solution*",
)
three = Equivalent(eq(product, 0), Or(eq(x, 1), eq(x, -2), eq(x, 0)))
wrong(
    "solutions: one too many",
    three,
    solution_set(three, [x], split(product, *roots(1, -2))),
    "solution*",
)
triple = product * (x - 5)
two_of_three = Equivalent(eq(triple, 0), Or(eq(x, 1), eq(x, -2)))
wrong(
    "solutions: one is missing",
    two_of_three,
    solution_set(two_of_three, [x], split(triple, *roots(1, -2, 5))),
    "conclusion",
    by="rule",
)
wrong(
    "solutions: a factor is missing",
    two_of_three,
    solution_set(two_of_three, [x], split(triple, *roots(1, -2))),
    "case.product",
)
wrong(
    "solutions: a factor called nonzero",
    two_of_three,
    solution_set(two_of_three, [x], split(triple, *roots(1, -2), never(x - 5))),
    "case.3.never",
    by="rule",
)
positive_factor = product * (x**2 + 1)
with_never = Equivalent(eq(positive_factor, 0), Or(eq(x, 1), eq(x, -2)))
right(
    "solutions: a factor that never vanishes",
    with_never,
    solution_set(with_never, [x], split(positive_factor, *roots(1, -2), never(x**2 + 1))),
)
wrong(
    "solutions: the wrong root",
    corner,
    solution_set(corner, [x], split(product, only_at(x - 1, x, 2, solution()), *roots(-2))),
    "case.1.only root",
    by="rule",
)
bent = x**2 - 1
bent_goal = Equivalent(eq(bent, 0), Or(eq(x, 1)))
curved = Equivalent(eq(bent * (x - 1), 0), Or(eq(x, 1), eq(x, 3)))
wrong(
    "solutions: a factor with two roots",
    curved,
    solution_set(curved, [x], split(bent * (x - 1), only_at(bent, x, 1, solution()), *roots(1))),
    "case.1.only root",
    by="rule",
)
wrong(
    "solutions: outside of the domain",
    corner,
    solution_set(corner, [x], split(product, *roots(1, -2))),
    "conclusion",
    by="rule",
    given=(Ge(x, 0),),
)

# -- chains and conclusions --------------------------------------------------------------------

wrong(
    "chain: a weaker conclusion than claimed",
    _Gt(x**2 + 1, 0),
    chain(x**2 + 1).ge(0, by=sign),
    "statement",
    by="rule",
)
right("chain: a stronger one", _Ge(x**2 + 1, 0), chain(x**2 + 1).gt(0, by=sign))
wrong(
    "chain: the other way round",
    _Le(x**2, x**2 + 1),
    chain(x**2).ge(x**2 - 1, by=sign),
    "statement",
    by="rule",
)
right("chain: read from right to left", _Le(x**2, x**2 + 1), chain(x**2 + 1).ge(x**2, by=sign))
wrong(
    "chain: ends elsewhere", eq(x + x, 2 * x + 1), chain(x + x).then(2 * x, by=algebra), "statement"
)
wrong(
    "chain: begins elsewhere",
    eq(x + x + 1, 2 * x),
    chain(x + x).then(2 * x, by=algebra),
    "statement",
)
wrong(
    "chain: an equality from an inequality",
    eq(x**2 + 1, 0),
    chain(x**2 + 1).ge(0, by=sign),
    "statement",
)
wrong("chain: about another variable", _Ge(y, 0), chain(w).ge(0, by=sign), "statement")
impostor = Symbol("w", real=True)
wrong(
    "chain: about a namesake without its assumption",
    _Ge(impostor, 0),
    chain(w).ge(0, by=sign),
    "statement",
)
right("chain: about the variable itself", _Ge(w, 0), chain(w).ge(0, by=sign))
wrong(
    "chain: wrong in the middle",
    eq((x + 1) ** 2, x**2 + 2 * x + 1),
    chain((x + 1) ** 2).then(x**2 + 1, by=algebra).then(x**2 + 2 * x + 1, by=algebra),
    "2",
)
both = And(_Ge(x**2, 0), _Ge(y**2, 0), evaluate=False)
halves = [chain(x**2).ge(0, by=sign), chain(y**2).ge(0, by=sign)]
right("all of: both parts", both, all_of(*halves))
wrong(
    "all of: a part is missing",
    And(_Ge(x**2, 0), _Ge(y, 0), evaluate=False),
    all_of(halves[0], chain(x**2).ge(0, by=sign)),
    "statement",
)
wrong(
    "all of: a part is false",
    And(_Ge(x**2, 0), _Ge(y, 0), evaluate=False),
    all_of(halves[0], chain(y).ge(0, by=sign)),
    "part 2.1",
)
shifted_mean = E(erf(2 * y + g * G))
values = {"t": 2 * y, "gamma": g}
statement = eq(shifted_mean, erf(2 * y / A))
right("a claim: at other values", statement, claimed(statement, "lemma-18-ii", values))
statement = eq(shifted_mean, erf(y / A))
wrong("a claim: not at these", statement, claimed(statement, "lemma-18-ii", values), "1")

# -- hypotheses --------------------------------------------------------------------------------

wrong(
    "hypotheses: they exclude one another",
    eq(x, x + 1),
    chain(x).then(x + 1, by=algebra),
    "1",
    given=(Gt(x, 1), Lt(x, 0)),
)
wrong(
    "hypotheses: ex falso, by sign",
    _Ge(x, 5),
    chain(x).ge(5, by=sign),
    "1",
    given=(Gt(x, 1), Lt(x, 0)),
    by="numbers",
)
wrong("hypotheses: too weak", _Ge(x - 1, 0), chain(x - 1).ge(0, by=sign), "1", given=(Ge(x, 0),))
right("hypotheses: strong enough", _Ge(x - 1, 0), chain(x - 1).ge(0, by=sign), given=(Ge(x, 1),))
wrong(
    "hypotheses: a derivative in a variable that is pinned",
    eq(D(x**2, x), D(x, x)),
    chain(D(x**2, x)).then(D(x, x), by=algebra),
    "1",
    given=(Eq(x, 1),),
    by="rule",
)
pinned = chain(D(x**2, x)).then(2 * x, by=differentiate)
right("hypotheses: a derivative in one that is free", eq(D(x**2, x), 2 * x), pinned)
wrong(
    "hypotheses: nonzero is not positive",
    _Gt(x, 0),
    chain(x).gt(0, by=sign),
    "1",
    given=(Ne(x, 0),),
)

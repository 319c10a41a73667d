"""Proofs whose parts are right, or look so, and do not fit together."""

from sympy import (
    Abs,
    And,
    Eq,
    Equivalent,
    Ge,
    Gt,
    Implies,
    Le,
    Lt,
    Ne,
    Not,
    Or,
    Symbol,
    cos,
    erf,
    exp,
    sin,
    sqrt,
    symbols,
)

from slrsym.gaussian import Expectation, standard_normal
from slrsym.proof import (
    D,
    algebra,
    all_of,
    by_claim,
    cases,
    differentiate,
    equal_by_derivative,
    induction,
    never,
    only_at,
    sign,
    solution,
    solution_set,
    split_product,
)

from ._entries import Theme, known_by, link, says

theme = Theme()
step, holds, wrong, right = theme.step, theme.holds, theme.wrong, theme.right

x, y, t = symbols("x y t", real=True)
p = Symbol("p", positive=True)
w = Symbol("w", nonnegative=True)
hole = Symbol("h", real=True, nonzero=True)
k = Symbol("k", integer=True)
n = Symbol("n", integer=True, nonnegative=True)
m = Symbol("m", integer=True, positive=True)

# The formatter would give each argument of an entry its own line.
# fmt: off

# -- by derivative and one value ---------------------------------------------------------------


def by_slope(goal, variable=t, at=0, value=algebra, derivative=differentiate):
    return equal_by_derivative(goal, variable, at=at, value=value, derivative=derivative)


addition = says(sin(t + x), "=", sin(t) * cos(x) + cos(t) * sin(x))
right("by derivative", addition, by_slope(addition))
goal = says(sin(t + x), "=", sin(t) * cos(x) - cos(t) * sin(x))
wrong("by derivative: the value is wrong", goal, by_slope(goal), "value.1")
goal = says(exp(2 * t), "=", 1 + 2 * t)
wrong("by derivative: the derivative is wrong", goal, by_slope(goal), "derivative.1")
goal = says(t**2, "=", t**2 + 1)
wrong("by derivative: equal slopes are not enough", goal, by_slope(goal), "value.1")
goal = says(sin(t), "=", t)
wrong("by derivative: an equal value is not enough", goal, by_slope(goal), "derivative.1")
wrong("by derivative: the value of another function", goal,
      by_slope(goal, value=link(x, "=", x, algebra),
               derivative=link(D(sin(t), t), "=", cos(t), differentiate)), "conclusion")
wrong("by derivative: the slope in another variable", addition,
      by_slope(addition,
               derivative=link(D(addition.lhs, x), "=", D(addition.rhs, x), differentiate)),
      "conclusion", checks="rule")
wrong("by derivative: a slope that stops short", addition,
      by_slope(addition, derivative=link(D(addition.lhs, t), "=", cos(t + x), differentiate)),
      "conclusion", checks="rule")
sign_of = says(hole / Abs(hole), "=", 1)
wrong("by derivative: over a hole", sign_of,
      by_slope(sign_of, hole, 1,
               derivative=link(D(hole / Abs(hole), hole), "=", D(1, hole), differentiate)),
      "conclusion")
ratio = says((p * x + p) / p, "=", x + 1)
right("by derivative: at a point of the domain", ratio, by_slope(ratio, p, 2))
wrong("by derivative: at a point outside", ratio, by_slope(ratio, p, -2), "conclusion",
      checks="rule")
goal = says(x**2, "=", x**2)
wrong("by derivative: under a hypothesis that leaves two pieces", goal, by_slope(goal, x, 2),
      "conclusion", given=(x**2 > 1,), checks="rule")
right("by derivative: under one that leaves an interval", says(x**2 + x, "=", x * (x + 1)),
      by_slope(says(x**2 + x, "=", x * (x + 1)), x, 2), given=(x > 1,))
wrong("by derivative: at a point that the hypothesis excludes", goal, by_slope(goal, x, 0),
      "conclusion", given=(x > 1,), checks="rule")
goal = says(k * (k - 1), "=", 0)
wrong("by derivative: in an integer", goal, by_slope(goal, k, 0), "conclusion")
goal = says(Abs(t), "=", t)
wrong("by derivative: over a kink", goal, by_slope(goal, t, 1), "conclusion")

# -- cases -------------------------------------------------------------------------------------

whole = says(x**2, ">=", 0)
square = link(x**2, ">=", 0, sign)
right("cases: two", whole, cases(whole, (Ge(x, 1), square), (Lt(x, 1), square)))
right("cases: three", whole,
      cases(whole, (Gt(x, 0), square), (Eq(x, 0), link(0, ">=", 0, sign)), (Lt(x, 0), square)))
for name, covered in {
    "zero": (Gt(x, 0), Lt(x, 0)),
    "the negative": (Ge(x, 0),),
    "the positive": (Le(x, 0),),
    "an interval": (Le(x, 0), Ge(x, 1)),
    "all but a point": (Eq(x, 0),),
}.items():
    branches = [(c, link(0, ">=", 0, sign) if isinstance(c, Eq) else square) for c in covered]
    wrong(f"cases: {name} left out", whole, cases(whole, *branches), "conclusion", checks="rule")
wrong("cases: of two variables", whole, cases(whole, (Ge(x, 0), square), (Lt(y, 0), square)),
      "conclusion", checks="rule")
wrong("cases: that are no comparisons", whole,
      cases(whole, (Or(Ge(x, 0), Ge(y, 0)), square), (Lt(x, 0), square)), "conclusion",
      checks="rule")
ordered = says(x, ">=", 0)
own = link(x, ">=", 0, sign)
wrong("cases: false in the second", ordered, cases(ordered, (Ge(x, 0), own), (Lt(x, 0), own)),
      "case 2.1")
wrong("cases: the first case, used in the second", ordered,
      cases(ordered, (Ge(x, 0), own), (Lt(x, 0), link(-x, ">=", 0, sign))), "case 2.shown")
wrong("cases: nothing but the hypothesis turned round", ordered,
      cases(ordered, (Ge(x, 0), own), (Lt(x, 0), link(0, ">=", x, sign))), "case 2.shown")

# -- induction ---------------------------------------------------------------------------------

odd = says((n + 1) ** 2, "=", n**2 + 2 * n + 1)
right("induction", odd, induction(odd, n, base=algebra, step=lambda h: algebra))
goal = says(n**2, "=", n)
wrong("induction: a false step", goal, induction(goal, n, base=algebra, step=lambda h: algebra),
      "step.1")
goal = says(n, "=", n + 1)
wrong("induction: no base", goal, induction(goal, n, base=algebra, step=lambda h: h), "base.1")
goal = says(f := n * (n + 1), "=", 0 * f)
wrong("induction: the hypothesis at n + 1", goal,
      induction(goal, n, base=algebra, step=lambda h: link((n + 1) * (n + 2), "=", 0, h)), "step.1")
wrong("induction: the step of another goal", odd,
      induction(odd, n, base=algebra, step=lambda h: link(n, "=", n, algebra)), "conclusion",
      checks="rule")
for _over, _v in (("positive integers", m), ("all integers", k), ("reals", x)):
    wrong(f"induction: over {_over}", says(_v, "=", _v),
          induction(says(_v, "=", _v), _v, base=algebra, step=lambda h: algebra), "conclusion",
          checks="rule")
wrong("induction: under a hypothesis about n", odd,
      induction(odd, n, base=algebra, step=lambda h: algebra), "conclusion", given=(n >= 2,),
      checks="rule")


def smuggled(goal):
    kept = []
    induction(goal, n, base=algebra, step=lambda h: kept.append(h) or algebra)
    return kept[0]


goal = says(n, "=", 0)
wrong("induction: its hypothesis outside of the step", goal, link(n, "=", 0, smuggled(goal)), "1")
wrong("induction: its hypothesis in the base", goal,
      induction(goal, n, base=smuggled(goal), step=lambda h: algebra), "base.1", checks="rule")

# -- solution sets -----------------------------------------------------------------------------


def roots(*values, of=x):
    return [only_at(of - value, of, value, solution()) for value in values]


def solves(left, *values):
    return Equivalent(says(left, "=", 0), Or(*(says(x, "=", v) for v in values), evaluate=False),
                      evaluate=False)


product = (x - 1) * (x - 2)
goal = solves(product, 1, 2)
right("solutions: two", goal, solution_set(goal, [x], split_product(product, *roots(1, 2))))
wrong("solutions: the wrong root of a factor", goal,
      solution_set(goal, [x], split_product(product, only_at(x - 1, x, 3, solution()), *roots(2))),
      "case.1.only root", checks="rule")
wrong("solutions: a factor lost", goal, solution_set(goal, [x], split_product(product, *roots(1))),
      "case.product")
goal = solves(product, 1, 3)
wrong("solutions: one does not solve", goal,
      solution_set(goal, [x], split_product(product, *roots(1, 2))), "solution *")
goal = solves(product * (x - 3), 1, 2)
wrong("solutions: one is not listed", goal,
      solution_set(goal, [x], split_product(product * (x - 3), *roots(1, 2, 3))), "conclusion",
      checks="rule")
wrong("solutions: a factor that does vanish", goal,
      solution_set(goal, [x], split_product(product * (x - 3), *roots(1, 2), never(x - 3))),
      "case.3.never", checks="rule")
quartic = product * (x**2 + 1)
goal = solves(quartic, 1, 2)
right("solutions: a factor that does not", goal,
      solution_set(goal, [x], split_product(quartic, *roots(1, 2), never(x**2 + 1))))
bent = (x**2 - 1) * (x - 2)
goal = solves(bent, 1, 2)
wrong("solutions: a factor with two roots", goal,
      solution_set(goal, [x], split_product(bent, only_at(x**2 - 1, x, 1, solution()), *roots(2))),
      "case.1.only root")
goal = solves(y * product, 1, 2)
wrong("solutions: a parameter that may vanish", goal,
      solution_set(goal, [x],
                   split_product(y * product, only_at(y * (x - 1), x, 1, solution()), *roots(2))),
      "case.1.only root", checks="rule")
goal = solves(p * product, 1, 2)
right("solutions: a parameter that does not", goal,
      solution_set(goal, [x],
                   split_product(p * product, only_at(p * (x - 1), x, 1, solution()), *roots(2))))
waves = sin(x) * (x - 1)
goal = solves(waves, 0, 1)
wrong("solutions: a function with many zeros", goal,
      solution_set(goal, [x], split_product(waves, only_at(sin(x), x, 0, solution()), *roots(1))),
      "case.1.only root", checks="rule")
bells = erf(x) * (x - 1)
goal = solves(bells, 0, 1)
right("solutions: an injective function", goal,
      solution_set(goal, [x], split_product(bells, only_at(erf(x), x, 0, solution()), *roots(1))))
goal = solves(product, 1, 2)
wrong("solutions: outside of the domain", goal,
      solution_set(goal, [x], split_product(product, *roots(1, 2))), "conclusion", given=(x < 2,),
      checks="rule")

# -- chains and what they conclude -------------------------------------------------------------

wrong("chain: <= shown, < claimed", says(0, "<", 1 + x**2), link(0, "<=", 1 + x**2, sign),
      "statement", checks="rule")
right("chain: < shown, <= claimed", says(0, "<=", 1 + x**2), link(0, "<", 1 + x**2, sign))
wrong("chain: reversed", says(1 + x**2, "<", 1), link(1 + x**2, ">=", 1, sign), "statement")
right("chain: read backwards", says(1, "<=", 1 + x**2), link(1 + x**2, ">=", 1, sign))
wrong("chain: an equality from an inequality", says(x**2, "=", 0), link(x**2, ">=", 0, sign),
      "statement")
wrong("chain: stops short", says((x + 1) ** 2, "=", x**2 + 1),
      link((x + 1) ** 2, "=", x**2 + 2 * x + 1, algebra), "statement")
wrong("chain: a false link in the middle", says(x, "=", x),
      link(x, "=", x + 1, algebra).then(x, by=algebra), "2")
wrong("chain: < from an equality", says(x, "<", x + 0 * y), link(x, "=", x, algebra), "statement")
namesake = Symbol("w", real=True)
wrong("a namesake without its assumption", says(namesake, ">=", 0), link(w, ">=", 0, sign),
      "statement")
holds("the symbol itself", w, ">=", 0, sign)
greek = Symbol("\N{GREEK SMALL LETTER OMICRON}", real=True)
latin = Symbol("o", nonnegative=True)
wrong("a look-alike", says(greek, ">=", 0), link(latin, ">=", 0, sign), "statement")
dummy = Symbol("x", positive=True)
wrong("x is not the positive x", says(x, ">", 0), link(dummy, ">", 0, sign), "statement")

# -- several statements ------------------------------------------------------------------------

two = And(says(x**2, ">=", 0), says(y**2, ">=", 0), evaluate=False)
right("all of: both", two, all_of(square, link(y**2, ">=", 0, sign)))
wrong("all of: one twice", two, all_of(square, link(x**4, ">=", 0, sign)), "statement",
      checks="rule")
one_false = And(says(x**2, ">=", 0), says(y, ">=", 0), evaluate=False)
wrong("all of: one is false", one_false, all_of(square, link(y, ">=", 0, sign)), "part 2.1")
wrong("all of: one is missing", one_false, square, "statement")
for kind in (
    Or(says(x, ">=", 5), says(y, ">=", 5), evaluate=False),
    Implies(says(x**2, ">=", 0), says(x, ">=", 0), evaluate=False),
    Not(says(x**2, ">=", 0), evaluate=False),
    Equivalent(says(x, ">=", 0), says(x**2, ">=", 0), evaluate=False),
):
    wrong(f"a square proves no {type(kind).__name__}", kind, square, "statement", checks="rule")

# -- claims used as they stand -----------------------------------------------------------------

mean = Expectation(erf(y + 2 * x * (g := Symbol("G", real=True))), standard_normal(g))
values = {"t": y, "gamma": 2 * x}
goal = says(mean, "=", erf(y / sqrt(1 + 8 * x**2)))
right("a claim at its values", goal, by_claim(goal, "lemma-18-ii", values))
goal = says(mean, "=", erf(y / sqrt(1 + 4 * x**2)))
wrong("a claim at others", goal, by_claim(goal, "lemma-18-ii", values), "1")
only_positive = known_by("only-positive", Abs(x), "=", x, algebra, given=(x > 0,))
goal = says(Abs(y), "=", y)
wrong("a claim without its hypothesis", goal, by_claim(goal, "only-positive", {x: y}), "1",
      others=(only_positive,))
right("a claim with its hypothesis", goal, by_claim(goal, "only-positive", {x: y}), given=(y > 1,),
      others=(only_positive,))
goal = says(Abs(y), "=", 2 * y)
wrong("a claim says something else", goal, by_claim(goal, "only-positive", {x: y}), "1",
      given=(y > 1,), others=(only_positive,))

# -- hypotheses --------------------------------------------------------------------------------

step("hypotheses that exclude each other", x, ">", 7, sign, given=(x > 1, x < 0), checks="numeric")
step("a hypothesis that nothing meets", x, "=", x + 1, algebra,
     given=(Lt(x**2 + 1, 0, evaluate=False),))
step("a hypothesis too weak", x, ">", 1, sign, given=(x > 0,))
holds("a hypothesis strong enough", x, ">", 1, sign, given=(x > 2,))
step("unequal is not more", x, ">", 0, sign, given=(Ne(x, 0),))
holds("unequal and not less is more", x, ">", 0, sign, given=(Ne(x, 0), x >= 0))

"""False inequalities, by sign, monotonicity and lemmas."""

from sympy import Abs, Rational, Symbol, erf, exp, log, pi, sin, sqrt, symbols

from slrsym.gaussian import erf_prime, zeta
from slrsym.proof import D, algebra, chain, differentiate, lemma, monotone, sign

from ._entries import Theme, link, says

theme = Theme()
step, holds, wrong, right = theme.step, theme.holds, theme.wrong, theme.right

x, y, t, s, z = symbols("x y t s z", real=True)
p, q = symbols("p q", positive=True)
w = Symbol("w", nonnegative=True)
v = Symbol("v", negative=True)
n = Symbol("n", integer=True)

# The formatter would give each argument of an entry its own line.
# fmt: off

# -- sign --------------------------------------------------------------------------------------

step("a sum of what has any sign", x + y, ">=", 0, sign)
holds("a sum of what is positive", p + q, ">", 0, sign)
step("a product of what has any sign", x * y, ">=", 0, sign)
holds("a product of negatives", v * v * p, ">", 0, sign)
step("a negative times a positive", v * p, ">", 0, sign)
holds("a negative times a positive, below", v * p, "<", 0, sign)
step("a cube", x**3, ">=", 0, sign)
holds("a fourth power", x**4, ">=", 0, sign)
step("a square, strictly", x**2, ">", 0, sign, checks="rule")
holds("a square of what is not zero", p**2, ">", 0, sign)
step("a quadratic with real roots", x**2 - 3 * x - 8, ">=", 0, sign)
holds("a quadratic without", x**2 - 3 * x + 3, ">", 0, sign)
step("Cauchy's inequality reversed", 2 * x * y, ">=", x**2 + y**2, sign)
holds("Cauchy's inequality", 2 * x * y, "<=", x**2 + y**2, sign)
step("a root above its radicand", sqrt(1 + x**2), ">", 1 + x**2, sign)
holds("a root above one", sqrt(1 + x**2), ">=", 1, sign)
step("logarithm of something positive", log(p), ">=", 0, sign)
holds("logarithm of more than one", log(1 + p), ">", 0, sign)
step("an exponential less one", exp(x) - 1, ">=", 0, sign)
holds("an exponential less one, of something positive", exp(p) - 1, ">", 0, sign)
step("sine", sin(x), ">=", 0, sign)
holds("sine at most one", sin(x), "<=", 1, sign)
step("erf of a sum", erf(x + p), ">", 0, sign)
holds("erf of a positive sum", erf(w + p), ">", 0, sign)
step("a bell above its top", erf_prime(x), ">", 1, sign)
holds("a bell is positive", erf_prime(x), ">", 0, sign)
step("an integer is not its square", n**2, ">=", n + 1, sign)
step("without the hypothesis that it needs", 1 - x, ">", 0, sign)
holds("with it", 1 - x, ">", 0, sign, given=(x < 1,))
step("with a weaker one", 1 - x, ">", 0, sign, given=(x <= 1,), checks="rule")
step("with one about another variable", 1 - x, ">", 0, sign, given=(y < 1,))
step("of what may not be defined", sqrt(x), ">=", 0, sign)
holds("of a root that is defined", sqrt(p), ">", 0, sign)
step("an equality", p, "=", p, sign, checks="rule")
step("an inequality by algebra", x, "<", x + 1, algebra, checks="rule")

# -- monotonicity ------------------------------------------------------------------------------


def by_slope(of, start, end, towards, bound=0):
    """Monotone, with the claimed sign of the slope."""
    first = chain(D(of, z)).then(of.diff(z), by=differentiate)
    return monotone(of, z, start, end, derivative=getattr(first, towards)(bound, by=sign))


def moved(name, of, start, end, relation, towards, step_label="", **options):
    lhs, rhs = of.subs(z, start), of.subs(z, end)
    proof = link(lhs, relation, rhs, by_slope(of, start, end, towards))
    if step_label:
        wrong(name, says(lhs, relation, rhs), proof, step_label, **options)
    else:
        right(name, says(lhs, relation, rhs), proof)


moved("erf rises", erf(z), x, x + p, "<=", "ge")
moved("erf does not fall", erf(z), x, x + p, ">=", "ge", "1")
moved("erf rises, backwards", erf(z), x + p, x, "<=", "ge", "1")
moved("erf rises, read backwards", erf(z), x + p, x, ">=", "ge")
moved("a slope of the wrong sign", erf(z), x, x + p, ">=", "le", "1.derivative.2")
moved("not monotone", z**3 - z, x, x + p, "<=", "ge", "1.derivative.2")
moved("monotone beyond one", z**3 - z, 1 + w, 1 + w + p, "<=", "ge")
moved("strict without a strict slope", z**3, x, x + p, "<", "ge", "1", checks="rule")
moved("strict with one", exp(z), x, x + p, "<", "gt")
moved("strict between points that may be one", exp(z), x, x + w, "<", "gt", "1", checks="rule")
moved("points in no known order", exp(z), x, y, "<=", "ge", "1")
moved("over a pole", -1 / z, v, p, "<=", "ge", "1.derivative.1", checks="rule")
step("the slope of another function", erf(x), "<=", erf(x + p),
     monotone(erf(z), z, x, x + p,
              derivative=link(D(exp(z), z), "=", exp(z), differentiate).ge(0, by=sign)),
     checks="rule")
for name, of, start, end, rhs, least in (
    ("a slope above something negative", erf(z), x, x + p, erf(x + p), -1),
    ("an end that contains the variable", exp(z), z, z + p, exp(z + p), 0),
    ("other ends than the step has", exp(z), x, x + p, exp(x + 2 * p), 0),
):
    lhs = of.subs(z, start)
    proof = link(lhs, "<=", rhs, by_slope(of, start, end, "ge", least))
    wrong(name, says(lhs, "<=", rhs), proof, "1", checks="rule")

# -- lemmas ------------------------------------------------------------------------------------

gap = zeta(t, s) - erf(t / sqrt(1 + 2 * s**2)) ** 2
step("a lemma, reversed", gap, "<=", 0, lemma("zeta-variance-nonnegative"))
holds("a lemma", gap, ">=", 0, lemma("zeta-variance-nonnegative"))
step("a lemma, made strict", gap, ">", 0, lemma("zeta-variance-nonnegative"), checks="rule")
step("a lemma, scaled by what may be negative", x * gap, ">=", 0,
     lemma("zeta-variance-nonnegative").scaled(x))
holds("a lemma, scaled by a square", x**2 * gap, ">=", 0,
      lemma("zeta-variance-nonnegative").scaled(x**2))
step("a lemma, scaled by something else", x**2 * gap - 1, ">=", 0,
     lemma("zeta-variance-nonnegative").scaled(x**2))
step("Lemma 16 with a third", Abs(1 / sqrt(1 + w) - 1), "<=", w / 3, lemma("lemma-16", x=w))
holds("Lemma 16", Abs(1 / sqrt(1 + w) - 1), "<=", w / 2, lemma("lemma-16", x=w))
step("Lemma 16 outside of its domain", Abs(1 / sqrt(1 + x) - 1), "<=", x / 2,
     lemma("lemma-16", x=x))
step("Lemma 16 by its name for another", Abs(1 / sqrt(1 + w) - 1), "<=", w / 2,
     lemma("lemma-17-iii", x=w), checks="rule")
step("Lemma 17 (iii) without the root of pi", Abs(erf(x)), "<=", 2 * Abs(x) / pi,
     lemma("lemma-17-iii"), right=2 * Abs(x) / sqrt(pi))
step("Lemma 17 (iii) without the absolute value", Abs(erf(x)), "<=", 2 * x / sqrt(pi),
     lemma("lemma-17-iii"))
step("Lemma 6's bound without |nu| <= 1", Rational(0) - x**2 + 1, ">=", 0,
     lemma("lemma-6-lower-bound"))

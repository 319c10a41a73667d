"""False steps by the rules for sums, for bounds of derivatives, and at points; and their twins."""

from sympy import (
    Abs,
    Eq,
    IndexedBase,
    KroneckerDelta,
    Le,
    Subs,
    Sum,
    Symbol,
    erf,
    exp,
    pi,
    sqrt,
    symbols,
)

from slrsym.proof import (
    D,
    algebra,
    all_of,
    at,
    by_citation,
    chain,
    differentiate,
    in_words,
    lemma,
    lipschitz,
    sign,
    single_out,
    taylor,
    termwise,
)

from ._entries import Theme, known_by, link, says

theme = Theme()
step, holds, wrong, right = theme.step, theme.holds, theme.wrong, theme.right

x, y, z = symbols("x y z", real=True)
n, i, j = symbols("n i j", integer=True)
N = Symbol("N", integer=True, positive=True)
w = IndexedBase("w", nonnegative=True)
v = IndexedBase("v", real=True)

# The formatter would give each argument of an entry its own line.
# fmt: off

# -- sums --------------------------------------------------------------------------------------


def total(f, low=1, high=N):
    return Sum(f, (n, low, high))


inside = (Le(1, j), Le(j, N))
whole = total(w[n])
parts = w[j] + total(w[n], 1, j - 1) + total(w[n], j + 1, N)
step("a term left out", whole, "=", parts - w[j], single_out(j), right=parts, given=inside)
step("a term twice", whole, "=", total(w[n]) + w[j], single_out(j), right=parts, given=inside)
step("a term that may lie outside", whole, "=", parts, single_out(j), given=(Le(1, j),))
picked = KroneckerDelta(i, j) * exp(x)
step("what is beside the place of a delta", picked, "=", exp(x), algebra, right=0,
     given=(Le(i, j - 1),))
step("what may be at the place of a delta", picked, "=", 0, algebra, given=(Le(i, j),))
step("a delta of what are no integers", KroneckerDelta(x, y), "=", 1 + x - y, algebra,
     given=(x < y, y < x + 1))


def compared(name, lhs, relation, rhs, terms, step_label="", **options):
    proof = link(lhs, relation, rhs, termwise(i, 1, N, terms))
    if step_label:
        wrong(name, says(lhs, relation, rhs), proof, step_label, **options)
    else:
        right(name, says(lhs, relation, rhs), proof, **options)


squares = chain(v[i] ** 2).ge(0, by=sign)
compared("a sum of squares", total(v[n] ** 2), ">=", 0, squares)
compared("a sum of anything", total(v[n]), ">=", 0, chain(v[i]).ge(0, by=sign), "1.terms.1")
compared("the terms of another sum", total(v[n]), ">=", 0, squares, "1")
compared("strictly, of no terms", total(v[n] ** 2), ">", -1, squares, "1", checks="rule")
compared("a product of sums", total(v[n]) * total(v[n]), ">=", 0, squares, "1", checks="rule")
compared("what stands outside", total(v[n] ** 2) - 1, ">=", 0, squares, "1")

# -- bounds of derivatives ---------------------------------------------------------------------

between = (x >= -1, x <= 1, y >= -1, y <= 1)
bell = 2 / sqrt(pi) * exp(-(z**2))


rise = chain(D(erf(z), z)).then(bell, by=differentiate)


def steady_by(proof, of=erf(z)):  # noqa: B008
    return lipschitz(of, z, x, y, low=-1, high=1, bound=proof)


def steady(bound):
    return steady_by(all_of(rise.le(bound, by=sign), rise.ge(-bound, by=sign)))


gap = Abs(erf(x) - erf(y))
holds("Lipschitz", gap, "<=", 2 * Abs(x - y), steady(2), given=between)
wrong("Lipschitz, too small a constant", says(gap, "<=", Abs(x - y)),
      link(gap, "<=", Abs(x - y), steady(1)), "1.bound.part 1.2", given=between)
step("Lipschitz, less than the bound shown", gap, "<=", Abs(x - y), steady(2), given=between)
step("Lipschitz, at points outside", gap, "<=", 2 * Abs(x - y), steady(2), checks="rule")


def curved_by(proof):
    return taylor(z**2, z, x, y, low=-1, high=1, bound=proof)


def parabola(bound):
    return curved_by(chain(D(z**2, z, z)).then(2, by=differentiate).le(bound, by=sign))


tangent = x**2 + 2 * x * (y - x)
holds("Taylor", y**2, "<=", tangent + 2 * (y - x) ** 2, parabola(4), given=between)
step("Taylor, without the second order", y**2, "<=", tangent, parabola(2), given=between)
wrong("Taylor, half the second derivative", says(y**2, "<=", tangent + (y - x) ** 2 / 2),
      link(y**2, "<=", tangent + (y - x) ** 2 / 2, parabola(1)), "1.bound.2", given=between)

# What the premise has to be, for both rules: a bound of the right derivative, by a number that is
# the same on the whole interval, which both points lie in.

q = Symbol("q", positive=True)
at_most_2, at_least_2 = rise.le(2, by=sign), rise.ge(-2, by=sign)
wide = 2 * Abs(x - y)
other = 2 * (q * Abs(x - y) + Abs(x - y)) / (1 + q)
holds("Lipschitz, in another form", gap, "<=", other, steady(2), given=between)



def refused_slope(name, lhs, relation, rhs, by, label="1", checks="rule", given=between):
    wrong(f"Lipschitz, {name}", says(lhs, relation, rhs), link(lhs, relation, rhs, by), label,
          given=given, checks=checks)  # fmt: skip


refused_slope("strictly", gap, "<", wide, steady(2))
refused_slope("from below", gap, ">=", wide, steady(2), checks="both")
refused_slope("bounded from above alone", gap, "<=", wide, steady_by(at_most_2))
refused_slope("twice from above", gap, "<=", wide,
              steady_by(all_of(at_most_2, rise.le(3, by=sign))))
refused_slope("another bound from below", gap, "<=", wide,
              steady_by(all_of(at_most_2, rise.ge(-3, by=sign))))
refused_slope("the bound of another function", gap, "<=", wide,
              steady_by(all_of(chain(D(z, z)).le(2, by=sign), chain(D(z, z)).ge(-2, by=sign))),
              label="1.bound.part 1.1")
refused_slope("a bound that is not constant", gap, "<=", (2 + z**2) * Abs(x - y),
              steady_by(all_of(rise.le(2 + z**2, by=sign), rise.ge(-2 - z**2, by=sign))))
refused_slope("a variable that is restricted", gap, "<=", wide, steady(2), given=(*between, z < 3))
refused_slope("other points", Abs(erf(x) - erf(2 * y)), "<=", wide, steady(2), checks="both")
refused_slope("a point above", gap, "<=", wide, steady(2), given=(x >= -1, y >= -1, y <= 1))
refused_slope("a point below", gap, "<=", wide, steady(2), given=(x >= -1, x <= 1, y <= 1))
refused_slope("a kink", Abs(Abs(x) - Abs(y)), "<=", wide,
              steady_by(all_of(at_most_2, at_least_2), of=Abs(z)))
twice = chain(D(2 * erf(z), z)).then(2 * bell, by=differentiate)
holds("Lipschitz, a factor before the bars", 2 * gap, "<=", 4 * Abs(x - y),
      steady_by(all_of(twice.le(4, by=sign), twice.ge(-4, by=sign)), of=2 * erf(z)), given=between)
refused_slope("another factor before the bars", 3 * gap, "<=", 2 * Abs(x - y), steady(2),
              checks="both")
holds("Lipschitz, a constant in another form", gap, "<=", 2 * (q + 1) * Abs(x - y),
      steady(2 * q + 2), given=between)
refused_slope("less than the constant", gap, "<=", 2 * q * Abs(x - y), steady(2 * q + 2),
              checks="both")

below = tangent + 2 * (y - x) ** 2
sloped = chain(D(z**2, z)).then(2 * z, by=differentiate).le(2, by=sign)
curved_up = chain(D(z**2, z, z)).then(2, by=differentiate).ge(-1, by=sign)
for name, relation, rhs, by, checks in (
    ("from below", ">=", below, parabola(4), "both"),
    ("strictly", "<", below, parabola(4), "rule"),
    ("another parabola", "<=", tangent + (y - x) ** 2, parabola(4), "rule"),
    ("by the first derivative", "<=", below, steady_by(all_of(at_most_2, at_least_2)), "rule"),
    ("a bound of the slope", "<=", tangent + (y - x) ** 2, curved_by(sloped), "rule"),
    ("a bound from below", "<=", tangent - (y - x) ** 2 / 2, curved_by(curved_up), "both"),
):
    step(f"Taylor, {name}", y**2, relation, rhs, by, given=between, checks=checks)

# -- at a point --------------------------------------------------------------------------------

f = x**2 + 3 * y
origin = {x: 0, y: 0}
step("the derivative in another variable", at(D(f, x), origin), "=", 3, differentiate, right=0)
wrong("what SymPy takes for the derivative in another variable",
      Eq(Subs(D(f, x), (x, y), (0, 0)), 0, evaluate=False),
      link(Subs(D(f, x), (x, y), (0, 0)), "=", 0, differentiate), "1", checks="rule")

# -- conditions of a lemma, and citations ------------------------------------------------------

root = known_by("root-at-most-one", x**2, "<=", 1, sign, given=(x <= 1, x >= -1))
cube = y**3 - y
for shown, label in (
    (chain(cube).le(1, by=sign), "1.condition 1.1"),
    (chain(y).le(1, by=sign), "1"),
):
    wrong(f"a condition that is not shown: {label}", says(cube**2, "<=", 1),
          link(cube**2, "<=", 1, lemma("root-at-most-one", x=cube).where(shown)), label,
          others=(root,), given=() if label != "1" else (y <= 1,),
          checks="both" if label != "1" else "rule")
right("a citation concludes what it cites", in_words("all is well"),
      by_citation(in_words("all is well"), "monotone-convergence", hypotheses=["lemma-16"]))
wrong("a citation that rests on an unknown claim", in_words("all is well"),
      by_citation(in_words("all is well"), "monotone-convergence", hypotheses=["lemma-unknown"]),
      "citation", checks="rule")
wrong("a citation of something else", in_words("all is well"),
      by_citation(in_words("nothing is"), "monotone-convergence", hypotheses=["lemma-16"]),
      "statement", checks="rule")

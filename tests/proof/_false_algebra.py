"""False steps of algebra, calculus and order, each beside a true one as near as possible."""

from sympy import (
    Abs,
    Rational,
    Symbol,
    asin,
    cos,
    erf,
    exp,
    log,
    pi,
    sin,
    sqrt,
    symbols,
)

from slrsym.gaussian import OwensT, erf_prime, erf_second, zeta
from slrsym.proof import D, algebra, chain, differentiate, lemma, monotone, sign
from slrsym.proof.step import Rule

from ._claims import Table, one_step, relation

table = Table()
step = table.step

x, y, t = symbols("x y t", real=True)
p, q = symbols("p q", positive=True)
w = Symbol("w", nonnegative=True)
s = Symbol("s", real=True)
A, B = sqrt(1 + 2 * s**2), sqrt(1 + 4 * s**2)

# -- algebra -----------------------------------------------------------------------------------

step("binomial without the middle", (x + y) ** 2, x**2 + y**2, x**2 + 2 * x * y + y**2, algebra)
step("root of a square, any sign", sqrt(x**2), x, Abs(x), algebra)
step("root of a square, positive", sqrt(p**2), -p, p, algebra)
step("root of a sum", sqrt(p**2 + q**2), p + q, sqrt((p + q) ** 2 - 2 * p * q), algebra)
step("root of a product, any sign", sqrt(x * y), sqrt(x) * sqrt(y), None, algebra)
step("root of a product, positive", sqrt(p * q), p * q, sqrt(p) * sqrt(q), algebra)
step("exponential of a sum", exp(x + y), exp(x) + exp(y), exp(x) * exp(y), algebra)
step("exponential of a product", exp(x * y), exp(x) * exp(y), exp(x * y + 1) * exp(-1), algebra)
step("erf is odd", erf(-x), erf(x), -erf(x), algebra)
step("erf is not linear", erf(2 * x), 2 * erf(x), -erf(-2 * x), algebra)
step("erf of a sum", erf(x + y), erf(x) + erf(y), erf(y + x), algebra)
step("bell is even", erf_prime(-x), -erf_prime(x), erf_prime(x), algebra)
step("slope and bell", erf_second(x), 2 * x * erf_prime(x), -2 * x * erf_prime(x), algebra)
step("bell and exponential", erf_prime(x), exp(-(x**2)), 2 * exp(-(x**2)) / sqrt(pi), algebra)
step("gamma for gamma^2", A**2, 1 + 2 * s, 1 + 2 * s**2, algebra, refused="both")
step("A for B", A**2 * B**2, A**4, 1 + 6 * s**2 + 8 * s**4, algebra)
step("missing square root", 1 / A, 1 / A**2, A / (1 + 2 * s**2), algebra)
step("nested root", 1 / sqrt(1 + 2 * s**2 / B**2), B / A, B / sqrt(1 + 6 * s**2), algebra)
step(
    "cancelling what may vanish",
    (x * y + x) / x,
    y + 1,
    None,
    algebra,
    refused="rule",
    said="divides by",
)
step("cancelling what does not vanish", p / p + x, x, x + 1, algebra)
step("polynomial quotient at its root", (x**2 - 1) / (x - 1), x + 1, None, algebra, refused="rule")
step("quotient by a positive polynomial", (x**4 - 1) / (x**2 + 1), x**2 + 1, x**2 - 1, algebra)
step("absolute value", Abs(x), x, sqrt(x**2), algebra)
step("absolute value of a product", Abs(x * p), x * p, p * Abs(x), algebra)
step("sine and cosine", sin(x) ** 2 + cos(x) ** 2, 2, None, algebra)
step("logarithm of a square", log(x**2), 2 * log(x), None, algebra)
step("Owen's T in h", OwensT(-x, y), -OwensT(x, y), OwensT(x, y), algebra)
step("Owen's T in a", OwensT(x, -y), OwensT(x, y), -OwensT(x, y), algebra)
step("zeta in s", zeta(t, -s), -zeta(t, s), zeta(t, s), algebra)
step("zeta in t", zeta(-t, s), -zeta(t, s), zeta(t, s), algebra)
step("power of a power", (x**2) ** Rational(3, 2), x**3, Abs(x) ** 3, algebra)
step("power of a positive power", (p**2) ** Rational(3, 2), p**2, p**3, algebra)
step("true for positive t only", Abs(t) * exp(-t), t * exp(-t), sqrt(t**2) * exp(-t), algebra)
step("sign of a cube", sqrt(x**6), x**3, Abs(x) ** 3, algebra)

# -- true to some digits only ------------------------------------------------------------------


class Anything(Rule):
    """Accepts whatever it is given: the numbers have to refuse alone."""

    name = "anything"

    def check(self, link, context):
        pass


anything = Anything()
tiny = Rational(1, 10**20)
step("erf, off by 1e-20", erf(x), erf(x) + tiny, None, algebra)
step(
    "the same, by a rule that accepts it", erf(x), erf(x) + tiny, None, anything, refused="numbers"
)
step(
    "off by a factor 1 + 1e-25",
    erf(x) * (1 + tiny / 10**5),
    erf(x),
    None,
    anything,
    refused="numbers",
)
step(
    "Ramanujan's constant", exp(pi * sqrt(163)), 640320**3 + 744, None, anything, refused="numbers"
)
step("355/113", pi * x, Rational(355, 113) * x, None, anything, refused="numbers")
# sqrt(2) to 17 digits.
step(
    "a decimal for a root",
    sqrt(2) * x,
    Rational(14142135623730950488, 10**19) * x,
    None,
    anything,
    refused="numbers",
)
step(
    "sixth root that almost is pi",
    pi,
    (2143 * Rational(1, 22)) ** Rational(1, 4),
    None,
    anything,
    refused="numbers",
)
step("1 - erf(6)", erf(6) * x, x, None, anything, refused="numbers")
step("tanh-like saturation", exp(-60) + x, x, None, anything, refused="numbers")
step("arc sine for its argument", asin(p / 10**12), p / 10**12, None, anything, refused="numbers")

# -- derivatives -------------------------------------------------------------------------------

step(
    "chain rule forgotten", D(erf(t / A), t), erf_prime(t / A), erf_prime(t / A) / A, differentiate
)
step(
    "inner derivative squared",
    D(erf(t / A), t),
    erf_prime(t / A) / A**2,
    erf_prime(t / A) / A,
    differentiate,
)
step("product rule forgotten", D(x * exp(x), x), exp(x), exp(x) + x * exp(x), differentiate)
step(
    "sign of an exponent",
    D(exp(-(x**2)), x),
    2 * x * exp(-(x**2)),
    -2 * x * exp(-(x**2)),
    differentiate,
)
step("a root's derivative", D(sqrt(1 + x**2), x), x, x / sqrt(1 + x**2), differentiate)
step("derivative at a kink", D(Abs(x), x), 1, None, differentiate)
step("derivative of the bell", D(erf_prime(x), x), erf_prime(x), erf_second(x), differentiate)
step(
    "derivative of zeta",
    D(zeta(t, s), t),
    2 * erf(t / A) * erf_prime(t / A) / A,
    2 * erf(t / (A * B)) * erf_prime(t / A) / A,
    differentiate,
)
step(
    "derivative of Owen's T",
    D(OwensT(t, s), s),
    exp(-(t**2) / 2) / (1 + s**2) / (2 * pi),
    exp(-(t**2) * (1 + s**2) / 2) / (1 + s**2) / (2 * pi),
    differentiate,
)
step("a constant has no slope", D(y**2, x), 2 * y, 0, differentiate)

# -- sign --------------------------------------------------------------------------------------

step("sign of a variable", x, 0, None, sign, relation_=">=")
step(
    "a square is not positive at its root",
    (x - 1) ** 2,
    0,
    None,
    sign,
    relation_=">",
    refused="rule",
)
step("a square is not negative", (x - 1) ** 2, 0, None, sign, relation_="<=")
table.right("a square", relation((x - 1) ** 2, ">=", 0), chain((x - 1) ** 2).ge(0, by=sign))
step("exponential over one", exp(x), 1, None, sign, relation_=">=")
step("one minus a square", 1 - x**2, 0, None, sign, relation_=">=")
table.right(
    "one minus a square, inside",
    relation(1 - x**2, ">=", 0),
    chain(1 - x**2).ge(0, by=sign),
    given=(x <= 1, x >= -1),
)
step("one minus a square, half inside", 1 - x**2, 0, None, sign, relation_=">=", given=(x <= 1,))
step("erf of a variable", erf(x), 0, None, sign, relation_=">")
table.right("erf of a positive variable", relation(erf(p), ">", 0), chain(erf(p)).gt(0, by=sign))
step("erf at its bound", erf(w), 0, None, sign, relation_=">", refused="rule")
step("erf over one", erf(x), 1, None, sign, relation_=">=")
table.right("erf under one", relation(erf(x), "<", 1), chain(erf(x)).lt(1, by=sign))
step("difference of positive numbers", p, q, None, sign, relation_=">")
step("a strict equality", p, p, None, sign, relation_=">", refused="both")
step("an equality by sign", p - q, 0, None, sign, refused="both")
step("wrong direction", -p, 0, None, sign, relation_=">=")
table.right("right direction", relation(-p, "<", 0), chain(-p).lt(0, by=sign))
step("A under one", A, 1, None, sign, relation_="<")
table.right("A from one", relation(A, ">=", 1), chain(A).ge(1, by=sign))
step("B under A", B, A, None, sign, relation_="<")


# -- monotonicity ------------------------------------------------------------------------------

z = Symbol("z", real=True)


def slope(of, relation_, end=0):
    first = chain(D(of, z)).then(of.diff(z), by=differentiate)
    return getattr(first, relation_)(end, by=sign)


def compared(name, of, start, end, symbol, relation_, step_label, **options):
    rule = monotone(of, z, start, end, derivative=slope(of, relation_))
    left, right = of.subs(z, start), of.subs(z, end)
    proof = one_step(left, symbol, right, rule)
    if step_label:
        table.wrong(name, relation(left, symbol, right), proof, step_label, **options)
    else:
        table.right(name, relation(left, symbol, right), proof, **options)


compared("exp rises", exp(z), x, x + p, "<=", "ge", "")
compared("exp does not fall", exp(z), x, x + p, ">=", "ge", "1")
compared("exp has no negative slope", exp(z), x, x + p, ">=", "le", "1.derivative.2")
compared("squares do not rise everywhere", z**2, x, x + p, "<=", "ge", "1.derivative.2")
compared("squares rise from zero on", z**2, w, w + p, "<=", "ge", "")
compared("strictly, between points that may agree", exp(z), x, x + w, "<", "gt", "1", by="rule")
compared("strictly, between points apart", exp(z), x, x + p, "<", "gt", "")
compared("points in no known order", exp(z), x, y, "<=", "ge", "1")
compared("1/z falls, but not across zero", 1 / z, -p, q, ">=", "le", "1.derivative.1", by="rule")

# -- lemmas about real functions ---------------------------------------------------------------

bound = lemma("lemma-16", x=w)
step("Lemma 16 reversed", Abs(1 / sqrt(1 + w) - 1), w / 2, None, bound, relation_=">=")
table.right(
    "Lemma 16",
    relation(Abs(1 / sqrt(1 + w) - 1), "<=", w / 2),
    chain(Abs(1 / sqrt(1 + w) - 1)).le(w / 2, by=bound),
)
step(
    "Lemma 16 outside of its domain",
    Abs(1 / sqrt(1 + x) - 1),
    x / 2,
    None,
    lemma("lemma-16", x=x),
    relation_="<=",
    refused="rule",
    said="x",
)
step(
    "Lemma 16 at a negative number",
    Abs(1 / sqrt(1 - Rational(1, 2)) - 1),
    -Rational(1, 4),
    None,
    lemma("lemma-16", x=-Rational(1, 2)),
    relation_="<=",
)
step("Lemma 16 as an equality", Abs(1 / sqrt(1 + w) - 1), w / 2, None, bound)
step(
    "Lemma 16 made strict",
    Abs(1 / sqrt(1 + w) - 1),
    w / 2,
    None,
    bound,
    relation_="<",
    refused="rule",
)
step(
    "Lemma 16 scaled by a negative number",
    -Abs(1 / sqrt(1 + w) - 1),
    -w / 2,
    None,
    bound.scaled(-1),
    relation_="<=",
)
step(
    "Lemma 17 with half the constant",
    Abs(erf(x)),
    Abs(x) / sqrt(pi),
    2 * Abs(x) / sqrt(pi),
    lemma("lemma-17-iii"),
    relation_="<=",
)
step(
    "a claim that is not there",
    erf_second(x),
    -2 * x * erf_prime(x),
    None,
    lemma("lemma-17-iv"),
    refused="rule",
    said="did you mean lemma-17-i",
)
step(
    "a symbol that the claim does not have",
    erf_second(x),
    -2 * x * erf_prime(x),
    None,
    lemma("lemma-17-ii", k=x),
    refused="rule",
    said="no symbol 'k'",
)

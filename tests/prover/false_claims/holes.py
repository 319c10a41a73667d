"""Side conditions that thin rules once forgot, each in ten variants and with a true twin.

The numbers do not see them all: some are false far out only, or at single points.
"""

from sympy import (
    Abs,
    Add,
    Function,
    Ge,
    Gt,
    Heaviside,
    Lambda,
    Lt,
    Max,
    Min,
    Rational,
    Sum,
    Symbol,
    cos,
    erf,
    exp,
    log,
    pi,
    sign,
    sin,
    sqrt,
    symbols,
)

from slrsym.gaussian import Expectation, GaussianLaw, standard_normal
from slrsym.proof import (
    D,
    algebra,
    chain,
    differentiate,
    differentiate_under_expectation,
    lemma,
    linearity,
    termwise,
)
from slrsym.proof import sign as by_sign

from ._entries import Theme, known, says

theme = Theme()
step, holds = theme.step, theme.holds

x, y, t, G = symbols("x y t G", real=True)
p = Symbol("p", positive=True)
n, i = symbols("n i", integer=True)
N = Symbol("N", integer=True, positive=True)
law = standard_normal(G)


def mean(of, under=law):
    return Expectation(of, under)


# The formatter would give each argument of an entry its own line.
# fmt: off

# -- hypotheses that speak of a variable that a law binds ---------------------------------------

for bound in (-20, -19, -10, -5, -3, -2, -1, 0, 1, Rational(1, 2)):
    lhs, rhs = mean(Abs(G - bound)), mean(G) - bound
    step(f"a law's variable is above {bound}", lhs, "=", rhs, linearity, given=(Gt(G, bound),),
         checks="rule")

# -- differentiation that nobody checks ----------------------------------------------------------

square = mean(G**2)
KINKS = {"an absolute value": (Abs(t), sign(t)), "one that is moved": (Abs(t - 3), sign(t - 3)),
         "one that is scaled": (Abs(2 * t), 2 * sign(2 * t)),
         "a maximum": (Max(t, pi), Heaviside(t - pi)), "a minimum": (Min(t, 1), Heaviside(1 - t)),
         "a logarithm": (log(t), 1 / t), "a square root": (sqrt(t), 1 / (2 * sqrt(t))),
         "a pole": (1 / t, -1 / t**2), "a moved pole": (1 / (t - 7), -1 / (t - 7) ** 2),
         "a sign": (sign(t), t - t)}
for name, (f, slope) in KINKS.items():
    for factor in (1, 3) if name == "a maximum" else (1,):
        lhs = D(f + factor * square, t)
        step(f"the derivative of {name} beside {factor} expectations", lhs, "=", slope,
             differentiate_under_expectation, checks="rule")
smooth = D(t**3 + mean(cos(t * G)), t)
inner = 3 * t**2 - mean(G * sin(t * G))
holds("beside a power", smooth, "=", inner, differentiate_under_expectation)

for power in range(1, 11):
    f = n**power
    step(f"the derivative of power {power} in an integer", D(f, n), "=", power * n ** (power - 1),
         differentiate, checks="rule")

# -- what is undefined cancels first -------------------------------------------------------------

square_is = known("square", says(x**2, ">=", 0), chain(x**2).ge(0, by=by_sign))
POLES = (
    1 / y, 1 / y**2, 1 / (y - 1), y / (y**2 - 4), 1 / (y**3 + 1), log(y), sqrt(y), sqrt(1 - y**2),
    log(y**2), y ** Rational(-1, 3),
)  # fmt: skip
for pole in POLES:
    step(f"{pole} on both sides of a lemma", x**2 + pole, ">=", pole, lemma("square", x=x),
         checks="rule", others=(square_is,))
    terms = chain(i**2).ge(0, by=by_sign)
    total = Sum(n**2, (n, 1, N))
    step(f"{pole} beside sums", total + pole, ">=", pole, termwise(i, 1, N, terms), checks="rule")
shift = 1 / p
terms = chain(i**2).ge(0, by=by_sign)
holds("what is defined on both sides of a lemma", x**2 + shift, ">=", shift, lemma("square", x=x),
      others=(square_is,))
holds("what is defined beside sums", Sum(n**2, (n, 1, N)) + shift, ">=", shift,
      termwise(i, 1, N, chain(i**2).ge(0, by=by_sign)))

# -- things that do not commute ------------------------------------------------------------------

A, B = Function("A", commutative=False), Function("B", commutative=False)
a, b = symbols("a b", commutative=False)
PRODUCTS = (
    (A(x) * B(x), B(x) * A(x)), (a * b, b * a), (a * b * a, a**2 * b), (a * x * b, b * x * a),
    ((a + b) ** 2, a**2 + 2 * a * b + b**2), (A(x) * a, a * A(x)), (a * b - b * a, 0 * x),
    ((a - b) * (a + b), a**2 - b**2), (A(x) * A(y), A(y) * A(x)), (a * b**2, b * a * b),
)  # fmt: skip
for lhs, rhs in PRODUCTS:
    step(f"{lhs} reordered", lhs, "=", rhs, algebra, checks="rule")

# -- two symbols of one name ---------------------------------------------------------------------

DECLARED = (
    {"positive": True}, {"nonnegative": True}, {"negative": True}, {"integer": True},
    {"nonzero": True, "real": True}, {"rational": True}, {"nonpositive": True}, {"even": True},
    {"odd": True}, {"integer": True, "positive": True},
)  # fmt: skip
for facts in DECLARED:
    other = Symbol("x", **facts)
    said = Add(x**2, other**2)
    step(f"x real, and x {' and '.join(facts)}", said, ">=", 0, by_sign, checks="rule")
for facts in DECLARED[:2]:
    other = Symbol("x", **facts)
    step(f"x real, and a hypothesis on x {' and '.join(facts)}", x**2, ">=", 0, by_sign,
         given=(Lt(other, 5),), checks="rule")
once = mean(G**2, GaussianLaw({G: 0}, [[p**2]]))
holds("one symbol a name", 2 * once, "=", once * 2, linearity)

# -- instances of undefined functions, and the hypotheses on these -------------------------------

F = Function("F", real=True)
above = known("above", says(F(x) ** 2, ">=", F(x)), chain(F(x) ** 2).ge(F(x), by=by_sign),
              given=(Ge(F(x), 1),))
BELOW = (
    x, x / 2, x**3, x - 1, sin(x), cos(x), erf(x), exp(-(x**2)), x / (1 + x**2),
    exp(x) / 2, 1 - x**2,
)  # fmt: skip
for value in BELOW:
    step(f"a function that is at least 1, at {value}", value**2, ">=", value,
         lemma("above", F=Lambda(x, value)), checks="rule", others=(above,))
for value in (2 + x**2, 1 + exp(x), Rational(3, 2), 1 + erf(x) ** 2):
    holds(f"a function that is at least 1, at {value}", value**2, ">=", value,
          lemma("above", F=Lambda(x, value)), others=(above,))

# -- far out, and near zeros of denominators: the numbers see all of these, too ------------------

FAR = (
    (x, "<=", 10**3), (p, ">=", Rational(1, 10**4)), (1 / p, "<=", 10**5), (log(p), ">=", -12),
    (x * y, "<=", 10**8), (p**3, ">=", Rational(1, 10**12)), (x, ">=", -(10**5)),
    (x**2, "<=", 10**9), (sqrt(p), "<=", 10**3), (n, "<=", 10**4),
    (exp(-p), ">=", Rational(1, 10**9)), (1 / (x - y) ** 2, "<=", 10**7),
)  # fmt: skip
for lhs, relation, rhs in FAR:
    step(f"{lhs} {relation} {rhs} far out", lhs, relation, rhs, by_sign, checks="both")

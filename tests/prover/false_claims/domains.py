"""False where no random point lies: at single points, far out, by less than thirty digits.

The numbers cannot see these, so the rule has to. Each hides behind a million of true points.
"""

from sympy import (
    Abs,
    Derivative,
    Equivalent,
    Function,
    Ge,
    Integral,
    Lambda,
    Le,
    Lt,
    Mul,
    Ne,
    Or,
    Piecewise,
    Rational,
    S,
    Symbol,
    asin,
    cos,
    erf,
    exp,
    log,
    sin,
    sinh,
    sqrt,
    symbols,
)

from slrsym.gaussian import Expectation, GaussianLaw, IIDSum, NoiseLaw, standard_normal
from slrsym.proof import (
    D,
    algebra,
    at,
    cases,
    chain,
    differentiate,
    equal_by_derivative,
    fundamental_theorem,
    independence,
    inside,
    lemma,
    monotone,
    noise_moments,
    only_at,
    sign,
    solution,
    solution_set,
    split_product,
    stein,
    substitution,
    symmetry,
)

from ._entries import Theme, known, known_by, link, says

theme = Theme()
step, holds, wrong, right = theme.step, theme.holds, theme.wrong, theme.right

x, y, t, k = symbols("x y t k", real=True)
p = Symbol("p", positive=True)
u = Symbol("u", real=True)
n, m = symbols("n m", integer=True, nonnegative=True)
G, H, X, Y = symbols("G H X Y", real=True)
f, g = Function("f", real=True), Function("g", real=True)
far = 10**9
tiny = Rational(1, 10**45)
normal = standard_normal(G)
pair = standard_normal(G, H)


def E(expr, law=normal):
    return Expectation(expr, law)


# The formatter would give each argument of an entry its own line.
# fmt: off

# -- a lemma at values that its symbols do not allow -------------------------------------------

square = known_by("square", x**2, ">=", 0, sign)
step("lemma at a root that may be imaginary", far - y, ">=", 0, lemma("square", x=sqrt(far - y)),
     checks="rule", others=(square,))
holds("lemma at a root that is real", p, ">=", 0, lemma("square", x=sqrt(p)), others=(square,))
step("lemma at an arc sine that may be complex", asin(y / far) ** 2, ">=", 0,
     lemma("square", x=asin(y / far)), checks="rule", others=(square,))
step("lemma at a logarithm that may be complex", log(y + far) ** 2, ">=", 0,
     lemma("square", x=log(y + far)), checks="rule", others=(square,))
holds("lemma at a logarithm that is real", log(p) ** 2, ">=", 0, lemma("square", x=log(p)),
      others=(square,))
of_a_function = known_by("of-a-function", f(x) ** 2, ">=", 0, sign)
holds("lemma with a real function", 4 * y**2, ">=", 0,
      lemma("of-a-function", {x: y, f: Lambda(u, 2 * u)}), others=(of_a_function,))
positive_function = Function("h", positive=True)
step("lemma with a positive function that is negative far out", far - y**2, ">", 0,
     lemma("positive", {x: y, positive_function: Lambda(u, far - u**2)}), checks="rule",
     others=(known("positive", says(positive_function(x), ">", 0),
                   link(f(x) ** 2 + 1, ">", 0, sign)),))

# -- a lemma whose values are captured by a bound variable -------------------------------------

apart = known_by("apart", E(f(H) * G, pair), "=", 0, symmetry(G))
step("capture: a function of the bound variable itself", E(G * G, pair), "=", 0,
     lemma("apart", {f: Lambda(u, G)}), others=(apart,))
step("capture: a function of the bound variable, hidden", t + E(tiny * G * G, pair), "=", t,
     lemma("apart", {f: Lambda(u, tiny * G)}), checks="rule", others=(apart,))
holds("no capture: a function of its argument", E(H**2 * G, pair), "=", 0,
      lemma("apart", {f: Lambda(u, u**2)}), others=(apart,))
area = Integral(x * y, (x, 0, 1))
half = known_by("half", area, "=", y / 2, fundamental_theorem(x**2 * y / 2, x))
step("capture: by the variable of an integral", Integral(x * x, (x, 0, 1)), "=", x / 2,
     lemma("half", y=x), others=(half,))
step("capture: by the variable of an integral, hidden",
     t + tiny * Integral(x * x, (x, 0, 1)), "=", t + tiny * x / 2, lemma("half", y=x),
     checks="rule", others=(half,))
holds("no capture: by the variable of an integral", Integral(x * t, (x, 0, 1)), "=", t / 2,
      lemma("half", y=t), others=(half,))
slope = known_by("slope", D(x * t, x), "=", t, differentiate)
step("capture: by the variable of a derivative", D(x * x, x), "=", x, lemma("slope", t=x),
     others=(slope,))
holds("no capture: by the variable of a derivative", D(x * y, x), "=", y, lemma("slope", t=y),
      others=(slope,))
alone = E(X * Integral(G * X, (G, 0, 1)), standard_normal(X))
caught = E(G * Integral(G * G, (G, 0, 1)))
step("capture: by a change of variables", alone, "=", caught, substitution({X: G}, normal))
step("capture: by a change of variables, hidden", t + tiny * alone, "=", t + tiny * caught,
     substitution({X: G}, normal), checks="rule")
copies = {s: IIDSum(f(H), standard_normal(H), s) for s in (n, m)}
unequal = known_by("unequal", E(copies[n] * copies[m]), "=", E(copies[n]) * E(copies[m]),
                   independence)
wrong("sums of copies called independent, that may be made equal", unequal.statement,
      unequal.build_proof(), "1", checks="rule")

# -- equations solved by a division ------------------------------------------------------------

nought = E(erf(t * G))
for name, other in {
    "an expectation": E(cos(y * G)),
    "an integral": Integral(cos(x * y), (x, 0, 1)),
    "a second moment": E(erf(G * t) ** 2),
}.items():
    product = known_by("product", nought * other, "=", 0, symmetry(G))
    step(f"a product that vanishes: {name} is not why", t + tiny * other, "=", t, lemma("product"),
         checks="rule", others=(product,))
    holds(f"a product that vanishes: {name}, as a whole", t + nought * other, "=", t,
          lemma("product"), others=(product,))

# -- inequalities between what is not defined everywhere ---------------------------------------

step("sign: a pole cancels", 1 / x + 1, ">", 1 / x, sign, checks="rule")
step("sign: a common factor that may vanish", (x**2 - 1) / (x - 1), ">", x, sign, checks="rule")
step("sign: roots that may be imaginary cancel", sqrt(far - x) + 1, ">", sqrt(far - x), sign,
     checks="rule")
step("sign: logarithms that may be complex cancel", log(x + far) + 1, ">", log(x + far), sign,
     checks="rule")
step("sign: a quotient by itself", Mul(x, 1 / x, evaluate=False), ">", 0, sign, checks="rule")
holds("sign: no pole", 1 / p + 1, ">", 1 / p, sign)
holds("sign: a factor that does not vanish", (p**2 - 1) / (p + 1), "<", p, sign)
holds("sign: real roots", sqrt(p) + 1, ">", sqrt(p), sign)
step("sign: a bound that is passed far out", x, "<=", far, sign, checks="rule")
step("sign: a square less next to nothing", (x - 1) ** 2, ">=", tiny, sign, checks="rule")
step("sign: an integral between ends in no known order", Integral(exp(u), (u, x, far)), ">=", 0,
     sign, checks="rule")
holds("sign: an integral between ends in order", Integral(exp(u), (u, -p, p)), ">=", 0, sign)
step("sign: of an integral whose variable only claims to be positive",
     Integral(p, (p, -(x**2), far)), ">=", 0, sign, checks="rule")
shifted = monotone(u, u, far - x, far,
                   derivative=link(D(u, u), "=", 1, differentiate).ge(0, by=sign))
step("monotone: points in no known order", far - x, "<=", far, shifted, checks="rule")

# -- roots of exponentials, and other principal values -----------------------------------------

step("root of an exponential: an arc sine beyond its domain",
     sqrt(exp(6 * asin(x / far))), "=", exp(3 * asin(x / far)), algebra, checks="rule")
step("root of an exponential: an imaginary root",
     sqrt(exp(2 * sqrt(far - x))), "=", exp(sqrt(far - x)), algebra, checks="rule")
z = Symbol("z")
step("root of an exponential: a complex variable", sqrt(exp(z)), "=", exp(z / 2), algebra,
     checks="rule")
holds("root of an exponential: a real variable", sqrt(exp(x)), "=", exp(x / 2), algebra)
step("root of a far square", sqrt((x + far) ** 2), "=", x + far, algebra, checks="rule")
holds("root of a square that is positive", sqrt((p + far) ** 2), "=", p + far, algebra)
step("absolute value, far out", Abs(x + far), "=", x + far, algebra, checks="rule")
holds("absolute value, of something positive", Abs(p + far), "=", p + far, algebra)
step("next to nothing is something", erf(x) + tiny, "=", erf(x), algebra, checks="rule")
step("next to one is not one", (1 + tiny) * erf(x), "=", erf(x), algebra, checks="rule")
step("zero times a pole", Mul(0, 1 / x, evaluate=False), "=", 0, algebra, checks="rule")
holds("zero times something", Mul(0, 1 / p, evaluate=False), "=", 0, algebra)
step("division by what vanishes once", (x * y) / y + (y - y**2) / y, "=", x + 1 - y, algebra,
     checks="rule")

# -- smooth by name only -----------------------------------------------------------------------

jump = Piecewise((0, t < far), (1, True))
leap = says(f(jump), "=", f(0))
wrong("by derivative: across a jump far out, inside of an arbitrary function", leap,
      equal_by_derivative(leap, t, at=0, value=algebra, derivative=differentiate), "conclusion",
      checks="rule")
smooth = says(f(x) * (t + 1) - f(x), "=", f(x) * t)
right("by derivative: with an arbitrary function", smooth,
      equal_by_derivative(smooth, t, at=0, value=algebra, derivative=differentiate))
step("Stein: an arbitrary function of a jump", E(G * f(Piecewise((0, G < 20), (1, True)))), "=", 0,
     stein(G), checks="rule")
holds("Stein: an arbitrary function", E(G * f(G)), "=", E(Derivative(f(G), G)), stein(G))
step("fundamental theorem: a pole between the ends, its variable called positive",
     Integral(1 / p**2, (p, -1, 1)), "=", -2, fundamental_theorem(-1 / p, p))
step("fundamental theorem: an odd pole between the ends", Integral(1 / p**3, (p, -1, 1)), "=", 0,
     fundamental_theorem(-1 / p**2 / 2, p))
kink = D(Abs(x - 1), x) ** 2
by_sides = says(kink, "=", 1)


def side(s):
    return link(kink, "=", D(s * (x - 1), x) ** 2, algebra).then(1, by=differentiate)


wrong("derivative at a kink, by sides that both contain it", by_sides,
      cases(by_sides, (Ge(x, 1), side(1)), (Le(x, 1), side(-1))), "case 1.1", checks="rule")

# -- laws that are none ------------------------------------------------------------------------


def squared_size(law, variable, value, by):
    return chain(0).le(Expectation(variable**2, law), by=sign).then(value, by=by)


spread = GaussianLaw({X: 0}, [[far - x]])
wrong("law: a variance that may be negative", says(far - x, ">=", 0),
      squared_size(spread, X, far - x, stein(X)), "1", checks="rule")
right("law: a variance that is positive", says(p, ">=", 0),
      squared_size(GaussianLaw({X: 0}, [[p]]), X, p, stein(X)))
wrong("law: noise of a variance that may be negative", says(far - x, ">=", 0),
      squared_size(NoiseLaw(Y, far - x), Y, far - x, noise_moments), "1", checks="rule")
right("law: noise of a positive variance", says(p, ">=", 0),
      squared_size(NoiseLaw(Y, p), Y, p, noise_moments))
supposed = E((X + Y) ** 2, GaussianLaw({X: 0, Y: 0}, [[1, x / far], [x / far, 1]]))
holds("law: a correlation that the statement supposes", supposed, ">=", 0, sign)
wrong("law: a correlation that the statement does not speak of", says(2 + 2 * x / far, ">=", 0),
      link(2 + 2 * x / far, "=", supposed, stein(X, Y)).ge(0, by=sign), "2", checks="rule")
holds("law: a square of a Gaussian variable", E(S.Zero), "<=", E(G**2), inside(sign))

# -- complex unknowns --------------------------------------------------------------------------


def two_roots(unknown, slope=1):
    product = sinh(slope * unknown) * (unknown - 1)
    goal = Equivalent(says(product, "=", 0),
                      Or(says(unknown, "=", 0), says(unknown, "=", 1), evaluate=False),
                      evaluate=False)
    tree = split_product(product, only_at(sinh(slope * unknown), unknown, 0, solution()),
                         only_at(unknown - 1, unknown, 1, solution()))
    return goal, solution_set(goal, [unknown], tree)


unreal = Symbol("c", zero=False)
wrong("solutions: a complex unknown", *two_roots(z), "case.1.only root", checks="rule")
wrong("solutions: a complex slope", *two_roots(x, unreal), "case.1.only root", checks="rule")
right("solutions: a real unknown", *two_roots(x))
right("solutions: a real slope", *two_roots(x, Symbol("c", real=True, nonzero=True)))

# -- cases -------------------------------------------------------------------------------------

whole = says(x**2 + 1, ">=", 1)
by_sign = link(x**2 + 1, ">=", 1, sign)
root = sqrt(far - x)
wrong("cases: of the sign of what may be imaginary", whole,
      cases(whole, (Ge(root, 0), by_sign), (Lt(root, 0), by_sign)), "conclusion", checks="rule")
right("cases: of the sign of what is real", whole,
      cases(whole, (Ge(1 - x, 0), by_sign), (Lt(1 - x, 0), by_sign)))
wrong("cases: a single point far out is left out", whole,
      cases(whole, (Lt(x, far), by_sign), (Lt(far, x), by_sign)), "conclusion", checks="rule")
wrong("cases: unequal is not all", whole, cases(whole, (Ne(x, far), by_sign)), "conclusion",
      checks="rule")

# -- what is equal at sight, or cancels, has to be defined all the same ------------------------

hole = (x**2 + x) / x
step("a gap is filled", hole, "=", x + 1, algebra, checks="rule")
step("a gap is made", x + 1, "=", hole, algebra, checks="rule")
whole_line = (p**2 + p) / p
holds("no gap among positive numbers", whole_line, "=", p + 1, algebra)
step("multiplied out, with a pole inside", erf(1 / x) * (y + 1), "=", y * erf(1 / x) + erf(1 / x),
     algebra, checks="rule")
holds("multiplied out, away from the pole", erf(1 / x) * (y + 1), "=", y * erf(1 / x) + erf(1 / x),
      algebra, given=(Ne(x, 0),))
step("an order, with a pole inside that cancels", erf(1 / x) + 1, ">=", erf(1 / x), sign,
     checks="rule")
step("an order, with a root inside that cancels", exp(sqrt(far - x)) + 1, ">=", exp(sqrt(far - x)),
     sign, checks="rule")
step("a difference by less than the digits",
     (x - y) * Abs(x - y), "=", x * Abs(y - x) - y * Abs(x - y) + tiny, algebra,
     right=x * Abs(y - x) - y * Abs(x - y), checks="rule")

# -- values at a point ---------------------------------------------------------------------------

# What is put in may hide what it is put into: a pole, a root, what a symbol says of itself.
for name, of, point, value in (
    ("a zero times a pole", x / p * sin(p / x), {x: 0}, 0),
    ("x log x at 0", x * log(x), {x: 0}, 0),
    ("a quotient that becomes 1", y / x, {x: y}, 1),
    ("a root of what may be negative", x * sqrt(y), {x: 0}, 0),
    ("a positive symbol at -1", Abs(p), {p: -1}, -1),
    ("a pole that cancels", (x**2 - 1) * (x - 1) ** -2, {x: 1}, 0),
):
    step(f"value at a point: {name}", at(of, point), "=", value, algebra, checks="rule")
for of, point, value in (
    (x**2 * y, {x: y}, y**3),
    (sqrt(1 - x**2) + p, {x: 1}, p),
    (y / x, {x: p}, y / p),
    (at(x * y, {x: y}) + t, {y: t}, t**2 + t),
):
    holds(f"value at a point: {of}", at(of, point), "=", value, algebra)

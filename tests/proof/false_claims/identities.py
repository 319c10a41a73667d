"""False identities: flipped signs, missing roots, one letter for another, decimals for numbers."""

from sympy import (
    Abs,
    Integer,
    Mul,
    Rational,
    Symbol,
    acos,
    asin,
    atan,
    cos,
    cosh,
    erf,
    erfc,
    exp,
    log,
    pi,
    sin,
    sinh,
    sqrt,
    symbols,
    tanh,
)

from slrsym.gaussian import OwensT, erf_prime, erf_second, zeta
from slrsym.notation import A, B, a, gamma, lam, nu, s, t
from slrsym.proof import algebra, definition, lemma

from ._entries import Theme, link, says, unchecked

theme = Theme()
step, right = theme.step, theme.right

x, y, h = symbols("x y h", real=True)
p, q = symbols("p q", positive=True)
r = Symbol("r", real=True)

# -- the paper's letters -----------------------------------------------------------------------

step("A squared, with gamma for gamma squared", A**2, 1 + 2 * lam**2 * gamma, 1 + 2 * s**2, algebra)
step("B squared, of A", B**2, 1 + 2 * s**2, 2 * A**2 - 1, algebra)
step("B for A in a bell", erf_prime(t / A) / A, erf_prime(t / B) / B, erf_prime(-a) / A, algebra)
step("a square root of A is missing", a * A**2, a, t * A, algebra)
step("A B for A squared", 1 / (A * B), 1 / A**2, A * B / (A**2 * B**2), algebra)
step(
    "the exponent of a bell",
    erf_prime(a),
    2 / sqrt(pi) * exp(-t / A),
    2 / sqrt(pi) * exp(-(t**2) / A**2),
    algebra,
)
step("erf'' without its argument", erf_second(a), -2 * erf_prime(a), -2 * a * erf_prime(a), algebra)
step(
    "square completed without the square",
    1 - 2 * nu * erf(a) + erf(a) ** 2,
    (1 - nu * erf(a)) ** 2,
    (nu - erf(a)) ** 2 + 1 - nu**2,
    algebra,
)
step("arguments of Owen's T exchanged", OwensT(x, y), OwensT(y, x), OwensT(-x, y), algebra)
step("Owen's T odd in both", OwensT(-x, -y), OwensT(x, y), -OwensT(x, y), algebra)
step("arguments of zeta exchanged", zeta(x, y), zeta(y, x), zeta(-x, -y), algebra)
step(
    "Owen's T at one, without the square",
    OwensT(h, 1),
    (1 - erf(h / sqrt(2))) / 8,
    (1 - erf(h / sqrt(2)) ** 2) / 8,
    lemma("owens-t-at-one"),
)
step(
    "Owen's T at one, without the root",
    OwensT(h, 1),
    (1 - erf(h / 2) ** 2) / 8,
    (1 - erf(h / sqrt(2)) ** 2) / 8,
    lemma("owens-t-at-one"),
)
step(
    "zeta by Owen's T, 4 for 8",
    zeta(x, y),
    1 - 4 * OwensT(sqrt(2) * x / sqrt(1 + 2 * y**2), 1 / sqrt(1 + 4 * y**2)),
    1 - 8 * OwensT(sqrt(2) * x / sqrt(1 + 2 * y**2), 1 / sqrt(1 + 4 * y**2)),
    lemma("zeta-owens-t", t=x, s=y),
)

# -- powers, roots, branches -------------------------------------------------------------------

step("root of a square", sqrt(x**2), x, Abs(x), algebra)
step("root of a square of a difference", sqrt((p - q) ** 2), p - q, Abs(p - q), algebra)
step("cube root of a cube", (x**3) ** Rational(1, 3), x, None, algebra)
step("cube root of a positive cube", (p**3) ** Rational(1, 3), p**3, p, algebra)
step("root of a quotient", sqrt(x / y), sqrt(x) / sqrt(y), None, algebra)
step("root of a positive quotient", sqrt(p / q), p / q, sqrt(p) / sqrt(q), algebra)
step("quarter power of an even one", (x**4) ** Rational(1, 4), x, sqrt(Abs(x) ** 2), algebra)
step("nested root", sqrt(3 + 2 * sqrt(2)), 1 + 2 * sqrt(2), None, algebra)
step("logarithm of a square", log(x**2), 2 * log(x), None, algebra)
step("logarithm of a product", log(x * y), log(x) + log(y), None, algebra)
step("logarithm of a sum", log(p + q), log(p) + log(q), None, algebra)
step("arc sine of a sine", asin(sin(x)), x, None, algebra)
step(
    "arc cosine is not even",
    acos(-x),
    acos(x),
    pi / 2 + asin(x),
    algebra,
    given=(x >= -1, x <= 1),
)
step("arc tangent of a reciprocal", atan(1 / x), pi / 2 - atan(x), None, algebra)
step("absolute value of a sum", Abs(x + y), Abs(x) + Abs(y), Abs(y + x), algebra)
step("absolute value times itself", Abs(x) * x, x**2, Abs(-x) * x, algebra)
step("true for positive t only", Abs(x) + x, 2 * x, sqrt(x**2) + x, algebra)
right("true for positive t", says(Abs(p) + p, "=", 2 * p), link(Abs(p) + p, "=", 2 * p, algebra))
right(
    "true where x is positive by hypothesis",
    says(Abs(x) + x, "=", 2 * x),
    link(Abs(x) + x, "=", 2 * x, algebra),
    given=(x >= 0,),
)
step("a hypothesis of the wrong sign", Abs(x) + x, 2 * x, 0, algebra, given=(x <= 0,))
step("exp of a difference", exp(x - y), exp(x) - exp(y), exp(x) / exp(y), algebra)
step("double angle", sin(2 * x), 2 * sin(x), 2 * sin(x) * cos(x), algebra)
step("hyperbolic for circular", cosh(x) ** 2 + sinh(x) ** 2, 1, 1 + 2 * sinh(x) ** 2, algebra)
step("erfc is not odd", erfc(-x), -erfc(x), 2 - erfc(x), algebra)
step("a quotient of sums", (p + x) / (p + q), x / q, x / (p + q) + p / (p + q), algebra)
step("zero to the power of zero is one", Mul(0, x, evaluate=False) + 1, 0, 1, algebra)

# -- true to some digits only ------------------------------------------------------------------

near = {
    "Ramanujan's constant": (exp(pi * sqrt(163)), Integer(640320) ** 3 + 744),
    "exp(pi sqrt 58)": (exp(pi * sqrt(58)), Integer(396) ** 4 - 104),
    "exp(pi) - pi": (exp(pi) - pi, Integer(20)),
    "erf of 8 is one, 28 digits": (erf(8), Integer(1)),
    "tanh of 34 is one, 29 digits": (tanh(34), Integer(1)),
    "cosine of next to nothing": (cos(Rational(1, 10**13)), Integer(1)),
    "sine of 11 times": (sin(11), -cos(Rational(57522, 10**10)) * 1),
    "a root by its convergent, 19 digits": (sqrt(2), Rational(1855077841, 1311738121)),
    "erf perturbed by 1e-20": (erf(x) + Rational(1, 10**20), erf(x)),
    "erf perturbed by a factor": (erf(x) * (1 + Rational(1, 10**22)), erf(x)),
    "a bell perturbed in its exponent": (exp(-(x**2) * (1 + Rational(1, 10**18))), exp(-(x**2))),
}  # fmt: skip
for name, (one, other) in near.items():
    step(f"digits: {name}", one, other, None, algebra)
step(
    "digits: pi by a logarithm, 30 digits",
    log(Integer(640320) ** 3 + 744) / sqrt(163),
    pi,
    None,
    algebra,
    checks="rule",
)
for name in ("erf perturbed by 1e-20", "Ramanujan's constant"):
    step(f"digits, whatever the rule: {name}", *near[name], None, unchecked, checks="numeric")
step(
    "digits, whatever the rule: a decimal for pi",
    pi * x,
    Rational(31415926535897932385, 10**19) * x,
    None,
    unchecked,
    checks="numeric",
)
right(
    "digits: an exact root",
    says(sqrt(8), "=", 2 * sqrt(2)),
    link(sqrt(8), "=", 2 * sqrt(2), algebra),
)

# -- definitions -------------------------------------------------------------------------------

step(
    "definition of Owen's T: without 2 pi",
    2 * pi * OwensT(h, y),
    OwensT(h, y),
    2 * pi * OwensT(-h, y),
    definition,
)

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
from slrsym.papers.single_location.notation import A, B, a, gamma, lam, nu, s, t
from slrsym.proof import algebra, definition, lemma

from ._entries import Theme, unchecked

theme = Theme()
step, holds = theme.step, theme.holds

x, y, h = symbols("x y h", real=True)
p, q = symbols("p q", positive=True)
r = Symbol("r", real=True)

# The formatter would give each argument of an entry its own line.
# fmt: off

# -- the paper's letters -----------------------------------------------------------------------

step("A squared, with gamma for gamma squared", A**2, "=", 1 + 2 * lam**2 * gamma, algebra,
     right=1 + 2 * s**2)
step("B squared, of A", B**2, "=", 1 + 2 * s**2, algebra, right=2 * A**2 - 1)
step("B for A in a bell", erf_prime(t / A) / A, "=", erf_prime(t / B) / B, algebra,
     right=erf_prime(-a) / A)
step("a square root of A is missing", a * A**2, "=", a, algebra, right=t * A)
step("A B for A squared", 1 / (A * B), "=", 1 / A**2, algebra, right=A * B / (A**2 * B**2))
step("the exponent of a bell", erf_prime(a), "=", 2 / sqrt(pi) * exp(-t / A), algebra,
     right=2 / sqrt(pi) * exp(-(t**2) / A**2))
step("erf'' without its argument", erf_second(a), "=", -2 * erf_prime(a), algebra,
     right=-2 * a * erf_prime(a))
step("square completed without the square",
     1 - 2 * nu * erf(a) + erf(a) ** 2, "=", (1 - nu * erf(a)) ** 2, algebra,
     right=(nu - erf(a)) ** 2 + 1 - nu**2)
step("arguments of Owen's T exchanged", OwensT(x, y), "=", OwensT(y, x), algebra,
     right=OwensT(-x, y))
step("Owen's T odd in both", OwensT(-x, -y), "=", OwensT(x, y), algebra, right=-OwensT(x, y))
step("arguments of zeta exchanged", zeta(x, y), "=", zeta(y, x), algebra, right=zeta(-x, -y))
step("Owen's T at one, without the square", OwensT(h, 1), "=", (1 - erf(h / sqrt(2))) / 8,
     lemma("owens-t-at-one"), right=(1 - erf(h / sqrt(2)) ** 2) / 8)
step("Owen's T at one, without the root", OwensT(h, 1), "=", (1 - erf(h / 2) ** 2) / 8,
     lemma("owens-t-at-one"), right=(1 - erf(h / sqrt(2)) ** 2) / 8)
step("zeta by Owen's T, 4 for 8",
     zeta(x, y), "=", 1 - 4 * OwensT(sqrt(2) * x / sqrt(1 + 2 * y**2), 1 / sqrt(1 + 4 * y**2)),
     lemma("zeta-owens-t", t=x, s=y),
     right=1 - 8 * OwensT(sqrt(2) * x / sqrt(1 + 2 * y**2), 1 / sqrt(1 + 4 * y**2)))

# -- powers, roots, branches -------------------------------------------------------------------

step("root of a square", sqrt(x**2), "=", x, algebra, right=Abs(x))
step("root of a square of a difference", sqrt((p - q) ** 2), "=", p - q, algebra, right=Abs(p - q))
step("cube root of a cube", (x**3) ** Rational(1, 3), "=", x, algebra)
step("cube root of a positive cube", (p**3) ** Rational(1, 3), "=", p**3, algebra, right=p)
step("root of a quotient", sqrt(x / y), "=", sqrt(x) / sqrt(y), algebra)
step("root of a positive quotient", sqrt(p / q), "=", p / q, algebra, right=sqrt(p) / sqrt(q))
step("quarter power of an even one", (x**4) ** Rational(1, 4), "=", x, algebra,
     right=sqrt(Abs(x) ** 2))
step("nested root", sqrt(3 + 2 * sqrt(2)), "=", 1 + 2 * sqrt(2), algebra)
step("logarithm of a square", log(x**2), "=", 2 * log(x), algebra)
step("logarithm of a product", log(x * y), "=", log(x) + log(y), algebra)
step("logarithm of a sum", log(p + q), "=", log(p) + log(q), algebra)
step("arc sine of a sine", asin(sin(x)), "=", x, algebra)
step("arc cosine is not even", acos(-x), "=", acos(x), algebra, right=pi / 2 + asin(x),
     given=(x >= -1, x <= 1))
step("arc tangent of a reciprocal", atan(1 / x), "=", pi / 2 - atan(x), algebra)
step("absolute value of a sum", Abs(x + y), "=", Abs(x) + Abs(y), algebra, right=Abs(y + x))
step("absolute value times itself", Abs(x) * x, "=", x**2, algebra, right=Abs(-x) * x)
step("true for positive t only", Abs(x) + x, "=", 2 * x, algebra, right=sqrt(x**2) + x)
holds("true for positive t", Abs(p) + p, "=", 2 * p, algebra)
holds("true where x is positive by hypothesis", Abs(x) + x, "=", 2 * x, algebra, given=(x >= 0,))
step("a hypothesis of the wrong sign", Abs(x) + x, "=", 2 * x, algebra, right=0, given=(x <= 0,))
step("exp of a difference", exp(x - y), "=", exp(x) - exp(y), algebra, right=exp(x) / exp(y))
step("double angle", sin(2 * x), "=", 2 * sin(x), algebra, right=2 * sin(x) * cos(x))
step("hyperbolic for circular", cosh(x) ** 2 + sinh(x) ** 2, "=", 1, algebra,
     right=1 + 2 * sinh(x) ** 2)
step("erfc is not odd", erfc(-x), "=", -erfc(x), algebra, right=2 - erfc(x))
step("a quotient of sums", (p + x) / (p + q), "=", x / q, algebra, right=x / (p + q) + p / (p + q))
step("zero to the power of zero is one", Mul(0, x, evaluate=False) + 1, "=", 0, algebra, right=1)

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
    step(f"digits: {name}", one, "=", other, algebra)
step("digits: pi by a logarithm, 30 digits", log(Integer(640320) ** 3 + 744) / sqrt(163), "=", pi,
     algebra, checks="rule")
for name in ("erf perturbed by 1e-20", "Ramanujan's constant"):
    one, other = near[name]
    step(f"digits, whatever the rule: {name}", one, "=", other, unchecked, checks="numeric")
step("digits, whatever the rule: a decimal for pi",
     pi * x, "=", Rational(31415926535897932385, 10**19) * x, unchecked, checks="numeric")
holds("digits: an exact root", sqrt(8), "=", 2 * sqrt(2), algebra)

# -- definitions -------------------------------------------------------------------------------

step("definition of Owen's T: without 2 pi", 2 * pi * OwensT(h, y), "=", OwensT(h, y), definition,
     right=2 * pi * OwensT(-h, y))

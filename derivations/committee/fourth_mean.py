"""The mean of two slopes and two outputs, which the spread of stochastic descent is made of.

The four fields are jointly Gaussian and centred; their covariance matrix is C C^T with C lower
triangular, as every covariance matrix is. Fields may coincide.
"""

from sympy import Eq, Function, Lambda, Matrix, Symbol, asin, erf, exp, pi, sqrt, symbols

from slrsym.gaussian import Expectation, GaussianLaw, erf_prime, standard_normal
from slrsym.proof import Claim, algebra, chain, gaussian_calculus, inside, lemma, linearity

a, b, c, d = fields = symbols("a b c d", real=True)
G = G1, G2, G3, G4 = symbols("G_1:5", real=True)
x, y = symbols("x y", real=True)
C = Matrix(4, 4, lambda i, j: Symbol(f"c_{i + 1}{j + 1}", real=True) if j <= i else 0)
V = C * C.T
law = GaussianLaw(dict.fromkeys(fields, 0), V)


def g(u):
    return erf(u / sqrt(2))


def slope(u):
    return erf_prime(u / sqrt(2)) / sqrt(2)


L_4 = (1 + V[0, 0]) * (1 + V[1, 1]) - V[0, 1] ** 2


def left_over(i, j, one=0):
    """Return L_0, and with one the abbreviations L_1 and L_2."""
    across = V[0, 1] * (V[0, i] * V[1, j] + V[0, j] * V[1, i])
    own = V[1, i] * V[1, j] * (1 + V[0, 0]) + V[0, i] * V[0, j] * (1 + V[1, 1])
    return L_4 * (one + V[i, j]) - own + across


# How these are written: p and q are the covariances of c and d with a and b, z those of c and d.
p_c, p_d, q_c, q_d, z_c, z_d, z_cd = symbols("p_c p_d q_c q_d z_c z_d z", real=True)
Lambda_4 = Symbol("Lambda_4", positive=True)
p, q, s, t, x = symbols("p q s t x", real=True)
form = Function("F", real=True)
own = q * t * (1 + V[0, 0]) + p * s * (1 + V[1, 1])
written = {
    **{Function("g", real=True)(u): g(u) for u in (c, d, y)},
    **{Function("g'", real=True)(u): slope(u) for u in (a, b, y)},
    form(p_c, q_c, p_d, q_d, z_cd): left_over(2, 3),
    form(p_c, q_c, p_c, q_c, 1 + z_c): left_over(2, 2, 1),
    form(p_d, q_d, p_d, q_d, 1 + z_d): left_over(3, 3, 1),
    form(p, q, s, t, x): L_4 * x - own + V[0, 1] * (p * t + s * q),
    Lambda_4: L_4,
    **{covariance: V[i, j] for covariance, i, j in (
        (p_c, 0, 2), (q_c, 1, 2), (p_d, 0, 3), (q_d, 1, 3), (z_c, 2, 2), (z_d, 3, 3), (z_cd, 2, 3)
    )},
}  # fmt: skip

spread = Claim(
    id="committee-slopes-outputs",
    title="$I_4$, the mean of two slopes times two outputs, in closed form",
    statement=Eq(
        Expectation(slope(a) * slope(b) * g(c) * g(d), law),
        4
        / pi**2
        / sqrt(L_4)
        * asin(left_over(2, 3) / sqrt(left_over(2, 2, 1) * left_over(3, 3, 1))),
        evaluate=False,
    ),
    source="Section 1",
    notation=written,
)


@spread.proof
def _(goal):
    """Absorb both slopes into the law; what is left is the mean product of two outputs."""
    bells = exp(-(a**2) / 2) * exp(-(b**2) / 2) * g(c) * g(d)
    absorbed = lemma("gaussian-tilt-two", f=Lambda((x, y), g(x) * g(y)))
    small = 1 + C[1, 1] ** 2
    root = sqrt(1 + C[0, 0] ** 2 + C[1, 0] ** 2 / small)
    wide = 1 + C[0, 0] ** 2 + C[1, 0] ** 2 + C[1, 1] ** 2 + C[0, 0] ** 2 * C[1, 1] ** 2

    def after(i):
        form = sum(C[i, j] * G[j] for j in range(4))
        form = form.subs(G2, -C[1, 0] * C[1, 1] * G1 / small + G2 / sqrt(small))
        return form.subs(G1, G1 / root)

    product = Expectation(g(after(2)) * g(after(3)), standard_normal(*G))
    return (
        chain(goal.lhs)
        .then(Expectation(2 / pi * bells, law), by=inside(algebra))
        .then(2 / pi * Expectation(bells, law), by=linearity)
        .then(2 / pi / sqrt(wide) * product, by=absorbed)
        .then(goal.rhs, by=gaussian_calculus)
    )

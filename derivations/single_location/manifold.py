"""The manifold (11) and a step on it."""

from sympy import (
    And,
    Eq,
    Ge,
    Gt,
    IndexedBase,
    Integer,
    Le,
    Lt,
    Matrix,
    Sum,
    Symbol,
    sqrt,
    symbols,
)

from slrsym.papers.single_location.notation import eta, kappa, nu, rho, theta
from slrsym.proof import Claim, D, algebra, all_of, at, chain, differentiate, sign

N = Symbol("N", integer=True, positive=True)
n = Symbol("n", integer=True)


def vector(name):
    """A coordinate of a vector of R^N."""
    return IndexedBase(name, shape=(N,), real=True)[n]


def total(f):
    return Sum(f, (n, 1, N))


# -- a step ------------------------------------------------------------------------------------

# By Lemma 14 a step on the manifold takes k to c k + e k*, and v to c_2 v + e_2 v*.
K, V, K_star, V_star = map(vector, ("k", "v", "k^*", "v^*"))
c, e, c_2, e_2, s = symbols("c e c_2 e_2 s", real=True)
K_next, V_next = c * K + e * K_star, c_2 * V + e_2 * V_star
stars = total(K_star * V_star)
after = {
    total(V_next * K_star): c_2 * total(V * K_star) + e_2 * stars,
    total(K_next * V_star): c * total(K * V_star) + e * stars,
    total(K_next * V_next): c * c_2 * total(K * V)
    + c * e_2 * total(K * V_star)
    + e * c_2 * total(K_star * V)
    + e * e_2 * stars,
    # What is left of convergence to s k*, where s is 1 or -1.
    total((K - s * K_star) ** 2): total(K**2) - 2 * s * total(K * K_star) + s**2 * total(K_star**2),
}

step = Claim(
    id="manifold-step",
    title=(
        "The inner products of $c k + e k*$ and $c_2 v + e_2 v*$, the form of a step on the "
        "manifold, and $|k - s k*|^2$, in terms of those of $k$, $v$, $k*$, $v*$"
    ),
    statement=And(
        *(Eq(now, value, evaluate=False) for now, value in after.items()), evaluate=False
    ),
    source="Lemma 4 and Theorem 5: the manifold is invariant, and overlaps decide on convergence",
)


@step.proof
def _(goal):
    """Multiply out."""
    return all_of(*(chain(part.lhs).then(part.rhs, by=algebra) for part in goal.args))


# -- its equations -----------------------------------------------------------------------------

# Coordinates in an orthonormal basis of which the first two vectors are k* and v*, and which spans
# k and v with its first four.
k, v = symbols("k_1:5", real=True), symbols("v_1:5", real=True)
coordinates = (*k, *v)


def dot(p, q):
    return sum(x * y for x, y in zip(p, q, strict=True))


# Two vectors of length 1 with k . v = 0; the other two equations are k_2 = 0 and v_1 = 0.
lengths, angle = (dot(k, k) / 2, dot(v, v) / 2), dot(k, v)


def gradients(f, g):
    """Over the coordinates that both have: by every other one a derivative is zero."""
    both = f.free_symbols & g.free_symbols
    return sum(D(f, x) * D(g, x) for x in coordinates if x in both)


products = (
    (gradients(lengths[0], lengths[0]), dot(k, k)),
    (gradients(lengths[1], lengths[1]), dot(v, v)),
    (gradients(angle, angle), dot(k, k) + dot(v, v)),
    (gradients(lengths[0], angle), angle),
    (gradients(lengths[1], angle), angle),
    (D(lengths[0], k[1]), k[1]),
    (D(lengths[1], v[0]), v[0]),
    (D(angle, k[1]), v[1]),
    (D(angle, v[0]), k[0]),
)

gram = Claim(
    id="manifold-gradients",
    title=(
        "The inner products, among those of the gradients of the five equations of the "
        "manifold, that depend on $k$ and $v$, written out for $d = 4$"
    ),
    statement=And(*(Eq(*pair, evaluate=False) for pair in products), evaluate=False),
    source="(11)",
    notation=dict(zip(symbols("p q r", real=True), (*lengths, angle), strict=True)),
)


@gram.proof
def _(goal):
    """Differentiate; the other inner products are 0, or of constant gradients."""
    return all_of(*(chain(part.lhs).then(part.rhs, by=differentiate) for part in goal.args))


# On the manifold, with what is left of k beside k*, and of v beside v*, for further directions.
zero = Matrix([0] * 4)
k_star, v_star = Matrix([1, 0, 0, 0]), Matrix([0, 1, 0, 0])
k_rest, v_rest = symbols("k_3 v_4", real=True)
k_here, v_here = Matrix([kappa, 0, k_rest, 0]), Matrix([0, nu, 0, v_rest])


def on_spheres(expr):
    """An expression in the coordinates of k and v, where these are unit vectors."""
    return at(expr, {k_rest: sqrt(1 - kappa**2), v_rest: sqrt(1 - nu**2)})


def determinant(*gradients):
    """The Gram determinant of vectors that are put together of others."""
    rows = [Matrix.vstack(*parts) for parts in gradients]
    products = Matrix(len(rows), len(rows), lambda i, j: rows[i].dot(rows[j]))
    return on_spheres(products.det(method="berkowitz"))


of_k, of_v = ((k_here, zero), (v_star, zero)), ((zero, v_here), (zero, k_star))
volume = (
    (determinant(*of_k, *of_v, (v_here, k_here)), 2 - kappa**2 - nu**2),
    (determinant((k_here,), (v_star,)), Integer(1)),
    (determinant((v_here,), (k_star,), (k_here,)), 1 - kappa**2),
)

on_square = [Ge(kappa, -1), Le(kappa, 1), Ge(nu, -1), Le(nu, 1)]

determinants = Claim(
    id="manifold-volume",
    title=(
        "On the manifold, the gradients of its equations have the Gram determinant $2 - kappa^2 - "
        "nu^2$"
    ),
    statement=And(*(Eq(*pair, evaluate=False) for pair in volume), evaluate=False),
    source="new; of all equations, of those of $k$ alone, of those of $v$ given $k$",
    hypotheses=on_square,
)


@determinants.proof
def _(goal):
    """The last product is 2, and what is left has $kappa$ and $nu$ beside the diagonal."""
    return all_of(*(chain(part.lhs).then(part.rhs, by=algebra) for part in goal.args))


regular = Claim(
    id="manifold-regular",
    title=(
        "The Gram determinant $2 - kappa^2 - nu^2$ of the manifold's equations is positive unless "
        "$|kappa|$ and $|nu|$ are both 1"
    ),
    statement=Gt(2 - kappa**2 - nu**2, 0),
    source=(
        "new; there the gradients of its five equations in $R^(2d)$ are independent, and the "
        "manifold is smooth"
    ),
    hypotheses=[*on_square, Lt(kappa**2 * nu**2, 1)],
)


@regular.proof
def _(goal):
    """The determinant is at least $1 - kappa^2 nu^2$."""
    return chain(goal.lhs).ge(1 - kappa**2 * nu**2, by=sign).gt(0, by=sign)


# -- the four points where it is singular ------------------------------------------------------

a, b = map(vector, "ab")
# What is left of k beside k*, and of v beside v*: vectors a and b of the N = d - 2 dimensions that
# are orthogonal to k* and v*.
long_a, long_b = total(a**2), total(b**2)

cone = Claim(
    id="manifold-cone",
    title=(
        "If $|a|, |b| < 1$, then $sqrt(1 - |a|^2) k* + a$ and $sqrt(1 - |b|^2) v* + b$, with $a$, "
        "$b$ orthogonal to $k*$, $v*$, have length 1; $4 a . b$ is $|a + b|^2 - |a - b|^2$"
    ),
    statement=And(
        *(Eq(at(c**2 + x, {c: sqrt(1 - x)}), 1, evaluate=False) for x in (long_a, long_b)),
        Eq(total((a + b) ** 2) - total((a - b) ** 2), 4 * total(a * b)),
        evaluate=False,
    ),
    source=(
        "new; $k = +-sqrt(1 - |a|^2) k* + a$ and $v = +-sqrt(1 - |b|^2) v* + b$ have $k . v = a . "
        "b$, if $a$ is orthogonal to $v*$, too, and $b$ to $k*$: near $(+-k*, +-v*)$ the manifold "
        "is the cone $a . b = 0$"
    ),
    hypotheses=[Lt(long_a, 1), Lt(long_b, 1)],
)


@cone.proof
def _(goal):
    """By Pythagoras, and multiplying out."""
    return all_of(*(chain(part.lhs).then(part.rhs, by=algebra) for part in goal.args))


# -- the distance from it ----------------------------------------------------------------------

# From k = v*, v = k* to a pair on the manifold.
squared = sum((p - q).dot(p - q) for p, q in ((v_star, k_here), (k_star, v_here)))
swap = {theta: 1, eta: 1, rho: 0}

distance = Claim(
    id="manifold-distance",
    title=(
        "The distance of $k = v*$, $v = k*$ from the manifold is 2, whereas $(theta^2 + eta^2 + "
        "rho^2)^(1/2)$ is $sqrt(2)$ there"
    ),
    statement=And(
        Eq(on_spheres(squared), 2**2, evaluate=False),
        Eq(at(sqrt(theta**2 + eta**2 + rho**2), swap), sqrt(2), evaluate=False),
        evaluate=False,
    ),
    source="Appendix E.2, where $(theta^2 + eta^2 + rho^2)^(1/2)$ is called the distance to $M$",
    compared_to_source="false: $sqrt(theta^2 + eta^2 + rho^2)$ is not the distance to the manifold",
    hypotheses=on_square,
)


@distance.proof
def _(goal):
    """There $k = v*$ is orthogonal to all $k$ on the manifold, and $v = k*$ to all $v$."""
    return all_of(*(chain(part.lhs).then(part.rhs, by=algebra) for part in goal.args))

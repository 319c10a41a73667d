"""Theorem 5 in few dimensions: false for $d = 2$, and what the manifold is for $d = 3$."""

from sympy import And, Eq, Equivalent, Gt, Matrix, Or, Symbol, sqrt, symbols

from slrsym.papers.single_location.notation import alpha
from slrsym.papers.single_location.planar import risk
from slrsym.proof import (
    Claim,
    algebra,
    all_of,
    at,
    by_claim,
    chain,
    lemma,
    never,
    only_at,
    solution,
    solution_set,
    split_product,
)

# -- two dimensions ----------------------------------------------------------------------------

# Coordinates along k* and v*.
k, v = symbols("k_1:3", real=True), symbols("v_1:3", real=True)


def dot(p, q):
    return sum(x * y for x, y in zip(p, q, strict=True))


def is_at(*values):
    return And(*(Eq(x, y) for x, y in zip((*k, *v), values, strict=True)))


# Two unit vectors, theta = eta = 0; then rho vanishes, too.
theta, eta = v[0], k[1]
manifold = (theta, eta, dot(k, k) - 1, dot(v, v) - 1)
four = [(s, 0, 0, r) for s in (1, -1) for r in (1, -1)]

points = Claim(
    id="theorem-5-plane-manifold",
    title="For $d = 2$ the manifold consists of four points",
    statement=Equivalent(
        And(*(Eq(e, 0) for e in (*manifold, dot(k, v)))), Or(*(is_at(*point) for point in four))
    ),
    source="(11)",
)


@points.proof
def _(goal):
    """A unit vector of the plane that is orthogonal to $v*$ is $k*$ or $-k*$; so for $v$."""

    def ends(equation, x, then):
        return split_product(
            equation, only_at(x - 1, x, 1, then=then), only_at(x + 1, x, -1, then=then)
        )

    tree = ends(manifold[2], k[0], ends(manifold[3], v[1], solution()))
    tree = split_product(eta, only_at(eta, k[1], 0, then=tree))
    return solution_set(goal, (*k, *v), split_product(theta, only_at(theta, v[0], 0, then=tree)))


# What multiplies k* in the gradient in k, and v* in that in v; by Lemma 14 there is nothing else.
p, q = symbols("p q", real=True)


def step(point, gradient):
    """One step (10)."""
    moved = point - alpha * (gradient - point.dot(gradient) * point)
    return moved / sqrt(moved.dot(moved))


k_star, v_star = Matrix([1, 0]), Matrix([0, 1])
k_now, v_now = k_star, -v_star
moves = (
    (step(Matrix(k), p * k_star) - Matrix(k), dict(zip(k, k_now, strict=True))),
    (step(Matrix(v), q * v_star) - Matrix(v), dict(zip(v, v_now, strict=True))),
)
still = [at(x, point) for move, point in moves for x in move]

counterexample = Claim(
    id="theorem-5-plane",
    title=(
        "For $d = 2$ the start $(k*, -v*)$ on the manifold never moves, though its risk exceeds "
        "the oracle's"
    ),
    statement=And(
        points.statement,
        *(Eq(x, 0, evaluate=False) for x in still),
        Gt(risk(1, -1), risk(1, 1), evaluate=False),
        evaluate=False,
    ),
    source="against Theorem 5, which does not suppose $d >= 3$; $(-k*, v*)$ by symmetry",
    compared_to_source="false: for $d = 2$, which Theorem 5 and Proposition 13 do not exclude",
)


@counterexample.proof
def _(goal):
    """At $(k*, -v*)$ both gradients point along the vectors themselves."""
    less = chain(risk(1, -1)).gt(risk(1, 1), by=lemma("proposition-10-minimum-edge", nu=-1))
    return all_of(
        by_claim(points.statement, "theorem-5-plane-manifold"),
        *(chain(x).then(0, by=algebra) for x in still),
        less,
    )


# -- three dimensions --------------------------------------------------------------------------

# Coordinates along k*, v* and a third axis, with theta = eta = 0: k = (x, 0, z), v = (0, y, w).
x, y, w = symbols("x y w", real=True)
z = Symbol("z", real=True, nonzero=True)

circles = Claim(
    id="theorem-5-space-manifold",
    title=(
        "For $d = 3$, a pair on the manifold with $k$ other than $+-k*$ has $v = v*$ or $v = -v*$"
    ),
    statement=Equivalent(
        And(Eq(z * w, 0), Eq(y**2 + w**2 - 1, 0)),
        Or(And(Eq(w, 0), Eq(y, 1)), And(Eq(w, 0), Eq(y, -1))),
    ),
    source="new; so a uniform $k$, and then a uniform $v$, has $v = +-v*$ with probability 1",
)


@circles.proof
def _(goal):
    """Then $k . v = z w$ vanishes only if $w$ does."""
    then = split_product(
        y**2 + w**2 - 1,
        only_at(y - 1, y, 1, then=solution()),
        only_at(y + 1, y, -1, then=solution()),
    )
    return solution_set(goal, (w, y), split_product(z * w, never(z), only_at(w, w, 0, then=then)))

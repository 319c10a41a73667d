"""Tangent planes of smooth functions of vectors."""

from sympy import Ge, Le, Symbol, Trace

from slrsym.matrices import Size, matrix, smooth_function
from slrsym.proof import Claim, Convex, Smooth, chain, tangent_plane

d = Size("d")
h = smooth_function("h", d)
x, y = matrix("x", d, 1), matrix("y", d, 1)
L, m = Symbol("L", nonnegative=True), Symbol("m", nonnegative=True)
eta = Symbol("eta", positive=True)


def square(v):
    """The squared length of a vector."""
    return Trace(v.T * v)


plane = h(x) + Trace(h.gradient(x).T * (y - x))
step = x - eta * h.gradient(x)

descent_lemma = Claim(
    id="descent-lemma-vectors",
    title="The descent lemma for a smooth function of a vector",
    hypotheses=[Smooth(h, L)],
    statement=Le(h(y), plane + L / 2 * square(y - x)),
    source="standard",
)


@descent_lemma.proof
def _(goal):
    """The bound of the Hessian is integrated twice on the line from $x$ to $y$."""
    return chain(goal.lhs).le(goal.rhs, by=tangent_plane((x, y)))


descent_step = Claim(
    id="descent-step-vectors",
    title="What one step of gradient descent gains at least, for a smooth function of a vector",
    hypotheses=[Smooth(h, L)],
    statement=Le(h(step), h(x) - eta * (1 - L * eta / 2) * square(h.gradient(x))),
    source="standard",
)


@descent_step.proof
def _(goal):
    """The descent lemma at the end of the step."""
    return chain(goal.lhs).le(goal.rhs, by=tangent_plane((x, step)))


convex_plane = Claim(
    id="convex-tangent-plane",
    title="A convex smooth function of a vector lies above its tangent planes",
    hypotheses=[Convex(h)],
    statement=Le(plane, h(y)),
    source="standard",
)


@convex_plane.proof
def _(goal):
    """The Hessian is integrated twice on the line from $x$ to $y$."""
    return chain(goal.lhs).le(goal.rhs, by=tangent_plane((x, y)))


strongly_convex_plane = Claim(
    id="strongly-convex-tangent-plane",
    title="A smooth function of a vector whose Hessian is at least $m$, above its tangent planes",
    hypotheses=[Convex(h, m)],
    statement=Le(plane + m / 2 * square(y - x), h(y)),
    source="standard",
)


@strongly_convex_plane.proof
def _(goal):
    """The bound of the Hessian is integrated twice on the line from $x$ to $y$."""
    return chain(goal.lhs).le(goal.rhs, by=tangent_plane((x, y)))


monotone_gradient = Claim(
    id="strongly-monotone-gradient",
    title="The gradient of a smooth function of a vector whose Hessian is at least $m$",
    hypotheses=[Convex(h, m)],
    statement=Ge(Trace((h.gradient(y) - h.gradient(x)).T * (y - x)), m * square(y - x)),
    source="standard",
)


@monotone_gradient.proof
def _(goal):
    """Two inequalities of first order, from $x$ to $y$ and back."""
    return chain(goal.lhs).ge(goal.rhs, by=tangent_plane((x, y), (y, x)))

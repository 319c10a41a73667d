"""Small models whose pictures are drawn."""

from sympy import Symbol, erf

from slrsym.models import Direction, Predictor, Token, TokenSequence, model

w, u = Direction("w"), Direction("u", unit=True)
Q, R = Symbol("Q", positive=True), Symbol("R", real=True)


def pair(f=erf):
    """Return one unit that learns another: two order parameters."""
    data = TokenSequence({Token(target=lambda X: f(X @ u)): 1})
    return model(data, Predictor(lambda X: f(X @ w)), names={w @ w: Q, w @ u: R})


def overlaps():
    """Return a model of two directions on spheres: three order parameters."""
    a, b = Direction("a", sphere=True), Direction("b", sphere=True)
    data = TokenSequence({Token(target=lambda X: X @ u): 1})
    return model(data, Predictor(lambda X: X @ a + (X @ b) / 2))

"""The plateau of a committee machine, after Saad and Solla, and the rate of escape from it."""

import matplotlib.pyplot as plt
from sympy import Symbol, erf, sqrt

from slrsym.models import Directions, Predictor, Token, TokenSequence, model

K = Symbol("K", integer=True, positive=True)
w, u = Directions("w", K), Directions("u", K, unit=True)
data = TokenSequence({Token(target=lambda X: u.sum(lambda x: erf((X @ x) / sqrt(2)))): 1})
student = Predictor(lambda X: w.sum(lambda x: erf((X @ x) / sqrt(2))))
names = {w @ w: ("Q", "C"), w @ u: ("R", "S")}
stated = model(data, student, inner_products={u @ u: 0}, names=names)
equations = stated.equations("gradient-flow", rate=0.5)
runs = equations.solve({"K": 3}, {"Q": 0.2, "C": 0, "R": 1e-3, "S": 0}, time=300)
level = {"R": 15**-0.5, "S": 15**-0.5, "Q": 0.2, "C": 0.2}  # what R, S, Q and C stay near
print("escape rate", equations.linearise(level, {"K": 3}).eigenvalues[0])
(runs.risk / 2).rename("generalisation error").plot(yscale="log")
plt.savefig("plateau.png")

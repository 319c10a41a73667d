"""Pictures of a model: curves of runs, the landscape, a direction field, and a portrait."""

import matplotlib.pyplot as plt
from sympy import Symbol, erf, sqrt

from slrsym.models import Direction, Predictor, Token, TokenSequence, model

d, lam = Symbol("d", positive=True), Symbol("lambda", positive=True)
k_star, v_star = Direction("k^*", unit=True), Direction("v^*", unit=True)
k, v = Direction("k", sphere=True), Direction("v", sphere=True)
informative = Token(mean=sqrt(d / 2) * k_star, cov=0.5, target=lambda X: X @ v_star)
attention = Predictor(lambda X: erf(lam * (X @ k)) * (X @ v))
data = TokenSequence({informative: 1, Token(): 9})
m = model(data, attention, inner_products={k_star @ v_star: 0})
values = {"d": 80, "lambda": 0.1}

runs = m.simulate(values, steps=3000, alpha=5e-3, runs=40, rng=0, backend="numpy")
abs(runs).plot()
plt.savefig("curves.png")

m.plot_landscape(values, k @ k_star, v @ v_star)
plt.savefig("landscape.png")

equations = m.equations("gradient-flow", rate=1)
equations.plot_field(k @ k_star, v @ v_star, values, points=())
plt.savefig("field.png")

equations.write_portrait("portrait.html", k @ k_star, v @ v_star, values, points=())

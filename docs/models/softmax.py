"""Softmax at inverse temperature sqrt(d/2): the oracle is the conditional mean."""

import matplotlib.pyplot as plt
from sympy import Symbol, sqrt

from slrsym.models import Direction, Predictor, Token, TokenSequence, model, softmax

d, mu = Symbol("d", positive=True), Symbol("mu", positive=True)
k_star, v_star = Direction("k^*", unit=True), Direction("v^*", unit=True)
k, v = Direction("k", sphere=True), Direction("v", sphere=True)
informative = Token(mean=sqrt(d / 2) * k_star, target=lambda X: X @ v_star)
attention = Predictor(lambda X: softmax(mu * (X @ k)) * (X @ v))
m = model(
    TokenSequence({informative: 1, Token(): 9}), attention, inner_products={k_star @ v_star: 0}
)

runs = m.simulate({d: 20, mu: 10**0.5}, steps=100, alpha=0.05, runs=1, rng=0, backend="numpy")
plt.plot(runs.step, runs.overlap(k, k_star).T, runs.step, runs.overlap(v, v_star).T)
plt.xlabel("step")
plt.ylabel(r"$k \cdot k^*$ (blue), $v \cdot v^*$ (orange)")
plt.savefig("softmax.png")

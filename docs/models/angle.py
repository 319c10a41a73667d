"""The keys and values of the informative token at an angle: k* and v* are not orthogonal."""

import matplotlib.pyplot as plt
from sympy import Symbol, erf, sqrt

from slrsym.models import Direction, Predictor, Token, TokenSequence, model

d, lam, c = Symbol("d", positive=True), Symbol("lambda", positive=True), Symbol("c", real=True)
k_star, v_star = Direction("k^*", unit=True), Direction("v^*", unit=True)
k, v = Direction("k", sphere=True), Direction("v", sphere=True)
informative = Token(mean=sqrt(d / 2) * k_star, cov=0.5, target=lambda X: X @ v_star)
attention = Predictor(lambda X: erf(lam * (X @ k)) * (X @ v))
m = model(
    TokenSequence({informative: 1, Token(): 9}), attention, inner_products={k_star @ v_star: c}
)

runs = m.simulate({d: 80, lam: 0.1, c: 0.5}, steps=4000, alpha=5e-3, runs=5, rng=0)
plt.plot(runs.step, runs.overlap(k, k_star).T, "C0", runs.step, runs.overlap(v, v_star).T, "C1")
plt.xlabel("step")
plt.ylabel(r"$k \cdot k^*$ (blue), $v \cdot v^*$ (orange)")
plt.savefig("angle.png")

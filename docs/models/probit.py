"""Attention by the normal distribution function in the place of erf."""

import matplotlib.pyplot as plt
from sympy import Symbol, sqrt

from slrsym.gaussian import normal_cdf
from slrsym.models import Direction, Predictor, Token, TokenSequence, model

d, lam = Symbol("d", positive=True), Symbol("lambda", positive=True)
k_star, v_star = Direction("k^*", unit=True), Direction("v^*", unit=True)
k, v = Direction("k", sphere=True), Direction("v", sphere=True)
informative = Token(mean=sqrt(d / 2) * k_star, cov=0.5, target=lambda X: X @ v_star)
attention = Predictor(lambda X: normal_cdf(lam * (X @ k)) * (X @ v))
m = model(
    TokenSequence({informative: 1, Token(): 9}), attention, inner_products={k_star @ v_star: 0}
)

runs = m.simulate({d: 80, lam: 0.3}, steps=4000, alpha=5e-3, runs=5, rng=0)
plt.plot(runs.step, runs.risk.T)
plt.xlabel("step")
plt.ylabel("risk")
plt.savefig("probit.png")

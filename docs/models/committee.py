"""No attention: a committee of erf units learns from another, after Saad and Solla."""

import matplotlib.pyplot as plt
from sympy import erf, sqrt

from slrsym.models import Direction, Predictor, Token, TokenSequence, model

u, w = Direction("u", unit=True), [Direction("w_1"), Direction("w_2")]
data = TokenSequence({Token(target=lambda X: erf((X @ u) / sqrt(2))): 1})
m = model(data, Predictor(lambda X: sum(erf((X @ x) / sqrt(2)) for x in w)))

runs = m.simulate({"d": 100}, steps=3000, alpha=0.05, runs=5, rng=0, backend="numpy")
plt.semilogy(runs.step, runs.risk.T)
plt.xlabel("step")
plt.ylabel("risk")
plt.savefig("committee.png")

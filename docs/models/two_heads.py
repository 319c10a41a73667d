"""Two heads on two informative tokens, equations (30) and (31): 22 order parameters."""

import matplotlib.pyplot as plt

from slrsym.papers.single_location.models import multi_head

two = multi_head(heads=2, informative=2)
values = {"d": 400, "L": 10, "gamma": 0.5**0.5, "epsilon": 0.1, "lambda": 0.0649}
runs = two.model.simulate(values, steps=2000, alpha=2e-3, runs=3, rng=0, backend="numpy")
for head in two.k:
    plt.plot(runs.step, runs.overlap(head, two.k_star[0])[0])
plt.xlabel("step")
plt.ylabel(r"$k_1 \cdot k^*_1$ (blue), $k_2 \cdot k^*_1$ (orange)")
plt.savefig("two_heads.png")

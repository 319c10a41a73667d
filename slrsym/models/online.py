r"""Descent on single samples in the limit of a large dimension, after Saad and Solla (1995).

A step follows the gradient g of the squared error of one fresh sample, times a rate :math:`\eta/d`.
With time as steps over d, inner products of directions move by ordinary differential equations: by
the gradient of the risk, and, as :math:`|g|^2` is of order d, by a second term,

.. math:: \frac{d\,\langle x, y\rangle}{dt} = -\eta\,(\langle\nabla_x R, y\rangle
    + \langle x, \nabla_y R\rangle) + \eta^2 \sigma^2 N_{xy}, \qquad
    N_{xy} = E[\partial_x e^2\,\partial_y e^2],

for an error e whose derivatives are in projections of a token of covariance :math:`\sigma^2 I`. On
a sphere gradients are tangent, and the length that the second term brings is taken off again.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy
from numpy.typing import NDArray
from sympy import Expr

from slrsym.gaussian import Expectation, expectation
from slrsym.kernels.arguments import positive
from slrsym.kernels.compile import compile_expressions
from slrsym.models.moments import NotClosedError
from slrsym.models.simulation import named
from slrsym.runs import Runs

if TYPE_CHECKING:
    from slrsym.models.stated import Model

Array = NDArray[np.float64]


@cache
def second_moments(model: Model) -> list[Expr]:
    """N times the variance, its upper triangle row by row."""
    roles = list(model.roles.values())
    single = len(model.data.mixture) == 1 and len(roles) == 1 and model.additive
    if not single or roles[0].token.spikes or model.spaces > 1 or roles[0].token.mean.terms:
        raise ValueError(
            "the limit of descent on single samples is for one token, centred, whose covariance is "
            "a multiple of the identity"
        )
    ((token, count),) = model.data.mixture[0][0].items()
    if count != 1:
        raise ValueError(f"the limit of descent on single samples is for one token; got {count}")
    error, symbols = model.shares[token, None]
    slopes = [error.diff(symbols[x]) if x in symbols else 0 for x in model.trained]
    law, noise = model.law(token), model.data.noise**2
    found = []
    for i, first in enumerate(slopes):
        for second in slopes[i:]:
            value = 4 * expectation(first * second * (error**2 + noise), law)
            if value.has(Expectation):
                raise NotClosedError(
                    f"no closed form is known of the mean of {first * second * error**2}"
                )
            found.append(token.eigenvalues[0] * value)
    return found


def online(
    model: Model,
    values: Mapping[Any, Any],
    *,
    rate: float,
    time: float,
    start: Any,
    points: int = 201,
) -> Runs:
    """The limit of descent on single samples; `Model.online` says more."""
    rate, time = positive("rate", rate), positive("time", time)
    by_name = named(model, values)
    missing = [p.name for p in model.parameters if p.name not in by_name]
    if missing:
        raise ValueError(f"values must have a number for {missing[0]}")
    row = [float(by_name[p.name]) for p in model.parameters]
    outputs = second_moments(model)
    p, t = len(model.directions), len(model.trained)
    gram = np.asarray(start, dtype=np.float64)
    if gram.shape != (p, p):
        raise ValueError(f"start must be a Gram matrix of shape ({p}, {p}); got {gram.shape}")
    slopes = model.compile("numpy", "risk", "gradient")
    moments = compile_expressions(outputs, model.order_parameters, model.parameters)
    upper, flow = np.triu_indices(t), model.flow
    sphere = np.zeros(p)
    sphere[:t] = [x.on_sphere for x in model.trained]

    def moved(_: float, flat: Array) -> Array:
        G = flat.reshape(p, p)
        state = G[tuple(np.array([flow.places[q][:2] for q in model.order_parameters]).T)]
        gradient = np.zeros((p, p))
        gradient[:t] = flow.gradients(G[None], slopes(state, *row)[1:])[0]
        drift = gradient - (sphere * np.diag(gradient))[:, None] * G
        N = np.zeros((p, p))
        N[upper] = N[upper[::-1]] = moments(state, *row)
        length = sphere * np.diag(N)
        noise = N - (length[:, None] + length) / 2 * G
        change: Array = -rate * (drift + drift.T) + rate**2 * noise
        return change.ravel()

    times = np.linspace(0, time, points)
    found = scipy.integrate.solve_ivp(
        moved, (0, time), gram.ravel(), "DOP853", times, rtol=1e-9, atol=1e-11
    )
    if not found.success:
        raise ValueError(f"the equations cannot be solved up to {time}: {found.message}")
    grams = found.y.T.reshape(-1, p, p)
    places = tuple(np.array([flow.places[q][:2] for q in model.order_parameters]).T)
    risk = slopes(grams[(slice(None), *places)], *row)[:, 0]
    names = [x.name for x in model.directions]
    return Runs(
        {"gram": (("time", "direction", "other"), grams), "risk": ("time", risk)},
        coords={"time": times, "direction": names, "other": names},
        attrs={"rate": rate},
    )

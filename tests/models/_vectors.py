"""Models by means of their own: vectors of R^d, tokens that are drawn, and quadrature."""

import numpy as np
from sympy import Symbol


def unit(x):
    return x / np.linalg.norm(x, axis=-1, keepdims=True)


def state_of(model, vectors):
    """The order parameters of vectors by direction."""
    values = {
        p: vectors[x] @ vectors[y]
        for i, x in enumerate(model.directions)
        for y in model.directions[i:]
        if isinstance(p := model.inner_product(x, y), Symbol)
    }
    return np.array([values[p] for p in model.order_parameters])


def numbers_of(model, values):
    """The parameters of the model, in its order."""
    return [values[p.name] for p in model.parameters]


def descended(model, vectors, values, alpha, steps):
    """Projected gradient descent on vectors of R^d, the gradient by slopes in inner products."""
    slopes = model.compile("numpy", "gradient")
    factors = {
        p: (x, y)
        for i, x in enumerate(model.trained_directions)
        for y in model.directions[model.directions.index(x) :]
        if (p := model.inner_product(x, y)) in model.order_parameters
    }
    vectors = dict(vectors)
    for _ in range(steps):
        found = slopes(state_of(model, vectors), *numbers_of(model, values))
        gradients = {x: np.zeros_like(vectors[x]) for x in model.trained_directions}
        for p, slope in zip(model.order_parameters, found, strict=True):
            x, y = factors[p]
            gradients[x] += slope * vectors[y]
            if y in gradients:
                gradients[y] += slope * vectors[x]
        for x, g in gradients.items():
            w = vectors[x]
            if x.on_sphere:
                w = w - alpha * (g - (w @ g) * w)
                vectors[x] = w / np.linalg.norm(w)
            else:
                vectors[x] = w - alpha * g
    return vectors

"""Gram matrices of the directions of a model, from some products."""

import itertools

import numpy as np
from sympy import Symbol


def gram_of_products(stated, products):
    """Return the Gram matrix, with 1 on the diagonal, that has some products."""
    places = {x: i for i, x in enumerate(stated.directions)}
    found = np.eye(len(places))
    for (x, y), value in products.items():
        found[places[x], places[y]] = found[places[y], places[x]] = value
    return found


def products_of_fixed_directions(stated, values):
    """Return the stated products of fixed directions."""
    pairs = itertools.combinations_with_replacement(stated.fixed_directions, 2)
    return {
        (x, y): float(stated.inner_product(x, y).subs({Symbol(n): v for n, v in values.items()}))
        for x, y in pairs
    }

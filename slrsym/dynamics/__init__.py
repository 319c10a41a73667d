"""Projected gradient descent: vectors in R^d, five overlaps, or kappa and nu on the manifold."""

from slrsym.dynamics.given import (
    Constant,
    Formula,
    Inverse,
    Manifold,
    Overlaps,
    Sphere,
    StartVectors,
)
from slrsym.dynamics.runs import resume, simulate
from slrsym.runs import Runs, load, save

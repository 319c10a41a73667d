"""Projected gradient descent, in vectors of R^d, in five overlaps, or in (kappa, nu)."""

from slrsym.dynamics.initial_conditions import (
    ManifoldStart,
    OverlapStart,
    UniformStart,
    VectorStart,
)
from slrsym.dynamics.runs import resume, simulate
from slrsym.renamed import getattr_for_old_names as _old_names
from slrsym.runs import Runs, load, save
from slrsym.schedules import Constant, Formula, InverseTimeDecay

__getattr__ = _old_names(
    __name__,
    Inverse="InverseTimeDecay",
    Manifold="ManifoldStart",
    Overlaps="OverlapStart",
    Sphere="UniformStart",
    StartVectors="VectorStart",
)

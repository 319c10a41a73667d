"""Projected gradient descent in five overlaps or in (kappa, nu), by the engine of models."""

from slrsym.models.training.runs import Runs, load, save
from slrsym.models.training.schedules import Constant, Formula, InverseTimeDecay
from slrsym.papers.single_location.dynamics.initial_conditions import (
    ManifoldStart,
    OverlapStart,
    UniformStart,
    VectorStart,
)
from slrsym.papers.single_location.dynamics.runs import resume, simulate

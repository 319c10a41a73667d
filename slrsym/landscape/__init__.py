"""The risk off the invariant manifold: its critical points, and how they change with lambda."""

from slrsym.landscape.diagram import Branch, Event, branches
from slrsym.landscape.enumeration import Atlas, atlas
from slrsym.landscape.points import CriticalPoint
from slrsym.landscape.stability import (
    critical_inverse_temperature,
    oracle_hessian,
    saturated_critical_inverse_temperature,
    swap_margin,
    swap_point,
    transverse_matrix,
    transverse_rate,
)
from slrsym.models.newton import Coverage

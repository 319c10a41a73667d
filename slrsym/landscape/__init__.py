"""Critical points of the risk off the invariant manifold, and how they change with lambda."""

from slrsym.landscape.bifurcation_diagram import Branch, BranchEvent, follow_branches
from slrsym.landscape.enumeration import CriticalPoints, find_critical_points
from slrsym.landscape.points import CriticalPoint
from slrsym.landscape.stability import (
    critical_inverse_temperature,
    oracle_hessian_in_angles,
    saturated_critical_inverse_temperature,
    swap_margin,
    swap_point_and_excess_risk,
    transverse_decay_rate,
    transverse_flow_matrix,
)
from slrsym.models.landscape.critical_point_search import SearchCoverage

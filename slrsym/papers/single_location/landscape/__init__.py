"""Critical points of the risk off the invariant manifold, and how they change with lambda."""

from slrsym.models.landscape.critical_point_search import SearchCoverage
from slrsym.papers.single_location.landscape.bifurcation_diagram import (
    Branch,
    BranchEvent,
    follow_branches,
)
from slrsym.papers.single_location.landscape.enumeration import CriticalPoints, find_critical_points
from slrsym.papers.single_location.landscape.points import CriticalPoint
from slrsym.papers.single_location.landscape.stability import (
    critical_inverse_temperature,
    oracle_hessian_in_angles,
    saturated_critical_inverse_temperature,
    swap_margin,
    swap_point_and_excess_risk,
    transverse_decay_rate,
    transverse_flow_matrix,
)

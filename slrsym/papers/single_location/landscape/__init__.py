"""Critical points of the risk off the invariant manifold, and how they change with lambda."""

from slrsym.models.landscape.branches import Branch, BranchEvent
from slrsym.models.landscape.critical_point_search import SearchCoverage
from slrsym.models.landscape.critical_point_table import CriticalPoint
from slrsym.papers.single_location.landscape.enumeration import (
    find_critical_points,
    follow_branches,
)
from slrsym.papers.single_location.landscape.stability import (
    critical_inverse_temperature,
    oracle_hessian_in_angles,
    saturated_critical_inverse_temperature,
    swap_margin,
    swap_point_and_excess_risk,
    transverse_decay_rate,
    transverse_flow_matrix,
)

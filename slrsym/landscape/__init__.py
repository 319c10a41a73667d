"""Critical points of the risk off the invariant manifold, and how they change with lambda."""

from slrsym.landscape.bifurcation_diagram import Branch, BranchEvent, follow_branches
from slrsym.landscape.enumeration import CriticalPoints, find_critical_points
from slrsym.landscape.points import CriticalPoint
from slrsym.landscape.stability import (
    critical_inverse_temperature,
    oracle_hessian,
    saturated_critical_inverse_temperature,
    swap_margin,
    swap_point_and_excess_risk,
    transverse_flow_matrix,
    transverse_rate,
)
from slrsym.models.newton import SearchCoverage
from slrsym.renamed import getattr_for_old_names as _old_names

__getattr__ = _old_names(
    __name__,
    Atlas="CriticalPoints",
    Event="BranchEvent",
    atlas="find_critical_points",
    branches="follow_branches",
    swap_point="swap_point_and_excess_risk",
)

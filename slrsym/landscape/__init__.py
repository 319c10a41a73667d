"""The risk off the invariant manifold: its critical points, and how they change with lambda."""

from slrsym.landscape.diagram import Branch as Branch
from slrsym.landscape.diagram import Event as Event
from slrsym.landscape.diagram import branches as branches
from slrsym.landscape.enumeration import Atlas as Atlas
from slrsym.landscape.enumeration import Coverage as Coverage
from slrsym.landscape.enumeration import atlas as atlas
from slrsym.landscape.points import CriticalPoint as CriticalPoint
from slrsym.landscape.stability import critical_inverse_temperature as critical_inverse_temperature
from slrsym.landscape.stability import oracle_hessian as oracle_hessian
from slrsym.landscape.stability import (
    saturated_critical_inverse_temperature as saturated_critical_inverse_temperature,
)
from slrsym.landscape.stability import swap_margin as swap_margin
from slrsym.landscape.stability import swap_point as swap_point
from slrsym.landscape.stability import transverse_matrix as transverse_matrix
from slrsym.landscape.stability import transverse_rate as transverse_rate

"""Projected gradient descent: vectors in R^d, five overlaps, or kappa and nu on the manifold."""

from slrsym.dynamics.runs import resume as resume
from slrsym.dynamics.runs import simulate as simulate
from slrsym.dynamics.schedules import Constant as Constant
from slrsym.dynamics.schedules import Inverse as Inverse
from slrsym.dynamics.starts import Manifold as Manifold
from slrsym.dynamics.starts import Overlaps as Overlaps
from slrsym.dynamics.starts import Sphere as Sphere
from slrsym.dynamics.storage import load as load
from slrsym.dynamics.storage import save as save

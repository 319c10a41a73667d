"""Projected gradient descent: vectors in R^d, five overlaps, or kappa and nu on the manifold."""

from slrsym.dynamics.given import Constant as Constant
from slrsym.dynamics.given import Formula as Formula
from slrsym.dynamics.given import Inverse as Inverse
from slrsym.dynamics.given import Manifold as Manifold
from slrsym.dynamics.given import Overlaps as Overlaps
from slrsym.dynamics.given import Sphere as Sphere
from slrsym.dynamics.given import StartVectors as StartVectors
from slrsym.dynamics.runs import load as load
from slrsym.dynamics.runs import resume as resume
from slrsym.dynamics.runs import save as save
from slrsym.dynamics.runs import simulate as simulate

"""The risk off the invariant manifold: its critical points, and how they change with lambda."""

from slrsym.landscape.atlas import Atlas as Atlas
from slrsym.landscape.atlas import atlas as atlas
from slrsym.landscape.points import CriticalPoint as CriticalPoint
from slrsym.landscape.search import Coverage as Coverage

"""Training of Transformer layers and of several erf heads on several informative tokens.

What Section E.3 of the paper shows in figures 8 to 10; gradients of layers are by hand, in NumPy.
"""

from slrsym.papers.single_location.transformers.heads import HeadRuns
from slrsym.papers.single_location.transformers.layer import Layer, MultipleLocation
from slrsym.papers.single_location.transformers.training import (
    LayerRuns,
    overlaps_with_matched_stars,
)

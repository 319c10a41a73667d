r"""The second check of every step: both sides as numbers, at random exact points.

Nothing here knows a closed form. Every expectation is computed from its definition by quadrature,
every derivative of what cannot be differentiated term by term as a difference quotient, every
special function from its defining integral. What is shared with the symbolic side is the notation:
SymPy's expression tree, the laws, and the `Expectation` node.
"""

from slrsym.proof.numeric.comparison import Comparison as Comparison
from slrsym.proof.numeric.comparison import Disagreement as Disagreement
from slrsym.proof.numeric.comparison import compare as compare
from slrsym.proof.numeric.comparison import evaluate as evaluate
from slrsym.proof.numeric.comparison import truth as truth
from slrsym.proof.numeric.errors import NotALaw as NotALaw
from slrsym.proof.numeric.errors import Undecided as Undecided
from slrsym.proof.numeric.sampling import NoPoint as NoPoint
from slrsym.proof.numeric.sampling import random_test_function as random_test_function
from slrsym.proof.numeric.sampling import sample_points as sample_points
from slrsym.proof.numeric.values import Value as Value

r"""The second check of every step: both sides as numbers, at random exact points.

Nothing here knows a closed form. Every expectation is computed from its definition by quadrature,
every derivative of what cannot be differentiated term by term as a difference quotient, every
special function from its defining integral. What is shared with the symbolic side is the notation:
SymPy's expression tree, the laws, and the `Expectation` node.
"""

from slrsym.numbers.comparison import Comparison as Comparison
from slrsym.numbers.comparison import Disagreement as Disagreement
from slrsym.numbers.comparison import compare as compare
from slrsym.numbers.comparison import evaluate as evaluate
from slrsym.numbers.comparison import truth as truth
from slrsym.numbers.errors import NotALaw as NotALaw
from slrsym.numbers.errors import Undecided as Undecided
from slrsym.numbers.sampling import NoPoint as NoPoint
from slrsym.numbers.sampling import random_test_function as random_test_function
from slrsym.numbers.sampling import sample_points as sample_points
from slrsym.numbers.values import Value as Value

r"""The second check of every step: both sides as numbers, at random exact points.

Nothing here knows a closed form. Every expectation is computed from its definition by quadrature,
every derivative of what cannot be differentiated term by term as a difference quotient, every
special function from its defining integral. What is shared with the symbolic side is the notation:
SymPy's expression tree, the laws, and the `Expectation` node.
"""

from slrsym.numbers.balls import NotALaw as NotALaw
from slrsym.numbers.balls import Undecided as Undecided
from slrsym.numbers.balls import Value as Value
from slrsym.numbers.evaluator import Disagreement as Disagreement
from slrsym.numbers.evaluator import evaluate as evaluate
from slrsym.numbers.evaluator import truth as truth
from slrsym.numbers.points import Bench as Bench
from slrsym.numbers.points import Comparison as Comparison
from slrsym.numbers.points import NoPoint as NoPoint
from slrsym.numbers.points import compare as compare
from slrsym.numbers.points import random_test_function as random_test_function
from slrsym.numbers.points import sample_points as sample_points

r"""The numerical cross-check: evaluate both sides of every step at random points, to 30 digits.

Nothing here knows a closed form. Every expectation is computed from its definition by quadrature,
every derivative of what cannot be differentiated term by term as a difference quotient, every
special function from its defining integral. What is shared with the symbolic side is the notation:
SymPy's expression tree, the laws, and the `Expectation` node.
"""

from slrsym.crosscheck.ball_quadrature import Inconclusive, NotALaw, NumberWithError
from slrsym.crosscheck.evaluator import Disagreement, evaluate, is_true_at
from slrsym.crosscheck.points import (
    Comparison,
    NoPointFound,
    SharedPoints,
    compare,
    random_test_function,
    random_test_functions,
    sample_points,
)

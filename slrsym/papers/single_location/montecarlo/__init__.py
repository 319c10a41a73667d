r"""Monte Carlo estimates of risks, gradients and outputs of predictors, with errors.

Tokens are drawn as the task says, and predictors are applied to them; nothing that was derived is
used. There are three ways to draw them: whole, from the definition; the coordinates that matter,
exactly in law and at a cost free of d; and the attention scores alone, given which the rest is
averaged in closed form. What a sample is taken of does not differ between these.
"""

from slrsym.papers.single_location.montecarlo.estimators import (
    gradient_estimate,
    output_summary,
    risk_estimate,
)
from slrsym.papers.single_location.montecarlo.plan import METHODS, Directions
from slrsym.papers.single_location.montecarlo.predictors import Erf, HardOracle, Linear, Softmax
from slrsym.papers.single_location.montecarlo.sampling import (
    BLOCK,
    Estimate,
    OutputSummary,
    Quantile,
)
